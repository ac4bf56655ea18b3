"""NumPy arrays in and out of the library.

In: float64 in C order is handed over as it is, without a copy (the library only reads it, so it may be read-only). Anything else
that holds real numbers (other dtypes, strides, lists) is converted once. What does not fit is refused with its shape or dtype.

Out: `view` shows memory of the library as an array that keeps its owner alive; `take` copies.
"""
from __future__ import annotations

import ctypes
import math
import operator
import os
from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi
from ._library import ArgumentError, check, lib
from ._records import Array as Array, Strict

ArrayLike = Any
BoxLike = Union["Box", Sequence[float], Sequence[Sequence[float]], Array]
PeriodicLike = Union[None, bool, str, Sequence[bool]]

Corner = Tuple[float, ...]

AXES = "xyz"


def plain(values: ArrayLike, dtype: Any) -> Array:
    """In C order and aligned, as C code expects it; the same memory if it is so already."""
    return np.require(values, dtype, ["C", "A"])


def frozen(values: Array) -> Array:
    """The same array, read-only: of a property that is a copy, where writing to elements would change nothing."""
    values.flags.writeable = False
    return values


_FLOAT64 = np.dtype(np.float64)


def unmasked(values: ArrayLike, name: str) -> Array:
    """`values` as an array of NumPy's own kind. Masked entries would lose their mask, and are refused."""
    parts: Sequence[Any] = (values,) if isinstance(values, np.ma.MaskedArray) else values if isinstance(values, (list, tuple)) else ()
    masked = sum(int(np.sum(part.mask & np.ones(part.shape, bool))) for part in parts if isinstance(part, np.ma.MaskedArray))
    if masked:
        raise ArgumentError(f"{name} has {masked} masked entries of {np.size(values)}: fill them (numpy.ma.filled) or leave them out")
    try:
        return np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise ArgumentError(f"{name} has rows of different lengths; expected an array of numbers") from error


def reals(values: ArrayLike, name: str) -> Array:
    """`values` as float64 in C order, itself if it is that already."""
    if type(values) is np.ndarray and values.dtype is _FLOAT64:
        flags = values.flags
        if flags.c_contiguous and flags.aligned:
            return values
    array = unmasked(values, name)
    if array.dtype.kind not in "fiub":
        what = f"has dtype {array.dtype}" if array.ndim else f"is {values!r:.60}"
        hint = ": scree.read reads a file" if isinstance(values, (str, os.PathLike)) else ""
        raise TypeError(f"{name} {what}; expected real numbers{hint}")
    return plain(array, np.float64).reshape(array.shape)  # NumPy makes single numbers arrays of one


def centres(x: ArrayLike, name: str = "x") -> Array:
    array = reals(x, name)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ArgumentError(f"{name} has the shape {array.shape}; expected (n, 2) or (n, 3), a row for each sphere")
    if array.shape[0] >= 2 ** 31:
        raise ArgumentError(f"{name} has {array.shape[0]} rows; at most {2 ** 31 - 1} spheres are possible")
    return array


def radii(r: ArrayLike, count: Optional[int] = None, name: str = "r") -> Array:
    array = reals(r, name)
    if array.ndim == 0 and count is not None:
        return np.full(count, array[()])
    if array.ndim != 1 or (count is not None and array.shape[0] != count):
        wanted = f"({count},) or a single number" if count is not None else "(n,)"
        raise ArgumentError(f"{name} has the shape {array.shape}; expected {wanted}, a radius for each sphere")
    return array


def vector(values: ArrayLike, dim: int, name: str) -> Array:
    array = reals(values, name)
    if array.shape != (dim,):
        raise ArgumentError(f"{name} has the shape {array.shape}; expected ({dim},), one number for each axis")
    return array


def matching(values: ArrayLike, like: Array, name: str) -> Array:
    array = reals(values, name)
    if array.shape != like.shape:
        raise ArgumentError(f"{name} has the shape {array.shape}; expected {like.shape}, as the centres have")
    return array


