"""Packings: `pack`, and one small function for each method, listed in PACKERS.

The function of a method takes a Wish with radii and a box, and returns centres, the box, whether the method converged, and a report.
A new method needs a function, a line in PACKERS, and its def struct in _abi.py.
"""
from __future__ import annotations

import contextlib
import ctypes
import math
import os
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, Box, BoxLike, PeriodicLike, choice, radii, real, seed_of, spheres, take, whole
from ._library import ArgumentError, ScreeError, Watch, call, check, lib
from ._records import Record, closest_spelling
from ._sizes import Sizes
from ._spheres import Spheres, arrays_of


class Packing(Spheres):
    """A packing: spheres in a box (or in the `container` that the box bounds), with its `density`, `method`, whether it `converged`, and a
    `report`, a dict whose keys depend on the method. Equal packings may differ in their reports, which contain run times."""
    __slots__ = ("method", "converged", "report")

    def __init__(self, x: Array, r: Array, box: Box, method: str, container: str, converged: bool, report: dict[str, Any]) -> None:
        super().__init__(x, r, box)
        self.method = method
        self.container = container
        self.converged = converged
        self.report = report

    @property
    def density(self) -> float:
        """Volume of the spheres to that of the box or container; 0 without spheres."""
        if len(self.r) == 0:
            return 0.0
        if self.box is None:
            raise ArgumentError("a packing without its box has no density")
        return float(lib.scree_spheres_volume(spheres(self.x, self.r))) / _volume(self.box, _abi.CONTAINERS.index(self.container))

    def _parts(self) -> tuple[Any, ...]:
        return (*super()._parts(), self.method, self.converged)

    def _about(self) -> str:
        return f" by {self.method!r}" + ("" if self.converged else ", not converged") + (
            "" if self.box is None else f", density {self.density:.6g}") + ("" if self.container == "box" else f", {self.container}")


def _volume(box: Box, container: int) -> float:
    return float(lib.scree_container_volume(ctypes.byref(_abi.scree_container(container, box._lattice()))))


def _volume_of_spheres(r: Array, dim: int) -> float:
    return float(lib.scree_spheres_volume(spheres(np.zeros((len(r), dim)), r)))


@dataclass
class Wish:
    """The request, checked."""
    r: Array
    box: Box
    given: bool     # the caller gave a box; otherwise it is a cube, by the density if that is given, else the unit cube
    free: bool      # neither box nor density was given
    container: int  # a place in _abi.CONTAINERS
    seed: int
    threads: int
    watch: Watch
    options: dict[str, Any]


Packed = tuple[Array, Array, Box, bool, dict[str, Any]]  # x, r, box, converged, report


@dataclass(frozen=True)
class Packer:
    pack: Callable[[Wish], Packed]
    options: dict[str, Any]                  # further arguments of `pack` with their defaults
    easy_density: Optional[dict[int, float]]  # used if neither density nor box is given; None: the density is a result
    containers: tuple[str, ...] = ("box",)    # that it supports


# ---- Checkpoints ----------------------------------------------------------------------------------------------------

@contextlib.contextmanager
def _checkpoint(definition: Any, wish: Wish, stage: str = "") -> Iterator[None]:
    """Saves the state of the packing of this def in the file that the options name, and continues from what is there. A file appears only when it is complete."""
    given, every = wish.options.get("checkpoint"), wish.options.get("checkpoint_every")
    if given is None:
        if every is not None:
            raise ArgumentError(f"checkpoint_every is {every!r}; expected a file too: checkpoint=FILE")
        yield
        return
    path = os.fsdecode(given) + stage
    saved = b""
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        saved = file.read()

    def save(context: Any, count: int, pieces: Any) -> int:
        try:
            with open(path + ".part", "wb") as file:
                for piece in pieces[:count]:
                    file.write(ctypes.string_at(piece.data, piece.size))
                file.flush()
                os.fsync(file.fileno())
            os.replace(path + ".part", path)
            return 0
        except BaseException as error:  # to be raised once the C code has returned
            wish.watch.error = error
            return -3

    callback, buffer = _abi.SAVE(save), ctypes.create_string_buffer(saved, max(len(saved), 1))
    definition.saver.save = ctypes.cast(callback, ctypes.c_void_p)
    definition.saver.seconds = 30.0 if every is None else real(every, "checkpoint_every")
    if saved:
        definition.resume.data, definition.resume.size = ctypes.addressof(buffer), len(saved)
    try:
        yield
    except ScreeError as error:
        raise type(error)(f"{path}: {error}") if "saved packing" in str(error) else error


