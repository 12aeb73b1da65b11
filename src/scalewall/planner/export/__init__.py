"""A plan in the words of the frameworks that run it, and their words as a plan.

One module a framework writes and reads; none of them guesses: what a framework cannot say is a note, what the planner
does not know is an error, and what changes nothing in an estimate is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from scalewall.errors import unknown_name
from scalewall.planner.export import (
    deepspeed,
    megatron,
    megatron_args,
    nemo,
    torchtitan,
    torchtitan_file,
)
from scalewall.planner.export.dialect import KNOBS, Exported, Imported, Note
from scalewall.planner.layout import Layout
from scalewall.planner.profile import Profile
from scalewall.planner.run import Run
from scalewall.workload.transformer import Transformer

__all__ = ["FRAMEWORKS", "KNOBS", "Exported", "Imported", "Note", "export_plan", "import_plan"]


@dataclass(frozen=True)
class Framework:
    """One framework.

    Parameters
    ----------
    title : str
        For people.
    form : str
        What its configuration is.
    write, read : callable
        See :func:`export_plan` and :func:`import_plan`.
    """

    title: str
    form: str
    write: Callable[[Run, Layout, Profile], Exported]
    read: Callable[[str, Transformer, int | None], Imported]


FRAMEWORKS: Mapping[str, Framework] = MappingProxyType(
    {
        "megatron": Framework("Megatron-LM", "arguments", megatron.write, megatron_args.read),
        "nemo": Framework("NeMo (Megatron Bridge)", "overrides", nemo.write, nemo.read),
        "torchtitan": Framework("torchtitan", "TOML file", torchtitan.write, torchtitan_file.read),
        "deepspeed": Framework("DeepSpeed", "JSON file", deepspeed.write, deepspeed.read),
    }
)
"""Frameworks by name."""


def export_plan(framework: str, run: Run, layout: Layout, profile: Profile) -> Exported:
    """Return a plan in the words of a framework.

    Raises
    ------
    InputError
        Unknown framework.
    """
    if framework not in FRAMEWORKS:
        raise unknown_name("--export", framework, FRAMEWORKS)
    return FRAMEWORKS[framework].write(run, layout, profile)


def import_plan(framework: str, text: str, model: Transformer, ranks: int | None = None) -> Imported:
    """Return what a framework's configuration says of a plan.

    Parameters
    ----------
    framework : str
        One of :data:`FRAMEWORKS`.
    text : str
        Arguments, overrides or the content of a file.
    model : Transformer
        What is trained: the configuration must describe it.
    ranks : int or None
        Accelerators, where the configuration leaves something to them.

    Raises
    ------
    InputError
        Unknown framework, unknown keys (with the nearest ones), values that cannot be, or another model's shape.
    """
    if framework not in FRAMEWORKS:
        raise unknown_name("framework", framework, FRAMEWORKS)
    return FRAMEWORKS[framework].read(text, model, ranks)
