"""scree.Simulation: against closed forms, against itself by other ways, and its arrays."""
import json
import math
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scree
from conftest import ROOT

GAS = dict(stiffness=1e3, restitution=0.9)


def gas(rng, n=200, dim=3, **more):
    packing = scree.pack("uniform-size:0.5:1", n, density=0.2, dim=dim, periodic=True, seed=int(rng.integers(1, 1000)))
    v = scree.thermal_velocities(packing.x, packing.r, 1e-2)
    return scree.Simulation(packing.x, packing.r, v, packing.box, **{**GAS, **more}), packing


def test_free_fall():
    sim = scree.Simulation([[0.0, 5.0]], 0.1, [[1.0, 0.0]], gravity=(0, -2.0), stiffness=1.0, time_step=1e-3)
    sim.step(500)
    np.testing.assert_allclose(sim.x, [[0.5, 5.0 - 0.25]], rtol=1e-12)
    np.testing.assert_allclose(sim.v, [[1.0, -1.0]], rtol=1e-12)
    assert sim.steps == 500 and sim.time == pytest.approx(0.5) and sim.numbers.time_step == 1e-3


def test_bounce_has_its_restitution():
    sim = scree.Simulation([[0, 0, 0], [2.05, 0, 0]], 1.0, [[1, 0, 0], [-1, 0, 0]], stiffness=1e4, restitution=0.7)
    duration = sim.numbers.contact_duration
    sim.step(int(0.025 / sim.numbers.time_step + 2 * duration / sim.numbers.time_step))
    np.testing.assert_allclose(sim.v[:, 0], [-0.7, 0.7], rtol=2e-3)
    assert not len(sim.contacts())


def test_same_bits_for_threads_methods_and_looks(rng):
    seed = rng.integers(1000)
    hashes = set()
    for more in ({"threads": 1}, {"threads": 3}, {"method": "all-pairs"}, {"method": "loose-octree", "skin": -1.0}):
        sim, _ = gas(np.random.default_rng(seed), **more)
        if more == {"threads": 3}:
            sim.advance(300, every=17, callback=lambda s: (s.x, s.contacts(), s.measure()) and None)
        else:
            sim.advance(300)
        hashes.add(sim.hash)
    assert len(hashes) == 1


def test_contacts_are_pairs_and_carry_the_forces(rng):
    # A dense packing, swollen a little. Without damping forces do not depend on velocities, which are predicted within a step.
    packing = scree.pack("uniform-size:0.5:1", 200, "rearrange", periodic=True, tolerance=1e-2, seed=int(rng.integers(1, 1000)))
    v = rng.normal(scale=0.1, size=packing.x.shape)
    sim = scree.Simulation(packing.x, 1.02 * packing.r, v, packing.box, stiffness=1e3)
    sim.step(50)
    x, r, box = sim.x, sim.r, sim.box
    contacts = sim.contacts()
    ij, shift = scree.pairs(x, r, box, images=True)
    assert len(contacts) == len(ij) == contacts.pair_count == sim.measure().contacts > 100
    np.testing.assert_array_equal(contacts.ij, ij)
    np.testing.assert_array_equal(contacts.shift, shift)
    d = x[contacts.ij[:, 0]] - x[contacts.ij[:, 1]]
    d -= shift * box.size
    length = np.sqrt((d * d).sum(1))
    np.testing.assert_allclose(contacts.overlap, r[ij[:, 0]] + r[ij[:, 1]] - length, rtol=0, atol=1e-12)
    np.testing.assert_allclose(contacts.normal, d / length[:, None], atol=1e-12)
    total = np.zeros_like(x)
    np.add.at(total, contacts.ij[:, 0], contacts.force)
    np.add.at(total, contacts.ij[:, 1], -contacts.force)
    mass = 4 / 3 * np.pi * r ** 3
    np.testing.assert_allclose(sim.a * mass[:, None], total, atol=1e-9 * np.abs(contacts.force).max())


@pytest.mark.parametrize("dim", (2, 3))
def test_stress_is_that_of_motion_and_contacts(rng, dim):
    packing = scree.pack("uniform-size:0.5:1", 300, density=0.2, dim=dim, periodic=True, seed=int(rng.integers(1, 1000)))
    r = 1.2 * packing.r  # so that many touch
    sim = scree.Simulation(packing.x, r, rng.normal(scale=0.1, size=packing.x.shape), packing.box, stiffness=1e3)
    sim.advance(20)
    reported, v, contacts = sim.measure(), sim.v, sim.contacts()
    volume = np.prod(packing.box.size)
    mass = np.pi * r ** 2 if dim == 2 else 4 / 3 * np.pi * r ** 3
    v = v - mass @ v / mass.sum()
    assert reported.kinetic_stress.shape == reported.contact_stress.shape == (dim, dim) and len(contacts) > 20
    np.testing.assert_allclose(reported.kinetic_stress, (mass * v.T) @ v / volume, rtol=0, atol=1e-12 * reported.pressure)
    d = contacts.normal * (r[contacts.ij].sum(1) - contacts.overlap)[:, None]
    np.testing.assert_allclose(reported.contact_stress, contacts.force.T @ d / volume, rtol=0, atol=1e-10 * reported.pressure)
    assert np.isclose(np.trace(reported.kinetic_stress + reported.contact_stress) / dim, reported.pressure, rtol=1e-12)
    assert reported == sim.measure()


def test_walls_as_contacts():
    sim = scree.Simulation([[1.0, 0.95]], 1.0, box=(4, 4), stiffness=1.0, time_step=1e-3)
    contacts = sim.contacts()
    assert contacts.ij.tolist() == [[0, -3]] and contacts.pair_count == 0
    np.testing.assert_allclose(contacts.overlap, [0.05])
    np.testing.assert_allclose(contacts.force, [[0, 0.05]], atol=1e-15)


@pytest.mark.parametrize("integrator", ["velocity-verlet", "position-verlet"])
def test_state_goes_on_bit_for_bit(rng, tmp_path, integrator):
    seed = rng.integers(1000)
    sim, _ = gas(np.random.default_rng(seed), integrator=integrator)
    assert sim.integrator == integrator
    sim.step(137)
    state, saved = sim.state(), tmp_path / "sim.npz"
    sim.save(saved)
    sim.step(200)
    for way in ("state", "file"):
        other, _ = gas(np.random.default_rng(seed), method="linked-cells", integrator=integrator)
        other.set_state(state) if way == "state" else other.load(saved)
        assert other.steps == 137
        other.step(200)
        assert other.hash == sim.hash
    wrong, _ = gas(np.random.default_rng(seed), integrator="velocity-verlet" if integrator == "position-verlet" else "position-verlet")
    with pytest.raises(scree.ArgumentError, match="position-verlet"):
        wrong.load(saved)
    small, _ = gas(np.random.default_rng(seed), n=100, integrator=integrator)
    with pytest.raises(scree.ArgumentError):
        small.load(saved)
    with pytest.raises(scree.ArgumentError, match="shape"):
        small.set_state(state)


