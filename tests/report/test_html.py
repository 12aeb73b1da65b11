"""The page stands alone: one file, no other origin, everything escaped, readable without its script."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from scalewall.report.limits_page import page
from tests.report.samples import make_limits

COMMAND = "scalewall limits --machine h100 --plot 'a <b>.html'"


class Parsed(HTMLParser):
    """Elements of a page, its text outside scripts and styles, and the text of each script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = "" if tag == self._inside else self._inside

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        elif not self._inside:
            self.text += data


@pytest.fixture(scope="module")
def several() -> Parsed:
    awkward = make_limits("v100", "V100 <SXM> & </script><script>alert(1)</script>", warnings=("a < b",))
    return Parsed(page([make_limits(), awkward, make_limits("gtx-580", "GTX 580", rows=0)], COMMAND))


def test_it_asks_no_other_origin_for_anything(several: Parsed) -> None:
    for tag, attributes in several.elements:
        for name in ("src", "href", "srcset", "action", "data"):
            assert name not in attributes or (tag, attributes[name]) == ("link", "data:,")
    (policy,) = [
        attributes["content"] or ""
        for tag, attributes in several.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy


def test_titles_cannot_break_out(several: Parsed) -> None:
    assert len(several.scripts) == 3
    assert not any("alert(1)</script" in script for script in several.scripts)
    assert "V100 <SXM> & </script><script>alert(1)</script>" in several.text


def test_a_warning_stands_once_in_the_page(several: Parsed) -> None:
    assert several.text.count("a < b") == 1


def test_the_figures_are_in_the_page(several: Parsed) -> None:
    document = json.loads(several.scripts[1])
    wanted = {attributes["data-chart"] for _, attributes in several.elements if "data-chart" in attributes}
    assert wanted == set(document["charts"])
    assert wanted == {"utilization", "accelerators", "degrees-0", "shares-0", "degrees-1", "shares-1"}
    used = set(re.findall(r'"(@[a-z0-9.]+)"', several.scripts[1]))
    assert used <= set(document["themes"]["light"])
    assert set(document["themes"]["light"]) == set(document["themes"]["dark"])


def test_it_says_what_it_found_what_it_rests_on_and_how_to_repeat_it(several: Parsed) -> None:
    text = " ".join(several.text.split())
    for part in (
        "How far can training runs scale on",
        "stay efficient up to 2.05e28 FLOP",
        "GTX 580 finishes no run of the grid in 3 months.",
        "reference search",
        "depth published",
        "no attention layers",
        "memory.1.bandwidth",
        "Not published; scaled from the A100's",
        "v100: a < b",
        "arXiv 2411.01137",
        "scalewall limits --machine h100 --plot 'a <b>.html'",
        "scalewall 0.1.0",
    ):
        assert part in text


def test_one_machine_needs_no_chooser_and_no_command_is_fine() -> None:
    parsed = Parsed(page([make_limits()]))
    assert not any(tag == "select" for tag, _ in parsed.elements)
    assert "Make this again" not in parsed.text


def test_many_machines_are_counted_in_the_title() -> None:
    parsed = Parsed(page([make_limits(f"m{number}") for number in range(5)]))
    assert "5 machines compared" in parsed.text
    assert sum(tag == "option" for tag, _ in parsed.elements) == 5


def test_without_assumed_figures_it_says_so() -> None:
    limits = make_limits()
    plain = replace(limits, assumptions={**limits.assumptions, "assumed_figures": {}}, closed_forms={})
    text = Parsed(page([plain])).text
    assert "No figure of these machines had to be assumed." in text
    assert "Closed forms" not in text
