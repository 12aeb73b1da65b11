"""Our numbers for published claims. Each function returns a measure: what gets one number from the evidence.

Settings are those of :class:`scalewall.ideal.study.LimitsStudy`; what is not given is as the published data were
made (reference search, laws, grid, rounding, three months).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scalewall.hardware import load_machine
from scalewall.ideal.closed_forms import (
    BatchPerLayer,
    critical_compute,
    dense_training_flop,
    latency_wall,
    parameter_limit,
)
from scalewall.ideal.estimate import BatchEstimate
from scalewall.ideal.limits import Limits
from scalewall.ideal.results import Point
from scalewall.ideal.search import Searcher
from scalewall.ideal.space import SearchSpace
from scalewall.ideal.study import LimitsStudy
from scalewall.validation.claim import Answer, Measure
from scalewall.validation.evidence import Evidence
from scalewall.workload import Laws, MlpStack, stack_for
from scalewall.workload.laws.depth_fit import fit_power_law, hoffmann_table

__all__ = [
    "at_decline",
    "bandwidth_limit",
    "decline",
    "decline_on_sizes",
    "decline_ratio",
    "decline_shift",
    "degrees_at_decline",
    "depth_fit",
    "growth_years",
    "largest_gain",
    "largest_run",
    "latency_limit",
    "layers_at",
    "parameters_at_latency",
    "years_until",
]


def decline(machine: str, **settings: object) -> Measure:
    """Training compute (FLOP) of the first run at or below 80 % of the sustained utilization."""
    return lambda evidence: Answer(_decline(evidence.limits(machine, **settings)))


def _decline(limits: Limits) -> float:
    first = limits.linear_scaling.first_failure_flop
    return math.nan if first is None else first


def decline_ratio(machine: str, other: str, **settings: object) -> Measure:
    """How many times later one machine's decline comes than another's."""
    return lambda evidence: Answer(
        _decline(evidence.limits(machine, **settings)) / _decline(evidence.limits(other, **settings))
    )


def decline_shift(machine: str, **settings: object) -> Measure:
    """Powers of ten by which the settings push the machine's decline out."""
    return lambda evidence: Answer(
        math.log10(_decline(evidence.limits(machine, **settings)) / _decline(evidence.limits(machine)))
    )


def largest_run(machine: str, **settings: object) -> Measure:
    """Training compute (FLOP) of the largest run that finishes."""

    def measure(evidence: Evidence) -> Answer:
        largest = evidence.limits(machine, **settings).largest_feasible_flop
        return Answer(math.nan if largest is None else largest)

    return measure


def at_decline(machine: str, quantity: Callable[[Point], float], **settings: object) -> Measure:
    """A quantity of the plan with which the machine's decline begins."""

    def measure(evidence: Evidence) -> Answer:
        limits = evidence.limits(machine, **settings)
        first = _decline(limits)
        return Answer(next((quantity(p) for p in limits.points if p.training_flop == first), math.nan))

    return measure


def degrees_at_decline(machine: str, *kinds: str, **settings: object) -> Measure:
    """Product of kinds of parallelism (``dp``, ``tp_ff``, ...) in the plan with which the decline begins."""
    return at_decline(
        machine,
        lambda point: math.prod(degree for kind in kinds for degree in getattr(point.plan, kind)),
        **settings,
    )


def decline_on_sizes(machine: str, odd_max: int) -> Measure:
    """Decline (FLOP) of dense models where a cluster has ``f * 2**i`` accelerators, ``f`` odd up to ``odd_max``.

    As in the published search, each run gets the smallest such cluster that finishes and its fastest plan; unlike
    there, any divisor may be a degree of parallelism.
    """

    def measure(_: Evidence) -> Answer:
        study = LimitsStudy(machines=(machine,), reference=True, search="full")
        accelerator = study.cluster(machine).accelerator
        efficient = study.threshold * accelerator.sustained_fraction
        for stack in sorted(study.stacks, key=lambda stack: stack.training_flop):
            least = stack.training_flop / (accelerator.sustained_flops * study.duration_seconds)
            plans = (_best_on(study, stack, n_gpu) for n_gpu in _sizes(stack, least, odd_max))
            first = next((plan for plan in plans if plan is not None), None)
            if first is None or first.utilization <= efficient:
                return Answer(stack.training_flop)
        return Answer(math.nan)

    return measure


