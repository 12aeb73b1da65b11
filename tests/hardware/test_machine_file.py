"""What a machine file may say, and how it is told what is wrong with it."""

from pathlib import Path

import pytest

from scalewall.errors import InputError
from scalewall.hardware import MistakesError, UnsupportedMachineError, load_machine, read_machine
from scalewall.hardware.machine_file import LONGEST_CHAIN, MOST_BYTES

MINE = """
schema = 1
name = "mine"
title = "My accelerator"
kind = "user"

[sources]
sheet = "Vendor, data sheet (2030)"

[accelerator]
kernel_latency = { value = 2e-6, evidence = "assumed", note = "like its predecessor" }
units = { value = 100, evidence = "datasheet", source = "sheet" }
clock_hz = { value = 2e9, evidence = "datasheet", source = "sheet" }

[precision.16]
format = "bf16"
peak_flops = { value = 800e12, evidence = "datasheet", source = "sheet", date = "2030-01" }
sustained_fraction = { value = 0.7, evidence = "assumed", note = "usual" }

[memory.0]
name = "HBM"
capacity_bytes = { value = 96e9, evidence = "datasheet", source = "sheet" }
bandwidth = { value = 4e12, evidence = "datasheet", source = "sheet" }

[memory.1]
name = "SRAM"
capacity_bytes = { value = 64e6, evidence = "datasheet", source = "sheet" }

[network.0]
name = "ring"
size = { value = 4, evidence = "datasheet", source = "sheet" }
bandwidth = { value = 200e9, evidence = "datasheet", source = "sheet" }
latency = { value = 1e-6, evidence = "assumed", note = "usual" }

[network.1]
name = "Ethernet"
bandwidth = { value = 25e9, evidence = "datasheet", source = "sheet" }
latency = { value = 2e-6, evidence = "assumed", note = "usual" }
"""


@pytest.fixture
def write(tmp_path: Path):
    def writer(*changes: tuple[str, str], text: str = MINE, name: str = "mine.toml") -> Path:
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writer


def test_a_file_of_ones_own_by_path(write):
    cluster = load_machine(write())
    assert cluster.name == "mine"
    assert cluster.accelerator.peak_flops == 800e12
    assert [level.tile_bytes for level in cluster.accelerator.memory] == [96e9, 64e6]
    assert cluster.accelerator.memory[1].bandwidth == float("inf")
    assert cluster.figures["precision.16.peak_flops"].source == "Vendor, data sheet (2030)"
    assert cluster.figures["precision.16.peak_flops"].date == "2030-01"
    assert set(cluster.assumed) == {
        "accelerator.kernel_latency",
        "precision.16.sustained_fraction",
        "network.0.latency",
        "network.1.latency",
    }
    assert "accelerator.clock_hz" not in cluster.figures


PEAK = "peak_flops = { value = 800e12,"
SOURCED = 'units = { value = 100, evidence = "datasheet", source = "sheet" }'

