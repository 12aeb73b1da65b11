"""A sweep: what is fixed, what varies, and the points that follow, each by its number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from scalewall.study.paths import MACHINE, Value
from scalewall.study.samples import Samples

__all__ = ["DEFAULT_MACHINE", "Sweep", "SweepPoint"]

DEFAULT_MACHINE = "h100"
"""The machine of a sweep that names none, as of :class:`~scalewall.ideal.study.LimitsStudy`."""


@dataclass(frozen=True)
class SweepPoint:
    """One evaluation: its number, which sample it is (None: nothing is sampled), its inputs by path."""

    number: int
    sample: int | None
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Sweep:
    """A question asked at every combination of axes, for every sample.

    Points are numbered with the sample running fastest, then the last axis. All combinations meet the same
    samples, so that differences between them are not noise. Build one with
    :func:`scalewall.study.study_file.sweep_of`, which checks it.

    Parameters
    ----------
    kind : str
        What a point answers, a name of :data:`scalewall.study.outputs.KINDS`.
    fixed : mapping of str to value
        Inputs by path.
    axes : mapping of str to tuple of values
        Inputs that vary, by path.
    samples : Samples
        Inputs that are drawn.
    columns : tuple of str
        Results to keep; empty: all.
    table : mapping
        The study as it was written, in plain values.
    """

    kind: str
    fixed: Mapping[str, Value]
    axes: Mapping[str, tuple[Value, ...]]
    samples: Samples = field(default_factory=Samples)
    columns: tuple[str, ...] = ()
    table: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def count(self) -> int:
        """Number of points."""
        return prod(len(values) for values in self.axes.values()) * self.samples.count

    @cached_property
    def varied(self) -> tuple[str, ...]:
        """Paths of the inputs that vary: axes, then samples."""
        return (*self.axes, *self.samples.paths)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Paths of the inputs that rows name: the machine, then what varies."""
        return tuple(dict.fromkeys((MACHINE, *self.varied)))

    @property
    def machines(self) -> tuple[str, ...]:
        """Every machine that a point may ask about."""
        if MACHINE not in (*self.fixed, *self.varied):
            return (DEFAULT_MACHINE,)
        return tuple(str(value) for value in self.input_values(MACHINE))

    def input_values(self, path: str) -> tuple[Value, ...]:
        """Return what an input can be: the values of an axis, typical draws, or the one fixed value."""
        if path in self.axes:
            return self.axes[path]
        sampled = self.samples.find(path)
        return sampled.distribution.typical() if sampled else (self.fixed[path],)

    def point(self, number: int) -> SweepPoint:
        """Return the point of that number, from 0."""
        if not 0 <= number < self.count:
            raise IndexError(f"a sweep of {self.count} points has no point {number}")
        sample = number % self.samples.count if self.samples.inputs else None
        return SweepPoint(number, sample, next(self.inputs_of(number, number + 1)))

    @cached_property
    def _strides(self) -> dict[str, tuple[int, tuple[Value, ...]]]:
        """How many points in a row share a value of each axis, and its values."""
        found: dict[str, tuple[int, tuple[Value, ...]]] = {}
        stride = self.samples.count
        for path, values in reversed(tuple(self.axes.items())):
            found[path] = (stride, values)
            stride *= len(values)
        return {path: found[path] for path in self.axes}

    def points(self, start: int, stop: int) -> Iterator[SweepPoint]:
        """Yield the points numbered ``start`` to ``stop - 1``."""
        return map(self.point, range(start, stop))

    def inputs_of(self, start: int, stop: int) -> Iterator[dict[str, Value]]:
        """Yield the inputs of the points numbered ``start`` to ``stop - 1`` by path, a column at a time within."""
        numbers = range(start, stop)
        columns = [self.values_at(path, numbers) for path in self.varied]
        fixed = dict(self.fixed)
        for row in zip(*columns, strict=True) if columns else ((),) * len(numbers):
            yield fixed | dict(zip(self.varied, row, strict=True))

    def values_at(self, path: str, numbers: Sequence[int]) -> list[Value]:
        """Return an input of the points of these numbers."""
        if path in self._strides:
            stride, choices = self._strides[path]
            return [choices[number // stride % len(choices)] for number in numbers]
        sampled = self.samples.find(path)
        if sampled:
            return [self.samples.value(sampled, number % self.samples.count) for number in numbers]
        return [self.fixed.get(path, DEFAULT_MACHINE)] * len(numbers)
