"""Costs of runs as a file: print figures, or one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scalewall.errors import InputError
from scalewall.report.figures_page import Section, sections_page
from scalewall.report.files import save_figure, write_text
from scalewall.report.generations import are_many
from scalewall.report.money_charts import money_charts
from scalewall.report.money_tables import cost_table, power_table, prices_table, usd
from scalewall.study.money import CostedRun, efficient_runs, shown_runs

if TYPE_CHECKING:
    from scalewall.ideal.limits import Limits

__all__ = ["drawn_runs", "limits_costs", "money_section", "save_costs"]


def save_costs(runs: Sequence[CostedRun], path: Path, command: str = "") -> None:
    """Write the figures of runs' costs to ``path``: ``.html`` is a page with the tables, others are print.

    Parameters
    ----------
    runs : sequence of CostedRun
        At least one of known size that finishes and has a price or a power.
    path : Path
        Ends in one of :data:`scalewall.report.plots.PLOT_SUFFIXES`.
    command : str
        The command that makes the file again, shown on the page; may be empty.

    Raises
    ------
    InputError
        Nothing to draw.
    """
    charts = money_charts(runs)
    if not charts:
        raise InputError(
            "--plot", str(path), "runs of known size (--flop) on machines with a price or a power"
        )
    if path.suffix.lower() == ".html":
        answer = [_words(run) for run in runs if run.money is not None]
        section = money_section(runs, runs)
        write_text(path, sections_page("What do these training runs cost?", answer, (section,), command))
    else:
        from scalewall.report.matplotlib_figures import figure

        save_figure(figure(charts), path)


def money_section(drawn: Sequence[CostedRun], told: Sequence[CostedRun]) -> Section:
    """Return what runs cost and draw, with every price, for a page.

    Parameters
    ----------
    drawn, told : sequence of CostedRun
        What the figures show, and what the tables list.
    """
    machines = {run.machine: run.prices for run in told}
    return Section(
        "Money and energy",
        (),
        money_charts(drawn),
        (cost_table(told), power_table(told), *(prices_table(prices) for prices in machines.values())),
    )


def limits_costs(limits: Sequence[Limits], changes: Mapping[str, float]) -> Section:
    """Return what the runs behind limits cost and draw, for their page.

    Parameters
    ----------
    limits : sequence of Limits
        One machine or several.
    changes : mapping of str to float
        Prices to set, by the names of :data:`scalewall.cost.money.PRICES`.
    """
    return money_section(drawn_runs(limits, changes), shown_runs(limits, changes))


def drawn_runs(limits: Sequence[Limits], changes: Mapping[str, float]) -> list[CostedRun]:
    """Return the runs whose money is drawn: up to the last efficient one; none of too many machines to tell apart."""
    return [] if are_many(limits) else [run for one in limits for run in efficient_runs(one, changes)]


def _words(run: CostedRun) -> str:
    from scalewall.report import units

    money = run.money
    assert money is not None
    size = "" if run.training_flop is None else f"A run of {units.flop(run.training_flop)}: "
    return (
        f"{size}{units.count(money.accelerators)} of {run.title} for {units.duration(money.seconds)}. Rent "
        f"{usd(money.rent_usd)}, owning {usd(money.owned_usd)}, buying the cluster {usd(money.capital_usd)}."
    )
