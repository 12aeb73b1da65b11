"""Batch laws: how many tokens ``B`` a batch may hold.

Two kinds, not to be compared as if they were one: a *critical* batch is the largest that costs few extra
tokens, an *optimal* batch is the one of least loss for a token budget, several times smaller.

References
----------
.. [1] E. Erdil and D. Schneider-Joseph, "Data movement limits to frontier model training",
   arXiv:2411.01137 (2024).
.. [2] X. Bi et al., "DeepSeek LLM: scaling open-source language models with longtermism",
   arXiv:2401.02954 (2024).
.. [3] H. Zhang et al., "How does critical batch size scale in pre-training?", arXiv:2410.21676 (2024).
.. [4] H. Li et al., "Predictable scale: part I, Step Law", arXiv:2503.04715 (2025).
"""

from __future__ import annotations

from collections.abc import Mapping

from scalewall.workload.laws.law import Fitted, Law, Number, power_law, registry

__all__ = [
    "ANCHOR_FLOP",
    "ANCHOR_TOKENS",
    "BATCH",
    "SEQUENCE_TOKENS",
    "critical",
    "deepseek",
    "fixed",
    "power",
    "step_law",
    "zhang",
]

SEQUENCE_TOKENS = 2048
"""Tokens of a sequence in [1]: GPT-3's context (Brown et al. 2020, arXiv:2005.14165)."""

ANCHOR_TOKENS = 2048.0**2
"""Batch (tokens) that [1] takes for a dense run of GPT-3's size."""

ANCHOR_FLOP = 3e23
"""Training compute of that run (FLOP) [1]."""


def power(
    training_flop: Number,
    sparsity: Number,
    batch_anchor_tokens: float,
    batch_anchor_flop: float,
    batch_exponent: float,
) -> Number:
    """Batch as a power of compute through an anchor, ``B = sqrt(S) * B0 * (C / C0)**exponent``.

    Parameters
    ----------
    training_flop : float or array
        ``C`` (FLOP).
    sparsity : float or array
        Experts a block ``S``.
    batch_anchor_tokens : float
        ``B0``: tokens a batch of a dense run of ``batch_anchor_flop``.
    batch_anchor_flop : float
        ``C0`` (FLOP).
    batch_exponent : float
        How fast the batch grows with compute.

    Returns
    -------
    float or array
        Tokens a batch, not rounded.
    """
    return power_law(sparsity, 1.0, 0.5) * power_law(
        training_flop / batch_anchor_flop, batch_anchor_tokens, batch_exponent
    )


def critical(training_flop: Number, sparsity: Number) -> Number:
    """Batch of the published limits, ``B = sqrt(S) * (C / 3e23)**(1/6) * 2048**2`` [1].

    Parameters
    ----------
    training_flop : float or array
        ``C`` (FLOP).
    sparsity : float or array
        Experts a block ``S``.

    Returns
    -------
    float or array
        Tokens a batch, not rounded.
    """
    return power(training_flop, sparsity, ANCHOR_TOKENS, ANCHOR_FLOP, 1 / 6)


def fixed(batch_tokens: Number) -> Number:
    """Return the same batch for every run (tokens)."""
    return batch_tokens


def deepseek(training_flop: Number, sparsity: Number) -> Number:
    """Optimal batch of DeepSeek LLM, ``B = sqrt(S) * 0.2920 * C**0.3271`` [2].

    The factor for experts is that of [1]; [2] fitted dense models.

    Parameters
    ----------
    training_flop : float or array
        ``C`` (FLOP).
    sparsity : float or array
        Experts a block ``S``.

    Returns
    -------
    float or array
        Tokens a batch, not rounded.
    """
    return power_law(sparsity, 1.0, 0.5) * power_law(training_flop, 0.2920, 0.3271)


def zhang(tokens: Number) -> Number:
    """Critical batch of Zhang et al., ``B = 17.75 * D**0.47`` [3], where steps rise by 20 %.

    The paper prints ``22.91 * D**0.47`` in 512-token sequences for ``D`` in millions of tokens:
    ``512 * 22.91 / (1e6)**0.47 = 17.75``.

    Parameters
    ----------
    tokens : float or array
        ``D``.

    Returns
    -------
    float or array
        Tokens a batch, not rounded.
    """
    return power_law(tokens, 17.75, 0.47)


def step_law(tokens: Number) -> Number:
    """Optimal batch of Step Law, ``B = 0.58 * D**0.571`` [4].

    Parameters
    ----------
    tokens : float or array
        ``D``.

    Returns
    -------
    float or array
        Tokens a batch, not rounded.
    """
    return power_law(tokens, 0.58, 0.571)


BATCH: Mapping[str, Law] = registry(
    Law(
        "batch",
        "critical",
        "B = sqrt(S) * 2048^2 * (C / 3e23)^(1/6)",
        critical,
        ("training_flop", "sparsity"),
        {},
        "Erdil and Schneider-Joseph 2024, arXiv:2411.01137",
        "Critical. The reproduction rests on it: 4 Mi tokens at GPT-3's compute, growing as N^(1/3); "
        "an assumption, not a fit.",
    ),
    Law(
        "batch",
        "fixed",
        "B = batch_tokens",
        fixed,
        (),
        {"batch_tokens": ANCHOR_TOKENS},
        "Erdil and Schneider-Joseph 2024, arXiv:2411.01137 (2^22), or the user's own value",
        "No growth with the run.",
    ),
    Law(
        "batch",
        "deepseek",
        "B = sqrt(S) * 0.2920 * C^0.3271",
        deepseek,
        ("training_flop", "sparsity"),
        {},
        "Bi et al. 2024, arXiv:2401.02954; sqrt(S) from Erdil and Schneider-Joseph 2024",
        "Optimal, not critical.",
        (Fitted("training_flop", 1e17, 2e19),),
    ),
    Law(
        "batch",
        "zhang",
        "B = 17.75 * D^0.47",
        zhang,
        ("tokens",),
        {},
        "Zhang et al. 2024, arXiv:2410.21676",
        "Critical, at 20 % extra steps; depends on data alone.",
        (Fitted("parameters", 85e6, 1.2e9),),
    ),
    Law(
        "batch",
        "step-law",
        "B = 0.58 * D^0.571",
        step_law,
        ("tokens",),
        {},
        "Li et al. 2025, arXiv:2503.04715",
        "Optimal, not critical; depends on data alone.",
        (Fitted("parameters", 0.0, 1e9),),
    ),
    Law(
        "batch",
        "power",
        "B = sqrt(S) * batch_anchor_tokens * (C / batch_anchor_flop)^batch_exponent",
        power,
        ("training_flop", "sparsity"),
        {
            "batch_anchor_tokens": ANCHOR_TOKENS,
            "batch_anchor_flop": ANCHOR_FLOP,
            "batch_exponent": None,
        },
        "the user's own values; the default anchor is that of the critical law",
        "Needs batch_exponent; 1/6 at the default anchor is the critical law.",
    ),
)
"""Batch laws by name."""
