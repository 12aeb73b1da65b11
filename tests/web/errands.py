"""Tasks that search processes are given in tests."""

from __future__ import annotations

import os
import tempfile
import time

from scalewall.errors import InputError
from scalewall.web.workers import Progress


def double(number: int, progress: Progress) -> int:
    progress("doubling", 1, 1)
    return 2 * number


def refuse(progress: Progress) -> None:
    raise InputError("months", (1, 2), "one number", ["1"])


def fail(progress: Progress) -> None:
    raise ZeroDivisionError("oh")


def die(progress: Progress) -> None:
    os._exit(1)


def linger(progress: Progress) -> None:
    for turn in range(1000):
        progress("lingering", turn, 1000)
        time.sleep(0.02)


def moment(progress: Progress) -> float:
    return time.monotonic()


def chatter(progress: Progress) -> None:
    for turn in range(30_000):
        progress("chattering", turn, 30_000)
        time.sleep(0.001)


def sleep(progress: Progress) -> None:
    time.sleep(60)


def folder(progress: Progress) -> str:
    return tempfile.mkdtemp()


def number(progress: Progress) -> int:
    return os.getpid()
