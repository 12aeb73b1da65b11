"""Zero-bubble schedules searched under a memory limit: ZB-1p, ZB-2p, or any limit.

Qi et al. 2023 [1] (section 3.1) search greedy orders with a few switches and polish them with an integer
program. Here every stage decides on the spot, in time order: an input gradient that is there goes first,
then a forward that memory admits, then a weight gradient; the switches below bend that, and of all their
settings, and of ZB-H1 and ZB-H2 where they fit in memory, the one with the shortest step is kept.

References
----------
[1] Qi et al., "Zero bubble pipeline parallelism", arXiv 2401.10241 (2023).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from scalewall._jit import kernel
from scalewall.cost.pipeline.costs import Costs
from scalewall.cost.pipeline.memory import peak_bytes
from scalewall.cost.pipeline.placement import Placement, looped
from scalewall.cost.pipeline.schedule import Schedule
from scalewall.cost.pipeline.simulate import PipelineRun, simulate
from scalewall.cost.pipeline.zero_bubble import zb_h1, zb_h2
from scalewall.errors import InputError

__all__ = ["search_zero_bubble"]

_Floats = npt.NDArray[np.float64]
_NO_LIMIT = np.inf
PATIENCE = (0.0, 0.5, 1.0)


@kernel
def _greedy(
    microbatches: int,
    forward: _Floats,
    input_gradient: _Floats,
    weight_gradient: _Floats,
    delay: _Floats,
    activation: _Floats,
    gradient: _Floats,
    limit: _Floats,
    warm_up: _Floats,
    owed: _Floats,
    patience: float,
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Let every stage of a plain pipeline pick its next operation whenever it is free.

    Parameters
    ----------
    microbatches : int
        Microbatches of the step.
    forward, input_gradient, weight_gradient : float arrays, shape (stages,)
        Seconds.
    delay : float array, shape (2, stages)
        Seconds to the next stage and to the previous one.
    activation, gradient, limit : float arrays, shape (stages,)
        Bytes of one microbatch before and after its input gradient; the most to hold.
    warm_up, owed : float arrays, shape (stages,)
        Most microbatches between forward and input gradient; weight gradients owed beyond which one goes
        first.
    patience : float
        Do a weight gradient while waiting only if the next input, where it is known, is at least this share
        of its time away.

    Returns
    -------
    kind, microbatch : arrays, shape (stages * 3 * microbatches,)
        The orders, stage after stage.
    counts : int64 array, shape (stages,)
        Operations that each stage found; fewer than ``3 * microbatches`` if memory got in the way.
    """
    stages = forward.size
    kind = np.zeros(3 * stages * microbatches, np.int8)
    microbatch = np.zeros(3 * stages * microbatches, np.int32)
    counts = np.zeros(stages, np.int64)
    done = np.zeros((3, stages), np.int64)
    arrival = np.full((2, stages, microbatches), np.inf)
    arrival[0, 0, :] = 0.0
    held = np.zeros(stages)
    free = np.zeros(stages)
    events = [(0.0, stage) for stage in range(stages)]
    heapq.heapify(events)
    while len(events) > 0:
        now, s = heapq.heappop(events)
        if now < free[s]:
            continue
        f, b, w = done[0, s], done[1, s], done[2, s]
        soon = np.inf
        backward_ready = forward_ready = False
        if b < f:
            backward_ready = arrival[1, s, b] <= now
            if not backward_ready:
                soon = arrival[1, s, b]
        if f < microbatches and held[s] + activation[s] <= limit[s] and f - b < warm_up[s]:
            forward_ready = arrival[0, s, f] <= now
            if not forward_ready:
                soon = min(soon, arrival[0, s, f])
        if b - w > owed[s]:
            pick = 2
        elif backward_ready:
            pick = 1
        elif forward_ready:
            pick = 0
        elif w < b and soon - now >= patience * weight_gradient[s]:
            pick = 2
        else:
            if soon < np.inf:
                heapq.heappush(events, (soon, s))
            continue
        m = done[pick, s]
        place = s * 3 * microbatches + counts[s]
        kind[place], microbatch[place] = pick, m
        counts[s] += 1
        done[pick, s] += 1
        if pick == 0:
            free[s] = now + forward[s]
            held[s] += activation[s]
            if s == stages - 1:
                arrival[1, s, m] = free[s]
            else:
                arrival[0, s + 1, m] = free[s] + delay[0, s]
                heapq.heappush(events, (arrival[0, s + 1, m], s + 1))
        elif pick == 1:
            free[s] = now + input_gradient[s]
            held[s] += gradient[s] - activation[s]
            if s > 0:
                arrival[1, s - 1, m] = free[s] + delay[1, s]
                heapq.heappush(events, (arrival[1, s - 1, m], s - 1))
        else:
            free[s] = now + weight_gradient[s]
            held[s] -= gradient[s]
        heapq.heappush(events, (free[s], s))
    return kind, microbatch, counts


