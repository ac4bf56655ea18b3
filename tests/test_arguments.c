// Every public function of scree with NULL in place of each pointer that it needs: SCREE_ERR_ARGUMENT, with the function and the parameter in the
// message, and outputs that are empty afterwards. tests/build/symbols.sh sees to it that no public function with a pointer is left out.
#include "arguments_support.h"

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
    REFUSES(scree_box_reject_tilt, (NULL, "test"), "box");
    REFUSES(scree_box_reject_tilt, (&box, NULL), "what");
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
    ANSWERS(scree_text_number, scree_text_number(NULL, 1.0) == 0, "text");
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
    ANSWERS(scree_sizes_get_min, isnan(scree_sizes_get_min(NULL)), "sizes");
    ANSWERS(scree_sizes_get_max, isnan(scree_sizes_get_max(NULL)), "sizes");
    ANSWERS(scree_sizes_get_text, scree_sizes_get_text(NULL) == NULL, "sizes");
    CHECK_FAILS(scree_sizes_realised(3, NULL, 3, 2, d, by, by), SCREE_ERR_ARGUMENT, "r", "NULL");
    CHECK_FAILS(scree_sizes_realised(3, radii, 3, 2, NULL, by, by), SCREE_ERR_ARGUMENT, "d", "NULL");
    CHECK_OK(scree_sizes_realised(3, radii, 3, 2, d, NULL, NULL));
    scree_sizes_destroy(sizes);
    scree_sizes_destroy(NULL);

    scree_levels_def def = scree_default_levels_def();
    scree_box box = scree_box_sized(3, (const double[3]){9.0, 9.0, 9.0});
    scree_levels levels;
    EMPTIES(levels, scree_find_levels, (NULL, &box, 3, radii, &levels), "def");
    EMPTIES(levels, scree_find_levels, (&def, NULL, 3, radii, &levels), "box");
    EMPTIES(levels, scree_find_levels, (&def, &box, 3, NULL, &levels), "r");
    REFUSES(scree_find_levels, (&def, &box, 3, radii, NULL), "out");
}

