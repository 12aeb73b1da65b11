"""What the pictures of a plan show, as plain data: its step, its memory, and the front it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.chart_data import NEUTRAL, REST, Axis, Chart, Series
from scalewall.report.explain_tables import SEGMENTS
from scalewall.report.ranking_tables import layout_words
from scalewall.report.stacked_bars import BarSeries, Limit, StackedBars

if TYPE_CHECKING:
    from scalewall.planner.estimate import Estimate
    from scalewall.planner.plan import FrontPoint
    from scalewall.planner.waterfall import Segment

__all__ = ["front_chart", "memory_chart", "waterfall_chart"]

_GROUPS = {
    "arithmetic": ("arithmetic at the peak", NEUTRAL),
    "kernels": ("kernels", 0),
    "communication": ("communication, exposed", 1),
    "waiting": ("waiting", 3),
    "step": ("the step", REST),
}
_GROUP_OF = {
    "arithmetic": "arithmetic",
    "tensor": "communication",
    "context": "communication",
    "exchange": "communication",
    "offload": "communication",
    "data": "communication",
    "sends": "communication",
    "bubble": "waiting",
    "imbalance": "waiting",
    "host": "waiting",
    "stragglers": "waiting",
}
_SHORT = {
    "arithmetic": "arithmetic",
    "sustained": "long matmuls",
    "shapes": "matmul shapes",
    "software": "matmul software",
    "attention": "attention",
    "elementwise": "elementwise",
    "quantize": "casts",
    "recompute": "recomputation",
    "tensor": "tensor parallel",
    "context": "context parallel",
    "exchange": "experts' exchange",
    "offload": "offloading",
    "data": "data parallel",
    "sends": "pipeline sends",
    "bubble": "bubble",
    "imbalance": "slowest stage",
    "optimizer": "optimizer",
    "host": "host",
    "stragglers": "stragglers",
}
"""Names beside the bars, short enough for a phone; the whole words are in the table and on hover."""
_SHOWN = 0.0005
"""Share of the step from which a segment is worth a bar."""
_MEMORY = {
    "weights": 0,
    "gathered": 6,
    "gradients": 2,
    "optimizer": 3,
    "activations": 1,
    "one layer again": 5,
    "logits": 4,
    "allowance": NEUTRAL,
}
"""Terms of memory from the bottom up, and their colours."""
_GIGA = 1e9
_ROOM_OF_SPAN, _ROOM_OF_STEP = 0.1, 0.01
"""Room above and below the front, as a share of its span in time and at least of its longest step."""


def waterfall_chart(answer: Estimate, segments: Sequence[Segment]) -> StackedBars:
    """Return the step as bars that begin where the one before ends, from the arithmetic to the whole."""
    total = answer.step.seconds
    factor, unit = (1.0, "s") if total >= 1.0 else (1e3, "ms")
    shown = [one for one in segments if abs(one.seconds) >= _SHOWN * total]
    bars: dict[str, list[tuple[int, float, float, str]]] = {group: [] for group in _GROUPS}
    so_far = 0.0
    for row, one in enumerate(shown):
        words = (
            f"{SEGMENTS[one.name]}\n{units.duration(abs(one.seconds))}, "
            f"{100 * one.seconds / total:.1f} % of the step"
        )
        group = _GROUP_OF.get(one.name, "kernels")
        bars[group].append((row, factor * so_far, factor * one.seconds, words))
        so_far += one.seconds
    bars["step"].append((len(shown), 0.0, factor * total, f"the step\n{units.duration(total)}"))
    return StackedBars(
        title=f"From the arithmetic to the step: {answer.run.model.name}",
        axis=f"Time of a step ({unit})",
        labels=(*(_SHORT[one.name] for one in shown), "the step"),
        series=tuple(
            BarSeries(_GROUPS[group][0], *_columns(found), _GROUPS[group][1])
            for group, found in bars.items()
            if found
        ),
        texts=(*(f"{100 * one.seconds / total:.1f} %" for one in shown), units.duration(total)),
    )


def _columns(
    bars: Sequence[tuple[int, float, float, str]],
) -> tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...], tuple[str, ...]]:
    rows, starts, values, hover = zip(*bars, strict=True)
    return rows, starts, values, hover


def memory_chart(answer: Estimate) -> StackedBars:
    """Return what every stage holds, stacked by term, against the capacity."""
    stages = answer.memory
    held = [name for name in _MEMORY if any(stage.terms.get(name) for stage in stages)]
    bottoms = [0.0] * len(stages)
    series = []
    for name in held:
        values = tuple(stage.terms.get(name, 0.0) / _GIGA for stage in stages)
        hover = tuple(
            f"stage {stage.stage}: {name}\n{units.data_size(stage.terms.get(name, 0.0))} of "
            f"{units.data_size(stage.total)}"
            for stage in stages
        )
        series.append(
            BarSeries(name, tuple(range(len(stages))), tuple(bottoms), values, hover, _MEMORY[name])
        )
        bottoms = [bottom + value for bottom, value in zip(bottoms, values, strict=True)]
    capacity = answer.fit.capacity
    return StackedBars(
        title="Memory an accelerator, by pipeline stage",
        axis="GB",
        labels=tuple(str(stage.stage) for stage in stages),
        series=tuple(series),
        limit=Limit(capacity / _GIGA, f"capacity {units.data_size(capacity)}"),
        upright=True,
        rows="Pipeline stage",
    )


def front_chart(points: Sequence[FrontPoint], capacity: float) -> Chart:
    """Return step time against memory of the plans that no other beats in both.

    Parameters
    ----------
    points : sequence of FrontPoint
        At least one.
    capacity : float
        Bytes of an accelerator.
    """
    ordered = sorted(points, key=lambda point: point.memory_bytes)
    fastest, slowest = min(point.seconds for point in ordered), max(point.seconds for point in ordered)
    room = max(_ROOM_OF_SPAN * (slowest - fastest), _ROOM_OF_STEP * slowest)
    return Chart(
        title="Step time against memory: plans that no other beats in both",
        x=Axis("Memory of the fullest stage (GB)", limits=(0.0, 1.05 * capacity / _GIGA)),
        y=Axis("Time of a step (s)", limits=(fastest - room, slowest + room)),
        series=(
            Series(
                name="plans",
                x=tuple(point.memory_bytes / _GIGA for point in ordered),
                y=tuple(point.seconds for point in ordered),
                hover=tuple(
                    f"{units.duration(point.seconds)}, {units.data_size(point.memory_bytes)}\n"
                    f"{layout_words(point.layout)}"
                    for point in ordered
                ),
                colour=0,
            ),
        ),
    )
