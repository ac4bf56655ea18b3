# scree contacts, convert and demo do what they say.
. "$(dirname "$0")/lib.sh"

# Three in a row, the first two overlapping; the last also meets the first through a periodic face.
printf 'x,y,z,r\n1,5,5,1\n2.5,5,5,1\n9.5,5,5,0.75\n' >three.csv
run 0 contacts three.csv --json
json_is n 3; json_is dim 3; json_is pairs 1; json_is distinct_pairs 1; json_is method '"all-pairs"'
json_has tests size_ratio levels seconds_build seconds_search bytes
run 0 contacts three.csv -o pairs.csv
printf 'i,j,gap\n0,1,-0.5\n' >wanted.csv
same pairs.csv wanted.csv
run 0 contacts three.csv --periodic x --box 10,10,10 -o pairs.csv --method linked-cells
printf 'i,j,gap,sx,sy,sz\n0,1,-0.5,0,0,0\n0,2,-0.25,-1,0,0\n' >wanted.csv
same pairs.csv wanted.csv
# An unwrapped trajectory: centres many boxes away have the same pairs, with shifts to the centres as given.
printf 'x,y,z,r\n1,5,5,1\n402.5,5,5,1\n-790.5,5,5,0.75\n' >far.csv
run 0 contacts far.csv --periodic x --box 10,10,10 -o pairs.csv --verify
cut -d, -f1,2,4- pairs.csv >shifts.csv
printf 'i,j,sx,sy,sz\n0,1,-40,0,0\n0,2,79,0,0\n' >wanted.csv
same shifts.csv wanted.csv
run 0 measure far.csv --periodic x --box 10,10,10 --json
printf 'x,y,z,r\n1,5,5,1\n4002.5,5,5,1\n' >far.csv
run 0 contacts far.csv --periodic x --box 10,10,10 --json; json_is pairs 1
run 1 contacts far.csv --periodic x --box 10,10,10 -o pairs.csv; names 0 1 400 127
printf 'x,y,z,r\n1,5,5,1\n4e12,5,5,1\n' >far.csv
run 1 contacts far.csv --periodic x --box 10,10,10; names 'sphere 1' 4e+12
run 0 contacts three.csv -o -
printf 'i,j,gap\n0,1,-0.5\n' >wanted.csv
same out wanted.csv
run 0 contacts three.csv --gap 6 --json; json_is pairs 2
run 0 contacts three.csv --scale 0.5 --json; json_is pairs 0
run 0 contacts three.csv --scale 6 --json --verify; json_is pairs 3; json_is missing 0; json_is extra 0
run 0 contacts three.csv --json --repeat 3; json_is timing '"warm median"'; json_is repeat 3
run 0 contacts three.csv --gap=6 --check --threads 3; prints pairs 2
"$SCREE" contacts - --format csv --json <three.csv >out 2>err || fail "standard input was not read"; json_is pairs 1

# Boxes: the second and third meet as boxes only, the first two touch as boxes exactly; gap is that of the spheres.
printf 'x,y,r\n1,1,1\n3,1,1\n4.75,2.75,1\n' >corner.csv
run 0 contacts corner.csv --json; json_is pairs 0; json_is boxes false
for method in auto linear-list all-pairs; do
    run 0 contacts corner.csv --boxes --method $method -o pairs.csv --json --verify
    json_is boxes true; json_is pairs 2; json_is missing 0; json_is extra 0; json_is tests 0
    printf 'i,j,gap\n0,1,0\n1,2,0.4748737341529163\n' >wanted.csv; same pairs.csv wanted.csv
done
run 0 contacts corner.csv --boxes --json; json_is method '"linear-list"'
run 0 contacts corner.csv --boxes -o -; same out wanted.csv
run 0 contacts corner.csv --boxes --gap 10 --json; json_is pairs 3
run 0 contacts corner.csv --boxes --scale 0.5 --check --repeat 2 --json; json_is pairs 0
run 0 contacts corner.csv --boxes --periodic x --box 5.75,4 -o pairs.csv
printf 'i,j,sx,sy,sz\n0,1,0,0,0\n0,2,-1,0,0\n1,2,0,0,0\n' >wanted.csv
cut -d, -f1,2,4- pairs.csv >shifts.csv; same shifts.csv wanted.csv
run 2 contacts corner.csv --boxes --method linked-cells; names --boxes linked-cells linear-list all-pairs

