"""Spheres with columns, as in files: `Spheres`, `read`, `write`, `write_pairs`, `picture`."""
from __future__ import annotations

import builtins
import ctypes
import operator
import os
import tempfile
from collections.abc import MutableMapping
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union, overload

import numpy as np

from . import _abi
from ._arrays import (Array, ArrayLike, Box, BoxLike, PeriodicLike, box_for, centres, choice, matching, plain, radii, real, reals, spheres, take, unmasked, vector,
                      view, whole)
from ._library import ArgumentError, Watch, check, lib
from ._packages import outlines_to_vtk, spheres_to_ase, spheres_to_vtk
from ._records import WIDTH, Strict, cut, closest_spelling, same, short, table_html

Progress = Optional[Callable[[float], Any]]
PathLike = Union[str, "os.PathLike[str]"]


def encode(path: PathLike) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise ArgumentError(f"{path!r} holds a zero byte, which no name of a file may")
    return name


class Columns(MutableMapping[str, Array]):
    """Columns by name, each with an entry for every sphere: numbers (n,) or (n, components), or texts (n,). Others are refused when they are set."""
    __slots__ = ("_count", "_arrays")

    def __init__(self, count: int, columns: Mapping[str, ArrayLike]) -> None:
        self._count = count
        self._arrays: dict[str, Array] = {}
        self.update(columns)

    def __setitem__(self, name: str, values: ArrayLike) -> None:
        if not isinstance(name, str) or not name or "\0" in name:
            raise ArgumentError(f"the name of a column is {name!r}; expected a text that is not empty")
        array, count = unmasked(values, f"column {name!r}"), self._count
        if array.ndim not in (1, 2) or len(array) != count or (array.ndim == 2 and not 1 <= array.shape[1] <= 64):
            length = f"{len(array)} entries, and there are {count} spheres" if array.ndim == 1 else f"the shape {array.shape}"
            raise ArgumentError(f"column {name!r} has {length}; expected ({count},) or ({count}, components up to 64)")
        text = array.dtype.kind in "UO" and array.ndim == 1 and all(isinstance(word, str) for word in array)
        if not text and array.dtype.kind not in "biuf":
            raise TypeError(f"column {name!r} has dtype {array.dtype}; expected numbers or texts")
        self._arrays[name] = array

    def __getitem__(self, name: str) -> Array:
        try:
            return self._arrays[name]
        except KeyError:
            close = closest_spelling(name, self._arrays) if isinstance(name, str) else ""
            there = f"expected one of {', '.join(map(repr, self._arrays))}" if self._arrays else "there are none"
            raise KeyError(f"there is no column {name!r}{close or '; ' + there}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    def __delitem__(self, name: str) -> None:
        self[name]
        del self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __eq__(self, other: object) -> Any:
        return same(self._arrays, dict(other)) if isinstance(other, Mapping) else NotImplemented

    def __repr__(self) -> str:
        return cut("{" + ", ".join(f"{name!r}: {short(values)}" for name, values in self.items()) + "}", WIDTH)


class Bodies(Strict):
    """What Spheres and Outlines have in common: a row for each body, with centre, radius and columns, and a box."""
    __slots__ = ("_x", "_r", "_box", "_container", "_columns", "__weakref__")
    __hash__ = None  # type: ignore[assignment]
    _counted, _one = "spheres", "sphere"
    __array_ufunc__ = None  # an array's own == leaves it to ours

    def __init__(self, x: ArrayLike, r: ArrayLike, box: Optional[BoxLike] = None, periodic: PeriodicLike = None,
                 columns: Optional[Mapping[str, ArrayLike]] = None, **more: ArrayLike) -> None:
        self._x = centres(x)
        self._r = radii(r, len(self._x))
        self._box: Optional[Box] = None if box is None and periodic is None else box_for(box, periodic, self._x.shape[1])
        self._container = "box"
        self._columns = Columns(len(self._x), {**(columns or {}), **more})

    @property
    def x(self) -> Array:
        """Centres, (n, dim). Setting it needs the same shape."""
        return self._x

    @x.setter
    def x(self, x: ArrayLike) -> None:
        self._x = matching(x, self._x, "x")

    @property
    def r(self) -> Array:
        """Radii, (n,). Setting it takes one number for all, too."""
        return self._r

    @r.setter
    def r(self, r: ArrayLike) -> None:
        self._r = radii(r, len(self._x))

    @property
    def box(self) -> Optional[Box]:
        """The box, or None."""
        return self._box

    @box.setter
    def box(self, box: Optional[BoxLike]) -> None:
        self._box = None if box is None else box_for(box, None, self.dim)

    @property
    def container(self) -> str:
        """What holds the bodies: "box", or the "cylinder" or "sphere" that the box bounds."""
        return self._container

    @container.setter
    def container(self, container: str) -> None:
        choice(container, _abi.CONTAINERS, "container")
        self._container = container

    @property
    def columns(self) -> Columns:
        """Further columns by name, each with one entry per body."""
        return self._columns

    @columns.setter
    def columns(self, columns: Mapping[str, ArrayLike]) -> None:
        self._columns = Columns(len(self._x), columns)

    @property
    def dim(self) -> int:
        """Dimension, 2 or 3."""
        return self._x.shape[1]

    def __len__(self) -> int:
        return len(self._x)

    def _number(self, which: Any) -> Optional[int]:
        """The number of one body, checked; None for a slice, a mask or an array."""
        if isinstance(which, (slice, list)) or (isinstance(which, np.ndarray) and which.ndim > 0):
            return None
        try:
            i = operator.index(which)
        except TypeError:
            raise TypeError(f"[{short(which)}]: expected the name of a column, the number of one of the {self._counted}, a slice, a mask or an array of numbers") from None
        if not -len(self) <= i < len(self):
            raise IndexError(f"there is no {self._one} {i} among {len(self)}")
        return i

    def _chosen(self, which: Any) -> Any:
        """A slice, or a mask or an array of numbers that fits."""
        if isinstance(which, slice):
            return which
        which = np.asarray(which)
        if which.size == 0 and which.ndim == 1:
            which = which.astype(np.int64)
        if which.ndim != 1 or which.dtype.kind not in "biu":
            raise TypeError(f"[{short(which)}]: expected a mask or whole numbers, (n,)")
        if which.dtype.kind == "b" and len(which) != len(self):
            raise IndexError(f"the mask has {len(which)} entries, and there are {len(self)} {self._counted}")
        if which.dtype.kind != "b" and which.size and not (-len(self) <= which.min() and which.max() < len(self)):
            raise IndexError(f"there is no {self._one} {which.min() if which.min() < -len(self) else which.max()} among {len(self)}")
        return which

    def __setitem__(self, name: str, values: ArrayLike) -> None:
        self._columns[name] = values

    def __delitem__(self, name: str) -> None:
        del self._columns[name]

    def __contains__(self, name: Any) -> bool:
        if not isinstance(name, str):
            raise TypeError(f"{short(name)} in spheres; expected the name of a column")
        return name in self._columns

    def _parts(self) -> tuple[Any, ...]:
        """What equal ones have in common."""
        return self._x, self._r, self._box, self._container, self._columns

    def __eq__(self, other: object) -> Any:
        return same(self._parts(), other._parts()) if isinstance(other, Bodies) and type(other) is type(self) else NotImplemented

    def _about(self) -> str:
        """What a kind of spheres adds to its repr."""
        return ""

    def _repr_png_(self) -> Optional[bytes]:
        """A small picture, for notebooks; None if there is nothing to draw."""
        return picture_png(self) if len(self) else None

    def _repr_html_(self) -> str:
        """A small picture and what there is, for notebooks."""
        rows = {self._counted: f"{len(self)} in {self.dim}D"}
        if len(self):
            rows["radius"] = f"{self._r.min():.6g} to {self._r.max():.6g}"
        rows["box"] = "none" if self._box is None else self._box._brief() + ("" if self._container == "box" else f", {self._container}")
        rows.update({name: short(values) for name, values in self._columns.items()})
        return table_html(f"scree.{type(self).__name__}{self._about()}", rows, self._repr_png_())

    def __repr__(self) -> str:
        radius = ""
        if len(self):
            least, most = self._r.min(), self._r.max()
            radius = f", r {least:.6g}" + (f" to {most:.6g}" if most > least else "")
        box = f", box {self._box._brief()}" if self._box is not None else ""
        text = f"<scree.{type(self).__name__}: {len(self)} in {self.dim}D{self._about()}{radius}{box}"
        if self._columns:
            text = cut(f"{text}, columns {', '.join(self._columns)}", WIDTH - 1)
        return text + ">"


class Spheres(Bodies):
    """Centres `x` (n, dim), radii `r` (n,), a `box` or None, and further `columns` by name, one entry per sphere. `container` is "box", or the
    "cylinder" or "sphere" that the box bounds; files keep it with the box.

    `spheres["mass"]` is a column, and `"mass" in spheres` says whether there is one; `spheres["mass"] = values` sets it. `spheres[i]` is the centre and the
    radius of sphere i, and a loop goes over these. `spheres[a:b]`, `spheres[mask]` and `spheres[numbers]` are Spheres with the columns of those rows, in the same box; as in NumPy a slice
    shares memory and the others are copies. `concatenate` joins several. Values that are set must fit the number of spheres, which does not change. Spheres are equal if
    centres, radii, box, container and columns are.

    >>> s = Spheres([[0, 0, 0], [1, 0, 0]], 0.5, box=(2, 2, 2), periodic=True, mass=[1.0, 2.0])
    >>> len(s), s.dim, s["mass"].tolist(), "charge" in s
    (2, 3, [1.0, 2.0], False)
    >>> s
    <scree.Spheres: 2 in 3D, r 0.5, box 2 x 2 x 2, periodic xyz, columns mass>
    >>> s[s["mass"] > 1].x.tolist()
    [[1.0, 0.0, 0.0]]
    """
    __slots__ = ()

    @overload
    def __getitem__(self, which: str) -> Array: ...

    @overload
    def __getitem__(self, which: int) -> tuple[Array, float]: ...

    @overload
    def __getitem__(self, which: Union[slice, Sequence[int], Array]) -> "Spheres": ...

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str):
            return self._columns[which]
        i = self._number(which)
        return self._rows(which) if i is None else (self._x[i], float(self._r[i]))

    def _rows(self, which: Any) -> "Spheres":
        which = self._chosen(which)
        part = Spheres(self._x[which], self._r[which], self._box)
        part._container = self._container
        part._columns._arrays = {name: values[which] for name, values in self._columns.items()}
        return part

    def copy(self) -> "Spheres":
        """Spheres with arrays of their own."""
        return self[np.arange(len(self))]

    def __iter__(self) -> Iterator[tuple[Array, float]]:
        return zip(self._x, self._r.tolist())

    def to_vtk(self) -> Any:
        """A vtkPolyData with a vertex for each sphere, and radius, diameter and all columns as point data: what VTK reads in a VTP file of these spheres. Needs VTK (python3-vtk9); `pyvista.wrap` accepts it."""
        return spheres_to_vtk(self._x, self._r, self._box, self._container, self._columns)

    def to_ase(self) -> Any:
        """ASE's Atoms, of the element X, with cell, pbc and the corner of the box (celldisp), and radius and all columns as arrays. Walls are axes that are not periodic; in 2D z is 0. Needs ASE (python3-ase)."""
        return spheres_to_ase(self._x, self._r, self._box, self._columns)


