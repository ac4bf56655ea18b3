#!/usr/bin/env bash
# scree bench: the papers' figures and tables at --quick, all of them once. Counts of the CSVs are compared with what is known, pages with what they
# should say. Seconds are not looked at.
. "$(dirname "$0")/lib.sh"

# column FILE NAME ROW: a value of a CSV, rows from 1. where FILE NAME TEXT...: of the first row whose first columns hold these texts or numbers.
column() { awk -F, -v name="$2" -v row="$3" 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == name) at = k } NR == row + 1 { print $at }' "$1"; }
where() {
    local file=$1 name=$2
    shift 2
    awk -F, -v name="$name" -v wanted="$(IFS=,; echo "$*")" 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == name) at = k; n = split(wanted, w, ","); next }
        { ok = 1; for (k = 1; k <= n; ++k) if ($k != w[k]) ok = 0; if (ok) { print $at; exit } }' "$file"
}
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a != "" && a >= b - t && a <= b + t) }' || fail "$4: $1, wanted $2 to $3"; }
above() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a > b) }' || fail "$3: $1, wanted more than $2"; }
page() { grep -qF -- "$2" "papers/$1.md" || fail "papers/$1.md lacks: $2"; }
well_formed() { python3 -c 'import sys, xml.dom.minidom; [xml.dom.minidom.parse(f) for f in sys.argv[1:]]' "$@" 2>err || fail "SVG that is not XML"; }
valid_json() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' out 2>err || fail "JSON that is not valid"; }

# One of them cannot be written: the others go on.
mkdir -p papers/cells.md
run 1 bench all --quick -o papers
says '1 of 16 failed'
grep -q '^| cells | failed' papers/index.md || fail 'index.md does not say that cells failed'
rmdir papers/cells.md
run 0 bench cells --quick -o papers; prints 'written: papers/cells.md'
[ -z "$(find papers -name '.*')" ] || fail "left over: $(find papers -name '.*')"
for name in muth-2d muth-3d muth-fracture muth-matrix cells ogarko-levels ogarko-range ogarko-scaling ogarko-systems raschdorf-neighbours raschdorf-levels \
            raschdorf-lists raschdorf-loose sequential methods; do
    grep -q "^| \[\{0,1\}$name[] ]" papers/index.md || fail "index.md lacks $name"
    [ -s "papers/$name.csv" ] && [ -s "papers/$name.md" ] || fail "$name: no table or no page"
    for figure in $(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "papers/$name.md"); do
        [ -s "papers/$figure" ] && [ -s "papers/${figure%.svg}$(case $figure in *.svg) echo .png ;; esac)" ] || fail "$name: $figure is not there"
    done
    grep -q '^!\[' "papers/$name.md" || fail "$name: no figure"
