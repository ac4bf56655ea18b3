"""What a set of spheres is like: `measure`."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, BoxLike, PeriodicLike, choice, frozen, real, spheres, take, whole
from ._library import ArgumentError, Watch, check, lib
from ._records import Record
from ._spheres import Spheres, arrays_of


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
    container = (x.container if isinstance(x, Spheres) and box is None else "box") if container is None else container
    x, r, box = arrays_of(x, r, box, periodic)
    if box is None:
        raise ArgumentError("measure needs a box, closed on every axis: Box.around(x, r) is the smallest with walls")
    definition, watch, found = lib.scree_default_measure_def(), Watch(progress), _abi.scree_measures()
    definition.box, definition.watch = box._lattice(), watch.struct
    x = box.turned(x)
    for name, value in (("gap", gap), ("margin", margin), ("r_max", r_max), ("nearest_max", nearest_max)):
        if value is not None:
            setattr(definition, name, real(value, name))
    definition.r_bins, definition.nearest_bins = whole(r_bins, "r_bins"), whole(nearest_bins, "nearest_bins")
    definition.least_contacts = 0 if least_contacts is None else whole(least_contacts, "least_contacts", 1)
    definition.size_rows = whole(size_rows, "size_rows")
    definition.container = choice(container, _abi.CONTAINERS, "container")
    definition.method, definition.threads = choice(method, _abi.METHODS, "method"), whole(threads, "threads", 0)
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
