"""Boundaries of any shape for simulations: exact shapes and meshes."""
from __future__ import annotations

import ctypes
import math
import os
import weakref
from typing import Any, Callable, Mapping, Optional, Sequence, cast

import numpy as np

from . import _abi
from ._arrays import real, reals
from ._library import ArgumentError, call, check, lib

SHAPES = {"plane": ("at", "normal"), "cylinder": ("at", "to", "axis", "radius", "inside"), "cone": ("at", "to", "radius", "inside"), "sphere": ("at", "radius", "inside"),
          "disc": ("at", "normal", "radius", "hole"), "box": ("lower", "upper", "inside")}
OTHERS = ("name", "material", "velocity", "spin", "about", "one_sided", "on_crossing")
MESH = ("mesh", "scale")


def _vector(values: Any, dim: int, name: str) -> list[float]:
    array = reals(values, name)
    if array.shape not in ((dim,), (3,)):
        raise ArgumentError(f"{name} has the shape {array.shape}; expected ({dim},), one number for each axis")
    return [*map(float, array), *[0.0] * (3 - len(array))]


def _exact(kind: str, given: Mapping[str, Any], dim: int, name: str) -> _abi.scree_exact:
    shape = lib.scree_default_exact()
    shape.kind = _abi.EXACT_KINDS.index(kind)
    for key in given:
        if key not in SHAPES[kind]:
            raise ArgumentError(f"{name}: a {kind} has no {key!r}: {', '.join(SHAPES[kind])} are possible")
    shape.at[:] = _vector(given.get("at", [0.0] * dim), dim, f"{name}.at")
    direction = given.get("normal", given.get("axis"))
    if direction is not None:
        shape.axis[:] = _vector(direction, dim, f"{name}.axis")
    if "to" in given:
        way = np.subtract(_vector(given["to"], dim, f"{name}.to"), shape.at[:])
        shape.axis[:], shape.length = way, float(math.sqrt(way @ way))
    elif kind in ("cylinder", "cone"):
        shape.length = math.inf
    if "radius" in given:
        radii = np.atleast_1d(reals(given["radius"], f"{name}.radius"))
        if radii.shape != ((2,) if kind == "cone" else (1,)):
            raise ArgumentError(f"{name}.radius has the shape {radii.shape}; expected {'two numbers, at both ends' if kind == 'cone' else 'one number'}")
        shape.radius[:len(radii)] = radii
    if "hole" in given:
        shape.radius[1] = real(given["hole"], f"{name}.hole")
    for end in ("lower", "upper"):
        if end in given:
            getattr(shape, end)[:] = _vector(given[end], dim, f"{name}.{end}")
    shape.inside = bool(given.get("inside", False))
    return cast(_abi.scree_exact, shape)


def _mesh(given: Mapping[str, Any], name: str) -> int:
    """A scree_surface of a file, or of an array (n, 3, 3) of corners."""
    definition, triangles, surface = lib.scree_default_surface_def(), _abi.scree_triangles(), ctypes.c_void_p()
    mesh, scale = given["mesh"], real(given.get("scale", 1.0), f"{name}.scale")
    owned = isinstance(mesh, (str, bytes, os.PathLike))
    if owned:
        call(lib.scree_read_triangles, os.fsencode(mesh), None, ctypes.byref(triangles))
    else:
        corners = reals(mesh, f"{name}.mesh")
        if corners.ndim != 3 or corners.shape[1:] != (3, 3):
            raise ArgumentError(f"{name}.mesh has the shape {corners.shape}; expected (n, 3, 3), three corners of each triangle")
        corners = np.array(corners)  # scaled in place
        triangles.count, triangles.xyz = len(corners), corners.ctypes.data
    try:
        if scale != 1.0:
            placement = lib.scree_default_placement()
            placement.scale = scale
            check(lib.scree_triangles_place(ctypes.byref(triangles), ctypes.byref(placement)))
        call(lib.scree_surface_create, ctypes.byref(definition), ctypes.byref(triangles), ctypes.byref(surface))
    finally:
        if owned:
            lib.scree_triangles_free(ctypes.byref(triangles))
    return surface.value or 0


class Surfaces:
    """The boundaries of a list of mappings, and all that they point to: it lives as long as the simulation."""

    def __init__(self, given: Sequence[Mapping[str, Any]], dim: int, material: Callable[[Any], int]) -> None:
        self.boundaries = (_abi.scree_sim_boundary * len(given))()
        self.exact: list[_abi.scree_exact] = []
        self.materials: list[int] = []
        for k, one in enumerate(given):
            name, boundary = f"surfaces[{k}]", lib.scree_default_sim_boundary()
            kinds = [key for key in one if key in SHAPES or key == "mesh"]
            if len(kinds) != 1:
                raise ArgumentError(f"{name} has {len(kinds)} shapes; expected one of {', '.join(SHAPES)} and mesh")
            if "merge_angle" in one:
                raise ArgumentError(f"{name}: there is no 'merge_angle': version 0.3 needs no angle, because meshes conserve energy at any edge; expected it left out")
            for key in one:
                if key not in (*kinds, *OTHERS, *(MESH if kinds[0] == "mesh" else ())):
                    raise ArgumentError(f"{name}: there is no {key!r} of a {kinds[0]}")
            if kinds[0] == "mesh":
                boundary.surface = _mesh(one, name)
                weakref.finalize(self, lib.scree_surface_destroy, boundary.surface)
            else:
                self.exact.append(_exact(kinds[0], one[kinds[0]], dim, f"{name}.{kinds[0]}"))
                boundary.exact = ctypes.pointer(self.exact[-1])
            boundary.material = material(one["material"]) if "material" in one else 0
            boundary.name = str(one["name"]).encode() if "name" in one else None
            boundary.one_sided = bool(one.get("one_sided", False))
            if one.get("on_crossing", "error") not in ("error", "remove"):
                raise ArgumentError(f"{name}.on_crossing is {one['on_crossing']!r}; expected error or remove")
            boundary.removes = one.get("on_crossing") == "remove"
            for key in ("velocity", "about"):
                if key in one:
                    getattr(boundary, key)[:] = _vector(one[key], dim, f"{name}.{key}")
            if "spin" in one:
                spin = reals(one["spin"], f"{name}.spin")
                boundary.spin[:] = [0.0, 0.0, float(spin)] if spin.ndim == 0 else _vector(spin, 3, f"{name}.spin")
            self.materials.append(boundary.material)
            self.boundaries[k] = boundary

    def put(self, definition: _abi.scree_sim_def) -> None:
        definition.boundaries, definition.boundary_count = self.boundaries, len(self.boundaries)


def surfaces_of(given: Optional[Sequence[Mapping[str, Any]]], dim: int, material: Callable[[Any], int]) -> Optional[Surfaces]:
    return Surfaces(list(given), dim, material) if given else None
