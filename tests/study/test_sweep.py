"""Studies: axes, samples and points; every mistake is refused before anything is evaluated, by its path."""

from __future__ import annotations

import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scalewall.errors import InputError
from scalewall.hardware import usable_products
from scalewall.study import read_study, sweep_of
from scalewall.study.axes import axis_values
from tests.study.studies import FAST


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ([3, 6], (3, 6)),
        ({"from": 1, "to": 9, "step": 4}, (1, 5, 9)),
        ({"from": 0.1, "to": 0.3, "step": 0.1}, (0.1, 0.2, 0.30000000000000004)),
        ({"from": 3, "to": 1, "step": -1}, (3, 2, 1)),
        ({"from": 1, "to": 3, "count": 3}, (1.0, 2.0, 3.0)),
        (
            {"from": 8, "to": 1024, "count": 8, "spacing": "log", "whole": True},
            tuple(2**n for n in range(3, 11)),
        ),
        ({"from": 1, "to": 3, "count": 9, "whole": True}, (1, 2, 3)),
        ([[1, 12288, 70000]], ((1, 12288, 70000),)),
    ],
)
def test_axes_are_lists_and_ranges(written: Any, values: tuple[Any, ...]) -> None:
    assert axis_values("axes.x", written) == values


def test_points_run_through_every_combination_with_the_same_samples() -> None:
    sweep = sweep_of(FAST)
    points = list(sweep.points(0, sweep.count))
    assert sweep.count == len(points) == 2 * 5 * 3
    assert [point.number for point in points] == list(range(30))
    combinations = [(point.values["machine"], point.values["network.1.bandwidth"]) for point in points]
    assert len(set(combinations)) == 10
    assert combinations[0] == combinations[2] != combinations[3]
    months = [point.values["months"] for point in points]
    assert months == months[:3] * 10
    assert len(set(months)) == 3
    assert all(1 <= value <= 12 for value in months)


