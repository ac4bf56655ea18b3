"""What both peer checks need: spheres as CSV, a run of scree, the answer, and the rule for a peer that is missing.

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


def check(condition, text):
    if not condition:
        print(f"FAILED: {text}")
        sys.exit(1)
