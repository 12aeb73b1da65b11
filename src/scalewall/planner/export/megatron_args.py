"""Megatron-LM: arguments of ``pretrain_gpt.py`` as a plan.

Names, defaults and numbers of values after ``megatron/training/arguments.py`` of Megatron-LM (Megatron-Core 0.15 to
0.16, November 2025 to January 2026). ``data/megatron.toml`` lists the arguments that an estimate does not follow.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from scalewall.errors import InputError, unknown_name
from scalewall.planner.export.core_notes import MODULES
from scalewall.planner.export.dialect import (
    Imported,
    at_most_one,
    choice,
    count,
    idle_keys,
    recompute_values,
    whole,
)
from scalewall.planner.export.megatron import FP8, SIZES, STRATEGIES
from scalewall.planner.export.places import placed_chunks
from scalewall.planner.export.shape import CHECKED, check_model
from scalewall.workload.transformer import Transformer

__all__ = ["fp8_precision", "graphs_of", "read"]

_SWITCHES = (
    "--sequence-parallel", "--use-distributed-optimizer", "--use-megatron-fsdp", "--use-custom-fsdp",
    "--use-torch-fsdp2", "--torch-fsdp2-no-reshard-after-forward", "--recompute-activations", "--bf16", "--fp16",
    "--overlap-moe-expert-parallel-comm", "--moe-enable-deepep", "--enable-cuda-graph", "--external-cuda-graph",
    "--moe-layer-recompute", "--group-query-attention",
)  # fmt: skip
_VALUES = (
    *SIZES, "--num-layers-per-virtual-pipeline-stage", "--data-parallel-sharding-strategy",
    "--num-distributed-optimizer-instances", "--recompute-granularity", "--recompute-method",
    "--recompute-num-layers", "--cpu-offloading-num-layers", "--fp8-format", "--fp8-recipe",
    "--fp4-format", "--fp4-recipe", "--moe-token-dispatcher-type", "--moe-flex-dispatcher-backend", "--cuda-graph-impl",
)  # fmt: skip
_LISTS = ("--recompute-modules", "--cuda-graph-scope")
_PLACED = (
    "--pipeline-model-parallel-layout", "--decoder-first-pipeline-num-layers",
    "--decoder-last-pipeline-num-layers", "--account-for-embedding-in-pipeline-split",
    "--account-for-loss-in-pipeline-split",
)  # fmt: skip
"""Arguments that place layers on stages."""
_EXCLUSIVE = (
    ("--bf16", "--fp16"),
    ("--fp8-format", "--fp4-format"),
    ("--recompute-granularity", "--recompute-activations"),
    ("--use-torch-fsdp2", "--use-distributed-optimizer"),
    ("--use-torch-fsdp2", "--use-megatron-fsdp"),
    (
        "--num-layers-per-virtual-pipeline-stage",
        "--num-virtual-stages-per-pipeline-rank",
        "--pipeline-model-parallel-layout",
    ),
)
_NEEDS = MappingProxyType(
    {
        "--fp8-recipe": ("--fp8-format", ()),
        "--fp4-recipe": ("--fp4-format", ()),
        "--recompute-modules": ("--recompute-granularity", ("selective",)),
        "--recompute-method": ("--recompute-granularity", ("full",)),
        "--recompute-num-layers": ("--recompute-granularity", ("full",)),
        "--torch-fsdp2-no-reshard-after-forward": ("--use-torch-fsdp2", ()),
        "--num-query-groups": ("--group-query-attention", ()),
        "--moe-flex-dispatcher-backend": ("--moe-token-dispatcher-type", ("flex",)),
        "--moe-enable-deepep": ("--moe-token-dispatcher-type", ("flex",)),
    }
)
_OF_EXPERTS = (
    "--moe-token-dispatcher-type", "--moe-flex-dispatcher-backend", "--moe-enable-deepep",
    "--overlap-moe-expert-parallel-comm",
)  # fmt: skip
_FOLLOWED = frozenset((*_SWITCHES, *_VALUES, *_LISTS))
_SHAPE_SWITCHES = (
    "--swiglu", "--untie-embeddings-and-output-weights", "--disable-bias-linear", "--add-qkv-bias",
    "--qk-layernorm", "--multi-latent-attention", "--moe-grouped-gemm",
)  # fmt: skip
_SHAPE_VALUES = (
    "--num-layers", "--hidden-size", "--ffn-hidden-size", "--num-attention-heads", "--num-query-groups",
    "--kv-channels", "--vocab-size", "--normalization", "--softmax-type", "--num-experts", "--moe-router-topk",
    "--moe-ffn-hidden-size", "--moe-shared-expert-intermediate-size", "--moe-layer-freq", "--q-lora-rank",
    "--kv-lora-rank", "--qk-head-dim", "--qk-pos-emb-head-dim", "--v-head-dim", "--mtp-num-layers",
)  # fmt: skip


@cache
def _others() -> Mapping[str, tuple[str, ...]]:
    """Arguments that an estimate does not follow, by how many values they take and whether the profile decides."""
    text = files("scalewall.planner.export").joinpath("data/megatron.toml").read_text(encoding="utf-8")
    return MappingProxyType({kind: tuple(words.split()) for kind, words in tomllib.loads(text).items()})


@cache
def _arity() -> Mapping[str, str]:
    """How many values each argument takes: none, one or many."""
    others = _others()
    none = (*_SWITCHES, *_SHAPE_SWITCHES, *others["switches"], *others["profile_switches"])
    one = (*_VALUES, *_SHAPE_VALUES, *others["values"], *others["profile_values"])
    many = (*_LISTS, *others["lists"])
    found = dict.fromkeys(none, "none") | dict.fromkeys(one, "one")
    return MappingProxyType(found | dict.fromkeys(many, "many"))


def read(text: str, model: Transformer, ranks: int | None) -> Imported:
    """Return what arguments of ``pretrain_gpt.py`` say of a plan; what they leave open has Megatron-LM's defaults.

    Parameters
    ----------
    text : str
        As on a command line.
    model : Transformer
        What the arguments should describe.
    ranks : int or None
        Accelerators, which Megatron-LM takes from its launcher.

    Raises
    ------
    InputError
        Unknown arguments (with the nearest ones), values that cannot be, and another model's shape.
    """
    notes: list[str] = []
    given = _parsed(text, notes)
    at_most_one(given, _EXCLUSIVE)
    check_model(given, model)
    values: dict[str, Any] = {"tp": 1, "pp": 1, "cp": 1, "ep": 1, "microbatch": 1, "schedule": "1f1b"}
    values |= {knob: whole(flag, given[flag]) for flag, knob in SIZES.items() if flag in given}
    if model.experts:
        values.setdefault("etp", values["tp"])
        values |= _dispatcher(given, notes)
    values["sequence_parallel"] = "--sequence-parallel" in given
    values["chunks"] = _chunks(given, model, values)
    values |= _sharding(given, values, ranks)
    values |= _recompute(given, model, values, notes)
    values |= {"precision": _precision(given, notes), "graphs": _graphs(given)}
    offloading = "--cpu-offloading-num-layers"
    values["offloaded_layers"] = count(offloading, given.get(offloading, 0))
    notes += [
        f"{flag} left aside: layers are spread evenly, the ends fewer" for flag in _PLACED if flag in given
    ]
    others = _others()
    profile = {*others["profile_switches"], *others["profile_values"]}
    rest = [flag for flag in given if flag not in _FOLLOWED and flag not in CHECKED and flag not in _PLACED]
    idle = [*idle_keys(given, _NEEDS), *(flag for flag in _OF_EXPERTS if flag in given and not model.experts)]
    return Imported(
        values,
        without_effect=(*(flag for flag in rest if flag not in profile), *dict.fromkeys(idle)),
        by_profile=tuple(flag for flag in rest if flag in profile),
        notes=tuple(notes),
    )


def _parsed(text: str, notes: list[str]) -> dict[str, Any]:
    """Return every argument with its value: True, a text or a list of texts; of one given twice the last."""
    try:
        words = shlex.split(text.replace("\\\n", " "))
    except ValueError as error:
        raise InputError("--megatron-args", text, f"arguments as a shell takes them ({error})") from error
    arity = _arity()
    given: dict[str, Any] = {}
    index = 0
    while index < len(words):
        flag, equals, attached = words[index].partition("=")
        if not flag.startswith("--"):
            raise InputError("--megatron-args", words[index], "arguments that begin with --")
        if flag not in arity:
            raise unknown_name("--megatron-args", flag, arity)
        index += 1
        values = [attached] if equals else []
        while index < len(words) and not words[index].startswith("--") and arity[flag] != "none":
            if arity[flag] == "one" and values:
                break
            values.append(words[index])
            index += 1
        value = _value(flag, arity[flag], values)
        if given.get(flag, value) != value:
            notes.append(f"{flag} given twice: the last one counts")
        given[flag] = value
    return given


def _value(flag: str, arity: str, values: list[str]) -> Any:
    if arity == "none":
        if values:
            raise InputError(flag, values[0], "no value: it is a switch")
        return True
    if arity == "one":
        if not values:
            raise InputError(flag, None, "a value")
        return values[0]
    return values


def _chunks(given: Mapping[str, Any], model: Transformer, values: Mapping[str, Any]) -> int:
    placed = given.get("--pipeline-model-parallel-layout")
    if placed is not None:
        return placed_chunks(str(placed), values["pp"], model.layers)
    flag = "--num-layers-per-virtual-pipeline-stage"
    if flag not in given:
        return int(values.get("chunks", 1))
    each = whole(flag, given[flag])
    if model.layers % (values["pp"] * each):
        allowed = f"a divisor of {model.layers} layers / {values['pp']} stages"
        raise InputError(flag, each, allowed, ["1"])
    return int(model.layers // (values["pp"] * each))


def _sharding(given: Mapping[str, Any], values: Mapping[str, Any], ranks: int | None) -> dict[str, Any]:
    sharding = "optimizer" if "--use-distributed-optimizer" in given else "none"
    if "--use-megatron-fsdp" in given or "--use-custom-fsdp" in given:
        strategy = given.get("--data-parallel-sharding-strategy", "no_shard")
        sharding = choice("--data-parallel-sharding-strategy", strategy, STRATEGIES)
    elif "--use-torch-fsdp2" in given:
        again = "--torch-fsdp2-no-reshard-after-forward" not in given
        sharding = "parameters" if again else "gradients"
    flag = "--num-distributed-optimizer-instances"
    instances = whole(flag, given.get(flag, 1))
    if instances == 1:
        return {"sharding": sharding, "shard_ranks": 0}
    if ranks is None:
        raise InputError("--gpus", None, f"a number of accelerators, which {flag} needs")
    group = ranks // (values["tp"] * values["pp"])
    if group % instances:
        raise InputError(flag, instances, f"a divisor of cp x dp = {group}", ["1"])
    return {"sharding": sharding, "shard_ranks": group // instances}


def _recompute(
    given: Mapping[str, Any], model: Transformer, values: Mapping[str, Any], notes: list[str]
) -> dict[str, Any]:
    granularity = given.get("--recompute-granularity")
    if "--moe-layer-recompute" in given:
        return recompute_values("selective", ["moe"])
    if granularity is None:
        return recompute_values("selective" if "--recompute-activations" in given else "none")
    granularity = choice("--recompute-granularity", granularity, {"full": "full", "selective": "selective"})
    if granularity == "selective":
        modules = given.get("--recompute-modules", [])
        for module in modules:
            choice("--recompute-modules", module, dict.fromkeys(MODULES))
        return recompute_values("selective", modules)
    held = -(-model.layers // (values["pp"] * values["chunks"]))
    layers = whole("--recompute-num-layers", given.get("--recompute-num-layers", 1))
    if given.get("--recompute-method") == "block" and layers < held:
        allowed = f"all {held} layers of a chunk: recomputation of some layers only is not modelled"
        raise InputError("--recompute-num-layers", layers, allowed, [str(held)])
    if given.get("--recompute-method") == "uniform" and layers > 1:
        notes.append(f"--recompute-num-layers {layers} taken for 1: every layer's input is kept")
    return recompute_values("full")


def _precision(given: Mapping[str, Any], notes: list[str]) -> str:
    if "--fp16" in given:
        notes.append("--fp16 taken for bf16: as many bits")
    if "--fp4-format" in given:
        return "nvfp4"
    if "--fp8-format" not in given:
        return "bf16"
    return fp8_precision("--fp8-recipe", str(given.get("--fp8-recipe", "delayed")), notes)


def fp8_precision(key: str, recipe: str, notes: list[str]) -> str:
    """Return the precision of an 8-bit recipe; of one that the planner does not know the nearest."""
    if recipe == "blockwise":
        notes.append(f"{key} blockwise taken for tensorwise (fp8-current)")
        return "fp8-current"
    names = {recipe: name for name, (_, recipe) in FP8.items()}
    return str(choice(key, recipe, {**names, "blockwise": ""}))


def _dispatcher(given: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    kind = given.get("--moe-token-dispatcher-type", "allgather")
    kind = choice(
        "--moe-token-dispatcher-type", kind, {name: name for name in ("allgather", "alltoall", "flex")}
    )
    dispatcher = "all-to-all"
    if kind == "flex":
        backend = given.get("--moe-flex-dispatcher-backend", "deepep")
        dispatcher = choice(
            "--moe-flex-dispatcher-backend", backend, {"deepep": "deepep", "hybridep": "hybridep"}
        )
    elif kind == "allgather":
        notes.append("--moe-token-dispatcher-type allgather taken for alltoall")
    return {"dispatcher": dispatcher, "expert_overlap": "--overlap-moe-expert-parallel-comm" in given}


def _graphs(given: Mapping[str, Any]) -> str:
    if "--enable-cuda-graph" in given or "--external-cuda-graph" in given:
        return graphs_of("--cuda-graph-scope", "local", given.get("--cuda-graph-scope", ["full"]))
    impl = given.get("--cuda-graph-impl", "none")
    return graphs_of("--cuda-graph-impl", str(impl), given.get("--cuda-graph-scope", ["full"]))


def graphs_of(key: str, impl: str, scope: list[str]) -> str:
    """Return what CUDA graphs cover: a whole step, the router of experts alone, or more of a layer: partial."""
    impls = ("none", "local", "transformer_engine", "full_iteration")
    impl = choice(key, impl, {name: name for name in impls})
    if impl == "none":
        return "none"
    if impl == "full_iteration" or "full_iteration" in scope:
        return "full"
    return "router" if set(scope) <= {"moe_router", "moe_preprocess"} else "partial"
