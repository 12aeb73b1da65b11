"""What the paper and the article say, and the closed forms behind it."""

from __future__ import annotations

from scalewall.validation.claim import Claim, Tolerance, kept, printed
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

_YEARS_NOTE = "The article says 4x to 5x a year, which makes 3.7 to 4.3 years; three would need 7.4x."

HEADLINES = (
    Claim(
        name="h100-decline",
        claim="H100: utilization declines past about",
        published=2e28,
        unit="FLOP",
        source=ARTICLE,
        place="summary",
        digits=1,
        measure=decline("ref-h100"),
        tolerance=printed(2e28, 1),
        note="The paper's abstract rounds it to 1e28.",
    ),
    Claim(
        name="h100-decline-program",
        claim="H100: declines past, in the program's sweep",
        published=2.05e28,
        unit="FLOP",
        source=PROGRAM,
        measure=decline("ref-h100"),
        tolerance=printed(2.05e28, 3),
    ),
    Claim(
        name="a100-decline",
        claim="A100: declines past",
        published=3.40e28,
        unit="FLOP",
        source=ARTICLE,
        place="figure 1",
        measure=decline("ref-a100"),
        tolerance=printed(3.40e28, 3),
    ),
    Claim(
        name="v100-decline",
        claim="V100: declines past",
        published=2.85e27,
        unit="FLOP",
        source=ARTICLE,
        place="figure 1",
        measure=decline("ref-v100"),
        tolerance=printed(2.85e27, 3),
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
    Claim(
        name="h100-largest-program",
        claim="H100: largest run, in the program's sweep",
        published=2.7e31,
        unit="FLOP",
        source=PROGRAM,
        digits=2,
        measure=largest_run("ref-h100"),
        tolerance=printed(2.7e31, 2),
    ),
    Claim(
        name="zhang-decline",
        claim="H100, batch law of Zhang et al.: declines past about",
        published=3e30,
        unit="FLOP",
        source=ARTICLE,
        digits=1,
        measure=decline("ref-h100", batch_law="zhang"),
        tolerance=printed(3e30, 1),
    ),
    Claim(
        name="zhang-orders",
        claim="Orders of magnitude that this batch law adds, about",
        published=2.0,
        unit="orders",
        source=ARTICLE,
        digits=1,
        measure=decline_shift("ref-h100", batch_law="zhang"),
        tolerance=printed(2.0, 1),
    ),
    Claim(
        name="10x-decline",
        claim="H100, bandwidths times 10, latencies a tenth: declines past",
        published=5.1e31,
        unit="FLOP",
        source=PROGRAM,
        place="article, figure 3",
        digits=2,
        measure=decline("ref-h100-10x"),
        tolerance=printed(5.1e31, 2),
        note="The program's machine: its network latency falls from 1.125 to 0.5 microseconds a hop only.",
    ),
    Claim(
        name="years-at-5x",
        claim="Years from 5e25 (2024) to 2e28 at 5x a year, around",
        published=YEARS_LEFT,
        unit="years",
        source=ARTICLE,
        digits=1,
        measure=years_until(TARGET_FLOP, FRONTIER_FLOP, 5),
        tolerance=kept(3.72),
        expect="differs",
        found=3.72,
        note=_YEARS_NOTE,
    ),
    Claim(
        name="years-at-4x",
        claim="Years from 5e25 (2024) to 2e28 at 4x a year, around",
        published=YEARS_LEFT,
        unit="years",
        source=ARTICLE,
        digits=1,
        measure=years_until(TARGET_FLOP, FRONTIER_FLOP, 4),
        tolerance=kept(4.32),
        expect="differs",
        found=4.32,
    ),
)
"""Reference search and laws throughout, three months, a grid of training runs."""


def _bandwidth(machine: str, alpha: float, published: float) -> Claim:
    """Return the claim of one machine's closed form."""
    return Claim(
        name=f"closed-{machine.removeprefix('ref-')}-alpha-{alpha:g}",
        claim=f"{machine.removeprefix('ref-').upper()}: bandwidth limit, alpha = {alpha:g}",
        published=published,
        unit="FLOP",
        source=PAPER,
        measure=bandwidth_limit(machine, alpha),
        tolerance=printed(published, 3),
    )


CLOSED_FORMS = (
    _bandwidth("ref-v100", 0.0, 1.30e27),
    _bandwidth("ref-a100", 0.0, 2.62e28),
    _bandwidth("ref-h100", 0.0, 1.92e28),
    _bandwidth("ref-v100", 0.2, 2.19e29),
    _bandwidth("ref-a100", 0.2, 3.25e31),
    _bandwidth("ref-h100", 0.2, 1.94e31),
    Claim(
        name="closed-latency-wall",
        claim="Latency wall, alpha = 0",
        published=2.3e31,
        unit="FLOP",
        source=PAPER,
        digits=2,
        measure=latency_limit(),
        tolerance=printed(2.3e31, 2),
    ),
    Claim(
        name="article-parameters",
        claim="Largest model at the latency wall (parameters), about",
        published=4e14,
        unit="parameters",
        source=ARTICLE,
        digits=1,
        measure=parameters_at_latency(as_compute=False),
        tolerance=printed(4e14, 1),
        note="120 layers, 4e6 tokens a batch, 9 microseconds for a matmul and its all-reduce.",
    ),
    Claim(
        name="article-latency-wall",
        claim="Training compute of that model, about",
        published=2e31,
        unit="FLOP",
        source=ARTICLE,
        digits=1,
        measure=parameters_at_latency(as_compute=True),
        tolerance=printed(2e31, 1),
    ),
)
"""Estimates without a search; alpha is the batch's exponent in compute less the depth's."""
