#!/usr/bin/env bash
# scree bench: the user's own spheres, `methods` and `chips`, JSON, what is rejected, and Ctrl-C. The papers' systems are in bench_papers.sh. Seconds are not checked.
. "$(dirname "$0")/bench_lib.sh"
valid_json() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' out 2>err || fail "JSON that is not valid"; }

# The user's own spheres.
printf 'x,y,z,r\n' >own.csv
awk 'BEGIN { for (i = 0; i < 1000; ++i) printf "%d,%d,%d,%g\n", i % 10, int(i / 10) % 10, int(i / 100), i % 7 == 0 ? 0.95 : 0.1 }' >>own.csv
run 0 contacts own.csv --json
pairs=$(json pairs)
run 0 bench methods cells ogarko-levels ogarko-range raschdorf-levels --quick --file own.csv -o own
prints "$pairs"  # of ogarko-range
complete own methods cells ogarko-levels ogarko-range raschdorf-levels
[ "$(column own/methods.csv n 1)" = 1000 ] || fail 'methods of a file: not its spheres'
[ "$(column own/methods.csv pairs 1)" = "$pairs" ] || fail 'methods of a file: other pairs than its contacts'
[ "$(column own/cells.csv cells_of_axis 1)" != '' ] && [ -s own/cells-time.svg ] || fail 'cells of a file'
[ -s own/raschdorf-levels-own-octree.png ] || fail 'no picture of own spheres by level'
awk -F, 'NR > 1 { sum[$2] += $4 } END { exit !(sum["octree"] == 1000 && sum["loose-octree"] == 1000) }' own/raschdorf-levels.csv || fail 'not every sphere is on a level'

# Their size distribution.
run 0 bench ogarko-levels --quick --sizes lognormal:1:0.6 --count 2000 --density 0.4 -o law
run 0 bench raschdorf-neighbours raschdorf-loose --quick --sizes mono:1 --count 500 -o law
near "$(where law/raschdorf-neighbours.csv spheres mono:1 linked-cells)" 38.36 0.5 'own equal spheres, 27 of 7^3 cells'
above "$(where law/raschdorf-neighbours.csv spheres mono:1 octree 1 0)" "$(where law/raschdorf-neighbours.csv spheres mono:1 loose-octree 1 0)" 'the strict octree beside the loose one'
above "$(where law/raschdorf-loose.csv tests mono:1 1 0.1)" "$(where law/raschdorf-loose.csv tests mono:1 2 0.1)" 'tests in the strict octree'
run 0 bench sequential --quick --sizes uniform-size:1:3 --count 300 -o law
above "$(where law/sequential.csv density uniform-size:1:3 rearrange)" "$(where law/sequential.csv density uniform-size:1:3 drop)" 'rearrangement is denser than deposition'
run 0 bench ogarko-scaling --quick --sizes uniform-volume:1:3 --count 800 --density 0.4 -o law
[ "$(where law/ogarko-scaling.csv work_relative equal 800)" = 1 ] || fail 'ogarko-scaling: equal spheres beside equal spheres'
complete law ogarko-levels ogarko-scaling raschdorf-neighbours raschdorf-loose sequential
run 0 bench muth-2d muth-3d --quick --sizes uniform-size:1:2 --count 400
run 1 bench muth-3d --quick --sizes mono:1 --count 100; names --count 100 160
run 2 bench muth-3d --quick --file own.csv; names muth-3d --file cells
printf 'x,y,r\n0,0,1\n3,0,1\n' >flat.csv
run 1 bench sequential --file flat.csv; names flat.csv 2D
run 0 bench methods --quick --file flat.csv

run 0 bench methods chips --quick -o papers
complete papers methods chips
[ "$(grep -c '^!\[.*\](chips-.*ms\.png)$' papers/chips.md)" -eq 6 ] || fail "chips: not the six pictures of Fig. 9"
# auto, by counted work.
awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == "by_work") at = k; next } $at > 1.1 { exit 1 } END { exit !(NR > 15) }' papers/methods-choice.csv || fail 'auto is not within 10 %'

# JSON: an object, or an array for several.
run 0 bench ogarko-range --quick --file own.csv --json; valid_json
run 0 bench ogarko-range cells --quick --file own.csv --json; valid_json

# What is rejected.
run 2 bench muth-matrix --quick --sizes mono:1
names muth-matrix --sizes muth-2d muth-3d cells ogarko-levels ogarko-range ogarko-scaling raschdorf-neighbours raschdorf-levels raschdorf-loose sequential methods
run 2 bench sequential --quick --sizes mono:1 --density 0.5; names sequential --density
run 2 bench methods --count 100; names methods --count --sizes
run 2 bench methods --file own.csv --sizes mono:1; names --file --sizes
run 2 bench cells --quick -o rows.csv; names rows.csv
run 2 bench cells all; names "'all'"
run 2 bench sequential --quick --sizes nonsense:1; names "'nonsense'" mono
run 1 bench ogarko-levels --quick --file flat.csv -o nothing
[ -z "$(ls -A nothing)" ] || fail 'a bench that failed wrote something'
printf 'x\n' >taken
run 1 bench ogarko-range --quick --file own.csv -o taken; names taken

# A folder in the way of one file: none of them comes, and what was there stays.
mkdir -p way/files.md
run 1 bench files --count 100 -o way; names files.md
[ "$(ls -A way)" = files.md ] || fail "a bench that could not write its page left $(ls -A way)"
rmdir way/files.md
mkdir way/files.png
run 1 bench files --count 100 -o way; names files.png
[ "$(ls -A way)" = files.png ] || fail "a bench that could not write a figure left $(ls -A way)"

# All of them: one that cannot be written does not stop the others, and after Ctrl-C what is there is whole.
mkdir -p stopped/muth-2d.md
start bench all --quick -o stopped
await 60 grep -qs '^| \[muth-3d\](muth-3d.md) ' stopped/index.md
end INT 130
grep -q '^| muth-2d | ' stopped/index.md || fail 'index.md does not have a row without a link for the failed muth-2d'
rmdir stopped/muth-2d.md
[ -z "$(find stopped -name '.*')" ] || fail "Ctrl-C left $(find stopped -name '.*')"
for name in stopped/*.csv; do
    case $name in *-*-*.csv) ;; *) [ -s "${name%.csv}.md" ] || fail "Ctrl-C: $name has no page" ;; esac
done
finish
