"""Measures of a run by `scree measure DIR` against a few lines of NumPy over all cells, spheres and contacts."""
import json
import math
import os
import subprocess

import numpy as np
import pytest
import scree

SCENE = """
box: {size: [1, 0.8, 0.9], periodic: [x]}
gravity: [0, 0, -10]
contact: {stiffness: 100000, restitution: 0.5, friction: 0.5}
time: {step: 1.5e-4, steps: 2400}
output: {contacts: true, every_steps: 800}
spheres:
  - {name: small, count: 250, sizes: 'mono:0.04', place: random, material_density: 1000, velocity: thermal, temperature: 0.03}
  - {name: large, count: 30, sizes: 'mono:0.08', place: random, material_density: 2000}
seed: 3
"""
LENGTH, CELLS, WIDTH = np.array([1, 0.8, 0.9]), (3, 2, 4), 0.06
_erf = np.vectorize(math.erf)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("measures")
    (folder / "scene.yaml").write_text(SCENE)
    scree.run(folder / "scene.yaml", folder / "run")
    text = subprocess.run([os.environ["SCREE"], "measure", folder / "run", "--bins", "0", "--fields", "3,2,4", "--width", str(WIDTH), "--profile", "z", "--profile-bins",
                           "7", "--flow", "z:0.4", "--json", "--quiet", "-o", folder / "out"], check=True, stdout=subprocess.PIPE).stdout
    frames = [scree.read(folder / "run" / "frames" / f"frame_{k:06d}.vtp") for k in range(4)]
    mass = np.where(frames[-1]["group"] == 0, 1000, 2000) * 4 / 3 * np.pi * frames[-1].r ** 3
    return json.loads(text), frames, scree.read_contacts(folder / "run" / "contacts" / "contacts_000003.csv"), mass, folder


def weights(x, cells):
    """The integral of a Gauss kernel, cut at 4 widths, around each x over each cell, with all images: (n, cells). Along x the box is periodic; elsewhere it has walls."""
    per_axis = []
    for k in range(3):
        edges = np.linspace(0, LENGTH[k], cells[k] + 1)
        images = [x[:, k] + s * LENGTH[k] for s in (-1, 0, 1)] if k == 0 else [x[:, k], -x[:, k], 2 * LENGTH[k] - x[:, k]]
        u = np.stack([np.clip((edges[None, :] - image[:, None]) / WIDTH, -4, 4) for image in images])
        share = np.diff(_erf(u / math.sqrt(2)), axis=2).sum(axis=0) / (2 * math.erf(4 / math.sqrt(2)))
        per_axis.append(np.ones((len(x), 1)) if cells[k] == 1 else share)
    return np.einsum("na,nb,nc->ncba", *per_axis).reshape(len(x), -1)  # x changes fastest


def branches(frame, c):
    """From j, or from the wall, to i."""
    wall = c["j"] < 0
    d = frame.x[c["i"]] - (frame.x[c["j"]] + c["shift"] * LENGTH)
    d[wall] = (frame.r[c["i"]] - c["overlap"])[wall, None] * c["normal"][wall]
    return d


def test_fields(found):
    said, frames, c, mass, folder = found
    frame, volume = frames[-1], np.prod(LENGTH / CELLS)
    v, w, d = frame["velocity"], weights(frame.x, CELLS), branches(frame, c)
    table = np.genfromtxt(f"{folder}/out-fields.csv", delimiter=",", names=True)
    density = mass @ w / volume
    velocity = np.einsum("n,nc,nk->ck", mass, w, v) / volume / np.where(density > 0, density, 1)[:, None]
    np.testing.assert_allclose(table["density"], density, rtol=1e-9, atol=1e-9)
    assert abs(table["density"].sum() * volume - mass.sum()) < 1e-9 * mass.sum() and abs(said["fields_mass"] - mass.sum()) < 1e-9 * mass.sum()
    line = np.mean([weights(frame.x[c["i"]] - (s + 0.5) / 80 * d, CELLS) for s in range(80)], axis=0)
    for k, l in np.ndindex(3, 3):
        name = "xyz"[k] + "xyz"[l]
        dv = [v[:, None, e] - velocity[None, :, e] for e in (k, l)]
        np.testing.assert_allclose(table["kinetic_stress_" + name], (mass[:, None] * w * dv[0] * dv[1]).sum(axis=0) / volume, rtol=1e-8, atol=1e-6)
        fd = c["force"][:, k] * d[:, l]
        np.testing.assert_allclose(table["contact_stress_" + name], fd @ line / volume, atol=1e-4 * np.abs(fd @ line / volume).max() + 1e-3)
        assert abs(table["contact_stress_" + name].mean() - fd.sum() / np.prod(LENGTH)) < 1e-9 * np.abs(fd).sum()
    profile, w = said["profile"], weights(frame.x, (1, 1, 7))
    np.testing.assert_allclose(profile["density"], mass @ w / np.prod(LENGTH) * 7, rtol=1e-9)


def test_network(found):
    said, frames, c, _, _ = found
    pair = c["j"] >= 0
    n, f = c["normal"][pair], c["force"][pair]
    assert said["network_contacts"] == pair.sum() > 100 and said["network_wall_contacts"] == (~pair).sum() > 10
    np.testing.assert_allclose(np.reshape(said["fabric"], (3, 3)), n.T @ n / len(n), atol=1e-12)
    size = np.linalg.norm(f, axis=1)
    np.testing.assert_allclose(np.reshape(said["force_fabric"], (3, 3)), (size[:, None] * n).T @ n / size.sum(), atol=1e-12)
    np.testing.assert_allclose(said["fabric_values"], np.linalg.eigvalsh(n.T @ n / len(n))[::-1], atol=1e-12)
    normal = (f * n).sum(axis=1)
    p = said["force_distribution"]
    edges = np.append(p["force_lower"], p["force_upper"][-1])
    assert abs(said["force_mean"] - normal.mean()) < 1e-12 * normal.mean() and abs(sum(p["contacts"]) - len(n)) == 0
    np.testing.assert_allclose(p["probability"], np.histogram(normal / normal.mean(), edges, density=True)[0], atol=0.2)  # rounding at edges may move one
    assert sum(s * k for s, k in zip(said["cluster_sizes"]["spheres"], said["cluster_sizes"]["clusters"])) == 280
    wall = c["j"] == -5
    np.testing.assert_allclose(said["wall_stress_lower_z"], -c["force"][wall].sum(axis=0) / 0.8, rtol=1e-9, atol=1e-9)


