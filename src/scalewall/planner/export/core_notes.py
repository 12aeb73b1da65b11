"""What of a plan Megatron-Core cannot run, which Megatron-LM and Megatron Bridge share.

After ``megatron/training/arguments.py``, ``megatron/core/transformer/transformer_config.py`` and
``megatron/core/transformer/moe/moe_layer.py`` of Megatron-LM (Megatron-Core 0.15 to 0.16, November 2025 to January
2026), whose checks refuse these combinations, and Megatron Bridge's "MoE communication overlap" (0.6, 2026).
"""

from __future__ import annotations

from collections.abc import Iterator

from scalewall.planner.export.dialect import Note
from scalewall.planner.layout import Layout
from scalewall.planner.recompute import MODULES as RECOMPUTED
from scalewall.planner.run import Run

__all__ = ["MODULES", "core_notes"]

MODULES = tuple(module for module in RECOMPUTED if module != "op")
"""Parts of a layer that can be recomputed."""


def core_notes(run: Run, layout: Layout, framework: str) -> list[Note]:
    """Return what of a plan Megatron-Core cannot say, and what it refuses."""
    return [*_unsaid(run, layout, framework), *_refused(run, layout)]


def _unsaid(run: Run, layout: Layout, framework: str) -> Iterator[Note]:
    if layout.schedule != "1f1b" and layout.pp > 1:
        words = f"{framework} has no {layout.schedule}: 1F1B is written, and it is slower"
        if layout.schedule == "dualpipe":
            words += "; --overlap-moe-expert-parallel-comm hides the exchange with experts under 1F1B"
        yield Note("schedule", words)
    elif layout.schedule != "1f1b":
        yield Note("schedule", f"without a pipeline {layout.schedule} means nothing")
    foreign = [module for module in layout.recompute_modules if module not in MODULES]
    if layout.recompute == "selective" and foreign:
        words = f"cannot recompute {', '.join(foreign)}; it knows {', '.join(MODULES)}"
        yield Note("recompute_modules", words)
    elif layout.recompute != "selective" and layout.recompute_modules:
        yield Note("recompute_modules", "means nothing without selective recomputation")
    if layout.shard_ranks and layout.sharding == "none":
        yield Note("shard_ranks", "means nothing where nothing is sharded")
    elif layout.shard_ranks and layout.shard_ranks == layout.gradient_ranks:
        yield Note("shard_ranks", "is all ranks")
    if not run.compiled:
        yield Note("compiled", "Megatron-Core's kernels are fused; there is no switch")


def _refused(run: Run, layout: Layout) -> Iterator[Note]:
    """Yield combinations that stop Megatron-Core before the first step."""
    microbatches = run.global_batch // (layout.dp * layout.microbatch)
    if layout.chunks > 1 and microbatches % layout.pp:
        words = f"refused: interleaving wants a multiple of {layout.pp} microbatches, and there are {microbatches}"
        yield Note("chunks", words)
    if run.graphs != "none" and layout.recompute == "full":
        yield Note("graphs", "refused beside full recomputation")
    if run.graphs != "none" and layout.offloaded_layers:
        yield Note("graphs", "refused beside offloaded activations")
    if layout.offloaded_layers and layout.recompute != "none":
        yield Note("offloaded_layers", "refused beside recomputation")
    if layout.offloaded_layers >= run.model.layers:
        yield Note("offloaded_layers", "refused: at least one layer must stay")
    if run.model.experts and layout.tp > 1 and not layout.sequence_parallel:
        yield Note("sequence_parallel", "refused: experts beside tensor parallelism want it")
    if run.model.experts and run.expert_overlap:
        if layout.ep == 1:
            yield Note("expert_overlap", "refused without expert parallelism")
        if layout.pp > 1 and layout.chunks == 1:
            yield Note("expert_overlap", "refused with a pipeline that is not interleaved")
        if layout.recompute == "full":
            yield Note("expert_overlap", "refused beside full recomputation")
