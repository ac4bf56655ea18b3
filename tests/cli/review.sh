#!/bin/bash
# What the program says about scenes in which several things meet.
. "$(dirname "$0")/lib.sh"

# Spheres that are all fixed have no shortest contact: no number of a sphere is made up.
cat >fixed.yaml <<END
box: {size: [1, 1, 1]}
spheres: {count: 3, sizes: "mono:0.1", place: lattice, fixed: true}
contact: {stiffness: 100}
time: {steps: 5}
END
run 0 run fixed.yaml -o fixed
grep -q "no sphere moves" err || fail "all spheres are fixed, and this is not said"
grep -q -- "sphere -1" err && fail "a sphere with the number -1"

finish