def whole_numbers(values: ArrayLike, name: str, count: int, dtype: Any, what: str, of: str) -> Array:
    """`count` whole numbers from 0 to the largest of `dtype`. `what` they are, and `of` what one is, for messages."""
    numbers, most = unmasked(values, name), np.iinfo(dtype).max
    if numbers.shape != (count,):
        raise ArgumentError(f"{name} has the shape {numbers.shape}; expected ({count},), {what}")
    if numbers.dtype != dtype or numbers.dtype.kind == "i":
        if numbers.dtype.kind not in "iubf":
            raise TypeError(f"{name} has dtype {numbers.dtype}; expected whole numbers")
        wrong = np.flatnonzero(~((numbers >= 0) & (numbers < most + 1) & (numbers == np.floor(numbers))))
        if len(wrong):
            raise ArgumentError(f"{name} of {of} {wrong[0]} is {numbers[wrong[0]]}; expected a whole number, 0 to {most}")
    return np.ascontiguousarray(numbers, dtype)


def address(array: Array) -> int:
    """Where the first element is: `array.ctypes.data`, which takes six times as long."""
    memory: Any = array
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(memory))
    except (TypeError, ValueError):  # read-only, empty, or not in C order
        return int(array.ctypes.data)


def spheres(x: Array, r: Array) -> _abi.scree_spheres:
    """Borrows both arrays: they must live until the call is over."""
    return _abi.scree_spheres(x.shape[0], x.shape[1], address(x), address(r))


def whole(value: Any, name: str, least: int = -2 ** 31, most: int = 2 ** 31 - 1) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; expected a whole number") from None
    if not least <= number <= most:
        raise ArgumentError(f"{name} is {number}; expected {least} to {most}")
    return number


def real(value: Any, name: str) -> float:
    if isinstance(value, (str, bytes)) or value is np.ma.masked:
        raise TypeError(f"{name} is {value!r}; expected a number")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}; expected a number") from None


def choice(value: Any, words: Sequence[str], name: str) -> int:
    """The number of a word; underscores count as hyphens."""
    if isinstance(value, str):
        word = value if value in words else value.replace("_", "-")
        if word in words:
            return words.index(word)
    raise ArgumentError(f"{name} is {value!r}; expected one of {', '.join(map(repr, words))}")


def seed_of(seed: Any) -> int:
    return whole(seed, "seed", 0, 2 ** 64 - 1)


# ---- Boxes ----------------------------------------------------------------------------------------------------------