class Outlines(Bodies):
    """Polygons and discs of the plane: `outlines` has the vertices of each, (m, 2), and (0, 2) for a disc. `x` are centres (n, 2), `r` the radii of discs and, of polygons, of the circle
    about x that holds all vertices; `box` and `columns` as of Spheres. Not `x` but `outlines` say where a polygon is. `write` and `picture` take them.

    Default centres are the centres of mass, default radii the smallest possible; a disc needs both.

    >>> two = Outlines([[[0, 0], [2, 0], [0, 2]], []], x=[[0.5, 0.5], [3, 0]], r=[2.0, 0.5])
    >>> two
    <scree.Outlines: 2 in 2D, 1 disc, r 0.5 to 2>
    >>> two[0].shape, two[1].shape
    ((3, 2), (0, 2))
    """
    __slots__ = ("_first", "_xy")
    _counted, _one = "bodies", "body"

    def __init__(self, outlines: Sequence[ArrayLike], x: Optional[ArrayLike] = None, r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None,
                 periodic: PeriodicLike = None, columns: Optional[Mapping[str, ArrayLike]] = None, **more: ArrayLike) -> None:
        each = []
        for k, outline in enumerate(outlines):
            vertices = reals(outline, f"outlines[{k}]") if len(outline) else np.zeros((0, 2))
            if vertices.ndim != 2 or vertices.shape[1] != 2 or len(vertices) in (1, 2):
                raise ArgumentError(f"outlines[{k}] has the shape {vertices.shape}; expected (m, 2) with 3 vertices or more, or none for a disc")
            each.append(vertices)
        missing = [k for k, vertices in enumerate(each) if not len(vertices)]
        if missing and (x is None or r is None):
            raise ArgumentError(f"outlines[{missing[0]}] is a disc, without vertices: expected x and r")
        at = np.array([_centre_of_mass(vertices) for vertices in each]).reshape(-1, 2) if x is None else reals(x, "x")
        if at.shape != (len(each), 2):
            raise ArgumentError(f"x has the shape {at.shape}; expected ({len(each)}, 2), a centre for each outline")
        if r is None:
            r = [float(np.sqrt(((vertices - centre) ** 2).sum(1)).max()) for vertices, centre in zip(each, at)]
        super().__init__(at, r, box, periodic, columns, **more)
        self._first = np.concatenate([[0], np.cumsum([len(vertices) for vertices in each])]).astype(np.int64)
        self._xy = np.concatenate([np.zeros((0, 2)), *each])

    @property
    def outlines(self) -> list[Array]:
        """The vertices of each, as views that can be written to."""
        return [self._xy[a:b] for a, b in zip(self._first[:-1], self._first[1:])]

    def to_vtk(self) -> Any:
        """A vtkPolyData with a polygon for each body, a disc with 48 corners, and radius, centre, disc and all columns as cell data, as VTP files have them. Needs VTK (python3-vtk9)."""
        return outlines_to_vtk(self.outlines, self._x, self._r, self._box, self._container, self._columns)

    @overload
    def __getitem__(self, which: Union[str, int]) -> Array: ...

    @overload
    def __getitem__(self, which: Union[slice, Sequence[int], Array]) -> "Outlines": ...

    def __getitem__(self, which: Any) -> Any:
        """A column by name, the vertices of one body, or some of the bodies, as copies."""
        if isinstance(which, str):
            return self._columns[which]
        i = self._number(which)
        if i is not None:
            return self._xy[self._first[:-1][i]:self._first[1:][i]]
        rows = np.arange(len(self))[self._chosen(which)]
        part = Outlines([self[int(k)] for k in rows], self._x[rows], self._r[rows], self._box, columns={name: values[rows] for name, values in self._columns.items()})
        part._container = self._container
        return part

    def __iter__(self) -> Iterator[Array]:
        return iter(self.outlines)

    def _parts(self) -> tuple[Any, ...]:
        return (*super()._parts(), self._first, self._xy)

    def _about(self) -> str:
        discs = int((np.diff(self._first) == 0).sum())
        return f", {discs} disc{'' if discs == 1 else 's'}" if discs else ""


