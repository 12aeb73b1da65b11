"""``scalewall serve`` where it cannot listen; the pages are tested in tests/web."""

from __future__ import annotations

from tests.cli.running import run


def test_a_host_without_an_address_is_named() -> None:
    done = run("serve", "--host", "a..b")
    assert done.code == 2
    assert done.err.startswith("error: --host, --port: 'a..b:8050' is not usable.")
    assert "Traceback" not in done.err