def test_rattlers_of_a_bed_with_friction():
    """By dim + 1 nearly all spheres of a settled bed with friction would be removed one after the other; two contacts hold a sphere there, by the law of the contacts."""
    rng = np.random.default_rng(5)
    x = (np.indices((6, 6, 8)).reshape(3, -1).T + 0.5) * 0.25 + rng.uniform(-0.02, 0.02, (288, 3))
    for friction in (0.0, 0.8):
        sim = scree.Simulation(x, rng.uniform(0.08, 0.1, 288), box=(1.5, 1.5, 3), periodic="xy", gravity=(0, 0, -10), contact_duration=0.01, restitution=0.1, friction=friction)
        sim.run(10000)
        c, box = sim.contacts(), (1.5, 1.5, 3)
        n = scree.network(sim.x, sim.r, box, "xy", contacts=c)
        assert c.friction == (friction > 0) and n.contacts_min == (2 if friction else 4)
        ends = np.bincount(np.concatenate((c.ij[:, 0], c.ij[: c.pair_count, 1])), minlength=288)
        wanted = (2 * n.contacts + n.wall_contacts - (ends == 1).sum()) / (ends > 1).sum()
        assert (n.no_contact, n.one_contact) == ((ends == 0).sum(), (ends == 1).sum()) and abs(n.mechanical_coordination - wanted) < 1e-12
        assert f"rattlers={n.rattlers}" in repr(n)
        strict = scree.network(sim.x, sim.r, box, "xy", contacts=c, least_contacts=4)
        if friction:
            assert n.rattlers < 15 and strict.rattlers > 100 and 3.4 < n.mechanical_coordination < 5.5
        else:
            assert n.rattlers == strict.rattlers
        m = scree.measure(sim.x, sim.r, box, "xy", gap=0.0, r_bins=0, least_contacts=n.contacts_min)
        assert (m.rattlers, m.no_contact, m.one_contact, m.mechanical_coordination) == (n.rattlers, n.no_contact, n.one_contact, n.mechanical_coordination)


def test_groups_mixing_and_flow(found):
    said, frames, _, mass, _ = found
    frame, groups = frames[-1], said["groups"]
    for g in range(2):
        own = frame["group"] == g
        assert groups["spheres"][g] == own.sum() and abs(groups["mass"][g] / mass[own].sum() - 1) < 1e-12
        assert abs(groups["energy_kinetic"][g] / (0.5 * mass[own] @ (frame["velocity"][own] ** 2).sum(axis=1)) - 1) < 1e-12
        assert abs(groups["energy_rotation"][g] / (0.2 * (mass * frame.r**2)[own] @ (frame["spin"][own] ** 2).sum(axis=1)) - 1) < 1e-12
        assert abs(groups["energy_gravity"][g] / (10 * mass[own] @ frame.x[own, 2]) - 1) < 1e-12
    cells = np.array(said["mixing_cells"])
    at = np.ravel_multi_index(tuple(np.minimum((frame.x / LENGTH * cells).astype(int), cells - 1).T), cells)
    inside = np.bincount(at, mass)[np.unique(at)]
    p = (np.bincount(at, mass * frame["group"])[np.unique(at)] / inside, mass @ frame["group"] / mass.sum())
    s, s0 = (inside * (p[0] - p[1]) ** 2).sum() / mass.sum(), p[1] * (1 - p[1])
    random = ((mass / mass.sum() * (frame["group"] - p[1])) ** 2).sum() * (len(inside) - 1) * 280 / 279
    assert abs(said["mixing_lacey"] - (s0 - s) / (s0 - random)) < 1e-12
    ij = scree.pairs(frame, gap=said["mixing_gap"])
    ij = ij[ij[:, 0] != ij[:, 1]]
    unlike = np.mean(frame["group"][ij[:, 0]] != frame["group"][ij[:, 1]])
    ends = np.array([np.mean(np.bincount(ij.ravel(), minlength=280)[frame["group"] == g]) for g in range(2)])[frame["group"]]  # each group has one size
    share = ends / ends.sum()
    expected = (1 - sum(share[frame["group"] == g].sum() ** 2 for g in range(2))) / (1 - (share**2).sum())
    assert abs(said["mixing_neighbours"] - unlike / expected) < 1e-12
    for k in range(3):
        sign = (frames[k + 1].x[:, 2] >= 0.4).astype(int) - (frames[k].x[:, 2] >= 0.4)
        assert said["flow"]["forward"][k] == (sign > 0).sum() and said["flow"]["backward"][k] == (sign < 0).sum()
        assert abs(said["flow"]["rate"][k] - sign @ mass / 0.12) < 1e-6


