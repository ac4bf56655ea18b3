// scree run: a scene from its first step to its last; with --check only what it would come to.
#include "commands.h"
#include "simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The scene as it is, its derived numbers, and what it will cost: measured over some steps.
static scree_status check_scene(const common* co, const scree_scene* scene, int32_t method)
{
    scree_sphere_set set = {0};
    scree_sim* sim = NULL;
    scree_sim_report told = {.bytes = 0};
    scree_status status = scree_scene_spheres(scene, run_watch("placing the spheres", co->quiet), &set);
    run_watch_end();
    scree_sim_def def = scene->sim;
    def.box = set.box;
    def.threads = co->threads;
    if (method >= 0 && method != def.search.method) {
        def.search = scree_default_index_def();
        def.search.method = method;
    }
    const scree_column* velocity = status == SCREE_OK ? scree_sphere_set_find(&set, "velocity") : NULL;
    if (status == SCREE_OK)
        status = scree_sim_create(&def, scree_sphere_set_view(&set), velocity->values, &sim);
    int64_t tried = 0;
    double began = seconds(), took = 0.0;
    scree_sim_numbers numbers = {.step = 0.0};
    if (status == SCREE_OK)
        numbers = scree_sim_get_numbers(sim);
    double steps = scene->steps >= 0 ? (double)scene->steps : numbers.step > 0.0 ? scene->end / numbers.step : 0.0;
    for (int64_t some = 1; status == SCREE_OK && took < 1.0 && tried < 1000 && (double)tried < steps; some *= 2) {
        status = scree_sim_run(sim, some);
        tried += some;
        took = seconds() - began;
        if (run_interrupted() && status == SCREE_OK)
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    if (status == SCREE_OK)
        status = scree_sim_measure(sim, &told);
    if (status == SCREE_OK) {
        report rep = report_begin(co->json);
        report_bool(&rep, "valid", true);
        report_integer(&rep, "n", set.count);
        report_integer(&rep, "dim", set.dim);
        report_number(&rep, "density", scree_spheres_volume(scree_sphere_set_view(&set)) / scree_box_volume(&set.box));
        report_number(&rep, "size_ratio", numbers.radius_least > 0.0 ? numbers.radius_most / numbers.radius_least : 1.0);
        simulate_tell_numbers(&rep, &numbers);
        report_number(&rep, "steps", steps);
        report_number(&rep, "time", steps * numbers.step);
        report_number(&rep, "overlap_relative", told.overlap_relative);
        report_text(&rep, "method", scree_method_name((scree_method)told.method));
        report_integer(&rep, "bytes", (int64_t)told.bytes);
        report_number(&rep, "seconds_estimated", tried > 0 ? took / (double)tried * steps : 0.0);
        report_end(&rep);
    }
    scree_sim_destroy(sim);
    scree_sphere_set_free(&set);
    return status;
}

static exit_code run(const arguments* args)
{
    common co;
    int method = -1;
    if (!common_options_of(args, &co) || !option_choice(args, "method", method_name_at, &method))
        return EXIT_USAGE;
    if (co.out == NULL && !co.check) {
        fprintf(stderr, "scree run: where to? scree run %s -o FOLDER (or --check, which writes nothing)\n", args->files[0]);
        return EXIT_USAGE;
    }
    scree_scene scene;
    scree_status status = scree_scene_read(args->files[0], &scene);
    if (status != SCREE_OK)
        return run_failed(args, status);
    if (option_given(args, "seed"))
        scene.seed = co.seed;
    exit_code code = EXIT_DONE;
    if (co.check) {
        status = check_scene(&co, &scene, method);
        code = status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
    } else {
        scree_run* going;
        scree_run_def def = simulate_def(&co, method, option_given(args, "verify"), option_given(args, "force"));
        status = scree_run_begin(&def, &scene, co.out, &going);
        code = status == SCREE_OK ? simulate_go(args, &co, co.out, going) : run_failed(args, status);
    }
    scree_scene_free(&scene);
    return code;
}

static const option options[] = {
    {"method", 'm', "NAME", "how contacts are searched, in place of the scene's; the result does not depend on it"},
    {"verify", 0, NULL, "compare the contacts of every step with all pairs (slow)"},
    {"force", 0, NULL, "begin even if the folder holds an earlier run, which is then removed"},
    {0},
};

const command cmd_run = {
    .name = "run",
    .usage = "SCENE.yaml -o FOLDER [--method M] [--force] | SCENE.yaml --check",
    .about = "a simulation, as a scene file says",
    .details = "FOLDER gets the scene as it was understood, log.csv, frames and checkpoints. After Ctrl-C, a crash or a power cut\n"
               "'scree resume FOLDER' goes on, to the same last bit. --check writes nothing: it says what is wrong with the scene, or\n"
               "what it leads to, with an estimate of memory and time. docs/scene.md lists the keys of a scene.",
    .example = "  scree run examples/column.yaml -o column\n  scree resume column",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .run = run,
};
