"""What the search processes do: one function a kind of question; arguments and results are plain data."""

from __future__ import annotations

from scalewall.ideal.limits import Limits, PointResult, limits_of
from scalewall.web.question import asked
from scalewall.web.state import decode
from scalewall.web.workers import Progress

__all__ = ["limits_task"]


def limits_task(query: str, search: str | None, progress: Progress) -> Limits:
    """Return the limits of a link's first configuration, by another search than its own if one is named.

    That is for a preview, in which the runs that do not finish do not say why.
    """
    card = decode(query).state.cards[0]

    def advance(done: int, total: int, _: PointResult) -> None:
        progress(card.name, done, total)

    with asked(card, search) as study:
        return limits_of(study, study.machines[0], advance, reasons=search is None)
