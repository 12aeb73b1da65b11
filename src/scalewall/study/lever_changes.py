"""What levers change: functions from a question and a value to the fields that differ then."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from scalewall.errors import InputError, check_finite
from scalewall.hardware import read_machine
from scalewall.hardware.fields import PRECISIONS, pattern
from scalewall.ideal.study import LimitsStudy
from scalewall.workload.laws.sparsity import GPT3_D_MODEL

__all__ = [
    "ENDLESS",
    "HOPS",
    "KERNEL",
    "MEMORY",
    "MUON_COMPUTE",
    "MUON_WORDS",
    "NETWORK",
    "SECOND_ORDER_COMPUTE",
    "SECOND_ORDER_WORDS",
    "Change",
    "aspect",
    "batch_factor",
    "data_centres",
    "depth_exponent",
    "domain",
    "faster",
    "field_of",
    "layers",
    "low_communication",
    "optimizer",
    "outer_bandwidth",
    "precision",
    "shorter",
    "sparse",
]

MEMORY = ("memory.*.bandwidth",)
NETWORK = ("network.*.bandwidth", "network.*.pair_bandwidth", "network.*.all_to_all_bandwidth")
KERNEL = ("accelerator.kernel_latency",)
HOPS = ("network.*.latency",)

Change = Callable[[LimitsStudy, str], Mapping[str, object]]
"""From a question and a value, as the user writes it, to the fields of the question that change."""

ENDLESS = "all"
"""As the size of a domain: every accelerator of the cluster."""

_WHOLE_CLUSTER = 1e15
"""Accelerators of a domain that holds every cluster: the most that a machine file takes."""

_BETWEEN_SITES = MappingProxyType({"bandwidth": 4.7e9, "latency": 2500e-6})
"""Bytes/s of an accelerator one way and seconds a hop between data centres: 500 km of fibre, as in the catalogue's
example ``h100-four-data-centres``."""

MUON_COMPUTE, MUON_WORDS = 0.02, 2.0
"""Liu et al. 2025 (arXiv:2502.16982): overhead of a few percent at most; one momentum of 32 bits."""

SECOND_ORDER_COMPUTE, SECOND_ORDER_WORDS = 0.1, 12.0
"""Assumed for SOAP, Shampoo and K-FAC: factors renewed every ten steps or so, state up to three times Adam's."""


def _number(name: str, text: str, low: float, high: float, unit: str = "") -> float:
    """Return a lever's value as a number in a range.

    Raises
    ------
    InputError
        Naming the lever.
    """
    try:
        value = float(text)
    except ValueError:
        raise InputError(name, text, f"a number from {low:g} to {high:g} {unit}".rstrip()) from None
    return check_finite(name, value, low, high, unit)


def _scaled(
    study: LimitsStudy, patterns: tuple[str, ...], factor: float, start: str = ""
) -> dict[str, object]:
    """Multiply the machine's figures whose path has one of the patterns and begins with ``start``."""
    cluster = study.cluster(study.machines[0])
    changed = {
        path: figure.value * factor
        for path, figure in cluster.figures.items()
        if pattern(path) in patterns and path.startswith(start)
    }
    return {"overrides": MappingProxyType({**study.overrides, **changed})}


def faster(name: str, *patterns: str) -> Change:
    """Multiply figures by the value."""
    return lambda study, value: _scaled(study, patterns, _number(name, value, 1e-3, 1e6, "times"))


def shorter(name: str, *patterns: str) -> Change:
    """Divide figures by the value."""
    return lambda study, value: _scaled(study, patterns, 1 / _number(name, value, 1e-3, 1e6, "times"))


def outer_bandwidth(study: LimitsStudy, value: str) -> Mapping[str, object]:
    """Multiply the bandwidth of the outermost network level."""
    outer = len(study.cluster(study.machines[0]).network.levels) - 1
    factor = _number("outer-bandwidth", value, 1e-3, 1e6, "times")
    return _scaled(study, NETWORK, factor, start=f"network.{outer}.")


def _powers_of_two(study: LimitsStudy) -> bool:
    """Whether only domains of powers of two can be filled, as in the published program's search."""
    return study.search == "reference" and study.domain_filling == "exact"


def _power_of_two(size: float) -> int:
    """Return the power of two nearest in logarithm."""
    return int(2 ** round(math.log2(size)))


def domain(study: LimitsStudy, value: str) -> Mapping[str, object]:
    """Set the size of the innermost network domain."""
    if len(study.cluster(study.machines[0]).network.levels) < 2:
        raise InputError("domain", value, "a machine whose fast domain has a bound")
    size = _WHOLE_CLUSTER if value == ENDLESS else _number("domain", value, 1, 1e9, "accelerators")
    if size != int(size):
        raise InputError("domain", value, "a whole number of accelerators, or all")
    if _powers_of_two(study) and value != ENDLESS and size != _power_of_two(size):
        raise InputError(
            "domain", value, "a power of two where clusters are powers of two (--reference), or all"
        )
    return {"overrides": MappingProxyType({**study.overrides, "network.0.size": size})}


