"""What several commands share: parsing of ``NAME=VALUE`` options, field names as flags, notes to the user."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from scalewall.errors import InputError

__all__ = ["as_flag", "note_compiling", "overrides_of", "parse_bounds", "print_warnings", "to_terminal"]

_FLAGS = {
    "machine": "--machine",
    "precision": "--precision",
    "model": "--model",
    "experts": "--sparsity",
    "depth": "--depth-law",
    "width": "--width-law",
    "data": "--data-law",
    "batch": "--batch-law",
    "layers": "--layers",
    "width_ratio": "--width-ratio",
    "tokens_per_parameter": "--tokens-per-parameter",
    "data_factor": "--data-factor",
    "batch_tokens": "--batch-tokens",
    "batch_anchor_tokens": "--batch-anchor-tokens",
    "batch_anchor_flop": "--batch-anchor-flop",
    "batch_exponent": "--batch-exponent",
    "method": "--search",
    "bound": "--bound",
    "tensor_levels": "--tensor-levels",
    "schedule": "--schedule",
    "domain_filling": "--domain-filling",
    "zero_bubble_latency": "--zero-bubble-latency",
    "latency_model": "--latency-model",
    "months": "--months",
    "grid": "--grid",
    "odd_max": "--grid",
    "minimum": "--grid",
    "maximum": "--grid",
    "minimum, maximum": "--grid",
    "training_flop": "--flop",
    "threshold": "--threshold",
}


def as_flag(field: str) -> str:
    """Return a field's name as the option that sets it."""
    if field.startswith("bound "):
        return f"--bound {field.removeprefix('bound ')}"
    return _FLAGS.get(field, field)


def overrides_of(settings: Sequence[str]) -> dict[str, float]:
    """Return ``--set PATH=VALUE`` options as a mapping."""
    from scalewall.hardware import parse_override

    return dict(parse_override(setting) for setting in settings)


def parse_bounds(bounds: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return ``--bound NAME=VALUE`` and ``--bound NAME=LOW:HIGH`` options as ranges; an open end is free.

    Raises
    ------
    InputError
        For text that is no such range.
    """
    from scalewall.cost.machine_arrays import UNBOUNDED

    found = {}
    for bound in bounds:
        name, equals, text = bound.partition("=")
        low, colon, high = text.partition(":")
        try:
            least = int(low) if low else 1
            most = (int(high) if high else UNBOUNDED) if colon else int(text)
        except ValueError:
            equals = ""
        if not equals:
            allowed = (
                "NAME=VALUE or NAME=LOW:HIGH with whole numbers, such as pp=8 or tp=1:64 or n_gpu=:100000"
            )
            raise InputError("--bound", bound, allowed)
        found[name.strip()] = (least, most)
    return found


def to_terminal() -> bool:
    """Whether a person watches (progress bars and notes go to standard error)."""
    return sys.stderr.isatty()


def note_compiling(kernel: str) -> None:
    """Tell the user why the first run on a machine takes longer."""
    from scalewall._jit import is_compiled

    if not is_compiled(kernel):
        print(
            "Compiling the search kernels: once on this machine, about 20 s ...", file=sys.stderr, flush=True
        )


def print_warnings(warnings: Iterable[str]) -> None:
    """Print each warning once, on standard error."""
    for warning in dict.fromkeys(warnings):
        print(f"warning: {warning}", file=sys.stderr)
