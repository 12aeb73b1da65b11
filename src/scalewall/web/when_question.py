"""What the When page asks: its settings, and the same study that ``scalewall forecast`` builds of them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from scalewall.errors import InputError
from scalewall.ideal.study import LimitsStudy
from scalewall.study.forecast_question import MOST_GENERATIONS, ForecastStudy, forecast_question, read_start
from scalewall.study.growth import read_growth
from scalewall.web.settings import SETTINGS, Setting, machine_name, number, whole, write_number

__all__ = ["MOST_MACHINES", "WHEN_SETTINGS", "forecast_study", "when_command", "when_python"]

MOST_MACHINES = 3
_LONGEST = 40
_FIT_SINCE = (2010.0, 2024.0)
_RATES = ("compute", "memory_bandwidth", "fast_network", "slow_network", "latency")

_OF_LIMITS = (
    "model",
    "months",
    "search",
    "batch_law",
    "depth_law",
    "data_law",
    "precision",
    "threshold",
    "reference",
)


def _machines(field: str, text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",")))
    if len(names) > MOST_MACHINES:
        raise InputError(field, text[:_LONGEST], f"at most {MOST_MACHINES} machines")
    return tuple(machine_name(field, name) for name in names)


def _write_machines(value: object) -> str:
    assert isinstance(value, tuple)
    return ",".join(value)


def _growth(field: str, text: str) -> str:
    """Read how the frontier grows; the study reads it again."""
    if len(text) > _LONGEST:
        raise InputError(field, text[:_LONGEST], "fit, article, or times a year: 4.5 or 4:5")
    read_growth(text)
    return text


def _start(field: str, text: str) -> str:
    """Read where the frontier stands; the study reads it again."""
    if len(text) > _LONGEST:
        raise InputError(field, text[:_LONGEST], "largest, trend, article, or FLOP@DATE such as 5e26@2025-07")
    read_start(text, read_growth("fit"))
    return text


WHEN_SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "machine": Setting(_machines, _write_machines, ("h100",)),
        "growth": Setting(_growth, str, "fit"),
        "start": Setting(_start, str, "largest"),
        "start_spread": Setting(number(1, 100, "(a factor; 1: certain)"), write_number, 1.5),
        "since": Setting(number(*_FIT_SINCE, "(a year)"), write_number, 2018.0),
        "generations": Setting(whole(0, MOST_GENERATIONS, "successors"), write_number, MOST_GENERATIONS),
        "lag": Setting(number(0, 20, "years"), write_number, 1.25),
        "generation_years": Setting(number(0.25, 20, "years"), write_number),
        **{rate: Setting(number(0.1, 10, "times a year"), write_number) for rate in _RATES},
        **{name: SETTINGS[name] for name in _OF_LIMITS},
    }
)
"""The page's settings by the names that links use: options of ``scalewall forecast``."""


def forecast_study(values: Mapping[str, object]) -> ForecastStudy:
    """Return the study that the settings describe.

    Raises
    ------
    InputError
        Naming the setting, its value and what is allowed.
    """
    limits, growing = _arguments(values)
    return forecast_question(LimitsStudy(**limits), **growing)


def _arguments(values: Mapping[str, object]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what differs from the defaults: fields of the study of limits, and arguments of the forecast."""
    given = {
        name: values[name]
        for name, setting in WHEN_SETTINGS.items()
        if values[name] is not None and values[name] != setting.default
    }
    limits = {name: value for name, value in given.items() if name in _OF_LIMITS}
    rates = {name: value for name, value in given.items() if name in _RATES}
    growing = {
        "lag_years" if name == "lag" else name: value
        for name, value in given.items()
        if name not in (*limits, *rates, "machine")
    }
    return {"machines": _names(values), **limits}, growing | ({"rates": rates} if rates else {})


def _names(values: Mapping[str, object]) -> tuple[str, ...]:
    machines = values["machine"]
    assert isinstance(machines, tuple)
    return machines


def when_command(values: Mapping[str, object]) -> str:
    """Return the shell command that prints the page's numbers as JSON."""
    options = [part for name in _names(values) for part in ("--machine", name)]
    for name, setting in WHEN_SETTINGS.items():
        value = values[name]
        if name == "machine" or value is None or value == setting.default:
            continue
        text = setting.write(value)
        if name in _RATES:
            options += ["--rate", f"{name}={text}"]
        elif name == "reference":
            options.append("--reference")
        else:
            options += [f"--{name.replace('_', '-')}", text]
    return f"{shlex.join(['scalewall', 'forecast', *options, '--json'])}\n"


def when_python(values: Mapping[str, object]) -> str:
    """Return a Python script that computes the page's numbers and prints the dates."""
    limits, growing = _arguments(values)
    study = f"sw.LimitsStudy({', '.join(f'{name}={value!r}' for name, value in limits.items())})"
    settings = [f", {name}={value!r}" for name, value in growing.items()]
    return f"import scalewall as sw\n\nfound = sw.forecast({study}{''.join(settings)})\nprint(found)\n"
