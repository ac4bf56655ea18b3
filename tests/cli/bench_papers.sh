#!/usr/bin/env bash
# scree bench: systems of the papers, with --quick. Counts are compared with what is known; seconds, and whether a page agrees with its paper, are not checked.
# `methods` and `chips` are in bench.sh. SCREE_TEST_EFFORT=2 runs those as well that take longer than 5 s.
. "$(dirname "$0")/bench_lib.sh"

run 0 bench muth-2d muth-3d muth-fracture muth-matrix cells ogarko-levels ogarko-range ogarko-systems raschdorf-neighbours raschdorf-levels raschdorf-insert raschdorf-lists --quick -o papers
prints papers/cells.md papers/raschdorf-lists.md
complete papers muth-2d muth-3d muth-fracture muth-matrix cells ogarko-levels ogarko-range ogarko-systems raschdorf-neighbours raschdorf-levels raschdorf-insert raschdorf-lists

# Muth et al.
near "$(column papers/cells.csv tests 6)" "$(column papers/cells.csv eq_3_with_faces 6)" 37525 'Eq. 3 with faces, 12 cells along an axis'
near "$(where papers/cells.csv spheres_per_cell 17)" 3 0.2 'about three spheres per cell'
near "$(where papers/cells.csv cell_size 24)" 1 0 'cells of one diameter'
[ "$(where papers/cells.csv ms_low 24)" != '' ] || fail 'cells: no quartiles'
above "$(where papers/muth-fracture.csv work_per_sphere linked-cells 32374)" "$(where papers/muth-fracture.csv work_per_sphere linear-list 32374)" 'linked cells at R/r = 4'
above "$(column papers/muth-matrix.csv mean_index_distance 2)" 12 'partners have mixed'
# Swaps of the list go as n^(2/3) per sphere: 8.27 times from 512 to 12167.
swaps() { awk -F, -v n="$1" '$1 == 3000 && $3 == n { print $4 }' papers/muth-3d-paths.csv; }
near "$(awk -v a="$(swaps 12167)" -v b="$(swaps 512)" 'BEGIN { print a / b }')" 8.27 0.5 'swaps of the linked linear list'
# Ogarko and Luding: one level, 8001 spheres in a cell or so; every sphere against every other, halved.
near "$(where papers/ogarko-levels.csv box_tests 'uniform volume 50' 0.58 1)" 4000 1 'one level tests all pairs'
near "$(where papers/ogarko-levels.csv model 'uniform volume 50' 0.58 7)" 4.0 1.0 'model at 7 levels'
above "$(where papers/ogarko-range.csv cells iwai 0 1)" "$(where papers/ogarko-range.csv cells half-cell 0 1)" 'cells of Iwai'
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
    for series in number depth; do
        insertion $series loose-octree $column | awk 'NR == 1 { first = $1 } $1 > 1.5 * first { exit 1 } END { exit NR < 3 }' || fail "loose octree, $column by $series: not O(1)"
    done
done
insertion number hierarchical-grid insert_cells | grep -qv '^2$' && fail 'hierarchical grid: a look-up and a bucket'
above "$(insertion depth loose-octree descent | tail -1)" 8 'levels of the deepest series'
[ "$(insertion ratio linked-cells insert_ns | wc -l)" = 6 ] || fail 'raschdorf-insert: rows by ratio'
near "$(where papers/raschdorf-lists-packings.csv density equal one-by-one loose-octree)" "$(where papers/raschdorf-lists-packings.csv density equal one-by-one hierarchical-grid)" 0 \
    'one by one over two structures'
[ "$effort" -gt 1 ] || finish

run 0 bench ogarko-scaling raschdorf-loose sequential --quick -o papers
complete papers ogarko-scaling raschdorf-loose sequential
above "$(where papers/raschdorf-loose.csv tests Fuller 1 0.1)" 1000 'tests in the strict octree'
near "$(where papers/sequential.csv density equal drop)" 0.58 0.03 'deposition, equal spheres'
near "$(where papers/sequential.csv density equal rearrange)" 0.64 0.015 'rearrangement, equal spheres'
near "$(where papers/sequential.csv density equal grow)" 0.636 0.015 'growth, equal spheres'
above "$(where papers/sequential.csv cpu_low equal rearrange)" "$(where papers/sequential.csv cpu_high equal drop)" 'deposition is faster'
finish
