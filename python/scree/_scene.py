"""Scenes: what `run`, `Simulation.from_scene` and `PolygonSimulation.from_scene` simulate, from a file or from a text."""
from __future__ import annotations

import ctypes
import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

import numpy as np

from . import _abi
from ._arrays import Array, seed_of, whole
from ._library import ArgumentError, FormatError, call, check, lib
from ._records import Record, Strict
from ._scene_text import flow, plain_value, scene_dict, scene_text, with_paths
from ._spheres import PathLike, encode

if TYPE_CHECKING:
    from ._sim import Result


@dataclass(frozen=True, eq=False, repr=False)
class SceneGroup(Record):
    """An entry of `spheres` of a scene."""
    name: Optional[str]
    file: Optional[str]   # of spheres; None: they are made
    sizes: Optional[str]  # size distribution; None: from a file
    count: int            # 0: the number in the file, or as many as the density requires
    density: float        # volume fraction of the box or of its region; 0: not given
    material: int         # number of the entry of `materials`; -1: by the column of the file
    fixed: bool


@dataclass(frozen=True, eq=False, repr=False)
class SceneKey(Record):
    """A key that scene files know (docs/scene.md)."""
    path: str      # "contact.stiffness"
    kind: str      # "number", "whole number", "word", ...
    unit: str
    standard: str  # what counts if the key is not there
    range: str
    meaning: str


def _setting(key: str, value: Any) -> bytes:
    """A setting as the program has it after --set; a text is YAML already, and None takes the key away."""
    return f"{key}={'' if value is None else value if isinstance(value, str) else flow(plain_value(value, key))}".encode()


