#!/usr/bin/env python3
"""Makes docs/papers.md and docs/images/papers/ of folders that `scree bench ... -o DIR` wrote. Of a bench that is in several folders the first one counts.

    scree bench all --quick -o quick
    scree bench muth-2d cells -o full
    python3 tools/papers_page.py full quick
"""
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
`ogarko-levels` (how many levels), `raschdorf-neighbours` (what a look-around costs) and `sequential` (how dense each way packs them). The others say that they cannot.

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
    sys.exit(f"{name}.md is in none of the folders")


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


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    docs = pathlib.Path(__file__).resolve().parent.parent / "docs"
    images = docs / "images" / "papers"
    images.mkdir(parents=True, exist_ok=True)
    for old in images.glob("*.svg"):
        old.unlink()
    parts = [HEAD]
    for paper, names in ORDER:
        parts.append(f"## {paper}\n")
        parts += [section(find(sys.argv[1:], name), images) for name in names]
    (docs / "papers.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main()
