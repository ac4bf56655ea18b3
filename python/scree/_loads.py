"""What changes with time in a simulation: functions of time (`ramp`, `sine`, `table`), for `Simulation.set_load` (docs/loads.md)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, real, reals
from ._library import ArgumentError
from ._records import Record

LOADS = ("gravity", "turn", "force", "torque", "velocity", "spin", "boundary velocity", "boundary spin", "boundary path", "servo force", "servo pressure", "servo torque", "drag",
         "local damping")
_ONE = {"servo force", "servo pressure", "servo torque", "local damping"}
_TURNS = {"turn", "torque", "spin", "boundary spin"}


@dataclass(frozen=True, eq=False, repr=False)
class Signal(Record):
    """A function of the time since it was set: `ramp`, `sine`, `table`."""
    kind: str
    value: Array       # ramp: at its beginning; sine: the mean; a table: rows of the time and values
    to: Array          # ramp: at its end; sine: the amplitude
    over: float = 0.0
    frequency: float = 0.0
    phase: float = 0.0


def ramp(begin: ArrayLike, end: ArrayLike, over: float) -> Signal:
    """From one value to the other within the time `over`; then it stays there."""
    return Signal("ramp", reals(begin, "begin"), reals(end, "end"), over=real(over, "over"))


def sine(amplitude: ArrayLike, frequency: float, phase: float = 0.0, mean: ArrayLike = 0.0) -> Signal:
    """mean + amplitude sin(2 pi frequency t + phase)."""
    amplitude = reals(amplitude, "amplitude")
    return Signal("sine", np.broadcast_to(reals(mean, "mean"), amplitude.shape).copy(), amplitude, frequency=real(frequency, "frequency"), phase=real(phase, "phase"))


def table(times: ArrayLike, values: ArrayLike) -> Signal:
    """Straight lines between the `values` at rising `times`; beyond them the first and the last."""
    times, values = reals(times, "times"), reals(values, "values")
    if times.ndim != 1 or len(times) == 0 or values.shape[:1] != times.shape or values.ndim > 2:
        raise ArgumentError(f"times of shape {times.shape} and values of shape {values.shape}; expected (n,), and (n,) or (n, dim)")
    return Signal("table", np.column_stack([times, values]), np.zeros(0))


def _three(values: Array, dim: int, kind: str) -> list[float]:
    """To its place among three numbers."""
    given = np.atleast_1d(values).astype(float)
    if kind in _ONE:
        wanted = (1,)
    elif kind in _TURNS and dim == 2 and given.shape == (1,):
        return [0.0, 0.0, float(given[0])]
    else:
        wanted = (dim,)
    if given.shape not in (wanted, (3,)) or (kind in _ONE and given.shape != (1,)):
        raise ArgumentError(f"{kind}: a value of shape {np.shape(values)}; expected {wanted}")
    return [*map(float, given), *[0.0] * (3 - len(given))]


def make_load(kind: str, target: int, value: Union[Signal, ArrayLike], dim: int) -> tuple[_abi.scree_sim_load, Any]:
    """The library's struct, and what it points to."""
    from ._library import lib
    load = lib.scree_default_sim_load()
    load.kind, load.target = LOADS.index(kind), target
    rows = None
    if not isinstance(value, Signal):
        load.value.value[:] = _three(reals(value, "value"), dim, kind)
        return load, rows
    load.value.kind = ("constant", "ramp", "sine", "table").index(value.kind)
    if value.kind == "table":
        rows = np.zeros((len(value.value), 4))
        rows[:, 0] = value.value[:, 0]
        for row, given in zip(rows, value.value[:, 1:]):
            row[1:] = _three(given if value.value.shape[1] > 2 else given[0], dim, kind)
        load.value.count, load.value.table = len(rows), rows.ctypes.data
        return load, rows
    load.value.value[:], load.value.to[:] = _three(value.value, dim, kind), _three(value.to, dim, kind)
    load.value.over, load.value.frequency, load.value.phase = value.over, value.frequency, value.phase
    return load, rows


__all__ = ["LOADS", "Signal", "make_load", "ramp", "sine", "table"]
