"""Money and energy as tables and rows, never without where the prices come from and when they held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from scalewall.cost.money import JOULES_A_KWH, PRICES, Prices, RunMoney
from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView

if TYPE_CHECKING:
    from scalewall.hardware.machine import Figure
    from scalewall.study.money import CostedRun

__all__ = [
    "COST_COLUMNS",
    "MONEY_COLUMNS",
    "cost_rows",
    "cost_table",
    "money_row",
    "power_table",
    "price_rows",
    "prices_json",
    "prices_table",
    "prices_words",
    "usd",
]

MONEY_COLUMNS = (
    *(part.name for part in fields(RunMoney) if part.name not in ("accelerators", "seconds")),
    "prices",
)
"""Columns of money in CSV files: USD, watts and joules; ``prices`` says where they come from."""

COST_COLUMNS = (
    "machine",
    "training_flop",
    "utilization",
    "accelerators",
    "seconds",
    *MONEY_COLUMNS,
    "reason",
)
"""Columns of runs with their money."""

_PAID = ("usd_per_hour", "usd", "server_cost_ratio", "interconnect_share", "depreciation", "usd_per_kwh")
_POWERED = ("watts", "server_power_ratio", "average_draw", "pue", "usd_per_kwh")
_NO_SOURCE = {"user": "as given", "assumed": "assumed"}
_SHIPPED = 10.5e6
"""Accelerators of all kinds that NVIDIA had shipped by the end of 2025: Epoch AI, epoch-research/ai-chip-counts,
snapshot of April 2026."""
_BEYOND = 9.995e14
_SCALES = ((1e12, "T"), (1e9, "B"), (1e6, "M"))


def usd(value: float | None) -> str:
    """Return US dollars as ``$2,990``, ``$4.31M``, ``$1.05B``; ``unknown`` where no price is known."""
    if value is None:
        return "unknown"
    if value >= _BEYOND:
        return f"${units.scientific(value)}"
    for size, letter in _SCALES:
        if value >= 0.9995 * size:
            return f"${value / size:.3g}{letter}"
    return f"${value:,.0f}" if value >= 100 else f"${value:.2f}"


def energy(joules: float | None) -> str:
    """Return energy in watt-hours as people read it."""
    return "unknown" if joules is None else units.quantity(1000 * joules / JOULES_A_KWH, "Wh")


def power(watts: float | None) -> str:
    """Return power in watts as people read it."""
    return "unknown" if watts is None else units.quantity(watts, "W")


def cost_table(runs: Sequence[CostedRun]) -> TableView:
    """Return one row a run: cluster, time, rent, purchase, owning; under it the prices with their dates."""
    several = len({run.machine for run in runs}) > 1
    columns = (
        *((Column("Machine", fold=16),) if several else ()),
        Column("Training\nFLOP", right=True, whole=True),
        Column("Accele-\nrators", right=True, whole=True),
        Column("Days", right=True, whole=True),
        Column("Accelerator-\nhours", right=True, whole=True, since=100),
        Column("Rent", right=True, whole=True),
        Column("Own: wear\nand power", right=True, whole=True),
        Column("Buy the\ncluster", right=True, whole=True),
    )
    return TableView(
        title=f"What {'these runs cost' if len(runs) > 1 else 'this run costs'} (US dollars)",
        columns=columns,
        rows=tuple(_cost_row(run, several) for run in runs),
        notes=(
            "Rent: accelerator-hours at the price of one. Own: depreciation and electricity for the run's time. Buy: "
            "accelerators, servers and network. No staff, storage, failures or discounts.",
            *_supply_notes(runs),
            *dict.fromkeys(prices_words(run.prices) for run in runs),
        ),
    )


def _supply_notes(runs: Sequence[CostedRun]) -> list[str]:
    """Say so where a run takes more accelerators than there are: nobody would sell them at today's price."""
    if all(run.money is None or run.money.accelerators <= _SHIPPED for run in runs):
        return []
    return [
        f"NVIDIA had shipped some {units.count(_SHIPPED)} accelerators of all kinds by the end of 2025 (Epoch AI): "
        "what larger clusters cost is arithmetic, not an offer."
    ]


def _cost_row(run: CostedRun, several: bool) -> tuple[str | Cell, ...]:
    name = (Cell(run.machine, "strong"),) if several else ()
    size = "" if run.training_flop is None else units.scientific(run.training_flop)
    money = run.money
    if money is None:
        return (*name, size, *([Cell("does not finish", "muted")] + [""] * 5))
    return (
        *name,
        size,
        _compact(money.accelerators),
        f"{money.seconds / units.DAY:,.4g}",
        _compact(money.accelerator_hours),
        usd(money.rent_usd),
        usd(money.owned_usd),
        usd(money.capital_usd),
    )


