# scree pack: every method, box and container; what is rejected; what is left when it is stopped.
. "$(dirname "$0")/lib.sh"
close() { awk -v a="$(json "$1")" -v b="$2" -v t="$3" 'BEGIN { e = a - b; exit !(e <= t && e >= -t) }' || fail "JSON key $1 is $(json "$1"), not $2 to $3"; }

# Random addition at a density, in every dimension and box; what it reports is what scree measure finds in the file.
run 0 pack --sizes uniform-volume:1:10 --count 2000 --method rsa --density 0.4 --periodic xyz -o packing.vtp --json
json_is n 2000; json_is max_overlap 0; json_is method '"rsa"'; json_is converged true; json_is periodic '"xyz"'
close density 0.4 1e-9; close predicted_density 0.7466 0.006; coordination=$(json coordination)
json_has density_inner coordination backbone_coordination seconds
prints '"mass_requested"'
run 0 measure packing.vtp --json; json_is n 2000; json_is contacts 0; close density 0.4 1e-9; json_is coordination "$coordination"
run 0 pack --sizes uniform-volume:1:10 --count 2000 --method rsa --density 0.4 --periodic xyz -o again.vtp --threads 1 --quiet
[ ! -s err ] || fail "--quiet is not quiet"
run 0 contacts again.vtp --json; json_is pairs 0
same packing.vtp again.vtp
run 0 pack --sizes uniform-volume:1:10 --count 2000 --method rsa --density 0.4 --periodic xyz -o other.vtp --seed 2
cmp -s packing.vtp other.vtp && fail "--seed changes nothing"
run 0 pack --sizes mono:1 --count 300 --method rsa --box 20,20,30 -o walls.xyz --json --check
json_is n 300; json_is periodic '"none"'; json_is predicted_density 0.6434853394531168
run 0 pack --sizes uniform-size:0.5:1.5 --method rsa --box 40,40 --density 0.4 --dim 2 -p x -o discs.csv --json --sampling random
json_is dim 2; json_is predicted_density null; close density 0.4 0.03; names discs.csv '--box 40,40 --periodic x'
run 0 pack --sizes mono:1 --count 100 --method rsa -o easy.csv --picture easy.png --size 64x48 --json; close density 0.15 1e-9
head -c 4 easy.png | grep -q PNG || fail "no picture"
run 0 pack --sizes mono:1 --count 10 --method rsa -o - --format csv --quiet; [ "$(wc -l <out)" -eq 11 ] || fail "not ten spheres on standard output"
printf 'd,passing_mass\n1,0\n2,0.4\n4,1\n' >sieve.csv
run 0 pack --sizes table:sieve.csv --count 1000 --method rsa --density 0.3 -o table.csv --json; json_is n 1000

