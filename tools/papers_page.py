#!/usr/bin/env python3
"""Makes docs/papers.md and docs/images/papers/ from folders that `scree bench ... -o DIR` wrote. If a bench is in several folders, the first one counts; the section of
one that is in none stays as it was.

    scree bench all --quick -o quick
    scree bench muth-2d cells -o full
    python3 tools/papers_page.py full quick

All numbers of the page come from the runs: the verdicts and notes from NAME.md, the tables from NAME.csv. Fixed text, which explains what was done, is in this
file. Pictures are made small (small_png.py). A bench that is not listed here goes to the paper that its name begins with.

It also fills the tables of docs/methods.md, between comments that name them, from the rows of `methods`. --docs DIR takes another folder for docs/.
"""
import csv
import math
import pathlib
import re
import shutil
import sys

import small_png

# Short name, reference, how names of its benches begin, benches.
PAPERS = [
    ("Muth et al. 2007", "B. Muth, M.-K. Müller, P. Eberhard, S. Luding, *Collision detection and administration methods for many particles with different sizes* (2007)",
     "muth-", ["muth-2d", "muth-3d", "muth-fracture", "muth-ratio", "muth-matrix", "muth-verlet", "cells", "needles"]),
    ("Muth et al., *Contacts*", "B. Muth, M.-K. Müller, P. Eberhard, S. Luding, *Contacts between many bodies*", "chips", ["chips"]),
    ("Ogarko and Luding 2012", "V. Ogarko, S. Luding, *A fast multilevel algorithm for contact detection of arbitrarily polydisperse objects* (2012)",
     "ogarko-", ["ogarko-levels", "ogarko-range", "ogarko-scaling", "ogarko-systems", "ogarko-hypothesis"]),
    ("Raschdorf and Kolonko 2009", "S. Raschdorf, M. Kolonko, *Loose octree: a data structure for the simulation of polydisperse particle packings* (2009)",
     "raschdorf-", ["raschdorf-neighbours", "raschdorf-levels", "raschdorf-insert", "raschdorf-lists", "raschdorf-loose", "raschdorf-rearrange", "nbs", "few-large", "williams", "sequential", "spiral"]),
    ("not in a paper", "Not from a paper: every method, and the choice of `auto`", "methods", ["methods"]),
]
OTHERS = ["speed", "large", "moving", "step", "device", "rearrange", "grow", "polygons", "files"]  # they time the machine and are not on the page

# Which figure or table of the paper a file shows; the first that fits.
FIGURES = [
    (r"muth-2d.*\.png", "Fig. 10"), (r"muth-2d", "Fig. 11"), (r"muth-3d", "Fig. 12"), (r"muth-fracture.*\.png", "Fig. 13"), (r"muth-fracture", "Fig. 14"),
    (r"muth-matrix.*\.png", "Fig. 8"), (r"muth-matrix", "Fig. 9"), (r"chips.*\.png", "Fig. 9"),
    (r"ogarko-levels", "Fig. 4"), (r"ogarko-scaling", "Fig. 5"), (r"ogarko-systems", "Fig. 3"),
    (r"raschdorf-neighbours", "Table 1"), (r"raschdorf-levels.*loose-octree\.png", "Fig. 7"), (r"raschdorf-levels.*octree\.png", "Fig. 5"), (r"raschdorf-levels", "Fig. 9"),
]

