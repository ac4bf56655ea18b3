"""Contact search: `pairs` and `box_pairs` for one question, `Index` for many."""
from __future__ import annotations

import ctypes
import weakref
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Literal, Optional, Union, overload

import numpy as np

from . import _abi
from ._arrays import (OPEN, Array, ArrayLike, Box, BoxLike, PeriodicLike, box_for, choice, frozen, real, reals, spheres, take, unmasked, vector, view, whole, whole_numbers)
from ._device import Lease, columns_of, is_on_device, pairs_of, update
from ._library import SHORT, ArgumentError, Held, ScreeError, Watch, call, check, lib
from ._records import Record, closest_spelling
from ._spheres import Spheres, arrays_of


_DEFAULT = lib.scree_default_index_def()
_WORDS = {"direction": _abi.DIRECTIONS, "range": _abi.RANGES, "box_test": _abi.BOX_TESTS, "device": _abi.DEVICES}


def search_def(method: str, threads: int, gap: float, skin: float, parameters: dict[str, Any],
               also: Iterable[str] = ()) -> tuple[_abi.scree_index_def, Any]:
    """An index def of words and numbers, without a box; and what has to stay alive beside it. `also`: other names that the caller knows."""
    definition = _abi.scree_index_def.from_buffer_copy(_DEFAULT)
    definition.method = choice(method, _abi.METHODS, "method")
    definition.threads = whole(threads, "threads", 0)
    definition.gap = real(gap, "gap")
    definition.skin = real(skin, "skin")
    kept = None
    for name, value in parameters.items():
        if name in _WORDS:
            setattr(definition, name, choice(value, _WORDS[name], name))
        elif name == "cell_sizes":
            kept = reals(value, name)
            if kept.ndim != 1:
                raise ArgumentError(f"cell_sizes has the shape {kept.shape}; expected (levels,)")
            definition.cell_sizes, definition.cell_size_count = kept.ctypes.data, len(kept)
        elif name == "cell_sides":
            sides = reals(value, name)
            if sides.shape not in ((2,), (3,)):
                raise ArgumentError(f"cell_sides has the shape {sides.shape}; expected (dim,), one side for each axis")
            definition.cell_sides[:] = [*sides, 0.0][:3]
        elif name in ("levels", "rebuild_every"):
            setattr(definition, name, whole(value, name))
        elif name in ("cell_size", "verlet_radius", "loose_factor"):
            setattr(definition, name, real(value, name))
        else:
            known = ("cell_size", "cell_sides", "cell_sizes", "levels", "direction", "range", "box_test", "verlet_radius", "rebuild_every", "loose_factor")
            raise TypeError(f"there is no parameter {name!r}" + (closest_spelling(name, [*known, *also]) or f": methods have {', '.join(known)}"))
    return definition, kept


class Mask:
    """Which groups pair, as the library takes it: a number for each sphere, and a symmetric matrix (groups, groups) of True where two groups pair; without it all but equal groups do."""
    __slots__ = ("group", "matrix", "struct")

    def __init__(self, group: ArrayLike, group_pairs: Optional[ArrayLike], count: int) -> None:
        self.group = whole_numbers(group, "group", count, np.int32, "a group for each sphere", "sphere")
        self.matrix = None if group_pairs is None else _group_matrix(group_pairs)
        rows = 0 if self.matrix is None else len(self.matrix)
        self.struct = _abi.scree_pair_mask(count, self.group.ctypes.data, rows, None if self.matrix is None else self.matrix.ctypes.data)

    def pair(self, i: Array, j: Array) -> Array:
        """Whether spheres i pair with spheres j. The library has checked the numbers, or `check` has."""
        a, b = self.group[i], self.group[j]
        found: Array = a != b if self.matrix is None else self.matrix[a, b] != 0
        return found

    def check(self) -> None:
        """What the library rejects."""
        handle = ctypes.c_void_p()
        check(lib.scree_index_create(ctypes.byref(lib.scree_default_index_def()), ctypes.byref(handle)))
        try:
            check(lib.scree_index_set_mask(handle, ctypes.byref(self.struct)))
        finally:
            lib.scree_index_destroy(handle)


def mask_of(group: Optional[ArrayLike], group_pairs: Optional[ArrayLike], count: int) -> Optional[Mask]:
    """None: no mask."""
    if group is None and group_pairs is not None:
        raise TypeError("group_pairs is given and group is not; expected a group for each sphere")
    return None if group is None else Mask(group, group_pairs, count)


def _group_matrix(group_pairs: ArrayLike) -> Array:
    matrix = unmasked(group_pairs, "group_pairs")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ArgumentError(f"group_pairs has the shape {matrix.shape}; expected (groups, groups)")
    wrong = np.argwhere(~((matrix == 0) | (matrix == 1)))
    if len(wrong):
        raise ArgumentError(f"group_pairs of groups {wrong[0][0]} and {wrong[0][1]} is {matrix[tuple(wrong[0])]}; expected True or False")
    return np.ascontiguousarray(matrix, np.uint8)


# ---- The index ------------------------------------------------------------------------------------------------------

