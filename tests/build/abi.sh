#!/usr/bin/env bash
# abi.sh SOURCE BUILD: programs that were compiled with the binary interface that is kept in tests/abi go on working, or the SONAME has changed (tools/abi); and the libraries have that SONAME.
set -euo pipefail
source=$1 build=$2
number=$(sed -nE 's/#define SCREE_ABI ([0-9]+)/\1/p' "$source/include/scree/base.h")
for library in scree scree_files scree_show; do
    found=$(readelf -d "$build/lib$library.so" | sed -nE 's/.*\(SONAME\).*\[(.*)\]/\1/p')
    [ "$found" = "lib$library.so.$number" ] || { echo "lib$library.so has the SONAME $found; lib$library.so.$number was expected" >&2; exit 1; }
done
"$source/tools/abi" check