# ---- The methods----------------------------------------------------------------------------------------------------

def _rsa(wish: Wish) -> Packed:
    definition, report = lib.scree_default_place_def(), _abi.scree_place_report()
    definition.box, definition.seed, definition.threads = wish.box._struct(), wish.seed, wish.threads
    definition.container = wish.container
    definition.watch, definition.report = wish.watch.struct, ctypes.pointer(report)
    if wish.options["tries"] is not None:
        definition.tries = whole(wish.options["tries"], "tries", 1, 2 ** 62)
    if wish.options["saturate"]:
        full, end = _abi.scree_sphere_set(), _abi.scree_saturation()
        rounds = whole(wish.options["rounds"], "rounds", 0, 2 ** 31 - 1)
        try:  # stopped, it holds what was placed so far
            check(wish.watch.guard(lib.scree_place_until_full, ctypes.byref(definition), len(wish.r), wish.r.ctypes.data, rounds, ctypes.byref(end),
                                   ctypes.byref(full)))
            x, r = take(full.x, (full.count, full.dim), np.float64), take(full.r, (full.count,), np.float64)
        finally:
            lib.scree_sphere_set_free(ctypes.byref(full))
        return x, r, wish.box, True, {name: getattr(end, name) for name in ("saturated", "listed", "refused", "rounds", "full_from", "tries")}
    x = np.empty((len(wish.r), wish.box.dim))
    check(wish.watch.guard(lib.scree_place_random, ctypes.byref(definition), len(wish.r), wish.r.ctypes.data, x.ctypes.data))
    return x, wish.r, wish.box, True, {"tries": report.tries}


def _lattice(wish: Wish) -> Packed:
    definition, x = lib.scree_default_place_def(), np.empty((len(wish.r), wish.box.dim))
    definition.box, definition.watch = wish.box._struct(), wish.watch.struct
    check(wish.watch.guard(lib.scree_place_lattice, ctypes.byref(definition), real(wish.options["spacing"], "spacing"), len(wish.r),
                           wish.r.ctypes.data, x.ctypes.data))
    return x, wish.r, wish.box, True, {}


def _rearrange(wish: Wish) -> Packed:
    options = {name: value for name, value in wish.options.items() if not name.startswith("checkpoint")}
    definition = lib.scree_paper_rearrange_def() if options.pop("as_paper") else lib.scree_default_rearrange_def()
    definition.box, definition.seed, definition.threads = wish.box._struct(), wish.seed, wish.threads
    definition.watch = wish.watch.struct
    definition.container = wish.container
    _fill(definition, options)
    report = ("overlap_left", "density_net", "sweeps", "growths", "rebuilds", "tests", "seconds")
    with _checkpoint(definition, wish):
        return _packed(wish, lib.scree_pack_rearrange, definition, wish.r, report)


def _fill(definition: Any, options: dict[str, Any]) -> None:
    """Options that are fields of the def by the same name; None: the library's choice. `index` is the method of search."""
    for name, value in options.items():
        if value is None:
            continue
        if name == "index":
            definition.method = choice(value, _abi.METHODS, "index")
        elif name == "moves":
            definition.moves = choice(value, _abi.MOVES, "moves")
        elif name == "centres":
            definition.centres = choice(value, _abi.CENTRES, "centres")
        else:
            setattr(definition, name, whole(value, name, 0, 2 ** 62) if name in ("sweeps", "warm_up", "steps") else real(value, name))


