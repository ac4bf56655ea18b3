// Scenes whose spheres are a list: where the groups start, what single spheres have of their own, what frames and contacts say of it, and going on with such a run.
#include "file_support.h"

#include "run/run_inner.h"
#include "scree/measure.h"

static scree_scene scene_of(const char* text)
{
    scree_scene scene;
    put_text(in_folder("scene.yaml"), text);
    CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
    return scene;
}

static scree_sphere_set spheres_of(const scree_scene* scene)
{
    scree_sphere_set set;
    CHECK_OK(scree_scene_make_spheres(scene, (scree_watch){0}, &set));
    return set;
}

static scree_sphere_set spheres_in(const char* text)
{
    scree_scene scene = scene_of(text);
    scree_sphere_set set = spheres_of(&scene);
    scene_free(&scene);
    return set;
}

#define REST "contact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 20}\n"

// ---- Where they start ------------------------------------------------------------------------------------------------------------

// A list of one entry means what the single map means, to the last bit.
static void test_a_list_of_one_is_the_map(void** state)
{
    (void)state;
    static const char* const entries[] = {"{count: 30, sizes: 'uniform-size:0.02:0.06', sampling: random, place: random, velocity: thermal}",
                                          "{count: 30, sizes: 'mono:0.05', place: lattice, velocity: [1, 2], material_density: 3}",
                                          "{count: 30, sizes: 'mono:0.05', place: grow, velocity: thermal, temperature: 2}",
                                          "{file: a.csv, velocity: file}"};
    put_text(in_folder("a.csv"), "x,y,r,v_x,v_y,colour\n0.5,0.5,0.1,1,2,red\n0.2,0.2,0.1,3,4,blue\n");
    for (size_t e = 0; e < sizeof entries / sizeof *entries; ++e) {
        char map[512], list[512];
        snprintf(map, sizeof map, "dimension: 2\nbox: {size: [1, 1]}\n" REST "spheres: %s\n", entries[e]);
        snprintf(list, sizeof list, "dimension: 2\nbox: {size: [1, 1]}\n" REST "spheres:\n- %s\n", entries[e]);
        scree_sphere_set one = spheres_in(map), other = spheres_in(list);
        assert_int_equal(one.count, other.count);
        check_same_bits(one.r, other.r, one.count, "radii");
        check_same_bits(one.x, other.x, 2 * one.count, "centres");
        check_same_bits(scree_sphere_set_find(&one, "velocity")->values, scree_sphere_set_find(&other, "velocity")->values, 2 * one.count, "velocities");
        assert_int_equal(one.column_count, other.column_count);
        scree_sphere_set_free(&one);
        scree_sphere_set_free(&other);
    }
}

static int64_t overlaps_of(const scree_sphere_set* set)
{
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    scree_pairs pairs;
    def.method = SCREE_METHOD_ALL_PAIRS;
    def.box = set->box;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, scree_sphere_set_view(set)));
    CHECK_OK(scree_index_pairs(index, &pairs));
    int64_t count = pairs.count;
    scree_index_destroy(index);
    return count;
}

