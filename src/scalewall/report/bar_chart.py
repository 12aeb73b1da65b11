"""Horizontal bars on a logarithmic scale of factors, as plain data that Plotly and Matplotlib both draw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scalewall.report.plotly_figures import named_colours, painted
from scalewall.report.style import Theme, series_look, style

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from matplotlib.figure import Figure

__all__ = ["Bar", "BarChart", "bar_figure", "bar_page_figure", "bar_specification"]

_ROW_PIXELS = 22
_ROW_INCHES = 0.185
_AROUND_PIXELS = 150
_AROUND_INCHES = 1.1
_WIDE = 1.25
"""Width of a print figure in widths of a usual one: labels take the rest."""
_THICK = 0.7
"""Of a bar, in rows. Plotly's own choice is the distance to the nearest bar of the same group, however far it is."""
_ROOM = 0.12
"""Powers of ten that the scale runs on beyond the first and the last value."""


@dataclass(frozen=True)
class Bar:
    """One bar, from 1 to ``value``.

    Parameters
    ----------
    label : str
        Beside the bar.
    value : float
        A factor above 0.
    mark : float or None
        A second factor, shown as a diamond; None: none.
    group : str
        What its colour stands for.
    hover : str
        Text on hover.
    """

    label: str
    value: float
    mark: float | None
    group: str
    hover: str