def _dem(wish: Wish) -> Packed:
    definition = lib.scree_default_compress_def()
    definition.box, definition.seed, definition.threads = wish.box._struct(), wish.seed, wish.threads
    definition.watch = wish.watch.struct
    _fill(definition, wish.options)
    return _packed(wish, lib.scree_pack_compress, definition, wish.r, ("max_overlap", "sweeps", "rebuilds", "seconds"))


def _grow(wish: Wish) -> Packed:
    definition = lib.scree_default_grow_def()
    options = {name: value for name, value in wish.options.items() if not name.startswith("checkpoint")}
    definition.box, definition.seed, definition.threads = wish.box._struct(), wish.seed, wish.threads
    definition.watch = wish.watch.struct
    if options["rate"] == 0:  # only motion is requested: grow quickly
        options["rate"] = 0.1
        options["collisions"] = 100.0 if options["collisions"] is None else options["collisions"]
    if wish.free:  # neither density nor box: until jammed
        definition.density = math.inf
        options["pressure"] = 1e6 if options["pressure"] is None else options["pressure"]
        options["rate"] = 0.01 if options["rate"] is None else options["rate"]  # at 0.02 most packings give way at constant size
    _fill(definition, options)
    grown = _abi.scree_growth()
    try:
        with _checkpoint(definition, wish):
            status = wish.watch.guard(lib.scree_pack_grow, ctypes.byref(definition), len(wish.r), wish.r.ctypes.data, ctypes.byref(grown))
            if not (status == -6 and grown.x):
                check(status)
        shape = (grown.count, wish.box.dim)
        report = {name: getattr(grown, name) for name in ("reached", "jammed", "reduced_pressure", "reduced_pressure_at_rest", "slower_rate", "collision_rate", "mean_free_time",
                                                          "temperature", "time", "collisions", "predictions", "tests", "refreshes", "rebuilds", "seconds")}
        report["v"] = take(grown.v, shape, np.float64)
        return take(grown.x, shape, np.float64), wish.r, Box._of(grown.box), grown.converged, report
    finally:
        lib.scree_growth_free(ctypes.byref(grown))


def _drop(wish: Wish) -> Packed:
    definition, dim, r = lib.scree_default_drop_def(), wish.box.dim, wish.r.copy()
    rng = lib.scree_rng_make(wish.seed, 6)  # the sizes arrive mixed
    for i in range(len(r) - 1, 0, -1):
        j = lib.scree_rng_below(ctypes.byref(rng), i + 1)
        r[i], r[j] = r[j], r[i]
    box, ball = wish.box, _abi.CONTAINERS[wish.container] == "sphere"
    if not wish.given:  # a base on which the heap becomes about as high as it is wide; a ball that they fill to a half
        unit = _volume(Box([1.0] * dim), wish.container)
        side = math.pow(_volume_of_spheres(r, dim) / (0.45 if ball else 0.8 if dim == 2 else 0.58) / unit, 1.0 / dim)
        box = Box([max(side, 1.05 * 2.0 * r.max(initial=0.0))] * dim, wish.box.periodic)
    elif not ball:
        box = Box([box.lower, (*box.upper[:-1], box.lower[-1] + 1.0)], box.periodic)  # the height is a result
    definition.box, definition.seed, definition.threads = box._struct(), wish.seed, wish.threads
    definition.container, definition.watch = wish.container, wish.watch.struct
    definition.centre, definition.lowest = bool(wish.options["centre"]), whole(wish.options["lowest"], "lowest")
    return _packed(wish, lib.scree_pack_drop, definition, r, ("tests", "seconds"))


def _packed(wish: Wish, function: Any, definition: ctypes.Structure, r: Array, report: tuple[str, ...]) -> Packed:
    """Calls a function that fills a scree_packing. If it is stopped, the packing so far is returned."""
    packed = _abi.scree_packing()
    try:
        status = wish.watch.guard(function, ctypes.byref(definition), len(r), r.ctypes.data, ctypes.byref(packed))
        if not (status == -6 and packed.x and packed.count):
            check(status)
        count = packed.count
        return (take(packed.x, (count, wish.box.dim), np.float64), r[:count], Box._of(packed.box), packed.converged,
                {name: getattr(packed, name) for name in report})
    finally:
        lib.scree_packing_free(ctypes.byref(packed))


