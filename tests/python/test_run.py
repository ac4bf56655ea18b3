"""scree.Run: the folder of a run, and callbacks of runs."""
import csv
import json
import os
import re
import signal
import subprocess
import sys
import types

import numpy as np
import pytest
import scree

SCENE = """dimension: 2
box: {size: [1, 1]}
gravity: [0, -2]
spheres: {count: 60, sizes: uniform-size:0.01:0.03, place: random, material_density: 1000}
contact: {duration: 1e-3, restitution: 0.7, friction: 0.3}
time: {end: 0.2}
output: {every: 0.05, contacts: true}
checkpoint: {every: 1500}
"""
# What a callback may set, as a function of the simulation alone.
STEER = """
def steer(sim):
    sim.gravity = (0.1 * (sim.steps // 1000 % 7), -2 + sim.time)
    if sim.steps == 4000:
        sim.v = 0.5 * sim.v
        sim.external_force[3] = (1e-2, 0)
    if sim.steps == 6000:
        sim.set_load("boundary velocity", "lower x", (0.5, 0))
"""
exec(STEER)  # pylint: disable=exec-used


@pytest.fixture(scope="module")
def scene():
    return scree.Scene.from_text(SCENE)


@pytest.fixture(scope="module")
def steered(scene, tmp_path_factory):
    folder = tmp_path_factory.mktemp("steered") / "run"
    return scene.run(folder, every=1000, callback=steer)  # noqa: F821


def test_the_folder_as_an_object(tmp_path, program):
    (tmp_path / "scene.yaml").write_text(SCENE)
    said = json.loads(subprocess.run([program, "run", "scene.yaml", "-o", "run", "--json", "--quiet"], cwd=tmp_path, stdout=subprocess.PIPE, check=True).stdout)
    run = scree.Run(tmp_path / "run")
    assert run.is_complete and run.checkpoints[-1] == run.steps == said["steps"] and run.scene.end == 0.2
    clock = {key for key in said if key.startswith("seconds") or key in ("bytes", "command")}
    report = run.report
    assert {key: report[key] for key in report if key not in clock} == {key: said[key] for key in report if key not in clock} and len(report) > 20
    with open(tmp_path / "run" / "log.csv") as file:
        rows = list(csv.DictReader(file))
    assert run.log.rows == len(rows) and list(run.log) == list(rows[0])
    for name in run.log:
        assert run.log[name].tolist() == [float(row[name]) for row in rows], name
    assert run.log["contacts"].dtype == np.int64 and run.log["energy_kinetic"].dtype == np.float64
    frames = run.frames
    assert len(frames) == 5 and frames.times == pytest.approx(np.linspace(0, 0.2, 5))
    assert [frame.x.tolist() for frame in frames] == [scree.read(path).x.tolist() for path in frames.paths]
    part = frames[1:4:2]
    assert len(part) == 2 and part.times.tolist() == frames.times[1:4:2].tolist() and np.array_equal(part[-1].x, frames[3].x) and np.array_equal(frames[-2].x, frames[3].x)
    assert np.array_equal(run.contacts(-1)["force"], scree.read_contacts(tmp_path / "run/contacts/contacts_000004.csv")["force"])
    for wrong in (5, -6):
        with pytest.raises(IndexError, match="expected -5 to 4"):
            frames[wrong]
    with pytest.raises(KeyError, match="did you mean 'contacts'"):
        run.log["contact"]
    with pytest.raises(FileNotFoundError, match="no run"):
        scree.Run(tmp_path)


def test_a_run_that_goes_on_is_read(scene, tmp_path):
    """Also with other formats, whose times are those of the log."""
    text = SCENE.replace("contacts: true", "formats: [xyz, csv]")
    with pytest.raises(scree.CancelledError):
        scree.Scene.from_text(text).run(tmp_path / "run", every=6000, callback=lambda sim: False)
    run = scree.Run(tmp_path / "run")
    with open(tmp_path / "run" / "log.csv", "a") as file:
        file.write("7000,0.14,1.5")  # half a row
    assert not run.is_complete and run.checkpoints[-1] == 6000 and run.steps == 10000
    assert run.log.rows == len(run.frames) == 3 and run.frames.times.tolist() == run.log["time"].tolist() and run.frames[1].x.shape == (60, 2)
    assert run.frames.paths[0].endswith(".csv")
    with pytest.raises(scree.ArgumentError, match="step 6000"):
        run.report
    with open(tmp_path / "run" / "log.csv", "r+") as file:
        file.truncate(os.path.getsize(file.name) - len("7000,0.14,1.5"))
    assert run.resume().steps == 10000 and run.is_complete and len(run.frames) == 5


@pytest.mark.parametrize("output", ["every: 0.03", "every_steps: 1300", ""])
def test_times_of_frames_without_a_list(tmp_path, output):
    """Formats other than VTP have none: times come from the log, which has rows between frames too."""
    text, found = re.sub("output: .*", "output: {OUTPUT, log_every_steps: 70}", SCENE).replace("end: 0.2", "end: 0.1"), []
    for formats in ("[vtp]", "[csv]"):
        scree.Scene.from_text(text.replace("OUTPUT", f"{output + ', ' if output else ''}formats: {formats}")).run(tmp_path / formats)
        found.append(scree.Run(tmp_path / formats).frames.times.tolist())
    assert found[0] == pytest.approx(found[1], rel=1e-12) and len(found[0]) == {"every: 0.03": 5, "every_steps: 1300": 5, "": 2}[output] and found[0][-1] == pytest.approx(0.1)


