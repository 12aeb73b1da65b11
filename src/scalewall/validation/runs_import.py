"""Runs in the common exchange format (one flat JSON object a line) turned into our records.

The format names the accelerator, the layout and the published numbers of a run in about fifty keys, any of which
may be absent; what is absent is assumed as stated here and listed in the record's ``assumed``.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields
from typing import Any

from scalewall.errors import InputError
from scalewall.planner.layout import Layout
from scalewall.planner.run import Run
from scalewall.validation.runs import MeasuredStep
from scalewall.validation.runs_fields import MissingError, framework_of, whole
from scalewall.validation.runs_layout import layout_of
from scalewall.validation.runs_model import architecture_of, machine_of
from scalewall.validation.runs_switches import run_of
from scalewall.workload.transformer import Transformer

__all__ = ["import_runs"]

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
        A line that is no JSON object, or has no id.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = whole(json.loads(line))
        except json.JSONDecodeError as error:
            raise InputError(f"line {number}", line[:40], f"a JSON object a line ({error.msg})") from error
        if not isinstance(row, dict) or "id" not in row:
            raise InputError(f"line {number}", line[:40], "a JSON object with an id")
        found.append(_record(row))
    return found


def _record(row: dict[str, Any]) -> MeasuredStep:
    assumed: list[str] = []
    why = ""
    parts: dict[str, dict[str, Any]] = {"architecture": {}, "machine": {}, "layout": {}, "run": {}}
    try:
        parts["architecture"] = architecture_of(row)
        parts["machine"] = machine_of(row)
        parts["layout"] = layout_of(row, assumed)
        parts["run"] = run_of(row, assumed)
    except MissingError as missing:
        why = str(missing)
    except (TypeError, ValueError, KeyError, ArithmeticError) as error:
        why = f"a field is not what it should be ({error})"
    seconds, basis = _target(row)
    memory = row.get("peak_mem_gb")
    return MeasuredStep(
        id=str(row["id"]),
        source=str(row.get("source_key") or ""),
        reference=str(row.get("source") or ""),
        framework=framework_of(row),
        released=_date(str(row.get("release") or ""), str(row.get("source_key") or "")),
        step_seconds=seconds,
        basis=basis,
        core=bool(row.get("core", False)),
        kind="layer" if row.get("kind") == "layer" else "train",
        why_not=why,
        memory_bytes=memory * 1e9 if isinstance(memory, (int, float)) else 0.0,
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


def _target(row: dict[str, Any]) -> tuple[float, str]:
    for key, basis in _TARGETS:
        seconds = row.get(key)
        if isinstance(seconds, (int, float)) and 0.0 < seconds < math.inf:
            return float(seconds), basis
    return 0.0, ""


def _date(release: str, source: str) -> str:
    """Return a release's date as ``YYYY-MM``: ``v25.02`` is 2025-02, ``2023-24`` is 2023, ``main (2026)`` is 2026."""
    found = re.search(r"(20\d\d)(?:-(\d\d))?", release)
    if found:
        month = found[2] if found[2] and 1 <= int(found[2]) <= 12 else "01"
        return f"{found[1]}-{month}"
    found = re.search(r"\bv?(2\d)\.(\d\d)", release)
    if found:
        return f"20{found[1]}-{found[2]}"
    return "2026-01" if source.startswith("mbridge") else ""
