"""scree.pairs against all pairs in NumPy, and what it takes and refuses."""
import brute
import numpy as np
import pytest
import scree
from conftest import EFFORT


def random_case(rng):
    dim = int(rng.integers(2, 4))
    n = int(rng.choice([0, 1, 2, 3, 17, 60, 150]))
    size = rng.uniform(1.0, 3.0, dim) * 10.0 ** rng.integers(-3, 4)
    periodic = rng.random(dim) < 0.5
    ratio = rng.choice([1.0, 3.0, 30.0, 300.0])
    # The largest diameter stays below the shortest side, and often near it, so that images of the own sphere come up.
    most = 0.5 * size.min() * rng.choice([0.98, 0.3, 0.1])
    r = most * ratio ** -rng.random(n)
    x = rng.random((n, dim)) * size
    gap = float(rng.choice([0.0, 0.1, -0.05])) * size.min()
    return x, r, size, periodic, gap


@pytest.mark.parametrize("case", range(int(60 * EFFORT)))
def test_all_pairs_of_random_sets(case, rng):
    x, r, size, periodic, gap = random_case(rng)
    if brute.narrowest(x, r, size, periodic, gap) < 1e-12 * size.max():
        pytest.skip("a pair too near to the threshold for a second opinion")
    method = scree.METHODS[case % len(scree.METHODS)]
    ij, shift = scree.pairs(x, r, size, periodic, gap, images=True, method=method)
    wanted = brute.pairs(x, r, size, periodic, gap, reach=2)
    assert ij.dtype == np.int32 and shift.dtype == np.int8 and ij.shape[1:] == (2,) and shift.shape == (len(ij), x.shape[1])
    np.testing.assert_array_equal(np.column_stack([ij, shift]), wanted)
    # Without images: each pair once, i < j.
    once = np.unique(wanted[wanted[:, 0] < wanted[:, 1], :2], axis=0)
    np.testing.assert_array_equal(scree.pairs(x, r, size, periodic, gap, method=method), once.reshape(-1, 2))
    # Both directions, as ASE and matscipy give them.
    full, shifts = scree.pairs(x, r, size, periodic, gap, images=True, full=True, method=method)
    back = np.column_stack([wanted[:, 1::-1], -wanted[:, 2:]])
    both = np.concatenate([wanted, back])
    np.testing.assert_array_equal(np.column_stack([full, shifts]), both[np.lexsort(both.T[::-1])])
    both = np.concatenate([once, once[:, ::-1]])
    np.testing.assert_array_equal(scree.pairs(x, r, size, periodic, gap, full=True), both[np.lexsort(both.T[::-1])])


@pytest.mark.parametrize("case", range(int(24 * EFFORT)))
def test_box_pairs_of_random_sets(case, rng):
    x, r, size, periodic, gap = random_case(rng)
    if case % 2:  # on eighths, where boxes touch exactly and many ends coincide
        size = np.ceil(size / size.min() * 8) / 8
        x, r, gap = np.floor(rng.random(x.shape) * size * 8) / 8, np.floor(rng.uniform(0, 4.99, len(r))) / 8, float(rng.choice([0, 0.25, -0.125]))
    wanted = brute.pairs(x, r, size, periodic, gap, reach=2, boxes=True)
    for method in ("linear-list", "all-pairs"):
        ij, shift = scree.box_pairs(x, r, size, periodic, gap, images=True, method=method)
        assert ij.dtype == np.int32 and shift.dtype == np.int8
        np.testing.assert_array_equal(np.column_stack([ij, shift]), wanted)
    once = np.unique(wanted[wanted[:, 0] < wanted[:, 1], :2], axis=0).reshape(-1, 2)
    np.testing.assert_array_equal(scree.box_pairs(x, r, size, periodic, gap), once)
    assert len(scree.box_pairs(x, r, size, periodic, gap, full=True)) == 2 * len(once)


def test_box_pairs_by_other_methods_are_refused():
    for method in set(scree.METHODS) - {"linear-list", "all-pairs"}:
        with pytest.raises(scree.UnsupportedError, match=method):
            scree.box_pairs([[0, 0, 0]], 1, method=method)


def test_open_space(rng):
    x, r = rng.normal(size=(200, 3)), rng.uniform(0.01, 0.5, 200)
    np.testing.assert_array_equal(scree.pairs(x, r), brute.pairs(x, r)[:, :2])
    ij, shift = scree.pairs(x, r, images=True)
    assert not shift.any() and shift.shape == (len(ij), 3)


def layouts(x, r):
    yield "Fortran order", np.asfortranarray(x), r
    yield "every second row", np.repeat(x, 2, axis=0)[::2], np.repeat(r, 3)[::3]
    yield "columns of a wider array", np.column_stack([r, x, r])[:, 1:1 + x.shape[1]], r
    yield "backwards twice", x[::-1].copy()[::-1], r[::-1].copy()[::-1]
    frozen, still = x.copy(), r.copy()
    frozen.flags.writeable = still.flags.writeable = False
    yield "read-only", frozen, still
    yield "other byte order", x.astype(x.dtype.newbyteorder()), r
    yield "lists", x.tolist(), r.tolist()
    yield "a subclass", x.view(type("Sub", (np.ndarray,), {})), r
    unaligned = np.frombuffer(b"1" + x.tobytes(), np.uint8)[1:].view(np.float64).reshape(x.shape)
    yield "unaligned", unaligned, r


