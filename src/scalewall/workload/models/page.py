"""The page on models, written from the registry by ``python -m scalewall.workload.models.page``."""

from __future__ import annotations

from collections.abc import Iterable

from scalewall.workload.hugging_face import NOT_MODELLED, READERS
from scalewall.workload.models.agreement import Agreement, agreements
from scalewall.workload.models.catalogue import model_names, read_model
from scalewall.workload.models.published import ModelEntry

__all__ = ["models_page"]

_INTRODUCTION = """# Models

<!-- Written by `python -m scalewall.workload.models.page > docs/models.md`. -->

The planner trains a `Transformer`: a decoder-only model, dense or with experts. There are three ways to name one,
and none of them reads the network or executes anything.

| what you write | what it is |
|---|---|
| `llama3.1-405b` | a name of the registry below; `Llama-3.1-405B` and `meta-llama/Llama-3.1-405B` do too |
| `path/to/config.json`, or its folder | a model's configuration in Hugging Face's form |
| `mine.toml` | your own description |

```
scalewall models list
scalewall models show deepseek-v3 --seq 4096
scalewall models check path/to/config.json
```

`show` prints the shape, the parameters by part (all, and those that a token goes through) and the model FLOP of a
token. A field that a configuration does not have is taken from the architecture's public class where that class has
a default, and `show` and `check` say so; a field without a default is refused by name.

## A description of your own

The keys are the fields of `Transformer`; `latent`, `local`, `experts` and `details` are tables. Left out means: gated,
untied, causal, RMSNorm before each part, no biases.

```toml
layers = 48
hidden = 6144
heads = 48
kv_heads = 8
head_dim = 128
ffn = 16384
vocab = 128256

[experts]            # leave out for a dense model
routed = 64
top_k = 6
ffn = 2048
shared = 1
shared_ffn = 4096
leading_dense = 1    # first layers without experts
every = 1            # 2: experts in every second layer

[local]              # layers that see a window only
window = 4096
layers = 36
```

## How parameters are counted

Every count, FLOP and time starts from one list of matrices (`workload/matmuls.py`). For width *h*, heads *a* of size
*d*, key and value heads *k*, feed-forward width *f*, vocabulary *V*; latent attention with ranks *q* (queries) and
*c* (keys and values) and heads of sizes *r* (with position), *n* (without) and *v* (values):

| part | parameters |
|---|---|
| attention | *h d (a + 2 k) + a d h* |
| latent attention | *h q + q a (n + r) + h (c + r) + c a (n + v) + a v h* |
| feed-forward | *3 h f* gated, *2 h f* not |
| experts *E*, each of width *e* | *E* times a feed-forward part of width *e*, and a router *h E* |
| embedding and head | *V h* each, one of them if tied |
| multi-token prediction | a layer, *2 h h* that joins hidden state and embedding, three norms; beside the total |

Biases and norms follow the architecture. "Active" counts the chosen experts only. Publishers differ in what they
print as active: some leave out the input embedding, some the head as well; the registry says which.

## How FLOP are counted

A multiply-add is 2 FLOP. A token takes 2 FLOP a parameter of every matrix that it goes through, the head included,
and *2 a (d + v)* FLOP a key that it meets. A causal token meets *s/2* keys of a sequence of *s* tokens; with a
sliding window *w* it meets *w - w^2 / 2s*, in chunks of *w* it meets *w/2*. Training is three forward passes; nothing
recomputed counts. Sources that count the masked half of attention, too, print more: `--full-attention` does the same.
"""


def models_page() -> str:
    """Return the page as Markdown."""
    entries = [read_model(name) for name in model_names()]
    return "\n".join(
        [
            _INTRODUCTION,
            "## Architectures",
            "",
            f"Read by `model_type`: {_code(READERS)}.",
            "",
            "Known to be different, and refused with the reason: "
            + "; ".join(f"`{name}` ({reason})" for name, reason in sorted(NOT_MODELLED.items()))
            + ".",
            "",
            "## Registry",
            "",
            f"{len(entries)} models. Counted from the fields; *off* is counted over published. Totals agree to 0.5 %, "
            "active parameters to the rounding of what is printed, or the reason stands beside them.",
            "",
            "| model | layers | hidden | heads | experts | total | off | active | off |",
            "|---|---|---|---|---|---|---|---|---|",
            *(_line(entry) for entry in entries),
            "",
            "## Reasons and remarks",
            "",
            *(line for entry in entries for line in _remarks(entry)),
            "",
            "## Sources",
            "",
            *(line for entry in entries for line in _sources(entry)),
            "",
        ]
    )


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _line(entry: ModelEntry) -> str:
    model = entry.model
    found = {agreement.kind: agreement for agreement in agreements(entry)}
    experts = f"{model.experts.top_k} of {model.experts.routed}" if model.experts else ""
    heads = f"{model.heads}, latent" if model.latent else f"{model.heads} / {model.kv_heads}"
    cells = [f"`{entry.name}`", f"{model.layers}", f"{model.hidden:,}", heads, experts]
    for kind in ("total", "active"):
        cells += _cells(found.get(kind))
    return f"| {' | '.join(cells)} |"


def _cells(agreement: Agreement | None) -> list[str]:
    if agreement is None:
        return ["", ""]
    mark = "" if agreement.agrees else "*"
    return [f"{agreement.counted / 1e9:,.4g}B", f"{100 * agreement.deviation:+.2f} %{mark}"]


def _remarks(entry: ModelEntry) -> list[str]:
    reasons = [
        f"{agreement.kind}: {agreement.published.differs}"
        for agreement in agreements(entry)
        if agreement.published.differs
    ]
    recalled = [f"Recalled, borne out by the count: {', '.join(entry.recalled)}."] if entry.recalled else []
    said = [*reasons, *entry.notes, *recalled]
    return [f"- `{entry.name}`: {' '.join(said)}"] if said else []


def _sources(entry: ModelEntry) -> list[str]:
    parts = [f"fields: {entry.fields_source}"]
    for agreement in agreements(entry):
        published = agreement.published
        holds = "" if published.counts in ("main", "all") else f" ({published.counts})"
        parts.append(f"{agreement.kind}{holds}: {published.source}")
    return [f"- `{entry.name}`: {'. '.join(parts)}."]


if __name__ == "__main__":
    print(models_page(), end="")
