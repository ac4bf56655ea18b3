// Runs in which spheres come and go: counted by an independent sum over frames, without overlap by all pairs, the same files for any method, number of threads and after a resume, and regions
// in which groups begin.
#include "run_support.h"

#include "run/run_inner.h"
#include "scree/measure.h"
#include "scree/surface.h"

// Two sizes rain into a box and leave through a hole in its floor.
static const char rain[] = "box: {size: [10, 10, 14]}\n"
                           "gravity: [0, 0, -10]\n"
                           "spheres:\n"
                           "- {name: small, count: 0, sizes: 'uniform-size:0.4:0.6', place: random}\n"
                           "- {name: large, count: 12, sizes: 'mono:0.8', place: random, material_density: 2, region: {lower: [0, 0, 0], upper: [10, 10, 4]}}\n"
                           "contact: {stiffness: 2000, restitution: 0.5, friction: 0.4}\n"
                           "time: {end: 2}\n"
                           "insert:\n"
                           "- {name: top, group: small, rate: 120, end: 1, region: {from: [5, 5, 9], to: [5, 5, 13], radius: 4}, velocity: [0, 0, -2], every_steps: 40}\n"
                           "- {group: large, mass_rate: 30, count: 6, start: 0.2, region: {at: [5, 5, 11], radius: 2.5}, every_steps: 60}\n"
                           "outlets:\n"
                           "- {name: hole, region: {lower: [3, 3, 0], upper: [7, 7, 0.9]}, every_steps: 50}\n"
                           "checkpoint: {every: 300}\n"
                           "output: {every: 0.25, formats: [csv], contacts: true, energies: true, log_every_steps: 50}\n";

static scree_run* begin(const scree_scene* scene, const char* name, int32_t method, int32_t threads)
{
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    def.method = method;
    def.threads = threads;
    def.force = true;
    CHECK_OK(scree_run_create(&def, scene, in_folder(name), &run));
    return run;
}

static int64_t column_at(const char* header, const char* name)
{
    int64_t at = 0;
    size_t length = strlen(name);
    for (const char* field = header; field != NULL && *field != '\0' && *field != '\n'; ++at) {
        const char* end = field + strcspn(field, ",\n");
        if ((size_t)(end - field) == length && memcmp(field, name, length) == 0)
            return at;
        field = *end == ',' ? end + 1 : NULL;
    }
    fail_msg("there is no column %s", name);
    return -1;
}

// The value of a column in the row that begins at `row`.
static double cell_in(const char* row, int64_t column)
{
    for (; column > 0; --column)
        row += strcspn(row, ",\n") + 1;
    return strtod(row, NULL);
}

static const char* last_row(const char* text)
{
    const char* row = text + strlen(text) - 1;
    while (row > text && row[-1] != '\n')
        --row;
    return row;
}

static double mass_in(const scree_sphere_set* set)
{
    const scree_column* group = scree_sphere_set_find(set, "group");
    double mass = 0.0;
    for (int32_t i = 0; i < set->count; ++i)
        mass += (group->integers[i] == 1 ? 2.0 : 1.0) * 4.0 / 3.0 * 3.14159265358979323846 * set->r[i] * set->r[i] * set->r[i];
    return mass;
}

