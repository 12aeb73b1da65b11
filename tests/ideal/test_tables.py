"""Degrees and their placements."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks import plain_search
from scalewall._jit import kernel
from scalewall.cost.machine_arrays import UNBOUNDED
from scalewall.ideal.tables import DegreeTable, degree_table, divisors, next_fit

IntArray = NDArray[np.int64]
SIZES = st.lists(st.sampled_from((1, 2, 3, 5, 6, 8, 72)), max_size=3).map(lambda inner: (*inner, UNBOUNDED))


def placed(degree: int, sizes: tuple[int, ...]) -> set[tuple[int, ...]]:
    rows = plain_search.factorings(degree, len(sizes))
    return {row for row in rows if all(map(lambda factor, size: factor <= size, row, sizes))}


@given(st.integers(1, 100_000))
def test_divisors(number):
    assert divisors(number).tolist() == [d for d in range(1, number + 1) if number % d == 0]


def test_divisors_of_large_numbers():
    assert divisors(1 << 60).tolist() == [1 << exponent for exponent in range(61)]
    assert divisors(99_991 * 99_989).tolist() == [1, 99_989, 99_991, 99_991 * 99_989]


def splits(degree: int, sizes: tuple[int, ...], levels: int) -> list[list[int]]:
    table = degree_table(divisors(degree), degree, degree, np.array(sizes), levels)
    return table.rows.tolist()


@kernel
def all_fits(table: DegreeTable, index: int, room: IntArray) -> list[int]:
    """Rows of one degree that fit, as the searches walk them."""
    found = [0 for _ in range(0)]
    row = table.start[index] - 1
    while True:
        row = next_fit(table.rows, table.skip, row + 1, table.start[index + 1], room)
        if row == table.start[index + 1]:
            return found
        found.append(row)


@given(degree=st.integers(1, 400), sizes=SIZES)
def test_every_placement_once(degree, sizes):
    rows = splits(degree, sizes, len(sizes))
    assert len(rows) == len(set(map(tuple, rows)))
    assert set(map(tuple, rows)) == placed(degree, sizes)


def test_placements_on_the_inner_levels_only():
    sizes = (8, 32, UNBOUNDED)
    assert splits(16, sizes, 1) == []
    assert splits(8, sizes, 1) == [[8, 1, 1]]
    assert splits(16, sizes, 2) == [[1, 16, 1], [2, 8, 1], [4, 4, 1], [8, 2, 1]]


@given(
    st.sampled_from((60, 64, 360)), SIZES, st.lists(st.sampled_from((1, 2, 4, 7, 60)), min_size=4, max_size=4)
)
def test_the_walk_finds_every_placement_that_fits(number, sizes, room):
    levels = len(sizes)
    table = degree_table(divisors(number), 1, UNBOUNDED, np.array(sizes), levels)
    left = np.array(room[:levels])
    for index in range(len(table.degree)):
        rows = range(table.start[index], table.start[index + 1])
        assert all_fits(table, index, left) == [row for row in rows if (table.rows[row] <= left).all()]


@pytest.mark.parametrize(("low", "high"), [(1, UNBOUNDED), (4, 12), (5, 5), (25, 47)])
def test_a_table_holds_the_degrees_in_range_with_all_their_placements(low, high):
    sizes = (8, UNBOUNDED)
    table = degree_table(divisors(48), low, high, np.array(sizes), 2)
    assert table.degree.tolist() == [d for d in (1, 2, 3, 4, 6, 8, 12, 16, 24, 48) if low <= d <= high]
    assert table.start[0] == 0
    assert table.start[-1] == len(table.rows)
    for index, degree in enumerate(table.degree):
        rows = table.rows[table.start[index] : table.start[index + 1]].tolist()
        assert set(map(tuple, rows)) == placed(int(degree), sizes)
        assert all(math.prod(row) == degree for row in rows)
