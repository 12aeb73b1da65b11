"""The fields of one configuration: each read by name and type, defaults kept track of."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping

from scalewall.errors import InputError
from scalewall.workload.attention import LocalAttention
from scalewall.workload.checks import check_whole

__all__ = ["ConfigFields"]

_LARGEST = 10**9
_SHOWN_LENGTH = 60
_SHOWN_WHOLE = 10**30
_LOCAL = ("sliding_attention", "chunked_attention")


class ConfigFields:
    """Fields of a configuration, or of a part of it, and which of them were taken from defaults.

    A field that is null counts as absent, as it does in the ``transformers`` library.

    Parameters
    ----------
    where : str
        What errors name before the field: the file.
    values : mapping
        The JSON object.
    model_type : str
        The architecture, for messages.
    prefix : str
        Path of the part, empty for the whole configuration.
    """

    def __init__(self, where: str, values: Mapping[str, object], model_type: str, prefix: str = "") -> None:
        self.where = where
        self.values = values
        self.model_type = model_type
        self.prefix = prefix
        self.defaults: dict[str, object] = {}

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def whole(self, *names: str, default: int | None = None, low: int = 1) -> int:
        """Return a whole number of at least ``low``, by the first of ``names`` that is there."""
        name = self._present(names)
        if name is None:
            if default is None:
                raise self._missing(names, f"a whole number from {low:,} to {_LARGEST:,}")
            self.defaults[self.prefix + names[0]] = default
            return default
        return check_whole(self.path(name), self._short(self.values[name]), low, _LARGEST, "")

    def optional(self, *names: str, low: int = 1) -> int | None:
        """Return a whole number of at least ``low``, None if none of ``names`` is there."""
        return None if self._present(names) is None else self.whole(*names, low=low)

    def flag(self, *names: str, default: bool | None = None) -> bool:
        """Return a truth value, by the first of ``names`` that is there."""
        name = self._present(names)
        if name is None:
            if default is None:
                raise self._missing(names, "true or false")
            self.defaults[self.prefix + names[0]] = default
            return default
        value = self.values[name]
        if not isinstance(value, bool):
            raise InputError(self.path(name), self._short(value), "true or false")
        return value

    def part(self, name: str) -> ConfigFields:
        """Return the fields of an object inside this one."""
        if name not in self:
            raise self._missing((name,), "an object with fields of its own")
        value = self.values[name]
        if not isinstance(value, dict):
            raise InputError(self.path(name), self._short(value), "an object with fields of its own")
        inner = ConfigFields(self.where, value, self.model_type, f"{self.prefix}{name}.")
        inner.defaults = self.defaults
        return inner

    def parts(self) -> list[ConfigFields]:
        """Return the fields of every object inside this one."""
        return [self.part(name) for name, value in self.values.items() if isinstance(value, dict)]

    def shown(self, name: str) -> object:
        """Return a field's value as an error can show it on a line."""
        return self._short(self.values[name])

    def indices(self, name: str) -> list[int]:
        """Return a list of layer numbers, empty if the field is not there."""
        value = self.values.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise InputError(self.path(name), self._short(value), "a list of layer numbers")
        return [check_whole(self.path(name), self._short(entry), 0, _LARGEST, "") for entry in value]

    def require(self, name: str, allowed_value: object, reason: str) -> None:
        """Refuse a field that is there and is not ``allowed_value``: it changes what is not modelled."""
        value = self.values.get(name, allowed_value)
        if value is not None and value != allowed_value:
            raise InputError(self.path(name), self._short(value), f"{allowed_value!r}: {reason}")

    def head_dim(self, hidden: int, heads: int) -> int:
        """Return the size of a head: its own field, or the width shared by the heads."""
        if "head_dim" in self:
            return self.whole("head_dim")
        if hidden % heads:
            allowed = f"a number of heads that divides the width {hidden:,}, or a field head_dim beside it"
            raise InputError(self.path(self._heads_field()), heads, allowed)
        return hidden // heads

    def layer_kinds(self, layers: int, window: int | None, otherwise: int) -> LocalAttention | None:
        """Return which layers see a window: by ``layer_types``, or ``otherwise`` many where there is no list.

        Parameters
        ----------
        layers : int
            Layers of the model.
        window : int or None
            Tokens of a window or chunk; None: every layer sees everything.
        otherwise : int
            Layers with the window if the file has no ``layer_types``.
        """
        kinds = self.values.get("layer_types")
        chunked = False
        local = otherwise
        if kinds is not None:
            if not isinstance(kinds, list) or len(kinds) != layers:
                allowed = f"a list with one kind for each of the {layers} layers"
                raise InputError(self.path("layer_types"), self._short(kinds), allowed)
            for kind in kinds:
                if kind not in (*_LOCAL, "full_attention"):
                    allowed = (
                        "full_attention, sliding_attention or chunked_attention: no other kind is modelled"
                    )
                    raise InputError(self.path("layer_types"), self._short(kind), allowed)
            local = sum(kind in _LOCAL for kind in kinds)
            chunked = "chunked_attention" in kinds
            if local and window is None:
                raise self._missing(("sliding_window",), "the tokens of a window, which layer_types asks for")
        return LocalAttention(window, local, chunked) if window and local else None

    def path(self, name: str) -> str:
        """Return a field's name for errors."""
        return f"{self.where}: {self.prefix}{name}"

    def _present(self, names: tuple[str, ...]) -> str | None:
        return next((name for name in names if name in self), None)

    def _heads_field(self) -> str:
        names = ("num_attention_heads", "n_head", "n_heads")
        return self._present(names) or names[0]

    def _missing(self, names: tuple[str, ...], what: str) -> InputError:
        other = f" (also as {' or '.join(names[1:])})" if names[1:] else ""
        return InputError(self.path(names[0]), None, f"{what}, which a {self.model_type} needs{other}")

    @staticmethod
    def _short(value: object) -> object:
        """Return a value that an error can show on a line."""
        if isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < _SHOWN_WHOLE):
            return value
        return value[:_SHOWN_LENGTH] if isinstance(value, str) else reprlib.repr(value)