// Ids go through the entries in order; those at random avoid all others, also lattices and files that come after them.
static void test_groups_start_beside_each_other(void** state)
{
    (void)state;
    put_text(in_folder("a.csv"), "x,y,z,r,v_x,v_y,v_z\n0.5,0.5,0.6,0.2,7,8,9\n0.2,0.2,0.9,0.01,4,5,6\n");
    scree_sphere_set set = spheres_in("box: {size: [1, 1, 1], periodic: [x, y]}\n" REST "spheres:\n"
                                      "- {count: 200, sizes: 'uniform-size:0.01:0.05', sampling: random, place: random, velocity: [1, 2, 3]}\n"
                                      "- {count: 25, sizes: 'mono:0.099', place: lattice, spacing: 0.2, material_density: 2}\n"
                                      "- {file: a.csv, velocity: file}\n"
                                      "- {count: 200, sizes: 'uniform-size:0.01:0.05', sampling: random, place: random, velocity: [1, 2, 3]}\n");
    assert_int_equal(set.count, 427);
    assert_int_equal(overlaps_of(&set), 0);
    const scree_column *group = scree_sphere_set_find(&set, "group"), *velocity = scree_sphere_set_find(&set, "velocity");
    assert_non_null(group);
    assert_int_equal(set.column_count, 2);
    for (int i = 0; i < 427; ++i)
        assert_int_equal(group->integers[i], i < 200 ? 0 : i < 225 ? 1 : i < 227 ? 2 : 3);
    CHECK_CLOSE(set.x[3 * 200 + 2], 0.1, 1e-15);
    check_same_bits(set.x + 3 * 225, (const double[]){0.5, 0.5, 0.6, 0.2, 0.2, 0.9}, 6, "of the file");
    check_same_bits(velocity->values + 3 * 199, (const double[]){1, 2, 3, 0, 0, 0}, 6, "velocities");
    check_same_bits(velocity->values + 3 * 225, (const double[]){7, 8, 9, 4, 5, 6, 1, 2, 3}, 9, "velocities of the file");
    assert_memory_not_equal(set.r, set.r + 227, 200 * sizeof *set.r);  // the same keys, other random numbers
    scree_sphere_set_free(&set);
}

// The sum of the densities is the share that all spheres fill; what grows, grows together.
static void test_groups_share_a_density(void** state)
{
    (void)state;
    static const char* const scenes[] = {"dimension: 2\n" REST "spheres:\n"
                                         "- {count: 30, sizes: 'mono:0.1', place: random, density: 0.125}\n"
                                         "- {count: 100, sizes: 'mono:0.05', place: random, density: 0.125}\n",
                                         "dimension: 2\n" REST "spheres:\n"
                                         "- {count: 30, sizes: 'mono:0.1', place: grow, density: 0.25}\n"
                                         "- {count: 100, sizes: 'mono:0.05', place: grow, density: 0.35}\n"};
    for (int s = 0; s < 2; ++s) {
        scree_sphere_set set = spheres_in(scenes[s]);
        double volume = scree_spheres_volume(scree_sphere_set_view(&set));
        assert_int_equal(set.count, 130);
        CHECK_CLOSE(volume / scree_box_volume(&set.box), s == 0 ? 0.25 : 0.6, 1e-12);
        assert_true(set.r[29] == 0.1 && set.r[30] == 0.05);
        assert_int_equal(overlaps_of(&set), 0);
        scree_sphere_set_free(&set);
    }
}

