"""Sampled inputs of a sweep: every draw follows from the seed, the design, the input and its number alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from scalewall.study.designs import BLOCK, RANDOM, random_block, shares_of
from scalewall.study.distributions import Distribution
from scalewall.study.paths import Value

__all__ = ["Sampled", "Samples"]

_KEPT_BLOCKS = 4


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
        return self._block(sampled.path, number // BLOCK)[number % BLOCK]

    @cached_property
    def _block(self) -> Callable[[str, int], tuple[Value, ...]]:
        """Draws of an input, by its path and the number of their block; the latest are kept."""
        places = {sampled.path: place for place, sampled in enumerate(self.inputs)}

        def draw(path: str, block: int) -> tuple[Value, ...]:
            place = places[path]
            if self.design == RANDOM:
                shares = random_block(path, self.seed, block)
            else:
                shares = self._shares[block * BLOCK : (block + 1) * BLOCK, place]
            return self.inputs[place].distribution.quantile(shares)

        return lru_cache(maxsize=_KEPT_BLOCKS * len(self.inputs))(draw)

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """The shares of a design that is made as a whole."""
        return shares_of(self.design, self.paths, self.count, self.seed)

    def __getstate__(self) -> dict[str, object]:
        """Leave draws and shares out of what workers are sent: each makes them by itself."""
        return {part.name: getattr(self, part.name) for part in fields(self)}
