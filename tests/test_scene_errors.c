// Scenes: what is wrong is reported with its line and column.
#include "scene_support.h"

// ---- Reading -----------------------------------------------------------------------------------------------------

#define BODIES(entry) "dimension: 2\nbox: {size: [1, 1]}\n" CONTACT TIME "bodies: [" entry "]\n"
#define LISTED(entry) "spheres:\n- {name: one, count: 1, sizes: 'mono:1', place: random}\n- " entry "\n"
#define GLASS "materials: {glass: {material_density: 2500}}\n"

// ---- What is wrong, and where ------------------------------------------------------------------------------------

static void check_refused(const char* text, size_t length, const char* message)
{
    scree_scene none, empty;
    memset(&none, 0x55, sizeof none);
    memset(&empty, 0, sizeof empty);
    scree_status status = parse_bytes(text, length, &none);
    if (status != SCREE_ERR_FORMAT || strncmp(scree_error_message(), "m.yaml:", 7) != 0 || !message_names(message))
        fail_msg("\"%.200s\"\n gives %d: %s\n wanted: %s", text, (int)status, status == SCREE_OK ? "" : scree_error_message(), message);
    assert_memory_equal(&none, &empty, sizeof none);
}

static void test_errors(void** state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        // Not a scene at all.
        {"", "m.yaml:1:1"},
        {"# nothing\n\n", "m.yaml:1:1"},
        {"---\n", "m.yaml:1:1"},
        {"- 1\n", "m.yaml:1:1 | `dimension: 2`"},
        {"\n  hello\n", "m.yaml:2:3 | `dimension: 2`"},
        {"seed: 1\n\xFF\n", "m.yaml:2:1 | UTF-8"},
        {"seed: \xC3\xA4\xC3", "m.yaml:1:8 | UTF-8"},
        {"seed: \xC0\x80", "m.yaml:1:7 | UTF-8"},
        {"seed: \xED\xA0\x80", "m.yaml:1:7 | UTF-8"},
        {"a: \xC3\xA4 \x07", "m.yaml:1:6"},
        {"a: 1\r\nb: \xE2\x80\xA8", "m.yaml:2:4"},
        {"box: {size: [1, 2\n", "m.yaml:2:1 | ',' | ']' | 1"},
        {"box: {size: [1, 2", "m.yaml:1:18"},
        {"time:\n\tstep: 1\n", "m.yaml:2:1 | YAML"},
        {"box: {size: [1, 2}\n", "m.yaml:1:18"},
        {"seed: 1\n---\nseed: 2\n", "m.yaml:2:1"},
        {"seed: &a 1\n", "m.yaml:1:7"},
        {"seed: 1\norder_every: *a\n", "m.yaml:2:14"},
        {"<<: *a\n", "m.yaml:1:5"},
        {"<<: {seed: 1}\n", "m.yaml:1:1 | '<<' | dimension"},
        {"box: &b {}\n", "m.yaml:1:6"},
        {"seed: !!int 1\n", "m.yaml:1:7 | yaml.org | 2002"},
        {"changes: !list []\n", "m.yaml:1:10"},
        {"? [a]\n: 1\n", "m.yaml:1:3"},
        {"? {a: 1}\n: 1\n", "m.yaml:1:3"},
        {"box: [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n", "m.yaml:1:21"},
        // Keys.
        {"sed: 1\n", "m.yaml:1:1 | 'sed'"},
        {REST "contakt: 1\n", "m.yaml:5:1 | 'contakt'"},
        {"contact: {law: linear, stifness: 3}\n", "m.yaml:1:24 | 'stifness' | stiffness"},
        {"restitution: 0.9\n", "m.yaml:1:1 | 'restitution' | contact.restitution"},
        {"time:\n  weather: fine\n", "m.yaml:2:3 | 'weather'"},
        {"changes:\n- at: 1\n  gravty: [0, 0, 1]\n", "m.yaml:3:3 | 'gravty' | gravity"},
        {"walls: {w: [1, 2]}\n", "m.yaml:1:9 | 'w'"},
        {"seed: 1\n\nseed: 1\n", "m.yaml:3:1 | 1"},
        {"contact: {law: linear,\n  law: linear}\n", "m.yaml:2:3 | contact.law | 1"},
        {"changes: [{at: 1, at: 2}]\n", "m.yaml:1:19 | changes.at | 1"},
        // Values of the wrong kind.
        {"dimension: 4\n", "m.yaml:1:12 | dimension | '4' | 2 | 3"},
        {"dimension: 2.5\n", "m.yaml:1:12 | dimension | '2.5'"},
        {"dimension: two\n", "m.yaml:1:12 | dimension | 'two'"},
        {"dimension: [2]\n", "m.yaml:1:12 | dimension"},
        {"dimension: {a: 2}\n", "m.yaml:1:12 | dimension"},
        {"dimension:\nseed: 1\n", "m.yaml:1:11 | dimension"},
        {"dimension: \"2\"\n", "m.yaml:1:12 | dimension | '2' | 2 | 3"},
        {"box: 3\n", "m.yaml:1:6 | '3'"},
        {"box: [1, 1, 1]\n", "m.yaml:1:6"},
        {"box: {size: 1}\n", "m.yaml:1:13 | box.size | '1' | 3 | 0"},
        {"box: {size: [1, 1]}\n", "m.yaml:1:13 | box.size | 2 | 3 | dimension"},
        {"dimension: 3\nbox: {size: [1, 1]}\n", "m.yaml:2:13 | box.size | 2 | 3 | dimension"},
        {"box: {size: [1, 1, 1]}\ndimension: 2\n", "m.yaml:1:13 | box.size | 3 | 2 | dimension"},
        {"box: {size: [1, 0, 1]}\n", "m.yaml:1:17 | entry 2 | box.size | '0' | 0"},
        {"box: {size: [1, 1e150, 1]}\n", "m.yaml:1:17 | entry 2 | box.size | '1e150' | 0 | 1e-140 | 1e140"},
        {"box: {size: [1, [1], 1]}\n", "m.yaml:1:17 | entry 2 | box.size"},
        {"box: {periodic: x}\n", "m.yaml:1:17 | box.periodic | 'x'"},
        {"box: {periodic: [x, w]}\n", "m.yaml:1:21 | entry 2 | box.periodic | 'w'"},
        {"box: {periodic: [x, foo]}\n", "m.yaml:1:21 | entry 2 | box.periodic | 'foo'"},
        {"box: {periodic: [x, y, x]}\n", "m.yaml:1:24 | box.periodic"},
        {"box: {periodic: [z]}\ndimension: 2\n", "m.yaml:1:18 | entry 1 | box.periodic | 'z'"},
        {"gravity: -9.81\n", "m.yaml:1:10 | gravity | '-9.81' | 3 | 2"},
        {"gravity: [0, 0, -9.81 m/s]\n", "m.yaml:1:17 | entry 3 | gravity | '-9.81 m/s' | 2"},
        {"gravity: [0, 0, nan]\n", "m.yaml:1:17 | entry 3 | gravity | 'nan'"},
        {"gravity: [0, 0, .inf]\n", "m.yaml:1:17 | entry 3 | gravity | '.inf'"},
        {"gravity: [0, 0, -inf]\n", "m.yaml:1:17 | entry 3 | gravity | '-inf'"},
        {"gravity: [0, 0, 1e400]\n", "m.yaml:1:17 | entry 3 | gravity | '1e400' | 2"},
        {"gravity: [0, 0, 1e-400]\n", "m.yaml:1:17 | entry 3 | gravity | '1e-400'"},
        {"gravity: [0, 0, 0x10]\n", "m.yaml:1:17 | entry 3 | gravity | '0x10'"},
        {"gravity: [0, 0, 1_000]\n", "m.yaml:1:17 | entry 3 | gravity | '1_000'"},
        {"gravity: [0, 0, 1:30]\n", "m.yaml:1:17 | entry 3 | gravity | '1:30'"},
        {"gravity: [0, 0, ]\n", "m.yaml:1:10 | gravity | 2"},
        {"gravity_turn: [0, 0, 1]\ndimension: 2\n", "m.yaml:1:15 | gravity_turn"},
        {"gravity_turn: 1\n", "m.yaml:1:15 | gravity_turn | '1' | 3"},
        {"contact: {stiffness: 1000, friction: 0,5}\n", "m.yaml:1:40 | '5' | contact | 0.5"},
        {"walls: {x: 1}\n", "m.yaml:1:12 | walls.x | '1' | 2"},
        {"walls: {x: [1, 2, 3]}\n", "m.yaml:1:12 | walls.x | 3 | 2"},
        {"walls: {z: [1, 2]}\ndimension: 2\n", "m.yaml:1:12 | walls.z | axis z | dimension | 2"},
        {"walls: {x: [1, 2]}\nbox: {size: [1, 1, 1], periodic: [x]}\n", "m.yaml:1:12 | walls.x | axis x"},
        {"spheres: {count: -1}\n", "m.yaml:1:18 | spheres.count | '-1' | 0 | 2147483647"},
        {"spheres: {count: 2147483648}\n", "m.yaml:1:18 | spheres.count | '2147483648'"},
        {"spheres: {count: 1.5}\n", "m.yaml:1:18 | spheres.count | '1.5'"},
        {"spheres: {count: 7e3x}\n", "m.yaml:1:18 | spheres.count | '7e3x'"},
        {"spheres: {file: []}\n", "m.yaml:1:17 | spheres.file"},
        {"spheres: {file: ''}\n", "m.yaml:1:17 | spheres.file | ''"},
        {"spheres: {file: \"a\\nb\"}\n", "m.yaml:1:17 | spheres.file"},
        {"spheres: {file: \"a\\0b\"}\n", "m.yaml:1:17 | spheres.file"},
        {"spheres: {place: latice}\n", "m.yaml:1:18 | spheres.place | 'latice'"},
        {"spheres: {place: [grow]}\n", "m.yaml:1:18 | spheres.place"},
        {"spheres: {place: somewhere}\n", "m.yaml:1:18 | spheres.place | 'somewhere'"},
        {"spheres: {velocity: 3}\n", "m.yaml:1:21 | spheres.velocity | '3' | 3"},
        {"spheres: {velocity: [1, 2]}\n", "m.yaml:1:21 | spheres.velocity | 2 | 3"},
        {"spheres: {density: 1}\n", "m.yaml:1:20 | spheres.density | '1' | 0 | 1"},
        {"contact: {law: cundall}\n", "m.yaml:1:16 | contact.law | 'cundall' | linear | record | hertz"},
        {"contact: {mu: 0.5}\n", "m.yaml:1:11 | 'mu' | friction"},
        {"spheres: {omega: [0, 0, 1]}\n", "m.yaml:1:11 | 'omega' | spin"},
        {"contact: {stiffness: -1}\n", "m.yaml:1:22 | contact.stiffness | '-1' | 0"},
        {"contact: {stiffness: 1e7N}\n", "m.yaml:1:22 | contact.stiffness | '1e7N' | 0"},
        {"contact: {restitution: 1.01}\n", "m.yaml:1:24 | contact.restitution | '1.01' | 0 | 1"},
        {"contact: {restitution: 0}\n", "m.yaml:1:24 | contact.restitution | '0'"},
        {"time: {step: fast}\n", "m.yaml:1:14 | time.step | 'fast' | 0"},
        {"time: {step: 0}\n", "m.yaml:1:14 | time.step | '0'"},
        {"time:\n  step: 1,5\n", "m.yaml:2:9 | time.step | '1,5' | 0"},
        {"time: {steps: -1}\n", "m.yaml:1:15 | time.steps | '-1' | 0 | 1000000000000000"},
        {"search: {method: octre}\n", "m.yaml:1:18 | search.method | 'octre'"},
        {"search: {cell_sizes: []}\n", "m.yaml:1:22 | search.cell_sizes | 0 | 1 | 64"},
        {"search: {cell_sizes: 4}\n", "m.yaml:1:22 | search.cell_sizes | '4' | 0"},
        {"search: {cell_sizes: [1, a]}\n", "m.yaml:1:26 | entry 2 | search.cell_sizes | 'a'"},
        {"output: {contacts: yes}\n", "m.yaml:1:20 | output.contacts | 'yes'"},
        {"output: {contacts: \"true\"}\n", "m.yaml:1:20 | output.contacts | 'true'"},
        {"output: {formats: vtp}\n", "m.yaml:1:19 | output.formats | 'vtp'"},
        {"output: {formats: [vtk]}\n", "m.yaml:1:20 | output.formats | 'vtk'"},
        {"output: {formats: [csv, auto]}\n", "m.yaml:1:25 | entry 2 | output.formats | 'auto'"},
        {"output: {formats: [vtp, vtp]}\n", "m.yaml:1:25 | output.formats"},
        {"checkpoint: {every: 1m}\n", "m.yaml:1:21 | checkpoint.every | '1m' | 1"},
        {"checkpoint: {every: 0s}\n", "m.yaml:1:21 | checkpoint.every | '0s'"},
        {"checkpoint: {every: -1s}\n", "m.yaml:1:21 | checkpoint.every | '-1s'"},
        {"checkpoint: {every: 0}\n", "m.yaml:1:21 | checkpoint.every | '0'"},
        {"checkpoint: {every: s}\n", "m.yaml:1:21 | checkpoint.every | 's'"},
        {"checkpoint: {every: 1.5}\n", "m.yaml:1:21 | checkpoint.every | '1.5'"},
        {"checkpoint: {every: nans}\n", "m.yaml:1:21 | checkpoint.every | 'nans'"},
        {"seed: -1\n", "m.yaml:1:7 | '-1' | 0 | 9223372036854775807"},
        {"seed: 9223372036854775808\n", "m.yaml:1:7 | '9223372036854775808'"},
        {"seed: 1 2\n", "m.yaml:1:7 | '1 2'"},
        {"changes: {at: 1}\n", "m.yaml:1:10"},
        {"time: {end: 1}\nchanges:\n- {at: 1, gravity: [0, 0, 1]}\n- {at: 1.5, gravity: [0, 0, 1]}\n", "m.yaml:4:8 | changes.at | 1.5 | time.end | 1"},
        {"changes: [1]\n", "m.yaml:1:11 | entry 1 | '1'"},
        {"changes:\n- gravity: [0, 0, 1]\n", "m.yaml:2:3 | changes.at"},
        {"changes: [{at: 1}]\n", "m.yaml:1:11 | gravity | gravity_turn"},
        {"changes:\n- {at: 1, walls: {}}\n- {at: 1, walls: {}}\n", "m.yaml:3:8 | changes.at | 1 | order"},
        {"changes: [{at: -1, walls: {}}]\n", "m.yaml:1:16 | changes.at | '-1' | 0"},
        {"changes: [{at: 1, walls: {x: [1, 1]}}]\nbox: {periodic: [x], size: [1, 1, 1]}\n", "m.yaml:1:30 | changes.walls.x | axis x"},
        // Bodies.
        {"dimension: 2\nbox: {size: [1, 1]}\ncontact: {law: record, stiffness: 1}\n" TIME "bodies: [{shape: disc, sizes: 'mono:0.1', at: [[0.5, 0.5]]}]\n",
         "m.yaml:3:16 | contact.law | 'record' | linear"},
        {BODIES("{}"), "m.yaml:5:10 | bodies.shape | bodies.points | bodies.wall | bodies.file"},
        {BODIES("{shape: disc}"), "m.yaml:5:10 | bodies.sizes | bodies.shape | bodies.place | bodies.at"},
        {BODIES("{shape: disk}"), "m.yaml:5:18 | bodies.shape | 'disk'"},
        {BODIES("{wall: [[0, 0], [1, 1]]}"), "m.yaml:5:10 | bodies.thickness | bodies.wall"},
        {BODIES("{wall: [[0, 0], [0, 0]], thickness: 1}"), "m.yaml:5:17 | bodies.wall | point 0"},
        {BODIES("{points: [[0, 0], [1, 1], [1, 0], [0, 1]]}"), "m.yaml:5:19 | bodies.points"},
        {BODIES("{points: [[0, 0], [1]]}"), "m.yaml:5:28 | entry 2 | bodies.points | 0 | 1.5"},
        {BODIES("{points: [[0, 0], [1, x]]}"), "m.yaml:5:32 | entry 2 | bodies.points | 'x'"},
        {BODIES("{points: [], shape: disc}"), "m.yaml:5:19 | bodies.points"},
        {BODIES("{file: a, shape: disc}"), "m.yaml:5:20 | bodies.shape | bodies.file | 5"},
        {BODIES("{file: a, place: random, at: [[0, 0]]}"), "m.yaml:5:35 | bodies.at | bodies.place | 5"},
        {BODIES("{file: a, count: 3}"), "m.yaml:5:20 | bodies.count | bodies.place"},
        {BODIES("{file: a, sizes: 'mono:1'}"), "m.yaml:5:20 | bodies.sizes | bodies.shape"},
        {BODIES("{file: a, fixed: true, material_density: 2}"), "m.yaml:5:33 | bodies.material_density"},
        {BODIES("{file: a, place: random, region: [0, 0, 1]}"), "m.yaml:5:43 | bodies.region"},
        {BODIES("{file: a, place: random, region: [0, 1, 1, 0]}"), "m.yaml:5:43 | bodies.region | 1 | 0"},
        {BODIES("{shape: ell, vertices: 6, sizes: 'mono:1', place: random}"), "m.yaml:5:23 | bodies.vertices | bodies.shape"},
        {BODIES("{shape: star, vertices: 3, sizes: 'mono:1', place: random}"), "m.yaml:5:34 | bodies.vertices | 3 | 4"},
        {BODIES("{shape: disc, sizes: 'mono:-1', place: random}"), "m.yaml:5:31 | bodies.sizes | 'mono:-1'"},
        {BODIES("{shape: disc, place: grow, sizes: 'mono:1'}"), "m.yaml:5:31 | bodies.place | 'grow'"},
        {BODIES("{file: a}") "walls: {x: [0, 1]}\n", "m.yaml:6:9 | walls.x"},
        {BODIES("{file: a}") "gravity_turn: 1\n", "m.yaml:6:1 | gravity_turn"},
        {"dimension: 2\nbox: {size: [1, 1]}\nbodies: [{file: a}]\ncontact: {stiffness: 1}\ntime: {end: 1, integrator: position-verlet}\n",
         "m.yaml:5:16 | time.integrator"},
        {BODIES("{file: a}") "search: {method: linked-cells, cell_size: 1}\n", "m.yaml:6:32 | search.cell_size"},
        {BODIES("{file: a}") "changes: [{at: 1, gravity_turn: 1}]\n", "m.yaml:6:19 | changes.gravity_turn"},
        {BODIES("{file: a}") "output: {formats: [vtp, xyz]}\n", "m.yaml:6:19 | output.formats"},
        {BODIES("{file: a}") "spheres: {velocity: zero}\n", "m.yaml:6:11 | spheres.velocity"},
        {BODIES("{file: a}") "spheres: {count: 3}\n", "m.yaml:6:10 | spheres.sizes | spheres.place"},
        {"bodies: [{file: a}]\n", "m.yaml:1:9 | dimension | 2"},
        // Lists of spheres, materials, forces.
        {CONTACT TIME BOX "spheres: 3\n", "m.yaml:4:10 | spheres | '3'"},
        {CONTACT TIME BOX "spheres: [3]\n", "m.yaml:4:11 | entry 1 | '3'"},
        {CONTACT TIME BOX "spheres: []\n", "m.yaml:1:1 | spheres.count"},
        {CONTACT TIME BOX LISTED("{count: 1}"), "m.yaml:6:3 | spheres.sizes | spheres.place"},
        {CONTACT TIME BOX LISTED("{coun: 1}"), "m.yaml:6:4 | 'coun' | count"},
        {CONTACT TIME BOX LISTED("{count: 1, count: 2}"), "m.yaml:6:14 | spheres.count | 6"},
        {CONTACT TIME LISTED("{count: 1, sizes: 'mono:1', place: random}"), "m.yaml:1:1 | box.size | spheres.density"},
        {CONTACT TIME BOX LISTED("{count: 1, sizes: 'mon:1', place: random}"), "m.yaml:6:21 | spheres.sizes | 'mon:1'"},
        {CONTACT TIME BOX LISTED("{count: 1, sizes: 'mono:1', place: random, spacing: 1}"), "m.yaml:6:46 | spheres.spacing | spheres.place"},
        {CONTACT TIME BOX LISTED("{count: 1, sizes: 'mono:1', place: random, velocity: file}"), "m.yaml:6:56 | spheres.velocity | 'file'"},
        {CONTACT TIME BOX LISTED("{file: a, sizes: 'mono:1'}"), "m.yaml:6:13 | spheres.sizes | spheres.file"},
        {CONTACT TIME BOX LISTED("{file: a, name: one}"), "m.yaml:6:19 | spheres.name | 1 | one"},
        {CONTACT TIME BOX LISTED("{file: a, name: -one}"), "m.yaml:6:19 | spheres.name | '-one'"},
        {CONTACT TIME BOX LISTED("{file: a, name: 'o ne'}"), "m.yaml:6:19 | spheres.name | 'o ne'"},
        {CONTACT TIME BOX LISTED("{file: a, name: []}"), "m.yaml:6:19 | spheres.name"},
        {CONTACT TIME BOX LISTED("{file: a, fixed: 1}"), "m.yaml:6:20 | spheres.fixed | '1' | true"},
        {CONTACT TIME BOX LISTED("{file: a, fixed: true, velocity: [0, 0, 1]}"), "m.yaml:6:36 | spheres.velocity | spheres.fixed | zero"},
        {CONTACT TIME BOX LISTED("{file: a, fixed: true, force: [0, 0, 1]}"), "m.yaml:6:33 | spheres.force | spheres.fixed"},
        {CONTACT TIME BOX LISTED("{file: a, force: [0, 1]}"), "m.yaml:6:20 | spheres.force | 2 | 3"},
        {CONTACT TIME BOX LISTED("{count: 1, sizes: 'mono:1', place: grow}"), "m.yaml:5:49 | spheres.place | entry 2 | grow"},
        {CONTACT TIME LISTED("{file: a}") "box: {aspect: [1, 1, 1]}\n", "m.yaml:6:7 | box.aspect | spheres.density"},
        {CONTACT TIME LISTED("{count: 1, sizes: 'mono:1', place: random, density: 0.1}\n- {file: a}"), "m.yaml:5:55 | spheres.density | 0.1 | entry 3 | box.size"},
        {CONTACT TIME LISTED("{count: 1, sizes: 'mono:1', place: random, density: 0.6}\n- {count: 1, sizes: 'mono:1', place: random, density: 0.5}"),
         "m.yaml:5:55 | spheres.density | 1.1"},
        {CONTACT TIME BOX LISTED("{count: 1, sizes: 'mono:1', place: random, density: 0.5}"), "m.yaml:3:7 | box.size | spheres.density"},
        {CONTACT TIME BOX LISTED("{file: a, material: glass}"), "m.yaml:6:13 | spheres.material | materials"},
        {CONTACT TIME BOX "spheres: {file: a, material: glass}\n", "m.yaml:4:20 | spheres.material | materials"},
        {CONTACT TIME BOX GLASS "spheres: {count: 1, sizes: 'mono:1', place: random}\n", "m.yaml:5:10 | spheres.material"},
        {CONTACT TIME BOX GLASS "spheres: {file: a, material: glas}\n", "m.yaml:5:30 | spheres.material | 'glas' | glass"},
        {CONTACT TIME BOX GLASS "spheres: {file: a, material: steel}\n", "m.yaml:5:30 | spheres.material | 'steel' | glass"},
        {CONTACT TIME BOX GLASS "spheres: {file: a, material: [glass]}\n", "m.yaml:5:30 | spheres.material"},
        {CONTACT TIME BOX GLASS "spheres: {file: a, material: glass, material_density: 3}\n", "m.yaml:5:37 | spheres.material_density | materials"},
        {CONTACT TIME BOX GLASS "spheres: [{file: a, material: glass, material_density: 3}]\n", "m.yaml:5:38 | spheres.material_density | materials"},
        {"materials: [a]\n", "m.yaml:1:12 | materials"},
        {"materials: {a: 1}\n", "m.yaml:1:16 | materials.preset | '1'"},
        {"materials: {a: {}}\n", "m.yaml:1:16 | materials.material_density"},
        {"materials: {a: {yung: 1}}\n", "m.yaml:1:17 | 'yung' | materials | young"},
        {"materials: {a: {material_density: 0}}\n", "m.yaml:1:35 | materials.material_density | '0'"},
        {"materials: {a: {material_density: 1}, a: {material_density: 1}}\n", "m.yaml:1:39 | materials | a"},
        {"materials: {a b: {material_density: 1}}\n", "m.yaml:1:13 | materials | 'a b'"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: [1, 2, 3]}]\n", "m.yaml:7:26 | changes.force | 3"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: {three: [1, 2, 3]}}]\n", "m.yaml:7:27 | changes.force | 'three' | one | two"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: {two: 3}}]\n", "m.yaml:7:32 | changes.force | '3'"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: {two: [1, 2]}}]\n", "m.yaml:7:32 | changes.force | 2 | 3"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: {two: [1, 2, x]}}]\n", "m.yaml:7:39 | entry 3 | changes.force | 'x'"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: {two: [1, 2, 3], two: [1, 2, 3]}}]\n", "m.yaml:7:43 | changes.force | two"},
        {CONTACT TIME BOX LISTED("{file: a, name: two, fixed: true}") "changes: [{at: 1, force: {two: [1, 2, 3]}}]\n", "m.yaml:7:27 | changes.force | two | fixed"},
        {REST "changes: [{at: 1, force: {two: [1, 2, 3]}}]\n", "m.yaml:5:27 | changes.force | 'two'"},
        {BODIES("{file: a}") "changes: [{at: 1, force: {two: [1, 2]}}, {at: 2, gravity: [0, 1]}]\n", "m.yaml:6:26 | changes.force | bodies"},
        {BODIES("{file: a}") "spheres: [{file: a, force: [1, 2]}]\n", "m.yaml:6:21 | spheres.force | bodies"},
        {BODIES("{file: a}") "spheres: [{count: 1, sizes: 'mono:1', place: random, density: 0.5}]\n", "m.yaml:6:54 | spheres.density | bodies"},
        // What is missing.
        {"seed: 1\n", "m.yaml:1:1 | box.size | spheres.density | spheres.count | spheres.file | spheres.sizes | spheres.place | contact.stiffness | contact.duration | contact.overlap | contact.speed | time.end | time.steps"},
        {CONTACT TIME BOX "spheres:\n  count: 3\n", "m.yaml:5:3 | spheres.sizes | spheres.place"},
        {CONTACT TIME BOX "spheres: {}\n", "m.yaml:4:10 | spheres.count | spheres.file | spheres.sizes | spheres.place"},
        {CONTACT TIME MADE "box: {periodic: [x]}\n", "m.yaml:4:6 | box.size | spheres.density"},
        {CONTACT BOX MADE "time: {step: 1}\n", "m.yaml:4:7 | time.end | time.steps"},
        {TIME BOX MADE "contact: {overlap: 0.1}\n", "m.yaml:4:10 | contact.speed | contact.overlap"},
        {TIME BOX MADE "contact:\n  restitution: 0.1\n", "m.yaml:5:3 | contact.stiffness"},
        // What does not go together.
        {"contact:\n  duration: 1\n  stiffness: 1\n", "m.yaml:3:3 | contact.stiffness | contact.duration | 2"},
        {"contact: {overlap: 1, stiffness: 1}\n", "m.yaml:1:23 | contact.stiffness | contact.overlap | 1"},
        {"contact: {damping: 1,\n restitution: 1}\n", "m.yaml:2:2 | contact.restitution | contact.damping | 1"},
        {"time: {end: 1, steps: 1}\n", "m.yaml:1:16 | time.steps | time.end | 1"},
        {"output: {every: 1, every_steps: 1}\n", "m.yaml:1:20 | output.every_steps | output.every | 1"},
        {CONTACT TIME "spheres: {file: a, count: 3}\n", "m.yaml:3:20 | spheres.count | spheres.file"},
        {CONTACT TIME "spheres: {file: a, density: 0.5}\n", "m.yaml:3:20 | spheres.density"},
        {CONTACT TIME "spheres: {file: a}\nbox: {periodic: [x]}\n", "m.yaml:4:7 | box.periodic | box.size"},
        {CONTACT TIME "spheres: {file: a, spacing: 1}\n", "m.yaml:3:20 | spheres.spacing | spheres.place"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mono:1', place: grow, spacing: 1}\n", "m.yaml:4:51 | spheres.spacing | spheres.place"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mono:1', place: grow, density: 0.5}\n", "m.yaml:3:7 | box.size | spheres.density"},
        {REST "seed: 1\noutput: {}\nsearch: {}\ncheckpoint: {}\nwalls: {}\ntim: 1\n", "m.yaml:10:1 | 'tim'"},
        {CONTACT TIME MADE "box: {size: [1, 1, 1], aspect: [1, 1, 1]}\n", "m.yaml:4:24 | box.aspect | spheres.density"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mono:1', place: grow, temperature: 1}\n", "m.yaml:4:51 | spheres.temperature | spheres.velocity"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mono:1', place: grow, velocity: thermal, temperature: 1, overlap: 0.1}\n",
         "m.yaml:4:86 | spheres.overlap | spheres.velocity"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mono:1', place: grow, velocity: file}\n", "m.yaml:4:61 | spheres.velocity | 'file'"},
        {TIME BOX MADE "contact: {stiffness: 1, speed: 1}\n", "m.yaml:4:25 | contact.speed | contact.overlap"},
        // What other rooms say.
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mon:1', place: grow}\n", "m.yaml:4:28 | spheres.sizes | 'mon:1' | 'mon' | 'mono'"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'table:', place: grow}\n", "m.yaml:4:28 | spheres.sizes | 'table:'"},
        {REST "search: {cell_size: 1}\n", "m.yaml:5:21 | search.cell_size | cell_size | linked-cells"},
        {REST "search: {cell_sides: [1, 2, 3]}\n", "m.yaml:5:22 | search.cell_sides | cell_sides | linked-cells"},
        {REST "search: {method: linked-cells, cell_sides: [1, 2]}\n", "m.yaml:5:44 | search.cell_sides | 2 | 3"},
        {REST "search: {method: linked-cells, cell_sides: [1, 2, 0]}\n", "m.yaml:5:51 | search.cell_sides | 0"},
        {REST "search: {method: linked-cells, cell_sides: 3}\n", "m.yaml:5:44 | search.cell_sides | 3"},
        {REST "search: {method: linked-cells, cell_size: 3, cell_sides: [3, 4, 5]}\n", "m.yaml:5 | search | cell_size | cell_sides"},
        {REST "search: {levels: 3, method: octree}\n", "m.yaml:5:18 | search.levels | hierarchical-grid"},
        {REST "search: {method: hierarchical-grid, cell_sizes: [2, 1]}\n", "m.yaml:5:49 | search.cell_sizes | 2 | 1"},
        {REST "search:\n  method: hierarchical-grid\n  cell_sizes: [1, 2]\n  levels: 3\n", "m.yaml:6:3 | 3 | 2"},
        {CONTACT TIME MADE "box: {size: [1, 1, 1], origin: [0, 1e20, 0]}\n", "m.yaml:4:13 | box.size | box.origin"},
        {CONTACT TIME MADE "box: {size: [1e140, 1, 1], origin: [1e140, 1, 0]}\n", "m.yaml:4:13 | box.size | axis x | 1e+140 | 2e+140"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n)
        check_refused(cases[n].text, strlen(cases[n].text), cases[n].message);
    // A suggestion is never the key itself.
    check_refused("changes: [{at: 1, bodies: []}]\n", 31, "m.yaml:1:19 | changes.bodies");
    assert_null(strstr(scree_error_message(), "did you mean"));
    check_refused("a: \0", 4, "m.yaml:1:4: a NUL byte");
    check_refused("\xFF\xFE" "a\0:\0", 6, "m.yaml:1:1: this is not UTF-8");
}