HEAD = """# Figures of the papers

`scree bench NAME -o DIR` writes `DIR/NAME.csv` (rows; further tables as `NAME-....csv`), figures `NAME.svg` and `NAME.png`, and `NAME.md`: what the paper found, what was found
here, and whether they agree. After a failure or Ctrl-C it writes none of these. `--quick` uses fewer spheres and takes at most about twenty seconds.
A verdict judges the quantity that the paper names on the paper's case, and agrees if it lies between two limits; where the paper speaks of time, time is judged, in turns, and it is not judged if
the quartiles lie on both sides of a limit. The experiments are in `papers/` and `bench/`, one file each; the limits are data there, and `tests/test_claims.c` gives each verdict wrong rows. A finding that
differs is not a failure of the program.

{verdicts}
`scree bench all [--quick] -o DIR` runs everything on this page, continues after a failure (the exit code is then 1), and writes `DIR/index.md`. The other benchmarks
(`speed`, `large`, `moving`, `step`, `device`, `rearrange`, `grow`, `polygons`, `files`) time this machine and are not on this page; they write the same kinds of files.

With `--file FILE`, or `--sizes SIZES [--count N] [--density SHARE]`, some benchmarks use your own spheres: `methods` (every method, static and moving, the choice of `auto` and its prediction),
`cells` (size of linked cells), `ogarko-levels` (number of levels), `ogarko-range` (which cells to search), `raschdorf-neighbours` (cost of a query),
`raschdorf-levels` (levels of the spheres in the octrees), `raschdorf-loose` (looseness and margin) and `sequential` (density of each packing method). `--sizes` also applies to `muth-2d`
and `muth-3d` (the three classic methods against n) and `ogarko-scaling` (compared with equal spheres). Other benchmarks reject these options.

```sh
scree bench methods --sizes lognormal:1:0.8 --count 2000 -o mine
scree demo --count 5000 -o packing.csv
scree bench ogarko-levels --file packing.csv -o mine
```

`tools/papers_page.py` makes this page from folders that these commands wrote. Each section names its run and the machine; `--quick` runs have fewer spheres than
the paper.

{runs}
"""

# Which runs are on the page beside what their sections say.
TOGETHER = """The full runs on the Intel Xeon are of commit 3438f37f (19 November 2026). They were 16 processes at once with `--threads 1`, one for each core, started together on an idle machine;
they shared caches and memory, and the load average of their sections is that before they began. Counts do not depend on it, times do: compare times of one section only."""

