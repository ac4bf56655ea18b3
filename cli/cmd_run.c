// scree run: a scene from its first step to its last; with --check only what it would come to.
#include "commands.h"
#include "ranks.h"
#include "simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void tell_costs(report* rep, const scree_run_costs* costs)
{
    report_integer(rep, "frames", costs->frames);
    report_number(rep, "seconds_estimated", costs->seconds);
    report_number(rep, "seconds_steps", costs->seconds_steps);
    report_number(rep, "seconds_frames", costs->seconds_frames);
    report_number(rep, "seconds_pictures", costs->seconds_pictures);
    report_number(rep, "seconds_other", costs->seconds_other);
}

static scree_status check_bodies(const common* co, const scree_scene* scene, scree_run* trial)
{
    scree_polygon_sim* sim = scree_run_polygon_sim(trial);
    scree_polygon_sim_numbers n = scree_polygon_sim_get_numbers(sim);
    scree_polygon_sim_report first, told;
    scree_run_costs costs;
    scree_status status = scree_polygon_sim_measure(sim, &first);
    if (status == SCREE_OK)
        status = scree_run_estimate(trial, scene, &costs);
    if (status == SCREE_OK)
        status = scree_polygon_sim_measure(sim, &told);
    simulate_wipe();
    if (status != SCREE_OK)
        return status;
    report rep = report_begin(co->json);
    report_bool(&rep, "valid", true);
    report_integer(&rep, "n", scree_polygon_sim_count(sim));
    report_integer(&rep, "dim", 2);
    report_integer(&rep, "fixed", n.fixed);
    report_integer(&rep, "discs", n.discs);
    report_integer(&rep, "vertices", n.vertices);
    report_number(&rep, "size_ratio", n.radius_least > 0.0 ? n.radius_most / n.radius_least : 1.0);
    report_number(&rep, "stiffness", n.stiffness);
    report_number(&rep, "contact_duration", n.contact_duration);
    int64_t shortest[2] = {n.shortest[0], n.shortest[1]};
    report_integers(&rep, "shortest_contact", shortest, 2);
    report_number(&rep, "step", n.step);
    report_number(&rep, "longest_step", n.longest_step);
    report_number(&rep, "restitution_least", n.restitution_least);
    report_number(&rep, "restitution_most", n.restitution_most);
    report_number(&rep, "mass", n.mass_sum);
    report_number(&rep, "mass_least", n.mass_least);
    report_number(&rep, "mass_most", n.mass_most);
    report_integer(&rep, "steps", scree_run_steps(trial));
    report_number(&rep, "time", scree_run_end(trial));
    report_number(&rep, "overlap_largest", first.overlap_largest);
    report_text(&rep, "method", scree_method_name((scree_method)told.method));
    report_integer(&rep, "bytes", (int64_t)told.bytes);
    tell_costs(&rep, &costs);
    report_end(&rep);
    return SCREE_OK;
}

