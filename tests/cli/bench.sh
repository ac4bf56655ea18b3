#!/usr/bin/env bash
# scree bench: the papers' tables at --quick. The benches judge their counts themselves (exit code 1 where one is off); here the counts of the CSV are
# compared once more with what is expected. Seconds are not looked at.
. "$(dirname "$0")/lib.sh"

# column FILE NAME ROW: a value of a CSV, rows from 1.
column() { awk -F, -v name="$2" -v row="$3" 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == name) at = k } NR == row + 1 { print $at }' "$1"; }
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a >= b - t && a <= b + t) }' || fail "$4: $1, wanted $2 to $3"; }

run 0 bench raschdorf-neighbours --quick -o papers; prints 'Eq. 3'
near "$(column papers/raschdorf-neighbours.csv spheres 1)" 32.9 0.2 'grid, equal spheres'
near "$(column papers/raschdorf-neighbours.csv spheres 2)" 1920 192 'octree, equal spheres'
near "$(column papers/raschdorf-neighbours.csv spheres 5)" 47.0 3.8 'loose octree, equal spheres'
near "$(column papers/raschdorf-neighbours.csv spheres 10)" 9999 0.01 'grid, Fuller'
near "$(column papers/raschdorf-neighbours.csv spheres 14)" 31.1 2.5 'loose octree, Fuller'
run 0 bench sequential --quick -o papers
near "$(column papers/sequential.csv density 2)" 0.58 0.03 'deposition, equal spheres'
near "$(column papers/sequential.csv density 4)" 0.64 0.015 'rearrangement, equal spheres'
run 0 bench raschdorf-lists --quick -o papers
near "$(column papers/raschdorf-lists.csv density 18)" "$(column papers/raschdorf-lists.csv density 19)" 0 'one by one over two structures'
printf 'x\n' >taken
run 1 bench sequential --quick -o taken; says 'not a folder'
finish
