"""Every published claim beside our number: the paper, the article, the authors' program, and what we found.

Claims are records (``claims_*.py``) that name a measure; this module goes through them in sections.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scalewall.validation.claim import Answer, Claim, Verdict, judge
from scalewall.validation.claims_found import DEPTH_LAW, GTX_580, SEARCH, ZERO_BUBBLE_LATENCY
from scalewall.validation.claims_program import PROGRAM_ROWS
from scalewall.validation.claims_published import CLOSED_FORMS, HEADLINES
from scalewall.validation.evidence import Evidence

__all__ = ["SECTIONS", "ClaimResult", "Progress", "Section", "passed", "reproduce"]

Progress = Callable[[int, int, str], None]
"""Called with (claims done, claims in all, words of the next one)."""


@dataclass(frozen=True)
class Section:
    """Claims that belong together, and what they rest on in a sentence."""

    title: str
    introduction: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class ClaimResult:
    """A claim, its section, our answer and the verdict."""

    section: Section
    claim: Claim
    answer: Answer
    verdict: Verdict


SECTIONS = (
    Section(
        "What the paper and the article say",
        "Training compute in FLOP; dense models, three months, reference machines, the published laws and search "
        '(clusters of 2^i accelerators). "Declines": the first run at or below 80 % of sustained utilization.',
        HEADLINES,
    ),
    Section(
        "The closed forms",
        "Estimates without a search (FLOP); alpha is the batch's exponent in compute less the depth's.",
        CLOSED_FORMS,
    ),
    Section(
        "The authors' program, row by row",
        "How many of its rows come out: times, utilization and communication of plans; layers, batch, cluster, "
        "utilization and run time of runs; both limits of each curve. Zero bubble pays no latency, as in the program.",
        PROGRAM_ROWS,
    ),
    Section(
        "What we found: the limit depends on the search",
        "Same machines, models and laws (FLOP); only which clusters are tried differs.",
        SEARCH,
    ),
    Section(
        "What we found: the limit depends on one digit of the depth law",
        "L = 0.10056 * (d_model * d_ff)^x, with x = 0.3751 in the published data and 0.3351 in the fit.",
        DEPTH_LAW,
    ),
    Section(
        "What it changes if zero bubble waits for its latency",
        "The paper says that a zero-bubble batch lasts at least as long as its latency; its program leaves that "
        "out. Our default is the paper's rule; the other sections follow the program.",
        ZERO_BUBBLE_LATENCY,
    ),
    Section(
        "GTX 580s in 2012, for information",
        "The published experiment's network and latencies are not public. Ours are assumptions (`scalewall hardware "
        "show gtx-580` has each with its reason), so none of these numbers can pass or fail.",
        GTX_580,
    ),
)
"""Everything that is checked, in the order in which it is printed."""


def reproduce(
    progress: Progress | None = None, sections: Sequence[Section] = SECTIONS
) -> tuple[ClaimResult, ...]:
    """Measure every claim.

    Parameters
    ----------
    progress : callable, optional
        Called with (claims done, claims in all, words of the next one) before each claim and once at the end.
    sections : sequence of Section
        What to check.
    """
    evidence = Evidence()
    claims = [(section, claim) for section in sections for claim in section.claims]
    results: list[ClaimResult] = []
    for section, claim in claims:
        if progress:
            progress(len(results), len(claims), claim.claim)
        answer = claim.measure(evidence)
        results.append(ClaimResult(section, claim, answer, judge(claim, answer.value)))
    if progress:
        progress(len(results), len(claims), "")
    return tuple(results)


def passed(results: Sequence[ClaimResult]) -> bool:
    """Tell whether nothing fails that should hold, or that should differ as we found."""
    return all(result.verdict != "fails" for result in results)
