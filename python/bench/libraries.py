"""Searches of scree beside SciPy's cKDTree, ASE's neighbour lists and freud.

    /usr/bin/python3 python/bench/libraries.py [--rows tree,nearest,within,pairs,list,two] [--counts 1000,10000,100000,400000] [--repeat K] [--sizes equal,uniform-volume:1:50]

Random centres at density 0.3; equal spheres, and radii 1 to 50 of equal volume in each interval. All run in one process, on one thread, in turn, in changing order; a round makes
enough calls to take 5 ms; of calls that take more than a second there are three rounds. It prints Markdown: medians of processor time over the rounds with the least and the largest, and the ratio of neighbours in time. Peers that are not
installed are left out.

    tree      making a Tree of spheres (cKDTree of centres)
    nearest   the k nearest of all centres, in random order, by distance of surfaces (cKDTree.query: of centres)
    within    spheres that overlap each sphere (query_ball_point: centres within the sum of its radius and the largest one; for equal spheres the same)
    pairs     all overlaps of 10 to 5000 equal spheres, in the call alone (cKDTree of the centres and query_pairs as an array)
    list      neighbour_list "ijdS" with one cutoff, a diameter, in a periodic box (ASE neighbor_list, up to 100,000, above 20,000 one call: it takes 2 s for 10,000; freud AABBQuery, if it is there)
    two       one search of equal spheres on two threads, beside two of one thread at the same time, each in its own process: wall clock; needs two idle cores
"""
import argparse
import multiprocessing
import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import scree  # noqa: E402

try:
    from scipy.spatial import cKDTree
except ImportError:
    cKDTree = None
try:
    from ase import Atoms
    from ase.neighborlist import neighbor_list
except ImportError:
    Atoms = None
try:
    import freud
except ImportError:
    freud = None


def spheres(n, sizes):
    """Centres, radii and the side of the box."""
    r = np.full(n, 0.5) if sizes == "equal" else scree.sizes(sizes, n, sampling="random")
    side = (4 / 3 * np.pi * (r ** 3).sum() / 0.3) ** (1 / 3)
    return np.random.default_rng(1).random((n, 3)) * side, r, side


def one(call, calls, clock):
    begin = clock()
    for _ in range(calls):
        call()
    return (clock() - begin) / calls


def short(seconds):
    scale, unit = (1e6, "us") if seconds < 1e-3 else (1e3, "ms") if seconds < 1.0 else (1.0, "s")
    return f"{scale * seconds:.3g} {unit}"


def compare(name, ways, repeat, clock=time.process_time):
    """A row: `ways` are calls by the name of the library, scree first."""
    calls, slow = {}, 0.0
    for who, call in ways.items():
        call()  # warms up
        took = one(call, 1, time.perf_counter)
        calls[who], slow = max(1, int(5e-3 / max(took, 1e-7))), max(slow, took)
    times = {who: [] for who in ways}
    for k in range(repeat if slow < 1.0 else min(repeat, 3)):
        for who in sorted(ways, reverse=bool(k % 2)):
            times[who].append(one(ways[who], calls[who], clock))
    ours = np.array(times.pop("scree"))
    for who, theirs in times.items():
        ratios = ours / theirs
        print(f"| {name} | {short(np.median(ours))} ({short(min(ours))} to {short(max(ours))}) | {who} | {short(np.median(theirs))} ({short(min(theirs))} to {short(max(theirs))}) "
              f"| {np.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |", flush=True)
    if not times:
        print(f"| {name} | {short(np.median(ours))} ({short(min(ours))} to {short(max(ours))}) | | | |", flush=True)


def tree_rows(asked, n, sizes):
    x, r, _ = spheres(n, sizes)
    ways = {"scree": lambda: scree.Tree(x, r, threads=1)}
    if cKDTree:
        ways["cKDTree"] = lambda: cKDTree(x)
    compare(f"tree, {n}, {sizes}", ways, asked.repeat)


def nearest_rows(asked, n, sizes):
    x, r, _ = spheres(n, sizes)
    tree, points = scree.Tree(x, r, threads=1), cKDTree(x) if cKDTree else None
    for k in (1, 8, 32):
        ways = {"scree": lambda: tree.nearest(x, k)}
        if points:
            ways["cKDTree"] = lambda: points.query(x, k)
            if sizes == "equal":
                np.testing.assert_allclose(tree.nearest(x, k).value.reshape(n, k) + r[:, None], points.query(x, k)[0].reshape(n, k), atol=1e-9)
        compare(f"nearest {k}, {n}, {sizes}", ways, asked.repeat)


