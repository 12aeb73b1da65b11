"""``scalewall estimate-ideal``: the published plans to the last digit, a plan from options, bad plans."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from scalewall.cli.plan_rows import INPUTS, RESULTS
from tests.cli.running import PUBLISHED as DATA
from tests.cli.running import run

PUBLISHED = DATA / "ideal_plans.csv"
PLAN = {
    "--d-model": "12288",
    "--layers": "192",
    "--batch-tokens": "7340032",
    "--dp": "1,1",
    "--tp-model": "4,1",
    "--tp-ff": "2,4",
    "--pp": "1,64",
    "--ep": "1,1",
    "--microbatches": "128",
}


def options(**changes: str | None) -> list[str]:
    chosen = PLAN | {f"--{name.replace('_', '-')}": value for name, value in changes.items()}
    return [part for name, value in chosen.items() if value is not None for part in (name, value)]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_plans(path: Path, *rows: dict[str, str], columns: tuple[str, ...] = INPUTS) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_every_published_plan_comes_out(tmp_path: Path) -> None:
    target = tmp_path / "results.csv"
    done = run("estimate-ideal", "--plans", PUBLISHED, "--output", target, "--reference")
    assert (done.code, done.out) == (0, ""), done.err
    published, found = rows_of(PUBLISHED), rows_of(target)
    assert list(found[0]) == [*INPUTS, *RESULTS] == list(published[0])
    for ours, theirs in zip(found, published, strict=True):
        assert {name: ours[name] for name in INPUTS} == {name: theirs[name] for name in INPUTS}
        for name in RESULTS:
            assert float(ours[name]) == pytest.approx(float(theirs[name]), rel=1e-8, abs=6e-10)


def test_a_machine_given_stands_for_the_files_own(tmp_path: Path) -> None:
    (row,) = (row for row in rows_of(PUBLISHED)[:2] if row["machine"] == "v100")
    plans = write_plans(tmp_path / "plans.csv", row)
    target = tmp_path / "results.csv"
    assert run("estimate-ideal", "--plans", plans, "--output", target, "--machine", "ref-h100").code == 0
    (found,) = rows_of(target)
    assert found["machine"] == "ref-h100"
    assert float(found["batch_seconds"]) != pytest.approx(float(row["batch_seconds"]), rel=0.1)


def test_a_plan_from_options_equals_the_same_plan_from_a_file(tmp_path: Path) -> None:
    one = json.loads(run("estimate-ideal", "--machine", "ref-h100", *options(), "--json").out)
    values = {name[2:].replace("-", "_"): value.replace(",", " ") for name, value in PLAN.items()}
    row = values | {
        "machine": "h100",
        "d_ff": "49152",
        "sparsity": "1",
        "interleave": "1",
        "zero_bubble": "0",
    }
    plans = write_plans(tmp_path / "plans.csv", row)
    (same,) = json.loads(run("estimate-ideal", "--plans", plans, "--json").out)
    assert one == same
    assert one["machine"] == "ref-h100"
    assert (one["n_gpu"], one["plan"]["pp"], one["fits_memory"]) == (2048, [1, 64], True)
    assert sum(one["attributed_seconds"].values()) == pytest.approx(one["batch_seconds"])


def test_without_a_machine_options_mean_the_h100_of_the_catalogue() -> None:
    default = json.loads(run("estimate-ideal", *options(), "--json").out)
    named = json.loads(run("estimate-ideal", *options(), "--machine", "h100", "--json").out)
    assert default == named
    assert default["machine"] == "h100"


def test_the_reference_flag_makes_zero_bubble_latency_free() -> None:
    slow = ("--set", "network.1.latency=0.01")
    charged = json.loads(run("estimate-ideal", *options(), "--zero-bubble", *slow, "--json").out)
    free = json.loads(run("estimate-ideal", *options(), "--zero-bubble", *slow, "--reference", "--json").out)
    assert charged["batch_seconds"] > 1.2 * free["batch_seconds"]


@pytest.mark.parametrize("columns", [80, 140])
def test_a_person_reads_where_the_time_goes(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    one = run("estimate-ideal", *options(), "--zero-bubble").out
    assert "One batch on 2,048 accelerators of h100" in one
    assert "DP 1, TP 4x8, PP 64, EP 1, 128 microbatches, zero bubble." in " ".join(one.split())
    many = run("estimate-ideal", "--plans", PUBLISHED, "--reference").out
    assert "120 plans, one batch each" in many
    assert "plans cannot run." in " ".join(many.split())
    assert max(map(len, (one + many).splitlines())) <= columns


@pytest.mark.parametrize(
    ("changes", "named", "allowed"),
    [
        ({"d_model": None}, "--d-model is missing", "--layers"),
        ({"dp": None}, "--dp is missing", "a factor a network level"),
        ({"d_model": "0"}, "--d-model: 0", "from 1"),
        ({"d_model": "-8"}, "--d-model: -8", "from 1"),
        ({"layers": "1" + "0" * 400}, "--layers", "from 1"),
        ({"batch_tokens": "nan"}, "--batch-tokens: nan", "tokens"),
        ({"batch_tokens": "1e400"}, "--batch-tokens: inf", "tokens"),
        ({"batch_tokens": "1.5"}, "--batch-tokens: 1.5", "a whole multiple"),
        ({"dp": "1"}, "--dp: '1'", "2 factors"),
        ({"dp": "1,x"}, "--dp: 'x'", "a whole number"),
        ({"dp": "1,0"}, "--dp: 0", "from 1"),
        ({"pp": "1,7"}, "--pp: 7", "Nearest: 8, 6"),
        ({"tp_ff": "4,4"}, "network level 0: 16", "at most its size, 8"),
        ({"microbatches": "3"}, "--microbatches: 3", "a divisor of"),
        ({"interleave": "5"}, "--interleave: 5", "a divisor of the 3 layers"),
        ({"machine": "h1000"}, "--machine: 'h1000'", "Nearest: h100"),
        ({"precision": "12"}, "--precision: 12", "32, 16, 8 bits"),
        ({"set": "network.1.bandwith=1e9"}, "--set network.1.bandwith", "network.1.bandwidth"),
        ({"output": "nowhere/results.csv"}, "--output: 'nowhere/results.csv'", "an existing folder"),
        ({"plans": "plans.csv"}, "--d-model: 12288", "beside --plans"),
    ],
)
def test_a_plan_that_cannot_be_is_named_by_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str | None], named: str, allowed: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("estimate-ideal", *options(**changes))
    assert done.code == 2
    assert done.out == ""
    assert named in done.err
    assert allowed in done.err
    assert done.err.count("error:") == 1


def test_zero_bubble_needs_microbatches() -> None:
    done = run("estimate-ideal", *options(microbatches="64"), "--zero-bubble")
    assert (done.code, "at least 128 microbatches" in done.err) == (2, True)
    assert done.err.startswith("error: --zero-bubble")


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (lambda text: "", "column machine is missing"),
        (lambda text: text.splitlines()[0], "at least one plan"),
        (lambda text: text.replace("d_model", "dmodel"), "column d_model is missing"),
        (lambda text: text + "h100,1,2\n", "line 4: 'a row of another length'"),
        (lambda text: text.replace("16384", "many"), "line 3: d_model: 'many' is not usable"),
        (lambda text: text.replace("16384", "-5"), "line 3: d_model: -5 is not usable"),
        (lambda text: text.replace("v100", "h1000"), "line 3: machine: 'h1000'"),
        (
            lambda text: text.replace("1,1,0,", "1,1,yes,"),
            "zero_bubble: 'yes' is not usable. Allowed: 0 or 1",
        ),
        (lambda text: text.replace("1 2", "1 2 1"), "line 3: dp: '1 2 1' is not usable. Allowed: 2 factors"),
        (lambda text: text.replace("v100", "v100\x00").encode("utf-16"), "a CSV file"),
    ],
)
def test_a_file_of_plans_that_cannot_be_used_is_named_by_line(tmp_path: Path, edit, named: str) -> None:
    plans, target = tmp_path / "plans.csv", tmp_path / "results.csv"
    edited = edit("\n".join(PUBLISHED.read_text(encoding="utf-8").splitlines()[:3]) + "\n")
    plans.write_bytes(edited if isinstance(edited, bytes) else edited.encode())
    done = run("estimate-ideal", "--plans", plans, "--output", target)
    assert done.code == 2
    assert named in done.err
    assert done.err.count("error:") == 1
    assert not target.exists()


@pytest.mark.parametrize("path", ["nowhere.csv", "."])
def test_a_file_that_cannot_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("estimate-ideal", "--plans", path)
    assert (done.code, f"--plans: '{path}'" in done.err, "can be read" in done.err) == (2, True, True)
