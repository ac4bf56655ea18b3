"""What Python expects of objects: ==, in, loops, reprs, misspelt attributes, arrays that do not fit; and what a short call costs."""
import copy
import dataclasses
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest
import scree
from scree import _abi

X, R = np.array([[0.2, 0.5, 0.5], [0.8, 0.5, 0.5], [0.5, 0.5, 0.5]]), np.array([0.1, 0.2, 0.3])


def packing(**more):
    return scree.pack("uniform-size:1:2", 60, density=0.2, periodic=True, **more)


def sim(**more):
    return scree.Simulation(X, R, box=(1, 1, 1), stiffness=1.0, **more)


# ---- Equal ----------------------------------------------------------------------------------------------------------

RECORDS = {
    "measure": lambda: scree.measure(packing()),
    "levels": lambda: scree.levels(np.linspace(1, 5, 200), (90, 90, 90)),
    "report": lambda: sim().measure(),
    "numbers": lambda: sim().numbers,
    "state": lambda: sim().state(),
    "contacts": lambda: sim().contacts(),
    "stats": lambda: index().stats,
    "rows": lambda: index().rows(),
}


def index():
    made = scree.Index((1, 1, 1), True)
    made.update(X, R)
    made.pairs()
    return made


@pytest.mark.parametrize("name", list(RECORDS))
def test_results_compare_by_value(name):
    one, two = RECORDS[name](), RECORDS[name]()
    assert one == two and not one != two
    assert one != 3 and one is not None
    assert pickle.loads(pickle.dumps(one)) == one and copy.deepcopy(one) == one
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    for field in dataclasses.fields(one):  # each of them counts, but for the clock
        if isinstance(getattr(one, field.name), (int, float, np.ndarray)) and np.size(getattr(one, field.name)):
            other = dataclasses.replace(one, **{field.name: getattr(one, field.name) + 1})
            assert (other == one) == field.name.startswith("seconds"), field.name
    with pytest.raises(AttributeError):
        one.anything = 1


def test_nan_equals_nan_in_results():
    m = scree.measure(X, R, (1, 1, 1), nearest_bins=3)
    assert dataclasses.replace(m, gap=np.nan) == dataclasses.replace(m, gap=np.nan) != m
    gaps = dataclasses.replace(m.nearest_gaps, gap=np.array([np.nan, 1.0]))
    assert gaps == dataclasses.replace(gaps) and gaps != dataclasses.replace(gaps, gap=np.array([1.0, np.nan]))


def test_spheres_compare_by_value(tmp_path):
    scree.write(tmp_path / "a.csv", X, R, mass=[1, 2, 3], name=["a", "b", "c"])
    one, two = scree.read(tmp_path / "a.csv"), scree.read(tmp_path / "a.csv")
    assert one == two and one == copy.deepcopy(one) == pickle.loads(pickle.dumps(one))
    two["mass"] = [1, 2, 4]
    assert one != two and (one == X) is (X == one) is (one == 1) is False
    assert packing() == packing() != packing(seed=2)
    assert pickle.loads(pickle.dumps(packing())) == packing()
    assert scree.Sizes("mono:1") == scree.Sizes("mono:1") != scree.Sizes("mono:1", dim=2)
    assert len({scree.Sizes("mono:1"), scree.Sizes("mono:1"), scree.Sizes("mono:2")}) == 2
    table = scree.Sizes.table([1, 2], passing_mass=[0, 1])
    assert table == table != scree.Sizes.table([1, 3], passing_mass=[0, 1])


def test_boxes_do_not_change():
    box = scree.Box((1, 2, 3), "xy")
    assert box == pickle.loads(pickle.dumps(box)) == copy.copy(box) and hash(box) == hash(scree.Box((1, 2, 3), "xy"))
    with pytest.raises(AttributeError, match="Box.lower cannot be set"):
        box.lower = (0, 0, 1)
    infinite = scree.Box([[-np.inf, 0], [np.inf, 1]])
    assert pickle.loads(pickle.dumps(infinite)) == infinite


# ---- in, loops, numbers ---------------------------------------------------------------------------------------------

