"""What a result says, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.study.training_runs import TrainingRun, largest_run

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits
    from scalewall.ideal.results import LinearScaling, Plan, Point

__all__ = [
    "ASSUMED_FIGURES",
    "LEAVES_OUT",
    "all_rest_on",
    "all_warnings",
    "answer",
    "assumed_figures",
    "degree",
    "efficient_means",
    "finding",
    "largest_point",
    "part_label",
    "plan_words",
    "rests_on",
    "settings",
    "short_part_label",
    "warning_notes",
    "yardstick",
]

ASSUMED_FIGURES = "assumed_figures"
"""The entry of ``Limits.assumptions`` that holds figures nobody publishes: path to reason."""

LEAVES_OUT = (
    "The model is ideal on purpose: no attention layers, no stragglers or failures, perfect synchrony, "
    "balanced routing between experts, activations not counted in memory. A real run does worse."
)

_PART_LABELS = {
    "arithmetic": "arithmetic",
    "hbm": "HBM bandwidth",
    "l2": "L2 bandwidth",
    "kernel_latency": "kernel latency",
    "tensor_communication": "tensor-parallel traffic",
    "point_to_point_communication": "point-to-point traffic",
    "data_communication": "data-parallel traffic",
    "network_latency": "network latency",
    "pipeline_bubble": "pipeline bubble",
    "failures": "failures",
}


_SHORT_PART_LABELS = {
    "hbm": "HBM",
    "l2": "L2",
    "tensor_communication": "TP traffic",
    "point_to_point_communication": "PP, EP traffic",
    "data_communication": "DP traffic",
}


def part_label(part: str) -> str:
    """Return a part of a batch's time as people call it; parts of other names are memory levels."""
    return _PART_LABELS.get(part, f"{part.replace('_', ' ')} bandwidth")


def short_part_label(part: str) -> str:
    """Return a part of a batch's time as short as a column beside DP, TP and PP needs it."""
    return _SHORT_PART_LABELS.get(part, part.replace("_", " "))


def degree(placement: Sequence[int]) -> int:
    """Return a parallelism's degree: the product of its factors over the network levels."""
    product = 1
    for factor in placement:
        product *= factor
    return product


def plan_words(plan: Plan) -> str:
    """Return a plan in a line: ``DP 256, TP 8x64, PP 64, EP 1, 128 microbatches, zero bubble``."""
    schedule = "zero bubble" if plan.zero_bubble else f"1F1B, {plan.interleave} chunks a stage"
    return (
        f"DP {degree(plan.dp):,}, TP {degree(plan.tp_model):,}x{degree(plan.tp_ff):,}, "
        f"PP {degree(plan.pp):,}, EP {degree(plan.ep):,}, {plan.microbatches:,} microbatches, {schedule}"
    )


def largest_point(limits: Limits) -> Point | None:
    """Return the run with the most training compute that finishes in time, None where none does."""
    return max(limits.points, key=lambda point: point.training_flop, default=None)


def answer(limits: Limits) -> str:
    """Return what one machine's limits say and what they rest on."""
    said = (finding(limits), yardstick([limits]), efficient_means(limits), rests_on(limits))
    return " ".join(filter(None, said))


def efficient_means(limits: Limits) -> str:
    """Return what counts as efficient here."""
    share = f"{100 * limits.linear_scaling.threshold:g} %"
    return f"Efficient: at least {share} of the utilization that the machine sustains in large matmuls."


def finding(limits: Limits) -> str:
    """Return what one machine's limits say, in two sentences: where efficiency ends, where runs end."""
    top = largest_point(limits)
    deadline = units.months(limits.duration_seconds)
    if top is None:
        return f"{limits.title} finishes no run of the grid in {deadline}."
    beyond = any(point.training_flop > top.training_flop for point in limits.infeasible)
    reach = (
        f"cannot finish in {deadline} beyond {units.flop(top.training_flop)}"
        if beyond
        else f"finish in {deadline} even at the largest size that was tried, {units.flop(top.training_flop)}"
    )
    return (
        f"On {limits.title}, runs {_efficiency(limits.linear_scaling, top)}. They {reach}: there "
        f"{units.count(top.n_gpu)} accelerators reach {units.percent(top.utilization)} utilization, and "
        f"{part_label(top.binds)} binds."
    )


def yardstick(limits: Sequence[Limits]) -> str:
    """Return how many times the largest publicly known run the limits are, in a sentence or two; empty without any."""
    known = largest_run()
    times = [
        (one.machine, _times(_efficient_end(one), known), _times(top.training_flop, known))
        for one in limits
        if (top := largest_point(one))
    ]
    if not times:
        return ""
    run = (
        f"The largest publicly known run, {known.model} ({known.organization}, {known.published:%B %Y}), has about "
        f"{units.flop(known.training_flop)}"
    )
    if len(limits) == 1:
        _, efficient, largest = times[0]
        stay = f"stay efficient up to {efficient} times and " if efficient else ""
        return f"{run}: runs {stay}finish up to {largest} times that."
    listed = "; ".join(f"{name} {efficient or 'nowhere'} and {largest}" for name, efficient, largest in times)
    return f"{run}. As multiples of that, runs stay efficient and finish up to: {listed}."


