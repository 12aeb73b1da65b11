"""Whether a schedule does all the work, each operation after its inputs; who waits for whom in a deadlock."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scalewall.cost.pipeline.schedule import (
    BACKWARD,
    FORWARD,
    INPUT_GRADIENT,
    KINDS,
    WEIGHT_GRADIENT,
    Schedule,
    operation_label,
)
from scalewall.errors import InputError

__all__ = ["check_operations", "deadlock"]

LARGEST_TABLE = 10_000_000
"""Entries of a table of all operations (80 MB) up to which the one that is missing is looked for by name."""


def check_operations(schedule: Schedule) -> None:
    """Raise InputError unless every microbatch passes every part forward and back once, in order.

    An order that is sound on each stage can still be a deadlock between stages: the simulation finds those.

    Raises
    ------
    InputError
        Naming the first operation that is misplaced, missing, doubled, on the wrong stage or badly paired.
    """
    placement = schedule.placement
    _check_amount(schedule)
    rows = np.array(schedule.microbatches)[placement.part_chain]
    _check_ranges(schedule, rows)
    columns = int(rows.max())
    shape = (len(KINDS), placement.parts, columns)
    flat = np.ravel_multi_index((schedule.kind, schedule.part, schedule.microbatch), shape)
    counts = np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)
    expected = np.arange(columns)[None, :] < rows[:, None]
    _check_counts(schedule, counts, expected)
    place = np.full(shape, -1, dtype=np.int64)
    place.reshape(-1)[flat] = np.arange(schedule.operations)
    for before, after in ((FORWARD, INPUT_GRADIENT), (FORWARD, BACKWARD), (INPUT_GRADIENT, WEIGHT_GRADIENT)):
        wrong = (place[after] >= 0) & (place[before] >= 0) & (place[after] <= place[before])
        if wrong.any():
            part, microbatch = (int(i) for i in np.argwhere(wrong)[0])
            late = operation_label(placement, before, part, microbatch)
            _refuse(schedule, after, part, microbatch, f"{late} comes first on its stage")
    _check_pairs(schedule)


def _check_amount(schedule: Schedule) -> None:
    """Refuse microbatches far beyond what the stages do, before a table of all their operations is laid out."""
    counts = [len(chain) for chain in schedule.placement.chains]
    least = 2 * sum(parts * number for parts, number in zip(counts, schedule.microbatches, strict=True))
    table = len(KINDS) * schedule.placement.parts * max(schedule.microbatches)
    if least > schedule.operations and table > LARGEST_TABLE:
        fitting = max(1, schedule.operations // (2 * schedule.placement.parts))
        allowed = (
            f"as many as the stages do: {schedule.operations} operations are fewer than the {least} needed"
        )
        raise InputError("microbatches", list(schedule.microbatches), allowed, [str(fitting)])


def _check_ranges(schedule: Schedule, rows: npt.NDArray[np.int64]) -> None:
    placement = schedule.placement
    for index in map(int, np.flatnonzero((schedule.part < 0) | (schedule.part >= placement.parts))):
        field = f"stage {schedule.stage[index]}"
        raise InputError(field, f"part {schedule.part[index]}", f"parts 0 to {placement.parts - 1}")
    outside = (schedule.microbatch < 0) | (schedule.microbatch >= rows[schedule.part])
    strangers = placement.part_stage[schedule.part] != schedule.stage
    for index in map(int, np.flatnonzero(outside)):
        limit = int(rows[schedule.part[index]])
        raise InputError(
            f"stage {schedule.stage[index]}", schedule.label(index), f"microbatches 0 to {limit - 1}"
        )
    for index in map(int, np.flatnonzero(strangers)):
        home = int(placement.part_stage[schedule.part[index]])
        raise InputError(
            f"stage {schedule.stage[index]}",
            schedule.label(index),
            f"parts that sit here; this one's is stage {home}",
        )


def _check_counts(schedule: Schedule, counts: npt.NDArray[np.int64], expected: npt.NDArray[np.bool_]) -> None:
    for kind in range(len(KINDS)):
        doubled = np.argwhere(counts[kind] > 1)
        if doubled.size:
            _refuse(
                schedule,
                kind,
                int(doubled[0][0]),
                int(doubled[0][1]),
                "each operation once; it is there twice",
            )
    whole, split = counts[BACKWARD] > 0, counts[INPUT_GRADIENT] + counts[WEIGHT_GRADIENT] > 0
    for part, microbatch in np.argwhere(whole & split):
        _refuse(schedule, BACKWARD, int(part), int(microbatch), "either BW, or B and W, not both")
    for kind, wanted in (
        (FORWARD, expected),
        (INPUT_GRADIENT, expected & ~whole),
        (WEIGHT_GRADIENT, expected & ~whole),
    ):
        for part, microbatch in np.argwhere(wanted & (counts[kind] == 0)):
            _refuse(
                schedule, kind, int(part), int(microbatch), "a complete schedule; this operation is missing"
            )


def _check_pairs(schedule: Schedule) -> None:
    for index in map(int, np.flatnonzero(schedule.joined)):
        stage = schedule.stage[index]
        follows = index + 1 < schedule.operations and schedule.stage[index + 1] == stage
        fits = (
            follows
            and schedule.kind[index] == FORWARD
            and schedule.kind[index + 1] in (INPUT_GRADIENT, BACKWARD)
            and not schedule.joined[index + 1]
            and (schedule.part[index], schedule.microbatch[index])
            != (schedule.part[index + 1], schedule.microbatch[index + 1])
        )
        if not fits:
            pair = f"{schedule.label(index)}&{schedule.label(index + 1) if follows else ''}"
            raise InputError(f"stage {stage}", pair, "a pair of one F and then one B or BW of something else")


def _refuse(schedule: Schedule, kind: int, part: int, microbatch: int, allowed: str) -> None:
    stage = int(schedule.placement.part_stage[part])
    label = operation_label(schedule.placement, kind, part, microbatch)
    raise InputError(f"stage {stage}", label, allowed)


def deadlock(schedule: Schedule, position: npt.NDArray[np.int64]) -> InputError:
    """Return the error for a simulation that got stuck: who waits for whom, named.

    Parameters
    ----------
    schedule : Schedule
        What was run.
    position : int64 array, shape (stages,)
        The operation at which each stage stopped.
    """
    stuck = np.flatnonzero(position < schedule.offsets[1:])
    stage, seen, links = int(stuck[0]), [], []
    while stage not in seen:
        seen.append(stage)
        index = int(position[stage])
        wanted = _missing_input(schedule, index, position)
        links.append(
            f"stage {stage} stops at {schedule.label(index)}, which needs {_name(schedule, *wanted)}"
        )
        stage = int(schedule.placement.part_stage[wanted[1]])
        if stage not in stuck:
            break
    cycle = links[seen.index(stage) :] if stage in seen else links
    first = seen[seen.index(stage)] if stage in seen else seen[0]
    return InputError(
        f"stage {first}",
        schedule.label(int(position[first])),
        f"an order in which nothing waits for itself; here {'; '.join(cycle)}",
    )


def _name(schedule: Schedule, kind: int, part: int, microbatch: int) -> str:
    label = operation_label(schedule.placement, kind, part, microbatch)
    return f"{label} of stage {schedule.placement.part_stage[part]}"


def _missing_input(schedule: Schedule, index: int, position: npt.NDArray[np.int64]) -> tuple[int, int, int]:
    """Return the (kind, part, microbatch) that operation ``index``, or its pair, waits for."""
    placement = schedule.placement
    last = index + 1 if schedule.joined[index] else index
    wanted = (FORWARD, 0, 0)
    for i in range(index, last + 1):
        kind, part, microbatch = (int(x[i]) for x in (schedule.kind, schedule.part, schedule.microbatch))
        if kind == WEIGHT_GRADIENT:
            wanted = (INPUT_GRADIENT, part, microbatch)
        elif kind == FORWARD:
            source = int(placement.previous_part[part])
            wanted = (FORWARD, source, microbatch)
        else:
            source = int(placement.next_part[part])
            wanted = (FORWARD, part, microbatch) if source < 0 else (INPUT_GRADIENT, source, microbatch)
        if wanted[1] >= 0 and not _has_run(schedule, wanted, position):
            break
    kind, part, microbatch = wanted
    whole = (schedule.part == part) & (schedule.microbatch == microbatch) & (schedule.kind == BACKWARD)
    return (BACKWARD if kind == INPUT_GRADIENT and whole.any() else kind, part, microbatch)


def _has_run(schedule: Schedule, wanted: tuple[int, int, int], position: npt.NDArray[np.int64]) -> bool:
    kind, part, microbatch = wanted
    kinds = (schedule.kind == kind) | ((kind == INPUT_GRADIENT) & (schedule.kind == BACKWARD))
    found = np.flatnonzero(kinds & (schedule.part == part) & (schedule.microbatch == microbatch))
    return found.size > 0 and bool(found[0] < position[schedule.placement.part_stage[part]])
