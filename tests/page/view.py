#!/usr/bin/env python3
"""view.py SCREE [FOLDER]: the pages of `scree view` in headless Chromium. What is seen is compared with rays cast here, in double precision,
through a camera written down a second time; of polygons, with points in polygons. FOLDER keeps pages and screenshots."""
import base64
import csv
import math
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import needs

try:
    import numpy as np
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError as missing:
    needs.skip(missing)

SCREE = sys.argv[1]
kept = len(sys.argv) > 2
folder = pathlib.Path(sys.argv[2] if kept else tempfile.mkdtemp()).resolve()
folder.mkdir(exist_ok=True)
LIGHT = np.array([-0.4, 0.5, math.sqrt(0.59)])  # as docs/view.md says
FIELD = math.radians(20)


def check(fine, what):
    if not fine:
        raise AssertionError(what)


def scree(*words):
    done = subprocess.run([SCREE, *map(str, words)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    check(done.returncode == 0, f"scree {words}: {done.stderr}")


# ---- The browser -----------------------------------------------------------------------------------------------------------

browser = needs.browser(needs.SOFTWARE_WEBGL, folder)
browser.set_script_timeout(60)


def window(width, height):  # of the page itself
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 640})


def js(code, *values):
    return browser.execute_script(code, *values)


def wait_until(fine, what, seconds=20):
    end = time.monotonic() + seconds
    while not fine():
        check(time.monotonic() < end, f"waited in vain for {what}")
        time.sleep(0.01)


def wait_for(code, what):
    wait_until(lambda: js("return " + code), f"{what}: {code}")


def frames_drawn(count=2):
    """Waits until the browser has drawn this often: after two, what was changed before is on the screen."""
    browser.execute_async_script("const done = arguments[1]; let left = arguments[0]; const next = () => { left-- > 0 ? requestAnimationFrame(next) : done() }; next()", count)


def open_page(name, width=600, height=400):
    window(width, height)
    browser.get((folder / name).as_uri())
    answer = browser.execute_async_script("const done = arguments[0]; scree.ready.then(() => done(''), (e) => done(String(e)))")
    check(answer == "", f"{name}: {answer}")
    check(js("return document.getElementById('message').textContent") == "", "a message is shown")


def quiet():  # no errors, nothing fetched
    logs = [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    check(not [entry for entry in logs if "GPU stall" not in entry["message"]], f"the console says {logs}")
    check(js("return performance.getEntriesByType('resource').length") == 0, "the page fetched something")


def seen(step):
    """The number of the body at every step-th pixel, -1 if none. As one string: the driver takes long for arrays."""
    return np.array(js("return Array.from(scree.seen(arguments[0])).join(' ')", step).split(), int)


def move(slider, value):
    js("const e = document.getElementById(arguments[0]); e.value = arguments[1];"
       "for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, { bubbles: true }))", slider, value)


def tick(box, on):
    if js("return document.getElementById(arguments[0]).checked", box) != on:
        js("document.getElementById(arguments[0]).click()", box)


def click_at(x, y):
    ActionChains(browser).move_to_element_with_offset(browser.find_element(By.ID, "view"), round(x) - js("return innerWidth") // 2,
                                                      round(y) - js("return innerHeight") // 2).click().perform()
    frames_drawn()


def fingers(on):
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": on, "maxTouchPoints": 2} if on else {"enabled": False})


def touch(kind, *points):
    places = [{"x": float(x), "y": float(y), "id": k} for k, (x, y) in enumerate(points)]
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})


def screenshot():
    js("scree.draw()")
    frames_drawn()
    return base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})["data"])


def keep_picture(name):
    if kept:
        (folder / name).write_bytes(screenshot())


