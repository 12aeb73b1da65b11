"""References on pages lead to what they name."""

from __future__ import annotations

import pytest

from scalewall.web.pages.machines import machine_page
from scalewall.web.sources import linked


@pytest.mark.parametrize(
    ("text", "words", "address"),
    [
        ("A paper, arXiv 2411.01137 (2024)", "arXiv 2411.01137", "https://arxiv.org/abs/2411.01137"),
        (
            "NVIDIA, ai-dynamo/aiconfigurator at 095f58a51, systems",
            "ai-dynamo/aiconfigurator at 095f58a51",
            "https://github.com/ai-dynamo/aiconfigurator/tree/095f58a51",
        ),
        (
            "See https://example.org/a?b=1, chapter 2",
            "https://example.org/a?b=1",
            "https://example.org/a?b=1",
        ),
    ],
)
def test_what_has_an_address_is_a_link(text: str, words: str, address: str) -> None:
    before, link, after = linked(text)
    assert f"{before}{link.children}{after}" == text
    assert (link.children, link.href, link.rel) == (words, address, "noreferrer")


@pytest.mark.parametrize(
    "text", ["", "Google Cloud, documentation", "http://example.org", "javascript:alert(1)"]
)
def test_other_words_stay_words(text: str) -> None:
    assert linked(text) == ([text] if text else [])


def test_what_a_machine_lacks_is_said_in_the_pages_words() -> None:
    page = str(machine_page("tpu-v4"))
    assert "The model of limits lacks network.1.bandwidth; the Limits page can supply it" in page
    assert "--set" not in page


def test_a_machines_sources_are_links() -> None:
    page = str(machine_page("h100"))
    assert "href='https://github.com/stas00/ml-engineering/tree/744d01e'" in page
    assert page.count("NVIDIA, aiconfigurator, ") == 1
