"""What must not go wrong: Ctrl-C, threads, memory that runs out, callbacks that fail, forks, objects that die in any order."""
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scree
from scree._library import lib

LONG = {
    "pairs": "scree.pairs(np.random.default_rng(1).random((200000, 3)), 1e-3, method='all-pairs', threads=1)",
    "pack": "scree.pack('uniform-size:1:2', 30000, 'rearrange', periodic=True)",
    "advance": "scree.Simulation(np.random.default_rng(1).random((3000, 3)) * 100, 0.1, stiffness=1.0, gravity=(0, 0, -1)).advance(10 ** 8)",
    "measure": "scree.measure(np.random.default_rng(1).random((200000, 3)), 1e-3, (1, 1, 1), r_max=0.4)",
}


def work_on(child, seconds=0.1):
    """Waits until the child has used this much more processor time: then it is in the middle of its long call."""
    def used():
        with open(f"/proc/{child.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    wanted, end = used() + seconds, time.monotonic() + 60
    while used() < wanted:
        assert child.poll() is None, "it was over too soon to be interrupted: " + child.stderr.read()
        assert time.monotonic() < end, "it does not work"
        time.sleep(0.01)


def start(environment, code):
    child = subprocess.Popen([sys.executable, "-c", "import numpy as np, scree, signal, sys\n" + code], env=environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n", child.stderr.read()
    work_on(child)
    return child


def finish(child):
    try:
        return child.communicate(timeout=60)
    finally:
        child.kill()


@pytest.mark.parametrize("name", list(LONG))
def test_ctrl_c_is_a_keyboard_interrupt(name, environment):
    child = start(environment, f"print('ready', flush=True)\ntry:\n    {LONG[name]}\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
                               "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
                               "print(len(scree.pairs([[0, 0], [1, 0]], 0.6)))\n")
    child.send_signal(signal.SIGINT)
    out, err = finish(child)
    assert (out, err, child.returncode) == ("interrupted\n1\n", "", 0)


def test_ctrl_c_without_a_handler_of_the_callers(environment):
    child = start(environment, f"print('ready', flush=True)\n{LONG['pairs']}\n")
    child.send_signal(signal.SIGINT)
    out, err = finish(child)
    assert "KeyboardInterrupt" in err and "Exception ignored" not in err and child.returncode in (-signal.SIGINT, 130)


def test_other_handlers_run_in_the_middle_and_the_call_goes_on(environment):
    child = start(environment, "signal.signal(signal.SIGUSR1, lambda *_: print('reported', flush=True))\n"
                               "def stop(*_): raise SystemExit(7)\nsignal.signal(signal.SIGTERM, stop)\nprint('ready', flush=True)\n"
                               f"{LONG['pairs']}\n")
    child.send_signal(signal.SIGUSR1)
    assert child.stdout.readline() == "reported\n"
    work_on(child)
    child.send_signal(signal.SIGTERM)
    out, err = finish(child)
    assert (out, err, child.returncode) == ("", "", 7)


def test_exceptions_of_callbacks_come_through(rng):
    class Mine(Exception):
        pass

    def fail(done):
        raise Mine(done)

    x = rng.random((20000, 3))
    with pytest.raises(Mine):
        scree.pairs(x, 0.01, progress=fail, threads=1)  # with more, another one might have all the work
    with pytest.raises(scree.CancelledError):
        scree.pairs(x, 0.01, progress=lambda done: False, threads=1)
    shares = []
    scree.pairs(x, 0.01, progress=shares.append, threads=1)
    assert shares and all(0 <= share <= 1 for share in shares)
    index = scree.Index(progress=lambda done: len(index), threads=1)
    index.update(x, 0.01)
    with pytest.raises(RuntimeError, match="in the middle of a call"):
        index.pairs()


def test_other_threads_go_on_during_a_call(rng):
    x = rng.random((15000, 3))
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted[0]
        scree.pairs(x, 1e-3, method="all-pairs", threads=1)
        assert counted[0] - before > 10
    finally:
        over.set()
        thread.join()


def test_many_threads_with_their_own_objects(rng):
    sets = [(rng.random((2000, 3)), rng.uniform(0.005, 0.03, 2000)) for _ in range(8)]
    wanted = [scree.pairs(x, r) for x, r in sets]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for found, expected in zip(pool.map(lambda s: scree.pairs(*s), sets), wanted):
                np.testing.assert_array_equal(found, expected)


def test_many_threads_with_one_object(rng):
    x, r = rng.random((500, 3)), np.full(500, 0.05)
    index = scree.Index()
    index.update(x, r)
    wanted = [index.neighbours(i).tolist() for i in range(500)]

    def work(k):
        for i in range(k, 500, 8):
            index.move(i, x[i])
            assert index.neighbours(i).tolist() == wanted[i]
        return len(index.pairs())

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(work, range(8)))) == 1


