"""What the Plan page asks: its settings, and the same question that the command line builds of them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import get_args

from scalewall.errors import InputError
from scalewall.planner.bounds import KNOBS, parse_bound
from scalewall.planner.layout import Layout
from scalewall.planner.plan import Objective
from scalewall.planner.profile import profile_names
from scalewall.planner.run import Dispatcher, Graphs, Precision
from scalewall.web.own_files import here_document, own_files
from scalewall.web.plan_words import page_error
from scalewall.web.settings import (
    Setting,
    choice,
    machine_name,
    number,
    switch,
    unpacked,
    whole,
    write_file,
    write_number,
    write_switch,
)
from scalewall.workload.hugging_face.importing import import_config
from scalewall.workload.models import model_names
from scalewall.workload.transformer import Transformer

__all__ = ["MOST_MACHINES", "PLAN_SETTINGS", "arguments_of", "layout_settings", "plan_command", "plan_python"]

MOST_MACHINES = 6
_MOST_BOUND = 60
_CONFIG = "config.json"
_OWN_NAME = "own-model"
"""The name that an own model goes by: that of its folder."""
_MOST_LAYERS = 500
"""The planner lists every way to cut layers into stages; Llama 3.1 405B has 126 (arXiv:2407.21783)."""
_MOST_HEADS = 512
"""Likewise the ways to share heads; DeepSeek-V3 has 128 (arXiv:2412.19437)."""
_MOST_EXPERTS = 2_048
"""Likewise the ways to spread experts; as many as Switch-C has (arXiv:2101.03961)."""


def _machines(field: str, text: str) -> tuple[str, ...]:
    """Read the machines that are compared; the first is explained."""
    names = tuple(dict.fromkeys(text.split(",")))
    if len(names) > MOST_MACHINES:
        raise InputError(field, text[:40], f"at most {MOST_MACHINES} machines")
    return tuple(machine_name(field, name) for name in names)


def _write_machines(value: object) -> str:
    assert isinstance(value, tuple)
    return ",".join(value)


def _bound(knob: str) -> Callable[[str, str], str]:
    def read(field: str, text: str) -> str:
        if len(text) > _MOST_BOUND:
            raise InputError(field, text[:_MOST_BOUND], "8, or 2,4, or 1:8")
        try:
            return str(parse_bound(f"{knob}={text}")).partition("=")[2]
        except InputError as error:
            raise page_error(error) from error

    return read


PLAN_SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "model": Setting(choice(*model_names()), str, "llama3-70b"),
        "config": Setting(unpacked, write_file, ""),
        "machine": Setting(_machines, _write_machines, ("h100",)),
        "gpus": Setting(whole(1, 10**6, "accelerators"), write_number, 1024),
        "global_batch": Setting(whole(1, 10**9, "sequences"), write_number, 2048),
        "seq": Setting(whole(1, 10**9, "tokens"), write_number, 8192),
        "tokens": Setting(number(1, 1e18, "tokens"), write_number, 15e12),
        "precision": Setting(choice(*get_args(Precision)), str, "bf16"),
        "profile": Setting(choice("", *profile_names()), str, ""),
        "objective": Setting(choice(*get_args(Objective)), str, "throughput"),
        "top": Setting(whole(1, 50, "plans"), write_number, 10),
        "graphs": Setting(choice(*get_args(Graphs)), str, "none"),
        "dispatcher": Setting(choice(*get_args(Dispatcher)), str, "all-to-all"),
        "expert_overlap": Setting(switch, write_switch, False),
        "ideal": Setting(switch, write_switch, False),
        **{knob: Setting(_bound(knob), str, "") for knob in KNOBS},
        "rank": Setting(whole(1, 50, "(place in the ranking)"), write_number, 1),
    }
)
"""The page's settings by the names that links use: options of ``scalewall plan``, a bound a knob, which plan."""

_OPTIONS = (
    "tokens",
    "precision",
    "profile",
    "objective",
    "top",
    "graphs",
    "dispatcher",
    "expert_overlap",
    "ideal",
)