def _compact(number: float) -> str:
    return f"{number:,.0f}" if number < 1_000_000 else units.scientific(number)


def power_table(runs: Sequence[CostedRun]) -> TableView:
    """Return one row a run: average and peak power of the facility, energy, electricity."""
    several = len({run.machine for run in runs}) > 1
    drawn = [(run, run.money) for run in runs if run.money is not None]
    return TableView(
        title="Power and energy of the whole facility",
        columns=(
            *((Column("Machine", fold=16),) if several else ()),
            Column("Training\nFLOP", right=True, whole=True),
            Column("Average\npower", right=True, whole=True),
            Column("Peak\npower", right=True, whole=True),
            Column("Energy", right=True, whole=True),
            Column("Electricity", right=True, whole=True),
        ),
        rows=tuple(
            (
                *((Cell(run.machine, "strong"),) if several else ()),
                "" if run.training_flop is None else units.scientific(run.training_flop),
                power(money.average_watts),
                power(money.peak_watts),
                energy(money.energy_joules),
                usd(money.electricity_usd),
            )
            for run, money in drawn
        ),
        notes=(
            "Accelerators, their servers, and what cools and feeds them.",
            *dict.fromkeys(prices_words(run.prices, _POWERED) for run, _ in drawn),
        ),
    )


def prices_table(prices: Prices) -> TableView:
    """Return every price and ratio of a machine with its date, evidence and source."""
    known = dict.fromkeys(figure.source for figure in prices.figures.values() if figure.source)
    numbers = {source: f"[{place}]" for place, source in enumerate(known, 1)}
    return TableView(
        title=f"What this rests on: {prices.title}",
        columns=(
            Column("--price", whole=True),
            Column("Value", right=True, whole=True),
            Column("Date", whole=True),
            Column("From", whole=True),
            Column("What"),
        ),
        rows=tuple(_price_row(name, prices.figures.get(name), numbers) for name in PRICES),
        notes=tuple(f"{number} {source}" for source, number in numbers.items()),
    )


def _price_row(name: str, figure: Figure | None, numbers: Mapping[str, str]) -> tuple[str | Cell, ...]:
    meaning = PRICES[name].meaning
    if figure is None:
        return (Cell(name, "muted"), Cell("unknown", "warn"), "", "nobody", meaning)
    note = f" ({figure.note})" if figure.note else ""
    origin = numbers.get(figure.source, {"user": "you"}.get(figure.evidence, figure.evidence))
    return (Cell(name, "strong"), _value(name, figure.value), figure.date, origin, f"{meaning}{note}")


def _value(name: str, value: float) -> str:
    unit = PRICES[name].unit
    return f"{value:,.6g} {unit}".strip()


def prices_words(prices: Prices, names: Sequence[str] = _PAID) -> str:
    """Return in a line what was paid for what, when, and who says so; ``names`` are those to tell."""
    told = []
    for name in names:
        figure = prices.figures.get(name)
        if figure is None:
            told.append(f"{name} unknown")
            continue
        date = f", {figure.date}" if figure.date else ""
        source = (
            figure.source.split(",")[0].split(":")[0]
            if figure.source
            else _NO_SOURCE.get(figure.evidence, figure.note)
        )
        told.append(f"{name} {figure.value:,.6g} ({source}{date})")
    return f"{prices.machine}: {'; '.join(told)}."


def money_row(prices: Prices, money: RunMoney) -> dict[str, object]:
    """Return a run's money as columns of :data:`MONEY_COLUMNS`."""
    row: dict[str, object] = {name: getattr(money, name) for name in MONEY_COLUMNS if name != "prices"}
    return row | {"prices": prices_words(prices)}


def cost_rows(runs: Sequence[CostedRun]) -> list[dict[str, object]]:
    """Return runs as flat rows: machine, size, cluster, seconds, money, why not."""
    rows = []
    for run in runs:
        row: dict[str, object] = {
            "machine": run.machine,
            "training_flop": run.training_flop,
            "utilization": run.utilization,
        }
        if run.money is not None:
            row |= {"accelerators": run.money.accelerators, "seconds": run.money.seconds}
            row |= money_row(run.prices, run.money)
        rows.append(row | {"reason": run.reason})
    return rows


def price_rows(prices: Prices) -> list[dict[str, object]]:
    """Return every price as a row: name, value, unit, evidence, date, source, note."""
    return [
        {
            "name": name,
            "value": figure.value,
            "unit": PRICES[name].unit,
            "evidence": figure.evidence,
            "date": figure.date,
            "source": figure.source,
            "note": figure.note,
        }
        for name, figure in prices.figures.items()
    ]


def prices_json(prices: Prices) -> dict[str, object]:
    """Return a machine's prices as JSON values, with what is not known."""
    return {"machine": prices.machine, "figures": price_rows(prices), "missing": prices.missing}