static void test_mass_is_kept_to_the_last_sphere(void** state)
{
    (void)state;
    scree_scene scene = scene_of(rain);
    scree_run* run = begin(&scene, "run", -1, 1);
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_run_write_report(run));
    char *log = get_file(in_folder("run/log.csv"), NULL), *page = get_file(in_folder("run/report.html"), NULL);
    const char* row = last_row(log);
    scree_sphere_set first = frame_of("run", 0), last = frame_of("run", 8);
    int64_t inserted = (int64_t)cell_in(row, column_at(log, "inserted")), removed = (int64_t)cell_in(row, column_at(log, "removed"));
    double in = cell_in(row, column_at(log, "mass_inserted")), out = cell_in(row, column_at(log, "mass_removed"));
    assert_int_equal(first.count, 12);
    assert_int_equal(inserted, 120 + 6);
    assert_true(removed > 20 && removed < inserted);
    assert_int_equal(last.count, 12 + inserted - removed);
    assert_int_equal(cell_in(row, column_at(log, "n")), last.count);
    CHECK_CLOSE(mass_in(&last), mass_in(&first) + in - out, 1e-9 * in);
    assert_int_equal(cell_in(row, column_at(log, "inserted_top")), 120);
    assert_int_equal(cell_in(row, column_at(log, "inserted_1")), 6);
    assert_int_equal(cell_in(row, column_at(log, "removed_hole_small")) + cell_in(row, column_at(log, "removed_hole_large")), removed);
    assert_non_null(strstr(page, "mass flow"));
    // Rows of the log: mass flow times time is mass; kinds add up at each.
    double flowed[2] = {0.0, 0.0}, before = 0.0;
    int64_t time = column_at(log, "time"), ways[2] = {column_at(log, "mass_flow_in"), column_at(log, "mass_flow_out")};
    for (const char* r = strchr(log, '\n') + 1; *r != '\0'; r = strchr(r, '\n') + 1) {
        for (int k = 0; k < 2; ++k)
            flowed[k] += cell_in(r, ways[k]) * (cell_in(r, time) - before);
        before = cell_in(r, time);
    }
    CHECK_CLOSE(flowed[0], in, 1e-9 * in);
    CHECK_CLOSE(flowed[1], out, 1e-9 * in);
    double balance[2] = {cell_in(strchr(log, '\n') + 1, column_at(log, "balance")), cell_in(row, column_at(log, "balance"))};
    CHECK_CLOSE(balance[1], balance[0], 0.01 * cell_in(row, column_at(log, "energy_removed")));
    // Ids rise, and those that are gone do not come back.
    for (int f = 1; f <= 8; ++f) {
        scree_sphere_set now = frame_of("run", f), then = frame_of("run", f - 1);
        const scree_column *id = scree_sphere_set_find(&now, "id"), *old = scree_sphere_set_find(&then, "id");
        int32_t at = 0;
        for (int32_t i = 0; i < now.count; ++i) {
            assert_true(i == 0 || id->integers[i] > id->integers[i - 1]);
            while (at < then.count && old->integers[at] < id->integers[i])
                ++at;
            bool known = at < then.count && old->integers[at] == id->integers[i];
            assert_true(known || id->integers[i] > old->integers[then.count - 1]);
            assert_true(!known || then.r[at] == now.r[i]);
        }
        scree_sphere_set_free(&now);
        scree_sphere_set_free(&then);
    }
    scree_sphere_set_free(&first);
    scree_sphere_set_free(&last);
    free(log);
    free(page);
    scree_run_destroy(run);
    scene_free(&scene);
}

// Stops when it has been asked so often.
static bool stop_after(void* context, const scree_run_progress* progress)
{
    int64_t* until = context;
    return progress->step < *until;
}

static void test_one_run_for_every_way(void** state)
{
    (void)state;
    scree_scene scene = scene_of(rain);
    scree_run* run = begin(&scene, "run", -1, 1);
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    const struct {
        int32_t method, threads, backend;
    } ways[] = {{SCREE_METHOD_ALL_PAIRS, 2, 0}, {SCREE_METHOD_LINKED_CELLS, 3, 0}, {SCREE_METHOD_HIERARCHICAL_GRID, 1, SCREE_BACKEND_REFERENCE}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k) {
        scene.sim.backend = ways[k].backend;
        run = begin(&scene, "other", ways[k].method, ways[k].threads);
        CHECK_OK(scree_run_go(run));
        assert_true(scree_run_hash(run) == hash);
        scree_run_destroy(run);
        for (int f = 0; f <= 8; ++f) {
            char name[64];
            snprintf(name, sizeof name, "frames/frame_%06d.csv", f);
            check_same_file(name, "run", "other");
            snprintf(name, sizeof name, "contacts/contacts_%06d.csv", f);
            check_same_file(name, "run", "other");
        }
    }
    // Cut at a checkpoint in the middle of insertion: as if killed, since what came after the checkpoint is taken back.
    scene.sim.backend = 0;
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    def.force = true;
    for (int cut = 0; cut < 3; ++cut) {
        int64_t until = 150 + 170 * cut;
        def.tell = stop_after;
        def.context = &until;
        CHECK_OK(scree_run_create(&def, &scene, in_folder("cut"), &run));
        scree_status status = scree_run_go(run);
        assert_true(status == SCREE_OK || status == SCREE_ERR_CANCELLED);
        scree_run_destroy(run);
        def.tell = NULL;
        CHECK_OK(scree_run_resume(&def, in_folder("cut"), &run));
        CHECK_OK(scree_run_go(run));
        assert_true(scree_run_hash(run) == hash);
        scree_run_destroy(run);
        for (int f = 0; f <= 8; ++f) {
            char name[64];
            snprintf(name, sizeof name, "frames/frame_%06d.csv", f);
            check_same_file(name, "run", "cut");
        }
    }
    scene_free(&scene);
}

