"""Whatever a file holds, it is read or refused by name; nothing is executed, nothing fetched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.workload.hugging_face import import_config, read_config
from scalewall.workload.hugging_face.reading import LARGEST_FILE
from scalewall.workload.models.published import published_rows

CONFIGS = [dict(row["config"]) for row in published_rows().values() if "config" in row]
FAMILIES = list({config["model_type"]: config for config in CONFIGS}.values())
LLAMA = dict(published_rows()["llama3.1-405b"]["config"])


def saved(folder: Path, content: str | bytes) -> Path:
    path = folder / "config.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_file_or_its_folder(tmp_path):
    folder = tmp_path / "Llama-3.1-405B"
    folder.mkdir()
    path = saved(folder, json.dumps(LLAMA))
    assert read_config(path) == read_config(folder)
    assert read_config(folder).model.name == "Llama-3.1-405B"


def test_a_byte_order_mark_is_no_obstacle(tmp_path):
    path = saved(tmp_path, b"\xef\xbb\xbf" + json.dumps(LLAMA).encode())
    assert read_config(path).model.layers == 126


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("{", "complete"),
        (json.dumps(LLAMA)[:200], "complete"),
        ("[1, 2]", "a list"),
        ('"llama"', "a text"),
        ("3", "a number"),
        ("null", "null"),
        ("true", "true or false"),
        ("llama", "valid JSON"),
        (b"\x80\x04\x95", "UTF-8"),
        (b"\x08\x00\x00\x00\xff\xfe", "UTF-8"),
        ('{"a":' * 100_000, "nested"),
        ("[" * 1_000_000, "nested"),
        ('{"a": ' + "9" * 10_000 + "}", "valid JSON"),
        ("{" + " " * LARGEST_FILE + "}", "MiB"),
        ("{}", "model_type"),
        ('{"tokenizer_class": "LlamaTokenizer"}', "model_type"),
        ('{"model_type": "llama", "hidden_size": NaN}', "hidden_size"),
        ('{"model_type": "llama", "hidden_size": 1e999}', "hidden_size"),
    ],
)
def test_other_content_is_refused_in_words(tmp_path, content, word):
    with pytest.raises(InputError, match=word) as caught:
        read_config(saved(tmp_path, content))
    assert len(str(caught.value)) < 600 + len(str(tmp_path))


def test_brackets_in_texts_are_no_nesting(tmp_path):
    path = saved(tmp_path, json.dumps({**LLAMA, "chat_template": '"[{\\' * 100}))
    assert read_config(path).model.layers == 126


def test_a_folder_without_a_configuration_names_what_is_there(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError) as caught:
        read_config(tmp_path)
    assert caught.value.suggestions == ("tokenizer.json",)


def test_a_missing_file_names_what_is_beside_it(tmp_path):
    saved(tmp_path, "{}")
    with pytest.raises(InputError, match=r"Nearest: .*config\.json"):
        read_config(tmp_path / "confg.json")


def test_what_is_no_regular_file_is_not_read(tmp_path):
    path = tmp_path / "config.json"
    os.mkfifo(path)
    with pytest.raises(InputError, match="regular"):
        read_config(path)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["full_attention", "sliding_attention", "llama"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted(
    {name for config in FAMILIES for name in config} | {"layer_types", "text_config", "mlp_only_layers"}
)


def refusal(values: dict[str, object]) -> InputError | None:
    """Return why a configuration is refused, None if it is read; anything else that goes wrong is a mistake."""
    try:
        import_config("config.json", values, "m")
    except InputError as error:
        return error
    return None


@given(st.sampled_from(FAMILIES), st.dictionaries(st.sampled_from(FIELDS), anything, max_size=3), st.data())
@settings(max_examples=400, deadline=None)
def test_a_malformed_configuration_is_read_or_refused_by_name(config, changes, data):
    gone = data.draw(st.sets(st.sampled_from(sorted(config)), max_size=2))
    changed = {name: value for name, value in (config | changes).items() if name not in gone}
    error = refusal(changed)
    assert error is None or error.field.startswith("config.json: ")
    assert len(str(error)) < 700


@given(st.dictionaries(st.sampled_from([*FIELDS, "model_type"]), anything, max_size=8))
@settings(max_examples=150, deadline=None)
def test_any_object_is_read_or_refused(values):
    error = refusal(values)
    assert error is None or error.field.startswith("config.json: ")


@given(st.binary(max_size=200) | st.integers(0, len(json.dumps(LLAMA)) - 1))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_and_any_cut_are_refused(tmp_path, content):
    data = json.dumps(LLAMA).encode()[:content] if isinstance(content, int) else content
    with pytest.raises(InputError):
        read_config(saved(tmp_path, data))
