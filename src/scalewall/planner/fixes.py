"""What makes a run fit that does not: single changes of the layout, the cheapest in time first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from scalewall.errors import InputError
from scalewall.planner.layout import Layout
from scalewall.planner.memory import fit_of
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run
from scalewall.planner.step import step_time

__all__ = ["Fix", "cheapest_fixes"]


@dataclass(frozen=True)
class Fix:
    """A change of the layout with which the run fits.

    Parameters
    ----------
    change : str
        In words.
    layout : Layout
        With the change.
    needed : float
        Bytes of the fullest stage.
    slowdown : float
        Step time over that without the change.
    """

    change: str
    layout: Layout
    needed: float
    slowdown: float


def _changes(layout: Layout) -> Iterator[tuple[str, dict[str, object]]]:
    if layout.recompute == "none":
        yield "recompute core attention", {"recompute": "selective", "recompute_modules": ()}
        yield (
            "recompute the feed-forward part",
            {"recompute": "selective", "recompute_modules": ("mlp",)},
        )
    if layout.recompute != "full":
        yield "recompute whole layers", {"recompute": "full", "recompute_modules": ()}
    stages = ("none", "optimizer", "gradients", "parameters")
    for sharding in stages[stages.index(layout.sharding) + 1 :]:
        yield f"shard {sharding} over data-parallel ranks", {"sharding": sharding}
    if layout.microbatch % 2 == 0:
        yield "halve the microbatch", {"microbatch": layout.microbatch // 2}
    if layout.dp % 2 == 0:
        for name, words in (("tp", "tensor"), ("pp", "pipeline"), ("cp", "context")):
            yield f"double {words} parallelism", {name: 2 * getattr(layout, name), "dp": layout.dp // 2}


def cheapest_fixes(run: Run, layout: Layout, profile: Profile, count: int = 3) -> list[Fix]:
    """Return up to ``count`` single changes with which the run fits, the fastest first."""
    before = step_time(run, layout, profile).seconds
    found = []
    for change, values in _changes(layout):
        try:
            changed = replace(layout, **values)  # type: ignore[arg-type]
            fit = fit_of(run, changed, profile)
            if fit.fits:
                slowdown = step_time(run, changed, profile).seconds / before
                found.append(Fix(change, changed, fit.needed, slowdown))
        except InputError:
            continue
    return sorted(found, key=lambda fix: fix.slowdown)[:count]
