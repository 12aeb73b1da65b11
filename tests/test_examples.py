"""Every example runs, warns of nothing, and says what its first line promises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SAYS = {
    "best_layout": ("1. TP", "layouts evaluated", "accelerators finish a trillion tokens"),
    "laws": ("the published laws                                 2.05e+28 FLOP", "1.96e+29 FLOP"),
    "limits_of_one_machine": ("NVIDIA H100 SXM5 80 GB, the full search", "shared_memory", "55 runs"),
    "one_plan": ("my plan: 1,024 accelerators", "the best plan:", "arithmetic"),
    "own_machine": ("H100s, 32 behind one NVLink switch, 800 Gbit/s out", "efficient up to"),
    "save_and_replay": ('scalewall_version = "', "the same answer: True"),
    "sweep_samples": ("80 points, 0 failed", "90 % of the worlds"),
    "when_and_how_much": ("frontier runs of 3 months stop", "5.80e+28 FLOP: rent $45.8B", "2 (as given)"),
    "what_if": ("twice the InfiniBand", "a tenth of the kernel latency"),
}
SHORT = 40


def run(script: Path, *arguments: Path | str, folder: Path) -> str:
    """Run an example in a folder of its own, warnings as errors; only the note about compiling may go to stderr."""
    done = subprocess.run(
        [sys.executable, "-W", "error", script, *arguments],
        cwd=folder,
        env=os.environ | {"COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"(Compiling .*\n)?", done.stderr)
    return done.stdout


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*SAYS, "first_answer"}


@pytest.mark.parametrize("name", SAYS)
def test_an_example_says_what_it_is_about(name: str, tmp_path: Path) -> None:
    script = EXAMPLES / f"{name}.py"
    out = run(script, folder=tmp_path)
    for words in SAYS[name]:
        assert words in out
    assert max(map(len, out.splitlines())) <= 80
    assert list(tmp_path.iterdir()) == []
    source = script.read_text(encoding="utf-8")
    assert source.startswith('"""')
    assert len(source.splitlines()) <= SHORT


def test_the_first_answer_is_a_sentence_a_table_and_a_page_as_the_readme_shows(tmp_path: Path) -> None:
    out = run(EXAMPLES / "first_answer.py", "out", folder=tmp_path)
    assert out.startswith("On H100s, a training run of three months stays efficient up to about 6e28 FLOP")
    assert max(map(len, out.splitlines())) <= 80
    for machine in ("v100", "a100-80gb", "h100", "h200", "b200", "gb200-nvl72", "mi300x"):
        assert re.search(rf"^ {machine} +\d", out, re.MULTILINE)
    assert re.search(r"^ gtx-580, 32 bits +\d", out, re.MULTILINE)
    assert re.search(r"^ ref-h100, published search .* 2.05e28 +2.71e31 $", out, re.MULTILINE)
    assert re.search(r"^ ref-h100, full search .* 2.04e29 +2.71e31 $", out, re.MULTILINE)
    assert "Try next" in out

    page = (tmp_path / "out" / "limits.html").read_text(encoding="utf-8")
    assert "Where efficient scaling ends, by year of release" in page
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=[\"']http", page)

    readme = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```text\n(On H100s.*?)```", readme, re.DOTALL)
    assert shown
    assert shown.group(1).strip() in "\n".join(line.rstrip() for line in out.splitlines())
