# scree run and scree resume with loads: a floor that swings, a lid that a servo presses, groups that are driven, spheres that come and go meanwhile: the same bits, energies and files after kill -9.
. "$(dirname "$0")/lib.sh"

cat >scene.yaml <<'END'
box: {size: [0.02, 0.02, 0.03]}
walls: {lower_z: {oscillate: {amplitude: 3e-4, frequency: 60}}}
gravity: [0, 0, -9.81]
drag: {per_mass: 0.5}
spheres:
- {name: few, count: 20, sizes: "mono:1.2e-3", place: random, material_density: 2000}
- {name: many, count: 180, sizes: "mono:1e-3", place: random, material_density: 2000}
contact: {duration: 2e-4, restitution: 0.5, friction: 0.3}
insert: [{name: rain, group: many, rate: 4000, region: {lower: [0.002, 0.002, 0.004], upper: [0.018, 0.018, 0.02]}}]
outlets: [{name: hole, region: {at: [0.01, 0.01, 0], radius: 0.006}}]
time: {steps: 6000}
output: {every_steps: 2000, log_every_steps: 377}
changes:
- {at: 1e-3, walls: {upper_z: {servo: {pressure: {ramp: [100, 300], over: 5e-3}, speed: 1}}}}
- {at: 8e-3, velocity: {few: {sine: [0.1, 0, 0], frequency: 300}}, gravity: {table: gravity.csv}}
checkpoint: {every: 300}
END
printf 't,x,z\n0,0,-9.81\n5e-3,3,-9\n' >gravity.csv

run 0 run scene.yaml -o reference --json
json_is steps 6000
hash=$(json hash)
awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) at[$k] = k } NR > 1 && $at["n"] != 200 + $at["inserted"] - $at["removed"] { exit 1 } END { exit !($at["inserted"] > 40 && $at["removed"] > 5) }' reference/log.csv ||
    fail "spheres are lost, or too few come and go: $(tail -n 1 reference/log.csv)"
head -n 1 reference/log.csv | grep -q 'dissipated_drag,dissipated_local,energy_kinetic_few,energy_rotation_few,energy_kinetic_many,energy_rotation_many,' || fail "no energies of groups in the log"
run 0 run reference/scene.yaml -o again --json --method linked-cells --threads 1
json_is hash "$hash"
same_run reference again

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
