// Structs of other versions of the headers: shorter ones keep their defaults and are not written beyond their end, longer ones are refused.
#include "arguments_support.h"

// ---- Structs of other versions ---------------------------------------------------------------------------------------------

#define CHECK_NEWER(def, call)                                                                                         \
    do {                                                                                                               \
        char known[32], given[32];                                                                                     \
        snprintf(known, sizeof known, "%zu", sizeof(def));                                                             \
        snprintf(given, sizeof given, "%zu", sizeof(def) + 8);                                                         \
        (def).struct_size = (uint32_t)(sizeof(def) + 8);                                                               \
        CHECK_FAILS(call, SCREE_ERR_ARGUMENT, known, given, "newer");                                                  \
        assert_false(message_names("scree_default"));                                                                  \
        (def).struct_size = 1;                                                                                         \
        CHECK_FAILS(call, SCREE_ERR_ARGUMENT, known, "1", "scree_default");                                            \
        (def).struct_size = 0xA5A5A5A5;                                                                                \
        CHECK_FAILS(call, SCREE_ERR_ARGUMENT, known, "2779096485", "scree_default");                                   \
    } while (0)

// A caller with an older header has less room, and a newer one more.
static void defaults_fit_the_caller(void** state)
{
    (void)state;
    union {
        scree_index_def def;
        unsigned char bytes[sizeof(scree_index_def) + 64];
    } room;
    const size_t known = sizeof(scree_index_def), old = offsetof(scree_index_def, watch);
    scree_index_def whole = scree_default_index_def();
    assert_int_equal(scree_default_index_def_sized(NULL, 0), known);
    memset(&room, 0xA5, sizeof room);
    assert_int_equal(scree_default_index_def_sized(&room.def, old), known);
    assert_int_equal(room.def.struct_size, old);
    assert_true(room.def.method == whole.method && room.def.gap == whole.gap && room.def.threads == whole.threads && room.def.box.dim == whole.box.dim);
    for (size_t k = old; k < sizeof room; ++k)
        assert_int_equal(room.bytes[k], 0xA5);
    scree_index* index;
    CHECK_OK(scree_index_create(&room.def, &index));  // what it does not know of keeps its default
    scree_index_destroy(index);
    assert_int_equal(scree_default_index_def_sized(&room.def, sizeof room), known);
    for (size_t k = known; k < sizeof room; ++k)
        assert_int_equal(room.bytes[k], 0);
    CHECK_FAILS(scree_index_create(&room.def, &index), SCREE_ERR_ARGUMENT, "newer");
}

