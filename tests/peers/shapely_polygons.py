"""Overlaps of polygons by scree against GEOS (through Shapely): random pairs of every shape.

Two that overlap have a contact, or scree says that nothing would part them; two that do not have none. Parts of the overlap that hold no vertex of either
are scree's crossings: as many, with the same area.

usage: shapely_polygons.py RUN_POLYGONS [PAIRS]     (30000 times SCREE_TEST_EFFORT unless given)
"""
import os
import subprocess
import sys
import tempfile
import time

import peer

try:
    from shapely.geometry import Point, Polygon
except ImportError as error:
    peer.missing("Shapely", error)

NEAR = 1e-9
TINY = 1e-11  # an overlap of less area, or a vertex nearer to a boundary, may round either way


def parts(shape):
    """The polygons of an intersection; points and lines of touching ones are not looked at."""
    if shape.geom_type == "Polygon":
        return [shape] if shape.area > 0 else []
    return [part for one in getattr(shape, "geoms", []) for part in parts(one)]


def holds_vertex(part, *polygons):
    """Whether a vertex of one polygon, inside the other, lies on this part of their overlap. The part's own corners are tried first."""
    corners = set(part.exterior.coords)
    low_x, low_y, high_x, high_y = part.bounds
    for vertices, other in polygons:
        for x, y in sorted(vertices, key=corners.__contains__, reverse=True):
            if low_x - NEAR < x < high_x + NEAR and low_y - NEAR < y < high_y + NEAR:
                point = Point(x, y)
                if other.contains(point) and part.distance(point) < NEAR:
                    return True
    return False


def main():
    helper = sys.argv[1]
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else int(15_000 * max(0.1, float(os.environ.get("SCREE_TEST_EFFORT", "1"))))
    overlapping = crossings = hopeless = undecided = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pairs.txt")
        subprocess.run([helper, "1", str(pairs), path], check=True)
        with open(path) as lines:
            for number, line in enumerate(lines):
                words = line.split()
                contacts, crossed, stuck = (int(word) for word in words[:3])
                area, n, m = float(words[3]), int(words[4]), int(words[5])
                xy = [float(word) for word in words[6:]]
                points = list(zip(xy[0::2], xy[1::2]))
                peer.check(len(points) == n + m, f"pair {number}: {len(points)} vertices, not {n + m}")
                a, b = Polygon(points[:n]), Polygon(points[n:])
                peer.check(a.is_valid and b.is_valid, f"pair {number}: GEOS finds a polygon that is none")
                common = parts(a.intersection(b))
                whole = sum(part.area for part in common)
                if 0 < whole < TINY or (whole == 0 and contacts > 0 and a.distance(b) < 1e-12):
                    undecided += 1
                    continue
                peer.check((contacts > 0 or stuck) == (whole > 0), f"pair {number}: overlap {whole}, {contacts} contacts, stuck {stuck}")
                overlapping += whole > 0
                bare = [part for part in common if not holds_vertex(part, (points[:n], b), (points[n:], a))]
                if any(part.area < TINY for part in common):
                    undecided += 1
                    continue
                if stuck:
                    hopeless += 1
                    peer.check(len(bare) > 0, f"pair {number}: stuck, but every part of the overlap holds a vertex")
                    continue
                peer.check(crossed == len(bare), f"pair {number}: {crossed} crossings, GEOS has {len(bare)} parts without vertices")
                peer.check(abs(area - sum(part.area for part in bare)) < 1e-11, f"pair {number}: crossings of area {area}")
                crossings += crossed
    peer.check(undecided <= pairs / 1000, f"{undecided} of {pairs} pairs are undecided")
    peer.check(overlapping > pairs / 10 and crossings > pairs / 1000, f"only {overlapping} overlap and {crossings} cross: this proves nothing")
    print(f"pairs {pairs}, overlapping {overlapping}, crossings {crossings}, hopeless {hopeless}, undecided {undecided}", flush=True)


if __name__ == "__main__":
    start = time.monotonic()
    main()
    print(f"{time.monotonic() - start:.1f} s")
