"""Spheres that move: `Simulation`, and whole runs of a scene with their folder: `run`, `resume`, `plan`."""
from __future__ import annotations

import ctypes
import math
import os
import secrets
import shutil
import signal
import subprocess
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union, cast

import numpy as np

from . import _abi, _cell
from ._arrays import Array, ArrayLike, Box, BoxLike, PeriodicLike, box_for, centres, choice, frozen, matching, plain, real, reals, seed_of, spheres, take, unmasked, whole
from ._bonds import Bonds, BondsLike, from_struct as _bonds_of, make_def as _bonds_def, to_struct as _bonds_struct
from ._library import ArgumentError, Held, ScreeError, UnsupportedError, Watch, call, call_with, check, folder as library_folder, lib, says_stop
from ._loads import LOADS, Signal, make_load
from ._materials import SYMBOLS, Law, Materials, make_law
from ._memory import Memory, memory_struct
from ._parameters import Contact, Search, Walls, expand
from ._records import Record, table_html
from ._scene import Scene, SceneLike, Setup, scene_of
from ._search import search_def
from ._spheres import Outlines, PathLike, Spheres, _OwnedSet, arrays_of, encode, picture_png
from ._stepped import Functions, Stepped
from ._surfaces import surfaces_of

if TYPE_CHECKING:
    from ._run import Run


@dataclass(frozen=True, eq=False, repr=False)
class Contacts(Record):
    """All contacts at one time, sorted, contacts with walls last: from row `pair_count` on `ij[:, 1]` is -1 - b for boundary number b of
    `Simulation.boundaries()`; a wall of the box is -1 - (2 * axis + (0 lower, 1 upper))."""
    ij: Array       # (n, 2) int64
    shift: Array    # (n, dim) int8: contact with the image of j at x[j] + shift * size
    overlap: Array  # (n,)
    normal: Array   # (n, dim), from j to i, length 1
    force: Array    # (n, dim), on i
    pair_count: int      # between spheres
    memory: Array   # (n, words): memory of each contact, seen from i; (n, 0) if the law has no memory
    tangential: Array  # (n, dim): tangential part of the force; 0 without friction
    torque: Array   # (n, 3), in 2D (n,) about z: on i, by friction, rolling and twisting
    sliding: Array  # (n,) bool: friction is at its limit
    feature: Array  # (n,) int32: which triangle, edge or vertex of a mesh, or part of an exact shape, is touched; -1 for all other contacts
    friction: bool = False  # the contact law has friction

    def __len__(self) -> int:
        return len(self.ij)


@dataclass(frozen=True, eq=False, repr=False)
class Report(Record):
    """What `Simulation.measure` finds; include/scree/sim.h explains each number. The seconds do not count when two are compared."""
    step: int
    time: float
    energy_kinetic: float
    energy_contact: float
    energy_gravity: float
    energy_potential: float
    momentum: Array
    pressure: float
    virial: float
    contacts: int
    wall_contacts: int
    max_overlap: float
    max_overlap_relative: float
    speed_max: float
    rebuilds: int
    candidates: int
    skin: float
    method: str
    bytes: int
    seconds_search: float = field(compare=False)
    seconds_force: float = field(compare=False)
    seconds_integrate: float = field(compare=False)
    seconds_other: float = field(compare=False)
    kinetic_stress: Array  # (dim, dim), as contact_stress; their sum is the stress tensor, its trace dim * pressure
    contact_stress: Array
    energy_rotation: float      # energy_kinetic is without it
    energy_normal: float        # energy_contact by kind of spring
    energy_tangential: float
    energy_rolling: float
    energy_twisting: float
    dissipated_normal: float    # with energies=True, as the six that follow; else 0
    dissipated_tangential: float
    dissipated_rolling: float
    dissipated_twisting: float
    work_walls: float
    work_gravity: float
    work_forces: float
    sliding: int                # contacts that slide
    bonds: int                  # intact
    bonds_broken: int
    energy_bonds: float
    dissipated_bonds: float
    released_bonds: float       # energy that was in bonds when they broke
    dissipated_drag: float      # by drag and by local damping (docs/loads.md)
    dissipated_local: float
    inserted: int               # spheres that came while it ran, as the seven that follow
    removed: int
    mass_inserted: float
    mass_removed: float
    energy_inserted: float      # kinetic, rotation and contact energy that they had
    energy_removed: float
    gravity_inserted: float     # potential energy in gravity
    gravity_removed: float


@dataclass(frozen=True, eq=False, repr=False)
class Numbers(Record):
    """What the parameters of a simulation lead to."""
    stiffness: float
    time_step: float
    contact_duration: float
    shortest_contact: tuple[int, int]
    longest_time_step: float
    restitution_min: float
    restitution_max: float
    mass_min: float
    mass_max: float
    mass: float
    radius_min: float
    radius_max: float
    giant_radius: float
    force_quantum: float
    giant_count: int
    fixed: int
    rayleigh_time: float     # hertz, jkr, dmt: the shortest of all spheres; else 0
    overlap_expected: float  # the same: largest overlap of two that meet with `speed`, over the smaller radius
    torque_quantum: float
    bond_count: int
    bond_period: float       # half the period of the fastest bond
    bond_fastest: tuple[int, int]
    longest_time_step_by: str     # what longest_time_step follows from: "contact", "Rayleigh", or the part of the law: "normal", "tangential", "rolling", "twisting"
    longest_time_step_of: tuple[int, int]  # and of which spheres; -1: a wall, a fixed sphere, or with Rayleigh; -2: one that comes later


@dataclass(frozen=True, eq=False, repr=False)
class State(Record):
    """Everything that a simulation needs to continue as if it had never been stopped: the columns that change, by name, and the memory of contacts."""
    step: int
    walls: bytes  # walls and gravity, in the form of the library
    columns: dict[str, Array]
    motions: bytes = b""             # motion of boundaries other than the walls, in the form of the library; empty: unchanged
    memory: Optional[Memory] = None  # None: contacts have no memory
    account: Optional[Array] = None  # sums of energies=True; None: they begin at 0
    bonds: Optional[Bonds] = None    # None: bonds are as new
    cell: bytes = b""                # of a cell that changes, in the form of the library; empty: unchanged
    loads: Optional[Array] = None  # loads, in the form of the library; None: unchanged
    flow: bytes = b""                # inserted and removed spheres, in the form of the library; empty: none
    time_step: float = 0.0         # time step from here on; 0: that of the simulation

    @property
    def x(self) -> Array:
        """Centres, (n, dim): the column "x"."""
        return self.columns["x"]

    @property
    def v(self) -> Array:
        """Velocities, (n, dim): the column "v"."""
        return self.columns["v"]

    @property
    def w(self) -> Array:
        """Spins, (n, 3), in 2D too."""
        return self.columns["w"]


_STATE = 1  # SCREE_USE_STATE
_TYPES = {1: np.float64, 2: np.int64, 3: np.uint64, 4: np.int32, 5: np.uint16, 6: np.uint8}  # scree_type


def _report(found: _abi.scree_sim_report, dim: int) -> Report:
    values = {name: getattr(found, name) for name, _ in found._fields_}
    flow = values.pop("flow")
    values.update({name: getattr(flow, name) for name, _ in flow._fields_[1:]})
    values["momentum"] = np.array(found.momentum[:])
    values["method"] = _abi.METHODS[found.method]
    for name in ("kinetic_stress", "contact_stress"):
        values[name] = np.array(values[name])[:dim, :dim].copy()
    return Report(**values)


def _three(values: ArrayLike, dim: int, name: str) -> list[float]:
    array = reals(values, name)
    if array.shape not in ((dim,), (3,)):
        raise ArgumentError(f"{name} has the shape {array.shape}; expected ({dim},), one number for each axis")
    return [*map(float, array), *[0.0] * (3 - len(array))]


def _state_struct(columns: dict[str, Array]) -> tuple[_abi.scree_sim_state, Any]:
    """The library's struct for these arrays, and what has to live as long as it."""
    values = (_abi.scree_sim_values * len(columns))()
    for k, (name, array) in enumerate(columns.items()):
        values[k].name, values[k].data = name.encode(), array.ctypes.data
    return _abi.scree_sim_state(column_count=len(columns), columns=values), values


CONTACTS = {"stiffness", "contact_duration", "overlap", "speed", "damping", "restitution", "viscous_time", "young", "poisson", "friction", "friction_dynamic", "tangential_stiffness",
            "tangential_damping", "rolling_friction", "rolling_stiffness", "rolling_damping", "twisting_friction", "twisting_stiffness", "twisting_damping", "surface_energy", "bridge_volume",
            "surface_tension", "wetting_angle", "k1", "k2", "kc", "plastic_depth", "materials", "pairs", "mix", "wall_material", "surfaces"}


