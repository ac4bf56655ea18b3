"""A gas of inelastic spheres cools: Haff's law.

    /usr/bin/python3 examples/python/cooling_gas.py [COUNT]

Without energy from outside, a dilute gas of spheres with restitution e, evenly spread, loses its energy as E(t) = E(0) / (1 + t / tau)^2.
Kinetic theory gives tau for hard spheres of diameter d and mass m at number density n, with k T(0) = m <v_x^2>:

    1 / tau = (1 - e^2) / 6 * omega,   omega = 4 n d^2 g sqrt(pi T(0) / m)      (collisions per sphere and time)

with g, the pair distribution at contact, by Carnahan and Starling.
"""
import sys

import numpy as np

import tutorial
import scree

count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
e, density, radius = 0.9, 0.05, 0.5

packing = scree.pack(f"mono:{radius}", count, density=density, periodic=True)
v = scree.thermal_velocities(packing.x, packing.r, temperature=1.0, material_density=6 / np.pi)  # mass 1: diameter 1
sim = scree.Simulation(packing.x, packing.r, v, packing.box, material_density=6 / np.pi, stiffness=1e5, restitution=e)

n = count / packing.box.volume
g = (1 - density / 2) / (1 - density) ** 3
omega = 4 * n * (2 * radius) ** 2 * g * np.sqrt(np.pi * 1.0)
tau = 6 / ((1 - e * e) * omega)
print(f"{count} spheres, density {density}, e = {e}: {omega:.3f} collisions per sphere and time, tau = {tau:.2f}")

# `callback` sees the simulation every so many steps; what it looks at changes no bit of the trajectory.
time, energy = [0.0], [sim.measure().energy_kinetic]


def look(sim):
    time.append(sim.time)
    energy.append(sim.measure().energy_kinetic)


steps = int(3 * tau / sim.numbers.time_step)
sim.advance(steps, every=max(1, steps // 30), callback=look)
time, energy = np.array(time), np.array(energy)

# 1 / sqrt(E) is a line in Haff's law: its slope gives tau.
line = np.sqrt(energy[0] / energy)
fitted = 1 / np.polyfit(time, line, 1)[0]
for t, found in list(zip(time, energy / energy[0]))[::6]:
    print(f"  t / tau = {t / tau:5.2f}: E / E(0) = {found:.4f}, Haff {1 / (1 + t / tau) ** 2:.4f}")
print(f"tau from the simulation: {fitted:.2f}, {100 * (fitted / tau - 1):+.1f} % from kinetic theory; hash {sim.hash}")

plt = tutorial.pyplot()
if plt:
    figure, axes = plt.subplots(figsize=(6, 4.5))
    axes.loglog(1 + time / tau, energy / energy[0], "o", ms=4, label="simulation")
    axes.loglog(1 + time / tau, (1 + time / tau) ** -2, "k-", lw=1, label="Haff")
    axes.set_xlabel("1 + t / tau")
    axes.set_ylabel("E / E(0)")
    axes.legend()
    tutorial.save(figure, "cooling.png")
