"""Published zero-bubble measurements against the event simulation, relative to the 1F1B run beside them.

What a GPU reaches cancels in the ratio, so nothing is fitted: an operation's time is its FLOP, messages are
free, and every schedule's step and peak memory is divided by 1F1B's for the same model and microbatches.

References
----------
[1] Qi et al., "Zero bubble pipeline parallelism", arXiv 2401.10241 (2023): table 1 (FLOP and activation
    bytes of the three passes of a layer), tables 3 and 4 (models and measurements).
[2] Korthikanti et al., "Reducing activation recomputation in large transformer models", arXiv 2205.05198
    (2022): activations of the output layer and the loss, section 4.3.
[3] Megatron-LM, documentation of the distributed optimizer: 18 bytes a parameter with 16-bit weights and
    32-bit gradients under Adam, not sharded.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from scalewall.cost.pipeline import (
    Costs,
    PipelineRun,
    Work,
    build_schedule,
    layer_costs,
    peak_bytes,
    placement_of,
    simulate,
)

__all__ = ["Comparison", "ErrorSummary", "MeasuredRun", "Model", "compare", "load_runs", "summarize"]

BYTES_A_PARAMETER = 18.0
BASELINE = "1f1b"


@dataclass(frozen=True)
class Model:
    """A GPT model and how it was laid out [1], table 3."""

    name: str
    layers: int
    hidden: int
    heads: int
    sequence: int
    vocabulary: int
    stages: int
    microbatch_sequences: int


@dataclass(frozen=True)
class MeasuredRun:
    """One measurement [1], table 4: samples (sequences) a second of all GPUs, GB on the fullest stage."""

    model: Model
    schedule: str
    chunks: int
    microbatches: int
    samples_per_second: float
    peak_gb: float


@dataclass(frozen=True)
class Comparison:
    """A measured run and its prediction, both relative to 1F1B.

    Parameters
    ----------
    run : MeasuredRun
        What was measured.
    measured_time, predicted_time : float or None
        Step over the step of 1F1B with the same model and microbatches; None where 1F1B was not measured
        there.
    measured_memory, predicted_memory : float
        Peak over 1F1B's peak for the same model.
    """

    run: MeasuredRun
    measured_time: float | None
    predicted_time: float | None
    measured_memory: float
    predicted_memory: float

    @property
    def time_error(self) -> float | None:
        """Predicted over measured relative time, less 1."""
        if self.measured_time is None or self.predicted_time is None:
            return None
        return self.predicted_time / self.measured_time - 1.0

    @property
    def memory_error(self) -> float:
        """Predicted over measured relative memory, less 1."""
        return self.predicted_memory / self.measured_memory - 1.0


@dataclass(frozen=True)
class ErrorSummary:
    """Median and 90th percentile of the absolute error, mean of the signed one (bias), and how many rows."""

    rows: int
    median: float
    p90: float
    bias: float


def load_runs() -> tuple[MeasuredRun, ...]:
    """Return the published measurements, model after model."""
    text = files("scalewall.validation").joinpath("data/zero_bubble.toml").read_text(encoding="utf-8")
    runs: list[MeasuredRun] = []
    for entry in tomllib.loads(text)["models"]:
        rows = entry.pop("runs")
        model = Model(**entry)
        runs.extend(MeasuredRun(model=model, **row) for row in rows)
    return tuple(runs)


def _costs(model: Model, schedule: str, chunks: int) -> Costs:
    """Return what the passes cost [1]: "seconds" are FLOP, which is enough for ratios."""
    s, h, v = model.sequence, model.hidden, model.vocabulary
    words = s * model.microbatch_sequences * h
    matmuls = 24.0 * h
    layer = Work(
        forward=words * (matmuls + 4 * s),
        input_gradient=words * (matmuls + 8 * s),
        weight_gradient=words * matmuls,
        activation_bytes=words * (34 + 5 * model.heads * s / h),
        gradient_bytes=words * 32.0,
        fixed_bytes=12.0 * h * h * BYTES_A_PARAMETER,
    )
    logits, kept = 2.0 * words * v, 4.0 * words * (1 + v / h)
    embedding = Work(fixed_bytes=v * h * BYTES_A_PARAMETER)
    loss = Work(logits, logits, logits, kept, kept, v * h * BYTES_A_PARAMETER)
    placement = placement_of(schedule, model.stages, chunks)
    layers = np.full(placement.parts, (model.layers + 2) // placement.parts)
    layers[[0, -1]] -= 1
    return layer_costs(placement, layers.tolist(), layer, embedding=embedding, loss=loss)


def _simulate(run: MeasuredRun) -> PipelineRun:
    costs = _costs(run.model, run.schedule, run.chunks)
    return simulate(
        build_schedule(run.schedule, run.model.stages, run.microbatches, run.chunks, costs), costs
    )


def compare() -> tuple[Comparison, ...]:
    """Return every measured run but 1F1B's own beside its prediction."""
    runs = load_runs()
    simulated = [_simulate(run) for run in runs]
    baseline = {
        (run.model.name, run.microbatches): (run, made)
        for run, made in zip(runs, simulated, strict=True)
        if run.schedule == BASELINE
    }
    any_baseline = {name: pair for (name, _), pair in baseline.items()}
    comparisons = []
    for run, made in zip(runs, simulated, strict=True):
        if run.schedule == BASELINE:
            continue
        beside, beside_made = any_baseline[run.model.name]
        measured_time = predicted_time = None
        if (run.model.name, run.microbatches) in baseline:
            matching, matching_made = baseline[run.model.name, run.microbatches]
            measured_time = matching.samples_per_second / run.samples_per_second
            predicted_time = made.step_seconds / matching_made.step_seconds
        comparisons.append(
            Comparison(
                run=run,
                measured_time=measured_time,
                predicted_time=predicted_time,
                measured_memory=run.peak_gb / beside.peak_gb,
                predicted_memory=float(peak_bytes(made).max() / peak_bytes(beside_made).max()),
            )
        )
    return tuple(comparisons)


def summarize(errors: list[float]) -> ErrorSummary:
    """Return the usual figures of a list of relative errors."""
    sizes = np.abs(errors)
    return ErrorSummary(
        rows=len(errors),
        median=float(np.median(sizes)),
        p90=float(np.percentile(sizes, 90)),
        bias=float(np.mean(errors)),
    )