class Simulation(Stepped):
    """Simulation of spheres by the discrete element method (docs/sim.md, docs/laws.md).

    x, r, v: centres (n, dim), radii (n,) or one for all, velocities (n, dim) or None (at rest). All are copied. If x is Spheres or a Packing, radii, box
    and container are taken from it, and the columns "velocity", "spin" and "material" if it has them.
    Stiffness: exactly one of `stiffness`, `contact_duration`, or `overlap` with `speed`; with the laws "hertz", "jkr" and "dmt" instead `young` and `poisson`, and the impact `speed`
    for which the time step is chosen. Dissipation: `damping`, `restitution` or (hertz, jkr, dmt) `viscous_time`.
    `law`: the normal force, "linear", "hertz", "jkr", "dmt" or "plastic"; or "record", which keeps a record of each contact (`memory`) up to a gap of `reach` times the largest radius. Further parts follow from their
    parameters, or are named: `tangential` ("none", "linear", "mindlin"), `rolling` ("none", "spring"), `twisting` ("none", "spring", "marshall"); `pull=False`: damping never attracts.
    `surfaces`: boundaries of any shape, a list of mappings (docs/surface.md): one of plane, cylinder, cone, sphere, disc, box (each a mapping) and mesh (a file, or corners (n, 3, 3)), and name, material, velocity,
    spin, about, one_sided, on_crossing ("error", or "remove": spheres whose centres pass through it are removed); of a mesh scale.
    `walls_on_crossing`: the same for the walls of the box and the round wall of a container.
    Parameters of friction and so on, from `friction` to `plastic_depth`, are in docs/laws.md; the defaults are there too.
    `contact`, `walls` and `search`: the same as objects, `Contact`, `Walls` and `Search`, which hold some of the keywords; entries of `materials` and `pairs` may be `Material` and `Contact`.
    Several materials: `materials` ({"glass": dict(young=7e10, poisson=0.22, material_density=2500), ...}), `pairs` ({("glass", "steel"): dict(friction=0.3, restitution=0.9), ...}), `material`
    of the spheres, by name or number, one for all or (n,), and `wall_material`, one for all walls or by wall ({"lower_z": "steel", "others": "glass"}). A parameter given for all holds for pairs without their own; with `mix`, pairs of different materials
    have the geometric mean of the values of the two instead.
    `time_step`: 0: 1/50 of the shortest contact. `integrator`: "velocity-verlet", or "position-verlet" as in the papers of Muth et al.: the same
    trajectory except for rounding.
    Single spheres may differ, by arrays of n: `material_density`, `material` and `group` (whole numbers from 0), `fixed` (they do not move),
    `force` (n, dim), external, `spin` (n, 3) or in 2D (n,), at the start, and `inertia` (np.inf: it does not rotate).
    `bonds`: bonds between spheres, which can break (docs/laws.md): dict(gap=..., young=..., tensile_strength=..., ...) for spheres at most `gap` apart, or with pairs=(n, 2)
    numbers of spheres instead of a gap; or a list of such dicts. `bonds()` returns them.
    Spheres can be inserted and removed during the simulation (`insert`, `remove`); `later` announces their radii, so that stiffness and time step take them into account: the smallest and the
    largest, or dict(r=..., material=..., material_density=...) for each kind. `id`: ascending numbers of the spheres, from 0 on; default 0, 1, 2, ...
    `cell`: a periodic box that shears, strains or follows a stress (docs/sim.md): dict(shear=0.1), dict(strain=dict(zz=-0.01)), dict(stress=dict(pressure=100, rate=0.1)), and so on, as in
    scenes. `set_cell` changes it, `cell` returns it.
    `energies`: `measure` has dissipated energies and the work of walls, gravity and forces. `backend`: "fused", or "reference", which is slow and gives the
    same bits. `device`: "none" (the processor), or the device that computes the steps: "auto", "cuda", "emulate" (docs/gpu.md); "cuda" and "emulate" compute forces themselves and do not take another `backend`. `giants`: radius from which on forces are summed as integers (docs/sim.md); 0: 64 times the median.
    The trajectory has the same bits for any `method`, `skin` and number of `threads`, however often the simulation is inspected.

    >>> sim = Simulation([[0, 0, 2.0]], 0.5, box=(4, 4, 4), periodic="xy", gravity=(0, 0, -9.81), stiffness=1e5, restitution=0.5)
    >>> sim.advance(time=0.1)
    >>> bool(sim.x[0, 2] < 2.0), round(sim.time, 3)
    (True, 0.1)
    """
    __slots__ = ("_dim", "_count", "_names", "_known", "_scene", "_surfaces", "_given", "_external", "_how")
    _does = Functions(lib.scree_sim_get_step, lib.scree_sim_get_time, lib.scree_sim_run, lib.scree_sim_get_box, lib.scree_sim_hash, lib.scree_sim_get_memory, lib.scree_sim_get_boundaries,
                      lib.scree_checkpoint_restore)
    _changes: list[tuple[int, int]]   # the step, and the number in the scene
    _scene: Optional[Scene]
    _end: Optional[int]
    _names: tuple[str, ...]
    _known: Optional[Materials]
    _surfaces: Any
    _given: Optional[dict[str, Any]]
    _external: dict[str, tuple[Array, Array]]  # "force", "torque": the array that callers write to, and what the simulation has
    _how: dict[str, Any]              # of a scene: arguments of from_scene

    def __init__(self, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, box: Optional[BoxLike] = None,
                 periodic: PeriodicLike = None, *, gravity: Optional[ArrayLike] = None, gravity_turn: Optional[ArrayLike] = None,
                 wall_velocity: Optional[ArrayLike] = None, material_density: ArrayLike = 1.0, stiffness: float = 0.0,
                 contact_duration: float = 0.0, overlap: float = 0.0, speed: float = 0.0, damping: float = 0.0, restitution: float = 0.0,
                 viscous_time: Optional[float] = None, law: str = "linear", tangential: Optional[str] = None, rolling: Optional[str] = None,
                 twisting: Optional[str] = None, pull: bool = True, young: Optional[float] = None, poisson: Optional[float] = None,
                 friction: Optional[float] = None, friction_dynamic: Optional[float] = None, tangential_stiffness: Optional[float] = None,
                 tangential_damping: Optional[float] = None, rolling_friction: Optional[float] = None, rolling_stiffness: Optional[float] = None,
                 rolling_damping: Optional[float] = None, twisting_friction: Optional[float] = None, twisting_stiffness: Optional[float] = None, twisting_damping: Optional[float] = None,
                 surface_energy: Optional[float] = None, bridge_volume: Optional[float] = None, surface_tension: Optional[float] = None,
                 wetting_angle: Optional[float] = None, k1: Optional[float] = None, k2: Optional[float] = None, kc: Optional[float] = None, plastic_depth: Optional[float] = None,
                 materials: Optional[Mapping[str, Any]] = None, pairs: Optional[Mapping[Any, Any]] = None, mix: bool = False, material: Optional[ArrayLike] = None,
                 wall_material: Union[None, int, str, Mapping[str, Union[int, str]]] = None, group: Optional[ArrayLike] = None, fixed: Optional[ArrayLike] = None,
                 force: Optional[ArrayLike] = None, spin: Optional[ArrayLike] = None, inertia: Optional[ArrayLike] = None, bonds: Optional[BondsLike] = None,
                 surfaces: Optional[Sequence[Mapping[str, Any]]] = None, cell: Optional[Mapping[str, Any]] = None, later: Union[None, ArrayLike, Mapping[str, Any]] = None,
                 id: Optional[ArrayLike] = None, energies: bool = False,
                 giants: float = 0.0, time_step: float = 0.0, integrator: str = "velocity-verlet",
                 backend: str = "fused", device: str = "none", walls_on_crossing: str = "error", order_every: Optional[int] = None, method: str = "auto", skin: float = 0.0,
                 threads: int = 0, verify: bool = False, progress: Optional[Callable[[float], Any]] = None, contact: Optional[Contact] = None, walls: Optional[Walls] = None,
                 search: Optional[Search] = None, **parameters: Any) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__", "parameters", "contact", "walls", "search")}  # for set_contacts
        if contact is not None or walls is not None or search is not None:
            keywords = expand({**given, **parameters}, Simulation.__init__.__kwdefaults__, {"contact": (contact, Contact), "walls": (walls, Walls), "search": (search, Search)})
            Simulation.__init__(self, **keywords)
            return
        again = parameters.pop("_again", False)
        given.update(parameters)
        for name in parameters:
            if name in SYMBOLS:
                raise TypeError(f"there is no parameter {name!r}; did you mean {SYMBOLS[name]!r}?")
        container = x.container if isinstance(x, Spheres) and box is None else "box"
        if isinstance(x, Spheres):
            v = x["velocity"] if v is None and "velocity" in x else v
            spin = next((x[name] for name in ("spin", "spin_z", "omega") if name in x), None) if spin is None else spin
            material = x["material"] if material is None and materials is not None and "material" in x else material
        x, r, box = arrays_of(x, r, box, periodic)
        count, dim = x.shape
        v = None if v is None else matching(v, x, "v")
        definition, box = lib.scree_default_sim_def(), box_for(box, None, dim)
        definition.box, definition.container = box._struct(), _abi.CONTAINERS.index(container)
        if gravity is not None:
            definition.gravity[:] = _three(gravity, dim, "gravity")
        if gravity_turn is not None:
            turn = reals(gravity_turn, "gravity_turn")
            definition.gravity_turn[:] = [0.0, 0.0, float(turn)] if turn.ndim == 0 else _three(turn, 3, "gravity_turn")
        if wall_velocity is not None:
            definition.wall_velocity = _walls(wall_velocity, dim)
        known, of_contacts = Materials(materials, {"young": young, "poisson": poisson}), Law(law, tangential, rolling, twisting, pull)
        of_contacts.take(parameters)
        numbers = known.numbers(material, count)
        material_density = known.densities(numbers, material_density, count)
        each, held = _each(x, material_density, numbers, group, fixed, force, spin, inertia, id)
        definition.each = ctypes.pointer(each)
        coming, kept_later = _later(later, known, material_density)
        if coming is not None:
            definition.later = ctypes.pointer(coming)
        if k1 is not None:
            if law != "plastic" or stiffness:
                raise ArgumentError(f"k1 {k1!r}: it is the stiffness of the law 'plastic', and " +
                                    (f"stiffness is {stiffness!r} already" if law == "plastic" else f"the law is {law!r}"))
            stiffness = k1
        flat = {"stiffness": stiffness or None, "damping": damping or None, "restitution": restitution or None, "viscous_time": viscous_time,
                "friction": friction, "friction_dynamic": friction_dynamic, "tangential_stiffness": tangential_stiffness,
                "tangential_damping": tangential_damping, "rolling_friction": rolling_friction, "rolling_stiffness": rolling_stiffness,
                "rolling_damping": rolling_damping, "twisting_friction": twisting_friction, "twisting_stiffness": twisting_stiffness, "twisting_damping": twisting_damping,
                "surface_energy": surface_energy, "bridge_volume": bridge_volume, "surface_tension": surface_tension, "wetting_angle": wetting_angle,
                "k2": k2, "kc": kc, "plastic_depth": plastic_depth}
        shapes = surfaces_of(surfaces, dim, lambda one: known.number(one, "surfaces.material"))
        if shapes is not None:
            shapes.put(definition)
        of_walls, by_pair = make_law(of_contacts, known, pairs, bool(mix), {name: real(value, name) for name, value in flat.items() if value is not None}, numbers,
                                    fixed, count, wall_material, box, container, shapes.materials if shapes else ())
        definition.law, definition.wall_material = ctypes.pointer(of_contacts.struct), of_walls.others
        if of_walls.faces is not None:
            definition.face_materials = (ctypes.c_int32 * 6)(*of_walls.faces)
        for name, value in (("material_density", 1.0 if np.ndim(material_density) else material_density), ("stiffness", stiffness),
                            ("contact_duration", contact_duration), ("overlap", overlap), ("speed", speed), ("damping", damping),
                            ("restitution", restitution), ("time_step", time_step), ("giants", giants)):
            setattr(definition, name, 0.0 if name in by_pair else real(value, name))
        definition.integrator = choice(integrator, _abi.INTEGRATORS, "integrator")
        definition.backend = choice(backend, _abi.BACKENDS, "backend")
        definition.device = choice(device, _abi.DEVICES, "device")
        definition.energies = bool(energies)
        definition.walls_remove = choice(walls_on_crossing, ("error", "remove"), "walls_on_crossing") == 1
        bonded, kept_bonds = _bonds_def(bonds, lambda one: known.number(one, "bonds"))
        if bonded is not None:
            definition.bonds = ctypes.pointer(bonded)
        if cell is not None:
            moving = _cell.make(cell)
            definition.cell = ctypes.pointer(moving)
        if order_every is not None:
            definition.order_every = whole(order_every, "order_every")
        searched, kept = search_def(method, 0, 0.0, skin, parameters, Simulation.__init__.__kwdefaults__)
        definition.search = ctypes.pointer(searched)
        definition.threads, definition.check = whole(threads, "threads", 0), bool(verify)
        try:
            if again:
                with self._turn():
                    self._hand_over()
                    call_with(self._count, lib.scree_sim_set_contacts, self._open(), ctypes.byref(definition), spheres(x, r))
            else:
                self._begin(definition, x, r, v, progress)
        except ArgumentError as error:
            raise known.explain(error) from None
        self._names, self._known, self._surfaces, self._given = known.names, known, shapes, given

    def _begin(self, definition: _abi.scree_sim_def, x: Array, r: Array, v: Optional[Array],
               progress: Optional[Callable[[float], Any]]) -> None:
        self._watch = Watch(progress)
        definition.watch = self._watch.struct
        self._dim, self._count, self._container = x.shape[1], x.shape[0], _abi.CONTAINERS[definition.container]
        self._changes, self._scene, self._end = [], None, None
        self._names, self._known, self._surfaces, self._given = (), None, None, None
        self._external, self._how = {}, {}
        handle = ctypes.c_void_p()
        call(lib.scree_sim_create, ctypes.byref(definition), spheres(x, r), None if v is None else v.ctypes.data, ctypes.byref(handle))
        super().__init__(handle.value, lib.scree_sim_destroy)

    @classmethod
    def from_scene(cls, scene: SceneLike, *, method: Optional[str] = None, threads: int = 0, seed: Optional[int] = None,
                   progress: Optional[Callable[[float], Any]] = None) -> "Simulation":
        """The simulation that a scene file describes, in memory: no folder, no frames, no log. `advance()` goes to the scene's end,
        and changes of gravity, walls and forces come at their times: the same bits as `scree run`. For a run with its folder see `scree.run`.
        """
        parsed, owned, watch = scene_of(scene, seed, threads), _OwnedSet(), Watch(progress)
        parsed._refuse_all_but_spheres()
        call(lib.scree_scene_read_tables, parsed._handle)
        check(watch.guard(lib.scree_scene_make_spheres, parsed._handle, watch.struct, ctypes.byref(owned.struct)))
        begin, setup = owned.spheres(), Setup(parsed, owned.struct)
        definition, searched = setup.definition, setup.definition.search.contents
        if method is not None and choice(method, _abi.METHODS, "method") != searched.method:
            search, _ = search_def(method, 0, 0.0, searched.skin, {})
            definition.search = ctypes.pointer(search)
        sim = cls.__new__(cls)
        sim._begin(definition, begin.x, begin.r, plain(begin["velocity"], np.float64), progress)
        sim._surfaces = setup
        deep = sim.measure().max_overlap_relative
        if deep > 0.1 and definition.each and definition.each.contents.fixed:  # fixed ones may be in each other and in walls
            fixed, found = take(definition.each.contents.fixed, (len(sim),), np.uint8) == 1, sim.contacts()
            i, j = found.ij.T
            free = ~fixed[i] | ((j >= 0) & ~fixed[j])
            share = found.overlap / np.where(j >= 0, np.minimum(begin.r[i], begin.r[j]), begin.r[i])
            deep = float(np.max(share[free], initial=0.0))
        if deep > 0.1:
            raise ArgumentError(f"spheres begin {deep:.3g} of a radius deep in each other or in a wall; at most 0.1 is accepted")
        paces = [(0, 0.0, sim.numbers.time_step)]  # steps of one length: the first, its time, the length
        sim._scene, sim._changes, sim._how = parsed, [], {"method": method, "threads": threads}
        for k, change in enumerate(parsed._changes()):
            sim._changes.append((_step_at(change.at, paces), k))
            if change.time_step > 0.0:
                first, (begin_step, begin_time, length) = sim._changes[-1][0], paces[-1]
                paces.append((first, begin_time + (first - begin_step) * length, change.time_step))
        sim._apply(-1)
        sim._end = parsed._facts.steps if parsed._facts.steps >= 0 else _step_at(parsed._facts.end, paces)
        return sim

    def __reduce__(self) -> Any:
        """What it was made of, and its state: the copy goes on with the same bits. Arrays of properties that the constructor got must not have changed since. Not after `insert` and `remove`."""
        if self._given is None and self._scene is None:
            raise TypeError("the simulation of a run cannot be pickled")
        numbers = self.column("id")
        made = {name: self.column(name) for name in ("radius", "inverse_mass", "group") if name in self.columns}
        if self._given is not None:
            given: Any = {**self._given, "progress": None}
            first = np.arange(len(arrays_of(given["x"], given["r"])[0])) if given["id"] is None else given["id"]
            if not np.array_equal(numbers, first):
                raise TypeError("a Simulation whose spheres were inserted or removed cannot be pickled; `save` keeps its state")
            return _simulation_again, (None, given, self.state(), made, 0)
        return _simulation_again, (self._scene, self._how, self.state(), made, len(self._changes))

    def set_contacts(self, contact: Optional[Contact] = None, **contacts: Any) -> None:
        """Other contacts from now on, as a `Contact` or by the names of the constructor: stiffness, contact_duration or overlap with speed; damping, restitution or viscous_time; friction and all other parameters
        of contacts; young, poisson, materials, pairs, mix, wall_material and surfaces (for their materials). What is not named stays. The law and its parts stay: friction can be switched on if the constructor
        names the part (tangential="linear"). Not for simulations of a scene or with bonds, nor after `insert` or `remove`. A time step that is too long for the new contacts is refused.

        >>> sim = Simulation([[0, 0, 0.5]], 0.5, [[1, 0, 0]], box=(4, 4, 4), periodic="xy", gravity=(0, 0, -10), stiffness=1e5, tangential="linear", time_step=1e-4)
        >>> sim.advance(1000)
        >>> sim.set_contacts(friction=0.3)
        >>> sim.advance(1000)
        >>> bool(sim.v[0, 0] < 0.9)
        True
        """
        if self._given is None:
            raise ArgumentError("set_contacts: this simulation comes from a scene; `changes` of the scene can have contact, pairs and materials, for scree.run")
        if self._given["bonds"] is not None:
            raise ArgumentError("set_contacts: not for simulations with bonds")
        contacts = expand(contacts, {}, {"contact": (contact, Contact)})
        for name in ("law", "tangential", "rolling", "twisting", "pull"):
            if contact is not None and name in contacts and contacts[name] == self._given[name]:
                del contacts[name]
        unknown = set(contacts) - CONTACTS
        if unknown:
            raise TypeError(f"set_contacts has no parameter {sorted(unknown)[0]!r}; contacts have {', '.join(sorted(CONTACTS))}")
        given = dict(self._given)
        for group in (("stiffness", "contact_duration", "overlap", "k1"), ("damping", "restitution", "viscous_time")):
            if any(name in contacts for name in group):
                given.update({name: Simulation.__init__.__kwdefaults__[name] for name in group})
        if "overlap" in self._given and self._given["overlap"] and not given["overlap"]:
            given["speed"] = 0.0
        Simulation.__init__(self, **{**given, **contacts}, _again=True)

    def set_time_step(self, time_step: float) -> None:
        """Changes the time step from now on. Positions, velocities, spins and the memory of contacts are kept; `time` counts each step with the length that it had.

        >>> sim = Simulation([[5, 5, 5]], 0.5, [[1, 0, 0]], box=(10, 10, 10), stiffness=0.5, time_step=0.25)
        >>> sim.advance(4)
        >>> sim.set_time_step(0.125)
        >>> sim.advance(4)
        >>> sim.time, float(sim.x[0, 0])
        (1.5, 6.5)
        """
        with self._turn():
            self._hand_over()
            check(self._watch.guard(lib.scree_sim_set_time_step, self._open(), real(time_step, "time_step")))

    # -- coming and going --

    @property
    def id(self) -> Array:
        """Numbers of the spheres, rising. Rows of all arrays are in this order; `contacts`, `memory` and messages name spheres by them. They are 0, 1, 2, ... until some are removed."""
        return frozen(self.column("id"))

    def insert(self, x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, *, material_density: Optional[ArrayLike] = None,
               material: Optional[ArrayLike] = None, group: Optional[ArrayLike] = None, fixed: Optional[ArrayLike] = None, force: Optional[ArrayLike] = None,
               spin: Optional[ArrayLike] = None, inertia: Optional[ArrayLike] = None, id: Optional[ArrayLike] = None) -> Array:
        """Puts further spheres in, as the constructor has them, and returns their numbers. Nothing is moved aside for them: `r` and `x` are to leave room. A sphere that needs a shorter
        time step than the simulation has is refused; `later` of the constructor announces it. The order in memory is renewed, which is part of what the bits depend on.

        >>> sim = Simulation([[1.0, 1.0, 1.0]], 0.5, box=(4, 4, 4), stiffness=1e4, later=0.5)
        >>> sim.insert([[3.0, 3.0, 3.0], [1.0, 3.0, 1.0]], 0.5)
        array([1, 2])
        >>> sim.remove([0])
        >>> sim.id, len(sim)
        (array([1, 2]), 2)
        """
        x, r, _ = arrays_of(x, r, None, None)
        v = None if v is None else matching(v, x, "v")
        numbers = self._known.numbers(material, len(x)) if self._known is not None else material
        if self._known is not None and self._known.names and material_density is None:
            material_density = self._known.densities(numbers, 1.0, len(x))
        density = None if material_density is None else np.broadcast_to(reals(material_density, "material_density"), len(x))
        each, held = _each(x, 1.0 if density is None else np.array(density), numbers, group, fixed, force, spin, inertia, id)
        first = ctypes.c_int64()
        before = self._count
        with self._turn():
            self._hand_over()
            call_with(self._count + len(r), lib.scree_sim_insert, self._open(), spheres(x, r), None if v is None else v.ctypes.data, ctypes.byref(each), ctypes.byref(first))
            self._renumbered(lib.scree_sim_get_count(self._open()))
        return plain(unmasked(id, "id"), np.int64).copy() if id is not None else np.arange(first.value, first.value + self._count - before)

    def remove(self, id: ArrayLike) -> None:
        """Takes out the spheres with these numbers (`id`). The numbers are not used again."""
        array = np.atleast_1d(unmasked(id, "id"))
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise ArgumentError(f"id has the shape {array.shape} and dtype {array.dtype}; expected a list of whole numbers")
        array = plain(array, np.int64)
        with self._turn():
            self._hand_over()
            call_with(self._count, lib.scree_sim_remove, self._open(), array.size, array.ctypes.data)
            self._renumbered(lib.scree_sim_get_count(self._open()))

    def take_crossings(self) -> list[dict[str, Any]]:
        """The spheres that surfaces with `on_crossing="remove"`, or walls with `walls_on_crossing="remove"`, have removed since the last call: id, step, boundary (its number in `boundaries()`), group and mass of each.

        >>> sim = Simulation([(0, 0, 0.5)], 0.1, [(0, 0, -5)], stiffness=1, time_step=1e-3, surfaces=[dict(plane=dict(normal=(0, 0, 1)), on_crossing="remove")])
        >>> sim.advance(200)
        >>> len(sim), [(one["id"], one["boundary"]) for one in sim.take_crossings()]
        (0, [(0, 6)])
        """
        with self._turn():
            count = lib.scree_sim_take_crossings(self._open(), None, 0)
            out = (_abi.scree_sim_crossing * count)()
            lib.scree_sim_take_crossings(self._open(), out, count)
        return [{key: getattr(one, key) for key in ("id", "step", "boundary", "group", "mass")} for one in out]

    # -- going on --

    def _moved(self) -> None:
        count = lib.scree_sim_get_count(self._at())
        if count != self._count:  # surfaces have removed some
            self._renumbered(count)

    def _save(self, saved: _abi.scree_checkpoint) -> int:
        return int(lib.scree_checkpoint_save(self._at(), ctypes.byref(saved)))

    def _apply(self, change: int) -> None:
        """A change of the scene, or with -1 what it has from the start."""
        assert self._scene is not None
        check(lib.scree_scene_apply(self._scene._handle, change, self._open()))

    def run(self, steps: Optional[int] = None, *, every: Optional[int] = None, call: Optional[Callable[["Simulation"], Any]] = None) -> None:
        """The short form of `advance(steps, every=every, callback=call)`."""
        self.advance(steps, every=every, callback=call)

    def _length_of_step(self) -> float:
        return float(self._ask(lib.scree_sim_get_numbers).time_step)

    # -- loads --

    def set_load(self, kind: str, target: Union[int, str] = 0, value: Union[Signal, ArrayLike] = 0.0, *, speed: float = 0.0, direction: Optional[ArrayLike] = None,
                 area: float = 0.0) -> None:
        """Sets a load from now on; it replaces a load of the same kind and target (docs/loads.md).

        kind: "gravity", "turn" (rotation of gravity); "force", "torque", "velocity", "spin" of the group `target`, which the last two drive; "boundary velocity", "boundary spin", "boundary path" of the boundary
        `target`, a number or a name from `boundaries()` ("lower z"); "servo force", "servo pressure", "servo torque" of a boundary, with `speed` and if needed `direction` and `area`;
        "drag", with (c, per_mass, c_spin); "local damping". value: numbers, or `ramp`, `sine`, `table`.
        """
        number = LOADS[choice(kind, LOADS, "kind")]
        if isinstance(target, str):
            names = [one["name"] for one in self.boundaries()]
            if target not in names:
                raise ArgumentError(f"there is no boundary {target!r}: {', '.join(names)} are there")
            target = names.index(target)
        load, kept = make_load(number, whole(target, "target", 0, 2 ** 31 - 1), value, 3 if number == "drag" else self._dim)
        load.speed, load.area = real(speed, "speed"), real(area, "area")
        if direction is not None:
            load.direction[:] = _three(direction, self._dim, "direction")
        with self._turn():
            self._hand_over()
            check(lib.scree_sim_set_load(self._open(), ctypes.byref(load)))

    def drive(self, group: int, velocity: Union[Signal, ArrayLike, None] = None, spin: Union[Signal, ArrayLike, None] = None) -> None:
        """Prescribes the motion of the group, independent of forces; what is not given is 0 or, if the group is already driven, unchanged."""
        if velocity is None and spin is None:
            raise TypeError("drive: expected a velocity or a spin")
        if velocity is not None:
            self.set_load("velocity", group, velocity)
        if spin is not None:
            self.set_load("spin", group, spin)

    def freeze(self, group: int) -> None:
        """Fixes the group: it does not move."""
        self.set_load("velocity", group, np.zeros(self._dim))
        if "w" in self._columns():
            self.set_load("spin", group, np.zeros(3))

    def release(self, group: int) -> None:
        """A group that was fixed, driven or frozen moves freely, with the velocities that it has."""
        with self._turn():
            check(lib.scree_sim_release_group(self._open(), whole(group, "group", 0, 65535)))

    def groups(self) -> list[dict[str, Any]]:
        """Of each group, by number: `count`, `held` (of them fixed or driven, which the rest is without), `mass`, `energy_kinetic`, `energy_rotation`, `momentum`."""
        with self._turn():
            count = lib.scree_sim_get_groups(self._open(), None, 0)
            found = (_abi.scree_sim_group_report * max(count, 0))()
            if count < 0 or lib.scree_sim_get_groups(self._open(), found, count) < 0:
                raise ScreeError(lib.scree_error_message().decode("utf-8", "replace"))
        return [{name: np.array(one.momentum[:]) if name == "momentum" else getattr(one, name) for name, _ in one._fields_} for one in found]

    @property
    def cell(self) -> Optional[_cell.Cell]:
        """Sides, tilts, strains and stresses of a cell that changes; None: it was made without `cell`."""
        found = _abi.scree_sim_cell_report()
        with self._turn():
            check(lib.scree_sim_get_cell(self._open(), ctypes.byref(found)))
        return _cell.report(found, self._dim)

    def set_cell(self, **cell: Any) -> None:
        """Lets the cell change in another way from the next step on; rates count from the cell as it is now. set_cell(shear=0) is one at rest. An ArgumentError for a
        simulation that was made without `cell`."""
        wanted = _cell.make(cell)
        with self._turn():
            check(lib.scree_sim_set_cell(self._open(), ctypes.byref(wanted)))

    # -- arrays --

    def __len__(self) -> int:
        return self._count

    @property
    def dim(self) -> int:
        """Dimension, 2 or 3."""
        return self._dim

    @property
    def integrator(self) -> str:
        """The integrator: "velocity-verlet" or "position-verlet"."""
        with self._turn():
            return _abi.INTEGRATORS[lib.scree_sim_get_integrator(self._open())]

    @property
    def device(self) -> str:
        """What does its steps: "none" is the processor."""
        with self._turn():
            return _abi.DEVICES[lib.scree_sim_get_device(self._open())]

    @property
    def law(self) -> str:
        """The contact law."""
        with self._turn():
            return str(lib.scree_sim_get_law(self._open(), None).decode())

    def _columns(self) -> dict[str, tuple[np.dtype[Any], tuple[int, ...], int]]:
        """Type, shape and uses of every column."""
        with self._turn():
            count = lib.scree_sim_get_columns(self._open(), None, 0)
            found = (_abi.scree_sim_column * count)()
            lib.scree_sim_get_columns(self._open(), found, count)
        return {column.name.decode(): (np.dtype(_TYPES[column.type]), (self._count,) if column.components == 1 else (self._count, column.components),
                                       column.uses) for column in found}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the data of each sphere; `column(name)` returns the values."""
        return tuple(self._columns())

    def column(self, name: str) -> Array:
        """The values of a column, a copy: "x", "v", "radius", "group" or any other name in `columns`."""
        known = self._columns()
        if name not in known:
            raise ArgumentError(f"there is no column {name!r}: {', '.join(known)} are there")
        out = np.empty(known[name][1], known[name][0])
        with self._turn():
            self._hand_over()
            check(lib.scree_sim_get_column(self._open(), name.encode(), out.ctypes.data))
        return out

    @property
    def x(self) -> Array:
        """Centres, a read-only copy. If they (or `v`) are set, the simulation continues from there; on periodic axes they are wrapped into the box. Spheres that still touch keep the
        memory of their contact, and bonds go on as they are: what broke stays broken."""
        return frozen(self.column("x"))

    @x.setter
    def x(self, x: ArrayLike) -> None:
        state = self.state()
        self._go_on(state, {"x": matching(x, state.x, "x"), "v": state.v})

    @property
    def v(self) -> Array:
        """Velocities, a read-only copy."""
        return frozen(self.column("v"))

    @v.setter
    def v(self, v: ArrayLike) -> None:
        state = self.state()
        self._go_on(state, {"x": state.x, "v": matching(v, state.v, "v")})

    def _turning(self, name: str) -> Array:
        """A column of laws with rotation, (n, 3)."""
        if "w" not in self._columns():
            raise ArgumentError("these spheres do not rotate; expected a law with friction, rolling_friction or twisting_friction")
        return self.column(name)

    # -- external forces --

    @property
    def external_force(self) -> Array:
        """External force on each sphere, (n, dim), to be written to: what is in it when steps are made acts from the next one on, until it is changed. At first it has the constructor's `force`. Forces of
        groups (`set_group_force`, `set_load`) are added to it; their work counts as `work_forces`. States and checkpoints have it, and `set_state` and `load` change it. After `insert`, `remove`, or when
        spheres were removed at a boundary, it is another array; writing to the old one is an error.

        >>> sim = Simulation([[0, 0, 0], [2, 0, 0]], 0.5, stiffness=1e3, time_step=0.001)
        >>> sim.external_force[1] = 0, 0, 3.0
        >>> sim.advance(1000)
        >>> sim.external_force[:] = 0
        >>> (sim.v[:, 2] / sim.column("inverse_mass")).round(6).tolist()
        [0.0, 3.0]
        """
        return self._lend("force")

    @external_force.setter
    def external_force(self, force: ArrayLike) -> None:
        self._fill("force", force)

    @property
    def external_torque(self) -> Array:
        """External torque on each sphere, (n, 3), in 2D (n,) about z, as `external_force`. ArgumentError: the law has no rotation."""
        return self._lend("torque")

    @external_torque.setter
    def external_torque(self, torque: ArrayLike) -> None:
        self._fill("torque", torque)

    def _get_external(self, name: str) -> Array:
        values = np.zeros((self._count, 3 if name == "torque" else self._dim))
        forces, torques = (None, values.ctypes.data) if name == "torque" else (values.ctypes.data, None)
        check(lib.scree_sim_get_external(self._open(), forces, torques))
        return _about(values, self._dim) if name == "torque" else values

    def _lend(self, name: str) -> Array:
        self._open()
        if name not in self._external:
            if name == "torque":
                self._turning("w")
            with self._turn():
                values = self._get_external(name)
            self._external[name] = values, values.copy()
        return self._external[name][0]

    def _fill(self, name: str, values: ArrayLike) -> None:
        array, what = self._lend(name), f"external_{name}"
        given = reals(values, what)
        try:
            array[...] = given
        except ValueError:
            raise ArgumentError(f"{what} has the shape {given.shape}; expected {array.shape}") from None

    def _hand_over(self) -> None:
        """What was written to external forces goes to the library."""
        # Where they change they change from the first rows on, as a rule: then the others need not be compared.
        changed = {name: array for name, (array, known) in self._external.items() if not (np.array_equal(array[:16], known[:16]) and np.array_equal(array, known))}
        if not changed:
            return
        if "torque" in changed and self._dim == 2:
            changed["torque"] = _spins(changed["torque"], self._count, 2, "external_torque")
        address = {name: array.ctypes.data for name, array in changed.items()}
        check(lib.scree_sim_set_external(self._open(), address.get("force"), address.get("torque")))
        for name in changed:
            array, known = self._external[name]
            known[...] = array

    def _restored(self) -> None:
        count = lib.scree_sim_get_count(self._open())
        if count != self._count:
            self._renumbered(count)
        for name, (array, known) in self._external.items():
            array[...] = self._get_external(name)
            known[...] = array

    def _renumbered(self, count: int) -> None:
        """Other spheres than before have these arrays' rows."""
        self._count = count
        for array, _ in self._external.values():
            array.flags.writeable = False
        self._external.clear()

    @property
    def w(self) -> Array:
        """Spins (angular velocities), (n, 3), in 2D (n,) about z: a read-only copy. Setting them lets the simulation continue from there. ArgumentError: the law has no rotation."""
        return frozen(_about(self._turning("w"), self._dim))

    @w.setter
    def w(self, w: ArrayLike) -> None:
        self._turning("w")
        state = self.state()
        self._go_on(state, {"x": state.x, "v": state.v, "w": _spins(w, self._count, self._dim, "w")})

    @property
    def torque(self) -> Array:
        """Torques of all contacts of each sphere, (n, 3), in 2D (n,) about z; 0 for spheres that do not rotate."""
        alpha, inverse = self._turning("angular_acceleration"), self.column("inverse_inertia")
        return frozen(_about(np.divide(alpha, inverse[:, None], out=np.zeros_like(alpha), where=inverse[:, None] > 0.0), self._dim))

    @property
    def material(self) -> Array:
        """The number of the material of each sphere; `materials` has the names."""
        return frozen(self.column("material") if "material" in self._columns() else np.zeros(self._count, np.uint16))

    @property
    def materials(self) -> tuple[str, ...]:
        """Names of the materials, by number; empty if they were not named."""
        return self._names

    @property
    def a(self) -> Array:
        """Accelerations, a read-only copy."""
        return frozen(self.column("a"))

    @property
    def r(self) -> Array:
        """Radii, a read-only copy."""
        return frozen(self.column("radius"))

    @property
    def spheres(self) -> Spheres:
        """Current centres, radii, box, container, velocities and, with rotation, spins, for `write` and `picture`."""
        now = Spheres(self.column("x"), self.column("radius"), self.box, velocity=self.column("v"))
        if "w" in self.columns:
            now["spin" if self._dim == 3 else "spin_z"] = _about(self.column("w"), self._dim)
        numbers = self.column("id")
        if len(numbers) and numbers[-1] != len(numbers) - 1:
            now["id"] = numbers
        now.container = self._container
        return now

    def state(self) -> State:
        """The current state, columns by name, from which `set_state` continues (State)."""
        with self._turn():
            self._hand_over()
        columns = {name: np.empty(shape, dtype) for name, (dtype, shape, uses) in self._columns().items() if uses & _STATE}
        struct, kept = _state_struct(columns)
        with self._turn():
            check(lib.scree_sim_get_state(self._open(), ctypes.byref(struct)))
            motions = ctypes.string_at(struct.motions, struct.motion_count * ctypes.sizeof(_abi.scree_sim_motion)) if struct.motion_count else b""
            account = take(struct.account, (struct.account_count,), np.float64) if struct.account else None
            flow = bytes(struct.flow.contents)
            cell = _cell.state_bytes(struct.cell)
            loads = take(struct.loads, (struct.load_count,), np.float64) if struct.load_count else np.zeros(0)
            remembered, bonds = self._get_memory(self._dim), self._get_bonds()
        return State(struct.step, bytes(struct.walls), columns, motions, remembered if remembered.values.shape[1] else None, account, bonds if len(bonds) else None, cell, loads, flow, struct.time_step)

    def _get_bonds(self) -> Bonds:
        found = _abi.scree_sim_bonds()
        check(self._watch.guard(lib.scree_sim_get_bonds, self._open(), ctypes.byref(found)))
        return _bonds_of(found, self._dim)

    def bonds(self) -> Bonds:
        """All bonds with their current forces, as copies."""
        with self._turn():
            return self._get_bonds()

    def memory(self) -> Memory:
        """The memory of contacts, as copies. A law without memory has no rows."""
        with self._turn():
            return self._get_memory(self._dim)

    def _go_on(self, state: State, columns: dict[str, Array]) -> None:
        """From these columns, with contacts and bonds as they are."""
        self._set_state(State(state.step, state.walls, columns, state.motions, None, state.account, None, state.cell), keep=True)

    def set_state(self, state: State) -> None:
        """Goes to a state of a simulation with the same parameters and radii. Without a memory its contacts remember nothing, and without bonds those of the simulation are as new."""
        self._set_state(state, keep=False)

    def _set_state(self, state: State, keep: bool) -> None:
        """`keep`: a state without a memory or bonds goes on with those of the simulation."""
        if len(state.walls) != ctypes.sizeof(_abi.scree_sim_walls):
            raise ArgumentError(f"the walls of this state have {len(state.walls)} bytes: it is of another version")
        known, arrays = self._columns(), {}
        for name, values in state.columns.items():
            # External forces may have come while the other simulation ran.
            other = {"force": known["v"], "flags": (np.dtype(np.uint8), (self._count,), 0), "external_torque": (np.dtype(np.float64), (self._count, 3), 0),
                     "own_force": known["v"], "own_torque": (np.dtype(np.float64), (self._count, 3), 0)}
            found = known.get(name) or other.get(name)
            if found is None:
                raise ArgumentError(f"the state has a column {name!r}, and this simulation has none; its integrator is {self.integrator}")
            dtype, shape, _ = found
            arrays[name] = reals(values, name) if dtype == np.float64 else plain(unmasked(values, name), dtype)
            if arrays[name].shape != shape:
                raise ArgumentError(f"{name} has the shape {arrays[name].shape}; expected {shape}")
        if "a" in arrays and "key" in arrays:  # a whole state: without these it is of a time when there were none
            arrays.update({name: np.zeros(known[name][1]) for name in ("force", "external_torque") if name in known and name not in arrays})
        struct, kept = _state_struct(arrays)
        struct.step, struct.time_step, struct.walls = state.step, real(state.time_step, "time_step"), _abi.scree_sim_walls.from_buffer_copy(state.walls)
        one = ctypes.sizeof(_abi.scree_sim_motion)
        if len(state.motions) % one:
            raise ArgumentError(f"the motions of this state have {len(state.motions)} bytes: it is of another version")
        if state.motions:
            struct.motion_count = len(state.motions) // one
            struct.motions = (_abi.scree_sim_motion * struct.motion_count).from_buffer_copy(state.motions)
        # Zeroed structs: contacts remember nothing, bonds are as new.
        if not keep or state.memory is not None:
            remembered, held = memory_struct(state.memory, self._dim) if state.memory is not None else (_abi.scree_sim_memory(), None)
            struct.memory = ctypes.pointer(remembered)
        if not keep or state.bonds is not None:
            bonds, kept_bonds = _bonds_struct(state.bonds, self._dim) if state.bonds is not None else (_abi.scree_sim_bonds(), None)
            struct.bonds = ctypes.pointer(bonds)
        if state.flow:
            if len(state.flow) != ctypes.sizeof(_abi.scree_sim_flow):
                raise ArgumentError(f"the flow of this state has {len(state.flow)} bytes: it is of another version")
            struct.flow = ctypes.pointer(_abi.scree_sim_flow.from_buffer_copy(state.flow))
        if state.cell:
            if len(state.cell) != ctypes.sizeof(_abi.scree_sim_cell_state):
                raise ArgumentError(f"the cell of this state has {len(state.cell)} bytes: it is of another version")
            moved = _abi.scree_sim_cell_state.from_buffer_copy(state.cell)
            struct.cell = ctypes.pointer(moved)
        if state.loads is not None:
            loads = np.append(reals(state.loads, "loads"), 0.0)  # never without an address
            struct.loads, struct.load_count = loads.ctypes.data, loads.size - 1
        if state.account is not None:
            account = reals(state.account, "account")
            struct.account, struct.account_count = account.ctypes.data, account.size
        with self._turn():
            call_with(self._count, lib.scree_sim_set_state, self._open(), ctypes.byref(struct))
            self._restored()

    # -- looking on --

    @property
    def numbers(self) -> Numbers:
        """What follows from the spheres and contact parameters: contact duration, time step, restitution, masses (Numbers)."""
        found = self._ask(lib.scree_sim_get_numbers)
        values = {name: getattr(found, name) for name, _ in found._fields_}
        values["shortest_contact"], values["bond_fastest"], values["longest_time_step_of"] = tuple(found.shortest_contact), tuple(found.bond_fastest), tuple(found.longest_time_step_of)
        values["longest_time_step_by"] = _abi.LIMITS[found.longest_time_step_by]
        return Numbers(**values)

    @property
    def gravity(self) -> Array:
        """Acceleration by gravity, (dim,); read-only, set it as a whole: sim.gravity = (0, 0, -9.81)."""
        gravity, turn = (ctypes.c_double * 3)(), (ctypes.c_double * 3)()
        with self._turn():
            lib.scree_sim_get_gravity(self._open(), gravity, turn)
        return frozen(np.array(gravity[:self._dim]))

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        before, turn = (ctypes.c_double * 3)(), (ctypes.c_double * 3)()
        values = (ctypes.c_double * 3)(*_three(gravity, self._dim, "gravity"))
        with self._turn():
            lib.scree_sim_get_gravity(self._open(), before, turn)
            check(lib.scree_sim_set_gravity(self._open(), values, turn))

    def set_group_force(self, group: int, force: ArrayLike) -> None:
        """The external force on each sphere of a group, from the next step on."""
        values = (ctypes.c_double * 3)(*_three(force, self._dim, "force"))
        with self._turn():
            self._hand_over()
            check(lib.scree_sim_set_group_force(self._open(), whole(group, "group", 0, 65535), values))

    def set_wall_velocity(self, velocity: ArrayLike) -> None:
        """(dim, 2): of the lower and upper wall of each axis, along it."""
        walls = _walls(velocity, self._dim)
        with self._turn():
            check(lib.scree_sim_set_wall_velocity(self._open(), walls))

    def set_motion(self, boundary: Union[int, str], velocity: ArrayLike = (0.0, 0.0, 0.0), spin: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Velocity and angular velocity of a surface or round wall from the next step on: its number (6 or more) or name in `boundaries()`. Walls of the box: `set_wall_velocity`."""
        number = self._boundary(boundary)
        turning = reals(spin, "spin")
        v, w = (ctypes.c_double * 3)(*_three(velocity, self._dim, "velocity")), (ctypes.c_double * 3)(*([0.0, 0.0, float(turning)] if turning.ndim == 0 else _three(turning, 3, "spin")))
        with self._turn():
            check(lib.scree_sim_set_motion(self._open(), number, ctypes.addressof(v), ctypes.addressof(w)))

    def _boundary(self, given: Union[int, str]) -> int:
        if isinstance(given, str):
            names = [one["name"] for one in self.boundaries()]
            if given not in names:
                raise ArgumentError(f"there is no boundary {given!r}: {', '.join(names)} are there")
            return names.index(given)
        return whole(given, "boundary", 0)

    @property
    def volume(self) -> float:
        """Of the box or container as it is now; inf if it is open."""
        return float(self._ask(lib.scree_sim_get_volume))

    def clearance(self, x: ArrayLike) -> Array:
        """Distance of points (n, dim) from the nearest wall or boundary at its current position, (n,); below 0: beyond one; inf: there is none."""
        points = centres(x)
        if points.shape[1] != self._dim:
            raise ArgumentError(f"x has the shape {points.shape}; expected (n, {self._dim})")
        with self._turn():
            return np.array([lib.scree_sim_clearance(self._open(), point.ctypes.data) for point in points])

    def scale(self, centres: float, velocities: float = 1.0) -> None:
        """Box, walls and centres times one factor, about the lower corner; velocities times another. Radii stay. A state that is taken afterwards is for a simulation of the new box."""
        with self._turn():
            self._hand_over()
            check(lib.scree_sim_scale(self._open(), real(centres, "centres"), real(velocities, "velocities")))

    def loads(self) -> list[tuple[str, int]]:
        """What changes with time or was set by `set_load`: kind and target of each."""
        with self._turn():
            rows = (_abi.scree_sim_load * max(1, lib.scree_sim_get_loads(self._open(), None, 0)))()
            count = lib.scree_sim_get_loads(self._open(), rows, len(rows))
        return [(LOADS[row.kind], row.target) for row in rows[:count]]

    def set_threads(self, threads: int) -> None:
        """0: all cores. No result depends on it."""
        with self._turn():
            check(lib.scree_sim_set_threads(self._open(), whole(threads, "threads", 0)))

    def plan(self, ranks: int) -> Plan:
        """How `ranks` processes would share it as it is now (docs/processes.md)."""
        with self._turn():
            return _plan(self._open(), ranks)

    def measure(self) -> Report:
        """Energies, momentum, pressure, contacts and overlaps at this moment (Report)."""
        found = _abi.scree_sim_report()
        with self._turn():
            check(self._watch.guard(lib.scree_sim_measure, self._open(), ctypes.byref(found)))
        return _report(found, self._dim)

    def contacts(self) -> Contacts:
        """All current contacts, as copies. The forces on a sphere add up to m (a - g); see include/scree/sim.h.

        Right after `set_state` or `load`, until the next step, damped forces follow from x and v: the predicted velocities that the law sees are not in the state.
        """
        found = _abi.scree_sim_contacts()
        with self._turn():
            call_with(self._count, lib.scree_sim_get_contacts, self._open(), ctypes.byref(found))
            n, dim = found.count, self._dim
            shift = take(found.shift, (n, 3), np.int8) if found.shift else np.zeros((n, 3), np.int8)
            return Contacts(take(found.ij, (n, 2), np.int64), shift[:, :dim], take(found.overlap, (n,), np.float64),
                            take(found.normal, (n, 3), np.float64)[:, :dim], take(found.force, (n, 3), np.float64)[:, :dim],
                            found.pair_count, take(found.memory, (n, found.words), np.float64), _rows(found.tangential, n, np.float64)[:, :dim],
                            _about(_rows(found.torque, n, np.float64), dim), take(found.sliding, (n,), np.uint8) == 1 if found.sliding else np.zeros(n, bool),
                            take(found.feature, (n,), np.int32) if found.feature else np.full(n, -1, np.int32), bool(found.tangential))

    def boundaries(self) -> list[dict[str, Any]]:
        """The current state of all boundaries: walls of the box (lower x, upper x, lower y and so on), the round wall of a container, and surfaces. Each has `name`,
        `present` (False: there is no wall on that side), `contacts`, `at`, `velocity`, `spin`, `force` (of the spheres on it), `torque` (of these forces about `at`) and `power` (that
        it transfers to the spheres), and `turn`, the rotation matrix of a surface; vectors have three components. Forces are as in `contacts()`.
        """
        found, vectors = self._get_boundaries(), ("at", "velocity", "spin", "force", "torque")
        return [{"name": one.name.decode(), "present": one.present, "contacts": one.contacts, "power": one.power,
                 "turn": np.array([row[:] for row in one.turn]), **{name: np.array(getattr(one, name)[:]) for name in vectors}} for one in found]

    def validate(self) -> None:
        """Checks inner structures, slowly."""
        with self._turn():
            call_with(self._count, lib.scree_sim_validate, self._open())

    def _repr_png_(self) -> Optional[bytes]:
        """A small picture, coloured by speed, for notebooks."""
        return picture_png(self.spheres, colour_by="velocity") if self._handle and self._count else None

    def _repr_html_(self) -> str:
        """A small picture, and what is measured, for notebooks."""
        rows = {} if not self._handle else {"time": f"{self.time:.6g}", "step": str(self.steps), "law": self.law, "box": self.box._brief()}
        return table_html(repr(self)[1:-1], rows, self._repr_png_())

    def __repr__(self) -> str:
        return f"<scree.Simulation: {self._count} in {self._dim}D, step {self.steps}>" if self._handle else "<scree.Simulation, closed>"


def _simulation_again(scene: Optional[Scene], how: dict[str, Any], state: State, made: dict[str, Array], changes: int) -> Simulation:
    sim = Simulation(**how) if scene is None else Simulation.from_scene(scene, **how)
    if scene is not None:
        sim._changes = sim._changes[len(sim._changes) - changes:]  # the others are in the state
    for name, values in made.items():
        if not np.array_equal(sim.column(name), values):
            raise ArgumentError(f"the pickled Simulation has another {name}: arrays that it was made of have changed since")
    sim.set_state(state)
    return sim


def _rows(pointer: Optional[int], n: int, dtype: Any) -> Array:
    """A copy of n rows of three; 0 if there are none."""
    return take(pointer, (n, 3), dtype) if pointer else np.zeros((n, 3), dtype)


def _about(rows: Array, dim: int) -> Array:
    """Vectors of rotation, (n, 3), as they are shown: in 2D (n,), about z."""
    return rows if dim == 3 else rows[:, 2].copy()


def _spins(values: ArrayLike, count: int, dim: int, name: str) -> Array:
    array = reals(values, name)
    if dim == 2 and array.shape == (count,):
        array = np.column_stack([np.zeros((count, 2)), array])
    if array.shape != (count, 3):
        raise ArgumentError(f"{name} has the shape {array.shape}; expected {(count,) if dim == 2 else (count, 3)}, angular velocities{' about z' if dim == 2 else ''}")
    return array


def _each(x: Array, material_density: ArrayLike, material: Optional[Array], group: Optional[ArrayLike], fixed: Optional[ArrayLike],
          force: Optional[ArrayLike], spin: Optional[ArrayLike], inertia: Optional[ArrayLike], id: Optional[ArrayLike] = None) -> tuple[_abi.scree_sim_each, list[Array]]:
    """Properties of single spheres, and the arrays that they point to."""
    each, held = lib.scree_default_sim_each(), []
    given = {"material_density": material_density if np.ndim(material_density) else None, "material": material, "group": group, "fixed": fixed, "force": force,
             "spin": None if spin is None else _spins(spin, len(x), x.shape[1], "spin"),
             "inertia": np.full(len(x), reals(inertia, "inertia")[()]) if inertia is not None and np.ndim(inertia) == 0 else inertia}
    for name, values in given.items():
        if values is None:
            continue
        shape = x.shape if name == "force" else (len(x), 3) if name == "spin" else x.shape[:1]
        if name in ("material_density", "force", "spin", "inertia"):
            array = reals(values, name)
        else:
            array = unmasked(values, name)
            most = 1 if name == "fixed" else 65535
            if array.dtype.kind not in "iub" or (array.size and (array.min() < 0 or array.max() > most)):
                raise ArgumentError(f"{name}: expected whole numbers from 0 to {most}")
            array = plain(array, np.uint8 if name == "fixed" else np.uint16)
        if array.shape != shape:
            raise ArgumentError(f"{name} has the shape {array.shape}; expected {shape}")
        held.append(array)
        setattr(each, name, array.ctypes.data)
    if id is not None:
        array = unmasked(id, "id")
        if array.dtype.kind not in "iu" or array.shape != x.shape[:1]:
            raise ArgumentError(f"id has the shape {array.shape} and dtype {array.dtype}; expected {x.shape[:1]} whole numbers")
        held.append(plain(array, np.int64))
        each.id = held[-1].ctypes.data
    return each, held


def _later(later: Any, known: Materials, material_density: ArrayLike) -> tuple[Optional[_abi.scree_sim_later], list[Array]]:
    """Spheres that may come, and the arrays that they point to."""
    if later is None:
        return None, []
    given = dict(later) if isinstance(later, Mapping) else {"r": later}
    unknown = set(given) - {"r", "material", "material_density"}
    if unknown or "r" not in given:
        raise ArgumentError(f"later has {sorted(given)}; expected r, and perhaps material and material_density")
    r = np.atleast_1d(reals(given["r"], "later")).ravel()
    numbers = known.numbers(given.get("material"), len(r))
    density = given.get("material_density")
    if density is None:
        density = known.densities(numbers, material_density if np.ndim(material_density) == 0 else 1.0, len(r))
    held = [np.array(r), np.array(np.broadcast_to(reals(density, "material_density"), len(r)))]
    coming = lib.scree_default_sim_later()
    coming.count, coming.r, coming.material_density = len(r), held[0].ctypes.data, held[1].ctypes.data
    if numbers is not None:
        held.append(numbers)
        coming.material = numbers.ctypes.data
    return coming, held


def _walls(values: ArrayLike, dim: int) -> Any:
    array = reals(values, "wall_velocity")
    if array.shape != (dim, 2):
        raise ArgumentError(f"wall_velocity has the shape {array.shape}; expected ({dim}, 2), lower and upper wall of each axis")
    walls = (ctypes.c_double * 2 * 3)()
    for k in range(dim):
        walls[k][:] = array[k].tolist()
    return walls


def _step_at(time: float, paces: Sequence[tuple[int, float, float]]) -> int:
    """The first step at or after this time, as the library's runs have it. Each of `paces` is a first step, its time, and the length of steps from there on."""
    first, begin, length = next((pace for pace in reversed(paces) if time > pace[1]), paces[0])
    steps = (time - begin) / length
    return first + math.ceil(steps - 1e-9 * max(1.0, steps)) if steps < 9e15 else 2 ** 63 - 1


def thermal_velocities(x: Union[Spheres, ArrayLike], r: Optional[ArrayLike] = None, temperature: float = 0.0, *, stiffness: float = 0.0, overlap: float = 0.01,
                       material_density: float = 1.0, still: bool = True, seed: int = 1) -> Array:
    """Random velocities, (n, dim): each component of sphere i has the variance temperature / mass_i. With temperature 0, such that spheres
    that meet overlap by `overlap` radii on average, for which `stiffness` is needed. `still`: no total momentum. x: centres, or Spheres without r.

    >>> v = thermal_velocities([[0, 0, 0], [2, 0, 0], [4, 0, 0]], 0.5, temperature=1.0)
    >>> v.shape
    (3, 3)
    """
    x, r, _ = arrays_of(x, r)
    definition, v = lib.scree_default_thermal_def(), np.empty_like(x)
    for name, value in (("temperature", temperature), ("stiffness", stiffness), ("overlap", overlap), ("material_density", material_density)):
        setattr(definition, name, real(value, name))
    definition.still, definition.seed = bool(still), seed_of(seed)
    check(lib.scree_thermal_velocities(ctypes.byref(definition), spheres(x, r), v.ctypes.data))
    return v


# ---- Runs -----------------------------------------------------------------------------------------------------------

@dataclass(frozen=True, eq=False, repr=False)
class Progress(Record):
    """Where a run is."""
    doing: str
    done: float
    step: int
    steps: int
    time: float
    end: float
    spheres: int         # or bodies
    rate: float          # sphere steps per second
    seconds_left: float  # negative: not known yet
    contacts: int
    energy_kinetic: float
    bodies: bool         # they are counted, not spheres
    max_overlap_relative: float  # the deepest overlap over the smaller radius, at the last row of the log


Quantity = Union[int, float, str, list[float], list[int]]  # of a summary


@dataclass(frozen=True, eq=False, repr=False)
class Result(Record):
    """The result of a run. The folder contains frames, log, checkpoints and report.html (docs/run.md).

    In a scene with bodies `x` are their centres (of fixed bodies: the origins of their shapes) and `r` their bounding radii. `outlines` has the current vertices
    of each, (m, 2); (0, 2) for a disc. In a scene of spheres `angle`, `spin` and `outlines` are None.

    `summary` has the quantities of `scree run --json` and of report.html under the same keys.
    """
    _shown = ("folder", "steps", "hash")
    folder: str = field(compare=False)
    steps: int
    seconds: float = field(compare=False)
    hash: str
    report: Report
    x: Array
    v: Array
    r: Array
    note: str = field(compare=False)
    angle: Optional[Array] = None
    spin: Optional[Array] = None
    outlines: Optional[list[Array]] = None
    box: Optional[Box] = None
    summary: dict[str, Quantity] = field(default_factory=dict, compare=False)

    @property
    def spheres(self) -> Union[Spheres, Outlines]:
        """Spheres with their velocities as they were at the end, in a scene with bodies Outlines; for `write`, `picture` and measures."""
        if self.outlines is not None:
            return Outlines(self.outlines, self.x, self.r, self.box, velocity=self.v, angle=self.angle, spin=self.spin)
        return Spheres(self.x, self.r, self.box, velocity=self.v)

    @property
    def run(self) -> "Run":
        """The folder as an object, with frames and log: `Run(result.folder)`."""
        from ._run import Run  # which imports this module
        return Run(self.folder)

    def _repr_png_(self) -> Optional[bytes]:
        """A small picture of the end, coloured by speed, for notebooks."""
        return picture_png(self.spheres, colour_by="velocity") if len(self.x) else None

    def _repr_html_(self) -> str:
        """A small picture of the end, and what the run came to, for notebooks."""
        rows = {"folder": self.folder, "steps": str(self.steps), "time": f"{self.report.time:.6g}", "hash": self.hash, "seconds": f"{self.seconds:.3g}",
                "contacts": str(self.report.contacts), "kinetic energy": f"{self.report.energy_kinetic:.6g}", **({"note": self.note} if self.note else {})}
        return table_html(f"Run of {len(self.x)} {'spheres' if self.outlines is None else 'bodies'}", rows, self._repr_png_())


class _Lent(Simulation):
    """The simulation of a run, during a callback: what would step it or replace its spheres is the run's own."""
    __slots__ = ()

    def __init__(self, going: int) -> None:
        handle = lib.scree_run_get_sim(going)
        Held.__init__(self, handle, lambda handle: None)
        box = lib.scree_sim_get_box(handle)
        self._watch, self._dim, self._count = Watch(), box.dim, lib.scree_sim_get_count(handle)
        self._changes, self._scene, self._end, self._external = [], None, lib.scree_run_get_steps(going), {}
        self._names, self._known, self._surfaces, self._given = (), None, None, None
        scene = _abi.scree_scene_facts()
        check(lib.scree_scene_get_facts(lib.scree_run_get_scene(going), ctypes.byref(scene)))
        self._container = _abi.CONTAINERS[scene.container]

    def give_back(self) -> None:
        """What the callback wrote to external forces counts; the object is closed."""
        with self._turn():
            self._hand_over()
        self.close()

    def _refuse(self, *given: Any, **named: Any) -> Any:
        raise ArgumentError("in a callback of a run: the run makes the steps, and its scene inserts and removes spheres; expected to inspect the simulation, or to set velocities, forces, gravity, loads and motions")

    _go = advance = step = run = load = set_state = set_contacts = set_time_step = insert = remove = take_crossings = set_cell = scale = _refuse


class _Teller:
    """The def of a run, whose callbacks run signal handlers, the user's `progress` and the user's `callback`."""

    def __init__(self, method: Optional[str], threads: int, force: bool, verify: bool, progress: Optional[Callable[[Progress], Any]], every: Optional[int] = None,
                 every_time: Optional[float] = None, callback: Optional[Callable[[Any], Any]] = None) -> None:
        self.watch, self.progress, self.callback, self.inside = Watch(), progress, callback, False
        self.definition = lib.scree_default_run_def()
        self.definition.method = -1 if method is None else choice(method, _abi.METHODS, "method")
        self.definition.threads, self.definition.force, self.definition.verify = whole(threads, "threads", 0), bool(force), bool(verify)
        self.definition.tell = _abi.TELL(self._tell)
        self.definition.draw = ctypes.cast(lib.scree_draw_frame, ctypes.c_void_p).value
        if callback is None and (every is not None or every_time is not None):
            raise TypeError("every and every_time say when a callback is called; expected a callback")
        if callback is not None:
            if (every is None) == (every_time is None):
                raise TypeError("callback: expected one of every, a number of steps, and every_time, a time")
            self.definition.look = _abi.LOOK(self._look)
            if every is not None:
                self.definition.look_steps = whole(every, "every", 1, 2 ** 62)
            else:
                self.definition.look_every = real(every_time, "every_time")
                if not 0.0 < self.definition.look_every < math.inf:
                    raise ArgumentError(f"every_time is {every_time!r}; expected a time above 0")

    def _tell(self, context: Any, state: Any) -> bool:
        return self.inside or self.watch.look(self.progress and self._pass_on, state)  # within a callback Ctrl-C waits for its end

    def _pass_on(self, state: Any) -> Any:
        values = {name: getattr(state.contents, name) for name, _ in _abi.scree_run_progress._fields_}
        assert self.progress is not None
        return self.progress(Progress(**{**values, "doing": state.contents.doing.decode()}))

    def _look(self, context: Any, going: int) -> int:
        from ._polygons import _LentBodies  # which imports this module
        assert self.callback is not None
        self.inside = True
        try:
            sim: Any = _Lent(going) if lib.scree_run_get_sim(going) else _LentBodies(going)
            try:
                answer = self.callback(sim)
            finally:
                sim.give_back()
            return _CANCELLED if says_stop(answer) else 0
        except BaseException as error:  # pylint: disable=broad-except
            self.watch.error = error  # raised when the run has come back
            return _FAILED
        finally:
            self.inside = False


_CANCELLED, _FAILED = -6, -1  # scree_status


def _spheres_now(sim: int) -> dict[str, Any]:
    count, dim = lib.scree_sim_get_count(sim), lib.scree_sim_get_box(sim).dim
    x, v, r = np.empty((count, dim)), np.empty((count, dim)), np.empty(count)
    for name, array in ((b"x", x), (b"v", v), (b"radius", r)):
        check(lib.scree_sim_get_column(sim, name, array.ctypes.data))
    return {"x": x, "v": v, "r": r, "box": Box._of(lib.scree_sim_get_box(sim))}


def _bodies_now(sim: int) -> dict[str, Any]:
    count, seen = lib.scree_polygon_sim_get_count(sim), _abi.scree_outlines()
    now = {"x": np.empty((count, 2)), "v": np.empty((count, 2)), "angle": np.empty(count), "spin": np.empty(count)}
    check(lib.scree_polygon_sim_get_state(sim, ctypes.byref(_abi.scree_polygon_sim_state(**{name: array.ctypes.data for name, array in now.items()}))))
    check(lib.scree_polygon_sim_get_outlines(sim, ctypes.byref(seen)))
    first = take(seen.first, (count + 1,), np.int64) if count else np.zeros(1, np.int64)
    vertices = take(seen.xy, (int(first[-1]), 2), np.float64)
    return {**now, "box": Box._of(lib.scree_polygon_sim_get_box(sim)), "r": take(seen.radius, (count,), np.float64), "outlines": [vertices[first[i]:first[i + 1]] for i in range(count)]}


def _animate(folder: str) -> str:
    """As `scree run` does it: by ffmpeg, from the pictures, under another name until it is whole. What went wrong, or nothing."""
    drawing = f".animation.mp4.{os.getpid()}.{secrets.randbits(62)}.tmp"  # made here, so that ffmpeg follows no link of that name
    path = os.path.join(folder, drawing)
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666))
        subprocess.run(["ffmpeg", "-nostdin", "-y", "-loglevel", "error", "-framerate", "25", "-i", "pictures/picture_%06d.png", "-pix_fmt",
                        "yuv420p", "-f", "mp4", drawing], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.replace(path, os.path.join(folder, "animation.mp4"))
        return ""
    except FileNotFoundError:
        return "there is no ffmpeg here"
    except (subprocess.CalledProcessError, OSError):
        return "ffmpeg failed"
    finally:
        Path(path).unlink(missing_ok=True)


def _summary(going: ctypes.c_void_p) -> dict[str, Quantity]:
    listed = ctypes.c_void_p()
    check(lib.scree_run_summary_create(going, ctypes.byref(listed)))
    found: dict[str, Quantity] = {}
    try:
        for k in range(lib.scree_run_summary_get_count(listed)):
            q = lib.scree_run_summary_get(listed, k).contents
            if q.values or q.integers:
                kind = ctypes.c_double if q.values else ctypes.c_int64
                numbers = list((kind * q.count).from_address(q.values or q.integers))
                found[q.key.decode()] = numbers if q.vector else numbers[0]
            else:
                found[q.key.decode()] = q.text.decode("utf-8", "replace")
    finally:
        lib.scree_run_summary_destroy(listed)
    return found


def _finish(teller: _Teller, going: ctypes.c_void_p, folder: str) -> Result:
    try:
        sim, bodies = lib.scree_run_get_sim(going), lib.scree_run_get_polygon_sim(going)
        note = lib.scree_run_get_note(going).decode("utf-8", "replace")
        rest = "`resume` continues the run from its last checkpoint"
        try:
            check(teller.watch.guard(lib.scree_run_go, going))
            rest = "All other output is complete"
            scene = _abi.scree_scene_facts()
            check(lib.scree_scene_get_facts(lib.scree_run_get_scene(going), ctypes.byref(scene)))
            if scene.animation:
                problem = _animate(folder)
                if problem:
                    warnings.warn(f"no animation: {problem}; the pictures are in {folder}/pictures", RuntimeWarning, stacklevel=3)
        finally:  # stopped or not, as `scree run` does
            if lib.scree_run_write_report(going) != 0:
                problem = lib.scree_error_message().decode("utf-8", "replace")
                if not any(Path(folder).glob("checkpoint_*.npz")):
                    rest = "The last checkpoint is not there: the folder was removed or changed while the run was going on"
                warnings.warn(f"cannot write report.html: {problem}. {rest}", RuntimeWarning, stacklevel=3)
        warning = lib.scree_run_get_warning(going).decode("utf-8", "replace")
        if warning:
            warnings.warn(f"{folder}: {warning}", RuntimeWarning, stacklevel=3)
        found = _abi.scree_sim_report()
        check(lib.scree_run_measure(going, ctypes.byref(found)))
        return Result(folder=folder, steps=found.step, seconds=lib.scree_run_get_seconds(going), hash=f"{lib.scree_run_hash(going):016x}",
                      report=_report(found, 2 if bodies else lib.scree_sim_get_box(sim).dim), note=note, summary=_summary(going),
                      **(_bodies_now(bodies) if bodies else _spheres_now(sim)))
    finally:
        lib.scree_run_destroy(going)


@dataclass(frozen=True, eq=False, repr=False)
class Share(Record):
    """What processes have of a simulation: spheres, ghosts, peers and bytes sent in each step, candidates, work; and the most bytes of memory at once, of all processes but the first, which has more."""
    own: float
    ghosts: float
    peers: float
    sent: float
    candidates: float
    work: float
    bytes: float


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Record):
    """How `ranks` processes would share a simulation (docs/processes.md)."""
    ranks: int
    mean: Share           # over all of them
    least: Share          # that one has: each number by itself
    most: Share
    imbalance: float      # work of the one that has most over the mean
    first: int            # the most bytes of memory that the first of them has at once
    held: float           # mean bytes of the others after the first step,
    held_first: int       # and of the first


