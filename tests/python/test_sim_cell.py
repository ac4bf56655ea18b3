"""Cells that shear, strain and follow a stress, from Python."""
import importlib.util

import numpy as np
import pytest

import scree
from conftest import ROOT


def crowd(count=64, size=4.0, seed=3):
    rng = np.random.default_rng(seed)
    side = round(count ** (1 / 3))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    return (grid + 0.5 + rng.uniform(-0.05, 0.05, grid.shape)) * size / side, rng.uniform(0.47, 0.53, count) * size / side


def make(**more):
    x, r = crowd()
    return scree.Simulation(x, r, box=(4, 4, 4), periodic=True, stiffness=1000, restitution=0.5, friction=0.4, order_every=50, threads=1, **more)


def test_free_spheres_follow_the_cell():
    sim = scree.Simulation([[1.0, 1.0, 1.0], [3.0, 3.5, 3.0]], 0.1, box=(4, 4, 4), periodic=True, stiffness=1000, cell=dict(shear=0.5, strain=dict(zz=-0.1)))
    sim.advance(200)
    time, cell = sim.time, sim.cell
    assert np.isclose(cell.strain["xy"], 0.5 * time) and np.isclose(cell.strain["zz"], -0.1 * time)
    assert np.allclose(cell.side, [4, 4, 4 * (1 - 0.1 * time)]) and np.isclose(cell.tilt[0], 2.0 * time)
    assert np.allclose(sim.box.tilt, cell.tilt) and np.allclose(sim.box.size, cell.side)
    # x - middle = H q, with q as at the start.
    q = (np.array([[1.0, 1.0, 1.0], [3.0, 3.5, 3.0]]) - 2.0) / 4.0
    assert np.allclose(sim.x - 2.0, q @ np.array([[4, 0, 0], [2.0 * time, 4, 0], [0, 0, cell.side[2]]]))
    assert make().cell is None


def test_states_and_changes_go_on():
    one, other = make(cell=dict(shear=1.0)), make(cell=dict(shear=0))
    one.advance(150)
    other.set_state(one.state())
    for sim in (one, other):
        sim.advance(50)
        sim.set_cell(shear=1.0, stress=dict(zz=20.0, rate=0.5))
        sim.advance(100)
    assert one.hash == other.hash and one.state() == other.state()
    assert one.cell.rate["zz"] != 0.0 and one.cell.stress[2] != 0.0


def test_a_pressure_is_reached(tmp_path):
    sim = make(cell=dict(stress=dict(pressure=10.0, rate=0.5)), energies=True)
    sim.advance(8000)
    assert np.isclose(sim.measure().pressure, 10.0, rtol=0.01)
    sim.save(tmp_path / "c.npz")
    other = make(cell=dict(shear=0), energies=True)
    other.load(tmp_path / "c.npz")
    for one in (sim, other):
        one.advance(50)
    assert sim.hash == other.hash
    volume = np.prod(sim.box.size)
    sim.set_cell(strain=dict(zz=-0.2), constant_volume=True)
    sim.advance(200)
    assert np.isclose(np.prod(sim.box.size), volume, rtol=1e-11)


def test_scenes_with_cells(tmp_path):
    (tmp_path / "s.yaml").write_text("box: {size: [6, 6, 6], periodic: [x, y, z]}\nspheres: {count: 60, sizes: 'mono:0.5', place: random}\n"
                                     "contact: {stiffness: 1000, friction: 0.3}\ncell: {shear: 1}\ntime: {step: 0.001, steps: 300}\noutput: {formats: [xyz]}\n"
                                     "changes: [{at: 0.1, cell: {stress: {pressure: 1, rate: 0.5}}}]\n")
    sim = scree.Simulation.from_scene(tmp_path / "s.yaml")
    sim.advance()
    result = scree.run(tmp_path / "s.yaml", tmp_path / "run")
    assert result.hash == sim.hash


@pytest.mark.parametrize("cell, words", [(dict(sheer=1), ("sheer", "shear")), (dict(strain=dict(yx=1)), ("yx", "xy")), (dict(shear=1, strain=dict(xy=1)), ("shear", "xy")),
                                         (dict(stress=dict(pressure=1)), ("0",)), (dict(stress=dict(pressure=1, xx=1, rate=1)), ("pressure", "xx")), (3, ("3", "dict"))])
def test_wrong_cells_are_refused(cell, words):
    with pytest.raises(scree.ArgumentError) as reported:
        make(cell=cell)
    assert all(word in str(reported.value) for word in words)


def test_what_cannot_move_is_refused():
    with pytest.raises(scree.UnsupportedError, match="fixed"):
        make(cell=dict(shear=1), fixed=np.ones(64, np.uint8))
    with pytest.raises(scree.UnsupportedError, match="octree"):
        make(cell=dict(shear=1), method="octree")
    with pytest.raises(scree.ArgumentError, match="cell"):
        make().set_cell(shear=1)


def test_shear_is_that_between_rough_walls():
    """The example with few spheres: the ratios of shear stress to normal stress scatter by a tenth of themselves."""
    path = ROOT / "examples" / "python" / "shear_walls.py"
    spec = importlib.util.spec_from_file_location("shear_walls", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    _, _, constant, walls, _ = example.ratios(150, 0.5, rate=0.25)
    assert 0.3 < walls < 0.5 and abs(constant - walls) < 0.06
