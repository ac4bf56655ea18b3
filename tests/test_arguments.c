// Every public function with NULL in place of each pointer that it needs: SCREE_ERR_ARGUMENT, with the function and the parameter in the
// message, and outputs that are empty afterwards. tests/build/symbols.sh sees to it that no public function with a pointer is left out.
#include "file_support.h"

#include "scree/scree.h"

// ---- One of everything ---------------------------------------------------------------------------------------------------

static const double centres[] = {0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 3.0, 0.0, 0.0}, radii[] = {1.0, 1.0, 1.0};
static const double square_xy[] = {0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0}, point[3] = {0.5, 0.5, 0.5};
static const char scene_text[] = "dimension: 2\nbox: {size: [10, 10]}\nspheres: {count: 3, sizes: mono:0.5, place: random}\n"
                                 "contact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 10}\n";

static const scree_spheres spheres = {.count = 3, .dim = 3, .x = centres, .r = radii};
static const scree_polygon square = {.count = 4, .xy = square_xy};

static scree_index* index_of_three(void)
{
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, spheres));
    return index;
}

static scree_sim* sim_of_three(void)
{
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_open(3);
    def.stiffness = 1e3;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, spheres, NULL, &sim));
    return sim;
}

static scree_polygon_sim* polygon_sim_of_one(scree_shapes* shapes, scree_body* body)
{
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = 1e3;
    scree_polygon_sim* sim;
    CHECK_OK(scree_shapes_add(shapes, square, &body->shape));
    CHECK_OK(scree_polygon_sim_create(&def, shapes, 1, body, &sim));
    return sim;
}

static bool is_zero(const void* bytes, size_t count)
{
    const unsigned char* b = bytes;
    for (size_t k = 0; k < count; ++k)
        if (b[k] != 0)
            return false;
    return true;
}

// REFUSES(function, arguments, parameter): the call fails and names both.
#define REFUSES(function, arguments, parameter) CHECK_FAILS(function arguments, SCREE_ERR_ARGUMENT, #function, parameter, "NULL")

// The same, and `out`, full of rubbish before, is zeroed afterwards.
#define EMPTIES(out, function, arguments, parameter)                                                                   \
    do {                                                                                                               \
        memset(&(out), 0xA5, sizeof(out));                                                                             \
        REFUSES(function, arguments, parameter);                                                                       \
        assert_true(is_zero(&(out), sizeof(out)));                                                                     \
    } while (0)

