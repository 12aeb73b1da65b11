"""What the search processes do: one function a kind of question; arguments and results are plain data."""

from __future__ import annotations

from scalewall.ideal.limits import Limits, PointResult, limits_of
from scalewall.web.question import asked
from scalewall.web.state import Card
from scalewall.web.workers import Progress

__all__ = ["limits_task"]


def limits_task(settings: dict[str, object], search: str | None, progress: Progress) -> Limits:
    """Return the limits of a configuration's settings, by another search than its own if one is named."""
    card = Card().having(**settings)

    def advance(done: int, total: int, _: PointResult) -> None:
        progress(card.name, done, total)

    with asked(card, search) as study:
        return limits_of(study, study.machines[0], advance)
