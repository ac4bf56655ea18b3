# Scenes on the command line: what --check and --help say, where a scene is wrong, and building in a checkout that was moved.
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
. "$(dirname "$0")/lib.sh"

# ---- What is simulated is said first -----------------------------------------------------------------------------------------

run 0 --help
prints friction
run 0 run --help
prints friction docs/scene.md

# ---- What contact physics comes to ---------------------------------------------------------------------------------------------

cat >hertz.yaml <<END
box: {size: [0.1, 0.1, 0.1]}
materials: {glass: glass, steel: steel}
spheres: {count: 20, sizes: "mono:5e-3", place: random, material: glass}
walls: {material: steel}
contact: {law: hertz, speed: 1, restitution: 0.8, friction: 0.3}
time: {steps: 3}
END
run 0 run hertz.yaml --check
names "glass and glass" "glass and steel" 3.678e+10 "Rayleigh"
overlaps() { grep -o 'overlap [0-9.]* % of a radius' err; }
overlaps >deep
sed 's/law: hertz/law: linear, stiffness: from-young/' hertz.yaml >young.yaml
run 0 run young.yaml --check # springs with which two that meet with that speed overlap as by the law of Hertz
overlaps >springs
same deep springs
run 0 run hertz.yaml --check --json
json_has material_pairs rayleigh_time overlap_expected
run 0 run hertz.yaml -o hertz
names "glass and steel" "Rayleigh"

printf 'x,y,z,radius,v_x,v_y,v_z\n0.3,0.5,0.5,0.1,10,0,0\n0.51,0.5,0.5,0.1,-10,0,0\n' >two.csv
cat >soft.yaml <<END
box: {size: [1, 1, 1]}
spheres: {file: two.csv, velocity: file}
contact: {stiffness: 100}
time: {end: 0.01}
output: {log_every_steps: 1}
END
run 0 run soft.yaml -o soft
names "warning" "sphere 0" "sphere 1" 0.915 "step 27"  # 20 sqrt(m / 2 k) / r

# Two bonded spheres are torn apart by two that rub: what breaks and what is lost is counted.
printf 'x,y,z,radius,v_x,v_y,v_z\n0.3,0.5,0.5,0.1,-1,0,0\n0.5,0.5,0.5,0.1,1,0,0\n0.702,0.5,0.5,0.1,0,1,0\n' >bonded.csv
cat >bonded.yaml <<END
box: {size: [1, 1, 1]}
spheres: {file: bonded.csv, velocity: file}
contact: {stiffness: 100, restitution: 0.8, friction: 0.5}
bonds: [{gap: 0.001, young: 100, tensile_strength: 1, shear_strength: 1}]
time: {steps: 300}
END
run 0 run bonded.yaml -o bonded --json
json_has dissipated_normal dissipated_tangential energy_rotation energy_bonds
json_is bonds 0
json_is bonds_broken 1
awk -v released="$(json released_bonds)" -v logged="$(awk -F, 'END { print $7 }' bonded/broken.csv)" 'BEGIN { exit !(released > 0 && released - logged < 1e-6 * released && logged - released < 1e-6 * released) }' ||
    fail "energy of the broken bond"
printf 'i,j\n2,1\n' >list.csv
sed 's/gap: 0.001/file: list.csv/' bonded.yaml >listed.yaml
run 0 run listed.yaml --check
names "contacts: stiffness 100"
cat >coming.yaml <<END
box: {size: [1, 1, 1]}
materials: {a: {material_density: 1}, b: {material_density: 2}}
walls: {material: a}
spheres:
- {name: one, count: 3, sizes: "mono:0.05", place: random, material: a}
- {name: two, count: 3, sizes: "mono:0.04", place: random, material: b}
contact: {stiffness: 100}
pairs: [{between: [a, a], friction: 0.1}, {between: [a, b], friction: 0.2}, {between: [b, b], friction: 0.3}]
insert: [{name: top, group: two, rate: 5, region: {from: [0.5, 0.5, 0.5], to: [0.5, 0.5, 0.9], radius: 0.4}}]
time: {steps: 3}
END
run 0 run coming.yaml --check # numbers of pairs beside spheres that come later
names "a and a" "a and b" "b and b"

# ---- A check ------------------------------------------------------------------------------------------------------------------

scene() {
    cat >scene.yaml <<END
box: {size: [100, 100, 100]}
spheres: {count: $1, sizes: "mono:1", place: $2}
contact: {stiffness: 1e3}
time: {end: $3}
output: {every_steps: 10, pictures: ${4:-false}}
END
}

scene 20 grow 1 # density 8e-5
run 0 run scene.yaml --check --json
json_is valid true
json_has frames seconds_estimated seconds_steps seconds_frames seconds_other
json_is seconds_pictures 0
scene 20 random 0.1 true
run 0 run scene.yaml --check --json
awk -v all="$(json seconds_estimated)" -v pictures="$(json seconds_pictures)" 'BEGIN { exit !(pictures > 0 && all > pictures) }' ||
    fail "the estimate leaves out pictures"
scene 20 grow 1e300
run 1 run scene.yaml --check
names scene.yaml:4:13 time.end 1e+300 1000000000000000

# Groups of spheres: how many there are, and the density of all of them; what does not fit is reported at its entry.
groups() {
    cat >scene.yaml <<END
spheres:
- {count: 20, sizes: "mono:1", place: $1, density: 0.125}
- {count: 20, sizes: "mono:1", place: $2, density: 0.125}
contact: {stiffness: 1e3}
time: {end: 1}
END
}
for place in random grow; do
    groups $place $place
    run 0 run scene.yaml --check --json
    json_is n 40
    json_is group_count 2
    awk -v density="$(json density)" 'BEGIN { exit !(density > 0.24999 && density < 0.25001) }' || fail "density $(json density)"
done
groups random grow
run 1 run scene.yaml --check
names scene.yaml:2:39 spheres.place "entry 2" grow

# ---- A build folder that was made for another place -----------------------------------------------------------------------------

if command -v cmake >/dev/null && [ -z "$short" ]; then
    mkdir -p before/tools
    cp "$tools/fresh" before/tools
    printf 'cmake_minimum_required(VERSION 3.22)\nproject(moved LANGUAGES NONE)\n' >before/CMakeLists.txt
    cmake -S before -B before/build >/dev/null || fail "cmake"
    before/tools/fresh build >out
    [ ! -s out ] || fail "a build folder at its place is not left alone"
    [ -f before/build/CMakeCache.txt ] || fail "the cache is gone"
    cp -r before after
    ! cmake -S after -B after/build >/dev/null 2>&1 || fail "cmake takes a cache from elsewhere: tools/fresh is not needed any more"
    after/tools/fresh build none >out
    prints build "$work/before"
    cmake -S after -B after/build >/dev/null 2>err || fail "the copy cannot be configured"
    mv before gone-before
    gone-before/tools/fresh build >out
    cmake -S gone-before -B gone-before/build >/dev/null 2>err || fail "the moved checkout cannot be configured"
fi

finish
