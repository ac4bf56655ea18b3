// Man pages from the tables of the commands, as roff with the macros of man(7): scree(1), scree-COMMAND(1), scree-COMMAND-METHOD(1).
//
// All text goes through put(), because roff reads a period or an apostrophe at the start of a line as a request, and prints - as a
// hyphen, ` and ' as quotation marks, which do not work in a shell.
#include "help.h"

#include "scree/scree.h"

#include <ctype.h>
#include <string.h>

// The first `length` letters of text, so that they are printed as they are.
static void put_part(const char* text, size_t length)
{
    for (size_t k = 0; k < length; ++k) {
        bool begins = k == 0 || text[k - 1] == '\n';
        if (begins && text[k] == '.')
            fputs("\\&", stdout);
        switch (text[k]) {
        case '\\': fputs("\\e", stdout); break;
        case '-': fputs("\\-", stdout); break;
        case '\'': fputs("\\(aq", stdout); break;
        case '`': fputs("\\(ga", stdout); break;
        case '^': fputs("\\(ha", stdout); break;
        case '~': fputs("\\(ti", stdout); break;
        default: putchar(text[k]); break;
        }
    }
}

static void put(const char* text)
{
    put_part(text, strlen(text));
}

static void put_in(char font, const char* text, size_t length)
{
    printf("\\f%c", font);
    put_part(text, length);
    fputs("\\fR", stdout);
}

static void section(const char* name)
{
    printf(".SH %s\n", name);
}

// --options bold, VALUES italic, the rest as it is.
static void put_usage(const char* usage)
{
    for (const char* at = usage; *at != '\0';) {
        size_t length = 1;
        bool begins = at == usage || strchr(" [|", at[-1]) != NULL;
        if (*at == '-' && begins) {
            while (islower((unsigned char)at[length]) || at[length] == '-')
                ++length;
            put_in('B', at, length);
        } else if (isupper((unsigned char)*at)) {
            while (isupper((unsigned char)at[length]) || isdigit((unsigned char)at[length]))
                ++length;
            put_in('I', at, length);
        } else {
            while (at[length] != '\0' && strchr("-[| ", at[length - 1]) == NULL && !isupper((unsigned char)at[length]))
                ++length;
            put_part(at, length);
        }
        at += length;
    }
    putchar('\n');
}

static void put_details(const char* details)
{
    for (const char* at = details; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        put_part(at, length);
        putchar('\n');
        at += length + (at[length] == '\n');
        if (*at != '\0')
            puts(".PP");
    }
}

// Whether the words for a value are worth a line: not if the help has them all, nor where anything goes.
static bool tells_words(const option* o, const choice* c)
{
    bool more = false;
    for (int k = 0; c != NULL && c->names(k) != NULL; ++k)
        more = more || strstr(o->help, c->names(k)) == NULL;
    return more && !c->open;
}

static void put_option(const option* o, const choice* c)
{
    puts(".TP");
    if (o->letter != 0) {
        put_in('B', (const char[]){'-', o->letter}, 2);
        fputs(", ", stdout);
    }
    fputs("\\fB\\-\\-", stdout);
    put(o->name);
    fputs("\\fR", stdout);
    if (o->value != NULL) {
        putchar(' ');
        put_in('I', o->value, strlen(o->value));
    }
    putchar('\n');
    put(o->help);
    putchar('\n');
    if (!tells_words(o, c))
        return;
    puts(".br");
    fputs("One of:", stdout);
    for (int k = 0; c->names(k) != NULL; ++k) {
        fputs(k > 0 ? ", " : " ", stdout);
        put_in('B', c->names(k), strlen(c->names(k)));
    }
    putchar('\n');
}

static void put_example(const char* text)
{
    puts(".PP\n.nf");
    for (const char* at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        while (length > 0 && *at == ' ') {
            ++at;
            --length;
        }
        fputs("    ", stdout);
        put_part(at, length);
        putchar('\n');
        at += length + (at[length] == '\n');
    }
    puts(".fi");
}

static void put_exit_status(void)
{
    section("EXIT STATUS");
    puts(".TP\n.B 0\nSuccess.\n.TP\n.B 1\nFailure: a file, its contents, memory or the computation. A message on standard error\n"
         "says what is wrong, where, and what was expected.\n.TP\n.B 2\nInvalid usage: an option or a file name is missing or invalid.\n"
         ".TP\n.B 130\nStopped by Ctrl\\-C (143: by SIGTERM). No file is left incomplete.");
}

// "pack rsa" as part of the name of a page: pack-rsa.
static void page_name(const command* what, const char* dash, char name[64])
{
    int used = 0;
    for (const char* at = what->name; *at != '\0' && used < 48; ++at)
        used += snprintf(name + used, 64 - (size_t)used, "%s", *at == ' ' ? dash : (const char[]){*at, '\0'});
}

static void put_reference(const command* what, bool first)
{
    char name[64];
    page_name(what, "\\-", name);
    printf("%s.BR scree\\-%s (1)", first ? "" : ",\n", name);
}

// A command names the others and its parts; a part names its group and the other parts.
static void put_see_also(const command* of)
{
    bool first = of == NULL;
    section("SEE ALSO");
    if (of != NULL)
        fputs(".BR scree (1)", stdout);
    if (of != NULL && of->group != NULL)
        put_reference(of->group, false);
    for (int p = 0; page_at(p) != NULL; ++p) {
        const command* other = page_at(p);
        const command* group = of == NULL ? NULL : of->group != NULL ? of->group : NULL;
        if (other == of || (other->group != group && !(of != NULL && other->group == of)))
            continue;
        put_reference(other, first);
        first = false;
    }
    putchar('\n');
}

