"""DeepSpeed: a plan as its JSON configuration, and such a configuration as a plan.

Names after DeepSpeed's documentation "DeepSpeed configuration JSON" and "Automatic tensor parallelism (training)", and
``deepspeed/runtime/zero/config.py`` (DeepSpeed 0.18, 2025 to 2026). The file holds batch, precision, ZeRO and tensor
parallelism; pipeline, experts, recomputation and the sequence's length stand in the training script.
``data/deepspeed.toml`` lists keys that an estimate does not follow.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from scalewall.errors import InputError
from scalewall.planner.export.dialect import SHARDINGS, Exported, Imported, Note, known, switch, whole
from scalewall.planner.layout import Layout
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run
from scalewall.workload.transformer import Transformer

__all__ = ["read", "write"]

_STAGE = "zero_optimization.stage"
_GROUP = "zero_optimization.mics_shard_size"
_FOLLOWED = (
    "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps", _STAGE, _GROUP,
    "bf16.enabled", "fp16.enabled", "tensor_parallel.autotp_size",
)  # fmt: skip
_AUTO = "auto"
"""What Hugging Face's trainer fills in."""


def write(run: Run, layout: Layout, profile: Profile) -> Exported:
    """Return a plan as a JSON file."""
    stage = SHARDINGS.index(layout.sharding)
    zero: dict[str, Any] = {"stage": stage}
    if layout.sharding != "none":
        zero["overlap_comm"] = profile.overlap_reduce
    notes = list(_notes(run, layout))
    if layout.shard_ranks and stage == 3:
        zero["mics_shard_size"] = layout.shard_ranks
        notes.append(Note("", "groups of shards (MiCS) need the model built under deepspeed.zero.MiCS_Init"))
    document: dict[str, Any] = {
        "train_batch_size": run.global_batch,
        "train_micro_batch_size_per_gpu": layout.microbatch,
        "gradient_accumulation_steps": run.global_batch // (layout.dp * layout.microbatch),
        "bf16": {"enabled": True},
        "zero_optimization": zero,
    }
    if layout.tp > 1:
        document["tensor_parallel"] = {"autotp_size": layout.tp}
    return Exported("deepspeed", json.dumps(document, indent=2) + "\n", tuple(notes))


def _notes(run: Run, layout: Layout) -> Iterator[Note]:
    """Yield what the file cannot say."""
    yield Note("sequence", f"sequences of {run.sequence} tokens: set in the training script")
    if layout.pp > 1:
        yield Note("pp", f"{layout.pp} stages: PipelineModule(num_stages={layout.pp}) in the training script")
    if layout.pp > 1 and layout.sharding in ("gradients", "parameters"):
        yield Note("sharding", "the pipeline engine works with ZeRO stages 0 and 1 only")
    if layout.chunks > 1:
        yield Note("chunks", "the pipeline engine holds one part a stage")
    if layout.schedule != "1f1b":
        yield Note("schedule", f"has no {layout.schedule}: its pipeline engine runs 1F1B")
    if layout.cp > 1:
        yield Note("cp", "splits sequences by Ulysses (all-to-all over heads), set up in the training script")
    if run.model.experts and layout.ep * layout.etp > 1:
        words = f"experts: deepspeed.moe.layer.MoE(ep_size={layout.ep}) in the training script"
        yield Note("ep", words)
        yield Note(
            "etp", "experts' tensor parallelism follows enable_expert_tensor_parallelism of the MoE layer"
        )
    if layout.tp > 1 and layout.sharding == "parameters":
        yield Note("tp", "automatic tensor parallelism works with ZeRO stages 0 to 2")
    if not layout.sequence_parallel or layout.tp > 1:
        yield Note("sequence_parallel", "automatic tensor parallelism does not split norms and residuals")
    if layout.shard_ranks and layout.sharding != "parameters":
        yield Note("shard_ranks", "groups of shards (MiCS) need ZeRO stage 3")
    if layout.recompute != "none":
        yield Note(
            "recompute", "recompute in the training script (activation_checkpointing only configures it)"
        )
        yield Note("recompute_modules", "likewise")
    elif layout.recompute_modules:
        yield Note("recompute_modules", "means nothing without selective recomputation")
    if layout.offloaded_layers:
        yield Note("offloaded_layers", "cpu_checkpointing moves checkpoints of the training script only")
    if run.precision != "bf16":
        yield Note("precision", f"has no {run.precision}: bf16 is written; use Transformer Engine's layers")
    if run.graphs != "none":
        yield Note("graphs", "has no switch for CUDA graphs in training")
    if run.model.experts and run.dispatcher != "all-to-all":
        yield Note("dispatcher", f"has no {run.dispatcher}")
    if run.model.experts and run.expert_overlap:
        yield Note("expert_overlap", "does not hide the exchange with experts")
    if not run.compiled:
        yield Note("compiled", "compile in the training script")


