"""torchtitan: a TOML file as a plan.

Names and defaults after ``torchtitan/config/job_config.py`` of torchtitan 0.2 (December 2025 to January 2026), the last
releases whose jobs are TOML files. ``data/torchtitan.toml`` lists keys that an estimate does not follow.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from scalewall.errors import InputError
from scalewall.planner.export.dialect import (
    Imported,
    choice,
    count,
    idle_keys,
    known,
    recompute_values,
    switch,
    whole,
)
from scalewall.planner.export.torchtitan import GROUPED, LINEAR
from scalewall.workload.transformer import Transformer

__all__ = ["read"]

_SCHEDULES = {
    "1F1B": ("1f1b", 1),
    "Interleaved1F1B": ("1f1b", 2),
    "GPipe": ("gpipe", 1),
    "ZBVZeroBubble": ("zb-1p", 1),
    "InterleavedZeroBubble": ("zb-1p", 1),
    "DualPipeV": ("dualpipe", 1),
}
"""Schedules, what the planner knows them as, and how many parts a stage has if nothing else is said."""
_P = "parallelism."
_FOLLOWED = (
    "training.local_batch_size", "training.global_batch_size", "training.seq_len", "model.converters",
    "compile.enable", "activation_checkpoint.mode", "activation_checkpoint.selective_ac_option",
    "quantize.linear.float8.recipe_name", "quantize.linear.mx.recipe_name", _P + "data_parallel_replicate_degree",
    _P + "data_parallel_shard_degree", _P + "fsdp_reshard_after_forward", _P + "tensor_parallel_degree",
    _P + "pipeline_parallel_degree", _P + "pipeline_parallel_schedule",
    _P + "module_fqns_per_model_part", _P + "pipeline_parallel_microbatch_size",
    _P + "pipeline_parallel_layers_per_stage",
    _P + "pipeline_parallel_first_stage_less_layers", _P + "pipeline_parallel_last_stage_less_layers",
    _P + "context_parallel_degree", _P + "expert_parallel_degree", _P + "expert_tensor_parallel_degree",
    _P + "expert_parallel_comm_backend", _P + "pipeline_parallel_expert_parallel_overlap",
)  # fmt: skip
_STAGES = _P + "pipeline_parallel_degree"
_OF_EXPERTS = (
    _P + "expert_parallel_degree", _P + "expert_tensor_parallel_degree", _P + "expert_parallel_comm_backend",
)  # fmt: skip
_NEEDS = MappingProxyType(
    {"activation_checkpoint.selective_ac_option": ("activation_checkpoint.mode", ("selective",))}
)


@cache
def _others() -> Mapping[str, tuple[str, ...]]:
    text = files("scalewall.planner.export").joinpath("data/torchtitan.toml").read_text(encoding="utf-8")
    return MappingProxyType({kind: tuple(words.split()) for kind, words in tomllib.loads(text).items()})


def read(text: str, model: Transformer, ranks: int | None) -> Imported:
    """Return what a TOML file of torchtitan says of a plan; what it leaves open has torchtitan's defaults.

    Parameters
    ----------
    text : str
        The file.
    model : Transformer
        Whose layers are split.
    ranks : int or None
        Accelerators, where the degree of sharding is left to them.

    Raises
    ------
    InputError
        Unknown keys (with the nearest ones), and values that cannot be.
    """
    try:
        given = dict(_flat(tomllib.loads(text)))
    except (ValueError, RecursionError) as error:
        raise InputError("torchtitan's file", text, f"TOML ({error})") from error
    others = _others()
    for key in given:
        known("torchtitan key", key, {*_FOLLOWED, *others["profile"], *others["rest"]})
    notes: list[str] = []
    degrees = {"tp": "tensor", "cp": "context", "pp": "pipeline"}
    values: dict[str, Any] = {
        knob: whole(f"{_P}{word}_parallel_degree", given.get(f"{_P}{word}_parallel_degree", 1))
        for knob, word in degrees.items()
    }
    values |= _read_replicas(given, values, ranks)
    values |= _read_schedule(given, values, model, notes)
    values |= _read_batch(given, values)
    values |= _read_experts(given, model) | _read_recompute(given) | _read_precision(given)
    values |= {
        "sequence_parallel": True,
        "graphs": "none",
        "compiled": switch("compile.enable", given.get("compile.enable", False)),
    }
    rest = [key for key in given if key not in _FOLLOWED]
    idle = [*idle_keys(given, _NEEDS), *(key for key in _OF_EXPERTS if key in given and not model.experts)]
    if values["pp"] == 1:
        idle += [key for key in given if key.startswith(f"{_P}pipeline_parallel_") and key != _STAGES]
    return Imported(
        values,
        without_effect=(*(key for key in rest if key not in others["profile"]), *dict.fromkeys(idle)),
        by_profile=tuple(key for key in rest if key in others["profile"]),
        notes=tuple(notes),
    )


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _read_replicas(given: Mapping[str, Any], values: Mapping[str, Any], ranks: int | None) -> dict[str, Any]:
    key = f"{_P}data_parallel_shard_degree"
    replicas = whole(
        f"{_P}data_parallel_replicate_degree", given.get(f"{_P}data_parallel_replicate_degree", 1)
    )
    shards = given.get(key, -1)
    if shards == -1:
        if ranks is None:
            raise InputError("--gpus", None, f"a number of accelerators, to which {key} leaves the degree")
        share = replicas * values["tp"] * values["cp"] * values["pp"]
        if ranks % share:
            raise InputError("--gpus", ranks, f"a multiple of {share}: what the file's degrees take", [])
        shards = ranks // share
    shards = whole(key, shards)
    found: dict[str, Any] = {"dp": replicas * shards, "shard_ranks": 0}
    if shards * values["cp"] == 1:
        return found | {"sharding": "none"}
    words = {"always": "parameters", "never": "gradients"}
    words["default"] = "gradients" if values["pp"] > 1 else "parameters"
    reshard = f"{_P}fsdp_reshard_after_forward"
    found["sharding"] = choice(reshard, given.get(reshard, "default"), words)
    if replicas > 1:
        found["shard_ranks"] = shards * values["cp"]
    return found


def _read_schedule(
    given: Mapping[str, Any], values: Mapping[str, Any], model: Transformer, notes: list[str]
) -> dict[str, Any]:
    key = f"{_P}pipeline_parallel_schedule"
    name = given.get(key, "1F1B")
    schedule, chunks = choice(key, name, _SCHEDULES)
    if values["pp"] == 1:
        return {"schedule": "1f1b", "chunks": 1}
    if schedule in ("zb-1p", "dualpipe"):
        notes.append(f"{name} taken for {schedule}")
        return {"schedule": schedule, "chunks": 1}
    each = given.get(f"{_P}pipeline_parallel_layers_per_stage")
    placed = given.get(f"{_P}module_fqns_per_model_part")
    if placed is not None:
        parts = len(placed) if isinstance(placed, list) else 0
        if not parts or parts % values["pp"]:
            allowed = f"parts that divide over {values['pp']} stages, and these are {parts}"
            raise InputError(f"{_P}module_fqns_per_model_part", f"{parts} parts", allowed)
        chunks = parts // values["pp"]
    elif each is not None:
        each = whole(f"{_P}pipeline_parallel_layers_per_stage", each)
        ends = [f"{_P}pipeline_parallel_{end}_stage_less_layers" for end in ("first", "last")]
        less = sum(count(key, given.get(key, 1)) for key in ends)
        parts = math.ceil((model.layers + less) / each)
        if parts % values["pp"]:
            allowed = (
                f"layers that make parts which divide over {values['pp']} stages, and these make {parts}"
            )
            raise InputError(f"{_P}pipeline_parallel_layers_per_stage", each, allowed)
        chunks = parts // values["pp"]
    return {"schedule": schedule, "chunks": chunks}


def _read_batch(given: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    local = whole("training.local_batch_size", given.get("training.local_batch_size", 8))
    found = {"sequence": whole("training.seq_len", given.get("training.seq_len", 2048))}
    batch = given.get("training.global_batch_size", -1)
    found["global_batch"] = (
        local * values["dp"] if batch == -1 else whole("training.global_batch_size", batch)
    )
    if values["pp"] == 1:
        return found | {"microbatch": local}
    key = f"{_P}pipeline_parallel_microbatch_size"
    if found["global_batch"] != local * values["dp"]:
        share = f"{found['global_batch']} / dp {values['dp']}"
        allowed = f"{share}: several runs through a pipeline a step are not modelled"
        raise InputError("training.local_batch_size", local, allowed, [])
    return found | {"microbatch": whole(key, given.get(key, 1))}


def _read_experts(given: Mapping[str, Any], model: Transformer) -> dict[str, Any]:
    if model.experts is None:
        return {}
    backend, beside = f"{_P}expert_parallel_comm_backend", f"{_P}pipeline_parallel_expert_parallel_overlap"
    names = {"standard": "all-to-all", "deepep": "deepep"}
    dual = given.get(f"{_P}pipeline_parallel_schedule") == "DualPipeV"
    degree, tensor = f"{_P}expert_parallel_degree", f"{_P}expert_tensor_parallel_degree"
    return {
        "ep": whole(degree, given.get(degree, 1)),
        "etp": whole(tensor, given.get(tensor, 1)),
        "dispatcher": choice(backend, given.get(backend, "standard"), names),
        "expert_overlap": switch(beside, given.get(beside, True)) and dual,
    }


def _read_recompute(given: Mapping[str, Any]) -> dict[str, Any]:
    key, option = "activation_checkpoint.mode", "activation_checkpoint.selective_ac_option"
    mode = choice(
        key, given.get(key, "selective"), {"none": "none", "selective": "selective", "full": "full"}
    )
    if mode != "selective":
        return recompute_values(mode)
    which = str(given.get(option, "2"))
    if which == "op":
        return recompute_values("selective", ["op"])
    if which == "1":
        return recompute_values("full")
    allowed = (
        "op: recomputing every n-th layer (torchtitan's default) is not modelled; or mode = full or none"
    )
    raise InputError(option, which, allowed, ["op"])


def _read_precision(given: Mapping[str, Any]) -> dict[str, Any]:
    listed = given.get("model.converters", [])
    converters = listed if isinstance(listed, list) else [listed]
    names = {name: precision for precision, name in LINEAR.items()}
    names |= {name: precision for precision, name in GROUPED.items()}
    names |= {"float8": "fp8-current", "mx": "mxfp8"}
    found = [choice("model.converters", name, names) for name in converters]
    return {"precision": found[0] if found else "bf16"}
