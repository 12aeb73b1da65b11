"""Errors for users: what is allowed, and the nearest valid choice."""

from __future__ import annotations

import math

import pytest

from scalewall.errors import InputError, check_finite, nearest, unknown_name


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, 10**400, -(10**400), True, "3", None, 0.5, 11]
)
def test_what_is_no_number_in_the_range_is_refused(value):
    with pytest.raises(InputError, match=r"months: .* a number from 1 to 10 months"):
        check_finite("months", value, 1, 10, "months")


def test_a_number_in_the_range_comes_back_as_a_float():
    assert check_finite("months", 3, 1, 10, "months") == 3.0
    assert isinstance(check_finite("months", 3, 1, 10, "months"), float)


def test_the_nearest_bound_is_suggested():
    with pytest.raises(InputError) as caught:
        check_finite("months", 10**400, 1, 10, "months")
    assert caught.value.suggestions == ("10",)


def test_names_that_begin_alike_come_first():
    assert nearest("gb200", ["b200", "h200", "gb200-nvl72", "gb300-nvl72"])[0] == "gb200-nvl72"
    assert nearest("H10", ["h100", "h100-pcie", "a100"])[:2] == ["h100", "h100-pcie"]
    assert nearest("", ["h100"]) == []
    assert nearest("zzz", ["h100"]) == []


def test_many_choices_are_counted_not_listed():
    assert "one of 20 names" in str(unknown_name("machine", "x", [f"name-{i}" for i in range(20)]))


def test_a_value_is_shown_as_far_as_anybody_reads():
    message = str(InputError("peak", "9" * 5000, "less"))
    assert len(message) < 300
    assert "999... is not usable" in message
    assert "a number of thousands of digits" in str(InputError("peak", int("f" * 9000, 16), "less"))