// A function without a status gives `expression`, and the message names function and parameter.
#define ANSWERS(function, expression, parameter)                                                                       \
    do {                                                                                                               \
        scree_fail(SCREE_OK, "none");                                                                                  \
        assert_true(expression);                                                                                       \
        if (!message_names(#function) || !message_names(parameter " | NULL"))                                         \
            fail_msg("%s:%d: %s: the message is \"%s\"", __FILE__, __LINE__, #function, scree_error_message());        \
    } while (0)

// A function that gives nothing back only leaves its message.
#define IGNORES(function, arguments, parameter) ANSWERS(function, (function arguments, true), parameter)

// ---- The table -------------------------------------------------------------------------------------------------------------

static void base_and_geometry(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(1, 2);
    scree_box box = scree_box_sized(3, point);
    scree_container container = {.box = box};
    scree_wall walls[SCREE_WALLS_MAX];
    scree_sphere_set set;
    scree_column* column;
    double x[3];
    ANSWERS(scree_rng_bits, scree_rng_bits(NULL) == 0, "rng");
    ANSWERS(scree_rng_bits, scree_rng_uniform(NULL) == 0.0, "rng");
    ANSWERS(scree_rng_below, scree_rng_below(NULL, 7) == 0, "rng");
    ANSWERS(scree_box_sized, scree_box_sized(3, NULL).dim == 0, "size");
    REFUSES(scree_box_check, (NULL), "box");
    ANSWERS(scree_box_volume, isnan(scree_box_volume(NULL)), "box");
    ANSWERS(scree_box_is_periodic, !scree_box_is_periodic(NULL), "box");
    ANSWERS(scree_box_wrap, isnan(scree_box_wrap(NULL, 0, 1.0, NULL)), "box");
    ANSWERS(scree_box_is_tilted, !scree_box_is_tilted(NULL), "box");
    REFUSES(scree_box_refuse_tilt, (NULL, "test"), "box");
    REFUSES(scree_box_refuse_tilt, (&box, NULL), "what");
    ANSWERS(scree_box_period, isnan(scree_box_period(NULL)), "box");
    IGNORES(scree_box_offset, (NULL, (const int8_t[3]){0}, x), "box");
    IGNORES(scree_box_offset, (&box, NULL, x), "shift");
    IGNORES(scree_box_offset, (&box, (const int8_t[3]){0}, NULL), "offset");
    IGNORES(scree_box_wrap_centre, (NULL, x, NULL), "box");
    IGNORES(scree_box_wrap_centre, (&box, NULL, NULL), "x");
    REFUSES(scree_container_check, (NULL), "c");
    ANSWERS(scree_container_volume, isnan(scree_container_volume(NULL)), "c");
    ANSWERS(scree_container_largest, isnan(scree_container_largest(NULL)), "c");
    ANSWERS(scree_container_depth, isnan(scree_container_depth(NULL, point, 0.1)), "c");
    ANSWERS(scree_container_depth, isnan(scree_container_depth(&container, NULL, 0.1)), "x");
    ANSWERS(scree_container_walls, scree_container_walls(NULL, point, 0.1, 1.0, walls) == 0, "c");
    ANSWERS(scree_container_walls, scree_container_walls(&container, NULL, 0.1, 1.0, walls) == 0, "x");
    ANSWERS(scree_container_walls, scree_container_walls(&container, point, 0.1, 1.0, NULL) == 0, "walls");
    IGNORES(scree_container_draw, (NULL, 0.1, &rng, x), "c");
    IGNORES(scree_container_draw, (&container, 0.1, NULL, x), "rng");
    IGNORES(scree_container_draw, (&container, 0.1, &rng, NULL), "x");
    assert_int_equal(scree_spheres_bounds((scree_spheres){.count = 3, .dim = 3}).dim, 3);
    ANSWERS(scree_spheres_volume, isnan(scree_spheres_volume((scree_spheres){.count = 3, .dim = 3})), "spheres.r");
    CHECK_FAILS(scree_spheres_check((scree_spheres){.count = 3, .dim = 3, .r = radii}, NULL), SCREE_ERR_ARGUMENT, "x", "NULL");
    CHECK_FAILS(scree_spheres_check((scree_spheres){.count = 3, .dim = 3, .x = centres}, NULL), SCREE_ERR_ARGUMENT, "r", "NULL");
    ANSWERS(scree_pair_gap, isnan(scree_pair_gap(NULL, (scree_spheres){.count = 3, .dim = 3, .r = radii}, 0, 1, NULL)), "spheres.x");
    ANSWERS(scree_pair_gap, isnan(scree_pair_gap(NULL, (scree_spheres){.count = 3, .dim = 3, .x = centres}, 0, 1, NULL)), "spheres.r");
    ANSWERS(scree_pair_gap, isnan(scree_pair_gap(NULL, spheres, 0, 1, (const int8_t[3]){0})), "box");
    REFUSES(scree_sphere_set_make, (3, 5, NULL), "out");
    ANSWERS(scree_sphere_set_view, scree_sphere_set_view(NULL).count == 0, "set");
    CHECK_OK(scree_sphere_set_make(3, 5, &set));
    REFUSES(scree_sphere_set_check_box, (NULL), "set");
    ANSWERS(scree_text_clean, scree_text_clean(NULL, 3) == 0, "text");
    ANSWERS(scree_sphere_set_find, scree_sphere_set_find(NULL, "a") == NULL, "set");
    ANSWERS(scree_sphere_set_find, scree_sphere_set_find(&set, NULL) == NULL, "name");
    ANSWERS(scree_sphere_set_row, scree_sphere_set_row(NULL, 0) == -1, "set");
    EMPTIES(column, scree_sphere_set_add, (NULL, "a", SCREE_COLUMN_DOUBLE, 1, &column), "set");
    EMPTIES(column, scree_sphere_set_add, (&set, NULL, SCREE_COLUMN_DOUBLE, 1, &column), "name");
    REFUSES(scree_sphere_set_add, (&set, "a", SCREE_COLUMN_DOUBLE, 1, NULL), "column");
    scree_sphere_set_free(&set);
    scree_sphere_set_free(NULL);
    scree_free(NULL);
    const scree_tasks no_tasks = {0};
    const scree_allocator no_memory = {0};
    REFUSES(scree_set_tasks, (&no_tasks), "tasks->run");
    CHECK_OK(scree_set_tasks(NULL));
    REFUSES(scree_set_allocator, (&no_memory), "allocator->allocate");
}

static void surfaces(void** state)
{
    (void)state;
    double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, turn[3][3];
    const double xr[1][4] = {{0, 0, 0, 1}};
    int32_t near[1], winding;
    scree_triangles triangles = {.count = 1, .xyz = xyz};
    scree_placement placement = scree_default_placement();
    scree_surface_def def = scree_default_surface_def();
    scree_surface* surface;
    scree_surface_contact contact, contacts[SCREE_EXACT_CONTACTS_MAX];
    scree_surface_rows rows = {0};
    REFUSES(scree_triangles_make, (1, NULL), "out");
    REFUSES(scree_triangles_check, (NULL), "triangles");
    CHECK_FAILS(scree_triangles_check(&(scree_triangles){.count = 1}), SCREE_ERR_ARGUMENT, "xyz", "NULL");
    REFUSES(scree_triangles_place, (NULL, &placement), "triangles");
    REFUSES(scree_triangles_place, (&triangles, NULL), "placement");
    REFUSES(scree_placement_turn, (NULL, 1.0, turn), "axis");
    REFUSES(scree_placement_turn, (point, 1.0, NULL), "turn");
    EMPTIES(surface, scree_surface_create, (NULL, &triangles, &surface), "def");
    EMPTIES(surface, scree_surface_create, (&def, NULL, &surface), "triangles");
    REFUSES(scree_surface_create, (&def, &triangles, NULL), "out");
    CHECK_OK(scree_surface_create(&def, &triangles, &surface));
    ANSWERS(scree_surface_get_report, scree_surface_get_report(NULL).triangles == 0, "surface");
    ANSWERS(scree_surface_get_arrays, scree_surface_get_arrays(NULL).triangles == 0, "surface");
    EMPTIES(winding, scree_surface_winding, (NULL, point, &winding), "surface");
    EMPTIES(winding, scree_surface_winding, (surface, NULL, &winding), "x");
    REFUSES(scree_surface_winding, (surface, point, NULL), "winding");
    ANSWERS(scree_surface_near, scree_surface_near(NULL, point, 1.0, near, 1) == 0, "surface");
    ANSWERS(scree_surface_near, scree_surface_near(surface, NULL, 1.0, near, 1) == 0, "x");
    assert_int_equal(scree_surface_near(surface, point, 1.0, NULL, 0), 1);
    ANSWERS(scree_surface_contacts, scree_surface_contacts(NULL, point, 1.0, 1, near, &contact, 1) == 0, "surface");
    ANSWERS(scree_surface_contacts, scree_surface_contacts(surface, NULL, 1.0, 1, near, &contact, 1) == 0, "x");
    ANSWERS(scree_surface_contacts, scree_surface_contacts(surface, point, 1.0, 1, NULL, &contact, 1) == 0, "candidates");
    EMPTIES(contact, scree_surface_closest, (NULL, point, &contact), "surface");
    EMPTIES(contact, scree_surface_closest, (surface, NULL, &contact), "x");
    REFUSES(scree_surface_closest, (surface, point, NULL), "out");
    REFUSES(scree_surface_rows_make, (NULL, 1, xr, 0.0, 1, &rows), "surface");
    REFUSES(scree_surface_rows_make, (surface, 1, xr, 0.0, 1, NULL), "rows");
    CHECK_FAILS(scree_surface_rows_make(surface, 1, NULL, 0.0, 1, &rows), SCREE_ERR_ARGUMENT, "xr", "NULL");
    scree_surface_rows_free(NULL);
    scree_surface_destroy(surface);
    scree_surface_destroy(NULL);
    scree_triangles_free(NULL);
    scree_exact exact = scree_default_exact();
    REFUSES(scree_exact_check, (NULL), "exact");
    EMPTIES(contact, scree_exact_closest, (NULL, point, &contact), "exact");
    EMPTIES(contact, scree_exact_closest, (&exact, NULL, &contact), "x");
    REFUSES(scree_exact_closest, (&exact, point, NULL), "out");
    ANSWERS(scree_exact_contacts, scree_exact_contacts(NULL, point, 1.0, contacts) == 0, "exact");
    ANSWERS(scree_exact_contacts, scree_exact_contacts(&exact, NULL, 1.0, contacts) == 0, "x");
    ANSWERS(scree_exact_contacts, scree_exact_contacts(&exact, point, 1.0, NULL) == 0, "out");
    EMPTIES(triangles, scree_read_triangles, (NULL, NULL, &triangles), "path");
    REFUSES(scree_read_triangles, ("a.stl", NULL, NULL), "out");
    REFUSES(scree_write_triangles, (NULL, NULL, &triangles), "path");
    REFUSES(scree_write_triangles, ("a.stl", NULL, NULL), "triangles");
}

static void sizes_and_levels(void** state)
{
    (void)state;
    scree_sizes* sizes;
    double d[2] = {1.0, 2.0}, share[2] = {0.0, 1.0}, r[3], by[2];
    EMPTIES(sizes, scree_sizes_parse, (NULL, 3, &sizes), "text");
    REFUSES(scree_sizes_parse, ("mono:1", 3, NULL), "out");
    EMPTIES(sizes, scree_read_sizes, (NULL, 3, &sizes), "text");
    REFUSES(scree_read_sizes, ("mono:1", 3, NULL), "out");
    EMPTIES(sizes, scree_sizes_table, (SCREE_TABLE_NUMBER, 3, 2, NULL, share, &sizes), "d");
    EMPTIES(sizes, scree_sizes_table, (SCREE_TABLE_NUMBER, 3, 2, d, NULL, &sizes), "share");
    REFUSES(scree_sizes_table, (SCREE_TABLE_NUMBER, 3, 2, d, share, NULL), "out");
    CHECK_OK(scree_sizes_parse("mono:1", 3, &sizes));
    REFUSES(scree_sizes_draw, (NULL, SCREE_SAMPLING_RANDOM, 1, 3, r), "sizes");
    CHECK_FAILS(scree_sizes_draw(sizes, SCREE_SAMPLING_RANDOM, 1, 3, NULL), SCREE_ERR_ARGUMENT, "r", "NULL");
    ANSWERS(scree_sizes_quantile, isnan(scree_sizes_quantile(NULL, 0.5)), "sizes");
    ANSWERS(scree_sizes_cdf, isnan(scree_sizes_cdf(NULL, 0.5)), "sizes");
    ANSWERS(scree_sizes_cdf_mass, isnan(scree_sizes_cdf_mass(NULL, 0.5)), "sizes");
    ANSWERS(scree_sizes_moment, isnan(scree_sizes_moment(NULL, 1.0)), "sizes");
    ANSWERS(scree_sizes_min, isnan(scree_sizes_min(NULL)), "sizes");
    ANSWERS(scree_sizes_max, isnan(scree_sizes_max(NULL)), "sizes");
    ANSWERS(scree_sizes_text, scree_sizes_text(NULL) == NULL, "sizes");
    CHECK_FAILS(scree_sizes_realised(3, NULL, 3, 2, d, by, by), SCREE_ERR_ARGUMENT, "r", "NULL");
    CHECK_FAILS(scree_sizes_realised(3, radii, 3, 2, NULL, by, by), SCREE_ERR_ARGUMENT, "d", "NULL");
    CHECK_OK(scree_sizes_realised(3, radii, 3, 2, d, NULL, NULL));
    scree_sizes_destroy(sizes);
    scree_sizes_destroy(NULL);

    scree_levels_def def = scree_default_levels_def();
    scree_box box = scree_box_sized(3, (const double[3]){9.0, 9.0, 9.0});
    scree_levels levels;
    EMPTIES(levels, scree_levels_find, (NULL, &box, 3, radii, &levels), "def");
    EMPTIES(levels, scree_levels_find, (&def, NULL, 3, radii, &levels), "box");
    EMPTIES(levels, scree_levels_find, (&def, &box, 3, NULL, &levels), "r");
    REFUSES(scree_levels_find, (&def, &box, 3, radii, NULL), "out");
}

static void candidates(void** state)
{
    (void)state;
    scree_candidates_def def = scree_default_candidates_def();
    scree_candidates *none, *near;
    scree_candidate_items now = {.count = 0};
    scree_candidate_rows rows;
    scree_box box = scree_box_open(3);
    bool holds;
    double skin;
    EMPTIES(none, scree_candidates_create, (NULL, &none), "def");
    REFUSES(scree_candidates_create, (&def, NULL), "out");
    CHECK_OK(scree_candidates_create(&def, &near));
    REFUSES(scree_candidates_update, (NULL, &now), "candidates");
    REFUSES(scree_candidates_update, (near, NULL), "now");
    EMPTIES(holds, scree_candidates_hold, (NULL, &now, &holds), "candidates");
    EMPTIES(holds, scree_candidates_hold, (near, NULL, &holds), "now");
    REFUSES(scree_candidates_hold, (near, &now, NULL), "holds");
    EMPTIES(skin, scree_candidates_next_skin, (NULL, &now, 1, point, &skin), "candidates");
    EMPTIES(skin, scree_candidates_next_skin, (near, NULL, 1, point, &skin), "now");
    EMPTIES(skin, scree_candidates_next_skin, (near, &now, 1, NULL, &skin), "ways");
    REFUSES(scree_candidates_next_skin, (near, &now, 1, point, NULL), "out");
    EMPTIES(skin, scree_candidates_first_skin, (NULL, (scree_spheres){.dim = 3}, 0.0, &skin), "candidates");
    REFUSES(scree_candidates_first_skin, (near, (scree_spheres){.dim = 3}, 0.0, NULL), "out");
    EMPTIES(rows, scree_candidates_get_rows, (NULL, &rows), "candidates");
    REFUSES(scree_candidates_get_rows, (near, NULL), "out");
    REFUSES(scree_candidates_scale, (NULL, &box, point, 1.0), "candidates");
    REFUSES(scree_candidates_scale, (near, NULL, point, 1.0), "box");
    REFUSES(scree_candidates_scale, (near, &box, NULL, 1.0), "about");
    REFUSES(scree_candidates_deform, (NULL, &box), "candidates");
    REFUSES(scree_candidates_deform, (near, NULL), "box");
    scree_candidates_trim(NULL);
    scree_candidates_clear(NULL);
    REFUSES(scree_candidates_set_threads, (NULL, 1), "candidates");
    ANSWERS(scree_candidates_get_stats, scree_candidates_get_stats(NULL).builds == 0, "candidates");
    scree_candidates_destroy(NULL);
    scree_candidates_destroy(near);
}

static void neighbours(void** state)
{
    (void)state;
    scree_neighbour_lists_def def = scree_default_neighbour_lists_def();
    scree_neighbour_lists *none, *lists;
    scree_neighbour_rows rows;
    scree_neighbour_change change;
    int32_t entry = 0;
    def.index = index_of_three();
    EMPTIES(none, scree_neighbour_lists_create, (NULL, &none), "def");
    REFUSES(scree_neighbour_lists_create, (&def, NULL), "out");
    CHECK_OK(scree_neighbour_lists_create(&def, &lists));
    REFUSES(scree_neighbour_lists_make, (NULL, 0.1), "lists");
    CHECK_OK(scree_neighbour_lists_make(lists, 0.1));
    EMPTIES(change, scree_neighbour_lists_move, (NULL, 0, point, &change), "lists");
    EMPTIES(change, scree_neighbour_lists_move, (lists, 0, NULL, &change), "x");
    EMPTIES(change, scree_neighbour_lists_refresh, (NULL, 0, point, &change), "lists");
    EMPTIES(change, scree_neighbour_lists_refresh, (lists, 0, NULL, &change), "x");
    EMPTIES(change, scree_neighbour_lists_replace, (NULL, 0, 1, &entry, &entry, &change), "lists");
    REFUSES(scree_neighbour_lists_replace, (lists, 0, 1, &entry, &entry, NULL), "change");
    EMPTIES(rows, scree_neighbour_lists_rows, (NULL, &rows), "lists");
    REFUSES(scree_neighbour_lists_rows, (lists, NULL), "out");
    REFUSES(scree_neighbour_lists_validate, (NULL), "lists");
    ANSWERS(scree_neighbour_lists_get_stats, scree_neighbour_lists_get_stats(NULL).builds == 0, "lists");
    scree_neighbour_lists_destroy(NULL);
    scree_neighbour_lists_destroy(lists);
    scree_index_destroy(def.index);
}

static void queries(void** state)
{
    (void)state;
    scree_bvh_def def = scree_default_bvh_def();
    scree_bvh *none, *bvh;
    scree_hits hits;
    double at[3] = {0.5, 0.5, 0.5}, along[3] = {1.0, 0.0, 0.0};
    scree_points points = scree_points_of((scree_spheres){.count = 1, .dim = 3, .x = at, .r = along});
    EMPTIES(none, scree_bvh_create, (NULL, points, &none), "def");
    REFUSES(scree_bvh_create, (&def, points, NULL), "out");
    CHECK_OK(scree_bvh_create(&def, points, &bvh));
    ANSWERS(scree_bvh_count, scree_bvh_count(NULL) == 0, "bvh");
    ANSWERS(scree_bvh_bytes, scree_bvh_bytes(NULL) == 0, "bvh");
    EMPTIES(hits, scree_bvh_within, (NULL, points, 0.0, &hits), "bvh");
    REFUSES(scree_bvh_within, (bvh, points, 0.0, NULL), "out");
    REFUSES(scree_bvh_visit_within, (bvh, points, 0.0, NULL, NULL), "visit");
    REFUSES(scree_find_pairs, (NULL, points, NULL), "out");
    REFUSES(scree_visit_pairs, (NULL, points, NULL, NULL), "visit");
    scree_found_pairs_free(NULL);
    EMPTIES(hits, scree_bvh_nearest, (NULL, points, 1, 1.0, &hits), "bvh");
    REFUSES(scree_bvh_nearest, (bvh, points, 1, 1.0, NULL), "out");
    EMPTIES(hits, scree_bvh_boxes, (NULL, 1, at, at, NULL, &hits), "bvh");
    EMPTIES(hits, scree_bvh_boxes, (bvh, 1, NULL, at, NULL, &hits), "lower");
    EMPTIES(hits, scree_bvh_boxes, (bvh, 1, at, NULL, NULL, &hits), "upper");
    REFUSES(scree_bvh_boxes, (bvh, 1, at, at, NULL, NULL), "out");
    EMPTIES(hits, scree_bvh_rays, (NULL, 1, at, along, 1.0, false, NULL, &hits), "bvh");
    EMPTIES(hits, scree_bvh_rays, (bvh, 1, NULL, along, 1.0, false, NULL, &hits), "origin");
    EMPTIES(hits, scree_bvh_rays, (bvh, 1, at, NULL, 1.0, false, NULL, &hits), "direction");
    REFUSES(scree_bvh_rays, (bvh, 1, at, along, 1.0, false, NULL, NULL), "out");
    scree_hits_free(NULL);
    scree_bvh_destroy(NULL);
    scree_bvh_destroy(bvh);
}

static void indices(void** state)
{
    (void)state;
    scree_index_def def = scree_default_index_def();
    scree_index *none, *index = index_of_three();
    scree_pairs pairs;
    scree_neighbours near;
    scree_surroundings around;
    int32_t number;
    int64_t user = 1;
    EMPTIES(none, scree_index_create, (NULL, &none), "def");
    REFUSES(scree_index_create, (&def, NULL), "out");
    def.gap = NAN;
    memset(&none, 0xA5, sizeof none);
    CHECK_FAILS(scree_index_create(&def, &none), SCREE_ERR_ARGUMENT);
    assert_null(none);
    REFUSES(scree_index_update, (NULL, spheres), "index");
    CHECK_FAILS(scree_index_update(index, (scree_spheres){.count = 3, .dim = 3}), SCREE_ERR_ARGUMENT, "x", "NULL");
    REFUSES(scree_index_update_boxes, (NULL, spheres, NULL), "index");
    REFUSES(scree_index_set_gap, (NULL, 0.1), "index");
    EMPTIES(pairs, scree_index_pairs, (NULL, &pairs), "index");
    REFUSES(scree_index_pairs, (index, NULL), "out");
    EMPTIES(pairs, scree_index_box_pairs, (NULL, &pairs), "index");
    REFUSES(scree_index_box_pairs, (index, NULL), "out");
    ANSWERS(scree_index_count, scree_index_count(NULL) == 0, "index");
    REFUSES(scree_index_get, (NULL, 0, NULL, NULL), "index");
    CHECK_OK(scree_index_get(index, 0, NULL, NULL));
    REFUSES(scree_index_get_all, (NULL, NULL), "index");
    REFUSES(scree_index_get_all, (index, NULL), "xr");
    REFUSES(scree_index_set_user, (NULL, 0, 1), "index");
    EMPTIES(user, scree_index_get_user, (NULL, 0, &user), "index");
    REFUSES(scree_index_get_user, (index, 0, NULL), "user");
    REFUSES(scree_index_set_user_all, (NULL, &user), "index");
    REFUSES(scree_index_get_user_all, (NULL, &user), "index");
    REFUSES(scree_index_get_user_all, (index, NULL), "user");
    REFUSES(scree_index_move, (NULL, 0, point), "index");
    REFUSES(scree_index_move, (index, 0, NULL), "x");
    REFUSES(scree_index_insert, (NULL, point, 1.0, &number), "index");
    REFUSES(scree_index_insert, (index, NULL, 1.0, &number), "x");
    REFUSES(scree_index_remove, (NULL, 0), "index");
    REFUSES(scree_index_set_radius, (NULL, 0, 1.0), "index");
    REFUSES(scree_index_set_box, (NULL, &def.box), "index");
    REFUSES(scree_index_set_box, (index, NULL), "box");
    REFUSES(scree_index_rescale, (NULL, 1.0, 1.0), "index");
    EMPTIES(near, scree_index_neighbours, (NULL, 0, &near), "index");
    REFUSES(scree_index_neighbours, (index, 0, NULL), "out");
    EMPTIES(near, scree_index_query, (NULL, point, 1.0, &near), "index");
    EMPTIES(near, scree_index_query, (index, NULL, 1.0, &near), "x");
    REFUSES(scree_index_query, (index, point, 1.0, NULL), "out");
    EMPTIES(around, scree_index_surroundings, (NULL, 0, &around), "index");
    REFUSES(scree_index_surroundings, (index, 0, NULL), "out");
    ANSWERS(scree_index_device, scree_index_device(NULL) == 0, "index");
    ANSWERS(scree_index_method, scree_index_method(NULL) == SCREE_METHOD_AUTO, "index");
    ANSWERS(scree_index_get_stats, scree_index_get_stats(NULL).bytes == 0, "index");
    ANSWERS(scree_index_predicted, scree_index_predicted(NULL, SCREE_METHOD_AUTO) == 0.0, "index");
    REFUSES(scree_index_validate, (NULL), "index");
    CHECK_OK(scree_index_pairs(index, &pairs));
    assert_int_equal(pairs.count, 2);
    scree_index_destroy(index);
    scree_index_destroy(NULL);
}

static void simulations(void** state)
{
    (void)state;
    scree_sim_def def = scree_default_sim_def();
    def.stiffness = 1e3;
    scree_sim *none, *sim = sim_of_three();
    scree_sim_numbers numbers;
    scree_sim_report report;
    scree_sim_contacts contacts;
    scree_sim_state at = {0};
    double three[3] = {0.0}, walls[3][2] = {{0.0}};
    EMPTIES(none, scree_sim_create, (NULL, spheres, NULL, &none), "def");
    REFUSES(scree_sim_create, (&def, spheres, NULL, NULL), "out");
    CHECK_FAILS(scree_sim_create(&def, (scree_spheres){.count = 3, .dim = 3}, NULL, &none), SCREE_ERR_ARGUMENT, "x", "NULL");
    ANSWERS(scree_sim_get_numbers, scree_sim_get_numbers(NULL).time_step == 0.0, "sim");
    EMPTIES(numbers, scree_sim_find_numbers, (NULL, spheres, &numbers), "def");
    REFUSES(scree_sim_find_numbers, (&def, spheres, NULL), "out");
    scree_sim_material material = scree_default_sim_material();
    scree_sim_overlaps overlaps;
    EMPTIES(overlaps, scree_sim_take_overlaps, (NULL, &overlaps), "sim");
    REFUSES(scree_sim_take_overlaps, (sim, NULL), "out");
    ANSWERS(scree_sim_effective_young, isnan(scree_sim_effective_young(NULL, &material)), "a");
    ANSWERS(scree_sim_effective_young, isnan(scree_sim_effective_young(&material, NULL)), "b");
    ANSWERS(scree_sim_effective_shear, isnan(scree_sim_effective_shear(NULL, &material)), "a");
    ANSWERS(scree_sim_effective_shear, isnan(scree_sim_effective_shear(&material, NULL)), "b");
    REFUSES(scree_sim_run, (NULL, 1), "sim");
    ANSWERS(scree_sim_integrator, scree_sim_integrator(NULL) == SCREE_INTEGRATOR_VELOCITY_VERLET, "sim");
    ANSWERS(scree_sim_device, scree_sim_device(NULL) == SCREE_DEVICE_NONE, "sim");
    ANSWERS(scree_sim_device_bytes, scree_sim_device_bytes(NULL) == 0, "sim");
    REFUSES(scree_device_describe, (SCREE_DEVICE_EMULATE, NULL), "out");
    REFUSES(scree_par_create, (-1, NULL), "out");
    scree_par* ranks;
    REFUSES(scree_par_create_virtual, (2, NULL), "out");
    CHECK_FAILS(scree_par_create_virtual(0, &ranks), SCREE_ERR_ARGUMENT, "0 virtual ranks");
    assert_null(ranks);
    REFUSES(scree_par_share, (NULL), "par");
    ANSWERS(scree_par_rank, scree_par_rank(NULL) == 0, "par");
    ANSWERS(scree_par_ranks, scree_par_ranks(NULL) == 0, "par");
    assert_null(scree_par_shared());
    scree_par_pairs_def wanted_pairs = scree_default_par_pairs_def();
    scree_par_pairs* shared_pairs;
    scree_pairs some_pairs;
    EMPTIES(shared_pairs, scree_par_find_pairs, (NULL, &wanted_pairs, (scree_spheres){0}, &shared_pairs), "par");
    REFUSES(scree_par_find_pairs, (NULL, &wanted_pairs, (scree_spheres){0}, NULL), "out");
    EMPTIES(some_pairs, scree_par_pairs_next, (NULL, &some_pairs), "pairs");
    ANSWERS(scree_par_pairs_get_stats, scree_par_pairs_get_stats(NULL).count == 0, "pairs");
    scree_par_pairs_destroy(NULL);
    scree_par_destroy(NULL);
    ANSWERS(scree_sim_step, scree_sim_step(NULL) == 0, "sim");
    ANSWERS(scree_sim_time, isnan(scree_sim_time(NULL)), "sim");
    ANSWERS(scree_sim_count, scree_sim_count(NULL) == 0, "sim");
    ANSWERS(scree_sim_get_columns, scree_sim_get_columns(NULL, NULL, 0) == 0, "sim");
    REFUSES(scree_sim_get_column, (NULL, "x", three), "sim");
    REFUSES(scree_sim_get_column, (sim, NULL, three), "name");
    REFUSES(scree_sim_get_column, (sim, "x", NULL), "out");
    REFUSES(scree_sim_get_rows, (NULL, 0, 1, 1, &(scree_sim_values){"x", three}), "sim");
    REFUSES(scree_sim_get_rows, (sim, 0, 1, 1, NULL), "columns");
    CHECK_FAILS(scree_sim_get_rows(sim, 0, 1, 1, &(scree_sim_values){NULL, three}), SCREE_ERR_ARGUMENT, "NULL");
    CHECK_FAILS(scree_sim_get_rows(sim, 0, 1, 1, &(scree_sim_values){"x", NULL}), SCREE_ERR_ARGUMENT, "NULL");
    CHECK_FAILS(scree_sim_get_rows(sim, 0, 1, 1, &(scree_sim_values){"mass", three}), SCREE_ERR_ARGUMENT, "mass");
    CHECK_FAILS(scree_sim_get_rows(sim, 1, scree_sim_count(sim), 1, &(scree_sim_values){"x", three}), SCREE_ERR_ARGUMENT, "row 1");
    REFUSES(scree_sim_set_group_force, (NULL, 0, three), "sim");
    REFUSES(scree_sim_set_group_force, (sim, 0, NULL), "force");
    ANSWERS(scree_sim_box, scree_sim_box(NULL).dim == 0, "sim");
    double turn[3] = {1.0, 2.0, 3.0};
    three[2] = 4.0;
    IGNORES(scree_sim_get_gravity, (NULL, three, turn), "sim");
    assert_true(is_zero(three, sizeof three) && is_zero(turn, sizeof turn));
    IGNORES(scree_sim_get_gravity, (sim, NULL, three), "gravity");
    IGNORES(scree_sim_get_gravity, (sim, three, NULL), "turn");
    REFUSES(scree_sim_set_gravity, (NULL, three, three), "sim");
    REFUSES(scree_sim_set_gravity, (sim, NULL, three), "gravity");
    REFUSES(scree_sim_set_gravity, (sim, three, NULL), "turn");
    REFUSES(scree_sim_set_wall_velocity, (NULL, (const double(*)[2])walls), "sim");
    REFUSES(scree_sim_set_wall_velocity, (sim, NULL), "velocity");
    scree_sim_cell cell = scree_default_sim_cell();
    scree_sim_cell_report cell_now;
    scree_sim_cell_state cell_then = {.since = 0};
    scree_box cell_box = scree_box_open(3);
    REFUSES(scree_sim_set_cell, (NULL, &cell), "sim");
    REFUSES(scree_sim_set_cell, (sim, NULL), "cell");
    REFUSES(scree_sim_check_cell, (NULL, &cell), "sim");
    REFUSES(scree_sim_check_cell, (sim, NULL), "cell");
    EMPTIES(cell_now, scree_sim_get_cell, (NULL, &cell_now), "sim");
    REFUSES(scree_sim_get_cell, (sim, NULL), "out");
    assert_false(scree_sim_cell_moves(NULL));
    assert_true(scree_sim_cell_from(NULL, 0, 1.0, &cell_box).since == 0);
    assert_true(scree_sim_cell_from(&cell_then, 0, 1.0, NULL).since == 0);
    scree_sim_memory memory = {.count = 3};
    scree_sim_boundary_report on = {.contacts = 3};
    ANSWERS(scree_sim_volume, isnan(scree_sim_volume(NULL)), "sim");
    EMPTIES(memory, scree_sim_get_memory, (NULL, &memory), "sim");
    REFUSES(scree_sim_get_memory, (sim, NULL), "out");
    int64_t remembered = 3;
    EMPTIES(memory, scree_sim_get_memory_rows, (NULL, 0, 1, &memory, &remembered), "sim");
    REFUSES(scree_sim_get_memory_rows, (sim, 0, 1, NULL, &remembered), "out");
    REFUSES(scree_sim_get_memory_rows, (sim, 0, 1, &memory, NULL), "all");
    CHECK_FAILS(scree_sim_get_memory_rows(sim, -1, 1, &memory, &remembered), SCREE_ERR_ARGUMENT, "-1");
    scree_sim_bonds bonds;
    EMPTIES(bonds, scree_sim_get_bonds, (NULL, &bonds), "sim");
    REFUSES(scree_sim_get_bonds, (sim, NULL), "out");
    assert_true(scree_default_sim_bond().struct_size == sizeof(scree_sim_bond) && scree_default_sim_bonds_def().struct_size == sizeof(scree_sim_bonds_def));
    ANSWERS(scree_sim_get_boundaries, scree_sim_get_boundaries(NULL, &on, 1) == 0, "sim");
    assert_int_equal(scree_sim_get_boundaries(sim, NULL, 0), 6);
    REFUSES(scree_sim_set_motion, (NULL, 6, three, three), "sim");
    REFUSES(scree_sim_set_motion, (sim, 6, NULL, three), "velocity");
    REFUSES(scree_sim_set_motion, (sim, 6, three, NULL), "spin");
    scree_sim_load load = scree_default_sim_load();
    REFUSES(scree_sim_set_load, (NULL, &load), "sim");
    REFUSES(scree_sim_set_load, (sim, NULL), "load");
    REFUSES(scree_sim_release_group, (NULL, 0), "sim");
    ANSWERS(scree_sim_get_loads, scree_sim_get_loads(NULL, &load, 1) == 0, "sim");
    ANSWERS(scree_sim_get_groups, scree_sim_get_groups(NULL, NULL, 0) == 0, "sim");
    REFUSES(scree_signal_check, (NULL), "signal");
    three[2] = 4.0;
    IGNORES(scree_signal_at, (NULL, 0.0, three), "signal");
    IGNORES(scree_signal_rate, (NULL, 0.0, three), "signal");
    IGNORES(scree_signal_integral, (NULL, 0.0, three), "signal");
    IGNORES(scree_signal_at, (&load.value, 0.0, NULL), "out");
    IGNORES(scree_signal_rate, (&load.value, 0.0, NULL), "out");
    IGNORES(scree_signal_integral, (&load.value, 0.0, NULL), "out");
    REFUSES(scree_sim_set_threads, (NULL, 1), "sim");
    REFUSES(scree_sim_scale, (NULL, 1.0, 1.0), "sim");
    ANSWERS(scree_sim_clearance, isnan(scree_sim_clearance(NULL, three)), "sim");
    REFUSES(scree_sim_insert, (NULL, (scree_spheres){0}, NULL, NULL, NULL), "sim");
    REFUSES(scree_sim_remove, (NULL, 0, NULL), "sim");
    REFUSES(scree_sim_exchange, (NULL, 0, NULL, (scree_spheres){0}, NULL, NULL, NULL), "sim");
    REFUSES(scree_sim_set_contacts, (NULL, NULL, (scree_spheres){0}), "sim");
    REFUSES(scree_sim_set_time_step, (NULL, 1.0), "sim");
    ANSWERS(scree_sim_take_crossings, scree_sim_take_crossings(NULL, NULL, 0) == 0, "sim");
    REFUSES(scree_sim_get_state, (NULL, &at), "sim");
    REFUSES(scree_sim_get_state, (sim, NULL), "out");
    REFUSES(scree_sim_set_state, (NULL, &at), "sim");
    REFUSES(scree_sim_set_state, (sim, NULL), "state");
    ANSWERS(scree_sim_hash, scree_sim_hash(NULL) == 0, "sim");
    int32_t words = 7;
    ANSWERS(scree_sim_get_law, scree_sim_get_law(NULL, &words) == NULL && words == 0, "sim");
    assert_string_equal(scree_sim_get_law(sim, NULL), "linear");
    ANSWERS(scree_sim_state_hash, scree_sim_state_hash(NULL, 3, 3) == 0, "state");
    assert_true(scree_sim_state_hash(&at, 3, 3) == 0);
    at.column_count = 1;
    REFUSES(scree_sim_get_state, (sim, &at), "columns");
    REFUSES(scree_sim_set_state, (sim, &at), "columns");
    ANSWERS(scree_sim_state_hash, scree_sim_state_hash(&at, 3, 3) == 0, "columns");
    at.columns = &(const scree_sim_values){.name = NULL};
    CHECK_FAILS(scree_sim_get_state(sim, &at), SCREE_ERR_ARGUMENT, "column 0", "NULL");
    CHECK_FAILS(scree_sim_set_state(sim, &at), SCREE_ERR_ARGUMENT, "column 0", "NULL");
    EMPTIES(report, scree_sim_measure, (NULL, &report), "sim");
    REFUSES(scree_sim_measure, (sim, NULL), "out");
    scree_sim_plan plan;
    EMPTIES(plan, scree_sim_find_plan, (NULL, 2, &plan), "sim");
    REFUSES(scree_sim_find_plan, (sim, 2, NULL), "out");
    EMPTIES(plan, scree_sim_get_shares, (NULL, &plan), "sim");
    REFUSES(scree_sim_get_shares, (sim, NULL), "out");
    EMPTIES(contacts, scree_sim_get_contacts, (NULL, &contacts), "sim");
    REFUSES(scree_sim_get_contacts, (sim, NULL), "out");
    REFUSES(scree_sim_validate, (NULL), "sim");
    scree_thermal_def thermal = scree_default_thermal_def();
    REFUSES(scree_thermal_velocities, (NULL, spheres, three), "def");
    REFUSES(scree_thermal_velocities, (&thermal, spheres, NULL), "v");
    CHECK_OK(scree_sim_run(sim, 1));
    scree_sim_destroy(sim);
    scree_sim_destroy(NULL);
}

static void polygons(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    scree_body body = {0};
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    scree_polygon_sim *none, *sim = polygon_sim_of_one(&shapes, &body);
    scree_polygon_numbers numbers;
    scree_shape_def rule = scree_default_shape_def();
    scree_polygon_sim_state at = {0};
    scree_sim_memory memory;
    scree_outlines outlines;
    scree_polygon_sim_report report;
    scree_polygon_contacts contacts;
    scree_polygon empty = {.count = 4};
    int32_t edge;
    double two[2] = {0.0, 0.0};
    CHECK_FAILS(scree_polygon_check(empty), SCREE_ERR_ARGUMENT, "xy", "NULL");
    REFUSES(scree_polygon_measure, (square, NULL), "out");
    CHECK_FAILS(scree_polygon_measure(empty, &numbers), SCREE_ERR_ARGUMENT, "xy", "NULL");
    ANSWERS(scree_polygon_contains, !scree_polygon_contains(empty, two), "polygon.xy");
    ANSWERS(scree_polygon_contains, !scree_polygon_contains(square, NULL), "x");
    ANSWERS(scree_polygon_nearest, isnan(scree_polygon_nearest(empty, two, two, &edge)), "polygon.xy");
    ANSWERS(scree_polygon_nearest, isnan(scree_polygon_nearest(square, NULL, two, &edge)), "x");
    scree_polygon_nearest(square, two, NULL, NULL);
    ANSWERS(scree_shapes_get, scree_shapes_get(NULL, 0).count == 0, "shapes");
    REFUSES(scree_shapes_add, (NULL, square, NULL), "shapes");
    REFUSES(scree_shapes_add_wall, (NULL, 2, square_xy, 0.1, NULL), "shapes");
    REFUSES(scree_shapes_add_wall, (&shapes, 2, NULL, 0.1, NULL), "xy");
    REFUSES(scree_shapes_add_rule, (NULL, &rule, NULL), "shapes");
    REFUSES(scree_shapes_add_rule, (&shapes, NULL, NULL), "def");
    EMPTIES(none, scree_polygon_sim_create, (NULL, &shapes, 1, &body, &none), "def");
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &none), SCREE_ERR_ARGUMENT, "body 0", "shape 0");
    EMPTIES(none, scree_polygon_sim_create, (&def, &shapes, 1, NULL, &none), "bodies");
    REFUSES(scree_polygon_sim_create, (&def, &shapes, 1, &body, NULL), "out");
    ANSWERS(scree_polygon_sim_get_numbers, scree_polygon_sim_get_numbers(NULL).time_step == 0.0, "sim");
    REFUSES(scree_polygon_sim_run, (NULL, 1), "sim");
    ANSWERS(scree_polygon_sim_step, scree_polygon_sim_step(NULL) == 0, "sim");
    ANSWERS(scree_polygon_sim_time, isnan(scree_polygon_sim_time(NULL)), "sim");
    ANSWERS(scree_polygon_sim_count, scree_polygon_sim_count(NULL) == 0, "sim");
    ANSWERS(scree_polygon_sim_box, scree_polygon_sim_box(NULL).dim == 0, "sim");
    REFUSES(scree_polygon_sim_set_threads, (NULL, 1), "sim");
    REFUSES(scree_polygon_sim_set_gravity, (NULL, two), "sim");
    REFUSES(scree_polygon_sim_set_gravity, (sim, NULL), "gravity");
    REFUSES(scree_polygon_sim_set_motion, (NULL, 0, two, 0.0), "sim");
    REFUSES(scree_polygon_sim_set_motion, (sim, 0, NULL, 0.0), "v");
    REFUSES(scree_polygon_sim_get_state, (NULL, &at), "sim");
    REFUSES(scree_polygon_sim_get_state, (sim, NULL), "out");
    EMPTIES(memory, scree_polygon_sim_get_memory, (NULL, &memory), "sim");
    REFUSES(scree_polygon_sim_get_memory, (sim, NULL), "out");
    REFUSES(scree_polygon_sim_set_state, (NULL, &at), "sim");
    REFUSES(scree_polygon_sim_set_state, (sim, NULL), "state");
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at), SCREE_ERR_ARGUMENT);
    ANSWERS(scree_polygon_sim_hash, scree_polygon_sim_hash(NULL) == 0, "sim");
    ANSWERS(scree_polygon_sim_state_hash, scree_polygon_sim_state_hash(NULL, 1) == 0, "state");
    ANSWERS(scree_polygon_sim_state_hash, scree_polygon_sim_state_hash(&at, 1) == 0, "state->x");
    EMPTIES(outlines, scree_polygon_sim_get_outlines, (NULL, &outlines), "sim");
    REFUSES(scree_polygon_sim_get_outlines, (sim, NULL), "out");
    EMPTIES(report, scree_polygon_sim_measure, (NULL, &report), "sim");
    REFUSES(scree_polygon_sim_measure, (sim, NULL), "out");
    EMPTIES(contacts, scree_polygon_sim_get_contacts, (NULL, &contacts), "sim");
    REFUSES(scree_polygon_sim_get_contacts, (sim, NULL), "out");
    ANSWERS(scree_polygon_sim_get_boundaries, scree_polygon_sim_get_boundaries(NULL, NULL, 0) == 0, "sim");
    assert_int_equal(scree_polygon_sim_get_boundaries(sim, NULL, 9), 6);
    scree_polygon_sim_destroy(sim);
    scree_polygon_sim_destroy(NULL);
    scree_shapes_free(&shapes);
    scree_shapes_free(NULL);
}

