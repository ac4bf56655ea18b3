# Reports of scree run, resume and pack: they are written when a run ends or is stopped, and hold the numbers of the JSON; a report that cannot be written
# loses nothing else.
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
good='class="badge"'
# has_value PAGE NUMBER KEY: the page has a row with the name of the key, blanks for _, and with this number, exactly.
has_value() {
    grep -oE "<th scope=\"row\">${3//_/ }</th>.*" "$1" | grep -o '<data value="[^"]*"' | awk -F'"' -v b="$2" 'b != "" && $2 + 0 == b + 0 { found = 1 } END { exit !found }' ||
        fail "$1: no row ${3//_/ } with $2"
}
has_values() { local page=$1 key; shift; for key in "$@"; do has_value "$page" "$(json "$key")" "$key"; done; }

# ---- A run that comes to its end ---------------------------------------------------------------------------------------------
run 0 run scene.yaml -o reference --json
page=reference/report.html
has $page "$good"
has_values $page steps time energy_kinetic energy_contact energy_gravity contacts wall_contacts max_overlap rebuilds n seconds_search
has $page "$(json hash | tr -d '"')"
# Each key of the JSON is a row of the page.
for key in $(sed -n 's/^  "\([^"]*\)".*/\1/p' out | grep -vx 'schema\|command'); do has $page "<th scope=\"row\">${key//_/ }</th>"; done
has $page 'href="scene.yaml"'; has $page 'href="log.csv"'; has $page 'href="frames.pvd"'; has $page 'href="frames/"'; has $page 'href="contacts/"'
has $page "href=\"$(basename "$(newest reference)")\""; lacks $page 'href="animation.mp4"'
has $page 'count: 200'; has $page 'order_every: 1000'  # the scene with its defaults
has $page 'data:image/png;base64,'; has $page '<svg'; has $page 'libpng'; lacks $page '<script'
grep -v base64 $page | grep -qiw nan && fail "the report has a nan"
[ "$(stat -c %s $page)" -lt 2000000 ] || fail "the report has $(stat -c %s $page) bytes"
if command -v xmllint >/dev/null; then xmllint --noout $page 2>err || fail "not well-formed"; fi
run 0 run scene.yaml --check >/dev/null
[ "$(find . -name report.html | wc -l)" -eq 1 ] || fail "--check wrote a report"

# A finished run writes it again, and nothing else changes.
cp -r reference again; rm again/report.html
run 0 resume again --json
has again/report.html "$good"
diff -rq --exclude=report.html reference again || fail "writing the report again changed something"

# ---- Stopped -----------------------------------------------------------------------------------------------------------------
sed 's/end: 0.1/end: 1e6/' scene.yaml >long.yaml
start run long.yaml -o 'a stop'
await 60 has_moved 'a stop'
end INT 130
at=$(basename "$(newest 'a stop')" .npz); at=$(echo "${at#checkpoint_}" | sed 's/^0*//')
page='a stop/report.html'
has "$page" 'class="badge bad"'; has "$page" "scree resume 'a stop'"
has_value "$page" "$at" steps

# ---- Killed and resumed: all but the page and the seconds is as it would have been --------------------------------------------
seed_moments
for ((k = 0; k < 3; ++k)); do
    rm -rf killed
    run_killed 40 run scene.yaml -o killed || fail "the run ended before it was killed"
    has_checkpoint killed || run 0 run scene.yaml -o killed --force
    : >killed/.report.html.123.4.tmp  # as if it had been killed while it wrote
    run 0 resume killed
    gone killed/.report.html.123.4.tmp
    has killed/report.html "$good"
    same_run reference killed
done

