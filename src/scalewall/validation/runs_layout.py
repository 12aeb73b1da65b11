"""Layout of a row of the exchange format."""

from __future__ import annotations

import re
from typing import Any

from scalewall.validation.runs_fields import MissingError, need

__all__ = ["layout_of"]

_MODULES = (
    ("mla_up_proj", "mla_up_proj"),
    ("moe_act", "moe_act"),
    ("layernorm", "layernorm"),
    ("core", "core_attn"),
    ("per-op", "op"),
    ("selective op", "op"),
    ("per op", "op"),
)
_PRESETS = {("Llama3-70B", "GB200", 1): 40, ("Llama3-70B", "GB300", 1): 20, ("Llama3.1-405B", "GB200", 2): 95}
"""Layers whose activations the FSDP presets of Megatron-Bridge offload with 8-bit floats, by model, machine and tp
(NVIDIA-NeMo/Megatron-Bridge, ``scripts/performance/configs`` at 27dfb3df and tag v0.4.0)."""
_MOST_CHUNKS = 4
_USUAL_MICROBATCH = 4
_NODE = 8
"""Accelerators over which hybrid sharding splits where a row does not say."""


def layout_of(row: dict[str, Any], assumed: list[str]) -> dict[str, Any]:
    """Return the fields of a row's layout; what is not stated is assumed, and said in ``assumed``.

    Raises
    ------
    MissingError
        A field that is not there, or degrees that do not make the accelerators.
    """
    tp, cp, pp = (row.get(key) or 1 for key in ("tp", "cp", "pp"))
    ranks = need(row, "n_gpus")
    if ranks % (tp * cp * pp):
        raise MissingError(f"{ranks} accelerators are not a multiple of tp x cp x pp = {tp * cp * pp}")
    dp = row.get("dp") or ranks // (tp * cp * pp)
    microbatch = row.get("mbs")
    if not microbatch:
        microbatch = 1 if pp > 1 else _USUAL_MICROBATCH
        if need(row, "gbs") % (dp * microbatch):
            microbatch = 1
        assumed.append(f"microbatch {microbatch}")
    schedule = str(row.get("schedule") or "").lower()
    chunks = _chunks(row, pp, schedule, assumed)
    ep = row.get("ep") or 1
    etp = row.get("etp")
    if etp is None:
        inherited = str(row.get("framework")) == "NeMo"
        etp = tp if ep > 1 and inherited else 1
        if ep > 1:
            assumed.append(f"expert tensor parallelism {etp}")
    made: dict[str, Any] = {"tp": tp, "cp": cp, "pp": pp, "dp": dp, "microbatch": microbatch}
    if row.get("arch") == "moe":
        made |= {"ep": ep, "etp": etp}
    if chunks > 1:
        made["chunks"] = chunks
    for word in ("zb-1p", "zb-2p", "dualpipe", "gpipe"):
        if word in schedule:
            made["schedule"] = word
    if row.get("sp") is False and tp > 1:
        made["sequence_parallel"] = False
    made |= _sharding(row, dp)
    made |= _recompute(row, assumed)
    made |= _offloaded(row, pp, assumed)
    return made


def _chunks(row: dict[str, Any], pp: int, schedule: str, assumed: list[str]) -> int:
    if pp == 1:
        return 1
    if row.get("vpp"):
        return int(row["vpp"])
    if "interleaved" not in schedule:
        return 1
    layers = int(row["layers"]) // pp
    chunks = max((count for count in range(1, _MOST_CHUNKS + 1) if layers % count == 0), default=1)
    assumed.append(f"{chunks} chunks a stage")
    return chunks


def _sharding(row: dict[str, Any], dp: int) -> dict[str, Any]:
    """Return what is split over data-parallel ranks, and over how many where not over all."""
    zero = str(row.get("zero") or "none").lower()
    hybrid = "hybrid" in zero or "hsdp" in zero
    if hybrid or zero.startswith(("3", "fsdp")):
        kind = "parameters"
    elif zero.startswith("2"):
        kind = "gradients"
    else:
        kind = "none" if zero.startswith("none") else "optimizer"
    stated = re.search(r"over (\d+) gpus", zero)
    of_slice = re.search(r"of (\d+) chips", str(row.get("note"))) if "in slice" in zero else None
    if stated:
        ranks = int(stated[1])
    elif of_slice:
        ranks = int(of_slice[1]) * dp // need(row, "n_gpus")
    else:
        ranks = int(row.get("gpus_per_node") or _NODE) if hybrid else dp
    return {"sharding": kind, "shard_ranks": ranks} if ranks < dp and kind != "none" else {"sharding": kind}


def _offloaded(row: dict[str, Any], pp: int, assumed: list[str]) -> dict[str, Any]:
    """Return how many layers' activations wait in the host's memory, as stated or as in the release's preset."""
    stated = re.search(r"cpu_offloading_num_layers=(\d+)", str(row.get("recompute_detail") or ""))
    preset = _PRESETS.get((str(row.get("model_name")), str(row.get("gpu")), row.get("tp") or 1))
    usual = "megatron-fsdp" in str(row.get("zero")) and "fp8" in str(row.get("precision"))
    if pp > 1 or not (stated or (preset and usual)):
        return {}
    if stated:
        return {"offloaded_layers": int(stated[1])}
    assumed.append(f"activations of {preset} layers in the host's memory, as in the release's preset")
    return {"offloaded_layers": preset}


def _recompute(row: dict[str, Any], assumed: list[str]) -> dict[str, Any]:
    kind = row.get("recompute") or "none"
    if row.get("recompute") is None:
        assumed.append("no recomputation")
    if kind != "selective":
        return {"recompute": kind}
    detail = str(row.get("recompute_detail") or "").lower()
    if detail == "custom":
        assumed.append("recomputation 'custom' as that of the core of attention")
    modules = [module for word, module in _MODULES if word in detail]
    words = re.split(r"[\s,]+", detail)
    modules += [module for module in ("mlp", "moe") if module in words]
    return {"recompute": "selective", "recompute_modules": modules or ["core_attn"]}
