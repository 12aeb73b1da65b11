"""What the figures of limits show, as plain data that Plotly and Matplotlib both draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from scalewall.report import units
from scalewall.report.words import degree, part_label, plan_words

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits
    from scalewall.ideal.results import Plan, Point

__all__ = [
    "Axis",
    "Band",
    "Chart",
    "Rule",
    "Series",
    "accelerators_chart",
    "degrees_chart",
    "limits_charts",
    "shares_chart",
    "utilization_chart",
]

NEUTRAL = -1
"""Colour number of the light grey: what is no cost."""
REST = -2
"""Colour number of the dark grey: what many small things add up to."""

_SMALL_SHARE = 0.02
_SHARES_SHOWN = 6


@dataclass(frozen=True)
class Axis:
    """An axis: its title, whether it is logarithmic, whether its values are shares shown in percent or whole (years).

    ``limits`` are its ends in data; without them what is drawn decides, but for ``top``, the upper end.
    """

    title: str
    log: bool = False
    percent: bool = False
    top: float | None = None
    limits: tuple[float, float] | None = None
    whole: bool = False


@dataclass(frozen=True)
class Series:
    """One line, one layer of a stack, or points, with a text a point to show on hover; ``colour`` counts from 0.

    Points may be ranges, from ``y`` up to ``tops``, and may have ``labels`` beside them. A line is drawn as
    ``dash`` says, ``thickness`` times as wide as usual, its points ``marked`` or not.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    hover: tuple[str, ...]
    colour: int
    kind: Literal["line", "layer", "points"] = "line"
    dash: Literal["solid", "dash", "dot"] = "solid"
    thickness: float = 1.0
    marked: bool = True
    tops: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A horizontal line: ``dash`` for what is sustained, ``dot`` for the threshold."""

    y: float
    label: str
    colour: int
    dash: Literal["dash", "dot"]


@dataclass(frozen=True)
class Band:
    """A shaded range of x, over the whole height with its label at the top, or as a bar with its label to the left.

    ``bar`` holds the lower and the upper edge of a bar as shares of the axes' height.
    """

    low: float
    high: float
    label: str
    colour: int
    bar: tuple[float, float] | None = None


@dataclass(frozen=True)
class Chart:
    """A figure: title, axes, and what is drawn in it; ``height`` in heights of a usual figure."""

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    rules: tuple[Rule, ...] = ()
    bands: tuple[Band, ...] = ()
    height: float = 1.0


_COMPUTE = Axis("Training compute (FLOP)", log=True)


def limits_charts(limits: Sequence[Limits]) -> tuple[Chart, ...]:
    """Return the figures of a set of limits: all four for one machine, the two that compare for several."""
    compared = (utilization_chart(limits), accelerators_chart(limits))
    return (*compared, degrees_chart(limits[0]), shares_chart(limits[0])) if len(limits) == 1 else compared


def utilization_chart(limits: Sequence[Limits]) -> Chart:
    """Return best utilization against training compute, with the band in which efficient scaling ends."""
    sustained = {one.sustained_fraction for one in limits}
    return Chart(
        title="Best utilization against training compute",
        x=_COMPUTE,
        y=Axis("Utilization of the peak", percent=True, top=min(1.0, 1.12 * max(sustained))),
        series=tuple(_line(one, index, lambda point: point.utilization) for index, one in enumerate(limits)),
        rules=_rules(limits),
        bands=tuple(
            band
            for index, one in enumerate(limits)
            for band in _band(one, index, "efficient scaling ends" if len(limits) == 1 else "")
        ),
    )


def accelerators_chart(limits: Sequence[Limits]) -> Chart:
    """Return the accelerators that the best plan needs against training compute."""
    return Chart(
        title="Accelerators needed",
        x=_COMPUTE,
        y=Axis("Accelerators", log=True),
        series=tuple(_line(one, index, lambda point: float(point.n_gpu)) for index, one in enumerate(limits)),
    )


def degrees_chart(limits: Limits) -> Chart:
    """Return the parallelism degrees of the best plans of one machine against training compute."""
    kinds: dict[str, Callable[[Point], float]] = {
        "Data": lambda point: degree(point.plan.dp),
        "Tensor": lambda point: degree(point.plan.tp_model) * degree(point.plan.tp_ff),
        "Pipeline": lambda point: degree(point.plan.pp),
        "Expert": lambda point: degree(point.plan.ep),
    }
    used = {name: of for name, of in kinds.items() if any(of(point) > 1 for point in limits.points)}
    return Chart(
        title=f"Parallelism of the best plans: {limits.title}",
        x=_COMPUTE,
        y=Axis("Degree", log=True),
        series=tuple(
            _series(name, limits.points, [of(point) for point in limits.points], index)
            for index, (name, of) in enumerate(used.items())
        ),
    )


def shares_chart(limits: Limits) -> Chart:
    """Return where the time of a batch goes, as shares that sum to 1, against training compute.

    The largest parts are layers of their own, arithmetic at the bottom; what stays small is one layer.
    """
    points = limits.points
    names = dict.fromkeys(name for point in points for name in point.attributed_seconds)
    shares = {
        name: [
            point.attributed_seconds.get(name, 0.0) / sum(point.attributed_seconds.values())
            for point in points
        ]
        for name in names
    }
    arithmetic = shares.pop("arithmetic", None)
    ranked = sorted(shares, key=lambda name: max(shares[name]), reverse=True)
    shown = [name for name in ranked if max(shares[name]) >= _SMALL_SHARE][:_SHARES_SHOWN]
    layers = [] if arithmetic is None else [_layer("arithmetic", points, arithmetic, NEUTRAL)]
    layers += [_layer(part_label(name), points, shares[name], index) for index, name in enumerate(shown)]
    rest = [name for name in ranked if name not in shown and max(shares[name]) > 0.0]
    if rest:
        summed = [sum(values) for values in zip(*(shares[name] for name in rest), strict=True)]
        layers.append(_layer("everything else", points, summed, REST))
    return Chart(
        title=f"Where the time goes: {limits.title}",
        x=_COMPUTE,
        y=Axis("Share of a batch's time", percent=True, top=1.0),
        series=tuple(layers),
    )


def _line(limits: Limits, colour: int, value: Callable[[Point], float]) -> Series:
    return _series(limits.machine, limits.points, [value(point) for point in limits.points], colour)


def _ordered(points: Sequence[Point], values: Sequence[float]) -> list[tuple[Point, float]]:
    return sorted(zip(points, values, strict=True), key=lambda pair: pair[0].training_flop)


def _series(name: str, points: Sequence[Point], values: Sequence[float], colour: int) -> Series:
    """Return values at points as a line, from the least training compute to the most."""
    pairs = _ordered(points, values)
    return Series(
        name=name,
        x=tuple(point.training_flop for point, _ in pairs),
        y=tuple(value for _, value in pairs),
        hover=tuple(_point_words(point) for point, _ in pairs),
        colour=colour,
    )


def _layer(name: str, points: Sequence[Point], shares: Sequence[float], colour: int) -> Series:
    """Return shares at points as steps: between two plans there is none whose shares lie between theirs."""
    pairs = _ordered(points, shares)
    edges = _step_edges([point.training_flop for point, _ in pairs])
    hover = [f"{units.percent(share)} at {units.flop(point.training_flop)}" for point, share in pairs]
    return Series(
        name=name,
        x=tuple(edge for pair in pairwise(edges) for edge in pair),
        y=tuple(share for _, share in pairs for _ in range(2)),
        hover=tuple(text for text in hover for _ in range(2)),
        colour=colour,
        kind="layer",
    )


def _step_edges(x: Sequence[float]) -> list[float]:
    """Return where the steps around ``x`` meet: midway on a logarithmic axis, the ends as far out."""
    inner = [math.sqrt(one * other) for one, other in pairwise(x)]
    if not inner:
        return [x[0] / math.sqrt(2.0), x[0] * math.sqrt(2.0)]
    return [x[0] ** 2 / inner[0], *inner, x[-1] ** 2 / inner[-1]]


def _point_words(point: Point) -> str:
    model = _model_words(
        point.d_model, point.layers, point.sparsity, point.parameters, point.tokens, point.batch_tokens
    )
    return _run_words(
        point.training_flop, point.utilization, model, point.n_gpu, point.run_seconds, point.plan, point.binds
    )


@lru_cache(maxsize=4096)
def _model_words(
    d_model: int, layers: int, sparsity: int, parameters: float, tokens: float, batch_tokens: float
) -> str:
    experts = f", {sparsity:,} experts" if sparsity > 1 else ""
    return (
        f"d_model {d_model:,}, {layers:,} layers{experts}, {units.count(parameters)} parameters\n"
        f"{units.count(tokens)} tokens, {units.count(batch_tokens)} a batch"
    )


@lru_cache(maxsize=4096)
def _run_words(
    training_flop: float,
    utilization: float,
    model: str,
    n_gpu: int,
    run_seconds: float,
    plan: Plan,
    binds: str,
) -> str:
    """Return what a run says on hover, in every figure and every time that its curve is drawn."""
    return (
        f"{units.flop(training_flop)}, {units.percent(utilization)} utilization\n{model}\n"
        f"{units.count(n_gpu)} accelerators for {units.duration(run_seconds)}\n"
        f"{plan_words(plan)}\nbinds: {part_label(binds)}"
    )


def _rules(limits: Sequence[Limits]) -> tuple[Rule, ...]:
    """Return the sustained and threshold lines: one labelled pair if all agree, else a pair a machine."""
    pairs = {(one.sustained_fraction, one.linear_scaling.threshold_utilization) for one in limits}
    if len(pairs) == 1:
        one = limits[0]
        return (
            Rule(one.sustained_fraction, "sustained", NEUTRAL, "dash"),
            Rule(
                one.linear_scaling.threshold_utilization,
                f"{100 * one.linear_scaling.threshold:g} % of sustained",
                NEUTRAL,
                "dot",
            ),
        )
    return tuple(
        rule
        for index, one in enumerate(limits)
        for rule in (
            Rule(one.sustained_fraction, "", index, "dash"),
            Rule(one.linear_scaling.threshold_utilization, "", index, "dot"),
        )
    )


def _band(limits: Limits, colour: int, label: str) -> tuple[Band, ...]:
    first, last = limits.linear_scaling.first_failure_flop, limits.linear_scaling.last_pass_flop
    if first is None or last is None:
        return ()
    return (Band(min(first, last), max(first, last), label, colour),)
