// scenes: what the other tests stand on.
#include "support.h"

#include "scenes.h"
#include "scree/index.h"

static void every_scene_is_valid_and_reproducible(void** state)
{
    (void)state;
    for (int s = 0; s < scene_count; ++s)
        for (int dim = 2; dim <= 3; ++dim) {
            scene_params params = scene_default_params();
            params.dim = dim;
            params.count = 500;
            params.ratio = 4.0;
            params.periodic[0] = true;
            params.seed = 3;
            scree_sphere_set set, again;
            CHECK_OK(scene_make(scene_table[s].name, &params, &set));
            CHECK_OK(scene_make(scene_table[s].name, &params, &again));
            assert_true(set.has_box && set.count > 0 && set.count <= 500 && set.dim == dim);
            CHECK_OK(scree_box_check(&set.box));
            CHECK_OK(scree_spheres_check(scree_sphere_set_view(&set), &set.box));
            assert_memory_equal(set.x, again.x, (size_t)(set.count * dim) * sizeof *set.x);
            assert_memory_equal(set.r, again.r, (size_t)set.count * sizeof *set.r);
            scree_sphere_set_free(&set);
            scree_sphere_set_free(&again);
        }
    scree_sphere_set none;
    scene_params params = scene_default_params();
    CHECK_FAILS(scene_make("nothing", &params, &none), SCREE_ERR_ARGUMENT, "'nothing'");
}

static scree_status draw_and_add(addition_def* def, const char* law, double** r, scree_sphere_set* set)
{
    scree_sizes* sizes = NULL;
    *r = NULL;
    scree_status status = scree_sizes_parse(law, def->dim, &sizes);
    if (status == SCREE_OK && (*r = scree_malloc((size_t)def->count, sizeof **r)) == NULL)
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, def->count, *r);
    def->r = *r;
    if (status == SCREE_OK)
        status = scene_random_addition(def, set);
    scree_sizes_free(sizes);
    if (status != SCREE_OK)
        scree_free(*r);
    return status;
}

static void random_addition_fills_and_never_overlaps(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int32_t dim, count;
        double density;
    } cases[] = {{"uniform-volume:1:50", 3, 20000, 0.5}, {"mono:1", 3, 3000, 0.3}, {"uniform-size:0.5:1.5", 2, 2000, 0.45},
                 {"bidisperse:10", 3, 5000, 0.4}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t)
        for (int periodic = 0; periodic < 2; ++periodic) {
            addition_def def = scene_default_addition();
            def.dim = cases[t].dim;
            def.count = cases[t].count;
            def.density = cases[t].density;
            def.periodic[0] = def.periodic[1] = periodic == 1;
            scree_sphere_set set;
            double* r;
            CHECK_OK(draw_and_add(&def, cases[t].law, &r, &set));
            assert_memory_equal(set.r, r, (size_t)set.count * sizeof *r);  // in the order given
            CHECK_CLOSE(scree_spheres_volume(scree_sphere_set_view(&set)) / scree_box_volume(&set.box), cases[t].density, 1e-9);
            scree_index_def index_def = scree_default_index_def();
            index_def.box = set.box;
            scree_index* index;
            scree_pairs pairs;
            CHECK_OK(scree_index_create(&index_def, &index));
            CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
            CHECK_OK(scree_index_pairs(index, &pairs));
            assert_int_equal(pairs.count, 0);
            scree_index_destroy(index);
            // Whole bodies inside the walls.
            for (int64_t i = 0; i < set.count; ++i)
                for (int k = 0; k < set.dim; ++k)
                    if (!set.box.periodic[k])
                        assert_true(set.x[i * set.dim + k] >= set.r[i] &&
                                    set.x[i * set.dim + k] <= set.box.upper[k] - set.r[i] * (1.0 - 1e-12));
            scree_sphere_set_free(&set);
            scree_free(r);
        }
}

static void random_addition_says_why_not(void** state)
{
    (void)state;
    addition_def def = scene_default_addition();
    scree_sphere_set set = {0};
    double* r;
    def.count = 500;
    def.density = 1.5;
    CHECK_FAILS(draw_and_add(&def, "mono:1", &r, &set), SCREE_ERR_ARGUMENT, "density 1.5");
    def.density = 0.6;
    def.tries = 2000;
    CHECK_FAILS(draw_and_add(&def, "mono:1", &r, &set), SCREE_ERR_ARGUMENT, "found no place in 2000 tries");
    def.count = 1;
    CHECK_FAILS(draw_and_add(&def, "mono:1", &r, &set), SCREE_ERR_ARGUMENT, "does not fit into the cube");
    def.count = 200;
    def.density = 0.2;
    EACH_ALLOCATION_FAILS(draw_and_add(&def, "mono:1", &r, &set), assert_null(set.x));
    scree_sphere_set_free(&set);
    scree_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_is_valid_and_reproducible),
        cmocka_unit_test(random_addition_fills_and_never_overlaps),
        cmocka_unit_test(random_addition_says_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
