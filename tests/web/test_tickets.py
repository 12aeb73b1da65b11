"""Searches end whose visitor asked something else or has gone, and files leave the server's threads to pages."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

from flask import Flask

from scalewall.web import downloads
from scalewall.web.answers import Tickets
from scalewall.web.downloads import add_downloads, add_files


def test_a_later_request_makes_earlier_ones_stale() -> None:
    tickets = Tickets()
    first, second, other = tickets.take("a", 1), tickets.take("a", 2), tickets.take("b", 1)
    assert [first(), second(), other()] == [True, False, False]


def test_a_visitor_who_says_nothing_has_gone_and_learns_it_on_return() -> None:
    tickets = Tickets(silence=0.2)
    gone = tickets.take("a", 1)
    assert not tickets.hear("a")
    assert not tickets.hear("unknown")
    time.sleep(0.3)
    assert gone()
    assert tickets.hear("a")
    assert gone()
    tickets.note("a", "h100", 3, 9)
    tickets.take("a", 2)
    assert not tickets.hear("a")
    assert tickets.progress("a") == ("", 0, 0), "the next search starts anew"


def test_a_visitor_who_asks_how_far_it_is_has_not_gone() -> None:
    tickets = Tickets(silence=1000.0)
    stale = tickets.take("a", 1)
    tickets.hear("a")
    assert not stale()


class Slow:
    """Answers that come when they are let go."""

    def __init__(self) -> None:
        self.let_go = Event()

    def of(self, cards: object) -> list[Any]:
        assert self.let_go.wait(60)
        return []


def test_files_that_wait_leave_threads_to_pages() -> None:
    slow, server = Slow(), Flask("files")
    add_downloads(server, slow, Tickets())  # type: ignore[arg-type]
    add_files(server, (), None)  # type: ignore[arg-type]

    def ask(_: int) -> tuple[int, str | None]:
        reply = server.test_client().get("/download/limits.csv")
        return reply.status_code, reply.headers.get("Retry-After")

    with ThreadPoolExecutor(12) as threads:
        asked = [threads.submit(ask, turn) for turn in range(12)]
        refused = _first_done(asked, 12 - downloads._WAITING)
        assert refused == [(503, "10")] * 4
        slow.let_go.set()
        assert sorted(one.result()[0] for one in asked) == [422] * 8 + [503] * 4
    assert ask(0)[0] == 422


def _first_done(asked: list[Any], count: int) -> list[Any]:
    """Return the results of those that are done, once there are so many."""
    end = time.monotonic() + 60
    while sum(one.done() for one in asked) < count and time.monotonic() < end:
        time.sleep(0.01)
    return [one.result() for one in asked if one.done()]
