"""Machine, software and layout as the flat numbers that compiled formulas read.

Constants of the registry come along as fields: a formula that read them as globals would keep an old value in the
cache of the kernel that it is compiled into.
"""

from __future__ import annotations

from typing import NamedTuple, get_args

from scalewall.planner.constants import value
from scalewall.planner.device import Device
from scalewall.planner.layout import SCHEDULES, Layout, Sharding
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run

__all__ = [
    "DUALPIPE",
    "GPIPE",
    "GRADIENTS",
    "NOTHING",
    "OPTIMIZER",
    "PARAMETERS",
    "SHARDINGS",
    "ZB_1P",
    "ZB_2P",
    "Degrees",
    "Figures",
    "Links",
    "degrees_of",
    "figures_of",
    "links_of",
]

SHARDINGS = get_args(Sharding)
"""Ways to shard by number, which is the stage of ZeRO."""
NOTHING, OPTIMIZER, GRADIENTS, PARAMETERS = range(4)
GPIPE, ZB_1P, ZB_2P, DUALPIPE = (SCHEDULES.index(name) for name in ("gpipe", "zb-1p", "zb-2p", "dualpipe"))

_FAST = value("collective.fast_fraction")
_SLOW = value("collective.slow_fraction")
_PAIR = value("collective.pair_fraction")
_TREE_STEP = value("collective.tree_step")
_TREE = value("collective.tree_fraction")
_OPTIMIZER_MOVED = value("elementwise.optimizer_bytes")
_STRAGGLER = value("step.straggler")
_WEIGHT = value("memory.weight_bytes")
_ALLOWANCE = value("memory.allowance")
_GRADIENTS_BESIDE = value("memory.gradients_beside")


class Links(NamedTuple):
    """A machine's links: see :class:`~scalewall.planner.device.Device`; fractions as in the registry."""

    fast_ranks: int
    fast_bandwidth: float
    slow_bandwidth: float
    fast_step: float
    slow_step: float
    call_latency: float
    pair_latency: float
    fast_fraction: float
    slow_fraction: float
    pair_fraction: float
    tree_step: float
    tree_fraction: float


class Figures(NamedTuple):
    """Everything beside the layers' own costs that time and memory of a step depend on.

    Machine and registry: ``links``, ``memory_bandwidth``, ``optimizer_moved`` (bytes a parameter that the
    optimizer step moves), ``straggler``, ``weight_bytes``, ``allowance``, ``gradients_beside``.
    Software: ``optimizer_held`` and ``sharded_weight_bytes`` (bytes a parameter of the optimizer state, and of weights
    where those are sharded), the rest as in :class:`~scalewall.planner.profile.Profile`.
    """

    links: Links
    memory_bandwidth: float
    optimizer_moved: float
    straggler: float
    weight_bytes: float
    sharded_weight_bytes: float
    optimizer_held: float
    allowance: float
    gathered_layers: float
    gradients_beside: float
    gradient_bytes: float
    gather_bytes: float
    calls_per_layer: float
    ports: float
    state_gradient_bytes: float
    unsharded_bytes: float
    data: float
    contention: float
    bubble: float
    full_reduce: bool
    overlap_reduce: bool
    overlap_gather: bool
    overlap_sends: bool
    tied: bool


class Degrees(NamedTuple):
    """A layout's numbers; schedule and sharding by their place in their lists."""

    tp: int
    cp: int
    pp: int
    dp: int
    ep: int
    etp: int
    chunks: int
    schedule: int
    sharding: int
    shard_ranks: int


def links_of(device: Device) -> Links:
    """Return a machine's links."""
    return Links(
        int(device.fast_ranks),
        float(device.fast_bandwidth),
        float(device.slow_bandwidth),
        float(device.fast_step),
        float(device.slow_step),
        float(device.call_latency),
        float(device.pair_latency),
        _FAST,
        _SLOW,
        _PAIR,
        _TREE_STEP,
        _TREE,
    )


def figures_of(run: Run, profile: Profile) -> Figures:
    """Return what a step's time and memory depend on beside the layers' own costs."""
    return Figures(
        links=links_of(run.device),
        memory_bandwidth=float(run.device.memory_bandwidth),
        optimizer_moved=_OPTIMIZER_MOVED,
        straggler=_STRAGGLER,
        weight_bytes=_WEIGHT,
        sharded_weight_bytes=_WEIGHT if profile.keeps_copy else 0.0,
        optimizer_held=float(profile.optimizer_bytes),
        allowance=_ALLOWANCE,
        gathered_layers=float(profile.gathered_layers),
        gradients_beside=_GRADIENTS_BESIDE,
        gradient_bytes=float(profile.gradient_bytes),
        gather_bytes=float(profile.gather_bytes),
        calls_per_layer=float(profile.calls_per_layer),
        ports=float(profile.ports),
        state_gradient_bytes=float(profile.state_gradient_bytes),
        unsharded_bytes=float(profile.unsharded_bytes),
        data=float(profile["data"]),
        contention=float(profile["contention"]),
        bubble=float(profile["bubble"]),
        full_reduce=profile.full_reduce,
        overlap_reduce=profile.overlap_reduce,
        overlap_gather=profile.overlap_gather,
        overlap_sends=profile.overlap_sends,
        tied=run.model.tied_embeddings,
    )


def degrees_of(layout: Layout) -> Degrees:
    """Return a layout's numbers."""
    return Degrees(
        layout.tp,
        layout.cp,
        layout.pp,
        layout.dp,
        layout.ep,
        layout.etp,
        layout.chunks,
        SCHEDULES.index(layout.schedule),
        SHARDINGS.index(layout.sharding),
        layout.shard_ranks,
    )
