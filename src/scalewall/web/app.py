"""The Dash application: frame, pages by address, and what protects it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html

from scalewall._version import __version__
from scalewall.web.answers import Answers, Tickets
from scalewall.web.downloads import add_downloads, add_files
from scalewall.web.look import MANTINE, page_css, themes
from scalewall.web.pages.asking import Questions, add_asking
from scalewall.web.pages.laws import laws_page
from scalewall.web.pages.limits_callbacks import Views, add_limits, first_page
from scalewall.web.pages.machines import machine_page, machines_page
from scalewall.web.pages.plan import PLAN, plan_page
from scalewall.web.pages.uploads import add_uploads
from scalewall.web.pages.when import WHEN, when_page
from scalewall.web.parts import BROKEN, aria, notice
from scalewall.web.security import protect

__all__ = ["build_app"]

Part = Any

_PAGES = {"/": "Limits", "/plan": "Plan", "/when": "When", "/machines": "Machines", "/laws": "Laws"}
"""In the order of the navigation."""

_INDEX = """<!DOCTYPE html>
<html lang="en">
  <head>
    {%metas%}
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="How far can training of large models scale on given hardware, and what stops it">
    <title>{%title%}</title>
    {%favicon%}
    {%css%}
    <style>STYLE</style>
  </head>
  <body>
    {%app_entry%}
    <noscript>This page computes with scripts; please allow them.</noscript>
    <div>{%config%}{%scripts%}{%renderer%}</div>
  </body>
</html>
"""


def build_app(answers: Answers, questions: Questions) -> Dash:
    """Return the application.

    Parameters
    ----------
    answers : Answers
        What computes and keeps limits.
    questions : Questions
        What computes and keeps the answers of the pages that ask one question.
    """
    app = Dash(
        "scalewall",
        title="scalewall",
        update_title="",
        assets_folder=str(files("scalewall.web").joinpath("assets")),
        serve_locally=True,
        suppress_callback_exceptions=True,
        add_log_handler=False,
        index_string=_INDEX.replace("STYLE", page_css()),
    )
    app.layout = _frame()
    tickets = Tickets()
    views = Views(answers)
    add_limits(app, views, tickets)
    add_asking(app, (PLAN, WHEN), questions, tickets)
    add_uploads(app)
    add_downloads(app.server, answers, tickets)
    add_files(app.server, (PLAN, WHEN), questions)
    client_side: Any = app.clientside_callback
    client_side(
        ClientsideFunction("scalewall", "watchScheme"), Output("scheme", "data"), Input("themes", "data")
    )

    @app.callback(
        Output("page", "children"),
        Output("navigation", "children"),
        Input("url", "pathname"),
        Input("url", "search"),
        State("remembered", "data"),
    )
    def show(path: str | None, search: str | None, remembered: dict[str, str] | None) -> tuple[Part, Part]:
        try:
            page = _page(path or "/", search or "", views)
        except Exception:
            app.logger.exception("%s%s", path, search)
            page = html.Div([html.H1("No answer"), notice("This page cannot be shown", [BROKEN], "bad")])
        return page, _navigation(path or "/", remembered or {})

    protect(app.server, app.csp_hashes())
    return app


def _frame() -> Part:
    """Return what every page has: header, navigation, light and dark, footer."""
    return dmc.MantineProvider(
        [
            dcc.Location(id="url", refresh="callback-nav"),
            dcc.Store(id="themes", data=themes()),
            dcc.Store(id="scheme"),
            dcc.Store(id="width"),
            dcc.Store(id="remembered"),
            html.A("To the content", href="#content", className="sw-skip"),
            html.Header(
                html.Div(
                    [
                        dcc.Link("scalewall", href="/", className="sw-brand"),
                        html.Nav(id="navigation", className="sw-nav", **aria(label="Pages")),
                        dmc.ColorSchemeToggle(
                            lightIcon="Dark",
                            darkIcon="Light",
                            variant="default",
                            w="auto",
                            px="sm",
                            **aria(label="Light or dark"),
                        ),
                    ],
                    className="sw-header-inner",
                ),
                className="sw-header",
            ),
            html.Main(html.Div(id="page"), id="content", tabIndex="-1"),
            html.Footer(
                html.P(f"scalewall {__version__}, Apache-2.0. Nothing leaves this server."),
                className="sw-footer",
            ),
        ],
        theme=MANTINE,
        defaultColorScheme="auto",
    )


def _navigation(path: str, remembered: Mapping[str, str]) -> list[Part]:
    """Return the links to the pages, each as the visitor left it."""
    here = "/" if path == "/" else f"/{path.split('/')[1]}"
    return [
        dcc.Link(
            title,
            href=f"{address}?{remembered[address]}" if address in remembered else address,
            className="sw-here" if address == here else "",
        )
        for address, title in _PAGES.items()
    ]


def _page(path: str, search: str, views: Views) -> Part:
    if path == "/":
        return first_page(search, views)
    if path == "/plan":
        return plan_page(search)
    if path == "/when":
        return when_page(search)
    if path == "/machines":
        bits = parse_qs(search.removeprefix("?")).get("precision", ["16"])[0]
        return machines_page(int(bits) if bits in ("32", "16", "8", "4") else 16)
    if path.startswith("/machines/"):
        return machine_page(path.removeprefix("/machines/"))
    if path == "/laws":
        return laws_page()
    return html.Div(
        [
            html.H1("No such page"),
            notice("There is nothing at this address", [path[:100]], "bad"),
            dcc.Link("To the limits", href="/"),
        ]
    )
