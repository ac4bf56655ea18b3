#!/usr/bin/env python3
"""tools/test_table.py FOLDER: after a run of ctest in FOLDER: the slowest tests, what was skipped, and a table of builds and labels with
the number of checks and their time. A check is a case of scree_tests, a test of pytest, or else a whole script."""
import collections
import json
import os
import re
import subprocess
import sys

if len(sys.argv) != 2:
    sys.exit("usage: tools/test_table.py FOLDER     the folder of ctest, with its ctest.log")
folder = sys.argv[1]
if not os.path.isfile(f"{folder}/ctest.log"):
    sys.exit(f"tools/test_table.py: there is no {folder}/ctest.log; make test writes it")
BUILDS = ["release", "asan-ubsan", "tsan", "clang"]
LABELS = ["unit", "property", "threads", "same-bits", "allocation", "cli", "docs", "page", "python", "peers", "fuzz"]

listed = json.loads(subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout)
labels = {}
for test in listed["tests"]:
    found = [p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"]
    labels[test["name"]] = found[0][0] if found else "unlabelled"

times, skipped = {}, []
with open(f"{folder}/ctest.log", encoding="utf-8", errors="replace") as log:
    for line in log:
        done = re.match(r" *\d+/\d+ +Test +#\d+: (\S+) \.*(.*?) +([0-9.]+) sec", line)
        if done:
            times[done[1]] = float(done[3])
            if "Skipped" in done[2]:
                skipped.append(done[1])

# The cases of scree_tests behind an entry GROUP.LABEL.
counts = collections.Counter()
for line in subprocess.run(["build/tests/scree_tests", "--list"], capture_output=True, text=True, check=True).stdout.splitlines():
    group, label, _ = line.split()
    for build in ("", *(build + "/" for build in BUILDS)):
        counts[f"{build}{group}.{label}"] += 1

notes, name = [], None
with open(f"{folder}/Testing/Temporary/LastTest.log", encoding="utf-8", errors="replace") as log:
    for line in log:
        begins = re.match(r"\d+/\d+ Test(?:ing)?: (\S+)$", line)
        if begins:
            name = begins[1]
        elif re.match(r"\d+ passed", line):
            counts[name] += int(line.split()[0])
        elif line.startswith("skipped: "):
            notes.append(f"{name}: {line[9:].strip()}")

table = collections.defaultdict(lambda: [0, 0.0])
for name, seconds in times.items():
    build = name.split("/")[0] if name.split("/")[0] in BUILDS else "release"
    label = labels.get(name, "unlabelled")
    for key in ((build, label), (build, "all"), ("all", label), ("all", "all")):
        table[key][0] += max(counts[name], 1) if name not in skipped else 0
        table[key][1] += seconds

print("\nSlowest tests:")
for name in sorted(times, key=times.get, reverse=True)[:10]:
    print(f"{times[name]:9.2f} s  {name}")
if notes:
    print("\nSkipped:")
    for note in notes:
        print(f"  {note}")
shown = [label for label in LABELS + ["unlabelled"] if ("all", label) in table]
print("\nChecks and their seconds (two at a time), by label and build:")
print(f"{'':12}" + "".join(f"{build:>16}" for build in BUILDS + ["all"]))
for label in shown + ["all"]:
    cells = ""
    for build in BUILDS + ["all"]:
        number, seconds = table.get((build, label), (0, 0.0))
        cells += f"{f'{number}  {seconds:6.1f}' if number else '-':>16}"
    print(f"{label:12}{cells}")
sys.exit(1 if ("all", "unlabelled") in table else 0)
