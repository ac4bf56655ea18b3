"""Triangle meshes that spheres can touch: `Mesh` (docs/surface.md)."""
from __future__ import annotations

import ctypes
import dataclasses
import os
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, frozen, real, reals, take, vector
from ._library import ArgumentError, Held, OutOfMemoryError, call, check, lib
from ._records import Record
from ._spheres import PathLike, encode


@dataclass(frozen=True, eq=False, repr=False)
class MeshReport(Record):
    """What a mesh is like; include/scree/surface.h explains each number."""
    _shown = ("triangles", "closed", "area", "volume")
    triangles: int
    edges: int
    vertices: int
    corners: int
    welded: int
    weld_distance: float
    degenerate: int
    duplicate: int
    open_edges: int
    crowded_edges: int
    turned_edges: int
    closed: bool
    oriented: bool
    area: float
    volume: float          # nan if it is not closed or not oriented
    shortest_edge: float
    longest_edge: float
    lower: Array
    upper: Array
    bytes: int
    one_sided: bool
    split: int             # vertices at which edges were split
    pinched: int
    cracks: int
    overlaps: int
    split_distance: float  # largest distance of these vertices from the edges


@dataclass(frozen=True, eq=False, repr=False)
class Closest(Record):
    """The nearest points of a mesh, a row for each query."""
    feature: Array   # (n,) int32: the triangle, edge or vertex
    front: Array     # (n,) bool: whether the query is on the front
    point: Array     # (n, 3)
    normal: Array    # (n, 3), from the point to the query
    distance: Array  # (n,)


@dataclass(frozen=True, eq=False, repr=False)
class MeshContacts(Record):
    """The contacts of a sphere with a mesh, and behind them the links between them, a row for each. The force on the sphere is the sum of scale * F(r - distance) * normal."""
    feature: Array    # (n,) int32: of a contact its triangle; of a link the edge, vertex or triangle with the nearest point
    nearest: Array    # (n,) int32: the triangle, edge or vertex with the nearest point
    component: Array  # (n,) int32: the connected part of the touched surface, from 0 on
    front: Array      # (n,) bool: whether the centre is on the front
    point: Array      # (n, 3)
    normal: Array     # (n, 3), from the point to the centre
    distance: Array   # (n,)
    scale: Array      # (n,): factor of the elastic force, 1 for a contact, usually -1 for a link
    load: Array       # (n,): of a contact the part of its overlap with which friction and dashpots act; of a link 0