def _settings(stages: int) -> Iterator[tuple[_Floats, _Floats, float]]:
    """Yield warm-up limits, weight gradients owed, and patience: the switches of the search."""
    rank = np.arange(stages, dtype=np.float64)
    unlimited = np.full(stages, _NO_LIMIT)
    left = stages - rank
    warm_ups = (left, 2 * left - 1, 2 * left, unlimited)
    owed = (np.zeros(stages), rank, 2 * rank, unlimited)
    yield from itertools.product(warm_ups, owed, PATIENCE)


def search_zero_bubble(
    name: str, microbatches: int, costs: Costs, limit_bytes: float | _Floats, staggered: bool = True
) -> Schedule:
    """Return the best schedule with split backwards within ``limit_bytes`` of activations a stage.

    Parameters
    ----------
    name : str
        What to call it (``zb-1p``).
    microbatches : int
        Microbatches of the step.
    costs : Costs
        Of a plain pipeline: one chain, one part a stage. The step that is minimized counts everything in
        them.
    limit_bytes : float or float array, shape (stages,)
        Beyond what the stage holds all the time.
    staggered : bool
        As in :class:`Schedule`; which of the two step times is minimized.

    Raises
    ------
    InputError
        If the placement is another one, or not even one microbatch fits.
    """
    placement = costs.placement
    if placement.chains != looped(placement.stages).chains:
        raise InputError("placement", placement.chains, "one chain that visits each stage once, in order")
    limit = np.broadcast_to(np.asarray(limit_bytes, dtype=np.float64), (placement.stages,))
    short = np.flatnonzero(costs.activation_bytes > limit)
    if short.size:
        stage = int(short[0])
        need = f"{costs.activation_bytes[stage]:g}"
        raise InputError(
            "limit_bytes", float(limit[stage]), f"at least one microbatch on stage {stage}", [need]
        )
    tolerance = limit * (1.0 + 1e-12)
    best: PipelineRun | None = None
    for candidate in _candidates(name, microbatches, costs, tolerance, staggered):
        run = simulate(candidate, costs)
        fits = bool((peak_bytes(run) - costs.fixed_bytes <= tolerance).all())
        if fits and (best is None or run.step_seconds < best.step_seconds):
            best = run
    assert best is not None
    return best.schedule


def _candidates(
    name: str, microbatches: int, costs: Costs, limit: _Floats, staggered: bool
) -> Iterator[Schedule]:
    """Yield the hand-made schedules and every complete greedy one."""
    placement = costs.placement
    for made in (zb_h1, zb_h2):
        ready = made(placement.stages, microbatches)
        yield _named(name, placement, microbatches, ready.kind, ready.microbatch, staggered)
    delay = costs.sends.transfer + costs.sends.latency
    for warm_up, owed, patience in _settings(placement.stages):
        kind, microbatch, counts = _greedy(
            microbatches,
            costs.forward.mean(axis=1),
            costs.input_gradient.mean(axis=1),
            costs.weight_gradient.mean(axis=1),
            delay,
            costs.activation_bytes,
            costs.gradient_bytes,
            limit,
            warm_up,
            owed,
            patience,
        )
        if (counts == 3 * microbatches).all():
            yield _named(name, placement, microbatches, kind, microbatch, staggered)


def _named(
    name: str,
    placement: Placement,
    microbatches: int,
    kind: npt.NDArray[np.int8],
    microbatch: npt.NDArray[np.int32],
    staggered: bool,
) -> Schedule:
    return Schedule(
        name=name,
        placement=placement,
        microbatches=(microbatches,),
        offsets=np.arange(placement.stages + 1, dtype=np.int64) * 3 * microbatches,
        kind=kind,
        part=np.repeat(np.arange(placement.stages, dtype=np.int32), 3 * microbatches),
        microbatch=microbatch,
        joined=np.zeros(kind.size, dtype=np.bool_),
        staggered=staggered,
    )
