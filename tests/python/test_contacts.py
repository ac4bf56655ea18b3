"""Contacts of frames, read back: both files of a run give the same arrays, which fit the simulation of the same scene; files that are cut or something else."""
import re

import numpy as np
import pytest
import scree

SCENE = """
box: {size: [1, 1, 1], periodic: [x, y]}
gravity: [0, 0, -10]
contact: {stiffness: 200, restitution: 0.8}
time: {step: 1e-4, steps: 300}
output: {contacts: true}
spheres: {count: 300, sizes: 'uniform-size:0.04:0.07', sampling: random, place: random, velocity: thermal, temperature: 0.03}
"""
BODIES = """
dimension: 2
box: {size: [4, 6], periodic: [x]}
gravity: [0, -10]
contact: {stiffness: 10000, restitution: 0.4, friction: 0.5}
time: {step: 4e-5, steps: 400}
output: {contacts: true}
bodies: [{shape: star, vertices: 9, sizes: 'uniform-size:0.1:0.25', place: random, count: 60, angle_spread: 3.1, velocity: [-9, -9]}]
"""
DISCS = """
dimension: 2
box: {size: [1, 1]}
gravity: [0, -10]
contact: {stiffness: 100, restitution: 0.6, friction: 0.5}
time: {steps: 600}
output: {contacts: true}
spheres: {count: 40, sizes: 'mono:0.06', place: random}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("contacts")
    for name, scene in (("spheres", SCENE), ("bodies", BODIES), ("discs", DISCS)):
        (made / f"{name}.yaml").write_text(scene)
        scree.run(made / f"{name}.yaml", made / name)
    return made


@pytest.mark.parametrize("name", ["spheres", "bodies", "discs"])
@pytest.mark.parametrize("frame", [0, 1])
def test_both_files_give_the_same(folder, name, frame):
    one, two = (scree.read_contacts(folder / name / "contacts" / f"contacts_{frame:06d}.{ending}") for ending in ("csv", "vtp"))
    assert list(one) == list(two) and (len(one["i"]) > 0) == (frame == 1)
    for column in one:
        assert one[column].dtype == two[column].dtype and one[column].shape == two[column].shape, column
        np.testing.assert_array_equal(one[column], two[column], err_msg=column)


def test_friction_of_bodies_and_discs(folder):
    bodies, discs = (scree.read_contacts(folder / name / "contacts" / "contacts_000001.csv") for name in ("bodies", "discs"))
    assert bodies["tangential"].shape == bodies["force"].shape == (len(bodies["i"]), 2) and set(bodies["sliding"]) <= {0, 1}
    assert np.any(bodies["tangential"] != 0) and np.abs((bodies["tangential"] * bodies["normal"]).sum(axis=1)).max() < 1e-9 * np.abs(bodies["force"]).max()
    assert discs["torque_z"].shape == (len(discs["i"]),) and np.any(discs["torque_z"] != 0) and "torque" not in discs


def test_they_are_those_of_the_simulation(folder):
    sim = scree.Simulation.from_scene(folder / "spheres.yaml")
    sim.advance()
    now, frame = sim.contacts(), scree.read(folder / "spheres" / "frames" / "frame_000001.vtp")
    found = scree.read_contacts(folder / "spheres" / "contacts" / "contacts_000001.vtp")
    np.testing.assert_array_equal(np.column_stack([found["i"], found["j"]]), now.ij)
    for name in ("overlap", "normal", "force"):
        np.testing.assert_array_equal(found[name], getattr(now, name))
    pair = found["j"] >= 0
    i, j = found["i"][pair], found["j"][pair]
    apart = frame.x[i] - (frame.x[j] + found["shift"][pair] * frame.box.size)  # as docs/python.md says it
    np.testing.assert_allclose(frame.r[i] + frame.r[j] - np.linalg.norm(apart, axis=1), found["overlap"][pair], atol=1e-12)
    assert (found["shift"] != 0).any()


def test_friction_comes_as_vectors(tmp_path):
    (tmp_path / "c.csv").write_text("i,j,overlap,nx,ny,nz,fx,fy,fz,tangential_x,tangential_y,tangential_z,sliding\n0,1,0.5,1,0,0,2,0.25,0,0,0.25,0,1\n")
    found = scree.read_contacts(tmp_path / "c.csv")
    assert found["tangential"].tolist() == [[0, 0.25, 0]] and found["sliding"].tolist() == [1] and found["sliding"].dtype == np.int64
    assert list(found) == ["i", "j", "overlap", "normal", "force", "tangential", "sliding"]


def test_files_that_are_no_contacts(folder, tmp_path):
    whole = (folder / "spheres" / "contacts" / "contacts_000001.vtp").read_bytes()
    for end in (*range(0, len(whole) - 50, 499), whole.index(b"_") + 8):
        (tmp_path / "cut.vtp").write_bytes(whole[:end])
        with pytest.raises(scree.FormatError, match=re.escape(str(tmp_path / "cut.vtp"))):
            scree.read_contacts(tmp_path / "cut.vtp")
    with pytest.raises(scree.FormatError, match="'i' and 'j'"):
        scree.read_contacts(folder / "spheres" / "frames" / "frame_000001.vtp")
    (tmp_path / "a.csv").write_text("i,j,overlap\n0,1,0.5\n0,2,half\n")
    with pytest.raises(scree.FormatError, match="a.csv:3.*half"):
        scree.read_contacts(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("i,j,overlap\n0,1,0.5\n0,2\n")
    with pytest.raises(scree.FormatError, match="a.csv:3"):
        scree.read_contacts(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("x,y,r\n0,1,0.5\n")
    with pytest.raises(scree.FormatError, match="a.csv:1.*x,y,r"):
        scree.read_contacts(tmp_path / "a.csv")
    with pytest.raises(scree.FileError, match="nowhere.csv"):
        scree.read_contacts(tmp_path / "nowhere.csv")
    with pytest.raises(scree.FileError, match="nowhere"):
        scree.read_contacts(tmp_path / "nowhere")
    (tmp_path / "a.npy").write_bytes(b"")
    with pytest.raises(scree.ArgumentError, match="a.npy"):
        scree.read_contacts(tmp_path / "a.npy")
    with pytest.raises(scree.FormatError, match="radius"):
        scree.read(folder / "spheres" / "contacts" / "contacts_000001.vtp")