def _plan_of(found: Any) -> Plan:
    ranks, others = found.ranks, max(found.ranks - 1, 1)
    values = {which: {name: float(getattr(getattr(found, which), name)) for name, _ in _abi.scree_sim_share._fields_} for which in ("sum", "least", "most")}
    mean = {name: value / (others if name == "bytes" else ranks) for name, value in values["sum"].items()}
    return Plan(ranks=ranks, mean=Share(**mean), least=Share(**values["least"]), most=Share(**values["most"]), imbalance=values["most"]["work"] / mean["work"] if mean["work"] > 0 else 1.0,
                first=found.first, held=found.held / others, held_first=found.held_first)


def _plan(sim: Any, ranks: int) -> Plan:
    found = _abi.scree_sim_plan()
    call(lib.scree_sim_find_plan, sim, whole(ranks, "ranks", 1), ctypes.byref(found))
    return _plan_of(found)


def _plan_scene(parsed: Any, ranks: int) -> Plan:
    """As the run begins, with so many ranks within this process, to its first step."""
    found, teller, going, par = _abi.scree_sim_plan(), _Teller(None, 1, False, False, None), ctypes.c_void_p(), ctypes.c_void_p()
    check(lib.scree_par_create_virtual(ranks, ctypes.byref(par)))
    try:
        check(lib.scree_par_share(par))
        check(teller.watch.guard(lib.scree_run_create, ctypes.byref(teller.definition), parsed._handle, None, ctypes.byref(going)))
        sim = lib.scree_run_get_sim(going)
        if not sim:
            raise UnsupportedError(f"{parsed._name}: polygons are simulated by one process")
        check(teller.watch.guard(lib.scree_sim_run, sim, 1))
        check(lib.scree_sim_get_shares(sim, ctypes.byref(found)))
        return _plan_of(found)
    finally:
        lib.scree_run_destroy(going)
        lib.scree_par_destroy(par)


