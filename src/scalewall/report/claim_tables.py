"""The table of published claims beside our numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from scalewall.report.table import Cell, Column, TableView, Tone

__all__ = ["Claim", "claims_table"]


class Claim(Protocol):
    """A published claim that was checked.

    ``verdict`` is ``holds``, ``fails`` (it should hold and does not), ``differs`` (our own finding is
    another, and ``note`` says why) or ``informs`` (an input is not public: it can neither hold nor fail).
    """

    @property
    def claim(self) -> str:
        """What was published, in words."""

    @property
    def ours(self) -> str:
        """Our value, with its unit."""

    @property
    def published(self) -> str:
        """The published value, with its unit."""

    @property
    def verdict(self) -> str:
        """``holds``, ``fails``, ``differs`` or ``informs``."""

    @property
    def source(self) -> str:
        """Where it was published."""

    @property
    def note(self) -> str:
        """What a reader must know to compare; may be empty."""


_TONES: dict[str, Tone] = {"holds": "good", "fails": "bad", "differs": "warn", "informs": "muted"}


def claims_table(claims: Sequence[Claim]) -> TableView:
    """Return one row a claim: what was published, our number, the verdict (if not all only inform), the source."""
    judged = any(claim.verdict != "informs" for claim in claims)
    counts = Counter(claim.verdict for claim in claims)
    return TableView(
        title="Published claims beside our numbers",
        columns=(
            Column("Claim"),
            Column("Ours", right=True),
            Column("Published", right=True),
            *((Column("Verdict", whole=True),) if judged else ()),
            Column("Source"),
            Column("Note", since=120),
        ),
        rows=tuple(
            (
                claim.claim,
                claim.ours,
                claim.published,
                *((Cell(claim.verdict, _TONES[claim.verdict]),) if judged else ()),
                Cell(claim.source, "muted"),
                Cell(claim.note, "muted"),
            )
            for claim in claims
        ),
        notes=(
            f"{counts['holds']} hold, {counts['fails']} fail, {counts['differs']} differ (our own finding is "
            f"another; the note, in wider terminals, says why), {counts['informs']} only inform.",
        ),
    )
