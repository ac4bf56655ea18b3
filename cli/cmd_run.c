// scree run: a scene from its first step to its last; with --check only its derived numbers.
#include "commands.h"
#include "ranks.h"
#include "simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void tell_costs(result* res, const scree_run_costs* costs)
{
    result_integer(res, "frames", costs->frames);
    result_number(res, "seconds_estimated", costs->seconds);
    result_number(res, "seconds_steps", costs->seconds_steps);
    result_number(res, "seconds_frames", costs->seconds_frames);
    result_number(res, "seconds_pictures", costs->seconds_pictures);
    result_number(res, "seconds_other", costs->seconds_other);
}

static scree_status check_bodies(const common* co, const scree_scene* scene, scree_run* trial)
{
    scree_polygon_sim* sim = scree_run_polygon_sim(trial);
    scree_polygon_sim_numbers n = scree_polygon_sim_get_numbers(sim);
    scree_polygon_sim_report first, now;
    scree_run_costs costs;
    scree_status status = scree_polygon_sim_measure(sim, &first);
    if (status == SCREE_OK)
        status = scree_run_estimate(trial, scene, &costs);
    if (status == SCREE_OK)
        status = scree_polygon_sim_measure(sim, &now);
    simulate_wipe();
    if (status != SCREE_OK)
        return status;
    result res = result_begin("run");
    res.width = 24;
    result_bool(&res, "valid", true);
    result_integer(&res, "n", scree_polygon_sim_count(sim));
    result_integer(&res, "dim", 2);
    result_integer(&res, "fixed", n.fixed);
    result_integer(&res, "discs", n.discs);
    result_integer(&res, "vertices", n.vertices);
    result_number(&res, "size_ratio", n.radius_least > 0.0 ? n.radius_most / n.radius_least : 1.0);
    result_number(&res, "stiffness", n.stiffness);
    result_number(&res, "contact_duration", n.contact_duration);
    int64_t shortest[2] = {n.shortest[0], n.shortest[1]};
    result_integers(&res, "shortest_contact", shortest, 2);
    result_number(&res, "step", n.step);
    result_number(&res, "longest_step", n.longest_step);
    result_number(&res, "restitution_least", n.restitution_least);
    result_number(&res, "restitution_most", n.restitution_most);
    result_number(&res, "mass", n.mass_sum);
    result_number(&res, "mass_least", n.mass_least);
    result_number(&res, "mass_most", n.mass_most);
    result_integer(&res, "steps", scree_run_steps(trial));
    result_number(&res, "time", scree_run_end(trial));
    result_number(&res, "max_overlap", first.overlap_largest);
    result_text(&res, "method", scree_method_name((scree_method)now.method));
    result_integer(&res, "bytes", (int64_t)now.bytes);
    tell_costs(&res, &costs);
    result_print(&res, co->json);
    result_free(&res);
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
    scree_sim_report first, now;
    scree_box box = scree_sim_box(sim);
    double room = scree_sim_volume(sim);
    status = scree_sim_measure(sim, &first);
    scree_run_costs costs;
    if (status == SCREE_OK)
        status = scree_run_estimate(trial, scene, &costs);
    if (status == SCREE_OK)
        status = scree_sim_measure(sim, &now);
    double volume = 0.0;
    scree_scene_facts facts;
    if (status == SCREE_OK)
        status = scree_scene_get_facts(scene, &facts);
    if (status == SCREE_OK)
        status = find_volume(sim, &volume);
    simulate_wipe();
    if (status == SCREE_OK && scree_run_note(trial)[0] != '\0' && !co->quiet)
        say("%s\n", scree_run_note(trial));
    if (status == SCREE_OK && !co->quiet && !co->json)
        simulate_tell_pairs(trial);
    if (status == SCREE_OK) {
        result res = result_begin("run");
        res.width = 24;
        result_bool(&res, "valid", true);
        result_integer(&res, "n", scree_sim_count(sim));
        result_integer(&res, "dim", box.dim);
        simulate_tell_start(&res, &facts);
        if (facts.groups > 1)
            result_integer(&res, "group_count", facts.groups);
        // Spheres that are to grow were put into a larger box for this look.
        double looked_at = volume / room, density = looked_at;
        if (facts.grows)
            density = facts.density > 0.0 ? facts.density : volume / scree_box_volume(&facts.box);
        result_number(&res, "density", density);
        if (facts.grows)
            result_number(&res, "density_checked", looked_at);
        if (facts.grows && !co->quiet)
            say("note: checked with spheres at random positions at density %.3g; a run first grows them to %.3g, which takes time and may fail if they jam\n", looked_at, density);
        result_number(&res, "size_ratio",
                      numbers.radius_least > 0.0 ? numbers.radius_most / numbers.radius_least : 1.0);
        simulate_tell_numbers(&res, &numbers);
        simulate_report_pairs(&res, trial);
        result_integer(&res, "steps", scree_run_steps(trial));
        result_number(&res, "time", scree_run_end(trial));
        result_number(&res, "max_overlap_relative", first.overlap_relative);
        result_text(&res, "method", scree_method_name((scree_method)now.method));
        result_integer(&res, "bytes", (int64_t)now.bytes);
        if (scree_sim_device(sim) != SCREE_DEVICE_NONE) {
            result_text(&res, "device", scree_device_name(scree_sim_device(sim)));
            result_integer(&res, "device_bytes", (int64_t)scree_sim_device_bytes(sim));
        }
        tell_costs(&res, &costs);
        result_print(&res, co->json);
        result_free(&res);
    }
    scree_run_destroy(trial);
    return status;
}

