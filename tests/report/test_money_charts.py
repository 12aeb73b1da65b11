"""What the figures of money draw of one machine and of several."""

from __future__ import annotations

from dataclasses import replace

from scalewall.report.chart_data import Series
from scalewall.report.money_charts import costs_chart

RENT = Series("a: rent", (1e25, 1e26), (1e6, 1e7), ("", ""), 0)
OWN = replace(RENT, name="a: own", dash="dash")


def test_one_machine_has_rent_and_owning() -> None:
    chart = costs_chart([(RENT, OWN)])
    assert (chart.title, chart.series) == ("What a run costs", (RENT, OWN))


def test_of_several_only_rents_are_drawn_and_of_one_that_nobody_rents_what_owning_costs() -> None:
    only_owned = replace(OWN, name="b: own", colour=1)
    chart = costs_chart([(RENT, OWN), (only_owned,)])
    assert chart.title == "What renting for a run costs"
    assert chart.series == (RENT, only_owned)
