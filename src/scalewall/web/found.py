"""What a search process found for a page that asks one question: plain data that the page shows as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scalewall.report.table import TableView

__all__ = ["Found", "Way"]


@dataclass(frozen=True)
class Way:
    """A change that is one click away: what it is, what it does, the link that makes it."""

    words: str
    effect: str
    query: str


@dataclass(frozen=True)
class Found:
    """An answer.

    Parameters
    ----------
    title : str
        What it is about.
    sentences, notes : tuple of str
        The answer in words, and what it rests on.
    tables : mapping of str to TableView
        By the names that the page places them by.
    figures : mapping of str to mapping
        Plotly specifications with named colours, likewise.
    ways : tuple of Way
        Changes that help.
    rows : tuple of str
        For each row of the table ``ranking`` the link that chooses it.
    texts : mapping of str to str
        Texts to copy, by title.
    pictures : tuple of str
        What there are files about, as their names begin, beside the files of every answer (those without a point).
    """

    title: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...] = ()
    tables: Mapping[str, TableView] = field(default_factory=dict)
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ways: tuple[Way, ...] = ()
    rows: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    pictures: tuple[str, ...] = ()