# Under the title of a section.
ABOUT = {
    "muth-3d": """Fig. 6 of *Contacts between many bodies* shows the same series.""",
    "muth-fracture": """Fig. 7 and 8 of *Contacts between many bodies* show the same series.""",
    "needles": """Not in the paper, which names the search for anisotropic particles as a question for the future.""",
    "ogarko-hypothesis": """The paper gives no derivation of its Eq. 7, T ~ N L (m + K). One follows from counting. Level h has cells of side s_h and N_h = m_h V / s_h^3 spheres in the volume V. A sphere of level g
looks into half of the 27 cells around its own on its level, and on each finer level h into the cells that r + s_h/2 reaches: 2 + 2 r/s_h of them along an axis on average, at most 2 + s_g/s_h. A cell
costs m_h tests and K for the look itself, so that

T / V = sum over g of (m_g / s_g^3) 13.5 (m_g + K) + sum over h < g of (m_g / s_g^3) (2 + s_g/s_h)^3 (m_h + K).

The second term is m_g (1/s_h + 2/s_g)^3 (m_h + K) = (N_h / V) (m_g / m_h) (1 + 2 s_h/s_g)^3 (m_h + K): seen from the finer level, each coarser one costs every sphere the same few cells, however large its own
cells are. With all m_h = m, T = N (m + K) (13.5 + the sum over coarser levels of (1 + 2 s_h/s_g)^3, averaged over spheres): if most spheres are on the finest level and s_g is a few times s_h, each
level adds about as much as the next, and T ~ N L (m + K), with the same K in both terms.

The formula does not say that equal m are best. Moving the end of a level changes m_h, m_(h+1) and s_h together, and the derivative at equal m vanishes only where a symmetry makes it: with n(r) ~ r^-a and
cells that grow by a constant factor, m_h goes as s_h^(4 - a), so that for a = 4 every level looks like the next one but for the two ends of the range. For other size distributions nothing does, and the
last level, which no coarser one visits, may hold more. So the hypothesis is a good rule and not a theorem; the search below finds the size distributions for which it fails, and by how much.""",
    "raschdorf-neighbours": """The paper compares a grid, an octree and a loose octree as the structure behind collective rearrangement. Its packings are made [one sphere after the
other](rearrange.md#rearrangement-one-sphere-at-a-time) in a periodic cube, and so are these: 10,000 spheres, equal, or the Fuller sample `fuller:1:684.75:0.5:70` with diameters from 1 to 52.7.

Table 1 counts the other spheres in the cells or nodes that a search around one sphere visits, before any exact test (`scree_index_surroundings`). The search extends to the distance delta
around the sphere, here in smallest diameters; the paper does not state its delta. The table counts a node once; a search that also has to find contacts across periodic faces tests more spheres (column
`tests`). The grid leaves out cells in the corners that the sphere cannot reach. For the Fuller sample the grid is a single cell, which is visited in several images.

Eq. 3 is an upper bound of the number of nodes visited for a sphere on level l: all nodes of its branch. Testing whether the sphere intersects a node leaves a small part of them.""",
    "raschdorf-levels": """In the octree, spheres that cross a mid plane are stored on high levels, however small they are: they form dark sheets in the pictures (Fig. 5). In the loose octree there are
no such sheets (Fig. 7). The paper mentions a level 8 with very few spheres; by its own Eq. 4 the deepest is level 7, and it is empty unless the cube is larger than 64 smallest diameters.""",
    "raschdorf-insert": """The counts are `change_cells` of `scree_index_stats`: cells or nodes that a change looks up, passes or writes. An existing node of the octrees is found by one look-up of its parent
in a hash table and a link; a node that does not exist yet takes a few more look-ups, whatever its depth ([loose-octree](methods.md#loose-octree)).""",
    "raschdorf-lists": """Only the first sweeps from a random start are counted, in which lists are renewed most often. Counts are per visit of a sphere; the packings are the same, bit for bit, whatever the
structure.""",
    "raschdorf-loose": """k = 1 is the strict octree. A visit of a node costs as much as several tests, which the column `work` takes into account. At the beginning of a rearrangement spheres
move far, and large margins of the lists need the least work; near the end small margins do. The margin is therefore adapted unless `margin` fixes it. No step is longer than a quarter of the margin, so
packings made with different margins differ.""",
    "raschdorf-rearrange": """[As in the paper](rearrange.md#as-in-the-paper) says which settings are from the paper. Long packings are made in pieces: with `-o DIR` the state is saved every half
minute in `DIR/raschdorf-rearrange-N.checkpoint`, and the same command continues from it, to the same bits. `cpu_s` is the time of all
pieces. `timeout 1h scree bench raschdorf-rearrange --count 1000000 --threads 1 -o DIR`, again until it ends, packs a million spheres.""",
    "nbs": """Lists of layers, rows and cells, of which only five rows exist at a time. `papers/raschdorf/nbs.c` is the whole method.""",
    "few-large": """The list is short, but every sphere is tested against it. The best length is a compromise with the cells of the others, which are as wide as the largest sphere that is not in the list.""",
    "williams": """Each sphere comes to each cell that its bounding cube reaches, in the order of the sweep. Two spheres meet in the first cell that both reach.""",
    "muth-verlet": """The paper uses five radii and 100 steps. The index rejects a step in which its list could have lost a pair, so the longest interval for each radius is measured and not estimated.""",
    "spiral": """The method is one for discs; the paper cites it without details. The rule here is at the head of `papers/raschdorf/spiral.c`.""",
    "sequential": """What the paper calls random sequential addition is deposition: spheres fall and roll into place (`drop` here). `rsa` adds spheres at random positions.""",
}


def warn(text):
    print(f"papers_page.py: {text}", file=sys.stderr)


# ---- Tables of a section, from rows ------------------------------------------------------------------------------------

def rows_of(page, suffix=""):
    """The rows of NAME.csv or NAME-suffix.csv."""
    path = page.with_name(page.stem + suffix + ".csv")
    if not path.exists():
        raise KeyError(f"{path.name} is not there")
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def number(text, digits=4, places=None):
    """A value as tables show it, with so many digits or so many after the point; nothing where there is none."""
    value = float(text or "nan")
    if math.isnan(value):
        return ""
    if places is not None:
        return f"{value:.{places}f}"
    size = math.floor(math.log10(abs(value))) if value else 0
    shown = f"{value:.{max(digits - 1 - size, 0)}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def unique(values):
    return list(dict.fromkeys(values))


def table(head, rows):
    """Markdown; the first column is text."""
    return f"| {' | '.join(head)} |\n|---|" + "---:|" * (len(head) - 1) + "\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def has(rows, column):
    return column in rows[0] and any(number(row[column]) for row in rows)


