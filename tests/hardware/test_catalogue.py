"""The catalogue as a whole."""

import pytest

from scalewall.errors import InputError
from scalewall.hardware import figure_paths, load_machine, machine_names, read_machine

TODAY = ("v100", "a100-80gb", "h100", "h200", "b200", "gb200-nvl72", "mi300x", "gtx-580")


def test_the_names_that_others_build_on():
    assert {*TODAY, "ref-v100", "ref-a100", "ref-h100"} <= set(machine_names())


def test_unknown_names_get_the_nearest():
    with pytest.raises(InputError, match=r"machine: 'h10'.*Nearest:.*h100"):
        load_machine("h10")


def test_unknown_precision_says_which_there_are():
    with pytest.raises(InputError, match=r"precision: 8 .*h100: 16 bits"):
        load_machine("ref-h100", 8)


@pytest.mark.parametrize("name", machine_names())
def test_every_figure_says_what_it_rests_on(name):
    for path, figure in read_machine(name).figures.items():
        assert figure.source or (figure.evidence == "assumed" and figure.note), path


def test_pitfalls_of_published_figures():
    """Dense, not sparse; one direction, not both; an accelerator's share, not a node's or a pair's."""
    h100, b200, mi300x = (load_machine(name) for name in ("h100", "b200", "mi300x"))
    assert h100.accelerator.peak_flops == 989.4e12
    assert b200.accelerator.peak_flops == 2250e12
    assert mi300x.accelerator.peak_flops == 1307.4e12
    assert [level.bandwidth for level in h100.network.levels] == [450e9, 50e9]
    assert [level.bandwidth for level in load_machine("v100").network.levels] == [150e9, 6.25e9]
    assert load_machine("gb200-nvl72").accelerator.memory_bytes == 186e9
    assert load_machine("gb200-nvl72").network.levels[0].size == 72


def test_gtx_580_has_32_bits_only():
    assert read_machine("gtx-580").levels("precision") == ["32"]
    cluster = load_machine("gtx-580", 32)
    assert cluster.accelerator.peak_flops == pytest.approx(16 * 64 * 1.544e9, rel=1e-3)
    assert cluster.accelerator.word_bytes == 4
    assert {"network.0.bandwidth", "network.1.bandwidth"} <= set(cluster.assumed)


def test_paths_list_the_figures():
    paths = figure_paths("h100")
    assert paths["network.1.bandwidth"].value == 50e9
    assert paths["network.0.pair_bandwidth"] is None
    assert "network.1.size" not in paths