def row(**more):
    """Two by two spheres in a periodic box so narrow that they touch on both sides, between walls along z, one of them fixed."""
    rng = np.random.default_rng(3)
    x = np.array([[0.5, 0.5, 0.5], [1.46, 0.5, 0.5], [0.5, 1.46, 0.5], [1.46, 1.46, 0.5]]) + rng.normal(scale=0.003, size=(4, 3))
    v = rng.normal(scale=0.5, size=(4, 3)) * [[1], [0], [1], [1]]
    return scree.Simulation(x, 0.5, v, (1.93, 1.93, 1.0), "xy", fixed=[0, 1, 0, 0], stiffness=300.0, restitution=0.8, order_every=7,
                            **{"law": "record", "threads": 1, **more})


def test_a_law_has_parameters_of_its_own():
    def parting(**more):  # to a gap of 0.1
        sim = scree.Simulation([[1.0, 1.0, 1.0], [1.99, 1.0, 1.0]], 0.5, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], (4.0, 4.0, 4.0), law="record", stiffness=100.0, time_step=1e-3, threads=1, **more)
        sim.run(95)
        return len(sim.contacts())

    assert parting() == parting(reach=0.05) == 0 and parting(reach=0.3) == 1
    with pytest.raises(scree.ArgumentError, match="reach of 2"):
        row(reach=2.0)
    with pytest.raises(TypeError, match="reach"):
        row(law="linear", reach=0.1)


def test_contacts_remember(tmp_path):
    sim, age = row(), {}
    assert sim.law == "record" and sim.memory().values.shape[1] == 3
    for _ in range(120):  # against a plain record of who has touched for how long, and how deep
        sim.step()
        c = sim.contacts()
        now = {(*ij, *shift): overlap for ij, shift, overlap in zip(c.ij.tolist(), c.shift.tolist(), c.overlap)}
        age = {key: (age.get(key, (0, 0.0))[0] + 1, age.get(key, (0, 0.0))[1] + now[key]) for key in now}
    found = sim.memory()
    assert len(found) == len(c) > len({tuple(ij) for ij in c.ij.tolist()}) and (c.ij[:, 1] < 0).any()
    for name in ("ij", "shift"):
        np.testing.assert_array_equal(getattr(found, name), getattr(c, name))
    np.testing.assert_array_equal(found.values, c.memory)
    np.testing.assert_array_equal(found.values[:, 0], [value[0] for value in age.values()])
    np.testing.assert_allclose(found.values[:, 1], [value[1] for value in age.values()], rtol=1e-9)
    assert len({value[0] for value in age.values()}) > 1
    # It goes on from a state and from a file, with the other backend.
    state, saved = sim.state(), tmp_path / "sim.npz"
    sim.save(saved)
    with np.load(saved) as arrays:
        assert arrays["contact_law"].item() == b"record" and arrays["contact_shift"].dtype == np.int8
        np.testing.assert_array_equal(arrays["contact_ij"], found.ij)
        np.testing.assert_array_equal(arrays["contact_memory"], found.values)
    sim.step(100)
    for way in ("state", "file"):
        other = row(backend="reference")
        other.set_state(state) if way == "state" else other.load(saved)
        assert other.memory() == found
        other.step(100)
        assert other.hash == sim.hash and other.memory() == sim.memory()
    other.v = np.zeros((4, 3))
    assert other.memory() == sim.memory()
    other.x = other.x
    assert other.memory() == sim.memory()
    now = other.state()
    other.set_state(scree.State(now.step, now.walls, {"x": now.x, "v": now.v}))
    assert len(other.memory()) == 0 or (other.memory().values[:, 0] <= 1).all()
    linear = row(law="linear")
    assert linear.memory().values.shape == (0, 0) and linear.contacts().memory.shape[1] == 0 and linear.state().memory is None
    with pytest.raises(scree.ArgumentError, match="record"):
        linear.load(saved)
    with pytest.raises(scree.ArgumentError, match="linear"):
        linear.set_state(scree.State(state.step, state.walls, {"x": state.x, "v": state.v}, b"", state.memory))
    with pytest.raises(scree.ArgumentError, match="shape"):
        other.set_state(scree.State(state.step, state.walls, state.columns, b"", scree.Memory(found.ij, found.shift[:, :2], found.values)))
    with pytest.raises(scree.ArgumentError, match="bytes"):
        other.set_state(scree.State(state.step, state.walls, state.columns, b"123"))
    with pytest.raises(scree.ArgumentError, match="hertz"):
        row(law="hertz")
    with pytest.raises(scree.ArgumentError, match="quick"):
        row(backend="quick")


@pytest.mark.parametrize("integrator", ["velocity-verlet", "position-verlet"])
def test_checkpoints_are_npz(rng, tmp_path, integrator):
    sim, _ = gas(rng, n=int(rng.integers(1, 50)), integrator=integrator)
    sim.step(3)
    sim.save(tmp_path / "a.npz")
    state = sim.state()
    with np.load(tmp_path / "a.npz") as found:  # each array by NumPy's own reader, without pickle
        for name, wanted in {**state.columns, "radius": sim.r}.items():
            assert found[name].dtype == wanted.dtype and found[name].tobytes() == wanted.tobytes()
        assert ("x_before" in found) == (integrator == "position-verlet")
        assert found["step"].shape == () and found["step"] == 3 and f"{found['hash'].item():016x}" == sim.hash
        assert found["library"].item().decode() == scree.__version__ and found["scene"].item() == b""
    raw = (tmp_path / "a.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert archive.testzip() is None and archive.comment == raw[-90:]
        for member in archive.infolist():
            assert member.compress_type == zipfile.ZIP_STORED and raw.index(b"\x93NUMPY\1\0", member.header_offset) % 64 == 0


def test_checkpoints_from_several_threads(rng, tmp_path):
    sims = [gas(rng, n=200)[0] for _ in range(4)]
    for sim in sims:
        sim.step(5)

    def save(k):
        for _ in range(5):
            sims[k].save(tmp_path / f"{k}.npz")
            sims[k].load(tmp_path / f"{k}.npz")
        return sims[k].hash

    wanted = [sim.hash for sim in sims]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(save, range(4))) == wanted


