#include "options.h"

#include "common.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What every command takes; one that means something of its own by a name has it in its own table, which comes first.
static const option common_options[] = {
    {"json", 0, NULL, "print one JSON object on standard output"},
    {"threads", 0, "N", "number of threads; 0 (the default): all cores. Results do not depend on it"},
    {"seed", 0, "N", "seed of all random numbers (default 1)"},
    {"out", 'o', "FILE", "where to write; - is standard output"},
    {"format", 0, "NAME", "format of the files, where the extension does not say it: csv, vtp, xyz, lammps or npy"},
    {"check", 0, NULL, "check all inner structures on the way (slow)"},
    {"quiet", 'q', NULL, "no progress and no notes on standard error"},
    {"help", 'h', NULL, "this text"},
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
static const char* refusal(const command* what, const char* name)
{
    for (const refused_option* r = what->refused; r != NULL && r->name != NULL; ++r)
        if (strcmp(r->name, name) == 0)
            return r->why;
    return NULL;
}

bool option_is_hidden(const command* what, int p)
{
    const char* name = option_at(what, p)->name;
    return option_place(what, name) != p || refusal(what, name) != NULL;
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

// How many letters are to be added, dropped, changed or swapped with the next; cut at lengths that nobody types.
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

const char* nearest_name(const char* typed, const char* (*names)(int), int count)
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

static exit_code unknown(const command* what, const char* typed)
{
    names_of = what;
    int count = 0;
    while (option_at(what, count) != NULL)
        ++count;
    const char* near = typed[0] == '-' && typed[1] == '-' ? nearest_name(typed + 2, option_name, count) : NULL;
    if (near != NULL)
        say("scree %s: there is no option %s; did you mean --%s?\n", what->name, typed, near);
    else
        say("scree %s: there is no option %s; 'scree %s --help' lists them\n", what->name, typed, what->name);
    return EXIT_USAGE;
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
                place = option_place(what, name);
            }
        } else if (word[2] == '\0') {
            for (int p = 0; option_at(what, p) != NULL && place < 0; ++p)
                if (option_at(what, p)->letter == word[1])
                    place = p;
        }
        if (place < 0)
            return unknown(what, word);
        const option* o = option_at(what, place);
        assert(place < most_options);
        if (refusal(what, o->name) != NULL) {
            say("scree %s: --%s: %s\n", what->name, o->name, refusal(what, o->name));
            return EXIT_USAGE;
        }
        if (o->value == NULL && value != NULL) {
            say("scree %s: --%s takes no value, but was given '%s'\n", what->name, o->name, value);
            return EXIT_USAGE;
        }
        if (o->value != NULL && value == NULL) {
            if (a + 1 >= argc) {
                say("scree %s: --%s needs a value: --%s %s\n", what->name, o->name, o->name, o->value);
                return EXIT_USAGE;
            }
            value = argv[++a];
        }
        if (out->values[place] != NULL && o->value != NULL) {
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
            say("scree %s: '%s' is one file too many; usage: scree %s %s\n", what->name,
                out->files[what->most_files], what->name, what->usage);
        else
            say("scree %s: a file is missing; usage: scree %s %s\n", what->name, what->name, what->usage);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

const char* option_text(const arguments* args, const char* name)
{
    int place = option_place(args->what, name);
    assert(place >= 0);
    return args->values[place];
}

bool option_nth(const arguments* args, int p, const option** out, const char** value)
{
    *out = option_at(args->what, p);
    *value = *out != NULL ? args->values[p] : NULL;
    return *out != NULL;
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
        say("scree %s: --%s takes a number, and '%s' is none\n", args->what->name, name, text);
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
        say("scree %s: --%s takes a whole number from %lld to %lld, and '%s' is none\n", args->what->name, name,
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
            say("scree %s: --%s takes up to %d numbers separated by commas, and '%s' is not that\n",
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
    const char* near = nearest_name(text, names, count);
    say("scree %s: there is no %s '%s'", args->what->name, name, text);
    if (near != NULL)
        say("; did you mean %s?", near);
    say("%s known:", near != NULL ? "" : ";");
    for (int n = 0; n < count; ++n)
        say(" %s", names(n));
    say("\n");
    return false;
}

void print_command_help(const command* what)
{
    printf("scree %s: %s\n\nusage: scree %s %s\n\n", what->name, what->about, what->name, what->usage);
    if (what->details != NULL)
        printf("%s\n\n", what->details);
    printf("options:\n");
    for (int p = 0; option_at(what, p) != NULL; ++p) {
        const option* o = option_at(what, p);
        if (option_is_hidden(what, p))
            continue;
        char left[64], letter[8] = "    ";
        if (o->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
        printf("  %-26s %s\n", left, o->help);
    }
    printf("\nexample:\n%s\n", what->example);
}
