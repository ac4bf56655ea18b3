"""What spheres in motion, with contacts and forces, are like: `fields`, `network`, `mixing`, `repose` (docs/measure.md)."""
from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, BoxLike, PeriodicLike, choice, plain, real, reals, spheres, take, unmasked, whole
from ._library import ArgumentError, Watch, call, check, lib
from ._records import Record
from ._bonds import Bonds
from ._sim import Contacts
from ._spheres import PathLike, Spheres, arrays_of, contact_arrays, encode

ContactsLike = Union[Contacts, Mapping[str, Array]]
BondsGiven = Union[Bonds, ArrayLike]


@dataclass(frozen=True, eq=False, repr=False)
class Fields(Record):
    """Coarse-grained fields on a grid that fills the box. Arrays have the shape `cells`; vectors an axis more, tensors two."""
    _shown = ("cells", "width")
    cells: tuple[int, ...]
    lower: Array           # (dim,): lower corner of the grid
    size: Array            # (dim,): sides of a cell
    width: float                # of the kernel
    density: Array         # mass per volume
    fraction: Array        # volume of spheres per volume
    momentum: Array
    velocity: Array        # momentum / density; 0 where there is none
    temperature: Array     # granular: a velocity squared
    kinetic_stress: Array  # positive under pressure, as all stresses here
    contact_stress: Array  # 0 without contacts or forces

    def centres(self, axis: int) -> Array:
        """Middles of the cells along an axis."""
        return np.asarray(self.lower[axis] + (np.arange(self.cells[axis]) + 0.5) * self.size[axis])

    def write(self, path: PathLike) -> None:
        """By extension: .vti (ParaView) or .csv, a row for each cell."""
        struct, _kept = self._struct()
        call(lib.scree_write_fields, encode(path), None, ctypes.byref(struct))

    def _struct(self) -> tuple[_abi.scree_fields, dict[str, Array]]:
        """A scree_fields, and the arrays that it borrows."""
        dim = len(self.cells)
        cells = (*self.cells, 1)[:3]

        def flat(values: Array) -> Array:  # x changes fastest, vectors have 3 components, tensors 9
            more = values.ndim - dim
            out = np.zeros((*cells, *(3,) * more))
            out[(*(slice(None),) * dim, *((0,) if dim == 2 else ()), *(slice(dim),) * more)] = values
            return np.ascontiguousarray(out.transpose(2, 1, 0, *range(3, 3 + more)))
        arrays = {name: flat(getattr(self, name)) for name in ("density", "fraction", "momentum", "velocity", "temperature", "kinetic_stress", "contact_stress")}
        struct = _abi.scree_fields(dim=dim, width=self.width, count=int(np.prod(cells)), **{name: array.ctypes.data for name, array in arrays.items()})
        struct.cells[:], struct.lower[:dim], struct.size[:dim] = cells, self.lower.tolist(), self.size.tolist()
        return struct, arrays


@dataclass(frozen=True, eq=False, repr=False)
class Network(Record):
    """The contact network; include/scree/analysis.h explains each number."""
    _shown = ("n", "contacts", "coordination", "rattlers", "fabric_anisotropy", "clusters", "cluster_max")
    n: int
    contacts: int               # between spheres
    wall_contacts: int
    coordination: float
    contacts_min: int           # that hold a sphere
    rattlers: int               # spheres with fewer, removed repeatedly
    rattler: Array         # (n,) bool
    backbone_coordination: float  # without rattlers
    no_contact: int             # spheres with no contact and with one, counting walls
    one_contact: int
    mechanical_coordination: float  # contacts, with walls too, per sphere that has two or more
    fabric: Array          # (dim, dim), trace 1
    fabric_values: Array   # (dim,): eigenvalues, the largest first
    fabric_anisotropy: float    # 0: isotropic, 1: all contacts are parallel
    force_fabric: Array    # the same, each contact by the magnitude of its force
    force_fabric_values: Array
    force_fabric_anisotropy: float
    force_mean: float           # normal; NaN where forces are not known
    force_max: float
    force_edges: Array     # (bins + 1,), over the mean: P(f)
    force_number: Array    # (bins,)
    force_probability: Array  # (bins,)
    force_outside: int          # contacts outside of the range
    clusters: int
    cluster_max: int        # spheres in the largest cluster
    cluster: Array         # (n,): that of each sphere
    cluster_size: Array    # (clusters,)
    cluster_axes: Array    # (clusters, dim) bool: along which axes it percolates


