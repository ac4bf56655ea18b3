# run.sh PROGRAM CORPUS PREFIX: one fuzz test. Replays the corpus, then runs for some seconds (times SCREE_TEST_EFFORT) from a copy of it,
# with a seed that is new each time and printed; SCREE_FUZZ_SEED repeats one. What the fuzzer prints on its way is kept aside; a failure
# shows the end of it, and the input in base64.
set -eu
seconds=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/corpus"
cp "$2"/* "$scratch/corpus"

show_failure() {
    grep -v '^#' "$scratch/log" | tail -n 60
    for found in "$1"*; do
        if [ -f "$found" ]; then
            echo "$found:"
            base64 "$found"
        fi
    done
    exit 1
}

# A unit takes milliseconds; the limit is for one that never ends, not for a machine that stands still for a while.
"$1" -timeout=120 -artifact_prefix="$3" "$2"/* > "$scratch/log" 2>&1 || show_failure "$3"
echo "replayed $(ls "$2" | wc -l) files"
seed=${SCREE_FUZZ_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
total=$(awk -v s=$seconds -v effort="${SCREE_TEST_EFFORT:-1}" 'BEGIN { printf "%d", (effort > 1 ? s * effort : s) }')
echo "fuzzing for $total s with seed $seed (SCREE_FUZZ_SEED repeats it)"
largest=$(wc -c "$2"/* | awk '$2 != "total" && $1 > most { most = $1 } END { print (most > 4096 ? most : 4096) }')  # no seed is cut
"$1" -seed="$seed" -reload=0 -max_total_time="$total" -timeout=120 -max_len="$largest" -artifact_prefix="$3" -print_final_stats=1 \
    "$scratch/corpus" > "$scratch/log" 2>&1 || show_failure "$3"
tail -n 8 "$scratch/log"
