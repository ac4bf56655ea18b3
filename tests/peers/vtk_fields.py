"""Fields of `scree measure --fields` as VTK sees them, the library inside ParaView: a grid that fills the box, with the numbers of the CSV file.

usage: vtk_fields.py PROGRAM
"""
import os

import peer

try:
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader
except ImportError as error:
    peer.missing("VTK", error)


def check(program, folder, dim):
    names = "xyz"[:dim]
    rng = np.random.default_rng(5)
    with open(os.path.join(folder, "s.csv"), "w", encoding="utf-8") as file:
        file.write(",".join(list(names) + ["r"] + ["velocity_" + k for k in names]) + "\n")
        for row in np.column_stack([rng.uniform(0.2, 1.8, (50, dim)), np.full(50, 0.2), rng.normal(size=(50, dim))]):
            file.write(",".join(map(repr, row.tolist())) + "\n")
    cells, box = (4, 3, 5)[:dim], (2, 2, 2)[:dim]
    peer.run([program, "measure", "s.csv", "--box", ",".join(map(str, box)), "--bins", "0", "--fields", ",".join(map(str, cells)), "-o", "out"], folder)
    reader = vtkXMLImageDataReader()
    reader.SetFileName(os.path.join(folder, "out-fields.vti"))
    reader.Update()
    grid, table = reader.GetOutput(), np.genfromtxt(os.path.join(folder, "out-fields.csv"), delimiter=",", names=True)
    data = grid.GetCellData()
    peer.check(grid.GetNumberOfCells() == len(table) == np.prod(cells), f"{grid.GetNumberOfCells()} cells")
    for c in range(len(table)):
        bounds = np.reshape(grid.GetCell(c).GetBounds(), (3, 2))
        middle = [table[k][c] for k in names] + [0.0] * (3 - dim)
        peer.check(np.allclose(bounds.mean(axis=1), middle, atol=1e-12), f"cell {c} is around {bounds.mean(axis=1)}, not {middle}")
    used = list(names)
    for a in range(data.GetNumberOfArrays()):
        name, values = data.GetArrayName(a), vtk_to_numpy(data.GetArray(a)).reshape(len(table), -1)
        parts = {1: [""], 3: ["_" + k for k in "xyz"], 9: ["_" + k + m for k in "xyz" for m in "xyz"]}[values.shape[1]]
        for part, column in zip(parts, values.T):
            if dim == 2 and "z" in part:
                peer.check(not column.any(), f"{name}{part} is not 0 in 2D")
                continue
            peer.check(np.array_equal(column, table[name + part]), f"{name}{part} differs")
            used.append(name + part)
    peer.check(used == list(table.dtype.names), f"VTK sees {used}")
    print(f"{dim}D: {len(table)} cells, {len(used)} columns")


def main(program, folder, _):
    check(program, folder, 3)
    check(program, folder, 2)


if __name__ == "__main__":
    peer.main(0, main)
