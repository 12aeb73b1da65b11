"""Charts as Plotly figures: interactive, for pages and notebooks.

A chart first becomes a Plotly specification in plain data whose colours are names (``@text``, ``@series.2``),
so that a page can draw the same figure in light and in dark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from scalewall.report.chart_data import NEUTRAL, REST, Axis, Band, Chart, Rule, Series
from scalewall.report.labels import ChartLabel, chart_labels
from scalewall.report.style import Theme, series_look, style

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["figure", "named_colours", "painted", "specification"]

Spec = dict[str, Any]
_MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "triangle-down")
_MARGIN = {"l": 64, "r": 16, "t": 48, "b": 56}
_USUAL_WIDTH = 940
"""Pixels that a figure is wide on most pages: what labels are placed for."""
_LABEL_SIZE = 10


def figure(chart: Chart, theme: Theme | None = None) -> go.Figure:
    """Return ``chart`` as a Plotly figure in ``theme`` (light if none is given)."""
    import plotly.graph_objects as go

    return go.Figure(painted(specification(chart), named_colours(theme or style().light)))


def named_colours(theme: Theme) -> dict[str, str]:
    """Return the colours of ``theme`` by the names that specifications use."""
    names = ("background", "surface", "text", "muted", "grid", "neutral")
    colours = {f"@{name}": getattr(theme, name) for name in names}
    return colours | {f"@series.{index}": colour for index, colour in enumerate(theme.series)}


def painted(spec: Any, colours: dict[str, str]) -> Any:
    """Return a specification with every colour name replaced by its colour."""
    if isinstance(spec, dict):
        return {key: painted(value, colours) for key, value in spec.items()}
    if isinstance(spec, list):
        return [painted(value, colours) for value in spec]
    return colours.get(spec, spec) if isinstance(spec, str) else spec


def specification(chart: Chart) -> Spec:
    """Return ``chart`` as Plotly data and layout with named colours, ready for JSON."""
    look = style()
    return {
        "data": [_trace(series) for series in chart.series],
        "layout": {
            "title": {"text": chart.title, "x": 0, "xref": "paper", "font": {"size": look.font_size + 3}},
            "font": {"family": look.font_family, "size": look.font_size, "color": "@text"},
            "paper_bgcolor": "@background",
            "plot_bgcolor": "@background",
            "height": look.chart_height * chart.height,
            "margin": _MARGIN,
            "legend": {"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top"},
            "showlegend": len(chart.series) > 1,
            "hovermode": "x unified" if any(one.kind == "layer" for one in chart.series) else "closest",
            "hoverlabel": {
                "bgcolor": "@surface",
                "bordercolor": "@grid",
                "font": {"color": "@text"},
                "align": "left",
            },
            "xaxis": _axis(chart.x),
            "yaxis": _axis(chart.y),
            "shapes": [*map(_band, chart.bands), *map(_rule, chart.rules)],
            "annotations": [
                *_annotations(chart),
                *(_bar_label(band, chart.x) for band in chart.bands if band.bar),
            ],
        },
    }


def _colour(index: int) -> str:
    return {NEUTRAL: "@neutral", REST: "@muted"}.get(index, f"@series.{_look(index)[0]}")


def _look(index: int) -> tuple[int, int]:
    return series_look(index, len(style().light.series))


def _trace(series: Series) -> Spec:
    look = style()
    colour = _colour(series.colour)
    trace: Spec = {
        "type": "scatter",
        "name": series.name,
        "x": list(series.x),
        "y": list(series.y),
        "text": [text.replace("\n", "<br>") for text in series.hover],
        "hovertemplate": "%{fullData.name}: %{text}<extra></extra>",
        "line": {"color": colour, "width": look.line_width * series.thickness, "dash": series.dash},
    }
    if series.kind == "points":
        return trace | _points(series, colour)
    if series.kind == "layer":
        return trace | {
            "mode": "lines",
            "stackgroup": "shares",
            "fillcolor": colour,
            "line": {"color": "@background", "width": 0.5},
        }
    marker = {"symbol": _MARKERS[_look(series.colour)[1]], "size": look.marker_size, "color": colour}
    return trace | {"mode": "lines+markers" if series.marked else "lines", "marker": marker}


def _points(series: Series, colour: str) -> Spec:
    """Return how points look: ranges as thick bars, the rest as open markers."""
    if not series.tops:
        marker = {"symbol": "triangle-up-open", "size": style().marker_size + 1, "color": colour}
        return {"mode": "markers", "marker": marker}
    up = [top - low for low, top in zip(series.y, series.tops, strict=True)]
    return {
        "mode": "markers",
        "marker": {"symbol": "circle", "size": style().marker_size, "color": colour},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": up,
            "arrayminus": [0] * len(up),
            "color": colour,
            "thickness": 2 * style().line_width,
            "width": 0,
        },
    }


def _annotations(chart: Chart) -> list[Spec]:
    """Return the labels of points, with a thin line to the point where they had to move away."""
    if not any(series.labels for series in chart.series):
        return []
    look = style()
    inner = (
        _USUAL_WIDTH - _MARGIN["l"] - _MARGIN["r"],
        look.chart_height * chart.height - _MARGIN["t"] - _MARGIN["b"],
    )
    labels = chart_labels(chart, inner, 0.63 * _LABEL_SIZE, 1.3 * _LABEL_SIZE, look.marker_size)
    return [_annotation(chart, label) for label in labels]


def _annotation(chart: Chart, label: ChartLabel) -> Spec:
    return {
        "x": _place(chart.x, label.x),
        "y": _place(chart.y, label.y),
        "text": label.text,
        "ax": label.spot.dx,
        "ay": -label.spot.dy,
        "showarrow": True,
        "arrowhead": 0,
        "arrowwidth": 0.5,
        "arrowcolor": "@muted",
        "borderpad": 0,
        "font": {"size": _LABEL_SIZE, "color": "@text"},
    }


def _place(axis: Axis, value: float) -> float:
    """Return where an annotation of a value stands: Plotly wants the logarithm on a logarithmic axis."""
    return math.log10(value) if axis.log else value


def _axis(axis: Axis) -> Spec:
    spec: Spec = {
        "title": {"text": axis.title},
        "type": "log" if axis.log else "linear",
        "gridcolor": "@grid",
        "linecolor": "@muted",
        "tickfont": {"color": "@muted"},
        "zeroline": False,
        "automargin": True,
    }
    if axis.log:
        spec |= {"exponentformat": "power", "dtick": 1}
    if axis.percent:
        spec |= {"tickformat": ".0%"}
    if axis.whole:
        spec |= {"tickformat": "d"}
    if axis.top is not None:
        spec |= {"range": [0, axis.top]}
    if axis.limits is not None:
        spec |= {"range": [_place(axis, end) for end in axis.limits]}
    return spec


def _band(band: Band) -> Spec:
    low, high = band.bar or (0, 1)
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": band.low,
        "x1": band.high,
        "y0": low,
        "y1": high,
        "fillcolor": _colour(band.colour),
        "opacity": style().bar_opacity if band.bar else style().band_opacity,
        "line": {"width": 0},
        "layer": "below",
        "label": {
            "text": "" if band.bar else band.label,
            "textposition": "top center",
            "font": {"color": "@text", "size": 11},
        },
    }


def _bar_label(band: Band, axis: Axis) -> Spec:
    assert band.bar
    return {
        "x": _place(axis, band.low),
        "yref": "paper",
        "y": sum(band.bar) / 2,
        "text": band.label,
        "showarrow": False,
        "xanchor": "right",
        "yanchor": "middle",
        "font": {"size": _LABEL_SIZE, "color": "@text"},
    }


def _rule(rule: Rule) -> Spec:
    colour = "@muted" if rule.colour == NEUTRAL else _colour(rule.colour)
    return {
        "type": "line",
        "xref": "paper",
        "yref": "y",
        "x0": 0,
        "x1": 1,
        "y0": rule.y,
        "y1": rule.y,
        "line": {"color": colour, "width": 1, "dash": rule.dash},
        "label": {"text": rule.label, "textposition": "end", "font": {"color": colour, "size": 11}},
    }