def test_layouts(rng):
    x, r = rng.random((90, 3)), rng.uniform(0.02, 0.1, 90)
    wanted = scree.pairs(x, r)
    assert len(wanted)
    for name, a, b in layouts(x, r):
        np.testing.assert_array_equal(scree.pairs(a, b), wanted, err_msg=name)


def test_dtypes_are_converted_once(rng):
    x = rng.integers(0, 12, (80, 3))
    r = rng.integers(1, 3, 80)
    wanted = scree.pairs(x.astype(float), r.astype(float))
    for dtype in (np.int8, np.int32, np.int64, np.uint16, np.float16, np.float32, np.longdouble):
        np.testing.assert_array_equal(scree.pairs(x.astype(dtype), r.astype(dtype)), wanted)
    np.testing.assert_array_equal(scree.pairs(x, 1), scree.pairs(x, np.ones(80)))


def test_float64_is_not_copied(rng):
    from scree._arrays import centres, radii
    x, r = rng.random((5, 3)), rng.random(5)
    assert centres(x) is x or centres(x).ctypes.data == x.ctypes.data
    assert radii(r, 5).ctypes.data == r.ctypes.data
    for name, a, b in layouts(x, r):
        assert centres(a).flags.aligned and centres(a).flags.c_contiguous and centres(a).dtype.isnative, name


@pytest.mark.parametrize("x, r, error, words", [
    (np.zeros(3), 1, ValueError, r"\(3,\).*\(n, 2\) or \(n, 3\)"),
    (np.zeros((4, 4)), 1, ValueError, r"\(4, 4\)"),
    (np.zeros((2, 3, 1)), 1, ValueError, r"\(2, 3, 1\)"),
    (np.zeros((4, 3)), np.ones(5), ValueError, r"r has the shape \(5,\); expected \(4,\)"),
    (np.zeros((4, 3)), np.ones((4, 1)), ValueError, r"\(4, 1\)"),
    (np.zeros((4, 3), complex), 1, TypeError, "complex128"),
    (np.array([["a", "b", "c"]]), 1, TypeError, "<U1"),
    (np.array([[object(), None, 1]]), 1, TypeError, "object"),
    (np.zeros((4, 3)), None, TypeError, "r is missing"),
    ([[0, 0, 0], [1, 1]], 1, scree.ArgumentError, "x has rows of different lengths"),
    (None, 1, TypeError, "x is None"),
    ([[0, 0, np.nan]], 1, ValueError, "sphere 0"),
    ([[0, 0, 0], [1, np.inf, 0]], 1, ValueError, "sphere 1"),
    (np.zeros((4, 3)), [1, 1, -2, 1], ValueError, "sphere 2"),
    (np.zeros((4, 3)), [1, 1, 1, np.nan], ValueError, "sphere 3"),
])
def test_what_does_not_fit_is_said(x, r, error, words):
    with pytest.raises(error, match=words):
        scree.pairs(x, r)


@pytest.mark.parametrize("more, words", [
    ({"periodic": True}, "without a box"),
    ({"box": (1, 1)}, "2 axes; expected 3"),
    ({"box": (1, 1, -1)}, "axis z"),
    ({"box": (1, 1, 1, 1)}, r"\(4,\)"),
    ({"box": (1, 1, 1), "periodic": "xw"}, "'xw'"),
    ({"box": (1, 1, 1), "periodic": [True]}, "3 bools"),
    ({"box": (1, 1, 1)}, "sphere 0"),  # 2 is outside of these walls
    ({"gap": np.nan}, "gap"),
    ({"method": "magic"}, "'linked-cells'"),
    ({"threads": -1}, "threads"),
])
def test_invalid_options(more, words):
    with pytest.raises(ValueError, match=words):
        scree.pairs([[2.0, 2.0, 2.0]], 0.1, **more)


def test_empty():
    for dim in (2, 3):
        assert scree.pairs(np.zeros((0, dim)), np.zeros(0)).shape == (0, 2)
        ij, shift = scree.pairs(np.zeros((0, dim)), [], box=[1] * dim, periodic=True, images=True, full=True)
        assert ij.shape == (0, 2) and shift.shape == (0, dim) and ij.dtype == np.int32


def test_box_of_corners():
    x = [[-4.9, 0.0], [4.9, 0.0]]
    assert len(scree.pairs(x, 0.2, box=[[-5, -5], [5, 5]], periodic="x")) == 1
    assert len(scree.pairs(x, 0.2, box=[[-5, -5], [5, 5]], periodic="y")) == 0
    assert len(scree.pairs(x, 0.2, box=scree.Box([[-5, -np.inf], [5, np.inf]], "x"))) == 1


