# scree resume --until: a run that goes on beyond its end is the one that was asked for the longer time at once, whatever happens on the way.
. "$(dirname "$0")/lib.sh"

# The first end is no multiple of anything; later ones are.
cat >long.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
spheres: {count: 200, sizes: uniform-size:0.01:0.03, place: random, material_density: 1000}
contact: {duration: 1e-3, restitution: 0.7}
time: {end: 0.08}
order_every: 300
changes:
- {at: 0.01, gravity: [5, 0]}
output: {every: 0.01, formats: [vtp, csv], contacts: true, log_every_steps: 77}
checkpoint: {every: 400}
END
sed 's/end: 0.08/end: 0.0251/' long.yaml >short.yaml

run 0 run long.yaml -o reference --json; hash=$(hash_of out)
run 0 run short.yaml -o first --quiet
copy first parts
run 0 resume parts --until 0.08 --json; [ "$(hash_of out)" = "$hash" ] || fail "prolonged: another hash"
same_run reference parts
[ -f parts/report.html ] || fail "no report of the longer run"
run 0 resume parts --json; [ "$(hash_of out)" = "$hash" ] || fail "prolonged and finished: another hash"
copy first parts
run 0 resume parts --until-steps 2000 --quiet; run 0 resume parts --until 0.08 --json; [ "$(hash_of out)" = "$hash" ] || fail "prolonged twice: another hash"
same_run reference parts

# By hand in scene.yaml: the same.
copy first parts; sed -i 's/^  end: 0.0251$/  end: 0.08/' parts/scene.yaml
run 0 resume parts --json; [ "$(hash_of out)" = "$hash" ] || fail "prolonged by hand: another hash"
same_run reference parts

copy reference parts
run 1 resume parts --until 0.05;                  names parts 4000 0.08 2500 0.05
diff -rq reference parts || fail "a refusal changed something"
run 2 resume parts --until 0;                     names --until "'0'"
run 2 resume parts --until soon;                  names --until "'soon'"
run 2 resume parts --until 1 --until-steps 5;     names --until --until-steps
run 2 resume parts --until-steps 0;               names --until-steps

# kill -9 in the shorter run and in the longer one; the end is reported again or not.
seed_moments
chains=$((2 * effort)); [ -z "$short" ] || chains=1
for ((chain = 0; chain < chains; ++chain)); do
    kill_chain short.yaml killed 2 40
    run_killed 40 resume killed --until 0.08 || fail "the longer run ended before it was killed"
    for ((k = 0; k < 5; ++k)); do
        if [ $((RANDOM % 2)) -eq 0 ]; then how=(resume killed); else how=(resume killed --until 0.08 --threads 2); fi
        run_killed 40 "${how[@]}" || break
    done
    run 0 resume killed --until 0.08 --json
    [ "$(hash_of out)" = "$hash" ] || fail "after kill -9 the hash is $(hash_of out), wanted $hash"
    same_run reference killed
done
echo "$kills kills"

# The largest overlap of the run is not that of the first contact above the limit, nor that of the last state; a run that was interrupted, ended or prolonged has the same.
printf 'x,y,z,radius,v_x,v_y,v_z\n0.3,0.3,0.5,0.1,2.5,0,0\n0.51,0.3,0.5,0.1,-2.5,0,0\n0.3,0.7,0.5,0.1,7,0,0\n' >three.csv
cat >deep.yaml <<'END'
box: {size: [1, 1, 1]}
contact: {stiffness: 100, restitution: 0.9}
spheres: {file: three.csv, velocity: file, material_density: 1}
time: {step: 2.877e-4, steps: 696}
output: {log_every_steps: 50}
END
deepest() { grep -E '"(deepest_overlap.*|overlap_rows_above|warning)"' out; }
run 0 run deep.yaml -o deep --json
json_is deepest_overlap_step 330; json_is deepest_overlap_pair '[2, -2]'; json_is overlap_rows_above 3
awk -v o="$(json deepest_overlap_relative)" -v t="$(json deepest_overlap_time)" -v now="$(json max_overlap_relative)" -v at="$(json deepest_overlap_at | tr -d '[],')" \
    'BEGIN { split(at, x, " "); exit !(o > 0.42 && o < 0.43 && t > 0.0949 && t < 0.095 && now < 0.2 && x[1] > 0.94 && x[1] < 0.95 && x[2] == 0.7 && x[3] == 0.5) }' || fail "the deepest overlap: $(deepest)"
