"""A table as plain data that shows itself in a terminal (Rich) and in a notebook or page (HTML)."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table
    from rich.text import Text

__all__ = ["Cell", "Column", "TableView"]

Tone = Literal["plain", "strong", "muted", "good", "bad", "warn"]
_RICH_STYLES: dict[Tone, str] = {
    "plain": "",
    "strong": "bold",
    "muted": "dim",
    "good": "green",
    "bad": "bold red",
    "warn": "yellow",
}


@dataclass(frozen=True)
class Cell:
    """Text of one cell and its tone; a plain ``str`` is a cell in the plain tone."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Column:
    """A column's head and how it behaves.

    Parameters
    ----------
    title : str
        The head; may hold line breaks.
    right : bool
        Right-aligned, for numbers.
    since : int
        Left out of terminals narrower than this many characters; always in HTML.
    whole : bool
        Never wrapped (numbers, short names).
    fold : int
        In terminals, break longer text into lines of this many characters, at hyphens too; 0: leave it.
    """

    title: str
    right: bool = False
    since: int = 0
    whole: bool = False
    fold: int = 0


@dataclass(frozen=True)
class TableView:
    """A table: title, columns, rows of cells, and notes that are printed under it; without rows only its notes."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table at the terminal's width, then the notes."""
        from rich.text import Text

        yield self._rich_table(options.max_width) if self.rows else Text(self.title, style="bold")
        for note in self.notes:
            yield Text(note, style="dim")

    def _rich_table(self, width: int) -> Table:
        from rich import box
        from rich.table import Table

        table = Table(
            title=self.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
        )
        shown = [index for index, column in enumerate(self.columns) if width >= column.since]
        for column in (self.columns[index] for index in shown):
            table.add_column(
                column.title,
                justify="right" if column.right else "left",
                vertical="top",
                no_wrap=column.whole,
                overflow="fold",
            )
        for row in self.rows:
            table.add_row(*(self._rich_cell(row[index], self.columns[index]) for index in shown))
        return table

    @staticmethod
    def _rich_cell(value: str | Cell, column: Column) -> Text:
        from rich.text import Text

        cell = _cell(value)
        text = textwrap.fill(cell.text, column.fold) if column.fold else cell.text
        return Text(text, style=_RICH_STYLES[cell.tone])

    def _repr_html_(self) -> str:
        return self.html()

    def html(self) -> str:
        """Return the table as HTML, its notes below; scrolls sideways where it does not fit."""
        head = "".join(
            f"<th{_align(column)}>{escape(column.title).replace(chr(10), '<br>')}</th>"
            for column in self.columns
        )
        body = "".join(f"<tr>{self._html_row(row)}</tr>" for row in self.rows)
        notes = "".join(f"<p class='sw-note'>{escape(note)}</p>" for note in self.notes)
        caption = f"<div class='sw-caption'>{escape(self.title)}</div>"
        if not self.rows:
            return f"{caption}{notes}"
        table = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        return (
            f"{caption}<div class='sw-scroll' style='overflow-x:auto'>"
            f"<table class='sw-table' aria-label='{escape(self.title)}'>{table}</table></div>{notes}"
        )

    def _html_row(self, row: Sequence[str | Cell]) -> str:
        cells = zip(self.columns, map(_cell, row), strict=True)
        return "".join(
            f"<td{_align(column)} class='sw-{cell.tone}'>{escape(cell.text)}</td>" for column, cell in cells
        )


def _cell(cell: str | Cell) -> Cell:
    return Cell(cell) if isinstance(cell, str) else cell


def _align(column: Column) -> str:
    side = "right" if column.right else "left"
    return f" style='text-align:{side}{';white-space:nowrap' if column.whole else ''}'"
