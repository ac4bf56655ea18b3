# scree measure on runs and on files with contacts: what is there, and what is refused. The numbers themselves are compared in tests/python/test_measures.py.
. "$(dirname "$0")/lib.sh"

cat >scene.yaml <<END
dimension: 2
box: {size: [1, 1]}
gravity: [0, -10]
spheres: {count: 60, sizes: 'uniform-size:0.03:0.05', place: random, material_density: 1000}
contact: {stiffness: 1e5, restitution: 0.5}
time: {step: 1e-4, steps: 2000}
output: {every_steps: 1000, contacts: true, formats: [csv, vtp]}
END
run 0 run scene.yaml -o there --quiet
run 0 measure there --json; json_is frame 2; json_is frames 3; json_is mixing_by '"radius"'
awk -v t="$(json time)" 'BEGIN { exit !(t > 0.1999 && t < 0.2001) }' || fail "time $(json time)"
run 0 measure there --frame 0 --json; json_is frame 0; json_is network_contacts 0; json_is clusters 60; json_is percolates '"none"'
run 0 measure there --profile y --profile-bins 4 --repose slope --flow y:0.5 --fields 3,4 --kernel heaviside --width 0.2 -o m; prints 'angle of repose' 'flow rate' 'fields mass'
for ending in groups.csv forces.csv clusters.csv profile.csv flow.csv fields.csv fields.vti summary.csv; do
    [ -s m-$ending ] || fail "m-$ending is missing"
done
[ "$(wc -l <m-profile.csv)" = 5 ] && [ "$(wc -l <m-fields.csv)" = 13 ] && [ "$(wc -l <m-flow.csv)" = 3 ] || fail "the tables have other lengths"

# Over frames.
run 0 measure there --average --frames :1 --bins 0 --json -o av; json_is frames 2; json_is frame_to 1
[ "$(wc -l <av-series.csv)" = 3 ] && grep -q '^coordination,' av-average.csv || fail "averages are missing"
run 2 measure there --average --frames 1:7; names --frames '0 to 2'
run 2 measure there --average --frames 2:1; names --frames "'2:1'"
run 2 measure there --frames 1:2; names --frames --average
run 2 measure there --average --frame 1; names --frame --average
run 2 measure there/frames/frame_000002.vtp --average; names --average folder
run 0 measure there --msd --frames 1: --bins 0 --json; json_is msd_spheres 60
[ "$(json msd_time)" != 0 ] || fail "no time passed"

# A frame as a file, with its contacts: the same network. By a search: the same contacts, without forces.
run 0 measure there --json; cp out folder.json
run 0 measure there/frames/frame_000002.vtp --contacts there/contacts/contacts_000002.csv --json; cp out file.json
run 0 measure there/frames/frame_000002.vtp --network --gap 0 --json; cp out search.json
for key in network_contacts network_rattlers clusters fabric_anisotropy; do
    a=$(grep "\"$key\"" folder.json); b=$(grep "\"$key\"" file.json); c=$(grep "\"$key\"" search.json)
    [ -n "$a" ] && [ "$a" = "$b" ] || fail "$key: $a and $b"
    [ "$key" = fabric_anisotropy ] || [ "$a" = "$c" ] || fail "$key: $a and $c"
done
grep -q force_mean file.json && ! grep -q force_mean search.json || fail "forces of a search"

# With friction two contacts hold a sphere: by the law of the run. Of a file, and without friction, dim + 1 do.
cat >bed.yaml <<END
dimension: 2
box: {size: [0.7, 1.2]}
gravity: [0, -10]
spheres: {count: 200, sizes: 'uniform-size:0.02:0.03', place: random, material_density: 1000}
contact: {duration: 2e-3, restitution: 0.2, friction: 0.8}
time: {end: 2}
output: {contacts: true, formats: [vtp]}
END
run 0 run bed.yaml -o bed --quiet
run 0 measure bed --gap 0 --json; json_is contacts_min 2
[ "$(json network_rattlers)" -lt 20 ] && [ "$(json rattlers)" = "$(json network_rattlers)" ] || fail "of a settled bed with friction $(json network_rattlers) of 200 are rattlers"
awk -v z="$(json network_mechanical_coordination)" -v b="$(json network_backbone_coordination)" 'BEGIN { exit !(z > 2.9 && z < 4 && b > 2.5) }' ||
    fail "mechanical coordination $(json network_mechanical_coordination), backbone $(json network_backbone_coordination)"
