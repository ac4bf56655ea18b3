// The commands by task, and `scree help`:
//
//   scree help                        the commands by task
//   scree help COMMAND                what a command takes
//   scree help --man [COMMAND]        its man page as roff; without a command, that of scree
//   scree help --completion bash|zsh  a script for that shell
//
// The build calls the last two (cmake/manual.cmake) and installs what they print.
#include "help.h"

#include "commands.h"

#include "scree/scree.h"

#include <string.h>

const task tasks[] = {
    {"begin", {&cmd_demo}, "scree demo -o spheres.csv"},
    {"find contacts", {&cmd_contacts}, "scree contacts spheres.csv --gap 0.1 -o pairs.csv"},
    {"make a packing", {&cmd_pack}, "scree pack --sizes uniform-size:1:3 --count 2000 --method rearrange -o packing.vtp"},
    {"simulate", {&cmd_run, &cmd_resume, &cmd_plan}, "scree run examples/column.yaml -o column"},
    {"measure and look", {&cmd_measure, &cmd_picture, &cmd_film, &cmd_view}, "scree view packing.vtp -o packing.html"},
    {"convert", {&cmd_convert}, "scree convert packing.vtp packing.xyz"},
    {"choose a method, benchmark", {&cmd_levels, &cmd_bench}, "scree bench methods --sizes lognormal:1:0.8 --count 2000"},
    {0},
};

const command* command_at(int c)
{
    for (const task* t = tasks; t->name != NULL; ++t)
        for (int k = 0; t->commands[k] != NULL; ++k)
            if (c-- == 0)
                return t->commands[k];
    return NULL;
}

const char* command_name_at(int c)
{
    const command* what = command_at(c);
    return what != NULL ? what->name : NULL;
}

const command* find_command(const char* name)
{
    for (int c = 0; command_at(c) != NULL; ++c)
        if (strcmp(command_at(c)->name, name) == 0)
            return command_at(c);
    return NULL;
}

void print_help(FILE* to)
{
    fprintf(to, "scree %s: who touches whom among many bodies of very different sizes\n\n"
                "usage: scree COMMAND [FILES] [OPTIONS]\n", scree_version());
    for (const task* t = tasks; t->name != NULL; ++t) {
        fprintf(to, "\nto %s:\n", t->name);
        for (int k = 0; t->commands[k] != NULL; ++k)
            fprintf(to, "  %-10s %s\n", t->commands[k]->name, t->commands[k]->about);
        fprintf(to, "    $ %s\n", t->example);
    }
    fprintf(to, "\n'scree COMMAND --help' tells what a command takes, with an example; 'scree --version' the version.\n"
                "'scree help --man [COMMAND]' prints a man page, 'scree help --completion bash|zsh' a script for that shell.\n");
}

// Words that can stand in place of a command, for "did you mean".
static const char* word_at(int w)
{
    static const char* const others[] = {"help", "--help", "--version", NULL};
    int c = 0;
    for (; command_at(c) != NULL; ++c)
        if (c == w)
            return command_at(c)->name;
    return others[w - c];
}

exit_code no_such_command(const char* word)
{
    int count = 0;
    while (word_at(count) != NULL)
        ++count;
    const char* near = nearest_name(word, word_at, count);
    if (near != NULL)
        say("scree: there is no command '%s'; did you mean '%s'?\n", word, near);
    else
        say("scree: there is no command '%s'; 'scree --help' lists them\n", word);
    return EXIT_USAGE;
}

static exit_code one_too_many(const char* word)
{
    say("scree help: '%s' is one word too many; usage: scree help [COMMAND | --man [COMMAND] | --completion bash|zsh]\n", word);
    return EXIT_USAGE;
}

static exit_code completion(int argc, char** argv)
{
    if (argc > 1)
        return one_too_many(argv[1]);
    const char* shell = argc > 0 ? argv[0] : "";
    if (strcmp(shell, "bash") == 0)
        print_bash_completion();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh_completion();
    else {
        say("scree help: --completion takes a shell, bash or zsh%s%s%s\n", argc > 0 ? ", and '" : "", shell,
            argc > 0 ? "' is none of them" : "");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

exit_code help_run(int argc, char** argv)
{
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[0], "--completion") == 0)
        return completion(argc - 1, argv + 1);
    bool man = strcmp(argv[0], "--man") == 0;
    if (man) {
        --argc;
        ++argv;
    }
    if (argc > 1)
        return one_too_many(argv[1]);
    if (argc > 0 && !man && strcmp(argv[0], "help") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    const command* what = argc > 0 ? find_command(argv[0]) : NULL;
    if (argc > 0 && what == NULL)
        return no_such_command(argv[0]);
    if (man)
        print_man(what);
    else
        print_command_help(what);
    return EXIT_DONE;
}
