"""Bonds between spheres: what `Simulation(bonds=...)` takes and `Simulation.bonds` gives."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._arrays import Array, frozen, plain, real, take, unmasked
from ._library import ArgumentError, lib
from ._records import Record, closest_spelling

WORDS = 7  # SCREE_BOND_WORDS
CAUSES = ("", "tension", "shear")
BondsLike = Union[Mapping[str, Any], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, eq=False, repr=False)
class Bonds(Record):
    """All bonds, sorted by the two spheres, including broken ones; `holds` is True for intact bonds."""
    ij: Array         # (n, 2) int64
    shift: Array      # (n, dim) int8: bond with the image of j at x[j] + shift * size
    kind: Array       # (n,) int32: number of the entry of `bonds`
    length: Array     # (n,): rest length
    values: Array     # (n, 7): shear displacement (3), bending angles (3) and twisting angle, seen from i; 0 for broken bonds
    broken_at: Array  # (n,) int64: the step at which it broke; -1: intact
    cause: Array      # (n,) uint8: 0 intact, 1 tension, 2 shear
    released: Array   # (n,): energy stored in it when it broke
    force: Array      # (n, dim), on i
    torque: Array     # (n, 3), in 2D (n,) about z: on i
    dissipated: float      # by the dashpots of all bonds so far
    dissipated_next: float  # and what the next step adds first

    def __len__(self) -> int:
        return len(self.ij)

    @property
    def holds(self) -> Array:
        """(n,) bool"""
        return frozen(np.asarray(self.broken_at < 0))


def make_def(bonds: Optional[BondsLike], material_number: Callable[[Any], int]) -> tuple[Optional[_abi.scree_sim_bonds_def], list[Any]]:
    """The library's struct for `bonds`, and what has to live as long as it."""
    if bonds is None:
        return None, []
    entries = [bonds] if isinstance(bonds, Mapping) else list(bonds)
    definition, kinds = lib.scree_default_sim_bonds_def(), (_abi.scree_sim_bond * max(1, len(entries)))()
    numbers = [name for name, kind in _abi.scree_sim_bond._fields_ if kind is _abi.f64]
    listed, of_kind = [], []
    for n, entry in enumerate(entries):
        kinds[n] = lib.scree_default_sim_bond()
        for name, value in entry.items():
            if name in numbers:
                setattr(kinds[n], name, real(value, f"bonds[{n}][{name!r}]"))
            elif name == "between":
                kinds[n].between[:] = [material_number(one) for one in value]
            elif name == "pairs":
                pairs = unmasked(value, f"bonds[{n}]['pairs']")
                if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
                    raise ArgumentError(f"bonds[{n}]['pairs'] has the shape {pairs.shape} and type {pairs.dtype}; expected whole numbers of the shape (n, 2)")
                listed.append(plain(pairs, np.int64))
                of_kind.append(np.full(len(pairs), n, np.int32))
            else:
                raise ArgumentError(f"bonds[{n}]: there is no parameter {name!r}{closest_spelling(name, [*numbers, 'between', 'pairs'])}")
        if ("gap" in entry) == ("pairs" in entry):
            raise ArgumentError(f"bonds[{n}]: expected a gap, or pairs (n, 2) of spheres{', not both' if 'gap' in entry else ''}")
    ij = np.ascontiguousarray(np.concatenate(listed)) if listed else np.empty((0, 2), np.int64)
    kind = np.ascontiguousarray(np.concatenate(of_kind)) if listed else np.empty(0, np.int32)
    definition.kind_count, definition.kinds = len(entries), kinds
    definition.count, definition.ij, definition.kind = len(ij), ij.ctypes.data, kind.ctypes.data
    return definition, [kinds, ij, kind]


def from_struct(found: _abi.scree_sim_bonds, dim: int) -> Bonds:
    n = found.count
    shift = take(found.shift, (n, 3), np.int8) if found.shift else np.zeros((n, 3), np.int8)
    force, torque = (take(pointer, (n, 3), np.float64) if pointer else np.zeros((n, 3)) for pointer in (found.force, found.torque))
    return Bonds(take(found.ij, (n, 2), np.int64), shift[:, :dim], take(found.kind, (n,), np.int32), take(found.length, (n,), np.float64),
                 take(found.values, (n, WORDS), np.float64), take(found.broken_at, (n,), np.int64), take(found.cause, (n,), np.uint8),
                 take(found.released, (n,), np.float64), force[:, :dim], torque if dim == 3 else torque[:, 2].copy(), found.dissipated, found.dissipated_next)


def to_struct(bonds: Bonds, dim: int) -> tuple[_abi.scree_sim_bonds, list[Array]]:
    """The library's struct for it, and the arrays that it points to."""
    n = len(bonds)
    shift = np.zeros((n, 3), np.int8)
    shift[:, :dim] = bonds.shift
    types = {"ij": (np.int64, (n, 2)), "kind": (np.int32, (n,)), "length": (np.float64, (n,)), "values": (np.float64, (n, WORDS)), "broken_at": (np.int64, (n,)),
             "cause": (np.uint8, (n,)), "released": (np.float64, (n,))}
    arrays = {name: plain(unmasked(getattr(bonds, name), f"bonds.{name}"), dtype) for name, (dtype, _) in types.items()}
    for name, (_, shape) in types.items():
        if arrays[name].shape != shape:
            raise ArgumentError(f"bonds.{name} has the shape {arrays[name].shape}; expected {shape}")
    struct = _abi.scree_sim_bonds(count=n, shift=shift.ctypes.data, dissipated=bonds.dissipated, dissipated_next=bonds.dissipated_next,
                                  **{name: array.ctypes.data for name, array in arrays.items()})
    return struct, [shift, *arrays.values()]
