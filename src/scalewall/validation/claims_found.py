"""Where our own finding is another than the published claim, and claims that can only be informative."""

from __future__ import annotations

from scalewall.validation.claim import Claim, Measure, Tolerance, Unit, kept, stated
from scalewall.validation.measures import (
    at_decline,
    decline,
    decline_on_sizes,
    decline_ratio,
    degrees_at_decline,
    depth_fit,
    largest_gain,
    layers_at,
)
from scalewall.validation.reference_checks import plans_by_latency, runs_by_latency, values_by_latency
from scalewall.validation.sources import ARTICLE, GPT_3, HERE, PAPER, PROGRAM, SIMULATOR

__all__ = ["DEPTH_LAW", "GTX_580", "SEARCH", "ZERO_BUBBLE_LATENCY"]

_COUNT = Tolerance(0.0, "a count")
_GPT_3_WIDTH = 12288

SEARCH = (
    Claim(
        name="h100-decline-odd-15",
        claim="H100: declines past, clusters of f * 2^i, f odd up to 15",
        published=2.05e28,
        unit="FLOP",
        source=PROGRAM,
        measure=decline_on_sizes("ref-h100", 15),
        tolerance=kept(1.34e29),
        expect="differs",
        found=1.34e29,
        note="The published search tries clusters of 2^i accelerators only. Here each run gets the smallest of these "
        "clusters that finishes.",
    ),
    Claim(
        name="h100-decline-full",
        claim="H100: declines past, any cluster that divides the model",
        published=2.05e28,
        unit="FLOP",
        source=PROGRAM,
        measure=decline("ref-h100", search="full"),
        tolerance=kept(2.04e29),
        expect="differs",
        found=2.04e29,
        note="The full search: the highest utilization of all plans that finish. Ten times the published limit "
        "comes of the search alone, on the same machine and model.",
    ),
    Claim(
        name="a100-decline-full",
        claim="A100: declines past, any cluster that divides the model",
        published=3.40e28,
        unit="FLOP",
        source=ARTICLE,
        place="figure 1",
        measure=decline("ref-a100", search="full"),
        tolerance=kept(5.80e28),
        expect="differs",
        found=5.80e28,
    ),
    Claim(
        name="a100-over-h100-full",
        claim="A100's limit over H100's, any cluster",
        published=3.40 / 2.05,
        unit="",
        source=ARTICLE,
        place="figure 1",
        measure=decline_ratio("ref-a100", "ref-h100", search="full"),
        tolerance=kept(0.284),
        expect="differs",
        found=0.284,
        note="The order turns round: H100's limit is the higher one.",
    ),
    Claim(
        name="h100-gain",
        claim="H100: most utilization that the full search gains at a run",
        published=None,
        unit="share",
        source=HERE,
        measure=largest_gain("ref-h100"),
        tolerance=kept(0.412),
        found=0.412,
    ),
    Claim(
        name="a100-gain",
        claim="A100: most utilization that the full search gains at a run",
        published=None,
        unit="share",
        source=HERE,
        measure=largest_gain("ref-a100"),
        tolerance=kept(0.504),
        found=0.504,
    ),
)
"""The same model and laws, other clusters."""

