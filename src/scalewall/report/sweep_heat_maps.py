"""Heat maps of a sweep: a result over two inputs, small multiples by a third, for pages and for print."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from scalewall.errors import InputError
from scalewall.report.style import Theme, style
from scalewall.report.sweep_tables import title_of, value_text

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "HeatMap",
    "Panel",
    "chosen_by",
    "heading",
    "heat_map",
    "heat_map_figure",
    "heat_map_page",
    "is_wide",
]

MOST_PANELS = 16
MOST_CELLS = 60
"""Different values of an input that a heat map shows one by one; more (samples) fall into bins."""

_BINS = 24
_WIDE = 20.0
"""Ratio of the largest to the smallest number from which a scale is logarithmic."""

_WRITTEN_CELLS = 80
_COLUMNS = 3
_CELL_FONT = 7.0
_SHORT_LABEL = 6
_MOST_LABELS = 16
_BELOW_LABELS = 56
"""Pixels between a page's heat map and the title of an axis whose labels are slanted."""

_COLOURS = "cividis"
"""A map from dark to light that people with colour blindness read too (Nuñez et al. 2018)."""


@dataclass(frozen=True)
class Panel:
    """One heat map: its title, and its values by row (y, upwards) and column (x); NaN where there is none."""

    title: str
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class HeatMap:
    """Heat maps that share axes and colours.

    Parameters
    ----------
    title, x_title, y_title : str
        For people.
    x_labels, y_labels : tuple of str
        Values of the inputs.
    value : str
        Name of the result.
    log : bool
        Whether colours are by logarithm.
    panels : tuple of Panel
        At least one.
    """

    title: str
    x_title: str
    y_title: str
    x_labels: tuple[str, ...]
    y_labels: tuple[str, ...]
    value: str
    log: bool
    panels: tuple[Panel, ...]

    @property
    def ends(self) -> tuple[float, float]:
        """Least and largest value of all panels; (0, 1) if there is none."""
        found = [value for panel in self.panels for row in panel.values for value in row if value == value]
        return (min(found), max(found)) if found else (0.0, 1.0)


def heat_map(rows: pd.DataFrame, value: str, x: str, y: str, by: str | None = None) -> HeatMap:
    """Return a result over two inputs: the median of the rows that meet in a cell.

    Parameters
    ----------
    rows : DataFrame
        With these columns.
    value, x, y, by : str
        Result, input across, input upwards, input of the panels.

    Raises
    ------
    InputError
        More than :data:`MOST_PANELS` panels.
    """
    columns, x_labels = _binned(rows[x], x)
    lines, y_labels = _binned(rows[y], y)
    panels = []
    for name, chosen in chosen_by(rows, by):
        cells = np.full((len(y_labels), len(x_labels)), math.nan)
        medians = rows[value][chosen].groupby([lines[chosen], columns[chosen]]).median()
        line, column = (medians.index.get_level_values(level) for level in (0, 1))
        cells[line, column] = medians
        panels.append(
            Panel(f"{title_of(by)}: {name}" if by else "", tuple(tuple(map(float, row)) for row in cells))
        )
    title = f"{heading(value)} over {x} and {y}"
    plain = HeatMap(title, x, y, x_labels, y_labels, value, False, tuple(panels))
    low, high = plain.ends
    return replace(plain, log=is_wide(low, high))


def heading(value: str) -> str:
    """Return a result's name as the first words of a title."""
    name = title_of(value)
    return name[0].upper() + name[1:]


def _values(column: pd.Series[Any]) -> list[Any]:
    """Return an input's values: numbers in order, names as they come."""
    found = list(column.dropna().unique())
    return sorted(found) if column.dtype.kind in "iuf" else found


def chosen_by(rows: pd.DataFrame, by: str | None) -> list[tuple[str, pd.Series[bool]]]:
    """Return which rows have each value of ``by``, with the value as people read it; all rows without it.

    Raises
    ------
    InputError
        More than :data:`MOST_PANELS` values.
    """
    if by is None:
        return [("", rows[rows.columns[0]].map(lambda _: True).astype(bool))]
    values = _values(rows[by])
    if len(values) > MOST_PANELS:
        raise InputError("--by", by, f"an input of at most {MOST_PANELS} values, and this has {len(values)}")
    return [(value_text(by, one), rows[by] == one) for one in values]


def is_wide(low: float, high: float) -> bool:
    """Tell whether numbers from ``low`` to ``high`` are better shown by their logarithms."""
    return low > 0 and high > _WIDE * low


def _binned(column: pd.Series[Any], name: str) -> tuple[np.ndarray[Any, Any], tuple[str, ...]]:
    """Return the cell of every row along an input, and the cells' labels."""
    values = _values(column)
    if len(values) <= MOST_CELLS:
        places = {one: place for place, one in enumerate(values)}
        return np.array([places[one] for one in column]), tuple(value_text(name, one) for one in values)
    if column.dtype.kind not in "iuf":
        raise InputError(f"--{name}", f"{len(values)} values", f"an input of at most {MOST_CELLS} names")
    low, high = float(values[0]), float(values[-1])
    if is_wide(low, high):
        edges = np.geomspace(low, high, _BINS + 1)
        middles = np.sqrt(edges[1:] * edges[:-1])
    else:
        edges = np.linspace(low, high, _BINS + 1)
        middles = (edges[1:] + edges[:-1]) / 2
    cells = np.clip(np.searchsorted(edges, column.to_numpy(float), side="right") - 1, 0, _BINS - 1)
    return cells, tuple(value_text(name, float(middle)) for middle in middles)


