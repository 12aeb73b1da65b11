"""The server around the page: its address, and its end while searches wait."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from threading import Semaphore, Thread
from types import SimpleNamespace
from typing import Any

import pytest

from scalewall.web import serving
from scalewall.web.serving import Server


def test_a_host_with_several_addresses_is_served_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def several(host: str, *rest: Any, **named: Any) -> list[Any]:
        hosts = ("127.0.0.1", "127.0.0.2") if host == "several" else (host,)
        return [found for one in hosts for found in real(one, *rest, **named)]

    monkeypatch.setattr(socket, "getaddrinfo", several)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server("several", port, 2)
    assert server.url == f"http://127.0.0.1:{port}"
    for host in ("127.0.0.1", "127.0.0.2"):
        socket.create_connection((host, port), timeout=60).close()
    server.close()
    server._server.close()


def test_an_address_of_version_6_stands_in_brackets() -> None:
    one = SimpleNamespace(effective_host="::1", effective_port=8050)
    assert serving._url(one) == "http://[::1]:8050"


def test_what_is_loaded_is_no_work_for_the_collector_of_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server("127.0.0.1", 0, 2)
    seen: list[int] = []
    monkeypatch.setattr(server, "_prepare", lambda: None)
    monkeypatch.setattr(server._server, "run", lambda: seen.append(gc.get_freeze_count()))
    try:
        server.run()
    finally:
        gc.unfreeze()
    assert seen[0] > 10_000, "objects of the libraries alone"


def test_an_interruption_ends_the_server_at_once_and_quietly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scalewall", "serve", "--port", "0", "--workers", "2"]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as server:
        assert server.stdout
        assert server.stderr
        port = int(server.stdout.readline().rpartition(":")[2].split()[0])
        codes: list[int] = []
        sent = Semaphore(0)

        def download(turn: int) -> None:
            connection = HTTPConnection("127.0.0.1", port, timeout=100)
            connection.request("GET", f"/download/limits.csv?1.grid=63,2048,1572864&1.months=3.{turn}1")
            sent.release()
            codes.append(connection.getresponse().status)
            connection.close()

        waiting = [Thread(target=download, args=(turn,)) for turn in range(8)]
        for thread in waiting:
            thread.start()
        assert all(sent.acquire(timeout=60) for _ in waiting)
        later = HTTPConnection("127.0.0.1", port, timeout=60)
        later.request("GET", "/progress/nobody")
        assert later.getresponse().status == 200
        later.close()
        time.sleep(0.5)
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
        for thread in waiting:
            thread.join(60)
        assert len(codes) == 8
        assert 503 in codes
        assert set(codes) <= {200, 503}
        assert server.stderr.read() == ""
    assert not list(tmp_path.glob("scalewall-*"))
