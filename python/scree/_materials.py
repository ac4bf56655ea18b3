"""From materials and pairs of materials, as a user names them, to the contact law of a simulation.

The number of a pair is that of its entry in `pairs`; or with `mix` the geometric mean of the numbers of the two materials; or the one for all contacts (`friction=0.5`). Where some entry has a
number that another pair needs and has from nowhere, and the two can meet, that is an error with the entry to add: no pair gets a number that nobody gave.
"""
from __future__ import annotations

import math
from typing import Any, Iterable, Mapping, Optional, Sequence

import numpy as np

from . import _abi
from ._arrays import Array, ArrayLike, Box, choice, real, unmasked, whole
from ._library import ArgumentError, lib
from ._parameters import plain_parameters
from ._records import closest_spelling

TANGENTIAL, ROLLING, TWISTING = ("none", "linear", "mindlin"), ("none", "spring"), ("none", "spring", "marshall")
PAIR = tuple(name for name, _ in _abi.scree_sim_pair._fields_[1:])
ELASTIC = tuple(name for name, _ in _abi.scree_sim_material._fields_[1:])
LOSSY = ("damping", "restitution", "viscous_time")
NEEDED = ("stiffness", *LOSSY)  # what has no default of its own
FOR_ALL = ("stiffness", "damping", "restitution")  # what the definition of a simulation has for all pairs, unless some pair has its own
CURVED = ("hertz", "jkr", "dmt")
SYMBOLS = {"mu": "friction", "mu_s": "friction", "mu_d": "friction_dynamic", "mu_r": "rolling_friction", "e": "restitution", "k": "stiffness", "kn": "stiffness", "k_n": "stiffness",
           "kt": "tangential_stiffness", "k_t": "tangential_stiffness", "E": "young", "nu": "poisson", "rho": "material_density", "dt": "time_step", "step": "time_step", "g": "gravity", "omega": "spin",
           "gamma": "surface_energy"}  # what formulas call the parameters of a simulation
MOST = 1000  # materials: the table of their pairs then has some 200 MB


def _checked(given: Any, known: Sequence[str], place: str) -> dict[str, float]:
    """The numbers of an entry, by name. `k1` is what the plastic law calls its stiffness."""
    given = plain_parameters(given)
    if not isinstance(given, Mapping):
        raise TypeError(f"{place} is {given!r}; expected a dict with some of {', '.join(known)}")
    for name in given:
        if name not in known:
            raise ArgumentError(f"{place} has no parameter {name!r}" + (closest_spelling(str(name), known) or f"; expected {', '.join(known)}"))
    found = {name: real(value, f"{place}[{name!r}]") for name, value in given.items() if value is not None}
    if "k1" in found and "stiffness" in found:
        raise ArgumentError(f"{place} has k1 {found['k1']:g} and stiffness {found['stiffness']:g}, which are the same; expected one of them")
    return {"stiffness" if name == "k1" else name: value for name, value in found.items()}


