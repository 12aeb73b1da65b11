"""Links restore the page exactly; whatever else they hold is told and does no harm."""

from __future__ import annotations

from dataclasses import MISSING, fields
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewall.ideal.study import LimitsStudy
from scalewall.web.presets import PRESETS
from scalewall.web.settings import MOST_FILE_BYTES, SETTINGS, packed
from scalewall.web.state import DEFAULT, LONGEST_LINK, MOST_CARDS, Card, State, decode, encode

TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "nan",
            "inf",
            "-inf",
            "1e999",
            "-1",
            "0",
            "9" * 400,
            "<script>alert(1)</script>",
            "../../x.toml",
            "yes",
        ]
    ),
    st.floats().map(str),
)
KEYS = st.one_of(
    st.text(max_size=20),
    st.builds(
        lambda number, name: f"{number}.{name}", st.integers(-2, 12), st.sampled_from(sorted(SETTINGS))
    ),
    st.sampled_from(["v", "chosen", "runs"]),
)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_a_preset_comes_back_from_its_link(preset: object) -> None:
    state = State(preset.cards, chosen=len(preset.cards) - 1, runs=False)
    again = decode(encode(state))
    assert again.state == state
    assert again.problems == ()


def test_nothing_in_the_link_is_the_default() -> None:
    assert decode("").state == decode("?").state == DEFAULT


@given(pairs=st.lists(st.tuples(KEYS, TEXTS), max_size=12))
def test_any_link_is_a_state_that_its_own_link_restores(pairs: list[tuple[str, str]]) -> None:
    read = decode(urlencode(pairs, errors="replace"))
    assert 1 <= len(read.state.cards) <= MOST_CARDS
    assert 0 <= read.state.chosen < len(read.state.cards)
    again = decode(encode(read.state))
    assert again.state == read.state
    assert again.problems == ()


@given(query=st.text(max_size=200))
def test_any_text_is_a_link(query: str) -> None:
    assert decode(query).state.cards


@given(
    months=st.floats(1e-3, 1200),
    bandwidth=st.floats(1e3, 1e18),
    factor=st.floats(1e-4, 1e4),
    bounds=st.tuples(st.integers(1, 99), st.integers(100, 10**9)),
    file=st.text(st.characters(codec="utf-8"), max_size=200),
)
def test_numbers_and_files_come_back_exactly(
    months: float, bandwidth: float, factor: float, bounds: tuple[int, int], file: str
) -> None:
    card = Card().having(
        months=months,
        overrides={"network.1.bandwidth": bandwidth},
        latency=factor,
        bounds={"tp": bounds},
        file=file,
        grid=(7, 12288.0, 98304.5),
    )
    assert decode(encode(State((card,)))).state.cards == (card,)


def test_an_older_link_still_works_and_what_is_unknown_is_told() -> None:
    read = decode("?v=0&1.machine=b200&1.months=6&1.colourr=2&theme=dark&1.months.x=1")
    assert read.state.cards[0] == Card().having(machine="b200", months=6.0)
    text = " ".join(read.problems)
    assert "version '0'" in text
    assert "'1.colourr' is no setting" in text
    assert "Nearest: 1.colour" in text
    assert "'theme' is no setting" in text


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("1.months=nan", "0.001 to 1200"),
        ("1.machine=/etc/passwd.toml", "Allowed"),
        ("1.machine=all", "Allowed"),
        ("1.name=%3Cscript%3E", "without < and >"),
        ("1.grid=2047,12288,1e6", "63"),
        ("1.overrides=network.1.bandwidth:nan", "number"),
        ("1.bounds=tp:1-99999999999999999999", "number"),
        ("1.file=AAAA", "a file of at most"),
        ("chosen=9", "no configuration"),
        ("8.machine=h100", "at most 7"),
        ("1.overrides=" + ",".join(f"a{i}:1" for i in range(41)), "at most 40"),
    ],
)
def test_what_cannot_be_used_is_told_and_left_out(pair: str, said: str) -> None:
    read = decode(pair)
    assert said in " ".join(read.problems)
    assert read.state.cards[0]["machine"] == "h100"


def test_a_packed_bomb_is_not_unpacked() -> None:
    read = decode(f"1.file={packed('a' * 10 * MOST_FILE_BYTES)}")
    assert not read.state.cards[0]["file"]
    assert "at most 20,000 bytes" in read.problems[0]


def test_an_endless_link_is_the_default() -> None:
    read = decode("1.name=" + "a" * LONGEST_LINK)
    assert read.state == DEFAULT
    assert len(read.problems) == 1


def test_many_problems_are_summed_up() -> None:
    read = decode("&".join(f"x{number}=1" for number in range(30)))
    assert len(read.problems) == 9
    assert "22 more" in read.problems[-1]


def test_a_link_can_carry_every_setting_of_the_study_with_its_default() -> None:
    parts = {part.name: part for part in fields(LimitsStudy) if part.name not in ("machines", "flop")}
    carried = {name: setting for name, setting in SETTINGS.items() if setting.of_study}
    assert carried.keys() == parts.keys()
    for name, setting in carried.items():
        default = parts[name].default
        assert setting.default == (parts[name].default_factory() if default is MISSING else default), name


def test_every_place_has_a_colour_of_its_own_until_another_is_chosen() -> None:
    assert [card.colour for card in decode("?1.machine=h100&2.machine=b200&3.months=6").state.cards] == [
        0,
        1,
        2,
    ]
    same = State((Card().having(machine="b200"), Card().having(machine="h200")))
    assert encode(same) == "v=1&1.machine=b200&2.machine=h200&2.colour=0"
    assert decode(encode(same)).state == same


def test_data_centres_without_a_size_are_told() -> None:
    read = decode("?1.centre_count=4&1.centre_bandwidth=1e9")
    assert read.problems == tuple(
        f"1.centre_{name} has no effect without 1.centre_size." for name in ("count", "bandwidth")
    )
