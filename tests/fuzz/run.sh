# run.sh PROGRAM SEEDS RUNS PREFIX: one fuzz test, as good as always the same, on a copy of the seeds. SCREE_TEST_EFFORT
# scales RUNS. What the fuzzer prints on its way is kept aside; a failure shows the end of it, and the input in base64.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/corpus"
cp "$2"/* "$scratch/corpus"
runs=$(awk -v runs="$3" -v effort="${SCREE_TEST_EFFORT:-1}" 'BEGIN { printf "%d", (effort > 0 ? runs * effort : runs) }')
# A unit takes milliseconds; the limit is for one that never ends, not for a machine that stands still for a while.
if "$1" -seed=1 -reload=0 -runs="$runs" -timeout=120 -max_len=4096 -artifact_prefix="$4" -print_final_stats=1 \
    "$scratch/corpus" > "$scratch/log" 2>&1; then
    tail -n 8 "$scratch/log"
    exit 0
fi
grep -v '^#' "$scratch/log" | tail -n 60
for found in "$4"*; do
    if [ -f "$found" ]; then
        echo "$found:"
        base64 "$found"
    fi
done
exit 1
