"""Runs in the common exchange format (one flat JSON object a line) turned into our records.

The format names the accelerator, the layout and the published numbers of a run in about fifty keys, any of which
may be absent; what is absent is assumed as stated here and listed in the record's ``assumed``.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields
from typing import Any

from scalewall.errors import InputError
from scalewall.planner.layout import Layout
from scalewall.planner.run import Run
from scalewall.validation.runs import MeasuredStep
from scalewall.workload.transformer import Transformer

__all__ = ["import_runs"]

_MACHINES = {
    "A100-80GB": "a100-80gb",
    "A100-40GB": "a100-40gb",
    "A800-80GB": "a100-80gb",
    "H100": "h100",
    "H800": "h800",
    "H200": "h200",
    "H20": "h20",
    "B200": "b200",
    "B300": "b300",
    "GB200": "gb200-nvl72",
    "GB300": "gb300-nvl72",
    "V100-32GB": "v100",
    "MI250X (GCD)": "mi250x",
    "MI300X": "mi300x",
    "MI325X": "mi325x",
    "MI355X": "mi355x",
    "TPU v4": "tpu-v4",
    "TPU v5e": "tpu-v5e",
    "TPU v5p": "tpu-v5p",
    "TPU v6e": "tpu-v6e",
    "TPU v7": "tpu-v7",
}
_TARGETS = (
    ("step_time_s", "stated"),
    ("derived_step_time_s", "throughput"),
    ("step_time_from_tflops_s", "FLOP rate"),
)
_MODULES = (
    ("mla_up_proj", "mla_up_proj"),
    ("moe_act", "moe_act"),
    ("layernorm", "layernorm"),
    ("core", "core_attn"),
    ("per-op", "op"),
    ("selective op", "op"),
    ("per op", "op"),
)
_MOST_CHUNKS = 4
_USUAL_MICROBATCH = 4


def import_runs(text: str) -> list[MeasuredStep]:
    """Return the runs of a text in the exchange format.

    Raises
    ------
    InputError
        A line that is no JSON object, or has no id.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = _whole(json.loads(line))
        except json.JSONDecodeError as error:
            raise InputError(f"line {number}", line[:40], f"a JSON object a line ({error.msg})") from error
        if not isinstance(row, dict) or "id" not in row:
            raise InputError(f"line {number}", line[:40], "a JSON object with an id")
        found.append(_record(row))
    return found


def _whole(row: Any) -> Any:
    """Return a row with its whole numbers as whole numbers: ``3.0`` microbatches are 3."""
    if not isinstance(row, dict):
        return row
    return {key: int(one) if isinstance(one, float) and one.is_integer() else one for key, one in row.items()}


def _record(row: dict[str, Any]) -> MeasuredStep:
    assumed: list[str] = []
    why = ""
    parts: dict[str, dict[str, Any]] = {"architecture": {}, "machine": {}, "layout": {}, "run": {}}
    try:
        parts["architecture"] = _architecture(row)
        parts["machine"] = _machine(row)
        parts["layout"] = _layout(row, assumed)
        parts["run"] = _run(row, assumed)
    except _MissingError as missing:
        why = str(missing)
    except (TypeError, ValueError, KeyError, ArithmeticError) as error:
        why = f"a field is not what it should be ({error})"
    seconds, basis = _target(row)
    memory = row.get("peak_mem_gb")
    return MeasuredStep(
        id=str(row["id"]),
        source=str(row.get("source_key") or ""),
        reference=str(row.get("source") or ""),
        framework=_framework(row),
        released=_date(str(row.get("release") or ""), str(row.get("source_key") or "")),
        step_seconds=seconds,
        basis=basis,
        core=bool(row.get("core", False)),
        kind="layer" if row.get("kind") == "layer" else "train",
        why_not=why,
        memory_bytes=memory * 1e9 if isinstance(memory, (int, float)) else 0.0,
        assumed=tuple(assumed),
        **{name: _without_defaults(name, part) for name, part in parts.items()},
    )


