# scree run and scree resume: the same bits and the same files, whatever happens on the way. SCREE_TEST_EFFORT multiplies the kills.
. "$(dirname "$0")/lib.sh"
effort=$(awk -v e="${SCREE_TEST_EFFORT:-1}" 'BEGIN { printf "%d", e < 1 ? 1 : e }')
export OMP_WAIT_POLICY=passive

# Turning gravity, a wall that moves, an order that is renewed, and everything that can be written.
cat >scene.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
gravity_turn: 3
spheres: {count: 400, sizes: uniform-size:0.01:0.03, place: random, material_density: 1000}
contact: {duration: 1e-3, restitution: 0.7}
time: {end: 0.2}
order_every: 300
changes:
- {at: 0.02, gravity: [5, 0]}
- {at: 0.03, walls: {x: [0, -0.5]}}
- {at: 0.05, walls: {x: [0, 0]}, gravity_turn: 0}
output: {every: 0.02, formats: [vtp, xyz, csv, lammps, npy], contacts: true, log_every_steps: 77}
checkpoint: {every: 400}
END

# same_run A B: the two folders hold the same but for rebuilds and seconds; the checkpoints' names too.
numbers_of_log() { awk -F, -v OFS=, '{ NF -= 5; print }' "$1/log.csv"; }
same_run() {
    diff <(numbers_of_log "$1") <(numbers_of_log "$2") >/dev/null || fail "$1/log.csv and $2/log.csv differ"
    diff -rq --exclude='checkpoint_*' --exclude=log.csv --exclude=report.html "$1" "$2" >differences || fail "$1 and $2 differ: $(head -n 3 differences)"
}
hash_of() { sed -n 's/^ *"hash": "\(.*\)"$/\1/p' "$1"; }
newest() { find "$1" -name 'checkpoint_*.h5' | sort | tail -n 1; }
copy() { rm -rf "$2"; cp -r "$1" "$2"; }

run 0 run scene.yaml -o judge --json
for key in steps time energy_kinetic energy_potential contacts rebuilds seconds seconds_search seconds_force seconds_integrate hash; do
    [ -n "$(json $key)" ] || fail "JSON key $key is missing"
done
json_is steps 10000
hash=$(hash_of out)
cp out judge.json
[ "$(find judge -name 'checkpoint_*' | wc -l)" -eq 2 ] || fail "not two checkpoints: $(ls judge)"
[ "$(find judge/frames -name '*.vtp' | wc -l)" -eq 11 ] || fail "not 11 frames"
[ "$(grep -c 'DataSet ' judge/frames.pvd)" -eq 11 ] || fail "frames.pvd does not list 11 frames"
[ "$(head -n 1 judge/frames/frame_000003.csv)" = x,y,r,velocity_x,velocity_y,force_x,force_y,contacts ] || fail "columns of frames"
[ "$(head -n 1 judge/contacts/contacts_000003.csv)" = i,j,overlap,nx,ny,nz,fx,fy,fz ] || fail "columns of contacts"
[ "$(wc -l <judge/contacts/contacts_000010.csv)" -eq $(($(json contacts) + $(json wall_contacts) + 1)) ] || fail "contacts of the last frame"
run 0 run judge/scene.yaml -o again --json; [ "$(hash_of out)" = "$hash" ] || fail "the scene as understood is another scene"
same_run judge again

# A finished run tells its result again.
run 0 resume judge --json
grep -v seconds judge.json >wanted; grep -v seconds out | grep -v '"bytes"' >got; sed -i '/"bytes"/d' wanted; same wanted got
run 0 resume again; prints "$hash"

# ---- kill -9 at any moment, again and again, with other threads and methods ------------------------------------------------
methods=(auto all-pairs verlet-list linked-cells linear-list octree loose-octree hierarchical-grid)
kills=0
for ((chain = 0; chain < 6 * effort; ++chain)); do
    rm -rf killed
    "$SCREE" run scene.yaml -o killed >out 2>err </dev/null &
    pid=$!
    for ((k = 0; k < 40; ++k)); do
        sleep "0.0$((RANDOM % 5))$((RANDOM % 10))"
        kill -9 $pid 2>/dev/null || break
        wait $pid 2>/dev/null
        kills=$((kills + 1))
        if [ -z "$(newest killed 2>/dev/null)" ]; then  # it had not begun: begin anew
            "$SCREE" run scene.yaml -o killed --force >out 2>err </dev/null &
        else
            "$SCREE" resume killed --threads $((RANDOM % 3 + 1)) --method "${methods[RANDOM % 8]}" >out 2>err </dev/null &
        fi
        pid=$!
    done
    wait $pid 2>/dev/null
    [ -n "$(newest killed 2>/dev/null)" ] || run 0 run scene.yaml -o killed --force
    run 0 resume killed --json
    [ "$(hash_of out)" = "$hash" ] || fail "after kill -9 the hash is $(hash_of out), wanted $hash"
    same_run judge killed
