"""Evaluations on Dask: a cluster of this machine, or the scheduler at an address."""

from __future__ import annotations

import importlib.util
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Self, TypeVar

import dask
import distributed
from distributed.client import ClosedClientError
from distributed.comm.core import CommClosedError

from scalewall.errors import InputError
from scalewall.study.executors import AHEAD, ExecutorLostError, Outcome
from scalewall.study.manifest import difference, installed

__all__ = ["DaskCluster"]

_ANSWER_SECONDS = 10.0
"""How long a scheduler may take to answer, and a first worker to appear."""

_LOOK_SECONDS = 5.0
"""How often the number of workers is asked for, since a cluster may grow and shrink."""

_ALONE_SECONDS = 60.0
"""How long a cluster may be without any worker."""

_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.system-monitor.interval": "2s",
    "distributed.diagnostics.computations.nframes": 0,
}
"""Of a cluster started here. Dask's profiler, every 10 ms, would take some 10 % of the time of pure Python tasks;
its clocks, every 20 ms and 100 ms in each process, 5 % of a core for nothing that parts of 0.25 s and more need."""

_PRELOAD = """import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
"""
"""What workers started here run first: Ctrl-C is this process's to answer, which ends them."""

_CANCELLED = ("cancelled", "lost")

_dask: Any = distributed
"""Its functions carry no types."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class DaskCluster:
    """Tasks on the workers of a Dask cluster, which replaces those that die and does their tasks again.

    Parameters
    ----------
    cluster : int or str
        Worker processes to start on this machine, or the address of a scheduler (``tcp://host:8786``) whose
        workers have the same scalewall. One thread a worker is best: the searches hold Python's lock.
    """

    def __init__(self, cluster: int | str) -> None:
        self._cluster = cluster
        self._client: Any = None
        self._open = ExitStack()
        self._looked = self._met = time.monotonic()
        self.workers = cluster if isinstance(cluster, int) else 1
        self.notes: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        """Connect, starting the cluster where it is this machine's own.

        Raises
        ------
        InputError
            No scheduler answers, it has no workers, or they have another scalewall.
        """
        for name in ("distributed.client", "distributed.core", "distributed.nanny", "distributed.scheduler"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        with ExitStack() as opened:
            address: Any = self._cluster
            if isinstance(address, int):
                opened.enter_context(dask.config.set(_SETTINGS))
                address = opened.enter_context(
                    _dask.LocalCluster(
                        n_workers=address,
                        threads_per_worker=1,
                        processes=True,
                        host="127.0.0.1",
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL,
                        preload=[_PRELOAD],
                    )
                )
            self._client = opened.enter_context(self._connected(address))
            self._look()
            self.notes = _dashboard(self._client, isinstance(self._cluster, int))
            self._open = opened.pop_all()
        return self

    def _connected(self, address: Any) -> Any:
        try:
            client = _dask.Client(address, timeout=_ANSWER_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            allowed = f"the address of a Dask scheduler that answers, such as tcp://127.0.0.1:8786 ({error})"
            raise InputError("--executor", address, allowed) from error
        try:
            client.wait_for_workers(1, timeout=_ANSWER_SECONDS)
            theirs = client.run(installed)
        except Exception as error:
            client.close(timeout=_ANSWER_SECONDS)
            allowed = f"a scheduler whose workers can import scalewall ({type(error).__name__}: {error})"
            raise InputError("--executor", self._name, allowed) from error
        for address, found in theirs.items():
            differs = difference(found, installed())
            if differs:
                client.close(timeout=_ANSWER_SECONDS)
                here = f"{differs} {installed()[differs]}"
                allowed = f"workers with {here} as here; {address} has {found.get(differs)}"
                raise InputError("--executor", self._name, allowed)
        return client

    @property
    def _name(self) -> str:
        return "dask" if isinstance(self._cluster, int) else self._cluster

    def _look(self) -> None:
        """Count the threads of all workers."""
        try:
            threads = sum(self._guarded(self._client.nthreads).values())
        except TimeoutError as error:
            raise self._lost() from error
        now = time.monotonic()
        if threads:
            self.workers, self._met = threads, now
        elif now - self._met > _ALONE_SECONDS:
            raise ExecutorLostError("the Dask scheduler has no workers left")
        self._looked = now

    def run(
        self, task: Callable[[_Item], _Result], items: Iterable[_Item]
    ) -> Iterator[Outcome[_Item, _Result]]:
        """See :class:`~scalewall.study.executors.Executor`.

        Raises
        ------
        ExecutorLostError
            The scheduler went away, or has had no workers for a while.
        """
        waiting = iter(items)
        under_way: dict[Any, _Item] = {}
        while True:
            while len(under_way) < AHEAD * self.workers:
                item = next(waiting, None)
                if item is None:
                    break
                under_way[self._guarded(partial(self._client.submit, task, item, pure=False))] = item
            if not under_way:
                return
            for future in self._finished(under_way):
                yield self._outcome(future, under_way.pop(future))
            if time.monotonic() - self._looked > _LOOK_SECONDS:
                self._look()

    def _finished(self, under_way: dict[Any, Any]) -> list[Any]:
        """Wait until something is done, or it is time to look at the cluster again."""
        wait = partial(_dask.wait, list(under_way), timeout=_LOOK_SECONDS, return_when="FIRST_COMPLETED")
        with self._client.as_current(), suppress(TimeoutError):
            self._guarded(wait)
        return [future for future in under_way if future.done()]

    def _outcome(self, future: Any, item: _Item) -> Outcome[_Item, Any]:
        if future.status in _CANCELLED:
            raise self._lost()
        call = self._error if future.status == "error" else self._fetched
        outcome = Outcome.of(item, partial(call, future))
        future.release()
        return outcome

    def _error(self, future: Any) -> Any:
        raise self._guarded(future.exception)

    def _fetched(self, future: Any) -> Any:
        """Return a task's result; one that died with its worker is done again meanwhile."""
        while True:
            try:
                return self._guarded(partial(future.result, timeout=_LOOK_SECONDS))
            except TimeoutError:
                self._look()

    def _guarded(self, call: Callable[[], Any]) -> Any:
        """Call into Dask; whatever breaks there, but for time that is up, is the scheduler's going away."""
        try:
            return call()
        except TimeoutError:
            raise
        except (_dask.CancelledError, ClosedClientError, CommClosedError, OSError) as error:
            raise self._lost() from error

    def _lost(self) -> ExecutorLostError:
        return ExecutorLostError("the Dask scheduler went away")

    def __exit__(self, *error: object) -> None:
        """Disconnect, and end what was started here."""
        self._open.close()


def _dashboard(client: Any, own: bool) -> tuple[str, ...]:
    """Say where the dashboard is; without bokeh a scheduler of our own has tables in its place."""
    try:
        link = str(client.dashboard_link)
    except KeyError:
        return ()
    if own and importlib.util.find_spec("bokeh") is None:
        tables = f"{link.removesuffix('/status')}/info/main/workers.html"
        return (f"Dask dashboard: {tables} (tables alone; its charts need bokeh, which is not installed)",)
    return (f"Dask dashboard: {link}",)
