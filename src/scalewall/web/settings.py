"""The settings that a link can carry: how each is written in it, and what is accepted.

Everything here comes from outside. A reader takes text and returns a plain value or raises InputError; whether the
value makes sense together with the others is for :class:`scalewall.ideal.study.LimitsStudy` to say.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from scalewall.errors import InputError, unknown_name
from scalewall.hardware import machine_names
from scalewall.hardware.fields import PRECISIONS
from scalewall.workload.laws import FAMILIES

__all__ = [
    "MOST_FILE_BYTES",
    "SETTINGS",
    "Setting",
    "choice",
    "machine_name",
    "number",
    "packed",
    "switch",
    "unpacked",
    "whole",
    "write_file",
    "write_number",
    "write_switch",
]

MOST_FILE_BYTES = 20_000
"""Of an uploaded file; the catalogue's longest machine has 6,000."""
_LONGEST_NAME = 40
_MOST_PAIRS = 40
_MOST_ODD = 63
_INFINITE = "inf"


@dataclass(frozen=True)
class Setting:
    """How one setting is read from a link and written to it.

    Parameters
    ----------
    read : callable
        Takes the field's name and text; returns the value or raises InputError.
    write : callable
        The inverse, to text.
    default : object
        What holds where the link says nothing, in every version of the link.
    of_study : bool
        Whether it is a field of :class:`scalewall.ideal.study.LimitsStudy`; the others are the page's own.
    """

    read: Callable[[str, str], object]
    write: Callable[[object], str] = str
    default: object = None
    of_study: bool = True


