#!/usr/bin/env bash
# symbols.sh SOURCE BUILD: the shared libraries export what the public headers declare with SCREE_API, and nothing else.
set -euo pipefail
source=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

declared() {  # HEADERS...: the names declared in them with SCREE_API
    cat "$@" | sed -e 's|//.*||' -e '/^#/d' | tr '\n' ' ' | tr ';{}' '\n\n\n' |
        sed -nE 's/.*SCREE_API[^(]*[ *](scree_[a-z0-9_]+) *\(.*/\1/p' | sort -u
}
exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | sort -u; }

computing=() reading=()  # headers of libscree and of libscree_files
for header in "$source"/include/scree/*.h; do
    case $(basename "$header") in
        files.h | outlines.h | picture.h | plot.h | report.h | checkpoint.h | scene.h | run.h | view.h) reading+=("$header") ;;
        *) computing+=("$header") ;;
    esac
done
declared "${computing[@]}" > "$scratch/scree.declared"
declared "${reading[@]}" > "$scratch/scree_files.declared"
bad=0
for library in scree scree_files; do
    exported "$build/lib$library.so" > "$scratch/$library.exported"
    [ -s "$scratch/$library.declared" ] || { echo "no declaration found for lib$library" >&2; bad=1; }
    while read -r name; do
        echo "lib$library.so exports $name, which its public headers do not declare" >&2
        bad=1
    done < <(comm -13 "$scratch/$library.declared" "$scratch/$library.exported")
    while read -r name; do
        echo "lib$library.so lacks $name, which its public headers declare" >&2
        bad=1
    done < <(comm -23 "$scratch/$library.declared" "$scratch/$library.exported")
    echo "lib$library.so: $(wc -l < "$scratch/$library.exported") symbols"
done
exit $bad
