"""The search: brute force with the readable functions finds the same, and physics moves it the right way."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.planner.bounds import Bound, parse_bound
from scalewall.planner.data_parallel import group_ranks
from scalewall.planner.figures import degrees_of
from scalewall.planner.layout import SCHEDULES, Layout
from scalewall.planner.memory import fit_of
from scalewall.planner.pipeline import parts_keep_pace
from scalewall.planner.plan import PlanQuestion
from scalewall.planner.profile import load_profile
from scalewall.planner.run import Run, check_run, divisors_of
from scalewall.planner.search import REACH, search, smallest
from scalewall.planner.search_kernel import microbatches_suit
from scalewall.planner.space import Space
from scalewall.planner.space_rules import space_of
from scalewall.planner.step import step_time
from scalewall.workload.experts import Experts
from tests.planner.samples import DENSE, GB200, H100, MIXTURE, dense_run, mixture_run

SMALL = replace(DENSE, layers=12, vocab=32000)
SMALL_MIXTURE = replace(
    MIXTURE, layers=6, vocab=32000, experts=Experts(routed=8, top_k=2, ffn=768, leading_dense=1)
)
EVERYTHING = 10**6


def question(
    run: Run, ranks: int, *bounds: str, profile: str = "bridge-2026", top: int = EVERYTHING
) -> PlanQuestion:
    asked = PlanQuestion(run, ranks, load_profile(profile), tuple(map(parse_bound, bounds)))
    return replace(asked, top=min(top, 1000))


def by_hand(asked: PlanQuestion, space: Space) -> Iterator[Layout]:
    """Every layout of the space, by trying all combinations of all knobs."""
    run, ranks = asked.run, asked.ranks
    domain = run.device.fast_ranks
    for tp, cp, pp in itertools.product(divisors_of(ranks), repeat=3):
        if ranks % (tp * cp * pp) or tp > domain or pp > run.model.layers or (cp > 1 and not space.offers.cp):
            continue
        dp = ranks // (tp * cp * pp)
        experts = run.model.experts.routed if run.model.experts else 1
        knobs = itertools.product(
            divisors_of(experts),
            {1, tp} if run.model.experts else {1},
            range(1, (run.model.layers + 2) // pp + 1) if pp > 1 else [1],
            divisors_of(run.global_batch),
            space.offers.schedules if pp > 1 else ["1f1b"],
            space.offers.with_stages if pp > 1 else space.offers.shardings,
            {0, domain // tp},
            space.again,
        )
        for ep, etp, chunks, microbatch, schedule, sharding, shard, (kind, modules) in knobs:
            if schedule == "gpipe" or (chunks > 1 and schedule != "1f1b"):
                continue
            if shard and (
                sharding in ("none", "optimizer") or (dp * cp) % shard or shard == dp * cp or shard == 1
            ):
                continue
            try:
                layout = Layout(
                    tp=tp,
                    cp=cp,
                    pp=pp,
                    dp=dp,
                    ep=ep,
                    etp=etp,
                    chunks=chunks,
                    microbatch=microbatch,
                    schedule=schedule,
                    sequence_parallel=space.offers.sequence_parallel,
                    sharding=sharding,
                    shard_ranks=shard,
                    recompute=kind,
                    recompute_modules=modules,
                )
                microbatches = check_run(run, layout)
            except InputError:
                continue
            bounded = any(bound.name == "chunks" for bound in asked.bounds)
            if not bounded and not parts_keep_pace(run.model, pp, chunks):
                continue
            if not space.offers.uneven and run.model.layers % (pp * chunks):
                continue
            if pp > 1 and not microbatches_suit(SCHEDULES.index(schedule), pp, chunks, microbatches):
                continue
            if all(bound.allows(getattr(layout, bound.name)) for bound in asked.bounds):
                yield layout


def alone(layout: Layout, experts: bool) -> bool:
    """Whether nobody shares weights, so that ways of sharding are all the same."""
    degrees = degrees_of(layout)
    return group_ranks(degrees, False) == 1 and (not experts or group_ranks(degrees, True) == 1)


CASES = [
    question(replace(dense_run(), model=SMALL, global_batch=8), 8),
    question(replace(dense_run(), model=SMALL, global_batch=16), 16, "chunks=:3", "pp=1:4"),
    question(replace(dense_run(), model=SMALL, global_batch=24), 8, profile="zero-bubble-2023"),
    question(replace(dense_run(), model=SMALL, global_batch=8), 8, profile="torchtitan-2024"),
    question(replace(mixture_run(), model=SMALL_MIXTURE, global_batch=8), 8, "chunks=:2"),
    question(replace(mixture_run(GB200), model=SMALL_MIXTURE, global_batch=12), 12, "cp=1"),
]


@pytest.mark.parametrize(
    "asked", CASES, ids=["dense", "bounded", "zero bubble", "torchtitan", "experts", "nvl72"]
)
def test_brute_force_finds_the_same(asked: PlanQuestion) -> None:
    space = space_of(asked)
    run, profile = asked.run, asked.profile
    everything: dict[Layout, tuple[float, float]] = {}
    for layout in by_hand(asked, space):
        if alone(layout, run.model.experts is not None):
            layout = replace(layout, sharding="none")
        if layout not in everything:
            needed = fit_of(run, layout, profile).needed
            everything[layout] = (step_time(run, layout, profile).seconds, needed)
    for capacity in (math.inf, 30e9, 12e9):
        found = search(asked, space, capacity)
        fitting = [value for value in everything.values() if value[1] <= capacity]
        assert bool(fitting) == bool(found.seconds.size)
        if fitting:
            best = min(seconds for seconds, _ in fitting)
            near = sorted(value for value in fitting if value[0] <= REACH * best)
            got = sorted(zip(found.seconds.tolist(), found.memory.tolist(), strict=True))
            assert len(got) >= len(near)
            assert np.allclose(got[: len(near)], near, rtol=1e-12)
            assert found.tally["fits"] <= len(fitting)
            layout = found.layout(int(found.seconds.argmin()))
            assert step_time(run, layout, profile).seconds == pytest.approx(best, rel=1e-12)


def test_a_few_plans_are_the_same_with_and_without_the_rest() -> None:
    """Cutting what cannot come near changes no time of the best."""
    asked = CASES[0]
    few = search(replace(asked, top=3), space_of(asked), math.inf)
    many = search(asked, space_of(asked), math.inf)
    assert np.array_equal(np.sort(few.seconds)[:3], np.sort(many.seconds)[:3])
    assert few.tally["evaluated"] <= many.tally["evaluated"]


def test_the_smallest_layout_is_the_smallest() -> None:
    asked = CASES[0]
    space = space_of(asked)
    least = min(fit_of(asked.run, layout, asked.profile).needed for layout in by_hand(asked, space))
    found = smallest(asked, space)
    assert found.seconds.size == 1
    assert found.memory[0] == pytest.approx(least, rel=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.floats(8e9, 40e9), st.floats(1.0, 3.0))
def test_more_memory_never_removes_a_plan(capacity: float, factor: float) -> None:
    asked = CASES[0]
    space = space_of(asked)
    less, more = search(asked, space, capacity), search(asked, space, factor * capacity)
    assert more.tally["fits"] >= less.tally["fits"]
    if less.seconds.size:
        assert more.seconds.min() <= less.seconds.min()


@settings(max_examples=15, deadline=None)
@given(st.floats(1.0, 4.0), st.floats(1.0, 4.0), st.sampled_from([0, 4]))
def test_faster_links_never_slow_the_best_step(fast: float, slow: float, case: int) -> None:
    asked = CASES[case]
    device = replace(
        asked.run.device,
        fast_bandwidth=fast * asked.run.device.fast_bandwidth,
        slow_bandwidth=slow * asked.run.device.slow_bandwidth,
    )
    better = replace(asked, run=replace(asked.run, device=device))
    before = search(asked, space_of(asked), math.inf).seconds.min()
    assert search(better, space_of(better), math.inf).seconds.min() <= before * (1 + 1e-9)


def test_bounds_only_take_away() -> None:
    free = CASES[0]
    whole = search(free, space_of(free), math.inf)
    for bound in ("tp=2", "pp=2:", "microbatch=1,2", "recompute=none", "sharding=optimizer", "dp=:2"):
        asked = replace(free, bounds=(parse_bound(bound),))
        found = search(asked, space_of(asked), math.inf)
        assert found.seconds.min() >= whole.seconds.min()
        for number in range(0, found.seconds.size, 7):
            layout = found.layout(number)
            assert Bound.allows(asked.bounds[0], getattr(layout, asked.bounds[0].name))


def test_schedules_are_run_with_enough_microbatches() -> None:
    one, two = SCHEDULES.index("zb-1p"), SCHEDULES.index("dualpipe")
    assert microbatches_suit(0, 4, 1, 1)
    assert microbatches_suit(0, 4, 2, 8)
    assert not microbatches_suit(0, 4, 2, 6)
    assert microbatches_suit(one, 4, 1, 8)
    assert not microbatches_suit(one, 4, 1, 7)
    assert not microbatches_suit(two, 3, 1, 8)
    assert not microbatches_suit(two, 4, 1, 9)


def test_tensor_parallelism_stays_in_the_node() -> None:
    space = space_of(question(dense_run(global_batch=64), 64))
    assert space.values_of("tp") == [1, 2, 4, 8]
    assert any(one.region == "TP 16, 32" and "crosses" in one.reason for one in space.excluded)


def test_a_software_without_a_pipeline_searches_none() -> None:
    space = space_of(question(dense_run(H100, global_batch=64), 8, profile="fsdp-2023"))
    assert space.values_of("pp") == [1]
    assert space.values_of("tp") == [1]
    free = space_of(question(dense_run(H100, global_batch=64), 8, "pp=2", profile="fsdp-2023"))
    assert free.splits == ()
    wanted = space_of(
        question(dense_run(H100, global_batch=64), 8, "pp=2", "sharding=none", profile="fsdp-2023")
    )
    assert wanted.values_of("pp") == [2]
