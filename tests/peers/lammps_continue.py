"""Packings by scree go on in LAMMPS: the scripts in examples/lammps, run as they are.

jammed: LAMMPS counts scree's contacts, has scree's pressure, and nothing moves; pressed further, its contacts are again what scree
counts in the file that comes back. heap: just touching before, it carries its weight after.

usage: lammps_continue.py PROGRAM
"""
import json
import math
import os
import re
import subprocess

import peer

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/lammps")
STIFFNESS, DENSITY = 1e4, 2500.0  # as in.jammed has them


def pack(program, folder, *flags):
    command = [program, "pack", *flags, "--json", "--quiet"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    peer.check(done.returncode == 0, f"{' '.join(command)} gave {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def commands_of(script):
    """The flags of `scree pack` in a script's head, so that what it tells the reader is what runs."""
    with open(os.path.join(SCRIPTS, script)) as text:
        return re.search(r"^# +scree pack (.*)$", text.read(), re.MULTILINE)[1].split()


def lammps(folder, script, names):
    """Runs a script; the rows of its tables by these names, one table for each run."""
    printed = peer.run(["lmp", "-in", os.path.join(SCRIPTS, script), "-log", "none", "-nocite"], folder)
    peer.check("WARNING" not in printed, f"lmp -in {script} warns: {printed[-2000:]}")
    tables = re.findall(r"^Step Atoms [^\n]*\n((?: +[-+.e0-9 ]+\n)+)", printed, re.MULTILINE)
    return [[dict(zip(names, map(float, line.split()))) for line in table.splitlines()] for table in tables]


def same_spheres(program, folder, before, after, what):
    """Number, diameters and densities in the file that LAMMPS wrote."""
    ours, theirs = (peer.columns(program, os.path.join(folder, name)) for name in (before, after))
    peer.check(len(ours["r"]) == len(theirs["r"]) > 0, f"{what}: {len(ours['r'])} spheres went to LAMMPS, {len(theirs['r'])} came back")
    for a, b, density in zip(map(float, ours["r"]), map(float, theirs["r"]), map(float, theirs["density"])):
        peer.check(abs(a - b) <= 1e-14 * a and abs(density - DENSITY) <= 1e-12 * DENSITY, f"{what}: radius {a} came back as {b}, density as {density}")
    return len(ours["r"])


def pairs(program, folder, file, *flags):
    out = os.path.join(folder, "pairs.csv")
    answer = peer.contacts(program, os.path.join(folder, file), "-o", out, *flags)
    with open(out) as lines:
        next(lines)
        return answer["pairs"], [float(line.split(",")[2]) for line in lines]


def jammed(program, folder):
    reported = pack(program, folder, *commands_of("in.jammed"))
    contacts, gaps = pairs(program, folder, "packing.lmp", "--periodic", "xyz")
    alone, pressed = lammps(folder, "in.jammed", ("step", "atoms", "contacts", "pressure", "kinetic"))
    n = same_spheres(program, folder, "packing.lmp", "went-on.lmp", "jammed")
    peer.check(all(row["atoms"] == n for row in alone + pressed), f"jammed: LAMMPS lost spheres: {alone[-1]}, {pressed[-1]}")
    peer.check(alone[0]["contacts"] == contacts > n, f"jammed: {contacts} contacts, LAMMPS has {alone[0]['contacts']}")

    # Pressure 1e-4, the default, in units of stiffness over mean diameter; overlaps store half the stiffness times their square.
    mean = 2 * sum(map(float, peer.columns(program, os.path.join(folder, "packing.lmp"))["r"])) / n
    wanted, stored = 1e-4 * STIFFNESS / mean, sum(0.5 * STIFFNESS * gap**2 for gap in gaps)
    for row in alone:
        peer.check(abs(row["pressure"] / wanted - 1) < 1e-3, f"jammed: pressure {row['pressure']} at step {row['step']:g}, wanted {wanted}")
        peer.check(row["kinetic"] < 1e-4 * stored, f"jammed: kinetic energy {row['kinetic']} at step {row['step']:g}, {stored} are stored")
        peer.check(abs(row["contacts"] - contacts) <= 0.005 * contacts, f"jammed: {row['contacts']:g} contacts at step {row['step']:g} of {contacts}")
    after, gaps = pairs(program, folder, "went-on.lmp", "--periodic", "xyz")
    stored = sum(0.5 * STIFFNESS * gap**2 for gap in gaps)
    last = pressed[-1]
    peer.check(after == last["contacts"] > contacts, f"jammed: scree finds {after} contacts in LAMMPS' file, LAMMPS {last['contacts']}")
    peer.check(last["pressure"] > 3 * wanted and last["kinetic"] < stored, f"jammed: after pressing {last}, {stored} stored")
    depth = -min(gaps) / mean
    peer.check(depth < 0.02, f"jammed: an overlap of {depth} diameters after pressing")
    print(f"jammed: n {n}, density {reported['density']:.4f}, contacts {contacts} and {alone[0]['contacts']:g} in LAMMPS, pressure {alone[0]['pressure']:.2f} "
          f"of {wanted:.2f} Pa; pressed: contacts {after} and {last['contacts']:g}, deepest {depth:.1e} diameters", flush=True)


def heap(program, folder):
    pack(program, folder, *commands_of("in.heap"))
    contacts, _ = pairs(program, folder, "heap.lmp")
    near, _ = pairs(program, folder, "heap.lmp", "--gap", "1e-14")  # a touch is rounded to one side or the other
    (rows,) = lammps(folder, "in.heap", ("step", "atoms", "contacts", "top", "kinetic"))
    n = same_spheres(program, folder, "heap.lmp", "settled.lmp", "heap")
    radii = list(map(float, peer.columns(program, os.path.join(folder, "heap.lmp"))["r"]))
    peer.check(all(row["atoms"] == n for row in rows), f"heap: LAMMPS lost spheres: {rows[-1]}")
    peer.check(contacts == 0 and contacts <= rows[0]["contacts"] <= near, f"heap: {contacts} to {near} contacts, LAMMPS has {rows[0]['contacts']}")
    after, gaps = pairs(program, folder, "settled.lmp")
    peer.check(after == rows[-1]["contacts"] > n, f"heap: scree finds {after} contacts in LAMMPS' file, LAMMPS {rows[-1]['contacts']}")
    # It sinks by less than a small sphere, its motion is far below what one diameter of fall would give, and nothing is pushed in deeply.
    smallest, mass = min(radii), DENSITY * 4 / 3 * math.pi * sum(r**3 for r in radii)
    fall = mass * 9.81 * 2 * smallest
    peer.check(abs(rows[-1]["top"] - rows[0]["top"]) < smallest, f"heap: its top went from {rows[0]['top']} to {rows[-1]['top']}")
    peer.check(all(row["kinetic"] < 1e-2 * fall for row in rows), f"heap: kinetic energy {max(row['kinetic'] for row in rows)}, a fall of one diameter gives {fall}")
    depth = -min(gaps) / (2 * smallest)
    peer.check(depth < 0.01, f"heap: an overlap of {depth} diameters")
    print(f"heap: n {n}, contacts {rows[0]['contacts']:g}, then {after} and {rows[-1]['contacts']:g} in LAMMPS, deepest {depth:.1e} diameters", flush=True)


def work(program, folder, _):
    jammed(program, folder)
    heap(program, folder)


if __name__ == "__main__":
    peer.need_lammps()
    peer.main(None, work)
