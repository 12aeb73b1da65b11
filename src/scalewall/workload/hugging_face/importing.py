"""A model from a Hugging Face configuration: the file, its text part, what was taken from defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scalewall.errors import InputError
from scalewall.workload.hugging_face.architectures import READERS, find_reader
from scalewall.workload.hugging_face.fields import ConfigFields
from scalewall.workload.hugging_face.names import in_file
from scalewall.workload.hugging_face.reading import config_path, read_object
from scalewall.workload.transformer import Transformer

__all__ = ["ImportedModel", "import_config", "read_config"]

_TEXT_PARTS = ("text_config", "llm_config", "language_config")


@dataclass(frozen=True)
class ImportedModel:
    """A model and how it was read.

    Parameters
    ----------
    model : Transformer
        The model.
    model_type : str
        Its architecture.
    defaults : mapping of str to object
        Fields that the configuration does not have, and what the architecture's own class takes for them.
    notes : tuple of str
        What was left out, one sentence each.
    """

    model: Transformer
    model_type: str
    defaults: Mapping[str, object]
    notes: tuple[str, ...] = ()


def read_config(path: str | Path) -> ImportedModel:
    """Return the model of a local ``config.json``, or of a folder that holds one.

    Nothing is fetched and nothing in the folder is executed.

    Parameters
    ----------
    path : str or Path
        The file or folder.

    Raises
    ------
    InputError
        Naming the file or its field.
    """
    file = config_path(Path(path))
    name = file.absolute().parent.name if file.name == "config.json" else file.stem
    return import_config(str(file), read_object(file), name or file.stem)


def import_config(where: str, values: Mapping[str, object], name: str) -> ImportedModel:
    """Return the model of a configuration's values.

    Parameters
    ----------
    where : str
        What errors name before the field: the file.
    values : mapping
        The JSON object. If it describes several parts, as those of models that see do, its text part counts.
    name : str
        The model's name.

    Raises
    ------
    InputError
        For an architecture that is not known or not modelled, and for fields that are missing or wrong.
    """
    whole_type = values.get("model_type")
    values, prefix = _text_part(values)
    model_type = values.get("model_type")
    reader = find_reader(where, values, model_type)
    config = ConfigFields(where, values, str(model_type), prefix)
    try:
        model = reader(config, name)
    except InputError as error:
        raise in_file(error, config) from error
    notes = (f"Only the text part of {whole_type} is counted ({prefix[:-1]}).",) if prefix else ()
    return ImportedModel(model, str(model_type), config.defaults, notes)


def _text_part(values: Mapping[str, object]) -> tuple[Mapping[str, object], str]:
    """Return the part that describes a known text model and its prefix; the whole, if it does so itself."""
    if values.get("model_type") in tuple(READERS):
        return values, ""
    for name in _TEXT_PARTS:
        part = values.get(name)
        if isinstance(part, dict) and part.get("model_type") in tuple(READERS):
            return part, f"{name}."
    return values, ""
