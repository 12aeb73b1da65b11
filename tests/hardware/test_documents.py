"""The page, the schema and the worked example agree with the files."""

import json
import re
from pathlib import Path

import pytest

import scalewall.hardware
from scalewall.errors import InputError
from scalewall.hardware import load_machine, machine_names
from scalewall.hardware.page import machines_page
from scalewall.hardware.schema import machine_schema
from tests.cli.running import run

DOCS = Path(__file__).parents[2] / "docs"
PACKAGE = Path(scalewall.hardware.__file__).parent


def test_the_page_on_machines_is_written_from_the_files():
    page = machines_page()
    assert (DOCS / "machines.md").read_text(encoding="utf-8") == page
    assert [name for name in machine_names() if f"\n### {name}\n" not in page] == []


def test_the_published_schema_is_written_from_the_fields():
    assert json.loads((PACKAGE / "machine.schema.json").read_text(encoding="utf-8")) == machine_schema()


def test_the_schema_knows_every_field_and_what_a_figure_needs():
    properties = machine_schema()["properties"]
    network = properties["network"]["patternProperties"]["^[0-9]+$"]["properties"]
    assert {"name", "topology", "size", "bandwidth", "pair_bandwidth", "latency"} <= set(network)
    bandwidth = network["bandwidth"]
    assert bandwidth["required"] == ["value", "evidence"]
    assert bandwidth["if"]["properties"]["evidence"]["enum"] == ["assumed", "derived"]
    assert bandwidth["then"]["required"] == ["note"]
    assert {"required": ["source"]} in bandwidth["anyOf"]
    assert "maximum" not in bandwidth["properties"]["value"]
    assert network["latency"]["properties"]["value"]["maximum"] == 1
    assert properties["price"]["properties"]["usd"]["required"] == ["value", "evidence", "date"]


def _blocks(language: str) -> list[str]:
    text = (DOCS / "add-a-machine.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for block in _blocks("toml"):
        name = re.search(r'^name = "(.*)"', block, flags=re.MULTILINE).group(1)
        (tmp_path / f"{name}.toml").write_text(block, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("saved")
def test_the_worked_example_works(capsys):
    for block in _blocks("python"):
        exec(block, {})
    assert "600000000000000.0 50000000000.0" in capsys.readouterr().out
    one, rack = load_machine("acme-one.toml"), load_machine("acme-rack.toml")
    assert one.network.levels[0].pair_bandwidth == 100e9
    assert [level.holders for level in one.accelerator.memory] == [1, 100]
    assert [level.size for level in rack.network.levels] == [32, None]
    assert rack.network.levels[0].pair_bandwidth == float("inf")


def test_the_example_of_an_error_is_what_is_said(saved: Path):
    path = saved / "acme-one.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("value = 800e12", "value = 1600e12"), encoding="utf-8"
    )
    with pytest.raises(InputError) as caught:
        load_machine("acme-one.toml")
    (shown,) = _blocks("text")
    assert str(caught.value).endswith(shown.strip())


@pytest.mark.usefixtures("saved")
def test_the_commands_of_the_worked_example_work():
    for line in "".join(_blocks("sh")).splitlines():
        words = line.split()
        assert words[0] == "scalewall"
        quick = ("--search", "reference", "--grid", "1,12288,40000") if words[1] == "limits" else ()
        done = run(*words[1:], *quick)
        assert done.code == 0, done.err
    assert Path("rooflines.html").read_text(encoding="utf-8").startswith("<!doctype html>")