def test_spheres_are_a_sequence_with_columns():
    s = scree.Spheres(X, R, mass=[1.0, 2.0, 3.0])
    assert "mass" in s and "charge" not in s and "x" not in s
    assert len(list(s)) == len(s) == 3
    for k, (x, r) in enumerate(s):
        assert x.tolist() == X[k].tolist() and r == R[k] and isinstance(r, float)
    assert s[1][1] == s[-2][1] == 0.2 and s[0][0].tolist() == X[0].tolist()
    with pytest.raises(IndexError, match="no sphere 3 among 3"):
        s[3]
    with pytest.raises(KeyError, match="no column 'mas'; did you mean 'mass'"):
        s["mas"]
    with pytest.raises(TypeError, match="column"):
        s[1.5]
    with pytest.raises(TypeError, match="column"):
        0.2 in s
    s["kind"] = np.arange(3)
    del s["mass"]
    assert list(s.columns) == ["kind"] and "mass" not in s
    with pytest.raises(KeyError, match="no column 'mass'"):
        del s["mass"]
    found = index()
    assert [r for _, r in found] == R.tolist()
    with pytest.raises(TypeError):
        (X[0], 0.1) in found


# ---- Arrays that do not fit -----------------------------------------------------------------------------------------

def test_lengths_are_checked_at_once():
    for make in (lambda c: scree.Spheres(X, R, mass=c), lambda c: scree.Spheres(X, R, columns={"mass": c}),
                 lambda c: scree.Spheres(X, R).columns.update(mass=c), lambda c: scree.Spheres(X, R).columns.setdefault("mass", c),
                 lambda c: scree.Spheres(X, R).__setitem__("mass", c), lambda c: setattr(scree.Spheres(X, R), "columns", {"mass": c}),
                 lambda c: packing().__setitem__("mass", c)):
        with pytest.raises(ValueError, match=r"column 'mass' has 2 entries, and there are (3|60) spheres"):
            make([1.0, 2.0])
        with pytest.raises(ValueError, match=r"column 'mass' has the shape \(\)"):
            make(1.0)
        with pytest.raises(TypeError, match="column 'mass' has dtype complex128"):
            make(np.zeros(60 if make.__code__.co_names[0] == "packing" else 3, complex))
    s = scree.Spheres(X, R, (1, 1, 1), mass=[1, 2, 3])
    for name, value, words in (("x", X[:2], r"\(2, 3\)"), ("x", X[:, :2], r"\(3, 2\)"), ("r", R[:2], r"\(2,\)"), ("r", np.ones((3, 1)), r"\(3, 1\)"),
                               ("box", (1, 1), "2 axes")):
        before = copy.deepcopy(s)
        with pytest.raises(ValueError, match=words):
            setattr(s, name, value)
        assert s == before
    s.x, s.r, s.box = 2 * X, 0.5, scree.Box((2, 2, 2))
    assert s.x[1, 0] == 1.6 and s.r.tolist() == [0.5] * 3 and s.box.volume == 8
    with pytest.raises(ValueError, match=r"colour_by has the shape \(2,\)"):
        scree.picture(s, colour_by=[1.0, 2.0])


def test_masked_entries_are_refused():
    x, r = np.ma.array(X, mask=X > 0.7), np.ma.array(R, mask=[False, True, True])
    calls = {
        "x has 1 masked entries of 9": (lambda: scree.pairs(x, R), lambda: scree.Spheres(x, R), lambda: scree.Simulation(x, R, stiffness=1.0),
                                        lambda: scree.pairs(list(x), R), lambda: scree.Box.around(x, R), lambda: setattr(sim(), "x", x),
                                        lambda: scree.thermal_velocities(x, R, 1.0), lambda: index().update(x, R)),
        "r has 2 masked entries of 3": (lambda: scree.pairs(X, r), lambda: scree.measure(X, r, (1, 1, 1)), lambda: scree.predict_density(r),
                                        lambda: scree.levels(r, (9, 9, 9)), lambda: scree.write("/nowhere/a.csv", X, r)),
        "column 'mass' has 2 masked entries": (lambda: scree.Spheres(X, R, mass=r), lambda: scree.write("/nowhere/a.csv", X, R, mass=r)),
        "sizes has 2 masked": (lambda: scree.pack(r),),
        "ij has 1 masked": (lambda: scree.write_pairs("/nowhere/a.csv", X, R, np.ma.array([[0, 1]], mask=[[0, 1]])),),
        "colour_by has 2 masked": (lambda: scree.picture(X, R, colour_by=r),),
        "box has 1 masked": (lambda: scree.Box(np.ma.array([1.0, 2.0], mask=[0, 1])),),
        "share has 2 masked": (lambda: scree.Sizes("mono:1").quantile(r),),
    }
    for words, some in calls.items():
        for call in some:
            with pytest.raises(ValueError, match=words):
                call()
    whole = np.ma.array(X, mask=False)
    np.testing.assert_array_equal(scree.pairs(whole, R), scree.pairs(X, R))