def picture(name=None):
    """A screenshot as an array (height, width, 3): the PNG read here, 8 bits, not interlaced."""
    data = screenshot()
    if name and kept:
        (folder / name).write_bytes(data)
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    check(depth == 8 and kind in (2, 6), "another kind of PNG")
    at, packed = 8, b""
    while at < len(data):
        size, tag = struct.unpack(">I4s", data[at:at + 8])
        if tag == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    n = 3 if kind == 2 else 4
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + n * width)
    out = np.zeros((height, width * n), np.uint8)
    for y in range(height):
        row, above, way = rows[y, 1:].astype(int), out[y - 1].astype(int) if y else np.zeros(width * n, int), rows[y, 0]
        if way == 0 or way == 2:
            out[y] = (row + (above if way == 2 else 0)) & 255
            continue
        if way == 1:
            out[y] = (np.cumsum(row.reshape(width, n), axis=0) & 255).ravel()
            continue
        for i in range(width * n):
            left, corner = (int(out[y, i - n]), int(above[i - n])) if i >= n else (0, 0)
            p = left + int(above[i]) - corner
            near = min((abs(p - left), 0, left), (abs(p - int(above[i])), 1, int(above[i])), (abs(p - corner), 2, corner))[2]
            out[y, i] = (int(row[i]) + {3: (left + int(above[i])) // 2, 4: near}[int(way)]) & 255
    return out.reshape(height, width, n)[:, :, :3]


def bare():
    js("for (const e of document.body.children) if (e.id !== 'view') e.style.visibility = 'hidden'")


# ---- The second camera -----------------------------------------------------------------------------------------------------

class Eye:
    def __init__(self, lower, upper, width, height, azimuth=-60.0, elevation=30.0, perspective=True, flat=False, zoom=1.0, target=None, room=None):
        self.lower, self.upper = np.array(lower, float), np.array(upper, float)
        self.middle, self.width, self.height, self.perspective = (self.lower + self.upper) / 2, width, height, perspective and not flat
        a, e = math.radians(azimuth), math.radians(elevation)
        self.right = np.array([-math.sin(a), math.cos(a), 0])
        self.back = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
        self.up = np.cross(self.back, self.right)
        half = (self.upper - self.lower) / 2
        self.tall = 1.02 * np.linalg.norm(half) / min(1, width / height)  # half of what is seen at the middle
        self.centre = [width / 2, height / 2]  # where the middle is seen
        if flat:  # fitted into the room that is left free
            left, top, right, bottom = room
            self.right, self.up, self.back = np.eye(3)
            self.tall = 1.06 * max(half[1] * height / (bottom - top), half[0] * height / (right - left))
            self.centre = [(left + right) / 2, (top + bottom) / 2]
        self.tall /= zoom
        self.middle = self.middle if target is None else np.array(target, float)
        self.distance = self.tall / math.sin(FIELD / 2)

    def pixel(self, p):
        d = np.asarray(p, float) - self.middle
        x, y, z = d @ self.right, d @ self.up, d @ self.back
        unit = self.height / 2 / self.tall * (self.distance / (self.distance - z) if self.perspective else 1)
        return np.array([self.centre[0] + unit * x, self.centre[1] - unit * y, unit])

    def plane(self, x, y):
        """Places of a flat scene that are seen at these pixels."""
        unit = self.height / 2 / self.tall
        return self.middle[:2] + np.column_stack([(x - self.centre[0]) / unit, (self.centre[1] - y) / unit])

    def rays(self, x, y):
        u, v = (x - self.width / 2) * self.tall / (self.height / 2), (self.height / 2 - y) * self.tall / (self.height / 2)
        plane = self.middle + u[:, None] * self.right + v[:, None] * self.up
        eye = self.middle + self.distance * self.back
        d = plane - eye if self.perspective else np.broadcast_to(-self.back, plane.shape)
        start = np.broadcast_to(eye, plane.shape) if self.perspective else plane + self.distance * self.back
        return start, d / np.linalg.norm(d, axis=1)[:, None]

    def meets(self, step, x, r, cut=None):
        """Where each ray meets each sphere, INF if not; of solid spheres from which the side sign * (p[axis] - at) > 0 is taken away."""
        py, px = np.mgrid[0:self.height:step, 0:self.width:step]
        start, d = self.rays(px.ravel() + 0.5, self.height - (py.ravel() + 0.5))
        where = np.full((len(r), len(d)), np.inf)
        for i in range(len(r)):
            m = x[i] - start
            b = np.sum(m * d, axis=1)
            rest = r[i] ** 2 - (np.sum(m * m, axis=1) - b * b)
            s = np.sqrt(np.maximum(rest, 0))
            t0, t1 = b - s, b + s
            if cut:
                axis, at, sign = cut
                value, slope = sign * (start[:, axis] - at), sign * d[:, axis]  # kept where value + t slope <= 0
                with np.errstate(divide="ignore", invalid="ignore"):
                    cross = -value / slope
                t0 = np.where(slope < 0, np.maximum(t0, cross), t0)
                t1 = np.where(slope > 0, np.minimum(t1, cross), t1)
            where[i] = np.where((rest > 0) & (t0 < t1), t0, np.inf)
        return where


def same_seen(eye, x, r, what, cut=None, step=5, numbers=None):
    found, where = seen(step), eye.meets(step, x, r, cut)
    numbers = np.arange(len(r)) if numbers is None else numbers  # of the spheres here among all in the page
    check(len(found) == where.shape[1], f"{what}: {len(found)} pixels, not {where.shape[1]}")
    best = where.min(axis=0)
    check(np.mean(np.isfinite(best)) > 0.02, f"{what}: nearly nothing should be seen")
    place = np.searchsorted(numbers, np.maximum(found, 0)).clip(0, len(r) - 1)
    mine = where[place, np.arange(len(found))]
    # As far away as the nearest: two that end in the same cut are both right.
    right = np.where(found < 0, np.isinf(best), (numbers[place] == found) & np.isfinite(mine) & (mine <= best + 1e-5 * eye.distance))
    check(np.mean(~right) < 0.002, f"{what}: {100 * np.mean(~right):.2f} % of the pixels show another sphere")
    print(f"  {what}: {len(found)} rays, {np.sum(~right)} at edges differ")


def near(a, b, within, what):
    check(np.all(np.abs(np.asarray(a, float) - np.asarray(b, float)) <= within), f"{what}: {a}, not {b}")


def write_csv(name, header, rows):
    with open(folder / name, "w", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])


# ---- Cases -----------------------------------------------------------------------------------------------------------------

def few():
    """A sphere at a known place, with a known colour and radius; picking, partners, threshold, cut, keys, screenshot, themes."""
    print("few spheres")
    x, r = np.array([[5, 5, 5], [8, 5, 5], [2, 2, 2], [5, 8.5, 5]], float), np.array([2, 1, 0.5, 0.3])
    write_csv("few.csv", "x,y,z,r,heat,kind", [[*x[i], r[i], 10 * i + 0.25, f"<b>&{i}"] for i in range(4)])
    scree("view", "few.csv", "-o", "few.html", "--box", "10,10,10", "--background", "light", "--title", "a </script><b> title")
    open_page("few.html")
    check(js("return document.title") == "a </script><b> title", "the title")
    palette = np.array([int(v, 16) for v in js("return scree.meta.maps.dusk.match(/../g)")]).reshape(257, 3)
    bare()
    tick("box", False)
    tick("perspective", False)
    move("smallest", 800)  # radii from 0.3 + 0.8 * 1.7 on: the largest alone
    eye, shot = Eye([0] * 3, [10] * 3, 600, 400, perspective=False), picture("one.png")
    cx, cy, unit = eye.pixel(x[0])
    ys, xs = np.nonzero(np.any(shot != 255, axis=2))
    radius = r[0] * unit
    near([xs.min(), xs.max() + 1, ys.min(), ys.max() + 1], [cx - radius, cx + radius, cy - radius, cy + radius], 1.01, "the sphere's edges in pixels")
    near(len(xs), math.pi * radius ** 2, 0.03 * math.pi * radius ** 2 + 2 * math.pi * radius, "its pixels")
    near([xs.mean() + 0.5, ys.mean() + 0.5], [cx, cy], 0.1, "its middle")
    near(shot[int(cy - radius * LIGHT[1]), int(cx + radius * LIGHT[0])], palette[255], 2, "its colour where the light meets it")
    near(shot[int(cy), int(cx)], palette[255] * (0.38 + 0.62 * LIGHT[2]), 4, "its colour in the middle")
    move("map", "ember")
    ember = [int(v, 16) for v in js("return scree.meta.maps.ember.slice(255 * 6, 256 * 6).match(/../g)")]
    near(picture()[int(cy - radius * LIGHT[1]), int(cx + radius * LIGHT[0])], ember, 2, "its colour on another map")
    move("map", "dusk")
    move("smallest", 0)
    move("largest", 300)  # to 0.81: 2 and 3
    check(set(seen(3)) == {-1, 2, 3}, "the upper threshold")
    move("largest", 1000)
    same_seen(eye, x, r, "orthographic")
    tick("perspective", True)
    eye = Eye([0] * 3, [10] * 3, 600, 400)
    same_seen(eye, x, r, "perspective")

    js("scree.camera.target = [-0.3, -0.3, -0.3]; scree.camera.zoom = 25")  # near by, where perspective widens a sphere
    same_seen(Eye([0] * 3, [10] * 3, 600, 400, zoom=25, target=x[2]), x, r, "from near")
    js("scree.camera.reset()")

    # Picking by a click, and who is near: 0 and 1 touch, the others nobody.
    for i, partners in ((1, [0]), (0, [1]), (2, [])):
        px, py, _ = eye.pixel(x[i])
        click_at(px, py)
        wait_for(f"document.getElementById('info-title').textContent === 'Sphere {i}'", f"sphere {i} to be picked")
        rows = dict(js("return [...document.querySelectorAll('#info-table tr')].map((r) => [...r.cells].map((c) => c.textContent))"))
        check(rows["heat"] == f"{10 * i}.25" and rows["kind"] == f"<b>&{i}", f"the data of sphere {i}: {rows}")
        near([float(rows[k]) for k in ("x", "y", "z", "radius")], [*x[i], r[i]], 1e-5, f"place of sphere {i}")
        check([k for k in rows if k.startswith("touches")] == [f"touches {j}" for j in partners], f"partners of {i}: {rows}")
        check(rows["partners"] == str(len(partners)), f"number of partners of {i}: {rows}")
    click_at(*eye.pixel(x[1])[:2])
    wait_for("document.getElementById('info-title').textContent === 'Sphere 1'", "sphere 1")
    shot = picture("chosen.png")
    px, py, unit = eye.pixel(x[2])
    faded = shot[int(py), int(px)]
    check(min(faded) > 180, f"a sphere that is no partner is not faded: {faded}")
    px, py, unit = eye.pixel(x[1])
    near(shot[int(py), int(px)], np.array([0xc2, 0x41, 0x0c]) * (0.38 + 0.62 * LIGHT[2]), 12, "the chosen sphere's colour")
    click_at(300, 395)
    wait_for("document.getElementById('info').hidden", "the choice to end")

    # Colours by a column and by partners.
    names = js("return [...document.getElementById('colour').options].map((o) => o.text)")
    check(names == ["radius", "partners", "x", "y", "z", "heat"], f"to colour by: {names}")
    tick("perspective", False)
    ortho = Eye([0] * 3, [10] * 3, 600, 400, perspective=False)
    for name, tone in (("heat", 20 / 30), ("partners", 0.0), ("z", 0.0)):
        move("colour", names.index(name))
        cx, cy, unit = ortho.pixel(x[2])
        found = picture()[int(cy - unit * r[2] * LIGHT[1]), int(cx + unit * r[2] * LIGHT[0])]
        near(found, palette[round(255 * tone)], 14, f"sphere 2 by {name}")
        check(js("return document.getElementById('legend-name').textContent") == name, "the legend's name")
    ticks = js("return [...document.querySelectorAll('#legend-ticks span')].map((s) => s.textContent)")
    check(ticks[0] == "2" and ticks[-1] == "5", f"the legend's ends: {ticks}")

    # Keys, wheel and drag move the eye.
    tick("perspective", True)
    js("document.getElementById('view').focus()")
    ActionChains(browser).send_keys(Keys.ARROW_LEFT, Keys.ARROW_UP).perform()
    near(js("return [scree.camera.azimuth, scree.camera.elevation]"), [math.radians(-60) + 0.1, math.radians(30) + 0.1], 1e-9, "keys turn")
    same_seen(Eye([0] * 3, [10] * 3, 600, 400, -60 + math.degrees(0.1), 30 + math.degrees(0.1)), x, r, "turned by keys")
    ActionChains(browser).send_keys("+", "r").perform()
    near(js("return [scree.camera.azimuth, scree.camera.zoom]"), [math.radians(-60), 1], 1e-9, "R goes back")
    ActionChains(browser).move_to_element(browser.find_element(By.ID, "view")).click_and_hold().move_by_offset(40, 0).release().perform()
    near(js("return scree.camera.azimuth"), math.radians(-60) - 3 * 40 / 400, 1e-6, "dragging turns")
    check(js("return document.getElementById('info').hidden"), "a drag is no click")
    js("document.getElementById('reset').click()")
    js("document.getElementById('view').dispatchEvent(new WheelEvent('wheel', { deltaY: -200, cancelable: true }))")
    near(js("return scree.camera.zoom"), math.exp(0.2), 1e-9, "the wheel zooms")

    tick("box", True)
    js("document.getElementById('reset').click(); document.getElementById('shot').click()")
    wait_until((folder / "scree.png").exists, "the screenshot button's file")
    data = (folder / "scree.png").read_bytes()
    check(data[:4] == b"\x89PNG" and struct.unpack(">II", data[16:24]) == (600, 400), "the screenshot button's file")
    js("document.getElementById('theme').click()")
    check(tuple(picture("dark.png")[395, 300]) == (0x12, 0x14, 0x18), "the dark background")
    quiet()


def many():
    """Crossing spheres of very different sizes: every pixel shows the sphere that a ray meets first; with cut and threshold too."""
    print("crossing spheres")
    rng = np.random.default_rng(5)
    n, size = 300, np.array([40.0, 20.0, 30.0])
    x, r = 100 + rng.random((n, 3)) * size, np.exp(rng.uniform(np.log(0.1), np.log(6), n))
    lower, upper = np.min(x - r[:, None], axis=0), np.max(x + r[:, None], axis=0)
    write_csv("many.csv", "x,y,z,r", [[*map(repr, map(float, x[i])), repr(float(r[i]))] for i in range(n)])
    scree("view", "many.csv", "-o", "many.html", "--gap", "0.5")
    open_page("many.html")
    eye = Eye(lower, upper, 600, 400)
    same_seen(eye, x, r, "all")
    for axis, share, flip in ((0, 0.6, False), (1, 0.5, True), (2, 0.4, False)):
        move("cut-axis", axis)
        check(js("return document.getElementById('cut-flip').checked") == (eye.back[axis] < 0), "at first the side at the eye goes")
        move("cut", 1000 * share)
        tick("cut-flip", flip)
        same_seen(eye, x, r, f"cut at {'xyz'[axis]}{', other side' if flip else ''}",
                  (axis, lower[axis] + share * (upper[axis] - lower[axis]), -1 if flip else 1))
    keep_picture("cut.png")
    move("cut-axis", -1)
    move("smallest", 500)
    shown = r >= r.min() * (r.max() / r.min()) ** 0.5
    same_seen(eye, x[shown], r[shown], "from a radius on", numbers=np.flatnonzero(shown))
    gaps = np.linalg.norm(x[:, None] - x[None], axis=2) - r[:, None] - r[None]
    for i in (3, 77, 200):
        browser.execute_async_script("scree.choose(arguments[0]).then(arguments[1])", i)
        rows = js("return [...document.querySelectorAll('#info-table tr')].map((r) => r.cells[0].textContent)")
        wanted = sorted(j for j in range(n) if j != i and gaps[i, j] < 0.5)
        check(sorted(int(k[8:]) for k in rows if k.startswith("touches ")) == wanted, f"partners of {i}")
    quiet()


def periodic():
    """Partners through the faces of a small periodic box, images and all."""
    for side in (4, 40):
        write_csv("cell.csv", "x,y,z,r", [[0.5, 2, 2, 1], [side - 0.4, 2, 2, 1], [2, 2, 0.3, 0.6]])
        scree("view", "cell.csv", "-o", "cell.html", "--box", f"{side},{side},{side}", "--periodic", "xyz", "--gap", "0.05")
        open_page("cell.html")
        browser.execute_async_script("scree.choose(0).then(arguments[0])")
        rows = js("return [...document.querySelectorAll('#info-table tr')].map((r) => r.cells[0].textContent)")
        check([k for k in rows if k.startswith("touches")] == ["touches 1"], f"a partner through the face: {rows}")
        quiet()


def tilted():
    """Partners through the faces of tilted boxes, names and gaps: against all images. In the second box each sphere touches several images of others and of itself."""
    rng = np.random.default_rng(5)
    for size, tilt, n in (((10.0, 9.0, 8.0), (3.0, -2.5, 4.0), 60), ((1.9, 1.8, 1.7), (0.9, 0.8, -0.8), 8)):
        edges = np.array([[size[0], 0, 0], [tilt[0], size[1], 0], [tilt[1], tilt[2], size[2]]])
        x = rng.random((n, 3)) * size
        lattice = " ".join(f"{v:.17g}" for v in edges.ravel())
        lines = [f"{p[0]:.17g} {p[1]:.17g} {p[2]:.17g} 0.9" for p in x]
        (folder / "tilted.xyz").write_text("\n".join([str(n), f'Lattice="{lattice}" Properties=pos:R:3:radius:R:1 pbc="T T T"', *lines]) + "\n")
        scree("view", "tilted.xyz", "-o", "tilted.html", "--gap", "0.05")
        open_page("tilted.html")
        turns = np.array([(a, b, c) for a in range(-5, 6) for b in range(-4, 5) for c in range(-4, 5)])
        far = np.linalg.norm(x[None, :, None] + turns @ edges - x[:, None, None], axis=3)  # [i, j, image]
        near = (far < 1.85) & (far > 1e-9)
        through = np.flatnonzero(near[:, :, np.any(turns != 0, axis=1)].any(axis=(1, 2)))
        check(len(through) >= min(n, 10), f"{len(through)} spheres touch others through a face")
        for i in through[:4].tolist():
            browser.execute_async_script("scree.choose(arguments[0]).then(arguments[1])", i)
            rows = js("return [...document.querySelectorAll('#info-table tr')].map((r) => [r.cells[0].textContent, r.cells[1].textContent])")
            found = sorted((float(gap[4:].replace("\u2212", "-")), int(name[8:])) for name, gap in rows if name.startswith("touches "))
            wanted = sorted((far[i, j, k] - 1.8, j) for j, k in np.argwhere(near[i]).tolist())
            check(sorted(j for _, j in found) == sorted(j for _, j in wanted), f"partners of {i} in a tilted box: {rows}, {wanted}")
            near_to = max(abs(a - b) for (a, _), (b, _) in zip(found, wanted, strict=True))
            check(near_to < 0.01, f"gaps of {i} in a tilted box: {found}, {wanted}")
    quiet()


def discs():
    print("discs")
    x, r = np.array([[1, 1, 0], [4, 2, 0], [6.5, 3, 0]]), np.array([1, 0.5, 1])
    write_csv("discs.csv", "x,y,r,v", [[*x[i][:2], r[i], i] for i in range(3)])
    scree("view", "discs.csv", "-o", "discs.html", "--box", "8,4", "--colour-by", "v", "--background", "light")
    open_page("discs.html")
    bare()
    eye, shot = flat_eye([0, 0], [8, 4], 600, 400), picture("discs.png")
    palette = np.array([int(v, 16) for v in js("return scree.meta.maps.dusk.match(/../g)")]).reshape(257, 3)
    for i in range(3):
        cx, cy, unit = eye.pixel(x[i])
        near(shot[int(cy), int(cx)], palette[round(127.5 * i)], 2, f"disc {i}")
        for dx, inside in ((0.95, True), (1.05, False)):
            white = np.all(shot[int(cy), int(cx + dx * unit * r[i])] == 255)
            check(white != inside, f"disc {i} at {dx} radii")
        click_at(cx, cy)
        wait_for(f"document.getElementById('info-title').textContent === 'Disc {i}'", f"disc {i} to be picked")
    cx, cy, _ = eye.pixel([0, 0, 0])
    check(np.any(shot[int(cy) - 2:int(cy) + 3, 300] < 128), "the box is not drawn")
    quiet()
    round_discs = [{"disc": radius, "centre": np.array(p)} for radius, p in ((1.0, [0.5, 3.5]), (0.5, [4.0, 2.0]), (1.2, [7.5, 1.0]))]
    write_csv("torus.csv", "x,y,r", [[*b["centre"], b["disc"]] for b in round_discs])
    scree("view", "torus.csv", "-o", "torus.html", "--box", "8,4", "--periodic", "xy")
    open_page("torus.html")
    lower, upper = js("return [scree.meta.frames[0].lower, scree.meta.frames[0].upper]")
    near([*lower, *upper], [-1.7, -1.5, 9.5, 6.2], 1e-9, "how far images reach")
    same_bodies(flat_eye(lower, upper, 600, 400), round_discs, "discs in a periodic box", shifts=[(8 * a, 4 * b) for a in (-1, 0, 1) for b in (-1, 0, 1)],
                where=lambda x: np.all((x > 0) & (x < [8, 4]), axis=1))
    quiet()


def runs():
    print("a run")
    (folder / "fall.yaml").write_text("""dimension: 3
box: {size: [1, 1, 2], periodic: []}
gravity: [0, 0, -9.81]
spheres: {count: 40, sizes: "uniform-size:0.05:0.1", place: random, material_density: 1000, velocity: zero}
contact: {law: linear, stiffness: 1e5, restitution: 0.7}
time: {step: auto, end: 0.3}
output: {every: 0.05, formats: [vtp, csv]}
seed: 3
""")
    shutil.rmtree(folder / "fall", ignore_errors=True)
    scree("run", "fall.yaml", "-o", "fall", "--quiet")
    scree("view", "fall", "-o", "fall.html", "--colour-by", "velocity")
    scree("view", "fall/frames.pvd", "-o", "list.html", "--colour-by", "velocity", "--title", "fall")
    check((folder / "fall.html").read_bytes() == (folder / "list.html").read_bytes(), "the folder and its list give different pages")
    open_page("fall.html", 800, 600)
    check(js("return scree.meta.frames.length") == 7 and not js("return document.getElementById('time').hidden"), "seven frames with a slider")
    for f in (6, 2, 0):
        move("frame", f)
        wait_for(f"scree.state.number === {f}", f"frame {f}")
        rows = list(csv.DictReader(open(folder / "fall" / "frames" / f"frame_{f:06d}.csv")))
        wanted = np.array([[float(row[k]) for k in "xyz"] for row in rows])
        size, middle = js("return [scree.scene.size, scree.scene.middle]")
        found = np.array(js("return [...scree.state.frame.place]")).reshape(-1, 3) * size + middle
        near(found, wanted, 1e-6, f"places in frame {f}")  # a tenth of what is promised
        shown = js("return document.getElementById('time-value').textContent")
        check(shown.startswith("t = ") and abs(float(shown[4:]) - 0.05 * f) < 1e-3, f"the time of frame {f}: {shown}")
    keep_picture("run.png")
    blocks = js("return scree.meta.frames.map((f) => f.arrays.find((a) => a.name === 'radius').block)")
    check(len(set(blocks)) == 1, "radii are stored again and again")
    js("window.numbers = new Set(); window.timer = setInterval(() => numbers.add(scree.state.number), 5); document.getElementById('play').click()")
    wait_for("numbers.size === 7", "all frames to be played")
    js("clearInterval(timer); document.getElementById('play').click()")
    frames_drawn()
    stopped = js("return scree.state.number")
    frames_drawn(20)
    check(js("return scree.state.number") == stopped, "it plays on")
    quiet()

    # On a phone everything is inside the window, nothing lies over the legend, and the panel waits behind its button.
    open_page("fall.html", 390, 844)
    check(js("return document.getElementById('panel').hidden"), "the panel covers a phone")
    js("document.getElementById('theme').click()")
    keep_picture("phone.png")
    places = js("return ['legend', 'time', 'menu'].map((id) => { const b = document.getElementById(id).getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom] })")
    for left, top, right, bottom in places:
        check(left >= 0 and top >= 0 and right <= 390 and bottom <= 844, f"outside of a phone's window: {places}")
    check(places[1][3] <= places[0][1], f"time and legend overlap: {places}")
    js("document.getElementById('menu').click()")
    check(js("return document.getElementById('panel').getBoundingClientRect().right <= 390"), "the panel is wider than a phone")
    keep_picture("phone-panel.png")
    js("document.getElementById('menu').click()")
    fingers(True)
    touch("touchStart", (150, 400))
    touch("touchMove", (192, 400))
    touch("touchEnd")
    near(js("return scree.camera.azimuth"), math.radians(-60) - 3 * 42 / 844, 1e-6, "one finger turns")
    touch("touchStart", (150, 400), (250, 400))
    touch("touchMove", (150, 450), (250, 450))
    touch("touchEnd")
    check(js("return Math.hypot(...scree.camera.target)") > 0.01 and abs(js("return scree.camera.zoom") - 1) < 0.2, "two fingers move")
    fingers(False)
    quiet()


# ---- Polygons --------------------------------------------------------------------------------------------------------------

def room():
    """What is free between title, settings, legend and time: (left, top, right, bottom) in pixels."""
    return js("""const rect = (id) => document.getElementById(id).getBoundingClientRect(), shown = (id) => !document.getElementById(id).hidden;
        return [0, rect('menu').bottom, innerWidth > 640 && shown('panel') ? rect('panel').left : innerWidth,
                Math.min(rect('legend').top, shown('time') ? rect('time').top : innerHeight)]""")


def flat_eye(lower, upper, width, height, **more):
    return Eye([*lower, 0], [*upper, 0], width, height, flat=True, room=room(), **more)


def write_vtp(name, bodies, box=None):
    """bodies: dicts with corners (k, 2), or disc radius; centre; and columns."""
    def array(kind, key, values, parts=1):
        text = " ".join(repr(float(v)) if kind == "Float64" else str(int(v)) for v in np.ravel(values))
        return f'<DataArray type="{kind}" Name="{key}" NumberOfComponents="{parts}" format="ascii">{text}</DataArray>\n'
    ring = np.array([[math.cos(a), math.sin(a)] for a in np.arange(48) * math.pi / 24])
    corners = [b["corners"] if "corners" in b else b["centre"] + b["disc"] * ring for b in bodies]
    points = np.vstack(corners)
    out = '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian"><PolyData>\n'
    if box is not None:
        out += '<FieldData><DataArray type="Float64" Name="scree_box" NumberOfComponents="3" NumberOfTuples="3" format="ascii">'
        out += " ".join(repr(float(v)) for v in np.ravel(box)) + "</DataArray></FieldData>\n"
    out += f'<Piece NumberOfPoints="{len(points)}" NumberOfPolys="{len(bodies)}"><Points>\n'
    out += array("Float64", "Points", np.column_stack([points, np.zeros(len(points))]), 3) + "</Points><Polys>\n"
    out += array("Int64", "connectivity", np.arange(len(points))) + array("Int64", "offsets", np.cumsum([len(c) for c in corners])) + "</Polys><CellData>\n"
    out += array("Float64", "centre", [[*b["centre"], 0] for b in bodies], 3)
    out += array("Float64", "radius", [b["disc"] if "disc" in b else np.max(np.linalg.norm(b["corners"] - b["centre"], axis=1)) for b in bodies])
    out += array("Int64", "disc", ["disc" in b for b in bodies]) + array("Int64", "fixed", [b.get("fixed", 0) for b in bodies])
    out += array("Float64", "angle", [b.get("angle", 0.0) for b in bodies]) + array("Float64", "heat", [b.get("heat", 0.0) for b in bodies])
    (folder / name).write_text(out + "</CellData></Piece></PolyData></VTKFile>\n")


def inside(body, x, shift=(0.0, 0.0)):
    """Which points lie in a body, by the even-odd rule, and how far each is from its boundary, INF if by more than 0.5."""
    if "disc" in body:
        depth = body["disc"] - np.linalg.norm(x - body["centre"] - shift, axis=1)
        return depth > 0, np.abs(depth)
    corners, odd, near = body["corners"] + shift, np.zeros(len(x), bool), np.full(len(x), np.inf)
    some = np.flatnonzero(np.all((x > corners.min(axis=0) - 0.5) & (x < corners.max(axis=0) + 0.5), axis=1))
    if len(some) < len(x):
        if len(some):
            odd[some], near[some] = inside(body, x[some], shift)
        return odd, near
    for a, b in zip(corners, np.roll(corners, -1, axis=0)):
        d = b - a
        if a[1] != b[1]:
            odd ^= ((a[1] > x[:, 1]) != (b[1] > x[:, 1])) & (x[:, 0] < a[0] + (x[:, 1] - a[1]) * d[0] / d[1])
        t = np.clip((x - a) @ d / (d @ d), 0, 1)
        near = np.minimum(near, np.linalg.norm(x - a - t[:, None] * d, axis=1))
    return odd, near


def same_bodies(eye, bodies, what, shown=None, shifts=((0.0, 0.0),), keep=None, where=None, step=4):
    """Every pixel shows the last body that its middle is in, fixed ones first; only within 0.05 pixels of an edge it may be another:
    cards round the corners of what they draw to 1/16 of a pixel or less."""
    py, px = np.mgrid[0:eye.height:step, 0:eye.width:step]
    x = eye.plane(px.ravel() + 0.5, eye.height - (py.ravel() + 0.5))
    wanted, near = np.full(len(x), -1), np.full(len(x), np.inf)
    for i in sorted(range(len(bodies)), key=lambda i: (not bodies[i].get("fixed", 0), i)):
        for shift in shifts if shown is None or i in shown else ():
            odd, away = inside(bodies[i], x, np.array(shift))
            wanted[odd if keep is None else odd & keep(x)] = i
            near = np.minimum(near, away)
    found = seen(step)
    sure = near > 0.05 / eye.pixel([0, 0, 0])[2]
    if where is not None:
        sure &= where(x)
    wrong = (found != wanted) & sure
    check(np.sum(wanted >= 0) > 100, f"{what}: nearly nothing should be seen")
    check(not np.any(wrong), f"{what}: {np.sum(wrong)} of {len(x)} pixels show another body, first at {x[wrong][:1]}: {found[wrong][:1]}, not {wanted[wrong][:1]}")
    print(f"  {what}: {len(x)} points, {np.sum(wanted >= 0)} in bodies, {np.sum(~sure)} not compared")


def shape(kind, centre, size, angle=0.0, **more):
    spiral = [(0, 0), (6, 0), (6, 5), (1, 5), (1, 2), (4, 2), (4, 3), (2, 3), (2, 4), (5, 4), (5, 1), (0, 1)]
    gear = [((1.0 if k % 4 < 2 else 0.8) * math.cos(math.pi * k / 100), (1.0 if k % 4 < 2 else 0.8) * math.sin(math.pi * k / 100)) for k in range(200)]
    drawn = {"ell": [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)], "spiral": spiral, "gear": gear, "bar": [(-4, -0.5), (4, -0.5), (4, 0.5), (-4, 0.5)],
             "bow": [(0, 0), (2, 2), (2, 0), (0, 2)], "star": [((2 - k % 2) * math.cos(0.2 * math.pi * k), (2 - k % 2) * math.sin(0.2 * math.pi * k)) for k in range(10)]}
    xy = np.array(drawn[kind], float)
    xy = (xy - xy.mean(axis=0)) * size
    c, s = math.cos(angle), math.sin(angle)
    return {"corners": xy @ np.array([[c, s], [-s, c]]) + centre, "centre": np.array(centre, float), "angle": angle, **more}