# A centre outside stands for its image inside on a periodic axis; a note counts them, and shifts fit the centres as given.
printf 'x,y,r\n-0.5,1,0.3\n9,1,0.3\n' >outside.csv
run 0 contacts outside.csv --periodic x --box 10,2 --json -o pairs.csv; json_is pairs 1
names 1
printf 'i,j,gap,sx,sy,sz\n0,1,-0.09999999999999998,-1,0,0\n' >wanted.csv; same pairs.csv wanted.csv
run 0 contacts outside.csv --periodic x --box 10,2 --quiet; [ -s err ] && fail "--quiet was not quiet"

# Valid, if empty or odd.
printf 'x,y,z,r\n' >none.csv
run 0 contacts none.csv --json; json_is n 0; json_is pairs 0
for method in all-pairs linked-cells linear-list hierarchical-grid; do
    run 0 contacts none.csv --periodic xyz --method $method -o pairs.csv
    printf 'i,j,gap,sx,sy,sz\n' >wanted.csv; same pairs.csv wanted.csv
done
run 0 contacts none.csv -o pairs.csv; names none.csv
run 0 contacts none.csv -o pairs.csv --quiet; [ ! -s err ] || fail "a note in spite of --quiet"
printf 'i,j,gap\n' >wanted.csv; same pairs.csv wanted.csv
printf 'x,y,z,r\n1,2,3,4\n' >one.csv
run 0 contacts one.csv --json; json_is n 1; json_is pairs 0
run 0 contacts one.csv --periodic xyz --box 8,9,9 --gap 0.5 --json; json_is pairs 1; json_is distinct_pairs 1
printf 'x,y,r\n1,1,0\n1,1,0\n1,1,1\n1,1,1\n' >heap.csv
run 0 contacts heap.csv --json --verify; json_is pairs 5; json_is size_ratio null

# Every method gives the same file, byte by byte; every number of threads too.
run 0 demo --size 64x48 --count 3000 --density 0.4 --sizes uniform-volume:1:10 -o spheres.csv
axes='none x xyz'
[ -z "$short" ] || axes=xyz
for periodic in $axes; do
    run 0 contacts spheres.csv --gap 0.3 --periodic $periodic --method all-pairs -o reference.csv
    for method in linked-cells linear-list hierarchical-grid; do
        for threads in 1 2 7; do
            run 0 contacts spheres.csv --gap 0.3 --periodic $periodic --method $method --threads $threads -o pairs.csv
            same pairs.csv reference.csv
        done
    done
done
[ "$(wc -l <reference.csv)" -gt 300 ] || fail "hardly any pairs to compare"
run 0 contacts spheres.csv --gap 0.3 --boxes --periodic xyz --method all-pairs -o reference.csv
for threads in 1 7; do
    run 0 contacts spheres.csv --gap 0.3 --boxes --periodic xyz --threads $threads -o pairs.csv; same pairs.csv reference.csv
done

# convert keeps every bit and every further column.
run 0 convert spheres.csv copy.csv; same spheres.csv copy.csv
printf 'name,Radius,y,x,mass\nfirst,0.5,2,1,7.25\n"a, ""b""",0.25,4,3,8\n' >columns.csv
printf 'x,y,r,name,mass\n1,2,0.5,first,7.25\n3,4,0.25,"a, ""b""",8.0\n' >wanted.csv
run 0 convert columns.csv copy.csv; same copy.csv wanted.csv
run 0 convert columns.csv /dev/stdout --format csv; same out wanted.csv
run 0 convert columns.csv - --format csv; same out wanted.csv
run 0 convert columns.csv --json copy.csv; json_is columns 2
ln -s copy.csv link.csv
run 0 convert three.csv link.csv; [ -L link.csv ] || fail "the link was replaced by a file"; same link.csv copy.csv

# Lengths at the ends of the range are lengths like others.
printf 'x,y,z,r\n9e139,1,1,5e139\n1e-130,0,0,1.0000000000000002e-130\n' >ends.csv
run 0 contacts ends.csv --json; json_is n 2

# levels: the paper's case
run 0 levels --sizes uniform-volume:1:50 --count 125001 --density 0.62 --json
json_is levels 7; prints '"cell_sizes"' '"table"'
awk -v s="$(json speedup)" 'BEGIN { exit !(s > 308 && s < 318) }' || fail "speedup $(json speedup) is not 313"
run 0 levels spheres.csv; [ -s out ] || fail "no table of levels"
for l in 1 2 4; do  # --levels means the same on both commands
    run 0 levels spheres.csv --levels $l --json; json_is levels $l
    run 0 contacts spheres.csv --method hierarchical-grid --levels $l --json; json_is levels $l
done

