"""Parameters of a simulation as objects: `Contact`, `Material`, `Walls` and `Search`, each a few keywords of `Simulation` under their names."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Mapping, Optional, Sequence, TypeVar, Union

import numpy as np

from ._arrays import ArrayLike
from ._library import ArgumentError
from ._records import Record

Self = TypeVar("Self", bound="Parameters")


class Parameters(Record):
    """Values that were given; None: not given, so that the default of `Simulation` counts."""
    _sparse: ClassVar[bool] = True
    _keywords: ClassVar[Mapping[str, str]] = {}  # of Simulation, where they have another name

    def given(self) -> dict[str, Any]:
        """Those that were given, under the names of the keywords of `Simulation`."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {self._keywords.get(name, name): value for name, value in values.items() if value is not None}

    def but(self: Self, **changes: Any) -> Self:
        """The same with other values; None takes one away."""
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True, eq=False, repr=False)
class Contact(Parameters):
    """A contact law and its parameters (docs/laws.md): `Simulation(x, r, contact=Contact(...))`, and in `pairs` those of two materials.

    >>> soft = Contact(stiffness=1e4, restitution=0.5)
    >>> soft.but(friction=0.3)
    Contact(stiffness=10000, restitution=0.5, friction=0.3)
    """
    law: Optional[str] = None
    tangential: Optional[str] = None
    rolling: Optional[str] = None
    twisting: Optional[str] = None
    pull: Optional[bool] = None
    stiffness: Optional[float] = None
    contact_duration: Optional[float] = None
    overlap: Optional[float] = None
    speed: Optional[float] = None
    damping: Optional[float] = None
    restitution: Optional[float] = None
    viscous_time: Optional[float] = None
    young: Optional[float] = None
    poisson: Optional[float] = None
    friction: Optional[float] = None
    friction_dynamic: Optional[float] = None
    tangential_stiffness: Optional[float] = None
    tangential_damping: Optional[float] = None
    rolling_friction: Optional[float] = None
    rolling_stiffness: Optional[float] = None
    rolling_damping: Optional[float] = None
    twisting_friction: Optional[float] = None
    twisting_stiffness: Optional[float] = None
    twisting_damping: Optional[float] = None
    surface_energy: Optional[float] = None
    bridge_volume: Optional[float] = None
    surface_tension: Optional[float] = None
    wetting_angle: Optional[float] = None
    k1: Optional[float] = None
    k2: Optional[float] = None
    kc: Optional[float] = None
    plastic_depth: Optional[float] = None


@dataclass(frozen=True, eq=False, repr=False)
class Material(Parameters):
    """A material: `Simulation(x, r, materials={"glass": Material(...)}, material="glass")`.

    >>> Material(young=7e10, poisson=0.22, material_density=2500)
    Material(young=7e+10, poisson=0.22, material_density=2500)
    """
    young: Optional[float] = None
    poisson: Optional[float] = None
    material_density: Optional[float] = None


@dataclass(frozen=True, eq=False, repr=False)
class Walls(Parameters):
    """The walls of the box and further boundaries: `Simulation(x, r, box=..., walls=Walls(...))`.

    >>> Walls(material={"lower_z": "steel", "others": "glass"}, on_crossing="remove")
    Walls(material={'lower_z': 'steel', 'others': 'glass'}, on_crossing='remove')
    """
    _keywords: ClassVar[Mapping[str, str]] = {"material": "wall_material", "velocity": "wall_velocity", "on_crossing": "walls_on_crossing"}
    material: Union[None, int, str, Mapping[str, Union[int, str]]] = None
    velocity: Optional[ArrayLike] = None     # (dim, 2): of the lower and upper wall of each axis, along it
    on_crossing: Optional[str] = None        # "error", or "remove"
    surfaces: Optional[Sequence[Mapping[str, Any]]] = None


@dataclass(frozen=True, eq=False, repr=False)
class Search(Parameters):
    """How contacts are searched for (docs/search.md), on which no result depends: `Simulation(x, r, search=Search(...))`.

    >>> Search(method="linked-cells", skin=0.1)
    Search(method='linked-cells', skin=0.1)
    """
    method: Optional[str] = None
    skin: Optional[float] = None
    cell_size: Optional[float] = None
    cell_sides: Optional[ArrayLike] = None
    cell_sizes: Optional[ArrayLike] = None
    levels: Optional[int] = None
    direction: Optional[str] = None
    range: Optional[str] = None
    box_test: Optional[str] = None
    verlet_radius: Optional[float] = None
    rebuild_every: Optional[int] = None
    loose_factor: Optional[float] = None


def plain_parameters(given: Any) -> Any:
    """A dict of what is one of these objects."""
    return given.given() if isinstance(given, Parameters) else given


def expand(given: Mapping[str, Any], defaults: Mapping[str, Any], objects: Mapping[str, tuple[Any, type[Parameters]]]) -> dict[str, Any]:
    """The keywords `given`, with those of the objects, by their names. ArgumentError: something is given in both ways."""
    every = dict(given)
    for name, (one, kind) in objects.items():
        if one is None:
            continue
        if not isinstance(one, kind):
            raise TypeError(f"{name} is {one!r:.60}; expected a scree.{kind.__name__}")
        for keyword, value in one.given().items():
            known = every.get(keyword)
            if known is not None and not (np.ndim(known) == 0 and keyword in defaults and known == defaults[keyword]):
                raise ArgumentError(f"{keyword} is {known!r:.60} as a keyword, and {value!r:.60} in {name}; expected one of them")
            every[keyword] = value
    return every
