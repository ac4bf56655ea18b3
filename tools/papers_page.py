#!/usr/bin/env python3
"""Makes docs/papers.md and docs/images/papers/ of folders that `scree bench ... -o DIR` wrote. Of a bench that is in several folders the first one counts; of one that
is in none the page keeps what it had.

    scree bench all --quick -o quick
    scree bench muth-2d cells -o full
    python3 tools/papers_page.py full quick

It also fills the tables of docs/which-method.md, between comments that name them, from the rows of `methods`.
"""
import csv
import pathlib
import re
import shutil
import sys

ORDER = [
    ("B. Muth, M.-K. Müller, P. Eberhard, S. Luding, *Collision detection and administration methods for many particles with different sizes* (2007)",
     ["muth-2d", "muth-3d", "muth-fracture", "muth-matrix", "cells"]),
    ("B. Muth, M.-K. Müller, P. Eberhard, S. Luding, *Contacts between many bodies*", ["chips"]),
    ("V. Ogarko, S. Luding, *A fast multilevel algorithm for contact detection of arbitrarily polydisperse objects* (2012)",
     ["ogarko-levels", "ogarko-range", "ogarko-scaling", "ogarko-systems"]),
    ("S. Raschdorf, M. Kolonko, *Loose octree: a data structure for the simulation of polydisperse particle packings* (2009)",
     ["raschdorf-neighbours", "raschdorf-levels", "raschdorf-lists", "raschdorf-loose", "sequential"]),
    ("Not a paper's: every method, and what `auto` chose", ["methods"]),
]

HEAD = """# The papers, redrawn

`scree bench NAME -o DIR` writes `DIR/NAME.csv` (rows; further tables as `NAME-....csv`), figures `NAME.svg` and `NAME.png`, and `NAME.md`: what the paper found, what was found
here, and whether they agree. All of these or, after a failure or Ctrl-C, none. `--quick` takes at most some twenty seconds, with fewer spheres.
Agreement is judged by counts and densities, which do not depend on the machine; times do, and are only told (but for `cells`, where they differ a hundredfold). That a finding differs is not a failure of the program.

`scree bench all [--quick] -o DIR` runs everything on this page, goes on after one that fails (and ends with 1 then), and writes `DIR/index.md`. The other benchmarks
(`speed`, `moving`, `step`, `rearrange`, `grow`, `polygons`, `files`) time this machine and are not part of it; they write the same kinds of files.

`--file FILE`, or `--sizes LAW [--count N] [--density SHARE]`, asks the same of your own spheres: `methods` (every method, still and moving, what `auto` chose and what it expected),
`cells` (how large linked cells should be), `ogarko-levels` (how many levels), `ogarko-range` (which cells to look into), `raschdorf-neighbours` (what a look-around costs),
`raschdorf-levels` (where spheres live in the octrees), `raschdorf-loose` (which looseness and margin) and `sequential` (how dense each way packs them); `--sizes` alone also `muth-2d`
and `muth-3d` (the three classic methods against n) and `ogarko-scaling` (beside equal spheres). The others say that they cannot.

```sh
scree bench methods --sizes lognormal:1:0.8 --count 2000 -o mine
scree demo --count 5000 -o packing.csv
scree bench ogarko-levels --file packing.csv -o mine
```

This page is made by `tools/papers_page.py` of folders that these commands wrote, on a shared machine with two cores (AMD EPYC, 2.6 GHz).
Which run a section shows is said in its first line; `--quick` ones have fewer spheres than the paper. More about the third paper: [raschdorf](raschdorf.md).
"""


def find(folders, name):
    for folder in folders:
        page = pathlib.Path(folder) / f"{name}.md"
        if page.exists():
            return page
    return None


def kept(text, name):
    """The section of a bench as docs/papers.md has it."""
    part = re.search(rf"^### {name}: .*?(?=^##|\Z)", text, re.M | re.S)
    if not part:
        sys.exit(f"{name}.md is in none of the folders, and docs/papers.md has no such section")
    return part.group(0).rstrip("\n") + "\n"


