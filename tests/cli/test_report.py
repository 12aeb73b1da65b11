"""``scalewall report``: one page with every part, that opens offline; JSON; bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.report.browser import chromium, opened

QUICK = ("--machine", "ref-h100", "--reference", "--grid", "1,12288,400000", "--now", "2026-11-30")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    file = tmp_path_factory.mktemp("report") / "report.html"
    done = run("report", *QUICK, "--out", file, "--json")
    assert done.code == 0, done.err
    return file, json.loads(done.out)


def test_the_page_has_every_part(page: tuple[Path, dict]) -> None:
    text = page[0].read_text(encoding="utf-8")
    for heading in (
        "The limits",
        "What moves them",
        "How sure they are",
        "When the frontier gets there",
        "Money and energy",
        "What this rests on",
        "Sources",
        "Make this again",
    ):
        assert f"<h2>{heading}</h2>" in text
    assert "How far can training runs scale on H100 SXM as in arXiv 2411.01137?" in text
    assert "arXiv 2411.01137" in text
    assert "Epoch AI" in text
    assert "Levers: failures" in text
    assert "Llama 3, arXiv:2407.21783 (2e-5)" in text


def test_the_json_holds_what_the_page_shows(page: tuple[Path, dict]) -> None:
    document = page[1]
    assert document["schema_version"] == 1
    assert [one["machine"] for one in document["limits"]] == ["ref-h100"]
    assert document["levers"]
    assert document["uncertainty"]
    assert document["forecast"]["machines"][0]["machine"] == "ref-h100"
    assert document["costs"]
    assert document["prices"][0]["figures"]


def test_the_page_opens_offline_and_draws_everything(page: tuple[Path, dict]) -> None:
    with chromium() as browser, opened(browser, page[0]) as (shown, seen):
        shown.wait_for_selector(".chart .main-svg")
        shown.wait_for_function(
            "[...document.querySelectorAll('.chart')].every(slot => slot.querySelector('.main-svg'))"
        )
        assert seen.console == []
        assert seen.requests == []
        assert shown.locator(".chart").count() >= 10
    with chromium() as browser, opened(browser, page[0], 390, "dark") as (shown, seen):
        shown.wait_for_selector(".chart .main-svg")
        assert shown.evaluate("document.documentElement.scrollWidth") <= 390
        assert seen.console == []


def test_parts_can_be_left_out(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    left = [part for name in ("levers", "uncertainty", "forecast", "money") for part in ("--without", name)]
    done = run("report", *QUICK, *left, "--out", file)
    assert done.code == 0, done.err
    assert f"The page is {file}." in "".join(done.out.splitlines())
    text = file.read_text(encoding="utf-8")
    assert "<h2>The limits</h2>" in text
    for heading in ("What moves them", "When the frontier gets there", "Money and energy"):
        assert f"<h2>{heading}</h2>" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "report.pdf"), "--out: 'report.pdf'"),
        (("--without", "dates"), "--without: 'dates'"),
        (("--machine", "h10"), "--machine: 'h10'"),
        (("--price", "speed=1"), "--price: 'speed'"),
        (("--now", "today"), "--now: 'today'"),
        (("--months", "0"), "--months: 0"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], message: str) -> None:
    done = run("report", *arguments)
    assert done.code == 2
    assert message in done.err
    assert not Path("report.html").exists()
