"""Transformers described by scalewall's own field names: registry rows and a user's TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from scalewall.errors import InputError, unknown_name
from scalewall.workload.attention import LatentAttention, LocalAttention
from scalewall.workload.experts import Experts
from scalewall.workload.hugging_face.reading import LARGEST_FILE
from scalewall.workload.transformer import Details, Transformer

__all__ = ["read_description", "transformer_from_fields"]

_PARTS: Mapping[str, Callable[..., Any]] = {
    "latent": LatentAttention,
    "local": LocalAttention,
    "experts": Experts,
    "details": Details,
}
_REQUIRED = {
    "": ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab"),
    "latent": ("kv_rank", "rope_dim", "nope_dim", "value_dim"),
    "local": ("window", "layers"),
    "experts": ("routed", "top_k", "ffn"),
    "details": (),
}


def read_description(path: Path) -> Transformer:
    """Return the transformer that a TOML file describes.

    Parameters
    ----------
    path : Path
        Keys are the fields of :class:`Transformer`; ``latent``, ``local``, ``experts`` and ``details`` are tables.

    Raises
    ------
    InputError
        Naming the file and the key.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError("model", str(path), f"at most {LARGEST_FILE // 2**20} MiB")
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError("model", str(path), f"a file that can be read ({problem.strerror})") from problem
    except InputError:
        raise
    except (ValueError, RecursionError) as problem:
        raise InputError("model", str(path), f"valid TOML ({problem})") from problem
    return transformer_from_fields(str(path), document, path.stem)


def transformer_from_fields(where: str, values: Mapping[str, object], name: str) -> Transformer:
    """Return the transformer of a mapping by scalewall's own field names.

    Parameters
    ----------
    where : str
        What errors name before the field: the file.
    values : mapping
        By the names of :class:`Transformer`'s fields; its parts as mappings.
    name : str
        The model's name if ``values`` has none.

    Raises
    ------
    InputError
        For a key that does not exist, one that is missing, and a wrong value.
    """
    _check_keys(where, "", values, Transformer)
    chosen = dict(values)
    try:
        for part, kind in _PARTS.items():
            if part in chosen:
                inner = chosen[part]
                if not isinstance(inner, dict):
                    raise InputError(part, str(inner)[:60], "a table with keys of its own")
                _check_keys(where, part, inner, kind)
                chosen[part] = kind(**inner)
        given_name = chosen.pop("name", name)
        if not isinstance(given_name, str):
            raise InputError("name", given_name, "a text")
        return Transformer(name=given_name, **chosen)  # type: ignore[arg-type]
    except InputError as error:
        if error.field.startswith(f"{where}: "):
            raise
        field = f"{where}: {error.field}"
        raise InputError(field, error.value, error.allowed, error.suggestions) from error


def _check_keys(where: str, part: str, values: Mapping[str, object], kind: Any) -> None:
    known = [field.name for field in fields(kind)]
    prefix = f"{where}: {part}." if part else f"{where}: "
    for key in values:
        if key not in known:
            raise unknown_name(f"{prefix[:-1] if part else where}", key, known)
    for key in _REQUIRED[part]:
        if values.get(key) is None:
            raise InputError(f"{prefix}{key}", None, "a whole number")
