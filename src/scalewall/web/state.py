"""The state of the Limits page: configurations side by side, and how they stand in a link.

A link reads ``?v=1&1.machine=h100&1.months=6&2.machine=b200``: number and name of the configuration's setting, only
what differs from the defaults; each place has a colour of its own. What a link holds that cannot be used is told, and
the rest still works.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from urllib.parse import parse_qsl, quote, urlencode

from scalewall.errors import InputError, nearest
from scalewall.hardware import read_machine
from scalewall.web.settings import SETTINGS

__all__ = [
    "COLOURS",
    "DEFAULT",
    "LINK_VERSION",
    "LONGEST_LINK",
    "MOST_CARDS",
    "Card",
    "Decoded",
    "State",
    "decode",
    "encode",
]

LINK_VERSION = 1
"""Of the link's form: goes up when a default or the meaning of a setting changes."""
MOST_CARDS = 7
COLOURS = 7
LONGEST_LINK = 30_000
_NAMED_PROBLEMS = 8
_PAGE_WIDE = ("v", "chosen", "runs")


@dataclass(frozen=True)
class Card:
    """One configuration.

    Parameters
    ----------
    settings : mapping of str to object
        What differs from the defaults, by the names of :data:`scalewall.web.settings.SETTINGS`.
    """

    settings: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    def __getitem__(self, name: str) -> object:
        return self.settings.get(name, SETTINGS[name].default)

    def having(self, **changed: object) -> Card:
        """Return the configuration with other settings; what equals its default falls out."""
        values = {**self.settings, **changed}
        return Card(
            MappingProxyType(
                {
                    name: values[name]
                    for name in SETTINGS
                    if name in values and not _is_default(name, values[name])
                }
            )
        )

    @property
    def name(self) -> str:
        """What the user calls it, else its machine in short."""
        return str(self["name"] or _spoken(str(self["machine"])))

    @property
    def colour(self) -> int:
        """The number of its colour."""
        return int(str(self["colour"]))

    @property
    def hidden(self) -> bool:
        """Whether it is left out of charts and tables."""
        return bool(self["hidden"])

    @property
    def key(self) -> str:
        """All that its numbers rest on, as text."""
        return urlencode(_written(self, without=("name", "colour", "hidden")))


@dataclass(frozen=True)
class State:
    """The page: its configurations, which one is open (from 0), whether real training runs are drawn."""

    cards: tuple[Card, ...]
    chosen: int = 0
    runs: bool = True

    @property
    def visible(self) -> tuple[tuple[int, Card], ...]:
        """The configurations that are not hidden, each with its place."""
        return tuple((place, card) for place, card in enumerate(self.cards) if not card.hidden)


@dataclass(frozen=True)
class Decoded:
    """What a link says, and a sentence for each part of it that could not be used."""

    state: State
    problems: tuple[str, ...] = ()


def encode(state: State) -> str:
    """Return the state as a query string, without the question mark."""
    pairs = [("v", str(LINK_VERSION))]
    for place, card in enumerate(state.cards, start=1):
        written = _written(card, without=("colour",)) | (
            {} if card.colour == place - 1 else {"colour": str(card.colour)}
        )
        written = written or {"machine": str(card["machine"])}
        pairs += [(f"{place}.{name}", text) for name, text in written.items()]
    if state.chosen:
        pairs.append(("chosen", str(state.chosen + 1)))
    if not state.runs:
        pairs.append(("runs", "no"))
    return urlencode(pairs, quote_via=quote, safe=",:")


