"""Polygons and discs in the plane: shapes, simulation, files and pictures."""
import pickle

import numpy as np
import pytest
import scree
from test_sim import BODIES

BRICK = scree.Polygon([[-0.5, -0.25], [0.5, -0.25], [0.5, 0.25], [-0.5, 0.25]])


def heap(**more):
    bodies = [scree.Body(BRICK, (2, 0.26), angle=0.02), scree.Body(radius=0.2, x=(2.1, 0.75)), scree.Body([[0, 0], [0.4, 0], [0, 0.4]], (0.4, 0.3), angle=1.0)]
    return scree.PolygonSimulation(bodies, **{**dict(box=(4, 4), gravity=(0, -10), stiffness=1e5, restitution=0.3, friction=0.5), **more})


# ---- Shapes ---------------------------------------------------------------------------------------------------------

def test_closed_forms(rng):
    turned = scree.Polygon(BRICK.xy[::-1])  # clockwise is turned round
    for shape in (BRICK, turned):
        assert (shape.area, shape.perimeter, shape.radius) == (0.5, 3.0, pytest.approx(np.hypot(0.5, 0.25)))
        assert shape.gyration == pytest.approx((1 + 0.25) / 12) and shape.centre == pytest.approx([0, 0]) and shape.reflex == 0
    points = rng.uniform(-1, 1, (200, 2))
    away = np.abs(points) - [0.5, 0.25]
    inside = (away < 0).all(1)
    np.testing.assert_array_equal(BRICK.contains(points), inside)
    np.testing.assert_allclose(BRICK.distance(points), np.where(inside, -away.max(1), np.hypot(*np.maximum(away, 0).T)), atol=1e-14)
    at, edge = BRICK.nearest(points)
    np.testing.assert_allclose(np.hypot(*(at - points).T), BRICK.distance(points), atol=1e-14)
    assert set(edge) == {0, 1, 2, 3}
    assert BRICK == pickle.loads(pickle.dumps(BRICK)) != scree.Polygon.make("star") and len({BRICK, scree.Polygon(BRICK.xy)}) == 1
    for rule in ("regular", "convex", "star", "ell", "hook", "chip"):
        made = scree.Polygon.make(rule, 20, radius=2.0, seed=3)
        assert made.radius == pytest.approx(2.0) and made == scree.Polygon.make(rule, 20, radius=2.0, seed=3)
    assert scree.Polygon.wall([[0, 0], [2, 0]], 0.5).area == pytest.approx(1.0)
    with pytest.raises(scree.ArgumentError, match="edges? "):
        scree.Polygon([[0, 0], [1, 1], [1, 0], [0, 1]])
    with pytest.raises(scree.ArgumentError, match=r"\(n, 2\)"):
        scree.Polygon([[0, 0, 0]])
    with pytest.raises(scree.ArgumentError, match="'sta'"):
        scree.Polygon.make("sta")


# ---- Simulation -----------------------------------------------------------------------------------------------------

def test_a_heap_comes_to_rest():
    sim = heap()
    sim.advance(60000)
    report, contacts, n = sim.measure(), sim.contacts(), sim.numbers
    assert report.energy_kinetic < 1e-6 and report.contacts + report.wall_contacts == len(contacts) and (n.free, n.discs, n.vertices) == (3, 1, 7)
    weight = 10 * (BRICK.rounded().area + np.pi * 0.2 ** 2 + scree.Polygon([[0, 0], [0.4, 0], [0, 0.4]]).rounded().area)
    assert n.mass * 10 == pytest.approx(weight)
    force = sum(one["force"] for one in sim.boundaries())
    assert force == pytest.approx([0, -weight], abs=1e-3 * weight)
    np.testing.assert_allclose(contacts.force[contacts.kind == "wall"].sum(0), -force, atol=1e-9)
    total = np.zeros((3, 2))
    np.add.at(total, contacts.ij[:, 0], contacts.force)
    pairs = contacts.ij[:, 1] >= 0
    np.add.at(total, contacts.ij[pairs, 1], -contacts.force[pairs])
    np.testing.assert_allclose(total[:, 1], 10 * np.array([BRICK.rounded().area, np.pi * 0.2 ** 2, scree.Polygon([[0, 0], [0.4, 0], [0, 0.4]]).rounded().area]), rtol=1e-3)
    assert set(contacts.kind) == {"wall", "disc"} and sim.memory().values.shape == (len(contacts), 6)


def test_a_disc_rebounds_as_closed_forms_say():
    for step, error in ((1e-4, 1e-2), (1e-5, 1e-3)):  # where damping ends the contact is found to a step
        sim = scree.PolygonSimulation([scree.Body(radius=0.5, x=(2, 0.51), v=(0, -1))], box=(4, 4), stiffness=1e4, restitution=0.7, time_step=step)
        sim.advance(int(0.06 / step))
        assert sim.v[0] == pytest.approx([0, 0.7], rel=error)
    with pytest.raises(scree.ArgumentError, match="one"):
        scree.PolygonSimulation([scree.Body(radius=0.5, x=(2, 1))], box=(4, 4), stiffness=1.0, contact_duration=1.0)


