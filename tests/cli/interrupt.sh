# Ctrl-C: exit code 130, a message, nothing half-written; and progress is shown on a terminal only.
. "$(dirname "$0")/lib.sh"
printf 'old content\n' >target.csv
cp target.csv keep.csv

# Random sequential addition near its limit takes minutes: long enough to be interrupted at any time.
long="demo --count 100000 --sizes mono:1 --density 0.375"
for ticks in 1 5 15 40; do
    start $long -o target.csv
    await 60 worked $pid $ticks
    end INT 130
    same target.csv keep.csv
done
[ -s err ] || fail "Ctrl-C: no message"
start $long -o target.csv
await 60 worked $pid 30
end TERM 143
same target.csv keep.csv
grep -q '%' err && fail "progress was shown in a pipe"
no_leftovers

# On a terminal there is a progress line (script gives a program one).
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    : >typed
    script -qefc "echo \$\$ >pid; exec env --default-signal=INT '$SCREE' $long" typed >/dev/null </dev/null &
    await 60 grep -q '[0-9] %.*[0-9] s' typed || head -c 300 typed
    kill -INT "$(cat pid)"
    wait $!
    [ $? -eq 130 ] || fail "Ctrl-C on a terminal: wrong exit code"
    rm -f typed pid
else
    echo "skipped: progress on a terminal (no script command or no pseudo-terminals here)"
fi
finish