@dataclass(frozen=True, eq=False, repr=False)
class Mixing(Record):
    """Indices of mixing: 0 if segregated, 1 on average in a random mixture of any sizes; NaN with fewer than two groups."""
    lacey: float                # by mass
    neighbours: float
    variance: float             # S, and of a segregated and a random mixture
    variance_segregated: float
    variance_random: float
    occupied: int               # cells that are not empty
    cells: tuple[int, ...]
    gap: float
    pairs: int
    unlike: int
    unlike_expected: float      # share of the pairs that is of different groups in a random mixture


@dataclass(frozen=True, eq=False, repr=False)
class Repose(Record):
    """The angle of repose, from a fit of the free surface."""
    angle: float                # degrees, as `error`, the standard error of the fit
    error: float
    points: int
    slope: tuple[float, float]
    height: float
    axis: tuple[float, float]
    residual: float


class _Snapshot:
    """A scree_snapshot and the arrays that it borrows."""

    def __init__(self, x: Any, r: Any, box: Any, periodic: Any, v: Any = None, mass: Any = None, group: Any = None, contacts: Optional[ContactsLike] = None,
                 threads: int = 0, progress: Any = None, bonds: Optional[BondsGiven] = None) -> None:
        columns: Mapping[str, Any] = dict(x.columns) if isinstance(x, Spheres) else {}
        container = x.container if isinstance(x, Spheres) and box is None else "box"
        self.x, self.r, box = arrays_of(x, r, box, periodic)
        if box is None:
            raise ArgumentError("a box is needed, closed on every axis: Box.around(x, r) is the smallest with walls")
        n, self.dim = self.x.shape
        v = columns.get("velocity") if v is None else v
        group = columns.get("group") if group is None else group
        self.watch, self.struct = Watch(progress), lib.scree_default_snapshot()
        self.kept: list[Any] = []
        self.struct.box, self.struct.watch, self.struct.threads = box._struct(), self.watch.struct, whole(threads, "threads", 0)
        self.struct.container, self.struct.spheres = choice(container, _abi.CONTAINERS, "container"), spheres(self.x, self.r)
        if v is not None:
            self.struct.v = self._keep(self._rows(v, n, "v"))
        if mass is not None:
            self.struct.mass = self._keep(plain(np.broadcast_to(reals(mass, "mass"), (n,)), np.float64))
        if group is not None:
            self.struct.group = self._keep(plain(np.broadcast_to(unmasked(group, "group"), (n,)), np.int32))
        if contacts is not None:
            self.struct.contacts = ctypes.pointer(self._contacts(contacts))
        if bonds is not None:
            self.struct.bonds = ctypes.pointer(self._bonds(bonds))

    def _keep(self, array: Array) -> int:
        self.kept.append(array)
        return array.ctypes.data

    def _rows(self, values: Any, n: int, name: str) -> Array:
        array = reals(values, name)
        if array.ndim != 2 or array.shape[0] != n or array.shape[1] < self.dim:
            raise ArgumentError(f"{name} has the shape {array.shape}; expected ({n}, {self.dim}), a row for each sphere")
        return plain(array[:, :self.dim], np.float64)

    def _contacts(self, given: ContactsLike) -> _abi.scree_sim_contacts:
        named = contact_arrays(given)
        count = len(named["ij"])
        made = _abi.scree_sim_contacts(count=count, ij=self._keep(plain(np.reshape(named["ij"], (count, 2)), np.int64)))
        for name, dtype in (("shift", np.int8), ("normal", np.float64), ("force", np.float64)):
            if name in named:
                vectors = np.zeros((count, 3), dtype)
                vectors[:, :np.shape(named[name])[1]] = named[name]
                setattr(made, name, self._keep(vectors))
        if "overlap" in named:
            made.overlap = self._keep(plain(np.reshape(named["overlap"], (count,)), np.float64))
        self.kept.append(made)
        return made

    def _bonds(self, given: BondsGiven) -> _abi.scree_sim_bonds:
        pairs = given.ij if isinstance(given, Bonds) else unmasked(given, "bonds")
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
            raise ArgumentError(f"bonds has the shape {pairs.shape} and type {pairs.dtype}; expected the bonds of a simulation, or whole numbers of the shape (n, 2)")
        made = _abi.scree_sim_bonds(count=len(pairs), ij=self._keep(plain(pairs, np.int64)))
        if isinstance(given, Bonds):
            shift = np.zeros((len(pairs), 3), np.int8)
            shift[:, :given.shift.shape[1]] = given.shift
            made.shift, made.broken_at, made.cause = self._keep(shift), self._keep(plain(given.broken_at, np.int64)), self._keep(plain(given.cause, np.uint8))
        self.kept.append(made)
        return made

    def call(self, function: Any, definition: Any, found: Any) -> Any:
        check(self.watch.guard(function, ctypes.byref(self.struct), ctypes.byref(definition), ctypes.byref(found)))
        return found