run 0 measure bed --least-contacts 3 --json; json_is contacts_min 3
[ "$(json network_rattlers)" -gt 180 ] || fail "by dim + 1 $(json network_rattlers) of 200 are rattlers"
frame=$(ls bed/frames/*.vtp | tail -n 1) contacts=$(ls bed/contacts/*.csv | tail -n 1)
run 0 measure "$frame" --contacts "$contacts" --json; json_is contacts_min 3
run 0 measure "$frame" --contacts "$contacts" --least-contacts 2 --json; json_is contacts_min 2
run 0 measure there --json; json_is contacts_min 3
run 2 measure there --least-contacts 0; names least-contacts 0

# Frames in CSV have no box: it is that of the scene, with its periodic axes.
sed 's/size: \[1, 1\]/size: [1, 1], periodic: [x]/; s/\[csv, vtp\]/[csv]/' scene.yaml >plain.yaml
run 0 run plain.yaml -o plain --quiet
run 0 measure plain --flow x:0.5 --json; json_is frames 3; prints '"periodic": "x"' '"box_size": [1, 1]'

# A bonded disc breaks on the floor: its pieces lie on each other, so that clusters of contacts are not its fragments. Each frame has its own.
run 0 pack rearrange --dim 2 --container sphere -n 120 --sizes uniform-size:0.4:0.6 -o disc.csv --seed 3 --quiet
cat >break.yaml <<END
dimension: 2
box: {size: [60, 16], origin: [-20, -0.5]}
gravity: [0, -10]
spheres: {file: disc.csv, velocity: [3, -12], material_density: 1}
contact: {stiffness: 20000, restitution: 0.3, friction: 0.3}
bonds:
- {gap: 0.1, young: 8000, shear: 3000, damping: 0.1, tensile_strength: 1000, shear_strength: 500, friction: 0.2}
time: {end: 2}
output: {every: 0.2, formats: [vtp]}
END
run 0 run break.yaml -o break --json --quiet; cp out break.json
run 0 measure break --frame 0 --clusters bonds --json; json_is fragments 1; json_is fragment_max 120; json_is fragment_share_max 1; json_is bonds_broken 0; json_is clusters 1; json_is clusters_by '"bonds"'
grep -q 'number of fragments' break/report.html && grep -q 'deepest overlap' break/report.html || fail "the report lacks fragments or the largest overlap"
before=0
for frame in 1 3 10; do
    run 0 measure break --frame $frame --clusters bonds --json
    [ "$(json bonds_broken)" -ge "$before" ] && [ $(($(json bonds) + $(json bonds_broken))) = "$(sed -n 's/^  "bonds": \(.*\),/\1/p' break.json | awk -v b="$(sed -n 's/^  "bonds_broken": \(.*\),/\1/p' break.json)" '{ print $1 + b }')" ] ||
        fail "frame $frame: $(json bonds) bonds and $(json bonds_broken) broken ones"
    [ "$(json clusters)" = "$(json fragments)" ] && [ "$(json cluster_max)" = "$(json fragment_max)" ] || fail "clusters by bonds are no fragments"
    [ "$(json bonds_broken)" = $(($(json bonds_broken_tension) + $(json bonds_broken_shear))) ] || fail "bonds that broke for no cause"
    before=$(json bonds_broken)
done
for key in bonds bonds_broken bonds_broken_tension bonds_broken_shear fragments fragment_max fragment_share_max; do
    [ "$(json $key)" = "$(sed -n "s/^  \"$key\": \(.*\),/\1/p" break.json)" ] || fail "$key of the run and of its last frame differ"
done
[ "$(json fragments)" -gt 5 ] && awk -v s="$(json fragment_share_max)" 'BEGIN { exit !(s > 0.3 && s < 0.7) }' ||
    fail "the disc has $(json fragments) fragments, the largest of $(json fragment_max) with $(json fragment_share_max) of the mass"
[ "$(tail -n +2 break/broken.csv | wc -l)" = "$(json bonds_broken)" ] || fail "broken.csv has other rows"
fragments=$(json fragments) largest=$(json fragment_max)
run 0 measure break -o b --json; json_is clusters_by '"contacts"'
[ "$(json clusters)" -gt $((2 * fragments)) ] && [ "$(json cluster_max)" -lt "$largest" ] || fail "by contacts $(json clusters) clusters, the largest of $(json cluster_max), by bonds $fragments and $largest"
[ "$(awk -F, 'NR > 1 { n += $1 * $2 } END { print n }' b-fragments.csv)" = 120 ] || fail "the table of fragments"
run 2 measure there --clusters bonds; names bonds
cp -r break bare; rm bare/checkpoint_*
run 1 measure bare --clusters bonds; names bare checkpoint
run 0 measure bare --json; names checkpoint; [ -z "$(json fragments)" ] || fail "fragments without bonds"
run 2 measure there/frames/frame_000002.vtp --network --clusters bonds; names clusters
run 2 measure break --clusters spheres; names "'spheres'" bonds

run 2 measure there --frame 3; names 3 0 2
run 2 measure there --fields 4,4; names --out
run 2 measure there --fields 4,0.5 -o m; names 0.5
run 2 measure there --profile w; names "'w'"
run 2 measure there --profile z; names z 2D
run 2 measure there --fields 4,4,4 -o m; names 3 2D
run 2 measure there --flow up:1; names "'up:1'"
run 2 measure there --flow z:1; names 2
run 2 measure there --flow y:7; names y 7
run 2 measure there --width 0 --profile y; names width 0
run 2 measure there --kernel box --profile y; names "'box'" gauss
run 2 measure there --contacts there/contacts/contacts_000002.csv; names contacts there
run 2 measure there/frames/frame_000002.vtp --frame 1; names frame
run 2 measure there --low 0.2; names low repose
run 2 measure there --repose heap --low 0.9 --high 0.2; names 0.9 0.2
run 2 measure there --repose heap --region 0,0,0,1,1,1; names region 6 4
mkdir empty; run 1 measure empty; names empty frames.pvd
run 1 measure there/frames/frame_000002.vtp --contacts there/log.csv; names log.csv:1 "'i'"
printf 'i,j,overlap,nx,ny,nz,fx,fy,fz\n0,99,0,1,0,0,0,0,0\n' >wrong.csv
run 2 measure there/frames/frame_000002.vtp --contacts wrong.csv; names 99 59
no_leftovers
finish
