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

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from scalewall.errors import unknown_name
from scalewall.study import lever_changes as changes

__all__ = ["GROUPS", "LEVERS", "STANDARD", "Lever", "lever"]

ARTICLE = "Epoch AI 2024, data movement bottlenecks past 1e28 FLOP"
PAPER = "Erdil and Schneider-Joseph 2024, arXiv:2411.01137"

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "hardware": "hardware",
        "arithmetic": "arithmetic",
        "model": "model and laws",
        "run": "the run",
        "algorithm": "algorithm",
        "reliability": "reliability",
    }
)
"""What a lever changes, and how a legend calls it."""


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
    change: changes.Change
    source: str
    note: str = ""
    changes_algorithm: bool = False


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
                changes.faster("bandwidth", *changes.MEMORY, *changes.NETWORK),
                ARTICLE,
                "Every memory with a bandwidth of its own and every network level; on-chip memory that runs at the "
                "arithmetic's clock stays, as in the article's figure 3.",
            ),
            Lever(
                "memory-bandwidth",
                "memory bandwidth x{}",
                "hardware",
                _TIMES,
                changes.faster("memory-bandwidth", *changes.MEMORY),
                PAPER,
            ),
            Lever(
                "network-bandwidth",
                "network bandwidth x{}",
                "hardware",
                _TIMES,
                changes.faster("network-bandwidth", *changes.NETWORK),
                PAPER,
            ),
            Lever(
                "outer-bandwidth",
                "outermost network level x{}",
                "hardware",
                _TIMES,
                changes.outer_bandwidth,
                PAPER,
            ),
            Lever(
                "latency",
                "all latencies /{}",
                "hardware",
                _TIMES,
                changes.shorter("latency", *changes.KERNEL, *changes.HOPS),
                ARTICLE,
            ),
            Lever(
                "kernel-latency",
                "kernel latency /{}",
                "hardware",
                _TIMES,
                changes.shorter("kernel-latency", *changes.KERNEL),
                ARTICLE,
            ),
            Lever(
                "network-latency",
                "network latency /{}",
                "hardware",
                _TIMES,
                changes.shorter("network-latency", *changes.HOPS),
                ARTICLE,
            ),
            Lever(
                "domain",
                "fast domain of {}",
                "hardware",
                "accelerators in the innermost network domain, or all",
                changes.domain,
                ARTICLE,
                "The links inside keep their bandwidth and latency however many accelerators they join.",
            ),
            Lever(
                "precision",
                "{}-bit arithmetic",
                "arithmetic",
                "bits a word",
                changes.precision,
                "the machine's own peak at this width",
                "Every word shrinks: weights, activations, gradients and what the network carries. A machine without "
                "such units is given twice the peak for half the bits, with the same sustained share.",
            ),
            Lever(
                "months",
                "{} months",
                "run",
                "months that a run may take",
                changes.field_of("months", "months", 1e-3, 1200, "months"),
                ARTICLE,
            ),
            Lever(
                "batch-law",
                "batch law {}",
                "model",
                "a batch law's name (scalewall laws list)",
                lambda _, value: {"batch_law": value},
                ARTICLE,
                "zhang is a critical batch like the published law; deepseek and step-law are optimal ones, fitted on "
                "small runs: limits under them are not comparable.",
            ),
            Lever(
                "batch-exponent",
                "batch ~ C^{}",
                "model",
                "power of training compute, through GPT-3's batch",
                changes.field_of("batch-exponent", "batch_exponent", 0, 1, batch_law="power"),
                PAPER,
                "The laws' own exponent is 1/6.",
            ),
            Lever(
                "layers",
                "{} layers at any size",
                "model",
                "layers",
                changes.layers,
                ARTICLE,
                "Depth that does not grow; what that costs in loss is not counted.",
            ),
            Lever(
                "depth-exponent",
                "depth ~ (d_model d_ff)^{}",
                "model",
                "power of d_model d_ff, through the law's own depth at GPT-3's width",
                changes.depth_exponent,
                PAPER,
                "The laws have 0.3751 and 0.3351.",
            ),
            Lever(
                "aspect-ratio",
                "{}x as wide for its depth",
                "model",
                "times the width a layer that the depth law gives",
                changes.aspect,
                ARTICLE,
                "What shallower models lose is not counted.",
            ),
            Lever(
                "batch",
                "batch x{} at any size",
                "model",
                "times the batch law's tokens",
                changes.batch_factor,
                ARTICLE,
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
                changes.field_of("width-ratio", "width_ratio", 0.01, 100, width_law="ratio"),
                PAPER,
            ),
            Lever(
                "tokens-per-parameter",
                "{} tokens a parameter",
                "model",
                "tokens a parameter; 20 is Chinchilla's",
                changes.field_of(
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
                changes.sparse,
                PAPER,
            ),
            Lever(
                "data-centres",
                "data centres of {}",
                "hardware",
                "accelerators of one",
                changes.data_centres,
                "Epoch AI's simulator; fibre as in the catalogue's h100-four-data-centres",
                "Between them 4.7 GB/s an accelerator and 2.5 ms: 500 km of fibre. Runs within one do not notice.",
            ),
            Lever(
                "low-communication",
                "rare gradients (steps/bits {})",
                "algorithm",
                "STEPS/BITS: once in so many steps, values of so many bits",
                changes.low_communication,
                "Douillard et al. 2023 and 2025, arXiv:2311.08105 (500/32) and arXiv:2501.18512 (100/4)",
                "What it costs in loss is not counted: 1.2 % more loss with 8 replicas of 2.4e9 parameters "
                "(arXiv:2503.09799), which is up to 1.5 times the compute; nobody has published thousands of replicas.",
                True,
            ),
            Lever(
                "muon",
                "Muon, batch x{}",
                "algorithm",
                "times the useful batch",
                changes.optimizer("muon", changes.MUON_COMPUTE, changes.MUON_WORDS),
                "Liu et al. 2025, arXiv:2502.16982; larger batches: arXiv:2505.02222",
                "2 % more arithmetic, half of Adam's state. The factor on the batch is yours: none is published beyond "
                "4e9 parameters.",
                True,
            ),
            Lever(
                "second-order",
                "second-order optimizer, batch x{}",
                "algorithm",
                "times the useful batch",
                changes.optimizer("second-order", changes.SECOND_ORDER_COMPUTE, changes.SECOND_ORDER_WORDS),
                "Zhang et al. 2019, arXiv:1907.04164 (K-FAC); Vyas et al. 2024, arXiv:2409.11321 (SOAP)",
                "10 % more arithmetic, three times Adam's state (assumed). The factor on the batch is yours, and "
                "contested.",
                True,
            ),
            Lever(
                "failures",
                "{} failures an hour, job restarts",
                "reliability",
                "failures that stop the job, an accelerator and hour",
                changes.field_of("failures", "failures", 0, 1, "an accelerator and hour", recovery="job"),
                "Llama 3, arXiv:2407.21783 (2e-5); Meta RSC-1, arXiv:2410.21680 and 2602.00277 (3.4e-5)",
                "Checkpoints of 30 s at Young's interval, 10 minutes to restart.",
            ),
            Lever(
                "failures-by-replica",
                "{} failures an hour, replica restarts",
                "reliability",
                "failures, an accelerator and hour",
                changes.field_of(
                    "failures-by-replica", "failures", 0, 1, "an accelerator and hour", recovery="replica"
                ),
                "Meta, arXiv:2602.00277",
                "All pause for 3 minutes, the failed replica for 10; its state comes from another.",
            ),
            Lever(
                "pause",
                "pauses of {} s",
                "reliability",
                "seconds that all replicas pause after a failure",
                changes.field_of("pause", "regroup_seconds", 0, 1e6, "s"),
                "Gemini 2.5's report: tens of seconds with slices that drop out",
                "Goes with failures-by-replica.",
            ),
        )
    }
)
"""Every lever by name."""

