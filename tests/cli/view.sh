# scree view makes a page of a file, of a run's folder and of a list of frames, or says why not.
. "$(dirname "$0")/lib.sh"

printf 'x,y,z,r,heat,kind\n1,1,1,1,0.5,a\n3,1,1,1,0.7,b\n' >two.csv
run 0 view two.csv -o two.html --json; json_is n 2; json_is dim 3; json_is frames 1
grep -q 'id="scree-meta"' two.html || fail "no data in the page"
grep -q '"title":"two.csv"' two.html || fail "the title is not the file's name"
run 0 view two.csv -o heat.html --colour-by heat --map ember --background dark --title 'A heap'
grep -q '"title":"A heap".*"colour_by":"heat","map":"ember","background":"dark"' heat.html || fail "the options are not in the page"
run 0 view two.csv -o -; head -c 15 out | grep -q '<!doctype html>' || fail "no page on standard output"
for extension in vtp xyz lammps npy; do
    run 0 convert two.csv copy.$extension --quiet
    run 0 view copy.$extension -o copy.html --quiet
done
printf 'x,y,r\n' >none.csv; run 0 view none.csv -o none.html

cp two.html keep.html
run 2 view two.csv; names -o
run 2 view two.csv -o two.png; names two.png .html
run 2 view two.csv -o two.html --colour-by nosuch; names "'nosuch'"; same two.html keep.html
run 2 view two.csv -o two.html --colour-by kind; names "'kind'"; same two.html keep.html
run 2 view two.csv -o two.html --map rainbow; names "'rainbow'" dusk
run 2 view two.csv -o two.html --every 0; names --every "'0'"
run 2 view two.csv -o - --json; names --json -o
run 1 view missing.csv -o two.html; names missing.csv; same two.html keep.html
for name in nothing "no such folder" . /dev/null one.unknown; do  # of which no format is known
    : >one.unknown
    run_unrecorded 1 view "$name" -o two.html; same two.html keep.html
    run_unrecorded 1 film "$name" -o two.png; gone two.png
done
run 1 view two.csv -o no/such.html; names no/such.html
mkdir empty; run 1 view empty -o two.html; names empty frames.pvd; same two.html keep.html
printf 'nonsense' >bad.pvd; run 1 view bad.pvd -o two.html; names bad.pvd:1; same two.html keep.html
printf '<VTKFile type="Collection"><Collection></Collection></VTKFile>' >nothing.pvd; run 1 view nothing.pvd -o two.html; names nothing.pvd
printf '<VTKFile type="Collection"><Collection><DataSet timestep="0" file="gone.vtp"/></Collection></VTKFile>' >gone.pvd
run 1 view gone.pvd -o two.html; names gone.vtp; same two.html keep.html
if [ -w /dev/full ]; then run 1 view two.csv -o /dev/full; fi

cat >fall.yaml <<'END'
dimension: 2
box: {size: [1, 1], periodic: []}
gravity: [0, -9.81]
spheres: {count: 10, sizes: "mono:0.05", place: random, material_density: 1000, velocity: zero}
contact: {law: linear, stiffness: 1e5, restitution: 0.7}
time: {step: auto, end: 0.04}
output: {every: 0.01, formats: [vtp, xyz]}
seed: 3
END
run 0 run fall.yaml -o fall --quiet
run 0 view fall -o fall.html --json; json_is frames 5; json_is n 10; json_is dim 2
run 0 view fall/frames.pvd -o list.html --title fall; same fall.html list.html
run 0 view fall/ -o fall.html --every 2 --json; json_is frames 3
rm fall/frames.pvd; run 0 view fall -o fall.html --json; json_is frames 5  # by the names of the xyz files

# Bodies: polygons, discs among them, and something fixed.
cat >bodies.yaml <<'END'
dimension: 2
box: {size: [0.2, 0.2]}
gravity: [0, -9.81]
bodies:
- {points: [[0, 0], [0.2, 0], [0.2, 0.01], [0, 0.01]], fixed: true}
- {shape: hook, roughness: 0.6, sizes: "mono:0.015", place: random, count: 6, region: [0, 0.02, 0.2, 0.2], material_density: 3}
- {shape: disc, sizes: "mono:0.01", place: random, count: 3, region: [0, 0.02, 0.2, 0.2], material_density: 3}
contact: {stiffness: 2e3, restitution: 0.2}
time: {end: 0.02}
output: {every: 0.01}
END
run 0 run bodies.yaml -o bodies --quiet
run 0 view bodies -o bodies.html --colour-by velocity_y --json; json_is frames 3; json_is n 10; json_is dim 2
run 0 view bodies -o bodies.html --colour-by speed; grep -q '"colour_by":"velocity"' bodies.html || fail "speed is not the length of the velocity"
run 0 view bodies -o bodies.html --colour-by area; names 10 2D 3 bodies.html
run 0 view bodies/frames/frame_000001.vtp -o bodies.html; names 10 2D 1 bodies.html
cp bodies.html keep.html
run 2 view bodies -o bodies.html --periodic x; names --periodic; same bodies.html keep.html
run 2 view bodies -o bodies.html --colour-by perimeter; names "'perimeter'"; same bodies.html keep.html
printf 'x,y,z,r\n1,1,1,1\n' >one.csv; run 0 view one.csv -o one.html; names 1 3D one.html
no_leftovers
finish
