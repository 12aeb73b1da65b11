"""The set of figures: each one is drawn, is not empty, and has its data beside it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from matplotlib.figure import Figure as MatplotlibFigure

from scalewall.errors import InputError
from scalewall.report.bar_chart import BarChart
from scalewall.report.figures_files import (
    DATA_COLUMNS,
    FORMATS,
    chosen_figures,
    data_rows,
    drawn_figure,
    figures_table,
    write_figures,
)
from scalewall.report.figures_list import FIGURES, Answers, Figure
from scalewall.study.uncertainty import Uncertainty

FEW = (1, 12288, 400_000)
"""A grid of five runs: 16384 to 262144."""


@pytest.fixture(scope="module")
def answers() -> Answers:
    return Answers(2026.9, FEW, worlds=4)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_every_figure_is_drawn_and_shows_something(figure: Figure, answers: Answers) -> None:
    drawn = figure.draw(answers)
    rows = data_rows(drawn)
    assert rows
    assert all(set(row) <= set(DATA_COLUMNS) for row in rows)
    if isinstance(drawn, BarChart):
        assert len(drawn.bars) > 10
    elif not isinstance(drawn, Uncertainty):
        for chart in drawn:
            assert chart.series
            assert all(len(series.x) > 1 for series in chart.series if series.kind == "line")
    picture = drawn_figure(drawn)
    assert isinstance(picture, MatplotlibFigure)
    artists = [len(axes.lines) + len(axes.collections) + len(axes.patches) for axes in picture.axes]
    assert min(artists) > 1


def test_names_are_unique_and_published_ones_say_which() -> None:
    names = [figure.name for figure in FIGURES]
    assert len(set(names)) == len(names)
    assert sum(bool(figure.published) for figure in FIGURES) >= 10
    assert all(figure.command.startswith("scalewall ") for figure in FIGURES)
    assert len(figures_table().rows) == len(FIGURES)


def test_files_and_index(tmp_path: Path, answers: Answers) -> None:
    seen: list[tuple[str, int, int]] = []
    chosen = chosen_figures(["utilization", "closed-forms"])
    folder = tmp_path / "new" / "figures"
    written = write_figures(folder, chosen, FORMATS, answers, lambda *done: seen.append(done))
    assert {path.name for path in written} == {
        *(f"{name}.{ending}" for name in ("utilization", "closed-forms") for ending in (*FORMATS, "csv")),
        "figures.json",
    }
    assert (folder / "utilization.png").read_bytes()[:4] == b"\x89PNG"
    assert (folder / "utilization.pdf").read_bytes()[:5] == b"%PDF-"
    assert "<svg" in (folder / "utilization.svg").read_text(encoding="utf-8")
    rows = list(csv.DictReader((folder / "utilization.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["series"] for row in rows} >= {"ref-v100", "ref-a100", "ref-h100"}
    index = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in index["figures"]] == ["utilization", "closed-forms"]
    assert seen[0] == ("utilization", 0, 2)
    assert seen[-1] == ("", 2, 2)


def test_closed_forms_go_through_the_published_values(answers: Answers) -> None:
    """alpha = 0.2: V100 2.19e29, A100 3.25e31, H100 1.94e31 FLOP."""
    (figure,) = chosen_figures(["closed-forms"])
    at = {
        row["series"]: row["y"]
        for row in data_rows(figure.draw(answers))
        if abs(float(str(row["x"])) - 0.2) < 1e-9
    }
    assert at["ref-v100: bandwidth"] == pytest.approx(2.19e29, rel=0.003)
    assert at["ref-a100: bandwidth"] == pytest.approx(3.25e31, rel=0.003)
    assert at["ref-h100: bandwidth"] == pytest.approx(1.94e31, rel=0.003)


def test_bad_names_are_refused(tmp_path: Path, answers: Answers) -> None:
    with pytest.raises(InputError, match=r"only: 'utilisation' .* Nearest: utilization"):
        chosen_figures(["utilisation"])
    with pytest.raises(InputError, match=r"format: 'gif'"):
        write_figures(tmp_path, (), ["gif"], answers)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"out: "):
        write_figures(tmp_path / "file" / "figures", (), FORMATS, answers)
