"""Pictures of a sweep: a result over two inputs as heat maps, over one as lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scalewall.errors import InputError, unknown_name
from scalewall.report.chart_data import Axis, Chart, Series
from scalewall.report.files import save_figure, write_text
from scalewall.report.sweep_heat_maps import (
    HeatMap,
    chosen_by,
    heading,
    heat_map,
    heat_map_figure,
    heat_map_page,
    is_wide,
)
from scalewall.report.sweep_tables import title_of, value_text

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from scalewall.study.results import Results

__all__ = ["line_chart", "save_sweep_plot"]


def save_sweep_plot(
    results: Results,
    path: Path,
    value: str | None = None,
    x: str | None = None,
    y: str | None = None,
    by: str | None = None,
    where: Sequence[str] = (),
) -> None:
    """Draw a result of a sweep and write it to ``path``.

    Parameters
    ----------
    results : Results
        A folder of results.
    path : Path
        Ends in ``.html``, ``.png``, ``.svg`` or ``.pdf``.
    value : str, optional
        The result; default: the first that is a number.
    x : str, optional
        Input across; default: the last that varies.
    y : str, optional
        Input upwards, for heat maps; without it lines are drawn.
    by : str, optional
        Input with a panel (heat maps) or a line for each of its values.
    where : sequence of str
        Conditions on rows, as of :meth:`~scalewall.study.results.Results.query`.

    Raises
    ------
    InputError
        No such column, nothing to draw, or too many panels.
    """
    across = x or results.inputs[-1]
    shown = value or _first_number(results)
    inputs = [across, *([y] if y else []), *([by] if by else [])]
    for field, name in (("x", across), ("y", y), ("by", by)):
        if name is not None and name not in results.inputs:
            raise unknown_name(f"--{field}", name, results.inputs)
    if len(set(inputs)) < len(inputs):
        raise InputError("--x, --y, --by", ", ".join(inputs), "different inputs")
    if shown not in results.results:
        raise unknown_name("--value", shown, results.results)
    rows = results.query(where, [*inputs, shown]).to_pandas()
    rows[shown] = _numbers(shown, rows[shown])
    if rows[shown].notna().sum() == 0:
        raise InputError("--value", shown, "a result that some row has")
    if y is None:
        _save_lines(line_chart(rows, shown, across, by), path)
    else:
        _save_heat_map(heat_map(rows, shown, across, y, by), path)


def _first_number(results: Results) -> str:
    schema = results.dataset.schema
    return next(
        (name for name in results.results if str(schema.field(name).type) == "double"), results.results[0]
    )


def _numbers(name: str, column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a result as numbers, true as 1; words cannot be drawn."""
    if column.dtype == object and all(value is None or isinstance(value, bool) for value in column):
        return column.astype("float64")
    if column.dtype.kind not in "iufb":
        raise InputError("--value", name, "a result that is a number")
    return column.astype("float64")


def line_chart(rows: pd.DataFrame, value: str, x: str, by: str | None = None) -> Chart:
    """Return a result over one input as lines, one for each value of ``by``: medians where several rows meet.

    Raises
    ------
    InputError
        ``x`` is not a number, or there are too many lines.
    """
    if rows[x].dtype.kind not in "iuf":
        raise InputError("--x", x, "an input that is a number; give --y too for a heat map")
    series: list[Series] = []
    for name, chosen in chosen_by(rows, by):
        medians = rows[value][chosen].groupby(rows[x][chosen]).median().dropna()
        across = tuple(float(at) for at in medians.index.to_numpy())
        hover = tuple(
            f"{value_text(value, one)} at {value_text(x, at)}"
            for at, one in zip(across, medians, strict=True)
        )
        series.append(Series(name or title_of(value), across, tuple(map(float, medians)), hover, len(series)))
    return Chart(
        title=f"{heading(value)} over {x}{f', by {by}' if by else ''}",
        x=Axis(title_of(x), log=_is_wide(rows[x])),
        y=Axis(title_of(value), log=_is_wide(rows[value])),
        series=tuple(series),
    )


def _is_wide(column: pd.Series[Any]) -> bool:
    return is_wide(float(column.min()), float(column.max()))


def _save_lines(chart: Chart, path: Path) -> None:
    if path.suffix.lower() == ".html":
        from scalewall.report.plotly_figures import figure

        write_text(path, _page(figure(chart)))
    else:
        from scalewall.report.matplotlib_figures import figure as print_figure

        save_figure(print_figure([chart]), path)


def _save_heat_map(shown: HeatMap, path: Path) -> None:
    if path.suffix.lower() == ".html":
        write_text(path, _page(heat_map_page(shown)))
    else:
        save_figure(heat_map_figure(shown), path)


def _page(figure: go.Figure) -> str:
    """Return a self-contained page with one figure."""
    return str(figure.to_html(include_plotlyjs=True, full_html=True))
