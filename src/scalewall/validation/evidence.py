"""What claims are measured on: limits of the ideal model, each worked out once."""

from __future__ import annotations

from scalewall.ideal.limits import Limits, limits_of
from scalewall.ideal.study import LimitsStudy

__all__ = ["Evidence"]


class Evidence:
    """Limits by machine and settings, kept while a set of claims is looked at."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Limits] = {}

    def limits(self, machine: str, **settings: object) -> Limits:
        """Return a machine's limits as the published data were made, but for the given settings.

        Parameters
        ----------
        machine : str
            Catalogue name.
        **settings
            Fields of :class:`scalewall.ideal.study.LimitsStudy`, hashable.
        """
        key = (machine, *sorted(settings.items()))
        if key not in self._known:
            study = LimitsStudy(machines=(machine,), reference=True, **settings)  # type: ignore[arg-type]
            self._known[key] = limits_of(study, machine)
        return self._known[key]
