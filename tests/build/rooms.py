"""rooms.py SOURCE BUILD: who includes whose headers, against the table of CONTRIBUTING.md ("Where things are").

A folder of the table may include its own headers, public headers, and the inner headers of the folders that its row names; these stand in rows above it, so
that arrows go one way. Headers named *_inner.h belong to their own folder alone.
"""
import os
import re
import sys

PLACES = ("include", "src", "cli", "papers", "bench", "scenes", "python", "examples")  # tests see everything
EXPERIMENTS = ("papers", "bench")  # see public headers, scenes/, their own folder and bench/harness.h; of others only cli/cmd_bench.c sees them
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')


def rows_of(text, heading, columns):
    """(line, cells) of the table whose first row has these words."""
    lines, found = text.splitlines(), []
    begin = next((k for k, line in enumerate(lines) if line.strip("| ").split(" | ") == columns), None)
    if begin is None:
        sys.exit(f"CONTRIBUTING.md: no table with the columns {' | '.join(columns)}; it was expected below '{heading}'")
    for number, line in enumerate(lines[begin + 2:], begin + 3):
        if not line.startswith("|"):
            break
        found.append((number, [cell.strip() for cell in line.strip().strip("|").split("|")]))
    return found


class Rooms:
    """What the table says. `files`: all paths of the source, for names that stand there and are no longer true."""

    def __init__(self, text, files):
        self.files, self.may, self.bad = files, {}, []
        folders = {os.path.dirname(path) for path in files if path.startswith("src/")}
        for number, (folder, _, names) in rows_of(text, "Where things are", ["folder", "holds", "inner headers that it may include"]):
            folder = folder.strip("`/")
            names = {"src/" + name.strip("`") for name in names.split(", ")} - {"src/none"}
            if folder.startswith("src/") and folder not in folders:
                self.bad.append(f"CONTRIBUTING.md:{number}: {folder}/ has no sources; expected only folders that are there")
            for name in sorted(names - set(self.may)):
                if name != "src/all":
                    self.bad.append(f"CONTRIBUTING.md:{number}: {folder}/ may include {name}/, which is not in a row above; arrows go one way")
            self.may[folder] = names
        for folder in sorted(folders - set(self.may)):
            self.bad.append(f"CONTRIBUTING.md: {folder}/ has no row in the table; one was expected")

    def resolve(self, path, name):
        """The path of an included file; None: not of this source (system headers, generated files)."""
        for folder in (os.path.dirname(path), "src", "include", "cli", "scenes", ""):
            target = os.path.normpath(os.path.join(folder, name))
            if target in self.files:
                return target
        return None

    def look_at_experiments(self, path, number, target):
        mine, room = path.split("/")[0] in EXPERIMENTS, target.split("/")[0]
        if mine and room not in ("include", "scenes") and target != "bench/harness.h" and os.path.dirname(target) != os.path.dirname(path):
            self.bad.append(f"{path}:{number}: includes {target}; expected public headers (scree/...), scenes/..., bench/harness.h or a header beside it")
        elif not mine and room in EXPERIMENTS and path != "cli/cmd_bench.c":
            self.bad.append(f"{path}:{number}: includes {target}, which only papers/, bench/ and cli/cmd_bench.c may see")

    def look(self, path, lines):
        room = os.path.dirname(path) if path.startswith("src/") else path.split("/")[0]
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            target = match and self.resolve(path, match.group(1))
            if target:
                self.look_at_experiments(path, number, target)
            if not target or not target.startswith("src/"):
                continue
            other = os.path.dirname(target)
            if other == room:
                continue
            may = self.may.get(room, set())
            if other not in may:
                expected = "public headers (scree/...)" + "".join(f", {name[4:]}/..." for name in sorted(may))
                self.bad.append(f"{path}:{number}: includes {target[4:]} of {other}/; expected {expected}")
            elif target.endswith("_inner.h"):
                self.bad.append(f"{path}:{number}: includes {target[4:]}, which only {other}/ may see; expected another header of {other}/")


