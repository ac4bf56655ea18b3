"""Spheres and outlines as objects of other packages, which are loaded when they are asked for: VTK (vtkPolyData), ASE (Atoms)."""
from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from ._arrays import Array, Box
from ._records import optional

_CORNERS = 48  # of the polygon of a disc, as in files


def _polydata(points: Array, cells: str, offsets: Array, data: Mapping[str, Array], of_points: bool, dim: int, box: Optional[Box], container: str) -> Any:
    """As scree.write has it in a VTP file."""
    hint = "scree.write makes VTP files without it"
    model = optional("vtkmodules.vtkCommonDataModel", "to_vtk", hint)
    core, support = optional("vtkmodules.vtkCommonCore", "to_vtk", hint), optional("vtkmodules.util.numpy_support", "to_vtk", hint)

    def array_of(values: Array, name: str) -> Any:
        if values.dtype.kind in "US":
            made = core.vtkStringArray()
            made.SetNumberOfValues(len(values))
            for k, text in enumerate(values.tolist()):
                made.SetValue(k, text)
        else:
            kept = np.ascontiguousarray(values, np.float64 if values.dtype.kind == "f" else np.int64)
            made = support.numpy_to_vtk(kept, deep=1, array_type=None if kept.dtype == np.float64 else core.VTK_LONG_LONG)
        made.SetName(name)
        return made

    found, where, list_of = model.vtkPolyData(), core.vtkPoints(), model.vtkCellArray()
    xyz = np.zeros((len(points), 3))
    xyz[:, :points.shape[1]] = points
    where.SetData(support.numpy_to_vtk(xyz, deep=1))
    found.SetPoints(where)
    list_of.SetData(array_of(offsets, "offsets"), array_of(np.arange(len(points)), "connectivity"))
    getattr(found, f"Set{cells}")(list_of)
    into = found.GetPointData() if of_points else found.GetCellData()
    for name, values in data.items():
        into.AddArray(array_of(values, name))
    into.SetActiveScalars("radius")
    fields = found.GetFieldData()
    fields.AddArray(array_of(np.array([dim]), "scree_dim"))
    if box is not None:
        rows = np.zeros((4 if any(box.tilt) else 3, 3))
        rows[:3, :dim] = box.lower, box.upper, box.periodic
        rows[3:, :len(box.tilt)] = box.tilt
        fields.AddArray(array_of(rows, "scree_box"))
    if container != "box":
        fields.AddArray(array_of(np.array([1 if container == "cylinder" else 2]), "scree_container"))
    return found


def spheres_to_vtk(x: Array, r: Array, box: Optional[Box], container: str, columns: Mapping[str, Array]) -> Any:
    """A vertex for each sphere. A cell that is not lower triangular has no place in the fields, and is left out."""
    where = None if box is None or box._frame is not None else box
    return _polydata(x, "Verts", np.arange(len(x) + 1), {"radius": r, "diameter": 2.0 * r, **columns}, True, x.shape[1], where, container)


def outlines_to_vtk(outlines: list[Array], x: Array, r: Array, box: Optional[Box], container: str, columns: Mapping[str, Array]) -> Any:
    """A polygon for each body."""
    angles = 2.0 * np.pi * np.arange(_CORNERS) / _CORNERS
    circle, discs = np.column_stack([np.cos(angles), np.sin(angles)]), [len(corners) == 0 for corners in outlines]
    drawn = [x[k] + r[k] * circle if discs[k] else corners for k, corners in enumerate(outlines)]
    centre = np.zeros((len(x), 3))
    centre[:, :2] = x
    data = {"radius": r, "centre": centre, "disc": np.array(discs, np.int64), **columns}
    return _polydata(np.concatenate([np.zeros((0, 2)), *drawn]), "Polys", np.cumsum([0, *map(len, drawn)]), data, False, 2, box, container)


def spheres_to_ase(x: Array, r: Array, box: Optional[Box], columns: Mapping[str, Array]) -> Any:
    """Atoms of element X."""
    ase = optional("ase", "to_ase", "scree.write makes XYZ files, which ASE reads, without it")
    positions, cell, periodic, corner = np.zeros((len(x), 3)), np.zeros((3, 3)), [False] * 3, np.zeros(3)
    positions[:, :x.shape[1]] = x
    if box is not None:
        cell[:box.dim, :box.dim] = box.cell
        periodic[:box.dim] = box.periodic
        corner[:box.dim] = box._back(np.where(np.isfinite(box.lower), box.lower, 0.0))
    atoms = ase.Atoms(numbers=np.zeros(len(x), int), positions=positions, cell=cell, pbc=periodic, celldisp=corner)
    for name, values in {"radius": r, **columns}.items():
        atoms.set_array(name, np.array(values))
    return atoms
