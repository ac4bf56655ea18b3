"""A small sphere rolls off the groove between two fixed ones, after Vyas et al. and LAMMPS' example in.sync_verlet: scree, the closed form, and LAMMPS.

It starts one degree from the top. While it rolls without slipping, theta'' = sin(theta) / tau^2 with tau^2 = rho (1 + 0.4 ((R + r) / rho)^2) / g, where rho is the distance of its centre
from the line through the fixed centres. Later it slips, and leaves. LAMMPS takes the normal of the end of a step with velocities of its middle; what this adds up to in the
tangential spring holds the sphere in the groove, and it circles for ever.

usage: lammps_groove.py RUN_GRAINS [FOLDER]     with FOLDER: all size ratios; the curves go to groove.csv there, and to a figure, groove.png
"""
import math
import os
import sys
import tempfile

import peer

BIG, DENSITY, GRAVITY, MU, SHEAR, START = 5e-3, 2500.0, 9.81, 0.5, 0.8235, math.radians(1.0)
RATIOS = (3, 5, 10, 20, 50, 200, 1000)
TIMES = (0.03, 0.06, 0.09, 0.11, 0.12)  # at which the sphere of ratio 20 still rolls without slipping

SCRIPT = """
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data {data}
pair_style granular
pair_coeff * * hooke {k!r} {g!r} damping velocity tangential linear_history {kt!r} 0.0 {mu!r}
neighbor 1e-3 bin
neigh_modify delay 0 every 1 check yes
group rest type 1
group base type 2
fix fall rest gravity {gravity!r} vector 0 0 -1
fix stay base freeze
fix move rest nve/sphere
timestep {step!r}
dump out rest custom {every} {out} id yu zu
dump_modify out format float %.17g
run {steps}
"""


class Groove:
    def __init__(self, ratio, stiffness=None, step=None):
        self.r = BIG / ratio
        self.rho = math.sqrt(2 * BIG * self.r + self.r**2)
        self.tau = math.sqrt(self.rho * (1 + 0.4 * ((BIG + self.r) / self.rho) ** 2) / GRAVITY)
        self.mass = DENSITY * 4 / 3 * math.pi * self.r**3
        # So stiff that its weight presses it in by a millionth of its radius, and a step of 1/13 of a contact, as in the example.
        self.k = stiffness or self.mass * GRAVITY / (1e-6 * self.r)
        self.step = step or math.pi * math.sqrt(self.mass / self.k) / 13
        part = -math.log(0.5) / math.sqrt(math.pi**2 + math.log(0.5) ** 2)
        self.damping = 2 * part * math.sqrt(self.k * self.mass)  # a restitution of 0.5

    def rows(self):
        yield 0.0, 0.0, 0.0, BIG, 1
        yield 2 * BIG, 0.0, 0.0, BIG, 1
        yield BIG, self.rho * math.sin(START), self.rho * math.cos(START), self.r, 0

    def closed(self, times):
        """The rolling sphere: Runge and Kutta's fourth order, from 0 to each of the rising times. Degrees."""
        out, t, theta, speed = [], 0.0, START, 0.0
        for until in times:
            steps = max(1, math.ceil((until - t) / self.tau * 200))
            h = (until - t) / steps
            for _ in range(steps):
                a = [(speed, math.sin(theta) / self.tau**2)]
                for part in (0.5, 0.5, 1.0):
                    a.append((speed + part * h * a[-1][1], math.sin(theta + part * h * a[-1][0]) / self.tau**2))
                theta += h / 6 * (a[0][0] + 2 * a[1][0] + 2 * a[2][0] + a[3][0])
                speed += h / 6 * (a[0][1] + 2 * a[1][1] + 2 * a[2][1] + a[3][1])
            t = until
            out.append(math.degrees(theta))
        return out


def scree(program, folder, groove, levels, every, looks):
    """Per look (time, degrees, contacts)."""
    source, target = os.path.join(folder, "groove.txt"), os.path.join(folder, "groove.out")
    with open(source, "w") as text:
        text.write(f"3 {levels} {groove.step!r} {every} {looks}\n0 0 0 1 1 1 o o o\n0 0 {-GRAVITY!r}\nlinear linear none none 0\n1 0\n0 0\n")
        text.write(f"{groove.k!r} {groove.damping!r} 0 0 {MU!r} {SHEAR!r} 0 0 1 0 0 0 0\n3\n")
        text.writelines(f"{x!r} {y!r} {z!r} {r!r} {DENSITY!r} 0 {fixed} 0 0 0 0 0 0\n" for x, y, z, r, fixed in groove.rows())
    peer.run([program, source, target], folder)
    with open(target) as text:
        lines = [line.split() for line in text]
    return [(int(lines[k][0]) * groove.step, angle(float(lines[k + 3][1]), float(lines[k + 3][2])), int(lines[k][1])) for k in range(0, len(lines), 4)]


