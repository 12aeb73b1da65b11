import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.workload import Laws, grid, nearest_stack, stack_for


def test_reference_grid_is_what_the_rule_says():
    widths = grid()
    assert widths[0] == 12288
    assert widths[-1] == 128 * 12288
    by_rule = {f * 2**i for f in range(1, 16, 2) for i in range(11, 22)}
    assert list(widths) == sorted(width for width in by_rule if 12288 <= width <= 128 * 12288)


@given(odd_max=st.integers(1, 200))
def test_a_larger_odd_factor_only_adds_widths(odd_max):
    assert set(grid(odd_max)) <= set(grid(odd_max + 1))
    assert list(grid(odd_max)) == sorted(set(grid(odd_max)))


@settings(max_examples=40, deadline=None)
@given(log_flop=st.floats(22, 36), sparse=st.booleans())
def test_nearest_stack_is_nearest_of_the_whole_grid(log_flop, sparse):
    laws = Laws(sparsity="law" if sparse else "dense")
    found = nearest_stack(10**log_flop, laws, odd_max=31)
    every = [stack_for(width, laws) for width in grid(31, 2048, 31 << 21)]
    least = min(abs(math.log(stack.training_flop) - log_flop * math.log(10)) for stack in every)
    assert abs(math.log(found.training_flop) - log_flop * math.log(10)) == pytest.approx(least, abs=1e-9)


def test_nearest_stack_returns_a_member_for_its_own_compute():
    stack = stack_for(12288, Laws())
    assert nearest_stack(stack.training_flop, Laws()) == stack


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((0,), "odd_max"),
        ((2.5,), "odd_max"),
        ((10**6,), "odd_max"),
        ((15, math.nan), "minimum"),
        ((15, -1), "minimum"),
        ((15, 12288, 1000), "maximum"),
        ((15, 12288, math.inf), "maximum"),
        ((1, 12289, 12290), "minimum, maximum"),
    ],
)
def test_bad_grids_name_their_field(arguments, field):
    with pytest.raises(InputError) as caught:
        grid(*arguments)
    assert caught.value.field == field


def test_an_empty_grid_names_its_neighbours():
    with pytest.raises(InputError) as caught:
        grid(1, 12289, 12290)
    assert caught.value.suggestions == ("8192", "16384")


def test_widths_without_a_countable_batch_end_the_grid():
    """With experts, DeepSeek's batch law asks for more than 2**53 tokens at the widest stacks."""
    laws = Laws(sparsity="law", batch="deepseek")
    with pytest.raises(InputError, match="batch_tokens"):
        stack_for(127 << 21, laws)
    assert nearest_stack(1e30, laws).training_flop == pytest.approx(1e30, rel=0.1)
    with pytest.raises(InputError) as caught:
        nearest_stack(1e45, laws)
    assert caught.value.field == "training_flop"
    largest = nearest_stack(float(caught.value.suggestions[0]) * (1 - 1e-3), laws)
    assert largest.batch_tokens <= 2**53


@pytest.mark.parametrize("training_flop", [0, -1e26, math.nan, math.inf, 1e3, 1e60])
def test_compute_beyond_the_grid_is_refused(training_flop):
    with pytest.raises(InputError) as caught:
        nearest_stack(training_flop, Laws())
    assert caught.value.field == "training_flop"
