"""Hard spheres, from collision to collision: `HardSpheres` (include/scree/event.h)."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, Box, BoxLike, PeriodicLike, choice, frozen, matching, radii, real, spheres, whole
from ._library import ArgumentError, Held, Watch, call, call_with, check, lib
from ._records import Record
from ._spheres import Spheres, arrays_of


@dataclass(frozen=True, eq=False, repr=False)
class HardStats(Record):
    """`span`, collisions and what is computed from them are since the start or since `reset_stats`; all other values are current."""
    _shown = ("n", "time", "collisions", "reduced_pressure")
    n: int
    time: float
    scale: float
    density: float
    energy: float             # kinetic
    temperature: float        # 2 energy / (dim n)
    momentum: Array
    span: float               # time that was measured
    collisions: int           # between spheres
    wall_collisions: int
    collision_rate: float     # of a sphere; nan if the span is 0, as the next two
    mean_free_time: float
    reduced_pressure: float   # p V / (n T)
    predictions: int
    tests: int
    refreshes: int
    rebuilds: int
    entries: int
    skin: float


@dataclass(frozen=True, eq=False, repr=False)
class Collision(Record):
    """A collision of sphere i with sphere j, or with a wall: then j is -1, and `axis` and `side` (0 lower, 1 upper) identify the wall."""
    time: float
    i: int
    j: int
    axis: int
    side: int


class HardSpheres(Held):
    """Event-driven simulation of hard spheres, which move freely between collisions; of constant size, or all growing at one `rate`.

    x, r, v: centres, radii and velocities; or Spheres with a column "velocity" instead of x. The box is closed: walls or periodic. No two spheres may overlap. `scale`: initial factor of the radii.
    `mass`: of each sphere; default: proportional to r**dim. `restitution`: coefficient of restitution of all collisions.

    >>> gas = HardSpheres([[1, 1, 1], [3, 1, 1]], 0.5, [[1, 0, 0], [-1, 0, 0]], box=(4, 2, 2))
    >>> gas.advance(time=1.0)
    >>> gas.v.tolist(), gas.stats.collisions
    ([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 1)
    """
    __slots__ = ("_watch", "_box", "_r")

    def __init__(self, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *,
                 scale: float = 1.0, rate: float = 0.0, restitution: float = 1.0, mass: Optional[ArrayLike] = None, method: str = "hierarchical-grid", threads: int = 0,
                 progress: Optional[Callable[[float], Any]] = None) -> None:
        if isinstance(x, Spheres) and v is None and "velocity" in x:
            v = x["velocity"]
        at, size, where = arrays_of(x, r, box, periodic)
        if where is None or v is None:
            raise ArgumentError("HardSpheres: expected velocities v, and a box that is closed on every axis")
        velocity, definition, handle = matching(v, at, "v"), lib.scree_default_event_def(), ctypes.c_void_p()
        self._watch, self._box, self._r = Watch(progress), where, np.array(size)
        definition.box, definition.watch = where._struct(), self._watch.struct
        definition.scale, definition.rate, definition.restitution = real(scale, "scale"), real(rate, "rate"), real(restitution, "restitution")
        definition.method, definition.threads = choice(method, _abi.METHODS, "method"), whole(threads, "threads", 0)
        masses = None if mass is None else radii(mass, len(at), "mass")
        definition.mass = None if masses is None else masses.ctypes.data
        call_with(len(size), lib.scree_event_create, ctypes.byref(definition), spheres(at, size), velocity.ctypes.data, ctypes.byref(handle))
        super().__init__(handle.value, lib.scree_event_destroy)

    def advance(self, *, time: Optional[float] = None, collisions: Optional[int] = None, scale: Optional[float] = None) -> None:
        """Goes on by a time, by a number of collisions between spheres, or to a scale of the radii, whichever comes first. Ctrl-C stops it, and another call goes on."""
        if time is None and collisions is None and scale is None:
            raise TypeError("advance: expected a time, a number of collisions or a scale")
        span = 0.0 if time is None else real(time, "time")
        if not 0.0 <= span < np.inf:
            raise ArgumentError(f"time is {span:g}; expected 0 or more")
        self.run(np.inf if time is None else self.time + span, collisions=collisions, scale=np.inf if scale is None else scale)

    def run(self, time: float = np.inf, *, collisions: Optional[int] = None, scale: float = np.inf) -> None:
        """As `advance`, but `time` is that of its clock."""
        until = lib.scree_default_event_until()
        until.time, until.scale = real(time, "time"), real(scale, "scale")
        if collisions is not None:
            until.collisions = whole(collisions, "collisions", 0, 2 ** 62)
        if not np.isfinite(until.time) and not np.isfinite(until.scale) and collisions is None:
            raise TypeError("run: expected a time, a number of collisions or a scale")
        with self._turn():
            check(self._watch.guard(lib.scree_event_run, self._open(), ctypes.byref(until)))

    def next(self, time: float = np.inf) -> Optional[Collision]:
        """Runs up to and with the next collision, of either kind; None if there is none before `time`."""
        found = _abi.scree_event_hit()
        with self._turn():
            check(self._watch.guard(lib.scree_event_next, self._open(), real(time, "time"), ctypes.byref(found)))
        return Collision(found.time, found.i, found.j, found.axis, found.side) if found.i >= 0 else None

    def set_temperature(self, temperature: float) -> None:
        """Multiplies all velocities so that the temperature becomes this one."""
        with self._turn():
            check(lib.scree_event_set_temperature(self._open(), real(temperature, "temperature")))

    def set_rate(self, rate: float) -> None:
        """Growth of `scale` per time from now on."""
        with self._turn():
            check(lib.scree_event_set_rate(self._open(), real(rate, "rate")))

    def reset_stats(self) -> None:
        """Begins a new span of `stats`."""
        with self._turn():
            lib.scree_event_reset_stats(self._open())

    def is_jammed(self, pressure: float = 0.0) -> bool:
        """Whether the spheres are jammed (include/scree/event.h): growth is switched off, and the spheres continue at constant size for a while."""
        found = _abi.scree_event_rest()
        with self._turn():
            check(self._watch.guard(lib.scree_event_is_jammed, self._open(), real(pressure, "pressure"), ctypes.byref(found)))
        return bool(found.jammed)

    @property
    def stats(self) -> HardStats:
        """Collisions, energy, reduced pressure and so on up to now (HardStats)."""
        with self._turn():
            found = lib.scree_event_get_stats(self._open())
        values: dict[str, Any] = {name: getattr(found, name) for name, _ in found._fields_}
        values["momentum"] = np.array(found.momentum[:self._box.dim])
        return HardStats(**values)

    @property
    def time(self) -> float:
        """Time of the simulation."""
        return self.stats.time

    def _get(self) -> tuple[Array, Array]:
        x, v = np.empty((len(self._r), self._box.dim)), np.empty((len(self._r), self._box.dim))
        with self._turn():
            lib.scree_event_get_state(self._open(), x.ctypes.data, v.ctypes.data)
        return x, v

    @property
    def x(self) -> Array:
        """Centres at this time, a read-only copy."""
        return frozen(self._get()[0])

    @property
    def v(self) -> Array:
        """Velocities, a read-only copy."""
        return frozen(self._get()[1])

    @property
    def r(self) -> Array:
        """Radii as they have grown, a read-only copy."""
        return frozen(np.asarray(self._r * self.stats.scale))

    @property
    def box(self) -> Box:
        """The box, which does not change."""
        return self._box

    @property
    def spheres(self) -> Spheres:
        """As they are now, with velocities."""
        x, v = self._get()
        return Spheres(x, self._r * self.stats.scale, self._box, velocity=v)

    def validate(self) -> None:
        """Checks everything, slowly."""
        with self._turn():
            call(lib.scree_event_validate, self._open())

    def __len__(self) -> int:
        return len(self._r)

    def __repr__(self) -> str:
        return f"<scree.HardSpheres: {len(self)} in {self._box.dim}D, time {self.time:.6g}>" if self._handle else "<scree.HardSpheres, closed>"
