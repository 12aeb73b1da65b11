"""Files to take away: every address holds the whole question, as the page's own does."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import BoundedSemaphore

from flask import Flask, Response, abort, jsonify, request

from scalewall.errors import ScalewallError
from scalewall.ideal.limits import Limits
from scalewall.report.limits_page import page
from scalewall.report.matplotlib_figures import figure
from scalewall.report.records import columns, json_text, limits_json, rows
from scalewall.web.answers import Answer, Answers, Tickets
from scalewall.web.charts import CHARTS, page_charts
from scalewall.web.csv_text import csv_text
from scalewall.web.pages.asking import Asking, Questions
from scalewall.web.state import State, decode
from scalewall.web.takeaway import command_text

__all__ = ["add_downloads", "add_files"]

_WAITING = 8
"""Files that are made at once: who asks for one may be gone unnoticed, and pages need the server's other threads."""
_PLACES = BoundedSemaphore(_WAITING)
_PICTURES = {"png": "image/png", "svg": "image/svg+xml"}


@contextmanager
def _place() -> Iterator[None]:
    """Hold one of the places for files that are made; an answer that says so if there is none."""
    if not _PLACES.acquire(blocking=False):
        words = f"{_WAITING} other files are being made; please try again in a moment.\n"
        busy = Response(words, status=503, mimetype="text/plain")
        busy.headers["Retry-After"] = "10"
        abort(busy)
    try:
        yield
    finally:
        _PLACES.release()


def add_downloads(server: Flask, answers: Answers, tickets: Tickets) -> None:
    """Add the addresses ``/download/...`` and ``/progress/...``."""

    @server.get("/download/limits.<kind>")
    def limits(kind: str) -> Response:
        state = decode(request.query_string.decode("ascii", "replace")).state
        with _place():
            found = answers.of(state.visible)
        known = [answer.limits for answer in found if answer.limits]
        if not known:
            return _problem("\n".join(answer.problem for answer in found) or "Every configuration is hidden.")
        if kind == "csv":
            names = columns([point for one in known for point in one.points])
            return _file(csv_text(names, rows(known)), "text/csv", "limits.csv")
        if kind == "json":
            return _file(_json(found), "application/json", "limits.json")
        if kind == "html":
            return _file(_report(state, known), "text/html", "limits.html")
        abort(404)

    @server.get("/download/<chart>.<kind>")
    def picture(chart: str, kind: str) -> Response:
        if chart not in CHARTS or kind not in _PICTURES:
            abort(404)
        state = decode(request.query_string.decode("ascii", "replace")).state
        with _place():
            found = answers.of(state.visible)
        charts = page_charts(found, state.chosen, state.runs)
        if chart not in charts:
            return _problem("There is nothing to draw: no configuration finishes a run.")
        drawn = io.BytesIO()
        figure([charts[chart]]).savefig(drawn, format=kind)
        return _file(drawn.getvalue(), _PICTURES[kind], f"{chart}.{kind}")

    @server.get("/progress/<session>")
    def progress(session: str) -> Response:
        if tickets.hear(session):
            return Response("This search was given up.\n", status=410, mimetype="text/plain")
        name, done, total = tickets.progress(session)
        return jsonify(name=name, done=done, total=total)


_KINDS = {
    "csv": "text/csv",
    "json": "application/json",
    "html": "text/html",
    "png": "image/png",
    "svg": "image/svg+xml",
}


_SHOWN = ("timeline.png", "timeline.dark.png")
"""Pictures that a page shows."""


def add_files(server: Flask, pages: Sequence[Asking], questions: Questions) -> None:
    """Add the addresses ``/files/PAGE/KIND`` of the pages that ask one question."""
    by_name = {page.path.removeprefix("/"): page for page in pages}

    @server.get("/files/<name>/<kind>")
    def file(name: str, kind: str) -> Response:
        page = by_name.get(name)
        ending = kind.rpartition(".")[2]
        if page is None or ending not in _KINDS or kind not in (*page.kinds, *_SHOWN):
            abort(404)
        query, _ = page.read(request.query_string.decode("ascii", "replace"))
        try:
            with _place():
                content = questions.file(page, query, kind)
        except ScalewallError as error:
            return _problem(str(error))
        return _file(content, _KINDS[ending], f"{name}-{kind}" if "." in kind else f"{name}.{kind}")


def _json(answers: list[Answer]) -> str:
    return json_text(
        [
            limits_json(answer.limits)
            if answer.limits
            else {"machine": answer.card.name, "problem": answer.problem}
            for answer in answers
        ]
    )


def _report(state: State, limits: list[Limits]) -> str:
    return page(limits, command_text([card for _, card in state.visible]))


def _file(content: str | bytes, kind: str, name: str) -> Response:
    response = Response(content, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="scalewall-{name}"'
    return response


def _problem(text: str) -> Response:
    return Response(f"{text}\n", status=422, mimetype="text/plain")
