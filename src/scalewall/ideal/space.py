"""What a search may use: method, bounds on degrees, schedules, how domains are filled; and model switches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType

from scalewall.cost.machine_arrays import UNBOUNDED
from scalewall.cost.reliability import NEVER, Reliability
from scalewall.errors import InputError, check_finite, unknown_name
from scalewall.ideal.question import Bounds
from scalewall.ideal.step import Method, Switches

__all__ = ["BOUNDED", "ModelSwitches", "SearchSpace"]

BOUNDED = ("dp", "tp", "tp_model", "tp_ff", "pp", "ep", "microbatches", "interleave", "n_gpu")
"""What a user can fix or bound."""

_CHOICES = {
    "method": ("full", "reference"),
    "schedule": ("any", "1f1b", "zero-bubble"),
    "domain_filling": ("partial", "exact"),
    "zero_bubble_latency": ("max", "free"),
    "latency_model": ("constant", "tree"),
    "recovery": ("job", "replica"),
}


def _check_choices(settings: object) -> None:
    """Refuse a value that is not among a field's choices."""
    for part in fields(settings):  # type: ignore[arg-type]
        allowed = _CHOICES.get(part.name)
        value = getattr(settings, part.name)
        if allowed and value not in allowed:
            raise unknown_name(part.name, str(value), allowed)


def _is_whole(value: object) -> bool:
    """Tell whether a value is a whole number (a truth value is not)."""
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True)
class SearchSpace:
    """The plans that a search goes through.

    Parameters
    ----------
    method : str
        ``full``: the highest utilization among all plans that finish in time. ``reference``: the published
        program's search, power-of-two clusters, the smallest that finishes, its fastest plan.
    bounds : mapping of str to (int, int)
        Least and most of any of ``BOUNDED``, both included; ``tp`` is the product of its two parts.
    tensor_levels : int or None
        How many of the innermost network levels tensor parallelism may use; 1 keeps it inside a node.
    schedule : str
        ``any``, ``1f1b`` (interleaved) or ``zero-bubble``.
    classic_order : bool
        Allow more than one chunk a stage only where PP divides the microbatches, as Megatron's order needs.
    domain_filling : str
        ``partial``: degrees placed in a network domain multiply to at most its size, idle accelerators are
        counted. ``exact``: to its size, as the published program does.

    Raises
    ------
    InputError
        Unknown choice or bound, or an empty range.
    """

    method: str = "full"
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=lambda: MappingProxyType({}))
    tensor_levels: int | None = None
    schedule: str = "any"
    classic_order: bool = False
    domain_filling: str = "partial"

    def __post_init__(self) -> None:
        _check_choices(self)
        for name, ends in self.bounds.items():
            if name not in BOUNDED:
                raise unknown_name("bound", name, BOUNDED)
            if not (isinstance(ends, tuple) and len(ends) == 2 and all(map(_is_whole, ends))):
                raise InputError(f"bound {name}", ends, "two whole numbers, the least and the most")
            low, high = ends
            if not 1 <= low <= min(high, UNBOUNDED):
                allowed = f"a range LOW:HIGH with 1 <= LOW <= HIGH and LOW at most {UNBOUNDED:.0e}"
                raise InputError(f"bound {name}", f"{low}:{high}", allowed)
        if self.tensor_levels is not None and not (_is_whole(self.tensor_levels) and self.tensor_levels >= 1):
            raise InputError("tensor_levels", self.tensor_levels, "at least 1 network level", ["1"])

    def bound(self, name: str) -> tuple[int, int]:
        """Least and most of one of ``BOUNDED``."""
        low, high = self.bounds.get(name, (1, UNBOUNDED))
        return low, min(high, UNBOUNDED)

    def kernel_bounds(self) -> Bounds:
        """The same for the compiled searches; zero bubble has one chunk a stage."""
        zero_bubble = self.schedule != "1f1b" and self.bound("interleave")[0] == 1
        return Bounds(
            tp=self.bound("tp"),
            microbatches=self.bound("microbatches"),
            interleave=self.bound("interleave"),
            n_gpu=self.bound("n_gpu"),
            one_f_one_b=self.schedule != "zero-bubble",
            zero_bubble=zero_bubble,
            classic_order=self.classic_order,
            exact_domains=self.domain_filling == "exact",
        )

    def describe(self) -> dict[str, object]:
        """The search as an assumption of a result."""
        return {
            "method": self.method,
            "objective": _OBJECTIVES[self.method],
            "bounds": {
                name: [low, None if high >= UNBOUNDED else high] for name, (low, high) in self.bounds.items()
            },
            "tensor_levels": self.tensor_levels,
            "schedule": self.schedule,
            "classic_order": self.classic_order,
            "domain_filling": self.domain_filling,
        }


