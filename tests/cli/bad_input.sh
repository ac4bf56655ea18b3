# Bad input: the exit code tells the kind of error, the message names the place and the value, and nothing is lost.
. "$(dirname "$0")/lib.sh"
: "${SCREE_NO_MEMORY:=}"  # fails allocations (no_memory.c); empty: not under sanitizers
printf 'x,y,z,r\n1,1,1,1\n2,2,2,1\n' >good.csv
printf 'x,y,r\n1,1,1\n2,2,1\n' >flat.csv
printf 'old content\n' >old.csv

run 1 contacts missing.csv;                       names missing.csv
: >zero.csv
run 1 contacts zero.csv;                          names zero.csv:1
for word in nan inf -inf; do
    printf 'x,y,z,r\n1,1,1,1\n2,%s,2,1\n' "$word" >bad.csv
    run 1 contacts bad.csv;                       names bad.csv:3 "'y'" "'$word'"
done
printf 'x,y,z,r\n1,1,1,nan\n' >bad.csv
run 1 contacts bad.csv;                           names bad.csv:2 "'r'" nan
printf 'x,y,z,r\n1,1,1,-2\n' >bad.csv
run 1 contacts bad.csv;                           names bad.csv:2 -2
printf 'x,y,z,r\n1,1,1,1\n1,1,1\n' >bad.csv
run 1 contacts bad.csv;                           names bad.csv:3 3 4
printf 'x,y,z,r\n1,1,one,1\n' >bad.csv
run 1 contacts bad.csv;                           names bad.csv:2 "'one'" "'z'"
printf '1,1,1,1\n2,2,2,1\n' >bad.csv
run 1 contacts bad.csv;                           names bad.csv:1
printf 'x,z,r\n1,1,1\n' >bad.csv
run 1 contacts bad.csv;                           names bad.csv:1 y
printf 'x,y,z,r\n1,1,1,1e200\n' >bad.csv
run 1 contacts bad.csv;                           names bad.csv:2 1e200

run 1 contacts good.csv --box 1.5,9,9;            names 'sphere 1' x 2 1.5
run 2 contacts flat.csv --box 9,9,9;              names --box flat.csv
run 2 contacts flat.csv --periodic z;             names --periodic z flat.csv
run 2 contacts good.csv --periodic xw;            names --periodic "'xw'"
run 2 contacts good.csv --box 1,x;                names --box "'1,x'"
run 2 contacts good.csv --box 1,-1,1;             names --box -1 'axis y'
run 1 contacts good.csv --periodic xyz --box 1.5,9,9;  names 'sphere 0' 2 1.5 'axis x'

run 2 contacts good.csv --metod linked-cells;     names --metod --method
run 2 contacts good.csv --method linked-cels;     names "'linked-cels'" linked-cells
run 2 contacts good.csv --method magic;           names "'magic'" auto hierarchical-grid
run 2 contacts good.csv --gap wide;               names --gap "'wide'"
run 2 contacts good.csv --gap;                    names --gap
run 2 contacts good.csv --gap 1 --gap 2;          names --gap 1 2
run 2 contacts good.csv --threads -1;             names --threads "'-1'"
run 2 contacts good.csv --scale -1;               names --scale -1
run 2 contacts good.csv --verify=yes;             names --verify "'yes'"
run 2 contacts good.csv -z;                       names -z
run 2 contacts good.csv flat.csv;                 names flat.csv
run 2 contacts
run 2 contacts good.csv --json -o -;              names --json -o
run 2 contcts good.csv;                           names "'contcts'" contacts
run 2 xyzzy;                                      names "'xyzzy'"
run 2 contacts good.csv --format cvs;             names "'cvs'" csv
run 1 contacts .;                                 names .:
run 1 contacts . --format csv;                    names .:
for call in "contacts good.csv" "convert good.csv x.csv" "measure good.csv" "picture good.csv -o x.png" "film good.csv -o x.png" "view good.csv -o x.html" "resume x"; do
    run 2 $call --seed 3;                         names --seed
