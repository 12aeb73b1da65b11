"""``scalewall forecast``: dates on the terminal, as JSON and in files; bad input by its option."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from tests.cli.running import run

QUICK = (
    "--machine",
    "ref-h100",
    "--reference",
    "--grid",
    "3,12288,400000",
    "--samples",
    "300",
    "--now",
    "2026-11-30",
)
CERTAIN = ("--growth", "10", "--start", "1e27@2025-01-01", "--start-spread", "1")


def test_the_answer_names_dates_growth_start_and_the_published_claim() -> None:
    done = run("forecast", *QUICK)
    assert done.code == 0, done.err
    assert max(map(len, done.out.splitlines())) <= 80
    for words in (
        "stop being efficient about 20",
        "no cluster finishes them",
        "50 frontier runs since 2018",
        "Grok 4, 2025-07",
        "the article: about three years",
        "2026-11 is now",
    ):
        assert words in " ".join(done.out.split()), words


def test_a_machine_that_stays_has_no_successors() -> None:
    assert "its successors" not in run("forecast", *QUICK).out, "the published machine has no release date"
    product = ("--machine", "h100", "--search", "reference", "--worlds", "0", "--samples", "100")
    assert "its successors" in run("forecast", *product).out
    stays = run("forecast", *product, "--generations", "0").out
    assert "its successors" not in stays
    assert "Only generations" not in stays
    assert "no successors" in " ".join(stays.split())


def test_dates_by_hand() -> None:
    """Ten times a year from 1e27 on: a limit of x FLOP comes log10(x / 1e27) years after 2025."""
    done = run("forecast", *QUICK, *CERTAIN, "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["schema_version"] == 1
    (machine,) = document["machines"]
    (own,) = machine["generations"]
    assert own["year"] is None
    band = machine["efficient_scaling_ends"]["year"]
    ends = [2025 + math.log10(own[end] / 1e27) for end in ("efficient_low", "efficient_high")]
    assert ends[0] <= band["0.05"] <= band["0.5"] <= band["0.95"] <= ends[1]
    assert machine["efficient_scaling_ends"]["years_left"] == pytest.approx(band["0.5"] - document["now"])
    assert [step["words"].split(":")[0] for step in machine["from_the_published_date"]][:2] == [
        "the article",
        "its numbers, calculated",
    ]
    assert document["growth"]["kind"] == "stated"


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert run("forecast", *QUICK, "--json").out == run("forecast", *QUICK, "--json").out
    assert run("forecast", *QUICK, "--json").out != run("forecast", *QUICK, "--json", "--seed", "1").out


def test_options_without_effect_are_said() -> None:
    idle = ("--since", "2020", "--rate", "compute=2", "--generations", "0", "--growth", "4")
    done = run("forecast", *QUICK, *idle, "--json")
    assert done.code == 0, done.err
    assert "warning: --since has no effect: growth is not fitted." in done.err
    assert "warning: --rate has no effect without generations." in done.err
    assert "without effect" not in run("forecast", *QUICK, "--json").err


def test_files(tmp_path: Path) -> None:
    table, document, picture = tmp_path / "dates.csv", tmp_path / "dates.json", tmp_path / "dates.png"
    done = run("forecast", *QUICK, "--csv", table, "--output", document, "--plot", picture)
    assert done.code == 0, done.err
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    years = [float(row["year"]) for row in rows if row["limit"] == "infeasible"]
    assert years == sorted(years)
    assert len(rows) == 2 * 199
    assert json.loads(document.read_text(encoding="utf-8"))["samples"] == 300
    assert picture.stat().st_size > 50_000


def test_the_page_is_self_contained(tmp_path: Path) -> None:
    page = tmp_path / "dates.html"
    assert run("forecast", *QUICK, "--plot", page).code == 0
    text = page.read_text(encoding="utf-8")
    for words in (
        "When do training runs reach the limits?",
        "Why this is not the published date",
        "Make this again",
    ):
        assert words in text
    assert '<link rel="stylesheet"' not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--growth", "slow"), "--growth: 'slow'"),
        (("--growth", "0.5"), "--growth: 0.5"),
        (("--since", "2025.6"), "--since: 2025.6"),
        (("--start", "soon"), "--start: 'soon'"),
        (("--start", "trend", "--growth", "4"), "--start: 'trend'"),
        (("--start-spread", "0.5"), "--start-spread: 0.5"),
        (("--rate", "speed=2"), "--rate: 'speed'"),
        (("--rate", "latency"), "--rate: 'latency'"),
        (("--rate", "latency=100"), "--rate latency: 100"),
        (("--worlds", "-1"), "--worlds: -1"),
        (("--generations", "99"), "--generations: 99"),
        (("--generation-years", "0"), "--generation-years: 0"),
        (("--lag", "-1"), "--lag: -1"),
        (("--samples", "1"), "error: --samples: 1"),
        (("--seed", "-1"), "error: --seed: -1"),
        (("--now", "today"), "--now: 'today'"),
        (("--machine", "h10"), "--machine: 'h10'"),
        (("--plot", "dates.gif"), "--plot: 'dates.gif'"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], message: str) -> None:
    done = run("forecast", *arguments)
    assert done.code == 2
    assert message in done.err
    assert not done.out
