"""How the page looks: the colours of ``report``'s style file, for the page's own CSS and for Mantine."""

from __future__ import annotations

from dataclasses import fields

from scalewall.report.plotly_figures import named_colours
from scalewall.report.style import Theme, style

__all__ = ["MANTINE", "page_css", "themes"]

MANTINE: dict[str, object] = {
    "fontFamily": style().font_family,
    "primaryColor": "blue",
    "primaryShade": {"light": 8, "dark": 4},
    "autoContrast": True,
    "defaultRadius": "sm",
}


def themes() -> dict[str, dict[str, str]]:
    """Return the colours of both themes by the names that figures use."""
    return {"light": named_colours(style().light), "dark": named_colours(style().dark)}


def page_css() -> str:
    """Return the style's colours as CSS variables, for both of Mantine's colour schemes."""
    look = style()
    return (
        f":root {{ --sw-font: {look.font_family}; {_variables(look.light)} }}\n"
        f":root[data-mantine-color-scheme='dark'] {{ {_variables(look.dark)} }}\n"
        + "\n".join(
            f".sw-series-{number} {{ background: var(--sw-series-{number}); }}" for number in range(7)
        )
    )


def _variables(theme: Theme) -> str:
    plain = {part.name: getattr(theme, part.name) for part in fields(theme) if part.name != "series"}
    series = {f"series-{number}": colour for number, colour in enumerate(theme.series)}
    mantine = {
        "body": theme.background,
        "text": theme.text,
        "dimmed": theme.muted,
        "placeholder": theme.muted,
        "anchor": theme.accent,
        "error": theme.bad,
        "default-border": theme.neutral,
    }
    primary = {"filled": theme.accent, "filled-hover": theme.accent, "contrast": theme.background}
    return " ".join(
        [
            *(f"--sw-{name}: {value};" for name, value in (plain | series).items()),
            *(f"--mantine-color-{name}: {value} !important;" for name, value in mantine.items()),
            *(f"--mantine-primary-color-{name}: {value} !important;" for name, value in primary.items()),
        ]
    )