def fields(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, cells: Sequence[int],
           v: Optional[ArrayLike] = None, mass: Optional[ArrayLike] = None, contacts: Optional[ContactsLike] = None, kernel: str = "gauss",
           width: Optional[float] = None, threads: int = 0, progress: Optional[Callable[[float], Any]] = None) -> Fields:
    """Coarse-grained density, velocity, temperature and stress on a grid of `cells`; 1 along an axis: the average across it.

    `v` (n, dim): velocities (default: the column of a frame, or at rest). `mass`: of each sphere, or of all (default: their volumes). `contacts`: from
    `Simulation.contacts` with its x, or from `read_contacts` with its frame. `width`: standard deviation of "gauss" or radius of "heaviside".

    >>> f = fields([[1.0, 1.0]], 0.5, box=(2, 2), cells=(1, 4), mass=3.0)
    >>> float(f.density.sum() * f.size.prod()), f.density.shape
    (3.0, (1, 4))
    """
    now = _Snapshot(x, r, box, periodic, v, mass, None, contacts, threads, progress)
    if len(cells) != now.dim:
        raise ArgumentError(f"cells has {len(cells)} numbers; expected {now.dim}, one for each axis")
    definition, found = lib.scree_default_fields_def(), _abi.scree_fields()
    definition.cells[:now.dim] = [whole(n, "cells") for n in cells]
    definition.kernel = choice(kernel, _abi.KERNELS, "kernel")
    if width is not None:
        definition.width = real(width, "width")
    now.call(lib.scree_measure_fields, definition, found)
    try:
        return _fields(found, now.dim)
    finally:
        lib.scree_fields_free(ctypes.byref(found))


def average_fields(some: Iterable[Fields]) -> Fields:
    """The average over time of fields of several frames with the same cells; velocity is the mean momentum over the mean density, and the kinetic stress is about that velocity (docs/measure.md).

    >>> f = average_fields(fields([[1.0, y]], 0.5, box=(2, 2), cells=(1, 2), mass=3.0, width=0.1) for y in (0.5, 1.5))
    >>> f.density.round(9).tolist()
    [[0.75, 0.75]]
    """
    found, count, dim = _abi.scree_fields(), 0, 0
    try:
        for one in some:
            if not isinstance(one, Fields):
                raise ArgumentError(f"average_fields: {one!r:.60} is no Fields; expected what scree.fields returns")
            struct, _kept = one._struct()
            check(lib.scree_fields_average(ctypes.byref(found), count, ctypes.byref(struct)))
            count, dim = count + 1, len(one.cells)
        if count == 0:
            raise ArgumentError("average_fields: there are no fields; expected one or more")
        return _fields(found, dim)
    finally:
        lib.scree_fields_free(ctypes.byref(found))


