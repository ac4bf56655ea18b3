"""The same results as the program, bit for bit."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import scree


def reported(*command):
    return json.loads(subprocess.run([*map(str, command), "--json", "--quiet"], check=True, stdout=subprocess.PIPE).stdout)


@pytest.mark.parametrize("periodic, gap", [("none", 0.0), ("none", 0.01), ("xz", 0.005)])
def test_contacts(program, tmp_path, rng, periodic, gap):
    x, r = rng.random((3000, 3)), rng.uniform(0.001, 0.05, 3000)
    spheres, theirs, ours = (tmp_path / name for name in ("spheres.csv", "theirs.csv", "ours.csv"))
    scree.write(spheres, x, r)
    report = reported(program, "contacts", spheres, "--box", "1,1,1", "--periodic", periodic, "--gap", repr(gap), "-o", theirs)
    ij, shift = scree.pairs(x, r, (1, 1, 1), periodic, gap, images=True)
    assert len(ij) == report["pairs"]
    scree.write_pairs(ours, x, r, ij, shift if periodic != "none" else None, (1, 1, 1), periodic)
    assert ours.read_bytes() == theirs.read_bytes()
    assert len(scree.pairs(x, r, (1, 1, 1), periodic, gap)) <= report["distinct_pairs"]


@pytest.mark.parametrize("flags, more", [
    (["--method", "rsa", "--count", "300", "--periodic", "xyz"], dict(count=300, periodic=True)),
    (["--method", "rsa", "--count", "200", "--density", "0.2", "--seed", "9"], dict(count=200, density=0.2, seed=9)),
    (["--method", "rsa", "--box", "30,20,25", "--density", "0.1", "--sampling", "random"],
     dict(box=(30, 20, 25), density=0.1, sampling="random")),
    (["--method", "rearrange", "--count", "200", "--periodic", "xy", "--box", "1,1,2"],
     dict(method="rearrange", count=200, box=(1, 1, 2), periodic="xy")),
    (["--method", "rsa", "--count", "100", "--container", "cylinder"], dict(count=100, container="cylinder")),
    (["--method", "drop", "--count", "300"], dict(method="drop", count=300)),
    (["--method", "drop", "--count", "200", "--box", "12,13,4", "--periodic", "x", "--seed", "4"],
     dict(method="drop", count=200, box=(12, 13, 4), periodic="x", seed=4)),
    (["--method", "drop", "--count", "100", "--dim", "2", "--lowest", "5"], dict(method="drop", count=100, dim=2, lowest=5)),
    (["--method", "drop", "--count", "100", "--centre"], dict(method="drop", count=100, centre=True)),
    (["--method", "drop", "--count", "100", "--container", "sphere"], dict(method="drop", count=100, container="sphere")),
    (["--method", "rearrange", "--count", "100", "--dim", "2", "--tolerance", "1e-3"], dict(method="rearrange", count=100, dim=2, tolerance=1e-3)),
    (["--method", "rearrange", "--count", "100", "--periodic", "xyz", "--as-paper", "--tolerance", "1e-2"],
     dict(method="rearrange", count=100, periodic=True, as_paper=True, tolerance=1e-2)),
    (["--method", "rearrange", "--count", "100", "--centres", "random", "--start-density", "1.1", "--attraction", "0.5", "--moves", "one-by-one",
      "--margin", "0.3", "--margin-least", "0.1", "--tolerance", "1e-2"],
     dict(method="rearrange", count=100, centres="random", start_density=1.1, attraction=0.5, moves="one-by-one", margin=0.3, margin_least=0.1,
          tolerance=1e-2)),
    (["--method", "rearrange", "--count", "100", "--periodic", "xyz", "--stable", "--overlap", "1e-4"],
     dict(method="rearrange", count=100, periodic=True, stable=True, overlap=1e-4)),
    (["--method", "rsa", "--count", "60", "--periodic", "xyz", "--stable", "--overlap", "1e-3"],
     dict(method="rsa", count=60, periodic=True, stable=True, overlap=1e-3)),
])
def test_pack(program, tmp_path, flags, more):
    theirs, ours = tmp_path / "theirs.vtp", tmp_path / "ours.vtp"
    report = reported(program, "pack", "--sizes", "uniform-size:0.5:1.5", *flags, "-o", theirs)
    packing = scree.pack("uniform-size:0.5:1.5", **more)
    scree.write(ours, packing)
    assert ours.read_bytes() == theirs.read_bytes()
    m = scree.measure(packing)
    assert (m.coordination, m.rattlers) == (report["coordination"], report["rattlers"])
    assert packing.density == pytest.approx(report["density"], rel=1e-12)


def test_hierarchy(program, tmp_path):
    path = tmp_path / "mix.csv"
    report = reported(program, "pack", "--sizes", "fuller:1:4", "--method", "hierarchical", "--count", "80", "--class-ratio", "2.1", "--repeats", "2", "-o", path)
    found = scree.pack_hierarchy("fuller:1:4", spheres=80, class_ratio=2.1, repeats=2)
    assert (found.density, found.error, len(found.levels)) == (report["recipe_density"], report["recipe_density_error"], 2)
    for k, level in enumerate(found.levels):
        written = scree.read(path if k == 0 else tmp_path / "mix.level-2.csv")
        np.testing.assert_array_equal(written.x, level["sample"].x)
        assert len(scree.pairs(level["sample"].x, level["sample"].r, level["sample"].box)) == 0


def test_stable_forces_balance_in_the_file(program, tmp_path):
    """Contacts and forces by NumPy alone, from the file that was written."""
    path = tmp_path / "stable.csv"
    report = reported(program, "pack", "--sizes", "uniform-size:1:2", "--method", "rearrange", "--count", "150", "--periodic", "xyz", "--stable", "-o", path)
    table = np.genfromtxt(path, delimiter=",", names=True, comments="#")
    x, r, size = np.stack([table["x"], table["y"], table["z"]], 1), table["r"], np.array(report["box_size"])
    d = x[:, None] - x[None]
    d -= size * np.round(d / size)
    distance = np.sqrt((d ** 2).sum(2))
    overlap = np.maximum(r[:, None] + r - distance, 0)
    np.fill_diagonal(overlap, 0)
    force = 2 * r[:, None] * r / (r[:, None] + r) * overlap
    net = (force / np.where(distance > 0, distance, 1))[:, :, None] * d
    mean = force.sum() / (force > 0).sum()
    residual = np.linalg.norm(net.sum(1), axis=1).max() / mean
    touching, held = force > 0, np.ones(len(r), bool)
    while True:
        fewer = held & ((touching & held).sum(1) >= 4)
        if (fewer == held).all():
            break
        held = fewer
    contacts = int((touching & held & held[:, None]).sum()) // 2
    assert residual <= 1e-6 and report["converged"]
    assert 3 * held.sum() - 2 <= contacts <= 1.03 * 3 * held.sum()
    assert (report["stable_contacts"], report["stable_rattlers"]) == (contacts, int((~held).sum()))
    assert report["stable_residual"] == pytest.approx(residual, rel=1e-2)


@pytest.mark.parametrize("law, more", [("mono:0.5", {}), ("uniform-volume:0.5:2", {}), ("uniform-size:0.5:1", {"rounds": 1})])
def test_saturated(program, tmp_path, law, more):
    theirs, ours = tmp_path / "theirs.vtp", tmp_path / "ours.vtp"
    flags = [text for name, value in more.items() for text in (f"--{name}", str(value))]
    report = reported(program, "pack", "--sizes", law, "--method", "rsa", "--saturate", "--count", "150", "--dim", "2", "--periodic", "xy", "-o", theirs, *flags)
    packing = scree.pack(law, 150, saturate=True, dim=2, periodic=True, **more)
    scree.write(ours, packing)
    assert ours.read_bytes() == theirs.read_bytes()
    assert packing.report["saturated"] == report["saturated"] == (more == {})
    assert packing.report["refused"] == report["refused"]


def test_levels_and_picture(program, tmp_path, rng):
    spheres = tmp_path / "spheres.vtp"
    packing = scree.pack("uniform-volume:1:20", 2000, density=0.2, periodic=True)
    scree.write(spheres, packing)
    report = reported(program, "levels", spheres)
    found = scree.levels(packing.r, packing.box)
    assert (found.levels, found.m, found.cost) == (report["levels"], report["m"], report["cost"])
    np.testing.assert_array_equal(found.cell_sizes, report["cell_sizes"])
    subprocess.run([program, "picture", spheres, "-o", tmp_path / "theirs.png", "--size", "200x150", "--quiet"], check=True)
    scree.picture(scree.read(spheres), path=tmp_path / "ours.png", width=200, height=150)
    assert (tmp_path / "ours.png").read_bytes() == (tmp_path / "theirs.png").read_bytes()


SHARED = """
box: {size: [6, 6, 8], periodic: [x]}
gravity: [0, 0, -200]
spheres: {count: 120, sizes: "uniform-size:0.3:0.7", place: random}
contact: {stiffness: 2000, restitution: 0.6, friction: 0.4}
time: {steps: 200}
output: {formats: [csv]}
"""


def need_mpi(program, monkeypatch):
    if shutil.which("mpirun") is None or not os.access(os.path.join(os.path.dirname(program), "scree-mpi"), os.X_OK):
        pytest.skip("scree-mpi was not built, or there is no mpirun")
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_mpi_yield_when_idle"):
        monkeypatch.setenv(name, "1")


def test_plan(program, tmp_path):
    scene = tmp_path / "scene.yaml"
    scene.write_text(SHARED.replace("count: 120", "count: 250").replace("0.3:0.7", "0.3:0.5").replace("contact:", "search: {skin: 0.3}\ncontact:"))
    table = json.loads(subprocess.run([program, "plan", scene, "--ranks", "1,5", "--json"], check=True, capture_output=True).stdout)["plan"]
    found = scree.plan(scene, (1, 5))
    for k, plan in enumerate(found):
        for name in ("own", "ghosts", "peers", "sent"):
            assert table[name][k] == getattr(plan.mean, name) and table[name + "_max"][k] == getattr(plan.most, name) and table[name + "_min"][k] == getattr(plan.least, name), name
        assert table["imbalance"][k] == plan.imbalance
        for name, here in {"bytes": plan.mean.bytes, "bytes_max": plan.most.bytes, "bytes_min": plan.least.bytes, "bytes_first": plan.first, "bytes_steps": plan.held}.items():
            assert table[name][k] == pytest.approx(here, rel=0.02, abs=2e4), name  # malloc rounds
        assert plan.first >= plan.held_first > 250 * 200
    assert found[0].mean.own == 250 and found[1].mean.ghosts > 0
    positions = np.random.default_rng(1).random((60, 3)) * 9 + 0.5
    assert scree.Simulation(positions, 0.4, stiffness=100, box=(10, 10, 10)).plan(3).mean.own == 20
    with pytest.raises(scree.ArgumentError, match="ranks"):
        scree.plan(scene, 0)


# Processes that Python has: all of them, and half of them in each of two runs at the same time; what fails is raised on all.
COMMUNICATOR = """
import sys
from mpi4py import MPI
import scree
comm, (scene, folder) = MPI.COMM_WORLD, sys.argv[1:]
result = scree.run(scene, folder + "/all", comm=comm)
half = comm.Split(comm.rank % 2)
other = scree.resume(folder + "/all", until_steps=220, comm=half) if comm.rank % 2 == 0 else scree.run(scene, folder + "/half", comm=half)
assert (result is None) == (comm.rank > 0) and (other is None) == (half.rank > 0)
try:
    scree.run(scene, folder + "/all", comm=comm)
    raise AssertionError("a folder that is not empty")
