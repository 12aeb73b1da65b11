"""What a run costs and draws: from the prices of its machine, each with source and date, each to be overridden.

The formulas stand here for every command, page and search that shows money or energy.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from scalewall.errors import check_finite, unknown_name
from scalewall.hardware import read_machine
from scalewall.hardware.machine import Figure

__all__ = ["PRICES", "PriceField", "Prices", "RunMoney", "prices_of", "run_money"]

HOUR = 3600.0
YEAR = 365.25 * 24 * HOUR
JOULES_A_KWH = 3.6e6

_NONE: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class PriceField:
    """A price: its unit (empty for a share or ratio), what is plausible, what it means, its path in machine files."""

    unit: str
    low: float
    high: float
    meaning: str
    path: str = ""


PRICES: Mapping[str, PriceField] = MappingProxyType(
    {
        "usd": PriceField("USD", 1, 1e9, "buying one accelerator", "price.usd"),
        "usd_per_hour": PriceField("USD/h", 1e-3, 1e6, "renting one accelerator", "price.usd_per_hour"),
        "server_cost_ratio": PriceField("", 1, 20, "a server's price over that of its accelerators"),
        "interconnect_share": PriceField("", 0, 0.9, "network's share of a cluster's price"),
        "depreciation": PriceField("", 0, 10, "share of its price that a cluster loses a year"),
        "watts": PriceField("W", 0.1, 1e9, "design power of one accelerator", "power.watts"),
        "server_power_ratio": PriceField("", 1, 20, "a server's power over that of its accelerators"),
        "average_draw": PriceField("", 0.01, 1, "average draw over design power while training"),
        "pue": PriceField("", 1, 5, "facility's power over its servers'"),
        "usd_per_kwh": PriceField("USD/kWh", 0, 100, "electricity"),
    }
)
"""Everything that money and energy rest on, by the name that overrides use."""


@dataclass(frozen=True)
class Prices:
    """The prices of one machine.

    Parameters
    ----------
    machine, title : str
        As in the catalogue.
    figures : mapping of str to Figure
        By the names of :data:`PRICES`, each with evidence, source and date; what nobody publishes is absent.
    """

    machine: str
    title: str
    figures: Mapping[str, Figure] = field(repr=False)

    def get(self, name: str) -> float | None:
        """Return a price in the unit of :data:`PRICES`; None where it is not known."""
        figure = self.figures.get(name)
        return None if figure is None else figure.value

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of the prices that are not known."""
        return tuple(name for name in PRICES if name not in self.figures)


@dataclass(frozen=True)
class RunMoney:
    """What a run costs and draws. None where a price that it needs is not known.

    Parameters
    ----------
    accelerators, seconds, accelerator_hours : float
        The cluster, how long it is busy, and the product in hours.
    rent_usd : float or None
        Renting the accelerators for that long.
    capital_usd : float or None
        Buying the cluster: accelerators, servers, network.
    owned_usd : float or None
        Owning it for that long: depreciation and electricity.
    electricity_usd : float or None
        Of that, the electricity.
    average_watts, peak_watts : float or None
        Power of the whole facility, while training on average and at most.
    energy_joules : float or None
        Over the run.
    """

    accelerators: float
    seconds: float
    accelerator_hours: float
    rent_usd: float | None
    capital_usd: float | None
    owned_usd: float | None
    electricity_usd: float | None
    average_watts: float | None
    peak_watts: float | None
    energy_joules: float | None

    @property
    def usd(self) -> float | None:
        """The price of the run: rent where it is known, else what owning the cluster costs; None for neither."""
        return self.owned_usd if self.rent_usd is None else self.rent_usd


def prices_of(machine: str, changes: Mapping[str, float] = _NONE) -> Prices:
    """Return the prices of a machine.

    Parameters
    ----------
    machine : str
        Catalogue name or machine file.
    changes : mapping of str to float
        Prices to set, by the names of :data:`PRICES`.

    Raises
    ------
    InputError
        Unknown machine or price, or one that is not plausible.
    """
    for name, value in changes.items():
        if name not in PRICES:
            raise unknown_name("price", name, PRICES)
        check_finite(f"price {name}", value, PRICES[name].low, PRICES[name].high, PRICES[name].unit)
    file = read_machine(machine)
    figures: dict[str, Figure] = {}
    for name, price in PRICES.items():
        if name in changes:
            figures[name] = Figure(float(changes[name]), "user", note="as given")
        elif not price.path:
            figures[name] = _general(name, file.base if file.kind == "user" else file.name)
        elif price.path in file.figures:
            figures[name] = file.figures[price.path]
    return Prices(file.name, file.title, MappingProxyType(figures))


@cache
def _table() -> Mapping[str, Any]:
    text = files("scalewall.cost").joinpath("data", "money.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _general(name: str, machine: str) -> Figure:
    """Return the figure that holds for a machine of the catalogue (for a user's: the one that it builds on)."""
    rows: Sequence[Mapping[str, Any]] = _table()[name]
    for row in rows:
        if any(machine.startswith(start) for start in row.get("machines", ())):
            return _figure(row)
    return _figure(next(row for row in rows if "machines" not in row))


def _figure(row: Mapping[str, Any]) -> Figure:
    source = _table()["sources"].get(row.get("source"), "")
    return Figure(float(row["value"]), row["evidence"], source, row.get("note", ""), row.get("date", ""))


def run_money(prices: Prices, accelerators: float, seconds: float) -> RunMoney:
    """Return what ``accelerators`` of a machine cost and draw in ``seconds``.

    Parameters
    ----------
    prices : Prices
        Of the machine.
    accelerators, seconds : float
        The cluster, and how long it is busy.

    Notes
    -----
    Capital is ``n * price * server_cost_ratio / (1 - interconnect_share)``; owning it for a share ``t`` of a year
    costs ``capital * depreciation * t`` and the electricity. Average power is
    ``n * watts * server_power_ratio * average_draw * pue``, peak power the same without the draw; energy is average
    power times time. Method: Epoch AI's analysis of training costs [1]_, which amortizes by price-performance.

    References
    ----------
    .. [1] Cottier et al., "The rising costs of training frontier AI models", arXiv 2405.21015 (2024).
    """
    hours = accelerators * seconds / HOUR
    rent = _product(prices, hours, "usd_per_hour")
    bought = _product(prices, accelerators, "usd", "server_cost_ratio")
    network = prices.get("interconnect_share")
    capital = None if bought is None or network is None else bought / (1.0 - network)
    peak = _product(prices, accelerators, "watts", "server_power_ratio", "pue")
    average = None if peak is None else _product(prices, peak, "average_draw")
    energy = None if average is None else average * seconds
    electricity = None if energy is None else _product(prices, energy / JOULES_A_KWH, "usd_per_kwh")
    lost = None if capital is None else _product(prices, capital * seconds / YEAR, "depreciation")
    return RunMoney(
        accelerators=accelerators,
        seconds=seconds,
        accelerator_hours=hours,
        rent_usd=rent,
        capital_usd=capital,
        owned_usd=None if lost is None or electricity is None else lost + electricity,
        electricity_usd=electricity,
        average_watts=average,
        peak_watts=peak,
        energy_joules=energy,
    )


def _product(prices: Prices, start: float, *names: str) -> float | None:
    """Return ``start`` times the named prices; None if one is not known."""
    product = start
    for name in names:
        value = prices.get(name)
        if value is None:
            return None
        product *= value
    return product
