// The same as test_arguments.c, of files, pictures, pages, scenes and runs.
#include "arguments_support.h"

// ---- The table -------------------------------------------------------------------------------------------------------------

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
    ANSWERS(scree_checkpoint_get_values, scree_checkpoint_get_values(NULL, "x", SCREE_TYPE_FLOAT64) == NULL, "checkpoint");
    ANSWERS(scree_checkpoint_get_values, scree_checkpoint_get_values(&saved, NULL, SCREE_TYPE_FLOAT64) == NULL, "name");
    REFUSES(scree_write_checkpoint, (NULL, &saved), "path");
    REFUSES(scree_write_checkpoint, (in_folder("a.npz"), NULL), "checkpoint");
    EMPTIES(back, scree_read_checkpoint, (NULL, &back), "path");
    REFUSES(scree_read_checkpoint, (in_folder("a.npz"), NULL), "out");
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
    REFUSES(scree_write_picture, (NULL, &set, NULL), "path");
    REFUSES(scree_write_picture, (path, NULL, NULL), "set");
    REFUSES(scree_picture_render_outlines, (NULL, NULL, rgba), "set");
    REFUSES(scree_picture_render_outlines, (&outlines, NULL, NULL), "rgba");
    REFUSES(scree_write_picture_outlines, (NULL, &outlines, NULL), "path");
    REFUSES(scree_write_picture_outlines, (path, NULL, NULL), "set");

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
    REFUSES(scree_write_plot, (NULL, &plot), "path");
    REFUSES(scree_write_plot, (in_folder("a.svg"), NULL), "plot");
    EMPTIES(svg, scree_plot_render_svg, (NULL, &svg), "plot");
    REFUSES(scree_plot_render_svg, (&plot, NULL), "out");

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
    REFUSES(scree_write_report, (NULL, path), "page");
    REFUSES(scree_write_report, (page, NULL), "path");
    scree_report_badge(page, NULL, true);
    scree_report_text(page, NULL);
    scree_report_value(page, NULL, NULL, NULL);
    CHECK_OK(scree_write_report(page, in_folder("a.html")));
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
        CHECK_FAILS(scree_write_report(bad, in_folder("b.html")), SCREE_ERR_ARGUMENT, parameters[which]);
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
    REFUSES(scree_write_view, (NULL, 1, NULL, &set, NULL), "path");
    REFUSES(scree_write_view, (in_folder("a.html"), 1, NULL, NULL, NULL), "sets");
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
    EMPTIES(none, scree_read_scene, (NULL, &none), "path");
    REFUSES(scree_read_scene, (in_folder("a.yaml"), NULL), "out");
    EMPTIES(none, scree_read_scene_with, (NULL, 0, NULL, &none), "path");
    EMPTIES(none, scree_read_scene_with, (in_folder("a.yaml"), 1, NULL, &none), "settings");
    EMPTIES(none, scree_read_scene_with, (in_folder("a.yaml"), 1, (const char*[]){NULL}, &none), "settings[k]");
    REFUSES(scree_read_scene_with, (in_folder("a.yaml"), 0, NULL, NULL), "out");
    EMPTIES(none, scree_scene_parse, (NULL, "a", 1, &none), "name");
    EMPTIES(none, scree_scene_parse, ("a.yaml", NULL, 1, &none), "text");
    REFUSES(scree_scene_parse, ("a.yaml", "a", 1, NULL), "out");
    memset(&none, 0xA5, sizeof none);
    CHECK_FAILS(scree_scene_parse("a.yaml", "a", 1, &none), SCREE_ERR_FORMAT, "a.yaml");
    assert_null(none);
    scree_scene_destroy(NULL);
    CHECK_OK(scree_scene_parse("a.yaml", scene_text, strlen(scene_text), &scene));
    REFUSES(scree_write_scene, (NULL, scene), "path");
    REFUSES(scree_write_scene, (in_folder("a.yaml"), NULL), "scene");
    REFUSES(scree_scene_set_seed, (NULL, 7), "scene");
    REFUSES(scree_scene_set_threads, (NULL, 1), "scene");
    CHECK_FAILS(scree_scene_set_threads(scene, -1), SCREE_ERR_ARGUMENT, "threads", "-1");
    ANSWERS(scree_scene_keys, scree_scene_keys(NULL) == NULL, "count");
    const scree_scene_key* key = NULL;
    char condition[64];
    EMPTIES(key, scree_scene_find_key, (NULL, &key), "path");
    REFUSES(scree_scene_find_key, ("contact", NULL), "out");
    CHECK_FAILS(scree_scene_find_key("", &key), SCREE_ERR_ARGUMENT, "''");
    CHECK_FAILS(scree_scene_find_key("contact.fricton", &key), SCREE_ERR_ARGUMENT, "contact.fricton", "contact.friction");
    assert_null(key);
    CHECK_OK(scree_scene_find_key("contact.friction", &key));
    REFUSES(scree_scene_key_condition, (NULL, condition, sizeof condition), "key");
    REFUSES(scree_scene_key_condition, (key, NULL, 0), "text");
    CHECK_OK(scree_scene_key_condition(key, condition, 5));
    assert_string_equal(condition, "with");
    assert_null(scree_scene_key_inside(key, 0));
    assert_null(scree_scene_key_inside(NULL, -1));
    assert_string_equal(scree_scene_key_inside(NULL, 0)->path, "include");
    REFUSES(scree_write_scene_schema, (NULL), "path");
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
    ANSWERS(scree_run_summary_get_count, scree_run_summary_get_count(NULL) == 0, "summary");
    ANSWERS(scree_run_summary_get, scree_run_summary_get(NULL, 0) == NULL, "summary");
    ANSWERS(scree_run_summary_find, scree_run_summary_find(NULL, "n") == NULL, "summary");
    ANSWERS(scree_run_summary_find, scree_run_summary_find(summary, NULL) == NULL, "key");
    assert_int_equal(scree_run_summary_find(summary, "n")->integers[0], 3);
    scree_run_summary_destroy(summary);
    scree_run_summary_destroy(NULL);
    ANSWERS(scree_run_get_sim, scree_run_get_sim(NULL) == NULL, "run");
    ANSWERS(scree_run_get_polygon_sim, scree_run_get_polygon_sim(NULL) == NULL, "run");
    ANSWERS(scree_run_hash, scree_run_hash(NULL) == 0, "run");
    ANSWERS(scree_run_get_scene, scree_run_get_scene(NULL) == NULL, "run");
    ANSWERS(scree_run_get_steps, scree_run_get_steps(NULL) == 0, "run");
    ANSWERS(scree_run_get_end, isnan(scree_run_get_end(NULL)), "run");
    ANSWERS(scree_run_get_seconds, isnan(scree_run_get_seconds(NULL)), "run");
    ANSWERS(scree_run_get_note, scree_run_get_note(NULL) == NULL, "run");
    ANSWERS(scree_run_get_warning, scree_run_get_warning(NULL) == NULL, "run");
    ANSWERS(scree_run_get_pairs, scree_run_get_pairs(NULL, NULL, 0) == 0, "run");
    scree_run_facts facts;
    scree_run_curves curves;
    const scree_sphere_set* now;
    const char *name, *const names[] = {"time"};
    EMPTIES(facts, scree_run_get_facts, (NULL, &facts), "run");
    REFUSES(scree_run_get_facts, (trial, NULL), "out");
    ANSWERS(scree_run_get_tally, scree_run_get_tally(NULL, 0, &name) == -1 && name == NULL, "run");
    ANSWERS(scree_run_get_tally, scree_run_get_tally(trial, 0, NULL) == -1, "name");
    assert_true(scree_run_get_tally(trial, 0, &name) == -1 && name == NULL);
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

static const test_case cases[] = {
    UNIT(files),
    UNIT(pictures_and_pages),
    UNIT(scenes_and_runs),
};

const test_group group_arguments_files = {.name = "arguments_files",
                                    .cases = cases,
                                    .count = sizeof cases / sizeof *cases,
                                    .begin = make_folder,
                                    .end = remove_folder,
                                    .before_each = start_clean};