// At the step at which they come, spheres overlap nothing: by all pairs, walls and images included.
static void test_spheres_come_where_there_is_room(void** state)
{
    (void)state;
    scree_scene scene = scene_of("dimension: 2\nbox: {size: [8, 8], periodic: [x]}\n"
                                 "spheres: {name: a, count: 0, sizes: 'uniform-size:0.2:0.5', place: random}\n"
                                 "contact: {stiffness: 1000}\ntime: {step: 0.001, steps: 1}\n"
                                 "insert: [{count: 400, region: {lower: [-1, 1], upper: [7, 7]}, every_steps: 1}]\n"
                                 "output: {formats: [csv]}\n");
    scree_run* run = begin(&scene, "run", -1, 1);
    scree_sphere_set set = frame_of("run", 0);
    char* log = get_file(in_folder("run/log.csv"), NULL);
    if (set.count < 40 || set.count > 150)  // one that finds no place holds up those behind it
        fail_msg("%d spheres", (int)set.count);
    assert_int_equal(cell_in(last_row(log), column_at(log, "waiting")), 400 - set.count);
    for (int32_t i = 0; i < set.count; ++i) {
        const double* a = set.x + 2 * i;
        assert_true(a[1] - set.r[i] >= 1.0 && a[1] + set.r[i] <= 7.0 && a[0] >= 0.0 && a[0] <= 8.0);
        for (int32_t j = 0; j < i; ++j) {
            const double* b = set.x + 2 * j;
            double dx = a[0] - b[0] - 8.0 * rint((a[0] - b[0]) / 8.0), dy = a[1] - b[1];
            assert_true(sqrt(dx * dx + dy * dy) >= (set.r[i] + set.r[j]) * (1.0 - 1e-15));
        }
    }
    free(log);
    scree_sphere_set_free(&set);
    scree_run_destroy(run);
    scene_free(&scene);
}

