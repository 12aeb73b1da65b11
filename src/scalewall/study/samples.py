"""Sampled inputs of a sweep: every draw follows from the seed, the design, the input and its number alone."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

from scalewall.study.designs import BLOCK, RANDOM, random_block, shares_of
from scalewall.study.distributions import Distribution
from scalewall.study.paths import Value

__all__ = ["Sampled", "Samples"]

_KEPT_BLOCKS = 64


@dataclass(frozen=True)
class Sampled:
    """One sampled input: its path, and how likely each value is."""

    path: str
    distribution: Distribution


@dataclass(frozen=True)
class Samples:
    """The sampled inputs of a sweep.

    Parameters
    ----------
    inputs : tuple of Sampled
        What is drawn; may be nothing.
    count : int
        Draws; 1 where nothing is sampled.
    seed : int
        Of the draws.
    design : str
        A name of :data:`~scalewall.study.designs.DESIGNS`.
    """

    inputs: tuple[Sampled, ...] = ()
    count: int = 1
    seed: int = 0
    design: str = RANDOM

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the inputs."""
        return tuple(sampled.path for sampled in self.inputs)

    def find(self, path: str) -> Sampled | None:
        """Return the sampled input of that path, if it is one."""
        return next((sampled for sampled in self.inputs if sampled.path == path), None)

    def value(self, sampled: Sampled, number: int) -> Value:
        """Return draw ``number`` (from 0) of one of the inputs."""
        if self.design == RANDOM:
            return _block(sampled, self.seed, number // BLOCK)[number % BLOCK]
        return self._designed[sampled.path][number]

    @cached_property
    def _designed(self) -> dict[str, tuple[Value, ...]]:
        """Every draw of every input of a design that is made as a whole, by path."""
        shares = shares_of(self.design, self.paths, self.count, self.seed)
        return {
            sampled.path: sampled.distribution.quantile(column)
            for sampled, column in zip(self.inputs, shares.T, strict=True)
        }

    def __getstate__(self) -> dict[str, object]:
        """Leave the draws out of what workers are sent: each makes them by itself."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


@lru_cache(maxsize=_KEPT_BLOCKS)
def _block(sampled: Sampled, seed: int, block: int) -> tuple[Value, ...]:
    return sampled.distribution.quantile(random_block(sampled.path, seed, block))
