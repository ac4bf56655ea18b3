#!/usr/bin/env python3
"""forces.py SCREE [FOLDER]: force chains, walls and surfaces in the page of `scree view --forces`, in headless Chromium. Colours at places that are known: between two spheres there
is a rod, also through a periodic face; a switch takes it away. FOLDER keeps pages and screenshots."""
import pathlib
import subprocess
import sys
import tempfile

import needs

SCREE = sys.argv[1]
folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()).resolve()
folder.mkdir(exist_ok=True)


def check(fine, what):
    if not fine:
        raise AssertionError(what)


def make_run(name, dim, rows, contacts, length):
    """A folder like that of a run: one frame, with its contacts."""
    run = folder / name
    for sub in ("frames", "contacts"):
        (run / sub).mkdir(parents=True, exist_ok=True)
    (run / "frames" / "frame_000000.csv").write_text(("x,y,z,r\n" if dim == 3 else "x,y,r\n") + "".join(rows))
    (run / "contacts" / "contacts_000000.csv").write_text("i,j,overlap,nx,ny,nz,fx,fy,fz,sx,sy,sz\n" + "".join(contacts))
    box = ",".join([str(length)] * dim)
    subprocess.run([SCREE, "view", run, "-o", folder / (name + ".html"), "--forces", "--box", box, "--periodic", "x", "-q"], check=True)


browser = needs.browser(needs.SOFTWARE_WEBGL, folder)
browser.set_script_timeout(60)


def open_page(name):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 800, "height": 600, "deviceScaleFactor": 1, "mobile": False})
    browser.get((folder / (name + ".html")).as_uri())
    browser.execute_async_script("const done = arguments[0]; scree.ready.then(() => { scree.draw(); done(1); }, (error) => done(String(error)));")


def place(point):
    """Where a place of the scene is on the canvas."""
    x, y = browser.execute_script("const p = arguments[0].map((x, k) => (x - scree.scene.middle[k]) / scree.scene.size);"
                                  "const at = scree.camera.project([p[0], p[1], p[2] || 0], 800, 600); return [at[0], at[1]];", point)
    return round(x), round(y)


def colour(point):
    """What the canvas shows there, as (r, g, b)."""
    return browser.execute_script("scree.draw(); const copy = document.createElement('canvas'); copy.width = copy.height = 1; const to = copy.getContext('2d');"
                                  "to.drawImage(document.getElementById('view'), -arguments[0], -arguments[1]); return [...to.getImageData(0, 0, 1, 1).data].slice(0, 3);", *place(point))


def keep(name):
    if len(sys.argv) > 2:
        browser.save_screenshot(str(folder / (name + ".png")))


def is_rod(rgb):  # the upper end of the map ember is pale yellow
    return rgb[0] > 120 and rgb[2] < rgb[0] - 30


# 1 <-> 2 inside, 2 <-> 3 through the face; the forces are the same, so that all rods are of the upper end of the map.
rows = ["2,5,5,1\n", "4.5,5,5,1\n", "9,5,5,1\n"]
contacts = ["0,1,0.1,-1,0,0,-2,0,0,0,0,0\n", "0,2,0.1,1,0,0,2,0,0,-1,0,0\n"]
make_run("three", 3, rows, contacts, 10)
open_page("three")
inside, across, outside, corner = [3.3, 5, 5], [0.6, 5, 5], [-0.8, 5, 5], [5, 9.5, 5]
check(is_rod(colour(inside)), f"no rod between the spheres: {colour(inside)}")
check(is_rod(colour(across)), f"no rod from the face: {colour(across)}")
check(not is_rod(colour(outside)), "a rod beyond the face")
keep("three")
browser.execute_script("document.getElementById('forces').click()")
check(not is_rod(colour(inside)), "a rod after the switch")
before = colour(corner)
browser.execute_script("document.getElementById('walls').click()")
after = colour(corner)
check(sum(after) < sum(before), f"walls change nothing: {before} {after}")
keep("three-walls")

# A surface beside the frame is drawn too: a plate across the corner that was empty.
plate = "".join(f"{x} {y} {z} " for x, y, z in ((3, 8.5, 5), (7, 8.5, 5), (7, 9.9, 5), (3, 9.9, 5)))
(folder / "three" / "surfaces").mkdir(exist_ok=True)
(folder / "three" / "surfaces" / "surfaces_000000.vtp").write_text(
    '<?xml version="1.0"?><VTKFile type="PolyData" version="1.0" byte_order="LittleEndian"><PolyData><Piece NumberOfPoints="4" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0" '
    f'NumberOfPolys="1"><Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">{plate}</DataArray></Points><Polys><DataArray type="Int64" Name="connectivity" '
    'format="ascii">0 1 2 3</DataArray><DataArray type="Int64" Name="offsets" format="ascii">4</DataArray></Polys></Piece></PolyData></VTKFile>')
make_run("three", 3, rows, contacts, 10)
open_page("three")
check(sum(colour(corner)) < sum(before), f"no surface: {before} {colour(corner)}")
keep("three-surface")

make_run("two", 2, [row.replace(",5,5,", ",5,") for row in rows], contacts, 10)
open_page("two")
check(is_rod(colour([2.2, 5])) and is_rod(colour([0.5, 5])), "no rods above the discs")
keep("two")
check([entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == [], "the console has errors")
browser.quit()
print("all checks passed")
