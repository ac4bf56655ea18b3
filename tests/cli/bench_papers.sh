#!/usr/bin/env bash
# scree bench: systems of the papers, with --quick. Counts are compared with what is known; seconds, and whether a page agrees with its paper, are not checked.
# `methods` and `chips` are in bench.sh. SCREE_TEST_EFFORT=2 runs those as well that take longer than 5 s.
. "$(dirname "$0")/bench_lib.sh"

run 0 bench muth-2d muth-3d muth-fracture muth-matrix cells needles ogarko-levels ogarko-range ogarko-systems raschdorf-lists --quick -o papers
prints papers/cells.md papers/raschdorf-lists.md
complete papers muth-2d muth-3d muth-fracture muth-matrix cells needles ogarko-levels ogarko-range ogarko-systems raschdorf-lists

# Muth et al.
near "$(column papers/cells.csv tests 6)" "$(column papers/cells.csv eq_3_with_faces 6)" 37525 'Eq. 3 with faces, 12 cells along an axis'
above "$(where papers/muth-fracture.csv work_per_sphere linked-cells 32374)" "$(where papers/muth-fracture.csv work_per_sphere linear-list 32374)" 'linked cells at R/r = 4'
above "$(column papers/muth-matrix.csv mean_index_distance 2)" 12 'partners have mixed'
near "$(column papers/muth-matrix.csv near_diagonal 1)" 1 0.05 'box collisions near the diagonal at t = 0'
above "$(column papers/muth-matrix.csv box_pairs 1)" "$(column papers/muth-matrix.csv contacts 1)" 'box collisions of discs that do not touch'
near "$(column papers/muth-matrix.csv sorts 2)" 1 0 'the list follows the motion'
# Needles, 2000 of them: 5 standard errors around the closed forms.
near "$(where papers/needles.csv box_pairs 'at random' 50)" 3.80 0.22 'boxes of long needles at random angles'
near "$(where papers/needles.csv circle_pairs 'at random' 50)" 7.85 0.32 'circles of long needles'
near "$(where papers/needles.csv overlapping 'at random' 50)" 1.755 0.15 'long needles that overlap'
near "$(where papers/needles.csv box_pairs 'at 45 degrees' 50)" 5.20 0.26 'boxes of parallel needles at 45 degrees'
near "$(where papers/needles.csv box_pairs 'along x' 50)" "$(where papers/needles.csv overlapping 'along x' 50)" 0 'boxes along an axis are the needles'
above "$(where papers/needles-colliding.csv touching 50)" 0 'needles that touch'
# Swaps of the list go as n^(2/3) per sphere: 8.27 times from 512 to 12167.
swaps() { awk -F, -v n="$1" '$1 == 3000 && $3 == n { print $4 }' papers/muth-3d-paths.csv; }
near "$(awk -v a="$(swaps 12167)" -v b="$(swaps 512)" 'BEGIN { print a / b }')" 8.27 0.5 'swaps of the linked linear list'
# Ogarko and Luding: one level, 8001 spheres in a cell or so; every sphere against every other, halved.
near "$(where papers/ogarko-levels.csv box_tests 'uniform volume 50' 0.58 1)" 4000 1 'one level tests all pairs'
near "$(where papers/ogarko-levels.csv model 'uniform volume 50' 0.58 7)" 4.0 1.0 'model at 7 levels'
above "$(where papers/ogarko-range.csv cells iwai 0 1)" "$(where papers/ogarko-range.csv cells half-cell 0 1)" 'cells of Iwai'
# Raschdorf and Kolonko.
near "$(where papers/raschdorf-lists-packings.csv density equal one-by-one loose-octree)" "$(where papers/raschdorf-lists-packings.csv density equal one-by-one hierarchical-grid)" 0 \
    'one by one over two structures'
[ "$effort" -gt 1 ] || finish

run 0 bench ogarko-scaling raschdorf-neighbours raschdorf-levels raschdorf-loose sequential --quick -o papers
complete papers ogarko-scaling raschdorf-neighbours raschdorf-levels raschdorf-loose sequential
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
