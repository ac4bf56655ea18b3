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
nearest: scree.Hits = tree.nearest(np.zeros((1, 3)), k=2)
with scree.Simulation(packing, stiffness=1e4) as sim:
    sim.advance(10)
    force: NDArray[Any] = sim.contacts().force
    energy: float = sim.measure().energy_kinetic
result: scree.Result = scree.run("scene.yaml", "folder")