def _centre_of_mass(vertices: Array) -> Array:
    x, y = (vertices - vertices[0]).T
    cross = x * np.roll(y, -1) - y * np.roll(x, -1)
    return np.asarray(vertices[0] + [((x + np.roll(x, -1)) * cross).sum() / (3 * cross.sum()), ((y + np.roll(y, -1)) * cross).sum() / (3 * cross.sum())])


def concatenate(parts: Iterable[Spheres]) -> Spheres:
    """The spheres of all parts, one after the other, with their columns. All must have the same dimension, box, container and columns.

    >>> a, b = Spheres([[0, 0]], 1.0, mass=[1.0]), Spheres([[3, 0], [6, 0]], 1.0, mass=[2.0, 3.0])
    >>> concatenate([a, b])["mass"].tolist()
    [1.0, 2.0, 3.0]
    """
    given = list(parts)
    if not given:
        raise ArgumentError("concatenate: expected at least one part")
    for k, part in enumerate(given):
        if not isinstance(part, Spheres):
            raise TypeError(f"concatenate: part {k} is {short(part)}; expected Spheres")
        for what, mine, first in (("dimension", part.dim, given[0].dim), ("box", part.box, given[0].box), ("container", part.container, given[0].container),
                                  ("columns", sorted(part.columns), sorted(given[0].columns))):
            if mine != first:
                raise ArgumentError(f"concatenate: {what} of part {k} is {mine}, and of part 0 {first}; expected the same in all parts")
    joined = Spheres(np.concatenate([part.x for part in given]), np.concatenate([part.r for part in given]), given[0].box,
                     columns={name: np.concatenate([part[name] for part in given]) for name in given[0].columns})
    joined.container = given[0].container
    return joined


