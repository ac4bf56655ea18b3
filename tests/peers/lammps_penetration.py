"""A steel ball hits a bed of spheres: scree beside LAMMPS, and beside itself with half the time step. Reduced from the penetration system of the benchmark of nine codes (Dosta et al. 2024).

Materials, restitutions and frictions are those of the benchmark (M1 and steel, Hertz and Mindlin without rolling), spheres of 2 mm and the step of 5e-7 s too. Smaller: 1500 spheres in a box of 24 x 24 mm,
a ball of 8 mm at 2.5 m/s. Such a system is chaotic: its curve is compared, not its spheres. The bed settles in scree, under 25 times the weight at first, and both programs start from there.

usage: lammps_penetration.py RUN_GRAINS [SPHERES]     (1500 unless said)
"""
import math
import os
import random

import peer

SIDE, R, BALL, SPEED, STEP, GRAVITY, EVERY, LOOKS = 0.024, 1e-3, 4e-3, 2.5, 5e-7, 9.81, 2000, 10
DENSITIES, YOUNG, POISSON = (2500.0, 7200.0), (1e9, 2.1e11), 0.2
RESTITUTION, FRICTION = {(0, 0): 0.5, (0, 1): 0.4, (1, 1): 0.6}, {(0, 0): 0.3, (0, 1): 0.2, (1, 1): 0.5}

SCRIPT = """
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data {data}
pair_style granular
{pairs}
neighbor 3e-4 bin
neigh_modify delay 0 every 1 check yes
fix move all nve/sphere
fix fall all gravity {gravity!r} vector 0 0 -1
{walls}
timestep {step!r}
group ball type 2
dump out ball custom {every} {out} id zu vz
dump_modify out format float %.17g
run {steps}
"""


def law(a, b):
    """The pair as LAMMPS takes it. The package's tsuji takes its dashpot from a polynomial in e that is not the restitution; the e that gives the right dashpot is found here."""
    e = RESTITUTION[min(a, b), max(a, b)]
    young = 1 / sum((1 - POISSON**2) / YOUNG[m] for m in (a, b))
    shear = 1 / sum((2 - POISSON) * 2 * (1 + POISSON) / YOUNG[m] for m in (a, b))
    factor = -math.sqrt(5) * math.log(e) / math.sqrt(math.pi**2 + math.log(e) ** 2)
    low, high = 0.0, 1.0
    for _ in range(60):
        x = 0.5 * (low + high)
        value = 1.2728 - 4.2783 * x + 11.087 * x**2 - 22.348 * x**3 + 27.467 * x**4 - 18.022 * x**5 + 4.8218 * x**6
        low, high = (x, high) if value > factor else (low, x)
    return (f"hertz {4 / 3 * young!r} {low!r} damping tsuji tangential mindlin_rescale/force {8 * shear!r} {math.sqrt(4 * shear / young)!r} "
            f"{FRICTION[min(a, b), max(a, b)]!r}")


def scree(program, folder, rows, steps, looks, step=STEP, gravity=GRAVITY, levels="half"):
    """Rows are x y z r material vx vy vz wx wy wz; gives those of each look."""
    source, target = os.path.join(folder, "bed.txt"), os.path.join(folder, "bed.out")
    with open(source, "w") as text:
        text.write(f"3 {levels} {step!r} {steps} {looks}\n0 0 0 {SIDE!r} {SIDE!r} 0.2 w w w\n0 0 {-gravity!r}\nhertz mindlin none none 0\n2 1\n")
        text.writelines(f"{young!r} {POISSON!r}\n" for young in YOUNG)
        text.writelines(f"0 0 {RESTITUTION[min(a, b), max(a, b)]!r} 0 {FRICTION[min(a, b), max(a, b)]!r} 0.285 1 0 1 0 0 0\n" for a in (0, 1) for b in (0, 1))
        text.write(f"{len(rows)}\n")
        text.writelines(f"{x!r} {y!r} {z!r} {r!r} {DENSITIES[m]!r} {m} 0 {' '.join(map(repr, motion))}\n" for x, y, z, r, m, *motion in rows)
    peer.run([program, source, target], folder)
    with open(target) as text:
        lines = [list(map(float, line.split())) for line in text]
    block = len(rows) + 1
    return [[(*new[:3], row[3], row[4], *new[3:]) for new, row in zip(lines[k * block + 1:(k + 1) * block], rows)] for k in range(looks)]