done
run 2 run scene.yaml -o x --format csv;           names --format
for call in "contacts missing" "measure missing" "levels missing" "convert missing x.csv" "picture missing -o x.png" "film missing -o x.png" "view missing -o x.html"; do
    run 1 $call;                                  names missing: "No such file"
done
run 2 convert good.csv copy.abc;                  names copy.abc --format csv
run 2 convert good.csv copy.pvd;                  names copy.pvd .vtp
run 2 convert good.csv --format vtp copy.csv;     names "--format vtp" csv
run 0 convert good.csv --format vtp copy
run 2 convert good.csv
run 2 demo --count 0;                             names --count "'0'"
run 2 demo --sizes uniform-sise:1:2;              names "'uniform-sise'" uniform-size
run 2 demo --density 0.9 --count 100;             names 0.9 'sphere 99'
run 2 demo --density 2;                           names --density 2
run 2 demo --density 0;                           names --density 0
run 2 levels;                                     names --sizes
printf 'x,y,z,r\n' >none.csv
run 1 levels none.csv
run 2 levels good.csv --count 3;                  names --sizes
run 2 levels --sizes mono:1 --count 5 --density 0; names --density
run 2 contacts good.csv --gap 1e300;              names --gap 1e+300
run 2 contacts good.csv --box 1e200,1,1;          names 'axis x' 1e+200
run 2 contacts good.csv --periodic '';            names --periodic "''"
run 2 contacts good.csv -o pairs.vtp;             names pairs.vtp
run 2 --verison;                                  names "'--verison'" --version
printf 'x,y,z,r\n1,1,3,1\n2,2,3,1\n' >plane.csv
printf 'x,y,r\n1,3,0\n2,3,0\n' >line.csv
run 2 contacts line.csv --periodic y;             names line.csv y 3 --box
printf 'x,y,z,r\n1,1,1,1e-400\n' >bad.csv
run 1 contacts bad.csv;                           names bad.csv:2 1e-400
run 1 demo --sizes table:none.csv;                names none.csv:1

# What was there stays there.
cp old.csv keep.csv
printf 'x,y,z,r\n1,1,1,one\n' >bad.csv
run 1 convert bad.csv old.csv;                    same old.csv keep.csv
run 1 contacts bad.csv -o old.csv;                same old.csv keep.csv
run 1 convert good.csv good.csv/x.csv;            names good.csv/x.csv
run 1 convert good.csv . --format csv;            names .:
# Names that lead to one file, before any work: the rest of the kinds is in mistakes.py.
cp good.csv first.csv
ln -s good.csv to-good.csv
ln good.csv also-good.csv
mkdir sub
printf 'd,passing_mass\n1,0\n2,1\n' >sieve.csv
cp sieve.csv mix.level-2.csv
cp good.csv curve-gr.csv
cp sieve.csv first-sieve.csv
few="--sizes mono:1 --count 20 --periodic xyz"
for target in good.csv ./good.csv sub/../good.csv "$PWD/good.csv" to-good.csv also-good.csv; do
    run 2 contacts good.csv -o "$target";         names "$target" good.csv
    run 2 convert good.csv "$target";             names "$target" good.csv
    run 2 contacts "$target" -o good.csv;         names good.csv
