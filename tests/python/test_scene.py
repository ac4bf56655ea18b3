"""Scenes as objects, and what else stands beside simulations: check_scene, loads, signals, fields on disk, surroundings, devices."""
import copy
import math
import pickle
import re

import numpy as np
import pytest
import scree
from conftest import ROOT

TEXT = """
dimension: 2
box: {size: [4, 4]}
gravity: [0, -10]
materials: {steel: {material_density: 2}, glass: {material_density: 1}}
spheres:
  - {name: heavy, count: 12, sizes: mono:0.2, place: random, material: steel}
  - {name: light, count: 8, sizes: mono:0.1, place: random, material: glass, fixed: true}
contact: {stiffness: 1e4, restitution: 0.5}
pairs:
  - {between: [steel, steel], friction: 0.3}
  - {between: [steel, glass], friction: 0.1}
walls: {material: steel}
time: {steps: 60}
seed: 7
changes:
  - {at: 1e-3, gravity: [1, 0]}
"""


def test_a_scene_is_what_its_text_says(tmp_path):
    scene = scree.Scene.from_text(TEXT, "two.yaml")
    assert (scene.dim, scene.steps, scene.end, scene.seed, scene.has_bodies, scene.friction) == (2, 60, None, 7, False, True)
    smooth = TEXT.replace("friction: 0.3", "friction: 0").replace("friction: 0.1", "friction: 0")
    assert not scree.Scene.from_text(smooth).friction
    assert scree.Scene.from_text(smooth.replace("gravity: [1, 0]", "pairs: [{between: [steel, steel], friction: 0.2}]")).friction
    assert [(g.name, g.count, g.sizes, g.material, g.fixed) for g in scene.groups] == [("heavy", 12, "mono:0.2", 0, False), ("light", 8, "mono:0.1", 1, True)]
    assert scene.gravity().tolist() == [0, -10] and scene.gravity(1e-3).tolist() == [1, 0]
    scene.write(tmp_path / "all.yaml")
    again = scree.Scene(tmp_path / "all.yaml")
    again.write(tmp_path / "again.yaml")
    assert (tmp_path / "all.yaml").read_text() == (tmp_path / "again.yaml").read_text() and again.groups == scene.groups
    with pytest.raises(scree.FormatError, match=r"two\.yaml:2:12.*'5'"):
        scree.Scene.from_text(TEXT.replace("dimension: 2", "dimension: 5"), "two.yaml")
    assert repr(scene) == "<scree.Scene two.yaml: 2D, 2 groups of spheres>"


def test_simulations_and_runs_take_scenes(tmp_path):
    (tmp_path / "two.yaml").write_text(TEXT)
    scene = scree.Scene.from_text(TEXT)
    by_text, by_file = scree.Simulation.from_scene(scene), scree.Simulation.from_scene(tmp_path / "two.yaml")
    by_text.advance()
    by_file.advance()
    done = scree.run(scene, tmp_path / "run")
    assert by_text.hash == by_file.hash == done.hash and by_text.steps == 60
    with pytest.raises(scree.ArgumentError, match="seed"):
        scree.Simulation.from_scene(scene, seed=3)
    scene.seed = 3
    assert scene.seed == 3


def test_keys():
    keys = {key.path: key for key in scree.Scene.keys()}
    assert keys["contact.stiffness"].kind == "number or word" and keys["contact.stiffness"].unit == "force/length" and keys["seed"].standard == "1"


def test_check_scene():
    found = scree.check_scene(scree.Scene.from_text(TEXT))
    assert (found.n, found.steps) == (20, 60) and found.time > 0
    assert {frozenset(pair.names) for pair in found.pairs} == {frozenset(("steel",)), frozenset(("steel", "glass"))}
    assert all(pair.stiffness == 1e4 and pair.restitution == pytest.approx(0.5) for pair in found.pairs)
    with pytest.raises(scree.ArgumentError, match="time.step"):
        scree.check_scene(scree.Scene.from_text(TEXT.replace("time: {", "time: {step: 1, ")))


