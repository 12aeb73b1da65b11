"""``scalewall cost``: runs as stated or as planned, prices with their sources, files, bad input."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.running import run

STATED = ("--machine", "h100", "--accelerators", "16384", "--days", "54")


def test_a_stated_run_with_every_price_and_its_source() -> None:
    done = run("cost", *STATED, "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    (row,) = document["runs"]
    assert row["accelerator_hours"] == pytest.approx(16384 * 54 * 24)
    assert row["rent_usd"] == pytest.approx(row["accelerator_hours"] * 2.99)
    (prices,) = document["prices"]
    for figure in prices["figures"]:
        assert figure["source"] or figure["note"]
    assert {figure["name"]: figure["date"] for figure in prices["figures"]}["usd_per_hour"] == "2025"


def test_a_size_with_utilization_gives_the_missing_one() -> None:
    """3.8e25 FLOP at 40 % of 989.4 TFLOP/s on 16,384: 67.8 days."""
    done = run("cost", "--flop", "3.8e25", "--utilization", "0.4", "--accelerators", "16384", "--json")
    (row,) = json.loads(done.out)["runs"]
    assert row["seconds"] / 86400 == pytest.approx(67.8, abs=0.1)
    done = run("cost", "--flop", "3.8e25", "--utilization", "0.4", "--days", "67.8", "--json")
    (row,) = json.loads(done.out)["runs"]
    assert row["accelerators"] == pytest.approx(16384, rel=0.002)


def test_a_size_alone_takes_its_best_plan() -> None:
    done = run("cost", "--machine", "ref-h100", "h100", "--flop", "1e26", "--search", "reference", "--json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["runs"]
    assert [row["machine"] for row in rows] == ["ref-h100", "h100"]
    assert all(row["utilization"] > 0.5 for row in rows)
    assert rows[0]["rent_usd"] is None, "nobody rents out a machine of the published model"
    assert rows[1]["rent_usd"] > 0


def test_prices_can_be_set_and_say_so() -> None:
    done = run("cost", *STATED, "--price", "usd_per_hour=1", "--price", "pue=2", "--json")
    document = json.loads(done.out)
    assert document["runs"][0]["rent_usd"] == pytest.approx(16384 * 54 * 24)
    evidence = {figure["name"]: figure["evidence"] for figure in document["prices"][0]["figures"]}
    assert evidence["usd_per_hour"] == evidence["pue"] == "user"
    assert evidence["usd"] == "literature"


def test_the_tables_fit_80_columns_and_name_dates_and_sources() -> None:
    done = run("cost", *STATED)
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    for words in ("$63.5M", "SkyPilot", "2025", "17.2 MW", "GWh", "Epoch AI"):
        assert words in done.out


def test_more_accelerators_than_were_made_are_arithmetic() -> None:
    said = "shipped some 10.5 million accelerators"
    assert said in " ".join(run("cost", "--accelerators", "2e7", "--days", "1").out.split())
    assert said not in " ".join(run("cost", *STATED).out.split())


def test_files(tmp_path: Path) -> None:
    table, plot, page = tmp_path / "cost.csv", tmp_path / "cost.png", tmp_path / "cost.html"
    sizes = ("--flop", "1e25", "--flop", "1e26", "--utilization", "0.4", "--days", "90")
    done = run("cost", "--machine", "h100", "b200", *sizes, "--csv", table, "--plot", plot)
    assert done.code == 0, done.err
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 4
    assert all("SkyPilot" in row["prices"] for row in rows)
    assert plot.read_bytes()[:4] == b"\x89PNG"
    assert plot.stat().st_size > 20_000
    done = run("cost", "--machine", "h100", *sizes, "--plot", page)
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert "usd_per_hour" in text
    assert "What do these training runs cost?" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--flop is missing"),
        (("--accelerators", "10"), "accelerators and days"),
        (("--flop", "1e25", "--utilization", "0.4"), "accelerators and days"),
        (("--flop", "1e25", "--accelerators", "10", "--days", "1"), "--flop"),
        ((*STATED, "--flop", "1e25", "--utilization", "0.4"), "--utilization"),
        ((*STATED, "--price", "speed=1"), "--price: 'speed'"),
        ((*STATED, "--price", "usd"), "--price: 'usd'"),
        ((*STATED, "--price", "pue=0.1"), "price pue"),
        ((*STATED, "--months", "3"), "--months"),
        (("--machine", "h10", "--accelerators", "1", "--days", "1"), "--machine: 'h10'"),
        (("--accelerators", "-1", "--days", "1"), "--accelerators"),
        (("--accelerators", "1", "--days", "nan"), "--days"),
        (("--accelerators", "8.5", "--days", "1"), "--accelerators: 8.5"),
        ((*STATED, "--plot", "cost.gif"), "--plot"),
        ((*STATED, "--plot", "cost.png"), "runs of known size"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], message: str) -> None:
    done = run("cost", *arguments)
    assert done.code == 2
    assert message in done.err
    assert not done.out
