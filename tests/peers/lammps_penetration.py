"""A steel ball hits a bed of spheres: scree beside LAMMPS, and beside itself with half the time step. The penetration system of the benchmark of nine codes (Dosta et al. 2024), reduced or at full size.

Materials, restitutions and frictions are those of the benchmark (M1 and steel, Hertz and Mindlin without rolling), spheres of 2 mm and the step of 5e-7 s too. Reduced: 1500 spheres in a box of 24 x 24 mm,
a ball of 8 mm at 2.5 m/s. Full: 25,000 spheres in a box of 100 x 60 mm, a ball of 20 mm that was thrown down with 5 m/s from a height of 150.243 mm; its flight until 5 mm above the bed is worked out and not simulated.
Such a system is chaotic: its curve is compared, not its spheres. The bed settles in scree, under 25 times the weight at first, and both programs start from there.

usage: lammps_penetration.py RUN_GRAINS [SPHERES]           (reduced; 1500 unless said)
       lammps_penetration.py RUN_GRAINS full FOLDER PART    (parts: bed; then scree, moved, half, levels, lammps, at the same time or one after another;
                                                             then table, of what all of them have reached; moved: the ball is 1 um further along x)
       lammps_penetration.py DRAW_CURVES full FOLDER figure.png
"""
import math
import os
import random
import sys
import typing

import peer

R, STEP, GRAVITY = 1e-3, 5e-7, 9.81
DENSITIES, YOUNG, POISSON = (2500.0, 7200.0), (1e9, 2.1e11), 0.2
RESTITUTION, FRICTION = {(0, 0): 0.5, (0, 1): 0.4, (1, 1): 0.6}, {(0, 0): 0.3, (0, 1): 0.2, (1, 1): 0.5}


class System(typing.NamedTuple):
    spheres: int
    box: tuple[float, float]
    ball: float  # radius
    speed: float  # downwards, where its lowest point is so much higher than all spheres:
    above: float
    every: int  # steps between looks
    looks: int
    settle: tuple[int, int, float]  # steps under 25 times the weight, steps, and how long one is
    bins: str = "bin"  # of LAMMPS


REDUCED = System(1500, (0.024, 0.024), 4e-3, 2.5, 0.05 * 4e-3, 2000, 10, (20000, 8000, STEP))
THROWN, HEIGHT, LASTS = 5.0, 0.06 + 0.090243, 0.1
FULL = System(25000, (0.1, 0.06), 10e-3, 0.0, 5e-3, 1000, 0, (25000, 75000, 1e-6), "multi\nneigh_modify collection/type 2 1 2")  # or its lists take longer than its forces

SCRIPT = """
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data {data}
pair_style granular
{pairs}
neighbor 3e-4 {bins}
neigh_modify delay 0 every 1 check yes
fix move all nve/sphere
fix fall all gravity {gravity!r} vector 0 0 -1
{walls}
timestep {step!r}
group ball type 2
dump out ball custom {every} {out} id zu vz
dump_modify out format float %.17g flush yes
thermo {every}
run {steps}
"""


def pair_law(e, friction, young_a, young_b):
    """Restitution and friction of two materials as LAMMPS takes them. The package's tsuji takes its dashpot from a polynomial in e that is not the restitution; the e that gives the right dashpot is found here."""
    young = 1 / sum((1 - POISSON**2) / one for one in (young_a, young_b))
    shear = 1 / sum((2 - POISSON) * 2 * (1 + POISSON) / one for one in (young_a, young_b))
    factor = -math.sqrt(5) * math.log(e) / math.sqrt(math.pi**2 + math.log(e) ** 2)
    low, high = 0.0, 1.0
    for _ in range(60):
        x = 0.5 * (low + high)
        value = 1.2728 - 4.2783 * x + 11.087 * x**2 - 22.348 * x**3 + 27.467 * x**4 - 18.022 * x**5 + 4.8218 * x**6
        low, high = (x, high) if value > factor else (low, x)
    return f"hertz {4 / 3 * young!r} {low!r} damping tsuji tangential mindlin_rescale/force {8 * shear!r} {math.sqrt(4 * shear / young)!r} {friction!r}"


def law(a, b):
    kinds = min(a, b), max(a, b)
    return pair_law(RESTITUTION[kinds], FRICTION[kinds], YOUNG[a], YOUNG[b])


