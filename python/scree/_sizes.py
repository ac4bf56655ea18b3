"""Size distributions, radii drawn from them, and the hierarchical grid that fits them: `Sizes`, `sizes`, `levels`."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, BoxLike, box_for, choice, radii, real, reals, seed_of, whole
from ._library import ArgumentError, call_with, check, lib
from ._records import WIDTH, Record, Strict, cut
from ._spheres import Spheres


class Sizes(Strict):
    """A size distribution: "mono:R", "uniform-size:MIN:MAX", "table:FILE.csv", ... (docs/sizes.md). It never changes.

    >>> law = Sizes("uniform-size:1:2")
    >>> law.draw(4)
    array([1.125, 1.375, 1.625, 1.875])
    >>> law.moment(1), law.cdf(1.5)
    (1.5, 0.5)
    """
    __slots__ = ("_handle", "_dim")

    def __init__(self, law: str, dim: int = 3) -> None:
        if not isinstance(law, str) or "\0" in law:
            raise TypeError(f"a size distribution is a text like 'uniform-size:1:2', not {law!r}")
        handle = ctypes.c_void_p()
        check(lib.scree_read_sizes(law.encode(), whole(dim, "dim"), ctypes.byref(handle)))
        self._handle, self._dim = handle.value, dim

    @staticmethod
    def table(d: ArrayLike, passing_mass: Optional[ArrayLike] = None, number: Optional[ArrayLike] = None, dim: int = 3) -> "Sizes":
        """A sieve curve: rising diameters, and either the mass share below each (from 0 to 1, or 100) or how many spheres have each.

        >>> Sizes.table([1, 2, 4], passing_mass=[0, 0.5, 1]).max
        2.0
        """
        if (passing_mass is None) == (number is None):
            raise TypeError("either passing_mass or number is needed")
        share = passing_mass if number is None else number
        d, share = radii(d, name="d"), radii(share, name="passing_mass" if number is None else "number")
        if len(d) != len(share):
            raise ArgumentError(f"there are {len(d)} diameters and {len(share)} shares")
        law, handle = object.__new__(Sizes), ctypes.c_void_p()
        law._handle, law._dim = None, dim
        check(lib.scree_sizes_table(int(number is not None), whole(dim, "dim"), len(d), d.ctypes.data, share.ctypes.data,
                                    ctypes.byref(handle)))
        law._handle = handle.value
        return law

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            lib.scree_sizes_destroy(handle)

    def draw(self, count: int, sampling: str = "systematic", seed: int = 1) -> Array:
        """Radii. "systematic": quantiles, no chance in it; "shifted": with one random offset; "random": independent draws."""
        r = np.empty(whole(count, "count", 0))
        call_with(len(r), lib.scree_sizes_draw, self._handle, choice(sampling, _abi.SAMPLINGS, "sampling"), seed_of(seed), len(r), r.ctypes.data)
        return r

    def _each(self, function: Any, values: ArrayLike, name: str) -> Any:
        array = reals(values, name)
        out = np.array([function(self._handle, value) for value in array.ravel().tolist()], dtype=np.float64).reshape(array.shape)
        return out if array.ndim else float(out)

    def quantile(self, share: ArrayLike) -> Any:
        """The radius below which that fraction of the spheres is; also for arrays."""
        return self._each(lib.scree_sizes_quantile, share, "share")

    def cdf(self, r: ArrayLike) -> Any:
        """The fraction of the spheres with a radius up to r."""
        return self._each(lib.scree_sizes_cdf, r, "r")

    def cdf_mass(self, r: ArrayLike) -> Any:
        """The same by mass."""
        return self._each(lib.scree_sizes_cdf_mass, r, "r")

    def moment(self, k: float) -> float:
        """Mean of r**k."""
        return float(lib.scree_sizes_moment(self._handle, real(k, "k")))

    @property
    def dim(self) -> int:
        """Dimension, 2 or 3: volumes are proportional to r**dim."""
        return self._dim

    @property
    def min(self) -> float:
        """Smallest radius."""
        return float(lib.scree_sizes_get_min(self._handle))

    @property
    def max(self) -> float:
        """Largest radius."""
        return float(lib.scree_sizes_get_max(self._handle))

    @property
    def text(self) -> str:
        """The text that describes the distribution, as for --sizes."""
        return str(lib.scree_sizes_get_text(self._handle).decode("utf-8", "replace"))

    def __eq__(self, other: Any) -> bool:
        """By their text; tables that were given as arrays have none, and equal themselves only."""
        if not isinstance(other, Sizes):
            return NotImplemented
        return self is other or (self.text != "table" and (self.text, self.dim) == (other.text, other.dim))

    def __hash__(self) -> int:
        return hash((self.text, self.dim))

    def __repr__(self) -> str:
        return cut(f"<scree.Sizes {self.text}", WIDTH - 10) + f" in {self.dim}D>"

    def __reduce__(self) -> Any:
        if self.text == "table":
            raise TypeError("a table of sizes lives in the C library and cannot be pickled")
        return Sizes, (self.text, self.dim)


def sizes(law: Union[str, Sizes], count: int, dim: int = 3, sampling: str = "systematic", seed: int = 1) -> Array:
    """`count` radii drawn from a size distribution.

    >>> sizes("bidisperse:2", 9)
    array([1., 1., 1., 1., 1., 1., 1., 1., 2.])
    """
    return (law if isinstance(law, Sizes) else Sizes(law, dim)).draw(count, sampling, seed)


@dataclass(frozen=True, eq=False, repr=False)
class Levels(Record):
    """The optimal hierarchical grid. `table` has a row (levels, m, cost) for each number of levels that was tried."""
    levels: int
    m: float                 # threshold: a level ends with the sphere by which it comes to more than m per cell
    cost: float              # tests per sphere, about
    speedup: float           # relative to one level
    cell_sizes: Array   # rising
    spheres: Array      # on each level
    per_cell: Array     # spheres per cell of each level
    table: Array        # (tried, 3)


def levels(r: Union[Spheres, ArrayLike], box: Optional[BoxLike] = None, *, levels: int = 0, most_levels: int = 50, cell_cost: float = 0.3, resolution: float = 1e-3,
           gap: float = 0.0) -> Levels:
    """The hierarchical grid that finds contacts of spheres with these radii in this box with the least work (docs/methods.md).
    Spheres have a box of their own, if none is given.

    >>> best = levels(sizes("uniform-size:1:10", 10000), box=(260, 260, 260))
    >>> best.levels, best.cell_sizes.round(1).tolist()
    (3, [12.8, 17.2, 20.0])
    """
    if isinstance(r, Spheres):
        box = r.box if box is None else box
        r = r.r
    if box is None:
        raise ArgumentError("levels needs a box, closed on every axis")
    r = radii(r)
    dim = box.dim if hasattr(box, "dim") else np.shape(reals(box, "box"))[-1] if np.ndim(box) > 0 else 3
    box = box_for(box, None, dim)
    definition, found = lib.scree_default_levels_def(), _abi.scree_levels()
    definition.levels, definition.most_levels = whole(levels, "levels"), whole(most_levels, "most_levels")
    definition.cell_cost, definition.resolution, definition.margin = real(cell_cost, "cell_cost"), real(resolution, "resolution"), real(gap, "gap")
    check(lib.scree_find_levels(ctypes.byref(definition), ctypes.byref(box._lattice()), len(r), r.ctypes.data, ctypes.byref(found)))
    table = np.array([(row.levels, row.m, row.cost) for row in found.rows[:found.count]])
    chosen = found.rows[found.chosen]
    return Levels(chosen.levels, chosen.m, chosen.cost, found.rows[0].cost / chosen.cost, np.array(found.cell_size[:chosen.levels]),
                  np.array(found.spheres[:chosen.levels], np.int64), np.array(found.per_cell[:chosen.levels]), table)
