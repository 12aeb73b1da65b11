"""What the Limits page asks of the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, no_update

from scalewall.web import cards
from scalewall.web.answers import Answers, Mode, Tickets
from scalewall.web.kept import Kept
from scalewall.web.pages.form import form
from scalewall.web.pages.limits import Shown, limits_page, shown
from scalewall.web.pages.sections import SECTIONS
from scalewall.web.parts import BROKEN, notice, unusable
from scalewall.web.presets import PRESETS, preset_state
from scalewall.web.state import State as PageState
from scalewall.web.state import decode, encode
from scalewall.web.workers import StaleError

__all__ = ["Views", "add_limits", "first_page"]

Part = Any


class Views:
    """What the page shows of states, kept where nothing of it is a preview or failed.

    Parameters
    ----------
    answers : Answers
        What computes and keeps the limits.
    """

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._kept: Kept[Shown] = Kept(100)

    def of(self, state: PageState, mode: Mode, *waiting: Any) -> Shown:
        """Return what the page shows of a state; ``waiting``: as :meth:`Answers.of` takes it."""
        key = encode(state)
        kept = self._kept.found(key)
        if kept is None:
            answers = self._answers.of(state.visible, mode, *waiting)
            kept = shown(state, answers)
            if all(answer.limits and not answer.preview for answer in answers):
                self._kept.keep(key, kept)
        return kept


def first_page(query: str, views: Views) -> Part:
    """Return the Limits page for a link, with answers to begin with."""
    read = decode(query)
    return limits_page(read.state, read.problems, views.of(read.state, "preview"))


def add_limits(app: Dash, views: Views, tickets: Tickets) -> None:
    """Register the page's callbacks."""
    _add_client_side(app)
    _add_answer(app, views, tickets)
    _add_operations(app)

    @app.callback(
        Output("query", "data", allow_duplicate=True),
        Output("form", "children", allow_duplicate=True),
        Input("restructure", "data"),
        State("query", "data"),
        State("form-sections", "value"),
        prevent_initial_call=True,
    )
    def restructure(query: str | None, before: str, opened: list[str] | None) -> tuple[Any, Any]:
        if not query:
            return no_update, no_update
        state = cards.renamed(decode(before).state, cards.settled(decode(query).state))
        return encode(state), form(state, opened or ())

    @app.callback(
        Output({"section": ALL}, "children"),
        Input("lacking", "data"),
        State("query", "data"),
        prevent_initial_call=True,
    )
    def fill(lacking: list[str] | None, query: str) -> list[Any]:
        """Make the controls of sections that were opened."""
        state = decode(query).state
        card = state.cards[state.chosen]
        names = [one["id"]["section"] for one in ctx.outputs_list]
        return [SECTIONS[name][1](card) if name in (lacking or ()) else no_update for name in names]


def _add_client_side(app: Dash) -> None:
    client_side: Any = app.clientside_callback
    client_side(
        ClientsideFunction("scalewall", "edit"),
        Output("query", "data", allow_duplicate=True),
        Input({"field": ALL, "kind": ALL, "scale": ALL}, "value"),
        Input({"toggle": ALL}, "checked"),
        Input({"figure": ALL}, "value"),
        State("query", "data"),
        State("steps", "data"),
        prevent_initial_call=True,
    )
    client_side(
        ClientsideFunction("scalewall", "ask"),
        Output("gate", "data"),
        Input("query", "data"),
        Input("answered", "data"),
    )
    client_side(
        ClientsideFunction("scalewall", "unfold"),
        Output("unfolded", "data"),
        Input("later", "data"),
    )
    client_side(
        ClientsideFunction("scalewall", "lacking"),
        Output("lacking", "data"),
        Input("form-sections", "value"),
    )
    client_side(
        ClientsideFunction("scalewall", "paint"),
        Output({"chart": ALL}, "figure"),
        Input("figures", "data"),
        Input("scheme", "data"),
        Input("width", "data"),
        State("themes", "data"),
    )