# demo
run 0 demo --size 64x48 --count 2000; prints 2000; [ -s scree-demo.png ] || fail "no picture"
run 0 demo --size 64x48 --count 1500 --sizes mono:1; prints 1500  # equal spheres fill 0.38 at most this way: the density follows from the sizes
run 0 demo --size 64x48 --count 100; prints 100  # one sphere is a third of the volume
run 0 demo --size 64x48 --count 2000 --json; json_is contacts 0; json_is methods_agree true
first=$(json pairs)
run 0 demo --size 64x48 --count 2000 --json --seed 2; [ "$(json pairs)" != "$first" ] || fail "the seed changes nothing"
run 0 demo --size 64x48 --count 2000 --json --threads 1; [ "$(json pairs)" = "$first" ] || fail "threads change the demo"

run 0 bench files --count 2000 --quiet; prints csv vtp xyz lammps npy
run 0 bench watches --count 1000 --quiet; prints sim_create surface_create run_estimate
run 0 bench; prints speed moving methods all
run 2 bench sped; names "'sped'" speed

# help, and an example in each
run 0 --help; prints contacts pack run view
cp out help.txt
run 0 help; same out help.txt
run 2; [ ! -s out ] || fail "scree alone writes to standard output"; same err help.txt
run 2 help contcats; names "'contcats'" contacts
run 2 help contacts pack; names "'pack'"
run 2 help --completion; names --completion bash zsh
run 2 help --completion fish; names "'fish'" bash zsh
run 2 help --man nonsense; names "'nonsense'"
run 0 help scene; prints 'contact law and its parameters' include '--schema'
run 0 help scene contact.friction; prints 'coefficient of friction' '0 or more' 'contact.law linear, hertz'
run 0 help scene walls.lower_z.servo.speed; prints 'above 0' 'length/time'
run 0 help scene changes.contact; prints friction restitution
run 2 help scene contact.fricton; names "'contact.fricton'" contact.friction
run 2 help scene changes.contact.law; names "'changes.contact.law'" contact.law
run 2 help scene nonsense; names "'nonsense'" expected
run 2 help scene contact speed; names "'speed'"
run 0 help scene --schema; prints '"$schema"' contact
run 0 help help; prints 'scree help' --completion
run 0 help --man; prints '.TH SCREE 1'
run 0 help --completion bash; prints 'complete -F _scree scree'
run 0 help --completion zsh; prints '#compdef scree'
run 0 --version; prints scree
for command in contacts measure picture levels convert demo bench; do
    run 0 $command --help; prints --json "scree $command"; cp out help.txt
    run 0 help $command; same out help.txt
done

# Parameters by hand: the same file, other counters; one that would lose pairs, or belongs to another method, is rejected.
run 0 contacts spheres.csv --gap 0.3 --periodic xyz --method all-pairs -o reference.csv
for options in "--range half-cell" "--range iwai --direction finer" "--direction coarser" "--levels 3 --box-test on" \
    "--cell-sizes 3,9,25" "--cell-sizes 25 --range half-cell" "--levels 1 --skin 0.1 --repeat 2"; do
    run 0 contacts spheres.csv --gap 0.3 --periodic xyz --method hierarchical-grid $options -o pairs.csv
    same pairs.csv reference.csv
done
run 0 contacts spheres.csv --gap 0.3 --method hierarchical-grid --levels 3 --json; json_is levels 3; json_is box_tests 0
run 0 contacts spheres.csv --gap 0.3 --method linked-cells --cell-size 40 --box-test on --json --verify
json_is missing 0; [ "$(json box_tests)" -gt "$(json tests)" ] || fail "the box test took nothing away"
run 1 contacts spheres.csv --method linked-cells --cell-size 2; names linked-cells 2
run 0 contacts spheres.csv --gap 0.3 --method linked-cells --cell-sides 40,50,90 --json --verify; json_is levels 1
run 1 contacts spheres.csv --method linked-cells --cell-sides 40,2,40; names linked-cells 'along y' 2
run 2 contacts spheres.csv --method linked-cells --cell-sides 40,40; names cell_sides 'along z'
run 2 contacts spheres.csv --method linked-cells --cell-size 40 --cell-sides 40,40,50; names cell_size cell_sides
run 2 contacts spheres.csv --method octree --cell-sides 40,40,40; names cell_sides octree linked-cells
run 1 contacts spheres.csv --method hierarchical-grid --cell-sizes 1,2; names hierarchical-grid 2
run 2 contacts spheres.csv --cell-size 40; names linked-cells auto
run 2 contacts spheres.csv --method hierarchical-grid --cell-sizes 3,2; names 2 3
run 2 contacts spheres.csv --method hierarchical-grid --range halfcell; names "'halfcell'" half-cell
run 2 contacts spheres.csv --method hierarchical-grid --levels 0; names --levels "'0'"
no_leftovers
finish
