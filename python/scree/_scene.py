"""Scenes, as the library reads them, for the modules that simulate them."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Optional

from . import _abi
from ._arrays import seed_of, whole
from ._library import ArgumentError, check, lib
from ._spheres import PathLike, encode


class Scene:
    """A scene file that was read, and what it says; the library's memory goes with it."""
    __slots__ = ("handle", "facts", "name")

    def __init__(self, path: PathLike, seed: Optional[int] = None, threads: int = 0) -> None:
        self.handle, self.facts, self.name = ctypes.c_void_p(), _abi.scree_scene_facts(), os.fspath(path)
        check(lib.scree_scene_read(encode(path), ctypes.byref(self.handle)))
        if seed is not None:
            check(lib.scree_scene_set_seed(self.handle, seed_of(seed)))
        check(lib.scree_scene_set_threads(self.handle, whole(threads, "threads", 0)))
        check(lib.scree_scene_get_facts(self.handle, ctypes.byref(self.facts)))

    def changes(self) -> list[_abi.scree_scene_change_facts]:
        found = [_abi.scree_scene_change_facts() for _ in range(self.facts.changes)]
        for k, one in enumerate(found):
            check(lib.scree_scene_get_change(self.handle, k, ctypes.byref(one)))
        return found

    def refuse_all_but_spheres(self) -> None:
        """A simulation in memory has the same spheres from its start to its end."""
        if self.facts.bodies > 0:
            raise ArgumentError(f"{self.name}: a scene with bodies, and a Simulation has spheres only; PolygonSimulation.from_scene simulates it in memory, and scree.run in a folder")
        if self.facts.inserts > 0 or self.facts.outlets > 0:
            raise ArgumentError(f"{self.name}: a scene in which spheres come and go; scree.run runs it, and Simulation.insert and remove do the same step by step")
        if self.facts.start_run:
            raise ArgumentError(f"{self.name}: this scene begins from another run; scree.run runs it")
        if any(change.sets_contacts for change in self.changes()):
            raise ArgumentError(f"{self.name}: its changes set contacts, which a simulation in memory does not follow; scree.run does, and Simulation.set_contacts for simulations that are not from a scene")

    def __del__(self) -> None:
        lib.scree_scene_destroy(self.handle)


class Setup:
    """The def of a simulation of a scene and of these spheres; to be kept as long as the simulation."""
    __slots__ = ("handle", "definition")

    def __init__(self, scene: Scene, spheres: Any) -> None:
        self.handle = ctypes.c_void_p()
        check(lib.scree_scene_setup_create(scene.handle, ctypes.byref(spheres), ctypes.byref(self.handle)))
        self.definition = _abi.scree_sim_def.from_buffer_copy(lib.scree_scene_setup_get_def(self.handle).contents)

    def __del__(self) -> None:
        lib.scree_scene_setup_destroy(self.handle)
