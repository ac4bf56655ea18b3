#include "options.h"

#include "common.h"
#include "help.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every command takes these. A command may have a row of its own for one of them, with the same meaning and a better text; its own table comes first.
static const option common_options[] = {
    {"json", 0, NULL, "print one JSON object on standard output"},
    {"threads", 0, "N", "number of threads; 0 (the default): all cores; results do not depend on it"},
    {"seed", 0, "N", "seed of the random numbers (default 1)"},
    {"out", 'o', "FILE", "where to write; - is standard output"},
    {"format", 0, "NAME", "file format where the extension does not give it: csv, vtp, xyz, lammps or npy"},
    {"quiet", 'q', NULL, "print no progress and no notes on standard error"},
    {"help", 'h', NULL, "print this text"},
    {0},
};

static const choice common_choices[] = {{.option = "format", .names = format_name_at}, {0}};

static int own_options(const command* what)
{
    int own = 0;
    while (what->options != NULL && what->options[own].name != NULL)
        ++own;
    return own;
}

const option* option_at(const command* what, int p)
{
    int own = own_options(what);
    if (p < own)
        return &what->options[p];
    int shared = (int)(sizeof common_options / sizeof *common_options) - 1;
    return p - own < shared ? &common_options[p - own] : NULL;
}

static int option_place(const command* what, const char* name)
{
    for (int p = 0; option_at(what, p) != NULL; ++p)
        if (strcmp(option_at(what, p)->name, name) == 0)
            return p;
    return -1;
}

bool option_is_own(const command* what, int p)
{
    return p < own_options(what);
}

// Why a command does not take an option; NULL: it does.
static const char* rejection(const command* what, const char* name)
{
    for (const rejected_option* r = what->rejected; r != NULL && r->name != NULL; ++r)
        if (strcmp(r->name, name) == 0)
            return r->why;
    return NULL;
}

bool option_is_hidden(const command* what, int p)
{
    const char* name = option_at(what, p)->name;
    return option_place(what, name) != p || rejection(what, name) != NULL;
}

const choice* choice_of(const command* what, const char* name)
{
    for (const choice* c = what->choices; c != NULL && c->option != NULL; ++c)
        if (strcmp(c->option, name) == 0)
            return c;
    for (const choice* c = common_choices; c->option != NULL; ++c)
        if (strcmp(c->option, name) == 0)
            return c;
    return NULL;
}

const file_use* use_of(const command* what, const char* name, int k)
{
    const file_use* found = NULL;
    for (const file_use* u = what->uses; u != NULL && u->kind != 0; ++u)
        if (name != NULL ? u->option != NULL && strcmp(u->option, name) == 0 : u->option == NULL && k-- >= 0)
            found = u;
    return found;
}

// How many letters are to be added, dropped, changed or swapped with the next; cut at lengths that do not occur.
static int distance(const char* a, const char* b)
{
    enum { most = 40 };
    int la = (int)strlen(a), lb = (int)strlen(b);
    if (la > most || lb > most)
        return most;
    int cost[most + 1][most + 1];
    for (int i = 0; i <= la; ++i)
        for (int j = 0; j <= lb; ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            int best = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (cost[i - 1][j] + 1 < best)
                best = cost[i - 1][j] + 1;
            if (cost[i][j - 1] + 1 < best)
                best = cost[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && cost[i - 2][j - 2] + 1 < best)
                best = cost[i - 2][j - 2] + 1;
            cost[i][j] = best;
        }
    return cost[la][lb];
}

const char* closest_spelling(const char* typed, const char* (*names)(int), int count)
{
    const char* best = NULL;
    int best_distance = (int)strlen(typed) / 2 + 1;
    for (int n = 0; n < count; ++n) {
        if (names(n) == NULL)
            continue;
        int d = distance(typed, names(n));
        // A beginning that fits counts as near, so that `linked` finds `linked-cells`.
        if (strlen(typed) >= 3 && strncmp(typed, names(n), strlen(typed)) == 0)
            d = 1;
        if (d < best_distance) {
            best_distance = d;
            best = names(n);
        }
    }
    return best;
}

