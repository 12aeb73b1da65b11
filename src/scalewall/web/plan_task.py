"""What the search processes do for the Plan page."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scalewall.errors import InputError
from scalewall.planner.bounds import KNOBS, parse_bound
from scalewall.planner.explain import Explanation, explain_estimate
from scalewall.planner.export import FRAMEWORKS, export_plan
from scalewall.planner.layout import Layout
from scalewall.planner.plan import PlanResult, PlanResults, RankedPlan
from scalewall.planner.planning import plan
from scalewall.planner.timeline import pipeline_timeline
from scalewall.report import units
from scalewall.report.estimate_tables import answer_table
from scalewall.report.explain_tables import moves_table, sensitivity_table, verdict, waterfall_table
from scalewall.report.plan_charts import front_chart, memory_chart, waterfall_chart
from scalewall.report.plan_plots import plan_figure, plan_page
from scalewall.report.plan_records import plan_columns, plan_rows
from scalewall.report.plotly_figures import specification
from scalewall.report.ranking_tables import (
    comparison_table,
    excluded_table,
    front_table,
    layout_words,
    ranking_table,
    relief_table,
    training_table,
)
from scalewall.report.records import json_text
from scalewall.report.stacked_bars import stacked_bars_specification
from scalewall.report.table import TableView
from scalewall.report.timeline import save_timeline
from scalewall.report.timeline_figure import timeline_figure
from scalewall.web.csv_text import csv_text
from scalewall.web.flat import decode_flat, encode_flat
from scalewall.web.found import Found, Way
from scalewall.web.plan_question import (
    PLAN_SETTINGS,
    arguments_of,
    plan_command,
    plan_python,
)
from scalewall.web.plan_ways import Option, options_of, ways_of
from scalewall.web.plan_words import page_error, page_table, page_words, settable
from scalewall.web.workers import Progress

__all__ = ["plan_file_task", "plan_task"]


_MOST_EVENTS = 200_000
"""Operations of a pipeline that are drawn one by one."""
_MOST_SHOWN = 60
"""Operations a stage from which the page's own picture of a pipeline shows only the beginning."""
_SHOWN = {".png": False, ".dark.png": True}
"""Endings of the page's own pictures, and whether they are for a dark page."""


def plan_task(query: str, progress: Progress) -> Found:
    """Return the ranked layouts of a link's question, and one of them explained."""
    values, _ = decode_flat(query, PLAN_SETTINGS)
    results = _results(query, progress)
    first: PlanResult = results[0]
    compared = {"compared": comparison_table(results)} if len(results) > 1 else {}
    texts = {"command": plan_command(values), "Python": plan_python(values)}
    if not first.plans:
        return Found(
            title=f"Nothing fits on {units.count(first.question.ranks)} x {first.question.run.device.title}",
            sentences=(_nothing(first),),
            notes=_notes(results),
            tables=_tables({**compared, "relief": relief_table(first), "excluded": excluded_table(first)}),
            ways=tuple(
                Way(
                    page_words(fix.change),
                    f"then a step takes {units.duration(fix.seconds)}",
                    _fixed(values, fix.layout),
                )
                for fix in first.fixes
            ),
            texts=texts,
            pictures=_files(results, None),
        )
    chosen = _chosen(values, first)
    explained = explain_estimate(chosen.estimate)
    felt = replace(
        explained,
        moves=tuple(move for move in explained.moves if move.same_arithmetic),
        without_effect=settable(explained.without_effect),
    )
    options = _options(values, first, progress)
    return Found(
        title=f"{first.question.run.model.name} on {units.count(first.question.ranks)} x "
        f"{first.question.run.device.title}",
        sentences=(_answer(chosen, first), *verdict(felt)),
        notes=_notes(results),
        tables=_tables(
            {
                **compared,
                "ranking": ranking_table(first),
                **({"training": training_table(first)} if chosen.training else {}),
                "summary": answer_table(chosen.estimate),
                "waterfall": waterfall_table(explained),
                "sensitivity": sensitivity_table(explained),
                "moves": moves_table(explained),
                "less-memory": front_table(first),
                "excluded": excluded_table(first),
            }
        ),
        figures=_figures(explained, first),
        ways=ways_of(values, first, chosen, explained, options),
        rows=tuple(encode_flat({**values, "rank": one.rank}, PLAN_SETTINGS) for one in first.plans),
        texts={**texts, **_exports(chosen, first)},
        pictures=_files(results, chosen),
    )


