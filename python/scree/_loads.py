"""What changes with time in a simulation: functions of time (`ramp`, `sine`, `table`), for `Simulation.set_load` (docs/loads.md)."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, real, reals
from ._library import ArgumentError, check, lib
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

    def at(self, time: float) -> Array:
        """Its value at a time since it was set.

        >>> ramp([0, 0, 1], [0, 0, 3], over=2.0).at(0.5)
        array([0. , 0. , 1.5])
        """
        return self._ask(lib.scree_signal_at, time)

    def rate(self, time: float) -> Array:
        """Its slope; at a corner that of the later side."""
        return self._ask(lib.scree_signal_rate, time)

    def _ask(self, function: Any, time: float) -> Array:
        rows = self.value[:, 1:] if self.kind == "table" else self.value
        scalar = rows.ndim < (2 if self.kind == "table" else 1) or (self.kind == "table" and rows.shape[1] == 1)
        struct, kept = signal_struct(self, lambda values: [*map(float, np.atleast_1d(values)), 0.0, 0.0][:3])
        check(lib.scree_signal_check(ctypes.byref(struct)))
        found = (ctypes.c_double * 3)()
        function(ctypes.byref(struct), real(time, "time"), ctypes.addressof(found))
        values = np.array(found[:1 if scalar else rows.shape[-1]])
        return np.asarray(values[0] if scalar else values)


def ramp(begin: ArrayLike, end: ArrayLike, over: float) -> Signal:
    """From one value to the other within the time `over`; then it stays there.

    >>> ramp(0.0, 10.0, over=2.0).at(1.0)
    array(5.)
    """
    return Signal("ramp", reals(begin, "begin"), reals(end, "end"), over=real(over, "over"))


def sine(amplitude: ArrayLike, frequency: float, phase: float = 0.0, mean: ArrayLike = 0.0) -> Signal:
    """mean + amplitude sin(2 pi frequency t + phase).

    >>> sine(0.5, frequency=1.0).at(0.25)
    array(0.5)
    """
    amplitude = reals(amplitude, "amplitude")
    return Signal("sine", np.broadcast_to(reals(mean, "mean"), amplitude.shape).copy(), amplitude, frequency=real(frequency, "frequency"), phase=real(phase, "phase"))


def table(times: ArrayLike, values: ArrayLike) -> Signal:
    """Straight lines between the `values` at rising `times`; beyond them the first and the last.

    >>> table([0, 1, 2], [0, 5, 5]).at(0.5)
    array(2.5)
    """
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


def signal_struct(signal: Signal, three: Callable[[Array], list[float]]) -> tuple[_abi.scree_signal, Optional[Array]]:
    """The library's struct, and the table that it points to. `three` puts values to their places among three."""
    struct = _abi.scree_signal(kind=("constant", "ramp", "sine", "table").index(signal.kind))
    if signal.kind == "table":
        rows = np.zeros((len(signal.value), 4))
        rows[:, 0] = signal.value[:, 0]
        for row, given in zip(rows, signal.value[:, 1:]):
            row[1:] = three(given if signal.value.shape[1] > 2 else given[0])
        struct.count, struct.table = len(rows), rows.ctypes.data
        return struct, rows
    struct.value[:], struct.to[:] = three(signal.value), three(signal.to)
    struct.over, struct.frequency, struct.phase = signal.over, signal.frequency, signal.phase
    return struct, None


def make_load(kind: str, target: int, value: Union[Signal, ArrayLike], dim: int) -> tuple[_abi.scree_sim_load, Any]:
    """The library's struct, and what it points to."""
    load = lib.scree_default_sim_load()
    load.kind, load.target = LOADS.index(kind), target
    if not isinstance(value, Signal):
        load.value.value[:] = _three(reals(value, "value"), dim, kind)
        return load, None
    load.value, rows = signal_struct(value, lambda given: _three(given, dim, kind))
    return load, rows


__all__ = ["LOADS", "Signal", "make_load", "ramp", "sine", "table"]
