#!/usr/bin/env bash
# planted.sh SOURCE BUILD: no program and no library opens anything in the working directory: modules and libraries of the
# names that are looked for lie there and above it, and each would leave a file. Built, installed, and as in a wheel; and no
# path for libraries in any of our files has an empty or a relative element.
set -euo pipefail
source=$1 build=$(cd "$2" && pwd -P)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset DESTDIR SCREE_CUDA_MODULE SCREE_MPI_MODULE SCREE_LIBRARY_DIR LD_LIBRARY_PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HWLOC_HIDE_ERRORS=2
bad=0
fault() { echo "$*" >&2; bad=1; }

cmake --install "$build" --prefix "$scratch/prefix" > "$scratch/log" || { cat "$scratch/log"; exit 1; }
prefix=$scratch/prefix
packages=$(dirname "$(dirname "$(find "$prefix" -path '*/scree/__init__.py')")")

# ---- Paths for libraries -----------------------------------------------------------------------------------------------

seen=0
while read -r file; do
    paths=$(readelf -d "$file" 2> "$scratch/log" | sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]/\2/p')
    [ -n "$paths" ] || continue
    seen=$((seen + 1))
    while read -r element; do
        case $element in
            /* | '$ORIGIN' | '$ORIGIN/'*) ;;
            *) fault "$file: '$element' in its path for libraries, $paths; expected '/...' or '\$ORIGIN'" ;;
        esac
    done <<< "${paths//:/$'\n'}"
done < <(find "$build" "$prefix" -path '*/CMakeFiles/*' -prune -o -type f \( -name '*.so*' -o -perm -u+x \) -print)
[ "$seen" -gt 1 ] || fault "readelf saw no path for libraries at all"

# ---- What is planted ---------------------------------------------------------------------------------------------------

cat > "$scratch/planted.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void leave(void)
{
    const char* path = getenv("PLANTED");
    FILE* file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL)
        fclose(file);
}
C
${CC:-cc} -shared -fPIC -o "$scratch/planted.so" "$scratch/planted.c"
here=$scratch/above/work
names="libscree_cuda.so libscree_mpi.so $(for file in "$build"/scree-mpi "$build"/libscree_mpi.so; do
    readelf -d "$file" 2> "$scratch/log" | sed -nE 's/.*\(NEEDED\).*\[(lib(sc|p4est|mpi)[-.].*)\]/\1/p'; done)"
for folder in "$here" "$here/lib" "$here/scree" "$scratch/above" "$scratch/above/lib"; do
    mkdir -p "$folder"
    for name in $names; do cp "$scratch/planted.so" "$folder/$name"; done
done
printf 'x,y,z,r\n0,0,0,1\n1,0,0,1\n' > "$here/two.csv"
export PLANTED=$scratch/opened
cd "$here"

# clean WHAT COMMAND...: runs it; what it prints and how it ends does not matter, since a module need not be there.
clean() {
    local what=$1
    shift
    timeout 60 "$@" > "$scratch/log" 2>&1 < /dev/null || true
    if [ -e "$PLANTED" ]; then
        fault "$what opened a file of the working directory: $*"
        rm "$PLANTED"
    fi
}

# As a program finds itself by argv[0]: a name alone, and paths from here.
programs() {  # WHAT FOLDER
    local name
    clean "$1" env PATH="$2:$PATH" scree contacts two.csv --device cuda
    for name in scree ./scree lib/scree ../scree; do
        clean "$1" bash -c 'exec -a "$0" "$@"' "$name" "$2/scree" contacts two.csv --device cuda
    done
}
programs built "$build"
programs installed "$prefix/bin"

if [ -x "$build/scree-mpi" ]; then
    for program in "$build/scree-mpi" "$(find "$prefix" -name scree-mpi)"; do
        clean "scree-mpi" env PATH="$(dirname "$program"):$PATH" scree-mpi contacts two.csv --device cuda
        env PATH="$(dirname "$program"):$PATH" scree-mpi --help > "$scratch/log" 2>&1 || fault "$program --help: $(cat "$scratch/log")"
    done
fi

# ---- Python: of the checkout, installed, and with its libraries within, as a wheel has them ------------------------------

mkdir -p "$scratch/wheel/scree/lib"
cp "$source"/python/scree/*.py "$scratch/wheel/scree"
cp "$build"/libscree*.so.[0-9] "$scratch/wheel/scree/lib"
cat > "$scratch/use.py" <<'PY'
import ctypes
import os
import sys
import scree
from scree._library import lib
os.chdir(sys.argv[1])
try:
    index = scree.Index(device="cuda")
    index.update([[0, 0, 0], [1, 0, 0]], 0.6)
    index.pairs()
except scree.ScreeError as error:
    print(error)
lib.scree_par_create(0, ctypes.byref(ctypes.c_void_p()))
PY
python() { clean "$1" env "${@:2}" /usr/bin/python3 -B "$scratch/use.py" "$here"; }
python "Python in a checkout" PYTHONPATH="$source/python" SCREE_LIBRARY_DIR="$build"
python "Python, installed" PYTHONPATH="$packages"
python "Python, as a wheel" PYTHONPATH="$scratch/wheel"
cd "$(dirname "$build")"
python "Python with a relative folder" PYTHONPATH="$source/python" SCREE_LIBRARY_DIR="$(basename "$build")"
cd "$build"
python "Python with the folder '.'" PYTHONPATH="$source/python" SCREE_LIBRARY_DIR=.

[ "$bad" -eq 0 ] && echo "nothing of the working directory was opened"
exit "$bad"