except scree.ArgumentError as error:
    assert "/all" in str(error)
for name, found in (("all", result), ("other" + str(comm.rank), other)):
    if found is not None:
        open(folder + "/" + name + ".hash", "w").write(found.hash)
"""


def test_communicator(program, tmp_path, environment, monkeypatch):
    pytest.importorskip("mpi4py")
    need_mpi(program, monkeypatch)
    scene, script = tmp_path / "scene.yaml", tmp_path / "script.py"
    scene.write_text(SHARED)
    script.write_text(COMMUNICATOR)
    done = subprocess.run(["mpirun", "--map-by", ":OVERSUBSCRIBE", "-n", "4", sys.executable, script, scene, tmp_path], check=False, capture_output=True, text=True, timeout=100,
                          env={**os.environ, "PYTHONPATH": environment["PYTHONPATH"]})
    assert done.returncode == 0, done.stderr
    one = scree.run(scene, tmp_path / "one")
    longer = scree.resume(tmp_path / "one", until_steps=220)
    assert [(tmp_path / f"{name}.hash").read_text() for name in ("all", "other0", "other1")] == [one.hash, longer.hash, one.hash]
    with pytest.raises(scree.ArgumentError, match="communicator"):
        scree.run(scene, tmp_path / "two", comm=3)


INTERRUPTED = """
import sys
import scree
try:
    scree.run(sys.argv[1], sys.argv[2], ranks=2)
