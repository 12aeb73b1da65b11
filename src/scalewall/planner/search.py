"""The search: every layout of the space, by compiled formulas; exact for the closed-form step time."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from scalewall.planner.figures import SHARDINGS, Figures, figures_of
from scalewall.planner.layout import SCHEDULES, Layout
from scalewall.planner.pipeline import piece_counts
from scalewall.planner.plan import PlanQuestion
from scalewall.planner.rows import RowMaker, least_seconds, whole_counts
from scalewall.planner.search_kernel import REASONS, SUITS, Found, Row, Shapes, evaluate_row
from scalewall.planner.space import Again, Space, Split

__all__ = ["REACH", "Candidates", "Progress", "search"]

REACH = 1.5
"""Plans that take longer than this many times the best are dropped, once enough are known."""

_ENDLESS = 10**6
"""A microbatch so large that everything that does not grow with it is gone: no smaller one takes less a sequence."""

Progress = Callable[[int, int], None]
"""Called with how many splits are done, of how many."""


@dataclass(frozen=True)
class _Chosen:
    """What a row stands for."""

    split: Split
    ep: int
    etp: int
    microbatch: int
    again: Again


@dataclass(frozen=True, eq=False)
class Candidates:
    """Layouts that fit and are not too slow, in the order found.

    Parameters
    ----------
    seconds, memory : float arrays, shape (n,)
        Of a step; of the fullest stage (bytes).
    tally : mapping of str to int
        How many layouts were evaluated, fitted, and were ruled out for which reason.
    skipped : int
        Rows left out since no pipeline of theirs can come near the best.
    """

    seconds: NDArray[np.float64]
    memory: NDArray[np.float64]
    tally: dict[str, int]
    skipped: int
    _row: NDArray[np.int64] = field(repr=False)
    _numbers: NDArray[np.int32] = field(repr=False)
    _chosen: list[_Chosen] = field(repr=False)
    _space: Space = field(repr=False)

    def layout(self, number: int) -> Layout:
        """Return a candidate's layout."""
        chosen = self._chosen[self._row[number]]
        pipeline, way = self._numbers[number]
        pp, chunks = chosen.split.shapes[pipeline]
        variant = chosen.split.variants[way]
        kind, modules = chosen.again
        ranks = self._space.question.ranks
        return Layout(
            tp=chosen.split.tp,
            cp=chosen.split.cp,
            pp=pp,
            dp=ranks // (chosen.split.tp * chosen.split.cp * pp),
            ep=chosen.ep,
            etp=chosen.etp,
            chunks=chunks,
            microbatch=chosen.microbatch,
            schedule=variant.schedule,
            sequence_parallel=self._space.offers.sequence_parallel,
            sharding=variant.sharding,
            shard_ranks=variant.shard_ranks,
            recompute=kind,
            recompute_modules=modules,
        )


class _Best:
    """The times of the best plans so far, and the cutoff that follows from them."""

    def __init__(self, top: int) -> None:
        self._top = top
        self._times: list[float] = []

    def add(self, seconds: NDArray[np.float64]) -> None:
        limit = self._times[-1] if len(self._times) == self._top else np.inf
        for time in np.sort(seconds[seconds < limit])[: self._top].tolist():
            bisect.insort(self._times, time)
        del self._times[self._top :]

    @property
    def cutoff(self) -> float:
        """Seconds beyond which a plan is of no use."""
        return max(self._times[-1], REACH * self._times[0]) if len(self._times) == self._top else np.inf


def search(
    question: PlanQuestion, space: Space, capacity: float, progress: Progress | None = None
) -> Candidates:
    """Evaluate the space.

    Parameters
    ----------
    question : PlanQuestion
        What was asked.
    space : Space
        Which layouts.
    capacity : float
        Bytes that a stage may hold.
    progress : callable or None
        Called after each split.
    """
    return _Searcher(question, space, capacity).run(progress)


def smallest(question: PlanQuestion, space: Space) -> Candidates:
    """Return the layout of the space that needs the least memory, as the only candidate."""
    return _Searcher(question, space, np.inf, smallest=True).run(None)


