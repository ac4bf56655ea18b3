"""Contacts without a simulation, walls, groups and flow; hard spheres; meshes; films, pages and lists of frames."""
import dataclasses
import errno
import os
import pickle

import numpy as np
import pytest
import scree

CUBE = np.array([[[0, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [1, 0, 0]], [[0, 0, 1], [1, 0, 1], [1, 1, 1]], [[0, 0, 1], [1, 1, 1], [0, 1, 1]],
                 [[0, 0, 0], [1, 0, 0], [1, 0, 1]], [[0, 0, 0], [1, 0, 1], [0, 0, 1]], [[0, 1, 0], [0, 1, 1], [1, 1, 1]], [[0, 1, 0], [1, 1, 1], [1, 1, 0]],
                 [[0, 0, 0], [0, 0, 1], [0, 1, 1]], [[0, 0, 0], [0, 1, 1], [0, 1, 0]], [[1, 0, 0], [1, 1, 0], [1, 1, 1]], [[1, 0, 0], [1, 1, 1], [1, 0, 1]]], float)


# ---- Measures -------------------------------------------------------------------------------------------------------

def test_contacts_are_found_without_a_simulation(rng):
    x, r, box = rng.uniform(0.1, 0.9, (60, 3)), rng.uniform(0.05, 0.12, 60), scree.Box((1, 1, 1), "x")
    found, (ij, shift) = scree.find_contacts(x, r, box, gap=0.01), scree.pairs(x, r, box, gap=0.01, images=True)
    np.testing.assert_array_equal(found.ij[:found.pair_count], ij)
    np.testing.assert_array_equal(found.shift[:found.pair_count], shift)
    i, j = ij.T
    d = x[i] - x[j] - shift * box.size
    distance = np.sqrt((d ** 2).sum(1))
    np.testing.assert_allclose(found.overlap[:len(ij)], r[i] + r[j] - distance, atol=1e-15)
    np.testing.assert_allclose(found.normal[:len(ij)], d / distance[:, None], atol=1e-12)
    walls = {(k, -1 - (2 * axis + side)) for k in range(60) for axis in (1, 2) for side in (0, 1) if (x[k, axis] if side == 0 else 1 - x[k, axis]) - r[k] < 0.01}
    assert set(map(tuple, found.ij[found.pair_count:].tolist())) == walls and len(walls) > 1
    assert scree.network(x, r, box, contacts=found).contacts == found.pair_count
    with pytest.raises(scree.ArgumentError, match="forces"):
        scree.picture(x, r, box=box, forces=found, width=32, height=32)


def test_walls_groups_and_flow(rng):
    x = np.array([[0.5, 0.48], [1.5, 0.45], [1.0, 1.2]])
    sim = scree.Simulation(x, 0.5, rng.normal(size=(3, 2)), (2, 4), stiffness=1e3, gravity=(0, -1), group=[0, 1, 1], friction=0.2, spin=[1.0, 2.0, 3.0])
    boundaries = sim.boundaries()
    for wall in range(4):
        found = scree.wall_stress(wall, sim.spheres, contacts=sim.contacts())
        force, length = boundaries[wall]["force"][:2], (4, 2)[wall // 2]
        assert found.contacts == boundaries[wall]["contacts"] and found.area == length
        np.testing.assert_allclose(found.force, force, atol=1e-12)
        assert found.pressure == pytest.approx(force[wall // 2] * (1 if wall % 2 else -1) / length)
    sums, own = scree.groups(sim.spheres, group=[0, 1, 1], gravity=(0, -1)), sim.groups()
    for one, other in zip(sums, own):
        assert (one.count, one.mass) == (other["count"], pytest.approx(other["mass"]))
        assert (one.energy_kinetic, one.energy_rotation) == (pytest.approx(other["energy_kinetic"]), pytest.approx(other["energy_rotation"]))
        np.testing.assert_allclose(one.momentum, other["momentum"][:2])
    assert sum(g.energy_gravity for g in sums) == pytest.approx(sim.measure().energy_gravity)
    assert sums[1].centre == pytest.approx(x[1:].mean(0)) and sums[0].temperature == 0
    before = scree.Spheres([[0.1, 0.5], [0.9, 0.5], [0.5, 0.5]], 0.05, (1, 1), "x")
    after = scree.Spheres([[0.9, 0.5], [0.1, 0.5], [0.6, 0.5]], 0.05, (1, 1), "x")
    assert scree.flow(before, after, 0, 0.05) == scree.Flow(1, 1, 0.0)
    assert scree.flow(before, after, 0, 0.55, mass=3.0) == scree.Flow(1, 0, 3.0)
    with pytest.raises(scree.ArgumentError):
        scree.wall_stress(0, before, contacts=sim.contacts())


def test_a_packing_is_stable_or_not():
    made = scree.pack("uniform-size:0.5:0.6", 60, "rearrange", periodic=True, stable=True)
    found = scree.stability(made)
    assert found.residual < 1e-3 and found.rattlers < 20 and found.bearing >= found.isostatic > 0
    assert scree.stability(scree.Spheres(made.x, 0.5 * made.r, made.box)).contacts == 0


# ---- Simulation -----------------------------------------------------------------------------------------------------

def test_boundaries_move_as_specified():
    plane = dict(plane=dict(at=(0, 0, 1), normal=(0, 0, 1)), name="lid")
    sim = scree.Simulation([[0, 0, 3.0], [1, 0, 2.0]], 0.25, surfaces=[plane], stiffness=1e3)
    np.testing.assert_allclose(sim.clearance([[0, 0, 3], [1, 1, 1.5]]), [2, 0.5])
    sim.set_motion("lid", (0, 0, 2.0))
    sim.advance(10)
    assert sim.boundaries()[6]["at"][2] == pytest.approx(2 * sim.time) and sim.volume == np.inf
    with pytest.raises(scree.ArgumentError, match="no boundary 'lad'"):
        sim.set_motion("lad")
    gas = scree.Simulation([[1, 1], [2, 2]], 0.25, [[1, 0], [0, 1]], (4, 4), True, stiffness=1e3)
    gas.scale(0.5, 2.0)
    gas.set_threads(1)
    assert gas.volume == 4 and gas.x.tolist() == [[0.5, 0.5], [1, 1]] and gas.v.tolist() == [[2, 0], [0, 2]]


def test_forces_are_drawn():
    sim = scree.Simulation([[0.5, 0.5, 0.49], [0.5, 0.5, 1.45]], 0.5, box=(1, 1, 3), stiffness=1e3)
    plain, shown = (scree.picture(sim.spheres, width=240, height=180, forces=forces) for forces in (None, sim.contacts()))
    assert (plain != shown).any()
    more = scree.picture(sim.spheres, width=240, height=180, walls=0.3, caption="t = 0", opacity=0.5, triangles=CUBE, view=[[0, 1], [0, 1], [0, 3]])
    assert more.shape == (180, 240, 4) and (more != plain).any()
    with pytest.raises(scree.ArgumentError, match=r"expected \(3, 2\)"):
        scree.picture(sim.spheres, view=[[0, 1]])


# ---- Hard spheres ---------------------------------------------------------------------------------------------------

def test_hard_spheres_collide_as_closed_forms_say():
    """One dimension: equal masses exchange their velocities; a wall turns one round."""
    gas = scree.HardSpheres([[1.0, 1.0], [2.5, 1.0]], 0.5, [[1, 0], [0, 0]], box=(4, 2))
    first = gas.next()
    assert (first.time, first.i, first.j) == (pytest.approx(0.5), 0, 1)
    second = gas.next()
    assert (second.time, second.i, second.j, second.axis, second.side) == (pytest.approx(1.5), 1, -1, 0, 1)
    gas.run(time=2.0)
    np.testing.assert_allclose(gas.x, [[1.5, 1], [3.0, 1]])
    np.testing.assert_allclose(gas.v, [[0, 0], [-1, 0]])
    assert gas.stats.collisions == gas.stats.wall_collisions == 1 and len(gas) == 2 and gas.next(2.01) is None


def test_hard_spheres_keep_energy_and_grow(rng):
    start = scree.pack("uniform-size:0.4:0.6", 100, density=0.2, periodic=True)
    gas = scree.HardSpheres(start, v=scree.thermal_velocities(start, temperature=1.0))
    energy = gas.stats.energy
    gas.run(collisions=1000)
    stats = gas.stats
    assert stats.energy == pytest.approx(energy, rel=1e-10) and stats.collisions == 1000 and np.abs(stats.momentum).max() < 1e-9
    phi = start.density  # between ideal gas and twice Carnahan and Starling's
    assert 1 < stats.reduced_pressure < 2 * (1 + phi + phi ** 2 - phi ** 3) / (1 - phi) ** 3
    gas.reset_stats()
    gas.set_temperature(2.0)
    gas.set_rate(0.05)
    gas.run(scale=1.1)
    assert gas.stats.scale == pytest.approx(1.1) and len(scree.pairs(gas.spheres, gap=-1e-9)) == 0 and not gas.is_jammed()
    gas.validate()
    with pytest.raises(TypeError, match="a time"):
        gas.run()
    with pytest.raises(scree.ArgumentError):
        scree.HardSpheres([[1, 1], [1.5, 1]], 0.5, [[0, 0], [0, 0]], box=(4, 4))


# ---- Meshes ---------------------------------------------------------------------------------------------------------

def test_a_cube(tmp_path, rng):
    cube = scree.Mesh(CUBE)
    report = cube.report
    assert (report.closed, report.oriented, report.area, report.volume, report.edges, len(cube)) == (True, True, 6, pytest.approx(1), 18, 12)
    points = rng.uniform(-0.5, 1.5, (100, 3))
    outside = np.maximum(np.maximum(-points, points - 1), 0)
    inside = (outside == 0).all(1)
    np.testing.assert_array_equal(cube.winding(points), inside)
    depth = np.minimum(points, 1 - points).min(1)
    np.testing.assert_allclose(cube.closest(points).distance, np.where(inside, depth, np.sqrt((outside ** 2).sum(1))), atol=1e-12)
    touched = cube.contacts((0.5, 0.5, 1.2), 0.3)
    assert touched.distance.tolist() == [pytest.approx(0.2)] and touched.normal[0].tolist() == [0, 0, 1]
    corner = cube.contacts((0.1, 0.1, 0.5), 0.2)  # two faces, and the edge between them takes away what they share
    assert corner.scale.tolist() == [1, 1, -1] and (corner.load > 0).tolist() == [True, True, False] and set(corner.component) == {0} and len(cube.contacts((5, 5, 5), 1).distance) == 0
    assert corner.load.sum() == pytest.approx(0.1 + 0.1 - (0.2 - 0.1 * 2 ** 0.5))
    cube.write(tmp_path / "cube.stl")
    assert np.array_equal(scree.Mesh(tmp_path / "cube.stl").vertices, cube.vertices) and cube.corners.shape == (12, 3, 3)
    with pytest.raises(scree.ArgumentError, match=r"expected \(n, 3, 3\)"):
        scree.Mesh([[0, 0, 0]])
    with pytest.raises(scree.ArgumentError):
        scree.Mesh(CUBE[:-1]).winding([[0, 0, 0]])


# ---- Frames ---------------------------------------------------------------------------------------------------------

def test_films_pages_and_lists(tmp_path):
    frames = [scree.Spheres([[k, 0, 0], [5, 0, 0]], 1.0, mass=[1.0, 2.0]) for k in range(3)]
    outlines = scree.Outlines([[[0, 0], [1, 0], [0, 1]]])
    for name, given in (("a.png", frames), ("b.png", [outlines])):
        scree.film(tmp_path / name, given, width=64, height=48)
        data = (tmp_path / name).read_bytes()
        assert data[:4] == b"\x89PNG" and data.count(b"fcTL") == len(given)
    scree.film(f"{tmp_path}/series/", frames, width=64, height=48, colour_by="mass")
    pictures = [path.read_bytes() for path in sorted((tmp_path / "series").iterdir())]
    steady = dict(width=64, height=48, colour_by="mass", view=[[-1, 6], [-1, 1], [-1, 1]], range=(1, 2))
    for frame, drawn in zip(frames, pictures):
        scree.picture(frame, path=tmp_path / "one.png", **steady)
        assert (tmp_path / "one.png").read_bytes() == drawn
    scree.view(tmp_path / "page.html", frames, [0, 1, 2], title="three & more", colour_by="mass")
    scree.view(tmp_path / "one.html", outlines)
    assert "three" in (tmp_path / "page.html").read_text() and (tmp_path / "one.html").stat().st_size > 1000
    scree.write_frames(tmp_path / "list.pvd", [0.0, 0.5], [tmp_path / "f/a.vtp", tmp_path / "f/b.vtp"])
    assert 'file="f/a.vtp"' in (tmp_path / "list.pvd").read_text()
    assert scree.read_frames(tmp_path / "list.pvd") == [(0.0, f"{tmp_path}/f/a.vtp"), (0.5, f"{tmp_path}/f/b.vtp")]
    for call in (lambda: scree.film(tmp_path / "c.png", frames, width=64, height=48, colour_by="charge"), lambda: scree.view(tmp_path / "c.html", frames, [0]),
                 lambda: scree.film(tmp_path / "c.gif", frames), lambda: scree.write_frames(tmp_path / "c.pvd", [0.0], [])):
        with pytest.raises(scree.ArgumentError):
            call()
    assert not list(tmp_path.glob("c.*"))


def test_lists_of_frames_with_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub" / "frames").mkdir(parents=True)
    files = ["sub/a.vtp", "sub/frames/b.vtp", "c.vtp", str(tmp_path / "sub/d.vtp")]
    scree.write_frames("sub/all.pvd", range(4), files)
    text = (tmp_path / "sub/all.pvd").read_text()
    for name in ("a.vtp", "frames/b.vtp", "../c.vtp", "d.vtp"):
        assert f'file="{name}"' in text
    found = [name for _, name in scree.read_frames("sub/all.pvd")]
    assert [tmp_path / name for name in found[:2]] == [tmp_path / name for name in files[:2]]
    assert [os.path.normpath(name) for name in found] == ["sub/a.vtp", "sub/frames/b.vtp", "c.vtp", "sub/d.vtp"]
    assert scree.read_frames(tmp_path / "sub/all.pvd")[0][1] == str(tmp_path / "sub/a.vtp")
    monkeypatch.chdir(tmp_path / "sub")
    assert [os.path.normpath(name) for _, name in scree.read_frames("all.pvd")][:2] == ["a.vtp", "frames/b.vtp"]


def test_records_are_shown():
    """Each kind of record names fields that it has."""
    kinds = [kind for kind in vars(scree).values() if isinstance(kind, type) and hasattr(kind, "_shown") and dataclasses.is_dataclass(kind)]
    assert scree.Network in kinds and len(kinds) > 10
    for kind in kinds:
        assert set(kind._shown) <= {field.name for field in dataclasses.fields(kind)}, kind
    x = [[1, 1], [1.9, 1], [1.45, 1.7]]
    shown = scree.network(x, 0.5, (3, 3), contacts=scree.find_contacts(x, 0.5, (3, 3)))
    assert "cluster_max=3" in repr(shown) and "cluster_max" in shown._repr_html_()


def test_frames_that_are_none(tmp_path):
    for call in (scree.view, scree.film):
        name = tmp_path / ("o.html" if call is scree.view else "o.png")
        for wrong in ("drop", tmp_path, 5, [scree.Spheres([[0, 0]], 1.0), "drop"], np.zeros((3, 3))):
            with pytest.raises(scree.ArgumentError, match="frames (is|has).*expected Spheres or Outlines"):
                call(name, wrong)
        assert not name.exists()


def test_missing_files_are_missing(tmp_path):
    for read in (scree.read, scree.read_frames, scree.read_outlines, scree.read_contacts, scree.Mesh, scree.Scene):
        with pytest.raises(FileNotFoundError, match="nowhere") as caught:
            read(tmp_path / ("nowhere." + {scree.read_frames: "pvd", scree.read_contacts: "csv", scree.Mesh: "stl", scree.Scene: "yaml"}.get(read, "vtp")))
        assert isinstance(caught.value, scree.FileError) and caught.value.errno == errno.ENOENT
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value) and str(again) == str(caught.value)
    with pytest.raises(FileNotFoundError):
        scree.write(tmp_path / "no/such/folder.csv", [[0, 0]], 1.0)
    with pytest.raises(scree.FileError) as caught:
        scree.write(tmp_path, [[0, 0]], 1.0, format="csv")
    assert not isinstance(caught.value, FileNotFoundError)


def test_radii_are_no_box():
    x = np.random.default_rng(3).uniform(0, 9, (60, 3))
    for given in ((x, np.full(60, 0.5)), (x, 0.5), (x[:2], np.full(2, 0.5)), (x[:3], np.full(3, 0.5))):
        with pytest.raises(scree.ArgumentError, match=r"Index: box has the shape.*update\(x, r\)"):
            scree.Index(*given)
    with pytest.raises(scree.ArgumentError, match="periodic"):
        scree.Box((3, 3, 3), [1, 2, 1])


def test_centres_many_boxes_away():
    x, box = np.array([[0.5, 0, 0], [3.5 + 4 * 40, 0, 0]]), dict(box=(4, 4, 4), periodic=True)
    i, S = scree.neighbour_list("iS", x, 1.5, **box)
    assert i.tolist() == [0, 1] and S[:, 0].tolist() == [-41, 41]
    ij, shift = scree.pairs(x, 0.75, **box, images=True)
    assert ij.tolist() == [[0, 1]] and shift.tolist() == [[-41, 0, 0]] and shift.dtype == np.int8
    for wrong in (4e12, np.inf):
        with pytest.raises(scree.ArgumentError, match=r"sphere 1.*(boxes away|not a length)"):
            scree.pairs([[0.5, 0, 0], [wrong, 0, 0]], 0.75, **box)


CELLS = [scree.Box((3, 4, 5), True), scree.Box([[-1, 0, -1e6], [2, 4, 1e6]], "xy"), scree.Box((3, 3, 4), True, tilt=(1.1, 4.0, -0.5)),
         scree.Box([[3, 0, 0], [9.5, 4, 0], [0, 1, 4]], True), scree.Box([[0, 2, 2], [2, 0, 2], [2, 2, 0]], True)]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("most", [40, 3000])
def test_an_unwrapped_trajectory_has_the_pairs_of_the_wrapped_one(cell, most):
    """Whole boxes are added to centres: the same pairs and spheres, and shifts that lead to the centres as given."""
    rng, box = np.random.default_rng(most), cell
    n, axes = 30, [k for k in range(3) if box.periodic[k]]
    x, r = rng.uniform(0, 3, (n, 3)), rng.uniform(0.2, 0.7, n)
    turns = np.zeros((n, 3), int)
    turns[:, axes] = rng.integers(-most, most + 1, (n, len(axes)))
    far = x + turns @ box.cell

    def rows(ij, shift):
        return sorted((*map(int, a), *map(int, b)) for a, b in zip(ij, shift))

    def given(ij, shift):
        return rows(ij, shift + turns[ij[:, 0]] - turns[ij[:, 1]])

    near = scree.pairs(x, r, box, images=True)
    assert len(near[0]) > 20
    found = scree.pairs(far, r, box, images=True)
    assert rows(*found) == given(*near)
    assert found[1].dtype == (np.int8 if np.abs(found[1]).max() <= 127 else np.int32)
    assert np.array_equal(scree.pairs(far, r, box), scree.pairs(x, r, box))
    both = scree.pairs(far, r, box, images=True, full=True)
    assert rows(*both) == sorted([*rows(*found), *((j, i, *(-s for s in shift)) for i, j, *shift in rows(*found))])
    if box is CELLS[0]:
        measured, wanted = scree.measure(far, r, box), scree.measure(x, r, box)
        assert measured.contacts == wanted.contacts and measured.max_overlap_pair == wanted.max_overlap_pair
        i, j = measured.max_overlap_pair
        true = wanted.max_overlap_shift + turns[i] - turns[j]
        assert measured.max_overlap_shift == tuple(np.where(np.abs(true) <= 127, true, -128))

    index = scree.Index(box, gap=0.1, skin=0.2)
    index.update(x, r)
    known, listed = index.pairs(images=True), index.rows()
    index.update(far, r)
    assert rows(*index.pairs(images=True)) == given(*known)
    ij, shift = index.pairs(images=True, copy=False)
    assert rows(ij, shift) == given(*known)
    del ij, shift
    kept = index.rows()
    ends = [np.column_stack([np.repeat(np.arange(n), np.diff(some.start)), some.j]) for some in (kept, listed)]
    assert rows(ends[0], kept.shift) == given(ends[1], listed.shift)
    # One by one: the same as an index that is given all at once.
    for step in range(12):
        i = int(rng.integers(len(far)))
        turn = np.zeros(3, int)
        turn[axes] = rng.integers(-most, most + 1, len(axes)) * rng.integers(2)
        new = rng.uniform(0, 3, 3)
        if step % 3 == 0:
            index.move(i, new + turn @ box.cell)
            x[i], turns[i] = new, turn
        elif step % 3 == 1:
            assert index.insert(new + turn @ box.cell, 0.4) == len(x)
            x, r, turns = np.vstack([x, new]), np.append(r, 0.4), np.vstack([turns, turn])
        else:
            index.remove(i)
            for a in (x, r, turns):
                a[i] = a[-1]
            x, r, turns = x[:-1], r[:-1], turns[:-1]
        far = x + turns @ box.cell
        fresh = scree.Index(box, gap=0.1)
        fresh.update(x, r)
        for i in range(len(x)):
            j, s = index.neighbours(i, images=True)
            k, t = fresh.neighbours(i, images=True)
            assert rows(np.column_stack([k * 0 + i, k]), t + turns[i] - turns[k]) == rows(np.column_stack([j * 0 + i, j]), s)
        j, s = index.query(new + 2 * turn @ box.cell, 0.3, images=True)
        k, t = fresh.query(new, 0.3, images=True)
        assert rows(np.column_stack([k, k]), t + 2 * turn - turns[k]) == rows(np.column_stack([j, j]), s)
        assert rows(*index.pairs(images=True)) == given(*fresh.pairs(images=True))


def test_names_of_files_in_place_of_spheres_and_points_of_another_shape():
    with pytest.raises(TypeError, match=r"x is 'spheres.csv'.*scree.read"):
        scree.pairs("spheres.csv", 0.5)
    with pytest.raises(TypeError, match=r"x is 'a.png'.*scree.read"):
        scree.picture("a.png", "spheres.csv")
    mesh = scree.Mesh(np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], float))
    with pytest.raises(scree.ArgumentError, match=r"x has the shape \(1, 3\); expected \(3,\)"):
        mesh.contacts([[0.3, 0.3, 0.05]], 0.1)


def test_a_closed_simulation_lends_no_forces():
    sim = scree.Simulation([[0, 0, 0]], 0.5, stiffness=1000)
    sim.external_force[0] = 1
    sim.close()
    with pytest.raises(ValueError, match="closed"):
        sim.external_force
