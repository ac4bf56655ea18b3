"""A study in one call: how high a sphere bounces, over its coefficient of restitution.

    /usr/bin/python3 examples/python/restitution_study.py [COUNT]

A sphere falls on a floor; after the first impact it rises to e^2 times its height. `scree.sweep` runs the scene for COUNT values of e, side by side,
and each run leaves its log and frames, which `scree.Run` reads. The same call goes on with a study that was stopped.
"""
import sys

import numpy as np

import tutorial
import scree

count = int(sys.argv[1]) if len(sys.argv) > 1 else 5

scene = {"dimension": 2, "box": {"size": [1, 2]}, "gravity": [0, -10],
         "spheres": {"count": 1, "sizes": "mono:0.05", "place": "lattice", "material_density": 1000},
         "contact": {"duration": 1e-3, "restitution": 0.5}, "time": {"step": 2e-6, "end": 1.0},
         "output": {"every": 0.1, "log_every_steps": 500}}
study = scree.sweep(scene, over={"contact.restitution": np.linspace(0.5, 0.9, count).round(3)}, folder=tutorial.FOLDER / "bounces", want=["energy"])

worst = 0.0
for row, e in enumerate(study["contact.restitution"]):
    log = study.run(row).log
    height = log["energy_gravity"] - log["energy_gravity"].min()  # times the weight, above the floor
    impact = np.flatnonzero(log["wall_contacts"] > 0)[0]
    found = height[impact:].max() / height[0]
    worst = max(worst, abs(found / e ** 2 - 1))
    print(f"  e = {e:.3f}: rises to {found:.4f} of its height, e^2 = {e * e:.4f}")
print(f"{study.rows} runs, {study.failed} failed; largest difference from e^2: {100 * worst:.2f} %")

plt = tutorial.pyplot()
if plt:
    figure, axes = plt.subplots(figsize=(6, 4.5))
    for row, e in enumerate(study["contact.restitution"]):
        log = study.run(row).log
        axes.plot(log["time"], log["energy_gravity"] / log["energy_gravity"][0], label=f"e = {e:g}")
    axes.set_xlabel("time")
    axes.set_ylabel("height over its first value")
    axes.legend()
    tutorial.save(figure, "bounces.png")
