"""What the search processes do for the When page."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from scalewall.errors import InputError
from scalewall.report.forecast_charts import chances_chart, timeline_chart
from scalewall.report.forecast_files import save_forecast
from scalewall.report.forecast_records import FORECAST_COLUMNS, forecast_json, forecast_rows
from scalewall.report.forecast_tables import dates_table, generations_table, steps_table
from scalewall.report.forecast_words import finding, rests_on
from scalewall.report.plotly_figures import specification
from scalewall.report.records import json_text
from scalewall.study.forecast import Forecast, forecast_of
from scalewall.web.csv_text import csv_text
from scalewall.web.flat import decode_flat, encode_flat
from scalewall.web.found import Found
from scalewall.web.when_question import WHEN_SETTINGS, forecast_study, when_command, when_python
from scalewall.web.words import page_error, page_table, page_words
from scalewall.web.workers import Progress

__all__ = ["when_file_task", "when_task"]


def when_task(query: str, progress: Progress) -> Found:
    """Return when the frontier reaches the limits of a link's machines."""
    values, _ = decode_flat(query, WHEN_SETTINGS)
    found = _forecast(query, progress)
    return Found(
        title="When do training runs reach the limits?",
        sentences=tuple(page_words(finding(found, one)) for one in found.machines),
        notes=tuple(map(page_words, (*rests_on(found), *found.warnings))),
        tables={
            "dates": page_table(dates_table(found)),
            "generations": generations_table(found),
            **{f"steps-{one.machine}": steps_table(found, one) for one in found.machines},
        },
        figures={
            "runs": specification(timeline_chart(found)),
            "chances": specification(chances_chart(found)),
        },
        texts={"command": when_command(values), "Python": when_python(values)},
    )


def when_file_task(query: str, kind: str, progress: Progress) -> bytes:
    """Return a forecast as ``csv``, ``json``, ``html``, ``png`` or ``svg``."""
    values, _ = decode_flat(query, WHEN_SETTINGS)
    found = _forecast(query, progress)
    if kind == "csv":
        return csv_text(FORECAST_COLUMNS, forecast_rows(found)).encode()
    if kind == "json":
        return json_text(forecast_json(found)).encode()
    with TemporaryDirectory(prefix="scalewall-") as folder:
        path = Path(folder) / f"forecast.{kind}"
        save_forecast(found, path, when_command(values))
        return path.read_bytes()


def _forecast(query: str, progress: Progress) -> Forecast:
    values, _ = decode_flat(query, WHEN_SETTINGS)
    key = encode_flat(values, WHEN_SETTINGS)
    if key not in _KEPT:
        try:
            found = forecast_of(forecast_study(values), progress)
        except InputError as error:
            raise page_error(error, "the Limits page") from error
        _KEPT.clear()
        _KEPT[key] = found
    return _KEPT[key]


_KEPT: dict[str, Forecast] = {}
"""The last answer of this process: a file about it does not search again."""