def test_states_and_checkpoints_go_on(tmp_path):
    sim = heap()
    sim.advance(2000)
    state, here = sim.state(), sim.hash
    sim.save(tmp_path / "a.npz")
    sim.advance(500)
    there = sim.hash
    for back in (lambda: sim.set_state(state), lambda: sim.load(tmp_path / "a.npz"), lambda: sim.set_state(pickle.loads(pickle.dumps(state)))):
        back()
        assert sim.hash == here and sim.steps == 2000 and sim.state() == state
        sim.advance(500)
        assert sim.hash == there
    assert state.memory is not None and len(state.memory) == len(sim.state().memory)
    other = heap(threads=1, method="all-pairs")
    with pytest.raises(ValueError, match="spin"):
        other.set_state(scree.PolygonState(0, (0, 0), sim.x, sim.angle, sim.v, sim.spin[:2]))
    other.advance(2500)
    assert other.hash == there
    sim.v, sim.spin = 0 * sim.v, 0 * sim.spin
    assert sim.measure().energy_kinetic == 0
    sim.x, sim.angle = sim.x + [0, 0.5], 0 * sim.angle
    assert sim.measure().contacts == sim.measure().wall_contacts == 0
    sim.gravity = (1, 0)
    assert sim.gravity.tolist() == [1, 0]


def test_fixed_bodies_move_as_specified():
    blade = scree.Body(BRICK, (2, 2), spin=1.0, fixed=True)
    sim = scree.PolygonSimulation([blade, scree.Body(radius=0.1, x=(1, 1))], box=(4, 4), stiffness=1e4)
    sim.advance(100)
    assert sim.angle[0] == pytest.approx(sim.time) and sim.fixed.tolist() == [True, False]
    sim.set_motion(0, (0.5, 0))
    before = sim.x[0]
    sim.advance(100)
    assert sim.x[0] - before == pytest.approx([0.5 * 100 * sim.numbers.time_step, 0]) and sim.spin[0] == 0


def test_rules():
    fits, limited = BRICK.rounded(), scree.Polygon([[0, 0], [4, 0], [4, 0.1], [0, 0.1]]).rounded(0.5)
    assert fits.r == pytest.approx(0.05 * np.sqrt(BRICK.area / np.pi)) and not fits.limited and limited.limited and limited.r == pytest.approx(0.025)
    blocks = [scree.Body(BRICK), scree.Body(BRICK, (0.1, BRICK.xy[:, 1].max() - BRICK.xy[:, 1].min() - 1e-4))]
    soft, sharp = (scree.PolygonSimulation(blocks, stiffness=1e5, rule=rule) for rule in ("rounded", "node-to-segment"))
    assert soft.numbers.rounding == 0.05 and soft.numbers.rounding_max == pytest.approx(fits.r) and soft.numbers.limited == 0 and sharp.numbers.rounding == 0
    assert len(soft.contacts()) == 2 and soft.numbers.mass < sharp.numbers.mass
    for wrong in (dict(rounding=0.0), dict(rule="round"), dict(allow_deep=True)):
        with pytest.raises(scree.ArgumentError, match=next(iter(wrong)) if "rule" not in wrong else "'round'"):
            scree.PolygonSimulation(blocks, stiffness=1e5, **wrong)


def test_materials():
    bodies = [scree.Body(BRICK, (1, 0.26), v=(1, 0), material="ice"), scree.Body(BRICK, (3, 0.26), v=(1, 0), material="rubber")]
    made = dict(box=[[-10, 0], [20, 4]], gravity=(0, -10), stiffness=1e5, restitution=0.5, materials={"ice": dict(material_density=3.0), "rubber": {}}, wall_material="rubber")
    sim = scree.PolygonSimulation(bodies, **made, pairs={("ice", "ice"): dict(friction=0.0), ("rubber", "ice"): dict(friction=0.0), ("rubber", "rubber"): dict(friction=0.9)})
    sim.advance(10000)
    assert sim.numbers.mass_max == pytest.approx(3 * BRICK.rounded().area) and sim.v[0, 0] == pytest.approx(1.0, rel=1e-3) and abs(sim.v[1, 0]) < 0.5 and sim.materials == ("ice", "rubber")
    with pytest.raises(scree.ArgumentError, match="'ice' and 'ice' can meet.*friction"):
        scree.PolygonSimulation(bodies, **made, pairs={("rubber", "ice"): dict(friction=0.1)})
    with pytest.raises(scree.ArgumentError, match="bodies.0..material is 'ise'; did you mean 'ice'"):
        scree.PolygonSimulation([scree.Body(BRICK, material="ise")], **made)
    with pytest.raises(TypeError, match="bodies.0. is 'a'"):
        scree.PolygonSimulation(["a"], **made)
    with pytest.raises(scree.ArgumentError, match="bodies.0..shape"):
        scree.PolygonSimulation([scree.Body([[0, 0], [1, 1]])], **made)