def scree(program, folder, system, rows, steps, looks, step=STEP, gravity=GRAVITY, levels="half", last=None, name="bed"):
    """Rows are x y z r material vx vy vz wx wy wz; gives those of each look, of all spheres or of the last ones."""
    source, target = os.path.join(folder, name + ".txt"), os.path.join(folder, name + ".out")
    with open(source, "w") as text:
        text.write(f"3 {levels} {step!r} {steps} {looks}\n0 0 0 {system.box[0]!r} {system.box[1]!r} 0.2 w w w\n0 0 {-gravity!r}\nhertz mindlin none none 0\n2 1\n")
        text.writelines(f"{young!r} {POISSON!r}\n" for young in YOUNG)
        text.writelines(f"0 0 {RESTITUTION[min(a, b), max(a, b)]!r} 0 {FRICTION[min(a, b), max(a, b)]!r} 0.285 1 0 1 0 0 0 0\n" for a in (0, 1) for b in (0, 1))
        text.write(f"{len(rows)}\n")
        text.writelines(f"{x!r} {y!r} {z!r} {r!r} {DENSITIES[m]!r} {m} 0 {' '.join(map(repr, motion))}\n" for x, y, z, r, m, *motion in rows)
    peer.run([program, source, target, "1", "0", str(last or len(rows))], folder)
    return looks_of(target, rows[-last:] if last else rows)