@cache
def _others() -> Mapping[str, tuple[str, ...]]:
    text = files("scalewall.planner.export").joinpath("data/deepspeed.toml").read_text(encoding="utf-8")
    return MappingProxyType({kind: tuple(words.split()) for kind, words in tomllib.loads(text).items()})


def read(text: str, model: Transformer, ranks: int | None) -> Imported:
    """Return what a JSON file of DeepSpeed says of a plan; what stands in the training script stays open.

    Parameters
    ----------
    text : str
        The file.
    model : Transformer
        Not asked.
    ranks : int or None
        Not asked.

    Raises
    ------
    InputError
        Unknown keys (with the nearest ones), and values that cannot be.
    """
    try:
        document = json.loads(text, object_pairs_hook=_each_once, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise InputError("DeepSpeed's file", text, f"JSON ({error})") from error
    if not isinstance(document, dict):
        raise InputError("DeepSpeed's file", type(document).__name__, "an object of keys")
    others = _others()
    open_ended = (*others["open"],)
    given = dict(_flat(document, open_ended))
    for key in given:
        known("DeepSpeed key", key, {*_FOLLOWED, *others["profile"], *others["rest"], *open_ended})
    notes = [f"{key} is left to the training script (auto)" for key in _FOLLOWED if given.get(key) == _AUTO]
    given = {key: value for key, value in given.items() if value != _AUTO}
    for key in ("bf16.enabled", "fp16.enabled"):
        switch(key, given.get(key, False))
    if given.get("bf16.enabled") and given.get("fp16.enabled"):
        raise InputError("fp16.enabled", True, "false beside bf16.enabled", ["false"])
    if given.get("fp16.enabled"):
        notes.append("fp16 taken for bf16: as many bits")
    rest = [key for key in given if key not in _FOLLOWED]
    return Imported(
        _values(given),
        without_effect=tuple(key for key in rest if key not in others["profile"]),
        by_profile=tuple(key for key in rest if key in others["profile"]),
        notes=tuple(notes),
    )


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse keys that stand twice in an object, as DeepSpeed does."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{twice} twice in one object")
    return found


def _refused(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _flat(
    table: Mapping[str, Any], open_ended: tuple[str, ...], prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """Yield keys with their tables' names before them; tables whose keys are anybody's as one."""
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and name not in open_ended:
            yield from _flat(value, open_ended, f"{name}.")
        else:
            yield name, value


def _values(given: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    stage = given.get(_STAGE, 0)
    if isinstance(stage, bool) or not isinstance(stage, int) or not 0 <= stage < len(SHARDINGS):
        raise InputError(_STAGE, stage, "0, 1, 2 or 3", ["1"])
    values["sharding"] = SHARDINGS[stage]
    if given.get(_GROUP, -1) != -1:
        values["shard_ranks"] = whole(_GROUP, given[_GROUP])
    values["tp"] = whole("tensor_parallel.autotp_size", given.get("tensor_parallel.autotp_size", 1))
    if given.get("bf16.enabled") or given.get("fp16.enabled"):
        values["precision"] = "bf16"
    names = ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps")
    batch, micro, steps = (whole(name, given[name]) if name in given else None for name in names)
    if micro is not None:
        values["microbatch"] = micro
    if batch is not None:
        values["global_batch"] = batch
    if batch is not None and micro is not None and steps is not None:
        if batch % (micro * steps):
            allowed = f"a multiple of {micro} x {steps}: microbatch times accumulation"
            raise InputError(names[0], batch, allowed, [str(micro * steps)])
        values["dp"] = batch // (micro * steps)
    return values
