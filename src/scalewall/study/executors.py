"""Where evaluations run, behind one small interface: this process, processes of this machine, Dask."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing.process import BaseProcess
from typing import Generic, Protocol, Self, TypeVar

from scalewall.errors import InputError, ScalewallError, unknown_name

__all__ = [
    "EXECUTORS",
    "Executor",
    "ExecutorLostError",
    "InProcess",
    "LocalProcesses",
    "Outcome",
    "executor_of",
]

EXECUTORS = ("in-process", "processes", "dask")
AHEAD = 2
"""Tasks given out for each worker: one under way, one waiting, so that none idles and memory stays flat."""

MOST_DEATHS = 3
"""How often a task's worker may die before the task itself is held to be the cause (Dask's own number)."""

_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://.+:\d+")

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class ExecutorLostError(ScalewallError):
    """What ran the evaluations is gone; what was kept is safe, and a rerun goes on from there."""


@dataclass(frozen=True)
class Outcome(Generic[_Item, _Result]):
    """What became of a task: its result, or in words why there is none (what it raised, who died of it)."""

    item: _Item
    result: _Result | None
    lost: str = ""

    @classmethod
    def of(cls, item: _Item, call: Callable[[], _Result]) -> Self:
        """Return what ``call`` returns or raises as the outcome of ``item``; dead processes are no task's own."""
        try:
            return cls(item, call())
        except (BrokenProcessPool, ExecutorLostError):
            raise
        except Exception as error:
            return cls(item, None, f"{type(error).__name__}: {error}")


class Executor(Protocol):
    """Runs tasks; a context manager, open while they run."""

    @property
    def workers(self) -> int:
        """How many tasks run at once."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person who watches wants to know, such as the address of a dashboard."""

    def run(
        self, task: Callable[[_Item], _Result], items: Iterable[_Item]
    ) -> Iterator[Outcome[_Item, _Result]]:
        """Yield the outcome of ``task`` on each item, in any order, taking items only as workers need them.

        Parameters
        ----------
        task : callable
            Of a module, or a partial of one: workers import it.
        items : iterable
            Small and picklable.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


class InProcess:
    """One task after the other, in this process."""

    workers = 1
    notes: tuple[str, ...] = ()

    def run(
        self, task: Callable[[_Item], _Result], items: Iterable[_Item]
    ) -> Iterator[Outcome[_Item, _Result]]:
        """See :class:`Executor`."""
        for item in items:
            yield Outcome.of(item, partial(task, item))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing to close."""


class LocalProcesses:
    """Several processes of this machine; one that dies is replaced and its task done again.

    Raises :class:`ExecutorLostError` while it runs if none of them can start.

    Parameters
    ----------
    workers : int
        Processes.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.notes: tuple[str, ...] = ()
        self._pool: ProcessPoolExecutor | None = None
        self._others: set[BaseProcess] = set()

    def run(
        self, task: Callable[[_Item], _Result], items: Iterable[_Item]
    ) -> Iterator[Outcome[_Item, _Result]]:
        """See :class:`Executor`."""
        waiting = iter(items)
        under_way: dict[Future[_Result], _Item] = {}
        while True:
            suspects = self._give_out(task, waiting, under_way)
            if not under_way and not suspects:
                return
            finished = wait(under_way, return_when=FIRST_COMPLETED).done if not suspects else set()
            for future in finished:
                item = under_way.pop(future)
                try:
                    outcome = Outcome.of(item, future.result)
                except BrokenProcessPool:
                    suspects.append(item)
                else:
                    yield outcome
            if suspects:
                suspects += under_way.values()
                under_way.clear()
                self._close()
                yield from (self._alone(task, item) for item in suspects)

    def _give_out(
        self,
        task: Callable[[_Item], _Result],
        waiting: Iterator[_Item],
        under_way: dict[Future[_Result], _Item],
    ) -> list[_Item]:
        """Keep every worker busy; return the task that met dead ones, if any."""
        while len(under_way) < AHEAD * self.workers:
            item = next(waiting, None)
            if item is None:
                break
            try:
                under_way[self._opened().submit(task, item)] = item
            except BrokenProcessPool:
                return [item]
        return []

    def _alone(self, task: Callable[[_Item], _Result], item: _Item) -> Outcome[_Item, _Result]:
        """Do a task that was there when a process died by itself, so that only what kills is given up."""
        for _ in range(MOST_DEATHS):
            try:
                return Outcome.of(item, self._opened().submit(task, item).result)
            except BrokenProcessPool:
                self._close()
        if not self._can_work():
            reason = 'a script that starts some needs `if __name__ == "__main__":` around what it does'
            raise ExecutorLostError(f"no process of this machine starts ({reason})")
        return Outcome(item, None, f"its process died, {MOST_DEATHS} times in a row")

    def _can_work(self) -> bool:
        """Tell whether a process can do anything at all."""
        try:
            self._opened().submit(os.getpid).result()
        except BrokenProcessPool:
            self._close()
            return False
        return True

    def _opened(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.workers, multiprocessing.get_context("spawn"), initializer=_begin
            )
        return self._pool

    def _close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def __enter__(self) -> Self:
        self._others = set(multiprocessing.active_children())
        return self

    def __exit__(self, *error: object) -> None:
        """End the processes, whatever they are at."""
        for process in set(multiprocessing.active_children()) - self._others:
            process.kill()
        self._close()


def _begin() -> None:
    """Prepare a worker: Ctrl-C is its parent's to answer, and it ends when the parent does, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def executor_of(name: str, workers: int | None = None) -> Executor:
    """Return the executor of that name.

    Parameters
    ----------
    name : str
        ``in-process``, ``processes``, ``dask`` (a cluster on this machine), or the address of a Dask scheduler
        (``tcp://host:8786``).
    workers : int, optional
        Processes on this machine; default: one a core. A scheduler elsewhere has its own.

    Raises
    ------
    InputError
        Unknown name, or workers where they have no effect.
    """
    if workers is not None and (name == "in-process" or "://" in name):
        raise InputError("--workers", workers, f"no number beside --executor {name}, which has its own")
    count = workers or len(os.sched_getaffinity(0))
    if name == "in-process":
        return InProcess()
    if name == "processes":
        return LocalProcesses(count)
    if "://" in name and not _ADDRESS.fullmatch(name):
        raise InputError("--executor", name, "the address of a Dask scheduler, such as tcp://127.0.0.1:8786")
    if name == "dask" or "://" in name:
        from scalewall.study.dask_executor import DaskCluster

        return DaskCluster(count if name == "dask" else name)
    raise unknown_name("--executor", name, (*EXECUTORS, "tcp://HOST:PORT"))
