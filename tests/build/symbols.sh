#!/usr/bin/env bash
# symbols.sh SOURCE BUILD: the libraries, shared and static, export what the public headers declare with SCREE_API, and nothing else; and every
# public function that takes a pointer is called with NULL by tests/test_arguments.c or test_arguments_files.c.
set -euo pipefail
source=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

declared() {  # LIBRARY: the names that it is to export
    "$source/tools/prototypes.py" exported "$source/include/scree" | awk -v library="$1" '
        { of = $1 ~ /^(files|outlines|checkpoint|scene|run)$/ ? "scree_files" : $1 ~ /^(film|picture|plot|report|view)$/ ? "scree_show" : "scree" }
        of == library' | sed -nE 's/^[^(]*[ *](scree_[a-z0-9_]+)\(.*/\1/p' | sort -u
}
exported() {  # LIBRARY
    local shown=--extern-only
    case $1 in *.so) shown=-D ;; esac
    nm "$shown" --defined-only "$1" | awk 'NF == 3 { print $3 }' | sed 's/@.*//' | sort -u
}

for library in scree scree_files scree_show; do
    declared $library > "$scratch/$library.declared"
done
bad=0
for file in libscree.so libscree_files.so libscree_show.so libscree.a libscree_files.a libscree_show.a; do
    library=${file#lib} library=${library%.*}
    exported "$build/$file" > "$scratch/exported"
    [ -s "$scratch/$library.declared" ] || { echo "no declaration found for $file" >&2; bad=1; }
    while read -r name; do
        echo "$file exports $name, which its public headers do not declare" >&2
        bad=1
    done < <(comm -13 "$scratch/$library.declared" "$scratch/exported")
    while read -r name; do
        echo "$file lacks $name, which its public headers declare" >&2
        bad=1
    done < <(comm -23 "$scratch/$library.declared" "$scratch/exported")
    echo "$file: $(wc -l < "$scratch/exported") symbols"
done

# Those whose parameters have a pointer or an array; functions for memory and messages accept NULL.
"$source/tools/prototypes.py" called "$source/include/scree" | sed -nE 's/^[^(]*[ *](scree_[a-z0-9_]+)\((.*[*[].*)/\1/p' | sort -u |
    grep -vE '^scree_(fail|realloc|free)$' > "$scratch/pointers"
[ -s "$scratch/pointers" ] || { echo "no function with a pointer found" >&2; bad=1; }
while read -r name; do
    grep -qE "\b$name\b" "$source"/tests/test_arguments*.c || { echo "tests/test_arguments*.c does not call $name" >&2; bad=1; }
done < "$scratch/pointers"
exit $bad
