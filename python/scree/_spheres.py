"""Spheres as they are in files: `Spheres`, `read`, `write`, `write_pairs`, `picture`."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Callable, Mapping, Optional, Union

import numpy as np

from . import _abi
from ._arrays import ArrayLike, Box, BoxLike, PeriodicLike, box_for, centres, choice, plain, radii, reals, spheres, vector, view, whole
from ._library import ArgumentError, Watch, check, lib

Progress = Optional[Callable[[float], Any]]
PathLike = Union[str, "os.PathLike[str]"]


def encode(path: PathLike) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise ArgumentError(f"{path!r} holds a zero byte, which no name of a file may")
    return name


class Spheres:
    """Centres `x` (n, dim), radii `r` (n,), a `box` or None, and further `columns` by name, one entry per sphere. `container` is "box", or the
    "cylinder" or "sphere" that the box bounds; files keep it with the box.

    >>> s = Spheres([[0, 0, 0], [1, 0, 0]], 0.5, box=(2, 2, 2), periodic=True, mass=[1.0, 2.0])
    >>> len(s), s.dim, s["mass"].tolist()
    (2, 3, [1.0, 2.0])
    """

    container = "box"

    def __init__(self, x: ArrayLike, r: ArrayLike, box: Optional[BoxLike] = None, periodic: PeriodicLike = None,
                 columns: Optional[Mapping[str, ArrayLike]] = None, **more: ArrayLike) -> None:
        self.x = centres(x)
        self.r = radii(r, len(self.x))
        self.box: Optional[Box] = None if box is None and periodic is None else box_for(box, periodic, self.x.shape[1])
        self.columns: dict[str, np.ndarray] = {name: np.asarray(values) for name, values in {**(columns or {}), **more}.items()}

    @property
    def dim(self) -> int:
        return self.x.shape[1]

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def __repr__(self) -> str:
        return f"<scree.{type(self).__name__} of {len(self)} in {self.dim}D, box {self.box}, columns {list(self.columns)}>"


class BorrowedSet:
    """A scree_sphere_set over NumPy's own memory, for calls that only look at it. Never to be freed by the library."""

    def __init__(self, spheres: Spheres) -> None:
        x, r = centres(spheres.x), radii(spheres.r, len(spheres.x))
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

    def _fill(self, column: _abi.scree_column, name: str, values: ArrayLike, count: int) -> None:
        if not isinstance(name, str) or not name or "\0" in name:
            raise ArgumentError(f"the name of a column is {name!r}: a text that is not empty would be right")
        array = np.asarray(values)
        if array.ndim not in (1, 2) or len(array) != count or (array.ndim == 2 and not 1 <= array.shape[1] <= 64):
            raise ArgumentError(f"column {name!r} has the shape {array.shape}: ({count},) or ({count}, components up to 64) would be right")
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
        elif array.dtype.kind in "UO" and array.ndim == 1 and all(isinstance(word, str) for word in array):
            words = [word.encode() for word in array]
            if any(b"\0" in word for word in words):
                raise ArgumentError(f"column {name!r}: a text holds a zero byte")
            offset = np.zeros(count, np.int64)
            np.cumsum([len(word) + 1 for word in words[:-1]], out=offset[1:]) if count > 1 else None
            blob = ctypes.create_string_buffer(b"\0".join(words) + b"\0")
            self.kept.append(blob)
            array = offset
            column.kind, column.text, column.offset = 2, ctypes.addressof(blob), offset.ctypes.data
        else:
            raise TypeError(f"column {name!r} has dtype {array.dtype}: numbers or texts would be right")
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
            out.columns[column.name.decode("utf-8", "replace")] = values
        return out


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


def write(path: PathLike, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None,
          periodic: PeriodicLike = None, format: str = "auto", *, progress: Progress = None, **columns: ArrayLike) -> None:
    """Writes spheres: `write(path, spheres)`, or `write(path, x, r, box, mass=...)`. The old file is replaced when the new one is complete.

    What a format has no place for (a box in CSV) is left out.
    """
    options, watch = _options(format, progress)
    borrowed = BorrowedSet(as_spheres(x, r, box, periodic, columns))
    check(watch.guard(lib.scree_write_spheres, encode(path), ctypes.byref(options), ctypes.byref(borrowed.struct)))


def as_spheres(x: Any, r: Any, box: Any, periodic: Any, columns: Mapping[str, Any]) -> Spheres:
    if isinstance(x, Spheres):
        if r is not None:
            raise TypeError("spheres bring their own radii: r must be left out")
        given = x.box if box is None and periodic is None else box_for(x.box if box is None else box, periodic, x.dim)
        made = Spheres(x.x, x.r, given, columns={**x.columns, **columns})
        made.container = x.container if box is None else "box"
        return made
    if r is None:
        raise TypeError("radii are missing: r")
    return Spheres(x, r, box, periodic, columns)


