# For the tests of the program: `. lib.sh` gives a folder of its own, ways to run scree, and checks that say what failed.
# Every test script ends with `finish`. Environment:
#   SCREE               the program
#   SCREE_TEST_EFFORT   multiplies the number of kills, and adds what is too slow otherwise (1)
#   SCREE_TEST_SHORT    not empty: leave out what a slow build need not repeat; scripts ask `[ -n "$short" ]`
#   SCREE_TEST_SEED     of the moments at which programs are killed
#   SCREE_MESSAGES      a file that gets the last line of stderr of every run that was expected to fail
set -u
: "${SCREE:?the program to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
effort=$(awk -v e="${SCREE_TEST_EFFORT:-1}" 'BEGIN { printf "%d", e < 1 ? 1 : e }')
short=${SCREE_TEST_SHORT:-}

fail() {
    echo "FAILED (line ${BASH_LINENO[-2]}): $*"
    sed 's/^/    stdout: /' out 2>/dev/null | head -n 5
    sed 's/^/    stderr: /' err 2>/dev/null | head -n 5
    failures=$((failures + 1))
}

# A misspelt check must not pass as a check.
command_not_found_handle() { echo "FAILED: there is no command $1"; kill -TERM $$; }

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures checks failed"; exit 1; }
    echo "all checks passed"
    exit 0
}

# ---- Running ----------------------------------------------------------------------------------------------------------------

# run CODE ARGS...: runs scree; its exit code must be CODE. Output is left in the files out and err.
run() {
    run_unrecorded "$@"
    if [ "$1" -ne 0 ] && [ -n "${SCREE_MESSAGES:-}" ] && [ -s err ]; then
        local line
        line=$(tail -n 1 err)
        printf 'cli %s: %s\n' "$(basename "$0" .sh)" "${line//"$work"/FOLDER}" >>"$SCREE_MESSAGES"
    fi
}

# The same where the message differs from time to time: not for SCREE_MESSAGES.
run_unrecorded() {
    local want=$1
    shift
    "$SCREE" "$@" >out 2>err </dev/null
    local got=$?
    [ "$got" -eq "$want" ] || fail "scree $*: exit code $got, wanted $want"
}

# start ARGS...: runs scree in the background, process $pid. A shell starts such jobs with Ctrl-C ignored; env undoes that.
start() {
    env --default-signal=INT,TERM "$SCREE" "$@" >out 2>err </dev/null &
    pid=$!
}

# end SIGNAL CODE: sends it to process $pid, which must end with CODE.
end() {
    kill "-$1" "$pid"
    wait "$pid"
    local got=$?
    [ "$got" -eq "$2" ] || fail "SIG$1: exit code $got, wanted $2"
}

# await SECONDS COMMAND...: waits until the command succeeds.
await() {
    local last=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -le $last ] || { fail "waited in vain for: $*"; return 1; }
        sleep 0.01
    done
}

# worked PID TICKS: whether the process has used that much processor time, in 1/100 s, or has ended.
worked() { awk -v wanted="$2" '{ sub(/.*\) /, ""); exit !($12 + $13 >= wanted) }' "/proc/$1/stat" 2>/dev/null || ! kill -0 "$1" 2>/dev/null; }

# ---- Checks -----------------------------------------------------------------------------------------------------------------

# has_part FILE PART: whether a line of the file holds this part as a whole: 1 is not in 12, 1.5 or 0.1, and gap not in gaps.
has_part() {
    part=$2 awk 'BEGIN { part = ENVIRON["part"]; word = "[[:alnum:]_]"; head = substr(part, 1, 1) ~ word; tail = substr(part, length(part)) ~ word }
        { for (from = 1; (k = index(substr($0, from), part)) > 0; from += k) {
              at = from + k - 1
              before = substr($0, at > 2 ? at - 2 : 1, at > 2 ? 2 : at - 1)
              after = substr($0, at + length(part), 2)
              if (!(head && before ~ (word "$|[0-9]\\.$")) && !(tail && after ~ ("^" word "|^\\.[0-9]"))) { found = 1; exit }
          } }
        END { exit !found }' "$1"
}

