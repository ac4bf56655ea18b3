#!/usr/bin/env python3
"""papers.py SOURCE BUILD: tools/papers_page.py, on what a bench wrote and on a folder made here whose numbers are known."""
import importlib
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib

FAILED = []


def check(condition, text):
    if not condition:
        print(f"FAILED: {text}")
        FAILED.append(text)


def filtered(kind, row, above):
    """A row of RGB behind a PNG filter, by the book."""
    out = bytearray([kind])
    for i, value in enumerate(row):
        a, b, c = row[i - 3] if i >= 3 else 0, above[i], above[i - 3] if i >= 3 else 0
        paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        out.append((value - (0, a, b, (a + b) // 2, paeth)[kind]) % 256)
    return bytes(out)


def write_png(path, rows):
    """Each row behind another filter."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    raw = b"".join(filtered(y % 5, row, rows[y - 1] if y > 0 else bytes(len(row))) for y, row in enumerate(rows))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def read_palette_png(path):
    """Width and the colours, row after row."""
    data, at, parts = path.read_bytes(), 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        parts[kind] = parts.get(kind, b"") + data[at + 8:at + 8 + length]
        check(zlib.crc32(kind + data[at + 8:at + 8 + length]) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], f"checksum of {kind}")
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    check((depth, colour) == (8, 3), "a palette of 8 bits")
    raw, palette = zlib.decompress(parts[b"IDAT"]), parts[b"PLTE"]
    return width, [tuple(palette[3 * i:3 * i + 3]) for y in range(height) for i in raw[y * (width + 1) + 1:(y + 1) * (width + 1)]]


def filters_are_undone(source, folder):
    """Random bytes, so that all cases of all filters occur."""
    sys.path.insert(0, str(source / "tools"))
    small_png, draw = importlib.import_module("small_png"), random.Random(1)
    rows = [bytes(draw.choice((0, 1, 2, 3, 4, 127, 255, draw.randrange(256))) for _ in range(3 * 40)) for _ in range(50)]
    write_png(folder / "random.png", rows)
    width, found = small_png.read(folder / "random.png")
    check(width == 40 and [bytes(row) for row in found] == rows, "filters of a PNG file")
    small_png.write(folder / "few.png", 40, rows, most=7)
    width, pixels = read_palette_png(folder / "few.png")
    check(width == 40 and len(pixels) == 2000 and 1 < len(set(pixels)) <= 7, "at most as many colours as asked")


def picture(path):
    """1800 x 6: squares of 3 x 3 in three colours by turns; in the first square one pixel differs."""
    colours = [(200, 40, 0), (0, 0, 255), (250, 250, 250)]
    rows = [bytearray(c for x in range(1800) for c in colours[(x // 3 + y // 3) % 3]) for y in range(6)]
    rows[1][0:3] = bytes((110, 40, 90))  # means (190, 40, 10)
    write_png(path, [bytes(row) for row in rows])
    small = [colours[(x + y) % 3] for y in range(2) for x in range(600)]
    return [(190, 40, 10)] + small[1:]


PAGE = """# {title}

`scree bench {name}`, seed 1, scree 0.1.0.
Machine: here.

## What the paper found

- Table 1: numbers. Eq. 3: a bound, see Fig. 77.

## What was found here

- **agrees**: one: 1.5 (1.4 to 1.6 by quartiles); Table 1: 1.6; accepted: 1 to 2
- **agrees**: two, of sizes 1:2: 2; Eq. 3: at most; accepted: 1 to 2
- **differs**: three: 3; Visscher 1972: 1.6; accepted: 1 to 2
- **not judged**: four: needs the size of the full run; Fig. 7: 1.6; accepted: 1 to 2
- **check holds**: five: 3; expected: 3 to 3
- **check fails**: six: 3; expected: 4 to 4

![{figure}]({file})
![{figure} again]({file})

## Notes

- A note.

## Rows

| a |
|---|
"""


def main():
    source, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        filters_are_undone(source, folder)
        docs, made = folder / "docs", folder / "made"
        (docs / "images" / "papers").mkdir(parents=True)
        made.mkdir()
        (docs / "images" / "papers" / "old.svg").write_text("<svg/>")
        (docs / "papers.md").write_text("# The papers\n\n### ogarko-range: Old title\n\n`scree bench ogarko-range --quick`, seed 1.\n\n**What was found here**\n\n- **agrees**: kept: 1; Section 2: fewer; accepted: 0 to 1\n\n"
                                        "### muth-3d\n\n*Another title.*\n\nOld text.\n\n`scree bench muth-3d`, seed 1.\n\n- **differs**: kept too: 1; Fig. 12: 2; accepted: 2 to 3\n\n## Next\n")
        subprocess.run([build / "scree", "bench", "cells", "--quick", "--quiet", "-o", folder / "quick"], check=True, stdout=subprocess.DEVNULL)
        expected = picture(made / "ogarko-systems-some-thing.png")
        (made / "ogarko-systems.md").write_text(PAGE.format(title="Packings", name="ogarko-systems", figure="some-thing", file="ogarko-systems-some-thing.png"))
        (made / "raschdorf-neighbours.md").write_text(PAGE.format(title="Counts", name="raschdorf-neighbours", figure="Bars", file="raschdorf-neighbours.svg"))
        (made / "raschdorf-neighbours.svg").write_text("<svg/>")
        (made / "raschdorf-neighbours.csv").write_text("sizes,structure,images,delta,spheres,tests,judged\nequal,octree,1,0,1921.58,7,1\nFuller,octree,1,0,1058.2669,8,1\n"
                                                      "equal,octree,0,0,1,1,nan\nequal,own,1,0.05,3.25,9,nan\n")
        (made / "raschdorf-neighbours-nodes.csv").write_text("sizes,level,eq_3,most_nodes,mean_nodes\nequal,0,4681,22,9.026\n")
        (made / "raschdorf-levels.md").write_text(PAGE.format(title="Levels", name="raschdorf-levels", figure="Fig. 9, redrawn", file="raschdorf-neighbours.svg"))
        (made / "raschdorf-levels.csv").write_text("other,columns\n1,2\n")
        (made / "raschdorf-new.md").write_text(PAGE.format(title="New", name="raschdorf-new", figure="Curve", file="raschdorf-neighbours.svg"))
        tool = source / "tools" / "papers_page.py"
        run = subprocess.run([sys.executable, "-B", tool, "--docs", docs, made, folder / "quick"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        check(run.returncode == 0, f"papers_page.py: {run.returncode}: {run.stderr}")
        page = (docs / "papers.md").read_text()
        images = docs / "images" / "papers"

        # The table at the top: figures of the paper, values, verdicts; all links lead to headings.
        rows = re.findall(r"^\| (.*) \| (.*) \| (.*) \| (.*) \| (.*) \| (.*) \| \[([\w-]+)\]\(#\7\) \|$", page, re.M)
        verdicts = {row[6] for row in rows}
        own = (folder / "quick" / "cells.md").read_text()
        check(sum(row[6] == "cells" for row in rows) == len(re.findall(r"^- \*\*(agrees|differs|not judged)\*\*", own, re.M)), "a row for each claim of cells")
        check(all("`--quick`" in row[5] for row in rows if row[6] == "cells"), "quick runs are named")
        short = "Raschdorf and Kolonko 2009"
        check([row[:6] for row in rows if row[6] == "raschdorf-neighbours"] ==
              [(f"{short}, Table 1", "one", "1.6", "1.5 (1.4 to 1.6 by quartiles)", "1 to 2", "agrees"), (f"{short}, Eq. 3", "two, of sizes 1:2", "at most", "2", "1 to 2", "agrees"),
               ("Visscher 1972", "three", "1.6", "3", "1 to 2", "**differs**"), (f"{short}, Fig. 7", "four", "1.6", "", "1 to 2", "not judged: needs the size of the full run")], "rows of what was made")
        check([row[1:6] for row in rows if row[6] == "ogarko-range"] == [("kept", "fewer", "1", "0 to 1", "agrees, `--quick`")] and
              [row[5] for row in rows if row[6] == "muth-3d"] == ["**differs**"], "verdicts of kept sections")
        check("4 of 8 checks of the benchmarks themselves" in page, "checks are counted apart")
        check(all(f"\n### {name}\n" in page for name in verdicts), "links without headings")
        check("muth-2d" not in verdicts and "muth-2d" in run.stderr, "a bench that is nowhere is left out, and said")

        # Sections: kept ones, new ones, figures with their captions, tables from rows.
        check("### ogarko-range\n\n*Old title.*\n" in page and "- **differs**: kept too: 1" in page and "*Another title.*" in page, "kept sections")
        check("Old text." not in page, "text above a kept run is made again")
        check(page.index("### raschdorf-new") > page.index("### raschdorf-neighbours"), "a bench that is not listed goes to its paper")
        check("*After Fig. 3 of the paper: some thing; some thing again.*" in page, "pictures side by side, named by the figure of the paper")
        check("*After Table 1 of the paper: Bars.*" in page and "*Fig. 9, redrawn.*" in page, "captions")
        check("| octree | 0 | 1921.6 | 7.0 | 1058.3 | 8.0 |" in page, "Table 1")
        check("| own | 0.05 | 3.2 | 9.0 |  |  |" in page and "| 0 | 4681 | 22 | 9.026 |" in page, "rows of one of them; nodes")
        check("raschdorf-levels.md" in run.stderr and "KeyError" in run.stderr, "a table that its rows do not allow is said")
        check("## Rows" not in page and page.count("- A note.") == 4, "notes stay, rows go")
        check((images / "cells.svg").read_bytes() == (folder / "quick" / "cells.svg").read_bytes(), "figures of the bench")
        for path in re.findall(r"\]\((images/papers/[^)]*)\)", page):
            check((docs / path).exists(), f"{path} is not there")
        check(not (images / "old.svg").exists(), "a figure that is no longer shown")
        width, pixels = read_palette_png(images / "ogarko-systems-some-thing.png")
        check(width == 600 and pixels == expected, "the picture, made small")

        # The same again gives the same page; a folder that is not there is an error.
        subprocess.run([sys.executable, "-B", tool, "--docs", docs, made, folder / "quick"], check=True, stderr=subprocess.DEVNULL)
        check((docs / "papers.md").read_text() == page, "a second run changes the page")
        subprocess.run([sys.executable, "-B", tool, "--docs", docs, made], check=True, stderr=subprocess.DEVNULL)
        check((docs / "papers.md").read_text() == page, "a section that is kept changes")
        bad = subprocess.run([sys.executable, "-B", tool, "--docs", docs, folder / "nowhere"], stderr=subprocess.PIPE, text=True)
        check(bad.returncode == 1 and "nowhere" in bad.stderr, "a folder that is not there")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
