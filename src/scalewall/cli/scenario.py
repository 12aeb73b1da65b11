"""Scenario files: one question to the ideal model, saved and asked again."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_type_hints

from scalewall._version import __version__
from scalewall.cli.flags import as_flag, print_warnings
from scalewall.errors import InputError, unknown_name

if TYPE_CHECKING:
    from scalewall.ideal.study import LimitsStudy

__all__ = ["save_scenario", "study_of"]

_VERSION = "scalewall_version"
_KEYS = {"machine": "machines", "bound": "bounds", "set": "overrides"}
"""Options whose key in a scenario has another name."""


def study_of(scenario: Path | None, given: dict[str, object]) -> LimitsStudy:
    """Build the question from a scenario file and from options, which win over it.

    Parameters
    ----------
    scenario : Path or None
        The file.
    given : dict
        Fields of the study that options set.

    Raises
    ------
    InputError
        Naming the option, or the file and its key.
    """
    from scalewall.ideal.study import LimitsStudy

    if scenario is None:
        return LimitsStudy(**given)  # type: ignore[arg-type]
    saved = _read(scenario)
    try:
        return LimitsStudy.from_scenario(saved | given)
    except InputError as error:
        name = as_flag(error.field).removeprefix("--").split(" ")[0].replace("-", "_")
        key = _KEYS.get(name, name)
        if key not in saved or key in given:
            raise
        field = f"{scenario}: {key}"
        raise InputError(field, error.value, error.allowed, error.suggestions) from error


def save_scenario(study: LimitsStudy, path: Path) -> None:
    """Write the question, and the version that it was asked of, to a scenario file."""
    import tomli_w

    from scalewall.report.files import write_text

    write_text(path, tomli_w.dumps(study.to_scenario()))


def _read(path: Path) -> dict[str, object]:
    """Return a file's settings, each of its type; say so if another version of scalewall wrote them."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("--scenario", str(path), f"a file that can be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError("--scenario", str(path), f"a TOML file ({error})") from error
    version = values.pop(_VERSION, __version__)
    if version != __version__:
        print_warnings(
            [f"{path} was written by scalewall {version}; this is {__version__}, and numbers may differ."]
        )
    _check_types(path, values)
    return values


def _check_types(path: Path, values: Mapping[str, object]) -> None:
    from pydantic import TypeAdapter, ValidationError

    from scalewall.ideal.study import LimitsStudy

    hints = get_type_hints(LimitsStudy)
    for key, value in values.items():
        if key not in hints:
            raise unknown_name(f"{path}: key", key, hints)
        try:
            TypeAdapter(hints[key]).validate_python(_frozen(value), strict=True)
        except ValidationError as error:
            problem = error.errors()[0]
            place = ".".join(map(str, (key, *problem["loc"])))
            allowed = problem["msg"].removeprefix("Input should be ")
            raise InputError(f"{path}: {place}", problem["input"], allowed) from error


def _frozen(value: object) -> object:
    """Return lists as the tuples that a study holds."""
    if isinstance(value, Mapping):
        return {key: _frozen(entry) for key, entry in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