def test_tables(monkeypatch):
    table = scree.DataTable({"a": np.array([1, 2]), "b": np.array([0.5, np.nan]), "c": np.array(["x", "y"])})
    assert table.rows == 2 and table.to_dicts()[0] == {"a": 1, "b": 0.5, "c": "x"} and table.to_array()["c"].tolist() == ["x", "y"]
    assert table == scree.DataTable(dict(table)) and table != scree.DataTable({"a": table["a"]})
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=dict))
    assert table.to_dataframe()["a"].tolist() == [1, 2]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pandas, which is not installed"):
        table.to_dataframe()


@pytest.mark.parametrize("stop, how", [(2000, "error"), (4000, "false"), (6000, "kill")])
def test_a_steered_run_is_stopped_and_resumed(scene, steered, tmp_path, stop, how, environment):
    """By False with a checkpoint at that step, by an error or kill -9 without: the bits are those of the run that was not stopped."""
    def stopping(sim):
        if sim.steps == stop and how == "error":
            raise RuntimeError("mine")
        steer(sim)  # noqa: F821
        return sim.steps != stop
    if how == "kill":
        code = f"import scree, os\n{STEER}\ndef kill(sim):\n    steer(sim)\n    if sim.steps == {stop}:\n        os.kill(os.getpid(), 9)\nscree.run('scene.yaml', 'run', every=1000, callback=kill)\n"
        (tmp_path / "scene.yaml").write_text(SCENE)
        assert subprocess.run([sys.executable, "-B", "-c", code], cwd=tmp_path, env=environment).returncode == -signal.SIGKILL
    else:
        with pytest.raises(RuntimeError if how == "error" else scree.CancelledError, match="mine" if how == "error" else f"step {stop}"):
            scree.run(scene, tmp_path / "run", every=1000, callback=stopping)
    run = scree.Run(tmp_path / "run")
    assert run.checkpoints[-1] == (stop if how == "false" else stop // 1500 * 1500 if stop % 1500 else stop - 1500)
    again = run.resume(every=1000, callback=steer)  # noqa: F821
    assert again.hash == steered.hash and np.array_equal(run.log["energy"], scree.Run(steered.folder).log["energy"])
    assert [open(path, "rb").read() for path in run.frames.paths] == [open(path, "rb").read() for path in scree.Run(steered.folder).frames.paths]


def test_ctrl_c_in_a_callback_leaves_a_checkpoint(scene, steered, tmp_path):
    """The callback ends first; the checkpoint is of a later step."""
    ended = []

    def interrupted(sim):
        if sim.steps == 4000:
            signal.raise_signal(signal.SIGINT)
        steer(sim)  # noqa: F821
        ended.append(sim.steps)
    with pytest.raises(KeyboardInterrupt):
        scree.run(scene, tmp_path / "run", every=1000, callback=interrupted)
    run = scree.Run(tmp_path / "run")
    assert ended[-1] >= 4000 and run.checkpoints[-1] >= 4000 and not run.is_complete
    assert run.resume(every=1000, callback=steer).hash == steered.hash  # noqa: F821


def test_callbacks_come_when_they_should(scene, steered, tmp_path):
    seen = []
    plain = scree.run(scene, tmp_path / "steps", every=3000, callback=lambda sim: seen.append((sim.steps, sim.end, sim.measure().step, len(sim.contacts().ij) >= 0)))
    assert seen == [(step, 10000, step, True) for step in (3000, 6000, 9000)]
    times = []
    timed = scree.run(scene, tmp_path / "times", every_time=0.03, callback=lambda sim: times.append(sim.time))
    assert times == pytest.approx([0.03, 0.06, 0.09, 0.12, 0.15, 0.18]) and plain.hash == timed.hash == scree.run(scene, tmp_path / "plain").hash != steered.hash
    kept = []
    with pytest.raises(scree.ArgumentError, match="the run makes the steps"):
        scree.run(scene, tmp_path / "own", every=10, callback=lambda sim: (kept.append(sim), sim.advance(1)))
    with pytest.raises(ValueError, match="closed"):
        kept[0].x
    for wrong, error in ((dict(every=5), TypeError), (dict(callback=print), TypeError), (dict(every=5, every_time=1.0, callback=print), TypeError),
                         (dict(every=0, callback=print), scree.ArgumentError), (dict(every_time=0.0, callback=print), scree.ArgumentError),
                         (dict(every=5, callback=print, ranks=2), scree.ArgumentError)):
        with pytest.raises(error):
            scree.run("scene.yaml", tmp_path / "wrong", **wrong)
    assert not (tmp_path / "wrong").exists()


def test_callbacks_of_bodies(tmp_path):
    scene = scree.Scene.from_text("""dimension: 2
box: {size: [1, 1]}
gravity: [0, -2]
bodies:
- {points: [[0, 0], [1, 0], [1, 0.05], [0, 0.05]], fixed: true}
- {shape: star, vertices: 8, sizes: "mono:0.1", place: random, count: 6, material_density: 2}
contact: {stiffness: 1e3, restitution: 0.5}
time: {step: 2e-4, steps: 400}
checkpoint: {every: 150}
""")
    seen = []

    def look(sim):
        seen.append((sim.steps, len(sim.outlines), int(sim.fixed.sum()), sim.measure().step))
        sim.gravity = (0.01 * sim.steps, -1)

    def fail(sim):
        look(sim)
        if sim.steps == 300:
            raise RuntimeError
    first = scree.run(scene, tmp_path / "run", every=100, callback=look)
    assert seen == [(step, 7, 1, step) for step in (100, 200, 300, 400)]
    with pytest.raises(RuntimeError):
        scree.run(scene, tmp_path / "two", every=100, callback=fail)
    assert scree.Run(tmp_path / "two").checkpoints[-1] == 150 and isinstance(scree.Run(tmp_path / "two").frames[0], scree.Outlines)
    assert scree.resume(tmp_path / "two", every=100, callback=look).hash == first.hash != scree.run(scene, tmp_path / "plain").hash
