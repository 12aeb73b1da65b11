"""Memory on each pipeline stage: weights, gradients, optimizer state, activations, logits, buffers.

References
----------
[1] Korthikanti et al., "Reducing activation recomputation in large transformer models", arXiv 2205.05198 (2022):
    bytes of activations a layer, section 4.
[2] Rajbhandari et al., "ZeRO", arXiv 1910.02054 (2019): what each stage of sharding keeps.
[3] Narayanan et al., "Efficient large-scale language model training on GPU clusters", SC 2021: microbatches in
    flight under 1F1B, interleaved or not.
[4] Qi et al., "Zero bubble pipeline parallelism", arXiv 2401.10241 (2023): the same under zero bubble.
"""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.planner.constants import value
from scalewall.planner.layer import tokens_per_rank
from scalewall.planner.layout import Layout
from scalewall.planner.pipeline import Stage, stages
from scalewall.planner.profile import Profile
from scalewall.planner.run import BITS, Run, check_run
from scalewall.planner.weights import Weights, stage_weights
from scalewall.workload.transformer import Transformer

__all__ = ["Fit", "StageMemory", "fit_of", "in_flight", "layer_bytes", "stage_memory"]

_WEIGHT = value("memory.weight_bytes")
_OPTIMIZER = value("memory.optimizer_bytes")
_ALLOWANCE = value("memory.allowance")
_OP = value("recompute.op_matmul")
_MLP = value("recompute.mlp_matmul")
_SMALL = value("recompute.small")
_SCORE = value("memory.score_bytes")
_GATHERED_LAYERS = value("memory.gathered_layers")


_GRADIENTS_BESIDE = value("memory.gradients_beside")


@dataclass(frozen=True)
class StageMemory:
    """Bytes on one accelerator of one stage, by term; ``total`` is their sum."""

    stage: int
    terms: dict[str, float]

    @property
    def total(self) -> float:
        """Bytes in all."""
        return sum(self.terms.values())

    def largest(self, count: int = 3) -> list[str]:
        """Return the names of the largest terms, largest first."""
        return sorted(self.terms, key=lambda name: -self.terms[name])[:count]


@dataclass(frozen=True)
class Fit:
    """Whether a run fits.

    Parameters
    ----------
    fits : bool
        Whether the fullest stage stays below the capacity.
    stage : int
        The fullest stage.
    needed, capacity : float
        Bytes.
    largest : list of str
        The fullest stage's largest terms.
    """

    fits: bool
    stage: int
    needed: float
    capacity: float
    largest: list[str]

    @property
    def shortfall(self) -> float:
        """Bytes that are missing; 0 if it fits."""
        return max(0.0, self.needed - self.capacity)


def in_flight(layout: Layout, stage: int, microbatches: int) -> float:
    """Return how many microbatches' activations a stage holds at most, in whole stages.

    1F1B: ``p - i`` of stage ``i``; interleaved: ``(2 (p - i) - 1 + (v - 1) p) / v`` [3]; zero bubble: ``p`` and
    ``2 p - 1`` [4]; GPipe: all. Without a pipeline there is one, whatever the schedule.
    """
    p, v = layout.pp, layout.chunks
    if p == 1:
        return 1.0
    if layout.schedule == "gpipe":
        return float(microbatches)
    if layout.schedule == "zb-1p":
        return float(min(p, microbatches))
    if layout.schedule == "zb-2p":
        return float(min(2 * p - 1, microbatches))
    if layout.schedule == "dualpipe":
        return float(min(p + 1, microbatches))
    if v > 1:
        return min(2 * (p - stage) - 1 + (v - 1) * p, v * microbatches) / v
    return float(min(p - stage, microbatches))


def layer_bytes(run: Run, layout: Layout, profile: Profile, *, experts: bool) -> float:
    """Bytes of activations that one layer keeps for one microbatch on one rank, without recomputation.

    Korthikanti et al. [1] generalized: norms' inputs, inputs of the matmuls, queries, keys, values, the input of the
    activation; masks of dropout and all scores where attention is unfused.
    """
    model = run.model
    tokens = tokens_per_rank(run, layout)
    share = layout.tp if layout.sequence_parallel else 1
    queries = model.heads * (model.head_dim + model.value_dim)
    keys = model.kv_heads * (model.head_dim + model.value_dim)
    word = BITS[run.precision] / 8 if profile.low_inputs else 2.0
    gathered = 2 * word * model.hidden / (1 if profile.keeps_gathered else share)
    whole = 4.0 * model.hidden / share + gathered
    if model.latent:
        whole += 2.0 * (model.latent.kv_rank + model.latent.rope_dim + (model.latent.q_rank or 0))
    if profile.dropout:
        whole += 2.0 * model.hidden / share
    total = tokens * (whole + 2.0 * (queries + keys) / layout.tp)
    total += _feed_forward_bytes(model, layout, tokens, word, experts)
    if profile.attention == "unfused":
        total += _SCORE * tokens * run.sequence * model.heads / layout.tp
    return total


