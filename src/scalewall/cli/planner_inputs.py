"""What ``estimate`` and ``fit-memory`` share: options that become a run, a layout and a profile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalewall.cli.flags import overrides_of
from scalewall.errors import InputError

if TYPE_CHECKING:
    from scalewall.planner.layout import Layout
    from scalewall.planner.profile import Profile
    from scalewall.planner.run import Run

__all__ = ["Asked", "PlannerOptions", "ask", "named"]

_FLAGS = {
    "global_batch": "--global-batch",
    "sequence": "--seq",
    "microbatch": "--microbatch",
    "recompute": "--recompute",
    "sharding": "--sharding",
    "graphs": "--graphs",
    "dispatcher": "--dispatcher",
    "profile": "--profile",
    "chunks": "--chunks",
    "ep": "--ep",
    "etp": "--etp",
    "tp": "--tp",
    "cp": "--cp",
    "pp": "--pp",
    "dp": "--gpus",
    "precision": "--precision",
    "schedule": "--schedule",
    "ranks": "--gpus",
    "model": "--model",
    "machine": "--machine",
    "max_gpus": "--max-gpus",
    "aim": "--aim",
    "days": "--days",
    "tokens": "--tokens",
    "objective": "--objective",
    "top": "--top",
    "shard_ranks": "--shard-ranks",
    "offloaded_layers": "--offloaded-layers",
    "recompute_modules": "--recompute-modules",
}


@dataclass(frozen=True, kw_only=True)
class PlannerOptions:
    """The options as the user gave them; see ``scalewall estimate --help``. Not every command has the last ones."""

    model: str
    machine: str
    gpus: int | None
    global_batch: int | None
    sequence: int | None
    tp: int
    cp: int
    pp: int
    ep: int
    etp: int
    chunks: int
    microbatch: int
    schedule: str
    sharding: str
    recompute: str
    modules: str
    precision: str
    profile: str
    sequence_parallel: bool
    shard_ranks: int
    offloaded_layers: int
    settings: Sequence[str]
    dispatcher: str = "all-to-all"
    expert_overlap: bool = False
    graphs: str = "none"
    measured: Path | None = None
    compiled: bool = True


@dataclass(frozen=True)
class Asked:
    """The options as the planner takes them."""

    run: Run
    layout: Layout
    profile: Profile
    assumptions: list[str]
    warnings: list[str]


@contextmanager
def named() -> Iterator[None]:
    """Turn an error's field into the option that sets it."""
    try:
        yield
    except InputError as error:
        if error.field in _FLAGS:
            flag = _FLAGS[error.field]
            raise InputError(flag, error.value, error.allowed, error.suggestions) from error
        raise


def ask(options: PlannerOptions) -> Asked:
    """Return what the options ask for.

    Raises
    ------
    InputError
        Naming the option.
    """
    from scalewall.planner.device import load_device
    from scalewall.planner.layout import Layout
    from scalewall.planner.machine_notes import machine_notes
    from scalewall.planner.measured import pin_measured
    from scalewall.planner.profile import load_profile
    from scalewall.planner.run import Run, check_run
    from scalewall.planner.usual import usual_profile
    from scalewall.workload.models import read_model

    gpus = _required("--gpus", options.gpus, "a number of accelerators")
    batch = _required("--global-batch", options.global_batch, "the sequences of a step")
    sequence = _required("--seq", options.sequence, "the tokens of a sequence")
    entry = read_model(options.model)
    device = load_device(options.machine, overrides_of(options.settings))
    if options.measured:
        device = pin_measured(device, options.measured)
    assumptions = [f"the model's {name} at its default" for name in entry.defaults]
    values: dict[str, Any] = {
        "tp": options.tp,
        "cp": options.cp,
        "pp": options.pp,
        "dp": _data_parallel(options, gpus),
        "ep": options.ep,
        "etp": options.etp,
        "chunks": options.chunks,
        "microbatch": options.microbatch,
        "schedule": options.schedule,
        "sharding": options.sharding,
        "sequence_parallel": options.sequence_parallel,
        "shard_ranks": options.shard_ranks,
        "offloaded_layers": options.offloaded_layers,
        "recompute": options.recompute,
        "recompute_modules": tuple(word for word in options.modules.split(",") if word),
    }
    with named():
        layout = Layout(**values)
        profile, why = (load_profile(options.profile), "") if options.profile else usual_profile(device)
        switches: dict[str, Any] = {
            "precision": options.precision,
            "graphs": options.graphs,
            "compiled": options.compiled,
        }
        if entry.model.experts:
            switches |= {"dispatcher": options.dispatcher, "expert_overlap": options.expert_overlap}
        run = Run(
            model=entry.model,
            device=device,
            sequence=sequence,
            global_batch=batch,
            **switches,
        )
        check_run(run, layout)
    if why:
        assumptions.append(why)
    assumptions.append("tokens spread evenly over experts" if run.model.experts else "all sequences full")
    changed = [setting.strip() for setting in options.settings]
    assumptions += machine_notes(device.name, options.measured, changed)
    if options.offloaded_layers:
        assumptions.append("activations travel to the host and back beside compute")
    return Asked(run, layout, profile, assumptions, _without_effect(options, run))


def _without_effect(options: PlannerOptions, run: Run) -> list[str]:
    """Return which options change nothing here."""
    idle = []
    if options.modules and options.recompute != "selective":
        idle.append("--recompute-modules has no effect without --recompute selective")
    if not run.model.experts:
        for flag, given in (
            ("--dispatcher", options.dispatcher != "all-to-all"),
            ("--expert-overlap", options.expert_overlap),
        ):
            idle += [f"{flag} has no effect on a model without experts"] if given else []
    if options.shard_ranks and options.sharding == "none":
        idle.append("--shard-ranks has no effect without --sharding")
    if options.schedule != "1f1b" and options.pp == 1:
        idle.append("--schedule has no effect without a pipeline")
    return idle


def _required(flag: str, value: int | None, what: str) -> int:
    if value is None:
        raise InputError(flag, None, what)
    return value


def _data_parallel(options: PlannerOptions, gpus: int) -> int:
    """Return how many data-parallel ranks the accelerators leave."""
    for flag, number in (("gpus", gpus), ("tp", options.tp), ("cp", options.cp), ("pp", options.pp)):
        if number < 1:
            raise InputError(f"--{flag}", number, "a whole number, at least 1", ["1"])
    share = options.tp * options.cp * options.pp
    if gpus % share:
        lower = gpus // share * share
        near = [str(count) for count in (lower, lower + share) if count]
        raise InputError("--gpus", gpus, f"a multiple of tp x cp x pp = {share}", near)
    return gpus // share
