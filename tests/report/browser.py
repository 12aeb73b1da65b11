"""The system's Chromium, driven by Playwright: pages are opened as users open them, from a file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

__all__ = ["Seen", "chromium", "opened"]

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Seen:
    """What a page said on the console and asked for, besides itself."""

    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser; ``CHROMIUM`` names another one than the system's."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        raise FileNotFoundError("these tests need Chromium: install it, or name it in the variable CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(
    browser: Browser, file: Path, width: int = 1280, scheme: str = "light"
) -> Iterator[tuple[Page, Seen]]:
    """Open ``file`` in a window of its own and keep what it logs and asks for."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    seen = Seen()
    page.on("console", lambda message: seen.console.append(message.text))
    page.on("pageerror", lambda error: seen.console.append(str(error)))
    page.on("request", lambda request: seen.requests.append(request.url))
    page.goto(file.as_uri())
    seen.requests.remove(file.as_uri())
    yield page, seen
    page.close()