@dataclass(frozen=True, eq=False, repr=False)
class Rows(Record):
    """Candidates of each sphere, as compressed rows (CSR): the candidates of sphere i are `j[start[i]:start[i + 1]]`.

    All pairs with a gap below the index' gap + `skin` when the list was made. As long as no two spheres have moved by more than `skin` together since then,
    every pair is among them.
    """
    start: Array            # (n + 1,) int64
    j: Array                # int32, i <= j
    shift: Optional[Array]  # (len(j), dim) int8 or int32, for centres as given when the list was made; None when no axis is periodic
    build: int                   # rises with each build of the list
    skin: float


@dataclass(frozen=True, eq=False, repr=False)
class Stats(Record):
    """Counted work of the last update and search (include/scree/index.h describes the members). All members except the seconds are the same in every run;
    comparisons ignore the seconds."""
    method: str
    tests: int
    box_tests: int
    cells: int
    levels: int
    size_ratio: float
    bytes: int
    seconds_build: float = field(compare=False)
    seconds_search: float = field(compare=False)
    rebuilds: int
    list_build: int
    candidates: int
    skin: float
    swaps: int
    sorts: int
    work: float
    predicted_work: dict[str, float]
    queries: int
    query_tests: int
    query_box_tests: int
    query_cells: int
    refreshes: int
    near_skin: float
    changes: int
    change_cells: int
    seconds_device: float = field(compare=False)


class Candidates(Held):
    """The lists of candidates of an index (include/scree/candidates.h)."""
    __slots__ = ("build",)

    def __init__(self, handle: Optional[int], destroy: Callable[[int], None]) -> None:
        super().__init__(handle, destroy)
        self.build = 0  # of the rows that were last handed out


@dataclass(frozen=True, eq=False, repr=False)
class Surroundings(Record):
    """Non-empty cells or nodes around a sphere, and the spheres in them."""
    level: int    # where the sphere is stored: 0 is the root of a tree, the finest of grids
    cells: int
    spheres: int  # without the sphere itself


