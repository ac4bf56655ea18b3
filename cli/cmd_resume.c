// scree resume: continues a run from its last checkpoint.
#include "commands.h"
#include "file_names.h"
#include "ranks.h"
#include "simulate.h"

#include <stdio.h>

static exit_code run(const arguments* args)
{
    common co;
    int method = -1, device = SCREE_DEVICE_NONE;
    double until = 0.0;
    int64_t until_steps = 0;
    if (!common_options_of(args, &co) || !option_choice(args, "method", method_name_at, &method) || !option_choice(args, "device", device_name_at, &device) || !option_number(args, "until", &until) ||
        !option_integer(args, "until-steps", 1, (int64_t)SCREE_RUN_STEPS_MOST, &until_steps))
        return EXIT_USAGE;
    if (option_given(args, "until") && !(until > 0.0)) {
        say("scree resume: --until expects a time above 0, got '%s'\n", option_text(args, "until"));
        return EXIT_USAGE;
    }
    if (option_given(args, "until") && option_given(args, "until-steps")) {
        say("scree resume: give only one of --until and --until-steps\n");
        return EXIT_USAGE;
    }
    exit_code code = file_names_check(args, &co);
    if (code == EXIT_DONE)
        code = ranks_start(args);
    if (code != EXIT_DONE)
        return code;
    scree_run* going;
    scree_run_def def = simulate_def(&co, method, device, option_given(args, "verify"), false);
    def.until = until;
    def.until_steps = until_steps;
    scree_status status = scree_run_resume(&def, args->files[0], &going);
    simulate_wipe();
    return status == SCREE_OK ? simulate_go(args, &co, args->files[0], device, going) : run_failed(args, status);
}

static const option options[] = {
    {"method", 'm', "NAME", "search method, instead of the one in the scene; the result does not depend on it"},
    {"until", 0, "T", "end at this time, instead of the one in the scene; updates scene.yaml in the folder"},
    {"until-steps", 0, "N", "the same as a number of steps, counted from the start of the run"},
    {"device", 0, "NAME", "device: none (the processor, default), auto, cuda or emulate; the result does not depend on it"},
    {"verify", 0, NULL, "compare the contacts of every step with all pairs (slow)"},
    RANKS_OPTION,
    {0},
};

static const file_use uses[] = {{READS_FOLDER, NULL, NULL}, {0}};

static const rejected_option rejected[] = {
    {"out", "a run continues in its own folder"},
    {"seed", "a run keeps its seed"},
    {"format", "the scene sets the formats"},
    {"check", "this is an option of scree run; --verify compares the contacts of every step"},
    {0},
};

static const choice choices[] = {
    METHOD_CHOICE,
    DEVICE_CHOICE,
    {0},
};

const command cmd_resume = {
    .name = "resume",
    .usage = "FOLDER [--until T] [--method M]",
    .about = "continues a simulation that was stopped, from its last checkpoint",
    .details = "The result is the same to the last bit as without the stop, for any search method and number of threads.\n"
               "A finished run prints its result again. With --until it continues, and ends with the same result as a run of that length.",
    .example = "  scree run examples/column.yaml -o column\n  scree resume column\n  scree resume column --until 1.2",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .rejected = rejected,
    .uses = uses,
    .leaves = simulate_leaves,
    .run = run,
};
