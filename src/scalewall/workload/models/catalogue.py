"""Models by name, or a configuration or description of the user's by path."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from scalewall.errors import unknown_name
from scalewall.workload.hugging_face import read_config
from scalewall.workload.models.native import read_description
from scalewall.workload.models.published import ModelEntry, entry_of, published_rows
from scalewall.workload.transformer import Transformer

__all__ = ["load_model", "model_names", "read_model"]

_FILE_ENDINGS = (".json", ".toml")


def model_names() -> list[str]:
    """Return the names of the registry's models, in order."""
    return sorted(published_rows())


def load_model(model: str | Path) -> Transformer:
    """Return a model by name or from a file.

    Parameters
    ----------
    model : str or Path
        A name of the registry (``llama3.1-405b``; ``Llama-3.1-405B`` and ``meta-llama/Llama-3.1-405B`` do too), or
        the path of a Hugging Face ``config.json``, of a folder that holds one, or of a TOML description. Nothing is
        read from the network.

    Returns
    -------
    Transformer

    Raises
    ------
    InputError
        For an unknown name, or naming the file's field.
    """
    return read_model(model).model


def read_model(model: str | Path) -> ModelEntry:
    """Return a model with where it comes from; see :func:`load_model`.

    Raises
    ------
    InputError
        For an unknown name, or naming the file's field.
    """
    name = None if isinstance(model, Path) else _names().get(_plain(model))
    if name is not None:
        return entry_of(name)
    path = Path(model)
    if not (isinstance(model, Path) or _is_path(model)):
        raise unknown_name("model", model, model_names())
    if path.suffix == ".toml":
        described = read_description(path)
        return ModelEntry(described.name, described.name, described, fields_source=str(path))
    read = read_config(path)
    return ModelEntry(
        name=read.model.name,
        title=read.model.name,
        model=read.model,
        model_type=read.model_type,
        fields_source=str(path),
        defaults=read.defaults,
        notes=read.notes,
    )


@cache
def _names() -> dict[str, str]:
    """Return the registry's names by every way of writing them, and by repository."""
    found = {_plain(str(row["repository"])): name for name, row in published_rows().items()}
    found |= {_plain(name): name for name in published_rows()}
    found.pop("", None)
    return found


def _plain(name: str) -> str:
    """Return a name without what people write differently."""
    return re.sub(r"[\s_-]", "", name.lower())


def _is_path(text: str) -> bool:
    """Whether text means a file: it ends like one, there is one, or it starts like a path."""
    if text.endswith(_FILE_ENDINGS) or text.startswith(("/", "./", "../")):
        return True
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False