def beside(rows, down, across, columns, digits=4, places=None):
    """A row for each value of the columns `down`; for each value of `across` the columns {name: title} that the rows have."""
    columns = {name: title for name, title in columns.items() if has(rows, name)}
    groups = unique(row[across] for row in rows)
    at = {(tuple(row[name] for name in down), row[across]): row for row in rows}
    head = down + [f"{group}: {title}" for group in groups for title in columns.values()]
    return table(head, [[label[0], *(number(part) for part in label[1:])] + [number(at.get((label, group), {}).get(name), digits, places) for group in groups for name in columns]
                        for label in unique(tuple(row[name] for name in down) for row in rows)])


def neighbours(page):
    rows = [row for row in rows_of(page) if row["images"] == "1"]
    yield "Table 1: other spheres in the cells or nodes visited", beside(rows, ["structure", "delta"], "sizes", {"spheres": "here", "tests": "tests"}, places=1)
    yield "Eq. 3: nodes visited, by level of the strict octree", beside(rows_of(page, "-nodes"), ["level"], "sizes", {"eq_3": "Eq. 3", "most_nodes": "most", "mean_nodes": "mean"})


def levels(page):
    rows, found = rows_of(page), []
    shown = {"random": "at random positions", "spheres": "here"}
    depth = unique(row["level"] for row in rows)
    for sizes, tree in unique((row["sizes"], row["tree"]) for row in rows):
        at = {row["level"]: row for row in rows if (row["sizes"], row["tree"]) == (sizes, tree)}
        found += [[f"{sizes}, {tree}: {title}"] + [number(at.get(level, {}).get(name)) for level in depth] for name, title in shown.items() if has(rows, name)]
    yield "Fig. 9: spheres on each level", table(["level", *depth], found)


def lists(page):
    rows = rows_of(page)
    at = {(row["sizes"], row["structure"], row["lists"]): row for row in rows}
    yield "Tests per visit of a sphere, without and with lists", table(
        ["sizes, structure", "no lists", "with lists: by the structure", "in lists"],
        [[f"{sizes}, {structure}", number(at[sizes, structure, "0"]["tests_by_structure"]), number(at[sizes, structure, "1"]["tests_by_structure"]),
          number(at[sizes, structure, "1"]["tests_in_lists"])] for sizes, structure in unique((row["sizes"], row["structure"]) for row in rows)])


def loose(page):
    rows = rows_of(page)
    delta = "0.1" if any(row["delta"] == "0.1" for row in rows) else rows[0]["delta"]
    yield f"Neighbours of one sphere within {delta} d, by looseness k", beside([row for row in rows if row["delta"] == delta], ["k"], "sizes",
                                                                           {"tests": "tests", "nodes": "nodes", "work": "work"})
    yield "Tests per visit of a sphere, by the margin of its list (0: adapted)", beside(rows_of(page, "-margins"), ["margin"], "sizes",
                                                                                       {"tests_in_lists": "in lists", "tests_by_structure": "by the structure"})


def ways(page):
    yield "Density and CPU seconds", beside(rows_of(page), ["way"], "sizes", {"density": "density", "cpu_s": "s"}, digits=3)


def insertions(page):
    rows = rows_of(page)
    for series, title in {"number": "by number of spheres", "ratio": "by size ratio", "depth": "by depth"}.items():
        yield f"Cells or nodes touched by an insertion, {title}", beside([row for row in rows if row["series"] == series], ["n", "size_ratio"], "structure", {"insert_cells": "insertion"})


TABLES = {"raschdorf-neighbours": neighbours, "raschdorf-insert": insertions, "raschdorf-levels": levels, "raschdorf-lists": lists, "raschdorf-loose": loose, "sequential": ways}


def tables_of(page):
    """All that can be made; what the rows lack is said."""
    if page.stem not in TABLES:
        return []
    try:
        return [f"**{title}**\n\n{text}" for title, text in TABLES[page.stem](page)]
    except (KeyError, ValueError, IndexError) as why:
        warn(f"{page}: no table: {type(why).__name__}: {why}")
        return []


