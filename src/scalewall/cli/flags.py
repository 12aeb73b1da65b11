"""What several commands share: parsing of ``NAME=VALUE`` options, field names as flags, notes to the user."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence

from scalewall.errors import InputError

__all__ = [
    "as_flag",
    "command_line",
    "complete_machine",
    "law_completer",
    "message",
    "note_compiling",
    "overrides_of",
    "parse_bounds",
    "print_warnings",
    "to_terminal",
]

_FLAGS = {
    "machine": "--machine",
    "machine file": "--machine",
    "precision": "--precision",
    "set": "--set",
    "model": "--model",
    "experts": "--sparsity",
    "sparsity": "--sparsity",
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
    "depth_anchor_layers": "--depth-anchor-layers",
    "depth_exponent": "--depth-exponent",
    "depth_factor": "--depth-factor",
    "batch_factor": "--batch-factor",
    "sync_steps": "--sync-steps",
    "sync_bits": "--sync-bits",
    "optimizer_compute": "--optimizer-compute",
    "optimizer_words": "--optimizer-words",
    "failures": "--failures",
    "checkpoint_seconds": "--checkpoint-seconds",
    "restart_seconds": "--restart-seconds",
    "regroup_seconds": "--regroup-seconds",
    "recovery": "--recovery",
    "method": "--search",
    "bound": "--bound",
    "tensor_levels": "--tensor-levels",
    "schedule": "--schedule",
    "domain_filling": "--domain-filling",
    "zero_bubble_latency": "--zero-bubble-latency",
    "latency_model": "--latency-model",
    "months": "--months",
    "grid": "--grid",
    "odd_max": "--grid F,...",
    "minimum": "--grid ...,MIN,...",
    "maximum": "--grid ...,MAX",
    "minimum, maximum": "--grid ...,MIN,MAX",
    "training_flop": "--flop",
    "threshold": "--threshold",
    "d_model": "--d-model",
    "d_ff": "--d-ff",
    "dp": "--dp",
    "tp_model": "--tp-model",
    "tp_ff": "--tp-ff",
    "pp": "--pp",
    "ep": "--ep",
    "microbatches": "--microbatches",
    "interleave": "--interleave",
    "zero_bubble": "--zero-bubble",
    "chunks": "--chunks",
    "stride": "--stride",
    "message_bytes": "--message-bytes",
    "costs.joint_fraction": "--joint-fraction",
    "growth": "--growth",
    "since": "--since",
    "start": "--start",
    "start_spread": "--start-spread",
    "rate": "--rate",
    "worlds": "--worlds",
    "generation_years": "--generation-years",
    "generations": "--generations",
    "lag_years": "--lag",
    "now": "--now",
    "price": "--price",
    "only": "--only",
    "combine": "--combine",
    "trade": "--trade",
    "format": "--format",
    "out": "--out",
    "accelerators": "--accelerators",
    "utilization": "--utilization",
}
_OF_COMMAND = {"forecast": {"samples": "--samples", "seed": "--seed"}}
"""Fields that only one command sets by an option: elsewhere they are tables of a study's file."""


def as_flag(field: str, command: str = "") -> str:
    """Return the name of an error's field as the option of a command that sets it; other names stay as they are."""
    flags = _FLAGS | _OF_COMMAND.get(command, {})
    if field in flags:
        return flags[field]
    if field.startswith(("bound ", "rate ", "price ", "only ", "combine ")):
        return f"--{field}"
    if field.startswith("override "):
        return f"--set {field.removeprefix('override ')}"
    if _is_figure(field):
        return f"--set {field}"
    return field


def message(error: InputError, command: str = "") -> str:
    """Return what an error says, with its field as the option of a command that sets it."""
    flag = as_flag(error.field, command)
    if error.value is None:
        return f"{flag} is missing. Allowed: {error.allowed}."
    return str(InputError(flag, error.value, error.allowed, error.suggestions))


def _is_figure(field: str) -> bool:
    """Whether a field is the path of a machine's figure, as ``network.1.bandwidth``."""
    from scalewall.hardware.fields import FIGURE_TABLES

    table, dot, rest = field.partition(".")
    return table in FIGURE_TABLES and bool(dot) and ":" not in rest


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


def complete_machine(incomplete: str) -> list[str]:
    """Return the catalogue's machines that begin with what was typed, for the shell's completion."""
    from scalewall.hardware import machine_names

    return [name for name in machine_names() if name.startswith(incomplete)]


def law_completer(family: str) -> Callable[[str], list[str]]:
    """Return what completes the names of a family's laws in the shell."""

    def complete(incomplete: str) -> list[str]:
        from scalewall.workload.laws import FAMILIES

        return [name for name in FAMILIES[family] if name.startswith(incomplete)]

    return complete


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


def command_line() -> str:
    """Return the command as it was typed, for pages that say how they were made."""
    return f"scalewall {shlex.join(sys.argv[1:])}"