static void measures(void** state)
{
    (void)state;
    scree_measure_def def = scree_default_measure_def();
    def.box = scree_box_sized(3, (const double[3]){9.0, 9.0, 9.0});
    scree_container container = {.box = def.box};
    scree_density density;
    scree_contact_counts counts;
    scree_pair_distribution gr;
    scree_size_curve curve;
    scree_nearest nearest;
    scree_measures all;
    EMPTIES(density, scree_measure_density, (NULL, spheres, &density), "def");
    REFUSES(scree_measure_density, (&def, spheres, NULL), "out");
    ANSWERS(scree_sphere_box_share, isnan(scree_sphere_box_share(3, NULL, 1.0, point, point)), "x");
    ANSWERS(scree_sphere_box_share, isnan(scree_sphere_box_share(3, point, 1.0, NULL, point)), "lower");
    ANSWERS(scree_sphere_box_share, isnan(scree_sphere_box_share(3, point, 1.0, point, NULL)), "upper");
    ANSWERS(scree_sphere_container_share, isnan(scree_sphere_container_share(NULL, point, 1.0)), "c");
    ANSWERS(scree_sphere_container_share, isnan(scree_sphere_container_share(&container, NULL, 1.0)), "x");
    EMPTIES(counts, scree_measure_contacts, (NULL, spheres, &counts), "def");
    REFUSES(scree_measure_contacts, (&def, spheres, NULL), "out");
    EMPTIES(gr, scree_measure_pair_distribution, (NULL, spheres, &gr), "def");
    REFUSES(scree_measure_pair_distribution, (&def, spheres, NULL), "out");
    EMPTIES(curve, scree_measure_size_curve, (NULL, spheres, &curve), "def");
    REFUSES(scree_measure_size_curve, (&def, spheres, NULL), "out");
    EMPTIES(nearest, scree_measure_nearest, (NULL, spheres, &nearest), "def");
    REFUSES(scree_measure_nearest, (&def, spheres, NULL), "out");
    EMPTIES(all, scree_measure, (NULL, spheres, &all), "def");
    REFUSES(scree_measure, (&def, spheres, NULL), "out");
    memset(&all, 0xA5, sizeof all);
    CHECK_FAILS(scree_measure(&def, (scree_spheres){.count = 3, .dim = 3}, &all), SCREE_ERR_ARGUMENT, "x", "NULL");
    scree_measures_free(&all);
    scree_measures_free(NULL);
    scree_contact_counts_free(NULL);
    scree_pair_distribution_free(NULL);
    scree_size_curve_free(NULL);
    scree_nearest_free(NULL);
}

