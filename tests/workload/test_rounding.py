import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.workload import nearest_whole, reference_round

MEMBERS = sorted({factor << shift for factor in (1, 3, 5, 7, 9) for shift in range(60)})
POSITIVE = st.floats(1e-6, 1e15)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.2, 1),
        (1.5, 1),
        (2.5, 2),
        (11, 10),
        (11.01, 12),
        (13, 12),
        (15, 14),
        (17, 16),
        (88.1, 96),
        (197.8, 192),
    ],
)
def test_reference_rounding_by_hand(value, expected):
    assert reference_round(value) == expected


@given(value=POSITIVE)
def test_reference_rounding_is_the_nearest_member_with_ties_down(value):
    assert reference_round(value) == min(MEMBERS, key=lambda member: (abs(member - value), member))


@given(value=POSITIVE)
def test_rounding_twice_changes_nothing(value):
    assert reference_round(reference_round(value)) == reference_round(value)
    assert nearest_whole(nearest_whole(value)) == nearest_whole(value)


@given(value=POSITIVE, more=st.floats(1, 1e3))
def test_rounding_keeps_order(value, more):
    assert reference_round(value * more) >= reference_round(value)
    assert nearest_whole(value * more) >= nearest_whole(value)


@pytest.mark.parametrize(("value", "expected"), [(0.1, 1), (1.5, 1), (1.51, 2), (2.5, 2), (7, 7)])
def test_nearest_whole_by_hand(value, expected):
    assert nearest_whole(value) == expected
