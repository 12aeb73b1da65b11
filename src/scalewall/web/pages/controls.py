"""Controls of the pages that ask one question; each has the id ``{"ask": setting, "scale": number}``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc

from scalewall.hardware import machine_names, read_machine
from scalewall.hardware.fields import KIND_TITLES

__all__ = ["ask_choice", "ask_machines", "ask_number", "ask_text", "machine_choices"]

Part = Any


def _identity(setting: str, scale: float = 1) -> dict[str, object]:
    return {"ask": setting, "scale": scale}


def machine_choices(names: Sequence[str]) -> list[dict[str, object]]:
    """Return machines as the choices of a list, by kind."""
    groups: dict[str, list[dict[str, str]]] = {}
    for name in names:
        machine = read_machine(name)
        lacks = " (lacks figures)" if machine.missing else ""
        groups.setdefault(KIND_TITLES[machine.kind], []).append(
            {"value": name, "label": f"{machine.title}{lacks}"}
        )
    return [{"group": title, "items": groups[title]} for title in KIND_TITLES.values() if title in groups]


def ask_machines(values: Mapping[str, object], most: int, kinds: Sequence[str]) -> Part:
    """Return the list of machines; several may be chosen, the first is looked at closely."""
    machines = values["machine"]
    assert isinstance(machines, tuple)
    names = [name for name in machine_names() if read_machine(name).kind in kinds or name in machines]
    return dmc.MultiSelect(
        label=f"Machines (up to {most})",
        data=machine_choices(names),
        value=list(machines),
        id=_identity("machine"),
        searchable=True,
        maxValues=most,
        clearable=False,
        hidePickedOptions=True,
    )


def ask_choice(
    values: Mapping[str, object],
    setting: str,
    label: str,
    choices: Sequence[tuple[str, str]],
    about: str = "",
) -> Part:
    """Return a list to choose one of; each choice is the link's text and what it says."""
    value = values[setting]
    shown = ("yes" if value else "no") if isinstance(value, bool) else str("" if value is None else value)
    known = {text for text, _ in choices}
    data = [{"value": text, "label": words} for text, words in choices]
    if shown not in known:
        data.append({"value": shown, "label": shown})
    return dmc.Select(
        label=label,
        data=data,
        value=shown,
        id=_identity(setting),
        allowDeselect=False,
        searchable=len(choices) > 12,
        description=about or None,
        nothingFoundMessage="Nothing of that name",
    )


def ask_number(
    values: Mapping[str, object],
    setting: str,
    label: str,
    scale: float = 1,
    step: float = 1,
    empty: str = "",
    grouped: bool = True,
) -> Part:
    """Return a number; what it shows times ``scale`` is the link's.

    ``empty`` says what an empty one means; thousands are set apart where it is ``grouped``, as a year is not.
    """
    value = values[setting]
    return dmc.NumberInput(
        label=label,
        value=float(value) / scale if isinstance(value, (int, float)) else "",
        id=_identity(setting, scale),
        min=0,
        step=step,
        hideControls=True,
        debounce=400,
        thousandSeparator="," if grouped else False,
        placeholder=empty,
    )


def ask_text(
    values: Mapping[str, object], setting: str, label: str, about: str = "", empty: str = ""
) -> Part:
    """Return a field for text."""
    return dmc.TextInput(
        label=label,
        value=str(values[setting] or ""),
        id=_identity(setting),
        debounce=500,
        description=about or None,
        placeholder=empty,
    )
