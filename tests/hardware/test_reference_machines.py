"""The machines of arXiv 2411.01137, figure by figure."""

import math

import pytest

from scalewall.hardware import NetworkLevel, load_machine

GPUS = {
    # n_sm, c, f_max, eta, HBM, L2, L2 bandwidth, dsmem, memory, b_0, b_1
    "ref-v100": (80, 8, 1533e6, 0.90, 900e9, 6 * 2**20, 2155e9, False, 32e9, 150e9, 6.25e9),
    "ref-a100": (108, 16, 1410e6, 0.85, 1555e9, 40 * 2**20, 5603e9, False, 40e9, 300e9, 25e9),
    "ref-h100": (132, 32, 1830e6, 0.70, 3352e9, 50 * 2**20, 6441e9, True, 80e9, 450e9, 50e9),
}


@pytest.mark.parametrize("name", GPUS)
def test_figures_of_the_three_accelerators(name):
    units, rate, clock, sustained, hbm, l2, l2_bandwidth, dsmem, memory, inner, outer = GPUS[name]
    cluster = load_machine(name)
    accelerator = cluster.accelerator
    assert accelerator.precision == 16
    assert accelerator.word_bytes == 2
    assert accelerator.peak_flops == rate * 128 * units * clock
    assert accelerator.sustained_fraction == sustained
    assert accelerator.sustained_flops == sustained * accelerator.peak_flops
    assert accelerator.kernel_latency == 4.5e-6
    assert accelerator.memory_bytes == memory
    levels = [(level.tile_bytes, level.holders, level.distributed) for level in accelerator.memory]
    assert levels == [
        (memory, 1, False),
        (0.75 * l2, 1, False),
        (192 * 1024, units, dsmem),
        (48 * 1024, 4 * units, False),
    ]
    bandwidths = [level.bandwidth for level in accelerator.memory]
    assert bandwidths == pytest.approx(
        [hbm, l2_bandwidth, 128 * units * sustained * clock, math.inf], rel=1e-14
    )
    network = [(level.size, level.bandwidth, level.latency) for level in cluster.network.levels]
    assert network == [(8, inner, 1.125e-6), (None, outer, 1.125e-6)]
    assert not cluster.assumed
    assert not cluster.warnings


NETWORKS = {
    "ref-h100-low-latency": [(8, 450e9, 1.125e-7), (None, 50e9, 1.125e-7)],
    "ref-h100-global-nvlink": [(None, 450e9, 1.125e-6)],
    "ref-h100-global-nvlink-low-latency": [(None, 450e9, 1.125e-7)],
    "ref-h100-infinite-network-low-latency": [(None, math.inf, 1.125e-7)],
    "ref-h100-10x": [(8, 4500e9, 0.5e-6), (None, 500e9, 0.5e-6)],
    "ref-h100-superpod": [(8, 450e9, 1.125e-6), (32, 225e9, 1.125e-6), (None, 50e9, 1.125e-6)],
}


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_of_the_hypothetical_machines(name):
    levels: tuple[NetworkLevel, ...] = load_machine(name).network.levels
    assert [(level.size, level.bandwidth, level.latency) for level in levels] == NETWORKS[name]


@pytest.mark.parametrize("name", NETWORKS)
def test_the_hypothetical_machines_differ_from_the_h100_only_as_stated(name):
    h100, changed = load_machine("ref-h100").accelerator, load_machine(name).accelerator
    fast = "low-latency" in name or "10x" in name
    assert changed.kernel_latency == (0.45e-6 if fast else 4.5e-6)
    more = 10 if "10x" in name else 1
    assert [level.bandwidth for level in changed.memory] == pytest.approx(
        [level.bandwidth * (more if index < 2 else 1) for index, level in enumerate(h100.memory)], rel=1e-14
    )
    assert [level.tile_bytes for level in changed.memory] == [level.tile_bytes for level in h100.memory]
    assert changed.peak_flops == h100.peak_flops