class Materials:
    """The materials of a simulation, by number and perhaps by name, and what their pairs have."""

    def __init__(self, materials: Optional[Mapping[str, Any]], elastic: dict[str, Optional[float]]) -> None:
        if materials is not None and (not isinstance(materials, Mapping) or not materials):
            raise TypeError(f"materials is {materials!r}; expected a dict, the name of each material to its young, poisson and material_density")
        for name in materials or ():
            if not isinstance(name, str):
                raise TypeError(f"materials has the key {name!r}: names of materials are texts")
        self.names = tuple(materials or ())
        known = (*ELASTIC, "material_density")
        self.each = [_checked(entry, known, f"materials[{name!r}]") for name, entry in (materials or {}).items()]
        self.elastic = {name: real(value, name) for name, value in elastic.items() if value is not None}

    # -- by number or by name --

    def _listed(self) -> str:
        return ", ".join(map(repr, self.names))

    def number(self, which: Any, place: str) -> int:
        if isinstance(which, str):
            if which not in self.names:
                hint = closest_spelling(which, self.names) or (f"; the materials are {self._listed()}" if self.names else "; names need `materials`")
                raise ArgumentError(f"{place}: there is no material {which!r}{hint}")
            return self.names.index(which)
        return whole(which, place, 0, len(self.names) - 1 if self.names else 65534)

    def numbers(self, material: Optional[ArrayLike], count: int) -> Optional[Array]:
        """The material of each sphere; None: 0 for all."""
        if material is None:
            return None
        if isinstance(material, str) or np.ndim(material) == 0:
            return np.full(count, self.number(material, "material"), np.uint16)
        array = unmasked(material, "material")
        if array.shape != (count,):
            raise ArgumentError(f"material has the shape {array.shape}; expected ({count},), or one material for all")
        if array.dtype.kind in "UO":
            kinds, inverse = np.unique(array.astype(str), return_inverse=True)
            for kind in kinds:
                if kind not in self.names:
                    self.number(str(kind), f"material of sphere {int(np.argmax(array == kind))}")
            return np.array([self.number(str(kind), "material") for kind in kinds], np.uint16)[inverse] if count else np.zeros(0, np.uint16)
        most = len(self.names) - 1 if self.names else 65535
        if array.dtype.kind not in "iub":
            raise ArgumentError(f"material has dtype {array.dtype}; expected whole numbers from 0 to {most}, or names")
        wrong = np.flatnonzero((array < 0) | (array > most))
        if len(wrong):
            raise ArgumentError(f"material of sphere {wrong[0]} is {array[wrong[0]]}; expected whole numbers from 0 to {most}")
        return array.astype(np.uint16)

    def densities(self, numbers: Optional[Array], material_density: ArrayLike, count: int) -> ArrayLike:
        """Of each sphere, or of all."""
        if not any("material_density" in entry for entry in self.each):
            return material_density
        if np.ndim(material_density):
            raise ArgumentError("material_density is an array, and `materials` has a material_density too; expected one of them")
        table = np.array([entry.get("material_density", real(material_density, "material_density")) for entry in self.each])
        return table[0] if numbers is None or len(table) == 1 else table[numbers]

    # -- pairs --

    def _entries(self, pairs: Mapping[Any, Any]) -> dict[tuple[int, int], dict[str, float]]:
        if not isinstance(pairs, Mapping):
            raise TypeError(f"pairs is {pairs!r}; expected a dict, such as {{('glass', 'steel'): dict(friction=0.3)}}")
        found: dict[tuple[int, int], dict[str, float]] = {}
        for between, entry in pairs.items():
            if not isinstance(between, tuple) or len(between) != 2:
                raise TypeError(f"pairs has the key {between!r}; expected a tuple of two materials, such as ('glass', 'steel')")
            place = f"pairs[{between!r}]"
            a, b = sorted(self.number(one, place) for one in between)
            if (a, b) in found:
                raise ArgumentError(f"{place}: this pair is there twice; expected once, in either order")
            found[a, b] = _checked(entry, (*PAIR, "k1"), place)
        return found

    def name(self, number: int) -> str:
        return repr(self.names[number]) if self.names else str(number)

    def _need(self, a: int, b: int, entry: Optional[dict[str, float]], missing: Iterable[str]) -> None:
        missing = list(missing)
        if missing:
            keys = f"({self.name(a)}, {self.name(b)})"
            what = f"its entry in pairs has no {' and no '.join(missing)}" if entry is not None else f"pairs has no entry {keys}"
            line = ", ".join(f"{name}=NUMBER" for name in missing)
            raise ArgumentError(f"materials {self.name(a)} and {self.name(b)} can meet, and {what}; expected {keys}: dict({line}), or {missing[0]}= for all pairs")

    def table(self, count: int, pairs: Mapping[Any, Any], mix: bool, flat: dict[str, float], meet: Array) -> list[dict[str, float]]:
        """The numbers of each pair of `count` materials, row by row. `meet`: which can, (count, count)."""
        entries = self._entries(pairs)
        used = sorted({name for entry in entries.values() for name in entry}, key=PAIR.index)
        least = {name: min(entry[name] for entry in entries.values() if name in entry) for name in used}
        mine = {*used, *(LOSSY if any(name in used for name in LOSSY) else ())}
        base = {name: value for name, value in flat.items() if name in mine or name not in FOR_ALL}
        like = [{**base, **entries.get((a, a), {})} for a in range(count)]
        rows: list[dict[str, float]] = [{}] * (count * count)
        for a in range(count):
            for b in range(a, count):
                entry, first = entries.get((a, b)), base
                if mix and a != b:
                    first = {**base, **{name: math.sqrt(like[a][name] * like[b][name]) for name in like[a] if name in like[b] and like[a][name] * like[b][name] >= 0.0}}
                lacks = [name for name in used if name not in first and name not in (entry or {}) and (entry is None or name in NEEDED)]
                if meet[a, b]:
                    self._need(a, b, entry, lacks)
                # What cannot meet gets the least that others have, so that nothing follows from it.
                rows[a * count + b] = rows[b * count + a] = {**first, **{name: least[name] for name in lacks}, **(entry or {})}
        return rows

    def explain(self, error: ArgumentError) -> ArgumentError:
        """The library's message, with the names of the materials."""
        if len(self.names) < 1 or "material" not in str(error):
            return error
        return ArgumentError(f"{error} ({', '.join(f'material {k} is {name!r}' for k, name in enumerate(self.names))})")


