"""``scalewall limits``: the contract that others build on, and what a person sees."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.running import FEW, PUBLISHED, run

POINT_KEYS = {
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
}


def answer(*arguments: str | Path) -> dict:
    done = run("limits", *arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_one_machine_answers_in_the_shape_that_others_build_on() -> None:
    document = answer("--machine", "ref-h100", "--search", "reference", *FEW)
    assert document["schema_version"] == 1
    assert set(document) >= {
        "points",
        "infeasible",
        "linear_scaling",
        "largest_feasible_flop",
        "assumptions",
    }
    assert set(document["linear_scaling"]) == {
        "first_failure_flop",
        "last_pass_flop",
        "threshold",
        "threshold_utilization",
        "grid_limited",
    }
    for point in document["points"]:
        assert set(point) >= POINT_KEYS
        assert set(point["plan"]) == {
            *("dp", "tp_model", "tp_ff", "pp", "ep", "microbatches", "interleave", "zero_bubble")
        }
        assert set(point["component_seconds"]) == set(point["attributed_seconds"])
        assert sum(point["attributed_seconds"].values()) == pytest.approx(point["batch_seconds"])
    assert document["largest_feasible_flop"] == document["points"][-1]["training_flop"]


def test_the_reference_flag_gives_the_published_curve() -> None:
    document = answer("--machine", "ref-h100", "--reference")
    band = document["linear_scaling"]
    assert band["first_failure_flop"] == pytest.approx(2.048422e28, rel=1e-6)
    assert (band["threshold"], band["threshold_utilization"]) == (0.8, pytest.approx(0.56))
    assert document["largest_feasible_flop"] == pytest.approx(2.707375e31, rel=1e-6)
    assert len(document["points"]) == 31
    assert document["duration_seconds"] == 7.885e6
    assumptions = document["assumptions"]
    assert assumptions["search"]["method"] == "reference"
    assert assumptions["search"]["domain_filling"] == "exact"
    assert assumptions["model"]["zero_bubble_latency"] == "free"
    assert assumptions["laws"]["depth_law"] == "published"
    assert assumptions["laws"]["rounding"] is True
    published = [
        row
        for row in csv.DictReader((PUBLISHED / "ideal_curves.csv").read_text(encoding="utf-8").splitlines())
        if row["curve"] == "h100_dense_critical"
    ]
    for point, row in zip(document["points"], published, strict=True):
        assert point["n_gpu"] == int(row["n_gpu"])
        assert point["utilization"] == pytest.approx(float(row["utilization"]), abs=1e-6)


def test_what_is_given_beside_the_reference_flag_wins() -> None:
    document = answer("--machine", "ref-h100", "--reference", "--search", "full", "--months", "6", *FEW)
    assert document["assumptions"]["search"]["method"] == "full"
    assert document["assumptions"]["search"]["domain_filling"] == "exact"
    assert document["duration_seconds"] == pytest.approx(365.25 / 2 * 86400)


@pytest.mark.parametrize(
    "machines",
    [
        ("--machine", "ref-h100", "ref-a100"),
        ("--machine", "ref-h100", "--machine", "ref-a100"),
        ("--machine=ref-h100", "--machine=ref-a100"),
    ],
)
def test_several_machines_answer_as_a_list(machines: tuple[str, ...]) -> None:
    documents = answer(*machines, "--search", "reference", *FEW)
    assert [document["machine"] for document in documents] == ["ref-h100", "ref-a100"]


def test_the_grid_and_the_computes_asked_for_are_the_runs() -> None:
    document = answer("--search", "reference", "--grid", "3,16384,50000")
    assert [point["d_model"] for point in document["points"]] == [16384, 24576, 32768, 49152]
    document = answer("--search", "reference", "--flop", "1e26")
    (point,) = document["points"]
    assert point["training_flop"] == pytest.approx(1e26, rel=0.2)


def test_the_threshold_is_a_share_of_what_is_sustained() -> None:
    all_pass = answer("--machine", "ref-h100", "--search", "reference", "--threshold", "0.5", *FEW)
    band = all_pass["linear_scaling"]
    assert band["first_failure_flop"] is None
    assert band["grid_limited"] is True
    assert band["threshold_utilization"] == pytest.approx(0.35)
    none_pass = answer("--machine", "ref-h100", "--search", "reference", "--threshold", "1", *FEW)
    assert none_pass["linear_scaling"]["last_pass_flop"] is None
    assert none_pass["linear_scaling"]["first_failure_flop"] == none_pass["points"][0]["training_flop"]


def test_runs_that_do_not_finish_say_why() -> None:
    document = answer("--search", "reference", "--grid", "1,524288,1048576")
    assert document["points"] == []
    assert document["largest_feasible_flop"] is None
    for point in document["infeasible"]:
        assert set(point) == {"d_model", "training_flop", "reason"}
        assert "months" in point["reason"]


@pytest.mark.parametrize(
    ("options", "path", "value"),
    [
        (("--model", "sparse"), ("laws", "sparsity_law"), "law"),
        (("--model", "sparse", "--sparsity", "4"), ("laws", "experts"), 4),
        (("--batch-law", "zhang"), ("laws", "batch_law"), "zhang"),
        (("--batch-law", "deepseek"), ("laws", "batch_law"), "deepseek"),
        (("--batch-law", "fixed", "--batch-tokens", "8388608"), ("laws", "batch_tokens"), 8388608),
        (("--depth-law", "refit"), ("laws", "depth_law"), "refit"),
        (("--depth-law", "0.3751"), ("laws", "depth_law"), "published"),
        (("--data-law", "besiroglu"), ("laws", "data_law"), "besiroglu"),
        (("--data-factor", "2"), ("laws", "data_factor"), 2),
        (("--width-law", "ratio", "--width-ratio", "3"), ("laws", "width_ratio"), 3),
        (("--no-rounding",), ("laws", "rounding"), False),
        (("--precision", "8"), ("precision",), 8),
        (("--set", "network.1.bandwidth=100e9"), ("overrides", "network.1.bandwidth"), 100e9),
        (("--bound", "tp=1:8"), ("search", "bounds", "tp"), [1, 8]),
        (("--bound", "pp=4:"), ("search", "bounds", "pp"), [4, None]),
        (("--tensor-levels", "1"), ("search", "tensor_levels"), 1),
        (("--schedule", "1f1b"), ("search", "schedule"), "1f1b"),
        (("--classic-order",), ("search", "classic_order"), True),
        (("--domain-filling", "exact"), ("search", "domain_filling"), "exact"),
        (("--no-overlap-tensor",), ("model", "overlap_tensor"), False),
        (("--no-overlap-point-to-point",), ("model", "overlap_point_to_point"), False),
        (("--overlap-data",), ("model", "overlap_data"), True),
        (("--zero-bubble-latency", "free"), ("model", "zero_bubble_latency"), "free"),
        (("--latency-model", "tree"), ("model", "latency_model"), "tree"),
    ],
)
def test_every_option_reaches_the_assumptions(
    options: tuple[str, ...], path: tuple[str, ...], value: object
) -> None:
    found = answer("--search", "reference", "--grid", "1,16384,16384", *options)["assumptions"]
    for key in path:
        found = found[key]
    assert found == value


def test_files_hold_the_same_answer(tmp_path: Path) -> None:
    rows, document, page = (tmp_path / name for name in ("curve.csv", "limits.json", "limits.html"))
    done = run("limits", "--search", "reference", "--csv", rows, "--output", document, "--plot", page, *FEW)
    assert done.code == 0, done.err
    found = json.loads(document.read_text(encoding="utf-8"))
    lines = list(csv.DictReader(rows.read_text(encoding="utf-8").splitlines()))
    assert [int(line["n_gpu"]) for line in lines] == [point["n_gpu"] for point in found["points"]]
    assert page.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curve.csv", "limits.html", "limits.json"]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_figures_come_in_print_formats(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"limits.{suffix}"
    assert run("limits", "--search", "reference", "--plot", target, *FEW).code == 0
    assert target.stat().st_size > 1000


@pytest.mark.parametrize("columns", [80, 140])
@pytest.mark.parametrize("machines", [("ref-h100",), ("ref-h100", "ref-h100-low-latency", "h100")])
def test_a_person_reads_the_answer_first_and_nothing_twice(
    monkeypatch: pytest.MonkeyPatch, columns: int, machines: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = run("limits", "--machine", *machines, "--search", "reference", *FEW)
    assert done.out.startswith("On H100 SXM as in arXiv 2411.01137, runs stay efficient")
    assert max(map(len, done.out.splitlines())) <= columns
    text = " ".join(done.out.split())
    for once in ("This rests on the reference search and the laws depth published", "goes beyond the laws"):
        assert text.count(once) == 1
    assert "warning" not in done.err
    assert ("Binds, with its" in text) == (len(machines) == 1)


def test_warnings_stand_beside_the_json() -> None:
    done = run("limits", "--search", "reference", "--sparsity", "8", "--json", *FEW)
    assert done.err.count("warning: sparsity has no effect on a dense model") == 1
    assert json.loads(done.out)["warnings"]


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--set", "network.1.bandwidth=50e6", "is the unit right?"),
        ("--batch-tokens", "4e3", "check its unit"),
        ("--months", "0.01", "months is 0.01"),
    ],
)
def test_a_unit_mistaken_by_a_thousand_is_a_warning(option: str, value: str, words: str) -> None:
    done = run("limits", "--batch-law", "fixed", option, value, "--search", "reference", "--json", *FEW)
    assert done.code == 0
    assert words in done.err


def test_cost_adds_money_and_power_with_sources_everywhere(tmp_path: Path) -> None:
    table = tmp_path / "curve.csv"
    document = answer("--machine", "h100", *FEW, "--cost", "--price", "usd_per_hour=2", "--csv", table)
    assert len(document["costs"]) == len(document["points"]) + len(document["infeasible"])
    for row, point in zip(document["costs"], document["points"], strict=False):
        assert row["accelerator_hours"] == pytest.approx(point["n_gpu"] * point["run_seconds"] / 3600)
        assert row["rent_usd"] == pytest.approx(2 * row["accelerator_hours"])
    assert all(figure["source"] or figure["note"] for figure in document["prices"]["figures"])
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert all("as given" in row["prices"] for row in rows if not row["reason"])
    done = run("limits", "--machine", "h100", *FEW, "--cost")
    assert "What these runs cost" in done.out
    assert "SkyPilot" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_cost_puts_money_on_the_page_and_into_the_picture(tmp_path: Path) -> None:
    page, picture, plain = tmp_path / "limits.html", tmp_path / "limits.svg", tmp_path / "plain.html"
    asked = ("limits", "--machine", "h100", *FEW)
    assert run(*asked, "--plot", plain).code == 0
    assert "Money and energy" not in plain.read_text(encoding="utf-8")
    assert run(*asked, "--cost", "--price", "usd_per_hour=2", "--plot", page).code == 0
    text = page.read_text(encoding="utf-8")
    for words in (
        "<h2>Money and energy</h2>",
        "What a run costs",
        "Power of the facility, on average",
        "usd_per_hour 2 (as given)",
        "What this rests on: NVIDIA H100",
    ):
        assert words in text, words
    assert run(*asked, "--cost", "--plot", picture).code == 0
    assert picture.read_text(encoding="utf-8").count('<g id="axes_') == 6


def test_prices_without_cost_are_refused() -> None:
    done = run("limits", "--price", "usd=1", *FEW)
    assert done.code == 2
    assert "--price: 'usd=1' is not usable. Allowed: prices only with --cost" in done.err
    assert run("limits", "--cost", "--price", "speed=1", *FEW).code == 2
