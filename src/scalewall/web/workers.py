"""Processes that search: a slow or hostile question never stops the page, and a dead process is replaced."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import Empty, SimpleQueue
from threading import Lock, RLock, Semaphore
from typing import Any, TypeVar, cast

from scalewall.errors import InputError, ScalewallError

__all__ = ["Progress", "SearchError", "StaleError", "Task", "Workers"]

Progress = Callable[[str, int, int], None]
"""Called with what is searched, how much is done and of how much."""

Result = TypeVar("Result")
Task = Callable[..., Result]
"""A function of a module; besides its arguments it takes a :data:`Progress`."""

_WAIT = 0.1
"""Seconds between looks at whether a question still matters."""
_TELL = 0.1
"""Seconds between two words of a process on how far it is."""
_GRACE = 5.0
"""Seconds that a process has to notice that nobody waits."""


class StaleError(Exception):
    """Nobody waits for the answer any more."""


class SearchError(ScalewallError):
    """A search that ended without an answer: it took too long, or its process died."""


class _LostError(SearchError):
    """A process that is of no use any more."""


class _Worker:
    """One process, the pipe to it and the folder that it may write to."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, far = context.Pipe()
        self._folder = tempfile.mkdtemp(prefix="scalewall-")
        self.process: BaseProcess = context.Process(target=_serve, args=(far, self._folder), daemon=True)
        self.process.start()
        far.close()

    def end(self) -> None:
        """End the process; whoever waits at its pipe reads that it has gone."""
        self.process.kill()
        self.process.join()
        shutil.rmtree(self._folder, ignore_errors=True)

    def stop(self) -> None:
        """End the process of a worker that nobody else holds."""
        self.end()
        self.pipe.close()


class _Line:
    """Processes that are free, and who waits for one: first come, first served."""

    def __init__(self, workers: Iterable[_Worker]) -> None:
        self._free = list(workers)
        self._waiting: deque[SimpleQueue[_Worker]] = deque()
        self._lock = Lock()

    def get(self, stale: Callable[[], bool]) -> _Worker:
        """Return a free process when it is the caller's turn; StaleError when nobody waits any more."""
        place: SimpleQueue[_Worker] = SimpleQueue()
        with self._lock:
            if self._free:
                return self._free.pop()
            self._waiting.append(place)
        while True:
            try:
                return place.get(timeout=_WAIT)
            except Empty:
                if stale() and self._left(place):
                    raise StaleError from None

    def put(self, worker: _Worker) -> None:
        """Hand a process back: to the first who waits, and nobody else wakes up."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().put(worker)
            else:
                self._free.append(worker)

    def _left(self, place: SimpleQueue[_Worker]) -> bool:
        """Leave the line; False if a process has come to the place in the meantime."""
        with self._lock:
            if place not in self._waiting:
                return False
            self._waiting.remove(place)
            return True


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
        self._free = _Line(self._all)
        self._long = Semaphore(number - 1)
        self._lock = RLock()
        self._closed = False
        self.waiting = 0
        """How many long questions wait for others to end."""

    def warm(self, *questions: tuple[Task[object], tuple[Any, ...]]) -> None:
        """Have every process answer some questions, one process after the other: that loads or compiles kernels."""
        waiting = [self._free.get(lambda: False) for _ in self._all]
        for worker in waiting:
            for task, arguments in questions:
                self._question(worker, task, arguments, lambda: False, lambda name, done, total: None)
            self._free.put(worker)

    def ask(
        self,
        task: Task[Result],
        arguments: tuple[Any, ...],
        long: bool,
        stale: Callable[[], bool],
        progress: Progress,
    ) -> Result:
        """Return a task's result.

        Parameters
        ----------
        task : callable
            What to do.
        arguments : tuple
            What it takes; plain data.
        long : bool
            Whether it may take more than a moment: one process is kept for those that do not.
        stale : callable
            Tells whether nobody waits any more.
        progress : callable
            Called as the task goes on.

        Raises
        ------
        InputError
            The question cannot be answered as it is put.
        SearchError
            It took too long, or the process died.
        StaleError
            Nobody waits any more, or the processes were ended.
        """

        def gone() -> bool:
            return self._closed or stale()

        if long:
            self._wait_for_others(gone)
        try:
            worker = self._free.get(gone)
            try:
                if not worker.process.is_alive():
                    worker = self._replaced(worker)
                return cast(Result, self._question(worker, task, arguments, gone, progress))
            except _LostError:
                worker = self._replaced(worker)
                if gone():
                    raise StaleError from None
                raise
            finally:
                self._free.put(worker)
        finally:
            if long:
                self._long.release()

    def close(self) -> None:
        """End every process, and with them every question that waits; a signal's handler may call it."""
        self._closed = True
        with self._lock:
            for worker in self._all:
                worker.end()

    def _wait_for_others(self, stale: Callable[[], bool]) -> None:
        with self._lock:
            self.waiting += 1
        try:
            while not self._long.acquire(timeout=_WAIT):
                if stale():
                    raise StaleError
        finally:
            with self._lock:
                self.waiting -= 1

    def _question(
        self,
        worker: _Worker,
        task: Task[object],
        arguments: tuple[Any, ...],
        stale: Callable[[], bool],
        progress: Progress,
    ) -> object:
        cancelled = False
        end = time.monotonic() + self._patience
        try:
            worker.pipe.send((task, arguments))
            while time.monotonic() < end:
                if worker.pipe.poll(_WAIT):
                    kind, content = worker.pipe.recv()
                    if kind != "progress":
                        return _unwrapped(kind, content)
                    progress(*content)
                if not cancelled and stale():
                    cancelled = True
                    worker.pipe.send(None)
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
        with self._lock:
            if self._closed:
                raise StaleError
            fresh = _Worker()
            self._all[self._all.index(worker)] = fresh
        return fresh


def _unwrapped(kind: str, content: object) -> object:
    """Return a process's answer, or raise what it answered."""
    if kind == "result":
        return content
    if kind == "input":
        assert isinstance(content, tuple)
        raise InputError(*content)
    if kind == "stale":
        raise StaleError
    raise SearchError(str(content))


def _serve(pipe: Connection, folder: str) -> None:
    """Answer questions until the pipe closes; None on the pipe says that nobody waits any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = folder
    told = 0.0

    def advance(name: str, done: int, total: int) -> None:
        nonlocal told
        if pipe.poll():
            raise StaleError
        if time.monotonic() > told + _TELL:
            told = time.monotonic()
            pipe.send(("progress", (name, done, total)))

    while True:
        try:
            question = pipe.recv()
            if question is not None:
                task, arguments = question
                pipe.send(_answered(task, arguments, advance))
        except (EOFError, OSError):
            shutil.rmtree(folder, ignore_errors=True)
            return


def _answered(task: Task[object], arguments: tuple[Any, ...], advance: Progress) -> tuple[str, object]:
    """Return a task's result, or what stopped it, by kind."""
    try:
        return ("result", task(*arguments, advance))
    except StaleError:
        return ("stale", None)
    except InputError as error:
        value = error.value if isinstance(error.value, (str, int, float)) else str(error.value)
        return ("input", (error.field, value, error.allowed, error.suggestions))
    except (BrokenPipeError, EOFError):
        raise
    except Exception as error:
        return ("failed", f"the search failed ({type(error).__name__}: {error})")
