"""Model and machine of a row of the exchange format."""

from __future__ import annotations

from typing import Any

from scalewall.validation.runs_fields import MissingError, need

__all__ = ["architecture_of", "machine_of"]

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


def architecture_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a row's model.

    Raises
    ------
    MissingError
        A field that is not there, or a model that is no transformer of like layers.
    """
    if row.get("arch") not in ("dense", "moe"):
        raise MissingError(f"architecture {row.get('arch')!r} is not a transformer of like layers")
    heads = need(row, "heads")
    kv_heads = row.get("kv_heads") or heads
    hidden = need(row, "hidden")
    dim = row.get("head_dim") or hidden / heads
    made: dict[str, Any] = {
        "name": str(row.get("model_name", "")),
        "layers": need(row, "layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": int(dim),
        "ffn": need(row, "ffn"),
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
    width = need(row, "moe_ffn")
    shared = row.get("moe_shared_experts") or 0
    every = row.get("moe_layer_freq") or 1
    return {
        "routed": need(row, "moe_experts"),
        "top_k": need(row, "moe_topk"),
        "ffn": width,
        "shared": shared,
        "shared_ffn": (row.get("moe_shared_ffn") or width) if shared else 0,
        "leading_dense": (row.get("moe_dense_layers") or 0) if every == 1 else 0,
        "every": every,
    }


def machine_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the name of a row's machine, and what differs from the catalogue.

    Raises
    ------
    MissingError
        A machine that is not given, or not in the catalogue.
    """
    gpu = str(need(row, "gpu"))
    name = _MACHINES.get(gpu)
    if name is None:
        raise MissingError(f"accelerator {gpu} is not in the catalogue")
    made: dict[str, Any] = {"name": name}
    if row.get("inter_bw_gbps_per_gpu"):
        made["network.1.bandwidth"] = float(row["inter_bw_gbps_per_gpu"]) * 1e9 / 8
    if gpu == "A800-80GB":
        made["network.0.bandwidth"] = 200e9
    if str(row.get("source_key")) == "torchtitan" and gpu == "H100":
        made["memory.0.bandwidth"] = 2.4e12
        made["memory.0.capacity_bytes"] = 96e9
        made["power.watts"] = 500.0
    return made
