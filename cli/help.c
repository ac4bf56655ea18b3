// The commands by task, and `scree help`:
//
//   scree help                        the commands by task
//   scree help COMMAND [METHOD]       what a command takes
//   scree help --man [COMMAND [METHOD]]  its man page as roff; without a command, that of scree
//   scree help --completion bash|zsh  a script for that shell
//   scree help --json                 the tables of all commands: arguments, options, values, files
//   scree help scene [KEY | --schema] the keys of scene files (help_scene.c)
//
// The build calls --man and --completion (cmake/manual.cmake) and installs what they print.
#include "help.h"

#include "commands.h"
#include "result.h"

#include "scree/scree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const task tasks[] = {
    {"begin", {&cmd_demo}, "scree demo -o spheres.csv"},
    {"find contacts", {&cmd_contacts}, "scree contacts spheres.csv --gap 0.1 -o pairs.csv"},
    {"make a packing", {&cmd_pack}, "scree pack rearrange --sizes uniform-size:1:3 --count 2000 -o packing.vtp"},
    {"simulate", {&cmd_run, &cmd_resume, &cmd_sweep, &cmd_plan}, "scree run examples/column.yaml -o column"},
    {"measure and look", {&cmd_measure, &cmd_compare, &cmd_picture, &cmd_film, &cmd_view}, "scree view packing.vtp -o packing.html"},
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

const command* page_at(int p)
{
    for (int c = 0; command_at(c) != NULL; ++c) {
        if (p-- == 0)
            return command_at(c);
        for (const command* const* part = command_at(c)->parts; part != NULL && *part != NULL; ++part)
            if (p-- == 0)
                return *part;
    }
    return NULL;
}

// ---- Lines that fit the terminal -------------------------------------------------------------------------------------

enum { least_width = 40, usual_width = 80, most_width = 100, option_width = 28 };

// By COLUMNS, else by the terminal; lines longer than a hundred letters are hard to read.
static int width_of(FILE* to)
{
    const char* columns = getenv("COLUMNS");
    struct winsize size;
    int width = columns != NULL ? atoi(columns) : 0;
    if (width <= 0)
        width = isatty(fileno(to)) && ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_width;
    return width < least_width ? least_width : width > most_width ? most_width : width;
}

// Letters up to the next blank; an option in brackets, "[--from T]", stays together with its value.
static int word_length(const char* text)
{
    int inside = text[0] == '[' && text[1] == '-' ? 1 + (int)strcspn(text + 1, "[]\n") : 0;
    const char* either = strstr(text, " | ");
    int bracket = inside > 0 && text[inside] == ']' && (either == NULL || either > text + inside) ? inside : 0;
    return bracket + (int)strcspn(text + bracket, " \n");
}

// The words of text from column `at` on, lines after the first from column `indent` on; ends the line. \n begins a new paragraph.
void put_wrapped(FILE* to, const char* text, int at, int indent)
{
    int width = width_of(to);
    bool begins = true;
    for (const char* word = text; *word != '\0';) {
        if (*word == '\n') {
            fprintf(to, "\n%*s", indent, "");
            at = indent;
            begins = true;
            ++word;
            continue;
        }
        int length = word_length(word);
        if (!begins && at + 1 + length > width) {
            fprintf(to, "\n%*s", indent, "");
            at = indent;
            begins = true;
        }
        fprintf(to, "%s%.*s", begins ? "" : " ", length, word);
        at += length + !begins;
        begins = false;
        word += length;
        while (*word == ' ')
            ++word;
    }
    fputc('\n', to);
}

// A command to copy, from column `indent` on: what does not fit in a line goes on in the next one, which the shell joins by the backslash.
static void put_shell_line(FILE* to, const char* prompt, const char* text, int length, int indent)
{
    int width = width_of(to), at = fprintf(to, "%*s%s", indent, "", prompt);
    for (const char *word = text, *end = text + length; word < end;) {
        const char* stop = memchr(word, ' ', (size_t)(end - word));
        if (*word == '-' && stop != NULL && stop[1] != '-')  // an option and its value stay together
            stop = memchr(stop + 1, ' ', (size_t)(end - stop - 1));
        int letters = (int)((stop != NULL ? stop : end) - word);
        bool begins = word == text, last = stop == NULL;
        if (!begins && at + 1 + letters + (last ? 0 : 2) > width) {
            fprintf(to, " \\\n%*s", indent + 4, "");
            at = indent + 4;
            begins = true;
        }
        at += fprintf(to, "%s%.*s", begins ? "" : " ", letters, word);
        word += letters + !last;
    }
    fputc('\n', to);
}

