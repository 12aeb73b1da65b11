"""Labels that do not lie on each other."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.report.chart_data import Axis, Chart, Series
from scalewall.report.labels import LabelSpot, chart_labels, place_labels

SIZE = (400.0, 250.0)
CHARACTER, LINE = 4.0, 9.0


def boxes(points, texts, spots):
    return [
        (x + spot.dx - CHARACTER * len(text) / 2, y + spot.dy - LINE / 2, CHARACTER * len(text), LINE)
        for (x, y), text, spot in zip(points, texts, spots, strict=True)
    ]


def overlap(one, other) -> bool:
    return (
        one[0] < other[0] + other[2] - 1e-6
        and other[0] < one[0] + one[2] - 1e-6
        and one[1] < other[1] + other[3] - 1e-6
        and other[1] < one[1] + one[3] - 1e-6
    )


def test_a_lonely_label_stands_right_of_its_point() -> None:
    (spot,) = place_labels([(100.0, 100.0)], ["h100"], [(97.0, 97.0, 103.0, 103.0)], SIZE, CHARACTER, LINE)
    assert spot == LabelSpot(CHARACTER * 2 + LINE / 2, 0.0)


def test_at_the_right_edge_it_stands_left() -> None:
    (spot,) = place_labels([(398.0, 100.0)], ["h100"], [], SIZE, CHARACTER, LINE)
    assert spot.dx < 0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(20, 380), st.integers(20, 230)), min_size=1, max_size=8, unique=True))
def test_few_labels_never_overlap_and_stay_inside(points) -> None:
    points = [(float(x), float(y)) for x, y in points]
    texts = [f"machine-{index}" for index in range(len(points))]
    placed = boxes(points, texts, place_labels(points, texts, [], SIZE, CHARACTER, LINE))
    assert not any(overlap(one, other) for one, other in combinations(placed, 2))
    for left, bottom, wide, high in placed:
        assert left >= -1e-6
        assert bottom >= -1e-6
        assert left + wide <= SIZE[0] + 1e-6
        assert bottom + high <= SIZE[1] + 1e-6


def test_labels_keep_off_the_ranges_of_all_points() -> None:
    series = Series(
        "a", (1.0, 3.0), (1e2, 1e3), ("", ""), 0, "points", tops=(1e4, 1e5), labels=("one", "two")
    )
    chart = Chart("t", Axis("x", limits=(0, 4)), Axis("y", log=True, limits=(1, 1e6)), (series,))
    one, two = chart_labels(chart, SIZE, CHARACTER, LINE, 6.0)
    assert (one.x, one.y, one.text) == (1.0, pytest.approx(1e3), "one")
    assert abs(one.spot.dx) > 3.0
    assert abs(two.spot.dx) > 3.0


def test_labels_need_the_ends_of_the_axes() -> None:
    series = Series("a", (1.0,), (1e2,), ("",), 0, "points", labels=("one",))
    with pytest.raises(ValueError, match="limits of the axis 'x'"):
        chart_labels(Chart("t", Axis("x"), Axis("y", limits=(0, 1)), (series,)), SIZE, CHARACTER, LINE, 6.0)
