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
# Whether a SIGINT that was sent is no longer pending: a second one would be merged with it.
delivered_int() { ! grep -q '^ShdPnd:.*[2367abef]$' "/proc/$1/status" 2>/dev/null; }

# A second signal right after the first, as timeout sends it, does not kill: the checkpoint is written.
cat >long.yaml <<'END'
box: {size: [60, 60, 60], periodic: [x, y, z]}
spheres: {count: 30000, sizes: "mono:0.8", place: lattice, material_density: 1, velocity: thermal, temperature: 1}
contact: {stiffness: 2000, restitution: 0.8}
time: {steps: 1000000}
output: {every_steps: 1000000}
END
start run long.yaml -o long
await 60 test -s long/log.csv
await 60 worked $pid 20
kill -INT $pid
await 60 delivered_int $pid
end INT 130
[ "$(ls long | grep -c checkpoint_)" -eq 2 ] || fail "two signals: killed before the checkpoint was written"
rm -r long
rm long.yaml
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