static const command* names_of;  // for the callback below; the parser is not re-entrant and need not be

static const char* option_name(int p)
{
    const option* o = option_at(names_of, p);
    return o == NULL || option_is_hidden(names_of, p) ? NULL : o->name;
}

// The place of an option by its name (letter 0) or letter, as it is now or as it was; -1: there is none.
static int find_place(const command* what, const char* name, char letter)
{
    int place = letter == 0 ? option_place(what, name) : -1;
    for (int p = 0; letter != 0 && option_at(what, p) != NULL && place < 0; ++p)
        if (option_at(what, p)->letter == letter)
            place = p;
    const char one[2] = {letter, '\0'};
    for (const old_spelling* o = what->old; o != NULL && o->old != NULL && place < 0; ++o)
        if (strcmp(o->old, letter == 0 ? name : one) == 0 && (letter == 0) == (strlen(o->old) > 1))
            place = option_place(what, o->now);
    return place;
}

// The other parts of the group that take this option, as "pack grow or pack dem"; "" if none does.
static void name_takers(const command* what, const char* name, char text[160])
{
    int used = 0;
    text[0] = '\0';
    for (const command* const* p = what->group != NULL ? what->group->parts : NULL; p != NULL && *p != NULL; ++p)
        if (find_place(*p, name, 0) >= 0 && used < 120)
            used += snprintf(text + used, 160 - (size_t)used, "%s%s", used > 0 ? " or " : "", (*p)->name);
}

static exit_code unknown(const command* what, const char* typed, const char* name)
{
    char takers[160];
    names_of = what;
    int count = 0;
    while (option_at(what, count) != NULL)
        ++count;
    name_takers(what, name, takers);
    const char* near = name[0] != '\0' ? closest_spelling(name, option_name, count) : NULL;
    if (takers[0] != '\0')
        say("scree %s: %s is an option of scree %s\n", what->name, typed, takers);
    else if (near != NULL)
        say("scree %s: unknown option %s; did you mean --%s?\n", what->name, typed, near);
    else
        say("scree %s: unknown option %s; 'scree %s --help' lists the options\n", what->name, typed, what->name);
    return EXIT_USAGE;
}

static bool repeats(const command* what, const option* o)
{
    for (const char* const* name = what->repeated; name != NULL && *name != NULL; ++name)
        if (strcmp(*name, o->name) == 0)
            return true;
    return false;
}

