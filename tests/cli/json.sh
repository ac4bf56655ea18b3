# The JSON of every command has the keys and types of cli/output.schema.json; quantities of a run have the same names and values in its log.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

# keep NAME ARGS...: runs a command with --json and keeps its object.
mkdir objects
keep() { local name=$1; shift; run 0 "$@" --json --quiet; cp out "objects/$name.json"; }

keep demo demo --count 300 --density 0.15 --size 64x64 -o spheres.csv
keep contacts contacts spheres.csv --gap 0.5 --verify --device emulate
keep boxes contacts spheres.csv --boxes --periodic xyz --box 200,200,200 --repeat 2
if [ -x "$(dirname "$SCREE")/scree-mpi" ] && command -v mpirun >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_hwloc_base_binding_policy=none HWLOC_HIDE_ERRORS=2
    keep contacts-ranks contacts spheres.csv --gap 0.5 --ranks 2
fi
keep levels levels spheres.csv
keep measure measure spheres.csv --gap 0.5 --network --profile z -o spheres
for method in rsa drop rearrange grow dem; do
    keep "pack-$method" pack $method --sizes uniform-size:1:2 --count 40 -o packing.vtp
done
keep pack-full pack rsa --sizes mono:1 --saturate --box 9,9 --dim 2 --periodic xy -o full.vtp
keep pack-stable pack rearrange --sizes mono:1 --count 60 --periodic xyz --stable --overlap 1e-3 -o stable.vtp
keep pack-hierarchical pack hierarchical --sizes uniform-volume:1:20 --count 60 --repeats 1 -o mix.csv
keep pack-old pack --sizes mono:1 --count 20 --method grow --rate 0.1 --density 0.3 -o old.csv
keep convert convert packing.vtp packing.csv
keep picture picture packing.vtp -o p.png --size 64x64
keep view view packing.vtp -o p.html

cat >scene.yaml <<'END'
dimension: 3
box: {size: [1, 1, 1]}
gravity: [0, 0, -9.81]
walls: {material: steel}
materials:
  glass: {material_density: 2500, young: 1e7, poisson: 0.2}
  steel: {material_density: 7800, young: 2e7, poisson: 0.3}
