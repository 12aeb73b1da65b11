"""Pictures of uncertain limits: utilization as a fan, the share of worlds in which a run works, what it comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from scalewall.report import units
from scalewall.report.chart_data import Axis, Chart, Series
from scalewall.report.figures_page import paragraphs
from scalewall.report.files import save_figure, write_text
from scalewall.report.html import asset, document, figure_slot, specifications_json
from scalewall.report.plotly_figures import specification
from scalewall.report.style import Theme, style
from scalewall.report.uncertainty_tables import (
    ANSWER_TITLES,
    beliefs_table,
    input_title,
    uncertainty_tables,
    uncertainty_warnings,
    uncertainty_words,
)
from scalewall.report.words import LEAVES_OUT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from scalewall.study.sensitivity import Sensitivity
    from scalewall.study.uncertainty import Uncertainty

__all__ = [
    "effects_specification",
    "fan_chart",
    "fan_specification",
    "print_figure",
    "save_uncertainty",
    "shares_of_worlds",
]

_COMPUTE = Axis("Training compute (FLOP)", log=True)
_BANDS = ((0, 4, "nine of ten worlds", 0.22), (1, 3, "the middle half", 0.4))
"""Ends of the fan's bands as places of quantiles, names and opacities, the wide one first."""
_MIDDLE = 2
_BAR_INCHES = 0.22
_AROUND_INCHES = 0.9
_BAR_PIXELS = 26


def fan_chart(found: Uncertainty) -> Chart:
    """Return the median of the best utilization by training compute; bands are drawn behind it."""
    return Chart(
        title=f"Best utilization on {found.title} in {found.worlds:,} worlds",
        x=_COMPUTE,
        y=Axis(
            "Utilization of the peak", percent=True, top=1.05 * max(max(one.quantiles) for one in found.curve)
        ),
        series=(
            Series(
                name="median",
                x=tuple(one.flop for one in found.curve),
                y=tuple(one.quantiles[_MIDDLE] for one in found.curve),
                hover=tuple(
                    f"{units.flop(one.flop)}: {units.percent(one.quantiles[_MIDDLE])}, nine of ten worlds "
                    f"{units.percent(one.quantiles[0])} to {units.percent(one.quantiles[-1])}"
                    for one in found.curve
                ),
                colour=0,
                marked=False,
            ),
        ),
    )


def shares_of_worlds(found: Uncertainty) -> Chart:
    """Return in which share of the worlds a run of each size finishes, and is efficient."""
    series = []
    for colour, name in ((0, "efficient"), (1, "feasible")):
        shares = tuple(float(getattr(one, name)) for one in found.curve)
        hover = tuple(
            f"{units.flop(one.flop)}: in {units.percent(share)} of the worlds"
            for one, share in zip(found.curve, shares, strict=True)
        )
        title = "a run is efficient" if name == "efficient" else "a run finishes in time"
        flops = tuple(one.flop for one in found.curve)
        series.append(Series(title, flops, shares, hover, colour, marked=False))
    return Chart(
        title="In how many worlds a run of this size works",
        x=_COMPUTE,
        y=Axis("Share of the worlds", percent=True, top=1.05),
        series=tuple(series),
    )


def fan_specification(found: Uncertainty) -> dict[str, Any]:
    """Return the fan as Plotly data and layout with named colours."""
    spec = specification(fan_chart(found))
    flops = [one.flop for one in found.curve]
    bands = []
    for low, high, name, opacity in _BANDS:
        lower, upper = ([one.quantiles[place] for one in found.curve] for place in (low, high))
        bands.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": [*flops, *reversed(flops)],
                "y": [*lower, *reversed(upper)],
                "fill": "toself",
                "fillcolor": "@series.0",
                "line": {"width": 0, "color": "@series.0"},
                "opacity": opacity,
                "hoverinfo": "skip",
            }
        )
    spec["data"] = [*bands, *spec["data"]]
    spec["layout"]["showlegend"] = True
    return spec


def _bars(one: Sensitivity) -> tuple[tuple[str, list[float], list[float]], ...]:
    """Return what is drawn for each input: names of the bars, their lengths and half intervals."""
    shown = [
        (
            "alone" if one.method == "sobol" else "mean effect",
            [effect.main for effect in one.effects],
            [effect.main_within for effect in one.effects],
        )
    ]
    if one.method == "sobol":
        within = [effect.total_within or 0.0 for effect in one.effects]
        shown.append(("with interactions", [effect.total for effect in one.effects], within))
    return tuple(shown)


def _end(one: Sensitivity) -> float:
    """Return where the scale of effects ends: an estimate below 0, all noise, shows as none."""
    tops = (
        length + half
        for _, lengths, within in _bars(one)
        for length, half in zip(lengths, within, strict=True)
    )
    return 1.05 * max(*tops, 1e-3)


def _effects_title(one: Sensitivity) -> tuple[str, str]:
    what = f"What the {ANSWER_TITLES[one.answer].lower()} depends on"
    if one.method == "sobol":
        return what, "Share of the variance of its logarithm"
    return what, "Decades that the whole range of an input moves it"


