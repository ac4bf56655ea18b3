"""Arrays in the memory of a device, as `pairs`, `Index` and `neighbour_list` take and return them with device="cuda": __cuda_array_interface__ and DLPack, without a copy."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy as np

from . import _abi
from ._arrays import ArrayLike
from ._library import ArgumentError, Held, check, lib

LEGACY = 1          # the default stream of CUDA, as both protocols number it
_CPU, _CUDA, _MANAGED = 1, 2, 13  # DLDeviceType
_FLOAT = 2          # DLDataTypeCode; 0: int
_MEMORY = {"cuda": (_CUDA, _MANAGED), "emulate": (_CPU,)}  # where the arrays of a device may be


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_api = ctypes.pythonapi
_api.PyCapsule_GetPointer.restype, _api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_New.restype, _api.PyCapsule_New.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_is = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_capsule_at = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))

# What a consumer has taken, by the address of its struct, until it calls the deleter.
_lent: dict[int, Any] = {}


def _take_back(at: int) -> None:
    _lent.pop(at, None)


def _destroy(capsule: int) -> None:
    if _capsule_is(capsule, b"dltensor"):  # else its consumer calls the deleter
        _lent.pop(_capsule_at(capsule, b"dltensor"), None)


_callback = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_deleter, _destructor = _callback(_take_back), _callback(_destroy)


class DeviceArray:
    """An array in the memory of a device, which belongs to the call that gave it: read it with torch.from_dlpack, cupy.from_dlpack, jax.dlpack.from_dlpack or anything that knows
    __cuda_array_interface__; numpy.from_dlpack reads those of device="emulate". The memory lives as long as this array and all that were made from it."""
    __slots__ = ("shape", "dtype", "strides", "device", "stream", "_at", "_owner", "__weakref__")

    def __init__(self, at: Optional[int], shape: tuple[int, ...], dtype: Any, owner: Any, device: str, stream: int, strides: Optional[tuple[int, ...]] = None) -> None:
        self.shape, self.dtype, self.device, self.stream = shape, np.dtype(dtype), device, stream
        steps = [self.dtype.itemsize]
        for length in shape[:0:-1]:
            steps.insert(0, steps[0] * length)
        self.strides = tuple(steps) if strides is None else strides  # bytes
        self._at, self._owner = at or 0, owner

    def __len__(self) -> int:
        return self.shape[0]

    def column(self, k: int) -> "DeviceArray":
        """Column k of two-dimensional ones, without a copy."""
        return DeviceArray(self._at + k * self.strides[1], self.shape[:1], self.dtype, self._owner, self.device, self.stream, self.strides[:1])

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device != "cuda":
            raise AttributeError("__cuda_array_interface__: this array is in the memory of the emulated device")
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._at if self.shape[0] else 0, False), "strides": self.strides, "version": 3, "stream": self.stream}

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CUDA if self.device == "cuda" else _CPU, 0)

    def __dlpack__(self, *, stream: Optional[int] = None, max_version: Any = None, dl_device: Any = None, copy: Optional[bool] = None) -> Any:
        """A capsule (version 0 of DLPack). `stream`: the consumer's, which waits for this array; -1: it does not."""
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("this array is given as it is, without a copy")
        if self.device == "cuda" and stream not in (-1, self.stream):
            check(lib.scree_index_lead_on_device(self._owner._open(), LEGACY if stream is None else stream))
        dim, item = len(self.shape), self.dtype.itemsize
        lent, numbers = _Managed(), (ctypes.c_int64 * (2 * dim))(*self.shape, *(step // item for step in self.strides))
        at = ctypes.addressof(numbers)
        pointer = ctypes.POINTER(ctypes.c_int64)
        lent.tensor = _Tensor(self._at, *self.__dlpack_device__(), dim, _FLOAT if self.dtype.kind == "f" else 0, 8 * item, 1, ctypes.cast(at, pointer), ctypes.cast(at + 8 * dim, pointer), 0)
        lent.deleter = ctypes.cast(_deleter, ctypes.c_void_p)
        _lent[ctypes.addressof(lent)] = (lent, numbers, self)
        return _api.PyCapsule_New(ctypes.addressof(lent), b"dltensor", ctypes.cast(_destructor, ctypes.c_void_p))

    def __repr__(self) -> str:
        return f"<scree.DeviceArray: {self.shape} {self.dtype}, {self.device}>"


class Given:
    """An array of the caller in device memory: where it is, and what has to live as long as it is read."""
    __slots__ = ("at", "shape", "stream", "_kept")

    def __init__(self, at: int, shape: tuple[int, ...], stream: Optional[int], kept: Any) -> None:
        self.at, self.shape, self.stream, self._kept = at, shape, stream, kept


def is_on_device(values: Any, device: str) -> bool:
    """Whether `values` is an array in the memory of this device. Arrays of NumPy are not, also for the emulated one."""
    if not isinstance(device, str) or device not in _MEMORY or isinstance(values, np.ndarray):
        return False
    if device == "cuda" and hasattr(values, "__cuda_array_interface__"):
        return True
    return hasattr(values, "__dlpack_device__") and int(values.__dlpack_device__()[0]) in _MEMORY[device]


def given(values: ArrayLike, name: str, device: str, stream: Optional[int]) -> Given:
    """float64 in C order, as all arrays here: what would need a copy is refused."""
    if not is_on_device(values, device):
        raise ArgumentError(f"{name} is not an array in the memory of device {device!r}, and x is; expected both there")
    interface = getattr(values, "__cuda_array_interface__", None) if device == "cuda" else None
    if interface is not None:
        shape, kind, at = tuple(interface["shape"]), interface["typestr"], int(interface["data"][0])
        strides, written = interface.get("strides"), interface.get("stream")
        kept: Any = (values, interface)
    else:
        source: Any = values
        capsule = source.__dlpack__() if device == "emulate" else source.__dlpack__(stream=LEGACY if stream is None else stream)
        tensor = _Managed.from_address(_api.PyCapsule_GetPointer(capsule, b"dltensor")).tensor
        shape, kind = tuple(tensor.shape[:tensor.ndim]), f"<{'f' if tensor.code == _FLOAT else 'i'}{tensor.bits * tensor.lanes // 8}"
        at, written, kept = (tensor.data or 0) + tensor.byte_offset, None, (values, capsule)
        strides = tuple(8 * step for step in tensor.strides[:tensor.ndim]) if tensor.strides else None
    if kind != "<f8":
        raise ArgumentError(f"{name} has the type {kind!r} in device memory; expected float64")
    if strides is not None and 0 not in shape and any(step != 8 * int(np.prod(shape[k + 1:])) for k, step in enumerate(strides) if shape[k] > 1):
        raise ArgumentError(f"{name} has strides of {strides} bytes in device memory; expected C order")
    return Given(at, shape, written, kept)


def spheres_of(x: Given, r: Optional[Given], radius: float, dim: int, stream: Optional[int]) -> tuple[_abi.scree_device_spheres, int]:
    """The struct of both, and the stream of the caller."""
    if len(x.shape) != 2 or x.shape[1] != dim:
        raise ArgumentError(f"x has the shape {x.shape}; expected (n, {dim})")
    if r is not None and r.shape != (x.shape[0],):
        raise ArgumentError(f"r has the shape {r.shape}; expected ({x.shape[0]},), a radius for each sphere")
    on = stream if stream is not None else x.stream if x.stream is not None else LEGACY
    return _abi.scree_device_spheres(x.shape[0], dim, x.at, None if r is None else r.at, radius, on), on


def update(index: Held, dim: int, x: Any, r: Any, device: str, stream: Optional[int]) -> tuple[int, int]:
    """Gives an index spheres in device memory: their number, and the stream of the caller. `index` is open, and the caller's turn."""
    at = given(x, "x", device, stream)
    radius = np.ndim(r) == 0 and not hasattr(r, "__dlpack__") and not hasattr(r, "__cuda_array_interface__")
    size = None if radius else given(r, "r", device, stream)
    struct, on = spheres_of(at, size, float(r) if radius else 0.0, dim, stream)
    for one in (at, size):
        if one is not None and one.stream not in (None, on):
            check(lib.scree_index_follow_on_device(index._open(), one.stream))
    check(lib.scree_index_update_on_device(index._open(), ctypes.byref(struct)))
    return int(at.shape[0]), on


def columns_of(x: Any, device: str) -> int:
    """The dimension of centres in device memory."""
    interface = getattr(x, "__cuda_array_interface__", None) if device == "cuda" else None
    shape = getattr(x, "shape", None) if interface is None else interface["shape"]
    if shape is None:
        shape = given(x, "x", device, None).shape
    if len(shape) != 2 or shape[1] not in (2, 3):
        raise ArgumentError(f"x has the shape {tuple(shape)}; expected (n, 2) or (n, 3)")
    return int(shape[1])


class Lease:
    """What arrays in the memory of an index hold: while it lives, the index does not change them."""
    __slots__ = ("index", "__weakref__")

    def __init__(self, index: Held) -> None:
        self.index = index

    def _open(self) -> int:
        return self.index._open()


def pairs_of(index: Held, dim: int, images: bool, full: bool, device: str, stream: int, owner: Any) -> Any:
    """Pairs in device memory; with `images` also their shifts, None if no axis is periodic."""
    found = _abi.scree_pairs()
    check(lib.scree_index_pairs_on_device(index._open(), full, stream, ctypes.byref(found)))
    if found.shift and not images:
        raise ArgumentError("pairs in device memory are those of images, of which two spheres may have several; expected images=True in a periodic box")
    ij = DeviceArray(found.ij, (found.count, 2), np.int32, owner, device, stream)
    if not images:
        return ij
    return ij, None if not found.shift else DeviceArray(found.shift, (found.count, dim), np.int8, owner, device, stream, (3, 1))


def vectors_of(index: Held, dim: int, count: int, device: str, stream: int) -> tuple[DeviceArray, DeviceArray]:
    """Of the pairs that were given last: vectors from i to j, and their lengths."""
    vector, distance = ctypes.c_void_p(), ctypes.c_void_p()
    check(lib.scree_index_vectors_on_device(index._open(), stream, ctypes.byref(vector), ctypes.byref(distance)))
    return DeviceArray(vector.value, (count, dim), np.float64, index, device, stream), DeviceArray(distance.value, (count,), np.float64, index, device, stream)
