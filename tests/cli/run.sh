# scree run and scree resume: the same bits and the same files, whatever happens on the way.
. "$(dirname "$0")/lib.sh"

# Turning gravity, a wall that moves, an order that is renewed, and everything that can be written.
cat >scene.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
gravity_turn: 3
spheres: {count: 400, sizes: uniform-size:0.01:0.03, place: random, material_density: 1000}
contact: {duration: 1e-3, restitution: 0.7}
time: {end: 0.1}
order_every: 300
changes:
- {at: 0.02, gravity: [5, 0]}
- {at: 0.03, walls: {x: [0, -0.5]}}
- {at: 0.05, walls: {x: [0, 0]}, gravity_turn: 0}
output: {every: 0.01, formats: [vtp, xyz, csv, lammps, npy], contacts: true, log_every_steps: 77}
checkpoint: {every: 400}
END


run 0 run scene.yaml -o reference --json
json_has steps time energy_kinetic energy_potential contacts rebuilds seconds seconds_search seconds_force seconds_integrate hash
json_is steps 5000
hash=$(hash_of out)
cp out reference.json
[ "$(find reference -name 'checkpoint_*' | wc -l)" -eq 2 ] || fail "not two checkpoints: $(ls reference)"
[ "$(find reference/frames -name '*.vtp' | wc -l)" -eq 11 ] || fail "not 11 frames"
[ "$(grep -c 'DataSet ' reference/frames.pvd)" -eq 11 ] || fail "frames.pvd does not list 11 frames"
[ "$(head -n 1 reference/frames/frame_000003.csv)" = x,y,r,velocity_x,velocity_y,force_x,force_y,contacts ] || fail "columns of frames"
[ "$(head -n 1 reference/contacts/contacts_000003.csv)" = i,j,overlap,nx,ny,nz,fx,fy,fz,px,py ] || fail "columns of contacts"
[ "$(wc -l <reference/contacts/contacts_000010.csv)" -eq $(($(json contacts) + $(json wall_contacts) + 1)) ] || fail "contacts of the last frame"
run 0 run reference/scene.yaml -o again --json; [ "$(hash_of out)" = "$hash" ] || fail "the scene as understood is another scene"
same_run reference again

# A finished run prints its result again.
run 0 resume reference --json
grep -v seconds reference.json >wanted; grep -v seconds out | grep -v '"bytes"' >got; sed -i '/"bytes"/d' wanted; same wanted got
run 0 resume again; prints "$hash"

# The other integrator: another hash, the same trajectory to rounding, and it goes on from a checkpoint, bit by bit.
sed 's/end: 0.1/end: 0.03, integrator: position-verlet/; s/count: 400/count: 100/; /at: 0.0[35]/d' scene.yaml >positions.yaml
sed 's/, integrator: position-verlet//' positions.yaml >velocities.yaml
run 0 run positions.yaml -o positions --json; positions=$(hash_of out); kinetic=$(json energy_kinetic)
grep -q 'integrator: position-verlet' positions/scene.yaml || fail "the scene in the folder does not say the integrator"
run 0 run velocities.yaml -o velocities --json; [ "$(hash_of out)" != "$positions" ] || fail "the integrator changes nothing"
awk -v a="$kinetic" -v b="$(json energy_kinetic)" 'BEGIN { exit !(a / b - 1 < 1e-6 && b / a - 1 < 1e-6) }' || fail "kinetic energies $kinetic and $(json energy_kinetic)"
rm "$(newest positions)"; run 0 resume positions --json; [ "$(hash_of out)" = "$positions" ] || fail "resumed with position-verlet: another hash"
run 0 run positions.yaml -o both --json --threads 2 --method loose-octree; [ "$(hash_of out)" = "$positions" ] || fail "threads and method: another hash"
sed 's/position-verlet/leapfrog/' positions.yaml >wrong.yaml; run 1 run wrong.yaml -o wrong; names wrong.yaml:7 time.integrator "'leapfrog'" position-verlet; gone wrong

