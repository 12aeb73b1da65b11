"""Tables that a search walks: the degrees a stack allows and how each can be placed over network levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scalewall._jit import inner_kernel, kernel

__all__ = ["DegreeTable", "degree_table", "divisors", "splits"]

IntArray = NDArray[np.int64]


class DegreeTable(NamedTuple):
    """Allowed degrees of one kind of parallelism, ascending, and their placements.

    The placements of ``degree[i]`` are ``rows[start[i]:start[i + 1]]``, each with one factor a network level,
    innermost first.
    """

    degree: IntArray
    start: IntArray
    rows: IntArray


@kernel
def divisors(number: int) -> IntArray:
    """All divisors of ``number``, ascending."""
    small = []
    large = []
    candidate = 1
    while candidate * candidate <= number:
        if number % candidate == 0:
            small.append(candidate)
            if candidate * candidate != number:
                large.append(number // candidate)
        candidate += 1
    found = np.empty(len(small) + len(large), dtype=np.int64)
    for index in range(len(small)):
        found[index] = small[index]
    for index in range(len(large)):
        found[len(small) + index] = large[len(large) - 1 - index]
    return found


@inner_kernel
def _fill(degree: int, factors: IntArray, level_size: IntArray, levels: int, rows: IntArray) -> int:
    """Write every placement of ``degree`` over the first ``levels`` levels; return how many there are.

    An odometer over the inner levels, each taking one of ``factors`` up to its size; the outermost takes the
    rest. ``factors`` holds at least all divisors of ``degree``, ascending from 1. With ``rows`` of length 0
    nothing is written.
    """
    position = np.zeros(level_size.size, dtype=np.int64)
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
        level = 0
        while level < last:
            position[level] += 1
            step = position[level]
            if step < factors.size and factors[step] <= min(level_size[level], degree):
                break
            position[level] = 0
            level += 1
        if level >= last:
            return written


@kernel
def splits(degree: int, level_size: IntArray, levels: int) -> IntArray:
    """Every way to write ``degree`` as a product over network levels, none above a level's size.

    Parameters
    ----------
    degree : int
        What to place.
    level_size : array of int, shape (K,)
        Sizes of the levels, innermost first.
    levels : int
        How many of the inner levels may be used; the others get 1.

    Returns
    -------
    array of int, shape (ways, K)
    """
    factors = divisors(degree)
    none = np.ones((0, level_size.size), dtype=np.int64)
    rows = np.ones((_fill(degree, factors, level_size, levels, none), level_size.size), dtype=np.int64)
    _fill(degree, factors, level_size, levels, rows)
    return rows


@kernel
def degree_table(candidates: IntArray, low: int, high: int, level_size: IntArray, levels: int) -> DegreeTable:
    """Table of the ``candidates`` in ``[low, high]`` that can be placed on the first ``levels`` levels.

    ``candidates`` are all divisors of one number, ascending.
    """
    none = np.ones((0, level_size.size), dtype=np.int64)
    kept = np.empty(candidates.size, dtype=np.int64)
    start = np.zeros(candidates.size + 1, dtype=np.int64)
    number = 0
    for degree in candidates:
        if low <= degree <= high:
            ways = _fill(degree, candidates, level_size, levels, none)
            if ways > 0:
                kept[number] = degree
                start[number + 1] = start[number] + ways
                number += 1
    rows = np.ones((start[number], level_size.size), dtype=np.int64)
    for index in range(number):
        _fill(kept[index], candidates, level_size, levels, rows[start[index] : start[index + 1]])
    return DegreeTable(kept[:number], start[: number + 1], rows)
