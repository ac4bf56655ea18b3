"""Mistakes that users make, at every public function and method: names that are missing, folders for files, empty files, names with blanks and umlauts, other current folders, what cannot be
read or written, no item and one item, Ctrl-C.

The list comes from the signatures: what has a parameter that is a path or a scene, what takes spheres, and what reports its progress. A new function is in it; if its other parameters are
not known here (ARGUMENTS), the test says so.
"""
import contextlib
import hashlib
import inspect
import os
import pathlib
import re
import shutil
import signal
import tempfile

import numpy as np
import pytest

import scree

NOBODY = 65534
SCENE = """dimension: 2
box: {size: [1, 1]}
spheres: {count: 9, sizes: "mono:0.05", place: lattice, material_density: 1000}
contact: {stiffness: 1e4, restitution: 0.5}
time: {steps: 40}
output: {every_steps: 20, contacts: true}
"""
BODIES = """dimension: 2
box: {size: [1, 1]}
bodies:
- {shape: convex, vertices: 6, sizes: "uniform-size:0.03:0.06", place: random, count: 4}
contact: {stiffness: 2e4, restitution: 0.3}
time: {step: 1e-5, steps: 20}
"""


def spheres(n=30):
    side = int(np.ceil(n ** (1 / 3))) if n else 1
    x = np.array([[i, j, k] for i in range(side) for j in range(side) for k in range(side)], float)[:n] * 2.0 + 1.0
    return scree.Spheres(x.reshape(-1, 3), np.full(n, 1.01), box=[2.0 * side] * 3)


# What the other parameters are, by name; functions of the number of spheres. Some need another one of a name.
ARGUMENTS = {
    "x": spheres, "r": lambda n: None, "frames": lambda n: [spheres(n)], "times": lambda n: [0.0], "files": lambda n: ["spheres.vtp"], "scene": lambda n: "scene.yaml",
    "sizes": lambda n: "mono:1", "cells": lambda n: (2, 2, 2), "contacts": lambda n: scree.find_contacts(spheres(n), gap=0.1), "bodies": lambda n: [scree.Body(scree.Polygon([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))],
    "bonds": lambda n: np.zeros((0, 2), int), "quantities": lambda n: "ij", "wall": lambda n: 0, "folder": lambda n: "new", "ranks": lambda n: (2,), "over": lambda n: {"contact.restitution": [0.5]},
}
KEYWORDS = {"structure_factor": {"periodic": True}, "pack": {"count": 60}, "pack_hierarchy": {"spheres": 60, "repeats": 1, "window": 2}, "Simulation": {"stiffness": 1e4, "material_density": 1.0}, "HardSpheres": {"v": np.ones((30, 3)), "scale": 0.5}, "PolygonSimulation": {"stiffness": 1e4}, "write_pairs": {"ij": np.zeros((0, 2), int)}, "picture": {"width": 64, "height": 64}}
SELF = {"Fields": lambda: scree.fields(spheres(), cells=(2, 2, 2)), "Mesh": lambda: scree.Mesh("wall.stl"), "Voxels": lambda: scree.voxels(spheres(), cells=(2, 2, 2)), "Scene": lambda: scree.Scene("scene.yaml"), "Run": lambda: scree.Run("done")}
GOOD = {"read": "spheres.csv", "read_outlines": "outlines.vtp", "read_contacts": "done/contacts/contacts_000001.csv", "read_frames": "done/frames.pvd", "resume": "done", "Mesh": "wall.stl",
        "Scene": "scene.yaml", "picture": "out.png", "film": "out.png", "view": "out.html", "write": "out.vtp", "write_pairs": "out.csv", "write_frames": "out.pvd", "Fields.write": "out.vti",
        "Mesh.write": "out.stl", "Voxels.write": "out.vti", "Scene.write": "out.yaml", "run": "new", "Scene.run": "new", "sweep": "new", "Run": "done"}


def entries():
    """(name, function, signature) of all public functions, classes, and methods."""
    for name in scree.__all__:
        one = getattr(scree, name)
        found = [(name, one)] if callable(one) else []
        if inspect.isclass(one) and not issubclass(one, BaseException):
            found += [(f"{name}.{method}", getattr(one, method)) for method in vars(one) if not method.startswith("_")]
        for path, function in found:
            with contextlib.suppress(TypeError, ValueError):
                if callable(function) and not (inspect.isclass(function) and issubclass(function, BaseException)):
                    yield path, function, inspect.signature(function)


def is_path(parameter):
    return "PathLike" in str(parameter.annotation) and parameter.name != "files"


def is_scene(parameter):
    return "SceneLike" in str(parameter.annotation)


ALL = list(entries())
READS = [(name, function, [p.name for p in how.parameters.values() if is_path(p) or is_scene(p)]) for name, function, how in ALL
         if any(is_scene(p) for p in how.parameters.values()) or (any(is_path(p) for p in how.parameters.values()) and (name.startswith(("read", "resume")) or inspect.isclass(function)))]
WRITES = [(name, function, next(p.name for p in how.parameters.values() if is_path(p))) for name, function, how in ALL
          if any(is_path(p) for p in how.parameters.values()) and not name.startswith(("read", "resume")) and not inspect.isclass(function)]
TAKES_SPHERES = [(name, function) for name, function, how in ALL if "x" in how.parameters and how.parameters["x"].default in (inspect.Parameter.empty, None)
                 and "self" not in how.parameters and name not in ("Packing", "PolygonState", "Result", "Box.around", "Outlines", "Spheres", "Body")]
ASKS = [(name, function) for name, function, how in ALL if "progress" in how.parameters]


def call(name, function, n=30, **given):
    """Calls it with what it needs, and what is given."""
    words = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in given:
            words[parameter.name] = given[parameter.name]
        elif parameter.name == "path" and name in GOOD:
            words["path"] = GOOD[name]
        elif is_path(parameter) and name in GOOD and parameter.default is inspect.Parameter.empty:
            words[parameter.name] = GOOD[name]
        elif parameter.name == "self":
            words["self"] = SELF[name.split(".")[0]]()
        elif parameter.default is inspect.Parameter.empty and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            value = ARGUMENTS.get(parameter.name)
            assert value is not None, f"scree.{name}: the parameter {parameter.name} is not known; add it to ARGUMENTS"
            words[parameter.name] = value(n)
        elif parameter.name == "r" and "x" in words and not isinstance(words["x"], scree.Spheres):
            words["r"] = 1.0
    return function(**words, **KEYWORDS.get(name, {}))


@pytest.fixture(scope="module")
def made():
    """What is read."""
    folder, before = tempfile.mkdtemp(), os.getcwd()
    os.chdir(folder)
    pathlib.Path("scene.yaml").write_text(SCENE)
    pathlib.Path("bodies.yaml").write_text(BODIES)
    scree.write("spheres.csv", spheres())
    scree.write("spheres.vtp", spheres())
    scree.write("outlines.vtp", scree.Outlines([np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])]))
    scree.Mesh(np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], float)).write("wall.stl")
    scree.run("scene.yaml", "done")
    os.chdir(before)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def work(made, monkeypatch):
    """A folder that others may look into, with what is read."""
    folder = tempfile.mkdtemp(dir="/tmp")
    shutil.copytree(made, folder, dirs_exist_ok=True)
    os.chmod(folder, 0o777)
    monkeypatch.chdir(folder)
    yield folder
    shutil.rmtree(folder)