_OBJECTIVES = {
    "full": "highest utilization among all plans that finish in time",
    "reference": "fastest plan of the smallest power-of-two cluster that finishes in time (arXiv 2411.01137)",
}


_HOUR = 3600.0

_OUTER_WORDS = 4.0
"""Words a parameter of the outer optimizer where replicas exchange rarely: a copy of the weights and a momentum, 32
bits each beside words of 16, shared among the replicas (Douillard et al. 2023, arXiv:2311.08105)."""

_RANGES: Mapping[str, tuple[float, float, str]] = MappingProxyType(
    {
        "sync_steps": (1, 1e6, "steps"),
        "sync_bits": (1, 64, "bits"),
        "optimizer_compute": (0, 100, "times the step's arithmetic"),
        "optimizer_words": (0, 1000, "words a parameter"),
        "failures": (0, 1, "an accelerator and hour"),
        "checkpoint_seconds": (1e-3, 1e6, "s"),
        "restart_seconds": (0, 1e6, "s"),
        "regroup_seconds": (0, 1e6, "s"),
    }
)


@dataclass(frozen=True)
class ModelSwitches:
    """Choices inside the ideal model, by the names that users write.

    Parameters
    ----------
    overlap_tensor, overlap_point_to_point, overlap_data : bool
        Whether that kind of communication runs under compute; the published model overlaps the first two.
    zero_bubble_latency : str
        ``max``: a zero-bubble batch lasts at least its latency (the authors' stated rule). ``free``: latency
        costs nothing under zero bubble (what their program does; for reproduction).
    latency_model : str
        ``constant``: an all-reduce costs two hops whatever its size. ``tree``: it grows with the logarithm.
    sync_steps : int
        Replicas exchange once in so many steps; above 1 the algorithm is another (DiLoCo [1]), and every replica
        holds an optimizer of its own.
    sync_bits : int, optional
        Bits of a value that they exchange; default: those of a word.
    optimizer_compute : float
        Arithmetic of the optimizer, over that of a step's matmuls.
    optimizer_words : float
        Words a parameter of its state; 4 in the published model (two of 32 bits beside words of 16).
    failures : float
        Failures that stop the job, an accelerator and hour; 0: none, the ideal model.
    checkpoint_seconds, restart_seconds, regroup_seconds
        See :class:`scalewall.cost.reliability.Reliability`.
    recovery : str
        ``job``: a failure throws the whole job back to its last checkpoint. ``replica``: it stops its replica alone.

    References
    ----------
    .. [1] Douillard et al., "DiLoCo: distributed low-communication training of language models", arXiv:2311.08105
       (2023).
    """

    overlap_tensor: bool = True
    overlap_point_to_point: bool = True
    overlap_data: bool = False
    zero_bubble_latency: str = "max"
    latency_model: str = "constant"
    sync_steps: int = 1
    sync_bits: int | None = None
    optimizer_compute: float = 0.0
    optimizer_words: float = 4.0
    failures: float = 0.0
    checkpoint_seconds: float = NEVER.checkpoint_seconds
    restart_seconds: float = NEVER.restart_seconds
    regroup_seconds: float = NEVER.regroup_seconds
    recovery: str = "job"

    def __post_init__(self) -> None:
        _check_choices(self)
        for name, (low, high, unit) in _RANGES.items():
            value = getattr(self, name)
            if value is not None:
                check_finite(name, value, low, high, unit)
        for name in ("sync_steps", "sync_bits"):
            value = getattr(self, name)
            if value is not None and not _is_whole(value):
                raise InputError(name, value, "a whole number", [str(max(1, round(value)))])

    def kernel_switches(self, word_bytes: float) -> Switches:
        """The same for the kernels (the latency model travels with the machine's figures).

        Parameters
        ----------
        word_bytes : float
            Bytes of a word.
        """
        return Switches(
            self.overlap_tensor,
            self.overlap_point_to_point,
            self.overlap_data,
            self.zero_bubble_latency == "free",
            self._method(word_bytes),
        )

    def _method(self, word_bytes: float) -> Method:
        own = self.sync_steps > 1
        return Method(
            data_traffic=(1.0 if self.sync_bits is None else self.sync_bits / (8 * word_bytes))
            / self.sync_steps,
            data_latency=1 / self.sync_steps,
            replica_words=1 + self.optimizer_words if own else 1.0,
            shared_words=_OUTER_WORDS if own else self.optimizer_words,
            extra_compute=self.optimizer_compute,
            reliability=Reliability(
                self.failures / _HOUR,
                self.checkpoint_seconds,
                self.restart_seconds,
                self.regroup_seconds,
                self.recovery == "replica",
            ),
        )

    @property
    def tree_latency(self) -> bool:
        """Whether all-reduce latency grows with the logarithm of the peers."""
        return self.latency_model == "tree"
