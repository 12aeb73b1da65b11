"""Whether counts from the fields agree with the published ones."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.workload.models.published import ModelEntry, PublishedCount
from scalewall.workload.parameters import ParameterCount, active_parameters, count_parameters

__all__ = ["TOTAL_TOLERANCE", "Agreement", "agreements"]

TOTAL_TOLERANCE = 0.005
"""Largest share by which a counted total may differ from the published one without a stated reason."""


@dataclass(frozen=True)
class Agreement:
    """A counted and a published number of parameters.

    Parameters
    ----------
    name : str
        The model.
    kind : str
        ``total`` or ``active``.
    counted : int
        From the fields, holding what the published one holds.
    published : PublishedCount
        The published number.
    agrees : bool
        Within 0.5 % (total) or within the rounding of what is printed (active).
    """

    name: str
    kind: str
    counted: int
    published: PublishedCount
    agrees: bool

    @property
    def deviation(self) -> float:
        """Counted over published, less 1."""
        return self.counted / self.published.value - 1

    @property
    def explained(self) -> bool:
        """Whether it agrees, or somebody said why not."""
        return self.agrees or bool(self.published.differs)


def agreements(entry: ModelEntry) -> tuple[Agreement, ...]:
    """Return the comparisons that a model's published numbers allow: its total, its active parameters, or none."""
    found = []
    if entry.parameters:
        counted = _total(entry, count_parameters(entry.model), entry.parameters)
        agrees = abs(counted / entry.parameters.value - 1) <= TOTAL_TOLERANCE
        found.append(Agreement(entry.name, "total", counted, entry.parameters, agrees))
    if entry.active:
        counted = _active(active_parameters(entry.model), entry.active)
        agrees = abs(counted - entry.active.value) <= entry.active.half_unit
        found.append(Agreement(entry.name, "active", counted, entry.active, agrees))
    return tuple(found)


def _total(entry: ModelEntry, count: ParameterCount, published: PublishedCount) -> int:
    if published.counts == "head twice":
        return count.total + count.embedding
    if published.counts == "with prediction":
        copies = 2 * entry.model.prediction_layers * count.embedding
        return count.total + count.prediction + copies
    return count.total


def _active(count: ParameterCount, published: PublishedCount) -> int:
    if published.counts == "without input embedding":
        return count.without_input_embedding
    return count.without_embeddings if published.counts == "without embeddings" else count.total
