"""The colours can be told apart: from the background by everyone, from each other by the colour-blind too."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scalewall.report.style import Theme, series_look, style

THEMES = {"light": style().light, "dark": style().dark}

# Linear RGB as seen at full severity: Machado, Oliveira and Fernandes, "A Physiologically-based Model for
# Simulation of Color Vision Deficiency", IEEE TVCG 15 (2009).
SEEN_WITH = {
    "full colour vision": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
LEAST_APART = {"full colour vision": 0.14, "protanopia": 0.11, "deuteranopia": 0.11, "tritanopia": 0.07}
# Linear RGB to OKLab: B. Ottosson, "A perceptual color space for image processing" (2020).
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(*colours: str) -> NDArray[np.float64]:
    coded = np.array([list(bytes.fromhex(colour[1:])) for colour in colours]) / 255
    return np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)


def contrast(colour: str, background: str) -> float:
    """Contrast ratio as WCAG 2 defines it."""
    light, dark = sorted(linear(colour, background) @ [0.2126, 0.7152, 0.0722], reverse=True)
    return float((light + 0.05) / (dark + 0.05))


@pytest.mark.parametrize("theme", list(THEMES.values()), ids=list(THEMES))
def test_lines_and_text_stand_out(theme: Theme) -> None:
    assert all(contrast(colour, theme.background) >= 3.0 for colour in theme.series)
    for colour in (theme.text, theme.muted, theme.good, theme.bad, theme.warn):
        assert contrast(colour, theme.background) >= 4.5
        assert contrast(colour, theme.surface) >= 4.5


@pytest.mark.parametrize(("vision", "least"), list(LEAST_APART.items()))
@pytest.mark.parametrize("theme", list(THEMES.values()), ids=list(THEMES))
def test_series_can_be_told_apart(theme: Theme, vision: str, least: float) -> None:
    seen = np.clip(linear(*theme.series) @ SEEN_WITH[vision].T, 0.0, 1.0)
    lab = np.cbrt(seen @ TO_CONES.T) @ TO_LAB.T
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=-1)
    assert apart[~np.eye(len(lab), dtype=bool)].min() >= least


def test_no_two_of_many_series_look_the_same() -> None:
    colours = len(style().light.series)
    assert len(style().dark.series) == colours
    looks = [series_look(index, colours) for index in range(colours * 7)]
    assert len(set(looks)) == len(looks)
