"""One server and one browser for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

import pytest
from playwright.sync_api import Browser

from scalewall.web.serving import Server
from tests.report.browser import chromium


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    server = Server("127.0.0.1", 0, workers=2)
    server.warm()
    thread = Thread(target=server.run)
    thread.start()
    yield server
    server.close()
    thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser
