"""Contacts by scree against LAMMPS (compute contact/atom): the same number of partners for every single sphere.

usage: lammps_contacts.py PROGRAM [SPHERES]     (100000 unless said)
"""
import math
import os
import random

import peer

SCRIPT = """
units si
atom_style sphere
boundary {boundary}
newton off
comm_modify vel yes
read_data {data}
pair_style gran/hooke 1.0 NULL 0.0 NULL 0.0 0
pair_coeff * *
neighbor {skin} bin
neigh_modify delay 0
compute touching all contact/atom
fix hold all nve/sphere
timestep 1e-30
dump out all custom 1 {out} id c_touching
dump_modify out sort id format float %.17g
run 0
"""


class Rows:
    """Two views of the same spheres: columns for the CSV, rows for the data file; so that NumPy is not needed here."""

    def __init__(self, rows):
        self.rows = rows

    def write_csv(self, path):
        with open(path, "w") as out:
            out.write("x,y,z,r\n")
            out.writelines(",".join(map(repr, row)) + "\n" for row in self.rows)

    def write_data(self, path, size):
        with open(path, "w") as out:
            out.write(f"spheres\n\n{len(self.rows)} atoms\n1 atom types\n\n")
            for axis in "xyz":
                out.write(f"0.0 {size!r} {axis}lo {axis}hi\n")
            out.write("\nAtoms # sphere\n\n")
            for k, (x, y, z, r) in enumerate(self.rows, start=1):  # id type diameter density x y z
                out.write(f"{k} 1 {2 * r!r} 1.0 {x!r} {y!r} {z!r}\n")


def lammps(folder, spheres, size, periodic):
    """Partners of every sphere."""
    data, out = os.path.join(folder, "in.data"), os.path.join(folder, "out.dump")
    spheres.write_data(data, size)
    smallest = min(row[3] for row in spheres.rows)
    peer.lammps(folder, SCRIPT.format(boundary="p p p" if periodic else "f f f", data=data, out=out, skin=repr(0.1 * smallest)), out)
    rows = peer.dump_rows(out)[0]
    partners = [0] * len(spheres.rows)
    for identifier, count in rows:
        partners[int(identifier) - 1] = int(count)
    peer.check(len(rows) == len(partners), f"LAMMPS kept {len(rows)} of {len(partners)} spheres")
    return partners


def scree(program, folder, spheres, size, periodic):
    path, out = os.path.join(folder, "spheres.csv"), os.path.join(folder, "pairs.csv")
    spheres.write_csv(path)
    flags = ["--box", ",".join([repr(size)] * 3)] + (["--periodic", "xyz"] if periodic else [])
    answer = peer.contacts(program, path, "-o", out, *flags)
    partners = [0] * len(spheres.rows)
    with open(out) as lines:
        next(lines)
        for line in lines:
            i, j = line.split(",", 2)[:2]
            partners[int(i)] += 1
            partners[int(j)] += 1
    peer.check(sum(partners) == 2 * answer["pairs"], f"{answer['pairs']} pairs reported, {sum(partners) / 2:g} written")
    return partners


def case(program, folder, n, name, ratio, periodic, seed):
    chance = random.Random(seed)
    radii = [ratio ** chance.random() for _ in range(n)]
    scale = (0.3 * 3 / (4 * math.pi * sum(r**3 for r in radii))) ** (1 / 3)
    spheres = Rows([(chance.random(), chance.random(), chance.random(), r * scale) for r in radii])
    theirs = lammps(folder, spheres, 1.0, periodic)
    ours = scree(program, folder, spheres, 1.0, periodic)
    differ = [k for k in range(n) if ours[k] != theirs[k]]
    peer.check(not differ, f"{name}: {len(differ)} spheres have another number of partners, the first is {differ[:1]}: "
               f"scree {[ours[k] for k in differ[:1]]}, LAMMPS {[theirs[k] for k in differ[:1]]}")
    print(f"{name}: n {n}, pairs {sum(ours) // 2}, LAMMPS {sum(theirs) // 2}, every sphere alike", flush=True)


if __name__ == "__main__":
    peer.need_lammps()
    peer.main(100_000, lambda program, folder, n: peer.equal_and_mixed(case, program, folder, n))