class Box(Strict):
    """A box: walls, periodic or open, axis by axis. It never changes.

    `Box((lx, ly, lz))` goes from 0; `Box([lower, upper])` from corner to corner, with infinities where an axis is open.
    `periodic` is True for all axes, the letters of some ("xy"), or a bool for each.

    >>> Box((2, 3), periodic="y")
    Box([[0.0, 0.0], [2.0, 3.0]], periodic='y')
    >>> Box((2, 3)).volume
    6.0

    Tilted (triclinic) boxes: `tilt` is (xy, xz, yz), in 2D (xy,), as in LAMMPS, between periodic axes; edge vectors are the rows of `cell`.

    >>> Box((2, 3), periodic=True, tilt=(0.5,)).cell.tolist()
    [[2.0, 0.0], [0.5, 3.0]]

    Or a cell of ASE, 3 x 3, whose rows are the edge vectors: `Box(atoms.cell, atoms.pbc)`; for 2 x 2 there is `Box.of_cell`. It begins at the origin.
    All axes are periodic unless `periodic` is given; axes that are not periodic are open. `pairs`, `Index`, `measure` and `pack` accept any cell. Internally, a cell
    that is not lower triangular is rotated together with the centres; files and simulations need the rotated form, `triangular` and `turned`.

    >>> round(Box([[0, 2, 2], [2, 0, 2], [2, 2, 0]]).volume, 12)
    16.0
    """

    __slots__ = ("_c", "_frame")  # the struct in C; centres times this matrix are where it has them, None: as they are

    def __init__(self, size: BoxLike, periodic: PeriodicLike = None, tilt: Optional[Sequence[float]] = None) -> None:
        self._frame: Optional[Array] = None
        slant: tuple[float, ...] = ()
        if isinstance(size, Box):
            lower, upper, slant = size.lower, size.upper, size.tilt
            wrap = size.periodic if periodic is None else _periodic(periodic, len(lower))
            if size._frame is not None and wrap != size.periodic:
                raise ArgumentError("a rotated cell keeps its periodic axes: make a new one by Box.of_cell(vectors, periodic)")
            self._frame = size._frame
        else:
            array = reals(size, "box")
            if array.shape == (3, 3):
                wrap = _periodic(True if periodic is None else periodic, 3)
                lower, upper, slant, self._frame = _triangular(array, wrap)
            elif array.shape in ((2,), (3,)):
                upper = tuple(array.tolist())
                lower = (0.0,) * len(upper)
            elif array.shape in ((2, 2), (2, 3)):
                lower, upper = (tuple(corner) for corner in array.tolist())
            else:
                raise ArgumentError(f"box has the shape {array.shape}; expected lengths (dim,), corners (2, dim) or a cell (3, 3)")
            if array.shape != (3, 3):
                wrap = _periodic(periodic, len(lower))
        if tilt is not None:
            if self._frame is not None or any(slant):
                raise ArgumentError(f"tilt is {tilt!r}: the box has one already")
            slant = tuple(vector(tilt, 1 if len(lower) == 2 else 3, "tilt").tolist())
        struct = _abi.scree_box(len(lower), lower, upper, wrap, slant)
        check(lib.scree_box_check(ctypes.byref(struct)))
        self._c = struct

    @staticmethod
    def of_cell(vectors: ArrayLike, periodic: PeriodicLike = True) -> "Box":
        """The box whose edge vectors are these rows, 2 x 2 or 3 x 3. Axes that are not periodic are open.

        >>> Box.of_cell([[1.0, 0.0], [0.5, 0.8]])
        Box([[0.0, 0.0], [1.0, 0.8]], periodic='xy', tilt=(0.5,))
        """
        array = reals(vectors, "cell")
        if array.shape not in ((2, 2), (3, 3)):
            raise ArgumentError(f"cell has the shape {array.shape}; expected (2, 2) or (3, 3), an edge vector in each row")
        wrap = _periodic(periodic, len(array))
        lower, upper, slant, frame = _triangular(array, wrap)
        box = Box([lower, upper], wrap, slant if any(slant) else None)
        box._frame = frame
        return box

    @staticmethod
    def open(dim: int = 3) -> "Box":
        """No bounds at all."""
        return Box([[-np.inf] * dim, [np.inf] * dim])

    @staticmethod
    def around(x: ArrayLike, r: Optional[ArrayLike] = None) -> "Box":
        """The smallest box with walls that contains all spheres completely; of Spheres, or of centres and radii."""
        from ._spheres import arrays_of
        x, r, _ = arrays_of(x, r)
        return Box._of(lib.scree_spheres_bounds(spheres(x, r)))

    @staticmethod
    def _of(struct: _abi.scree_box) -> "Box":
        """The struct may be part of another, which may change: it is copied."""
        box = object.__new__(Box)
        box._c, box._frame = _abi.scree_box.from_buffer_copy(struct), None
        return box

    def _struct(self) -> _abi.scree_box:
        """To be read only. For code that does not change centres."""
        if self._frame is not None:
            raise ArgumentError("box: a cell that is not lower triangular; here one is needed: box.triangular, with the centres box.turned(x)")
        return self._c

    def _lattice(self) -> _abi.scree_box:
        """The same for code that rotates centres: `turned` before, `_back` after."""
        return self._c

    def turned(self, x: ArrayLike) -> Array:
        """Centres (n, dim), or one centre, rotated into `triangular`; x itself if the cell is lower triangular."""
        given = reals(x, "x")
        return given if self._frame is None else _times(given, self._frame)

    def _back(self, x: Array) -> Array:
        return x if self._frame is None else _times(x, self._frame.T)

    def _with_frame(self, frame: Optional[Array]) -> "Box":
        box = Box._of(self._c)
        box._frame = frame
        return box

    def _scaled(self, factor: float) -> "Box":
        corners, tilt = np.multiply([self.lower, self.upper], factor), tuple(factor * t for t in self.tilt)
        return Box(corners, self.periodic, tilt if any(tilt) else None)._with_frame(self._frame)

    @property
    def triangular(self) -> "Box":
        """The box after the rotation that makes its edge vectors lower triangular; itself if they are."""
        return self if self._frame is None else self._with_frame(None)

    @property
    def tilt(self) -> tuple[float, ...]:
        """xy, xz and yz of `triangular`; in 2D xy alone."""
        return tuple(self._c.tilt[:1 if self._c.dim == 2 else 3])

    @property
    def cell(self) -> Array:
        """Edge vectors as rows, (dim, dim): the image of sphere j with a shift is at x[j] + shift @ cell. 0 where an axis is open."""
        size, (xy, xz, yz) = self.size, self._c.tilt
        rows = np.diag(np.where(np.isfinite(size), size, 0.0))
        rows[1, 0] = xy
        if len(rows) == 3:
            rows[2, :2] = xz, yz
        return frozen(self._back(rows))

    @property
    def lower(self) -> tuple[float, ...]:
        """Corner with the smallest coordinates, one number per axis; -inf where an axis is open."""
        return tuple(self._c.lower[:self._c.dim])

    @property
    def upper(self) -> tuple[float, ...]:
        """Corner with the largest coordinates, one number per axis; inf where an axis is open."""
        return tuple(self._c.upper[:self._c.dim])

    @property
    def periodic(self) -> tuple[bool, ...]:
        """Whether each axis is periodic."""
        return tuple(self._c.periodic[:self._c.dim])

    @property
    def dim(self) -> int:
        """Dimension, 2 or 3."""
        return int(self._c.dim)

    @property
    def size(self) -> Array:
        """Lengths of the sides; in a tilted box the diagonal of its triangular cell."""
        return frozen(np.subtract(self.upper, self.lower))

    @property
    def volume(self) -> float:
        """Area in 2D; inf if an axis is open."""
        return float(lib.scree_box_volume(ctypes.byref(self._lattice())))

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Box):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[Any, ...]:
        return self.lower, self.upper, self.periodic, self.tilt, None if self._frame is None else self._frame.tobytes()

    def __reduce__(self) -> Any:
        return _made_of, (self.lower, self.upper, self.periodic, self.tilt, self._frame)

    def _brief(self) -> str:
        """For the reprs of what is in it: "10 x 10 x 20, periodic x"."""
        letters = "".join(a for a, p in zip(AXES, self.periodic) if p)
        return " x ".join(f"{side:.6g}" for side in self.size) + (f", periodic {letters}" if letters else "") + (
            ", tilted" if any(self.tilt) else "")

    def __repr__(self) -> str:
        letters = "".join(a for a, p in zip(AXES, self.periodic) if p)
        if self._frame is not None:
            return f"Box.of_cell({self.cell.tolist()}, periodic={letters!r})"
        return f"Box([{list(self.lower)}, {list(self.upper)}]" + (f", periodic={letters!r}" if letters else "") + (
            f", tilt={self.tilt})" if any(self.tilt) else ")")


