"""The simulator in the browser against the bounds that we promise: previews, full searches, the page, many users.

Run: python -m benchmarks.bench_web [--users 25] [--seconds 60]

Times are a client's on the same machine, by the clock: a busy machine lengthens them, and its load is printed. Users
drag without a pause: the next preview goes out when the last one has come (a browser does the same), after fifteen
of them they let go and take the full search.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from threading import Event, Thread
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import psutil

from benchmarks.timing import heading, shown, table
from scalewall.web.pages.fields import STEPS
from tests.report.browser import chromium

MACHINES = ("h100", "b200", "gb200-nvl72")
MANY = (
    *MACHINES,
    "h200",
    "b300",
    "gb300-nvl72",
    "mi300x",
    "mi355x",
    "tpu-v5p",
    "tpu-v6e",
    "a100-80gb",
    "v100",
)
"""What the users of the crowd look at, each at another one beside the first two."""
DRAG = 15
EVENT = 0.05
"""Seconds between two movements of a hand."""
PATIENCE, LOOK = 0.5, 0.4
"""Seconds after which a page asks how far its search is, and between two such looks."""


class Row(NamedTuple):
    """One figure beside its bound."""

    what: str
    measured: float
    bound: float
    unit: str = "s"

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        ratio = self.measured / self.bound if self.bound else float(self.measured > 0)
        return (
            self.what,
            f"{shown(self.measured)} {self.unit}",
            f"{self.bound:g} {self.unit}",
            f"{100 * ratio:.0f} %",
            "ok" if self.measured <= self.bound else "ABOVE",
        )


class Visitor:
    """A browser's part of the conversation, with one request in flight."""

    def __init__(self, url: str, name: str) -> None:
        address = urlsplit(url)
        self._connection, self._aside = (
            HTTPConnection(address.hostname or "", address.port, timeout=120) for _ in range(2)
        )
        self._name = name
        self._number = 0
        dependencies = json.loads(self._asked("GET", "/_dash-dependencies"))
        (self._callback,) = (one for one in dependencies if [part["id"] for part in one["inputs"]] == ["ask"])

    def ask(self, query: str, mode: str) -> float:
        """Ask for limits; return how long that took (s)."""
        self._number += 1
        outputs = [part.rsplit(".", 1) for part in self._callback["output"].strip(".").split("...")]
        ask = {"session": self._name, "number": self._number, "query": query, "mode": mode}
        body = {
            "output": self._callback["output"],
            "outputs": [{"id": name, "property": part} for name, part in outputs],
            "inputs": [{"id": "ask", "property": "data", "value": ask}],
            "changedPropIds": ["ask.data"],
        }
        before = time.perf_counter()
        with self._watching():
            answer = json.loads(self._asked("POST", "/_dash-update-component", json.dumps(body)))
        spent = time.perf_counter() - before
        if not answer["response"]["figures"]["data"]["utilization"]["data"]:
            raise RuntimeError("an answer without a curve")
        return spent

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """Ask how far the search is while it takes long, as a page does, which tells the server that one is there."""
        over = Event()

        def watch() -> None:
            wait = PATIENCE
            while not over.wait(wait):
                self._aside.request("GET", f"/progress/{self._name}")
                self._aside.getresponse().read()
                wait = LOOK

        watcher = Thread(target=watch)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()

    def _asked(self, method: str, path: str, body: str | None = None) -> bytes:
        self._connection.request(method, path, body, {"Content-Type": "application/json"})
        reply = self._connection.getresponse()
        content = reply.read()
        if reply.status != 200:
            raise RuntimeError(f"{path}: status {reply.status}")
        return content