done
"$SCREE" convert - good.csv --format csv <good.csv >out 2>err; [ $? -eq 2 ] || fail "standard input is the target"
names good.csv
run 2 measure curve-gr.csv -o curve;              names curve-gr.csv
run 2 pack rearrange $few -o p.vtp --checkpoint p.vtp;                           names p.vtp --checkpoint -o
run 2 pack rearrange $few -o p.stable --format csv --checkpoint p --stable;      names p.stable --checkpoint
run 2 pack grow $few --density 0.2 -o p.part --format csv --checkpoint p;        names p.part --checkpoint
run 2 pack rearrange $few -o p.npy --checkpoint p.npy.box;                       names p.npy.box --checkpoint
run 2 pack rearrange $few -o p.png --format csv --picture p.png;                 names p.png --picture
run 2 pack rearrange $few -o p.html --format csv --report ./p.html;              names p.html --report
run 2 pack rsa --sizes table:sieve.csv --count 9 -o sieve.csv;                   names sieve.csv --sizes
run 2 pack hierarchical --sizes table:mix.level-2.csv --count 60 -o mix.csv;     names mix.level-2.csv
run 2 demo --count 9 -o scree-demo.png --format csv;                             names scree-demo.png --picture
mkdir made
cp good.csv made/ogarko-range-spheres.csv
cp good.csv made/rearrange-a.csv
ln -s made/ogarko-range-spheres.csv to-table.csv
run 2 bench ogarko-range --quick -o made --file made/ogarko-range-spheres.csv;   names made/ogarko-range-spheres.csv --file
run 2 bench all --quick -o made --file to-table.csv;                             names made/ogarko-range-spheres.csv to-table.csv
run 0 bench ogarko-range --quick -o made --file made/rearrange-a.csv
for name in p.vtp p.stable p.part p.npy p.png p.html mix.csv scree-demo.png; do gone $name; done
same good.csv first.csv; same curve-gr.csv first.csv; same sieve.csv first-sieve.csv; same mix.level-2.csv first-sieve.csv
rm also-good.csv to-good.csv
mkdir locked
chmod 555 locked
if [ "$(id -u)" -ne 0 ]; then
    run 1 convert good.csv locked/x.csv;          names locked/x.csv
elif command -v setpriv >/dev/null && chmod 755 . && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$SCREE" -a -r good.csv; then
    setpriv --reuid 65534 --regid 65534 --clear-groups "$SCREE" convert good.csv locked/x.csv >out 2>err
    [ $? -eq 1 ] || fail "an unwritable directory was not refused"
    names locked/x.csv
else
    echo "skipped: unwritable directory (no setpriv here)"
fi

# A full disk: a device that is always full, and a file system that fills up.
run 1 convert good.csv /dev/full --format csv;    names /dev/full
run 1 contacts good.csv -o /dev/full;             names /dev/full
"$SCREE" contacts good.csv >/dev/full 2>err; [ $? -eq 1 ] || fail "a full standard output went unnoticed"
[ -s err ] || fail "a full standard output: no message"
run 0 demo --size 64x48 --count 4000 --quiet -o large.csv
mkdir small
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
    cp good.csv small/old.csv
    run 1 convert large.csv small/old.csv;        names small/old.csv
    same good.csv small/old.csv
    [ "$(ls -A small)" = old.csv ] || fail "left behind on the full disk: $(ls -A small)"
    umount small
else
    echo "skipped: a file system that fills up (nothing can be mounted here)"
fi

# A limit on file sizes is an error like a full disk, not a death.
(ulimit -f 8; "$SCREE" convert large.csv limited.csv >out 2>err); [ $? -eq 1 ] || fail "file size limit: wrong exit code"
names limited.csv
gone limited.csv

# Without memory for its n-th block the program ends with a sentence, from the first block on.
for ((n = 1; n <= 40 && ${#SCREE_NO_MEMORY} > 0; ++n)); do
    LD_PRELOAD=$SCREE_NO_MEMORY SCREE_FAIL_AT=$n OMP_NUM_THREADS=1 "$SCREE" contacts good.csv -o without.csv >out 2>err </dev/null
    code=$?
    [ "$code" -eq 0 ] || { [ "$code" -eq 1 ] && grep -q memory err; } || fail "block $n failed: exit code $code"
done

# A closed pipe ends the program quietly, as the signal would.
("$SCREE" convert large.csv - --format csv 2>err; echo $? >code) | head -n 1 >/dev/null
[ "$(cat code)" -eq 141 ] || fail "closed pipe: exit code $(cat code)"
[ ! -s err ] || fail "closed pipe: something was said"
no_leftovers
finish
