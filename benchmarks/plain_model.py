"""The ideal model once more in plain Python: one batch under one plan.

Written from the equations of arXiv 2411.01137, apart from the package's own formulas: the tests hold both
against each other, and the benchmark measures how much faster the compiled ones are.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from scalewall.cost.reliability import Reliability, slowdown
from scalewall.hardware import Accelerator, Cluster, Network
from scalewall.ideal.results import Plan
from scalewall.ideal.space import ModelSwitches
from scalewall.workload import MlpStack

Rows = tuple[tuple[int, ...], ...]
"""Factors of DP, TP along d_model, TP along d_ff, PP and EP, one a network level, innermost first."""

DEFAULT_MODEL = ModelSwitches()


class Outcome(NamedTuple):
    """One batch under one plan: seconds each, were it alone; accelerators at work and paid for."""

    compute: float
    tensor: float
    point_to_point: float
    data: float
    bubble: float
    latency: float
    data_latency: float
    total: float
    n_active: int
    n_gpu: int

    @property
    def accelerator_seconds(self) -> float:
        """What the batch costs, idle accelerators included."""
        return self.total * self.n_gpu


def tiling(m: float, n: float, capacity: float, word: float) -> tuple[float, float]:
    """Rows and columns of tiles, as near to squares as the matrix lets them be; no cut by a rounding error."""
    area = m * n / math.ceil(m * n * word / capacity)
    height = max(min(m, math.sqrt(area)), area / n)
    rows, columns = m / height, n * height / area
    return rows if rows > 1 + 1e-12 else 1.0, columns if columns > 1 + 1e-12 else 1.0


def matmul(m: float, n: float, b: float, gradient: bool, accelerator: Accelerator) -> float:
    """Seconds of ``W X`` with W of m x n and X of n x b, or of the gradient of W."""
    word = accelerator.word_bytes
    memory = accelerator.memory
    moved = [0.0] * len(memory)
    for lower in range(1, len(memory)):
        tile, holders = memory[lower].tile_bytes, memory[lower].holders
        rows, columns = tiling(m, n, tile * holders if memory[lower].distributed else tile, word)
        small_rows, small_columns = tiling(m, n, tile, word) if memory[lower].distributed else (1.0, 1.0)
        held = 2 * m * n * word <= tile * holders
        between = small_rows * n * b if small_rows > 1 else 0.0
        if gradient:
            across = (0 if held else 2 * m * n) + rows * n * b + columns * m * b
            between += small_columns * m * b if small_columns > 1 else 0.0
        else:
            across = (0 if held else m * n) + rows * n * b + (2 * columns - 1) * m * b
            between += 2 * (small_columns - 1) * m * b
        moved[lower - 1] += across * word
        moved[lower] += (across + between) * word
    ports = [traffic / level.bandwidth for traffic, level in zip(moved, memory, strict=True)]
    flop = 2 * 8**3 * math.ceil(m / 8) * math.ceil(n / 8) * math.ceil(b / 8)
    return max(flop / accelerator.sustained_flops, *ports) + accelerator.kernel_latency


def layer(m: float, n: float, b: float, accelerator: Accelerator) -> float:
    """Seconds of six matmuls: forward, input and weight gradient of ``m x n`` and of ``n x m``."""
    seconds = 0.0
    for rows, columns in ((m, n), (n, m)):
        forward = matmul(rows, columns, b, False, accelerator)
        backward = matmul(columns, rows, b, False, accelerator)
        seconds += forward + backward + matmul(rows, columns, b, True, accelerator)
    return seconds


def all_reduce(
    peers: tuple[int, ...], words: float, n_gpu: int, word: float, network: Network, tree: bool
) -> tuple[list[float], float]:
    """Seconds at each level and latency of all-reduces among ``peers``, repeated for the groups above."""
    seconds, latency = [], 0.0
    for level, size in enumerate(peers):
        groups = math.prod(peers[level + 1 :])
        link = network.levels[level]
        seconds.append(groups * 2 * (size - 1) * words * word / (n_gpu * link.bandwidth))
        if size > 1:
            latency += 2 * link.latency * (math.ceil(math.log2(size)) if tree else 1)
    return seconds, latency


def used_level(degrees: tuple[int, ...]) -> int:
    """Outermost level in use; -1 where all is on one accelerator."""
    return max((level for level, degree in enumerate(degrees) if degree > 1), default=-1)


def crossing_shares(plan: Plan, layers: int) -> tuple[list[float], list[float]]:
    """How often a layer boundary crosses each level for the pipeline and for experts; first: none."""
    stages, top = math.prod(plan.pp), used_level(plan.pp)
    pipeline = [(layers - plan.interleave * stages) / (layers - 1) if stages > 1 else 1.0]
    experts = [1 / math.prod(plan.ep)]
    for level in range(len(plan.pp)):
        above = math.prod(plan.pp[level + 1 :])
        if level == top:
            crossings = plan.interleave * plan.pp[level] - 1
        else:
            crossings = plan.interleave * above * (plan.pp[level] - 1) if level < top else 0
        pipeline.append(crossings / (layers - 1))
        experts.append(1 / math.prod(plan.ep[level + 1 :]) - 1 / math.prod(plan.ep[level:]))
    return pipeline, experts


def boundaries(stack: MlpStack, plan: Plan, n_gpu: int, word: float, network: Network) -> tuple[float, float]:
    """Seconds and latency of all layer boundaries of a batch, pipeline and experts independent."""
    if stack.layers == 1:
        return 0.0, 0.0
    times = 2 * (stack.layers - 1)
    pipeline, experts = crossing_shares(plan, stack.layers)
    seconds = latency = 0.0
    for (a, often), (b, also) in product(enumerate(pipeline), enumerate(experts)):
        if max(a, b) > 0:
            moved = stack.batch_tokens * stack.d_model * word
            seconds += times * often * also * moved / (n_gpu * network.levels[max(a, b) - 1].bandwidth)
    for a, often in enumerate(pipeline):
        level = max(a - 1, used_level(plan.ep))
        if level >= 0:
            latency += times * often * network.levels[level].latency
    return seconds, latency


def occupied(rows: Rows, network: Network) -> int:
    """Accelerators paid for: domains hold a whole number of groups, and what is left over idles."""
    needed = 1
    for level in reversed(range(len(network.levels))):
        placed = math.prod(row[level] for row in rows)
        size = network.levels[level].size
        if needed == 1 or size is None or size % placed == 0:
            needed *= placed
        else:
            needed = math.ceil(Fraction(needed * size, size // placed))
    return needed


def batch(stack: MlpStack, plan: Plan, cluster: Cluster, model: ModelSwitches = DEFAULT_MODEL) -> Outcome:
    """Evaluate one batch under one plan."""
    word, network, tree = cluster.accelerator.word_bytes, cluster.network, model.tree_latency
    rows = (plan.dp, plan.tp_model, plan.tp_ff, plan.pp, plan.ep)
    dp, tp_model, tp_ff, pp, ep = map(math.prod, rows)
    n_active = dp * tp_model * tp_ff * pp * ep
    tokens = stack.batch_tokens / (dp * plan.microbatches * stack.sparsity)
    passes = stack.layers / pp * stack.sparsity / ep * plan.microbatches
    compute = passes * layer(stack.d_ff / tp_ff, stack.d_model / tp_model, tokens, cluster.accelerator)
    wide, wide_latency = all_reduce(plan.tp_model, stack.d_ff, n_active, word, network, tree)
    narrow, narrow_latency = all_reduce(plan.tp_ff, stack.d_model, n_active, word, network, tree)
    arithmetic = 6 * stack.active_parameters * stack.batch_tokens / cluster.accelerator.sustained_flops
    compute += model.optimizer_compute * arithmetic / n_active
    tensor = 2 * stack.layers * stack.batch_tokens * max(a + b for a, b in zip(wide, narrow, strict=True))
    data, data_latency = all_reduce(plan.dp, stack.parameters, n_active, word, network, tree)
    bits = 8 * word if model.sync_bits is None else model.sync_bits
    data = [seconds * bits / (8 * word) / model.sync_steps for seconds in data]
    data_latency /= model.sync_steps
    point, point_latency = boundaries(stack, plan, n_active, word, network)
    latency = 2 * stack.layers * (wide_latency + narrow_latency) + point_latency
    stall = (plan.interleave - 1) * max(0, pp - plan.microbatches) + pp - 1
    bubble = 0.0 if plan.zero_bubble else stall / (stall + plan.interleave * plan.microbatches)

    kinds = ((tensor, model.overlap_tensor), (point, model.overlap_point_to_point))
    hidden = sum(seconds for seconds, overlaps in kinds if overlaps)
    added = sum(seconds for seconds, overlaps in kinds if not overlaps)
    total = (max(compute, hidden) + added) / (1 - bubble)
    if not plan.zero_bubble:
        total += latency
    elif model.zero_bubble_latency == "max":
        total = max(total, latency)
    reduce = max(data) + data_latency
    total = max(total, reduce) if model.overlap_data else total + reduce
    rates = Reliability(
        model.failures / 3600,
        model.checkpoint_seconds,
        model.restart_seconds,
        model.regroup_seconds,
        model.recovery == "replica",
    )
    total *= slowdown(n_active, dp, rates)
    return Outcome(
        compute,
        tensor,
        point,
        max(data),
        bubble,
        latency,
        data_latency,
        total,
        n_active,
        occupied(rows, network),
    )
