#!/usr/bin/env python3
"""report.py SCREE [FOLDER]: reports of runs and packings in headless Chromium: nothing is fetched, nothing complains, light and dark are readable, and nothing is wider than
a phone. FOLDER keeps pages and screenshots."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import needs

SCREE = sys.argv[1]
kept = len(sys.argv) > 2
folder = pathlib.Path(sys.argv[2] if kept else tempfile.mkdtemp()).resolve()
folder.mkdir(exist_ok=True)
SCENE = """dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
spheres: {count: 200, sizes: uniform-size:0.01:0.03, place: random, material_density: 1000}
contact: {duration: 1e-3, restitution: 0.7}
time: {end: 0.2}
output: {log_every_steps: 50}
"""


def check(fine, what):
    if not fine:
        raise AssertionError(what)


def scree(*words):
    done = subprocess.run([SCREE, *map(str, words)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    check(done.returncode == 0, f"scree {words}: {done.stderr}")


def luminance(colour):  # "rgb(r, g, b)", as WCAG 2 has it
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


COLOURS = """
const style = (e) => getComputedStyle(e), all = (q) => [...document.querySelectorAll(q)], page = style(document.body).backgroundColor;
return {page, text: all('h1, p, th, td, a, pre, .badge, .u').map((e) => [e.tagName + '.' + e.className, style(e).color, e.closest('pre') ? style(e.closest('pre')).backgroundColor : page]),
        paper: all('figure svg > rect').map((e) => style(e).fill), ink: all('figure svg > text').map((e) => style(e).fill),
        curves: all('figure svg g polyline').map((e) => style(e).stroke), captions: all('figure.plot figcaption').map((e) => [style(e).color, style(e.parentElement).backgroundColor]),
        cards: all('figure.picture').map((e) => [style(e.querySelector('figcaption')).color, style(e).backgroundColor])};
"""


def look(browser, name, width, scheme):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 640})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get((folder / name).as_uri())
    where = f"{name}, {scheme}, {width} wide"
    if kept:
        browser.save_screenshot(str(folder / f"{name.replace('/', '-')}-{scheme}-{width}.png"))
    check(browser.get_log("browser") == [], f"{where}: the console says {browser.get_log('browser')}")
    fetched = browser.execute_script("return performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !n.startsWith('data:'))")
    check(fetched == [], f"{where}: {fetched} was fetched")
    check(browser.execute_script("return document.documentElement.scrollWidth") <= width, f"{where}: wider than the window")
    check(browser.execute_script("return [...document.images].every((i) => i.complete && i.naturalWidth > 300)"), f"{where}: the picture is not shown")
    wide = browser.execute_script("return [...document.querySelectorAll('figure svg, figure img, table, pre')].filter((e) => e.getBoundingClientRect().right > innerWidth).length")
    check(wide == 0, f"{where}: {wide} things stick out")
    columns = browser.execute_script("return new Set([...document.querySelectorAll('figure.plot')].map((e) => Math.round(e.getBoundingClientRect().left))).size")
    check(columns == (1 if width < 640 else 2), f"{where}: figures stand in {columns} columns")
    seen = browser.execute_script(COLOURS)
    check((luminance(seen["page"]) < 0.1) == (scheme == "dark"), f"{where}: the page is {seen['page']}")
    for what, colour, behind in seen["text"]:
        check(contrast(colour, behind) >= 4.5, f"{where}: {what} is {colour} on {behind}")
    check(len(seen["paper"]) >= 4 and len(seen["curves"]) >= 4, f"{where}: {len(seen['paper'])} figures")
    for paper in seen["paper"]:
        check((luminance(paper) < 0.1) == (scheme == "dark"), f"{where}: a figure is {paper}")
    for ink in seen["ink"]:
        check(contrast(ink, seen["paper"][0]) >= 4.5, f"{where}: letters are {ink}")
    for curve in seen["curves"]:
        check(contrast(curve, seen["paper"][0]) >= 3, f"{where}: a curve is {curve} on {seen['paper'][0]}")
    for colour, behind in seen["captions"] + seen["cards"]:
        check(contrast(colour, behind) >= 4.5, f"{where}: a caption is {colour} on {behind}")


def main():
    browser = needs.browser()
    try:
        (folder / "scene.yaml").write_text(SCENE)
        scree("run", "scene.yaml", "-o", "run", "--force")
        scree("pack", "--sizes", "uniform-volume:1:4", "--count", 300, "--method", "rearrange", "--periodic", "xyz", "-o", "p.vtp", "--report", "pack.html")
        for name in ("run/report.html", "pack.html"):
            for width in (1000, 360):
                for scheme in ("light", "dark"):
                    look(browser, name, width, scheme)
    finally:
        browser.quit()
    if not kept:
        shutil.rmtree(folder)
    print("all checks passed")


main()
