# scree measure and scree picture do what they say.
. "$(dirname "$0")/lib.sh"

# A cubic lattice in a periodic box: density pi/6, six neighbours.
{ echo x,y,z,r; for x in 0 1 2 3; do for y in 0 1 2 3; do for z in 0 1 2 3; do echo $x,$y,$z,0.5; done; done; done; } >lattice.csv
run 0 measure lattice.csv --periodic xyz --box 4,4,4 --json
json_is n 64; json_is contacts 0; json_is coordination 6; json_is max_overlap 0; json_is rattlers 0; json_is pairs 192
awk -v d="$(json density)" 'BEGIN { e = d - 0.5235987755982988; exit !(e < 1e-12 && e > -1e-12) }' || fail "density $(json density)"
run 0 measure lattice.csv --periodic xyz --box 4,4,4; prints coordination 0.523599
run 0 measure lattice.csv --periodic xyz --box 4,4,4 --bins 0 --order --structure --k-max 7 --k-bins 10 --json -o order
json_is order_bonds 192; json_is structure_vectors 182; json_is structure_k_max 7
awk -v a="$(json q4_global)" -v b="$(json q6_mean)" -v s="$(json structure_peak)" 'BEGIN { exit !(a - 0.763763 < 1e-6 && 0.763762 - a < 1e-6 && b - 0.353553 < 1e-6 && 0.353553 - b < 1e-6 && s > 1) }' || fail "Q4 $(json q4_global), q6 $(json q6_mean)"
[ "$(wc -l <order-order.csv)" = 51 ] && [ "$(wc -l <order-order-spheres.csv)" = 65 ] && [ "$(wc -l <order-structure.csv)" = 11 ] || fail "the tables of order have other lengths"
run 2 measure lattice.csv --structure; names 'axis x' periodic
run 2 measure lattice.csv --k-max 3; names --k-max --structure
run 2 measure lattice.csv --order --order-cutoff 0; names cutoff 0
run 0 measure lattice.csv --periodic xyz --box 4,4,4 --bins 0 --voxels 8,4,2 --porosity z --porosity-bins 4 --json -o space
awk -v s="$(json voxels_solid)" 'BEGIN { e = s - 0.5235987755982988; exit !(e < 1e-12 && e > -1e-12) }' && [ -s space-voxels.vti ] && [ -s space-voxels.npy ] && [ "$(wc -l <space-porosity.csv)" = 5 ] || fail "voxels: $(json voxels_solid)"
run 2 measure lattice.csv --voxels 8,4,2; names --out
run 2 measure lattice.csv --voxels 8,4 -o space; names 2 3D
run 2 measure lattice.csv --voxels 8,0,2 -o space; names --voxels 0
run 2 measure lattice.csv --porosity radius; names radius box
run 2 measure lattice.csv --porosity-bins 3; names --porosity
run 0 measure lattice.csv -o curves; [ -s curves-gr.csv ] && [ -s curves-sizes.csv ] && [ -s curves-gaps.csv ] || fail "curves are missing"
printf 'x,y,r\n1,1,1\n2.5,1,1\n' >two.csv
run 0 measure two.csv --box 5,5 --json; json_is contacts 1; json_is max_overlap 0.5
printf 'x,y,z,r\n' >none.csv
run 0 measure none.csv --box 1,1,1 --json; json_is n 0; json_is density 0
run 1 measure missing.csv; names missing.csv
run 2 measure lattice.csv --gap wide; names --gap "'wide'"

# Centres outside the box: the shift fits the centres as given.
printf 'x,y,z,r\n10.2,5,5,0.5\n-0.2,5,5,0.5\n' >outside.csv
run 0 measure outside.csv --box 10,10,10 --periodic xyz --json; prints '"max_overlap_shift": [1, 0, 0]'
run 2 measure lattice.csv --margin 100; names margin 100 'axis x'
[ "$(head -n 1 curves-summary.csv | cut -d, -f1,2,7)" = n,dim,density ] || fail "no summary as CSV"
# A box that the file leaves open is closed by the spheres.
printf '2\nLattice="10 0 0 0 0 0 0 0 0" pbc="T F F" Properties=pos:R:3:radius:R:1\n1 1 1 1\n5 5 5 1\n' >open.xyz
run 0 measure open.xyz --json; json_is n 2

# Every format, there and back.
run 0 demo --size 64x48 --count 500 --density 0.3 --sizes uniform-size:1:3 --picture demo.png -o spheres.csv
for extension in vtp xyz lammps npy csv; do
    run 0 convert spheres.csv copy.$extension --quiet
    run 0 convert copy.$extension back.csv --quiet
    cut -d, -f1-4 back.csv >back4.csv
    same back4.csv spheres.csv
    run 0 measure copy.$extension --json --quiet; json_is n 500
done

# Pictures: the same bytes for any number of threads; nothing lost on the way.
run 0 picture spheres.csv -o one.png --size 320x240 --threads 1
run 0 picture spheres.csv -o seven.png --size 320x240 --threads 7
same one.png seven.png
run 0 picture spheres.csv -o cut.png --size 320x240 --cut y:5; cmp -s cut.png one.png && fail "--cut changes nothing"
run 0 picture spheres.csv -o cutx.png --size 320x240 --cut x:5; cmp -s cut.png cutx.png && fail "--cut y is --cut x"
run 2 picture spheres.csv -o spheres.csv; names spheres.csv .png; run 0 measure spheres.csv --json --quiet; json_is n 500
run 2 picture spheres.csv -o one.png --zoom 0; names zoom 0
run 2 picture spheres.csv -o one.png --colour-by nosuch; names "'nosuch'" radius
printf 'x,y,z,r,v_x,v_y,v_z\n0,0,0,1,1,2,3\n3,0,0,1,4,5,6\n' >vectors.csv
run 0 picture vectors.csv -o vx.png --size 320x240 --colour-by v_x
run 0 picture vectors.csv -o v.png --size 320x240 --colour-by v; cmp -s vx.png v.png && fail "v_x is drawn as v"
cp one.png keep.png
run 1 picture missing.csv -o one.png; same one.png keep.png
run 2 picture spheres.csv -o one.png --map rainbow; names "'rainbow'" dusk; same one.png keep.png
run 0 picture spheres.csv -o - --size 64x48; head -c 4 out | grep -q PNG || fail "no PNG on standard output"
run 0 picture two.csv -o two.png --size 64x48
run 2 picture two.csv -o two.png --view 10,20; names +z
no_leftovers
finish
