# Several processes: the same hash and the same files as one, whatever their number; runs that go on with other numbers of them; a process that is killed; what is refused.
. "$(dirname "$0")/lib.sh"

mpi=$(dirname "$SCREE")/scree-mpi
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo "skipped: scree-mpi was not built, or there is no mpirun (libopenmpi-dev, openmpi-bin)"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMP_NUM_THREADS=1 HWLOC_HIDE_ERRORS=2  # the last: a bare folder has no /sys

# libevent within mpirun sometimes warns of a descriptor of a process that was killed.
one_line() { [ "$(grep -vc '^\[warn\] Epoll' err)" -eq 1 ] || fail "more than one line on stderr"; }
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
spheres: {count: 300, sizes: uniform-size:0.3:0.7, place: random, material_density: 2, velocity: thermal, temperature: 2.5}
contact: {stiffness: 8000, restitution: 0.6, friction: 0.4}
time: {steps: 120, step: 0.0012}
order_every: 33
changes:
- {at: 0.05, gravity: [1, 0, -2]}
- {at: 0.1, walls: {z: [0, -0.2]}}
- {at: 0.12, contact: {friction: 0.3}}
output: {every_steps: 40, formats: [vtp, csv], contacts: true, log_every_steps: 31}
drag: {coefficient: 0.02, spin: 0.01}
local_damping: 0.05
checkpoint: {every: 40}
END
# same_checkpoints A B: every array of the newest checkpoints, but for readings of the clock, the bytes of their digits in the log and the number of lists.
same_checkpoints() {
    /usr/bin/python3 -B - "$(newest "$1")" "$(newest "$2")" >differences <<'END' || fail "checkpoints of $1 and $2 differ: $(cat differences)"
import sys, zipfile
one, other = (zipfile.ZipFile(path) for path in sys.argv[1:])
left_out = ("progress/seconds", "progress/rebuilds", "progress/log_bytes", "progress/log_sum")
names = set(one.namelist()) | set(other.namelist())
differ = [name for name in sorted(names) if name not in one.namelist() or name not in other.namelist() or (one.read(name) != other.read(name) and not name.startswith(left_out))]
print(*differ)
sys.exit(bool(differ) or len(names) < 20)
END
}

run 0 run scene.yaml -o one --json
hash=$(hash_of out)
awk -v c="$(json contacts)" -v w="$(json dissipated_tangential)" 'BEGIN { exit !(c > 10 && w > 1) }' || fail "$(json contacts) contacts, $(json dissipated_tangential) lost by friction: nothing to compare"
for ranks in 1 2 3 8; do
    mpi_run $ranks 0 run scene.yaml -o "many$ranks" --json
    [ "$(hash_of out)" = "$hash" ] || fail "$ranks processes: another hash"
    same_run one "many$ranks"
    same_checkpoints one "many$ranks"
done

# From a checkpoint of many processes with one, and with another number of them; the other way round.
copy many8 mixed; rm "$(newest mixed)"
run 0 resume mixed --json; [ "$(hash_of out)" = "$hash" ] || fail "8 processes, then 1: another hash"
copy one mixed; rm "$(newest mixed)"
run_unrecorded 0 resume mixed --json --ranks 3; [ "$(hash_of out)" = "$hash" ] || fail "1 process, then 3: another hash"
same_run one mixed

# A giant, in two dimensions, without friction; bonds, some of which break, while spheres are inserted; contacts compared with all pairs.
cat >giant.yaml <<'END'
dimension: 2
box: {size: [30, 30], periodic: [x]}
gravity: [0, -1]
spheres:
- {count: 1, sizes: "mono:4", place: random, material_density: 0.1}
- {name: fine, count: 300, sizes: uniform-size:0.2:0.5, place: random, material_density: 1, velocity: thermal, temperature: 0.3}
giants: 3
contact: {stiffness: 1000, restitution: 0.7}
bonds:
- {gap: 0.3, young: 300, tensile_strength: 20, damping: 0.1}
insert:
- {group: fine, rate: 200, every_steps: 50, region: {lower: [1, 25], upper: [29, 29]}}
time: {steps: 200}
output: {every_steps: 200, formats: [csv, vtp], contacts: true, log_every_steps: 100}
checkpoint: {every: 100}
END
run 0 run giant.yaml -o giant --json; hash_giant=$(hash_of out)
mpi_run 5 0 run giant.yaml -o giant5 --json --verify; [ "$(hash_of out)" = "$hash_giant" ] || fail "a giant on 5 processes: another hash"
grep -q '"bonds_broken": [1-9]' out || fail "no bond broke"
awk -v i="$(json inserted)" 'BEGIN { exit !(i > 5 && i < 50) }' || fail "$(json inserted) spheres came in beside bonds"
same_run giant giant5
same_checkpoints giant giant5
rm "$(newest giant5)"
run_unrecorded 0 resume giant5 --json --ranks 2; [ "$(hash_of out)" = "$hash_giant" ] || fail "bonds, 5 processes, then 2: another hash"
same_run giant giant5

