"""Evaluations on Dask: a cluster of this machine, or the scheduler at an address."""

from __future__ import annotations

import importlib.util
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any, Self, TypeVar

import dask
import distributed
from distributed.comm.core import CommClosedError

from scalewall._jit import source_hash
from scalewall._version import __version__
from scalewall.errors import InputError
from scalewall.study.executors import AHEAD, ExecutorLostError, Outcome

__all__ = ["DaskCluster"]

_ANSWER_SECONDS = 10.0
"""How long a scheduler may take to answer, and a first worker to appear."""

_LOOK_SECONDS = 5.0
"""How often the number of workers is asked for, since a cluster may grow and shrink."""

_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.worker.memory.monitor-interval": "1s",
}
"""Of a cluster started here. Dask's profiler, every 10 ms, would take some 10 % of the time of pure Python tasks;
its clocks, every 20 ms and 100 ms in each process, 5 % of a core for nothing that parts of 0.25 s and more need."""

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
        self._looked = 0.0
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
                    )
                )
            self._client = opened.enter_context(self._connected(address))
            self._look()
            self.notes = (_dashboard(self._client),)
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
            found = set(client.run(_installed).values())
        except Exception as error:
            client.close(timeout=_ANSWER_SECONDS)
            allowed = f"a scheduler whose workers can import scalewall ({type(error).__name__}: {error})"
            raise InputError("--executor", str(self._cluster), allowed) from error
        if found != {_installed()}:
            client.close(timeout=_ANSWER_SECONDS)
            versions = ", ".join(sorted(" ".join(one) for one in found))
            allowed = f"workers with scalewall {' '.join(_installed())} as here; theirs: {versions}"
            raise InputError("--executor", str(self._cluster), allowed)
        return client

    def _look(self) -> None:
        """Count the threads of all workers."""
        self.workers = max(1, sum(self._client.nthreads().values()))
        self._looked = time.monotonic()

    def run(
        self, task: Callable[[_Item], _Result], items: Iterable[_Item]
    ) -> Iterator[Outcome[_Item, _Result]]:
        """See :class:`~scalewall.study.executors.Executor`.

        Raises
        ------
        ExecutorLostError
            The scheduler went away.
        """
        waiting = iter(items)
        under_way: dict[Any, _Item] = {}
        while True:
            while len(under_way) < AHEAD * self.workers:
                item = next(waiting, None)
                if item is None:
                    break
                under_way[self._client.submit(task, item, pure=False)] = item
            if not under_way:
                return
            for future in self._finished(under_way):
                yield self._outcome(future, under_way.pop(future))
            if time.monotonic() - self._looked > _LOOK_SECONDS:
                self._guarded(self._look)

    def _finished(self, under_way: dict[Any, Any]) -> list[Any]:
        with self._client.as_current():
            self._guarded(lambda: _dask.wait(list(under_way), return_when="FIRST_COMPLETED"))
        return [future for future in under_way if future.done()]

    def _outcome(self, future: Any, item: _Item) -> Outcome[_Item, Any]:
        if future.status in _CANCELLED:
            raise self._lost()
        if future.status == "error":
            error = future.exception()
            return Outcome(item, None, f"{type(error).__name__}: {error}")
        result = self._guarded(future.result)
        future.release()
        return Outcome(item, result)

    def _guarded(self, call: Callable[[], Any]) -> Any:
        """Call into Dask; whatever breaks there is the scheduler's going away."""
        try:
            return call()
        except (_dask.CancelledError, CommClosedError, OSError) as error:
            raise self._lost() from error

    def _lost(self) -> ExecutorLostError:
        return ExecutorLostError("the Dask scheduler went away")

    def __exit__(self, *error: object) -> None:
        """Disconnect, and end what was started here."""
        self._open.close()


def _installed() -> tuple[str, str]:
    """Return which scalewall a process has: version and hash of its kernels' source."""
    return __version__, source_hash()


def _dashboard(client: Any) -> str:
    """Say where the dashboard is, and what it lacks."""
    link = client.dashboard_link
    if importlib.util.find_spec("bokeh") is None:
        return f"Dask dashboard: {link} (its pages need bokeh where the scheduler runs)"
    return f"Dask dashboard: {link}"
