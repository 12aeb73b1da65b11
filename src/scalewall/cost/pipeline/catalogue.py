"""The schedules by name: which placement each needs, which shapes it takes, and how it is built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scalewall.cost.pipeline.classic import gpipe, interleaved_1f1b, one_forward_one_backward
from scalewall.cost.pipeline.costs import Costs, stage_costs
from scalewall.cost.pipeline.dualpipe import dualpipe, dualpipe_v
from scalewall.cost.pipeline.placement import Placement, bidirectional, looped, vee
from scalewall.cost.pipeline.schedule import Schedule
from scalewall.cost.pipeline.search import search_zero_bubble
from scalewall.cost.pipeline.simulate import simulate
from scalewall.cost.pipeline.zero_bubble import zb_h1, zb_h2, zb_v
from scalewall.errors import InputError, unknown_name

__all__ = ["SCHEDULES", "Family", "build_schedule", "placement_of"]


@dataclass(frozen=True)
class Family:
    """One named schedule.

    Parameters
    ----------
    title : str
        For people.
    source : str
        Where it was published.
    placement : callable
        The placement for a number of stages.
    build : callable or None
        The schedule for stages and microbatches; None where it depends on more than that.
    memory_limit : float
        For searched ones: activations to hold at most, in units of 1F1B's.
    """

    title: str
    source: str
    placement: Callable[[int], Placement]
    build: Callable[[int, int], Schedule] | None
    memory_limit: float = 0.0


_NARAYANAN = "Narayanan et al. 2021"
_QI = "Qi et al. 2023"
INTERLEAVED = "interleaved"
SCHEDULES: dict[str, Family] = {
    "gpipe": Family("GPipe", "Huang et al. 2019", looped, gpipe),
    "1f1b": Family("1F1B", _NARAYANAN, looped, one_forward_one_backward),
    INTERLEAVED: Family("Interleaved 1F1B", _NARAYANAN, looped, None),
    "zb-h1": Family("ZB-H1", _QI, looped, zb_h1),
    "zb-h2": Family("ZB-H2", _QI, looped, zb_h2),
    "zb-v": Family("ZB-V", _QI, vee, zb_v),
    "zb-1p": Family("ZB-1p", _QI, looped, None, memory_limit=1.0),
    "zb-2p": Family("ZB-2p", _QI, looped, None, memory_limit=2.0),
    "dualpipe": Family("DualPipe", "DeepSeek-AI 2024", bidirectional, dualpipe),
    "dualpipev": Family("DualPipeV", "DeepSeek-AI 2025", vee, dualpipe_v),
}


MOST_OPERATIONS = 50_000_000
"""What a simulation takes on: at about 60 bytes an operation, 3 GB."""


def _check_shape(name: str, stages: int, microbatches: int, chunks: int) -> None:
    for field, value in (("pp", stages), ("microbatches", microbatches), ("chunks", chunks)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(field, value, "a whole number, at least 1", ["1"])
    operations = 3
    for field, value in (("chunks", chunks), ("pp", stages), ("microbatches", microbatches)):
        if operations * value > MOST_OPERATIONS:
            most = MOST_OPERATIONS // operations
            allowed = f"at most {most:,}: a simulation takes on {MOST_OPERATIONS:,} operations"
            raise InputError(field, value, allowed, [str(most)])
        operations *= value
    if name == INTERLEAVED and chunks < 2:
        raise InputError("chunks", chunks, "at least 2 for interleaved; 1 is the schedule 1f1b", ["2"])
    if name != INTERLEAVED and chunks != 1:
        raise InputError(
            "chunks", chunks, f"1: {name} sets its chunks itself; only interleaved takes others", ["1"]
        )


def placement_of(name: str, stages: int, chunks: int = 1) -> Placement:
    """Return where the parts sit under the schedule ``name``, which is what costs are made for."""
    if name not in SCHEDULES:
        raise unknown_name("schedule", name, SCHEDULES)
    _check_shape(name, stages, 1, chunks)
    return looped(stages, chunks) if name == INTERLEAVED else SCHEDULES[name].placement(stages)


def build_schedule(
    name: str, stages: int, microbatches: int, chunks: int = 1, costs: Costs | None = None
) -> Schedule:
    """Return the schedule ``name``.

    Parameters
    ----------
    name : str
        One of ``SCHEDULES``.
    stages, microbatches : int
        Shape of the pipeline.
    chunks : int
        Chunks a stage, for interleaved 1F1B only.
    costs : Costs or None
        What the searched schedules are searched for; None: all operations take the same time, sends none. The
        others don't depend on it.

    Raises
    ------
    InputError
        Unknown name, or a shape that the schedule can't take (with the nearest that it can).
    """
    if name not in SCHEDULES:
        raise unknown_name("schedule", name, SCHEDULES)
    _check_shape(name, stages, microbatches, chunks)
    family = SCHEDULES[name]
    if family.build is not None:
        return family.build(stages, microbatches)
    if name == INTERLEAVED:
        return _interleaved(stages, microbatches, chunks)
    costs = costs or stage_costs(looped(stages))
    limit = family.memory_limit * stages * costs.activation_bytes.max()
    return search_zero_bubble(name, microbatches, costs, float(limit))


def _interleaved(stages: int, microbatches: int, chunks: int) -> Schedule:
    """Return interleaved 1F1B; where the microbatches don't divide, only if its order is not a deadlock."""
    schedule = interleaved_1f1b(stages, microbatches, chunks)
    if microbatches > stages and microbatches % stages:
        try:
            simulate(schedule, stage_costs(schedule.placement))
        except InputError as error:
            fewer = microbatches - microbatches % stages
            allowed = (
                f"at most {stages}, or a multiple of {stages} (the stages): Megatron's order with "
                f"{microbatches % stages} left over gets stuck "
                f"({error.field}, {error.value}: {error.allowed})"
            )
            raise InputError(
                "microbatches", microbatches, allowed, [str(fewer), str(fewer + stages)]
            ) from error
    return schedule
