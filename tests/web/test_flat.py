"""Links of the Plan and When pages: any text is a link, what it says comes back, what it cannot say is told."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scalewall.web.flat import decode_flat, encode_flat
from scalewall.web.plan_question import PLAN_SETTINGS
from scalewall.web.settings import Setting
from scalewall.web.when_question import WHEN_SETTINGS

PAGES = {"plan": PLAN_SETTINGS, "when": WHEN_SETTINGS}
TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["nan", "inf", "1e999", "-1", "0", "8", "1:8", "9" * 400, "h100,b200", "<b>", "5e26@2025-07", "yes"]
    ),
)


@pytest.mark.parametrize("page", PAGES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_link_is_a_question_that_its_own_link_restores(page: str, data: st.DataObject) -> None:
    names = PAGES[page]
    keys = st.one_of(st.text(max_size=12), st.sampled_from(sorted(names)))
    pairs = data.draw(st.lists(st.tuples(keys, TEXTS), max_size=8))
    values, _ = decode_flat(urlencode(pairs, errors="replace"), names)
    assert values.keys() == names.keys()
    again, problems = decode_flat(encode_flat(values, names), names)
    assert again == values
    assert problems == ()


@pytest.mark.parametrize("names", PAGES.values(), ids=PAGES)
def test_the_defaults_are_an_empty_link(names: Mapping[str, Setting]) -> None:
    values, problems = decode_flat("", names)
    assert encode_flat(values, names) == "v=1"
    assert problems == ()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("gpu=8", "Nearest: gpus"),
        ("machine=/etc/passwd", "Allowed"),
        ("machine=" + ",".join(["h100", "b200", "h200", "b300", "mi300x", "v100", "a100-80gb"]), "at most 6"),
        ("tp=eight", "whole numbers"),
        ("schedule=wild", "1f1b"),
        ("v=2", "version '2'"),
        ("config=xx", "a file of at most"),
        ("model=" + "a" * 40_000, "longer than"),
    ],
)
def test_what_cannot_be_used_is_told(query: str, said: str) -> None:
    values, problems = decode_flat(query, PLAN_SETTINGS)
    assert said in " ".join(problems)
    assert values == decode_flat("", PLAN_SETTINGS)[0]