exit_code options_parse(const command* what, int argc, char** argv, arguments* out, bool* help)
{
    *out = (arguments){.what = what, .files = (const char**)argv};
    *help = false;
    bool only_files = false;
    for (int a = 0; a < argc; ++a) {
        char* word = argv[a];
        if (only_files || word[0] != '-' || word[1] == '\0') {
            out->files[out->file_count++] = word;  // never ahead of what was read
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_files = true;
            continue;
        }
        // --name, --name=value, -o
        char name[64] = "";
        const char* value = NULL;
        int place = -1;
        if (word[1] == '-') {
            size_t length = strcspn(word + 2, "=");
            value = word[2 + length] == '=' ? word + 3 + length : NULL;
            if (length < sizeof name) {
                memcpy(name, word + 2, length);
                name[length] = '\0';
                place = find_place(what, name, 0);
            }
        } else if (word[2] == '\0') {
            place = find_place(what, "", word[1]);
        }
        const option* o = place >= 0 ? option_at(what, place) : NULL;
        const char* why = rejection(what, o != NULL ? o->name : name);
        if (why != NULL) {
            say("scree %s: --%s: %s\n", what->name, o != NULL ? o->name : name, why);
            return EXIT_USAGE;
        }
        if (o == NULL)
            return unknown(what, word, name);
        assert(place < most_options);
        if (o->value == NULL && value != NULL) {
            say("scree %s: --%s takes no value, got '%s'\n", what->name, o->name, value);
            return EXIT_USAGE;
        }
        if (o->value != NULL && value == NULL) {
            if (a + 1 >= argc) {
                say("scree %s: --%s expects a value: --%s %s\n", what->name, o->name, o->name, o->value);
                return EXIT_USAGE;
            }
            value = argv[++a];
        }
        if (repeats(what, o) && out->repeated_count == most_repeated) {
            say("scree %s: --%s '%s': it was given %d times before; expected at most that many\n", what->name, o->name, value, (int)most_repeated);
            return EXIT_USAGE;
        }
        if (repeats(what, o)) {
            out->repeated_place[out->repeated_count] = place;
            out->repeated[out->repeated_count++] = value;
        } else if (out->values[place] != NULL && o->value != NULL) {
            say("scree %s: --%s was given twice, '%s' and '%s'\n", what->name, o->name, out->values[place], value);
            return EXIT_USAGE;
        }
        out->values[place] = value == NULL ? "" : value;
        if (strcmp(o->name, "help") == 0) {
            print_command_help(what);
            *help = true;
            return EXIT_DONE;
        }
    }
    if (out->file_count < what->least_files || out->file_count > what->most_files) {
        if (out->file_count > what->most_files)
            say("scree %s: unexpected argument '%s'; usage: scree %s %s\n", what->name,
                out->files[what->most_files], what->name, what->usage);
        else
            say("scree %s: a file name is missing; usage: scree %s %s\n", what->name, what->name, what->usage);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

// ---- Groups --------------------------------------------------------------------------------------------------------

const char* part_word(const command* part)
{
    return strrchr(part->name, ' ') + 1;
}

const command* find_part(const command* group, const char* word)
{
    for (const command* const* p = group->parts; *p != NULL; ++p)
        if (strcmp(part_word(*p), word) == 0)
            return *p;
    return NULL;
}

static const command* group_of_names;

static const char* part_name(int p)
{
    return group_of_names->parts[p] != NULL ? part_word(group_of_names->parts[p]) : NULL;
}

// `--method rsa` as in earlier versions, -m too; takes the words away. `word` is set to a value that names no part.
static const command* find_old_part(const command* group, int* argc, char** argv, const char** word)
{
    for (int a = 0; a < *argc && strcmp(argv[a], "--") != 0; ++a) {
        size_t length = strlen(group->part);
        bool named = strncmp(argv[a], "--", 2) == 0 && strncmp(argv[a] + 2, group->part, length) == 0;
        bool joined = named && argv[a][2 + length] == '=';
        bool apart = (named && argv[a][2 + length] == '\0') || strcmp(argv[a], (const char[]){'-', group->part[0], '\0'}) == 0;
        if (!joined && !(apart && a + 1 < *argc))
            continue;
        *word = joined ? argv[a] + 3 + length : argv[a + 1];
        const command* part = find_part(group, *word);
        if (part == NULL)
            continue;
        int words = joined ? 1 : 2;
        memmove(argv + a, argv + a + words, (size_t)(*argc - a - words) * sizeof *argv);
        *argc -= words;
        return part;
    }
    return NULL;
}

const command* options_choose_part(const command* what, int* argc, char** argv, exit_code* code)
{
    const char* word = NULL;
    *code = EXIT_USAGE;
    if (what->parts == NULL)
        return what;
    if (*argc > 0 && argv[0][0] != '-') {
        word = argv[0];
        const command* part = find_part(what, word);
        if (part != NULL) {
            memmove(argv, argv + 1, (size_t)(--*argc) * sizeof *argv);
            return part;
        }
    } else {
        const command* part = find_old_part(what, argc, argv, &word);
        if (part != NULL)
            return part;
        for (int a = 0; a < *argc; ++a)
            if (strcmp(argv[a], "--help") == 0 || strcmp(argv[a], "-h") == 0) {
                print_command_help(what);
                *code = EXIT_DONE;
                return NULL;
            }
    }
    int count = 0;
    group_of_names = what;
    while (part_name(count) != NULL)
        ++count;
    const char* near = word != NULL ? closest_spelling(word, part_name, count) : NULL;
    if (word == NULL)
        say("scree %s: the %s is missing: scree %s %s; known:", what->name, what->part, what->name, what->usage);
    else
        say("scree %s: unknown %s '%s'%s%s%s", what->name, what->part, word, near != NULL ? "; did you mean " : "", near != NULL ? near : "", near != NULL ? "? Known:" : "; known:");
    for (const command* const* p = what->parts; *p != NULL; ++p)
        say(" %s", part_word(*p));
    say("\n");
    return NULL;
}

// ---- Values --------------------------------------------------------------------------------------------------------

const char* option_text(const arguments* args, const char* name)
{
    int place = option_place(args->what, name);
    assert(place >= 0);
    return args->values[place];
}

bool option_exists(const arguments* args, const char* name)
{
    return option_place(args->what, name) >= 0 && rejection(args->what, name) == NULL;
}

bool option_nth(const arguments* args, int p, const option** out, const char** value)
{
    *out = option_at(args->what, p);
    *value = *out != NULL ? args->values[p] : NULL;
    return *out != NULL;
}

int option_values(const arguments* args, const char* name, const char* out[most_repeated])
{
    const int place = option_place(args->what, name);
    int count = 0;
    for (int k = 0; k < args->repeated_count; ++k)
        if (args->repeated_place[k] == place)
            out[count++] = args->repeated[k];
    return count;
}

bool option_given(const arguments* args, const char* name)
{
    return option_text(args, name) != NULL;
}

// The program never sets a locale, so strtod means the point everywhere.
bool option_number(const arguments* args, const char* name, double* out)
{
    const char* text = option_text(args, name);
    if (text == NULL)
        return true;
    char* end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) {
        say("scree %s: --%s expects a number, got '%s'\n", args->what->name, name, text);
        return false;
    }
    *out = value;
    return true;
}

bool option_integer(const arguments* args, const char* name, int64_t least, int64_t most, int64_t* out)
{
    const char* text = option_text(args, name);
    if (text == NULL)
        return true;
    char* end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < least || value > most) {
        say("scree %s: --%s expects a whole number from %lld to %lld, got '%s'\n", args->what->name, name,
            (long long)least, (long long)most, text);
        return false;
    }
    *out = value;
    return true;
}

