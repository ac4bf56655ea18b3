"""Friction, rolling and twisting by scree against LAMMPS: the same positions, velocities and spins of every single sphere.

scree's own time levels and lever arms are better ones (docs/laws.md); for this comparison an inner header sets those of LAMMPS: `classic` are those of
gran/hooke/history, `modern` those of pair style granular. What remains are roundings. Spheres of different sizes fall, meet obliquely with spins and come to rest in a
heap, so that differences do not grow much. LAMMPS damps by the reduced mass where scree has a constant for each pair of materials: each size is a material here.

usage: lammps_grains.py RUN_GRAINS [SPHERES]     (40 unless said)
"""
import concurrent.futures
import itertools
import math
import os
import random

import peer
from lammps_motion import fits

RADII, DENSITY, SPEED = (1.0, 0.8, 0.55), 1.0, 0.06
STEPS, LOOKS, TOLERANCE = 250, 4, 1e-9
K, MU = 10.0, 0.4  # stiffness and friction of linear laws
POISSON = 0.3

SCRIPT = """
units lj
atom_style sphere
atom_modify sort 0 0
dimension {dim}
boundary {boundary}
newton off
comm_modify vel yes
read_data {data}
{discs}
pair_style {style}
pair_coeff {coeff}
neighbor {skin} bin
neigh_modify delay 0 every 1 check yes
fix move all nve/sphere {disc}
fix fall all gravity {gravity!r} vector {down}
{walls}
{flat}
timestep {step!r}
dump out all custom {every} {out} id xu yu zu vx vy vz omegax omegay omegaz
dump_modify out sort id format float %.17g
thermo_style custom step ke
run {steps}
"""


def mass(r, dim):
    return DENSITY * (math.pi * r**2 if dim == 2 else 4 / 3 * math.pi * r**3)


def reduced_radius(a, b):
    return a if b is None else a * b / (a + b)


def reduced(a, b, dim):
    """Reduced mass of two sizes; b None: a wall."""
    m = mass(a, dim)
    return m if b is None else m * mass(b, dim) / (m + mass(b, dim))


class Law:
    """The same law for both: lines of LAMMPS, and numbers of a pair of materials as run_grains reads them."""

    def __init__(self, levels, parts, pair, lammps, wall=None, elastic=(0.0, 0.0), no_pull=False):
        self.levels, self.parts, self.pair, self.lammps, self.elastic, self.no_pull = levels, parts, pair, lammps, elastic, no_pull
        self.wall = wall or lammps[0] + " " + lammps[1]


def numbers(stiffness=0.0, damping=0.0, restitution=0.0, viscous_time=0.0, friction=MU, tangential_stiffness=2 / 7, tangential_damping=1.0, rolling_friction=0.0,
            rolling_stiffness=1.0, rolling_damping=0.0, twisting_friction=0.0, twisting_stiffness=0.0, twisting_damping=0.0):
    return (stiffness, damping, restitution, viscous_time, friction, tangential_stiffness, tangential_damping, rolling_friction, rolling_stiffness, rolling_damping,
            twisting_friction, twisting_stiffness, twisting_damping)


def classic(gamma_n=1.2, gamma_t=0.5, mu=MU):
    """gran/hooke/history: dashpots times the reduced mass."""
    kt = 2 / 7 * K
    line = f"{K!r} {kt!r} {gamma_n!r} {gamma_t!r} {mu!r} 1"
    return Law("classic", "linear linear none none", lambda m, r: numbers(K, gamma_n * m, friction=mu, tangential_damping=gamma_t / gamma_n),
               ("gran/hooke/history " + line, "* *"), "hooke/history " + line)


