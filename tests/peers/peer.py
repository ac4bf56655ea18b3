"""What the peer checks share: the command line, spheres as CSV, runs of scree and LAMMPS, their answers, and the rule for a peer that is missing.

SCREE_PEERS=require makes a missing peer a failure; otherwise the check exits 77, which ctest counts as skipped.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile


def missing(what, why):
    """The peer is not here: skip or fail, as SCREE_PEERS says."""
    if os.environ.get("SCREE_PEERS", "optional") == "require":
        print(f"missing: {what} ({why}); `tools/setup peers` installs it")
        sys.exit(1)
    print(f"skipped: comparison with {what}, which is not here (`make test-peers` installs it)")
    sys.exit(77)


def module():
    """The Python module of this checkout, with the libraries beside the program of the command line."""
    os.environ.setdefault("SCREE_LIBRARY_DIR", os.path.dirname(os.path.abspath(sys.argv[1])))
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
    import scree
    return scree


def random():
    """Random numbers by SCREE_TEST_SEED: 1 unless set, a fresh one in a deep run. The seed is printed."""
    import numpy
    deep = float(os.environ.get("SCREE_TEST_EFFORT", "1")) > 1
    seed = int(os.environ.get("SCREE_TEST_SEED", "0")) or (int.from_bytes(os.urandom(4), "little") + 1 if deep else 1)
    print(f"seed {seed}")
    return numpy.random.default_rng(seed)


def main(spheres, work):
    """The main part of a check: calls work(program, folder, n) with the program and the number of spheres of the command line (`spheres` unless given).
    The folder is empty and does not stay."""
    with tempfile.TemporaryDirectory() as folder:
        work(os.path.abspath(sys.argv[1]), folder, int(sys.argv[2]) if len(sys.argv) > 2 else spheres)


def need_lammps():
    if shutil.which("lmp") is None:
        missing("LAMMPS", "no command lmp")


def run(command, folder=None):
    """Runs a command in one thread; gives what it prints."""
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, OMP_NUM_THREADS="1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL)
    check(done.returncode == 0, f"{' '.join(command)} gave {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout


def lammps(folder, script, *results):
    """Runs LAMMPS with this input script, which writes the files `results`; gives what it prints."""
    path = os.path.join(folder, "in.lmp")
    with open(path, "w") as out:
        out.write(script)
    for result in results:
        if os.path.exists(result):
            os.remove(result)
    printed = run(["lmp", "-in", path, "-log", "none", "-nocite"], folder)
    check(all(map(os.path.exists, results)), f"LAMMPS wrote no {results}: {printed[-2000:]}")
    return printed


def dump_rows(path):
    """The rows of each frame of a LAMMPS dump, as lists of numbers."""
    frames, rows = [], None
    with open(path) as lines:
        for line in lines:
            if line.startswith("ITEM:"):
                rows = [] if line.startswith("ITEM: ATOMS") else None
                if rows is not None:
                    frames.append(rows)
            elif rows is not None:
                rows.append([float(word) for word in line.split()])
    return frames


def equal_and_mixed(case, *arguments):
    """The four systems of the comparisons with LAMMPS."""
    for seed, (ratio, periodic) in enumerate(((1, False), (1, True), (4, False), (4, True)), start=1):
        case(*arguments, f"{'equal' if ratio == 1 else f'ratio {ratio}'}, {'periodic' if periodic else 'walls'}", ratio, periodic, seed)


def numbers(words):
    """A column as an array of doubles."""
    import numpy
    return numpy.array([float(word) for word in words])


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