def contents():
    return {str(p): hashlib.sha1(p.read_bytes()).hexdigest() if p.is_file() else "folder" for p in pathlib.Path(".").rglob("*")}


@contextlib.contextmanager
def as_nobody():
    """Where this is root: what follows may not read and write everything."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def refused(name, function, names, **given):
    """The call must raise an error of scree that names the file, and leave all files as they were."""
    before = contents()
    with pytest.raises((scree.ScreeError, OSError)) as caught:
        call(name, function, **given)
    assert names in str(caught.value), f"scree.{name}: {caught.value!r} does not name {names}"
    after = contents()
    assert after == before, f"scree.{name}: files have changed: {set(after.items()) ^ set(before.items())}"
    return caught.value


def ids(rows):
    return [row[0] for row in rows]


@pytest.mark.parametrize("name, function, parameters", READS, ids=ids(READS))
def test_files_that_are_read(work, name, function, parameters):
    parameter = next((p for p in parameters if p not in ("folder",) or name == "resume"), parameters[0])
    good = GOOD.get(name, "scene.yaml") if parameter != "scene" else "bodies.yaml" if name.startswith("Polygon") else "scene.yaml"
    ending = pathlib.PurePath(good).suffix
    folder = os.path.isdir(good)
    error = refused(name, function, f"nosuch{ending}", **{parameter: f"nosuch{ending}"})
    assert os.strerror(2) in str(error), f"scree.{name}: {error}"
    error = refused(name, function, "nosuch", **{parameter: "nosuch"})
    assert os.strerror(2) in str(error), f"scree.{name}: {error}"
    refused(name, function, f"scene.yaml/x{ending}", **{parameter: f"scene.yaml/x{ending}"})
    os.mkdir(f"folder{ending}")
    os.mkdir("plain")
    for given in (f"folder{ending}", "plain"):
        error = refused(name, function, given, **{parameter: given})
        assert re.search("a (folder|directory)|this folder", str(error)), f"scree.{name}: {error}"
    if not folder:
        pathlib.Path(f"empty{ending}").touch()
        refused(name, function, f"empty{ending}", **{parameter: f"empty{ending}"})
    else:
        refused(name, function, "scene.yaml", **{parameter: "scene.yaml"})
    # Names of every kind, as text and as a path, from another folder.
    strange = f"mit Lücke & 'ß'{ending}"
    (shutil.copytree if folder else shutil.copy)(good, strange)
    for spelling in (strange, pathlib.Path(strange), os.path.abspath(strange)):
        call(name, function, **{parameter: spelling})
        if os.path.isdir("new"):
            shutil.rmtree("new")
    if not folder:
        shutil.copy(good, f"locked{ending}")
        os.chmod(f"locked{ending}", 0)
        with as_nobody():
            error = refused_only(name, function, {parameter: f"locked{ending}"})
        assert os.strerror(13) in str(error) and f"locked{ending}" in str(error), f"scree.{name}: {error}"


def refused_only(name, function, given):
    with pytest.raises((scree.ScreeError, OSError)) as caught:
        call(name, function, **given)
    return caught.value


@pytest.mark.parametrize("name, function, parameter", WRITES, ids=ids(WRITES))
def test_files_that_are_written(work, name, function, parameter):
    assert name in GOOD, f"scree.{name} writes a file; add a good name to GOOD"
    good = GOOD[name]
    ending, is_run = pathlib.PurePath(good).suffix, name in ("run", "Scene.run", "sweep")
    if not is_run:
        refused(name, function, f"nosuch/x{ending}", **{parameter: f"nosuch/x{ending}"})
    refused(name, function, "scene.yaml", **{parameter: f"scene.yaml/x{ending}"})
    if not is_run:
        os.mkdir(f"folder{ending}")
        os.mkdir("plain")
        for given in (f"folder{ending}", "plain"):
            error = refused(name, function, given, **{parameter: given})
            assert re.search("a (folder|directory)|this folder", str(error)), f"scree.{name}: {error}"
    else:
        refused(name, function, "done", **{parameter: "done"})  # an earlier run
        refused(name, function, "scene.yaml", **{parameter: "scene.yaml"})
    strange = f"mit Lücke & 'ß'{ending}"
    for spelling in (strange, pathlib.Path(f"2 {strange}"), os.path.abspath(f"3 {strange}")):
        call(name, function, **{parameter: spelling})
        assert os.path.exists(spelling), f"scree.{name}: there is no {spelling}"
    os.mkdir("locked")
    os.chmod("locked", 0o555)
    with as_nobody():
        error = refused_only(name, function, {parameter: f"locked/x{ending}"})
    assert "locked" in str(error) and os.listdir("locked") == [], f"scree.{name}: {error}"
    if os.path.exists("/dev/full") and name in ("write", "write_pairs", "picture"):
        with pytest.raises(scree.ScreeError, match="/dev/full"):
            call(name, function, **{parameter: "/dev/full"}, **({"format": "csv"} if name == "write" else {}))


@pytest.mark.parametrize("name, function", TAKES_SPHERES, ids=ids(TAKES_SPHERES))
@pytest.mark.parametrize("n", (0, 1))
def test_no_sphere_and_one(work, name, function, n):
    try:
        call(name, function, n=n)
    except (scree.ScreeError, ValueError) as error:
        assert str(error) != "", f"scree.{name}: an error without a message"


@pytest.mark.parametrize("name, function", ASKS, ids=ids(ASKS))
def test_ctrl_c(work, name, function):
    """Ctrl-C with the first question, and an error of the callback: it comes out as it is, and no file has changed."""
    for error in (KeyboardInterrupt, ZeroDivisionError):
        asked = []

        def stop(*_):
            asked.append(1)
            if len(asked) == 1:
                if error is KeyboardInterrupt:
                    signal.raise_signal(signal.SIGINT)
                else:
                    raise error

        before = contents()
        try:
            call(name, function, progress=stop)
        except error:
            changed = {path for path, _ in set(before.items()) ^ set(contents().items()) if not path.startswith("new")}
            assert not changed, f"scree.{name}: files have changed: {changed}"
            continue
        finally:
            shutil.rmtree("new", ignore_errors=True)
        assert not asked, f"scree.{name}: {error.__name__} was not heard"
        assert name in SHORT, f"scree.{name} asked nothing"


SHORT = {"Simulation.from_scene", "PolygonSimulation", "Index", "HardSpheres", "resume", "Run.resume", "Simulation"}  # they ask in later calls, or have nothing to do here