# To saturation: no place is left, and so the density is known.
run 0 pack --sizes mono:0.5 --method rsa --saturate --box 20,20,20 --periodic xyz -o full.vtp --json
close density 0.3841 0.003; json_is max_overlap 0; json_is converged true
run 0 pack --sizes mono:0.5 --method rsa --saturate --count 5000 --dim 2 --periodic xy -o full.csv --json; close density 0.547 0.006; close n 5000 60
json_is saturated true; json_is full_from 0.5
# --count makes the cube that so many equal spheres would fill; of sizes that differ far more find room in it.
run 0 pack --sizes uniform-size:1:4 --method rsa --saturate --count 300 --dim 2 --periodic xy -o full.csv --json; n=$(json n)
[ "$n" -gt 450 ] || fail "$n spheres of uniform-size:1:4 in a cube for 300"
[ "$(($(wc -l <full.csv) - 1))" -eq "$n" ] || fail "the file does not have $n spheres"
# Of any law: in rounds until the smallest finds no place; or the list once, with what found none.
run 0 pack --sizes uniform-volume:0.5:2 --method rsa --saturate --box 30,30 --dim 2 --periodic xy -o law.vtp --json
json_is saturated true; json_is max_overlap 0; json_is converged true; prints '"found_room"'; close density 0.7 0.06
[ "$(json n)" -eq $(($(json listed) + $(json added))) ] || fail "n is not listed and added"
run 0 pack --sizes uniform-volume:0.5:2 --method rsa --saturate --box 30,30 --dim 2 --periodic xy --threads 2 -o again.vtp
same law.vtp again.vtp
run 0 pack --sizes uniform-size:0.5:1 --count 5000 --method rsa --saturate --rounds 1 --box 30,30 --dim 2 -o law.csv --json
json_is rounds 1; json_is added 0; json_is max_overlap 0; [ $(($(json listed) + $(json refused))) -eq 5000 ] || fail "listed and refused are not all"
run 0 pack --sizes uniform-size:0.5:1 --count 20 --method rsa --saturate --rounds 1 --box 30,30 --dim 2 -o law.csv --json
json_is saturated false; json_is refused 0; json_is n 20; json_is full_from null; names --rounds
run 0 pack --sizes uniform-size:0.5:1 --count 20 --method rsa --saturate --rounds 1 --box 30,30 --dim 2 -o law.csv --report law.html
grep -qw nan out && fail "a missing value is printed as nan"
[ -s law.html ] || fail "no report"
# A wrong option of a method gives one message.
for wrong in 'rsa --saturate --rounds x' 'drop --lowest x' 'rearrange --growth x' 'grow --rate x' 'dem --pressure x'; do
    run 2 pack --sizes mono:1 --count 20 -o wrong.vtp -q --method $wrong
    [ "$(wc -l <err)" -eq 1 ] || fail "$wrong: not one sentence"; gone wrong.vtp
done

# Dense: no overlap, the sizes as drawn, the same whatever finds the neighbours; the box is an outcome.
run 0 pack --sizes uniform-size:1:3 --count 400 --method rearrange --periodic xyz -o dense.vtp --json
json_is n 400; json_is max_overlap 0; json_is converged true; close density 0.64 0.03; json_is method '"rearrange"'
run 0 contacts dense.vtp --json --method all-pairs; json_is pairs 0
run 0 pack --sizes uniform-size:1:3 --count 400 --method rearrange --periodic xyz -o other.vtp --index hierarchical-grid --threads 2
same dense.vtp other.vtp
run 0 pack --sizes mono:1 --count 200 --method rearrange --dim 2 --box 2,1 -o flat.vtp --json; json_is max_overlap 0
run 0 pack --sizes mono:1 --count 100 --method rearrange --periodic xyz --stable --overlap 1e-4 -o stable.vtp --json --report stable.html
json_is converged true; json_has stable_rattlers stable_isostatic; close stable_coordination 6 0.4
run 2 pack --sizes mono:1 --count 10 --method drop --centre --stable -o x.csv; names --stable --centre
run 2 pack --sizes mono:1 --count 10 --method rearrange --overlap 1e-3 -o x.csv; names --overlap --stable
run 2 pack --sizes mono:1 --count 10 --method rearrange --stable --overlap 2 -o x.csv; names overlap 2
run 2 pack --sizes mono:1 --count 10 --method rearrange --density 0.5 -o x.csv; names --density rearrange
run 2 pack --sizes mono:1 --box 9,9,9 --method rearrange -o x.csv; names --count
run 2 pack --sizes mono:1 --count 10 --method rearrange --index rearrange -o x.csv
# One by one, as in the paper: valid, and the same whatever the index and the threads.
run 0 pack --sizes uniform-volume:1:5 --count 200 --method rearrange --moves one-by-one --tolerance 3e-3 --periodic xyz -o one.vtp --json
json_is max_overlap 0; json_is converged true; close density 0.67 0.04
run 0 pack --sizes uniform-volume:1:5 --count 200 --method rearrange --moves one-by-one --tolerance 3e-3 --periodic xyz -o two.vtp --index octree --threads 2
same one.vtp two.vtp
# The settings of the paper are those options, given by hand; the index and the threads do not matter, and options beside --as-paper win.
paper='--moves one-by-one --centres random --start-density 1 --margin 0.5 --margin-least 0.04 --growth 0.05'
run 0 pack --sizes uniform-volume:1:5 --count 200 --method rearrange --as-paper --periodic xyz -o paper.vtp --json
json_is max_overlap 0; json_is converged true; close density 0.67 0.04; close overlap_left 5e-4 5e-4; net=$(json density_net); whole=$(json density); left=$(json overlap_left)
awk -v n="$net" -v d="$whole" -v o="$left" 'BEGIN { c = (d / n) ^ (1 / 3); exit !(d <= n && c >= 1 - o - 1e-9) }' || fail "net density $net, density $whole, overlaps of $left"
run 0 pack --sizes uniform-volume:1:5 --count 200 --method rearrange $paper --attraction 1 --tolerance 1e-3 --periodic xyz --index octree --threads 2 -o hand.vtp
same paper.vtp hand.vtp
run 0 pack --sizes uniform-volume:1:5 --count 200 --method rearrange --as-paper --tolerance 2e-2 --attraction 0 --periodic xyz -o rough.vtp
run 0 pack --sizes uniform-volume:1:5 --count 200 --method rearrange $paper --tolerance 2e-2 --attraction 0 --periodic xyz -o hand.vtp
same rough.vtp hand.vtp
for alone in --as-paper '--centres random' '--margin 0.5' '--margin-least 0.5' '--attraction 1'; do
    run 2 pack --sizes mono:1 --count 10 --method grow $alone -o x.csv; names ${alone%% *} rearrange; gone x.csv
