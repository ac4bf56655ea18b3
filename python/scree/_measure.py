"""What a set of spheres is like: `measure`, `bond_order`, `structure_factor`, `voxels`, `porosity`, `average`."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, BoxLike, PeriodicLike, choice, frozen, plain, real, reals, spheres, take, whole
from ._library import ArgumentError, Watch, call, check, lib
from ._records import Record
from ._spheres import PathLike, Spheres, arrays_of, encode


@dataclass(frozen=True, eq=False, repr=False)
class PairDistribution(Record):
    """g(r) of the centres: 1 for random points, in any box."""
    edges: Array  # bins + 1
    pairs: Array  # unordered, in each bin
    ideal: Array  # what it would be for points
    g: Array

    @property
    def r(self) -> Array:
        """Middles of the bins."""
        return frozen(np.asarray(0.5 * (self.edges[1:] + self.edges[:-1])))


@dataclass(frozen=True, eq=False, repr=False)
class SizeCurve(Record):
    """Shares of the spheres with a diameter up to d, by number and by mass."""
    d: Array
    by_number: Array
    by_mass: Array


@dataclass(frozen=True, eq=False, repr=False)
class NearestGaps(Record):
    """For each sphere the gap to the nearest surface, and a histogram of these."""
    gap: Array
    min: float
    median: float
    max: float
    edges: Array
    number: Array
    beyond: int


@dataclass(frozen=True, eq=False, repr=False)
class Measures(Record):
    """What `measure` found; include/scree/measure.h explains each number."""
    _shown = ("n", "dim", "density", "coordination", "contacts", "rattlers", "max_overlap", "diameter_min", "diameter_max", "gap")
    n: int
    dim: int
    diameter_min: float
    diameter_mean: float
    diameter_max: float
    density: float              # of the whole box; overlaps count twice
    density_inner: float        # `margin` away from walls
    density_corrected: float    # overlaps once, to first order
    margin: float
    gap: float                  # neighbours are nearer than this
    contacts: int               # pairs that overlap; each touching image is one
    pairs: int                  # pairs nearer than `gap`
    coordination: float         # neighbours per sphere
    partners: Array        # (n,) int64
    wall_contacts: int
    contacts_min: int           # neighbours and walls that hold a sphere
    rattlers: int               # spheres with fewer, removed repeatedly
    rattler: Array         # (n,) bool
    backbone_coordination: float  # without rattlers
    no_contact: int             # spheres without a neighbour or wall, and with one
    one_contact: int
    mechanical_coordination: float  # neighbours and walls per sphere that has two or more
    max_overlap: float          # a length
    max_overlap_pair: tuple[int, int]   # the two spheres; (-1, -1) without contacts
    max_overlap_shift: tuple[int, ...]  # periodic image of the second of them, per axis
    mean_overlap: float
    max_overlap_relative: float  # over the smaller radius, as in simulations
    mean_overlap_relative: float
    overlap_share: float        # volume of the overlaps to that of the box
    g_r: PairDistribution
    size_curve: SizeCurve
    nearest_gaps: NearestGaps


def _definition(name: str, x: Any, r: Any, box: Any, periodic: Any, threads: int, progress: Any) -> tuple[Any, Array, Array, Watch]:
    """A scree_measure_def with its box and watch, and the spheres in that box."""
    container = x.container if isinstance(x, Spheres) and box is None else "box"
    x, r, box = arrays_of(x, r, box, periodic)
    if box is None:
        raise ArgumentError(f"{name} needs a box, closed on every axis: Box.around(x, r) is the smallest with walls")
    definition, watch = lib.scree_default_measure_def(), Watch(progress)
    definition.box, definition.watch, definition.threads = box._lattice(), watch.struct, whole(threads, "threads", 0)
    definition.container = choice(container, _abi.CONTAINERS, "container")
    return definition, box.turned(x), r, watch


def measure(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *,
            gap: Optional[float] = None, margin: Optional[float] = None, r_max: Optional[float] = None, r_bins: int = 250,
            nearest_max: Optional[float] = None, nearest_bins: int = 100, size_rows: int = 50, method: str = "auto", threads: int = 0,
            container: Optional[str] = None, least_contacts: Optional[int] = None, progress: Optional[Callable[[float], Any]] = None) -> Measures:
    """Density, contacts, g(r), size curve and nearest gaps of spheres in a closed box (docs/measure.md).

    `gap`: neighbours are nearer than this (default: 1e-3 mean diameters). Bins or rows of 0 leave a part out. `container`: "cylinder" or "sphere" that the
    box bounds (default: that of the file or Packing, else "box"); rattlers, wall contacts and densities refer to it, g(r) to
    the box. `least_contacts`: neighbours and walls that hold a sphere, 2 with friction (default: dim + 1, as without friction); rattlers have fewer.

    >>> m = measure([[0.5, 0.5], [1.5, 0.5]], 0.5, box=(2, 1), periodic=True)
    >>> round(m.density, 6), m.coordination
    (0.785398, 4.0)
    """
    definition, x, r, watch = _definition("measure", x, r, box, periodic, threads, progress)
    if container is not None:
        definition.container = choice(container, _abi.CONTAINERS, "container")
    for name, value in (("gap", gap), ("margin", margin), ("r_max", r_max), ("nearest_max", nearest_max)):
        if value is not None:
            setattr(definition, name, real(value, name))
    definition.r_bins, definition.nearest_bins = whole(r_bins, "r_bins"), whole(nearest_bins, "nearest_bins")
    definition.least_contacts = 0 if least_contacts is None else whole(least_contacts, "least_contacts", 1)
    definition.size_rows = whole(size_rows, "size_rows")
    definition.method, found = choice(method, _abi.METHODS, "method"), _abi.scree_measures()
    check(watch.guard(lib.scree_measure, ctypes.byref(definition), spheres(x, r), ctypes.byref(found)))
    try:
        return _measures(found)
    finally:
        lib.scree_measures_free(ctypes.byref(found))


def _measures(m: _abi.scree_measures) -> Measures:
    k, g, sizes, near = m.contacts, m.g_r, m.size_curve, m.nearest_gaps
    edges = (g.bins + 1,) if g.bins else (0,)
    near_edges = (near.bins + 1,) if near.bins else (0,)
    return Measures(
        n=m.n, dim=m.dim, diameter_min=m.diameter_min, diameter_mean=m.diameter_mean, diameter_max=m.diameter_max, density=m.density.whole, density_inner=m.density.inner,
        density_corrected=m.density_corrected, margin=m.density.margin, gap=k.gap, contacts=k.contacts, pairs=k.pairs,
        coordination=k.coordination, partners=take(k.partners, (k.n,), np.int64), wall_contacts=k.wall_contacts, contacts_min=k.contacts_min, rattlers=k.rattlers,
        rattler=take(k.rattler, (k.n,), np.uint8).astype(bool), backbone_coordination=k.backbone_coordination,
        no_contact=k.no_contact, one_contact=k.one_contact, mechanical_coordination=k.mechanical_coordination,
        max_overlap=k.max_overlap, max_overlap_pair=(k.max_i, k.max_j), max_overlap_shift=tuple(k.max_shift[:m.dim]), mean_overlap=k.mean_overlap,
        max_overlap_relative=k.max_overlap_relative, mean_overlap_relative=k.mean_overlap_relative, overlap_share=k.overlap_share,
        g_r=PairDistribution(take(g.r, edges, np.float64), take(g.pairs, (g.bins,), np.int64),
                                           take(g.ideal, (g.bins,), np.float64), take(g.g, (g.bins,), np.float64)),
        size_curve=SizeCurve(*(take(p, (sizes.rows,), np.float64) for p in (sizes.d, sizes.by_number, sizes.by_mass))),
        nearest_gaps=NearestGaps(take(near.gap, (near.n if near.bins else 0,), np.float64), near.min, near.median, near.max,
                            take(near.edge, near_edges, np.float64), take(near.number, (near.bins,), np.int64), near.beyond))


@dataclass(frozen=True, eq=False, repr=False)
class BondOrder(Record):
    """Bond order of Steinhardt; in 2D |mean of exp(i l angle)|. NaN without neighbours."""
    _shown = ("n", "bonds", "q4_mean", "q6_mean", "q4_global", "q6_global")
    n: int
    bonds: int             # pairs of neighbours; each image is one
    neighbours: Array      # (n,) int64
    q4: Array              # (n,)
    q6: Array
    q4_mean: float         # over spheres with neighbours
    q6_mean: float
    q4_global: float       # of the mean over all bonds
    q6_global: float


def bond_order(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, cutoff: Optional[float] = None,
               gap: Optional[float] = None, threads: int = 0, progress: Optional[Callable[[float], Any]] = None) -> BondOrder:
    """Steinhardt's q4 and q6 of each sphere, and Q4 and Q6 of all bonds (docs/measure.md).

    Neighbours are nearer than `gap`, surface to surface (default: 1e-3 mean diameters), or with `cutoff` centres nearer than cutoff (r_i + r_j).

    >>> cubic = [[i, j, k] for i in range(3) for j in range(3) for k in range(3)]
    >>> found = bond_order(cubic, 0.5, box=(3, 3, 3), periodic=True)
    >>> round(found.q4_global, 5), round(float(found.q6[0]), 5)
    (0.76376, 0.35355)
    """
    definition, x, r, watch = _definition("bond_order", x, r, box, periodic, threads, progress)
    about, b = lib.scree_default_bond_order_def(), _abi.scree_bond_order()
    if cutoff is not None and gap is not None:
        raise ArgumentError("bond_order: give only one of cutoff and gap")
    if gap is not None:
        definition.gap = real(gap, "gap")
    if cutoff is not None:
        about.cutoff = real(cutoff, "cutoff")
    check(watch.guard(lib.scree_measure_bond_order, ctypes.byref(definition), spheres(x, r), ctypes.byref(about), ctypes.byref(b)))
    try:
        return BondOrder(b.n, b.bonds, take(b.neighbours, (b.n,), np.int64), take(b.q4, (b.n,), np.float64), take(b.q6, (b.n,), np.float64), b.q4_mean, b.q6_mean, b.q4_global,
                         b.q6_global)
    finally:
        lib.scree_bond_order_free(ctypes.byref(b))


@dataclass(frozen=True, eq=False, repr=False)
class StructureFactor(Record):
    """S(k) of the centres in shells of |k|; NaN in shells without wave vectors."""
    _shown = ("total", "k_max")
    total: int             # wave vectors; k and -k are one
    k_max: float
    edges: Array           # bins + 1
    vectors: Array         # in each shell
    k: Array               # mean of |k|
    s: Array               # mean
    s_max: Array           # largest


def structure_factor(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, k_max: Optional[float] = None,
                     bins: int = 100, threads: int = 0, progress: Optional[Callable[[float], Any]] = None) -> StructureFactor:
    """S(k) = |sum of exp(-i k x)|^2 / n for all wave vectors of a periodic box that are shorter than `k_max`, averaged in `bins` shells (docs/measure.md).

    `k_max`: default 4 pi / mean diameter, or less for large sets: n times the number of vectors is at most 1e11, half a minute.

    >>> cubic = [[i, j, k] for i in range(3) for j in range(3) for k in range(3)]
    >>> found = structure_factor(cubic, 0.5, box=(3, 3, 3), periodic=True, k_max=7, bins=70)
    >>> float(round(found.s_max[62], 9)), int(found.vectors[62])  # the first peaks, 2 pi: n
    (27.0, 15)
    """
    definition, x, r, watch = _definition("structure_factor", x, r, box, periodic, threads, progress)
    about, f = lib.scree_default_structure_factor_def(), _abi.scree_structure_factor()
    about.bins = whole(bins, "bins", 1)
    if k_max is not None:
        about.k_max = real(k_max, "k_max")
    check(watch.guard(lib.scree_measure_structure_factor, ctypes.byref(definition), spheres(x, r), ctypes.byref(about), ctypes.byref(f)))
    try:
        values = [take(p, (f.bins,), np.float64) for p in (f.k_mean, f.s, f.s_max)]
        return StructureFactor(f.total, f.k_max, take(f.k, (f.bins + 1,), np.float64), take(f.vectors, (f.bins,), np.int64), *values)
    finally:
        lib.scree_structure_factor_free(ctypes.byref(f))


@dataclass(frozen=True, eq=False, repr=False)
class Average(Record):
    """The mean of a series and its error."""
    count: int           # values that are no NaN
    mean: float
    deviation: float     # standard deviation; NaN for fewer than two values, as the two below
    error: float         # standard error of the mean
    inefficiency: float  # count / inefficiency values are independent
    block: int           # length of the blocks
    min: float
    max: float


def average(values: ArrayLike) -> Average:
    """Mean, deviation and error of a series of values at equal intervals, such as a measure over frames; the error by means over blocks, as neighbouring values are not independent (docs/measure.md).

    >>> average([1.0, 2.0, 3.0])
    Average(count=3, mean=2, deviation=1, error=0.57735, inefficiency=1, block=1, min=1, max=3)
    """
    series, found = plain(reals(values, "values"), np.float64), _abi.scree_average()
    if series.ndim != 1:
        raise ArgumentError(f"values has the shape {series.shape}; expected one axis")
    call(lib.scree_measure_average, series.ctypes.data, len(series), ctypes.byref(found))
    return Average(**{name: getattr(found, name) for name, _ in found._fields_})


@dataclass(frozen=True, eq=False, repr=False)
class Voxels(Record):
    """An image of spheres on a grid. Arrays have the shape `cells`."""
    _shown = ("cells", "solid")
    cells: tuple[int, ...]
    lower: Array     # (dim,): lower corner
    size: Array      # (dim,): sides of a voxel
    label: Array     # int32: the sphere that the centre of the voxel lies in; -1: none. Empty if not wanted
    fraction: Array  # volume of spheres in it over its own. Empty if not wanted
    solid: float     # mean fraction; NaN if not wanted

    def write(self, path: PathLike) -> None:
        """By extension: .vti (ParaView), or .npy, an array of the shape `cells` with the fields label and fraction."""
        dim, cells = len(self.cells), (*self.cells, 1)[:3]
        arrays = []
        for name, dtype in (("label", np.int32), ("fraction", np.float64)):
            array = np.asarray(getattr(self, name))
            if array.size and array.shape != tuple(self.cells):
                raise ArgumentError(f"{name} has the shape {array.shape}; expected {tuple(self.cells)}, as cells says")
            if array.size and not np.array_equal(array, array.astype(dtype), equal_nan=dtype is np.float64):
                raise ArgumentError(f"{name} is of {array.dtype}; expected values that {np.dtype(dtype)} can hold")
            arrays.append(np.asfortranarray(array, dtype) if array.size else None)
        label, fraction = arrays
        struct = _abi.scree_voxels(dim=dim, count=int(np.prod(cells)), label=None if label is None else label.ctypes.data, fraction=None if fraction is None else fraction.ctypes.data)
        struct.cells[:], struct.lower[:dim], struct.size[:dim] = cells, self.lower.tolist(), self.size.tolist()
        call(lib.scree_write_voxels, encode(path), None, ctypes.byref(struct))


def voxels(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, cells: Sequence[int],
           region: Optional[Sequence[Sequence[float]]] = None, labels: bool = True, fractions: bool = True, threads: int = 0, progress: Optional[Callable[[float], Any]] = None) -> Voxels:
    """Which sphere the centre of each voxel lies in, and how much of each voxel spheres fill, exactly (docs/measure.md). `region`: lower and upper corner (default: the box).

    >>> v = voxels([[1.0, 1.0]], 1.0, box=(2, 2), cells=(4, 4))
    >>> v.label.tolist()[0], round(v.solid * 4, 9)
    ([-1, 0, 0, -1], 3.141592654)
    """
    definition, x, r, watch = _definition("voxels", x, r, box, periodic, threads, progress)
    about, v, dim = lib.scree_default_voxels_def(), _abi.scree_voxels(), x.shape[1]
    if len(cells) != dim:
        raise ArgumentError(f"cells has {len(cells)} numbers; expected {dim}, one for each axis")
    about.cells[:dim], about.labels, about.fractions = [whole(n, "cells") for n in cells], bool(labels), bool(fractions)
    if region is not None:
        corners = reals(region, "region")
        if corners.shape != (2, dim):
            raise ArgumentError(f"region has the shape {corners.shape}; expected (2, {dim}), the lower corner and the upper one")
        about.lower[:dim], about.upper[:dim] = corners.tolist()
    check(watch.guard(lib.scree_measure_voxels, ctypes.byref(definition), spheres(x, r), ctypes.byref(about), ctypes.byref(v)))
    try:
        def array(pointer: Any, dtype: Any) -> Array:
            shape = tuple(v.cells[:dim])
            return np.asarray(take(pointer, shape[::-1], dtype).T) if pointer else np.empty((0,) * dim, dtype)  # x changes fastest
        return Voxels(tuple(v.cells[:dim]), np.array(v.lower[:dim]), np.array(v.size[:dim]), array(v.label, np.int32), array(v.fraction, np.float64), v.solid)
    finally:
        lib.scree_voxels_free(ctypes.byref(v))


@dataclass(frozen=True, eq=False, repr=False)
class Porosity(Record):
    """A porosity profile."""
    along: str
    edges: Array     # bins + 1
    volume: Array    # of each bin over that of the box or container
    fraction: Array  # that spheres fill; NaN in a bin without volume
    porosity: Array  # 1 - fraction

    @property
    def at(self) -> Array:
        """Middles of the bins."""
        return frozen(np.asarray(0.5 * (self.edges[1:] + self.edges[:-1])))


def porosity(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, along: Optional[str] = None, bins: int = 50,
             range: Optional[Sequence[float]] = None, container: Optional[str] = None, threads: int = 0, progress: Optional[Callable[[float], Any]] = None) -> Porosity:
    """Porosity of slabs across an axis ("x", "y", "z"; default: the last one), of shells around the axis of a cylinder or the centre of a sphere ("radius"), or by the distance to the wall ("wall").

    Each sphere counts with the part of it that lies in a bin, by closed form (docs/measure.md). `range`: ends of the profile. `container`: as in `measure`.

    >>> p = porosity([[1.0, 1.0]], 1.0, box=(2, 2), along="x", bins=2)
    >>> p.fraction.round(9).tolist(), p.edges.tolist()
    ([0.785398163, 0.785398163], [0.0, 1.0, 2.0])
    """
    definition, x, r, watch = _definition("porosity", x, r, box, periodic, threads, progress)
    about, p = lib.scree_default_porosity_def(), _abi.scree_porosity()
    if container is not None:
        definition.container = choice(container, _abi.CONTAINERS, "container")
    about.bins = whole(bins, "bins", 1)
    if along is not None:
        about.kind = choice(along, _abi.POROSITIES, "along")
    if range is not None:
        ends = reals(range, "range")
        if ends.shape != (2,):
            raise ArgumentError(f"range has the shape {ends.shape}; expected two numbers")
        setattr(about, "from", float(ends[0]))
        about.to = float(ends[1])
    check(watch.guard(lib.scree_measure_porosity, ctypes.byref(definition), spheres(x, r), ctypes.byref(about), ctypes.byref(p)))
    try:
        values = [take(pointer, (p.bins,), np.float64) for pointer in (p.volume, p.fraction, p.porosity)]
        return Porosity(_abi.POROSITIES[p.kind], take(p.edge, (p.bins + 1,), np.float64), *values)
    finally:
        lib.scree_porosity_free(ctypes.byref(p))