def _made_of(lower: Corner, upper: Corner, periodic: tuple[bool, ...], tilt: Corner, frame: Optional[Array]) -> Box:
    return Box([lower, upper], periodic, tilt if any(tilt) else None)._with_frame(frame)


def _times(x: Array, matrix: Array) -> Array:
    """x @ matrix, summed in one order whatever the number of rows: the same centre has the same bits everywhere."""
    return np.ascontiguousarray(sum(x[..., k, None] * matrix[k] for k in range(len(matrix))))


def _triangular(vectors: Array, periodic: tuple[bool, ...]) -> tuple[Corner, Corner, Corner, Optional[Array]]:
    """Lower and upper end, tilt, and the rotation to there (None: not needed) of a cell whose rows are edge vectors. Axes that are not periodic are open, and
    at right angles to all that are.
    """
    dim = len(vectors)
    wrap = [k for k in range(dim) if periodic[k]]
    if not np.isfinite(vectors).all():
        raise ArgumentError(f"cell is {vectors.tolist()}; expected finite edge vectors")
    frame = np.zeros((dim, dim))  # columns: the axes
    used: list[int] = []
    for k in wrap + [k for k in range(dim) if k not in wrap]:
        tried = [vectors[k]] if k in wrap else [np.eye(dim)[(k + turn) % dim] for turn in range(dim)]
        rests = [v - frame[:, used] @ (frame[:, used].T @ v) for v in tried]
        rests = [rest - frame[:, used] @ (frame[:, used].T @ rest) for rest in rests]  # again: for what rounding left
        best = max(rests, key=lambda rest: float(rest @ rest))
        length = math.sqrt(float(best @ best))
        if k in wrap and not length > 1e-10 * math.sqrt(float(vectors[k] @ vectors[k])):
            raise ArgumentError(f"cell is {vectors.tolist()}: edge vector {k} lies in the line or plane of the ones before")
        frame[:, k] = best / length
        used.append(k)
    inner = vectors @ frame
    straight = all(vectors[m, k] == 0.0 for m in wrap for k in range(dim) if k > m or k not in wrap) and all(vectors[k, k] > 0.0 for k in wrap)
    inner = vectors if straight else inner
    lower = tuple(0.0 if p else -math.inf for p in periodic)
    upper = tuple(float(inner[k, k]) if periodic[k] else math.inf for k in range(dim))
    tilt = tuple(float(inner[m, k]) if periodic[m] and periodic[k] else 0.0 for m, k in ((1, 0), (2, 0), (2, 1)) if m < dim)
    return lower, upper, tilt, None if straight else frame


