"""Extended XYZ: ASE reads what scree writes, scree reads what ASE writes.

usage: ase_files.py PROGRAM [SPHERES]     (20000 unless said)
"""
import os

import peer

try:
    import ase
    import ase.io
    import numpy as np
except ImportError as error:
    peer.missing("ASE", error)


def example(n, dim, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (n, 3)) * 10.0 ** rng.integers(-3, 3, (n, 3))
    if dim == 2:
        x[:, 2] = 0.0
    return x, rng.random(n), rng.standard_normal((n, 3)), rng.integers(0, 2**31 - 1, n)


def to_ase(program, folder, n, dim, box, seed):
    """From a file that is written by hand through scree to ASE: every bit, and the box."""
    what = f"scree to ASE, {dim}D, {'no box' if box is None else box}"
    x, r, v, tag = example(n, dim, seed)
    start, path = os.path.join(folder, "start.xyz"), os.path.join(folder, "ours.xyz")
    keys = "" if box is None else f'Lattice="{box[0]} 0 0 0 {box[1]} 0 0 0 {box[2]}" pbc="{box[3]}" Origin="-1 0.5 0" '
    with open(start, "w") as out:
        out.write(f"{n}\n{keys}Properties=pos:R:{dim}:radius:R:1:v:R:3:tag:I:1\n")
        for row in zip(x[:, :dim].tolist(), r.tolist(), v.tolist(), tag.tolist()):
            out.write(" ".join(map(repr, [*row[0], row[1], *row[2], row[3]])) + "\n")
    peer.convert(program, start, path)
    atoms = ase.io.read(path)
    peer.check(len(atoms) == n, f"{what}: {len(atoms)} atoms of {n}")
    for ours, theirs, name in ((x, atoms.positions, "positions"), (r, atoms.arrays["radius"], "radius"),
                               (v, atoms.arrays["v"], "v"), (tag, atoms.arrays["tag"], "tag")):
        peer.check(np.array_equal(ours, theirs), f"{what}: {name} differ")
    peer.check(set(atoms.get_chemical_symbols()) <= {"X"}, f"{what}: symbols {set(atoms.get_chemical_symbols())}")
    if box is None:
        peer.check(not atoms.cell.any() and not atoms.pbc.any(), f"{what}: cell {atoms.cell}, pbc {atoms.pbc}")
    else:
        wanted = list(box[:3]) if dim == 3 else [*box[:2], 1.0]
        periodic = [word == "T" for word in box[3].split()][:dim] + [False] * (3 - dim)
        peer.check(np.allclose(atoms.cell, np.diag(wanted), 1e-14, 1e-15), f"{what}: cell {atoms.cell[:]}")  # upper - lower
        peer.check(atoms.pbc.tolist() == periodic, f"{what}: pbc {atoms.pbc}")
        peer.check(atoms.info["Origin"].tolist()[:2] == [-1.0, 0.5], f"{what}: Origin {atoms.info['Origin']}")
    print(f"{what}: {n} alike", flush=True)


def from_ase(program, folder, n, periodic, seed):
    """What ASE writes has 8 digits behind the point; scree and ASE itself must read the same numbers in it."""
    what = f"ASE to scree, pbc {periodic}"
    x, r, v, tag = example(n, 3, seed)
    rng = np.random.default_rng(seed)
    atoms = ase.Atoms(symbols=rng.choice(["Si", "O", "X", "Fe"], n), positions=x, cell=[30.0, 40.0, 50.5], pbc=periodic)
    atoms.info["energy"] = -3.5
    atoms.info["title"] = 'a "quoted" text = with signs'
    atoms.info["matrix"] = np.arange(9.0).reshape(3, 3)
    atoms.arrays.update({"radius": r, "velocity": v, "tag": tag, "fixed": tag % 2 == 0,
                         "grain": rng.choice(["a1", "b22"], n)})
    path = os.path.join(folder, "theirs.xyz")
    ase.io.write(path, atoms, format="extxyz")
    theirs = ase.io.read(path)
    ours = peer.columns(program, path)
    for axis, name in enumerate("xyz"):
        peer.check(np.array_equal(peer.numbers(ours[name]), theirs.positions[:, axis]), f"{what}: {name} differs")
    peer.check(np.array_equal(peer.numbers(ours["r"]), theirs.arrays["radius"]), f"{what}: radii differ")
    for axis, name in enumerate(("velocity_x", "velocity_y", "velocity_z")):
        peer.check(np.array_equal(peer.numbers(ours[name]), theirs.arrays["velocity"][:, axis]), f"{what}: {name} differs")
    peer.check(ours["species"] == theirs.get_chemical_symbols(), f"{what}: species differ")
    peer.check(ours["tag"] == [str(value) for value in tag], f"{what}: tags differ")
    peer.check(ours["fixed"] == [str(int(value % 2 == 0)) for value in tag], f"{what}: logical values differ")
    peer.check(ours["grain"] == theirs.arrays["grain"].tolist(), f"{what}: words differ")
    # The box is seen in what scree writes of it.
    back = path + ".back.xyz"
    peer.convert(program, path, back)
    again = ase.io.read(back)
    peer.check(np.array_equal(again.cell, theirs.cell) and again.pbc.tolist() == theirs.pbc.tolist(),
               f"{what}: cell {again.cell[:]}, pbc {again.pbc}")
    peer.check(np.array_equal(again.positions, theirs.positions), f"{what}: positions differ after scree")
    print(f"{what}: {n} alike", flush=True)


def work(program, folder, n):
    to_ase(program, folder, n, 3, None, 1)
    to_ase(program, folder, n, 3, (12.5, 0.1, 1e-3, "T F T"), 2)
    to_ase(program, folder, n, 2, (3.0, 4.0, 0.0, "F T F"), 3)
    to_ase(program, folder, n, 2, None, 4)
    from_ase(program, folder, n, [True, True, False], 5)
    from_ase(program, folder, n, False, 6)


if __name__ == "__main__":
    peer.main(20_000, work)