def _stable(wish: Wish, packed: Packed, overlap: Optional[float]) -> Packed:
    """The packing in force balance."""
    x, r, box, converged, report = packed
    definition, found, made = lib.scree_default_stable_def(), _abi.scree_stability(), _abi.scree_packing()
    definition.box, definition.container, definition.threads, definition.watch = box._struct(), wish.container, wish.threads, wish.watch.struct
    _fill(definition, {"overlap": overlap, "index": wish.options.get("index")})
    try:
        # A packing that is not finished would be another one when the call is repeated.
        with _checkpoint(definition, wish, ".stable") if converged else contextlib.nullcontext():
            status = wish.watch.guard(lib.scree_pack_stable, ctypes.byref(definition), len(r), r.ctypes.data, x.ctypes.data, ctypes.byref(made))
            if not (status == -6 and made.x):
                check(status)
        at = take(made.x, x.shape, np.float64)
        call(lib.scree_find_stability, ctypes.byref(made.box), made.container, wish.threads, spheres(at, r), ctypes.byref(found))
        stable = {name: getattr(found, name) for name, _ in found._fields_}
        stable["contacts"] = stable.pop("bearing")
        return (at, r, Box._of(made.box), converged and made.converged,
                {**report, **{f"stable_{name}": value for name, value in stable.items()}})
    finally:
        lib.scree_packing_free(ctypes.byref(made))


PACKERS: dict[str, Packer] = {
    "rsa": Packer(_rsa, {"saturate": False, "rounds": 0, "tries": None}, {2: 0.25, 3: 0.15}, _abi.CONTAINERS),
    "lattice": Packer(_lattice, {"spacing": 0.0}, {2: 0.25, 3: 0.15}),
    "drop": Packer(_drop, {"lowest": 1, "centre": False}, None, _abi.CONTAINERS),
    "rearrange": Packer(_rearrange, {"as_paper": False, **dict.fromkeys((
        "tolerance", "growth", "balance", "start_density", "centres", "attraction", "moves", "margin", "margin_least", "warm_up", "sweeps", "seconds",
        "index", "checkpoint", "checkpoint_every"))}, None, _abi.CONTAINERS),
    "grow": Packer(_grow, dict.fromkeys(("rate", "pressure", "collisions", "restitution", "start_density", "seconds", "index", "checkpoint", "checkpoint_every")),
                   {2: 0.7, 3: 0.55}),
    "dem": Packer(_dem, dict.fromkeys(("pressure", "rate", "restitution", "start_density", "tolerance", "steps", "seconds", "index")), None),
}


# ---- The call -------------------------------------------------------------------------------------------------------