def plan_file_task(query: str, kind: str, progress: Progress) -> bytes:
    """Return a file about a link's question: ``json`` of everything, ``ranking.csv``, ``best.html``, ``best.png`` or
    ``best.svg`` of the plan, its pipeline as ``timeline.html``, the beginning of that as ``timeline.png`` and
    ``timeline.dark.png``.

    Raises
    ------
    InputError
        There is no such file for this plan.
    """
    values, _ = decode_flat(query, PLAN_SETTINGS)
    results = _results(query, progress)
    if kind == "ranking.csv":
        return csv_text(plan_columns(results), plan_rows(results)).encode()
    if kind == "json":
        documents = results.to_json()
        return json_text(documents if len(documents) > 1 else documents[0]).encode()
    first: PlanResult = results[0]
    if not first.plans:
        raise InputError("plan", "none", "a question that some layout fits")
    chosen = _chosen(values, first)
    about, _, ending = kind.partition(".")
    if about == "timeline":
        return _timeline(chosen, f".{ending}", plan_command(values))
    explained = explain_estimate(chosen.estimate)
    if ending == "html":
        tables = (ranking_table(first), excluded_table(first))
        return plan_page(explained, plan_command(values), first.front, tables).encode()
    drawn = io.BytesIO()
    plan_figure(explained, first.front).savefig(drawn, format=ending)
    return drawn.getvalue()


@dataclass
class _Kept:
    """The last answer of this process: choosing another of its plans, or a file about it, does not search again."""

    key: str = ""
    results: PlanResults = field(default_factory=PlanResults)
    options: tuple[Option, ...] | None = None


_KEPT = _Kept()


def _results(query: str, progress: Progress) -> PlanResults:
    """Return the answers to a link's question, whatever plan of them it explains."""
    values, _ = decode_flat(query, PLAN_SETTINGS)
    key = encode_flat({**values, "rank": 1}, PLAN_SETTINGS)
    if key != _KEPT.key:
        try:
            with arguments_of(values) as arguments:
                found = plan(progress=progress, **arguments)  # type: ignore[arg-type]
        except InputError as error:
            raise page_error(error) from error
        assert isinstance(found, PlanResults)
        _KEPT.key, _KEPT.results, _KEPT.options = key, found, None
    return _KEPT.results


def _options(values: Mapping[str, object], result: PlanResult, progress: Progress) -> tuple[Option, ...]:
    """Return the changes that may help, for whatever plan of the last answer."""
    if _KEPT.options is None:
        _KEPT.options = options_of(values, result, progress)
    return _KEPT.options


def _tables(tables: Mapping[str, TableView]) -> dict[str, TableView]:
    return {name: page_table(view) for name, view in tables.items()}


def _chosen(values: Mapping[str, object], result: PlanResult) -> RankedPlan:
    rank = values["rank"]
    assert isinstance(rank, int)
    return result.plans[min(rank, len(result.plans)) - 1]


def _answer(chosen: RankedPlan, result: PlanResult) -> str:
    estimate, interval = chosen.estimate, chosen.estimate.interval
    training = ""
    if chosen.training:
        usd = chosen.training.usd
        cost = "" if usd is None else f" and costs {units.count(round(usd))} USD"
        training = f" The whole run takes {units.duration(chosen.training.seconds)}{cost} without failures."
    place = "The best layout" if chosen.rank == 1 else f"Layout {chosen.rank} of {len(result.plans)}"
    return (
        f"{place} is {layout_words(chosen.layout)}: a step of {units.duration(chosen.seconds)} "
        f"({100 * interval.width:.0f} % either way), {100 * estimate.mfu:.1f} % MFU, "
        f"{units.data_size(estimate.fit.needed)} of {units.data_size(estimate.fit.capacity)}.{training}"
    )