spheres:
- {count: 40, sizes: "mono:0.05", place: random, material: glass, region: {lower: [0, 0, 0], upper: [1, 1, 0.5]}}
- {count: 20, sizes: "mono:0.06", place: random, material: steel, region: {lower: [0, 0, 0.5], upper: [1, 1, 1]}}
contact: {law: hertz, damping: restitution, restitution: 0.6, friction: 0.4, speed: 1}
time: {end: 0.2}
output: {every: 0.1, contacts: true}
END
keep check run scene.yaml --check
keep device-check run scene.yaml --check --device emulate
keep run run scene.yaml -o run
keep device run scene.yaml -o device --device emulate
keep resume resume run
keep sweep sweep scene.yaml --seeds 2 -o study
keep compare compare run device
printf 'x,y,z,r,note\n0.1,0.2,0.3,0.1,a\n0.1,0.2,0.4,0.1,b\n' >one.csv
printf 'x,y,z,r,note,id\n0.1,0.2,0.3,0.1,a,7\n0.1,0.2,0.5,0.1,c,8\n' >two.csv
run 1 compare one.csv two.csv --json; cp out objects/compare-files.json
run 0 run scene.yaml -o slippery --set contact.friction=0.3
run 1 compare run slippery --json; cp out objects/compare-runs.json
keep plan plan scene.yaml --ranks 1,2
keep film film run -o film/ --size 64x64
keep measure-order measure stable.vtp --order --structure --k-max 4 --voxels 4,4,4 --porosity x --bins 0 -o ordered
keep measure-average measure run --average --profile z --fields 2,2,2 -o averages
keep measure-run measure run --fields 2,2,2 --flow z:0.3 --msd --repose slope -o run-measures
cat >bodies.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
bodies:
- {shape: convex, vertices: 6, sizes: "uniform-size:0.03:0.06", place: random, count: 12, velocity: [0, -5]}
contact: {stiffness: 2e4, restitution: 0.3}
time: {step: 1e-5, steps: 200}
END
keep bodies-check run bodies.yaml --check
keep bodies run bodies.yaml -o bodies
# Keys of their own: spheres that come and go, a cell that shears with spheres that grow, bonds, and a run that starts from another one.
cat >flow.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
gravity: [0, -9.81]
spheres:
- {name: old, count: 20, sizes: "mono:0.03", place: random, material_density: 1000, region: {lower: [0.1, 0.3], upper: [0.9, 0.7]}}
- {name: new, count: 1, sizes: "mono:0.02", place: random, material_density: 1000, region: {lower: [0.1, 0.8], upper: [0.9, 0.9]}}
insert:
- {name: top, group: new, region: {lower: [0.1, 0.8], upper: [0.9, 1]}, rate: 400, velocity: [0, -1]}
outlets:
- {name: floor, region: {lower: [0, 0], upper: [1, 0.1]}}
contact: {stiffness: 1e5, restitution: 0.5}
time: {end: 0.2}
END
cat >cell.yaml <<'END'
box: {periodic: [x, y, z]}
spheres: {count: 20, sizes: "mono:0.5", density: 0.2, place: grow, velocity: thermal}
contact: {stiffness: 1000, restitution: 0.5, friction: 0.4}
cell: {shear: 0.5}
time: {end: 0.1}
END
cat >bonds.yaml <<'END'
dimension: 2
box: {size: [1, 1]}
spheres: {count: 15, sizes: "mono:0.08", place: random, material_density: 1000}
bonds:
- {gap: 0.05, young: 1000, shear: 400, tensile_strength: 2, shear_strength: 6}
contact: {stiffness: 1e4}
time: {end: 0.01}
END
printf 'dimension: 2\nstart: {run: bonds}\nbonds:\n- {gap: 0.05, young: 1000, shear: 400}\ntime: {end: 0.01}\n' >next.yaml
keep flow run flow.yaml -o flow
keep cell-check run cell.yaml --check
keep cell run cell.yaml -o cell
keep bonds run bonds.yaml -o bonds
keep next-check run next.yaml --check
keep next run next.yaml -o next
[ -n "$(json start_run)" ] || fail "JSON without the run that it starts from"
keep bench-list bench
keep bench bench ogarko-range cells --quick --file spheres.csv

# A command that fails prints an object too, and nothing else on standard output; unless it has printed its result.
keep_error() { local name=$1 code=$2; shift 2; run "$code" "$@" --json; cp out "objects/error-$name.json"; json_is exit_code "$code"; json_has error; }
keep_error missing 1 contacts missing.csv
keep_error option 2 pack rsa --nonsense
keep_error choice 2 contacts spheres.csv --method nonsense
keep_error same 2 convert packing.vtp packing.vtp
keep_error scene 1 run missing.yaml -o missing
keep_error resume 1 resume missing
keep_error word 2 nonsense
keep_error both 2 contacts spheres.csv -o -
json_is command '"contacts"'
printf 'x,y,r\n1,1,"\303\204\t"\n' >odd.csv
keep_error text 1 measure odd.csv
keep_error full 1 convert packing.vtp /dev/full --format csv
run 0 help --json; cp out objects/help.json
# Numbers are as short as they can be.
printf 'x,y,z,r\n0.1,0.2,0.30000000000000004,0.1\n' >short.csv
run 0 measure short.csv --box 1,1,0.7 --json --bins 0; json_is box_size '[1, 1, 0.7]'; json_is diameter_max 0.2

python3 "$here/schema.py" "$here/../../cli/output.schema.json" objects/*.json || fail "JSON that is not as the schema says"
for name in run bodies flow cell bonds; do
    python3 "$here/log_names.py" $name/log.csv objects/$name.json || fail "the log and the JSON differ"
done
no_leftovers
finish
