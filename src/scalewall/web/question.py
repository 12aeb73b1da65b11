"""What a configuration asks: the same study that the command line builds, with the machine files that it needs."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from scalewall.errors import InputError, unknown_name
from scalewall.hardware import figure_paths, machine_names, read_machine
from scalewall.hardware.machine_file import SCHEMA_VERSION
from scalewall.ideal.study import LimitsStudy
from scalewall.web.own_files import own_files
from scalewall.web.settings import SETTINGS
from scalewall.web.state import Card

__all__ = ["asked", "factor_paths", "machine_files", "study_settings", "uploaded_name"]

_CENTRES = "data-centres"
_NAME = re.compile("[a-z0-9][a-z0-9.-]{0,59}")
"""A machine file's ``name``, and never too long for the name of a file."""
_LONGEST_TITLE = 100
_FACTORS: Mapping[str, tuple[str, ...]] = {
    "network_bandwidth": (
        "network.*.bandwidth",
        "network.*.all_to_all_bandwidth",
        "network.*.pair_bandwidth",
    ),
    "memory_bandwidth": ("memory.*.bandwidth", "memory.*.bytes_per_clock"),
    "latency": ("network.*.latency", "accelerator.kernel_latency"),
}
"""Which figures each of the page's factors multiplies."""


@contextmanager
def asked(card: Card, search: str | None = None) -> Iterator[LimitsStudy]:
    """Yield the study of a configuration; the machine files that it needs exist as long.

    Parameters
    ----------
    card : Card
        The configuration.
    search : str, optional
        Another search than the configuration's own.

    Raises
    ------
    InputError
        Naming the setting, its value and what is allowed.
    """
    files = machine_files(card)
    with own_files(files) as folder:
        machine = str(folder / list(files)[-1]) if files else str(card["machine"])
        settings = study_settings(card, machine)
        if search:
            settings["search"] = search
        study = LimitsStudy(machines=(machine,), **settings)  # type: ignore[arg-type]
        yield study


def study_settings(card: Card, machine: str) -> dict[str, object]:
    """Return the fields of the study but for the machine, as keyword arguments.

    Parameters
    ----------
    card : Card
        The configuration.
    machine : str
        Name or path of the machine, whose figures the page's factors multiply.
    """
    settings = {name: value for name, value in card.settings.items() if SETTINGS[name].of_study}
    overrides = _multiplied(card, machine)
    if overrides:
        settings["overrides"] = overrides
    count, size = card["centre_count"], card["centre_size"]
    if isinstance(count, int) and isinstance(size, int):
        bounds = card["bounds"]
        assert isinstance(bounds, Mapping)
        settings["bounds"] = {"n_gpu": (1, count * size), **bounds}
    return settings


def factor_paths(factor: str, machine: str) -> list[str]:
    """Return the figures of a machine that one of the page's factors multiplies."""
    wanted = _FACTORS[factor]
    return [path for path, figure in figure_paths(machine).items() if figure and _pattern(path) in wanted]


def _pattern(path: str) -> str:
    return ".".join("*" if part.isdigit() else part for part in path.split("."))


def _multiplied(card: Card, machine: str) -> dict[str, float]:
    """Return the figures that differ from the machine's own: the user's, then times the page's factors."""
    own = card["overrides"]
    assert isinstance(own, Mapping)
    found: dict[str, float] = dict(own)
    figures = read_machine(machine).figures
    for factor in _FACTORS:
        times = card[factor]
        assert isinstance(times, float)
        if times != 1.0:
            for path in factor_paths(factor, machine):
                value = found.get(path, figures[path].value)
                if math.isfinite(value):
                    found[path] = value * times
    return found


def uploaded_name(text: str) -> str:
    """Return the name of the machine in an uploaded file.

    Raises
    ------
    InputError
        The file is no TOML, has no usable name or title, or builds on anything but a machine of the catalogue.
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InputError("machine file", text[:40], f"a TOML file ({error})") from error
    base = document.get("base")
    if base is not None and base not in machine_names():
        raise unknown_name("machine file: base", str(base), machine_names())
    name, title = document.get("name"), document.get("title")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name == _CENTRES:
        allowed = "1 to 60 lower-case letters, digits, '-' and '.', with a letter or digit first"
        raise InputError("machine file: name", str(name)[:80], f"{allowed}, other than {_CENTRES}")
    if isinstance(title, str) and not (title.isprintable() and len(title) <= _LONGEST_TITLE):
        allowed = f"one line of at most {_LONGEST_TITLE} printable characters"
        raise InputError("machine file: title", title[:80], allowed)
    return name


def machine_files(card: Card) -> dict[str, str]:
    """Return the machine files that a configuration needs, by file name; the last is the machine itself."""
    files: dict[str, str] = {}
    machine = str(card["machine"])
    if card["file"]:
        machine = uploaded_name(str(card["file"]))
        files[f"{machine}.toml"] = str(card["file"])
    if card["centre_size"] is not None:
        with own_files(files) as folder:
            path = str(folder / f"{machine}.toml") if files else machine
            files[f"{_CENTRES}.toml"] = _centres(card, machine, path)
    return files


def _centres(card: Card, base: str, path: str) -> str:
    """Return a machine file that puts ``base`` into data centres: one more network level."""
    machine = read_machine(path)
    levels = machine.levels("network")
    inner = math.prod(int(machine.figures[f"network.{level}.size"].value) for level in levels[:-1])
    size = int(str(card["centre_size"]))
    if size < inner or size % inner:
        nearby = max(1, round(size / inner)) * inner
        raise InputError(
            "data centre",
            size,
            f"a multiple of {inner:,} accelerators, a whole number of domains",
            [f"{nearby}"],
        )
    title = json.dumps(f"{machine.title} in data centres of {size:,}", ensure_ascii=False)
    set_here = 'evidence = "assumed", note = "set by the user of the page"'
    return (
        f'schema = {SCHEMA_VERSION}\nname = "{_CENTRES}"\ntitle = {title}\n'
        f'kind = "user"\nbase = "{base}"\n\n'
        f"[network.{levels[-1]}]\nsize = {{ value = {size // inner}, {set_here} }}\n\n"
        f'[network.{len(levels)}]\nname = "between data centres"\ntopology = "mesh"\n'
        f"bandwidth = {{ value = {card['centre_bandwidth']!r}, {set_here} }}\n"
        f"latency = {{ value = {card['centre_latency']!r}, {set_here} }}\n"
    )