class BorrowedSet:
    """A scree_sphere_set over NumPy's own memory, for calls that only look at it. Never to be freed by the library."""

    def __init__(self, spheres: Bodies) -> None:
        x, r = spheres.x, spheres.r
        self.kept: list[Any] = [x, r]
        self.struct = _abi.scree_sphere_set()
        self.struct.dim, self.struct.count = x.shape[1], x.shape[0]
        self.struct.x, self.struct.r = x.ctypes.data, r.ctypes.data
        if spheres.box is not None:
            self.struct.has_box, self.struct.box = True, spheres.box._struct()
        self.struct.container = choice(spheres.container, _abi.CONTAINERS, "container")
        columns = (_abi.scree_column * max(1, len(spheres.columns)))()
        for column, (name, values) in zip(columns, spheres.columns.items()):
            self._fill(column, name, values, len(x))
        self.kept.append(columns)
        self.struct.column_count, self.struct.columns = len(spheres.columns), columns

    def _fill(self, column: _abi.scree_column, name: str, array: Array, count: int) -> None:
        column.name = name.encode()
        column.components = array.shape[1] if array.ndim == 2 else 1
        if array.dtype.kind in "biu":
            if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
                raise ArgumentError(f"column {name!r} holds {array.max()}: whole numbers go up to {np.iinfo(np.int64).max}")
            array = plain(array, np.int64)
            column.kind, column.integers = 1, array.ctypes.data
        elif array.dtype.kind == "f":
            array = plain(array, np.float64)
            column.kind, column.values = 0, array.ctypes.data
        else:
            words = [word.encode() for word in array]
            if any(b"\0" in word for word in words):
                raise ArgumentError(f"column {name!r}: a text holds a zero byte")
            offset = np.zeros(count, np.int64)
            np.cumsum([len(word) + 1 for word in words[:-1]], out=offset[1:]) if count > 1 else None
            blob = ctypes.create_string_buffer(b"\0".join(words) + b"\0")
            self.kept.append(blob)
            array = offset
            column.kind, column.text, column.offset = 2, ctypes.addressof(blob), offset.ctypes.data
        self.kept.append(array)