def test_integrators_give_one_trajectory(rng):
    seed, sims, touched = rng.integers(1000), {}, []
    for integrator in ("velocity-verlet", "position-verlet"):
        sims[integrator], _ = gas(np.random.default_rng(seed), integrator=integrator, restitution=0.0, gravity=(0, 0, -0.1))
        sims[integrator].advance(500, every=5, callback=lambda sim: touched.append(sim.measure().contacts))
    one, two = sims.values()
    assert one.hash != two.hash and sum(touched) > 0
    apart = (one.x - two.x + one.box.size / 2) % one.box.size - one.box.size / 2
    np.testing.assert_allclose(apart, 0, atol=1e-9)
    np.testing.assert_allclose(one.v, two.v, atol=1e-7)
    assert "x_before" not in one.state().columns and two.state().columns["x_before"].shape == two.x.shape
    with pytest.raises(scree.ArgumentError, match="integrator"):
        gas(rng, integrator="leapfrog")


def test_arrays_can_be_set(rng):
    sim, _ = gas(rng, n=50)
    x, v = sim.x, sim.v
    sim.v = -v
    np.testing.assert_array_equal(sim.v, -v)
    np.testing.assert_array_equal(sim.x, x)
    sim.v = 0 * v
    sim.x = x + 0.01
    now = sim.x  # wrapped into the box
    np.testing.assert_allclose((now - x - 0.01) / sim.box.size, np.round((now - x - 0.01) / sim.box.size), rtol=0, atol=1e-14)
    with pytest.raises(scree.ArgumentError):
        sim.x = np.full_like(x, np.nan)
    with pytest.raises(scree.ArgumentError, match="shape"):
        sim.v = v[:-1]
    with pytest.raises(ValueError, match="read-only"):
        sim.x[:] = 0
    np.testing.assert_array_equal(sim.x, now)
    sim.gravity = (0, 0, -1)
    np.testing.assert_array_equal(sim.gravity, [0, 0, -1])


def test_callbacks_can_stop(rng):
    sim, _ = gas(rng, n=20)
    reported = []
    sim.advance(1000, every=10, callback=lambda s: reported.append(s.steps) or s.steps < 50)
    assert reported == [10, 20, 30, 40, 50] and sim.steps == 50
    with pytest.raises(ZeroDivisionError):
        sim.advance(10, callback=lambda s: 1 / 0)
    assert sim.steps == 60
    stop, _ = gas(rng, n=20, progress=lambda done: False)
    with pytest.raises(scree.CancelledError):
        stop.step(10 ** 6)
    assert stop.steps < 10 ** 6


def test_arguments():
    with pytest.raises(scree.ArgumentError):
        scree.Simulation([[0, 0, 0]], 1.0)  # no stiffness
    with pytest.raises(scree.ArgumentError, match="shape"):
        scree.Simulation([[0, 0, 0]], 1.0, [[0, 0]], stiffness=1.0)
    with pytest.raises(scree.ArgumentError, match="gravity"):
        scree.Simulation([[0, 0, 0]], 1.0, gravity=[1, 2, 3, 4], stiffness=1.0)
    with pytest.raises(TypeError, match="number of steps"):
        scree.Simulation([[0, 0, 0]], 1.0, stiffness=1.0).advance()
    with pytest.raises(scree.ArgumentError, match="sphere 0"):
        sim = scree.Simulation([[0.5, 0.5]], 0.1, [[1e6, 0.0]], box=(1, 1), stiffness=1.0, time_step=1e-3)
        sim.step(10)


SCENE = """
dimension: 2
box: {size: [10, 10]}
gravity: [0, -1]
spheres: {count: 60, sizes: uniform-size:0.2:0.4, place: random, velocity: thermal}
contact: {law: linear, stiffness: 500, restitution: 0.8}
time: {steps: 700}
output: {every_steps: 300}
changes:
  - {at: 0.2, gravity: [1, 0]}
  - {at: 0.5, walls: {x: [0.1, 0]}}
seed: 5
"""


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE)
    return path


