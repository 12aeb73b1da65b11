"""How far predictions are off: over all runs, by group, in the order of layouts, beside what is no prediction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from scalewall.validation.planner_cases import Case
from scalewall.workload.flops import token_flop

__all__ = ["Ordering", "Score", "constant_rates", "noise_floor", "ordering", "score"]

_CLOSE = 0.10
_DIFFER = 0.03
"""Layouts whose measured times differ by less are not put in order."""


@dataclass(frozen=True)
class Score:
    """Median and 90th percentile of the absolute relative error, mean of the signed one, share within 10 %."""

    rows: int
    median: float
    p90: float
    bias: float
    close: float


@dataclass(frozen=True)
class Ordering:
    """Pairs of layouts of one run, and how many of them the predictions put in the right order."""

    pairs: int
    right: int

    @property
    def share(self) -> float:
        """Right ones over all; 1 if there are none."""
        return self.right / self.pairs if self.pairs else 1.0


def score(errors: Iterable[float]) -> Score | None:
    """Return the usual figures of relative errors; None without any."""
    values = np.array(list(errors), dtype=np.float64)
    if not values.size:
        return None
    sizes = np.abs(values)
    return Score(
        rows=int(values.size),
        median=float(np.median(sizes)),
        p90=float(np.percentile(sizes, 90)),
        bias=float(values.mean()),
        close=float((sizes <= _CLOSE).mean()),
    )


def ordering(cases: Sequence[Case], predicted: Mapping[str, float]) -> Ordering:
    """Return how often the faster of two layouts is predicted to be the faster one.

    A group is one source's runs of one model on one machine with as many accelerators, at one sequence length and
    precision; times are compared a sequence. Pairs that differ by 3 % or less in the measurement do not count.
    """
    groups: dict[object, list[Case]] = defaultdict(list)
    for case in cases:
        if case.step.kind == "train":
            key = (
                case.step.source,
                case.step.released,
                case.run.model,
                case.run.device.name,
                case.layout.ranks,
                case.run.sequence,
                case.run.precision,
            )
            groups[key].append(case)
    pairs = right = 0
    for group in groups.values():
        for one, other in combinations(group, 2):
            if (one.layout, one.run) == (other.layout, other.run):
                continue
            measured = _ratio(one, other, lambda case: case.step.step_seconds)
            if abs(measured) <= np.log1p(_DIFFER):
                continue
            expected = _ratio(one, other, lambda case: predicted[case.step.id])
            pairs += 1
            right += measured * expected > 0
    return Ordering(pairs, right)


def _ratio(one: Case, other: Case, seconds: Callable[[Case], float]) -> float:
    """Return the logarithm of how much longer a sequence takes in one run than in the other."""
    times = [seconds(case) / case.run.global_batch for case in (one, other)]
    return float(np.log(times[0] / times[1]))


def noise_floor(cases: Sequence[Case]) -> Score | None:
    """Return how much two sources differ that measured the same configuration: what no prediction can beat."""
    groups: dict[object, list[Case]] = defaultdict(list)
    for case in cases:
        if case.step.kind == "train":
            key = (
                case.run.model,
                case.run.device.name,
                case.layout,
                case.run.sequence,
                case.run.global_batch,
            )
            groups[(*key, case.run.precision, case.run.graphs, case.run.compiled)].append(case)
    differences = []
    for group in groups.values():
        for one, other in combinations(group, 2):
            if (one.step.source, one.step.released) != (other.step.source, other.step.released):
                differences.append(other.step.step_seconds / one.step.step_seconds - 1)
    return score(differences)


def constant_rates(cases: Sequence[Case], *, leave_out: bool) -> dict[str, float]:
    """Return the step times that one constant rate predicts: the median model FLOP/s an accelerator.

    The median over the runs of the same profile, machine and precision; with ``leave_out`` without the run's own
    source, and over ever wider groups where none is left.
    """
    rates = {case.step.id: _rate(case, case.step.step_seconds) for case in cases}
    predicted = {}
    for case in cases:
        others = [c for c in cases if not leave_out or c.step.source != case.step.source]
        for width in range(len(_KEYS) + 1):
            alike = [rates[c.step.id] for c in others if _alike(c, case, width)]
            if alike:
                break
        predicted[case.step.id] = _rate(case, 1.0) / float(np.median(alike))
    return predicted


_KEYS: tuple[Callable[[Case], object], ...] = (
    lambda case: case.profile.name,
    lambda case: case.run.device.name,
    lambda case: case.run.precision,
)


def _alike(one: Case, other: Case, skipped: int) -> bool:
    """Whether two runs agree in profile, machine and precision, the first ``skipped`` of these aside."""
    return all(key(one) == key(other) for key in _KEYS[skipped:])


def _rate(case: Case, seconds: float) -> float:
    """Model FLOP/s an accelerator of a step of ``seconds``."""
    flop = token_flop(case.run.model, case.run.sequence).training * case.run.tokens
    return flop / (case.layout.ranks * seconds)
