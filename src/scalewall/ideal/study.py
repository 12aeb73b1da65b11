"""A question to the ideal model in plain values: what the CLI, a scenario file and the Python API share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, lru_cache
from types import MappingProxyType

from scalewall._version import __version__
from scalewall.errors import InputError, check_finite, unknown_name
from scalewall.hardware import Cluster, load_machine, usable_products
from scalewall.ideal.space import ModelSwitches, SearchSpace
from scalewall.workload import REFERENCE_ODD_MAX, Laws, MlpStack, grid, nearest_stack, stack_for

__all__ = ["ALL_MACHINES", "LAW_PARAMETERS", "REFERENCE_SECONDS", "LimitsStudy"]

REFERENCE_SECONDS = 0.25 * 3.154e7
"""The published sweeps' "three months" (arXiv 2411.01137, published program)."""

LAW_PARAMETERS = (
    "layers",
    "depth_anchor_layers",
    "depth_exponent",
    "width_ratio",
    "tokens_per_parameter",
    "batch_tokens",
    "batch_anchor_tokens",
    "batch_anchor_flop",
    "batch_exponent",
)
"""Parameters of laws that a study passes on as they are."""

ALL_MACHINES = "all"
"""Stands for every product of the catalogue that the model can use at the study's precision."""

_YEAR = 365.25 * 86400
_MODELS = ("dense", "sparse")
_USUAL_MONTHS = (0.25, 36.0)

_FORMS: Mapping[str, tuple[type, str]] = MappingProxyType(
    {
        "bool": (bool, "true or false"),
        "str": (str, "a name"),
        "tuple": (tuple, "a list"),
        "Mapping": (Mapping, "a table of names and values"),
    }
)

_DEFAULTS: Mapping[str, object] = MappingProxyType(
    {"search": "full", "domain_filling": "partial", "zero_bubble_latency": "max", "months": 3.0}
)
_REFERENCE: Mapping[str, object] = MappingProxyType(
    {"search": "reference", "domain_filling": "exact", "zero_bubble_latency": "free", "months": None}
)


