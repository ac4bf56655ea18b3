# Several processes: the same hash and the same files as one, whatever their number; runs that go on with other numbers of them; a process that is killed; what is refused.
. "$(dirname "$0")/lib.sh"

mpi=$(dirname "$SCREE")/scree-mpi
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo "skipped: scree-mpi was not built, or there is no mpirun (libopenmpi-dev, openmpi-bin)"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMP_NUM_THREADS=1

hash_of() { sed -n 's/^ *"hash": "\(.*\)"$/\1/p' "$1"; }
# mpi_run RANKS CODE ARGS...: under mpirun; stdout and stderr as of `run`.
mpi_run() {
    local ranks=$1 want=$2
    shift 2
    timeout 100 mpirun --map-by :OVERSUBSCRIBE -n "$ranks" "$SCREE" "$@" >out 2>err </dev/null
    local got=$?
    [ "$got" -eq "$want" ] || fail "mpirun -n $ranks scree $*: exit code $got, wanted $want"
}

# Friction, energies, drag, two sizes, gravity, a moving wall and changes on the way.
cat >scene.yaml <<'END'
box: {size: [8, 8, 12], periodic: [x]}
gravity: [0, 0, -2]
spheres: {count: 300, sizes: uniform-size:0.3:0.7, place: random, material_density: 2}
contact: {stiffness: 2000, restitution: 0.6, friction: 0.4}
time: {steps: 600}
order_every: 70
changes:
- {at: 0.1, gravity: [1, 0, -2]}
- {at: 0.2, walls: {z: [0, -0.2]}}
output: {every_steps: 200, formats: [vtp, csv], contacts: true, log_every_steps: 77}
drag: {coefficient: 0.02, spin: 0.01}
local_damping: 0.05
checkpoint: {every: 200}
END
run 0 run scene.yaml -o one --json
hash=$(hash_of out)
for ranks in 1 2 3 8; do
    mpi_run $ranks 0 run scene.yaml -o "many$ranks" --json
    [ "$(hash_of out)" = "$hash" ] || fail "$ranks processes: another hash"
    same_run one "many$ranks"
done

# From a checkpoint of many processes with one, and with another number of them; the other way round.
copy many8 mixed; rm "$(newest mixed)"
run 0 resume mixed --json; [ "$(hash_of out)" = "$hash" ] || fail "8 processes, then 1: another hash"
copy one mixed; rm "$(newest mixed)"
run_unrecorded 0 resume mixed --json --ranks 3; [ "$(hash_of out)" = "$hash" ] || fail "1 process, then 3: another hash"
same_run one mixed

# A giant, in two dimensions, without friction; bonds, some of which break; contacts compared with all pairs.
cat >giant.yaml <<'END'
dimension: 2
box: {size: [30, 30], periodic: [x]}
gravity: [0, -1]
spheres:
- {count: 1, sizes: "mono:4", place: random, material_density: 0.1}
- {count: 300, sizes: uniform-size:0.2:0.5, place: random, material_density: 1, velocity: thermal, temperature: 0.3}
giants: 3
contact: {stiffness: 1000, restitution: 0.7}
bonds:
- {gap: 0.3, young: 300, tensile_strength: 20, damping: 0.1}
time: {steps: 400}
output: {every_steps: 400, formats: [csv], log_every_steps: 200}
END
run 0 run giant.yaml -o giant --json; hash_giant=$(hash_of out)
mpi_run 5 0 run giant.yaml -o giant5 --json; [ "$(hash_of out)" = "$hash_giant" ] || fail "a giant on 5 processes: another hash"
grep -q '"bonds_broken": [1-9]' out || fail "no bond broke"
same_run giant giant5
mpi_run 2 0 run giant.yaml -o giant2 --json --verify; [ "$(hash_of out)" = "$hash_giant" ] || fail "a giant on 2 processes: another hash"

# p4est finds the ranks that the forest without it finds, and a plan has the counts of the processes.
if [ -x "$(dirname "$SCREE")/tests/scree_mpi_forest" ]; then
    for ranks in 2 5 8; do
        timeout 100 mpirun --map-by :OVERSUBSCRIBE -n $ranks "$(dirname "$SCREE")/tests/scree_mpi_forest" >out 2>err </dev/null || fail "p4est and the plain forest, or a plan and the processes, differ: $ranks processes"
    done
fi

# One process is killed: all end, and the run goes on from its last checkpoint.
sed 's/steps: 600/steps: 3000/; s/every: 200/every: 100/' scene.yaml >long.yaml
run 0 run long.yaml -o judge --json; long=$(hash_of out)
timeout 100 mpirun --map-by :OVERSUBSCRIBE -n 3 "$SCREE" run long.yaml -o killed -q >out 2>err </dev/null &
pid=$!
await 60 has_checkpoint killed
kill -9 "$(pgrep -P "$(pgrep -P "$pid")" | tail -n 1)"
wait "$pid" && fail "a process was killed, and mpirun ended well"
run 0 resume killed --json
[ "$(hash_of out)" = "$long" ] || fail "killed and resumed: another hash"

# What several processes cannot do yet is said, and nothing is written.
mpi_run 2 1 run giant.yaml -o refused --device emulate; names emulate; gone refused
mpi_run 2 2 run scene.yaml -o refused --ranks 3; names 3 2; gone refused

# Processes of which MPI does not know.
for rank in 0 1; do
    env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=$rank timeout 100 "$SCREE" run scene.yaml -o refused >out 2>err </dev/null && fail "process $rank of 2 that MPI does not know went on"
    [ $rank -eq 1 ] || names 2 1
    gone refused
done

# Without scree-mpi beside it the program says so, once.
mkdir alone; cp "$SCREE" alone/scree
timeout 100 mpirun --map-by :OVERSUBSCRIBE -n 2 alone/scree run scene.yaml -o refused >out 2>err </dev/null && fail "two programs in one folder"
names 2 scree-mpi; gone refused
alone/scree run scene.yaml -o refused --ranks 2 >out 2>err </dev/null && fail "--ranks without scree-mpi"
names "--ranks 2" scree-mpi; gone refused
finish
