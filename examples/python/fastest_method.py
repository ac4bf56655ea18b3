"""Which method is fastest for your sizes?

    /usr/bin/python3 examples/python/fastest_method.py [COUNT] [LAW ...]

Searches sets of spheres of several size distributions with every method and prints the median time; "auto" decides by counted work, without a clock.
All spheres are somewhere else in each round: verlet-list and linear-list, which live on spheres that move a little, get no help. Give your own law: examples/python/fastest_method.py 100000 uniform-volume:1:50
"""
import sys
import time

import numpy as np

import tutorial
import scree

count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
laws = sys.argv[2:] or ["mono:1", "uniform-size:1:5", "uniform-volume:1:50"]
repeats = 3
methods = [method for method in scree.METHODS[1:] if count <= 20000 or method not in ("all-pairs", "verlet-list")]

rows = {}
for law in laws:
    r = scree.sizes(law, count, sampling="random")
    # Points spread evenly, spheres about them: a quarter of the space is filled, overlaps and all.
    side = (4 / 3 * np.pi * (r ** 3).sum() / 0.25) ** (1 / 3)
    rng = np.random.default_rng(1)
    indices = {method: scree.Index([side] * 3, True, method=method, skin=-1) for method in methods}  # no list: a new search each time
    seconds = {method: [] for method in methods}
    for _ in range(repeats + 1):  # the first one warms up
        x, answers = rng.random((count, 3)) * side, set()
        for method, index in indices.items():
            began = time.perf_counter()
            index.update(x, r)
            pairs = index.pairs(images=True)[0]
            seconds[method].append(time.perf_counter() - began)
            answers.add(pairs.tobytes())
        assert len(answers) == 1, "all methods give the same pairs"
    rows[law] = {method: float(np.median(times[1:])) for method, times in seconds.items()}
    auto = scree.Index([side] * 3, True, skin=-1)
    auto.update(x, r)
    fastest = min(rows[law], key=rows[law].get)
    print(f"{law}: {count} spheres, {len(pairs)} pairs; fastest here: {fastest}; auto takes {auto.method}")
    for method, value in sorted(rows[law].items(), key=lambda row: row[1]):
        print(f"  {method:18} {1e9 * value / count:8.0f} ns per sphere")

plt = tutorial.pyplot()
if plt:
    figure, axes = plt.subplots(figsize=(7, 4.5))
    width = 0.8 / len(methods)
    for k, method in enumerate(methods):
        axes.bar(np.arange(len(laws)) + k * width, [1e9 * rows[law][method] / count for law in laws], width, label=method)
    axes.set_yscale("log")
    axes.set_xticks(np.arange(len(laws)) + 0.4, laws)
    axes.set_ylabel("ns per sphere")
    axes.legend(fontsize=7)
    tutorial.save(figure, "fastest.png")
