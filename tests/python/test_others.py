"""Sizes, levels, packings, measures, files and pictures."""
import itertools
import json
import os
import subprocess

import brute
import numpy as np
import pytest
import scree
from conftest import ROOT


# ---- Sizes and levels -----------------------------------------------------------------------------------------------

def test_sizes_are_quantiles():
    law = scree.Sizes("uniform-size:1:3")
    np.testing.assert_allclose(law.draw(4), [1.25, 1.75, 2.25, 2.75])
    np.testing.assert_allclose(law.quantile([0, 0.5, 1]), [1, 2, 3])
    np.testing.assert_allclose(law.cdf(np.array([[1.5], [2.5]])), [[0.25], [0.75]])
    assert law.moment(1) == pytest.approx(2) and (law.min, law.max) == (1, 3) and law.text == "uniform-size:1:3"
    a, b = (scree.sizes("lognormal:1:0.5", 1000, sampling="random", seed=seed) for seed in (1, 2))
    assert (a != b).all() and abs(np.median(a) - 1) < 0.1


def test_sieve_curve(tmp_path):
    file = scree.Sizes(f"table:{ROOT}/examples/sieve.csv")
    d, share = np.loadtxt(ROOT / "examples" / "sieve.csv", delimiter=",", skiprows=1).T
    arrays = scree.Sizes.table(d, passing_mass=share)
    np.testing.assert_array_equal(file.draw(500), arrays.draw(500))
    np.testing.assert_allclose(arrays.cdf_mass(0.5 * d), share / share[-1], atol=1e-12)
    with pytest.raises(scree.ArgumentError, match="row 1"):
        scree.Sizes.table([2, 1], passing_mass=[0, 1])
    with pytest.raises(scree.ArgumentError, match="uniform-size"):
        scree.sizes("uniform-sice:1:2", 5)
    with pytest.raises(scree.FileError):
        scree.Sizes("table:/nowhere.csv")


def test_levels():
    r = scree.sizes("uniform-volume:1:30", 20000)
    side = (4 / 3 * np.pi * (r ** 3).sum() / 0.5) ** (1 / 3)
    best = scree.levels(r, [side] * 3)
    assert best.levels == len(best.cell_sizes) == len(best.spheres) and best.spheres.sum() == len(r)
    assert best.cell_sizes[-1] >= 2 * r.max() and (np.diff(best.cell_sizes) > 0).all()
    row = best.table[np.argmin(best.table[:, 2])]
    assert row[0] == best.levels and row[2] == best.cost and best.speedup == best.table[0, 2] / best.cost
    assert scree.levels(r, scree.Box([side] * 3), levels=2).levels == 2
    with pytest.raises(scree.ArgumentError):
        scree.levels([], (1, 1, 1))


# ---- Packings -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dim, periodic", itertools.product((2, 3), ("none", "x", True)))
def test_packings_do_not_overlap(dim, periodic):
    for packing in (scree.pack("uniform-size:0.5:1", 80, dim=dim, periodic=periodic, seed=3),
                    scree.pack("uniform-size:0.5:1", 80, "rearrange", dim=dim, periodic=periodic, tolerance=1e-2),
                    scree.pack("uniform-size:0.5:1", 80, "drop", dim=dim, periodic=False if periodic is True else periodic, lowest=2),
                    scree.pack("mono:0.5", method="rsa", box=[6] * dim, periodic=periodic, saturate=True)):
        wrap = packing.box.periodic
        assert len(brute.pairs(packing.x, packing.r, packing.box.size, wrap)) == 0
        for k in range(dim):
            if not wrap[k]:
                assert (packing.x[:, k] >= packing.r).all() and (packing.x[:, k] <= packing.box.size[k] - packing.r).all()
        assert packing.converged and 0 < packing.density < 0.91