# ---- Two at once --------------------------------------------------------------------------------------------------------------
sed 's/^time:.*/time: {steps: 1e12}/; s/^output:.*/output: {formats: [csv]}/' scene.yaml >endless.yaml
"$SCREE" run endless.yaml -o busy >/dev/null 2>&1 </dev/null &
pid=$!
await 60 has_checkpoint busy
run 1 resume busy;                                names busy
run 1 run scene.yaml -o busy --force;             names busy
kill -0 $pid || fail "it was disturbed"
kill -9 $pid
wait $pid 2>/dev/null
run 0 run scene.yaml -o busy --force --json; [ "$(hash_of out)" = "$hash" ] || fail "begun again: another hash"
same_run reference busy

# ---- Checkpoints that were cut or altered -------------------------------------------------------------------------------------
for harm in cut empty flip; do
    copy reference harmed
    file=$(newest harmed)
    size=$(stat -c %s "$file")
    case $harm in
    cut) truncate -s $((size - 100)) "$file" ;;
    empty) : >"$file" ;;
    flip) printf '\377\376\375' | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null ;;
    esac
    run 0 resume harmed --json
    [ "$(hash_of out)" = "$hash" ] || fail "$harm: another hash"
    names "$file" 4800
    same_run reference harmed
    for file in harmed/checkpoint_*; do truncate -s 1000 "$file"; done
    run 1 resume harmed;                          names harmed/checkpoint_000000004800.npz
done
copy reference harmed
sed -i 's/restitution: 0.7/restitution: 0.8/' harmed/scene.yaml
run 1 resume harmed;                              names harmed/scene.yaml:22 'restitution: 0.8' 'restitution: 0.7'
copy reference harmed; rm harmed/checkpoint_*
run 1 resume harmed;                              names harmed
copy reference harmed; : >harmed/log.csv
run 1 resume harmed;                              names harmed/log.csv
copy reference harmed; rm "$(newest harmed)"; echo 'half a row' >>harmed/log.csv; rm harmed/frames/frame_000010.*; rm harmed/frames.pvd
: >harmed/frames/.frame_000009.vtp.123.4.tmp
run 0 resume harmed --json; [ "$(hash_of out)" = "$hash" ] || fail "another hash"
same_run reference harmed

