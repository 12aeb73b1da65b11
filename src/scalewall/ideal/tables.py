"""Tables that a search walks: the degrees a stack allows and how each can be placed over network levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import inner_kernel, inner_scalar_kernel, kernel

__all__ = ["DegreeTable", "degree_table", "divisors", "next_fit"]

IntArray = NDArray[np.int64]


class DegreeTable(NamedTuple):
    """Allowed degrees of one kind of parallelism, ascending, and their placements.

    The placements of ``degree[i]`` are ``rows[start[i]:start[i + 1]]``, each with one factor a network level,
    innermost first; they rise, the innermost level's factor slowest. ``skip[row, k]`` is the next row of that
    degree (or where they end) whose factors in the levels within ``k`` differ.
    """

    degree: IntArray
    start: IntArray
    rows: IntArray
    skip: IntArray


@kernel
def divisors(number: int) -> IntArray:
    """All divisors of ``number``, ascending."""
    found = [1]
    rest, prime = number, 2
    while rest > 1:
        if prime * prime > rest:
            prime = rest
        known, power = len(found), 1
        while rest % prime == 0:
            rest //= prime
            power *= prime
            for index in range(known):
                found.append(power * found[index])
        prime += 1
    return np.sort(np.array(found))


@inner_scalar_kernel
def _fill(
    degree: int, factors: IntArray, level_size: IntArray, levels: int, rows: IntArray, position: IntArray
) -> int:
    """Write every placement of ``degree`` over the first ``levels`` levels; return how many there are.

    An odometer over the inner levels, each taking one of ``factors`` up to its size; the outermost takes the
    rest. ``factors`` holds at least all divisors of ``degree``, ascending from 1. With ``rows`` of length 0
    nothing is written. ``position`` is a scratch array, one entry a level.
    """
    position[:] = 0
    last = levels - 1
    written = 0
    while True:
        inner = 1
        for level in range(last):
            inner *= factors[position[level]]
        if degree % inner == 0 and degree // inner <= level_size[last]:
            if rows.shape[0] > 0:
                for level in range(last):
                    rows[written, level] = factors[position[level]]
                rows[written, last] = degree // inner
            written += 1
        level = last - 1
        while level >= 0:
            position[level] += 1
            step = position[level]
            if step < factors.size and factors[step] <= min(level_size[level], degree):
                break
            position[level] = 0
            level -= 1
        if level < 0:
            return written


@inner_kernel
def _skips(start: IntArray, rows: IntArray) -> IntArray:
    """Table of ``DegreeTable.skip``."""
    skip = np.empty_like(rows)
    for index in range(start.size - 1):
        stop = start[index + 1]
        for row in range(stop - 1, start[index] - 1, -1):
            same = row + 1 < stop
            skip[row, 0] = stop
            for level in range(1, rows.shape[1]):
                same = same and rows[row, level - 1] == rows[row + 1, level - 1]
                skip[row, level] = skip[row + 1, level] if same else row + 1
    return skip


@kernel
def degree_table(candidates: IntArray, low: int, high: int, level_size: IntArray, levels: int) -> DegreeTable:
    """Table of the ``candidates`` in ``[low, high]`` that can be placed on the first ``levels`` levels.

    ``candidates`` are all divisors of one number, ascending.
    """
    none = np.ones((0, level_size.size), dtype=np.int64)
    kept = np.empty(candidates.size, dtype=np.int64)
    start = np.zeros(candidates.size + 1, dtype=np.int64)
    position = np.empty_like(level_size)
    number = 0
    for degree in candidates:
        if low <= degree <= high:
            ways = _fill(degree, candidates, level_size, levels, none, position)
            if ways > 0:
                kept[number] = degree
                start[number + 1] = start[number] + ways
                number += 1
    rows = np.ones((start[number], level_size.size), dtype=np.int64)
    for index in range(number):
        _fill(kept[index], candidates, level_size, levels, rows[start[index] : start[index + 1]], position)
    return DegreeTable(kept[:number], start[: number + 1], rows, _skips(start[: number + 1], rows))


@inner_scalar_kernel
def next_fit(rows: IntArray, skip: IntArray, row: int, stop: int, room: IntArray) -> int:
    """Return the first of a table's ``rows`` from ``row`` on that fits in the ``room`` of each level.

    ``stop`` if none does. A factor too large for its level is so in all rows that follow with the same factors
    within, which ``skip`` passes over (:class:`DegreeTable`).
    """
    while row < stop:
        level = 0
        while level < room.size and rows[row, level] <= room[level]:
            level += 1
        if level == room.size:
            break
        row = skip[row, level]
    return row