def polygons():
    print("polygons")
    bodies = [shape("spiral", [4, 6], 0.9, 0.4, heat=1.0), shape("ell", [9.5, 6.2], 0.8, 2.0, heat=2.0), shape("gear", [13, 6], 1.8, 0.1, heat=3.0),
              {"disc": 0.9, "centre": np.array([8.0, 2.5]), "heat": 4.0}, shape("bow", [3, 2.2], 0.8, heat=5.0), shape("star", [12.4, 2.2], 0.7, 1.0, heat=6.0),
              shape("bar", [8, 0.5], 1.9, 0.03, fixed=1, heat=99.0), shape("ell", [8.9, 3.2], 0.5, -0.5, heat=7.0)]
    write_vtp("shapes.vtp", bodies)
    scree("view", "shapes.vtp", "-o", "shapes.html", "--colour-by", "heat", "--background", "light", "--gap", "0.01")
    open_page("shapes.html", 1000, 640)
    both = np.vstack([b["corners"] if "corners" in b else [b["centre"] - b["disc"], b["centre"] + b["disc"]] for b in bodies])
    lower, upper = both.min(axis=0), both.max(axis=0)
    eye = flat_eye(lower, upper, 1000, 640)
    check(js("return document.getElementById('summary').textContent") == "7 polygons, 1 disc (1 fixed)", "the summary of polygons")
    same_bodies(eye, bodies, "shapes", step=6)
    size, middle = max(upper - lower), (lower + upper) / 2
    js("scree.camera.zoom = 9; scree.camera.target = arguments[0]", [*((bodies[2]["corners"][3] - middle) / size), 0])
    near_by = flat_eye(lower, upper, 1000, 640, zoom=9, target=[*bodies[2]["corners"][3], 0])
    same_bodies(near_by, bodies, "teeth of the gear", step=6)
    js("scree.camera.zoom = 300")
    same_bodies(flat_eye(lower, upper, 1000, 640, zoom=300, target=[*bodies[2]["corners"][3], 0]), bodies, "one corner of it", step=6)
    js("scree.camera.reset()")
    tick("fixed", False)
    same_bodies(eye, bodies, "without fixed", shown={0, 1, 2, 3, 4, 5, 7}, step=6)
    tick("fixed", True)
    move("smallest", 500)
    radii = js("return [...scree.state.frame.radius].map((r) => r * scree.scene.size)")
    free = [r for r, b in zip(radii, bodies) if not b.get("fixed")]
    same_bodies(eye, bodies, "from a size on", shown={i for i in range(8) if radii[i] >= (min(free) + max(free)) / 2 or i == 6}, step=6)
    move("smallest", 0)
    move("cut-axis", 0)
    move("cut", 400)
    at = lower[0] + 0.4 * (upper[0] - lower[0])
    flip = js("return document.getElementById('cut-flip').checked")
    same_bodies(eye, bodies, "cut", keep=lambda x: (x[:, 0] >= at) if flip else (x[:, 0] <= at), step=6)
    move("cut-axis", -1)

    # Colours: by heat from 1 to 7, the fixed bar grey and out of the range; darker at edges; the paper in notches and where a bow tie is open.
    tick("box", False)
    shot = picture("shapes.png")
    palette = np.array([int(v, 16) for v in js("return scree.meta.maps.dusk.match(/../g)")]).reshape(257, 3)
    ticks = js("return [...document.querySelectorAll('#legend-ticks span')].map((s) => s.textContent)")
    check(ticks[0] == "1" and ticks[-1] == "7", f"the range of heat: {ticks}")
    unit = eye.pixel([0, 0, 0])[2]
    py, px = np.mgrid[45:540:5, 5:735:5]
    px, py = px.ravel(), py.ravel()
    x = eye.plane(px + 0.5, py + 0.5)
    top, away = np.full(len(x), -1), np.full(len(x), np.inf)
    for i in sorted(range(8), key=lambda i: (i != 6, i)):
        odd, distance = inside(bodies[i], x)
        top[odd], away = i, np.minimum(away, distance)
    colours = np.array([[168] * 3 if i == 6 else palette[round(255 * (bodies[i]["heat"] - 1) / 6)] for i in range(8)] + [[255] * 3])  # the last: no body
    wrong = (away * unit > 3.5) & np.any(np.abs(shot[py, px].astype(int) - colours[top]) > 2, axis=1)  # not at an outline
    check(not np.any(wrong), f"the colour at {x[wrong][:1]}, body {top[wrong][:1]}: {shot[py, px][wrong][:1]}, not {colours[top[wrong][:1]]}")
    side = bodies[6]["corners"][2:4]
    cx, cy, _ = eye.pixel([*(0.7 * side[0] + 0.3 * side[1]), 0])
    outlined = min(int(shot[int(cy) + k, int(cx)].max()) for k in (-1, 0, 1, 2))
    check(outlined < 140, f"no outline at the bar: {outlined}")
    tick("box", True)

    # Picking: what is inside, not its box. The middle of the ell's box is empty, the spiral's hollow too.
    def picked(p, title):
        click_at(*eye.pixel([*p, 0])[:2])
        wait_for(f"document.getElementById('info-title').textContent === '{title}' && !document.getElementById('info').hidden", title)
        return dict(js("return [...document.querySelectorAll('#info-table tr')].map((r) => [...r.cells].map((c) => c.textContent))"))
    for i, place in ((1, bodies[1]["corners"][[0, 1, 2]].mean(axis=0)), (6, bodies[6]["corners"][[1, 2]].mean(axis=0) - [0.3, 0]), (2, bodies[2]["centre"])):
        rows = picked(place, f"Polygon {i}")
        check(rows["corners"] == str(len(bodies[i]["corners"])) and float(rows["heat"]) == bodies[i]["heat"], f"the data of body {i}: {rows}")
        check(rows["fixed"] == str(bodies[i].get("fixed", 0)), f"whether body {i} is fixed: {rows}")
    xy = bodies[1]["corners"]
    area = abs(np.sum(xy[:, 0] * np.roll(xy[:, 1], -1) - xy[:, 1] * np.roll(xy[:, 0], -1))) / 2
    rows = picked(bodies[1]["corners"][[0, 1, 2]].mean(axis=0), "Polygon 1")
    near(float(rows["area"]), area, 1e-5 * area, "the area")
    rows = picked(bodies[3]["centre"] - [0.5, 0], "Disc 3")
    check([k for k in rows if k.startswith("touches")] == ["touches 7"] and rows["touches 7"] == "overlap" and rows["partners"] == "1", f"the disc touches: {rows}")
    rows = picked(bodies[7]["corners"][[0, 1]].mean(axis=0) * 0.8 + bodies[7]["corners"][3] * 0.2, "Polygon 7")
    check([k for k in rows if k.startswith("touches")] == ["touches 3"], f"and the ell touches the disc: {rows}")
    picked(bodies[3]["centre"] - [0.5, 0], "Disc 3")
    faded = picture("chosen-polygon.png")
    for p, wanted, what in ((bodies[3]["centre"] - [0.6, 0], [0xc2, 0x41, 0x0c], "the chosen disc"), (bodies[7]["corners"][[0, 1]].mean(axis=0) * 0.8 + bodies[7]["corners"][3] * 0.2,
                             palette[255], "its partner")):
        cx, cy, _ = eye.pixel([*p, 0])
        near(faded[int(cy), int(cx)], wanted, 3, what)
    cx, cy, _ = eye.pixel([*bodies[2]["centre"], 0])
    check(min(faded[int(cy), int(cx)]) > 190, "others are not faded")
    notch = bodies[1]["corners"][3] + 0.4 * (bodies[1]["corners"][3] - bodies[1]["corners"][0])
    check(not inside(bodies[1], notch[None])[0][0], "the test's own notch")
    click_at(*eye.pixel([*notch, 0])[:2])
    wait_for("document.getElementById('info').hidden", "nothing to be picked in a notch")
    names = js("return [...document.getElementById('colour').options].map((o) => o.text)")
    check(names == ["radius", "partners", "x", "y", "area", "corners", "fixed", "angle", "heat"], f"to colour by: {names}")
    move("colour", names.index("fixed"))
    cx, cy, _ = eye.pixel([*bodies[6]["centre"], 0])
    near(picture()[int(cy), int(cx)], palette[255], 2, "coloured by fixed, the bar has a colour")

    # The wheel zooms at the pointer: what is under it stays.
    before = eye.plane(np.array([200.0]), np.array([150.0]))[0]
    js("document.getElementById('view').dispatchEvent(new WheelEvent('wheel', { deltaY: -700, clientX: 200, clientY: 150, cancelable: true }))")
    target = np.array(js("return scree.camera.target"))[:2] * size + middle
    after = flat_eye(lower, upper, 1000, 640, zoom=math.exp(0.7), target=[*target, 0]).plane(np.array([200.0]), np.array([150.0]))[0]
    near(after, before, 1e-6 * size, "the place under the pointer")
    js("document.getElementById('menu').click()")
    check(js("return document.getElementById('panel').hidden"), "the settings go")
    js("scree.camera.reset()")
    same_bodies(flat_eye(lower, upper, 1000, 640), bodies, "with more room", step=6)
    quiet()


