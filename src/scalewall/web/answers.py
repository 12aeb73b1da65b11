"""Answers to the page's questions: kept, so that the same question costs nothing twice, and dropped when stale."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Lock
from typing import Literal

from scalewall.errors import InputError, ScalewallError
from scalewall.ideal.limits import Limits, at_threshold
from scalewall.web.kept import Kept
from scalewall.web.state import Card, State, encode
from scalewall.web.tasks import limits_task
from scalewall.web.words import page_error
from scalewall.web.workers import Workers

__all__ = ["Answer", "Answers", "Mode", "Tickets"]

Mode = Literal["preview", "full"]

_THREADS = 64
_MOST_SESSIONS = 2000


@dataclass(frozen=True)
class Answer:
    """What one configuration comes to.

    Parameters
    ----------
    place : int
        Its place on the page, from 0.
    card : Card
        The configuration.
    limits : Limits or None
        Under the configuration's name; None where there is none.
    problem : str
        Why there is none, in words.
    preview : bool
        Whether a quicker search than the configuration's own gave it.
    """

    place: int
    card: Card
    limits: Limits | None
    problem: str = ""
    preview: bool = False


class Tickets:
    """Which request of each visitor is the latest, how far its search has come, and whether the visitor is still there.

    Parameters
    ----------
    silence : float
        Seconds without a word after which a visitor whose search goes on has gone: the page asks how far it is several
        times a second, and once a second from a tab that is out of sight.
    """

    def __init__(self, silence: float = 20.0) -> None:
        self._silence = silence
        self._lock = Lock()
        self._latest: OrderedDict[str, int] = OrderedDict()
        self._progress: dict[str, tuple[str, int, int]] = {}
        self._heard: dict[str, float] = {}
        self._dropped: dict[str, int] = {}

    def take(self, session: str, number: int) -> Callable[[], bool]:
        """Note a request; return what tells whether its visitor has sent a later one or has gone."""
        with self._lock:
            self._latest[session] = max(number, self._latest.pop(session, 0))
            self._heard[session] = time.monotonic()
            self._progress.pop(session, None)
            while len(self._latest) > _MOST_SESSIONS:
                old, _ = self._latest.popitem(last=False)
                for kept in (self._progress, self._heard, self._dropped):
                    kept.pop(old, None)

        def stale() -> bool:
            if self._latest.get(session, number) > number:
                return True
            if time.monotonic() - self._heard.get(session, math.inf) > self._silence:
                self._dropped[session] = number
            return self._dropped.get(session) == number

        return stale

    def hear(self, session: str) -> bool:
        """Note that a visitor is there; tell whether the latest search was given up because the visitor seemed gone."""
        if session not in self._latest:
            return False
        self._heard[session] = time.monotonic()
        return self._dropped.get(session) == self._latest[session]

    def note(self, session: str, name: str, done: int, total: int) -> None:
        """Note how many runs of a configuration are done."""
        if session in self._latest:
            self._progress[session] = (name, done, total)

    def progress(self, session: str) -> tuple[str, int, int]:
        """Return the configuration that is searched, its runs done and its runs in all."""
        return self._progress.get(session, ("", 0, 0))


class Answers:
    """Limits of configurations, by all that they rest on.

    Parameters
    ----------
    workers : Workers
        Who searches.
    most : int
        Curves kept; the least recently used go first.
    """

    def __init__(self, workers: Workers, most: int = 400) -> None:
        self._workers = workers
        self._kept: Kept[Limits] = Kept(most)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="answers")

    def of(
        self,
        cards: Sequence[tuple[int, Card]],
        mode: Mode = "full",
        stale: Callable[[], bool] = lambda: False,
        progress: Callable[[str, int, int], None] = lambda name, done, total: None,
    ) -> list[Answer]:
        """Return an answer for each configuration.

        Parameters
        ----------
        cards : sequence of (int, Card)
            Places and configurations.
        mode : str
            ``preview``: by the reference search where the full answer is not there yet.
        stale : callable
            Tells whether nobody waits any more.
        progress : callable
            Called with a configuration's name, its runs done and its runs in all.

        Raises
        ------
        StaleError
            Nobody waits any more.
        """
        if sum(not self._is_kept(card, mode) for _, card in cards) < 2:
            return [self._one(place, card, mode, stale, progress) for place, card in cards]
        waiting = [
            self._threads.submit(self._one, place, card, mode, stale, progress) for place, card in cards
        ]
        return [future.result() for future in waiting]

    def _is_kept(self, card: Card, mode: Mode) -> bool:
        """Tell whether a configuration is answered without a search."""
        key = _searched(card).key
        return (key, None) in self._kept or (mode == "preview" and (key, "reference") in self._kept)

    def _one(
        self,
        place: int,
        card: Card,
        mode: Mode,
        stale: Callable[[], bool],
        progress: Callable[[str, int, int], None],
    ) -> Answer:
        searched = _searched(card)
        preview = mode == "preview" and not _is_quick(card) and (searched.key, None) not in self._kept
        try:
            limits = self._limits(searched, "reference" if preview else None, stale, progress)
        except InputError as error:
            return Answer(place, card, None, str(page_error(error)))
        except ScalewallError as error:
            return Answer(place, card, None, f"{error}.")
        named = replace(limits, machine=card.name, title=card.name)
        return Answer(place, card, at_threshold(named, float(str(card["threshold"]))), preview=preview)

    def _limits(
        self,
        card: Card,
        search: str | None,
        stale: Callable[[], bool],
        progress: Callable[[str, int, int], None],
    ) -> Limits:
        def make() -> Limits:
            return self._workers.ask(
                limits_task, (encode(State((card,))), search), search is None, stale, progress
            )

        return self._kept.of((card.key, search), make, stale)


def _searched(card: Card) -> Card:
    """Return what is searched for a configuration: the plans are the same at every threshold."""
    return card.having(threshold=None)


def _is_quick(card: Card) -> bool:
    """Tell whether a configuration's own search is the quick one."""
    return card["search"] == "reference" or bool(card["reference"] and card["search"] is None)