REFUSED = [
    pytest.param(
        ("[memory.1]", "[memory.1]\nbandwith = 3"), "memory.1.bandwith", "bandwidth", id="unknown key"
    ),
    pytest.param(
        ('kind = "user"', 'kind = "user"\ncolour = "red"'), "colour", "one of", id="unknown top-level key"
    ),
    pytest.param(("[network.0]", "[networks.0]"), "networks", "network", id="unknown table"),
    pytest.param(("[precision.16]", "[precision.17]"), "precision", "16", id="unknown precision"),
    pytest.param((SOURCED, "units = 100"), "accelerator.units", "evidence", id="bare number"),
    pytest.param(
        (SOURCED, 'units = { value = 100, evidence = "datasheet" }'),
        "accelerator.units.source",
        "sheet",
        id="no source",
    ),
    pytest.param(
        (SOURCED, 'units = { value = 100, evidence = "datasheet", source = "shet" }'),
        "accelerator.units.source",
        "Nearest: sheet",
        id="unknown source",
    ),
    pytest.param(
        (SOURCED, 'units = { value = 100, evidence = "guess", note = "x" }'),
        "accelerator.units.evidence",
        "assumed",
        id="unknown evidence",
    ),
    pytest.param(
        (SOURCED, 'units = { value = 100, evidence = "assumed" }'),
        "accelerator.units.note",
        "reason",
        id="no reason",
    ),
    pytest.param(
        (SOURCED, 'units = { value = 100, evidence = "derived", source = "sheet" }'),
        "accelerator.units.note",
        "derived",
        id="no derivation",
    ),
    pytest.param(
        (SOURCED, SOURCED.replace("}", ', color = "red" }')), "accelerator.units.color", "note", id="key"
    ),
    pytest.param(
        (SOURCED, SOURCED.replace("100", '"100"')), "accelerator.units.value", "whole number", id="text"
    ),
    pytest.param(
        (SOURCED, SOURCED.replace("100", "true")), "accelerator.units.value", "whole number", id="yes/no"
    ),
    pytest.param(
        (SOURCED, SOURCED.replace("100", "99.5")), "accelerator.units.value", "whole number", id="fraction"
    ),
    pytest.param((PEAK, PEAK.replace("800e12", "-1.0")), "precision.16.peak_flops", "1e+06", id="negative"),
    pytest.param((PEAK, PEAK.replace("800e12", "0.0")), "precision.16.peak_flops", "1e+06", id="zero"),
    pytest.param(
        (PEAK, PEAK.replace("800e12", "nan")), "precision.16.peak_flops", "1e+21", id="not a number"
    ),
    pytest.param(
        (PEAK, PEAK.replace("800e12", "inf")), "precision.16.peak_flops", "1e+21", id="infinite peak"
    ),
    pytest.param((PEAK, PEAK.replace("800e12", "1e400")), "1e400", "1e+21", id="absurd"),
    pytest.param(
        (PEAK, PEAK.replace("800e12", "1" + "0" * 400)), "precision.16.peak_flops", "1e+21", id="huge"
    ),
    pytest.param(
        ("2e-6, evidence", "2.0, evidence"), "accelerator.kernel_latency", "to 1 s", id="latency of seconds"
    ),
    pytest.param(
        ('date = "2030-01"', 'date = "January"'), "precision.16.peak_flops.date", "YYYY-MM", id="date"
    ),
    pytest.param(("schema = 1", "schema = 2"), "schema", "1", id="schema"),
    pytest.param(('name = "mine"', 'name = "My GPU"'), "name", "lower-case", id="name"),
    pytest.param(('kind = "user"', 'kind = "toy"'), "kind", "product", id="kind"),
    pytest.param(('name = "HBM"', "name = 3"), "memory.0.name", "text", id="number for a text"),
    pytest.param(
        ('name = "SRAM"', 'name = "SRAM"\ndistributed = "yes"'), "memory.1.distributed", "true", id="word"
    ),
    pytest.param(('name = "SRAM"', ""), "memory.1.name", "As people call it", id="no name"),
    pytest.param(("[memory.1]", "[memory.2]"), "memory", "without a gap", id="gap"),
    pytest.param(("[network.1]", "[network.one]"), "network", "one", id="level that is no number"),
    pytest.param(
        ("value = 64e6", "value = 640e9"), "memory.1.capacity_bytes", "outermost", id="impossible hierarchy"
    ),
    pytest.param(
        (
            'format = "bf16"',
            f'format = "bf16"\n{SOURCED.replace("units", "flop_per_clock").replace("100", "9000")}',
        ),
        "precision.16.peak_flops",
        "1.8e+15",
        id="peak against clock",
    ),
    pytest.param(
        ('name = "Ethernet"', 'name = "Ethernet"\n' + SOURCED.replace("units", "size")),
        "network.1.size",
        "unbounded",
        id="size of the last level",
    ),
    pytest.param(
        (
            'name = "ring"',
            'name = "ring"\n' + SOURCED.replace("units", "pair_bandwidth").replace("100", "1e12"),
        ),
        "network.0.pair_bandwidth",
        "network.0.bandwidth",
        id="pair faster than all links",
    ),
    pytest.param(
        ('name = "HBM"', 'name = "HBM"\n' + SOURCED.replace("units", "bytes_per_clock")),
        "memory.0.bytes_per_clock",
        "not both",
        id="bandwidth twice",
    ),
    pytest.param(
        ("bandwidth = { value = 4e12", "bytes_per_clock = { value = 64"),
        "memory.0.bandwidth",
        "missing",
        id="incomplete",
    ),
    pytest.param(
        ("[accelerator]", '[missing]\n"network.0.bandwidth" = "secret"\n\n[accelerator]'),
        "missing.network.0.bandwidth",
        "is given",
        id="missing though given",
    ),
    pytest.param(
        (
            "[network.0]",
            '[price]\nusd = { value = 1e4, evidence = "literature", source = "sheet" }\n\n[network.0]',
        ),
        "price.usd.date",
        "when",
        id="price without a date",
    ),
    pytest.param(
        (SOURCED, SOURCED.replace('"sheet"', "[{ a = 1 }]")),
        "accelerator.units.source",
        "sheet",
        id="source that is a table",
    ),
    pytest.param(
        (SOURCED, SOURCED.replace('"sheet"', '[["sheet"]]')),
        "accelerator.units.source",
        "sheet",
        id="source that is a list in a list",
    ),
    pytest.param(
        ('"Vendor, data sheet (2030)"', '" "'), "sources.sheet", "the full reference", id="empty source"
    ),
    pytest.param(
        (SOURCED, 'units = { value = 100, evidence = "assumed", note = " " }'),
        "accelerator.units.note",
        "reason",
        id="empty reason",
    ),
    pytest.param(
        (
            "[accelerator]",
            '[missing]\n"network.0.bandwidth" = ""\n\n[accelerator]',
        ),
        "missing.network.0.bandwidth",
        "reason",
        id="missing without a reason",
    ),
    pytest.param(('name = "HBM"', 'name = ""'), "memory.0.name", "As people call it", id="empty name"),
    pytest.param(("[memory.1]", '[memory."²"]'), "memory", "0, 1, 2", id="level that only looks like one"),
    pytest.param(("schema = 1", "schema = true"), "schema", "True", id="yes for a version"),
    pytest.param(
        ('kind = "user"', 'kind = "user"\nreplace = [["network"]]'), "replace", "base", id="replace a list"
    ),
    pytest.param(('date = "2030-01"', 'date = "2030-13"'), "date", "YYYY-MM", id="month 13"),
]


