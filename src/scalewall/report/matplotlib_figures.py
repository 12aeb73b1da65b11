"""Charts as Matplotlib figures: PNG, SVG and PDF for papers and slides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scalewall.report.chart_data import NEUTRAL, REST, Axis, Band, Chart, Rule, Series
from scalewall.report.labels import chart_labels
from scalewall.report.style import Theme, series_look, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_chart", "figure"]

_MARKERS = ("o", "s", "D", "^", "X", "P", "v")
_DASHES: dict[str, str | tuple[int, tuple[float, ...]]] = {
    "solid": "solid",
    "dash": (0, (6, 3)),
    "dot": (0, (1.5, 2)),
}
_LEGEND_COLUMNS = 3
_LEGEND_HANDLE = 42.0
"""Points that the sample beside a legend's text takes, with the space around it."""
_LABEL_SIZE = 6.5
_AROUND_AXES = (0.8, 1.1)
"""Inches of a figure's width and height that axis titles and the legend take, about."""
_FAR = 14.0
"""Points from which on a label gets a line to its point."""


def figure(charts: Sequence[Chart], theme: Theme | None = None) -> Figure:
    """Return ``charts`` as one figure, two a row if there are more than two, in ``theme`` (light if none).

    The figure belongs to no window: save it with ``savefig``.
    """
    from matplotlib.figure import Figure

    look = style()
    colours = theme or look.light
    columns = 1 if len(charts) <= 2 else 2
    rows = math.ceil(len(charts) / columns)
    heights = [
        max(chart.height for chart in charts[row * columns : (row + 1) * columns]) for row in range(rows)
    ]
    drawn = Figure(
        figsize=(look.print_width_inches * columns, look.print_height_inches * sum(heights)),
        dpi=look.print_dpi,
        facecolor=colours.background,
        layout="constrained",
    )
    grid = drawn.add_gridspec(rows, columns, height_ratios=heights)
    for place, chart in enumerate(charts):
        draw_chart(drawn.add_subplot(grid[place // columns, place % columns]), chart, colours)
    return drawn


def draw_chart(axes: Axes, chart: Chart, theme: Theme) -> None:
    """Draw ``chart`` into ``axes`` in the colours of ``theme``."""
    axes.set_facecolor(theme.background)
    axes.set_title(chart.title, loc="left", color=theme.text, fontsize=style().print_font_size + 2)
    _draw_axes(axes, chart.x, chart.y, theme)
    for band in chart.bands:
        _draw_band(axes, band, theme)
    for rule in chart.rules:
        _draw_rule(axes, rule, theme)
    _draw_series(axes, chart, theme)
    _draw_labels(axes, chart, theme)
    if chart.y.top is not None:
        axes.set_ylim(0.0, chart.y.top)
    if chart.x.limits is not None:
        axes.set_xlim(*chart.x.limits)
    if chart.y.limits is not None:
        axes.set_ylim(*chart.y.limits)
    if len(chart.series) > 1:
        _draw_legend(axes, [series.name for series in chart.series], chart.height, theme)


def _draw_axes(axes: Axes, x: Axis, y: Axis, theme: Theme) -> None:
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    size = style().print_font_size
    for axis, scale, set_label, ticks in (
        (x, axes.set_xscale, axes.set_xlabel, axes.xaxis),
        (y, axes.set_yscale, axes.set_ylabel, axes.yaxis),
    ):
        scale("log" if axis.log else "linear")
        set_label(axis.title, color=theme.text, fontsize=size)
        if axis.percent:
            ticks.set_major_formatter(PercentFormatter(1.0, decimals=0))
        if axis.whole:
            ticks.set_major_locator(MaxNLocator("auto", integer=True))
    axes.tick_params(which="both", colors=theme.muted, labelsize=size - 1)
    axes.grid(True, which="major", color=theme.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.muted)


def _draw_series(axes: Axes, chart: Chart, theme: Theme) -> None:
    look = style()
    layers = [series for series in chart.series if series.kind == "layer"]
    if layers:
        axes.stackplot(
            layers[0].x,
            [layer.y for layer in layers],
            labels=[layer.name for layer in layers],
            colors=[_colour(layer.colour, theme) for layer in layers],
            edgecolor=theme.background,
            linewidth=0.4,
        )
        axes.margins(x=0)
    for series in chart.series:
        if series.kind == "line":
            axes.plot(
                series.x,
                series.y,
                label=series.name,
                color=_colour(series.colour, theme),
                linestyle=_dashes(series),
                marker=_MARKERS[series_look(series.colour, len(theme.series))[1]] if series.marked else None,
                linewidth=0.75 * look.line_width * series.thickness,
                markersize=0.6 * look.marker_size,
            )
        elif series.kind == "points":
            _draw_points(axes, series, _colour(series.colour, theme))


def _dashes(series: Series) -> str | tuple[int, tuple[float, ...]]:
    """Return a line's dashes, as long on a thick line as on a usual one."""
    dashes = _DASHES[series.dash]
    if isinstance(dashes, str):
        return dashes
    return dashes[0], tuple(length / series.thickness for length in dashes[1])


def _draw_points(axes: Axes, series: Series, colour: str) -> None:
    """Draw ranges as thick bars, the rest as open markers."""
    look = style()
    if not series.tops:
        axes.plot(
            series.x,
            series.y,
            label=series.name,
            color=colour,
            linestyle="none",
            marker="^",
            markerfacecolor="none",
            markersize=0.7 * look.marker_size,
        )
        return
    axes.vlines(series.x, series.y, series.tops, color=colour, linewidth=1.5 * look.line_width)
    axes.plot(
        series.x,
        series.y,
        label=series.name,
        color=colour,
        linestyle="none",
        marker="o",
        markersize=0.55 * look.marker_size,
    )


def _draw_labels(axes: Axes, chart: Chart, theme: Theme) -> None:
    """Write the names of points beside them, with a thin line where they had to move away."""
    if not any(series.labels for series in chart.series):
        return
    look = style()
    size = (
        72.0 * (look.print_width_inches - _AROUND_AXES[0]),
        72.0 * (look.print_height_inches * chart.height - _AROUND_AXES[1]),
    )
    for label in chart_labels(chart, size, 0.62 * _LABEL_SIZE, 1.25 * _LABEL_SIZE, 0.7 * look.marker_size):
        far = math.hypot(label.spot.dx, label.spot.dy) > _FAR + 0.31 * _LABEL_SIZE * len(label.text)
        axes.annotate(
            label.text,
            (label.x, label.y),
            xytext=(label.spot.dx, label.spot.dy),
            textcoords="offset points",
            horizontalalignment="center",
            verticalalignment="center",
            color=theme.text,
            fontsize=_LABEL_SIZE,
            arrowprops={"arrowstyle": "-", "color": theme.muted, "linewidth": 0.4, "shrinkB": 2}
            if far
            else None,
        )


def _draw_band(axes: Axes, band: Band, theme: Theme) -> None:
    look = style()
    colour = _colour(band.colour, theme)
    low, high = band.bar or (0.0, 1.0)
    opacity = look.bar_opacity if band.bar else look.band_opacity
    axes.axvspan(band.low, band.high, low, high, color=colour, alpha=opacity, linewidth=0, zorder=0)
    axes.annotate(
        band.label,
        (band.low, (low + high) / 2 if band.bar else 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-3, 0 if band.bar else -3),
        textcoords="offset points",
        horizontalalignment="right",
        verticalalignment="center" if band.bar else "top",
        color=theme.text if band.bar else theme.muted,
        fontsize=look.print_font_size - 2,
    )


def _draw_rule(axes: Axes, rule: Rule, theme: Theme) -> None:
    colour = theme.muted if rule.colour == NEUTRAL else _colour(rule.colour, theme)
    axes.axhline(rule.y, color=colour, linewidth=0.9, linestyle=_DASHES[rule.dash], zorder=1)
    axes.annotate(
        rule.label,
        (1.0, rule.y),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 2),
        textcoords="offset points",
        horizontalalignment="right",
        color=colour,
        fontsize=style().print_font_size - 2,
    )


def _draw_legend(axes: Axes, names: Sequence[str], height: float, theme: Theme) -> None:
    """Draw the legend below the axes, in as many columns as its longest name leaves room for."""
    look = style()
    widest = _LEGEND_HANDLE + 0.6 * (look.print_font_size - 1) * max(map(len, names))
    room = int(72.0 * look.print_width_inches / widest)
    legend = axes.legend(
        loc="upper left",
        bbox_to_anchor=(0.0, -0.16 / height),
        ncols=max(1, min(len(names), room, _LEGEND_COLUMNS)),
        frameon=False,
        fontsize=style().print_font_size - 1,
    )
    for text in legend.get_texts():
        text.set_color(theme.text)


def _colour(index: int, theme: Theme) -> str:
    series = theme.series[series_look(index, len(theme.series))[0]]
    return {NEUTRAL: theme.neutral, REST: theme.muted}.get(index, series)
