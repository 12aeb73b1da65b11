"""The production server around the application."""

from __future__ import annotations

import errno
import gc
import logging
import os
import socket
import time
from threading import Thread
from typing import Any

from scalewall.errors import ScalewallError
from scalewall.web.answers import Answers
from scalewall.web.app import build_app
from scalewall.web.pages.asking import Questions
from scalewall.web.pages.plan import PLAN
from scalewall.web.pages.when import WHEN
from scalewall.web.plan_task import plan_task
from scalewall.web.state import DEFAULT, encode
from scalewall.web.tasks import limits_task
from scalewall.web.workers import StaleError, Workers

__all__ = ["Server"]

_THREADS = 64
"""Requests at once; most of them wait for a search."""
_PAUSE = 5.0
"""Seconds after which what a visitor's search put off is tried again."""


class Server:
    """The simulator on an address, with its search processes.

    Parameters
    ----------
    host : str
        Address to listen on; ``127.0.0.1`` is reached from this machine alone.
    port : int
        0 takes a free one.
    workers : int, optional
        Search processes; default: as many as this machine has processors, at least two.

    Raises
    ------
    OSError
        The address is taken or is none of this machine's.
    """

    def __init__(self, host: str, port: int, workers: int | None = None) -> None:
        from waitress.server import create_server

        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        _check_address(host, port)
        self._workers = Workers(workers or max(2, os.cpu_count() or 2))
        self._answers = Answers(self._workers)
        self._questions = Questions(self._workers)
        self._closed = False
        try:
            self._server = create_server(
                build_app(self._answers, self._questions).server,
                host=host,
                port=port,
                threads=_THREADS,
                ident="scalewall",
                clear_untrusted_proxy_headers=True,
            )
        except BaseException:
            self._workers.close()
            raise
        self.url = _url(self._server)

    def warm(self) -> None:
        """Load or compile the search kernels, and compute what a visitor sees first."""
        first = encode(DEFAULT)
        self._workers.warm(
            (limits_task, (first, "reference")), (limits_task, (first, None)), (plan_task, ("",))
        )
        self._answers.of(DEFAULT.visible)

    def run(self) -> None:
        """Serve until interrupted; then end the search processes.

        What is loaded by now stays to the end, so that Python's collector of garbage need not walk through it: that
        would stop every request for a tenth of a second now and then.
        """
        gc.collect()
        gc.freeze()
        Thread(target=self._prepare, name="prepare", daemon=True).start()
        try:
            self._server.run()
        finally:
            self.close()
            self._server.close()

    def close(self) -> None:
        """End the searches, so that no request waits for one; a signal's handler may call it while the server runs.

        What the server says of requests that it cuts off then helps nobody.
        """
        self._closed = True
        logging.getLogger("waitress").setLevel(logging.CRITICAL)
        self._workers.close()

    def _prepare(self) -> None:
        """Answer what the other pages ask first, while no visitor waits for a search."""
        pages = [PLAN, WHEN]
        while pages and not self._closed:
            page = pages[0]
            query, _ = page.read("")
            try:
                self._questions.found(page, query, self._is_needed, lambda name, done, total: None)
            except StaleError:
                time.sleep(_PAUSE)
            except (ScalewallError, OSError):
                return
            else:
                pages.pop(0)

    def _is_needed(self) -> bool:
        return self._closed or self._workers.waiting > 0


def _check_address(host: str, port: int) -> None:
    """Say before any process starts that a host has no address; waitress would not name the reason."""
    try:
        socket.getaddrinfo(host, port)
    except UnicodeError as error:
        raise OSError(errno.EINVAL, "it is no host's name") from error


def _url(server: Any) -> str:
    """Return the address of a server; where its host has several, the first."""
    listens = getattr(server, "effective_listen", None)
    host, port = listens[0] if listens else (server.effective_host, server.effective_port)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