def number(low: float, high: float, unit: str) -> Callable[[str, str], float]:
    """Return what reads a number in a range."""

    def read(field: str, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise InputError(field, text, f"a number from {low:g} to {high:g} {unit}".rstrip())
        return value

    return read


def whole(low: int, high: int, unit: str) -> Callable[[str, str], int]:
    """Return what reads a whole number in a range."""
    read_number = number(low, high, unit)

    def read(field: str, text: str) -> int:
        value = read_number(field, text)
        if value != int(value):
            raise InputError(field, text, f"a whole number from {low:,} to {high:,} {unit}".rstrip())
        return int(value)

    return read


def choice(*choices: str) -> Callable[[str, str], str]:
    """Return what reads one of some words."""

    def read(field: str, text: str) -> str:
        if text not in choices:
            raise unknown_name(field, text, choices)
        return text

    return read


def _law(family: str) -> Callable[[str, str], str]:
    return choice(*(name for law in FAMILIES[family].values() for name in (law.name, *law.aliases)))


def switch(field: str, text: str) -> bool:
    """Read yes or no."""
    if text not in ("yes", "no"):
        raise InputError(field, text, "yes or no")
    return text == "yes"


def write_switch(value: object) -> str:
    """Write yes or no."""
    return "yes" if value else "no"


def write_number(value: object) -> str:
    """Write a number so that it is read again exactly."""
    assert isinstance(value, (int, float))
    return str(value) if isinstance(value, int) else repr(value).removesuffix(".0")


def _name(field: str, text: str) -> str:
    """Return a name for people, on one line."""
    name = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if not 1 <= len(name) <= _LONGEST_NAME or "<" in name or ">" in name:
        raise InputError(field, text, f"a name of 1 to {_LONGEST_NAME} characters without < and >")
    return name


def machine_name(field: str, text: str) -> str:
    """Return a machine of the catalogue: never a path."""
    if text not in machine_names():
        raise unknown_name(field, text, machine_names())
    return text


def _grid(field: str, text: str) -> tuple[int, float, float]:
    parts = text.split(",")
    if len(parts) != 3:
        raise InputError(field, text, "three numbers F,MIN,MAX", ["15,12288,1572864"])
    low, high = (number(2048, 1e9, "(d_model)")(field, part) for part in parts[1:])
    return whole(1, _MOST_ODD, "(largest odd factor)")(field, parts[0]), low, high


def _write_grid(value: object) -> str:
    assert isinstance(value, tuple)
    return ",".join(map(write_number, value))


def _pairs(field: str, text: str) -> list[tuple[str, str]]:
    """Read ``name:value,name:value``."""
    pairs = [part.partition(":") for part in text.split(",")]
    if len(pairs) > _MOST_PAIRS or not all(name and colon and value for name, colon, value in pairs):
        raise InputError(field, text, f"at most {_MOST_PAIRS} of NAME:VALUE, separated by commas")
    return [(name, value) for name, _, value in pairs]


def _figures(field: str, text: str) -> Mapping[str, float]:
    """Read machine figures; whether the machine has them is for the machine to say."""
    found = {}
    for path, value in _pairs(field, text):
        if value == _INFINITE:
            found[path] = math.inf
        else:
            found[path] = number(0.0, 1e30, "(SI units)")(f"{field} {path}", value)
    return MappingProxyType(found)


def _write_figures(value: object) -> str:
    assert isinstance(value, Mapping)
    return ",".join(f"{path}:{write_number(number)}" for path, number in value.items())


def _bounds(field: str, text: str) -> Mapping[str, tuple[int, int]]:
    found = {}
    read = whole(1, 10**15, "")
    for name, value in _pairs(field, text):
        low, dash, high = value.partition("-")
        found[name] = (read(f"{field} {name}", low), read(f"{field} {name}", high if dash else low))
    return MappingProxyType(found)


def _write_bounds(value: object) -> str:
    assert isinstance(value, Mapping)
    return ",".join(f"{name}:{low}-{high}" for name, (low, high) in value.items())


def packed(text: str) -> str:
    """Return a file's text in the letters that a link may hold."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpacked(field: str, text: str) -> str:
    """Return the file's text that :func:`packed` wrote, never more than ``MOST_FILE_BYTES``."""
    allowed = f"a file of at most {MOST_FILE_BYTES:,} bytes, as this page packs it"
    try:
        inflate = zlib.decompressobj()
        content = inflate.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), MOST_FILE_BYTES)
        if inflate.unconsumed_tail or not inflate.eof:
            raise InputError(field, text[:20], allowed)
        return content.decode()
    except (ValueError, zlib.error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(field, text[:20], allowed) from error


def write_file(value: object) -> str:
    """Write a file's text, packed."""
    assert isinstance(value, str)
    return packed(value)


def _option(low: float, high: float, unit: str) -> Setting:
    return Setting(number(low, high, unit), write_number)


_FACTOR = Setting(number(1e-4, 1e4, "times"), write_number, 1.0, of_study=False)

SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "name": Setting(_name, str, "", of_study=False),
        "machine": Setting(machine_name, str, "h100", of_study=False),
        "colour": Setting(whole(0, 6, ""), str, 0, of_study=False),
        "hidden": Setting(switch, write_switch, False, of_study=False),
        "file": Setting(unpacked, write_file, "", of_study=False),
        "network_bandwidth": _FACTOR,
        "memory_bandwidth": _FACTOR,
        "latency": _FACTOR,
        "centre_size": Setting(whole(1, 10**9, "accelerators"), write_number, None, of_study=False),
        "centre_count": Setting(whole(1, 10**6, "data centres"), write_number, None, of_study=False),
        "centre_bandwidth": Setting(number(1e3, 1e18, "bytes/s"), write_number, 4.7e9, of_study=False),
        "centre_latency": Setting(number(1e-9, 1, "s"), write_number, 2.5e-3, of_study=False),
        "reference": Setting(switch, write_switch, False),
        "precision": Setting(
            lambda field, text: int(choice(*map(str, PRECISIONS))(field, text)), write_number, 16
        ),
        "overrides": Setting(_figures, _write_figures, MappingProxyType({})),
        "model": Setting(choice("dense", "sparse"), str, "dense"),
        "sparsity": Setting(whole(1, 10**6, "experts"), write_number),
        "months": Setting(number(1e-3, 1200, "months"), write_number),
        "threshold": Setting(number(1e-3, 1, "of the sustained utilization"), write_number, 0.8),
        "depth_law": Setting(_law("depth"), str, "published"),
        "width_law": Setting(_law("width"), str, "4x"),
        "data_law": Setting(_law("data"), str, "chinchilla-20"),
        "batch_law": Setting(_law("batch"), str, "critical"),
        "layers": Setting(whole(1, 10**6, "layers"), write_number),
        "depth_anchor_layers": _option(1, 1e6, "layers"),
        "depth_exponent": _option(0, 1, "(power of d_model * d_ff)"),
        "depth_factor": Setting(number(1e-3, 1e4, "times the depth law's layers"), write_number, 1.0),
        "width_ratio": _option(0.01, 100, "d_ff per d_model"),
        "tokens_per_parameter": _option(1e-3, 1e6, "tokens a parameter"),
        "data_factor": Setting(number(1e-3, 1e4, "times the data law's tokens"), write_number, 1.0),
        "batch_tokens": _option(2048, 1e15, "tokens a batch"),
        "batch_anchor_tokens": _option(1, 1e15, "tokens a batch"),
        "batch_anchor_flop": _option(1e6, 1e40, "FLOP"),
        "batch_exponent": _option(0, 1, "(power of training compute)"),
        "batch_factor": Setting(number(1e-3, 1e4, "times the batch law's tokens"), write_number, 1.0),
        "rounding": Setting(switch, write_switch, True),
        "search": Setting(choice("full", "reference"), str),
        "bounds": Setting(_bounds, _write_bounds, MappingProxyType({})),
        "tensor_levels": Setting(whole(1, 8, "network levels"), write_number),
        "schedule": Setting(choice("any", "1f1b", "zero-bubble"), str, "any"),
        "classic_order": Setting(switch, write_switch, False),
        "domain_filling": Setting(choice("partial", "exact"), str),
        "overlap_tensor": Setting(switch, write_switch, True),
        "overlap_point_to_point": Setting(switch, write_switch, True),
        "overlap_data": Setting(switch, write_switch, False),
        "zero_bubble_latency": Setting(choice("max", "free"), str),
        "latency_model": Setting(choice("constant", "tree"), str, "constant"),
        "sync_steps": Setting(whole(1, 10**6, "steps"), write_number, 1),
        "sync_bits": Setting(whole(1, 64, "bits"), write_number),
        "optimizer_compute": Setting(number(0, 1e3, "times a step's matmuls"), write_number, 0.0),
        "optimizer_words": Setting(number(0, 1e3, "words a parameter"), write_number, 4.0),
        "failures": Setting(number(0, 1e3, "an accelerator and hour"), write_number, 0.0),
        "checkpoint_seconds": Setting(number(0, 1e6, "s"), write_number, 30.0),
        "restart_seconds": Setting(number(0, 1e6, "s"), write_number, 600.0),
        "regroup_seconds": Setting(number(0, 1e6, "s"), write_number, 180.0),
        "recovery": Setting(choice("job", "replica"), str, "job"),
        "grid": Setting(_grid, _write_grid, (15, 12288, 128 * 12288)),
    }
)
"""Every setting of a configuration, by the name that the link uses, in the order in which links list them."""
