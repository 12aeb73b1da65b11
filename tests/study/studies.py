"""Small studies that the tests of this folder share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from scalewall.study import Results, Sweep, sweep_of

__all__ = ["FAST", "SEARCHED", "WITH_FAILURES", "rows_of", "sized"]

FAST: dict[str, Any] = {
    "axes": {
        "machine": ["h100", "a100-80gb"],
        "network.1.bandwidth": {"from": 25e9, "to": 400e9, "count": 5, "spacing": "log"},
    },
    "samples": {
        "count": 3,
        "seed": 7,
        "months": {"distribution": "uniform", "from": 1, "to": 12},
    },
    "outputs": {"kind": "closed-forms"},
}
"""30 points without a search."""

SEARCHED: dict[str, Any] = {
    "fixed": {"search": "reference", "flop": 1e27},
    "axes": {"machine": ["h100", "a100-80gb"], "months": [3, 6]},
    "outputs": {"kind": "run", "columns": ["utilization", "n_gpu", "dp", "binds"]},
}
"""4 points with a search each."""

WITH_FAILURES: dict[str, Any] = {
    "axes": {"machine": ["b200", "h100"], "precision": [16, 4]},
    "outputs": {"kind": "closed-forms"},
}
"""4 points, of which one fails: an H100 has no 4-bit arithmetic."""


def sized(months: int) -> Sweep:
    """Return a study of as many points as it has durations."""
    return sweep_of(
        {
            "axes": {"months": {"from": 1.0, "to": 12.0, "count": months}},
            "outputs": {"kind": "closed-forms"},
        }
    )


def rows_of(folder: Path) -> pd.DataFrame:
    """Return every row of a results folder."""
    return Results.open(folder).to_pandas()
