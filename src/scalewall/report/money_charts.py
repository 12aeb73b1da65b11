"""What the figures of money show: cost and power of runs against their size, a line a machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.chart_data import Axis, Chart, Series
from scalewall.report.money_tables import power, usd

if TYPE_CHECKING:
    from scalewall.cost.money import RunMoney
    from scalewall.study.money import CostedRun

__all__ = ["cost_chart", "costs_chart", "money_charts", "power_chart"]


def money_charts(runs: Sequence[CostedRun]) -> tuple[Chart, ...]:
    """Return the figures for runs of known size; none for runs without."""
    charts = (cost_chart(runs), power_chart(runs))
    return tuple(chart for chart in charts if chart.series)


def cost_chart(runs: Sequence[CostedRun]) -> Chart:
    """Return what runs cost against training compute: of several machines only what renting costs."""
    rented = _lines(runs, "rent", lambda money: money.rent_usd, usd, "solid")
    owned = _lines(runs, "own", lambda money: money.owned_usd, usd, "dash")
    colours = dict.fromkeys(one.colour for one in (*rented, *owned))
    return costs_chart(
        [tuple(one for one in (*rented, *owned) if one.colour == colour) for colour in colours]
    )


def costs_chart(machines: Sequence[Sequence[Series]]) -> Chart:
    """Return the costs of several machines in one chart.

    Parameters
    ----------
    machines : sequence of sequence of Series
        Each machine's lines as :func:`cost_chart` draws them alone: rent (solid), the cost of owning (dashed). With
        a second machine the first of each is kept: rent, or owning where nobody rents it out. The pairs would hide
        each other; tables have both.
    """
    several = len(machines) > 1
    return Chart(
        title="What renting for a run costs" if several else "What a run costs",
        x=Axis("Training compute (FLOP)", log=True),
        y=Axis("US dollars", log=True),
        series=tuple(line for lines in machines for line in (lines[:1] if several else lines)),
    )


def power_chart(runs: Sequence[CostedRun]) -> Chart:
    """Return the facility's average power against training compute."""
    return Chart(
        title="Power of the facility, on average",
        x=Axis("Training compute (FLOP)", log=True),
        y=Axis("Watts", log=True),
        series=_lines(runs, "", lambda money: money.average_watts, power, "solid"),
    )


def _lines(
    runs: Sequence[CostedRun],
    name: str,
    value: Callable[[RunMoney], float | None],
    words: Callable[[float | None], str],
    dash: str,
) -> tuple[Series, ...]:
    machines = list(dict.fromkeys(run.machine for run in runs))
    found = []
    for index, machine in enumerate(machines):
        pairs = [
            (run.training_flop, shown)
            for run in runs
            if run.machine == machine and run.training_flop is not None and run.money is not None
            for shown in (value(run.money),)
            if shown is not None
        ]
        if pairs:
            found.append(
                Series(
                    name=f"{machine}: {name}" if name else machine,
                    x=tuple(flop for flop, _ in pairs),
                    y=tuple(shown for _, shown in pairs),
                    hover=tuple(f"{words(shown)} at {units.flop(flop)}" for flop, shown in pairs),
                    colour=index,
                    dash=dash,  # type: ignore[arg-type]
                )
            )
    return tuple(found)
