"""A question in plain values: what is refused, what is only warned about, and the scenario that keeps it."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall._version import __version__
from scalewall.errors import InputError
from scalewall.ideal.space import ModelSwitches, SearchSpace
from scalewall.ideal.study import REFERENCE_SECONDS, LimitsStudy

SMALL = {"grid": (1, 12288, 32768)}

REFUSED = [
    ({"machines": ()}, "machine", "at least one", ("h100",)),
    ({"machines": ("h1000",)}, "machine", "names", ("h100",)),
    ({"model": "spare"}, "model", "dense, sparse", ("sparse",)),
    ({"search": "ful"}, "method", "full, reference", ("full",)),
    ({"domain_filling": "exat"}, "domain_filling", "exact", ("exact",)),
    ({"zero_bubble_latency": "frei"}, "zero_bubble_latency", "free", ("free",)),
    ({"latency_model": "tre"}, "latency_model", "tree", ("tree",)),
    ({"schedule": "1f1"}, "schedule", "1f1b", ("1f1b",)),
    ({"batch_law": "zang"}, "batch", "zhang", ("zhang",)),
    ({"depth_law": "publishd"}, "depth", "published", ("published",)),
    ({"months": 0}, "months", "0.001", ("0.001",)),
    ({"months": -3}, "months", "0.001", ("0.001",)),
    ({"months": math.nan}, "months", "0.001", ("0.001",)),
    ({"months": math.inf}, "months", "1200", ("1200",)),
    ({"months": "three"}, "months", "number", ("0.001",)),
    ({"threshold": 80}, "threshold", "0.001 to 1", ("1",)),
    ({"precision": 12}, "precision", "bits", ("32",)),
    ({"model": "sparse", "sparsity": 0}, "experts", "from 1", ("1",)),
    ({"model": "sparse", "sparsity": 2.5}, "experts", "whole", ("2",)),
    ({"data_factor": 0.0}, "data_factor", "0.001", ("0.001",)),
    ({"grid": (15, 12288)}, "grid", "F,MIN,MAX", ("15,12288,1572864",)),
    ({"flop": (1e400,)}, "training_flop", "FLOP", ()),
    ({"bounds": {"pq": (1, 2)}}, "bound", "pp", ("pp",)),
    ({"bounds": {"pp": (4, 2)}}, "bound pp", "LOW <= HIGH", ()),
    ({"bounds": {"pp": (1.5, 2.5)}}, "bound pp", "whole", ()),
    ({"bounds": {"pp": 4}}, "bound pp", "two", ()),
    ({"tensor_levels": 0}, "tensor_levels", "at least 1", ("1",)),
    ({"tensor_levels": 1.5}, "tensor_levels", "at least 1", ("1",)),
    ({"overrides": {"network.1.bandwith": 1e11}}, "network.1.bandwith", "h100", ("network.1.bandwidth",)),
    ({"overrides": {"network.1.bandwidth": -1.0}}, "network.1.bandwidth", "", ()),
    ({"overrides": 7}, "overrides", "table", ()),
    ({"bounds": "pp"}, "bounds", "table", ()),
    ({"model": 3}, "model", "name", ()),
    ({"rounding": "no"}, "rounding", "true or false", ()),
    ({"overlap_data": 1}, "overlap_data", "true or false", ()),
    ({"flop": 1e26}, "flop", "list", ()),
]


@pytest.mark.parametrize(("given_", "field", "allowed", "nearest"), REFUSED, ids=str)
def test_bad_input_names_the_field_the_value_and_what_is_allowed(given_, field, allowed, nearest):
    with pytest.raises(InputError) as caught:
        LimitsStudy(**given_)
    error = caught.value
    assert field in error.field
    assert allowed in f"{error.allowed} {' '.join(error.suggestions)}"
    assert set(nearest) <= set(error.suggestions)
    assert str(error.value).partition(":")[0] in str(given_), (
        "the value that was given, or the range's low end"
    )


WARNED = [
    ({"sparsity": 8}, "sparsity has no effect"),
    ({"tensor_levels": 2}, "tensor_levels has no effect: h100 has 2"),
    ({"classic_order": True, "schedule": "zero-bubble"}, "classic_order has no effect"),
    ({"flop": (1e26,), "grid": (7, 12288, 24576)}, "grid has no effect"),
    ({"months": 0.1}, "months is 0.1"),
    ({"months": 90}, "months is 90"),
    ({"batch_exponent": 0.2}, "batch_exponent has no effect"),
    ({"overrides": {"network.1.bandwidth": 5e7}}, "network.1.bandwidth"),
]


@pytest.mark.parametrize(("given_", "said"), WARNED, ids=str)
def test_inputs_without_effect_or_out_of_range_are_said(given_, said):
    study = LimitsStudy(**given_)
    warnings = study.warnings(study.cluster("h100"))
    assert any(said in warning for warning in warnings), warnings


def test_a_plain_question_warns_of_nothing():
    study = LimitsStudy()
    assert study.warnings(study.cluster("h100")) == ()


def test_defaults_and_the_published_settings():
    ours, published = LimitsStudy(), LimitsStudy(reference=True)
    assert ours.space == SearchSpace()
    assert ours.model_switches == ModelSwitches()
    assert ours.duration_seconds == 365.25 * 86400 / 4
    assert published.space == SearchSpace(method="reference", domain_filling="exact")
    assert published.model_switches == ModelSwitches(zero_bubble_latency="free")
    assert published.duration_seconds == REFERENCE_SECONDS == 7.885e6
    assert ours.laws == published.laws
    assert ours.stacks == published.stacks


def test_reference_sets_only_what_is_not_given():
    study = LimitsStudy(reference=True, search="full", months=6, domain_filling="partial")
    assert (study.space.method, study.space.domain_filling) == ("full", "partial")
    assert study.duration_seconds == 365.25 * 86400 / 2
    assert study.zero_bubble_latency == "free"


def test_training_compute_instead_of_a_grid():
    study = LimitsStudy(flop=(1e26, 1e28))
    flop = [stack.training_flop for stack in study.stacks]
    assert flop == pytest.approx([1e26, 1e28], rel=0.25)
    assert study.assumptions(study.cluster("h100"))["grid"] == {"flop": [1e26, 1e28]}


STUDIES = st.fixed_dictionaries(
    {},
    optional={
        "machines": st.sampled_from((("ref-h100",), ("h100", "ref-a100"))),
        "reference": st.booleans(),
        "overrides": st.just({"network.1.latency": 2e-6}),
        "model": st.sampled_from(("dense", "sparse")),
        "sparsity": st.sampled_from((2, 8)),
        "batch_law": st.sampled_from(("critical", "fixed", "deepseek", "zhang")),
        "data_factor": st.floats(0.1, 10),
        "rounding": st.booleans(),
        "search": st.sampled_from(("full", "reference")),
        "bounds": st.sampled_from(({"tp": (1, 64)}, {"dp": (1, 8), "pp": (2, 2)})),
        "tensor_levels": st.just(1),
        "schedule": st.sampled_from(("any", "1f1b")),
        "overlap_data": st.booleans(),
        "months": st.floats(0.25, 36),
        "grid": st.just((1, 12288.0, 32768.0)),
        "threshold": st.floats(0.1, 1),
    },
)


@given(STUDIES)
def test_a_scenario_gives_the_question_back(settings):
    study = LimitsStudy(**SMALL | settings)
    scenario = study.to_scenario()
    assert scenario["scalewall_version"] == __version__
    assert LimitsStudy.from_scenario(scenario) == study


def test_a_scenario_for_given_training_compute():
    study = LimitsStudy(flop=(1e26, 1e27))
    assert LimitsStudy.from_scenario(study.to_scenario()).stacks == study.stacks


@pytest.mark.parametrize(
    ("scenario", "field", "nearest"),
    [
        ({"month": 3}, "scenario key", "months"),
        ({"machines": [1, 2]}, "machine", ""),
        ({"classic_order": "no"}, "classic_order", ""),
        ({"months": "3"}, "months", "0.001"),
    ],
)
def test_a_wrong_scenario_is_refused_by_name(scenario, field, nearest):
    with pytest.raises(InputError) as caught:
        LimitsStudy.from_scenario(scenario)
    assert caught.value.field == field
    assert nearest in " ".join(caught.value.suggestions)


def test_assumptions_say_which_search_and_laws_and_which_figures_are_assumed():
    study = LimitsStudy(machines=("tpu-v5p",), bounds={"dp": (2, 1 << 62)})
    assumptions = study.assumptions(study.cluster("tpu-v5p"))
    search, laws = assumptions["search"], assumptions["laws"]
    assert search["method"] == "full"
    assert search["bounds"] == {"dp": [2, None]}
    assert laws["depth_law"] == "published"
    assert laws["rounding"] is True
    assert all(assumptions["assumed_figures"].values()), "each assumption has its reason"


def test_every_field_is_documented():
    text = LimitsStudy.__doc__ or ""
    assert all(part.name in text for part in dataclasses.fields(LimitsStudy))