bool option_numbers(const arguments* args, const char* name, int most, double* out, int* count)
{
    const char* text = option_text(args, name);
    *count = 0;
    if (text == NULL)
        return true;
    const char* at = text;
    for (;;) {
        char* end;
        double value = strtod(at, &end);
        if (end == at || (*end != ',' && *end != '\0') || !isfinite(value) || *count == most) {
            say("scree %s: --%s expects up to %d numbers separated by commas, got '%s'\n",
                args->what->name, name, most, text);
            return false;
        }
        out[(*count)++] = value;
        if (*end == '\0')
            return true;
        at = end + 1;
    }
}

bool option_choice(const arguments* args, const char* name, const char* (*names)(int), int* out)
{
    // What is checked here is what the shells offer.
    assert(choice_of(args->what, name) != NULL && choice_of(args->what, name)->names == names && !choice_of(args->what, name)->open);
    const char* text = option_text(args, name);
    if (text == NULL)
        return true;
    int count = 0;
    for (; names(count) != NULL; ++count)
        if (strcmp(names(count), text) == 0) {
            *out = count;
            return true;
        }
    const char* near = closest_spelling(text, names, count);
    say("scree %s: unknown value '%s' of --%s", args->what->name, text, name);
    if (near != NULL)
        say("; did you mean %s?", near);
    say(near != NULL ? " Known:" : "; known:");
    for (int n = 0; n < count; ++n)
        say(" %s", names(n));
    say("\n");
    return false;
}
