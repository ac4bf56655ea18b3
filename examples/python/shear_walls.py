"""Shear of rough spheres without walls and between rough walls: the ratio of shear stress to normal stress.

    python3 examples/python/shear_walls.py [spheres] [strain]

A set of spheres is pressed to a pressure in a periodic cell. The cell then shears, first with a controlled normal stress and then at constant volume. At a moment without tilt the layers at its
lower and upper face become walls: spheres that nothing can slow down, which move against each other. The 1000 spheres and the strain of 1 of the defaults take half a minute.
"""
import sys

import numpy as np

import scree


def ratios(count=1000, strain=1.0, pressure=10.0, rate=0.1, stiffness=1e4, friction=0.5, seed=1):
    """Mean and standard deviation of the ratio in the cell with its stress controlled, the ratio at constant volume, and the same between walls, over five parts of the strain."""
    rng = np.random.default_rng(seed)
    side = max(3, round((count / 2.5) ** (1 / 3)))
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(count // side ** 2 + 1), np.arange(side), indexing="ij"), -1)
    x = grid.transpose(1, 0, 2, 3).reshape(-1, 3)[:count] * 1.12 + 0.56
    box = 1.12 * np.array([side, count // side ** 2 + 1, side])
    r, law = rng.uniform(0.45, 0.5, count), dict(stiffness=stiffness, restitution=0.5, friction=friction, threads=1)
    sim = scree.Simulation(x, r, rng.normal(0, 1.0, x.shape), box=box, periodic=True, cell=dict(stress=dict(pressure=pressure, rate=0.5)), **law)
    sim.advance(12000)
    steps, found = int(strain / rate / sim.numbers.time_step), []

    def look(now):
        report = now.measure()
        stress = report.contact_stress + report.kinetic_stress
        found.append((-stress[0, 1], stress[1, 1]))

    sim.set_cell(shear=rate, stress=dict(yy=pressure, rate=0.5))
    sim.advance(steps, every=200, callback=look)
    held = np.array(found[len(found) // 3:])
    for _ in range(10 ** 6):
        if abs(sim.cell.tilt[0]) < 0.02:
            break
        sim.advance(20)
    sim.set_cell(shear=rate)
    box, centres, v, w = sim.box, sim.x.copy(), sim.v.copy(), sim.w.copy()
    found.clear()
    sim.advance(steps, every=200, callback=look)
    volume = np.array(found)

    # The walls, from the state without tilt. A sphere that is wrapped along y loses the velocity of the cell.
    height = box.size[1]
    turns = np.floor((centres[:, 1] - box.lower[1]) / height)
    centres[:, 1] -= turns * height
    v[:, 0] -= turns * rate * height
    y = centres[:, 1] - box.lower[1]
    walls = (y < 0.75, y > height - 0.75)
    density = np.ones(count)
    density[walls[0] | walls[1]] = 1e9
    mass = density * 4 / 3 * np.pi * r ** 3
    inertia = np.where(walls[0] | walls[1], np.inf, 0.4 * mass * r ** 2)
    for wall in walls:
        v[wall], w[wall] = [rate * (y[wall].mean() - height / 2), 0, 0], 0
    ends = np.array([[box.lower[0], -np.inf, box.lower[2]], [box.upper[0], np.inf, box.upper[2]]])
    between = scree.Simulation(centres, r, v, box=scree.Box(ends, periodic="xz"), material_density=density, inertia=inertia, spin=w, time_step=sim.numbers.time_step, **law)
    area, forces = box.size[0] * box.size[2], []
    between.advance(steps, every=200, callback=lambda now: forces.append([(now.a * mass[:, None])[wall].sum(0) / area for wall in walls]))
    forces = np.array(forces[len(forces) // 20:])
    shear, normal = 0.5 * (forces[:, 0, 0] - forces[:, 1, 0]), 0.5 * (forces[:, 1, 1] - forces[:, 0, 1])
    parts = [a.mean() / b.mean() for a, b in zip(np.array_split(shear, 5), np.array_split(normal, 5))]
    ratio = held[:, 0] / held[:, 1]
    return ratio.mean(), ratio.std(), volume[:, 0].mean() / volume[:, 1].mean(), shear.mean() / normal.mean(), parts


if __name__ == "__main__":
    mean, spread, constant, walls, parts = ratios(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
    print(f"cell with controlled stress: {mean:.3f} +- {spread:.3f}")
    print(f"cell of constant volume:     {constant:.3f}")
    print(f"between rough walls:         {walls:.3f}, in parts {', '.join(f'{part:.3f}' for part in parts)}")