def write_pairs(path: PathLike, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike], ij: ArrayLike, shift: Optional[ArrayLike] = None,
                box: Optional[BoxLike] = None, periodic: PeriodicLike = None) -> None:
    """Pairs as CSV, as `scree contacts -o` writes them: i,j,gap and, with shifts, sx,sy,sz."""
    options, watch = _options("csv", None)
    s = as_spheres(x, r, box, periodic, {})
    ij = np.asarray(ij)
    if ij.ndim != 2 or ij.shape[1] != 2 or ij.dtype.kind not in "iu":
        raise ArgumentError(f"ij has the shape {ij.shape} and dtype {ij.dtype}: whole numbers (n, 2) would be right")
    if ij.size and (ij.min() < 0 or ij.max() >= len(s)):
        raise ArgumentError(f"ij names sphere {ij.min() if ij.min() < 0 else ij.max()}, and there are {len(s)}, counted from 0")
    ij = plain(ij, np.int32)
    pairs = _abi.scree_pairs(len(ij), ij.ctypes.data, None)
    if shift is not None:
        shift = np.asarray(shift)
        if shift.shape != (len(ij), s.dim):
            raise ArgumentError(f"shift has the shape {shift.shape}: {(len(ij), s.dim)} would be right")
        shifts = np.zeros((max(1, len(ij)), 3), np.int8)
        shifts[:len(ij), :s.dim] = shift
        pairs.shift = shifts.ctypes.data
    given = None if s.box is None else ctypes.byref(s.box._struct())
    check(watch.guard(lib.scree_write_pairs, encode(path), ctypes.byref(options), given, spheres(s.x, s.r), pairs))


def picture(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, path: Optional[PathLike] = None, *, box: Optional[BoxLike] = None,
            periodic: PeriodicLike = None, width: int = 2000, height: int = 1500, eye: Optional[ArrayLike] = None,
            up: Optional[ArrayLike] = None, perspective: float = 20.0, distance: float = 0.0, zoom: float = 1.0,
            colour_by: Union[str, ArrayLike, None] = None, map: str = "dusk", scale: str = "auto",
            range: tuple[float, float] = (np.nan, np.nan), cut: Optional[tuple[ArrayLike, float]] = None, images: str = "none",
            copies: int = 0, background: str = "light", draw_box: bool = True, bar: bool = True, samples: int = 2, threads: int = 0,
            progress: Progress = None) -> Optional[np.ndarray]:
    """A picture: a PNG file at `path`, or without one the pixels, (height, width, 4) uint8, for `plt.imshow`.

    `colour_by` is "radius", "x", "y", "z", the name of a column, or an array with a number for each sphere. `cut` is (normal, position) of a
    plane at which the scene is cut open. The other options are those of `scree picture` (docs/picture.md).

    >>> picture([[0, 0, 0], [1, 0, 0]], [0.6, 0.4], width=64, height=48).shape
    (48, 64, 4)
    """
    s = as_spheres(x, r, box, periodic, {})
    definition, watch = lib.scree_default_picture_def(), Watch(progress)
    definition.watch = watch.struct
    definition.width, definition.height = whole(width, "width"), whole(height, "height")
    for name, value in (("eye", eye), ("up", up)):
        if value is not None:
            getattr(definition, name)[:] = vector(value, 3, name).tolist()
    definition.perspective, definition.distance, definition.zoom = float(perspective), float(distance), float(zoom)
    if isinstance(colour_by, str):
        definition.colour_by = colour_by.encode()
    elif colour_by is not None:
        s.columns = {"colour": reals(colour_by, "colour_by")}
        definition.colour_by = b"colour"
    definition.map = choice(map, _abi.MAPS, "map")
    definition.scale = choice(scale, _abi.SCALES, "scale")
    definition.range[:] = [float(value) for value in range]
    if cut is not None:
        normal, definition.cut_position = cut
        definition.cut = True
        definition.cut_normal[:] = vector(normal, 3, "the normal of cut").tolist()
    definition.images = choice(images, _abi.IMAGES, "images")
    definition.copies = whole(copies, "copies")
    definition.background = choice(background, _abi.BACKGROUNDS, "background")
    definition.box, definition.bar = bool(draw_box), bool(bar)
    definition.samples, definition.threads = whole(samples, "samples"), whole(threads, "threads", 0)
    borrowed = BorrowedSet(s)
    if path is not None:
        check(watch.guard(lib.scree_picture_write, encode(path), ctypes.byref(borrowed.struct), ctypes.byref(definition)))
        return None
    sides = (definition.height, definition.width)
    fits = all(16 <= side <= 20000 for side in sides) and sides[0] * sides[1] <= 100_000_000
    pixels = np.zeros((*sides, 4) if fits else (1, 1, 4), np.uint8)  # the library says what does not fit before it draws
    check(watch.guard(lib.scree_picture_render, ctypes.byref(borrowed.struct), ctypes.byref(definition), pixels.ctypes.data))
    return pixels