# names PART...: stderr of the last run holds each of these places and values (a file and line, a sphere, an option, a number). Wording is not checked.
names() { for part in "$@"; do has_part err "$part" || fail "stderr does not name: $part"; done; }
# prints PART...: the same of stdout.
prints() { for part in "$@"; do has_part out "$part" || fail "stdout lacks: $part"; done; }

# json KEY: the value of a key in the last run's JSON.
hash_of() { sed -n 's/^ *"hash": "\(.*\)",*$/\1/p' "$1"; }  # of a run, in a file with its JSON
json() { sed -n "s/^  \"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" out; }
json_is() { [ "$(json "$1")" = "$2" ] || fail "JSON key $1 is '$(json "$1")', wanted '$2'"; }
json_has() { for key in "$@"; do [ -n "$(json "$key")" ] || fail "JSON key $key is missing"; done; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
gone() { [ ! -e "$1" ] || fail "$1 is there and should not be"; }
no_leftovers() { [ -z "$(find . -name '.*.tmp*' -o -name '*.tmp*' -o -name '.*' -type f)" ] || fail "temporary files were left: $(ls -A)"; }

# ---- Runs and their folders ---------------------------------------------------------------------------------------------------

newest() { find "$1" -name 'checkpoint_*.npz' 2>/dev/null | sort | tail -n 1; }
has_checkpoint() { [ -n "$(newest "$1")" ]; }
# has_moved FOLDER: it has a checkpoint of a later step than 0. A run that is stopped before its first step takes its folder away.
has_moved() { [[ $(newest "$1") =~ checkpoint_0*[1-9] ]]; }
copy() { rm -rf "$2"; cp -r "$1" "$2"; }
# The log without its columns of work, rebuilds and seconds.
numbers_of_log() {
    awk -F, 'NR == 1 { for (f = 1; f <= NF; ++f) work[f] = $f ~ /^(rebuilds|seconds.*)$/ }
             { for (f = 1; f <= NF; ++f) if (!work[f]) printf "%s,", $f; print "" }' "$1/log.csv"
}
# same_run A B: the two folders hold the same but for rebuilds, seconds, checkpoints and the report.
same_run() {
    diff <(numbers_of_log "$1") <(numbers_of_log "$2") >/dev/null || fail "$1/log.csv and $2/log.csv differ"
    diff -rq --exclude='checkpoint_*' --exclude=log.csv --exclude=report.html "$1" "$2" >differences || fail "$1 and $2 differ: $(head -n 3 differences)"
}

# seed_moments: from here on random moments repeat with the seed that is printed.
seed_moments() {
    local seed=${SCREE_TEST_SEED:-$RANDOM}
    RANDOM=$seed
    echo "seed of the moments: $seed (SCREE_TEST_SEED repeats it)"
}

# run_killed CALLS ARGS...: runs scree, which is killed (SIGKILL) before a random one of the first CALLS times that it saves or renames a file (kill_at.c). Fails if it ends before. Adds to $kills.
kills=0
run_killed() {
    local at=$((RANDOM % $1 + 1))
    shift
    LD_PRELOAD=$SCREE_KILLER SCREE_KILL_AT=$at "$SCREE" "$@" >out 2>err </dev/null
    [ $? -eq 137 ] || return 1
    kills=$((kills + 1))
}

# kill_chain SCENE FOLDER MOST CALLS: a run that is killed at random calls, the first of CALLS, at most MOST times, and each time resumed with other threads and another
# method; then it goes to its end. The last run leaves its JSON in out.
kill_chain() {
    local methods=(auto all-pairs verlet-list linked-cells linear-list octree loose-octree hierarchical-grid) k how=("run" "$1" -o "$2")
    rm -rf "$2"
    for ((k = 0; k < $3; ++k)); do
        run_killed "$4" "${how[@]}" || break
        how=(run "$1" -o "$2" --force)  # it had not begun
        ! has_checkpoint "$2" || how=(resume "$2" --threads $((RANDOM % 3 + 1)) --method "${methods[RANDOM % 8]}")
    done
    [ "$k" -gt 0 ] || fail "the run ended before it was killed"
    has_checkpoint "$2" || run 0 run "$1" -o "$2" --force
    run 0 resume "$2" --json
}
