"""Schedules in files: JSON or TOML, one line a stage, operations as people write them.

::

    name = "mine"
    microbatches = 2              # or a list: one a chain
    chains = [[0, 1]]             # stages in order of depth, optional: one chain 0, 1, 2, ...
    staggered = false             # optional: steps need not wait for each other at the optimizer
    stages = [
      "F0 F1 B0 W0 BW1",          # kind, microbatch; B and W, or BW for both in one piece
      "F0 F1&BW0 B1 W1",          # & joins a forward and a backward into one overlapped pair
    ]

Where a stage holds several parts, ``F1.0`` and ``F1.1`` are microbatch 1 on its chunk 0 and 1 (numbered in
the order in which the parts appear in ``chains``).
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from scalewall.cost.pipeline.check import check_operations
from scalewall.cost.pipeline.placement import Placement, looped
from scalewall.cost.pipeline.schedule import KINDS, Schedule, from_stage_orders
from scalewall.errors import InputError, nearest

__all__ = ["load_schedule", "schedule_from_data", "schedule_to_data"]

_OPERATION = re.compile(r"(BW|F|B|W)([0-9]{1,9})(?:\.([0-9]{1,9}))?")
MOST_BYTES = 50_000_000
"""Of one file: about six million operations."""
_KEYS = ("name", "microbatches", "chains", "staggered", "stages")


def load_schedule(path: Path) -> Schedule:
    """Read a schedule from a ``.json`` or ``.toml`` file and check it.

    Raises
    ------
    InputError
        The file can't be read; or what is wrong in it, by file and field.
    """
    data = _read(path)
    try:
        return schedule_from_data(data, path.stem)
    except InputError as error:
        raise InputError(f"{path}: {error.field}", error.value, error.allowed, error.suggestions) from error


def _read(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError("schedule file", str(path), f"a file that can be read ({error})") from error
    if len(content) > MOST_BYTES:
        raise InputError("schedule file", str(path), f"a file of at most {MOST_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")
        return json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise InputError("schedule file", str(path), f"a file that can be read ({error})") from error
    except (ValueError, RecursionError) as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise InputError("schedule file", str(path), f"well-formed {kind} ({error})") from error


def schedule_from_data(data: Any, default_name: str = "schedule") -> Schedule:
    """Return the schedule that ``data`` (as read from a file) describes, checked.

    Checked are: every operation there once, on the stage that holds its part, after its inputs on that stage,
    and pairs well formed. Deadlocks between stages show in the simulation.
    """
    if not isinstance(data, dict):
        raise InputError("schedule", data, f"a table with {', '.join(_KEYS)}")
    for key in data:
        if key not in _KEYS:
            raise InputError(key, data[key], ", ".join(_KEYS), nearest(key, _KEYS))
    name = data.get("name", default_name)
    if not isinstance(name, str):
        raise InputError("name", name, "a text")
    stages = data.get("stages")
    if not isinstance(stages, list) or not stages or not all(isinstance(line, str) for line in stages):
        raise InputError("stages", stages, 'a list of texts, one a stage: ["F0 B0 W0", ...]')
    placement = _placement(data.get("chains"), len(stages))
    schedule = from_stage_orders(
        name=name,
        placement=placement,
        microbatches=_microbatches(data.get("microbatches"), placement),
        orders=[_order(line, stage, placement) for stage, line in enumerate(stages)],
        staggered=_flag(data.get("staggered", False)),
    )
    check_operations(schedule)
    return schedule


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError("staggered", value, "true or false", ["false"])
    return value


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _placement(chains: Any, stages: int) -> Placement:
    if chains is None:
        return looped(stages)
    good = isinstance(chains, list) and all(isinstance(c, list) and all(map(_whole, c)) for c in chains)
    if not good:
        raise InputError("chains", chains, "lists of stage numbers, one list a chain: [[0, 1, 2]]")
    placement = Placement(tuple(tuple(chain) for chain in chains))
    if placement.stages != stages:
        raise InputError(
            "chains", chains, f"stages 0 to {stages - 1}: there are {stages} lines of operations"
        )
    return placement


def _microbatches(value: Any, placement: Placement) -> tuple[int, ...]:
    chains = len(placement.chains)
    counts = [value] * chains if _whole(value) else value
    good = isinstance(counts, list) and len(counts) == chains and all(_whole(c) and c > 0 for c in counts)
    if not good:
        raise InputError(
            "microbatches", value, f"a whole number, at least 1, or a list of {chains}: one a chain"
        )
    return tuple(counts)


def _order(line: str, stage: int, placement: Placement) -> list[tuple[int, int, int, bool]]:
    order = []
    for word in line.split():
        members = word.split("&")
        for place, member in enumerate(members):
            found = _OPERATION.fullmatch(member)
            if found is None:
                raise InputError(f"stage {stage}", word, "operations such as F0, B0, W0, BW0, F0.1 or F1&BW0")
            kind, microbatch, chunk = found.groups()
            part = placement.part_of(stage, int(chunk or 0))
            if part < 0:
                raise InputError(
                    f"stage {stage}", word, f"chunks that the stage holds, 0 to {_chunks(placement, stage)}"
                )
            order.append((KINDS.index(kind), part, int(microbatch), place < len(members) - 1))
    return order


def _chunks(placement: Placement, stage: int) -> int:
    return int((placement.part_stage == stage).sum()) - 1


def schedule_to_data(schedule: Schedule) -> dict[str, Any]:
    """Return ``schedule`` as plain data that :func:`schedule_from_data` reads, for JSON or TOML."""
    joints = np.where(schedule.joined, "&", " ").tolist()
    words = [label + joint for label, joint in zip(schedule.labels(), joints, strict=True)]
    lines = ["".join(words[schedule.stage_slice(stage)]).strip() for stage in range(schedule.stages)]
    return {
        "name": schedule.name,
        "microbatches": list(schedule.microbatches),
        "chains": [list(chain) for chain in schedule.placement.chains],
        "staggered": schedule.staggered,
        "stages": lines,
    }
