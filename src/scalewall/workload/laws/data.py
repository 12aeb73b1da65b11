"""Data laws: on how many tokens ``D`` a stack of ``N`` parameters is trained.

``N`` counts every expert, as the published limits do. A loss fit ``E + A / N**alpha + B / D**beta`` gives
the compute-optimal ``D`` for ``N``: at fixed ``N * D`` the loss is least where both terms fall equally fast.

References
----------
.. [1] J. Hoffmann et al., "Training compute-optimal large language models", arXiv:2203.15556 (2022).
.. [2] T. Besiroglu et al., "Chinchilla scaling: a replication attempt", arXiv:2404.10102 (2024).
.. [3] A. Grattafiori et al., "The Llama 3 herd of models", arXiv:2407.21783 (2024), section 3.2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scalewall.workload.laws.law import Fitted, Law, Number, power_law, registry

__all__ = [
    "BESIROGLU",
    "DATA",
    "HOFFMANN",
    "LossFit",
    "besiroglu",
    "chinchilla_20",
    "hoffmann",
    "llama_3",
    "loss",
    "optimal_tokens",
    "tokens_per_parameter",
]


@dataclass(frozen=True)
class LossFit:
    """Constants of ``loss = E + A / N**alpha + B / D**beta`` (nats a token, N parameters, D tokens)."""

    irreducible: float
    size_factor: float
    data_factor: float
    size_exponent: float
    data_exponent: float


HOFFMANN = LossFit(1.69, 406.4, 410.7, 0.34, 0.28)
"""Hoffmann et al. 2022 [1], approach 3, as printed (exponents rounded to two digits)."""

BESIROGLU = LossFit(1.8172, 482.01, 2085.43, 0.3478, 0.3658)
"""Besiroglu et al. 2024 [2]: approach 3 fitted again to the points of [1]'s figure."""


def loss(parameters: Number, tokens: Number, fit: LossFit) -> Number:
    """Training loss ``E + A / N**alpha + B / D**beta`` of a fit.

    Parameters
    ----------
    parameters : float or array
        ``N``.
    tokens : float or array
        ``D``.
    fit : LossFit
        The constants.

    Returns
    -------
    float or array
        Nats a token.
    """
    size_term = power_law(parameters, fit.size_factor, -fit.size_exponent)
    data_term = power_law(tokens, fit.data_factor, -fit.data_exponent)
    return fit.irreducible + size_term + data_term


def optimal_tokens(parameters: Number, fit: LossFit) -> Number:
    """Tokens that make a model of ``parameters`` compute-optimal under a loss fit.

    Least loss at fixed ``N * D`` asks for ``alpha * A / N**alpha = beta * B / D**beta``, so
    ``D = (beta * B / (alpha * A)) ** (1 / beta) * N ** (alpha / beta)``.

    Parameters
    ----------
    parameters : float or array
        ``N``.
    fit : LossFit
        The constants.

    Returns
    -------
    float or array
        Tokens.
    """
    balance = (fit.data_exponent * fit.data_factor) / (fit.size_exponent * fit.size_factor)
    prefactor: float = balance ** (1 / fit.data_exponent)
    return power_law(parameters, prefactor, fit.size_exponent / fit.data_exponent)


def tokens_per_parameter(parameters: Number, tokens_per_parameter: float) -> Number:
    """Tokens by the user's own ratio: ``D = tokens_per_parameter * N``.

    Parameters
    ----------
    parameters : float or array
        ``N``.
    tokens_per_parameter : float
        Tokens for each parameter.

    Returns
    -------
    float or array
        Tokens.
    """
    return tokens_per_parameter * parameters


def chinchilla_20(parameters: Number) -> Number:
    """Twenty tokens a parameter, ``D = 20 * N``, the ratio of Chinchilla itself [1].

    Parameters
    ----------
    parameters : float or array
        ``N``.

    Returns
    -------
    float or array
        Tokens.
    """
    return tokens_per_parameter(parameters, 20.0)


def hoffmann(parameters: Number) -> Number:
    """Compute-optimal tokens under the loss fit of Hoffmann et al. [1]: :func:`optimal_tokens`.

    Parameters
    ----------
    parameters : float or array
        ``N``.

    Returns
    -------
    float or array
        Tokens.
    """
    return optimal_tokens(parameters, HOFFMANN)


def besiroglu(parameters: Number) -> Number:
    """Compute-optimal tokens under the loss fit of Besiroglu et al. [2]: :func:`optimal_tokens`.

    Parameters
    ----------
    parameters : float or array
        ``N``.

    Returns
    -------
    float or array
        Tokens.
    """
    return optimal_tokens(parameters, BESIROGLU)


def llama_3(parameters: Number) -> Number:
    """Compute-optimal tokens as Llama 3's authors fitted them, ``D = 0.299 * C**0.537`` [3].

    With ``C = 6 * N * D`` that is ``D = (0.299 * (6 * N)**0.537) ** (1 / (1 - 0.537))``.

    Parameters
    ----------
    parameters : float or array
        ``N``.

    Returns
    -------
    float or array
        Tokens.
    """
    return power_law(power_law(6 * parameters, 0.299, 0.537), 1.0, 1 / (1 - 0.537))


_HOFFMANN_RUNS = (Fitted("parameters", 70e6, 16e9), Fitted("tokens", 5e9, 500e9))


def _compute_optimal(
    name: str, function: Callable[[float], float], fit: LossFit, source: str, note: str
) -> Law:
    """Return the law of compute-optimal tokens under a loss fit to the runs of [1]."""
    size = f"{fit.size_factor:.10g}/N^{fit.size_exponent:g}"
    data = f"{fit.data_factor:.10g}/D^{fit.data_exponent:g}"
    formula = f"D at least loss of {fit.irreducible:g} + {size} + {data}"
    return Law("data", name, formula, function, ("parameters",), {}, source, note, _HOFFMANN_RUNS)


DATA: Mapping[str, Law] = registry(
    Law(
        "data",
        "chinchilla-20",
        "D = 20 * N",
        chinchilla_20,
        ("parameters",),
        {},
        "Hoffmann et al. 2022, arXiv:2203.15556 (Chinchilla: 70e9 parameters, 1.4e12 tokens)",
        "The reproduction rests on it.",
        (Fitted("parameters", 70e6, 70e9), Fitted("tokens", 5e9, 1.4e12)),
    ),
    Law(
        "data",
        "tokens-per-parameter",
        "D = tokens_per_parameter * N",
        tokens_per_parameter,
        ("parameters",),
        {"tokens_per_parameter": None},
        "the user's own value",
        "Needs tokens_per_parameter.",
    ),
    _compute_optimal(
        "hoffmann",
        hoffmann,
        HOFFMANN,
        "Hoffmann et al. 2022, arXiv:2203.15556, approach 3",
        "D ~ N^1.21. Disagrees with the paper's other two approaches; besiroglu corrects it.",
    ),
    _compute_optimal(
        "besiroglu",
        besiroglu,
        BESIROGLU,
        "Besiroglu et al. 2024, arXiv:2404.10102",
        "D ~ N^0.95. Fitted to points read off a figure of Hoffmann et al.",
    ),
    Law(
        "data",
        "llama-3",
        "D = 0.299 * C^0.537, C = 6*N*D",
        llama_3,
        ("parameters",),
        {},
        "Grattafiori et al. 2024, arXiv:2407.21783, section 3.2.1",
        "D ~ N^1.16. The authors' own data mix.",
        (Fitted("training_flop", 6e18, 1e22),),
    ),
)
"""Data laws by name."""
