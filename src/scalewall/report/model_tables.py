"""Tables of models: the registry, one model's shape, parameters and FLOP, published counts beside counted ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from scalewall.report import units
from scalewall.report.table import Cell, Column, TableView, Tone
from scalewall.workload.flops import TokenFlop
from scalewall.workload.models import agreements
from scalewall.workload.parameters import active_parameters, count_parameters

if TYPE_CHECKING:
    from scalewall.workload.models import Agreement, ModelEntry
    from scalewall.workload.transformer import Transformer

__all__ = [
    "agreement_table",
    "agreement_text",
    "checked_text",
    "model_tables",
    "models_table",
    "parameters_text",
    "shape_rows",
]

_PART_TITLES: Mapping[str, str] = {
    "attention": "Attention",
    "mlp": "Feed-forward (dense)",
    "experts": "Routed experts",
    "router": "Router",
    "shared": "Shared experts",
    "norms": "Norms",
    "embedding": "Embedding",
    "positions": "Positions",
    "head": "Language-model head",
    "prediction": "Multi-token prediction",
}
_FLOP_TITLES = {**_PART_TITLES, "attention": "Attention's matrices", "scores": "Attention's scores"}
_HOLDS: Mapping[str, str] = {
    "head twice": "with the tied head twice",
    "with prediction": "with multi-token prediction and its copies of embedding and head",
    "without input embedding": "without the input embedding",
    "without embeddings": "without embedding and head",
}
"""What published counts hold, where that is not all of the main model."""
_PREFIXES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))


def parameters_text(number: float) -> str:
    """Return a number of parameters as people write it: ``405.9B``, ``124.4M``."""
    for size, prefix in _PREFIXES:
        if number >= 0.99995 * size:
            return f"{number / size:.4g}{prefix}"
    return f"{number:.0f}"


def models_table(entries: Iterable[ModelEntry]) -> TableView:
    """Return one row a model: its shape and counted parameters."""
    return TableView(
        title="Models",
        columns=(
            Column("Name", whole=True),
            Column("Layers", right=True, whole=True),
            Column("Hidden", right=True, whole=True),
            Column("Heads", right=True, whole=True),
            Column("Experts", right=True, whole=True),
            Column("Total", right=True, whole=True),
            Column("Active", right=True, whole=True),
            Column("Vocabulary", right=True, whole=True, since=90),
            Column("Title", since=110),
        ),
        rows=tuple(_listed(entry) for entry in entries),
        notes=(
            "Heads: of queries / of keys and values; MLA: latent attention. Experts: active / routed + shared a layer. "
            "Parameters are counted from the fields; `scalewall models check` sets them beside the published ones.",
        ),
    )


def _listed(entry: ModelEntry) -> tuple[str | Cell, ...]:
    model = entry.model
    experts = model.experts
    shared = f"+{experts.shared}" if experts and experts.shared else ""
    return (
        Cell(entry.name, "strong"),
        str(model.layers),
        f"{model.hidden:,}",
        f"{model.heads}/MLA" if model.latent else f"{model.heads}/{model.kv_heads}",
        f"{experts.top_k}/{experts.routed}{shared}" if experts else "",
        parameters_text(count_parameters(model).total),
        parameters_text(active_parameters(model).total),
        f"{model.vocab:,}",
        Cell(entry.title, "muted"),
    )


def model_tables(entry: ModelEntry, flop: TokenFlop, sequence: int) -> list[TableView]:
    """Return a model's shape, its parameters by part, and the FLOP of a token by part.

    Parameters
    ----------
    entry : ModelEntry
        The model.
    flop : TokenFlop
        Its forward FLOP a token.
    sequence : int
        Tokens of the sequence that those are for.
    """
    return [_shape_table(entry), _parameter_table(entry.model), _flop_table(flop, sequence)]


def _shape_table(entry: ModelEntry) -> TableView:
    kind = f", {entry.model_type}" if entry.model_type else ""
    about = [f"Fields: {entry.fields_source}."]
    if entry.recalled:
        about.append(f"Recalled, borne out by the count: {', '.join(entry.recalled)}.")
    if entry.defaults:
        about.append(_defaults_text(entry))
    for agreement in agreements(entry):
        about.append(f"{agreement_text(agreement)} {agreement.published.source}.")
    return TableView(
        title=f"{entry.title}{kind}",
        columns=(Column("", whole=True), Column("")),
        rows=tuple((Cell(label, "muted"), text) for label, text in shape_rows(entry.model)),
        notes=(*about, *entry.notes),
    )


def shape_rows(model: Transformer) -> list[tuple[str, str]]:
    """Return what a model is built of, as pairs of label and text."""
    rows = [
        ("Layers", _layers_text(model)),
        ("Width", f"{model.hidden:,}; feed-forward {_feed_forward_text(model)}"),
        ("Attention", _attention_text(model)),
        ("Vocabulary", f"{model.vocab:,}, {'tied' if model.tied_embeddings else 'untied'} head"),
    ]
    if model.experts:
        rows.append(("Experts", _experts_text(model)))
    if model.local:
        kind = "chunks" if model.local.chunked else "a window"
        rows.append(("Local", f"{model.local.layers} layers see {kind} of {model.local.window:,} tokens"))
    if model.prediction_layers:
        rows.append(("Extra layers", f"{model.prediction_layers} more for multi-token prediction"))
    return rows


def _layers_text(model: Transformer) -> str:
    parallel = ", attention and feed-forward part side by side" if model.parallel_block else ""
    if not model.experts:
        return f"{model.layers}{parallel}"
    return f"{model.layers}: {model.dense_layers} dense, {model.expert_layers} with experts{parallel}"


def _feed_forward_text(model: Transformer) -> str:
    kind = "gated" if model.gated else "two matrices"
    if model.experts and not model.dense_layers:
        return f"{kind}, in experts only"
    return f"{model.ffn:,}, {kind}"


def _attention_text(model: Transformer) -> str:
    if model.latent:
        latent = model.latent
        query = f"queries from {latent.q_rank:,}, " if latent.q_rank else ""
        return (
            f"{model.heads} heads, latent: {query}keys and values from {latent.kv_rank:,}; "
            f"a head {latent.nope_dim} + {latent.rope_dim} with position, values {latent.value_dim}"
        )
    return f"{model.heads} heads of {model.head_dim}, {model.kv_heads} of keys and values"


def _experts_text(model: Transformer) -> str:
    experts = model.experts
    assert experts is not None
    shared = f", {experts.shared} shared of width {experts.shared_ffn:,}" if experts.shared else ""
    return f"{experts.top_k} of {experts.routed} a token, width {experts.ffn:,}{shared}"


def _parameter_table(model: Transformer) -> TableView:
    total, active = count_parameters(model), active_parameters(model)
    rows: list[tuple[str | Cell, ...]] = [
        _counts(title, getattr(total, part), getattr(active, part))
        for part, title in _PART_TITLES.items()
        if part != "prediction" and getattr(total, part)
    ]
    rows += [
        _counts(Cell(title, "strong"), getattr(total, name), getattr(active, name))
        for title, name in (
            ("All", "total"),
            ("Without input embedding", "without_input_embedding"),
            ("Without embeddings", "without_embeddings"),
        )
    ]
    if total.prediction:
        rows.append(_counts("Multi-token prediction, on top", total.prediction, active.prediction))
    return TableView(
        title="Parameters",
        columns=(
            Column("Part"),
            Column("Total", right=True, whole=True),
            Column("Active a token", right=True, whole=True),
        ),
        rows=tuple(rows),
    )


def _counts(title: str | Cell, total: int, active: int) -> tuple[str | Cell, ...]:
    return (title, f"{total:,}", f"{active:,}")


def _flop_table(flop: TokenFlop, sequence: int) -> TableView:
    rows: list[tuple[str | Cell, ...]] = [
        (
            _FLOP_TITLES[part.name],
            units.quantity(getattr(flop, part.name), "FLOP", 4),
            units.percent(getattr(flop, part.name) / flop.forward),
        )
        for part in fields(flop)
        if getattr(flop, part.name)
    ]
    rows.append((Cell("Forward", "strong"), units.quantity(flop.forward, "FLOP", 4), ""))
    rows.append((Cell("Training", "strong"), units.quantity(flop.training, "FLOP", 4), ""))
    return TableView(
        title=f"Model FLOP a token at {sequence:,} tokens a sequence",
        columns=(Column("Part"), Column("Forward", right=True, whole=True), Column("Share", right=True)),
        rows=tuple(rows),
        notes=("Training: forward and backward pass, nothing recomputed. Active experts only.",),
    )


def agreement_table(found: Sequence[Agreement]) -> TableView:
    """Return published counts beside counted ones; what is further off than allowed has its reason."""
    off = sum(not agreement.agrees for agreement in found)
    return TableView(
        title="Parameters counted from the fields and published",
        columns=(
            Column("Model", whole=True),
            Column("Of", whole=True),
            Column("Counted", right=True, whole=True),
            Column("Published", right=True, whole=True),
            Column("Off", right=True, whole=True),
            Column("Reason"),
        ),
        rows=tuple(_agreement_row(agreement) for agreement in found),
        notes=(
            f"{len(found) - off} of {len(found)} agree: totals to 0.5 %, active parameters to the rounding of what is "
            "printed. `scalewall models show NAME` names the sources.",
        ),
    )


def _agreement_row(agreement: Agreement) -> tuple[str | Cell, ...]:
    published = agreement.published
    tone: Tone = "good" if agreement.agrees else "warn" if agreement.explained else "bad"
    holds = _HOLDS.get(published.counts, "")
    reason = " ".join(filter(None, (f"Published {holds}." if holds else "", published.differs)))
    return (
        Cell(agreement.name, "strong"),
        agreement.kind,
        parameters_text(agreement.counted),
        parameters_text(published.value),
        Cell(f"{100 * agreement.deviation:+.2f} %", tone),
        Cell(reason, "muted"),
    )


def checked_text(entry: ModelEntry) -> str:
    """Return what a file of the user's describes, in lines."""
    total, active = count_parameters(entry.model).total, active_parameters(entry.model).total
    sparse = f", {parameters_text(active)} of them active a token" if active != total else ""
    kind = f" ({entry.model_type})" if entry.model_type else ""
    lines = [f"{entry.fields_source}: {entry.title}{kind}, {parameters_text(total)} parameters{sparse}."]
    lines += [f"  {_defaults_text(entry)}"] if entry.defaults else []
    return "\n".join([*lines, *(f"  {note}" for note in entry.notes)])


def _defaults_text(entry: ModelEntry) -> str:
    given = ", ".join(f"{name} = {_json_word(value)}" for name, value in entry.defaults.items())
    return f"Not given, so as the architecture's own class has it: {given}."


def agreement_text(agreement: Agreement) -> str:
    """Return a comparison as a sentence."""
    published = agreement.published
    holds = f" ({_HOLDS[published.counts]})" if published.counts in _HOLDS else ""
    return (
        f"Published {agreement.kind}{holds}: {parameters_text(published.value)}, counted "
        f"{parameters_text(agreement.counted)} ({100 * agreement.deviation:+.2f} %). {published.differs}".rstrip()
    )


def _json_word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
