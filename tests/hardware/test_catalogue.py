"""The catalogue as a whole: names, evidence, and figures that fit together."""

import statistics

import pytest

from scalewall.errors import InputError
from scalewall.hardware import (
    MachineFile,
    UnsupportedMachineError,
    comparison_rows,
    figure_paths,
    load_machine,
    machine_names,
    read_machine,
)

NAMES = machine_names()
MACHINES: dict[str, MachineFile] = {name: read_machine(name) for name in NAMES}
ACCELERATORS = [name for name in NAMES if MACHINES[name].kind in ("product", "announced")]
CONTRACT = {
    *("ref-v100", "ref-a100", "ref-h100", "ref-h100-low-latency", "ref-h100-global-nvlink", "ref-h100-10x"),
    *("ref-h100-global-nvlink-low-latency", "ref-h100-infinite-network-low-latency", "ref-h100-superpod"),
    *("v100", "a100-80gb", "h100", "h200", "b200", "gb200-nvl72", "mi300x", "tpu-v5p", "gtx-580"),
}


def test_the_names_that_others_build_on():
    assert set(NAMES) >= CONTRACT


def test_at_least_forty_accelerators_and_the_reference_systems():
    assert len(ACCELERATORS) >= 40
    systems = {name for name in NAMES if MACHINES[name].kind == "system"}
    assert {"dgx-1", "dgx-2", "dgx-a100", "dgx-h100", "dgx-b200", "cloud-h100-8x400g"} <= systems
    assert {"h100-100k", "h100-four-data-centres"} <= systems


def test_no_two_machines_share_a_name_or_a_title():
    titles = [machine.title for machine in MACHINES.values()]
    assert len(set(titles)) == len(titles)


def test_unknown_names_get_the_nearest():
    with pytest.raises(InputError, match=r"machine: 'h10'.*Nearest:.*h100"):
        load_machine("h10")


def test_unknown_precision_says_which_there_are():
    with pytest.raises(InputError, match=r"precision: 8 .*h100: 16 bits"):
        load_machine("ref-h100", 8)


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_says_what_it_rests_on(name):
    for path, figure in MACHINES[name].figures.items():
        assert figure.source or (figure.evidence == "assumed" and figure.note), path


@pytest.mark.parametrize("name", ACCELERATORS)
def test_every_accelerator_has_a_vendor_a_date_and_what_it_is_known_for(name):
    machine = MACHINES[name]
    assert machine.vendor
    assert machine.note
    assert machine.released is not None
    assert {"memory.0.capacity_bytes", "memory.0.bandwidth"} <= set(machine.figures)


@pytest.mark.parametrize("name", NAMES)
def test_every_machine_can_be_used_or_says_what_it_lacks(name):
    missing = MACHINES[name].missing
    given = {path: 8 if path.endswith("size") else 10e9 for path in missing}
    for bits in map(int, MACHINES[name].levels("precision")):
        if missing:
            with pytest.raises(UnsupportedMachineError, match="ideal: unsupported") as caught:
                load_machine(name, bits)
            assert caught.value.missing == missing
        cluster = load_machine(name, bits, given)
        assert cluster.accelerator.peak_flops > 0
        assert cluster.network.levels[-1].size is None
        assert all(level.size for level in cluster.network.levels[:-1])


@pytest.mark.parametrize("name", NAMES)
def test_narrower_numbers_are_never_slower(name):
    machine = MACHINES[name]
    peaks = [
        row.values[0]
        for bits in (32, 16, 8, 4)
        for row in comparison_rows([machine], bits)
        if row.quantity == "peak"
    ]
    assert peaks == sorted(peaks)


@pytest.mark.parametrize("name", NAMES)
def test_rooflines_bend_where_hardware_bends(name):
    """Between 5 and 1000 FLOP for each byte of off-chip memory, at every precision."""
    machine = MACHINES[name]
    if machine.words["memory.0.name"] == "SRAM":
        return
    for bits in machine.levels("precision"):
        ridge = next(
            row.values[0] for row in comparison_rows([machine], int(bits)) if row.quantity == "ridge"
        )
        assert 5 < ridge < (1000 if int(bits) >= 16 else 2000)


NVLINK = {1: 80e9, 2: 150e9, 3: 300e9, 4: 450e9, 5: 900e9, 6: 1800e9}
"""Bytes/s of one accelerator in one direction by generation."""


