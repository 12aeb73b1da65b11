"""``scalewall reproduce``."""

__all__ = ["reproduce"]


def reproduce() -> None:
    """Reproduce."""
