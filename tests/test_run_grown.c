// Runs of scenes whose spheres grow to their places.
#include "run_folder_support.h"

// ---- Scenes whose spheres grow ------------------------------------------------------------------------------------------------

static const char grown_scene[] = "dimension: %d\nbox: {size: [%s], origin: [%s], periodic: [%s]}\n"
                                  "spheres: {count: %d, sizes: %s, place: grow, velocity: thermal, overlap: 0.01}\n"
                                  "contact: {stiffness: 2e3, restitution: 0.6}\ntime: {step: 1e-4, steps: 20}\noutput: {formats: [csv]}\nseed: 3\n";

static scree_scene grown_scene_of(int dim, const char* size, const char* origin, const char* periodic, int count, const char* sizes)
{
    char text[1024];
    snprintf(text, sizeof text, grown_scene, dim, size, origin, periodic, count, sizes);
    return scene_of(text);
}

static int64_t overlaps_in(const scree_sphere_set* set)
{
    scree_index_def search = scree_default_index_def();
    search.method = SCREE_METHOD_ALL_PAIRS;
    search.box = set->box;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&search, &index));
    CHECK_OK(scree_index_update(index, scree_sphere_set_view(set)));
    CHECK_OK(scree_index_pairs(index, &pairs));
    int64_t count = pairs.count;
    scree_index_destroy(index);
    for (int64_t e = 0; e < (int64_t)set->count * set->dim; ++e) {
        int k = (int)(e % set->dim);
        double r = set->r[e / set->dim];
        count += !set->box.periodic[k] && !(set->x[e] >= set->box.lower[k] + r && set->x[e] <= set->box.upper[k] - r);
    }
    return count;
}

typedef struct impatient {
    int left;
    double last;
} impatient;

static bool wait_a_little(void* context, double done)
{
    impatient* p = context;
    assert_true(done >= p->last && done <= 1.0);
    p->last = done;
    return --p->left > 0;
}

// Far beyond what random addition reaches, in just the box of the scene.
static void test_grown(void** state)
{
    (void)state;
    static const struct {
        int dim;
        const char *size, *origin, *periodic, *sizes;
        int count;
        double density;
    } cases[] = {{2, "20, 20", "0, 0", "", "uniform-size:0.5:1.5", 80, 0.677},
                 {2, "20, 10", "-3, 5", "x", "mono:0.5", 190, 0.746},
                 {3, "8, 9, 10", "1, 2, 3", "x, y, z", "mono:0.5", 830, 0.6036},
                 {3, "10, 10, 10", "0, 0, 0", "", "uniform-volume:0.5:1.5", 210, 0.5}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        scree_scene scene = grown_scene_of(cases[t].dim, cases[t].size, cases[t].origin, cases[t].periodic, cases[t].count, cases[t].sizes);
        scree_sphere_set set[2] = {{0}, {0}};
        for (int k = 0; k < 2; ++k) {
            scene.sim.threads = 1 + 2 * k;
            CHECK_OK(scree_scene_make_spheres(&scene, (scree_watch){0}, &set[k]));
        }
        assert_memory_equal(&set[0].box, &scene.sim.box, sizeof set[0].box);
        assert_int_equal(set[0].count, cases[t].count);
        double density = scree_spheres_volume(scree_sphere_set_view(&set[0])) / scree_box_volume(&set[0].box);
        if (!(fabs(density - cases[t].density) < 0.05))
            fail_msg("case %d has density %g", (int)t, density);
        assert_int_equal(overlaps_in(&set[0]), 0);
        assert_memory_equal(set[0].x, set[1].x, (size_t)set[0].count * (size_t)set[0].dim * sizeof *set[0].x);
        scree_sphere_set_free(&set[0]);
        scree_sphere_set_free(&set[1]);
        scene_free(&scene);
    }
    // A run from there, and a look only: that one does not wait for growth, and has a larger box.
    scree_scene scene = grown_scene_of(2, "20, 20", "0, 0", "", 80, "uniform-size:0.5:1.5");
    scree_run_def def = scree_default_run_def();
    run_through(&def, &scene, in_folder("grown"));
    scree_run* trial;
    CHECK_OK(scree_run_create(&def, &scene, NULL, &trial));
    scree_box box = scree_sim_get_box(scree_run_get_sim(trial));
    assert_true(box.upper[0] > 20.0 && box.upper[0] == box.upper[1] && box.lower[0] == 0.0);
    scree_run_destroy(trial);
    scene_free(&scene);
}

// What does not fit is said with the box that would do; and that one does.
static void test_grown_too_much(void** state)
{
    (void)state;
    scree_scene scene = grown_scene_of(3, "6, 6, 6", "0, 0, 0", "x, y, z", 300, "mono:0.5");  // 0.727
    scree_sphere_set set = {0};
    CHECK_FAILS(scree_scene_make_spheres(&scene, (scree_watch){0}, &set), SCREE_ERR_ARGUMENT, "0.7272");
    assert_null(set.x);
    const char* said = strstr(scree_error_message(), "a box of ");
    assert_non_null(said);
    double side = atof(said + strlen("a box of "));
    assert_true(side > 6.0 && side < 6.5);
    scene_free(&scene);
    char size[100];
    snprintf(size, sizeof size, "%g, %g, %g", side * 1.002, side * 1.002, side * 1.002);
    scene = grown_scene_of(3, size, "0, 0, 0", "x, y, z", 300, "mono:0.5");
    CHECK_OK(scree_scene_make_spheres(&scene, (scree_watch){0}, &set));
    assert_int_equal(overlaps_in(&set), 0);
    scree_sphere_set_free(&set);
    scene_free(&scene);
    // More than the box: reported at the first look too.
    scene = grown_scene_of(2, "2, 2", "0, 0", "", 10, "mono:0.5");
    set = (scree_sphere_set){0};
    CHECK_FAILS(scree_scene_make_spheres(&scene, (scree_watch){0}, &set), SCREE_ERR_ARGUMENT, "volume");
    scree_run_def def = scree_default_run_def();
    scree_run* trial;
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &trial), SCREE_ERR_ARGUMENT, "volume");
    scene_free(&scene);
}

static void test_grown_stopped(void** state)
{
    (void)state;
    scree_scene scene = grown_scene_of(3, "8, 8, 8", "0, 0, 0", "x, y, z", 600, "mono:0.5");
    for (int left = 1; left < 200; left = left * 2 + 1) {
        impatient p = {.left = left};
        scree_sphere_set set = {0};
        scree_status status = scree_scene_make_spheres(&scene, (scree_watch){.tick = wait_a_little, .context = &p}, &set);
        assert_true(status == SCREE_OK ? p.left > 0 : status == SCREE_ERR_CANCELLED && set.x == NULL);
        scree_sphere_set_free(&set);
    }
    scene_free(&scene);
}

static scree_status grow_few(const scree_scene* scene)
{
    scree_sphere_set set = {0};
    scree_status status = scree_scene_make_spheres(scene, (scree_watch){0}, &set);
    scree_sphere_set_free(&set);
    return status;
}

static void test_grown_without_memory(void** state)
{
    (void)state;
    scree_scene scene = grown_scene_of(2, "5, 5", "0, 0", "x", 20, "mono:0.5");
    scene.sim.threads = 1;
    EACH_ALLOCATION_FAILS(grow_few(&scene), (void)0);
    scene_free(&scene);
}

static const test_case cases[] = {
    THREADS(test_grown),
    UNIT(test_grown_too_much),
    UNIT(test_grown_stopped),
    ALLOCATION(test_grown_without_memory),
};

const test_group group_run_grown = {.name = "run_grown", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
