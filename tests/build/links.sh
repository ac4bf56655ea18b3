#!/usr/bin/env bash
# links.sh SOURCE BUILD: libscree needs libc and libm only; libscree_files these, libscree, expat,
# libpng, libyaml and zlib.
set -euo pipefail
build=$2
needed() { readelf -d "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p'; }
bad=0
for library in scree scree_files; do
    list=$(needed "$build/lib$library.so")
    [ -n "$list" ] || { echo "readelf saw nothing in lib$library.so" >&2; bad=1; }
    for name in $list; do
        case $name in
            libc.so.* | libm.so.* | ld-linux*) ;;  # ld-linux: thread-local variables of the C library
            libpthread.so.*) ;;  # part of the C library
            libscree.so.* | libexpat.so.* | libpng*.so.* | libyaml-0.so.* | libz.so.*)
                [ $library = scree_files ] || { echo "lib$library.so needs $name" >&2; bad=1; } ;;
            *) echo "lib$library.so needs $name" >&2; bad=1 ;;
        esac
    done
    echo "lib$library.so needs" $list
done
exit $bad