def section(page, images):
    text = page.read_text().split("\n## Rows")[0]
    title = re.search(r"^# (.*)$", text, re.M).group(1)
    body = text.split("\n", 1)[1].strip()
    body = re.sub(r"^## (.*)$", r"**\1**", body, flags=re.M)
    drawn, lines = [], []
    for line in body.split("\n"):
        figure = re.match(r"!\[(.*)\]\((.*)\)$", line)
        if not figure:
            lines.append(line)
        elif figure.group(2).endswith(".svg"):
            shutil.copy(page.parent / figure.group(2), images / figure.group(2))
            lines.append(f"![{figure.group(1)}](images/papers/{figure.group(2)})")
        else:
            drawn.append(f"`{figure.group(2)}`")
    if drawn:
        lines += ["", f"Drawn, not shown here: {', '.join(drawn)}."]
    return f"### {page.stem}: {title}\n\n" + "\n".join(lines) + "\n"


METHODS = ["all-pairs", "verlet-list", "linked-cells", "linear-list", "octree", "loose-octree", "hierarchical-grid"]
SETS = [(1, 3), (1, 4), (1, 5), (1, 6), (10, 4), (50, 4), (50, 6), (1000, 4), (1000, 6)]  # size ratio, power of ten of the number


def short(text):
    """A number of the rows as the tables show it; a dash where the method was left out."""
    value = float(text or "nan")
    return "–" if not value > 0.0 else f"{value:.0f}" if value >= 100.0 else f"{value:.1f}"


def tables(rows):
    """The tables of docs/which-method.md, by name."""
    at = {(row["method"], float(row["ratio"]), len(str(round(float(row["n"]) * 1.1))) - 1): row for row in rows}
    powers = "³⁴⁵⁶"
    head = "| method | " + " | ".join(f"ω={ratio}, 10{powers[power - 3]}" for ratio, power in SETS) + " |\n|" + "---|" * (len(SETS) + 1) + "\n"
    found = {}
    for name, column in [("still", "ns_still"), ("tests", "tests_per_sphere"), ("moves", "ns_no_lists")]:
        found[name] = head + "".join(
            f"| `{method}` | " + " | ".join(short(at.get((method, ratio, power), {}).get(column)) for ratio, power in SETS) + " |\n" for method in METHODS)
    found["fuller"] = "| method | still | moving | one by one, with lists | without | tests without |\n|---|---|---|---|---|---|\n" + "".join(
        f"| `{method}` | " + " | ".join(short(at[method, 52.7, 4][column]) for column in ["ns_still", "ns_moving", "ns_single", "ns_no_lists", "tests_no_lists"]) + " |\n"
        for method in METHODS)
    return found


def fill(page, found):
    text = page.read_text()
    for name, table in found.items():
        text, times = re.subn(rf"(<!-- {name} -->\n\n).*?(\n<!-- end -->)", lambda part: part.group(1) + table + part.group(2), text, flags=re.S)
        if times != 1:
            sys.exit(f"{page}: no place, or several, for the table {name}")
    page.write_text(text)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    docs = pathlib.Path(__file__).resolve().parent.parent / "docs"
    images = docs / "images" / "papers"
    images.mkdir(parents=True, exist_ok=True)
    before, parts = (docs / "papers.md").read_text(), [HEAD]
    for paper, names in ORDER:
        parts.append(f"## {paper}\n")
        pages = {name: find(sys.argv[1:], name) for name in names}
        parts += [section(page, images) if page else kept(before, name) for name, page in pages.items()]
    page = "\n".join(parts)
    (docs / "papers.md").write_text(page)
    for old in images.glob("*.svg"):
        if f"images/papers/{old.name}" not in page:
            old.unlink()
    methods = find(sys.argv[1:], "methods")
    if not methods:
        return
    if "--quick" in methods.read_text():
        print("methods is a --quick one: docs/which-method.md stays as it is")
    else:
        with open(methods.with_suffix(".csv"), newline="") as file:
            fill(docs / "which-method.md", tables(list(csv.DictReader(file))))


if __name__ == "__main__":
    main()