static void analyses(void** state)
{
    (void)state;
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(3, (const double[3]){9.0, 9.0, 9.0});
    now.spheres = spheres;
    scree_fields_def fields_def = scree_default_fields_def();
    scree_network_def network_def = scree_default_network_def();
    scree_mixing_def mixing_def = scree_default_mixing_def();
    scree_repose_def repose_def = scree_default_repose_def();
    scree_fields fields;
    scree_network network;
    scree_wall_stress stress;
    scree_group_table groups;
    scree_mixing mixing;
    scree_repose repose;
    scree_flow flow;
    EMPTIES(fields, scree_measure_fields, (NULL, &fields_def, &fields), "snapshot");
    EMPTIES(fields, scree_measure_fields, (&now, NULL, &fields), "def");
    REFUSES(scree_measure_fields, (&now, &fields_def, NULL), "out");
    scree_contact_table contacts;
    EMPTIES(contacts, scree_find_contacts, (NULL, 0.1, &contacts), "snapshot");
    REFUSES(scree_find_contacts, (&now, 0.1, NULL), "out");
    EMPTIES(contacts, scree_read_contacts, (NULL, NULL, &contacts), "path");
    REFUSES(scree_read_contacts, ("c.csv", NULL, NULL), "out");
    scree_contact_table_free(NULL);
    REFUSES(scree_write_fields, (NULL, NULL, &fields), "path");
    REFUSES(scree_write_fields, ("f.vti", NULL, NULL), "fields");
    EMPTIES(network, scree_measure_network, (NULL, &network_def, &network), "snapshot");
    EMPTIES(network, scree_measure_network, (&now, NULL, &network), "def");
    REFUSES(scree_measure_network, (&now, &network_def, NULL), "out");
    EMPTIES(stress, scree_measure_wall_stress, (NULL, 0, &stress), "snapshot");
    REFUSES(scree_measure_wall_stress, (&now, 0, NULL), "out");
    EMPTIES(groups, scree_measure_groups, (NULL, &groups), "snapshot");
    REFUSES(scree_measure_groups, (&now, NULL), "out");
    EMPTIES(mixing, scree_measure_mixing, (NULL, &mixing_def, &mixing), "snapshot");
    EMPTIES(mixing, scree_measure_mixing, (&now, NULL, &mixing), "def");
    REFUSES(scree_measure_mixing, (&now, &mixing_def, NULL), "out");
    EMPTIES(repose, scree_measure_repose, (NULL, &repose_def, &repose), "snapshot");
    EMPTIES(repose, scree_measure_repose, (&now, NULL, &repose), "def");
    REFUSES(scree_measure_repose, (&now, &repose_def, NULL), "out");
    EMPTIES(flow, scree_measure_flow, (NULL, &now, 0, 1.0, &flow), "before");
    EMPTIES(flow, scree_measure_flow, (&now, NULL, 0, 1.0, &flow), "after");
    REFUSES(scree_measure_flow, (&now, &now, 0, 1.0, NULL), "out");
    scree_fields_free(NULL);
    scree_network_free(NULL);
    scree_group_table_free(NULL);
}

