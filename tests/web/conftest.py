"""One server, started as users start it, and one browser for all tests of the page."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.report.browser import chromium
from tests.web.opening import WAIT, Windows


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The address of a running server."""
    command = [sys.executable, "-m", "scalewall", "serve", "--port", "0", "--workers", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        line = server.stdout.readline()
        assert line.startswith("scalewall is ready at http://127.0.0.1:"), line
        yield line.split()[4]
        server.terminate()
        assert server.wait(30) == 0


expect.set_options(timeout=WAIT)


@pytest.fixture(scope="session")
def browser() -> Iterator[Windows]:
    with chromium() as browser:
        yield Windows(browser)