def meeting(count: int, numbers: Optional[Array], fixed: Optional[Array], spheres: int, walls: Iterable[int], periodic: bool,
            surfaces: Sequence[int] = ()) -> Array:
    """Which materials can meet: materials of spheres that move, with each other, with fixed ones and with walls."""
    each = np.zeros(spheres, np.uint16) if numbers is None else numbers
    stays = np.zeros(spheres, bool) if fixed is None else np.asarray(fixed) != 0
    moves = np.bincount(each[~stays], minlength=count)
    stands = np.bincount(each[stays], minlength=count)
    for one in (*walls, *surfaces):
        stands[one] += 1
    meet = (moves[:, None] > 0) & (moves + stands > 0)[None, :]
    meet |= meet.T
    alone = (moves + stands < 2) & (not periodic)
    meet[np.diag_indices(count)] &= ~alone
    return meet


class Law:
    """A scree_sim_law, and what it points to."""

    def __init__(self, name: str, tangential: Optional[str], rolling: Optional[str], twisting: Optional[str], pull: bool) -> None:
        self.struct = lib.scree_default_sim_law()
        self.struct.name = _abi.LAWS[choice(name, _abi.LAWS, "law")].encode()
        for part, given, words in (("tangential", tangential, TANGENTIAL), ("rolling", rolling, ROLLING), ("twisting", twisting, TWISTING)):
            if given is not None:
                setattr(self.struct, part, words[choice(given, words, part)].encode())
        self.struct.no_pull = not pull

    def take(self, parameters: dict[str, Any]) -> None:
        """Takes the values of parameters that only this law has out of the keywords."""
        known = (_abi.scree_sim_parameter * max(1, lib.scree_sim_law_parameters(self.struct.name, None, 0)))()
        names = [row.name.decode() for row in known[:lib.scree_sim_law_parameters(self.struct.name, known, len(known))]]
        given = {name: real(parameters.pop(name), name) for name in names if name in parameters}
        self.struct.value_count = len(given)
        self.struct.values = (_abi.scree_sim_law_value * len(given))(*[_abi.scree_sim_law_value(name.encode(), (-1, -1), value) for name, value in given.items()])

    def set(self, materials: Materials, count: int, rows: Optional[list[dict[str, float]]]) -> None:
        """Materials, and the numbers of their pairs; None: the definition has them for all."""
        elastic = [{**materials.elastic, **(materials.each[k] if materials.each else {})} for k in range(count)]
        if any("young" in entry for entry in elastic):
            table = (_abi.scree_sim_material * count)(*[lib.scree_default_sim_material() for _ in range(count)])
            for one, entry in zip(table, elastic):
                for name in ELASTIC:
                    setattr(one, name, entry[name])
            self.struct.materials, self.struct.material_count = table, count
        if rows is not None:
            first = lib.scree_default_sim_pair()
            pairs = (_abi.scree_sim_pair * (count * count))(*[first] * (count * count))
            for one, numbers in zip(pairs, rows):
                for name, value in numbers.items():
                    setattr(one, name, value)
            self.struct.pairs, self.struct.material_count = pairs, count


