"""Triclinic cells: scree.pairs, Index, measure and pack against NumPy over all images, in the convention of ASE (rows are edge vectors, shifts S with
x[j] + S @ cell)."""
import itertools
import pickle

import numpy as np
import pytest
import scree
from conftest import EFFORT

REACH = 4


def random_cell(rng):
    """Any three vectors that are not nearly in a plane; left-handed ones and lower triangular ones too."""
    dim = int(rng.choice([2, 3, 3]))
    while True:
        cell = rng.normal(size=(dim, dim)) * rng.uniform(1.0, 2.0, (dim, 1))
        if rng.random() < 0.3:
            cell = np.tril(cell)
            cell[np.arange(dim), np.arange(dim)] = np.abs(np.diag(cell))
        if rng.random() < 0.2:
            cell = np.diag(np.abs(np.diag(cell)))[rng.permutation(dim)]
        heights = 1.0 / np.linalg.norm(np.linalg.inv(cell), axis=0) if abs(np.linalg.det(cell)) > 1e-3 else np.zeros(dim)
        if heights.min() > 0.6:
            return cell, heights


def brute(x, r, cell, periodic, gap, y=None):
    """Rows (i, j, S...), sorted: pairs once, or all neighbours of the points y."""
    dim, rows = len(cell), []
    i, j = np.triu_indices(len(x)) if y is None else map(np.ravel, np.indices((len(y), len(x))))
    for shift in itertools.product(*[range(-REACH, REACH + 1) if p else (0,) for p in periodic]):
        s = np.array(shift)
        d = x[j] + s @ cell - (x if y is None else y)[i]
        reach = (r[i] if y is None else 0.0) + r[j] + gap
        near = np.sqrt((d * d).sum(axis=1)) < reach
        if y is None:
            near &= (i < j) | (next((k for k in shift if k != 0), 0) > 0)
        assert not near.any() or np.abs(s).max() < REACH
        rows.append(np.column_stack([i[near], j[near], np.broadcast_to(s, (near.sum(), dim))]))
    rows = np.concatenate(rows)
    return rows[np.lexsort(rows.T[::-1])]


@pytest.mark.parametrize("case", range(int(20 * EFFORT)))
def test_pairs_in_random_cells(case, rng):
    cell, heights = random_cell(rng)
    dim, n = len(cell), int(rng.integers(1, 40))
    periodic = np.ones(dim, bool) if case % 3 else rng.random(dim) < 0.6
    x = rng.uniform(-0.3, 1.3, (n, dim)) @ cell
    r = 0.28 * rng.random(n)
    gap = float(rng.choice([0.0, 0.3]))
    wanted = brute(x, r, cell, periodic, gap)
    box = scree.Box(cell, periodic) if dim == 3 and case % 2 else scree.Box.of_cell(cell, periodic)
    for method in ("auto", "all-pairs", "hierarchical-grid"):
        ij, shift = scree.pairs(x, r, box, gap=gap, images=True, method=method)
        np.testing.assert_array_equal(np.column_stack([ij, shift]), wanted)
    if dim == 3:  # as arrays, without a Box
        ij, shift = scree.pairs(x, r, cell, periodic, gap, images=True)
        np.testing.assert_array_equal(np.column_stack([ij, shift]), wanted)
    once = np.unique(wanted[wanted[:, 0] < wanted[:, 1], :2], axis=0).reshape(-1, 2)
    np.testing.assert_array_equal(scree.pairs(x, r, box, gap=gap), once)
    # An index: one by one, moved, asked at points.
    index = scree.Index(box, gap=gap)
    index.update(x, r)
    move = rng.uniform(-0.5, 1.5, dim) @ cell
    index.move(0, move)
    x[0] = move
    ij, shift = index.pairs(images=True)
    np.testing.assert_array_equal(np.column_stack([ij, shift]), brute(x, r, cell, periodic, gap))
    at = rng.uniform(-0.5, 1.5, dim) @ cell
    j, shift = index.query(at, images=True)
    np.testing.assert_array_equal(np.column_stack([j, shift]), brute(x, r, cell, periodic, gap, at[None])[:, 1:])
    inside, _ = index[0]
    whole = np.linalg.solve(cell.T, inside - x[0])[periodic]
    np.testing.assert_allclose(whole, np.round(whole), atol=1e-9)
    rows = index.rows()
    np.testing.assert_array_equal(np.diff(rows.start).sum(), len(rows.j))
    both = index.pairs(images=True)
    assert len(rows.j) >= len(both[0])
    # Three times as large, all of it.
    index.rescale(3.0, 3.0)
    np.testing.assert_allclose(index.box.cell[periodic], 3.0 * cell[periodic], rtol=1e-12, atol=1e-12)


