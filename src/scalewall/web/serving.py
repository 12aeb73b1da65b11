"""The production server around the application."""

from __future__ import annotations

import os

from scalewall.web.answers import Answers
from scalewall.web.app import build_app
from scalewall.web.state import DEFAULT
from scalewall.web.tasks import limits_task
from scalewall.web.workers import Workers

__all__ = ["Server"]

_THREADS = 32
"""Requests at once; most of them wait for a search."""


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

        self._workers = Workers(workers or max(2, os.cpu_count() or 2))
        self.answers = Answers(self._workers)
        try:
            self._server = create_server(
                build_app(self.answers).server,
                host=host,
                port=port,
                threads=_THREADS,
                ident="scalewall",
                clear_untrusted_proxy_headers=True,
            )
        except BaseException:
            self._workers.close()
            raise
        self.url = f"http://{self._server.effective_host}:{self._server.effective_port}"

    def warm(self) -> None:
        """Load or compile the search kernels, and compute what a visitor sees first."""
        first = dict(DEFAULT.cards[0].settings)
        self._workers.warm((limits_task, (first, "reference")), (limits_task, (first, None)))
        self.answers.of(DEFAULT.visible)

    def run(self) -> None:
        """Serve until interrupted; then end the search processes."""
        try:
            self._server.run()
        finally:
            self._server.close()
            self._workers.close()
