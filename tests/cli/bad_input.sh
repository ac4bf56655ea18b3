# Bad input: a sentence that helps, a code that tells, and nothing lost.
. "$(dirname "$0")/lib.sh"
printf 'x,y,z,r\n1,1,1,1\n2,2,2,1\n' >good.csv
printf 'x,y,r\n1,1,1\n2,2,1\n' >flat.csv
printf 'old content\n' >old.csv

run 1 contacts missing.csv;                       says 'missing.csv: cannot be opened: No such file'
: >zero.csv
run 1 contacts zero.csv;                          says 'zero.csv:1: the file is empty'
for word in nan inf -inf; do
    printf 'x,y,z,r\n1,1,1,1\n2,%s,2,1\n' "$word" >bad.csv
    run 1 contacts bad.csv;                       says 'bad.csv:3:'; says "'y'"
done
printf 'x,y,z,r\n1,1,1,nan\n' >bad.csv
run 1 contacts bad.csv;                           says 'bad.csv:2:'; says "'r'"
printf 'x,y,z,r\n1,1,1,-2\n' >bad.csv
run 1 contacts bad.csv;                           says 'bad.csv:2:'; says '-2'
printf 'x,y,z,r\n1,1,1,1\n1,1,1\n' >bad.csv
run 1 contacts bad.csv;                           says 'bad.csv:3:'; says '3'; says '4'
printf 'x,y,z,r\n1,1,one,1\n' >bad.csv
run 1 contacts bad.csv;                           says 'bad.csv:2:'; says "'one'"; says "'z'"
printf '1,1,1,1\n2,2,2,1\n' >bad.csv
run 1 contacts bad.csv;                           says 'bad.csv:1:'
printf 'x,z,r\n1,1,1\n' >bad.csv
run 1 contacts bad.csv;                           says 'bad.csv:1:'; says 'y'
printf 'x,y,z,r\n1,1,1,1e200\n' >bad.csv
run 1 contacts bad.csv;                           says 'bad.csv:2:'; says '1e200'

run 1 contacts good.csv --box 1.5,9,9;            says 'sphere 1: its centre x = 2 lies outside the walls at 0 and 1.5'
run 2 contacts flat.csv --box 9,9,9;              says "--box gives 3 lengths, but 'flat.csv' holds 2D data"
run 2 contacts flat.csv --periodic z;             says "holds 2D data"
run 2 contacts good.csv --periodic xw;            says "'xw'"
run 2 contacts good.csv --box 1,x;                says "'1,x'"
run 2 contacts good.csv --box 1,-1,1;             says 'length of -1 on axis y'
run 1 contacts good.csv --periodic xyz --box 1.5,9,9;  says 'sphere 0: its diameter 2 is larger than the periodic box, 1.5 on axis x'