def lammps(folder, groove, every, looks):
    data, out = os.path.join(folder, "groove.data"), os.path.join(folder, "groove.dump")
    with open(data, "w") as text:
        text.write("groove\n\n3 atoms\n2 atom types\n\n")
        text.writelines(f"{-3 * BIG!r} {5 * BIG!r} {axis}lo {axis}hi\n" for axis in "xyz")
        text.write("\nAtoms # sphere\n\n")
        text.writelines(f"{k} {1 + fixed} {2 * r!r} {DENSITY!r} {x!r} {y!r} {z!r}\n" for k, (x, y, z, r, fixed) in enumerate(groove.rows(), start=1))
    peer.lammps(folder, SCRIPT.format(data=data, out=out, k=groove.k, g=groove.damping, kt=SHEAR * groove.k, mu=MU, gravity=GRAVITY, step=groove.step, every=every,
                                      steps=every * looks), out)
    return [(k * every * groove.step, angle(*look[0][1:3])) for k, look in enumerate(peer.dump_rows(out))][1:]


def angle(y, z):
    """From the top, 0 to 360 degrees."""
    return math.degrees(math.atan2(y, z)) % 360.0


def at(curve, times):
    return [min(curve, key=lambda point: abs(point[0] - t))[1] for t in times]


def compare(program, folder):
    """Ratio 20 with the numbers of the example: the closed form within 1e-4 degrees; with LAMMPS' levels the same as LAMMPS, stuck. Curves for the figure."""
    groove = Groove(20, 1e4, 1e-6)
    every, looks = 1000, 300
    here, copied, there = scree(program, folder, groove, "half", every, looks), scree(program, folder, groove, "modern", every, looks), lammps(folder, groove, every, looks)
    closed = groove.closed(TIMES)
    off = max(abs(a - b) for a, b in zip(at(here, TIMES), closed))
    apart = max(abs(a[1] - b[1]) for a, b in zip(copied, there) if a[0] < 0.2)
    stuck = at(there, [0.15])[0]
    left = next(point[0] for point in here if point[2] == 0)
    print(f"ratio 20: off the closed form by {off:.1g} degrees until {TIMES[-1]} s, leaves at {left:.4f} s; with LAMMPS' levels off LAMMPS by {apart:.1g} degrees; LAMMPS at 0.15 s: "
          f"{stuck:.3f} degrees, at 0.3 s {there[-1][1]:.3f}", flush=True)
    peer.check(off < 1e-4, f"scree is off the closed form by {off:.2g} degrees, allowed 1e-4")
    peer.check(0.14 < left < 0.15, f"scree leaves at {left} s, expected between 0.14 and 0.15")
    peer.check(apart < 1e-5, f"with LAMMPS' levels scree is off LAMMPS by {apart:.2g} degrees, allowed 1e-5")
    return groove, here, there


def until_left(curve):
    left = next((k for k, point in enumerate(curve) if point[2] == 0), len(curve))
    return curve[:left + 1]


def figure(program, folder, target):
    groove, _, there = compare(program, folder)
    curves = [("curve", "LAMMPS (29 Sep 2021), ratio 20", [(t, a) for t, a in there if t < 0.19])]
    table, closed = [(t, a, "LAMMPS", 20) for t, a in there], []
    for ratio in RATIOS:
        groove = Groove(ratio)
        every = max(1, round(0.02 * groove.tau / groove.step))
        curve = until_left(scree(program, folder, groove, "half", every, 350))
        rolling = [t for t, a, _ in curve if a < 30.0]
        off = max(abs(a - b) for (_, a, _), b in zip(curve, groove.closed(rolling)))
        peer.check(curve[-1][2] == 0, f"ratio {ratio}: the sphere does not leave")
        print(f"| {ratio} | {groove.tau:.5f} | {groove.step:.2g} | {off:.1g} | {curve[-1][0]:.4f} | {curve[-1][1]:.1f} |", flush=True)
        curves.append(("curve", f"scree, ratio {ratio}", [(t, a) for t, a, _ in curve]))
        times = [(2.0 + 0.4 * k) * groove.tau for k in range(8)]
        closed += list(zip(times, groove.closed(times)))
        table += [(t, a, "scree", ratio) for t, a, _ in curve]
    curves.append(("hollow", "closed form, rolling", closed))
    with open(os.path.join(target, "groove.csv"), "w") as text:
        text.write("time,degrees,program,ratio\n")
        text.writelines(f"{t!r},{a!r},{who},{ratio}\n" for t, a, who, ratio in table)
    source = os.path.join(folder, "curves.txt")
    with open(source, "w") as text:
        text.write("A sphere rolls off a groove; curves of scree end where it leaves\ntime, s\nangle from the top, degrees\n0 200\n")
        for style, name, points in curves:
            text.write(f"{style} {name}\n" + "".join(f"{x!r} {y!r}\n" for x, y in points) + "\n")
    peer.run([os.path.join(os.path.dirname(program), "draw_curves"), source, os.path.join(target, "groove.png")])


if __name__ == "__main__":
    peer.need_lammps()
    with tempfile.TemporaryDirectory() as place:
        if len(sys.argv) > 2:
            figure(os.path.abspath(sys.argv[1]), place, os.path.abspath(sys.argv[2]))
        else:
            compare(os.path.abspath(sys.argv[1]), place)
