# scree run --device: the emulated device leaves the run that the processor leaves, and either goes on where the other stopped.
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
. "$(dirname "$0")/lib.sh"

cat >long.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
spheres: {count: 60, sizes: uniform-size:0.02:0.05, place: random, material_density: 1000}
contact: {duration: 2e-3, restitution: 0.7, friction: 0.4}
time: {end: 0.03}
order_every: 300
changes:
- {at: 0.01, gravity: [5, 0]}
output: {every: 0.01, formats: [vtp], contacts: true, log_every_steps: 77}
checkpoint: {every: 200}
END
sed 's/end: 0.03/end: 0.0131/' long.yaml >short.yaml

run 0 run long.yaml -o reference --json; hash=$(hash_of out)
grep -q '"device": "none"' out && ! grep -q '"device_' out || fail "a run on the processor does not say so"
run 0 run long.yaml -o device --device emulate --json; [ "$(hash_of out)" = "$hash" ] || fail "emulated: another hash"
same_run reference device
grep -q '"device": "emulate"' out && grep -q '"device_name": "[^"]' out && grep -q '"device_bytes": [1-9]' out || fail "a run does not say which device did it"
grep -q '^device emulate: .* MB$' err || fail "the device is not named on stderr"
grep -q 'device name' device/report.html && ! grep -q 'device name' reference/report.html || fail "the report does not name the device"
run 0 run short.yaml -o parts --device emulate --quiet
run 0 resume parts --until 0.03 --json --device auto; grep -q '"device": "none"' out && grep -q '^device auto: the processor, since 60 spheres are fewer' err || fail "no reason of auto"; [ "$(hash_of out)" = "$hash" ] || fail "from the device to the processor: another hash"
run 0 run short.yaml -o other --quiet
run 0 resume other --until 0.03 --device emulate --json; grep -q '"device": "emulate"' out && grep -q '^device emulate: ' err || fail "resume does not name the device"; [ "$(hash_of out)" = "$hash" ] || fail "from the processor to the device: another hash"
same_run reference other

# What it takes is said before the run; what it cannot do is refused by name, and nothing is left.
run 0 run long.yaml --check --device emulate --json; grep -q '"device_bytes": [1-9]' out || fail "no memory of the device"
run 0 run long.yaml --check --device auto --json; ! grep -q device_bytes out || fail "a device for 60 spheres"
grep -q '^device auto: the processor, since 60' err || fail "--check gives no reason of auto"
run 0 run long.yaml --check --device emulate --quiet; [ ! -s err ] || fail "--quiet names the device"
bytes() { sed -n 's/.*"device_bytes": \([0-9]*\).*/\1/p' out; }
sed 's/^spheres: {count: 60/spheres: {count: 0/' long.yaml >inflow.yaml
echo 'insert: [{count: 20000, region: {lower: [0, 0], upper: [1, 1]}}, {rate: 4e6, end: 0.01, region: {lower: [0, 0], upper: [1, 1]}}]' >>inflow.yaml
run 0 run inflow.yaml --check --device emulate --json; [ "$(bytes)" -gt 10000000 ] || fail "memory $(bytes) without the 60000 spheres that come"
run 0 run inflow.yaml --check --device auto --json; names "60000 spheres"
sed 's/friction: 0.4/friction: 0.4, bridge_volume: 1e-9, surface_tension: 0.07/' long.yaml >bridges.yaml
run 1 run bridges.yaml -o none --device emulate; names emulate bridges
[ ! -e none ] || fail "a refused run left a folder"
run 2 run long.yaml -o none --device gpu; names "'gpu'"
SCREE_CUDA_MODULE=/nowhere/libscree_cuda.so run_unrecorded 1 run long.yaml -o none --device cuda; names cuda /nowhere/libscree_cuda.so

# Pairs.
run 0 demo -o spheres.csv
run 0 contacts spheres.csv --gap 0.1 -o reference.csv
run 0 contacts spheres.csv --gap 0.1 --device emulate --verify -o pairs.csv --json; cmp -s reference.csv pairs.csv || fail "other pairs"
grep -q '"device": "emulate"' out || fail "no device in the report"
run 2 contacts spheres.csv --device emulate --boxes; names boxes
run 2 contacts spheres.csv --device emulate --method octree; names octree emulate

# Systems that a GPU is checked with.
/usr/bin/python3 -B "$tools/gpu_check" "$(dirname "$SCREE")" --device emulate >wrong || fail "$(cat wrong)"

# The bench fails if a hash differs. Those of named runs and of searches of their spheres are compared with what a GPU gave, and the tables of docs/gpu.md with the file.
run 0 bench device --quick --json; /usr/bin/python3 -B "$tools/gpu_table" check out >wrong || fail "$(cat wrong)"
hash=$(sed -n '/"rows_search"/,/}/s/.*"hash": \["\([0-9a-f]*\)".*/\1/p' out); [ -n "$hash" ] || fail "no search"
sed "s/\"$hash\"/\"0123\"/" out >changed.json
! /usr/bin/python3 -B "$tools/gpu_table" check changed.json >wrong && grep -q "hash 0123 .*$hash" wrong || fail "another hash of a search is not noticed: $(cat wrong)"
sed '/"rows_named"/,/}/s/"contacts_per_sphere": \[0[^,]*/"contacts_per_sphere": [0.001/' out >changed.json; ! cmp -s out changed.json || fail "no contacts of named runs"
! /usr/bin/python3 -B "$tools/gpu_table" check changed.json >wrong && grep -q "0.001 contacts" wrong || fail "a run without contacts is not noticed: $(cat wrong)"
run 0 bench device --quick --systems 4,10 --json; grep -q '"n": \[9261, 9261, 1000, 1000, 1000, 1000\]' out || fail "other systems than the fourth to the tenth"
run 2 bench device --systems 9,4; names --systems "'9,4'"
run 2 bench speed --systems 1,2; names speed --systems
finish
