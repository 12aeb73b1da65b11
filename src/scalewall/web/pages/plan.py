"""The Plan page: how one run should be laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import dash_mantine_components as dmc
from dash import dcc, html

from scalewall.planner.layout import SCHEDULES, Recompute, Sharding
from scalewall.planner.profile import load_profile, profile_names
from scalewall.planner.run import Dispatcher, Graphs, Precision
from scalewall.report.table import TableView
from scalewall.web.flat import decode_flat, encode_flat
from scalewall.web.found import Found, Way
from scalewall.web.pages.asking import Asking, asking_page
from scalewall.web.pages.controls import ask_choice, ask_machines, ask_number, ask_text
from scalewall.web.parts import accordion, aria, copy_text, fold, note, section, table, upload
from scalewall.web.plan_question import MOST_MACHINES, PLAN_SETTINGS
from scalewall.web.plan_task import plan_file_task, plan_task
from scalewall.web.plan_words import PARTS, SWITCHES
from scalewall.workload.models import model_names

__all__ = ["PLAN", "plan_page"]

Part = Any

_CHARTS = (
    (
        "waterfall",
        "Each bar begins where the one above ends: what the step is made of, from the bare arithmetic up.",
    ),
    ("memory", "What an accelerator of each pipeline stage holds, against what it has."),
    ("front", "Each point is a plan that no other beats in both step time and memory."),
)
_KINDS = {
    "ranking.csv": "Ranked plans (CSV)",
    "json": "Everything (JSON)",
    "best.html": "Report (HTML)",
    "best.png": "Pictures (PNG)",
    "best.svg": "Pictures (SVG)",
    "timeline.html": "Pipeline (HTML)",
}


def plan_page(query: str) -> Part:
    """Return the page for a link."""
    values, problems = decode_flat(query, PLAN_SETTINGS)
    return asking_page(
        "How should this run be laid out?",
        "The best layouts of a given model on given accelerators: exact over a stated space, timed with "
        "constants that were fitted to published runs.",
        encode_flat(values, PLAN_SETTINGS),
        problems,
        _controls(values),
        _CHARTS,
    )


def _controls(values: Mapping[str, object]) -> list[Part]:
    any_or = [("", "any")]
    words = {"schedule": SCHEDULES, "sharding": get_args(Sharding), "recompute": get_args(Recompute)}
    return [
        _model(values),
        ask_machines(values, MOST_MACHINES, ("product", "announced", "system")),
        html.Div(
            [
                ask_number(values, "gpus", "Accelerators", step=64),
                ask_number(values, "global_batch", "Sequences a step", step=64),
                ask_number(values, "seq", "Tokens a sequence", step=1024),
                ask_number(values, "tokens", "Tokens to train (trillions)", scale=1e12),
            ],
            className="sw-two",
        ),
        ask_choice(values, "precision", "Precision", _as_they_are(get_args(Precision))),
        accordion(
            "plan-sections",
            [],
            (
                "fixed",
                "Fix parts of the layout",
                [
                    note("Empty: any. 8 fixes a degree, 2,4 allows two, 1:8 a range."),
                    html.Div(
                        [ask_text(values, knob, title) for knob, title in PARTS.items() if knob not in words],
                        className="sw-two",
                    ),
                    *(
                        ask_choice(values, knob, PARTS[knob], [*any_or, *((word, word) for word in choices)])
                        for knob, choices in words.items()
                    ),
                ],
            ),
            (
                "software",
                "Software and aim",
                [
                    ask_choice(
                        values,
                        "profile",
                        "Software",
                        [
                            ("", "the newest Megatron fitted on the machine"),
                            *((name, load_profile(name).title) for name in profile_names()),
                        ],
                    ),
                    ask_choice(
                        values,
                        "objective",
                        "Best means",
                        [
                            ("throughput", "the shortest step"),
                            ("cost", "the least cost a token"),
                            ("memory", "most memory left, at most 5 % slower"),
                        ],
                    ),
                    ask_choice(values, "graphs", SWITCHES["graphs"], _as_they_are(get_args(Graphs))),
                    note("Of sparse models:"),
                    ask_choice(
                        values, "dispatcher", SWITCHES["dispatcher"], _as_they_are(get_args(Dispatcher))
                    ),
                    ask_choice(
                        values,
                        "expert_overlap",
                        SWITCHES["expert_overlap"],
                        [("no", "by itself"), ("yes", "beside compute")],
                    ),
                    ask_choice(
                        values,
                        "ideal",
                        "Software costs",
                        [("no", "what was measured"), ("yes", "nothing: physics alone")],
                    ),
                ],
            ),
        ),
    ]


def _as_they_are(choices: Sequence[str]) -> list[tuple[str, str]]:
    return [(choice, choice) for choice in choices]


def _model(values: Mapping[str, object]) -> Part:
    own = values["config"]
    return html.Div(
        [
            html.Div(
                [
                    html.Span("Your own config.json"),
                    dcc.Link("Drop it", href=f"/plan?{encode_flat({**values, 'config': ''}, PLAN_SETTINGS)}"),
                ],
                className="sw-own",
            )
            if own
            else ask_choice(values, "model", "Model", [(name, name) for name in model_names()]),
            upload("upload-config", "Take a config.json"),
        ],
        className="sw-pair",
    )


def _show(found: Found, query: str) -> tuple[Part, Part]:
    """Return what stands beside the question, and what stands under the figures."""
    tables = found.tables
    beside: list[Part] = [
        html.Div([html.P(line) for line in found.sentences], className="sw-answer"),
        *map(note, found.notes),
    ]
    if found.ways:
        beside.append(_ways(found))
    if "compared" in tables:
        beside.append(table(tables["compared"]))
    if "ranking" in tables:
        beside.append(
            table(_unbroken(tables["ranking"]), links=[f"/plan?{row}" for row in found.rows], sortable=True)
        )
    else:
        beside += [table(_unbroken(tables["relief"])), table(tables["excluded"])]
        return beside, []
    under: list[Part] = []
    if "timeline" in found.pictures:
        under.append(
            section(
                "The pipeline, operation by operation",
                dmc.Box(_pipeline(query, "png"), darkHidden=True),
                dmc.Box(_pipeline(query, "dark.png"), lightHidden=True),
                note(
                    "Of a long step its beginning: the pipeline fills, then goes on steadily. The whole of it, to zoom "
                    "into, is among the files below: Pipeline (HTML)."
                ),
            )
        )
    titles = {
        "training": "What the whole run takes",
        "summary": "This plan in figures",
        "waterfall": "The step, cause by cause",
        "moves": "One change away",
        "sensitivity": "On a better machine",
        "less-memory": "Less memory for more time",
        "excluded": "What was left out, and the space that was searched",
    }
    under += [
        fold(title, table(_unbroken(tables[key]), caption=False))
        for key, title in titles.items()
        if key in tables
    ]
    exports = [
        copy_text(title, text) for title, text in found.texts.items() if title not in ("command", "Python")
    ]
    under.append(section("Flags to run it", *exports))
    return beside, under


def _unbroken(view: TableView) -> TableView:
    """Return a table whose plans stand on one line each."""
    plans = [column.title == "Plan" for column in view.columns]
    rows = tuple(
        tuple(
            cell.replace(" ", "\N{NO-BREAK SPACE}") if plan and isinstance(cell, str) else cell
            for plan, cell in zip(plans, row, strict=True)
        )
        for row in view.rows
    )
    return replace(view, rows=rows)


def _pipeline(query: str, ending: str) -> Part:
    """Return the picture of a pipeline for one colour scheme, so wide that it can be read on a phone too."""
    return html.Div(
        html.Img(
            src=f"/files/plan/timeline.{ending}?{query}",
            alt="Timeline of the pipeline's operations by stage",
            className="sw-picture",
            style={"background": "none", "maxWidth": "none", "width": "100%", "minWidth": "40rem"},
        ),
        className="sw-scroll",
        tabIndex="0",
        role="region",
        **aria(label="The pipeline's operations"),
    )


def _ways(found: Found) -> Part:
    fits = "ranking" in found.tables
    title = "What would help most, a click each" if fits else "What would make it fit, a click each"
    return html.Div(
        [
            html.H2(title, className="sw-caption"),
            html.Ul([_way(way) for way in found.ways], className="sw-ways", style={"gap": "0.7rem"}),
        ]
    )


def _way(way: Way) -> Part:
    return html.Li(
        [
            dcc.Link(way.words, href=f"/plan?{way.query}", className="sw-link-button"),
            html.Span(way.effect, className="sw-note"),
        ],
        style={"gap": "0.1rem 0.6rem"},
    )


PLAN = Asking("/plan", PLAN_SETTINGS, plan_task, plan_file_task, _KINDS, _show)
"""The page's question, its files and how its answer is shown."""
