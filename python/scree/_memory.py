"""The memory of contacts, from and to the library."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np

from . import _abi
from ._arrays import Array, plain, reals, take, unmasked
from ._library import ArgumentError
from ._records import Record


@dataclass(frozen=True, eq=False, repr=False)
class Memory(Record):
    """The memory of contacts, for laws that have one, in the order of `Contacts`."""
    ij: Array      # (n, 2) int64, as in Contacts
    shift: Array   # (n, dim) int8
    values: Array  # (n, words), seen from i
    feature: Optional[Array] = None  # (n,) int32, as in Contacts; None: there are no surfaces

    def __len__(self) -> int:
        return len(self.ij)


def memory_of(found: _abi.scree_sim_memory, dim: int) -> Memory:
    n = found.count
    shift = take(found.shift, (n, 3), np.int8) if found.shift else np.zeros((n, 3), np.int8)
    return Memory(take(found.ij, (n, 2), np.int64), shift[:, :dim], take(found.values, (n, found.words), np.float64),
                  take(found.feature, (n,), np.int32) if found.feature else None)


def memory_struct(memory: Memory, dim: int) -> tuple[_abi.scree_sim_memory, list[Optional[Array]]]:
    """The library's struct for it, and the arrays that it points to."""
    n = len(memory)
    ij, values = plain(unmasked(memory.ij, "memory.ij"), np.int64), reals(memory.values, "memory.values")
    shift = np.zeros((n, 3), np.int8)
    for name, array, shape in (("ij", ij, (n, 2)), ("shift", memory.shift, (n, dim)), ("values", values, (n, values.shape[-1] if values.ndim else 0))):
        if np.shape(array) != shape:
            raise ArgumentError(f"memory.{name} has the shape {np.shape(array)}; expected {shape}")
    shift[:, :dim] = memory.shift
    struct = _abi.scree_sim_memory(count=n, words=values.shape[1], ij=ij.ctypes.data, shift=shift.ctypes.data, values=values.ctypes.data)
    feature = None if memory.feature is None else plain(unmasked(memory.feature, "memory.feature"), np.int32)
    if feature is not None and feature.shape != (n,):
        raise ArgumentError(f"memory.feature has the shape {feature.shape}; expected ({n},)")
    if feature is not None:
        struct.feature = feature.ctypes.data
    return struct, [ij, shift, values, feature]
