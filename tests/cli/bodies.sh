# scree run and scree resume with bodies that have materials and friction: the same bits, energies and files after kill -9.
. "$(dirname "$0")/lib.sh"

cat >scene.yaml <<'END'
dimension: 2
box: {size: [4, 6], periodic: [x]}
gravity: [0, -10]
bodies:
- {points: [[0, 0], [4, 0], [4, 0.2], [0, 0.2]], fixed: true, material: stone}
- {wall: [[0.5, 3], [1.6, 2]], thickness: 0.2, fixed: true, velocity: [0, 0.2], material: stone}
- {shape: star, vertices: 9, sizes: "uniform-size:0.1:0.2", place: random, count: 40, region: [0, 3.2, 4, 6], angle_spread: 3.1, velocity: [0, -5], material: wood}
- {shape: regular, vertices: 5, sizes: "mono:0.2", at: [[3, 1], [2, 1.3]], spin: 3, fixed: true, material: stone}
- {shape: disc, sizes: "mono:0.1", place: lattice, count: 4, region: [0.2, 0.3, 1.4, 1.6], material: ice}
contact: {stiffness: 1e4, restitution: 0.3}
materials: {wood: {material_density: 1}, ice: {material_density: 1.3}, stone: {material_density: 3}}
walls: {material: stone}
pairs: [{between: [wood, wood], friction: 0.5}, {between: [wood, ice], friction: 0.2}, {between: [wood, stone], friction: 0.6}, {between: [ice, ice], friction: 0.1}, {between: [ice, stone], friction: 0.15}]
time: {steps: 15000}
output: {every_steps: 2500, contacts: true, pictures: true, log_every_steps: 377}
changes: [{at: 0.2, gravity: [4, -9]}]
checkpoint: {every: 1000}
END

run 0 run scene.yaml -o reference --json
json_has n steps time energy_kinetic energy_potential energy_rotation angular_momentum contacts touching crossings rebuilds seconds hash
json_is n 48
json_is steps 15000
[ "$(json contacts)" -gt 0 ] || fail "nothing touches"
hash=$(json hash)
[ "$(find reference/frames -name '*.vtp' | wc -l)" -eq 7 ] || fail "not 7 frames"
[ "$(find reference/pictures -name '*.png' | wc -l)" -eq 7 ] || fail "not 7 pictures"
[ "$(wc -l <reference/contacts/contacts_000006.csv)" -eq $(($(json contacts) + $(json wall_contacts) + 1)) ] || fail "contacts of the last frame"
head -n 1 reference/log.csv | grep -q 'dissipated_normal,dissipated_tangential,work_walls,work_gravity,sliding,balance' || fail "no energies in the log"
grep -q '<Polys>' reference/frames/frame_000003.vtp || fail "no polygons in the frame"
run 0 run reference/scene.yaml -o again --json --method linked-cells --threads 1
json_is hash "$hash"
same_run reference again
run 0 resume reference --json
json_is hash "$hash"

# A damaged checkpoint is not used: the run goes on from the older one.
last=$(newest reference)
printf 'X' | dd of="$last" bs=1 seek=3000 conv=notrunc 2>/dev/null
run 0 resume reference --json
names "$last" 14000
json_is hash "$hash"

# Rejected; the message names the place.
sed 's/^walls.*/walls: {y: [0, 1]}/' scene.yaml >bad.yaml
run 1 run bad.yaml -o bad; names bad.yaml:12:9 walls.y
sed 's/, {between: \[ice, stone\], friction: 0.15}//' scene.yaml >bad.yaml
run 1 run bad.yaml -o bad; names bad.yaml:13:8 ice stone friction
run 1 run scene.yaml -o bad --verify; names verify
sed 's/\[\[3, 1\], \[2, 1.3\]\]/[[3, 1], [3.1, 1.3]]/; s/spin: 3, fixed: true, material: stone/spin: 3, material: wood/' scene.yaml >bad.yaml
run 1 run bad.yaml -o bad; names bad.yaml 'bodies 42 and 43' 0.00869958
gone bad
run 0 run scene.yaml --check --json; json_is fixed 4

# kill -9 at any moment.
seed_moments
chains=$((2 * effort)); most=8
[ -z "$short" ] || { chains=1; most=3; }
for ((chain = 0; chain < chains; ++chain)); do
    kill_chain scene.yaml killed $most 60
    json_is hash "$hash"
    same_run again killed
done
echo "$kills kills"
finish
