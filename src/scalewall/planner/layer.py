"""What one layer costs on one rank for one microbatch, by part."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scalewall.planner.attention import core_attention_seconds
from scalewall.planner.communication import gather_seconds, pair_seconds
from scalewall.planner.constants import value
from scalewall.planner.experts import ExpertWork, expert_work
from scalewall.planner.gemm import matmul_seconds, weight_gradient_seconds
from scalewall.planner.layout import Layout
from scalewall.planner.profile import Profile
from scalewall.planner.recompute import matmul_share
from scalewall.planner.run import BITS, Run
from scalewall.workload.matmuls import Matmul, head_matmul, layer_matmuls, prediction_matmul
from scalewall.workload.transformer import Transformer

__all__ = [
    "Passes",
    "device_passes",
    "finish_layer",
    "head_passes",
    "layer_passes",
    "prediction_passes",
    "tokens_per_rank",
]

_HIDDEN = value("elementwise.hidden_bytes")
_GATED = value("elementwise.gated_bytes")
_PLAIN = value("elementwise.plain_bytes")
_ROTARY = value("elementwise.rotary_bytes")
_BACKWARD = value("elementwise.backward_ratio")
_SMALL = value("recompute.small")
_EAGER = value("elementwise.eager_ratio")
_SPLIT_OUTPUTS = {"qkv", "query", "query_up", "kv_up", "gate_up", "up", "logits"}
_SPLIT_INPUTS = {"output", "down"}
_ROUTED = {"experts"}


@dataclass(frozen=True)
class Passes:
    """Seconds of the three passes of a piece of the model, by part.

    Parameters
    ----------
    forward, input_gradient, weight_gradient : dict of str to float
        Seconds by part: ``matmul``, ``attention``, ``elementwise``, ``quantize``, ``tensor``, ``context``,
        ``exchange``, ``host``, ``recompute``.
    """

    forward: dict[str, float]
    input_gradient: dict[str, float]
    weight_gradient: dict[str, float]

    @property
    def seconds(self) -> tuple[float, float, float]:
        """Seconds of each pass."""
        return (
            sum(self.forward.values()),
            sum(self.input_gradient.values()),
            sum(self.weight_gradient.values()),
        )


def tokens_per_rank(run: Run, layout: Layout) -> float:
    """Tokens of a microbatch on one rank: ``microbatch x sequence / cp``."""
    return layout.microbatch * run.sequence / layout.cp


def _matmul_passes(
    run: Run, layout: Layout, matmul: Matmul, tokens: float, bits: int
) -> tuple[float, float, float]:
    """Seconds of forward, input gradient and weight gradient of a dense matmul, split over tensor ranks."""
    outputs = matmul.outputs / (layout.tp if matmul.name in _SPLIT_OUTPUTS else 1)
    inputs = matmul.inputs / (layout.tp if matmul.name in _SPLIT_INPUTS else 1)
    if matmul.part == "router":
        tokens /= layout.tp
    device = run.device
    return (
        matmul_seconds(device, bits, tokens, outputs, inputs),
        matmul_seconds(device, bits, tokens, inputs, outputs),
        weight_gradient_seconds(device, bits, outputs, inputs, tokens),
    )


def layer_passes(run: Run, layout: Layout, profile: Profile, *, experts: bool) -> Passes:
    """Return what one layer costs.

    Parameters
    ----------
    run, layout, profile
        What, how and with which software.
    experts : bool
        Whether the layer holds experts.
    """
    return finish_layer(
        device_passes(run, layout, profile, experts=experts), run, layout, profile, experts=experts
    )


def finish_layer(passes: Passes, run: Run, layout: Layout, profile: Profile, *, experts: bool) -> Passes:
    """Return a layer's passes with what is computed again and what waits for the host's launches."""
    return _with_host(_with_recompute(passes, layout, run.model, experts), run, profile, experts)


def device_passes(run: Run, layout: Layout, profile: Profile, *, experts: bool) -> Passes:
    """Return what one layer costs without recomputation and without the host, on which the layout's recomputation
    has no say."""
    model, device = run.model, run.device
    tokens, bits = tokens_per_rank(run, layout), BITS[run.precision]
    sequence_share = layout.tp if layout.sequence_parallel else 1
    forward = back = weight = 0.0
    quantized = [0.0, 0.0]
    for matmul in layer_matmuls(model, experts=experts):
        if matmul.part in _ROUTED:
            continue
        words = 16 if matmul.part == "router" else bits
        a, b, c = _matmul_passes(run, layout, matmul, tokens, words)
        copies = matmul.copies
        forward, back, weight = forward + copies * a, back + copies * b, weight + copies * c
        if words < 16:
            quantized[0] += tokens * matmul.inputs / (layout.tp if matmul.name in _SPLIT_INPUTS else 1)
            quantized[1] += tokens * matmul.outputs / (layout.tp if matmul.name in _SPLIT_OUTPUTS else 1)
    work = ExpertWork()
    if experts:
        work = expert_work(run, layout, profile, tokens)
        forward, back, weight = forward + work.matmul[0], back + work.matmul[1], weight + work.matmul[2]
        quantized[0] += work.quantized[0]
        quantized[1] += work.quantized[1]
    attention = core_attention_seconds(
        model, device, profile.attention, tokens, run.sequence, layout.tp, layout.cp
    )
    moved = _elementwise_bytes(run, layout, tokens, sequence_share, experts) + work.moved
    eager = 1.0 if run.compiled else _EAGER
    elementwise = moved / device.memory_bandwidth * profile["elementwise"] * eager
    quantize = value(f"quantize.{run.precision}") / device.memory_bandwidth if bits < 16 else 0.0
    tensor = _tensor_seconds(run, layout, tokens) * profile["tensor"]
    context = _context_seconds(run, layout, tokens, attention.forward * profile["compute"])
    scale = profile["compute"]
    through = profile["elementwise"] / device.memory_bandwidth
    accumulate = _parameters(run, layout, experts) * profile.accumulate_bytes / device.memory_bandwidth
    return Passes(
        {
            "matmul": forward * scale,
            "attention": attention.forward * scale + attention.forward_bytes * through,
            "elementwise": elementwise,
            "quantize": quantized[0] * quantize,
            "tensor": tensor,
            "context": context * profile["context"],
            "exchange": work.exchange,
        },
        {
            "matmul": back * scale,
            "attention": attention.backward * scale + attention.backward_bytes * through,
            "elementwise": elementwise * _BACKWARD,
            "quantize": quantized[1] * quantize,
            "tensor": tensor,
            "context": 2 * context * profile["context"],
            "exchange": work.exchange,
        },
        {"matmul": weight * scale, "accumulate": accumulate},
    )


def _elementwise_bytes(run: Run, layout: Layout, tokens: float, sequence_share: int, experts: bool) -> float:
    """Bytes that norms, residuals, activation and rotary embedding move in the forward pass."""
    model = run.model
    hidden = _HIDDEN * model.hidden / sequence_share
    width = 0.0 if experts else model.ffn / layout.tp
    if experts and model.experts and model.experts.shared:
        width = model.experts.shared * model.experts.shared_ffn / layout.tp
    feed = (_GATED if model.gated else _PLAIN) * width
    heads = _ROTARY * (model.heads + model.kv_heads) * model.head_dim / layout.tp
    return tokens * (hidden + feed + heads)


def _tensor_seconds(run: Run, layout: Layout, tokens: float) -> float:
    """Seconds of a layer's tensor-parallel collectives in one direction.

    Two all-gathers and two reduce-scatters of ``tokens x hidden`` (with or without sequence parallelism: an
    all-reduce is one of each).
    """
    if layout.tp == 1:
        return 0.0
    size = tokens * run.model.hidden * 2.0
    return 4 * gather_seconds(run.device, layout.tp, 1, size)


def _context_seconds(run: Run, layout: Layout, tokens: float, attention: float) -> float:
    """Exposed seconds of a layer's ring of keys and values: each step's transfer less the attention beside it."""
    if layout.cp == 1:
        return 0.0
    model = run.model
    width = (
        model.latent.kv_rank + model.latent.rope_dim
        if model.latent
        else 2 * model.kv_heads * model.head_dim / layout.tp
    )
    size = tokens * width * 2.0
    step = pair_seconds(run.device, layout.tp * layout.cp - 1, size)
    return (layout.cp - 1) * max(0.0, step - attention / layout.cp)


def _with_recompute(passes: Passes, layout: Layout, model: Transformer, experts: bool) -> Passes:
    """Add what the backward pass computes again."""
    again = 0.0
    if layout.recompute == "full":
        again = sum(passes.forward.values())
    elif layout.recompute == "selective":
        again = sum(
            _again(module, passes.forward, model, experts)
            for module in layout.recompute_modules or ("core_attn",)
        )
    if not again:
        return passes
    return replace(passes, input_gradient=passes.input_gradient | {"recompute": again})


def _again(module: str, parts: dict[str, float], model: Transformer, experts: bool) -> float:
    """Forward seconds of one part of a layer: elementwise work in proportion to the matmuls that it lies between."""
    if module == "core_attn":
        return parts["attention"]
    if module in ("layernorm", "moe_act"):
        return parts["elementwise"] * _SMALL if module == "layernorm" or experts else 0.0
    share = matmul_share(model, module, experts=experts)
    if module == "op":
        return parts["matmul"] * share + parts["elementwise"]
    exchange = parts["exchange"] if module == "moe" else 0.0
    return (parts["matmul"] + parts["elementwise"]) * share + exchange


def _parameters(run: Run, layout: Layout, experts: bool) -> float:
    """Parameters of one layer on one rank."""
    total = 0.0
    for matmul in layer_matmuls(run.model, experts=experts):
        split = layout.ep * layout.etp if matmul.part == "experts" else layout.tp
        total += matmul.parameters / split
    return total


def _with_host(passes: Passes, run: Run, profile: Profile, experts: bool) -> Passes:
    """Add what the host's launches cost beyond the device: layer time is ``sqrt(device^2 + host^2)``."""
    host = profile["expert_host" if experts else "host"] * value(f"host.graphs_{run.graphs}")
    device = sum(passes.seconds)
    extra = float((device**2 + host**2) ** 0.5) - device
    return replace(
        passes,
        forward=passes.forward | {"host": extra / 3},
        input_gradient=passes.input_gradient | {"host": extra * 2 / 3},
    )


def head_passes(run: Run, layout: Layout, profile: Profile) -> Passes:
    """Return what the language-model head and the loss cost: 16-bit matmuls, bytes of the logits."""
    tokens = tokens_per_rank(run, layout)
    forward, back, weight = _matmul_passes(run, layout, head_matmul(run.model), tokens, 16)
    logits = tokens * run.model.vocab / layout.tp
    loss = profile.loss_bytes * logits / run.device.memory_bandwidth * profile["elementwise"]
    scale = profile["compute"]
    return Passes(
        {"matmul": forward * scale, "elementwise": loss / 2},
        {"matmul": back * scale, "elementwise": loss / 2},
        {"matmul": weight * scale},
    )


def prediction_passes(run: Run, layout: Layout, profile: Profile) -> Passes:
    """Return what joins one multi-token prediction layer to the model (its layer and head come extra)."""
    tokens = tokens_per_rank(run, layout)
    join = prediction_matmul(run.model)
    forward, back, weight = _matmul_passes(run, layout, join, tokens, BITS[run.precision])
    scale = profile["compute"]
    return Passes({"matmul": forward * scale}, {"matmul": back * scale}, {"matmul": weight * scale})
