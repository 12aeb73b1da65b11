"""What layers cost for every choice of the degrees that they depend on: the readable functions, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scalewall.planner.layer import (
    Passes,
    device_passes,
    finish_layer,
    head_passes,
    prediction_passes,
)
from scalewall.planner.layout import Layout
from scalewall.planner.memory import kept_of
from scalewall.planner.pipeline import PIECES, piece_counts
from scalewall.planner.plan import PlanQuestion
from scalewall.planner.search_kernel import Row
from scalewall.planner.space import Again
from scalewall.planner.step import hop_bytes, seconds_of
from scalewall.planner.weights import layer_parameters

__all__ = ["RowMaker", "least_seconds", "whole_counts"]


@dataclass(frozen=True)
class RowMaker:
    """Makes rows for one choice of TP, CP and microbatch; what several rows share is computed once.

    Parameters
    ----------
    question : PlanQuestion
        What was asked.
    layout : Layout
        TP, CP, microbatch and sequence parallelism; the rest does not matter.
    """

    question: PlanQuestion
    layout: Layout

    @cached_property
    def _common(self) -> dict[str, Passes]:
        """Pieces on which neither experts' degrees nor recomputation have a say."""
        run, profile = self.question.run, self.question.profile
        pieces = {"head": head_passes(run, self.layout, profile)}
        if run.model.prediction_layers:
            pieces["prediction"] = prediction_passes(run, self.layout, profile)
        return pieces

    @cached_property
    def _dense(self) -> Passes:
        return device_passes(self.question.run, self.layout, self.question.profile, experts=False)

    def rows(self, ep: int, etp: int, again: Iterable[Again]) -> Iterator[Row]:
        """Yield the rows of one choice of the experts' degrees, one for each kind of recomputation."""
        question, run, profile = self.question, self.question.run, self.question.profile
        layout = replace(self.layout, ep=ep, etp=etp, dp=ep * etp)
        bare: dict[str, Passes] = {}
        if run.model.dense_layers:
            bare["dense"] = self._dense
        if run.model.experts:
            bare["experts"] = device_passes(run, layout, profile, experts=True)
        own, hop = layer_parameters(run, layout), hop_bytes(run, layout)
        for kind, modules in again:
            chosen = replace(layout, recompute=kind, recompute_modules=modules)
            pieces = self._common | {
                name: finish_layer(passes, run, chosen, profile, experts=name == "experts")
                for name, passes in bare.items()
            }
            yield Row(
                seconds_of(pieces),
                own,
                kept_of(run, chosen, profile),
                float(hop),
                layout.tp,
                layout.cp,
                ep,
                etp,
                layout.microbatch,
                question.ranks,
                run.global_batch,
            )


def least_seconds(row: Row, whole: NDArray[np.float64]) -> float:
    """Seconds of a step that no pipeline of a row beats: all work spread evenly over all accelerators.

    Parameters
    ----------
    row : Row
        What pieces take.
    whole : float array, shape (4,)
        How often the model has each piece.
    """
    work = float(whole @ row.seconds.sum(axis=1))
    return work * row.batch * row.tp * row.cp / (row.ranks * row.microbatch)


def whole_counts(question: PlanQuestion) -> NDArray[np.float64]:
    """Return how often the whole model has each of :data:`~scalewall.planner.pipeline.PIECES`, shape (4,)."""
    counts: NDArray[np.float64] = piece_counts(question.run.model, 1, 1)[0]
    assert counts.size == len(PIECES)
    return counts