@pytest.mark.parametrize("method,dim", (("rsa", 3), ("rearrange", 3), ("rsa", 2)))
def test_random_packings_of_two_sizes_are_mixed(method, dim):
    """3:1 with half of the mass in each size: a random packing has 1, as have random labels and shuffled spheres. By number the first has 1.6 in 2D, 3 to 3.8 in 3D."""
    more = {"density": 0.3} if method == "rsa" else {}
    s = scree.pack("bidisperse:3", 1500, method, periodic="xyz"[:dim], seed=4, dim=dim, threads=1, **more)
    large = (s.r > 2).astype(int)
    m = scree.mixing(s, group=large)
    assert 0.97 < m.neighbours < 1.08 and 0.9 < m.lacey < 1.1, m
    ij = scree.pairs(s, gap=m.gap)
    share, number = np.mean(large[ij[:, 0]] != large[ij[:, 1]]), large.mean()
    assert abs(m.unlike / m.pairs - share) < 1e-12 and share / (2 * number * (1 - number)) > 1.5
    rng = np.random.default_rng(6)
    labelled = [scree.mixing(s, group=rng.permutation(len(s)) % 3 % 2) for _ in range(60)]
    assert abs(np.mean([k.lacey for k in labelled]) - 1) < 0.025 and abs(np.mean([k.neighbours for k in labelled]) - 1) < 0.01
    shuffled = [scree.mixing(s.x[rng.permutation(len(s))], s.r, s.box, group=large, gap=0.0).lacey for _ in range(60)]
    assert abs(np.mean(shuffled) - 1) < 0.025
    high = s.x[:, 0] > np.quantile(s.x[:, 0], 0.5)
    assert scree.mixing(s, group=high.astype(int)).lacey < 0.45 and scree.mixing(s, group=high.astype(int)).neighbours < 0.35


def test_the_module_gives_the_same(found):
    said, frames, c, mass, folder = found
    frame = frames[-1]
    table = np.genfromtxt(f"{folder}/out-fields.csv", delimiter=",", names=True)
    f = scree.fields(frame, cells=CELLS, width=WIDTH, mass=mass, contacts=c)
    assert f.density.shape == CELLS and f.contact_stress.shape == (*CELLS, 3, 3)
    np.testing.assert_allclose(f.density.transpose(2, 1, 0).ravel(), table["density"], rtol=1e-13)  # masses are rounded otherwise here
    np.testing.assert_allclose(f.velocity[..., 1].transpose(2, 1, 0).ravel(), table["velocity_y"], rtol=1e-9)
    np.testing.assert_array_equal(f.contact_stress[..., 0, 2].transpose(2, 1, 0).ravel(), table["contact_stress_xz"])
    np.testing.assert_array_equal(f.centres(2), np.unique(table["z"]))
    n = scree.network(frame, contacts=c, least_contacts=said["contacts_min"])
    assert said["contacts_min"] == 2 and scree.network(frame, contacts=c).contacts_min == 4  # the law of the run; a file has none
    assert (n.rattlers, n.mechanical_coordination) == (said["network_rattlers"], said["network_mechanical_coordination"])
    assert n.contacts == said["network_contacts"] and n.force_mean == said["force_mean"] and n.fabric.ravel().tolist() == said["fabric"]
    assert n.force_probability.tolist() == said["force_distribution"]["probability"] and n.cluster_size.max() == n.cluster_max == said["cluster_max"]
    m = scree.mixing(frame, mass=mass)
    assert (m.neighbours, list(m.cells)) == (said["mixing_neighbours"], said["mixing_cells"]) and abs(m.lacey - said["mixing_lacey"]) < 1e-12  # masses are rounded otherwise here
    sim = scree.Simulation([[0.3, 0.5], [0.7, 0.5]], 0.25, box=(1, 1), stiffness=100.0)
    held = scree.fields(sim.x, 0.25, box=(1, 1), cells=(1, 1), contacts=sim.contacts())
    np.testing.assert_allclose(held.contact_stress[0, 0], sim.measure().contact_stress, atol=1e-12)
    x = np.random.default_rng(1).uniform(0, 5, (200, 3))
    x[:, 2] = 1 + 0.25 * x[:, 0]
    assert abs(scree.repose(x, 0.1, box=(5, 5, 5)).angle - math.degrees(math.atan(0.25))) < 1e-10
    bent = x.copy()
    bent[x[:, 0] > 2.5, 2] += 1 - 0.4 * x[x[:, 0] > 2.5, 0]
    assert abs(scree.repose(bent, 0.1, box=(5, 5, 5), region=((0, 0, 0), (2.4, 5, 5))).angle - math.degrees(math.atan(0.25))) < 1e-10
    np.savetxt(folder / "bent.csv", np.column_stack((bent, np.full(200, 0.1))), "%.17g", ",", header="x,y,z,r", comments="")

    def slope(*more):
        return json.loads(subprocess.run([os.environ["SCREE"], "measure", folder / "bent.csv", "--box", "5,5,5", "--bins", "0", "--json", "--repose", "slope", *more], check=True, stdout=subprocess.PIPE).stdout)
    assert abs(slope("--region", "0,0,0,2.4,5,5")["repose_angle"] - math.degrees(math.atan(0.25))) < 1e-10
    cut, there = slope("--low", "0.1", "--high", "0.7"), scree.repose(bent, 0.1, (5, 5, 5), low=0.1, high=0.7)
    assert (cut["repose_angle"], cut["repose_error"], cut["repose_points"]) == (there.angle, there.error, there.points) and there.points < slope()["repose_points"]


def test_grains_around_a_heap(tmp_path):
    """A cone of 18.9 degrees with single grains around it on the ground. With these a fit from 0.1 of the height on has 16.2 degrees."""
    a = np.indices((60, 60)).reshape(2, -1).T - 29.5
    q = np.hypot(*a.T)
    high = 0.5 + math.tan(math.radians(18.9)) * np.maximum(16 - q, 0)
    there = (q < 16) | ((q < 20) & (np.arange(1, 3601) % 8 == 0))
    x = np.column_stack((a + 30, high))[there]
    found = scree.repose(x, 0.5, box=(60, 60, 50), surface="heap")
    assert abs(found.angle - 18.9) < 1e-9 and found.error < 1e-9
    np.savetxt(tmp_path / "heap.csv", np.column_stack((x, np.full(len(x), 0.5))), "%.17g", ",", header="x,y,z,r", comments="")
    done = subprocess.run([os.environ["SCREE"], "measure", tmp_path / "heap.csv", "--box", "60,60,50", "--bins", "0", "--json", "--repose", "heap"], check=True, stdout=subprocess.PIPE)
    assert json.loads(done.stdout)["repose_angle"] == found.angle


