"""Study files: a sweep as TOML, or as the same tables in Python, checked as a whole before it starts."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from scalewall.errors import InputError, ScalewallError, nearest, unknown_name
from scalewall.hardware import Cluster, load_machine, read_machine, usable_products
from scalewall.ideal.study import ALL_MACHINES
from scalewall.study.axes import RANGE_KEYS, axis_values, plain_table, plain_value, whole_number
from scalewall.study.designs import DESIGNS, RANDOM, check_count
from scalewall.study.distributions import distribution_of
from scalewall.study.outputs import KINDS, columns_of, kind_paths
from scalewall.study.paths import MACHINE, Value, check_figure, is_figure, limits_study, settable
from scalewall.study.samples import Sampled, Samples
from scalewall.study.sweep import Sweep

__all__ = ["MOST_POINTS", "MOST_SEED", "clusters_of", "flat", "read_study", "read_table", "sweep_of"]

MOST_POINTS = 1_000_000_000
"""Points of one sweep: beyond it a typing error is likelier than a wish."""

MOST_SEED = 2**63 - 1

_TABLES = ("fixed", "axes", "samples", "outputs")
_OUTPUT_KEYS = ("kind", "columns")
_SAMPLE_SETTINGS = ("count", "seed", "design")
_MOST_JUDGED = 500
"""Values of one axis that are judged before the start, at about a millisecond each."""

_ONE_RUN = (1, 16384.0, 16384.0)
"""The smallest grid: enough to judge every other input."""


def read_study(path: str | Path) -> Sweep:
    """Read and check a study file.

    Parameters
    ----------
    path : str or Path
        TOML with the tables ``[fixed]``, ``[axes]``, ``[samples]`` and ``[outputs]``, each optional.

    Raises
    ------
    InputError
        Naming table and path of what is wrong, with what is allowed.
    """
    return sweep_of(read_table(path))


def read_table(path: str | Path) -> dict[str, object]:
    """Read a TOML file.

    Raises
    ------
    InputError
        It cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("study", str(path), f"a file that can be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError("study", str(path), f"a TOML file ({error})") from error


def sweep_of(table: Mapping[str, object]) -> Sweep:
    """Build a sweep from its tables, in the shape of a study file, and check it.

    Every value of every input is judged, beside the first values of the others, and where it fails there,
    on every machine; a value that no machine takes is refused. What only some combinations refuse is left to
    the points, which record it.

    Parameters
    ----------
    table : mapping
        ``fixed``: inputs by path. ``axes``: lists or ranges by path. ``samples``: ``count``, ``seed``,
        ``design`` and distributions by path. ``outputs``: ``kind`` and ``columns``. Paths may be nested tables.

    Raises
    ------
    InputError
        Naming table and path of what is wrong, with what is allowed.
    """
    table = plain_table(table)
    for name, content in table.items():
        if name not in _TABLES:
            raise unknown_name("study", name, _TABLES)
        if not isinstance(content, Mapping):
            raise InputError(name, content, "a table")
    parts = {name: table.get(name, {}) for name in _TABLES}
    outputs = dict(flat(parts["outputs"]))
    for key in outputs:
        if key not in _OUTPUT_KEYS:
            raise unknown_name("outputs", key, _OUTPUT_KEYS)
    kind = outputs.get("kind", "limits")
    if kind not in KINDS:
        raise unknown_name("outputs.kind", str(kind), KINDS)
    drawn = dict(flat(parts["samples"]))
    settings = {key: drawn.pop(key) for key in _SAMPLE_SETTINGS if key in drawn}
    sweep = Sweep(
        kind=str(kind),
        fixed={path: plain_value(f"fixed.{path}", value) for path, value in flat(parts["fixed"])},
        axes={
            path: axis_values(f"axes.{path}", _written_out(path, value))
            for path, value in flat(parts["axes"])
        },
        samples=_samples(settings, drawn),
        table=table,
    )
    sweep = replace(sweep, axes=_all_machines(sweep))
    _check_paths(sweep)
    _check_values(sweep)
    return replace(sweep, columns=_columns(sweep, outputs.get("columns", [])))


def clusters_of(sweep: Sweep) -> dict[str, Cluster | None]:
    """Return a sweep's machines at its first precision; None for one that cannot be used as it stands."""
    precision = sweep.input_values("precision")[0] if "precision" in (*sweep.fixed, *sweep.varied) else 16
    found: dict[str, Cluster | None] = {}
    for machine in sweep.machines:
        try:
            found[machine] = load_machine(machine, precision, _first_figures(sweep))  # type: ignore[arg-type]
        except ScalewallError:
            found[machine] = None
    return found


def _first_figures(sweep: Sweep) -> dict[str, float]:
    paths = (*sweep.fixed, *sweep.varied)
    return {path: sweep.input_values(path)[0] for path in paths if is_figure(path)}  # type: ignore[misc]


def flat(table: object, start: str = "") -> Iterator[tuple[str, object]]:
    """Yield a table's entries by path; a nested table that is empty, a range or a distribution is an entry."""
    assert isinstance(table, Mapping)
    for key, value in table.items():
        path = f"{start}{key}"
        if isinstance(value, Mapping) and value and not ({"distribution", *RANGE_KEYS} & value.keys()):
            yield from flat(value, f"{path}.")
        else:
            yield path, value


def _written_out(path: str, value: object) -> object:
    """Return an axis as written, the word ``all`` for machines as a list."""
    return [value] if path == MACHINE and value == ALL_MACHINES else value


def _all_machines(sweep: Sweep) -> dict[str, tuple[Value, ...]]:
    """Return the axes with ``all`` replaced by every product that is usable at the first precision."""
    axes = dict(sweep.axes)
    if ALL_MACHINES in axes.get(MACHINE, ()):
        named = ("precision" in (*sweep.fixed, *sweep.varied)) and sweep.input_values("precision")[0]
        products = usable_products(named or 16)  # type: ignore[arg-type]
        axes[MACHINE] = tuple(
            dict.fromkeys(
                name
                for machine in axes[MACHINE]
                for name in (products if machine == ALL_MACHINES else [machine])
            )
        )
    return axes


def _samples(settings: Mapping[str, object], drawn: Mapping[str, object]) -> Samples:
    """Return what is drawn; without any, settings have no effect and are refused."""
    if not drawn:
        if settings:
            raise InputError("samples", dict(settings), "at least one sampled input beside its settings")
        return Samples()
    inputs = tuple(Sampled(path, distribution_of(f"samples.{path}", value)) for path, value in drawn.items())
    count = whole_number("samples.count", settings.get("count"), 1, MOST_POINTS)
    seed = whole_number("samples.seed", settings.get("seed", 0), 0, MOST_SEED)
    design = str(settings.get("design", RANDOM))
    if design not in DESIGNS:
        raise unknown_name("samples.design", design, DESIGNS)
    check_count("samples.count", design, len(inputs), count)
    return Samples(inputs, count, seed, design)


def _check_paths(sweep: Sweep) -> None:
    """Refuse unknown paths, paths set twice, and inputs that the kind of output leaves unused or lacks."""
    for machine in sweep.machines:
        try:
            read_machine(machine)
        except InputError as error:
            if error.field != MACHINE:
                raise
            field = f"{_table_of(sweep, MACHINE)}.{MACHINE}"
            raise InputError(field, error.value, error.allowed, error.suggestions) from error
    kind = KINDS[sweep.kind]
    paths = kind_paths(kind, settable(sweep.machines), is_figure)
    seen: dict[str, str] = {}
    for table, path in _named(sweep):
        if path in seen:
            raise InputError(f"{table}.{path}", path, f"an input that {seen[path]} does not set")
        seen[path] = table
        if path not in paths:
            allowed = (
                f"an input of {sweep.kind} ({len(paths)} paths; figures of the study's machines among them)"
            )
            raise InputError(table, path, allowed, nearest(path, paths))
    for path in kind.needs:
        if path not in seen:
            raise InputError(f"fixed.{path}", None, f"a value, since outputs.kind is {sweep.kind!r}")
    if sweep.count > MOST_POINTS:
        raise InputError("axes", f"{sweep.count:,} points", f"at most {MOST_POINTS:,}; sample instead")


def _named(sweep: Sweep) -> Iterator[tuple[str, str]]:
    yield from (("fixed", path) for path in sweep.fixed)
    yield from (("axes", path) for path in sweep.axes)
    yield from (("samples", path) for path in sweep.samples.paths)


def _table_of(sweep: Sweep, path: str) -> str:
    return next((table for table, named in _named(sweep) if named == path), "fixed")


def _check_values(sweep: Sweep) -> None:
    """Judge every value of every input."""
    first = {path: sweep.input_values(path)[0] for _, path in _named(sweep)}
    first.setdefault(MACHINE, sweep.machines[0])
    for table, path in _named(sweep):
        if is_figure(path):
            check_figure(f"{table}.{path}", path, sweep.input_values(path), sweep.machines)
    elsewhere: InputError | None = None
    for table, path in _named(sweep):
        if not is_figure(path):
            for value in _to_judge(sweep.input_values(path)):
                found = _judge(f"{table}.{path}", path, value, first, sweep.machines)
                elsewhere = elsewhere or found
    if elsewhere:
        raise elsewhere


def _to_judge(values: tuple[Value, ...]) -> list[Value]:
    """Return the values to judge: all, or of a long axis some from all over it, both extremes among them."""
    if len(values) <= _MOST_JUDGED:
        return list(values)
    numbers = [value for value in values if isinstance(value, (int, float))]
    ends = [min(numbers), max(numbers)] if numbers else []
    return [*ends, *values[:: math.ceil(len(values) / _MOST_JUDGED)]]


def _judge(
    field: str, path: str, value: Value, first: Mapping[str, Value], machines: tuple[str, ...]
) -> InputError | None:
    """Refuse a value that no machine takes beside the first values of the other inputs.

    Returns
    -------
    InputError or None
        What is wrong with the other inputs, if the same is wrong without this one.
    """
    refused: InputError | None = None
    for machine in (first[MACHINE], *machines) if path != MACHINE else (value,):
        found = _refusal({**first, MACHINE: machine, path: value}, path)
        if found is None:
            return None
        refused = refused or found
    assert refused is not None
    others = {other: kept for other, kept in first.items() if other != path}
    without = _refusal(others, path)
    if without is not None and str(without) == str(refused):
        return refused
    raise InputError(field, value, refused.allowed, refused.suggestions) from refused


def _refusal(values: Mapping[str, Value], path: str) -> InputError | None:
    """Return what is wrong with a point whose input ``path`` is judged; most need no more than the smallest grid."""
    if path not in ("grid", "flop"):
        values = {other: kept for other, kept in values.items() if other != "flop"} | {"grid": _ONE_RUN}
    try:
        limits_study(values)
    except InputError as error:
        return error
    except (TypeError, ValueError) as error:
        return InputError(path, values.get(path), f"a value of its type ({error})")
    return None


def _columns(sweep: Sweep, chosen: object) -> tuple[str, ...]:
    """Return the results to keep, checked against what the kind of output has."""
    known = columns_of(KINDS[sweep.kind], clusters_of(sweep), sweep.inputs)
    if not isinstance(chosen, (list, tuple)):
        raise InputError("outputs.columns", chosen, "a list of results")
    for name in chosen:
        if name not in known:
            raise unknown_name("outputs.columns", str(name), known)
    return tuple(dict.fromkeys(map(str, chosen))) or tuple(known)
