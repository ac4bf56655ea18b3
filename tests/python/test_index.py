"""scree.Index: all at once, one by one, rows, views."""
import gc

import brute
import numpy as np
import pytest
import scree
from conftest import EFFORT


def neighbours_of(rows, i):
    """(j, shift) of one sphere from the rows of all pairs; both ends of a pair of a sphere with its own image."""
    ahead = rows[rows[:, 0] == i][:, 1:]
    back = rows[rows[:, 1] == i]
    back = np.column_stack([back[:, 0], -back[:, 2:]])
    both = np.concatenate([ahead, back])
    return both[np.lexsort(both.T[::-1])]


def test_box_pairs_follow_the_spheres(rng):
    size, wrap = np.array([2.0, 1.5]), [True, False]
    x, r = rng.random((60, 2)) * size, rng.uniform(0.01, 0.2, 60)
    index = scree.Index(size, wrap, method="linear-list", skin=0.05)
    for step in range(8):
        if step % 3 == 2:
            x[7] = rng.random(2) * size
            index.move(7, x[7])
        else:
            x = np.clip(x + rng.uniform(-0.01, 0.01, x.shape), 0, np.nextafter(size, 0))
            index.update(x, r)
        assert len(index.pairs()) > 0
        ij, shift = index.box_pairs(images=True)
        np.testing.assert_array_equal(np.column_stack([ij, shift]), brute.pairs(x, r, size, wrap, boxes=True))
        assert {tuple(p) for p in index.pairs().tolist()} <= {tuple(p) for p in ij.tolist()}
    shown = index.box_pairs(copy=False)
    with pytest.raises(BufferError):
        index.box_pairs()
    np.testing.assert_array_equal(shown, ij)
    del shown
    with pytest.raises(scree.UnsupportedError, match="auto"):
        scree.Index(size).box_pairs()


@pytest.mark.parametrize("method", scree.METHODS)
@pytest.mark.parametrize("periodic", ["", "xz"])
def test_one_by_one_as_all_at_once(method, periodic, rng):
    size, dim = np.array([2.0, 1.5, 2.5]), 3
    wrap = [axis in periodic for axis in "xyz"]
    x, r = rng.random((60, dim)) * size, rng.uniform(0.01, 0.2, 60)
    index = scree.Index(size, periodic, gap=0.02, method=method)
    index.update(x, r)
    assert len(index) == 60 and index.dim == 3
    for _ in range(int(16 * EFFORT)):  # methods are tested in C; here each call of the module, after each kind of change
        what = rng.integers(4)
        if what == 0:
            i = int(rng.integers(len(x)))
            x[i] = rng.random(dim) * size
            index.move(i, x[i])
        elif what == 1:
            x, r = np.concatenate([x, rng.random((1, dim)) * size]), np.append(r, rng.uniform(0.01, 0.2))
            assert index.insert(x[-1], r[-1]) == len(x) - 1
        elif what == 2:
            i = int(rng.integers(len(x)))
            index.remove(i)
            x[i], r[i] = x[-1], r[-1]
            x, r = x[:-1], r[:-1]
        else:
            i = int(rng.integers(len(x)))
            r[i] = rng.uniform(0.01, 0.2)
            index.set_radius(i, r[i])
        wanted = brute.pairs(x, r, size, wrap, 0.02)
        i = int(rng.integers(len(x)))
        j, shift = index.neighbours(i, images=True)
        np.testing.assert_array_equal(np.column_stack([j, shift]), neighbours_of(wanted, i))
        np.testing.assert_array_equal(index[i][0], x[i])
        assert index[i][1] == r[i]
        at, reach = rng.random(dim) * size, 0.1
        more = brute.pairs(np.concatenate([x, [at]]), np.append(r, reach), size, wrap, 0.02)
        np.testing.assert_array_equal(index.query(at, reach), neighbours_of(more, len(x))[:, 0])
    ij, shift = index.pairs(images=True)
    np.testing.assert_array_equal(np.column_stack([ij, shift]), wanted)
    index.validate()


def test_following_motion_by_updates(rng):
    x, r = rng.random((300, 2)), np.full(300, 0.02)
    index = scree.Index(dim=2)
    for _ in range(30):
        x += rng.normal(scale=1e-4, size=x.shape)
        index.update(x, r)
        np.testing.assert_array_equal(index.pairs(), brute.pairs(x, r)[:, :2])
    assert index.stats.rebuilds < 30  # it followed a list