def effects_specification(one: Sensitivity) -> dict[str, Any]:
    """Return the effects of inputs on one limit as Plotly data and layout with named colours."""
    look = style()
    title, axis = _effects_title(one)
    names = [input_title(effect.path) for effect in one.effects]
    percent = one.method == "sobol"
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "name": name,
                "y": names,
                "x": lengths,
                "error_x": {"type": "data", "array": within, "color": "@text", "thickness": 1, "width": 3},
                "marker": {"color": f"@series.{place}"},
                "hovertemplate": "%{y}: %{x:.1%}<extra></extra>"
                if percent
                else "%{y}: %{x:.2f}<extra></extra>",
            }
            for place, (name, lengths, within) in enumerate(_bars(one))
        ],
        "layout": {
            "title": {"text": title, "x": 0, "xref": "paper", "font": {"size": look.font_size + 3}},
            "font": {"family": look.font_family, "size": look.font_size, "color": "@text"},
            "paper_bgcolor": "@background",
            "plot_bgcolor": "@background",
            "height": 150 + _BAR_PIXELS * len(names),
            "margin": {"l": 16, "r": 16, "t": 48, "b": 56},
            "barmode": "group",
            "showlegend": percent,
            "legend": {"orientation": "h", "x": 0, "y": -60 / (_BAR_PIXELS * len(names)), "yanchor": "top"},
            "xaxis": {
                "title": {"text": axis},
                "tickformat": ".0%" if percent else None,
                "gridcolor": "@grid",
                "zerolinecolor": "@muted",
                "range": [0.0, _end(one)],
            },
            "yaxis": {"autorange": "reversed", "automargin": True},
        },
    }


def print_figure(found: Uncertainty, theme: Theme | None = None) -> Figure:
    """Return everything as one Matplotlib figure in ``theme`` (light if none); it belongs to no window."""
    from matplotlib.figure import Figure

    from scalewall.report.matplotlib_figures import draw_chart

    look = style()
    colours = theme or look.light
    curves = [fan_chart(found), shares_of_worlds(found)] if found.curve else []
    bars = [_AROUND_INCHES + _BAR_INCHES * len(one.effects) for one in found.sensitivities]
    heights = [look.print_height_inches] * len(curves) + bars
    drawn = Figure(
        figsize=(look.print_width_inches, sum(heights)),
        dpi=look.print_dpi,
        facecolor=colours.background,
        layout="constrained",
    )
    panels = drawn.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, chart in zip(panels, curves, strict=False):
        draw_chart(axes, chart, colours)
    if curves:
        _draw_fan(panels[0], found, colours)
    for axes, one in zip(panels[len(curves) :], found.sensitivities, strict=True):
        _draw_effects(axes, one, colours)
    return drawn


def _draw_fan(axes: Axes, found: Uncertainty, theme: Theme) -> None:
    flops = [one.flop for one in found.curve]
    for low, high, name, opacity in _BANDS:
        axes.fill_between(
            flops,
            [one.quantiles[low] for one in found.curve],
            [one.quantiles[high] for one in found.curve],
            color=theme.series[0],
            alpha=opacity,
            linewidth=0,
            label=name,
        )
    _legend(axes, theme, "upper right")


def _draw_effects(axes: Axes, one: Sensitivity, theme: Theme) -> None:
    look = style()
    title, axis = _effects_title(one)
    bars = _bars(one)
    thick = 0.8 / len(bars)
    axes.set_facecolor(theme.background)
    for place, (name, lengths, within) in enumerate(bars):
        where = [index + (place - (len(bars) - 1) / 2) * thick for index in range(len(lengths))]
        axes.barh(
            where,
            lengths,
            height=0.9 * thick,
            xerr=within,
            color=theme.series[place],
            ecolor=theme.text,
            error_kw={"elinewidth": 0.7, "capsize": 1.5},
            label=name,
        )
    axes.set_title(title, loc="left", color=theme.text, fontsize=look.print_font_size + 2)
    axes.set_xlabel(axis, color=theme.text, fontsize=look.print_font_size)
    axes.set_yticks(range(len(one.effects)), [input_title(effect.path) for effect in one.effects])
    axes.set_ylim(len(one.effects) - 0.4, -0.6)
    axes.set_xlim(0.0, _end(one))
    axes.tick_params(axis="x", colors=theme.muted, labelsize=look.print_font_size - 1)
    axes.tick_params(axis="y", colors=theme.text, labelsize=look.print_font_size - 1, length=0)
    axes.grid(True, axis="x", color=theme.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    if one.method == "sobol":
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        _legend(axes, theme, "lower right")
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(theme.muted)


def _legend(axes: Axes, theme: Theme, place: Literal["upper right", "lower right"]) -> None:
    legend = axes.legend(loc=place, fontsize=style().print_font_size - 1, facecolor=theme.background)
    legend.get_frame().set_edgecolor(theme.grid)
    for text in legend.get_texts():
        text.set_color(theme.text)


def save_uncertainty(found: Uncertainty, path: Path, command: str = "") -> None:
    """Write the pictures of uncertain limits to ``path``: ``.html`` is a page with words and tables, others are print.

    Parameters
    ----------
    found : Uncertainty
        The answer.
    path : Path
        Ends in one of :data:`scalewall.report.plots.PLOT_SUFFIXES`.
    command : str
        The command that makes the file again, shown on the page; may be empty.
    """
    if path.suffix.lower() == ".html":
        write_text(path, _page(found, command))
    else:
        save_figure(print_figure(found), path)


def _page(found: Uncertainty, command: str) -> str:
    specifications = {}
    if found.curve:
        specifications = {"fan": fan_specification(found), "shares": specification(shares_of_worlds(found))}
    for one in found.sensitivities:
        specifications[one.answer] = effects_specification(one)
    slots = "".join(
        figure_slot(key, str(spec["layout"]["title"]["text"])) for key, spec in specifications.items()
    )
    tables = "".join(
        table.html() for table in (*uncertainty_tables(found), beliefs_table(found, sources=True))
    )
    keep_in_mind = paragraphs([*uncertainty_warnings(found), LEAVES_OUT])
    body = asset("report.html").substitute(
        answer=paragraphs([uncertainty_words(found)]),
        sections=f"<section>{slots}</section><section>{tables}{keep_in_mind}</section>",
    )
    title = f"How sure are the limits of {found.title}?"
    return document(title, body, specifications_json(specifications), command)
