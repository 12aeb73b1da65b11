"""Fields of a row of the exchange format: those that must be there, and what to say if they are not."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["MAIN", "MissingError", "check_counts", "framework_of", "need", "released_of", "whole"]

MAIN = "2026-06"
"""From here on releases of Megatron-Bridge are those of the main branch that its cards of 2026 were measured on: what
both print of the same run agrees to 4 %."""
_NOW = "2026-08"

_SHOWN = 20
_COUNTS = (
    *("layers", "hidden", "ffn", "heads", "kv_heads", "head_dim", "vocab", "seq", "mtp_layers"),
    *("moe_experts", "moe_topk", "moe_ffn", "moe_shared_experts", "moe_shared_ffn", "moe_dense_layers"),
    *("moe_layer_freq", "n_gpus", "gbs", "mbs", "tp", "cp", "pp", "dp", "ep", "etp", "vpp"),
)
"""Fields that count something."""
_ON_MAIN = ("mbridge_skill_overlap",)
"""Sources without a release whose runs are those of the main branch: the same run, peak memory and all, as its card."""


class MissingError(Exception):
    """Something that a run needs is not there, or is not known."""


def need(row: dict[str, Any], key: str) -> Any:
    """Return a field that a run cannot do without.

    Raises
    ------
    MissingError
        It is not there.
    """
    if row.get(key) is None:
        raise MissingError(f"{key} is not given")
    return row[key]


def check_counts(row: dict[str, Any]) -> None:
    """Refuse a row in which something that is counted is no count.

    Raises
    ------
    MissingError
        Naming the field and its value.
    """
    for key in _COUNTS:
        value = row.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise MissingError(f"{key}: {str(value)[:_SHOWN]!r} is not a count")


def whole(row: Any) -> Any:
    """Return a row with its whole numbers as whole numbers: ``3.0`` microbatches are 3."""
    if not isinstance(row, dict):
        return row
    return {key: int(one) if isinstance(one, float) and one.is_integer() else one for key, one in row.items()}


def framework_of(row: dict[str, Any]) -> str:
    """Return the framework's name, with what its row says elsewhere: DeepSpeed's ZeRO-3, Bridge's main branch."""
    name = str(row.get("framework") or "")
    if str(row.get("schedule") or "").startswith("DeepSpeed ZeRO-3"):
        return "DeepSpeed ZeRO-3"
    on_main = str(row.get("release") or "").startswith("main") or row.get("source_key") in _ON_MAIN
    if name == "Megatron-Bridge" and on_main:
        return "Megatron-Bridge main"
    return name


def released_of(row: dict[str, Any]) -> str:
    """Return a release's date as ``YYYY-MM``: ``v25.02`` is 2025-02, ``2023-24`` is 2023; empty if there is none."""
    release, source = str(row.get("release") or ""), str(row.get("source_key") or "")
    if framework_of(row) == "Megatron-Bridge main":
        return _NOW
    found = re.search(r"(20\d\d)(?:-(\d\d))?", release)
    if found:
        month = found[2] if found[2] and 1 <= int(found[2]) <= 12 else "01"
        return f"{found[1]}-{month}"
    found = re.search(r"\bv?(2\d)\.(\d\d)", release)
    if found:
        return f"20{found[1]}-{found[2]}"
    return "2026-01" if source.startswith("mbridge") else ""
