"""Processes that search: a slow or hostile question never stops the page, and a dead process is replaced."""

from __future__ import annotations

import multiprocessing
import queue
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from threading import Semaphore

from scalewall.errors import InputError, ScalewallError
from scalewall.ideal.limits import Limits, PointResult, limits_of
from scalewall.web.question import asked
from scalewall.web.state import DEFAULT, Card

__all__ = ["Progress", "SearchError", "StaleError", "Workers"]

Progress = Callable[[int, int], None]

_WAIT = 0.02
"""Seconds between looks at whether a question still matters."""
_GRACE = 5.0
"""Seconds that a process has to notice that nobody waits."""


class StaleError(Exception):
    """Nobody waits for the answer any more."""


class SearchError(ScalewallError):
    """A search that ended without an answer: it took too long, or its process died."""


class _LostError(SearchError):
    """A process that is of no use any more."""


class _Worker:
    """One process, and the pipe to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, far = context.Pipe()
        self.cancelled: Event = context.Event()
        self.process: BaseProcess = context.Process(target=_serve, args=(far, self.cancelled), daemon=True)
        self.process.start()
        far.close()

    def stop(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


class Workers:
    """A few processes that answer one question each at a time.

    Parameters
    ----------
    number : int
        Processes, at least 2: one is always kept for previews.
    patience : float
        Seconds after which a search is given up.
    """

    def __init__(self, number: int, patience: float = 180.0) -> None:
        self._patience = patience
        self._all = [_Worker() for _ in range(number)]
        self._free: queue.LifoQueue[_Worker] = queue.LifoQueue()
        for worker in self._all:
            self._free.put(worker)
        self._long = Semaphore(number - 1)

    def warm(self) -> None:
        """Have every process load (or compile) the search kernels, one after the other."""
        waiting = [self._free.get() for _ in self._all]
        for worker in waiting:
            for search in ("reference", "full"):
                self._question(worker, DEFAULT.cards[0], search, lambda: False, lambda done, total: None)
            self._free.put(worker)

    def limits(self, card: Card, search: str | None, stale: Callable[[], bool], progress: Progress) -> Limits:
        """Return the limits of a configuration.

        Parameters
        ----------
        card : Card
            The configuration.
        search : str or None
            Another search than its own: a preview.
        stale : callable
            Tells whether nobody waits any more.
        progress : callable
            Called with runs done and runs in all.

        Raises
        ------
        InputError
            The configuration cannot be used.
        SearchError
            It took too long, or the process died.
        StaleError
            Nobody waits any more.
        """
        long = search is None
        if long:
            _wait(lambda: self._long.acquire(timeout=_WAIT), stale)
        try:
            worker = self._next(stale)
            try:
                return self._question(worker, card, search, stale, progress)
            except _LostError:
                worker = self._replaced(worker)
                raise
            finally:
                self._free.put(worker)
        finally:
            if long:
                self._long.release()

    def close(self) -> None:
        """End every process."""
        for worker in self._all:
            worker.stop()

    def _next(self, stale: Callable[[], bool]) -> _Worker:
        while True:
            if stale():
                raise StaleError
            try:
                return self._free.get(timeout=_WAIT)
            except queue.Empty:
                continue

    def _question(
        self, worker: _Worker, card: Card, search: str | None, stale: Callable[[], bool], progress: Progress
    ) -> Limits:
        worker.cancelled.clear()
        end = time.monotonic() + self._patience
        try:
            worker.pipe.send((dict(card.settings), search))
            while time.monotonic() < end:
                if worker.pipe.poll(_WAIT):
                    kind, content = worker.pipe.recv()
                    if kind != "progress":
                        return _unwrapped(kind, content)
                    progress(*content)
                elif stale() and not worker.cancelled.is_set():
                    worker.cancelled.set()
                    end = time.monotonic() + _GRACE
        except (EOFError, OSError) as error:
            raise _LostError(
                "the search stopped unexpectedly; it was started afresh, so try again"
            ) from error
        raise _LostError(
            f"no answer within {self._patience:.0f} seconds: a coarser grid or fewer network levels take less"
        )

    def _replaced(self, worker: _Worker) -> _Worker:
        worker.stop()
        self._all.remove(worker)
        fresh = _Worker()
        self._all.append(fresh)
        return fresh


def _unwrapped(kind: str, content: object) -> Limits:
    """Return a process's answer, or raise what it answered."""
    if kind == "limits":
        assert isinstance(content, Limits)
        return content
    if kind == "input":
        assert isinstance(content, tuple)
        raise InputError(*content)
    if kind == "stale":
        raise StaleError
    raise SearchError(str(content))


def _wait(acquired: Callable[[], bool], stale: Callable[[], bool]) -> None:
    while not acquired():
        if stale():
            raise StaleError


def _serve(pipe: Connection, cancelled: Event) -> None:
    """Answer questions until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def advance(done: int, total: int, _: PointResult) -> None:
        if cancelled.is_set():
            raise StaleError
        pipe.send(("progress", (done, total)))

    while True:
        try:
            settings, search = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            with asked(Card().having(**settings), search) as study:
                answer: tuple[str, object] = ("limits", limits_of(study, study.machines[0], advance))
        except StaleError:
            answer = ("stale", None)
        except InputError as error:
            answer = ("input", (error.field, error.value, error.allowed, error.suggestions))
        except Exception as error:
            answer = ("failed", f"the search failed ({type(error).__name__}: {error})")
        pipe.send(answer)