static void title(const char* name)
{
    fputs(".\\\" Made by `scree help --man` from the tables of its options.\n.TH ", stdout);
    for (const char* at = name; *at != '\0'; ++at)
        putchar(toupper((unsigned char)*at));
    printf(" 1 \"\" \"scree %s\" \"User Commands\"\n", scree_version());
    // Text to the left, words whole: values and options are not cut at line ends.
    puts(".nh\n.ad l");
    section("NAME");
}

static void put_options(const command* what)
{
    bool own = option_is_own(what, 0);
    section("OPTIONS");
    for (int p = 0; option_at(what, p) != NULL; ++p) {
        if (option_is_hidden(what, p))
            continue;
        if (own && !option_is_own(what, p)) {
            own = false;
            puts(".SS Common to all commands");
        }
        put_option(option_at(what, p), choice_of(what, option_at(what, p)->name));
    }
}

static void put_parts(const command* what)
{
    fputs(".SH ", stdout);
    for (const char* at = what->part; *at != '\0'; ++at)
        putchar(toupper((unsigned char)*at));
    puts("S\nEach has a page with its options.");
    for (const command* const* p = what->parts; *p != NULL; ++p) {
        puts(".TP");
        put_reference(*p, true);
        putchar('\n');
        put((*p)->about);
        putchar('\n');
    }
}

static void print_command(const command* what)
{
    char name[64], heading[80];
    page_name(what, "-", name);
    snprintf(heading, sizeof heading, "SCREE-%s", name);
    title(heading);
    page_name(what, "\\-", name);
    printf("scree\\-%s \\- ", name);
    put(what->about);
    putchar('\n');
    section("SYNOPSIS");
    printf("\\fBscree %s\\fR ", what->name);
    put_usage(what->usage);
    if (what->details != NULL) {
        section("DESCRIPTION");
        put_details(what->details);
    }
    if (what->words != NULL) {
        puts(".PP");
        fputs("Names:", stdout);
        for (int k = 0; what->words(k) != NULL; ++k) {
            fputs(k > 0 ? ", " : " ", stdout);
            put_in('B', what->words(k), strlen(what->words(k)));
        }
        putchar('\n');
    }
    if (what->parts != NULL)
        put_parts(what);
    else
        put_options(what);
    if (what->leaves != NULL) {
        section("FILES");
        for (const left_file* f = what->leaves; f->name != NULL; ++f) {
            puts(".TP");
            put_in('I', f->name, strlen(f->name));
            putchar('\n');
            put(f->about);
            putchar('\n');
        }
    }
    section("EXAMPLES");
    put_example(what->example);
    put_exit_status();
    put_see_also(what);
}

// scree(1): the commands by task.
static void print_program(void)
{
    title("SCREE");
    puts("scree \\- contacts among many bodies of very different sizes");
    section("SYNOPSIS");
    puts(".B scree\n.I COMMAND\n[\\fIFILES\\fR] [\\fIOPTIONS\\fR]\n.br\n.B scree help\n.RI [ COMMAND ]\n.br\n.B scree help scene\n.RI [ KEY ]\n"
         ".br\n.B scree help \\-\\-man\n.RI [ COMMAND ]\n.br\n.B scree help \\-\\-completion\nbash|zsh\n.br\n.B scree \\-\\-version");
    section("DESCRIPTION");
    puts("Finds the contacts of spheres, packs them, simulates them, measures and shows them, in 2D and 3D, with walls or periodic axes.\n"
         "Data go to standard output, notes and progress to standard error. Results do not depend on the number of threads.");
    section("COMMANDS");
    for (const task* t = tasks; t->name != NULL; ++t) {
        fputs(".SS To ", stdout);
        put(t->name);
        putchar('\n');
        for (int k = 0; t->commands[k] != NULL; ++k) {
            printf(".TP\n.BR scree\\-%s (1)\n", t->commands[k]->name);
            put(t->commands[k]->about);
            putchar('\n');
        }
    }
    section("OPTIONS");
    puts("Every command takes these options, in addition to its own.");
    static const command nothing = {.name = ""};
    for (int p = 0; option_at(&nothing, p) != NULL; ++p)
        put_option(option_at(&nothing, p), choice_of(&nothing, option_at(&nothing, p)->name));
    section("FILES");
    puts("The extension sets the format, or \\-\\-format does. \\- is standard input or output.");
    for (int f = SCREE_FORMAT_AUTO + 1; scree_format_name((scree_format)f) != NULL; ++f) {
        printf(".TP\n\\fI*.%s\\fR\n", scree_format_name((scree_format)f));
        static const struct {
            scree_format format;
            const char* about;
        } notes[] = {{SCREE_FORMAT_CSV, "a header naming x,y[,z],r (or radius, d, diameter), one sphere per line"},
                     {SCREE_FORMAT_VTP, "VTK PolyData, for ParaView"},
                     {SCREE_FORMAT_XYZ, "extended XYZ, for OVITO and ASE"},
                     {SCREE_FORMAT_LAMMPS, "LAMMPS data, atom_style sphere; also *.lmp and *.data"},
                     {SCREE_FORMAT_NPY, "a NumPy array of rows x,y[,z],r"}};
        for (size_t k = 0; k < sizeof notes / sizeof *notes; ++k)
            if (notes[k].format == (scree_format)f) {
                put(notes[k].about);
                putchar('\n');
            }
    }
    section("EXAMPLES");
    for (const task* t = tasks; t->name != NULL; ++t)
        put_example(t->example);
    put_exit_status();
    put_see_also(NULL);
}

void print_man(const command* what)
{
    if (what != NULL)
        print_command(what);
    else
        print_program();
}
