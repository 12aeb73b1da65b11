"""Pictures of a sweep show its numbers: medians in their cells, samples in bins, panels that share a scale."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scalewall.errors import InputError
from scalewall.report.sweep_figures import line_chart
from scalewall.report.sweep_heat_maps import heat_map, heat_map_figure, heat_map_page
from scalewall.study import read_study

ROWS = pd.DataFrame(
    {
        "machine": ["a", "a", "a", "b", "b", "b"],
        "months": [3, 6, 6, 3, 3, 6],
        "network.1.bandwidth": [25e9, 50e9, 50e9, 25e9, 50e9, 50e9],
        "limit_flop": [1.0, 2.0, 4.0, 500.0, np.nan, 600.0],
    }
)


def test_a_cell_is_the_median_of_its_rows() -> None:
    shown = heat_map(ROWS, "limit_flop", "network.1.bandwidth", "months", "machine")
    assert [panel.title for panel in shown.panels] == ["machine: a", "machine: b"]
    assert (shown.x_labels, shown.y_labels) == (("25 GB/s", "50 GB/s"), ("3", "6"))
    np.testing.assert_equal(shown.panels[0].values, ((1.0, np.nan), (np.nan, 3.0)))
    assert shown.ends == (1.0, 600.0)
    assert shown.log


def test_samples_fall_into_bins() -> None:
    months = np.linspace(1, 12, 500)
    rows = pd.DataFrame(
        {"months": months, "threshold": np.repeat([0.5, 0.8], 250), "utilization": months / 20}
    )
    shown = heat_map(rows, "utilization", "months", "threshold")
    assert len(shown.x_labels) == 24
    assert not shown.log
    (panel,) = shown.panels
    assert np.nanmax(panel.values) == pytest.approx(12 / 20, rel=0.03)


def test_both_renderers_draw_every_panel() -> None:
    shown = heat_map(ROWS, "limit_flop", "network.1.bandwidth", "months", "machine")
    titles = [axes.get_title(loc="left") for axes in heat_map_figure(shown).axes]
    assert titles[:2] == ["machine: a", "machine: b"]
    page = heat_map_page(shown)
    assert [trace.customdata[0][0] for trace in page.data] == ["1", "500"]


def test_lines_are_medians_by_name() -> None:
    chart = line_chart(ROWS, "limit_flop", "network.1.bandwidth", "machine")
    assert [(series.name, series.y) for series in chart.series] == [("a", (1.0, 3.0)), ("b", (500.0, 600.0))]
    assert chart.title == "Limit (FLOP) over network.1.bandwidth, by machine"
    assert chart.y.log


def test_too_many_panels_are_refused() -> None:
    rows = pd.DataFrame({"months": np.arange(40.0), "utilization": 0.5, "threshold": 0.8})
    with pytest.raises(InputError, match="at most 16 values, and this has 40"):
        heat_map(rows, "utilization", "threshold", "threshold", "months")


def test_the_example_study_is_sound() -> None:
    sweep = read_study(Path(__file__).parents[2] / "examples" / "sweep_network.toml")
    assert (sweep.count, sweep.kind) == (60, "limits")
