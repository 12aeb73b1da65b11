"""What the configurations of all frameworks have in common: what is written, what is read, what neither can say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scalewall.errors import InputError, unknown_name
from scalewall.workload.transformer import Transformer

__all__ = [
    "KNOBS",
    "SHARDINGS",
    "Exported",
    "Imported",
    "Note",
    "at_most_one",
    "check_shape",
    "choice",
    "count",
    "idle_keys",
    "known",
    "recompute_values",
    "switch",
    "whole",
]

KNOBS = (
    "tp", "cp", "pp", "dp", "ep", "etp", "chunks", "microbatch", "schedule", "sequence_parallel", "sharding",
    "shard_ranks", "recompute", "recompute_modules", "offloaded_layers", "global_batch", "sequence", "precision",
    "dispatcher", "expert_overlap", "graphs", "compiled",
)  # fmt: skip
"""What a configuration may say of a plan: fields of a layout, then of a run."""

SHARDINGS = ("none", "optimizer", "gradients", "parameters")
"""Sharding by ZeRO stage."""


@dataclass(frozen=True)
class Note:
    """Where a framework cannot say what the plan says.

    Parameters
    ----------
    knob : str
        One of :data:`KNOBS`, or ``model``, or empty for a remark on the whole.
    words : str
        What is written instead, and what is left to do.
    """

    knob: str
    words: str


@dataclass(frozen=True)
class Exported:
    """A plan in the words of a framework.

    Parameters
    ----------
    framework : str
        Its name in :data:`scalewall.planner.export.FRAMEWORKS`.
    text : str
        Arguments, overrides or a file.
    notes : tuple of Note
        What it cannot say.
    """

    framework: str
    text: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Imported:
    """What a framework's configuration says of a plan.

    Parameters
    ----------
    values : mapping of str to value
        By knob; what the configuration leaves open is not there.
    without_effect : tuple of str
        Keys that change nothing in an estimate.
    by_profile : tuple of str
        Keys whose subject the software profile decides.
    notes : tuple of str
        What was taken for the nearest thing that the planner knows.
    """

    values: Mapping[str, Any]
    without_effect: tuple[str, ...] = ()
    by_profile: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())


def whole(key: str, text: object) -> int:
    """Return the whole number that a key has.

    Raises
    ------
    InputError
        Anything else, or less than 1.
    """
    try:
        number = int(str(text))
    except ValueError:
        number = 0
    if isinstance(text, bool) or number < 1:
        raise InputError(key, text, "a whole number, at least 1", ["1"])
    return number


def count(key: str, text: object) -> int:
    """Return the whole number that a key has, which may be 0.

    Raises
    ------
    InputError
        Anything else, or less than 0.
    """
    return 0 if str(text) == "0" else whole(key, text)


def switch(key: str, value: object) -> bool:
    """Return what a key that is true or false is.

    Raises
    ------
    InputError
        Anything else.
    """
    if not isinstance(value, bool):
        raise InputError(key, value, "true or false", ["true", "false"])
    return value


def choice(key: str, given: object, choices: Mapping[str, Any]) -> Any:
    """Return what the word that a key has stands for.

    Raises
    ------
    InputError
        A word that is not among ``choices``.
    """
    if str(given) not in choices:
        raise unknown_name(key, str(given), choices)
    return choices[str(given)]


def known(where: str, key: str, keys: Collection[str]) -> None:
    """Refuse a key that a framework does not have.

    Raises
    ------
    InputError
        With the nearest ones.
    """
    if key not in keys:
        raise unknown_name(where, key, keys)


def check_shape(key: str, given: object, model: Transformer, expected: object) -> None:
    """Refuse a configuration that describes another model than the one asked about.

    Vocabularies may be padded by up to one part in a hundred.

    Raises
    ------
    InputError
        Naming the key and what the model has.
    """
    same = str(given).lower() == str(expected).lower()
    if not same and "vocab" in key:
        number = whole(key, given)
        same = isinstance(expected, int) and abs(number - expected) <= 0.01 * expected
    if not same:
        shown = str(expected).lower() if isinstance(expected, bool) else str(expected)
        raise InputError(key, given, f"{shown}, as {model.name} has", [shown])


def at_most_one(given: Collection[str], groups: Iterable[tuple[str, ...]]) -> None:
    """Refuse keys that exclude each other.

    Raises
    ------
    InputError
        Naming the second of a group.
    """
    for group in groups:
        both = [key for key in group if key in given]
        if len(both) > 1:
            raise InputError(both[1], "given too", f"one of {', '.join(both)}")


def idle_keys(given: Mapping[str, Any], needs: Mapping[str, tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """Return the given keys that mean nothing, since what they need is not there.

    Parameters
    ----------
    given : mapping of str to value
        The configuration.
    needs : mapping of str to (key, values)
        Which other key a key needs, and what that must be; no values: anything.
    """
    idle = []
    for key in given:
        needed, allowed = needs.get(key, ("", ()))
        if needed and (needed not in given or (allowed and str(given[needed]) not in allowed)):
            idle.append(key)
    return tuple(idle)


def recompute_values(recompute: str, modules: Iterable[str] = ()) -> dict[str, Any]:
    """Return the knobs of recomputation."""
    return {"recompute": recompute, "recompute_modules": tuple(modules)}