def _fields(f: _abi.scree_fields, dim: int) -> Fields:
    def array(pointer: Any, *more: int) -> Array:
        values = take(pointer, (f.cells[2], f.cells[1], f.cells[0], *more), np.float64)  # x changes fastest
        values = values.transpose(2, 1, 0, *range(3, 3 + len(more)))
        values = values if dim == 3 else values[:, :, 0]
        first: Any = (..., *(slice(dim) for _ in more))
        return np.ascontiguousarray(values[first])
    return Fields(tuple(f.cells[:dim]), np.array(f.lower[:dim]), np.array(f.size[:dim]), f.width, array(f.density), array(f.fraction), array(f.momentum, 3),
                  array(f.velocity, 3), array(f.temperature), array(f.kinetic_stress, 3, 3), array(f.contact_stress, 3, 3))


def network(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, contacts: ContactsLike,
            force_bins: int = 50, force_range: Optional[Sequence[float]] = None, least_contacts: Optional[int] = None, clusters: str = "contacts",
            bonds: Optional[BondsGiven] = None) -> Network:
    """Fabric, force distribution, rattlers and clusters of contacts from `Simulation.contacts` or `read_contacts`.

    `force_range`: ends of the distribution, over the mean force (default: 0, or the least if that is below 0, to the largest).
    `least_contacts`: that hold a sphere (default: 2 for contacts of a simulation with friction, else dim + 1); rattlers have fewer.
    `clusters`: connected by "contacts" or by "bonds"; `bonds`: those of a simulation, or pairs (n, 2) of intact ones.

    >>> x = [[1, 1], [1.9, 1], [1.45, 1.7]]
    >>> network(x, 0.5, (3, 3), contacts=find_contacts(x, 0.5, (3, 3))).clusters
    1
    """
    now = _Snapshot(x, r, box, periodic, contacts=contacts, bonds=bonds)
    definition, found = lib.scree_default_network_def(), _abi.scree_network()
    definition.force_bins, definition.clusters = whole(force_bins, "force_bins"), choice(clusters, _abi.CLUSTERS, "clusters")
    if least_contacts is None and isinstance(contacts, Contacts) and contacts.friction:
        least_contacts = 2
    definition.least_contacts = 0 if least_contacts is None else whole(least_contacts, "least_contacts", 1)
    if force_range is not None:
        definition.force_from, definition.force_to = (real(end, "force_range") for end in force_range)
    now.call(lib.scree_measure_network, definition, found)
    try:
        return _network(found, now.dim)
    finally:
        lib.scree_network_free(ctypes.byref(found))


def _network(k: _abi.scree_network, dim: int) -> Network:
    tensors = [np.array([list(row) for row in fabric.tensor])[:dim, :dim] for fabric in (k.fabric, k.force_fabric)]
    axes = take(k.cluster_axes, (k.clusters,), np.uint8)
    return Network(
        n=k.n, contacts=k.contacts, wall_contacts=k.wall_contacts, coordination=k.coordination, contacts_min=k.contacts_min, rattlers=k.rattlers,
        rattler=take(k.rattler, (k.n,), np.uint8).astype(bool), backbone_coordination=k.backbone_coordination, no_contact=k.no_contact,
        one_contact=k.one_contact, mechanical_coordination=k.mechanical_coordination, fabric=tensors[0],
        fabric_values=np.array(k.fabric.values[:dim]), fabric_anisotropy=k.fabric.anisotropy, force_fabric=tensors[1],
        force_fabric_values=np.array(k.force_fabric.values[:dim]), force_fabric_anisotropy=k.force_fabric.anisotropy, force_mean=k.force_mean,
        force_max=k.force_max, force_edges=take(k.edge, (k.bins + 1 if k.bins else 0,), np.float64), force_number=take(k.number, (k.bins,), np.int64),
        force_probability=take(k.probability, (k.bins,), np.float64), force_outside=k.outside, clusters=k.clusters, cluster_max=k.cluster_max, cluster=take(k.cluster, (k.n,), np.int32),
        cluster_size=take(k.cluster_size, (k.clusters,), np.int32), cluster_axes=(axes[:, None] >> np.arange(dim) & 1).astype(bool))


