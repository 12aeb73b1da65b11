"""NeMo's Megatron Bridge: a plan as overrides of its configuration, and overrides as a plan.

Names after NVIDIA's "Megatron-LM to Megatron Bridge guide", "Parallelisms guide", "Mixed precision training" and
"Communication overlap" (Megatron Bridge 0.4 to 0.6, 2026) and ``megatron/bridge/training/mixed_precision.py``.
Overrides are ``key=value`` words in the syntax of Hydra, given to ``scripts/training/run_recipe.py``; what they leave
open is the recipe's. ``data/nemo.toml`` lists keys that an estimate does not follow.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from scalewall.errors import InputError
from scalewall.planner.export.core_notes import MODULES, core_notes
from scalewall.planner.export.dialect import (
    Exported,
    Imported,
    at_most_one,
    choice,
    idle_keys,
    known,
    recompute_values,
    whole,
)
from scalewall.planner.export.megatron import STRATEGIES, graph_words, instances, recompute_modules
from scalewall.planner.export.megatron_args import fp8_precision, graphs_of
from scalewall.planner.export.places import placement
from scalewall.planner.export.shape import CHECKED, check_model, shape_notes, shape_words
from scalewall.planner.layout import Layout
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run
from scalewall.workload.transformer import Transformer

__all__ = ["read", "write"]

_SIZES = {
    "model.tensor_model_parallel_size": "tp",
    "model.pipeline_model_parallel_size": "pp",
    "model.context_parallel_size": "cp",
    "model.expert_model_parallel_size": "ep",
    "model.expert_tensor_parallel_size": "etp",
    "model.virtual_pipeline_model_parallel_size": "chunks",
    "train.micro_batch_size": "microbatch",
    "train.global_batch_size": "global_batch",
    "model.seq_length": "sequence",
}
_RECIPES = {
    "bf16": "bf16_mixed",
    "fp8-delayed": "bf16_with_fp8_delayed_scaling_mixed",
    "fp8-current": "bf16_with_fp8_current_scaling_mixed",
    "mxfp8": "bf16_with_mxfp8_mixed",
    "nvfp4": "bf16_with_nvfp4_mixed",
}
_FOLLOWED = frozenset(
    (
        *_SIZES, "dataset.sequence_length", "dataset.seq_length", "model.sequence_parallel", "mixed_precision",
        "mixed_precision.fp8", "mixed_precision.fp8_recipe", "mixed_precision.fp4", "ddp.use_distributed_optimizer",
        "optimizer.use_distributed_optimizer", "ddp.use_megatron_fsdp", "dist.use_megatron_fsdp",
        "ddp.data_parallel_sharding_strategy", "ddp.num_distributed_optimizer_instances",
        "dist.num_distributed_optimizer_instances", "model.recompute_granularity", "model.recompute_method",
        "model.recompute_num_layers", "model.recompute_modules", "model.moe_token_dispatcher_type",
        "model.moe_flex_dispatcher_backend", "comm_overlap.overlap_moe_expert_parallel_comm",
        "model.cuda_graph_impl", "model.cuda_graph_scope", "model.cpu_offloading",
        "model.cpu_offloading_num_layers",
    )
)  # fmt: skip

_EXCLUSIVE = (("mixed_precision.fp8", "mixed_precision.fp4"),)
_NEEDS = MappingProxyType(
    {
        "model.recompute_modules": ("model.recompute_granularity", ("selective",)),
        "model.recompute_method": ("model.recompute_granularity", ("full",)),
        "model.recompute_num_layers": ("model.recompute_granularity", ("full",)),
        "model.moe_flex_dispatcher_backend": ("model.moe_token_dispatcher_type", ("flex",)),
        "model.cuda_graph_scope": ("model.cuda_graph_impl", ()),
    }
)


def write(run: Run, layout: Layout, profile: Profile) -> Exported:
    """Return a plan as overrides, one a line."""
    lines = [f"model.{word.key}={_text(_bridge(word.value, word.bridge))}" for word in shape_words(run.model)]
    values = {knob: getattr(layout, knob) for knob in ("tp", "pp", "cp", "ep", "etp", "chunks", "microbatch")}
    values |= {"global_batch": run.global_batch, "sequence": run.sequence}
    dropped = set() if run.model.experts else {"ep", "etp"}
    lines += [f"{key}={values[knob]}" for key, knob in _SIZES.items() if knob not in dropped]
    lines += [f"dataset.seq_length={run.sequence}"]
    if placed := placement(run.model, layout):
        lines.append(f"model.pipeline_model_parallel_layout='{placed}'")
    lines += [f"model.sequence_parallel={_text(layout.sequence_parallel)}"]
    lines += _sharding(layout, profile)
    if layout.recompute == "full":
        lines += ["model.recompute_granularity=full", "model.recompute_method=uniform"]
        lines += ["model.recompute_num_layers=1"]
    elif layout.recompute == "selective":
        lines.append("model.recompute_granularity=selective")
        if modules := recompute_modules(layout):
            lines.append(f"model.recompute_modules=[{','.join(modules)}]")
    else:
        lines.append("model.recompute_granularity=null")
    if layout.offloaded_layers:
        lines += ["model.cpu_offloading=true"]
        lines += [f"model.cpu_offloading_num_layers={layout.offloaded_layers}"]
    lines.append(f"mixed_precision={_RECIPES[run.precision]}")
    if run.model.experts:
        plain = run.dispatcher == "all-to-all"
        lines.append(f"model.moe_token_dispatcher_type={'alltoall' if plain else 'flex'}")
        lines += [] if plain else [f"model.moe_flex_dispatcher_backend={run.dispatcher}"]
        lines.append(f"comm_overlap.overlap_moe_expert_parallel_comm={_text(run.expert_overlap)}")
    impl, scope = graph_words(run)
    lines.append(f"model.cuda_graph_impl={impl}")
    if scope:
        lines.append(f"model.cuda_graph_scope=[{','.join(scope)}]")
    notes = [*core_notes(run, layout, "Megatron Bridge"), *shape_notes(run.model)]
    return Exported("nemo", "\n".join(lines) + "\n", tuple(notes))


def _bridge(value: Any, other: Any) -> Any:
    return value if other is None else other


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sharding(layout: Layout, profile: Profile) -> list[str]:
    fsdp = layout.sharding in ("gradients", "parameters")
    lines = [f"ddp.use_distributed_optimizer={_text(layout.sharding != 'none')}"]
    if fsdp:
        strategy = {name: word for word, name in STRATEGIES.items()}[layout.sharding]
        lines += ["dist.use_megatron_fsdp=true", "ddp.use_megatron_fsdp=true"]
        lines += [f"ddp.data_parallel_sharding_strategy={strategy}", "checkpoint.ckpt_format=fsdp_dtensor"]
        lines.append("ddp.average_in_collective=false")
    if (copies := instances(layout)) > 1:
        lines.append(f"ddp.num_distributed_optimizer_instances={copies}")
    lines.append(f"ddp.overlap_grad_reduce={_text(profile.overlap_reduce)}")
    gathers = profile.overlap_gather and layout.sharding != "none"
    return [*lines, f"ddp.overlap_param_gather={_text(gathers)}"]


@cache
def _others() -> Mapping[str, tuple[str, ...]]:
    """Keys that an estimate does not follow, by whether the profile decides."""
    text = files("scalewall.planner.export").joinpath("data/nemo.toml").read_text(encoding="utf-8")
    return MappingProxyType({kind: tuple(words.split()) for kind, words in tomllib.loads(text).items()})


def read(text: str, model: Transformer, ranks: int | None) -> Imported:
    """Return what overrides say of a plan; what they leave open stays open.

    Parameters
    ----------
    text : str
        ``key=value`` words between blanks or line ends; ``#`` begins a remark.
    model : Transformer
        What they should describe.
    ranks : int or None
        Accelerators.

    Raises
    ------
    InputError
        Unknown keys (with the nearest ones), values that cannot be, and another model's shape.
    """
    notes: list[str] = []
    given = _parsed(text, notes)
    shape = {f"model.{key}" for key in CHECKED.values()}
    others = _others()
    every = {*_FOLLOWED, *shape, *others["profile"], *others["rest"]}
    for key in given:
        known("override", key, every)
    at_most_one(given, _EXCLUSIVE)
    check_model(given, model, "model.")
    values: dict[str, Any] = {knob: whole(key, given[key]) for key, knob in _SIZES.items() if key in given}
    for key in ("dataset.sequence_length", "dataset.seq_length"):
        if key in given:
            length = whole(key, given[key])
            if values.setdefault("sequence", length) != length:
                raise InputError(key, length, f"{values['sequence']}, as model.seq_length", [])
    values |= _switches(given)
    values |= _read_sharding(given, values, ranks)
    values |= _read_recompute(given)
    values |= _read_precision(given, notes)
    rest = [key for key in given if key not in _FOLLOWED and key not in shape]
    return Imported(
        values,
        without_effect=(*(key for key in rest if key not in others["profile"]), *idle_keys(given, _NEEDS)),
        by_profile=tuple(key for key in rest if key in others["profile"]),
        notes=tuple(notes),
    )


def _parsed(text: str, notes: list[str]) -> dict[str, str]:
    """Return every override; of one given twice the last."""
    try:
        words = shlex.split(text, comments=True)
    except ValueError as error:
        raise InputError("overrides", text, f"key=value words ({error})") from error
    given: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise InputError("override", word, "key=value, such as model.tensor_model_parallel_size=4")
        key = key.lstrip("+")
        if given.get(key, value) != value:
            notes.append(f"{key} given twice: the last one counts")
        given[key] = value
    return {key: value for key, value in given.items() if value not in ("null", "None")}


def _flag(key: str, text: str) -> bool:
    return bool(choice(key, text.lower(), {"true": True, "false": False}))


def _words(text: str) -> list[str]:
    return [word.strip(" '\"") for word in text.strip("[]").split(",") if word.strip()]


def _switches(given: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, knob in (
        ("model.sequence_parallel", "sequence_parallel"),
        ("comm_overlap.overlap_moe_expert_parallel_comm", "expert_overlap"),
    ):
        if key in given:
            values[knob] = _flag(key, given[key])
    kind, backend = "model.moe_token_dispatcher_type", "model.moe_flex_dispatcher_backend"
    if kind in given:
        flex = choice(kind, given[kind], {"alltoall": False, "allgather": False, "flex": True})
        names = {"deepep": "deepep", "hybridep": "hybridep"}
        values["dispatcher"] = choice(backend, given.get(backend, "deepep"), names) if flex else "all-to-all"
    key = "model.cpu_offloading_num_layers"
    if key in given:
        used = _flag("model.cpu_offloading", given.get("model.cpu_offloading", "true"))
        values["offloaded_layers"] = whole(key, given[key]) if used and given[key] != "0" else 0
    if "model.cuda_graph_impl" in given:
        scope = _words(given.get("model.cuda_graph_scope", "full"))
        values["graphs"] = graphs_of("model.cuda_graph_impl", given["model.cuda_graph_impl"], scope)
    return values


def _read_sharding(given: Mapping[str, str], values: Mapping[str, Any], ranks: int | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in ("optimizer.use_distributed_optimizer", "ddp.use_distributed_optimizer"):
        if key in given:
            sharding = "optimizer" if _flag(key, given[key]) else "none"
            if found.setdefault("sharding", sharding) != sharding:
                raise InputError(key, given[key], "the same as optimizer.use_distributed_optimizer")
    key = "ddp.data_parallel_sharding_strategy"
    if _flag("ddp.use_megatron_fsdp", given.get("ddp.use_megatron_fsdp", "false")):
        found["sharding"] = choice(key, given.get(key, "no_shard"), STRATEGIES)
    for key in ("dist.num_distributed_optimizer_instances", "ddp.num_distributed_optimizer_instances"):
        if whole(key, given.get(key, 1)) == 1:
            continue
        if ranks is None:
            raise InputError("--gpus", None, f"a number of accelerators, which {key} needs")
        instances = whole(key, given[key])
        group = ranks // (values.get("tp", 1) * values.get("pp", 1))
        if group % instances:
            raise InputError(key, instances, f"a divisor of cp x dp = {group}", ["1"])
        found["shard_ranks"] = group // instances
    return found


def _read_recompute(given: Mapping[str, str]) -> dict[str, Any]:
    key = "model.recompute_granularity"
    if key not in given:
        return {}
    granularity = choice(key, given[key], {"full": "full", "selective": "selective"})
    if granularity == "full":
        method = given.get("model.recompute_method", "uniform")
        choice("model.recompute_method", method, {"uniform": True})
        return recompute_values("full")
    modules = _words(given.get("model.recompute_modules", ""))
    for module in modules:
        choice("model.recompute_modules", module, dict.fromkeys(MODULES))
    return recompute_values("selective", modules)


def _read_precision(given: Mapping[str, str], notes: list[str]) -> dict[str, Any]:
    if "mixed_precision.fp4" in given:
        return {"precision": "nvfp4"}
    key = "mixed_precision.fp8_recipe"
    if "mixed_precision.fp8" in given or key in given:
        return {"precision": fp8_precision(key, given.get(key, "tensorwise"), notes)}
    if "mixed_precision" not in given:
        return {}
    name = given["mixed_precision"].replace("-", "_")
    recipes = {recipe: precision for precision, recipe in _RECIPES.items()}
    if name == "bf16_with_fp8_subchannel_scaling_mixed":
        notes.append(f"mixed_precision={name} taken for fp8-current")
        return {"precision": "fp8-current"}
    return {"precision": choice("mixed_precision", name, recipes)}
