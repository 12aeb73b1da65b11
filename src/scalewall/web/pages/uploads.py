"""Files that visitors hand in: a machine for the Limits page, a model for the Plan page. Parsed as data, never run."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from dash import Dash, Input, Output, State, no_update

from scalewall.errors import InputError
from scalewall.web import cards
from scalewall.web.flat import decode_flat, encode_flat
from scalewall.web.pages.form import form
from scalewall.web.parts import notice
from scalewall.web.plan_question import PLAN_SETTINGS
from scalewall.web.question import uploaded_name
from scalewall.web.settings import MOST_FILE_BYTES
from scalewall.web.state import decode, encode

__all__ = ["add_uploads"]


def add_uploads(app: Dash) -> None:
    """Register what takes the files."""

    @app.callback(
        Output("query", "data", allow_duplicate=True),
        Output("form", "children", allow_duplicate=True),
        Output("upload-machine-problem", "children"),
        Input("upload-machine", "contents"),
        State("query", "data"),
        State("form-sections", "value"),
        prevent_initial_call=True,
    )
    def take_machine(contents: str | None, query: str, opened: list[str]) -> tuple[Any, Any, Any]:
        if not contents:
            return no_update, no_update, no_update
        try:
            text = _uploaded("machine file", contents)
            uploaded_name(text)
        except InputError as error:
            return no_update, no_update, notice("This file cannot be used", [str(error)], "bad")
        state = cards.with_file(decode(query).state, text)
        return encode(state), form(state, opened), ""

    @app.callback(
        Output("url", "href"),
        Output("upload-config-problem", "children"),
        Input("upload-config", "contents"),
        State("question-answered", "data"),
        State("question", "data"),
        prevent_initial_call=True,
    )
    def take_model(contents: str | None, answered: dict[str, Any] | None, query: str) -> tuple[Any, Any]:
        if not contents:
            return no_update, no_update
        try:
            text = _uploaded("config.json", contents)
            json.loads(text)
        except InputError as error:
            return no_update, notice("This file cannot be used", [str(error)], "bad")
        except (ValueError, RecursionError) as error:
            return no_update, notice("This file cannot be used", [f"It is no JSON: {error}."], "bad")
        values, _ = decode_flat(str((answered or {}).get("query", query)), PLAN_SETTINGS)
        return f"/plan?{encode_flat({**values, 'config': text, 'rank': 1}, PLAN_SETTINGS)}", ""


def _uploaded(field: str, contents: str) -> str:
    """Return an uploaded file's text."""
    allowed = f"a text file of at most {MOST_FILE_BYTES:,} bytes"
    try:
        raw = base64.b64decode(contents.partition(",")[2], validate=True)
        if len(raw) > MOST_FILE_BYTES:
            raise InputError(field, f"{len(raw):,} bytes", allowed)
        return raw.decode("utf-8-sig")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise InputError(field, contents[:20], allowed) from error