static void events_and_packings(void** state)
{
    (void)state;
    scree_event_def def = scree_default_event_def();
    scree_event_system *none, *system;
    scree_event_until until = scree_default_event_until();
    scree_event_hit hit;
    const scree_spheres one = {.count = 1, .dim = 3, .x = point, .r = (const double[1]){0.1}};
    const double still[3] = {0.0};
    EMPTIES(none, scree_event_create, (NULL, one, still, &none), "def");
    CHECK_FAILS(scree_event_create(&def, one, NULL, &none), SCREE_ERR_ARGUMENT, "v", "NULL");
    REFUSES(scree_event_create, (&def, one, still, NULL), "out");
    CHECK_OK(scree_event_create(&def, one, still, &system));
    REFUSES(scree_event_run, (NULL, &until), "system");
    REFUSES(scree_event_run, (system, NULL), "until");
    REFUSES(scree_event_next, (NULL, 1.0, &hit), "system");
    assert_int_equal(hit.i, -1);
    REFUSES(scree_event_next, (system, 1.0, NULL), "out");
    REFUSES(scree_event_set_temperature, (NULL, 1.0), "system");
    REFUSES(scree_event_set_rate, (NULL, 1.0), "system");
    IGNORES(scree_event_get_state, (NULL, NULL, NULL), "system");
    ANSWERS(scree_event_get_stats, scree_event_get_stats(NULL).n == 0, "system");
    IGNORES(scree_event_reset_stats, (NULL), "system");
    scree_event_rest rest;
    EMPTIES(rest, scree_event_is_jammed, (NULL, 1.0, &rest), "system");
    REFUSES(scree_event_is_jammed, (system, 1.0, NULL), "out");
    REFUSES(scree_event_validate, (NULL), "system");
    scree_event_destroy(system);
    scree_event_destroy(NULL);

    scree_grow_def grow = scree_default_grow_def();
    scree_growth growth;
    EMPTIES(growth, scree_pack_grow, (NULL, 3, radii, &growth), "def");
    CHECK_FAILS(scree_pack_grow(&grow, 3, NULL, &growth), SCREE_ERR_ARGUMENT, "r", "NULL");
    REFUSES(scree_pack_grow, (&grow, 3, radii, NULL), "out");
    scree_growth_free(NULL);

    scree_place_def place = scree_default_place_def();
    scree_sphere_set set;
    double x[9], density;
    REFUSES(scree_place_random, (NULL, 3, radii, x), "def");
    CHECK_FAILS(scree_place_random(&place, 3, NULL, x), SCREE_ERR_ARGUMENT, "r", "NULL");
    CHECK_FAILS(scree_place_random(&place, 3, radii, NULL), SCREE_ERR_ARGUMENT, "x", "NULL");
    REFUSES(scree_place_lattice, (NULL, 1.0, 3, radii, x), "def");
    CHECK_FAILS(scree_place_lattice(&place, 1.0, 3, NULL, x), SCREE_ERR_ARGUMENT, "r", "NULL");
    CHECK_FAILS(scree_place_lattice(&place, 1.0, 3, radii, NULL), SCREE_ERR_ARGUMENT, "x", "NULL");
    EMPTIES(set, scree_place_until_full, (NULL, 3, radii, 0, NULL, &set), "def");
    CHECK_FAILS(scree_place_until_full(&place, 3, NULL, 0, NULL, &set), SCREE_ERR_ARGUMENT, "r", "NULL");
    REFUSES(scree_place_until_full, (&place, 3, radii, 0, NULL, NULL), "out");
    EMPTIES(set, scree_place_saturated, (NULL, 0.1, &set), "def");
    REFUSES(scree_place_saturated, (&place, 0.1, NULL), "out");
    CHECK_FAILS(scree_predict_density(3, 3, NULL, &density), SCREE_ERR_ARGUMENT, "r", "NULL");
    REFUSES(scree_predict_density, (3, 3, radii, NULL), "density");

    scree_packing packing;
    scree_rearrange_def rearrange = scree_default_rearrange_def();
    EMPTIES(packing, scree_pack_rearrange, (NULL, 3, radii, &packing), "def");
    CHECK_FAILS(scree_pack_rearrange(&rearrange, 3, NULL, &packing), SCREE_ERR_ARGUMENT, "r", "NULL");
    REFUSES(scree_pack_rearrange, (&rearrange, 3, radii, NULL), "out");
    scree_drop_def drop = scree_default_drop_def();
    EMPTIES(packing, scree_pack_drop, (NULL, 3, radii, &packing), "def");
    CHECK_FAILS(scree_pack_drop(&drop, 3, NULL, &packing), SCREE_ERR_ARGUMENT, "r", "NULL");
    REFUSES(scree_pack_drop, (&drop, 3, radii, NULL), "out");
    scree_compress_def compress = scree_default_compress_def();
    EMPTIES(packing, scree_pack_compress, (NULL, 3, radii, &packing), "def");
    CHECK_FAILS(scree_pack_compress(&compress, 3, NULL, &packing), SCREE_ERR_ARGUMENT, "r", "NULL");
    REFUSES(scree_pack_compress, (&compress, 3, radii, NULL), "out");
    scree_stable_def stable = scree_default_stable_def();
    EMPTIES(packing, scree_pack_stable, (NULL, 3, radii, radii, &packing), "def");
    CHECK_FAILS(scree_pack_stable(&stable, 3, NULL, radii, &packing), SCREE_ERR_ARGUMENT, "r", "NULL");
    CHECK_FAILS(scree_pack_stable(&stable, 3, radii, NULL, &packing), SCREE_ERR_ARGUMENT, "x", "NULL");
    REFUSES(scree_pack_stable, (&stable, 3, radii, radii, NULL), "out");
    scree_stability stability;
    EMPTIES(stability, scree_find_stability, (NULL, 0, 1, (scree_spheres){.dim = 3}, &stability), "box");
    REFUSES(scree_find_stability, (&stable.box, 0, 1, (scree_spheres){.dim = 3}, NULL), "out");
    scree_hierarchy hierarchy;
    scree_hierarchy_def hierarchy_def = scree_default_hierarchy_def();
    scree_sizes* of_one;
    CHECK_OK(scree_sizes_parse("mono:1", 3, &of_one));
    EMPTIES(hierarchy, scree_pack_hierarchy, (NULL, of_one, &hierarchy), "def");
    EMPTIES(hierarchy, scree_pack_hierarchy, (&hierarchy_def, NULL, &hierarchy), "sizes");
    REFUSES(scree_pack_hierarchy, (&hierarchy_def, of_one, NULL), "out");
    scree_sizes_destroy(of_one);
    scree_hierarchy_free(NULL);
    scree_packing_free(NULL);
}