TABLE = """
| folder | holds | inner headers that it may include |
|---|---|---|
| `include/scree/` | | none |
| `src/base/` | | none |
| `src/index/` | | base |
| `src/index/grid/` | | base, index |
| `src/sim/` | | base |
| `cli/` | | none |
"""
FILES = ("src/base/sort.h", "src/index/index_inner.h", "src/index/list.h", "src/index/grid/grid.h", "src/sim/a.c", "src/sim/sim_inner.h", "include/scree/sim.h",
         "cli/main.c", "cli/common.h", "scenes/scenes.h", "bench/harness.h", "bench/list.h", "papers/muth/muth.h")
CASES = (  # the file, what it includes, what must be said
    ("src/sim/a.c", "base/sort.h", None),
    ("src/sim/a.c", "sim_inner.h", None),
    ("src/sim/a.c", "scree/sim.h", None),
    ("src/sim/b.c", "index/list.h", "src/sim/b.c:2: includes index/list.h"),
    ("src/sim/b.c", "../index/list.h", "src/sim/b.c:2: includes index/list.h"),
    ("src/sim/b.c", "index/grid/grid.h", "src/sim/b.c:2: includes index/grid/grid.h"),
    ("src/index/index.c", "index/grid/grid.h", "expected public headers (scree/...), base/..."),
    ("src/index/grid/grid.c", "index/list.h", None),
    ("src/index/grid/grid.c", "index/index_inner.h", "which only src/index/ may see"),
    ("include/scree/sim.h", "base/sort.h", "include/scree/sim.h:2: includes base/sort.h"),
    ("cli/main.c", "../src/base/sort.h", "cli/main.c:2: includes base/sort.h"),
    ("bench/one.c", "base/sort.h", "bench/one.c:2: includes base/sort.h"),
    ("papers/muth/one.c", "bench/harness.h", None),
    ("papers/muth/one.c", "muth.h", None),
    ("papers/muth/one.c", "scenes.h", None),
    ("papers/muth/one.c", "common.h", "papers/muth/one.c:2: includes cli/common.h"),
    ("papers/muth/one.c", "bench/list.h", "papers/muth/one.c:2: includes bench/list.h"),
    ("papers/ogarko/one.c", "papers/muth/muth.h", "papers/ogarko/one.c:2: includes papers/muth/muth.h"),
    ("cli/cmd_bench.c", "bench/list.h", None),
    ("cli/main.c", "bench/harness.h", "cli/main.c:2: includes bench/harness.h"),
)


def check_itself():
    for path, name, wanted in CASES:
        rooms = Rooms(TABLE, set(FILES))
        rooms.look(path, ["// a comment", f'#include "{name}"'])
        said = "\n".join(rooms.bad)
        if (wanted or "") not in said or (wanted is None and said):
            sys.exit(f"rooms.py: {path} with {name}: expected {wanted}, got {said or 'nothing'}")
    wrong = TABLE.replace("| `src/base/` | | none |", "| `src/base/` | | index |").replace("src/sim/`", "src/gone/`")
    said = "\n".join(Rooms(wrong, set(FILES)).bad)
    for part in ("src/base/ may include src/index/", "src/gone/ has no sources", "src/sim/ has no row"):
        if part not in said:
            sys.exit(f"rooms.py: expected '{part}', got {said or 'nothing'}")


def main():
    check_itself()
    source = sys.argv[1]
    files = {}
    for place in PLACES:
        for folder, _, names in os.walk(os.path.join(source, place)):
            for name in names:
                if name.endswith((".c", ".h", ".cpp", ".hpp", ".in")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        files[os.path.relpath(path, source)] = file.read().splitlines()
    with open(os.path.join(source, "CONTRIBUTING.md"), encoding="utf-8") as file:
        rooms = Rooms(file.read(), set(files))
    for path in sorted(files):
        rooms.look(path, files[path])
    print("\n".join(rooms.bad) if rooms.bad else f"{len(files)} files include what they may")
    sys.exit(1 if rooms.bad else 0)


main()
