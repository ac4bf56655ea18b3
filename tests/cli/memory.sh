# contact.law: record, which remembers: kill -9 and resume end with the bits of the run that was never stopped, what contacts remember included. The box is so
# narrow along x and y, which are periodic, that neighbours touch on both sides; it has walls along z, and some spheres are fixed.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { print "x,y,z,r"; for (k = 0; k < 4; ++k) printf "%g,%g,0.5,0.5\n", 0.4775 + 0.965 * (k % 2), 0.4775 + 0.965 * int(k / 2) }' >fixed.csv
awk 'BEGIN { print "x,y,z,r"; for (k = 0; k < 8; ++k) printf "%g,%g,%g,0.5\n", 0.4775 + 0.965 * (k % 2), 0.4775 + 0.965 * int(k / 2 % 2), 1.46 + 0.96 * int(k / 4) }' >free.csv
cat >scene.yaml <<'END_OF_SCENE'
box: {size: [1.93, 1.93, 3], periodic: [x, y]}
walls: {z: [0, -0.3]}
gravity: [0, 0, 9.81]
spheres:
- {file: fixed.csv, fixed: true, material_density: 1000}
- {file: free.csv, velocity: thermal, temperature: 100, material_density: 1000}
- {count: 20, sizes: "mono:0.1", place: random, velocity: thermal, temperature: 1, material_density: 1000}
contact: {law: record, stiffness: 1e6, restitution: 0.9}
time: {steps: 8000}
order_every: 300
output: {every_steps: 4000, log_every_steps: 500}
checkpoint: {every: 400}
END_OF_SCENE
# state_of FOLDER: the last checkpoint up to the numbers of progress, which hold seconds: its members are not compressed, and come in a fixed order. A header has 30
# bytes before the name.
state_of() { head -c $(($(grep -abo progress/ "$(newest "$1")" | head -n 1 | cut -d : -f 1) - 30)) "$(newest "$1")"; }

run 0 run scene.yaml -o reference --json; hash=$(hash_of out)
[ "$(json wall_contacts)" -gt 0 ] || fail "no contact with a wall at the end"
state_of reference >wanted
grep -q contact_memory wanted || fail "the last checkpoint has no memory of contacts"
sed 's/law: record/law: linear/' scene.yaml >linear.yaml
run 0 run linear.yaml -o linear --json
[ "$(hash_of out)" != "$hash" ] || fail "the hash does not depend on what contacts remember"
# Energies and momentum; the record counts contacts across a gap too.
diff <(cut -d , -f 1-9 linear/log.csv) <(cut -d , -f 1-9 reference/log.csv) >/dev/null || fail "record gives other forces than linear"

seed_moments
chains=$effort
for ((chain = 0; chain < chains; ++chain)); do
    kill_chain scene.yaml killed 5 60
    [ "$(hash_of out)" = "$hash" ] || fail "after kill -9 the hash is $(hash_of out), wanted $hash"
    state_of killed | cmp -s - wanted || fail "after kill -9 the last checkpoint is another one"
    same_run reference killed
done
echo "$kills kills"
no_leftovers
finish
