# scree sweep: rows as single runs give them, whatever stops it; runs that fail; mistakes.
. "$(dirname "$0")/lib.sh"

cat >base.yaml <<'END'
parameters: {e: 0.7}
dimension: 2
box: {size: [1, 1], periodic: []}
gravity: [0, -9.81]
contact: {law: linear, stiffness: 1e5, restitution: $(e)}
END
cat >fall.yaml <<'END'
include: base.yaml
parameters: {n: 10}
spheres: {count: $(2 * n), sizes: "mono:0.05", place: random, material_density: 1000, velocity: zero}
time: {end: 0.05}
output: {every: 0.01}
checkpoint: {every: 200}
seed: 3
END

# ---- Rows -----------------------------------------------------------------------------------------------------------------------

sweep="sweep fall.yaml --over parameters.e=0.1:0.9:3 --over time.integrator=velocity-verlet,position-verlet --seeds 2 --set gravity=[0,-5] --want energy,steps"
run 0 $sweep -o whole --json
json_is runs 12; json_is failed 0; json_is results '"whole/results.csv"'
[ "$(head -n 1 whole/results.csv)" = "parameters.e,time.integrator,seed,hash,energy,steps,error" ] || fail "columns $(head -n 1 whole/results.csv)"
[ "$(wc -l <whole/results.csv)" -eq 13 ] || fail "$(wc -l <whole/results.csv) lines"
[ -s whole/results.png ] || fail "there is no picture"
row=$(grep '^0.5,position-verlet,4,' whole/results.csv)
run 0 run fall.yaml -o single --json --seed 4 --set gravity=[0,-5] --set contact.restitution=0.5 --set time.integrator=position-verlet
[ "$row" = "0.5,position-verlet,4,$(hash_of out),$(json energy),$(json steps)," ] || fail "the row is $row"

# ---- Stopped and killed -----------------------------------------------------------------------------------------------------------

kill_after() {  # SIGNAL RUNS: as soon as so many are complete
    start $sweep -o parts --jobs 2
    await 60 eval "[ \$(ls parts 2>/dev/null | grep -c 'json\$') -ge $2 ]"
    kill -"$1" "$pid"
    wait "$pid" 2>/dev/null
}
kill_after KILL 1
kill_after KILL 3
kill_after INT 5; [ $? -eq 130 ] || fail "Ctrl-C: exit code $?"
names "same command continues"
[ "$(wc -l <parts/results.csv)" -ge 6 ] || fail "after Ctrl-C there is no table"
run 0 $sweep -o parts
same whole/results.csv parts/results.csv
run 0 $sweep -o parts --json; json_is runs 12  # nothing is left to do
run 1 $sweep -o parts --set time.end=0.06; names parts "same command"
same whole/results.csv parts/results.csv

# ---- Seeds alone, lists, and what must not be touched ---------------------------------------------------------------------------------

run 0 sweep fall.yaml --seeds 2 --seed 9007199254740993 --set time.end=0.001 -o seeds --want hash
[ "$(cut -d, -f1 seeds/results.csv | tail -n 1)" = 9007199254740994 ] || fail "seeds: $(cut -d, -f1 seeds/results.csv)"
run 0 sweep fall.yaml --over 'gravity=[0,-1],[0,-2]' --set time.end=0.001 -o lists; [ "$(wc -l <lists/results.csv)" -eq 3 ] || fail "lists are not values"
cp -r single kept_run
run 1 sweep fall.yaml --seeds 2 -o single; names single; diff -rq single kept_run || fail "the folder of a run was changed"
mkdir beside; cp fall.yaml beside/scene.yaml; cp base.yaml beside
run 1 sweep beside/scene.yaml --seeds 2 -o beside; same fall.yaml beside/scene.yaml
run 0 sweep fall.yaml --over parameters.n=5,6 --set 'contact.stiffness=$(1e5 * n)' --set time.end=0.001 -o formula
rm formula/0002.json
run 1 sweep fall.yaml --over parameters.n=5,6 --set 'contact.stiffness=$(5e5 + 0 * n)' --set time.end=0.001 -o formula; names formula  # another second scene
: >formula/0002.json  # as a power cut may leave it
run 0 sweep fall.yaml --over parameters.n=5,6 --set 'contact.stiffness=$(1e5 * n)' --set time.end=0.001 -o formula
tail -n 1 formula/results.csv | grep -q '^6,3,[0-9a-f]*,' || fail "an empty result counts as one"
run 0 sweep fall.yaml --seeds 2 --set time.end=0.001 -o wants --want energy,enrgy; names enrgy

# ---- Runs that fail ------------------------------------------------------------------------------------------------------------------

run 1 sweep fall.yaml --over spheres.sizes=mono:0.05,mono:5 -o failing --want hash,energy
names 0002 spheres.place
[ "$(wc -l <failing/results.csv)" -eq 3 ] || fail "rows are missing"
tail -n 1 failing/results.csv | grep -q 'mono:5,3,,.*spheres.place' || fail "the row does not say why: $(tail -n 1 failing/results.csv)"

# ---- Mistakes --------------------------------------------------------------------------------------------------------------------------

run 1 sweep fall.yaml --over contact.frction=0.1,0.2 -o wrong; names contact.frction=0.1 friction; gone wrong
run 1 sweep fall.yaml --over contact.restitution=0.1,2 -o wrong; names contact.restitution=2; gone wrong
run 2 sweep fall.yaml -o wrong; names --over; gone wrong
run 2 sweep fall.yaml --over contact.restitution -o wrong; names contact.restitution; gone wrong
run 2 sweep fall.yaml --over contact.restitution=0:1:0 -o wrong; names 0:1:0; gone wrong
run 2 sweep fall.yaml --over contact.restitution=0.1,,2 -o wrong; names 0.1,,2; gone wrong
run 2 sweep fall.yaml --over contact.restitution=0.1 --over contact.restitution=0.2 -o wrong; names contact.restitution; gone wrong
run 2 sweep fall.yaml --over contact.restitution=0:1:1000 --seeds 11 -o wrong; names 10000; gone wrong
run 1 sweep fall.yaml --over spheres.count=3,4 --over spheres.1.count=5 -o wrong; names spheres.count spheres.1.count; gone wrong  # two names of one value
run 1 sweep fall.yaml --over spheres.count=-3 --over spheres.1.count=5 -o wrong; names spheres.count spheres.1.count; gone wrong
run 1 sweep fall.yaml --over contact.restitution=0.1,0.2 --over 'contact={stiffness: 1e5}' -o wrong; names contact.restitution; gone wrong
run 2 sweep fall.yaml --over seed=1,2 -o wrong; names --seeds; gone wrong
run 2 sweep fall.yaml --seeds 2 -o wrong --want energy,energy; names energy; gone wrong
run 2 sweep fall.yaml --seeds 2; names -o
mkdir other; echo precious >other/file
run 1 sweep fall.yaml --seeds 2 -o other; names other; [ "$(ls other)" = file ] || fail "files were added to another folder"
run 0 run fall.yaml --check --set time.end= --set time.steps=10 --json; json_is steps 10
finish
