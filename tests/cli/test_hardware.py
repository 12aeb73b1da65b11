"""``scalewall hardware``: list, show, compare, check and schema as users see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scalewall.hardware import comparison_rows, machine_names, read_machine
from scalewall.hardware.schema import machine_schema
from tests.cli.running import Done, run

MINE = """
schema = 1
name = "mine"
title = "My accelerator"
kind = "user"
base = "h100"

[sources]
sheet = "Vendor, data sheet (2030)"

[network.1]
name = "Ethernet"
bandwidth = { value = 25e9, evidence = "datasheet", source = "sheet" }
latency = { value = 3e-6, evidence = "assumed", note = "two more switches" }
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    path = Path("mine.toml")
    path.write_text(MINE, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def one_error(done: Done) -> str:
    """Return the message of a command that ended with bad input and nothing else."""
    assert done.code == 2
    assert done.out == ""
    (line,) = done.err.strip().splitlines()
    return line


def test_the_list_has_every_machine_within_80_columns() -> None:
    done = run("hardware", "list")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    first = {line.split()[0] for line in done.out.splitlines() if line.strip()}
    assert {name for name in machine_names() if name not in ("gtx-580", "k80")} <= first
    assert "Not offered at 16 bits: gtx-580, k80." in done.out
    assert "Systems at 16 bits" in done.out


def test_the_list_as_json_says_what_each_machine_has_or_lacks() -> None:
    entries = {entry["name"]: entry for entry in json.loads(run("hardware", "list", "--json").out)}
    assert sorted(entries) == machine_names()
    assert entries["h100"]["peak_flops"] == 989.4e12
    assert entries["h100"]["released"] == "2022-09"
    assert entries["wse-3"]["missing"] == read_machine("wse-3").missing
    assert entries["gtx-580"]["missing"] == {"precision.16": "not offered"}


def test_a_sheet_has_every_figure_and_source() -> None:
    text = run("hardware", "show", "b200").out
    for part in (
        "NVLink 5, switch",
        "900 GB/s",
        "sustained_fraction",
        "measured",
        "assumed",
        "Chips and Cheese",
        "Released 2025-02",
    ):
        assert part in text
    sheet = json.loads(run("hardware", "show", "b200", "--json").out)
    assert {row["path"] for row in sheet["figures"]} == set(read_machine("b200").figures)
    assert sheet["released"]["value"] == "2025-02"


def test_machines_side_by_side_even_without_all_figures() -> None:
    text = run("hardware", "compare", "h100", "wse-3").out
    for part in ("989.4 TFLOP/s", "15 PFLOP/s", "unknown", "NVLink 4"):
        assert part in text


def test_more_machines_than_fit_get_a_table_more() -> None:
    done = run("hardware", "compare", "v100", "a100-80gb", "h100", "b200", "h100")
    assert done.out.count("Machines side by side at 16 bits") == 2
    assert max(map(len, done.out.splitlines())) <= 80


def test_a_comparison_as_json_has_the_rows_of_the_library() -> None:
    done = json.loads(run("hardware", "compare", "h100", "tpu-v4", "--precision", "8", "--json").out)
    rows = comparison_rows([read_machine("h100"), read_machine("tpu-v4")], 8)
    assert done["machines"] == ["h100", "tpu-v4"]
    assert [row["quantity"] for row in done["rows"]] == [row.quantity for row in rows]
    peak = next(row for row in done["rows"] if row["quantity"] == "peak")
    assert peak["values"] == {"h100": 1979e12, "tpu-v4": 275e12}


def test_a_comparison_draws_its_rooflines(tmp_path: Path) -> None:
    target = tmp_path / "roofline.png"
    done = run("hardware", "compare", "h100", "b200", "--plot", target)
    assert done.code == 0
    assert target.read_bytes().startswith(b"\x89PNG")


def test_a_comparison_that_cannot_be_made(tmp_path: Path) -> None:
    assert "Nearest: h100" in one_error(run("hardware", "compare", "h10"))
    assert "--plot" in one_error(run("hardware", "compare", "h100", "--plot", tmp_path / "x.gif"))
    assert "32, 16, 8, 4 bits" in one_error(run("hardware", "compare", "h100", "--precision", "12"))
    message = one_error(run("hardware", "compare", "gtx-580", "--plot", tmp_path / "x.png"))
    assert "a peak and a memory bandwidth at 16 bits" in message


@pytest.mark.usefixtures("mine")
def test_a_good_file_says_what_it_rests_on() -> None:
    done = run("hardware", "check", "mine.toml")
    assert done.code == 0
    assert done.out.startswith("mine.toml: My accelerator (mine), 32, 16, 8 bits;")
    assert "network.1.latency is assumed: two more switches" in done.out


def test_a_file_that_lacks_a_figure_says_how_to_supply_it(mine: Path) -> None:
    text = MINE.replace("[network.1]\n", '[missing]\n"network.1.bandwidth" = "secret"\n\n[network.1]\n')
    text = text.replace('bandwidth = { value = 25e9, evidence = "datasheet", source = "sheet" }\n', "")
    text = text.replace('base = "h100"', 'base = "h100"\nreplace = ["network.1"]')
    mine.write_text(text, encoding="utf-8")
    done = run("hardware", "check", "mine.toml")
    assert done.code == 0
    assert (
        "network.1.bandwidth is missing (secret): limits need it from --set network.1.bandwidth=VALUE"
        in done.out
    )


FIGURE = "{{ value = {}, evidence = 'datasheet', source = 'sheet' }}"


@pytest.mark.parametrize(
    ("added", "named"),
    [
        (
            "[precision.16]\npeak_flops = " + FIGURE.format("500e12"),
            "precision.16.peak_flops: 500000000000000.0",
        ),
        ("[memory.1]\ncapacity_bytes = " + FIGURE.format("1e12"), "memory.1.capacity_bytes: 1000000000000.0"),
        ("[memory.5]\nname = 'attic'", "memory: '0, 1, 2, 3, 5'"),
        ("[memory.0]\ncapacity = " + FIGURE.format("80e9"), "memory.0.capacity: 'capacity'"),
        ("[memory.0]\nbandwidth = " + FIGURE.format("nan"), "memory.0.bandwidth.value: nan"),
        ("[memory.0]\nbandwidth = " + FIGURE.format("1e400"), "memory.0.bandwidth.value: '1e400'"),
        ("[power]\nwatts = " + FIGURE.format("-700.0"), "power.watts.value: -700.0"),
        ("[power]\nwatts = { value = 700.0, evidence = 'datasheet' }", "power.watts.source: ''"),
        ("[power]\nwatts = { value = 700.0, evidence = 'assumed' }", "power.watts.note: ''"),
        (
            "[network.0]\npair_bandwidth = " + FIGURE.format("1e12"),
            "network.0.pair_bandwidth: 1000000000000.0",
        ),
    ],
)
def test_a_mistake_is_named_by_file_and_field(mine: Path, added: str, named: str) -> None:
    mine.write_text(f"{MINE}\n{added}\n", encoding="utf-8")
    assert one_error(run("hardware", "check", "mine.toml")).startswith(
        f"error: mine.toml: {named} is not usable."
    )


def test_every_mistake_of_a_file_is_named_in_one_message(mine: Path) -> None:
    wrong = "\n[power]\nwatts = -1\nvolts = 12\n[memory.0]\nbandwidth = " + FIGURE.format("nan")
    mine.write_text(MINE.replace('kind = "user"', 'kind = "usr"') + wrong, encoding="utf-8")
    done = run("hardware", "check", "mine.toml")
    assert (done.code, done.out) == (2, "")
    first, *rest = done.err.splitlines()
    assert first == "error: 4 mistakes:"
    assert [line.split(": ")[1] for line in rest] == [
        "memory.0.bandwidth.value",
        "power.watts",
        "power.volts",
        "kind",
    ]
    assert all(line.startswith("  mine.toml: ") for line in rest)


def test_a_machine_that_cannot_be_read_is_called_by_its_argument(tmp_path: Path) -> None:
    for command in ("show", "compare"):
        assert one_error(run("hardware", command, "h10")).startswith("error: MACHINE: 'h10' ")
    message = one_error(run("hardware", "compare", "gtx-580", "--plot", tmp_path / "x.png"))
    assert message.startswith("error: MACHINE: 'gtx-580' ")
    assert one_error(run("hardware", "check", "absent.toml")).startswith("error: FILE: 'absent.toml' ")


@pytest.mark.usefixtures("mine")
def test_machines_of_one_name_are_told_apart() -> None:
    Path("h100.toml").write_text(MINE.replace('name = "mine"', 'name = "h100"'), encoding="utf-8")
    done = json.loads(run("hardware", "compare", "h100", "./h100.toml", "--json").out)
    assert done["machines"] == ["h100", "./h100.toml"]
    outer = next(row for row in done["rows"] if row["quantity"] == "network bandwidth 1")
    assert outer["values"] == {"h100": 50e9, "./h100.toml": 25e9}


def test_files_that_build_on_each_other_in_a_circle(mine: Path) -> None:
    mine.write_text(MINE.replace('base = "h100"', 'base = "other"'), encoding="utf-8")
    Path("other.toml").write_text(MINE.replace('base = "h100"', 'base = "mine"'), encoding="utf-8")
    message = one_error(run("hardware", "check", "mine.toml"))
    assert "mine.toml -> other.toml -> mine.toml" in message


@pytest.mark.usefixtures("mine")
def test_a_file_that_is_not_there_or_no_machine() -> None:
    assert "absent.toml" in one_error(run("hardware", "check", "absent.toml"))
    Path("notes.txt").write_text("buy milk", encoding="utf-8")
    assert "valid TOML" in one_error(run("hardware", "check", "notes.txt"))


def test_the_schema_is_the_one_that_the_package_ships() -> None:
    assert json.loads(run("hardware", "schema").out) == machine_schema()