done
run 2 pack --sizes mono:1 --count 10 --method rearrange --attraction 1.5 -o x.csv; names attraction 1.5
run 2 pack --sizes mono:1 --count 10 --method rearrange --start-density 3 -o x.csv; names density 3
run 2 pack --sizes mono:1 --count 10 --method rearrange --margin 0.5 -o x.csv; names margin 0.5
run 2 pack --sizes mono:1 --count 10 --method rearrange --as-paper --margin 0.1 --margin-least 0.2 -o x.csv; names margin 0.1 0.2
run 2 pack --sizes mono:1 --count 10 --method rearrange --margin-least 0.2 -o x.csv; names margin 0.2
run 2 pack --sizes mono:1 --count 10 --method rearrange --centres dense -o x.csv; names "'dense'" random
run 2 pack --sizes mono:1 --count 10 --method rearrange --as-paper --margin -2 -o x.csv; names margin -2
run 0 pack --sizes mono:1 --count 30 --method rearrange --as-paper --margin -1 --margin-least 0 --tolerance 0.05 --periodic xyz -o index.vtp --json; json_is max_overlap 0
run 2 pack --sizes mono:1 --count 10 --method rearrange --moves one -o x.csv; names "'one'" one-by-one
run 2 pack --sizes mono:1 --count 10 --method rsa --moves one-by-one -o x.csv; names --moves rearrange
run 2 pack --sizes mono:1 --count 10 --method rsa --index octree -o x.csv; names --method --stable
run 2 pack --sizes mono:1 --count 10 --method rearrange --rate 0.1 -o x.csv; names --rate grow
run 0 pack --sizes mono:1 --count 20000 --method rearrange --growth 0.0001 --periodic xyz --time 0.5 -o soon.vtp --json
json_is converged false; json_is max_overlap 0; names soon.vtp

