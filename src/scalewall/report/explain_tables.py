"""Tables and sentences that explain one plan."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from scalewall.report import units
from scalewall.report.estimate_tables import PARTS
from scalewall.report.table import Cell, Column, TableView

if TYPE_CHECKING:
    from scalewall.planner.explain import Explanation
    from scalewall.planner.moves import Move
    from scalewall.planner.waterfall import Segment

__all__ = [
    "SEGMENTS",
    "explanation_html",
    "explanation_record",
    "helps_table",
    "moves_table",
    "sensitivity_table",
    "verdict",
    "waterfall_table",
]

SEGMENTS = {
    **PARTS,
    "arithmetic": "the model's arithmetic at the peak",
    "sustained": "long matmuls stay below the peak",
    "shapes": "shapes of these matmuls: tiles, bytes, launches",
    "software": "matmuls in this software",
    "attention": "core of attention beyond its arithmetic",
    "elementwise": "norms, activations, residuals, loss",
    "imbalance": "slowest stage against the mean",
}
"""Segments of the waterfall in words."""

_SHOWN = 0.0005
"""Share of the step from which a segment or a change is worth a row."""
_ROUNDING = 1e-9
_MOVES_SHOWN = 16


def waterfall_table(explained: Explanation) -> TableView:
    """Return the step from the arithmetic up: what each cause adds, and the sum so far."""
    total = explained.answer.step.seconds
    rows: list[tuple[str | Cell, ...]] = []
    so_far = rest = 0.0
    for segment in explained.segments:
        if abs(segment.seconds) < _SHOWN * total:
            rest += segment.seconds
            continue
        so_far += segment.seconds
        rows.append(_waterfall_row(SEGMENTS[segment.name], segment.seconds, so_far, total))
    if abs(rest) > _ROUNDING * total:
        rows.append(_waterfall_row("everything smaller", rest, so_far + rest, total))
    step = (Cell("the step", "strong"), "", "", Cell(units.duration(total), "strong"))
    return TableView(
        title="From the arithmetic to the step",
        columns=(
            Column("Cause"),
            Column("Adds", right=True, whole=True),
            Column("Share", right=True, whole=True),
            Column("So far", right=True, whole=True),
        ),
        rows=(*rows, step),
    )


def _waterfall_row(words: str, seconds: float, so_far: float, total: float) -> tuple[str | Cell, ...]:
    sign = "-" if seconds < 0 else ""
    return (
        words,
        f"{sign}{units.duration(abs(seconds))}",
        f"{100 * seconds / total:.1f} %",
        units.duration(so_far),
    )


def sensitivity_table(explained: Explanation) -> TableView:
    """Return what each figure of the machine does to the step."""
    rows = [
        (one.figure, _change(one.little), _change(one.much), one.through)
        for one in sorted(explained.hardware, key=lambda one: one.much)
        if min(one.little, one.much) < 1 - _SHOWN
    ]
    through = any(row[-1] for row in rows)
    columns = (
        Column("Figure"),
        Column("10 % better", right=True, whole=True),
        Column("Twice as good", right=True, whole=True),
        Column("Which then fits"),
    )
    return TableView(
        title="The step on a better machine",
        columns=columns if through else columns[:-1],
        rows=tuple(rows if through else [row[:-1] for row in rows]),
    )


def moves_table(explained: Explanation) -> TableView:
    """Return the plans that are one knob away, the fastest first, and how many are not shown."""
    before = explained.answer.step.seconds
    possible = [move for move in explained.moves if move.seconds is not None]
    felt = [
        move
        for move in possible
        if abs((move.seconds or 0.0) / before - 1) >= _SHOWN or move.needed != explained.answer.fit.needed
    ]
    ranked = sorted(felt, key=lambda move: move.seconds or 0.0)
    rows = [_move_row(move, before) for move in ranked[:_MOVES_SHOWN]]
    left = len(explained.moves) - len(rows)
    notes = []
    if any(not move.offered for move in ranked[:_MOVES_SHOWN]):
        notes.append(f"[*] not offered by {explained.answer.profile.title}.")
    if left:
        notes.append(f"{left} more are slower, change nothing or cannot be laid out; all in --json.")
    return TableView(
        title="One change away",
        columns=(
            Column("Change"),
            Column("Step", right=True, whole=True),
            Column("Against this", right=True, whole=True),
            Column("Memory", right=True, whole=True),
        ),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _move_row(move: Move, before: float) -> tuple[str | Cell, ...]:
    seconds = move.seconds or 0.0
    memory = units.data_size(move.needed)
    tone = Cell(memory) if move.fits else Cell(f"{memory}, too much", "bad")
    change = move.change if move.offered else Cell(f"{move.change} [*]", "muted")
    return change, units.duration(seconds), _change(seconds / before), tone


def _change(ratio: float) -> str:
    """Return a ratio of step times as a change in percent."""
    percent = 100 * (ratio - 1)
    return "none" if abs(percent) < 100 * _SHOWN / 10 else f"{percent:+.1f} %"


def helps_table(explained: Explanation) -> TableView:
    """Return the three changes that help the most."""
    before = explained.answer.step.seconds
    rows = tuple(_move_row(move, before) for move in explained.helps())
    fits = explained.answer.fit.fits
    return TableView(
        title="What would help the most" if fits else "What would make it fit",
        columns=moves_table(explained).columns,
        rows=rows,
        notes=() if rows else ("No single change does.",),
    )


def verdict(explained: Explanation) -> tuple[str, ...]:
    """Return in sentences what binds, and what had no effect."""
    binds, loss = explained.binds, explained.largest_loss
    step = explained.answer.step.seconds
    lines = [
        f"Bound by {_with_article(binds.figure)}: 10 % better makes the step {100 * (1 - binds.little):.1f} % "
        f"shorter. Beyond the arithmetic most goes to: {SEGMENTS[loss.name]} "
        f"({100 * loss.seconds / step:.1f} % of the step)."
    ]
    if not explained.answer.fit.fits:
        lines.append("It does not fit, so nothing of this is reached: see what would make it fit.")
    elif explained.kept_out is not None:
        lines.append(_kept_out(explained.kept_out, explained))
    if explained.without_effect:
        lines.append(f"Without effect here: {', '.join(explained.without_effect)}.")
    numeric = [m for m in explained.moves if not m.same_arithmetic and m.seconds is not None and m.fits]
    best = min(numeric, key=lambda move: move.seconds or step, default=None)
    if best is not None and best.seconds is not None and best.seconds < (1 - _SHOWN) * step:
        lines.append(f"{best.change} would give {_change(best.seconds / step)}, but computes other numbers.")
    return tuple(lines)


def _kept_out(move: Move, explained: Explanation) -> str:
    capacity = units.data_size(explained.answer.fit.capacity)
    shorter = 100 * (1 - (move.seconds or 0.0) / explained.answer.step.seconds)
    return (
        f"Memory binds too: {move.change} makes the step {shorter:.1f} % shorter, but needs "
        f"{units.data_size(move.needed)} of {capacity}."
    )


def _with_article(figure: str) -> str:
    return figure if figure.startswith("latency") else f"the {figure}"


def explanation_record(explained: Explanation) -> dict[str, Any]:
    """Return an explanation as JSON values; seconds and bytes."""
    before = explained.answer.step.seconds
    return {
        "waterfall": _by_name(explained.segments),
        "binds": explained.binds.figure,
        "largest_loss": explained.largest_loss.name,
        "memory_binds": explained.memory_binds,
        "without_effect": explained.without_effect,
        "hardware": [
            {
                "figure": one.figure,
                "step_ratio_10_percent_better": one.little,
                "step_ratio_twice_as_good": one.much,
                "elasticity": one.elasticity,
                "through": one.through or None,
            }
            for one in explained.hardware
        ],
        "moves": [_move_record(move, before) for move in explained.moves],
        "helps": [_move_record(move, before) for move in explained.helps()],
    }


def explanation_html(explained: Explanation) -> str:
    """Return what a notebook shows of an explanation: sentences, then the tables."""
    sentences = "".join(f"<p>{escape(line)}</p>" for line in verdict(explained))
    tables = (waterfall_table, helps_table, sensitivity_table, moves_table)
    return sentences + "".join(table(explained).html() for table in tables)


def _by_name(segments: Sequence[Segment]) -> dict[str, float]:
    return {segment.name: segment.seconds for segment in segments}


def _move_record(move: Move, before: float) -> dict[str, object]:
    return {
        "knob": move.knob,
        "change": move.change,
        "layout": move.layout,
        "step_seconds": move.seconds,
        "step_ratio": None if move.seconds is None else move.seconds / before,
        "needed_bytes": move.needed,
        "fits": move.fits,
        "same_arithmetic": move.same_arithmetic,
        "offered": move.offered,
        "reason": move.reason or None,
    }
