"""The whole analysis of a question as one page: limits, levers, dates, money, and everything that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scalewall._version import __version__
from scalewall.hardware import load_machine
from scalewall.hardware.figure_reader import SOURCE_SEPARATOR
from scalewall.report.chart_data import limits_charts
from scalewall.report.figures_page import Section, sections_page
from scalewall.report.forecast_files import forecast_section
from scalewall.report.forecast_records import forecast_json
from scalewall.report.forecast_words import finding as forecast_finding
from scalewall.report.lever_figures import gains_chart, what_if_curves
from scalewall.report.lever_tables import levers_table, levers_words
from scalewall.report.limit_tables import (
    assumed_table,
    assumptions_table,
    closed_form_table,
    curve_table,
    summary_table,
)
from scalewall.report.money_files import money_section
from scalewall.report.money_tables import cost_rows, prices_json
from scalewall.report.plotly_figures import specification
from scalewall.report.records import limits_json
from scalewall.report.table import Column, TableView
from scalewall.report.uncertainty_figures import fan_specification, shares_of_worlds
from scalewall.report.uncertainty_records import uncertainty_json
from scalewall.report.uncertainty_tables import (
    beliefs_table,
    uncertainty_tables,
    uncertainty_warnings,
    uncertainty_words,
)
from scalewall.report.words import LEAVES_OUT, all_rest_on, all_warnings, efficient_means, finding
from scalewall.study.training_runs import training_runs
from scalewall.workload.laws import find_law

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits
    from scalewall.ideal.study import LimitsStudy
    from scalewall.study.forecast import Forecast
    from scalewall.study.money import CostedRun
    from scalewall.study.uncertainty import Uncertainty
    from scalewall.study.what_if import Levers

__all__ = ["Analysis", "analysis_json", "analysis_page", "answer_words"]


@dataclass(frozen=True)
class Analysis:
    """A question and what was found; parts that were left out are None or empty.

    Parameters
    ----------
    study : LimitsStudy
        The question.
    limits : tuple of Limits
        One a machine.
    levers : Levers or None
        What moves the first machine's limits.
    forecast : Forecast or None
        When the frontier reaches them.
    uncertainty : Uncertainty or None
        How sure the first machine's limits are.
    costs, drawn_costs : tuple of CostedRun
        What the telling runs cost, and the efficient ones that figures show.
    """

    study: LimitsStudy
    limits: tuple[Limits, ...]
    levers: Levers | None = None
    forecast: Forecast | None = None
    uncertainty: Uncertainty | None = None
    costs: tuple[CostedRun, ...] = ()
    drawn_costs: tuple[CostedRun, ...] = ()


def analysis_page(analysis: Analysis, command: str = "") -> str:
    """Return one self-contained interactive page about a question.

    Parameters
    ----------
    analysis : Analysis
        What was found.
    command : str
        The command that makes the page again; empty: not shown.
    """
    return sections_page(_question(analysis), answer_words(analysis), _sections(analysis), command)


def _question(analysis: Analysis) -> str:
    names = [one.title for one in analysis.limits]
    listed = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
    return f"How far can training runs scale on {listed}?"


def answer_words(analysis: Analysis) -> list[str]:
    """Return the answer in words, a paragraph each."""
    said = [finding(one) for one in analysis.limits]
    if analysis.forecast:
        said += [forecast_finding(analysis.forecast, one) for one in analysis.forecast.machines]
    if analysis.uncertainty:
        said.append(uncertainty_words(analysis.uncertainty))
    if analysis.levers:
        said.append(levers_words(analysis.levers))
    return [*said, efficient_means(analysis.limits[0])]


def _sections(analysis: Analysis) -> list[Section]:
    limits = analysis.limits
    found = [
        Section(
            "The limits",
            ("Each point is the best plan that the search found for a run of that size.",),
            limits_charts(limits),
            (summary_table(limits), *(curve_table(one) for one in limits), closed_form_table(limits)),
        )
    ]
    if analysis.levers:
        found.append(
            Section(
                "What moves them",
                ("Bars: the training compute at which efficient scaling ends, over that without the lever.",),
                (gains_chart(analysis.levers), what_if_curves(analysis.levers)),
                (levers_table(analysis.levers),),
            )
        )
    if analysis.uncertainty:
        found.append(_uncertainty(analysis.uncertainty))
    if analysis.forecast:
        found.append(forecast_section(analysis.forecast))
    if analysis.costs:
        found.append(money_section(analysis.drawn_costs, analysis.costs))
    return [*found, _assumptions(limits), _sources(analysis)]


def _uncertainty(found: Uncertainty) -> Section:
    drawn = (fan_specification(found), specification(shares_of_worlds(found))) if found.curve else ()
    return Section(
        "How sure they are",
        (
            "Each world is a whole curve of best plans under other laws, efficiencies and latencies, drawn from what "
            "is believed of them. What the question settles stays as it is.",
            *uncertainty_warnings(found),
        ),
        (),
        (*uncertainty_tables(found), beliefs_table(found, sources=True)),
        drawn,
    )


def _assumptions(limits: Sequence[Limits]) -> Section:
    assumed = assumed_table(limits)
    return Section(
        "What this rests on",
        (*all_rest_on(limits), *all_warnings(limits), LEAVES_OUT),
        (),
        (assumptions_table(limits), *((assumed,) if assumed.rows else ())),
    )


def _sources(analysis: Analysis) -> Section:
    """Return every reference behind the page: equations, machines, laws, prices, runs."""
    rows = [
        (
            "Equations",
            "E. Erdil and D. Schneider-Joseph, Data movement limits to frontier model training, "
            "arXiv 2411.01137",
        )
    ]
    for one in analysis.limits:
        study = analysis.study
        cluster = load_machine(one.machine, study.precision, study.overrides)
        references = dict.fromkeys(
            reference
            for figure in cluster.figures.values()
            for reference in figure.source.split(SOURCE_SEPARATOR)
            if reference
        )
        rows += [(f"Figures of {one.machine}", reference) for reference in references]
    laws = analysis.study.laws
    rows += [
        (f"{family.capitalize()} law: {name}", find_law(family, name).source)
        for family in ("depth", "width", "data", "batch", "sparsity")
        for name in (getattr(laws, family),)
    ]
    prices = dict.fromkeys(figure.source for run in analysis.costs for figure in run.prices.figures.values())
    rows += [("Prices", reference) for reference in prices if reference]
    if analysis.levers:
        rows += _lever_sources(analysis.levers)
    if analysis.forecast:
        rows += [
            ("Training runs", reference) for reference in dict.fromkeys(run.source for run in training_runs())
        ]
    table = TableView("Sources", (Column("Of"), Column("Reference")), tuple(rows))
    return Section(
        "Sources",
        ("Every figure of a machine with its own source: scalewall hardware show NAME.",),
        (),
        (table,),
    )


def _lever_sources(levers: Levers) -> list[tuple[str, str]]:
    """Return who proposes the levers that were pulled, or where their figures come from, once a source."""
    pulled: dict[str, dict[str, None]] = {}
    for outcome in levers.outcomes:
        for one in outcome.what_if.levers:
            pulled.setdefault(one.source, {})[one.name] = None
    return [(f"Levers: {', '.join(names)}", source) for source, names in pulled.items()]


def analysis_json(analysis: Analysis) -> dict[str, object]:
    """Return everything on the page as JSON values."""
    return {
        "schema_version": 1,
        "version": __version__,
        "question": _question(analysis),
        "answer": answer_words(analysis),
        "limits": [limits_json(one) for one in analysis.limits],
        "levers": analysis.levers.to_json() if analysis.levers else None,
        "uncertainty": uncertainty_json(analysis.uncertainty) if analysis.uncertainty else None,
        "forecast": forecast_json(analysis.forecast) if analysis.forecast else None,
        "costs": cost_rows(analysis.costs),
        "prices": [
            prices_json(prices) for prices in {run.machine: run.prices for run in analysis.costs}.values()
        ],
    }
