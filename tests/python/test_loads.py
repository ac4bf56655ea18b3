"""Loads from Python: functions of time, groups, servos, and a call every k steps, against closed forms and against runs without them."""
import unittest

import numpy as np

import scree


def one(**options):
    """A sphere that falls."""
    return scree.Simulation([[0.5, 0.5, 0.5]], 0.1, gravity=(0, 0, -10), stiffness=100, time_step=1e-3, **options)


class Loads(unittest.TestCase):
    def test_ramp_of_gravity(self):
        sim = one()
        sim.gravity = (0, 0, 0)
        sim.set_load("gravity", value=scree.ramp((0, 0, 0), (0, 0, -6), 0.5))
        sim.run(400)
        t = sim.time
        self.assertAlmostEqual(sim.x[0, 2], 0.5 - 6 * t ** 3 / (6 * 0.5), places=5)

    def test_table_and_sine_of_walls(self):
        sim = scree.Simulation([[0.5, 0.5, 0.5]], 0.1, box=(1, 1, 1), stiffness=100, time_step=1e-3)
        sim.set_load("boundary path", "lower z", scree.sine((0, 0, 0.01), 2))
        sim.set_load("boundary path", "upper x", scree.table([0, 0.1, 0.3], [[0, 0, 0], [0.05, 0, 0], [0, 0, 0]]))
        sim.run(200)
        self.assertAlmostEqual(sim.box.lower[2], 0.01 * np.sin(2 * np.pi * 2 * 0.2), places=12)
        self.assertAlmostEqual(sim.box.upper[0], 1.025, places=12)
        with self.assertRaises(scree.ArgumentError):
            sim.set_load("boundary path", "front", 0.0)
        with self.assertRaises(scree.ArgumentError):
            sim.set_load("gravity", value=scree.sine((1, 2), 3))
        with self.assertRaises(scree.ArgumentError):
            scree.table([0, 1], [1, 2, 3])

    def test_drag_and_servo(self):
        sim = one(energies=True)
        sim.set_load("drag", value=(0, 2.0, 0))
        sim.run(3000)
        self.assertAlmostEqual(sim.v[0, 2], -5.0 * (1 - np.exp(-6.0)), places=4)
        report = sim.measure()
        self.assertAlmostEqual(report.energy_kinetic + report.dissipated_drag, report.work_gravity, places=4)
        press = scree.Simulation([[0.1, 0.1, 0.1 + 0.2 * k] for k in range(5)], 0.1, box=(0.2, 0.2, 1.02), material_density=1000, stiffness=1e4, restitution=0.5)
        press.set_load("servo force", "upper z", 30.0, speed=0.2)
        press.run(5000)
        self.assertAlmostEqual(press.boundaries()[5]["force"][2], 30.0, delta=0.3)

    def test_groups(self):
        sim = scree.Simulation([[0, 0, 0], [0, 0, 1.0]], 0.1, stiffness=100, time_step=1e-3, group=[0, 1], friction=0.1)
        sim.drive(1, velocity=(0, 0, 0.5), spin=scree.ramp((0, 0, 0), (0, 0, 1), 1.0))
        sim.run(500)
        self.assertAlmostEqual(sim.x[1, 2], 1.25, places=12)
        self.assertAlmostEqual(sim.w[1, 2], 0.5, places=12)
        self.assertEqual([group["held"] for group in sim.groups()], [0, 1])
        sim.freeze(1)
        sim.run(100)
        self.assertAlmostEqual(sim.x[1, 2], 1.25, places=12)
        self.assertEqual(sim.w[1, 2], 0.0)
        sim.release(1)
        sim.gravity = (0, 0, -10)
        sim.run(100)
        self.assertAlmostEqual(sim.x[1, 2], 1.25 - 0.05, places=9)

    def test_state_in_the_middle(self):
        def begin():
            return scree.Simulation(np.mgrid[0:4, 0:4, 0:4].reshape(3, -1).T * 0.22 + 0.15, 0.1, box=(1, 1, 1), gravity=(0, 0, -1), stiffness=100, restitution=0.8, friction=0.2)
        first, second = begin(), begin()
        first.set_load("boundary path", "lower z", scree.sine((0, 0, 0.02), 1))
        first.set_load("servo force", "upper z", 0.1, speed=0.5)
        first.run(300)
        first.set_load("force", 0, scree.ramp((0, 0, 0), (0.01, 0, 0), 1.0))
        first.run(100)
        second.set_state(first.state())
        first.run(300)
        second.run(300)
        self.assertEqual(first.hash, second.hash)

    def test_call(self):
        plain, watched, seen = one(), one(), []
        plain.run(100)
        watched.run(100, every=30, call=lambda sim: seen.append(sim.steps))
        self.assertEqual(seen, [30, 60, 90, 100])
        self.assertEqual(plain.hash, watched.hash)
        watched.run(100, every=10, call=lambda sim: sim.steps < 120)
        self.assertEqual(watched.steps, 120)

        def fail(sim):
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            watched.run(100, every=5, call=fail)
        self.assertEqual(watched.steps, 125)
        watched.run(75)
        plain.run(100)
        self.assertEqual(plain.hash, watched.hash)


if __name__ == "__main__":
    unittest.main()