def looks_of(path, rows):
    """The whole looks in a file of run_grains; a run that goes on may have written a part of one."""
    with open(path) as text:
        lines = [list(map(float, line.split())) for line in text if line.endswith("\n")]
    block = len(rows) + 1
    return [[(*new[:3], row[3], row[4], *new[3:]) for new, row in zip(lines[k * block + 1:(k + 1) * block], rows)] for k in range(len(lines) // block)]


def lammps(folder, system, rows):
    data, out = os.path.join(folder, "bed.data"), os.path.join(folder, "bed.dump")
    with open(data, "w") as text:
        text.write(f"bed\n\n{len(rows)} atoms\n2 atom types\n\n0 {system.box[0]!r} xlo xhi\n0 {system.box[1]!r} ylo yhi\n0 0.2 zlo zhi\n\nAtoms # sphere\n\n")
        text.writelines(f"{k} {1 + row[4]} {2 * row[3]!r} {DENSITIES[row[4]]!r} {row[0]!r} {row[1]!r} {row[2]!r}\n" for k, row in enumerate(rows, start=1))
        text.write("\nVelocities\n\n")
        text.writelines(f"{k} {' '.join(map(repr, row[5:]))}\n" for k, row in enumerate(rows, start=1))
    pairs = "\n".join(f"pair_coeff {a + 1} {b + 1} {law(a, b)}" for a, b in RESTITUTION)
    ends = {"x": repr(system.box[0]), "y": repr(system.box[1]), "z": "NULL"}
    walls = "\n".join(f"fix wall_{axis} all wall/gran granular {law(0, 1)} {axis}plane 0.0 {end}" for axis, end in ends.items())
    peer.lammps(folder, SCRIPT.format(data=data, out=out, pairs=pairs, walls=walls, bins=system.bins, gravity=GRAVITY, step=STEP, every=system.every, steps=system.every * system.looks), out)
    return heights_of(out)


def heights_of(path):
    return [look[0][1] for look in peer.dump_rows(path) if look and len(look[0]) == 3][1:]


def bed(program, folder, system):
    """From a lattice."""
    chance, cells = random.Random(1), [int(side / (2.1 * R)) for side in system.box]
    rows = []
    for k in range(system.spheres):
        places = k % cells[0], k // cells[0] % cells[1]
        x, y = (side * (place + 0.5) / n + 0.04 * R * (chance.random() - 0.5) for side, n, place in zip(system.box, cells, places))
        rows.append((x, y, R * (1.1 + 2.1 * (k // (cells[0] * cells[1]))), R, 0, *(chance.gauss(0, 0.02) for _ in range(3)), 0.0, 0.0, 0.0))
    rows = scree(program, folder, system, rows, system.settle[0], 1, step=system.settle[2], gravity=25 * GRAVITY)[-1]
    return scree(program, folder, system, rows, system.settle[1], 1, step=system.settle[2])[-1]


def with_ball(system, rows):
    top = max(row[2] + R for row in rows)
    return top, rows + [(0.5 * system.box[0], 0.5 * system.box[1], top + system.ball + system.above, system.ball, 1, 0.0, 0.0, -system.speed, 0.0, 0.0, 0.0)]


def reduced(program, folder, n):
    system = REDUCED._replace(spheres=n)
    top, rows = with_ball(system, bed(program, folder, system))
    every, looks = system.every, system.looks
    here = [look[-1][2] for look in scree(program, folder, system, rows, every, looks)]
    finer = [look[-1][2] for look in scree(program, folder, system, rows, 2 * every, looks, step=0.5 * STEP)]
    same = [look[-1][2] for look in scree(program, folder, system, rows, every, looks, levels="modern")]
    there = lammps(folder, system, rows)
    print(f"{n} spheres, {1e3 * top:.2f} mm deep; height of the lowest point of the ball over the bottom in mm\n\n| time, ms | scree | half the step | LAMMPS' levels | LAMMPS |\n|---|---|---|---|---|")
    for k in range(looks):
        print(f"| {1e3 * STEP * every * (k + 1):.0f} | " + " | ".join(f"{1e3 * (curve[k] - system.ball):.3f}" for curve in (here, finer, same, there)) + " |", flush=True)
    off = max(abs(a - b) for a, b in zip(here, there))
    peer.check(off < system.ball / 4, f"the ball is {1e3 * off:.2g} mm off that of LAMMPS, allowed {1e3 * system.ball / 4:.2g}")


def full_start(folder):
    """The bed of the file, the ball above it, and the time since it was thrown."""
    with open(os.path.join(folder, "settled.out")) as text:
        lines = [list(map(float, line.split())) for line in text][1:]
    rows = [(*line[:3], R, 0, *line[3:]) for line in lines]
    top = max(row[2] + R for row in rows)
    speed = math.sqrt(THROWN**2 + 2 * GRAVITY * (HEIGHT - (top + FULL.ball + FULL.above)))
    start = (speed - THROWN) / GRAVITY
    system = FULL._replace(speed=speed, looks=int((LASTS - start) / (STEP * FULL.every)))
    return system, start, *with_ball(system, rows)


def full_curves(folder, rows):
    curves = {}
    for name in ("scree", "moved", "half", "levels"):
        path = os.path.join(folder, name + ".out")
        if os.path.exists(path):
            curves[name] = [look[-1][2] for look in looks_of(path, rows[-1:])]
    if os.path.exists(os.path.join(folder, "bed.dump")):
        curves["lammps"] = heights_of(os.path.join(folder, "bed.dump"))
    return {name: curve for name, curve in curves.items() if curve}


NAMES = {"scree": "scree", "moved": "ball 1 um aside", "half": "half the step", "levels": "LAMMPS' levels", "lammps": "LAMMPS"}


def full(program, folder, part):
    os.makedirs(folder, exist_ok=True)
    if part == "bed":
        bed(program, folder, FULL)
        os.replace(os.path.join(folder, "bed.out"), os.path.join(folder, "settled.out"))
        return
    system, start, top, rows = full_start(folder)
    if part in ("scree", "levels"):
        scree(program, folder, system, rows, system.every, system.looks, levels="modern" if part == "levels" else "half", last=1, name=part)
    elif part == "moved":
        rows[-1] = (rows[-1][0] + 1e-6, *rows[-1][1:])
        scree(program, folder, system, rows, system.every, system.looks, last=1, name=part)
    elif part == "half":
        scree(program, folder, system, rows, 2 * system.every, system.looks, step=0.5 * STEP, last=1, name=part)
    elif part == "lammps":
        peer.need_lammps()
        lammps(folder, system, rows)
    else:
        curves = full_curves(folder, rows)
        peer.check("scree" in curves and "lammps" in curves, f"{folder} has no results of scree and of LAMMPS yet")
        heights = {name: [1e3 * (z - system.ball) for z in curve] for name, curve in curves.items()}
        full_table(system, start, top, heights) if part == "table" else full_figure(program, part, system, start, top, heights)


def full_table(system, start, top, heights):
    print(f"{system.spheres} spheres, {1e3 * top:.2f} mm deep; after {1e3 * start:.2f} ms the ball is {1e3 * system.above:g} mm above the highest of them, with {system.speed:.3f} m/s; height of its lowest point over the bottom in mm\n")
    print(f"| time, ms | {' | '.join(NAMES[name] for name in heights)} |\n|---|{'---|' * len(heights)}")
    for k in range(1, min(len(heights["scree"]), len(heights["lammps"])), 2):  # every ms
        print(f"| {1e3 * (start + STEP * system.every * (k + 1)):.2f} | " + " | ".join(f"{curve[k]:.3f}" if k < len(curve) else "" for curve in heights.values()) + " |")
    bounce = min(range(len(heights["scree"])), key=heights["scree"].__getitem__)
    for name, curve in heights.items():
        if name != "scree":
            off = [abs(a - b) for a, b in zip(heights["scree"], curve)]
            print(f"\n{NAMES[name]}: off by {max(off[:bounce]):.2g} mm at most before scree's ball turns back, by {max(off):.2g} mm at most; lowest {min(curve):.2f} mm, scree {min(heights['scree']):.2f} mm")


def full_figure(program, path, system, start, top, heights):
    source = os.path.splitext(path)[0] + ".curves"
    least = min(len(heights["scree"]), len(heights["lammps"]))
    with open(source, "w") as text:
        text.write(f"A steel ball hits 25,000 spheres\ntime, ms\nheight over the bottom, mm\n0 {1e3 * top + 10:.6g}\n")
        for name, curve in heights.items():
            text.write(f"{'hollow' if name == 'lammps' else 'points' if name == 'half' else 'dashes' if name in ('moved', 'levels') else 'curve'} {NAMES[name]}\n")
            text.writelines(f"{1e3 * (start + STEP * system.every * (k + 1)):.9g} {z:.9g}\n" for k, z in enumerate(curve[:least]) if z < 1e3 * top + 10)
            text.write("\n")
    peer.run([program, source, path])
    os.remove(source)


if __name__ == "__main__":
    if len(sys.argv) == 5:
        full(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[3]), sys.argv[4])
    else:
        peer.need_lammps()
        peer.main(1500, reduced)
