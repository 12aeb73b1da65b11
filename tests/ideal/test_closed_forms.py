import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.errors import InputError
from scalewall.hardware.machine import Accelerator, Cluster, MemoryLevel, Network, NetworkLevel
from scalewall.ideal import closed_forms as cf


def machine(peak_flops: float, hbm: float, outer: float, inner: float = 450e9) -> Cluster:
    memory = (MemoryLevel("HBM", 50e6, 1, False, hbm),)
    levels = (NetworkLevel("node", 8, inner, 1.125e-6), NetworkLevel("fabric", None, outer, 1.125e-6))
    accelerator = Accelerator("test", 16, peak_flops, 0.7, 4.5e-6, 80e9, memory)
    return Cluster("test", "test", accelerator, Network(levels))


V100 = machine(8 * 128 * 80 * 1533e6, 900e9, 6.25e9)
A100 = machine(16 * 128 * 108 * 1410e6, 1555e9, 25e9)
H100 = machine(32 * 128 * 132 * 1830e6, 3352e9, 50e9)


@pytest.mark.parametrize(
    ("cluster", "alpha", "expected"),
    [
        (V100, 0.0, 1.30e27),
        (A100, 0.0, 2.62e28),
        (H100, 0.0, 1.92e28),
        (V100, 0.2, 2.19e29),
        (A100, 0.2, 3.25e31),
        (H100, 0.2, 1.94e31),
    ],
)
def test_critical_compute_gives_the_published_values(cluster, alpha, expected):
    assert cf.critical_compute(cluster, cf.BatchPerLayer(alpha)) == pytest.approx(expected, rel=5e-3)


def test_latency_wall_gives_the_published_value():
    assert cf.latency_wall() == pytest.approx(2.3e31, rel=5e-3)


def test_the_articles_form_gives_its_own_numbers():
    parameters = cf.parameter_limit()
    assert f"{parameters:.0e}" == "4e+14"
    assert f"{cf.dense_training_flop(parameters):.0e}" == "2e+31"


def test_latency_wall_and_the_articles_form_say_the_same():
    parameters = cf.parameter_limit(batch_tokens=4e6, layers=100)
    assert cf.dense_training_flop(parameters) == pytest.approx(cf.latency_wall(), rel=1e-12)


def test_layer_latency_of_the_reference_machines_is_the_published_sum():
    assert cf.layer_latency(H100) == pytest.approx(cf.PUBLISHED_LAYER_LATENCY, rel=1e-12)


def test_one_unbounded_level_makes_a_node_of_one_accelerator():
    flat = replace(H100, network=Network((NetworkLevel("global", None, 450e9, 1e-6),)))
    assert cf.node_of(flat).multiply_adds == pytest.approx(H100.accelerator.peak_flops / 2)
    assert cf.node_of(H100).multiply_adds == pytest.approx(8 * H100.accelerator.peak_flops / 2)


def test_infinite_bandwidth_sets_no_limit():
    assert math.isinf(cf.critical_compute(machine(1e15, 3e12, math.inf)))
    assert math.isinf(cf.critical_compute(machine(1e15, math.inf, 50e9)))


@given(factor=st.floats(1.01, 100), alpha=st.floats(-0.2, 0.3))
def test_more_bandwidth_raises_the_limit_and_more_arithmetic_alone_lowers_it(factor, alpha):
    law = cf.BatchPerLayer(alpha)
    base = cf.critical_compute(machine(1e15, 3e12, 50e9), law)
    assert cf.critical_compute(machine(1e15, 3e12 * factor, 50e9), law) > base
    assert cf.critical_compute(machine(1e15, 3e12, 50e9 * factor), law) > base
    assert cf.critical_compute(machine(1e15 * factor, 3e12, 50e9), law) < base


@given(factor=st.floats(1e-3, 1e3), alpha=st.floats(-0.2, 0.3))
def test_scaling_every_time_together_changes_nothing(factor, alpha):
    law = cf.BatchPerLayer(alpha)
    slow = machine(1e15 / factor, 3e12 / factor, 50e9 / factor)
    stretched = cf.critical_compute(slow, law, cf.QUARTER_SECONDS * factor)
    assert stretched == pytest.approx(cf.critical_compute(machine(1e15, 3e12, 50e9), law), rel=1e-9)
    wall = cf.latency_wall(law, cf.QUARTER_SECONDS * factor, 9e-6 * factor)
    assert wall == pytest.approx(cf.latency_wall(law), rel=1e-9)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: cf.BatchPerLayer(alpha=0.5), "alpha"),
        (lambda: cf.BatchPerLayer(layers=0), "layers"),
        (lambda: cf.latency_wall(layer_seconds=0), "layer_seconds"),
        (lambda: cf.latency_wall(seconds=math.nan), "seconds"),
        (lambda: cf.critical_compute(H100, seconds=-1), "seconds"),
        (lambda: cf.parameter_limit(batch_tokens=math.inf), "batch_tokens"),
        (lambda: cf.parameter_limit(synchronizations=0), "synchronizations"),
    ],
)
def test_bad_input_names_its_field(call, field):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.field == field