class Scene(Strict):
    """A scene (docs/scene.md), read from a file, or made of a dict with the same keys; `Scene.from_text` reads a text. Errors name line, column, key, value and what was expected; of a dict the path of the key.

    `to_dict()` and `str(scene)` have all keys, defaults included. Values of a dict may be NumPy's numbers and arrays; None: the key is not given. Names of files in a dict count from the current folder.

    `set` gives keys other values than the file does, None takes a key away: `Scene("silo.yaml", set={"contact.friction": 0.4, "spheres.2.count": 100})`.

    `run`, `estimate`, `plan` and `from_scene` accept it instead of the name of a file, any number of times.

    >>> scene = Scene.from_text('''
    ... dimension: 2
    ... box: {size: [4, 4]}
    ... gravity: [0, -10]
    ... spheres: {count: 10, sizes: mono:0.2, place: random}
    ... contact: {stiffness: 1e4, restitution: 0.5}
    ... time: {steps: 100}
    ... ''')
    >>> scene.dim, scene.steps, scene.groups[0].count
    (2, 100, 10)
    >>> changed = {**scene.to_dict(), "gravity": np.array([1.0, -10])}
    >>> Scene(changed).gravity()
    array([  1., -10.])
    """
    __slots__ = ("_handle", "_facts", "_name", "_source", "_settings", "__weakref__")
    _source: Optional[str]  # the text that it was made of; None: the file of its name
    _settings: list[bytes]

    def __init__(self, path: Union[PathLike, Mapping[str, Any]], set: Optional[Mapping[str, Any]] = None) -> None:
        if isinstance(path, Mapping):
            if set is not None:
                raise ArgumentError("set: expected with the name of a file; a dict can have the values itself")
            text, paths = scene_text(path)
            try:
                self._parse(text, "scene")
            except FormatError as error:
                raise FormatError(with_paths(str(error), "scene", paths)) from None
            return
        self._handle, self._name, self._source = ctypes.c_void_p(), os.fsdecode(path), None
        self._settings = [_setting(key, value) for key, value in (set or {}).items()]
        call(lib.scree_read_scene_with, encode(path), len(self._settings), (ctypes.c_char_p * len(self._settings))(*self._settings), ctypes.byref(self._handle))
        self._look()

    def _parse(self, text: str, name: str) -> None:
        data = text.encode()
        self._handle, self._name, self._source, self._settings = ctypes.c_void_p(), name, text, []
        check(lib.scree_scene_parse(name.encode(), data, len(data), ctypes.byref(self._handle)))
        self._look()

    @classmethod
    def from_text(cls, text: str, name: str = "scene") -> "Scene":
        """As if `text` were the file `name`; relative names of files count from the current folder, or from that of `name`."""
        scene = cls.__new__(cls)
        scene._parse(text, name)
        return scene

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Scene":
        """The same as `Scene(values)`."""
        return cls(values)

    def to_dict(self) -> dict[str, Any]:
        """All keys that mean something in this scene, defaults included, as dicts, lists, numbers and texts; names of files are absolute."""
        return scene_dict(str(self))

    def __str__(self) -> str:
        """The scene as YAML, as `write` has it, with absolute names of files."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.yaml")
            self.write(path)
            with open(path, encoding="utf-8") as file:
                return file.read()

    def _look(self) -> None:
        self._facts = _abi.scree_scene_facts()
        check(lib.scree_scene_get_facts(self._handle, ctypes.byref(self._facts)))

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            lib.scree_scene_destroy(handle)

    def __reduce__(self) -> Any:
        return Scene.from_text, (str(self), self._name)

    def write(self, path: PathLike) -> None:
        """Writes all keys that mean something in this scene, defaults included."""
        call(lib.scree_write_scene, encode(path), self._handle)

    @staticmethod
    def keys() -> list[SceneKey]:
        """All keys that scene files know, in the order in which they are written."""
        count = ctypes.c_int32()
        rows = lib.scree_scene_keys(ctypes.byref(count))
        return [SceneKey(*(getattr(rows[k], name).decode() for name in ("path", "kind", "unit", "standard", "range", "meaning"))) for k in range(count.value)]

    @property
    def dim(self) -> int:
        """Dimension, 2 or 3."""
        return int(self._facts.dim)

    @property
    def seed(self) -> int:
        """Seed of the random numbers; can be set."""
        return int(self._facts.seed)

    @seed.setter
    def seed(self, seed: int) -> None:
        check(lib.scree_scene_set_seed(self._handle, seed_of(seed)))
        self._look()

    @property
    def steps(self) -> Optional[int]:
        """How many; None: the scene has an end in time."""
        return int(self._facts.steps) if self._facts.steps >= 0 else None

    @property
    def end(self) -> Optional[float]:
        """The time at which it ends; None: the scene has a number of steps."""
        return float(self._facts.end) if self._facts.steps < 0 else None

    @property
    def friction(self) -> bool:
        """Whether contacts of some pair of materials have friction, at the start or by a change: then two contacts hold a sphere (`least_contacts` of `network`)."""
        return bool(self._facts.friction)

    @property
    def has_bodies(self) -> bool:
        """Whether it has polygons or discs of the plane: then `PolygonSimulation.from_scene` is for it."""
        return bool(self._facts.bodies > 0)

    @property
    def groups(self) -> list[SceneGroup]:
        """The entries of `spheres`; of a single map one."""
        found, out = _abi.scree_scene_group_facts(), []
        for n in range(self._facts.groups):
            check(lib.scree_scene_get_group(self._handle, n, ctypes.byref(found)))
            words = {name: value if value is None else value.decode("utf-8", "replace") for name, value in ((name, getattr(found, name)) for name in ("name", "file", "sizes"))}
            out.append(SceneGroup(**words, count=found.count, density=found.density, material=found.material, fixed=found.fixed))
        return out

    def gravity(self, time: float = 0.0) -> Array:
        """Gravity at that time. UnsupportedError: it rotates."""
        found = (ctypes.c_double * 3)()
        check(lib.scree_scene_get_gravity(self._handle, time, ctypes.addressof(found)))
        return np.array(found[:self.dim])

    def run(self, folder: PathLike, **how: Any) -> "Result":
        """Simulates it, with everything in a folder: `scree.run(scene, folder, ...)`, which has the other arguments."""
        from ._sim import run  # which imports this module
        return run(self, folder, **how)

    def _changes(self) -> list[_abi.scree_scene_change_facts]:
        found = [_abi.scree_scene_change_facts() for _ in range(self._facts.changes)]
        for k, one in enumerate(found):
            check(lib.scree_scene_get_change(self._handle, k, ctypes.byref(one)))
        return found

    def _refuse_all_but_spheres(self) -> None:
        """A simulation in memory has the same spheres from its start to its end."""
        if self._facts.bodies > 0:
            raise ArgumentError(f"{self._name}: a scene with bodies, and a Simulation has spheres only; PolygonSimulation.from_scene simulates it in memory, and scree.run in a folder")
        if self._facts.inserts > 0 or self._facts.outlets > 0:
            raise ArgumentError(f"{self._name}: a scene in which spheres come and go; scree.run runs it, and Simulation.insert and remove do the same step by step")
        if self._facts.start_run:
            raise ArgumentError(f"{self._name}: this scene begins from another run; scree.run runs it")
        if any(change.sets_contacts for change in self._changes()):
            raise ArgumentError(f"{self._name}: its changes set contacts, which a simulation in memory does not follow; scree.run does, and Simulation.set_contacts for simulations that are not from a scene")

    def __repr__(self) -> str:
        what = f"{self._facts.bodies} entries of bodies" if self._facts.bodies else f"{self._facts.groups} group{'s' if self._facts.groups != 1 else ''} of spheres"
        return f"<scree.Scene {self._name}: {self.dim}D, {what}>"


SceneLike = Union[PathLike, Mapping[str, Any], Scene]


def scene_of(given: SceneLike, seed: Optional[int] = None, threads: int = 0) -> Scene:
    """A scene for one call: read, made of a dict, or one of the caller's, with the seed and threads of this call."""
    scene = given if isinstance(given, Scene) else Scene(given)
    if seed is not None and isinstance(given, Scene):
        raise ArgumentError("seed: a Scene has its own; set scene.seed")
    if seed is not None:
        scene.seed = seed
    check(lib.scree_scene_set_threads(scene._handle, whole(threads, "threads", 0)))
    return scene


class Setup:
    """The def of a simulation of a scene and of these spheres; to be kept as long as the simulation."""
    __slots__ = ("handle", "definition")

    def __init__(self, scene: Scene, spheres: Any) -> None:
        self.handle = ctypes.c_void_p()
        check(lib.scree_scene_setup_create(scene._handle, ctypes.byref(spheres), ctypes.byref(self.handle)))
        self.definition = _abi.scree_sim_def.from_buffer_copy(lib.scree_scene_setup_get_def(self.handle).contents)

    def __del__(self) -> None:
        lib.scree_scene_setup_destroy(self.handle)
