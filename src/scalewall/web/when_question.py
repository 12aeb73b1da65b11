"""What the When page asks: its settings, and the same study that ``scalewall forecast`` builds of them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from scalewall.errors import InputError
from scalewall.ideal.study import LimitsStudy
from scalewall.study.forecast_machines import catalogue_progress
from scalewall.study.forecast_question import MOST_GENERATIONS, ForecastStudy, read_start
from scalewall.study.growth import read_growth
from scalewall.web.settings import SETTINGS, Setting, machine_name, number, whole, write_number

__all__ = ["MOST_MACHINES", "WHEN_SETTINGS", "forecast_study", "when_command"]

MOST_MACHINES = 3
_LONGEST = 40
_FIT_SINCE = (2010.0, 2024.0)
_RATES = ("compute", "memory_bandwidth", "fast_network", "slow_network", "latency")


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
        **{
            name: SETTINGS[name]
            for name in (
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
        },
    }
)
"""The page's settings by the names that links use: options of ``scalewall forecast``."""

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


def forecast_study(values: Mapping[str, object]) -> ForecastStudy:
    """Return the study that the settings describe.

    Raises
    ------
    InputError
        Naming the setting, its value and what is allowed.
    """
    limits = {name: values[name] for name in _OF_LIMITS if values[name] is not None}
    growth = read_growth(str(values["growth"]), _real(values, "since"))
    rates = {name: _real(values, name) for name in _RATES if values[name] is not None}
    progress = catalogue_progress().with_rates(rates)
    if values["generation_years"] is not None:
        progress = replace(progress, generation_years=_real(values, "generation_years"))
    generations = values["generations"]
    assert isinstance(generations, int)
    return ForecastStudy(
        limits=LimitsStudy(machines=_names(values), **limits),  # type: ignore[arg-type]
        growth=growth,
        start=read_start(str(values["start"]), growth, _real(values, "start_spread")),
        progress=progress,
        generations=generations,
        lag_years=_real(values, "lag"),
    )


def _real(values: Mapping[str, object], name: str) -> float:
    value = values[name]
    assert isinstance(value, (int, float))
    return float(value)


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
