"""What would let a run fit that does not in any layout of its space: each change is made and evaluated."""

from __future__ import annotations

from dataclasses import replace

from scalewall.planner.plan import MOST_RANKS, PlanFix, PlanQuestion
from scalewall.planner.search import search
from scalewall.planner.space_rules import space_of

__all__ = ["helpful_changes"]

_MORE = (1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 32, 64)
"""How many times the accelerators to try, smallest first, after one more fast domain."""


def helpful_changes(question: PlanQuestion) -> tuple[PlanFix, ...]:
    """Return the smallest changes after which a plan fits: each bound dropped, and the fewest more accelerators tried.

    Parameters
    ----------
    question : PlanQuestion
        One that no layout of its space fits.
    """
    found = []
    for bound in question.bounds:
        rest = tuple(one for one in question.bounds if one is not bound)
        fix = _tried(replace(question, bounds=rest), f"drop --bound {bound}")
        if fix:
            found.append(fix)
    if not found and len(question.bounds) > 1:
        fix = _tried(replace(question, bounds=()), "drop all bounds")
        if fix:
            found.append(fix)
    for ranks in _counts(question):
        fix = _tried(replace(question, ranks=ranks), f"{ranks} accelerators instead of {question.ranks}")
        if fix:
            found.append(fix)
            break
    return tuple(found)


def _counts(question: PlanQuestion) -> list[int]:
    """Whole fast domains above the accelerators asked for, or powers of two below one; fewest first."""
    domain = question.run.device.fast_ranks
    wanted = (
        question.ranks + 1,
        question.ranks + domain,
        *(int(question.ranks * factor) for factor in _MORE),
    )
    whole = {
        2 ** (count - 1).bit_length() if count <= domain else -(-count // domain) * domain for count in wanted
    }
    return sorted(count for count in whole if question.ranks < count <= MOST_RANKS)


def _tried(question: PlanQuestion, change: str) -> PlanFix | None:
    """Return the change with its best plan, or None if still nothing fits."""
    space = space_of(question)
    if not space.splits:
        return None
    found = search(replace(question, top=1), space, question.run.device.memory_bytes)
    if not found.seconds.size:
        return None
    best = int(found.seconds.argmin())
    return PlanFix(change, found.layout(best), float(found.seconds[best]), float(found.memory[best]))