class _OwnedSet:
    """A scree_sphere_set of the library's, freed with the last array that shows it."""

    def __init__(self) -> None:
        self.struct = _abi.scree_sphere_set()

    def __del__(self) -> None:
        lib.scree_sphere_set_free(ctypes.byref(self.struct))

    def spheres(self) -> Spheres:
        s, count = self.struct, self.struct.count
        out = Spheres(view(s.x, (count, s.dim), np.float64, self, writable=True), view(s.r, (count,), np.float64, self, writable=True))
        out.box = Box._of(s.box) if s.has_box else None
        out.container = _abi.CONTAINERS[s.container]
        for k in range(s.column_count):
            column = s.columns[k]
            shape = (count,) if column.components == 1 else (count, column.components)
            if column.kind == 0:
                values = view(column.values, shape, np.float64, self, writable=True)
            elif column.kind == 1:
                values = view(column.integers, shape, np.int64, self, writable=True)
            else:
                offset = view(column.offset, (count,), np.int64, self)
                values = np.array([ctypes.string_at(column.text + at).decode("utf-8", "replace") for at in offset.tolist()], dtype=object)
            out.columns._arrays[column.name.decode("utf-8", "replace")] = values  # whatever its name: it fits
        return out


def _borrowed_outlines(given: Outlines) -> tuple[_abi.scree_outline_set, Any]:
    """A scree_outline_set over NumPy's own memory, and what has to live as long as it."""
    bodies = BorrowedSet(given)
    return _abi.scree_outline_set(bodies.struct, given._first.ctypes.data, given._xy.ctypes.data), (bodies, given)


def outlines_of(found: _abi.scree_outline_set) -> Outlines:
    """Copies what a set of the library's holds, and frees it."""
    try:
        owned, count = _OwnedSet(), found.bodies.count
        first = take(found.first, (count + 1,), np.int64) if found.first else np.zeros(count + 1, np.int64)
        xy = take(found.xy, (int(first[-1]), 2), np.float64)
        owned.struct, found.bodies = _abi.scree_sphere_set.from_buffer_copy(found.bodies), _abi.scree_sphere_set()
        bodies = owned.spheres()
    finally:
        lib.scree_outline_set_free(ctypes.byref(found))
    out = Outlines([xy[a:b] for a, b in zip(first[:-1], first[1:])], bodies.x, bodies.r, bodies.box, columns=bodies.columns)
    out.container = bodies.container
    return out


def read_outlines(path: PathLike, *, progress: Progress = None) -> Outlines:
    """Polygons and discs from a VTP file, such as a frame of a run with bodies; of other programs too. A file of spheres in 2D gives discs.

    >>> import tempfile
    >>> sim = PolygonSimulation([Body(radius=1, x=(2, 2))], box=(4, 4), stiffness=1e3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(folder + "/disc.vtp", sim.outlines)
    ...     len(read_outlines(folder + "/disc.vtp"))
    1
    """
    options, watch = _options("auto", progress)
    found = _abi.scree_outline_set()
    check(watch.guard(lib.scree_read_outlines, encode(path), ctypes.byref(options), ctypes.byref(found)))
    if found.bodies.dim != 2:
        lib.scree_outline_set_free(ctypes.byref(found))
        raise ArgumentError(f"{os.fsdecode(path)}: spheres in 3D, not outlines; expected scree.read")
    return outlines_of(found)


def _options(format: str, progress: Progress) -> tuple[_abi.scree_file_options, Watch]:
    options, watch = lib.scree_default_file_options(), Watch(progress)
    options.format = choice(format, _abi.FORMATS, "format")
    options.watch = watch.struct
    return options, watch


