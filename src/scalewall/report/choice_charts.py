"""Fronts between machines and numbers of accelerators: accelerators against days, step time against cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from scalewall.errors import InputError
from scalewall.report import units
from scalewall.report.chart_data import Axis, Chart, Rule, Series
from scalewall.report.figures_page import Section, sections_page
from scalewall.report.files import save_figure, write_text
from scalewall.report.ranking_tables import comparison_table, layout_words, offers_table

if TYPE_CHECKING:
    from scalewall.planner.plan import PlanResults
    from scalewall.planner.recommend import Offer, Recommendation
    from scalewall.report.table import TableView

__all__ = ["cost_chart", "days_chart", "save_comparison", "save_recommendations"]

_DAY = 86400.0
_MILLION = 1e6
_RULE_COLOUR = 3


def days_chart(found: Sequence[Recommendation]) -> Chart:
    """Return accelerators against days: what was tried as points, what no other beats as a line, a machine a colour."""
    series = []
    for colour, one in enumerate(found):
        name = one.question.run.device.name
        fitting = [offer for offer in one.offers if offer.plan]
        series.append(_offers(f"{name}, tried", fitting, colour, "points"))
        series.append(_offers(f"{name}, front", one.front, colour, "line"))
    return Chart(
        title="Accelerators against days",
        x=Axis("Accelerators"),
        y=Axis("Days of the run"),
        series=tuple(series),
        rules=(Rule(found[0].days, f"{found[0].days:g} days", _RULE_COLOUR, "dot"),),
    )


def _offers(name: str, offers: Sequence[Offer], colour: int, kind: Literal["line", "points"]) -> Series:
    return Series(
        name=name,
        x=tuple(float(offer.ranks) for offer in offers),
        y=tuple(offer.seconds / _DAY for offer in offers),
        hover=tuple(
            f"{units.count(offer.ranks)}: {layout_words(offer.plan.layout)}" for offer in offers if offer.plan
        ),
        colour=colour,
        kind=kind,
    )


def cost_chart(results: PlanResults) -> Chart:
    """Return step time against the cost of a million tokens: the best plan of each machine and count.

    Raises
    ------
    InputError
        No machine has a plan that fits and a price.
    """
    from scalewall.planner.plan import usd_per_token

    machines: dict[str, list[tuple[float, float, str]]] = {}
    for result in results:
        usd = usd_per_token(result)
        if result.best and usd is not None:
            question = result.question
            words = f"{units.count(question.ranks)} {question.run.device.name}: {layout_words(result.best.layout)}"
            point = (result.best.seconds, usd * _MILLION, words)
            machines.setdefault(question.run.device.name, []).append(point)
    if not machines:
        raise InputError("--plot", "several machines", "at least one with a plan that fits and a known price")
    series = []
    for colour, (name, points) in enumerate(machines.items()):
        points.sort()
        series.append(
            Series(
                name=name,
                x=tuple(seconds for seconds, _, _ in points),
                y=tuple(cost for _, cost, _ in points),
                hover=tuple(words for _, _, words in points),
                colour=colour,
                kind="line" if len(points) > 1 else "points",
            )
        )
    return Chart(
        title="Step time against cost",
        x=Axis("Time of a step (s)", log=True),
        y=Axis("USD a million tokens"),
        series=tuple(series),
    )


def save_comparison(results: PlanResults, path: Path, command: str = "") -> None:
    """Write step time against cost of several machines or counts: a page with the table, or a figure for print.

    Raises
    ------
    InputError
        Nothing to draw.
    """
    chart = cost_chart(results)
    best = results.best
    answer = []
    if best and best.best:
        named = f"{units.count(best.question.ranks)} {best.question.run.device.name}"
        answer.append(f"Best by {best.question.objective}: {named}, {layout_words(best.best.layout)}.")
    model = results[0].question.run.model.name
    _save(path, f"Which machine for {model}?", answer, chart, (comparison_table(results),), command)


def save_recommendations(found: Sequence[Recommendation], path: Path, command: str = "") -> None:
    """Write accelerators against days: a page with what was tried, or a figure for print.

    Raises
    ------
    InputError
        No plan fits on any number of accelerators.
    """
    if not any(one.front for one in found):
        raise InputError("--plot", str(path), "a run that fits on some number of accelerators")
    answer = [
        f"{one.question.run.device.title}: {units.count(one.chosen.ranks)} accelerators finish in "
        f"{one.chosen.seconds / _DAY:.1f} days."
        if one.chosen
        else f"{one.question.run.device.title}: no number that was tried finishes in {one.days:g} days."
        for one in found
    ]
    model = found[0].question.run.model.name
    tables = tuple(offers_table(one) for one in found)
    _save(path, f"How many accelerators for {model}?", answer, days_chart(found), tables, command)


def _save(
    path: Path, title: str, answer: Sequence[str], chart: Chart, tables: tuple[TableView, ...], command: str
) -> None:
    if path.suffix.lower() == ".html":
        section = Section(chart.title, (), (chart,), tables)
        write_text(path, sections_page(title, answer, (section,), command))
    else:
        from scalewall.report.matplotlib_figures import figure

        save_figure(figure((chart,)), path)
