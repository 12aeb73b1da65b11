"""The page ``docs/reproduction.md``, written by ``scalewall reproduce --markdown``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from scalewall.cli.claim_words import shown, summary, tolerance_words
from scalewall.validation.reproduce import ClaimResult
from scalewall.validation.sources import SOURCES

__all__ = ["reproduction_page"]

_INTRODUCTION = """# How published results come out

<!-- Written by `scalewall reproduce --markdown > docs/reproduction.md`. -->

`scalewall reproduce` asks the ideal model for every number that the paper, the article and the authors' program
publish, and prints ours beside it. A claim

- **holds** if our number is the published one, or where nothing was published the one that we found before;
- **differs** if we found another number, say why, and still find it: both are printed;
- **informs** where an input is not public, so that it can neither pass nor fail;
- **fails** if it was to hold or to differ as found and does not; the command then ends with exit code 1.

How near is near enough stands beside each claim, with the reason.
"""

_WHAT_IT_SAYS = """## What to take from it

The equations, the program and its curves come out to the last printed digit. What does not carry over is the
headline: where efficient scaling ends on H100 rests on the search (which cluster sizes are tried) and on one digit
of the depth law as much as on the hardware; each moves it by about ten. So wherever scalewall prints a limit, it
prints the search and the laws that it rests on.
"""

_HEAD = "| claim | ours | published | verdict | near enough | source | note |\n|---|---|---|---|---|---|---|"


def reproduction_page(results: Sequence[ClaimResult]) -> str:
    """Return the page as Markdown."""
    parts = [_INTRODUCTION, f"Today: {summary(results)}", _WHAT_IT_SAYS]
    for section, members in groupby(results, key=lambda result: result.section):
        rows = [_row(result) for result in members]
        parts += [f"## {section.title}", section.introduction, "\n".join([_HEAD, *rows])]
    parts += ["## Sources", "\n".join(f"- *{source.name}*: {source.reference}" for source in SOURCES)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _row(result: ClaimResult) -> str:
    words = shown(result)
    cells = (
        words.claim,
        words.ours,
        words.published,
        words.verdict,
        tolerance_words(result.claim.tolerance) if result.claim.expect != "informs" else "",
        words.source,
        words.note,
    )
    return f"| {' | '.join(cells)} |"
