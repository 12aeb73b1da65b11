"""What makes a run fit that does not: single changes of the layout, the cheapest in time first."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.planner.layout import Layout
from scalewall.planner.moves import best_by_knob, moves
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run
from scalewall.planner.step import step_time

__all__ = ["Fix", "cheapest_fixes"]


@dataclass(frozen=True)
class Fix:
    """A change of the layout with which the run fits.

    Parameters
    ----------
    change : str
        In words.
    layout : Layout
        With the change.
    needed : float
        Bytes of the fullest stage.
    slowdown : float
        Step time over that without the change.
    """

    change: str
    layout: Layout
    needed: float
    slowdown: float


def cheapest_fixes(run: Run, layout: Layout, profile: Profile, count: int = 3) -> list[Fix]:
    """Return up to ``count`` single changes of the layout with which the run fits, the fastest first, one a knob.

    They are those of :func:`~scalewall.planner.moves.moves` that the software offers.
    """
    before = step_time(run, layout, profile).seconds
    of_layout = [move for move in moves(run, layout, profile) if move.run == run]
    return [
        Fix(move.change, move.layout, move.needed, move.seconds / before)
        for move in best_by_knob(of_layout)[:count]
        if move.layout is not None and move.needed is not None and move.seconds is not None
    ]
