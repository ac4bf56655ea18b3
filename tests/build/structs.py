#!/usr/bin/python3 -B
"""structs.py SOURCE BUILD: every public struct can grow in a later version without breaking compiled programs, or docs/stability.md lists it as one that never changes.

A struct grows by new members at its end. That is safe if the library knows which size the caller has: from `struct_size`, its first member, where callers fill it, and from the size that SCREE_RESULT
and its kin (scree/base.h) pass along where functions fill it. Such a struct is held by pointer, never by value, in another one; and one that functions fill is not read by other functions.
"""
import re
import sys
from pathlib import Path

source = Path(sys.argv[1])
sys.path.insert(0, str(source / "tools"))
from prototypes import expanded, growing_results, prototypes  # noqa: E402

HEADERS = source / "include" / "scree"


def fixed_structs():
    """Those that never change until SCREE_ABI does: the table under that heading of docs/stability.md, which also says why."""
    page = (source / "docs" / "stability.md").read_text().split("### Structs that never change\n")[1].split("\n#")[0]
    return set(re.findall(r"`(scree_\w+)`", page))



def read():
    structs, members = {}, {}
    for path in sorted(HEADERS.glob("*.h")):
        for name, body in re.findall(r"typedef struct (scree_\w+) \{(.*?)\n\} \1;", expanded(path.read_text(), False), re.S):
            structs[name] = path.stem
            members[name] = re.findall(r"(const )?\b(scree_\w+)\s*(\**)\s*(?=\w)", re.sub(r"\([^;]*\)", "", body)) + ([("", "struct_size", "")] if re.match(r"\s*uint32_t struct_size", body) else [])
    return structs, members


def main():
    structs, members = read()
    sized = {name for name in structs if ("", "struct_size", "") in members[name]}
    growing = growing_results(HEADERS) - sized
    fixed = fixed_structs()
    faults = [f"{name} is in the table of docs/stability.md and is not a public struct" for name in sorted(fixed - set(structs))]
    faults += [f"{name} is in the table of docs/stability.md as one that never changes, and begins with struct_size or is filled by its size" for name in sorted(fixed & (sized | growing))]
    faults += [f"{structs[name]}.h: {name}: functions that fill it do not know the caller's size, and it has no struct_size; expected SCREE_RESULT or struct_size, or a line in docs/stability.md"
               for name in sorted(set(structs) - sized - growing - fixed)]
    for name in sorted(structs):
        faults += [f"{structs[name]}.h: {name} holds {kind} by value; expected a pointer, so that both can grow" for _, kind, stars in members[name] if kind in sized | growing and not stars]
    for header, one in prototypes(False, HEADERS):
        for kind in re.findall(r"const (scree_\w+)\s*\*", one):
            if kind in growing and "scree_run_balance" not in one:  # it reads members of the first version alone
                faults.append(f"{header}.h: {one}: reads {kind}, whose size it does not know")
    print("\n".join(faults) or f"{len(sized)} structs with struct_size, {len(growing)} filled by size, {len(fixed)} fixed")
    sys.exit(1 if faults else 0)


main()