@dataclass(frozen=True)
class LimitsStudy:
    """Everything that a limit rests on, by the names that users write.

    Parameters
    ----------
    machines : tuple of str
        Catalogue names or paths of machine files; ``all`` stands for every product of the catalogue that the
        model can use at this precision, by release date.
    reference : bool
        Set everything not given as the published reference data were made: reference search, exact filling of
        network domains, free zero-bubble latency, a duration of 7.885e6 s, the reference grid and rounding.
    precision : int
        Bits a word: 32, 16, 8 or 4.
    overrides : mapping of str to float
        Machine figures by path, SI units.
    model : str
        ``dense`` or ``sparse``.
    sparsity : int, optional
        Experts a block of a sparse model; default: the sparsity law.
    depth_law, width_law, data_law, batch_law : str
        Names of laws (``scalewall laws list``).
    layers, depth_anchor_layers, depth_exponent, width_ratio, tokens_per_parameter, batch_tokens, \
batch_anchor_tokens, batch_anchor_flop, batch_exponent : optional
        Parameters of laws, see :class:`scalewall.workload.Laws`.
    depth_factor, data_factor, batch_factor : float
        Multiply the layers of the depth law, the tokens of the data law, the tokens a batch of the batch law.
    rounding : bool
        Round layers, experts and sequences to the reference set, so that clusters divide them.
    search : str, optional
        ``full`` or ``reference``.
    bounds : mapping of str to (int, int)
        See :class:`scalewall.ideal.space.SearchSpace`, as the next four.
    tensor_levels, schedule, classic_order, domain_filling
        Constraints of the search.
    overlap_tensor, overlap_point_to_point, overlap_data, zero_bubble_latency, latency_model
        See :class:`scalewall.ideal.space.ModelSwitches`, as the next two lines.
    sync_steps, sync_bits, optimizer_compute, optimizer_words
        How steps are made; the defaults are the published model's.
    failures, checkpoint_seconds, restart_seconds, regroup_seconds, recovery
        What failures cost; none by default.
    months : float, optional
        Most a run may take; a month is a twelfth of 365.25 days.
    grid : (int, float, float)
        Largest odd factor, least and most ``d_model``.
    flop : tuple of float
        Training compute to answer for instead of the grid: each is met by the nearest run of a fine grid.
    threshold : float
        Share of the sustained utilization at which scaling counts as efficient.

    Raises
    ------
    InputError
        Naming the field, its value and what is allowed.
    """

    machines: tuple[str, ...] = ("h100",)
    reference: bool = False
    precision: int = 16
    overrides: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    model: str = "dense"
    sparsity: int | None = None
    depth_law: str = "published"
    width_law: str = "4x"
    data_law: str = "chinchilla-20"
    batch_law: str = "critical"
    layers: int | None = None
    depth_anchor_layers: float | None = None
    depth_exponent: float | None = None
    depth_factor: float = 1.0
    width_ratio: float | None = None
    tokens_per_parameter: float | None = None
    data_factor: float = 1.0
    batch_tokens: float | None = None
    batch_anchor_tokens: float | None = None
    batch_anchor_flop: float | None = None
    batch_exponent: float | None = None
    batch_factor: float = 1.0
    rounding: bool = True
    search: str | None = None
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=lambda: MappingProxyType({}))
    tensor_levels: int | None = None
    schedule: str = "any"
    classic_order: bool = False
    domain_filling: str | None = None
    overlap_tensor: bool = True
    overlap_point_to_point: bool = True
    overlap_data: bool = False
    zero_bubble_latency: str | None = None
    latency_model: str = "constant"
    sync_steps: int = ModelSwitches.sync_steps
    sync_bits: int | None = None
    optimizer_compute: float = ModelSwitches.optimizer_compute
    optimizer_words: float = ModelSwitches.optimizer_words
    failures: float = ModelSwitches.failures
    checkpoint_seconds: float = ModelSwitches.checkpoint_seconds
    restart_seconds: float = ModelSwitches.restart_seconds
    regroup_seconds: float = ModelSwitches.regroup_seconds
    recovery: str = ModelSwitches.recovery
    months: float | None = None
    grid: tuple[int, float, float] = (REFERENCE_ODD_MAX, 12288, 128 * 12288)
    flop: tuple[float, ...] = ()
    threshold: float = 0.8

    def __post_init__(self) -> None:
        self._check_forms()
        for name, value in (_REFERENCE if self.reference else _DEFAULTS).items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        if not self.machines:
            raise InputError("machine", "", "at least one catalogue name or machine file", ["h100"])
        if self.model not in _MODELS:
            raise unknown_name("model", self.model, _MODELS)
        if self.months is not None:
            check_finite("months", self.months, 1e-3, 1200, "months")
        check_finite("threshold", self.threshold, 1e-3, 1, "of the sustained utilization")
        if len(self.grid) != 3:
            raise InputError("grid", self.grid, "three numbers F,MIN,MAX", ["15,12288,1572864"])
        object.__setattr__(self, "machines", self._named_machines())
        for machine in self.machines:
            self.cluster(machine)
        _ = self.laws, self.space, self.model_switches, self.stacks

    def _check_forms(self) -> None:
        """Refuse text for a switch and the like, which a scenario file can bring, by the fields' annotations."""
        for part in fields(self):
            value = getattr(self, part.name)
            form = str(part.type).partition("[")[0]
            if form in _FORMS and not isinstance(value, _FORMS[form][0]):
                raise InputError(part.name, value, _FORMS[form][1])

    def _named_machines(self) -> tuple[str, ...]:
        """Return the machines with ``all`` written out, each once."""
        if ALL_MACHINES not in self.machines:
            return self.machines
        return tuple(
            dict.fromkeys(
                name
                for machine in self.machines
                for name in (
                    usable_products(self.precision, self.overrides) if machine == ALL_MACHINES else [machine]
                )
            )
        )

    @property
    def duration_seconds(self) -> float:
        """Most seconds a run may take."""
        return REFERENCE_SECONDS if self.months is None else self.months / 12 * _YEAR

    @cached_property
    def laws(self) -> Laws:
        """The laws that shape the runs."""
        if self.model == "dense":
            sparsity, experts = "dense", None
        else:
            sparsity, experts = ("law" if self.sparsity is None else "constant"), self.sparsity
        return Laws(
            depth=self.depth_law,
            width=self.width_law,
            data=self.data_law,
            batch=self.batch_law,
            sparsity=sparsity,
            experts=experts,
            depth_factor=self.depth_factor,
            data_factor=self.data_factor,
            batch_factor=self.batch_factor,
            rounding=self.rounding,
            **{name: getattr(self, name) for name in LAW_PARAMETERS},
        )

    @cached_property
    def space(self) -> SearchSpace:
        """The plans that are searched."""
        return SearchSpace(
            method=str(self.search),
            bounds=self.bounds,
            tensor_levels=self.tensor_levels,
            schedule=self.schedule,
            classic_order=self.classic_order,
            domain_filling=str(self.domain_filling),
        )

    @cached_property
    def model_switches(self) -> ModelSwitches:
        """Overlaps and latencies."""
        return ModelSwitches(**{part.name: getattr(self, part.name) for part in fields(ModelSwitches)})

    @cached_property
    def stacks(self) -> tuple[MlpStack, ...]:
        """The runs to evaluate, by width."""
        if self.flop:
            return tuple(nearest_stack(flop, self.laws) for flop in self.flop)
        return _stacks(self.laws, tuple(grid(*self.grid)))

    def cluster(self, machine: str) -> Cluster:
        """Load one of the machines with the study's precision and overrides."""
        return load_machine(machine, self.precision, self.overrides)

    def warnings(self, cluster: Cluster) -> tuple[str, ...]:
        """Inputs without effect or out of the range where the model holds, one sentence each."""
        found = [*cluster.warnings, *self.laws.warnings]
        levels = len(cluster.network.levels)
        if self.model == "dense" and self.sparsity is not None:
            found.append("sparsity has no effect on a dense model; give model sparse with it.")
        if self.tensor_levels is not None and self.tensor_levels >= levels:
            found.append(f"tensor_levels has no effect: {cluster.name} has {levels} network level(s).")
        if self.classic_order and self.schedule == "zero-bubble":
            found.append("classic_order has no effect on the zero-bubble schedule.")
        found += self._method_warnings()
        if self.flop and self.grid != LimitsStudy.grid:
            found.append("grid has no effect where flop is given.")
        if self.months is not None and not _USUAL_MONTHS[0] <= self.months <= _USUAL_MONTHS[1]:
            low, high = _USUAL_MONTHS
            found.append(f"months is {self.months:g}; training runs last {low:g} to {high:g} months.")
        return tuple(found)

    def _method_warnings(self) -> list[str]:
        """What to know about an algorithm that is not the published one, and inputs of failures without effect."""
        found = []
        if self.sync_steps > 1:
            found.append(
                f"sync_steps {self.sync_steps} changes the training algorithm: the tokens that it needs more are "
                "not counted, and no one has published more than 8 replicas of it on large models."
            )
        given = [
            name
            for name in ("checkpoint_seconds", "restart_seconds", "regroup_seconds", "recovery")
            if getattr(self, name) != getattr(ModelSwitches, name)
        ]
        if given and not self.failures:
            found.append(f"{', '.join(given)} have no effect without failures.")
        elif "regroup_seconds" in given and self.recovery == "job":
            found.append("regroup_seconds has no effect where the whole job restarts.")
        elif "checkpoint_seconds" in given and self.recovery == "replica":
            found.append("checkpoint_seconds has no effect where replicas recover from each other.")
        return found

    def assumptions(self, cluster: Cluster) -> dict[str, object]:
        """What a result of this study rests on: search, laws, switches, grid, assumed machine figures."""
        odd_max, low, high = self.grid
        return {
            "reference": self.reference,
            "precision": self.precision,
            "search": self.space.describe(),
            "laws": self.laws.describe(),
            "model": asdict(self.model_switches),
            "grid": (
                {"flop": list(self.flop)}
                if self.flop
                else {"odd_max": odd_max, "d_model_min": low, "d_model_max": high, "runs": len(self.stacks)}
            ),
            "closed_forms": "dense stack, 20 tokens a parameter, batch per layer constant (alpha = 0)",
            "overrides": dict(self.overrides),
            "assumed_figures": {path: figure.note for path, figure in cluster.assumed.items()},
        }

    def to_scenario(self) -> dict[str, object]:
        """Return every field that is set as plain values for a scenario file, with the version that wrote it."""
        scenario: dict[str, object] = {"scalewall_version": __version__}
        for part in fields(self):
            value = getattr(self, part.name)
            if value is None or (isinstance(value, (tuple, Mapping)) and not value):
                continue
            if isinstance(value, Mapping):
                value = {
                    key: list(entry) if isinstance(entry, tuple) else entry for key, entry in value.items()
                }
            scenario[part.name] = list(value) if isinstance(value, tuple) else value
        return scenario

    @classmethod
    def from_scenario(cls, scenario: Mapping[str, object]) -> LimitsStudy:
        """Build a study from a scenario file's values.

        Raises
        ------
        InputError
            Unknown key or unusable value, by name.
        """
        known = {part.name for part in fields(cls)}
        values: dict[str, object] = {}
        for key, value in scenario.items():
            if key == "scalewall_version":
                continue
            if key not in known:
                raise unknown_name("scenario key", key, known)
            if isinstance(value, Mapping):
                value = {
                    name: tuple(entry) if isinstance(entry, list) else entry for name, entry in value.items()
                }
            values[key] = tuple(value) if isinstance(value, list) else value
        try:
            return cls(**values)  # type: ignore[arg-type]
        except TypeError as error:
            raise InputError("scenario", str(error), "values of the types that --save writes") from error


@lru_cache(maxsize=32)
def _stacks(laws: Laws, widths: tuple[int, ...]) -> tuple[MlpStack, ...]:
    """Runs by width, which all machines and deadlines share."""
    return tuple(stack_for(d_model, laws) for d_model in widths)
