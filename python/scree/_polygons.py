"""Polygons and discs in the plane: `Polygon`, `Body`, and their simulation, `PolygonSimulation` (docs/polygon.md)."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, BoxLike, PeriodicLike, box_for, choice, frozen, matching, plain, real, reals, seed_of, take, whole
from ._library import ArgumentError, Held, Watch, check, lib
from ._memory import Memory, memory_struct
from ._records import Record, closest_spelling, same, short, table_html
from ._scene import Scene, SceneLike, scene_of
from ._sim import _step_at, _Teller
from ._spheres import Outlines, outlines_of, picture_png
from ._stepped import Functions, Stepped

# ---- Shapes ---------------------------------------------------------------------------------------------------------


class _Shapes:
    """A scree_shapes, freed with its owner."""

    def __init__(self) -> None:
        self.struct = _abi.scree_shapes()

    def __del__(self) -> None:
        lib.scree_shapes_free(ctypes.byref(self.struct))

    def add(self, vertices: Array) -> int:
        number = ctypes.c_int32()
        check(lib.scree_shapes_add(ctypes.byref(self.struct), _abi.scree_polygon(len(vertices), vertices.ctypes.data), ctypes.byref(number)))
        return number.value

    def vertices(self, shape: int) -> Array:
        first = take(self.struct.first, (self.struct.count + 1,), np.int64)
        return take(self.struct.xy, (int(first[-1]), 2), np.float64)[first[shape]:first[shape + 1]].copy()


class Polygon:
    """A simple polygon: `xy` are its vertices, (n, 2), counter-clockwise, each once. It never changes. An ArgumentError names vertices or edges that make it invalid.

    >>> square = Polygon([[0, 0], [2, 0], [2, 2], [0, 2]])
    >>> square.area, square.centre.tolist(), square.contains([[1, 1], [3, 1]]).tolist()
    (4.0, [1.0, 1.0], [True, False])
    >>> square.distance([[1, 1.5], [4, 2]]).tolist()
    [0.5, 2.0]
    """
    __slots__ = ("_xy", "_numbers")

    def __init__(self, xy: ArrayLike) -> None:
        given = reals(xy, "xy")
        if given.ndim != 2 or given.shape[1] != 2 or len(given) < 3:
            raise ArgumentError(f"xy has the shape {given.shape}; expected (n, 2) with n of 3 or more, a row for each vertex")
        shapes = _Shapes()
        self._set(shapes, shapes.add(given))

    def _set(self, shapes: _Shapes, shape: int) -> None:
        self._xy = shapes.vertices(shape)
        self._xy.flags.writeable = False
        self._numbers = _abi.scree_polygon_numbers()
        check(lib.scree_polygon_measure(self._struct(), ctypes.byref(self._numbers)))

    def _struct(self) -> _abi.scree_polygon:
        return _abi.scree_polygon(len(self._xy), self._xy.ctypes.data)

    @staticmethod
    def _made(add: Callable[[Any, Any], int]) -> "Polygon":
        shapes, number, out = _Shapes(), ctypes.c_int32(), object.__new__(Polygon)
        check(add(ctypes.byref(shapes.struct), ctypes.byref(number)))
        out._set(shapes, number.value)
        return out

    @staticmethod
    def make(rule: str, vertices: int = 8, radius: float = 1.0, roughness: float = 0.5, seed: int = 1) -> "Polygon":
        """By a rule: "regular", "convex", "star", "ell", "hook" or "chip" (docs/polygon.md). `radius`: of the bounding circle about the centre of mass.

        >>> len(Polygon.make("star", 12, seed=3))
        12
        """
        definition = lib.scree_default_shape_def()
        definition.rule, definition.vertices, definition.seed = choice(rule, _abi.SHAPES, "rule"), whole(vertices, "vertices"), seed_of(seed)
        definition.radius, definition.roughness = real(radius, "radius"), real(roughness, "roughness")
        return Polygon._made(lambda shapes, number: int(lib.scree_shapes_add_rule(shapes, ctypes.byref(definition), number)))

    @staticmethod
    def wall(points: ArrayLike, thickness: float) -> "Polygon":
        """The strip of this thickness on the right-hand side of an open chain of points; below 0: on its left."""
        given, thick = reals(points, "points"), real(thickness, "thickness")
        if given.ndim != 2 or given.shape[1] != 2:
            raise ArgumentError(f"points has the shape {given.shape}; expected (n, 2)")
        return Polygon._made(lambda shapes, number: int(lib.scree_shapes_add_wall(shapes, len(given), given.ctypes.data, thick, number)))

    @property
    def xy(self) -> Array:
        """Vertices, (n, 2), read-only."""
        return self._xy

    @property
    def area(self) -> float:
        """Area."""
        return float(self._numbers.area)

    @property
    def perimeter(self) -> float:
        """Length of the outline."""
        return float(self._numbers.perimeter)

    @property
    def centre(self) -> Array:
        """Of mass."""
        return frozen(np.array(self._numbers.centre[:]))

    @property
    def gyration(self) -> float:
        """Square of the radius of gyration about the centre: inertia / mass."""
        return float(self._numbers.gyration)

    @property
    def radius(self) -> float:
        """Radius of the bounding circle about the centre of mass."""
        return float(self._numbers.radius)

    @property
    def reflex(self) -> int:
        """Vertices with an inner angle above 180 degrees; 0: it is convex."""
        return int(self._numbers.reflex)

    def contains(self, x: ArrayLike) -> Array:
        """Whether points (n, 2) are inside, (n,) bool."""
        points, struct = self._points(x), self._struct()
        return np.array([lib.scree_polygon_contains(struct, point.ctypes.data) for point in points], bool)

    def distance(self, x: ArrayLike) -> Array:
        """Distance of points (n, 2) from the boundary, (n,)."""
        points, struct = self._points(x), self._struct()
        return np.array([lib.scree_polygon_nearest(struct, point.ctypes.data, None, None) for point in points])

    def nearest(self, x: ArrayLike) -> tuple[Array, Array]:
        """The points of the boundary, (n, 2), that are nearest to points (n, 2), and the number of the edge that each is on, (n,)."""
        points, struct, edge = self._points(x), self._struct(), ctypes.c_int32()
        found, edges = np.empty_like(points), np.empty(len(points), np.int32)
        for k, point in enumerate(points):
            lib.scree_polygon_nearest(struct, point.ctypes.data, found[k].ctypes.data, ctypes.byref(edge))
            edges[k] = edge.value
        return found, edges

    def rounded(self, rounding: float = 0.05) -> "RoundedPolygon":
        """With corners of `rounding` times the radius of the circle of equal area, as contacts see it: mass and centre of a `Body` are those of the rounded outline.

        >>> square = Polygon([[0, 0], [2, 0], [2, 2], [0, 2]]).rounded(0.1)
        >>> round(square.r, 6), round(square.area, 6), square.centre.tolist()
        (0.112838, 3.98907, [1.0, 1.0])
        """
        found = _abi.scree_polygon_rounded()
        check(lib.scree_polygon_round(self._struct(), real(rounding, "rounding"), ctypes.byref(found)))
        return RoundedPolygon(found.r, found.limited, found.area, np.array(found.centre[:]), found.gyration, found.radius)

    def _points(self, x: ArrayLike) -> Array:
        points = reals(x, "x")
        if points.ndim != 2 or points.shape[1] != 2:
            raise ArgumentError(f"x has the shape {points.shape}; expected (n, 2)")
        return points

    def __len__(self) -> int:
        return len(self._xy)

    def __eq__(self, other: object) -> Any:
        return same(self._xy, other._xy) if isinstance(other, Polygon) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._xy.tobytes())

    def __reduce__(self) -> Any:
        return Polygon, (np.array(self._xy),)

    def __repr__(self) -> str:
        return f"<scree.Polygon: {len(self)} vertices, area {self.area:.6g}>"


@dataclass(frozen=True, eq=False, repr=False)
class RoundedPolygon(Record):
    """Properties of a `Polygon` with rounded corners."""
    r: float         # of the corners
    limited: bool    # by short sides or narrow parts, to less than was asked for
    area: float
    centre: Array    # of mass
    gyration: float  # square of the radius of gyration about the centre
    radius: float    # of the bounding circle about the centre


# ---- Bodies ---------------------------------------------------------------------------------------------------------

@dataclass(frozen=True, eq=False, repr=False)
class Body(Record):
    """A body of a `PolygonSimulation`: a polygon, or a disc of this `radius`. `fixed`: it moves with `v` and `spin`, regardless of contacts.

    `x` of a free body is its centre of mass, of a fixed body the origin of its shape, about which it rotates. Bodies with the same Polygon share its memory."""
    shape: Union[Polygon, ArrayLike, None] = None  # a Polygon, or vertices (n, 2); None: a disc
    x: ArrayLike = (0.0, 0.0)
    angle: float = 0.0             # by which it is turned against its drawing
    v: ArrayLike = (0.0, 0.0)
    spin: float = 0.0
    radius: float = 0.0            # of a disc
    fixed: bool = False
    material_density: float = 0.0  # mass per area; 0: that of the simulation
    material: Union[int, str] = 0


def _bodies(given: Iterable[Body], names: Sequence[str], densities: Mapping[int, float]) -> tuple[_Shapes, Any]:
    """Shapes and structs. A Polygon or array that several bodies have is added once."""
    all_of_them, shapes = list(given), _Shapes()
    made = (_abi.scree_body * len(all_of_them))()
    known: dict[int, int] = {}
    for k, (to, body) in enumerate(zip(made, all_of_them)):
        if not isinstance(body, Body):
            raise TypeError(f"bodies[{k}] is {short(body)}; expected a scree.Body")
        if body.shape is None:
            to.shape, to.radius = -1, real(body.radius, f"bodies[{k}].radius")
        else:
            if id(body.shape) not in known:
                polygon = body.shape if isinstance(body.shape, Polygon) else _polygon(body.shape, k)
                known[id(body.shape)] = shapes.add(polygon.xy)
            to.shape = known[id(body.shape)]
        for name in ("x", "v"):
            pair = reals(getattr(body, name), f"bodies[{k}].{name}")
            if pair.shape != (2,):
                raise ArgumentError(f"bodies[{k}].{name} has the shape {pair.shape}; expected (2,)")
            getattr(to, name)[:] = pair.tolist()
        to.angle, to.spin, to.fixed = real(body.angle, f"bodies[{k}].angle"), real(body.spin, f"bodies[{k}].spin"), bool(body.fixed)
        to.material = _material(body.material, names, f"bodies[{k}].material")
        to.material_density = real(body.material_density, f"bodies[{k}].material_density") or densities.get(to.material, 0.0)
    return shapes, made


def _polygon(vertices: ArrayLike, k: int) -> Polygon:
    try:
        return Polygon(vertices)
    except ArgumentError as error:
        raise ArgumentError(f"bodies[{k}].shape: {error}") from None


def _material(given: Union[int, str], names: Sequence[str], what: str) -> int:
    if isinstance(given, str):
        if given not in names:
            raise ArgumentError(f"{what} is {given!r}{closest_spelling(given, names)}; expected one of {', '.join(map(repr, names)) or 'materials, which are not given'}")
        return list(names).index(given)
    return whole(given, what, 0, max(0, len(names) - 1))


_PAIR = tuple(name for name, _ in _abi.scree_polygon_pair._fields_[1:])


def _pairs(names: Sequence[str], pairs: Mapping[Any, Mapping[str, float]], for_all: Mapping[str, Optional[float]], free: set[int], met: set[int]) -> Any:
    """The table of all pairs of materials: what an entry does not say is that for all contacts."""
    entries: dict[tuple[int, int], dict[str, float]] = {}
    for key, values in pairs.items():
        a, b = sorted(_material(one, names, f"pairs[{key!r}]") for one in key)
        unknown = [name for name in values if name not in _PAIR]
        if unknown:
            raise ArgumentError(f"pairs[{key!r}] has {unknown[0]!r}{closest_spelling(unknown[0], _PAIR)}; expected {', '.join(_PAIR)}")
        entries[a, b] = {name: real(value, f"pairs[{key!r}].{name}") for name, value in values.items()}
    table = (_abi.scree_polygon_pair * len(names) ** 2)()
    used = {name for values in entries.values() for name in values}
    for a in range(len(names)):
        for b in range(len(names)):
            entry, to = entries.get((min(a, b), max(a, b)), {}), lib.scree_default_polygon_pair()
            for name in _PAIR:
                value = entry.get(name, for_all.get(name))
                if value is None and name in used and a in met and b in met and (a in free or b in free) and name not in ("friction_dynamic", "tangential_stiffness", "tangential_damping"):
                    raise ArgumentError(f"materials {names[a]!r} and {names[b]!r} can meet, and pairs has no {name} of theirs; "
                                        f"expected ({names[a]!r}, {names[b]!r}): dict({name}=NUMBER), or {name}= for all")
                if value is not None:
                    setattr(to, name, value)
            table[a * len(names) + b] = to
    return table


# ---- Simulation -----------------------------------------------------------------------------------------------------

@dataclass(frozen=True, eq=False, repr=False)
class PolygonContacts(Record):
    """All contacts of a moment. Rows with a wall are last: `ij[:, 1]` is -1 - (2 * axis + (0 lower, 1 upper)), and -7 the circle of a container."""
    ij: Array          # (n, 2) int64: whose vertex or disc, and in which body
    kind: Array        # (n,) texts: "vertex", "crossing", "disc", "wall"
    feature: Array     # (n,) int32: the vertex; of a crossing an edge of i; of a disc the edge of j
    shift: Array       # (n, 2) int8: the image of j at x[j] + shift * size is meant
    point: Array       # (n, 2): where the force acts
    normal: Array      # (n, 2): the way out for i, length 1
    depth: Array       # (n,): overlap; of a crossing its area
    force: Array       # (n, 2): on i
    energy: Array      # (n,)
    tangential: Array  # (n,): friction, the part of the force along (-normal y, normal x)
    energy_tangential: Array
    sliding: Array     # (n,) bool: friction is at its limit

    def __len__(self) -> int:
        return len(self.ij)


@dataclass(frozen=True, eq=False, repr=False)
class PolygonReport(Record):
    """What `PolygonSimulation.measure` finds; include/scree/polygon.h explains each number. The seconds do not count when two are compared."""
    step: int
    time: float
    energy_kinetic: float
    energy_rotation: float
    energy_contact: float
    energy_gravity: float
    energy_potential: float
    momentum: Array
    angular_momentum: float
    touching: int
    contacts: int
    wall_contacts: int
    crossings: int
    max_overlap: float
    speed_max: float
    rebuilds: int
    candidates: int
    skin: float
    method: str
    pairs_tested: int
    vertices_offered: int
    vertices_tested: int
    edges_crossed: int
    bytes: int
    seconds_search: float = field(compare=False)
    seconds_force: float = field(compare=False)
    seconds_integrate: float = field(compare=False)
    energy_tangential: float
    dissipated_tangential: float
    sliding: int
    energy_normal: float
    dissipated_normal: float
    work_walls: float
    work_gravity: float
    max_overlap_relative: float


@dataclass(frozen=True, eq=False, repr=False)
class PolygonNumbers(Record):
    """What the parameters of a `PolygonSimulation` lead to."""
    stiffness: float
    time_step: float
    longest_time_step: float
    contact_duration: float
    shortest_contact: tuple[int, int]  # the two bodies of the shortest contact; -1: a wall or a fixed body
    impact_duration: float
    restitution_min: float
    restitution_max: float
    mass_min: float
    mass_max: float
    mass: float
    radius_min: float
    radius_max: float
    free: int
    fixed: int
    discs: int
    vertices: int
    pieces: int
    rounding: float
    rounding_min: float
    rounding_max: float
    limited: int
    limited_first: int


@dataclass(frozen=True, eq=False, repr=False)
class PolygonState(Record):
    """Everything that a `PolygonSimulation` needs to continue as if it had never been stopped."""
    step: int
    gravity: Array
    x: Array        # (n, 2): centres of mass; of fixed bodies the origins of their drawings
    angle: Array    # (n,)
    v: Array        # (n, 2)
    spin: Array     # (n,)
    a: Optional[Array] = None       # (n, 3); None: worked out from the rest
    anchor: Optional[Array] = None  # (n, 3), and since (n,): from where and which step fixed bodies move
    since: Optional[Array] = None
    memory: Optional[Memory] = None  # of friction; None: contacts have no memory
    account: Optional[Array] = None  # sums of energies


class PolygonSimulation(Stepped):
    """Discrete elements in the plane: polygons, convex or not, and discs, that push and rub each other (docs/polygon.md).

    `bodies`: a list of `Body`. `box`: walls, periodic or open axes; None: open. `container`: "sphere", the circle that the box bounds. How hard contacts are: `stiffness`, or `contact_duration` of the
    two lightest. How lossy: `damping` or `restitution`. `friction` and so on: of all contacts. Several materials: `materials` ({"steel": dict(material_density=7850), ...}), `material` of bodies by name,
    `wall_material`, and `pairs` ({("steel", "steel"): dict(friction=0.2), ...}); what an entry does not say is that for all. `rule`: "rounded", with corners of
    `rounding` times the radius of the circle of equal area, or "node-to-segment", with sharp ones; `allow_deep`: bodies may then pass each other's middle. `time_step`: 0: 1/50 of the
    shortest contact. The trajectory is the same bit for bit for any `method`, `skin` and number of `threads`.

    >>> brick = Polygon([[-0.5, -0.25], [0.5, -0.25], [0.5, 0.25], [-0.5, 0.25]])
    >>> sim = PolygonSimulation([Body(brick, (2, 0.3), angle=0.1), Body(radius=0.2, x=(2, 0.9))], box=(4, 4), gravity=(0, -10), stiffness=1e5, restitution=0.3, friction=0.5)
    >>> sim.advance(9000)
    >>> bool(abs(sim.angle[0]) < 0.001), sim.measure().wall_contacts
    (True, 2)
    """
    __slots__ = ("_sim", "_kept", "_shapes", "_bodies", "_names", "_given")
    _does = Functions(lib.scree_polygon_sim_get_step, lib.scree_polygon_sim_get_time, lib.scree_polygon_sim_run, lib.scree_polygon_sim_get_box, lib.scree_polygon_sim_hash,
                      lib.scree_polygon_sim_get_memory, lib.scree_polygon_sim_get_boundaries, lib.scree_checkpoint_restore_bodies)
    _changes: list[tuple[int, tuple[float, float]]]  # the step, and the gravity from there on
    _kept: Any
    _given: Optional[tuple[Optional[Scene], dict[str, Any]]]  # the scene, and arguments of from_scene or of the constructor

    def __init__(self, bodies: Iterable[Body], box: Optional[BoxLike] = None, periodic: PeriodicLike = None, *, gravity: Optional[ArrayLike] = None, material_density: float = 1.0,
                 stiffness: float = 0.0, contact_duration: float = 0.0, damping: float = 0.0, restitution: float = 0.0, friction: float = 0.0, friction_dynamic: float = 0.0,
                 tangential_stiffness: Optional[float] = None, tangential_damping: Optional[float] = None, materials: Optional[Mapping[str, Mapping[str, float]]] = None,
                 pairs: Optional[Mapping[Any, Mapping[str, float]]] = None, wall_material: Union[int, str] = 0, container: str = "box", rule: str = "rounded", rounding: float = 0.05, allow_deep: bool = False, time_step: float = 0.0,
                 wrap_every: Optional[int] = None, method: str = "auto", skin: float = 0.0, threads: int = 0, progress: Optional[Callable[[float], Any]] = None) -> None:
        bodies = list(bodies)
        self._given = None, {name: value for name, value in locals().items() if name not in ("self", "progress", "__class__")}
        definition = lib.scree_default_polygon_sim_def()
        self._watch = Watch(progress)
        definition.watch, definition.box = self._watch.struct, box_for(box, periodic, 2)._struct()
        self._names, densities = tuple(materials or ()), {}
        for k, (name, values) in enumerate((materials or {}).items()):
            if set(values) - {"material_density"}:
                raise ArgumentError(f"materials[{name!r}] has {sorted(set(values))}; expected material_density, or nothing")
            densities[k] = real(values.get("material_density", 0.0), f"materials[{name!r}].material_density")
        self._shapes, self._bodies = _bodies(bodies, self._names, densities)
        if gravity is not None:
            definition.gravity[:] = self._two(gravity, "gravity")
        for name, value in (("material_density", material_density), ("stiffness", stiffness), ("contact_duration", contact_duration), ("damping", damping), ("restitution", restitution),
                            ("friction", friction), ("friction_dynamic", friction_dynamic), ("tangential_stiffness", tangential_stiffness), ("tangential_damping", tangential_damping),
                            ("time_step", time_step), ("skin", skin), ("rounding", rounding)):
            if value is not None:
                setattr(definition, name, real(value, name))
        table = None
        if self._names:
            definition.material_count, definition.wall_material = len(self._names), _material(wall_material, self._names, "wall_material")
            free = {one.material for one in self._bodies if not one.fixed}
            walls = {definition.wall_material} if any(not p and np.isfinite([a, b]).any() for p, a, b in zip(definition.box.periodic[:2], definition.box.lower, definition.box.upper)) else set()
            for_all = {"stiffness": stiffness or None, "damping": damping or None, "restitution": restitution or None, "friction": friction or None,
                       "friction_dynamic": friction_dynamic or None, "tangential_stiffness": tangential_stiffness, "tangential_damping": tangential_damping}
            table = _pairs(self._names, pairs or {}, for_all, free, {one.material for one in self._bodies} | walls)
            definition.pairs, definition.friction, definition.friction_dynamic = table, 0.0, 0.0
        elif pairs:
            raise ArgumentError("pairs without materials; expected materials={NAME: dict(), ...}")
        if wrap_every is not None:
            definition.wrap_every = whole(wrap_every, "wrap_every")
        definition.method, definition.threads = choice(method, _abi.METHODS, "method"), whole(threads, "threads", 0)
        definition.container, definition.allow_deep = choice(container, _abi.CONTAINERS, "container"), bool(allow_deep)
        definition.rule = choice(rule, _abi.POLYGON_RULES, "rule")
        handle = ctypes.c_void_p()
        check(self._watch.guard(lib.scree_polygon_sim_create, ctypes.byref(definition), ctypes.byref(self._shapes.struct), len(self._bodies), self._bodies, ctypes.byref(handle)))
        super().__init__(handle.value, lib.scree_polygon_sim_destroy)
        self._sim, self._kept, self._changes, self._end = handle.value, table, [], None
        self._container = container

    @staticmethod
    def _two(values: ArrayLike, name: str) -> list[float]:
        array = reals(values, name)
        if array.shape != (2,):
            raise ArgumentError(f"{name} has the shape {array.shape}; expected (2,)")
        return [*map(float, array)]

    @classmethod
    def from_scene(cls, scene: SceneLike, *, method: Optional[str] = None, threads: int = 0, seed: Optional[int] = None) -> "PolygonSimulation":
        """The simulation of a scene with bodies, in memory: no folder, no frames, no log. `advance()` goes to the end of the scene, and its changes of gravity come at
        their times: the same bits as `scree run`. For a run with its folder see `scree.run`.
        """
        parsed, teller, going = scene_of(scene, seed), _Teller(method, threads, False, False, None), ctypes.c_void_p()
        found, sim, shapes = _abi.scree_body_set(), cls.__new__(cls), _Shapes()
        try:
            if parsed._facts.bodies == 0:
                raise ArgumentError(f"{parsed._name}: a scene of spheres; expected one with bodies. Simulation.from_scene is for spheres")
            check(teller.watch.guard(lib.scree_scene_make_bodies, parsed._handle, teller.watch.struct, ctypes.byref(found)))
            bodies = (_abi.scree_body * found.count).from_buffer_copy(ctypes.string_at(found.bodies, found.count * ctypes.sizeof(_abi.scree_body)) or b"\0")
            shapes.struct, found.shapes = _abi.scree_shapes.from_buffer_copy(found.shapes), _abi.scree_shapes()
            check(teller.watch.guard(lib.scree_run_create, ctypes.byref(teller.definition), parsed._handle, None, ctypes.byref(going)))
            Held.__init__(sim, going.value, lib.scree_run_destroy)
            sim._watch, sim._kept, sim._shapes, sim._bodies, sim._names = teller.watch, teller, shapes, bodies, ()
            sim._sim, sim._end, sim._container = lib.scree_run_get_polygon_sim(going), lib.scree_run_get_steps(going), "box"
            sim._given = parsed, {"method": method, "threads": threads}
            paces = [(0, 0.0, sim.numbers.time_step)]
            sim._changes = [(_step_at(change.at, paces), (change.gravity[0], change.gravity[1])) for change in parsed._changes() if change.sets_gravity]
            return sim
        finally:
            lib.scree_body_set_free(ctypes.byref(found))

    def __reduce__(self) -> Any:
        """What it was made of, and its state: the copy goes on with the same bits."""
        if self._given is None:
            raise TypeError("the simulation of a run cannot be pickled")
        return _polygons_again, (*self._given, self.state(), len(self._changes))

    def _at(self) -> int:
        self._open()
        return int(self._sim or 0)

    # -- going on --

    def _length_of_step(self) -> float:
        return float(self._ask(lib.scree_polygon_sim_get_numbers).time_step)

    def _apply(self, change: tuple[float, float]) -> None:
        gravity = (ctypes.c_double * 2)(*change)
        check(lib.scree_polygon_sim_set_gravity(self._at(), ctypes.addressof(gravity)))

    def _save(self, saved: _abi.scree_checkpoint) -> int:
        return int(lib.scree_checkpoint_save_bodies(self._at(), ctypes.byref(self._shapes.struct), self._bodies, ctypes.byref(saved)))

    def set_threads(self, threads: int) -> None:
        """From now on; 0: all cores. The trajectory does not depend on it."""
        with self._turn():
            check(lib.scree_polygon_sim_set_threads(self._at(), whole(threads, "threads", 0)))

    def set_motion(self, body: int, v: ArrayLike = (0.0, 0.0), spin: float = 0.0) -> None:
        """Velocity and spin of a fixed body, from the next step on."""
        velocity = (ctypes.c_double * 2)(*self._two(v, "v"))
        with self._turn():
            check(lib.scree_polygon_sim_set_motion(self._at(), whole(body, "body", 0), ctypes.addressof(velocity), real(spin, "spin")))

    @property
    def gravity(self) -> Array:
        """Acceleration by gravity, (2,); read-only, set it as a whole."""
        return frozen(self.state().gravity)

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        given = (ctypes.c_double * 2)(*self._two(gravity, "gravity"))
        with self._turn():
            check(lib.scree_polygon_sim_set_gravity(self._at(), ctypes.addressof(given)))

    # -- arrays --

    def __len__(self) -> int:
        with self._turn():
            return int(lib.scree_polygon_sim_get_count(self._at()))

    @property
    def dim(self) -> int:
        """2."""
        return 2

    @property
    def materials(self) -> tuple[str, ...]:
        """Names of the materials, by number; empty if they were not named."""
        return self._names

    @property
    def fixed(self) -> Array:
        """(n,) bool: which bodies are fixed."""
        return frozen(np.array([one.fixed for one in self._bodies], bool))

    def _get(self, name: str) -> Array:
        out = np.empty((len(self), 2) if name in ("x", "v") else len(self))
        with self._turn():
            check(lib.scree_polygon_sim_get_state(self._at(), ctypes.byref(_abi.scree_polygon_sim_state(**{name: out.ctypes.data}))))
        return out

    def _put(self, **changed: Array) -> None:
        now = self.state()
        parts = {"x": now.x, "angle": now.angle, "v": now.v, "spin": now.spin, **changed}
        moved = "x" in changed or "angle" in changed
        self.set_state(PolygonState(now.step, now.gravity, **parts, memory=None if moved else now.memory, account=now.account))

    @property
    def x(self) -> Array:
        """Centres of mass (of fixed bodies the origins of their drawings), a read-only copy. Setting x, v, angle or spin lets the simulation continue from there; contacts forget what they remember when
        x or angle is set."""
        return frozen(self._get("x"))

    @x.setter
    def x(self, x: ArrayLike) -> None:
        self._put(x=matching(x, self.x, "x"))

    @property
    def v(self) -> Array:
        """Velocities, a read-only copy."""
        return frozen(self._get("v"))

    @v.setter
    def v(self, v: ArrayLike) -> None:
        self._put(v=matching(v, self.v, "v"))

    @property
    def angle(self) -> Array:
        """Angles against the drawings, a read-only copy."""
        return frozen(self._get("angle"))

    @angle.setter
    def angle(self, angle: ArrayLike) -> None:
        self._put(angle=matching(angle, self.angle, "angle"))

    @property
    def spin(self) -> Array:
        """Angular velocities, a read-only copy."""
        return frozen(self._get("spin"))

    @spin.setter
    def spin(self, spin: ArrayLike) -> None:
        self._put(spin=matching(spin, self.spin, "spin"))

    @property
    def outlines(self) -> Outlines:
        """All bodies at the current time, with columns id, angle, velocity, spin and fixed; for `write` and `picture`."""
        found = _abi.scree_outline_set()
        with self._turn():
            check(lib.scree_outline_set_copy(self._at(), ctypes.byref(found)))
        return outlines_of(found)

    def memory(self) -> Memory:
        """The memory of contacts with friction: a row of six numbers each (include/scree/polygon.h). Without friction there are no rows."""
        with self._turn():
            return self._get_memory(2)

    def state(self) -> PolygonState:
        """The current state, from which `set_state` continues (PolygonState)."""
        n = len(self)
        arrays = {"x": np.empty((n, 2)), "angle": np.empty(n), "v": np.empty((n, 2)), "spin": np.empty(n), "a": np.empty((n, 3)), "anchor": np.empty((n, 3)), "since": np.empty(n, np.int64)}
        struct = _abi.scree_polygon_sim_state(**{name: array.ctypes.data for name, array in arrays.items()})
        with self._turn():
            check(lib.scree_polygon_sim_get_state(self._at(), ctypes.byref(struct)))
        remembered = self.memory()
        return PolygonState(struct.step, np.array(struct.gravity[:]), **arrays, memory=remembered if remembered.values.shape[1] else None, account=np.array(struct.account[:]))

    def set_state(self, state: PolygonState) -> None:
        """Goes to a state of a simulation with the same parameters and bodies."""
        n, struct, kept = len(self), _abi.scree_polygon_sim_state(step=state.step), []
        struct.gravity[:] = self._two(state.gravity, "gravity")
        for name, shape in (("x", (n, 2)), ("angle", (n,)), ("v", (n, 2)), ("spin", (n,)), ("a", (n, 3)), ("anchor", (n, 3)), ("since", (n,))):
            values = getattr(state, name)
            if values is None:
                continue
            array = plain(values, np.int64) if name == "since" else reals(values, name)
            if array.shape != shape:
                raise ArgumentError(f"{name} has the shape {array.shape}; expected {shape}")
            kept.append(array)
            setattr(struct, name, array.ctypes.data)
        remembered, held = memory_struct(state.memory, 2) if state.memory is not None else (_abi.scree_sim_memory(), None)  # zeroed: contacts remember nothing
        struct.memory = ctypes.pointer(remembered)
        if state.account is not None:
            struct.account[:] = reals(state.account, "account").tolist()
        with self._turn():
            check(self._watch.guard(lib.scree_polygon_sim_set_state, self._at(), ctypes.byref(struct)))

    # -- looking on --

    @property
    def numbers(self) -> PolygonNumbers:
        """What follows from the bodies and contact parameters: contact duration, restitution, masses (PolygonNumbers)."""
        found = self._ask(lib.scree_polygon_sim_get_numbers)
        return PolygonNumbers(**{name: tuple(found.shortest_contact) if name == "shortest_contact" else getattr(found, name) for name, _ in found._fields_})

    def measure(self) -> PolygonReport:
        """Energies, momenta, contacts and overlaps at this moment (PolygonReport)."""
        found = _abi.scree_polygon_sim_report()
        with self._turn():
            check(self._watch.guard(lib.scree_polygon_sim_measure, self._at(), ctypes.byref(found)))
        values: dict[str, Any] = {name: getattr(found, name) for name, _ in found._fields_}
        values["momentum"], values["method"] = np.array(found.momentum[:]), _abi.METHODS[found.method]
        return PolygonReport(**values)

    def contacts(self) -> PolygonContacts:
        """All current contacts, as copies."""
        found = _abi.scree_polygon_contacts()
        with self._turn():
            check(lib.scree_polygon_sim_get_contacts(self._at(), ctypes.byref(found)))
            dtype = np.dtype(_abi.scree_contact)
            rows = take(ctypes.cast(found.contacts, ctypes.c_void_p).value, (found.count,), dtype)
        return PolygonContacts(ij=np.column_stack([rows["i"], rows["j"]]).astype(np.int64), kind=np.array(_abi.CONTACT_KINDS)[rows["kind"]], sliding=rows["slides"].astype(bool),
                               **{name: rows[name].copy() for name in ("feature", "shift", "point", "normal", "depth", "force", "energy", "tangential", "energy_tangential")})

    def boundaries(self) -> list[dict[str, Any]]:
        """The walls of the box and the circle of a container with the current forces on them: `name`, `contacts` and `force` of each, numbered as in `contacts()`."""
        return [{"name": one.name.decode(), "contacts": one.contacts, "force": np.array(one.force[:2])} for one in self._get_boundaries()]

    def _repr_png_(self) -> Optional[bytes]:
        """A small picture, for notebooks."""
        return picture_png(self.outlines, colour_by="velocity") if self._handle and len(self) else None

    def _repr_html_(self) -> str:
        """A small picture, and where it is, for notebooks."""
        rows = {} if not self._handle else {"time": f"{self.time:.6g}", "step": str(self.steps), "box": self.box._brief()}
        return table_html(repr(self)[1:-1], rows, self._repr_png_())

    def __repr__(self) -> str:
        return f"<scree.PolygonSimulation: {len(self)} {'body' if len(self) == 1 else 'bodies'}, step {self.steps}>" if self._handle else "<scree.PolygonSimulation, closed>"


def _polygons_again(scene: Optional[Scene], how: dict[str, Any], state: PolygonState, changes: int) -> PolygonSimulation:
    sim = PolygonSimulation(**how) if scene is None else PolygonSimulation.from_scene(scene, **how)
    sim._changes = sim._changes[len(sim._changes) - changes:]  # the others are in the state
    sim.set_state(state)
    return sim


class _LentBodies(PolygonSimulation):
    """The simulation of a run, during a callback: what would step it or replace its bodies is the run's own."""
    __slots__ = ()

    def __init__(self, going: int) -> None:
        handle = lib.scree_run_get_polygon_sim(going)
        Held.__init__(self, handle, lambda handle: None)
        self._watch, self._sim, self._kept, self._names, self._container = Watch(), handle, None, (), "box"
        self._changes, self._end, self._given = [], lib.scree_run_get_steps(going), None

    def give_back(self) -> None:
        """The object is closed."""
        self.close()

    @property
    def fixed(self) -> Array:
        """(n,) bool: which bodies are fixed."""
        return frozen(self.outlines["fixed"] != 0)

    def _refuse(self, *given: Any, **named: Any) -> Any:
        raise ArgumentError("in a callback of a run: the run makes the steps; expected to inspect the simulation, or to set velocities, gravity and motions")

    _go = advance = step = save = load = _refuse
