"""scree.pairs against SciPy's k-d tree: equal spheres, open and periodic, in 2D and 3D, with small and large gaps.

usage: scipy_python.py PROGRAM     (the libraries lie beside the program; SCREE_TEST_SEED chooses the random cases: 1 unless set, a fresh one in a deep run)
"""
import peer

try:
    import numpy as np
    from scipy.spatial import cKDTree
except ImportError as error:
    peer.missing("SciPy", error)

scree = peer.module()

BAND = 1e-12  # a pair nearer to the threshold may round either way

rng = peer.random()
for case in range(60):
    dim, n = int(rng.integers(2, 4)), int(rng.choice([2, 50, 1000, 20000]))
    periodic = bool(rng.integers(2))
    size = rng.uniform(1.0, 2.0, dim)
    x = rng.random((n, dim)) * size
    r = float(rng.uniform(0.1, 0.6) * (size.prod() / n) ** (1 / dim)) if n > 2 else 0.2
    r = min(r, 0.24 * size.min())  # beyond, pairs have several images
    gap = float(rng.choice([0.0, 0.5 * r, -0.5 * r]))
    gap = gap if 2 * r + gap < 0.49 * size.min() else 0.0
    tree = cKDTree(x, boxsize=size if periodic else None)
    theirs = np.sort(tree.query_pairs(2 * r + gap, output_type="ndarray").reshape(-1, 2), axis=1)
    theirs = theirs[np.lexsort((theirs[:, 1], theirs[:, 0]))]
    ours = scree.pairs(x, r, size, periodic, gap)
    key = lambda ij: ij[:, 0].astype(np.int64) * n + ij[:, 1]
    differ = np.setxor1d(key(ours), key(theirs))
    d = x[differ // n] - x[differ % n]
    d -= size * np.round(d / size) if periodic else 0.0
    off = np.abs(np.sqrt((d * d).sum(1)) - 2 * r - gap)
    peer.check((off < BAND).all(), f"case {case}: {n} spheres in {dim}D, periodic {periodic}: {len(differ)} pairs differ")
    if not len(differ):
        peer.check((ours == theirs).all(), f"case {case}: another order")
print("60 cases")
