"""scree.pairs beside the C calls that it makes.

    /usr/bin/python3 python/bench/pairs.py [--count N] [--repeat K] [--law LAW] [--density NU] [--threads T] [--periodic]

Both run in one process, in turn, in changing order; medians of wall clock and of processor time, and the median of the ratios of neighbours.
The C side is scree_index_create, _update, _pairs (sorted) and _destroy on the same arrays, with the pairs left in the index' memory and no watch;
scree.pairs also checks and describes the arrays, watches for Ctrl-C, and copies the pairs into an array of Python's.
"""
import argparse
import ctypes
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import scree  # noqa: E402
from scree import _abi  # noqa: E402
from scree._arrays import box_for, spheres  # noqa: E402
from scree._library import check, lib  # noqa: E402


def c_call(x, r, box, threads):
    definition, index, found = lib.scree_default_index_def(), ctypes.c_void_p(), _abi.scree_pairs()
    definition.box, definition.sorted, definition.skin, definition.threads = box, True, -1.0, threads
    check(lib.scree_index_create(ctypes.byref(definition), ctypes.byref(index)))
    check(lib.scree_index_update(index, spheres(x, r)))
    check(lib.scree_index_pairs(index, ctypes.byref(found)))
    lib.scree_index_destroy(index)
    return found.count


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=1_000_000)
    options.add_argument("--repeat", type=int, default=15)
    options.add_argument("--law", default="uniform-size:1:2")
    options.add_argument("--density", type=float, default=0.3)
    options.add_argument("--threads", type=int, default=0)
    options.add_argument("--periodic", action="store_true")
    asked = options.parse_args()
    r = scree.sizes(asked.law, asked.count, sampling="random")
    side = (4 / 3 * np.pi * (r ** 3).sum() / asked.density) ** (1 / 3)
    x = np.random.default_rng(1).random((asked.count, 3)) * side
    given = dict(box=[side] * 3, periodic=asked.periodic)
    box = box_for(given["box"], asked.periodic, 3)._struct()
    ways = {"C": lambda: c_call(x, r, box, asked.threads), "Python": lambda: len(scree.pairs(x, r, **given, threads=asked.threads))}
    times = {name: [] for name in ways}
    for k in range(asked.repeat + 1):  # the first round warms up
        for name in sorted(ways, reverse=bool(k % 2)):
            wall, used = time.perf_counter(), time.process_time()
            count = ways[name]()
            times[name].append((time.perf_counter() - wall, time.process_time() - used))
    c, python = (np.array(times[name][1:]) for name in ("C", "Python"))
    print(f"{asked.count} spheres, {asked.law}, {count} pairs, {'periodic' if asked.periodic else 'walls'}, {asked.repeat} rounds")
    for k, kind in enumerate(("wall", "processor")):
        print(f"  {kind:9}  C {1e3 * np.median(c[:, k]):8.1f} ms  Python {1e3 * np.median(python[:, k]):8.1f} ms  "
              f"ratio {np.median(python[:, k] / c[:, k]):.3f}  ({1e3 * np.median(python[:, k] - c[:, k]):+.1f} ms)")


main()
