"""One column set for CSV and pandas; the JSON shape that others build on."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pandas as pd

from scalewall.report import records
from tests.report.samples import ROWS, make_limits

LIMITS = make_limits()


def test_rows_and_columns_agree() -> None:
    columns = records.columns(LIMITS.points)
    rows = records.rows([LIMITS])
    assert len(rows) == len(ROWS) + 1
    assert len(set(columns)) == len(columns)
    assert all(set(row) <= set(columns) for row in rows)
    assert set(rows[0]) | {"reason"} == set(columns)


def test_a_row_is_flat_with_degrees_innermost_first() -> None:
    row = records.point_row("h100", LIMITS.points[4])
    assert row["dp"] == "1 256"
    assert row["tp_model"] == "8 1"
    assert row["zero_bubble"] is True
    assert row["binds"] == "kernel_latency"
    assert row["attributed_kernel_latency"] == LIMITS.points[4].attributed_seconds["kernel_latency"]
    assert row["component_hbm"] == LIMITS.points[4].component_seconds["hbm"]
    assert all(isinstance(value, (str, int, float, bool)) for value in row.values())


def test_a_failed_run_has_its_size_and_reason() -> None:
    row = records.rows([LIMITS])[-1]
    assert row == {
        "machine": "h100",
        "d_model": 212992,
        "training_flop": 4.1e31,
        "reason": "no plan finishes in time",
    }


def test_pandas_has_the_same_columns() -> None:
    frame = records.to_pandas([LIMITS, make_limits("b", rows=2)])
    assert tuple(frame.columns) == records.columns(LIMITS.points)
    assert len(frame) == len(ROWS) + 1 + 3
    assert pd.isna(frame["utilization"].iloc[len(ROWS)])
    assert isinstance(records.to_pandas([make_limits(rows=0, infeasible=False)]), pd.DataFrame)


def test_the_json_shape_is_the_contract() -> None:
    document = json.loads(records.json_text(records.limits_json(LIMITS)))
    assert document["schema_version"] == 1
    assert {
        "schema_version",
        "points",
        "infeasible",
        "linear_scaling",
        "largest_feasible_flop",
        "assumptions",
    } <= set(document)
    assert {
        "d_model",
        "layers",
        "sparsity",
        "batch_tokens",
        "training_flop",
        "n_gpu",
        "utilization",
        "run_seconds",
        "plan",
        "component_seconds",
        "attributed_seconds",
        "binds",
    } <= set(document["points"][0])
    assert document["points"][0]["plan"]["dp"] == [1, 1]
    assert set(document["infeasible"][0]) == {"d_model", "training_flop", "reason"}
    assert set(document["linear_scaling"]) == {
        "first_failure_flop",
        "last_pass_flop",
        "threshold",
        "threshold_utilization",
        "grid_limited",
    }
    assert document["assumptions"]["laws"]["depth_law"] == "published"


def test_json_is_strict() -> None:
    limits = replace(LIMITS, closed_forms={"latency_wall_flop": math.inf, "critical_compute_flop": math.nan})
    document = json.loads(records.json_text(records.limits_json(limits)), parse_constant=lambda name: 1 / 0)
    assert document["closed_forms"] == {"latency_wall_flop": None, "critical_compute_flop": None}
