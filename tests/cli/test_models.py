"""``scalewall models``: what people and programs get to see."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from scalewall.workload.models import model_names
from scalewall.workload.models.published import published_rows
from tests.cli.running import run


def config(folder: Path, **changes: object) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps({**published_rows()["mixtral-8x7b"]["config"], **changes}))
    return path


def test_the_list_has_every_model():
    done = run("models", "list")
    assert done.code == 0
    assert [name for name in model_names() if f" {name} " not in done.out] == []


def test_the_list_in_json():
    rows = json.loads(run("models", "list", "--json").out)
    assert [row["name"] for row in rows] == model_names()
    mixtral = next(row for row in rows if row["name"] == "mixtral-8x7b")
    assert (mixtral["total_parameters"], mixtral["total_active_parameters"]) == (
        46_702_792_704,
        12_879_925_248,
    )


def test_a_model_with_everything():
    done = run("models", "show", "deepseek-v3")
    assert done.code == 0
    for text in (
        "671,026,419,200",
        "37,552,297,472",
        "latent",
        "8 of 256",
        "Multi-token prediction",
        "README.md",
    ):
        assert text in done.out


def test_a_model_in_json():
    document = json.loads(run("models", "show", "llama3.1-405b", "--seq", "8192", "--json").out)
    assert document["parameters"]["embedding"] == 128256 * 16384
    assert document["architecture"]["kv_heads"] == 8
    assert document["sequence"] == 8192
    full = json.loads(
        run("models", "show", "llama3.1-405b", "--seq", "8192", "--full-attention", "--json").out
    )
    assert full["forward_flop"]["scores"] == 2 * document["forward_flop"]["scores"]
    assert document["training_flop_per_token"] == 3 * document["forward_flop_per_token"]


def test_a_configuration_says_what_was_not_in_it(tmp_path):
    path = config(tmp_path, tie_word_embeddings=None)
    shown = re.sub(r"\s+", " ", run("models", "show", path).out)
    assert "tie_word_embeddings = false" in shown
    checked = run("models", "check", path)
    assert (checked.code, "46.7B parameters, 12.88B of them active" in checked.out) == (0, True)


def test_the_check_of_the_registry_agrees():
    done = run("models", "check", "--json")
    assert done.code == 0
    rows = json.loads(done.out)["published"]
    assert len(rows) > len(model_names())
    assert all(row["agrees"] or row["reason"] for row in rows)
    assert run("models", "check").code == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"num_hidden_layers": 0}, "num_hidden_layers: 0 is not usable"),
        ({"num_hidden_layers": None}, "num_hidden_layers is missing"),
        ({"num_key_value_heads": 5}, "Nearest: 4"),
        ({"num_experts_per_tok": 9}, "num_experts_per_tok: 9"),
        ({"model_type": "mixtrl"}, "Nearest: mixtral"),
        ({"model_type": "mamba"}, "Mamba layers"),
    ],
)
@pytest.mark.parametrize("command", ["show", "check"])
def test_a_mistake_ends_with_its_field_and_code_2(tmp_path, command, changes, words):
    done = run("models", command, config(tmp_path, **changes))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert words in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "llama3.1-450b"), "MODEL: 'llama3.1-450b'"),
        (("show", "missing/config.json"), "a file that exists"),
        (("show", "gpt3-175b", "--seq", "0"), "--seq"),
    ],
)
def test_wrong_arguments_end_with_code_2(arguments, words):
    done = run("models", *arguments)
    assert done.code == 2
    assert words in done.err