def read(path: PathLike, format: str = "auto", *, progress: Progress = None) -> Spheres:
    """Spheres from a file: csv, vtp, xyz, lammps or npy, by its extension or as `format` says.

    The arrays are the library's memory, without a copy, and yours to change.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(folder + "/two.csv", [[0, 0], [1, 0]], [0.5, 0.25])
    ...     read(folder + "/two.csv").r
    array([0.5 , 0.25])
    """
    options, watch = _options(format, progress)
    owned = _OwnedSet()
    check(watch.guard(lib.scree_read_spheres, encode(path), ctypes.byref(options), ctypes.byref(owned.struct)))
    return owned.spheres()


def write(path: PathLike, x: Union[Spheres, Outlines, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None,
          periodic: PeriodicLike = None, format: str = "auto", *, progress: Progress = None, **columns: ArrayLike) -> None:
    """Writes spheres: `write(path, spheres)`, or `write(path, x, r, box, mass=...)`. The old file is replaced when the new one is complete.

    What a format has no place for (a box in CSV) is left out. Outlines are written as VTP: `write("frame.vtp", outlines)`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(folder + "/two.vtp", [[0, 0, 0], [2, 0, 0]], 1.0, mass=[1.0, 2.0])
    ...     read(folder + "/two.vtp")["mass"]
    array([1., 2.])
    """
    options, watch = _options(format, progress)
    if isinstance(x, Outlines):
        if r is not None or box is not None or periodic is not None or columns:
            raise TypeError("Outlines come with their own radii, box and columns: leave the others out")
        struct, kept = _borrowed_outlines(x)
        check(watch.guard(lib.scree_write_outlines, encode(path), ctypes.byref(options), ctypes.byref(struct)))
        return
    borrowed = BorrowedSet(as_spheres(x, r, box, periodic, columns))
    check(watch.guard(lib.scree_write_spheres, encode(path), ctypes.byref(options), ctypes.byref(borrowed.struct)))


def arrays_of(x: Any, r: Any, box: Any = None, periodic: Any = None) -> tuple[Array, Array, Optional[Box]]:
    """Centres, radii and box of what a call was given for spheres: Spheres (a Packing too), which bring all three, or arrays."""
    if isinstance(x, Spheres):
        if r is not None:
            raise TypeError(f"{type(x).__name__} come with their own radii: leave r out, and name the arguments behind it")
        given = x.box if box is None and periodic is None else box_for(x.box if box is None else box, periodic, x.dim)
        return x.x, x.r, given
    if isinstance(x, Bodies):
        raise TypeError("Outlines are polygons and discs; expected Spheres, or centres and radii")
    if r is None:
        raise TypeError("r is missing; expected a radius for each sphere, (n,), or a single number")
    x = centres(x)
    r = radii(r, len(x))
    return x, r, None if box is None and periodic is None else box_for(box, periodic, x.shape[1])


def as_spheres(x: Any, r: Any, box: Any, periodic: Any, columns: Mapping[str, Any]) -> Spheres:
    mine = {**x.columns, **columns} if isinstance(x, Spheres) else columns
    container = x.container if isinstance(x, Spheres) and box is None else "box"
    x, r, box = arrays_of(x, r, box, periodic)
    made = Spheres(x, r, box, columns=mine)
    made.container = container
    return made


def write_pairs(path: PathLike, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, ij: Optional[ArrayLike] = None,
                shift: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None) -> None:
    """Pairs as CSV, as `scree contacts -o` writes them: i,j,gap and, with shifts, sx,sy,sz. `write_pairs(path, spheres, ij=ij)`, or with x and r.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pairs(folder + "/pairs.csv", [[0, 0], [1, 0]], 1.0, [[0, 1]])
    ...     print(open(folder + "/pairs.csv").read(), end="")
    i,j,gap
    0,1,-1
    """
    if ij is None:
        raise TypeError("pairs are missing: ij")
    options, watch = _options("csv", None)
    s = as_spheres(x, r, box, periodic, {})
    ij = unmasked(ij, "ij")
    if ij.ndim != 2 or ij.shape[1] != 2 or ij.dtype.kind not in "iu":
        raise ArgumentError(f"ij has the shape {ij.shape} and dtype {ij.dtype}; expected whole numbers (n, 2)")
    if ij.size and (ij.min() < 0 or ij.max() >= len(s)):
        raise ArgumentError(f"ij names sphere {ij.min() if ij.min() < 0 else ij.max()}, and there are {len(s)}, counted from 0")
    ij = plain(ij, np.int32)
    pairs = _abi.scree_pairs(len(ij), ij.ctypes.data, None)
    if shift is not None:
        shift = unmasked(shift, "shift")
        if shift.shape != (len(ij), s.dim):
            raise ArgumentError(f"shift has the shape {shift.shape}; expected {(len(ij), s.dim)}")
        shifts = np.zeros((max(1, len(ij)), 3), np.int8)
        shifts[:len(ij), :s.dim] = shift
        pairs.shift = shifts.ctypes.data
    x = s.x if s.box is None else s.box.turned(s.x)
    given = None if s.box is None else ctypes.byref(s.box._lattice())
    check(watch.guard(lib.scree_write_pairs, encode(path), ctypes.byref(options), given, spheres(x, s.r), pairs))


def contact_arrays(given: Any) -> dict[str, Any]:
    """ij, shift, overlap, normal and force of `Simulation.contacts`, or of `read_contacts`, where there are some."""
    names = ("ij", "shift", "overlap", "normal", "force")
    if isinstance(given, Mapping):
        return {**({"ij": np.column_stack([given["i"], given["j"]])} if "i" in given else {}), **{name: given[name] for name in names if name in given}}
    return {name: getattr(given, name) for name in names if hasattr(given, name)}


def _rods(s: Bodies, contacts: Any) -> tuple[_abi.scree_rods, Any]:
    """Contacts as rods from centre to centre, or to the wall; the value is the normal force."""
    named, dim = contact_arrays(contacts), s.dim
    if "force" not in named or "normal" not in named:
        raise ArgumentError("forces: contacts without normals and forces; expected the contacts of Simulation.contacts or read_contacts")
    ij, normal, force = np.asarray(named["ij"]), np.asarray(named["normal"])[:, :dim], np.asarray(named["force"])[:, :dim]
    if ij.size and (ij[:, 0].min() < 0 or ij.max() >= len(s)):
        raise ArgumentError(f"forces: a contact of sphere {int(ij.max())}, and there are {len(s)}, counted from 0")
    i, j = ij.T
    ends = np.zeros((len(ij), 2, 3))
    ends[:, 0, :dim] = s.x[i]
    cell = s.box.cell if s.box is not None else np.zeros((dim, dim))
    other = s.x[np.maximum(j, 0)] + (np.asarray(named["shift"])[:, :dim] @ cell if "shift" in named else 0.0)
    wall = s.x[i] - normal * (s.r[i] - np.asarray(named.get("overlap", np.zeros(len(ij)))))[:, None]
    ends[:, 1, :dim] = np.where((j >= 0)[:, None], other, wall)
    value = np.ascontiguousarray((normal * force).sum(1))
    return _abi.scree_rods(len(ij), ends.ctypes.data, value.ctypes.data), (ends, value)


def picture(x: Union[Spheres, Outlines, ArrayLike], r: Optional[ArrayLike] = None, path: Optional[PathLike] = None, *, box: Optional[BoxLike] = None,
            periodic: PeriodicLike = None, width: int = 2000, height: int = 1500, eye: Optional[ArrayLike] = None,
            up: Optional[ArrayLike] = None, perspective: float = 20.0, distance: float = 0.0, zoom: float = 1.0,
            colour_by: Union[str, ArrayLike, None] = None, map: str = "dusk", scale: str = "auto",
            range: tuple[float, float] = (np.nan, np.nan), cut: Optional[tuple[ArrayLike, float]] = None, images: str = "none",
            copies: int = 0, background: str = "light", draw_box: bool = True, bar: bool = True, samples: int = 2, threads: int = 0,
            view: Optional[ArrayLike] = None, opacity: float = np.nan, walls: float = 0.0, caption: Optional[str] = None, forces: Any = None,
            forces_range: tuple[float, float] = (np.nan, np.nan), forces_width: float = 0.0, triangles: Optional[ArrayLike] = None,
            progress: Progress = None) -> Optional[Array]:
    """A picture: a PNG file at `path`, or without one the pixels, (height, width, 4) uint8, for `plt.imshow`.

    `colour_by` is "radius", "x", "y", "z", the name of a column, or an array with a number for each sphere. `cut` is (normal, position) of a
    plane at which the scene is cut open. `forces`: contacts (of `Simulation.contacts` or `read_contacts`) whose normal forces are drawn as rods, `forces_width` the diameter of the
    strongest. `triangles`: a mesh, corners (n, 3, 3), drawn translucent. `view`: lower and upper end of what fills the picture, by axis (dim, 2). The other options
    are the options of `scree picture` (docs/view.md). Outlines are drawn from above.

    >>> picture([[0, 0, 0], [1, 0, 0]], [0.6, 0.4], width=64, height=48).shape
    (48, 64, 4)
    """
    s: Bodies
    if isinstance(x, Outlines):
        if r is not None or box is not None or periodic is not None:
            raise TypeError("Outlines come with their own radii and box: leave them out")
        s = x[:]
    else:
        s = as_spheres(x, r, box, periodic, {})
    if s.box is not None:
        s.x, s.box = s.box.turned(s.x), s.box.triangular
    definition, watch = lib.scree_default_picture_def(), Watch(progress)
    definition.watch = watch.struct
    definition.width, definition.height = whole(width, "width"), whole(height, "height")
    for name, value in (("eye", eye), ("up", up)):
        if value is not None:
            getattr(definition, name)[:] = vector(value, 3, name).tolist()
    for name, value in (("perspective", perspective), ("distance", distance), ("zoom", zoom)):
        setattr(definition, name, real(value, name))
    if isinstance(colour_by, str):
        definition.colour_by = colour_by.encode()
    elif colour_by is not None:
        colour = reals(colour_by, "colour_by")
        if colour.shape != (len(s),):
            raise ArgumentError(f"colour_by has the shape {colour.shape}; expected ({len(s)},), a number for each sphere")
        s.columns = Columns(len(s), {"colour": colour})
        definition.colour_by = b"colour"
    definition.map = choice(map, _abi.MAPS, "map")
    definition.scale = choice(scale, _abi.SCALES, "scale")
    limits = reals(range, "range")
    if limits.shape != (2,):
        raise ArgumentError(f"range has the shape {limits.shape}; expected (2,), the values at the ends of the colours")
    definition.range[:] = limits.tolist()
    if cut is not None:
        normal, position = cut
        definition.cut, definition.cut_position = True, real(position, "the position of cut")
        definition.cut_normal[:] = vector(normal, 3, "the normal of cut").tolist()
    definition.images = choice(images, _abi.IMAGES, "images")
    definition.copies = whole(copies, "copies")
    definition.background = choice(background, _abi.BACKGROUNDS, "background")
    definition.box, definition.bar = bool(draw_box), bool(bar)
    definition.samples, definition.threads = whole(samples, "samples"), whole(threads, "threads", 0)
    definition.opacity, definition.walls = real(opacity, "opacity"), real(walls, "walls")
    if caption is not None:
        definition.caption = caption.encode()
    if view is not None:
        given_view = reals(view, "view")
        if given_view.shape != (s.dim, 2):
            raise ArgumentError(f"view has the shape {given_view.shape}; expected ({s.dim}, 2), lower and upper end of each axis")
        for k in builtins.range(3):
            definition.view[k][:] = given_view[k].tolist() if k < s.dim else [0.0, 0.0]
    if forces is not None:
        rods, kept_rods = _rods(s, forces)
        limits = reals(forces_range, "forces_range")
        definition.rods, definition.rods_width = ctypes.pointer(rods), real(forces_width, "forces_width")
        definition.rods_range[:] = limits.tolist()
    if triangles is not None:
        corners = reals(triangles, "triangles")
        if corners.ndim != 3 or corners.shape[1:] != (3, 3):
            raise ArgumentError(f"triangles has the shape {corners.shape}; expected (n, 3, 3), three corners of each")
        veil = lib.scree_default_veil()
        veil.count, veil.corners = len(corners), corners.ctypes.data
        definition.triangles = ctypes.pointer(veil)
    write_to, render = (lib.scree_write_picture_outlines, lib.scree_picture_render_outlines) if isinstance(s, Outlines) else (lib.scree_write_picture, lib.scree_picture_render)
    struct, kept = _borrowed_outlines(s) if isinstance(s, Outlines) else ((borrowed := BorrowedSet(s)).struct, borrowed)
    if path is not None:
        check(watch.guard(write_to, encode(path), ctypes.byref(struct), ctypes.byref(definition)))
        return None
    sides = (definition.height, definition.width)
    fits = all(16 <= side <= 20000 for side in sides) and sides[0] * sides[1] <= 100_000_000
    pixels = np.zeros((*sides, 4) if fits else (1, 1, 4), np.uint8)  # the library says what does not fit before it draws
    check(watch.guard(render, ctypes.byref(struct), ctypes.byref(definition), pixels.ctypes.data))
    return pixels


def picture_png(spheres: Bodies, **how: Any) -> bytes:
    """A small picture as the bytes of a PNG file, for notebooks."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        picture(spheres, path=path, width=640, height=480, **how)
        with open(path, "rb") as file:
            return file.read()