def moving():
    """Frames of bodies that move and turn through a periodic box: shapes once, until the bodies change; images, playing; on a phone, with fingers."""
    print("moving polygons")
    box, frames = [[0, 0, 0], [12, 8, 0], [1, 1, 0]], []
    for f in range(3):
        at = [[1.0 + 0.6 * f, 4.0], [11.6 + 0.7 * f, 7.8], [6.0, 0.2 - 0.3 * f], [6.0, 5.0]]  # the second leaves through the right side
        bodies = [shape(kind, p, 0.6, 0.8 * f + k, heat=k) for k, (kind, p) in enumerate(zip(["spiral", "ell", "star", "gear"], at))]
        bodies.append({"disc": 0.7, "centre": np.array([9.5, 0.3]), "heat": 4.0})
        frames.append(bodies)
    frames.append(frames[0][::-1])  # and one with the bodies in another order
    for f in range(4):
        write_vtp(f"turn_{f}.vtp", frames[f], box)
    (folder / "turn.pvd").write_text('<VTKFile type="Collection"><Collection>' + "".join(
        f'<DataSet timestep="{f}" file="turn_{f}.vtp"/>' for f in range(4)) + "</Collection></VTKFile>")
    scree("view", "turn.pvd", "-o", "turn.html", "--title", "turning")
    open_page("turn.html")
    for name in ("corner_x", "corner_y"):
        blocks = js("return scree.meta.frames.map((f) => f.shapes.find((a) => a.name === arguments[0]).block)", name)
        check(len(set(blocks[:3])) == 1 and blocks[3] != blocks[0], f"shapes are stored once, then again: {blocks}")
    shifts = [(12 * a, 8 * b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    extent = js("return [scree.meta.frames.map((f) => f.lower), scree.meta.frames.map((f) => f.upper)]")
    lower, upper = np.min(extent[0], axis=0), np.max(extent[1], axis=0)
    check(np.all(lower > [-4, -4]) and np.all(lower < 0) and np.all(upper < [16, 12]), f"the scene reaches from {lower} to {upper}")
    for f in (2, 3, 1, 0):
        move("frame", f)
        wait_for(f"scree.state.number === {f}", f"frame {f}")
        # Images are drawn that reach into the box: those seen within it are all there are.
        js("scree.camera.zoom = 1.5")
        same_bodies(flat_eye(lower, upper, 600, 400, zoom=1.5), frames[f], f"frame {f}", shifts=shifts, where=lambda x: np.all((x > 0) & (x < [12, 8]), axis=1))
        js("scree.camera.reset()")
    keep_picture("periodic.png")
    tick("images", False)
    same_bodies(flat_eye(lower, upper, 600, 400), frames[0], "without images")
    js("window.numbers = new Set(); window.timer = setInterval(() => numbers.add(scree.state.number), 5); document.getElementById('play').click()")
    wait_for("numbers.size === 4", "all frames to be played")
    js("clearInterval(timer); document.getElementById('play').click()")
    quiet()

    # Fingers: a tap picks, two apart zoom, one moves.
    fingers(True)
    open_page("turn.html", 390, 844)
    eye = flat_eye(lower, upper, 390, 844)
    cx, cy, _ = eye.pixel([6.0, 5.0, 0])
    touch("touchStart", (cx, cy))
    touch("touchEnd")
    wait_for("document.getElementById('info-title').textContent === 'Polygon 3'", "the tapped polygon")
    keep_picture("phone-polygon.png")
    js("document.getElementById('info-close').click()")
    touch("touchStart", (100, 500))
    touch("touchMove", (139, 500))
    touch("touchEnd")
    near(js("return scree.camera.target[0] * scree.scene.size"), -39 / eye.pixel([0, 0, 0])[2], 0.02, "one finger moves the scene")
    touch("touchStart", (150, 400), (250, 400))
    touch("touchMove", (100, 400), (300, 400))
    touch("touchEnd")
    near(js("return scree.camera.zoom"), 2.0, 0.02, "two fingers zoom")
    fingers(False)
    quiet()


def bodies_run():
    print("a run with bodies")
    (folder / "bodies.yaml").write_text("""dimension: 2
box: {size: [0.2, 0.3]}
gravity: [0, -9.81]
bodies:
- {wall: [[0, 0.12], [0.12, 0.06]], thickness: 0.01, fixed: true}
- {shape: hook, roughness: 0.6, sizes: "mono:0.015", place: random, count: 12, region: [0, 0.14, 0.2, 0.3], angle_spread: 3.1416, material_density: 3}
- {shape: disc, sizes: "mono:0.008", place: random, count: 5, region: [0, 0.14, 0.2, 0.3], material_density: 3}
contact: {stiffness: 2e3, restitution: 0.2}
time: {end: 0.1}
output: {every: 0.02}
""")
    shutil.rmtree(folder / "bodies", ignore_errors=True)
    scree("run", "bodies.yaml", "-o", "bodies", "--quiet")
    scree("view", "bodies", "-o", "bodies.html", "--colour-by", "velocity")
    open_page("bodies.html", 900, 640)
    check(js("return document.getElementById('summary').textContent") == "13 polygons, 5 discs (1 fixed)", "the summary of the run")
    check(js("return scree.meta.frames.length") == 6, "six frames")
    check(len(set(js("return scree.meta.frames.map((f) => f.shapes.find((a) => a.name === 'corner_x').block)"))) == 1, "shapes are stored again")
    move("frame", 5)
    wait_for("scree.state.number === 5", "the last frame")
    keep_picture("bodies.png")
    js("document.getElementById('theme').click()")
    keep_picture("bodies-dark.png")
    shown = set(seen(2))
    check(shown == set(range(-1, 18)), f"not all bodies are seen: {shown}")
    quiet()


def refused():
    """Browsers without what is needed say so in a sentence."""
    for code, wanted in (("HTMLCanvasElement.prototype.getContext = () => null", "WebGL2"), ("delete window.DecompressionStream", "DecompressionStream")):
        added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": code})["identifier"]
        window(600, 400)
        browser.get((folder / "shapes.html").as_uri())
        wait_for(f"document.getElementById('message').textContent.includes('{wanted}')", f"a word about {wanted}")
        check(js("return getComputedStyle(document.getElementById('panel')).display") == "none", "settings of nothing")
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added})
        quiet()


