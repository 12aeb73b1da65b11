"""Machines, stacks and searches small enough that plain Python can go through every plan.

The figures are drawn relative to the work, so that every resource binds in some example: arithmetic, memory
ports, kernels, each network level, latency, memory capacity and the deadline.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

from benchmarks.plain_search import divisors, factorings
from scalewall.hardware import Accelerator, Cluster, MemoryLevel, Network, NetworkLevel
from scalewall.ideal.space import BOUNDED, ModelSwitches, SearchSpace
from scalewall.workload import MlpStack

SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
WIDTHS = (64, 122, 129, 212, 248, 282, 320)
LAYERS = (1, 2, 3, 4, 6, 8, 16)
SHARES = (1, 2, 3, 4, 6, 8, 12, 16, 32)
SIZES = (3, 5, 6, 8, 72)
MOST_WAYS = 20_000
"""No more ways to place degrees than plain Python goes through in a second."""


class World(NamedTuple):
    """A question: what is trained, where, in which time (of the run), under which search and switches."""

    stack: MlpStack
    cluster: Cluster
    space: SearchSpace
    model: ModelSwitches
    run_seconds: float

    @property
    def deadline(self) -> float:
        """Most seconds a batch may take."""
        return self.run_seconds * self.stack.batch_tokens / self.stack.tokens


def powers(low: float, high: float) -> st.SearchStrategy[float]:
    """Ten to a power drawn from a range."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


def ways(number: int, levels: int) -> int:
    """How many divisors of a number there are, counting every placement of each over the levels."""
    return sum(len(factorings(divisor, levels)) for divisor in divisors(number))


def size_of(world: World) -> int:
    """How many ways there are to choose and place all degrees, were every network level unbounded."""
    stack, levels = world.stack, len(world.cluster.network.levels)
    wholes = (stack.d_model, stack.d_ff, stack.layers, stack.sparsity, stack.batch_per_expert)
    return math.prod(ways(whole, levels) for whole in wholes)


@st.composite
def stacks(draw: st.DrawFn) -> MlpStack:
    """Draw a stack whose search space is small: few divisors."""
    experts = draw(st.sampled_from((1, 1, 2, 3, 4)))
    share = draw(st.sampled_from(SHARES))
    return MlpStack(
        d_model=draw(st.sampled_from(WIDTHS)),
        d_ff=draw(st.sampled_from(WIDTHS)),
        layers=draw(st.sampled_from(LAYERS)),
        sparsity=experts,
        batch_tokens=float(share * experts),
        tokens=float(share * experts) * 1000,
    )


@st.composite
def clusters(draw: st.DrawFn, stack: MlpStack) -> Cluster:
    """Draw a cluster whose resources are of one order with the stack's arithmetic, which takes one second."""
    flop = 6 * stack.active_parameters * stack.batch_tokens
    sustained = draw(st.sampled_from((0.5, 0.7, 1.0)))
    word = 2
    weights = stack.parameters * word
    ports = (
        MemoryLevel("HBM", math.inf, 1, False, weights * draw(powers(-0.5, 2))),
        MemoryLevel("L2", draw(powers(3, 6)), 1, False, weights * draw(powers(0, 3) | st.just(math.inf))),
        MemoryLevel(
            "shared memory", draw(powers(2, 4)), 4, draw(st.booleans()), weights * draw(powers(0, 3))
        ),
        MemoryLevel("registers", draw(powers(1, 3)), 16, False, math.inf),
    )
    accelerator = Accelerator(
        name="small",
        precision=8 * word,
        peak_flops=flop / sustained,
        sustained_fraction=sustained,
        kernel_latency=draw(powers(-7, -3)),
        memory_bytes=5 * weights / draw(st.just(0.1) | powers(-1, 2)),
        memory=ports[: draw(st.sampled_from((2, 4)))],
    )
    traffic = weights + 2 * stack.layers * stack.batch_tokens * (stack.d_model + stack.d_ff)
    levels = [
        NetworkLevel(
            f"level {index}",
            draw(st.sampled_from(SIZES)),
            traffic * draw(powers(-1, 3) | st.just(math.inf)),
            draw(powers(-6, -2) | powers(-3, -2) | st.just(0.0)),
        )
        for index in range(draw(st.sampled_from((1, 1, 2, 2, 3))))
    ]
    levels[-1] = NetworkLevel("outermost", None, levels[-1].bandwidth, levels[-1].latency)
    return Cluster("small", "Small", accelerator, Network(tuple(levels)))


def methods() -> st.SearchStrategy[dict[str, object]]:
    """Ways to make and keep steps that are not the published ones."""
    return st.fixed_dictionaries(
        {
            "sync_steps": st.sampled_from((1, 1, 4, 100)),
            "sync_bits": st.sampled_from((None, 4)),
            "optimizer_compute": st.sampled_from((0.0, 0.3)),
            "optimizer_words": st.sampled_from((2.0, 4.0, 12.0)),
            "failures": st.sampled_from((0.0, 0.05, 1.0)),
            "checkpoint_seconds": st.sampled_from((1.0, 30.0)),
            "restart_seconds": st.sampled_from((10.0, 600.0)),
            "regroup_seconds": st.sampled_from((0.0, 20.0)),
            "recovery": st.sampled_from(("job", "replica")),
        }
    )


@st.composite
def models(draw: st.DrawFn) -> ModelSwitches:
    """Draw any combination of the model's switches."""
    return ModelSwitches(
        overlap_tensor=draw(st.booleans()),
        overlap_point_to_point=draw(st.booleans()),
        overlap_data=draw(st.booleans()),
        zero_bubble_latency=draw(st.sampled_from(("max", "free"))),
        latency_model=draw(st.sampled_from(("constant", "tree"))),
        **draw(st.just({}) | methods()),
    )


@st.composite
def spaces(draw: st.DrawFn, method: str = "full") -> SearchSpace:
    """Draw a search space, often with one or two bounds."""
    names = draw(st.just([]) | st.lists(st.sampled_from(BOUNDED), max_size=2, unique=True))
    ends = {name: sorted(draw(st.tuples(*[st.sampled_from((1, 2, 3, 4, 8, 48))] * 2))) for name in names}
    return SearchSpace(
        method=method,
        bounds={name: (low, high) for name, (low, high) in ends.items()},
        tensor_levels=draw(st.sampled_from((None, None, None, 1, 2))),
        schedule=draw(st.sampled_from(("any", "1f1b", "zero-bubble"))),
        classic_order=draw(st.booleans()),
        domain_filling=draw(st.sampled_from(("partial", "partial", "exact"))),
    )


@st.composite
def worlds(draw: st.DrawFn, method: str = "full") -> World:
    """Draw a whole question that plain Python answers in about a second."""
    stack = draw(stacks())
    world = World(
        stack,
        draw(clusters(stack)),
        draw(spaces(method)),
        draw(models()),
        run_seconds=1000 * draw(powers(-2, 0.5)),
    )
    assume(size_of(world) <= MOST_WAYS)
    return world