def precision(study: LimitsStudy, value: str) -> Mapping[str, object]:
    """Set the bits a word; a machine without such units gets a peak that grows as words shrink."""
    bits = _number("precision", value, 1, 64, "bits")
    if bits not in PRECISIONS:
        raise InputError("precision", value, f"one of {', '.join(map(str, PRECISIONS))} bits")
    offered = [int(level) for level in read_machine(study.machines[0]).levels("precision")]
    if int(bits) in offered:
        return {"precision": int(bits)}
    wider = [level for level in offered if level > bits]
    if not wider:
        raise InputError("precision", value, f"at most {max(offered)} bits, the most of {study.machines[0]}")
    near = replace(study, precision=min(wider)).cluster(study.machines[0]).accelerator
    supplied = {
        f"precision.{int(bits)}.peak_flops": near.peak_flops * min(wider) / bits,
        f"precision.{int(bits)}.sustained_fraction": near.sustained_fraction,
    }
    return {"precision": int(bits), "overrides": MappingProxyType({**study.overrides, **supplied})}


def data_centres(study: LimitsStudy, value: str) -> Mapping[str, object]:
    """Bound the outermost network level by a data centre's size and put one more level around it.

    Where clusters are powers of two, so is the number of domains in a data centre.
    """
    levels = study.cluster(study.machines[0]).network.levels
    inside = math.prod(level.size or 1 for level in levels)
    groups = round(_number("data-centres", value, inside, 1e9, "accelerators") / inside)
    if _powers_of_two(study):
        groups = _power_of_two(groups)
    sites = {f"network.{len(levels)}.{key}": figure for key, figure in _BETWEEN_SITES.items()}
    bound = {f"network.{len(levels) - 1}.size": float(groups)}
    return {"overrides": MappingProxyType({**study.overrides, **bound, **sites})}


def low_communication(_: LimitsStudy, value: str) -> Mapping[str, object]:
    """Let replicas exchange once in so many steps, in so many bits."""
    steps, slash, bits = value.partition("/")
    name = "low-communication"
    if not slash:
        raise InputError(name, value, "STEPS/BITS, such as 100/4")
    return {
        "sync_steps": round(_number(name, steps, 1, 1e6, "steps")),
        "sync_bits": round(_number(name, bits, 1, 64, "bits")),
    }


def optimizer(name: str, compute: float, words: float) -> Change:
    """Set an optimizer's cost, and multiply the batch by the value."""

    def change(study: LimitsStudy, value: str) -> Mapping[str, object]:
        larger = study.batch_factor * _number(name, value, 1e-2, 1e3, "times the batch")
        return {"batch_factor": larger, "optimizer_compute": compute, "optimizer_words": words}

    return change


def depth_exponent(study: LimitsStudy, value: str) -> Mapping[str, object]:
    """Keep the law's depth at GPT-3's width and change how fast it grows."""
    anchor = study.laws.evaluate("depth", d_model=float(GPT3_D_MODEL), d_ff=4.0 * GPT3_D_MODEL)
    exponent = _number("depth-exponent", value, 0, 1)
    return {"depth_law": "power", "depth_anchor_layers": anchor, "depth_exponent": exponent}


def aspect(study: LimitsStudy, value: str) -> Mapping[str, object]:
    """Make every model wider for its depth."""
    return {"depth_factor": study.depth_factor / _number("aspect-ratio", value, 1e-2, 1e3, "times")}


def batch_factor(study: LimitsStudy, value: str) -> Mapping[str, object]:
    """Multiply the batch of any law."""
    return {"batch_factor": study.batch_factor * _number("batch", value, 1e-2, 1e3, "times")}


def field_of(name: str, field: str, low: float, high: float, unit: str = "", **others: object) -> Change:
    """Set a field of the study to the value, with what goes with it."""
    return lambda _, value: {field: _number(name, value, low, high, unit), **others}


def layers(_: LimitsStudy, value: str) -> Mapping[str, object]:
    """Give every run the same number of layers."""
    return {"depth_law": "constant", "layers": round(_number("layers", value, 1, 1e6, "layers"))}


def sparse(_: LimitsStudy, value: str) -> Mapping[str, object]:
    """Train models of experts, by the law or of a number."""
    if value == "law":
        return {"model": "sparse", "sparsity": None}
    return {"model": "sparse", "sparsity": round(_number("sparse", value, 1, 1e6, "experts, or law"))}
