"""A table in a terminal and as HTML."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from scalewall.report.table import Cell, Column, TableView

VIEW = TableView(
    title="Machines & more",
    columns=(Column("Name", fold=12), Column("Value", right=True, whole=True), Column("Note", since=110)),
    rows=(
        (Cell("ref-h100-low-latency", "strong"), "1.00e28", "a <note>"),
        (Cell("b", "bad"), "2", "another"),
    ),
    notes=("What it rests on.",),
)


def printed(view: TableView, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(view)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_fits_the_terminal(width: int) -> None:
    lines = printed(VIEW, width).splitlines()
    assert max(map(len, lines)) <= width
    assert any("What it rests on." in line for line in lines)


def test_shows_more_where_there_is_room() -> None:
    assert "<note>" not in printed(VIEW, 80)
    assert "<note>" in printed(VIEW, 110)


def test_breaks_names_at_hyphens() -> None:
    lines = [line.split() for line in printed(VIEW, 80).splitlines()]
    assert ["ref-h100-", "1.00e28"] in lines
    assert ["low-latency"] in lines


def test_html_shows_everything_and_escapes() -> None:
    html = VIEW.html()
    assert VIEW._repr_html_() == html
    assert "a &lt;note&gt;" in html
    assert "Machines &amp; more" in html
    assert "class='sw-bad'" in html
    assert html.count("<th ") == 3
    assert "What it rests on." in html


def test_a_row_of_another_length_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        TableView("", (Column("a"),), (("x", "y"),)).html()


def test_without_rows_only_the_notes_are_shown() -> None:
    empty = replace(VIEW, rows=())
    assert printed(empty, 80).splitlines() == ["Machines & more", "What it rests on."]
    assert "<table" not in empty.html()
    assert "What it rests on." in empty.html()
