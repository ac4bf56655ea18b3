"""External forces on single spheres as arrays to be written to, and arrays that nobody can write to by mistake: properties that are copies are read-only."""
import numpy as np
import pytest

import scree


def few(n=3, dim=3, **options):
    x = np.zeros((n, dim))
    x[:, 0] = 2.0 * np.arange(n)
    return scree.Simulation(x, 0.5, **{"stiffness": 100, "time_step": 1e-3, **options})


def masses(sim):
    return 1 / sim.column("inverse_mass")


def pressed(rng, **options):
    """Spheres that lie on a floor with friction."""
    x = np.stack(np.meshgrid(*[np.arange(5)] * 2, np.arange(3), indexing="ij"), -1).reshape(-1, 3)[:60] * 1.05 + 0.52
    x[:, 0] += 0.1 * (x[:, 2] > 1)
    sim = scree.Simulation(x, rng.uniform(0.45, 0.5, 60), box=(5.4, 5.4, 10), gravity=(0, 0, -5), stiffness=1e3, restitution=0.2, friction=0.5, energies=True, **options)
    sim.step(1000)
    return sim


def test_they_act_until_they_are_changed():
    for dim in (2, 3):
        sim = few(dim=dim, friction=0.1, energies=True)
        forces = sim.external_force
        assert forces.shape == (3, dim) and not forces.any() and "own_force" not in sim.columns
        sim.step()
        assert "own_force" not in sim.columns  # nothing was written
        forces[1, 1] = 0.5
        sim.step(100)
        sim.step(100)
        np.testing.assert_allclose(sim.v[:, 1] * masses(sim), [0, 0.1, 0], rtol=1e-12, atol=0)
        assert sim.external_force is forces
        sim.external_force = 0
        sim.external_torque = np.array([0.0, 0, 1]) if dim == 2 else [[0, 0, 0], [0, 0, 0], [0, 0, 1.0]]
        sim.step(100)
        np.testing.assert_allclose(sim.v[:, 1] * masses(sim), [0, 0.1, 0], rtol=1e-12, atol=0)
        spin = sim.w if dim == 2 else sim.w[:, 2]
        np.testing.assert_allclose(spin / sim.column("inverse_inertia"), [0, 0, 0.1], rtol=1e-12)
        report = sim.measure()
        assert abs(report.energy_kinetic + report.energy_rotation - report.work_forces) < 1e-12
        with pytest.raises(scree.ArgumentError, match=r"external_force has the shape \(4, 5\); expected \(3, [23]\)"):
            sim.external_force = np.zeros((4, 5))
        forces[2, 0] = np.nan
        with pytest.raises(scree.ArgumentError, match="sphere 2.*nan.*x"):
            sim.step()
    with pytest.raises(scree.ArgumentError, match="friction"):
        few().external_torque


def test_forces_of_the_constructor_and_of_groups():
    sim = few(force=np.array([[1.0, 0, 0], [2, 0, 0], [3, 0, 0]]), group=[0, 1, 1])
    sim.set_group_force(1, (0.5, 0, 0))  # takes the place of the constructor's
    np.testing.assert_array_equal(sim.external_force[:, 0], [1, 0, 0])
    sim.external_force += 4
    np.testing.assert_allclose(sim.a[:, 0] * masses(sim), [5, 4.5, 4.5], rtol=1e-14)
    sim.set_load("force", 0, scree.sine((0.2, 0, 0), 5.0))
    sim.step(30)
    np.testing.assert_allclose(sim.a[:, 0] * masses(sim), [5 + 0.2 * np.sin(2 * np.pi * 5 * 0.03), 4.5, 4.5], rtol=1e-12)


def test_springs_by_a_callback():
    """A spring to the origin, computed before each step. The force is constant within a step: with that of its middle the error is of second order, with that of its beginning of first order."""
    k, m, errors = 4.0, float(masses(few(1))[0]), {}
    period = 2 * np.pi * np.sqrt(m / k)
    for share in (0.0, 0.5):
        for steps in (1000, 2000):
            sim = few(1, stiffness=1e3, time_step=period / steps)
            sim.x = [[0.3, 0, 0]]

            def pull(now):
                now.external_force[:] = -k * (now.x + share * sim.numbers.time_step * now.v)

            pull(sim)
            sim.advance(steps, every=1, callback=pull)
            errors[share, steps] = abs(sim.x[0, 0] - 0.3) + abs(sim.v[0, 0]) * np.sqrt(m / k)
    assert errors[0.5, 1000] < 1e-5 and errors[0.5, 2000] < 0.3 * errors[0.5, 1000]
    assert 0.4 * errors[0.0, 1000] < errors[0.0, 2000] < 0.6 * errors[0.0, 1000]