def test_lattice():
    packing = scree.pack("mono:0.5", 27, "lattice", box=(3, 3, 3), spacing=1.0)
    np.testing.assert_array_equal(packing.x[:4], [[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [2.5, 0.5, 0.5], [0.5, 1.5, 0.5]])
    with pytest.raises(scree.ArgumentError):
        scree.pack("mono:0.5", 28, "lattice", box=(3, 3, 3))


@pytest.mark.parametrize("dim", [2, 3])
def test_growth_and_compression(dim):
    grown = scree.pack("uniform-size:0.5:1", 100, "grow", dim=dim, density=0.5, periodic=True, rate=0.1)
    assert grown.converged and grown.report["reached"] and grown.density == pytest.approx(0.5)
    assert grown.report["v"].shape == (100, dim)
    jammed = scree.pack("uniform-size:0.5:1", 60, "grow", dim=dim, periodic=True, rate=0.01)
    assert jammed.report["jammed"] and jammed.density > (0.75 if dim == 2 else 0.55) and jammed.report["reduced_pressure_at_rest"] > 1e4
    quick = scree.pack("uniform-size:0.5:1", 60, "grow", dim=dim, periodic=True, rate=0.3)
    assert not quick.converged and not quick.report["jammed"] and quick.report["slower_rate"] == 0.25 * 0.3
    for packing in (grown, jammed):
        assert len(brute.pairs(packing.x, packing.r, packing.box.size, packing.box.periodic)) == 0
    soft = scree.pack("uniform-size:0.5:1", 60, "dem", dim=dim, periodic=True, pressure=1e-3, rate=1e-2)
    assert soft.converged and len(brute.pairs(soft.x, soft.r, soft.box.size, soft.box.periodic)) > 60
    assert 0 < soft.report["max_overlap"] < 0.1
    # Stopped: what there is.
    stopped = scree.pack("uniform-size:0.5:1", 300, "grow", dim=dim, periodic=True, progress=lambda done: done < 0.3)
    assert not stopped.converged and len(brute.pairs(stopped.x, stopped.r, stopped.box.size, stopped.box.periodic)) == 0


def test_containers():
    for method in ("rsa", "drop"):
        packing = scree.pack("uniform-size:0.5:1", 100, method, container="cylinder")
        middle = 0.5 * packing.box.size[:2]
        assert (np.sqrt(((packing.x[:, :2] - middle) ** 2).sum(1)) + packing.r <= middle[0] * (1 + 1e-14)).all()
        assert packing.density == pytest.approx((4 / 3 * packing.r ** 3).sum() / (middle[0] ** 2 * packing.box.size[2]))
        assert len(brute.pairs(packing.x, packing.r)) == 0
    cluster = scree.pack("mono:1", 50, "drop", centre=True)
    assert (np.abs(cluster.x).max(0) < 9).all() and (cluster.x.min(0) < 0).all()
    with pytest.raises(scree.ArgumentError, match="'grow' packs into"):
        scree.pack("mono:1", 5, "grow", container="sphere")
    with pytest.raises(scree.ArgumentError, match="without walls"):
        scree.pack("mono:1", 5, "drop", centre=True, box=(5, 5, 5))
    with pytest.raises(scree.ArgumentError):
        scree.pack("mono:1", 5, container="cylinder", box=(5, 6, 7))


def test_round_walls_hold():
    three = scree.pack("mono:1", 3, "rearrange", container="sphere", dim=2)  # two others and the wall hold each
    assert scree.measure(three).rattlers == 0 and scree.measure(three).wall_contacts == 3
    assert scree.measure(three, container="box").rattlers == 3
    assert scree.measure(three.x, three.r, three.box, container="sphere").rattlers == 0
    with pytest.raises(scree.ArgumentError, match="'box', 'cylinder', 'sphere'"):
        scree.measure(three, container="circle")


def test_odd_calls_are_answered():
    for call, name in (({"density": "0.3"}, "density"), ({"method": "rearrange", "tolerance": "fine"}, "tolerance"),
                       ({"method": "grow", "rate": [1, 2]}, "rate"), ({"method": "lattice", "spacing": "1"}, "spacing")):
        with pytest.raises(TypeError, match=f"{name} is .*; expected a number"):
            scree.pack("mono:1", 5, **call)
    for method in ("rsa", "drop", "rearrange"):
        nothing = scree.pack([], method=method)
        assert len(nothing) == 0 and nothing.density == 0.0


def test_density_box_and_count_give_each_other():
    packing = scree.pack("mono:0.5", density=0.2, box=(8, 8, 8), periodic=True)
    assert len(packing) == round(0.2 * 512 / (4 / 3 * np.pi / 8)) and packing.density == pytest.approx(0.2, rel=0.02)
    packing = scree.pack("mono:0.5", 100, density=0.2)
    assert packing.density == pytest.approx(0.2)
    r = np.array([1.0, 0.5, 2.0])
    packing = scree.pack(r, box=(20, 20, 20))
    np.testing.assert_array_equal(packing.r, r)
    for bad, words in (({"count": 5, "density": 0.1, "box": (9, 9, 9)}, "only two"), ({}, "how many"), ({"count": 5, "density": 2}, "between"),
                       ({"count": 5, "method": "magic"}, "'rsa', 'lattice', 'drop', 'rearrange'"), ({"count": 5, "method": "rearrange", "density": 0.5}, "density is 0.5"),
                       ({"box": (2, 2, 2), "count": 1000}, "sphere|volume")):
        with pytest.raises(scree.ArgumentError, match=words):
            scree.pack("mono:0.5", **bad)
    with pytest.raises(TypeError, match="'growth' .*belongs to method 'rearrange'"):
        scree.pack("mono:0.5", 5, growth=0.1)


def test_stopped_packing_is_a_packing():
    # stopped before the centres are placed there is nothing to give
    packing = scree.pack("uniform-size:1:2", 300, "rearrange", periodic=True, progress=lambda done: done == 0.0)
    assert not packing.converged and len(scree.pairs(packing.x, packing.r, packing.box)) == 0
    with pytest.raises(scree.CancelledError):
        scree.pack("mono:1", 20000, density=0.3, progress=lambda done: False)


# ---- Measures -------------------------------------------------------------------------------------------------------

def test_measures_against_numpy(rng):
    x, r, size = rng.random((150, 3)) * 2, rng.uniform(0.05, 0.2, 150), np.full(3, 2.0)
    m = scree.measure(x, r, size, True, gap=0.01, r_max=0.9, r_bins=9)
    touching, near = (brute.pairs(x, r, size, [True] * 3, gap) for gap in (0.0, 0.01))
    assert (m.contacts, m.pairs, m.n, m.dim) == (len(touching), len(near), 150, 3)
    np.testing.assert_array_equal(m.partners, np.bincount(near[:, :2].ravel(), minlength=150))
    assert m.coordination == 2 * len(near) / 150
    assert m.density == pytest.approx((4 / 3 * np.pi * r ** 3).sum() / 8)
    d = x[:, None] - x[None]
    d -= size * np.round(d / size)
    length = np.sqrt((d * d).sum(-1))[np.triu_indices(150, 1)]
    np.testing.assert_array_equal(m.g_r.pairs, np.histogram(length, m.g_r.edges)[0])
    shell = np.diff(4 / 3 * np.pi * m.g_r.edges ** 3) / 8
    np.testing.assert_allclose(m.g_r.ideal, 150 * 149 / 2 * shell, rtol=1e-9)
    np.testing.assert_allclose(m.size_curve.by_number, [(2 * r <= d).mean() for d in m.size_curve.d])
    gaps = np.sqrt((d * d).sum(-1)) - r[:, None] - r[None]
    np.fill_diagonal(gaps, 2.0 - 2 * r)
    np.testing.assert_allclose(m.nearest_gaps.gap, gaps.min(1), atol=1e-12)
    assert m.rattler.dtype == bool and m.rattler.sum() == m.rattlers


def test_measure_parts_and_errors():
    m = scree.measure([[1, 1]], 0.5, (2, 2), r_bins=0, nearest_bins=0, size_rows=0)
    assert m.g_r.g.size == m.nearest_gaps.gap.size == m.size_curve.d.size == m.g_r.edges.size == 0
    with pytest.raises(scree.ArgumentError, match="box"):
        scree.measure([[1, 1]], 0.5)
    with pytest.raises(TypeError, match="r is missing"):
        scree.measure([[1, 1]])
    assert scree.predict_density(np.ones(5)) == pytest.approx(0.643, abs=1e-3)
    with pytest.raises(scree.UnsupportedError):
        scree.predict_density(np.ones(5), dim=2)


# ---- Files and pictures ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("extension", ["csv", "vtp", "xyz", "lammps", "npy"])
@pytest.mark.parametrize("dim", [2, 3])
def test_files_give_back_the_bits(extension, dim, rng, tmp_path):
    path = tmp_path / f"spheres.{extension}"
    x, r = rng.normal(size=(30, dim)), rng.random(30)
    columns = {} if extension in ("lammps", "npy") else {"mass": rng.random(30), "kind": rng.integers(-5, 5, 30), "u": rng.random((30, 3))}
    box = scree.Box.around(x, r)
    scree.write(path, x, r, box, **columns)
    back = scree.read(path)
    np.testing.assert_array_equal(back.x, x)
    np.testing.assert_array_equal(back.r, r)
    for name, values in columns.items():
        np.testing.assert_array_equal(back[name], values)
    scree.write(path, back)
    again = scree.read(path)
    np.testing.assert_array_equal(again.x, x)
    assert extension == "csv" or again.box == box
    again.x[0] = 1.0  # its own memory, and ours to change
    del back
    np.testing.assert_array_equal(again.x[1:], x[1:])


def test_files_keep_the_container(tmp_path):
    packed = scree.pack("uniform-size:1:2", count=60, method="rsa", density=0.2, container="cylinder")
    inside = scree.measure(packed).density
    assert inside == pytest.approx(packed.density) and scree.measure(packed, container="box").density < 0.8 * inside
    for extension in ("vtp", "xyz", "lammps", "npy"):
        scree.write(tmp_path / f"a.{extension}", packed)
        back = scree.read(tmp_path / f"a.{extension}")
        assert back.container == "cylinder" and scree.measure(back).density == inside
        assert scree.picture(back, width=64, height=48).tobytes() == scree.picture(packed, width=64, height=48).tobytes()
        assert scree.picture(back, width=64, height=48).tobytes() != scree.picture(back.x, back.r, box=back.box, width=64, height=48).tobytes()
    # The box of an array is beside it: JSON. An array that was changed is refused with it, and read without it.
    beside = json.loads((tmp_path / "a.npy.box").read_text())
    assert beside["container"] == "cylinder" and beside["upper"] == list(packed.box.upper) and beside["count"] == 60
    array = np.load(tmp_path / "a.npy")
    np.testing.assert_array_equal(array[:, :3], packed.x)
    np.save(tmp_path / "a.npy", 2.0 * array)
    with pytest.raises(scree.FormatError, match="a.npy.box"):
        scree.read(tmp_path / "a.npy")
    (tmp_path / "a.npy.box").unlink()
    plain = scree.read(tmp_path / "a.npy")
    assert plain.box is None and plain.container == "box"
    with pytest.raises(ValueError, match="cone"):
        back.container = "cone"


def test_frames_of_bodies(tmp_path, program):
    scene = """dimension: 2
box: {size: [0.2, 0.2]}
bodies:
%s- {shape: disc, sizes: "mono:0.01", place: random, count: 5, region: [0, 0.05, 0.2, 0.2], material_density: 3}
contact: {stiffness: 2e3, restitution: 0.2}
time: {end: 0.001}
output: {every: 0.001}
"""
    floor = "- {points: [[0, 0], [0.2, 0], [0.2, 0.01], [0, 0.01]], fixed: true}\n"
    for name, more in (("discs", ""), ("mixed", floor)):
        (tmp_path / f"{name}.yaml").write_text(scene % more)
        subprocess.run([program, "run", f"{name}.yaml", "-o", name, "--quiet"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    discs = scree.read(tmp_path / "discs" / "frames" / "frame_000001.vtp")
    assert len(discs) == 5 and discs.dim == 2 and (discs.r == 0.01).all() and discs["velocity"].shape == (5, 2)
    with pytest.raises(scree.UnsupportedError, match="frame_000001.vtp.* 1 of its 6"):
        scree.read(tmp_path / "mixed" / "frames" / "frame_000001.vtp")


def test_text_columns(tmp_path):
    path = tmp_path / "named.csv"
    scree.write(path, [[0, 0], [1, 1], [2, 2]], 0.5, name=["a", "b,c", "größer"], empty=["", "x", ""])
    back = scree.read(path)
    assert back["name"].tolist() == ["a", "b,c", "größer"] and back["empty"].tolist() == ["", "x", ""]
    scree.write(path, back)
    assert scree.read(path)["name"].tolist() == ["a", "b,c", "größer"]


def test_file_errors(tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("x,y,r\n0,0,1\n0,zero,1\n")
    with pytest.raises(scree.FormatError, match="bad.csv:3"):
        scree.read(bad)
    with pytest.raises(OSError, match="nowhere"):
        scree.read(tmp_path / "nowhere.csv")
    with pytest.raises(OSError, match="nowhere"):
        scree.read(tmp_path / "nowhere")
    (tmp_path / "spheres.unknown").write_text("x,y,r\n")
    with pytest.raises(ValueError, match="format"):
        scree.read(tmp_path / "spheres.unknown")
    for column, error in ((np.zeros(5), ValueError), (np.zeros(2, complex), TypeError), (np.zeros((2, 65)), ValueError)):
        with pytest.raises(error, match="column 'c'"):
            scree.write(tmp_path / "a.csv", [[0, 0], [1, 1]], 1, c=column)
    with pytest.raises(scree.ArgumentError):
        scree.write(tmp_path / "a.csv", scree.Spheres([[0, 0]], 1, columns={"x": [1]}))
    with pytest.raises(OSError):
        scree.write(tmp_path / "no" / "folder.csv", [[0, 0]], 1)
    with pytest.raises(ValueError, match="zero byte"):
        scree.read("a\0b.csv")


def test_picture(tmp_path, rng):
    x, r = rng.random((40, 3)), rng.uniform(0.02, 0.1, 40)
    pixels = scree.picture(x, r, box=(1, 1, 1), width=120, height=90, colour_by=x[:, 2])
    assert pixels.shape == (90, 120, 4) and pixels.dtype == np.uint8 and len(np.unique(pixels)) > 20
    path = tmp_path / "p.png"
    assert scree.picture(x, r, path, width=120, height=90) is None
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    one = scree.picture(x, r, width=60, height=40, threads=1)
    np.testing.assert_array_equal(one, scree.picture(x, r, width=60, height=40, threads=3))
    for bad in ({"width": 5}, {"width": 10 ** 9}, {"width": 20000, "height": 20000}, {"map": "rainbow"}, {"colour_by": "mass"}, {"images": "faces"}):
        with pytest.raises(scree.ArgumentError):
            scree.picture(x, r, **bad)


@pytest.mark.parametrize("method, more", [("grow", {"density": 0.6, "rate": 0.05}), ("rearrange", {}), ("rearrange", {"stable": True})])
def test_packings_continue_from_a_checkpoint(tmp_path, method, more):
    """A call that was stopped, and the same call again: the bits of one that was not."""
    file, calls = tmp_path / "state", []
    stage = tmp_path / "state.stable" if "stable" in more else file
    whole = scree.pack("uniform-size:1:2", 61, method, periodic=True, **more)

    def progress(done):
        calls.append(done)
        return not (stage.exists() and len(calls) > 3)

    every = 0.01 if "stable" in more else 0  # its first stage has a thousand sweeps
    stopped = scree.pack("uniform-size:1:2", 61, method, periodic=True, checkpoint=file, checkpoint_every=every, progress=progress, **more)
    assert stage.stat().st_size > 68 * 61 and not stopped.converged
    again = scree.pack("uniform-size:1:2", 61, method, periodic=True, checkpoint=str(file), threads=1, **more)
    assert again.converged and np.array_equal(again.x, whole.x) and again.box == whole.box
    with pytest.raises(scree.ArgumentError, match="state.*61 spheres.*expected the same"):
        scree.pack("uniform-size:1:2", 61, method, periodic=True, seed=2, checkpoint=file, **more)
    with pytest.raises(FileNotFoundError):
        scree.pack("uniform-size:1:2", 61, method, periodic=True, checkpoint=tmp_path / "none" / "state", checkpoint_every=0, **more)
    with pytest.raises(scree.ArgumentError, match="checkpoint=FILE"):
        scree.pack("uniform-size:1:2", 61, method, periodic=True, checkpoint_every=1, **more)
