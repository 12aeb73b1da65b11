"""Distributions and designs: values have the spread that they say, follow from the seed alone, or are refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from scalewall.errors import InputError
from scalewall.study.designs import DESIGNS, MORRIS_ENDS, RANDOM, shares_of
from scalewall.study.distributions import distribution_of
from scalewall.study.paths import Value
from scalewall.study.samples import Sampled, Samples

UNIFORM = {"distribution": "uniform", "from": 1, "to": 12}
SHARES = (np.arange(4096) + 0.5) / 4096


def values(**written: Any) -> np.ndarray:
    return np.array(distribution_of("samples.x", written).quantile(SHARES))


def test_distributions_are_what_they_say() -> None:
    uniform = values(distribution="uniform", **{"from": 2, "to": 4})
    assert (uniform.min(), uniform.mean(), uniform.max()) == pytest.approx((2, 3, 4), abs=1e-3)
    assert np.median(values(distribution="log-uniform", **{"from": 1, "to": 100})) == pytest.approx(
        10, rel=2e-3
    )
    triangular = values(distribution="triangular", mode=2, **{"from": 1, "to": 6})
    assert (triangular.min(), triangular.mean(), triangular.max()) == pytest.approx((1, 3, 6), rel=0.03)
    normal = values(distribution="normal", mean=5, deviation=2)
    assert (normal.mean(), normal.std()) == pytest.approx((5, 2), rel=1e-3)
    log_normal = values(distribution="log-normal", median=3, factor=2)
    assert (np.mean(np.log2(log_normal / 3)), np.std(np.log2(log_normal))) == pytest.approx((0, 1), abs=1e-3)
    chosen = values(distribution="choice", values=["a", "b"], weights=[1, 3])
    assert (list(chosen[:2]), np.mean(chosen == "b")) == (["a", "a"], 0.75)
    assert set(values(distribution="uniform", whole=True, **{"from": 1, "to": 3}).tolist()) == {1, 2, 3}


@pytest.mark.parametrize(("name", "low", "high"), [("normal", -1, 5), ("log-normal", 3.6, 6.1)])
def test_the_middle_90_percent_can_be_given(name: str, low: float, high: float) -> None:
    read = distribution_of("x", {"distribution": name, "p5": low, "p95": high})
    assert read.quantile([0.05, 0.95]) == pytest.approx((low, high))


@pytest.mark.parametrize("name", ["normal", "log-normal"])
def test_bounds_cut_a_distribution_off(name: str) -> None:
    middle = {"normal": {"mean": 2, "deviation": 1}, "log-normal": {"median": 2, "factor": 1.5}}[name]
    whole = values(distribution=name, **middle)
    cut = values(distribution=name, least=1.5, most=2.5, **middle)
    assert (cut.min(), cut.max()) == pytest.approx((1.5, 2.5), abs=1e-3)
    kept = whole[(whole >= 1.5) & (whole <= 2.5)]
    assert cut.mean() == pytest.approx(kept.mean(), rel=1e-3)


@pytest.mark.parametrize(
    ("written", "named", "allowed"),
    [
        ({"distribution": "nromal"}, "x.distribution: 'nromal'", "Nearest: normal"),
        ({"distribution": "normal", "mean": 1}, "x.deviation is missing", "a finite number"),
        ({"distribution": "normal", "mean": 1, "p95": 2}, "x.p95", "deviation, least, mean"),
        ({"distribution": "normal", "mean": 1, "deviation": 0}, "x.deviation: 0.0", "above 0"),
        ({"distribution": "log-normal", "median": 1, "factor": 0.5}, "x.factor: 0.5", "above 1"),
        ({"distribution": "log-normal", "median": -1, "factor": 2}, "x.median: -1.0", "above 0"),
        ({"distribution": "log-normal", "p5": 2, "p95": 2}, "x.p95: 2.0", "above 2"),
        ({"distribution": "uniform", "from": 2, "to": 1}, "x.to: 1.0", "above 2"),
        ({"distribution": "uniform", "from": 1, "to": 2, "most": 1.5}, "x.most", "from, to, whole"),
        ({"distribution": "uniform", "from": 10**400, "to": 2}, "x.from: 1000", "a finite number"),
        ({"distribution": "triangular", "from": 1, "mode": 3, "to": 2}, "x.mode: 3.0", "from 1 to 2"),
        ({"distribution": "normal", "mean": 1, "deviation": 1, "least": 50}, "x.least: 50.0", "leave some"),
        (
            {"distribution": "normal", "mean": 1, "deviation": 1, "least": 3, "most": 2},
            "x.most: 2.0",
            "above 3",
        ),
        ({"distribution": "log-normal", "median": 1, "factor": 2, "most": -1}, "x.most: -1.0", "leave some"),
        ({"distribution": "uniform", "from": 0, "to": 1e30, "whole": True}, "x.whole: True", "2^53"),
        ({"distribution": "choice", "values": []}, "x.values: []", "at least one"),
        ({"distribution": "choice", "values": [1, 2], "weights": [1]}, "x.weights: [1]", "2 numbers"),
        ({"distribution": "choice", "values": [1, 2], "weights": [1, 0]}, "x.weights: 0.0", "above 0"),
        (3, "x: 3", "a distribution such as"),
    ],
    ids=lambda case: str(case)[:50],
)
def test_one_message_names_what_is_impossible(written: Any, named: str, allowed: str) -> None:
    with pytest.raises(InputError) as error:
        distribution_of("x", written)
    text = str(error.value)
    assert text.startswith(named.replace(" is missing", ": None"))
    assert allowed in text


def sampled(path: str) -> Sampled:
    return Sampled(path, distribution_of(path, UNIFORM))


def draw(samples: Samples, number: int) -> dict[str, Value]:
    return {one.path: samples.value(one, number) for one in samples.inputs}


@pytest.mark.parametrize("design", DESIGNS)
def test_draws_follow_from_the_seed(design: str) -> None:
    count = 3 * 8 if design == "morris" else 4 * 8
    inputs = (sampled("months"), sampled("threshold"))
    one, again, other = (Samples(inputs, count, seed, design) for seed in (7, 7, 8))
    drawn = [draw(one, number) for number in range(count)]
    assert [draw(again, number) for number in reversed(range(count))] == drawn[::-1]
    assert [draw(other, number) for number in range(count)] != drawn
    sent = pickle.loads(pickle.dumps(one))
    assert not {"_shares", "_block"} & vars(sent).keys()
    assert [draw(sent, number) for number in range(count)] == drawn


@pytest.mark.parametrize("design", [RANDOM, "latin-hypercube"])
def test_another_input_leaves_draws_as_they_are(design: str) -> None:
    alone = Samples((sampled("months"),), 2100, 7, design)
    both = Samples((sampled("threshold"), sampled("months")), 2100, 7, design)
    assert draw(alone, 2050)["months"] == draw(both, 2050)["months"] != draw(both, 2050)["threshold"]


def test_a_latin_hypercube_has_one_draw_in_each_slice() -> None:
    shares = shares_of("latin-hypercube", ["a", "b"], 100, 1)
    for column in shares.T:
        assert sorted((column * 100).astype(int)) == list(range(100))


def test_sobol_points_are_even_in_both_inputs_together() -> None:
    shares = shares_of("sobol", ["a", "b"], 64, 1)
    cells = (shares * 8).astype(int)
    assert len({tuple(cell) for cell in cells}) == 64


def test_morris_moves_one_input_at_a_time_between_levels_that_are_finite() -> None:
    shares = shares_of("morris", ["a", "b", "c"], 40, 1)
    moved = (np.diff(shares.reshape(10, 4, 3), axis=1) != 0).sum(axis=2)
    assert (moved == 1).all()
    assert (shares.min(), shares.max()) == MORRIS_ENDS
