"""What the README and the pages in docs say is what the code gives today, and their links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import scalewall
from tests.cli.running import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
HOW = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
INDEX = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
CHECKED = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
"""Checked against the command, number by number, in tests/validation."""

PICTURE = ROOT / "docs" / "images" / "limits.png"
NUMBER = re.compile(r"\b\d\.\d\de\d\d\b")
PAGES = {"README.md": README, "docs/index.md": INDEX, "docs/how-it-works.md": HOW}


def blocks(kind: str) -> list[str]:
    """Return the README's fenced blocks of a kind, in order."""
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


def output_of(*arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=os.environ | {"COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    return "\n".join(line.rstrip() for line in done.stdout.splitlines())


def test_the_python_example_prints_what_the_readme_says() -> None:
    assert output_of("-c", blocks("python")[0]).strip() == blocks("text")[1].strip()


@pytest.mark.parametrize("page", [README, HOW], ids=["readme", "how it works"])
def test_every_other_number_is_one_that_is_checked(page: str) -> None:
    prose = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    numbers = set(NUMBER.findall(prose))
    assert numbers
    assert numbers <= set(NUMBER.findall(CHECKED))


def test_what_how_it_works_says_of_switch_and_law_is_what_is_checked() -> None:
    assert "changes one\n  run of 179, by 0.005 % of utilization" in HOW
    assert "Of 179 runs; utilization falls by at most 0.005 %." in CHECKED
    assert "makes\n  192 layers, the refit 96; GPT-3 has 96" in HOW
    assert "| Layers at GPT-3's width, exponent 0.3751 | 192 | 96 |" in CHECKED
    assert "| Layers at GPT-3's width, exponent 0.3351 | 96 | 96 |" in CHECKED


def test_the_planners_errors_are_those_of_its_page() -> None:
    page = (ROOT / "docs" / "planner-validation.md").read_text(encoding="utf-8")
    said = re.search(
        r"Over (\d+) of them its step time is off by ([\d.]+) % in the median and by\s+([\d.]+) % or less for nine of "
        r"ten; for sources left out of the fit by ([\d.]+) % and ([\d.]+) % \(one constant rate a machine and\s+"
        r"software: ([\d.]+) % and ([\d.]+) %\)",
        README,
    )
    assert said
    rows, median, most, held_median, held_most, *rate = said.groups()
    assert f"| all runs | {rows} | {median} / {most} | {held_median} / {held_most} |" in page
    assert re.search(rf"\| one constant rate .* \| {rows} \| [\d./ ]+ \| {rate[0]} / {rate[1]} \|", page)


COMMANDS = [
    line.split("#")[0].strip()
    for block in blocks("sh")
    for line in block.splitlines()
    if line.startswith("scalewall ")
]


SMALLER = {
    "limits": ("--grid", "1,16384,16384"),
    "levers": ("--grid", "1,16384,65536", "--only", "months=6"),
    "uncertainty": ("--samples", "8", "--search", "reference"),
    "forecast": ("--samples", "100", "--search", "reference"),
    "require": ("--help",),
    "reproduce": ("--help",),
    "validate": ("--help",),
}
"""Options that make a command's work small, or that only show that it is there."""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_are_understood(command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each command's options are accepted; the work itself is tested elsewhere."""
    monkeypatch.chdir(tmp_path)
    _, name, *options = shlex.split(command)
    done = run(name, *options, *SMALLER.get(name, ()))
    assert done.code == 0, done.err


def test_the_picture_is_ours_and_small() -> None:
    assert "docs/images/limits.png" in README
    assert 10_000 < PICTURE.stat().st_size < 300_000
    command = re.search(r"`scalewall (limits [^`]*)` made this picture", README)
    assert command
    assert command.group(1).endswith("--plot docs/images/limits.png")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", PAGES[page]):
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), target
        if anchor:
            heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, (
                target
            )


def test_the_index_lists_the_whole_api_every_example_every_page_and_command() -> None:
    for page in (ROOT / "docs").glob("*.md"):
        assert f"({page.name}" in INDEX or page.name == "index.md", page.name
    for command in re.findall(r"^  ([a-z-]+) ", run("--help").out.partition("Commands:")[2], re.MULTILINE):
        assert f"`scalewall {command}" in INDEX, command
    for name in scalewall.__all__:
        assert f"`{name}`" in INDEX or name == "__version__"
    for example in (ROOT / "examples").glob("*.py"):
        assert f"(../examples/{example.name})" in INDEX


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_no_place_on_a_disk(page: str) -> None:
    assert not re.search(r"(?<![\w.])/(home|root|work|tmp|usr)/", PAGES[page])
