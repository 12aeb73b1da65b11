"""Tasks for executors that sleep, die and kill; they load little, so that their processes start quickly."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

__all__ = ["die_always", "die_once", "sleep_long"]


def die_once(marker: Path, item: int) -> int:
    """Return the square; die the first time that item 3 comes by."""
    if item == 3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def die_always(item: int) -> int:
    """Return the item; die of item 3."""
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def sleep_long(_: int) -> None:
    """Say who sleeps, and sleep for longer than any test."""
    print(os.getpid(), flush=True)
    time.sleep(600)
