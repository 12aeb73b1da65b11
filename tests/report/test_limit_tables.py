"""Tables of limits, in a terminal of 80 columns and wider."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scalewall.ideal.results import LinearScaling
from scalewall.report import limit_tables
from scalewall.report.table import TableView
from tests.report.samples import ROWS, make_limits
from tests.report.test_table import printed

LIMITS = [
    make_limits(),
    make_limits(
        "ref-h100-infinite-network-low-latency",
        "H100, infinite network",
        shift=1e3,
        band=LinearScaling(None, 2.7e34, 0.8, 0.56, True),
        warnings=("Laws are carried beyond their evidence. Details differ by machine.",),
    ),
    make_limits("gtx-580", "GeForce GTX 580", rows=0, band=LinearScaling(1e23, None, 0.8, 0.56, True)),
]
VIEWS = {
    "summary": limit_tables.summary_table(LIMITS),
    "curve": limit_tables.curve_table(LIMITS[0]),
    "closed forms": limit_tables.closed_form_table(LIMITS),
    "assumptions": limit_tables.assumptions_table(LIMITS),
    "assumed": limit_tables.assumed_table(LIMITS),
}


@pytest.mark.parametrize("width", [80, 120, 160])
@pytest.mark.parametrize("name", VIEWS)
def test_fits_the_terminal_and_cuts_nothing(name: str, width: int) -> None:
    text = printed(VIEWS[name], width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text


def test_the_summary_has_both_ends_of_the_band_and_what_it_rests_on() -> None:
    text = printed(VIEWS["summary"], 80)
    for part in ("2.05e28", "3.40e28", "2.71e31", "kernel latency", "reference search", "3 months"):
        assert part in text
    assert "2.70e34*" in text
    assert "* The end of the grid" in text
    assert "none" in text
    warning = "Warning: ref-h100-infinite-network-low-latency: Laws are carried beyond their evidence."
    assert warning in " ".join(text.split())
    assert "Details" not in text


def test_titles_that_are_the_names_have_no_column() -> None:
    assert VIEWS["summary"].columns[-1].title == "Title"
    same = limit_tables.summary_table([make_limits("mine", "mine"), make_limits("yours", "yours")])
    assert [column.title for column in same.columns[-2:]] == ["Utilization\nthere", "Binds there"]
    assert {len(row) for row in same.rows} == {len(same.columns)}


def test_the_curve_has_a_row_a_run_and_says_what_does_not_finish() -> None:
    view: TableView = VIEWS["curve"]
    assert len(view.rows) == len(ROWS)
    assert any("1 run does not finish, from 4.10e31 FLOP on: no plan" in note for note in view.notes)


def test_the_curve_says_what_binds_and_how_much_of_the_time_that_is() -> None:
    rows = {str(row[0]): row[-1] for row in VIEWS["curve"].rows}
    assert rows["6.45e24"] == "arithmetic 100 %"
    assert rows["8.30e27"] == "kernel latency 1.5 %"
    assert rows["2.71e31"] == "kernel latency 32 %"


def test_counts_in_the_curve_are_exact_below_a_million_and_short_above() -> None:
    text = printed(VIEWS["curve"], 80)
    assert "262,144" in text
    assert "6.87e10" in text


def test_a_sparse_curve_shows_experts() -> None:
    dense = VIEWS["curve"]
    sparse_points = tuple(replace(point, sparsity=8) for point in LIMITS[0].points)
    sparse = limit_tables.curve_table(replace(LIMITS[0], points=sparse_points))
    titles = {column.title for column in sparse.columns} - {column.title for column in dense.columns}
    assert titles == {"Experts", "EP"}
    assert max(map(len, printed(sparse, 160).splitlines())) <= 160


def test_differing_settings_name_their_machine() -> None:
    other = make_limits("other")
    changed = replace(other, assumptions={**other.assumptions, "precision": 8})
    table = limit_tables.assumptions_table([LIMITS[0], changed])
    values = {str(row[0].text): row[1] for row in table.rows if not isinstance(row[0], str)}
    assert values["precision"] == "h100: 16; other: 8"
    assert values["laws: batch law"] == "critical"


def test_a_notebook_shows_answer_limits_and_curve() -> None:
    html = limit_tables.limits_html(LIMITS[0])
    assert html.startswith("<p>On NVIDIA H100 SXM5 80 GB, runs stay efficient up to")
    assert html.count("<table") == 2
