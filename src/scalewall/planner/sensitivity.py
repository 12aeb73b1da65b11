"""What a step would take on a machine that is better in one figure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from scalewall.planner.device import Device
from scalewall.planner.layout import Layout
from scalewall.planner.moves import Move
from scalewall.planner.profile import Profile, with_constants
from scalewall.planner.run import Run
from scalewall.planner.step import step_time

__all__ = ["CAPACITY", "FIGURES", "LITTLE", "MUCH", "Sensitivity", "sensitivities"]

LITTLE, MUCH = 1.1, 2.0
"""How much better a figure is made: by a tenth, and twice as good."""
CAPACITY = "memory capacity"

FIGURES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "peak": ("peak",),
        "memory bandwidth": ("memory_bandwidth",),
        CAPACITY: ("memory_bytes",),
        "launch latency": ("kernel_latency",),
        "fast domain's bandwidth": ("fast_bandwidth",),
        "fast domain's latency": ("fast_step",),
        "fast domain's size": ("fast_ranks",),
        "slow network's bandwidth": ("slow_bandwidth",),
        "slow network's latency": ("slow_step",),
        "latency of a call": ("call_latency", "pair_latency"),
        "host's link": ("host_bandwidth",),
        "host's speed": (),
    }
)
"""Figures of a machine and the fields of :class:`~scalewall.planner.device.Device` that hold them."""

_SMALLER_IS_BETTER = ("kernel_latency", "fast_step", "slow_step", "call_latency", "pair_latency")
_HOST = ("host", "expert_host")


@dataclass(frozen=True)
class Sensitivity:
    """What one figure of the machine does to the step.

    Parameters
    ----------
    figure : str
        One of :data:`FIGURES`.
    little, much : float
        Step time over that of the machine as it is, with the figure a tenth better and twice as good. Of the
        memory's capacity: that of the best plan that is one move away and only then fits. The fast domain's size
        is a count: a tenth more is rounded down.
    through : str
        Of the memory's capacity: that move at twice the capacity, in words; else empty.
    """

    figure: str
    little: float
    much: float
    through: str = ""

    @property
    def elasticity(self) -> float:
        """``d log(step) / d log(figure)``, from a tenth more; at most 0 where more is better."""
        return math.log(self.little) / math.log(LITTLE)


def sensitivities(
    run: Run, layout: Layout, profile: Profile, near: tuple[Move, ...]
) -> tuple[Sensitivity, ...]:
    """Return what each figure of the machine does to the step, in the order of :data:`FIGURES`.

    Parameters
    ----------
    run, layout, profile
        The plan.
    near : tuple of Move
        Its neighbours, of which more memory lets in some.

    Raises
    ------
    InputError
        The layout cannot run the run.
    """
    before = step_time(run, layout, profile).seconds
    found = []
    for figure in FIGURES:
        if figure == CAPACITY:
            found.append(_of_capacity(run.device, before, near))
            continue
        little, much = (
            step_time(*_better(run, profile, figure, factor, layout)).seconds / before
            for factor in (LITTLE, MUCH)
        )
        found.append(Sensitivity(figure, little, much))
    return tuple(found)


def _better(
    run: Run, profile: Profile, figure: str, factor: float, layout: Layout
) -> tuple[Run, Layout, Profile]:
    """Return the question with one figure better by ``factor``."""
    if not FIGURES[figure]:
        return run, layout, with_constants(profile, {name: profile[name] / factor for name in _HOST})
    device = run.device
    for name in FIGURES[figure]:
        device = _scaled(device, name, 1.0 / factor if name in _SMALLER_IS_BETTER else factor)
    return replace(run, device=device), layout, profile


def _scaled(device: Device, name: str, factor: float) -> Device:
    if name == "peak":
        peak = {bits: rate * factor for bits, rate in device.peak.items()}
        return replace(device, peak=MappingProxyType(peak))
    value = getattr(device, name) * factor
    changes: dict[str, Any] = {name: int(value) if name == "fast_ranks" else value}
    return replace(device, **changes)


def _of_capacity(device: Device, before: float, near: tuple[Move, ...]) -> Sensitivity:
    """Return what more memory does: which faster neighbours fit then that do not fit now."""
    found: list[tuple[float, str]] = []
    for factor in (LITTLE, MUCH):
        let_in = [
            (move.seconds / before, move.change)
            for move in near
            if move.seconds is not None
            and move.needed is not None
            and move.same_arithmetic
            and move.offered
            and device.memory_bytes < move.needed <= device.memory_bytes * factor
        ]
        found.append(min([*let_in, (1.0, "")]))
    (little, _), (much, through) = found
    return Sensitivity(CAPACITY, little, much, through)
