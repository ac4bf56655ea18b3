#!/usr/bin/python3 -B
"""tools/prototypes.py exported|called [FOLDER]: the functions of the public headers, one `HEADER DECLARATION` per line: as the libraries export them, or as programs call them.

Most are plain declarations with SCREE_API. Those of SCREE_DEFAULTS, SCREE_RESULT, SCREE_VALUE, SCREE_ROWS and SCREE_RELEASE (scree/base.h) are called by one name and exported by another, with
the size of the caller's struct. Everything that compares headers with something else reads them through this file.
"""
import re
import sys
from pathlib import Path

HEADERS = Path(__file__).resolve().parent.parent / "include" / "scree"
FILES = {"checkpoint", "files", "outlines", "run", "scene"}
SHOW = {"film", "picture", "plot", "report", "view"}

# macro: (pattern of its arguments, exported, called)
MACROS = {
    "DEFAULTS": (r"(scree_\w+), (scree_\w+)", r"size_t \2_sized(\1* out, size_t size)", r"\1 \2(void)"),
    "RESULT": (r"(scree_\w+), \(((?:[^()]|\([^()]*\))*)\), \([^()]*\)", r"scree_status \1_sized(size_t size, \2)", r"scree_status \1(\2)"),
    "ROWS": (r"(scree_\w+), \(((?:[^()]|\([^()]*\))*)\), \([^()]*\)", r"int32_t \1_sized(size_t size, \2)", r"int32_t \1(\2)"),
    "VALUE": (r"(scree_\w+), (scree_\w+), \(((?:[^()]|\([^()]*\))*)\), \([^()]*\)", r"void \2_sized(size_t size, \1* out, \3)", r"\1 \2(\3)"),
    "RELEASE": (r"(scree_\w+), (scree_\w+)", r"void \2_sized(size_t size, \1* given)", r"void \2(\1* given)"),
}


def library_of(header):
    """The library that has the functions of a header, by the header's name without .h."""
    return "scree_files" if header in FILES else "scree_show" if header in SHOW else "scree"


def expanded(text, exported):
    """A header without comments and directives, with plain declarations in place of the macros."""
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", re.sub(r"//[^\n]*", "", text), flags=re.M)
    text = re.sub(r"\s*\bSCREE_PRINTF\([^)]*\)", "", text)
    for name, (arguments, out, called) in MACROS.items():
        text = re.sub(rf"\bSCREE_{name}\({arguments}\)", "SCREE_API " + (out if exported else called) + ";", re.sub(r"[ \t]+", " ", text))
    return text


def prototypes(exported, headers=HEADERS):
    """[(name of the header without .h, declaration without SCREE_API)]"""
    found = []
    for path in sorted(headers.glob("*.h")):
        for one in re.findall(r"SCREE_API\s+([^;{}]*?\))\s*;", expanded(path.read_text(), exported)):
            found.append((path.stem, re.sub(r"\s+", " ", one)))
    return found


def growing_results(headers=HEADERS):
    """The structs that functions fill by the size of the caller's."""
    return {kind for _, one in prototypes(True, headers) for kind in re.findall(r"_sized\(size_t size, .*?\b(scree_\w+)\* (?:out|given)\b", one)}


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in ("exported", "called"):
        sys.exit("usage: tools/prototypes.py exported|called [FOLDER]")
    for header, one in prototypes(sys.argv[1] == "exported", *map(Path, sys.argv[2:])):
        print(header, one)


if __name__ == "__main__":
    main()
