"""LAMMPS data files: LAMMPS reads what scree writes, scree reads what LAMMPS writes.

usage: lammps_files.py PROGRAM [SPHERES]     (20000 unless said)
"""
import os
import random

import peer

# Positions, sizes and speeds as LAMMPS has them after reading, and its own data file of them.
SCRIPT = """
units si
dimension {dim}
boundary {boundary}
atom_style sphere
atom_modify map array
read_data {data}
pair_style zero {cutoff}
pair_coeff * *
{flat}
fix hold all nve/sphere
timestep 1e-30
dump out all custom 1 {dump} id type diameter mass x y z vx vy vz omegax omegay omegaz
dump_modify out sort id format float %.17g
run 0
write_data {written} nocoeff
"""


def lammps(folder, data, dim, boundary):
    """Rows by id of what LAMMPS makes of a data file, and the file that it writes."""
    dump, written = os.path.join(folder, "out.dump"), os.path.join(folder, "written.data")
    peer.lammps(folder, SCRIPT.format(dim=dim, boundary=boundary, data=data, dump=dump, written=written, cutoff=1.0,
                                      flat="fix flat all enforce2d" if dim == 2 else ""), dump, written)
    return peer.dump_rows(dump)[0], written


def example(n, dim, chance):
    """Spheres in a box of 10 that starts at -2: columns by name, as CSV has them."""
    columns = {name: [chance.uniform(-2, 8) for _ in range(n)] for name in "xyz"[:dim]}
    columns["r"] = [chance.uniform(0.001, 0.01) for _ in range(n)]
    columns["type"] = [chance.randint(1, 4) for _ in range(n)]
    columns["density"] = [chance.uniform(1e3, 8e3) for _ in range(n)]
    for name in ("velocity_x", "velocity_y", "velocity_z")[:dim]:
        columns[name] = [chance.gauss(0, 1) for _ in range(n)]
    columns["mass"] = [0.5] * n  # LAMMPS has no place for it
    return columns


def case(program, folder, n, dim, boundary, seed):
    what = f"{dim}D, boundary {boundary}"
    ours = example(n, dim, random.Random(seed))
    start, data = os.path.join(folder, "start.csv"), os.path.join(folder, "ours.data")
    with open(start, "w") as out:
        out.write(",".join(ours) + "\n")
        out.writelines(",".join(map(repr, row)) + "\n" for row in zip(*ours.values()))
    # The box: by way of XYZ, which scree writes without one and takes with one.
    boxed = os.path.join(folder, "boxed.xyz")
    peer.convert(program, start, boxed)
    with open(boxed) as lines:
        count, keys, rest = lines.readline(), lines.readline(), lines.read()
    with open(boxed, "w") as out:
        periodic = " ".join("T" if letter == "p" else "F" for letter in boundary.split())
        out.write(count + f'Lattice="10 0 0 0 10 0 0 0 10" Origin="-2 -2 -2" pbc="{periodic}" ' + keys + rest)
    answer = peer.convert(program, boxed, data)
    peer.check(answer["left_out"] == "column 'mass'", f"{what}: left out is \"{answer['left_out']}\"")

    rows, written = lammps(folder, data, dim, boundary)
    peer.check(len(rows) == n, f"{what}: LAMMPS has {len(rows)} of {n} spheres")
    names = {"type": 1, "x": 4, "y": 5, "z": 6, "velocity_x": 7, "velocity_y": 8, "velocity_z": 9}
    zero = [0.0] * n
    for name, c in names.items():
        theirs, wanted = [row[c] for row in rows], ours.get(name, zero)
        peer.check(theirs == wanted, f"{what}: {name} differs in LAMMPS")
    peer.check([row[2] for row in rows] == [2 * r for r in ours["r"]], f"{what}: diameters differ in LAMMPS")

    # Back: %.16g or so in the file; the mass per sphere goes through LAMMPS' volume, so that the density has its rounding.
    back = peer.columns(program, written)
    scale = {name: max(map(abs, map(float, back[name]))) for name in back}
    for name in ["x", "y", "z", "r", "type", "velocity_x", "velocity_y", "velocity_z", "density"]:
        read, wanted = list(map(float, back[name])), ours.get(name, zero)
        off = max((abs(a - b) for a, b in zip(read, wanted)), default=0.0)
        allowed = 0.0 if name == "type" else 1e-14 * scale[name]
        peer.check(len(read) == n and off <= allowed, f"{what}: {name} is off by {off} after LAMMPS")
    peer.check("id" not in back and not any(map(float, back["omega_x"])), f"{what}: columns {list(back)}")
    box = os.path.join(folder, "box.xyz")
    peer.convert(program, written, box)
    with open(box) as lines:
        keys = lines.readlines()[1]
    peer.check('Lattice="10 0 0 0 10 0 0 0 ' in keys and 'Origin="-2 -2 ' in keys, f"{what}: the box after LAMMPS is {keys}")
    print(f"{what}: {n} alike", flush=True)


def work(program, folder, n):
    case(program, folder, n, 3, "p p p", 1)
    case(program, folder, n, 3, "f f f", 2)
    case(program, folder, n, 3, "p f p", 3)
    case(program, folder, n, 2, "p f p", 4)


if __name__ == "__main__":
    peer.need_lammps()
    peer.main(20_000, work)