FACES = ("lower_x", "upper_x", "lower_y", "upper_y", "lower_z", "upper_z")


class Walls:
    """What the walls of box and container are made of: numbers of materials."""

    def __init__(self, material: Any, materials: Materials, box: Box, container: str) -> None:
        own = material if isinstance(material, Mapping) else {"others": material}
        for name in own:
            if name not in (*FACES, "others"):
                raise ArgumentError(f"wall_material has the key {name!r}; expected one of {', '.join(map(repr, (*FACES, 'others')))}")
        given = {name: materials.number(one, f"wall_material[{name!r}]" if own is material else "wall_material") for name, one in own.items() if one is not None}
        straight = {"box": 0, "cylinder": 2}.get(container, 3)
        sides = [(k, at[k]) for k in range(len(box.lower)) for at in (box.lower, box.upper)]
        there = [name for name, (k, at) in zip(FACES, sides) if k >= straight and math.isfinite(at) and not box.periodic[k]]
        for name in given:
            if name != "others" and name not in there:
                raise ArgumentError(f"wall_material has the key {name!r}, and the box has no wall there; expected {', '.join(map(repr, there)) or 'no wall'}")
        self.others = given.get("others", 0)
        self.faces = [given.get(name, self.others) for name in FACES] if any(name in given for name in FACES) else None
        bare = [name for name in there if name not in given] + (["the round wall"] if container != "box" else [])
        self.missing = bare if "others" not in given else []
        self.used = sorted({given[name] for name in there if name in given} | ({self.others} if bare else set()))


def make_law(law: Law, materials: Materials, pairs: Optional[Mapping[Any, Any]], mix: bool, flat: dict[str, float], numbers: Optional[Array], fixed: Optional[Array],
             spheres: int, wall_material: Any, box: Box, container: str, surfaces: Sequence[int] = ()) -> tuple[Walls, set[str]]:
    """Completes the law. What walls are made of, and the names in `flat` that are now numbers of pairs."""
    walls = Walls(wall_material, materials, box, container)
    own = any(parameter not in FOR_ALL for parameter in flat)
    name, each = law.struct.name.decode(), [{**materials.elastic, **entry} for entry in materials.each or [{}]]
    for elastic in ELASTIC:
        if name not in CURVED and any(elastic in entry for entry in each):
            raise ArgumentError(f"{elastic} is given, and the law is {name!r}: {', '.join(map(repr, CURVED))} have a stiffness that follows from it")
        for k, entry in enumerate(each if name in CURVED else ()):
            if elastic not in entry:
                raise ArgumentError(f"the law {name!r} needs {elastic}{f' of material {materials.name(k)}' if materials.names else ''}, and it is not given")
    if not materials.names and pairs is None and not own and not materials.elastic:
        return walls, set()
    if materials.names:
        count = len(materials.names)
    else:
        named = [int(one) for between in pairs or () if isinstance(between, tuple) for one in between if isinstance(one, (int, np.integer))]
        count = 1 + max([walls.others, *(walls.faces or ()), 0 if numbers is None or not len(numbers) else int(numbers.max()), *named, *surfaces])
    if count > MOST:
        raise ArgumentError(f"material numbers go up to {count - 1}; expected at most {MOST - 1} with parameters by pair of materials")
    alike = pairs is None and len({tuple(entry.get(elastic) for elastic in ELASTIC) for entry in each}) < 2
    if walls.missing and count > 1 and not alike:
        of = "" if walls.faces is None else f" for {walls.missing[0]}"
        raise ArgumentError(f"wall_material is not given{of}, and contacts with walls depend on it; expected one of {materials._listed() or f'0 to {count - 1}'}")
    meet = meeting(count, numbers, fixed, spheres, walls.used, any(box.periodic), surfaces)
    rows = materials.table(count, pairs or {}, mix, flat, meet) if pairs is not None or own else None
    law.set(materials, count, rows)
    return walls, {parameter for parameter in FOR_ALL if rows and parameter in flat and parameter in rows[0]}
