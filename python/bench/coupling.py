"""What external forces cost that are set before each step, and what a callback at every step costs: coupling.py [--side 30] [--steps 40] [--repeat 12]. side^3 spheres in a periodic box, pressed against each other, one thread; three simulations take
turns: a plain one that makes one step per call, one whose external_force is written before each step, and one that makes all steps in one call. It prints Markdown: CPU time per step, medians with the least
and the largest, and the ratio of the second to the first, of neighbours in time."""
import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import scree  # noqa: E402


def measure(side, steps, repeat, friction):
    rng = np.random.default_rng(1)
    x = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    r, v = rng.uniform(0.48, 0.52, len(x)), rng.normal(0, 0.1, x.shape)
    law = dict(friction=friction) if friction else {}
    plain, pushed, whole = (scree.Simulation(x, r, v, box=(side,) * 3, periodic=True, stiffness=1e3, restitution=0.7, threads=1, **law) for _ in range(3))
    forces, values = pushed.external_force, [1e-4 * rng.normal(size=x.shape) for _ in range(2)]
    for sim in (plain, pushed, whole):
        sim.step(50)

    def step_plain(k):
        plain.step()

    def step_pushed(k):
        forces[:] = values[k % 2]
        pushed.step()

    times = [[], [], []]
    for _ in range(repeat):
        for found, step in zip(times, (step_plain, step_pushed)):
            begin = time.process_time()
            for k in range(steps):
                step(k)
            found.append((time.process_time() - begin) / steps)
        begin = time.process_time()
        whole.step(steps)
        times[2].append((time.process_time() - begin) / steps)
    shown = [f"{1e6 * np.median(one):.0f} ({1e6 * min(one):.0f} to {1e6 * max(one):.0f})" for one in times]
    ratios = np.array(times[1]) / np.array(times[0])
    print(f"| {len(x)} | {friction:g} | {shown[2]} | {shown[0]} | {shown[1]} | {np.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |", flush=True)


def callbacks(repeat, steps=2000):
    """Of 200 spheres: steps in one call, and with a callback after each."""
    rng = np.random.default_rng(1)
    x = np.stack(np.meshgrid(*[np.arange(6)] * 3, indexing="ij"), -1).reshape(-1, 3)[:200] + 0.5
    r, v = rng.uniform(0.48, 0.52, len(x)), rng.normal(0, 0.1, x.shape)
    plain, called = (scree.Simulation(x, r, v, box=(6, 6, 6), periodic=True, stiffness=1e3, restitution=0.7, threads=1) for _ in range(2))
    times = [[], []]
    for _ in range(repeat + 1):  # the first round warms up
        for found, advance in zip(times, (lambda: plain.advance(steps), lambda: called.advance(steps, every=1, callback=lambda sim: None))):
            begin = time.process_time()
            advance()
            found.append((time.process_time() - begin) / steps)
    shown = [f"{1e6 * np.median(one[1:]):.1f} ({1e6 * min(one[1:]):.1f} to {1e6 * max(one[1:]):.1f})" for one in times]
    more = 1e6 * (np.array(times[1][1:]) - np.array(times[0][1:]))
    print(f"| {len(x)} | {shown[0]} | {shown[1]} | {np.median(more):.1f} ({min(more):.1f} to {max(more):.1f}) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--side", type=int, default=30)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--repeat", type=int, default=12)
    options = parser.parse_args()
    print("| spheres | friction | us per step, in one call | one step per call | with external forces | ratio |\n|---|---|---|---|---|---|")
    for friction in (0.0, 0.5):
        measure(options.side, options.steps, options.repeat, friction)
    print("\n| spheres | us per step, in one call | with a callback at every step | it adds |\n|---|---|---|---|")
    callbacks(options.repeat)


main()