@dataclass(frozen=True, eq=False, repr=False)
class Fragments(Record):
    """Into what bonded spheres have broken: spheres that are connected by intact bonds."""
    _shown = ("fragments", "fragment_max", "fragment_share_max", "bonds", "bonds_broken_tension", "bonds_broken_shear")
    bonded: int                 # spheres that have or had a bond
    fragments: int              # of them; a sphere whose bonds are all broken is one
    fragment_max: int           # spheres in the largest one
    fragment_share_max: float   # mass of the heaviest one over that of all bonded spheres
    fragment: Array        # (n,): that of each sphere; -1: it never had a bond
    size: Array            # (fragments,): spheres
    mass: Array            # (fragments,)
    bonds: int                  # intact
    bonds_broken: int           # and by cause
    bonds_broken_tension: int
    bonds_broken_shear: int


def fragments(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, bonds: BondsGiven,
              mass: Optional[ArrayLike] = None) -> Fragments:
    """The fragments of spheres with these bonds: those of a simulation, or pairs (n, 2) of intact ones.

    >>> fragments([[1, 1], [2, 1], [3, 1], [1, 3]], 0.5, (4, 4), bonds=[[0, 1], [1, 2]]).size.tolist()
    [3]
    """
    now, found = _Snapshot(x, r, box, periodic, mass=mass, bonds=bonds), _abi.scree_fragments()
    check(lib.scree_measure_fragments(ctypes.byref(now.struct), ctypes.byref(found)))
    try:
        return Fragments(found.bonded, found.fragments, found.fragment_max, found.fragment_share_max, take(found.fragment, (found.n,), np.int32),
                         take(found.size, (found.fragments,), np.int32), take(found.mass, (found.fragments,), np.float64), found.bonds, found.bonds_broken,
                         found.bonds_broken_tension, found.bonds_broken_shear)
    finally:
        lib.scree_fragments_free(ctypes.byref(found))


def mixing(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *,
           group: Optional[ArrayLike] = None, mass: Optional[ArrayLike] = None, cells: Optional[Sequence[int]] = None, gap: Optional[float] = None, threads: int = 0) -> Mixing:
    """How well groups (whole numbers from 0; default: the column of a frame) are mixed: the Lacey index over `cells`, by `mass` (default: their volumes), and pairs nearer than `gap`.

    >>> mixing([[1, 1], [2, 1], [3, 1], [4, 1]], 0.5, (5, 2), group=[0, 0, 1, 1]).pairs
    3
    """
    now = _Snapshot(x, r, box, periodic, group=group, mass=mass, threads=threads)
    definition, found = lib.scree_default_mixing_def(), _abi.scree_mixing()
    if cells is not None:
        definition.cells[:len(cells)] = [whole(n, "cells") for n in cells]
    if gap is not None:
        definition.gap = real(gap, "gap")
    now.call(lib.scree_measure_mixing, definition, found)
    return Mixing(found.lacey, found.neighbours, found.variance, found.variance_segregated, found.variance_random, found.occupied, tuple(found.cells[:now.dim]),
                  found.gap, found.pairs, found.unlike, found.unlike_expected)


def repose(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, surface: str = "slope",
           up: int = -1, column: Optional[float] = None, low: Optional[float] = None, high: Optional[float] = None,
           region: Optional[tuple[ArrayLike, ArrayLike]] = None) -> Repose:
    """The angle of repose of a "slope" or a "heap" in degrees; `up` is the number of the axis against gravity (default: the last one).

    Points of the surface are used between the fractions `low` and `high` of the height (default: slope 0 and 1, heap 0.1 and 0.9), and of a heap none of single grains on the ground. `region`: only
    spheres whose centres are between these two corners count.

    >>> heap = pack("mono:1", 300, "drop", periodic="xy")
    >>> abs(repose(heap).angle) < 30
    True
    """
    now = _Snapshot(x, r, box, periodic)
    definition, found = lib.scree_default_repose_def(), _abi.scree_repose()
    definition.surface, definition.up = choice(surface, _abi.SURFACES, "surface"), whole(up, "up")
    for name, value in (("column", column), ("low", low), ("high", high)):
        if value is not None:
            setattr(definition, name, real(value, name))
    if region is not None:
        corners = [reals(corner, "region") for corner in region]
        if [corner.shape for corner in corners] != [(now.dim,)] * 2:
            raise ArgumentError(f"region has the shapes {[corner.shape for corner in corners]}; expected two corners with {now.dim} coordinates, the lower and the upper one")
        definition.lower[:now.dim], definition.upper[:now.dim] = corners[0].tolist(), corners[1].tolist()
    now.call(lib.scree_measure_repose, definition, found)
    return Repose(math.degrees(found.angle), math.degrees(found.error), found.points, (found.slope[0], found.slope[1]), found.height, (found.axis[0], found.axis[1]), found.residual)


