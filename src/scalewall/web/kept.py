"""Results that are kept: the same question costs nothing twice, and two visitors who ask it at once wait for one.

They are kept pickled: that takes a fifth of a curve's memory, and Python's collector of garbage has nothing to walk
through. Large ones are compressed as well, to an eighth again; not small ones, since a thread that compresses lets go
of the interpreter and waits for its turn behind all the others.
"""

from __future__ import annotations

import pickle
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar, cast

from scalewall.web.workers import StaleError

__all__ = ["Kept"]

Result = TypeVar("Result")

_STRIPES = 4096
"""Locks: so many that two different questions hardly ever wait for each other."""
_WAIT = 0.05
"""Seconds between looks at whether a question that waits for another still matters."""
_LARGE = 1 << 16
"""Bytes above which a result is compressed: what a page shows of full answers, not a curve."""


def _packed(result: object) -> tuple[bool, bytes]:
    """Return a result as bytes, after whether they are compressed."""
    pickled = pickle.dumps(result)
    large = len(pickled) > _LARGE
    return large, zlib.compress(pickled, level=1) if large else pickled


def _unpacked(is_compressed: bool, content: bytes) -> object:
    return pickle.loads(zlib.decompress(content) if is_compressed else content)


class Kept(Generic[Result]):
    """Results by key, each taken out as a copy; the least recently used go first.

    Parameters
    ----------
    most : int
        How many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[bool, bytes]] = OrderedDict()
        self._lock = Lock()
        self._stripes = [Lock() for _ in range(_STRIPES)]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def found(self, key: Hashable) -> Result | None:
        """Return what is kept under a key, None if nothing is."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            packed = self._kept[key]
        return cast(Result, _unpacked(*packed))

    def of(self, key: Hashable, make: Callable[[], Result], stale: Callable[[], bool]) -> Result:
        """Return what is kept under a key, made first if nothing is.

        Raises
        ------
        StaleError
            Nobody waits any more.
        """
        stripe = self._stripes[hash(key) % _STRIPES]
        while not stripe.acquire(timeout=_WAIT):
            if stale():
                raise StaleError
        try:
            kept = self.found(key)
            if kept is None:
                kept = make()
                self.keep(key, kept)
            return kept
        finally:
            stripe.release()

    def keep(self, key: Hashable, result: Result) -> None:
        """Keep a result under a key."""
        packed = _packed(result)
        with self._lock:
            self._kept[key] = packed
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