def plan(scene: SceneLike, ranks: Union[int, Sequence[int]], *, seed: Optional[int] = None) -> list[Plan]:
    """How several processes would share a scene at its first step, for each number of them: the counts of `scree plan`, without its estimate of time. Needs no MPI.

    >>> scene = Scene.from_text("box: {size: [4, 4, 4]}\\ngravity: [0, 0, -1]\\nspheres: {count: 8, sizes: mono:0.4, place: lattice}\\n"
    ...                         "contact: {duration: 0.05, restitution: 0.5}\\ntime: {end: 1}\\n")
    >>> [share.ranks for share in plan(scene, [1, 2])]
    [1, 2]
    """
    numbers = [ranks] if isinstance(ranks, (int, np.integer)) else list(ranks)
    parsed = scene_of(scene, seed)
    return [_plan_scene(parsed, whole(number, "ranks", 1)) for number in numbers]


@dataclass(frozen=True, eq=False, repr=False)
class Costs(Record):
    """How long a run would take, in seconds of this machine, and how many frames it would write."""
    frames: int
    seconds_estimated: float  # the sum of the following
    seconds_steps: float
    seconds_frames: float    # files of frames and contacts
    seconds_pictures: float
    seconds_other: float     # rows of the log, checkpoints, spheres that come or go
    seconds_min: float     # seconds_estimated, or less where spheres may leave by outlets after they have lain: if all left then


