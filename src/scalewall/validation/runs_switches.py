"""Batch, precision and software switches of a row of the exchange format."""

from __future__ import annotations

import re
from typing import Any

from scalewall.validation.runs_fields import MAIN, need, released_of

__all__ = ["run_of"]


def run_of(row: dict[str, Any], assumed: list[str]) -> dict[str, Any]:
    """Return the fields of a row's run; what is not stated is assumed, and said in ``assumed``.

    Raises
    ------
    MissingError
        A field that is not there.
    """
    batch = need(row, "gbs")
    made: dict[str, Any] = {
        "sequence": need(row, "seq"),
        "global_batch": batch,
        "precision": _precision(row, assumed),
    }
    words = " ".join(str(row.get(key) or "") for key in ("overlap", "moe_dispatch", "note")).lower()
    if row.get("arch") == "moe":
        made["dispatcher"] = _dispatcher(row, words, assumed)
        if "natural routing" in words or "learned routing" in words or "imbalanced" in words:
            made["balanced"] = False
        if re.search(r"a2a_overlap|ep overlap(?! off)|ep comm overlap|1f1b overlap", words):
            made["expert_overlap"] = True
    if "full_iteration" in words:
        made["graphs"] = "full"
    elif "cuda_graph=" in words or "cuda graphs" in words:
        made["graphs"] = "partial" if "attn" in words else "router"
    elif _whole_step(row, words) and "expert_overlap" not in made:
        made["graphs"] = "full"
        assumed.append("graphs of the whole step, which forced balance allows")
    if str(row.get("overlap")) == "eager":
        made["compiled"] = False
    return made


def _whole_step(row: dict[str, Any], words: str) -> bool:
    """Whether the software captures a whole step: where shapes do not change, as forced balance sees to."""
    bridge = str(row.get("framework")) == "Megatron-Bridge" and released_of(row) >= MAIN
    return bridge and str(row.get("gpu")).startswith("GB") and "force" in words


def _dispatcher(row: dict[str, Any], words: str, assumed: list[str]) -> str:
    if "hybridep" in words:
        return "hybridep"
    if "deepep" in words:
        return "deepep"
    kind = "all-to-all"
    if str(row.get("framework")) in ("Megatron-Bridge", "Megatron-Core"):
        gpu = str(row.get("gpu"))
        kind = "deepep" if gpu.startswith("H") else "hybridep" if gpu.startswith("GB") else kind
    assumed.append(f"dispatcher {kind}")
    return kind


def _precision(row: dict[str, Any], assumed: list[str]) -> str:
    stated = str(row.get("precision") or "bf16").lower()
    if "nvfp4" in stated:
        return "nvfp4"
    if "mxfp8" in stated:
        return "mxfp8"
    if "fp8" not in stated:
        return "bf16"
    if "delayed" in stated:
        return "fp8-delayed"
    if "current" in stated or "dynamic" in stated or "wise" in stated:
        return "fp8-current"
    assumed.append("fp8 with delayed scaling")
    return "fp8-delayed"