# ---- Sections ----------------------------------------------------------------------------------------------------------

def caption(names, titles):
    """`After Fig. 3: ...`, unless the title says that itself."""
    label = next((label for pattern, label in FIGURES if re.match(pattern, names[0])), None)
    title = "; ".join(titles)
    return f"*{title}.*" if label is None or re.search(r"\b(Fig\.|Table) \d", title) else f"*After {label} of the paper: {title}.*"


def place_figures(page, found, images):
    """Lines with the figures and their captions; pictures of the same figure stand side by side."""
    groups = []
    for title, name in found:
        picture = name.endswith(".png")
        if picture:
            small_png.convert(page.parent / name, images / name)
            title = title.replace("-", " ")
        else:
            shutil.copy(page.parent / name, images / name)
        label = next((label for pattern, label in FIGURES if re.match(pattern, name)), None)
        others = next((members for kind, members in groups if picture and kind == (True, label)), None)
        if others is not None:
            others.append((title, name))
        else:
            groups.append(((picture, label), [(title, name)]))
    lines = []
    for _, members in groups:
        lines += [f"![{title}](images/papers/{name})" for title, name in members] + ["", caption([name for _, name in members], [title for title, _ in members]), ""]
    return lines[:-1]


def section(page, images):
    """The body of a section: run, paper, findings, figures, tables, notes."""
    text = page.read_text().split("\n## Rows")[0]
    body = re.sub(r"^## (.*)$", r"**\1**", text.split("\n", 1)[1].strip(), flags=re.M)
    figure = r"!\[(.*)\]\((.*)\)"
    found = re.findall(rf"^{figure}$", body, re.M)
    before, notes = re.split(r"^\*\*Notes\*\*$", body, maxsplit=1, flags=re.M) if re.search(r"^\*\*Notes\*\*$", body, re.M) else (body, "")
    parts = [re.sub(rf"^{figure}\n?", "", before, flags=re.M).strip()]
    if found:
        parts.append("\n".join(place_figures(page, found, images)))
    parts += [text.strip() for text in tables_of(page)]
    if notes.strip():
        parts.append("**Notes**\n\n" + re.sub(rf"^{figure}\n?", "", notes, flags=re.M).strip())
    title = re.search(r"^# (.*)$", text, re.M).group(1)
    return title, "\n\n".join(parts) + "\n"


def kept(text, name):
    """Title and body of a section as the page has it, or None. Older pages have the title in the heading."""
    part = re.search(rf"^### {re.escape(name)}(?:: ([^\n]*))?\n(.*?)(?=^##|\Z)", text, re.M | re.S)
    run = part and re.search(r"^`scree bench .*", part.group(2), re.M | re.S)
    if not run:
        return None
    title = part.group(1) or re.search(r"^\*(.*)\*$", part.group(2), re.M).group(1)
    return title.rstrip("."), run.group(0).rstrip("\n") + "\n"


# A claim as the benchmark prints it (bench/findings.c): quantity, value here or why it is not judged, source, the paper's value, limits.
CLAIM = re.compile(r"^- \*\*(agrees|differs|not judged)\*\*: (.*): ([^:\n]*); ([^;\n]*): ([^;\n]*); accepted: ([^;\n]*)$", re.M)
CHECK = re.compile(r"^- \*\*check (holds|fails)\*\*", re.M)


def is_quick(body):
    return re.match(r"`scree bench [^`]*--quick", body) is not None


def claims(short_name, name, body):
    """Rows of the table at the top: figure, quantity, the paper's value, ours, limits, verdict, link."""
    quick = ", `--quick`" if is_quick(body) else ""
    rows = []
    for verdict, quantity, value, source, paper, accepted in CLAIM.findall(body):
        said = {"agrees": "agrees", "differs": "**differs**", "not judged": f"not judged: {value}"}[verdict]
        of = f"{short_name}, {source}" if re.match(r"(Fig\.|Table|Eq\.|Section|Abstract|Hypothesis)", source) else source
        rows.append(f"| {of} | {quantity} | {paper} | {'' if verdict == 'not judged' else value} | {accepted} | {said}{quick} | [{name}](#{name}) |\n")
    return rows