def _grid(shown: HeatMap) -> tuple[int, int]:
    """Return rows and columns of panels."""
    columns = min(_COLUMNS, len(shown.panels))
    return math.ceil(len(shown.panels) / columns), columns


def _are_long(labels: tuple[str, ...]) -> bool:
    """Tell whether labels are so long that they have to be slanted."""
    return max(map(len, labels)) > _SHORT_LABEL


def heat_map_page(shown: HeatMap) -> go.Figure:
    """Return heat maps as a Plotly figure, values and inputs on hover."""
    from plotly.subplots import make_subplots

    look, (rows, columns) = style(), _grid(shown)
    drawn = make_subplots(
        rows=rows,
        cols=columns,
        shared_xaxes=True,
        shared_yaxes=True,
        x_title=shown.x_title,
        y_title=shown.y_title,
        subplot_titles=[panel.title for panel in shown.panels],
    )
    scale = np.log10 if shown.log else np.asarray
    low, high = (float(scale(end)) for end in shown.ends)
    ticks = np.linspace(low, high, 5)
    for place, panel in enumerate(shown.panels):
        texts = [[value_text(shown.value, value) for value in row] for row in panel.values]
        drawn.add_heatmap(
            z=scale(np.array(panel.values)),
            x=list(shown.x_labels),
            y=list(shown.y_labels),
            customdata=texts,
            hovertemplate="%{x}, %{y}<br>%{customdata}<extra></extra>",
            coloraxis="coloraxis",
            row=place // columns + 1,
            col=place % columns + 1,
        )
    drawn.update_xaxes(type="category").update_yaxes(type="category")
    if _are_long(shown.x_labels):
        drawn.update_annotations(selector={"text": shown.x_title}, yshift=-_BELOW_LABELS)
        drawn.update_layout(margin={"b": 2 * _BELOW_LABELS})
    drawn.update_layout(
        title={"text": shown.title, "x": 0, "xref": "paper"},
        font={"family": look.font_family, "size": look.font_size, "color": look.light.text},
        paper_bgcolor=look.light.background,
        plot_bgcolor=look.light.surface,
        height=120 + 0.85 * look.chart_height * rows,
        coloraxis={
            "colorscale": _COLOURS,
            "cmin": low,
            "cmax": high,
            "colorbar": {
                "title": {"text": title_of(shown.value)},
                "tickvals": ticks.tolist(),
                "ticktext": [
                    value_text(shown.value, float(10**tick if shown.log else tick)) for tick in ticks
                ],
            },
        },
    )
    return drawn


def heat_map_figure(shown: HeatMap, theme: Theme | None = None) -> Figure:
    """Return heat maps as a Matplotlib figure in ``theme`` (light if none); it belongs to no window."""
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    look, (rows, columns) = style(), _grid(shown)
    colours = theme or look.light
    width = look.print_width_inches * (1.0 if columns == 1 else 0.75 * columns)
    drawn = Figure(
        figsize=(width, 0.6 + look.print_height_inches * rows),
        dpi=look.print_dpi,
        facecolor=colours.background,
        layout="constrained",
    )
    norm = (LogNorm if shown.log else Normalize)(*shown.ends)
    grid = drawn.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place < len(shown.panels):
            image = _draw_panel(axes, shown, shown.panels[place], norm, colours)
        else:
            axes.set_visible(False)
    bar = drawn.colorbar(image, ax=grid, shrink=0.9)
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: value_text(shown.value, float(value))))
    bar.ax.yaxis.set_minor_formatter(FuncFormatter(lambda *_: ""))
    bar.set_label(title_of(shown.value), color=colours.text, fontsize=look.print_font_size)
    bar.ax.tick_params(colors=colours.muted, labelsize=look.print_font_size - 1)
    drawn.suptitle(shown.title, x=0.01, ha="left", color=colours.text, fontsize=look.print_font_size + 2)
    drawn.supxlabel(shown.x_title, color=colours.text, fontsize=look.print_font_size)
    drawn.supylabel(shown.y_title, color=colours.text, fontsize=look.print_font_size)
    return drawn


def _draw_panel(axes: Axes, shown: HeatMap, panel: Panel, norm: Any, theme: Theme) -> Any:
    """Draw one panel; few cells have their value written in them."""
    size = style().print_font_size
    values = np.array(panel.values)
    axes.set_facecolor(theme.surface)
    image = axes.imshow(values, origin="lower", aspect="auto", cmap=_COLOURS, norm=norm)
    axes.set_title(panel.title, color=theme.text, fontsize=size, loc="left")
    axes.set_xticks(*_ticks(shown.x_labels))
    if _are_long(shown.x_labels):
        for label in axes.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(*_ticks(shown.y_labels))
    axes.tick_params(colors=theme.muted, labelsize=size - 1, length=2)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if values.size <= _WRITTEN_CELLS:
        for (line, column), value in np.ndenumerate(values):
            if value == value:
                dark = norm(value) < 0.5
                axes.text(
                    column,
                    line,
                    value_text(shown.value, float(value)),
                    ha="center",
                    va="center",
                    fontsize=_CELL_FONT,
                    color=theme.background if dark else theme.text,
                )
    return image


def _ticks(labels: tuple[str, ...]) -> tuple[range, tuple[str, ...]]:
    """Return where labels stand and which, at most :data:`_MOST_LABELS` of them."""
    step = math.ceil(len(labels) / _MOST_LABELS)
    return range(0, len(labels), step), labels[::step]
