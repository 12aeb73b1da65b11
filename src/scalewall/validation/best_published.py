"""The most that anyone has published for a machine: what a predicted optimum is held against."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.errors import InputError
from scalewall.planner.layout import Layout
from scalewall.planner.run import BITS, Run
from scalewall.validation.runs import MeasuredStep, load_published, model_of
from scalewall.workload.flops import token_flop

__all__ = ["BestPublished", "best_published"]


_FEWEST = 5
"""Fewer published runs than that say nothing about what is possible."""


@dataclass(frozen=True)
class BestPublished:
    """The published run with the highest MFU.

    Parameters
    ----------
    mfu : float
        Model FLOP, causal half of attention, over the dense 16-bit peak.
    model, id, reference : str
        What was trained, name of the row, where it was published.
    ranks : int
        Accelerators.
    """

    mfu: float
    model: str
    id: str
    reference: str
    ranks: int


def best_published(run: Run) -> BestPublished | None:
    """Return the best run published on a run's machine, of its kind (dense or with experts) and bits.

    None where fewer than five are known.

    Parameters
    ----------
    run : Run
        Machine, model and precision.
    """
    found = [
        one
        for step in load_published()
        if step.step_seconds
        and step.kind != "layer"
        and step.machine.get("name") == run.device.name
        and step.experts == (run.model.experts is not None)
        and BITS[step.run.get("precision", "bf16")] == BITS[run.precision]
        and (one := _of(step, run.device.peak[16])) is not None
    ]
    return max(found, key=lambda one: one.mfu) if len(found) >= _FEWEST else None


def _of(step: MeasuredStep, peak: float) -> BestPublished | None:
    """Return a record's MFU, or None if the planner cannot express it."""
    try:
        model, layout = model_of(step), Layout(**{**step.layout, "recompute_modules": ()})
    except (InputError, TypeError):
        return None
    sequence = step.run["sequence"]
    flop = token_flop(model, sequence).training * sequence * step.run["global_batch"]
    mfu = flop / (step.step_seconds * layout.ranks * peak)
    return BestPublished(mfu, model.name, step.id, step.reference, layout.ranks)