def test_what_does_not_fit(found):
    frame, c = found[1][-1], found[2]
    for word, call in (("cells", lambda: scree.fields(frame, cells=(1, 1))), ("'round'", lambda: scree.fields(frame, cells=(1, 1, 1), kernel="round")),
                       ("v has the shape", lambda: scree.fields(frame, cells=(1, 1, 1), v=np.zeros((3, 3)))), ("box", lambda: scree.mixing(frame.x, frame.r)),
                       ("'cliff'", lambda: scree.repose(frame, surface="cliff")), ("contact 0", lambda: scree.network(frame.x[:1], 0.1, box=(1, 1, 1), contacts=c))):
        with pytest.raises(scree.ArgumentError, match=word):
            call()


SURFACES = """
box: {size: [1, 1, 2]}
gravity: [0, 0, -10]
contact: {stiffness: 100000, restitution: 0.3, friction: 0.5}
time: {step: 1.5e-4, steps: 3000}
output: {contacts: true, every_steps: 3000}
spheres: {count: 200, sizes: 'mono:0.045', place: random, material_density: 1000, region: {from: [0.5, 0.5, 0.7], to: [0.5, 0.5, 1.9], radius: 0.3}}
surfaces:
- {name: tube, cylinder: {from: [0.5, 0.5, 0.3], to: [0.5, 0.5, 1.9], radius: 0.4, inside: true}}
- {name: slope, plane: {at: [0.5, 0.5, 0.35], normal: [-1, 0, 2]}}
- {name: lid, disc: {at: [0.5, 0.5, 0.45], normal: [0, 0, 1], radius: 0.25, hole: 0.04}}
- {name: funnel, cone: {from: [0.5, 0.5, 0.65], to: [0.5, 0.5, 0.5], radius_from: 0.4, radius_to: 0.2, inside: true}}
- {name: bump, mesh: bump.stl}
seed: 4
"""


