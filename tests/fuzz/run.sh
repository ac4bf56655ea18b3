# run.sh PROGRAM SEEDS RUNS PREFIX: one fuzz test, always the same, on a copy of the seeds. SCREE_TEST_EFFORT scales RUNS.
set -eu
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
cp "$2"/* "$corpus"
runs=$(awk -v runs="$3" -v effort="${SCREE_TEST_EFFORT:-1}" 'BEGIN { printf "%d", (effort > 0 ? runs * effort : runs) }')
"$1" -seed=1 -runs="$runs" -timeout=20 -max_len=4096 -artifact_prefix="$4" -print_final_stats=1 "$corpus"
