"""Depth laws: how many layers ``L`` a stack of a given width has.

References
----------
.. [1] E. Erdil and D. Schneider-Joseph, "Data movement limits to frontier model training",
   arXiv:2411.01137 (2024).
.. [2] J. Hoffmann et al., "Training compute-optimal large language models", arXiv:2203.15556 (2022),
   table A9.
"""

from __future__ import annotations

from collections.abc import Mapping

from scalewall.workload.laws.law import Fitted, Law, Number, power_law, registry
from scalewall.workload.laws.sparsity import GPT3_D_MODEL

__all__ = ["ANCHOR_LAYERS", "DEPTH", "constant", "hoffmann_n", "power", "published", "refit"]

ANCHOR_LAYERS = 96.0
"""Layers of GPT-3 175B (Brown et al. 2020, arXiv:2005.14165, table 2.1)."""

_TABLE_A9 = (Fitted("d_model", 512, 5120), Fitted("parameters", 44e6, 16.183e9))


def published(d_model: Number, d_ff: Number) -> Number:
    """Layers by the law that the published limits rest on: ``L = 0.10056 * (d_model*d_ff)**0.3751`` [1].

    Parameters
    ----------
    d_model, d_ff : float or array
        Width of the stack and of its feed-forward layer (elements).

    Returns
    -------
    float or array
        Layers, not rounded.
    """
    return power_law(d_model * d_ff, 0.10056, 0.3751)


def refit(d_model: Number, d_ff: Number) -> Number:
    """Layers by least squares in logs over the 50 models of [2]: ``L = 0.10056 * (d_model*d_ff)**0.3351``.

    Same prefactor as :func:`published`, another exponent: see ``docs/laws.md``.

    Parameters
    ----------
    d_model, d_ff : float or array
        Width of the stack and of its feed-forward layer (elements).

    Returns
    -------
    float or array
        Layers, not rounded.
    """
    return power_law(d_model * d_ff, 0.10056, 0.3351)


def hoffmann_n(d_model: Number, d_ff: Number) -> Number:
    """Layers by the fit on size, ``L = 0.0884 * N**0.270`` [2], for a stack that has ``N`` parameters.

    A dense stack has ``N = 2*d_model*d_ff*L``, so the law is implicit in ``L``; solved for it,
    ``L = (0.0884 * (2*d_model*d_ff)**0.270) ** (1 / (1 - 0.270))``.

    Parameters
    ----------
    d_model, d_ff : float or array
        Width of the stack and of its feed-forward layer (elements).

    Returns
    -------
    float or array
        Layers, not rounded.
    """
    return power_law(power_law(2 * (d_model * d_ff), 0.0884, 0.270), 1.0, 1 / (1 - 0.270))


def power(d_model: Number, d_ff: Number, depth_anchor_layers: float, depth_exponent: float) -> Number:
    """Layers as a power of width through GPT-3: ``L = L0 * (d_model*d_ff / (4 * 12288**2))**exponent``.

    Parameters
    ----------
    d_model, d_ff : float or array
        Width of the stack and of its feed-forward layer (elements).
    depth_anchor_layers : float
        ``L0``: layers at GPT-3's width.
    depth_exponent : float
        How fast depth grows with ``d_model*d_ff``; the other laws here have 0.3351 to 0.3751.

    Returns
    -------
    float or array
        Layers, not rounded.
    """
    return power_law(d_model * d_ff / (4.0 * GPT3_D_MODEL**2), depth_anchor_layers, depth_exponent)


def constant(layers: Number) -> Number:
    """Return the user's own number of layers."""
    return layers


DEPTH: Mapping[str, Law] = registry(
    Law(
        "depth",
        "published",
        "L = 0.10056 * (d_model*d_ff)^0.3751",
        published,
        ("d_model", "d_ff"),
        {},
        "Erdil and Schneider-Joseph 2024, arXiv:2411.01137",
        "The reproduction rests on it. Its prefactor belongs to a fit whose exponent is 0.3351 (refit): "
        "a model of GPT-3's width gets 198 layers (192 rounded); GPT-3 has 96.",
        _TABLE_A9,
        ("0.3751",),
    ),
    Law(
        "depth",
        "refit",
        "L = 0.10056 * (d_model*d_ff)^0.3351",
        refit,
        ("d_model", "d_ff"),
        {},
        "least squares in logs over Hoffmann et al. 2022, arXiv:2203.15556, table A9",
        "What the table itself gives; a model of GPT-3's width gets 88 layers (96 rounded).",
        _TABLE_A9,
        ("0.3351",),
    ),
    Law(
        "depth",
        "hoffmann-n",
        "L = 0.0884 * N^0.270, N = 2*d_model*d_ff*L",
        hoffmann_n,
        ("d_model", "d_ff"),
        {},
        "least squares in logs over Hoffmann et al. 2022, arXiv:2203.15556, table A9",
        "Fitted on the table's parameter counts, which include attention; here N counts the stack's own.",
        _TABLE_A9,
    ),
    Law(
        "depth",
        "power",
        "L = depth_anchor_layers * (d_model*d_ff / (4*12288^2))^depth_exponent",
        power,
        ("d_model", "d_ff"),
        {"depth_anchor_layers": ANCHOR_LAYERS, "depth_exponent": None},
        "the user's own values; the default anchor is GPT-3's 96 layers (Brown et al. 2020, arXiv:2005.14165)",
        "Needs depth_exponent.",
    ),
    Law(
        "depth",
        "constant",
        "L = layers",
        constant,
        (),
        {"layers": None},
        "the user's own value",
        "Needs layers.",
    ),
)
"""Depth laws by name; the first two also go by their exponents."""