class Index(Held):
    """Spheres, and the pairs of them whose surfaces are nearer than `gap`.

    Centres are arrays (n, 2) or (n, 3); the dimension is that of the box, or `dim`. Every method gives the same pairs.
    The index keeps its own copy of the spheres. Calls from several threads take turns; the search itself uses `threads` (0: all cores).

    >>> index = Index(gap=0.1)
    >>> index.update([[0, 0, 0], [1, 0, 0], [5, 0, 0]], 0.48)
    >>> index.pairs()
    array([[0, 1]], dtype=int32)
    >>> index.move(2, [1.9, 0, 0])
    >>> index.neighbours(2)
    array([1], dtype=int32)
    >>> index.query([0.5, 0, 0], 0.1)
    array([0, 1], dtype=int32)

    `box` may also be Spheres: the index then contains them and has their box.

    >>> Index(Spheres([[0, 0], [1, 0]], 0.6, box=(4, 4), periodic=True)).pairs()
    array([[0, 1]], dtype=int32)

    Centres may be any number of boxes away along periodic axes; shifts lead to the centres as given, and are int8, or int32 where they do not fit.
    `skin` is the margin of the list of candidates that is kept between updates (0: chosen, below 0: none). Parameters of single methods:
    cell_size, cell_sides, cell_sizes, levels, direction, range, box_test, verlet_radius, rebuild_every, loose_factor (docs/search.md).
    `progress` is called with the fraction done, some hundred times in a long search; if it returns False, the search stops (CancelledError).
    `device`: what searches for all pairs: "none" (the processor), "auto", "cuda", "emulate" (docs/gpu.md). The pairs are the same.
    """
    __slots__ = ("_definition", "_kept", "_box", "_gap", "_most", "_watch", "_shown", "_candidates", "_listed", "_builds", "_away", "_list_away", "_device", "_stream", "_words")

    def __init__(self, box: Union[Spheres, BoxLike, None] = None, periodic: PeriodicLike = None, gap: float = 0.0, *, dim: Optional[int] = None,
                 method: str = "auto", skin: float = 0.0, threads: int = 0, progress: Optional[Callable[[float], Any]] = None,
                 device: str = "none", **parameters: Any) -> None:
        self._words = {"method": method, "skin": skin, "threads": threads, "device": device, **parameters}
        parameters["device"] = device
        given = box if isinstance(box, Spheres) else None
        shape = () if box is None or isinstance(box, (Spheres, Box)) else np.shape(np.asarray(box))
        if len(shape) == 2 and (shape[0] > 3 or np.asarray(periodic).dtype.kind == "f"):
            raise ArgumentError(f"Index: box has the shape {shape} and periodic is {periodic!r:.60}; expected a box and its periodic axes. Spheres are given by update(x, r), or as Index(Spheres(x, r, box))")
        if isinstance(box, Spheres):
            dim, box = box.dim if dim is None else dim, box.box
        if box is not None:
            dim = Box(box).dim if dim is None else dim
        box = box_for(box, periodic, 3 if dim is None else whole(dim, "dim", 2, 3))
        definition, self._kept = search_def(method, threads, gap, skin, parameters, Index.__init__.__kwdefaults__)
        definition.box = box._lattice()
        definition.sorted = True
        self._box, self._gap, self._most = box, definition.gap, 0.0
        self._device = _abi.DEVICES[definition.device]
        self._stream: Optional[int] = None  # of the spheres, if they are in device memory
        self._watch = Watch(progress)
        definition.watch = self._watch.struct
        self._shown: Optional[weakref.ref[Any]] = None
        # For rows: the search, the service that makes them, the radii that it knows, and how many lists there have been.
        self._definition, self._builds = definition, 0
        self._candidates: Optional[Candidates] = None
        self._listed: Optional[Array] = None
        self._away: Optional[Array] = None  # how many boxes each centre was away, if one was too many for the library; and those when the list of `rows` was made
        self._list_away: Optional[Array] = None
        handle = ctypes.c_void_p()
        check(lib.scree_index_create(ctypes.byref(definition), ctypes.byref(handle)))
        super().__init__(handle.value, lib.scree_index_destroy)
        if given is not None:
            self.update(given)

    # -- pickles --

    def __reduce__(self) -> Any:
        """The spheres, and what was asked for; lists that speed up searches are made anew, and `progress` is left out. Centres outside of a periodic box may differ by the rounding of wrapping."""
        if self._stream is not None:
            raise TypeError("an Index whose spheres are in the memory of a GPU cannot be pickled; its arrays can")
        mask = _abi.scree_pair_mask()
        with self._turn():
            handle = self._open()
            xr = np.zeros((lib.scree_index_get_count(handle), 4))
            check(lib.scree_index_get_all(handle, xr.ctypes.data))
            check(lib.scree_index_get_mask(handle, ctypes.byref(mask)))
            group = take(mask.group, (mask.count,), np.int32) if mask.group else None
            matrix = take(mask.matrix, (mask.groups, mask.groups), np.uint8) if mask.group and mask.matrix else None
        x = self._box._back(xr[:, :self.dim])
        if self._away is not None:
            x = x + self._away @ self._box.cell
        return _index_again, (self._box, self._gap, self._words, x, xr[:, 3].copy(), self.user, group, matrix)

    # -- inner --

    def _change(self) -> int:
        """The handle, for calls after which memory that was shown may be another's."""
        if self._shown is not None:
            if self._shown() is not None:
                raise BufferError("a view of this index (copy=False) is still in use: delete or copy it before the next call")
            self._shown = None
        return self._open()

    def close(self) -> None:
        """Frees the memory now. Later calls are refused. Closing twice is fine. BufferError: a view of the index (copy=False) is still in use."""
        with self._turn():
            if self._handle:
                self._change()
            self._candidates = None
        super().close()

    def _shifts(self, pointer: Optional[int], count: int) -> Array:
        if not any(self._box.periodic):
            return np.zeros((count, self.dim), np.int8)
        return take(pointer, (count, 3), np.int8)[:, :self.dim]

    # -- all at once --

    @property
    def dim(self) -> int:
        """Dimension, 2 or 3."""
        return self._box.dim

    @property
    def box(self) -> Box:
        """The box of the index."""
        return self._box

    @property
    def gap(self) -> float:
        """Pairs have a gap below this."""
        return float(self._gap)

    __contains__ = None

    def __len__(self) -> int:
        with self._turn():
            return int(lib.scree_index_get_count(self._open()))

    def update(self, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, *, stream: Optional[int] = None) -> None:
        """Replaces all spheres: centres, and radii as an array or one number for all; or Spheres, whose box is ignored, because the index has its own.
        After an error the index is unchanged.

        With device="cuda" also arrays in the memory of the GPU (CuPy, PyTorch, JAX, Numba: float64 in C order, not copied to the processor), on the CUDA stream `stream` (default: the one that they name, or
        CUDA's default stream). The index then finds `pairs` only, and gives them there; after an error it is empty.
        """
        if is_on_device(x, self._device):
            if self._box._frame is not None:
                raise ArgumentError("a rotated cell has other axes than x, which is in device memory; expected a Box of sizes and tilts")
            with self._turn():
                self._change()
                self._stream = None
                try:
                    _, self._stream = update(self, self.dim, x, 0.0 if r is None else r, self._device, stream)
                finally:
                    if self._stream is not None or lib.scree_index_get_count(self._open()) == 0:  # else the arrays were rejected, and the index is as it was
                        self._away = None
            return
        x, r, _ = arrays_of(x, r)
        if x.shape[1] != self.dim:
            raise ArgumentError(f"x has {x.shape[1]} columns, and this index has {self.dim} dimensions")
        x, turns = _wrapped(self._box, self._box.turned(x))
        with self._turn():
            check(self._watch.guard(lib.scree_index_update, self._change(), spheres(x, r)))
            self._away, self._stream = turns, None
            self._most = float(r.max()) if len(r) and any(self._box.periodic) else 0.0

    def set_mask(self, group: Optional[ArrayLike] = None, group_pairs: Optional[ArrayLike] = None) -> None:
        """From now on only spheres whose groups pair are pairs, neighbours, box pairs and candidates. group: whole numbers (n,), 0 or more; None: no mask. group_pairs: a symmetric matrix
        (groups, groups) of bools; without it spheres pair unless their groups are equal. Groups follow their spheres: a sphere that is inserted has group 0 until `set_group`, and `update` keeps them by number.

        >>> index = Index(dim=2)
        >>> index.update([[0, 0], [1, 0], [2, 0]], 0.6)
        >>> index.set_mask([5, 5, 8])
        >>> index.pairs().tolist()
        [[1, 2]]
        """
        with self._turn():
            mask = mask_of(group, group_pairs, 0 if group is None else np.size(group))
            check(lib.scree_index_set_mask(self._change(), None if mask is None else ctypes.byref(mask.struct)))
            self._candidates = None

    def set_group(self, i: int, group: int) -> None:
        """Sphere i is in another group of the mask."""
        with self._turn():
            check(lib.scree_index_set_group(self._change(), whole(i, "i"), whole(group, "group")))
            self._candidates = None

    def pairs(self, images: bool = False, copy: bool = True) -> Union[Array, tuple[Array, Array]]:
        """All pairs as (n, 2) int32, i < j, sorted; with `images` also their shifts, (n, dim) whole numbers, and every touching image.

        The image of sphere j at x[j] + shift @ box.cell is meant. Without `images` a pair that touches through several images is
        there once, and a sphere that touches its own image is not.

        With `copy=False` the arrays are read-only views of the index' own memory; while one lives, calls on the index raise BufferError. So are the arrays in device memory (DeviceArray) that there are after an
        update with such; in a periodic box only with `images`, and in an open one shifts are None.
        """
        return self._pairs(lib.scree_index_pairs, images, copy)

    def box_pairs(self, images: bool = False, copy: bool = True) -> Union[Array, tuple[Array, Array]]:
        """All pairs whose bounding boxes overlap or touch, within `gap` on each axis: what the method "linear-list" keeps up to date while spheres
        move, before any exact test. Form as in `pairs`. By "linear-list" and "all-pairs"; an index with another method raises UnsupportedError.

        >>> index = Index(method="linear-list", dim=2)
        >>> index.update([[0, 0], [1.5, 1.5]], 1)
        >>> index.box_pairs().tolist(), index.pairs().tolist()
        ([[0, 1]], [])
        """
        return self._pairs(lib.scree_index_box_pairs, images, copy)

    def _pairs(self, ask: Callable[..., int], images: bool, copy: bool) -> Union[Array, tuple[Array, Array]]:
        with self._turn():
            found = _abi.scree_pairs()
            handle = self._change()
            if self._stream is not None and ask is lib.scree_index_pairs:
                lease = Lease(self)
                there: tuple[Array, Array] = pairs_of(self, self.dim, images, False, self._device, self._stream, lease)
                self._shown = weakref.ref(lease)
                return there
            check(self._watch.guard(ask, handle, ctypes.byref(found)))
            periodic = any(self._box.periodic)
            if copy:
                ij = take(found.ij, (found.count, 2), np.int32)
                shift = _of_pairs(self._shifts(found.shift, found.count), self._away, ij) if images else None
            else:
                ij = view(found.ij, (found.count, 2), np.int32, self)
                shift = None
                if images and self._away is not None:
                    shift = frozen(_of_pairs(self._shifts(found.shift, found.count), self._away, ij))
                elif images and periodic:
                    # One object stands for both, so that either of them holds the index.
                    shift = view(found.shift, (found.count, 3), np.int8, ij)[:, :self.dim]
                elif images:
                    shift = self._shifts(None, found.count)
                if ij.base is not None:
                    self._shown = weakref.ref(ij.base)
        if shift is not None:
            return ij, shift
        return ij if apart(self._box, self._most, self._gap) else distinct(ij)

    def rows(self) -> Rows:
        """Candidates of each sphere; a copy. A list is kept from call to call until a pair could be missing from it, or until spheres, radii, gap or box are others.
        Not for an index with skin < 0; with 0 the skin is three tenths of the mean radius.

        >>> index = Index(skin=0.5)
        >>> index.update([[0, 0, 0], [2.25, 0, 0], [9, 0, 0]], 1)
        >>> index.rows().j.tolist(), index.pairs().tolist()
        ([1], [])
        """
        with self._turn():
            handle = self._open()
            xr = np.zeros((lib.scree_index_get_count(handle), 4))
            check(lib.scree_index_get_all(handle, xr.ctypes.data))
            if self._candidates is None or self._listed is None or not np.array_equal(self._listed, xr[:, 3]):
                self._candidates = self._make_candidates(xr[:, 3])
                self._listed = xr[:, 3].copy()
            near = self._candidates._open()
            items = lib.scree_default_candidate_items()
            items.count, items.xr = len(xr), xr.ctypes.data
            mask = _abi.scree_pair_mask()
            check(lib.scree_index_get_mask(handle, ctypes.byref(mask)))
            if mask.group:
                items.mask = ctypes.pointer(mask)
            now, then = self._away, self._list_away
            items.others = (now is None) != (then is None) or (now is not None and then is not None and not np.array_equal(now, then))
            found = _abi.scree_candidate_rows()
            check(self._watch.guard(lib.scree_candidates_update, near, ctypes.byref(items)))
            check(lib.scree_candidates_get_rows(near, ctypes.byref(found)))
            if found.build != self._candidates.build:
                self._candidates.build = found.build
                self._builds += 1
                self._list_away = self._away
            ij = take(found.ij, (found.count, 2), np.int32)
            j = ij[:, 1].copy()
            shift = _of_pairs(self._shifts(found.shift, found.count), self._list_away, ij) if any(self._box.periodic) else None
            return Rows(take(found.start, (found.items + 1,), np.int64), j, shift, self._builds, found.skin)

    def _make_candidates(self, r: Array) -> Candidates:
        """The service that makes the rows, with the search of this index."""
        search = _abi.scree_index_def.from_buffer_copy(self._definition)
        search.box, search.gap, search.rebuild_every = self._box._lattice(), self._gap, 0
        verlet = _abi.METHODS[search.method] == "verlet-list"
        if search.skin < 0 and not verlet:
            raise ArgumentError(f"skin = {search.skin:g}: this index keeps no candidates, and has no rows; expected 0 or more")
        if search.verlet_radius > 0:
            search.skin = 0
        elif search.skin <= 0 and len(r):
            search.skin = 0.5 * r.max() if verlet else 0.3 * r.mean()
        definition = lib.scree_default_candidates_def()
        definition.search = ctypes.pointer(search)
        handle = ctypes.c_void_p()
        check(lib.scree_candidates_create(ctypes.byref(definition), ctypes.byref(handle)))
        return Candidates(handle.value, lib.scree_candidates_destroy)

    def set_gap(self, gap: float) -> None:
        """The gap of later updates; until the next update the index contains no spheres."""
        gap = real(gap, "gap")
        with self._turn():
            check(lib.scree_index_set_gap(self._change(), gap))
            self._gap, self._candidates, self._stream, self._away = gap, None, None, None

    # -- one by one --

    def __getitem__(self, i: int) -> tuple[Array, float]:
        """Centre and radius of sphere i; centres are inside the box on periodic axes."""
        x, r = np.empty(self.dim), ctypes.c_double()
        with self._turn():
            handle = self._open()
            i = whole(i, "i")
            if not 0 <= i < lib.scree_index_get_count(handle):
                raise IndexError(f"there is no sphere {i} among {lib.scree_index_get_count(handle)}")
            check(lib.scree_index_get(handle, i, x.ctypes.data, ctypes.byref(r)))
        return self._box._back(x), r.value

    def move(self, i: int, x: ArrayLike) -> None:
        """Sphere i is now at x."""
        x, turns = _wrapped(self._box, self._box.turned(vector(x, self.dim, "x")))
        with self._turn():
            i = whole(i, "i")
            check(lib.scree_index_move(self._change(), i, x.ctypes.data))
            self._set_away(i, turns)

    def _set_away(self, i: int, turns: Optional[Array]) -> None:
        """Sphere i, which may be a new one, has been given at so many boxes."""
        if turns is None and self._away is None:
            return
        count = lib.scree_index_get_count(self._open())
        new = np.zeros((count, self.dim), np.int32)
        if self._away is not None:
            new[:len(self._away)] = self._away
        new[i] = 0 if turns is None else turns
        self._away = new

    def insert(self, x: ArrayLike, r: float, user: int = 0) -> int:
        """Inserts a sphere and returns its number, the last. `user`: see `set_user`."""
        x, r, number, user = self._box.turned(vector(x, self.dim, "x")), real(r, "r"), ctypes.c_int32(), _user_number(user)
        x, turns = _wrapped(self._box, x)
        with self._turn():
            check(lib.scree_index_insert(self._change(), x.ctypes.data, r, ctypes.byref(number)))
            self._most = max(self._most, r)
            if user != 0:
                try:
                    check(lib.scree_index_set_user(self._open(), number.value, user))
                except ScreeError:
                    lib.scree_index_remove(self._open(), number.value)
                    raise
            self._set_away(number.value, turns)
            self._candidates = None
        return number.value

    def set_user(self, i: int, user: int) -> None:
        """Gives sphere i a number of your own, an int64: an id, or a row of another table. It follows the sphere when `remove` renumbers it; updates keep it by number. 0 until it is set.

        >>> index = Index()
        >>> index.update([[0, 0, 0], [1, 0, 0], [5, 0, 0]], 1)
        >>> index.set_user(2, 70)
        >>> index.remove(0)
        >>> index.get_user(0), index.user.tolist()
        (70, [70, 0])
        """
        with self._turn():
            check(lib.scree_index_set_user(self._open(), whole(i, "i"), _user_number(user)))

    def get_user(self, i: int) -> int:
        """The number that `set_user` gave to sphere i."""
        user = ctypes.c_int64()
        with self._turn():
            check(lib.scree_index_get_user(self._open(), whole(i, "i"), ctypes.byref(user)))
        return user.value

    @property
    def user(self) -> Array:
        """The numbers of `set_user` of all spheres, (n,) int64; a read-only copy. Assign an array to set all of them: `index.user[index.neighbours(0)]` are the numbers of the neighbours."""
        with self._turn():
            handle = self._open()
            found = np.zeros(lib.scree_index_get_count(handle), np.int64)
            check(lib.scree_index_get_user_all(handle, found.ctypes.data))
        return frozen(found)

    @user.setter
    def user(self, values: ArrayLike) -> None:
        given = np.asarray(values)
        if given.size and not np.can_cast(given.dtype, np.int64):
            raise ArgumentError(f"user: an array of {given.dtype}; expected integers up to int64")
        with self._turn():
            handle = self._open()
            n = lib.scree_index_get_count(handle)
            if given.shape != (n,):
                raise ArgumentError(f"user: an array of shape {given.shape}; expected ({n},), one number per sphere")
            given = np.ascontiguousarray(given, np.int64)
            check(lib.scree_index_set_user_all(handle, given.ctypes.data))

    def remove(self, i: int) -> None:
        """Sphere i is taken away; the last one takes its number."""
        with self._turn():
            i = whole(i, "i")
            check(lib.scree_index_remove(self._change(), i))
            if self._away is not None:
                self._away = self._away.copy()
                self._away[i] = self._away[-1]
                self._away = self._away[:-1]
            self._candidates = None  # also if the next sphere inserted has this radius: groups are others

    def set_radius(self, i: int, r: float) -> None:
        """Another radius of sphere i."""
        r = real(r, "r")
        with self._turn():
            check(lib.scree_index_set_radius(self._change(), whole(i, "i"), r))
            self._most = max(self._most, r)

    def set_box(self, box: BoxLike, periodic: PeriodicLike = None) -> None:
        """Another box around the same centres."""
        box = box_for(box, periodic, self.dim)
        if not np.array_equal(self._box.turned(np.eye(self.dim)), box.turned(np.eye(self.dim))):
            raise ArgumentError("this cell is rotated otherwise than that of the index, so the centres would be others: make a new index")
        with self._turn():
            check(lib.scree_index_set_box(self._change(), ctypes.byref(box._lattice())))
            self._away = None
            self._box, self._most, self._candidates = box, np.inf, None  # of spheres that may not have been looked at

    def rescale(self, centres: float, radii: float = 1.0) -> None:
        """Box and centres times one factor, radii times another."""
        centres, radii = real(centres, "centres"), real(radii, "radii")
        with self._turn():
            check(lib.scree_index_scale(self._change(), centres, radii))
            self._box, self._most, self._candidates = self._box._scaled(centres), np.inf, None

    def neighbours(self, i: int, images: bool = False) -> Union[Array, tuple[Array, Array]]:
        """Who is nearer than the gap to sphere i, sorted; with `images` also the shifts. Each image is one neighbour."""
        with self._turn():
            found = _abi.scree_neighbours()
            i = whole(i, "i")
            check(lib.scree_index_neighbours(self._change(), i, ctypes.byref(found)))
            return self._near(found, images, None if self._away is None else self._away[i])

    def query(self, x: ArrayLike, r: float = 0.0, images: bool = False) -> Union[Array, tuple[Array, Array]]:
        """Spheres with a gap below the gap of the index to a probe sphere of radius r at x."""
        x, r = self._box.turned(vector(x, self.dim, "x")), real(r, "r")
        x, turns = _wrapped(self._box, x)
        with self._turn():
            found = _abi.scree_neighbours()
            check(lib.scree_index_query(self._change(), x.ctypes.data, r, ctypes.byref(found)))
            return self._near(found, images, turns)

    def _near(self, found: _abi.scree_neighbours, images: bool, turns: Optional[Array]) -> Union[Array, tuple[Array, Array]]:
        """`turns`: of the sphere or the probe."""
        j = take(found.j, (found.count,), np.int32)
        if not images:
            return j
        shift = self._shifts(found.shift, found.count)
        return j, _as_given(shift, turns, self._away, j)

    # -- what was done --

    @property
    def method(self) -> str:
        """The method in use: what "auto" settled on at the last update."""
        with self._turn():
            return str(lib.scree_method_name(lib.scree_index_method(self._open())).decode())

    @property
    def stats(self) -> Stats:
        """Counters of the last search: tests, cells, bytes, seconds and so on (Stats)."""
        method = self.method
        with self._turn():
            found = lib.scree_index_get_stats(self._open())
            predicted = {name: lib.scree_index_get_predicted(self._open(), number) for number, name in enumerate(_abi.METHODS)}
        values = {name: getattr(found, name) for name, _ in found._fields_}
        return Stats(method=method, predicted_work={name: value for name, value in predicted.items() if value > 0}, **values)

    def surroundings(self, i: int) -> Surroundings:
        """What the method has stored around sphere i (docs/search.md): for comparing methods. UnsupportedError: all-pairs, verlet-list, linear-list, tilted boxes."""
        found = _abi.scree_surroundings()
        with self._turn():
            check(lib.scree_index_surroundings(self._open(), whole(i, "i"), ctypes.byref(found)))
        return Surroundings(found.level, found.cells, found.spheres)

    @property
    def device(self) -> str:
        """What searches for pairs: "none" is the processor."""
        with self._turn():
            return _abi.DEVICES[lib.scree_index_get_device(self._open())]

    def validate(self) -> None:
        """Checks the whole structure, slowly."""
        with self._turn():
            check(lib.scree_index_validate(self._open()))

    def __repr__(self) -> str:
        if not self._handle:
            return "<scree.Index, closed>"
        box = "open" if np.isinf(self._box.size).all() else f"box {self._box._brief()}"
        return f"<scree.Index: {len(self)} in {self.dim}D, {box}, gap {self._gap:.6g}, {self.method}>"