static void test_groups_that_do_not_fit(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        scree_status status;
        const char* wanted;
    } cases_here[] = {
        {"spheres:\n- {count: 8, sizes: 'mono:0.1', place: lattice}\n- {count: 8, sizes: 'mono:0.1', place: lattice}\n", SCREE_ERR_ARGUMENT,
         "scene.yaml:6:40 | spheres.place | sphere 8 | sphere 0 | overlaps"},
        {"spheres:\n- {file: a.csv}\n- {count: 1, sizes: 'mono:0.4', place: lattice}\n", SCREE_ERR_ARGUMENT, "scene.yaml:6:40 | spheres.place | sphere 1 | sphere 0"},
        {"spheres:\n- {count: 1, sizes: 'mono:0.4', place: lattice}\n- {file: a.csv}\n", SCREE_ERR_ARGUMENT, "scene.yaml:5:40 | spheres.place | sphere 0 | sphere 1"},
        {"spheres:\n- {file: a.csv}\n- {file: a.csv, count: 3}\n", SCREE_ERR_ARGUMENT, "scene.yaml:6:24 | spheres.count | a.csv | 1 | 3"},
        {"spheres:\n- {file: a.csv}\n- {file: none.csv}\n", SCREE_ERR_IO, "scene.yaml:6:10 | spheres.file | none.csv"},
        {"spheres:\n- {file: a.csv}\n- {count: 1, sizes: 'table:none.csv', place: random}\n", SCREE_ERR_IO, "scene.yaml:6:21 | spheres.sizes | none.csv"},
        {"spheres:\n- {file: a.csv}\n- {count: 1, sizes: 'mono:0.45', place: random}\n", SCREE_ERR_ARGUMENT, "scene.yaml:6:41 | spheres.place | 0.45"},
        {"spheres:\n- {file: a.csv}\n- {file: a.csv, velocity: file}\n", SCREE_ERR_ARGUMENT, "scene.yaml:6:27 | spheres.velocity | a.csv"},
    };
    put_text(in_folder("a.csv"), "x,y,z,r\n0.5,0.5,0.5,0.3\n");
    for (size_t n = 0; n < sizeof cases_here / sizeof *cases_here; ++n) {
        char text[1024];
        scree_sphere_set set;
        snprintf(text, sizeof text, REST "box: {size: [1, 1, 1]}\n%s", cases_here[n].text);
        scree_scene scene = scene_of(text);
        CHECK_FAILS(scree_scene_make_spheres(&scene, (scree_watch){0}, &set), cases_here[n].status, cases_here[n].wanted);
        scene_free(&scene);
    }
    scree_scene scene = scene_of(REST "spheres:\n- {file: a.csv}\n- {file: a.csv}\n");
    scree_sphere_set set;
    CHECK_FAILS(scree_scene_make_spheres(&scene, (scree_watch){0}, &set), SCREE_ERR_ARGUMENT, "scene.yaml:4:10", "box.size");
    scene_free(&scene);
}

static void test_starts_without_memory(void** state)
{
    (void)state;
    put_text(in_folder("a.csv"), "x,y,z,r\n0.5,0.5,0.5,0.1\n");
    scree_scene scene = scene_of("box: {size: [1, 1, 1]}\n" REST "materials: {a: {material_density: 2}, b: {material_density: 3}}\nspheres:\n"
                                 "- {count: 4, sizes: 'mono:0.1', place: lattice, spacing: 0.25, material: a, fixed: true}\n"
                                 "- {file: a.csv, material: b, force: [1, 0, 0]}\n"
                                 "- {count: 5, sizes: 'mono:0.05', place: random, material: a}\n");
    scree_sphere_set set;
    scree_scene_each each;
    EACH_ALLOCATION_FAILS(scree_scene_make_spheres(&scene, (scree_watch){0}, &set), assert_null(set.x));
    EACH_ALLOCATION_FAILS(scree_scene_make_each(&scene, &set, &each), assert_null(each.each.group));
    scree_scene_each_free(&each);
    scree_sphere_set_free(&set);
    scene_free(&scene);
}

// ---- Single spheres ----------------------------------------------------------------------------------------------------------------

