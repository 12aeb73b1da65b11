"""The figures of the Limits page: those of ``report``, in the configurations' colours, with real training runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scalewall.report.chart_data import (
    Chart,
    Series,
    accelerators_chart,
    degrees_chart,
    shares_chart,
    utilization_chart,
)
from scalewall.report.money_charts import cost_chart, costs_chart
from scalewall.report.run_marks import run_marks
from scalewall.study.money import costed_runs
from scalewall.web.answers import Answer

__all__ = ["CHARTS", "page_charts"]

CHARTS = ("utilization", "accelerators", "cost", "degrees", "shares")
"""The page's figures by the names that downloads use; the last two are about the chosen configuration."""


def page_charts(answers: Sequence[Answer], chosen: int, runs: bool) -> dict[str, Chart]:
    """Return the figures by name; those that have nothing to show are left out.

    Parameters
    ----------
    answers : sequence of Answer
        Of the visible configurations.
    chosen : int
        The place of the one whose plans and times are drawn.
    runs : bool
        Whether real training runs are drawn too.
    """
    shown = [
        (answer.card.colour, answer.limits) for answer in answers if answer.limits and answer.limits.points
    ]
    if not shown:
        return {}
    colours = [colour for colour, _ in shown]
    limits = [one for _, one in shown]
    utilization = _coloured(utilization_chart(limits), colours)
    if runs:
        utilization = replace(utilization, series=(*utilization.series, *run_marks(limits)))
    charts = {"utilization": utilization, "accelerators": _coloured(accelerators_chart(limits), colours)}
    costs = [lines for answer in answers if (lines := _costs(answer))]
    if costs:
        charts["cost"] = costs_chart(costs)
    own = next((one.limits for one in answers if one.place == chosen and one.limits), None)
    own = own if own and own.points else limits[0]
    return charts | {"degrees": degrees_chart(own), "shares": shares_chart(own)}


def _costs(answer: Answer) -> tuple[Series, ...]:
    """Return what an answer's runs cost, at the prices of the machine that the configuration starts from."""
    if not answer.limits:
        return ()
    card = answer.card
    runs = costed_runs(replace(answer.limits, machine=str(card["machine"]), infeasible=()), {})
    return tuple(
        replace(one, name=f"{card.name}: {one.name.rpartition(': ')[2]}", colour=card.colour)
        for one in cost_chart(runs).series
    )


def _coloured(chart: Chart, colours: Sequence[int]) -> Chart:
    """Return a chart of several configurations in their own colours."""

    def of(number: int) -> int:
        return colours[number] if number >= 0 else number

    return replace(
        chart,
        series=tuple(replace(one, colour=of(one.colour)) for one in chart.series),
        rules=tuple(replace(one, colour=of(one.colour)) for one in chart.rules),
        bands=tuple(replace(one, colour=of(one.colour)) for one in chart.bands),
    )
