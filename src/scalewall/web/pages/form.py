"""The settings of one configuration as controls, each tied to its name in the link."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from scalewall.errors import InputError
from scalewall.hardware import Figure, MachineFile, figure_paths, machine_names, read_machine
from scalewall.hardware.fields import FIGURES, pattern
from scalewall.report.catalogue_tables import figure_text
from scalewall.web.pages.controls import machine_choices
from scalewall.web.parts import accordion, aria, note
from scalewall.web.question import uploaded_name
from scalewall.web.settings import MOST_FILE_BYTES
from scalewall.web.state import COLOURS, Card, State
from scalewall.workload.laws import FAMILIES, find_law

__all__ = ["STEPS", "form"]

Part = Any

STEPS: Mapping[str, tuple[float, ...]] = {
    "months": (0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10, 12, 15, 18, 24, 30, 36),
    "threshold": tuple(round(0.3 + 0.05 * step, 2) for step in range(14)),
    "network_bandwidth": (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100),
    "memory_bandwidth": (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100),
    "latency": (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10),
    "data_factor": (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100),
}
"""What the sliders step through."""

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


def form(state: State) -> Part:
    """Return the controls of the configuration that is open."""
    place, card = state.chosen, state.cards[state.chosen]
    machine = _machine(card)
    return html.Div(
        [
            _about(state, place, card),
            _machine_controls(card, machine),
            _segments(card, "model", "Model", (("dense", "Dense"), ("sparse", "Sparse (experts)"))),
            *(
                [_number(card, "sparsity", "Experts a block (empty: by the law)", step=1)]
                if card["model"] == "sparse"
                else []
            ),
            _slider(card, "months", "Longest run (months)", 3.0),
            accordion(
                "form-sections",
                ["what-if"],
                ("what-if", "What if", _what_if(card)),
                ("laws", "Scaling laws", _laws(card)),
                ("search", "Search and threshold", _search(card)),
                ("methods", "Methods and failures", _methods(card)),
                ("centres", "Several data centres", _centres(card)),
                ("figures", "Figures of the machine", _figures(card, machine)),
            ),
        ],
        className="sw-form",
        id=f"form-{place}",
    )


def _machine(card: Card) -> MachineFile:
    """Return the catalogue's machine that a configuration starts from."""
    return read_machine(str(card["machine"]))


def _identity(field: str, **more: object) -> dict[str, object]:
    return {"field": field, "kind": "value", "scale": 1, **more}


def _about(state: State, place: int, card: Card) -> Part:
    buttons = [
        _operation("duplicate", place, "Duplicate"),
        _operation("hide", place, "Show" if card.hidden else "Hide"),
        *([_operation("up", place, "Move up")] if place else []),
        *([_operation("remove", place, "Remove")] if len(state.cards) > 1 else []),
    ]
    colours = [
        html.Button(
            html.Span(className=f"sw-swatch sw-series-{number}"),
            id={"op": "colour", "place": place, "colour": number},
            className="sw-colour",
            type="button",
            **aria(label=f"Colour {number + 1}", pressed=str(number == card.colour).lower()),
        )
        for number in range(COLOURS)
    ]
    return html.Div(
        [
            dmc.TextInput(
                label="Name",
                value=card.name,
                id=_identity("name"),
                debounce=400,
                inputProps={"maxLength": 40},
            ),
            html.Div(colours, className="sw-colours", role="group", **aria(label="Colour")),
            html.Div(buttons, className="sw-buttons"),
        ]
    )


def _operation(name: str, place: int, text: str) -> Part:
    return html.Button(
        text, id={"op": name, "place": place, "colour": 0}, className="sw-small-button", type="button"
    )


def _machine_controls(card: Card, machine: MachineFile) -> Part:
    bits = [{"value": text, "label": f"{text} bits"} for text in machine.levels("precision")[::-1]]
    chosen = str(card["precision"])
    if chosen not in {choice["value"] for choice in bits}:
        bits.append({"value": chosen, "label": f"{chosen} bits (not offered)"})
    return html.Div(
        [
            _own_file(card),
            dmc.Select(
                label="Machine" if not card["file"] else "Machine (the file above goes first)",
                data=machine_choices(machine_names()),
                value=machine.name,
                id=_identity("machine"),
                searchable=True,
                allowDeselect=False,
                nothingFoundMessage="No machine of that name",
                maxDropdownHeight=320,
            ),
            dmc.Select(
                label="Precision", data=bits, value=chosen, id=_identity("precision"), allowDeselect=False
            ),
        ],
        className="sw-pair",
    )


def _own_file(card: Card) -> Part:
    if not card["file"]:
        return html.Div(className="sw-none")
    try:
        name = uploaded_name(str(card["file"]))
    except InputError as error:
        name = str(error)
    return html.Div(
        [html.Span(["Your own machine: ", html.Strong(name)]), _operation("drop-file", 0, "Drop it")],
        className="sw-own",
    )


def _segments(
    card: Card, field: str, label: str, choices: Sequence[tuple[str, str]], default: str = ""
) -> Part:
    return html.Div(
        [
            html.Span(label, className="sw-label", id=f"label-{field}"),
            dmc.SegmentedControl(
                data=[{"value": value, "label": text} for value, text in choices],
                value=str(card[field] or default),
                id=_identity(field),
                fullWidth=True,
                **aria(labelledby=f"label-{field}"),
            ),
        ]
    )


