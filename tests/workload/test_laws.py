import inspect
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.workload import FAMILIES, OPTIONS, list_laws
from scalewall.workload.laws import batch, data, depth, find_law, sparsity, width
from scalewall.workload.laws.depth_fit import fit_power_law, hoffmann_table

WIDTHS = np.array([512.0, 4096.0, 12288.0, 1572864.0])
COMPUTE = np.array([1e20, 3e23, 1e28, 1e33])
EVERY_LAW = [law for laws in FAMILIES.values() for law in laws.values()]


def inputs_of(law, size):
    """Arguments for a law at one of four sizes, or at all of them as arrays."""
    values = {
        "d_model": WIDTHS,
        "d_ff": 4 * WIDTHS,
        "parameters": WIDTHS**3,
        "tokens": 20 * WIDTHS**3,
        "training_flop": COMPUTE,
        "sparsity": np.array([1.0, 8.0, 16.0, 32.0]),
    }
    options = {
        name: OPTIONS[name].low if default is None else default for name, default in law.options.items()
    }
    return {
        name: values[name] if size is None else float(values[name][size]) for name in law.inputs
    } | options


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: f"{law.family}-{law.name}")
def test_a_law_takes_what_it_declares_and_arrays_equal_scalars(law):
    assert set(inspect.signature(law.function).parameters) == {*law.inputs, *law.options}
    whole = np.broadcast_to(law.function(**inputs_of(law, None)), 4)
    for size in range(4):
        assert whole[size] == pytest.approx(law.function(**inputs_of(law, size)), rel=1e-13)
        assert whole[size] > 0


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: f"{law.family}-{law.name}")
def test_a_law_is_cited_and_its_options_are_known(law):
    assert law.source
    assert law.note
    assert set(law.options) <= set(OPTIONS)
    assert FAMILIES[law.family][law.name] is law


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: f"{law.family}-{law.name}")
def test_no_law_falls_with_size(law):
    values = np.broadcast_to(law.function(**inputs_of(law, None)), 4)
    assert (np.diff(values) >= 0).all()


def test_registries_cannot_be_changed():
    with pytest.raises(TypeError):
        FAMILIES["depth"]["mine"] = FAMILIES["depth"]["refit"]


def test_depth_laws_come_from_the_table():
    table = hoffmann_table()
    assert len(table["layers"]) == 50
    prefactor, exponent = fit_power_law(table["d_model"] * table["d_ff"], table["layers"])
    assert f"{prefactor:.5f}" == "0.10056"
    assert f"{exponent:.4f}" == "0.3351"
    prefactor, exponent = fit_power_law(table["parameters"], table["layers"])
    assert f"{prefactor:.4f}" == "0.0884"
    assert f"{exponent:.3f}" == "0.270"


def test_every_model_of_the_table_is_four_times_as_wide_inside():
    table = hoffmann_table()
    assert (width.four_times(table["d_model"]) == table["d_ff"]).all()


def test_the_published_exponent_misses_the_table_and_the_refit_does_not():
    table = hoffmann_table()

    def spread(law):
        return np.abs(np.log(law(table["d_model"], table["d_ff"]) / table["layers"])).mean()

    assert spread(depth.refit) < 0.15
    assert spread(depth.published) > 0.6


def test_layers_of_gpt3_under_each_depth_law():
    assert round(depth.published(12288.0, 49152.0)) == 198
    assert round(depth.refit(12288.0, 49152.0)) == 88
    assert round(depth.hoffmann_n(12288.0, 49152.0)) == 82


@given(d_model=st.floats(512, 2e6))
def test_hoffmann_n_solves_its_own_equation(d_model):
    d_ff = 4 * d_model
    layers = depth.hoffmann_n(d_model, d_ff)
    assert layers == pytest.approx(0.0884 * (2 * d_model * d_ff * layers) ** 0.270, rel=1e-10)