def estimate(scene: SceneLike, *, method: Optional[str] = None, threads: int = 0, seed: Optional[int] = None) -> Costs:
    """How long `run` would take: steps, frames and pictures of the start are timed for about a second. Later steps, in which more spheres touch, can take longer.

    >>> scene = Scene.from_text("box: {size: [4, 4, 4]}\\ngravity: [0, 0, -1]\\nspheres: {count: 8, sizes: mono:0.4, place: lattice}\\n"
    ...                         "contact: {duration: 0.05, restitution: 0.5}\\ntime: {end: 1}\\n")
    >>> estimate(scene).frames
    2
    """
    teller, going, found = _Teller(method, threads, False, False, None), ctypes.c_void_p(), _abi.scree_run_costs()
    parsed = scene_of(scene, seed)
    try:
        check(teller.watch.guard(lib.scree_run_create, ctypes.byref(teller.definition), parsed._handle, None, ctypes.byref(going)))
        check(teller.watch.guard(lib.scree_run_estimate, going, ctypes.byref(found)))
    finally:
        lib.scree_run_destroy(going)
    return Costs(**{name: getattr(found, name) for name, _ in found._fields_})


@dataclass(frozen=True, eq=False, repr=False)
class PairNumbers(Record):
    """What a scene leads to for two materials that can meet; include/scree/run.h explains each number."""
    _shown = ("names",)
    names: tuple[str, str]       # of the materials; "" where all push each other in the same way
    i: int                       # for these spheres; j is -1 for a wall or a fixed sphere
    j: int
    young: float                 # effective moduli; 0 with laws that do not depend on them
    shear: float
    stiffness: float
    tangential_stiffness: float  # 0: no friction
    restitution: float
    friction: float
    friction_dynamic: float
    contact_duration: float
    overlap_expected: float      # over the smaller radius; 0: contact.speed is not given
    rolling_friction: float
    rolling_stiffness: float
    twisting_friction: float
    twisting_stiffness: float
    k2: float
    kc: float
    bridge_pull: float
    bridge_gap: float


