"""``plan``: the best layouts of a run, from names and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType

from scalewall.cost.money import prices_of
from scalewall.errors import InputError, check_finite
from scalewall.planner.answer import answer
from scalewall.planner.bounds import Bound, parse_bound
from scalewall.planner.device import load_device
from scalewall.planner.machine_notes import machine_notes
from scalewall.planner.measured import pin_measured
from scalewall.planner.plan import Objective, PlanQuestion, PlanResult, PlanResults
from scalewall.planner.profile import load_profile
from scalewall.planner.recommend import Aim, Recommendation
from scalewall.planner.recommend import recommend as find_counts
from scalewall.planner.run import Dispatcher, Graphs, Precision, Run
from scalewall.planner.usual import usual_profile
from scalewall.workload.models import read_model

__all__ = ["plan", "question_of", "recommend"]

_NONE: Mapping[str, float] = MappingProxyType({})

Report = Callable[[str, int, int], None]
"""Called with a name, how much is done and of how much."""


def question_of(
    model: str,
    machine: str,
    gpus: int,
    global_batch: int,
    seq: int,
    *,
    tokens: float | None = None,
    precision: Precision = "bf16",
    profile: str = "",
    bounds: Iterable[str | Bound] = (),
    objective: Objective = "throughput",
    top: int = 10,
    dispatcher: Dispatcher = "all-to-all",
    expert_overlap: bool = False,
    graphs: Graphs = "none",
    measured: Path | None = None,
    overrides: Mapping[str, float] = _NONE,
    prices: Mapping[str, float] = _NONE,
    ideal: bool = False,
    failures: bool = False,
) -> PlanQuestion:
    """Return the question for one machine and number of accelerators; see :func:`plan`."""
    entry = read_model(model)
    device = load_device(machine, overrides)
    if measured:
        device = pin_measured(device, measured)
    if tokens is not None:
        check_finite("tokens", tokens, 1, 1e18, "tokens")
    notes = [f"the model's {name} at its default" for name in entry.defaults]
    if profile:
        software = load_profile(profile)
    else:
        software, why = usual_profile(device)
        notes.append(why)
    notes += machine_notes(device.name, measured, overrides)
    experts = {"dispatcher": dispatcher, "expert_overlap": expert_overlap} if entry.model.experts else {}
    run = Run(
        model=entry.model,
        device=device,
        sequence=seq,
        global_batch=global_batch,
        precision=precision,
        graphs=graphs,
        **experts,  # type: ignore[arg-type]
    )
    return PlanQuestion(
        run=run,
        ranks=gpus,
        profile=software,
        bounds=tuple(bound if isinstance(bound, Bound) else parse_bound(bound) for bound in bounds),
        objective=objective,
        top=top,
        tokens=tokens,
        prices=prices_of(machine, prices),
        ideal=ideal,
        failures=failures,
        assumptions=tuple(notes),
    )


def plan(
    model: str,
    machine: str | Sequence[str],
    gpus: int | Sequence[int],
    global_batch: int,
    seq: int,
    *,
    progress: Report | None = None,
    **options: object,
) -> PlanResult | PlanResults:
    """Return the best layouts of a run: exact over a stated space, ranked, with what was left out and why.

    Parameters
    ----------
    model : str
        Name of the registry, ``config.json`` or its folder.
    machine : str or sequence of str
        Of the catalogue, or machine files.
    gpus : int or sequence of int
        Accelerators; all are used.
    global_batch : int
        Sequences of a step; never changed.
    seq : int
        Tokens of a sequence.
    progress : callable or None
        Called with the machine's name, how much of its search is done and of how much.
    **options
        ``tokens``: to train, for days and cost. ``precision``: recipe of the matmuls. ``profile``: software, by
        default the newest of Megatron fitted on the machine. ``bounds``: what the layout may be (``tp=8``,
        ``pp=:16``, ``recompute=none,full``). ``objective``: throughput, cost or memory. ``top``: plans to rank.
        ``dispatcher``, ``expert_overlap``, ``graphs``: as in :class:`~scalewall.planner.run.Run`. ``measured``: a
        file of measurements of a user's own cluster. ``overrides``: machine figures by path, SI. ``prices``: by the
        names of :data:`~scalewall.cost.money.PRICES`. ``ideal``: software costs nothing.
        ``failures``: count failures, checkpoints and restarts into days and cost.

    Returns
    -------
    PlanResult or PlanResults
        One answer, or for several machines or counts one each, in the order given.

    Raises
    ------
    InputError
        Unknown names, numbers out of range, or no layout at all: with the bound to loosen or counts that would do.
    """
    machines = [machine] if isinstance(machine, str) else list(machine)
    counts = [gpus] if isinstance(gpus, int) else list(gpus)
    if not machines or not counts:
        raise InputError("machine" if not machines else "gpus", [], "at least one")
    results = []
    for name in machines:
        for count in counts:
            asked = question_of(model, name, count, global_batch, seq, **options)  # type: ignore[arg-type]
            title = f"{count} x {asked.run.device.name}"
            results.append(answer(asked, partial(progress, title) if progress else None))
    if isinstance(machine, str) and isinstance(gpus, int):
        return results[0]
    return PlanResults(tuple(results))


def recommend(
    model: str,
    machine: str,
    global_batch: int,
    seq: int,
    tokens: float,
    days: float,
    *,
    aim: Aim = "gpus",
    max_gpus: int = 1_000_000,
    **options: object,
) -> Recommendation:
    """Return the fewest accelerators, or the least money, that train a model in time.

    Parameters
    ----------
    model, machine : str
        As in :func:`plan`.
    global_batch, seq : int
        Sequences of a step, tokens of a sequence.
    tokens, days : float
        To train; in which it must be done.
    aim : str
        What there should be least of: ``gpus`` or ``cost``.
    max_gpus : int
        Most accelerators to try.
    **options
        As in :func:`plan`.

    Raises
    ------
    InputError
        Unknown names, numbers out of range, no count that the batch divides over, no price where cost is the aim.
    """
    asked = question_of(model, machine, 1, global_batch, seq, tokens=tokens, **options)  # type: ignore[arg-type]
    return find_counts(asked, days, aim, max_gpus)
