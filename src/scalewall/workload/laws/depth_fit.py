"""Where the depth laws come from: the table of models that they were fitted to, and the fit itself.

References
----------
.. [1] J. Hoffmann et al., "Training compute-optimal large language models", arXiv:2203.15556 (2022),
   table A9.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_power_law", "hoffmann_table"]

_TABLE = files("scalewall.workload.laws") / "hoffmann_2022_table_a9.csv"


def hoffmann_table() -> dict[str, NDArray[np.float64]]:
    """Return table A9 of [1]: the shapes of 50 models.

    Returns
    -------
    dict of str to array, shape (50,)
        ``parameters``, ``d_model``, ``d_ff``, ``kv_size``, ``n_heads`` and ``layers``.
    """
    lines = [line for line in _TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    columns = dict(zip(lines[0].split(","), rows.T, strict=True))
    return {
        "parameters": 1e6 * columns["params_millions"],
        "d_model": columns["d_model"],
        "d_ff": columns["d_ff"],
        "kv_size": columns["kv_size"],
        "n_heads": columns["n_heads"],
        "layers": columns["n_layers"],
    }


def fit_power_law(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """Fit ``y = prefactor * x**exponent`` by least squares in logarithms.

    Parameters
    ----------
    x, y : array, shape (n,)
        Positive.

    Returns
    -------
    tuple of float
        ``(prefactor, exponent)``.
    """
    log_x, log_y = np.log(x), np.log(y)
    spread = log_x - log_x.mean()
    exponent = float(spread @ log_y / (spread @ spread))
    return float(np.exp(log_y.mean() - exponent * log_x.mean())), exponent
