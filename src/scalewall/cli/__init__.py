"""The command line: Typer commands, one file a command group; no physics."""

from scalewall.cli.app import main

__all__ = ["main"]