def test_states_and_checkpoints_have_them(tmp_path):
    def push(sim, turn):
        sim.external_force[:] = 0.05 * np.sin(np.arange(180).reshape(60, 3) + turn)
        sim.external_torque[:, 2] = 0.01 * np.cos(np.arange(60) + turn)

    for way in ("state", "file"):
        first, second = pressed(np.random.default_rng(5)), pressed(np.random.default_rng(5))
        push(first, 1)
        push(second, 1)
        held, turned = second.external_force, second.external_torque
        if way == "state":
            saved = first.state()
            second.step(10)
            second.set_state(saved)
        else:
            first.save(tmp_path / "c.npz")
            push(second, 3)
            second.step(10)
            second.load(tmp_path / "c.npz")
        np.testing.assert_array_equal(held, first.external_force)
        np.testing.assert_array_equal(turned, first.external_torque)
        assert second.external_force is held
        for sim in (first, second):
            sim.step(50)
            push(sim, 2)
            sim.step(50)
        assert first.hash == second.hash and first.memory() == second.memory() and len(first.memory()) > 20
        assert first.measure().work_forces == second.measure().work_forces != 0


def test_earlier_states_have_none(tmp_path):
    """Back to a time when there were no external forces."""
    sim = few(friction=0.1)
    sim.step(3)
    begin, wanted = sim.state(), few(friction=0.1)
    sim.save(tmp_path / "begin.npz")
    wanted.step(13)
    for back in (lambda: sim.set_state(begin), lambda: sim.load(tmp_path / "begin.npz")):
        sim.external_force[1] = 1, 2, 3
        sim.external_torque[2, 2] = 5
        sim.set_group_force(0, (0.5, 0, 0))
        sim.step(5)
        back()
        assert not sim.external_force.any() and not sim.external_torque.any() and not sim.a.any()
        sim.step(10)
        assert sim.hash == wanted.hash


def test_contacts_keep_their_memory():
    sim, plain = pressed(np.random.default_rng(9)), pressed(np.random.default_rng(9))
    before = sim.memory()
    for turn in range(20):
        sim.external_force[:] = 1e-12 * turn
        sim.step()
        plain.step()
    now, wanted = sim.memory(), plain.memory()
    assert "own_force" in sim.columns and len(before) > 50 and np.abs(wanted.values).max() > 1e-5
    np.testing.assert_array_equal(now.ij, wanted.ij)
    np.testing.assert_allclose(now.values, wanted.values, rtol=0, atol=1e-10)
    assert sim.measure().rebuilds == plain.measure().rebuilds


def test_other_spheres_have_other_arrays():
    sim = few(friction=0.1)
    old, turned = sim.external_force, sim.external_torque
    old[1, 0] = 5.0
    new = sim.insert([[20.0, 0, 0]], 0.5, force=[[0, 7.0, 0]])
    np.testing.assert_array_equal(sim.external_force, [[0, 0, 0], [5, 0, 0], [0, 0, 0], [0, 7, 0]])
    for array in (old, turned):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    now = sim.external_force
    sim.remove([0])
    with pytest.raises(ValueError, match="read-only"):
        now[0] = 1
    np.testing.assert_array_equal(sim.external_force, [[5, 0, 0], [0, 0, 0], [0, 7, 0]])
    assert sim.id.tolist() == [1, 2, *new]
    gone = scree.Simulation([[0, 0, 0.5], [3, 0, 0.5]], 0.1, [(0, 0, -5), (0, 0, 0)], stiffness=1, time_step=1e-3,
                            surfaces=[dict(plane=dict(normal=(0, 0, 1)), on_crossing="remove")])
    held = gone.external_force
    held[1, 0] = 2.0
    gone.step(200)
    assert len(gone) == 1 and gone.external_force.tolist() == [[2, 0, 0]]
    with pytest.raises(ValueError, match="read-only"):
        held[0] = 1


def test_copies_are_read_only():
    sim = few(friction=0.1)
    hard = scree.HardSpheres([[1.0, 1, 1], [3, 1, 1]], 0.5, [[1.0, 0, 0], [0, 0, 1]], box=(4, 4, 4))
    box = sim.box
    index = scree.Index((4, 4, 4))
    found = [(sim, ("x", "v", "w", "a", "r", "id", "torque", "material", "gravity")), (hard, ("x", "v", "r")), (box, ("size", "cell")), (index, ("user",))]
    square = scree.Polygon([[0, 0], [1, 0], [1, 1], [0, 1]])
    bodies = scree.PolygonSimulation([scree.Body(square)], stiffness=1e4)
    found += [(bodies, ("x", "v", "angle", "spin", "gravity", "fixed")), (square, ("centre", "xy"))]
    for one, names in found:
        for name in names:
            with pytest.raises(ValueError, match="read-only"):
                getattr(one, name)[...] = 1
    sim.x = sim.x + 1.0
    assert sim.spheres.x.flags.writeable and hard.spheres.x.flags.writeable and sim.column("x").flags.writeable


def test_a_callback_stops_with_any_false():
    for false in (False, np.False_, np.array([1.0])[0] > 2):
        sim, told = few(), []
        sim.advance(10, every=2, callback=lambda now: told.append(now.steps) or false)
        assert sim.steps == 2 and told == [2]
        sim = few(progress=lambda done: false)
        with pytest.raises(scree.CancelledError):
            sim.advance(100000)
    for other in (None, 0, True, np.True_, []):
        sim = few()
        sim.advance(10, every=2, callback=lambda now: other)
        assert sim.steps == 10
