"""The Limits page: configurations on the left, what they come to on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from scalewall.errors import InputError
from scalewall.ideal.limits import Limits
from scalewall.report.limit_tables import closed_form_table, curve_table, summary_table
from scalewall.report.plotly_figures import specification
from scalewall.report.words import LEAVES_OUT, all_rest_on, all_warnings, efficient_means, finding, yardstick
from scalewall.web.answers import Answer
from scalewall.web.charts import CHARTS, page_charts
from scalewall.web.pages.fields import STEPS
from scalewall.web.pages.form import form
from scalewall.web.parts import (
    aria,
    chart_card,
    copy_text,
    fold,
    link_button,
    link_field,
    note,
    notice,
    operation,
    progress_slot,
    section,
    swatch,
    table,
    unusable,
)
from scalewall.web.presets import PRESETS
from scalewall.web.settings import SETTINGS
from scalewall.web.state import MOST_CARDS, Card, State, encode
from scalewall.web.takeaway import command_text, python_text
from scalewall.web.words import page_table, page_words

__all__ = ["Shown", "limits_page", "shown"]

Part = Any

_ABOUT = {
    "utilization": "Each point is the best layout that the search found for a run of that size. Shaded: where "
    "efficient scaling ends. Dashed: what the machine sustains in large matmuls; dotted: the threshold. Triangles at "
    "the bottom: real training runs.",
    "accelerators": "How many accelerators the best layout takes.",
    "cost": "At the machine's usual prices, whatever was changed about it. Rent: accelerator-hours at the price of "
    "one. Own: depreciation and electricity for the run's time. Of several configurations only rent is drawn (owning, "
    "where nobody rents the machine out).",
    "degrees": "How many ways the best layout splits the run by data, tensor, pipeline and expert parallelism.",
    "shares": "Which resource a batch's time goes to; of what overlaps, the longest counts.",
}


@dataclass(frozen=True)
class Shown:
    """What the page shows of a set of answers: parts of the page and the figures with named colours.

    Previews leave details and takeaway empty: they come with the full answer.
    """

    cards: Part
    answer: Part
    status: str
    summary: Part
    details: Part
    takeaway: Part
    figures: dict[str, Any]
    preview: bool


def shown(state: State, answers: Sequence[Answer]) -> Shown:
    """Return what the page shows of the answers to its visible configurations."""
    found = [answer.limits for answer in answers if answer.limits]
    preview = any(answer.preview for answer in answers)
    charts = page_charts(answers, state.chosen, state.runs)
    return Shown(
        cards=_cards(state, answers),
        answer=_answer(answers),
        status=_status(found, preview),
        summary=table(page_table(summary_table(found))) if found else [],
        details=[] if preview else _details(state, answers, found),
        takeaway=[] if preview else _takeaway(state),
        figures={key: specification(chart) for key, chart in charts.items()},
        preview=preview,
    )


def limits_page(state: State, problems: Sequence[str], first: Shown) -> Part:
    """Return the page; what stands under the first figure waits in a store until that one is drawn.

    Parameters
    ----------
    state : State
        What the link says.
    problems : sequence of str
        What of the link could not be used.
    first : Shown
        Answers to begin with.
    """
    main, *others = CHARTS
    return html.Div(
        [
            dcc.Store(id="query", data=encode(state)),
            dcc.Store(id="ask"),
            dcc.Store(id="gate"),
            dcc.Store(
                id="answered",
                data={"number": 0, "mode": "preview" if first.preview else "full", "query": encode(state)},
            ),
            dcc.Store(id="restructure"),
            dcc.Store(id="lacking"),
            dcc.Store(id="unfolded"),
            dcc.Store(id="undo", data=""),
            dcc.Store(id="steps", data={field: list(steps) for field, steps in STEPS.items()}),
            dcc.Store(id="figures", data=first.figures),
            dcc.Store(
                id="later",
                data={
                    **{f"place-{key}": chart_card(key, "", _ABOUT[key]) for key in others},
                    "details": first.details,
                    "takeaway": first.takeaway,
                },
            ),
            html.H1("How far can training runs scale?"),
            html.Div(
                [
                    html.Div(
                        [
                            html.Div(unusable(problems), id="problems"),
                            html.Div(id="entry-problems"),
                            html.Div(
                                first.answer,
                                id="answer",
                                className="sw-answer",
                                role="status",
                                **aria(live="polite"),
                            ),
                            progress_slot(first.status),
                            chart_card(main, "", _ABOUT[main]),
                            dmc.Switch(
                                label="Real training runs",
                                checked=state.runs,
                                id="runs",
                                size="xs",
                            ),
                        ],
                        className="sw-answer-area",
                    ),
                    html.Section(
                        _controls(state, first), className="sw-controls", **aria(label="Configurations")
                    ),
                    html.Div(
                        [
                            html.Div(first.summary, id="summary"),
                            html.Div(id="details"),
                            html.Div([html.Div(id=f"place-{key}") for key in others], className="sw-charts"),
                            section("Share and take away", link_field(), html.Div(id="takeaway")),
                            note(LEAVES_OUT),
                        ],
                        className="sw-rest",
                    ),
                ],
                className="sw-limits",
            ),
        ]
    )


def _status(found: Sequence[Limits], preview: bool) -> str:
    if preview:
        return "Preview by the quick search; the full one follows."
    return ""


def _controls(state: State, first: Shown) -> list[Part]:
    groups: dict[str, list[dict[str, str]]] = {}
    for preset in PRESETS:
        groups.setdefault(preset.group, []).append({"value": preset.key, "label": preset.title})
    return [
        dmc.Select(
            label="Start from",
            placeholder="a question that was asked before",
            data=[{"group": group, "items": items} for group, items in groups.items()],
            id="preset",
            value=None,
        ),
        html.Div(id="preset-about", className="sw-note"),
        html.Div(first.cards, id="cards"),
        html.Div(
            [
                html.Button(
                    "Add one to compare", id="add", className="sw-small-button sw-main-button", type="button"
                ),
                html.Button(
                    "Undo", id="undo-button", className="sw-small-button", type="button", hidden=True
                ),
            ],
            className="sw-toolbar",
        ),
        html.Div(form(state), id="form"),
    ]


def _cards(state: State, answers: Sequence[Answer]) -> list[Part]:
    problems = {answer.place: answer.problem for answer in answers}
    colours = [card.colour for card in state.cards]
    entries = html.Ul(
        [
            _card(place, card, place == state.chosen, problems.get(place, ""))
            for place, card in enumerate(state.cards)
        ],
        className="sw-cards",
    )
    return [
        entries,
        *([operation("order", state.chosen, "Order by colour")] if colours != sorted(colours) else []),
        *(
            [note(f"{MOST_CARDS} fit on the page: remove one to add another.")]
            if len(colours) == MOST_CARDS
            else []
        ),
    ]


def _card(place: int, card: Card, open_one: bool, problem: str) -> Part:
    marks = f"sw-card{' sw-card-open' if open_one else ''}{' sw-card-hidden' if card.hidden else ''}"
    about = html.Span(
        "cannot be computed" if problem else _summary(card),
        className=f"sw-card-about{' sw-card-problem' if problem else ''}",
    )
    return html.Li(
        html.Button(
            [swatch(card.colour), html.Span(card.name, className="sw-card-name"), about],
            id={"op": "choose", "place": place, "colour": 0},
            className="sw-card-choose",
            type="button",
            **aria(pressed=str(open_one).lower()),
        ),
        className=marks,
    )


def _summary(card: Card) -> str:
    """Return what a configuration is, in a line."""
    usual = ("name", "machine", "colour", "hidden", "months", "model", "reference")
    months = card["months"]
    words = [
        str(card["machine"]) if card["name"] else "",
        str(card["model"]),
        f"{months:g} months" if isinstance(months, (int, float)) else "3 months",
        "as published" if card["reference"] else "",
        *(name.replace("_", " ") for name in SETTINGS if name in card.settings and name not in usual),
    ]
    return ", ".join(filter(None, ["hidden" if card.hidden else "", *words]))


def _answer(answers: Sequence[Answer]) -> list[Part]:
    if not answers:
        return [html.P("Every configuration is hidden. Show one, or add one to compare.")]
    parts: list[Part] = []
    found = [answer.limits for answer in answers if answer.limits]
    lines = [_line(answer, len(answers) > 1) for answer in answers if answer.limits]
    if lines:
        parts.append(html.Ul(lines))
        parts += [
            note(text) for text in (yardstick(found), efficient_means(found[0]), *all_rest_on(found)) if text
        ]
    parts += [
        notice(f"{answer.card.name} cannot be computed", [answer.problem], "bad")
        for answer in answers
        if answer.problem
    ]
    return parts


def _line(answer: Answer, marked: bool) -> Part:
    assert answer.limits
    text = page_words(finding(answer.limits))
    why = answer.limits.infeasible[0].reason if not answer.limits.points and answer.limits.infeasible else ""
    words = f"{text} The smallest: {why}." if why else text
    return html.Li(
        [*([swatch(answer.card.colour)] if marked else []), words], className="" if marked else "sw-only"
    )


def _details(state: State, answers: Sequence[Answer], found: Sequence[Limits]) -> list[Part]:
    """Return what opens by a click: warnings, the open configuration's runs, the closed forms."""
    if not found:
        return []
    own = next((one.limits for one in answers if one.place == state.chosen and one.limits), None) or found[0]
    warnings = all_warnings(found)
    count = "1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
    return [
        *([fold(count, *map(note, map(page_words, warnings)))] if warnings else []),
        fold(f"Every run of {own.title}", table(page_table(curve_table(own)), caption=False)),
        fold("Estimates without a search", table(page_table(closed_form_table(found)), caption=False)),
    ]


def _takeaway(state: State) -> list[Part]:
    query = encode(state)
    cards = [card for _, card in state.visible]
    try:
        texts = {"command": command_text(cards), "Python": python_text(cards)}
        codes = [copy_text(f"The same numbers by {kind}", text) for kind, text in texts.items()]
    except InputError as error:
        codes = [notice("No command yet", [str(error)], "plain")]
    return [
        html.Div(
            [link_button(text, f"/download/limits.{kind}?{query}", download=True) for text, kind in _FILES],
            className="sw-buttons",
        ),
        html.Div(
            [
                html.Span("Pictures:", className="sw-muted"),
                *(
                    link_button(f"{key}.{kind}", f"/download/{key}.{kind}?{query}", download=True)
                    for key in CHARTS
                    for kind in ("png", "svg")
                ),
            ],
            className="sw-buttons",
        ),
        *codes,
    ]


_FILES = (("All runs (CSV)", "csv"), ("Everything (JSON)", "json"), ("Report (HTML)", "html"))