def test_rows_hold_all_pairs(rng):
    x, r, size = rng.random((200, 3)), rng.uniform(0.01, 0.06, 200), np.ones(3)
    index = scree.Index(size, True, skin=0.02)
    index.update(x, r)
    rows = index.rows()
    assert rows.start.shape == (201,) and rows.start.dtype == np.int64 and rows.j.dtype == np.int32 and rows.skin == 0.02
    i = np.repeat(np.arange(200), np.diff(rows.start))
    wanted = brute.pairs(x, r, size, [True] * 3, 0.02)
    np.testing.assert_array_equal(np.column_stack([i, rows.j, rows.shift]), wanted)
    x += 0.002 / 3**0.5  # far less than the skin: the list is kept
    index.update(x, r)
    assert index.rows() == rows and rows.build == 1
    index.move(7, x[7] + [0.03, 0, 0])
    x[7, 0] += 0.03
    later = index.rows()
    assert later.build == 2
    np.testing.assert_array_equal(np.column_stack([np.repeat(np.arange(200), np.diff(later.start)), later.j, later.shift]),
                                  brute.pairs(x, r, size, [True] * 3, 0.02))
    index.remove(199)
    assert index.rows().start.shape == (200,) and index.rows().build == 3
    index.set_gap(0.01)
    assert index.rows().start.tolist() == [0] and len(index.rows().j) == 0  # no spheres until the next update
    with pytest.raises(scree.ArgumentError, match="skin"):
        other = scree.Index(skin=-1)
        other.update(x, r)
        other.rows()


def test_rows_follow_the_groups():
    """A sphere that is removed and inserted again where it was has group 0, and the last one has its number."""
    index = scree.Index(dim=2, skin=1.0)
    index.update([[0, 0], [0.01, 0], [0.02, 0]], 0.1)
    index.set_mask([1, 1, 0])
    assert index.rows().start.tolist() == [0, 1, 2, 2]
    index.remove(0)
    index.insert([0, 0], 0.1)
    assert index.pairs().tolist() == [[0, 1], [1, 2]]
    rows = index.rows()
    assert (rows.start.tolist(), rows.j.tolist()) == ([0, 1, 2, 2], [1, 2])


@pytest.mark.parametrize("method", ["auto", "verlet-list", "linked-cells", "linear-list", "octree"])
def test_rows_are_pairs_of_a_wider_gap(rng, method):
    """Also for centres outside the box, after single changes, in another box, and scaled: images are those of the centres as given."""
    x, r = rng.uniform(-1, 2, (60, 2)), rng.uniform(0.01, 0.05, 60)
    index, wide = scree.Index((1, 1), (True, True), gap=0.01, skin=0.03, method=method), scree.Index((1, 1), (True, True), gap=0.04)
    for step in range(5):
        for one in (index, wide):
            if step == 0:
                one.update(x, r)
            elif step == 1:
                one.move(3, [2.5, -0.5])
                one.insert([-0.2, 0.3], 0.04)
            elif step == 2:
                one.set_radius(7, 0.08)
            elif step == 3:
                one.set_box((1, 1.5), (True, True))
            else:
                one.rescale(1.25)
        rows = index.rows()
        assert rows.build == step + 1 and rows.skin == 0.03
        ij, shift = wide.pairs(images=True)
        found = np.column_stack([np.repeat(np.arange(len(index)), np.diff(rows.start)), rows.j, rows.shift])
        np.testing.assert_array_equal(found, np.column_stack([ij, shift]))


def test_views_hold_the_index_and_the_index_holds_still(rng):
    x, r = rng.random((500, 3)), np.full(500, 0.05)
    wanted = scree.pairs(x, r)
    index = scree.Index()
    index.update(x, r)
    shown = index.pairs(copy=False)
    assert not shown.flags.writeable and not shown.flags.owndata
    np.testing.assert_array_equal(shown, wanted)
    part = shown[3:9]
    del shown
    for call in (lambda: index.update(x, r), index.pairs, lambda: index.move(0, x[0]), index.close, lambda: index.neighbours(0)):
        with pytest.raises(BufferError, match="still in use"):
            call()
    index = None  # the view is the last to hold it
    gc.collect()
    np.testing.assert_array_equal(part, wanted[3:9])
    del part
    index = scree.Index([1, 1, 1], True)
    index.update(x, r)
    ij, shift = index.pairs(images=True, copy=False)
    del ij
    with pytest.raises(BufferError):
        index.update(x, r)
    assert shift.shape[1] == 3
    del shift
    index.update(x, r)


def test_copies_outlive_the_index(rng):
    x, r = rng.random((500, 3)), np.full(500, 0.05)
    index = scree.Index()
    index.update(x, r)
    ij = index.pairs()
    x[:] = 0.0  # the index has its own
    np.testing.assert_array_equal(index.pairs(), ij)
    before = ij.copy()
    index.close()
    np.testing.assert_array_equal(ij, before)
    with pytest.raises(ValueError, match="closed"):
        index.pairs()
    index.close()
    assert "closed" in repr(index)


