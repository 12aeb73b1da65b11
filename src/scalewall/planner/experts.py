"""What a layer's routed experts cost on one rank: grouped matmuls, permutation, exchange between ranks."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.planner.communication import exchange_seconds, gather_seconds, ranks_inside
from scalewall.planner.constants import value
from scalewall.planner.gemm import matmul_seconds, weight_gradient_seconds
from scalewall.planner.layout import Layout
from scalewall.planner.profile import Profile
from scalewall.planner.run import BITS, Run
from scalewall.workload.matmuls import layer_matmuls

__all__ = ["ExpertWork", "expert_work"]

_GATED = value("elementwise.gated_bytes")
_PLAIN = value("elementwise.plain_bytes")


@dataclass(frozen=True)
class ExpertWork:
    """What the routed experts of one layer cost on one rank for one microbatch.

    Parameters
    ----------
    matmul : (float, float, float)
        Seconds of forward, input gradient and weight gradient.
    quantized : (float, float)
        Elements cast to the low precision, forward and backward.
    moved : float
        Bytes of activation and permutation, forward.
    exchange : float
        Exposed seconds of dispatch and combine, in one direction.
    """

    matmul: tuple[float, float, float] = (0.0, 0.0, 0.0)
    quantized: tuple[float, float] = (0.0, 0.0)
    moved: float = 0.0
    exchange: float = 0.0


_IMBALANCE = value("experts.imbalance")


def expert_work(run: Run, layout: Layout, profile: Profile, tokens: float) -> ExpertWork:
    """Return what the routed experts of a layer cost.

    The ``ep x etp`` ranks of a block hold ``tokens / tp`` tokens each; an expert gets ``top_k / routed`` of the
    block's, and its ``etp`` ranks share its width.
    """
    model, device = run.model, run.device
    experts = model.experts
    assert experts is not None
    bits = BITS[run.precision]
    own = tokens / layout.tp
    load = 1.0 if run.balanced else _IMBALANCE
    local = experts.routed // layout.ep
    rows = own * layout.ep * layout.etp * experts.top_k / experts.routed * load
    seconds = [0.0, 0.0, 0.0]
    quantized = [0.0, 0.0]
    for matmul in layer_matmuls(model, experts=True):
        if matmul.part != "experts":
            continue
        outputs = matmul.outputs / (1 if matmul.name == "down" else layout.etp)
        inputs = matmul.inputs / (layout.etp if matmul.name == "down" else 1)
        t0 = device.kernel_latency
        one = (
            matmul_seconds(device, bits, rows * local, outputs, inputs),
            matmul_seconds(device, bits, rows * local, inputs, outputs),
            weight_gradient_seconds(device, bits, outputs, inputs, rows),
        )
        extra_weights = (local - 1) * outputs * inputs * bits / 8 / device.memory_bandwidth
        seconds[0] += max(one[0], extra_weights)
        seconds[1] += max(one[1], extra_weights)
        seconds[2] += (one[2] - t0) * local + t0
        if bits < 16:
            quantized[0] += rows * local * inputs
            quantized[1] += rows * local * outputs
    routed = own * experts.top_k
    activation = (_GATED if model.gated else _PLAIN) * rows * local * experts.ffn / layout.etp
    permuted = profile.permute_bytes * routed * model.hidden * load
    exchange = _exchange(run, layout, own) * profile["exchange"] * load
    if run.expert_overlap:
        exchange *= _OVERLAPPED
    return ExpertWork(
        (seconds[0], seconds[1], seconds[2]), (quantized[0], quantized[1]), activation + permuted, exchange
    )


_OVERLAPPED = value("experts.overlapped")


def _exchange(run: Run, layout: Layout, own: float) -> float:
    """Seconds of dispatch and combine of one layer in one direction.

    All-to-all sends every copy of a token; DeepEP and HybridEP send a token once to each domain that needs it and
    spread it there.
    """
    model, device = run.model, run.device
    experts = model.experts
    assert experts is not None
    total = 0.0
    if layout.ep > 1:
        inside = ranks_inside(device, layout.ep, layout.etp)
        domains = layout.ep / inside
        if run.dispatcher == "all-to-all":
            slow = own * experts.top_k * (1 - 1 / domains)
            fast = own * experts.top_k * (inside - 1) / layout.ep
        else:
            slow = own * _distinct(domains, experts.top_k) * (1 - 1 / domains)
            fast = own * _distinct(layout.ep, experts.top_k) * (1 - 1 / inside)
        size = model.hidden * 2.0
        total += 2 * exchange_seconds(device, layout.ep, layout.etp, fast * size, slow * size, run.dispatcher)
    if layout.etp > 1:
        gathered = own * experts.top_k * layout.etp * model.hidden * 2.0
        total += 2 * gather_seconds(device, layout.etp, 1, gathered)
    return total


def _distinct(places: float, picks: int) -> float:
    """How many of ``places`` are among ``picks`` random ones: ``n (1 - (1 - 1/n)^k)``."""
    return places * (1 - (1 - 1 / places) ** picks)
