"""Every figure of the set: what it shows, which published figure it corresponds to, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from scalewall.ideal.limits import Limits, limits_of
from scalewall.ideal.study import ALL_MACHINES, LimitsStudy
from scalewall.report import units
from scalewall.report.bar_chart import BarChart
from scalewall.report.chart_data import (
    Chart,
    accelerators_chart,
    degrees_chart,
    shares_chart,
    utilization_chart,
)
from scalewall.report.figures_charts import closed_forms_chart, depth_fit_chart
from scalewall.report.forecast_charts import chances_chart, timeline_chart
from scalewall.report.generations import generations_chart
from scalewall.report.lever_figures import gains_chart, what_if_curves
from scalewall.report.money_charts import money_charts
from scalewall.study.forecast import Forecast, forecast_of
from scalewall.study.forecast_question import ForecastStudy
from scalewall.study.forecast_worlds import uncertain_limits
from scalewall.study.money import efficient_runs
from scalewall.study.uncertainty import Uncertainty
from scalewall.study.what_if import Levers, levers

__all__ = ["FIGURES", "Answers", "Drawn", "Figure"]

Drawn = tuple[Chart, ...] | BarChart | Uncertainty

_PUBLISHED = ("ref-v100", "ref-a100", "ref-h100")
_TODAY = ("h100", "gb200-nvl72")
_HYPOTHETICAL = (
    "ref-h100",
    "ref-h100-low-latency",
    "ref-h100-global-nvlink",
    "ref-h100-global-nvlink-low-latency",
    "ref-h100-infinite-network-low-latency",
    "ref-h100-superpod",
    "ref-h100-10x",
)
_MONTHS = (1.0, 3.0, 6.0, 12.0)
_PULLED = (
    "bandwidth=10+kernel-latency=10+network-latency=2.25",
    "network-bandwidth=10",
    "latency=10",
    "months=12",
    "batch-law=zhang",
)
_COSTED = ("h100", "b200", "gb200-nvl72")


@dataclass
class Answers:
    """Answers that figures are drawn from, each computed once.

    Parameters
    ----------
    now : float
        From when the forecast counts years.
    grid : (int, float, float)
        Largest odd factor, least and most width of the runs.
    worlds : int
        Sampled worlds of the figure on uncertainty; the forecast takes half as many.
    """

    now: float
    grid: tuple[int, float, float] = LimitsStudy.grid
    worlds: int = 64
    _limits: dict[tuple[object, ...], Limits] = field(default_factory=dict)

    def limits(self, machine: str, **settings: object) -> Limits:
        """Return a machine's limits under settings of :class:`scalewall.ideal.study.LimitsStudy`."""
        key = (machine, *sorted(settings.items()))
        if key not in self._limits:
            self._limits[key] = limits_of(self._study((machine,), **settings), machine)
        return self._limits[key]

    def published(self, machine: str, **settings: object) -> Limits:
        """Return a machine's limits as the published data were made, but for ``settings``."""
        return self.limits(machine, reference=True, **settings)

    def levers(self, machine: str, only: Sequence[str] = (), reference: bool = False) -> Levers:
        """Return what moves a machine's limits."""
        return levers(self._study((machine,), reference=reference), only)

    def uncertainty(self, machine: str) -> Uncertainty:
        """Return how sure a machine's limits are."""
        return uncertain_limits(self._study((machine,)), self.worlds)

    @cached_property
    def forecast(self) -> Forecast:
        """When frontier runs reach the limits of today's machines."""
        return forecast_of(ForecastStudy(self._study(_TODAY), worlds=self.worlds // 2, now=self.now))

    def _study(self, machines: tuple[str, ...], **settings: object) -> LimitsStudy:
        return LimitsStudy(machines=machines, grid=self.grid, **settings)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Figure:
    """One figure of the set.

    Parameters
    ----------
    name : str
        Of its files.
    shows : str
        What it shows, in a sentence.
    published : str
        The published figure or claim that it corresponds to; empty: ours.
    command : str
        A command that gives the same answer with its tables.
    draw : callable
        Makes it from answers.
    """

    name: str
    shows: str
    published: str
    command: str
    draw: Callable[[Answers], Drawn]


def _named(limits: Mapping[str, Limits]) -> list[Limits]:
    """Return limits under other names, as the figure's legend has them."""
    return [replace(one, machine=name) for name, one in limits.items()]


def _utilization(limits: Sequence[Limits], title: str) -> tuple[Chart, ...]:
    chart = utilization_chart(limits)
    return (replace(chart, title=title, bands=chart.bands if len(limits) <= len(_PUBLISHED) else ()),)


def _machines(answers: Answers) -> Drawn:
    limits = [answers.published(machine) for machine in _PUBLISHED]
    return _utilization(limits, "Utilization against training compute, as published")


def _searches(answers: Answers) -> Drawn:
    limits = _named(
        {
            f"{machine}, {search}": answers.published(machine, search=search)
            for machine in ("ref-a100", "ref-h100")
            for search in ("reference", "full")
        }
    )
    return _utilization(limits, "The published search and ours, same machines and laws")


def _hypothetical(answers: Answers) -> Drawn:
    limits = [answers.published(machine) for machine in _HYPOTHETICAL]
    return _utilization(limits, "Machines that do not exist: lower latencies, larger and faster networks")


def _sparse(answers: Answers) -> Drawn:
    limits = _named(
        {
            f"{machine}, {model}": answers.published(machine, model=model)
            for machine in ("ref-a100", "ref-h100")
            for model in ("dense", "sparse")
        }
    )
    return _utilization(limits, "Dense and sparse models")


def _batch_laws(answers: Answers) -> Drawn:
    laws = ("critical", "fixed", "deepseek", "zhang", "step-law")
    limits = _named({f"batch {law}": answers.published("ref-h100", batch_law=law) for law in laws})
    return _utilization(limits, "How fast the batch grows with the run, H100")


def _depth_laws(answers: Answers) -> Drawn:
    limits = _named(
        {
            f"depth {law}, {search}": answers.published("ref-h100", depth_law=law, search=search)
            for law in ("published", "refit")
            for search in ("reference", "full")
        }
    )
    return (*_utilization(limits, "One digit of the depth law, H100"), depth_fit_chart())


def _durations(answers: Answers) -> Drawn:
    limits = _named(
        {
            units.months(months * units.MONTH): answers.published("ref-h100", months=months)
            for months in _MONTHS
        }
    )
    return _utilization(limits, "How long a run may take, H100")


def _today(answers: Answers) -> Drawn:
    limits = [
        answers.limits(machine) for machine in ("v100", "a100-80gb", "h100", "b200", "gb200-nvl72", "tpu-v5p")
    ]
    return _utilization(limits, "Machines one can rent, full search")


def _generations(answers: Answers) -> Drawn:
    machines = LimitsStudy(machines=(ALL_MACHINES,)).machines
    return (generations_chart([answers.limits(machine) for machine in machines]),)


def _money(answers: Answers) -> Drawn:
    return money_charts([run for machine in _COSTED for run in efficient_runs(answers.limits(machine), {})])


_PAPER = "arXiv 2411.01137"
_ARTICLE = "Epoch AI's article"

FIGURES = (
    Figure(
        "utilization",
        "Best utilization against training compute on V100, A100 and H100.",
        f"{_ARTICLE}, figure 1; {_PAPER}, main result",
        "scalewall limits --machine ref-v100 ref-a100 ref-h100 --reference",
        _machines,
    ),
    Figure(
        "accelerators",
        "Accelerators that the best plan of each run takes.",
        f"{_PAPER}, the same runs",
        "scalewall limits --machine ref-v100 ref-a100 ref-h100 --reference",
        lambda answers: (accelerators_chart([answers.published(machine) for machine in _PUBLISHED]),),
    ),
    Figure(
        "parallelism",
        "Data, tensor and pipeline parallelism of the best plans on H100.",
        f"{_PAPER}, the same runs",
        "scalewall limits --machine ref-h100 --reference",
        lambda answers: (degrees_chart(answers.published("ref-h100")),),
    ),
    Figure(
        "time",
        "Where the time of a batch goes on H100.",
        f"{_PAPER}, what binds",
        "scalewall limits --machine ref-h100 --reference",
        lambda answers: (shares_chart(answers.published("ref-h100")),),
    ),
    Figure(
        "hypothetical",
        "H100 beside machines with lower latencies, faster and larger networks, and ten times the data movement.",
        f"{_ARTICLE}, figure 3; {_PAPER}, hypothetical machines",
        f"scalewall limits --machine {' '.join(_HYPOTHETICAL)} --reference",
        _hypothetical,
    ),
    Figure(
        "sparse",
        "Dense models and mixtures of experts.",
        f"{_PAPER}, sparse models",
        "scalewall limits --machine ref-h100 --model sparse --reference",
        _sparse,
    ),
    Figure(
        "batch-laws",
        "What batch laws do to H100's limits.",
        f"{_ARTICLE} and {_PAPER}: more aggressive batch scaling",
        "scalewall limits --machine ref-h100 --batch-law zhang --reference",
        _batch_laws,
    ),
    Figure(
        "closed-forms",
        "The two estimates without a search against the difference of two exponents.",
        f"{_PAPER}, sensitivity of the closed forms",
        "scalewall limits --machine ref-h100 --reference",
        lambda _: (closed_forms_chart(_PUBLISHED),),
    ),
    Figure(
        "depth-law",
        "What one digit of the depth law does, and the models that it was fitted to.",
        "",
        "scalewall limits --machine ref-h100 --depth-law refit --reference",
        _depth_laws,
    ),
    Figure(
        "search",
        "What trying every cluster size does, instead of powers of two.",
        "",
        "scalewall limits --machine ref-h100 --search full --reference",
        _searches,
    ),
    Figure(
        "durations",
        "Runs of one month to a year on H100.",
        f"{_PAPER}, duration",
        "scalewall limits --machine ref-h100 --months 12 --reference",
        _durations,
    ),
    Figure(
        "levers",
        "What each way past the limits gains on H100, alone and combined.",
        f"{_ARTICLE}, ways past the limits",
        "scalewall levers --machine h100",
        lambda answers: gains_chart(answers.levers("h100")),
    ),
    Figure(
        "lever-curves",
        "Utilization with single levers, and with the article's bandwidths times ten and latencies divided.",
        f"{_ARTICLE}, figure 3",
        f"scalewall levers --machine ref-h100 --reference {' '.join(f'--only {lever}' for lever in _PULLED)}",
        lambda answers: (what_if_curves(answers.levers("ref-h100", _PULLED, reference=True)),),
    ),
    Figure(
        "uncertainty",
        "Best utilization on H100 in many worlds of sampled laws and figures, and in how many of them a run works.",
        "",
        "scalewall uncertainty --machine h100",
        lambda answers: answers.uncertainty("h100"),
    ),
    Figure(
        "today",
        "Best utilization on machines of the catalogue.",
        f"{_ARTICLE}, figure 1, with machines of today and our search",
        "scalewall limits --machine v100 a100-80gb h100 b200 gb200-nvl72 tpu-v5p",
        _today,
    ),
    Figure(
        "generations",
        "Where efficient scaling ends on every product, by year of release.",
        "",
        "scalewall limits --machine all",
        _generations,
    ),
    Figure(
        "training-runs",
        "Training compute over the years, its growth, and the limits of H100 and GB200 with their successors.",
        f"{_ARTICLE}: how far the frontier is from the limits, with current data",
        "scalewall forecast --machine h100 gb200-nvl72",
        lambda answers: (timeline_chart(answers.forecast),),
    ),
    Figure(
        "dates",
        "How likely frontier runs reach a limit before a date.",
        "",
        "scalewall forecast --machine h100 gb200-nvl72",
        lambda answers: (chances_chart(answers.forecast),),
    ),
    Figure(
        "money",
        "What runs cost and draw, as far as they are efficient.",
        "",
        "scalewall limits --machine h100 b200 gb200-nvl72 --cost",
        _money,
    ),
)
"""In the order in which a reader meets them."""
