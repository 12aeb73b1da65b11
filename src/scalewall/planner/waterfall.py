"""From the arithmetic that a step needs at the machine's peak to the step as it is: every second in between."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.planner.estimate import Estimate
from scalewall.planner.pipeline import PIECES, piece_counts
from scalewall.planner.run import BITS
from scalewall.planner.step import pieces_of
from scalewall.workload.flops import token_flop
from scalewall.workload.matmuls import head_matmul, layer_matmuls, prediction_matmul

__all__ = ["ARITHMETIC", "Segment", "waterfall"]

ARITHMETIC = "arithmetic"
"""Name of the first segment."""
_PASSES = 3
"""Matmuls of a training step for each of the forward pass: forward and the two gradients."""
_SHARED = ("tensor", "context", "exchange", "offload", "data", "sends", "bubble")
_WHOLE = ("data", "sends", "bubble", "optimizer", "stragglers")
"""Parts that a step has once, whichever stage is the slowest."""


@dataclass(frozen=True)
class Segment:
    """Seconds of a step that have one cause.

    Parameters
    ----------
    name : str
        ``arithmetic`` (what the model needs at the machine's peak, spread evenly over all accelerators), then what
        comes on top: ``sustained`` (long matmuls stay below the peak), ``shapes`` (tiles, waves, short inner
        dimensions, bytes and launches of the matmuls at hand), ``software`` (matmuls against microbenchmarks),
        ``attention`` (its core beyond its arithmetic), ``elementwise``, ``quantize``, ``recompute``, exposed
        communication (``tensor``, ``context``, ``exchange``, ``offload``, ``data``, ``sends``), ``bubble``,
        ``imbalance`` (the slowest stage against the mean), ``optimizer``, ``host`` and ``stragglers``.
    seconds : float
        May be negative, where something goes faster than the step before it assumed.
    """

    name: str
    seconds: float


def waterfall(answer: Estimate) -> tuple[Segment, ...]:
    """Return where the seconds of a step come from, in order; they add up to the step.

    Parts of layers and heads are means over the pipeline's stages; how much more the slowest stage has is
    ``imbalance``. Layers count at the peak of the run's precision, attention and the head at the 16-bit one.

    Parameters
    ----------
    answer : Estimate
        One layout.
    """
    parts = answer.step.parts
    mean = _mean_parts(answer)
    peak, rate = _matmul_seconds(answer)
    scores = _score_seconds(answer)
    raw = mean["matmul"] / answer.profile["compute"]
    once = {name: parts[name] for name in _WHOLE}
    slowest = sum(seconds for name, seconds in parts.items() if name not in once)
    seconds = {
        ARITHMETIC: peak + scores,
        "sustained": rate - peak,
        "shapes": raw - rate,
        "software": mean["matmul"] - raw,
        "attention": mean["attention"] - scores,
        "elementwise": mean["elementwise"] + mean.get("accumulate", 0.0),
        "quantize": mean.get("quantize", 0.0),
        "recompute": mean.get("recompute", 0.0),
        **{name: once.get(name, mean.get(name, 0.0)) for name in _SHARED},
        "imbalance": slowest - sum(mean.values()),
        "optimizer": once["optimizer"],
        "host": mean.get("host", 0.0),
        "stragglers": once["stragglers"],
    }
    return tuple(Segment(name, value) for name, value in seconds.items())


def _mean_parts(answer: Estimate) -> dict[str, float]:
    """Seconds a step of layers and heads by part, on a stage that holds the mean of all stages."""
    layout = answer.layout
    pieces = pieces_of(answer.run, layout, answer.profile)
    counts = piece_counts(answer.run.model, layout.pp, layout.chunks).mean(axis=0)
    total: dict[str, float] = {}
    for name, count in zip(PIECES, counts, strict=True):
        if name not in pieces:
            continue
        piece = pieces[name]
        for direction in (piece.forward, piece.input_gradient, piece.weight_gradient):
            for part, seconds in direction.items():
                times = float(count) * answer.step.microbatches
                total[part] = total.get(part, 0.0) + times * seconds
    return total


def _matmul_seconds(answer: Estimate) -> tuple[float, float]:
    """Seconds an accelerator that the model's matmuls take at the peak, and at the rate that long ones sustain."""
    run, model = answer.run, answer.run.model
    bits, extra = BITS[run.precision], model.prediction_layers
    flop = {16: float((1 + extra) * head_matmul(model).forward_flop)}
    low = float(extra * prediction_matmul(model).forward_flop) if extra else 0.0
    flop[bits] = flop.get(bits, 0.0) + low
    for experts, layers in ((False, model.dense_layers), (True, model.expert_layers)):
        count = layers + (extra if experts == bool(model.experts) else 0)
        for matmul in layer_matmuls(model, experts=experts) if count else ():
            words = 16 if matmul.part == "router" else bits
            flop[words] += count * matmul.forward_flop
    share = _PASSES * run.tokens / answer.layout.ranks
    device = run.device
    peak = sum(amount / device.peak[words] for words, amount in flop.items())
    rate = sum(amount / device.rate(words) for words, amount in flop.items())
    return share * peak, share * rate


def _score_seconds(answer: Estimate) -> float:
    """Seconds an accelerator that the scores of attention take at the 16-bit peak, causal half counted."""
    run, model = answer.run, answer.run.model
    flop = token_flop(model, run.sequence)
    scores = flop.scores
    if extra := model.prediction_layers:
        layer = sum(m.forward_flop for m in layer_matmuls(model, experts=bool(model.experts)))
        matmuls = layer + prediction_matmul(model).forward_flop + head_matmul(model).forward_flop
        scores += flop.prediction - extra * matmuls
    return _PASSES * scores * run.tokens / answer.layout.ranks / run.device.peak[16]
