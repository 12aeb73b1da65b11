"""Memory on each pipeline stage: weights, gradients, optimizer state, activations, logits, buffers.

References
----------
[1] Korthikanti et al., "Reducing activation recomputation in large transformer models", arXiv 2205.05198 (2022):
    bytes of activations a layer, section 4.
[2] Rajbhandari et al., "ZeRO", arXiv 1910.02054 (2019): what each stage of sharding keeps.
[3] Narayanan et al., "Efficient large-scale language model training on GPU clusters", SC 2021: microbatches in
    flight under 1F1B, interleaved or not.
[4] Qi et al., "Zero bubble pipeline parallelism", arXiv 2401.10241 (2023): the same under zero bubble.
[5] DeepSeek-AI, "DeepSeek-V3 technical report", arXiv 2412.19437 (2024), table 2: two copies of the parameters and
    ``p + 1`` microbatches under DualPipe.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from scalewall._jit import formula
from scalewall.planner.constants import value
from scalewall.planner.data_parallel import shard_ranks
from scalewall.planner.figures import (
    DUALPIPE,
    GPIPE,
    GRADIENTS,
    OPTIMIZER,
    PARAMETERS,
    ZB_1P,
    ZB_2P,
    Degrees,
    Figures,
    degrees_of,
    figures_of,
)
from scalewall.planner.layer import tokens_per_rank
from scalewall.planner.layout import Layout
from scalewall.planner.pipeline import piece_counts
from scalewall.planner.profile import Profile
from scalewall.planner.run import BITS, Run, check_run
from scalewall.planner.weights import LayerParameters, layer_parameters, stage_parameters
from scalewall.workload.experts import Experts
from scalewall.workload.transformer import Transformer

__all__ = [
    "Fit",
    "Kept",
    "StageMemory",
    "StageTerms",
    "fit_in",
    "fit_of",
    "in_flight",
    "kept_bytes",
    "kept_of",
    "layer_bytes",
    "stage_memory",
    "stage_terms",
]

_OP = value("recompute.op_matmul")
_SCORE = value("memory.score_bytes")


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


class Kept(NamedTuple):
    """Bytes that one rank holds of one microbatch.

    ``dense`` and ``experts``: a layer's activations that wait for the backward pass; ``dense_again`` and
    ``experts_again``: all of a layer's activations, where they are computed again (else 0); ``logits``: of the head.
    """

    dense: float
    experts: float
    dense_again: float
    experts_again: float
    logits: float


class StageTerms(NamedTuple):
    """Bytes on one accelerator of one stage, by term."""

    weights: float
    gradients: float
    optimizer: float
    gathered: float
    activations: float
    one_layer_again: float
    logits: float
    allowance: float


@formula
def _flying(degrees: Degrees, stage: int, microbatches: int) -> float:
    p, v = degrees.pp, degrees.chunks
    if p == 1:
        return 1.0
    if degrees.schedule == GPIPE:
        return float(microbatches)
    if degrees.schedule == ZB_1P:
        return float(min(p, microbatches))
    if degrees.schedule == ZB_2P:
        return float(min(2 * p - 1, microbatches))
    if degrees.schedule == DUALPIPE:
        return float(min(p + 1, microbatches))
    if v > 1:
        return min(2 * (p - stage) - 1 + (v - 1) * p, v * microbatches) / v
    return float(min(p - stage, microbatches))


def in_flight(layout: Layout, stage: int, microbatches: int) -> float:
    """Return how many microbatches' activations a stage holds at most, in whole stages.

    1F1B: ``p - i`` of stage ``i``; interleaved: ``(2 (p - i) - 1 + (v - 1) p) / v`` [3]; zero bubble: ``p`` and
    ``2 p - 1`` [4]; DualPipe: ``p + 1`` [5]; GPipe: all. Without a
    pipeline: one.
    """
    return _flying(degrees_of(layout), stage, microbatches)


@formula
def stage_terms(
    figures: Figures,
    degrees: Degrees,
    own: LayerParameters,
    kept: Kept,
    dense: float,
    experts: float,
    stage: int,
    microbatches: int,
) -> StageTerms:
    """Return what one stage holds at its peak: the one formula of single plan and search.

    Weights, gradients and optimizer state by the stage of ZeRO [2]; DualPipe holds the weights of two stages, and
    their gradients [5].

    Parameters
    ----------
    figures, degrees
        Machine, software, layout.
    own : LayerParameters
        Parameters a rank holds of each kind of layer.
    kept : Kept
        Bytes a microbatch of each kind of layer.
    dense, experts : float
        Layers of each kind that the stage holds.
    stage : int
        Its number.
    microbatches : int
        Of a step.
    """
    first, last = stage == 0, stage == degrees.pp - 1
    weights = stage_parameters(own, dense, experts, first, last, figures.tied)
    whole = weights.dense + weights.experts
    shared = weights.dense / shard_ranks(degrees, False) + weights.experts / shard_ranks(degrees, True)
    held = figures.weight_bytes * whole
    if degrees.sharding == PARAMETERS:
        held = figures.sharded_weight_bytes * shared
    copies = 2.0 if degrees.schedule == DUALPIPE and degrees.pp > 1 else 1.0
    gathered = 0.0
    if degrees.sharding == PARAMETERS:
        layers = max(1.0, weights.layers)
        if degrees.pp > 1:
            gathered = figures.unsharded_bytes * whole
        else:
            gathered = figures.weight_bytes * whole / layers * figures.gathered_layers
            gathered += figures.gradient_bytes * whole / layers * min(1.0, figures.gathered_layers)
    again = 0.0
    if dense > 0:
        again = kept.dense_again
    if experts > 0:
        again = max(again, kept.experts_again)
    return StageTerms(
        copies * held,
        copies * figures.state_gradient_bytes * (shared if degrees.sharding >= GRADIENTS else whole),
        figures.optimizer_held * (shared if degrees.sharding >= OPTIMIZER else copies * whole),
        gathered,
        (dense * kept.dense + experts * kept.experts) * _flying(degrees, stage, microbatches),
        (1 + figures.gradients_beside) * again,
        kept.logits if last else 0.0,
        figures.allowance,
    )


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
    word = _word(run, profile)
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
    if not experts or model.experts is None:
        return _element(model, word) * model.ffn * tokens / layout.tp
    return sum(_expert_bytes(model, model.experts, layout, tokens, word))


def _expert_bytes(
    model: Transformer, experts: Experts, layout: Layout, tokens: float, word: float
) -> tuple[float, float]:
    """Bytes of routed and of shared experts."""
    element = _element(model, word)
    copies = tokens / layout.tp * experts.top_k
    routed = copies * (word * model.hidden + element * experts.ffn)
    return routed, element * experts.shared * experts.shared_ffn * tokens / layout.tp


def _element(model: Transformer, word: float) -> float:
    return (4.0 if model.gated else 2.0) + word


def _word(run: Run, profile: Profile) -> float:
    """Bytes of an element of a matmul's input as it waits for the backward pass."""
    return BITS[run.precision] / 8 if profile.low_inputs else 2.0