def lammps(folder, rows):
    data, out = os.path.join(folder, "bed.data"), os.path.join(folder, "bed.dump")
    with open(data, "w") as text:
        text.write(f"bed\n\n{len(rows)} atoms\n2 atom types\n\n0 {SIDE!r} xlo xhi\n0 {SIDE!r} ylo yhi\n0 0.2 zlo zhi\n\nAtoms # sphere\n\n")
        text.writelines(f"{k} {1 + row[4]} {2 * row[3]!r} {DENSITIES[row[4]]!r} {row[0]!r} {row[1]!r} {row[2]!r}\n" for k, row in enumerate(rows, start=1))
        text.write("\nVelocities\n\n")
        text.writelines(f"{k} {' '.join(map(repr, row[5:]))}\n" for k, row in enumerate(rows, start=1))
    pairs = "\n".join(f"pair_coeff {a + 1} {b + 1} {law(a, b)}" for a, b in RESTITUTION)
    walls = "\n".join(f"fix wall_{axis} all wall/gran granular {law(0, 1)} {axis}plane 0.0 {'NULL' if axis == 'z' else repr(SIDE)}" for axis in "xyz")
    peer.lammps(folder, SCRIPT.format(data=data, out=out, pairs=pairs, walls=walls, gravity=GRAVITY, step=STEP, every=EVERY, steps=EVERY * LOOKS), out)
    return [look[0][1] for look in peer.dump_rows(out)][1:]


def bed(program, folder, n):
    """From a lattice."""
    chance, across = random.Random(1), int(SIDE / (2.1 * R))
    rows = []
    for k in range(n):
        x, y = (SIDE * (cell + 0.5) / across + 0.04 * R * (chance.random() - 0.5) for cell in (k % across, k // across % across))
        rows.append((x, y, R * (1.1 + 2.1 * (k // across**2)), R, 0, *(chance.gauss(0, 0.02) for _ in range(3)), 0.0, 0.0, 0.0))
    rows = scree(program, folder, rows, 20000, 1, gravity=25 * GRAVITY)[-1]
    return scree(program, folder, rows, 8000, 1)[-1]


def main(program, folder, n):
    rows = bed(program, folder, n)
    top = max(row[2] + R for row in rows)
    rows = rows + [(0.5 * SIDE, 0.5 * SIDE, top + 1.05 * BALL, BALL, 1, 0.0, 0.0, -SPEED, 0.0, 0.0, 0.0)]
    here = [look[-1][2] for look in scree(program, folder, rows, EVERY, LOOKS)]
    finer = [look[-1][2] for look in scree(program, folder, rows, 2 * EVERY, LOOKS, step=0.5 * STEP)]
    same = [look[-1][2] for look in scree(program, folder, rows, EVERY, LOOKS, levels="modern")]
    there = lammps(folder, rows)
    print(f"{n} spheres, {1e3 * top:.2f} mm deep; height of the lowest point of the ball over the bottom in mm\n\n| time, ms | scree | half the step | LAMMPS' levels | LAMMPS |\n|---|---|---|---|---|")
    for k in range(LOOKS):
        print(f"| {1e3 * STEP * EVERY * (k + 1):.0f} | " + " | ".join(f"{1e3 * (curve[k] - BALL):.3f}" for curve in (here, finer, same, there)) + " |", flush=True)
    off = max(abs(a - b) for a, b in zip(here, there))
    peer.check(off < BALL / 4, f"the ball is {1e3 * off:.2g} mm off that of LAMMPS, allowed {1e3 * BALL / 4:.2g}")


if __name__ == "__main__":
    peer.need_lammps()
    peer.main(1500, main)
