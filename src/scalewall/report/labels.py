"""Where the names of points go in a chart so that they do not lie on each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scalewall.report.chart_data import Axis, Chart

__all__ = ["ChartLabel", "LabelSpot", "chart_labels", "place_labels"]

_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
_RINGS = 8
_CLEARANCE = 0.5
"""How far a label keeps from its point, in heights of a line."""


@dataclass(frozen=True)
class LabelSpot:
    """The middle of a label, as an offset from its point, in the unit of the coordinates; y points up."""

    dx: float
    dy: float


@dataclass(frozen=True)
class _Box:
    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: _Box) -> float:
        """Return the area that two boxes share."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(wide, 0.0) * max(high, 0.0)


def place_labels(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    obstacles: Sequence[tuple[float, float, float, float]],
    size: tuple[float, float],
    character: float,
    line: float,
) -> list[LabelSpot]:
    """Return a place for each label: the nearest that is free, else the one that hides least.

    Parameters
    ----------
    points : sequence of (x, y)
        What is labelled, in points or pixels from the lower left corner of the axes.
    texts : sequence of str
        The labels, each on one line.
    obstacles : sequence of (left, bottom, right, top)
        What labels must not cover, in the same unit.
    size : tuple of float
        Width and height of the axes.
    character, line : float
        Width of a character and height of a line.
    """
    taken = [_Box(*edges) for edges in obstacles]
    spots: dict[int, LabelSpot] = {}
    for index in sorted(range(len(points)), key=lambda index: points[index]):
        x, y = points[index]
        wide, high = character * len(texts[index]), line
        best, least = LabelSpot(0.0, 0.0), math.inf
        for spot in _candidates(wide, high):
            middle_x, middle_y = x + spot.dx, y + spot.dy
            box = _Box(middle_x - wide / 2, middle_y - high / 2, middle_x + wide / 2, middle_y + high / 2)
            hidden = sum(box.overlap(other) for other in taken) + _outside(box, size)
            if hidden < least:
                best, least = spot, hidden
            if hidden == 0.0:
                break
        spots[index] = best
        x, y = x + best.dx, y + best.dy
        taken.append(_Box(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2))
    return [spots[index] for index in range(len(points))]


def _candidates(wide: float, high: float) -> Iterator[LabelSpot]:
    """Yield places around a point, nearest first."""
    for ring in range(1, _RINGS + 1):
        away = _CLEARANCE * high * ring
        for across, up in _DIRECTIONS:
            yield LabelSpot(across * (wide / 2 + away), up * (high / 2 + away))


def _outside(box: _Box, size: tuple[float, float]) -> float:
    """Return the area of a box that lies outside the axes."""
    area = (box.right - box.left) * (box.top - box.bottom)
    return area - box.overlap(_Box(0.0, 0.0, *size))


@dataclass(frozen=True)
class ChartLabel:
    """A label of a chart: the point that it names, in data, its text, and where it goes."""

    x: float
    y: float
    text: str
    spot: LabelSpot


def chart_labels(
    chart: Chart, size: tuple[float, float], character: float, line: float, marker: float
) -> list[ChartLabel]:
    """Return the labels of a chart whose axes have limits; none if no series has any.

    Parameters
    ----------
    chart : Chart
        Both axes with ``limits``, if a series has labels.
    size : tuple of float
        Width and height of the axes, in points or pixels.
    character, line, marker : float
        Width of a character, height of a line and width of a marker, in the same unit.
    """
    named: list[tuple[float, float, str]] = []
    places: list[tuple[float, float]] = []
    obstacles: list[tuple[float, float, float, float]] = []
    for series in chart.series:
        if series.kind != "points":
            continue
        for index, x in enumerate(series.x):
            low, top = series.y[index], series.tops[index] if series.tops else series.y[index]
            across = size[0] * _share(chart.x, x)
            up, highest = size[1] * _share(chart.y, low), size[1] * _share(chart.y, top)
            obstacles.append(
                (across - marker / 2, up - marker / 2, across + marker / 2, highest + marker / 2)
            )
            if series.labels:
                named.append((x, _middle(chart.y, low, top), series.labels[index]))
                places.append((across, (up + highest) / 2))
    spots = place_labels(places, [text for _, _, text in named], obstacles, size, character, line)
    return [ChartLabel(*name, spot) for name, spot in zip(named, spots, strict=True)]


def _share(axis: Axis, value: float) -> float:
    """Return how far along an axis a value lies, from 0 to 1."""
    if axis.limits is None:
        raise ValueError(f"labels need the limits of the axis {axis.title!r}")
    low, high = axis.limits
    return math.log(value / low) / math.log(high / low) if axis.log else (value - low) / (high - low)


def _middle(axis: Axis, low: float, high: float) -> float:
    return math.sqrt(low * high) if axis.log else (low + high) / 2
