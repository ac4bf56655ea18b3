#!/usr/bin/env bash
# scree bench: systems of the papers, with --quick. Counts are compared with what is known; seconds, and whether a page agrees with its paper, are not checked.
# `methods` and `chips` are in bench.sh. SCREE_TEST_EFFORT=2 runs those as well that take longer than 5 s.
. "$(dirname "$0")/bench_lib.sh"

run 0 bench muth-2d muth-3d muth-fracture muth-matrix cells ogarko-levels ogarko-range ogarko-scaling ogarko-systems ogarko-hypothesis raschdorf-lists --quick -o papers
prints papers/cells.md papers/raschdorf-lists.md
complete papers muth-2d muth-3d muth-fracture muth-matrix cells ogarko-levels ogarko-range ogarko-scaling ogarko-systems ogarko-hypothesis raschdorf-lists

# Muth et al.
near "$(column papers/cells.csv tests 6)" "$(column papers/cells.csv eq_3_with_faces 6)" 37525 'Eq. 3 with faces, 12 cells along an axis'
above "$(where papers/muth-fracture.csv work_per_sphere linked-cells 32374)" "$(where papers/muth-fracture.csv work_per_sphere linear-list 32374)" 'linked cells at R/r = 4'
above "$(column papers/muth-matrix.csv mean_index_distance 2)" 12 'partners have mixed'
# Swaps of the list go as n^(2/3) per sphere: 8.27 times from 512 to 12167.
swaps() { awk -F, -v n="$1" '$1 == 3000 && $3 == n { print $4 }' papers/muth-3d-paths.csv; }
near "$(awk -v a="$(swaps 12167)" -v b="$(swaps 512)" 'BEGIN { print a / b }')" 8.27 0.5 'swaps of the linked linear list'
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
above "$(where papers/ogarko-systems.csv soft_collisions equal 1001)" 1 'soft spheres collide'
above "$(where papers/ogarko-systems.csv hard_collisions uniform-size-50 1001)" 2 'a few collisions'
# The hypothesis: the cut of the paper first, then others with as many levels.
[ "$(where papers/ogarko-hypothesis.csv work_relative 'uniform volume 50' 5 0)" = 1 ] || fail 'ogarko-hypothesis: the cut of the paper beside itself'
awk -F, 'NR > 1 { ++rows[$1]; if ($1 in levels && levels[$1] != $2) exit 1; levels[$1] = $2; if ($3 == 0 && !($5 < 3)) exit 1; if (!($6 > 0 && $8 > 0)) exit 1 }
    END { for (s in rows) { ++sets; if (rows[s] != 33) exit 1 } exit sets != 4 }' papers/ogarko-hypothesis.csv || fail 'ogarko-hypothesis: not 32 cuts beside that of the paper in four sets'
# Raschdorf and Kolonko.
near "$(where papers/raschdorf-lists-packings.csv density equal one-by-one loose-octree)" "$(where papers/raschdorf-lists-packings.csv density equal one-by-one hierarchical-grid)" 0 \
    'one by one over two structures'
[ "$effort" -gt 1 ] || finish

run 0 bench raschdorf-neighbours raschdorf-levels raschdorf-loose sequential --quick -o papers
complete papers raschdorf-neighbours raschdorf-levels raschdorf-loose sequential
near "$(where papers/raschdorf-neighbours.csv spheres equal linked-cells)" 32.9 0.2 'grid, equal spheres'
near "$(where papers/raschdorf-neighbours.csv spheres equal octree 1 0)" 1920 192 'octree, equal spheres'
near "$(where papers/raschdorf-neighbours.csv spheres equal loose-octree 1 0)" 47.0 3.8 'loose octree, equal spheres'
near "$(where papers/raschdorf-neighbours.csv spheres Fuller linked-cells)" 9999 0.01 'grid, Fuller'
near "$(where papers/raschdorf-neighbours.csv spheres Fuller loose-octree 1 0)" 31.1 2.5 'loose octree, Fuller'
near "$(where papers/raschdorf-levels.csv spheres equal loose-octree 4)" 9300 500 'equal spheres on level 4'
near "$(where papers/raschdorf-levels.csv spheres Fuller octree 0)" 796 300 'Fuller at the root'
above "$(where papers/raschdorf-loose.csv tests Fuller 1 0.1)" 1000 'tests in the strict octree'
near "$(where papers/sequential.csv density equal drop)" 0.58 0.03 'deposition, equal spheres'
near "$(where papers/sequential.csv density equal rearrange)" 0.64 0.015 'rearrangement, equal spheres'
near "$(where papers/sequential.csv density equal grow)" 0.636 0.015 'growth, equal spheres'
finish
