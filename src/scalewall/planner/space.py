"""The space that a search is exact over: which values each knob of the layout takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from scalewall.planner.bounds import allows, is_bounded
from scalewall.planner.layout import Recompute, Sharding
from scalewall.planner.offers import Offers
from scalewall.planner.plan import Excluded, PlanQuestion
from scalewall.planner.run import divisors_of

__all__ = ["Again", "Space", "Split", "Variant", "listed"]

Again = tuple[Recompute, tuple[str, ...]]
"""A kind of recomputation, and what a selective one picks."""


@dataclass(frozen=True)
class Variant:
    """Schedule, sharding, and over how many ranks the sharding goes (0: all)."""

    schedule: str
    sharding: str
    shard_ranks: int
    pipelined: bool


@dataclass(frozen=True)
class Split:
    """Tensor and context parallelism, with the pipelines and microbatches that go with them.

    Parameters
    ----------
    tp, cp : int
        Degrees.
    shapes : tuple of (pp, chunks)
        Pipelines.
    microbatches : tuple of int
        Sizes (sequences) that divide some data-parallel rank's share of the batch, smallest first.
    variants : tuple of Variant
        Schedules and shardings.
    """

    tp: int
    cp: int
    shapes: tuple[tuple[int, int], ...]
    microbatches: tuple[int, ...]
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class Space:
    """Every layout that a search looks at.

    Parameters
    ----------
    question : PlanQuestion
        What was asked.
    offers : Offers
        What the software can do.
    splits : tuple of Split
        Degrees that the accelerators, the model and the sequence allow.
    again : tuple of Again
        Kinds of recomputation.
    excluded : tuple of Excluded
        What was left out before anything was evaluated.
    """

    question: PlanQuestion
    offers: Offers
    splits: tuple[Split, ...]
    again: tuple[Again, ...]
    excluded: tuple[Excluded, ...]

    def expert_degrees(self, tp: int) -> list[tuple[int, int]]:
        """Return expert parallelism and tensor parallelism inside experts: of divisors of the experts, and 1 or TP."""
        question, experts = self.question, self.question.run.model.experts
        if experts is None:
            return [(1, 1)] if allows(question.bounds, "ep", 1) and allows(question.bounds, "etp", 1) else []
        inside = divisors_of(question.ranks) if is_bounded(question.bounds, "etp") else {1, tp}
        return [
            (ep, etp)
            for etp in sorted(inside)
            if allows(question.bounds, "etp", etp) and experts.ffn % etp == 0
            for ep in divisors_of(experts.routed)
            if allows(question.bounds, "ep", ep) and question.ranks % (ep * etp) == 0
        ]

    def values_of(self, knob: str) -> list[int | str]:
        """Return the values that a knob of the layout takes, in order."""
        if knob == "recompute":
            return list(dict.fromkeys(kind for kind, _ in self.again))
        found: set[int | str] = set()
        for split in self.splits:
            found |= _values(self, split, knob)
        return sorted(found, key=lambda value: (isinstance(value, str), value))

    def combinations(self, split: Split) -> int:
        """Return how many layouts go with a split, whether the microbatches suit them or not."""
        pipelines = (
            sum(variant.pipelined == (pp > 1) for variant in split.variants) for pp, _ in split.shapes
        )
        kinds = len(self.again) * len(self.expert_degrees(split.tp))
        return sum(pipelines) * len(split.microbatches) * kinds

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The space in words, a knob each."""
        degrees = {name: sorted({getattr(split, name) for split in self.splits}) for name in ("tp", "cp")}
        shapes = sorted({shape for split in self.splits for shape in split.shapes})
        sizes = sorted({size for split in self.splits for size in split.microbatches})
        variants = {variant for split in self.splits for variant in split.variants}
        sharded = {variant.sharding for variant in variants}
        lines = [
            f"TP {listed(degrees['tp'])}",
            f"CP {listed(degrees['cp'])}",
            f"PP {listed({pp for pp, _ in shapes})}",
            f"chunks a stage {listed({chunks for _, chunks in shapes})}",
            f"microbatches of {listed(sizes)}",
            f"schedules {', '.join(sorted({one.schedule for one in variants}))}",
            f"sharding {', '.join(one for one in get_args(Sharding) if one in sharded)}",
            f"recomputation {', '.join(_again_words(one) for one in self.again)}",
        ]
        if self.question.run.model.experts:
            pairs = [pair for tp in degrees["tp"] for pair in self.expert_degrees(tp)]
            lines.insert(
                3, f"EP {listed({ep for ep, _ in pairs})}, expert TP {listed({etp for _, etp in pairs})}"
            )
        return tuple(lines)


def _values(space: Space, split: Split, knob: str) -> set[int | str]:
    """Values that a knob takes beside TP and CP of a split."""
    if knob in ("tp", "cp"):
        return {getattr(split, knob)}
    if knob == "microbatch":
        return set(split.microbatches)
    if knob in ("ep", "etp"):
        return {pair[knob == "etp"] for pair in space.expert_degrees(split.tp)}
    if knob in ("pp", "chunks"):
        return {shape[knob == "chunks"] for shape in split.shapes}
    if knob == "dp":
        return {space.question.ranks // (split.tp * split.cp * pp) for pp, _ in split.shapes}
    return {getattr(variant, knob) for variant in split.variants}


def _again_words(again: Again) -> str:
    kind, modules = again
    return ",".join(modules) if modules else "core attention" if kind == "selective" else kind


def listed(numbers: Iterable[int]) -> str:
    """Return numbers as words, many of them by their ends."""
    ordered = sorted(set(numbers))
    if len(ordered) <= 6:
        return ", ".join(map(str, ordered))
    return f"{ordered[0]} to {ordered[-1]} ({len(ordered)} values)"