def pack(sizes: Union[str, Sizes, ArrayLike], count: Optional[int] = None, method: str = "rsa", *, density: Optional[float] = None,
         box: Optional[BoxLike] = None, periodic: PeriodicLike = None, container: str = "box", dim: Optional[int] = None, seed: int = 1,
         sampling: str = "systematic", threads: int = 0, progress: Optional[Callable[[float], Any]] = None, stable: bool = False,
         overlap: Optional[float] = None, **options: Any) -> Packing:
    """Packs spheres of a size distribution, or with given radii, into a box. The same as `scree pack` (which has no lattice), bit for bit.

    Methods and their options:
    "rsa": random sequential addition. Two of `count`, `density` and `box` give the third; with `count` alone a loose cube is used. With `saturate=True` spheres of the distribution are
        added in rounds until provably no sphere of the smallest size fits, in `box` or in a cube that `count` equal spheres would fill (more fit if sizes differ, because small spheres fill
        the gaps); `rounds=1` tries each radius once, and report["refused"] counts those that do not fit.
    "lattice": on a cubic lattice, x fastest, with a `spacing` (0: the largest that fits). `count`, `density` and `box` as for rsa.
    "drop": spheres fall and roll to rest one by one, in an order shuffled by the seed. The last axis is vertical, and the height is a result. Options: lowest (each sphere falls this
        many times, and the lowest position is used), centre (a cluster around the origin, without a box). See docs/pack.md.
    "rearrange": dense packings. The size of the box is a result; `box` gives its shape. Options: as_paper (True: the settings of Raschdorf and Kolonko, except for given options),
        tolerance, growth, balance, start_density, centres, attraction, moves, margin, margin_least, warm_up, sweeps, seconds, index (docs/rearrange.md). report["density_net"] is the
        density before the final scaling removes the last overlaps. If `progress` returns False, the current packing is returned, not converged.
    "grow": hard spheres that move, collide and grow to a `density`, into a `box`, or without either until they jam. Options: rate, pressure, collisions, restitution, start_density,
        seconds, index. report["v"] has the velocities. report["jammed"]: at constant size the pressure stays high (report["reduced_pressure_at_rest"]) and there are enough contacts;
        otherwise report["slower_rate"] is the rate to try (docs/grow.md).
    "dem": soft spheres, compressed by simulation to a jammed state. They overlap by at most report["max_overlap"], a length. Options: pressure, rate, restitution, start_density,
        tolerance, steps, seconds, index.

    container: "box", or for rsa, drop and rearrange also "cylinder" (along z) or "sphere" (2D: a circle) inside the box.

    stable=True: the packing is then compressed or expanded until all forces balance: a jammed state of frictionless soft spheres that overlap by about `overlap` (1e-4) diameters.
    report["stable_residual"] is the largest net force over the mean contact force; stable_contacts, stable_isostatic and stable_rattlers describe the contacts (docs/rearrange.md).

    checkpoint="FILE", with "rearrange" and "grow": the state is saved there every 30 seconds (`checkpoint_every`), with stable=True also in FILE.stable. If the process is killed, the same call continues from
    it with the same bits. Remove the file when the packing is in safety.

    No two spheres of the result overlap, except with "dem" and stable=True.

    >>> packing = pack("uniform-size:1:2", 200, method="rearrange", periodic=True)
    >>> packing.converged, len(pairs(packing.x, packing.r, packing.box))
    (True, 0)
    """
    how = PACKERS.get(method)
    if how is None:
        hint = " (its sizes are packed in windows: use scree.pack_hierarchy)" if method == "hierarchical" else ""
        raise ArgumentError(f"method is {method!r}{hint}; expected one of {', '.join(map(repr, PACKERS))}")
    for name in options:
        if name not in how.options:
            known = [repr(m) for m, packer in PACKERS.items() if name in packer.options]
            hint = f": it belongs to method {' and '.join(known)}" if known else closest_spelling(name, [*how.options, *pack.__kwdefaults__])
            raise TypeError(f"pack has no option {name!r} with method {method!r}{hint}")
    options = {**how.options, **options}
    saturate = bool(options.get("saturate"))
    density = None if density is None else real(density, "density")
    if density is not None and not 0.0 < density < 1.0:
        raise ArgumentError(f"density is {density}; expected a number between 0 and 1")
    if how.easy_density is None and density is not None:
        raise ArgumentError(f"density is {density}; expected none: with method {method!r} it is a result")
    kind = choice(container, _abi.CONTAINERS, "container")
    if container not in how.containers:
        raise ArgumentError(f"container is {container!r}: method {method!r} packs into {', '.join(map(repr, how.containers))}")
    if options.get("centre") and (box is not None or periodic is not None or kind != 0):
        raise ArgumentError("centre makes a cluster around the origin, without walls: no box, periodic or container goes with it")
    given = None if box is None else Box(box, periodic)
    if given is not None and dim is not None and given.dim != dim:
        raise ArgumentError(f"dim is {dim}, and the box has {given.dim} axes")
    dim = given.dim if given is not None else 3 if dim is None else whole(dim, "dim", 2, 3)
    if given is not None:
        check(lib.scree_container_check(ctypes.byref(_abi.scree_container(kind, given._lattice()))))
    r, full = _radii(sizes, count, density, given, kind, dim, sampling, seed, saturate)
    cube = given
    if cube is None:
        side = 1.0
        unit = _volume(Box([1.0] * dim), kind)
        if saturate:
            side = math.pow(_volume_of_spheres(r, dim) / full / unit, 1.0 / dim)
        elif how.easy_density is not None:
            side = math.pow(_volume_of_spheres(r, dim) / (how.easy_density[dim] if density is None else density) / unit, 1.0 / dim)
        cube = Box([side] * dim, periodic)
    wish = Wish(r, cube.triangular, given is not None, given is None and density is None, kind, seed_of(seed), whole(threads, "threads", 0), Watch(progress), options)
    packed = how.pack(wish)
    if stable:
        if options.get("centre"):
            raise ArgumentError("stable compresses a packing in a box, and centre makes a cluster without one")
        packed = _stable(wish, packed, overlap)
    elif overlap is not None:
        raise ArgumentError("overlap goes with stable=True")
    x, r, became, converged, report = packed
    x, became = cube._back(x), became._with_frame(cube._frame)
    return Packing(x, r, became, method, container, converged, report)


