"""Runs in the common exchange format (one flat JSON object a line) turned into our records.

The format names the accelerator, the layout and the published numbers of a run in about fifty keys, any of which
may be absent; what is absent is assumed as stated here and listed in the record's ``assumed``.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from scalewall.errors import InputError
from scalewall.planner.layout import Layout
from scalewall.planner.run import Run
from scalewall.validation.runs import MeasuredStep
from scalewall.validation.runs_fields import MissingError, check_counts, framework_of, released_of, whole
from scalewall.validation.runs_layout import layout_of
from scalewall.validation.runs_machine import machine_of
from scalewall.validation.runs_model import architecture_of
from scalewall.validation.runs_switches import run_of
from scalewall.workload.transformer import Transformer

__all__ = ["import_runs"]

_SHOWN = 40
_LARGEST = 1e6
"""Gigabytes that no accelerator holds, and seconds that no step takes: beyond, a figure is not one."""
_TARGETS = (
    ("step_time_s", "stated"),
    ("derived_step_time_s", "throughput"),
    ("step_time_from_tflops_s", "FLOP rate"),
)


def import_runs(text: str) -> list[MeasuredStep]:
    """Return the runs of a text in the exchange format.

    Raises
    ------
    InputError
        A line that is no JSON object, or has no id of its own; no line at all.
    """
    found: dict[str, MeasuredStep] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        row = _row(f"line {number}", line)
        step = _record(row)
        if step.id in found:
            raise InputError(f"line {number}", step.id, "an id that no line before has")
        found[step.id] = step
    if not found:
        raise InputError("runs", text[:40], "at least one line with a JSON object")
    return list(found.values())


def _row(where: str, line: str) -> dict[str, Any]:
    """Return the object of one line."""
    try:
        row = whole(json.loads(line))
    except json.JSONDecodeError as error:
        raise InputError(where, line[:_SHOWN], f"a JSON object a line ({error.msg})") from error
    except (ValueError, RecursionError) as error:
        allowed = "a JSON object of plain values, with numbers that a computer can hold"
        raise InputError(where, line[:_SHOWN], allowed) from error
    if not isinstance(row, dict) or not isinstance(row.get("id"), (str, int)) or row["id"] == "":
        raise InputError(where, line[:_SHOWN], "a JSON object with an id")
    if row.get("arch") is None:
        row["arch"] = "moe" if row.get("moe_experts") else "dense"
    return row


def _record(row: dict[str, Any]) -> MeasuredStep:
    assumed: list[str] = []
    why = ""
    parts: dict[str, dict[str, Any]] = {"architecture": {}, "machine": {}, "layout": {}, "run": {}}
    try:
        check_counts(row)
        parts["architecture"] = architecture_of(row, assumed)
        parts["machine"] = machine_of(row)
        parts["layout"] = layout_of(row, assumed)
        parts["run"] = run_of(row, assumed)
    except MissingError as missing:
        why = str(missing)
    except (TypeError, ValueError, KeyError, ArithmeticError) as error:
        why = f"a field is not what it should be ({error})"
    seconds, basis = _target(row)
    memory = row.get("peak_mem_gb")
    known = isinstance(memory, (int, float)) and 0.0 < memory < _LARGEST
    return MeasuredStep(
        id=str(row["id"]),
        source=str(row.get("source_key") or ""),
        reference=str(row.get("source") or ""),
        framework=framework_of(row),
        released=released_of(row),
        step_seconds=seconds,
        basis=basis,
        core=bool(row.get("core", False)),
        kind="layer" if row.get("kind") == "layer" else "train",
        why_not=why,
        not_fitted=_not_fitted(str(row.get("note") or "")),
        memory_bytes=float(memory or 0.0) * 1e9 if known else 0.0,
        assumed=tuple(assumed),
        **{name: _without_defaults(name, part) for name, part in parts.items()},
    )


def _without_defaults(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a record without what is at its default anyway."""
    kinds: dict[str, type] = {"layout": Layout, "run": Run, "architecture": Transformer}
    if name not in kinds:
        return part
    usual = {field.name: field.default for field in fields(kinds[name])}
    return {key: value for key, value in part.items() if key not in usual or usual[key] != value}


def _not_fitted(note: str) -> str:
    """Return why a run is judged but not fitted on: its own source says what it does not stand for."""
    return "its source: dominated by overheads of a tiny batch" if "dominated by overheads" in note else ""


def _target(row: dict[str, Any]) -> tuple[float, str]:
    for key, basis in _TARGETS:
        seconds = row.get(key)
        if isinstance(seconds, (int, float)) and 0.0 < seconds < _LARGEST:
            return float(seconds), basis
    return 0.0, ""
