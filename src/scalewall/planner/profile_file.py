"""Write profiles as the file that they are read from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

from scalewall.planner.profile import Profile

__all__ = ["profiles_text"]

_HEAD = """\
# Profiles: frameworks at a time. Switches say how the software works; `fitted` are the few constants that
# `scalewall validate --refit` fits to published runs, `chosen` those that are set by hand; `fit` says when, on how many
# runs, with what error, and how far off the profile is where a run's source is left out.
"""
_APART = ("name", "fitted", "chosen", "constants", "fit")
_DIGITS = 4


def profiles_text(profiles: Iterable[Profile]) -> str:
    """Return the text of a file of profiles.

    Parameters
    ----------
    profiles : iterable of Profile
        In order.
    """
    return _HEAD + "".join(_table(profile) for profile in profiles)


def _table(profile: Profile) -> str:
    lines = [f"\n[{profile.name}]"]
    for part in fields(profile):
        if part.name not in _APART:
            lines.append(f"{part.name} = {_value(getattr(profile, part.name))}")
    lines.append(f"fitted = {_value({name: profile[name] for name in profile.fitted})}")
    lines.append(f"chosen = {_value(dict(profile.chosen))}")
    lines.append(f"fit = {_value(asdict(profile.fit))}")
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float):
        text = f"{value:.{_DIGITS}g}"
        return text if "." in text or "e" in text else f"{text}.0"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        inside = ", ".join(f"{key} = {_value(one)}" for key, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return f"[{', '.join(_value(one) for one in value)}]"
