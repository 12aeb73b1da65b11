"""Scaling laws: named, cited and side by side; one module a quantity.

Each law is a pure function of floats or arrays. ``FAMILIES`` holds the registries that the names in
:class:`~scalewall.workload.Laws` choose from.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scalewall.errors import unknown_name
from scalewall.workload.laws.batch import BATCH
from scalewall.workload.laws.data import DATA
from scalewall.workload.laws.depth import DEPTH
from scalewall.workload.laws.law import Fitted, Law
from scalewall.workload.laws.sparsity import SPARSITY
from scalewall.workload.laws.width import WIDTH

__all__ = [
    "BATCH",
    "DATA",
    "DEPTH",
    "FAMILIES",
    "SPARSITY",
    "WIDTH",
    "Fitted",
    "Law",
    "find_law",
    "list_laws",
]

FAMILIES: Mapping[str, Mapping[str, Law]] = MappingProxyType(
    {"depth": DEPTH, "width": WIDTH, "data": DATA, "batch": BATCH, "sparsity": SPARSITY}
)
"""Every family of laws by the name of the choice, in the order in which a stack is built."""


def find_law(family: str, name: str) -> Law:
    """Return the law of a family that a name or an alias selects.

    Parameters
    ----------
    family : str
        A key of ``FAMILIES``.
    name : str
        The law's name or one of its aliases.

    Returns
    -------
    Law

    Raises
    ------
    InputError
        For a name that the family does not have.
    """
    laws = FAMILIES[family].values()
    for law in laws:
        if name == law.name or name in law.aliases:
            return law
    raise unknown_name(family, str(name), [choice for law in laws for choice in (law.name, *law.aliases)])


def list_laws() -> list[dict[str, str]]:
    """Return one row a law: family, name, aliases, formula, options, fitted range, source and note."""
    return [
        {
            "family": family,
            "name": law.name,
            "aliases": ", ".join(law.aliases),
            "formula": law.formula,
            "options": ", ".join(law.options),
            "fitted": ", ".join(fit.describe() for fit in law.fitted),
            "source": law.source,
            "note": law.note,
        }
        for family, laws in FAMILIES.items()
        for law in laws.values()
    ]