DEPTH_LAW = (
    stated(
        name="depth-prefactor",
        claim="Prefactor of the depth law, refitted to its data",
        published=0.10056,
        unit="",
        source=PAPER,
        digits=5,
        measure=depth_fit(0),
        note="Least squares in logarithms of layers against d_model * d_ff over the 50 models of Hoffmann et al. 2022, "
        "arXiv 2203.15556, table A9.",
    ),
    Claim(
        name="depth-exponent",
        claim="Exponent of the depth law, refitted to its data",
        published=0.3751,
        unit="",
        source=PAPER,
        digits=4,
        measure=depth_fit(1),
        tolerance=kept(0.3351, 4),
        expect="differs",
        found=0.3351,
        note="The prefactor comes out to the last digit, the exponent in all digits but one.",
    ),
    Claim(
        name="layers-published",
        claim="Layers at GPT-3's width, exponent 0.3751",
        published=96,
        unit="layers",
        source=GPT_3,
        measure=layers_at(_GPT_3_WIDTH, "published", rounding=True),
        tolerance=_COUNT,
        expect="differs",
        found=192,
    ),
    Claim(
        name="layers-refit",
        claim="Layers at GPT-3's width, exponent 0.3351",
        published=96,
        unit="layers",
        source=GPT_3,
        measure=layers_at(_GPT_3_WIDTH, "refit", rounding=True),
        tolerance=_COUNT,
    ),
    Claim(
        name="layers-refit-raw",
        claim="Layers at GPT-3's width, exponent 0.3351, not rounded",
        published=96,
        unit="layers",
        source=GPT_3,
        measure=layers_at(_GPT_3_WIDTH, "refit", rounding=False),
        tolerance=Tolerance(0.11, "the law misses its own 50 models by 11 % on average"),
    ),
    Claim(
        name="h100-decline-refit",
        claim="H100: declines past, exponent 0.3351",
        published=2.05e28,
        unit="FLOP",
        source=PROGRAM,
        measure=decline("ref-h100", depth_law="refit"),
        tolerance=kept(1.96e29),
        expect="differs",
        found=1.96e29,
        note="Published search. A model half as deep waits half as often for its network.",
    ),
    Claim(
        name="h100-decline-refit-full",
        claim="H100: declines past, exponent 0.3351 and the full search",
        published=2.05e28,
        unit="FLOP",
        source=PROGRAM,
        measure=decline("ref-h100", search="full", depth_law="refit"),
        tolerance=kept(4.55e29),
        expect="differs",
        found=4.55e29,
    ),
)
"""One digit of an exponent."""


def _latency_claim(name: str, claim: str, found: int, measure: Measure) -> Claim:
    """Return the claim of how many things the rule for latency changes."""
    return Claim(
        name=name,
        claim=claim,
        published=None,
        unit="rows",
        source=HERE,
        measure=measure,
        tolerance=_COUNT,
        found=found,
    )


ZERO_BUBBLE_LATENCY = (
    _latency_claim("latency-plans", "The program's plans that take longer", 0, plans_by_latency()),
    _latency_claim("latency-runs", "Runs of its six curves that change", 1, runs_by_latency()),
    _latency_claim("latency-limits", "Limits of its six curves that change", 0, values_by_latency()),
)
"""The paper says that a zero-bubble batch lasts at least as long as its latency; the program leaves that out."""


def _gtx_claim(
    name: str, claim: str, published: float, unit: Unit, measure: Measure, digits: int = 1, note: str = ""
) -> Claim:
    """Return a claim about GTX 580s in 2012, which informs only."""
    return Claim(
        name=f"gtx-580-{name}",
        claim=claim,
        published=published,
        unit=unit,
        source=SIMULATOR,
        digits=digits,
        measure=measure,
        tolerance=Tolerance(1.0, "none: its network and latencies are our assumptions"),
        expect="informs",
        note=note,
    )


GTX_580 = (
    _gtx_claim(
        "decline",
        "GTX 580: efficient up to about",
        1e26,
        "FLOP",
        decline("gtx-580", precision=32),
        note="32-bit words, 80 % of the peak sustained; ours is the first run below 80 % of that, published search.",
    ),
    _gtx_claim(
        "accelerators",
        "GTX 580: accelerators of that run",
        16e6,
        "accelerators",
        at_decline("gtx-580", lambda point: point.n_gpu, precision=32),
        digits=2,
    ),
    _gtx_claim(
        "dp",
        "GTX 580: data parallelism of that run",
        1024,
        "",
        degrees_at_decline("gtx-580", "dp", precision=32),
        digits=4,
    ),
    _gtx_claim(
        "pp",
        "GTX 580: pipeline parallelism of that run",
        32,
        "",
        degrees_at_decline("gtx-580", "pp", precision=32),
        digits=2,
    ),
    _gtx_claim(
        "tp",
        "GTX 580: tensor parallelism of that run",
        512,
        "",
        degrees_at_decline("gtx-580", "tp_model", "tp_ff", precision=32),
        digits=3,
    ),
    _gtx_claim(
        "utilization",
        "GTX 580: utilization of that run, at least",
        0.8,
        "share",
        at_decline("gtx-580", lambda point: point.utilization, precision=32),
        note="Ours is the first run that is no longer efficient, as a share of the peak.",
    ),
    _gtx_claim(
        "decline-full",
        "GTX 580: efficient up to, any cluster that divides the model",
        1e26,
        "FLOP",
        decline("gtx-580", precision=32, search="full"),
    ),
)
"""Epoch's inputs for network and latency are not public, so no number of this experiment can pass or fail."""