done
[ $kills -ge $((6 * effort)) ] || echo "only $kills kills met a living run"
echo "$kills kills"

# ---- Ctrl-C and SIGTERM -------------------------------------------------------------------------------------------------------
sed 's/end: 0.2/end: 1.5/; s/every: 0.02/every: 0.1/' scene.yaml >long.yaml
run 0 run long.yaml -o long --json
long=$(hash_of out)
for signal in INT TERM; do
    for ((try = 0; try < 10; ++try)); do  # a machine may be so fast, or so busy, that the run ends before the signal
        rm -rf 'a stop'
        set -m
        "$SCREE" run long.yaml -o 'a stop/' >out 2>err </dev/null &
        pid=$!
        set +m
        for ((k = 0; k < 500; ++k)); do [ -n "$(newest 'a stop' 2>/dev/null)" ] && break; sleep 0.01; done
        sleep 0.05
        kill -$signal $pid
        wait $pid
        code=$?
        [ $code -eq 0 ] || break
    done
    [ $code -eq "$([ $signal = INT ] && echo 130 || echo 143)" ] || fail "SIG$signal: exit code $code"
    says "to go on: scree resume 'a stop'"
    at=$(sed -n 's/.*stopped at step \([0-9]*\) of.*/\1/p' err)
    [ -f "$(printf 'a stop/checkpoint_%012d.h5' "$at")" ] || fail "no checkpoint of step $at"
    run 0 resume 'a stop' --json
    [ "$(hash_of out)" = "$long" ] || fail "after SIG$signal the hash is $(hash_of out), wanted $long"
    same_run long 'a stop'
done

# ---- Two at once --------------------------------------------------------------------------------------------------------------
sed 's/^time:.*/time: {steps: 1e12}/; s/^output:.*/output: {formats: [csv]}/' scene.yaml >endless.yaml
"$SCREE" run endless.yaml -o busy >/dev/null 2>&1 </dev/null &
pid=$!
for ((k = 0; k < 500; ++k)); do [ -n "$(newest busy 2>/dev/null)" ] && break; sleep 0.01; done
run 1 resume busy;                                says 'busy: another process is running in this folder'
run 1 run scene.yaml -o busy --force;             says 'another process'
kill -0 $pid || fail "it was disturbed"
kill -9 $pid
wait $pid 2>/dev/null
run 0 run scene.yaml -o busy --force --json; [ "$(hash_of out)" = "$hash" ] || fail "begun anew: another hash"
same_run judge busy

# ---- Checkpoints that were cut or altered -------------------------------------------------------------------------------------
for harm in cut empty flip; do
    copy judge harmed
    file=$(newest harmed)
    size=$(stat -c %s "$file")
    case $harm in
    cut) truncate -s $((size - 100)) "$file" ;;
    empty) : >"$file" ;;
    flip) printf '\377\376\375' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null ;;
    esac
    run 0 resume harmed --json
    [ "$(hash_of out)" = "$hash" ] || fail "$harm: another hash"
    says "$file"; says 'going on from the older checkpoint, of step 9600'
    same_run judge harmed
    [ -s err ] || fail "$harm: nothing was said"
    for file in harmed/checkpoint_*; do truncate -s 1000 "$file"; done
    run 1 resume harmed;                          says 'there is no other checkpoint in harmed'
done
copy judge harmed
sed -i 's/restitution: 0.7/restitution: 0.8/' harmed/scene.yaml
run 1 resume harmed;                              says 'harmed/scene.yaml:'; says "now '  restitution: 0.8', then '  restitution: 0.7'"
copy judge harmed; rm harmed/checkpoint_*
run 1 resume harmed;                              says 'there is no checkpoint in this folder'
copy judge harmed; : >harmed/log.csv
run 1 resume harmed;                              says 'harmed/log.csv is shorter'
copy judge harmed; rm "$(newest harmed)"; echo 'half a row' >>harmed/log.csv; rm harmed/frames/frame_000010.*; rm harmed/frames.pvd
: >harmed/frames/.frame_000009.vtp.123.4.tmp
run 0 resume harmed --json; [ "$(hash_of out)" = "$hash" ] || fail "another hash"
same_run judge harmed

