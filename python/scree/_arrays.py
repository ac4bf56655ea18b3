"""NumPy arrays in and out of the library.

In: float64 in C order is handed over as it is, without a copy (the library only reads it, so it may be read-only). Anything else
that holds real numbers (other dtypes, strides, lists) is converted once. What does not fit is refused with its shape or dtype.

Out: `view` shows memory of the library as an array that keeps its owner alive; `take` copies.
"""
from __future__ import annotations

import ctypes
import operator
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._library import ArgumentError, check, lib
from ._records import Strict

ArrayLike = Any
BoxLike = Union["Box", Sequence[float], Sequence[Sequence[float]], np.ndarray]
PeriodicLike = Union[None, bool, str, Sequence[bool]]

AXES = "xyz"


def plain(values: ArrayLike, dtype: Any) -> np.ndarray:
    """In C order and aligned, as C code expects it; the same memory if it is so already."""
    return np.require(values, dtype, ["C", "A"])


_FLOAT64 = np.dtype(np.float64)


def unmasked(values: ArrayLike, name: str) -> np.ndarray:
    """`values` as an array of NumPy's own kind. Masked entries would lose their mask, and are refused."""
    parts = (values,) if isinstance(values, np.ma.MaskedArray) else values if isinstance(values, (list, tuple)) else ()
    masked = sum(int(np.ma.count_masked(part)) for part in parts if isinstance(part, np.ma.MaskedArray))
    if masked:
        raise ArgumentError(f"{name} has {masked} masked entries of {np.size(values)}: fill them (numpy.ma.filled) or leave them out")
    return np.asarray(values)


def reals(values: ArrayLike, name: str) -> np.ndarray:
    """`values` as float64 in C order, itself if it is that already."""
    if type(values) is np.ndarray and values.dtype is _FLOAT64:
        flags = values.flags
        if flags.c_contiguous and flags.aligned:
            return values
    array = unmasked(values, name)
    if array.dtype.kind not in "fiub":
        if array.size == 0 and array.dtype.kind == "O":
            raise TypeError(f"{name}: an array of real numbers is needed, not of dtype {array.dtype}")
        raise TypeError(f"{name}: real numbers are needed, and dtype {array.dtype} does not hold them")
    return plain(array, np.float64).reshape(array.shape)  # NumPy makes single numbers arrays of one


def centres(x: ArrayLike, name: str = "x") -> np.ndarray:
    array = reals(x, name)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ArgumentError(f"{name} has the shape {array.shape}: (n, 2) or (n, 3) would be right, a row for each sphere")
    if array.shape[0] >= 2 ** 31:
        raise ArgumentError(f"{name} has {array.shape[0]} rows; at most {2 ** 31 - 1} spheres are possible")
    return array


def radii(r: ArrayLike, count: Optional[int] = None, name: str = "r") -> np.ndarray:
    array = reals(r, name)
    if array.ndim == 0 and count is not None:
        return np.full(count, array[()])
    if array.ndim != 1 or (count is not None and array.shape[0] != count):
        wanted = f"({count},) or a single number" if count is not None else "(n,)"
        raise ArgumentError(f"{name} has the shape {array.shape}: {wanted} would be right, a radius for each sphere")
    return array


def vector(values: ArrayLike, dim: int, name: str) -> np.ndarray:
    array = reals(values, name)
    if array.shape != (dim,):
        raise ArgumentError(f"{name} has the shape {array.shape}: ({dim},) would be right, one number for each axis")
    return array


def matching(values: ArrayLike, like: np.ndarray, name: str) -> np.ndarray:
    array = reals(values, name)
    if array.shape != like.shape:
        raise ArgumentError(f"{name} has the shape {array.shape}: {like.shape} would be right, as the centres have")
    return array


def spheres(x: np.ndarray, r: np.ndarray) -> _abi.scree_spheres:
    """Borrows both arrays: they must live until the call is over."""
    return _abi.scree_spheres(x.shape[0], x.shape[1], x.ctypes.data, r.ctypes.data)


def whole(value: Any, name: str, least: int = -2 ** 31, most: int = 2 ** 31 - 1) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: a whole number is needed, not {value!r}") from None
    if not least <= number <= most:
        raise ArgumentError(f"{name} is {number}: {least} to {most} is possible")
    return number


def real(value: Any, name: str) -> float:
    if isinstance(value, (str, bytes)) or value is np.ma.masked:
        raise TypeError(f"{name}: a number is needed, not {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: a number is needed, not {value!r}") from None