def within_rows(asked, n, sizes):
    x, r, _ = spheres(n, sizes)
    tree, points = scree.Tree(x, r, threads=1), cKDTree(x) if cKDTree else None
    ways = {"scree": lambda: tree.within(x, r)}
    if points:
        reach = r + r.max()
        ways["cKDTree"] = lambda: points.query_ball_point(x, reach)
    compare(f"within, {n}, {sizes}", ways, asked.repeat)


def pairs_rows(asked):
    for n in (10, 20, 50, 100, 200, 1000, 5000):
        x, r, _ = spheres(n, "equal")
        ways = {"scree": lambda: scree.pairs(x, r, threads=1)}
        if cKDTree:
            ways["cKDTree"] = lambda: cKDTree(x).query_pairs(1.0, output_type="ndarray")
            theirs = ways["cKDTree"]()
            assert np.array_equal(theirs[np.lexsort(theirs.T[::-1])], ways["scree"]()), "both must find the same pairs"
        compare(f"pairs, {n}, equal", ways, asked.repeat)


def list_rows(asked, n):
    x, _, side = spheres(n, "equal")
    cutoff, box = 1.0, (side,) * 3
    ways = {"scree": lambda: scree.neighbour_list("ijdS", x, cutoff, box, True, threads=1)}
    atoms = Atoms(positions=x, cell=box, pbc=True) if Atoms and n <= 100_000 else None
    if atoms and n <= 20_000:
        ways["ASE"] = lambda: neighbor_list("ijdS", atoms, cutoff)
    if atoms:
        begin = time.process_time()
        theirs = neighbor_list("ijdS", atoms, cutoff)
        took = time.process_time() - begin
        assert len(theirs[0]) == len(ways["scree"]()[0]), "both must find the same pairs"
        if "ASE" not in ways:
            ours = one(ways["scree"], 3, time.process_time)
            print(f"| list, {n}, equal | {short(ours)} | ASE, one call | {short(took)} | {ours / took:.4f} |", flush=True)
    if freud:
        ways["freud"] = lambda: freud.locality.AABBQuery(freud.box.Box.cube(side), x - 0.5 * side).query(x - 0.5 * side, dict(r_max=cutoff, exclude_ii=True)).toNeighborList()
    compare(f"list, {n}, equal", ways, asked.repeat)


def searcher(n, orders, times):
    """Searches when it is told to, and gives the time that it took; None ends it."""
    x, r, _ = spheres(n, "equal")
    scree.pairs(x, r, threads=1)
    times.put(None)
    while orders.get() is not None:
        begin = time.perf_counter()
        scree.pairs(x, r, threads=1)
        times.put(time.perf_counter() - begin)


def two_rows(asked, n):
    busy = os.getloadavg()[0]
    if os.cpu_count() < 2 or busy > 0.5:
        print(f"| two, {n}, equal | not judged: {os.cpu_count()} cores, load {busy:.2f} | | | |", flush=True)
        return
    x, r, _ = spheres(n, "equal")
    orders, times = [multiprocessing.Queue() for _ in range(2)], multiprocessing.Queue()
    helpers = [multiprocessing.Process(target=searcher, args=(n, order, times)) for order in orders]
    for helper in helpers:
        helper.start()
    for _ in helpers:
        times.get()

    def side_by_side():
        for order in orders:
            order.put(True)
        return max(times.get() for _ in orders)

    found = [[], []]
    for _ in range(max(asked.repeat, 5)):
        found[0].append(one(lambda: scree.pairs(x, r, threads=2), 1, time.perf_counter))
        found[1].append(side_by_side())
    for helper, order in zip(helpers, orders):
        order.put(None)
        helper.join()
    ours, theirs = map(np.array, found)
    ratios = 2 * ours / theirs
    print(f"| two, {n}, equal | {short(np.median(ours))} ({short(min(ours))} to {short(max(ours))}) | two searches side by side | {short(np.median(theirs))} "
          f"({short(min(theirs))} to {short(max(theirs))}) | {np.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) for each search |", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", default="tree,nearest,within,pairs,list,two")
    options.add_argument("--counts", default="1000,10000,100000,400000")
    options.add_argument("--repeat", type=int, default=9)
    options.add_argument("--sizes", default="equal,uniform-volume:1:50")
    asked = options.parse_args()
    counts = [int(n) for n in asked.counts.split(",")]
    print("| row, spheres, sizes | scree | peer | its time | ratio |\n|---|---|---|---|---|")
    for row in asked.rows.split(","):
        if row == "pairs":
            pairs_rows(asked)
        for n in counts if row != "pairs" else ():
            if row in ("list", "two"):
                (list_rows if row == "list" else two_rows)(asked, n)
            else:
                for sizes in asked.sizes.split(","):
                    {"tree": tree_rows, "nearest": nearest_rows, "within": within_rows}[row](asked, n, sizes)


if __name__ == "__main__":
    main()
