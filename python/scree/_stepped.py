"""What the simulations of spheres and of polygons have in common: going on step by step through the changes of a scene, checkpoints, and questions about the moment."""
from __future__ import annotations

import ctypes
import math
from typing import Any, Callable, ClassVar, NamedTuple, Optional, TypeVar

from . import _abi
from ._arrays import Box, real, whole
from ._library import ArgumentError, Held, ScreeError, Watch, call, check, lib, says_stop
from ._memory import Memory, memory_of
from ._spheres import PathLike, encode


Self = TypeVar("Self", bound="Stepped")


class Functions(NamedTuple):
    """The functions of the library for one kind of simulation."""
    step: Any
    time: Any
    run: Any
    box: Any
    hash: Any
    get_memory: Any
    get_boundaries: Any
    restore: Any


class Stepped(Held):
    __slots__ = ("_watch", "_changes", "_end", "_container")
    _does: ClassVar[Functions]
    _watch: Watch
    _changes: list[tuple[int, Any]]  # the step, and what comes there
    _end: Optional[int]
    _container: str

    def _at(self) -> int:
        """The simulation of the library."""
        return self._open()

    def _apply(self, change: Any) -> None:
        raise NotImplementedError

    def _hand_over(self) -> None:
        """Called before steps, and before the state is taken."""

    def _moved(self) -> None:
        """Called after steps."""

    def _restored(self) -> None:
        """Called when the state has been set."""

    def _save(self, saved: _abi.scree_checkpoint) -> int:
        raise NotImplementedError

    # -- going on --

    def advance(self: Self, steps: Optional[int] = None, *, time: Optional[float] = None, every: Optional[int] = None, every_time: Optional[float] = None,
                callback: Optional[Callable[[Self], Any]] = None) -> None:
        """Goes on by `steps`, or by a `time` to the first step at or after it; of a scene to its end if neither is given. `callback(self)` is called after each `every` steps, or at the first step at or after each multiple
        of `every_time`, and at the end; it may change the simulation, and if it returns False, the simulation stays there. Ctrl-C stops between two steps; exceptions are passed on; another call goes on.
        """
        if steps is not None and time is not None:
            raise TypeError("advance: expected a number of steps or a time, not both")
        if every is not None and every_time is not None:
            raise TypeError("advance: expected every, a number of steps, or every_time, a time, not both")
        first, begin = self.steps, self.time
        if steps is None and time is None:
            if self._end is None:
                raise TypeError("advance: expected a number of steps or a time; only the simulation of a scene has an end of its own")
            steps = max(0, self._end - first)
        left = 0 if steps is None else whole(steps, "steps", 0, 2 ** 62)
        end = None if time is None else begin + _length(time, "time", 0.0)
        stride = None if every is None else whole(every, "every", 1, 2 ** 62)
        pace = None if every_time is None else _length(every_time, "every_time")
        if end is None and pace is None:  # steps alone, which costs less
            while left > 0:
                part = left if callback is None or stride is None else min(stride, left)
                self._go(part)
                left -= part
                if callback is not None and says_stop(callback(self)):
                    return
            return
        goal, k = None if steps is None else first + left, 0
        while not self._is_there(goal, end):
            k += 1
            dense = pace is not None and pace <= self._length_of_step()  # at every step
            if pace is not None and not dense:
                k = max(k, math.floor((self.time - begin) / pace))
                while self._is_there(None, begin + k * pace):  # steps that were longer
                    k += 1
            stops = [] if goal is None else [goal], [] if end is None else [end]
            if callback is not None and stride is not None:
                stops[0].append(first + k * stride)
            if callback is not None and dense:
                stops[0].append(self.steps + 1)
            elif callback is not None and pace is not None:
                stops[1].append(begin + k * pace)
            self._reach(min(stops[0], default=None), min(stops[1], default=None))
            if callback is not None and says_stop(callback(self)):
                return

    def step(self, steps: int = 1) -> None:
        """Goes on by one step, or some: the short form of `advance(steps)`."""
        self.advance(steps)

    def _length_of_step(self) -> float:
        """Of the next step."""
        raise NotImplementedError

    def _missing(self, step: Optional[int], time: Optional[float]) -> int:
        """Steps of the present length to a step, or to the first one at or after a time, whichever comes first."""
        missing = [] if step is None else [step - self.steps]
        if time is not None:
            length = self._length_of_step()
            steps = (time - self.time) / length
            if not steps < 2 ** 62:
                raise ArgumentError(f"advance: a time of {time - self.time:g} has {steps:g} steps of {length:g}; expected fewer than 4e18")
            missing.append(math.ceil(steps - 1e-9 * max(1.0, abs(time) / length)))  # as the library's runs have it: what rounding has lost is forgiven
        return min(missing)

    def _is_there(self, step: Optional[int], time: Optional[float]) -> bool:
        return self._missing(step, time) <= 0

    def _reach(self, step: Optional[int], time: Optional[float]) -> None:
        """Goes to a step, or to the first one at or after a time."""
        self._go(0)  # a change that is due now may set the length of steps
        while not self._is_there(step, time):
            missing = self._missing(step, time)
            if time is not None and self._changes:
                missing = min(missing, max(1, self._changes[0][0] - self.steps))
            self._go(missing)

    def _go(self, steps: int) -> None:
        with self._turn():
            sim = self._at()
            self._hand_over()
            end = self._does.step(sim) + steps
            while True:
                now = self._does.step(sim)
                while self._changes and self._changes[0][0] <= now:
                    self._apply(self._changes[0][1])
                    del self._changes[0]
                if now >= end:
                    return
                part = min(end, self._changes[0][0]) - now if self._changes else end - now
                try:
                    check(self._watch.guard(self._does.run, sim, part))
                finally:
                    self._moved()

    # -- checkpoints --

    def save(self, path: PathLike) -> None:
        """A checkpoint (.npz) from which `load` goes on, bit for bit."""
        saved = _abi.scree_checkpoint()
        try:
            with self._turn():
                self._hand_over()
                call(self._save, saved)
            call(lib.scree_write_checkpoint, encode(path), ctypes.byref(saved))
        finally:
            lib.scree_checkpoint_free(ctypes.byref(saved))

    def load(self, path: PathLike) -> None:
        """Goes to a checkpoint of a simulation with the same parameters and the same spheres or bodies."""
        saved = _abi.scree_checkpoint()
        call(lib.scree_read_checkpoint, encode(path), ctypes.byref(saved))
        try:
            with self._turn():
                call(self._does.restore, ctypes.byref(saved), self._at())
                self._restored()
        finally:
            lib.scree_checkpoint_free(ctypes.byref(saved))

    # -- looking on --

    def _ask(self, function: Any) -> Any:
        with self._turn():
            return function(self._at())

    @property
    def steps(self) -> int:
        """Steps done so far."""
        return int(self._ask(self._does.step))

    @property
    def time(self) -> float:
        """Time of the simulation."""
        return float(self._ask(self._does.time))

    @property
    def end(self) -> Optional[int]:
        """The last step of the scene; None if there is no scene."""
        return self._end

    @property
    def box(self) -> Box:
        """With the walls where they are now."""
        return Box._of(self._ask(self._does.box))

    @property
    def hash(self) -> str:
        """16 hex digits over the step, all positions, angles, velocities and spins and what contacts remember, as `scree run` prints them."""
        return f"{self._ask(self._does.hash):016x}"

    def _get_memory(self, dim: int) -> Memory:
        found = _abi.scree_sim_memory()
        check(self._watch.guard(self._does.get_memory, self._at(), ctypes.byref(found)))
        return memory_of(found, dim)

    def _get_boundaries(self) -> Any:
        """Rows of scree_sim_boundary_report."""
        with self._turn():
            count = self._does.get_boundaries(self._at(), None, 0)
            found = (_abi.scree_sim_boundary_report * max(count, 0))()
            if count < 0 or self._does.get_boundaries(self._at(), found, count) < 0:
                raise ScreeError(lib.scree_error_message().decode("utf-8", "replace"))
        return found


def _length(value: Any, name: str, least: float = math.ulp(0.0)) -> float:
    time = real(value, name)
    if not least <= time < math.inf:
        raise ArgumentError(f"{name} is {time:g}; expected a time {'of 0 or more' if least == 0.0 else 'above 0'}")
    return time