# ---- One call -------------------------------------------------------------------------------------------------------

@dataclass(frozen=True, eq=False, repr=False)
class Device(Record):
    """A device that `device=` may name."""
    name: str
    memory: int  # bytes
    free: int


def device(kind: str = "cuda") -> Device:
    """What there is: "cuda" or "emulate" (docs/gpu.md). UnsupportedError: it is not there, and why."""
    found = _abi.scree_device_about()
    check(lib.scree_device_describe(choice(kind, _abi.DEVICES, "kind"), ctypes.byref(found)))
    return Device(found.name.decode("utf-8", "replace"), found.memory, found.free)


def _index_again(box: Box, gap: float, words: dict[str, Any], x: Array, r: Array, user: Array, group: Optional[Array], matrix: Optional[Array]) -> Index:
    index = Index(box, gap=gap, **words)
    if len(x):
        index.update(x, r)
        index.user = user
    if group is not None:
        index.set_mask(group, matrix)
    return index


def _wrapped(box: Box, x: Array) -> tuple[Array, Optional[Array]]:
    """Turned centres for the library, which takes those up to 32 boxes away, since its shifts are int8; and how many boxes each was away, None if `x` can be used as it is."""
    c = box._lattice()
    near = 0 if any(c.tilt) else 16  # boxes; a tilt can make one box many along the axis before
    beyond = [(k, near * (c.upper[k] - c.lower[k])) for k in range(box.dim) if c.periodic[k]]
    if not any((x[..., k] < c.lower[k] - far).any() or (x[..., k] > c.upper[k] + far).any() for k, far in beyond):
        return x, None
    x, turns = x.copy(), np.zeros(x.shape, np.int32)
    check(lib.scree_box_wrap_centres(ctypes.byref(c), x.size // box.dim, x.ctypes.data, turns.ctypes.data))
    return x, turns


def _as_given(shift: Array, mine: Optional[Array], turns: Optional[Array], j: Array) -> Array:
    """Shifts of wrapped centres, for the centres as given: those of one end were `mine` boxes away. int8 if they fit."""
    if mine is None and turns is None:
        return shift
    wide = shift + (0 if mine is None else mine) - (0 if turns is None else turns[j])
    return wide.astype(np.int8) if (np.abs(wide) <= 127).all() else wide


def _of_pairs(shift: Array, turns: Optional[Array], ij: Array) -> Array:
    return shift if turns is None else _as_given(shift, turns[ij[:, 0]], turns, ij[:, 1])


def _user_number(user: int) -> int:
    return whole(user, "user", -2 ** 63, 2 ** 63 - 1)


def apart(box: Box, most: float, gap: float) -> bool:
    """Whether no pair can touch through two images, and no sphere its own image: images are far enough apart for the largest radius."""
    return bool(lib.scree_box_period(ctypes.byref(box._lattice())) > 2.000001 * (2.0 * most + max(0.0, gap)))


def distinct(ij: Array) -> Array:
    """Sorted pairs without images of the same, and without i = j."""
    row = ij.view(np.int64)[:, 0]  # both numbers at once
    keep = ij[:, 0] != ij[:, 1]
    keep[1:] &= row[1:] != row[:-1]
    kept: Array = ij if keep.all() else ij[keep]
    return kept


def both_ways(count: int, ij: Array, shift: Optional[Array]) -> tuple[Array, Optional[Array]]:
    """Each pair of `count` spheres in both directions, by (i, j, shift), from sorted ones; shifts (m, 3)."""
    half, full = _abi.scree_pairs(len(ij), ij.ctypes.data, None if shift is None else shift.ctypes.data), _abi.scree_found_pairs()
    try:
        if len(ij) < SHORT:
            check(lib.scree_full_pairs(count, half, ctypes.byref(full)))
        else:
            call(lib.scree_full_pairs, count, half, ctypes.byref(full))
        return take(full.ij, (full.count, 2), np.int32), None if shift is None else take(full.shift, (full.count, 3), np.int8)
    finally:
        lib.scree_found_pairs_free(ctypes.byref(full))


@overload
def pairs(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = ..., box: Optional[BoxLike] = ..., periodic: PeriodicLike = ..., gap: float = ...,
          images: Literal[False] = ..., full: bool = ..., *, method: str = ..., threads: int = ...,
          progress: Optional[Callable[[float], Any]] = ..., device: str = ...,
          group: Optional[ArrayLike] = ..., group_pairs: Optional[ArrayLike] = ..., stream: Optional[int] = ...) -> Array: ...


@overload
def pairs(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = ..., box: Optional[BoxLike] = ..., periodic: PeriodicLike = ..., gap: float = ..., *,
          images: Literal[True], full: bool = ..., method: str = ..., threads: int = ...,
          progress: Optional[Callable[[float], Any]] = ..., device: str = ...,
          group: Optional[ArrayLike] = ..., group_pairs: Optional[ArrayLike] = ..., stream: Optional[int] = ...) -> tuple[Array, Array]: ...


def pairs(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None,
          gap: float = 0.0, images: bool = False, full: bool = False, *, method: str = "auto", threads: int = 0,
          progress: Optional[Callable[[float], Any]] = None, device: str = "none",
          group: Optional[ArrayLike] = None, group_pairs: Optional[ArrayLike] = None, stream: Optional[int] = None) -> Union[Array, tuple[Array, Array]]:
    """All pairs of spheres whose surfaces are nearer than `gap` (0: that overlap).

    x: centres, (n, 2) or (n, 3). r: radii, (n,) or one for all. float64 in C order is not copied. Or Spheres (a Packing too) alone, with their box.
    box: lengths of the sides from 0, or corners [lower, upper], or a cell of ASE (3 x 3, rows are edge vectors), or a Box; None: open space. Centres are
    inside its walls.
    periodic: True, axes ("xy"), or a bool for each. Centres may be any number of boxes away from the box.

    Gives (m, 2) int32, i < j, each pair once, sorted by (i, j). With `full` each pair in both directions, (i, j) and (j, i), as the
    neighbour lists of ASE and matscipy have them. With `images` (pairs, shifts): the image of j at x[j] + shift @ cell is meant (ASE's S; with
    right angles shift * size), every touching image is a row of its own, and a sphere may touch its own image (i = j). Shifts are int8, or int32 if centres
    are more than 127 boxes apart.

    group: whole numbers (n,), 0 or more: spheres of the same group are no pairs, in any image (molecules, clumps). With group_pairs, a symmetric matrix (groups, groups) of bools, spheres
    are pairs only if it is True for their two groups.

    device: "none" (the processor), "auto", "cuda" or "emulate" (docs/gpu.md). The pairs are the same. With "cuda", x and r may be arrays in the memory of the GPU (docs/gpu.md#arrays): so are the results
    then (DeviceArray), without a copy, on the CUDA stream `stream`. An Index keeps its memory from call to call.

    >>> pairs([[0, 0, 0], [1.5, 0, 0], [9.5, 0, 0]], [1, 1, 0.5])
    array([[0, 1]], dtype=int32)
    >>> ij, shift = pairs([[0.2, 1], [9.5, 1]], 0.5, box=(10, 10), periodic="x", images=True)
    >>> ij.tolist(), shift.tolist()
    ([[0, 1]], [[-1, 0]])
    >>> pairs([[0, 0], [1, 0]], 0.6, full=True).tolist()
    [[0, 1], [1, 0]]
    >>> pairs([[0, 0], [1, 0], [2, 0]], 0.6, group=[5, 5, 8]).tolist()
    [[1, 2]]
    """
    if is_on_device(x, device):
        there: tuple[Array, Array] = pairs_there(x, r, box, periodic, gap, images, full, method, device, group, group_pairs, stream)[1]
        return there
    return _ask(lib.scree_index_pairs, x, r, box, periodic, gap, images, full, method, threads, progress, device, group, group_pairs)


def pairs_there(x: Any, r: Any, box: Optional[BoxLike], periodic: PeriodicLike, gap: float, images: bool, full: bool, method: str, device: str, group: Optional[ArrayLike],
                group_pairs: Optional[ArrayLike], stream: Optional[int]) -> tuple[Index, Any]:
    """`pairs` of spheres in device memory, and the index that has them."""
    where = box_for(box, periodic, columns_of(x, device))
    index = Index(where, gap=gap, method=method, skin=-1.0, device=device)
    if group is not None or group_pairs is not None:
        index.set_mask(group, group_pairs)
    index.update(x, 0.0 if r is None else r, stream=stream)
    assert index._stream is not None
    return index, pairs_of(index, index.dim, images, full, device, index._stream, index)


def box_pairs(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None,
              gap: float = 0.0, images: bool = False, full: bool = False, *, method: str = "linear-list", threads: int = 0,
              progress: Optional[Callable[[float], Any]] = None) -> Union[Array, tuple[Array, Array]]:
    """All pairs of spheres whose bounding boxes, x - r to x + r on each axis, overlap or touch; or are no farther apart than `gap` on every axis.

    Arguments and results as in `pairs`; each of its pairs is a box pair too. method: "linear-list" or "all-pairs".

    >>> box_pairs([[0, 0], [1.5, 1.5], [3.5, 1.5]], 1).tolist(), pairs([[0, 0], [1.5, 1.5], [3.5, 1.5]], 1).tolist()
    ([[0, 1], [1, 2]], [])
    """
    return _ask(lib.scree_index_box_pairs, x, r, box, periodic, gap, images, full, method, threads, progress)


def _ask(ask: Callable[..., int], x: Union[Spheres, ArrayLike], r: Optional[ArrayLike], box: Optional[BoxLike], periodic: PeriodicLike, gap: float,
         images: bool, full: bool, method: str, threads: int,
         progress: Optional[Callable[[float], Any]], device: str = "none", group: Optional[ArrayLike] = None, group_pairs: Optional[ArrayLike] = None) -> Union[Array, tuple[Array, Array]]:
    """One question to an index that is made for it."""
    x, r, box = arrays_of(x, r, box, periodic)
    count, dim = x.shape
    box = box_for(box, None, dim)
    definition, _ = search_def(method, threads, gap, -1.0, {} if device == "none" else {"device": device})
    definition.box, definition.sorted = box._lattice(), True
    turned, turns = (x, None) if box is OPEN[dim] else _wrapped(box, box.turned(x))  # which the struct borrows
    view_of = spheres(turned, r)
    wrapped = box is not OPEN[dim] and any(definition.box.periodic)
    mask = None if group is None and group_pairs is None else mask_of(group, group_pairs, count)
    index, found = ctypes.c_void_p(), _abi.scree_pairs()

    def search() -> int:
        return (lib.scree_index_create(ctypes.byref(definition), ctypes.byref(index)) or
                lib.scree_index_update(index, view_of) or (mask is not None and lib.scree_index_set_mask(index, ctypes.byref(mask.struct))) or ask(index, ctypes.byref(found)))

    try:
        if progress is None and count < SHORT:
            check(search())
        else:
            watch = Watch(progress)
            definition.watch = watch.struct
            check(watch.guard(search))
        ij = take(found.ij, (found.count, 2), np.int32)
        shift = None
        if images:
            shift = take(found.shift, (found.count, 3), np.int8) if wrapped else np.zeros((found.count, 3), np.int8)
    finally:
        lib.scree_index_destroy(index)
    if not images and wrapped and count and not apart(box, float(r.max()), definition.gap):
        ij = distinct(ij)
    if full:
        ij, shift = both_ways(count, ij, shift)
    return ij if shift is None else (ij, _of_pairs(shift[:, :dim], turns, ij))
