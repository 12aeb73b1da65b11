"""Where the parts of a model sit: which stage holds which slice, and in which order a microbatch visits them.

A *part* is a contiguous slice of the model's layers, held by one *stage* (one accelerator, or one tensor- and
data-parallel group of them). A microbatch passes through a *chain* of parts forward and back. One chain that
visits every stage once is the plain pipeline; a chain that loops round the stages is the interleaved one; a
chain that goes down and comes back is a V; two opposite chains hold the model twice (DualPipe).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scalewall.errors import InputError

__all__ = ["Placement", "bidirectional", "looped", "vee"]

_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Placement:
    """Chains of stages, in order of depth. Parts are numbered chain after chain, in order of depth.

    Parameters
    ----------
    chains : tuple of tuple of int
        For each chain the stage that holds its first part, its second, and so on.
    """

    chains: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        """Refuse chains that are empty or leave stages unused."""
        if not self.chains or not all(self.chains):
            raise InputError(
                "chains", [list(chain) for chain in self.chains], "at least one chain, none empty"
            )
        used = {stage for chain in self.chains for stage in chain}
        wrong = min(used)
        if wrong >= 0:
            wrong = next(stage for stage in itertools.count() if stage not in used)
        if wrong < len(used):
            problem = f"{wrong} is negative" if wrong < 0 else f"{wrong} is missing"
            allowed = f"stages numbered 0, 1, 2, ... without gaps; {problem}"
            raise InputError("chains", [list(chain) for chain in self.chains], allowed)

    @cached_property
    def stages(self) -> int:
        """Number of stages."""
        return 1 + max(max(chain) for chain in self.chains)

    @cached_property
    def parts(self) -> int:
        """Number of parts over all chains."""
        return sum(len(chain) for chain in self.chains)

    @cached_property
    def part_stage(self) -> _Ints:
        """Stage of each part, shape (parts,)."""
        return np.array([stage for chain in self.chains for stage in chain], dtype=np.int64)

    @cached_property
    def part_chain(self) -> _Ints:
        """Chain of each part, shape (parts,)."""
        return np.repeat(np.arange(len(self.chains)), [len(chain) for chain in self.chains])

    @cached_property
    def next_part(self) -> _Ints:
        """The part that a forward result goes to, -1 at the end of a chain; shape (parts,)."""
        following = np.arange(1, self.parts + 1)
        following[np.cumsum([len(chain) for chain in self.chains]) - 1] = -1
        return following

    @cached_property
    def previous_part(self) -> _Ints:
        """The part that an input gradient goes to, -1 at the start of a chain; shape (parts,)."""
        leading = np.arange(-1, self.parts - 1)
        leading[np.cumsum([0, *(len(chain) for chain in self.chains[:-1])])] = -1
        return leading

    @cached_property
    def chunk(self) -> _Ints:
        """Number of each part among the parts of its stage, from 0 in part order; shape (parts,)."""
        seen = np.zeros(self.stages, dtype=np.int64)
        chunk = np.empty(self.parts, dtype=np.int64)
        for part, stage in enumerate(self.part_stage):
            chunk[part] = seen[stage]
            seen[stage] += 1
        return chunk

    @cached_property
    def share(self) -> npt.NDArray[np.float64]:
        """Share of its stage's layers that each part holds where chunks are equal, shape (parts,).

        Chains are copies of the model, so a stage's parts share its layers within a chain only.
        """
        key = self.part_chain * self.stages + self.part_stage
        result: npt.NDArray[np.float64] = 1.0 / np.bincount(key)[key]
        return result

    def part_of(self, stage: int, chunk: int) -> int:
        """Return the part that is number ``chunk`` on ``stage``, -1 where there is none."""
        found = np.flatnonzero((self.part_stage == stage) & (self.chunk == chunk))
        return int(found[0]) if found.size else -1


def looped(stages: int, chunks: int = 1) -> Placement:
    """One chain round and round the stages: ``chunks`` parts a stage (1: the plain pipeline)."""
    return Placement((tuple(range(stages)) * chunks,))


def vee(stages: int) -> Placement:
    """One chain down the stages and back: two parts a stage, the first stage holds both ends."""
    return Placement(((*range(stages), *reversed(range(stages))),))


def bidirectional(stages: int) -> Placement:
    """Two chains in opposite directions: every stage holds one part of each, the model is there twice."""
    return Placement((tuple(range(stages)), tuple(reversed(range(stages)))))
