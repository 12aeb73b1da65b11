"""Both searches once more in plain Python: every plan, one after the other, nothing cut, nothing compiled.

What the tests compare the compiled searches with, and what the benchmark measures them against.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product

from benchmarks.plain_model import DEFAULT_MODEL, Rows, occupied, used_level
from scalewall.hardware import Accelerator, Cluster, Network
from scalewall.ideal.results import Plan
from scalewall.ideal.space import ModelSwitches, SearchSpace
from scalewall.workload import MlpStack

KINDS = ("dp", "tp_model", "tp_ff", "pp", "ep")
EVERY = (1, math.inf)


@cache
def divisors(number: int) -> list[int]:
    """All divisors, ascending."""
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})


def placements(degrees: tuple[int, ...], room: tuple[float, ...]) -> Iterator[Rows]:
    """Every way to split each degree over the levels with products within ``room`` (left of each level)."""
    if not degrees:
        yield ()
        return
    for row in factorings(degrees[0], len(room)):
        if all(factor <= left for factor, left in zip(row, room, strict=True)):
            rest = tuple(left / factor for left, factor in zip(room, row, strict=True))
            for others in placements(degrees[1:], rest):
                yield row, *others


@cache
def factorings(degree: int, levels: int) -> list[tuple[int, ...]]:
    """Every way to write a degree as a product of one factor a level."""
    if levels == 1:
        return [(degree,)]
    return [
        (factor, *others)
        for factor in divisors(degree)
        for others in factorings(degree // factor, levels - 1)
    ]


def fills(rows: Rows, network: Network) -> bool:
    """Whether the degrees placed in every level multiply to its size, or to what is left of the cluster."""
    rest = math.prod(map(math.prod, rows))
    for index, level in enumerate(network.levels):
        wanted = rest if level.size is None else min(level.size, rest)
        if rest % wanted or math.prod(row[index] for row in rows) != wanted:
            return False
        rest //= wanted
    return rest == 1


def allowed(space: SearchSpace, **degrees: int) -> bool:
    """Whether degrees lie within the user's bounds."""
    ranges = ((space.bounds.get(kind, EVERY), degree) for kind, degree in degrees.items())
    return all(low <= degree <= high for (low, high), degree in ranges)


def holds(stack: MlpStack, dp: int, n_active: int, accelerator: Accelerator, model: ModelSwitches) -> bool:
    """Whether weights (a copy a replica) and the optimizer's state fit, sharded unless replicas drift apart."""
    words = dp + model.optimizer_words if model.sync_steps == 1 else dp * (1 + model.optimizer_words) + 4
    return stack.parameters * accelerator.word_bytes * words <= n_active * accelerator.memory_bytes


def schedules(stack: MlpStack, pp: int, microbatches: int, space: SearchSpace) -> Iterator[tuple[int, bool]]:
    """Chunks a stage and whether zero bubble, of the full search."""
    if microbatches < pp:
        return
    if space.schedule != "1f1b" and microbatches >= 2 * pp and allowed(space, interleave=1):
        yield 1, True
    if space.schedule != "zero-bubble":
        for chunks in divisors(stack.layers // pp):
            ordered = not space.classic_order or microbatches % pp == 0
            if (chunks == 1 or (pp > 1 and ordered)) and allowed(space, interleave=chunks):
                yield chunks, False


def layouts(degrees: tuple[int, ...], cluster: Cluster, space: SearchSpace) -> list[Rows]:
    """Every placement of DP, the two TP, PP and EP that the space allows."""
    network = cluster.network
    tensor_levels = space.tensor_levels or len(network.levels)
    found = []
    for rows in placements(degrees, tuple(level.size or math.inf for level in network.levels)):
        if max(used_level(rows[1]), used_level(rows[2])) >= tensor_levels:
            continue
        if space.domain_filling == "exact" and not fills(rows, network):
            continue
        if allowed(space, n_gpu=occupied(rows, network)):
            found.append(rows)
    return found


def full_plans(
    stack: MlpStack, cluster: Cluster, space: SearchSpace, model: ModelSwitches = DEFAULT_MODEL
) -> Iterator[Plan]:
    """Every plan of the full search."""
    for tp_model, tp_ff, pp, ep, dp in product(
        divisors(stack.d_model),
        divisors(stack.d_ff),
        divisors(stack.layers),
        divisors(stack.sparsity),
        divisors(stack.batch_per_expert),
    ):
        degrees = (dp, tp_model, tp_ff, pp, ep)
        given = dict(zip(KINDS, degrees, strict=True)) | {"tp": tp_model * tp_ff}
        if not allowed(space, **given) or not holds(
            stack, dp, math.prod(degrees), cluster.accelerator, model
        ):
            continue
        placed = layouts(degrees, cluster, space)
        for microbatches in divisors(stack.batch_per_expert // dp):
            if allowed(space, microbatches=microbatches):
                for rows, how in product(placed, schedules(stack, pp, microbatches, space)):
                    yield Plan(*rows, microbatches, *how)


def reference_plans(
    stack: MlpStack, cluster: Cluster, space: SearchSpace, ranks: int, model: ModelSwitches = DEFAULT_MODEL
) -> Iterator[Plan]:
    """Every plan of the published program's search on ``ranks * S`` accelerators."""
    experts = stack.sparsity
    for pp, dp in product(divisors(ranks), repeat=2):
        if ranks % (pp * dp) or stack.layers % pp or stack.batch_per_expert % dp:
            continue
        tp = ranks // (pp * dp)
        if stack.d_model * stack.d_ff % tp or not holds(
            stack, dp, ranks * experts, cluster.accelerator, model
        ):
            continue
        for tp_ff in divisors(tp):
            tp_model = tp // tp_ff
            if (
                not math.isqrt(tp) <= tp_ff <= 4 * math.isqrt(tp)
                or stack.d_ff % tp_ff
                or stack.d_model % tp_model
            ):
                continue
            degrees = (dp, tp_model, tp_ff, pp, experts)
            if allowed(space, **dict(zip(KINDS, degrees, strict=True)), tp=tp):
                placed = layouts(degrees, cluster, space)
                for rows, how in product(placed, reference_schedules(stack, dp, pp, space)):
                    yield Plan(*rows, *how)


def reference_schedules(
    stack: MlpStack, dp: int, pp: int, space: SearchSpace
) -> Iterator[tuple[int, int, bool]]:
    """Four smallest microbatch counts of at least PP with all chunks; zero bubble at the first of 2 PP."""
    counts = [count for count in divisors(stack.batch_per_expert // dp) if count >= pp]
    chunks = stack.layers // pp if pp > 1 else 1
    tried = [(count, chunks, False) for count in counts[:4] if space.schedule != "zero-bubble"]
    tried += [(count, 1, True) for count in counts if count >= 2 * pp and space.schedule != "1f1b"][:1]
    for count, interleave, zero in tried:
        ordered = zero or interleave == 1 or not space.classic_order or count % pp == 0
        if ordered and allowed(space, microbatches=count, interleave=interleave):
            yield count, interleave, zero