@dataclass(frozen=True, eq=False, repr=False)
class FoundContacts(Record):
    """Contacts of spheres that were not simulated, as `Contacts` has them; there are no forces."""
    ij: Array       # (n, 2) int64; j below 0 is a wall
    shift: Array    # (n, dim) int8
    overlap: Array  # (n,): below 0 where there is a gap
    normal: Array   # (n, dim), from j to i, length 1
    pair_count: int  # between spheres; those with walls are behind

    def __len__(self) -> int:
        return len(self.ij)


def find_contacts(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, gap: float = 0.0,
                  threads: int = 0) -> FoundContacts:
    """Pairs of spheres, and of spheres and walls, whose surfaces are nearer than `gap`, for `network` and others where there was no simulation.

    >>> found = find_contacts([[0.4, 1.0], [1.3, 1.0]], 0.5, box=(2, 2))
    >>> found.ij.tolist(), found.overlap.round(6).tolist()
    ([[0, 1], [0, -1]], [0.1, 0.1])
    """
    now, found = _Snapshot(x, r, box, periodic, threads=threads), _abi.scree_contact_table()
    check(now.watch.guard(lib.scree_find_contacts, ctypes.byref(now.struct), real(gap, "gap"), ctypes.byref(found)))
    try:
        c, dim = found.contacts, now.dim
        shift = take(c.shift, (c.count, 3), np.int8) if c.shift else np.zeros((c.count, 3), np.int8)
        return FoundContacts(take(c.ij, (c.count, 2), np.int64), shift[:, :dim], take(c.overlap, (c.count,), np.float64), take(c.normal, (c.count, 3), np.float64)[:, :dim], c.pair_count)
    finally:
        lib.scree_contact_table_free(ctypes.byref(found))


@dataclass(frozen=True, eq=False, repr=False)
class WallStress(Record):
    """What spheres do to one wall."""
    contacts: int
    force: Array      # (dim,), of the spheres on the wall
    area: float       # of the face or round wall, a length in 2D; nan: not known for this boundary
    stress: Array     # force / area
    pressure: float   # the component of the stress out of the box; of a round wall the mean of the normal forces per area


def wall_stress(wall: int, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *,
                contacts: ContactsLike) -> WallStress:
    """Force, stress and pressure on boundary number `wall`: 0 to 5 are lower x, upper x, lower y and so on, 6 is the round wall of a container, and surfaces follow as in
    `Simulation.boundaries`.

    >>> sim = Simulation([[1.0, 0.49]], 0.5, box=(2, 2), stiffness=100.0)
    >>> wall_stress(2, sim.x, 0.5, (2, 2), contacts=sim.contacts()).force
    array([ 0., -1.])
    """
    now, found = _Snapshot(x, r, box, periodic, contacts=contacts), _abi.scree_wall_stress()
    check(lib.scree_measure_wall_stress(ctypes.byref(now.struct), whole(wall, "wall"), ctypes.byref(found)))
    return WallStress(found.contacts, np.array(found.force[:now.dim]), found.area, np.array(found.stress[:now.dim]), found.pressure)


@dataclass(frozen=True, eq=False, repr=False)
class Group(Record):
    """Sums over the spheres of one group."""
    group: int
    count: int
    mass: float
    centre: Array            # of mass; nan without mass
    momentum: Array
    energy_kinetic: float    # of translation
    energy_rotation: float
    energy_gravity: float    # 0 at the origin
    temperature: float       # mean of |v - mean velocity|^2 / dim, by mass


