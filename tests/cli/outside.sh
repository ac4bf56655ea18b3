# What comes from outside and what goes there: paths, descriptors, links, names with control characters, endless files, pipes; and what files must keep.
. "$(dirname "$0")/lib.sh"

# ---- Paths and descriptors ---------------------------------------------------------------------------------------------------

printf 'x,y,r\n1,1,1\n5,5,1\n9,9,1\n' >three.csv
printf 'x,y,r\n1,1,1\n' >one.csv
cp three.csv old.csv
run 0 convert one.csv /proc/self/cwd/old.csv; same one.csv old.csv
run 0 convert one.csv /dev/stdout --format csv; same one.csv out
printf 'before\n' >log; "$SCREE" convert one.csv /dev/fd/3 --format csv 3>>log 2>err
[ "$(cat log)" = "$(printf 'before\n'; cat one.csv)" ] || fail "/dev/fd/3 does not go on where the descriptor stands"

cat >fall.yaml <<'END'
dimension: 2
box: {size: [1, 1], periodic: []}
gravity: [0, -9.81]
spheres: {count: 10, sizes: "mono:0.05", place: random, material_density: 1000, velocity: zero}
contact: {law: linear, stiffness: 1e5, restitution: 0.7}
time: {step: auto, end: 0.02}
output: {every: 0.01, animation: true}
seed: 3
END
rm -f out err
"$SCREE" run fall.yaml -o closed <&- >&- 2>&-  # standard output cannot be written, so that its exit code is 1
[ "$(awk -F, 'NF != 39' closed/log.csv | wc -l)" -eq 0 ] || fail "the log holds something else: $(awk -F, 'NF != 39' closed/log.csv | head -n 1)"
run 0 resume closed --json; [ "$(tail -n 1 closed/log.csv | cut -d, -f1)" = "$(json steps)" ] || fail "the log does not end with the run"

# ---- Links and the video -------------------------------------------------------------------------------------------------------

cp closed/log.csv precious; echo more >>precious; cp precious kept
mv closed/log.csv aside; ln -s ../precious closed/log.csv
run 1 resume closed; names closed/log.csv; same precious kept
rm closed/log.csv; mv aside closed/log.csv

mkdir bin
cat >bin/ffmpeg <<'END'
#!/bin/sh
for last; do :; done
echo "$last" >"$NAME_OF_VIDEO"
[ -f "$last" ] && [ ! -L "$last" ] && [ ! -s "$last" ] && echo video >"$last"
END
chmod +x bin/ffmpeg
for planted in animation.mp4 .animation.mp4.0.0.tmp; do
    ln -s ../precious "closed/$planted"
    PATH=$work/bin:$PATH run 1 resume closed --quiet; names "closed/$planted"; same precious kept
    rm "closed/$planted"
done
NAME_OF_VIDEO=$work/name_1 PATH=$work/bin:$PATH run 0 resume closed --quiet
NAME_OF_VIDEO=$work/name_2 PATH=$work/bin:$PATH run 0 resume closed --quiet
[ ! -L closed/animation.mp4 ] && [ "$(cat closed/animation.mp4)" = video ] || fail "there is no video"
cmp -s name_1 name_2 && fail "the temporary name of the video is the same each time: $(cat name_1)"

# ---- Names and texts -----------------------------------------------------------------------------------------------------------

# Only printable characters reach the terminal: no control character but line ends, none of C1, nothing that is not UTF-8.
plain() {
    LC_ALL=C grep -q '[[:cntrl:]]' "$1" && fail "$1 holds a control character: $(cat -v "$1" | head -n 1)"
    LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$1" && fail "$1 holds a C1 control: $(cat -v "$1" | head -n 1)"
    iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || fail "$1 is not UTF-8: $(cat -v "$1" | head -n 1)"
}
odd=$(printf 'a\033]0;X\007\302\233b\377\303\244')
run 1 measure "no$odd.csv"; plain err
printf 'x,y,r,c%s\n1,1,1,2\n' "$odd" >column.csv
run 0 convert column.csv column.lammps; plain err
cp one.csv "$odd.csv"
run 0 convert "$odd.csv" "$odd.xyz"; plain err
run 0 convert "$odd.csv" "$odd.xyz" --json; plain out
run 0 view "$odd.csv" -o page.html; plain err
iconv -f UTF-8 -t UTF-8 page.html >/dev/null 2>&1 || fail "the page is not UTF-8"
run 2 measure one.csv "--$odd"; plain err
run 2 "$odd"; plain err
printf '<VTKFile type="Collection"><Collection><DataSet timestep="0" file="gone\302\233.vtp"/></Collection></VTKFile>' >odd.pvd
run 1 view odd.pvd -o page.html; plain err
printf 'dimension: 2\nbox: {size: [1, 1]}\nbodies:\n- {file: "odd.txt", material_density: 1}\ntime: {end: 1}\ncontact: {stiffness: 1, restitution: 0.5}\n' >odd.yaml
printf 'polygon %s\n' "$odd" >odd.txt
run 1 run odd.yaml --check; names odd.txt:1; plain err