def _times(flop: float | None, run: TrainingRun) -> str:
    """Return a size as a multiple of a run's, to two digits; empty without a size."""
    return "" if flop is None else units.count(float(f"{flop / run.training_flop:.2g}"))


def _efficient_end(limits: Limits) -> float | None:
    """Return up to which training FLOP :func:`finding` says that runs stay efficient."""
    band = limits.linear_scaling
    if band.last_pass_flop is None:
        return None
    if band.first_failure_flop is None:
        return limits.largest_feasible_flop
    return min(band.first_failure_flop, band.last_pass_flop)


def _efficiency(band: LinearScaling, top: Point) -> str:
    """Return up to where runs stay efficient, as a verb phrase."""
    first, last = band.first_failure_flop, band.last_pass_flop
    if last is None:
        return "are efficient nowhere on the grid"
    if first is None:
        return f"stay efficient over the whole grid, up to {units.flop(top.training_flop)}"
    if first < last:
        return (
            f"stay efficient up to {units.flop(first)}, where the first run falls below, "
            f"and in places up to {units.flop(last)}"
        )
    return f"stay efficient up to {units.flop(last)} (the first run that falls below has {units.flop(first)})"


def settings(assumptions: Mapping[str, object]) -> dict[str, str]:
    """Return what a result rests on as flat text, ``laws.depth`` style, without the assumed figures."""
    return {path: _text(value) for path, value in _flat(assumptions) if not path.startswith(ASSUMED_FIGURES)}


def assumed_figures(limits: Limits) -> dict[str, str]:
    """Return the machine's figures that nobody publishes: path to the reason for the value."""
    figures = limits.assumptions.get(ASSUMED_FIGURES)
    return (
        {str(path): str(reason) for path, reason in figures.items()} if isinstance(figures, Mapping) else {}
    )


def rests_on(limits: Limits) -> str:
    """Return which search and laws an answer rests on, and how many figures had to be assumed."""
    assumed = len(assumed_figures(limits))
    figures = f", and {assumed} assumed machine figure{'s' if assumed > 1 else ''}" if assumed else ""
    return f"This rests on {_search_and_laws(limits)}{figures}."


def all_rest_on(limits: Sequence[Limits]) -> list[str]:
    """Return what several answers rest on: each search with its laws once, and what is assumed."""
    if len(limits) == 1:
        return [rests_on(limits[0])]
    shared: dict[str, list[str]] = {}
    for one in limits:
        shared.setdefault(_search_and_laws(one), []).append(one.machine)
    counts = [f"{one.machine} {len(assumed_figures(one))}" for one in limits if assumed_figures(one)]
    assumed = [f"Machine figures that had to be assumed: {', '.join(counts)}."] if counts else []
    if len(shared) == 1:
        return [f"This rests on {next(iter(shared))}.", *assumed]
    return [*(f"{', '.join(machines)}: this rests on {what}." for what, machines in shared.items()), *assumed]


def _search_and_laws(limits: Limits) -> str:
    values = settings(limits.assumptions)
    laws = ", ".join(
        f"{path.removeprefix('laws.').removesuffix('_law')} {value}"
        for path, value in values.items()
        if path.startswith("laws.") and path.endswith("_law")
    )
    return f"the {values['search.method']} search and the laws {laws}"


def all_warnings(limits: Sequence[Limits]) -> list[str]:
    """Return every warning once, with the machines that it is about where it is not about all."""
    about: dict[str, list[str]] = {}
    for one in limits:
        for warning in one.warnings:
            about.setdefault(warning, []).append(one.machine)
    return [
        warning if len(machines) == len(limits) else f"{', '.join(machines)}: {warning}"
        for warning, machines in about.items()
    ]


def warning_notes(limits: Sequence[Limits]) -> list[str]:
    """Return every warning in a line for the space under a table: its first sentence, once for all machines.

    The rest (figures that differ from machine to machine) stands in the JSON and in the report's page.
    """
    about: dict[str, dict[str, None]] = {}
    for one in limits:
        for warning in one.warnings:
            about.setdefault(_first_sentence(warning), {})[one.machine] = None
    return [
        f"Warning: {sentence}"
        if len(machines) == len(limits)
        else f"Warning: {', '.join(machines)}: {sentence}"
        for sentence, machines in about.items()
    ]


def _first_sentence(text: str) -> str:
    first, stop, rest = text.partition(". ")
    return f"{first}." if stop and rest[:1].isupper() else text


def _flat(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in values.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path}.")
        else:
            yield path, value


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(part) for part in value)
    return "none" if value is None else str(value)