static void test_properties_of_single_spheres(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [1, 1, 1]}\n" REST
                               "materials: {heavy: {material_density: 7}, light: {material_density: 0.5}}\n"
                               "spheres:\n"
                               "- {count: 2, sizes: 'mono:0.1', place: random, material: light, force: [0, 0, 1]}\n"
                               "- {count: 3, sizes: 'mono:0.05', place: random, material: heavy, fixed: true}\n"
                               "- {count: 1, sizes: 'mono:0.02', place: random, material: light}\n";
    scree_scene scene = scene_of(text);
    scree_sphere_set set = spheres_of(&scene);
    scree_scene_each made;
    CHECK_OK(scree_scene_make_each(&scene, &set, &made));
    const scree_sim_each* each = &made.each;
    assert_memory_equal(each->group, ((const uint16_t[]){0, 0, 1, 1, 1, 2}), 6 * sizeof *each->group);
    assert_memory_equal(each->material, ((const uint16_t[]){1, 1, 0, 0, 0, 1}), 6 * sizeof *each->material);
    assert_memory_equal(each->fixed, ((const uint8_t[]){0, 0, 1, 1, 1, 0}), 6);
    check_same_bits(each->material_density, (const double[]){0.5, 0.5, 7, 7, 7, 0.5}, 6, "densities");
    check_same_bits(each->force, (const double[]){0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 18, "forces");
    scree_scene_each_free(&made);
    // A set that is not of this scene.
    ((scree_column*)(uintptr_t)scree_sphere_set_find(&set, "group"))->integers[4] = 3;
    CHECK_FAILS(scree_scene_make_each(&scene, &set, &made), SCREE_ERR_ARGUMENT, "sphere 4", "3", "2");
    scree_sphere_set bare = {.dim = 3, .count = 6, .x = set.x, .r = set.r};
    CHECK_FAILS(scree_scene_make_each(&scene, &bare, &made), SCREE_ERR_ARGUMENT, "3", "group");
    scree_sphere_set_free(&set);
    scene_free(&scene);
    // What is the same for all takes no array.
    scene = scene_of("box: {size: [1, 1, 1]}\n" REST "spheres:\n"
                     "- {count: 2, sizes: 'mono:0.1', place: random, material_density: 3}\n"
                     "- {count: 2, sizes: 'mono:0.1', place: random, material_density: 3}\n");
    set = spheres_of(&scene);
    CHECK_OK(scree_scene_make_each(&scene, &set, &made));
    assert_true(each->material_density == NULL && each->material == NULL && each->fixed == NULL && each->force == NULL && each->group != NULL);
    assert_true(made.material_density == 3);
    scree_scene_each_free(&made);
    scree_sphere_set_free(&set);
    scene_free(&scene);
}

// Discs beside bodies: each with the density of its group, fixed ones among them.
static void test_groups_beside_bodies(void** state)
{
    (void)state;
    scree_scene scene = scene_of("dimension: 2\nbox: {size: [1, 1]}\n" REST "gravity: [0, -10]\nspheres:\n"
                                 "- {count: 1, sizes: 'mono:0.1', place: lattice, fixed: true}\n"
                                 "- {count: 3, sizes: 'mono:0.05', place: random, material_density: 4}\n"
                                 "bodies: [{shape: disc, sizes: 'mono:0.1', at: [[0.9, 0.9]]}]\n");
    scree_body_set bodies;
    CHECK_OK(scree_scene_make_bodies(&scene, (scree_watch){0}, &bodies));
    assert_int_equal(bodies.count, 5);
    assert_true(bodies.bodies[0].fixed && bodies.bodies[0].radius == 0.1 && bodies.bodies[0].material_density == 0);
    for (int i = 1; i < 4; ++i)
        assert_true(!bodies.bodies[i].fixed && bodies.bodies[i].material_density == 4);
    assert_true(bodies.bodies[4].material_density == 0 && !bodies.bodies[4].fixed);
    scree_body_set_free(&bodies);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    scene_free(&scene);
}

// ---- Runs --------------------------------------------------------------------------------------------------------------------------

// Groups of one density are labels only: this runs whatever the simulation knows of single spheres.
static const char labelled[] = "box: {size: [1, 1, 1], periodic: [x]}\n"
                               "contact: {stiffness: 30, restitution: 0.9}\n"
                               "time: {step: 1e-3, steps: 60}\n"
                               "gravity: [0, 0, -10]\n"
                               "materials: {a: {material_density: 2}, b: {material_density: 2}}\n"
                               "output: {every_steps: 20, formats: [vtp, csv], contacts: true}\n"
                               "checkpoint: {every: 7}\n"
                               "spheres:\n"
                               "- {count: 60, sizes: 'mono:0.09', place: random, material: b, velocity: [0, 0, -3]}\n"
                               "- {file: a.csv, material: a}\n"
                               "- {count: 9, sizes: 'mono:0.1', place: lattice, spacing: 0.3, material: b}\n";

