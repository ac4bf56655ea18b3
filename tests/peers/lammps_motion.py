"""Motion by scree against LAMMPS (gran/hooke, elastic): the same places and velocities of every single sphere, step for step.

Both do the same sums in another order, so that they differ by roundings, 1e-16 at first. Each collision makes a difference some five to ten
times larger (way between collisions over radius), so only the first collisions can be compared: TOLERANCE says how closely at each look.

usage: lammps_motion.py RUN_SPHERES [SPHERES]     (400 unless said)
"""
import math
import os
import random

import peer

STIFFNESS, DENSITY, EVERY = 20.67, 1.0, 250
TOLERANCE = (1e-11, 3e-11, 1e-10, 3e-10, 1e-9, 3e-9)  # of a radius, and of a velocity, at each look

SCRIPT = """
units lj
atom_style sphere
boundary {boundary}
newton off
comm_modify vel yes
read_data {data}
pair_style gran/hooke {k!r} NULL 0.0 NULL 0.0 0
pair_coeff * *
neighbor 0.3 bin
neigh_modify delay 0 every 1 check yes
fix move all nve
{walls}
timestep {step!r}
dump out all custom {every} {out} id xu yu zu vx vy vz
dump_modify out sort id format float %.17g
thermo_style custom step ke
thermo_modify norm no
run {steps}
"""


def start(n, size, ratio, periodic, chance):
    """Spheres at random that do not touch each other or a wall, with velocities for overlaps of 1 % of the smallest radius."""
    radii = sorted((ratio ** chance.random() for _ in range(n)), reverse=True)
    scale = (0.3 * size**3 * 3 / (4 * math.pi * sum(r**3 for r in radii))) ** (1 / 3)
    temperature = 2 * STIFFNESS / math.pi * (0.02 * radii[-1] * scale) ** 2
    placed = []
    for r in (r * scale for r in radii):
        while True:
            x = [chance.uniform(0, size) if periodic else chance.uniform(r, size - r) for _ in range(3)]
            if fits(x, r, placed, size, periodic):
                break
        placed.append((*x, r))
    chance.shuffle(placed)
    rows = []
    for x, y, z, r in placed:
        width = math.sqrt(temperature / (DENSITY * 4 / 3 * math.pi * r**3))
        rows.append((x, y, z, r, *(chance.gauss(0, width) for _ in range(3))))
    return rows


def fits(x, r, placed, size, periodic):
    """Whether a sphere touches none of the placed. Most of them are too far away along one axis already; written out, because the test spends its time here."""
    half = 0.5 * size if periodic else math.inf
    for a, b, c, s in placed:
        reach = r + s
        d = abs(x[0] - a)
        if d > half:
            d = size - d
        if d >= reach:
            continue
        e = abs(x[1] - b)
        if e > half:
            e = size - e
        if e >= reach:
            continue
        f = abs(x[2] - c)
        if f > half:
            f = size - f
        if d * d + e * e + f * f < reach * reach:
            return False
    return True


def lammps(folder, rows, size, periodic, step):
    data, out = os.path.join(folder, "in.data"), os.path.join(folder, "out.dump")
    with open(data, "w") as text:
        text.write(f"spheres\n\n{len(rows)} atoms\n1 atom types\n\n")
        text.writelines(f"0.0 {size!r} {axis}lo {axis}hi\n" for axis in "xyz")
        text.write("\nAtoms # sphere\n\n")  # id type diameter density x y z
        text.writelines(f"{k} 1 {2 * r!r} {DENSITY!r} {x!r} {y!r} {z!r}\n" for k, (x, y, z, r, *_) in enumerate(rows, start=1))
        text.write("\nVelocities\n\n")
        text.writelines(f"{k} {row[4]!r} {row[5]!r} {row[6]!r} 0.0 0.0 0.0\n" for k, row in enumerate(rows, start=1))
    walls = "" if periodic else "\n".join(f"fix wall_{axis} all wall/gran hooke {STIFFNESS!r} NULL 0.0 NULL 0.0 0 {axis}plane 0.0 {size!r}"
                                          for axis in "xyz")
    peer.lammps(folder, SCRIPT.format(boundary="p p p" if periodic else "f f f", data=data, out=out, k=STIFFNESS, walls=walls, step=step, every=EVERY,
                                      steps=EVERY * len(TOLERANCE)), out)
    looks = [[row[1:] for row in look] for look in peer.dump_rows(out)]
    peer.check(len(looks) == len(TOLERANCE) + 1 and all(len(look) == len(rows) for look in looks), "LAMMPS lost a sphere")
    return looks[1:]


def scree(program, folder, rows, size, periodic, step):
    source, target = os.path.join(folder, "spheres.txt"), os.path.join(folder, "motion.txt")
    with open(source, "w") as text:
        text.write(f"{size!r} {int(periodic)} {STIFFNESS!r} {DENSITY!r} {step!r} {EVERY} {len(TOLERANCE)} {len(rows)}\n")
        text.writelines(" ".join(map(repr, row)) + "\n" for row in rows)
    peer.run([program, source, target], folder)
    with open(target) as text:
        lines = [list(map(float, line.split())) for line in text]
    block = len(rows) + 1
    return [lines[k * block + 1:(k + 1) * block] for k in range(len(TOLERANCE))], [lines[k * block] for k in range(len(TOLERANCE))]


def case(program, folder, n, name, ratio, periodic, seed):
    chance = random.Random(seed)
    size = 20.0
    rows = start(n, size, ratio, periodic, chance)
    smallest = min(row[3] for row in rows)
    mass = DENSITY * 4 / 3 * math.pi * smallest**3
    step = math.pi * math.sqrt(mass / 2 / STIFFNESS) / 50
    theirs = lammps(folder, rows, size, periodic, step)
    ours, reported = scree(program, folder, rows, size, periodic, step)
    fastest = max(abs(u) for row in rows for u in row[4:])
    worst = []
    for look, (a, b) in enumerate(zip(ours, theirs)):
        off = 0.0
        for p, q in zip(a, b):
            for k in range(3):
                way = p[k] - q[k]
                way -= size * round(way / size) if periodic else 0.0  # turns are counted by one and not by the other
                off = max(off, abs(way) / smallest, abs(p[3 + k] - q[3 + k]) / fastest)
        worst.append(off)
        peer.check(off <= TOLERANCE[look], f"{name}: off by {off:.2g} after {(look + 1) * EVERY} steps, allowed {TOLERANCE[look]:.2g}")
    met = sum(any(abs(p[3 + k] - row[4 + k]) > 1e-3 * fastest for k in range(3)) for p, row in zip(ours[-1], rows))
    peer.check(met > len(rows) / 4, f"{name}: only {met} of {len(rows)} spheres have met another")
    print(f"{name}: n {len(rows)}, {met} have met others, off by {', '.join(f'{w:.1g}' for w in worst)} after each {EVERY} steps; contacts "
          f"{[int(t[1]) for t in reported]}", flush=True)


if __name__ == "__main__":
    peer.need_lammps()
    peer.main(400, lambda program, folder, n: peer.equal_and_mixed(case, program, folder, n))
