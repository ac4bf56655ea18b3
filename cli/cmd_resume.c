// scree resume: goes on with a run from its last checkpoint.
#include "commands.h"
#include "simulate.h"

#include <stdio.h>

static exit_code run(const arguments* args)
{
    common co;
    int method = -1;
    if (!common_options_of(args, &co) || !option_choice(args, "method", method_name_at, &method))
        return EXIT_USAGE;
    if (args->files[0][0] == '\0') {
        say("scree resume: the name of the folder is empty\n");
        return EXIT_USAGE;
    }
    scree_run* going;
    scree_run_def def = simulate_def(&co, method, option_given(args, "verify"), false);
    scree_status status = scree_run_resume(&def, args->files[0], &going);
    simulate_wipe();
    return status == SCREE_OK ? simulate_go(args, &co, args->files[0], going) : run_failed(args, status);
}

static const option options[] = {
    {"method", 'm', "NAME", "how contacts are searched, in place of the scene's; the result does not depend on it"},
    {"verify", 0, NULL, "compare the contacts of every step with all pairs (slow)"},
    {0},
};

static const refused_option refused[] = {
    {"out", "a run goes on in its own folder"},
    {"seed", "the seed is the one that the run began with"},
    {"format", "the formats are those that the scene asks for"},
    {"check", "this belongs to scree run; --verify compares the contacts of every step"},
    {0},
};

static const choice choices[] = {
    METHOD_CHOICE,
    {0},
};

const command cmd_resume = {
    .name = "resume",
    .usage = "FOLDER [--method M]",
    .about = "continues a simulation that was stopped, from its last checkpoint",
    .details = "The result is the same to the last bit as without the stop, for any search method and number of threads.\n"
               "A run that is finished prints its result again.",
    .example = "  scree run examples/column.yaml -o column\n  scree resume column",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .refused = refused,
    .leaves = simulate_leaves,
    .run = run,
};