class _Searcher:
    """The search at work."""

    def __init__(
        self, question: PlanQuestion, space: Space, capacity: float, *, smallest: bool = False
    ) -> None:
        self._question, self._space, self._capacity = question, space, capacity
        self._figures: Figures = figures_of(question.run, question.profile)
        self._whole = whole_counts(question)
        self._counts = {
            (pp, chunks): piece_counts(question.run.model, pp, chunks)
            for split in space.splits
            for pp, chunks in split.shapes
        }
        self._best = _Best(question.top)
        self._least = np.inf if smallest else None
        self._tally = np.zeros(len(REASONS), dtype=np.int64)
        self._chosen: list[_Chosen] = []
        self._written: list[tuple[NDArray[np.float64], NDArray[np.int32]]] = []
        self._skipped = 0

    def run(self, progress: Progress | None) -> Candidates:
        """Go through all splits."""
        splits = self._space.splits
        for done, split in enumerate(splits, start=1):
            self._split(split)
            if progress:
                progress(done, len(splits))
        sizes = [len(values) for values, _ in self._written]
        values = np.concatenate([np.empty((0, 2)), *(values for values, _ in self._written)])
        numbers = np.concatenate([np.empty((0, 2), np.int32), *(numbers for _, numbers in self._written)])
        near = np.flatnonzero(values[:, 0] <= self._best.cutoff)
        return Candidates(
            seconds=values[near, 0],
            memory=values[near, 1],
            tally=dict(zip(REASONS, self._tally.tolist(), strict=True)),
            skipped=self._skipped,
            _row=np.repeat(np.arange(len(sizes)), sizes)[near],
            _numbers=numbers[near],
            _chosen=self._chosen,
            _space=self._space,
        )

    def _split(self, split: Split) -> None:
        layout = Layout(tp=split.tp, cp=split.cp, sequence_parallel=self._space.offers.sequence_parallel)
        shapes = self._shapes(split)
        size = (len(split.shapes), len(split.variants))
        makers: dict[int, RowMaker] = {}

        def maker(microbatch: int) -> RowMaker:
            if microbatch not in makers:
                makers[microbatch] = RowMaker(self._question, replace(layout, microbatch=microbatch))
            return makers[microbatch]

        for ep, etp in self._space.expert_degrees(split.tp):
            full = {again: np.zeros(size, dtype=np.uint8) for again in self._space.again}
            left = [
                again
                for again, row in zip(
                    self._space.again, maker(_ENDLESS).rows(ep, etp, self._space.again), strict=True
                )
                if not self._hopeless(row)
            ]
            for microbatch in split.microbatches:
                trying = tuple(left)
                rows = maker(microbatch).rows(ep, etp, trying)
                for again, row in zip(trying, rows, strict=True):
                    if self._hopeless(row):
                        continue
                    self._row(row, shapes, full[again], _Chosen(split, ep, etp, microbatch, again))
                    if split.microbatches[0] == 1 and not (full[again] == SUITS).any():
                        left.remove(again)
                if not left:
                    break

    def _hopeless(self, row: Row) -> bool:
        """Whether no pipeline of a row comes near the best."""
        if least_seconds(row, self._whole) <= self._best.cutoff:
            return False
        self._skipped += 1
        return True

    def _shapes(self, split: Split) -> Shapes:
        counts = [self._counts[shape] for shape in split.shapes]
        first = [0, *accumulate(len(one) for one in counts)]
        pipelines = [(*shape, start) for shape, start in zip(split.shapes, first, strict=False)]
        variants = [
            (
                SCHEDULES.index(one.schedule),
                SHARDINGS.index(one.sharding),
                one.shard_ranks,
                int(one.pipelined),
            )
            for one in split.variants
        ]
        return Shapes(
            np.array(pipelines, dtype=np.int64), np.concatenate(counts), np.array(variants, dtype=np.int64)
        )

    def _row(self, row: Row, shapes: Shapes, full: NDArray[np.uint8], chosen: _Chosen) -> None:
        room = (full.size, 2)
        found = Found(np.empty(room), np.empty(room, dtype=np.int32), full, self._tally)
        written = evaluate_row(row, shapes, self._figures, self._capacity, self._best.cutoff, found)
        if self._least is not None:
            self._keep_least(found, written, chosen)
        elif written:
            self._best.add(found.values[:written, 0])
            self._written.append((found.values[:written].copy(), found.numbers[:written].copy()))
            self._chosen.append(chosen)

    def _keep_least(self, found: Found, written: int, chosen: _Chosen) -> None:
        """Keep the plan that needs the least memory of all so far."""
        assert self._least is not None
        if not written or found.values[:written, 1].min() >= self._least:
            return
        best = int(found.values[:written, 1].argmin())
        self._least = float(found.values[best, 1])
        self._written = [(found.values[best : best + 1].copy(), found.numbers[best : best + 1].copy())]
        self._chosen = [chosen]
