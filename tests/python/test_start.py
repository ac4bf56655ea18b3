"""Scenes that begin from the state of another run, by the module and by the program."""
import json
import subprocess

import numpy as np
import pytest
import scree

FIRST = """dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
spheres:
- {name: small, count: 40, sizes: "mono:0.03", place: random}
- {name: large, count: 6, sizes: "mono:0.06", place: random, material_density: 3}
contact: {duration: 4e-3, restitution: 0.7}
time: {steps: 500}
"""
NEXT = """dimension: 2
start: {run: first}
gravity: [5, -8]
contact: {duration: 4e-3, restitution: 0.7}
time: {steps: %d}
changes:
- {at: 0.01, force: {large: [0, 0.5]}}
"""


def test_a_run_begins_from_another(tmp_path, program):
    (tmp_path / "first.yaml").write_text(FIRST)
    (tmp_path / "next.yaml").write_text(NEXT % 300)
    first = scree.run(tmp_path / "first.yaml", tmp_path / "first")
    reported = []
    ours = scree.run(tmp_path / "next.yaml", tmp_path / "ours", progress=reported.append)
    begin = np.load(tmp_path / "ours" / "checkpoint_000000000000.npz")
    np.testing.assert_array_equal(begin["x"], first.x)
    np.testing.assert_array_equal(begin["v"], first.v)
    assert ours.steps == 300 and len(ours.x) == 46
    done = subprocess.run([program, "run", "next.yaml", "-o", "theirs", "--json", "--quiet"], check=True, stdout=subprocess.PIPE, cwd=tmp_path)
    theirs = json.loads(done.stdout)
    assert theirs["hash"] == ours.hash and theirs["start_step"] == 500 and theirs["start_run"] == str(tmp_path / "first")
    done = subprocess.run([program, "run", "next.yaml", "--check"], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, text=True)
    assert "first" in done.stdout
    done = subprocess.run([program, "run", "next.yaml", "-o", "again"], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, text=True)
    assert "step 500" in done.stderr and str(tmp_path / "first") in done.stderr
    assert str(tmp_path / "first") in (tmp_path / "again" / "report.html").read_text()


def test_what_only_a_run_can_do(tmp_path):
    (tmp_path / "next.yaml").write_text(NEXT % 3)
    with pytest.raises(scree.ArgumentError, match="next.yaml.*scree.run"):
        scree.Simulation.from_scene(tmp_path / "next.yaml")
    with pytest.raises(OSError, match="next.yaml:2:14"):
        scree.run(tmp_path / "next.yaml", tmp_path / "ours")


def test_estimate_and_warnings(tmp_path):
    """A run tells how long it will take, and that spheres went deep into each other."""
    scene = tmp_path / "scene.yaml"
    scene.write_text("box: {size: [4, 4, 4], periodic: [x, y, z]}\ncontact: {stiffness: 1}\ntime: {steps: 300, step: 0.01}\noutput: {every_steps: 100}\n"
                     "spheres: {count: 2, sizes: 'mono:0.3', place: random, velocity: thermal, temperature: 1.0}\n")
    costs = scree.estimate(scene)
    assert costs.frames == 4 and costs.seconds_estimated == pytest.approx(costs.seconds_steps + costs.seconds_frames + costs.seconds_pictures + costs.seconds_other)
    scree.write(tmp_path / "two.csv", [[1, 2, 2], [3, 2, 2]], 0.5, velocity=[[1, 0, 0], [-1, 0, 0]])
    scene.write_text("box: {size: [4, 4, 4], periodic: [x, y, z]}\ncontact: {stiffness: 5}\ntime: {steps: 200, step: 0.01}\nspheres: {file: two.csv, velocity: file}\n")
    with pytest.warns(RuntimeWarning, match="overlap is 0"):
        scree.run(scene, tmp_path / "run")