@contextmanager
def server() -> Iterator[tuple[str, psutil.Process]]:
    """Start the server as users do; yield its address and process."""
    command = [sys.executable, "-m", "scalewall", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().split()[4], psutil.Process(process.pid)
        process.terminate()


def query(slider: str, value: float, machines: Sequence[str] = MACHINES) -> str:
    """Return a link of several configurations, of which the first has a slider at a value."""
    pairs = {"v": "1", **{f"{place}.machine": name for place, name in enumerate(machines, start=1)}}
    return urlencode({**pairs, f"1.{slider}": f"{value:.6g}"})


def percentile(times: Sequence[float], share: float = 0.95) -> float:
    """Return the time below which a share of the times lies."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def settle(process: psutil.Process, most: float = 120.0) -> None:
    """Wait until the server has prepared what its pages show first."""
    end = time.monotonic() + most
    before = spent(process)
    while time.monotonic() < end:
        time.sleep(2.0)
        now = spent(process)
        if now - before < 0.2:
            return
        before = now


def spent(process: psutil.Process) -> float:
    """Return the processor time of the server and its search processes so far (s)."""
    times = [one.cpu_times() for one in [process, *process.children(recursive=True)]]
    return sum(one.user + one.system for one in times)


def one_user(url: str, process: psutil.Process) -> list[Row]:
    """Measure previews and full searches of one visitor, three configurations, the default grid."""
    visitor = Visitor(url, "one")
    for machine in MACHINES:
        visitor.ask(query("months", 3.0, (machine,)), "full")
    visitor.ask(query("months", 3.0), "full")
    before = spent(process)
    previews = [
        visitor.ask(query(slider, value), "preview")
        for slider, values in STEPS.items()
        for value in values
        if slider != "threshold"
    ]
    processors = (spent(process) - before) / len(previews)
    cold = [visitor.ask(query("months", 3.01 + 0.37 * turn), "full") for turn in range(5)]
    kept = [visitor.ask(query("months", 3.01 + 0.37 * turn), "full") for turn in range(5) for _ in range(4)]
    return [
        Row("preview while dragging, p95", percentile(previews), 0.2),
        Row("  its processor time, mean", processors, 0.2),
        Row("full search on release, cold, worst of 5", max(cold), 2.0),
        Row("full search on release, kept, p95", percentile(kept), 0.1),
    ]


def page(url: str) -> list[Row]:
    """Measure how long a fresh browser takes until the first answer and its curve are drawn."""
    times = []
    drawn = "!!document.querySelector('#figure-utilization .js-plotly-plot .main-svg')"
    with chromium() as browser:
        for _ in range(4):
            window = browser.new_page()
            before = time.perf_counter()
            window.goto(url)
            while not window.evaluate(drawn):
                window.wait_for_timeout(10)
            times.append(time.perf_counter() - before)
            window.close()
    return [Row("page ready, nothing cached, median of 4", statistics.median(times), 2.0)]


def memory(process: psutil.Process) -> float:
    """Return the resident bytes of the server and its search processes."""
    return float(sum(one.memory_info().rss for one in [process, *process.children(recursive=True)]))


def crowd(url: str, process: psutil.Process, users: int, seconds: float) -> list[Row]:
    """Measure many visitors who drag at the same time."""
    times: list[float] = []
    errors: list[Exception] = []
    end = time.monotonic() + seconds

    def drag(number: int) -> None:
        chance = random.Random(number)
        try:
            visitor = Visitor(url, f"user-{number}")
            while time.monotonic() < end:
                slider = chance.choice(list(STEPS))
                machines = (chance.choice(MANY), *MACHINES[:2])
                values = STEPS[slider]
                at = chance.randrange(len(values))
                for value in (values[(at + turn) % len(values)] for turn in range(DRAG)):
                    if time.monotonic() > end:
                        return
                    times.append(visitor.ask(query(slider, value, machines), "preview"))
                    time.sleep(EVENT)
                visitor.ask(query(slider, values[at], machines), "full")
        except Exception as error:
            errors.append(error)

    half: list[float] = []
    threads = [Thread(target=drag, args=(number,)) for number in range(users)]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 2)
    half.append(memory(process))
    for thread in threads:
        thread.join()
    grown = memory(process) / half[0] - 1
    for error in errors[:3]:
        print(f"  {type(error).__name__}: {error}")
    return [
        Row(f"{users} users dragging, {len(times)} previews, p95", percentile(times), 1.0),
        Row("  errors", float(len(errors)), 0.0, ""),
        Row("  memory gained in the second half", 100 * max(grown, 0.0), 5.0, "%"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the simulator in the browser.")
    parser.add_argument("--users", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    heading("The simulator in the browser")
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with server() as (url, process):
        settle(process)
        rows = [*one_user(url, process), *page(url), *crowd(url, process, options.users, options.seconds)]
        print(f"memory of the server and its searches: {memory(process) / 1e6:.0f} MB")
    table(("", "measured", "bound", "of it", ""), [row.cells() for row in rows])


if __name__ == "__main__":
    main()