def test_signals():
    assert scree.sine(2.0, 0.25, mean=1.0).at(1.0) == pytest.approx(3.0) and scree.sine(2.0, 0.25).rate(0.0) == pytest.approx(math.pi)
    assert scree.ramp([0, 1], [2, 1], over=4.0).at(1.0).tolist() == [0.5, 1.0] and scree.ramp(0.0, 2.0, over=4.0).at(9.0) == 2.0
    path = scree.table([0, 1, 3], [[0, 0], [2, 4], [2, 0]])
    assert path.at(0.5).tolist() == [1, 2] and path.at(2.0).tolist() == [2, 2] and path.rate(2.0).tolist() == [0, -2]
    assert scree.table([0, 2], [1, 3]).at(1.0) == 2.0


def test_loads_are_listed():
    sim = scree.Simulation([[0, 0, 0]], 1.0, stiffness=1.0)
    assert sim.loads() == []
    sim.set_load("gravity", value=scree.ramp([0, 0, 0], [0, 0, -1], over=1.0))
    sim.set_load("force", 0, scree.sine([1, 0, 0], 2.0))
    assert sorted(sim.loads()) == [("force", 0), ("gravity", 0)]


@pytest.mark.parametrize("dim", (2, 3))
def test_fields_are_written(dim, tmp_path):
    rng = np.random.default_rng(dim)
    x = rng.uniform(1, 3, (30, dim))
    found = scree.fields(x, 0.2, box=(4,) * dim, cells=(3, 4, 2)[:dim], v=rng.normal(size=(30, dim)))
    found.write(tmp_path / "f.csv")
    rows = np.genfromtxt(tmp_path / "f.csv", delimiter=",", names=True)
    order = np.lexsort([rows[axis] for axis in reversed("xyz"[:dim])])  # x slowest, as in the arrays
    for name, values in (("density", found.density), ("velocity_y", found.velocity[..., 1]), ("kinetic_stress_xy", found.kinetic_stress[..., 0, 1])):
        assert rows[name][order].tolist() == values.ravel().tolist()
    with pytest.raises(scree.ArgumentError):
        found.write(tmp_path / "f.png")


def test_surroundings_and_devices():
    x = np.random.default_rng(1).uniform(0, 10, (500, 3))
    index = scree.Index((10, 10, 10), method="linked-cells", skin=-1.0, cell_size=1.0)
    index.update(x, 0.5)
    around = index.surroundings(7)
    near = np.abs(np.floor(x) - np.floor(x[7])).max(axis=1) <= 1  # cells of side 1: itself and its neighbours
    assert around.cells == len(np.unique(np.floor(x[near]), axis=0)) and around.spheres == near.sum() - 1
    assert index.device == "none"
    assert scree.device("emulate").memory > 0
    with pytest.raises(scree.ArgumentError):
        scree.device("none")


def test_threads_of_polygons():
    body = scree.Body(radius=0.5, x=(1, 1))
    sim = scree.PolygonSimulation([body], box=(4, 4), stiffness=1e3)
    sim.set_threads(2)
    sim.advance(3)
    assert sim.steps == 3


def test_keys_are_set(tmp_path):
    path = tmp_path / "drop.yaml"
    path.write_text("parameters: {n: 3}\nbox: {size: [1, 1, 1]}\nspheres: {count: $(n), sizes: mono:0.1, place: random}\ncontact: {stiffness: 100}\ntime: {steps: 5}\n")
    assert scree.Scene(path).groups[0].count == 3
    scene = scree.Scene(path, set={"parameters.n": np.int64(4), "time.steps": 7, "gravity": (0, 0, -1e-5), "output.contacts": True, "spheres.1.velocity": np.zeros(3), "contact": {"duration": 0.1, "restitution": 0.5}})
    scene.write(tmp_path / "all.yaml")
    text = (tmp_path / "all.yaml").read_text()
    assert scene.groups[0].count == 4 and scene.steps == 7 and "contacts: true" in text and "duration: 0.1" in text and "gravity: [0, 0, -1e-05]" in text
    assert scree.Scene(path, set={"time.steps": None, "time.end": 1.0}).steps != 5
    for wrong, says in (({"contact.friction": "rough"}, "rough"), ({"nothing.here": 1}, "nothing"), ({"time.end": None}, "time.end")):
        with pytest.raises(scree.ScreeError, match=says):
            scree.Scene(path, set=wrong)
    with pytest.raises(scree.ArgumentError, match="object"):
        scree.Scene(path, set={"seed": object()})