@dataclass(frozen=True)
class BarChart:
    """Bars from the top down, as they come.

    Parameters
    ----------
    title, axis, mark : str
        Title, what the bars measure, what the diamonds measure.
    groups : tuple of str
        Groups in the order of their colours.
    bars : tuple of Bar
        At least one.
    """

    title: str
    axis: str
    mark: str
    groups: tuple[str, ...]
    bars: tuple[Bar, ...]

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the scale, in powers of ten; 1 lies between them."""
        values = [*(bar.value for bar in self.bars), *(bar.mark for bar in self.bars if bar.mark), 1.0]
        return math.log10(min(values)) - _ROOM, math.log10(max(values)) + _ROOM

    @property
    def ticks(self) -> tuple[int, ...]:
        """Whole powers of ten within the ends, 12 at most."""
        low, high = self.ends
        step = max(1, math.ceil((high - low) / 12))
        return tuple(power for power in range(math.ceil(low), math.floor(high) + 1) if power % step == 0)

    def of(self, group: str) -> tuple[tuple[int, Bar], ...]:
        """Return the bars of a group with their places from the top."""
        return tuple((place, bar) for place, bar in enumerate(self.bars) if bar.group == group)


def _factor_text(power: int) -> str:
    """Return ten to a power as a factor: ``x0.1``, ``x100``, ``x1e6``."""
    return f"x{10.0**power:g}" if -3 <= power <= 3 else f"x1e{power}"


def bar_specification(chart: BarChart) -> dict[str, Any]:
    """Return the chart as Plotly data and layout with named colours, ready for JSON."""
    look = style()
    traces: list[dict[str, Any]] = []
    for index, group in enumerate(chart.groups):
        bars = chart.of(group)
        if bars:
            traces.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "name": group,
                    "x": [math.log10(bar.value) for _, bar in bars],
                    "y": [place for place, _ in bars],
                    "width": _THICK,
                    "text": [bar.hover.replace("\n", "<br>") for _, bar in bars],
                    "textposition": "none",
                    "hovertemplate": "%{text}<extra></extra>",
                    "marker": {"color": f"@series.{series_look(index, len(look.light.series))[0]}"},
                }
            )
    marked = [(place, bar) for place, bar in enumerate(chart.bars) if bar.mark]
    if marked:
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": chart.mark,
                "x": [math.log10(bar.mark or 1.0) for _, bar in marked],
                "y": [place for place, _ in marked],
                "text": [bar.hover.replace("\n", "<br>") for _, bar in marked],
                "hovertemplate": "%{text}<extra></extra>",
                "marker": {
                    "symbol": "diamond",
                    "size": look.marker_size + 1,
                    "color": "@background",
                    "line": {"color": "@text", "width": 1.5},
                },
            }
        )
    return {
        "data": traces,
        "layout": {
            "title": {"text": chart.title, "x": 0, "xref": "paper", "font": {"size": look.font_size + 3}},
            "font": {"family": look.font_family, "size": look.font_size, "color": "@text"},
            "paper_bgcolor": "@background",
            "plot_bgcolor": "@background",
            "height": _AROUND_PIXELS + _ROW_PIXELS * len(chart.bars),
            "margin": {"l": 16, "r": 16, "t": 48, "b": 56},
            "barmode": "overlay",
            "meta": {"narrow": "labels above"},
            "legend": {
                "orientation": "h",
                "x": 0,
                "y": -60 / (_ROW_PIXELS * len(chart.bars)),
                "yanchor": "top",
            },
            "showlegend": True,
            "hoverlabel": {
                "bgcolor": "@surface",
                "bordercolor": "@grid",
                "font": {"color": "@text"},
                "align": "left",
            },
            "xaxis": {
                "title": {"text": chart.axis},
                "tickvals": list(chart.ticks),
                "ticktext": [_factor_text(power) for power in chart.ticks],
                "range": list(chart.ends),
                "gridcolor": "@grid",
                "zerolinecolor": "@muted",
                "tickfont": {"color": "@muted"},
                "automargin": True,
            },
            "yaxis": {
                "tickvals": list(range(len(chart.bars))),
                "ticktext": [bar.label for bar in chart.bars],
                "range": [len(chart.bars) - 0.4, -0.6],
                "showgrid": False,
                "zeroline": False,
                "automargin": True,
            },
        },
    }


def bar_page_figure(chart: BarChart, theme: Theme | None = None) -> go.Figure:
    """Return the chart as a Plotly figure in ``theme`` (light if none is given)."""
    import plotly.graph_objects as go

    return go.Figure(painted(bar_specification(chart), named_colours(theme or style().light)))


def bar_figure(chart: BarChart, theme: Theme | None = None) -> Figure:
    """Return the chart as a Matplotlib figure; it belongs to no window."""
    from matplotlib.figure import Figure

    look = style()
    colours = theme or look.light
    drawn = Figure(
        figsize=(_WIDE * look.print_width_inches, _AROUND_INCHES + _ROW_INCHES * len(chart.bars)),
        dpi=look.print_dpi,
        facecolor=colours.background,
        layout="constrained",
    )
    _draw(drawn.subplots(), chart, colours)
    size = look.print_font_size + 2
    drawn.suptitle(chart.title, x=0.01, ha="left", color=colours.text, fontsize=size)
    return drawn


def _draw(axes: Any, chart: BarChart, theme: Theme) -> None:
    look = style()
    size = look.print_font_size
    axes.set_facecolor(theme.background)
    for index, group in enumerate(chart.groups):
        bars = chart.of(group)
        if bars:
            axes.barh(
                [place for place, _ in bars],
                [math.log10(bar.value) for _, bar in bars],
                height=_THICK,
                color=theme.series[series_look(index, len(theme.series))[0]],
                label=group,
            )
    marked = [(place, bar.mark) for place, bar in enumerate(chart.bars) if bar.mark]
    if marked:
        axes.plot(
            [math.log10(mark) for _, mark in marked],
            [place for place, _ in marked],
            linestyle="none",
            marker="D",
            markersize=0.55 * look.marker_size,
            markerfacecolor=theme.background,
            markeredgecolor=theme.text,
            markeredgewidth=0.9,
            label=chart.mark,
        )
    axes.axvline(0.0, color=theme.muted, linewidth=0.9)
    axes.set_xlim(*chart.ends)
    axes.set_ylim(len(chart.bars) - 0.4, -0.6)
    axes.set_xticks(chart.ticks, [_factor_text(power) for power in chart.ticks])
    axes.set_yticks(range(len(chart.bars)), [bar.label for bar in chart.bars])
    axes.set_xlabel(chart.axis, color=theme.text, fontsize=size)
    axes.tick_params(axis="x", colors=theme.muted, labelsize=size - 1)
    axes.tick_params(axis="y", colors=theme.text, labelsize=size - 1.5, length=0)
    axes.grid(True, axis="x", color=theme.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(theme.muted)
    legend = axes.legend(loc="lower right", frameon=True, fontsize=size - 1.5, facecolor=theme.background)
    legend.get_frame().set_edgecolor(theme.grid)
    for text in legend.get_texts():
        text.set_color(theme.text)
