"""``scalewall levers`` and ``scalewall require``: what a person sees and what others build on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import FEW, run

QUICK = ("--search", "reference", *FEW)


def test_levers_answer_in_json() -> None:
    done = run("levers", *QUICK, "--only", "months=12", "--combine", "months=12+domain=72", "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["schema_version"] == 1
    assert {one["name"] for one in document["levers"]} == {"months=12", "months=12+domain=72"}
    for one in (document["baseline"], *document["levers"]):
        assert one["efficient_flop"] > 0
        assert one["curve"]
        assert one["scenario"]["machines"] == ["h100"]
    assert document["levers"][0]["efficient_gain"] >= document["levers"][1]["efficient_gain"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("levers", *QUICK, "--only", "months=12", "--only", "bandwidth=10+latency=10+batch-law=zhang"),
        ("levers", "--list"),
        ("require", "--flop", "1e29", "--months", "3", "--utilization", "0.8"),
    ],
)
def test_tables_fit_eighty_columns(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = run(*arguments)
    assert done.code == 0, done.err
    assert max(map(len, done.out.splitlines())) <= 80


def test_the_levers_are_listed_as_data() -> None:
    document = json.loads(run("levers", "--list", "--json").out)
    names = {lever["name"] for lever in document["levers"]}
    assert {"bandwidth", "domain", "batch-law"} <= names
    assert all(lever["source"] for lever in document["levers"])


def test_require_answers_in_json(tmp_path: Path) -> None:
    saved = tmp_path / "needed.json"
    done = run(
        "require",
        "--flop",
        "1e30",
        "--trade",
        "network.1.bandwidth,memory.0.bandwidth",
        "--json",
        "--output",
        saved,
    )
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document == json.loads(saved.read_text(encoding="utf-8"))
    outer = next(one for one in document["needed"] if one["name"] == "network.1.bandwidth")
    assert outer["factor"] == pytest.approx(2.28, abs=0.03)
    assert outer["figures"]["network.1.bandwidth"]["needed"] == pytest.approx(50e9 * outer["factor"])
    assert document["trade"]["upwards"] == "memory.0.bandwidth"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("levers", "--only", "bandwith=10"), "--only: 'bandwith'"),
        (("levers", "--only", "domain"), "--only domain: 'domain'"),
        (("levers", "--combine", "precision=5+domain=72"), "--combine precision: '5'"),
        (("levers", "--machine", "h10"), "--machine"),
        (("levers", "--grid", "15,1"), "--grid"),
        (("levers", "--plot", "levers.gif"), "--plot"),
        (("require", "--flop", "-3"), "--flop"),
        (("require", "--flop", "1e29", "--utilization", "7"), "--utilization"),
        (("require", "--flop", "1e29", "--trade", "latencies"), "--trade"),
        (("require", "--flop", "1e29", "--trade", "latencies,latency"), "--trade: 'latency'"),
        (("require",), "--flop"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], named: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert named in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("question", [("levers",), ("require", "--flop", "1e29")], ids=lambda one: one[0])
def test_two_options_never_write_the_same_file(question: tuple[str, ...], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run(*question, "--output", page, "--plot", page)
    assert done.code == 2
    assert "another file than --output writes" in done.err
    assert not page.exists()
