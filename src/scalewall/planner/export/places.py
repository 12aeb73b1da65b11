"""Which layers go where, in Megatron-Core's letters.

``E`` is the embedding, ``t`` a layer, ``m`` a prediction layer, ``L`` the head with the loss, ``|`` ends a part; ``*``
repeats a letter or what stands in brackets. After NVIDIA's Megatron-Core developer guide, "Custom pipeline model
parallel layout" (2025).
"""

from __future__ import annotations

import re
from itertools import groupby

from scalewall.errors import InputError
from scalewall.planner.layout import Layout
from scalewall.planner.pipeline import part_layers
from scalewall.workload.transformer import Transformer

__all__ = ["placed_chunks", "placement"]

_LETTERS = "EtmL|"
_GROUP = re.compile(r"\(([^()]*)\)\*(\d+)")
_LETTER = re.compile(r"([A-Za-z|])\*(\d+)")
_FEW = 2
"""Equal parts that are written out."""
_MOST_TIMES = 1000
_LONGEST = 10_000
"""Letters written out; the deepest models have some hundred layers."""


def placement(model: Transformer, layout: Layout) -> str:
    """Return which layers go where, equal parts together: ``E|(t|)*126L``; empty where they divide evenly."""
    if model.layers % (layout.pp * layout.chunks) == 0:
        return ""
    parts = ["t" * count for count in part_layers(model, layout.pp, layout.chunks)]
    parts[0] = "E" + parts[0]
    parts[-1] += "m" * model.prediction_layers + "L"
    alike = ((f"{part}|", len(list(same))) for part, same in groupby(parts[:-1]))
    runs = (f"({part})*{times}" if times > _FEW else part * times for part, times in alike)
    return "".join(runs) + parts[-1]


def placed_chunks(placed: str, pp: int, layers: int) -> int:
    """Return how many parts a stage has where the layers' places are given: ``E|(t|)*3,m|m||L``.

    Parameters
    ----------
    placed : str
        Places.
    pp, layers : int
        Stages, and layers of the model.

    Raises
    ------
    InputError
        Parts that do not divide over the stages, other letters, another number of layers.
    """
    flag = "--pipeline-model-parallel-layout"
    text = _written_out(flag, placed.replace(",", ""))
    parts = text.count("|") + 1
    if parts % pp:
        raise InputError(flag, placed, f"parts that divide over {pp} stages, and these are {parts}")
    if not set(text) <= set(_LETTERS) or text.count("t") != layers:
        allowed = f"{', '.join(_LETTERS)}, * and brackets, with a t for each of {layers} layers"
        raise InputError(flag, placed, allowed)
    return parts // pp


def _written_out(flag: str, text: str) -> str:
    """Return places with all repetitions written out."""
    if any(
        len(times) > len(str(_MOST_TIMES)) or int(times) > _MOST_TIMES for times in re.findall(r"\d+", text)
    ):
        raise InputError(flag, text, f"repetitions of at most {_MOST_TIMES}")
    for pattern in (_GROUP, _LETTER):
        before = ""
        while text != before:
            if len(text) > _LONGEST:
                raise InputError(flag, text, f"at most {_LONGEST} places")
            before, text = text, pattern.sub(lambda found: found[1] * int(found[2]), text)
    return text