@pytest.mark.parametrize(("change", "field", "told"), REFUSED)
def test_what_is_wrong_is_named_by_file_and_path(write, change, field, told):
    path = write(change)
    with pytest.raises(InputError) as caught:
        load_machine(path)
    assert str(path) in str(caught.value)
    assert field in str(caught.value)
    assert told in str(caught.value)


def test_every_mistake_is_found(write):
    path = write(
        (PEAK, PEAK.replace("800e12", "nan")),
        ('kind = "user"', 'kind = "toy"'),
        ("[memory.1]", "[memory.1]\nbandwith = 3"),
        (SOURCED, "units = 100"),
    )
    with pytest.raises(MistakesError) as caught:
        load_machine(path)
    fields = [mistake.field.removeprefix(f"{path}: ") for mistake in caught.value.mistakes]
    assert sorted(fields) == [
        "accelerator.units",
        "kind",
        "memory.1.bandwith",
        "precision.16.peak_flops.value",
    ]
    assert str(caught.value) == str(caught.value.mistakes[0])


def test_every_contradiction_is_found(write):
    path = write(
        ("value = 64e6", "value = 640e9"),
        (
            'name = "ring"',
            'name = "ring"\n' + SOURCED.replace("units", "pair_bandwidth").replace("100", "1e12"),
        ),
    )
    with pytest.raises(MistakesError) as caught:
        load_machine(path)
    assert [mistake.field.removeprefix(f"{path}: ") for mistake in caught.value.mistakes] == [
        "memory.1.capacity_bytes",
        "network.0.pair_bandwidth",
    ]


def test_a_memory_inside_others_has_at_least_one_for_each(write):
    inner = '[memory.2]\nname = "registers"\ncapacity_bytes = '
    inner += '{ value = 64e3, evidence = "datasheet", source = "sheet" }\n'
    eight = 'holders = { value = 8, evidence = "datasheet", source = "sheet" }\n'
    around = ('name = "SRAM"\n', f'name = "SRAM"\n{eight}')
    good = write(("[network.0]", f"{inner}{eight}\n[network.0]"), around, name="good.toml")
    assert [level.holders for level in load_machine(good).accelerator.memory] == [1, 8, 8]
    path = write(("[network.0]", f"{inner}\n[network.0]"), around)
    with pytest.raises(InputError, match=r"memory\.2\.holders: 1\.0 .* at least 8 in all"):
        load_machine(path)
    with pytest.raises(InputError, match=r"memory\.2\.holders: 4\.0 .* at least 8 in all"):
        load_machine(good, overrides={"memory.2.holders": 4})


