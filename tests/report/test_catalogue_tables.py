"""Tables of machines and laws, from the catalogue itself."""

from __future__ import annotations

import pytest

from scalewall.hardware import machine_names, read_machine
from scalewall.report import catalogue_tables
from scalewall.report.claim_tables import claims_table
from scalewall.workload.laws import list_laws
from tests.report.samples import make_claim
from tests.report.test_table import printed

CATALOGUE = [read_machine(name) for name in machine_names()]
H100, SUPERPOD, WAFER = (read_machine(name) for name in ("h100", "ref-h100-superpod", "wse-3"))
VIEWS = {
    **{view.title: view for view in catalogue_tables.machines_tables(CATALOGUE)},
    "machine": catalogue_tables.machine_table(H100),
    "comparison": catalogue_tables.comparison_table([H100, SUPERPOD, WAFER]),
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


def test_machines_are_listed_by_kind_and_date_each_on_one_line_in_80_columns() -> None:
    text = printed(VIEWS["Accelerators at 16 bits"], 80)
    lines = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    for part in ("2022-09", "989", "80 GB", "8 x 450 GB/s, 50 GB/s"):
        assert part in lines["h100"]
    assert text.index(" p100 ") < text.index(" h100 ") < text.index(" gb300-nvl72 ")
    assert "8* x 196 GB/s*, 25 GB/s*" in lines["ascend-910b1"]
    assert "32 x 225 GB/s," in printed(VIEWS["Hypothetical machines of the published model at 16 bits"], 80)


def test_machines_that_lack_figures_or_the_precision_say_so() -> None:
    text = printed(VIEWS["Accelerators at 16 bits"], 80)
    assert "lacks network.0.bandwidth" in text
    assert "Not offered at 16 bits: gtx-580, k80." in text
    shown = printed(catalogue_tables.machine_table(WAFER), 80)
    assert "missing" in shown
    assert "ideal: unsupported, lacks network.0.bandwidth" in shown


def test_every_figure_of_a_machine_has_value_evidence_and_source() -> None:
    view = VIEWS["machine"]
    text = printed(view, 120)
    for part in ("kernel_latency", "2.976 µs", "989.4 TFLOP/s", "50 MiB", "assumed", "measured", "700 W"):
        assert part in text
    assert len([row for row in view.rows if row[1]]) == len(H100.figures)
    assert any("arXiv 2411.01137" in note for note in view.notes)
    assert any(note.startswith("Released 2022-09") for note in view.notes)


def test_a_figure_that_rests_on_several_sources_names_each() -> None:
    view = catalogue_tables.machine_table(read_machine("b200"))
    numbers = {row[0]: row[3] for row in view.rows}
    assert len(str(numbers["  units"]).split()) == 2


def test_machines_side_by_side_mark_what_is_assumed_and_leave_gaps() -> None:
    names = [row[0].text.strip() for row in VIEWS["comparison"].rows if not isinstance(row[0], str)]
    rows = {name: row[1:] for name, row in zip(names, VIEWS["comparison"].rows, strict=True)}
    inner, outer = names.index("Network 0"), names.index("Network 1")
    assert names[inner : inner + 5] == ["Network 0", "domain", "bandwidth", "latency", "FLOP per byte"]
    cells = [row[1:] for row in VIEWS["comparison"].rows]
    assert cells[inner + 3][:2] == ("1.125 µs*", "1.125 µs")
    assert cells[outer + 1][1] == "32"
    assert cells[inner + 2][2].text == "unknown"
    assert rows["Ridge"][2] == "529.3 mFLOP/B*"
    assert rows["Price"][0] == "30,000 USD"


def test_network_levels_stand_together() -> None:
    names = [row[0].text for row in VIEWS["comparison"].rows if not isinstance(row[0], str)]
    levels = [name[-1] for name in names if name[-1].isdigit()]
    assert levels == sorted(levels)
    assert names[0] == "Released"
    assert names[-1] == "FLOP/s per dollar"


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("network.1.bandwidth", 6.25e9, "6.25 GB/s"),
        ("memory.1.usable_fraction", 0.75, "75.0 %"),
        ("accelerator.units", 132.0, "132"),
        ("precision.16.flop_per_clock", 4096.0, "4,096 FLOP"),
        ("price.usd", 30000.0, "30,000 USD"),
        ("price.usd", 25733.7, "25,734 USD"),
        ("price.usd_per_hour", 2.99, "2.99 USD/h"),
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