def _nothing(result: PlanResult) -> str:
    device = result.question.run.device
    closest = result.closest
    if closest is None:
        return "No layout of the stated space can run this at all: see what was left out."
    return (
        f"No layout fits the {units.data_size(device.memory_bytes)} of {device.title}. The closest, "
        f"{layout_words(closest.layout)}, needs {units.data_size(closest.memory_bytes)}."
    )


def _notes(results: PlanResults) -> tuple[str, ...]:
    assumed = [f"Assumed: {note}." for result in results for note in result.assumptions]
    warned = [f"Warning: {warning}" for result in results for warning in result.warnings]
    return tuple(dict.fromkeys(map(page_words, [*assumed, *warned])))


def _figures(explained: Explanation, result: PlanResult) -> dict[str, Any]:
    answer = explained.answer
    figures = {
        "waterfall": stacked_bars_specification(waterfall_chart(answer, explained.segments)),
        "memory": stacked_bars_specification(memory_chart(answer)),
    }
    if len(result.front) > 1:
        figures["front"] = specification(front_chart(result.front, answer.fit.capacity))
    return figures


def _fixed(values: Mapping[str, object], layout: Layout) -> str:
    """Return the link to a question that a layout answers: as many accelerators, without the bounds that forbid it."""
    kept = {knob: text for knob in KNOBS if (text := str(values[knob])) and _allows(knob, text, layout)}
    changed = {**values, **dict.fromkeys(KNOBS, ""), **kept, "gpus": layout.ranks, "rank": 1}
    return encode_flat(changed, PLAN_SETTINGS)


def _allows(knob: str, text: str, layout: Layout) -> bool:
    return parse_bound(f"{knob}={text}").allows(getattr(layout, knob))


def _exports(chosen: RankedPlan, result: PlanResult) -> dict[str, str]:
    """Return the plan in the words of each framework that can say it."""
    found = {}
    for name, framework in FRAMEWORKS.items():
        try:
            exported = export_plan(name, result.question.run, chosen.layout, result.question.profile)
        except InputError:
            continue
        notes = [
            f"# {note.knob}: {note.words}" if note.knob else f"# {note.words}" for note in exported.notes
        ]
        found[framework.title] = "\n".join([*notes, exported.text])
    return found


def _files(results: PlanResults, chosen: RankedPlan | None) -> tuple[str, ...]:
    """Return which files there are beside those of every answer."""
    there = {
        "ranking": any(result.plans for result in results),
        "best": chosen is not None,
        "timeline": chosen is not None and _has_timeline(chosen),
    }
    return tuple(name for name, is_there in there.items() if is_there)


def _has_timeline(chosen: RankedPlan) -> bool:
    layout = chosen.layout
    return layout.pp > 1 and layout.pp * layout.chunks * chosen.estimate.step.microbatches * 3 <= _MOST_EVENTS


def _timeline(chosen: RankedPlan, suffix: str, command: str) -> bytes:
    if not _has_timeline(chosen):
        allowed = f"a pipeline of at least 2 stages and at most {_MOST_EVENTS:,} operations a step"
        raise InputError("timeline", layout_words(chosen.layout), allowed)
    if suffix in _SHOWN:
        drawn = io.BytesIO()
        figure = timeline_figure(pipeline_timeline(chosen.estimate), dark=_SHOWN[suffix], most=_MOST_SHOWN)
        figure.savefig(drawn, format="png")
        return drawn.getvalue()
    with TemporaryDirectory(prefix="scalewall-") as folder:
        path = Path(folder) / f"timeline{suffix}"
        save_timeline(pipeline_timeline(chosen.estimate), path, command=command)
        return path.read_bytes()