# ---- A full disk --------------------------------------------------------------------------------------------------------------
mkdir small
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=700k tmpfs small 2>/dev/null; then
    run 1 run scene.yaml -o small/run;            says 'No space left'
    [ -z "$(find small -name '.*.tmp')" ] || fail "left on the full disk: $(find small -name '.*.tmp')"
    copy small/run full
    run 1 resume small/run;                       says 'No space left'
    mount -o remount,size=20m small
    run 0 resume small/run --json; [ "$(hash_of out)" = "$hash" ] || fail "after a full disk: another hash"
    same_run judge small/run
    # A beginning that fails on a full disk leaves the earlier run as it was.
    dd if=/dev/zero of=small/filler bs=1k 2>/dev/null
    copy small/run before
    run 1 run long.yaml -o small/run --force;     says 'No space left'
    diff -r before small/run >/dev/null || fail "the earlier run was harmed: $(diff -rq before small/run | head -n 3)"
    rm small/filler
    run 0 resume small/run; prints "$hash"
    umount small
else
    echo "skipped: a file system that fills up (nothing can be mounted here)"
fi
# The same by a limit on the size of files: the log grows beyond it.
sed 's/formats: .*log_every_steps: 77/formats: [csv], log_every_steps: 1/' scene.yaml >rows.yaml
run 0 run rows.yaml -o rows --json; rows=$(hash_of out)
if (ulimit -f 200; "$SCREE" run rows.yaml --check >out 2>err </dev/null); then
    (ulimit -f 200; "$SCREE" run rows.yaml -o limited >out 2>err </dev/null); [ $? -eq 1 ] || fail "file size limit: wrong exit code"
    says 'limited/log.csv'; says 'File too large'
    run 0 resume limited --json; [ "$(hash_of out)" = "$rows" ] || fail "after a file that was too large: another hash"
    same_run rows limited
else
    echo "skipped: a limit on the size of files (with it this build does not run at all, as with the thread sanitizer)"
fi