// An example of a command: lines that begin with two blanks.
static void put_example(const char* text)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n"), blanks = (int)strspn(text, " ");
        put_shell_line(stdout, "", text + blanks, length - blanks, blanks);
        text += length + (text[length] == '\n');
    }
}

void put_row(FILE* to, const char* name, const char* about, int width)
{
    fprintf(to, "  %-*s", width, name);
    int at = 2 + (int)strlen(name) > 2 + width ? 2 + (int)strlen(name) : 2 + width;
    if ((int)strlen(name) >= width) {  // no room beside it
        fprintf(to, "\n%*s", 2 + width, "");
        at = 2 + width;
    }
    put_wrapped(to, about, at, 2 + width);
}

static void put_options(const command* what, bool own)
{
    bool any = false;
    for (int p = 0; option_at(what, p) != NULL; ++p) {
        const option* o = option_at(what, p);
        if (option_is_hidden(what, p) || option_is_own(what, p) != own)
            continue;
        if (!any)
            printf(own ? "\noptions:\n" : "\ncommon options:\n");
        any = true;
        char left[96], letter[8] = "    ";
        if (o->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
        put_row(stdout, left, o->help, option_width);
    }
}

static void put_paragraphs(const char* text)
{
    while (*text != '\0') {
        char paragraph[4096];
        size_t length = strcspn(text, "\n");
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)length, text);
        putchar('\n');
        put_wrapped(stdout, paragraph, 0, 0);
        text += length + (text[length] == '\n');
    }
}

void print_command_help(const command* what)
{
    char title[512];
    snprintf(title, sizeof title, "scree %s: %s", what->name, what->about);
    put_wrapped(stdout, title, 0, 2);
    int at = printf("\nusage: scree %s ", what->name) - 1;
    put_wrapped(stdout, what->usage, at, at < 24 ? at : 9);
    if (what->details != NULL)
        put_paragraphs(what->details);
    if (what->parts != NULL) {
        printf("\n%ss:\n", what->part);
        for (const command* const* p = what->parts; *p != NULL; ++p)
            put_row(stdout, part_word(*p), (*p)->about, 14);
        snprintf(title, sizeof title, "'scree %s %s --help' and so on list the options of each %s.", what->name, part_word(what->parts[0]), what->part);
        putchar('\n');
        put_wrapped(stdout, title, 0, 0);
    } else {
        put_options(what, true);
        put_options(what, false);
    }
    printf("\n%s:\n", strchr(what->example, '\n') != NULL ? "examples" : "example");
    put_example(what->example);
}

// ---- scree help ------------------------------------------------------------------------------------------------------

void print_help(FILE* to)
{
    char title[128];
    snprintf(title, sizeof title, "scree %s: contacts among many bodies of very different sizes", scree_version());
    put_wrapped(to, title, 0, 2);
    fprintf(to, "\nusage: scree COMMAND [FILES] [OPTIONS]\n");
    for (const task* t = tasks; t->name != NULL; ++t) {
        fprintf(to, "\nto %s:\n", t->name);
        for (int k = 0; t->commands[k] != NULL; ++k)
            put_row(to, t->commands[k]->name, t->commands[k]->about, 11);
        put_shell_line(to, "$ ", t->example, (int)strlen(t->example), 4);
    }
    fputc('\n', to);
    put_wrapped(to, "'scree COMMAND --help' lists the options of a command, with an example; 'scree --version' prints the version. "
                    "'scree help --man [COMMAND]' prints a man page, 'scree help --completion bash|zsh' a script for that shell, 'scree help --json' the tables of all commands, 'scree help scene [KEY]' the keys of scene files.", 0, 0);
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
    const char* near = closest_spelling(word, word_at, count);
    if (near != NULL)
        say("scree: unknown command '%s'; did you mean '%s'?\n", word, near);
    else
        say("scree: unknown command '%s'; 'scree --help' lists the commands\n", word);
    return EXIT_USAGE;
}

