"""Plans given in the words of a framework: ``--megatron-args "..."`` and files of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scalewall.cli.flags import print_warnings
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.cli.planner_inputs import PlannerOptions
    from scalewall.planner.export import Imported

__all__ = ["DeepspeedFile", "MegatronArgs", "NemoFile", "Sources", "TorchtitanFile", "with_framework"]

MegatronArgs = Annotated[
    str | None,
    typer.Option("--megatron-args", help="Plan as arguments of Megatron-LM; @FILE reads them from a file."),
]
NemoFile = Annotated[
    Path | None, typer.Option("--nemo-overrides", help="Plan as a file of Megatron Bridge overrides.")
]
TorchtitanFile = Annotated[Path | None, typer.Option("--torchtitan-file", help="Plan as torchtitan's TOML.")]
DeepspeedFile = Annotated[Path | None, typer.Option("--deepspeed-file", help="Plan as DeepSpeed's JSON.")]

_LARGEST = 1_000_000
_PROFILES = {"torchtitan": "torchtitan-2024", "deepspeed": "deepspeed-2021"}
"""Profiles of frameworks whose plans they read; the others have the newest."""
_OPTIONS = {
    "tp": ("tp", "--tp"),
    "cp": ("cp", "--cp"),
    "pp": ("pp", "--pp"),
    "ep": ("ep", "--ep"),
    "etp": ("etp", "--etp"),
    "chunks": ("chunks", "--chunks"),
    "microbatch": ("microbatch", "--microbatch"),
    "schedule": ("schedule", "--schedule"),
    "sequence_parallel": ("sequence_parallel", "--sequence-parallel"),
    "sharding": ("sharding", "--sharding"),
    "shard_ranks": ("shard_ranks", "--shard-ranks"),
    "recompute": ("recompute", "--recompute"),
    "recompute_modules": ("modules", "--recompute-modules"),
    "offloaded_layers": ("offloaded_layers", "--offloaded-layers"),
    "global_batch": ("global_batch", "--global-batch"),
    "sequence": ("sequence", "--seq"),
    "precision": ("precision", "--precision"),
    "dispatcher": ("dispatcher", "--dispatcher"),
    "expert_overlap": ("expert_overlap", "--expert-overlap"),
    "graphs": ("graphs", "--graphs"),
    "compiled": ("compiled", "--compiled"),
}
"""Field of the planner's options and option of the command that a knob is."""
_PARAMETERS = {"modules": "recompute_modules", "sequence": "seq"}
"""Fields that the command's function calls otherwise."""


@dataclass(frozen=True)
class Sources:
    """Where a plan may stand: at most one of them."""

    megatron: str | None = None
    nemo: Path | None = None
    torchtitan: Path | None = None
    deepspeed: Path | None = None


def with_framework(ctx: typer.Context, options: PlannerOptions, sources: Sources) -> PlannerOptions:
    """Return the options with what a framework's configuration says; tell what of it has no effect.

    Parameters
    ----------
    ctx : typer.Context
        Which options were given.
    options : PlannerOptions
        As given.
    sources : Sources
        Where else the plan stands.

    Raises
    ------
    InputError
        Several sources, unknown keys, a model of another shape, or an option that says otherwise.
    """
    found = _source(sources)
    if found is None:
        return options
    framework, flag, text = found
    from scalewall.planner.export import FRAMEWORKS, import_plan
    from scalewall.workload.models import read_model

    model = read_model(options.model).model
    imported = import_plan(framework, text, model, options.gpus or None)
    merged = _merged(ctx, options, imported.values, flag)
    if not merged.profile and framework in _PROFILES:
        merged = replace(merged, profile=_PROFILES[framework])
    _tell(imported, FRAMEWORKS[framework].title)
    return merged


def _source(sources: Sources) -> tuple[str, str, str] | None:
    """Return the framework, the option and the text of the one source given."""
    flags = {
        "megatron": "--megatron-args",
        "nemo": "--nemo-overrides",
        "torchtitan": "--torchtitan-file",
        "deepspeed": "--deepspeed-file",
    }
    given = [name for name in flags if getattr(sources, name) is not None]
    if not given:
        return None
    if len(given) > 1:
        raise InputError(flags[given[1]], "given too", f"one source of a plan, and {flags[given[0]]} is one")
    (framework,) = given
    flag, value = flags[framework], getattr(sources, framework)
    if isinstance(value, Path):
        return framework, flag, _content(flag, value)
    return framework, flag, _content(flag, Path(value[1:])) if value.startswith("@") else value


def _content(flag: str, path: Path) -> str:
    if not path.is_file():
        raise InputError(flag, str(path), "an existing file")
    if path.stat().st_size > _LARGEST:
        raise InputError(flag, str(path), f"a file of at most {_LARGEST} bytes")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(flag, str(path), "a text file (UTF-8)") from error
    except OSError as error:
        raise InputError(flag, str(path), f"a file that can be read ({error.strerror})") from error


def _merged(
    ctx: typer.Context, options: PlannerOptions, values: Mapping[str, Any], flag: str
) -> PlannerOptions:
    """Return the options with a configuration's values; an option that says otherwise is refused."""
    changes: dict[str, Any] = {}
    for knob, value in values.items():
        if knob not in _OPTIONS:
            continue
        attribute, option = _OPTIONS[knob]
        said = ",".join(value) if isinstance(value, tuple) else value
        given = getattr(options, attribute)
        if _was_given(ctx, _PARAMETERS.get(attribute, attribute)) and given != said:
            raise InputError(option, given, f"{said}, as {flag} says; leave one of them out", [str(said)])
        changes[attribute] = said
    merged = replace(options, **changes)
    if "dp" in values:
        ranks = values["dp"] * merged.tp * merged.cp * merged.pp
        if merged.gpus and merged.gpus != ranks:
            raise InputError("--gpus", merged.gpus, f"{ranks}, as {flag} says", [str(ranks)])
        merged = replace(merged, gpus=ranks)
    return merged


def _was_given(ctx: typer.Context, parameter: str) -> bool:
    source = ctx.get_parameter_source(parameter)
    return source is not None and source.name == "COMMANDLINE"


def _tell(imported: Imported, title: str) -> None:
    """Say on standard error what of a configuration has no effect, and what was taken for something else."""
    lines = [f"{title}: {note}" for note in imported.notes]
    if imported.by_profile:
        lines.append(f"{title}: the profile decides on {', '.join(imported.by_profile)}")
    if imported.without_effect:
        lines.append(f"{title}: without effect on the estimate: {', '.join(imported.without_effect)}")
    print_warnings(lines)
