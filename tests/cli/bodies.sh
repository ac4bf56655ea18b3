# scree run and scree resume with bodies: the same bits and the same files after kill -9. SCREE_TEST_EFFORT multiplies the kills.
. "$(dirname "$0")/lib.sh"
effort=$(awk -v e="${SCREE_TEST_EFFORT:-1}" 'BEGIN { printf "%d", e < 1 ? 1 : e }')

cat >scene.yaml <<'END'
dimension: 2
box: {size: [4, 6], periodic: [x]}
gravity: [0, -10]
bodies:
- {points: [[0, 0], [4, 0], [4, 0.2], [0, 0.2]], fixed: true}
- {wall: [[0.5, 3], [1.6, 2]], thickness: 0.2, fixed: true, velocity: [0, 0.2]}
- {shape: star, vertices: 9, sizes: "uniform-size:0.1:0.2", place: random, count: 40, region: [0, 3.2, 4, 6], angle_spread: 3.1, velocity: [0, -5]}
- {shape: regular, vertices: 5, sizes: "mono:0.2", at: [[3, 1], [2, 1.3]], spin: 3, fixed: true}
- {shape: disc, sizes: "mono:0.1", place: lattice, count: 4, region: [0.2, 0.3, 1.4, 1.6]}
contact: {stiffness: 1e4, restitution: 0.3}
time: {steps: 30000}
output: {every_steps: 5000, contacts: true, pictures: true, log_every_steps: 777}
changes: [{at: 0.2, gravity: [4, -9]}]
checkpoint: {every: 2000}
END
numbers_of_log() { awk -F, -v OFS=, '{ NF -= 5; print }' "$1/log.csv"; }
same_run() {
    diff <(numbers_of_log "$1") <(numbers_of_log "$2") >/dev/null || fail "$1/log.csv and $2/log.csv differ"
    diff -rq --exclude='checkpoint_*' --exclude=log.csv --exclude=report.html "$1" "$2" >differences || fail "$1 and $2 differ: $(head -n 3 differences)"
}
newest() { find "$1" -name 'checkpoint_*.h5' | sort | tail -n 1; }

run 0 run scene.yaml -o judge --json
for key in n steps time energy_kinetic energy_potential energy_rotation angular_momentum contacts touching crossings rebuilds seconds hash; do
    [ -n "$(json $key)" ] || fail "JSON key $key is missing"
done
json_is n 48
json_is steps 30000
[ "$(json contacts)" -gt 0 ] || fail "nothing touches"
hash=$(json hash)
[ "$(find judge/frames -name '*.vtp' | wc -l)" -eq 7 ] || fail "not 7 frames"
[ "$(find judge/pictures -name '*.png' | wc -l)" -eq 7 ] || fail "not 7 pictures"
[ "$(wc -l <judge/contacts/contacts_000006.csv)" -eq $(($(json contacts) + $(json wall_contacts) + 1)) ] || fail "contacts of the last frame"
grep -q '<Polys>' judge/frames/frame_000003.vtp || fail "no polygons in the frame"
run 0 run judge/scene.yaml -o again --json --method linked-cells --threads 1
json_is hash "$hash"
same_run judge again
run 0 resume judge --json
json_is hash "$hash"

methods=(auto all-pairs verlet-list linked-cells linear-list octree loose-octree hierarchical-grid)
kills=0
for ((chain = 0; chain < 2 * effort; ++chain)); do
    rm -rf killed
    "$SCREE" run scene.yaml -o killed >out 2>err </dev/null &
    pid=$!
    for ((k = 0; k < 12; ++k)); do
        sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
        kill -9 $pid 2>/dev/null || break
        wait $pid 2>/dev/null
        kills=$((kills + 1))
        if [ -z "$(newest killed 2>/dev/null)" ]; then  # it had not begun: begin anew
            "$SCREE" run scene.yaml -o killed --force >out 2>err </dev/null &
        else
            "$SCREE" resume killed --threads $((RANDOM % 3 + 1)) --method "${methods[RANDOM % 8]}" >out 2>err </dev/null &
        fi
        pid=$!
    done
    wait $pid 2>/dev/null
    [ -n "$(newest killed 2>/dev/null)" ] || run 0 run scene.yaml -o killed --force
    run 0 resume killed --json
    json_is hash "$hash"
    same_run judge killed
done
[ $kills -ge 2 ] || echo "only $kills kills met a living run"
echo "$kills kills"

# What is not whole is not believed: the older checkpoint serves.
last=$(newest judge)
printf 'X' | dd of="$last" bs=1 seek=3000 conv=notrunc 2>/dev/null
run 0 resume judge --json
says 'going on from the older checkpoint'
json_is hash "$hash"

# Refused, with names.
sed 's/^checkpoint.*/walls: {y: [0, 1]}/' scene.yaml >bad.yaml
run 1 run bad.yaml -o bad; says 'walls.y does not go with bodies'
run 1 run scene.yaml -o bad --verify; says 'verify: contacts of bodies'
sed 's/\[\[3, 1\], \[2, 1.3\]\]/[[3, 1], [3.1, 1.3]]/; s/spin: 3, fixed: true/spin: 3/' scene.yaml >bad.yaml
run 1 run bad.yaml -o bad; says 'deep in body'
gone bad
run 0 run scene.yaml --check --json; json_is fixed 4
finish
