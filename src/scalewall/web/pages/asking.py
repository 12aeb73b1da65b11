"""The frame of the pages that ask one question: controls on the left, what a search process found on the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update

from scalewall.errors import InputError, ScalewallError
from scalewall.web.answers import Tickets
from scalewall.web.flat import decode_flat, encode_flat
from scalewall.web.found import Found
from scalewall.web.kept import Kept
from scalewall.web.parts import (
    BROKEN,
    aria,
    chart_card,
    copy_text,
    link_button,
    link_field,
    notice,
    progress_slot,
    section,
    unusable,
)
from scalewall.web.settings import Setting
from scalewall.web.workers import StaleError, Task, Workers

__all__ = ["Asking", "Questions", "add_asking", "asking_page"]

Part = Any


@dataclass(frozen=True)
class Asking:
    """A page that asks one question.

    Parameters
    ----------
    path : str
        Its address.
    settings : mapping of str to Setting
        What its link may hold.
    task : callable
        What answers: takes a link, returns a :class:`Found`.
    file_task : callable
        What makes files: takes a link and a kind, returns bytes.
    kinds : mapping of str to str
        The files that it has, by kind, with their titles.
    show : callable
        Turns a :class:`Found` and the link into what stands beside the question and under the figures.
    """

    path: str
    settings: Mapping[str, Setting]
    task: Task[Found]
    file_task: Task[bytes]
    kinds: Mapping[str, str]
    show: Callable[[Found, str], tuple[Part, Part]]

    def read(self, query: str) -> tuple[str, tuple[str, ...]]:
        """Return a link with what can be used of it, as the page writes it, and what could not be used."""
        values, problems = decode_flat(query, self.settings)
        return encode_flat(values, self.settings), problems


class Questions:
    """Answers of the search processes to such pages, kept."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._found: Kept[Found] = Kept(200)
        self._files: Kept[bytes] = Kept(20)

    def found(
        self, page: Asking, query: str, stale: Callable[[], bool], progress: Callable[[str, int, int], None]
    ) -> Found:
        """Return what a page's question comes to."""
        return self._found.of(
            (page.path, query), lambda: self._workers.ask(page.task, (query,), True, stale, progress), stale
        )

    def file(self, page: Asking, query: str, kind: str) -> bytes:
        """Return a file about a page's question."""

        def never() -> bool:
            return False

        def make() -> bytes:
            return self._workers.ask(
                page.file_task, (query, kind), True, never, lambda name, done, total: None
            )

        return self._files.of((page.path, query, kind), make, never)


def asking_page(
    title: str,
    about: str,
    query: str,
    problems: Sequence[str],
    controls: Sequence[Part],
    charts: Sequence[tuple[str, str]],
) -> Part:
    """Return the page before its answer has come.

    Parameters
    ----------
    title, about : str
        Heading, and a sentence under it.
    query : str
        The page's link.
    problems : sequence of str
        What of the link could not be used.
    controls : sequence of component
        With ids ``{"ask": setting, "scale": number}``.
    charts : sequence of (str, str)
        Names of figures, and a line on how to read each.
    """
    return html.Div(
        [
            dcc.Store(id="question", data=query),
            dcc.Store(id="question-ask"),
            dcc.Store(id="question-answered"),
            dcc.Store(id="question-landed"),
            dcc.Store(id="figures"),
            html.H1(title),
            html.P(about, className="sw-lead"),
            html.Div(
                [
                    html.Section(
                        html.Div(controls, className="sw-form"),
                        className="sw-controls",
                        **aria(label="Question"),
                    ),
                    html.Div(
                        [
                            *unusable(problems),
                            progress_slot(""),
                            html.Div(
                                html.P("Searching ...", className="sw-note"),
                                id="results",
                                **aria(live="polite"),
                            ),
                        ],
                        className="sw-answer-area",
                    ),
                    html.Div(
                        [
                            html.Div(
                                [chart_card(key, "", words) for key, words in charts], className="sw-charts"
                            ),
                            html.Div(id="more"),
                            section("Share and take away", link_field(), html.Div(id="takeaway")),
                        ],
                        className="sw-rest",
                    ),
                ],
                className="sw-limits sw-asking",
            ),
        ]
    )


def _takeaway(page: Asking, found: Found, query: str) -> list[Part]:
    """Return the links to files and the texts to copy."""
    name = page.path.removeprefix("/")
    links = [
        link_button(title, f"/files/{name}/{kind}?{query}", download=True)
        for kind, title in page.kinds.items()
        if "." not in kind or kind.partition(".")[0] in found.pictures
    ]
    return [
        html.Div(links, className="sw-buttons"),
        *(
            copy_text(f"The same numbers by {title}", text)
            for title, text in found.texts.items()
            if title in _AGAIN
        ),
    ]


_AGAIN = ("command", "Python")


def add_asking(app: Dash, pages: Sequence[Asking], questions: Questions, tickets: Tickets) -> None:
    """Register the callbacks of such pages."""
    by_path = {page.path: page for page in pages}
    client_side: Any = app.clientside_callback
    client_side(
        ClientsideFunction("scalewall", "collect"),
        Output("question-ask", "data"),
        Input({"ask": ALL, "scale": ALL}, "value"),
        State("question", "data"),
    )
    client_side(
        ClientsideFunction("scalewall", "landed"),
        Output("question-landed", "data"),
        Input("question-answered", "data"),
    )

    @app.callback(
        Output("results", "children"),
        Output("more", "children"),
        Output("takeaway", "children", allow_duplicate=True),
        Output("figures", "data", allow_duplicate=True),
        Output("question-answered", "data"),
        Input("question-ask", "data"),
        State("url", "pathname"),
        prevent_initial_call=True,
    )
    def answer(ask: dict[str, Any] | None, path: str) -> tuple[Any, ...]:
        if not ask or path not in by_path:
            return (no_update,) * 5
        page, session, number = by_path[path], str(ask["session"])[:64], int(ask["number"])
        query, unread = page.read(str(ask["query"]))
        stale = tickets.take(session, number)
        answered = {"number": number, "query": query}
        try:
            found = questions.found(
                page, query, stale, lambda name, done, total: tickets.note(session, name, done, total)
            )
            beside, under = page.show(found, query)
            beside = [*unusable(unread), html.Div(beside)]
            return beside, under, _takeaway(page, found, query), dict(found.figures), answered
        except StaleError:
            return (*(no_update,) * 4, {"number": number, "query": None})
        except InputError as error:
            problem = notice("This cannot be answered as it stands", [str(error)], "bad")
        except ScalewallError as error:
            problem = notice("No answer", [f"{error}."], "bad")
        except Exception:
            app.logger.exception("%s?%s", path, query)
            problem = notice("No answer", [BROKEN], "bad")
        return problem, [], [], {}, answered
