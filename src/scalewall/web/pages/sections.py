"""The settings of a configuration in parts that open by a click; their controls are made when one opens them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import dash_mantine_components as dmc

from scalewall.hardware import Figure, figure_paths
from scalewall.hardware.fields import FIGURES, pattern
from scalewall.report.catalogue_tables import figure_text
from scalewall.web.pages.fields import identity, number_field, segments, selection, slider, toggle
from scalewall.web.parts import note, upload
from scalewall.web.state import Card
from scalewall.workload.laws import FAMILIES, find_law

__all__ = ["FIRST_OPEN", "SECTIONS"]

Part = Any

_PARAMETERS: Mapping[str, tuple[str, float]] = {
    "layers": ("Layers", 1),
    "depth_anchor_layers": ("Layers at GPT-3's width", 1),
    "depth_exponent": ("Exponent of the depth", 1),
    "width_ratio": ("d_ff / d_model", 1),
    "tokens_per_parameter": ("Tokens a parameter", 1),
    "batch_tokens": ("Tokens a batch (millions)", 1e6),
    "batch_anchor_tokens": ("Tokens a batch at the anchor (millions)", 1e6),
    "batch_anchor_flop": ("Training FLOP of the anchor", 1),
    "batch_exponent": ("Exponent", 1),
}
"""Parameters of laws: label, and what the number in the control is multiplied by."""

_FAMILY_TITLES = {"data": "Data", "batch": "Batch", "depth": "Depth", "width": "Feed-forward width"}


def _what_if(card: Card) -> list[Part]:
    return [
        slider(card, "network_bandwidth", "Network bandwidth, times", 1.0),
        slider(card, "latency", "Latencies of network and kernels, times", 1.0),
        slider(card, "memory_bandwidth", "Memory bandwidth, times", 1.0),
        slider(card, "data_factor", "Training tokens, times the data law's", 1.0),
    ]


def _laws(card: Card) -> list[Part]:
    controls: list[Part] = []
    for family, title in _FAMILY_TITLES.items():
        laws = FAMILIES[family]
        field = f"{family}_law"
        controls.append(
            selection(card, field, title, [(name, f"{name}: {law.formula}") for name, law in laws.items()])
        )
        for name, default in find_law(family, str(card[field])).options.items():
            label, scale = _PARAMETERS[name]
            controls.append(number_field(card, name, label, default, scale))
    controls.append(toggle(card, "rounding", "Round layers and batch so that clusters divide them"))
    controls.append(
        note("The sparsity law holds where the model is sparse and no number of experts is given.")
    )
    return controls


def _search(card: Card) -> list[Part]:
    usual = "reference" if card["reference"] else "full"
    return [
        toggle(card, "reference", "As published: the paper's search, filling, latency and duration"),
        segments(card, "search", "Search", (("full", "Every layout"), ("reference", "Published")), usual),
        slider(card, "threshold", "Counts as efficient, share of sustained", 0.8),
        _grid(card),
        selection(
            card,
            "schedule",
            "Pipeline schedule",
            [("any", "any"), ("1f1b", "1F1B"), ("zero-bubble", "zero bubble")],
        ),
        selection(
            card,
            "latency_model",
            "All-reduce latency",
            [("constant", "two hops"), ("tree", "grows with the group")],
        ),
        toggle(card, "overlap_tensor", "Tensor-parallel traffic under compute"),
        toggle(card, "overlap_point_to_point", "Pipeline and expert traffic under compute"),
        toggle(card, "overlap_data", "Gradient all-reduce under compute"),
    ]


def _methods(card: Card) -> list[Part]:
    return [
        number_field(card, "sync_steps", "Replicas exchange every so many steps (DiLoCo)", step=1),
        number_field(card, "sync_bits", "Bits of a value that they exchange (empty: a word)", step=1),
        number_field(card, "optimizer_compute", "Optimizer's arithmetic, share of the step's"),
        number_field(card, "optimizer_words", "Optimizer's words a parameter"),
        number_field(card, "failures", "Failures an accelerator and million hours (0: none)", scale=1e-6),
        selection(
            card,
            "recovery",
            "After a failure",
            [("job", "the job restarts from a checkpoint"), ("replica", "one replica drops out")],
        ),
    ]


_GRIDS = (
    ((3, 12288, 1572864), "few"),
    ((15, 12288, 1572864), "usual"),
    ((15, 2048, 1572864), "usual, from smaller models on"),
    ((63, 12288, 1572864), "many (slower)"),
)


def _grid(card: Card) -> Part:
    choices = [(",".join(map(str, grid)), text) for grid, text in _GRIDS]
    value = next(
        (text for grid, (text, _) in zip(_GRIDS, choices, strict=True) if grid[0] == card["grid"]), None
    )
    if value is None:
        own = card["grid"]
        assert isinstance(own, tuple)
        value = ",".join(f"{number:g}" for number in own)
        choices.append((value, f"as in the link: {value}"))
    return dmc.Select(
        label="Sizes to try",
        data=[{"value": text, "label": label} for text, label in choices],
        value=value,
        id=identity("grid"),
        allowDeselect=False,
    )


def _centres(card: Card) -> list[Part]:
    on = card["centre_size"] is not None
    controls: list[Part] = [
        dmc.Switch(label="Data centres as one more network level", checked=on, id={"toggle": "centres"})
    ]
    if on:
        controls += [
            number_field(card, "centre_size", "Accelerators in each", step=1024),
            number_field(card, "centre_count", "How many (empty: any number)", step=1),
            number_field(card, "centre_bandwidth", "Bandwidth between them, GB/s an accelerator", scale=1e9),
            number_field(
                card, "centre_latency", "Latency between them, ms (500 km of fibre: 2.5)", scale=1e-3
            ),
        ]
    return controls


def _figures(card: Card) -> list[Part]:
    own = card["overrides"]
    assert isinstance(own, Mapping)
    inputs = [
        _figure(path, figure, own.get(path)) for path, figure in figure_paths(str(card["machine"])).items()
    ]
    return [
        upload("upload-machine", "Take a machine file (.toml)"),
        note("Empty: as the catalogue has it (grey). Plain numbers in SI units; 100e9 is 100 GB/s."),
        *inputs,
    ]


def _figure(path: str, figure: Figure | None, value: object) -> Part:
    unit = FIGURES[pattern(path)].unit
    shown = f"{figure.value:g}" if figure else "not given"
    about = f"{figure_text(path, figure.value)}, {figure.evidence}" if figure else "the file gives none"
    return dmc.TextInput(
        label=f"{path.replace('.', ' ').replace('_', ' ')}{f' ({unit})' if unit else ''}",
        description=about,
        placeholder=shown,
        value="" if not isinstance(value, float) else f"{value!r}",
        id={"figure": path},
        debounce=500,
        size="xs",
    )


SECTIONS: Mapping[str, tuple[str, Callable[[Card], list[Part]]]] = {
    "what-if": ("What if", _what_if),
    "laws": ("Scaling laws", _laws),
    "search": ("Search and threshold", _search),
    "methods": ("Methods and failures", _methods),
    "centres": ("Several data centres", _centres),
    "figures": ("Figures of the machine", _figures),
}
"""The parts by name: title, and what makes their controls."""

FIRST_OPEN = ("what-if",)
"""Which are open at first."""
