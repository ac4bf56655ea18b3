# Pages of scree run, resume and pack: they are there when a run ends or is stopped, say what the program says, and no run is lost for want of one.
. "$(dirname "$0")/lib.sh"

cat >scene.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
spheres: {count: 200, sizes: uniform-size:0.01:0.03, place: random, material_density: 1000}
contact: {duration: 1e-3, restitution: 0.7}
time: {end: 0.1}
output: {every: 0.02, formats: [vtp, csv], contacts: true, log_every_steps: 50}
checkpoint: {every: 1000}
END
has() { grep -qF -- "$2" "$1" || fail "$1 lacks: $2"; }
lacks() { ! grep -qF -- "$2" "$1" || fail "$1 has: $2"; }
# value PAGE NAME: the exact number in the row of that name.
value() { sed -n "s/.*<th scope=\"row\">$2<\/th><td class=\"v\"><data value=\"\([^\"]*\)\".*/\1/p" "$1" | head -n 1; }
same_number() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a + 0 == b + 0) }' || fail "$3: '$1' on the page, '$2' in JSON"; }
newest() { find "$1" -name 'checkpoint_*.h5' | sort | tail -n 1; }
numbers_of_log() { awk -F, -v OFS=, '{ NF -= 5; print }' "$1/log.csv"; }
same_run() {
    diff <(numbers_of_log "$1") <(numbers_of_log "$2") >/dev/null || fail "$1/log.csv and $2/log.csv differ"
    diff -rq --exclude='checkpoint_*' --exclude=log.csv --exclude=report.html "$1" "$2" >differences || fail "$1 and $2 differ: $(head -n 3 differences)"
}

# ---- A run that comes to its end ---------------------------------------------------------------------------------------------
run 0 run scene.yaml -o judge --json
page=judge/report.html
[ -s $page ] || fail "no report"
has $page '>finished</span>'
for pair in steps=steps time=time 'kinetic energy=energy_kinetic' 'energy in contacts=energy_contact' 'energy of gravity=energy_gravity' contacts=contacts \
    'wall contacts=wall_contacts' 'largest overlap=overlap_largest' 'list rebuilds=rebuilds' spheres=n search=seconds_search; do
    same_number "$(value $page "${pair%=*}")" "$(json "${pair#*=}")" "${pair%=*}"
done
has $page "$(json hash | tr -d '"')"
has $page 'href="scene.yaml"'; has $page 'href="log.csv"'; has $page 'href="frames.pvd"'; has $page 'href="frames/"'; has $page 'href="contacts/"'
has $page "href=\"$(basename "$(newest judge)")\""; lacks $page 'href="animation.mp4"'
has $page 'count: 200'; has $page 'order_every: 1000'  # the scene with its defaults
has $page 'data:image/png;base64,'; has $page '<svg'; has $page 'HDF5'; lacks $page '<script'
grep -v base64 $page | grep -qiw nan && fail "the report says nan"
[ "$(stat -c %s $page)" -lt 2000000 ] || fail "the report has $(stat -c %s $page) bytes"
if command -v xmllint >/dev/null; then xmllint --noout $page 2>err || fail "not well-formed"; fi
run 0 run scene.yaml --check >/dev/null
[ "$(find . -name report.html | wc -l)" -eq 1 ] || fail "--check wrote a report"

# A finished run writes it again, and nothing else changes.
cp -r judge again; rm again/report.html
run 0 resume again --json
has again/report.html '>finished</span>'
diff -rq --exclude=report.html judge again || fail "writing the report again changed something"

# ---- Stopped -----------------------------------------------------------------------------------------------------------------
sed 's/end: 0.1/end: 20/' scene.yaml >long.yaml
for ((try = 0; try < 10; ++try)); do
    rm -rf 'a stop'
    set -m
    "$SCREE" run long.yaml -o 'a stop' >out 2>err </dev/null &
    pid=$!
    set +m
    for ((k = 0; k < 500; ++k)); do [ -n "$(newest 'a stop' 2>/dev/null)" ] && break; sleep 0.01; done
    sleep 0.1
    kill -INT $pid
    wait $pid
    code=$?
    [ $code -eq 0 ] || break
done
[ $code -eq 130 ] || fail "Ctrl-C: exit code $code"
at=$(sed -n 's/.*stopped at step \([0-9]*\) of.*/\1/p' err)
page='a stop/report.html'
has "$page" '>stopped</span>'; has "$page" "It was stopped at step $at of"; has "$page" "scree resume 'a stop'"
same_number "$(value "$page" steps)" "$at" 'stopped at'

# ---- Killed and resumed: all but the page and the seconds is as it would have been --------------------------------------------
for ((k = 0; k < 3; ++k)); do
    rm -rf killed
    "$SCREE" run scene.yaml -o killed >out 2>err </dev/null &
    pid=$!
    sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ -n "$(newest killed 2>/dev/null)" ] || run 0 run scene.yaml -o killed --force
    : >killed/.report.html.123.4.tmp  # as if it had been killed while it wrote
    run 0 resume killed
    gone killed/.report.html.123.4.tmp
    has killed/report.html '>finished</span>'
    same_run judge killed
done

