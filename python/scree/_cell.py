"""Periodic cells that shear, strain or follow a stress: what is given for them, and what they are like."""
from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, cast

import numpy as np

from . import _abi
from ._arrays import Array, real
from ._library import ArgumentError, lib
from ._records import Record

NAMES = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True, eq=False, repr=False)
class Cell(Record):
    """The cell of a simulation at one moment (docs/sim.md). Strains and rates are by name: "xx", ..., "xy" with flow along x and gradient along y."""
    side: Array            # lengths of the sides; 0 of axes that are not periodic
    tilt: Array            # xy, xz, yz; in 2D xy
    rate: dict[str, float]      # strain rates of the step that comes
    strain: dict[str, float]    # since the start; shear without the reductions of the tilt
    stress: Array          # normal stresses as the control has seen them; 0 if there is none


def _numbers(given: Any, known: tuple[str, ...], name: str) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise ArgumentError(f"{name} is {given!r}; expected a dict with {', '.join(known)}")
    for key in given:
        if key not in known:
            raise ArgumentError(f"{name} has {key!r}: {', '.join(known)} are known")
    return {key: real(value, f"{name}[{key!r}]") for key, value in given.items()}


def make(given: Mapping[str, Any]) -> _abi.scree_sim_cell:
    """dict(shear=..., strain=dict(xx=..., ...), stress=dict(pressure=... or xx=..., ..., rate=..., response=...), constant_volume=...), as `cell` in scenes."""
    if not isinstance(given, Mapping):
        raise ArgumentError(f"cell is {given!r}; expected a dict with shear, strain, stress and constant_volume")
    cell = lib.scree_default_sim_cell()
    for key, value in given.items():
        if key == "shear":
            cell.rate[3] = real(value, "cell['shear']")
        elif key == "strain":
            for name, rate in _numbers(value, NAMES, "cell['strain']").items():
                if name == "xy" and "shear" in given:
                    raise ArgumentError("cell has shear and strain['xy'], which are one and the same")
                cell.rate[NAMES.index(name)] = rate
        elif key == "stress":
            for name, number in _numbers(value, ("pressure", "xx", "yy", "zz", "rate", "response"), "cell['stress']").items():
                if name == "pressure":
                    cell.isotropic, cell.stress[0] = True, number
                elif name in NAMES:
                    if "pressure" in value:
                        raise ArgumentError(f"cell['stress'] has pressure, which is that of all axes, and {name}")
                    cell.stress[NAMES.index(name)] = number
                    cell.controlled |= 1 << NAMES.index(name)
                else:
                    setattr(cell, "rate_most" if name == "rate" else "response", number)
        elif key == "constant_volume":
            cell.constant_volume = bool(value)
        else:
            raise ArgumentError(f"cell has {key!r}: shear, strain, stress and constant_volume are known")
    return cast(_abi.scree_sim_cell, cell)


def report(found: _abi.scree_sim_cell_report, dim: int) -> Optional[Cell]:
    if not found.set:
        return None
    names = ("xx", "yy", "xy") if dim == 2 else NAMES
    return Cell(np.array(found.side[:dim]), np.array(found.tilt[:1 if dim == 2 else 3]), {name: found.rate[NAMES.index(name)] for name in names},
                {name: found.strain[NAMES.index(name)] for name in names}, np.array(found.stress[:dim]))


def state_bytes(found: Any) -> bytes:
    return ctypes.string_at(found, ctypes.sizeof(_abi.scree_sim_cell_state)) if found else b""
