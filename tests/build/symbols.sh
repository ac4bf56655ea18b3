#!/usr/bin/env bash
# symbols.sh SOURCE BUILD: the libraries, shared and static, export what the public headers declare with SCREE_API, and nothing else; and every
# public function that takes a pointer is called with NULL by tests/test_arguments.c.
set -euo pipefail
source=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

defaults='s/SCREE_DEFAULTS\((scree_[a-z_]+), (scree_[a-z_]+)\)/;SCREE_API size_t \2_sized(\1* out, size_t size);/'
declared() {  # HEADERS...: the names declared in them with SCREE_API
    cat "$@" | sed -E -e 's|//.*||' -e '/^#/d' -e "$defaults" | tr '\n' ' ' | tr ';{}' '\n\n\n' |
        sed -nE 's/.*SCREE_API[^(]*[ *](scree_[a-z0-9_]+) *\(.*/\1/p' | sort -u
}
exported() {  # LIBRARY
    local shown=--extern-only
    case $1 in *.so) shown=-D ;; esac
    nm "$shown" --defined-only "$1" | awk 'NF == 3 { print $3 }' | sed 's/@.*//' | sort -u
}

computing=() reading=() showing=()  # headers of libscree, libscree_files and libscree_show
for header in "$source"/include/scree/*.h; do
    case $(basename "$header") in
        files.h | outlines.h | checkpoint.h | scene.h | run.h) reading+=("$header") ;;
        film.h | picture.h | plot.h | report.h | view.h) showing+=("$header") ;;
        *) computing+=("$header") ;;
    esac
done
declared "${computing[@]}" > "$scratch/scree.declared"
declared "${reading[@]}" > "$scratch/scree_files.declared"
declared "${showing[@]}" > "$scratch/scree_show.declared"
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

# Those whose parameters have a pointer or an array; the door for memory and messages takes NULL as it comes, and so do the functions behind defaults.
cat "$source"/include/scree/*.h | sed -E -e 's|//.*||' -e '/^#/d' -e "$defaults" | tr '\n' ' ' | tr ';{}' '\n\n\n' |
    sed -nE 's/.*SCREE_API[^(]*[ *](scree_[a-z0-9_]+) *\((.*[*[].*)/\1/p' | sort -u |
    grep -vE '^scree_(fail|realloc|free)$|_sized$' > "$scratch/pointers"
[ -s "$scratch/pointers" ] || { echo "no function with a pointer found" >&2; bad=1; }
while read -r name; do
    grep -qE "\b$name\b" "$source/tests/test_arguments.c" || { echo "tests/test_arguments.c does not call $name" >&2; bad=1; }
done < "$scratch/pointers"
exit $bad