# Growth: to a density, into a box, until jammed; the same whatever finds the neighbours.
run 0 pack --sizes uniform-size:1:3 --count 400 --method grow --density 0.6 --rate 0.1 --periodic xyz -o grown.vtp --json
json_is n 400; json_is max_overlap 0; json_is converged true; close density 0.6 1e-9; json_is method '"grow"'; json_is jammed false
run 0 contacts grown.vtp --json --method all-pairs; json_is pairs 0
run 0 pack --sizes uniform-size:1:3 --count 400 --method grow --density 0.6 --rate 0.1 --periodic xyz -o other.vtp --index octree --threads 2
same grown.vtp other.vtp
run 0 pack --sizes uniform-size:1:3 --count 400 --method grow --density 0.6 --rate 0.1 --start-density 0 --periodic xyz -o points.vtp --json  # from points
json_is max_overlap 0; json_is converged true; close density 0.6 1e-9
run 2 pack --sizes mono:1 --count 10 --method rsa --start-density 0 -o x.csv; names --start-density grow rearrange
run 0 pack --sizes mono:1 --count 200 --method grow --box 12,12,12 --rate 0.1 -o box.vtp --json
json_is max_overlap 0; json_is converged true; json_is box_size '[12, 12, 12]'
run 0 pack --sizes mono:1 --count 300 --method grow --rate 0.01 --pressure 1e4 --periodic xyz -o jammed.vtp --json
json_is max_overlap 0; json_is converged true; json_is jammed true; close density 0.635 0.02
run 0 pack --sizes mono:1 --count 300 --method grow --rate 0.1 --pressure 1e4 --periodic xyz -o quick.vtp --json
json_is converged false; json_is jammed false; close slower_rate 0.025 1e-15; names 0.025
run 0 pack --sizes mono:1 --count 300 --method grow --rate 0.1 --density 0.64 --periodic xyz -o less.vtp --json; json_is max_overlap 0; json_is converged false
run 0 pack --sizes mono:0.5 --count 1000 --method grow --rate 0 --density 0.3 --collisions 200 --periodic xyz -o gas.vtp --json
close reduced_pressure 3.974 0.08; close collision_rate 10.067 0.2; close temperature 1 1e-9; close density 0.3 1e-9
run 0 pack --sizes mono:1 --count 4000 --method grow --rate 0.001 --density 0.63 --periodic xyz --time 0.3 -o soon.vtp --json
json_is converged false; json_is max_overlap 0; names soon.vtp
run 2 pack --sizes mono:1 --count 10 --method grow --pressure 0.5 -o x.csv; names pressure 0.5 1
run 2 pack --sizes mono:1 --count 10 --method grow --rate -1 -o x.csv; names rate -1

# Containers: inside by their own predicate, the density that of the container; measured again from the file.
run 0 pack --sizes uniform-size:0.3:0.6 --method rsa --container cylinder --box 9,9,12 --periodic z --density 0.25 -o can.vtp --json
json_is container '"cylinder"'; json_is max_overlap 0; json_is periodic '"z"'; close density 0.25 0.01; prints '"density_inner"'
run 0 measure can.vtp --json; close density 0.25 0.01; run 0 measure can.vtp --container box --json; close density 0.19635 0.008
run 0 pack --sizes mono:0.5 --count 400 --method rsa --container sphere -o ball.csv --json; close density 0.15 1e-9; json_is container '"sphere"'
python3 - <<'P' || fail "a sphere sticks out"
import csv, json, sys
box = json.load(open("out"))["box_size"]
for row in csv.DictReader(open("ball.csv")):
    d = [float(row[k]) - box[0] / 2 for k in "xyz"]
    if sum(x * x for x in d) ** 0.5 > box[0] / 2 - 0.5 + 1e-12: sys.exit(1)
P
run 0 pack --sizes mono:0.5 --method rsa --saturate --container sphere --box 30,30 --dim 2 -o disc.csv --json; json_is max_overlap 0; close density 0.534 0.025
run 0 pack --sizes mono:1 --count 3 --method rearrange --container sphere --dim 2 -o three.csv --json; json_is rattlers 0  # two others and the wall hold each
run 2 pack --sizes mono:1 --count 9 --method rsa --container cylinder --box 9,8,9 -o x.csv; names 'axis y' 8 9
run 2 pack --sizes mono:1 --count 9 --method rsa --container cylinder --box 9,9 --dim 2 -o x.csv; names 2D sphere
run 2 pack --sizes mono:1 --count 9 --method rsa --container cylinder --box 9,9,9 --periodic xz -o x.csv; names 'axis x'
run 2 pack --sizes mono:1 --count 9 --method rsa --container ball -o x.csv; names "'ball'" cylinder

