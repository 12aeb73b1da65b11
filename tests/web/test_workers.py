"""Search processes answer, refuse, are replaced when they die or take too long, and notice that nobody waits."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scalewall.errors import InputError
from scalewall.web.workers import SearchError, StaleError, Workers
from tests.web import errands


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    workers = Workers(2, patience=30.0)
    yield workers
    workers.close()


def never() -> bool:
    return False


def ignore(name: str, done: int, total: int) -> None:
    pass


def test_a_task_is_answered_with_its_progress(workers: Workers) -> None:
    seen: list[tuple[str, int, int]] = []
    assert workers.ask(errands.double, (21,), True, never, lambda *state: seen.append(state)) == 42
    assert seen == [("doubling", 1, 1)]


def test_what_cannot_be_used_arrives_as_the_same_error(workers: Workers) -> None:
    with pytest.raises(
        InputError, match=r"months: '\(1, 2\)' is not usable. Allowed: one number. Nearest: 1"
    ):
        workers.ask(errands.refuse, (), False, never, ignore)
    with pytest.raises(SearchError, match="ZeroDivisionError"):
        workers.ask(errands.fail, (), False, never, ignore)


def test_a_process_that_dies_is_replaced(workers: Workers) -> None:
    for _ in range(2):
        with pytest.raises(SearchError, match="stopped unexpectedly"):
            workers.ask(errands.die, (), False, never, ignore)
    assert [workers.ask(errands.double, (turn,), True, never, ignore) for turn in range(4)] == [0, 2, 4, 6]


def test_a_process_that_died_while_it_was_free_costs_nobody_an_answer(workers: Workers) -> None:
    first = workers.ask(errands.number, (), True, never, ignore)
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    others = {workers.ask(errands.number, (), True, never, ignore) for _ in range(4)}
    assert first not in others


def test_what_a_process_leaves_behind_goes_with_it(workers: Workers) -> None:
    left = Path(workers.ask(errands.folder, (), True, never, ignore))
    assert left.exists()
    with pytest.raises(SearchError):
        workers.ask(errands.die, (), True, never, ignore)
    assert not left.parent.exists()


def test_the_end_ends_every_question() -> None:
    ending = Workers(2)
    started, ended = threading.Semaphore(0), []

    def ask(long: bool) -> None:
        with pytest.raises(StaleError):
            ending.ask(errands.linger, (), long, never, lambda name, done, total: started.release())
        ended.append(long)

    waiting = [threading.Thread(target=ask, args=(long,)) for long in (True, False, True, True, False)]
    for thread in waiting:
        thread.start()
    assert started.acquire(timeout=60)
    ending.close()
    for thread in waiting:
        thread.join(30)
    assert len(ended) == 5
    with pytest.raises(StaleError):
        ending.ask(errands.double, (1,), False, never, ignore)


def test_first_come_first_served_and_who_leaves_the_line_takes_no_process_along() -> None:
    few = Workers(2)
    over, tired = [threading.Event(), threading.Event()], threading.Event()
    holding, in_line = threading.Semaphore(0), [threading.Event() for _ in range(4)]
    moments: dict[int, float] = {}

    def hold(until: threading.Event) -> None:
        with pytest.raises(StaleError):
            few.ask(errands.linger, (), False, until.is_set, lambda name, done, total: holding.release())

    def wait(place: int) -> None:
        moments[place] = few.ask(errands.moment, (), False, lambda: bool(in_line[place].set()), ignore)

    def leave(place: int) -> None:
        with pytest.raises(StaleError):
            few.ask(errands.moment, (), False, lambda: bool(in_line[place].set()) or tired.is_set(), ignore)

    holders = [threading.Thread(target=hold, args=(until,)) for until in over]
    for thread in holders:
        thread.start()
    assert all(holding.acquire(timeout=60) for _ in holders)
    line = [
        threading.Thread(target=target, args=(place,))
        for place, target in enumerate((wait, leave, wait, wait))
    ]
    for place, thread in enumerate(line):
        thread.start()
        assert in_line[place].wait(60), "it stands in the line and looks whether anybody waits"
    tired.set()
    line[1].join(60)
    over[0].set()
    for thread in line:
        thread.join(60)
    assert sorted(moments, key=lambda place: moments[place]) == [0, 2, 3]
    few.close()
    for thread in holders:
        thread.join(60)


def test_nobody_waits_any_more(workers: Workers) -> None:
    turns: list[int] = []
    with pytest.raises(StaleError):
        workers.ask(
            errands.linger, (), True, lambda: len(turns) > 3, lambda name, done, total: turns.append(done)
        )
    assert workers.ask(errands.double, (1,), True, never, ignore) == 2


def test_a_task_that_never_stops_talking_notices_too(workers: Workers) -> None:
    with pytest.raises(StaleError):
        workers.ask(errands.chatter, (), True, lambda: True, ignore)


def test_a_process_that_does_not_listen_is_no_error_to_nobody(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scalewall.web.workers._GRACE", 0.2)
    with pytest.raises(StaleError):
        workers.ask(errands.sleep, (), True, lambda: True, ignore)


def test_patience_ends() -> None:
    hasty = Workers(2, patience=0.5)
    try:
        with pytest.raises(SearchError, match="no answer within"):
            hasty.ask(errands.linger, (), True, never, ignore)
    finally:
        hasty.close()
