"""One given layout: step time with its interval, what people quote (MFU, HFU, tokens/s), memory, days and cost.

References
----------
[1] Chowdhery et al., "PaLM", arXiv 2204.02311 (2022), appendix B: model FLOP utilization counts no recomputation.
[2] Llama team, "The Llama 3 herd of models", arXiv 2407.21783 (2024), section 3.3.4: interruptions of 16,384 GPUs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scalewall.cost.reliability import checkpoint_interval, whole_job_share
from scalewall.planner.constants import value
from scalewall.planner.layout import Layout
from scalewall.planner.memory import Fit, StageMemory, fit_in, stage_memory
from scalewall.planner.profile import Profile
from scalewall.planner.recompute import matmul_share
from scalewall.planner.run import Run
from scalewall.planner.step import StepTime, step_time
from scalewall.workload.flops import token_flop
from scalewall.workload.matmuls import layer_matmuls
from scalewall.workload.transformer import Transformer

__all__ = [
    "HFU_DEFINITION",
    "MFU_DEFINITION",
    "Estimate",
    "Goodput",
    "Interval",
    "estimate",
    "goodput",
]

MFU_DEFINITION = (
    "model FLOP (6 a parameter at work and token, causal half of attention) over the dense 16-bit peak"
)
HFU_DEFINITION = "the same with what the backward pass computes again"

_UNKNOWN_ERROR = 0.5
"""Error assumed where a profile was fitted on no run of the kind (relative)."""
_BEYOND = 1.5
"""How much wider the interval is for each way in which a run lies outside what the profile was fitted on."""
_FORWARD = 1 / 3
"""Forward share of a step's model FLOP."""


@dataclass(frozen=True)
class Interval:
    """Where the step time is likely to be: nine of ten published runs of the kind came out within.

    Parameters
    ----------
    low, high : float
        Seconds.
    width : float
        Relative: ``high / estimate - 1``.
    reasons : tuple of str
        What the width rests on.
    """

    low: float
    high: float
    width: float
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Goodput:
    """What failures cost [2], by :mod:`scalewall.cost.reliability`.

    Parameters
    ----------
    share : float
        Share of the time in which steps are made that count.
    failures_per_day : float
        Over all accelerators.
    checkpoint_interval : float
        Seconds between checkpoints, the best for the figures given.
    """

    share: float
    failures_per_day: float
    checkpoint_interval: float


@dataclass(frozen=True)
class Estimate:
    """What one layout takes.

    Parameters
    ----------
    run, layout, profile
        What was asked.
    step : StepTime
        Seconds of a step, with its parts.
    interval : Interval
        Where it is likely to be.
    mfu, hfu : float
        Model and hardware FLOP over the dense 16-bit peak, causal attention counted as half; hardware FLOP counts
        what is recomputed [1].
    memory : tuple of StageMemory
        Bytes on each stage.
    fit : Fit
        Whether it fits.
    """

    run: Run
    layout: Layout
    profile: Profile
    step: StepTime
    interval: Interval
    mfu: float
    hfu: float
    memory: tuple[StageMemory, ...]
    fit: Fit

    @property
    def tokens_per_second(self) -> float:
        """Tokens/s an accelerator."""
        return self.run.tokens / (self.step.seconds * self.layout.ranks)

    @property
    def flops(self) -> float:
        """Model FLOP/s an accelerator."""
        return self.mfu * self.run.device.peak[16]

    def seconds_for(self, tokens: float) -> float:
        """Seconds that ``tokens`` take, without failures."""
        return math.ceil(tokens / self.run.tokens) * self.step.seconds


def estimate(run: Run, layout: Layout, profile: Profile) -> Estimate:
    """Return what ``layout`` takes for ``run`` with the software of ``profile``.

    Raises
    ------
    InputError
        The layout cannot run the run.
    """
    step = step_time(run, layout, profile)
    memory = stage_memory(run, layout, profile)
    flop = token_flop(run.model, run.sequence)
    offered = step.seconds * layout.ranks * run.device.peak[16]
    model = flop.training * run.tokens
    again = _recomputed(run.model, layout, run.sequence) * run.tokens
    return Estimate(
        run=run,
        layout=layout,
        profile=profile,
        step=step,
        interval=_interval(run, layout, profile, step.seconds),
        mfu=model / offered,
        hfu=(model + again) / offered,
        memory=memory,
        fit=fit_in(memory, run.device.memory_bytes),
    )


def _recomputed(model: Transformer, layout: Layout, sequence: int) -> float:
    """Forward FLOP a token that the backward pass computes again."""
    flop = token_flop(model, sequence)
    layers = flop.forward - flop.head
    if layout.recompute == "full":
        return layers
    if layout.recompute == "none":
        return 0.0
    total = 0.0
    for module in layout.recompute_modules or ("core_attn",):
        if module == "core_attn":
            total += flop.scores
            continue
        for count, experts in ((model.dense_layers, False), (model.expert_layers, True)):
            if count:
                each = sum(matmul.forward_flop for matmul in layer_matmuls(model, experts=experts))
                total += count * each * matmul_share(model, module, experts=experts)
    return total


def _interval(run: Run, layout: Layout, profile: Profile, seconds: float) -> Interval:
    """Return the interval from the profile's error on sources that it was not fitted on."""
    experts = run.model.experts is not None
    kind = "runs with experts" if experts else "dense runs"
    width = profile.fit.experts_p90 if experts else profile.fit.dense_p90
    reasons = [f"error of {profile.name} on {kind} of sources left out, 90th percentile: {100 * width:.0f} %"]
    if not width:
        width = _UNKNOWN_ERROR
        reasons = [f"{profile.name} was fitted on no {kind}: {100 * width:.0f} % assumed"]
    if profile.incomplete:
        width *= _BEYOND
        reasons.append(f"half as wide again: {profile.name} was fitted on incomplete rows")
    if run.device.name not in profile.fit.machines:
        width *= _BEYOND
        reasons.append(f"half as wide again: {profile.name} was not fitted on {run.device.name}")
    if layout.ranks > profile.fit.most_ranks:
        width *= _BEYOND
        most = profile.fit.most_ranks
        reasons.append(f"half as wide again: more accelerators than any run of the fit ({most})")
    return Interval(seconds / (1 + width), seconds * (1 + width), width, tuple(reasons))


def goodput(ranks: int) -> Goodput:
    """Return what failures cost on ``ranks`` accelerators when each throws the whole job back to a checkpoint."""
    between = value("failures.accelerator_seconds") / ranks
    save, restart = value("failures.checkpoint_seconds"), value("failures.restart_seconds")
    share = whole_job_share(between, save, restart)
    return Goodput(share, 86400 / between, checkpoint_interval(between, save))