def _without_defaults(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a record without what is at its default anyway."""
    kinds: dict[str, type] = {"layout": Layout, "run": Run, "architecture": Transformer}
    if name not in kinds:
        return part
    usual = {field.name: field.default for field in fields(kinds[name])}
    return {key: value for key, value in part.items() if key not in usual or usual[key] != value}


class _MissingError(Exception):
    """Something that a run needs is not there, or is not known."""


def _need(row: dict[str, Any], key: str) -> Any:
    if row.get(key) is None:
        raise _MissingError(f"{key} is not given")
    return row[key]


def _target(row: dict[str, Any]) -> tuple[float, str]:
    for key, basis in _TARGETS:
        seconds = row.get(key)
        if isinstance(seconds, (int, float)) and 0.0 < seconds < math.inf:
            return float(seconds), basis
    return 0.0, ""


def _framework(row: dict[str, Any]) -> str:
    """Return the framework's name, with what its row says elsewhere: DeepSpeed's ZeRO-3, Bridge's main branch."""
    name = str(row.get("framework") or "")
    if str(row.get("schedule") or "").startswith("DeepSpeed ZeRO-3"):
        return "DeepSpeed ZeRO-3"
    if name == "Megatron-Bridge" and str(row.get("release") or "").startswith("main"):
        return "Megatron-Bridge main"
    return name


def _date(release: str, source: str) -> str:
    """Return a release's date as ``YYYY-MM``: ``v25.02`` is 2025-02, ``2023-24`` is 2023, ``main (2026)`` is 2026."""
    found = re.search(r"(20\d\d)(?:-(\d\d))?", release)
    if found:
        month = found[2] if found[2] and 1 <= int(found[2]) <= 12 else "01"
        return f"{found[1]}-{month}"
    found = re.search(r"\bv?(2\d)\.(\d\d)", release)
    if found:
        return f"20{found[1]}-{found[2]}"
    return "2026-01" if source.startswith("mbridge") else ""


def _architecture(row: dict[str, Any]) -> dict[str, Any]:
    if row.get("arch") not in ("dense", "moe"):
        raise _MissingError(f"architecture {row.get('arch')!r} is not a transformer of like layers")
    heads = _need(row, "heads")
    kv_heads = row.get("kv_heads") or heads
    hidden = _need(row, "hidden")
    dim = row.get("head_dim") or hidden / heads
    made: dict[str, Any] = {
        "name": str(row.get("model_name", "")),
        "layers": _need(row, "layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": int(dim),
        "ffn": _need(row, "ffn"),
        "vocab": row.get("vocab") or 51200,
        "gated": bool(row.get("gated_mlp")),
        "tied_embeddings": bool(row.get("tied_embeddings")),
    }
    if row.get("mla"):
        mla = row["mla"]
        made["latent"] = {
            "kv_rank": mla["kv_lora"],
            "rope_dim": mla["qk_rope"],
            "nope_dim": mla["qk_nope"],
            "value_dim": mla["v_head"],
            "q_rank": mla.get("q_lora"),
        }
        made["head_dim"] = mla["qk_nope"] + mla["qk_rope"]
        made["kv_heads"] = heads
    if row.get("swa"):
        swa = row["swa"]
        made["local"] = {"window": swa["window"], "layers": made["layers"] // swa.get("every", 1)}
    if row.get("arch") == "moe":
        made["experts"] = _experts(row)
    if row.get("mtp_layers"):
        made["prediction_layers"] = row["mtp_layers"]
    return made


def _experts(row: dict[str, Any]) -> dict[str, Any]:
    width = _need(row, "moe_ffn")
    shared = row.get("moe_shared_experts") or 0
    every = row.get("moe_layer_freq") or 1
    return {
        "routed": _need(row, "moe_experts"),
        "top_k": _need(row, "moe_topk"),
        "ffn": width,
        "shared": shared,
        "shared_ffn": (row.get("moe_shared_ffn") or width) if shared else 0,
        "leading_dense": (row.get("moe_dense_layers") or 0) if every == 1 else 0,
        "every": every,
    }


def _machine(row: dict[str, Any]) -> dict[str, Any]:
    gpu = str(_need(row, "gpu"))
    name = _MACHINES.get(gpu)
    if name is None:
        raise _MissingError(f"accelerator {gpu} is not in the catalogue")
    made: dict[str, Any] = {"name": name}
    if row.get("inter_bw_gbps_per_gpu"):
        made["network.1.bandwidth"] = float(row["inter_bw_gbps_per_gpu"]) * 1e9 / 8
    if gpu == "A800-80GB":
        made["network.0.bandwidth"] = 200e9
    if str(row.get("source_key")) == "torchtitan" and gpu == "H100":
        made["memory.0.bandwidth"] = 2.4e12
        made["memory.0.capacity_bytes"] = 96e9
        made["accelerator.clock_hz"] = 1.57e9
    return made


def _layout(row: dict[str, Any], assumed: list[str]) -> dict[str, Any]:
    tp, cp, pp = (row.get(key) or 1 for key in ("tp", "cp", "pp"))
    ranks = _need(row, "n_gpus")
    if ranks % (tp * cp * pp):
        raise _MissingError(f"{ranks} accelerators are not a multiple of tp x cp x pp = {tp * cp * pp}")
    dp = row.get("dp") or ranks // (tp * cp * pp)
    microbatch = row.get("mbs")
    if not microbatch:
        microbatch = 1 if pp > 1 else _USUAL_MICROBATCH
        if _need(row, "gbs") % (dp * microbatch):
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
    made |= _sharding(str(row.get("zero") or "none").lower(), dp)
    made |= _recompute(row, assumed)
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


def _sharding(zero: str, dp: int) -> dict[str, Any]:
    over = re.search(r"over (\d+) gpus", zero)
    if over and int(over[1]) < dp:
        return {"sharding": "optimizer", "shard_ranks": int(over[1])}
    if zero.startswith(("3", "fsdp")):
        return {"sharding": "parameters"}
    if zero.startswith("2"):
        return {"sharding": "gradients"}
    return {"sharding": "none" if zero.startswith("none") else "optimizer"}


def _recompute(row: dict[str, Any], assumed: list[str]) -> dict[str, Any]:
    kind = row.get("recompute") or "none"
    if row.get("recompute") is None:
        assumed.append("no recomputation")
    if kind != "selective":
        return {"recompute": kind}
    detail = str(row.get("recompute_detail") or "").lower()
    modules = [module for word, module in _MODULES if word in detail]
    words = re.split(r"[\s,]+", detail)
    modules += [module for module in ("mlp", "moe") if module in words]
    return {"recompute": "selective", "recompute_modules": modules or ["core_attn"]}


def _run(row: dict[str, Any], assumed: list[str]) -> dict[str, Any]:
    batch = _need(row, "gbs")
    made: dict[str, Any] = {
        "sequence": _need(row, "seq"),
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
        made["graphs"] = "partial"
    elif _framework(row).endswith("main") and _machine_family(row) == "GB" and "force" in words:
        made["graphs"] = "full"
        assumed.append("graphs of the whole step, which forced balance allows")
    if str(row.get("overlap")) == "eager":
        made["compiled"] = False
    return made


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


def _machine_family(row: dict[str, Any]) -> str:
    return "GB" if str(row.get("gpu")).startswith("GB") else ""


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