def modern(damping="velocity", g=1.1, limited=False, rolling=False, twisting="none"):
    """granular hooke with linear_history; each further part as asked."""
    kt, xt, kr, gr, mur, ktw, gtw, mutw = 0.6 * K, 0.7, 0.5, 0.3, 0.1, 1.7, 0.2, 0.15
    line = f"hooke {K!r} {g!r} damping {damping} tangential linear_history {kt!r} {xt!r} {MU!r}"
    more = dict(tangential_stiffness=0.6, tangential_damping=xt)
    if rolling:
        line += f" rolling sds {kr * kt!r} {gr * xt * g!r} {mur!r}"
        more.update(rolling_friction=mur, rolling_stiffness=kr, rolling_damping=gr)
    if twisting == "spring":
        line += f" twisting sds {ktw!r} {gtw!r} {mutw!r}"
        more.update(twisting_friction=mutw, twisting_stiffness=ktw)
    if twisting == "marshall":
        line += " twisting marshall"
    if limited:
        line += " limit_damping"
    return Law("modern", f"linear linear {'spring' if rolling else 'none'} {twisting}",
               lambda m, r: numbers(K, g * (m if damping == "mass_velocity" else 1.0), **more, twisting_damping=gtw / (xt * g * r * r) if twisting == "spring" else 0.0),
               ("granular", "* * " + line), "granular " + line, no_pull=limited)


def hertz(damping="viscoelastic", g=0.5, twisting="none"):
    """granular hertz with mindlin_rescale/force."""
    young = 300.0
    effective = young / (2 * (1 - POISSON**2))
    kt, xt = 8 * young / (4 * (2 - POISSON) * (1 + POISSON)), 0.7
    if damping == "tsuji":  # its polynomial gives another dashpot than the restitution that it is named by; scree gets the restitution that this dashpot leads to
        e = 0.6
        factor = 1.2728 - 4.2783 * e + 11.087 * e**2 - 22.348 * e**3 + 27.467 * e**4 - 18.022 * e**5 + 4.8218 * e**6
        part = factor / math.sqrt(5)
        restitution = math.exp(-math.pi * part / math.sqrt(1 - part**2))
        g, ours = e, lambda m: dict(restitution=restitution, tangential_damping=xt / math.sqrt(kt / 2 / effective))
    elif damping == "viscoelastic":
        ours = lambda m: dict(viscous_time=g * m / (2 * effective), tangential_damping=xt)
    else:
        ours = lambda m: dict(damping=g, tangential_damping=xt)
    line = f"hertz {4 / 3 * effective!r} {g!r} damping {damping} tangential mindlin_rescale/force {kt!r} {xt!r} {MU!r}"
    if twisting != "none":
        line += " twisting marshall"
    return Law("modern", f"hertz mindlin none {twisting}", lambda m, r: numbers(**ours(m)), ("granular", "* * " + line), "granular " + line, (young, POISSON))


CASES = (  # name, dimension, boundaries per axis, law
    ("gran/hooke/history, walls", 3, "www", classic()),
    ("gran/hooke/history, periodic", 3, "ppw", classic()),
    ("gran/hooke/history, discs", 2, "wwp", classic()),
    ("granular linear_history, walls", 3, "www", modern()),
    ("granular linear_history, periodic", 3, "ppw", modern()),
    ("granular linear_history, discs", 2, "wwp", modern()),
    ("granular mass_velocity limit_damping, walls", 3, "www", modern("mass_velocity", 1.2, True)),
    ("granular mindlin_rescale/force viscoelastic, walls", 3, "www", hertz()),
    ("granular mindlin_rescale/force viscoelastic, periodic", 3, "ppw", hertz()),
    ("granular mindlin_rescale/force velocity, walls", 3, "www", hertz("velocity", 1.0)),
    ("granular mindlin_rescale/force tsuji, walls", 3, "www", hertz("tsuji")),
    ("granular rolling sds, walls", 3, "www", modern(rolling=True)),
    ("granular rolling sds, discs", 2, "wwp", modern(rolling=True)),
    ("granular rolling sds twisting sds, walls", 3, "www", modern(rolling=True, twisting="spring")),
    ("granular linear_history twisting marshall, walls", 3, "www", modern(twisting="marshall")),
    ("granular mindlin_rescale/force twisting marshall, walls", 3, "www", hertz(twisting="marshall")),
)