def test_surfaces(tmp_path):
    """Forces on each surface, its area, and the profile along a cylinder."""
    corners = np.array([[0.2, 0.5, 0.8], [0.8, 0.5, 0.8], [0.5, 0.7, 0.75], [0.5, 0.3, 0.75]])
    triangles = corners[[[0, 1, 2], [1, 0, 3]]]
    (tmp_path / "bump.stl").write_text("solid b\n" + "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % tuple(v) for v in t) + "endloop\nendfacet\n" for t in triangles)
                                       + "endsolid b\n")
    (tmp_path / "scene.yaml").write_text(SURFACES)
    scree.run(tmp_path / "scene.yaml", tmp_path / "run")
    said = json.loads(subprocess.run([os.environ["SCREE"], "measure", tmp_path / "run", "--bins", "0", "--json", "--quiet", "-o", tmp_path / "out"], check=True, stdout=subprocess.PIPE).stdout)
    c, frame = scree.read_contacts(tmp_path / "run" / "contacts" / "contacts_000001.csv"), scree.read(tmp_path / "run" / "frames" / "frame_000001.vtp")
    x = np.linspace(0, 1, 2001)  # the slope rises by half along x: all of it is inside
    mesh = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1).sum() / 2
    areas = {"tube": 2 * np.pi * 0.4 * 1.6, "slope": np.trapz(np.full(2001, math.hypot(1, 0.5)), x), "lid": np.pi * (0.0625 - 0.0016), "funnel": np.pi * 0.6 * math.hypot(0.2, 0.15), "bump": mesh}
    for n, (name, area) in enumerate(areas.items()):
        on = c["j"] == -1 - (6 + n)
        f, normal = c["force"][on], c["normal"][on]
        along = (f * normal).sum(axis=1)
        assert said["surface_contacts_" + name] == on.sum() and (name == "slope" or on.sum() > 3), name
        np.testing.assert_allclose(said["surface_area_" + name], area, rtol=1e-12)
        np.testing.assert_allclose(said["surface_force_" + name], -f.sum(axis=0), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(said["surface_pressure_" + name], along.sum() / area, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(said["surface_shear_" + name], np.linalg.norm(f - along[:, None] * normal, axis=1).sum() / area, rtol=1e-9, atol=1e-12)
    tube = c["j"] == -7
    along = (c["force"][tube] * c["normal"][tube]).sum(axis=1)
    profile = said["surface_profile"]
    assert profile["surface"] == [0] * 10 and sum(profile["contacts"]) == tube.sum()
    np.testing.assert_allclose(profile["pressure"], np.histogram(frame.x[c["i"][tube], 2], np.linspace(0.3, 1.9, 11), weights=along)[0] / (2 * np.pi * 0.4 * 0.16), rtol=1e-9, atol=1e-9)


def test_fragments_go_by_bonds():
    """A bar that is pulled apart: two fragments, which are pushed together again. By contacts they are one cluster."""
    x = np.stack((1 + np.arange(12) * 0.999, np.full(12, 2.0)), axis=1)
    v = np.zeros((12, 2))
    v[6:, 0] = 6.0
    sim = scree.Simulation(x, 0.5, box=(20, 4), v=v, stiffness=1000.0, restitution=0.2, bonds={"gap": 0.01, "young": 500.0, "tensile_strength": 20.0})
    sim.run(3000)
    bonds = sim.bonds() if callable(sim.bonds) else sim.bonds
    found = scree.fragments(sim.x, 0.5, (20, 4), bonds=bonds, mass=np.arange(1.0, 13.0))
    label = np.cumsum(np.concatenate(([0], ~bonds.holds)))  # the bonds are those of a chain, in order
    assert bonds.ij.tolist() == [[k, k + 1] for k in range(11)] and 0 < (~bonds.holds).sum() < 8
    assert found.fragment.tolist() == label.tolist() and found.size.tolist() == np.bincount(label).tolist() and found.fragments == found.bonds_broken + 1
    assert found.mass.tolist() == np.bincount(label, np.arange(1.0, 13.0)).tolist() and abs(found.fragment_share_max - found.mass.max() / 78) < 1e-15
    assert (found.bonds, found.bonds_broken_tension, found.bonds_broken_shear) == (bonds.holds.sum(), (bonds.cause == 1).sum(), (bonds.cause == 2).sum())
    together = np.stack((1 + np.arange(12) * 0.999, np.full(12, 2.0)), axis=1)
    touching = scree.find_contacts(together, 0.5, (20, 4))
    assert scree.network(together, 0.5, (20, 4), contacts=touching).clusters == 1
    by_bonds = scree.network(together, 0.5, (20, 4), contacts=touching, clusters="bonds", bonds=bonds)
    assert by_bonds.clusters == found.fragments and by_bonds.cluster.tolist() == found.fragment.tolist()
    assert scree.network(together, 0.5, (20, 4), contacts=touching, clusters="bonds", bonds=bonds.ij).clusters == 1
    with pytest.raises(scree.ArgumentError, match="bonds"):
        scree.network(together, 0.5, (20, 4), contacts=touching, clusters="bonds")
    with pytest.raises(scree.ArgumentError, match="bond 0"):
        scree.fragments(together, 0.5, (20, 4), bonds=[[0, 12]])


@pytest.mark.parametrize("cell", [np.diag([3.0, 2.5, 3.7]), np.array([[3, 0, 0], [0.7, 2.5, 0], [-0.9, 1.1, 3.7]]), np.array([[3, 0], [0.6, 2.5]])])
def test_structure_factor(cell):
    """All wave vectors by one product of matrices."""
    dim, rng = len(cell), np.random.default_rng(4)
    x = rng.random((137, dim)) @ cell
    box = scree.Box(size=np.diag(cell), periodic=True, tilt=cell[np.tril_indices(dim, -1)])
    found = scree.structure_factor(x, 0.01, box, k_max=15, bins=23)
    k = np.indices((25,) * dim).reshape(dim, -1).T - 12
    k = 2 * np.pi * k @ np.linalg.inv(cell).T
    length = np.linalg.norm(k, axis=1)
    k, length = k[(length > 0) & (length < 15)], length[(length > 0) & (length < 15)]
    s = np.abs(np.exp(-1j * x @ k.T).sum(axis=0)) ** 2 / len(x)
    shell = np.searchsorted(found.edges, length, side="right") - 1
    count = np.bincount(shell, minlength=23)
    assert 2 * found.total == len(k) and (2 * found.vectors == count).all() and count[0] == 0 and np.isnan(found.s[0])
    np.testing.assert_allclose(found.s[count > 0], np.bincount(shell, s, 23)[count > 0] / count[count > 0], rtol=1e-12)
    np.testing.assert_allclose(found.k[count > 0], np.bincount(shell, length, 23)[count > 0] / count[count > 0], rtol=1e-12)
    np.testing.assert_allclose(found.s_max[count > 0], [s[shell == b].max() for b in np.flatnonzero(count)], rtol=1e-12)


def test_bond_order(tmp_path):
    """Spherical harmonics of a random set as products of directions: the sum over m of |mean Y_lm|^2 is the mean of Legendre's P_l over all pairs of bonds."""
    rng = np.random.default_rng(5)
    x, r, box = rng.random((60, 3)) * 4, rng.uniform(0.2, 0.5, 60), scree.Box((4, 4, 4), periodic=(True, True, False))
    found = scree.bond_order(x, r, box, cutoff=1.5)
    d = x[:, None] - x
    d[..., :2] -= 4 * np.round(d[..., :2] / 4)
    length = np.linalg.norm(d, axis=2)
    near = (length < 1.5 * (r[:, None] + r)) & ~np.eye(60, dtype=bool)
    assert (found.neighbours == near.sum(axis=1)).all() and found.bonds == near.sum() // 2

    def order(bonds, degree):
        return math.sqrt(max(0.0, np.polynomial.legendre.legval(bonds @ bonds.T, [0] * degree + [1]).mean())) if len(bonds) else math.nan
    units = [d[i, near[i]] / length[i, near[i], None] for i in range(60)]
    for name, degree in (("q4", 4), ("q6", 6)):
        local = np.array([order(one, degree) for one in units])
        np.testing.assert_allclose(getattr(found, name), local, atol=1e-7)
        assert abs(getattr(found, name + "_mean") - np.nanmean(local)) < 1e-7 and abs(getattr(found, name + "_global") - order(np.concatenate(units), degree)) < 1e-7
    by_gap, touching = scree.bond_order(x, r, box, gap=0.1), length < r[:, None] + r + 0.1
    assert by_gap.bonds == (touching.sum() - 60) // 2
    scree.write(tmp_path / "set.xyz", x, r, box)
    done = subprocess.run([os.environ["SCREE"], "measure", tmp_path / "set.xyz", "--bins", "0", "--json", "--order", "--order-cutoff", "1.5", "-o", tmp_path / "m"], check=True, stdout=subprocess.PIPE)
    said, table = json.loads(done.stdout), np.genfromtxt(tmp_path / "m-order-spheres.csv", delimiter=",", names=True)
    assert said["q6_global"] == found.q6_global and said["order_bonds"] == found.bonds and np.array_equal(table["q4"], found.q4, equal_nan=True)
    assert sum(said["order_distribution"]["q6"]) == (found.neighbours > 0).sum()
    for text, call in (("give only one", lambda: scree.bond_order(x, r, box, gap=1, cutoff=1)), ("cutoff = -1", lambda: scree.bond_order(x, r, box, cutoff=-1)),
                       ("axis z", lambda: scree.structure_factor(x, r, box)), ("k_max", lambda: scree.structure_factor(x, r, (4, 4, 4), True, k_max=-1))):
        with pytest.raises(scree.ArgumentError, match=text):
            call()


WALK = """
box: {size: [1, 1, 1], periodic: [x, y]}
spheres:
  - {name: slow, count: 15, sizes: 'mono:0.02', place: random, velocity: thermal, temperature: 0.2, material_density: 1000}
  - {name: fast, count: 15, sizes: 'mono:0.02', place: random, velocity: [3, -2, 0], material_density: 1000}
contact: {stiffness: 100000, restitution: 1}
time: {step: 1e-4, steps: 10000}
output: {every_steps: 500}
"""


def test_displacement(tmp_path):
    """Spheres of a run across periodic faces: against the integral of their velocities. Spheres that come and go: by their numbers."""
    (tmp_path / "scene.yaml").write_text(WALK)
    run = [os.environ["SCREE"], "run", tmp_path / "scene.yaml", "-o", tmp_path / "run", "--quiet"]
    subprocess.run(run, check=True, stdout=subprocess.PIPE)
    frames = [scree.read(name) for _, name in scree.read_frames(tmp_path / "run" / "frames.pvd")]
    walked, at = np.zeros((30, 3)), frames[0].x
    found = scree.displacement(frames)
    for k, frame in enumerate(frames):
        way = frame.x - at
        way[:, :2] -= np.round(way[:, :2])
        walked, at = walked + way, frame.x
        square = (walked ** 2).sum(axis=1)
        assert found.count[k] == 30 and abs(found.msd[k] - square.mean()) < 1e-12 and abs(found.group_msd[k] - [square[:15].mean(), square[15:].mean()]).max() < 1e-12
    np.testing.assert_allclose(found.moved, walked, atol=1e-12)
    np.testing.assert_allclose(found.mean[-1] * 30, walked.sum(axis=0), atol=1e-11)
    assert 9 < found.group_msd[-1, 1] and abs(walked).max() > 2  # they went round several times
    done = subprocess.run([os.environ["SCREE"], "measure", tmp_path / "run", "--msd", "--frames", "4:20", "--bins", "0", "--json", "-o", tmp_path / "m"], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said, later = json.loads(done.stdout), scree.displacement(frames[4:])
    table = {name: np.array(values).reshape(17, 3) for name, values in said["displacement"].items()}  # all, slow, fast
    assert (table["group"] == [-1, 0, 1]).all() and (table["spheres"] == [30, 15, 15]).all() and said["msd_spheres"] == 30 and said["msd"] == later.msd[-1] and not done.stderr
    np.testing.assert_array_equal(table["msd"], np.column_stack([later.msd, later.group_msd]))
    np.testing.assert_array_equal(table["msd_y"][:, 1:], later.group_square[:, :, 1])
    np.testing.assert_array_equal(table["mean_x"][:, 2], later.group_mean[:, 1, 0])
    coarse = subprocess.run([os.environ["SCREE"], "measure", tmp_path / "run", "--msd", "--frames", "21:", "--bins", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert coarse.returncode != 0 and "frames 0 to 20" in coarse.stderr

    def numbered(ids, x):
        return scree.Spheres(x, 0.1, (4, 4), periodic=True, columns={"id": np.array(ids)})
    some = [numbered([2, 5, 7], [[0.5, 1], [1, 1], [3.9, 1]]), numbered([5, 7, 9], [[1.5, 1], [0.2, 1], [2, 2]]), numbered([7, 9, 12], [[0.4, 1.5], [3, 3], [1, 1]])]
    found = scree.displacement(some, group=[0, 1, 1])
    assert found.count.tolist() == [3, 2, 1] and found.rows.tolist() == [2] and np.allclose(found.moved, [[0.5, 0.5]]) and np.allclose(found.msd, [0, (0.25 + 0.09) / 2, 0.5])
    assert found.group_count.tolist() == [[1, 2], [0, 2], [0, 1]]
    with pytest.raises(scree.ArgumentError, match="3 and 2 spheres"):
        scree.displacement([scree.Spheres(np.zeros((n, 2)), 0.1, (1, 1)) for n in (3, 2)])
    with pytest.raises(scree.ArgumentError, match="no frames"):
        scree.displacement([])


def test_displacement_without_the_cell(tmp_path):
    """A cloud without contacts that shears with its cell for 6 units of strain has no displacement of its own."""
    (tmp_path / "scene.yaml").write_text("""
box: {size: [1, 1, 1], periodic: [x, y, z]}
spheres: {count: 40, sizes: 'mono:0.001', place: random, material_density: 1000}
contact: {stiffness: 0.1, restitution: 1}
cell: {shear: 3, strain: {zz: -0.1}}
time: {step: 1e-3, steps: 2000}
output: {every_steps: 100}
""")
    scree.run(tmp_path / "scene.yaml", tmp_path / "run")
    frames = [scree.read(name) for _, name in scree.read_frames(tmp_path / "run" / "frames.pvd")]
    found = scree.displacement(frames)
    assert len({frame.box.tilt for frame in frames}) > 5 and found.msd.max() < 1e-20


@pytest.mark.parametrize("cell, periodic, region", [([[2, 0, 0], [0.7, 1.7, 0], [-0.5, 0.9, 2.3]], True, None), ([[2, 0, 0], [0, 1.7, 0], [0, 0, 2.3]], "y", [[0.2, 0.3, -0.1], [1.5, 2, 1]]),
                                                    ([[2, 0], [0.8, 1.7]], True, None)])
def test_voxels(tmp_path, cell, periodic, region):
    """By points: which of all images each centre lies in, and how many of a grid of points in each voxel."""
    cell, rng = np.array(cell, float), np.random.default_rng(3)
    dim, points = len(cell), 16 if len(cell) == 3 else 60
    box = scree.Box(np.diag(cell), periodic=periodic, tilt=cell[np.tril_indices(dim, -1)] if periodic is True else None)
    x, r, cells = rng.random((12, dim)) @ cell, rng.uniform(0.1, 0.6, 12), (6, 7, 5)[:dim]
    found = scree.voxels(x, r, box, cells=cells, region=region)
    lower, upper = np.array([np.zeros(dim), np.diag(cell)] if region is None else region, float)
    shifts = np.stack(np.meshgrid(*[np.arange(-2, 3) if on else [0] for on in box.periodic], indexing="ij"), -1).reshape(-1, dim)
    centres, radii, ids = (x[:, None] + shifts @ cell).reshape(-1, dim), np.repeat(r, len(shifts)), np.repeat(np.arange(12), len(shifts))
    size = (upper - lower) / cells
    at = np.stack(np.meshgrid(*[(np.arange(n) + 0.5) * s + low for n, s, low in zip(cells, size, lower)], indexing="ij"), -1)
    power = ((at[..., None, :] - centres) ** 2).sum(-1) - radii ** 2
    assert (found.label == np.where(power.min(-1) < 0, ids[power.argmin(-1)], -1)).all()
    inside, offset = np.zeros(cells), np.stack(np.meshgrid(*[(np.arange(points) + 0.5) / points - 0.5] * dim, indexing="ij"), -1).reshape(-1, dim) * size
    for centre, radius in zip(centres, radii):
        near = np.linalg.norm(at - centre, axis=-1) < radius + np.linalg.norm(size)
        inside[near] += (((at[near][:, None] + offset - centre) ** 2).sum(-1) < radius ** 2).mean(-1)
    np.testing.assert_allclose(found.fraction, inside, atol=6e-3)  # of points
    assert abs(found.solid - found.fraction.mean()) < 1e-12
    for axis in range(dim if region is None else 0):
        profile = scree.porosity(x, r, box, along="xyz"[axis], bins=cells[axis])
        np.testing.assert_allclose(profile.fraction, found.fraction.mean(axis=tuple(k for k in range(dim) if k != axis)), rtol=1e-12)
    found.write(tmp_path / "v.npy")
    table = np.load(tmp_path / "v.npy")
    assert table.shape == cells and (table["label"] == found.label).all() and (table["fraction"] == found.fraction).all()
    only = scree.voxels(x, r, box, cells=cells, region=region, labels=False)
    assert only.label.size == 0 and (only.fraction == found.fraction).all()
    only.write(tmp_path / "f.npy")
    assert np.load(tmp_path / "f.npy").dtype.names == ("fraction",)
    if region is None:
        scree.write(tmp_path / "set.xyz", x, r, box)
        done = subprocess.run([os.environ["SCREE"], "measure", tmp_path / "set.xyz", "--bins", "0", "--json", "--voxels", ",".join(map(str, cells)), "--porosity", "x", "--porosity-bins", "6", "-o", tmp_path / "m"],
                              check=True, stdout=subprocess.PIPE)
        said = json.loads(done.stdout)
        assert (np.load(tmp_path / "m-voxels.npy")["label"] == found.label).all() and said["voxels_solid"] == found.solid and (tmp_path / "m-voxels.vti").stat().st_size > 500
        np.testing.assert_allclose(said["porosity"]["fraction"], found.fraction.mean(axis=tuple(range(1, dim))), rtol=1e-12)


def test_porosity_of_a_cylinder():
    """Against points drawn at random."""
    rng = np.random.default_rng(6)
    angle, radius = rng.random(300) * 2 * np.pi, np.sqrt(rng.random(300)) * 0.9
    x = np.column_stack([1 + radius * np.cos(angle), 1 + radius * np.sin(angle), rng.random(300) * 2.8 + 0.1])
    at = rng.random((100000, 3)) * [2, 2, 3]
    inside, distance = sum((((at - one) ** 2).sum(axis=1) < 0.01).astype(int) for one in x), np.hypot(at[:, 0] - 1, at[:, 1] - 1)
    by_radius, by_height, by_wall = (scree.porosity(x, 0.1, (2, 2, 3), along=along, bins=5, container="cylinder") for along in ("radius", "z", "wall"))
    for profile, place in ((by_radius, distance), (by_height, np.where(distance < 1, at[:, 2], -1)), (by_wall, np.minimum(np.minimum(at[:, 2], 3 - at[:, 2]), 1 - distance))):
        for k, (low, high) in enumerate(zip(profile.edges, profile.edges[1:])):
            here = inside[(place >= low) & (place < high)]
            assert abs(here.mean() - profile.fraction[k]) < 4 * here.std() / math.sqrt(len(here)) + 1e-3
        assert abs((profile.fraction * profile.volume).sum() - 300 * 4 / 3 * 0.001 / 3) < 1e-4 and abs(profile.volume.sum() - 1) < 1e-12
    with pytest.raises(scree.ArgumentError, match="radius"):
        scree.porosity(x, 0.1, (2, 2, 3), along="radius")
    with pytest.raises(scree.UnsupportedError, match="cylinder"):
        scree.porosity(x, 0.1, (2, 2, 3), along="x", container="cylinder")


def test_averages(found, tmp_path):
    """Means and errors over the frames of a run, and fields averaged over them."""
    frames, folder = found[1], found[4]
    done = subprocess.run([os.environ["SCREE"], "measure", folder / "run", "--average", "--frames", "1:", "--bins", "0", "--fields", "3,2,4", "--width", str(WIDTH), "--profile", "z", "--profile-bins", "7", "--json",
                           "--quiet", "-o", tmp_path / "m"], check=True, stdout=subprocess.PIPE)
    said = json.loads(done.stdout)
    assert (said["frames"], said["frame_from"], said["frame_to"]) == (3, 1, 3) and said["series"]["frame"] == [1, 2, 3] and said["time_to"] > said["time_from"]
    singles = [json.loads(subprocess.run([os.environ["SCREE"], "measure", folder / "run", "--frame", str(k), "--bins", "0", "--json", "--quiet"], check=True, stdout=subprocess.PIPE).stdout) for k in (1, 2, 3)]
    of = {name: row for row, name in enumerate(said["average"]["quantity"])}
    for name in ("density", "coordination", "force_mean", "nearest_gap_median", "mixing_lacey", "wall_pressure_lower_z"):
        values = [one[name] for one in singles]
        assert said["series"][name] == values
        row = {column: numbers[of[name]] for column, numbers in said["average"].items()}
        assert abs(row["mean"] - np.mean(values)) < 1e-12 * abs(row["mean"]) + 1e-15 and abs(row["deviation"] - np.std(values, ddof=1)) < 1e-9 * abs(row["mean"]) + 1e-15
        assert row["frames"] == 3 and row["min"] == min(values) and row["max"] == max(values) and row["error"] >= 0.999 * row["deviation"] / math.sqrt(3)
    assert said["series"]["fabric_xz"] == [one["fabric"][2] for one in singles] and said["series"]["wall_stress_lower_z_z"] == [one["wall_stress_lower_z"][2] for one in singles]
    mass = np.where(frames[0]["group"] == 0, 1000, 2000) * 4 / 3 * np.pi * frames[0].r ** 3
    fields = [scree.fields(frame, cells=(3, 2, 4), mass=mass, width=WIDTH, contacts=scree.read_contacts(folder / "run" / "contacts" / f"contacts_{k + 1:06d}.csv")) for k, frame in enumerate(frames[1:])]
    mean = scree.average_fields(fields)
    for name in ("density", "fraction", "momentum", "contact_stress"):
        np.testing.assert_allclose(getattr(mean, name), np.mean([getattr(f, name) for f in fields], axis=0), rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(mean.velocity, mean.momentum / mean.density[..., None], rtol=1e-12)
    flux = [f.kinetic_stress + f.density[..., None, None] * f.velocity[..., None] * f.velocity[..., None, :] for f in fields]
    np.testing.assert_allclose(mean.kinetic_stress, np.mean(flux, axis=0) - mean.density[..., None, None] * mean.velocity[..., None] * mean.velocity[..., None, :], rtol=1e-9, atol=1e-9)
    table = np.genfromtxt(tmp_path / "m-fields.csv", delimiter=",", names=True)
    np.testing.assert_allclose(table["density"], mean.density.transpose(2, 1, 0).ravel(), rtol=1e-9)
    np.testing.assert_allclose(table["kinetic_stress_zz"], mean.kinetic_stress[..., 2, 2].transpose(2, 1, 0).ravel(), rtol=1e-7, atol=1e-6)
    assert len(said["profile"]["z"]) == 7 and (tmp_path / "m-average.csv").stat().st_size > 500 and (tmp_path / "m-series.csv").stat().st_size > 500
    average = scree.average([1.0, 2.0, math.nan, 4.5])
    assert average.count == 3 and average.mean == 2.5 and abs(average.error - np.std([1, 2, 4.5], ddof=1) / math.sqrt(3)) < 1e-15
    for text, call in (("one axis", lambda: scree.average([[1.0]])), ("inf", lambda: scree.average([math.inf])), ("no fields", lambda: scree.average_fields([])), ("no Fields", lambda: scree.average_fields([3])),
                       ("expected the same", lambda: scree.average_fields([fields[0], scree.fields(frames[0], cells=(1, 1, 1))]))):
        with pytest.raises(scree.ArgumentError, match=text):
            call()


def test_contact_points(tmp_path):
    """In the middle between the two surfaces, and on walls; from the centre they are the lever arms of the torques of friction."""
    (tmp_path / "scene.yaml").write_text("""
box: {size: [1, 1, 0.7], periodic: [x]}
gravity: [0, 0, -10]
spheres: {count: 250, sizes: 'uniform-size:0.04:0.08', place: random, material_density: 1000, velocity: thermal, temperature: 0.05}
contact: {stiffness: 3000, restitution: 0.3, friction: 0.5}
time: {end: 0.5}
output: {contacts: true, every: 0.5}
""")
    with pytest.warns(RuntimeWarning):
        scree.run(tmp_path / "scene.yaml", tmp_path / "run")
    frame, c = scree.read(tmp_path / "run" / "frames" / "frame_000001.vtp"), scree.read_contacts(tmp_path / "run" / "contacts" / "contacts_000001.csv")
    points, pair = scree.contact_points(frame, contacts=c), c["j"] >= 0
    np.testing.assert_array_equal(c["point"], points)
    other = frame.x[c["j"]] + c["shift"] * [1, 1, 0.7]
    gap = [np.linalg.norm(points - centre, axis=1) - frame.r[row] for centre, row in ((frame.x[c["i"]], c["i"]), (other, c["j"]))]
    assert pair.sum() > 300 and (~pair).sum() > 30
    np.testing.assert_allclose(gap[0][pair], -c["overlap"][pair] / 2, atol=1e-12)
    np.testing.assert_allclose(gap[1][pair], -c["overlap"][pair] / 2, atol=1e-12)
    axis, side = np.divmod(-1 - c["j"][~pair], 2)
    np.testing.assert_allclose(points[~pair, axis], side * np.array([1, 1, 0.7])[axis], atol=1e-12)
    torque = np.cross(points - frame.x[c["i"]], c["force"])
    np.testing.assert_allclose(torque, c["torque"], atol=2e-3 * np.abs(c["torque"]).max())  # the normal of friction is that in the middle of the step
    with pytest.raises(scree.ArgumentError, match="overlaps"):
        scree.contact_points(frame, contacts={"i": c["i"], "j": c["j"]})