# ---- What was there -------------------------------------------------------------------------------------------------------------
copy reference mine
echo note >mine/notes.txt; echo note >mine/checkpoint_notes.txt; echo note >mine/frames/frame_best.png; echo note >mine/.keep.tmp
run 1 run scene.yaml -o mine;                     names mine --force
diff -rq reference mine | grep -v '^Only in mine' && fail "a refusal changed something"
sed 's/0.01:0.03/0.02:0.2/' scene.yaml >dense.yaml
run 1 run dense.yaml -o mine --force
diff -rq reference mine | grep -v '^Only in mine' && fail "an invalid scene changed something"
sed 's/formats: .*/formats: [xyz]}/' scene.yaml >other.yaml
run 0 run other.yaml -o mine --force --json; [ "$(hash_of out)" = "$hash" ] || fail "another hash"
for file in notes.txt checkpoint_notes.txt frames/frame_best.png .keep.tmp; do [ -f mine/$file ] || fail "--force removed $file"; done
gone mine/contacts; gone mine/frames.pvd; gone mine/frames/frame_000000.vtp; gone mine/.scree-earlier
[ -f mine/frames/frame_000010.xyz ] || fail "no frames after --force"
mkdir hand; cp scene.yaml hand/
run 1 run other.yaml -o hand --force;             names hand scene.yaml; same hand/scene.yaml scene.yaml
# The spheres come from the run that would be removed.
sed 's/^spheres:.*/spheres: {file: mine\/frames\/frame_000010.xyz, velocity: file}/' other.yaml >on.yaml
run 1 run on.yaml -o mine --force;                names mine/frames/frame_000010.xyz
run 0 run on.yaml -o on --quiet
# Or another file that the scene names.
mkdir -p mine/contacts
printf 't,value\n0,0.1\n1,0.1\n' >mine/contacts/contacts_000099.csv
(cat scene.yaml; echo 'drag: {coefficient: {table: mine/contacts/contacts_000099.csv}}') >table.yaml
run 1 run table.yaml -o mine --force;             names mine/contacts/contacts_000099.csv
[ -s mine/contacts/contacts_000099.csv ] || fail "an input was removed"
run 0 run table.yaml -o table --quiet
# A beginning that was killed between the earlier run and the new one.
for state in .scree-earlier-part .scree-earlier .scree-earlier-gone; do
    copy reference between
    mkdir -p between/$state/frames
    case $state in
    *part) mv between/checkpoint_* between/$state; mv between/frames/frame_000003.* between/$state/frames ;;
    *gone) cp reference/log.csv reference/checkpoint_* between/$state ;;
    *) mv between/*.* between/contacts between/$state; mv between/frames/* between/$state/frames; echo new >between/scene.yaml; : >between/log.csv ;;
    esac
    run 0 resume between; prints "$hash"
    diff -rq --exclude=report.html reference between || fail "$state: not put back"
done

# ---- Errors ---------------------------------------------------------------------------------------------------------------------
run 2 run scene.yaml;                             names -o
run 2 run scene.yaml -o '';                       names -o "''"
run 2 run scene.yaml -o -;                        names ./-
run 2 resume ''
run 2 resume
run 2 resume reference --seed 2;                      names --seed
run 2 resume reference -o x;                          names --out
run 2 run scene.yaml -o new --method magic;       names "'magic'" auto
run 1 run none.yaml -o new;                       names none.yaml
run 1 resume none;                                names none
run 1 resume scene.yaml;                          names scene.yaml
mkdir empty
run 1 resume empty;                               names empty
run 1 run scene.yaml -o none/new;                 names none/new
run 1 run scene.yaml -o scene.yaml;               names scene.yaml
run 1 run scene.yaml -o scene.yaml/new;           names scene.yaml/new
sed 's/gravity_turn: 3/gravty: 3/' scene.yaml >bad.yaml
run 1 run bad.yaml -o new;                        names bad.yaml:4:1 "'gravty'" gravity
sed 's/count: 400/count: many/' scene.yaml >bad.yaml
run 1 run bad.yaml -o new;                        names bad.yaml:5:18 spheres.count "'many'"
sed 's/^spheres:.*/spheres: {file: none.csv}/' scene.yaml >bad.yaml
run 1 run bad.yaml -o new;                        names none.csv
sed 's/sizes: [^,]*/sizes: table:none.csv/' scene.yaml >bad.yaml
run 1 run bad.yaml -o new;                        names none.csv
sed 's/^spheres:.*/spheres: {file: spheres.csv, material_density: 1, velocity: file}/; s/^changes:.*/changes: []/; /^- /d; s/, contacts: true//' scene.yaml >file.yaml
printf 'x,y,r,v_x,v_y\n0.2,0.5,0.05,0,0\n0.8,0.5,0.05,0,0\n0.28,0.5,0.05,0,0\n' >spheres.csv
run 1 run file.yaml -o new;                       names 0 2 0.02
run 1 run file.yaml --check;                      names 0 2 0.02
printf 'x,y,r,v_x,v_y\n0.02,0.5,0.05,0,0\n' >spheres.csv
run 1 run file.yaml -o new;                       names 'sphere 0' 0.03
gone new
# A sphere that leaves while it runs: the last good checkpoint stays, and it fails again in the same way.
printf 'x,y,r,v_x,v_y\n0.5,0.5,0.05,300,0\n0.2,0.2,0.05,0,0\n' >spheres.csv
run 1 run file.yaml -o lost;                      names 'sphere 0' 'step 85'
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
    run 1 run scene.yaml -o locked/new;           names locked/new
    run 1 run scene.yaml -o locked;               names locked
