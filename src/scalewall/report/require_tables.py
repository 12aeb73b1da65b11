"""What a run needs of a machine, as words, a table and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scalewall.hardware.fields import FIGURES, pattern
from scalewall.report import units
from scalewall.report.records import SCHEMA_VERSION
from scalewall.report.table import Cell, Column, TableView
from scalewall.report.words import part_label, short_part_label

if TYPE_CHECKING:
    from scalewall.study.require import Domain, Needed, Required

__all__ = ["better", "figure_text", "required_json", "required_table", "required_words"]

_COLUMNS = (
    Column("What gets better", fold=30),
    Column("At least", right=True, whole=True),
    Column("As it is", right=True, whole=True),
    Column("Needed", right=True, whole=True),
    Column("Then binds"),
    Column("Utilization\nthen", right=True, whole=True, since=100),
)


def better(factor: float | None, divides: bool = False) -> str:
    """Return how much better as ``x2.28`` or ``/2.75``; ``none`` where nothing suffices."""
    if factor is None:
        return "none"
    return f"{'/' if divides else 'x'}{units.scientific(factor)}"


def figure_text(path: str, value: float) -> str:
    """Return a machine's figure with its unit: ``50 GB/s``, ``1.13 µs``."""
    unit = FIGURES[pattern(path)].unit
    if path.endswith("bytes_per_clock"):
        return f"{units.count(value)} B/clock"
    return (
        units.count(value)
        if not unit
        else units.quantity(value, "B" if unit == "bytes" else unit.replace("bytes", "B"))
    )


def required_table(required: Required) -> TableView:
    """Return one row a figure: the least factor, what it becomes, what binds then."""
    rows = [_row(one) for one in required.needed]
    if required.domain:
        rows.append(_domain_row(required.domain))
    share = 100 * required.study.threshold
    return TableView(
        title=f"What {required.title} needs, one thing at a time, for {units.flop(required.stack.training_flop)} in "
        f"{units.months(required.study.duration_seconds)}",
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(
            f"Efficient: above {share:g} % of the utilization that the machine sustains, "
            f"{units.percent(required.threshold_utilization)} of the peak. Factors are least ones, to 1 %; / divides.",
            "None: even as good as can be it does not suffice alone, and what binds then stands beside it. A capacity "
            "on the chip can at most hold what the outermost memory holds.",
            "The peak is not among them: a faster one only widens the gap to what feeds it.",
            f"This rests on the {required.study.search} search and the laws depth {required.study.depth_law}, batch "
            f"{required.study.batch_law}, data {required.study.data_law}.",
            *_search_notes(required),
            *(f"Warning: {warning}" for warning in required.warnings),
        ),
    )


def _search_notes(required: Required) -> list[str]:
    if required.study.search == "full":
        return []
    return ["In the published search a better figure can hurt, so that a smaller factor than these may do."]


def _row(one: Needed) -> tuple[str | Cell, ...]:
    single = len(one.knob.paths) == 1
    now, then = next(iter(one.figures.values()))
    path = one.knob.paths[0]
    return (
        one.knob.title,
        Cell(better(one.factor, one.knob.divides), "muted" if one.factor is None else "strong"),
        figure_text(path, now) if single else "",
        figure_text(path, then) if single and one.factor is not None else "",
        short_part_label(one.binds) if one.binds else "memory or bounds",
        units.percent(one.utilization) if one.utilization is not None else "no plan",
    )


def _domain_row(domain: Domain) -> tuple[str | Cell, ...]:
    enough = domain.size is not None
    return (
        "size of the fast domain",
        Cell("" if enough else "none", "muted"),
        units.count(domain.now),
        Cell(units.count(domain.size), "strong") if enough else "",
        "",
        "",
    )


def required_words(required: Required) -> str:
    """Return the answer in a few sentences."""
    share = 100 * required.study.threshold
    run = f"{units.flop(required.stack.training_flop)} in {units.months(required.study.duration_seconds)}"
    asked = (
        f"The run of the fine grid nearest to {units.flop(required.asked_flop)} has "
        f"{units.flop(required.stack.training_flop)}. "
    )
    if required.efficient_now and required.now:
        return (
            f"{asked}{required.title} is efficient enough for it as it is: {units.percent(required.now.utilization)} "
            f"of the peak, {units.percent(required.threshold_utilization)} would do."
        )
    today = (
        f"no plan finishes {run}"
        if required.now is None
        else f"the best plan for {run} reaches {units.percent(required.now.utilization)} of the peak, and "
        f"{part_label(required.now.binds)} binds"
    )
    alone = [one for one in required.needed if one.factor is not None and len(one.knob.paths) == 1]
    listed = ", ".join(
        f"{one.knob.title} {better(one.factor, one.knob.divides)}"
        for one in sorted(alone, key=lambda one: one.factor or 0.0)
    )
    domain = required.domain
    if domain and domain.size is not None:
        listed += f"{', ' if listed else ''}a fast domain of {units.count(domain.size)}"
    enough = f"Any one of these suffices: {listed}." if listed else "No single figure suffices, however good."
    together = [one for one in required.needed if one.factor is not None and len(one.knob.paths) > 1]
    if together:
        least = min(together, key=lambda one: one.factor or 0.0)
        enough += f" Together: {least.knob.title} {better(least.factor, least.knob.divides)}."
    return (
        f"{asked}On {required.title} {today}; efficient means {share:g} % of what it sustains, "
        f"{units.percent(required.threshold_utilization)}. {enough}"
    )


def required_json(required: Required) -> dict[str, object]:
    """Return everything as JSON values; figures in SI units."""
    now = required.now
    return {
        "schema_version": SCHEMA_VERSION,
        "machine": required.study.machines[0],
        "title": required.title,
        "asked_flop": required.asked_flop,
        "training_flop": required.stack.training_flop,
        "stack": required.stack,
        "duration_seconds": required.study.duration_seconds,
        "threshold": required.study.threshold,
        "threshold_utilization": required.threshold_utilization,
        "efficient_now": required.efficient_now,
        "utilization_now": now.utilization if now else None,
        "binds_now": now.binds if now else None,
        "needed": [
            {
                "name": one.knob.name,
                "title": one.knob.title,
                "divides": one.knob.divides,
                "factor": one.factor,
                "figures": {
                    path: {"now": was, "needed": None if one.factor is None else then}
                    for path, (was, then) in one.figures.items()
                },
                "utilization": one.utilization,
                "binds": one.binds or None,
            }
            for one in required.needed
        ],
        "domain": required.domain,
        "trade": {
            "across": required.trade.across.name,
            "upwards": required.trade.upwards.name,
            "factors": [list(pair) for pair in required.trade.factors],
        },
        "assumptions": required.assumptions,
        "warnings": required.warnings,
    }
