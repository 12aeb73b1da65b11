"""docs/what-matters.md: its table of levers is what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

from scalewall.ideal.study import LimitsStudy
from scalewall.report import units
from scalewall.report.lever_tables import factor
from scalewall.study.what_if import levers

PAGE = (Path(__file__).parents[2] / "docs" / "what-matters.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| .*\(`(\S+=\S+)`\) \| (.*) \| (.*) \| (.*) \|$", PAGE, flags=re.MULTILINE)


def test_the_levers_gain_what_the_page_says() -> None:
    found = levers(LimitsStudy(), only=[name for name, *_ in ROWS])
    printed = {}
    for one in found.outcomes:
        band = one.linear_scaling
        ends = sorted([band.first_failure_flop or 0.0, band.last_pass_flop or 0.0])
        gain, largest = one.gains(found.baseline)
        efficient = " - ".join(units.scientific(end) for end in ends)
        printed[one.what_if.name] = (efficient, factor(gain), factor(largest))
    assert len(ROWS) == 11
    assert {name: tuple(cells) for name, *cells in ROWS} == printed


def test_the_gains_in_words_are_those_of_the_table() -> None:
    gains = {name: (gain, largest) for name, _, gain, largest in ROWS}
    assert gains["latency=10"] == ("x1.9", "x80")
    assert gains["network-bandwidth=10"] == ("x20", "x1.3")
    assert gains["bandwidth=10+latency=10"] == ("x2200", "x80")
    words = " ".join(PAGE.split())
    assert "gains 1.9 for the one and 80 for the other; ten times the network 20 and 1.3" in words
    assert "both 2,200" in words
