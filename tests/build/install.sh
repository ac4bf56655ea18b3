#!/usr/bin/env bash
# install.sh SOURCE BUILD: installs the build below a new prefix, moves that, and builds and runs a small user of it by
# find_package (C and C++, shared and static) and by pkg-config (shared and static); and the Python module is imported from there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset DESTDIR
fail() { echo "$*" >&2; exit 1; }

cmake --install "$build" --prefix "$scratch/first" > "$scratch/log" || { cat "$scratch/log"; exit 1; }
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix
"$prefix/bin/scree" --help > /dev/null || fail "the installed program does not run"

for file in man/man1/scree.1 man/man1/scree-pack.1 man/man1/scree-bench.1 bash-completion/completions/scree zsh/site-functions/_scree; do
    [ -s "$prefix/share/$file" ] || fail "share/$file is not installed"
done
[ "$(ls "$prefix/share/man/man1")" = "$(cd "$build/man" && ls ./*.1 | sed 's|./||')" ] || fail "share/man/man1 holds $(ls "$prefix/share/man/man1")"
if command -v man > /dev/null; then
    MANPATH=$prefix/share/man MANPAGER=cat PAGER=cat man scree-pack 2> "$scratch/log" | grep -q -e '--sizes' || fail "man scree-pack: $(cat "$scratch/log")"
fi

run() {  # NAME PROGRAM: prints what it should
    local out
    out=$("$2" "$here/consumer/three.csv") || fail "$1: $2 failed: $out"
    [ "$out" = "3 spheres, 1 pair: 0 1" ] || fail "$1 printed: $out"
    echo "$1: fine"
}

for language in C CXX; do
    cmake -S "$here/consumer" -B "$scratch/$language" -DLANGUAGE=$language -DCMAKE_PREFIX_PATH="$prefix" \
        > "$scratch/log" 2>&1 && cmake --build "$scratch/$language" > "$scratch/log" 2>&1 ||
        { cat "$scratch/log" >&2; fail "find_package in $language"; }
    for kind in shared static; do run "find_package, $language, $kind" "$scratch/$language/consumer_$kind"; done
    if [ $language = CXX ]; then run "scree.hpp" "$scratch/CXX/consumer_raii"; fi
    grep -q 'scree_DIR:PATH='"$scratch" "$scratch/$language/CMakeCache.txt" || fail "another scree was found"
done

cmake -S "$here/consumer/core" -B "$scratch/core" -DCMAKE_PREFIX_PATH="$prefix" > "$scratch/log" 2>&1 &&
    cmake --build "$scratch/core" > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "find_package without EXPAT, PNG and ZLIB"; }
for kind in scree scree_static; do run "find_package of the core, $kind" "$scratch/core/core_$kind"; done

packages=$(dirname "$(dirname "$(find "$prefix" -path '*/scree/__init__.py')")")
out=$(env -u SCREE_LIBRARY_DIR PYTHONPATH="$packages" /usr/bin/python3 -B -c "
import scree, scree._library
print(scree._library.folder.resolve())
print(scree.pairs([[0, 0, 0], [1, 0, 0], [5, 0, 0]], 0.6).tolist())") || fail "the installed Python module does not work"
[ "$out" = "$(cd "$(dirname "$(find "$prefix" -name libscree.so)")" && pwd -P)"$'\n'"[[0, 1]]" ] || fail "the Python module printed: $out"
echo "Python: fine"

libdir=$(dirname "$(find "$prefix" -name scree.pc)")/..
export PKG_CONFIG_PATH=$libdir/pkgconfig
cc=${CC:-cc}
cp "$here/consumer/main.c" "$here/consumer/clash.h" "$scratch"
$cc -std=c17 $(pkg-config --cflags scree_show) "$scratch/main.c" $(pkg-config --libs scree_show) -Wl,-rpath,"$libdir" \
    -o "$scratch/shared"
run "pkg-config, shared" "$scratch/shared"
readelf -d "$scratch/shared" | grep -q libscree_show.so || fail "the shared one does not use the shared library"
$cc -std=c17 -static $(pkg-config --cflags scree_show) "$scratch/main.c" $(pkg-config --static --libs scree_show) \
    -o "$scratch/static" 2> "$scratch/log" || { cat "$scratch/log" >&2; fail "pkg-config --static"; }
run "pkg-config, static" "$scratch/static"