def _slider(card: Card, field: str, label: str, default: float, percent: bool = False) -> Part:
    """Return a slider through the field's steps, with the number beside it for any other value."""
    steps = STEPS[field]
    value = card[field]
    number = float(value) if isinstance(value, (int, float)) else default
    nearest = min(range(len(steps)), key=lambda index: abs(math.log(steps[index] / number)))
    return html.Div(
        [
            html.Label(label, htmlFor=f"number-{field}", className="sw-label", id=f"label-{field}"),
            html.Div(
                [
                    dmc.Slider(
                        id=_identity(field, kind="slider"),
                        min=0,
                        max=len(steps) - 1,
                        step=1,
                        value=nearest,
                        updatemode="drag",
                        label={"function": "stepLabel", "options": {"steps": list(steps)}},
                        thumbLabel=label,
                        className="sw-slider",
                    ),
                    dmc.NumberInput(
                        id=_identity(field, kind="number"),
                        value=number,
                        min=0,
                        step=1 if field == "months" else 0.1,
                        decimalScale=4,
                        hideControls=True,
                        debounce=300,
                        className="sw-number",
                        **aria(label=label),
                    ),
                ],
                className="sw-slider-row",
            ),
        ]
    )


def _number(
    card: Card, field: str, label: str, default: float | None = None, scale: float = 1, step: float = 0.1
) -> Part:
    value = card[field]
    shown = float(value) if isinstance(value, (int, float)) else default
    return dmc.NumberInput(
        label=label,
        value="" if shown is None else shown / scale,
        id=_identity(field, scale=scale),
        min=0,
        step=step,
        hideControls=True,
        debounce=300,
        thousandSeparator=",",
    )


def _select(
    card: Card, field: str, label: str, choices: Sequence[tuple[str, str]], default: str = ""
) -> Part:
    return dmc.Select(
        label=label,
        data=[{"value": value, "label": text} for value, text in choices],
        value=str(card[field] or default),
        id=_identity(field),
        allowDeselect=False,
    )


def _toggle(card: Card, field: str, label: str) -> Part:
    return dmc.Switch(label=label, checked=bool(card[field]), id={"toggle": field})


def _what_if(card: Card) -> list[Part]:
    return [
        _slider(card, "network_bandwidth", "Network bandwidth, times", 1.0),
        _slider(card, "latency", "Latencies of network and kernels, times", 1.0),
        _slider(card, "memory_bandwidth", "Memory bandwidth, times", 1.0),
        _slider(card, "data_factor", "Training tokens, times the data law's", 1.0),
    ]


def _laws(card: Card) -> list[Part]:
    controls: list[Part] = []
    for family, title in _FAMILY_TITLES.items():
        laws = FAMILIES[family]
        field = f"{family}_law"
        controls.append(
            _select(card, field, title, [(name, f"{name}: {law.formula}") for name, law in laws.items()])
        )
        for name, default in find_law(family, str(card[field])).options.items():
            label, scale = _PARAMETERS[name]
            controls.append(_number(card, name, label, default, scale))
    controls.append(_toggle(card, "rounding", "Round layers and batch so that clusters divide them"))
    controls.append(
        note("The sparsity law holds where the model is sparse and no number of experts is given.")
    )
    return controls


def _search(card: Card) -> list[Part]:
    usual = "reference" if card["reference"] else "full"
    return [
        _toggle(card, "reference", "As published: the paper's search, filling, latency and duration"),
        _segments(card, "search", "Search", (("full", "Every layout"), ("reference", "Published")), usual),
        _slider(card, "threshold", "Counts as efficient, share of sustained", 0.8),
        _grid(card),
        _select(
            card,
            "schedule",
            "Pipeline schedule",
            [("any", "any"), ("1f1b", "1F1B"), ("zero-bubble", "zero bubble")],
        ),
        _select(
            card,
            "latency_model",
            "All-reduce latency",
            [("constant", "two hops"), ("tree", "grows with the group")],
        ),
        _toggle(card, "overlap_tensor", "Tensor-parallel traffic under compute"),
        _toggle(card, "overlap_point_to_point", "Pipeline and expert traffic under compute"),
        _toggle(card, "overlap_data", "Gradient all-reduce under compute"),
    ]


def _methods(card: Card) -> list[Part]:
    return [
        _number(card, "sync_steps", "Replicas exchange every so many steps (DiLoCo)", step=1),
        _number(card, "sync_bits", "Bits of a value that they exchange (empty: a word)", step=1),
        _number(card, "optimizer_compute", "Optimizer's arithmetic, share of the step's"),
        _number(card, "optimizer_words", "Optimizer's words a parameter"),
        _number(card, "failures", "Failures an accelerator and million hours (0: none)", scale=1e-6),
        _select(
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
        id=_identity("grid"),
        allowDeselect=False,
    )


def _centres(card: Card) -> list[Part]:
    on = card["centre_size"] is not None
    controls: list[Part] = [
        dmc.Switch(label="Data centres as one more network level", checked=on, id={"toggle": "centres"})
    ]
    if on:
        controls += [
            _number(card, "centre_size", "Accelerators in each", step=1024),
            _number(card, "centre_count", "How many (empty: any number)", step=1),
            _number(card, "centre_bandwidth", "Bandwidth between them, GB/s an accelerator", scale=1e9),
            _number(card, "centre_latency", "Latency between them, ms (500 km of fibre: 2.5)", scale=1e-3),
        ]
    return controls


def _figures(card: Card, machine: MachineFile) -> list[Part]:
    own = card["overrides"]
    assert isinstance(own, Mapping)
    inputs = [_figure(path, figure, own.get(path)) for path, figure in figure_paths(machine.name).items()]
    upload = dcc.Upload(
        html.Button("Take a machine file (.toml)", type="button", className="sw-small-button"),
        id="upload-machine",
        max_size=MOST_FILE_BYTES,
        accept=".toml",
    )
    return [
        note("Empty: as the catalogue has it (grey). Plain numbers in SI units; 100e9 is 100 GB/s."),
        *inputs,
        upload,
        html.Div(id="upload-problem", role="status"),
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
