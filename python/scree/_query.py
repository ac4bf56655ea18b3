"""Queries over spheres that do not move: `Tree`, `neighbour_list`."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, Box, BoxLike, PeriodicLike, address, box_for, centres, radii, real, reals, take, unmasked, whole, whole_numbers
from ._library import SHORT, ArgumentError, Held, call, check, lib
from ._records import Record, optional
from ._device import is_on_device, vectors_of
from ._search import mask_of, pairs, pairs_there
from ._spheres import Spheres, arrays_of


@dataclass(frozen=True, eq=False, repr=False)
class Hits(Record):
    """Answers of many queries, as compressed rows (CSR): the answers of query q are `j[start[q]:start[q + 1]]`."""
    start: Array  # (queries + 1,) int64
    j: Array      # int32
    shift: Array  # (len(j), dim) int32: the image of j at x[j] + shift @ cell is meant
    value: Array  # distance of surfaces (within, nearest), of the centre from the box (boxes), t (rays)


_HIT = np.dtype({"names": ["j", "shift", "value"], "formats": [np.int32, (np.int32, 3), np.float64], "offsets": [0, 4, 16], "itemsize": 24})


class Tree(Held):
    """Spheres that do not move, and queries over them: within a distance, k nearest, boxes, rays, pairs between two sets.

    x, r, box, periodic: as in `pairs`; radii may be left out (points). `mask`: bits (n,) uint32; a query with a mask finds only spheres that share a bit with it.
    Results are `Hits`, sorted by (j, shift) unless stated otherwise. Several threads may query a tree at the same time.

    >>> tree = Tree([[0, 0, 0], [1, 0, 0], [5, 0, 0]], 0.5)
    >>> near = tree.nearest([[2, 0, 0]], k=2)
    >>> near.j, near.value
    (array([1, 0], dtype=int32), array([0.5, 1.5]))
    >>> tree.within([[0.5, 1, 0]], gap=1).j
    array([0, 1], dtype=int32)
    >>> tree.rays([[-3, 0, 0]], [[1, 0, 0]]).value
    array([2.5])
    """
    __slots__ = ("_box",)

    def __init__(self, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *,
                 mask: Optional[ArrayLike] = None, threads: int = 0) -> None:
        if not isinstance(x, Spheres) and r is None:
            r = 0.0
        x, r, box = arrays_of(x, r, box, periodic)
        box = box_for(box, None, x.shape[1])
        self._box = box
        lattice, definition, handle = box._lattice(), lib.scree_default_bvh_def(), ctypes.c_void_p()
        definition.box, definition.threads = ctypes.pointer(lattice), whole(threads, "threads", 0)
        x = box.turned(x)
        points, kept = _points(x, r, mask, "sphere")
        if len(x) < SHORT:
            check(lib.scree_bvh_create(ctypes.byref(definition), points, ctypes.byref(handle)))
        else:
            call(lib.scree_bvh_create, ctypes.byref(definition), points, ctypes.byref(handle))
        del kept
        super().__init__(handle.value, lib.scree_bvh_destroy)

    @property
    def dim(self) -> int:
        """Dimension, 2 or 3."""
        return self._box.dim

    @property
    def box(self) -> Box:
        """The box of the tree."""
        return self._box

    __contains__ = None

    def __len__(self) -> int:
        return int(lib.scree_bvh_get_count(self._open()))

    @property
    def bytes(self) -> int:
        """Memory of the tree."""
        return int(lib.scree_bvh_get_bytes(self._open()))

    def within(self, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, gap: float = 0.0, *, mask: Optional[ArrayLike] = None) -> Hits:
        """Spheres whose surface is nearer than `gap` to that of each query, a sphere of radius r (0 if left out) at x. With the spheres of a second set as queries these are the
        pairs between both sets."""
        points, kept = self._queries(x, r, mask)
        return self._ask(len(kept[0]), lambda out: lib.scree_bvh_within(self._open(), points, real(gap, "gap"), out), kept)

    def count(self, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, gap: float = 0.0, *, images: bool = True, mask: Optional[ArrayLike] = None) -> Array:
        """How many spheres `within` finds for each query, (m,) int64, without making arrays of them. images=False: several images of a sphere count as one."""
        points, kept = self._queries(x, r, mask)
        counts, near = np.zeros(len(kept[0]), np.int64), real(gap, "gap")
        if len(counts) + len(self) < SHORT:
            check(lib.scree_bvh_count_within(self._open(), points, near, not images, counts.ctypes.data))
        else:
            call(lib.scree_bvh_count_within, self._open(), points, near, not images, counts.ctypes.data)
        del kept
        return counts

    def nearest(self, x: Union[Spheres, ArrayLike], k: int = 1, most: float = np.inf, r: Optional[ArrayLike] = None, *, images: bool = True, mask: Optional[ArrayLike] = None) -> Hits:
        """The k spheres or images nearest to each query by distance of surfaces, nearest first; fewer if not so many are nearer than `most`. images=False: k different spheres, each by its nearest image."""
        points, kept = self._queries(x, r, mask)
        number, limit, ask = whole(k, "k", 1), real(most, "most"), lib.scree_bvh_nearest if images else lib.scree_bvh_nearest_spheres
        return self._ask(len(kept[0]), lambda out: ask(self._open(), points, number, limit, out), kept)

    def boxes(self, lower: ArrayLike, upper: ArrayLike, *, mask: Optional[ArrayLike] = None) -> Hits:
        """Spheres that touch boxes with edges along x, y, z: corners (m, dim)."""
        if self._box._frame is not None:
            raise ArgumentError("boxes of a turned cell would not lie along its axes; expected a Box of sizes and tilts")
        low, high = self._rows(lower, "lower"), self._rows(upper, "upper", lower)
        bits = _bits(mask, len(low), "query")
        return self._ask(len(low), lambda out: lib.scree_bvh_boxes(self._open(), len(low), low.ctypes.data, high.ctypes.data, _at(bits), out), (low, high, bits))

    def rays(self, origin: ArrayLike, direction: ArrayLike, most: float = np.inf, all: bool = False, *, mask: Optional[ArrayLike] = None) -> Hits:
        """Spheres that rays origin + t direction, (m, dim) each, meet at 0 <= t <= most: the first, or `all` of them by t. In a periodic box `most` is finite."""
        start, along = self._box.turned(self._rows(origin, "origin")), self._box.turned(self._rows(direction, "direction", origin))
        bits, limit = _bits(mask, len(start), "query"), real(most, "most")
        return self._ask(len(start), lambda out: lib.scree_bvh_rays(self._open(), len(start), start.ctypes.data, along.ctypes.data, limit, bool(all), _at(bits), out), (start, along, bits))

    # -- inner --

    def _rows(self, values: ArrayLike, name: str, like: Optional[ArrayLike] = None) -> Array:
        rows = centres(values, name)
        if rows.shape[1] != self.dim or (like is not None and rows.shape != np.shape(like)):
            raise ArgumentError(f"{name} has the shape {rows.shape}; expected {f'(m, {self.dim})' if like is None else np.shape(like)}")
        return rows

    def _queries(self, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike], mask: Optional[ArrayLike]) -> tuple[_abi.scree_points, Any]:
        size: Optional[Array]
        if isinstance(x, Spheres):
            at, size, _ = arrays_of(x, r)
        else:
            at = centres(x)
            size = None if r is None else radii(r, len(at))
        if at.shape[1] != self.dim:
            raise ArgumentError(f"x has {at.shape[1]} columns, and this tree has {self.dim} dimensions")
        return _points(self._box.turned(at), size, mask, "query")

    def _ask(self, queries: int, ask: Callable[[Any], Any], kept: Any) -> Hits:
        found = _abi.scree_hits()
        try:
            if queries + len(self) < SHORT:  # cannot be stopped, and sets no signal handlers
                check(ask(ctypes.byref(found)))
            else:
                call(ask, ctypes.byref(found))
            start = take(found.first, (found.queries + 1,), np.int64)
            count = int(start[-1])
            memory: Any = (ctypes.c_char * (count * _HIT.itemsize)).from_address(found.hit) if count else None
            rows = np.frombuffer(memory, _HIT) if count else np.empty(0, _HIT)  # copied below
            shift = rows["shift"][:, :self.dim].copy() if any(self._box.periodic) else np.zeros((count, self.dim), np.int32)
            return Hits(start, rows["j"].copy(), shift, rows["value"].copy())
        finally:
            lib.scree_hits_free(ctypes.byref(found))
            del kept

    def __repr__(self) -> str:
        return f"<scree.Tree: {len(self)} in {self.dim}D>" if self._handle else "<scree.Tree, closed>"


def _bits(mask: Optional[ArrayLike], count: int, of: str) -> Optional[Array]:
    return None if mask is None else whole_numbers(mask, "mask", count, np.uint32, f"32 bits for each {of}", of)


def _at(array: Optional[Array]) -> Optional[int]:
    return None if array is None else address(array)


def _points(x: Array, r: Optional[Array], mask: Optional[ArrayLike], of: str) -> tuple[_abi.scree_points, Any]:
    """A view of arrays, and what has to live as long as it."""
    bits = _bits(mask, len(x), of)
    return _abi.scree_points(len(x), x.shape[1], 1, address(x), 0, _at(r), 0, _at(bits)), (x, r, bits)


def count_pairs(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, gap: float = 0.0, images: bool = False, *,
                each: bool = False, threads: int = 0) -> Any:
    """How many rows `pairs` of the same arguments has, without making them; with `each` how many neighbours every sphere has, (n,) int64: the rows of `pairs(..., full=True)` that begin with it.

    >>> x = [[0.5, 0, 0], [1.5, 0, 0], [3.5, 0, 0]]
    >>> count_pairs(x, 0.6, box=(4, 4, 4), periodic=True), count_pairs(x, 0.6, box=(4, 4, 4), periodic=True, each=True)
    (2, array([2, 1, 1]))
    """
    with Tree(x, r, box, periodic, threads=threads) as tree:
        at, size, _ = arrays_of(x, r)
        counts = tree.count(at, size, gap, images=images)
    counts -= (size + size) + gap > 0.0  # itself
    return counts if each else int(counts.sum()) // 2


def neighbour_list(quantities: str, x: Union[Spheres, ArrayLike], cutoff: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *,
                   half: bool = False, types: Optional[ArrayLike] = None, group: Optional[ArrayLike] = None, group_pairs: Optional[ArrayLike] = None, threads: int = 0,
                   device: str = "none", stream: Optional[int] = None) -> Any:
    """The neighbour list of `ase.neighborlist.neighbor_list`: the arrays that the letters name, a tuple, or one array for one letter.

    i, j: the two ends of each pair (n,), in both directions, sorted by i, then j and S; a sphere and its own image are a pair. d: their distance (n,). D: the vector from i to
    j (n, dim). S: whole numbers (n, dim), with D = x[j] - x[i] + S @ cell. Distances are between centres. half: each pair once, i <= j; of a sphere and its own images one of each two.

    x: centres (n, dim), with `box` and `periodic` as of `pairs`; or ASE's Atoms, with their cell and pbc; or Spheres. cutoff: pairs are nearer than this; or a radius for each (n,), and pairs
    are those whose spheres overlap; of Spheres, if it is not given, their radii; or a dict of distances by pair of types, {("Na", "Cl"): 3.0}, as of ASE: pairs of types that it does not have are no pairs. types: of each
    sphere (n,), texts or whole numbers; of Atoms their elements, by symbol or number. group, group_pairs: which groups pair, as of `pairs`.

    device="cuda": x, and cutoff unless it is a number, may be arrays in the memory of the GPU (docs/gpu.md#arrays): so are the results then (DeviceArray; i and j int32, S int8, or None without a periodic axis), on the CUDA stream `stream`.

    >>> i, j, d, S = neighbour_list("ijdS", [[0.5, 0, 0], [3.5, 0, 0]], 1.5, box=(4, 4, 4), periodic=True)
    >>> i.tolist(), j.tolist(), d.tolist(), S[:, 0].tolist()
    ([0, 1], [1, 0], [1.0, 1.0], [-1, 1])
    >>> neighbour_list("ij", [[0, 0], [1, 0], [2, 0]], {("a", "b"): 1.5}, types=["a", "b", "b"], half=True)
    (array([0]), array([1]))
    """
    unknown = [letter for letter in quantities if letter not in "ijdDS"]
    if unknown or not quantities:
        raise ArgumentError(f"quantities is {quantities!r}; expected some of the letters 'ijdDS'")
    if is_on_device(x, device):
        if half or types is not None or isinstance(cutoff, Mapping):
            raise ArgumentError("neighbour_list: half and cutoffs by types are for arrays in the memory of the processor")
        return _neighbours_there(quantities, x, cutoff, box, periodic, group, group_pairs, device, stream)
    if device != "none":
        raise ArgumentError(f"neighbour_list: device is {device!r} and x is in the memory of the processor; expected an array in that of the device")
    atoms: Any = x
    if all(hasattr(x, name) for name in ("positions", "cell", "pbc")):  # ASE's
        if box is not None or periodic is not None:
            raise TypeError("Atoms come with their own cell and pbc: leave box and periodic out")
        x, box = atoms.positions, Box.of_cell(np.asarray(atoms.cell), [bool(p) for p in atoms.pbc])
        if isinstance(cutoff, Mapping) and types is None:
            types, cutoff = atoms.numbers, _by_element(cutoff)
    if isinstance(x, Spheres):
        cutoff, box = x.r if cutoff is None else cutoff, x.box if box is None else box
        x = x.x
    if cutoff is None:
        raise TypeError("neighbour_list: expected a cutoff; only Spheres have radii of their own")
    at = centres(x)
    where = box_for(box, periodic, at.shape[1])
    if isinstance(cutoff, Mapping):
        ij, shift = _neighbours_by_types(at, cutoff, types, where, half, group, group_pairs, threads)
    else:
        if types is not None:
            raise TypeError("types are for cutoffs by pair of types; expected a dict as cutoff")
        reach = reals(cutoff, "cutoff")
        if not (reach >= 0).all():
            raise ArgumentError(f"cutoff is {reach[~(reach >= 0)].flat[0]:g}{f' in entry {np.flatnonzero(~(reach >= 0))[0]}' if reach.ndim else ''}; expected 0 or more")
        r = np.full(len(at), 0.5 * reach[()]) if reach.ndim == 0 else radii(reach, len(at), "cutoff")
        ij, shift = _neighbours(at, r, where, half, group, group_pairs, threads)
    found: dict[str, Array] = {"i": ij[0], "j": ij[1], "S": shift}
    if "d" in quantities or "D" in quantities:
        found["D"] = at[ij[1]]
        found["D"] -= at[ij[0]]
        if shift.any():
            found["D"] += shift @ where.cell
        found["d"] = np.sqrt((found["D"] ** 2).sum(1))
    return found[quantities] if len(quantities) == 1 else tuple(found[letter] for letter in quantities)


def _by_element(cutoff: Mapping[Any, Any]) -> dict[Any, Any]:
    """Cutoffs of elements by their numbers."""
    numbers: Any = optional("ase.data", "neighbour_list", "types= does without it").atomic_numbers
    found: dict[Any, Any] = {}
    for pair, distance in cutoff.items():
        try:
            key = tuple(numbers[one] if isinstance(one, str) else one for one in pair)
        except KeyError as error:
            raise ArgumentError(f"cutoff: {error} is no element; expected symbols or numbers of elements") from None
        if found.setdefault(key, distance) != distance:
            raise ArgumentError(f"cutoff[{pair!r}] is {distance}, and {found[key]} under another name of the elements; expected one of them")
    return found


def _neighbours_by_types(at: Array, cutoff: Mapping[Any, Any], types: Optional[ArrayLike], box: Box, half: bool, group: Optional[ArrayLike], group_pairs: Optional[ArrayLike],
                         threads: int) -> tuple[tuple[Array, Array], Array]:
    """A search for each pair of types, among the spheres of these types: one long cutoff makes no others long."""
    if types is None:
        raise TypeError("a cutoff by pair of types: expected types, one for each sphere")
    kinds = unmasked(types, "types")
    if kinds.shape != (len(at),) or kinds.dtype.kind not in "iuU":
        raise ArgumentError(f"types has the shape {kinds.shape} and dtype {kinds.dtype}; expected ({len(at)},), a text or a whole number for each sphere")
    mask = mask_of(group, group_pairs, len(at))
    if mask is not None:
        mask.check()
    done: dict[frozenset[Any], float] = {}
    rows: list[Array] = [np.zeros((0, 2 + at.shape[1]), np.int64)]
    for pair, distance in cutoff.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(one, str if kinds.dtype.kind == "U" else (int, np.integer)) for one in pair):
            raise ArgumentError(f"cutoff has the key {pair!r}; expected a pair of types, " + ("like ('A', 'B')" if kinds.dtype.kind == "U" else "like (0, 1)"))
        reach = real(distance, f"cutoff[{pair!r}]")
        if not 0.0 <= reach < np.inf:
            raise ArgumentError(f"cutoff[{pair!r}] is {reach:g}; expected 0 or more")
        known = done.get(frozenset(pair))
        if known is not None and known != reach:
            raise ArgumentError(f"cutoff[{pair!r}] is {reach:g}, and {known:g} for the same types the other way round; expected one of them")
        done[frozenset(pair)] = reach
        first, second = (np.flatnonzero(kinds == one) for one in pair)
        if known is not None or not len(first) or not len(second):
            continue
        with Tree(at[second], 0.0, box, threads=threads) as tree:
            hits = tree.within(at[first], gap=reach)
        i, j = first[np.repeat(np.arange(len(first)), np.diff(hits.start))], second[hits.j]
        found = np.column_stack([i, j, hits.shift])
        found = found[(i != j) | hits.shift.any(1)]
        rows.append(found)
        if pair[0] != pair[1]:
            rows.append(np.column_stack([found[:, 1], found[:, 0], -found[:, 2:]]))
    every = np.concatenate(rows)
    if mask is not None:
        every = every[mask.pair(every[:, 0], every[:, 1])]
    if half:
        every = every[_is_first(every[:, 0], every[:, 1], every[:, 2:])]
    every = every[np.lexsort(every.T[::-1])]
    return (every[:, 0].copy(), every[:, 1].copy()), every[:, 2:].copy()


def _is_first(i: Array, j: Array, shift: Array) -> Array:
    """Of each two directions of a pair the one with i < j; of a sphere and its image that whose first number of the shift that is not 0 is above 0."""
    sign = np.zeros(len(i), np.int64)
    for axis in range(shift.shape[1]):
        sign = np.where(sign == 0, np.sign(shift[:, axis]), sign)
    return np.asarray((i < j) | ((i == j) & (sign > 0)))


def _is_near(at: Array, reach: float, box: Box) -> bool:
    """Whether all shifts are certainly small enough for int8: `pairs` is faster than a tree, but its shifts are no larger, and its spheres not larger than
    the box. Centres of a few boxes, and tilts of at most a length."""
    around = [axis for axis in range(box.dim) if box.periodic[axis]]
    if not around or not len(at):
        return True
    shortest = min(box.size[axis] for axis in around)
    away = 1.8 * np.abs(at).max() + max(abs(box.lower[axis]) for axis in around) + reach  # 1.8: a cell may turn
    return bool(away < 8.0 * shortest) and max(abs(t) for t in box.tilt) <= shortest and reach <= shortest


def _neighbours(at: Array, r: Array, box: Box, half: bool, group: Optional[ArrayLike], group_pairs: Optional[ArrayLike], threads: int) -> tuple[tuple[Array, Array], Array]:
    """Numbers and shifts of all pairs that overlap, in both directions or `half`, by (i, j, shift)."""
    if _is_near(at, 2.0 * float(r.max(initial=0.0)), box):
        ij, shift = pairs(at, r, box, images=True, full=not half, group=group, group_pairs=group_pairs, threads=threads)
        whole_numbers = ij.T.astype(np.int64)
        return (whole_numbers[0], whole_numbers[1]), shift.astype(np.int64)
    mask = mask_of(group, group_pairs, len(at))
    if mask is not None:
        mask.check()
    with Tree(at, r, box, threads=threads) as tree:
        hits = tree.within(at, r)
    i = np.repeat(np.arange(len(at)), np.diff(hits.start))
    others = (i != hits.j) | hits.shift.any(1)
    if mask is not None:
        others &= mask.pair(i, hits.j)
    if half:
        others &= _is_first(i, hits.j, hits.shift)
    return (i[others], hits.j[others].astype(np.int64)), hits.shift[others].astype(np.int64)


def _neighbours_there(quantities: str, x: Any, cutoff: Any, box: Optional[BoxLike], periodic: PeriodicLike, group: Optional[ArrayLike], group_pairs: Optional[ArrayLike], device: str,
                      stream: Optional[int]) -> Any:
    """`neighbour_list` of centres in device memory."""
    if cutoff is None:
        raise TypeError("neighbour_list: expected a cutoff; only Spheres have radii of their own")
    r = cutoff if is_on_device(cutoff, device) else 0.5 * real(cutoff, "cutoff")
    index, (ij, shift) = pairs_there(x, r, box, periodic, 0.0, True, True, "auto", device, group, group_pairs, stream)
    found: dict[str, Any] = {"i": ij.column(0), "j": ij.column(1), "S": shift}
    if "d" in quantities or "D" in quantities:
        found["D"], found["d"] = vectors_of(index, index.dim, len(ij), device, ij.stream)
    return found[quantities] if len(quantities) == 1 else tuple(found[letter] for letter in quantities)