def _periodic(periodic: PeriodicLike, dim: int) -> tuple[bool, ...]:
    if periodic is None or isinstance(periodic, (bool, np.bool_)):
        return (bool(periodic),) * dim
    if isinstance(periodic, str):
        if periodic == "none":
            return (False,) * dim
        if set(periodic) <= set(AXES[:dim]):
            return tuple(a in periodic for a in AXES[:dim])
    else:
        array = unmasked(periodic, "periodic")
        if array.shape == (dim,) and array.dtype.kind in "biu" and ((array == 0) | (array == 1)).all():
            return tuple(bool(p) for p in array)
    raise ArgumentError(f"periodic is {periodic!r}; expected True, False, the letters of axes ({AXES[:dim]!r}) or {dim} bools")


def box_for(box: Optional[BoxLike], periodic: PeriodicLike, dim: int) -> Box:
    """The box of a call: open if none is given."""
    if box is None:
        if periodic is not None and any(_periodic(periodic, dim)):
            raise ArgumentError("periodic without a box: how long its axes are is not known")
        return OPEN[dim]
    if type(box) is not Box or periodic is not None:
        box = Box(box, periodic)
    if box.dim != dim:
        raise ArgumentError(f"the box has {box.dim} axes; expected {dim}, as the centres have")
    return box


OPEN = {dim: Box.open(dim) for dim in (2, 3)}


# ---- Out ------------------------------------------------------------------------------------------------------------

class _Memory:
    """Memory of the library for np.asarray, and whose it is."""
    owner: Any
    __array_interface__: dict[str, Any]


def view(pointer: Optional[int], shape: tuple[int, ...], dtype: Any, owner: Any, writable: bool = False) -> Array:
    """The memory itself as an array; `owner` lives as long as it does. Its `.base` is the object that holds it."""
    if not pointer or 0 in shape:
        return np.empty(shape, dtype)
    memory = _Memory()
    memory.owner = owner
    memory.__array_interface__ = {"version": 3, "shape": shape, "typestr": np.dtype(dtype).str, "data": (pointer, not writable)}
    return np.asarray(memory)


def take(pointer: Optional[int], shape: tuple[int, ...], dtype: Any) -> Array:
    """A copy, which belongs to Python."""
    array = np.empty(shape, dtype)
    if array.nbytes and pointer:
        ctypes.memmove(address(array), pointer, array.nbytes)
    return array
