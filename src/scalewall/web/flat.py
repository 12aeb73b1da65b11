"""Links of pages that ask one question: ``?v=1&model=llama3-70b&gpus=1024``, only what differs from the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, urlencode

from scalewall.errors import InputError, nearest
from scalewall.web.settings import Setting
from scalewall.web.state import LINK_VERSION, LONGEST_LINK

__all__ = ["decode_flat", "encode_flat"]

_SHORT = 60


def encode_flat(values: Mapping[str, object], settings: Mapping[str, Setting]) -> str:
    """Return settings as a query string, without the question mark; what equals its default falls out."""
    pairs = [("v", str(LINK_VERSION))]
    pairs += [
        (name, setting.write(values[name]))
        for name, setting in settings.items()
        if name in values and values[name] is not None and values[name] != setting.default
    ]
    return urlencode(pairs, quote_via=quote, safe=",:@")


def decode_flat(query: str, settings: Mapping[str, Setting]) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return every setting that a query string gives or leaves at its default, and what could not be used.

    Never raises.
    """
    values = {name: setting.default for name, setting in settings.items()}
    query = query.removeprefix("?")
    if len(query) > LONGEST_LINK:
        return values, (
            f"The link is longer than {LONGEST_LINK:,} characters; these are the defaults instead.",
        )
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=200)
    except ValueError:
        return values, ("The link holds too many settings; these are the defaults instead.",)
    problems = []
    for key, text in pairs:
        if key == "v":
            if text != str(LINK_VERSION):
                problems.append(
                    f"The link is of version {text[:_SHORT]!r} and this page of version {LINK_VERSION}."
                )
        elif key not in settings:
            near = nearest(key[:_SHORT], settings, 1)
            hint = f" Nearest: {near[0]}." if near else ""
            problems.append(
                f"{key[:_SHORT]!r} is no setting that this version knows, and was left out.{hint}"
            )
        else:
            try:
                values[key] = settings[key].read(key, text)
            except InputError as error:
                problems.append(f"{error} The default was taken.")
    return values, tuple(dict.fromkeys(problems))
