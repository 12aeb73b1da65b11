"""A choice of one law for each quantity, and the model that it makes of a width."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.errors import InputError, check_finite
from scalewall.workload.laws import FAMILIES, Law, find_law
from scalewall.workload.laws.batch import SEQUENCE_TOKENS
from scalewall.workload.options import OPTIONS
from scalewall.workload.rounding import nearest_whole, reference_round
from scalewall.workload.stack import MlpStack

__all__ = ["Laws", "stack_for"]

_WIDTH_MULTIPLE = 256
"""Feed-forward widths come in multiples of it where a ratio gives no whole number, as in LLaMA-7B
(``d_model`` 4096, ``d_ff`` 11008 = 43 * 256; Touvron et al. 2023, arXiv:2302.13971)."""


_FACTORS = {
    "depth_factor": "depth law's layers",
    "data_factor": "data law's tokens",
    "batch_factor": "batch law's tokens",
}
"""What multiplies a law's result, and which."""


@dataclass(frozen=True)
class Laws:
    """Which law gives each quantity of a training run.

    Parameters
    ----------
    depth, width, data, batch, sparsity : str
        Names of laws (``scalewall laws list``); depth laws also go by their exponent, ``0.3751``.
    layers : int, optional
        Layers of the depth law ``constant``.
    depth_anchor_layers, depth_exponent : float, optional
        Of the depth law ``power``: layers at GPT-3's width, and how fast they grow with ``d_model*d_ff``.
    depth_factor : float
        Multiplies the layers of any depth law: below 1 makes each model wider for its depth.
    width_ratio : float, optional
        ``d_ff / d_model`` of the width law ``ratio``.
    experts : int, optional
        Experts a block of the sparsity law ``constant``.
    tokens_per_parameter : float, optional
        Of the data law of that name.
    data_factor : float
        Multiplies the tokens of any data law: below 1 undertrains, above 1 overtrains.
    batch_tokens : float, optional
        Tokens a batch of the batch law ``fixed``.
    batch_anchor_tokens, batch_anchor_flop, batch_exponent : float, optional
        Of the batch law ``power``: tokens a batch at a training compute (FLOP), and how fast they grow.
    batch_factor : float
        Multiplies the tokens a batch of any batch law.
    rounding : bool
        Whether layers, experts and sequences become members of the reference set (see ``rounding``);
        otherwise they become the nearest whole numbers. The user's own layers and experts stay as given.

    Raises
    ------
    InputError
        For an unknown law, a parameter that the chosen law needs and that is missing, or one out of range.
    """

    depth: str = "published"
    width: str = "4x"
    data: str = "chinchilla-20"
    batch: str = "critical"
    sparsity: str = "dense"
    layers: int | None = None
    depth_anchor_layers: float | None = None
    depth_exponent: float | None = None
    depth_factor: float = 1.0
    width_ratio: float | None = None
    experts: int | None = None
    tokens_per_parameter: float | None = None
    data_factor: float = 1.0
    batch_tokens: float | None = None
    batch_anchor_tokens: float | None = None
    batch_anchor_flop: float | None = None
    batch_exponent: float | None = None
    batch_factor: float = 1.0
    rounding: bool = True

    def __post_init__(self) -> None:
        for family in FAMILIES:
            object.__setattr__(self, family, find_law(family, getattr(self, family)).name)
        for name, what in _FACTORS.items():
            check_finite(name, getattr(self, name), 1e-3, 1e4, f"times the {what}")
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            if value is None:
                continue
            if check_finite(name, value, option.low, option.high, option.unit) != int(value) and option.whole:
                raise InputError(name, value, f"a whole number of {option.unit}", [str(max(1, round(value)))])
        for law in self.chosen.values():
            for name, default in law.options.items():
                if default is None and getattr(self, name) is None:
                    option = OPTIONS[name]
                    allowed = f"a number from {option.low:g} to {option.high:g} {option.unit}"
                    raise InputError(name, None, f"{allowed}, which the {law.family} law {law.name} needs")

    @property
    def chosen(self) -> dict[str, Law]:
        """The law of each family."""
        return {family: laws[getattr(self, family)] for family, laws in FAMILIES.items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Parameters that no chosen law reads, or that look like a slip of units; one sentence each."""
        used = {name for law in self.chosen.values() for name in law.options}
        takers = {
            name: f"{law.family} law {law.name}"
            for laws in FAMILIES.values()
            for law in laws.values()
            for name in law.options
        }
        given = {name: getattr(self, name) for name in OPTIONS if getattr(self, name) is not None}
        idle = [
            f"{name} has no effect: only the {takers[name]} reads it." for name in given if name not in used
        ]
        slips = {name: OPTIONS[name].slip(value) for name, value in given.items()}
        return (*idle, *(f"{name}: {sentence}" for name, sentence in slips.items() if sentence))

    def evaluate(self, family: str, **quantities: float) -> float:
        """Return what the chosen law of a family gives, not rounded.

        Parameters
        ----------
        family : str
            ``depth``, ``width``, ``data``, ``batch`` or ``sparsity``.
        **quantities : float
            At least the law's inputs, by name.

        Returns
        -------
        float
            In the family's unit: layers, elements, tokens, tokens a batch, experts.
        """
        law = self.chosen[family]
        inputs = {name: quantities[name] for name in law.inputs}
        options = {name: _given(getattr(self, name), default) for name, default in law.options.items()}
        return float(law.function(**inputs, **options))

    def describe(self) -> dict[str, str | float | bool]:
        """Return the choice as the assumptions of a result: names, formulas, sources and parameters."""
        described: dict[str, str | float | bool] = {}
        for family, law in self.chosen.items():
            described[f"{family}_law"] = law.name
            described[f"{family}_formula"] = law.formula
            described[f"{family}_source"] = law.source
            for name, default in law.options.items():
                described[name] = _given(getattr(self, name), default)
        described |= {name: getattr(self, name) for name in _FACTORS}
        described["rounding"] = self.rounding
        return described

    def extrapolation(self, stack: MlpStack) -> tuple[str, ...]:
        """Say which chosen laws ``stack`` takes beyond the range they rest on, one sentence a law."""
        sentences = []
        for family, law in self.chosen.items():
            outside = [fit for fit in law.fitted if not fit.low <= getattr(stack, fit.quantity) <= fit.high]
            if outside:
                evidence = " and ".join(fit.describe() for fit in outside)
                run = " and ".join(f"{getattr(stack, fit.quantity):.3g}" for fit in outside)
                sentences.append(f"The {family} law {law.name} rests on {evidence}; this run has {run}.")
        return tuple(sentences)


def stack_for(d_model: int, laws: Laws) -> MlpStack:
    """Return the training run that the laws make of a width.

    Layers and experts are rounded first; parameters, data, compute and the batch law use the rounded ones;
    then sequences an expert, ``B / (2048 * S)``, are rounded and multiplied by ``2048 * S``.

    Parameters
    ----------
    d_model : int
        Width of the stack (elements).
    laws : Laws
        The laws.

    Returns
    -------
    MlpStack

    Raises
    ------
    InputError
        For a width that is no positive whole number.
    """
    if check_finite("d_model", d_model, 1, 1e10, "elements") != int(d_model):
        raise InputError("d_model", d_model, "a whole number of elements", [f"{d_model:.0f}"])
    to_whole = reference_round if laws.rounding else nearest_whole
    d_ff = _whole_width(laws.evaluate("width", d_model=float(d_model)))
    shape = {"d_model": float(d_model), "d_ff": float(d_ff)}
    depth, experts = laws.evaluate("depth", **shape), laws.evaluate("sparsity", **shape)
    own_depth = laws.depth_factor == 1 and not laws.chosen["depth"].inputs
    layers = int(depth) if own_depth else to_whole(laws.depth_factor * depth)
    sparsity = to_whole(experts) if laws.chosen["sparsity"].inputs else int(experts)
    parameters = float(2 * d_model * d_ff * layers * sparsity)
    tokens = laws.data_factor * laws.evaluate("data", parameters=parameters)
    training_flop = 6 * (parameters / sparsity) * tokens
    batch = laws.evaluate("batch", training_flop=training_flop, tokens=tokens, sparsity=float(sparsity))
    sequences = to_whole(laws.batch_factor * batch / (SEQUENCE_TOKENS * sparsity))
    return MlpStack(
        int(d_model), d_ff, layers, sparsity, float(sequences * SEQUENCE_TOKENS * sparsity), tokens
    )


def _given(value: float | None, default: float | None) -> float:
    """Return the user's value, or else the law's default (a law without one was refused before)."""
    if value is not None:
        return value
    assert default is not None
    return default


def _whole_width(d_ff: float) -> int:
    """Return ``d_ff`` if it is a whole number to rounding error, else the nearest multiple of 256."""
    whole = round(d_ff)
    if whole >= 1 and abs(d_ff - whole) <= 1e-9 * whole:
        return whole
    return max(1, round(d_ff / _WIDTH_MULTIPLE)) * _WIDTH_MULTIPLE
