# Ctrl-C: exit 130, a sentence, nothing half-written; and no progress line in a pipe.
. "$(dirname "$0")/lib.sh"
printf 'old content\n' >target.csv
cp target.csv keep.csv

# Random addition near its limit takes minutes: long enough to be interrupted at any time.
for wait in 0.05 0.2 0.7; do
    # Jobs of a shell without job control ignore Ctrl-C, so the signal's way is set right again by bash -m.
    set -m
    "$SCREE" demo --count 100000 --sizes mono:1 --density 0.375 -o target.csv >out 2>err </dev/null &
    pid=$!
    set +m
    sleep $wait
    kill -INT $pid
    wait $pid
    code=$?
    # In the first moments the handler is not yet there and the signal ends the process: 130 as well.
    [ $code -eq 130 ] || fail "Ctrl-C after $wait s: exit code $code"
    same target.csv keep.csv
done
says 'stopped; nothing was written'
set -m
"$SCREE" demo --count 100000 --sizes mono:1 --density 0.375 -o target.csv >out 2>err </dev/null &
pid=$!
set +m
sleep 0.5
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || fail "SIGTERM did not end it with 143"
same target.csv keep.csv
grep -q '%' err && fail "progress was shown in a pipe"
no_leftovers

# On a terminal there is a progress line (script gives a program one).
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    script -qec "timeout -s INT 2 '$SCREE' demo --count 100000 --sizes mono:1 --density 0.375" typed >/dev/null </dev/null
    grep -q 'placing spheres  *[0-9]* %' typed || fail "no progress on a terminal: $(head -c 300 typed)"
    grep -q 's left' typed || fail "no time left on a terminal"
    rm -f typed
else
    echo "skipped: progress on a terminal (no script command or no pseudo-terminals here)"
fi
finish
