"""Uncertain limits: defaults with sources, quantiles of known answers, the same to the bit, mistakes by name."""

from __future__ import annotations

import re
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scalewall as sw
from scalewall.errors import InputError
from scalewall.hardware import machine_names
from scalewall.study import InProcess, Results, run_sweep
from scalewall.study.outputs import CURVE_FLOP, utilizations_at
from scalewall.study.running import Progress
from scalewall.study.uncertain_inputs import EVIDENCE, default_table, read_worlds, worlds_of
from scalewall.study.uncertain_question import ANSWERS, question_of
from scalewall.study.uncertainty import QUANTILES, Uncertainty, uncertainty_of

FEW = [3, 12288, 1572864]
SMALL: dict[str, Any] = {
    "fixed": {"search": "reference", "grid": FEW},
    "samples": {
        "months": {
            "distribution": "log-uniform",
            "from": 1,
            "to": 12,
            "source": "a guess",
            "evidence": "assumed",
        },
        "network": {"1": {"latency": {"distribution": "uniform", "relative": True, "from": 0.5, "to": 4}}},
    },
}


def answer(folder: Path, **settings: Any) -> Uncertainty:
    question = question_of(worlds_of(SMALL), **settings)
    run_sweep(question.sweep, folder, point_seconds=0.2)
    return uncertainty_of(question, Results.open(folder))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Uncertainty:
    return answer(tmp_path_factory.mktemp("worlds") / "kept", samples=24, seed=3)


def test_defaults_hold_for_every_machine_and_have_a_source() -> None:
    for machine in machine_names():
        table = default_table(machine)
        worlds = worlds_of(table)
        assert {belief.evidence for belief in worlds.beliefs} <= set(EVIDENCE)
        assert all(belief.source for belief in worlds.beliefs)
    paths = [belief.path for belief in worlds_of(default_table("h100")).beliefs]
    for path in (
        "batch_exponent",
        "depth_exponent",
        "months",
        "accelerator.kernel_latency",
        "network.0.latency",
    ):
        assert path in paths
    assert "precision.16.sustained_fraction" in paths
    assert "precision.8.sustained_fraction" in [
        belief.path for belief in worlds_of(default_table("h100", 8)).beliefs
    ]


def test_the_defaults_are_a_sound_question() -> None:
    assert question_of(worlds_of(default_table("h100")), samples=16).sweep.count == 16
    assert (
        question_of(worlds_of(default_table("gb200-nvl72")), samples=8, method="sobol").sweep.count == 8 * 15
    )


def test_a_relative_distribution_multiplies_the_machines_own_figure() -> None:
    beliefs = {belief.path: belief.distribution for belief in worlds_of(SMALL).beliefs}
    assert beliefs["network.1.latency"] == {"distribution": "uniform", "from": 0.5625e-6, "to": 4.5e-6}


def test_quantiles_are_those_of_limits_asked_one_by_one(found: Uncertainty, tmp_path: Path) -> None:
    sweep = found.question.sweep
    asked = []
    for number in range(sweep.count):
        values = sweep.point(number).values
        asked.append(
            sw.limits(
                "h100",
                search="reference",
                grid=tuple(FEW),
                months=values["months"],
                overrides={"network.1.latency": values["network.1.latency"]},
            )
        )
    largest = np.array([one.largest_feasible_flop or 0.0 for one in asked])
    by_name = {spread.name: spread.quantiles for spread in found.limits}
    assert list(by_name) == list(ANSWERS)
    assert by_name["largest_feasible_flop"] == tuple(np.quantile(largest, QUANTILES, method="inverted_cdf"))
    middle = min(found.curve, key=lambda spread: abs(spread.flop - 1e28))
    name = next(name for name, decade in CURVE_FLOP.items() if 10.0**decade == middle.flop)
    stood = [utilizations_at(one.points + one.infeasible)[name] for one in asked]
    here = np.array([utilization for utilization in stood if utilization is not None])
    assert middle.quantiles == tuple(np.quantile(here, QUANTILES, method="inverted_cdf"))
    assert middle.feasible == np.mean(here > 0)
    least = 0.8 * asked[0].sustained_fraction
    assert middle.efficient == np.mean(here > least)


def test_a_curve_is_read_at_runs_that_are_near() -> None:
    found = sw.limits("h100", search="reference", grid=(1, 16384, 65536))
    runs = found.points + found.infeasible
    row = utilizations_at(runs)
    for name, decade in CURVE_FLOP.items():
        near = [run for run in runs if 0.5 <= run.training_flop / 10**decade <= 2]
        assert (row[name] is None) == (not near)
        if near:
            assert row[name] in [getattr(run, "utilization", 0.0) for run in near]
    assert sum(value is not None for value in row.values()) > 2


def test_shares_of_worlds_fall_with_compute(found: Uncertainty) -> None:
    for name in ("feasible", "efficient"):
        shares = [getattr(spread, name) for spread in found.curve]
        assert shares[0] == 1.0
        assert all(later <= earlier + 0.2 for earlier, later in pairwise(shares))
    assert all(spread.efficient <= spread.feasible for spread in found.curve)