static void structs_of_a_newer_header_are_refused(void** state)
{
    (void)state;
    scree_index* index;
    scree_index_def index_def = scree_default_index_def();
    CHECK_NEWER(index_def, scree_index_create(&index_def, &index));
    scree_sim* sim;
    scree_sim_def sim_def = scree_default_sim_def();
    CHECK_NEWER(sim_def, scree_sim_create(&sim_def, spheres, NULL, &sim));
    scree_sim_numbers numbers;
    CHECK_NEWER(sim_def, scree_sim_find_numbers(&sim_def, spheres, &numbers));
    sim_def = scree_default_sim_def();
    sim_def.search = &index_def;
    CHECK_NEWER(index_def, scree_sim_create(&sim_def, spheres, NULL, &sim));
    CHECK_NEWER(index_def, scree_sim_find_numbers(&sim_def, spheres, &numbers));
    scree_candidates* near;
    scree_candidates_def candidates_def = scree_default_candidates_def();
    candidates_def.search = &index_def;
    CHECK_NEWER(index_def, scree_candidates_create(&candidates_def, &near));
    CHECK_NEWER(candidates_def, scree_candidates_create(&candidates_def, &near));
    scree_thermal_def thermal = scree_default_thermal_def();
    double v[9];
    CHECK_NEWER(thermal, scree_thermal_velocities(&thermal, spheres, v));
    scree_polygon_sim* polygon_sim;
    scree_shapes shapes = {0};
    scree_polygon_sim_def polygon_def = scree_default_polygon_sim_def();
    CHECK_NEWER(polygon_def, scree_polygon_sim_create(&polygon_def, &shapes, 0, NULL, &polygon_sim));
    scree_polygon_pair polygon_pair = scree_default_polygon_pair();
    polygon_def = scree_default_polygon_sim_def();
    polygon_def.stiffness = 1.0;
    polygon_def.material_count = 1;
    polygon_def.pairs = &polygon_pair;
    CHECK_NEWER(polygon_pair, scree_polygon_sim_create(&polygon_def, &shapes, 0, NULL, &polygon_sim));
    scree_shape_def rule = scree_default_shape_def();
    CHECK_NEWER(rule, scree_shapes_add_rule(&shapes, &rule, NULL));
    scree_levels levels;
    scree_levels_def levels_def = scree_default_levels_def();
    scree_box box = scree_box_sized(3, point);
    CHECK_NEWER(levels_def, scree_find_levels(&levels_def, &box, 3, radii, &levels));
    scree_measures measured;
    scree_measure_def measure_def = scree_default_measure_def();
    CHECK_NEWER(measure_def, scree_measure(&measure_def, spheres, &measured));
    measure_def = scree_default_measure_def();
    scree_bond_order order;
    scree_bond_order_def order_def = scree_default_bond_order_def();
    CHECK_NEWER(order_def, scree_measure_bond_order(&measure_def, spheres, &order_def, &order));
    scree_structure_factor structure;
    scree_structure_factor_def structure_def = scree_default_structure_factor_def();
    CHECK_NEWER(structure_def, scree_measure_structure_factor(&measure_def, spheres, &structure_def, &structure));
    scree_voxels voxels;
    scree_voxels_def voxels_def = scree_default_voxels_def();
    CHECK_NEWER(voxels_def, scree_measure_voxels(&measure_def, spheres, &voxels_def, &voxels));
    scree_porosity porosity;
    scree_porosity_def porosity_def = scree_default_porosity_def();
    CHECK_NEWER(porosity_def, scree_measure_porosity(&measure_def, spheres, &porosity_def, &porosity));
    scree_snapshot now = scree_default_snapshot();
    scree_group_table groups;
    CHECK_NEWER(now, scree_measure_groups(&now, &groups));
    now = scree_default_snapshot();
    now.box = scree_box_sized(3, (const double[3]){9.0, 9.0, 9.0});
    now.spheres = spheres;
    scree_fields fields;
    scree_fields_def fields_def = scree_default_fields_def();
    CHECK_NEWER(fields_def, scree_measure_fields(&now, &fields_def, &fields));
    scree_network network;
    scree_network_def network_def = scree_default_network_def();
    CHECK_NEWER(network_def, scree_measure_network(&now, &network_def, &network));
    scree_mixing mixing;
    scree_mixing_def mixing_def = scree_default_mixing_def();
    CHECK_NEWER(mixing_def, scree_measure_mixing(&now, &mixing_def, &mixing));
    scree_repose repose;
    scree_repose_def repose_def = scree_default_repose_def();
    CHECK_NEWER(repose_def, scree_measure_repose(&now, &repose_def, &repose));
    scree_event_system* system;
    scree_event_def event_def = scree_default_event_def();
    CHECK_NEWER(event_def, scree_event_create(&event_def, spheres, v, &system));
    scree_growth growth;
    scree_grow_def grow = scree_default_grow_def();
    CHECK_NEWER(grow, scree_pack_grow(&grow, 3, radii, &growth));
    scree_packing packing;
    scree_rearrange_def rearrange = scree_default_rearrange_def();
    CHECK_NEWER(rearrange, scree_pack_rearrange(&rearrange, 3, radii, &packing));
    scree_drop_def drop = scree_default_drop_def();
    CHECK_NEWER(drop, scree_pack_drop(&drop, 3, radii, &packing));
    scree_compress_def compress = scree_default_compress_def();
    CHECK_NEWER(compress, scree_pack_compress(&compress, 3, radii, &packing));
    scree_stable_def stable = scree_default_stable_def();
    scree_sizes* of_one;
    scree_hierarchy hierarchy;
    scree_hierarchy_def hierarchy_def = scree_default_hierarchy_def();
    CHECK_OK(scree_sizes_parse("mono:1", 3, &of_one));
    CHECK_NEWER(hierarchy_def, scree_pack_hierarchy(&hierarchy_def, of_one, &hierarchy));
    scree_sizes_destroy(of_one);
    CHECK_NEWER(stable, scree_pack_stable(&stable, 3, radii, v, &packing));
    scree_place_def place = scree_default_place_def();
    CHECK_NEWER(place, scree_place_random(&place, 3, radii, v));
    scree_surface* surface;
    scree_surface_def surface_def = scree_default_surface_def();
    scree_triangles triangle = {.count = 1, .xyz = (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}};
    CHECK_NEWER(surface_def, scree_surface_create(&surface_def, &triangle, &surface));
    scree_exact exact = scree_default_exact();
    CHECK_NEWER(exact, scree_exact_check(&exact));
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(3, 0, &set));
    scree_file_options options = scree_default_file_options();
    CHECK_NEWER(options, scree_write_spheres(in_folder("a.csv"), &options, &set));
    scree_picture_def look = scree_default_picture_def();
    CHECK_NEWER(look, scree_write_picture(in_folder("a.png"), &set, &look));
    scree_film* film;
    scree_film_def film_def = scree_default_film_def();
    film_def.frames = 1;
    CHECK_NEWER(film_def, scree_film_begin(in_folder("a.png"), &film_def, &film));
    scree_plot plot = scree_default_plot();
    CHECK_NEWER(plot, scree_write_plot(in_folder("a.svg"), &plot));
    scree_view* view;
    scree_view_def view_def = scree_default_view_def();
    CHECK_NEWER(view_def, scree_view_begin(in_folder("a.html"), &view_def, &view));
    scree_placement placement = scree_default_placement();
    scree_triangles triangles = {0};
    CHECK_NEWER(placement, scree_triangles_place(&triangles, &placement));
    scree_event_system* colliding;
    scree_event_def hard = scree_default_event_def();
    scree_event_until until = scree_default_event_until();
    CHECK_OK(scree_event_create(&hard, (scree_spheres){.dim = 3}, NULL, &colliding));
    CHECK_NEWER(until, scree_event_run(colliding, &until));
    scree_event_destroy(colliding);
    scree_run* run;
    scree_run_def run_def = scree_default_run_def();
    CHECK_NEWER(run_def, scree_run_resume(&run_def, in_folder("run"), &run));
    assert_int_equal(files_in_folder(), 0);
    scree_sphere_set_free(&set);
}