def test_scene_in_memory_is_the_run(scene, tmp_path, program):
    import json
    done = subprocess.run([program, "run", str(scene), "-o", str(tmp_path / "theirs"), "--json", "--quiet"], check=True,
                          stdout=subprocess.PIPE)
    theirs = json.loads(done.stdout)
    sim = scree.Simulation.from_scene(scene, threads=1)
    assert sim.end == theirs["steps"] == 700
    sim.advance(123)
    sim.advance()
    assert sim.hash == theirs["hash"]
    reported = []
    result = scree.run(scene, tmp_path / "ours", progress=reported.append)
    assert result.summary["device"] == "none" and "device_name" not in result.summary
    emulated = scree.run(scene, tmp_path / "emulated", device="emulate")
    assert emulated.hash == result.hash and emulated.summary["device"] == "emulate" and emulated.summary["device_name"] and emulated.summary["device_bytes"] > 0
    assert result.hash == theirs["hash"] and result.steps == 700 and result.report.energy_kinetic == theirs["energy_kinetic"]
    np.testing.assert_array_equal(result.x, sim.x)
    for name in ("scene.yaml", "frames.pvd", "frames/frame_000001.vtp"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    assert all(isinstance(p, scree.Progress) for p in reported)
    with pytest.raises(scree.ArgumentError, match="not empty"):
        scree.run(scene, tmp_path / "ours")


GROUPS = """
box: {size: [1, 1, 1], periodic: [x]}
gravity: [0, 0, -10]
contact: {stiffness: 30, restitution: 0.9}
time: {step: 1e-3, steps: 60}
output: {formats: [csv]}
spheres:
- {count: 40, sizes: "mono:0.09", place: random, velocity: [0, 0, -3]}
- {name: others, count: 9, sizes: "mono:0.1", place: lattice, spacing: 0.3%s}
"""


def test_stress_as_by_the_program(scene, tmp_path, program):
    import json
    (tmp_path / "groups.yaml").write_text(GROUPS % "")
    for path, dim in ((scene, 2), (tmp_path / "groups.yaml", 3)):
        ours = scree.run(path, tmp_path / f"ours{dim}").report
        done = subprocess.run([program, "run", str(path), "-o", str(tmp_path / f"theirs{dim}"), "--json", "--quiet"], check=True, stdout=subprocess.PIPE)
        for name in ("kinetic_stress", "contact_stress"):  # xx, yy, zz, xy, xz, yz
            tensor = getattr(ours, name)
            assert tensor.shape == (dim, dim)
            assert json.loads(done.stdout)[name] == [*np.diag(tensor), *tensor[np.triu_indices(dim, 1)]]


def test_boundaries():
    """A sphere on the floor presses with its weight; a wall that comes gives power."""
    sim = scree.Simulation([[0.3, 0.4, 0.098]], 0.1, box=(1, 1, 1), periodic="x", gravity=(0, 0, -10), stiffness=1e3, wall_velocity=[[0, 0], [0, 0], [0.5, 0]])
    felt = sim.boundaries()
    assert [one["name"] for one in felt] == ["lower x", "upper x", "lower y", "upper y", "lower z", "upper z"]
    assert [one["present"] for one in felt] == [False, False, True, True, True, True]
    np.testing.assert_allclose(felt[4]["force"], [0, 0, -2.0], rtol=1e-12)
    np.testing.assert_allclose(felt[4]["torque"], [-0.8, 0.6, 0], rtol=1e-12)
    assert felt[4]["contacts"] == 1 and felt[4]["power"] == pytest.approx(1.0) and felt[4]["velocity"].tolist() == [0, 0, 0.5]
    np.testing.assert_allclose(-felt[4]["force"], sim.contacts().force[0], rtol=1e-12)


def test_container_and_pairs_in_memory_are_the_run(tmp_path, program):
    text = """box: {size: [1, 1, 2], container: cylinder}
gravity: [1, 0, -9]
materials: {glass: {material_density: 2500}, steel: {material_density: 7850}}
walls: {material: steel}
spheres:
- {count: 60, sizes: 'uniform-size:0.05:0.1', place: random, material: glass}
- {count: 20, sizes: 'uniform-size:0.05:0.1', place: random, material: steel}
contact: {stiffness: 3e5}
pairs:
- {between: [glass, glass], stiffness: 1e5, restitution: 0.9}
- {between: [glass, steel], restitution: 0.6}
- {between: [steel, steel], restitution: 0.4}
time: {end: 0.3}
"""
    (tmp_path / "silo.yaml").write_text(text)
    sim = scree.Simulation.from_scene(tmp_path / "silo.yaml")
    sim.advance()
    done = subprocess.run([program, "run", str(tmp_path / "silo.yaml"), "-o", str(tmp_path / "run"), "--json"], capture_output=True, text=True, check=True)
    reported = json.loads(done.stdout)
    assert reported["hash"] == sim.hash and sim.spheres.container == "cylinder"
    felt = {one["name"].replace(" ", "_"): one for one in sim.boundaries() if one["present"]}
    assert sorted(felt) == ["cylinder_6", "lower_z", "upper_z"]
    for name, one in felt.items():
        assert one["force"].tolist() == reported[f"force_{name}"] and one["torque"].tolist() == reported[f"torque_{name}"] and one["power"] == reported[f"power_{name}"]
    assert felt["lower_z"]["force"][2] < 0


def test_scene_with_groups(tmp_path):
    path = tmp_path / "groups.yaml"
    path.write_text(GROUPS % "")
    sim = scree.Simulation.from_scene(path)
    sim.advance()
    result = scree.run(path, tmp_path / "labels")
    assert sim.hash == result.hash and len(sim) == 49
    frame = scree.read(tmp_path / "labels" / "frames" / "frame_000001.csv")
    assert frame["group"].tolist() == 40 * [0] + 9 * [1]
    path.write_text((GROUPS % "").replace("{stiffness", "{law: record, stiffness"))
    remembers = scree.Simulation.from_scene(path)
    remembers.advance()
    other = scree.run(path, tmp_path / "record")
    assert remembers.law == "record" and len(remembers.memory()) > 0 and remembers.hash == other.hash != result.hash
    np.testing.assert_array_equal(other.x, result.x)
    path.write_text(GROUPS % ", material_density: 3, force: [0, 0, 1]" + "changes:\n- {at: 0.03, force: {others: [0.5, 0, 0]}}\n")
    try:
        sim = scree.Simulation.from_scene(path)
    except scree.UnsupportedError as refused:  # until single spheres are simulated
        assert "sphere 40" in str(refused)
        return
    sim.advance()
    other = scree.run(path, tmp_path / "forces")
    assert sim.hash == other.hash != result.hash
    base = "- {file: base.csv, fixed: true}\n"  # in each other, and in a wall
    (tmp_path / "base.csv").write_text("x,y,z,r\n0.5,0.5,0.9,0.2\n0.6,0.5,0.9,0.2\n")
    path.write_text(GROUPS % "" + base)
    sim = scree.Simulation.from_scene(path)
    sim.advance()
    np.testing.assert_array_equal(sim.x[49:], [[0.5, 0.5, 0.9], [0.6, 0.5, 0.9]])


def test_run_stops_and_resumes(scene, tmp_path):
    whole = scree.run(scene, tmp_path / "whole")
    folder = tmp_path / "parts"

    class Enough(Exception):
        pass

    def stop(p):
        if p.doing == "running" and p.step > 0:
            raise Enough

    with pytest.raises((Enough, scree.CancelledError)):
        scree.run(scene, folder, progress=stop)
        raise Enough  # it was over before the first look
    assert scree.resume(folder).hash == whole.hash
    assert scree.resume(folder).hash == whole.hash


def test_resume_until(scene, tmp_path):
    text = SCENE[:SCENE.index("changes:")]
    scene.write_text(text)
    whole = scree.run(scene, tmp_path / "whole")
    scene.write_text(text.replace("steps: 700", "steps: 100"))
    assert scree.run(scene, tmp_path / "parts").hash != whole.hash
    with pytest.raises(scree.ArgumentError, match="step 100.*step 99"):
        scree.resume(tmp_path / "parts", until_steps=99)
    with pytest.raises(scree.ArgumentError, match="until.*0"):
        scree.resume(tmp_path / "parts", until=0)
    assert scree.resume(tmp_path / "parts", until=whole.report.time / 2).steps == 350
    assert scree.resume(tmp_path / "parts", until_steps=700).hash == whole.hash
    assert (tmp_path / "parts" / "scene.yaml").read_bytes() == (tmp_path / "whole" / "scene.yaml").read_bytes()


def test_scene_errors_name_the_place(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("dimension: 4\n")
    with pytest.raises(scree.FormatError, match="bad.yaml:1:12"):
        scree.Simulation.from_scene(path)
    with pytest.raises(scree.FileError, match="nowhere.yaml"):
        scree.run(tmp_path / "nowhere.yaml", tmp_path / "out")


def test_examples_of_scenes_begin():
    sim = scree.Simulation.from_scene(ROOT / "examples" / "mixing.yaml")
    sim.step(10)
    sim.validate()


BODIES = """
dimension: 2
box: {size: [6, 6]}
gravity: [0, -1]
contact: {law: linear, stiffness: 2000, restitution: 0.5}
time: {steps: 20000}
output: {every_steps: 10000, contacts: true}
bodies:
  - {points: [[0, 0], [6, 0], [6, 0.2], [0, 0.2]], at: [[0, 0.5]], fixed: true}
  - {shape: disc, sizes: 'mono:0.2', count: 3, place: random, region: [0.5, 1, 5.5, 2]}
  - {shape: ell, sizes: 'uniform-size:0.3:0.5', count: 6, place: random, region: [0.5, 2, 5.5, 5.5]}
seed: 3
"""


@pytest.fixture
def bodies(tmp_path):
    path = tmp_path / "bodies.yaml"
    path.write_text(BODIES)
    return path


def test_bodies_run_as_by_the_program(bodies, tmp_path, program):
    import json
    done = subprocess.run([program, "run", bodies, "-o", tmp_path / "theirs", "--json", "--quiet"], check=True, stdout=subprocess.PIPE)
    theirs = json.loads(done.stdout)
    ours = scree.run(bodies, tmp_path / "ours")
    assert (ours.hash, ours.steps, len(ours.x)) == (theirs["hash"], theirs["steps"], theirs["n"])
    assert ours.report.energy_kinetic == theirs["energy_kinetic"] and ours.report.contacts == theirs["contacts"]
    files = {path.relative_to(tmp_path / "theirs") for path in (tmp_path / "theirs").rglob("*") if path.is_file()}
    assert files == {path.relative_to(tmp_path / "ours") for path in (tmp_path / "ours").rglob("*") if path.is_file()}
    assert any(path.name == "report.html" for path in files)
    for name in ("scene.yaml", "frames.pvd", "frames/frame_000002.vtp"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    # The floor with four round corners, three discs, and six ells that stand on it, with five round corners and a sharp one, each inside its bounding circle.
    assert [len(outline) for outline in ours.outlines] == [4 * 5] + [0] * 3 + [5 * 5 + 1] * 6
    np.testing.assert_allclose([ours.outlines[0].min(0), ours.outlines[0].max(0)], [[0, 0.5], [6, 0.7]])
    assert ours.x.shape == ours.v.shape == (10, 2) and ours.angle.shape == ours.spin.shape == ours.r.shape == (10,)
    np.testing.assert_allclose(ours.r[1:4], 0.2)
    for i in range(4, 10):
        away = np.sqrt(((ours.outlines[i] - ours.x[i]) ** 2).sum(1))
        assert 0.999 * ours.r[i] < away.max() < ours.r[i] * (1 + 1e-12) and ours.outlines[i][:, 1].min() > 0.6


def test_bodies_stop_and_resume(bodies, tmp_path):
    bodies.write_text(BODIES.replace("20000", "60000").replace("10000", "60000"))  # so long that progress is reported
    whole, reported = scree.run(bodies, tmp_path / "whole"), []
    with pytest.raises(scree.CancelledError):
        scree.run(bodies, tmp_path / "parts", progress=lambda p: reported.append(p) or p.doing != "running")
    assert reported[-1].bodies and reported[-1].spheres == 10 and 0 < reported[-1].step < reported[-1].steps == 60000
    assert (tmp_path / "parts" / "report.html").exists()
    for _ in range(2):  # the second finds it finished
        resumed = scree.resume(tmp_path / "parts")
        assert resumed.hash == whole.hash and resumed.steps == 60000
        np.testing.assert_array_equal(np.vstack(resumed.outlines), np.vstack(whole.outlines))


def test_animation_as_by_the_program(scene, tmp_path, monkeypatch):
    text = scene.read_text().split("changes:")[0].replace("steps: 700", "steps: 2").replace("every_steps: 300", "every_steps: 1, pictures: true, animation: true")
    scene.write_text(text)
    tools = tmp_path / "tools"
    tools.mkdir()
    monkeypatch.setenv("PATH", str(tools))
    with pytest.warns(RuntimeWarning, match="no ffmpeg.*without/pictures"):
        scree.run(scene, tmp_path / "without")
    (tools / "ffmpeg").write_text('#!/bin/sh\nfor last; do :; done\necho drawn > "$last"\n')
    (tools / "ffmpeg").chmod(0o755)
    result = scree.run(scene, tmp_path / "with")
    assert (tmp_path / "with" / "animation.mp4").read_text() == "drawn\n" and result.outlines is None and result.steps == 2


def test_a_simulation_is_of_spheres(bodies):
    with pytest.raises(scree.ArgumentError, match="bodies.yaml.*scree.run"):
        scree.Simulation.from_scene(bodies)


# ---- Surfaces -------------------------------------------------------------------------------------------------------


def _floor(n, size=4.0):
    edges = np.linspace(-size, size, n + 1)
    corners = []
    for a, b in zip(edges[:-1], edges[1:]):
        for c, d in zip(edges[:-1], edges[1:]):
            p = np.array([[a, c, 0], [b, c, 0], [b, d, 0], [a, d, 0]])
            corners += [p[[0, 1, 2]], p[[0, 2, 3]]]
    return np.array(corners)


def test_surfaces_as_planes_and_meshes(tmp_path):
    """The same trajectory on the face of a box, a plane and a mesh; the loads; and a state that goes on elsewhere."""
    rest = dict(gravity=(0, 0, -9.81), stiffness=1e4, restitution=0.4, friction=0.4, time_step=5e-5)
    start = ([[0.3, 0.2, 0.15]], 0.1, [[1.0, 0.7, -1.0]])
    box = scree.Box([(-50, -50, 0), (50, 50, 50)])
    floor = _floor(9) * 1000.0
    sims = [scree.Simulation(*start, box=box, **rest)] + [scree.Simulation(*start, surfaces=[one], **rest) for one in (
        {"plane": {"normal": (0, 0, 1)}}, {"mesh": floor, "scale": 0.001, "name": "floor"})]
    for sim in sims:
        sim.advance(20000)
    for sim in sims[1:]:
        np.testing.assert_allclose(sim.x, sims[0].x, atol=1e-12)
        np.testing.assert_allclose(sim.w, sims[0].w, atol=1e-10)
    mesh = sims[2]
    loads, contacts = mesh.boundaries(), mesh.contacts()
    assert loads[6]["name"] == "floor" and loads[6]["contacts"] == len(contacts) == 1 and contacts.feature[0] >= 0
    np.testing.assert_allclose(loads[6]["force"], -contacts.force[0], atol=1e-15)
    np.testing.assert_allclose(loads[6]["turn"], np.eye(3))
    other = scree.Simulation(*start, surfaces=[{"mesh": floor, "scale": 0.001, "name": "floor"}], **rest)
    other.set_state(mesh.state())
    mesh.save(tmp_path / "a.npz")
    third = scree.Simulation(*start, surfaces=[{"mesh": floor, "scale": 0.001}], **rest)
    third.load(tmp_path / "a.npz")
    for sim in (mesh, other, third):
        sim.advance(500)
    assert mesh.hash == other.hash == third.hash


def test_surfaces_remove_what_passes_through_them():
    sheet = {"plane": {"normal": (0, 0, 1)}, "on_crossing": "remove"}
    sim = scree.Simulation([(0, 0, 0.5), (3, 0, 0.5)], 0.1, [(0, 0, 0), (0, 0, -5)], stiffness=1, time_step=1e-3, surfaces=[sheet])
    sim.advance(200)
    assert len(sim) == 1 and list(sim.id) == [0] and sim.x.shape == (1, 3)
    gone, = sim.take_crossings()
    assert (gone["id"], gone["boundary"], gone["group"]) == (1, 6, 0) and gone["mass"] == pytest.approx(4 / 3 * np.pi * 1e-3)
    assert 100 <= gone["step"] <= 110 and sim.take_crossings() == []
    with pytest.raises(scree.ArgumentError, match="on_crossing.*'forget'"):
        scree.Simulation([(0, 0, 0.5)], 0.1, stiffness=1, time_step=1e-3, surfaces=[{**sheet, "on_crossing": "forget"}])
    with pytest.raises(scree.ArgumentError, match=r"merge_angle.*0\.3"):
        scree.Simulation([(0, 0, 0.5)], 0.1, stiffness=1, time_step=1e-3, surfaces=[{**sheet, "merge_angle": 2}])
    with pytest.raises(scree.ArgumentError, match=r"merge_angle.*0\.3"):
        scree.Mesh([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], merge_angle=2)
    with pytest.raises(TypeError, match="merge_angel"):
        scree.Mesh([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], merge_angel=2)


def test_surfaces_turn_and_need_pairs():
    sim = scree.Simulation([[0.5, 0, 0.1]], 0.1, gravity=(0, 0, -9.81), stiffness=1e4, friction=0.5, restitution=0.5, time_step=5e-5,
                           surfaces=[{"disc": {"normal": (0, 0, 1), "radius": 2.0}, "spin": (0, 0, 1.0), "velocity": (0.1, 0, 0)}])
    sim.advance(2000)
    table = sim.boundaries()[6]
    np.testing.assert_allclose(table["turn"][0], [np.cos(0.1), -np.sin(0.1), 0], atol=1e-12)
    np.testing.assert_allclose(table["at"], [0.01, 0, 0], atol=1e-12)
    assert sim.v[0, 1] > 0.05  # carried round
    both = dict(materials={"glass": {"material_density": 1}, "steel": {"material_density": 1}}, stiffness=1e4, material="glass")
    with pytest.raises(scree.ArgumentError, match="glass.*steel"):
        scree.Simulation([[0, 0, 1.0]], 0.1, pairs={("glass", "glass"): {"friction": 0.5}}, surfaces=[{"plane": {"normal": (0, 0, 1)}, "material": "steel"}], **both)
    for surfaces, words in (([{}], "0 shapes"), ([{"plane": {"normal": (0, 0, 1), "radius": 1}}], "radius"), ([{"plane": {"normal": (0, 0, 1)}, "turn": 1}], "turn"),
                            ([{"mesh": np.zeros((2, 3))}], "shape"), ([{"cone": {"to": (0, 0, 1), "radius": 1}}], "two numbers")):
        with pytest.raises(scree.ArgumentError, match=words):
            scree.Simulation([[0, 0, 1.0]], 0.1, stiffness=1e4, surfaces=surfaces)


# ---- Spheres that come and go ----------------------------------------------------------------------------------------


def test_inserted_spheres_are_as_always_there(rng):
    packing = scree.pack("uniform-size:0.5:1", 150, density=0.25, seed=int(rng.integers(1, 1000)))
    more = dict(box=packing.box, order_every=30, giants=10.0, friction=0.5, **GAS)
    corner = np.array(packing.box.upper) - 0.9
    keep = np.linalg.norm(packing.x - corner, axis=1) > packing.r + 2.0
    x, r = np.vstack([packing.x[keep], corner]), np.append(packing.r[keep], 0.8)
    v = np.vstack([rng.normal(scale=0.2, size=(keep.sum(), 3)), [[-0.5, -0.5, -0.5]]])
    whole = scree.Simulation(x, r, v, **more)
    sim = scree.Simulation(x[:-1], r[:-1], v[:-1], time_step=whole.numbers.time_step, later=dict(r=[r.min(), r.max()]), **more)
    whole.step(30)
    sim.step(30)
    assert not (whole.contacts().ij == len(r) - 1).any()
    ids = sim.insert(whole.x[-1:], r[-1:], whole.v[-1:], spin=whole.w[-1:])
    assert ids.tolist() == [len(r) - 1] and len(sim) == len(r)
    for _ in range(10):
        assert sim.hash == whole.hash
        sim.step(57)
        whole.step(57)
    report = sim.measure()
    assert report.inserted == 1 and report.removed == 0
    assert report.mass_inserted == pytest.approx(4 / 3 * np.pi * 0.8**3)


def test_removed_spheres_leave_gaps(rng):
    sim, packing = gas(rng, friction=0.5)
    sim.step(200)
    gone = np.sort(rng.choice(200, 60, replace=False))
    sim.remove(gone)
    left = np.setdiff1d(np.arange(200), gone)
    assert sim.id.tolist() == left.tolist() and len(sim) == 140 and sim.x.shape == (140, 3)
    np.testing.assert_array_equal(sim.r, packing.r[left])
    assert sim.spheres["id"].tolist() == left.tolist()
    sim.step(100)
    sim.validate()
    contacts = sim.contacts()
    assert np.isin(contacts.ij, left).all()
    rows = np.searchsorted(left, contacts.ij)
    ij, shift = scree.pairs(sim.x, sim.r, sim.box, images=True)
    np.testing.assert_array_equal(rows, ij)
    # A state goes over into a simulation that is made with the same numbers.
    other = scree.Simulation(sim.x, sim.r, box=sim.box, friction=0.5, id=sim.id, time_step=sim.numbers.time_step, giants=sim.numbers.giant_radius, **GAS)
    state = sim.state()
    other.set_state(state)
    assert other.hash == sim.hash and other.measure().removed == 60
    sim.step(100)
    other.step(100)
    assert other.hash == sim.hash
    assert sim.insert([sim.x[0] + 0.3 * sim.box.size], 0.6).tolist() == [200]


def test_what_cannot_come_or_go(rng):
    sim, _ = gas(rng)
    before = sim.hash
    for wrong in ([200], [3, 3], [-1]):
        with pytest.raises(scree.ArgumentError, match="sphere"):
            sim.remove(wrong)
    with pytest.raises(scree.ArgumentError):
        sim.remove([1.5])
    with pytest.raises(scree.ArgumentError, match="def.later"):
        sim.insert([[1.0, 1.0, 1.0]], 1e-3)
    with pytest.raises(scree.ArgumentError, match="id"):
        sim.insert([[1.0, 1.0, 1.0]], 0.7, id=[3])
    with pytest.raises(scree.ArgumentError, match="later"):
        scree.Simulation([[0.0, 0.0, 0.0]], 1.0, stiffness=1.0, later=dict(radius=1))
    assert sim.hash == before and len(sim) == 200


def test_an_empty_simulation_fills():
    sim = scree.Simulation(np.empty((0, 2)), np.empty(0), box=(10, 10), gravity=(0, -1), stiffness=1e3, restitution=0.5, later=(0.3, 0.5))
    for k in range(4):
        sim.insert([[2.0, 8.0], [5.0, 8.0]], [0.3, 0.5])
        sim.advance(int(3 / sim.numbers.time_step))
    assert sim.id.tolist() == list(range(8))
    sim.remove(sim.id)
    assert len(sim) == 0 and sim.measure().contacts == 0


def test_contacts_change_while_it_runs():
    def make(**more):
        return scree.Simulation([(1, 1, 0.55)], 0.5, [(0, 0, -2)], (2, 2, 2), time_step=1e-5, **{"stiffness": 1e5, "restitution": 0.9, **more})
    sim = make()
    sim.step(10000)
    assert sim.v[0, 2] == pytest.approx(1.8, rel=1e-3)
    sim.set_contacts(restitution=0.5)
    sim.step(60000)
    assert sim.v[0, 2] == pytest.approx(-0.9, rel=1e-3)
    # Before anything touches it is the same as from the start on.
    one, other = make(), make(stiffness=2e5, restitution=0, damping=3)
    one.set_contacts(stiffness=2e5, damping=3)
    one.step(5000), other.step(5000)
    assert one.hash == other.hash
    with pytest.raises(scree.ArgumentError, match="time step"):
        one.set_contacts(stiffness=1e15)
    with pytest.raises(scree.ScreeError, match="tangential"):
        one.set_contacts(friction=0.5)
    with pytest.raises(TypeError, match="'box'"):
        one.set_contacts(box=(1, 1, 1))
    one.step(5000), other.step(5000)
    assert one.hash == other.hash


@pytest.mark.parametrize("integrator", ["velocity-verlet", "position-verlet"])
def test_the_step_changes_while_it_runs(tmp_path, integrator):
    sim = scree.Simulation([(5, 5, 5)], 0.5, [(1, 0, 0)], (10, 10, 10), gravity=(0, 0, -0.5), stiffness=0.5, time_step=0.25, integrator=integrator)
    sim.step(4)
    then = sim.state()
    sim.set_time_step(0.0625)
    sim.step(8)
    assert sim.time == 1.5 and sim.x.tolist() == [[6.5, 5, 5 - 0.25 * 1.5 ** 2]] and sim.state().time_step == 0.0625
    sim.set_state(then)  # with the step that it had
    sim.step(2)
    assert sim.time == 1.5 and sim.numbers.time_step == 0.25 and sim.x[0, 0] == 6.5
    with pytest.raises(scree.ArgumentError, match="time step 1"):
        sim.set_time_step(1e3)
    scene = tmp_path / "s.yaml"
    scene.write_text(f"box: {{size: [1, 1, 1]}}\ngravity: [0, 0, -10]\nspheres: {{count: 50, sizes: 'mono:0.05', place: random}}\ncontact: {{stiffness: 1e3, restitution: 0.5}}\n"
                     f"time: {{step: 1e-4, end: 0.0523, integrator: {integrator}}}\nchanges: [{{at: 0.0201, time: {{step: 3e-5}}}}, {{at: 0.03, gravity: [1, 0, -10]}}, {{at: 0.04, time: {{step: 1.2e-4}}}}]\n")
    sim, result = scree.Simulation.from_scene(scene), scree.run(scene, tmp_path / "out")
    sim.advance()
    assert sim.hash == result.hash


def test_a_scene_whose_contacts_change_is_for_runs(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("box: {size: [1, 1, 1]}\nspheres: {count: 5, sizes: 'mono:0.05', place: random}\ncontact: {stiffness: 1e4}\ntime: {end: 0.1}\nchanges: [{at: 0.05, contact: {stiffness: 2e4}}]\n")
    with pytest.raises(scree.ArgumentError, match="scree.run"):
        scree.Simulation.from_scene(path)
    assert scree.run(path, tmp_path / "out").steps > 0


def test_a_device_gives_the_same_bits():
    def make(device):
        rng = np.random.default_rng(3)
        x = np.stack(np.meshgrid(*[np.arange(4) * 1.02 + 0.51] * 3), axis=-1).reshape(-1, 3)
        return scree.Simulation(x, 0.5, rng.normal(0.0, 0.1, x.shape), box=(4.1, 4.1, 4.1), stiffness=50, restitution=0.8, friction=0.3, device=device)

    processor, device = make("none"), make("emulate")
    assert (processor.device, device.device) == ("none", "emulate")
    for sim in (processor, device):
        sim.step(120)
    assert processor.hash == device.hash and processor.memory() == device.memory()
    assert make("auto").device == "none"  # too few spheres
    with pytest.raises(scree.ArgumentError, match="gpu"):
        make("gpu")
    with pytest.raises(scree.ArgumentError, match="reference.*emulate"):
        scree.Simulation([[1, 1, 1]], 0.5, box=(4, 4, 4), stiffness=50, backend="reference", device="emulate")


def test_summary_has_the_keys_of_the_program(program, tmp_path):
    """Result.summary is what `scree run --json` prints: the same keys, types and values, times aside."""
    scene = tmp_path / "scene.yaml"
    scene.write_text("dimension: 2\nbox: {size: [1, 1]}\ngravity: [0, -9.81]\nspheres: {count: 30, sizes: 'mono:0.05', place: random, material_density: 1000}\n"
                     "contact: {stiffness: 1e5, restitution: 0.7}\ntime: {end: 0.1}\n")
    printed = json.loads(subprocess.run([program, "run", scene, "-o", tmp_path / "theirs", "--json", "-q"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    ours = scree.run(scene, tmp_path / "ours").summary
    assert {key: type(value) for key, value in ours.items()} == {key: type(value) for key, value in printed.items() if key not in ("schema", "command")} | {
        key: float for key in ours if type(printed[key]) is int and type(ours[key]) is float}
    assert all(ours[key] == printed[key] for key in ours if "seconds" not in key and key != "bytes")
    assert len(ours["torque_lower_x"]) == 1 and ours["contacts"] > 0


def test_advance_by_time():
    """Steps of 0.25, then of 0.125: exact times. All classes have the verb; what it counts by is the same as by steps."""
    sim = scree.Simulation([[5, 5, 5]], 0.5, [[1, 0, 0]], box=(10, 10, 10), periodic=True, stiffness=0.5, time_step=0.25)
    sim.advance(time=1.0)
    assert (sim.steps, sim.time) == (4, 1.0)
    sim.advance(time=0.3)  # to the first step at or after it
    assert (sim.steps, sim.time) == (6, 1.5)
    seen = []
    sim.advance(time=1.0, every_time=0.4, callback=lambda sim: seen.append(sim.time))
    assert seen == [2.0, 2.5]
    sim.advance(6, every_time=0.1, callback=lambda sim: seen.append(sim.time))  # steps are longer
    assert seen[2:] == [2.75, 3.0, 3.25, 3.5, 3.75, 4.0]

    def halve(sim):
        seen.append(sim.time)
        sim.set_time_step(0.125)
    del seen[:]
    sim.advance(time=1.0, every_time=0.5, callback=halve)
    assert seen == [4.5, 5.0] and sim.steps == 16 + 2 + 4
    sim.advance(time=1.0, every=3, callback=lambda sim: seen.append(sim.time))
    assert seen[2:] == [5.375, 5.75, 6.0]
    sim.advance(time=0.0)
    sim.advance(time=10.0, every=2, callback=lambda sim: sim.time < 6.4)
    assert sim.time == 6.5
    sim.step(2), sim.run(2)
    assert sim.time == 7.0
    for wrong in (dict(steps=3, time=1.0), dict(time=-1.0), dict(time=math.inf), dict(time=1.0, every=2, every_time=1.0, callback=print), dict(time=1.0, every_time=0.0, callback=print), {}):
        with pytest.raises((TypeError, ValueError)):
            sim.advance(**wrong)
    assert sim.time == 7.0
    gas = scree.HardSpheres([[1, 1, 1], [3, 1, 1]], 0.5, [[1, 0, 0], [-1, 0, 0]], box=(4, 2, 2))
    gas.advance(time=0.25)
    gas.advance(time=0.5)
    assert gas.time == 0.75 and gas.stats.collisions == 1
    with pytest.raises(TypeError):
        gas.advance()
    with pytest.raises(ValueError):
        gas.advance(time=-1)
    plane = scree.PolygonSimulation([scree.Body(radius=0.5, x=(2, 2), v=(1, 0))], box=(4, 4), stiffness=1.0, time_step=0.25)
    plane.advance(time=1.1)
    assert (plane.steps, plane.time) == (5, 1.25)


def test_advance_by_time_through_changes(tmp_path):
    """A scene whose changes set the length of steps: by time in parts as by steps in one piece, and to the step that the run has at that time."""
    text = "dimension: 2\nbox: {size: [4, 4]}\nspheres: {count: 6, sizes: mono:0.2, place: random, velocity: [0.3, 0.1]}\ncontact: {stiffness: 10, restitution: 0.5}\ntime: {step: 0.01, end: 1.0}\n" \
           "changes:\n- {at: 0.305, time: {step: 0.004}}\n- {at: 0.65, time: {step: 0.008}}\n"
    scene = scree.Scene.from_text(text)
    whole, parts = scree.Simulation.from_scene(scene), scree.Simulation.from_scene(scene)
    whole.advance()
    for k in range(10):
        parts.advance(time=0.1 * (k + 1) - parts.time)
        assert 0.1 * (k + 1) - 1e-9 <= parts.time < 0.1 * (k + 1) + 0.01
    assert parts.steps == whole.steps == whole.end and parts.hash == whole.hash
    assert scree.run(scene, tmp_path / "run").steps == whole.steps


def test_parameters_as_objects():
    """Contact, Material, Walls and Search are other words for the keywords: the same bits, and errors where something is given in both ways."""
    packing = scree.pack("uniform-size:0.3:0.5", 50, "rsa", box=(4, 4, 4))
    v = scree.thermal_velocities(packing, temperature=1.0)
    keywords = dict(law="hertz", speed=1.0, friction=0.3, restitution=0.7, rolling_friction=0.05, method="linked-cells", skin=0.2, cell_size=1.2, wall_velocity=[[0.1, 0], [0, 0], [0, 0]], walls_on_crossing="remove",
                    materials={"a": dict(young=1e6, poisson=0.3, material_density=2), "b": dict(young=2e6, poisson=0.2)}, pairs={("a", "b"): dict(friction=0.1)}, material=np.arange(50) % 2, wall_material="b")
    plain = scree.Simulation(packing, v=v, **keywords)
    contact = scree.Contact(law="hertz", speed=1.0, friction=0.3, restitution=0.7, rolling_friction=0.05)
    how = dict(contact=contact, walls=scree.Walls(material="b", velocity=[[0.1, 0], [0, 0], [0, 0]], on_crossing="remove"), search=scree.Search(method="linked-cells", skin=0.2, cell_size=1.2),
               materials={"a": scree.Material(young=1e6, poisson=0.3, material_density=2), "b": scree.Material(young=2e6, poisson=0.2)}, pairs={("a", "b"): scree.Contact(friction=0.1)}, material=np.arange(50) % 2)
    objects = scree.Simulation(packing, v=v, **how)
    for sim in (plain, objects):
        sim.advance(300)
    assert plain.hash == objects.hash and objects.measure().method == "linked-cells"
    plain.set_contacts(friction=0.5, restitution=0.9)
    objects.set_contacts(contact.but(friction=0.5, restitution=0.9, speed=None, rolling_friction=None))
    for sim in (plain, objects):
        sim.advance(300)
    assert plain.hash == objects.hash
    assert contact.but(friction=None).given() == dict(law="hertz", speed=1.0, restitution=0.7, rolling_friction=0.05) and contact == scree.Contact(**contact.given()) != contact.but(friction=0.4)
    assert repr(scree.Walls(on_crossing="remove")) == "Walls(on_crossing='remove')" and scree.Walls(on_crossing="remove").given() == {"walls_on_crossing": "remove"}
    for wrong, says in ((dict(how, friction=0.2), "friction is 0.2 as a keyword, and 0.3 in contact"), (dict(how, contact=dict(friction=0.2)), "expected a scree.Contact"), (dict(how, method="octree"), "method is 'octree'"),
                        (dict(how, pairs={("a", "b"): scree.Contact(law="hertz")}), "no parameter 'law'"), (dict(how, walls=scree.Walls(material="c")), "no material 'c'")):
        with pytest.raises((TypeError, ValueError), match=says):
            scree.Simulation(packing, v=v, **wrong)
    with pytest.raises(TypeError, match="frction"):
        scree.Contact(frction=0.3)
    with pytest.raises((TypeError, ValueError), match="law"):
        objects.set_contacts(scree.Contact(law="linear", stiffness=1e4))