def groups(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, group: Optional[ArrayLike] = None,
           v: Optional[ArrayLike] = None, spin: Optional[ArrayLike] = None, mass: Optional[ArrayLike] = None, gravity: Optional[ArrayLike] = None) -> list[Group]:
    """Mass, centre, momentum and energies of each group, by number. Groups, velocities and spins are, unless given, the columns of a frame.

    >>> [(g.count, g.momentum.tolist()) for g in groups([[0, 0], [1, 0], [2, 0]], 0.1, box=(3, 3), group=[0, 1, 1], v=[[1, 0], [0, 2], [0, 2]], mass=1.0)]
    [(1, [1.0, 0.0]), (2, [0.0, 4.0])]
    """
    now, found = _Snapshot(x, r, box, periodic, v=v, mass=mass, group=group), _abi.scree_group_table()
    n, dim = now.x.shape
    spin = next((x[name] for name in ("spin", "spin_z", "omega") if name in x), None) if spin is None and isinstance(x, Spheres) else spin
    if spin is not None:
        given = reals(spin, "spin")
        if given.shape != ((n,) if dim == 2 else (n, 3)):
            raise ArgumentError(f"spin has the shape {given.shape}; expected {(n,) if dim == 2 else (n, 3)}")
        now.struct.spin = now._keep(given)
    if gravity is not None:
        for k, part in enumerate(reals(gravity, "gravity").tolist()):
            now.struct.gravity[k] = part
    check(lib.scree_measure_groups(ctypes.byref(now.struct), ctypes.byref(found)))
    try:
        vectors = ("centre", "momentum")
        return [Group(**{name: np.array(getattr(one, name)[:dim]) if name in vectors else getattr(one, name) for name, _ in one._fields_}) for one in found.groups[:found.count]]
    finally:
        lib.scree_group_table_free(ctypes.byref(found))


@dataclass(frozen=True, eq=False, repr=False)
class Flow(Record):
    """What crossed a plane between two frames."""
    forward: int   # crossings in the direction of the axis
    backward: int  # and against it
    mass: float    # that went forward less what went backward


def flow(before: Spheres, after: Spheres, axis: int, at: float, *, mass: Optional[ArrayLike] = None) -> Flow:
    """What crossed the plane where axis number `axis` has the value `at`, between two frames of the same spheres: by their centres. On a periodic axis the shorter way is taken.

    >>> a, b = Spheres([[0.4, 0.5], [0.6, 0.5]], 0.1, (1, 1)), Spheres([[0.6, 0.5], [0.7, 0.5]], 0.1, (1, 1))
    >>> flow(a, b, 0, 0.5, mass=2.0)
    Flow(forward=1, backward=0, mass=2)
    """
    first, second, found = _Snapshot(before, None, None, None, mass=mass), _Snapshot(after, None, None, None, mass=mass), _abi.scree_flow()
    check(lib.scree_measure_flow(ctypes.byref(first.struct), ctypes.byref(second.struct), whole(axis, "axis"), real(at, "at"), ctypes.byref(found)))
    return Flow(found.forward, found.backward, found.mass)


def contact_points(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, contacts: ContactsLike) -> Array:
    """Where contacts act, (n, dim): in the middle of the overlap of two spheres, and on the surface of walls. `contacts`: from `Simulation.contacts` with its x, `read_contacts` with its frame, or `find_contacts`.

    >>> x = [[1, 1], [1.75, 1]]
    >>> contact_points(x, 0.5, (3, 3), contacts=find_contacts(x, 0.5, (3, 3))).tolist()
    [[1.375, 1.0]]
    """
    now = _Snapshot(x, r, box, periodic, contacts=contacts)
    points = np.empty((now.struct.contacts.contents.count, now.dim))
    check(lib.scree_contact_points(ctypes.byref(now.struct), points.ctypes.data))
    return points


@dataclass(frozen=True, eq=False, repr=False)
class Displacement(Record):
    """How far spheres have moved since the first of some frames: a row for each frame, averages over the spheres that are in all frames so far."""
    _shown = ("msd", "count")
    count: Array         # (frames,): these spheres
    msd: Array           # (frames,): mean square displacement
    square: Array        # (frames, dim): its parts
    mean: Array          # (frames, dim): mean displacement
    group_count: Array   # (frames, groups)
    group_msd: Array     # (frames, groups)
    group_square: Array  # (frames, groups, dim)
    group_mean: Array    # (frames, groups, dim)
    rows: Array          # (n,): the spheres that are in all frames, by their rows in the first one,
    moved: Array         # (n, dim): and their displacements at the last one


