"""Model of a row of the exchange format."""

from __future__ import annotations

from typing import Any

from scalewall.validation.runs_fields import MissingError, need

__all__ = ["architecture_of"]

_VOCABULARY = 51200
_PLAIN = 4
"""Feed-forward width over hidden width without gates, as a rule."""


def architecture_of(row: dict[str, Any], assumed: list[str]) -> dict[str, Any]:
    """Return the fields of a row's model; what is not stated is assumed, and said in ``assumed``.

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
        "vocab": row.get("vocab") or _VOCABULARY,
        "gated": _gated(row, assumed),
        "tied_embeddings": bool(row.get("tied_embeddings")),
    }
    if not row.get("vocab") and row.get("kind") != "layer":
        assumed.append(f"vocabulary of {_VOCABULARY}")
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


def _gated(row: dict[str, Any], assumed: list[str]) -> bool:
    if row.get("gated_mlp") is not None:
        return bool(row["gated_mlp"])
    gated = bool(row["ffn"] != _PLAIN * row["hidden"])
    assumed.append(f"feed-forward parts {'with' if gated else 'without'} gates, by their width")
    return gated


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
