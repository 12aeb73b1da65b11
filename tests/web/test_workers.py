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


def test_nobody_waits_any_more(workers: Workers) -> None:
    turns: list[int] = []
    with pytest.raises(StaleError):
        workers.ask(
            errands.linger, (), True, lambda: len(turns) > 3, lambda name, done, total: turns.append(done)
        )
    assert workers.ask(errands.double, (1,), True, never, ignore) == 2


def test_patience_ends() -> None:
    hasty = Workers(2, patience=0.5)
    try:
        with pytest.raises(SearchError, match="no answer within"):
            hasty.ask(errands.linger, (), True, never, ignore)
    finally:
        hasty.close()
