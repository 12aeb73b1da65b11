"""Costs of parts from stages and from layers, and messages over a network."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.cost.pipeline import (
    Placement,
    Sends,
    Work,
    build_schedule,
    free_sends,
    layer_costs,
    network_sends,
    placement_of,
    simulate,
    spread_layers,
    stage_costs,
)
from scalewall.errors import InputError
from scalewall.hardware.machine import Network, NetworkLevel

ZEROS = np.zeros((2, 1))
NETWORK = Network((NetworkLevel("inner", 8, 100.0, 0.5), NetworkLevel("outer", None, 10.0, 2.0)))


def test_chunks_share_their_stage_but_copies_of_the_model_do_not():
    stage = Work(6.0, 4.0, 2.0, 8.0, 2.0, 100.0)
    folded = stage_costs(placement_of("zb-v", 3), stage)
    assert folded.forward[:, 0] == pytest.approx(np.full(6, 3.0))
    assert folded.fixed_bytes == pytest.approx([100.0] * 3)
    twice = stage_costs(placement_of("dualpipe", 2), stage)
    assert twice.forward[:, 0] == pytest.approx(np.full(4, 6.0))
    assert twice.fixed_bytes == pytest.approx([200.0] * 2)


def test_layers_embedding_and_loss_sit_where_they_belong():
    layer = Work(1.0, 1.0, 1.0, 2.0, 1.0, 10.0)
    costs = layer_costs(
        placement_of("1f1b", 3),
        [1, 3, 2],
        layer,
        embedding=Work(0.5, 0.0, 0.25, fixed_bytes=7.0),
        loss=Work(0.75, 0.75, 0.75, 5.0, 5.0, 9.0),
    )
    assert costs.forward[:, 0].tolist() == [1.5, 3.0, 2.75]
    assert costs.weight_gradient[:, 0].tolist() == [1.25, 3.0, 2.75]
    assert costs.activation_bytes.tolist() == [2.0, 6.0, 9.0]
    assert costs.fixed_bytes.tolist() == [17.0, 30.0, 29.0]
    slowest = simulate(build_schedule("1f1b", 3, 50), costs)
    assert np.argmax(slowest.stages.busy) == 1


@given(st.integers(1, 40), st.integers(0, 200))
def test_spreading_layers_keeps_them_all_and_favours_the_ends(parts, more):
    spread = spread_layers(parts + more, parts)
    assert sum(spread) == parts + more
    assert max(spread) - min(spread) <= 1
    assert spread[0] <= max(spread)
    if (parts + more) % parts < parts - 1:
        assert spread[-1] == min(spread) or spread[0] == min(spread)


def test_messages_take_the_level_that_joins_the_stages():
    sends = network_sends(placement_of("1f1b", 4), NETWORK, 50.0, stride=4)
    assert sends.transfer[0].tolist() == [0.5, 5.0, 0.5, 0.0]
    assert sends.latency[0].tolist() == [0.5, 2.0, 0.5, 0.0]
    assert sends.transfer[1].tolist() == [0.0, 0.5, 5.0, 0.5]
    assert len({int(lane) for lane in sends.lane[sends.lane >= 0]}) == 6


def test_the_turn_of_a_v_stays_on_its_stage():
    sends = network_sends(placement_of("zb-v", 3), NETWORK, 50.0, stride=8)
    assert sends.lane[0].tolist() == [1, 3, -1, 5, 3, -1]


def test_two_directions_of_one_stage_share_its_link():
    """Forward and gradient messages leave over the same link of the accelerator and queue there."""
    sends = network_sends(placement_of("1f1b", 3), NETWORK, 50.0, stride=1)
    assert sends.lane[0, 1] == sends.lane[1, 1]


def test_infinite_bandwidth_costs_latency_only():
    fast = Network((NetworkLevel("all", None, float("inf"), 1.0),))
    sends = network_sends(placement_of("1f1b", 3), fast, 50.0, stride=1)
    assert sends.transfer.max() == 0.0
    assert sends.latency.max() == 1.0


def test_a_network_that_ends_before_the_pipeline_is_refused():
    short = Network((NetworkLevel("inner", 2, 1.0, 0.0),))
    with pytest.raises(InputError, match="network"):
        network_sends(placement_of("1f1b", 4), short, 1.0, stride=1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Work(forward=-1.0), "forward: -1.0 .*at least 0"),
        (lambda: Work(weight_gradient=float("nan")), "weight_gradient: nan"),
        (lambda: stage_costs(placement_of("1f1b", 4), [Work()] * 3), "stage: 3 .*4: one a stage"),
        (lambda: stage_costs(placement_of("1f1b", 4), joint_fraction=0.0), "joint_fraction: 0.0"),
        (lambda: layer_costs(placement_of("1f1b", 4), [1, 2], Work()), "layers: .*4 whole numbers"),
        (lambda: spread_layers(3, 4), "layers: 3 .*Nearest: 4"),
        (lambda: network_sends(placement_of("1f1b", 2), NETWORK, -1.0, 1), "message_bytes: -1.0"),
        (lambda: network_sends(placement_of("1f1b", 2), NETWORK, 1.0, 0), "stride: 0"),
        (
            lambda: Sends(np.full((2, 1), -1.0), np.zeros((2, 1)), np.zeros((2, 1), int)),
            r"sends.transfer\[0, 0\]",
        ),
        (lambda: Sends(np.zeros((2, 1)), np.zeros((2, 2)), np.zeros((2, 1), int)), "sends: .*one shape"),
        (lambda: Placement(((0, 2),)), "chains: .*without gaps"),
    ],
)
def test_bad_figures_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"forward": np.full((2, 1), -1.0)}, r"costs.forward\[0, 0\]: -1.0"),
        ({"input_gradient": np.ones((3, 1))}, r"costs.input_gradient: \(3, 1\)"),
        ({"activation_bytes": np.array([1.0, np.inf])}, r"costs.activation_bytes\[1\]: inf"),
        ({"fixed_bytes": np.ones(3)}, r"costs.fixed_bytes: \(3,\)"),
        ({"sends": free_sends(placement_of("1f1b", 3))}, r"costs.sends: \(2, 3\)"),
    ],
)
def test_bad_arrays_are_named(change, message):
    with pytest.raises(InputError, match=message):
        replace(stage_costs(placement_of("1f1b", 2)), **change)