def test_boxes_of_cells():
    fcc = scree.Box([[0, 2, 2], [2, 0, 2], [2, 2, 0]])
    assert fcc.volume == pytest.approx(16.0) and fcc.periodic == (True,) * 3
    np.testing.assert_allclose(fcc.cell, [[0, 2, 2], [2, 0, 2], [2, 2, 0]], atol=1e-12)
    np.testing.assert_allclose(fcc.triangular.cell, np.tril(fcc.triangular.cell))
    np.testing.assert_allclose(fcc.turned(fcc.cell), fcc.triangular.cell, atol=1e-12)
    # Lower triangular cells are taken as they are, to the last bit.
    plain = scree.Box([[2.0, 0, 0], [0.7, 3.0, 0], [-0.1, 0.2, 4.0]])
    assert plain == scree.Box((2.0, 3.0, 4.0), True, tilt=(0.7, -0.1, 0.2)) and plain.triangular is plain
    assert plain != scree.Box((2.0, 3.0, 4.0), True) and plain.tilt == (0.7, -0.1, 0.2)
    for box in (fcc, plain, scree.Box.of_cell([[1, 2], [-2, 1]], "y")):
        again = pickle.loads(pickle.dumps(box))
        assert again == box and hash(again) == hash(box)
        made = eval(repr(box), {"Box": scree.Box})  # noqa: S307
        np.testing.assert_allclose(made.cell[list(box.periodic)], box.cell[list(box.periodic)], atol=1e-12)
    # One sphere to a cell touches twelve images.
    a = np.sqrt(8.0)
    assert len(scree.pairs([[0.1, 0.2, 0.3]], a / 2 * (1 - 1e-12), fcc, gap=1e-9, images=True)[0]) == 6
    m = scree.measure([[0.1, 0.2, 0.3]], a / 2, fcc)
    assert m.coordination == 12.0 and m.density == pytest.approx(np.pi / np.sqrt(18))
    # Open where not periodic: a slab of two layers.
    slab = scree.Box([[1.0, 0, 0], [0.5, 0.9, 0.1], [0, 0, 5.0]], (True, True, False))
    assert np.isinf(slab.triangular.upper[2])
    assert len(scree.pairs([[0, 0, 0], [0, 0, 40.0]], 0.1, slab)) == 0


@pytest.mark.parametrize("method", ["rsa", "rearrange"])
def test_packings_in_cells(method):
    cell = np.array([[0.0, 2.0, 0.3], [1.9, 0.4, 0.0], [0.5, 0.6, -1.8]])
    if method == "rsa":
        p = scree.pack("mono:0.2", density=0.2, method=method, box=cell)
        np.testing.assert_allclose(p.box.cell, cell, rtol=1e-12, atol=1e-12)
    else:
        p = scree.pack("mono:0.2", count=60, method=method, box=cell)
        np.testing.assert_allclose(p.box.cell / np.cbrt(p.box.volume), cell / np.cbrt(abs(np.linalg.det(cell))), rtol=1e-9, atol=1e-9)
        assert 0.55 < p.density < 0.7
    assert p.density == pytest.approx(len(p) * 4 / 3 * np.pi * 0.2 ** 3 / abs(np.linalg.det(p.box.cell)))
    x, r = np.asarray(p.x), np.asarray(p.r)
    assert len(brute(x, r * (1 - 1e-12), p.box.cell, (True,) * 3, 0.0)) == 0
    m = scree.measure(p)
    assert m.contacts == 0 and m.density == pytest.approx(p.density)


def test_what_is_refused():
    cell = [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    x, r = [[0.5, 0.5, 0.5]], 0.1
    with pytest.raises(scree.UnsupportedError, match="octree"):
        scree.pairs(x, r, cell, method="octree")
    with pytest.raises(scree.ArgumentError, match="vector 2"):
        scree.Box([[1, 0, 0], [0, 1, 0], [1, 1, 0]])
    with pytest.raises(scree.ArgumentError, match="xy"):
        scree.Box((1, 1, 1), "yz", tilt=(0.5, 0, 0))
    with pytest.raises(scree.ArgumentError, match="tilt"):
        scree.Box((1, 1, 1), True, tilt=(0.5, 0))
    with pytest.raises(scree.ArgumentError, match="triangular"):
        scree.Simulation(x, r, box=cell)
    with pytest.raises(scree.ArgumentError, match="triangular"):
        scree.write("refused.xyz", x, r, box=cell)
    with pytest.raises(scree.UnsupportedError, match="lattice"):
        scree.pack("mono:0.1", count=3, method="lattice", box=cell)
    index = scree.Index(cell)
    with pytest.raises(scree.ArgumentError, match="rotated"):
        index.set_box((2, 2, 2), True)
