"""The page as visitors open it, with everything that it says and asks for kept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["WAIT", "Visit", "Windows", "answered", "landed", "until", "visit"]

WAIT = 30_000
"""Milliseconds that a loaded machine may take for anything."""


class Windows:
    """A browser that keeps what it loaded: windows of one colour scheme share their cache, but not what one chose."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: dict[str, BrowserContext] = {}

    def opened(self, scheme: str, width: int, height: int) -> Page:
        """Open a window."""
        if scheme not in self._contexts:
            self._contexts[scheme] = self._browser.new_context(color_scheme=scheme)
            self._contexts[scheme].add_init_script("localStorage.clear()")
        page = self._contexts[scheme].new_page()
        page.set_viewport_size({"width": width, "height": height})
        return page


@dataclass
class Visit:
    """A page, what it logged, and what it asked of other origins."""

    page: Page
    console: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


@contextmanager
def visit(
    browser: Windows, url: str, path: str = "/", width: int = 1280, height: int = 900, scheme: str = "light"
) -> Iterator[Visit]:
    """Open ``path``; at the end nothing was logged, refused or asked of another origin."""
    page = browser.opened(scheme, width, height)
    page.set_default_timeout(WAIT)
    seen = Visit(page)
    page.on("console", lambda message: seen.console.append(message.text))
    page.on("pageerror", lambda error: seen.console.append(str(error)))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith((url, "data:", "blob:")) else seen.foreign.append(request.url)
        ),
    )
    page.on("response", lambda reply: seen.refused.append(reply.url) if reply.status >= 400 else None)
    page.goto(url + path)
    page.locator("h1").wait_for()
    yield seen
    page.close()
    assert seen.console == []
    assert seen.foreign == []
    assert seen.refused == []


def until(page: Page, script: str) -> None:
    """Wait until a script's value is true; the page's own policy forbids it to poll for us."""
    end = time.monotonic() + WAIT / 1000
    while not page.evaluate(script):
        assert time.monotonic() < end, f"never came true: {script}"
        page.wait_for_timeout(50)


def answered(page: Page) -> None:
    """Wait until the full answer to what the page asks is drawn."""
    until(page, "document.body.dataset.answer === 'full'")
    until(
        page,
        "document.querySelector('#figure-utilization').hidden || "
        "!!document.querySelector('#figure-utilization .js-plotly-plot .main-svg')",
    )


def landed(page: Page) -> None:
    """Wait until a page that asks one question shows the answer to what it asks."""
    until(page, "document.body.dataset.answer === 'full'")
