"""What gives the same numbers away from the page: commands and a Python script, by the names that users write."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence

from scalewall.web.own_files import here_document, own_files
from scalewall.web.question import machine_files, study_settings
from scalewall.web.state import Card

__all__ = ["command_text", "python_text"]

_PAIRED = ("reference", "rounding", "overlap_tensor", "overlap_point_to_point", "overlap_data")
"""Switches that the command line has in two forms."""


def command_text(cards: Sequence[Card]) -> str:
    """Return shell commands that print the limits of configurations as JSON.

    Raises
    ------
    InputError
        A configuration that cannot be used.
    """
    blocks = []
    for card in cards:
        files, machine, settings = _question(card)
        written = "".join(here_document(name, text) for name, text in files.items())
        options = [option for name, value in settings.items() for option in _options(name, value)]
        command = shlex.join(["scalewall", "limits", "--machine", machine, *options, "--json"])
        blocks.append(f"# {card.name}\n{written}{command}")
    return "\n\n".join(blocks) + "\n"


def python_text(cards: Sequence[Card]) -> str:
    """Return a Python script that computes the limits of configurations and prints them.

    Raises
    ------
    InputError
        A configuration that cannot be used.
    """
    heads = ["import scalewall as sw"]
    files: dict[str, str] = {}
    calls: list[str] = []
    for card in cards:
        own, machine, settings = _question(card, f"{len(calls) + 1}-")
        files |= own
        arguments = [repr(machine), *(f"{name}={_literal(value)}" for name, value in settings.items())]
        calls.append(f"    {card.name!r}: sw.limits({', '.join(arguments)}),")
    if files:
        heads.insert(0, "from pathlib import Path\n")
    written = [f"Path({name!r}).write_text({text!r}, encoding='utf-8')" for name, text in files.items()]
    return "\n".join(
        [
            *heads,
            "",
            *written,
            *([""] if written else []),
            "limits = {",
            *calls,
            "}",
            "for name, one in limits.items():",
            "    print(name, one.linear_scaling.first_failure_flop, one.largest_feasible_flop)",
            "",
        ]
    )


def _question(card: Card, prefix: str = "") -> tuple[Mapping[str, str], str, dict[str, object]]:
    """Return the machine files, the machine's name or file, and the study's settings of a configuration."""
    files = machine_files(card)
    if not files:
        machine = str(card["machine"])
        return {}, machine, study_settings(card, machine)
    last = list(files)[-1]
    with own_files(files) as folder:
        settings = study_settings(card, str(folder / last))
    if len(files) == 1 and prefix:
        return {f"{prefix}{last}": files[last]}, f"{prefix}{last}", settings
    return files, last, settings


def _options(name: str, value: object) -> list[str]:
    """Return a setting as the options of ``scalewall limits``."""
    flag = f"--{name.replace('_', '-')}"
    if name == "overrides":
        assert isinstance(value, Mapping)
        return [part for path, number in value.items() for part in ("--set", f"{path}={number!r}")]
    if name == "bounds":
        assert isinstance(value, Mapping)
        return [part for bound, (low, high) in value.items() for part in ("--bound", f"{bound}={low}:{high}")]
    if name == "grid":
        assert isinstance(value, tuple)
        return [flag, ",".join(f"{number!r}" for number in value)]
    if isinstance(value, bool):
        negative = f"--no-{name.replace('_', '-')}"
        return [flag if value else negative] if name in _PAIRED or value else []
    return [flag, str(value)]


def _literal(value: object) -> str:
    """Return a value as Python source."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_literal(inner)}" for key, inner in value.items()) + "}"
    return "float('inf')" if value == math.inf else repr(value)