@pytest.mark.parametrize("name", ACCELERATORS)
def test_links_are_counted_in_one_direction(name):
    machine = MACHINES[name]
    link = str(machine.words["network.0.name"])
    if link.startswith("NVLink") and name != "h800":
        assert machine.figures["network.0.bandwidth"].value == NVLINK[int(link.split()[1])]
    for level in machine.levels("network")[1:]:
        outer = machine.figures.get(f"network.{level}.bandwidth")
        assert outer is None or outer.value <= machine.figures[f"network.{int(level) - 1}.bandwidth"].value


SPARSE = {
    "h100": 1979e12,
    "h200": 1979e12,
    "b200": 4500e12,
    "mi300x": 2615e12,
    "a100-80gb": 624e12,
}
"""Peaks at 16 bits that vendors print with sparsity."""


@pytest.mark.parametrize("name", SPARSE)
def test_peaks_are_dense(name):
    assert load_machine(name).accelerator.peak_flops == pytest.approx(SPARSE[name] / 2, rel=0.02)


DOMAINS = {
    **dict.fromkeys(("v100", "a100-80gb", "h100", "h800", "b200", "b300", "mi300x", "gaudi3", "dgx-a100"), 8),
    **dict.fromkeys(("gb200-nvl72", "gb300-nvl72", "rubin-nvl72"), 72),
    **{"dgx-2": 16, "trainium2": 16, "ascend-910c": 384, "tpu-v5e": 256, "tpu-v5p": 8960, "tpu-v7": 9216},
}


@pytest.mark.parametrize("name", DOMAINS)
def test_domain_sizes(name):
    assert load_machine(name).network.levels[0].size == DOMAINS[name]


def test_other_pitfalls_of_published_figures():
    """An accelerator's share of its node's ports; one accelerator of a package, a board or a superchip."""
    assert load_machine("v100").network.levels[1].bandwidth == 6.25e9
    assert (
        load_machine("aws-p4d").network.levels[1].bandwidth
        == load_machine("dgx-a100").network.levels[1].bandwidth / 4
    )
    assert load_machine("gb200-nvl72").accelerator.memory_bytes == 186e9
    assert MACHINES["k80"].figures["memory.0.bandwidth"].value == 240e9
    assert MACHINES["rtx-4090"].figures["precision.16.peak_flops"].value == 165.2e12
    assert MACHINES["b300"].words["precision.8.format"] == "fp8"


def test_a_mesh_gives_a_pair_one_link_and_a_torus_cannot_exchange_all_at_once():
    mesh, torus, switch = (load_machine(name).network.levels[0] for name in ("mi300x", "tpu-v5p", "h100"))
    assert (mesh.bandwidth, mesh.pair_bandwidth) == (448e9, 64e9)
    assert torus.all_to_all_bandwidth < torus.pair_bandwidth < torus.bandwidth
    assert switch.pair_bandwidth == switch.all_to_all_bandwidth == float("inf")


def test_the_share_assumed_where_nothing_was_measured_is_the_median_of_what_was():
    path = "precision.16.sustained_fraction"
    figures = [MACHINES[name].figures[path] for name in ACCELERATORS if path in MACHINES[name].figures]
    measured = statistics.median(figure.value for figure in figures if figure.evidence == "measured")
    stated = {figure.value for figure in figures if "median of the measured" in figure.note}
    assert stated == {measured}


def test_data_centres_are_one_more_level():
    levels = load_machine("h100-four-data-centres").network.levels
    assert [level.size for level in levels] == [8, 4096, None]
    assert levels[2].latency == 2.5e-3


def test_gtx_580_has_32_bits_only():
    assert MACHINES["gtx-580"].levels("precision") == ["32"]
    cluster = load_machine("gtx-580", 32)
    assert cluster.accelerator.peak_flops == pytest.approx(16 * 64 * 1.544e9, rel=1e-3)
    assert cluster.accelerator.word_bytes == 4
    assert {"network.0.bandwidth", "network.1.bandwidth"} <= set(cluster.assumed)


def test_paths_list_the_figures():
    paths = figure_paths("h100")
    assert paths["network.1.bandwidth"].value == 50e9
    assert paths["network.0.pair_bandwidth"] is None
    assert "network.1.size" not in paths
