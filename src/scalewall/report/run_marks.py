"""Real training runs as dated marks along the axis of training compute."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.chart_data import REST, Series
from scalewall.study.training_runs import TrainingRun, training_runs

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits

__all__ = ["run_marks"]

_LEAST = 1e23
"""Training FLOP of the smallest run that is marked: smaller ones would stretch the axis to the left of the curves."""
_HEIGHT = 0.012
"""Where the marks stand, as a utilization: just above the axis."""


def run_marks(limits: Sequence[Limits]) -> tuple[Series, ...]:
    """Return real training runs for the utilization chart, none where the curves do not reach that far.

    Parameters
    ----------
    limits : sequence of Limits
        What the chart shows; runs beyond its largest point are left out, and those that are off the trend.
    """
    largest = max((point.training_flop for one in limits for point in one.points), default=0.0)
    known = [
        run for run in training_runs() if _LEAST <= run.training_flop <= largest and run.role != "outlier"
    ]
    if not known:
        return ()
    return (
        Series(
            name="real training runs",
            x=tuple(run.training_flop for run in known),
            y=(_HEIGHT,) * len(known),
            hover=tuple(_words(run) for run in known),
            colour=REST,
            kind="points",
        ),
    )


@cache
def _words(run: TrainingRun) -> str:
    return (
        f"{run.model} ({run.organization}), {run.published:%B %Y}\n"
        f"{units.flop(run.training_flop)} ({run.confidence})"
    )
