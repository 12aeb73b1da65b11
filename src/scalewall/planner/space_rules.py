"""What belongs to the space of a search and what does not, with the reason and how many layouts it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import get_args

from scalewall.planner.bounds import allows, is_bounded
from scalewall.planner.layout import SCHEDULES, Recompute
from scalewall.planner.offers import EVERYTHING, Offers, offers_of
from scalewall.planner.pipeline import parts_keep_pace
from scalewall.planner.plan import Excluded, PlanQuestion
from scalewall.planner.run import divisors_of, splits_heads
from scalewall.planner.space import Again, Space, Split, Variant, listed

__all__ = ["space_of"]

_MODULES_OF_EXPERTS = ("moe", "mla_up_proj")
_INTERLEAVED = "1f1b"


@dataclass(frozen=True)
class _Rules:
    """A question with what its software offers."""

    question: PlanQuestion
    offers: Offers

    def allows(self, knob: str, value: int | str) -> bool:
        """Whether the bounds allow a value."""
        return allows(self.question.bounds, knob, value)

    def free(self, knob: str, offered: bool) -> bool:
        """Whether the software offers something, or a bound on the knob asks beyond that."""
        return offered or is_bounded(self.question.bounds, knob)


def space_of(question: PlanQuestion) -> Space:
    """Return the space that a question is searched over; it may be empty."""
    rules = _Rules(question, EVERYTHING if question.ideal else offers_of(question.profile.name))
    contexts, outside = _contexts(rules), _crossing(rules)
    splits = [_split(rules, tp, cp) for cp in contexts for tp in _tensors(rules)]
    space = Space(question, rules.offers, tuple(split for split in splits if split), _again(rules), ())
    excluded = (
        *_no_offer(rules),
        *_tensor_reasons(rules, space, contexts, outside),
        *_context_reasons(rules),
        *_schedule_reasons(rules, space),
        *_pipeline_reasons(rules, space),
        *_batch_reasons(rules),
    )
    return replace(space, excluded=tuple(excluded))


def _dividing(rules: _Rules) -> list[int]:
    """Divisors of the heads and of the accelerators within bounds."""
    question = rules.question
    if not rules.free("tp", rules.offers.tp):
        return [1]
    heads = divisors_of(question.run.model.heads)
    return [tp for tp in heads if question.ranks % tp == 0 and rules.allows("tp", tp)]


def _crossing(rules: _Rules) -> dict[str, list[int]]:
    """Degrees of tensor parallelism that fit no fast domain, by the reason."""
    domain = rules.question.run.device.fast_ranks
    degrees = _dividing(rules)
    return {
        f"crosses the fast domain of {domain}": [tp for tp in degrees if tp > domain],
        f"does not divide the fast domain of {domain}": [
            tp for tp in degrees if tp < domain and domain % tp and tp & (tp - 1)
        ],
    }


def _tensors(rules: _Rules) -> list[int]:
    """Degrees of tensor parallelism inside a fast domain that split all heads."""
    outside = {tp for degrees in _crossing(rules).values() for tp in degrees}
    model = rules.question.run.model
    return [tp for tp in _dividing(rules) if tp not in outside and splits_heads(model, tp)]


def _contexts(rules: _Rules) -> list[int]:
    """Degrees of context parallelism: each rank gets two pieces of the sequence."""
    question = rules.question
    if not rules.free("cp", rules.offers.cp):
        return [1]
    degrees = (cp for cp in divisors_of(question.ranks) if rules.allows("cp", cp))
    return [cp for cp in degrees if cp == 1 or question.run.sequence % (2 * cp) == 0]


def _again(rules: _Rules) -> tuple[Again, ...]:
    """Kinds of recomputation that can pay."""
    return tuple(
        again
        for kind in get_args(Recompute)
        if rules.free("recompute", kind in rules.offers.recompute) and rules.allows("recompute", kind)
        for again in (_parts(rules) if kind == "selective" else [(kind, ())])
    )


def _parts(rules: _Rules) -> Iterator[Again]:
    """Parts of a layer that selective recomputation can pick, where the model has them and keeps something for them."""
    model = rules.question.run.model
    for module in rules.offers.modules or EVERYTHING.modules:
        if module == "core_attn":
            if rules.question.profile.attention == "unfused":
                yield "selective", ()
        elif module in _MODULES_OF_EXPERTS:
            if model.experts is not None and (module != "mla_up_proj" or model.latent):
                yield "selective", (module,)
        elif module != "mlp" or model.experts is None:
            yield "selective", (module,)


def _schedules(rules: _Rules) -> list[str]:
    """Schedules of the pipeline; GPipe only if asked for, since 1F1B is as fast with less memory."""
    if is_bounded(rules.question.bounds, "schedule"):
        return [name for name in SCHEDULES if rules.allows("schedule", name)]
    return [name for name in rules.offers.schedules if name != "gpipe"]


def _split(rules: _Rules, tp: int, cp: int) -> Split | None:
    """Return what goes with TP and CP, or None if nothing does."""
    question, run = rules.question, rules.question.run
    pieces = 2 * cp if cp > 1 else 1
    if question.ranks % (tp * cp) or run.sequence % (pieces * tp):
        return None
    shapes: list[tuple[int, int]] = []
    sizes: set[int] = set()
    for pp in divisors_of(question.ranks // (tp * cp)):
        dp = question.ranks // (tp * cp * pp)
        if pp > run.model.layers or run.global_batch % dp or not rules.allows("pp", pp):
            continue
        chunks = _chunks(rules, pp) if rules.allows("dp", dp) else []
        if chunks:
            shapes += [(pp, count) for count in chunks]
            sizes.update(divisors_of(run.global_batch // dp))
    variants = tuple(_variants(rules, tp))
    kinds = {variant.pipelined for variant in variants}
    shapes = [(pp, chunks) for pp, chunks in shapes if (pp > 1) in kinds]
    microbatches = tuple(size for size in sorted(sizes) if rules.allows("microbatch", size))
    return Split(tp, cp, tuple(shapes), microbatches, variants) if shapes and microbatches else None


def _whole_chunks(rules: _Rules, pp: int) -> list[int]:
    """Chunks a stage with ``pp`` stages, whatever their depths; none if there cannot be so many stages."""
    layers = rules.question.run.model.layers
    if pp > 1 and not rules.free("pp", rules.offers.stages):
        return []
    interleaved = pp > 1 and _INTERLEAVED in _schedules(rules) and rules.free("chunks", rules.offers.chunks)
    most = max(1, (layers + 2) // pp) if interleaved else 1
    return [chunks for chunks in range(1, most + 1) if rules.allows("chunks", chunks)]


def _chunks(rules: _Rules, pp: int) -> list[int]:
    """Chunks whose layers divide where the software wants it, and whose parts keep pace."""
    model, asked = rules.question.run.model, is_bounded(rules.question.bounds, "chunks")
    return [
        chunks
        for chunks in _whole_chunks(rules, pp)
        if rules.offers.uneven or model.layers % (pp * chunks) == 0
        if asked or parts_keep_pace(model, pp, chunks)
    ]


def _variants(rules: _Rules, tp: int) -> Iterator[Variant]:
    """Schedules and shardings, without and with a pipeline."""
    domain = rules.question.run.device.fast_ranks // tp
    schedules = _schedules(rules)
    for pipelined, offered in ((False, rules.offers.shardings), (True, rules.offers.with_stages)):
        for schedule in schedules if pipelined else schedules[:1]:
            for sharding in EVERYTHING.shardings:
                if rules.free("sharding", sharding in offered) and rules.allows("sharding", sharding):
                    for ranks in _shard_ranks(rules, sharding, domain):
                        yield Variant(schedule, sharding, ranks, pipelined)


def _shard_ranks(rules: _Rules, sharding: str, domain: int) -> list[int]:
    """Over how many ranks to shard: all, or those of a fast domain (HSDP); whatever a bound names."""
    bounds = rules.question.bounds
    usual = [0, domain] if sharding in ("gradients", "parameters") and domain > 1 else [0]
    named = [int(choice) for bound in bounds if bound.name == "shard_ranks" for choice in bound.choices]
    return [ranks for ranks in (named or usual) if rules.allows("shard_ranks", ranks)]


def _no_offer(rules: _Rules) -> Iterator[Excluded]:
    """What the software does not have at all."""
    offers, name = rules.offers, rules.question.profile.name
    for knob, offered, region, words in (
        ("tp", offers.tp, "TP above 1", "tensor parallelism"),
        ("cp", offers.cp, "CP above 1", "context parallelism"),
        ("pp", offers.stages, "PP above 1", "pipeline"),
        ("chunks", offers.chunks or not offers.stages, "more than one chunk a stage", "interleaving"),
    ):
        if not rules.free(knob, offered):
            yield Excluded(region, f"{name} has no {words}")
    sharded = set(offers.shardings) | set(offers.with_stages)
    if not rules.free("sharding", len(sharded) == len(EVERYTHING.shardings)):
        missing = [sharding for sharding in EVERYTHING.shardings if sharding not in sharded]
        yield Excluded(f"sharding {', '.join(missing)}", f"{name} does not offer it")
    alone = [sharding for sharding in offers.shardings if sharding not in offers.with_stages]
    if offers.stages and not rules.free("sharding", not alone):
        yield Excluded(f"sharding {', '.join(alone)} in a pipeline", f"{name} does not offer it")
    if "core_attn" in offers.modules and rules.question.profile.attention != "unfused":
        yield Excluded("recompute core attention", "fused attention keeps no scores: it saves nothing")


def _tensor_reasons(
    rules: _Rules, space: Space, contexts: list[int], outside: dict[str, list[int]]
) -> Iterator[Excluded]:
    """Tensor parallelism beyond a fast domain, and what does not split keys and values."""
    for reason, degrees in outside.items():
        if degrees:
            splits = [_split(rules, tp, cp) for tp in degrees for cp in contexts]
            count = sum(space.combinations(split) for split in splits if split)
            yield Excluded(f"TP {listed(degrees)}", reason, count)
    beyond = {tp for degrees in outside.values() for tp in degrees}
    model = rules.question.run.model
    uneven = [tp for tp in _dividing(rules) if tp not in beyond and not splits_heads(model, tp)]
    if uneven:
        yield Excluded(f"TP {listed(uneven)}", f"does not split {model.kv_heads} key/value heads evenly")


def _context_reasons(rules: _Rules) -> Iterator[Excluded]:
    """Context parallelism that does not divide the sequence."""
    sequence = rules.question.run.sequence
    if rules.free("cp", rules.offers.cp):
        divisors = (cp for cp in divisors_of(rules.question.ranks) if rules.allows("cp", cp))
        cut = [cp for cp in divisors if cp > 1 and sequence % (2 * cp)]
        if cut:
            reason = f"2 x CP pieces do not divide a sequence of {sequence} tokens"
            yield Excluded(f"CP {listed(cut)}", reason)


def _schedule_reasons(rules: _Rules, space: Space) -> Iterator[Excluded]:
    """Schedules that the software does not offer, and GPipe."""
    if is_bounded(rules.question.bounds, "schedule") or not rules.offers.stages:
        return
    plain = sum(_plain_pipelines(space, split) for split in space.splits)
    missing = [name for name in SCHEDULES if name not in rules.offers.schedules]
    if missing:
        reason = f"{rules.question.profile.name} does not offer them"
        yield Excluded(f"schedules {', '.join(missing)}", reason, plain * len(missing))
    if "gpipe" in rules.offers.schedules:
        yield Excluded("schedule gpipe", "1f1b takes as long and holds less: never better", plain)


def _plain_pipelines(space: Space, split: Split) -> int:
    """Layouts of a split with a pipeline of one chunk a stage, of one schedule."""
    first = next((variant.schedule for variant in split.variants if variant.pipelined), "")
    one = tuple(variant for variant in split.variants if variant.pipelined and variant.schedule == first)
    shapes = tuple((pp, chunks) for pp, chunks in split.shapes if pp > 1 and chunks == 1)
    return space.combinations(replace(split, shapes=shapes, variants=one))


def _pipeline_reasons(rules: _Rules, space: Space) -> Iterator[Excluded]:
    """Pipelines whose parts differ in depth."""
    model, uneven, lagging = rules.question.run.model, 0, 0
    for split in space.splits:
        for pp in {pp for pp, _ in split.shapes if pp > 1}:
            kept = {chunks for stages, chunks in split.shapes if stages == pp}
            for chunks in _whole_chunks(rules, pp):
                if chunks not in kept:
                    count = space.combinations(replace(split, shapes=((pp, chunks),)))
                    if rules.offers.uneven or model.layers % (pp * chunks) == 0:
                        lagging += count
                    else:
                        uneven += count
    if uneven:
        reason = f"{rules.question.profile.name} wants the {model.layers} layers divided evenly"
        yield Excluded("chunks of unequal depth", reason, uneven)
    if lagging:
        yield Excluded("chunks of unequal depth", "stages wait for the deepest in every round", lagging)


def _batch_reasons(rules: _Rules) -> Iterator[Excluded]:
    """Data-parallel degrees that do not divide the batch."""
    question, run = rules.question, rules.question.run
    degrees = {
        question.ranks // (tp * pp)
        for tp in _tensors(rules)
        for pp in divisors_of(question.ranks // tp)
        if pp <= run.model.layers and run.global_batch % (question.ranks // (tp * pp))
    }
    if degrees:
        yield Excluded(f"DP {listed(degrees)}", f"does not divide the global batch of {run.global_batch}")