# ---- A page that cannot be written -----------------------------------------------------------------------------------------------
cp -r judge blocked; rm blocked/report.html; mkdir blocked/report.html; : >blocked/report.html/mine
run 1 resume blocked; prints 'hash'
says 'report.html could not be written'; says "Nothing else is missing"
[ -f blocked/report.html/mine ] || fail "something was removed"
diff -rq --exclude=report.html judge blocked || fail "a report that cannot be written changed something"
rm -r blocked/report.html
run 0 resume blocked; has blocked/report.html '>finished</span>'
# An error in the run itself is on the page.
printf 'x,y,r,v_x,v_y\n0.5,0.5,0.05,300,0\n0.2,0.2,0.05,0,0\n' >spheres.csv
sed 's/^spheres:.*/spheres: {file: spheres.csv, velocity: file}/; s/, contacts: true//' scene.yaml >lost.yaml
run 1 run lost.yaml -o lost; says 'sphere 0'
has lost/report.html '>ended with an error</span>'; has lost/report.html 'sphere 0'; has lost/report.html 'scree resume lost'

# ---- --force: the page belongs to the earlier run ------------------------------------------------------------------------------
cp -r judge forced; echo old >forced/report.html
run 0 run scene.yaml -o forced --force; has forced/report.html '>finished</span>'
same_run judge forced
mkdir hand; echo mine >hand/report.html
run 1 run scene.yaml -o hand --force; says 'holds report.html but no checkpoint'; [ "$(cat hand/report.html)" = mine ] || fail "a page that is no run's was replaced"

# ---- Bodies ------------------------------------------------------------------------------------------------------------------
cat >bodies.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
bodies:
- {points: [[0, 0], [1, 0], [1, 0.1], [0, 0.2]], fixed: true}
- {shape: convex, vertices: 6, sizes: "uniform-size:0.03:0.06", place: random, count: 12, region: [0, 0.3, 1, 1], velocity: [0, -5]}
contact: {stiffness: 2e4, restitution: 0.3}
time: {step: 1e-5, steps: 4000}
output: {every_steps: 1000, log_every_steps: 100}
END
run 0 run bodies.yaml -o bodies --json
page=bodies/report.html
for pair in steps=steps 'kinetic energy=energy_kinetic' 'of this in rotation=energy_rotation' 'angular momentum=angular_momentum' contacts=contacts \
    'touching pairs=touching' crossings=crossings bodies=n; do
    same_number "$(value $page "${pair%=*}")" "$(json "${pair#*=}")" "bodies: ${pair%=*}"
done
has $page 'data:image/png;base64,'

# ---- Packings ------------------------------------------------------------------------------------------------------------------
run 0 pack --sizes uniform-volume:1:4 --count 300 --method rearrange --periodic xyz --seed 5 -o 'a <b> & c.vtp' --report pack.html --json
for pair in spheres=n density=density 'density inside=density_inner' 'density predicted=predicted_density' 'largest overlap=max_overlap' gap=gap coordination=coordination \
    'coordination without rattlers=coordination_without_rattlers' rattlers=rattlers 'highest g(r)=g_highest' 'lowest g(r) after it=g_lowest_after' time=seconds; do
    same_number "$(value pack.html "${pair%=*}")" "$(json "${pair#*=}")" "pack: ${pair%=*}"
done
has pack.html '>converged</span>'; has pack.html 'uniform-volume:1:4'; has pack.html 'data:image/png;base64,'; has pack.html 'href="a%20%3Cb%3E%20%26%20c.vtp"'
[ "$(grep -o '<svg' pack.html | wc -l)" -eq 4 ] || fail "not 4 figures: two size curves, g(r), partners"
if command -v xmllint >/dev/null; then xmllint --noout pack.html 2>err || fail "not well-formed"; fi
# The command on the page makes the same packing again.
cp 'a <b> & c.vtp' first.vtp; rm 'a <b> & c.vtp'
sed -n 's/^<pre>\(scree pack .*\)<\/pre>$/\1/p' pack.html | sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' >command.sh
PATH=$(dirname "$SCREE"):$PATH sh command.sh >out 2>err || fail "the command of the page fails: $(cat command.sh)"
same first.vtp 'a <b> & c.vtp'
# All ways, all containers, one sphere, 2D.
run 0 pack --sizes mono:1 --count 30 --method grow --periodic xy --dim 2 --density 0.5 -o p.csv --report p.html --json
same_number "$(value p.html 'collision rate')" "$(json collision_rate)" 'collision rate'; has p.html 'All have the same size'
run 0 pack --sizes uniform-size:1:3 --count 200 --method drop --container cylinder -o p.csv --report p.html -q; has p.html 'cylinder'
run 0 pack --sizes mono:0.5 --method rsa --saturate --box 4,4,4 --periodic xyz -o p.csv --report p.html -q
run 0 pack --sizes mono:1 --count 1 --method rsa -o - --format csv --report p.html -q; has p.html '<h1>Packing'
run 0 pack --sizes lognormal:1:0.5 --count 200 --method dem --periodic xyz --tolerance 0.1 -o p.csv --report p.html -q; has p.html 'soft spheres'
# What cannot be: said before anything is packed, or after the packing is safe.
rm -f p.csv
run 2 pack --sizes mono:1 --count 9 --method rsa -o p.csv --report page.txt;        says 'a name like packing.html'; gone p.csv
run 2 pack --sizes mono:1 --count 9 --method rsa -o p.csv --report none/page.html;  says "the folder 'none' is not there"; gone p.csv
run 2 pack --sizes mono:1 --count 9 --method rsa -o p.html --format csv --report p.html; says 'cannot both be'
mkdir page.html
run 1 pack --sizes mono:1 --count 9 --method rsa -o p.csv --report page.html;       says 'the report could not be written'; says "The packing is in 'p.csv'"
[ "$(wc -l <p.csv)" -eq 10 ] || fail "the packing was lost"
if [ -c /dev/full ]; then
    echo before >p.html
    run 1 pack --sizes mono:1 --count 9 --method rsa -o p.csv --report /dev/full;   says 'No space left'
fi
no_leftovers
finish
