#!/usr/bin/env bash
# headers.sh SOURCE BUILD: every public header compiles alone, and twice, as C17 and as C++17, by gcc and by clang. scree.hpp has a class for every function that frees, destroys or ends, and consumer/raii.cpp uses each.
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$source/include")
count=0
for header in "$source"/include/scree/*.h "$source"/include/scree/*.hpp; do
    name=scree/$(basename "$header")
    printf '#include <%s>\n#include <%s>\n' "$name" "$name" | tee "$scratch/alone.c" > "$scratch/alone.cpp"
    for compiler in gcc clang g++ clang++; do
        command -v $compiler > /dev/null || { echo "$compiler is not here"; continue; }
        case $name:$compiler in
            *.hpp:gcc | *.hpp:clang) continue ;;
            *++) $compiler -std=c++17 "${flags[@]}" "$scratch/alone.cpp" ;;
            *) $compiler -std=c17 -Wstrict-prototypes "${flags[@]}" "$scratch/alone.c" ;;
        esac || { echo "$name does not compile alone by $compiler" >&2; exit 1; }
        count=$((count + 1))
    done
done
for name in $("$source/tools/prototypes.py" called "$source/include/scree" | sed -nE 's/.* (scree_[a-z_]+_(free|destroy|end))\(scree_[a-z_]+\*.*/\1/p'); do
    grep -q ", $name>" "$source/include/scree/scree.hpp" || { echo "scree.hpp has no class that calls $name" >&2; exit 1; }
done
for name in $(sed -nE 's/^using ([a-z_]+) = .*/\1/p' "$source/include/scree/scree.hpp"); do
    grep -qw "scree::$name" "$source/tests/build/consumer/raii.cpp" || { echo "consumer/raii.cpp does not use scree::$name" >&2; exit 1; }
done
[ $count -gt 0 ] || { echo "no header or no compiler found" >&2; exit 1; }
echo "$count compilations"