static void put_labelled_file(void)
{
    put_text(in_folder("a.csv"), "x,y,z,r\n0.5,0.5,0.8,0.1\n0.2,0.2,0.8,0.1\n");
}

static void test_frames_know_groups(void** state)
{
    (void)state;
    put_labelled_file();
    scree_scene scene = scene_of(labelled);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    const char* const frames[] = {"run/frames/frame_000003.csv", "run/frames/frame_000003.vtp"};
    for (int f = 0; f < 2; ++f) {
        scree_sphere_set set;
        CHECK_OK(scree_read_spheres(in_folder(frames[f]), NULL, &set));
        const scree_column *group = scree_sphere_set_find(&set, "group"), *material = scree_sphere_set_find(&set, "material");
        assert_true(group != NULL && material != NULL && group->kind == SCREE_COLUMN_INT64 && set.count == 71);
        for (int i = 0; i < 71; ++i) {
            assert_int_equal(group->integers[i], i < 60 ? 0 : i < 62 ? 1 : 2);
            assert_int_equal(material->integers[i], i < 60 || i >= 62 ? 1 : 0);
        }
        scree_sphere_set_free(&set);
    }
    // Rows of contacts end on the groups and materials of both; walls have -1.
    char* text = get_file(in_folder("run/contacts/contacts_000003.csv"), NULL);
    static const char header[] = "i,j,overlap,nx,ny,nz,fx,fy,fz,px,py,pz,sx,sy,sz,group_i,group_j,material_i,material_j\n";
    assert_memory_equal(text, header, strlen(header));
    int rows = 0, walls = 0;
    for (const char* line = text + strlen(header); *line != '\0'; line = strchr(line, '\n') + 1, ++rows) {
        int i, j, gi, gj, mi, mj;
        const char* at = line;
        assert_int_equal(sscanf(line, "%d,%d", &i, &j), 2);
        for (int commas = 0; commas < 15; ++at)
            commas += *at == ',';
        assert_int_equal(sscanf(at, "%d,%d,%d,%d", &gi, &gj, &mi, &mj), 4);
        assert_int_equal(gi, i < 60 ? 0 : i < 62 ? 1 : 2);
        assert_int_equal(mi, gi == 1 ? 0 : 1);
        assert_int_equal(gj, j < 0 ? -1 : j < 60 ? 0 : j < 62 ? 1 : 2);
        assert_int_equal(mj, j < 0 ? -1 : gj == 1 ? 0 : 1);
        walls += j < 0;
    }
    assert_true(rows > walls && walls > 0);
    free(text);
    // The scene in the folder says how many came from the file.
    scree_scene back;
    CHECK_OK(scene_read(in_folder("run/scene.yaml"), &back));
    assert_int_equal(back.groups[1].count, 2);
    scene_free(&back);
    scene_free(&scene);
}

typedef struct stopper {
    scree_run* run;
    int64_t at;
} stopper;

static bool stop_when(void* context, const scree_run_progress* progress)
{
    stopper* s = context;
    return s->run == NULL || progress->step < s->at;
}

// Begins, stops at a step, removes a file that spheres came from, and goes on to the end.
static void stop_and_resume(const scree_scene* scene, int64_t step, const char* gone, uint64_t* hash)
{
    stopper s = {.at = step};
    scree_run_def def = scree_default_run_def();
    def.tell = stop_when;
    def.context = &s;
    CHECK_OK(scree_run_create(&def, scene, in_folder("parts"), &s.run));
    CHECK_FAILS(scree_run_go(s.run), SCREE_ERR_CANCELLED);
    scree_run_destroy(s.run);
    if (gone != NULL)
        remove_all(in_folder(gone));
    def = scree_default_run_def();
    CHECK_OK(scree_run_resume(&def, in_folder("parts"), &s.run));
    CHECK_OK(scree_run_go(s.run));
    *hash = scree_run_hash(s.run);
    scree_run_destroy(s.run);
}

static uint64_t run_through(const scree_scene* scene, const char* path)
{
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, scene, path, &run));
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    return hash;
}

