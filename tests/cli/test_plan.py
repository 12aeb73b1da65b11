"""``plan`` and ``recommend`` on the command line: tables, JSON, files, pictures, errors."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import pytest

from tests.cli.running import run

USUAL = ("--model", "llama3-8b", "--global-batch", "64", "--seq", "8192")
ONE = ("plan", *USUAL, "--machine", "h100", "--gpus", "16", "--top", "3")


def test_the_answer_in_eighty_columns() -> None:
    result = run(*ONE, "--tokens", "1e12")
    assert result.code == 0, result.err
    for words in (
        "llama3-8b on 16 x NVIDIA H100",
        "MFU",
        "HFU",
        "Memory",
        "layouts evaluated",
        "The run of 1.00e12 tokens",
        "Bound by",
        "What would help",
        "Less memory for more time",
        "Left out",
        "Searched: TP",
        "--tensor-model-parallel-size",
        "Assumed: software as in the profile bridge-2026",
    ):
        assert words in " ".join(result.out.split()), words
    assert max(map(len, result.out.splitlines())) <= 80


def test_json_has_what_the_table_has() -> None:
    document = json.loads(run(*ONE, "--tokens", "1e12", "--json").out)
    assert document["schema_version"] == 1
    best = document["plans"][0]
    assert best["step_seconds_low"] < best["step_seconds"] < best["step_seconds_high"]
    assert best["tp"] * best["cp"] * best["pp"] * best["dp"] == 16
    assert best["days"] > 0
    assert best["usd"] > 0
    assert best["memory_bytes"] == pytest.approx(max(best["memory_by_stage"]))
    assert document["excluded"]
    assert document["front"][0]["step_seconds"] <= best["step_seconds"]
    assert document["assumptions"]


def test_bounds_hold() -> None:
    document = json.loads(run(*ONE, "--bound", "tp=4", "--bound", "pp=:2", "--json").out)
    assert {plan["tp"] for plan in document["plans"]} == {4}
    assert all(plan["pp"] <= 2 for plan in document["plans"])
    assert document["bounds"] == ["tp=4", "pp=:2"]


def test_several_machines_in_one_call() -> None:
    asked = ("plan", *USUAL, "--machine", "h100", "b200", "gb200-nvl72", "--gpus", "16", "--tokens", "1e12")
    result = run(*asked)
    assert result.code == 0, result.err
    assert "The best plan of each" in result.out
    for name in ("16 h100", "16 b200", "16 gb200-nvl72"):
        assert name in result.out
    assert max(map(len, result.out.splitlines())) <= 80
    assert [one["machine"] for one in json.loads(run(*asked, "--json").out)] == [
        "h100",
        "b200",
        "gb200-nvl72",
    ]


def test_a_file_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "plans.csv"
    result = run(*ONE, "--csv", str(path))
    assert result.code == 0, result.err
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    assert float(rows[0]["part_matmul"]) > 0


def test_pictures(tmp_path: Path) -> None:
    path = tmp_path / "plan.html"
    result = run(*ONE, "--plot", str(path))
    assert result.code == 0, result.err
    page = path.read_text(encoding="utf-8")
    assert "Left out" in page
    assert "llama3-8b" in page


@pytest.mark.parametrize("suffix", ["html", "png"])
def test_fronts_between_machines_and_counts(suffix: str, tmp_path: Path) -> None:
    costs, days = tmp_path / f"costs.{suffix}", tmp_path / f"days.{suffix}"
    several = ("--machine", "h100", "b200", "--gpus", "8", "16", "--plot", costs)
    assert run("plan", *USUAL, *several).code == 0
    wanted = ("--machine", "h100", "--tokens", "1e12", "--days", "90", "--max-gpus", "128", "--plot", days)
    assert run("recommend", *USUAL, *wanted).code == 0
    for path, words in ((costs, "USD a million tokens"), (days, "Accelerators against days")):
        assert path.stat().st_size > 10_000
        assert suffix == "png" or words in path.read_text(encoding="utf-8")


def test_an_optimum_beyond_all_published_runs_is_said_to_be_one() -> None:
    asked = (
        "plan",
        "--model",
        "gpt3-175b",
        "--machine",
        "a100-80gb",
        "--gpus",
        "512",
        "--global-batch",
        "1536",
    )
    newest = run(*asked, "--seq", "2048", "--profile", "bridge-2026")
    assert "more than any published run of the kind on a100-80gb" in newest.err
    assert "more than any published" not in run(*asked, "--seq", "2048").err


def test_own_measurements_are_said(tmp_path: Path) -> None:
    pinned = tmp_path / "cluster.toml"
    pinned.write_text("[matmul]\nshare_16 = 0.5\n", encoding="utf-8")
    slower = json.loads(run(*ONE, "--measured", str(pinned), "--json").out)
    assert any("cluster.toml instead of the public ones" in note for note in slower["assumptions"])
    usual = json.loads(run(*ONE, "--json").out)
    assert slower["plans"][0]["step_seconds"] > 1.1 * usual["plans"][0]["step_seconds"]


def test_a_narrow_terminal_keeps_the_plans_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = run(*ONE).out.splitlines()
    assert max(map(len, lines)) <= 60
    ranked = next(line for line in lines if line.startswith(" 1 "))
    assert "B 1" in ranked


def test_physics_alone_has_no_interval_and_the_flags_say_what_they_cannot() -> None:
    words = " ".join(run(*ONE, "--ideal", "--bound", "schedule=zb-1p", "--bound", "pp=2").out.split())
    assert "no interval" in words
    assert "nine of ten" not in words
    assert "Megatron-LM has no zb-1p" in words


def test_flags_are_one_command_for_a_shell() -> None:
    flags = run(*ONE).out.partition("(--export has other frameworks)\n")[2].partition("\nMegatron-LM:")[0]
    lines = flags.splitlines()
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert not lines[-1].endswith("\\")
    exported = run(*ONE, "--export", "megatron").out
    assert shlex.split(flags.replace("\\\n", "")) == shlex.split(exported.replace("\\\n", ""))


def test_flags_to_run_it() -> None:
    result = run(*ONE, "--export", "torchtitan")
    assert result.code == 0, result.err
    assert "[parallelism]" in result.out


def test_nothing_fits_is_an_answer(tmp_path: Path) -> None:
    picture = tmp_path / "plan.png"
    result = run("plan", "--model", "llama3-70b", "--machine", "h100", "--gpus", "8", "--global-batch", "64",
                 "--seq", "8192", "--bound", "recompute=none", "--plot", picture)  # fmt: skip
    assert result.code == 1
    assert f"nothing fits: {picture} is not written" in result.err
    assert not picture.exists()
    assert "Nothing fits" in result.out
    assert "16 accelerators instead of 8" in " ".join(result.out.split())
    assert "Closest" in result.out


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (("--gpus", "513"), ("--gpus", "513", "global batch of 64", "Nearest: 512")),
        (("--gpus", "0"), ("--gpus", "0")),
        (("--bound", "tp=3"), ("--bound", "tp=3", "loosen", "tp=2")),
        (("--bound", "cp=3"), ("--bound", "cp=3", "loosen")),
        (("--bound", "xp=3"), ("--bound", "xp")),
        (("--objective", "speed"), ("--objective", "speed", "throughput")),
        (("--top", "0"), ("--top", "0")),
        (("--tokens", "-1"), ("--tokens", "-1")),
        (("--machine", "h1000"), ("--machine", "h100")),
        (("--model", "llama9"), ("--model", "llama")),
        (("--profile", "bridge"), ("--profile", "bridge-2026")),
        (("--export", "keras"), ("--export", "megatron")),
        (("--plot", "plan.xyz"), ("--plot", ".html")),
        (("--precision", "nvfp4"), ("--precision", "bf16")),
    ],
)
def test_bad_input_is_named(changes: tuple[str, str], words: tuple[str, ...]) -> None:
    asked = list(ONE)
    if changes[0] in asked:
        asked[asked.index(changes[0]) + 1] = changes[1]
    else:
        asked += changes
    result = run(*asked)
    assert result.code == 2
    assert "Traceback" not in result.err
    for word in words:
        assert word in result.err, word


def test_recommendation_in_eighty_columns(tmp_path: Path) -> None:
    path = tmp_path / "tried.csv"
    asked = (
        "recommend",
        *USUAL,
        "--machine",
        "h100",
        "--tokens",
        "1e12",
        "--days",
        "60",
        "--max-gpus",
        "512",
    )
    result = run(*asked)
    assert result.code == 0, result.err
    assert "Recommended:" in result.out
    assert max(map(len, result.out.splitlines())) <= 80
    assert run(*asked, "--csv", str(path)).code == 0
    assert path.read_text(encoding="utf-8").startswith("machine,model,gpus,in_time,chosen,days,usd")
    dated = ("--by", "2027-06-30", "--start", "2027-05-01", "--json")
    document = json.loads(run(*asked[:-4], *dated, "--max-gpus", "512").out)
    assert document["days_wanted"] == 60
    assert document["chosen"]["in_time"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ((), "--days"),
        (("--days", "3", "--by", "2027-01-01"), "--days"),
        (("--by", "soon"), "2027-06-30"),
        (("--by", "2026-01-01", "--start", "2026-01-01"), "after the start"),
        (("--days", "3", "--start", "2026-01-01"), "--start"),
        (("--days", "0"), "--days"),
        (("--days", "30", "--aim", "fun"), "--aim"),
        (("--days", "0.01", "--max-gpus", "8"), "--max-gpus"),
    ],
)
def test_recommend_names_bad_input(changes: tuple[str, ...], words: str) -> None:
    result = run("recommend", *USUAL, "--machine", "h100", "--tokens", "1e12", *changes)
    assert result.code == 2
    assert words in result.err