STANDARD = (
    *(f"bandwidth={times}" for times in (2, 10)),
    *("memory-bandwidth=10", "network-bandwidth=10", "outer-bandwidth=10"),
    *("latency=10", "kernel-latency=10", "network-latency=10"),
    *(f"domain={size}" for size in (8, 72, 256, 576, changes.ENDLESS)),
    *("precision=8", "precision=4"),
    *("months=6", "months=9", "months=12"),
    *("batch-law=zhang", "batch-exponent=0.25", "batch-exponent=0.333"),
    *("layers=120", "depth-law=refit", "depth-exponent=0.3", "aspect-ratio=4", "batch=4"),
    *("width-ratio=16", "tokens-per-parameter=5", "tokens-per-parameter=100", "sparse=law"),
    *("data-centres=100000", "low-communication=100/4", "muon=2", "second-order=4"),
    *("failures=2e-5", "failures=3.4e-5", "failures-by-replica=3.4e-5"),
    "failures-by-replica=3.4e-5+pause=10",
    "bandwidth=10+latency=10",
    "bandwidth=10+kernel-latency=10+network-latency=2.25",
    "network-bandwidth=10+latency=10",
    "domain=72+latency=10",
    "bandwidth=10+latency=10+batch-law=zhang",
    "months=12+batch-law=zhang",
    "data-centres=100000+low-communication=100/4",
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
