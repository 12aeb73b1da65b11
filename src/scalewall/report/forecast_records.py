"""A forecast as JSON values and as rows: years as decimals, compute in FLOP, what never comes as null."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from scalewall._version import __version__
from scalewall.study.forecast_published import steps_to_ours
from scalewall.study.training_runs import training_runs

if TYPE_CHECKING:
    import pandas as pd

    from scalewall.study.forecast import Forecast, MachineForecast
    from scalewall.study.forecast_dates import DateBand

__all__ = ["FORECAST_COLUMNS", "RUN_COLUMNS", "forecast_frame", "forecast_json", "forecast_rows", "run_rows"]

SCHEMA_VERSION = 1

FORECAST_COLUMNS = ("machine", "limit", "share_before", "year")
RUN_COLUMNS = (
    "model", "organization", "published", "year", "training_flop", "domain", "hardware", "accelerators", "hours",
    "parameters", "confidence", "role", "source", "note",
)  # fmt: skip


def forecast_json(forecast: Forecast) -> dict[str, object]:
    """Return a forecast as JSON values, in the shape that ``schema_version`` names."""
    study = forecast.study
    return {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "now": study.now,
        "growth": asdict(study.growth),
        "start": asdict(study.start),
        "progress": asdict(study.progress),
        "lag_years": study.lag_years,
        "samples": study.samples,
        "seed": study.seed,
        "worlds": study.worlds,
        "machines": [_machine(forecast, one) for one in forecast.machines],
        "warnings": forecast.warnings,
    }


def _machine(forecast: Forecast, one: MachineForecast) -> dict[str, object]:
    return {
        "machine": one.machine,
        "title": one.title,
        "efficient_scaling_ends": _band(one.efficient, forecast.study.now),
        "infeasible": _band(one.infeasible, forecast.study.now),
        "generations": [asdict(generation) for generation in one.generations],
        "from_the_published_date": [
            asdict(step) | {"years_left": step.years_left} for step in steps_to_ours(forecast, one)
        ],
        "assumptions": one.limits.assumptions,
    }


def _band(band: DateBand, now: float) -> dict[str, object]:
    return {
        "year": {f"{share:g}": date for share, date in band.dates.items()},
        "years_left": band.median - now,
    }


def forecast_rows(forecast: Forecast) -> list[dict[str, object]]:
    """Return the distributions as rows: machine, which limit, share of the draws before, year."""
    return [
        {"machine": one.machine, "limit": name, "share_before": share, "year": year}
        for one in forecast.machines
        for name, band in (("efficient scaling ends", one.efficient), ("infeasible", one.infeasible))
        for share, year in zip(band.shares, band.years, strict=True)
    ]


def forecast_frame(forecast: Forecast) -> pd.DataFrame:
    """Return the distributions as a data frame with the columns of :data:`FORECAST_COLUMNS`; inf: never."""
    import pandas as pd

    return pd.DataFrame(forecast_rows(forecast), columns=list(FORECAST_COLUMNS))


def run_rows() -> list[dict[str, object]]:
    """Return the table of training runs as rows, with the columns of :data:`RUN_COLUMNS`."""
    return [
        {name: getattr(run, name) for name in RUN_COLUMNS} | {"published": run.published.isoformat()}
        for run in training_runs()
    ]