static void candidates(void** state)
{
    (void)state;
    scree_candidates_def def = scree_default_candidates_def();
    scree_candidates *none, *near;
    scree_candidate_items now = scree_default_candidate_items();
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
    EMPTIES(rows, scree_neighbour_lists_get_rows, (NULL, &rows), "lists");
    REFUSES(scree_neighbour_lists_get_rows, (lists, NULL), "out");
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
    scree_bvh* bvh;
    scree_hits hits;
    double at[3] = {0.5, 0.5, 0.5}, along[3] = {1.0, 0.0, 0.0};
    scree_points points = scree_points_of((scree_spheres){.count = 1, .dim = 3, .x = at, .r = along});
    REFUSES(scree_bvh_create, (&def, points, NULL), "out");
    CHECK_OK(scree_bvh_create(&def, points, &bvh));
    ANSWERS(scree_bvh_get_count, scree_bvh_get_count(NULL) == 0, "bvh");
    ANSWERS(scree_bvh_get_bytes, scree_bvh_get_bytes(NULL) == 0, "bvh");
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
    ANSWERS(scree_index_get_count, scree_index_get_count(NULL) == 0, "index");
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
    REFUSES(scree_index_scale, (NULL, 1.0, 1.0), "index");
    EMPTIES(near, scree_index_neighbours, (NULL, 0, &near), "index");
    REFUSES(scree_index_neighbours, (index, 0, NULL), "out");
    EMPTIES(near, scree_index_query, (NULL, point, 1.0, &near), "index");
    EMPTIES(near, scree_index_query, (index, NULL, 1.0, &near), "x");
    REFUSES(scree_index_query, (index, point, 1.0, NULL), "out");
    EMPTIES(around, scree_index_surroundings, (NULL, 0, &around), "index");
    REFUSES(scree_index_surroundings, (index, 0, NULL), "out");
    ANSWERS(scree_index_get_device, scree_index_get_device(NULL) == 0, "index");
    ANSWERS(scree_index_method, scree_index_method(NULL) == SCREE_METHOD_AUTO, "index");
    ANSWERS(scree_index_get_stats, scree_index_get_stats(NULL).bytes == 0, "index");
    ANSWERS(scree_index_get_predicted, scree_index_get_predicted(NULL, SCREE_METHOD_AUTO) == 0.0, "index");
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
    ANSWERS(scree_sim_get_integrator, scree_sim_get_integrator(NULL) == SCREE_INTEGRATOR_VELOCITY_VERLET, "sim");
    ANSWERS(scree_sim_get_device, scree_sim_get_device(NULL) == SCREE_DEVICE_NONE, "sim");
    ANSWERS(scree_sim_get_device_bytes, scree_sim_get_device_bytes(NULL) == 0, "sim");
    ANSWERS(scree_sim_get_device_note, scree_sim_get_device_note(NULL)[0] == '\0', "sim");
    REFUSES(scree_device_describe, (SCREE_DEVICE_EMULATE, NULL), "out");
    REFUSES(scree_par_create, (-1, NULL), "out");
    scree_par* ranks;
    REFUSES(scree_par_create_virtual, (2, NULL), "out");
    CHECK_FAILS(scree_par_create_virtual(0, &ranks), SCREE_ERR_ARGUMENT, "0 virtual ranks");
    assert_null(ranks);
    REFUSES(scree_par_share, (NULL), "par");
    ANSWERS(scree_par_get_rank, scree_par_get_rank(NULL) == 0, "par");
    ANSWERS(scree_par_get_ranks, scree_par_get_ranks(NULL) == 0, "par");
    assert_null(scree_par_get_shared());
    scree_par_pairs_def wanted_pairs = scree_default_par_pairs_def();
    scree_par_pairs* shared_pairs;
    scree_pairs some_pairs;
    EMPTIES(shared_pairs, scree_par_find_pairs, (NULL, &wanted_pairs, (scree_spheres){0}, &shared_pairs), "par");
    REFUSES(scree_par_find_pairs, (NULL, &wanted_pairs, (scree_spheres){0}, NULL), "out");
    EMPTIES(some_pairs, scree_par_pairs_next, (NULL, &some_pairs), "pairs");
    ANSWERS(scree_par_pairs_get_stats, scree_par_pairs_get_stats(NULL).count == 0, "pairs");
    scree_par_pairs_destroy(NULL);
    scree_par_destroy(NULL);
    ANSWERS(scree_sim_get_step, scree_sim_get_step(NULL) == 0, "sim");
    ANSWERS(scree_sim_get_time, isnan(scree_sim_get_time(NULL)), "sim");
    ANSWERS(scree_sim_get_count, scree_sim_get_count(NULL) == 0, "sim");
    ANSWERS(scree_sim_get_columns, scree_sim_get_columns(NULL, NULL, 0) == 0, "sim");
    REFUSES(scree_sim_get_column, (NULL, "x", three), "sim");
    REFUSES(scree_sim_get_column, (sim, NULL, three), "name");
    REFUSES(scree_sim_get_column, (sim, "x", NULL), "out");
    REFUSES(scree_sim_get_rows, (NULL, 0, 1, 1, &(scree_sim_values){"x", three}), "sim");
    REFUSES(scree_sim_get_rows, (sim, 0, 1, 1, NULL), "columns");
    CHECK_FAILS(scree_sim_get_rows(sim, 0, 1, 1, &(scree_sim_values){NULL, three}), SCREE_ERR_ARGUMENT, "NULL");
    CHECK_FAILS(scree_sim_get_rows(sim, 0, 1, 1, &(scree_sim_values){"x", NULL}), SCREE_ERR_ARGUMENT, "NULL");
    CHECK_FAILS(scree_sim_get_rows(sim, 0, 1, 1, &(scree_sim_values){"mass", three}), SCREE_ERR_ARGUMENT, "mass");
    CHECK_FAILS(scree_sim_get_rows(sim, 1, scree_sim_get_count(sim), 1, &(scree_sim_values){"x", three}), SCREE_ERR_ARGUMENT, "row 1");
    REFUSES(scree_sim_set_group_force, (NULL, 0, three), "sim");
    REFUSES(scree_sim_set_group_force, (sim, 0, NULL), "force");
    REFUSES(scree_sim_set_external, (NULL, three, NULL), "sim");
    REFUSES(scree_sim_get_external, (NULL, three, NULL), "sim");
    ANSWERS(scree_sim_get_box, scree_sim_get_box(NULL).dim == 0, "sim");
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
    ANSWERS(scree_sim_get_volume, isnan(scree_sim_get_volume(NULL)), "sim");
    EMPTIES(memory, scree_sim_get_memory, (NULL, &memory), "sim");
    REFUSES(scree_sim_get_memory, (sim, NULL), "out");
    int64_t remembered = 3;
    EMPTIES(memory, scree_sim_get_memory_rows, (NULL, 0, 1, &memory, &remembered), "sim");
    REFUSES(scree_sim_get_memory_rows, (sim, 0, 1, NULL, &remembered), "out");
    REFUSES(scree_sim_get_memory_rows, (sim, 0, 1, &memory, NULL), "all");
    CHECK_FAILS(scree_sim_get_memory_rows(sim, -1, 1, &memory, &remembered), SCREE_ERR_ARGUMENT, "-1");
    scree_sim_bonds bonds;
    EMPTIES(bonds, scree_sim_get_bonds, (NULL, &bonds), "sim");
    EMPTIES(bonds, scree_sim_get_bond_rows, (NULL, 0, 1, &bonds, &remembered), "sim");
    REFUSES(scree_sim_get_bond_rows, (sim, 0, 1, NULL, &remembered), "out");
    REFUSES(scree_sim_get_bond_rows, (sim, 0, 1, &bonds, NULL), "all");
    CHECK_FAILS(scree_sim_get_bond_rows(sim, -1, 1, &bonds, &remembered), SCREE_ERR_ARGUMENT, "-1");
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
    scree_sim_costs costs;
    EMPTIES(costs, scree_sim_find_costs, (NULL, 100, &costs), "sim");
    REFUSES(scree_sim_find_costs, (sim, 100, NULL), "out");
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
    scree_polygon_rounded rounded;
    REFUSES(scree_polygon_round, (square, 0.1, NULL), "out");
    CHECK_FAILS(scree_polygon_round(empty, 0.1, &rounded), SCREE_ERR_ARGUMENT, "xy", "NULL");
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
    ANSWERS(scree_polygon_sim_get_step, scree_polygon_sim_get_step(NULL) == 0, "sim");
    ANSWERS(scree_polygon_sim_get_time, isnan(scree_polygon_sim_get_time(NULL)), "sim");
    ANSWERS(scree_polygon_sim_get_count, scree_polygon_sim_get_count(NULL) == 0, "sim");
    ANSWERS(scree_polygon_sim_get_box, scree_polygon_sim_get_box(NULL).dim == 0, "sim");
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
    scree_fragments fragments;
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
    EMPTIES(fragments, scree_measure_fragments, (NULL, &fragments), "snapshot");
    REFUSES(scree_measure_fragments, (&now, NULL), "out");
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
    scree_fragments_free(NULL);
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
};

const test_group group_arguments = {.name = "arguments",
                                    .cases = cases,
                                    .count = sizeof cases / sizeof *cases,
                                    .begin = make_folder,
                                    .end = remove_folder,
                                    .before_each = start_clean};
