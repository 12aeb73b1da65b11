"""A question saved as a scenario and asked again."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from scalewall._version import __version__
from tests.cli.running import FEW, run


def test_a_saved_question_gives_the_same_answer(tmp_path: Path) -> None:
    file = tmp_path / "question.toml"
    options = (
        *("--machine", "ref-h100", "h100", "--reference", "--model", "sparse", "--sparsity", "4"),
        *("--batch-law", "zhang", "--months", "4", "--threshold", "0.7", "--bound", "tp=1:64"),
        *("--set", "network.1.bandwidth=100e9", "--set", "network.1.latency=2e-6", "--no-overlap-tensor"),
    )
    asked = run("limits", *options, *FEW, "--save", file, "--json")
    assert asked.code == 0, asked.err
    again = run("limits", "--scenario", file, "--json")
    assert again.out == asked.out
    assert tomllib.loads(file.read_text(encoding="utf-8"))["scalewall_version"] == __version__


def test_options_win_over_the_scenario(tmp_path: Path) -> None:
    file = tmp_path / "question.toml"
    run("limits", "--machine", "ref-h100", "--search", "reference", *FEW, "--save", file)
    done = run("limits", "--scenario", file, "--machine", "ref-a100", "--json")
    assert json.loads(done.out)["machine"] == "ref-a100"


def test_a_wrong_option_beside_a_scenario_is_named_as_the_option(tmp_path: Path) -> None:
    file = tmp_path / "question.toml"
    run("limits", "--machine", "ref-h100", "--search", "reference", *FEW, "--save", file)
    done = run("limits", "--scenario", file, "--months", "-1")
    assert done.err.startswith("error: --months: -1.0")


def test_a_scenario_of_another_version_says_so(tmp_path: Path) -> None:
    file = tmp_path / "question.toml"
    file.write_text('scalewall_version = "0.0.1"\nsearch = "reference"\ngrid = [1, 16384, 16384]\n')
    done = run("limits", "--scenario", file, "--json")
    assert done.code == 0
    assert f"was written by scalewall 0.0.1; this is {__version__}" in done.err