def count_checks(body):
    found = CHECK.findall(body)
    return found.count("holds"), len(found)


def find(folders, name):
    return next((page for page in (pathlib.Path(folder) / f"{name}.md" for folder in folders) if page.exists()), None)


def benches_of(folders):
    """Each paper with the names of its benches: those listed, then others in the folders that begin like them."""
    there = unique(page.stem for folder in folders for page in sorted(pathlib.Path(folder).glob("*.md")))
    listed = [name for *_, names in PAPERS for name in names]
    papers = [(short_name, reference, names + [name for name in there if name not in listed and name.startswith(begins)]) for short_name, reference, begins, names in PAPERS]
    placed = [name for *_, names in papers for name in names]
    for name in there:
        if name not in placed and name not in OTHERS and name != "index":
            warn(f"{name}.md belongs to none of the papers and is left out")
    return papers


def make_page(folders, before, images):
    parts, rows, held, checks = [], [], 0, 0
    runs = {False: [], True: []}
    for short_name, reference, names in benches_of(folders):
        parts.append(f"## {reference}\n")
        for name in names:
            page = find(folders, name)
            made = section(page, images) if page else kept(before, name)
            if made is None:
                warn(f"{name}.md is in none of the folders and was not on the page; it is left out")
                continue
            title, body = made
            parts.append(f"### {name}\n\n*{title}{'' if title.endswith('?') else '.'}*\n\n" + (ABOUT[name] + "\n\n" if name in ABOUT else "") + body)
            rows += claims(short_name, name, body)
            runs[is_quick(body)].append(f"`{name}`")
            good, all_of = count_checks(body)
            held, checks = held + good, checks + all_of
    verdicts = ("| of the paper | quantity | paper | here | accepted | verdict | section |\n|---|---|---|---|---|---|---|\n" + "".join(rows) +
                f"\n{held} of {checks} checks of the benchmarks themselves (closed forms, hashes, plain loops), which no paper claims, hold; they stand in the sections.\n")
    listed = "\n".join(f"{title}: {', '.join(names)}." for title, names in (("Full runs", runs[False]), ("Runs with `--quick`", runs[True])) if names)
    if re.search("^Machine: Intel.* Xeon.* 16 cores", "\n".join(parts), re.M):
        listed += "\n\n" + TOGETHER
    return "\n".join([HEAD.replace("{verdicts}", verdicts).replace("{runs}", listed)] + parts)


# ---- docs/methods.md ----------------------------------------------------------------------------------------------

METHODS = ["all-pairs", "verlet-list", "linked-cells", "linear-list", "octree", "loose-octree", "hierarchical-grid"]
SETS = [(1, 3), (1, 4), (1, 5), (1, 6), (10, 4), (50, 4), (50, 6), (1000, 4), (1000, 6)]  # size ratio, power of ten of the number


def short(text):
    """A number of the rows as the tables show it; a dash where the method was left out."""
    value = float(text or "nan")
    return "–" if not value > 0.0 else f"{value:.0f}" if value >= 100.0 else f"{value:.1f}"


def tables(rows):
    """The tables of docs/methods.md, by name."""
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
    words = sys.argv[1:]
    docs = pathlib.Path(__file__).resolve().parent.parent / "docs"
    if words[:1] == ["--docs"] and len(words) > 1:
        docs, words = pathlib.Path(words[1]), words[2:]
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    for folder in words:
        if not pathlib.Path(folder).is_dir():
            sys.exit(f"papers_page.py: {folder}: no such folder")
    images = docs / "images" / "papers"
    images.mkdir(parents=True, exist_ok=True)
    page = make_page(words, (docs / "papers.md").read_text(), images)
    (docs / "papers.md").write_text(page)
    for old in [*images.glob("*.svg"), *images.glob("*.png")]:
        if f"images/papers/{old.name}" not in page:
            old.unlink()
    methods = find(words, "methods")
    if not methods:
        return
    if "--quick" in methods.read_text():
        print("methods is a --quick one: docs/methods.md stays as it is")
    else:
        fill(docs / "methods.md", tables(rows_of(methods)))


if __name__ == "__main__":
    main()
