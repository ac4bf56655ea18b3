"""What the peer checks need: spheres as CSV, a run of scree, the answer, and the rule for a peer that is missing.

SCREE_PEERS=require makes a missing peer a failure; otherwise the check exits 77, which ctest counts as skipped.
"""
import json
import os
import subprocess
import sys


def missing(what, why):
    """The peer is not here: skip or fail, as SCREE_PEERS says."""
    if os.environ.get("SCREE_PEERS", "optional") == "require":
        print(f"missing: {what} ({why}); `tools/setup peers` installs it")
        sys.exit(1)
    print(f"skipped: comparison with {what}, which is not here (`make test-peers` installs it)")
    sys.exit(77)


def write_csv(path, x, r):
    """Spheres as scree reads them; repr keeps every bit."""
    names = "x,y,z,r" if x.shape[1] == 3 else "x,y,r"
    with open(path, "w") as out:
        out.write(names + "\n")
        out.writelines(",".join(map(repr, row)) + "\n" for row in map(list, zip(*x.T.tolist(), r.tolist())))


def contacts(program, path, *flags):
    """Runs `scree contacts`; gives its JSON object."""
    command = [program, "contacts", path, "--json", *flags]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        print(f"{' '.join(command)} gave {done.returncode}: {done.stderr}")
        sys.exit(1)
    return json.loads(done.stdout)


def convert(program, source, target, *flags):
    """Runs `scree convert`; gives its JSON object."""
    command = [program, "convert", source, target, "--json", *flags]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    check(done.returncode == 0, f"{' '.join(command)} gave {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def columns(program, path):
    """What scree reads in a file, by way of CSV: names to lists of words. No word may hold a comma here."""
    target = path + ".read.csv"
    convert(program, path, target)
    with open(target) as lines:
        names = lines.readline().strip().split(",")
        rows = [line.rstrip("\n").split(",") for line in lines]
    check(all(len(row) == len(names) for row in rows), f"{target}: rows of different lengths")
    return {name: [row[c] for row in rows] for c, name in enumerate(names)}


def check(condition, text):
    if not condition:
        print(f"FAILED: {text}")
        sys.exit(1)
