"""scree.sweep: studies of one scene."""
import csv
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import scree

SCENE = {"parameters": {"r": 0.02}, "dimension": 2, "box": {"size": [1, 1]}, "gravity": [0, -2], "spheres": {"count": 50, "sizes": "mono:$(r)", "place": "random", "material_density": 1000},
         "contact": {"duration": 1e-3, "restitution": 0.7}, "time": {"end": 0.02}}
OVER = {"contact.restitution": [0.5, np.float64(0.9)], "parameters.r": (0.01, 0.2)}  # spheres of 0.2 have no room


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    before = os.getcwd()
    os.chdir(folder)
    try:
        return scree.sweep(SCENE, OVER, folder / "study", seeds=2, want=["energy", "contacts"])
    finally:
        os.chdir(before)


def test_the_table_is_that_of_the_program(study, tmp_path, program):
    scree.Scene(SCENE).write(tmp_path / "resolved.yaml")
    (tmp_path / "scene.yaml").write_text("parameters: {r: 0.02}\n" + (tmp_path / "resolved.yaml").read_text().replace('"mono:0.02"', "mono:$(r)"))
    done = subprocess.run([program, "sweep", "scene.yaml", "--over", "contact.restitution=0.5,0.9", "--over", "parameters.r=0.01,0.2", "--seeds", "2", "--want", "energy,contacts", "-o", "own", "--quiet"],
                          cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert done.returncode == 1
    with open(tmp_path / "own" / "results.csv") as file:
        rows = list(csv.DictReader(file))
    assert study.rows == len(rows) == 8 and list(study) == list(rows[0]) and study.failed == 4
    assert study["hash"].tolist() == [row["hash"] for row in rows] and study["seed"].tolist() == [int(row["seed"]) for row in rows]
    for name in ("contact.restitution", "parameters.r", "energy", "contacts"):
        assert np.array_equal(study[name], [float(row[name]) for row in rows], equal_nan=True), name
    good = study["error"] == ""
    assert good.tolist() == [True, True, False, False] * 2 and all(error.startswith("scene:") and "sequential" in error for error in study["error"][~good])
    assert study.run(0).report["hash"] == study["hash"][0] and study.run(-3).report["energy"] == study["energy"][5] and len(study.run(4).frames) == 2
    with pytest.raises(IndexError, match="expected -8 to 7"):
        study.run(8)
    assert study.to_array()["contact.restitution"][4] == 0.9 and study.to_dicts()[0]["seed"] == 1
    assert [name for name in os.listdir(os.path.dirname(study.folder)) if name.startswith(".sweep")] == []


def test_settings_of_a_file_and_of_a_scene(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spheres.csv").write_text("x,y,r\n0.5,0.5,0.1\n0.2,0.2,0.1\n")
    (tmp_path / "scene.yaml").write_text("dimension: 2\nbox: {size: [1, 1]}\nspheres: {file: spheres.csv, velocity: thermal}\ncontact: {stiffness: 100}\ntime: {steps: 30}\n")
    by_name = scree.sweep("scene.yaml", {"gravity": [[0, -1], [0, -2]]}, "a", set={"contact.stiffness": 200.0}, seed=5)
    scene = scree.Scene("scene.yaml", set={"contact.stiffness": 200.0})
    scene.seed = 5
    by_scene = scree.sweep(scene, {"gravity": "[0,-1],[0,-2]"}, "b")
    by_dict = scree.sweep({**scene.to_dict(), "spheres": {"file": "spheres.csv", "velocity": "thermal"}}, {"gravity": np.array([[0, -1], [0, -2]])}, tmp_path / "c")
    assert by_name["hash"].tolist() == by_scene["hash"].tolist() == by_dict["hash"].tolist() and len(set(by_name["hash"])) == 2 and by_name["seed"].tolist() == [5, 5]
    assert by_name["hash"][1] == scree.run(scree.Scene("scene.yaml", set={"contact.stiffness": 200.0, "gravity": [0, -2], "seed": 5}), "d").hash


def test_a_study_that_was_stopped_goes_on(tmp_path, environment, monkeypatch):
    """Complete runs are not repeated, and the others have the bits of runs that were never stopped."""
    scene = {**SCENE, "time": {"end": 4.0}}
    code = f"import scree\nscree.sweep({scene!r}, {{'parameters.r': [0.01]}}, 'study', seeds=3, want='energy', jobs=1)\n"
    going = subprocess.Popen([sys.executable, "-B", "-c", code], cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
    while not (tmp_path / "study" / "0001.json").exists() and going.poll() is None:
        time.sleep(0.001)
    going.send_signal(signal.SIGINT)
    said = going.communicate()[1]
    assert going.returncode != 0 and b"KeyboardInterrupt" in said and not (tmp_path / "study" / "0003.json").exists(), said
    first = (tmp_path / "study" / "0001.json").stat().st_mtime_ns
    monkeypatch.chdir(tmp_path)
    table = scree.sweep(scene, {"parameters.r": [0.01]}, "study", seeds=3, want="energy", jobs=1)
    assert (tmp_path / "study" / "0001.json").stat().st_mtime_ns == first and table.rows == 3 and table.failed == 0
    assert table["hash"][2] == scree.run({**scene, "parameters": {"r": 0.01}, "seed": 3}, "alone").hash
    with pytest.raises(scree.ScreeError, match="another scene or of other values"):
        scree.sweep(scene, {"parameters.r": [0.02]}, "study", seeds=3, want="energy")


@pytest.mark.parametrize("over, how, says", [
    ({"contact.frction": [1]}, {}, "^scree sweep: .*frction"), ({"contact.friction": 0.5}, {}, r"over\['contact.friction'\] is 0.5; expected a list"),
    ({"contact.friction": []}, {}, "empty"), ({"spheres.sizes": ["table:a,b"]}, {}, "no comma"), ({"contact.friction": [object()]}, {}, "value 1"), ({"contact.friction": [1]}, dict(set={"seed": 1}), "set: "),
    ({"contact.friction": [1]}, dict(want=["energy", "energy"]), "--want names energy twice"), ({"contact.friction": [1]}, dict(seeds=0), "seeds is 0")])
def test_mistakes(over, how, says, tmp_path):
    with pytest.raises(scree.ScreeError, match=says):
        scree.sweep(SCENE, over, tmp_path / "study", **how)
    assert not (tmp_path / "study").exists()
