"""Columns by name: the log of a run, the results of a sweep."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Iterator

import numpy as np

from ._arrays import Array
from ._records import Strict, closest_spelling, optional, same, table_html


class DataTable(Strict, Mapping[str, Array]):
    """Columns by name, all of one length: `table["time"]`. `len(table)` is the number of columns, as of a dict; `table.rows` the number of rows.

    >>> table = DataTable({"time": np.array([0.0, 0.5]), "contacts": np.array([0, 3])})
    >>> table["contacts"], table.rows, list(table)
    (array([0, 3]), 2, ['time', 'contacts'])
    >>> table.to_dicts()[1]
    {'time': 0.5, 'contacts': 3}
    >>> table.to_array()["time"]
    array([0. , 0.5])
    """
    __slots__ = ("_columns", "__weakref__")

    def __init__(self, columns: Mapping[str, Array]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> Array:
        if name not in self._columns:
            raise KeyError(f"there is no column {name!r}{closest_spelling(str(name), self._columns)}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataTable) and same(self._columns, other._columns)

    __hash__ = None  # type: ignore[assignment]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return max((len(column) for column in self._columns.values()), default=0)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each row, with numbers and texts of Python."""
        lists = [column.tolist() for column in self._columns.values()]
        return [dict(zip(self._columns, row)) for row in zip(*lists)]

    def to_array(self) -> Array:
        """A structured array of NumPy, with a field for each column."""
        out = np.empty(self.rows, [(name, column.dtype) for name, column in self._columns.items()])
        for name, column in self._columns.items():
            out[name] = column
        return out

    def to_dataframe(self) -> Any:
        """A DataFrame of pandas, which must be installed."""
        return optional("pandas", "to_dataframe", "to_dicts and to_array do without it").DataFrame(self._columns)

    def _repr_html_(self) -> str:
        """The names, and the ranges of numbers, for notebooks."""
        shown = {name: f"{column.min():.6g} to {column.max():.6g}" if column.dtype.kind in "iuf" and len(column) else str(column.dtype) for name, column in self._columns.items()}
        return table_html(f"{self.rows} rows", shown)

    def __repr__(self) -> str:
        names = ", ".join(list(self._columns)[:6]) + (", ..." if len(self._columns) > 6 else "")
        return f"<scree.DataTable: {self.rows} rows, {len(self._columns)} columns: {names}>"