// The file that a group came from is not needed any more: frames have the same bytes.
static void test_groups_go_on(void** state)
{
    (void)state;
    put_labelled_file();
    scree_scene scene = scene_of(labelled);
    uint64_t wanted = run_through(&scene, in_folder("reference")), hash;
    for (int64_t step = 7; step < 60; step += 14) {
        put_labelled_file();
        stop_and_resume(&scene, step, "a.csv", &hash);
        assert_int_equal(hash, wanted);
        static const char* const files[] = {"frames/frame_000003.csv", "frames/frame_000002.vtp", "contacts/contacts_000003.csv", "scene.yaml"};
        for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
            char one[64], other[64];
            size_t sizes[2];
            snprintf(one, sizeof one, "reference/%s", files[f]);
            snprintf(other, sizeof other, "parts/%s", files[f]);
            char *a = get_file(in_folder(one), &sizes[0]), *b = get_file(in_folder(other), &sizes[1]);
            assert_int_equal(sizes[0], sizes[1]);
            assert_memory_equal(a, b, sizes[0]);
            free(a);
            free(b);
        }
        remove_all(in_folder("parts"));
    }
    // Files that spheres come from are not removed with an earlier run.
    scene_free(&scene);
    scene = scene_of("box: {size: [1, 1, 1]}\n" REST "spheres:\n- {count: 1, sizes: 'mono:0.01', place: random}\n- {file: reference/frames/frame_000000.csv}\n");
    scree_run_def def = scree_default_run_def();
    def.force = true;
    scree_run* run;
    CHECK_FAILS(scree_run_create(&def, &scene, in_folder("reference"), &run), SCREE_ERR_ARGUMENT, "frame_000000.csv");
    scene_free(&scene);
}

// ---- What the simulation does with it ------------------------------------------------------------------------------------------------

// Two movers of different density far from everything: x = F t^2 / 2m, and from the change on with another force; also across a resume. Where the
// group that changes had a force before, the new one replaces it.
static void test_forces_move_groups(void** state)
{
    (void)state;
    scree_scene scene = scene_of("box: {size: [100, 100, 100]}\ncontact: {stiffness: 1e3}\n"
                                 "time: {step: 1e-3, steps: 400}\n"
                                 "checkpoint: {every: 100000}\n"
                                 "output: {log_every_steps: 25}\n"
                                 "spheres:\n"
                                 "- {name: one, file: one.csv, material_density: 2, force: [3, 0, 0]}\n"
                                 "- {name: two, file: two.csv, material_density: 5, force: [0, 1, 0]}\n"
                                 "- {name: free, file: free.csv}\n"
                                 "changes:\n"
                                 "- {at: 0.1, force: {two: [0, 0, -2]}}\n"
                                 "- {at: 0.2, force: {one: [0, 0, 0], two: [0, 0, 4]}}\n");
    put_text(in_folder("one.csv"), "x,y,z,r\n10,50,50,1\n");
    put_text(in_folder("two.csv"), "x,y,z,r\n50,50,50,1\n");
    put_text(in_folder("free.csv"), "x,y,z,r\n90,50,50,1\n");
    const double ball = 4.0 / 3.0 * 3.14159265358979323846, one = 2.0 * ball, two = 5.0 * ball;
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    double x[9], v[9];
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "x", x));
    CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "v", v));
    uint64_t wanted = scree_run_hash(run);
    scree_run_destroy(run);
    CHECK_CLOSE(v[0], 3.0 / one * 0.2, 1e-12);
    CHECK_CLOSE(x[0] - 10.0, 0.5 * 3.0 / one * 0.04 + 3.0 / one * 0.2 * 0.2, 1e-10);
    CHECK_CLOSE(v[4], 1.0 / two * 0.1, 1e-12);
    CHECK_CLOSE(v[5], (-2.0 * 0.1 + 4.0 * 0.2) / two, 1e-12);
    assert_true(v[6] == 0.0 && v[7] == 0.0 && v[8] == 0.0 && x[6] == 90.0);
    for (int64_t step = 50; step < 400; step += 75) {
        uint64_t hash;
        stop_and_resume(&scene, step, NULL, &hash);
        assert_int_equal(hash, wanted);
        remove_all(in_folder("parts"));
    }
    scene_free(&scene);
}

