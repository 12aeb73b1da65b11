"""Results that are kept: how many, how large, and that they stay as they were."""

from __future__ import annotations

import tracemalloc

from scalewall.ideal.limits import Limits, limits
from scalewall.web.kept import Kept


def never() -> bool:
    return False


def test_results_are_kept_and_the_oldest_go() -> None:
    kept: Kept[int] = Kept(2)
    made: list[int] = []

    def make(number: int) -> int:
        made.append(number)
        return number

    for number in (1, 2, 1, 3, 1, 2):
        assert kept.of(number, lambda number=number: make(number), never) == number
    assert made == [1, 2, 3, 2]


def test_what_is_kept_is_told_apart_from_what_is_taken_out() -> None:
    kept: Kept[list[int]] = Kept(2)
    kept.keep("one", [1])
    taken = kept.found("one")
    assert taken == [1]
    taken.append(2)
    assert kept.found("one") == [1]
    assert "one" in kept
    assert "other" not in kept
    assert kept.found("other") is None


def test_kept_curves_take_little_memory() -> None:
    curve = limits("h100", search="reference")
    kept: Kept[Limits] = Kept(100)
    kept.keep("first", curve)
    tracemalloc.start()
    try:
        for number in range(50):
            kept.keep(number, curve)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept.found(49) == curve
    assert held / 50 < 40_000, "bytes a curve"


def test_large_results_take_little_memory_and_come_back_as_they_were() -> None:
    kept: Kept[list[str]] = Kept(20)
    large = [f"run {number}" for number in range(100_000)]
    tracemalloc.start()
    try:
        kept.keep("large", large)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 500_000, "bytes; the list holds several million"
    assert kept.found("large") == large
