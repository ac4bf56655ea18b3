"""Queries of trees, against NumPy and SciPy's k-d tree."""
import numpy as np
import pytest
import scree
from conftest import EFFORT


def images(x, size, periodic, reach=2):
    ways = [range(-reach, reach + 1) if p else (0,) for p in periodic]
    for s in np.stack(np.meshgrid(*ways, indexing="ij"), -1).reshape(-1, len(size)):
        yield s, x + s * size


@pytest.mark.parametrize("case", range(max(2, int(8 * EFFORT))))
def test_nearest_and_within(case, rng):
    dim, n = 2 + case % 2, 60
    size, periodic = np.array([2.0, 3.0, 2.5])[:dim], np.arange(dim) % 2 == case % 3 % 2
    x, r = rng.random((n, dim)) * size, 0.3 * rng.random(n) ** 4
    at, radius = rng.random((9, dim)) * size, 0.1 * rng.random(9)
    tree = scree.Tree(x, r, size, periodic)
    assert len(tree) == n and tree.dim == dim and tree.bytes > 0
    rows = [(np.linalg.norm(at[:, None] - where, axis=2) - r - radius[:, None], s) for s, where in images(x, size, periodic)]
    gaps = np.stack([gap for gap, _ in rows])  # (images, queries, n)
    hits = tree.nearest(at, 4, r=radius)
    for q in range(9):
        part = slice(hits.start[q], hits.start[q + 1])
        np.testing.assert_allclose(hits.value[part], np.sort(gaps[:, q].ravel())[:4], atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(at[q] - x[hits.j[part]] - hits.shift[part] * size, axis=1) - r[hits.j[part]] - radius[q], hits.value[part], atol=1e-12)
    assert tree.within(at, radius, 0.2).start[-1] == (gaps < 0.2).sum()
    assert tree.within(scree.Spheres(at, radius), gap=0.2).start[-1] == (gaps < 0.2).sum()


def test_boxes_rays_and_masks():
    x = np.array([[1.0, 1.0], [3.0, 1.0], [5.0, 1.0]])
    tree = scree.Tree(x, 0.5, mask=[1, 2, 4])
    assert tree.boxes([[0, 0], [2.6, 0]], [[1, 1], [9, 9]]).j.tolist() == [0, 1, 2]
    assert tree.rays([[0, 1.0]], [[2.0, 0]], all=True).value.tolist() == [0.25, 1.25, 2.25]
    assert tree.rays([[0, 1.0]] * 2, [[2.0, 0]] * 2, mask=[2, 4]).j.tolist() == [1, 2]
    assert tree.nearest([[0, 1.0]], 5, mask=[5]).j.tolist() == [0, 2]
    assert tree.nearest([[0, 1.0]], 5, mask=[2.0 ** 32 - 1]).j.tolist() == [0, 1, 2]
    for wrong, said in (([2 ** 32], "query 0 is 4294967296"), ([1.5], "query 0 is 1.5"), ([-1], "query 0 is -1"), ([1, 1], "shape")):
        with pytest.raises(scree.ArgumentError, match=said):
            tree.nearest([[0, 1.0]], mask=wrong)
    with pytest.raises(scree.ArgumentError, match="sphere 2 is 10000000000"):
        scree.Tree(x, 0.5, mask=[1, 2, 1e10])
    every = scree.Tree(x, 0.5)  # without a mask: all bits
    for ask in (lambda bits: every.within([[1.0, 1.0]], mask=bits), lambda bits: every.nearest([[1.0, 1.0]], mask=bits), lambda bits: every.boxes([[0, 0]], [[1, 1]], mask=bits),
                lambda bits: every.rays([[0, 1.0]], [[2.0, 0]], mask=bits)):
        assert ask([0]).j.tolist() == [] and ask([8]).j.tolist() == [0]
    with pytest.raises(scree.ArgumentError):
        tree.nearest([[0, 1.0]], 0)
    with pytest.raises(scree.ArgumentError):
        tree.within([[0, 1.0, 2.0]])
    tree.close()
    with pytest.raises(ValueError):
        tree.within([[0, 1.0]])


