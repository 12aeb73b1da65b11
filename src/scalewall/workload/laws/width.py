"""Width laws: the feed-forward width ``d_ff`` that goes with ``d_model``.

References
----------
.. [1] A. Vaswani et al., "Attention is all you need", arXiv:1706.03762 (2017), section 3.3.
"""

from __future__ import annotations

from collections.abc import Mapping

from scalewall.workload.laws.law import Law, Number, registry

__all__ = ["WIDTH", "four_times", "ratio"]


def four_times(d_model: Number) -> Number:
    """Feed-forward width ``d_ff = 4 * d_model`` [1] (elements).

    Parameters
    ----------
    d_model : float or array
        Width of the stack (elements).

    Returns
    -------
    float or array
        Feed-forward width (elements).
    """
    return ratio(d_model, 4.0)


def ratio(d_model: Number, width_ratio: float) -> Number:
    """Feed-forward width by the user's own ratio, ``d_ff = width_ratio * d_model`` (elements).

    Parameters
    ----------
    d_model : float or array
        Width of the stack (elements).
    width_ratio : float
        Feed-forward width over width.

    Returns
    -------
    float or array
        Feed-forward width (elements), not rounded.
    """
    return width_ratio * d_model


WIDTH: Mapping[str, Law] = registry(
    Law(
        "width",
        "4x",
        "d_ff = 4 * d_model",
        four_times,
        ("d_model",),
        {},
        "Vaswani et al. 2017, arXiv:1706.03762; Hoffmann et al. 2022, arXiv:2203.15556, table A9",
        "The convention for two-matrix feed-forward layers; all 50 models of table A9 have it.",
    ),
    Law(
        "width",
        "ratio",
        "d_ff = width_ratio * d_model",
        ratio,
        ("d_model",),
        {"width_ratio": None},
        "the user's own value",
        "Needs width_ratio. Where the product is no whole number, the nearest multiple of 256.",
    ),
)
"""Width laws by name."""