def test_results_do_not_depend_on_threads(rng):
    x, r = rng.random((5000, 3)), rng.uniform(0.001, 0.03, 5000)
    wanted = scree.pairs(x, r, threads=1)
    for threads in (2, 7):
        np.testing.assert_array_equal(scree.pairs(x, r, threads=threads), wanted)


def test_a_device_finds_the_same_pairs():
    rng = np.random.default_rng(8)
    x, r = rng.uniform(0.0, 6.0, (300, 3)), rng.uniform(0.05, 0.6, 300)
    for images in (False, True):
        expected = scree.pairs(x, r, box=(6, 6, 6), periodic="xy", images=images)
        found = scree.pairs(x, r, box=(6, 6, 6), periodic="xy", images=images, device="emulate")
        assert len(expected) > 0 and np.array_equal(expected[0] if images else expected, found[0] if images else found)
    index = scree.Index((6, 6, 6), "xy", device="emulate")
    index.update(x, r)
    assert np.array_equal(index.pairs(), scree.pairs(x, r, box=(6, 6, 6), periodic="xy"))
    with pytest.raises(scree.ArgumentError):
        scree.pairs(x, r, device="abacus")


def test_groups_leave_out_pairs():
    rng = np.random.default_rng(52)
    for number in range(12):
        dim, n = 2 + number % 2, 120
        x, r, group = rng.random((n, dim)) * 5, 0.1 + 0.4 * rng.random(n), rng.integers(0, 7, n)
        matrix = (None, np.zeros((7, 7), bool), np.ones((7, 7)), np.triu(rng.random((7, 7)) < 0.5))[number % 4]
        if number % 4 == 3:
            matrix = matrix | matrix.T

        def wanted(i, j):
            return group[i] != group[j] if matrix is None else matrix[group[i], group[j]] != 0

        for full in (False, True):
            ij, shift = scree.pairs(x, r, (5,) * dim, True, images=True, full=full)
            keep = wanted(*ij.T)
            for device in ("none", "emulate"):
                found, shifts = scree.pairs(x, r, (5,) * dim, True, images=True, full=full, group=group, group_pairs=matrix, device=device)
                assert np.array_equal(found, ij[keep]) and np.array_equal(shifts, shift[keep])
        i, j, S = scree.neighbour_list("ijS", x, r, (5,) * dim, True)
        keep = wanted(i, j)
        for found, all_of_them in zip(scree.neighbour_list("ijS", x, r, (5,) * dim, True, group=group, group_pairs=matrix), (i, j, S)):
            assert np.array_equal(found, all_of_them[keep])
        index = scree.Index((5,) * dim, True, skin=0.1)
        index.update(x, r)
        everything = index.rows()
        index.set_mask(group, matrix)
        rows, a = index.rows(), np.repeat(np.arange(n), np.diff(everything.start))
        assert np.array_equal(rows.j, everything.j[wanted(a, everything.j)])
        assert np.array_equal(index.neighbours(3), [k for k in scree.Index(scree.Spheres(x, r, (5,) * dim, True)).neighbours(3) if wanted(3, k)])


def test_groups_that_are_refused():
    x, r = np.random.default_rng(1).random((20, 3)), 0.1
    group = np.arange(20)
    for given, error, said in ((dict(group=group[:5]), scree.ArgumentError, r"group has the shape \(5,\)"), (dict(group=group * np.nan), scree.ArgumentError, "sphere 0 is nan"), (dict(group=-group), scree.ArgumentError, "sphere 1 is -1"),
                               (dict(group=group + 0.5), scree.ArgumentError, "sphere 0 is 0.5"), (dict(group=group + 2 ** 31), scree.ArgumentError, "sphere 0 is 2147483648"), (dict(group=np.float32(group) + np.float32(2 ** 31)), scree.ArgumentError, "sphere 0 is 2147483648"),
                               (dict(group=list("abcde") * 4), TypeError, "group has dtype"),
                               (dict(group_pairs=np.eye(3)), TypeError, "group is not"), (dict(group=group, group_pairs=np.eye(20)[:3]), scree.ArgumentError, "group_pairs has the shape"),
                               (dict(group=group, group_pairs=np.eye(3)), scree.ArgumentError, "sphere 3 has group 3"), (dict(group=group, group_pairs=np.triu(np.ones((20, 20)))), scree.ArgumentError, "symmetric"),
                               (dict(group=group, group_pairs=np.full((20, 20), np.nan)), scree.ArgumentError, "groups 0 and 0 is nan")):
        with pytest.raises(error, match=said):
            scree.pairs(x, r, **given)
        with pytest.raises(error, match=said):
            scree.neighbour_list("i", x, 0.2, **given)
    index = scree.Index()
    index.update(x, r)
    index.set_mask(group[:7])
    with pytest.raises(scree.ArgumentError, match="7 groups for 20 spheres"):
        index.pairs()
