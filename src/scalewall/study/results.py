"""Read a results folder: counts, the spread of every column, rows by condition."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from scalewall.errors import InputError, unknown_name
from scalewall.study.manifest import read_manifest
from scalewall.study.store import ROWS
from scalewall.study.tables import ERROR, POINT

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ColumnSpread", "Results", "Summary"]

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "<=": operator.le,
        ">=": operator.ge,
        "!=": operator.ne,
        "=": operator.eq,
        "<": operator.lt,
        ">": operator.gt,
    }
)
_CONDITION = re.compile(r"(?P<name>.+?)\s*(?P<sign><=|>=|!=|=|<|>)\s*(?P<value>.+)")
_NONE = "none"
_TRUTH = MappingProxyType({"true": True, "false": False})
_ERRORS_SHOWN = 5


@dataclass(frozen=True)
class ColumnSpread:
    """The values of one column: how many are there, least, median and most of numbers, distinct ones else."""

    name: str
    present: int
    missing: int
    low: float | None = None
    median: float | None = None
    high: float | None = None
    distinct: int | None = None


@dataclass(frozen=True)
class Summary:
    """What a results folder holds.

    Parameters
    ----------
    points, done, failed, rows : int
        Points of the study; of these in the folder; of these with an error; rows of the folder.
    inputs, results : tuple of ColumnSpread
        What varies, and what came out.
    errors : tuple of (str, int)
        The commonest errors with their counts.
    """

    points: int
    done: int
    failed: int
    rows: int
    inputs: tuple[ColumnSpread, ...]
    results: tuple[ColumnSpread, ...]
    errors: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Results:
    """A results folder, finished or not.

    Parameters
    ----------
    path : Path
        The folder.
    manifest : mapping
        Study, versions, seed, columns.
    """

    path: Path
    manifest: Mapping[str, Any]

    @classmethod
    def open(cls, path: str | Path) -> Results:
        """Open a folder that a sweep wrote.

        Raises
        ------
        InputError
            It holds no sweep, or no rows yet.
        """
        manifest = read_manifest(path)
        folder = cls(Path(path), manifest)
        if not folder.parts:
            raise InputError("results", str(path), "a folder with rows, and this sweep has none yet")
        return folder

    @property
    def parts(self) -> list[Path]:
        """The Parquet files, in the order of the points."""
        return sorted((self.path / ROWS).glob("part-*.parquet"))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Columns of inputs: the machine and what varies."""
        return tuple(self.manifest["inputs"])

    @property
    def results(self) -> tuple[str, ...]:
        """Columns of results."""
        return tuple(self.manifest["results"])

    @property
    def dataset(self) -> ds.Dataset:
        """The rows as an Arrow dataset."""
        return ds.dataset([str(part) for part in self.parts], format="parquet")

    def to_pandas(self) -> pd.DataFrame:
        """Return every row as a data frame, in the order of the points."""
        frame: pd.DataFrame = self.query().to_pandas()
        return frame

    def query(
        self,
        where: Sequence[str] = (),
        columns: Sequence[str] = (),
        sort: str = "",
        descending: bool = False,
        limit: int | None = None,
    ) -> pa.Table:
        """Return rows as an Arrow table.

        Parameters
        ----------
        where : sequence of str
            Conditions that all hold, such as ``months <= 6``, ``machine = h100`` or ``error != none``.
        columns : sequence of str
            What to keep, in this order; empty: all.
        sort : str
            Column to sort by; empty: the order of the points.
        descending : bool
            Largest first.
        limit : int, optional
            Most rows.

        Raises
        ------
        InputError
            Unknown column, or a condition that cannot be read.
        """
        dataset = self.dataset
        names = dataset.schema.names
        for field, chosen in (("columns", columns), ("sort", [sort] if sort else [])):
            for name in chosen:
                if name not in names:
                    raise unknown_name(field, name, names)
        condition = None
        for text in where:
            one = _condition(text, dataset.schema)
            condition = one if condition is None else condition & one
        kept = list(columns) or names
        read = [*kept, *([sort] if sort and sort not in kept else [])]
        table = dataset.to_table(columns=read, filter=condition)
        if sort:
            order = pc.sort_indices(table, [(sort, "descending" if descending else "ascending")])
            table = table.take(order)
        return table.select(kept).slice(0, limit)

    def summary(self) -> Summary:
        """Return counts, the spread of every column and the commonest errors, reading a column at a time."""
        dataset = self.dataset
        errors = self._column(dataset, ERROR)
        present = errors.dropna()
        counts = present.value_counts()
        return Summary(
            points=int(self.manifest["identity"]["points"]),
            done=int(self._column(dataset, POINT).nunique()),
            failed=len(present),
            rows=len(errors),
            inputs=tuple(_spread(name, self._column(dataset, name)) for name in self.inputs),
            results=tuple(_spread(name, self._column(dataset, name)) for name in self.results),
            errors=tuple((str(text), int(count)) for text, count in counts.head(_ERRORS_SHOWN).items()),
        )

    def medians(self, by: Sequence[str]) -> pd.DataFrame:
        """Return the median of every numeric result for each combination of the inputs ``by``.

        Raises
        ------
        InputError
            Something else than an input in ``by``.
        """
        for name in by:
            if name not in self.inputs:
                raise unknown_name("by", name, self.inputs)
        schema = self.dataset.schema
        numeric = [name for name in self.results if _is_number(schema.field(name).type)]
        frame: pd.DataFrame = self.query(columns=[*by, *numeric]).to_pandas()
        return frame.groupby(list(by), sort=False, dropna=False)[numeric].median().reset_index()

    @staticmethod
    def _column(dataset: ds.Dataset, name: str) -> pd.Series[Any]:
        column: pd.Series[Any] = dataset.to_table(columns=[name]).column(0).to_pandas()
        return column


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _spread(name: str, column: pd.Series[Any]) -> ColumnSpread:
    present = column.dropna()
    counts = {"present": len(present), "missing": len(column) - len(present)}
    if present.dtype.kind in "iuf" and len(present):
        return ColumnSpread(
            name,
            **counts,
            low=float(present.min()),
            median=float(present.median()),
            high=float(present.max()),
        )
    return ColumnSpread(name, **counts, distinct=int(present.nunique()))


def _condition(text: str, schema: pa.Schema) -> pc.Expression:
    """Read one condition against the columns that there are."""
    read = _CONDITION.fullmatch(text.strip())
    if read is None:
        raise InputError("where", text, "NAME SIGN VALUE, such as 'months <= 6' or 'machine = h100'")
    name, sign, written = read["name"].strip(), read["sign"], read["value"].strip()
    if name not in schema.names:
        raise unknown_name("where", name, schema.names)
    column = pc.field(name)
    if written == _NONE:
        if sign not in ("=", "!="):
            raise InputError("where", text, "= none or != none")
        return column.is_null() if sign == "=" else column.is_valid()
    return _OPERATORS[sign](column, pc.scalar(_typed(text, written, schema.field(name).type)))


def _typed(text: str, written: str, kind: pa.DataType) -> object:
    """Return a condition's value in its column's type."""
    if pa.types.is_boolean(kind):
        if written not in _TRUTH:
            raise InputError("where", text, "true, false or none")
        return _TRUTH[written]
    if not _is_number(kind):
        return written.strip("'\"")
    try:
        return float(written)
    except ValueError:
        raise InputError("where", text, "a number, or none") from None