// ---- The tables as JSON ----------------------------------------------------------------------------------------------

static const char* kind_name(const file_use* use)
{
    static const char* const names[] = {"none", "reads file", "reads file or folder", "reads folder", "writes file", "writes folder", "writes prefix", "keeps file"};
    return names[use != NULL ? use->kind : 0];
}

static void add_option(result* res, const command* what, int p)
{
    const option* o = option_at(what, p);
    const choice* c = choice_of(what, o->name);
    const file_use* use = use_of(what, o->name, 0);
    result one = {.width = 18};
    result_text(&one, "name", o->name);
    result_text(&one, "letter", (const char[]){o->letter, '\0'});
    result_text(&one, "value", o->value != NULL ? o->value : "");
    result_text(&one, "about", o->help);
    result_text(&one, "file", kind_name(use));
    result_text(&one, "usual_file", use != NULL && use->usual != NULL ? use->usual : "");
    int words = 0;
    while (c != NULL && c->names(words) != NULL)
        ++words;
    const char** names = scree_calloc((size_t)words + 1, sizeof *names);
    for (int w = 0; names != NULL && w < words; ++w)
        names[w] = c->names(w);
    result_texts(&one, "words", names, names != NULL ? words : 0);
    one.failed = one.failed || names == NULL;
    scree_free(names);
    result_bool(&one, "words_only", c != NULL && !c->open);
    result_part(res, "options", &one);
}

static void add_command(result* res, const command* what)
{
    result one = {.width = 18};
    const char* kinds[8];
    int count = what->words == NULL ? what->most_files : 0;
    count = count < 8 ? count : 8;
    for (int k = 0; k < count; ++k)
        kinds[k] = kind_name(use_of(what, NULL, k));
    result_text(&one, "name", what->name);
    result_text(&one, "about", what->about);
    result_integer(&one, "arguments_min", what->least_files);
    result_texts(&one, "arguments", kinds, count);
    for (int p = 0; option_at(what, p) != NULL; ++p)
        if (!option_is_hidden(what, p))
            add_option(&one, what, p);
    result_part(res, "commands", &one);
}

static void print_tables(void)
{
    result res = result_begin("help");
    for (int p = 0; page_at(p) != NULL; ++p)
        if (page_at(p)->parts == NULL)
            add_command(&res, page_at(p));
    result_print(&res, true);
    result_free(&res);
}

static exit_code one_too_many(const char* word)
{
    say("scree help: unexpected argument '%s'; usage: scree help [COMMAND | scene [KEY | --schema] | --man [COMMAND] | --completion bash|zsh | --json]\n", word);
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
        say("scree help: --completion expects bash or zsh%s%s%s\n", argc > 0 ? ", got '" : "", shell, argc > 0 ? "'" : "");
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
    if (strcmp(argv[0], "--json") == 0) {
        if (argc > 1)
            return one_too_many(argv[1]);
        print_tables();
        return EXIT_DONE;
    }
    if (strcmp(argv[0], "scene") == 0)
        return argc > 2 ? one_too_many(argv[2]) : help_scene(argc > 1 ? argv[1] : NULL);
    bool man = strcmp(argv[0], "--man") == 0;
    if (man) {
        --argc;
        ++argv;
    }
    const command* what = argc > 0 ? find_command(argv[0]) : NULL;
    if (what != NULL && what->parts != NULL && argc > 1) {
        exit_code code;
        char* words[] = {argv[1], NULL};
        what = options_choose_part(what, &(int){1}, words, &code);
        if (what == NULL)
            return code;
        --argc;
        ++argv;
    }
    if (argc > 1)
        return one_too_many(argv[1]);
    if (argc > 0 && !man && strcmp(argv[0], "help") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (argc > 0 && what == NULL)
        return no_such_command(argv[0]);
    if (man)
        print_man(what);
    else
        print_command_help(what);
    return EXIT_DONE;
}
