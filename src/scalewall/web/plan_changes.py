"""Changes of the Plan page's question that may help: one a kind, each with the question that it asks instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from scalewall.cost.money import prices_of
from scalewall.errors import InputError
from scalewall.hardware import machine_names, read_machine
from scalewall.planner.bounds import KNOBS, Bound
from scalewall.planner.device import Device, load_device
from scalewall.planner.explain import Explanation
from scalewall.planner.plan import MOST_RANKS, PlanQuestion
from scalewall.planner.precision import BITS
from scalewall.planner.profile import Profile, load_profile, profile_names
from scalewall.planner.run import Run
from scalewall.planner.step import step_time
from scalewall.planner.usual import usual_profile
from scalewall.report import units
from scalewall.web.plan_words import SWITCHES

__all__ = ["Change", "changes_of", "freed", "small_space"]

_MOST_BATCH = 10**9
_SHORTEST = 2048
"""Tokens below which no sequence is halved."""
_TRIED = 2
"""How many of the changes that cost neither machines nor numbers are searched: the most promising ones."""
_TINY = 1e-3
"""Relative gain from which a change is worth a search."""


@dataclass(frozen=True)
class Change:
    """A question that differs in one thing.

    Parameters
    ----------
    words : str
        What changes.
    price : str
        What else that means; empty: nothing that the time does not say.
    values : mapping
        Settings of the page that ask it.
    question : PlanQuestion
        The same for the planner.
    always : bool
        Whether it is offered however little it gains.
    """

    words: str
    price: str
    values: Mapping[str, object]
    question: PlanQuestion
    always: bool = False


def changes_of(
    values: Mapping[str, object], question: PlanQuestion, explained: Explanation
) -> tuple[Change, ...]:
    """Return the changes that are worth a search, the surest first.

    Parameters
    ----------
    values : mapping
        Settings of the page.
    question : PlanQuestion
        What they ask of the first machine.
    explained : Explanation
        Its best plan.
    """
    values = {**values, "rank": 1}
    found = [
        *freed(values, question),
        *_other_numbers(values, question, explained),
        *_more_accelerators(values, question),
        *_faster_machine(values, question),
        *_roomier_machine(values, question, explained),
    ]
    small = [*_software(values, question, explained), *_other_steps(values, question)]
    small += _switches(values, question, explained)
    promising = sorted(small, key=lambda change: _at_once(change.question, explained))
    kept = [change for change in promising if _at_once(change.question, explained) < 1 - _TINY]
    return tuple(_first_of_each(found + kept[:_TRIED]))


def small_space(question: PlanQuestion, explained: Explanation) -> PlanQuestion:
    """Return the question over so few layouts that a search takes a moment: of sparse models those whose degrees are
    near a known plan's (experts on another machine spread however much). The best of them takes at least as long as
    the best of all.
    """
    if question.run.model.experts is None:
        return question
    layout = explained.answer.layout
    bounds = [
        Bound("etp", choices=(layout.etp,)),
        *(_near(name, getattr(layout, name)) for name in ("tp", "cp")),
    ]
    if question.run.device == explained.answer.run.device:
        bounds.append(_near("ep", layout.ep, 8))
    return replace(question, bounds=(*question.bounds, *bounds))


def _near(knob: str, degree: int, most: int = 2) -> Bound:
    """Return the bound that allows half a degree, itself, and its doubles up to ``most`` times it."""
    doubles = {degree * 2**power for power in range(most.bit_length())}
    return Bound(knob, choices=tuple(sorted({max(1, degree // 2), *doubles})))


def freed(values: Mapping[str, object], question: PlanQuestion) -> Iterator[Change]:
    """Yield the question without fixed parts of the layout, where there are any."""
    if any(values[knob] for knob in KNOBS):
        free = {**values, **dict.fromkeys(KNOBS, ""), "rank": 1}
        yield Change("Search all layouts", "no part is fixed", free, replace(question, bounds=()), True)


def _first_of_each(found: list[Change]) -> Iterator[Change]:
    """Yield changes, of those that come to the same settings the first."""
    for number, change in enumerate(found):
        if all(change.values != earlier.values for earlier in found[:number]):
            yield change


def _at_once(question: PlanQuestion, explained: Explanation) -> float:
    """Return the time of a token with the plan at hand over that now; more than 1 where it cannot run so."""
    before = explained.answer
    try:
        after = step_time(question.run, before.layout, question.profile)
    except InputError:
        return 2.0
    return (after.seconds / question.run.tokens) / (before.step.seconds / before.run.tokens)


def _with_run(
    values: Mapping[str, object], question: PlanQuestion, words: str, price: str, **changed: Any
) -> Change:
    """Return a change of the run whose settings have the same names."""
    settings = {"seq" if name == "sequence" else name: value for name, value in changed.items()}
    run: Run = replace(question.run, **changed)
    return Change(words, price, {**values, **settings}, replace(question, run=run))


def _other_numbers(
    values: Mapping[str, object], question: PlanQuestion, explained: Explanation
) -> Iterator[Change]:
    faster = [move for move in explained.moves if move.knob == "precision" and move.seconds is not None]
    best = min(faster, key=lambda move: move.seconds or 0.0, default=None)
    if best is not None:
        precision = best.run.precision
        price = f"computes other numbers: matmuls in {BITS[precision]} bits instead of {BITS[question.run.precision]}"
        yield _with_run(values, question, f"Precision {precision}", price, precision=precision)


def _more_accelerators(values: Mapping[str, object], question: PlanQuestion) -> Iterator[Change]:
    twice = 2 * question.ranks
    if twice <= MOST_RANKS:
        bounds = tuple(bound for bound in question.bounds if bound.name != "dp")
        yield Change(
            f"Twice the accelerators: {units.count(twice)}",
            "",
            {**values, "gpus": twice, "dp": ""},
            replace(question, ranks=twice, bounds=bounds),
        )


def _devices(run: Run) -> Iterator[Device]:
    """Yield the products that can run what is asked."""
    for name in machine_names():
        if read_machine(name).kind == "product":
            try:
                device = load_device(name)
            except InputError:
                continue
            if run.precision in device.precisions and device.name != run.device.name:
                yield device


def _faster_machine(values: Mapping[str, object], question: PlanQuestion) -> Iterator[Change]:
    """Yield the machine with the highest peak of those that the software was fitted on."""
    bits = BITS[question.run.precision]
    peak = question.run.device.peak[bits]
    known = [
        device
        for device in _devices(question.run)
        if device.peak[bits] > peak and device.name in _profile_on(values, device).fit.machines
    ]
    best = max(known, key=lambda device: (device.peak[bits], device.memory_bytes), default=None)
    if best is not None:
        yield _on(values, question, best, "")


def _roomier_machine(
    values: Mapping[str, object], question: PlanQuestion, explained: Explanation
) -> Iterator[Change]:
    """Yield the nearest machine of the same maker on which the plan fits that memory keeps out."""
    out = explained.kept_out
    if out is None or out.needed is None:
        return
    bits = BITS[question.run.precision]
    here = question.run.device
    maker = read_machine(here.name).vendor
    room = [
        device
        for device in _devices(question.run)
        if device.memory_bytes >= out.needed
        and device.peak[bits] >= here.peak[bits]
        and read_machine(device.name).vendor == maker
    ]
    nearest = min(room, key=lambda device: (device.peak[bits], device.memory_bytes), default=None)
    if nearest is not None:
        yield replace(_on(values, question, nearest, f"has the memory for {out.change}"), always=True)


def _on(values: Mapping[str, object], question: PlanQuestion, device: Device, price: str) -> Change:
    """Return the question on another machine, with the software that the page takes there."""
    names = cast(tuple[str, ...], values["machine"])
    return Change(
        f"On {device.title}",
        price,
        {**values, "machine": (device.name, *(name for name in names[1:] if name != device.name))},
        replace(
            question,
            run=replace(question.run, device=device),
            profile=_profile_on(values, device),
            prices=prices_of(device.name),
        ),
    )


def _profile_on(values: Mapping[str, object], device: Device) -> Profile:
    name = str(values["profile"])
    return load_profile(name) if name else usual_profile(device)[0]


def _software(
    values: Mapping[str, object], question: PlanQuestion, explained: Explanation
) -> Iterator[Change]:
    """Yield the fitted software that runs the plan at hand fastest."""
    if question.ideal:
        return
    others = [
        replace(question, profile=profile)
        for profile in map(load_profile, profile_names())
        if profile.name != question.profile.name and question.run.device.name in profile.fit.machines
    ]
    best = min(others, key=lambda other: _at_once(other, explained), default=None)
    if best is not None:
        words = f"Software: {best.profile.title}"
        yield Change(words, "other software", {**values, "profile": best.profile.name}, best)


def _other_steps(values: Mapping[str, object], question: PlanQuestion) -> Iterator[Change]:
    """Yield a larger batch, and the same batch in shorter sequences."""
    run = question.run
    twice = 2 * run.global_batch
    if twice > _MOST_BATCH:
        return
    tokens = units.count(2 * run.tokens)
    yield _with_run(
        values,
        question,
        f"{units.count(twice)} sequences a step",
        f"a batch of {tokens} tokens, in half the steps",
        global_batch=twice,
    )
    if run.sequence % 2 == 0 and run.sequence >= _SHORTEST:
        yield _with_run(
            values,
            question,
            f"Sequences of {units.count(run.sequence // 2)} tokens, {units.count(twice)} a step",
            "half the context, as many tokens a step",
            sequence=run.sequence // 2,
            global_batch=twice,
        )


def _switches(
    values: Mapping[str, object], question: PlanQuestion, explained: Explanation
) -> Iterator[Change]:
    """Yield switches of the software."""
    for move in explained.helps(len(explained.moves)):
        if move.knob in SWITCHES:
            value = getattr(move.run, move.knob)
            shown = {True: "beside compute", False: "by itself"}.get(value, value)
            yield _with_run(
                values,
                question,
                f"{SWITCHES[move.knob]}: {shown}",
                "",
                **{move.knob: value},
            )