# Deposition: no overlap, the height an outcome, the same for any number of threads.
run 0 pack --sizes mono:0.5 --count 4000 --method drop --box 14,14 --periodic xy -o heap.vtp --json
json_is n 4000; json_is max_overlap 0; json_is converged true; json_is method '"drop"'; json_is container '"box"'; close density_inner 0.582 0.01
close coordination 5.9 0.2; prints '"g_r"'; close g_max_at 1.0125 0.03
run 0 contacts heap.vtp --json --method all-pairs; json_is pairs 0
run 0 pack --sizes mono:0.5 --count 4000 --method drop --box 14,14 --periodic xy -o again.vtp --threads 2
same heap.vtp again.vtp
run 0 pack --sizes mono:0.5 --count 4000 --method drop --box 14,14 --periodic xy --lowest 5 -o low.vtp --json; close density_inner 0.595 0.01
for how in '--centre' '--container cylinder' '--container sphere' '--dim 2' '--dim 2 --centre' '--dim 2 --container sphere' '--dim 2 --box 20 --periodic x' '--box 9,9,3'; do
    run 0 pack --sizes uniform-size:0.2:1 --count 500 --method drop $how -o heap.csv --json --check
    json_is n 500; json_is max_overlap 0; json_is converged true
done
run 0 pack --sizes mono:0.5 --count 1000 --method drop --container sphere --box 6,6,6 -o full.csv --json; json_is converged false; names 1000 full.csv
run 0 pack --sizes mono:0.5 --count 1000000 --method drop --time 0.5 -o soon.npy --json; json_is converged false; json_is max_overlap 0; names 1000000 soon.npy
run 2 pack --sizes mono:1 --count 10 --method drop --box 9,9 --periodic z -o x.csv; names 'axis z'
run 2 pack --sizes mono:1 --count 10 --method drop --density 0.5 -o x.csv; names --density drop
run 2 pack --sizes mono:1 --count 10 --method drop --box 9 -o x.csv; names --box 1
run 2 pack --sizes mono:1 --count 10 --method drop --box 1,9 -o x.csv; names 'sphere 0' 2 1
run 2 pack --sizes mono:1 --count 10 --method drop --lowest 0 -o x.csv; names --lowest "'0'"
run 2 pack --sizes mono:1 --count 10 --method drop --centre --box 9,9,9 -o x.csv; names --centre --box
run 2 pack --sizes mono:1 --count 10 --method rsa --lowest 3 -o x.csv; names --lowest drop

# Compression: the pressure asked for, overlaps of its size, the same for any number of threads.
run 0 pack --sizes bidisperse:1.4 --dim 2 --count 400 --method dem --pressure 1e-3 --periodic xy -o pressed.vtp --json
json_is n 400; json_is converged true; json_is method '"dem"'; close density 0.842 0.01; close backbone_coordination 4.1 0.25
run 0 pack --sizes bidisperse:1.4 --dim 2 --count 400 --method dem --pressure 1e-3 --periodic xy -o again.vtp --threads 2 --index linked-cells
same pressed.vtp again.vtp
for seconds in 0.3 3 30; do  # on a busy machine a short time is over before there is a packing
    "$SCREE" pack --sizes mono:1 --count 8000 --method dem --pressure 1e-6 --time $seconds -o soon.vtp --json >out 2>err && break
done
json_is converged false; names soon.vtp
run 2 pack --sizes mono:1 --count 10 --method dem --pressure 0 -o x.csv; names pressure 0
run 2 pack --sizes mono:1 --count 10 --method dem --growth 0.1 -o x.csv; names --growth rearrange