def test_messages_belong_to_their_threads():
    def fail(k):
        with pytest.raises(scree.ArgumentError, match=f"sphere {k}:"):
            scree.pairs(np.vstack([np.zeros((k, 3)), [[np.nan] * 3]]), 1.0)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(fail, list(range(16)) * 5))


def test_memory_that_runs_out_is_an_exception(rng):
    x, r = rng.random((300, 3)), rng.uniform(0.01, 0.05, 300)
    packing = scree.pack("mono:1", 50, density=0.1, periodic=True)
    calls = {
        "pairs": lambda: scree.pairs(x, r),
        "measure": lambda: scree.measure(packing),
        "pack": lambda: scree.pack("uniform-size:1:2", 20, "rearrange", sweeps=20),
        "sizes": lambda: scree.sizes("uniform-size:1:2", 10),
        "simulation": lambda: scree.Simulation(packing.x, packing.r, None, packing.box, stiffness=1.0).step(3),
        "friction": lambda: rub(scree.Simulation(packing.x, 1.5 * packing.r, None, packing.box, stiffness=1.0, restitution=0.9, rolling_friction=0.1, energies=True,
                                                 materials={"a": {}, "b": {}}, material=["a", "b"] * 25, pairs={("a", "b"): dict(friction=0.1)}, friction=0.2)),
        "picture": lambda: scree.picture(x, r, width=20, height=20),
    }

    def rub(sim):
        sim.step(3)
        sim.set_state(sim.state())
        return sim.contacts(), sim.measure()

    for name, call in calls.items():
        call()
        failed = 0
        for n in range(1, 2000):
            lib.scree_memory_fail_at(n)
            try:
                call()
                break
            except MemoryError as error:
                assert isinstance(error, scree.OutOfMemoryError) and "memory" in str(error)
                failed += 1
            finally:
                lib.scree_memory_fail_at(0)
        assert failed > 0, name


def test_objects_die_in_any_order(rng, tmp_path):
    path = tmp_path / "a.csv"
    scree.write(path, rng.random((100, 3)), 0.1)
    for _ in range(20):
        spheres = scree.read(path)
        x = spheres.x[::2]
        del spheres
        gc.collect()
        assert np.isfinite(x).all()
        index = scree.Index()
        index.update(x, 0.1)
        shown = index.pairs(copy=False)
        del index, x
        assert (shown >= 0).all()
        del shown
    sim = scree.Simulation([[0, 0]], 1.0, stiffness=1.0)
    sim.close()
    with pytest.raises(ValueError, match="closed"):
        sim.step()


def test_memory_is_given_back(rng):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    x, r = rng.random((20000, 3)), np.full(20000, 0.02)
    packing = scree.pack("mono:1", 2000, density=0.1, periodic=True)

    def work():
        scree.pairs(x, r)
        scree.measure(packing)
        scree.Simulation(packing.x, packing.r, None, packing.box, stiffness=1.0).step(2)
        scree.picture(packing, width=64, height=64)

    for _ in range(3):
        work()
    before = resident()
    for _ in range(15):
        work()
    assert resident() - before < 15 * x.nbytes  # much less than if each round left its arrays behind


