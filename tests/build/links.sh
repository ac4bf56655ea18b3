#!/usr/bin/env bash
# links.sh SOURCE BUILD: libscree needs libc and libm only; libscree_files these, libscree, expat, libyaml and zlib; libscree_show these libraries of scree, libpng and zlib.
set -euo pipefail
build=$2
needed() { readelf -d "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p'; }
bad=0
for library in scree scree_files scree_show; do
    list=$(needed "$build/lib$library.so")
    [ -n "$list" ] || { echo "readelf saw nothing in lib$library.so" >&2; bad=1; }
    for name in $list; do
        case $library:$name in
            *:libc.so.* | *:libm.so.* | *:ld-linux*) ;;  # ld-linux: thread-local variables of the C library
            *:libpthread.so.*) ;;  # part of the C library
            scree_files:libscree.so.* | scree_files:libexpat.so.* | scree_files:libyaml-0.so.* | scree_files:libz.so.*) ;;
            scree_show:libscree.so.* | scree_show:libscree_files.so.* | scree_show:libpng*.so.* | scree_show:libz.so.*) ;;
            *) echo "lib$library.so needs $name" >&2; bad=1 ;;
        esac
    done
    echo "lib$library.so needs" $list
done
exit $bad
