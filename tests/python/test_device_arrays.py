"""Arrays in the memory of a device: `pairs`, `Index` and `neighbour_list` take them and give them, here on the emulated device, whose memory is that of the processor; tools/gpu_arrays does the same on a GPU."""
import itertools

import numpy as np
import pytest

import scree


class There:
    """An array of NumPy that only knows DLPack, as one in the memory of a device would."""
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **given):
        return self.array.__dlpack__(**given)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def here(array):
    return np.from_dlpack(array)


def system(number, dim=3, n=150):
    rng = np.random.default_rng(number)
    r = 0.2 * 8.0 ** rng.random(n) if number % 2 else np.full(n, 0.4)
    side = 2.0 * r.max() * 1.001 if number % 5 == 4 else 7.0  # barely larger than the largest sphere
    x = rng.random((n, dim)) * side
    x[::7] = x[0]
    return x, r, (side,) * dim


@pytest.mark.parametrize("number", range(10))
def test_pairs_are_those_of_the_processor(number):
    dim = 2 + number // 2 % 2
    x, r, box = system(number, dim, 20 if number % 5 == 4 else 150)
    group = np.arange(len(x)) % 11 if number % 3 == 0 else None
    for periodic, full in itertools.product((None, True, "x"), (False, True)):
        at = x + (np.random.default_rng(number).integers(-3, 4, x.shape) * box if periodic is True else 0.0)  # centres in other boxes
        ij, shift = scree.pairs(There(at), There(r), box, periodic, gap=0.05, images=True, full=full, device="emulate", group=group)
        wanted, shifts = scree.pairs(at, r, box, periodic, gap=0.05, images=True, full=full, group=group)
        assert np.array_equal(here(ij), wanted)
        assert shift is None if periodic is None else np.array_equal(here(shift), shifts)