// What leaves comes back above with its id and its size: nothing is lost, and nothing new comes.
// Flat inlets: centres are in the plane, the spheres inside its edge, and none overlaps another, nor one that floats just above.
static void test_inlets_can_be_flat(void** state)
{
    (void)state;
    static const struct {
        const char* region;
        int dim;
        double at[3], normal[3], radius;  // of a disc
        double lower[3], upper[3];        // of a rectangle
    } inlets[] = {
        {"{at: [2, 2, 2], normal: [1, 2, 2], radius: 1.2}", 3, {2, 2, 2}, {1.0 / 3, 2.0 / 3, 2.0 / 3}, 1.2, {0}, {0}},
        {"{at: [2, 2, 2], normal: [0, 0, -3], radius: 1.2}", 3, {2, 2, 2}, {0, 0, -1}, 1.2, {0}, {0}},
        {"{lower: [1, 2, 0.5], upper: [3, 2, 3.5]}", 3, {2, 2, 2}, {0, 1, 0}, 0.0, {1, 2, 0.5}, {3, 2, 3.5}},
        {"{at: [2, 2], normal: [3, 4], radius: 1.5}", 2, {2, 2, 0}, {0.6, 0.8, 0}, 1.5, {0}, {0}},
        {"{lower: [0.5, 1.5], upper: [3.5, 1.5]}", 2, {2, 1.5, 0}, {0, 1, 0}, 0.0, {0.5, 1.5}, {3.5, 1.5}},
    };
    for (size_t k = 0; k < sizeof inlets / sizeof *inlets; ++k) {
        char text[1024];
        int dim = inlets[k].dim;
        snprintf(text, sizeof text,
                 "dimension: %d\nbox: {size: [4, 4%s]}\nspheres: {count: 0, sizes: 'uniform-size:0.1:0.2', place: random}\ncontact: {stiffness: 100}\ntime: {step: 1e-4, steps: 30}\n"
                 "insert: [{name: inlet, count: 500, every_steps: 10, region: %s}]\noutput: {formats: [csv], log_every_steps: 10}\n",
                 dim, dim == 3 ? ", 4" : "", inlets[k].region);
        scree_scene scene = scene_of(text);
        scree_run* run = begin(&scene, "flat", -1, 1);
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
        scene_free(&scene);
        scree_sphere_set end = frame_of("flat", 1);
        if (end.count < (dim == 3 ? 12 : 4) || end.count == 500)
            fail_msg("inlet %d: %d spheres", (int)k, (int)end.count);
        for (int32_t i = 0; i < end.count; ++i) {
            double along = 0.0, square = 0.0;
            for (int a = 0; a < dim; ++a) {
                double d = end.x[i * dim + a] - inlets[k].at[a];
                along += d * inlets[k].normal[a];
                square += d * d;
                if (inlets[k].radius == 0.0 && inlets[k].normal[a] == 0.0)
                    assert_true(end.x[i * dim + a] - end.r[i] >= inlets[k].lower[a] - 1e-12 && end.x[i * dim + a] + end.r[i] <= inlets[k].upper[a] + 1e-12);
            }
            assert_true(fabs(along) < 1e-12);
            assert_true(inlets[k].radius == 0.0 || sqrt(square) <= inlets[k].radius - end.r[i] + 1e-12);
            for (int32_t j = 0; j < i; ++j) {
                double apart = 0.0;
                for (int a = 0; a < dim; ++a)
                    apart += (end.x[i * dim + a] - end.x[j * dim + a]) * (end.x[i * dim + a] - end.x[j * dim + a]);
                assert_true(sqrt(apart) >= end.r[i] + end.r[j] - 1e-12);
            }
        }
        scree_sphere_set_free(&end);
    }
    // A layer floats 0.25 above the inlet: nothing fits below it but where it has gaps.
    static const char lid[] = "box: {size: [4, 4, 4]}\nspheres:\n- {name: lid, count: 64, sizes: 'mono:0.25', place: lattice, spacing: 0.5, fixed: true}\n- {name: rain, count: 0, sizes: 'mono:0.1', place: random}\n"
                              "contact: {stiffness: 100}\ntime: {step: 1e-4, steps: 20}\n"
                              "insert: [{name: inlet, group: rain, count: 500, every_steps: 10, region: {at: [2, 2, 0.55], normal: [0, 0, 1], radius: 1.9}}]\noutput: {formats: [csv]}\n";
    scree_scene scene = scene_of(lid);
    scree_run* run = begin(&scene, "flat", -1, 1);
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    scene_free(&scene);
    scree_sphere_set end = frame_of("flat", 1);
    assert_true(end.count > 70);
    for (int32_t i = 64; i < end.count; ++i)
        for (int32_t j = 0; j < i; ++j) {
            double apart = 0.0;
            for (int a = 0; a < 3; ++a)
                apart += (end.x[i * 3 + a] - end.x[j * 3 + a]) * (end.x[i * 3 + a] - end.x[j * 3 + a]);
            assert_true(sqrt(apart) >= end.r[i] + end.r[j] - 1e-12);
        }
    scree_sphere_set_free(&end);
}

static void test_spheres_go_round(void** state)
{
    (void)state;
    scree_scene scene = scene_of("dimension: 2\nbox: {size: [8, 12]}\ngravity: [0, -10]\n"
                                 "spheres: {name: a, count: 30, sizes: 'uniform-size:0.2:0.4', place: random, region: {lower: [0, 4], upper: [8, 12]}}\n"
                                 "contact: {stiffness: 1000, restitution: 0.5}\ntime: {end: 3}\n"
                                 "insert: [{name: top, rate: 1e-6, region: {lower: [0, 10], upper: [8, 12]}, velocity: [0, -1]}]\n"
                                 "outlets: [{region: {at: [0, 1], normal: [0, -1]}, into: top, every_steps: 20}]\n"
                                 "output: {every: 1, formats: [csv]}\n");
    scree_run* run = begin(&scene, "run", -1, 1);
    CHECK_OK(scree_run_go(run));
    scree_sphere_set first = frame_of("run", 0), last = frame_of("run", 3);
    char* log = get_file(in_folder("run/log.csv"), NULL);
    assert_int_equal(last.count, 30);
    check_same_bits(first.r, last.r, 30, "radii");
    for (int64_t i = 0; i < 30; ++i)
        assert_int_equal(scree_sphere_set_find(&last, "id")->integers[i], i);
    assert_true(cell_in(last_row(log), column_at(log, "removed")) > 30);
    assert_true(cell_in(last_row(log), column_at(log, "removed")) == cell_in(last_row(log), column_at(log, "inserted")));
    free(log);
    scree_sphere_set_free(&first);
    scree_sphere_set_free(&last);
    scree_run_destroy(run);
    scene_free(&scene);
}