static bool holds_run(const char* folder)
{
    char path[4096];
    return (size_t)snprintf(path, sizeof path, "%s/scene.yaml", folder) < sizeof path && access(path, F_OK) == 0;
}

static exit_code run(const arguments* args)
{
    common co;
    int method = -1, device = SCREE_DEVICE_NONE;
    if (!common_options_of(args, &co) || !option_choice(args, "method", method_name_at, &method) || !option_choice(args, "device", device_name_at, &device))
        return EXIT_USAGE;
    bool check = option_given(args, "check");
    if (co.out == NULL && !check) {
        say("scree run: -o is missing: scree run %s -o FOLDER (or --check, which writes nothing)\n", args->files[0]);
        return EXIT_USAGE;
    }
    if (co.out != NULL && (strcmp(co.out, "") == 0 || strcmp(co.out, "-") == 0)) {
        say("scree run: -o expects the name of a folder, got '%s'%s\n", co.out,
            co.out[0] == '-' ? " (./- for a folder of that name)" : "");
        return EXIT_USAGE;
    }
    exit_code code = ranks_start(args);
    if (code != EXIT_DONE)
        return code;
    scree_scene* scene;
    scree_status status = simulate_read_scene(args, &co, &scene);
    if (status != SCREE_OK)
        return run_failed(args, status);
    scree_run_def def = simulate_def(&co, method, device, option_given(args, "verify"), option_given(args, "force"));
    if (check) {
        status = check_scene(&co, scene, &def);
    } else {
        scree_run* going;
        status = scree_run_create(&def, scene, co.out, &going);
        if (status == SCREE_OK)
            code = simulate_go(args, &co, co.out, going);
    }
    simulate_wipe();
    if (status == SCREE_ERR_ARGUMENT && !check && !def.force && holds_run(co.out) && !co.quiet)
        say("note: --force replaces the earlier run in '%s'; 'scree resume %s' continues it\n", co.out, co.out);
    if (status != SCREE_OK)
        code = run_failed(args, status);
    scree_scene_destroy(scene);
    return code;
}

static const option options[] = {
    {"method", 'm', "NAME", "search method for contacts, in place of the scene's; the result does not depend on it"},
    {"device", 0, "NAME", "device: none (the processor, default), auto, cuda or emulate; the result does not depend on it"},
    {"verify", 0, NULL, "compare the contacts of every step with all pairs (slow)"},
    RANKS_OPTION,
    {"force", 0, NULL, "replace an earlier run in the folder"},
    {"check", 0, NULL, "check the scene and write nothing: print errors, or the derived numbers with estimates of memory and time"},
    {"out", 'o', "FOLDER", "folder for all files; it must be new or empty"},
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
    .details = "Contacts are frictionless unless the scene says otherwise: friction, and for spheres Hertz, JKR, DMT or plastic contacts with rolling and twisting resistance "
               "(docs/laws.md). At the start the program prints the derived numbers of each pair of materials.\n"
               "FOLDER gets the scene with all defaults, log.csv, frames, checkpoints and at the end report.html. After Ctrl-C, a crash or a power cut, 'scree resume FOLDER' "
               "continues; the result is the same to the last bit.\n"
               "--check estimates the time from a few steps, one frame and one picture. The estimate covers steps, frames, pictures, log and checkpoints, but not the generation of the "
               "spheres, waiting for the disk, the report and the animation.\n"
               "A scene has one kind of spheres or a list of groups: several materials, fixed spheres, external forces. With start: {run: FOLDER} it begins from the state of another run, "
               "with its own gravity, contact, box or walls. docs/scene.md lists the keys.",
    .example = "  scree run examples/column.yaml -o column\n  scree resume column",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .leaves = simulate_leaves,
    .run = run,
};