# ---- What was there -------------------------------------------------------------------------------------------------------------
copy judge mine
echo note >mine/notes.txt; echo note >mine/checkpoint_notes.txt; echo note >mine/frames/frame_best.png; echo note >mine/.keep.tmp
run 1 run scene.yaml -o mine;                     says 'mine: this folder is not empty'; says '--force'
diff -rq judge mine | grep -v '^Only in mine' && fail "a refusal changed something"
sed 's/0.01:0.03/0.02:0.2/' scene.yaml >dense.yaml
run 1 run dense.yaml -o mine --force
diff -rq judge mine | grep -v '^Only in mine' && fail "a scene that cannot be changed something"
sed 's/formats: .*/formats: [xyz]}/' scene.yaml >other.yaml
run 0 run other.yaml -o mine --force --json; [ "$(hash_of out)" = "$hash" ] || fail "another hash"
for file in notes.txt checkpoint_notes.txt frames/frame_best.png .keep.tmp; do [ -f mine/$file ] || fail "--force removed $file"; done
gone mine/contacts; gone mine/frames.pvd; gone mine/frames/frame_000000.vtp; gone mine/.scree-earlier
[ -f mine/frames/frame_000010.xyz ] || fail "no frames after --force"
mkdir hand; cp scene.yaml hand/
run 1 run other.yaml -o hand --force;             says 'holds scene.yaml but no checkpoint'; same hand/scene.yaml scene.yaml
# The spheres come from the run that would be removed.
sed 's/^spheres:.*/spheres: {file: mine\/frames\/frame_000010.xyz, velocity: file}/' other.yaml >on.yaml
run 1 run on.yaml -o mine --force;                says 'frame_000010.xyz: the spheres come from this file'
run 0 run on.yaml -o on --quiet
# A beginning that was killed between the earlier run and the new one.
for state in .scree-earlier-part .scree-earlier .scree-earlier-gone; do
    copy judge between
    mkdir -p between/$state/frames
    case $state in
    *part) mv between/checkpoint_* between/$state; mv between/frames/frame_000003.* between/$state/frames ;;
    *gone) cp judge/log.csv judge/checkpoint_* between/$state ;;
    *) mv between/*.* between/contacts between/$state; mv between/frames/* between/$state/frames; echo new >between/scene.yaml; : >between/log.csv ;;
    esac
    run 0 resume between; prints "$hash"
    diff -rq --exclude=report.html judge between || fail "$state: not put back"
done

# A beginning with --force that is killed at any moment: then there is the one run or the other, whole.
sed 's/end: 0.2/end: 0.02/; s/count: 400/count: 50/; /at: 0.0[35]/d' scene.yaml >a.yaml
sed 's/end: 0.2/end: 0.01/; s/count: 400/count: 60/; /^changes:/d; /at: 0.0[235]/d' scene.yaml >b.yaml
run 0 run a.yaml -o a --json; hash_a=$(hash_of out)
run 0 run b.yaml -o b --json; hash_b=$(hash_of out)
copy a either
for ((k = 0; k < 20 * effort; ++k)); do
    "$SCREE" run "$([ $((k % 2)) -eq 0 ] && echo b || echo a).yaml" -o either --force >/dev/null 2>&1 </dev/null &
    pid=$!
    sleep "0.0$((RANDOM % 3))$((RANDOM % 10))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    run 0 resume either --json
    case $(hash_of out) in
    "$hash_a") same_run a either ;;
    "$hash_b") same_run b either ;;
    *) fail "neither the earlier run nor the new one: $(ls -A either)" ;;
    esac
done

# ---- Errors ---------------------------------------------------------------------------------------------------------------------
run 2 run scene.yaml;                             says 'where to?'
run 2 run scene.yaml -o '';                       says 'a name for one is needed'
run 2 run scene.yaml -o -;                        says './-'
run 2 resume '';                                  says 'folder'
run 2 resume;                                     says 'missing'
run 2 resume judge --seed 2;                      says '--seed'
run 2 resume judge -o x;                          says 'its own folder'
run 2 run scene.yaml -o new --method magic;       says 'known: auto'
run 1 run none.yaml -o new;                       says 'none.yaml: cannot be opened'
run 1 resume none;                                says 'none:'
run 1 resume scene.yaml;                          says 'scene.yaml:'
mkdir empty
run 1 resume empty;                               says 'empty: there is no checkpoint in this folder'
run 1 run scene.yaml -o none/new;                 says 'none/new: the folder for the run cannot be made: No such file'
run 1 run scene.yaml -o scene.yaml;               says 'scene.yaml: the folder for the run cannot be made: Not a directory'
run 1 run scene.yaml -o scene.yaml/new;           says 'Not a directory'
sed 's/gravity_turn: 3/gravty: 3/' scene.yaml >bad.yaml
run 1 run bad.yaml -o new;                        says "bad.yaml:4:1: there is no key 'gravty'"
sed 's/count: 400/count: many/' scene.yaml >bad.yaml
run 1 run bad.yaml -o new;                        says "bad.yaml:5:18: spheres.count is 'many'"
sed 's/^spheres:.*/spheres: {file: none.csv}/' scene.yaml >bad.yaml
run 1 run bad.yaml -o new;                        says 'none.csv: cannot be opened'
sed 's/sizes: [^,]*/sizes: table:none.csv/' scene.yaml >bad.yaml
run 1 run bad.yaml -o new;                        says 'none.csv: cannot be opened'
sed 's/^spheres:.*/spheres: {file: spheres.csv, velocity: file}/; s/^changes:.*/changes: []/; /^- /d; s/, contacts: true//' scene.yaml >file.yaml
printf 'x,y,r,v_x,v_y\n0.2,0.5,0.05,0,0\n0.8,0.5,0.05,0,0\n0.28,0.5,0.05,0,0\n' >spheres.csv
run 1 run file.yaml -o new;                       says 'spheres 0 and 2: they begin 0.02 deep in each other'
run 1 run file.yaml --check;                      says 'spheres 0 and 2'
printf 'x,y,r,v_x,v_y\n0.02,0.5,0.05,0,0\n' >spheres.csv
run 1 run file.yaml -o new;                       says 'sphere 0: it begins 0.03 deep in a wall'
gone new
# A sphere that leaves while it runs: the last good checkpoint stays, and it fails again in the same way.
printf 'x,y,r,v_x,v_y\n0.5,0.5,0.05,300,0\n0.2,0.2,0.05,0,0\n' >spheres.csv
run 1 run file.yaml -o lost;                      says 'sphere 0'; says 'step'
cp err first; copy lost before
for again in 1 2; do
    run 1 resume lost
    [ "$(sed 's/^scree [a-z]*: //' err)" = "$(sed 's/^scree [a-z]*: //' first)" ] || fail "it failed in another way"
