"""What docs/view.md promises of ParaView, by VTK, the library inside it: spheres of true sizes in true places.

Glyph: a sphere of diameter 1 scaled by the array `diameter` fills the spheres' bounds. Point Gaussian: points scaled by `radius` with
the shader of ParaView's preset Sphere, drawn on a screen that is not there (Xvfb), light the right pixels.

usage: vtk_view.py PROGRAM
"""
import os
import shutil
import subprocess
import sys
import tempfile

import peer

try:
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkFiltersCore import vtkGlyph3D
    from vtkmodules.vtkFiltersSources import vtkSphereSource
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
    from vtkmodules.vtkRenderingCore import vtkActor, vtkPointGaussianMapper, vtkRenderer, vtkRenderWindow, vtkWindowToImageFilter
    import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  what draws
except ImportError as error:
    peer.missing("VTK", error)

SPHERES = [(0.0, 0.0, 0.0, 1.0), (3.0, 0.5, 0.2, 0.5), (1.0, -1.5, 0.0, 0.25)]
SHADER = """//VTK::Color::Impl
if (dot(offsetVCVSOutput.xy, offsetVCVSOutput.xy) > 1.0) discard;
"""


def read(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    return reader


def glyphs(path):
    reader, sphere, glyph = read(path), vtkSphereSource(), vtkGlyph3D()
    sphere.SetRadius(0.5)
    sphere.SetThetaResolution(64)
    sphere.SetPhiResolution(65)
    glyph.SetInputConnection(reader.GetOutputPort())
    glyph.SetSourceConnection(sphere.GetOutputPort())
    glyph.SetInputArrayToProcess(0, 0, 0, 0, "diameter")
    glyph.SetScaleModeToScaleByScalar()
    glyph.SetScaleFactor(1.0)
    glyph.Update()
    bounds = glyph.GetOutput().GetBounds()
    wanted = [side(s[k] + sign * s[3] for s in SPHERES) for k in range(3) for side, sign in ((min, -1), (max, 1))]
    peer.check(np.allclose(bounds, wanted, atol=1e-6), f"glyphs fill {bounds}, the spheres {wanted}")
    print("glyphs by diameter: bounds as they should be")


def points(path):
    """Draws from above, 100 pixels to a length of 1, and compares every pixel but those on rims."""
    reader, mapper, actor = read(path), vtkPointGaussianMapper(), vtkActor()
    mapper.SetInputConnection(reader.GetOutputPort())
    mapper.SetScaleArray("radius")
    mapper.SetScaleFactor(1.0)
    mapper.ScalarVisibilityOff()
    mapper.EmissiveOff()
    mapper.SetSplatShaderCode(SHADER)
    actor.SetMapper(mapper)
    renderer, window = vtkRenderer(), vtkRenderWindow()
    renderer.AddActor(actor)
    renderer.SetBackground(0, 0, 0)
    window.SetOffScreenRendering(1)
    window.SetSize(500, 500)
    window.AddRenderer(renderer)
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(1.5, 0, 0)
    camera.SetPosition(1.5, 0, 10)
    camera.SetParallelScale(2.5)
    renderer.ResetCameraClippingRange()
    window.Render()
    grab = vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    lit = vtk_to_numpy(grab.GetOutput().GetPointData().GetScalars()).reshape(500, 500, 3).max(axis=2) > 0
    y, x = np.mgrid[0:500, 0:500]
    x, y = (x + 0.5) / 100 - 1.0, (y + 0.5) / 100 - 2.5
    depth = np.max([r - np.hypot(x - a, y - b) for a, b, _, r in SPHERES], axis=0)
    wrong = (np.abs(depth) > 0.015) & (lit != (depth > 0))
    peer.check(not wrong.any(), f"points by radius: {wrong.sum()} pixels are wrong of {lit.sum()} that are lit")
    print(f"points by radius: {lit.sum()} pixels lit, as they should be")


def main():
    program = os.path.abspath(sys.argv[1])
    if sys.argv[2:]:  # the second half, in a process that has the screen
        points(sys.argv[2])
        return
    if shutil.which("Xvfb") is None:
        peer.missing("VTK", "no command Xvfb to draw on")
    with tempfile.TemporaryDirectory() as folder:
        csv, path = os.path.join(folder, "spheres.csv"), os.path.join(folder, "spheres.vtp")
        with open(csv, "w") as out:
            out.write("x,y,z,r\n")
            out.writelines(",".join(map(repr, row)) + "\n" for row in SPHERES)
        peer.convert(program, csv, path)
        glyphs(path)
        screen = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "800x800x24", "-nolisten", "tcp"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        try:
            display = screen.stdout.readline().strip()
            peer.check(display.isdigit(), "Xvfb does not start")
            done = subprocess.run([sys.executable, "-B", __file__, program, path], env=dict(os.environ, DISPLAY=f":{display}"), timeout=300)
            peer.check(done.returncode == 0, f"drawing gave {done.returncode}")
        finally:
            screen.terminate()
            screen.wait()


if __name__ == "__main__":
    main()