class Mesh(Held):
    """A mesh of triangles: a file (STL), or corners (n, 3, 3). It never changes. `surfaces` of a Simulation take a file or corners: `dict(mesh=mesh.corners)`.

    `weld`: vertices nearer than this part of the shortest edge become one.

    >>> tetrahedron = Mesh([[[0, 0, 0], [0, 1, 0], [1, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 1]], [[0, 0, 0], [0, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]])
    >>> tetrahedron.report.closed, round(tetrahedron.report.volume, 6), tetrahedron.winding([[0.1, 0.1, 0.1], [1, 1, 1]]).tolist()
    (True, 0.166667, [1, 0])
    >>> tetrahedron.closest([[0.25, 0.25, -2]]).distance.tolist()
    [2.0]
    """
    __slots__ = ()

    def __init__(self, mesh: Union[PathLike, ArrayLike], *, weld: float = 1e-6, one_sided: bool = False, threads: int = 0, **gone: Any) -> None:
        for key in gone:
            if key == "merge_angle":
                raise ArgumentError("Mesh: there is no 'merge_angle': version 0.3 needs no angle, because meshes conserve energy at any edge; expected it left out")
            raise TypeError(f"Mesh() got an unexpected keyword argument {key!r}")
        definition, triangles, handle = lib.scree_default_surface_def(), _abi.scree_triangles(), ctypes.c_void_p()
        definition.weld, definition.one_sided, definition.threads = real(weld, "weld"), bool(one_sided), threads
        owned = isinstance(mesh, (str, bytes, os.PathLike))
        if owned:
            call(lib.scree_read_triangles, encode(mesh), None, ctypes.byref(triangles))
        else:
            corners = _corners(mesh)
            triangles.count, triangles.xyz = len(corners), corners.ctypes.data
        try:
            call(lib.scree_surface_create, ctypes.byref(definition), ctypes.byref(triangles), ctypes.byref(handle))
        finally:
            if owned:
                lib.scree_triangles_free(ctypes.byref(triangles))
        super().__init__(handle.value, lib.scree_surface_destroy)

    @property
    def report(self) -> MeshReport:
        """What reading and welding found: counts, faults, bounds (MeshReport)."""
        found = lib.scree_surface_get_report(self._open())
        return MeshReport(**{name: np.array(getattr(found, name)[:]) if name in ("lower", "upper") else getattr(found, name) for name, _ in found._fields_})

    @property
    def vertices(self) -> Array:
        """(n, 3), after welding."""
        arrays = lib.scree_surface_get_arrays(self._open())
        return frozen(take(arrays.vertex, (arrays.vertices, 3), np.float64))

    @property
    def triangles(self) -> Array:
        """Vertices of each triangle, (n, 3) int32; degenerate and repeated ones are left out."""
        arrays = lib.scree_surface_get_arrays(self._open())
        return frozen(take(arrays.triangle, (arrays.triangles, 3), np.int32))

    @property
    def normals(self) -> Array:
        """Of the triangles, towards their fronts, (n, 3)."""
        arrays = lib.scree_surface_get_arrays(self._open())
        return frozen(take(arrays.normal, (arrays.triangles, 3), np.float64))

    @property
    def corners(self) -> Array:
        """Corners of the triangles, (n, 3, 3)."""
        return frozen(np.asarray(self.vertices[self.triangles]))

    def closest(self, x: ArrayLike) -> Closest:
        """The nearest point of the mesh to each of the points (n, 3)."""
        points = _points(x)
        found = (_abi.scree_surface_contact * max(1, len(points)))()
        for k, point in enumerate(points):
            check(lib.scree_surface_closest(self._open(), point.ctypes.data, ctypes.byref(found[k])))
        return _closest(found, len(points))

    def winding(self, x: ArrayLike) -> Array:
        """How often the mesh goes around each of the points (n, 3): 0 outside, 1 inside of a mesh with its front outwards. An ArgumentError if it is not closed."""
        points, number = _points(x), ctypes.c_int32()
        out = np.empty(len(points), np.int32)
        for k, point in enumerate(points):
            check(lib.scree_surface_winding(self._open(), point.ctypes.data, ctypes.byref(number)))
            out[k] = number.value
        return out

    def contacts(self, x: ArrayLike, r: float) -> MeshContacts:
        """The contacts of a sphere at x (3,) with the mesh, as a simulation has them (docs/surface.md), and the links between them."""
        point, radius = vector(x, 3, "x"), real(r, "r")
        room = lib.scree_surface_near(self._open(), point.ctypes.data, radius, None, 0)
        near = np.empty(max(1, room), np.int32)
        count = lib.scree_surface_near(self._open(), point.ctypes.data, radius, near.ctypes.data, room)
        found = (_abi.scree_surface_contact * max(1, 2 * count))()
        number = lib.scree_surface_contacts(self._open(), point.ctypes.data, radius, count, near.ctypes.data, found, 2 * count)
        if number < 0:
            raise OutOfMemoryError(f"no memory for the contacts of a sphere with {count} triangles")
        return MeshContacts(**_columns(found, number))

    def write(self, path: PathLike) -> None:
        """As STL."""
        corners = np.ascontiguousarray(self.corners)
        call(lib.scree_write_triangles, encode(path), None, ctypes.byref(_abi.scree_triangles(len(corners), corners.ctypes.data)))

    def __len__(self) -> int:
        return int(self.report.triangles)

    def __repr__(self) -> str:
        return f"<scree.Mesh: {len(self)} triangles{', closed' if self.report.closed else ''}>" if self._handle else "<scree.Mesh, closed>"


def _corners(given: Any) -> Array:
    corners = reals(given, "mesh")
    if corners.ndim != 3 or corners.shape[1:] != (3, 3):
        raise ArgumentError(f"mesh has the shape {corners.shape}; expected (n, 3, 3), three corners of each triangle")
    return corners


def _columns(found: Any, count: int) -> dict[str, Array]:
    layout: Any = np.dtype(_abi.scree_surface_contact)
    rows = np.frombuffer(bytes(found), layout)[:count]
    return {name: rows[name].astype(bool) if name == "front" else rows[name].copy() for name in rows.dtype.names}


def _closest(found: Any, count: int) -> Closest:
    columns = _columns(found, count)
    return Closest(**{field.name: columns[field.name] for field in dataclasses.fields(Closest)})


def _points(x: ArrayLike) -> Array:
    points = reals(x, "x")
    if points.ndim != 2 or points.shape[1] != 3:
        raise ArgumentError(f"x has the shape {points.shape}; expected (n, 3)")
    return points
