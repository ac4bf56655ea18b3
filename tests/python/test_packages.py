"""Objects of other packages: VTK's and ASE's, each against what that package reads in a file; and pages in notebooks."""
import html.parser
import sys

import numpy as np
import pytest
import scree

SETS = {"spheres": scree.Spheres([[0, 0, 0], [1, 2, 3.0]], [0.5, 0.25], box=(4, 4, 4), periodic="xy", mass=[1.0, 2], velocity=[[1, 2, 3], [4, 5, 6.0]], name=["a", "b"], group=np.array([1, 2])),
        "plane": scree.Spheres([[0, 0], [1, 2]], [0.5, 0.25], box=scree.Box([[-1, -2], [3, np.inf]], "x"), velocity=[[1, 2], [3, 4.0]]),
        "tilted": scree.Spheres([[0, 0, 1]], [0.5], box=scree.Box((4, 5, 6), True, tilt=(0.1, 0.2, 0.3))), "open": scree.Spheres(np.zeros((0, 3)), np.zeros(0)),
        "outlines": scree.Outlines([[[0, 0], [2, 0], [0, 2]], []], x=[[0.5, 0.5], [3, 0]], r=[2.0, 0.5], box=(4, 4), angle=[1.0, 2])}


def parts_of(data):
    """All arrays of a vtkPolyData."""
    vtk, support = pytest.importorskip("vtkmodules.all"), pytest.importorskip("vtkmodules.util.numpy_support")
    found = {}
    for kind, group in (("point", data.GetPointData()), ("cell", data.GetCellData()), ("field", data.GetFieldData())):
        for array in map(group.GetAbstractArray, range(group.GetNumberOfArrays())):
            texts = isinstance(array, vtk.vtkStringArray)
            found[kind, array.GetName()] = [array.GetValue(k) for k in range(array.GetNumberOfValues())] if texts else support.vtk_to_numpy(array)
    found["points"] = support.vtk_to_numpy(data.GetPoints().GetData())
    for cells in ("Verts", "Polys", "Lines"):
        one = getattr(data, f"Get{cells}")()
        found[cells, "offsets"], found[cells, "corners"] = support.vtk_to_numpy(one.GetOffsetsArray()), support.vtk_to_numpy(one.GetConnectivityArray())
    return found


@pytest.mark.parametrize("name", SETS)
def test_vtk_has_what_it_reads_in_a_file(name, tmp_path):
    vtk = pytest.importorskip("vtkmodules.all")
    scree.write(tmp_path / "set.vtp", SETS[name])
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(tmp_path / "set.vtp"))
    reader.Update()
    made = SETS[name].to_vtk()
    mine, read = parts_of(made), parts_of(reader.GetOutput())
    assert made.IsA("vtkPolyData") and (mine.keys() == read.keys() or name == "open")
    for key in mine.keys() & read.keys():
        assert np.shape(mine[key]) == np.shape(read[key]) and (mine[key] == read[key] if isinstance(mine[key], list) else np.allclose(mine[key], read[key], rtol=1e-15, atol=1e-15)), key


@pytest.mark.parametrize("name", ["spheres", "tilted"])
def test_ase_has_what_it_reads_in_a_file(name, tmp_path):
    io, neighbours = pytest.importorskip("ase.io"), pytest.importorskip("ase.neighborlist")
    spheres = SETS[name]
    scree.write(tmp_path / "set.xyz", spheres)
    read, mine = io.read(tmp_path / "set.xyz"), spheres.to_ase()
    assert np.array_equal(mine.positions, read.positions) and np.array_equal(mine.cell[:], read.cell[:]) and mine.pbc.tolist() == read.pbc.tolist() and mine.arrays.keys() == read.arrays.keys()
    assert all(np.array_equal(mine.arrays[key], read.arrays[key]) for key in mine.arrays if key != "numbers")
    assert all(map(np.array_equal, neighbours.neighbor_list("ijS", mine, 5.2), neighbours.neighbor_list("ijS", read, 5.2)))


def test_ase_in_the_plane_and_in_turned_cells():
    pytest.importorskip("ase")
    plane = SETS["plane"].to_ase()
    assert plane.positions.tolist() == [[0, 0, 0], [1, 2, 0]] and plane.pbc.tolist() == [True, False, False] and plane.cell[:].tolist() == [[4, 0, 0], [0] * 3, [0] * 3]
    assert plane.get_celldisp().ravel().tolist() == [-1, -2, 0]
    fcc = [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    atoms = scree.Spheres([[0.1, 0.2, 0.3]], 1.4, box=fcc).to_ase()
    assert np.allclose(atoms.cell[:], fcc) and len(scree.neighbour_list("i", atoms, 3.0)) == 12


def test_without_the_packages(monkeypatch):
    for name in ("ase", "vtkmodules.vtkCommonDataModel"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="to_vtk needs the package vtkmodules, which is not installed"):
        SETS["spheres"].to_vtk()
    with pytest.raises(ImportError, match="to_ase needs the package ase"):
        SETS["spheres"].to_ase()


class Frames(html.parser.HTMLParser):
    """The attributes of the first iframe."""
    found = None

    def handle_starttag(self, tag, attributes):
        self.found = dict(attributes) if tag == "iframe" and self.found is None else self.found


def test_pages_in_notebooks(tmp_path, monkeypatch):
    page = scree.view(tmp_path / "page.html", SETS["spheres"], title='"quoted" & <b>')
    parser = Frames()
    parser.feed(page._repr_html_())
    assert parser.found["srcdoc"] == (tmp_path / "page.html").read_text() and "same-origin" not in parser.found["sandbox"]
    monkeypatch.setattr(scree.Page, "most", 1000)
    assert "<iframe" not in page._repr_html_() and str(tmp_path) in page._repr_html_()