def start(n, dim, size, chance):
    """Spheres at random that touch nothing: from the largest to the smallest, each with a number of its size, a velocity and a spin."""
    placed, sizes = [], sorted(k % len(RADII) for k in range(n))
    for k in sizes:
        r = RADII[k]
        while True:
            x = [chance.uniform(r, size - r) for _ in range(dim)] + [0.0] * (3 - dim)
            if fits(x, 1.01 * r, placed, size, False):
                break
        placed.append((*x, r))
    rows = []
    for k, (x, y, z, r) in zip(sizes, placed):
        v = [chance.gauss(0, SPEED) for _ in range(dim)] + [0.0] * (3 - dim)
        w = [chance.gauss(0, SPEED / r) for _ in range(3)] if dim == 3 else [0.0, 0.0, chance.gauss(0, SPEED / r)]
        rows.append((x, y, z, r, k, *v, *w))
    chance.shuffle(rows)
    return rows


def theirs(folder, rows, dim, axes, size, gravity, step, law, further=""):
    data, out = os.path.join(folder, "in.data"), os.path.join(folder, "out.dump")
    with open(data, "w") as text:
        text.write(f"spheres\n\n{len(rows)} atoms\n1 atom types\n\n")
        text.writelines(f"{0.0 if axis != 'z' or dim == 3 else -0.5} {size if axis != 'z' or dim == 3 else 0.5!r} {axis}lo {axis}hi\n" for axis in "xyz")
        text.write("\nAtoms # sphere\n\n")
        text.writelines(f"{k} 1 {2 * row[3]!r} {DENSITY!r} {row[0]!r} {row[1]!r} {row[2]!r}\n" for k, row in enumerate(rows, start=1))
        text.write("\nVelocities\n\n")
        text.writelines(f"{k} {' '.join(map(repr, row[5:]))}\n" for k, row in enumerate(rows, start=1))
    walls = "\n".join(f"fix wall_{axis} all wall/gran {law.wall} {axis}plane 0.0 {size!r}" for axis, kind in zip("xyz"[:dim], axes) if kind == "w") + further
    flat = dim == 2
    peer.lammps(folder, SCRIPT.format(dim=dim, boundary=" ".join("p" if kind == "p" else "f" for kind in axes), data=data, out=out, style=law.lammps[0],
                                      coeff=law.lammps[1], discs=f"set group all density/disc {DENSITY!r}" if flat else "", disc="disc" if flat else "",
                                      flat="fix flat all enforce2d" if flat else "", skin=0.4, gravity=gravity, down="0 -1 0" if flat else "0 0 -1", walls=walls,
                                      step=step, every=STEPS, steps=STEPS * LOOKS), out)
    looks = [[row[1:] for row in look] for look in peer.dump_rows(out)]
    peer.check(len(looks) == LOOKS + 1 and all(len(look) == len(rows) for look in looks), "LAMMPS lost a sphere")
    return looks[1:]


def ours(program, folder, rows, dim, axes, size, gravity, step, law, further=""):
    source, target = os.path.join(folder, "grains.txt"), os.path.join(folder, "motion.txt")
    sizes = [*RADII, None]  # the last material is that of the walls
    with open(source, "w") as text:
        text.write(f"{dim} {law.levels} {step!r} {STEPS} {LOOKS}\n0 0 0 {size!r} {size!r} {size!r} {' '.join(axes)}\n")
        text.write(f"0 {-gravity if dim == 2 else 0.0!r} {-gravity if dim == 3 else 0.0!r}\n{law.parts} {int(law.no_pull)}\n{len(sizes)} {len(RADII)}\n")
        text.writelines(f"{law.elastic[0]!r} {law.elastic[1]!r}\n" for _ in sizes)
        for a, b in itertools.product(sizes, sizes):
            pair = (a, b) if a is not None else (b, a)
            text.write(" ".join(map(repr, law.pair(*(reduced(*pair, dim), reduced_radius(*pair)) if pair[0] is not None else (1.0, 1.0)))) + "\n")
        text.write(f"{len(rows)}\n")
        text.writelines(f"{x!r} {y!r} {z!r} {r!r} {DENSITY!r} {k} 0 {' '.join(map(repr, motion))}\n" for x, y, z, r, k, *motion in rows)
        text.write(further)
    peer.run([program, source, target], folder)
    with open(target) as text:
        lines = [list(map(float, line.split())) for line in text]
    block = len(rows) + 1
    return [lines[k * block + 1:(k + 1) * block] for k in range(LOOKS)], [int(lines[k * block][1]) for k in range(LOOKS)]