def _radii(sizes: Any, count: Optional[int], density: Optional[float], box: Optional[Box], container: int, dim: int, sampling: str,
           seed: int, saturate: bool) -> tuple[Array, float]:
    """Radii, and about the density at which random addition of them ends."""
    unit = math.pi if dim == 2 else 4.0 / 3.0 * 3.14159265358979323846
    if not isinstance(sizes, (str, Sizes)):
        r = radii(sizes.r if isinstance(sizes, Spheres) else sizes, name="sizes")
        if saturate and (density is not None or box is None):
            raise ArgumentError("saturate chooses the density itself: give radii and a box, and no density")
        if not saturate and (count is not None and count != len(r)):
            raise ArgumentError(f"count is {count}, and there are {len(r)} radii")
        if not saturate and density is not None and box is not None:
            raise ArgumentError("give only two of radii, density and box")
        return r, 0.0
    law = sizes if isinstance(sizes, Sizes) else Sizes(sizes, dim)
    if law.dim != dim:
        raise ArgumentError(f"the size distribution is for {law.dim}D; expected {dim}D, as the packing has")
    mean = unit * law.moment(dim)
    full = _full_density(law, dim) if saturate else 0.0
    if saturate:
        if density is not None or (count is None and box is None):
            raise ArgumentError("saturate chooses the density itself: give box, or count for a cube that so many equal spheres would fill, and no density")
        density = full if count is None else None
    if count is not None and density is not None and box is not None:
        raise ArgumentError("give only two of count, density and box")
    if count is None:
        if box is None or density is None:
            raise ArgumentError("how many? count is needed, or box and density")
        number = density * _volume(box, container) / mean
        if not 0.5 <= number < 2 ** 31 - 1:
            raise ArgumentError(f"this box holds {number:.3g} spheres of {law.text} at density {density}; 1 to {2 ** 31 - 1} are possible")
        count = math.floor(number + 0.5)
    return law.draw(count, sampling, seed), full


def _full_density(law: Sizes, dim: int) -> float:
    """About where random addition from large to small ends, as the program guesses it."""
    end = []
    for share in (0.1, 0.9):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if float(law.cdf_mass(law.quantile(middle))) < share:
                low = middle
            else:
                high = middle
        end.append(float(law.quantile(high)))
    classes = 1.0 + min(0.5 * math.log10(end[1] / end[0]), 2.0)
    return 1.0 - math.pow(1.0 - 0.547 if dim == 2 else 1.0 - 0.384, classes)


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy(Record):
    """What `pack_hierarchy` found: `density` of the whole recipe with its `error` and the parts of it, `error_statistical` (from the repeats) and `error_model`, and one dict for each class, coarse first, in `levels`: radius_min, radius_max, share (of the solid volume),
    alone, density (with all finer ones), error, error_statistical, error_model, window_density, enlarged, classes, spheres, and `sample`, the Spheres of the window."""
    density: float
    error: float
    levels: list[dict[str, Any]]
    error_statistical: float
    error_model: float


