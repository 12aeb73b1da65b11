"""Sobol indices and Morris effects of functions whose answers are known, under the package's own designs."""

from __future__ import annotations

import numpy as np
import pytest

from scalewall.errors import InputError
from scalewall.study.designs import shares_of
from scalewall.study.sensitivity import (
    Effect,
    Sensitivity,
    impossible,
    morris_effects,
    sobol_indices,
    unsettled,
)

PATHS = ("x1", "x2", "x3")


def ishigami(shares: np.ndarray) -> np.ndarray:
    """Ishigami and Homma 1990, a = 7, b = 0.1, inputs uniform between -pi and pi."""
    first, second, third = (2 * np.pi * shares - np.pi).T
    return np.sin(first) + 7 * np.sin(second) ** 2 + 0.1 * third**4 * np.sin(first)


def by_path(found: Sensitivity) -> dict[str, tuple[float, float]]:
    return {effect.path: (effect.main, effect.total) for effect in found.effects}


def test_sobol_indices_of_the_ishigami_function() -> None:
    shares = shares_of("saltelli", PATHS, 4096 * 5, 1)
    found = sobol_indices("y", PATHS, ishigami(shares), 1)
    expected = {"x1": (0.3139, 0.5576), "x2": (0.4424, 0.4424), "x3": (0.0, 0.2437)}
    for path, indices in by_path(found).items():
        assert indices == pytest.approx(expected[path], abs=0.02)
    for effect in found.effects:
        assert abs(effect.main - expected[effect.path][0]) <= 1.5 * effect.main_within
    assert (found.groups, found.dropped) == (4096, 0)
    assert [effect.path for effect in found.effects] == ["x1", "x2", "x3"]


def test_sobol_indices_of_a_sum_are_shares_of_its_variance() -> None:
    shares = shares_of("saltelli", PATHS, 1024 * 5, 0)
    found = by_path(sobol_indices("y", PATHS, shares @ [1.0, 2.0, 0.0], 0))
    assert found["x1"] == pytest.approx((0.2, 0.2), abs=0.01)
    assert found["x2"] == pytest.approx((0.8, 0.8), abs=0.01)
    assert found["x3"] == pytest.approx((0, 0), abs=1e-9)


def test_morris_effects_of_a_plane_are_its_slopes() -> None:
    shares = shares_of("morris", PATHS, 16 * 4, 3)
    found = morris_effects("y", PATHS, shares, shares @ [3.0, -1.0, 0.0], 3)
    effects = {effect.path: effect for effect in found.effects}
    assert [effect.path for effect in found.effects] == ["x1", "x2", "x3"]
    assert effects["x1"].main == pytest.approx(3 * 0.98)
    assert effects["x2"].main == pytest.approx(1 * 0.98)
    assert (effects["x3"].main, effects["x1"].total) == pytest.approx((0, 0), abs=1e-9)


@pytest.mark.parametrize("seed", [0, 5])
def test_confidence_intervals_follow_from_the_seed(seed: int) -> None:
    shares = shares_of("saltelli", PATHS, 64 * 5, seed)
    assert sobol_indices("y", PATHS, ishigami(shares), seed) == sobol_indices(
        "y", PATHS, ishigami(shares), seed
    )
    walks = shares_of("morris", PATHS, 16 * 4, seed)
    one, again = (morris_effects("y", PATHS, walks, ishigami(walks), seed) for _ in range(2))
    assert one == again


def test_groups_that_lack_an_answer_are_left_out_whole() -> None:
    shares = shares_of("saltelli", PATHS, 1024 * 5, 0)
    answers = shares @ [1.0, 2.0, 0.0]
    answers[[3, 4, 1000]] = np.nan
    found = sobol_indices("y", PATHS, answers, 0)
    assert (found.groups, found.dropped) == (1022, 2)
    assert by_path(found)["x1"] == pytest.approx((0.2, 0.2), abs=0.01)
    with pytest.raises(InputError, match="at least 4 groups"):
        sobol_indices("y", PATHS, np.full(5 * 8, np.nan), 0)


def test_an_answer_that_never_changes_depends_on_nothing() -> None:
    found = sobol_indices("y", PATHS, np.ones(5 * 8), 0)
    assert set(by_path(found).values()) == {(0.0, 0.0)}


def ranking(method: str, *effects: tuple[float, float], groups: int = 64, dropped: int = 0) -> Sensitivity:
    """Return effects by their ranked value and its half interval."""
    made = [
        Effect(path, *((0.0, 0.0, value, half) if method == "sobol" else (value, half, 0.0, None)))
        for path, (value, half) in zip(PATHS, effects, strict=False)
    ]
    return Sensitivity(method, "y", tuple(made), groups, dropped)


def test_a_ranking_is_settled_where_neighbours_differ_by_more_than_their_interval() -> None:
    assert unsettled(ranking("sobol", (0.6, 0.06), (0.3, 0.08), (0.1, 0.03))) is None
    assert unsettled(ranking("sobol", (0.6, 0.03), (0.59, 0.03))) is None, "equal to 5 points"
    assert unsettled(ranking("sobol", (0.6, 0.03), (0.04, 0.2), (0.03, 0.2))) is None, "only one matters"
    assert unsettled(ranking("sobol", (0.04, 0.2), (0.03, 0.2))) is None, "neither matters"
    assert unsettled(ranking("sobol", (0.0, 0.0), (0.0, 0.0))) is None
    assert unsettled(ranking("morris", (0.0, 0.0), (0.0, 0.0))) is None


def test_samples_that_would_settle_a_ranking_by_hand() -> None:
    """0.2 and 0.1 are 0.1 apart, and half the interval of their difference is 0.13 * sqrt(2): 3.38 times as many."""
    found = unsettled(ranking("sobol", (0.6, 0.1), (0.2, 0.13), (0.1, 0.13), groups=60, dropped=4))
    assert (found.higher.path, found.lower.path) == ("x2", "x3")
    assert found.needed == 256
    walks = unsettled(ranking("morris", (2.0, 0.13), (1.9, 0.13), groups=10))
    assert walks.needed == 34
    without = unsettled(ranking("sobol", (0.6, float("nan")), (0.2, 0.1), groups=4))
    assert without.needed == 32, "an interval that is not known may be as wide as the scale"


def test_more_alone_than_in_all_is_sampling_error() -> None:
    effects = (Effect("x1", 0.5, 0.2, 0.48, 0.2), Effect("x2", 0.4, 0.2, 0.31, 0.2))
    found = impossible(Sensitivity("sobol", "y", effects, 16, 0))
    assert found == (effects[1], 64)
    assert impossible(Sensitivity("sobol", "y", effects[:1], 16, 0)) is None, "2 points are no difference"
    assert impossible(Sensitivity("morris", "y", effects, 16, 0)) is None


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_as_many_samples_as_are_said_to_be_needed_settle_the_order(seed: int) -> None:
    few = shares_of("saltelli", PATHS, 16 * 5, seed)
    left = unsettled(sobol_indices("y", PATHS, few @ [1.0, 1.2, 1.6], seed))
    assert left is not None
    more = shares_of("saltelli", PATHS, left.needed * 5, seed)
    found = sobol_indices("y", PATHS, more @ [1.0, 1.2, 1.6], seed)
    assert [effect.path for effect in found.effects] == ["x3", "x2", "x1"]
