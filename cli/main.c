// scree, the program: finds the command and hands over. Everything it can do is in the library; it sees include/ only,
// like any user's program.
#include "file_names.h"
#include "help.h"
#include "ranks.h"
#include "run.h"

#include "scree/scree.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char** argv)
{
    exit_code joined = ranks_join(argc, argv);
    if (joined != EXIT_DONE)
        return joined;
    run_begin();
    const char* word = argc > 1 ? argv[1] : NULL;
    for (int a = 1; a < argc && strcmp(argv[a], "--") != 0; ++a)
        if (strcmp(argv[a], "--json") == 0)
            run_wants_json(word != NULL && find_command(word) != NULL ? word : "scree");
    if (word == NULL) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(word, "help") == 0)
        return run_end(help_run(argc - 2, argv + 2));
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_help(stdout);
        return run_end(EXIT_DONE);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        printf("scree %s\n", scree_version());
        return run_end(EXIT_DONE);
    }
    const command* what = find_command(word);
    if (what == NULL)
        return run_end(no_such_command(word));
    arguments args;
    bool help = false;
    exit_code code;
    int count = argc - 2;
    char** words = scree_calloc((size_t)count + 1, sizeof *words);  // argv itself goes to mpirun as it is (ranks.c)
    if (words == NULL) {
        say("scree: %s\n", scree_error_message());
        return EXIT_FAILED;
    }
    for (int a = 0; a < count; ++a)
        words[a] = argv[2 + a];
    what = options_choose_part(what, &count, words, &code);
    if (what != NULL)
        code = options_parse(what, count, words, &args, &help);
    if (what != NULL && code == EXIT_DONE && !help) {
        run_hears(true);
        code = file_names_refuse_folders(&args);
        code = code == EXIT_DONE ? what->run(&args) : code;
    }
    scree_free(words);
    return run_end(code);
}
