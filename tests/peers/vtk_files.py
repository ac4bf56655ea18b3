"""VTP files between scree and VTK, the library inside ParaView, both ways and bit for bit.

What VTK writes in every mode it has (ascii, base64, appended raw and base64; with and without zlib; both header types, both
byte orders) scree reads; what scree writes VTK reads, and again when VTK has written it once more.

usage: vtk_files.py PROGRAM [POINTS]     (POINTS: of the largest case, 100000 unless said)
"""
import csv
import itertools
import os

import peer

try:
    import numpy as np
    from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkPoints, vtkStringArray
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLPolyDataWriter
except ImportError as error:
    peer.missing("VTK", error)

WORDS = ["quartz", "", "a,b", 'say "hi"', "\u00e4\u00f6\u00fc", "n/a"]


def read_csv(path):
    """The columns by name, as lists of words."""
    with open(path, newline="", encoding="utf-8") as lines:
        rows = csv.reader(lines)
        names = next(rows)
        columns = list(zip(*rows)) or [()] * len(names)
    return dict(zip(names, columns))


def same(ours, theirs, what):
    """Two lists of numbers, bit for bit; any nan is like any other."""
    theirs = np.asarray(theirs)
    ours = np.array([int(word) for word in ours] if theirs.dtype.kind in "iu" else [float(word) for word in ours], theirs.dtype)
    peer.check(ours.shape == theirs.shape, f"{what}: {ours.shape} values, VTK has {theirs.shape}")
    alike = ours == theirs
    if theirs.dtype.kind == "f":
        alike &= np.signbit(ours) == np.signbit(theirs)
        alike |= np.isnan(ours) & np.isnan(theirs)
    first = np.flatnonzero(~alike)[:1]
    peer.check(alike.all(), f"{what}: {(~alike).sum()} values differ, the first is {first}: {ours[first]}, VTK has {theirs[first]}")


def example(n, seed):
    """Points with an array of every type, as numpy arrays by name."""
    rng = np.random.default_rng(seed)
    arrays = {"Points": rng.standard_normal((n, 3)), "radius": rng.random(n)}
    for kind in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"):
        bounds = np.iinfo(kind)
        arrays[kind] = rng.integers(bounds.min, bounds.max, n, kind, endpoint=True)
    arrays["uint64"] = rng.integers(0, 2**63 - 1, n, "uint64", endpoint=True)
    arrays["float32"] = rng.standard_normal(n).astype("float32")
    arrays["float64"] = rng.standard_normal(n) * 10.0 ** rng.integers(-300, 300, n)
    arrays["v"] = rng.standard_normal((n, 3)).astype("float32")
    arrays["stress"] = rng.standard_normal((n, 9))
    return arrays


def poly_data(arrays, words):
    data, points, n = vtkPolyData(), vtkPoints(), len(arrays["Points"])
    points.SetData(numpy_to_vtk(arrays["Points"], deep=1))
    data.SetPoints(points)
    for name, values in arrays.items():
        if name != "Points":
            array = numpy_to_vtk(values, deep=1)
            array.SetName(name)
            data.GetPointData().AddArray(array)
    text = vtkStringArray()
    text.SetName("text")
    for word in words:
        text.InsertNextValue(word)
    data.GetPointData().AddArray(text)
    vertices = vtkCellArray()
    for k in range(n):
        vertices.InsertNextCell(1, [k])
    data.SetVerts(vertices)
    return data


def write(path, data, form, compressed, wide, big, block):
    writer = vtkXMLPolyDataWriter()
    writer.SetFileName(path)
    writer.SetInputData(data)
    {"ascii": writer.SetDataModeToAscii, "binary": writer.SetDataModeToBinary}.get(form, writer.SetDataModeToAppended)()
    writer.SetEncodeAppendedData(form == "base64")
    writer.SetCompressorTypeToZLib() if compressed else writer.SetCompressorTypeToNone()
    writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
    writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
    writer.SetBlockSize(block)
    peer.check(writer.Write() == 1, f"VTK could not write {path}")


def read(path):
    reader = vtkXMLPolyDataReader()
    faults = []
    reader.AddObserver("ErrorEvent", lambda *_: faults.append(1))
    reader.AddObserver("WarningEvent", lambda *_: faults.append(1))
    reader.SetFileName(path)
    reader.Update()
    peer.check(not faults, f"VTK could not read {path}")
    return reader.GetOutput()


def compare(columns, arrays, words, what):
    """The columns of a CSV by scree with the arrays of VTK."""
    ends = {1: [""], 2: ["_x", "_y"], 3: ["_x", "_y", "_z"]}
    seen = 4
    for axis, name in enumerate("xyz"):
        same(columns[name], arrays["Points"][:, axis].astype("float64"), f"{what}: {name}")
    for name, values in arrays.items():
        if name in ("Points", "diameter"):
            continue
        values = values[:, None] if values.ndim == 1 else values
        count = values.shape[1]
        for k, end in enumerate(ends.get(count, [f"_{k}" for k in range(count)])):
            column = columns["r" if name == "radius" else name + end]
            same(column, values[:, k].astype("float64") if values.dtype.kind == "f" else values[:, k], f"{what}: {name}{end}")
            seen += name != "radius"
    peer.check(list(columns["text"]) == list(words), f"{what}: the words differ")
    peer.check(len(columns) == seen + 1, f"{what}: columns {list(columns)}")


