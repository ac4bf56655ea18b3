"""Polygons between scree and VTK, the library inside ParaView.

What scree writes VTK reads: as many polygons, with data of the cells; its triangles of the non-convex ones have the polygons' area, so it shows what is
meant. Written again by VTK, as text, in base64 and appended, with and without zlib, scree reads the same bits.

usage: vtk_outlines.py RUN_OUTLINES
"""
import os
import subprocess
import sys
import tempfile

import peer

try:
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkFiltersCore import vtkTriangleFilter
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLPolyDataWriter
except ImportError as error:
    peer.missing("VTK", error)


def run(program, *words):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    peer.check(done.returncode == 0, f"{' '.join(words)} gave {done.returncode}: {done.stderr}")
    return done.stdout


def areas(data):
    """Of each polygon, by the sum over its sides."""
    x, y = vtk_to_numpy(data.GetPoints().GetData()).T[:2]
    corners, ends = (vtk_to_numpy(part) for part in (data.GetPolys().GetConnectivityArray(), data.GetPolys().GetOffsetsArray()))
    found = []
    for begin, end in zip(ends, ends[1:]):
        k = corners[begin:end]
        found.append(0.5 * abs(np.sum(x[k] * np.roll(y[k], -1) - np.roll(x[k], -1) * y[k])))
    return np.array(found)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        ours, again = (os.path.join(folder, name) for name in ("ours.vtp", "again.vtp"))
        run(program, "make", ours)
        reported = run(program, "tell", ours)
        reader = vtkXMLPolyDataReader()
        reader.SetFileName(ours)
        reader.Update()
        data = reader.GetOutput()
        cells = data.GetCellData()
        names = sorted(cells.GetArrayName(k) for k in range(cells.GetNumberOfArrays()))
        peer.check(data.GetNumberOfPolys() == 60, f"VTK sees {data.GetNumberOfPolys()} polygons, not 60")
        peer.check(names == sorted(["angle", "centre", "disc", "fixed", "id", "radius", "spin", "velocity"]), f"VTK sees the arrays {names}")
        peer.check(vtk_to_numpy(cells.GetArray("id")).tolist() == list(range(60)), "the ids differ")
        discs = vtk_to_numpy(cells.GetArray("disc"))
        peer.check(discs.sum() == 9 and reported.count("disc ") == 9, f"{discs.sum()} discs, not 9")
        triangles = vtkTriangleFilter()
        triangles.SetInputData(data)
        triangles.Update()
        whole, parts = areas(data), areas(triangles.GetOutput())
        peer.check(abs(whole.sum() - parts.sum()) < 1e-12 * whole.sum(), f"VTK's triangles cover {parts.sum()}, the polygons {whole.sum()}")
        forms = 0
        for mode in ("SetDataModeToAscii", "SetDataModeToBinary", "SetDataModeToAppended"):
            for compressed in (True, False):
                writer = vtkXMLPolyDataWriter()
                writer.SetFileName(again)
                writer.SetInputData(data)
                getattr(writer, mode)()
                if not compressed:
                    writer.SetCompressorTypeToNone()
                else:
                    writer.SetCompressorTypeToZLib()
                peer.check(writer.Write() == 1, f"VTK cannot write {mode}")
                peer.check(run(program, "tell", again) == reported, f"{mode}, compressed {compressed}: scree reads something else")
                forms += 1
        print(f"60 bodies, {len(names)} arrays, area of {len(parts)} triangles alike; the same bits back in {forms} forms")


if __name__ == "__main__":
    main()