@dataclass(frozen=True, eq=False, repr=False)
class Checked(Record):
    """What `check` finds: the scene is valid, and leads to this."""
    n: int
    steps: int
    time: float                  # at the end
    pairs: list[PairNumbers]     # of materials that can meet; none for scenes with bodies
    note: str                    # of meshes: triangles that were left out; ""


def check_scene(scene: SceneLike, *, seed: Optional[int] = None) -> Checked:
    """The same as `scree run --check`: reads the scene and all files that it names, generates its spheres or bodies, and returns the derived parameters, without a folder. Errors are
    the same as for a run. `estimate` estimates the run time.

    >>> scene = Scene.from_text("box: {size: [4, 4, 4]}\\ngravity: [0, 0, -1]\\nspheres: {count: 8, sizes: mono:0.4, place: lattice}\\n"
    ...                         "contact: {duration: 0.05, restitution: 0.5}\\ntime: {end: 1}\\n")
    >>> check_scene(scene).n
    8
    """
    teller, going = _Teller(None, 0, False, False, None), ctypes.c_void_p()
    parsed = scene_of(scene, seed)
    check(teller.watch.guard(lib.scree_run_create, ctypes.byref(teller.definition), parsed._handle, None, ctypes.byref(going)))
    try:
        sim, bodies = lib.scree_run_get_sim(going), lib.scree_run_get_polygon_sim(going)
        rows = (_abi.scree_run_pair * max(1, lib.scree_run_get_pairs(going, None, 0)))()
        count = lib.scree_run_get_pairs(going, rows, len(rows))
        names = [name for name, _ in _abi.scree_run_pair._fields_ if name != "names"]
        pairs = [PairNumbers((row.names[0].value.decode(), row.names[1].value.decode()), **{name: getattr(row, name) for name in names}) for row in rows[:count]]
        return Checked(lib.scree_sim_get_count(sim) if sim else lib.scree_polygon_sim_get_count(bodies), lib.scree_run_get_steps(going), lib.scree_run_get_end(going), pairs,
                       lib.scree_run_get_note(going).decode("utf-8", "replace"))
    finally:
        lib.scree_run_destroy(going)


