"""Stacked and floating bars as plain data that Plotly and Matplotlib both draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from scalewall.report.chart_data import NEUTRAL, REST
from scalewall.report.style import Theme, series_look, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "BarSeries",
    "Limit",
    "StackedBars",
    "draw_stacked_bars",
    "stacked_bars_figure",
    "stacked_bars_height",
    "stacked_bars_specification",
]

_ROW_PIXELS = 24
_ROW_INCHES = 0.2
_AROUND_PIXELS = 130
_AROUND_INCHES = 0.95
_UPRIGHT_INCHES = 3.6
_UPRIGHT_PIXELS = 420
_MOST_TICKS = 24
"""Labels along an upright chart; of more stages every second, third, ... is labelled."""
_ROOM, _ROOM_BESIDE = 1.13, 1.22
"""The scale runs on beyond the longest bar, more where a text stands beside it."""


@dataclass(frozen=True)
class BarSeries:
    """Bars of one colour, at most one a row.

    Parameters
    ----------
    name : str
        What they stand for.
    rows : tuple of int
        Which rows, from the top (lying) or the left (upright).
    starts, values : tuple of float
        Where each begins, and how far it goes from there.
    hover : tuple of str
        Text on hover.
    colour : int
        Number in the style's series, or one of the greys of :mod:`scalewall.report.chart_data`.
    """

    name: str
    rows: tuple[int, ...]
    starts: tuple[float, ...]
    values: tuple[float, ...]
    hover: tuple[str, ...]
    colour: int


@dataclass(frozen=True)
class Limit:
    """A line across all bars at ``value``, named ``label``."""

    value: float
    label: str


@dataclass(frozen=True)
class StackedBars:
    """Bars that begin where others end.

    Parameters
    ----------
    title, axis : str
        Title, and what the bars measure, with its unit.
    labels : tuple of str
        A name a row.
    series : tuple of BarSeries
        In the order of the legend.
    texts : tuple of str
        Beside the end of each row; empty: none.
    limit : Limit, optional
        Such as a capacity.
    upright : bool
        Whether bars stand (many rows with short names), else they lie.
    rows : str
        What a row is; empty where the names say it.
    """

    title: str
    axis: str
    labels: tuple[str, ...]
    series: tuple[BarSeries, ...]
    texts: tuple[str, ...] = ()
    limit: Limit | None = None
    upright: bool = False
    rows: str = ""

    @property
    def ends(self) -> tuple[float, ...]:
        """Return how far each row goes."""
        found = [0.0] * len(self.labels)
        for one in self.series:
            for row, start, value in zip(one.rows, one.starts, one.values, strict=True):
                found[row] = max(found[row], start, start + value)
        return tuple(found)

    @property
    def top(self) -> float:
        """Upper end of the scale."""
        room = _ROOM if self.upright or not self.texts else _ROOM_BESIDE
        return room * max(*self.ends, self.limit.value if self.limit else 0.0)

    @property
    def ticks(self) -> tuple[int, ...]:
        """Rows whose names are written."""
        step = max(1, -(-len(self.labels) // _MOST_TICKS)) if self.upright else 1
        return tuple(range(0, len(self.labels), step))


def stacked_bars_height(chart: StackedBars) -> float:
    """Return how high a print figure of the chart is (inches)."""
    return _UPRIGHT_INCHES if chart.upright else _AROUND_INCHES + _ROW_INCHES * len(chart.labels)


def _named_colour(index: int) -> str:
    greys = {NEUTRAL: "@neutral", REST: "@muted"}
    return greys.get(index, f"@series.{series_look(index, len(style().light.series))[0]}")


def _colour(index: int, theme: Theme) -> str:
    greys = {NEUTRAL: theme.neutral, REST: theme.muted}
    return greys.get(index, theme.series[series_look(index, len(theme.series))[0]])


def stacked_bars_specification(chart: StackedBars) -> dict[str, Any]:
    """Return the chart as Plotly data and layout with named colours, ready for JSON."""
    look = style()
    along, across = ("y", "x") if chart.upright else ("x", "y")
    rows: dict[str, Any] = {
        "title": {"text": chart.rows},
        "tickvals": list(chart.ticks),
        "ticktext": [chart.labels[row] for row in chart.ticks],
        "range": [-0.6, len(chart.labels) - 0.4] if chart.upright else [len(chart.labels) - 0.4, -0.6],
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
    }
    scale = {
        "title": {"text": chart.axis},
        "range": [0, chart.top],
        "gridcolor": "@grid",
        "zerolinecolor": "@muted",
        "tickfont": {"color": "@muted"},
        "automargin": True,
    }
    return {
        "data": [_trace(chart, one) for one in chart.series],
        "layout": {
            "title": {"text": chart.title, "x": 0, "xref": "paper", "font": {"size": look.font_size + 3}},
            "font": {"family": look.font_family, "size": look.font_size, "color": "@text"},
            "paper_bgcolor": "@background",
            "plot_bgcolor": "@background",
            "height": _UPRIGHT_PIXELS if chart.upright else _AROUND_PIXELS + _ROW_PIXELS * len(chart.labels),
            "margin": {"l": 16, "r": 16, "t": 48, "b": 56},
            "barmode": "overlay",
            "bargap": 0.25,
            "legend": {"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top"},
            "showlegend": len(chart.series) > 1,
            "hovermode": "closest",
            "hoverlabel": {
                "bgcolor": "@surface",
                "bordercolor": "@grid",
                "font": {"color": "@text"},
                "align": "left",
            },
            f"{along}axis": scale,
            f"{across}axis": rows,
            "shapes": _limit_shapes(chart),
            "annotations": _texts(chart),
        },
    }


def _trace(chart: StackedBars, one: BarSeries) -> dict[str, Any]:
    along, across = ("y", "x") if chart.upright else ("x", "y")
    return {
        "type": "bar",
        "orientation": "v" if chart.upright else "h",
        "name": one.name,
        "base": list(one.starts),
        along: list(one.values),
        across: list(one.rows),
        "text": [text.replace("\n", "<br>") for text in one.hover],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "color": _named_colour(one.colour),
            "line": {"color": "@background", "width": 0.5 if chart.upright else 0},
        },
    }


def _limit_shapes(chart: StackedBars) -> list[dict[str, Any]]:
    if chart.limit is None:
        return []
    ends = (
        {"xref": "paper", "x0": 0, "x1": 1, "y0": chart.limit.value, "y1": chart.limit.value}
        if chart.upright
        else {"yref": "paper", "y0": 0, "y1": 1, "x0": chart.limit.value, "x1": chart.limit.value}
    )
    return [
        {
            "type": "line",
            **ends,
            "line": {"color": "@text", "width": 1.5, "dash": "dash"},
            "label": {
                "text": chart.limit.label,
                "textposition": "end",
                "font": {"color": "@text", "size": 11},
            },
        }
    ]


def _texts(chart: StackedBars) -> list[dict[str, Any]]:
    found = []
    for row, (text, end) in enumerate(zip(chart.texts, chart.ends, strict=False)):
        place = {"x": row, "y": end} if chart.upright else {"x": end, "y": row}
        anchors = {"yanchor": "bottom"} if chart.upright else {"xanchor": "left", "xshift": 3}
        font = {"size": style().font_size - 2, "color": "@muted"}
        found.append({**place, **anchors, "text": text, "showarrow": False, "font": font})
    return found


def stacked_bars_figure(chart: StackedBars, theme: Theme | None = None) -> Figure:
    """Return the chart as a Matplotlib figure; it belongs to no window."""
    from matplotlib.figure import Figure

    look = style()
    colours = theme or look.light
    drawn = Figure(
        figsize=(1.25 * look.print_width_inches, stacked_bars_height(chart)),
        dpi=look.print_dpi,
        facecolor=colours.background,
        layout="constrained",
    )
    draw_stacked_bars(drawn.subplots(), chart, colours)
    return drawn


def draw_stacked_bars(axes: Axes, chart: StackedBars, theme: Theme) -> None:
    """Draw the chart into ``axes`` in the colours of ``theme``."""
    size = style().print_font_size
    axes.set_facecolor(theme.background)
    axes.set_title(chart.title, loc="left", color=theme.text, fontsize=size + 2)
    for one in chart.series:
        draw: dict[str, Any] = {
            "label": one.name,
            "color": _colour(one.colour, theme),
            "edgecolor": theme.background,
            "linewidth": 0.4 if chart.upright else 0.0,
        }
        if chart.upright:
            axes.bar(one.rows, one.values, bottom=one.starts, width=0.8, **draw)
        else:
            axes.barh(one.rows, one.values, left=one.starts, height=0.75, **draw)
    _draw_scales(axes, chart, theme)
    for row, (text, end) in enumerate(zip(chart.texts, chart.ends, strict=False)):
        axes.annotate(
            text,
            (row, end) if chart.upright else (end, row),
            xytext=(0, 2) if chart.upright else (3, 0),
            textcoords="offset points",
            horizontalalignment="center" if chart.upright else "left",
            verticalalignment="bottom" if chart.upright else "center",
            color=theme.muted,
            fontsize=size - 2,
        )
    if chart.limit:
        _draw_limit(axes, chart.limit, chart.upright, theme)
    if len(chart.series) > 1:
        legend = axes.legend(
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            frameon=False,
            fontsize=size - 1,
            reverse=chart.upright,
        )
        for entry in legend.get_texts():
            entry.set_color(theme.text)


def _draw_scales(axes: Axes, chart: StackedBars, theme: Theme) -> None:
    size = style().print_font_size
    names = [chart.labels[row] for row in chart.ticks]
    if chart.upright:
        axes.set_ylim(0.0, chart.top)
        axes.set_xlim(-0.6, len(chart.labels) - 0.4)
        axes.set_xticks(chart.ticks, names)
        axes.set_ylabel(chart.axis, color=theme.text, fontsize=size)
        axes.set_xlabel(chart.rows, color=theme.text, fontsize=size)
    else:
        axes.set_xlim(0.0, chart.top)
        axes.set_ylim(len(chart.labels) - 0.4, -0.6)
        axes.set_yticks(chart.ticks, names)
        axes.set_xlabel(chart.axis, color=theme.text, fontsize=size)
    values: Literal["x", "y"] = "y" if chart.upright else "x"
    rows: Literal["x", "y"] = "x" if chart.upright else "y"
    axes.tick_params(axis=values, colors=theme.muted, labelsize=size - 1)
    axes.tick_params(axis=rows, colors=theme.text, labelsize=size - 1, length=0)
    axes.grid(True, axis=values, color=theme.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(theme.muted)


def _draw_limit(axes: Axes, limit: Limit, upright: bool, theme: Theme) -> None:
    line = axes.axhline if upright else axes.axvline
    line(limit.value, color=theme.text, linewidth=1.0, linestyle=(0, (5, 3)))
    axes.annotate(
        limit.label,
        (1.0, limit.value) if upright else (limit.value, 1.0),
        xycoords=("axes fraction", "data") if upright else ("data", "axes fraction"),
        xytext=(-2, 2) if upright else (3, -3),
        textcoords="offset points",
        horizontalalignment="right" if upright else "left",
        verticalalignment="bottom" if upright else "top",
        color=theme.text,
        fontsize=style().print_font_size - 2,
    )
