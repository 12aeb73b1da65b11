"""The page on hardware progress, written by ``python -m scalewall.report.progress_page``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scalewall.hardware import comparison_rows, read_machine
from scalewall.ideal.limits import Limits, limits_of
from scalewall.ideal.study import ALL_MACHINES, LimitsStudy
from scalewall.report import units
from scalewall.report.generations import Generation, generations, spread_words
from scalewall.report.words import all_rest_on, largest_point, part_label

__all__ = ["CHANGED", "CHANGES", "Progress", "change_row", "machine_figures", "machine_row", "progress_page"]

ANNOUNCED = "rubin-nvl72"
OLDEST = ("gtx-580", 32)
"""The oldest machine of the catalogue, which has 32 bits only."""
USUAL_LATENCY = 4.5e-6
"""Seconds of a kernel in the published model (arXiv 2411.01137), assumed wherever nobody measured one."""
_LATENCY = "accelerator.kernel_latency"
_UPPER_GRID = (15, 262144, 128 * 12288)
"""Widths of the runs among which the largest that finishes lies."""

CHANGED = "b200"
CHANGES: Mapping[str, Mapping[str, float]] = {
    "as it is": {},
    "domain of 72 instead of 8": {"network.0.size": 72},
    "network outside the domain twice as fast": {"network.1.bandwidth": 100e9},
    "half the arithmetic": {"precision.16.peak_flops": 1125e12},
    "links inside the domain twice as fast": {"network.0.bandwidth": 1.8e12},
    "memory twice as fast": {"memory.0.bandwidth": 16e12},
    "kernels and network hops in half the time": {
        _LATENCY: 1.1095e-6,
        "network.0.latency": 0.5625e-6,
        "network.1.latency": 0.5625e-6,
    },
}
"""What is changed of :data:`CHANGED`, one thing at a time, and the figures that it sets (SI units)."""

_COLUMNS = (
    "machine",
    "released",
    "domain",
    "sustained FLOP/s",
    "outer network",
    "FLOP an outer byte",
    "efficient scaling ends",
    "largest run",
    "binds there",
)
_HEAD = f"| {' | '.join(_COLUMNS)} |\n{'|---' * len(_COLUMNS)}|"
_CHANGES_HEAD = "| change | efficient scaling ends | largest run |\n|---|---|---|"


@dataclass(frozen=True)
class Progress:
    """What the page tells.

    Parameters
    ----------
    machines : sequence of Limits
        Every product that the model can use at 16 bits, and the announced machine.
    even_largest : mapping of str to float
        The largest run (FLOP) of each machine if its kernels took :data:`USUAL_LATENCY`.
    changes : mapping of str to Limits
        Limits of :data:`CHANGED` under each of :data:`CHANGES`.
    oldest : Limits
        Limits of :data:`OLDEST`.
    """

    machines: Sequence[Limits]
    even_largest: Mapping[str, float]
    changes: Mapping[str, Limits]
    oldest: Limits


def measure() -> Progress:
    """Ask the ideal model: the full search for each machine and change."""
    study = LimitsStudy(machines=(ALL_MACHINES, ANNOUNCED))
    machines = [limits_of(study, name) for name in study.machines]
    even = {one.machine: one.largest_feasible_flop for one in machines}
    for name in even:
        if read_machine(name).figures[_LATENCY].value != USUAL_LATENCY:
            even[name] = _one(
                name, grid=_UPPER_GRID, overrides={_LATENCY: USUAL_LATENCY}
            ).largest_feasible_flop
    return Progress(
        machines=machines,
        even_largest={name: flop for name, flop in even.items() if flop is not None},
        changes={change: _one(CHANGED, overrides=figures) for change, figures in CHANGES.items()},
        oldest=_one(OLDEST[0], precision=OLDEST[1]),
    )


def _one(machine: str, **settings: Any) -> Limits:
    return limits_of(LimitsStudy(machines=(machine,), **settings), machine)


def progress_page(progress: Progress) -> str:
    """Return the page as Markdown."""
    shown = generations(progress.machines)
    (oldest,) = generations([progress.oldest])
    parts = [
        "# Is hardware progress moving the wall?",
        "<!-- Written by `python -m scalewall.report.progress_page > docs/hardware-progress.md`. -->",
        _QUESTION,
        f"**{spread_words(progress.machines)}** {_trend(shown)}",
        "![Limits by year of release](hardware-progress.png)",
        _FINDINGS,
        "## One change at a time",
        _ABOUT_CHANGES.format(title=read_machine(CHANGED).title),
        "\n".join([_CHANGES_HEAD, *(change_row(name, one) for name, one in progress.changes.items())]),
        "## Machine by machine",
        "\n".join([_HEAD, *(machine_row(one) for one in shown)]),
        f"In 2010, at 32 bits: {oldest.limits.title}, efficient scaling ends at {_range(oldest)} FLOP, the largest "
        f"run has {units.flop(oldest.limits.largest_feasible_flop)}; its network is our assumption.",
        "## What this rests on",
        "\n".join(
            f"- {line}" for line in (all_rest_on(progress.machines)[0], *_assumptions(shown, progress))
        ),
    ]
    return "\n\n".join(parts) + "\n"


_QUESTION = """`scalewall limits --machine all` asks the ideal model how far a dense training run of up to three months
scales on every product of the catalogue for which all figures that the model needs are known. "Efficient scaling ends"
is the range from the first run that falls below 80 % of what the machine sustains to the last that stays above it;
"largest run" is the most training compute that finishes at all, on however many accelerators. The chart is written by
`scalewall limits --machine all rubin-nvl72 --plot docs/hardware-progress.png`."""

_FINDINGS = """## What to take from it

