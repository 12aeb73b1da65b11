"""Layouts and runs that cannot be are refused, naming field, value, what is allowed, and the nearest."""

from __future__ import annotations

import pytest

from scalewall.errors import InputError
from scalewall.planner.layout import Layout
from scalewall.planner.run import check_run, nearest_divisors
from tests.planner.samples import MIXTURE_LAYOUT, dense_run, mixture_run


def test_ranks() -> None:
    layout = Layout(tp=4, cp=2, pp=3, dp=5)
    assert layout.ranks == 120
    assert layout.gradient_ranks == 10


def test_ranks_of_experts() -> None:
    assert Layout(tp=4, dp=8, ep=8, etp=2).expert_gradient_ranks == 2


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"tp": 0}, "tp"),
        ({"pp": 2.5}, "pp"),
        ({"schedule": "2f2b"}, "schedule"),
        ({"sharding": "half"}, "sharding"),
        ({"recompute": "some"}, "recompute"),
        ({"chunks": 2}, "chunks"),
        ({"dp": 4, "ep": 3}, "ep"),
        ({"pp": 4, "chunks": 2, "schedule": "zb-1p"}, "chunks"),
        ({"pp": 4, "chunks": 2, "schedule": "zb-2p"}, "chunks"),
        ({"pp": 4, "chunks": 2, "schedule": "dualpipe"}, "chunks"),
        ({"pp": 4, "chunks": 2, "schedule": "gpipe"}, "chunks"),
        ({"dp": 8, "shard_ranks": 3}, "shard_ranks"),
        ({"dp": 8, "shard_ranks": -2}, "shard_ranks"),
        ({"dp": 8, "shard_ranks": 2.0}, "shard_ranks"),
        ({"dp": 8, "shard_ranks": True}, "shard_ranks"),
    ],
)
def test_bad_layouts(values: dict[str, object], field: str) -> None:
    with pytest.raises(InputError) as caught:
        Layout(**values)  # type: ignore[arg-type]
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("layout", "field", "nearest"),
    [
        (Layout(tp=3), "tp", "2"),
        (Layout(cp=3, dp=1), "sequence", "4092"),
        (Layout(pp=64), "pp", "32"),
        (Layout(pp=2, chunks=40), "chunks", "17"),
        (Layout(dp=5), "global_batch", "60"),
        (Layout(dp=4, microbatch=3), "microbatch", "2"),
        (Layout(dp=4, ep=2), "ep", "1"),
    ],
)
def test_layouts_that_a_run_refuses(layout: Layout, field: str, nearest: str) -> None:
    with pytest.raises(InputError) as caught:
        check_run(dense_run(), layout)
    assert caught.value.field == field
    assert caught.value.suggestions[0] == nearest


def test_experts_that_do_not_divide() -> None:
    with pytest.raises(InputError) as caught:
        check_run(mixture_run(), Layout(dp=48, ep=48))
    assert caught.value.field == "ep"


def test_microbatches() -> None:
    assert check_run(dense_run(), Layout(dp=4, microbatch=2)) == 8
    assert check_run(mixture_run(), MIXTURE_LAYOUT) == 4


@pytest.mark.parametrize(("wanted", "near"), [(3, "2"), (5, "4"), (100, "16")])
def test_shards_name_the_nearest_number_of_ranks_that_divides(wanted: int, near: str) -> None:
    with pytest.raises(InputError, match="a divisor of cp x dp = 16") as caught:
        Layout(cp=2, dp=8, shard_ranks=wanted)
    assert caught.value.suggestions == (near,)


@pytest.mark.parametrize("ranks", [0, 1, 4, 16])
def test_shards_over_divisors(ranks: int) -> None:
    assert Layout(cp=2, dp=8, shard_ranks=ranks).shard_ranks == ranks


def test_only_interleaving_takes_chunks() -> None:
    with pytest.raises(InputError, match="only 1f1b is interleaved, dualpipe is not") as caught:
        Layout(pp=4, chunks=2, schedule="dualpipe")
    assert caught.value.suggestions == ("1",)
    assert Layout(pp=4, chunks=2).chunks == 2


def test_nearest_divisors() -> None:
    assert nearest_divisors(64, 3) == ["2", "4", "1"]