@pytest.mark.parametrize("number", range(6))
def test_neighbour_lists_are_those_of_the_processor(number):
    x, r, box = system(number, 2 + number // 2 % 2, 20 if number == 4 else 150)
    at = x - 2.0 * np.asarray(box)
    for cutoff, there in ((r, There(r)), (0.7, 0.7)):
        i, j, d, D, S = scree.neighbour_list("ijdDS", There(at), there, box, True, device="emulate")
        wanted = scree.neighbour_list("ijdDS", at, cutoff, box, True)
        for found, same in zip((i, j, S), (wanted[0], wanted[1], wanted[4])):
            assert np.array_equal(here(found), same)
        np.testing.assert_allclose(here(d), wanted[2], rtol=0, atol=1e-13)  # their centres were rounded when they were wrapped
        np.testing.assert_allclose(here(D), wanted[3], rtol=0, atol=1e-13)


def test_an_index_is_updated_and_asked_in_place():
    x, r, box = system(1)
    index, plain = scree.Index(box, True, device="emulate"), scree.Index(box, True)
    for step in range(4):
        x += 0.01 * step
        index.update(There(x), There(r))
        plain.update(x, r)
        if step == 2:
            index.set_mask(np.arange(len(x)) % 3)
            plain.set_mask(np.arange(len(x)) % 3)
        assert len(index) == len(x)
        ij, shift = index.pairs(images=True)
        wanted, shifts = plain.pairs(images=True)
        assert np.array_equal(here(ij), wanted) and np.array_equal(here(shift), shifts)
        with pytest.raises(BufferError):  # its memory is in use
            index.update(There(x), There(r))
        view = here(ij)
        del ij, shift
        with pytest.raises(BufferError):  # through DLPack too
            index.pairs(images=True)
        del view
    with pytest.raises(scree.UnsupportedError, match="memory of device emulate"):
        index.neighbours(0)
    with pytest.raises(scree.UnsupportedError, match="memory of device emulate"):
        index.move(0, x[0])
    index.update(x, r)
    assert np.array_equal(index.pairs(), plain.pairs()) and np.array_equal(index.neighbours(0), plain.neighbours(0))


def test_results_outlive_the_call():
    x, r, _ = system(3)
    view = here(scree.pairs(There(x), There(r), device="emulate"))
    assert np.array_equal(view, scree.pairs(x, r))
    empty = scree.pairs(There(np.zeros((0, 3))), 1.0, device="emulate")
    assert empty.shape == (0, 2) and here(empty).shape == (0, 2)
    assert scree.pairs(There(np.zeros((3, 2))), 0.0, device="emulate").shape == (0, 2)  # points in one place have no overlap
    assert len(scree.pairs(There(np.zeros((3, 2))), 0.0, gap=0.1, device="emulate")) == 3


def test_what_is_refused():
    x, r, box = system(0)
    for at, size, error, said in (
            (There(x.astype(np.float32)), There(r), scree.ArgumentError, "x has the type '<f4'"),
            (There(x[:, ::-1]), There(r), scree.ArgumentError, "x has strides"),
            (There(x), r, scree.ArgumentError, "r is not an array in the memory"),
            (There(x), There(r[:-1]), scree.ArgumentError, r"r has the shape \(149,\)"),
            (There(x[0]), There(r), scree.ArgumentError, r"x has the shape \(3,\)"),
            (There(x), -1.0, scree.ArgumentError, "sphere 0, in device memory.*radius -1"),
            (There(np.where(np.arange(450).reshape(150, 3) == 31, np.nan, x)), There(r), scree.ArgumentError, "sphere 10, in device memory: centre .*nan"),
            (There(x + 100.0), There(r), scree.ArgumentError, "sphere 0, in device memory"),
            (There(x), 3.6, scree.ArgumentError, "sphere 0: its diameter 7.2")):
        with pytest.raises(error, match=said):
            scree.pairs(at, size, box, "x", images=True, device="emulate")
    with pytest.raises(scree.ArgumentError, match="images=True"):
        scree.pairs(There(x), There(r), box, True, device="emulate")
    with pytest.raises(scree.ArgumentError, match=r"expected \(n, 2\)"):
        scree.Index((7, 7), device="emulate").update(There(x), There(r))
    with pytest.raises(scree.ArgumentError, match="group_pairs has the shape"):
        scree.pairs(There(x), There(r), group=np.zeros(150), device="emulate", group_pairs=np.ones((2, 3)))


def test_an_index_after_a_failed_update():
    """Arrays that do not fit leave it as it is; spheres that are no spheres leave it empty, and what is inserted then is where it is."""
    index = scree.Index((1, 1), True, device="emulate", skin=-1.0)
    index.update([[100.5, 0.5], [0.6, 0.6]], 0.1)
    with pytest.raises(scree.ArgumentError):
        index.update(There(np.zeros((2, 3))), 0.1)
    assert index.pairs(images=True)[1].tolist() == [[100, 0]]
    with pytest.raises(scree.ArgumentError):
        index.update(There(np.array([[np.nan, 0.0]])), 0.1)
    assert len(index) == 0 and index.insert([0.5, 0.5], 0.1) == 0 and index.insert([0.6, 0.5], 0.1) == 1
    assert index.pairs(images=True)[1].tolist() == [[0, 0]]


@pytest.mark.parametrize("dim", (2, 3))
def test_tilted_boxes(dim):
    x, r, _ = system(dim, dim, 100)
    box = scree.Box((7,) * dim, True, tilt=(2.5, -1.5, 3.0)[:2 * dim - 3])
    at = x + np.random.default_rng(dim).integers(-3, 4, x.shape) @ box.cell
    ij, shift = scree.pairs(There(at), There(r), box, images=True, device="emulate")
    wanted, shifts = scree.pairs(at, r, box, images=True)
    assert np.array_equal(here(ij), wanted) and np.array_equal(here(shift), shifts)
    D = here(scree.neighbour_list("D", There(at), There(r), box, device="emulate"))
    np.testing.assert_allclose(D, scree.neighbour_list("D", at, r, box), rtol=0, atol=1e-12)
