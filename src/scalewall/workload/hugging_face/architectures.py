"""Which architectures are known, which are known to be different, and who reads each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from scalewall.errors import InputError, nearest
from scalewall.workload.hugging_face import deepseek, experts, gemma, gpt, llama, others, qwen
from scalewall.workload.hugging_face.fields import ConfigFields
from scalewall.workload.transformer import Transformer

__all__ = ["NOT_MODELLED", "READERS", "find_reader"]

Reader = Callable[[ConfigFields, str], Transformer]

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        **deepseek.READERS,
        **experts.READERS,
        **gemma.READERS,
        **gpt.READERS,
        **llama.READERS,
        **others.READERS,
        **qwen.READERS,
    }
)
"""Readers of configurations by ``model_type``."""

NOT_MODELLED: Mapping[str, str] = MappingProxyType(
    {
        "bert": "an encoder",
        "deepseek_v32": "sparse attention that picks its tokens",
        "falcon_h1": "Mamba layers",
        "falcon_mamba": "Mamba layers",
        "jamba": "Mamba layers",
        "mamba": "Mamba layers",
        "mamba2": "Mamba layers",
        "minimax_text_01": "layers of linear attention",
        "nemotron-nas": "layers of different shapes",
        "nemotron_h": "Mamba layers",
        "qwen3_next": "layers of linear attention",
        "rwkv": "recurrent layers",
        "t5": "an encoder beside the decoder",
    }
)
"""What these architectures have that :class:`~scalewall.workload.transformer.Transformer` has not."""

_USUAL = (
    "hidden_size",
    "intermediate_size",
    "num_attention_heads",
    "num_hidden_layers",
    "num_key_value_heads",
    "vocab_size",
)


def find_reader(where: str, values: Mapping[str, object], model_type: object) -> Reader:
    """Return who reads an architecture.

    Parameters
    ----------
    where : str
        The file, for errors.
    values : mapping
        The configuration.
    model_type : object
        Its ``model_type``.

    Raises
    ------
    InputError
        For an architecture that is not known or not modelled: with the nearest one, and which of the usual fields
        the file lacks.
    """
    field = f"{where}: model_type"
    if model_type is None:
        raise InputError(
            field,
            None,
            "the name of an architecture, which every model's config.json has "
            "(is this a tokenizer's or a generation configuration?)",
        )
    if not isinstance(model_type, str) or len(model_type) > 80:
        raise InputError(field, str(model_type)[:60], "the name of an architecture, such as llama")
    if model_type in READERS:
        return READERS[model_type]
    if model_type in NOT_MODELLED:
        allowed = f"an architecture that is modelled: {model_type} has {NOT_MODELLED[model_type]}"
        raise InputError(field, model_type, allowed)
    lacking = [name for name in _USUAL if values.get(name) is None]
    usual = f"it lacks the usual {', '.join(lacking)}" if lacking else "all usual fields are there"
    allowed = (
        f"one of the {len(READERS)} known architectures; {usual}. If it is one of them by another name, write that "
        "as model_type; else describe it in a TOML of its own (docs/models.md)"
    )
    raise InputError(field, model_type, allowed, nearest(model_type, READERS))