run 2 contacts good.csv --metod linked-cells;     says 'did you mean --method?'
run 2 contacts good.csv --method linked-cels;     says 'did you mean linked-cells?'
run 2 contacts good.csv --method magic;           says 'known: auto all-pairs'
run 2 contacts good.csv --gap wide;               says "--gap takes a number, and 'wide' is none"
run 2 contacts good.csv --gap;                    says '--gap needs a value'
run 2 contacts good.csv --gap 1 --gap 2;          says 'given twice'
run 2 contacts good.csv --threads -1;             says '--threads takes a whole number'
run 2 contacts good.csv --scale -1;               says '--scale -1'
run 2 contacts good.csv --verify=yes;             says 'takes no value'
run 2 contacts good.csv -z;                       says 'there is no option -z'
run 2 contacts good.csv flat.csv;                 says 'one file too many'
run 2 contacts;                                   says 'a file is missing'
run 2 contacts good.csv --json -o -;              says 'cannot both'
run 2 contcts good.csv;                           says "did you mean 'contacts'?"
run 2 xyzzy;                                      says "no command 'xyzzy'"
run 2;                                            says 'usage: scree COMMAND'
run 2 contacts good.csv --format cvs;             says 'did you mean csv?'
run 1 contacts .;                                 says '.:'
run 1 contacts . --format csv;                    says 'directory'
run 2 convert good.csv copy.abc;                  says 'copy.abc'; says 'csv'
run 2 convert good.csv copy.pvd;                  says '.vtp'
run 2 convert good.csv;                           says 'exactly one target'
run 2 demo --count 0;                             says '--count takes a whole number from 1'
run 2 demo --sizes uniform-sise:1:2;              says 'uniform-size'
run 2 demo --density 0.9 --count 100;             says 'density'
run 2 demo --density 2;                           says 'not between 0 and 1'
run 2 levels;                                     says 'give a file, or --sizes'
printf 'x,y,z,r\n' >none.csv
run 1 levels none.csv;                            says 'there are no spheres'
run 2 levels good.csv --count 3;                  says 'either a file, or'
run 2 levels --sizes mono:1 --count 5 --density 0; says 'between 0 and 1'
run 2 contacts good.csv --gap 1e300;              says '--gap 1e+300'
run 2 contacts good.csv --box 1e200,1,1;          says '1e+200'
run 2 contacts good.csv --periodic '';            says 'letters of axes'
run 2 contacts good.csv -o pairs.vtp;             says 'CSV only'
run 2 --verison;                                  says '--version'
printf 'x,y,z,r\n1,1,3,1\n2,2,3,1\n' >plane.csv
printf 'x,y,r\n1,3,0\n2,3,0\n' >line.csv
run 2 contacts line.csv --periodic y;             says 'give it with --box'
printf 'x,y,z,r\n1,1,1,1e-400\n' >bad.csv
run 1 contacts bad.csv;                           says 'bad.csv:2:'; says '1e-400'
run 1 demo --sizes table:none.csv;                says 'none.csv'

# What was there stays there.
cp old.csv keep.csv
printf 'x,y,z,r\n1,1,1,one\n' >bad.csv
run 1 convert bad.csv old.csv;                    same old.csv keep.csv
run 1 contacts bad.csv -o old.csv;                same old.csv keep.csv
run 1 convert good.csv good.csv/x.csv;            says 'good.csv/x.csv'
run 1 convert good.csv . --format csv;            says 'directory'
mkdir locked
chmod 555 locked
if [ "$(id -u)" -ne 0 ]; then
    run 1 convert good.csv locked/x.csv;          says 'Permission denied'
elif command -v setpriv >/dev/null && chmod 755 . && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$SCREE" -a -r good.csv; then
    setpriv --reuid 65534 --regid 65534 --clear-groups "$SCREE" convert good.csv locked/x.csv >out 2>err
    [ $? -eq 1 ] || fail "an unwritable directory was not refused"
    says 'Permission denied'
else
    echo "skipped: unwritable directory (no setpriv here)"
fi

# A full disk: a device that is always full, and a file system that fills up.
run 1 convert good.csv /dev/full --format csv;                 says '/dev/full: cannot be written: No space left'
run 1 contacts good.csv -o /dev/full;             says 'No space left'
"$SCREE" contacts good.csv >/dev/full 2>err; [ $? -eq 1 ] || fail "a full standard output went unnoticed"
says 'standard output: No space left'
run 0 demo --size 64x48 --count 4000 --quiet -o large.csv
mkdir small
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
    cp good.csv small/old.csv
    run 1 convert large.csv small/old.csv;        says 'small/old.csv: cannot be written: No space left'
    same good.csv small/old.csv
    [ "$(ls -A small)" = old.csv ] || fail "left behind on the full disk: $(ls -A small)"
    umount small
else
    echo "skipped: a file system that fills up (nothing can be mounted here)"
fi

# A limit on file sizes is an error like a full disk, not a death.
(ulimit -f 8; "$SCREE" convert large.csv limited.csv >out 2>err); [ $? -eq 1 ] || fail "file size limit: wrong exit code"
says 'File too large'
gone limited.csv

# A closed pipe ends the program quietly, as the signal would.
("$SCREE" convert large.csv - --format csv 2>err; echo $? >code) | head -n 1 >/dev/null
[ "$(cat code)" -eq 141 ] || fail "closed pipe: exit code $(cat code)"
[ ! -s err ] || fail "closed pipe: something was said"
no_leftovers
finish