def test_absurd_files_are_refused_before_they_take_long(tmp_path, write):
    deep = write(text=f"x = {'[' * 20000}{']' * 20000}")
    with pytest.raises(InputError, match=r"mine\.toml.*valid TOML"):
        load_machine(deep)
    long = tmp_path / "long.toml"
    long.write_text("# padding\n" * (MOST_BYTES // 10 + 1), encoding="utf-8")
    with pytest.raises(InputError, match=r"long\.toml.*1,000,000 bytes"):
        load_machine(long)
    for number in range(LONGEST_CHAIN + 2):
        head = f'schema = 1\nname = "m{number}"\ntitle = "M"\nkind = "user"\nbase = "m{number + 1}"\n'
        (tmp_path / f"m{number}.toml").write_text(head, encoding="utf-8")
    with pytest.raises(
        InputError, match=f"m{LONGEST_CHAIN}.toml: base: 'm0.toml' .* at most {LONGEST_CHAIN}"
    ):
        load_machine(tmp_path / "m0.toml")


def test_a_byte_order_mark_is_no_mistake(tmp_path, write):
    marked = tmp_path / "marked.toml"
    marked.write_bytes(b"\xef\xbb\xbf" + write().read_bytes())
    assert load_machine(marked).name == "mine"


def test_broken_and_absent_files(tmp_path, write):
    for text in ("name = ", f"schema = 1{'0' * 5000}"):
        with pytest.raises(InputError, match="valid TOML"):
            load_machine(write(text=text))
    broken = write(text="name = ")
    with pytest.raises(InputError, match=r"mine\.toml.*valid TOML"):
        load_machine(broken)
    with pytest.raises(InputError, match=r"absent\.toml.*readable"):
        load_machine(tmp_path / "absent.toml")


def test_a_base_gives_what_the_file_leaves_out(write):
    child = """
schema = 1
name = "mine-fast"
title = "My accelerator with a better network"
kind = "user"
base = "mine"
replace = ["network"]

[network.0]
name = "switch"
bandwidth = { value = 900e9, evidence = "assumed", note = "what if" }
latency = { value = 1e-6, evidence = "assumed", note = "what if" }
"""
    write()
    cluster = load_machine(write(text=child, name="mine-fast.toml"))
    assert cluster.accelerator.peak_flops == 800e12
    assert [(level.name, level.size) for level in cluster.network.levels] == [("switch", None)]
    catalogue = write(
        ('base = "mine"\nreplace = ["network"]', 'base = "ref-h100"\nreplace = ["network"]'), text=child
    )
    assert load_machine(catalogue).accelerator.peak_flops == load_machine("ref-h100").accelerator.peak_flops


def test_bases_that_go_round_in_a_circle(write):
    first = write(('kind = "user"', 'kind = "user"\nbase = "other.toml"'))
    write(('kind = "user"', 'kind = "user"\nbase = "mine.toml"'), name="other.toml")
    with pytest.raises(InputError, match=r"base.*mine\.toml -> other\.toml -> mine\.toml.*circle"):
        load_machine(first)
    with pytest.raises(InputError, match=r"base.*mine\.toml -> mine\.toml.*circle"):
        load_machine(write(('kind = "user"', 'kind = "user"\nbase = "mine"')))


def test_unknown_base_and_replaced_table(write):
    with pytest.raises(InputError, match=r"base: 'ref-h10'.*Nearest: ref-h100"):
        load_machine(write(('kind = "user"', 'kind = "user"\nbase = "ref-h10"')))
    with pytest.raises(InputError, match=r"replace: 'netwrk'.*Nearest: network"):
        load_machine(write(('kind = "user"', 'kind = "user"\nbase = "ref-h100"\nreplace = ["netwrk"]')))


def test_a_missing_figure_makes_the_ideal_model_unsupported_until_it_is_set(write):
    path = write(
        ('bandwidth = { value = 25e9, evidence = "datasheet", source = "sheet" }\n', ""),
        ("[accelerator]", '[missing]\n"network.1.bandwidth" = "no system was announced"\n\n[accelerator]'),
    )
    assert read_machine(path).missing == {"network.1.bandwidth": "no system was announced"}
    with pytest.raises(
        UnsupportedMachineError, match=r"ideal: unsupported.*network\.1\.bandwidth.*no system"
    ) as caught:
        load_machine(path)
    assert caught.value.missing == {"network.1.bandwidth": "no system was announced"}
    assert load_machine(path, overrides={"network.1.bandwidth": 50e9}).network.levels[1].bandwidth == 50e9
