// scree, the program: finds the command and hands over. Everything it can do is in the library; it sees include/ only,
// like any user's program.
#include "commands.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static const command* const commands[] = {&cmd_contacts, &cmd_pack,   &cmd_run,     &cmd_resume, &cmd_measure,
                                          &cmd_picture,  &cmd_view,   &cmd_levels,  &cmd_convert, &cmd_demo,   &cmd_bench};
enum { command_count = sizeof commands / sizeof *commands };

static const char* word_name(int c)
{
    static const char* const others[] = {"--help", "--version"};
    return c < command_count ? commands[c]->name : c < command_count + 2 ? others[c - command_count] : NULL;
}

static void print_help(FILE* to)
{
    fprintf(to, "scree %s: who touches whom among many bodies of very different sizes\n\n"
                "usage: scree COMMAND [FILES] [OPTIONS]\n\ncommands:\n", scree_version());
    for (int c = 0; c < command_count; ++c)
        fprintf(to, "  %-10s %s\n", commands[c]->name, commands[c]->about);
    fprintf(to, "\n'scree COMMAND --help' tells what a command takes, with an example; 'scree --version' the version.\n");
}

int main(int argc, char** argv)
{
    run_begin();
    const char* word = argc > 1 ? argv[1] : NULL;
    if (word == NULL) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(word, "help") == 0 && argc > 2) {  // scree help contacts
        word = argv[2];
        argv[2] = "--help";
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return run_end(EXIT_DONE);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        printf("scree %s\n", scree_version());
        return run_end(EXIT_DONE);
    }
    for (int c = 0; c < command_count; ++c) {
        if (strcmp(commands[c]->name, word) != 0)
            continue;
        arguments args;
        bool help;
        exit_code code = options_parse(commands[c], argc - 2, argv + 2, &args, &help);
        if (code == EXIT_DONE && !help)
            code = commands[c]->run(&args);
        return run_end(code);
    }
    const char* near = nearest_name(word, word_name, command_count + 2);
    if (near != NULL)
        fprintf(stderr, "scree: there is no command '%s'; did you mean '%s'?\n", word, near);
    else
        fprintf(stderr, "scree: there is no command '%s'; 'scree --help' lists them\n", word);
    return EXIT_USAGE;
}
