"""What all objects of this package have in common: `Strict` rejects unknown attributes, `Record` is a result that compares by value and prints short."""
from __future__ import annotations

import base64
import dataclasses
import difflib
import html
import importlib
from typing import Any, ClassVar, Iterable, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # of any dtype

WIDTH = 200  # characters of a repr, about


def closest_spelling(name: str, known: Iterable[str]) -> str:
    """"; did you mean 'gravity'?", or nothing if no known name is similar."""
    close = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def optional(module: str, caller: str, hint: str) -> Any:
    """A module of a package that need not be installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"{caller} needs the package {module.split('.')[0]}, which is not installed; {hint}") from None


class Strict:
    """Attributes that the class does not have cannot be set: a misspelt name is an AttributeError. Subclasses of users have a __dict__, and are free.

    Only for classes whose bases all have __slots__.
    """
    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            mine = type(self)
            entry = getattr(mine, name, None)
            if isinstance(entry, property) and entry.fset is not None:
                raise  # by the setter itself
            if entry is not None:
                way = f"; call set_{name}" if hasattr(mine, f"set_{name}") else ""
                raise AttributeError(f"{mine.__name__}.{name} cannot be set{way}") from None
            public = [word for word in dir(mine) if not word.startswith("_")]
            raise AttributeError(f"{mine.__name__} has no attribute {name!r}{closest_spelling(name, public)}") from None


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, arrays and NaN included."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if type(a) is not type(b) or a.shape != b.shape or a.dtype.kind != b.dtype.kind:
            return False
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[:max(0, room - 3)] + "..."


def short(value: Any) -> str:
    """One value of a repr."""
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and value.size <= 3:
            return "[" + ", ".join(map(short, value.tolist())) + "]"
        return f"<{' x '.join(map(str, value.shape))} {value.dtype}>"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Record):
        return f"<{type(value).__name__}>"
    if isinstance(value, (list, dict, bytes)) and len(value) > 3:
        return f"<{type(value).__name__} of {len(value)}>"
    return cut(repr(value), 40)


def table_html(title: str, rows: Mapping[str, str], png: Optional[bytes] = None) -> str:
    """A table of names and values, and a picture above it, for notebooks."""
    picture = f'<img alt="" style="max-width: 100%" src="data:image/png;base64,{base64.b64encode(png).decode()}">' if png else ""
    body = "".join(f'<tr><th style="text-align: left">{html.escape(name)}</th><td style="text-align: left">{html.escape(value)}</td></tr>' for name, value in rows.items())
    return f"<div>{picture}<table><caption>{html.escape(title)}</caption>{body}</table></div>"


class Record:
    """Base of the frozen dataclasses. Equal: all fields are, NaN to NaN too; fields with compare=False (clock readings) do not count."""
    _shown: ClassVar[tuple[str, ...]] = ()  # fields of the repr that come first
    _sparse: ClassVar[bool] = False         # the repr has no fields that are None
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: Any) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in dataclasses.fields(self) if f.compare)

    def _repr_html_(self) -> str:
        """All fields as a table, for notebooks."""
        names = [f.name for f in dataclasses.fields(self)]
        return table_html(type(self).__name__, {name: short(getattr(self, name)) for name in (*self._shown, *(n for n in names if n not in self._shown))})

    def __repr__(self) -> str:
        names = [f.name for f in dataclasses.fields(self)]
        names = [*self._shown, *(name for name in names if name not in self._shown)]
        names = [name for name in names if not self._sparse or getattr(self, name) is not None]
        out: list[str] = []
        used = len(type(self).__name__) + 2
        for name in names:
            part = f"{name}={short(getattr(self, name))}"
            if used + len(part) > WIDTH - 15:
                out.append(f"... {len(names) - len(out)} more")
                break
            out.append(part)
            used += len(part) + 2
        return f"{type(self).__name__}({', '.join(out)})"
