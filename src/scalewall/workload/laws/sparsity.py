"""Sparsity laws: how many experts ``S`` a block holds, of which a token passes through one.

References
----------
.. [1] E. Erdil and D. Schneider-Joseph, "Data movement limits to frontier model training",
   arXiv:2411.01137 (2024).
"""

from __future__ import annotations

from collections.abc import Mapping

from scalewall.workload.laws.law import Law, Number, power_law, registry

__all__ = ["GPT3_D_MODEL", "SPARSITY", "constant", "dense", "law"]

GPT3_D_MODEL = 12288
"""Width of GPT-3 175B (Brown et al. 2020, arXiv:2005.14165, table 2.1), where the law gives 8 experts."""


def dense() -> float:
    """Experts of a dense block: 1."""
    return 1.0


def law(d_model: Number, d_ff: Number) -> Number:
    """Experts that grow with width, ``S = 8 * sqrt(d_model*d_ff / (4 * 12288**2))`` [1].

    Parameters
    ----------
    d_model, d_ff : float or array
        Width of the stack and of its feed-forward layer (elements).

    Returns
    -------
    float or array
        Experts a block, not rounded.
    """
    return power_law(d_model * d_ff / (4.0 * GPT3_D_MODEL**2), 8.0, 0.5)


def constant(experts: Number) -> Number:
    """Return the user's own number of experts."""
    return experts


SPARSITY: Mapping[str, Law] = registry(
    Law("sparsity", "dense", "S = 1", dense, (), {}, "definition", "Every token uses every weight."),
    Law(
        "sparsity",
        "law",
        "S = 8 * sqrt(d_model*d_ff / (4*12288^2))",
        law,
        ("d_model", "d_ff"),
        {},
        "Erdil and Schneider-Joseph 2024, arXiv:2411.01137",
        "The sparse models of the published limits: 8 experts at GPT-3's width. An assumption, not a fit.",
    ),
    Law(
        "sparsity",
        "constant",
        "S = experts",
        constant,
        (),
        {"experts": None},
        "the user's own value",
        "Needs experts.",
    ),
)
"""Sparsity laws by name."""