def grammar():
    """One sphere is not "1 spheres", nothing is said to be nothing, and numbers of the legend do not lie over each other."""
    (folder / "nothing.csv").write_text("x,y,r\n")
    scree("view", "nothing.csv", "-o", "nothing.html")
    window(600, 400)
    browser.get((folder / "nothing.html").as_uri())
    wait_for("document.getElementById('message').textContent === 'There is nothing to show.'", "a word about nothing")
    quiet()
    write_csv("long.csv", "x,y,z,r,n", [[i, 1, 1, 0.1, -1.23456e-200 * i] for i in range(5)])
    scree("view", "long.csv", "-o", "long.html", "--colour-by", "n")
    open_page("long.html", 390, 844)
    rects = js("return [...document.querySelectorAll('#legend-ticks span')].filter((s) => s.style.visibility !== 'hidden').map((s) => s.getBoundingClientRect()).map((r) => [r.left, r.right])")
    check(2 <= len(rects) < 5 and all(a[1] < b[0] for a, b in zip(rects, rects[1:])), f"the legend's numbers: {rects}")
    quiet()
    write_csv("one.csv", "x,y,z,r", [[1, 1, 1, 1]])
    scree("view", "one.csv", "-o", "one.html")
    open_page("one.html")
    check(js("return document.getElementById('summary').textContent") == "1 sphere", "one sphere is a sphere")
    quiet()


try:
    for case in (few, many, periodic, tilted, discs, runs, polygons, moving, bodies_run, refused, grammar):
        began = time.monotonic()
        case()
        print(f"  {time.monotonic() - began:.1f} s", flush=True)
    print("fine")
finally:
    browser.quit()
    if not kept:
        shutil.rmtree(folder, ignore_errors=True)