// Whether bytes are all 0xA5, as they were before the call.
static bool is_untouched(const void* bytes, size_t count)
{
    const unsigned char* b = bytes;
    for (size_t k = 0; k < count; ++k)
        if (b[k] != 0xA5)
            return false;
    return true;
}

// Callers with an older header have shorter structs, of which no more is written; those with a newer one have longer structs, whose further members become 0.
static void results_have_the_size_of_the_caller(void** state)
{
    (void)state;
    enum { room = 1024 };
    unsigned char given[room];
    scree_scene* scene;
    scree_scene_facts facts;
    CHECK_OK(scree_scene_parse("a.yaml", scene_text, strlen(scene_text), &scene));
    CHECK_OK(scree_scene_get_facts(scene, &facts));
    const size_t sizes[] = {offsetof(scree_scene_facts, seed), sizeof facts, sizeof facts + 40};
    // Bytes between and behind members have no value.
    const size_t flags = offsetof(scree_scene_facts, grows) + sizeof facts.grows, next = offsetof(scree_scene_facts, density), end = offsetof(scree_scene_facts, animation) + sizeof facts.animation;
    for (int k = 0; k < 3; ++k) {
        size_t known = sizes[k] < sizeof facts ? sizes[k] : sizeof facts;
        memset(given, 0xA5, room);
        CHECK_OK(scree_scene_get_facts_sized(sizes[k], scene, (scree_scene_facts*)(void*)given));
        assert_memory_equal(given, &facts, flags);
        assert_memory_equal(given + next, &facts.density, (known < end ? known : end) - next);
        assert_true(is_zero(given + known, sizes[k] - known) && is_untouched(given + sizes[k], room - sizes[k]));
    }
    scree_scene_destroy(scene);

    scree_index* index = index_of_three();
    scree_index_stats stats = scree_index_get_stats(index);
    memset(given, 0xA5, room);
    scree_index_get_stats_sized(2 * sizeof(int64_t), (scree_index_stats*)(void*)given, index);
    assert_memory_equal(given, &stats, 2 * sizeof(int64_t));
    assert_true(is_untouched(given + 2 * sizeof(int64_t), room - 2 * sizeof(int64_t)));
    scree_index_destroy(index);

    scree_sim* sim = sim_of_three();
    scree_sim_boundary_report walls[6];
    assert_int_equal(scree_sim_get_boundaries(sim, walls, 6), 6);
    const size_t strides[] = {offsetof(scree_sim_boundary_report, at), sizeof *walls + 16};
    for (int k = 0; k < 2; ++k) {
        unsigned char rows[6 * (sizeof *walls + 16) + 8];
        size_t known = strides[k] < sizeof *walls ? strides[k] : sizeof *walls;
        memset(rows, 0xA5, sizeof rows);
        assert_int_equal(scree_sim_get_boundaries_sized(strides[k], sim, (scree_sim_boundary_report*)(void*)rows, 5), 6);
        for (int b = 0; b < 5; ++b) {
            assert_memory_equal(rows + (size_t)b * strides[k], &walls[b], known);
            assert_true(is_zero(rows + (size_t)b * strides[k] + known, strides[k] - known));
        }
        assert_true(is_untouched(rows + 5 * strides[k], sizeof rows - 5 * strides[k]));
    }
    scree_sim_destroy(sim);

    scree_measure_def def = scree_default_measure_def();
    struct {
        scree_measures known;
        double later;  // of a newer header
    } newer = {.later = 1.0};
    def.box = scree_box_sized(3, (const double[]){10.0, 10.0, 10.0});
    CHECK_OK(scree_measure_sized(sizeof newer, &def, spheres, &newer.known));
    assert_true(newer.later == 0.0 && newer.known.contacts.partners != NULL);
    newer.later = 1.0;
    scree_measures_free_sized(sizeof newer, &newer.known);
    assert_true(is_zero(&newer, sizeof newer));

    // Results of queries: a shorter struct is filled as far as it goes, a longer one is zeroed behind, and both are freed.
    struct {
        scree_found_pairs known;
        double later;
    } pairs = {.later = 1.0}, same;
    scree_index_def search = scree_default_index_def();
    CHECK_OK(scree_find_pairs_sized(sizeof pairs, &search, scree_points_of(spheres), &pairs.known));
    assert_true(pairs.later == 0.0 && pairs.known.ij != NULL);
    CHECK_OK(scree_find_pairs(&search, scree_points_of(spheres), &same.known));
    assert_int_equal(pairs.known.count, same.known.count);
    scree_found_pairs_free(&same.known);
    scree_found_pairs_free_sized(sizeof pairs, &pairs.known);
    assert_true(is_zero(&pairs, sizeof pairs));
    scree_bvh* bvh;
    scree_bvh_def tree = scree_default_bvh_def();
    CHECK_OK(scree_bvh_create(&tree, scree_points_of(spheres), &bvh));
    struct {
        scree_hits known;
        double later;
    } hits = {.later = 1.0};
    CHECK_OK(scree_bvh_nearest_sized(sizeof hits, bvh, scree_points_of(spheres), 1, INFINITY, &hits.known));
    assert_true(hits.later == 0.0 && hits.known.queries == spheres.count);
    scree_hits_free_sized(sizeof hits, &hits.known);
    assert_true(is_zero(&hits, sizeof hits));
    scree_bvh_destroy(bvh);
}

static const test_case cases[] = {
    UNIT(defaults_fit_the_caller),
    UNIT(structs_of_a_newer_header_are_refused),
    UNIT(results_have_the_size_of_the_caller),
};

const test_group group_struct_sizes = {.name = "struct_sizes",
                                    .cases = cases,
                                    .count = sizeof cases / sizeof *cases,
                                    .begin = make_folder,
                                    .end = remove_folder,
                                    .before_each = start_clean};