def test_texts_are_no_numbers():
    made = index()
    for call, name in ((lambda: scree.pairs(X, R, gap="0.1"), "gap"), (lambda: scree.Index(skin="0"), "skin"), (lambda: made.set_gap("1"), "gap"),
                       (lambda: made.insert(X[0], "1"), "r"), (lambda: made.query(X[0], np.ma.masked), "r"), (lambda: made.rescale("2"), "centres"),
                       (lambda: sim(restitution="0.5"), "restitution"), (lambda: scree.thermal_velocities(X, R, "1"), "temperature"),
                       (lambda: scree.levels(R, (9, 9, 9), gap="1"), "gap"), (lambda: scree.picture(X, R, zoom="2"), "zoom"),
                       (lambda: scree.Sizes("mono:1").moment("1"), "k")):
        with pytest.raises(TypeError, match=f"{name} is .*; expected a number"):
            call()


# ---- Misspelt names -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("make, name, meant", [
    (sim, "gravty", "'gravity'"), (sim, "restitution_", None), (sim, "time", "cannot be set"), (sim, "wall_velocity", "'set_wall_velocity'"),
    (index, "gap", "call set_gap"), (index, "gapp", "'gap'"), (packing, "contaner", "'container'"), (packing, "density", "cannot be set"),
    (lambda: scree.Spheres(X, R), "bx", "'box'"), (lambda: scree.Box((1, 1)), "periodc", "'periodic'"),
    (lambda: scree.Sizes("mono:1"), "dim", "cannot be set"), (lambda: scree.Sizes("mono:1"), "mn", "'min'"),
])
def test_misspelt_attributes_are_refused(make, name, meant):
    thing = make()
    with pytest.raises(AttributeError, match=meant or name):
        setattr(thing, name, 1)
    assert meant is not None or not hasattr(thing, name)


def test_misspelt_fields_of_structs_and_options_are_refused():
    for struct in _abi.STRUCTS.values():
        with pytest.raises(AttributeError, match="restitutoin"):
            struct().restitutoin = 1
    with pytest.raises(TypeError, match="'restitutoin'; did you mean 'restitution'"):
        sim(restitutoin=0.5)
    with pytest.raises(TypeError, match="'cel_size'; did you mean 'cell_size'"):
        scree.Index(cel_size=1.0)
    with pytest.raises(TypeError, match="'tolerace' with method 'rearrange'; did you mean 'tolerance'"):
        scree.pack("mono:1", 5, "rearrange", tolerace=1.0)


def test_subclasses_may_have_their_own():
    class Mine(scree.Simulation):
        pass

    mine = Mine(X, R, box=(1, 1, 1), stiffness=1.0)
    mine.label = "a"
    assert mine.label == "a"


# ---- Spheres wherever spheres go --------------------------------------------------------------------------------------

