"""The space that a search is exact over: which values each knob of the layout takes, and why not others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from scalewall.planner.bounds import Bound, allows
from scalewall.planner.layout import SCHEDULES, Recompute
from scalewall.planner.offers import EVERYTHING, Offers, offers_of
from scalewall.planner.pipeline import parts_keep_pace
from scalewall.planner.plan import Excluded, PlanQuestion
from scalewall.planner.run import divisors_of, splits_heads

__all__ = ["Again", "Space", "Split", "Variant", "space_of"]

Again = tuple[Recompute, tuple[str, ...]]
"""A kind of recomputation, and what a selective one picks."""

_MODULES_OF_EXPERTS = ("moe", "mla_up_proj")


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
        inside = {1, tp} if not _bounded(question.bounds, "etp") else divisors_of(question.ranks)
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

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The space in words, a knob each."""
        degrees = {name: sorted({getattr(split, name) for split in self.splits}) for name in ("tp", "cp")}
        shapes = sorted({shape for split in self.splits for shape in split.shapes})
        sizes = sorted({size for split in self.splits for size in split.microbatches})
        variants = {variant for split in self.splits for variant in split.variants}
        lines = [
            f"TP {_listed(degrees['tp'])}",
            f"CP {_listed(degrees['cp'])}",
            f"PP {_listed({pp for pp, _ in shapes})}",
            f"chunks a stage {_listed({chunks for _, chunks in shapes})}",
            f"microbatches of {_listed(sizes)}",
            f"schedules {', '.join(sorted({one.schedule for one in variants}))}",
            f"sharding {', '.join(sorted({one.sharding for one in variants}))}",
            f"recomputation {', '.join(_again_words(one) for one in self.again)}",
        ]
        if self.question.run.model.experts:
            pairs = [pair for tp in degrees["tp"] for pair in self.expert_degrees(tp)]
            lines.insert(
                3, f"EP {_listed({ep for ep, _ in pairs})}, expert TP {_listed({etp for _, etp in pairs})}"
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


def _listed(numbers: Iterable[int]) -> str:
    ordered = sorted(set(numbers))
    if len(ordered) <= 6:
        return ", ".join(map(str, ordered))
    return f"{ordered[0]} to {ordered[-1]} ({len(ordered)} values)"


def _bounded(bounds: Iterable[Bound], name: str) -> bool:
    return any(bound.name == name for bound in bounds)


def space_of(question: PlanQuestion) -> Space:
    """Return the space that a question is searched over; it may be empty."""
    offers = EVERYTHING if question.ideal else offers_of(question.profile.name)
    excluded: list[Excluded] = []
    again = _again(question, offers, excluded)
    schedules = _schedules(question, offers, excluded)
    tensor = _tensor(question, offers, excluded)
    splits = []
    for cp in _context(question, offers, excluded):
        for tp in tensor:
            split = _split(question, offers, schedules, tp, cp)
            if split is not None:
                splits.append(split)
    excluded += _depths(question, splits)
    excluded += _batch(question, tensor, splits)
    return Space(question, offers, tuple(splits), again, tuple(excluded))


def _tensor(question: PlanQuestion, offers: Offers, excluded: list[Excluded]) -> list[int]:
    """Degrees of tensor parallelism: divisors of the heads inside a fast domain."""
    device, bounds = question.run.device, question.bounds
    if not offers.tp and not _bounded(bounds, "tp"):
        excluded.append(Excluded("TP above 1", f"{question.profile.name} has no tensor parallelism"))
        return [1]
    degrees = [
        tp
        for tp in divisors_of(question.run.model.heads)
        if question.ranks % tp == 0 and allows(bounds, "tp", tp)
    ]
    domain = device.fast_ranks
    beyond = [tp for tp in degrees if tp > domain]
    odd = [tp for tp in degrees if tp < domain and domain % tp and tp & (tp - 1)]
    if beyond:
        excluded.append(Excluded(f"TP {_listed(beyond)}", f"crosses the fast domain of {domain}"))
    if odd:
        excluded.append(Excluded(f"TP {_listed(odd)}", f"does not divide the fast domain of {domain}"))
    fitting = [tp for tp in degrees if tp not in beyond and tp not in odd]
    uneven = [tp for tp in fitting if not splits_heads(question.run.model, tp)]
    if uneven:
        heads = question.run.model.kv_heads
        excluded.append(Excluded(f"TP {_listed(uneven)}", f"does not split {heads} key/value heads evenly"))
    return [tp for tp in fitting if tp not in uneven]


def _context(question: PlanQuestion, offers: Offers, excluded: list[Excluded]) -> list[int]:
    """Degrees of context parallelism: each rank gets two pieces of the sequence."""
    bounds, sequence = question.bounds, question.run.sequence
    if not offers.cp and not _bounded(bounds, "cp"):
        excluded.append(Excluded("CP above 1", f"{question.profile.name} has no context parallelism"))
        return [1]
    degrees = [cp for cp in divisors_of(question.ranks) if allows(bounds, "cp", cp)]
    cut = [cp for cp in degrees if cp > 1 and sequence % (2 * cp)]
    if cut:
        excluded.append(
            Excluded(f"CP {_listed(cut)}", f"2 x CP pieces do not divide a sequence of {sequence} tokens")
        )
    return [cp for cp in degrees if cp not in cut]


def _again(question: PlanQuestion, offers: Offers, excluded: list[Excluded]) -> tuple[Again, ...]:
    """Kinds of recomputation that can pay."""
    model, profile, bounds = question.run.model, question.profile, question.bounds
    found: list[Again] = []
    for kind in get_args(Recompute):
        offered = kind in offers.recompute or _bounded(bounds, "recompute")
        if not offered or not allows(bounds, "recompute", kind):
            continue
        if kind != "selective":
            found.append((kind, ()))
            continue
        for module in offers.modules or EVERYTHING.modules:
            if module == "core_attn":
                if profile.attention == "unfused":
                    found.append((kind, ()))
                else:
                    excluded.append(
                        Excluded(
                            "recompute core attention", "fused attention keeps no scores: it saves nothing"
                        )
                    )
            elif module == "mlp" and model.experts is None:
                found.append((kind, (module,)))
            elif module in _MODULES_OF_EXPERTS and model.experts is not None:
                if module != "mla_up_proj" or model.latent:
                    found.append((kind, (module,)))
            elif module in ("op", "layernorm"):
                found.append((kind, (module,)))
    return tuple(found)


def _schedules(question: PlanQuestion, offers: Offers, excluded: list[Excluded]) -> list[str]:
    """Schedules of the pipeline; GPipe only if asked for, since 1F1B is as fast with less memory."""
    bounds = question.bounds
    if _bounded(bounds, "schedule"):
        return [name for name in SCHEDULES if allows(bounds, "schedule", name)]
    missing = [name for name in SCHEDULES if name not in offers.schedules]
    if missing:
        excluded.append(
            Excluded(f"schedules {', '.join(missing)}", f"{question.profile.name} does not offer them")
        )
    if "1f1b" in offers.schedules and "gpipe" in offers.schedules:
        excluded.append(Excluded("schedule gpipe", "1f1b takes as long and holds less: never better"))
    return [name for name in offers.schedules if name != "gpipe"]


def _split(question: PlanQuestion, offers: Offers, schedules: list[str], tp: int, cp: int) -> Split | None:
    """Return what goes with TP and CP, or None if nothing does."""
    run, bounds = question.run, question.bounds
    pieces = 2 * cp if cp > 1 else 1
    if question.ranks % (tp * cp) or run.sequence % (pieces * tp):
        return None
    shapes: list[tuple[int, int]] = []
    sizes: set[int] = set()
    for pp in divisors_of(question.ranks // (tp * cp)):
        dp = question.ranks // (tp * cp * pp)
        if pp > run.model.layers or run.global_batch % dp:
            continue
        if not allows(bounds, "pp", pp) or not allows(bounds, "dp", dp):
            continue
        found = [(pp, chunks) for chunks in _chunks(question, offers, pp, schedules)]
        if found:
            shapes += found
            sizes.update(divisors_of(run.global_batch // dp))
    pipelined = any(pp > 1 for pp, _ in shapes)
    variants = tuple(_variants(question, offers, schedules, tp, pipelined))
    shapes = [shape for shape in shapes if any(variant.pipelined == (shape[0] > 1) for variant in variants)]
    microbatches = tuple(size for size in sorted(sizes) if allows(bounds, "microbatch", size))
    return Split(tp, cp, tuple(shapes), microbatches, variants) if shapes and microbatches else None


def _chunks(question: PlanQuestion, offers: Offers, pp: int, schedules: list[str]) -> list[int]:
    """Chunks a stage with ``pp`` stages; none if this many stages cannot be."""
    layers, bounds = question.run.model.layers, question.bounds
    if pp > 1 and not offers.stages and not _bounded(bounds, "pp"):
        return []
    most = 1
    if pp > 1 and "1f1b" in schedules and (offers.chunks or _bounded(bounds, "chunks")):
        most = (layers + 2) // pp
    found = [
        chunks
        for chunks in range(1, max(1, most) + 1)
        if allows(bounds, "chunks", chunks) and (offers.uneven or layers % (pp * chunks) == 0)
    ]
    if _bounded(bounds, "chunks"):
        return found
    return [chunks for chunks in found if parts_keep_pace(question.run.model, pp, chunks)]


def _variants(
    question: PlanQuestion, offers: Offers, schedules: list[str], tp: int, pipelined: bool
) -> Iterable[Variant]:
    """Schedules and shardings, without and with a pipeline."""
    bounds = question.bounds
    free = _bounded(bounds, "sharding")
    domain = question.run.device.fast_ranks // tp
    for with_stages in (False, True) if pipelined else (False,):
        offered = offers.with_stages if with_stages else offers.shardings
        for schedule in schedules if with_stages else schedules[:1]:
            for sharding in EVERYTHING.shardings:
                if not allows(bounds, "sharding", sharding) or not (free or sharding in offered):
                    continue
                for ranks in _shard_ranks(bounds, sharding, domain):
                    yield Variant(schedule, sharding, ranks, with_stages)


def _shard_ranks(bounds: Iterable[Bound], sharding: str, domain: int) -> list[int]:
    """Over how many ranks to shard: all, or those of a fast domain (HSDP); whatever a bound names."""
    named = [choice for bound in bounds if bound.name == "shard_ranks" for choice in bound.choices]
    if named:
        return [int(choice) for choice in named if allows(bounds, "shard_ranks", choice)]
    if sharding in ("gradients", "parameters") and domain > 1:
        return [ranks for ranks in (0, domain) if allows(bounds, "shard_ranks", ranks)]
    return [0] if allows(bounds, "shard_ranks", 0) else []


def _depths(question: PlanQuestion, splits: list[Split]) -> list[Excluded]:
    """Return the interleaving that leaves parts of different depth."""
    shapes = {shape for split in splits for shape in split.shapes}
    layers, stages = question.run.model.layers, {pp for pp, _ in shapes if pp > 1}
    most = max((chunks for _, chunks in shapes), default=1)
    missing = sum((layers + 2) // pp for pp in stages) - sum(pp > 1 for pp, _ in shapes)
    if most == 1 or missing <= 0 or _bounded(question.bounds, "chunks"):
        return []
    reason = f"{layers} layers leave parts of different depth, which wait for each other"
    return [Excluded(f"{missing} of the interleaved pipelines", reason)]


def _batch(question: PlanQuestion, tensor: list[int], splits: list[Split]) -> list[Excluded]:
    """Return what the batch rules out: data-parallel degrees that do not divide it."""
    batch, ranks = question.run.global_batch, question.ranks
    degrees = {
        ranks // (tp * pp)
        for tp in tensor
        for pp in divisors_of(ranks // tp)
        if pp <= question.run.model.layers and batch % (ranks // (tp * pp))
    }
    if not degrees:
        return []
    return [Excluded(f"DP {_listed(degrees)}", f"does not divide the global batch of {batch}")]
