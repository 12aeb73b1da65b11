"""What is being worked on, on standard error, for work that takes a while and only where a person watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic

from scalewall.cli.flags import to_terminal

__all__ = ["progress_bar", "status_line"]

_SHOWN_AFTER = 1.0
"""Seconds of work before the bar shows: less needs none."""


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function of (name of the work, done, in all); the bar goes away with the context."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    begun = monotonic()
    tasks: dict[str, int] = {}
    with ExitStack() as shown:

        def update(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(tasks[name], completed=done)  # type: ignore[arg-type]
            if to_terminal() and not bar.live.is_started and monotonic() - begun > _SHOWN_AFTER:
                shown.enter_context(bar)

        yield update


@contextmanager
def status_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that says what is worked on, where nobody knows how much there is; gone with the context."""
    from rich.console import Console

    line = Console(stderr=True).status("")
    with ExitStack() as shown:
        if to_terminal():
            shown.enter_context(line)
        yield line.update
