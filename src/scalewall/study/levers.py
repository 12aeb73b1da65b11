"""Levers: the ways past the limits that people name, each as a change of a question.

A lever has a name and a value (``domain=72``); levers are combined with ``+``. Each changes a
:class:`~scalewall.ideal.study.LimitsStudy` and nothing else, so whatever a lever does can be asked with
``scalewall limits`` too.

References
----------
.. [1] Epoch AI, "Data movement bottlenecks to large-scale model training: scaling past 1e28 FLOP" (2024).
.. [2] E. Erdil and D. Schneider-Joseph, "Data movement limits to frontier model training",
   arXiv:2411.01137 (2024).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from scalewall.errors import InputError, check_finite, unknown_name
from scalewall.hardware.fields import pattern
from scalewall.ideal.study import LimitsStudy

__all__ = ["ENDLESS", "GROUPS", "LEVERS", "STANDARD", "Lever", "lever"]

ARTICLE = "Epoch AI 2024, data movement bottlenecks past 1e28 FLOP"
PAPER = "Erdil and Schneider-Joseph 2024, arXiv:2411.01137"

ENDLESS = "all"
"""As the size of a domain: every accelerator of the cluster."""

_WHOLE_CLUSTER = 1e9
"""Accelerators of a domain that holds every cluster of practice: the most that a machine file takes."""

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "hardware": "hardware",
        "arithmetic": "arithmetic",
        "model": "model and laws",
        "run": "the run",
    }
)
"""What a lever changes, and how a legend calls it."""

_MEMORY = ("memory.*.bandwidth",)
_NETWORK = ("network.*.bandwidth", "network.*.pair_bandwidth", "network.*.all_to_all_bandwidth")
_KERNEL = ("accelerator.kernel_latency",)
_HOPS = ("network.*.latency",)

Change = Callable[[LimitsStudy, str], Mapping[str, object]]


@dataclass(frozen=True)
class Lever:
    """One way past the limits.

    Parameters
    ----------
    name : str
        As the user writes it.
    title : str
        In words; ``{}`` stands for the value.
    group : str
        One of :data:`GROUPS`.
    value : str
        What values there are, for people.
    change : callable
        From a study and a value to the fields that change.
    source : str
        Who proposes it, or where its figures come from.
    note : str
        What a reader must know about it; may be empty.
    changes_algorithm : bool
        Whether training itself changes, so that the laws behind the limits may no longer hold.
    """

    name: str
    title: str
    group: str
    value: str
    change: Change
    source: str
    note: str = ""
    changes_algorithm: bool = False


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


def _faster(name: str, *patterns: str) -> Change:
    """Multiply figures by the value."""
    return lambda study, value: _scaled(study, patterns, _number(name, value, 1e-3, 1e6, "times"))


def _shorter(name: str, *patterns: str) -> Change:
    """Divide figures by the value."""
    return lambda study, value: _scaled(study, patterns, 1 / _number(name, value, 1e-3, 1e6, "times"))


def _outer_bandwidth(study: LimitsStudy, value: str) -> Mapping[str, object]:
    outer = len(study.cluster(study.machines[0]).network.levels) - 1
    factor = _number("outer-bandwidth", value, 1e-3, 1e6, "times")
    return _scaled(study, _NETWORK, factor, start=f"network.{outer}.")


def _domain(study: LimitsStudy, value: str) -> Mapping[str, object]:
    if len(study.cluster(study.machines[0]).network.levels) < 2:
        raise InputError("domain", value, "a machine whose fast domain has a bound")
    size = _WHOLE_CLUSTER if value == ENDLESS else _number("domain", value, 1, 1e9, "accelerators")
    if size != int(size):
        raise InputError("domain", value, "a whole number of accelerators, or all")
    return {"overrides": MappingProxyType({**study.overrides, "network.0.size": size})}


def _precision(_: LimitsStudy, value: str) -> Mapping[str, object]:
    return {"precision": round(_number("precision", value, 1, 64, "bits"))}


def _field(name: str, field: str, low: float, high: float, unit: str = "", **others: object) -> Change:
    """Set a field of the study to the value, with what goes with it."""
    return lambda _, value: {field: _number(name, value, low, high, unit), **others}


def _layers(_: LimitsStudy, value: str) -> Mapping[str, object]:
    return {"depth_law": "constant", "layers": round(_number("layers", value, 1, 1e6, "layers"))}


def _sparse(_: LimitsStudy, value: str) -> Mapping[str, object]:
    if value == "law":
        return {"model": "sparse", "sparsity": None}
    return {"model": "sparse", "sparsity": round(_number("sparse", value, 1, 1e6, "experts, or law"))}


_TIMES = "times better, such as 10"

LEVERS: Mapping[str, Lever] = MappingProxyType(
    {
        lever.name: lever
        for lever in (
            Lever(
                "bandwidth",
                "all bandwidths x{}",
                "hardware",
                _TIMES,
                _faster("bandwidth", *_MEMORY, *_NETWORK),
                ARTICLE,
                "Every memory with a bandwidth of its own and every network level; on-chip memory that runs at the "
                "arithmetic's clock stays, as in the article's figure 3.",
            ),
            Lever(
                "memory-bandwidth",
                "memory bandwidth x{}",
                "hardware",
                _TIMES,
                _faster("memory-bandwidth", *_MEMORY),
                PAPER,
            ),
            Lever(
                "network-bandwidth",
                "network bandwidth x{}",
                "hardware",
                _TIMES,
                _faster("network-bandwidth", *_NETWORK),
                PAPER,
            ),
            Lever(
                "outer-bandwidth",
                "outermost network level x{}",
                "hardware",
                _TIMES,
                _outer_bandwidth,
                PAPER,
            ),
            Lever(
                "latency",
                "all latencies /{}",
                "hardware",
                _TIMES,
                _shorter("latency", *_KERNEL, *_HOPS),
                ARTICLE,
            ),
            Lever(
                "kernel-latency",
                "kernel latency /{}",
                "hardware",
                _TIMES,
                _shorter("kernel-latency", *_KERNEL),
                ARTICLE,
            ),
            Lever(
                "network-latency",
                "network latency /{}",
                "hardware",
                _TIMES,
                _shorter("network-latency", *_HOPS),
                ARTICLE,
            ),
            Lever(
                "domain",
                "fast domain of {}",
                "hardware",
                "accelerators in the innermost network domain, or all",
                _domain,
                ARTICLE,
                "The links inside keep their bandwidth and latency however many accelerators they join.",
            ),
            Lever(
                "precision",
                "{}-bit arithmetic",
                "arithmetic",
                "bits a word",
                _precision,
                "the machine's own peak at this width",
                "Every word shrinks: weights, activations, gradients and what the network carries.",
            ),
            Lever(
                "months",
                "{} months",
                "run",
                "months that a run may take",
                _field("months", "months", 1e-3, 1200, "months"),
                ARTICLE,
            ),
            Lever(
                "batch-law",
                "batch law {}",
                "model",
                "a batch law's name (scalewall laws list)",
                lambda _, value: {"batch_law": value},
                ARTICLE,
            ),
            Lever(
                "batch-exponent",
                "batch ~ C^{}",
                "model",
                "power of training compute, through GPT-3's batch",
                _field("batch-exponent", "batch_exponent", 0, 1, batch_law="power"),
                PAPER,
                "The laws' own exponent is 1/6.",
            ),
            Lever(
                "layers",
                "{} layers at any size",
                "model",
                "layers",
                _layers,
                ARTICLE,
                "Depth that does not grow; what that costs in loss is not counted.",
            ),
            Lever(
                "depth-law",
                "depth law {}",
                "model",
                "a depth law's name (scalewall laws list)",
                lambda _, value: {"depth_law": value},
                PAPER,
            ),
            Lever(
                "width-ratio",
                "d_ff = {} d_model",
                "model",
                "d_ff over d_model",
                _field("width-ratio", "width_ratio", 0.01, 100, width_law="ratio"),
                PAPER,
            ),
            Lever(
                "tokens-per-parameter",
                "{} tokens a parameter",
                "model",
                "tokens a parameter; 20 is Chinchilla's",
                _field(
                    "tokens-per-parameter", "tokens_per_parameter", 1e-3, 1e6, data_law="tokens-per-parameter"
                ),
                ARTICLE,
                "Fewer undertrain: more parameters and fewer steps for the same compute.",
            ),
            Lever(
                "sparse",
                "sparse, experts by {}",
                "model",
                "law, or experts a block",
                _sparse,
                PAPER,
            ),
        )
    }
)
"""Every lever by name."""

STANDARD = (
    *(f"bandwidth={times}" for times in (2, 10)),
    *("memory-bandwidth=10", "network-bandwidth=10", "outer-bandwidth=10"),
    *("latency=10", "kernel-latency=10", "network-latency=10"),
    *(f"domain={size}" for size in (8, 72, 256, 576, ENDLESS)),
    *("precision=8", "precision=4"),
    *("months=6", "months=9", "months=12"),
    *("batch-law=zhang", "batch-law=deepseek", "batch-exponent=0.25", "batch-exponent=0.333"),
    *("layers=120", "depth-law=refit"),
    *("width-ratio=16", "tokens-per-parameter=5", "tokens-per-parameter=100", "sparse=law"),
    "bandwidth=10+latency=10",
    "bandwidth=10+kernel-latency=10+network-latency=2.25",
    "network-bandwidth=10+latency=10",
    "domain=72+latency=10",
    "bandwidth=10+latency=10+batch-law=zhang",
    "months=12+batch-law=zhang",
)
"""What ``scalewall levers`` tries: each lever alone and the combinations that the article talks about. The one with
``network-latency=2.25`` is its figure 3, whose machine divides the kernel's latency by ten and a hop's by 2.25."""


def lever(name: str) -> Lever:
    """Return the lever called ``name``.

    Raises
    ------
    InputError
        Unknown name.
    """
    if name not in LEVERS:
        raise unknown_name("lever", name, LEVERS)
    return LEVERS[name]
