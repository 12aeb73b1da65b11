"""Profiles: the software of a time, as a few switches and a few fitted constants, kept as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from scalewall.errors import unknown_name
from scalewall.planner.constants import value

__all__ = ["FITTED", "Fit", "Profile", "load_profile", "nearest_profile", "profile_names", "with_constants"]


@dataclass(frozen=True)
class Range:
    """What a constant of profiles may be: ``low`` to ``high``, usually ``usual``, in steps of about ``unit``."""

    low: float
    high: float
    usual: float
    unit: float = 1.0


FITTED: Mapping[str, Range] = MappingProxyType(
    {
        "compute": Range(0.95, 1.6, 1.1),
        "elementwise": Range(0.3, 6.0, 1.2),
        "tensor": Range(0.0, 2.0, 0.8),
        "data": Range(0.0, 8.0, 1.0),
        "host": Range(0.0, 0.05, 0.002, 0.01),
        "expert_host": Range(0.0, 0.05, 0.008, 0.01),
        "exchange": Range(0.0, 4.0, 1.0),
        "context": Range(0.0, 4.0, 1.0),
        "contention": Range(0.0, 1.5, 0.15),
        "bubble": Range(0.5, 2.0, 1.0),
    }
)
"""Constants that a profile may have fitted."""


@dataclass(frozen=True)
class Fit:
    """How a profile's constants were fitted, and how far off it is.

    Parameters
    ----------
    date : str
        When.
    rows : int
        Published runs used.
    median_error : float
        Of the step time over those runs, absolute, relative.
    dense_p90, experts_p90 : float
        90th percentile of the absolute error when a run's source is left out, dense and with experts; 0 if no run
        is of that kind.
    machines : tuple of str
        Machines of those runs.
    most_ranks : int
        Accelerators of the largest.
    """

    date: str
    rows: int
    median_error: float
    dense_p90: float = 0.0
    experts_p90: float = 0.0
    machines: tuple[str, ...] = ()
    most_ranks: int = 0


@dataclass(frozen=True)
class Profile:
    """A framework at a time.

    Parameters
    ----------
    name, title : str
        In files and for people.
    frameworks : tuple of str
        Words that a framework's name must hold to match.
    first, last : str
        Releases it stands for, as dates ``YYYY-MM``.
    nearest : str
        Profile whose constants stand in where this one has no rows to be fitted on.
    attention : str
        Kind of attention kernel.
    gradient_bytes, gather_bytes : float
        Of an element of the gradient when reduced, and of a weight when gathered.
    full_reduce : bool
        Whether gradients are all-reduced even where each rank updates only its share of the weights.
    calls_per_layer : float
        Collective calls a layer for gradients, and as many for weights.
    overlap_reduce, overlap_gather : bool
        Whether gradients, and updated weights, travel beside compute.
    accumulate_bytes : float
        Bytes moved for each parameter and microbatch to add up gradients, outside the matmul.
    ports : float
        Share of the network ports that collectives use.
    overlap_sends : bool
        Whether pipeline sends travel beside compute.
    permute_bytes : float
        Bytes moved for each element of a routed token, forward.
    loss_bytes : float
        Bytes moved for each logit by the loss, forward and backward.
    logit_bytes : float
        Bytes held for each logit at the peak.
    dropout : bool
        Whether masks of dropout are kept.
    keeps_gathered : bool
        Whether the inputs that tensor-parallel matmuls gather are kept whole for the backward pass.
    low_inputs : bool
        Whether inputs of matmuls are kept in the low precision, for the backward pass.
    state_gradient_bytes, unsharded_bytes : float
        Held for each parameter by gradients, and by weights and gradients of a pipeline stage under FSDP.
    gathered_layers : float
        Layers whose weights sharded data parallelism holds gathered: the one at work and the next, or one matmul's.
    optimizer_bytes : float
        Held for each parameter by the optimizer: moments, and the 32-bit weights or what they add to 16-bit ones.
    keeps_copy : bool
        Whether sharded weights are held in 16 bits beside the optimizer's 32-bit ones, or gathered from those.
    incomplete : bool
        Whether it was fitted on rows that are not complete enough to be validated on.
    fitted : tuple of str
        Which of its constants are fitted.
    chosen : mapping of str to float
        Those that are set by hand.
    constants : mapping of str to float
        compute, elementwise, tensor, data, context, bubble (ratios), exchange (share exposed), host (s a layer).
    fit : Fit
        Where the fitted ones come from.
    """

    name: str
    title: str
    frameworks: tuple[str, ...]
    first: str
    last: str
    nearest: str
    attention: str
    gradient_bytes: float
    full_reduce: bool
    gather_bytes: float
    calls_per_layer: float
    overlap_reduce: bool
    overlap_gather: bool
    accumulate_bytes: float
    ports: float
    overlap_sends: bool
    permute_bytes: float
    loss_bytes: float
    logit_bytes: float
    dropout: bool
    keeps_gathered: bool
    low_inputs: bool
    state_gradient_bytes: float
    unsharded_bytes: float
    gathered_layers: float
    optimizer_bytes: float
    keeps_copy: bool
    incomplete: bool
    fitted: tuple[str, ...]
    chosen: Mapping[str, float]
    constants: Mapping[str, float]
    fit: Fit

    def __getitem__(self, name: str) -> float:
        return self.constants[name]


@cache
def _profiles() -> Mapping[str, Profile]:
    text = files("scalewall.planner").joinpath("data/profiles.toml").read_text(encoding="utf-8")
    return MappingProxyType({name: _profile(name, table) for name, table in tomllib.loads(text).items()})


def _profile(name: str, table: dict[str, Any]) -> Profile:
    fitted = table.pop("fitted")
    chosen = dict(table.pop("chosen", {}))
    record = table.pop("fit")
    fit = Fit(**{**record, "machines": tuple(record.get("machines", ()))})
    values = {**_DEFAULTS, **chosen, **fitted}
    for key in values:
        if key not in FITTED:
            raise unknown_name(f"profile {name}: constant", key, FITTED)
    table["frameworks"] = tuple(table["frameworks"])
    return Profile(
        name=name,
        fitted=tuple(fitted),
        chosen=MappingProxyType(chosen),
        constants=MappingProxyType(values),
        fit=fit,
        **table,
    )


_DEFAULTS = {
    "compute": 1.1,
    "elementwise": 1.0,
    "tensor": 1.0,
    "data": 1.0,
    "host": 0.0,
    "expert_host": value("profile.expert_host"),
    "exchange": 1.0,
    "context": 1.0,
    "contention": value("profile.contention"),
    "bubble": 1.0,
}


def profile_names() -> list[str]:
    """Return the names of all profiles, oldest first."""
    return list(_profiles())


def load_profile(name: str) -> Profile:
    """Return the profile called ``name``.

    Raises
    ------
    InputError
        Unknown name.
    """
    if name not in _profiles():
        raise unknown_name("profile", name, _profiles())
    return _profiles()[name]


def with_constants(profile: Profile, values: Mapping[str, float]) -> Profile:
    """Return ``profile`` with some of its constants replaced."""
    return replace(profile, constants=MappingProxyType({**profile.constants, **values}))


def nearest_profile(framework: str, date: str) -> tuple[Profile, str]:
    """Return the profile for a framework at a date, and in words how it was found.

    Parameters
    ----------
    framework : str
        Name as published (``Megatron-Bridge``, ``NeMo``).
    date : str
        ``YYYY-MM`` or empty.
    """
    known = [(p, _matched(p, framework)) for p in _profiles().values()]
    longest = max(length for _, length in known)
    matching = [profile for profile, length in known if length and length == longest]
    if matching:
        chosen = min(matching, key=lambda p: _years_away(p, date))
        away = _years_away(chosen, date)
        return chosen, "framework and date" if away == 0.0 else "framework, nearest date"
    chosen = min(_profiles().values(), key=lambda p: (_years_away(p, date), p.incomplete))
    return chosen, "date only: no profile knows this framework"


def _matched(profile: Profile, framework: str) -> int:
    """Return the length of the longest of a profile's words in a framework's name: the most specific one wins."""
    return max((len(word) for word in profile.frameworks if word in framework.lower()), default=0)


def _years_away(profile: Profile, date: str) -> float:
    when = _years(date)
    first, last = _years(profile.first), _years(profile.last)
    return max(0.0, first - when, when - last) if when else 0.0


def _years(date: str) -> float:
    if not date:
        return 0.0
    year, _, month = date.partition("-")
    return float(year) + (float(month or 1) - 1) / 12