DICT = {"dimension": 2, "box": {"size": np.array([1, 1.0])}, "gravity": (0, np.float32(-2)), "seed": np.uint64(2 ** 63 - 1),
        "spheres": [{"count": np.int64(3), "sizes": "mono:0.1", "place": "random", "name": "a", "velocity": np.zeros(2)}, {"count": 4, "sizes": "mono:0.05", "place": "random", "fixed": np.bool_(True), "name": None}],
        "parameters": {"mu": 0.3}, "contact": {"stiffness": 1e3, "friction": "$(mu * 2)"}, "time": {"steps": 3}}


def test_a_dict_is_a_scene():
    scene = scree.Scene(DICT)
    assert (scene.dim, scene.seed, scene.steps, [g.count for g in scene.groups], [g.fixed for g in scene.groups]) == (2, 2 ** 63 - 1, 3, [3, 4], [False, True])
    found = scene.to_dict()
    assert found["contact"]["friction"] == 0.6 and found["gravity"] == [0, -2] and found["spheres"][1]["sizes"] == "mono:0.05" and found["contact"]["pull"] is True and "name" not in found["spheres"][1]
    assert scree.Scene.from_dict(found).to_dict() == found and str(scree.Scene(found)) == str(scene) == str(pickle.loads(pickle.dumps(scene)))
    assert scree.Simulation.from_scene(scree.Scene(found)).hash == scree.Simulation.from_scene(scene).hash


@pytest.mark.parametrize("where, values, says", [
    ("box", {"size": [1, "x"]}, "^scene: entry 2 of box.size is 'x'"), ("spheres.1", {"plce": 3}, r"^scene: spheres\.2\.plce: unknown key 'plce'.*place"),
    ("spheres.0", {"count": -3}, r"^scene: spheres\.1\.count: .*'-3'"), ("contact", {"duration": 3}, r"^scene: contact.duration excludes contact.stiffness; expected"),
    ("spheres.1", {"sizes": None}, r"^scene: spheres\.2: a key is missing"), ("", {"time": None}, "^scene: a key is missing; expected time.end"), ("", {"contct": 3}, "^scene: unknown key 'contct'.*contact"),
    ("spheres.1", {"sizes": object()}, r"^spheres\.2\.sizes is <object"), ("spheres.1", {3: 4}, r"^spheres\.2: a key is 3"), ("contact", {"friction": math.nan}, "contact.friction is 'nan'"),
    ("time", {"steps": 10 ** 400}, "time.steps"), ("spheres.0", {"name": 'a: "b" #\n\\'}, r"spheres\.1\.name")])
def test_errors_of_dicts_name_the_key(where, values, says):
    wrong = copy.deepcopy(DICT)
    at = wrong
    for word in filter(None, where.split(".")):
        at = at[int(word) if word.isdigit() else word]
    at.update(values)
    with pytest.raises(scree.ScreeError, match=says):
        scree.Scene(wrong)


def test_dicts_of_all_examples(monkeypatch):
    """What PyYAML reads in a file makes the scene of that file, and what the library writes is read as PyYAML reads it."""
    yaml = pytest.importorskip("yaml")
    loader = type("Loader", (yaml.SafeLoader,), {})
    loader.yaml_implicit_resolvers = {first: [(tag, pattern) for tag, pattern in found if not tag.endswith(("float", "timestamp", "int", "bool"))] for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
    loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
    loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$"), list("-+.0123456789"))
    files = sorted((ROOT / "examples").glob("*.yaml"))
    monkeypatch.chdir(ROOT / "examples")
    for file in files:
        scene = scree.Scene(file)
        assert str(scree.Scene(yaml.load(file.read_text(), loader))) == str(scene), file
        assert scene.to_dict() == yaml.load(str(scene), loader), file
    assert len(files) > 15