elif command -v setpriv >/dev/null && chmod 755 . && $as_nobody test -x "$SCREE" -a -r scene.yaml; then
    $as_nobody "$SCREE" run scene.yaml -o locked/new >out 2>err; [ $? -eq 1 ] || fail "no rights: wrong exit code"
    names locked/new
    $as_nobody "$SCREE" run scene.yaml -o locked >out 2>err; [ $? -eq 1 ] || fail "no rights: wrong exit code"
    names locked
    $as_nobody "$SCREE" resume reference >out 2>err; [ $? -eq 1 ] || fail "no rights to resume: wrong exit code"
    names reference/log.csv
else
    echo "skipped: folders without rights (no setpriv here)"
fi

# ---- --check -----------------------------------------------------------------------------------------------------------------------
mkdir nothing; cp scene.yaml nothing; cd nothing || exit 1
run 0 run scene.yaml --check --json
mv out err ..
[ "$(ls -A)" = scene.yaml ] || fail "--check left $(ls -A)"
cd .. || exit 1
json_has n dim density stiffness contact_duration time_step longest_time_step restitution_min bytes seconds_estimated
json_is valid true; json_is steps 5000
run 0 run scene.yaml --check; prints 5000
run 1 run dense.yaml --check

# ---- kill -9 at any moment, again and again, with other threads and methods ------------------------------------------------
seed_moments
chains=$((4 * effort)); most=10
[ -z "$short" ] || { chains=1; most=3; }
for ((chain = 0; chain < chains; ++chain)); do
    kill_chain scene.yaml killed $most 120
    [ "$(hash_of out)" = "$hash" ] || fail "after kill -9 the hash is $(hash_of out), wanted $hash"
    same_run reference killed
done
echo "$kills kills"
[ -z "$short" ] || finish

# ---- Ctrl-C and SIGTERM -------------------------------------------------------------------------------------------------------
sed 's/end: 0.1/end: 1e6/; s/every: 0.01/every: 0.1/' scene.yaml >long.yaml
for signal in INT TERM; do
    rm -rf 'a stop' long
    start run long.yaml -o 'a stop/'
    await 60 has_moved 'a stop'
    end $signal "$([ $signal = INT ] && echo 130 || echo 143)"
    step=$(basename "$(newest 'a stop')" .npz); step=$(echo "${step#checkpoint_}" | sed 's/^0*//')
    names "$step" "scree resume 'a stop'"
    end=$(awk -v s="$step" 'BEGIN { print 2e-5 * (s + 3000) }')
    run 0 resume 'a stop' --until "$end" --json
    stopped=$(hash_of out)
    sed "s/end: 1e6/end: $end/" long.yaml >same.yaml
    run 0 run same.yaml -o long --json
    [ "$(hash_of out)" = "$stopped" ] || fail "after SIG$signal the hash is $stopped, wanted $(hash_of out)"
    same_run long 'a stop'
done

# ---- A full disk --------------------------------------------------------------------------------------------------------------
mkdir small
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=712k tmpfs small 2>/dev/null; then
    run_unrecorded 1 run scene.yaml -o small/run; names small/run/report.html
    [ -z "$(find small -name '.*.tmp')" ] || fail "left on the full disk: $(find small -name '.*.tmp')"
    copy small/run full
    run_unrecorded 1 resume small/run;            names small/run/report.html
    mount -o remount,size=20m small
    run 0 resume small/run --json; [ "$(hash_of out)" = "$hash" ] || fail "after a full disk: another hash"
    same_run reference small/run
    # A beginning that fails on a full disk leaves the earlier run as it was.
    dd if=/dev/zero of=small/filler bs=1k 2>/dev/null
    copy small/run before
    run 1 run long.yaml -o small/run --force;     names small/run
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
    names limited/log.csv
    run 0 resume limited --json; [ "$(hash_of out)" = "$rows" ] || fail "after a file that was too large: another hash"
    same_run rows limited
