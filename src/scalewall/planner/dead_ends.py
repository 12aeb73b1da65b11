"""Questions that no layout answers, whatever memory there is: which bound to loosen, which count to change."""

from __future__ import annotations

import math
from dataclasses import replace

from scalewall.errors import InputError
from scalewall.planner.bounds import Bound
from scalewall.planner.plan import MOST_RANKS, PlanQuestion
from scalewall.planner.run import Run
from scalewall.planner.search import search
from scalewall.planner.space_rules import space_of

__all__ = ["divides", "explain_emptiness", "has_layouts"]

_SUGGESTED = 3


def has_layouts(question: PlanQuestion) -> bool:
    """Whether any layout can run the run, were memory endless."""
    space = space_of(question)
    if not space.splits:
        return False
    return bool(search(replace(question, top=1), space, math.inf).tally["evaluated"])


def explain_emptiness(question: PlanQuestion) -> InputError:
    """Return the error for a question without layouts: the bound to loosen with values that do, or the counts."""
    bare = replace(question, bounds=())
    if not has_layouts(bare):
        return _counts(question)
    for bound in reversed(question.bounds):
        others = replace(question, bounds=tuple(one for one in question.bounds if one is not bound))
        if has_layouts(others):
            return _loosen(bound, others)
    given = ", ".join(map(str, question.bounds))
    return InputError(
        "--bound", given, "bounds that leave a layout; no single one is to blame: drop two or more"
    )


def _loosen(bound: Bound, others: PlanQuestion) -> InputError:
    """Return the error for a bound that excludes everything the others leave."""
    usable = space_of(others).values_of(bound.name)
    words = ", ".join(map(str, usable[:12])) + (", ..." if len(usable) > 12 else "")
    rest = ", ".join(str(one) for one in others.bounds)
    beside = f" beside {rest}" if rest else ""
    wanted = [choice for choice in bound.choices if isinstance(choice, int)] or [bound.low or bound.high]
    allowed = f"{bound.name} of {words}{beside}: loosen this bound{_cause(bound, others.run)}"
    numbers = [one for one in usable if isinstance(one, int)]
    near = sorted(numbers, key=lambda one: abs(one - int(wanted[0])))[:_SUGGESTED] if numbers else usable
    return InputError(
        "--bound", str(bound), allowed, [f"{bound.name}={value}" for value in near[:_SUGGESTED]]
    )


def _cause(bound: Bound, run: Run) -> str:
    """Say in brackets where the sequence or the batch is why none of the values asked for will do."""
    wanted = [choice for choice in bound.choices if isinstance(choice, int) and choice > 1]
    if wanted and bound.name == "cp" and all(run.sequence % (2 * cp) for cp in wanted):
        return f" (2 x cp pieces do not divide a sequence of {run.sequence} tokens)"
    if wanted and bound.name == "dp" and all(run.global_batch % dp for dp in wanted):
        return f" (does not divide the global batch of {run.global_batch})"
    return ""


def _counts(question: PlanQuestion) -> InputError:
    """Return the error for accelerators over which the batch does not divide; what it suggests keeps to the bounds."""
    run, ranks = question.run, question.ranks
    batch = run.global_batch
    any_batch = replace(question, run=replace(run, global_batch=ranks))
    if not space_of(any_batch).splits:
        question, any_batch = replace(question, bounds=()), replace(any_batch, bounds=())
    fewest = int(min(space_of(any_batch).values_of("dp")))
    below = batch // fewest * fewest
    batches = [str(size) for size in (below, below + fewest) if size]
    others = sorted(
        (
            count
            for count in range(max(1, ranks - 64), min(MOST_RANKS, ranks + 64) + 1)
            if count != ranks and space_of(replace(question, ranks=count)).splits
        ),
        key=lambda count: (abs(count - ranks), count),
    )[:_SUGGESTED]
    allowed = (
        f"a number of accelerators over which a global batch of {batch} divides "
        f"(or a batch of {' or '.join(batches)} for {ranks})"
    )
    return InputError("--gpus", ranks, allowed, [str(count) for count in others])


def divides(question: PlanQuestion, ranks: int) -> bool:
    """Whether some split of ``ranks`` gives a data-parallel degree that divides the batch."""
    return bool(space_of(replace(question, ranks=ranks, bounds=())).splits)