def test_every_function_takes_spheres(tmp_path):
    p = packing()
    x, r, box = p.x, p.r, p.box
    for s in (p, scree.Spheres(x, r, box)):
        np.testing.assert_array_equal(scree.pairs(s, gap=0.5), scree.pairs(x, r, box, gap=0.5))
        np.testing.assert_array_equal(scree.pairs(s, periodic=False, gap=0.5), scree.pairs(x, r, box, periodic=False, gap=0.5))
        assert scree.measure(s) == scree.measure(x, r, box)
        assert scree.Box.around(s) == scree.Box.around(x, r)
        np.testing.assert_array_equal(scree.thermal_velocities(s, temperature=1.0), scree.thermal_velocities(x, r, 1.0))
        np.testing.assert_array_equal(scree.picture(s, width=32, height=32), scree.picture(x, r, box=box, width=32, height=32))
        assert scree.predict_density(s) == scree.predict_density(r)
        assert scree.levels(s) == scree.levels(r, box)
        assert len(scree.pack(s, box=(50, 50, 50))) == len(r)
        one, two = scree.Index(box, gap=0.5), scree.Index(box, gap=0.5)
        one.update(s)
        two.update(x, r)
        np.testing.assert_array_equal(one.pairs(), two.pairs())
        one, two = scree.Simulation(s, stiffness=1.0), scree.Simulation(x, r, box=box, stiffness=1.0)
        assert one.hash == two.hash and one.box == box
        for path, given in ((tmp_path / "a", (s,)), (tmp_path / "b", (x, r))):
            scree.write(f"{path}.vtp", *given, box=box)
            scree.write_pairs(f"{path}.csv", *given, ij=[[0, 1]], box=box)
        for end in (".vtp", ".csv"):
            assert (tmp_path / f"a{end}").read_bytes() == (tmp_path / f"b{end}").read_bytes()
    moving = scree.Spheres(x, r, box, velocity=np.ones_like(x))
    np.testing.assert_array_equal(scree.Simulation(moving, stiffness=1.0).v, np.ones_like(x))
    for call in (lambda: scree.pairs(p, 1.0), lambda: scree.measure(p, 1.0), lambda: scree.Simulation(p, 1.0, stiffness=1.0),
                 lambda: scree.Index(box).update(p, 1.0)):
        with pytest.raises(TypeError, match="own radii"):
            call()
    with pytest.raises(ValueError, match="levels needs a box"):
        scree.levels([1.0, 2.0])
    with pytest.raises(TypeError, match="ij"):
        scree.write_pairs(tmp_path / "c.csv", p)
    round_one = scree.Simulation(scree.pack("mono:1", 20, container="cylinder"), stiffness=1.0)
    assert [one["name"] for one in round_one.boundaries()][5:] == ["upper z", "cylinder 6"] and round_one.spheres.container == "cylinder"


# ---- Reprs ----------------------------------------------------------------------------------------------------------

def test_reprs_are_short(tmp_path):
    p = packing()
    odd = scree.Box([[-1.2345678901234567e-101] * 3, [9.876543210123456e+101] * 3], True)
    many = scree.Spheres(p.x, p.r, p.box, columns={f"a column with a name of its own, number {k}": p.r for k in range(100)})
    things = [p, many, many.columns, odd, scree.Spheres(p.x, p.r, odd), index(), scree.Index(odd), sim(), scree.Sizes("uniform-size:1:2"), scree.Spheres(np.zeros((0, 2)), [])]
    things += [make() for make in RECORDS.values()]
    m = scree.measure(p)
    things += [m.g_r, m.size_curve, m.nearest_gaps]
    for thing in things:
        text = repr(thing)
        assert len(text) <= 200 and "\n" not in text and type(thing).__name__ in text or thing is many.columns, text
        assert str(thing) == text
    assert len(repr(many.columns)) <= 200
    for part in ("60", "3D", "'rsa'", f"density {p.density:.6g}", "r 1.00833 to 1.99167", "periodic xyz"):
        assert part in repr(p)
    assert repr(m).startswith(f"Measures(n=60, dim=3, density={m.density:.6g}") and repr(sim().numbers).startswith("Numbers(stiffness=1, ")
    assert "<100 float64>" in repr(scree.SizeCurve(np.zeros(100), np.zeros(100), np.zeros(100)))


# ---- Short calls ----------------------------------------------------------------------------------------------------

def test_signal_handlers_are_set_at_most_once_in_a_call(monkeypatch, rng):
    import _signal
    real, sets = _signal.signal, []
    monkeypatch.setattr(_signal, "signal", lambda number, handler: sets.append(number) or real(number, handler))
    handled = sum(callable(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGUSR1,
                                                                    signal.SIGUSR2))
    sets.clear()
    scree.pairs(X, R)
    assert sets == []
    scree.pairs(rng.random((20000, 3)), 0.001)
    assert len(sets) == 2 * handled > 0  # set and set back


def test_small_sets_wake_no_threads(environment):
    code = ("import os, numpy as np, scree\ndef threads(): return len(os.listdir('/proc/self/task'))\nx = np.random.default_rng(1).random((100000, 3))\n"
            "before = threads()\nscree.pairs(x[:1000], 0.01)\nscree.pairs(x[:500], 0.01, method='all-pairs')\nsmall = threads()\n"
            "scree.pairs(x, 0.001)\nprint(small - before, threads() - before)")
    done = subprocess.run([sys.executable, "-c", code], env={**environment, "OMP_NUM_THREADS": "3", "OPENBLAS_NUM_THREADS": "1"}, check=True,
                          stdout=subprocess.PIPE, text=True)
    assert done.stdout == "0 2\n"


