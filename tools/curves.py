"""Figures for the pages about benchmarks: curves drawn by tests/peers/draw_curves."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("SCREE_LIBRARY_DIR", os.path.join(ROOT, "build"))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import required  # noqa: E402


def ready(path):
    """Before the work: whether curves can be drawn into this file, if there is one."""
    if path:
        required.test_program(BUILD, "draw_curves")


def draw(path, title, x_label, y_label, y_range, curves, x_log=False):
    """Draws `curves`, each (style, name, x, y) with a style of curve, dashes, points or hollow, into a PNG or SVG file. Points outside of y_range are left out. `x_log`: a logarithmic x axis."""
    low, high = y_range
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "curves.txt")
        with open(source, "w") as text:
            text.write(f"{title}\n{x_label}\n{y_label}\n{low:.6g} {high:.6g}{' log' if x_log else ''}\n")
            for style, name, x, y in curves:
                text.write(f"{style} {name}\n" + "".join(f"{a!r} {b!r}\n" for a, b in zip(map(float, x), map(float, y)) if low <= b <= high) + "\n")
        program = os.path.join(BUILD, "tests/peers/draw_curves")
        subprocess.run([program, source, path], check=True)
