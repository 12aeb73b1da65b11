"""Plans that differ from a given one in a single knob."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, get_args

from scalewall.errors import InputError
from scalewall.planner.layout import INTERLEAVED, SCHEDULES, Layout, Sharding
from scalewall.planner.memory import fit_of
from scalewall.planner.offers import Offers, offers_of
from scalewall.planner.profile import Profile
from scalewall.planner.run import Dispatcher, Graphs, Run
from scalewall.planner.step import step_time

__all__ = ["Move", "best_by_knob", "moves"]

_PARALLEL = ("tp", "cp", "pp")
_AGAIN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("none", {"recompute": "none", "recompute_modules": ()}),
    ("selective (core_attn)", {"recompute": "selective", "recompute_modules": ("core_attn",)}),
    ("selective (mlp)", {"recompute": "selective", "recompute_modules": ("mlp",)}),
    ("full", {"recompute": "full", "recompute_modules": ()}),
)


@dataclass(frozen=True)
class Move:
    """A plan that differs in one knob, and what it takes.

    Parameters
    ----------
    knob : str
        What changes: ``tp``, ``cp``, ``pp``, ``ep``, ``etp``, ``chunks``, ``microbatch``, ``schedule``,
        ``sharding``, ``shard_ranks``, ``recompute``, ``sequence_parallel``, ``precision``, ``graphs``,
        ``dispatcher`` or ``expert_overlap``.
    change : str
        In words: ``tp 4 -> 8, dp 4 -> 2``.
    run : Run
        With the change.
    layout : Layout or None
        With the change; None if there is no such layout.
    seconds : float or None
        Step time; None if the run cannot be laid out so.
    needed : float or None
        Bytes of the fullest stage.
    fits : bool
        Whether they are there.
    reason : str
        Why it cannot be laid out so; empty if it can.
    offered : bool
        Whether the software of the profile can run it so.
    """

    knob: str
    change: str
    run: Run
    layout: Layout | None
    seconds: float | None = None
    needed: float | None = None
    fits: bool = False
    reason: str = ""
    offered: bool = True

    @property
    def same_arithmetic(self) -> bool:
        """Whether the run computes the same numbers: not so at another precision."""
        return self.knob != "precision"


def moves(run: Run, layout: Layout, profile: Profile) -> tuple[Move, ...]:
    """Return the plans that differ in one knob from ``layout``, on as many accelerators, with the same batch.

    A degree of parallelism moves to its double or half, and data parallelism or one other degree gives or takes
    what that needs; other knobs move to each of their other values, or to the nearest ones. Chunks go where the
    pipeline goes, and where the schedule takes none.
    """
    found = []
    for knob, change, of_layout, of_run in (*_degrees(layout), *_knobs(run, layout), *_switches(run)):
        found.append(_evaluated(run, layout, profile, knob, change, of_layout, of_run))
    return tuple(found)


def best_by_knob(found: Iterable[Move]) -> list[Move]:
    """Return the moves that fit, are offered and compute the same: the fastest of each knob, fastest first."""
    usable = [move for move in found if move.fits and move.offered and move.same_arithmetic]
    best: dict[str, Move] = {}
    for move in sorted(usable, key=lambda move: move.seconds or 0.0):
        best.setdefault(move.knob, move)
    return list(best.values())


def _evaluated(
    run: Run,
    layout: Layout,
    profile: Profile,
    knob: str,
    change: str,
    of_layout: dict[str, Any],
    of_run: dict[str, Any],
) -> Move:
    changed, there = replace(run, **of_run), None
    try:
        there = replace(layout, **of_layout)
        seconds = step_time(changed, there, profile).seconds
        fit = fit_of(changed, there, profile)
    except InputError as error:
        reason = f"{error.field} {error.value}: allowed {error.allowed}"
        return Move(knob, change, changed, there, reason=reason)
    offers = offers_of(profile.name)
    foreign = _foreign(changed, there, offers) - _foreign(run, layout, offers)
    return Move(knob, change, changed, there, seconds, fit.needed, fit.fits, offered=not foreign)


def _foreign(run: Run, layout: Layout, offers: Offers) -> set[str]:
    """Return which knobs of a plan have values that the software does not offer."""
    shardings = offers.with_stages if layout.pp > 1 else offers.shardings
    checks = {
        "tp": layout.tp == 1 or offers.tp,
        "cp": layout.cp == 1 or offers.cp,
        "pp": layout.pp == 1 or offers.stages,
        "chunks": layout.chunks == 1 or offers.chunks,
        "layers": run.model.layers % (layout.pp * layout.chunks) == 0 or offers.uneven,
        "sequence_parallel": layout.tp == 1 or layout.sequence_parallel == offers.sequence_parallel,
        "schedule": layout.pp == 1 or layout.schedule in offers.schedules,
        "sharding": layout.sharding in shardings,
        "recompute": layout.recompute in offers.recompute,
        "modules": layout.recompute != "selective"
        or set(layout.recompute_modules or ("core_attn",)) <= {*offers.modules},
    }
    return {knob for knob, offered in checks.items() if not offered}


_Change = tuple[str, str, dict[str, Any], dict[str, Any]]


def _arrow(layout: Layout, values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {getattr(layout, name)} -> {value}" for name, value in values.items())


def _smallest_factor(number: int) -> int:
    return next((f for f in range(2, int(number**0.5) + 1) if number % f == 0), number)


def _degrees(layout: Layout) -> Iterator[_Change]:
    """Yield degrees doubled and divided, against data parallelism and against each other."""
    for name in _PARALLEL:
        degree = getattr(layout, name)
        for other in ("dp", *(other for other in _PARALLEL if other != name)):
            left = getattr(layout, other)
            factor = 2 if left % 2 == 0 else _smallest_factor(left)
            if left > 1:
                values = _flattened(layout, {name: degree * factor, other: left // factor})
                yield name, _arrow(layout, values), values, {}
        if degree > 1:
            factor = 2 if degree % 2 == 0 else _smallest_factor(degree)
            values = _flattened(layout, {name: degree // factor, "dp": layout.dp * factor})
            yield name, _arrow(layout, values), values, {}


def _flattened(layout: Layout, values: dict[str, Any]) -> dict[str, Any]:
    """Take the chunks out where the pipeline goes."""
    return values | {"chunks": 1} if values.get("pp") == 1 and layout.chunks > 1 else values


def _knobs(run: Run, layout: Layout) -> Iterator[_Change]:
    """Yield changes of the layout beside its degrees of parallelism."""
    for name in ("ep", "etp") if run.model.experts else ():
        for value in _double_and_half(getattr(layout, name)):
            yield name, _arrow(layout, {name: value}), {name: value}, {}
    interleaved = layout.pp > 1 and layout.schedule == INTERLEAVED
    for value in _near(layout.chunks, run.model.layers // layout.pp) if interleaved else ():
        yield "chunks", _arrow(layout, {"chunks": value}), {"chunks": value}, {}
    for value in _double_and_half(layout.microbatch):
        yield "microbatch", _arrow(layout, {"microbatch": value}), {"microbatch": value}, {}
    for name, choices in (("schedule", SCHEDULES), ("sharding", get_args(Sharding))):
        for choice in choices:
            if choice != getattr(layout, name):
                values: dict[str, Any] = {name: choice}
                if name == "schedule" and layout.chunks > 1:
                    values["chunks"] = 1
                yield name, _arrow(layout, values), values, {}
    domain = max(1, run.device.fast_ranks // layout.tp)
    for ranks in (0, domain) if layout.gradient_ranks % domain == 0 else (0,):
        if ranks != layout.shard_ranks and ranks < layout.gradient_ranks:
            words = f"shard over {ranks or 'all'} ranks"
            yield "shard_ranks", words, {"shard_ranks": ranks}, {}
    modules = layout.recompute_modules or ("core_attn",)
    for words, again in _AGAIN:
        same = again["recompute"] == layout.recompute
        if not (same and (layout.recompute != "selective" or again["recompute_modules"] == modules)):
            yield "recompute", f"recompute {words}", again, {}
    split = not layout.sequence_parallel
    yield (
        "sequence_parallel",
        f"sequence_parallel {'on' if split else 'off'}",
        {"sequence_parallel": split},
        {},
    )


def _double_and_half(number: int) -> Iterator[int]:
    yield 2 * number
    if number % 2 == 0:
        yield number // 2


def _near(chunks: int, layers: int) -> Iterator[int]:
    """Yield the next lower and the next higher number of chunks that the layers of a stage divide into."""
    divisors = [count for count in range(1, layers + 1) if layers % count == 0]
    lower = [count for count in divisors if count < chunks]
    higher = [count for count in divisors if count > chunks]
    yield from (*lower[-1:], *higher[:1])


def _switches(run: Run) -> Iterator[_Change]:
    """Yield changes of precision and software."""
    for precision in run.device.precisions:
        if precision != run.precision:
            yield "precision", f"precision {run.precision} -> {precision}", {}, {"precision": precision}
    for graphs in get_args(Graphs):
        if graphs != run.graphs:
            yield "graphs", f"graphs {run.graphs} -> {graphs}", {}, {"graphs": graphs}
    if run.model.experts is None:
        return
    for dispatcher in get_args(Dispatcher):
        if dispatcher != run.dispatcher:
            yield "dispatcher", f"dispatcher {run.dispatcher} -> {dispatcher}", {}, {"dispatcher": dispatcher}
    beside = not run.expert_overlap
    yield "expert_overlap", f"expert_overlap {'on' if beside else 'off'}", {}, {"expert_overlap": beside}