def choice(value: Any, words: Sequence[str], name: str) -> int:
    """The number of a word; underscores count as hyphens."""
    if isinstance(value, str) and value.replace("_", "-") in words:
        return words.index(value.replace("_", "-"))
    raise ArgumentError(f"{name} is {value!r}: one of {', '.join(map(repr, words))} would be right")


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
    """

    __slots__ = ("_c",)  # the struct in C

    def __init__(self, size: BoxLike, periodic: PeriodicLike = None) -> None:
        if isinstance(size, Box):
            lower, upper = size.lower, size.upper
            wrap = size.periodic if periodic is None else _periodic(periodic, len(lower))
        else:
            array = reals(size, "box")
            if array.shape in ((2,), (3,)):
                upper = tuple(array.tolist())
                lower = (0.0,) * len(upper)
            elif array.shape in ((2, 2), (2, 3)):
                lower, upper = map(tuple, array.tolist())
            else:
                raise ArgumentError(f"box has the shape {array.shape}: lengths (dim,) or corners (2, dim) would be right")
            wrap = _periodic(periodic, len(lower))
        struct = _abi.scree_box(len(lower), lower, upper, wrap)
        check(lib.scree_box_check(ctypes.byref(struct)))
        self._c = struct

    @staticmethod
    def open(dim: int = 3) -> "Box":
        """No bounds at all."""
        return Box([[-np.inf] * dim, [np.inf] * dim])

    @staticmethod
    def around(x: ArrayLike, r: Optional[ArrayLike] = None) -> "Box":
        """The smallest walls that hold all spheres with their whole bodies; of Spheres, or of centres and radii."""
        from ._spheres import arrays_of
        x, r, _ = arrays_of(x, r)
        return Box._of(lib.scree_spheres_bounds(spheres(x, r)))

    @staticmethod
    def _of(struct: _abi.scree_box) -> "Box":
        """The struct may be part of another, which may change: it is copied."""
        box = object.__new__(Box)
        box._c = _abi.scree_box.from_buffer_copy(struct)
        return box

    def _struct(self) -> _abi.scree_box:
        """To be read only."""
        return self._c

    @property
    def lower(self) -> tuple[float, ...]:
        return tuple(self._c.lower[:self._c.dim])

    @property
    def upper(self) -> tuple[float, ...]:
        return tuple(self._c.upper[:self._c.dim])

    @property
    def periodic(self) -> tuple[bool, ...]:
        return tuple(self._c.periodic[:self._c.dim])

    @property
    def dim(self) -> int:
        return self._c.dim

    @property
    def size(self) -> np.ndarray:
        """Lengths of the sides."""
        return np.subtract(self.upper, self.lower)

    @property
    def volume(self) -> float:
        """Area in 2D; inf if an axis is open."""
        return lib.scree_box_volume(ctypes.byref(self._struct()))

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Box):
            return NotImplemented
        return (self.lower, self.upper, self.periodic) == (other.lower, other.upper, other.periodic)

    def __hash__(self) -> int:
        return hash((self.lower, self.upper, self.periodic))

    def __reduce__(self):
        return Box, ([self.lower, self.upper], self.periodic)

    def _brief(self) -> str:
        """For the reprs of what is in it: "10 x 10 x 20, periodic x"."""
        letters = "".join(a for a, p in zip(AXES, self.periodic) if p)
        return " x ".join(f"{side:.6g}" for side in self.size) + (f", periodic {letters}" if letters else "")

    def __repr__(self) -> str:
        letters = "".join(a for a, p in zip(AXES, self.periodic) if p)
        return f"Box([{list(self.lower)}, {list(self.upper)}]" + (f", periodic={letters!r})" if letters else ")")


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
        if array.shape == (dim,) and array.dtype.kind in "biu":
            return tuple(bool(p) for p in array)
    raise ArgumentError(f"periodic is {periodic!r}: True, False, the letters of axes ({AXES[:dim]!r}) or {dim} bools would be right")


def box_for(box: Optional[BoxLike], periodic: PeriodicLike, dim: int) -> Box:
    """The box of a call: open if none is given."""
    if box is None:
        if periodic is not None and any(_periodic(periodic, dim)):
            raise ArgumentError("periodic without a box: how long its axes are is not known")
        return _OPEN[dim]
    if type(box) is not Box or periodic is not None:
        box = Box(box, periodic)
    if box.dim != dim:
        raise ArgumentError(f"the box has {box.dim} axes and the centres have {dim}")
    return box


_OPEN = {dim: Box.open(dim) for dim in (2, 3)}


# ---- Out ------------------------------------------------------------------------------------------------------------

class _Memory:
    """Memory of the library for np.asarray, and whose it is."""
    owner: Any
    __array_interface__: dict[str, Any]


def view(pointer: Optional[int], shape: tuple[int, ...], dtype: Any, owner: Any, writable: bool = False) -> np.ndarray:
    """The memory itself as an array; `owner` lives as long as it does. Its `.base` is the object that holds it."""
    if not pointer or 0 in shape:
        return np.empty(shape, dtype)
    memory = _Memory()
    memory.owner = owner
    memory.__array_interface__ = {"version": 3, "shape": shape, "typestr": np.dtype(dtype).str, "data": (pointer, not writable)}
    return np.asarray(memory)


def take(pointer: Optional[int], shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """A copy, which belongs to Python."""
    array = np.empty(shape, dtype)
    if array.nbytes and pointer:
        ctypes.memmove(array.ctypes.data, pointer, array.nbytes)
    return array
