// scenes: what the other tests stand on.
#include "support.h"

#include "scenes.h"

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

static void cubes_have_their_density(void** state)
{
    (void)state;
    scree_sphere_set set;
    for (int dim = 2; dim <= 3; ++dim) {
        CHECK_OK(scree_sphere_set_make(dim, 10, &set));
        for (int i = 0; i < 10; ++i)
            set.r[i] = 1.0 + i;
        CHECK_OK(scene_set_cube(&set, 0.3));
        assert_true(set.has_box);
        CHECK_CLOSE(scree_spheres_volume(scree_sphere_set_view(&set)) / scree_box_volume(&set.box), 0.3, 1e-15);
        CHECK_FAILS(scene_set_cube(&set, 1.5), SCREE_ERR_ARGUMENT, "density", "1.5");
        scree_sphere_set_free(&set);
    }
    CHECK_OK(scree_sphere_set_make(3, 1, &set));
    set.r[0] = 1.0;
    CHECK_FAILS(scene_set_cube(&set, 0.6), SCREE_ERR_ARGUMENT, "sphere 0", "diameter", "2");
    scree_sphere_set_free(&set);
    CHECK_OK(scree_sphere_set_make(3, 0, &set));
    CHECK_OK(scene_set_cube(&set, 0.3));
    CHECK_CLOSE(set.box.upper[2], 1.0, 0.0);
    scree_sphere_set_free(&set);
}

static const test_case cases[] = {
    SAME_BITS(every_scene_is_valid_and_reproducible),
    UNIT(cubes_have_their_density),
};

const test_group group_scenes = {.name = "scenes", .cases = cases, .count = sizeof cases / sizeof *cases};
