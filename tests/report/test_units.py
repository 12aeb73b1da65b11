"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.report import units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (units.flop(2.048422e28), "2.05e28 FLOP"),
        (units.flop(None), "unknown"),
        (units.scientific(9999.6), "1.00e4"),
        (units.scientific(1e-9), "1.00e-9"),
        (units.scientific(0.8), "0.800"),
        (units.count(131072), "131,072"),
        (units.count(0.5), "0.5"),
        (units.count(25_733.7), "25,734"),
        (units.count(16_777_216), "16.8 million"),
        (units.count(999_999), "1.00 million"),
        (units.count(999_999_999), "1.00 billion"),
        (units.count(68_719_476_736), "68.7 billion"),
        (units.count(3e20), "3.00e8 trillion"),
        (units.duration(0.0), "0 s"),
        (units.duration(1.135e-6), "1.14 µs"),
        (units.duration(1.5e-12), "0.00150 ns"),
        (units.duration(1e-300), "1.00e-291 ns"),
        (units.duration(0.99999), "1.00 s"),
        (units.duration(130.0), "2.17 minutes"),
        (units.duration(8.15e6), "3.10 months"),
        (units.duration(4.3 * units.YEAR), "4.30 years"),
        (units.duration(math.inf), "unlimited"),
        (units.months(7.885e6), "3 months"),
        (units.months(2.5 * units.MONTH), "2.5 months"),
        (units.months(units.MONTH), "1 month"),
        (units.data_size(80e9), "80 GB"),
        (units.bandwidth(450e9), "450 GB/s"),
        (units.bandwidth(3.352e12), "3.35 TB/s"),
        (units.bandwidth(math.inf), "unlimited"),
        (units.bandwidth(math.nan), "unknown"),
        (units.flop_rate(989.4e12), "989 TFLOP/s"),
        (units.quantity(1.125e-6, "s"), "1.12 µs"),
        (units.percent(0.123), "12.3 %"),
        (units.percent(1.0), "100 %"),
        (units.percent(0.9999), "100 %"),
        (units.percent(0.0000123), "0.00123 %"),
        (units.percent(None), "unknown"),
    ],
)
def test_writes_as_people_read(text: str, expected: str) -> None:
    assert text == expected


@given(st.floats(min_value=1e-12, max_value=1e40))
def test_text_keeps_three_digits_of_the_value(value: float) -> None:
    assert float(units.scientific(value)) == pytest.approx(value, rel=5.1e-3)


@given(st.floats(min_value=1e6, max_value=9e15))
def test_counts_keep_three_digits_of_the_value(value: float) -> None:
    size = {"million": 1e6, "billion": 1e9, "trillion": 1e12}
    number, word = units.count(value).split(" ")
    assert float(number) * size[word] == pytest.approx(value, rel=5.1e-3)
