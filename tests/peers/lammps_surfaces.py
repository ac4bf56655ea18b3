"""Exact shapes by scree against regions of LAMMPS (fix wall/gran/region): the same positions, velocities and spins of every single sphere.

Spheres of different sizes with spins fall and come to rest in a cylinder, around one, in a cone, and in a cylinder that turns about its axis or moves. As in lammps_grains.py scree has the
time levels and lever arms of LAMMPS here, so that only roundings remain.

usage: lammps_surfaces.py RUN_GRAINS [SPHERES]     (40 unless said)
"""
import concurrent.futures
import math
import os
import random

import peer
from lammps_grains import DENSITY, LOOKS, RADII, SPEED, STEPS, TOLERANCE, K, classic, compare, modern, ours, reduced, theirs
from lammps_motion import fits

CYLINDER, CONE = 1, 2  # scree_exact_kind


class Shape:
    """A surface of revolution about the vertical through the middle of the box: radii at heights 0 and `size`, spheres inside or around it."""

    def __init__(self, size, low, high, outside=False, spin=0.0, velocity=(0.0, 0.0, 0.0)):
        self.size, self.low, self.high, self.outside, self.spin, self.velocity = size, low, high, outside, spin, velocity
        self.from_z, self.to_z = (-0.3 * size, 1.3 * size) if low == high else (-0.1 * size, 1.3 * size)

    def radius(self, z):
        return self.low + (self.high - self.low) * z / self.size

    def clear(self, x, r):
        slope = math.atan((self.high - self.low) / self.size)
        gap = (self.radius(x[2]) - math.hypot(x[0] - 0.5 * self.size, x[1] - 0.5 * self.size)) * math.cos(slope)
        return (-gap if self.outside else gap) > 1.01 * r

    def lammps(self, wall, step):
        middle, low, high = 0.5 * self.size, self.radius(self.from_z), self.radius(self.to_z)
        shape = f"cylinder z {middle!r} {middle!r} {low!r}" if self.low == self.high else f"cone z {middle!r} {middle!r} {low!r} {high!r}"
        side, motion, lines = "out" if self.outside else "in", "", ""
        if self.spin:
            lines, motion = f"variable turn equal {self.spin!r}*step*{step!r}\n", f" rotate v_turn {middle!r} {middle!r} 0 0 0 1"
        if any(self.velocity):
            for axis, speed in zip("xyz", self.velocity):
                lines += f"variable way{axis} equal {speed!r}*step*{step!r}\n"
            motion = " move v_wayx v_wayy v_wayz"
        return f"\n{lines}region shape {shape} {self.from_z!r} {self.to_z!r} side {side} units box open 1 open 2{motion}\nfix shape all wall/gran/region {wall} region shape"

    def scree(self):
        middle, round_wall = 0.5 * self.size, self.low == self.high
        numbers = [CYLINDER if round_wall else CONE, middle, middle, self.from_z, 0, 0, 1, self.to_z - self.from_z, self.radius(self.from_z), self.radius(self.to_z), len(RADII),
                   *self.velocity, 0, 0, self.spin, middle, middle, 0]
        return "1\n" + " ".join(map(repr, numbers)) + "\n"


def start(n, size, shape, chance):
    placed, rows, sizes = [], [], sorted(k % len(RADII) for k in range(n))
    for k in sizes:
        r = RADII[k]
        while True:
            x = [chance.uniform(r, size - r) for _ in range(3)]
            if shape.clear(x, r) and fits(x, 1.01 * r, placed, size, False):
                break
        placed.append((*x, r))
        rows.append((*x, r, k, *(chance.gauss(0, SPEED) for _ in range(3)), *(chance.gauss(0, SPEED / r) for _ in range(3))))
    chance.shuffle(rows)
    return rows


CASES = (  # name, walls of the box, law, shape from the size of the box
    ("gran/hooke/history in a cylinder", "oow", classic(), lambda size: Shape(size, 0.5 * size, 0.5 * size)),
    ("granular linear_history in a cylinder", "oow", modern(), lambda size: Shape(size, 0.5 * size, 0.5 * size)),
    ("gran/hooke/history around a cylinder", "www", classic(), lambda size: Shape(size, 0.15 * size, 0.15 * size, outside=True)),
    ("gran/hooke/history in a cone", "oow", classic(), lambda size: Shape(size, 0.25 * size, 0.65 * size)),
    ("granular linear_history in a cone", "oow", modern(), lambda size: Shape(size, 0.25 * size, 0.65 * size)),
    ("gran/hooke/history in a cylinder that turns", "oow", classic(), lambda size: Shape(size, 0.5 * size, 0.5 * size, spin=0.03)),
    ("gran/hooke/history in a cone that moves", "oow", classic(), lambda size: Shape(size, 0.3 * size, 0.65 * size, velocity=(0.01, -0.005, 0.01))),
)


def case(program, folder, n, seed, name, axes, law, make):
    size = (n * 4.2 / 0.30) ** (1 / 3) * 1.0
    shape, gravity, step = make(size), 0.08, math.pi * math.sqrt(reduced(RADII[-1], RADII[-1], 3) / K) / 50
    rows = start(n, size, shape, random.Random(seed))
    there = theirs(folder, rows, 3, axes, size, gravity, step, law, shape.lammps(law.wall, step))
    here, contacts = ours(program, folder, rows, 3, axes, size, gravity, step, law, shape.scree())
    worst = [compare(a, b, rows, size, axes) for a, b in zip(here, there)]
    peer.check(max(worst) <= TOLERANCE, f"{name}: off by {max(worst):.2g}, allowed {TOLERANCE:.2g}: {worst}")
    peer.check(2 * contacts[-1] > n, f"{name}: only {contacts[-1]} contacts of {n} spheres at the end")
    return f"{name}: off by {', '.join(f'{w:.1g}' for w in worst)} after each {STEPS} steps; contacts {contacts}"


def all_cases(program, folder, n):
    def one(seed):
        own = os.path.join(folder, str(seed))
        os.mkdir(own)
        return case(program, own, n, seed, *CASES[seed])
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for said in pool.map(one, range(len(CASES))):
            print(said, flush=True)


if __name__ == "__main__":
    peer.need_lammps()
    peer.main(40, all_cases)
