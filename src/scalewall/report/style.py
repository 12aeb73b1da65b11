"""The one style of all figures, read from ``style.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Style", "Theme", "series_look", "style"]

_SHAPES = 7


@dataclass(frozen=True)
class Theme:
    """Colours (``#rrggbb``) of one theme; ``series`` are told apart by people with colour blindness too."""

    background: str
    surface: str
    text: str
    muted: str
    grid: str
    accent: str
    neutral: str
    good: str
    bad: str
    warn: str
    series: tuple[str, ...]


@dataclass(frozen=True)
class Style:
    """Fonts, sizes (pixels on the page, points and inches in print) and the two themes."""

    font_family: str
    print_font_family: str
    font_size: float
    print_font_size: float
    line_width: float
    marker_size: float
    chart_height: int
    print_width_inches: float
    print_height_inches: float
    print_dpi: int
    band_opacity: float
    bar_opacity: float
    light: Theme
    dark: Theme


@cache
def style() -> Style:
    """Return the style that the package ships."""
    table = tomllib.loads(files("scalewall.report").joinpath("style.toml").read_text(encoding="utf-8"))
    themes = {name: table.pop(name) for name in ("light", "dark")}
    light, dark = (Theme(**(theme | {"series": tuple(theme["series"])})) for theme in themes.values())
    return Style(light=light, dark=dark, **table)


def series_look(index: int, colours: int) -> tuple[int, int]:
    """Return which colour and which marker the series ``index`` gets.

    Colour and marker both change from series to series; after a full round of colours the pairing shifts, so
    that no two of the first ``colours * 7`` series look the same.
    """
    return index % colours, (index + index // colours) % _SHAPES
