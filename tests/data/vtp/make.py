"""The files beside this one, written by VTK itself (/usr/bin/python3 with python3-vtk9; here 9.1.0).

All hold the same five points (tests/test_vtp.c knows them). The name says how:
FORMAT-COMPRESSION-HEADER-ORDER.vtp, like raw-zlib-64-le.vtp; zlib in blocks of 32 bytes.
"""
import os
import sys

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk

N = 5
i = np.arange(N)
ARRAYS = {
    "radius": (i + 1) / 4,
    "i8": np.array([-2**7, 2**7 - 1, 0, 1, -1], np.int8),
    "u8": np.array([0, 2**8 - 1, 1, 2, 3], np.uint8),
    "i16": np.array([-2**15, 2**15 - 1, 0, 1, -1], np.int16),
    "u16": np.array([0, 2**16 - 1, 1, 2, 3], np.uint16),
    "i32": np.array([-2**31, 2**31 - 1, 0, 1, -1], np.int32),
    "u32": np.array([0, 2**32 - 1, 1, 2, 3], np.uint32),
    "i64": np.array([-2**63, 2**63 - 1, 0, 1, -1], np.int64),
    "u64": np.array([0, 2**63 - 1, 1, 2, 3], np.uint64),
    "f32": np.array([0.1, -1e30, 2.0**-126, 0, np.inf], np.float32),
    "f64": np.array([0.1, -1e300, 2.0**-1074, 0.5, 1 / 3]),
    "v": np.stack([i, 0 * i + 0.5, -i], axis=1).astype(np.float32),
    "t": (np.arange(9 * N) * 0.5).reshape(N, 9),
}
WORDS = ["a", "", 'b"c', "\u00e4", "x y"]


def poly_data():
    data, points = vtk.vtkPolyData(), vtk.vtkPoints()
    points.SetData(numpy_to_vtk(np.stack([0.5 * i, 1 - 0.25 * i, 3.0 * i], axis=1).astype(np.float32), deep=1))
    data.SetPoints(points)
    for name, values in ARRAYS.items():
        array = numpy_to_vtk(values, deep=1)
        array.SetName(name)
        data.GetPointData().AddArray(array)
    words = vtk.vtkStringArray()
    words.SetName("text")
    for word in WORDS:
        words.InsertNextValue(word)
    data.GetPointData().AddArray(words)
    vertices = vtk.vtkCellArray()
    for k in range(N):
        vertices.InsertNextCell(1, [k])
    data.SetVerts(vertices)
    return data


def write(path, form, compression, header, order):
    writer = vtk.vtkXMLPolyDataWriter()
    writer.SetFileName(path)
    writer.SetInputData(poly_data())
    {"ascii": writer.SetDataModeToAscii, "binary": writer.SetDataModeToBinary}.get(form, writer.SetDataModeToAppended)()
    writer.SetEncodeAppendedData(form == "base64")
    writer.SetCompressorTypeToZLib() if compression == "zlib" else writer.SetCompressorTypeToNone()
    writer.SetHeaderTypeToUInt32() if header == "32" else writer.SetHeaderTypeToUInt64()
    writer.SetByteOrderToLittleEndian() if order == "le" else writer.SetByteOrderToBigEndian()
    writer.SetBlockSize(32)
    if writer.Write() != 1:
        sys.exit(f"VTK could not write {path}")


if __name__ == "__main__":
    folder = os.path.dirname(os.path.abspath(__file__))
    for name in ["ascii-plain-32-le", "binary-plain-32-le", "binary-plain-64-be", "binary-zlib-32-le", "binary-zlib-64-be",
                 "raw-plain-32-le", "raw-plain-64-be", "raw-zlib-32-be", "raw-zlib-64-le", "base64-plain-32-be",
                 "base64-plain-64-le", "base64-zlib-32-le", "base64-zlib-64-be"]:
        write(os.path.join(folder, name + ".vtp"), *name.split("-"))
