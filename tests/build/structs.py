#!/usr/bin/python3 -B
"""structs.py SOURCE BUILD: every public struct can grow in a later version without breaking compiled programs, or is listed here as one that never changes.

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

# These stay as they are until SCREE_ABI changes. What they are for is complete; more of it would be another struct.
FIXED = {
    "base types, passed and stored by value": "rng watch tasks allocator box container wall spheres column sphere_set points placement signal",
    "arrays and their length, which callers also make or hand back": "pairs found_pairs neighbours hit hits polygon shapes body body_set outline_set rods triangles frame_times fields "
        "surface_rows surface_contact contact_table checkpoint checkpoint_number checkpoint_column checkpoint_memory checkpoint_motions checkpoint_bonds checkpoint_flow",
    "the state of a simulation, which callers hand back to it": "sim_state polygon_sim_state sim_memory sim_bonds sim_contacts sim_walls sim_motion sim_values sim_cell_state contact",
    "parts of results": "fabric group_sums levels_row density contact_counts pair_distribution size_curve nearest hierarchy_level sim_flow sim_share sim_overlap run_curve",
    "read or written in inner loops": "neighbour_row neighbour_rows neighbour_change candidate_items sim_crossing",
    "what callers give or keep for a single call": "pair_source table_column event_until film_extent saturation place_report rearrange_state bytes pack_saver series guide run_progress run_frame scene_key",
    "a row of a list that the library owns, and that callers may also make for a single call": "quantity",
}


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
    fixed = {f"scree_{word}" for words in FIXED.values() for word in words.split()}
    faults = [f"{name} is listed as fixed and is not a public struct" for name in sorted(fixed - set(structs))]
    faults += [f"{name} is listed as fixed, and begins with struct_size or is filled by its size" for name in sorted(fixed & (sized | growing))]
    faults += [f"{structs[name]}.h: {name}: functions that fill it do not know the caller's size, and it has no struct_size; expected SCREE_RESULT or struct_size, or a line in {Path(__file__).name}"
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
