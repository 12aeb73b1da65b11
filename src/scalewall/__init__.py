"""How far can training of large models scale on given hardware, and what stops it.

>>> import scalewall
>>> published = scalewall.limits("ref-h100", reference=True)
>>> f"{published.linear_scaling.first_failure_flop:.3g} FLOP"
'2.05e+28 FLOP'
>>> published.points[-1].binds
'kernel_latency'

Here stands the ideal model, which gives the best that a machine allows at any scale: :func:`limits` of a
:class:`LimitsStudy`, :func:`find_plan` and :func:`estimate_batch` for one run, :func:`load_machine` for the
hardware, :class:`Laws` for what is trained; :func:`levers`, :func:`what_if` and :func:`require` ask what would move
the limits, :func:`forecast` when training runs reach them. :mod:`scalewall.planner` predicts real runs of real
models: :func:`plan` and :func:`recommend` find layouts, :func:`explain` says why one takes its time,
:func:`export_plan` and :func:`import_plan` speak the words of the frameworks that run them. :mod:`scalewall.study`
sweeps and samples both models, :mod:`scalewall.cost.pipeline` simulates pipeline schedules.

Names load on first use, so that ``import scalewall`` is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from scalewall._version import __version__
from scalewall.errors import InputError, ScalewallError

if TYPE_CHECKING:
    from scalewall.hardware import Cluster as Cluster
    from scalewall.hardware import load_machine as load_machine
    from scalewall.hardware import machine_names as machine_names
    from scalewall.ideal.estimate import BatchEstimate as BatchEstimate
    from scalewall.ideal.estimate import estimate_batch as estimate_batch
    from scalewall.ideal.limits import Limits as Limits
    from scalewall.ideal.limits import LimitsList as LimitsList
    from scalewall.ideal.limits import limits as limits
    from scalewall.ideal.results import Plan as Plan
    from scalewall.ideal.results import Point as Point
    from scalewall.ideal.search import find_plan as find_plan
    from scalewall.ideal.space import ModelSwitches as ModelSwitches
    from scalewall.ideal.space import SearchSpace as SearchSpace
    from scalewall.ideal.study import LimitsStudy as LimitsStudy
    from scalewall.planner.explain import Explanation as Explanation
    from scalewall.planner.explain import explain as explain
    from scalewall.planner.export import Exported as Exported
    from scalewall.planner.export import Imported as Imported
    from scalewall.planner.export import export_plan as export_plan
    from scalewall.planner.export import import_plan as import_plan
    from scalewall.planner.plan import PlanResult as PlanResult
    from scalewall.planner.plan import PlanResults as PlanResults
    from scalewall.planner.planning import plan as plan
    from scalewall.planner.planning import recommend as recommend
    from scalewall.report.plots import save_plot as save_plot
    from scalewall.study.forecast import Forecast as Forecast
    from scalewall.study.forecast import forecast as forecast
    from scalewall.study.require import require as require
    from scalewall.study.what_if import levers as levers
    from scalewall.study.what_if import what_if as what_if
    from scalewall.workload import Laws as Laws
    from scalewall.workload import MlpStack as MlpStack
    from scalewall.workload import Transformer as Transformer
    from scalewall.workload import list_laws as list_laws
    from scalewall.workload import load_model as load_model
    from scalewall.workload import model_names as model_names
    from scalewall.workload import nearest_stack as nearest_stack
    from scalewall.workload import stack_for as stack_for

_HOMES = {
    "scalewall.hardware": ("Cluster", "load_machine", "machine_names"),
    "scalewall.ideal.estimate": ("BatchEstimate", "estimate_batch"),
    "scalewall.ideal.limits": ("Limits", "LimitsList", "limits"),
    "scalewall.ideal.results": ("Plan", "Point"),
    "scalewall.ideal.search": ("find_plan",),
    "scalewall.ideal.space": ("ModelSwitches", "SearchSpace"),
    "scalewall.ideal.study": ("LimitsStudy",),
    "scalewall.planner.explain": ("Explanation", "explain"),
    "scalewall.planner.export": ("Exported", "Imported", "export_plan", "import_plan"),
    "scalewall.planner.plan": ("PlanResult", "PlanResults"),
    "scalewall.planner.planning": ("plan", "recommend"),
    "scalewall.report.plots": ("save_plot",),
    "scalewall.study.forecast": ("Forecast", "forecast"),
    "scalewall.study.require": ("require",),
    "scalewall.study.what_if": ("levers", "what_if"),
    "scalewall.workload": (
        "Laws",
        "MlpStack",
        "Transformer",
        "list_laws",
        "load_model",
        "model_names",
        "nearest_stack",
        "stack_for",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["InputError", "ScalewallError", "__version__", *sorted(_HOME)]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'scalewall' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