# ---- Endless files, closed pipes, help -------------------------------------------------------------------------------------------

run 1 measure /dev/zero --format xyz; names /dev/zero:1 67108864
(sleep 0.1; "$SCREE" measure three.csv 2>err; echo $? >code) | true
[ ! -s err ] || fail "a closed pipe is reported"
[ "$(cat code)" -eq 141 ] || fail "a closed pipe: exit code $(cat code)"
(sleep 0.1; "$SCREE" convert three.csv - --format csv 2>err; echo $? >code) | true
[ ! -s err ] && [ "$(cat code)" -eq 141 ] || fail "a closed pipe behind -: exit code $(cat code)"
if [ -w /dev/full ]; then run 1 convert three.csv -o /dev/full --format csv; names /dev/full; fi

run 0 resume --help
for option in out seed format check; do
    grep -q -- "--$option" out && fail "resume --help lists --$option"
    "$SCREE" resume closed "--$option" csv >out 2>err; [ $? -eq 2 ] || fail "resume --$option: not refused"
    names "--$option"
    run 0 resume --help
done

# ---- Containers --------------------------------------------------------------------------------------------------------------------

for container in cylinder sphere; do
    run 0 pack rearrange --sizes uniform-size:1:2 --count 100 --container $container -o packed.vtp --json
    density=$(json density)
    for extension in vtp xyz lammps npy; do
        run 0 convert packed.vtp copy.$extension; [ "$(grep -c note err)" -eq 0 ] || fail "$extension: something is left out"
        run 0 measure copy.$extension --json; json_is density "$density"; json_is container "\"$container\""
    done
    run 0 measure packed.vtp --container box --json; json_is container '"box"'
    [ "$(json density)" != "$density" ] || fail "--container box changes nothing"
    run 0 convert packed.vtp copy.csv; names "$container" copy.csv
    run 0 convert packed.vtp - --format npy; names "$container"  # a pipe has no file beside it
    run 0 picture packed.vtp -o packed.png --size 64x48 --quiet
    run 0 picture copy.npy -o copy.png --size 64x48 --quiet; same copy.png packed.png
    run 0 view copy.npy -o copy.html --quiet
    run 0 view packed.vtp -o packed.html --quiet
    for page in packed copy; do grep -aq "\"container\":\"$container\"" $page.html || fail "the page does not know the container"; done
    run 0 pack rearrange --sizes uniform-size:1:2 --count 100 --container $container -o packed.npy --json; json_is density "$density"; [ -f packed.npy.box ] || fail "no box"
    run 0 measure packed.npy --json; json_is density "$density"; json_is container "\"$container\""
    # Another array beside the box, and no box: a set without one takes it away.
    cp copy.npy other.npy; run 0 convert other.npy one-more.npy --quiet; [ -e one-more.npy.box ] && fail "a box from nowhere"
    head -c 200 packed.npy >other.npy; cp packed.npy.box other.npy.box; printf 'x,y,z,r\n1,1,1,1\n' >without.csv
    run 0 convert without.csv other.npy --quiet; [ -e other.npy.box ] && fail "the box of an earlier array is still there"
    cp packed.npy.box other.npy.box; run 1 measure other.npy; names other.npy.box 100 1; rm other.npy.box
    printf 'spheres: {file: packed.vtp, velocity: zero}\ncontact: {stiffness: 1e3, restitution: 0.5}\ntime: {end: 1e-3}\n' >round.yaml
    run 0 run round.yaml --check --json; json_is density "$density"
done
run 2 measure packed.vtp --container cone; names cone
run 2 measure one.csv --box 3,4 --container sphere; names 'axis y'
run 2 measure packed.vtp --bins 10; names --bins sphere

# ---- Frames of bodies ----------------------------------------------------------------------------------------------------------------

cat >bodies.yaml <<'END'
dimension: 2
box: {size: [0.2, 0.2]}
gravity: [0, -9.81]
bodies:
- {shape: disc, sizes: "mono:0.01", place: random, count: 40, region: [0, 0.05, 0.2, 0.2], material_density: 3}
contact: {stiffness: 2e3, restitution: 0.2}
time: {end: 0.002}
output: {every: 0.001}
END
run 0 run bodies.yaml -o discs --quiet
run 0 measure discs/frames/frame_000001.vtp --json; json_is n 40; json_is dim 2
run 0 convert discs/frames/frame_000001.vtp discs.csv; grep -q velocity_x discs.csv || fail "the columns of the discs are lost"
sed 's/^bodies:/&\n- {points: [[0, 0], [0.2, 0], [0.2, 0.01], [0, 0.01]], fixed: true}/' bodies.yaml >mixed.yaml
run 0 run mixed.yaml -o mixed --quiet
run 0 measure mixed/frames/frame_000001.vtp --json; json_is n 40; names mixed/frames/frame_000001.vtp 1
run 0 convert mixed/frames/frame_000001.vtp mixed.xyz; names 1; [ "$(head -n 1 mixed.xyz)" = 40 ] || fail "not 40 discs"
no_leftovers
finish
