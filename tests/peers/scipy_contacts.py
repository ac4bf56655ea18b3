"""Contacts by scree against an independent search, SciPy's k-d tree: the same number and the same pairs.

usage: scipy_contacts.py PROGRAM [SPHERES]     (SPHERES: of the largest case, 500000 unless given)
"""
import os

import peer

try:
    import numpy as np
    from scipy.spatial import cKDTree
except ImportError as error:
    peer.missing("SciPy", error)

# A pair whose surfaces are nearer than this share of its size may round either way; random centres have none so near.
BAND = 1e-13


def equal_pairs(x, r, size=None):
    """Pairs of equal spheres, i < j, sorted; with a size, periodic."""
    ij = cKDTree(x, boxsize=size).query_pairs(2 * r[0], output_type="ndarray")
    return ordered(ij)


def mixed_pairs(x, r):
    """Pairs of spheres of any sizes: one tree per factor 2 of size, and every tree against every other."""
    size_class = np.floor(np.log2(r / r.min())).astype(int)
    members = [np.flatnonzero(size_class == k) for k in range(size_class.max() + 1)]
    members = [m for m in members if m.size]
    trees = [cKDTree(x[m]) for m in members]
    found = []
    for a, tree in enumerate(trees):
        for b in range(a, len(trees)):
            reach = r[members[a]].max() + r[members[b]].max()
            near = tree.sparse_distance_matrix(trees[b], reach * (1 + 1e-12), output_type="ndarray")
            i, j = members[a][near["i"]], members[b][near["j"]]
            keep = near["v"] < r[i] + r[j]
            if a == b:
                keep &= i < j
            found.append(np.stack([i[keep], j[keep]], axis=1))
    return ordered(np.concatenate(found))


def ordered(ij):
    ij = np.sort(np.asarray(ij, dtype=np.int64).reshape(-1, 2), axis=1)
    return ij[np.lexsort((ij[:, 1], ij[:, 0]))]


def near_threshold(x, r, ij, size):
    d = x[ij[:, 0]] - x[ij[:, 1]]
    if size is not None:
        d -= size * np.round(d / size)
    reach = r[ij[:, 0]] + r[ij[:, 1]]
    return np.abs(np.sqrt((d * d).sum(axis=1)) - reach) < BAND * (reach + np.abs(x).max())


def compare(program, folder, name, x, r, wanted, size=None):
    path, out = os.path.join(folder, "spheres.npy" if len(r) > 100_000 else "spheres.csv"), os.path.join(folder, "pairs.csv")
    if path.endswith(".npy"):  # writing a large CSV takes Python longer than all the rest
        np.save(path, np.column_stack([x, r]))
    else:
        peer.write_csv(path, x, r)
    flags = [] if size is None else ["--periodic", "xyz", "--box", ",".join([repr(size)] * 3)]
    answer = peer.contacts(program, path, "-o", out, *flags)
    # Rows are i,j,gap[,sx,sy,sz]; no row at all is possible too.
    with open(out) as lines:
        header = lines.readline().strip()
        ours = np.loadtxt(lines, delimiter=",", usecols=(0, 1), dtype=np.int64, ndmin=2) if answer["pairs"] else []
    peer.check(header == ("i,j,gap" if size is None else "i,j,gap,sx,sy,sz"), f"{name}: header of the pairs is {header}")
    ours = ordered(ours)
    peer.check(answer["n"] == len(r), f"{name}: n is {answer['n']}, not {len(r)}")
    peer.check(answer["pairs"] == len(ours), f"{name}: {answer['pairs']} pairs reported, {len(ours)} written")

    key = lambda ij: ij[:, 0] * len(r) + ij[:, 1]
    differ = np.setxor1d(key(ours), key(wanted))
    differ = np.stack([differ // len(r), differ % len(r)], axis=1)
    undecided = int(near_threshold(x, r, differ, size).sum()) if len(differ) else 0
    peer.check(undecided == len(differ), f"{name}: {len(differ)} pairs differ, the first is {differ[:1].tolist()}")
    peer.check(abs(len(ours) - len(wanted)) <= undecided, f"{name}: {len(ours)} pairs, SciPy has {len(wanted)}")
    print(f"{name}: n {len(r)}, pairs {len(ours)}, SciPy {len(wanted)}, differing {len(differ)}"
          f" (method {answer['method']})", flush=True)


def work(program, folder, largest):
    rng = np.random.default_rng(20260101)
    # Equal spheres at a volume fraction of 0.3, placed without regard to each other: 2.4 partners each on average.
    n = largest
    x, r = rng.random((n, 3)), np.full(n, (0.3 * 3 / (4 * np.pi * n)) ** (1 / 3))
    compare(program, folder, "equal, open", x, r, equal_pairs(x, r))
    compare(program, folder, "equal, periodic", x, r, equal_pairs(x, r, 1.0), 1.0)

    # Size ratio 10, log-uniform, at the same filling.
    n = max(1, largest // 10)
    x, r = rng.random((n, 3)), 10 ** rng.random(n)
    r *= (0.3 * 3 / (4 * np.pi * (r**3).sum())) ** (1 / 3)
    compare(program, folder, "ratio 10, open", x, r, mixed_pairs(x, r))

    # In the plane, far from the origin.
    x, r = rng.random((n, 2)) + 1000.0, 10 ** rng.random(n)
    r *= (0.3 / (np.pi * (r**2).sum())) ** 0.5
    compare(program, folder, "ratio 10, 2D", x, r, mixed_pairs(x, r))


if __name__ == "__main__":
    peer.main(500_000, work)
