"""scree.neighbour_list against ase.neighborlist.neighbor_list: cells of any shape, some axes periodic, atoms outside of the cell, one cutoff or a radius for each.

usage: ase_neighbours.py PROGRAM     (the libraries lie beside the program; SCREE_TEST_SEED chooses the random cases: 1 unless set, a fresh one in a deep run)
"""
import peer

try:
    import numpy as np
    from ase import Atoms
    from ase.build import bulk, molecule
    from ase.neighborlist import neighbor_list
except ImportError as error:
    peer.missing("ASE", error)

scree = peer.module()

BAND = 1e-10  # a pair nearer to the cutoff may round either way


def rows(i, j, d, D, S):
    return {(a, b, *s): (c, *v) for a, b, c, v, s in zip(i.tolist(), j.tolist(), d.tolist(), D.tolist(), S.tolist())}


def compare(atoms, cutoff, name):
    ours, theirs = rows(*scree.neighbour_list("ijdDS", atoms, cutoff)), rows(*neighbor_list("ijdDS", atoms, cutoff))
    reach = lambda i, j: cutoff if np.ndim(cutoff) == 0 else cutoff[i] + cutoff[j]
    for key in ours.keys() ^ theirs.keys():
        d = (ours.get(key) or theirs[key])[0]
        peer.check(abs(d - reach(*key[:2])) < BAND, f"{name}: pair {key} at distance {d}, cutoff {reach(*key[:2])}, is in one list only")
    both = sorted(ours.keys() & theirs.keys())
    worst = max((float(np.abs(np.subtract(ours[key], theirs[key])).max()) for key in both), default=0.0)
    peer.check(worst < 1e-9, f"{name}: d or D differ by {worst}")
    peer.check(list(ours) == sorted(ours), f"{name}: not sorted")
    return len(both)


rng = peer.random()
total = 0
for case in range(40):
    n = int(rng.choice([1, 2, 20, 100]))
    cell = np.diag(rng.uniform(2.0, 4.0, 3)) + (rng.uniform(-0.8, 0.8, (3, 3)) if rng.integers(2) else 0.0)
    pbc = rng.integers(2, size=3).astype(bool)
    atoms = Atoms(numbers=np.ones(n), positions=rng.uniform(-0.5, 1.5, (n, 3)) @ cell, cell=cell, pbc=pbc)  # some outside of the cell
    cutoff = float(rng.uniform(0.5, 3.0)) if rng.integers(2) else rng.uniform(0.2, 1.0, n)
    total += compare(atoms, cutoff, f"case {case}: {n} atoms, pbc {pbc}, cell {cell.tolist()}")
crystal = bulk("Cu", "fcc", a=3.6)
peer.check(compare(crystal, 3.0, "fcc") == 12, "a primitive fcc cell has twelve neighbours")
water = molecule("H2O")  # no cell at all
peer.check(compare(water, 1.2, "water") == 4, "water has two bonds, each in both directions")
for letter in "ijdDS":
    ours, theirs = scree.neighbour_list(letter, crystal, 4.0), neighbor_list(letter, crystal, 4.0)
    peer.check(ours.shape == theirs.shape and ours.dtype == theirs.dtype, f"{letter}: {ours.shape} {ours.dtype}, theirs {theirs.shape} {theirs.dtype}")
print(f"40 cases, {total} pairs")