def from_vtk(program, folder, n, seed):
    """Every mode of VTK's writer."""
    arrays = example(n, seed)
    words = [WORDS[k % len(WORDS)] for k in range(n)]
    data = poly_data(arrays, words)
    path, out = os.path.join(folder, "theirs.vtp"), os.path.join(folder, "ours.csv")
    modes = list(itertools.product(("ascii", "binary", "raw", "base64"), (False, True), (False, True), (False, True)))
    for form, compressed, wide, big in modes:
        write(path, data, form, compressed, wide, big, 1000 * 8)
        peer.convert(program, path, out)
        name = f"{form}, {'zlib' if compressed else 'plain'}, UInt{64 if wide else 32}, {'big' if big else 'little'} endian"
        compare(read_csv(out), arrays, words, name)
    print(f"VTK -> scree: {len(modes)} modes, {n} points, {len(arrays) + 1} arrays, all alike", flush=True)


def arrays_of(data):
    arrays = {"Points": vtk_to_numpy(data.GetPoints().GetData())}
    for k in range(data.GetPointData().GetNumberOfArrays()):
        array = data.GetPointData().GetArray(k)
        if array is not None:  # words are no such array
            arrays[array.GetName()] = vtk_to_numpy(array)
    return arrays


def words_of(data, name):
    text = data.GetPointData().GetAbstractArray(name)
    return [text.GetValue(k) for k in range(text.GetNumberOfValues())]


def to_vtk(program, folder, n, dim, seed):
    """What scree makes of a CSV, read by VTK; written again by VTK, read by scree."""
    rng = np.random.default_rng(seed)
    x, r, v = rng.standard_normal((n, dim)) * 1e-3, rng.random(n), rng.standard_normal((n, 3))
    number = rng.integers(-2**63, 2**63 - 1, n, endpoint=True)
    words = [WORDS[k % len(WORDS)] for k in range(n)]
    source, path, back = (os.path.join(folder, name) for name in ("in.csv", "ours.vtp", "back.csv"))
    with open(source, "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["x", "y", "z"][:dim] + ["r", "id", "v_x", "v_y", "v_z", "text"])
        rows.writerows([*map(repr, x[k].tolist()), repr(float(r[k])), int(number[k]), *map(repr, v[k].tolist()), words[k]]
                       for k in range(n))
    peer.convert(program, source, path)
    data = read(path)
    arrays = arrays_of(data)
    what = f"scree -> VTK, {dim}D"
    peer.check(data.GetNumberOfPoints() == n and data.GetNumberOfVerts() == n, f"{what}: {data.GetNumberOfPoints()} points, "
               f"{data.GetNumberOfVerts()} vertices, not {n}")
    if n:
        peer.check(data.GetCell(n - 1).GetPointId(0) == n - 1, f"{what}: the last vertex is not the last point")
    wanted = {"Points": np.hstack([x, np.zeros((n, 3 - dim))]), "radius": r, "diameter": 2 * r, "id": number, "v": v}
    for name, values in wanted.items():
        # A CSV without rows does not show the kinds of its columns.
        peer.check((n == 0 or arrays[name].dtype == values.dtype) and arrays[name].tobytes() == values.tobytes(),
                   f"{what}: {name} differs")
    peer.check(n == 0 or words_of(data, "text") == words, f"{what}: the words differ")
    dim_mark = vtk_to_numpy(data.GetFieldData().GetArray("scree_dim"))
    peer.check(dim_mark.tolist() == [dim], f"{what}: scree_dim is {dim_mark}")
    # And back over VTK: the marks, the diameter and all bits survive.
    peer.convert(program, path, back)
    for form, compressed in (("ascii", False), ("raw", True)):
        again, last = os.path.join(folder, "again.vtp"), os.path.join(folder, "last.csv")
        write(again, data, form, compressed, False, False, 32768)
        peer.convert(program, again, last)
        with open(back, "rb") as one, open(last, "rb") as two:
            peer.check(one.read() == two.read(), f"{what}, and back as {form}: the CSV differs")
    print(f"{what}: n {n}, {len(wanted) + 1} arrays, all alike; and back over VTK", flush=True)


def work(program, folder, largest):
    from_vtk(program, folder, 500, 1)
    from_vtk(program, folder, 0, 2)
    to_vtk(program, folder, 0, 3, 3)
    to_vtk(program, folder, 1000, 2, 4)
    to_vtk(program, folder, largest, 3, 5)


if __name__ == "__main__":
    peer.main(100_000, work)
