"""Scenario files: one question to the ideal model, saved and asked again."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scalewall._version import __version__
from scalewall.cli.flags import as_flag, overrides_of, print_warnings
from scalewall.cli.limits_options import parse_grid
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.ideal.study import LimitsStudy

__all__ = ["save_scenario", "study_of"]

_VERSION = "scalewall_version"
_KEYS = {"machine": "machines", "bound": "bounds", "set": "overrides"}
"""Options whose key in a scenario has another name."""


def study_of(
    scenario: Path | None,
    options: Mapping[str, object],
    grid: str | None = None,
    set_: Sequence[str] | None = None,
) -> LimitsStudy:
    """Build the question from a scenario file and from options, which win over it.

    Parameters
    ----------
    scenario : Path or None
        The file.
    options : mapping
        Fields of the study that options set; None: not given.
    grid : str, optional
        ``F,MIN,MAX`` as ``--grid`` takes it.
    set_ : sequence of str, optional
        ``PATH=VALUE`` as ``--set`` takes them.

    Raises
    ------
    InputError
        Naming the option, or the file and its key.
    """
    from scalewall.ideal.study import LimitsStudy

    given = {name: value for name, value in options.items() if value is not None}
    if grid is not None:
        given["grid"] = parse_grid(grid)
    if set_:
        given["overrides"] = overrides_of(set_)
    if scenario is None:
        return LimitsStudy(**given)  # type: ignore[arg-type]
    saved = _read(scenario)
    try:
        return LimitsStudy.from_scenario(saved | given)
    except InputError as error:
        name = as_flag(error.field).removeprefix("--").split(" ")[0].replace("-", "_")
        key = _KEYS.get(name, name)
        if name == "scenario":
            key = error.field.removeprefix("scenario").strip() or "values"
        elif key not in saved or key in given:
            raise
        field = f"{scenario}: {key}"
        raise InputError(field, error.value, error.allowed, error.suggestions) from error


def save_scenario(study: LimitsStudy, path: Path) -> None:
    """Write the question, and the version that it was asked of, to a scenario file."""
    import tomli_w

    from scalewall.report.files import write_text

    write_text(path, tomli_w.dumps(study.to_scenario()))


def _read(path: Path) -> dict[str, object]:
    """Return a file's settings; say so if another version of scalewall wrote them."""
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
    return values