static void test_numbers(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        double value;
    } cases[] = {{"1e7", 1e7}, {"1.0e-3", 1e-3}, {".5", 0.5}, {"5.", 5.0}, {"+2", 2.0}, {"0.1", 0.1}, {"1E+2", 100.0}, {"010", 10.0}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
        char text[256];
        scree_scene scene;
        snprintf(text, sizeof text, BOX MADE TIME "contact: {stiffness: %s}\n", cases[n].text);
        CHECK_OK(parse(text, &scene));
        check_same_bits(&scene.sim.stiffness, &cases[n].value, 1, cases[n].text);
        scene_free(&scene);
    }
}

static void test_limits(void** state)
{
    (void)state;
    scree_scene scene;
    size_t huge = SCENE_BYTES_MAX + 1;
    char* text = malloc(huge + 64);
    assert_non_null(text);
    memset(text, '#', huge);
    check_refused(text, huge, "m.yaml:1:1 | 4194304 bytes");
    check_refused(text, SCENE_BYTES_MAX, "m.yaml:1:1");
    put_file(in_folder("huge.yaml"), text, huge);
    CHECK_FAILS(scene_read(in_folder("huge.yaml"), &scene), SCREE_ERR_FORMAT, "huge.yaml:1:1");
    memset(text, '[', SCENE_BYTES_MAX);
    check_refused(text, SCENE_BYTES_MAX, "m.yaml:1:17 | at most 5 levels");
    for (size_t k = 0; k + 1 < SCENE_BYTES_MAX; k += 2)
        memcpy(text + k, "- ", 2);
    check_refused(text, SCENE_BYTES_MAX, "m.yaml:1:33 | at most 5 levels");
    memset(text, 'x', SCENE_BYTES_MAX);
    check_refused(text, SCENE_BYTES_MAX, "m.yaml:1:1: this is a single value");
    // As many changes as fit.
    clock_t begin = clock();
    size_t used = (size_t)sprintf(text, REST "changes:\n"), n = 0;
    while (used < (test_is_small() ? SCENE_BYTES_MAX / 8 : SCENE_BYTES_MAX) - 64)
        used += (size_t)sprintf(text + used, "- {at: %zu, walls: {x: [0, %zu]}}\n", n, n), ++n;
    CHECK_OK(parse_bytes(text, used, &scene));
    assert_int_equal(scene.change_count, n);
    assert_true(scene.changes[n - 1].wall_velocity[0][1] == (double)(n - 1));
    scene_free(&scene);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 60.0);
    free(text);
}

// However a file is cut, it is a scene or an error with a place.
static void test_cuts(void** state)
{
    (void)state;
    for (int s = 0; s < FINE_SCENES; ++s)
        for (size_t cut = 0; cut < strlen(fine_scenes[s]); ++cut) {
            scree_scene scene;
            scree_status status = parse_bytes(fine_scenes[s], cut, &scene);
            if (status == SCREE_OK)
                scene_free(&scene);
            else if (status != SCREE_ERR_FORMAT || strncmp(scree_error_message(), "m.yaml:", 7) != 0)
                fail_msg("scene %d cut at %zu gives %d: %s", s, cut, (int)status, scree_error_message());
        }
}

static const test_case cases[] = {
    UNIT(test_errors),
    UNIT(test_numbers),
    UNIT(test_limits),
    UNIT(test_cuts),
};

const test_group group_scene_errors = {.name = "scene_errors", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
