"""What a sweep can set, by path: fields of a limits study and figures of its machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache

from scalewall.errors import InputError, check_finite, nearest
from scalewall.hardware import figure_paths
from scalewall.hardware.fields import FIGURE_TABLES, check_value
from scalewall.ideal.space import BOUNDED
from scalewall.ideal.study import LimitsStudy

__all__ = [
    "FLOP",
    "MACHINE",
    "Scalar",
    "Value",
    "check_figure",
    "is_figure",
    "limits_study",
    "settable",
    "split_overrides",
]

Scalar = str | int | float | bool
Value = Scalar | tuple[Scalar, ...]

MACHINE = "machine"
FLOP = "flop"
_BOUNDS = "bounds."
_OTHERWISE = {"machines", "overrides", "bounds"}
_FIELDS = tuple(part.name for part in fields(LimitsStudy) if part.name not in _OTHERWISE)


@cache
def is_figure(path: str) -> bool:
    """Tell whether ``path`` is written like a machine's figure: ``network.1.bandwidth``, misspelt or not."""
    table, dot, _ = path.partition(".")
    return bool(dot) and table in FIGURE_TABLES


def settable(machines: Iterable[str]) -> list[str]:
    """Return every path that can be set in a sweep over ``machines``, sorted.

    ``machine``, the fields of :class:`~scalewall.ideal.study.LimitsStudy` (``flop`` as one number), bounds
    such as ``bounds.tp``, and the figures of any of the machines.
    """
    figures = {path for machine in machines for path in figure_paths(machine)}
    return sorted({MACHINE, *_FIELDS, *(f"{_BOUNDS}{name}" for name in BOUNDED), *figures})


def check_figure(field: str, path: str, values: Iterable[Value], machines: Iterable[str]) -> None:
    """Refuse a figure that none of ``machines`` has, or a value that is not plausible for it.

    Raises
    ------
    InputError
        Naming ``field``, with the nearest paths or the plausible range.
    """
    known = {known for machine in machines for known in figure_paths(machine)}
    if path not in known:
        raise InputError(field, path, "a figure of the study's machines", nearest(path, known))
    for value in values:
        check_value(field, path, value)


def split_overrides(values: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, float]]:
    """Return a point's values without the machine's figures, and those figures by path (SI units)."""
    plain: dict[str, Value] = {}
    figures: dict[str, float] = {}
    for path, value in values.items():
        if is_figure(path):
            figures[path] = value  # type: ignore[assignment]
        else:
            plain[path] = value
    return plain, figures


def limits_study(values: Mapping[str, Value]) -> LimitsStudy:
    """Return the question that a point asks.

    Parameters
    ----------
    values : mapping of str to value
        By path, see :func:`settable`; what is not given has its default.

    Raises
    ------
    InputError
        Naming the field, its value and what is allowed.
    """
    plain, overrides = split_overrides(values)
    bounds = {
        path.removeprefix(_BOUNDS): _range(value) for path, value in plain.items() if path.startswith(_BOUNDS)
    }
    settings: dict[str, object] = {
        path: value for path, value in plain.items() if not path.startswith(_BOUNDS) and path != MACHINE
    }
    if MACHINE in plain:
        settings["machines"] = (plain[MACHINE],)
    if FLOP in plain:
        settings[FLOP] = (_number(FLOP, plain[FLOP]),)
    if overrides:
        settings["overrides"] = overrides
    if bounds:
        settings["bounds"] = bounds
    return LimitsStudy(**settings)  # type: ignore[arg-type]


def _range(value: Value) -> tuple[Scalar, ...]:
    """Return a bound as its least and most: one number stands for both."""
    return value if isinstance(value, tuple) else (value, value)


def _number(field: str, value: Value) -> float:
    if isinstance(value, (str, tuple)):
        raise InputError(field, value, "one number (FLOP) a point")
    return check_finite(field, value, 0, 1e60, "FLOP")
