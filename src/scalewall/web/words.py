"""The command line's words as the pages say them: where an option is set here, what the grid is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from scalewall.errors import InputError
from scalewall.report.table import TableView

__all__ = ["page_error", "page_table", "page_words"]

_OF_ALL: Mapping[str, str] = MappingProxyType(
    {
        "finishes no run of the grid": "finishes none of the sizes that were tried",
        "are efficient nowhere on the grid": "are efficient at none of the sizes that were tried",
        "stay efficient over the whole grid": "stay efficient at all sizes that were tried",
        "stay efficient as far as the grid goes": "stay efficient at all sizes that were tried",
        "The grid shows no size that does not finish.": "All sizes that were tried finish.",
        "The end of the grid sets this, not the machine: a wider grid moves it.": (
            "The last of the sizes that were tried sets this, not the machine."
        ),
        "(ideal: unsupported, missing ": "(missing: ",
        "--start moves them": "'Starting from' moves them",
        "ideal: unsupported, lacks ": "The model of limits lacks ",
        "--set PATH=VALUE supplies it.": "the Limits page can supply it, under 'Figures of the machine'.",
        "scalewall uncertainty": "the uncertainty analysis",
    }
)
"""What pages say instead of what the command line says."""

_SUPPLY = "--set "
"""How the command line begins what supplies a figure."""


def page_words(text: str) -> str:
    """Return what the command line says as pages say it."""
    for theirs, ours in _OF_ALL.items():
        text = text.replace(theirs, ours)
    return text


def page_table(view: TableView) -> TableView:
    """Return a table with notes as pages say them."""
    return replace(view, notes=tuple(map(page_words, view.notes)))


def page_error(error: InputError, page: str = "") -> InputError:
    """Return an error as a page says it: a figure that a machine lacks is set in a section of the Limits page.

    Parameters
    ----------
    error : InputError
        As the command line has it.
    page : str
        The page with that section as another one calls it; empty: the error stands on that page.
    """
    allowed, suggestions = page_words(error.allowed), error.suggestions
    if any(suggestion.startswith(_SUPPLY) for suggestion in suggestions):
        place = f"on {page}, under" if page else "under"
        allowed = f"{allowed}; supply what is missing {place} 'Figures of the machine'"
        suggestions = ()
    return InputError(error.field, error.value, allowed, suggestions)