# What is wrong is found before any work.
run 2 pack --sizes mono:1 --count 10 --method rsaa -o x.csv; names "'rsaa'" rsa
run 2 pack --count 10 --method rsa -o x.csv; names --sizes
run 2 pack --sizes mono:1 --count 10 --method rsa; names -o
run 2 pack --sizes mono:1 --count 10 --method rsa -o x.unknown; names x.unknown --format
run 2 pack --sizes mono:1 --method rsa -o x.csv; names --count
run 2 pack --sizes mono:1 --count 10 --method rsa --density 1.5 -o x.csv; names --density 1.5
run 2 pack --sizes mono:1 --count 10 --method rsa --density 0.2 --box 9,9,9 -o x.csv; names --count --density --box
run 2 pack --sizes mono:1 --count 10 --method rsa --box 9,9 -o x.csv; names --box 2 3D
run 2 pack --sizes mono:1 --count 10 --method rsa --box 9,9,0 -o x.csv; names --box 0 'axis z'
run 2 pack --sizes mono:1 --count 10 --method rsa --dim 2 --periodic z -o x.csv; names --periodic "'z'"
run 2 pack --sizes mono:1 --count 1000 --method rsa --density 0.7 -o x.csv; names 0.7 0.643
run 2 pack --sizes mono:1 --count 10 --method rsa --box 1,9,9 -o x.csv; names 'sphere 0' 2 1 'axis x'
run 2 pack --sizes mona:1 --count 10 --method rsa -o x.csv; names "'mona'" mono
run 1 pack --sizes table:missing.csv --count 10 --method rsa -o x.csv; names missing.csv
run 2 pack --sizes mono:1 --count 9 --method rsa --rounds 1 -o x.csv; names --rounds --saturate
run 2 pack --sizes mono:1 --count 9 --method drop --rounds 1 -o x.csv; names --rounds rsa
run 2 pack --sizes mono:1 --method rsa --saturate --box 9,9,9 --density 0.3 -o x.csv; names --saturate --density
run 2 pack --sizes mono:1 --method rsa --saturate -o x.csv; names --saturate --box
run 2 pack --sizes mono:1 --count 10 --method rsa -o - --format csv --json; names --json -o
run 2 pack --sizes mono:1 --count 10 --method rsa -o x.csv --picture x.gif; names x.gif .png
run 1 pack --sizes mono:1 --count 10 --method rsa -o missing/x.csv; names missing/x.csv

# Stopped, by the time or by Ctrl-C (130): the spheres that have a place, the largest, marked as not converged.
run 0 pack --sizes uniform-size:0.9:1.1 --count 100000 --method rsa --density 0.39 --periodic xyz --time 0.3 -o part.csv --json
json_is converged false; json_is max_overlap 0; names 100000 part.csv
run 0 contacts part.csv --json; json_is pairs 0
# The processor time is enough for some to have a place. The message may say how many, so it is not for SCREE_MESSAGES.
for how in '--sizes mono:1 --count 100000 --density 0.378' '--sizes mono:1 --saturate --count 1000000' '--sizes uniform-size:1:2 --saturate --count 300000'; do
    start pack --method rsa $how --periodic xyz -o target.csv
    await 60 worked $pid 30
    end INT 130
    names target.csv
    run 0 contacts target.csv --json; json_is pairs 0; [ "$(json n)" -gt 0 ] || fail "no sphere has a place"
    rm target.csv
done
no_leftovers
# Rearrangement that is stopped gives what there is, without overlaps.
start pack --sizes mono:1 --count 50000 --method rearrange --growth 0.0001 --periodic xyz -o stopped.vtp
await 60 worked $pid 30
end INT 130
names stopped.vtp
run 0 measure stopped.vtp --json; json_is contacts 0
# The checkpoint stays until the packing is written: here the picture is larger than files may be.
for stable in "" --stable; do
    rm -f kept.ckpt written.vtp
    if (ulimit -f 16 && exec "$SCREE" pack rearrange --sizes mono:1 --count 30 --periodic xyz $stable --checkpoint kept.ckpt --checkpoint-every 0 -o written.vtp --picture written.png --quiet) >out 2>err; then fail "a picture of more than 8 kB was written"; fi
    [ -s kept.ckpt ] || fail "the checkpoint is gone, and nothing was written ($stable)"
    run 0 pack rearrange --sizes mono:1 --count 30 --periodic xyz $stable --checkpoint kept.ckpt -o written.vtp --picture written.png
    [ ! -e kept.ckpt ] || fail "the checkpoint is left"
done

