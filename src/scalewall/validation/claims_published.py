"""What the paper and the article say, and the closed forms behind it."""

from __future__ import annotations

from scalewall.validation.claim import Claim, Tolerance, kept, stated
from scalewall.validation.measures import (
    bandwidth_limit,
    decline,
    decline_ratio,
    decline_shift,
    largest_run,
    latency_limit,
    parameters_at_latency,
    years_until,
)
from scalewall.validation.sources import ARTICLE, PAPER, PROGRAM

__all__ = ["CLOSED_FORMS", "FRONTIER_FLOP", "HEADLINES", "TARGET_FLOP", "YEARS_LEFT"]

TARGET_FLOP, FRONTIER_FLOP, YEARS_LEFT = 2e28, 5e25, 3.0
"""The article's decline, the largest run of 2024 that it starts from (FLOP), and the years it sees between them."""


def _years(growth: int, found: float, note: str = "") -> Claim:
    """Return the claim of how far off the decline is at a growth a year, beside what the arithmetic gives."""
    return Claim(
        name=f"years-at-{growth}x",
        claim=f"Years from 5e25 (2024) to 2e28 at {growth}x a year, around",
        published=YEARS_LEFT,
        unit="years",
        source=ARTICLE,
        digits=1,
        measure=years_until(TARGET_FLOP, FRONTIER_FLOP, growth),
        tolerance=kept(found),
        expect="differs",
        found=found,
        note=note,
    )


HEADLINES = (
    stated(
        name="h100-decline",
        claim="H100: utilization declines past about",
        published=2e28,
        unit="FLOP",
        source=ARTICLE,
        place="summary",
        digits=1,
        measure=decline("ref-h100"),
        note="The paper's abstract rounds it to 1e28.",
    ),
    stated(
        name="h100-decline-program",
        claim="H100: declines past, in the program's sweep",
        published=2.05e28,
        unit="FLOP",
        source=PROGRAM,
        measure=decline("ref-h100"),
    ),
    stated(
        name="a100-decline",
        claim="A100: declines past",
        published=3.40e28,
        unit="FLOP",
        source=ARTICLE,
        place="figure 1",
        measure=decline("ref-a100"),
    ),
    stated(
        name="v100-decline",
        claim="V100: declines past",
        published=2.85e27,
        unit="FLOP",
        source=ARTICLE,
        place="figure 1",
        measure=decline("ref-v100"),
    ),
    Claim(
        name="a100-over-h100",
        claim="A100's limit over H100's",
        published=3.40 / 2.05,
        unit="",
        source=ARTICLE,
        place="figure 1",
        measure=decline_ratio("ref-a100", "ref-h100"),
        tolerance=Tolerance(0.01, "a ratio of two numbers stated to three digits"),
    ),
    Claim(
        name="h100-largest",
        claim="H100: infeasible at any utilization past about",
        published=2e31,
        unit="FLOP",
        source=ARTICLE,
        place="summary",
        digits=1,
        measure=largest_run("ref-h100"),
        tolerance=Tolerance(0.9, "the next run of the grid is 1.9 times as large"),
        note="The largest run that finishes; the paper's abstract rounds it to 1e31.",
    ),
    stated(
        name="h100-largest-program",
        claim="H100: largest run, in the program's sweep",
        published=2.7e31,
        unit="FLOP",
        source=PROGRAM,
        digits=2,
        measure=largest_run("ref-h100"),
    ),
    stated(
        name="zhang-decline",
        claim="H100, batch law of Zhang et al.: declines past about",
        published=3e30,
        unit="FLOP",
        source=ARTICLE,
        digits=1,
        measure=decline("ref-h100", batch_law="zhang"),
    ),
    stated(
        name="zhang-orders",
        claim="Orders of magnitude that this batch law adds, about",
        published=2.0,
        unit="orders",
        source=ARTICLE,
        digits=1,
        measure=decline_shift("ref-h100", batch_law="zhang"),
    ),
    stated(
        name="10x-decline",
        claim="H100, bandwidths times 10, latencies a tenth: declines past",
        published=5.1e31,
        unit="FLOP",
        source=PROGRAM,
        place="article, figure 3",
        digits=2,
        measure=decline("ref-h100-10x"),
        note="The program's machine: its network latency falls from 1.125 to 0.5 microseconds a hop only.",
    ),
    _years(5, 3.72, "The article says 4x to 5x a year, which makes 3.7 to 4.3 years; three would need 7.4x."),
    _years(4, 4.32),
)
"""Reference search and laws throughout, three months, a grid of training runs."""


def _bandwidth(machine: str, alpha: float, published: float) -> Claim:
    """Return the claim of one machine's closed form."""
    return stated(
        name=f"closed-{machine.removeprefix('ref-')}-alpha-{alpha:g}",
        claim=f"{machine.removeprefix('ref-').upper()}: bandwidth limit, alpha = {alpha:g}",
        published=published,
        unit="FLOP",
        source=PAPER,
        measure=bandwidth_limit(machine, alpha),
    )


CLOSED_FORMS = (
    _bandwidth("ref-v100", 0.0, 1.30e27),
    _bandwidth("ref-a100", 0.0, 2.62e28),
    _bandwidth("ref-h100", 0.0, 1.92e28),
    _bandwidth("ref-v100", 0.2, 2.19e29),
    _bandwidth("ref-a100", 0.2, 3.25e31),
    _bandwidth("ref-h100", 0.2, 1.94e31),
    stated(
        name="closed-latency-wall",
        claim="Latency wall, alpha = 0",
        published=2.3e31,
        unit="FLOP",
        source=PAPER,
        digits=2,
        measure=latency_limit(),
    ),
    stated(
        name="article-parameters",
        claim="Largest model at the latency wall (parameters), about",
        published=4e14,
        unit="parameters",
        source=ARTICLE,
        digits=1,
        measure=parameters_at_latency(as_compute=False),
        note="120 layers, 4e6 tokens a batch, 9 microseconds for a matmul and its all-reduce.",
    ),
    stated(
        name="article-latency-wall",
        claim="Training compute of that model, about",
        published=2e31,
        unit="FLOP",
        source=ARTICLE,
        digits=1,
        measure=parameters_at_latency(as_compute=True),
    ),
)
"""Estimates without a search; alpha is the batch's exponent in compute less the depth's."""