def kept_bytes(run: Run, layout: Layout, profile: Profile, *, experts: bool) -> float:
    """Bytes that one layer keeps for one microbatch with the layout's recomputation, wherever they wait."""
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
        saved += _saved(run, layout, profile, module, experts)
    return max(whole - saved, 2.0 * tokens * model.hidden / share)


def _saved(run: Run, layout: Layout, profile: Profile, module: str, experts: bool) -> float:
    """Bytes that recomputing a part of a layer saves."""
    model = run.model
    tokens = tokens_per_rank(run, layout)
    word = _word(run, profile)
    if module == "core_attn":
        scores = _SCORE * tokens * run.sequence * model.heads / layout.tp
        return scores if profile.attention == "unfused" else 0.0
    if module == "op":
        return _OP * layer_bytes(run, layout, profile, experts=experts)
    if module == "mla_up_proj":
        heads = model.heads * model.head_dim + model.kv_heads * (model.head_dim + model.value_dim)
        return 2.0 * tokens * heads / layout.tp if model.latent else 0.0
    if module == "layernorm":
        return 2.0 * word * tokens * model.hidden / (layout.tp if layout.sequence_parallel else 1)
    if not experts or model.experts is None:
        return _feed_forward_bytes(model, layout, tokens, word, experts) if module == "mlp" else 0.0
    routed, shared = _expert_bytes(model, model.experts, layout, tokens, word)
    activation = word * tokens / layout.tp * model.experts.top_k * model.experts.ffn
    return {"moe": routed + shared, "shared_experts": shared, "moe_act": activation}.get(module, 0.0)


def kept_of(run: Run, layout: Layout, profile: Profile) -> Kept:
    """Return the bytes that one rank holds of one microbatch; what waits in the host's memory does not count."""
    staying = 1 - layout.offloaded_layers / run.model.layers
    held, again = [0.0, 0.0], [0.0, 0.0]
    for kind, present in enumerate((run.model.dense_layers > 0, run.model.experts is not None)):
        if present:
            held[kind] = staying * kept_bytes(run, layout, profile, experts=bool(kind))
            if layout.recompute == "full":
                again[kind] = layer_bytes(run, layout, profile, experts=bool(kind))
    logits = profile.logit_bytes * tokens_per_rank(run, layout) * run.model.vocab / layout.tp
    return Kept(held[0], held[1], again[0], again[1], logits)


def stage_memory(run: Run, layout: Layout, profile: Profile) -> tuple[StageMemory, ...]:
    """Return what each stage holds at its peak.

    Raises
    ------
    InputError
        The layout cannot run the run.
    """
    microbatches = check_run(run, layout)
    figures, degrees = figures_of(run, profile), degrees_of(layout)
    own, kept = layer_parameters(run, layout), kept_of(run, layout, profile)
    held = []
    for stage, (dense, experts, _, _) in enumerate(
        piece_counts(run.model, layout.pp, layout.chunks).tolist()
    ):
        terms = stage_terms(figures, degrees, own, kept, dense, experts, stage, microbatches)
        named = {name.replace("_", " "): size for name, size in terms._asdict().items()}
        always = ("weights", "gradients", "optimizer", "activations", "allowance")
        held.append(
            StageMemory(stage, {name: size for name, size in named.items() if size or name in always})
        )
    return tuple(held)


def fit_in(memory: tuple[StageMemory, ...], capacity: float) -> Fit:
    """Return whether stages fit into ``capacity`` bytes."""
    fullest = max(memory, key=lambda stage: stage.total)
    return Fit(fullest.total <= capacity, fullest.stage, fullest.total, capacity, fullest.largest())


def fit_of(run: Run, layout: Layout, profile: Profile) -> Fit:
    """Return whether a run fits, on which stage not, and by how much.

    Raises
    ------
    InputError
        The layout cannot run the run.
    """
    return fit_in(stage_memory(run, layout, profile), run.device.memory_bytes)
