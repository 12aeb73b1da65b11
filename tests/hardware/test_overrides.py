"""Setting single figures."""

import math

import pytest

from scalewall.errors import InputError
from scalewall.hardware import figure_paths, load_machine, parse_override


def test_parse():
    assert parse_override("network.1.bandwidth=100e9") == ("network.1.bandwidth", 100e9)
    assert parse_override(" network.1.bandwidth = inf ") == ("network.1.bandwidth", math.inf)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("network.1.bandwidth", "PATH=VALUE"),
        ("=3", "PATH=VALUE"),
        ("network.1.bandwidth=fast", "a number in SI units"),
        ("network.1.bandwidth=1e400", "from 1000 to 1e\\+18 bytes/s"),
        ("anything=1e400", "a number that a float can hold"),
    ],
)
def test_parse_refuses(text, told):
    with pytest.raises(InputError, match=told):
        parse_override(text)


def test_a_figure_is_set_and_marked_as_the_users():
    cluster = load_machine("ref-h100", overrides={"network.1.bandwidth": 100e9})
    assert cluster.network.levels[1].bandwidth == 100e9
    assert cluster.figures["network.1.bandwidth"].evidence == "user"
    assert not cluster.warnings
    assert load_machine("ref-h100").network.levels[1].bandwidth == 50e9


def test_unknown_path_gets_the_nearest():
    with pytest.raises(InputError, match=r"network\.1\.bandwith.*Nearest: network\.1\.bandwidth"):
        load_machine("ref-h100", overrides={"network.1.bandwith": 1e9})
    with pytest.raises(InputError, match=r"network\.2\.bandwidth"):
        load_machine("ref-h100", overrides={"network.2.bandwidth": 1e9})
    with pytest.raises(InputError, match=r"network\.1\.size"):
        load_machine("ref-h100", overrides={"network.1.size": 8})


@pytest.mark.parametrize("value", [-1.0, 0.0, math.nan, 1e30])
def test_implausible_values(value):
    with pytest.raises(InputError, match=r"network\.1\.bandwidth.*from 1000 to 1e\+18 bytes/s"):
        load_machine("ref-h100", overrides={"network.1.bandwidth": value})


def test_endless_is_for_bandwidths_only():
    assert (
        load_machine("ref-h100", overrides={"memory.0.bandwidth": math.inf}).accelerator.memory[0].bandwidth
        == math.inf
    )
    with pytest.raises(InputError, match=r"memory\.0\.capacity_bytes"):
        load_machine("ref-h100", overrides={"memory.0.capacity_bytes": math.inf})


@pytest.mark.parametrize("value", [50e12, 50e6])
def test_a_unit_mistaken_by_1000_is_a_warning(value):
    (warning,) = load_machine("ref-h100", overrides={"network.1.bandwidth": value}).warnings
    assert "network.1.bandwidth" in warning
    assert "unit" in warning


def test_setting_what_the_precision_does_not_use_is_a_warning():
    (warning,) = load_machine("h100", 16, {"precision.8.peak_flops": 2e15}).warnings
    assert "precision.8.peak_flops" in warning
    assert "16 bits" in warning


def test_peak_follows_the_clock_unless_it_is_set_itself():
    usual = load_machine("h100")
    assert usual.accelerator.peak_flops == 989.4e12
    faster = load_machine("h100", overrides={"accelerator.clock_hz": 2 * 1.83e9})
    assert faster.accelerator.peak_flops == 2 * 989.4e12
    assert faster.accelerator.memory[2].bandwidth == 2 * usual.accelerator.memory[2].bandwidth
    both = load_machine(
        "h100", overrides={"accelerator.clock_hz": 2 * 1.83e9, "precision.16.peak_flops": 1e15}
    )
    assert both.accelerator.peak_flops == 1e15


@pytest.mark.parametrize("name", ["h100", "ref-h100", "mi300x", "tpu-v5p"])
def test_setting_a_figure_to_its_own_value_changes_nothing(name):
    usual = load_machine(name)
    for path, figure in usual.figures.items():
        assert load_machine(name, overrides={path: figure.value}) == usual, path


def test_more_multiprocessors_mean_more_of_what_they_hold():
    more = load_machine("ref-h100", overrides={"accelerator.units": 264}).accelerator
    assert more.peak_flops == 2 * load_machine("ref-h100").accelerator.peak_flops
    assert [level.holders for level in more.memory] == [1, 1, 264, 1056]


def test_a_bandwidth_can_replace_bytes_per_clock():
    path = "memory.2.bandwidth"
    cluster = load_machine("ref-h100", overrides={path: 1e13})
    assert cluster.accelerator.memory[2].bandwidth == 1e13
    assert "memory.2.bytes_per_clock" not in cluster.figures
    assert figure_paths("ref-h100")[path] is None


def test_an_inner_memory_cannot_outgrow_the_outermost():
    with pytest.raises(InputError, match=r"memory\.1\.capacity_bytes.*outermost"):
        load_machine("ref-h100", overrides={"memory.1.capacity_bytes": 1e12})


def test_a_small_l2_still_holds_a_multiprocessors_tile():
    assert (
        load_machine("ref-h100", overrides={"memory.1.capacity_bytes": 2**16})
        .accelerator.memory[1]
        .tile_bytes
        == 196608
    )


def test_a_precision_that_a_machine_lacks_can_be_supplied() -> None:
    supplied = {"precision.4.peak_flops": 4e15, "precision.4.sustained_fraction": 0.6}
    cluster = load_machine("h100", 4, supplied)
    assert (cluster.accelerator.word_bytes, cluster.accelerator.peak_flops) == (0.5, 4e15)
    with pytest.raises(InputError, match="precision"):
        load_machine("h100", 4, {"precision.4.peak_flops": 4e15})


def test_one_more_network_level_can_be_supplied() -> None:
    supplied = {"network.1.size": 4096, "network.2.bandwidth": 4.7e9, "network.2.latency": 2.5e-3}
    ours, theirs = load_machine("h100", 16, supplied), load_machine("h100-four-data-centres")
    assert [(one.size, one.bandwidth, one.latency) for one in ours.network.levels] == [
        (one.size, one.bandwidth, one.latency) for one in theirs.network.levels
    ]
    with pytest.raises(InputError, match=r"network\.2\.bandwidth"):
        load_machine("h100", 16, {"network.2.bandwidth": 4.7e9})
