"""What a point answers is what the API answers to the same question."""

from __future__ import annotations

from pathlib import Path

import scalewall as sw
from scalewall.ideal.limits import Limits
from scalewall.study import run_sweep, sweep_of
from tests.study.studies import rows_of

FEW = [1, 12288, 70000]
SETTINGS = {"search": "reference", "grid": FEW, "bounds": {"tp": [1, 64]}, "network": {"0": {"size": 16}}}


def asked(**settings: object) -> Limits:
    found = sw.limits(
        "h100",
        search="reference",
        bounds={"tp": (1, 64)},
        overrides={"network.0.size": 16},
        **settings,
    )
    assert isinstance(found, Limits)
    return found


def given(value: float) -> float | None:
    return None if value != value else value


def test_limits(tmp_path: Path) -> None:
    run_sweep(sweep_of({"fixed": SETTINGS, "axes": {"months": [3, 0.01]}}), tmp_path)
    rows = rows_of(tmp_path)
    for months, row in zip((3, 0.01), rows.to_dict("records"), strict=True):
        found = asked(grid=tuple(FEW), months=months)
        assert row["machine"] == "h100"
        assert row["months"] == months
        band = found.linear_scaling
        assert given(row["largest_feasible_flop"]) == found.largest_feasible_flop
        assert given(row["last_pass_flop"]) == band.last_pass_flop
        assert given(row["first_failure_flop"]) == band.first_failure_flop
        assert row["critical_compute_flop"] == found.closed_forms["critical_compute_flop"]
        assert (row["runs"], row["infeasible_runs"]) == (3, len(found.infeasible))


def test_a_curve(tmp_path: Path) -> None:
    run_sweep(sweep_of({"fixed": SETTINGS, "outputs": {"kind": "curve"}}), tmp_path)
    rows = rows_of(tmp_path)
    found = asked(grid=tuple(FEW))
    assert list(rows["point"]) == [0, 0, 0]
    assert list(rows["reason"].dropna()) == [run.reason for run in found.infeasible]
    rows = rows[rows["reason"].isna()]
    assert list(rows["training_flop"]) == [point.training_flop for point in found.points]
    assert list(rows["utilization"]) == [point.utilization for point in found.points]
    assert list(rows["dp"]) == [" ".join(map(str, point.plan.dp)) for point in found.points]
    for part, seconds in found.points[0].attributed_seconds.items():
        assert rows.loc[0, f"attributed_{part}"] == seconds


def test_a_run_that_nothing_finishes_says_why(tmp_path: Path) -> None:
    fixed = SETTINGS | {"flop": 1e31, "months": 0.01}
    run_sweep(sweep_of({"fixed": fixed, "outputs": {"kind": "run"}}), tmp_path)
    (row,) = rows_of(tmp_path).to_dict("records")
    (run,) = asked(flop=(1e31,), months=0.01).infeasible
    assert row["reason"] == run.reason
    assert row["utilization"] != row["utilization"]
    assert row["error"] != row["error"]


def test_inputs_of_mixed_types_keep_their_columns(tmp_path: Path) -> None:
    axes = {"months": [3, 4.5], "rounding": [True, False], "grid": [FEW, [1, 12288, 20000]]}
    run_sweep(sweep_of({"fixed": {"search": "reference"}, "axes": axes}), tmp_path)
    rows = rows_of(tmp_path)
    assert list(rows["months"][:5]) == [3.0, 3.0, 3.0, 3.0, 4.5]
    assert rows["rounding"].dtype == bool
    assert list(rows["grid"][:2]) == ["1 12288 70000", "1 12288 20000"]


def test_a_result_with_an_inputs_name_leaves_the_input_alone(tmp_path: Path) -> None:
    fixed = SETTINGS | {"flop": 1e31, "months": 0.01, "depth_law": "constant"}
    table = {"fixed": fixed, "axes": {"layers": [50, 100]}, "outputs": {"kind": "run"}}
    run_sweep(sweep_of(table), tmp_path)
    rows = rows_of(tmp_path)
    assert list(rows["layers"]) == [50, 100]
    assert rows["run_layers"].isna().all()
    assert rows["reason"].notna().all()
