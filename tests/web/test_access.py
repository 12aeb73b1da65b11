"""Usable by keyboard and by screen reader, in light and dark, from a phone up; pictures are taken for people."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from scalewall.web.pages.sections import SECTIONS
from tests.web.opening import Windows, answered, landed, until, visit

PAGES = {
    "limits": "/?v=1&1.machine=ref-h100&1.reference=yes&2.machine=ref-a100&2.reference=yes&2.colour=1",
    "plan": "/plan?v=1&model=gpt2-124m&machine=h100&gpus=8&global_batch=64&seq=1024",
    "when": "/when?v=1&generations=0&search=reference",
    "machines": "/machines",
    "laws": "/laws",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(name: str, scheme: str, url: str, browser: Windows, tmp_path: Path) -> None:
    width = 360 if scheme == "dark" else 1280
    with visit(browser, url, PAGES[name], width=width, height=740, scheme=scheme) as seen:
        page = seen.page
        if name == "limits":
            answered(page)
            until(page, "document.querySelectorAll('.js-plotly-plot .main-svg').length >= 5")
            for title, _ in list(SECTIONS.values())[1:]:
                page.get_by_role("button", name=title, exact=True).click()
            expect(page.locator("#upload-machine")).to_be_visible()
        elif name in ("plan", "when"):
            landed(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.screenshot(path=tmp_path / f"{name}-{width}-{scheme}.png", full_page=True)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_everything_goes_by_keyboard(url: str, browser: Windows) -> None:
    with visit(browser, url, PAGES["limits"]) as seen:
        page = seen.page
        answered(page)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "To the content"
        slider = page.get_by_role("slider", name="Longest run (months)")
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("textbox", name="Longest run (months)")).to_have_value("3.5")
        answered(page)
        assert "months=3.5" in page.url
        page.get_by_role("button", name="ref-a100").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Name", exact=True)).to_have_value("ref-a100")


def test_light_and_dark_change_at_once(url: str, browser: Windows) -> None:
    paper = "document.querySelector('#figure-utilization .js-plotly-plot').layout.paper_bgcolor"
    with visit(browser, url, PAGES["limits"]) as seen:
        page = seen.page
        answered(page)
        before = page.evaluate(paper)
        page.get_by_role("button", name="Light or dark").click()
        expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
        page.wait_for_timeout(300)
        assert page.evaluate(paper) != before