# Spheres come in, go out, go round, and pass through a wall that removes them.
cat >flow.yaml <<'END'
box: {size: [8, 8, 12], periodic: [x]}
gravity: [0, 0, -20]
spheres: {count: 250, sizes: uniform-size:0.3:0.7, place: random, material_density: 2, velocity: thermal, temperature: 2.5}
contact: {stiffness: 8000, restitution: 0.6, friction: 0.4}
insert:
- {name: top, rate: 300, every_steps: 10, region: {lower: [1, 1, 10], upper: [7, 7, 11.5]}, velocity: [0, 0, -5]}
- {rate: 100, every_steps: 20, region: {lower: [1, 1, 8], upper: [7, 7, 10]}}
outlets:
- {region: {lower: [0, 0, 0], upper: [4, 8, 1.2]}, every_steps: 10}
- {into: top, region: {lower: [4, 0, 0], upper: [8, 8, 1.2]}, every_steps: 10}
time: {steps: 120, step: 0.001}
order_every: 33
output: {every_steps: 40, formats: [vtp], contacts: true, log_every_steps: 30}
checkpoint: {every: 40}
END
run 0 run flow.yaml -o flow --json; hash_flow=$(hash_of out)
awk -v i="$(json inserted)" -v r="$(json removed)" 'BEGIN { exit !(i > 10 && r > 20) }' || fail "$(json inserted) came and $(json removed) went: nothing to compare"
mpi_run 3 0 run flow.yaml -o flow3 --json; [ "$(hash_of out)" = "$hash_flow" ] || fail "spheres come and go on 3 processes: another hash"
same_run flow flow3
same_checkpoints flow flow3
rm "$(newest flow3)"
run_unrecorded 0 resume flow3 --json --ranks 2; [ "$(hash_of out)" = "$hash_flow" ] || fail "spheres come and go, 3 processes, then 2: another hash"
same_run flow flow3

# Frames in pieces, which frames of more than 1e7 spheres have.
for ranks in 1 2; do
    SCREE_TEST_PIECE=120 run_unrecorded 0 run giant.yaml -o "pieces$ranks" -q --ranks $ranks
done
same_run pieces1 pieces2
[ "$(find pieces1/frames -name 'frame_*.p000[0-2].vtp' | wc -l)" -eq 6 ] || fail "frames in pieces: $(ls pieces1/frames)"
run 0 convert pieces2/frames/frame_000001.pvtp -o pieces.csv -q
run 0 convert giant/frames/frame_000001.csv -o whole.csv -q
cmp -s pieces.csv whole.csv || fail "a frame in pieces has other numbers"

# A packing under pressure.
run 0 pack --count 12 --sizes uniform-size:0.5:1 --method dem --tolerance 0.1 -o one.csv -q
run_unrecorded 0 pack --count 12 --sizes uniform-size:0.5:1 --method dem --tolerance 0.1 -o two.csv -q --ranks 2
cmp -s one.csv two.csv || fail "a packing by two processes is another one"
run 2 pack --count 12 --sizes mono:1 --method rsa -o refused.csv --ranks 2; names --ranks dem; gone refused.csv

# p4est finds the ranks that the forest without it finds.
if [ -x "$(dirname "$SCREE")/tests/scree_mpi_forest" ]; then
    timeout 100 mpirun --map-by :OVERSUBSCRIBE -n 7 "$(dirname "$SCREE")/tests/scree_mpi_forest" >out 2>err </dev/null || fail "p4est and the plain forest differ"
fi

# Other systems at each run, with random borders and messages that wait; and memory that runs out on one process.
# The limit is far above what they take (some seconds): beside six busy loops at the same priority three processes took 88 s in place of 2.4, since a process that waits for a message leaves its core to all others in turn.
if [ -x "$(dirname "$SCREE")/tests/scree_mpi_steps" ]; then
    seed=${SCREE_TEST_SEED:-$(date +%s)}
    for ranks in 3 8; do
        timeout 300 mpirun --map-by :OVERSUBSCRIBE -n $ranks "$(dirname "$SCREE")/tests/scree_mpi_steps" seeds $((seed + ranks * 1000)) $((5 * effort)) >out 2>err </dev/null ||
            fail "$ranks processes differ from one: SCREE_TEST_SEED=$seed"
    done
    timeout 100 mpirun --map-by :OVERSUBSCRIBE -n 2 "$(dirname "$SCREE")/tests/scree_mpi_steps" memory >out 2>err </dev/null || fail "memory that runs out on one of 2 processes"
    for ranks in 2 8; do
        timeout 100 mpirun --map-by :OVERSUBSCRIBE -n $ranks "$(dirname "$SCREE")/tests/scree_mpi_steps" plan 20 >out 2>err </dev/null || fail "$ranks processes do not have what their plan says: $(cat out)"
    done
fi