def test_pickled_simulations():
    """The copy goes on with the same bits: with friction, materials and a moving body, and of a scene before and after its change."""
    bodies = [scree.Body(scree.Polygon.make("star", 9, radius=0.3), (1 + k, 1.0), angle=k, material="a") for k in range(3)] + [scree.Body(BRICK, (2, 0.2), fixed=True, material="b")]
    sim = scree.PolygonSimulation(bodies, box=(4, 4), gravity=(0, -5), stiffness=1e4, restitution=0.5, friction=0.4, materials={"a": dict(material_density=2), "b": {}}, wall_material="b")
    sim.advance(2000)
    sim.set_motion(3, (0.1, 0), 0.5)
    sim.gravity = (1, -5)
    sim.advance(100)
    again = pickle.loads(pickle.dumps(sim))
    assert again.hash == sim.hash and again.materials == sim.materials
    sim.advance(2000), again.advance(2000)
    assert again.hash == sim.hash
    text = """dimension: 2
box: {size: [1, 1]}
gravity: [0, -2]
bodies: [{shape: star, vertices: 8, sizes: "mono:0.1", place: random, count: 6, material_density: 2}]
contact: {stiffness: 1e3, restitution: 0.5}
time: {step: 1e-4, steps: 3000}
changes: [{at: 0.1, gravity: [1, -1]}]
"""
    whole = scree.PolygonSimulation.from_scene(scree.Scene.from_text(text))
    whole.advance()
    for steps in (500, 2000):
        part = scree.PolygonSimulation.from_scene(scree.Scene.from_text(text))
        part.advance(steps)
        again = pickle.loads(pickle.dumps(part))
        again.advance()
        assert again.hash == whole.hash and again.steps == 3000


def test_a_scene_in_memory_is_the_run(tmp_path):
    path = tmp_path / "bodies.yaml"
    path.write_text(BODIES.replace("20000", "3000").replace("10000", "3000") + "changes: [{at: 0.02, gravity: [1, -1]}]\n")
    run, sim = scree.run(path, tmp_path / "run"), scree.PolygonSimulation.from_scene(path)
    assert sim.steps == 0 and sim.end == run.steps == 3000
    seen = []
    sim.advance(every=1000, callback=lambda sim: seen.append(sim.steps))
    assert sim.hash == run.hash and seen == [1000, 2000, 3000] and sim.gravity.tolist() == [1, -1]
    outlines = sim.outlines
    assert all(np.array_equal(a, b) for a, b in zip(outlines, run.outlines)) and run.spheres.box == sim.box == outlines.box
    frame = scree.read_outlines(tmp_path / "run" / "frames" / "frame_000001.vtp")
    assert all(np.array_equal(frame[name], outlines[name]) for name in outlines.columns) and all(map(np.array_equal, frame, outlines))
    scree.write(tmp_path / "again.vtp", outlines)
    assert scree.read_outlines(tmp_path / "again.vtp") == outlines
    np.testing.assert_array_equal(scree.picture(outlines, width=64, height=48), scree.picture(frame, width=64, height=48))
    sim.save(tmp_path / "c.npz")
    sim.load(tmp_path / "c.npz")
    assert sim.hash == run.hash
    assert run._repr_png_()[:4] == sim._repr_png_()[:4] == b"\x89PNG" and "10 bodies" in run._repr_html_()
    assert outlines[outlines["fixed"] == 1].x.shape == (1, 2) and len(outlines[1:4]) == 3 and outlines[1].shape == (0, 2)
    with pytest.raises(TypeError, match="Outlines"):
        scree.measure(outlines)
    with pytest.raises(scree.ArgumentError, match="eye|2"):
        scree.picture(outlines, eye=(1, 1, 1), width=64, height=48)
    path.write_text("box: {size: [6, 6]}\n")
    with pytest.raises(ValueError):
        scree.PolygonSimulation.from_scene(path)


def test_outlines_are_checked():
    triangle = [[0, 0], [3, 0], [0, 3]]
    one = scree.Outlines([triangle])
    assert one.x.tolist() == [[1, 1]] and one.r[0] == pytest.approx(np.sqrt(5)) and one == pickle.loads(pickle.dumps(one))
    for outlines, more, match in (([triangle, []], {}, "outlines.1. is a disc"), ([[[0, 0], [1, 1]]], {}, "outlines.0. has the shape"), ([triangle], dict(x=[[0, 0], [1, 1]]), r"\(1, 2\)")):
        with pytest.raises(scree.ArgumentError, match=match):
            scree.Outlines(outlines, **more)
