import csv
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.workload import FAMILIES, Laws, grid, stack_for

LINES = Path(__file__).with_name("reference_stacks.csv").read_text(encoding="utf-8").splitlines()
ROWS = list(csv.DictReader(line for line in LINES if not line.startswith("#")))
SPARSITY = {"dense": "dense", "sparse": "law"}
OWN = {
    "constant": {"layers": 96, "experts": 4},
    "ratio": {"width_ratio": 2.5},
    "tokens-per-parameter": {"tokens_per_parameter": 40.0},
    "power": {"batch_exponent": 0.2, "depth_exponent": 0.3},
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['model']}-{row['batch_law']}-{row['d_model']}")
def test_reference_stacks_come_out(row):
    stack = stack_for(int(row["d_model"]), Laws(batch=row["batch_law"], sparsity=SPARSITY[row["model"]]))
    assert stack.d_ff == int(row["d_ff"])
    assert stack.layers == int(row["layers"])
    assert stack.sparsity == int(row["sparsity"])
    assert stack.batch_tokens == float(row["batch_tokens"])
    assert f"{stack.training_flop:.6e}" == row["training_flop"]


@pytest.mark.parametrize("name", ["0.3751", "0.3351"])
def test_depth_laws_go_by_their_exponent(name):
    assert Laws(depth=name) == Laws(depth={"0.3751": "published", "0.3351": "refit"}[name])


def test_gpt3_layers_under_both_depth_laws():
    assert stack_for(12288, Laws()).layers == 192
    assert stack_for(12288, Laws(rounding=False)).layers == 198
    assert stack_for(12288, Laws(depth="refit")).layers == 96
    assert stack_for(12288, Laws(depth="refit", rounding=False)).layers == 88


def test_data_factor_multiplies_tokens():
    base, more = stack_for(12288, Laws()), stack_for(12288, Laws(data_factor=2.5))
    assert more.tokens == 2.5 * base.tokens
    assert more.parameters == base.parameters


def test_factors_multiply_layers_and_batches():
    base = stack_for(12288, Laws(rounding=False))
    assert stack_for(12288, Laws(depth_factor=0.5, rounding=False)).layers == base.layers / 2
    larger = stack_for(12288, Laws(batch_factor=3.0, rounding=False))
    assert larger.batch_tokens == pytest.approx(3 * base.batch_tokens, rel=1e-3)
    own = Laws(depth="constant", layers=101, depth_factor=2.0, rounding=False)
    assert stack_for(12288, own).layers == 202


def test_the_power_law_of_depth_goes_through_gpt3():
    laws = Laws(depth="power", depth_exponent=0.3751)
    assert stack_for(12288, laws).layers == 96
    wider = [stack_for(d_model, laws).layers for d_model in grid()]
    assert wider == sorted(wider)


def test_own_layers_and_experts_stay_as_given():
    laws = Laws(depth="constant", layers=101, sparsity="constant", experts=7)
    stack = stack_for(12288, laws)
    assert (stack.layers, stack.sparsity) == (101, 7)
    assert stack.batch_tokens % (2048 * 7) == 0


@pytest.mark.parametrize(
    ("d_model", "ratio", "d_ff"), [(4096, 2.6875, 11008), (4096, 2.7, 11008), (10240, 2.7, 27648)]
)
def test_own_width_ratio_gives_whole_widths(d_model, ratio, d_ff):
    assert stack_for(d_model, Laws(width="ratio", width_ratio=ratio)).d_ff == d_ff


ANY_LAWS = st.fixed_dictionaries(
    {family: st.sampled_from(sorted(laws)) for family, laws in FAMILIES.items()} | {"rounding": st.booleans()}
).map(
    lambda choice: Laws(
        **choice, **{k: v for law, own in OWN.items() if law in choice.values() for k, v in own.items()}
    )
)