// A run that begins from one in which spheres came and went, with friction whose memory goes over.
static void test_another_run_begins_from_it(void** state)
{
    (void)state;
    scree_scene scene = scene_of("box: {size: [6, 6, 10]}\ngravity: [0, 0, -10]\n"
                                 "spheres: {name: a, count: 0, sizes: 'uniform-size:0.4:0.6', place: random}\n"
                                 "contact: {stiffness: 2000, restitution: 0.5, friction: 0.4}\ntime: {end: 1.2}\n"
                                 "insert: [{rate: 200, end: 1, region: {lower: [0, 0, 5], upper: [6, 6, 10]}}]\n"
                                 "outlets: [{region: {lower: [2, 2, 0], upper: [4, 4, 1]}}]\n");
    scree_run* run = begin(&scene, "one", -1, 1);
    CHECK_OK(scree_run_go(run));
    int32_t count = scree_sim_get_count(scree_run_get_sim(run));
    scree_sim_memory memory;
    CHECK_OK(scree_sim_get_memory(scree_run_get_sim(run), &memory));
    int64_t remembered = memory.count;
    assert_true(remembered > 10);
    scree_run_destroy(run);
    scene_free(&scene);
    scene = scene_of("start: {run: one}\ngravity: [0, 0, -10]\ncontact: {stiffness: 2000, restitution: 0.5, friction: 0.4}\ntime: {end: 0.1}\n");
    run = begin(&scene, "two", -1, 1);
    CHECK_OK(scree_sim_get_memory(scree_run_get_sim(run), &memory));
    assert_int_equal(scree_sim_get_count(scree_run_get_sim(run)), count);
    assert_int_equal(memory.count, remembered);
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_sim_validate(scree_run_get_sim(run)));
    scree_run_destroy(run);
    scene_free(&scene);
}

// ---- Regions of the start --------------------------------------------------------------------------------------------

static const char cube_stl[] = "solid cube\n"
    "facet normal 0 0 0\nouter loop\nvertex 1 1 1\nvertex 1 5 1\nvertex 5 5 1\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 1 1 1\nvertex 5 5 1\nvertex 5 1 1\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 1 1 1\nvertex 5 1 1\nvertex 3 3 7\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 5 1 1\nvertex 5 5 1\nvertex 3 3 7\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 5 5 1\nvertex 1 5 1\nvertex 3 3 7\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 1 5 1\nvertex 1 1 1\nvertex 3 3 7\nendloop\nendfacet\n"
    "endsolid cube\n";

