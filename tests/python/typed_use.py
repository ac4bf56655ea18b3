"""What a user with mypy --strict writes: each result has the type that is written here. Read by mypy (python_types), never run."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import scree

ij: NDArray[Any] = scree.pairs([[0.0, 0, 0]], 1.0)
both: tuple[NDArray[Any], NDArray[Any]] = scree.pairs([[0.0, 0, 0]], 1.0, images=True)
packing: scree.Packing = scree.pack("mono:1", 10, periodic=True)
density: float = scree.measure(packing).density
tree = scree.Tree(packing)
index: scree.Index = scree.Index(packing, gap=0.1)
nearest: scree.Hits = tree.nearest(np.zeros((1, 3)), k=2)
with scree.Simulation(packing, stiffness=1e4) as sim:
    sim.advance(10)
    force: NDArray[Any] = sim.contacts().force
    energy: float = sim.measure().energy_kinetic
steel = scree.Material(young=2e11, poisson=0.3, material_density=7850)
hard: scree.Contact = scree.Contact(law="hertz", restitution=0.9).but(friction=0.1)
objects = scree.Simulation(packing, contact=hard, materials={"steel": steel}, walls=scree.Walls(material="steel"), search=scree.Search(skin=0.1))
result: scree.Result = scree.run("scene.yaml", "folder")
run = scree.Run("folder")
frame: scree.Spheres | scree.Outlines = run.frames[-1]
times: NDArray[Any] = run.frames[2:4].times
energies: NDArray[Any] = run.log["energy"]
part: scree.Spheres = packing[packing.r > 0.5]
both_parts: scree.Spheres = scree.concatenate([part, packing[:3]])
centre: tuple[NDArray[Any], float] = packing[0]
column: NDArray[Any] = result.spheres["velocity"]
star: scree.Polygon = scree.Polygon.make("star", 9)
bodies: list[scree.Body] = [scree.Body(star, (1.0, 2.0)), scree.Body(radius=0.5, x=(3.0, 1.0))]
plane = scree.PolygonSimulation(bodies, box=(4, 4), stiffness=1e5)
plane.advance(10, every=5, callback=lambda sim: sim.steps < 5)
kinds: NDArray[Any] = plane.contacts().kind
outlines: scree.Outlines = plane.outlines
gas = scree.HardSpheres(packing, v=np.zeros((10, 3)))
gas.advance(collisions=10)
pressure: float = gas.stats.reduced_pressure
i, j, d = scree.neighbour_list("ijd", packing)
scree.film("film.png", [packing, part])
