"""Prints every function of the public headers and whether the Python module uses it: `/usr/bin/python3 tests/python/bound.py [HEADER...]`."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(names: list[str]) -> None:
    table = (ROOT / "python" / "scree" / "_abi.py").read_text()
    module = "\n".join(path.read_text() for path in (ROOT / "python" / "scree").glob("*.py") if path.name != "_abi.py")
    counts = {"used": 0, "bound": 0, "-": 0}
    for header in sorted((ROOT / "include" / "scree").glob("*.h")):
        if names and header.name not in names:
            continue
        for function in re.findall(r"SCREE_API[^;(]*?\b(scree_\w+)\(", header.read_text()):
            what = "used" if re.search(rf"\blib\.{function}\b", module) else "bound" if f'"{function}"' in table else "-"
            counts[what] += 1
            print(f"{header.name:16} {function:40} {what}")
    print(f"{counts['used']} used, {counts['bound']} bound and not used, {counts['-']} not bound")


main(sys.argv[1:])