# ---- A page that cannot be written -----------------------------------------------------------------------------------------------
cp -r reference blocked; rm blocked/report.html; mkdir blocked/report.html; : >blocked/report.html/mine
run 1 resume blocked; prints hash; names blocked/report.html
[ -f blocked/report.html/mine ] || fail "something was removed"
diff -rq --exclude=report.html reference blocked || fail "a report that cannot be written changed something"
rm -r blocked/report.html
run 0 resume blocked; has blocked/report.html "$good"
# An error in the run itself is on the page.
printf 'x,y,r,v_x,v_y\n0.5,0.5,0.05,300,0\n0.2,0.2,0.05,0,0\n' >spheres.csv
sed 's/^spheres:.*/spheres: {file: spheres.csv, velocity: file}/; s/, contacts: true//' scene.yaml >lost.yaml
run 1 run lost.yaml -o lost; names 'sphere 0' 'step 85'
has lost/report.html 'class="badge bad"'; has lost/report.html 'sphere 0'; has lost/report.html 'scree resume lost'

# ---- --force: the page belongs to the earlier run ------------------------------------------------------------------------------
cp -r reference forced; echo old >forced/report.html
run 0 run scene.yaml -o forced --force; has forced/report.html "$good"
same_run reference forced
mkdir hand; echo mine >hand/report.html
run 1 run scene.yaml -o hand --force; names hand report.html; [ "$(cat hand/report.html)" = mine ] || fail "a page that is no run's was replaced"

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
has_values $page steps energy_kinetic energy_rotation angular_momentum contacts touching crossings n
has $page 'data:image/png;base64,'

# ---- Packings ------------------------------------------------------------------------------------------------------------------
run 0 pack --sizes uniform-volume:1:4 --count 300 --method rearrange --periodic xyz --seed 5 -o 'a <b> & c.vtp' --report pack.html --json
has_values pack.html n density density_inner predicted_density max_overlap gap coordination backbone_coordination rattlers g_max g_min seconds
has pack.html "$good"; has pack.html 'uniform-volume:1:4'; has pack.html 'data:image/png;base64,'; has pack.html 'href="a%20%3Cb%3E%20%26%20c.vtp"'
[ "$(grep -o '<svg' pack.html | wc -l)" -eq 4 ] || fail "not 4 figures: two size curves, g(r), partners"
if command -v xmllint >/dev/null; then xmllint --noout pack.html 2>err || fail "not well-formed"; fi
# The command on the page makes the same packing again.
cp 'a <b> & c.vtp' first.vtp; rm 'a <b> & c.vtp'
sed -n 's/^<pre>\(scree pack .*\)<\/pre>$/\1/p' pack.html | sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' >command.sh
PATH=$(dirname "$SCREE"):$PATH sh command.sh >out 2>err || fail "the command of the page fails: $(cat command.sh)"
same first.vtp 'a <b> & c.vtp'
# All methods, containers, one sphere, 2D.
run 0 pack --sizes mono:1 --count 30 --method grow --periodic xy --dim 2 --density 0.5 -o p.csv --report p.html --json
has_values p.html collision_rate
run 0 pack --sizes uniform-size:1:3 --count 200 --method drop --container cylinder -o p.csv --report p.html -q; has p.html 'cylinder'
run 0 pack --sizes mono:0.5 --method rsa --saturate --box 4,4,4 --periodic xyz -o p.csv --report p.html -q
run 0 pack --sizes mono:1 --count 1 --method rsa -o - --format csv --report p.html -q; has p.html '<h1>'
run 0 pack --sizes lognormal:1:0.5 --count 200 --method dem --periodic xyz --tolerance 0.1 -o p.csv --report p.html -q; has p.html '<svg'
# Errors: found before anything is packed, or after the packing is safe.
rm -f p.csv
run 2 pack --sizes mono:1 --count 9 --method rsa -o p.csv --report page.txt;        names --report page.txt; gone p.csv
run 1 pack --sizes mono:1 --count 9 --method rsa -o p.csv --report none/page.html;  names --report none/page.html; gone p.csv
run 2 pack --sizes mono:1 --count 9 --method rsa -o p.html --format csv --report p.html; names --report -o p.html
mkdir page.html
run 1 pack --sizes mono:1 --count 9 --method rsa -o p.csv --report page.html;       names --report page.html; gone p.csv
if [ -c /dev/full ]; then
    echo before >p.html
    run 1 pack --sizes mono:1 --count 9 --method rsa -o p.csv --report /dev/full;   names /dev/full
fi
no_leftovers
finish