def compare(a, b, rows, size, axes):
    """The largest difference: of positions over the smallest radius, of velocities and of spins times radius over the speed at the start."""
    off = 0.0
    for p, q, row in zip(a, b, rows):
        for k in range(3):
            way = p[k] - q[k]
            way -= size * round(way / size) if axes[k] == "p" else 0.0
            off = max(off, abs(way) / RADII[-1], abs(p[3 + k] - q[3 + k]) / SPEED, abs(p[6 + k] - q[6 + k]) * row[3] / SPEED)
    return off


def system(n, dim, seed):
    """Side of the box, spheres, gravity and time step."""
    size = (n * 4.2 / 0.30) ** (1 / 3) * 0.85 if dim == 3 else (n * math.pi / 0.45) ** 0.5 * 0.85
    return size, start(n, dim, size, random.Random(seed)), 0.08, math.pi * math.sqrt(reduced(RADII[-1], RADII[-1], dim) / K) / 50


def shifted(program, folder, n, seed, name, law):
    """Each program compared with itself after a shift of all spheres by half a box along the periodic axes. LAMMPS changes the sign of everything that a contact remembers when its two spheres change
    their order, as they may where they cross a periodic face; for rolling and twisting it should not."""
    size, rows, gravity, step = system(n, 3, seed)
    half, looks = 0.5 * size, []
    for shift in (0.0, half):
        moved = [((x + shift) % size, (y + shift) % size, *rest) for x, y, *rest in rows]
        looks.append((theirs(folder, moved, 3, "ppw", size, gravity, step, law), ours(program, folder, moved, 3, "ppw", size, gravity, step, law)[0]))
    off = [max(compare([(p[0] + half, p[1] + half, *p[2:]) for p in a], b, rows, size, "ppw") for a, b in zip(looks[0][who], looks[1][who])) for who in (0, 1)]
    peer.check(off[1] <= TOLERANCE, f"{name}: scree is off itself by {off[1]:.2g} after a shift, allowed {TOLERANCE:.2g}")
    return f"{name}, compared with itself shifted by half a box: off by {off[0]:.1g} in LAMMPS, by {off[1]:.1g} here"


def case(program, folder, n, seed, name, dim, axes, law):
    size, rows, gravity, step = system(n, dim, seed)
    there = theirs(folder, rows, dim, axes, size, gravity, step, law)
    here, contacts = ours(program, folder, rows, dim, axes, size, gravity, step, law)
    worst = [compare(a, b, rows, size, axes) for a, b in zip(here, there)]
    peer.check(max(worst) <= TOLERANCE, f"{name}: off by {max(worst):.2g}, allowed {TOLERANCE:.2g}")
    peer.check(2 * contacts[-1] > n, f"{name}: only {contacts[-1]} contacts of {n} spheres at the end")
    return f"{name}: off by {', '.join(f'{w:.1g}' for w in worst)} after each {STEPS} steps; contacts {contacts}"


def all_cases(program, folder, n):
    """Several at a time: starting LAMMPS is mostly waiting."""
    def one(seed):
        own = os.path.join(folder, str(seed))
        os.mkdir(own)
        if seed < len(CASES):
            return case(program, own, n, seed, *CASES[seed])
        rolls = seed == len(CASES)
        return shifted(program, own, n, 7, "granular rolling sds twisting sds, periodic" if rolls else "granular linear_history, periodic",
                       modern(rolling=rolls, twisting="spring" if rolls else "none"))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for said in pool.map(one, range(len(CASES) + 2)):
            print(said, flush=True)


if __name__ == "__main__":
    peer.need_lammps()
    peer.main(40, all_cases)