except KeyboardInterrupt:
    sys.exit(42)
"""


def processes_with(text):
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if text in words and int(folder.name) != os.getpid():
            found.append(words.replace("\0", " "))
    return found


def wait_for(what, seconds):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_interrupted_ranks(program, tmp_path, environment, monkeypatch):
    need_mpi(program, monkeypatch)
    scene, script, folder = tmp_path / "scene.yaml", tmp_path / "script.py", tmp_path / "stopped"
    calm = SHARED.replace("-200", "-2")
    scene.write_text(calm.replace("steps: 200}", "steps: 4000000}\ncheckpoint: {every: 50}"))
    script.write_text(INTERRUPTED)
    with subprocess.Popen([sys.executable, script, scene, folder], env={**os.environ, "PYTHONPATH": environment["PYTHONPATH"]}, restore_signals=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)) as going:  # pylint: disable=subprocess-popen-preexec-fn
        try:
            wait_for(lambda: going.poll() is not None or len(list(folder.glob("checkpoint_*.npz"))) > 1, 60)
            going.send_signal(signal.SIGINT)
            assert going.wait(60) == 42
        finally:
            going.kill()
    wait_for(lambda: not processes_with(str(folder)), 60)  # nobody goes on
    steps = max(int(path.stem.split("_")[1]) for path in folder.glob("checkpoint_*.npz"))  # at which it stopped, not only those that were due
    resumed = scree.resume(folder, until_steps=steps + 10)
    scene.write_text(calm.replace("steps: 200}", f"steps: {steps + 10}}}"))
    assert steps > 0 and resumed.hash == scree.run(scene, tmp_path / "reference").hash


def test_ranks(program, tmp_path, monkeypatch):
    need_mpi(program, monkeypatch)
    scene = tmp_path / "scene.yaml"
    scene.write_text(SHARED)
    one, two = scree.run(scene, tmp_path / "one"), scree.run(scene, tmp_path / "two", ranks=2)
    assert one.hash == two.hash and one.report.contacts == two.report.contacts and one.report.dissipated_tangential == two.report.dissipated_tangential > 0
    np.testing.assert_array_equal(one.x, two.x)
    longer = scree.resume(tmp_path / "two", until_steps=250, ranks=3)
    assert longer.steps == 250 and longer.hash == scree.resume(tmp_path / "one", until_steps=250).hash
    with pytest.raises(scree.ScreeError, match="frction"):
        scene.write_text(SHARED.replace("friction", "frction"))
        scree.run(scene, tmp_path / "three", ranks=2)
    with pytest.raises(scree.ArgumentError, match="progress"):
        scree.run(scene, tmp_path / "three", ranks=2, progress=print)
