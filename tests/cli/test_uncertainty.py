"""``scalewall uncertainty``: from beliefs to words, JSON and pictures; goes on where it stopped; says what is wrong."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from scalewall.ideal.limits import PointResult
from scalewall.ideal.results import Point
from scalewall.study.outputs import utilizations_at
from scalewall.study.uncertain_inputs import default_table
from tests.cli.running import run

BELIEFS = """
[fixed]
search = "reference"
grid = [1, 12288, 1572864]
[samples]
months = { distribution = "log-uniform", from = 1, to = 9, evidence = "assumed", source = "a guess" }
network.1.latency = { distribution = "uniform", relative = true, from = 0.5, to = 4 }
"""
HERE = ("--executor", "in-process")
DOCS = Path(__file__).parents[2] / "docs" / "uncertainty.md"


@pytest.fixture
def beliefs(tmp_path: Path) -> Path:
    file = tmp_path / "beliefs.toml"
    file.write_text(BELIEFS)
    return file


def test_words_tables_and_what_was_believed(beliefs: Path) -> None:
    done = run("uncertainty", beliefs, "--samples", "16", *HERE)
    assert done.code == 0, done.err
    assert "16 worlds, about" in done.err
    words = " ".join(done.out.split())
    assert "In nine of ten of 16 worlds, the last efficient run on NVIDIA H100" in words
    assert "Limits of NVIDIA H100 SXM5 80 GB in 16 worlds (FLOP)" in words
    assert "network.1.latency uniform: 562.5 ns, 4.5" in words


@pytest.mark.parametrize(("method", "unit"), [("sobol", "base samples"), ("morris", "walks")])
def test_too_few_samples_to_rank_inputs_are_said_so(tmp_path: Path, method: str, unit: str) -> None:
    file = tmp_path / "beliefs.toml"
    law = 'batch_exponent = { distribution = "uniform", from = 0.16, to = 0.24 }\n'
    file.write_text(BELIEFS.replace("[samples]", 'batch_law = "power"\n[samples]') + law)
    asked = ("uncertainty", file, "--samples", "4", "--sensitivity", method, *HERE)
    printed = " ".join(run(*asked).out.split())
    done = run(*asked, "--json")
    warnings = [
        line for line in json.loads(done.out)["warnings"] if line.startswith(f"4 {unit} are too few ")
    ]
    assert warnings
    for warning in warnings:
        assert re.search(r"It takes [\d,]+ or more\.$", warning)
        assert f"Warning: {warning}" in printed
        assert f"warning: {warning}" in done.err


def test_json_is_the_same_again_and_goes_on_with_what_is_there(beliefs: Path, tmp_path: Path) -> None:
    asked = ("uncertainty", beliefs, "--samples", "8", "--sensitivity", "sobol", "--json", *HERE)
    kept = run(*asked, "--out", tmp_path / "worlds")
    again = run(*asked, "--out", tmp_path / "worlds")
    assert kept.code == again.code == 0, kept.err
    assert "32 points are there from an earlier run." in again.err
    assert kept.out == again.out == run(*asked).out
    found = json.loads(kept.out)
    assert (found["worlds"], found["evaluations"], found["failed"]) == (16, 32, 0)
    assert list(found["limits"]) == ["last_pass_flop", "first_failure_flop", "largest_feasible_flop"]
    assert found["assumptions"]["beliefs"][0]["source"] == "a guess"
    assert {one["answer"] for one in found["sensitivities"]} >= {"largest_feasible_flop"}
    refused = run(*asked, "--out", tmp_path / "worlds", "--seed", "1")
    assert refused.code == 2
    assert "differs in" in refused.err


@pytest.mark.parametrize("suffix", [".png", ".html"])
@pytest.mark.parametrize("method", ["sobol", "morris"])
def test_pictures(beliefs: Path, tmp_path: Path, suffix: str, method: str) -> None:
    file = tmp_path / f"why{suffix}"
    done = run("uncertainty", beliefs, "--samples", "4", "--sensitivity", method, "--plot", file, *HERE)
    assert done.code == 0, done.err
    assert file.stat().st_size > 20_000
    if suffix == ".html":
        page = file.read_text(encoding="utf-8")
        assert "How sure are the limits of NVIDIA H100" in page
        assert "a guess" in page
        assert ("data-chart='fan'" in page) == (method == "sobol")


def test_defaults_are_a_file_that_can_be_used(tmp_path: Path) -> None:
    printed = run("uncertainty", "--defaults", "--machine", "b200")
    assert tomllib.loads(printed.out) == default_table("b200")
    file = tmp_path / "beliefs.toml"
    file.write_text(printed.out.replace('machine = "b200"', 'machine = "h100"\ngrid = [1, 16384, 16384]'))
    done = run("uncertainty", file, "--search", "reference", "--samples", "4", "--json", *HERE)
    assert done.code == 0, done.err
    assert json.loads(done.out)["machine"] == "h100"


def test_the_docs_have_every_default() -> None:
    table = re.search(r"<!-- defaults -->(.*)<!-- end -->", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert table
    text = table.group(1)
    beliefs = default_table("h100")["samples"]
    sources = {belief["source"] for belief in beliefs.values()}
    assert all(source in text for source in sources)
    assert text.count("\n| `") == len(sources)
    for belief in beliefs.values():
        assert f"{belief['distribution']}, {belief['from']:g} to {belief['to']:g}" in text


def test_failed_worlds_are_left_out_and_the_exit_code_says_so(
    beliefs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_some(runs: list[PointResult]) -> dict[str, float | None]:
        if sum(isinstance(run, Point) for run in runs) % 2:
            raise ValueError
        return utilizations_at(runs)

    monkeypatch.setattr("scalewall.study.outputs.utilizations_at", refuse_some)
    done = run("uncertainty", beliefs, "--samples", "16", *HERE)
    assert done.code == 1
    assert re.search(r"\d of 16 evaluations failed and are left out", " ".join(done.out.split()))


@pytest.mark.parametrize(
    ("before", "after", "options", "named"),
    [
        ("to = 9", "to = 0.5", (), "samples.months.to: 0.5"),
        ("months", "mnths", (), "samples: 'mnths'"),
        ("[samples]", "[sample]", (), "uncertainty: 'sample'"),
        ('search = "reference"', "months = 3", (), "samples.months: 'months'"),
        ("[fixed]", "[fixed", (), "study: "),
        ("", "", ("--samples", "0"), "--samples: 0"),
        ("", "", ("--seed", "-1"), "--seed: -1"),
        ("", "", ("--samples", "3", "--sensitivity", "sobol"), "a power of 2"),
        ("", "", ("--sensitivity", "sobl"), "Nearest: sobol"),
        ("", "", ("--design", "lathin"), "Nearest: latin-hypercube"),
        ("", "", ("--machine", "h1000"), "Nearest: h100"),
        ("", "", ("--search", "ful"), "Nearest: full"),
        ("", "", ("--plot", "why.gif"), "why.html"),
        ("", "", ("--new",), "--new"),
    ],
)  # fmt: skip
def test_bad_input_is_named_before_anything_starts(
    beliefs: Path, before: str, after: str, options: tuple[str, ...], named: str
) -> None:
    beliefs.write_text(BELIEFS.replace(before, after) if before else BELIEFS)
    done = run("uncertainty", beliefs, *options, *HERE)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert named in done.err