done
well_formed papers/*.svg
grep -lF '**differs**' papers/*.md | sed 's|papers/||; s|\.md||' | tr '\n' ' ' >differing
[ "$(cat differing)" = 'muth-3d muth-fracture ogarko-scaling raschdorf-lists ' ] || fail "other pages than expected differ: $(cat differing)"
page muth-3d '**differs**: linear-list'
page muth-2d '**agrees**: Verlet lists'

# Muth et al.
near "$(column papers/cells.csv tests 6)" "$(column papers/cells.csv eq_3_with_faces 6)" 37525 'Eq. 3 with faces, 12 cells along an axis'
above "$(where papers/muth-fracture.csv work_per_sphere linked-cells 32374)" "$(where papers/muth-fracture.csv work_per_sphere linear-list 32374)" 'linked cells at R/r = 4'
above "$(column papers/muth-matrix.csv mean_index_distance 2)" 12 'partners have mixed'
# Swaps of the list go as n^(2/3) per sphere: 8.27 times from 512 to 12167.
swaps() { awk -F, -v n="$1" '$1 == 3000 && $3 == n { print $4 }' papers/muth-3d-paths.csv; }
near "$(awk -v a="$(swaps 12167)" -v b="$(swaps 512)" 'BEGIN { print a / b }')" 8.27 0.5 'swaps of the linked linear list'
# Ogarko and Luding: one level, 8001 spheres in a cell or so; every sphere against every other, halved.
near "$(where papers/ogarko-levels.csv box_tests 'uniform volume 50' 0.58 1)" 4000 1 'one level tests all pairs'
near "$(where papers/ogarko-levels.csv model 'uniform volume 50' 0.58 7)" 4.0 1.0 'model at 7 levels'
above "$(where papers/ogarko-range.csv cells iwai 0 1)" "$(where papers/ogarko-range.csv cells half-cell 0 1)" 'cells of Iwai'
# Raschdorf and Kolonko.
near "$(where papers/raschdorf-neighbours.csv spheres equal linked-cells)" 32.9 0.2 'grid, equal spheres'
near "$(where papers/raschdorf-neighbours.csv spheres equal octree 1 0)" 1920 192 'octree, equal spheres'
near "$(where papers/raschdorf-neighbours.csv spheres equal loose-octree 1 0)" 47.0 3.8 'loose octree, equal spheres'
near "$(where papers/raschdorf-neighbours.csv spheres Fuller linked-cells)" 9999 0.01 'grid, Fuller'
near "$(where papers/raschdorf-neighbours.csv spheres Fuller loose-octree 1 0)" 31.1 2.5 'loose octree, Fuller'
near "$(where papers/raschdorf-levels.csv spheres equal loose-octree 4)" 9300 500 'equal spheres on level 4'
near "$(where papers/raschdorf-levels.csv spheres Fuller octree 0)" 796 300 'Fuller at the root'
near "$(where papers/raschdorf-lists-packings.csv density equal one-by-one loose-octree)" "$(where papers/raschdorf-lists-packings.csv density equal one-by-one hierarchical-grid)" 0 \
    'one by one over two structures'
above "$(where papers/raschdorf-loose.csv tests Fuller 1 0.1)" 1000 'tests in the strict octree'
near "$(where papers/sequential.csv density equal drop)" 0.58 0.03 'deposition, equal spheres'
near "$(where papers/sequential.csv density equal rearrange)" 0.64 0.015 'rearrangement, equal spheres'
near "$(where papers/sequential.csv density equal grow)" 0.636 0.015 'growth, equal spheres'
# auto, by counted work.
awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == "by_work") at = k; next } $at > 1.1 { exit 1 } END { exit !(NR > 15) }' papers/methods-choice.csv || fail 'auto is not within 10 %'

# JSON: an object, or an array for several.
run 0 bench cells --quick --json; valid_json
run 0 bench cells muth-matrix --quick --json; valid_json

# The user's own spheres.
printf 'x,y,z,r\n' >own.csv
awk 'BEGIN { for (i = 0; i < 1000; ++i) printf "%d,%d,%d,%g\n", i % 10, int(i / 10) % 10, int(i / 100), i % 7 == 0 ? 0.95 : 0.1 }' >>own.csv
run 0 bench methods --quick --file own.csv -o own; prints 'auto took'
[ "$(column own/methods.csv n 1)" = 1000 ] || fail 'methods of a file: not its spheres'
[ "$(column own/methods.csv pairs 1)" = "$("$SCREE" contacts own.csv --json | sed -n 's/^  "pairs": \([0-9]*\).*/\1/p')" ] || fail 'methods of a file: other pairs than its contacts'
run 0 bench ogarko-levels --quick --sizes lognormal:1:0.6 --count 2000 --density 0.4 -o own; prints 'levels predicted'
run 0 bench ogarko-levels --quick --file own.csv
run 0 bench raschdorf-neighbours --quick --sizes mono:1 --count 500 -o own
near "$(where own/raschdorf-neighbours.csv spheres mono:1 linked-cells)" 38.36 0.5 'own equal spheres, 27 of 7^3 cells'
run 0 bench sequential --quick --sizes uniform-size:1:3 --count 300 -o own; prints 'rearrangement is the denser one'
run 0 bench cells --quick --file own.csv -o own
[ "$(column own/cells.csv cells_of_axis 1)" != '' ] && [ -s own/cells-time.svg ] || fail 'cells of a file'
run 0 bench ogarko-range --quick --file own.csv -o own; prints "the same $("$SCREE" contacts own.csv --json | sed -n 's/^  "pairs": \([0-9]*\).*/\1/p') pairs"
run 0 bench ogarko-scaling --quick --sizes uniform-volume:1:3 --count 800 --density 0.4 -o own
[ "$(where own/ogarko-scaling.csv work_relative equal 800)" = 1 ] || fail 'ogarko-scaling: equal spheres beside equal spheres'
run 0 bench raschdorf-levels --quick --file own.csv -o own; [ -s own/raschdorf-levels-own-octree.png ] || fail 'no picture of own spheres by level'
awk -F, 'NR > 1 { sum[$2] += $4 } END { exit !(sum["octree"] == 1000 && sum["loose-octree"] == 1000) }' own/raschdorf-levels.csv || fail 'not every sphere is on a level'
run 0 bench raschdorf-loose --quick --sizes mono:1 --count 300
run 0 bench muth-2d muth-3d --quick --sizes uniform-size:1:2 --count 400
run 1 bench muth-3d --quick --sizes mono:1 --count 100; says 'at least 160'
run 2 bench muth-3d --quick --file own.csv; says 'does not take --file'
printf 'x,y,r\n0,0,1\n3,0,1\n' >flat.csv
run 1 bench sequential --file flat.csv; says '2D'
run 0 bench methods --quick --file flat.csv

# What is refused, and how.
run 2 bench muth-matrix --quick --sizes mono:1; says 'muth-2d, muth-3d, cells, ogarko-levels, ogarko-range, ogarko-scaling, raschdorf-neighbours, raschdorf-levels, raschdorf-loose, sequential, methods'
run 2 bench sequential --quick --sizes mono:1 --density 0.5; says 'does not take --density'
run 2 bench methods --count 100; says 'together with --sizes'
run 2 bench methods --file own.csv --sizes mono:1; says 'do not go with it'
run 2 bench cells --quick -o rows.csv; says 'a folder is wanted'
run 2 bench cells all; says 'it goes alone'
run 2 bench sequential --quick --sizes nonsense:1; says "there is no law 'nonsense'"
run 1 bench ogarko-levels --quick --file flat.csv -o nothing
[ -z "$(ls -A nothing)" ] || fail 'a bench that failed wrote something'
printf 'x\n' >taken
run 1 bench cells --quick -o taken; says 'not a folder'

# Ctrl-C: what is there is whole.
set -m
"$SCREE" bench all --quick -o stopped >out 2>err </dev/null &
pid=$!
set +m
for _ in $(seq 100); do [ -s stopped/muth-2d.md ] || sleep 0.2; done
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail 'Ctrl-C does not end bench all with 130'
[ -z "$(find stopped -name '.*')" ] || fail "Ctrl-C left $(find stopped -name '.*')"
for name in stopped/*.csv; do
    case $name in *-*.csv) ;; *) [ -s "${name%.csv}.md" ] || fail "Ctrl-C: $name has no page" ;; esac
done
finish
