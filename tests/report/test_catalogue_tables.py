"""Tables of machines and laws, from the catalogue itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scalewall.hardware import load_machine, read_machine
from scalewall.report import catalogue_tables
from scalewall.report.claim_tables import claims_table
from scalewall.workload.laws import list_laws
from tests.report.samples import make_claim
from tests.report.test_table import printed

H100 = load_machine("h100")
SUPERPOD = load_machine("ref-h100-superpod")
VIEWS = {
    "machines": catalogue_tables.machines_table([H100, SUPERPOD]),
    "machine": catalogue_tables.machine_table(read_machine("h100")),
    "comparison": catalogue_tables.comparison_table([H100, SUPERPOD]),
    "laws": catalogue_tables.laws_table(list_laws()),
    "claims": claims_table(
        [make_claim("holds"), make_claim("fails"), make_claim("differs", "another search")]
    ),
}


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", VIEWS)
def test_fits_the_terminal_and_cuts_nothing(name: str, width: int) -> None:
    text = printed(VIEWS[name], width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text


def test_machines_show_peak_memory_and_each_level() -> None:
    text = printed(VIEWS["machines"], 80)
    for part in ("h100", "989", "80 GB", "8 at 450 GB/s", "32 at 225 GB/s", "50 GB/s"):
        assert part in text


def test_machines_that_lack_figures_say_which() -> None:
    machine = read_machine("h100")
    lacking = replace(machine, name="half", missing={"network.0.size": "depends on the host"})
    assert "lacks network.0.size" in printed(catalogue_tables.machines_table([H100], [lacking]), 120)
    shown = printed(catalogue_tables.machine_table(lacking), 80)
    assert "missing" in shown
    assert "depends on the" in shown


def test_every_figure_of_a_machine_has_value_evidence_and_source() -> None:
    machine = read_machine("h100")
    view = VIEWS["machine"]
    text = printed(view, 120)
    for part in ("kernel_latency", "2.976 µs", "989.4 TFLOP/s", "50 MiB", "assumed", "measured", "700 W"):
        assert part in text
    assert len([row for row in view.rows if row[1]]) == len(machine.figures)
    assert any("arXiv 2411.01137" in note for note in view.notes)


def test_machines_side_by_side_mark_what_is_assumed() -> None:
    rows = {row[0].text: row[1:] for row in VIEWS["comparison"].rows if not isinstance(row[0], str)}
    assert rows["Network 0 latency"] == ("1.125 µs*", "1.125 µs")
    assert rows["Network 1 size"] == ("unbounded", "32")
    assert rows["registers bandwidth"] == ("unlimited", "unlimited")


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("network.1.bandwidth", 6.25e9, "6.25 GB/s"),
        ("memory.1.usable_fraction", 0.75, "75.0 %"),
        ("accelerator.units", 132.0, "132"),
        ("precision.16.flop_per_clock", 4096.0, "4,096 FLOP"),
        ("price.usd", 30000.0, "30,000 USD"),
        ("accelerator.clock_hz", 1.83e9, "1.83 GHz"),
    ],
)
def test_figures_have_their_units(path: str, value: float, text: str) -> None:
    assert catalogue_tables.figure_text(path, value) == text


def test_laws_name_formula_and_source() -> None:
    text = printed(VIEWS["laws"], 120)
    for part in ("critical", "17.75 * D^0.47", "arXiv:2410.21676", "0.10056"):
        assert part in text


def test_claims_count_their_verdicts() -> None:
    text = " ".join(printed(VIEWS["claims"], 120).split())
    assert "1 hold, 1 fail, 1 differ" in text
    assert "another search" in text


def test_claims_that_only_inform_have_no_verdict() -> None:
    mixed = claims_table([make_claim("holds"), make_claim("informs")])
    assert "informs" in printed(mixed, 80)
    assert "1 only inform." in " ".join(printed(mixed, 80).split())
    alone = printed(claims_table([make_claim("informs")]), 80)
    assert "Verdict" not in alone
    assert "2.05e28" in alone
