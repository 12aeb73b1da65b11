"""Designs of samples: which shares of their distributions the inputs of each sample take.

``random`` draws every number by itself; ``latin-hypercube`` puts exactly one draw of an input into each of as many
equal slices as there are samples; ``sobol`` spreads the samples evenly over all inputs together. ``saltelli`` and
``morris`` are what Sobol indices and Morris screening need (SALib), and describe uncertainty less well.

References
----------
.. [1] M. McKay, R. Beckman, W. Conover, "A comparison of three methods for selecting values of input variables",
   Technometrics 21 (1979).
.. [2] I. Sobol', "On the distribution of points in a cube", USSR Comput. Math. Math. Phys. 7 (1967), scrambled as
   by A. Owen, "Scrambling Sobol' and Niederreiter-Xing points", J. Complexity 14 (1998).
.. [3] A. Saltelli et al., "Variance based sensitivity analysis of model output", Comput. Phys. Commun. 181 (2010).
.. [4] M. Morris, "Factorial sampling plans for preliminary computational experiments", Technometrics 33 (1991).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalewall.errors import InputError

__all__ = [
    "BLOCK",
    "DESIGNS",
    "MORRIS_ENDS",
    "MORRIS_LEVELS",
    "MOST_SHARES",
    "RANDOM",
    "check_count",
    "problem_of",
    "random_block",
    "shares_of",
]

RANDOM = "random"
BLOCK = 1024
"""Random numbers that come from one generator; any worker makes any block by itself."""

MORRIS_LEVELS = 4
"""Levels of an input in Morris screening, the number that [4] uses."""

MORRIS_ENDS = (0.01, 0.99)
"""Shares that the outermost levels stand for: quantiles of 0 and 1 may be endless."""

MOST_SHARES = 50_000_000
"""Samples times inputs of a design that is made as a whole, 8 bytes each in every worker."""

_Shares = NDArray[np.float64]


def problem_of(paths: Sequence[str]) -> dict[str, Any]:
    """Return inputs between 0 and 1 as SALib's description of a problem."""
    return {"num_vars": len(paths), "names": list(paths), "bounds": [[0.0, 1.0]] * len(paths)}


def random_block(path: str, seed: int, block: int) -> _Shares:
    """Return the shares numbered ``block * BLOCK`` and on of one input, whatever else is drawn."""
    return _generator(seed, path, block).random(BLOCK)


def _generator(seed: int, path: str, number: int) -> np.random.Generator:
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence([seed, zlib.crc32(path.encode()), number]))
    )


def _latin_hypercube(paths: Sequence[str], count: int, seed: int) -> _Shares:
    columns = []
    for path in paths:
        generator = _generator(seed, path, count)
        columns.append((generator.permutation(count) + generator.random(count)) / count)
    return np.column_stack(columns)


def _sobol(paths: Sequence[str], count: int, seed: int) -> _Shares:
    from scipy.stats import qmc

    points = qmc.Sobol(len(paths), scramble=True, rng=seed).random_base2(math.ceil(math.log2(count)))
    return np.asarray(points[:count])


def _saltelli(paths: Sequence[str], count: int, seed: int) -> _Shares:
    from SALib.sample import sobol

    base = count // (len(paths) + 2)
    return np.asarray(sobol.sample(problem_of(paths), base, calc_second_order=False, seed=seed))


def _morris(paths: Sequence[str], count: int, seed: int) -> _Shares:
    from SALib.sample import morris

    paths_walked = count // (len(paths) + 1)
    low, high = MORRIS_ENDS
    levels = morris.sample(problem_of(paths), paths_walked, num_levels=MORRIS_LEVELS, seed=seed)
    return np.asarray(low + (high - low) * levels)


DESIGNS: Mapping[str, Callable[[Sequence[str], int, int], _Shares] | None] = MappingProxyType(
    {
        RANDOM: None,
        "latin-hypercube": _latin_hypercube,
        "sobol": _sobol,
        "saltelli": _saltelli,
        "morris": _morris,
    }
)
"""Name to what makes the shares of all samples at once; ``random`` makes them block by block."""


def check_count(field: str, design: str, inputs: int, count: int) -> None:
    """Refuse a number of samples that a design cannot have.

    Raises
    ------
    InputError
        Not what the design needs for that many inputs, or more than fits into memory.
    """
    if design == RANDOM:
        return
    if inputs * count > MOST_SHARES:
        raise InputError(
            field, count, f"at most {MOST_SHARES // inputs:,} samples of {inputs} inputs ({design})"
        )
    if design == "saltelli":
        unit, least, power = inputs + 2, 2, True
    elif design == "morris":
        unit, least, power = inputs + 1, 2, False
    else:
        return
    base, rest = divmod(count, unit)
    if rest or base < least or (power and base & (base - 1)):
        several = "a power of 2" if power else "a whole number from 2"
        usual = max(least, 2 ** round(math.log2(max(base, 1))) if power else base)
        raise InputError(
            field, count, f"{several} times {unit} ({design}, {inputs} inputs)", [f"{usual * unit}"]
        )


def shares_of(design: str, paths: Sequence[str], count: int, seed: int) -> _Shares:
    """Return the shares of a design that is made as a whole.

    Parameters
    ----------
    design : str
        A name of :data:`DESIGNS` other than ``random``.
    paths : sequence of str
        Inputs.
    count : int
        Samples, as :func:`check_count` takes them.
    seed : int
        The same seed makes the same shares.

    Returns
    -------
    array
        Shares between 0 and 1, shape (count, inputs).
    """
    make = DESIGNS[design]
    assert make is not None
    return make(paths, count, seed)
