"""Tables of ranked plans: one machine, several, what was left out, what would fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView, Tone

if TYPE_CHECKING:
    from scalewall.planner.layout import Layout
    from scalewall.planner.plan import PlanResult, PlanResults, RankedPlan
    from scalewall.planner.recommend import Recommendation

__all__ = [
    "comparison_table",
    "excluded_table",
    "front_table",
    "layout_words",
    "offers_table",
    "ranking_table",
    "relief_table",
    "training_table",
]

_SHARDING = {"optimizer": "Z1", "gradients": "Z2", "parameters": "Z3"}
_DAY = 86400.0
_JOULES_A_MWH = 3.6e9
_FRONT_SHOWN = 8


def layout_words(layout: Layout) -> str:
    """Return a layout on one line: ``TP 8 PP 12x2 DP 16 B 1 Z1``; degrees of 1 are left out."""
    words = [f"{name} {degree}" for name, degree in (("TP", layout.tp), ("CP", layout.cp)) if degree > 1]
    if layout.pp > 1:
        words.append(f"PP {layout.pp}" + (f"x{layout.chunks}" if layout.chunks > 1 else ""))
        if layout.schedule != "1f1b":
            words.append(layout.schedule)
    words += [f"{name} {degree}" for name, degree in (("EP", layout.ep), ("ETP", layout.etp)) if degree > 1]
    words += [f"DP {layout.dp}", f"B {layout.microbatch}"]
    if layout.sharding in _SHARDING and layout.dp * layout.cp > 1:
        words.append(_SHARDING[layout.sharding] + (f"/{layout.shard_ranks}" if layout.shard_ranks else ""))
    if layout.recompute != "none":
        usual = "all" if layout.recompute == "full" else "attention"
        words.append(f"again {','.join(layout.recompute_modules) or usual}")
    return " ".join(words)


def _legend(layouts: Sequence[Layout]) -> str:
    """Say what the abbreviations mean that these layouts use."""
    meanings = (
        ("PPxC: C chunks a stage", any(one.chunks > 1 for one in layouts)),
        ("B: sequences of a microbatch", True),
        (
            "Z1, Z2, Z3: optimizer, gradients, parameters sharded",
            any(one.sharding != "none" for one in layouts),
        ),
        ("Z/n: over n ranks", any(one.shard_ranks for one in layouts)),
        ("again: recomputed", any(one.recompute != "none" for one in layouts)),
    )
    return "; ".join(meaning for meaning, used in meanings if used) + "."


def _figures(plan: RankedPlan, *, ideal: bool) -> tuple[str, ...]:
    estimate = plan.estimate
    return (
        units.duration(plan.seconds),
        "" if ideal else f"{100 * estimate.interval.width:.0f} %",
        "" if plan.gap is None else f"{100 * plan.gap:+.1f} %",
        units.count(round(estimate.tokens_per_second)),
        f"{100 * estimate.mfu:.1f}",
        f"{100 * estimate.hfu:.1f}",
        units.data_size(estimate.fit.needed),
    )


_COLUMNS = (
    Column("Step", right=True, whole=True),
    Column("+/-", right=True, whole=True),
    Column("Events", right=True, whole=True, since=100),
    Column("Tokens/s", right=True, whole=True, since=72),
    Column("MFU", right=True, whole=True),
    Column("HFU", right=True, whole=True, since=72),
    Column("Memory", right=True, whole=True),
)
_FIGURES_MEAN = (
    "Tokens/s an accelerator; MFU and HFU in % of the dense 16-bit peak, causal half of attention; memory of the "
    "fullest stage"
)


def _meaning(*, ideal: bool) -> str:
    """Say what the figures are."""
    if ideal:
        return f"{_FIGURES_MEAN}. Physics alone has no interval: no software reaches it."
    return f"{_FIGURES_MEAN}; +/-: nine of ten published runs of the kind came out within."


def ranking_table(result: PlanResult) -> TableView:
    """Return the ranked plans of one machine; what the events of their schedules say stands below."""
    question = result.question
    rows: list[tuple[str | Cell, ...]] = [
        (str(plan.rank), layout_words(plan.layout), *_figures(plan, ideal=question.ideal))
        for plan in result.plans
    ]
    notes = []
    if result.plans:
        notes = [_legend([plan.layout for plan in result.plans]), _meaning(ideal=question.ideal)]
    gaps = [plan.gap for plan in result.plans if plan.gap is not None]
    if gaps:
        low, high = (f"{100 * gap:+z.1f}" for gap in (min(gaps), max(gaps)))
        spread = low if low == high else f"{low} to {high}"
        notes.append(
            f"Timed by the events of their schedules, steps differ by {spread} % from the closed form."
        )
    notes.append(
        f"{units.count(result.evaluated)} layouts evaluated, {units.count(result.fitting)} of them fit."
    )
    return TableView(
        title=f"{question.run.model.name} on {units.count(question.ranks)} x {question.run.device.title}",
        columns=(Column("#", right=True, whole=True), Column("Plan"), *_COLUMNS),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _training_cells(plan: RankedPlan) -> tuple[str, ...]:
    training = plan.training
    if training is None:
        return ("", "", "", "")
    energy = training.energy_joules
    return (
        f"{training.seconds / _DAY:.1f}",
        units.count(round(training.accelerator_hours)),
        "not known" if training.usd is None else units.count(round(training.usd)),
        "not known" if energy is None else units.count(round(energy / _JOULES_A_MWH)),
    )


_TRAINING = (
    Column("Days", right=True, whole=True),
    Column("Accelerator-hours", right=True, whole=True),
    Column("USD", right=True, whole=True),
    Column("MWh", right=True, whole=True),
)


def training_table(result: PlanResult) -> TableView:
    """Return what the whole run takes with each plan; only where tokens are given."""
    tokens, failures = result.question.tokens, "with" if result.question.failures else "without"
    rows = tuple((str(plan.rank), *_training_cells(plan)) for plan in result.plans)
    return TableView(
        title=f"The run of {units.scientific(tokens)} tokens, {failures} failures",
        columns=(Column("#", right=True, whole=True), *_TRAINING),
        rows=rows,
    )


_BEST = {"throughput": "Fastest", "cost": "Cheapest a token", "memory": "Most memory left"}


def comparison_table(results: PlanResults) -> TableView:
    """Return the best plan of each machine and number of accelerators, with days and cost where tokens are given.

    The plans themselves stand below.
    """
    with_training = any(result.best and result.best.training for result in results)
    columns = (*_COLUMNS, _TRAINING[0], _TRAINING[2]) if with_training else _COLUMNS
    rows: list[tuple[str | Cell, ...]] = []
    notes = []
    for result in results:
        best = result.best
        named = _named(result)
        if best is None:
            rows.append((named, Cell("nothing fits", "bad"), *[""] * (len(columns) - 1)))
            continue
        days, _, usd, _ = _training_cells(best)
        figures = _figures(best, ideal=result.question.ideal)
        rows.append((named, *figures, *((days, usd) if with_training else ())))
        notes.append(f"{named}: {layout_words(best.layout)}.")
    if results.best:
        question = results.best.question
        notes.append(f"{_BEST[question.objective]}: {_named(results.best)}.")
    elif notes:
        notes.append("Cheapest a token: no price is known; give --price usd_per_hour=...")
    if notes:
        notes.append(_legend([result.best.layout for result in results if result.best]))
        notes.append(_meaning(ideal=results[0].question.ideal))
    hidden = ("HFU", "+/-") if with_training else ()
    shown = (replace(one, since=100) if one.title in hidden else one for one in columns)
    return TableView(
        title="The best plan of each",
        columns=(Column("Machine"), *shown),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _named(result: PlanResult) -> str:
    return f"{units.count(result.question.ranks)} {result.question.run.device.name}"


def offers_table(one: Recommendation) -> TableView:
    """Return what a recommendation tried; the choice stands out, and its plan below."""
    rows: list[tuple[str | Cell, ...]] = []
    for offer in one.offers:
        count = units.count(offer.ranks)
        if offer.plan is None:
            rows.append((count, Cell("nothing fits", "bad"), "", "", "", ""))
            continue
        days, hours, usd, energy = _training_cells(offer.plan)
        mfu = f"{100 * offer.plan.estimate.mfu:.1f}"
        tone: Tone = "strong" if offer is one.chosen else "plain" if offer.in_time else "muted"
        rows.append(tuple(Cell(text, tone) for text in (count, days, usd, hours, energy, mfu)))
    question, chosen = one.question, one.chosen
    if chosen and chosen.plan:
        notes = [
            f"Recommended: {units.count(chosen.ranks)} accelerators, {layout_words(chosen.plan.layout)}.",
            _legend([chosen.plan.layout]),
        ]
    else:
        fastest = min(one.offers, key=lambda offer: offer.seconds)
        reached = f"the fastest takes {fastest.seconds / _DAY:.1f} days" if fastest.plan else "no plan fits"
        notes = [f"No number of accelerators that was tried finishes in {one.days:g} days: {reached}."]
    return TableView(
        title=f"{question.run.model.name}, {units.scientific(question.tokens)} tokens within {one.days:g} days on "
        f"{question.run.device.title}",
        columns=(
            Column("Accelerators", right=True, whole=True),
            _TRAINING[0],
            _TRAINING[2],
            _TRAINING[1],
            _TRAINING[3],
            Column("MFU", right=True, whole=True),
        ),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def front_table(result: PlanResult) -> TableView:
    """Return a few plans of the front: less memory for more time."""
    front = result.front
    step = max(1, -(-len(front) // _FRONT_SHOWN))
    shown = [*front[:-1:step], *front[-1:]] if front else []
    fastest = front[0].seconds if front else 0.0
    rows = tuple(
        (
            layout_words(point.layout),
            units.duration(point.seconds),
            f"{100 * (point.seconds / fastest - 1):+.1f} %",
            units.data_size(point.memory_bytes),
        )
        for point in shown
    )
    more = f"{len(shown)} of {len(front)}; all in --json." if len(shown) < len(front) else ""
    return TableView(
        title="Less memory for more time",
        columns=(
            Column("Plan"),
            Column("Step", right=True, whole=True),
            Column("Against the fastest", right=True, whole=True),
            Column("Memory", right=True, whole=True),
        ),
        rows=rows,
        notes=(more,) if more else (),
    )


def excluded_table(result: PlanResult) -> TableView:
    """Return what the search left out and why; the space stands below."""
    rows = tuple(
        (one.region, one.reason, units.count(one.count) if one.count else "") for one in result.excluded
    )
    return TableView(
        title="Left out",
        columns=(Column("What"), Column("Why"), Column("Layouts", right=True, whole=True)),
        rows=rows,
        notes=("Searched: " + "; ".join(result.space) + ".",),
    )


def relief_table(result: PlanResult) -> TableView:
    """Return the layout that comes closest where nothing fits, and the changes that make one fit."""
    rows: list[tuple[str | Cell, ...]] = [
        (
            fix.change,
            layout_words(fix.layout),
            units.duration(fix.seconds),
            units.data_size(fix.memory_bytes),
        )
        for fix in result.fixes
    ]
    capacity, closest = result.question.run.device.memory_bytes, result.closest
    notes = []
    if closest:
        notes.append(
            f"Closest: {layout_words(closest.layout)} needs {units.data_size(closest.memory_bytes)} of "
            f"{units.data_size(capacity)}."
        )
    if not rows:
        notes.append("No number of accelerators that was tried makes it fit.")
    return TableView(
        title="Nothing fits. What would:",
        columns=(
            Column("Change"),
            Column("Plan"),
            Column("Step", right=True, whole=True),
            Column("Memory", right=True, whole=True),
        ),
        rows=tuple(rows),
        notes=tuple(notes),
    )
