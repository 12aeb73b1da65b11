"""Why one plan takes the time it takes, what binds it, and what one change would buy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scalewall.planner.estimate import Estimate, estimate
from scalewall.planner.layout import Layout
from scalewall.planner.moves import Move, best_by_knob, moves
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run
from scalewall.planner.sensitivity import CAPACITY, Sensitivity, sensitivities
from scalewall.planner.waterfall import ARITHMETIC, Segment, waterfall

__all__ = ["Explanation", "explain", "explain_estimate"]

_SAME = 1e-9
"""Relative difference below which two step times, or two needs of memory, are the same."""


@dataclass(frozen=True)
class Explanation:
    """One plan explained.

    Parameters
    ----------
    answer : Estimate
        The plan and what it takes.
    segments : tuple of Segment
        Where its seconds come from; they add up to the step.
    hardware : tuple of Sensitivity
        What each figure of the machine does to it.
    moves : tuple of Move
        Plans that differ in one knob, and what they take.
    without_effect : tuple of str
        Knobs and figures of the machine of which no other value changes step time or memory.
    """

    answer: Estimate
    segments: tuple[Segment, ...]
    hardware: tuple[Sensitivity, ...]
    moves: tuple[Move, ...]
    without_effect: tuple[str, ...]

    @property
    def binds(self) -> Sensitivity:
        """The figure of the machine that the step follows most, by elasticity."""
        return min((one for one in self.hardware if not one.through), key=lambda one: one.elasticity)

    @property
    def largest_loss(self) -> Segment:
        """The segment beyond the arithmetic that costs most."""
        return max((s for s in self.segments if s.name != ARITHMETIC), key=lambda s: s.seconds)

    @property
    def memory_binds(self) -> bool:
        """Whether a plan that is one move away would be faster but does not fit, or this one does not."""
        return not self.answer.fit.fits or self.kept_out is not None

    @property
    def kept_out(self) -> Move | None:
        """The fastest plan that is one move away, faster than this one, and does not fit; None if there is none."""
        out = [move for move in self._faster() if not move.fits]
        return min(out, key=lambda move: move.seconds or 0.0, default=None)

    def helps(self, count: int = 3) -> tuple[Move, ...]:
        """Return the changes that help most: those that fit, the fastest first, at most one a knob.

        Of a plan that does not fit every change that makes it fit helps. Left out are changes of precision, which
        change what is computed, and what the software does not offer.
        """
        found = self._faster() if self.answer.fit.fits else list(self.moves)
        return tuple(best_by_knob(found)[:count])

    def to_json(self) -> dict[str, Any]:
        """Return waterfall, sensitivities and moves as JSON values; seconds and bytes."""
        from scalewall.report.explain_tables import explanation_record

        return explanation_record(self)

    def _repr_html_(self) -> str:
        from scalewall.report.explain_tables import explanation_html

        return explanation_html(self)

    def _faster(self) -> list[Move]:
        before = self.answer.step.seconds * (1 - _SAME)
        return [
            move
            for move in self.moves
            if move.seconds is not None and move.seconds < before and move.offered and move.same_arithmetic
        ]


def explain(run: Run, layout: Layout, profile: Profile) -> Explanation:
    """Return why ``layout`` takes what it takes for ``run``, and what would change that.

    Raises
    ------
    InputError
        The layout cannot run the run.
    """
    return explain_estimate(estimate(run, layout, profile))


def explain_estimate(answer: Estimate) -> Explanation:
    """Return the explanation of an estimate that was made already."""
    near = moves(answer.run, answer.layout, answer.profile)
    hardware = sensitivities(answer.run, answer.layout, answer.profile, near)
    return Explanation(
        answer=answer,
        segments=waterfall(answer),
        hardware=hardware,
        moves=near,
        without_effect=(*_idle_knobs(answer, near), *_idle_figures(answer, hardware)),
    )


def _idle_knobs(answer: Estimate, near: tuple[Move, ...]) -> list[str]:
    """Knobs whose other values all give the same step time and the same memory."""
    busy: dict[str, bool] = {}
    for move in near:
        if move.seconds is not None and move.needed is not None:
            same = _is_same(move.seconds, answer.step.seconds) and _is_same(move.needed, answer.fit.needed)
            busy[move.knob] = busy.get(move.knob, False) or not same
    idle = [knob for knob, has_effect in busy.items() if not has_effect]
    if answer.layout.recompute_modules and answer.layout.recompute != "selective":
        idle.append("recompute_modules")
    return idle if answer.run.model.experts else [*idle, "dispatcher", "expert_overlap"]


def _idle_figures(answer: Estimate, hardware: tuple[Sensitivity, ...]) -> list[str]:
    """Figures that do nothing to the step; never the memory's capacity of a plan that does not fit."""
    idle = [one.figure for one in hardware if _is_same(one.little, 1.0) and _is_same(one.much, 1.0)]
    return [figure for figure in idle if answer.fit.fits or figure != CAPACITY]


def _is_same(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME * max(abs(one), abs(other))
