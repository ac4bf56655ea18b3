// Completion for bash and zsh, from the tables of the commands: the commands, the methods of a group, the options, the words for a value where there is a
// choice (those that the option is checked against), files where a file is expected, nothing where a number is.
//
// Both scripts hold everything and never call the program: a key press must not wait for it. bash cuts words at = and :, so
// `--method=oct` comes as three words; zsh's _arguments knows all that by itself.
#include "help.h"

#include "scree/scree.h"

#include <string.h>

static bool is_file(const command* what, const option* o)
{
    return use_of(what, o->name, 0) != NULL;
}

// With a colon last, a word goes on.
static bool goes_on(const choice* c)
{
    const char* word = c->names(0);
    return word != NULL && word[0] != '\0' && word[strlen(word) - 1] == ':';
}

static void put_words(const char* (*names)(int))
{
    for (int k = 0; names(k) != NULL; ++k)
        printf("%s%s", k > 0 ? " " : "", names(k));
}

static void put_scene_keys(void)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k)
        printf("%s%s", k > 0 ? " " : "", keys[k].path);
}

// ---- bash ----------------------------------------------------------------------------------------------------------

static void put_bash_name(const option* o)
{
    printf("--%s", o->name);
    if (o->letter != 0)
        printf(" | -%c", o->letter);
}

// One case for each option with words, one for all that take files, one for all others that take a value.
static void put_bash_values(const command* what)
{
    static const char* const kinds[] = {"words", "files", "none"};
    for (int kind = 0; kind < 3; ++kind) {
        bool any = false;
        for (int p = 0; option_at(what, p) != NULL; ++p) {
            const option* o = option_at(what, p);
            const choice* c = choice_of(what, o->name);
            if (option_is_hidden(what, p) || o->value == NULL || kind != (c != NULL ? 0 : is_file(what, o) ? 1 : 2))
                continue;
            fputs(any ? " | " : "                ", stdout);
            put_bash_name(o);
            if (c != NULL) {
                printf(") kind=words words=\"");
                put_words(c->names);
                puts("\" ;;");
            }
            any = c == NULL;
        }
        if (any)
            printf(") kind=%s ;;\n", kinds[kind]);
    }
}

// Of a group: its parts, until one of them is typed.
static void put_bash_group(const command* what)
{
    printf("        %s)\n            kind=words words=\"", what->name);
    for (const command* const* p = what->parts; *p != NULL; ++p)
        printf("%s ", part_word(*p));
    puts("--help\"\n            ;;");
}

static void put_bash_command(const command* what)
{
    printf("        %s%s%s)\n            options=\"", strchr(what->name, ' ') != NULL ? "'" : "", what->name, strchr(what->name, ' ') != NULL ? "'" : "");
    for (int p = 0; option_at(what, p) != NULL; ++p)
        if (!option_is_hidden(what, p))
            printf("%s--%s", p > 0 ? " " : "", option_at(what, p)->name);
    printf("\"\n            ");
    if (what->words != NULL) {
        printf("kind=words words=\"");
        put_words(what->words);
        puts("\"");
    } else {
        printf("kind=%s\n", what->most_files > 0 ? "files" : "none");
    }
    puts("            case $previous in");
    put_bash_values(what);
    puts("                *) [[ $current != -* ]] || kind=words words=$options ;;\n            esac\n            ;;");
}

void print_bash_completion(void)
{
    printf("# bash completion for scree %s, made by `scree help --completion bash`.\n", scree_version());
    puts("_scree()\n{\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
         "    local kind=none words= options=\n"
         "    COMPREPLY=()\n"
         "    # bash cuts --name=value into three words.\n"
         "    if [[ $current == = ]]; then\n"
         "        current=\n"
         "    elif [[ $previous == = && $COMP_CWORD -gt 2 ]]; then\n"
         "        previous=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    fi\n"
         "    [[ $COMP_CWORD -gt 1 ]] || command=");
    for (int c = 0; command_at(c) != NULL; ++c) {
        const command* what = command_at(c);
        if (what->parts == NULL)
            continue;
        printf("    [[ $command != %s || $COMP_CWORD -le 2 ]] || case ${COMP_WORDS[2]} in\n        ", what->name);
        for (const command* const* p = what->parts; *p != NULL; ++p)
            printf("%s%s", p > what->parts ? " | " : "", part_word(*p));
        puts(") command=\"$command ${COMP_WORDS[2]}\" ;;\n    esac");
    }
    puts("    case $command in");
    printf("        '') kind=words words=\"");
    put_words(command_name_at);
    printf(" help --help --version\" ;;\n        help)\n            kind=words words=\"");
    put_words(command_name_at);
    puts(" scene --man --completion\"\n"
         "            [[ $previous != --completion ]] || words=\"bash zsh\"");
    printf("            [[ $previous != scene ]] || words=\"--schema ");
    put_scene_keys();
    puts("\"\n            ;;");
    for (int p = 0; page_at(p) != NULL; ++p)
        if (page_at(p)->parts != NULL)
            put_bash_group(page_at(p));
        else
            put_bash_command(page_at(p));
    puts("    esac\n"
         "    case $kind in\n"
         "        words)\n"
         "            mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "            [[ ${COMPREPLY[0]} != *: ]] || compopt -o nospace\n"
         "            ;;\n"
         "        files) compopt -o default ;;  # readline's own: tilde, quotes and blanks\n"
         "    esac\n"
         "}\n"
         "complete -F _scree scree");
}

