# scree compare: equal runs, known differences of files, logs and scenes, mistakes.
. "$(dirname "$0")/lib.sh"

cat >fall.yaml <<'YAML'
dimension: 2
box: {size: [1, 1], periodic: [x]}
gravity: [0, -9.81]
materials: {"12": {material_density: 1000}, hard: {material_density: 2000}}
spheres:
- {count: 30, sizes: "uniform-size:0.03:0.05", place: random, material: hard, velocity: thermal, temperature: 0.1}
- {name: two, count: 9, sizes: "mono:0.04", place: random, material: "12", region: {lower: [0.1, 0.1], upper: [0.9, 0.6]}}
contact: {stiffness: 1e5, restitution: 0.5, friction: 0.4}
time: {end: 0.1}
output: {every: 0.02, formats: [xyz]}
YAML

# row NAME: the values behind this name in a table of the last output.
row() { awk -v name="$1" '$1 == name { $1 = ""; print substr($0, 2) }' out; }
row_is() { [ "$(row "$1")" = "$2" ] || fail "row $1 is '$(row "$1")', wanted '$2'"; }
lacks() { for key in "$@"; do ! grep -q "\"$key\"" out || fail "there is $key"; done; }

# ---- Runs ---------------------------------------------------------------------------------------------------------------

run 0 run fall.yaml -o one --json; hash=$(hash_of out)
run 0 run fall.yaml -o other --method octree --threads 2
run 0 compare one other --json
json_is kind '"runs"'; json_is equal true; json_is hash_a "\"$hash\""; json_is hash_b "\"$hash\""; json_is n_a 39; json_is n_only_b 0; json_is box_equal true
lacks differences log_differences scene_differences log_row
run 0 run fall.yaml -o third --set contact.friction=0.3 --set 'materials.12.material_density=1100' --set spheres.2.count=8 --json
third=$(hash_of out)
run 1 compare one third --json; names one third
json_is equal false; json_is hash_b "\"$third\""; json_is n_only_a 1; json_is n_b 38; json_is log_row 1; json_is log_step 0
run 1 compare one third
row_is contact.friction "0.4 0.3"; row_is spheres.2.count "9 8"; row_is materials.12.material_density "1000 1100"
[ -n "$(row position)" ] && [ -n "$(row velocity)" ] && [ -n "$(row spin)" ] && [ -z "$(row radius)" ] || fail "quantities that differ"
run 0 resume other --until 0.12
run 1 compare one other; row_is time.end "0.1 0.12"; prints "log rows b"
[ -z "$(row energy)" ] || fail "a longer run has the same rows"
# A log alone does not make runs differ, but it is told; work is left out.
copy one altered; awk -F, -v OFS=, 'NR == 3 { $6 = $6 * 2 } NR == 1 { for (c = 1; c <= NF; ++c) if ($c == "rebuilds") work = c } NR > 1 { $work += 7 } { print }' one/log.csv >altered/log.csv
run 0 compare one altered --json; json_is equal true; json_is log_row 2; json_is log_column '"energy"'
[ "$(grep -c '"column": \["energy"\]' out)" -eq 1 ] || fail "more columns than energy"
run 1 compare one/log.csv altered/log.csv; [ "$(row energy | cut -d' ' -f1,2,4)" = "1 2 0.5" ] || fail "energy differs by $(row energy)"
cut -d, -f1-5 one/log.csv | sed '$d' >short.csv
run 1 compare one/log.csv short.csv --json; json_is log_rows_b "$(($(json log_rows_a) - 1))"; grep -q log_only_a out || fail "columns that the other log lacks"

# ---- Files --------------------------------------------------------------------------------------------------------------

printf 'x,y,z,r,v_x,v_y,v_z,note,id\n0.1,0.2,0.3,0.1,1,2,3,a,5\n0.5,0.5,0.5,0.1,1,2,3,b,6\n' >a.csv
printf 'x,y,z,r,v_x,v_y,v_z,note,id\n0.5,0.5,0.5,0.1,1,2,3,b,6\n0.1,0.2,0.3,0.1,1,2,3,a,5\n' >turned.csv
run 0 compare a.csv turned.csv; run 0 compare a.csv a.csv
printf 'x,y,z,r,v_x,v_y,v_z,note,id\n0.5,0.5,0.5,0.2,4,6,3,c,6\n0.1,0.2,0.3,0.1,1,2,3,a,9\n' >b.csv
run 1 compare a.csv b.csv --json
json_is n_only_a 1; json_is n_only_b 1
run 1 compare a.csv b.csv
row_is velocity ""; row_is v "1 5 6"; row_is radius "1 0.1 6"; row_is note "1 - 6"; row_is position ""
cut -d, -f1-4 a.csv >plain.csv
run 1 compare a.csv plain.csv --json; json_is columns_only_a '["v", "note", "id"]'
# The shorter way: 0.02 across the periodic face, with another centre that does not move.
printf '2\nLattice="1 0 0 0 1 0 0 0 1" Properties=species:S:1:pos:R:3:radius:R:1 pbc="T F F"\nA 0.99 0.5 0.5 0.1\nA 0.5 0.95 0.5 0.1\n' >a.xyz
sed 's/^A 0.99/A 0.01/; s/0.95/0.05/' a.xyz >b.xyz
run 1 compare a.xyz b.xyz; row_is position "2 0.9 1"
sed 's/^A 0.99/A 0.01/' a.xyz >b.xyz
run 1 compare a.xyz b.xyz; row_is position "1 0.02 0"
sed 's/"T F F"/"T T F"/' a.xyz >b.xyz
run 1 compare a.xyz b.xyz --json; json_is box_equal false
printf '1\nLattice="1 0 0 0.25 1 0 0 0 1" Properties=species:S:1:pos:R:3:radius:R:1 pbc="T T F"\nA 0.5 0.75 0.5 0.1\n' >a.xyz
sed 's/^A 0.5 0.75/A 0.25 0.0/' a.xyz >b.xyz
run 1 compare a.xyz b.xyz; row_is position "1 0.25 0"  # to the image at 0.5, 1
frame=frames/frame_000005.xyz
run 0 compare one/$frame altered/$frame; run 1 compare one/$frame third/$frame

# ---- Mistakes: 2, so that 1 is a difference -----------------------------------------------------------------------------------

run 2 compare one one/log.csv; names one one/log.csv
run 2 compare one missing; names missing
run 2 compare a.csv missing.csv --json; names missing.csv; json_is exit_code 2
run 2 compare a.csv; run 2 compare a.csv b.csv c.csv
printf 'x,y,r\n1,1,1\n' >plane.csv
run 2 compare a.csv plane.csv; names a.csv plane.csv 2 3
sed 's/,9$/,6/' b.csv >twice.csv
run 2 compare a.csv twice.csv; names twice.csv 6
mkdir empty; run 2 compare one empty; names empty
sed '3s/,/;/' one/log.csv >odd.csv
run 2 compare one/log.csv odd.csv; names odd.csv:3
copy one cut; file=$(newest cut); head -c 500 "$file" >part; mv part "$file"
run 2 compare one cut; names "$file"
no_leftovers
finish
