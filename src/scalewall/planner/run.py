"""What a run is: model, machine, sequence, batch, precision and the switches of its software."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from scalewall.errors import InputError, unknown_name
from scalewall.planner.device import Device
from scalewall.planner.layout import Layout
from scalewall.planner.precision import BITS, Precision, nearest_precisions
from scalewall.workload.transformer import Transformer

__all__ = [
    "BITS",
    "Dispatcher",
    "Graphs",
    "Precision",
    "Run",
    "check_run",
    "divisors_of",
    "nearest_divisors",
    "splits_heads",
]

Dispatcher = Literal["all-to-all", "deepep", "hybridep"]
Graphs = Literal["none", "router", "partial", "full"]

_MOST = 10**9


@dataclass(frozen=True)
class Run:
    """One training run.

    Parameters
    ----------
    model : Transformer
        What is trained.
    device : Device
        What it is trained on.
    sequence : int
        Tokens of a sequence.
    global_batch : int
        Sequences of a step.
    precision : str
        Recipe of the layers' matmuls.
    dispatcher : str
        How tokens reach their experts.
    balanced : bool
        Whether experts get equal numbers of tokens (forced balance), else natural routing.
    expert_overlap : bool
        Whether the exchange with experts runs beside the compute of another microbatch.
    graphs : str
        What CUDA graphs cover: nothing, the router of experts, attention and router, or the whole step.
    compiled : bool
        Whether a compiler fuses elementwise kernels.
    """

    model: Transformer
    device: Device
    sequence: int
    global_batch: int
    precision: Precision = "bf16"
    dispatcher: Dispatcher = "all-to-all"
    balanced: bool = True
    expert_overlap: bool = False
    graphs: Graphs = "none"
    compiled: bool = True

    def __post_init__(self) -> None:
        """Refuse counts below 1 and unknown names."""
        for name in ("sequence", "global_batch"):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= _MOST:
                near = [str(_MOST if isinstance(number, int) and number > _MOST else 1)]
                raise InputError(name, number, "a whole number from 1 to 1e9", near)
        for name, choices in (("precision", Precision), ("dispatcher", Dispatcher), ("graphs", Graphs)):
            if getattr(self, name) not in get_args(choices):
                raise unknown_name(name, str(getattr(self, name)), get_args(choices))
        offered = self.device.precisions
        if self.precision not in offered:
            near = nearest_precisions(self.precision, offered)
            raise InputError(
                "precision", self.precision, f"on {self.device.name}: {', '.join(offered)}", near
            )

    @property
    def tokens(self) -> int:
        """Tokens of a step."""
        return self.global_batch * self.sequence


def divisors_of(number: int) -> list[int]:
    """Return the divisors of ``number``, smallest first."""
    low = [d for d in range(1, int(number**0.5) + 1) if number % d == 0]
    return sorted({*low, *(number // d for d in low)})


def nearest_divisors(number: int, wanted: int, count: int = 3) -> list[str]:
    """Return the divisors of ``number`` nearest to ``wanted``, nearest first."""
    return [str(d) for d in sorted(divisors_of(number), key=lambda d: (abs(d - wanted), d))[:count]]


def splits_heads(model: Transformer, tp: int) -> bool:
    """Whether ``tp`` ranks split a model's heads: queries evenly, keys and values evenly or each held by several."""
    return model.heads % tp == 0 and (model.kv_heads % tp == 0 or tp % model.kv_heads == 0)


def check_run(run: Run, layout: Layout) -> int:
    """Return the number of microbatches, if the layout can run the run at all.

    Raises
    ------
    InputError
        Heads, sequence, layers, experts or batch that the layout cannot divide; names the divisors that would do.
    """
    model = run.model
    if model.heads % layout.tp:
        raise InputError(
            "tp", layout.tp, f"a divisor of the {model.heads} heads", nearest_divisors(model.heads, layout.tp)
        )
    if not splits_heads(model, layout.tp):
        fitting = [tp for tp in divisors_of(model.heads) if splits_heads(model, tp)]
        near = sorted(fitting, key=lambda tp: (abs(tp - layout.tp), tp))[:3]
        allowed = f"a divisor or a multiple of the {model.kv_heads} key/value heads"
        raise InputError("tp", layout.tp, allowed, [str(tp) for tp in near])
    pieces = 2 * layout.cp if layout.cp > 1 else 1
    if run.sequence % (pieces * layout.tp):
        allowed = f"a multiple of {pieces * layout.tp} ({'2 x cp x tp' if layout.cp > 1 else 'tp'})"
        below = run.sequence // (pieces * layout.tp) * pieces * layout.tp
        near = [below, below + pieces * layout.tp] if below else [pieces * layout.tp]
        raise InputError("sequence", run.sequence, allowed, [str(length) for length in near])
    parts = layout.pp * layout.chunks
    if model.layers < layout.pp:
        raise InputError("pp", layout.pp, f"at most the {model.layers} layers", [str(model.layers)])
    if parts > model.layers + 2:
        most = max(1, (model.layers + 2) // layout.pp)
        raise InputError("chunks", layout.chunks, f"at most {most}: {model.layers} layers", [str(most)])
    if layout.offloaded_layers > model.layers:
        allowed = f"at most the {model.layers} layers"
        raise InputError("offloaded_layers", layout.offloaded_layers, allowed, [str(model.layers)])
    for name, degree in (("ep", layout.ep), ("etp", layout.etp)):
        if model.experts is None and degree > 1:
            raise InputError(name, degree, "1 for a model without experts", ["1"])
    if model.experts and model.experts.routed % layout.ep:
        near_ep = nearest_divisors(model.experts.routed, layout.ep)
        raise InputError("ep", layout.ep, f"a divisor of the {model.experts.routed} experts", near_ep)
    share = layout.dp * layout.microbatch
    if run.global_batch % share:
        if run.global_batch % layout.dp == 0:
            fits = nearest_divisors(run.global_batch // layout.dp, layout.microbatch)
            allowed = f"a divisor of global_batch / dp = {run.global_batch // layout.dp}"
            raise InputError("microbatch", layout.microbatch, allowed, fits)
        lower = max(share, run.global_batch // share * share)
        dps = ", ".join(nearest_divisors(run.global_batch, layout.dp))
        allowed = f"a multiple of dp x microbatch = {share}; or dp of {dps}"
        raise InputError("global_batch", run.global_batch, allowed, [str(lower), str(lower + share)])
    return run.global_batch // share