def test_a_file_says_the_same_as_python(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(
        """
        [axes]
        machine = ["h100", "a100-80gb"]
        network.1.bandwidth = { from = 25e9, to = 400e9, count = 5, spacing = "log" }
        [samples]
        count = 3
        seed = 7
        months = { distribution = "uniform", from = 1, to = 12 }
        [outputs]
        kind = "closed-forms"
        """
    )
    read, built = read_study(file), sweep_of(FAST)
    assert list(read.points(0, 30)) == list(built.points(0, 30))


def test_all_machines_are_every_product_that_can_be_used() -> None:
    sweep = sweep_of({"axes": {"machine": "all"}, "outputs": {"kind": "closed-forms"}})
    assert list(sweep.machines) == usable_products()


def test_a_sweep_travels_to_workers_whole() -> None:
    sweep = sweep_of(FAST)
    there = pickle.loads(pickle.dumps(sweep))
    assert list(there.points(0, 30)) == list(sweep.points(0, 30))


UNIFORM = {"distribution": "uniform", "from": 1, "to": 12}

BAD = [
    ({"axes.network.1.bandwith": [1e9]}, "axes: 'network.1.bandwith'", "Nearest: network.1.bandwidth"),
    ({"axes.mnths": [3]}, "axes: 'mnths'", "Nearest: months"),
    ({"axes.months": []}, "axes.months: []", "at least one value"),
    ({"axes.months": 3}, "axes.months: 3", "Nearest: [3]"),
    ({"axes.months": [3, 3]}, "axes.months: 3", "each value once"),
    ({"axes.months": [3, -1]}, "axes.months: -1", "from 0.001 to 1200 months"),
    ({"axes.months": ["three"]}, "axes.months: 'three'", "from 0.001"),
    ({"axes.months": [float("inf")]}, "axes.months: inf", "to 1200"),
    ({"axes.months": [float("nan")]}, "axes.months: nan", "a number"),
    ({"axes.months": {"from": 1, "to": float("inf"), "count": 3}}, "axes.months.to: inf", "finite"),
    ({"axes.months": {"from": 1, "to": 9, "step": 0}}, "axes.months.step: 0", "from one end to the other"),
    ({"axes.months": {"from": 1, "to": 9, "step": -1}}, "axes.months.step: -1", "from one end"),
    ({"axes.months": {"from": 1, "to": 9, "step": 1e-9}}, "axes.months.step: 1e-09", "at most 1,000,000"),
    ({"axes.months": {"from": 1, "to": 9}}, "axes.months", "either a step or a count"),
    ({"axes.months": {"from": 1, "to": 9, "cuont": 3}}, "axes.months.cuont", "Nearest: count"),
    ({"axes.months": {"from": 1, "to": 1, "count": 3}}, "axes.months.to: 1", "another number"),
    ({"axes.months": {"from": 0, "to": 1, "count": 3, "spacing": "log"}}, "axes.months.from: 0", "above 0"),
    ({"axes.months": {"from": 1, "to": 2, "count": 1}}, "axes.months.count: 1", "from 2"),
    (
        {"axes.months": {"from": 1, "to": 2, "count": 3, "spacing": "lgo"}},
        "axes.months.spacing",
        "Nearest: log",
    ),
    ({"fixed.search": "reference", "axes.months": [-1]}, "axes.months: -1", "from 0.001"),
    ({"fixed.layers": 3, "fixed.depth_law": "constnat"}, "fixed.depth_law: 'constnat'", "Nearest: constant"),
    ({"axes.months": {}}, "axes.months: []", "at least one value"),
    ({"axes.months": [3, 3.0]}, "axes.months: 3.0", "each value once"),
    ({"axes.months": [10**400]}, "axes.months: 1000", "a whole number below 2^63"),
    ({"axes.months": {"from": 1, "to": 10**400, "count": 3}}, "axes.months.to: 1000", "a finite number"),
    (
        {"axes.months": {"from": -1e308, "to": 1e308, "count": 3}},
        "axes.months.to: 1e+308",
        "nearer to -1e+308",
    ),
    ({"axes.machine": ["h100", "h1000"]}, "axes.machine: 'h1000'", "Nearest: h100"),
    ({"axes.network.1.bandwidth": [1e-3]}, "axes.network.1.bandwidth: 0.001", "from 1000"),
    ({"fixed.batch_law": "zang"}, "fixed.batch_law: 'zang'", "Nearest: zhang"),
    ({"fixed.months": 3, "axes.months": [3, 6]}, "axes.months: 'months'", "fixed does not set"),
    ({"fixed.search": "fulll"}, "fixed.search: 'fulll'", "Nearest: full"),
    ({"fixed.bounds.tb": 8}, "fixed: 'bounds.tb'", "Nearest: bounds.tp"),
    ({"fixed.bounds.tp": 0}, "fixed.bounds.tp: 0", "1 <= LOW"),
    ({"fixed.rounding": "no"}, "fixed.rounding: 'no'", "true or false"),
    ({"fixed.flop": [1e27, 1e28]}, "fixed.flop", "one number (FLOP) a point"),
    ({"outputs.kind": "limit"}, "outputs.kind: 'limit'", "Nearest: limits"),
    ({"outputs.kind": "run"}, "fixed.flop: None", "outputs.kind is 'run'"),
    (
        {"outputs.columns": ["first_failure"]},
        "outputs.columns: 'first_failure'",
        "Nearest: first_failure_flop",
    ),
    ({"outputs.colums": ["x"]}, "outputs: 'colums'", "Nearest: columns"),
    ({"outputs.kind": "closed-forms", "axes.batch_law": ["zhang"]}, "axes: 'batch_law'", "closed-forms"),
    ({"samples.count": 3}, "samples: {'count': 3}", "at least one sampled input"),
    ({"samples.months": {"distribution": "uniform", "from": 1, "to": 2}}, "samples.count: None", "from 1"),
    (
        {"samples.count": 0, "samples.months": {"distribution": "uniform", "from": 1, "to": 2}},
        "samples.count",
        "1",
    ),
    (
        {"samples.count": 3, "samples.months": {"distribution": "unifrom"}},
        "samples.months.distr",
        "Nearest: unif",
    ),
    (
        {"samples.count": 3, "samples.desing": "sobol"},
        "samples.desing: 'sobol'",
        "a distribution",
    ),
    (
        {"samples.count": 3, "samples.design": "sobl", "samples.months": UNIFORM},
        "samples.design: 'sobl'",
        "Nearest: sobol",
    ),
    (
        {"samples.count": 17, "samples.design": "saltelli", "samples.months": UNIFORM},
        "samples.count: 17",
        "a power of 2 times 3 (saltelli, 1 inputs). Nearest: 12",
    ),
    ({"samples.count": 3, "samples.months": 4}, "samples.months: 4", "a distribution"),
    (
        {"samples.count": 3, "samples.months": {"distribution": "uniform", "from": 5, "to": 2}},
        "samples.months.to: 2.0",
        "above 5",
    ),
    (
        {"samples.count": 3, "samples.months": {"distribution": "uniform", "from": 0, "to": 2}},
        "samples.months: 0.0",
        "from 0.001",
    ),
    ({"axis.months": [3]}, "study: 'axis'", "Nearest: axes"),
]


@pytest.mark.parametrize(("settings", "named", "allowed"), BAD, ids=lambda case: str(case)[:60])
def test_one_message_names_what_is_wrong(settings: dict[str, Any], named: str, allowed: str) -> None:
    table: dict[str, Any] = {}
    for path, value in settings.items():
        name, _, rest = path.partition(".")
        table.setdefault(name, {})[rest] = value
    before = deepcopy(table)
    with pytest.raises(InputError) as error:
        sweep_of(table)
    assert str(error.value).startswith(named)
    assert allowed in str(error.value)
    assert table == before


def test_arrays_and_ranges_of_python_are_lists() -> None:
    months, sizes = np.linspace(1, 12, 3), range(8, 17, 8)
    fixed = {"depth_law": "constant", "layers": np.int64(96)}
    sweep = sweep_of({"axes": {"months": months, "network": {"0": {"size": sizes}}}, "fixed": fixed})
    assert sweep.axes == {"months": (1.0, 6.5, 12.0), "network.0.size": (8, 16)}
    assert sweep.table["axes"] == {"months": [1.0, 6.5, 12.0], "network": {"0": {"size": [8, 16]}}}


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"study: .*nowhere\.toml"):
        read_study(tmp_path / "nowhere.toml")
    (tmp_path / "study.toml").write_text("[axes\n")
    with pytest.raises(InputError, match="a TOML file"):
        read_study(tmp_path / "study.toml")


def test_a_value_that_only_some_machines_take_is_left_to_the_points() -> None:
    sweep = sweep_of(
        {
            "axes": {"machine": ["a100-80gb", "h100"], "precision": [16, 8]},
            "outputs": {"kind": "closed-forms"},
        }
    )
    assert sweep.count == 4