else
    echo "skipped: a limit on the size of files (with it this build does not run at all, as with the thread sanitizer)"
fi

# A beginning with --force that is killed at any moment: then there is the one run or the other, whole.
sed 's/end: 0.1/end: 0.02/; s/count: 400/count: 50/; /at: 0.0[35]/d' scene.yaml >a.yaml
sed 's/end: 0.1/end: 0.01/; s/count: 400/count: 60/; /^changes:/d; /at: 0.0[235]/d' scene.yaml >b.yaml
run 0 run a.yaml -o a --json; hash_a=$(hash_of out)
run 0 run b.yaml -o b --json; hash_b=$(hash_of out)
copy a either
for ((k = 0; k < 10 * effort; ++k)); do
    run_killed 30 run "$([ $((k % 2)) -eq 0 ] && echo b || echo a).yaml" -o either --force || fail "the run ended before it was killed"
    run 0 resume either --json
    case $(hash_of out) in
    "$hash_a") same_run a either ;;
    "$hash_b") same_run b either ;;
    *) fail "neither the earlier run nor the new one: $(ls -A either)" ;;
    esac
done

# ---- Ways to name things -----------------------------------------------------------------------------------------------------------
mkdir -p 'with blank/sub'
printf 'x,y,r,v_x,v_y\n0.5,0.5,0.05,3,0\n0.2,0.2,0.05,0,0\n' >'with blank/spheres.csv'
sed 's/end: 0.1/end: 0.01/' file.yaml >'with blank/scene.yaml'
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
same_run reference piped

# ---- Schedules ------------------------------------------------------------------------------------------------------------------
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
# Plans: all spheres have an owner, whatever the number of processes; nothing is written.
cat >plan.yaml <<'END'
box: {size: [12, 12, 12], periodic: [x]}
spheres: {count: 600, sizes: uniform-size:0.3:0.7, place: random, material_density: 2}
contact: {stiffness: 2000, restitution: 0.6, friction: 0.4}
time: {steps: 20}
END
files=$(ls | wc -l)
run 0 plan plan.yaml --ranks 1,4,600 --json
json_is n 600
prints '"own": [600, 150, 1]' '"ghosts": [0,' '"peers": [0,'
own=$(tr -d ' \n' <out | sed 's/.*"ghosts":\[[^,]*,\([^,]*\),.*/\1/')
run 0 plan plan.yaml --ranks 4 --json --sphere-time 1 --candidate-time 1e-12
[ "$(tr -d ' \n' <out | sed 's/.*"ghosts":\[\([^]]*\)\].*/\1/')" = "$own" ] || fail "a plan for 4 processes beside others has $own ghosts, and alone $(cat out)"
most=$(tr -d ' \n' <out | sed 's/.*"own_max":\[\([0-9]*\).*/\1/')
awk -v m="$(tr -d ' \n' <out | sed 's/.*"seconds_model":\[\([^]]*\)\].*/\1/')" -v n="$most" 'BEGIN { exit !(n > 0 && m > n && m < n * 1.01) }' || fail "a second for each of $most spheres: $(cat out)"
run 0 plan plan.yaml --ranks 2; prints imbalance
[ "$(ls | wc -l)" -eq "$files" ] || fail "a plan has written something"
run 2 plan plan.yaml; names --ranks
run 2 plan plan.yaml --ranks 2,0; names 0 "'2,0'"
run 2 plan plan.yaml --ranks 2.5; names 2.5
run 2 plan plan.yaml --ranks 2 --bandwidth 0; names --bandwidth
run 2 plan plan.yaml --ranks 2 --sphere-time -1; names --sphere-time
run 1 plan nothing.yaml --ranks 2; names nothing.yaml
run 0 run --help; prints --check
run 0 resume --help; prints --method
no_leftovers_but_mine() { [ -z "$(find . -name '.*.tmp*' ! -name .keep.tmp)" ] || fail "left: $(find . -name '.*.tmp*')"; }
no_leftovers_but_mine
finish