static void files(void** state)
{
    (void)state;
    scree_sphere_set set, read;
    CHECK_OK(scree_sphere_set_make(3, 0, &set));
    const char *path = in_folder("a.csv"), *pvd = in_folder("a.pvd"), *vtp = in_folder("a.vtp");
    const char* name = "a.vtp";
    scree_frame_times list;
    scree_table_column column = {.name = "a"};
    double time = 0.0;
    ANSWERS(scree_format_of_path, scree_format_of_path(NULL) == SCREE_FORMAT_AUTO, "path");
    ANSWERS(scree_format_keeps, !scree_format_keeps(SCREE_FORMAT_CSV, NULL, 0), "set");
    EMPTIES(read, scree_read_spheres, (NULL, NULL, &read), "path");
    REFUSES(scree_read_spheres, (path, NULL, NULL), "out");
    REFUSES(scree_write_spheres, (NULL, NULL, &set), "path");
    REFUSES(scree_write_spheres, (path, NULL, NULL), "set");
    REFUSES(scree_write_pairs, (NULL, NULL, NULL, spheres, (scree_pairs){0}), "path");
    CHECK_FAILS(scree_write_pairs(path, NULL, NULL, spheres, (scree_pairs){.count = 1}), SCREE_ERR_ARGUMENT, "ij");
    REFUSES(scree_write_pairs_from, (NULL, NULL, NULL, spheres, &(scree_pair_source){0}), "path");
    REFUSES(scree_write_pairs_from, (path, NULL, NULL, spheres, NULL), "source");
    REFUSES(scree_write_pairs_from, (path, NULL, NULL, spheres, &(scree_pair_source){0}), "next");
    REFUSES(scree_write_table, (NULL, NULL, 0, 1, &column), "path");
    REFUSES(scree_write_table, (path, NULL, 0, 1, NULL), "column");
    REFUSES(scree_write_pvd, (NULL, 1, &time, &name), "path");
    CHECK_FAILS(scree_write_pvd(pvd, 1, NULL, &name), SCREE_ERR_ARGUMENT, "times");
    CHECK_FAILS(scree_write_pvd(pvd, 1, &time, NULL), SCREE_ERR_ARGUMENT, "files");
    EMPTIES(list, scree_read_pvd, (NULL, &list), "path");
    REFUSES(scree_read_pvd, (pvd, NULL), "out");
    scree_frame_times_free(NULL);

    scree_outline_set outlines, made;
    scree_shapes shapes = {0};
    scree_body body = {0};
    scree_polygon_sim* sim = polygon_sim_of_one(&shapes, &body);
    CHECK_OK(scree_outline_set_copy(sim, &outlines));
    EMPTIES(made, scree_outline_set_copy, (NULL, &made), "sim");
    REFUSES(scree_outline_set_copy, (sim, NULL), "out");
    REFUSES(scree_outline_set_make, (1, 3, NULL), "out");
    ANSWERS(scree_outline_set_vertices, scree_outline_set_vertices(NULL) == 0, "set");
    ANSWERS(scree_outline_set_discs, scree_outline_set_discs(NULL).count == 0, "set");
    REFUSES(scree_outline_set_check, (NULL), "set");
    REFUSES(scree_write_outlines, (NULL, NULL, &outlines), "path");
    REFUSES(scree_write_outlines, (vtp, NULL, NULL), "set");
    EMPTIES(made, scree_read_outlines, (NULL, NULL, &made), "path");
    REFUSES(scree_read_outlines, (vtp, NULL, NULL), "out");

    scree_checkpoint saved = {0}, back;
    scree_sim* spheres_sim = sim_of_three();
    REFUSES(scree_checkpoint_save, (NULL, &saved), "sim");
    REFUSES(scree_checkpoint_save, (spheres_sim, NULL), "out");
    REFUSES(scree_checkpoint_attach, (NULL, &saved), "sim");
    REFUSES(scree_checkpoint_attach, (spheres_sim, NULL), "out");
    REFUSES(scree_checkpoint_save_bodies, (NULL, &shapes, &body, &saved), "sim");
    REFUSES(scree_checkpoint_save_bodies, (sim, NULL, &body, &saved), "shapes");
    REFUSES(scree_checkpoint_save_bodies, (sim, &shapes, NULL, &saved), "bodies");
    REFUSES(scree_checkpoint_save_bodies, (sim, &shapes, &body, NULL), "out");
    CHECK_OK(scree_checkpoint_save_bodies(sim, &shapes, &body, &saved));
    REFUSES(scree_checkpoint_restore, (NULL, spheres_sim), "checkpoint");
    REFUSES(scree_checkpoint_restore, (&saved, NULL), "sim");
    REFUSES(scree_checkpoint_restore_bodies, (NULL, sim), "checkpoint");
    REFUSES(scree_checkpoint_restore_bodies, (&saved, NULL), "sim");
    REFUSES(scree_checkpoint_get_bodies, (NULL, &body), "checkpoint");
    REFUSES(scree_checkpoint_get_bodies, (&saved, NULL), "bodies");
    REFUSES(scree_checkpoint_set_scene, (NULL, "a", 1), "checkpoint");
    REFUSES(scree_checkpoint_set_flow, (NULL, 0, NULL, 0, NULL), "checkpoint");
    REFUSES(scree_checkpoint_set_flow, (&saved, 1, NULL, 0, NULL), "counts");
    REFUSES(scree_checkpoint_set_flow, (&saved, 0, NULL, 1, NULL), "sums");
    REFUSES(scree_checkpoint_set_scene, (&saved, NULL, 1), "text");
    REFUSES(scree_checkpoint_set_integer, (NULL, "a", 1), "checkpoint");
    REFUSES(scree_checkpoint_set_integer, (&saved, NULL, 1), "name");
    REFUSES(scree_checkpoint_set_value, (NULL, "a", 1.0), "checkpoint");
    REFUSES(scree_checkpoint_set_value, (&saved, NULL, 1.0), "name");
    ANSWERS(scree_checkpoint_find, scree_checkpoint_find(NULL, "a") == NULL, "checkpoint");
    ANSWERS(scree_checkpoint_find, scree_checkpoint_find(&saved, NULL) == NULL, "name");
    ANSWERS(scree_checkpoint_values, scree_checkpoint_values(NULL, "x", SCREE_TYPE_FLOAT64) == NULL, "checkpoint");
    ANSWERS(scree_checkpoint_values, scree_checkpoint_values(&saved, NULL, SCREE_TYPE_FLOAT64) == NULL, "name");
    REFUSES(scree_checkpoint_write, (NULL, &saved), "path");
    REFUSES(scree_checkpoint_write, (in_folder("a.npz"), NULL), "checkpoint");
    EMPTIES(back, scree_checkpoint_read, (NULL, &back), "path");
    REFUSES(scree_checkpoint_read, (in_folder("a.npz"), NULL), "out");
    scree_checkpoint_free(&saved);
    scree_checkpoint_free(NULL);
    scree_sim_destroy(spheres_sim);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
    scree_outline_set_free(&outlines);
    scree_outline_set_free(NULL);
    scree_sphere_set_free(&set);
}

