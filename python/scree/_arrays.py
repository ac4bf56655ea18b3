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

ArrayLike = Any
BoxLike = Union["Box", Sequence[float], Sequence[Sequence[float]], np.ndarray]
PeriodicLike = Union[None, bool, str, Sequence[bool]]

AXES = "xyz"


def plain(values: ArrayLike, dtype: Any) -> np.ndarray:
    """In C order and aligned, as C code expects it; the same memory if it is so already."""
    return np.require(values, dtype, ["C", "A"])


def reals(values: ArrayLike, name: str) -> np.ndarray:
    """`values` as float64 in C order, itself if it is that already."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        if array.size == 0 and array.dtype.kind == "O":
            raise TypeError(f"{name}: an array of real numbers is needed, not of dtype {array.dtype}")
        raise TypeError(f"{name}: real numbers are needed, and dtype {array.dtype} does not hold them")
    return plain(array, np.float64).reshape(array.shape)  # NumPy makes single numbers arrays of one


def centres(x: ArrayLike, name: str = "x") -> np.ndarray:
    array = reals(x, name)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ArgumentError(f"{name} has the shape {array.shape}: (n, 2) or (n, 3) would be right, a row for each sphere")
    if array.shape[0] > np.iinfo(np.int32).max:
        raise ArgumentError(f"{name} has {array.shape[0]} rows; at most {np.iinfo(np.int32).max} spheres are possible")
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
    if isinstance(value, (str, bytes)):
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

class Box:
    """A box: walls, periodic or open, axis by axis.

    `Box((lx, ly, lz))` goes from 0; `Box([lower, upper])` from corner to corner, with infinities where an axis is open.
    `periodic` is True for all axes, the letters of some ("xy"), or a bool for each.

    >>> Box((2, 3), periodic="y")
    Box([[0.0, 0.0], [2.0, 3.0]], periodic='y')
    >>> Box((2, 3)).volume
    6.0
    """

    __slots__ = ("lower", "upper", "periodic")
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    periodic: tuple[bool, ...]

    def __init__(self, size: BoxLike, periodic: PeriodicLike = None) -> None:
        if isinstance(size, Box):
            self.lower, self.upper = size.lower, size.upper
            self.periodic = size.periodic if periodic is None else _periodic(periodic, len(size.lower))
        else:
            array = reals(size, "box")
            if array.shape in ((2,), (3,)):
                array = np.stack([np.zeros_like(array), array])
            if array.shape not in ((2, 2), (2, 3)):
                raise ArgumentError(f"box has the shape {array.shape}: lengths (dim,) or corners (2, dim) would be right")
            self.lower, self.upper = tuple(array[0].tolist()), tuple(array[1].tolist())
            self.periodic = _periodic(periodic, len(self.lower))
        check(lib.scree_box_check(ctypes.byref(self._struct())))

    @staticmethod
    def open(dim: int = 3) -> "Box":
        """No bounds at all."""
        return Box([[-np.inf] * dim, [np.inf] * dim])

    @staticmethod
    def around(x: ArrayLike, r: ArrayLike) -> "Box":
        """The smallest walls that hold all spheres with their whole bodies."""
        x = centres(x)
        r = radii(r, len(x))
        return Box._of(lib.scree_spheres_bounds(spheres(x, r)))

    @staticmethod
    def _of(struct: _abi.scree_box) -> "Box":
        box = object.__new__(Box)
        dim = struct.dim
        box.lower, box.upper = tuple(struct.lower[:dim]), tuple(struct.upper[:dim])
        box.periodic = tuple(struct.periodic[:dim])
        return box

    def _struct(self) -> _abi.scree_box:
        struct = _abi.scree_box()
        struct.dim = len(self.lower)
        struct.lower[:struct.dim] = self.lower
        struct.upper[:struct.dim] = self.upper
        struct.periodic[:struct.dim] = self.periodic
        return struct

    @property
    def dim(self) -> int:
        return len(self.lower)

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
        array = np.asarray(periodic)
        if array.shape == (dim,) and array.dtype.kind in "biu":
            return tuple(bool(p) for p in array)
    raise ArgumentError(f"periodic is {periodic!r}: True, False, the letters of axes ({AXES[:dim]!r}) or {dim} bools would be right")


def box_for(box: Optional[BoxLike], periodic: PeriodicLike, dim: int) -> Box:
    """The box of a call: open if none is given."""
    if box is None:
        if any(_periodic(periodic, dim)):
            raise ArgumentError("periodic without a box: how long its axes are is not known")
        return Box.open(dim)
    box = Box(box, periodic)
    if box.dim != dim:
        raise ArgumentError(f"the box has {box.dim} axes and the centres have {dim}")
    return box


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