def _run_shared(words: list[str], ranks: int, method: Optional[str], threads: int, progress: Any, callback: Any) -> None:
    """The program with --ranks."""
    for name, given in (("progress", progress), ("callback", callback)):
        if given is not None:
            raise ArgumentError(f"{name}: not with ranks; the run is that of another program")
    code, _, said = run_program([*words, "--ranks", str(ranks), "--quiet", "--threads", str(whole(threads, "threads", 0))] + (["--method", method] if method is not None else []), f"ranks: {ranks}")
    if code != 0:
        raise program_error(code, said)


def program_error(code: int, said: str) -> ScreeError:
    """What the program said when it failed."""
    lines = said.splitlines()
    messages = [line for line in lines if line.startswith("scree ")] or lines or [f"scree ended with {code}"]
    return ScreeError(messages[0])


def run_program(words: list[str], why: str) -> tuple[int, str, str]:
    """The program, beside the libraries or in PATH: its exit code, and what it wrote to both outputs. Ctrl-C: it leaves checkpoints. `why`: what needs it."""
    program = next((str(path) for path in (library_folder / "scree", library_folder.parent / "bin" / "scree") if os.access(path, os.X_OK)), None) or shutil.which("scree")
    if program is None:
        raise ArgumentError(f"{why}, and the program scree was found neither beside {library_folder} nor in PATH")
    stopped = sent = 0
    # In a session of its own, so that Ctrl-C comes to it once: from here. The first asks it to stop, which it does with a checkpoint; another one ends it at once.
    with subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as going:
        while True:
            try:
                if stopped > sent:
                    sent = stopped
                    going.send_signal(signal.SIGINT if stopped == 1 else signal.SIGKILL)
                out, said = going.communicate()
                break
            except KeyboardInterrupt:
                stopped += 1
    if stopped and going.returncode != 0:
        raise KeyboardInterrupt
    return going.returncode, out.decode("utf-8", "replace"), said.decode("utf-8", "replace")