static void pictures_and_pages(void** state)
{
    (void)state;
    scree_sphere_set set;
    scree_outline_set outlines;
    CHECK_OK(scree_sphere_set_make(3, 0, &set));
    CHECK_OK(scree_outline_set_make(0, 0, &outlines));
    uint8_t rgba[16 * 16 * 4], rgb[3];
    const char* path = in_folder("a.png");
    IGNORES(scree_colour_map_rgb, (SCREE_MAP_DUSK, 0.5, NULL), "rgb");
    scree_colour_map_rgb(SCREE_MAP_DUSK, 0.5, rgb);
    REFUSES(scree_picture_render, (NULL, NULL, rgba), "set");
    REFUSES(scree_picture_render, (&set, NULL, NULL), "rgba");
    REFUSES(scree_picture_write, (NULL, &set, NULL), "path");
    REFUSES(scree_picture_write, (path, NULL, NULL), "set");
    REFUSES(scree_picture_outlines_render, (NULL, NULL, rgba), "set");
    REFUSES(scree_picture_outlines_render, (&outlines, NULL, NULL), "rgba");
    REFUSES(scree_picture_outlines, (NULL, &outlines, NULL), "path");
    REFUSES(scree_picture_outlines, (path, NULL, NULL), "set");

    scree_rods rods;
    scree_film* film;
    scree_film_def film_def = scree_default_film_def();
    scree_film_extent extent = {0};
    film_def.frames = 1;
    REFUSES(scree_rods_make, (0, NULL), "out");
    scree_rods_free(NULL);
    assert_int_equal(scree_film_kind_of_path(NULL), SCREE_FILM_UNKNOWN);
    REFUSES(scree_film_begin, (path, &film_def, NULL), "out");
    EMPTIES(film, scree_film_begin, (NULL, &film_def, &film), "path");
    EMPTIES(film, scree_film_begin, (path, NULL, &film), "def");
    CHECK_OK(scree_film_begin(path, &film_def, &film));
    REFUSES(scree_film_add, (NULL, rgba), "film");
    REFUSES(scree_film_add, (film, NULL), "rgba");
    assert_int_equal(scree_film_end(film, SCREE_ERR_CANCELLED), SCREE_ERR_CANCELLED);
    assert_int_equal(scree_film_end(NULL, SCREE_OK), SCREE_OK);
    REFUSES(scree_film_measure, (NULL, NULL, &extent), "set");
    REFUSES(scree_film_measure, (&outlines, NULL, NULL), "extent");
    REFUSES(scree_read_forces, (path, NULL, &outlines, NULL), "out");
    EMPTIES(rods, scree_read_forces, (NULL, NULL, &outlines, &rods), "path");
    EMPTIES(rods, scree_read_forces, (path, NULL, NULL, &rods), "set");
    REFUSES(scree_view_next_rods, (NULL, NULL), "view");
    REFUSES(scree_view_next_triangles, (NULL, NULL), "view");

    scree_plot plot = scree_default_plot();
    char* svg;
    REFUSES(scree_plot_write, (NULL, &plot), "path");
    REFUSES(scree_plot_write, (in_folder("a.svg"), NULL), "plot");
    EMPTIES(svg, scree_plot_svg, (NULL, &svg), "plot");
    REFUSES(scree_plot_svg, (&plot, NULL), "out");

    // Calls that add to a page keep the first failure for the end. Texts may be NULL.
    scree_report *page, *bad;
    REFUSES(scree_report_create, ("a", "b", NULL), "out");
    CHECK_OK(scree_report_create(NULL, NULL, &page));
    IGNORES(scree_report_badge, (NULL, "a", true), "page");
    IGNORES(scree_report_heading, (NULL, "a"), "page");
    IGNORES(scree_report_text, (NULL, "a"), "page");
    IGNORES(scree_report_lines, (NULL, "a"), "page");
    IGNORES(scree_report_command, (NULL, 0, NULL), "page");
    IGNORES(scree_report_link, (NULL, "a", "b"), "page");
    IGNORES(scree_report_number, (NULL, "a", 1.0, "b", "c"), "page");
    IGNORES(scree_report_integer, (NULL, "a", 1, "b", "c"), "page");
    IGNORES(scree_report_value, (NULL, "a", "b", "c"), "page");
    IGNORES(scree_report_quantity, (NULL, &(scree_quantity){.key = "a"}), "page");
    IGNORES(scree_report_share, (NULL, "a", 1.0, "b", 0.5), "page");
    IGNORES(scree_report_plot, (NULL, "a", &plot), "page");
    IGNORES(scree_report_picture, (NULL, "a", 16, 16, rgba), "page");
    IGNORES(scree_report_versions, (NULL), "page");
    IGNORES(scree_report_format, (NULL, 1.0), "text");
    REFUSES(scree_report_write, (NULL, path), "page");
    REFUSES(scree_report_write, (page, NULL), "path");
    scree_report_badge(page, NULL, true);
    scree_report_text(page, NULL);
    scree_report_value(page, NULL, NULL, NULL);
    CHECK_OK(scree_report_write(page, in_folder("a.html")));
    scree_report_destroy(page);
    for (int which = 0; which < 6; ++which) {
        static const char* const parameters[] = {"words | NULL", "path | NULL", "plot | NULL", "rgba | NULL", "quantity | NULL", "quantity->key | NULL"};
        CHECK_OK(scree_report_create("a", "b", &bad));
        if (which == 0)
            scree_report_command(bad, 1, NULL);
        else if (which == 1)
            scree_report_link(bad, NULL, "a");
        else if (which == 2)
            scree_report_plot(bad, "a", NULL);
        else if (which == 3)
            scree_report_picture(bad, "a", 16, 16, NULL);
        else
            scree_report_quantity(bad, which == 4 ? NULL : &(scree_quantity){.count = 1});
        CHECK_FAILS(scree_report_write(bad, in_folder("b.html")), SCREE_ERR_ARGUMENT, parameters[which]);
        scree_report_destroy(bad);
    }
    scree_report_destroy(NULL);

    scree_view* view;
    EMPTIES(view, scree_view_begin, (NULL, NULL, &view), "path");
    REFUSES(scree_view_begin, (in_folder("a.html"), NULL, NULL), "out");
    REFUSES(scree_view_add, (NULL, 0.0, &set), "view");
    REFUSES(scree_view_add_outlines, (NULL, 0.0, &outlines), "view");
    CHECK_OK(scree_view_begin(in_folder("a.html"), NULL, &view));
    REFUSES(scree_view_add, (view, 0.0, NULL), "set");
    REFUSES(scree_view_add_outlines, (view, 0.0, NULL), "set");
    assert_int_equal(scree_view_end(view, SCREE_ERR_CANCELLED), SCREE_ERR_CANCELLED);
    assert_int_equal(scree_view_end(NULL, SCREE_OK), SCREE_OK);
    REFUSES(scree_view_write, (NULL, 1, NULL, &set, NULL), "path");
    REFUSES(scree_view_write, (in_folder("a.html"), 1, NULL, NULL, NULL), "sets");
    scree_sphere_set_free(&set);
    scree_outline_set_free(&outlines);
}