// Movers fall on a fixed floor of spheres: none gets through, the floor stays where it is to the last bit, and frames tell forces with each mass.
static void test_movers_on_a_fixed_base(void** state)
{
    (void)state;
    scree_scene scene = scene_of("box: {size: [1, 1, 2]}\ngravity: [0, 0, -10]\ncontact: {stiffness: 1e4, restitution: 0.5}\n"
                                 "time: {step: auto, end: 1}\noutput: {formats: [csv]}\n"
                                 "spheres:\n"
                                 "- {name: base, count: 25, sizes: 'mono:0.1', place: lattice, spacing: 0.2, fixed: true}\n"
                                 "- {name: movers, count: 30, sizes: 'uniform-size:0.08:0.12', place: random, material_density: 100}\n");
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    double x[3 * 55], v[3 * 55];
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "x", x));
    CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "v", v));
    scree_run_destroy(run);
    scree_sphere_set first = spheres_of(&scene), last;
    check_same_bits(x, first.x, 3 * 25, "the base");
    for (int i = 0; i < 3 * 25; ++i)
        assert_true(v[i] == 0.0);
    for (int i = 25; i < 55; ++i)
        assert_true(x[3 * i + 2] > 0.15);
    CHECK_OK(scree_read_spheres(in_folder("run/frames/frame_000000.csv"), NULL, &last));
    const scree_column* force = scree_sphere_set_find(&last, "force");
    for (int i = 25; i < 55; ++i) {  // nothing touches at the start
        double mass = 100.0 * 4.0 / 3.0 * 3.14159265358979323846 * pow(last.r[i], 3);
        CHECK_CLOSE(force->values[3 * i + 2] / mass, -10.0, 1e-9);
    }
    scree_sphere_set_free(&first);
    scree_sphere_set_free(&last);
    scene_free(&scene);
}

// Fixed spheres may be in each other, as bumps of a base are; free ones may not be in them.
static void test_fixed_spheres_may_overlap(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [1, 1, 1]}\ncontact: {stiffness: 1e4}\ntime: {steps: 20}\nspheres:\n"
                               "- {file: base.csv, fixed: true}\n"
                               "- {count: 4, sizes: 'mono:0.25', place: lattice, fixed: true}\n"
                               "- {file: mover.csv}\n";
    put_text(in_folder("base.csv"), "x,y,z,r\n0.5,0.5,0.1,0.2\n0.6,0.5,0.1,0.2\n");
    put_text(in_folder("mover.csv"), "x,y,z,r\n0.5,0.5,0.8,0.1\n");
    scree_scene scene = scene_of(text);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    put_text(in_folder("mover.csv"), "x,y,z,r\n0.5,0.5,0.35,0.1\n");
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), SCREE_ERR_ARGUMENT, "scene.yaml:5:1", "spheres 0 and 6");
    scene_free(&scene);
}

static const test_case cases[] = {
    SAME_BITS(test_a_list_of_one_is_the_map),
    UNIT(test_groups_start_beside_each_other),
    UNIT(test_groups_share_a_density),
    UNIT(test_groups_that_do_not_fit),
    ALLOCATION(test_starts_without_memory),
    UNIT(test_properties_of_single_spheres),
    UNIT(test_groups_beside_bodies),
    UNIT(test_frames_know_groups),
    SAME_BITS(test_groups_go_on),
    UNIT(test_forces_move_groups),
    UNIT(test_movers_on_a_fixed_base),
    UNIT(test_fixed_spheres_may_overlap),
};

const test_group group_run_groups = {.name = "run_groups", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
