"""The contacts of a run as VTK sees them, the library inside ParaView: a line for each row of the CSV file, as long as the spheres are apart, with the same data.

usage: vtk_contacts.py PROGRAM
"""
import os
import subprocess
import sys
import tempfile

import peer

try:
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError as error:
    peer.missing("VTK", error)

SPHERES = """
box: {size: [1, 1, 1], periodic: [x, y]}
gravity: [0, 0, -10]
contact: {stiffness: 200, restitution: 0.8}
time: {step: 1e-4, steps: 300}
output: {contacts: true}
spheres: {count: 300, sizes: 'uniform-size:0.04:0.07', sampling: random, place: random, velocity: thermal, temperature: 0.03}
"""
BODIES = """
dimension: 2
box: {size: [4, 6], periodic: [x]}
gravity: [0, -10]
contact: {stiffness: 10000, restitution: 0.4}
time: {step: 4e-5, steps: 800}
output: {contacts: true}
bodies:
- {shape: star, vertices: 9, sizes: 'uniform-size:0.1:0.25', place: random, count: 60, angle_spread: 3.1, velocity: [-9, -9]}
- {shape: disc, sizes: 'mono:0.12', place: random, count: 60}
"""
VECTORS = {"normal": "n", "force": "f", "shift": "s", "point": "p"}


def read(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    peer.check(reader.GetErrorCode() == 0, f"VTK cannot read {path}")
    return reader.GetOutput()


def array(cells, name):
    return vtk_to_numpy(cells.GetArray(name))


def check(folder, frame):
    """The table and the lines of a frame."""
    base = os.path.join(folder, "contacts", f"contacts_{frame:06d}")
    data, table = read(base + ".vtp"), np.genfromtxt(base + ".csv", delimiter=",", names=True, ndmin=1)
    cells, rows = data.GetCellData(), len(table)
    peer.check(data.GetNumberOfLines() == data.GetNumberOfCells() == rows, f"{data.GetNumberOfLines()} lines and {rows} rows")
    used = []
    for k in range(cells.GetNumberOfArrays()):
        name, values = cells.GetArrayName(k), vtk_to_numpy(cells.GetArray(k))
        parts = [VECTORS[name] + axis for axis in "xyz"[:values.shape[1]]] if name in VECTORS else [name]
        for part, column in zip(parts, values.T if values.ndim == 2 else [values]):
            peer.check(np.array_equal(column, table[part]), f"{part} differs")
        used += parts
    peer.check(used == list(table.dtype.names), f"VTK sees {used}")
    return data, rows


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, scene in (("spheres", SPHERES), ("bodies", BODIES)):
            with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as file:
                file.write(scene)
            subprocess.run([program, "run", os.path.join(folder, name + ".yaml"), "-o", os.path.join(folder, name), "--quiet"], check=True,
                           stdout=subprocess.DEVNULL)
        _, rows = check(os.path.join(folder, "spheres"), 0)
        peer.check(rows == 0, "a random start has contacts")
        data, rows = check(os.path.join(folder, "spheres"), 1)
        cells, ends = data.GetCellData(), vtk_to_numpy(data.GetPoints().GetData()).reshape(rows, 2, 3)
        radius = vtk_to_numpy(read(os.path.join(folder, "spheres", "frames", "frame_000001.vtp")).GetPointData().GetArray("radius"))
        i, j, overlap = (array(cells, name) for name in ("i", "j", "overlap"))
        reach = radius[i] + np.where(j < 0, 0.0, radius[j])
        peer.check(np.allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), reach - overlap, atol=1e-12), "lines are not as long as spheres are apart")
        peer.check((array(cells, "shift") != 0).any() and (j < 0).any(), "no images or no walls in this scene")
        print(f"spheres: {rows} contacts")
        data, rows = check(os.path.join(folder, "bodies"), 1)
        peer.check(rows > 10, "no contacts in this scene")
        ends, cells = vtk_to_numpy(data.GetLines().GetOffsetsArray()), data.GetCellData()
        peer.check(np.array_equal(np.diff(ends), np.where(array(cells, "j") < 0, 2, 3)), "lines of bodies do not go over three points, to walls over two")
        print(f"bodies: {rows} contacts")


if __name__ == "__main__":
    main()