def test_as_scipy(rng):
    spatial = pytest.importorskip("scipy.spatial")
    x, at = rng.random((2000, 3)), rng.random((100, 3))
    far, who = spatial.cKDTree(x, boxsize=1).query(at, k=8)
    hits = scree.Tree(x, box=(1, 1, 1), periodic=True).nearest(at, 8)
    np.testing.assert_array_equal(hits.j.reshape(100, 8), who)
    np.testing.assert_allclose(hits.value.reshape(100, 8), far, atol=1e-12)


def test_neighbour_list(rng):
    """As ASE has it: tests/peers/ase_neighbours.py compares. Here: against all images by hand, in 2D, and what does not fit."""
    x, size, cutoff = rng.uniform(-1, 3, (12, 2)), np.array([1.5, 2.0]), 2.2
    i, j, d, D, S = scree.neighbour_list("ijdDS", x, cutoff, size, True)
    shifts = np.stack(np.meshgrid(*[np.arange(-6, 7)] * 2, indexing="ij"), -1).reshape(-1, 2)
    away = x[None, :, None] + shifts * size - x[:, None, None]
    near = np.sqrt((away ** 2).sum(-1)) < cutoff
    near[np.arange(12), np.arange(12), np.flatnonzero((shifts == 0).all(1))[0]] = False
    a, b, k = np.nonzero(near)
    np.testing.assert_array_equal(np.column_stack([i, j, S]), np.column_stack([a, b, shifts[k]]))
    np.testing.assert_allclose(D, away[near])
    np.testing.assert_allclose(d, np.sqrt((D ** 2).sum(1)))
    spheres = scree.Spheres(x, rng.uniform(0.1, 0.4, 12))
    np.testing.assert_array_equal(np.column_stack(scree.neighbour_list("ij", spheres)), scree.pairs(spheres, full=True))
    assert scree.neighbour_list("d", x[:1], 1.0).shape == (0,)
    with pytest.raises(scree.ArgumentError, match="'ijdDS'"):
        scree.neighbour_list("ijx", x, 1.0)
    with pytest.raises(scree.ArgumentError, match="cutoff is -1; expected"):
        scree.neighbour_list("ij", x, -1.0)
    with pytest.raises(scree.ArgumentError, match="cutoff is nan in entry 1; expected"):
        scree.neighbour_list("ij", x[:3], [1.0, np.nan, 1.0])
    with pytest.raises(TypeError, match="cutoff"):
        scree.neighbour_list("ij", x)


@pytest.mark.parametrize("case", range(7))
def test_neighbour_list_near_and_far(case, rng):
    """Centres of a few boxes and centres thousands of boxes away take different roads to the same list; with cutoffs up to and beyond the box, tilts, coincident centres, one centre and none."""
    n, dim, axes, cutoff = [(0, 3, "xyz", 2.2), (1, 3, "xyz", 1.5), (1, 2, "xy", 1.6), (40, 3, "xyz", 0.6), (40, 2, "xy", 1.45), (40, 3, "y", rng.uniform(0, 0.4, 40)), (40, 3, "xyz", 0.5)][case]
    size = (1.5, 2.0, 1.8)[:dim]
    box = scree.Box(size, axes, (0.4, -0.3, 0.2) if case == 6 else None)
    x = rng.random((n, dim)) * size
    x[1::4] = x[0] if n else 0
    turns = rng.integers(-5000, 5000, (n, dim)) * np.array(box.periodic)
    i, j, S, d = scree.neighbour_list("ijSd", x, cutoff, box)
    far_i, far_j, far_S, far_d = scree.neighbour_list("ijSd", x + turns @ box.cell, cutoff, box)
    assert i.dtype == j.dtype == S.dtype == np.int64 and S.shape == (len(i), dim) and (len(i) > n or n < 2)
    far_S = far_S + turns[far_j] - turns[far_i]
    order = np.lexsort([*far_S.T[::-1], far_j, far_i])
    np.testing.assert_array_equal(np.column_stack([i, j, S]), np.column_stack([far_i, far_j, far_S])[order])
    np.testing.assert_allclose(d, far_d[order], atol=1e-9)
