# For the tests of the program: `. lib.sh` gives a folder of its own, ways to run scree, and checks that say what failed.
# SCREE is the program. Every test script ends with `finish`.
set -u
: "${SCREE:?the program to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "FAILED: $*"
    sed 's/^/    stdout: /' out 2>/dev/null | head -n 5
    sed 's/^/    stderr: /' err 2>/dev/null | head -n 5
    failures=$((failures + 1))
}

# run CODE ARGS...: runs scree; its exit code must be CODE. Output is left in the files out and err.
run() {
    local want=$1
    shift
    "$SCREE" "$@" >out 2>err </dev/null
    local got=$?
    [ "$got" -eq "$want" ] || fail "scree $*: exit code $got, wanted $want"
}

# says TEXT: the last run said this on stderr, in one line that names the command.
says() { grep -qF -- "$1" err || fail "stderr lacks: $1"; }
prints() { grep -qF -- "$1" out || fail "stdout lacks: $1"; }

# json KEY: the value of a key in the last run's JSON.
json() { sed -n "s/^  \"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" out; }
json_is() { [ "$(json "$1")" = "$2" ] || fail "JSON key $1 is '$(json "$1")', wanted '$2'"; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
gone() { [ ! -e "$1" ] || fail "$1 is there and should not be"; }
no_leftovers() { [ -z "$(find . -name '.*.tmp*' -o -name '*.tmp*' -o -name '.*' -type f)" ] || fail "temporary files were left: $(ls -A)"; }

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures checks failed"; exit 1; }
    echo "all checks passed"
}