static void test_groups_begin_in_regions(void** state)
{
    (void)state;
    put_text(in_folder("pyramid.stl"), cube_stl);
    scree_scene scene = scene_of("box: {size: [20, 20, 20]}\ncontact: {stiffness: 1000}\ntime: {step: 0.0001, steps: 2}\nspheres:\n"
                                 "- {count: 20, sizes: 'uniform-size:0.1:0.3', place: random, region: {mesh: pyramid.stl}}\n"
                                 "- {density: 0.2, sizes: 'mono:0.25', place: random, region: {from: [10, 10, 10], to: [14.242640687119286, 14.242640687119286, 10], radius: 2}}\n"
                                 "- {density: 0.1, sizes: 'uniform-size:0.2:0.4', place: random, region: {at: [15, 5, 15], radius: 3}}\n"
                                 "- {count: 100, sizes: 'mono:0.3', place: random}\n"
                                 "output: {formats: [csv]}\n");
    scree_run* run = begin(&scene, "run", -1, 1);
    CHECK_OK(scree_run_go(run));
    scree_sphere_set set = frame_of("run", 0);
    const scree_column* group = scree_sphere_set_find(&set, "group");
    double volume[4] = {0.0};
    const double pi = 3.14159265358979323846;
    for (int32_t i = 0; i < set.count; ++i) {
        const double *x = set.x + 3 * i, r = set.r[i];
        int64_t g = group->integers[i];
        volume[g] += 4.0 / 3.0 * pi * r * r * r;
        if (g == 0) {  // five planes: the base, and four sides that rise 6 over 2
            double side = 2.0 * (7.0 - x[2]) / 6.0;  // half the width at this height
            double lean = sqrt(36.0 + 4.0) / 6.0;
            assert_true(x[2] - 1.0 >= r * (1.0 - 1e-9) && (side - fabs(x[0] - 3.0)) / lean >= r * (1.0 - 1e-9) && (side - fabs(x[1] - 3.0)) / lean >= r * (1.0 - 1e-9));
        }
        if (g == 1) {
            double d[3] = {x[0] - 10.0, x[1] - 10.0, x[2] - 10.0}, along = (d[0] + d[1]) / sqrt(2.0);
            double across = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - along * along);
            assert_true(along >= r && along <= 6.0 - r && across <= 2.0 - r + 1e-12);
        }
        if (g == 2)
            assert_true(sqrt((x[0] - 15.0) * (x[0] - 15.0) + (x[1] - 5.0) * (x[1] - 5.0) + (x[2] - 15.0) * (x[2] - 15.0)) <= 3.0 - r + 1e-12);
        for (int32_t j = 0; j < i; ++j) {
            double square = 0.0;
            for (int k = 0; k < 3; ++k)
                square += (x[k] - set.x[3 * j + k]) * (x[k] - set.x[3 * j + k]);
            assert_true(sqrt(square) >= (r + set.r[j]) * (1.0 - 1e-12));
        }
    }
    CHECK_CLOSE(volume[1] / (pi * 4.0 * 6.0), 0.2, 0.002);
    CHECK_CLOSE(volume[2] / (4.0 / 3.0 * pi * 27.0), 0.1, 0.005);
    scree_sphere_set_free(&set);
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    scree_run_def def = scree_default_run_def();
    CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    scene_free(&scene);
}

