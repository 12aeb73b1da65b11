"""``scalewall models``: the registry, one model's shape and counts, counts beside published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scalewall.workload.models import Agreement, ModelEntry

__all__ = ["models"]

models = typer.Typer(
    name="models",
    help="Models: what the registry holds, what a config.json describes, counts beside published ones.",
    no_args_is_help=True,
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_MODEL_HELP = "Name of the registry, config.json, a folder that holds one, or a TOML description."

UNEXPLAINED = 1
"""Exit code of a check that finds a count which is off without a reason."""


def complete_model(incomplete: str) -> list[str]:
    """Return the registry's models that begin with what was typed, for the shell's completion."""
    from scalewall.workload.models import model_names

    return [name for name in model_names() if name.startswith(incomplete)]


@models.callback()
def group() -> None:
    """Models: what the registry holds, what a config.json describes, counts beside published ones."""


@models.command(name="list")
def list_all(json: Json = False) -> None:
    """List the models of the registry with their shape and parameters."""
    from scalewall.workload.models import model_names, read_model

    entries = [read_model(name) for name in model_names()]
    if json:
        from scalewall.report.records import json_text

        typer.echo(json_text([_summary(entry) for entry in entries]), nl=False)
        return
    from rich.console import Console

    from scalewall.report.model_tables import models_table

    Console().print(models_table(entries))


@models.command()
def show(
    model: Annotated[str, typer.Argument(help=_MODEL_HELP, autocompletion=complete_model)],
    seq: Annotated[int, typer.Option("--seq", help="Tokens of a sequence, for the FLOP a token.")] = 4096,
    full_attention: Annotated[
        bool, typer.Option("--full-attention", help="Count the scores that the causal mask hides, too.")
    ] = False,
    json: Json = False,
) -> None:
    """Show a model: its shape, parameters by part and FLOP a token; what was taken from defaults is said."""
    from scalewall.errors import check_finite
    from scalewall.workload.flops import token_flop

    check_finite("--seq", seq, 1, 1e12, "tokens")
    entry = _read(model)
    flop = token_flop(entry.model, seq, halve_causal=not full_attention)
    if json:
        from scalewall.report.records import json_text
        from scalewall.workload.parameters import active_parameters, count_parameters

        document = _summary(entry) | {
            "architecture": entry.model,
            "defaults": entry.defaults,
            "notes": entry.notes,
            "fields_source": entry.fields_source,
            "parameters": count_parameters(entry.model),
            "active_parameters": active_parameters(entry.model),
            "sequence": seq,
            "causal_half": not full_attention,
            "forward_flop": flop,
            "forward_flop_per_token": flop.forward,
            "training_flop_per_token": flop.training,
        }
        typer.echo(json_text(document), nl=False)
        return
    from rich.console import Console

    from scalewall.report.model_tables import model_tables

    console = Console()
    for table in model_tables(entry, flop, seq):
        console.print(table)


@models.command()
def check(
    model: Annotated[
        list[str] | None, typer.Argument(help=f"{_MODEL_HELP} Default: the whole registry.")
    ] = None,
    json: Json = False,
) -> None:
    """Set counts beside published ones, or check a config.json: a mistake is named by its field."""
    from scalewall.workload.models import agreements, model_names

    entries = [_read(name) for name in model or model_names()]
    found = [agreement for entry in entries for agreement in agreements(entry)]
    if json:
        from scalewall.report.records import json_text

        rows = [_compared(agreement) for agreement in found]
        read = [_summary(entry) for entry in entries if not entry.parameters]
        typer.echo(json_text({"published": rows, "files": read}), nl=False)
    else:
        _print_check(entries, found)
    if not all(agreement.explained for agreement in found):
        raise typer.Exit(UNEXPLAINED)


def _print_check(entries: list[ModelEntry], found: list[Agreement]) -> None:
    from rich.console import Console

    from scalewall.report.model_tables import agreement_table, checked_text

    for entry in entries:
        if not entry.parameters:
            typer.echo(checked_text(entry))
    if found:
        Console().print(agreement_table(found))


def _read(model: str) -> ModelEntry:
    """Return a model; an error about the name as a whole calls it as this command does."""
    from scalewall.errors import InputError
    from scalewall.workload.models import read_model

    try:
        return read_model(model)
    except InputError as error:
        if error.field != "model":
            raise
        raise InputError("MODEL", error.value, error.allowed, error.suggestions) from error


def _summary(entry: ModelEntry) -> dict[str, object]:
    from scalewall.workload.parameters import active_parameters, count_parameters

    return {
        "name": entry.name,
        "title": entry.title,
        "model_type": entry.model_type or None,
        "repository": entry.repository or None,
        "total_parameters": count_parameters(entry.model).total,
        "total_active_parameters": active_parameters(entry.model).total,
    }


def _compared(agreement: Agreement) -> dict[str, object]:
    published = agreement.published
    return {
        "name": agreement.name,
        "of": agreement.kind,
        "counted": agreement.counted,
        "published": published.value,
        "published_counts": published.counts,
        "source": published.source,
        "deviation": agreement.deviation,
        "agrees": agreement.agrees,
        "reason": published.differs or None,
    }
