"""What selective recomputation computes again: which matmuls of a layer, by part.

References
----------
[1] NVIDIA Megatron-Core, ``transformer_config.py`` and ``transformer_layer.py``: the parts that can be recomputed;
    ``mlp`` means dense feed-forward parts only, ``moe`` a whole layer of experts with its exchange.
[2] torchtitan, activation checkpointing by operation: every other matmul is kept.
"""

from __future__ import annotations

from functools import lru_cache

from scalewall.planner.constants import value
from scalewall.workload.matmuls import Matmul, layer_matmuls
from scalewall.workload.transformer import Transformer

__all__ = ["MODULES", "matmul_share"]

MODULES = ("core_attn", "mlp", "moe", "shared_experts", "moe_act", "mla_up_proj", "layernorm", "op")
"""Parts of a layer that can be recomputed [1][2]; ``op`` is every second matmul and all that is elementwise."""
_PARTS = {"mlp": ("mlp",), "moe": ("router", "experts", "shared"), "shared_experts": ("shared",)}
_UP = ("query_up", "kv_up")
_OP = value("recompute.op_matmul")


@lru_cache(maxsize=1024)
def matmul_share(model: Transformer, module: str, *, experts: bool) -> float:
    """Return the share of a layer's forward matmul FLOP that recomputing one part does again.

    Parameters
    ----------
    model : Transformer
        The model.
    module : str
        One of :data:`MODULES`.
    experts : bool
        Whether the layer holds experts.
    """
    if module == "op":
        return _OP

    def again(matmul: Matmul) -> bool:
        return matmul.part in _PARTS.get(module, ()) or (module == "mla_up_proj" and matmul.name in _UP)

    flop = {matmul: matmul.forward_flop for matmul in layer_matmuls(model, experts=experts)}
    return sum(size for matmul, size in flop.items() if again(matmul)) / sum(flop.values())
