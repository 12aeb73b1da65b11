"""Scaling laws: named, cited and side by side; one module a quantity.

Each law is a pure function of floats or arrays. ``FAMILIES`` holds the registries that the names in
:class:`~scalewall.workload.Laws` choose from.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scalewall.workload.laws.batch import BATCH
from scalewall.workload.laws.data import DATA
from scalewall.workload.laws.depth import DEPTH, DEPTH_ALIASES
from scalewall.workload.laws.law import Fitted, Law
from scalewall.workload.laws.sparsity import SPARSITY
from scalewall.workload.laws.width import WIDTH

__all__ = ["BATCH", "DATA", "DEPTH", "FAMILIES", "SPARSITY", "WIDTH", "Fitted", "Law", "list_laws"]

FAMILIES: Mapping[str, Mapping[str, Law]] = MappingProxyType(
    {"depth": DEPTH, "width": WIDTH, "data": DATA, "batch": BATCH, "sparsity": SPARSITY}
)
"""Every family of laws by the name of the choice, in the order in which a stack is built."""


def list_laws() -> list[dict[str, str]]:
    """Return one row a law: family, name, aliases, formula, options, fitted range, source and note."""
    aliases = {name: alias for alias, name in DEPTH_ALIASES.items()}
    return [
        {
            "family": family,
            "name": law.name,
            "aliases": aliases.get(law.name, "") if family == "depth" else "",
            "formula": law.formula,
            "options": ", ".join(law.options),
            "fitted": ", ".join(f"{fit.quantity} {fit.low:g} to {fit.high:g}" for fit in law.fitted),
            "source": law.source,
            "note": law.note,
        }
        for family, laws in FAMILIES.items()
        for law in laws.values()
    ]
