"""``scalewall serve``: the simulator in the browser."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from scalewall.cli.flags import note_compiling
from scalewall.errors import InputError

__all__ = ["serve"]


def serve(
    host: Annotated[
        str,
        typer.Option("--host", help="Address to listen on (default: only this machine can reach the page)."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")] = 8050,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=2, max=256, help="Search processes (default: one a processor)."),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser", help="Open the page in the browser.")] = False,
) -> None:
    """Open the interactive simulator in the browser: limits, machines, laws."""
    from scalewall.web.serving import Server

    note_compiling("full_search")
    try:
        server = Server(host, port, workers)
    except OSError as error:
        allowed = f"a free address of this machine ({error.strerror})"
        raise InputError("--host, --port", f"{host}:{port}", allowed, ["--port 0"]) from error
    server.warm()
    typer.echo(f"scalewall is ready at {server.url} (Ctrl-C ends it)")
    if host not in ("127.0.0.1", "localhost", "::1"):
        typer.echo("Others on this network can reach it: there is no login.", err=True)
    if browser:
        import webbrowser

        webbrowser.open(server.url)

    def end(number: int, frame: object) -> None:
        server.close()
        sys.exit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    server.run()