# The plan counts what process 0 has while the picture of the report is drawn. The page itself, and what it reads of the log, come on top: 1 to 2 MB.
cat >report.yaml <<'END'
box: {size: [40, 40, 40], periodic: [x, y, z]}
spheres: {count: 20000, sizes: "mono:0.4", place: random, material_density: 1, velocity: thermal, temperature: 1}
contact: {stiffness: 2000, restitution: 0.8}
time: {steps: 3}
output: {every_steps: 3, formats: [npy]}
END
run 0 plan report.yaml --ranks 2 --json
planned=$(tr -d ' \n' <out | sed 's/.*"bytes_report":\[\([0-9]*\).*/\1/')
SCREE_TEST_PEAK=peak mpi_run 2 0 run report.yaml -o reported -q --threads 1
awk -v p="$planned" -v r="$(cat peak.0)" 'BEGIN { exit !(p > 2e7 && p <= r && r - p < 2.5e6) }' || fail "process 0 had at most $(cat peak.0) bytes, and the plan says $planned with the report"

# From here on processes end with errors. mpirun then waits for two seconds before it ends the others; here nobody needs them.
export OMPI_MCA_odls_base_sigkill_timeout=0
# Copies between processes fail loudly when one of them has gone.
export OMPI_MCA_btl_vader_single_copy_mechanism=none

# Ctrl-C leaves a checkpoint and a report. Then one process is killed: all end, it is reported, and the run goes on from its last checkpoint.
sed 's/steps: 120/steps: 1000000000/; s/every: 40/every: 120/; s/every_steps: 40/every_steps: 80/' scene.yaml >long.yaml
env --default-signal=INT,TERM --block-signal=USR1 "$SCREE" run long.yaml -o killed -q --ranks 2 >out 2>err </dev/null &  # mpirun gets SIGUSR1
pid=$!
await 60 has_moved killed
end INT 130
names 1000000000 resume; one_line; [ -s killed/report.html ] || fail "stopped, and there is no report"
stopped=$(newest killed)
start resume killed -q --ranks 3
await 60 eval '[ "$(newest killed)" != "$stopped" ]'  # all of them work
kill -9 "$(pgrep -P "$(pgrep -P "$pid")" | tail -n 1)"
wait "$pid"; [ $? -eq 137 ] || fail "a process was killed, and the exit code is not 137"
names 3 9; one_line
steps=$(basename "$(newest killed)" .npz); steps=$(($(echo "${steps#checkpoint_}" | sed 's/^0*//') + 120))
run 0 resume killed --until-steps $steps --json; stopped=$(hash_of out)
sed "s/steps: 1000000000/steps: $steps/" long.yaml >same.yaml
run 0 run same.yaml -o reference --json
[ "$(hash_of out)" = "$stopped" ] || fail "stopped, killed and resumed: another hash"

# What several processes cannot do yet is said, and nothing is written.
mpi_run 2 1 run giant.yaml -o refused --device emulate; names emulate; gone refused
mpi_run 2 2 run scene.yaml -o refused --ranks 3; names 3 2; gone refused
sed 's/friction:/frction:/' scene.yaml >wrong.yaml
run_unrecorded 1 run wrong.yaml -o refused --ranks 2; names wrong.yaml:4 frction; one_line; gone refused  # and nothing by mpirun

# Processes of which MPI does not know. The second one waits for a second, so that the first can say why.
env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 timeout 100 "$SCREE" run scene.yaml -o refused >/dev/null 2>&1 </dev/null &
second=$!
env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 timeout 100 "$SCREE" run scene.yaml -o refused >out 2>err </dev/null && fail "process 0 of 2 that MPI does not know went on"
names 2 1; gone refused

# Pairs: the same file as of one process, and compared with all pairs.
run 0 contacts one/frames/frame_000003.csv --gap 0.1 --periodic x --box 8,8,12 -o pairs1.csv -q
run_unrecorded 0 contacts one/frames/frame_000003.csv --gap 0.1 --periodic x --box 8,8,12 -o pairs2.csv --json --verify --ranks 2
[ "$(wc -l <pairs1.csv)" -gt 100 ] || fail "no pairs to compare"
cmp -s pairs1.csv pairs2.csv || fail "pairs by two processes are others"
json_is ranks 2; json_is missing 0; json_is extra 0
run_unrecorded 2 contacts one/frames/frame_000003.csv --repeat 2 --ranks 2; names --repeat; one_line

# Steps that are timed end in the same state.
mpi_run 1 0 bench step --quick --count 900; grep hash out >hashes1
mpi_run 2 0 bench step --quick --count 900; grep hash out >hashes2
[ "$(wc -l <hashes1)" -eq 4 ] && cmp -s hashes1 hashes2 || fail "bench step by two processes ends in another state"
prints "2 ranks" "2 ranks all cores"; [ ! -s err ] || fail "bench step by two processes: more on stderr"

# Without scree-mpi beside it the program says so, once.
mkdir alone; cp "$SCREE" alone/scree
timeout 100 mpirun --map-by :OVERSUBSCRIBE -n 2 alone/scree run scene.yaml -o refused >out 2>err </dev/null && fail "two programs in one folder"
names 2 scree-mpi; gone refused
alone/scree run scene.yaml -o refused --ranks 2 >out 2>err </dev/null && fail "--ranks without scree-mpi"
names "--ranks 2" scree-mpi; gone refused
wait "$second" && fail "process 1 of 2 that MPI does not know went on"
gone refused
finish