@given(laws=ANY_LAWS, d_model=st.sampled_from(grid(127)))
def test_any_mix_makes_a_whole_stack(laws, d_model):
    stack = stack_for(d_model, laws)
    assert stack.batch_tokens % (2048 * stack.sparsity) == 0
    assert stack.batch_per_expert * stack.sparsity == stack.batch_tokens
    assert stack.training_flop > 0


@given(laws=ANY_LAWS, at=st.integers(0, len(grid(127)) - 2))
def test_compute_grows_with_width_under_any_mix(laws, at):
    narrow, wide = grid(127)[at : at + 2]
    assert stack_for(wide, laws).training_flop > stack_for(narrow, laws).training_flop


def test_every_choice_is_described():
    described = Laws(batch="power", batch_exponent=0.25).describe()
    assert described["batch_law"] == "power"
    assert described["batch_exponent"] == 0.25
    assert described["batch_anchor_flop"] == 3e23
    assert described["depth_source"].startswith("Erdil")
    assert described["rounding"] is True
    assert "layers" not in described


def test_parameters_without_effect_are_warned_about():
    assert Laws().warnings == ()
    assert Laws(batch="power", batch_exponent=0.2).warnings == ()
    (warning,) = Laws(batch_exponent=0.2).warnings
    assert warning == "batch_exponent has no effect: only the batch law power reads it."


def test_slips_of_units_are_warned_about():
    (warning,) = Laws(batch="fixed", batch_tokens=4096).warnings
    assert warning.startswith("batch_tokens: 4.1e+03 tokens a batch is far from practice")
    assert Laws(batch="fixed", batch_tokens=2**22).warnings == ()


def test_extrapolation_names_the_laws_beyond_their_range():
    sentences = Laws(batch="deepseek").extrapolation(stack_for(12288, Laws(batch="deepseek")))
    assert [sentence.split(" rests")[0] for sentence in sentences] == [
        "The depth law published",
        "The data law chinchilla-20",
        "The batch law deepseek",
    ]
    assert sentences[-1].endswith("rests on 1e+17 to 2e+19 training FLOP; this run has 6.45e+24.")
    assert Laws(depth="refit").extrapolation(stack_for(2048, Laws(depth="refit"))) == ()


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        ({"depth": "publishd"}, "depth"),
        ({"depth": 0.3751}, "depth"),
        ({"width": "5x"}, "width"),
        ({"data": "chinchila"}, "data"),
        ({"batch": ""}, "batch"),
        ({"sparsity": "dens"}, "sparsity"),
        ({"depth": "constant"}, "layers"),
        ({"depth": "constant", "layers": 0}, "layers"),
        ({"depth": "constant", "layers": 2.5}, "layers"),
        ({"width": "ratio"}, "width_ratio"),
        ({"width_ratio": -1.0}, "width_ratio"),
        ({"sparsity": "constant"}, "experts"),
        ({"sparsity": "constant", "experts": math.nan}, "experts"),
        ({"data": "tokens-per-parameter"}, "tokens_per_parameter"),
        ({"data_factor": 0}, "data_factor"),
        ({"data_factor": math.inf}, "data_factor"),
        ({"batch": "fixed", "batch_tokens": 1e400}, "batch_tokens"),
        ({"batch": "power"}, "batch_exponent"),
        ({"batch": "power", "batch_exponent": "1/6"}, "batch_exponent"),
        ({"batch": "power", "batch_exponent": 0.2, "batch_anchor_flop": -3e23}, "batch_anchor_flop"),
    ],
)
def test_bad_choices_name_their_field(choice, field):
    with pytest.raises(InputError) as caught:
        Laws(**choice)
    assert caught.value.field == field


@pytest.mark.parametrize("d_model", [0, -1, 2.5, math.nan, math.inf, "wide", True])
def test_bad_widths_are_refused(d_model):
    with pytest.raises(InputError) as caught:
        stack_for(d_model, Laws())
    assert caught.value.field == "d_model"
