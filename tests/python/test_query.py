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


@pytest.mark.parametrize("case", range(5))
def test_half_lists_and_cutoffs_by_types(case, rng):
    """Against ASE; cutoffs up to and beyond the box, types of which some have no pairs, and centres that are far away."""
    build, neighbours = pytest.importorskip("ase"), pytest.importorskip("ase.neighborlist")
    n, cell = 36, np.array([[3.0, 0, 0], [0.4, 2.5, 0], [-0.3, 0.5, 2.8]]) if case < 4 else np.eye(3) * 2.0
    x = rng.random((n, 3)) @ cell + (4000 * rng.integers(-2, 2, (n, 3)) @ cell if case == 3 else 0.0)
    symbols = rng.choice(["H", "C", "O"], n).tolist()
    atoms = build.Atoms(symbols, positions=x, cell=cell, pbc=[True, case != 1, True])
    cutoff = {("H", "H"): 0.5, ("C", "H"): 1.1, (8, "C"): 0.7} if case < 4 else {("H", "O"): 2.6, ("O", "H"): 2.6, ("C", "C"): 1.0, ("N", "N"): 5.0}
    wanted = neighbours.neighbor_list("ijSd", atoms, {("O" if one == 8 else one, other): value for (one, other), value in cutoff.items()})
    order = np.lexsort([*wanted[2].T[::-1], wanted[1], wanted[0]])
    mine = scree.neighbour_list("ijSd", atoms, cutoff)
    assert all(np.array_equal(a, b[order]) for a, b in zip(mine[:3], wanted[:3])) and np.allclose(mine[3], wanted[3][order]) and len(order) > 8
    by_name = {tuple("O" if one == 8 else one for one in pair): value for pair, value in cutoff.items()}
    by_types = scree.neighbour_list("ijSd", x, by_name, scree.Box.of_cell(cell, atoms.pbc), types=symbols)
    assert all(map(np.array_equal, by_types, mine))
    for one, how in ((mine, dict(cutoff=cutoff)), (scree.neighbour_list("ijSd", atoms, 1.2), dict(cutoff=1.2))):
        i, j, S, d = scree.neighbour_list("ijSd", atoms, half=True, **how)
        rows, other = np.column_stack([i, j, S]), np.column_stack([j, i, -S])
        both = np.concatenate([rows, other])
        assert len(i) * 2 == len(one[0]) and (i <= j).all() and np.array_equal(rows, rows[np.lexsort(rows.T[::-1])])
        assert np.array_equal(both[np.lexsort(both.T[::-1])], np.column_stack(one[:3]))
    grouped = scree.neighbour_list("ij", atoms, cutoff, group=np.arange(n) // 10)
    assert np.array_equal(np.column_stack(grouped), np.column_stack(mine[:2])[mine[0] // 10 != mine[1] // 10])


def test_cutoffs_by_types_that_do_not_fit():
    x = np.zeros((3, 2))
    for cutoff, types, says in (({("a", "b"): 1.0}, None, "expected types"), ({("a",): 1.0}, ["a"] * 3, "key"), ({("a", "b"): -1.0}, ["a"] * 3, "is -1"), ({("a", "b"): 1.0, ("b", "a"): 2.0}, ["a"] * 3, "other way"),
                                ({("a", "b"): 1.0}, ["a"] * 2, "shape"), ({("a", "b"): 1.0}, [0.5] * 3, "dtype"), ({("a", "b"): 1.0}, [1, 2, 3], r"like \(0, 1\)"), (1.0, ["a"] * 3, "expected a dict")):
        with pytest.raises((scree.ArgumentError, TypeError), match=says):
            scree.neighbour_list("ij", x, cutoff, types=types)
    assert scree.neighbour_list("i", x, {(1, 2): 1.0}, types=[1, 2, 2]).tolist() == [0, 0, 1, 2] and scree.neighbour_list("i", x, {}, types=[1, 1, 1]).shape == (0,)


@pytest.mark.parametrize("case", range(6))
def test_counts_are_those_of_the_lists(case, rng):
    n, size, gap = 300, np.array([3.0, 2.0, 2.5])[:2 + case % 2], (0.0, 0.3, -0.05)[case % 3]
    periodic = [True, case < 3, True][:len(size)]
    x, r = rng.random((n, len(size))) * size, 0.3 * rng.random(n) ** 3
    r[:5] = 0.0
    x[1] = x[0]
    for images in (False, True):
        found = scree.pairs(x, r, size, periodic, gap, images)
        full = scree.pairs(x, r, size, periodic, gap, images, full=True)
        assert scree.count_pairs(x, r, size, periodic, gap, images) == len(found[0] if images else found) > 50
        each = np.bincount((full[0] if images else full)[:, 0], minlength=n)
        assert np.array_equal(scree.count_pairs(x, r, size, periodic, gap, images, each=True), each)
        assert np.array_equal(scree.count_pairs(scree.Spheres(x, r, box=scree.Box(size, periodic)), gap=gap, images=images, each=True), each)
    tree, at = scree.Tree(x, r, size, periodic), rng.random((40, len(size))) * size
    hits = tree.within(at, 0.9 if case > 3 else 0.1, gap)
    assert np.array_equal(tree.count(at, 0.9 if case > 3 else 0.1, gap), np.diff(hits.start))
    assert tree.count(at, 0.9 if case > 3 else 0.1, gap, images=False).tolist() == [len(set(hits.j[a:b].tolist())) for a, b in zip(hits.start[:-1], hits.start[1:])]
    assert scree.count_pairs(np.zeros((0, 2)), 1.0) == 0


def test_nearest_spheres_without_their_images(rng):
    size, n = np.array([1.0, 1.3, 0.9]), 7
    x, r, at = rng.random((n, 3)) * size, 0.2 * rng.random(n), rng.random((30, 3)) * size
    tree = scree.Tree(x, r, size, "xz")
    away = at[:, None] - x
    away[..., [0, 2]] -= size[[0, 2]] * np.round(away[..., [0, 2]] / size[[0, 2]])
    gaps = np.linalg.norm(away, axis=2) - r
    for k in (1, 3, 7, 20):
        hits = tree.nearest(at, k, images=False)
        assert np.diff(hits.start).tolist() == [min(k, n)] * 30
        np.testing.assert_array_equal(hits.j.reshape(30, -1), np.argsort(gaps, axis=1)[:, :k])
        np.testing.assert_allclose(hits.value.reshape(30, -1), np.sort(gaps, axis=1)[:, :k], atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(np.repeat(at, min(k, n), 0) - x[hits.j] - hits.shift * size, axis=1) - r[hits.j], hits.value, atol=1e-12)
    assert len(set(tree.nearest(at, 7).j[:7].tolist())) < 7  # with images some come twice
    near = tree.nearest(at, 7, most=0.3, images=False)
    assert np.diff(near.start).tolist() == (gaps < 0.3).sum(1).tolist()