# Killed without warning, the same command goes on from its checkpoint, to the same bits, and removes it.
run 0 pack --sizes mono:1 --count 2500 --method rearrange --periodic xyz -o whole.vtp
start pack --sizes mono:1 --count 2500 --method rearrange --periodic xyz --checkpoint state.ckpt --checkpoint-every 0 -o killed.vtp --quiet
await 60 test -s state.ckpt
end KILL 137
gone killed.vtp
run_unrecorded 2 pack --sizes mono:1 --count 2500 --method rearrange --periodic xyz --checkpoint state.ckpt --seed 2 -o killed.vtp; names 2500 seed
run 0 pack --sizes mono:1 --count 2500 --method rearrange --periodic xyz --checkpoint state.ckpt --threads 1 -o killed.vtp; names state.ckpt
same whole.vtp killed.vtp; gone state.ckpt; rm -f state.ckpt.part
# The same while forces are balanced, which has a checkpoint of its own.
rm killed.vtp
run 0 pack rearrange --sizes mono:1 --count 200 --periodic xyz --stable -o whole.vtp
start pack rearrange --sizes mono:1 --count 200 --periodic xyz --stable --checkpoint state.ckpt --checkpoint-every 0 -o killed.vtp --quiet
await 60 test -s state.ckpt.stable
end KILL 137
gone killed.vtp; [ -s state.ckpt ] || fail "the checkpoint of the first stage is gone"
run_unrecorded 2 pack rearrange --sizes mono:1 --count 200 --periodic xyz --stable --overlap 1e-3 --checkpoint state.ckpt -o killed.vtp; names state.ckpt.stable settings
run 0 pack rearrange --sizes mono:1 --count 200 --periodic xyz --stable --checkpoint state.ckpt --threads 1 -o killed.vtp; names state.ckpt.stable
same whole.vtp killed.vtp; gone state.ckpt; gone state.ckpt.stable; rm -f state.ckpt.part state.ckpt.stable.part
# The same while spheres grow.
rm killed.vtp
run 0 pack grow --sizes uniform-size:1:2 --count 1501 --density 0.64 --rate 0.005 --periodic xyz -o whole.vtp
start pack grow --sizes uniform-size:1:2 --count 1501 --density 0.64 --rate 0.005 --periodic xyz --checkpoint state.ckpt --checkpoint-every 0 -o killed.vtp --quiet
await 60 test -s state.ckpt
end KILL 137
gone killed.vtp
run_unrecorded 2 pack grow --sizes uniform-size:1:2 --count 1501 --density 0.64 --rate 0.004 --periodic xyz --checkpoint state.ckpt -o killed.vtp; names state.ckpt 1501 settings
run 0 pack grow --sizes uniform-size:1:2 --count 1501 --density 0.64 --rate 0.005 --periodic xyz --checkpoint state.ckpt --threads 1 -o killed.vtp; names state.ckpt
same whole.vtp killed.vtp; gone state.ckpt; rm -f state.ckpt.part
printf 'nonsense' > state.ckpt
run 1 pack grow --sizes mono:1 --count 25 --density 0.3 --periodic xyz --checkpoint state.ckpt -o killed.vtp; names state.ckpt saved
run 1 pack --sizes mono:1 --count 25 --method rearrange --periodic xyz --checkpoint state.ckpt -o killed.vtp; names state.ckpt saved
run 2 pack --sizes mono:1 --count 25 --method rsa --checkpoint state.ckpt -o killed.vtp; names --checkpoint rearrange
run_unrecorded 1 pack --sizes mono:1 --count 25 --method rearrange --periodic xyz --checkpoint nowhere/state.ckpt -o unsaved.vtp; names nowhere; gone unsaved.vtp  # said before the work
# Recipes of any ratio: windows, and the density that follows.
run 0 pack --sizes fuller:1:5 --method hierarchical --count 150 --class-ratio 1.8 --repeats 1 -o mix.vtp --json
json_is method '"hierarchical"'; json_is recipe_levels 3; json_is max_overlap 0; close recipe_density 0.71 0.04
run 0 contacts mix.level-2.vtp --json; json_is pairs 0; run 0 contacts mix.level-3.vtp --json; json_is pairs 0; gone mix.level-4.vtp
run 2 pack --sizes mono:1 --method hierarchical --periodic xyz -o x.csv; names --periodic hierarchical
run 2 pack --sizes mono:1 --count 10 --method rsa --window 3 -o x.csv; names --window hierarchical
# So does deposition: the heap so far.
start pack --sizes mono:0.5 --count 1000000 --method drop -o stopped.npy
await 60 worked $pid 30
end INT 130
names 1000000 stopped.npy
run 0 measure stopped.npy --json; [ "$(json n)" -gt 0 ] || fail "no heap was written"
finish