// ---- zsh -----------------------------------------------------------------------------------------------------------

// Inside '...' and there inside [...] or a list: what has a meaning in either gets a backslash.
static void put_quoted(const char* text, const char* special, size_t length)
{
    for (size_t k = 0; k < length && text[k] != '\0'; ++k) {
        if (text[k] == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(special, text[k]) != NULL)
            putchar('\\');
        putchar(text[k]);
    }
}

// The first part of a help line: there is a line on the screen for it.
static size_t short_length(const char* help)
{
    size_t length = strlen(help);
    const char* ends[] = {strstr(help, "; "), strstr(help, " (")};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; ++e)
        if (ends[e] != NULL && (size_t)(ends[e] - help) < length && ends[e] - help > 6)
            length = (size_t)(ends[e] - help);
    return length;
}

static void put_zsh_option(const command* what, const option* o)
{
    const choice* c = choice_of(what, o->name);
    const char* equals = o->value != NULL ? "=" : "";
    printf("            ");
    if (o->letter != 0)
        printf("'(-%c --%s)'{-%c,--%s%s}'[", o->letter, o->name, o->letter, o->name, equals);
    else
        printf("'--%s%s[", o->name, equals);
    put_quoted(o->help, "[]\\", short_length(o->help));
    putchar(']');
    if (o->value != NULL) {
        putchar(':');
        put_quoted(o->value, ":\\", strlen(o->value));
        putchar(':');
        if (c != NULL && goes_on(c)) {
            printf("{compadd -S \"\" --");
            for (int k = 0; c->names(k) != NULL; ++k) {
                putchar(' ');
                put_quoted(c->names(k), ":\\", strlen(c->names(k)));
            }
            putchar('}');
        } else if (c != NULL) {
            putchar('(');
            for (int k = 0; c->names(k) != NULL; ++k) {
                fputs(k > 0 ? " " : "", stdout);
                put_quoted(c->names(k), ":\\", strlen(c->names(k)));
            }
            putchar(')');
        } else if (is_file(what, o)) {
            fputs("_files", stdout);
        } else {
            putchar(' ');
        }
    }
    puts("' \\");
}

static void put_zsh_command(const command* what)
{
    printf("        %s) _arguments -S \\\n", what->group != NULL ? part_word(what) : what->name);
    for (int p = 0; option_at(what, p) != NULL; ++p)
        if (!option_is_hidden(what, p))
            put_zsh_option(what, option_at(what, p));
    if (what->words != NULL) {
        printf("            '*:name:(");
        put_words(what->words);
        puts(")'");
    } else {
        puts(what->most_files > 0 ? "            '*:file:_files'" : "            '*: :'");
    }
    puts("            ;;");
}

static void put_zsh_group(const command* what)
{
    printf("        %s)\n        if (( CURRENT == 2 )); then\n            local -a parts\n            parts=(\n", what->name);
    for (const command* const* p = what->parts; *p != NULL; ++p) {
        printf("                '%s:", part_word(*p));
        put_quoted((*p)->about, ":\\", strlen((*p)->about));
        puts("'");
    }
    printf("            )\n            _describe -t parts '%s' parts\n            [[ $PREFIX != -* ]] || compadd -- --help\n            return\n        fi\n", what->part);
    puts("        command=$words[2]\n        shift words\n        (( CURRENT-- ))\n        case $command in");
    for (const command* const* p = what->parts; *p != NULL; ++p)
        put_zsh_command(*p);
    puts("        esac\n        ;;");
}

void print_zsh_completion(void)
{
    printf("#compdef scree\n# zsh completion for scree %s, made by `scree help --completion zsh`.\n", scree_version());
    puts("_scree() {\n"
         "    local curcontext=\"$curcontext\" command\n"
         "    local -a commands\n"
         "    commands=(");
    for (int c = 0; command_at(c) != NULL; ++c) {
        printf("        '%s:", command_at(c)->name);
        put_quoted(command_at(c)->about, ":\\", strlen(command_at(c)->about));
        puts("'");
    }
    puts("    )\n"
         "    if (( CURRENT == 2 )); then\n"
         "        _describe -t commands 'command' commands -- '(help\\:\"options of a command\")'\n"
         "        [[ $PREFIX != -* ]] || compadd -- --help --version\n"
         "        return\n"
         "    fi\n"
         "    command=$words[2]\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $command in\n"
         "        help) if [[ $words[CURRENT-1] == scene ]]; then");
    printf("            compadd -- --schema ");
    put_scene_keys();
    puts("\n            return\n        fi\n"
         "            _arguments '--man[the man page as roff]' '--completion=[a script for a shell]:SHELL:(bash zsh)' '*::command:->names'\n"
         "            [[ $PREFIX == -* || $words[CURRENT-1] == --completion ]] || _describe -t commands 'command' commands -- '(scene\\:\"keys of scene files\")'\n"
         "            ;;");
    for (int c = 0; command_at(c) != NULL; ++c)
        if (command_at(c)->parts != NULL)
            put_zsh_group(command_at(c));
        else
            put_zsh_command(command_at(c));
    puts("    esac\n"
         "}\n"
         "if [[ $funcstack[1] == _scree ]]; then _scree \"$@\"; else compdef _scree scree; fi");
}
