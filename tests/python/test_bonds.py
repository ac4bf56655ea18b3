"""Bonds from Python: made, shown, broken, kept, and refused."""
import numpy as np
import pytest

import scree


def row(count=4, **more):
    x = np.zeros((count, 3))
    x[:, 0] = 1.01 * np.arange(count)
    kind = dict(gap=0.02, young=100.0, shear=40.0, damping=0.5)
    return scree.Simulation(x, 0.5, stiffness=1.0, bonds={**kind, **more.pop("kind", {})}, **more)


def test_a_bond_stretches_by_the_force_over_its_stiffness():
    fixed, force = np.array([1, 0], np.uint8), np.array([[0, 0, 0], [1e-4, 0, 0]])
    sim = row(2, fixed=fixed, force=force, kind=dict(damping=1.0))
    sim.advance(4000)
    bonds = sim.bonds()
    assert bonds.ij.tolist() == [[0, 1]] and bonds.holds.all() and np.isclose(bonds.length[0], 1.01)
    stiffness = 100.0 * np.pi * 0.25 / 1.01
    assert np.isclose(sim.x[1, 0] - 1.01, 1e-4 / stiffness, rtol=1e-6)
    assert np.allclose(bonds.force, [[1e-4, 0, 0]], atol=1e-10) and np.allclose(bonds.torque, 0.0)
    assert sim.measure().bonds == 1 and sim.numbers.bond_count == 1 and sim.numbers.bond_fastest == (0, 1)


def test_broken_bonds_are_shown_and_states_go_on():
    v = np.zeros((4, 3))
    v[3, 0] = 1.0
    sims = [row(v=v, kind=dict(tensile_strength=1.0)) for _ in range(2)]
    sims[0].advance(300)
    sims[1].advance(100)
    state = sims[1].state()
    other = row(v=v, kind=dict(tensile_strength=1.0))
    other.set_state(state)
    other.advance(200)
    assert other.hash == sims[0].hash and other.state() == sims[0].state()
    bonds, report = sims[0].bonds(), sims[0].measure()
    assert report.bonds_broken == np.count_nonzero(~bonds.holds) == np.count_nonzero(bonds.cause) > 0
    assert np.isclose(report.released_bonds, bonds.released.sum()) and report.released_bonds > 0.0


def test_pairs_materials_and_two_dimensions():
    x = np.array([[0.0, 0.0], [1.2, 0.0], [2.4, 0.0]])
    sim = scree.Simulation(x, 0.5, stiffness=10.0, bonds=[dict(pairs=[[2, 0]], young=10.0), dict(gap=0.3, young=5.0)])
    bonds = sim.bonds()
    assert bonds.ij.tolist() == [[0, 1], [0, 2], [1, 2]] and bonds.kind.tolist() == [1, 0, 1]
    assert bonds.shift.shape == (3, 2) and bonds.torque.shape == (3,)
    sim = scree.Simulation(x, 0.5, materials=dict(rock=dict(material_density=1.0), clay=dict(material_density=2.0)), material=["rock", "clay", "clay"], stiffness=10.0,
                           wall_material="rock", bonds=dict(gap=0.3, young=5.0, between=("clay", "clay")))
    assert sim.bonds().ij.tolist() == [[1, 2]]


@pytest.mark.parametrize("bonds, part", [(dict(gap=0.1, young=1.0, strength=3.0), "strength"), (dict(young=1.0), "gap"), (dict(gap=0.1, pairs=[[0, 1]], young=1.0), "both"),
                                         (dict(pairs=[0, 1], young=1.0), "pairs"), (dict(pairs=[[0, 9]], young=1.0), "9"), (dict(gap=0.1, young=-1.0), "young")])
def test_invalid_input_is_refused(bonds, part):
    with pytest.raises(scree.ArgumentError, match=part):
        scree.Simulation([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 0.5, stiffness=1.0, bonds=bonds)


def test_a_scene_with_bonds_gives_the_bits_of_its_run(tmp_path):
    (tmp_path / "list.csv").write_text("i,j\n0,3\n")
    scene = tmp_path / "scene.yaml"
    scene.write_text("dimension: 2\nbox: {size: [6, 6]}\ngravity: [0, -1]\nspheres: {count: 12, sizes: \"mono:0.5\", place: lattice, spacing: 1.1}\n"
                     "contact: {stiffness: 100, restitution: 0.5}\nbonds:\n- {gap: 0.2, young: 30, tensile_strength: 0.4}\n- {file: list.csv, young: 10}\ntime: {steps: 400}\n")
    sim, result = scree.Simulation.from_scene(scene), scree.run(scene, tmp_path / "out")
    sim.advance()
    assert sim.hash == result.hash and result.report.bonds_broken == sim.measure().bonds_broken
    assert len(np.loadtxt(tmp_path / "out" / "broken.csv", delimiter=",", skiprows=1, ndmin=2)) == result.report.bonds_broken


def test_what_broke_stays_broken_when_centres_velocities_or_spins_are_set():
    """Contacts and bonds go on as they are; a State without them begins with new ones."""
    v = np.zeros((4, 3))
    v[3, 2], v[1, 1] = 3.0, 0.02
    sim = row(v=v, kind=dict(tensile_strength=1.0), friction=0.5, fixed=np.array([0, 0, 1, 0], np.uint8))
    sim.advance(300)
    before = sim.bonds()
    assert 0 < np.count_nonzero(before.holds) < len(before) and np.abs(before.values).max() > 0
    for name in ("x", "v", "w"):
        setattr(sim, name, getattr(sim, name))
        after = sim.bonds()
        assert np.array_equal(after.broken_at, before.broken_at) and np.array_equal(after.values, before.values), name
        assert np.array_equal(after.released, before.released) and after.dissipated == before.dissipated
    state, start = sim.state(), row()
    sim.set_state(scree.State(state.step, state.walls, {"x": start.x, "v": start.v}))
    assert sim.bonds().holds.all()


def test_friction_goes_on_when_centres_are_set():
    sim = scree.Simulation([[0.0, 0.0], [0.95, 0.0]], 0.5, stiffness=1000.0, friction=0.5, restitution=0.5, v=[[0.0, 0.0], [0.0, 0.1]])
    sim.advance(5)
    kept = sim.memory()
    assert np.abs(kept.values).max() > 0
    sim.x = sim.x
    assert np.array_equal(sim.memory().values, kept.values)
    sim.x = sim.x + [[0.0, 0.0], [5.0, 0.0]]
    assert len(sim.memory().values) == 0
