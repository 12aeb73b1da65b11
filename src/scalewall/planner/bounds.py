"""What a layout may be: knobs fixed or bounded by the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import get_args

from scalewall.errors import InputError, unknown_name
from scalewall.planner.layout import MOST, SCHEDULES, Recompute, Sharding

__all__ = ["KNOBS", "Bound", "allows", "is_bounded", "parse_bound"]

NUMBERS = ("tp", "cp", "pp", "dp", "ep", "etp", "chunks", "microbatch", "shard_ranks")
WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"schedule": SCHEDULES, "sharding": get_args(Sharding), "recompute": get_args(Recompute)}
)
KNOBS = (*NUMBERS, *WORDS)
"""What can be bounded."""


@dataclass(frozen=True)
class Bound:
    """What one knob of the layout may be: whole numbers from ``low`` to ``high``, or one of ``choices``.

    Parameters
    ----------
    name : str
        One of :data:`KNOBS`.
    low, high : int
        For numbers.
    choices : tuple of str or int
        The only values allowed; empty: no such list.
    """

    name: str
    low: int = 0
    high: int = MOST
    choices: tuple[str | int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse unknown knobs and values that a knob cannot have."""
        if self.name not in KNOBS:
            raise unknown_name("--bound", self.name, KNOBS)
        for choice in self.choices:
            if self.name in WORDS and choice not in WORDS[self.name]:
                raise unknown_name(f"--bound {self.name}", str(choice), WORDS[self.name])
        if not self.choices and self.name in WORDS:
            raise InputError(f"--bound {self.name}", f"{self.low}:{self.high}", ", ".join(WORDS[self.name]))
        if self.low > self.high:
            raise InputError(f"--bound {self.name}", f"{self.low}:{self.high}", "LOW:HIGH, low end first")

    def allows(self, value: str | int) -> bool:
        """Whether the knob may be ``value``."""
        if self.choices:
            return value in self.choices
        return self.low <= int(value) <= self.high

    def __str__(self) -> str:
        """As it is written: ``tp=8``, ``pp=1:8``, ``recompute=none,full``."""
        if self.choices:
            return f"{self.name}={','.join(map(str, self.choices))}"
        low = str(self.low) if self.low else ""
        high = str(self.high) if self.high < MOST else ""
        return f"{self.name}={low}:{high}"


def parse_bound(text: str) -> Bound:
    """Return ``NAME=VALUE``, ``NAME=A,B``, ``NAME=LOW:HIGH``, ``NAME=:HIGH`` or ``NAME=LOW:`` as a bound.

    Raises
    ------
    InputError
        Text of another form, an unknown knob, or a value that the knob cannot have.
    """
    name, equals, given = (part.strip() for part in text.partition("="))
    if not equals or not given:
        allowed = "NAME=VALUE, NAME=A,B or NAME=LOW:HIGH, such as tp=8, pp=:16 or recompute=none,full"
        raise InputError("--bound", text, allowed)
    if name not in KNOBS:
        raise unknown_name("--bound", name, KNOBS)
    if name in WORDS:
        return Bound(name, choices=tuple(word.strip() for word in given.split(",")))
    low, colon, high = (part.strip() for part in given.partition(":"))
    try:
        if colon:
            return Bound(name, int(low) if low else 0, int(high) if high else MOST)
        return Bound(name, choices=tuple(int(number) for number in given.split(",")))
    except ValueError:
        raise InputError(f"--bound {name}", given, "whole numbers: 8, or 2,4, or 1:8", ["8"]) from None


def allows(bounds: Iterable[Bound], name: str, value: str | int) -> bool:
    """Whether every bound of the knob called ``name`` allows ``value``."""
    return all(bound.allows(value) for bound in bounds if bound.name == name)


def is_bounded(bounds: Iterable[Bound], name: str) -> bool:
    """Whether there is a bound on the knob called ``name``."""
    return any(bound.name == name for bound in bounds)