def _groups(given: Any, n: int) -> Array:
    array = np.asarray(given)
    if array.dtype.kind not in "biu" or array.shape not in ((), (n,)) or (array.size and not 0 <= int(array.min()) <= int(array.max()) < 2 ** 16):
        raise ArgumentError(f"group is of {array.dtype} and the shape {array.shape}; expected whole numbers from 0 to 65535, one for each of {n} spheres")
    return plain(np.broadcast_to(array, (n,)), np.int32)


def displacement(frames: Iterable[Spheres], *, group: Optional[ArrayLike] = None) -> Displacement:
    """Displacements and mean square displacement since the first frame, across periodic faces, by the shorter way from each frame to the next (docs/measure.md).

    In a periodic cell that changes, the affine motion is left out. Spheres are the same by the column `id`, or else by their rows. `group` (n,): of the spheres of the first frame (default: its column).

    >>> d = displacement([Spheres([[x % 1, 0.5]], 0.1, (1, 1), periodic=True) for x in (0.5, 0.9, 1.3, 1.7)])
    >>> d.msd.round(12).tolist(), d.moved.round(12).tolist()
    ([0.0, 0.16, 0.64, 1.44], [[1.2, 0.0]])
    """
    found = _abi.scree_displacement_table()
    tables: list[list[tuple[Any, ...]]] = []
    groups, last, rows, names, moved, labels = 0, None, np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 0)), np.empty(0, np.int32)
    for frame in frames:
        if not isinstance(frame, Spheres):
            raise ArgumentError(f"displacement: a frame is {frame!r:.60}; expected Spheres, as scree.read gives them")
        numbers = np.asarray(frame["id"]) if "id" in frame else np.arange(len(frame))
        at = np.arange(len(frame))
        if len(np.unique(numbers)) < len(numbers):
            raise ArgumentError("displacement: two spheres of a frame have the same id; expected different ones")
        if last is not None and ("id" in frame) != ("id" in last):
            raise ArgumentError("displacement: some frames have the column id and others do not; expected it in all or in none")
        if last is None:
            given: Any = frame["group"] if group is None and "group" in frame else 0 if group is None else unmasked(group, "group")
            rows, names, moved, labels, before = at, numbers, np.zeros(frame.x.shape), _groups(given, len(frame)), at
            groups = int(labels.max(initial=-1)) + 1
            last = frame
        else:
            if "id" not in frame and len(frame) != len(names):
                raise ArgumentError(f"displacement: frames have {len(names)} and {len(frame)} spheres and no column id; expected the same spheres")
            order = np.argsort(numbers, kind="stable")
            place = np.minimum(np.searchsorted(numbers, names, sorter=order), max(0, len(frame) - 1))
            both = numbers[order[place]] == names if len(frame) else np.zeros(len(names), bool)
            rows, names, moved, labels, before, at = rows[both], names[both], np.ascontiguousarray(moved[both]), np.ascontiguousarray(labels[both]), before[both], order[place[both]] if len(frame) else at
        first, second = (_Snapshot(one.x[some], one.r[some], one.box, None, group=labels) for one, some in ((last, before), (frame, at)))
        check(lib.scree_measure_displacement(ctypes.byref(first.struct), ctypes.byref(second.struct), moved.ctypes.data, ctypes.byref(found)))
        try:
            dim = frame.x.shape[1]
            ones = [found.all, *found.groups[:found.count]]
            ones += [_abi.scree_displacement()] * (groups + 1 - len(ones))
            tables.append([(one.count, one.msd, list(one.square[:dim]), list(one.mean[:dim])) for one in ones])
        finally:
            lib.scree_displacement_table_free(ctypes.byref(found))
        last, before = frame, at
    if last is None:
        raise ArgumentError("displacement: there are no frames; expected one or more")
    count, msd, square, mean = (np.array([[one[k] for one in row] for row in tables]) for k in range(4))
    return Displacement(count[:, 0], msd[:, 0], square[:, 0], mean[:, 0], count[:, 1:], msd[:, 1:], square[:, 1:], mean[:, 1:], rows, moved)