@given(exponent=st.floats(0.1, 0.9), prefactor=st.floats(1e-3, 1e3))
def test_fit_recovers_a_power_law(exponent, prefactor):
    x = np.geomspace(1.0, 1e6, 9)
    assert fit_power_law(x, prefactor * x**exponent) == pytest.approx((prefactor, exponent), rel=1e-9)


@pytest.mark.parametrize("fit", [data.HOFFMANN, data.BESIROGLU])
@given(parameters=st.floats(1e7, 1e16), change=st.floats(-0.5, 0.5).filter(lambda x: abs(x) > 0.01))
def test_optimal_tokens_have_the_least_loss_at_their_compute(fit, parameters, change):
    tokens = data.optimal_tokens(parameters, fit)
    other = math.exp(change)
    assert data.loss(parameters, tokens, fit) <= data.loss(parameters * other, tokens / other, fit)


def test_llama_3_law_gives_its_published_model():
    tokens = data.llama_3(402e9)
    assert tokens == pytest.approx(16.55e12, rel=0.08)
    assert tokens == pytest.approx(0.299 * (6 * 402e9 * tokens) ** 0.537, rel=1e-10)


def test_loss_fits_disagree_as_published():
    assert data.hoffmann(70e9) / 70e9 == pytest.approx(109, rel=0.01)
    assert data.besiroglu(70e9) / 70e9 == pytest.approx(18.4, rel=0.01)
    assert data.chinchilla_20(70e9) == 1.4e12


@given(training_flop=st.floats(1e17, 1e35), experts=st.floats(1, 1e4))
def test_power_law_at_the_default_anchor_is_the_critical_law(training_flop, experts):
    assert batch.power(training_flop, experts, 2048.0**2, 3e23, 1 / 6) == batch.critical(
        training_flop, experts
    )


def test_batch_laws_at_known_points():
    assert batch.critical(3e23, 1.0) == 2.0**22
    assert batch.critical(3e23, 4.0) == 2.0**23
    assert batch.deepseek(1e25, 1.0) == pytest.approx(44e6, rel=0.02)
    assert batch.deepseek(1e28, 1.0) == pytest.approx(421e6, rel=0.02)
    assert batch.zhang(24e9) == pytest.approx(1.3e6, rel=0.05)
    assert batch.zhang(1e14) == pytest.approx(67e6, rel=0.02)
    assert batch.step_law(15e12) == pytest.approx(19e6, rel=0.03)


def test_zhangs_prefactor_is_the_printed_law_in_tokens():
    assert pytest.approx(17.75, abs=0.01) == 512 * 22.91 / 1e6**0.47


def test_sparsity_law_gives_eight_experts_at_gpt3s_width():
    assert sparsity.law(12288.0, 49152.0) == 8.0
    assert sparsity.dense() == 1.0


def test_aliases_and_unknown_names():
    assert find_law("depth", "0.3351").name == "refit"
    with pytest.raises(InputError) as caught:
        find_law("batch", "criticl")
    assert caught.value.field == "batch"
    assert caught.value.suggestions[0] == "critical"


def test_list_of_laws_has_a_row_each():
    rows = list_laws()
    assert len(rows) == len(EVERY_LAW)
    assert {"family", "name", "aliases", "formula", "options", "fitted", "source", "note"} == set(rows[0])
    assert rows[0]["aliases"] == "0.3751"
    assert rows[0]["fitted"] == "512 to 5120 d_model, 4.4e+07 to 1.618e+10 parameters"


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: f"{law.family}-{law.name}")
def test_the_documentation_has_a_row_for_each_law(law):
    page = (Path(__file__).parents[2] / "docs" / "laws.md").read_text(encoding="utf-8")
    section = page.split(f"### {law.family.capitalize()}\n")[1].split("\n#")[0]
    assert any(f"`{law.name}`" in row and f"`{law.formula}`" in row for row in section.splitlines())