def test_fork(rng):
    x, r = rng.random((5000, 3)), np.full(5000, 0.02)
    wanted = len(scree.pairs(x, r))
    child = os.fork()
    if child == 0:
        os._exit(0 if len(scree.pairs(x, r)) == wanted else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_pickle():
    for one in (scree.Tree([[0, 0, 0]]), scree.HardSpheres([[1, 1]], 0.1, [[0, 0]], (2, 2))):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(one)
    assert pickle.loads(pickle.dumps(scree.Sizes("mono:2"))).max == 2
    packing = pickle.loads(pickle.dumps(scree.pack("mono:1", 10)))
    assert len(packing) == 10 and packing.box.volume > 0


@pytest.mark.parametrize("box", [dict(box=(4, 3, 5), periodic="xz"), dict(box=[[0, 2, 2], [2, 0, 2], [2, 2, 0]]), dict(dim=2)])
def test_pickled_indices(box, rng):
    dim = box.get("dim", 3)
    index = scree.Index(**box, gap=0.1, skin=0.3, threads=1)
    assert len(pickle.loads(pickle.dumps(index))) == 0
    x = rng.random((200, dim)) * 2
    x[:20] += index.box.cell.sum(0) * 100 if dim == 3 and index.box._frame is not None else 0.0
    index.update(x, rng.uniform(0.05, 0.3, 200))
    index.user = rng.integers(0, 1000, 200)
    index.set_mask(np.arange(200) // 50, [[True, True, False, True], [True, False, True, True], [False, True, True, False], [True, True, False, True]])
    index.remove(3), index.move(5, x[6]), index.set_radius(7, 0.4)
    again = pickle.loads(pickle.dumps(index))
    assert again.gap == 0.1 and again.box == index.box and again.user.tolist() == index.user.tolist()
    assert all(map(np.array_equal, again.pairs(images=True), index.pairs(images=True))) and len(index.pairs()) > 100
    index.insert([1.0] * dim, 0.5), again.insert([1.0] * dim, 0.5)
    assert np.array_equal(again.neighbours(199), index.neighbours(199))


def test_pickled_simulations(tmp_path):
    """The copy has the hash, and goes on to the same hash: with friction, bonds, loads, moving walls, other contacts and time steps, and of scenes before and after their changes."""
    packing = scree.pack("uniform-size:0.3:0.5", 60, "rsa", box=(4, 4, 4), periodic="xy")
    v = scree.thermal_velocities(packing.x, packing.r, 1.0)
    for how in (dict(law="hertz", young=1e6, poisson=0.3, speed=1.0, friction=0.4, rolling_friction=0.1, restitution=0.6, energies=True),
                dict(stiffness=1e4, friction=0.3, restitution=0.5, wall_velocity=[[0, 0], [0, 0], [0.1, 0]], bonds=dict(gap=0.1, young=1e5, damping=0.1, tensile_strength=1e3)),
                dict(stiffness=1e4, material=np.arange(60) % 2, materials={"a": dict(material_density=1), "b": dict(material_density=3)}, surfaces=[dict(plane=dict(normal=(0, 0, 1), at=(0, 0, -0.5)), name="floor", material="a")],
                     wall_material="a", group=np.arange(60) % 3)):
        sim = scree.Simulation(packing.x, packing.r, v, packing.box, gravity=(0, 0, -1), **how)
        sim.advance(300)
        sim.gravity, sim.external_force[3] = (0, 0.5, -1), (1, 0, 0)
        sim.set_load("drag", value=(0, 0.5, 0))
        if "bonds" not in how:
            sim.set_contacts(restitution=0.9)
        sim.set_time_step(0.5 * sim.numbers.time_step)
        sim.advance(10)
        again = pickle.loads(pickle.dumps(sim))
        assert again.hash == sim.hash and again.time == sim.time
        sim.advance(700), again.advance(700)
        assert again.hash == sim.hash and again.measure().energy_kinetic == sim.measure().energy_kinetic
    sim.remove([5])
    with pytest.raises(TypeError, match="removed"):
        pickle.dumps(sim)
    text = "box: {size: [4, 4, 4]}\ngravity: [0, 0, -1]\nspheres: {count: 20, sizes: mono:0.4, place: random}\ncontact: {stiffness: 1e3, restitution: 0.5}\ntime: {steps: 3000}\n" \
           "changes:\n- {at: 0.5, walls: {x: [0.2, 0]}}\n- {at: 1.0, gravity: [1, 0, 0]}\n"
    whole = scree.Simulation.from_scene(scree.Scene.from_text(text))
    whole.advance()
    for steps in (0, 700, 2000):
        part = scree.Simulation.from_scene(scree.Scene.from_text(text))
        part.advance(steps)
        again = pickle.loads(pickle.dumps(part))
        again.advance()
        assert again.hash == whole.hash and again.steps == 3000
    r = np.full(2, 0.5)
    sim = scree.Simulation([[0, 0], [2, 0]], r, stiffness=1e3)
    r[0] = 0.4
    with pytest.raises(scree.ArgumentError, match="another radius"):
        pickle.loads(pickle.dumps(sim))


def test_errors_are_of_python_kinds():
    for mine, python in ((scree.ArgumentError, ValueError), (scree.OutOfMemoryError, MemoryError), (scree.FileError, OSError),
                         (scree.FormatError, ValueError), (scree.UnsupportedError, NotImplementedError)):
        assert issubclass(mine, python) and issubclass(mine, scree.ScreeError)