@pytest.mark.parametrize("method", [None, "sobol", "morris"])
def test_a_stopped_run_goes_on_to_the_same_bits(tmp_path: Path, method: str | None) -> None:
    whole = answer(tmp_path / "whole", samples=4, seed=1, method=method)

    def stop(step: Progress) -> None:
        if step.done >= 2:
            raise KeyboardInterrupt

    question = question_of(worlds_of(SMALL), samples=4, seed=1, method=method)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(question.sweep, tmp_path / "stopped", progress=stop, point_seconds=0.2)
    kept = run_sweep(question.sweep, tmp_path / "stopped", InProcess()).kept
    assert 0 < kept < question.sweep.count
    assert uncertainty_of(question, Results.open(tmp_path / "stopped")) == whole
    assert answer(tmp_path / "other", samples=4, seed=2, method=method) != whole


def test_a_sensitivity_names_what_matters(tmp_path: Path) -> None:
    found = answer(tmp_path, samples=8, seed=1, method="morris")
    assert found.limits == found.curve == ()
    by_name = {one.answer: one for one in found.sensitivities}
    assert by_name["largest_feasible_flop"].effects[0].path == "months"


def test_a_folder_that_lacks_points_is_refused(tmp_path: Path) -> None:
    question = question_of(worlds_of(SMALL), samples=4)
    with pytest.raises(ZeroDivisionError):
        run_sweep(question.sweep, tmp_path, progress=lambda step: 1 // (2 - step.done), point_seconds=0.2)
    with pytest.raises(InputError, match="all of the 4 points"):
        uncertainty_of(question, Results.open(tmp_path))


def changed(path: str, value: object) -> dict[str, Any]:
    table = deepcopy(SMALL)
    *names, last = path.split("/")
    inner = table
    for name in names:
        inner = inner.setdefault(name, {})
    inner[last] = value
    return table


UNIFORM = {"distribution": "uniform", "from": 1, "to": 2}
BAD = [
    (changed("sample/months", 3), "uncertainty: 'sample'", "Nearest: samples"),
    ({"fixed": {}}, "samples: {}", "at least one uncertain input"),
    (changed("samples/months", 3), "samples.months: 3", "a distribution such as"),
    (changed("samples/months/to", 0.5), "samples.months.to: 0.5", "above 1"),
    (changed("samples/months/distribution", "lognormal"), "samples.months.distribution", "Nearest: log-normal"),
    (changed("samples/months/evidence", "gut"), "samples.months.evidence: 'gut'", "measured"),
    (changed("samples/months/relative", True), "samples.months.relative: True", "no figure of its own"),
    (changed("samples/mnths", UNIFORM), "samples: 'mnths'", "Nearest: months"),
    (changed("samples/schedule", UNIFORM), "samples.schedule: 1.5", "a name"),
    (changed("fixed/months", 3), "samples.months: 'months'", "fixed does not set"),
    (changed("fixed/machine", "h1000"), "machine: 'h1000'", "Nearest: h100"),
    (changed("samples/machine", {"distribution": "choice", "values": ["h100"]}), "samples.machine", "one machine"),
    (changed("samples/precision.16.sustained_fraction", {"distribution": "normal", "mean": 0.8, "deviation": 0.2}),
     "samples.precision.16.sustained_fraction: 1.4", "from 0.01 to 1"),
    (changed("samples/bounds.tp", {"distribution": "choice", "values": [[8, 2]]}), "samples.bounds.tp: (8, 2)", "LOW"),
    (changed("samples/count", 0), "samples.count: 0", "a whole number from 1"),
    (changed("samples/seed", -1), "samples.seed: -1", "a whole number from 0"),
    (changed("samples/design", "sobl"), "samples.design: 'sobl'", "Nearest: sobol"),
    (changed("samples/design", "saltelli"), "samples.design: 'saltelli'", "latin-hypercube"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "named", "allowed"), BAD, ids=lambda case: str(case)[:40])
def test_one_message_names_what_is_wrong(table: dict[str, Any], named: str, allowed: str) -> None:
    with pytest.raises(InputError) as error:
        question_of(worlds_of(table))
    assert str(error.value).startswith(named)
    assert allowed in str(error.value)


def test_bad_settings_are_named() -> None:
    worlds = worlds_of(SMALL)
    with pytest.raises(InputError, match=r"--samples: 3 .*a power of 2.*Nearest: 4"):
        question_of(worlds, samples=3, method="sobol")
    with pytest.raises(InputError, match="Nearest: sobol"):
        question_of(worlds, method="sobl")
    with pytest.raises(InputError, match="none beside a sensitivity"):
        question_of(worlds, method="sobol", design="random")


def test_the_docs_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "uncertainty.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", docs, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(block.replace("samples=256", "samples=2"), names)
    assert names["found"].worlds == 2


def test_a_file_says_the_same_as_python(tmp_path: Path) -> None:
    file = tmp_path / "beliefs.toml"
    file.write_text(
        """
        [fixed]
        machine = "b200"
        search = "reference"
        [samples]
        count = 7
        seed = 5
        design = "latin-hypercube"
        months = { distribution = "uniform", from = 1, to = 9 }
        """
    )
    sweep = question_of(read_worlds(file)).sweep
    assert (sweep.count, sweep.samples.seed, sweep.samples.design) == (7, 5, "latin-hypercube")
    assert sweep.machines == ("b200",)
    assert question_of(read_worlds(file, "h100"), samples=3).sweep.machines == ("h100",)