def test_walls_remove_what_passes_through_them():
    x, v = [(1, 1, 1.5), (1, 1, 0.3)], [(0.1, 0, 0), (0, 0, -5)]
    given = dict(r=0.1, v=v, box=(2, 2, 2), stiffness=1, time_step=1e-3)
    with pytest.raises(scree.ScreeError, match="sphere 1.*lower z"):
        scree.Simulation(x, **given).step(200)
    sim = scree.Simulation(x, walls_on_crossing="remove", **given)
    sim.step(200)
    assert len(sim) == 1 and [(one["id"], one["boundary"]) for one in sim.take_crossings()] == [(1, 4)]
    with pytest.raises(scree.ArgumentError, match="walls_on_crossing"):
        scree.Simulation(x, walls_on_crossing="forget", **given)


def test_spheres_are_a_container(rng):
    x, r = rng.random((20, 3)), rng.uniform(0.1, 0.2, 20)
    spheres = scree.Spheres(x, r, (1, 1, 1), True, mass=np.arange(20.0), velocity=rng.random((20, 3)), name=np.array([f"n{k}" for k in range(20)]))
    spheres.container = "cylinder"
    mask = rng.random(20) < 0.5
    for which in (slice(3, 15, 2), mask, np.flatnonzero(mask), [4, 4, -1], [], slice(0, 0)):
        part, rows = spheres[which], np.array(which, dtype=int) if isinstance(which, list) else which
        assert type(part) is scree.Spheres and part.box == spheres.box and part.container == "cylinder"
        assert np.array_equal(part.x, x[rows]) and np.array_equal(part.r, r[rows])
        assert all(np.array_equal(part[name], spheres[name][rows]) for name in ("mass", "velocity", "name"))
    view, copy = spheres[5:8], spheres[[5, 6, 7]]
    assert view == copy and np.shares_memory(view.x, x) and not np.shares_memory(copy.x, x) and not np.shares_memory(spheres.copy().r, r)
    assert scree.concatenate([spheres[:7], spheres[7:7], spheres[7:]]) == spheres == spheres.copy()
    assert scree.concatenate(spheres[[k]] for k in range(20)) == spheres
    assert type(scree.pack("mono:0.1", 5)[:2]) is scree.Spheres
    for bad, error, match in ((np.ones(3, bool), IndexError, "3 entries"), ([20], IndexError, "20 among 20"), ([-21], IndexError, "-21 among"), ([0.5], TypeError, "mask"),
                              (0.5, TypeError, "a mask"), ([[1]], TypeError, "mask")):
        with pytest.raises(error, match=match):
            spheres[bad]
    other = spheres.copy()
    del other["mass"]
    for parts, match in (([spheres, other], "columns of part 1"), ([], "at least one"), ([spheres, scree.Spheres(x[:, :2], r)], "dimension of part 1")):
        with pytest.raises(scree.ArgumentError, match=match):
            scree.concatenate(parts)
    with pytest.raises(TypeError, match="part 1"):
        scree.concatenate([spheres, x])


def test_what_a_notebook_shows(rng):
    packing = scree.pack("uniform-size:0.1:0.2", 20, periodic=True)
    with scree.Simulation(packing, stiffness=1e3) as sim:
        for shown in (packing, packing[:3], sim):
            png, page = shown._repr_png_(), shown._repr_html_()
            assert png[:8] == b"\x89PNG\r\n\x1a\n" and png[16:24] == (640).to_bytes(4, "big") + (480).to_bytes(4, "big")
            assert "data:image/png;base64," in page and page.count("<tr>") == page.count("</tr>") > 1
        report = sim.measure()
        assert "energy_kinetic" in report._repr_html_() and "<img" not in report._repr_html_()
    assert sim._repr_png_() is None and "closed" in sim._repr_html_()
    none = scree.Spheres(np.zeros((0, 2)), 1.0)
    assert none._repr_png_() is None and "0 in 2D" in none._repr_html_()
    named = scree.Spheres([[0.0, 0]], 1.0, columns={"<b>": [1.0]})
    assert "<b>" not in named._repr_html_() and "&lt;b&gt;" in named._repr_html_()
    assert scree.Spheres([[0.1, 0.2, 0.3]], 1.4, [[0, 2, 2], [2, 0, 2], [2, 2, 0]])._repr_png_() is not None
