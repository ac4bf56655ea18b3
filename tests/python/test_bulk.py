"""Systems of many spheres, small: silo and drum of the benchmark of nine codes, Beverloo's law, the angle of repose. The scenes are those of tools/nine_codes, tools/beverloo and tools/repose, which make the figures of
docs/benchmarks.md."""
import csv
import shutil
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import numpy as np
import pytest
import scree
from conftest import ROOT


def tool(name):
    loader = SourceFileLoader(name, str(ROOT / "tools" / name))
    module = module_from_spec(spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


nine, beverloo, repose = map(tool, ("nine_codes", "beverloo", "repose"))


SILO = (450, 433, 417, 395, 373)  # spheres inside after 0.1, 0.2, ... s, by LAMMPS
DRUM = np.transpose(((0, 0, 6, 12, 11, 7), (0, 0, 3, 6, 5, 3), (64, 48, 38, 26, 26, 31), (15, 14, 11, 8, 9, 12)))  # M1 and M2 in x > 0, z > 0, then in x < 0, z < 0


def rows(folder):
    with open(folder / "log.csv") as log:
        return [{name: float(value) for name, value in row.items() if not name.startswith("seconds")} for row in csv.DictReader(log)]


def with_threads(system, folder, threads):
    """The same start once more, in another folder."""
    other = folder / f"threads{threads}"
    shutil.copytree(folder / "fill", other / "fill")
    return nine.run(system, str(other), "run", threads), rows(other / "run")


def test_silo_of_nine_codes(tmp_path):
    """463 spheres of M1, 24 mm, leave through 100 mm; LAMMPS from the same start: tools/nine_codes silo FOLDER fill lammps table --scale 6 --soft 100 --orifice 0.05 --end 0.5."""
    silo = nine.Silo(scale=6.0, soft=100.0, orifice=0.05, end=0.25)
    nine.run(silo, str(tmp_path), "fill")
    done = nine.run(silo, str(tmp_path), "run")
    again, log = with_threads(silo, tmp_path, 2)
    assert again.hash == done.hash and log == rows(tmp_path / "run")
    done = nine.run(silo._replace(end=0.5), str(tmp_path), "run")
    log = rows(tmp_path / "run")
    mass = 2500 * np.pi / 6 * 0.024**3
    assert len(done.x) == log[-1]["n"] == 463 - log[-1]["removed"] and log[-1]["mass_removed"] == pytest.approx(log[-1]["removed"] * mass, rel=1e-12)  # nothing is lost
    assert (done.x[:, 2] > silo.gone - 0.01).all() and (np.hypot(*done.x[:, :2].T) < 0.1 - 0.95 * 0.012).all()
    inside = np.interp([0.1, 0.2, 0.3, 0.4, 0.5], *silo.counted(str(tmp_path / "run")).T)
    np.testing.assert_allclose(inside, SILO, atol=8)  # of about 100 that left; half the step makes a difference of 1
    assert silo.rate(silo.counted(str(tmp_path / "run")), 0.1) == pytest.approx(-np.polyfit([0.1, 0.2, 0.3, 0.4, 0.5], SILO, 1)[0], rel=0.08)


def test_drum_of_nine_codes(tmp_path):
    """139 spheres of M1, 12 mm, and 37 of M2, 24 mm; LAMMPS from the same start: tools/nine_codes drum FOLDER fill lammps --scale 6 --soft 100 --end 0.6."""
    drum = nine.Drum(scale=6.0, soft=100.0, end=0.2)
    nine.run(drum, str(tmp_path), "fill")
    done = nine.run(drum, str(tmp_path), "run")
    assert with_threads(drum, tmp_path, 2)[0].hash == done.hash
    done = nine.run(drum._replace(end=0.6), str(tmp_path), "run")
    found = drum.counted(str(tmp_path / "run"))
    assert len(done.x) == 139 + 37 and (np.hypot(done.x[:, 0], done.x[:, 2]) + done.r < 0.1 + 0.05 * done.r).all()
    looks = np.column_stack([np.interp([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], found[:, 0], found[:, c]) for c in range(1, 5)])
    np.testing.assert_allclose(looks, DRUM, atol=4)  # of 73 at first; half the step makes a difference of 1
    np.testing.assert_allclose(looks.mean(0), np.mean(DRUM, 0), atol=1.5)


def test_beverloo(tmp_path):
    """Mass flow through two holes within the range of C and k that others found (C 0.49 to 0.58, k 1.4 to 1.68), and by the law its ratio."""
    silo = beverloo.Silo(width=11.0, height=6.0, end=0.35, settle=0.3, duration=2e-3)
    bulk = beverloo.fill(silo, str(tmp_path))
    assert 0.55 < bulk / beverloo.DENSITY < 0.63
    flows, shares = [], []
    for hole in (4.5, 6.0):
        flow, error, done = beverloo.flow(silo, str(tmp_path), hole)
        log = rows(tmp_path / f"hole-{hole:g}")
        assert len(done.x) == silo.count and log[-1]["removed"] == log[-1]["inserted"] > 50  # what leaves comes back
        low, high = beverloo.beverloo(hole, bulk, 0.49, 1.68), beverloo.beverloo(hole, bulk, 0.58, 1.4)
        assert 0.7 * low < flow < 1.35 * high, (hole, flow, error)  # seeds 1 to 5 at 4.5: 0.102 to 0.161, with a standard deviation of 9 to 15 %
        flows.append(flow)
        shares.append(flow / np.sqrt(low * high))
    assert 0.9 < np.sqrt(shares[0] * shares[1]) < 1.5, shares  # both together scatter less: 1.19 and 1.37 were seen
    ratios = [beverloo.beverloo(6.0, bulk, 1.0, k) / beverloo.beverloo(4.5, bulk, 1.0, k) for k in (1.4, 1.68)]
    assert 0.7 * ratios[0] < flows[1] / flows[0] < 1.3 * ratios[1]


@pytest.mark.parametrize("rolling, published", ((0.05, 19.0), (0.1, 27.0)))
def test_angle_of_repose(tmp_path, rolling, published):
    """Half of the heap of docs/benchmarks.md, in a periodic slot."""
    slot = repose.Slot(rolling, periodic=True, sides=1, width=3.0, height=8.0, outlet=4.0, settle=0.4, end=2.0, duration=2.4e-3)
    done = slot.heap(str(tmp_path))
    assert slot.slopes(done.x)[0] == pytest.approx(published, abs=8.0)  # single heaps of seeds 1 to 5 have 16.0 to 24.1 degrees at 0.05, with a standard deviation of 3
    assert len(done.x) + rows(tmp_path / "heap")[-1]["removed"] == len(scree.read(tmp_path / "fill" / "frames" / "frame_000001.csv").r)
