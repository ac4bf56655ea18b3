"""scree.pairs on small sets of equal spheres beside SciPy's cKDTree.

    /usr/bin/python3 python/bench/small.py [--counts 50,200,1000,5000] [--repeat K] [--density NU] [--dim D] [--threads T] [--periodic]

Both run in one process, in turn, in changing order. Each round makes enough calls to take about 5 ms, so that the processor's clock can be read; the
processor time is that of the whole process, and the library's threads count, also while they wait for more work. Medians over the rounds, of
microseconds for one call, and the median of the ratios of neighbours. cKDTree builds its tree and gives the pairs as an array, which is not sorted
(`cKDTree(x).query_pairs(2 * r, output_type="ndarray")`); scree gives sorted pairs.
"""
import argparse
import sys
import time
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import scree  # noqa: E402


def measure(call, calls):
    wall, used = time.perf_counter(), time.process_time()
    for _ in range(calls):
        call()
    return (time.perf_counter() - wall) / calls, (time.process_time() - used) / calls


def compare(n, asked):
    side = (n / asked.density * (np.pi / 4 if asked.dim == 2 else np.pi / 6)) ** (1 / asked.dim)  # diameter 1
    x, r = np.random.default_rng(1).random((n, asked.dim)) * side, np.full(n, 0.5)
    given = dict(box=[side] * asked.dim, periodic=True) if asked.periodic else {}
    boxsize = side if asked.periodic else None
    ways = {"cKDTree": lambda: cKDTree(x, boxsize=boxsize).query_pairs(1.0, output_type="ndarray"),
            "scree": lambda: scree.pairs(x, r, **given, threads=asked.threads)}
    theirs = ways["cKDTree"]()
    theirs = theirs[np.lexsort(theirs.T[::-1])]
    assert np.array_equal(theirs, ways["scree"]()), "both must find the same pairs"
    calls = {name: max(1, int(5e-3 / measure(way, 3)[0])) for name, way in ways.items()}
    times = {name: [] for name in ways}
    for k in range(asked.repeat):
        for name in sorted(ways, reverse=bool(k % 2)):
            time.sleep(2e-3)  # threads of the call before are asleep by now
            times[name].append(measure(ways[name], calls[name]))
    tree, ours = (np.array(times[name]) * 1e6 for name in ("cKDTree", "scree"))
    print(f"{n:7} {len(theirs):8}" + "".join(f" {np.median(tree[:, k]):10.1f} {np.median(ours[:, k]):10.1f} {np.median(ours[:, k] / tree[:, k]):7.2f}"
                                             for k in (1, 0)))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--counts", default="50,100,200,500,1000,2000,5000")
    options.add_argument("--repeat", type=int, default=31)
    options.add_argument("--density", type=float, default=0.3)
    options.add_argument("--dim", type=int, default=3, choices=(2, 3))
    options.add_argument("--threads", type=int, default=0)
    options.add_argument("--periodic", action="store_true")
    asked = options.parse_args()
    print(f"equal spheres at density {asked.density} in {asked.dim}D, {'periodic' if asked.periodic else 'open'}; microseconds for one call")
    print("  count    pairs  processor: tree   scree   ratio   wall: tree      scree   ratio")
    for n in asked.counts.split(","):
        compare(int(n), asked)


main()