- **Faster arithmetic alone moves the wall nearer.** A faster accelerator needs fewer of its kind, but each byte on the
  network must feed more arithmetic. From one generation of eight-accelerator nodes to the next, arithmetic grew faster
  than the network outside the node: efficient scaling ends earlier on B200 than on A100 or H100, and earlier on MI355X
  than on MI300X. H20, an H100 with most of its arithmetic removed, scales further than any other product.
- **Larger domains and faster networks between them move it out.** The same chip in a domain of 72 instead of 8 gains
  about ten times, and so does a network outside the node that is twice as fast. TPU pods scale as far as nodes of
  eight, although each byte of their data centre network must feed three to ten times as much arithmetic. The announced
  Rubin racks have both, and go furthest.
- **The largest run is a matter of latency, not of speed.** What binds there is nearly always the time of kernels and
  hops, so it moves only where somebody measured (or announces) shorter ones."""

_ABOUT_CHANGES = """What a change of one figure does to {title}. Where two rows say the same, the change does nothing
that this grid of runs can tell: its neighbours lie up to 2.3 times apart."""


def _trend(shown: Sequence[Generation]) -> str:
    """Return how the middle of the range grew with the year of release, by least squares, and beside it demand."""
    years = np.array([one.year for one in shown])
    middles = np.array([math.log10(one.low * one.high) / 2 for one in shown])
    slope, start = np.polyfit(years, middles, 1)
    explained = 1 - np.var(middles - (slope * years + start)) / np.var(middles)
    return (
        f"A straight line through the logarithms says {10**slope:.2g} times a year, but explains only "
        f"{units.percent(float(explained))} of the differences: which machine matters more than which year. Training "
        "compute of notable runs grows 4 to 5 times a year (Epoch AI), so the runs come nearer to the wall every year."
    )


def machine_figures(name: str) -> tuple[str, ...]:
    """Return the cells of a machine's row that come from its file."""
    machine = read_machine(name)
    rows = {row.quantity: row for row in comparison_rows([machine], 16)}
    outer = machine.levels("network")[-1]

    def cell(quantity: str, unit: str) -> str:
        value, assumed = rows[quantity].values[0], rows[quantity].assumed[0]
        text = units.quantity(value, unit) if isinstance(value, float) else "unknown"
        return f"{text.strip()}{'*' if assumed else ''}"

    return (
        name,
        machine.released.value if machine.released else "",
        units.count(machine.figures["network.0.size"].value),
        cell("sustained", "FLOP/s"),
        cell(f"network bandwidth {outer}", "B/s"),
        cell(f"arithmetic per network byte {outer}", "FLOP"),
    )


def machine_row(one: Generation) -> str:
    """Return a machine's row of the table."""
    top = largest_point(one.limits)
    latency = read_machine(one.limits.machine).figures[_LATENCY].evidence == "assumed"
    largest = units.scientific(one.limits.largest_feasible_flop) + ("*" if latency else "")
    binds = "" if top is None else part_label(top.binds)
    return f"| {' | '.join([*machine_figures(one.limits.machine), _range(one), largest, binds])} |"


def change_row(change: str, found: Limits) -> str:
    """Return a change's row of the table."""
    (one,) = generations([found])
    return f"| {change} | {_range(one)} | {units.scientific(found.largest_feasible_flop)} |"


def _range(one: Generation) -> str:
    if one.low == one.high:
        return units.scientific(one.low)
    return f"{units.scientific(one.low)} to {units.scientific(one.high)}"


def _assumptions(shown: Sequence[Generation], progress: Progress) -> list[str]:
    """Return what the machines' figures leave open, counted."""
    files = [read_machine(one.limits.machine) for one in shown]
    shares = sum(file.figures["precision.16.sustained_fraction"].evidence == "assumed" for file in files)
    kernels = sum(file.figures[_LATENCY].evidence == "assumed" for file in files)
    hops = sum(file.figures["network.0.latency"].evidence == "assumed" for file in files)
    even = sorted(progress.even_largest.values())
    clusters = [point.n_gpu for one in shown if (point := largest_point(one.limits)) is not None]
    return [
        f"Figures marked * are assumed, or rest on one that is. Of {len(shown)} machines, the share of the peak that "
        f"matmuls sustain is assumed for {shares}, the time of a kernel for {kernels}, that of a network hop inside "
        f"the domain for {hops}; every reason stands in [machines.md](machines.md).",
        f"The largest runs differ mainly because kernels were measured on some machines only. If all took the "
        f"{units.duration(USUAL_LATENCY)} of the published model, the largest runs would lie between "
        f"{units.scientific(even[0])} and {units.flop(even[-1])}.",
        f"At the largest runs the model uses {units.count(min(clusters))} to {units.count(max(clusters))} "
        "accelerators: they say what time alone forbids, not what anybody could build.",
        "Machines whose network outside the domain nobody publishes (TPU v3 and v4, cards in arbitrary hosts, "
        "wafers) have no row.",
        "The network belongs to the system and not to the chip: a row is the vendor's reference system. With another "
        "network, another limit: `--set network.1.bandwidth=...`.",
    ]


if __name__ == "__main__":
    print(progress_page(measure()), end="")