def _run_with(comm: Any, work: Callable[[], Result]) -> Optional[Result]:
    """In this process and the others of a communicator of mpi4py: rank 0 does the work, and all of them the steps of its simulations. What fails is raised on all."""
    par, result, failure = ctypes.c_void_p(), None, None
    try:
        handle = comm.py2f()
    except AttributeError:
        raise ArgumentError(f"comm: {comm!r} is no communicator of mpi4py") from None
    check(lib.scree_par_create(handle, ctypes.byref(par)))
    rank = lib.scree_par_get_rank(par)
    try:
        check(lib.scree_par_share(par))  # others come back when all is done
        if rank == 0:
            result = work()
    except BaseException as error:  # pylint: disable=broad-except
        failure = error
    finally:
        lib.scree_par_destroy(par)
    reason = comm.bcast((type(failure), str(failure)) if failure is not None else None, root=0)
    if failure is not None:
        raise failure
    if reason is not None:
        raise reason[0](reason[1])
    return result


def run(scene: SceneLike, folder: PathLike, *, method: Optional[str] = None, threads: int = 0, seed: Optional[int] = None,
        device: str = "none", force: bool = False, verify: bool = False, progress: Optional[Callable[[Progress], Any]] = None, every: Optional[int] = None,
        every_time: Optional[float] = None, callback: Optional[Callable[[Any], Any]] = None, ranks: int = 1, comm: Any = None) -> Result:
    """A scene of spheres or of bodies from its first step to its last, with everything in a folder: the same as `scree run`.

    `progress(p)` is called with a `Progress` several times a second. If it returns False, or on Ctrl-C, a checkpoint is written and
    `resume(folder)` goes on later, to the same last bit. `ranks` above 1: several processes share the steps, by MPI (docs/processes.md), with the same result.
    `callback(sim)` is called at each multiple of `every` steps, or of the time `every_time`, before log, frame and checkpoint of that step. `sim` is the Simulation (PolygonSimulation) of the run,
    valid during the call: it can be inspected, and its velocities, forces, gravity, loads and motions be set; a checkpoint has them. False: the run stops there with a checkpoint, as by `progress`. An exception ends it
    without one, so that `resume` calls the callback of that step again. A run that is resumed with the same callback ends with the same bits if what the callback does depends on `sim` alone.
    `comm`: a communicator of mpi4py, all of whose processes call this; they share the steps. The result is that of rank 0, and None elsewhere.

    >>> scene = Scene.from_text("box: {size: [4, 4, 4]}\\ngravity: [0, 0, -1]\\nspheres: {count: 8, sizes: mono:0.4, place: lattice}\\n"
    ...                         "contact: {duration: 0.05, restitution: 0.5}\\ntime: {end: 1}\\n")
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = run(scene, folder + "/run")
    >>> round(result.report.time, 3), len(result.x)
    (1.0, 8)
    """
    if comm is not None:
        if ranks != 1:
            raise ArgumentError(f"ranks: {ranks}, and a communicator, which says how many there are")
        return cast(Result, _run_with(comm, lambda: run(scene, folder, method=method, threads=threads, seed=seed, device=device, force=force, verify=verify, progress=progress, every=every,
                                                        every_time=every_time, callback=callback)))
    if whole(ranks, "ranks", 1) > 1:
        if isinstance(scene, (Scene, Mapping)):
            raise ArgumentError("ranks: expected the name of a scene file, which other processes can read; Scene.write makes one")
        words = ["run", os.fsdecode(scene), "-o", os.fsdecode(folder), "--device", device] + (["--force"] if force else []) + (["--verify"] if verify else [])
        _run_shared(words + ([] if seed is None else ["--seed", str(seed_of(seed))]), ranks, method, threads, progress, callback)
        return resume(folder)  # it is finished: tells its result
    teller, going = _Teller(method, threads, force, verify, progress, every, every_time, callback), ctypes.c_void_p()
    teller.definition.device = choice(device, _abi.DEVICES, "device")
    parsed = scene_of(scene, seed)
    check(teller.watch.guard(lib.scree_run_create, ctypes.byref(teller.definition), parsed._handle, encode(folder), ctypes.byref(going)))
    return _finish(teller, going, os.fsdecode(folder))


def resume(folder: PathLike, *, until: Optional[float] = None, until_steps: Optional[int] = None, method: Optional[str] = None, threads: int = 0,
           device: str = "none", verify: bool = False, progress: Optional[Callable[[Progress], Any]] = None, every: Optional[int] = None,
           every_time: Optional[float] = None, callback: Optional[Callable[[Any], Any]] = None, ranks: int = 1, comm: Any = None) -> Result:
    """Continues a run from its last checkpoint; of a finished run the result is returned again.

    `until` (a time) or `until_steps` is a new end: the run continues to it, with the same result as if this end had been set from the start. `progress`, `callback`, `ranks` and `comm` as for `run`.

    >>> scene = Scene.from_text("box: {size: [4, 4, 4]}\\ngravity: [0, 0, -1]\\nspheres: {count: 8, sizes: mono:0.4, place: lattice}\\n"
    ...                         "contact: {duration: 0.05, restitution: 0.5}\\ntime: {end: 1}\\n")
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = run(scene, folder + "/run")
    ...     later = resume(folder + "/run", until=1.5)
    >>> round(first.report.time, 3), round(later.report.time, 3)
    (1.0, 1.5)
    """
    if comm is not None:
        if ranks != 1:
            raise ArgumentError(f"ranks: {ranks}, and a communicator, which says how many there are")
        return cast(Result, _run_with(comm, lambda: resume(folder, until=until, until_steps=until_steps, method=method, threads=threads, device=device, verify=verify, progress=progress,
                                                           every=every, every_time=every_time, callback=callback)))
    if whole(ranks, "ranks", 1) > 1:
        words = ["resume", os.fsdecode(folder), "--device", device] + (["--verify"] if verify else []) + ([] if until is None else ["--until", repr(float(until))])
        _run_shared(words + ([] if until_steps is None else ["--until-steps", str(until_steps)]), ranks, method, threads, progress, callback)
        return resume(folder)
    teller, going = _Teller(method, threads, False, verify, progress, every, every_time, callback), ctypes.c_void_p()
    teller.definition.device = choice(device, _abi.DEVICES, "device")
    if until is not None:
        teller.definition.until = real(until, "until")
        if not teller.definition.until > 0.0:
            raise ArgumentError(f"until: {until!r} is not a time above 0")
    if until_steps is not None:
        teller.definition.until_steps = whole(until_steps, "until_steps", 1, 10 ** 15)
    check(teller.watch.guard(lib.scree_run_resume, ctypes.byref(teller.definition), encode(folder), ctypes.byref(going)))
    return _finish(teller, going, os.fsdecode(folder))