def decode(query: str) -> Decoded:
    """Return the state that a query string describes; never raises.

    Parameters
    ----------
    query : str
        With or without the question mark; empty: the default state.
    """
    problems: list[str] = []
    query = query.removeprefix("?")
    if len(query) > LONGEST_LINK:
        return Decoded(
            DEFAULT, (f"The link is longer than {LONGEST_LINK:,} characters; this is the default instead.",)
        )
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=1000)
    except ValueError:
        return Decoded(DEFAULT, ("The link holds too many settings; this is the default instead.",))
    wide: dict[str, str] = {}
    numbered: dict[int, dict[str, str]] = {}
    for key, text in pairs:
        number, dot, name = key.partition(".")
        if key in _PAGE_WIDE:
            wide[key] = text
        elif dot and number in _NUMBERS and name in SETTINGS:
            numbered.setdefault(_NUMBERS[number], {})[name] = text
        elif dot and number.isdecimal() and number not in _NUMBERS:
            problems.append(
                f"{_short(key)} was left out: at most {MOST_CARDS} configurations fit on the page."
            )
        else:
            problems.append(_unknown(key))
    _check_version(wide.get("v", str(LINK_VERSION)), problems)
    cards = tuple(_card(number, texts, problems) for number, texts in sorted(numbered.items()))
    state = State(cards) if cards else DEFAULT
    chosen = _NUMBERS.get(wide.get("chosen", "1"), 0)
    if not 1 <= chosen <= len(state.cards):
        problems.append(f"chosen: {_short(wide['chosen'])} is no configuration of this link.")
        chosen = 1
    if wide.get("runs", "yes") not in ("yes", "no"):
        problems.append(f"runs: {_short(wide['runs'])} is neither yes nor no.")
    state = replace(state, chosen=chosen - 1, runs=wide.get("runs") != "no")
    return Decoded(state, _shortened(list(dict.fromkeys(problems))))


_NUMBERS = {str(number): number for number in range(1, MOST_CARDS + 1)}


def _check_version(text: str, problems: list[str]) -> None:
    if text != str(LINK_VERSION):
        problems.append(
            f"The link is of version {_short(text)} and this page of version {LINK_VERSION}: look whether the "
            "settings are what you expect."
        )


def _card(number: int, texts: Mapping[str, str], problems: list[str]) -> Card:
    values: dict[str, object] = {}
    for name, text in texts.items():
        try:
            values[name] = SETTINGS[name].read(f"{number}.{name}", text)
        except InputError as error:
            problems.append(f"{error} The default was taken.")
    if values.get("centre_size") is None:
        problems += [
            f"{number}.{name} has no effect without {number}.centre_size."
            for name in values
            if name in ("centre_count", "centre_bandwidth", "centre_latency")
        ]
    return Card().having(**{"colour": number - 1, **values})


def _unknown(key: str) -> str:
    number, dot, _ = key.partition(".")
    known = (
        [f"{number}.{setting}" for setting in SETTINGS] if dot and number in _NUMBERS else list(_PAGE_WIDE)
    )
    near = nearest(key[:100], known, 1)
    return f"{_short(key)} is no setting that this version knows, and was left out." + (
        f" Nearest: {near[0]}." if near else ""
    )


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}...")


def _shortened(problems: list[str]) -> tuple[str, ...]:
    more = len(problems) - _NAMED_PROBLEMS
    return (*problems[:_NAMED_PROBLEMS], *([f"And {more} more of the link's settings."] if more > 0 else []))


def _is_default(name: str, value: object) -> bool:
    default = SETTINGS[name].default
    return value is None or (value == default and isinstance(value, bool) == isinstance(default, bool))


def _written(card: Card, without: tuple[str, ...] = ()) -> dict[str, str]:
    return {
        name: setting.write(card.settings[name])
        for name, setting in SETTINGS.items()
        if name in card.settings and name not in without
    }


def _spoken(machine: str) -> str:
    """Return a machine as people call it: a product's title without its maker, else the catalogue's name."""
    file = read_machine(machine)
    if file.kind not in ("product", "announced"):
        return machine
    return file.title.partition(",")[0].partition(" (")[0].partition(" ")[2]


DEFAULT = State((Card(),))
"""What a visitor sees first."""