def test_errors_change_nothing(rng):
    x, r = rng.random((50, 3)), np.full(50, 0.1)
    index = scree.Index()
    index.update(x, r)
    before = index.pairs()
    for bad in (lambda: index.update(np.full((3, 3), np.nan), 1.0), lambda: index.move(50, [0, 0, 0]), lambda: index.move(0, [0, np.nan, 0]),
                lambda: index.insert([0, 0, 0], -1), lambda: index.remove(-1), lambda: index.set_radius(0, np.inf),
                lambda: index.update(np.zeros((3, 2)), 1.0), lambda: index.move(0, [0, 0])):
        with pytest.raises(scree.ArgumentError):
            bad()
    with pytest.raises(IndexError):
        index[50]
    with pytest.raises(TypeError, match="whole number"):
        index.move(0.5, [0, 0, 0])
    np.testing.assert_array_equal(index.pairs(), before)


def test_spheres_after_another_gap():
    """The index is empty then: boxes that the former centres were away say nothing about new ones."""
    index = scree.Index((1, 1), True)
    index.update([[100.5, 0.5], [0.6, 0.6]], 0.1)
    index.set_gap(0.2)
    assert index.insert([0.5, 0.5], 0.1) == 0 and index.insert([0.7, 0.5], 0.1) == 1
    ij, shift = index.pairs(images=True)
    assert ij.tolist() == [[0, 1]] and shift.tolist() == [[0, 0]]


def test_user_data_follows_its_sphere(rng):
    x, r = rng.random((40, 3)), np.full(40, 0.1)
    index = scree.Index()
    index.update(x, r)
    assert not index.user.any()
    index.user = np.arange(100, 140)
    ids = list(range(100, 140))
    for i in (3, 0, 36, 5):
        index.remove(i)
        ids[i] = ids[-1]
        ids.pop()
    assert index.insert([0.5, 0.5, 0.5], 0.1, user=-(2**63)) == 36
    ids.append(-(2**63))
    index.set_user(2, 2**63 - 1)
    ids[2] = 2**63 - 1
    assert index.user.tolist() == ids and index.get_user(36) == -(2**63)
    for centre, user in zip((index[i][0] for i in range(36)), ids):
        if user < 140:
            np.testing.assert_array_equal(centre, x[user - 100])
    for bad in (lambda: index.set_user(37, 1), lambda: index.get_user(-1), lambda: setattr(index, "user", np.zeros(36, int)), lambda: setattr(index, "user", np.zeros(37))):
        with pytest.raises(scree.ArgumentError):
            bad()
    assert index.user.tolist() == ids


def test_parameters_of_methods(rng):
    x, r = rng.random((200, 3)), rng.uniform(0.01, 0.05, 200)
    wanted = scree.pairs(x, r)
    for parameters in ({"method": "linked-cells", "cell_size": 0.2}, {"method": "linked-cells", "cell_sides": (0.2, 0.3, 0.5)},
                       {"method": "hierarchical-grid", "levels": 3}, {"method": "hierarchical_grid", "cell_sizes": [0.05, 0.2], "direction": "finer", "range": "half-cell"},
                       {"method": "loose-octree", "loose_factor": 1.5}, {"method": "verlet-list", "verlet_radius": 0.2},
                       {"method": "linked-cells", "box_test": "on"}):
        with scree.Index(**parameters) as index:
            index.update(x, r)
            np.testing.assert_array_equal(index.pairs(), wanted)
            assert index.method == parameters["method"].replace("_", "-")
    with pytest.raises(scree.ArgumentError):
        scree.Index(method="octree", cell_size=1.0)
    with pytest.raises(scree.ArgumentError, match="cell_sides has the shape"):
        scree.Index(method="linked-cells", cell_sides=1.0)
    with pytest.raises(scree.ArgumentError, match="along z"):
        scree.Index(method="linked-cells", cell_sides=(1, 2))
    with pytest.raises(TypeError, match="no parameter 'cellsize'"):
        scree.Index(cellsize=1.0)


def test_stats_and_box(rng):
    index = scree.Index((1, 1), "x")
    index.update(rng.random((100, 2)), 0.01)
    index.pairs()
    stats = index.stats
    assert stats.method == index.method and stats.tests > 0 and stats.bytes > 0 and set(stats.predicted_work) == set(scree.METHODS)
    assert stats.predicted_work["auto"] == stats.predicted_work[stats.method] == min(stats.predicted_work.values())
    index.set_box((2, 2), True)
    assert index.box == scree.Box((2, 2), "xy")
    before = index.pairs()
    index.rescale(3.0, 3.0)
    np.testing.assert_array_equal(index.pairs(), before)
    assert index.box == scree.Box((6, 6), "xy") and index[0][1] == 0.03
    index.set_gap(0.5)
    assert len(index) == 0
