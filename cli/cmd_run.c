// scree run: a scene from its first step to its last; with --check only its derived numbers.
#include "commands.h"
#include "file_names.h"
#include "ranks.h"
#include "simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// What the scene leads to, and the largest overlap of its first state.
static void add_start(result* res, const scree_run_summary* summary)
{
    static const char* const keys[] = {"max_overlap", "max_overlap_relative"};
    simulate_add_summary(res, summary, SCREE_TOPIC_SYSTEM);
    simulate_add_summary(res, summary, SCREE_TOPIC_DERIVED);
    for (int k = 0; k < 2; ++k)
        if (scree_run_summary_find(summary, keys[k]) != NULL)
            result_quantity(res, scree_run_summary_find(summary, keys[k]));
}

// `device_bytes`: estimated before the first step, with the spheres that are inserted later.
static void add_end(result* res, scree_run* trial, const scree_sim_report* now, const scree_run_costs* costs, size_t device_bytes)
{
    scree_sim* sim = scree_run_get_sim(trial);
    result_integer(res, "steps", scree_run_get_steps(trial));
    result_number(res, "time", scree_run_get_end(trial));
    result_text(res, "method", scree_method_name((scree_method)now->method));
    result_integer(res, "bytes", (int64_t)now->bytes);
    result_text(res, "device", scree_device_name(sim != NULL ? scree_sim_get_device(sim) : SCREE_DEVICE_NONE));
    if (sim != NULL && scree_sim_get_device(sim) != SCREE_DEVICE_NONE) {
        result_text(res, "device_name", scree_sim_get_device_note(sim));
        result_integer(res, "device_bytes", (int64_t)(device_bytes > scree_sim_get_device_bytes(sim) ? device_bytes : scree_sim_get_device_bytes(sim)));
    }
    result_integer(res, "frames", costs->frames);
    result_number(res, "seconds_estimated", costs->seconds_estimated);
    if (costs->seconds_min < costs->seconds_estimated)
        result_about(res, "", "if all spheres stay that do not fall into an outlet");
    result_number(res, "seconds_min", costs->seconds_min);
    if (costs->seconds_min < costs->seconds_estimated)
        result_about(res, "", "if all leave as soon as they lie: when they do cannot be known");
    else
        result_only(res, RESULT_JSON);
    result_number(res, "seconds_steps", costs->seconds_steps);
    result_number(res, "seconds_frames", costs->seconds_frames);
    result_number(res, "seconds_pictures", costs->seconds_pictures);
    result_number(res, "seconds_other", costs->seconds_other);
}

// The scene as it is, its derived numbers, and what it will cost: measured over some steps.
static scree_status check_scene(const common* co, const scree_scene* scene, const scree_run_def* def)
{
    scree_run* trial;
    scree_run_summary* summary = NULL;
    scree_run_costs costs;
    scree_sim_report now;
    scree_status status = scree_run_create(def, scene, NULL, &trial);
    if (status != SCREE_OK)
        return status;
    size_t device_bytes = scree_run_get_sim(trial) != NULL ? scree_sim_get_device_bytes(scree_run_get_sim(trial)) : 0;
    status = scree_run_summary_create(trial, &summary);
    simulate_tell_device(co, trial, def->device);
    result res = result_begin("run");
    res.width = 24;
    result_bool(&res, "valid", true);
    if (status == SCREE_OK)
        add_start(&res, summary);
    if (status == SCREE_OK)
        status = scree_run_estimate(trial, &costs);
    if (status == SCREE_OK)
        status = scree_run_measure(trial, &now);
    simulate_wipe();
    if (status == SCREE_OK && !co->quiet)
        simulate_tell_lines("", scree_run_get_note(trial));
    if (status == SCREE_OK && scree_run_get_sim(trial) != NULL && !co->quiet && !co->json)
        simulate_tell_pairs(trial);
    const scree_quantity* checked = status == SCREE_OK ? scree_run_summary_find(summary, "density_checked") : NULL;
    if (checked != NULL && !co->quiet)
        say("note: checked with spheres at random positions at density %.3g; a run first grows them to %.3g, which takes time and may fail if they jam\n", checked->values[0], scree_run_summary_find(summary, "density")->values[0]);
    if (status == SCREE_OK) {
        simulate_report_pairs(&res, trial);
        add_end(&res, trial, &now, &costs, device_bytes);
        result_print(&res, co->json);
    }
    result_free(&res);
    scree_run_summary_destroy(summary);
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
    exit_code code = file_names_check(args, &co);
    if (code == EXIT_DONE)
        code = ranks_start(args);
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
            code = simulate_go(args, &co, co.out, device, going);
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
    {"method", 'm', "NAME", "search method, instead of the one in the scene; the result does not depend on it"},
    {"device", 0, "NAME", "device: none (the processor, default), auto, cuda or emulate; the result does not depend on it"},
    {"verify", 0, NULL, "compare the contacts of every step with all pairs (slow)"},
    RANKS_OPTION,
    {"force", 0, NULL, "replace an earlier run in the folder"},
    SET_OPTION,
    {"check", 0, NULL, "check the scene and write nothing: print errors, or the derived numbers with estimates of memory and time"},
    {"out", 'o', "FOLDER", "folder for all files; it must be new or empty"},
    {0},
};

static const rejected_option rejected[] = {{"format", "the scene sets the formats (output.formats)"}, {0}};

static const file_use uses[] = {{READS_FILE, NULL, NULL}, {WRITES_FOLDER, "out", NULL}, {0}};

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
               "FOLDER contains the scene with all defaults, log.csv, frames, checkpoints and at the end report.html. After Ctrl-C, a crash or a power cut, 'scree resume FOLDER' "
               "continues; the result is the same to the last bit.\n"
               "--check estimates the time from a few steps, one frame and one picture. The estimate covers steps, frames, pictures, log and checkpoints, but not the generation of the "
               "spheres, waiting for the disk, the report and the animation. Spheres that are inserted are taken to fall freely from their region, without contacts, and to lie at rest afterwards; "
               "those that fall into an outlet leave. When others leave cannot be known: then the time is from seconds_min to seconds_estimated.\n"
               "A scene has one kind of spheres or a list of groups: several materials, fixed spheres, external forces. With start: {run: FOLDER} it begins from the state of another run, "
               "with its own gravity, contact, box or walls. docs/scene.md lists the keys.",
    .example = "  scree run examples/column.yaml -o column\n  scree resume column",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .leaves = simulate_leaves,
    .repeated = simulate_repeated,
    .rejected = rejected,
    .uses = uses,
    .run = run,
};
