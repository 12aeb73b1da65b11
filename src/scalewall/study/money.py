"""What training runs cost: those of a curve of limits, or one stated by its size, its cluster or its time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scalewall.cost.money import Prices, RunMoney, prices_of, run_money
from scalewall.errors import InputError, check_finite
from scalewall.hardware import load_machine
from scalewall.ideal.limits import Limits

__all__ = ["CostedRun", "costed_runs", "efficient_runs", "shown_runs", "stated_run", "telling_runs"]


@dataclass(frozen=True)
class CostedRun:
    """A run, what it costs and draws, and the prices behind that.

    Parameters
    ----------
    machine, title : str
        As in the catalogue.
    prices : Prices
        Of the machine.
    money : RunMoney or None
        None for a run that no plan finishes.
    training_flop, utilization : float or None
        Its size (FLOP) and the share of the peak that it reaches, where they are known.
    reason : str
        Why no plan finishes; empty else.
    """

    machine: str
    title: str
    prices: Prices
    money: RunMoney | None
    training_flop: float | None = None
    utilization: float | None = None
    reason: str = ""


def costed_runs(limits: Limits, changes: Mapping[str, float]) -> tuple[CostedRun, ...]:
    """Return every run of a machine's curve with what its best plan costs, by training compute.

    Parameters
    ----------
    limits : Limits
        The machine's answer.
    changes : mapping of str to float
        Prices to set, by the names of :data:`scalewall.cost.money.PRICES`.
    """
    prices = prices_of(limits.machine, changes)
    runs = [
        CostedRun(
            limits.machine,
            limits.title,
            prices,
            run_money(prices, point.n_gpu, point.run_seconds),
            point.training_flop,
            point.utilization,
        )
        for point in limits.points
    ]
    runs += [
        CostedRun(limits.machine, limits.title, prices, None, point.training_flop, None, point.reason)
        for point in limits.infeasible
    ]
    return tuple(sorted(runs, key=lambda run: run.training_flop or 0.0))


def efficient_runs(limits: Limits, changes: Mapping[str, float]) -> tuple[CostedRun, ...]:
    """Return the runs up to the last efficient one, with their cost."""
    last = limits.linear_scaling.last_pass_flop or 0.0
    return tuple(run for run in costed_runs(limits, changes) if (run.training_flop or 0.0) <= last)


def telling_runs(limits: Limits, changes: Mapping[str, float]) -> tuple[CostedRun, ...]:
    """Return the runs that tell most: the last efficient one and the largest that finishes, with their cost."""
    told = {limits.linear_scaling.last_pass_flop, limits.largest_feasible_flop}
    return tuple(run for run in costed_runs(limits, changes) if run.training_flop in told)


def shown_runs(limits: Sequence[Limits], changes: Mapping[str, float]) -> tuple[CostedRun, ...]:
    """Return the runs that tables of costs list: all of one machine, the telling ones of several."""
    chosen = costed_runs if len(limits) == 1 else telling_runs
    return tuple(run for one in limits for run in chosen(one, changes))


def stated_run(
    machine: str,
    changes: Mapping[str, float],
    *,
    accelerators: float | None = None,
    seconds: float | None = None,
    training_flop: float | None = None,
    utilization: float | None = None,
    precision: int = 16,
) -> CostedRun:
    """Return what a run costs that is stated by its cluster and time, or by its size, utilization and one of them.

    ``training_flop = accelerators * seconds * peak * utilization``: the one that is missing follows.

    Parameters
    ----------
    machine : str
        Catalogue name or machine file.
    changes : mapping of str to float
        Prices to set.
    accelerators, seconds : float, optional
        The cluster and how long it is busy.
    training_flop, utilization : float, optional
        FLOP, and the share of the peak at ``precision`` bits.
    precision : int
        Bits of a word, for the peak.

    Raises
    ------
    InputError
        A value out of range, one too many or one too few.
    """
    _check(accelerators=accelerators, seconds=seconds, training_flop=training_flop, utilization=utilization)
    if accelerators is not None and accelerators != int(accelerators):
        near = [str(math.floor(accelerators)), str(math.ceil(accelerators))]
        raise InputError("accelerators", accelerators, "a whole number", near)
    prices = prices_of(machine, changes)
    if accelerators is not None and seconds is not None:
        if training_flop is not None:
            utilization = _reached(machine, precision, training_flop, accelerators * seconds, utilization)
    elif training_flop is not None and utilization is not None:
        needed = training_flop / (load_machine(machine, precision).accelerator.peak_flops * utilization)
        if accelerators is not None:
            seconds = needed / accelerators
        elif seconds is not None:
            accelerators = needed / seconds
    if accelerators is None or seconds is None:
        allowed = "accelerators and days; or flop, utilization and one of the two"
        raise InputError("accelerators", accelerators, allowed)
    return CostedRun(
        machine, prices.title, prices, run_money(prices, accelerators, seconds), training_flop, utilization
    )


def _check(**values: float | None) -> None:
    for name, (low, high, unit) in {
        "accelerators": (1.0, 1e12, ""),
        "seconds": (1.0, 1e11, "s"),
        "training_flop": (1e12, 1e40, "FLOP"),
        "utilization": (1e-6, 1.0, "of the peak"),
    }.items():
        value = values[name]
        if value is not None:
            check_finite(name, value, low, high, unit)


def _reached(
    machine: str, precision: int, flop: float, accelerator_seconds: float, stated: float | None
) -> float:
    """Return the utilization that a run's size, cluster and time make; refuse another one, and more than the peak."""
    reached = flop / (accelerator_seconds * load_machine(machine, precision).accelerator.peak_flops)
    if stated is not None:
        allowed = f"nothing: size, cluster and time make it {reached:.3g} already"
        raise InputError("utilization", stated, allowed)
    if reached > 1.0:
        raise InputError(
            "training_flop", flop, f"at most {flop / reached:.3g}, what this cluster does in that time"
        )
    return reached
