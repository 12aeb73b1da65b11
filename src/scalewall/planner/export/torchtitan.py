"""torchtitan: a plan as a TOML file.

Names and meanings after ``torchtitan/config/job_config.py`` of torchtitan 0.2 (December 2025 to January 2026), the last
releases whose jobs are TOML files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scalewall.planner.export.dialect import Exported, Note
from scalewall.planner.layout import Layout
from scalewall.planner.pipeline import part_layers
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run
from scalewall.workload.transformer import Transformer

__all__ = ["GROUPED", "LINEAR", "write"]

LINEAR = {"fp8-current": "quantize.linear.float8", "mxfp8": "quantize.linear.mx"}
"""Converters of linear layers by precision."""
GROUPED = {"fp8-current": "quantize.grouped_mm.float8", "mxfp8": "quantize.grouped_mm.mx"}
"""Converters of experts by precision."""


def write(run: Run, layout: Layout, profile: Profile) -> Exported:
    """Return a plan as a TOML file."""
    notes: list[Note] = []
    replicas, shards, reshard = _replicas(layout, notes)
    parallelism: dict[str, Any] = {
        "data_parallel_replicate_degree": replicas,
        "data_parallel_shard_degree": shards,
        "fsdp_reshard_after_forward": reshard,
        "tensor_parallel_degree": layout.tp,
        "context_parallel_degree": layout.cp,
        "pipeline_parallel_degree": layout.pp,
    }
    if layout.pp > 1:
        parallelism |= _pipeline(run, layout, notes)
    elif layout.schedule != "1f1b":
        notes.append(Note("schedule", f"without a pipeline {layout.schedule} means nothing"))
    if run.model.experts:
        parallelism |= _experts(run, layout, notes)
    tables = {
        "training": {
            "local_batch_size": run.global_batch // layout.dp if layout.pp > 1 else layout.microbatch,
            "global_batch_size": run.global_batch,
            "seq_len": run.sequence,
        },
        "parallelism": parallelism,
        "activation_checkpoint": _recompute(layout, notes),
        "compile": {"enable": run.compiled},
    }
    tables |= _precision(run, notes)
    notes += _remarks(run, layout, profile)
    header = f"# {run.model.name}: add [model] name and flavor, dataset, optimizer and checkpoint\n"
    return Exported("torchtitan", header + _toml(tables), tuple(notes))


def _replicas(layout: Layout, notes: list[Note]) -> tuple[int, int, str]:
    """Return degrees of replication and sharding, and when gathered weights are let go."""
    if layout.gradient_ranks == 1:
        notes.append(Note("sharding", "means nothing on one data-parallel rank"))
    if layout.sharding == "none":
        if layout.cp > 1:
            words = f"weights are always sharded over the {layout.cp} context-parallel ranks"
            notes += [Note("sharding", words), Note("shard_ranks", words)]
        elif layout.shard_ranks:
            notes.append(Note("shard_ranks", "means nothing where nothing is sharded"))
        return layout.dp, 1, "default"
    if layout.sharding == "optimizer":
        words = (
            "cannot shard the optimizer alone: gradients are sharded too (fsdp_reshard_after_forward = never)"
        )
        notes.append(Note("sharding", words))
    reshard = "always" if layout.sharding == "parameters" else "never"
    shard = layout.shard_ranks
    if not shard:
        return 1, layout.dp, reshard
    degree = shard // layout.cp
    if shard % layout.cp or not degree or layout.dp % degree:
        words = f"dp = {layout.dp} with cp = {layout.cp} does not split into groups of {shard}: all ranks"
        notes.append(Note("shard_ranks", words))
        return 1, layout.dp, reshard
    if degree in (1, layout.dp):
        words = "groups of that size are none, or all ranks"
        notes += [Note("sharding", words), Note("shard_ranks", words)]
    return layout.dp // degree, degree, reshard


def _pipeline(run: Run, layout: Layout, notes: list[Note]) -> dict[str, Any]:
    names = {"1f1b": "1F1B" if layout.chunks == 1 else "Interleaved1F1B", "gpipe": "GPipe"}
    names |= {"zb-1p": "ZBVZeroBubble", "zb-2p": "ZBVZeroBubble", "dualpipe": "DualPipeV"}
    schedule = names[layout.schedule]
    if layout.schedule in ("zb-1p", "zb-2p", "dualpipe"):
        words = f"has no {layout.schedule}: {schedule} is the nearest, with two parts a stage in a V"
        notes.append(Note("schedule", words))
    chunks = layout.chunks if schedule not in ("ZBVZeroBubble", "DualPipeV") else 2
    found = {
        "pipeline_parallel_schedule": schedule,
        "pipeline_parallel_microbatch_size": layout.microbatch,
    }
    if run.model.layers % (layout.pp * chunks):
        return found | {"module_fqns_per_model_part": _placed(run.model, layout.pp, chunks)}
    return found | {
        "pipeline_parallel_layers_per_stage": run.model.layers // (layout.pp * chunks),
        "pipeline_parallel_first_stage_less_layers": 0,
        "pipeline_parallel_last_stage_less_layers": 0,
    }


def _placed(model: Transformer, pp: int, chunks: int) -> list[list[str]]:
    """Return the names of the modules of every part, where layers do not divide."""
    names, first = [], 0
    for count in part_layers(model, pp, chunks):
        names.append([f"layers.{layer}" for layer in range(first, first + count)])
        first += count
    names[0].insert(0, "tok_embeddings")
    names[-1] += ["norm", "output"]
    return names


def _experts(run: Run, layout: Layout, notes: list[Note]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "expert_parallel_degree": layout.ep,
        "expert_tensor_parallel_degree": layout.etp,
        "expert_parallel_comm_backend": "standard" if run.dispatcher == "all-to-all" else "deepep",
    }
    if layout.etp not in (1, layout.tp) or (layout.ep == 1 and layout.etp > 1):
        notes.append(
            Note("etp", f"experts' tensor parallelism is 1 or tp = {layout.tp}, and only with ep above 1")
        )
    if layout.ep % layout.cp and layout.ep > 1:
        notes.append(Note("ep", f"expert parallelism must be a multiple of cp = {layout.cp}"))
    if run.dispatcher == "hybridep":
        notes.append(Note("dispatcher", "has no HybridEP: DeepEP is written"))
    if layout.pp > 1 and layout.schedule == "dualpipe":
        found["pipeline_parallel_expert_parallel_overlap"] = run.expert_overlap
    elif run.expert_overlap:
        notes.append(Note("expert_overlap", "hides the exchange with experts under DualPipeV only"))
    return found


def _recompute(layout: Layout, notes: list[Note]) -> dict[str, Any]:
    if layout.recompute != "selective":
        if layout.recompute_modules:
            notes.append(Note("recompute_modules", "means nothing without selective recomputation"))
        return {"mode": layout.recompute}
    if layout.recompute_modules != ("op",):
        parts = ", ".join(layout.recompute_modules) or "core_attn"
        words = f"cannot recompute {parts} alone: it selects by operation (op) or every n-th layer"
        notes.append(Note("recompute_modules", words))
    return {"mode": "selective", "selective_ac_option": "op"}


def _precision(run: Run, notes: list[Note]) -> dict[str, Any]:
    if run.precision == "bf16":
        return {}
    if run.precision not in LINEAR:
        notes.append(Note("precision", f"has no {run.precision}: bf16 is written"))
        return {}
    converters = [LINEAR[run.precision], *([GROUPED[run.precision]] if run.model.experts else [])]
    recipe = {"fp8-current": "tensorwise", "mxfp8": "mxfp8_cublas"}[run.precision]
    tables: dict[str, Any] = {
        "model": {"converters": converters},
        LINEAR[run.precision]: {"recipe_name": recipe},
    }
    if run.model.experts:
        tables[GROUPED[run.precision]] = {"fqns": ["experts"]}
    return tables


def _remarks(run: Run, layout: Layout, profile: Profile) -> Iterator[Note]:
    if not layout.sequence_parallel:
        yield Note("sequence_parallel", "tensor parallelism splits the sequence too, always")
    if run.model.prediction_layers:
        yield Note("model", "has no layers of multi-token prediction")
    if layout.offloaded_layers:
        yield Note("offloaded_layers", "has no switch for activations in the host's memory")
    if run.graphs != "none":
        yield Note("graphs", "has no switch for CUDA graphs")
    if "torchtitan" not in profile.frameworks:
        yield Note("", f"the estimate is of {profile.title}; for torchtitan ask with its own profile")


def _toml(tables: Mapping[str, Mapping[str, Any]]) -> str:
    text = ""
    for name, entries in tables.items():
        rows = "".join(f"{key} = {_literal(value)}\n" for key, value in entries.items())
        text += f"\n[{name}]\n{rows}"
    return text


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)
