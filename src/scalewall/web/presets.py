"""Questions that the article and the paper asked, and hardware that one can rent: a click each."""

from __future__ import annotations

from dataclasses import dataclass

from scalewall.web.state import Card, State

__all__ = ["PRESETS", "Preset", "preset_state"]


@dataclass(frozen=True)
class Preset:
    """A set of configurations.

    Parameters
    ----------
    key : str
        Its name in the page.
    title : str
        For people.
    group : str
        The heading under which it is listed.
    what : str
        A sentence on what it shows.
    cards : tuple of Card
        Its configurations, coloured in order.
    """

    key: str
    title: str
    group: str
    what: str
    cards: tuple[Card, ...]


def _card(name: str, machine: str, **settings: object) -> Card:
    return Card().having(name=name, machine=machine, **settings)


def _published(name: str, machine: str = "ref-h100", **settings: object) -> Card:
    return _card(name, machine, reference=True, **settings)


def _coloured(*cards: Card) -> tuple[Card, ...]:
    return tuple(card.having(colour=place) for place, card in enumerate(cards))


_PUBLISHED = "As published"
_HARDWARE = "Hardware"

PRESETS: tuple[Preset, ...] = (
    Preset(
        "today",
        "Accelerators of today",
        _HARDWARE,
        "Six that large runs use or will use, each with its usual network.",
        _coloured(
            _card("H100", "h100"),
            _card("H200", "h200"),
            _card("B200", "b200"),
            _card("GB200 NVL72", "gb200-nvl72"),
            _card("TPU v5p", "tpu-v5p"),
            _card("MI300X", "mi300x"),
        ),
    ),
    Preset(
        "searches",
        "H100: what the search does to the answer",
        _HARDWARE,
        "The same machine and laws, with clusters of powers of two and with every cluster that divides the model.",
        _coloured(_card("published search", "ref-h100", reference=True), _card("full search", "ref-h100")),
    ),
    Preset(
        "three-gpus",
        "V100, A100, H100",
        _PUBLISHED,
        "The article's first figure: three generations, dense models, three months.",
        _coloured(
            _published("V100", "ref-v100"), _published("A100", "ref-a100"), _published("H100", "ref-h100")
        ),
    ),
    Preset(
        "sparse",
        "Dense and sparse",
        _PUBLISHED,
        "Mixtures of experts on the A100 and the H100, sparsity by the paper's law.",
        _coloured(
            _published("H100 dense"),
            _published("H100 sparse", model="sparse"),
            _published("A100 dense", "ref-a100"),
            _published("A100 sparse", "ref-a100", model="sparse"),
        ),
    ),
    Preset(
        "batch-laws",
        "Three batch laws",
        _PUBLISHED,
        "A batch that stays fixed, one that grows as the critical batch, one that grows as Zhang et al. found.",
        _coloured(
            _published("fixed batch", batch_law="fixed"),
            _published("critical batch"),
            _published("Zhang et al.", batch_law="zhang"),
        ),
    ),
    Preset(
        "ten-times",
        "Hardware x10",
        _PUBLISHED,
        "All bandwidths times ten and latencies about a tenth.",
        _coloured(_published("H100"), _published("H100 x10", "ref-h100-10x")),
    ),
    Preset(
        "low-latency",
        "Latency / 10",
        _PUBLISHED,
        "Kernel and network latencies a tenth, bandwidths as they are.",
        _coloured(_published("H100"), _published("a tenth of the latency", "ref-h100-low-latency")),
    ),
    Preset(
        "global-nvlink",
        "Global NVLink",
        _PUBLISHED,
        "One NVLink domain of any size instead of nodes of eight.",
        _coloured(_published("nodes of eight"), _published("one domain", "ref-h100-global-nvlink")),
    ),
    Preset(
        "constant-depth",
        "Constant depth",
        _PUBLISHED,
        "Models that only grow wider, 120 layers deep, instead of deeper by the law.",
        _coloured(_published("depth by the law"), _published("120 layers", depth_law="constant", layers=120)),
    ),
    Preset(
        "gtx-580",
        "GTX 580 in 2012",
        _PUBLISHED,
        "How far the consumer card of AlexNet could have scaled, at 32 bits, beside the H100.",
        _coloured(_published("GTX 580", "gtx-580", precision=32), _published("H100")),
    ),
    Preset(
        "data-centres",
        "Four data centres",
        _PUBLISHED,
        "H100s in four data centres of 32,768, 500 km apart, beside one of any size.",
        _coloured(
            _published("one data centre"),
            _published("any number, 500 km apart", centre_size=32_768),
            _published("four of 32,768", centre_size=32_768, centre_count=4, grid=(15, 2048, 128 * 12288)),
        ),
    ),
)
"""In the order in which the page lists them."""


def preset_state(key: str) -> State | None:
    """Return the state of a preset; None if there is none of that name."""
    return next((State(preset.cards) for preset in PRESETS if preset.key == key), None)
