"""Fronts: what no other beats in both of two figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["front_of"]


def front_of(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return which points no other beats in both figures, smaller being better, by the first figure.

    Parameters
    ----------
    first, second : float arrays, shape (n,)
        The figures; of points that agree in both, the earliest stands for all.
    """
    order = np.lexsort((np.arange(first.size), second, first))
    kept = second[order]
    best_before = np.minimum.accumulate(np.concatenate([[np.inf], kept[:-1]])) if kept.size else kept
    front: NDArray[np.int64] = order[kept < best_before].astype(np.int64)
    return front