// Of all spheres, overlaps counted twice.
static scree_status find_volume(const scree_sim* sim, double* out)
{
    int32_t n = scree_sim_count(sim);
    double* r = scree_malloc((size_t)n + 1, sizeof *r);
    if (r == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = scree_sim_get_column(sim, "radius", r);
    if (status == SCREE_OK)
        *out = scree_spheres_volume((scree_spheres){.count = n, .dim = scree_sim_box(sim).dim, .r = r});
    scree_free(r);
    return status;
}

// The scene as it is, its derived numbers, and what it will cost: measured over some steps.
static scree_status check_scene(const common* co, const scree_scene* scene, const scree_run_def* def)
{
    scree_run* trial;
    scree_status status = scree_run_create(def, scene, NULL, &trial);
    if (status != SCREE_OK)
        return status;
    if (scree_run_polygon_sim(trial) != NULL) {
        status = check_bodies(co, scene, trial);
        scree_run_destroy(trial);
        return status;
    }
    scree_sim* sim = scree_run_sim(trial);
    scree_sim_numbers numbers = scree_sim_get_numbers(sim);
    scree_sim_report first, told;
    scree_box box = scree_sim_box(sim);
    double room = scree_sim_volume(sim);
    status = scree_sim_measure(sim, &first);
    scree_run_costs costs;
    if (status == SCREE_OK)
        status = scree_run_estimate(trial, scene, &costs);
    if (status == SCREE_OK)
        status = scree_sim_measure(sim, &told);
    double volume = 0.0, asked = 0.0;
    if (status == SCREE_OK)
        status = find_volume(sim, &volume);
    for (int64_t n = 0; n < scree_scene_group_count(scene); ++n)
        asked += scree_scene_get_group(scene, n).density;
    simulate_wipe();
    if (status == SCREE_OK && scree_run_note(trial)[0] != '\0' && !co->quiet)
        say("%s\n", scree_run_note(trial));
    if (status == SCREE_OK && !co->quiet && !co->json)
        simulate_tell_pairs(trial);
    if (status == SCREE_OK) {
        report rep = report_begin(co->json);
        report_bool(&rep, "valid", true);
        report_integer(&rep, "n", scree_sim_count(sim));
        report_integer(&rep, "dim", box.dim);
        simulate_tell_start(&rep, scene);
        if (scree_scene_group_count(scene) > 1)
            report_integer(&rep, "groups", scree_scene_group_count(scene));
        // Spheres that are to grow were put into a larger box for this look.
        scree_scene_group group = scree_scene_get_group(scene, 0);  // all grow, or none
        bool grows = group.file_path == NULL && group.place == SCREE_PLACE_GROW;
        double looked_at = volume / room, density = looked_at;
        if (grows)
            density = asked > 0.0 ? asked : volume / scree_box_volume(&scene->sim.box);
        report_number(&rep, "density", density);
        if (grows)
            report_number(&rep, "density_checked", looked_at);
        if (grows && !co->quiet)
            say("note: looked at with spheres at random, at density %.3g; a run grows them to %.3g first, which takes its time and may end in "
                        "'they jam'\n", looked_at, density);
        report_number(&rep, "size_ratio",
                      numbers.radius_least > 0.0 ? numbers.radius_most / numbers.radius_least : 1.0);
        simulate_tell_numbers(&rep, &numbers);
        if (co->json)
            simulate_report_pairs(&rep, trial);
        report_integer(&rep, "steps", scree_run_steps(trial));
        report_number(&rep, "time", scree_run_end(trial));
        report_number(&rep, "overlap_relative", first.overlap_relative);
        report_text(&rep, "method", scree_method_name((scree_method)told.method));
        report_integer(&rep, "bytes", (int64_t)told.bytes);
        if (scree_sim_device(sim) != SCREE_DEVICE_NONE) {
            report_text(&rep, "device", scree_device_name(scree_sim_device(sim)));
            report_integer(&rep, "device_bytes", (int64_t)scree_sim_device_bytes(sim));
        }
        tell_costs(&rep, &costs);
        report_end(&rep);
    }
    scree_run_destroy(trial);
    return status;
}

static exit_code run(const arguments* args)
{
    common co;
    int method = -1, device = SCREE_DEVICE_NONE;
    if (!common_options_of(args, &co) || !option_choice(args, "method", method_name_at, &method) || !option_choice(args, "device", device_name_at, &device))
        return EXIT_USAGE;
    if (co.out == NULL && !co.check) {
        say("scree run: where to? scree run %s -o FOLDER (or --check, which writes nothing)\n", args->files[0]);
        return EXIT_USAGE;
    }
    if (co.out != NULL && (strcmp(co.out, "") == 0 || strcmp(co.out, "-") == 0)) {
        say("scree run: -o '%s': a run leaves a folder, so a name for one is needed%s\n", co.out,
            co.out[0] == '-' ? " (./- if it shall be called that)" : "");
        return EXIT_USAGE;
    }
    exit_code code = ranks_start(args);
    if (code != EXIT_DONE)
        return code;
    scree_scene scene;
    scree_status status = scree_scene_read(args->files[0], &scene);
    if (status != SCREE_OK)
        return run_failed(args, status);
    if (option_given(args, "seed"))
        scene.seed = co.seed;
    scree_run_def def = simulate_def(&co, method, device, option_given(args, "verify"), option_given(args, "force"));
    if (co.check) {
        status = check_scene(&co, &scene, &def);
    } else {
        scree_run* going;
        status = scree_run_create(&def, &scene, co.out, &going);
        if (status == SCREE_OK)
            code = simulate_go(args, &co, co.out, going);
    }
    simulate_wipe();
    if (status != SCREE_OK)
        code = run_failed(args, status);
    scree_scene_free(&scene);
    return code;
}

static const option options[] = {
    {"method", 'm', "NAME", "how contacts are searched, in place of the scene's; the result does not depend on it"},
    {"device", 0, "NAME", "what does the steps of spheres: none (the processor), auto, cuda, emulate; the result does not depend on it"},
    {"verify", 0, NULL, "compare the contacts of every step with all pairs (slow)"},
    RANKS_OPTION,
    {"force", 0, NULL, "begin even if the folder holds an earlier run, which is then removed"},
    {"check", 0, NULL, "write nothing: report what is wrong with the scene, or the numbers that follow from it, with memory and time"},
    {"out", 'o', "FOLDER", "where everything goes; it must be new or empty"},
    {0},
};

static const choice choices[] = {
    METHOD_CHOICE,
    DEVICE_CHOICE,
    {0},
};

const command cmd_run = {
    .name = "run",
    .usage = "SCENE.yaml -o FOLDER [--method M] [--force] | SCENE.yaml --check",
    .about = "a simulation from a scene file: spheres or polygons, with or without friction",
    .details = "Contacts are smooth unless the scene says otherwise: friction, and for spheres Hertz, JKR, DMT or plastic contacts with rolling and\n"
               "twisting resistance (docs/laws.md). At the start it prints what follows for each pair of materials.\n"
               "FOLDER gets the scene with every default filled in, log.csv, frames, checkpoints and at the end report.html, a page about the run.\n"
               "After Ctrl-C, a crash or a power cut, 'scree resume FOLDER' continues; the result is the same to the last bit. --check writes\n"
               "nothing: it reports what is wrong with the scene, or the numbers that follow from it and an estimate of memory and time. The\n"
               "time is measured on a few steps, one frame and one picture: steps, frames, pictures, log and checkpoints are in it; making the\n"
               "spheres, waiting for the disk, the report and the animation are not.\n"
               "A scene has one kind of spheres or a list of groups: of several materials, fixed ones, with external forces. With start: {run: FOLDER}\n"
               "it begins from the state of another run, with its own gravity, contact, box or walls.\n"
               "docs/scene.md lists the keys.",
    .example = "  scree run examples/column.yaml -o column\n  scree resume column",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .leaves = simulate_leaves,
    .run = run,
};