def _sizes(stack: MlpStack, least: float, odd_max: int) -> list[int]:
    """Return the cluster sizes ``f * 2**i`` of at least ``least`` that a dense stack's degrees can multiply to."""
    whole = stack.batch_per_expert * stack.d_model * stack.d_ff * stack.layers
    sizes = (odd << shift for odd in range(1, odd_max + 1, 2) for shift in range(whole.bit_length()))
    return sorted(size for size in sizes if size >= least and whole % size == 0)


def _best_on(study: LimitsStudy, stack: MlpStack, n_gpu: int) -> BatchEstimate | None:
    """Return the best plan that takes exactly ``n_gpu`` accelerators of the study's machine."""
    space = SearchSpace(domain_filling="exact", bounds={"n_gpu": (n_gpu, n_gpu)})
    searcher = Searcher.of(study.cluster(study.machines[0]), space, study.model_switches)
    return searcher.best(stack, study.duration_seconds)[0]


def largest_gain(machine: str) -> Measure:
    """Largest gain in utilization of the full search over the published one at a run, as a share."""

    def measure(evidence: Evidence) -> Answer:
        published = {point.d_model: point for point in evidence.limits(machine).points}
        found = [p for p in evidence.limits(machine, search="full").points if p.d_model in published]
        best = max(found, key=lambda point: point.utilization / published[point.d_model].utilization)
        before = published[best.d_model].utilization
        flop = f"{best.training_flop:.2e}".replace("e+", "e")
        return Answer(
            best.utilization / before - 1,
            f"At {flop} FLOP: {100 * before:.1f} % by the published search, {100 * best.utilization:.1f} % by ours.",
        )

    return measure


def growth_years(target_flop: float, start_flop: float, growth: float) -> float:
    """Return the years of growth by a factor ``growth`` a year from one training compute (FLOP) to another."""
    return math.log(target_flop / start_flop) / math.log(growth)


def years_until(target_flop: float, start_flop: float, growth: float) -> Measure:
    """Years of growth by a factor ``growth`` a year from one training compute to another."""
    return lambda _: Answer(growth_years(target_flop, start_flop, growth))


def layers_at(d_model: int, depth_law: str, rounding: bool) -> Measure:
    """Layers that a depth law gives a dense model of a width, made whole as the published data were or not."""

    def measure(_: Evidence) -> Answer:
        laws = Laws(depth=depth_law)
        if rounding:
            return Answer(stack_for(d_model, laws).layers)
        return Answer(laws.evaluate("depth", d_model=d_model, d_ff=laws.evaluate("width", d_model=d_model)))

    return measure


def depth_fit(part: int) -> Measure:
    """Least squares in logarithms of layers against ``d_model * d_ff``: prefactor (0) or exponent (1)."""

    def measure(_: Evidence) -> Answer:
        table = hoffmann_table()
        return Answer(fit_power_law(table["d_model"] * table["d_ff"], table["layers"])[part])

    return measure


def bandwidth_limit(machine: str, alpha: float) -> Measure:
    """Closed form of the training compute (FLOP) at which bandwidth ends efficient scaling."""
    return lambda _: Answer(critical_compute(load_machine(machine), BatchPerLayer(alpha)))


def latency_limit() -> Measure:
    """Closed form of the latency wall (FLOP) for a batch per layer that does not grow."""
    return lambda _: Answer(latency_wall())


def parameters_at_latency(as_compute: bool) -> Measure:
    """The article's form of the latency wall: parameters, or the training compute (FLOP) of so many."""

    def measure(_: Evidence) -> Answer:
        parameters = parameter_limit()
        return Answer(dense_training_flop(parameters) if as_compute else parameters)

    return measure