@contextmanager
def arguments_of(values: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield the arguments of :func:`scalewall.planner.planning.plan`; an own model's file exists as long.

    Raises
    ------
    InputError
        An own model that is no JSON, that nothing here can read, or too large to search on a page.
    """
    arguments: dict[str, object] = {
        "model": values["model"],
        "machine": list(_names(values)),
        "gpus": [values["gpus"]],
        "global_batch": values["global_batch"],
        "seq": values["seq"],
        "bounds": _bounds(values),
        **{name: values[name] for name in _OPTIONS},
    }
    if not values["config"]:
        yield arguments
        return
    text = str(values["config"])
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(_CONFIG, text[:40], f"a JSON object ({error})") from error
    if isinstance(content, dict):
        _check_size(import_config(_CONFIG, content, _OWN_NAME).model)
    with own_files({f"{_OWN_NAME}/{_CONFIG}": text}) as folder:
        yield arguments | {"model": str(folder / _OWN_NAME / _CONFIG)}


def _check_size(model: Transformer) -> None:
    """Refuse a model whose layouts are too many to search while a visitor waits."""
    sizes = {
        "layers": (model.layers, _MOST_LAYERS),
        "heads": (model.heads, _MOST_HEADS),
        "experts": (model.experts.routed if model.experts else 0, _MOST_EXPERTS),
    }
    for name, (size, most) in sizes.items():
        if size > most:
            allowed = f"at most {most:,} {name} on this page; the command `scalewall plan` takes more"
            raise InputError(f"{_CONFIG}: {name}", size, allowed, [str(most)])


def _names(values: Mapping[str, object]) -> tuple[str, ...]:
    machines = values["machine"]
    assert isinstance(machines, tuple)
    return machines


def _bounds(values: Mapping[str, object]) -> list[str]:
    return [f"{knob}={values[knob]}" for knob in KNOBS if values[knob]]


def layout_settings(values: Mapping[str, object], layout: Layout) -> dict[str, object]:
    """Return settings with every knob at what a layout has: the link to exactly that plan."""
    knobs = {knob: str(getattr(layout, knob)) for knob in KNOBS if knob != "shard_ranks"}
    if layout.shard_ranks:
        knobs["shard_ranks"] = str(layout.shard_ranks)
    return {**values, **dict.fromkeys(KNOBS, ""), **knobs, "rank": 1}


def plan_command(values: Mapping[str, object]) -> str:
    """Return the shell command that prints the page's numbers as JSON."""
    file = here_document(_CONFIG, str(values["config"])) if values["config"] else ""
    options = [
        *("--model", f"./{_CONFIG}" if values["config"] else str(values["model"])),
        *(part for name in _names(values) for part in ("--machine", name)),
        *(
            "--gpus",
            str(values["gpus"]),
            "--global-batch",
            str(values["global_batch"]),
            "--seq",
            str(values["seq"]),
        ),
    ]
    for name in _OPTIONS:
        value, flag = values[name], f"--{name.replace('_', '-')}"
        if value is True:
            options.append(flag)
        elif value not in (None, "", False) and value != _DEFAULTS.get(name):
            options += [flag, write_number(value) if isinstance(value, float) else str(value)]
    options += [part for bound in _bounds(values) for part in ("--bound", bound)]
    return f"{file}{shlex.join(['scalewall', 'plan', *options, '--json'])}\n"


_DEFAULTS: Mapping[str, object] = {
    "precision": "bf16",
    "objective": "throughput",
    "top": 10,
    "graphs": "none",
    "dispatcher": "all-to-all",
}
"""What the command line takes where an option is not given."""


def plan_python(values: Mapping[str, object]) -> str:
    """Return a Python script that computes the page's numbers and prints the best plan."""
    lines = ["import scalewall as sw", ""]
    model = repr(str(values["model"]))
    if values["config"]:
        lines = [
            "from pathlib import Path",
            "",
            *lines,
            f"Path({_CONFIG!r}).write_text({values['config']!r}, encoding='utf-8')",
        ]
        model = repr(f"./{_CONFIG}")
    machines = _names(values)
    given = {
        name: values[name]
        for name in _OPTIONS
        if values[name] not in (None, "", False) and values[name] != _DEFAULTS.get(name)
    }
    if _bounds(values):
        given["bounds"] = _bounds(values)
    arguments = [
        model,
        repr(machines[0]) if len(machines) == 1 else repr(list(machines)),
        *(f"{name}={values[name]!r}" for name in ("gpus", "global_batch", "seq")),
        *(f"{name}={value!r}" for name, value in given.items()),
    ]
    lines += [f"found = sw.plan({', '.join(arguments)})", "print(found.to_pandas())", ""]
    return "\n".join(lines)