static void scenes_and_runs(void** state)
{
    (void)state;
    scree_scene *scene, *none;
    scree_sphere_set set;
    scree_body_set bodies;
    double gravity[3], mass[3];
    int32_t group[3];
    EMPTIES(none, scree_scene_read, (NULL, &none), "path");
    REFUSES(scree_scene_read, (in_folder("a.yaml"), NULL), "out");
    EMPTIES(none, scree_scene_parse, (NULL, "a", 1, &none), "name");
    EMPTIES(none, scree_scene_parse, ("a.yaml", NULL, 1, &none), "text");
    REFUSES(scree_scene_parse, ("a.yaml", "a", 1, NULL), "out");
    memset(&none, 0xA5, sizeof none);
    CHECK_FAILS(scree_scene_parse("a.yaml", "a", 1, &none), SCREE_ERR_FORMAT, "a.yaml");
    assert_null(none);
    scree_scene_destroy(NULL);
    CHECK_OK(scree_scene_parse("a.yaml", scene_text, strlen(scene_text), &scene));
    REFUSES(scree_scene_write, (NULL, scene), "path");
    REFUSES(scree_scene_write, (in_folder("a.yaml"), NULL), "scene");
    REFUSES(scree_scene_set_seed, (NULL, 7), "scene");
    REFUSES(scree_scene_set_threads, (NULL, 1), "scene");
    CHECK_FAILS(scree_scene_set_threads(scene, -1), SCREE_ERR_ARGUMENT, "threads", "-1");
    ANSWERS(scree_scene_keys, scree_scene_keys(NULL) == NULL, "count");
    scree_scene_facts of_scene;
    scree_scene_group_facts of_group;
    scree_scene_change_facts of_change;
    scree_scene_surface_facts of_surface;
    EMPTIES(of_scene, scree_scene_get_facts, (NULL, &of_scene), "scene");
    REFUSES(scree_scene_get_facts, (scene, NULL), "out");
    EMPTIES(of_group, scree_scene_get_group, (NULL, 0, &of_group), "scene");
    REFUSES(scree_scene_get_group, (scene, 0, NULL), "out");
    CHECK_FAILS(scree_scene_get_group(scene, 1, &of_group), SCREE_ERR_ARGUMENT, "spheres", "entry 1");
    CHECK_FAILS(scree_scene_get_group(scene, -1, &of_group), SCREE_ERR_ARGUMENT, "spheres", "entry -1");
    EMPTIES(of_change, scree_scene_get_change, (NULL, 0, &of_change), "scene");
    REFUSES(scree_scene_get_change, (scene, 0, NULL), "out");
    CHECK_FAILS(scree_scene_get_change(scene, 0, &of_change), SCREE_ERR_ARGUMENT, "changes", "entry 0");
    EMPTIES(of_surface, scree_scene_get_surface, (NULL, 0, &of_surface), "scene");
    REFUSES(scree_scene_get_surface, (scene, 0, NULL), "out");
    CHECK_FAILS(scree_scene_get_surface(scene, 0, &of_surface), SCREE_ERR_ARGUMENT, "surfaces", "entry 0");
    EMPTIES(gravity, scree_scene_get_gravity, (NULL, 0.0, gravity), "scene");
    REFUSES(scree_scene_get_gravity, (scene, 0.0, NULL), "gravity");
    EMPTIES(set, scree_scene_make_spheres, (NULL, (scree_watch){0}, &set), "scene");
    REFUSES(scree_scene_make_spheres, (scene, (scree_watch){0}, NULL), "out");
    EMPTIES(bodies, scree_scene_make_bodies, (NULL, (scree_watch){0}, &bodies), "scene");
    REFUSES(scree_scene_make_bodies, (scene, (scree_watch){0}, NULL), "out");
    CHECK_OK(scree_scene_make_spheres(scene, (scree_watch){0}, &set));
    REFUSES(scree_scene_find_masses, (NULL, &set, mass, group), "scene");
    REFUSES(scree_scene_find_masses, (scene, NULL, mass, group), "set");
    scree_scene_setup* setup;
    EMPTIES(setup, scree_scene_setup_create, (NULL, &set, &setup), "scene");
    EMPTIES(setup, scree_scene_setup_create, (scene, NULL, &setup), "set");
    REFUSES(scree_scene_setup_create, (scene, &set, NULL), "out");
    ANSWERS(scree_scene_setup_get_def, scree_scene_setup_get_def(NULL) == NULL, "setup");
    scree_scene_setup_destroy(NULL);
    REFUSES(scree_scene_read_tables, (NULL), "scene");
    REFUSES(scree_scene_apply, (NULL, -1, NULL), "scene");
    REFUSES(scree_scene_apply, (scene, -1, NULL), "sim");
    scree_sphere_set_free(&set);
    scree_body_set_free(NULL);

    scree_run_def def = scree_default_run_def();
    scree_run *run, *trial;
    scree_sim_report report;
    EMPTIES(run, scree_run_create, (NULL, scene, NULL, &run), "def");
    EMPTIES(run, scree_run_create, (&def, NULL, NULL, &run), "scene");
    REFUSES(scree_run_create, (&def, scene, NULL, NULL), "out");
    EMPTIES(run, scree_run_resume, (NULL, in_folder("a"), &run), "def");
    EMPTIES(run, scree_run_resume, (&def, NULL, &run), "folder");
    REFUSES(scree_run_resume, (&def, in_folder("a"), NULL), "out");
    CHECK_OK(scree_run_create(&def, scene, NULL, &trial));
    scree_run_costs costs;
    EMPTIES(costs, scree_run_estimate, (NULL, &costs), "run");
    REFUSES(scree_run_estimate, (trial, NULL), "out");
    REFUSES(scree_run_go, (NULL), "run");
    REFUSES(scree_run_write_report, (NULL), "run");
    EMPTIES(report, scree_run_measure, (NULL, &report), "run");
    REFUSES(scree_run_measure, (trial, NULL), "out");
    scree_run_summary* summary;
    EMPTIES(summary, scree_run_summary_create, (NULL, &summary), "run");
    REFUSES(scree_run_summary_create, (trial, NULL), "out");
    CHECK_OK(scree_run_summary_create(trial, &summary));
    ANSWERS(scree_run_summary_count, scree_run_summary_count(NULL) == 0, "summary");
    ANSWERS(scree_run_summary_get, scree_run_summary_get(NULL, 0) == NULL, "summary");
    ANSWERS(scree_run_summary_find, scree_run_summary_find(NULL, "n") == NULL, "summary");
    ANSWERS(scree_run_summary_find, scree_run_summary_find(summary, NULL) == NULL, "key");
    assert_int_equal(scree_run_summary_find(summary, "n")->integers[0], 3);
    scree_run_summary_destroy(summary);
    scree_run_summary_destroy(NULL);
    ANSWERS(scree_run_sim, scree_run_sim(NULL) == NULL, "run");
    ANSWERS(scree_run_polygon_sim, scree_run_polygon_sim(NULL) == NULL, "run");
    ANSWERS(scree_run_hash, scree_run_hash(NULL) == 0, "run");
    ANSWERS(scree_run_scene, scree_run_scene(NULL) == NULL, "run");
    ANSWERS(scree_run_steps, scree_run_steps(NULL) == 0, "run");
    ANSWERS(scree_run_end, isnan(scree_run_end(NULL)), "run");
    ANSWERS(scree_run_seconds, isnan(scree_run_seconds(NULL)), "run");
    ANSWERS(scree_run_note, scree_run_note(NULL) == NULL, "run");
    ANSWERS(scree_run_warning, scree_run_warning(NULL) == NULL, "run");
    ANSWERS(scree_run_get_pairs, scree_run_get_pairs(NULL, NULL, 0) == 0, "run");
    scree_run_facts facts;
    scree_run_curves curves;
    const scree_sphere_set* now;
    const char *name, *const names[] = {"time"};
    EMPTIES(facts, scree_run_get_facts, (NULL, &facts), "run");
    REFUSES(scree_run_get_facts, (trial, NULL), "out");
    ANSWERS(scree_run_tally, scree_run_tally(NULL, 0, &name) == -1 && name == NULL, "run");
    ANSWERS(scree_run_tally, scree_run_tally(trial, 0, NULL) == -1, "name");
    assert_true(scree_run_tally(trial, 0, &name) == -1 && name == NULL);
    ANSWERS(scree_run_balance, scree_run_balance(NULL) == 0.0, "report");
    EMPTIES(now, scree_run_get_spheres, (NULL, &now), "run");
    REFUSES(scree_run_get_spheres, (trial, NULL), "out");
    CHECK_OK(scree_run_get_spheres(trial, &now));
    assert_int_equal(now->count, 3);
    EMPTIES(curves, scree_run_read_curves, (NULL, 1, names, &curves), "run");
    EMPTIES(curves, scree_run_read_curves, (trial, 1, NULL, &curves), "names");
    REFUSES(scree_run_read_curves, (trial, 1, names, NULL), "out");
    CHECK_FAILS(scree_run_read_curves(trial, 1, names, &curves), SCREE_ERR_ARGUMENT, "folder");
    scree_run_curves_free(&curves);
    scree_run_curves_free(NULL);
    REFUSES(scree_draw_frame, (NULL), "frame");
    REFUSES(scree_draw_frame, (&(scree_run_frame){.spheres = now}), "path");
    REFUSES(scree_draw_frame, (&(scree_run_frame){.path = in_folder("a.png")}), "spheres");
    scree_run_destroy(trial);
    scree_run_destroy(NULL);
    ANSWERS(scree_run_get_boundaries, scree_run_get_boundaries(NULL, NULL, 0) == 0, "run");
    scree_scene_destroy(scene);
}

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
    CHECK_NEWER(levels_def, scree_levels_find(&levels_def, &box, 3, radii, &levels));
    scree_measures measured;
    scree_measure_def measure_def = scree_default_measure_def();
    CHECK_NEWER(measure_def, scree_measure(&measure_def, spheres, &measured));
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
    CHECK_NEWER(look, scree_picture_write(in_folder("a.png"), &set, &look));
    scree_film* film;
    scree_film_def film_def = scree_default_film_def();
    film_def.frames = 1;
    CHECK_NEWER(film_def, scree_film_begin(in_folder("a.png"), &film_def, &film));
    scree_plot plot = scree_default_plot();
    CHECK_NEWER(plot, scree_plot_write(in_folder("a.svg"), &plot));
    scree_view* view;
    scree_view_def view_def = scree_default_view_def();
    CHECK_NEWER(view_def, scree_view_begin(in_folder("a.html"), &view_def, &view));
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
    for (int k = 0; k < 3; ++k) {
        size_t known = sizes[k] < sizeof facts ? sizes[k] : sizeof facts;
        memset(given, 0xA5, room);
        CHECK_OK(scree_scene_get_facts_sized(sizes[k], scene, (scree_scene_facts*)(void*)given));
        assert_memory_equal(given, &facts, known);
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
}

static const test_case cases[] = {
    UNIT(base_and_geometry),
    UNIT(surfaces),
    UNIT(sizes_and_levels),
    UNIT(candidates),
    UNIT(neighbours),
    UNIT(queries),
    UNIT(indices),
    UNIT(simulations),
    UNIT(polygons),
    UNIT(measures),
    UNIT(analyses),
    UNIT(events_and_packings),
    UNIT(files),
    UNIT(pictures_and_pages),
    UNIT(scenes_and_runs),
    UNIT(defaults_fit_the_caller),
    UNIT(structs_of_a_newer_header_are_refused),
    UNIT(results_have_the_size_of_the_caller),
};

const test_group group_arguments = {.name = "arguments",
                                    .cases = cases,
                                    .count = sizeof cases / sizeof *cases,
                                    .begin = make_folder,
                                    .end = remove_folder,
                                    .before_each = start_clean};