def _add_answer(app: Dash, views: Views, tickets: Tickets) -> None:
    @app.callback(
        Output("answered", "data"),
        Output("cards", "children"),
        Output("answer", "children"),
        Output("status", "children"),
        Output("summary", "children"),
        Output("details", "children"),
        Output("takeaway", "children"),
        Output("figures", "data"),
        Output("entry-problems", "children"),
        Input("ask", "data"),
        prevent_initial_call=True,
    )
    def answer(ask: dict[str, Any] | None) -> tuple[Any, ...]:
        if not ask:
            return (no_update,) * 9
        session, number, mode = str(ask["session"])[:64], int(ask["number"]), ask["mode"]
        read = decode(str(ask["query"]))
        state = read.state
        stale = tickets.take(session, number)
        try:
            one = views.of(
                state,
                "preview" if mode == "preview" else "full",
                stale,
                lambda name, done, total: tickets.note(session, name, done, total),
            )
        except StaleError:
            return {"number": number, "mode": "none", "query": encode(state)}, *(no_update,) * 8
        except Exception:
            app.logger.exception("/?%s", ask["query"])
            answered = {"number": number, "mode": "full", "query": encode(state)}
            return answered, no_update, notice("No answer", [BROKEN], "bad"), "", [], [], [], {}, []
        answered = {
            "number": number,
            "mode": "preview" if one.preview else "full",
            "query": encode(state),
        }
        later = (no_update, no_update) if one.preview else (one.details, one.takeaway)
        problems = unusable(read.problems)
        return answered, one.cards, one.answer, one.status, one.summary, *later, one.figures, problems


def _add_operations(app: Dash) -> None:
    @app.callback(
        Output("query", "data", allow_duplicate=True),
        Output("form", "children", allow_duplicate=True),
        Output("undo", "data"),
        Output("undo-button", "children"),
        Output("undo-button", "hidden"),
        Output("preset-about", "children"),
        Output("preset", "value"),
        Input({"op": ALL, "place": ALL, "colour": ALL}, "n_clicks"),
        Input("add", "n_clicks"),
        Input("undo-button", "n_clicks"),
        Input("preset", "value"),
        Input("runs", "checked"),
        State("query", "data"),
        State("undo", "data"),
        State("form-sections", "value"),
        prevent_initial_call=True,
    )
    def operate(
        _ops: list[Any],
        _add: Any,
        _undo: Any,
        preset: str | None,
        runs: bool,
        query: str,
        undo: str,
        opened: list[str] | None,
    ) -> tuple[Any, ...]:
        if not ctx.triggered or not _is_real(ctx.triggered[0]):
            return (no_update,) * 7
        state = decode(query).state
        about: Any = no_update
        if ctx.triggered_id == "preset":
            undo = cards.everything(state)
            state = preset_state(str(preset)) or state
            about = next((one.what for one in PRESETS if one.key == preset), "")
        elif ctx.triggered_id == "runs":
            return (encode(PageState(state.cards, state.chosen, bool(runs))), *(no_update,) * 6)
        else:
            state, undo = _operated(state, undo)
        undoing = f"Undo: bring back {cards.gone_name(undo)}"
        return encode(state), form(state, opened or ()), undo, undoing, not undo, about, no_update


def _is_real(triggered: Any) -> bool:
    """Tell a click or a choice from a control that only appeared."""
    return triggered["value"] not in (None, "")


def _operated(state: PageState, undo: str) -> tuple[PageState, str]:
    """Return the state after the button that was pressed, and what undoes the last removal."""
    pressed = ctx.triggered_id
    if pressed == "add":
        return cards.added(state), undo
    if pressed == "undo-button":
        return (cards.restored(state, undo), "") if undo else (state, "")
    name, place = pressed["op"], int(pressed["place"])
    if not 0 <= place < len(state.cards):
        return state, undo
    if name == "remove":
        return cards.removed(state, place)
    if name == "colour":
        return cards.coloured(state, place, int(pressed["colour"])), undo
    operations: dict[str, Callable[[PageState, int], PageState]] = {
        "choose": cards.chosen,
        "duplicate": cards.duplicated,
        "hide": cards.hidden,
        "up": cards.moved_up,
        "order": lambda state, _: cards.ordered(state),
        "drop-file": lambda state, place: cards.with_file(state, ""),
    }
    return operations[name](state, place), undo