done
[ -n "$(newest lost)" ] || fail "no checkpoint is left"
diff -rq --exclude=log.csv --exclude=report.html before lost || fail "failing again changed the folder"
# Rights.
mkdir locked; chmod 555 locked
as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
if [ "$(id -u)" -ne 0 ]; then
    run 1 run scene.yaml -o locked/new;           says 'Permission denied'
    run 1 run scene.yaml -o locked;               says 'Permission denied'
elif command -v setpriv >/dev/null && chmod 755 . && $as_nobody test -x "$SCREE" -a -r scene.yaml; then
    $as_nobody "$SCREE" run scene.yaml -o locked/new >out 2>err; [ $? -eq 1 ] || fail "no rights: wrong exit code"
    says 'Permission denied'
    $as_nobody "$SCREE" run scene.yaml -o locked >out 2>err; [ $? -eq 1 ] || fail "no rights: wrong exit code"
    says 'Permission denied'
    $as_nobody "$SCREE" resume judge >out 2>err; [ $? -eq 1 ] || fail "no rights to resume: wrong exit code"
    says 'Permission denied'
else
    echo "skipped: folders without rights (no setpriv here)"
fi

# ---- Ways to name things -----------------------------------------------------------------------------------------------------------
mkdir -p 'with blank/sub'
printf 'x,y,r,v_x,v_y\n0.5,0.5,0.05,3,0\n0.2,0.2,0.05,0,0\n' >'with blank/spheres.csv'
sed 's/end: 0.2/end: 0.01/' file.yaml >'with blank/scene.yaml'
(cd 'with blank/sub' && "$SCREE" run ../scene.yaml -o '../a run//' --json >../../out 2>../../err </dev/null) || fail "a relative scene"
named=$(hash_of out)
rm 'with blank/spheres.csv'
ln -s 'with blank/a run' link
run 0 resume link/ --json; [ "$(hash_of out)" = "$named" ] || fail "by a link: another hash"
run 0 resume "$PWD/with blank/a run"; prints "$named"
mkdir there; ln -s there door
run 0 run scene.yaml -o door --quiet; [ -L door ] && [ -f there/log.csv ] || fail "the link was not followed"
"$SCREE" run - -o piped --json <scene.yaml >out 2>err || fail "a scene from standard input"
[ "$(hash_of out)" = "$hash" ] || fail "from standard input: another hash"
same_run judge piped

# ---- --check, schedules ------------------------------------------------------------------------------------------------------------
mkdir nothing; cp scene.yaml nothing; cd nothing || exit 1
run 0 run scene.yaml --check --json
mv out err ..
[ "$(ls -A)" = scene.yaml ] || fail "--check left $(ls -A)"
cd .. || exit 1
for key in n dim density stiffness contact_duration step longest_step restitution_least bytes seconds_estimated; do
    [ -n "$(json $key)" ] || fail "--check: JSON key $key is missing"
done
json_is valid true; json_is steps 10000
run 0 run scene.yaml --check; prints 'seconds estimated'
run 1 run dense.yaml --check
frames() { find "$1/frames" -name '*.csv' | wc -l; }
schedule() {  # schedule FRAMES STEPS OUTPUT...: of 10 steps
    sed -e '/^changes:/d; /at: 0.0[235]/d' -e "s/^time:.*/time: {steps: $2}/; s/^output:.*/output: {$3}/" scene.yaml >schedule.yaml
    rm -rf schedule
    run 0 run schedule.yaml -o schedule --quiet
    [ "$(frames schedule)" -eq "$1" ] || fail "output: {$3}, $2 steps: $(frames schedule) frames, wanted $1"
}
schedule 2 10 'formats: [csv]'
schedule 1 0 'formats: [csv]'
schedule 1 0 'every: 1, formats: [csv]'
schedule 6 10 'every_steps: 2, formats: [csv]'
schedule 5 10 'every_steps: 3, formats: [csv]'
schedule 2 10 'every_steps: 100, formats: [csv]'
schedule 2 10 'every: 1, formats: [csv]'
schedule 11 10 'every: 2e-5, formats: [csv]'
schedule 11 10 'every: 1e-6, formats: [csv]'
schedule 8 10 'every: 3e-5, formats: [csv]'
run 0 run --help; prints 'example:'
run 0 resume --help; prints 'example:'
no_leftovers_but_mine() { [ -z "$(find . -name '.*.tmp*' ! -name .keep.tmp)" ] || fail "left: $(find . -name '.*.tmp*')"; }
no_leftovers_but_mine
finish
