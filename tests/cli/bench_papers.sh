#!/usr/bin/env bash
# scree bench: systems of the papers, with --quick. Counts are compared with what is known; seconds, and whether a page agrees with its paper, are not checked.
# `methods` and `chips` are in bench.sh. SCREE_TEST_EFFORT=2 runs those as well that take longer than 5 s.
scenes=$(cd "$(dirname "$0")/../../papers/muth" && pwd)
. "$(dirname "$0")/bench_lib.sh"

run 0 bench muth-2d muth-3d muth-fracture muth-ratio muth-matrix cells needles ogarko-levels ogarko-range ogarko-scaling ogarko-systems ogarko-hypothesis raschdorf-neighbours raschdorf-levels raschdorf-insert raschdorf-lists --quick -o papers
prints papers/cells.md papers/raschdorf-lists.md
complete papers muth-2d muth-3d muth-fracture muth-ratio muth-matrix cells needles ogarko-levels ogarko-range ogarko-scaling ogarko-systems ogarko-hypothesis raschdorf-neighbours raschdorf-levels raschdorf-insert raschdorf-lists

# What is not judged needs the full size, or scatters; every claim has its rows. Checks of the benchmarks themselves hold. (tests/test_claims.c gives each claim wrong rows.)
if grep -h '^- \*\*not judged\*\*' papers/*.md | grep -v ': needs the size of the full run; \|, timed once; \| scatters too widely; ' >bad; then fail "not judged: $(head -3 bad)"; fi
if grep -h '^- \*\*check fails\*\*' papers/*.md >bad; then fail "$(head -3 bad)"; fi
[ "$(grep -hc '^- \*\*check holds\*\*' papers/needles.md)" = 4 ] || fail 'needles: not four checks'
agrees() { grep -q "^- \*\*agrees\*\*: $2" "papers/$1.md" || fail "$1 does not say that this agrees: $2"; }
agrees ogarko-systems 'equal: soft collisions per sphere'
agrees raschdorf-insert 'descending octree, by depth: exponent'
agrees ogarko-range 'cells looked into'

# Muth et al.
near "$(column papers/cells.csv tests 6)" "$(column papers/cells.csv eq_3_with_faces 6)" 37525 'Eq. 3 with faces, 12 cells along an axis'
near "$(where papers/cells.csv spheres_per_cell 17)" 3 0.2 'about three spheres per cell'
near "$(where papers/cells.csv cell_size 24)" 1 0 'cells of one diameter'
[ "$(where papers/cells.csv ms_low 24)" != '' ] || fail 'cells: no quartiles'
above "$(column papers/muth-matrix-times.csv mean_index_distance 2)" 12 'partners have mixed'
near "$(column papers/muth-matrix-times.csv near_diagonal 1)" 1 0.05 'box collisions near the diagonal at t = 0'
above "$(column papers/muth-matrix-times.csv box_pairs 1)" "$(column papers/muth-matrix-times.csv contacts 1)" 'box collisions of discs that do not touch'
near "$(column papers/muth-matrix-times.csv sorts 2)" 1 0 'the list follows the motion'
# Needles, 2000 of them: 5 standard errors around the closed forms.
near "$(where papers/needles.csv box_pairs 'at random' 50)" 3.80 0.22 'boxes of long needles at random angles'
near "$(where papers/needles.csv circle_pairs 'at random' 50)" 7.85 0.32 'circles of long needles'
near "$(where papers/needles.csv overlapping 'at random' 50)" 1.755 0.15 'long needles that overlap'
near "$(where papers/needles.csv box_pairs 'at 45 degrees' 50)" 5.20 0.26 'boxes of parallel needles at 45 degrees'
near "$(where papers/needles.csv box_pairs 'along x' 50)" "$(where papers/needles.csv overlapping 'along x' 50)" 0 'boxes along an axis are the needles'
above "$(where papers/needles-colliding.csv touching 50)" 0 'needles that touch'
# In every system bodies touch and pass each other, and it fills its box as the paper says.
# alive NAME LEAST MOST: contacts, swaps and density of all rows.
alive() {
    awk -F, -v least="$2" -v most="$3" 'NR == 1 { for (k = 1; k <= NF; ++k) at[$k] = k; next }
        { ok = $at["contacts_per_step"] > 0 && $at["swaps_per_step"] > 0 && $at["path_per_step"] > 0 && $at["density"] >= least && $at["density"] <= most; if (!ok) { print; exit 1 } }
        END { exit !(NR > 9) }' "papers/$1.csv" >bad || fail "$1: no contacts, no swaps or another density: $(cat bad)"
}
alive muth-2d 0.6695 0.6785
alive muth-3d 0.0654 0.0655
alive muth-fracture 0.116 0.117
alive muth-ratio 0.2999 0.3001
# Verlet lists, one in 100 steps: n (n - 1) / 2 tests for it, and the pairs with centres within five radii.
near "$(where papers/muth-3d.csv work_per_sphere verlet-list 12167)" 64.8 2 'Verlet lists of 12167 spheres'
# Swaps of the list in a gas: 3 / sqrt(pi) n^(2/3) times the path in radii, with four radii to a sphere along an axis.
swaps() { awk -F, -v steps="$1" -v n="$2" '$1 == steps && $3 == n { print $4 / (1.6926 * n ^ (2 / 3) * $2) }' papers/muth-3d-paths.csv; }
near "$(swaps 3000 512)" 1 0.1 'swaps of 512 spheres'
near "$(swaps 3000 12167)" 1 0.1 'swaps of 12167 spheres'
near "$(swaps 1 12167)" 1 0.1 'swaps of 12167 spheres in a step'
awk -F, 'NR > 1 && ($4 < 0.9 * $5 || $4 > 1.1 * $5) { exit 1 } END { exit NR < 20 }' papers/muth-ratio-paths.csv || fail 'muth-ratio: swaps are off the formula for a gas'
for name in muth-2d muth-3d muth-fracture muth-ratio; do
    awk -F, 'NR > 1 && $NF != 0 { exit 1 } END { exit NR < 9 }' "papers/$name-paths.csv" || fail "$name: the linked linear list did not follow the motion"
done
# Radius and interval of Verlet lists: a list at every search tests all pairs; the longest interval that keeps all pairs goes with the margin.
run 0 bench muth-verlet --quick -o papers
complete papers muth-verlet
near "$(where papers/muth-verlet.csv tests_per_sphere 'loose slow' 512 2.1 10)" 255.6 0.2 'a list at every search'
awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) at[$k] = k; next } $at["wrong"] != 0 { exit 1 } { kept += $at["kept"]; ++rows } END { exit rows < 150 || kept == rows || kept < rows / 2 }' papers/muth-verlet.csv ||
    fail 'muth-verlet: pairs are wrong, or all intervals are long enough'
awk -F, '$1 == "dense slow" { if ($4 / $3 < 200 || $4 / $3 > 600) exit 1; ++rows } END { exit rows < 9 }' papers/muth-verlet-limits.csv || fail 'muth-verlet: intervals do not go with the margin'
# Size ratios.
above "$(where papers/muth-fracture.csv work_per_sphere linked-cells 14676)" "$(where papers/muth-fracture.csv work_per_sphere linear-list 14676)" 'linked cells at R/r = 3'
above "$(where papers/muth-ratio.csv work_per_sphere linked-cells 2000 50)" "$(where papers/muth-ratio.csv work_per_sphere linear-list 2000 50)" 'linked cells at a size ratio of 50'
# Their scenes give the runs of the benches, bit by bit. hash_of SCENE STEPS [CHANGE]: of a run of that length.
hash_of() {
    cp "$scenes"/"${1%.yaml}".csv . 2>/dev/null
    sed -e "s/steps: [0-9]*}/steps: $2}/" -e 's/pictures: true/pictures: false/' -e "${3:-}" "$scenes/$1" >scene.yaml
    run 0 run scene.yaml -o run --force --json
    json hash | tr -d '"'
}
[ "$(hash_of muth-2d-244.yaml 100000)" = "$(column papers/muth-2d-runs.csv hash 1)" ] || fail 'muth-2d-244.yaml gives another run'
[ "$(hash_of muth-3d-2197.yaml 3000)" = "$(column papers/muth-3d-runs.csv hash 2)" ] || fail 'muth-3d-2197.yaml gives another run'
[ "$(hash_of muth-fracture-4451.yaml 200)" = "$(column papers/muth-fracture-runs.csv hash 2)" ] || fail 'muth-fracture-4451.yaml gives another run'
[ "$(hash_of muth-ratio-w50.yaml 600 's/count: 10000/count: 2000/')" = "$(column papers/muth-ratio-runs.csv hash 6)" ] || fail 'muth-ratio-w50.yaml gives another run'
# Ogarko and Luding: one level is one cell for 2001 spheres: every sphere against every other, halved. All numbers of levels are counted; work is box tests and half a test for a cell.
near "$(where papers/ogarko-levels.csv box_tests 'uniform volume 50' 0.4 1)" 1000 0 'one level tests all pairs'
near "$(where papers/ogarko-levels.csv model 'uniform volume 50' 0.4 7)" 3.1 0.2 'model at 7 levels'
awk -F, '$1 == "uniform size 50" { ++rows; last = $3; if ($9 < $6 + 0.4999 * $8 || $9 > $6 + 0.5001 * $8) exit 1 } END { exit !(rows >= 40 && last >= 45) }' papers/ogarko-levels.csv ||
    fail 'ogarko-levels: not all numbers of levels, or other work than box tests and cells'
# K grows with what a cell costs.
above "$(where papers/ogarko-levels-cells.csv K 'uniform size 50' 0.4 1)" "$(where papers/ogarko-levels-cells.csv K 'uniform size 50' 0.4 0.5)" 'K by the cost of a cell'
above "$(where papers/ogarko-levels.csv step_ms_high 'uniform size 50' 0.4 2)" 0 'whole steps are timed'
above "$(where papers/ogarko-range.csv cells iwai 0 1)" "$(where papers/ogarko-range.csv cells half-cell 0 1)" 'cells of Iwai'
[ "$(where papers/ogarko-range.csv pairs tight 0 1)" = "$(where papers/ogarko-range.csv pairs iwai 1 0)" ] || fail 'ogarko-range: other pairs by another range'
[ "$(where papers/ogarko-scaling.csv levels equal 1001)" = 1 ] && [ "$(where papers/ogarko-scaling.csv levels 'two sizes 2' 1001)" = 2 ] || fail 'ogarko-scaling: levels of equal spheres and of two sizes'
near "$(where papers/ogarko-systems.csv density equal 1001)" 0.55 1e-9 'density of equal spheres'
above "$(where papers/ogarko-systems.csv soft_collisions equal 1001)" 3.99 'soft spheres collide a few times'
above "$(where papers/ogarko-systems.csv hard_collisions uniform-size-50 1001)" 2 'a few collisions'
# The hypothesis: the cut of the paper first, then others with as many levels.
[ "$(where papers/ogarko-hypothesis.csv work_relative 'uniform volume 50' 5 0)" = 1 ] || fail 'ogarko-hypothesis: the cut of the paper beside itself'
awk -F, 'NR > 1 { ++rows[$1]; if ($1 in levels && levels[$1] != $2) exit 1; levels[$1] = $2; if ($3 == 0 && !($5 < 3)) exit 1; if (!($6 > 0 && $8 > 0)) exit 1 }
    END { for (s in rows) { ++sets; if (rows[s] != 33) exit 1 } exit sets != 4 }' papers/ogarko-hypothesis.csv || fail 'ogarko-hypothesis: not 32 cuts beside that of the paper in four sets'
[ "$(wc -l <papers/ogarko-hypothesis-best.csv)" = 16 ] || fail 'ogarko-hypothesis: not 15 size distributions'
# Raschdorf and Kolonko: 1250 spheres. Grid: 27 of 10^3 cells, less the sphere itself. Trees: a plain loop, and the closed form for random positions.
near "$(where papers/raschdorf-neighbours.csv spheres equal linked-cells)" 32.75 0.3 'grid, equal spheres'
near "$(where papers/raschdorf-neighbours.csv spheres Fuller linked-cells)" 1249 0.01 'grid, Fuller'
near "$(where papers/raschdorf-neighbours.csv to_plain equal octree 1 0)" 1 0.005 'octree, beside a plain loop'
near "$(where papers/raschdorf-neighbours.csv to_plain equal loose-octree 1 0.1)" 1 0.005 'loose octree, beside a plain loop'
above "$(where papers/raschdorf-neighbours.csv spheres equal octree 1 0)" 400 'octree, equal spheres'
near "$(where papers/raschdorf-levels.csv spheres equal loose-octree 3)" "$(where papers/raschdorf-levels.csv random equal loose-octree 3)" 40 'equal spheres on level 3'
near "$(where papers/raschdorf-levels.csv random equal octree 0)" 333 10 'at the root, 1250 (1 - (1 - d/s)^3)'
near "$(where papers/raschdorf-levels.csv spheres equal octree 0)" 333 40 'equal spheres at the root'
insertion() { awk -F, -v s="$1" -v m="$2" -v c="$3" 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == c) at = k } $1 == s && $2 == m { print $at }' papers/raschdorf-insert.csv; }
for column in insert_cells jump_cells; do
    for series in number:1.25 depth:1.5; do
        insertion ${series%:*} loose-octree $column | awk -v most="${series#*:}" 'NR == 1 { first = $1 } $1 > most * first { bad = 1 } END { exit bad || NR < 3 }' ||
            fail "loose octree, $column by ${series%:*}: not O(1)"
    done
done
insertion number hierarchical-grid insert_cells | grep -qv '^2$' && fail 'hierarchical grid: a look-up and a bucket'
above "$(insertion depth loose-octree descent | tail -1)" 8 'levels of the deepest series'
near "$(insertion depth 'descending octree' insert_cells | tail -1)" 9.6 0.5 'nodes that the octree of the paper passes'
[ "$(insertion ratio linked-cells insert_ns | wc -l)" = 6 ] || fail 'raschdorf-insert: rows by ratio'
near "$(where papers/raschdorf-lists-packings.csv density equal one-by-one loose-octree)" "$(where papers/raschdorf-lists-packings.csv density equal one-by-one hierarchical-grid)" 0 \
    'one by one over two structures'
# Section 3.1: three searches beside the grid, the pairs of each compared with those of all pairs. `wrong` is 1 in a row that has others.
run 0 bench nbs few-large williams --quick -o papers
complete papers nbs few-large williams
for name in nbs few-large williams; do
    awk -F, -v name=$name 'NR == 1 { for (k = 1; k <= NF; ++k) at[$k] = k; next } $at["wrong"] != 0 { exit 1 } $2 == name { ++rows; pairs += $at["pairs"] } END { exit rows < 5 || pairs < 5000 }' papers/$name.csv ||
        fail "$name: other pairs than all against all, or too few rows"
done
near "$(where papers/nbs.csv tests_per_sphere Fuller nbs)" "$(where papers/nbs.csv tests_per_sphere Fuller linked-cells)" 1 'no binary search in a single cell'
near "$(where papers/few-large.csv tests_per_sphere Fuller few-large 2000)" 999.5 0.5 'no list: one cell'
above 200 "$(awk -F, '$1 == "Fuller" && $5 == 30 { print $8 }' papers/few-large.csv)" 'thirty in the list'
above 8 "$(awk -F, '$1 == "Fuller" && $5 == 6 { print $8 }' papers/williams.csv)" 'cells of 6 radii'
# Rearrangement as in the paper: killed, it goes on from its checkpoint to the same packings; a file that is no checkpoint is rejected.
run 0 bench raschdorf-rearrange --quick -o papers
complete papers raschdorf-rearrange
awk -F, 'NR > 1 && ($7 != 1 || $8 != 0) { exit 1 } END { exit NR != 4 }' papers/raschdorf-rearrange.csv || fail 'raschdorf-rearrange: not converged, overlaps, or rows are missing'
near "$(where papers/raschdorf-rearrange.csv density 1200)" 0.775 0.02 'density of 1200 Fuller spheres'
start bench raschdorf-rearrange --quick -o killed
await 60 test -s killed/raschdorf-rearrange-1200.checkpoint
end KILL 137
gone killed/raschdorf-rearrange.csv
run 0 bench raschdorf-rearrange --quick -o killed
for column in density sweeps tests_per_visit; do
    [ "$(where killed/raschdorf-rearrange.csv $column 1200)" = "$(where papers/raschdorf-rearrange.csv $column 1200)" ] || fail "raschdorf-rearrange: another $column after the kill"
done
gone killed/raschdorf-rearrange-1200.checkpoint
echo 'not a checkpoint' >killed/raschdorf-rearrange-300.checkpoint
run 1 bench raschdorf-rearrange --quick -o killed; names saved packing
# Along a spiral: no overlaps, and more equal discs than the 17 x 17 of a square lattice in a square 17.7 diameters wide.
run 0 bench spiral --quick -o papers
complete papers spiral
awk -F, 'NR > 1 && $5 != 0 { exit 1 } END { exit NR != 13 }' papers/spiral.csv || fail 'spiral: overlaps, or rows are missing'
above "$(where papers/spiral.csv n equal spiral)" 289 'equal discs along a spiral'
near "$(where papers/spiral.csv density 'uniform size 2' spiral)" 0.796 0.01 'discs along a spiral'

[ "$effort" -gt 1 ] || finish

run 0 bench raschdorf-loose sequential --quick -o papers
complete papers raschdorf-loose sequential
above "$(where papers/raschdorf-loose.csv tests Fuller 1 0.1)" 1000 'tests in the strict octree'
near "$(where papers/sequential.csv density equal drop)" 0.58 0.03 'deposition, equal spheres'
near "$(where papers/sequential.csv density equal rearrange)" 0.64 0.015 'rearrangement, equal spheres'
near "$(where papers/sequential.csv density equal grow)" 0.636 0.015 'growth, equal spheres'
above "$(where papers/sequential.csv cpu_s_low equal rearrange)" "$(where papers/sequential.csv cpu_s_high equal drop)" 'deposition is faster'
finish
