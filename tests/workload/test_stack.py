import math

import pytest

from scalewall.errors import InputError
from scalewall.workload import MlpStack


def test_counts_of_a_sparse_stack():
    stack = MlpStack(d_model=8, d_ff=32, layers=3, sparsity=4, batch_tokens=4096.0, tokens=1e6)
    assert stack.parameters == 2 * 8 * 32 * 3 * 4
    assert stack.active_parameters == 2 * 8 * 32 * 3
    assert stack.training_flop == 6 * (2 * 8 * 32 * 3) * 1e6
    assert stack.batch_per_expert == 1024
    assert isinstance(stack.batch_per_expert, int)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"d_model": 0}, "d_model"),
        ({"d_ff": -4}, "d_ff"),
        ({"layers": 1.5}, "layers"),
        ({"layers": math.nan}, "layers"),
        ({"sparsity": math.inf}, "sparsity"),
        ({"sparsity": 3}, "batch_tokens"),
        ({"batch_tokens": 0.0}, "batch_tokens"),
        ({"tokens": math.inf}, "tokens"),
        ({"tokens": "many"}, "tokens"),
    ],
)
def test_bad_figures_name_their_field(change, field):
    good = {"d_model": 8, "d_ff": 32, "layers": 3, "sparsity": 4, "batch_tokens": 4096.0, "tokens": 1e6}
    with pytest.raises(InputError) as caught:
        MlpStack(**(good | change))
    assert caught.value.field == field
