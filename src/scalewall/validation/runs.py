"""Published, measured runs: one flat record each, and what the planner makes of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any

from scalewall.errors import InputError
from scalewall.planner.device import Device, load_device
from scalewall.planner.layout import Layout
from scalewall.planner.run import Run
from scalewall.workload.attention import LatentAttention, LocalAttention
from scalewall.workload.experts import Experts
from scalewall.workload.transformer import Transformer

__all__ = [
    "MeasuredStep",
    "UnsupportedRunError",
    "inputs_of",
    "load_published",
    "model_of",
    "read_records",
    "record_line",
]


class UnsupportedRunError(ValueError):
    """A run that the planner cannot express; the message says why."""


@dataclass(frozen=True)
class MeasuredStep:
    """One published measurement of a training step.

    Parameters
    ----------
    id, source, reference : str
        Name of the row, short name of its source, and where it was published.
    framework, released : str
        Software as published, and its date ``YYYY-MM`` (may be empty).
    step_seconds : float
        Measured; 0 if only memory was.
    basis : str
        How the step time was published: ``stated``, ``throughput`` or ``FLOP rate``.
    core : bool
        Whether the configuration is complete enough to be judged.
    kind : str
        ``train`` or ``layer`` (forward and backward of one layer).
    why_not : str
        Why the planner cannot express it; empty if it can.
    not_fitted : str
        Why no profile is fitted on it, though it is judged; empty if some may be.
    architecture, machine, layout, run : dict
        Fields of :class:`Transformer`, the machine with what differs from the catalogue, :class:`Layout` and
        :class:`Run`.
    memory_bytes : float
        Published peak a GPU; 0 if none.
    assumed : tuple of str
        What the source does not state and we assumed.
    """

    id: str
    source: str
    reference: str
    framework: str
    released: str
    step_seconds: float
    basis: str
    core: bool
    kind: str
    why_not: str
    architecture: dict[str, Any]
    machine: dict[str, Any]
    layout: dict[str, Any]
    run: dict[str, Any]
    memory_bytes: float = 0.0
    not_fitted: str = ""
    assumed: tuple[str, ...] = ()

    @property
    def experts(self) -> bool:
        """Whether the model has experts."""
        return "experts" in self.architecture


_DEFAULTS: dict[str, Any] = {
    "memory_bytes": 0.0,
    "assumed": (),
    "why_not": "",
    "not_fitted": "",
    "kind": "train",
}


def record_line(step: MeasuredStep) -> str:
    """Return a record as one line of JSON, without what is at its default."""
    kept = {key: value for key, value in asdict(step).items() if _DEFAULTS.get(key) != value}
    return json.dumps(kept, separators=(",", ":"))


def read_records(text: str) -> list[MeasuredStep]:
    """Return the records of a text with one JSON object a line, as :func:`record_line` writes them."""
    known = {field.name for field in fields(MeasuredStep)}
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            entry = json.loads(line)
            unknown = set(entry) - known
            if unknown:
                raise InputError(f"line {number}", sorted(unknown), f"columns {', '.join(sorted(known))}")
            entry["assumed"] = tuple(entry.get("assumed", ()))
            found.append(MeasuredStep(**{**_DEFAULTS, **entry}))
    return found


@cache
def load_published() -> tuple[MeasuredStep, ...]:
    """Return the published runs that come with the package."""
    text = files("scalewall.validation").joinpath("data/published_runs.jsonl").read_text(encoding="utf-8")
    return tuple(read_records(text))


def model_of(step: MeasuredStep) -> Transformer:
    """Return the model of a record."""
    values = dict(step.architecture)
    nested = {"latent": LatentAttention, "local": LocalAttention, "experts": Experts}
    for name, kind in nested.items():
        if name in values:
            values[name] = kind(**values[name])
    return Transformer(**values)


@cache
def _device(name: str, overrides: tuple[tuple[str, float], ...]) -> Device:
    return load_device(name, dict(overrides))


def inputs_of(step: MeasuredStep) -> tuple[Run, Layout]:
    """Return a record as the planner takes it.

    Raises
    ------
    UnsupportedRunError
        Something that the planner does not express.
    """
    if step.why_not:
        raise UnsupportedRunError(step.why_not)
    try:
        machine = dict(step.machine)
        device = _device(machine.pop("name"), tuple(sorted(machine.items())))
        layout = dict(step.layout)
        layout["recompute_modules"] = tuple(layout.get("recompute_modules", ()))
        return Run(model=_model(step), device=device, **step.run), Layout(**layout)
    except (InputError, TypeError) as error:
        raise UnsupportedRunError(str(error)) from error


@cache
def _interned(key: str) -> Transformer:
    step = json.loads(key)
    return model_of(replace(_EMPTY, architecture=step))


def _model(step: MeasuredStep) -> Transformer:
    return _interned(json.dumps(step.architecture, sort_keys=True))


_EMPTY = MeasuredStep("", "", "", "", "", 0.0, "", False, "train", "", {}, {}, {}, {})