json warning | grep -q "0.427.*step 330.*sphere 2.*upper x.*3 of 15 rows" || fail "the warning is $(json warning)"
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "max_overlap_relative") c = i } NR > 1 && $c > 0.1' deep/log.csv | wc -l)" = 3 ] || fail "the log has other rows"
deepest >wanted
for end in 10 30 333 350 400; do  # 30 and 333: the row of that end is above the limit, and is taken back
    sed "s/steps: 696/steps: $end/" deep.yaml >part.yaml
    run 0 run part.yaml -o part --force --quiet
    run 0 resume part --until-steps 696 --json
    deepest >found; same wanted found
    same_run deep part
done
run 0 resume deep --json; deepest >found; same wanted found
# With a row of each step the largest is that of the rows, with its place; overlaps are looked at every 10 steps.
sed 's/every_steps: 50/every_steps: 1/' deep.yaml >each.yaml
run 0 run each.yaml -o each --json; json_is deepest_overlap_pair '[2, -2]'
awk -F, -v step="$(json deepest_overlap_step)" -v most="$(json deepest_overlap_relative)" -v now="$(json deepest_overlap)" -v at="$(json deepest_overlap_at | tr -d '[],')" -v above="$(json overlap_rows_above)" \
    'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "max_overlap_relative") c = i } NR > 1 { n += $c > 0.1; if ($c > deepest) { deepest = $c; when = $1 } }
    END { split(at, x, " "); d = x[1] + 0.1 - now - 1; exit !(when == step && when != 330 && deepest == most && n == above && d * d < 1e-20) }' each/log.csv || fail "the rows of each step: $(deepest) $(json deepest_overlap_step)"
run 0 run deep.yaml -o emulated --device emulate --json; deepest >found; same wanted found

# The same of bodies: two squares whose corners allow less than their overlap, and a disc that meets a wall, which is deeper.
cat >deep_bodies.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
contact: {stiffness: 400, restitution: 0.9}
bodies:
- {points: [[0, 0], [0.2, 0], [0.2, 0.2], [0, 0.2]], at: [[0.3, 0.3]], velocity: [1, 0], material_density: 1}
- {points: [[0, 0], [0.2, 0], [0.2, 0.2], [0, 0.2]], at: [[0.52, 0.3]], velocity: [-1, 0], material_density: 1}
- {shape: disc, sizes: "mono:0.1", at: [[0.3, 0.7]], velocity: [5, 0], material_density: 1}
time: {step: 2e-4, steps: 1200}
output: {log_every_steps: 50}
END
run 0 run deep_bodies.yaml -o deep_bodies --json
json_is deepest_overlap_step 668; json_is deepest_overlap_pair '[2, -2]'; json_is overlap_rows_above 3
awk -v d="$(json deepest_overlap)" -v o="$(json deepest_overlap_relative)" -v now="$(json max_overlap)" -v at="$(json deepest_overlap_at | tr -d '[],')" \
    'BEGIN { split(at, x, " "); e = x[1] + 0.1 - d - 1; exit !(d > 0.042 && d < 0.0421 && o > 0.42 && o < 0.421 && now == 0 && e * e < 1e-20 && x[2] == 0.7) }' || fail "the deepest overlap of bodies: $(deepest)"
json warning | grep -q "0.0421.*step 668.*body 2 and wall 'upper x'.*at most 0.01 .*3 of 25 rows" || fail "the warning is $(json warning)"
deepest >wanted
for end in 10 100 333 667 700; do  # 100 and 700: the row of that end is above the limit, and is taken back
    sed "s/steps: 1200/steps: $end/" deep_bodies.yaml >part.yaml
    run 0 run part.yaml -o part --force --json
    [ "$end" != 333 ] || { json_is deepest_overlap_pair '[0, 1]'; json warning | grep -q "body 0 and body 1" || fail "the warning is $(json warning)"; }
    run 0 resume part --until-steps 1200 --json
    deepest >found; same wanted found
    same_run deep_bodies part
done
run 0 resume deep_bodies --json; deepest >found; same wanted found

# Bodies.
cat >bodies.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
bodies:
- {shape: disc, sizes: "mono:0.05", place: random, count: 10, material_density: 100}
- {points: [[0, 0], [0.1, 0], [0.05, 0.1]], at: [[0.5, 0.8]], material_density: 100}
contact: {stiffness: 1e5, restitution: 0.7}
time: {steps: 500}
output: {every_steps: 150, contacts: true, pictures: true}
END
sed 's/steps: 500/steps: 200/' bodies.yaml >few.yaml
run 0 run bodies.yaml -o bodies --json; hash=$(hash_of out)
run 0 run few.yaml -o few --quiet
run 0 resume few --until-steps 500 --json; [ "$(hash_of out)" = "$hash" ] || fail "bodies, prolonged: another hash"
same_run bodies few
no_leftovers
finish
