"""Megatron-LM: a plan as arguments of ``pretrain_gpt.py``.

Names and defaults after ``megatron/training/arguments.py`` of Megatron-LM (Megatron-Core 0.15 to 0.16, November 2025 to
January 2026) and NVIDIA's Megatron-Core developer guide: parallelism guide, mixture of experts, CUDA graphs.
``--moe-flex-dispatcher-backend`` came with 0.16; ``--moe-enable-deepep`` before it.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from types import MappingProxyType

from scalewall.planner.export.core_notes import MODULES, core_notes
from scalewall.planner.export.dialect import SHARDINGS, Exported
from scalewall.planner.export.places import placement
from scalewall.planner.export.shape import shape_notes, shape_words
from scalewall.planner.layout import Layout
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run

__all__ = [
    "FP8",
    "MODULES",
    "SIZES",
    "STRATEGIES",
    "core_notes",
    "instances",
    "placement",
    "recompute_modules",
    "write",
]

FP8: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "fp8-delayed": ("hybrid", "delayed"),
        "fp8-current": ("hybrid", "tensorwise"),
        "mxfp8": ("e4m3", "mxfp8"),
    }
)
"""Format and recipe of 8-bit matmuls by precision."""
STRATEGIES = MappingProxyType(
    dict(zip(("no_shard", "optim", "optim_grads", "optim_grads_params"), SHARDINGS, strict=True))
)
"""Sharding strategies of Megatron-FSDP."""
SIZES = {
    "--tensor-model-parallel-size": "tp",
    "--pipeline-model-parallel-size": "pp",
    "--context-parallel-size": "cp",
    "--expert-model-parallel-size": "ep",
    "--expert-tensor-parallel-size": "etp",
    "--num-virtual-stages-per-pipeline-rank": "chunks",
    "--micro-batch-size": "microbatch",
    "--global-batch-size": "global_batch",
    "--seq-length": "sequence",
}


def write(run: Run, layout: Layout, profile: Profile) -> Exported:
    """Return a plan as arguments of ``pretrain_gpt.py``, one a line."""
    lines = [_shown(word.flag, word.value) for word in shape_words(run.model)]
    if run.model.latent is None and run.model.kv_heads != run.model.heads:
        lines.append("--group-query-attention")
    lines += _sizes(run, layout)
    if layout.sequence_parallel:
        lines.append("--sequence-parallel")
    lines += _sharding(run, layout, profile)
    lines += _recompute(layout)
    if layout.offloaded_layers:
        lines.append(f"--cpu-offloading-num-layers {layout.offloaded_layers}")
    lines += ["--bf16", *_precision(run)]
    if run.model.experts:
        lines += _experts(run)
    impl, scope = graph_words(run)
    if scope:
        lines += [f"--cuda-graph-impl {impl}", f"--cuda-graph-scope {' '.join(scope)}"]
    if run.graphs == "full":
        lines.append("--no-check-for-nan-in-loss-and-grad")
    notes = [*core_notes(run, layout, "Megatron-LM"), *shape_notes(run.model)]
    return Exported("megatron", " \\\n".join(lines) + "\n", tuple(notes))


def _shown(flag: str, value: int | str | bool) -> str:
    return flag if value is True else f"{flag} {shlex.quote(str(value))}"


def _sizes(run: Run, layout: Layout) -> list[str]:
    values = {knob: getattr(layout, knob) for knob in ("tp", "pp", "cp", "ep", "etp", "chunks", "microbatch")}
    values |= {"global_batch": run.global_batch, "sequence": run.sequence}
    dropped = set() if run.model.experts else {"ep", "etp"}
    placed = placement(run.model, layout)
    if layout.chunks == 1 or placed:
        dropped.add("chunks")
    lines = [f"{flag} {values[knob]}" for flag, knob in SIZES.items() if knob not in dropped]
    if placed:
        lines.append(f"--pipeline-model-parallel-layout '{placed}'")
    return [*lines, f"--max-position-embeddings {max(run.sequence, run.model.details.learned_positions)}"]


def _sharding(run: Run, layout: Layout, profile: Profile) -> list[str]:
    lines = []
    if layout.sharding == "optimizer":
        lines.append("--use-distributed-optimizer")
    elif layout.sharding != "none":
        strategy = {name: word for word, name in STRATEGIES.items()}[layout.sharding]
        lines += ["--use-distributed-optimizer", "--use-megatron-fsdp"]
        lines += [f"--data-parallel-sharding-strategy {strategy}", "--ckpt-format fsdp_dtensor"]
        lines.append("--no-gradient-accumulation-fusion")
    if instances(layout) > 1:
        lines.append(f"--num-distributed-optimizer-instances {instances(layout)}")
    if profile.overlap_reduce:
        lines.append("--overlap-grad-reduce")
    if profile.overlap_gather and layout.sharding != "none":
        lines.append("--overlap-param-gather")
    return lines


def instances(layout: Layout) -> int:
    """Return how many groups of ranks hold a whole copy of what is sharded."""
    grouped = layout.shard_ranks and layout.sharding != "none"
    return layout.gradient_ranks // layout.shard_ranks if grouped else 1


def _recompute(layout: Layout) -> list[str]:
    if layout.recompute == "full":
        return ["--recompute-granularity full", "--recompute-method uniform", "--recompute-num-layers 1"]
    if layout.recompute == "selective":
        modules = recompute_modules(layout)
        named = [f"--recompute-modules {' '.join(modules)}"] if modules else []
        return ["--recompute-granularity selective", *named]
    return []


def recompute_modules(layout: Layout) -> list[str]:
    """Return the parts to recompute that Megatron-Core knows."""
    return [module for module in layout.recompute_modules if module in MODULES]


def graph_words(run: Run) -> tuple[str, tuple[str, ...]]:
    """Return by what CUDA graphs are captured, and what they cover."""
    router = ("moe_router", "moe_preprocess")
    return {
        "none": ("none", ()),
        "router": ("transformer_engine", router),
        "partial": ("transformer_engine", ("attn", *(router if run.model.experts else ()))),
        "full": ("local", ("full_iteration",)),
    }[run.graphs]


def _precision(run: Run) -> list[str]:
    if run.precision == "nvfp4":
        return ["--fp4-format e2m1", "--fp4-recipe nvfp4"]
    if run.precision == "bf16":
        return []
    fp8, recipe = FP8[run.precision]
    return [f"--fp8-format {fp8}", f"--fp8-recipe {recipe}"]


def _experts(run: Run) -> list[str]:
    lines = ["--moe-token-dispatcher-type alltoall"]
    if run.dispatcher != "all-to-all":
        lines = ["--moe-token-dispatcher-type flex", f"--moe-flex-dispatcher-backend {run.dispatcher}"]
    if run.expert_overlap:
        lines.append("--overlap-moe-expert-parallel-comm")
    return lines