def pack_hierarchy(sizes: Union[str, Sizes], *, spheres: Optional[int] = None, class_ratio: Optional[float] = None, window: Optional[int] = None,
                   repeats: Optional[int] = None, reach: Optional[float] = None, dim: int = 3, seed: int = 1, threads: int = 0,
                   progress: Optional[Callable[[float], Any]] = None) -> Hierarchy:
    """The density of a recipe of any size ratio, from packings of windows of a few size classes each (docs/rearrange.md), as `scree pack hierarchical`.

    >>> found = pack_hierarchy("uniform-size:1:2", spheres=60, repeats=2)
    >>> len(found.levels), round(found.density, 1)
    (1, 0.6)
    """
    law = sizes if isinstance(sizes, Sizes) else Sizes(sizes, whole(dim, "dim", 2, 3))
    definition, found, watch = lib.scree_default_hierarchy_def(), _abi.scree_hierarchy(), Watch(progress)
    definition.dim, definition.seed, definition.threads, definition.watch = law.dim, seed_of(seed), whole(threads, "threads", 0), watch.struct
    for name, value in (("spheres", spheres), ("window", window), ("repeats", repeats)):
        if value is not None:
            setattr(definition, name, whole(value, name, 0, 2 ** 31 - 1))
    for name, number in (("class_ratio", class_ratio), ("reach", reach)):
        if number is not None:
            setattr(definition, name, real(number, name))
    try:
        check(watch.guard(lib.scree_pack_hierarchy, ctypes.byref(definition), law._handle, ctypes.byref(found)))
        levels = []
        for k in range(found.count):
            level = found.levels[k]
            row = {name: getattr(level, name) for name, _ in level._fields_ if name != "sample"}
            sample = level.sample
            row["sample"] = Spheres(take(sample.x, (sample.count, sample.dim), np.float64), take(sample.r, (sample.count,), np.float64), Box._of(sample.box))
            levels.append(row)
        return Hierarchy(found.density, found.error, levels, found.error_statistical, found.error_model)
    finally:
        lib.scree_hierarchy_free(ctypes.byref(found))


def predict_density(r: Union[Spheres, ArrayLike], dim: Optional[int] = None) -> float:
    """The density of a random close packing of spheres with these radii, as Farr and Groot estimate it; of Spheres in their dimension, else in 3D.

    >>> round(predict_density([1.0] * 10), 3)
    0.643
    """
    if isinstance(r, Spheres):
        dim = r.dim if dim is None else dim
        r = r.r
    r, dim, out = radii(r), 3 if dim is None else dim, ctypes.c_double()
    check(lib.scree_predict_density(whole(dim, "dim"), len(r), r.ctypes.data, ctypes.byref(out)))
    return out.value


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Record):
    """Whether forces at the contacts of spheres can balance; include/scree/pack.h explains each number."""
    contacts: int
    bearing: int          # contacts that carry a force
    isostatic: int        # that are needed
    rattlers: int
    coordination: float
    overlap: float
    force: float
    residual: float


def stability(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, threads: int = 0) -> Stability:
    """The measures of `pack(..., "rearrange", stable=True)` for any spheres in a closed box: contacts, rattlers, and how well forces balance.

    >>> stability([[0.5, 0.5], [1.49, 0.5]], 0.5, (1.99, 1)).contacts
    1
    """
    container = x.container if isinstance(x, Spheres) and box is None else "box"
    at, size, where = arrays_of(x, r, box, periodic)
    if where is None:
        raise ArgumentError("stability: expected a box that is closed on every axis")
    found = _abi.scree_stability()
    call(lib.scree_find_stability, ctypes.byref(where._struct()), _abi.CONTAINERS.index(container), whole(threads, "threads", 0), spheres(at, size), ctypes.byref(found))
    return Stability(**{name: getattr(found, name) for name, _ in found._fields_})
