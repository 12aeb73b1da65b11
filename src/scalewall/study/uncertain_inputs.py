"""What is uncertain and how: a file of distributions, or the defaults for a machine, as the study of a sweep."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from scalewall.errors import InputError, unknown_name
from scalewall.hardware import figure_paths, read_machine
from scalewall.hardware.fields import FIGURES, pattern
from scalewall.study.axes import finite_number, plain_table
from scalewall.study.paths import MACHINE, is_figure
from scalewall.study.study_file import flat, read_table
from scalewall.study.sweep import DEFAULT_MACHINE

__all__ = ["EVIDENCE", "Belief", "Worlds", "default_table", "read_worlds", "worlds_of"]

EVIDENCE = ("measured", "literature", "derived", "assumed", "user")
"""What a distribution can rest on."""

_DEFAULTS = "scalewall.study.data"
_TABLES = ("fixed", "samples")
_WORDS = ("source", "evidence", "relative")
_SETTINGS = ("count", "seed", "design")
_SCALED = ("from", "mode", "to", "mean", "deviation", "median", "p5", "p95", "least", "most")
_DEFAULT_PRECISION = 16


@dataclass(frozen=True)
class Belief:
    """What is believed of one input: its distribution as written, in SI units, and what that rests on."""

    path: str
    distribution: Mapping[str, object]
    evidence: str
    source: str


@dataclass(frozen=True)
class Worlds:
    """Uncertain inputs of one machine.

    Parameters
    ----------
    machine : str
        Catalogue name or machine file.
    fixed : mapping of str to value
        Inputs that are known, by path, the machine among them.
    beliefs : tuple of Belief
        Inputs that are not.
    settings : mapping
        ``count``, ``seed`` and ``design`` where a file gives them.
    """

    machine: str
    fixed: Mapping[str, object]
    beliefs: tuple[Belief, ...]
    settings: Mapping[str, object]


@cache
def _defaults() -> dict[str, Any]:
    text = files(_DEFAULTS).joinpath("uncertainty_defaults.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def default_table(machine: str, precision: int = _DEFAULT_PRECISION) -> dict[str, Any]:
    """Return the package's own beliefs for a machine as the tables of a file.

    Parameters
    ----------
    machine : str
        Catalogue name or machine file.
    precision : int
        Bits a word, whose sustained share is uncertain.

    Raises
    ------
    InputError
        Unknown machine, or trouble in its file.
    """
    known = [path for path in figure_paths(machine) if math.isfinite(_figure(machine, path) or math.inf)]
    samples: dict[str, object] = {}
    for name, belief in _defaults()["samples"].items():
        wanted = name.replace("precision.*", f"precision.{precision}")
        if not is_figure(wanted):
            samples[wanted] = dict(belief)
        for path in known:
            if is_figure(wanted) and fnmatchcase(path, wanted):
                samples[path] = dict(belief)
    return {"fixed": {MACHINE: machine, **_defaults()["fixed"]}, "samples": samples}


def _figure(machine: str, path: str) -> float | None:
    figure = read_machine(machine).figures.get(path)
    return None if figure is None else figure.value


def read_worlds(
    path: str | Path, machine: str | None = None, fixed: Mapping[str, object] | None = None
) -> Worlds:
    """Read a file of beliefs: ``[fixed]`` and ``[samples]`` as in a study, distributions with what they rest on.

    Parameters
    ----------
    path : str or Path
        TOML.
    machine : str, optional
        Instead of the file's.
    fixed : mapping, optional
        Inputs by path that are known, beside the file's.

    Raises
    ------
    InputError
        Naming table and path of what is wrong, with what is allowed.
    """
    return worlds_of(read_table(path), machine, fixed)


def worlds_of(
    table: Mapping[str, object], machine: str | None = None, fixed: Mapping[str, object] | None = None
) -> Worlds:
    """Build uncertain inputs from tables, see :func:`read_worlds`."""
    table = plain_table(table)
    for name, content in table.items():
        if name not in _TABLES:
            raise unknown_name("uncertainty", name, _TABLES)
        if not isinstance(content, Mapping):
            raise InputError(name, content, "a table")
    known = dict(flat(table.get("fixed", {}))) | dict(fixed or {})
    known[MACHINE] = machine or known.get(MACHINE, DEFAULT_MACHINE)
    drawn = dict(flat(table.get("samples", {})))
    settings = {key: drawn.pop(key) for key in _SETTINGS if key in drawn}
    if MACHINE in drawn:
        raise InputError(f"samples.{MACHINE}", MACHINE, "one machine: compare several by running each")
    if not isinstance(known[MACHINE], str):
        raise InputError(
            f"fixed.{MACHINE}", known[MACHINE], "a catalogue name or machine file", [DEFAULT_MACHINE]
        )
    if not drawn:
        raise InputError("samples", {}, "at least one uncertain input")
    for path in drawn:
        if path in known:
            raise InputError(f"samples.{path}", path, "an input that fixed does not set")
    beliefs = tuple(_beliefs(str(known[MACHINE]), drawn))
    return Worlds(str(known[MACHINE]), known, beliefs, settings)


def _beliefs(machine: str, drawn: Mapping[str, object]) -> Iterator[Belief]:
    for path, written in drawn.items():
        field = f"samples.{path}"
        if not isinstance(written, Mapping):
            allowed = 'a distribution such as { distribution = "uniform", from = 3, to = 9 }'
            raise InputError(field, written, allowed)
        evidence = written.get("evidence", "user")
        if evidence not in EVIDENCE:
            raise unknown_name(f"{field}.evidence", str(evidence), EVIDENCE)
        distribution = {key: value for key, value in written.items() if key not in _WORDS}
        relative = written.get("relative", False)
        if not isinstance(relative, bool):
            raise InputError(f"{field}.relative", relative, "true or false")
        if relative:
            distribution = _scaled(field, machine, path, distribution)
        yield Belief(path, distribution, str(evidence), str(written.get("source", "")))


def _scaled(field: str, machine: str, path: str, written: Mapping[str, object]) -> dict[str, object]:
    """Return a distribution times the machine's own figure, its ends kept within what is plausible for it."""
    own = _figure(machine, path) if is_figure(path) else None
    if own is None:
        raise InputError(f"{field}.relative", True, f"false: {machine} has no figure of its own by that name")
    limits = FIGURES[pattern(path)]
    scaled = dict(written)
    for key in _SCALED:
        if key in written:
            number = own * finite_number(f"{field}.{key}", written[key])
            ends = key in ("from", "to") and limits.high == 1
            scaled[key] = min(number, limits.high) if ends else number
    return scaled
