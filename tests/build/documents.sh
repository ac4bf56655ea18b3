#!/usr/bin/env bash
# documents.sh SOURCE BUILD: every whole C program in README.md and docs/ compiles; where a block marked as text follows
# it, it also runs and prints just that. README.md has such an example, and one for the shell.
# Links to files of the repository lead somewhere, and CITATION.cff and CHANGELOG.md know the version of base.h.
set -euo pipefail
source=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-std=c17 -Wall -Wextra -Wpedantic -Werror -I"$source/include")
count=0 readme=0

for page in "$source/README.md" "$source"/docs/*.md; do
    rm -f "$scratch"/*
    # Block k goes to k.c; a text block that follows it, to k.wanted; one after the words "With this `NAME`" is a file.
    awk -v folder="$scratch" '
        /^```/ && out { close(out); out = ""; next }
        /^```c$/ { ++k; out = folder "/" k ".c"; last = k; next }
        /^```sh$/ { ++k; out = folder "/" k ".sh"; last = k; next }
        /^With this `[^`\/]+`$/ { file = $0; gsub(/^With this `|`$/, "", file) }
        /^```text$/ && file { out = folder "/" file; file = ""; next }
        /^```text$/ && last { out = folder "/" last ".wanted"; last = 0; next }
        /^```/ { out = "/dev/null"; last = 0; next }
        out { print > out }' "$page"
    for code in "$scratch"/*.c; do
        [ -e "$code" ] && grep -q 'int main(' "$code" || continue
        base=${code%.c}
        ${CC:-cc} "${flags[@]}" "$code" -L"$build" -lscree_files -lscree -lm -Wl,-rpath,"$build" -o "$base.run" ||
            { echo "$page: its C program $(basename "$base") does not compile" >&2; exit 1; }
        count=$((count + 1))
        [ -e "$base.wanted" ] || continue
        (cd "$scratch" && "$base.run") > "$base.printed" || { echo "$page: its C program $(basename "$base") fails" >&2; exit 1; }
        diff -u "$base.wanted" "$base.printed" || { echo "$page: its C program $(basename "$base") prints something else" >&2; exit 1; }
        if [ "$page" = "$source/README.md" ]; then readme=1; fi
    done
    [ "$page" = "$source/README.md" ] || continue
    for code in "$scratch"/*.sh; do
        base=${code%.sh}
        [ -e "$base.wanted" ] || continue
        (cd "$scratch" && PATH=$build:$PATH bash -e "$code") > "$base.printed" || { echo "$page: its commands fail" >&2; exit 1; }
        diff -u "$base.wanted" "$base.printed" || { echo "$page: its commands print something else" >&2; exit 1; }
        count=$((count + 1))
    done
done
bad=0
for page in "$source"/*.md "$source"/docs/*.md; do
    while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || { echo "$page: there is no $link" >&2; bad=1; }
    done < <(grep -oE '\]\([^)#: ]+' "$page" | cut -c3-)
done
version=$(sed -nE 's/#define SCREE_VERSION_[A-Z]+ ([0-9]+)/\1/p' "$source/include/scree/base.h" | paste -sd.)
for page in CITATION.cff CHANGELOG.md; do
    grep -qE "^(version: |## )$version(,|$)" "$source/$page" || { echo "$page does not know version $version" >&2; bad=1; }
done
[ $bad = 0 ] || exit 1
[ $readme = 1 ] || { echo "README.md has no C example with its output" >&2; exit 1; }
echo "$count examples"
