"""References with links: addresses, papers on arXiv and commits on GitHub as this project's data writes them."""

from __future__ import annotations

import re
from typing import Any

from dash import html

__all__ = ["linked"]

_REFERENCE = re.compile(
    r"(?P<url>https://[^\s<>()\"']*[^\s<>()\"'.,;:])"
    r"|arXiv[ :](?P<paper>\d{4}\.\d{4,5})"
    r"|(?P<repository>[A-Za-z0-9-]+/[A-Za-z0-9_.-]+) at (?P<commit>[0-9a-f]{7,40})\b"
)


def linked(text: str) -> list[Any]:
    """Return a reference as parts of a page; where it leads anywhere, its words are a link that tells nobody whence."""
    parts: list[Any] = []
    end = 0
    for found in _REFERENCE.finditer(text):
        parts += [text[end : found.start()], html.A(found[0], href=_address(found), rel="noreferrer")]
        end = found.end()
    return [part for part in (*parts, text[end:]) if part != ""]


def _address(found: re.Match[str]) -> str:
    if found["url"]:
        return found["url"]
    if found["paper"]:
        return f"https://arxiv.org/abs/{found['paper']}"
    return f"https://github.com/{found['repository']}/tree/{found['commit']}"