def _feed_forward_bytes(
    model: Transformer, layout: Layout, tokens: float, word: float, experts: bool
) -> float:
    """Bytes of the inputs of activation and second matmul; of every copy of a token, with experts."""
    element = (4.0 if model.gated else 2.0) + word
    if not experts or model.experts is None:
        return element * model.ffn * tokens / layout.tp
    routed = model.experts
    copies = tokens / layout.tp * routed.top_k
    return copies * (word * model.hidden + element * routed.ffn) + (
        element * routed.shared * routed.shared_ffn * tokens / layout.tp
    )


def _kept_bytes(run: Run, layout: Layout, profile: Profile, *, experts: bool) -> float:
    """Bytes that one layer keeps for one microbatch with the layout's recomputation."""
    model = run.model
    tokens = tokens_per_rank(run, layout)
    share = layout.tp if layout.sequence_parallel else 1
    whole = layer_bytes(run, layout, profile, experts=experts)
    if layout.recompute == "full":
        return 2.0 * tokens * model.hidden / share
    if layout.recompute == "none":
        return whole
    saved = 0.0
    for module in layout.recompute_modules or ("core_attn",):
        saved += _saved(run, layout, profile, module, whole)
    return max(whole - saved, 2.0 * tokens * model.hidden / share)


def _saved(run: Run, layout: Layout, profile: Profile, module: str, whole: float) -> float:
    """Bytes that recomputing a part of a layer saves."""
    model = run.model
    tokens = tokens_per_rank(run, layout)
    if module == "core_attn":
        return (
            _SCORE * tokens * run.sequence * model.heads / layout.tp
            if profile.attention == "unfused"
            else 0.0
        )
    if module == "op":
        return _OP * whole
    if module in ("mlp", "moe"):
        return _MLP * whole
    return _SMALL * whole


def stage_memory(run: Run, layout: Layout, profile: Profile) -> tuple[StageMemory, ...]:
    """Return what each stage holds at its peak.

    Raises
    ------
    InputError
        The layout cannot run the run.
    """
    microbatches = check_run(run, layout)
    held = stages(run.model, layout)
    return tuple(
        StageMemory(index, _stage_terms(run, layout, profile, stage, index, microbatches))
        for index, stage in enumerate(held)
    )


def _stage_terms(
    run: Run, layout: Layout, profile: Profile, stage: Stage, index: int, microbatches: int
) -> dict[str, float]:
    weights = stage_weights(run, layout, stage)
    kept = {
        kind: _kept_bytes(run, layout, profile, experts=kind) if count else 0.0
        for kind, count in ((False, stage.dense), (True, stage.experts))
    }
    activations = (stage.dense * kept[False] + stage.experts * kept[True]) * in_flight(
        layout, index, microbatches
    )
    tokens = tokens_per_rank(run, layout)
    terms = _state_terms(run, layout, profile, weights)
    terms["activations"] = activations
    if layout.recompute == "full":
        kinds = [kind for kind, count in ((False, stage.dense), (True, stage.experts)) if count]
        again = max((layer_bytes(run, layout, profile, experts=kind) for kind in kinds), default=0.0)
        terms["one layer again"] = (1 + _GRADIENTS_BESIDE) * again
    if stage.head:
        terms["logits"] = profile.logit_bytes * tokens * run.model.vocab / layout.tp
    terms["allowance"] = _ALLOWANCE
    return terms


def _state_terms(run: Run, layout: Layout, profile: Profile, weights: Weights) -> dict[str, float]:
    """Bytes of weights, gradients and optimizer state [2]."""
    shares = {
        "dense": (weights.dense, min(layout.gradient_ranks, layout.shard_ranks or layout.gradient_ranks)),
        "experts": (
            weights.experts,
            min(layout.expert_gradient_ranks, layout.shard_ranks or layout.expert_gradient_ranks),
        ),
    }
    sharded = {"none": 0, "optimizer": 1, "gradients": 2, "parameters": 3}[layout.sharding]
    terms = {"weights": 0.0, "gradients": 0.0, "optimizer": 0.0}
    for parameters, ranks in shares.values():
        terms["weights"] += _WEIGHT * parameters / (ranks if sharded >= 3 else 1)
        terms["gradients"] += profile.state_gradient_bytes * parameters / (ranks if sharded >= 2 else 1)
        terms["optimizer"] += _OPTIMIZER * parameters / (ranks if sharded >= 1 else 1)
    if sharded == 3:
        whole = weights.dense + weights.experts
        layers = max(1.0, weights.layers)
        if layout.pp > 1:
            terms["gathered"] = profile.unsharded_bytes * whole
        else:
            terms["gathered"] = (
                _WEIGHT * whole / layers * _GATHERED_LAYERS + profile.gradient_bytes * whole / layers
            )
    return terms


def fit_of(run: Run, layout: Layout, profile: Profile) -> Fit:
    """Return whether a run fits, on which stage not, and by how much.

    Raises
    ------
    InputError
        The layout cannot run the run.
    """
    fullest = max(stage_memory(run, layout, profile), key=lambda stage: stage.total)
    capacity = run.device.memory_bytes
    return Fit(fullest.total <= capacity, fullest.stage, fullest.total, capacity, fullest.largest())