static void test_what_scenes_of_flow_refuse(void** state)
{
    (void)state;
    static const struct {
        const char *text, *parts;
    } bad[] = {
        {"insert: [{count: 1}]\n", "insert.region"},
        {"insert: [{region: {lower: [0, 0], upper: [1, 1]}}]\n", "insert.rate"},
        {"insert: [{rate: 1, mass_rate: 1, region: {lower: [0, 0], upper: [1, 1]}}]\n", "insert.mass_rate"},
        {"insert: [{count: 1, region: {lower: [0, 2], upper: [1, 1]}}]\n", "insert.region | y"},
        {"insert: [{count: 1, region: {from: [0, 2], to: [1, 1], radius: 1}}]\n", "insert.region | cylinder"},
        {"insert: [{count: 1, region: {at: [0, 2]}}]\n", "insert.region"},
        {"insert: [{count: 1, group: b, region: {lower: [0, 0], upper: [1, 1]}}]\n", "insert.group | 'b'"},
        {"insert: [{count: 1, start: 2, end: 1, region: {lower: [0, 0], upper: [1, 1]}}]\n", "insert.end"},
        {"outlets: [{region: {at: [0, 2], normal: [0, 0]}}]\n", "outlets.region | normal"},
        {"outlets: [{region: {at: [0, 2], radius: 1}, into: top}]\n", "outlets.into | 'top'"},
        {"outlets: [{}]\n", "outlets.region"},
        {"outlets: [{region: {at: [0, 2], radius: 1}}]\nbonds: [{gap: 0, young: 1}]\n", "bonds"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char text[1024];
        scree_scene scene;
        snprintf(text, sizeof text, "dimension: 2\nbox: {size: [8, 8]}\nspheres: {name: a, count: 3, sizes: 'mono:0.2', place: random}\ncontact: {stiffness: 1000}\ntime: {step: 0.001, steps: 1}\n%s",
                 bad[k].text);
        CHECK_FAILS(scene_parse("m.yaml", text, strlen(text), &scene), SCREE_ERR_FORMAT, "m.yaml", bad[k].parts);
    }
    scree_scene scene;
    const char empty[] = "dimension: 2\nbox: {size: [8, 8]}\nspheres: {count: 0, sizes: 'mono:0.2', place: random}\ncontact: {stiffness: 1000}\ntime: {step: 0.001, steps: 1}\n";
    CHECK_FAILS(scene_parse("m.yaml", empty, strlen(empty), &scene), SCREE_ERR_FORMAT, "spheres.count | 0");
}

// What pages and callers read of a run that ran out of memory: while there is none, and when there is some again.
static void look_at(scree_run* run, bool with_memory)
{
    const scree_sphere_set* set;
    scree_run_facts facts;
    scree_memory_fail_at(with_memory ? 0 : 1);
    CHECK_OK(scree_run_get_facts(run, &facts));
    assert_true(facts.volume > 0.0);
    scree_status status = scree_run_get_spheres(run, &set);
    scree_memory_fail_at(0);
    if (!with_memory && status != SCREE_OK) {
        assert_int_equal(status, SCREE_ERR_MEMORY);
        return;
    }
    CHECK_OK(status);
    assert_int_equal(set->count, scree_sim_get_count(scree_run_get_sim(run)));
    const scree_column* velocity = scree_sphere_set_find(set, "velocity");
    double sum = 0.0;
    for (int32_t i = 0; i < set->count; ++i)
        sum += set->r[i] + fabs(set->x[2 * i]) + fabs(velocity->values[2 * i]);
    assert_true(sum > 0.0);
}

// Every allocation of the first step fails once, each in a run of its own: pages read what is there then.
static void test_what_is_left_without_memory(void** state)
{
    (void)state;
    scree_scene scene = scene_of("dimension: 2\nbox: {size: [8, 8]}\n"
                                 "spheres: [{name: a, count: 2, sizes: 'mono:0.3', place: random}, {name: b, count: 2, sizes: 'mono:0.3', place: random, region: {at: [4, 4], radius: 1}}]\n"
                                 "contact: {stiffness: 1000, friction: 0.5}\ntime: {step: 0.001, steps: 1}\noutput: {formats: []}\n"
                                 "insert: [{group: a, count: 4, start: 0.0005, region: {lower: [0, 0], upper: [8, 2]}, every_steps: 1}]\n");
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    def.force = true;
    scree_status status = SCREE_ERR_MEMORY;
    for (int64_t n = 1; status != SCREE_OK; n = next_allocation(n)) {
        scree_run* run;
        CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
        scree_memory_fail_at(n);
        status = scree_run_go(run);
        scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        look_at(run, false);
        look_at(run, true);
        if (n % 64 == 0)
            CHECK_OK(scree_run_write_report(run));
        scree_run_destroy(run);
    }
    scene_free(&scene);
}

static void test_flow_without_memory(void** state)
{
    (void)state;
    scree_scene scene = scene_of("dimension: 2\nbox: {size: [8, 8]}\n"
                                 "spheres: [{name: a, count: 0, sizes: 'mono:0.3', place: random}, {name: b, count: 2, sizes: 'mono:0.3', place: random, region: {at: [4, 4], radius: 1}}]\n"
                                 "contact: {stiffness: 1000, friction: 0.5}\ntime: {step: 0.001, steps: 3}\n"
                                 "insert: [{name: top, group: a, count: 4, region: {lower: [0, 0], upper: [8, 2]}, every_steps: 1}]\n"
                                 "outlets: [{region: {at: [4, 4], radius: 3}, into: top, every_steps: 2}]\n");
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    def.force = true;
    scree_run* run = NULL;
    EACH_ALLOCATION_FAILS(scree_run_create(&def, &scene, NULL, &run), assert_null(run));
    scree_run_destroy(run);
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    // A run that runs out of memory goes on when there is some.
    scree_status status = SCREE_ERR_MEMORY;
    for (int64_t n = 1; status != SCREE_OK; n += 3) {
        scree_memory_fail_at(n);
        status = scree_run_go(run);
        scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
    }
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    status = SCREE_ERR_MEMORY;
    for (int64_t n = 1; status != SCREE_OK; n += 11) {
        scree_memory_fail_at(n);
        status = scree_run_resume(&def, in_folder("run"), &run);
        scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || (status == SCREE_ERR_MEMORY && run == NULL));
    }
    scree_run_destroy(run);
    scene_free(&scene);
}

static const test_case cases[] = {
    UNIT(test_mass_is_kept_to_the_last_sphere),
    SAME_BITS(test_one_run_for_every_way),
    UNIT(test_spheres_come_where_there_is_room),
    UNIT(test_inlets_can_be_flat),
    UNIT(test_spheres_go_round),
    UNIT(test_another_run_begins_from_it),
    UNIT(test_groups_begin_in_regions),
    UNIT(test_what_scenes_of_flow_refuse),
    ALLOCATION(test_what_is_left_without_memory),
    ALLOCATION(test_flow_without_memory),
};

const test_group group_run_flow = {.name = "run_flow", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
