"""What one can do with configurations: each takes the page's state and returns the next."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from scalewall.hardware import read_machine
from scalewall.web.question import uploaded_name
from scalewall.web.state import COLOURS, MOST_CARDS, Card, State, decode, encode
from scalewall.workload.laws import FAMILIES, find_law

__all__ = [
    "added",
    "chosen",
    "coloured",
    "duplicated",
    "everything",
    "gone_name",
    "hidden",
    "moved_up",
    "ordered",
    "removed",
    "renamed",
    "restored",
    "settled",
    "with_file",
]

_MORE = ("b200", "gb200-nvl72", "h200", "mi300x", "tpu-v5p", "a100-80gb", "h100")
"""Machines that new configurations get, the first that is not there yet."""


def added(state: State) -> State:
    """Return the state with one more configuration, open, on a machine that is not there yet."""
    if len(state.cards) >= MOST_CARDS:
        return state
    taken = {card["machine"] for card in state.cards}
    machine = next((name for name in _MORE if name not in taken), "h100")
    base = state.cards[state.chosen]
    fresh = base.having(
        name="",
        machine=machine,
        colour=_free_colour(state),
        hidden=False,
        file="",
        overrides={},
        precision=16,
    )
    return replace(state, cards=(*state.cards, fresh), chosen=len(state.cards))


def duplicated(state: State, place: int) -> State:
    """Return the state with a copy of a configuration behind it, open."""
    if len(state.cards) >= MOST_CARDS:
        return state
    card = state.cards[place]
    copy = card.having(name=_copy_name(card.name, state), colour=_free_colour(state), hidden=False)
    return replace(
        state, cards=(*state.cards[: place + 1], copy, *state.cards[place + 1 :]), chosen=place + 1
    )


def removed(state: State, place: int) -> tuple[State, str]:
    """Return the state without a configuration, and what :func:`restored` needs to bring it back.

    The last one stays.
    """
    if len(state.cards) == 1:
        return state, ""
    gone = State((state.cards[place].having(name=state.cards[place].name),), chosen=0)
    cards = (*state.cards[:place], *state.cards[place + 1 :])
    open_one = state.chosen - (state.chosen > place)
    return replace(state, cards=cards, chosen=min(open_one, len(cards) - 1)), f"{place}?{encode(gone)}"


def everything(state: State) -> str:
    """Return what :func:`restored` needs to bring the whole state back."""
    return f"{_ALL}?{encode(state)}"


_ALL = "all"


def gone_name(gone: str) -> str:
    """Return what :func:`restored` would bring back, in words; empty if nothing."""
    number, _, link = gone.partition("?")
    if not gone:
        return ""
    return "what the example replaced" if number == _ALL else decode(link).state.cards[0].name


def restored(state: State, gone: str) -> State:
    """Return the state with what :func:`removed` took, at its place and open, or what :func:`everything` kept."""
    number, _, link = gone.partition("?")
    if number == _ALL:
        return decode(link).state
    if len(state.cards) >= MOST_CARDS or not number.isdecimal():
        return state
    place = min(int(number), len(state.cards))
    back = decode(link).state.cards[0]
    return replace(state, cards=(*state.cards[:place], back, *state.cards[place:]), chosen=place)


def chosen(state: State, place: int) -> State:
    """Return the state with another configuration open."""
    return replace(state, chosen=place)


def hidden(state: State, place: int) -> State:
    """Return the state with a configuration hidden, or shown again."""
    card = state.cards[place]
    return _with(state, place, card.having(hidden=not card.hidden))


def coloured(state: State, place: int, colour: int) -> State:
    """Return the state with a configuration in another colour."""
    return _with(state, place, state.cards[place].having(colour=colour))


def moved_up(state: State, place: int) -> State:
    """Return the state with a configuration one place further up, and open."""
    if place == 0:
        return state
    cards = list(state.cards)
    cards[place - 1], cards[place] = cards[place], cards[place - 1]
    return replace(state, cards=tuple(cards), chosen=place - 1)


def ordered(state: State) -> State:
    """Return the state with the configurations in the order of their colours; the same one stays open."""
    order = sorted(range(len(state.cards)), key=lambda place: state.cards[place].colour)
    return replace(
        state, cards=tuple(state.cards[place] for place in order), chosen=order.index(state.chosen)
    )


def with_file(state: State, text: str) -> State:
    """Return the state with the open configuration on a machine file of the user's; empty: without it."""
    card = state.cards[state.chosen]
    return renamed(state, _with(state, state.chosen, card.having(file=text, overrides={})))


def renamed(before: State, after: State) -> State:
    """Return the state after another machine was chosen, the open configuration named after that one.

    A name of the user's own stays.
    """
    old, new = before.cards[after.chosen], after.cards[after.chosen]
    if _machine_of(old) == _machine_of(new) or not re.fullmatch(
        rf"{re.escape(_machine_of(old))}( \d+)?", old.name
    ):
        return after
    name = _machine_of(new)
    others = {card.name for place, card in enumerate(after.cards) if place != after.chosen}
    if name in others:
        name = _copy_name(name, after)
    return _with(after, after.chosen, new.having(name=name if name != new.having(name="").name else ""))


def _machine_of(card: Card) -> str:
    """Return what a configuration is called that has no name of the user's."""
    return uploaded_name(str(card["file"])) if card["file"] else card.having(name="").name


STARTS: Mapping[str, float] = {
    "layers": 120,
    "depth_exponent": 0.3751,
    "width_ratio": 4.0,
    "tokens_per_parameter": 20.0,
    "batch_exponent": 1 / 6,
}
"""What the parameters of laws that have no default start with: those of the article and of the usual laws."""


def settled(state: State) -> State:
    """Return the state with what the open configuration's choices need: laws' parameters, a precision that is offered.

    Parameters that no chosen law reads fall out, and so does the sparsity of a dense model.
    """
    card = state.cards[state.chosen]
    changed: dict[str, object] = {}
    chosen_laws = [
        find_law(family, str(card[f"{family}_law"])) for family in ("depth", "width", "data", "batch")
    ]
    wanted = {name: default for law in chosen_laws for name, default in law.options.items()}
    offered = {name for laws in FAMILIES.values() for law in laws.values() for name in law.options} - {
        "experts"
    }
    for name in offered:
        if name not in wanted:
            changed[name] = None
        elif card[name] is None and wanted[name] is None:
            changed[name] = STARTS[name]
    if card["model"] == "dense":
        changed["sparsity"] = None
    bits = read_machine(str(card["machine"])).levels("precision")
    if not card["file"] and str(card["precision"]) not in bits:
        changed["precision"] = int(min(bits, key=lambda level: abs(int(level) - 16)))
    return _with(state, state.chosen, card.having(**changed))


def _with(state: State, place: int, card: Card) -> State:
    return replace(state, cards=(*state.cards[:place], card, *state.cards[place + 1 :]))


def _free_colour(state: State) -> int:
    taken = {card.colour for card in state.cards}
    return next((colour for colour in range(COLOURS) if colour not in taken), 0)


def _copy_name(name: str, state: State) -> str:
    """Return a name that is not there yet: ``H100 2``."""
    taken = {card.name for card in state.cards}
    stem = name[:36]
    return next(f"{stem} {number}" for number in range(2, MOST_CARDS + 3) if f"{stem} {number}" not in taken)
