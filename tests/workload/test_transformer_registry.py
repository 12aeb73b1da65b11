"""Every model of the registry has the parameters that are published for it, and says where its fields are from."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from scalewall.errors import InputError
from scalewall.workload.models import agreements, load_model, model_names, read_model
from scalewall.workload.models.published import printed_figure, published_rows
from scalewall.workload.parameters import active_parameters, count_parameters

KEYS = {
    "name",
    "title",
    "repository",
    "config",
    "architecture",
    "fields_source",
    "recalled",
    "parameters",
    "parameters_source",
    "parameters_count",
    "parameters_differ",
    "active",
    "active_source",
    "active_count",
    "active_differ",
    "note",
}


@pytest.mark.parametrize("name", model_names())
def test_a_model_has_its_published_parameters(name):
    """Totals to 0.5 %, active ones to the rounding of the figure; else the row says why, and only then."""
    found = agreements(read_model(name))
    assert found
    for agreement in found:
        reason = agreement.published.differs
        assert agreement.agrees != bool(reason), (agreement.kind, agreement.counted, agreement.published)


@pytest.mark.parametrize("name", model_names())
def test_a_model_says_where_its_figures_are_from(name):
    row, entry = published_rows()[name], read_model(name)
    assert set(row) <= KEYS
    assert ("config" in row) != ("architecture" in row)
    assert row["fields_source"]
    assert row["parameters_source"]
    assert ("active" in row) == (entry.model.experts is not None)
    assert "active" not in row or row["active_source"]
    fields = row.get("config") or row["architecture"]
    assert set(row.get("recalled", ())) <= set(fields)


def test_the_registry_is_large_and_sorted():
    names = list(published_rows())
    assert len(names) >= 100
    assert names == sorted(names)
    lines = (
        files("scalewall.workload.models").joinpath("models.jsonl").read_text(encoding="utf-8").splitlines()
    )
    assert len(lines) == len(names)


def test_no_two_models_are_written_alike():
    plain = [re.sub(r"[\s_-]", "", name.lower()) for name in model_names()]
    assert len(plain) == len(set(plain))


@pytest.mark.parametrize(
    ("name", "total", "active"),
    [
        ("gpt3-175b", 174.6e9, 174.6e9),
        ("llama3.1-405b", 405_853_388_800, 405_853_388_800),
        ("deepseek-v3", 671_026_419_200, 37_552_297_472),
        ("mixtral-8x22b", 140.6e9, 39.2e9),
        ("kimi-k2", 1.026e12, 32.9e9),
    ],
)
def test_models_that_everybody_knows(name, total, active):
    model = load_model(name)
    assert count_parameters(model).total == pytest.approx(total, rel=1e-3)
    assert active_parameters(model).total == pytest.approx(active, rel=2e-3)


def test_deepseek_v3_has_the_module_that_its_checkpoint_adds():
    """The checkpoint holds 685B: 671B of the main model and 14B of the module, copies of embedding and head included
    (github.com/deepseek-ai/DeepSeek-V3, README)."""
    count = count_parameters(load_model("deepseek-v3"))
    assert count.total + count.prediction + 2 * count.embedding == pytest.approx(685e9, rel=1e-3)


@pytest.mark.parametrize(
    "name",
    ["Llama-3.1-405B", "meta-llama/Llama-3.1-405B", "llama_3.1_405b", "LLAMA3.1-405B", "llama 3.1 405b"],
)
def test_names_may_be_written_as_people_do(name):
    assert read_model(name).name == "llama3.1-405b"


def test_an_unknown_name_has_the_nearest_ones():
    with pytest.raises(InputError) as caught:
        load_model("llama3.1-450b")
    assert caught.value.field == "model"
    assert "llama3.1-405b" in caught.value.suggestions


@pytest.mark.parametrize("name", ["", " ", "\0", "a" * 5000, "no/such/model", "🦙"])
def test_odd_names_are_refused(name):
    with pytest.raises(InputError):
        load_model(name)


@pytest.mark.parametrize(
    ("text", "value", "half"),
    [("37B", 37e9, 5e8), ("3.61B", 3.61e9, 5e6), ("1T", 1e12, 5e11), ("540.35B", 540.35e9, 5e6)],
)
def test_printed_figures(text, value, half):
    assert printed_figure(text) == pytest.approx((value, half))


def test_a_text_that_is_no_figure():
    with pytest.raises(ValueError, match="no figure"):
        printed_figure("about 7B")


DESCRIPTION = """
layers = 61
hidden = 7168
heads = 128
kv_heads = 128
head_dim = 192
ffn = 18432
vocab = 129280
prediction_layers = 1

[latent]
kv_rank = 512
q_rank = 1536
rope_dim = 64
nope_dim = 128
value_dim = 128

[experts]
routed = 256
top_k = 8
ffn = 2048
shared = 1
shared_ffn = 2048
leading_dense = 3
router_bias = true
"""


def described(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_description_of_ones_own(tmp_path):
    entry = read_model(described(tmp_path, DESCRIPTION))
    assert entry.name == "mine"
    assert count_parameters(entry.model) == count_parameters(load_model("deepseek-v3"))
    assert agreements(entry) == ()


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("layers = 61", "", "layers"),
        ("layers = 61", "layers = 0", "layers"),
        ("layers = 61", "layer = 61", ""),
        ("top_k = 8", "", "experts.top_k"),
        ("top_k = 8", "top_k = 300", "experts.top_k"),
        ("top_k = 8", "topk = 8", "experts"),
        ("kv_rank = 512", "kv_rank = nan", "latent.kv_rank"),
        ("[latent]", "[latent_attention]", ""),
        ("layers = 61", 'layers = 61\nname = ["x"]', "name"),
        ("layers = 61", "layers = 61\ndetails = 3", "details"),
    ],
)
def test_a_mistake_in_a_description_is_named(tmp_path, old, new, field):
    path = described(tmp_path, DESCRIPTION.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_model(path)
    assert caught.value.field == (f"{path}: {field}" if field else str(path))


@pytest.mark.parametrize("text", ["layers = ", "[" * 5000, "x = " + "[" * 5000 + "]" * 5000, "\0"])
def test_a_description_that_is_no_toml_is_refused(tmp_path, text):
    with pytest.raises(InputError, match="TOML"):
        read_model(described(tmp_path, text))


def test_rows_are_strict_json():
    text = files("scalewall.workload.models").joinpath("models.jsonl").read_text(encoding="utf-8")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for line in text.splitlines():
        json.loads(line, parse_constant=refuse)
