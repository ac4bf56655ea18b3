// First, files that the scene includes give the keys that it does not have. Then settings replace values. Then $(...) in a plain scalar becomes a number, with the names of `parameters`.
// What is read afterwards does not differ from a scene that says the same itself.
#include "scene/vary.h"

#include "base/array.h"
#include "base/number.h"
#include "base/spelling.h"
#include "files/csv.h"
#include "files/input.h"
#include "files/words.h"
#include "scene/tree_edit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { included_most = 8 };  // in each other
enum { parameters_most = 1000 };

// ---- Nodes -------------------------------------------------------------------------------------------------------------

static scene_node* at(const scene_tree* tree, int32_t n)
{
    return &tree->nodes[n];
}

// The nodes and texts of another tree behind those of this one: node n is node base + n then. `from`: the file or setting that messages about them name.
static scree_status add_tree(scene_tree* tree, const scene_tree* other, const char* from, int32_t* base)
{
    int64_t source, text = 0;
    scree_status status = scree_tree_add_text(tree, "", 0, &source);  // text 0 says that a node is of the scene itself
    if (status == SCREE_OK)
        status = scree_tree_add_text(tree, from, strlen(from), &source);
    if (status == SCREE_OK && other->text_length > 0)
        status = scree_tree_add_text(tree, other->text, (size_t)other->text_length, &text);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(tree->nodes, tree->capacity, tree->count + other->count);
    if (status != SCREE_OK)
        return status;
    *base = (int32_t)tree->count;
    for (int64_t n = 0; n < other->count; ++n) {
        scene_node node = other->nodes[n];
        node.text += text;
        node.source = node.source != 0 ? node.source + text : source;
        node.first += node.first >= 0 ? *base : 0;
        node.next += node.next >= 0 ? *base : 0;
        tree->nodes[tree->count++] = node;
    }
    return SCREE_OK;
}

// ---- Included files ----------------------------------------------------------------------------------------------------

// Adds to `to` the keys that only `from` has; maps in both are merged.
static scree_status fill_in(scene_tree* tree, int32_t to, int32_t from)
{
    scree_status status = SCREE_OK;
    for (int32_t key = at(tree, from)->first, next; key >= 0 && status == SCREE_OK; key = next) {
        const char* name = scree_scene_text(tree, at(tree, key));
        const int32_t value = at(tree, key)->next, own = scree_tree_find(tree, to, name, (size_t)at(tree, key)->length);
        next = at(tree, value)->next;
        char where[128];
        if (own >= 0 && (at(tree, own)->kind == SCENE_MAP) != (at(tree, value)->kind == SCENE_MAP))
            return scree_scene_fail(tree, at(tree, value), "%s is a map here or in %s, and not in the other; expected the same in both", name, scree_scene_where(tree, at(tree, own), where));
        if (own < 0)
            scree_tree_append(tree, to, key, value, 2);
        else if (at(tree, own)->kind == SCENE_MAP)
            status = fill_in(tree, own, value);
    }
    return status;
}

// Each key once in each map of an included file: what is merged later would not show it.
static scree_status check_once(const scene_tree* tree, int32_t n)
{
    scree_status status = SCREE_OK;
    const bool map = at(tree, n)->kind == SCENE_MAP;
    for (int32_t one = at(tree, n)->kind != SCENE_SCALAR ? at(tree, n)->first : -1, k = 0; one >= 0 && status == SCREE_OK; one = at(tree, one)->next, ++k) {
        const scene_node* key = at(tree, one);
        const int32_t first = map && k % 2 == 0 ? scree_tree_find(tree, n, scree_scene_text(tree, key), (size_t)key->length) : key->next;
        if (first != key->next)
            return scree_scene_fail(tree, key, "the key %s is in line %" PRId32 " already; expected it once", scree_scene_text(tree, key), at(tree, first)->line);
        status = check_once(tree, one);
    }
    return status;
}

static scree_status include_all(scene_tree* tree, int depth);

// A name beside the file that includes it.
static scree_status read_included(const scene_tree* tree, int32_t n, int depth, char** path, scene_tree* out)
{
    const scene_node* node = at(tree, n);
    const char *name = scree_scene_text(tree, node), *mine = scree_scene_source(tree, node), *slash = strrchr(mine, '/');
    if (node->kind != SCENE_SCALAR || node->length == 0)
        return scree_scene_fail(tree, node, "include: expected the name of a file, or a list of names");
    if (depth == included_most)
        return scree_scene_fail(tree, node, "include: %s: files are nested more than %d deep; expected no file that includes itself", name, (int)included_most);
    const size_t folder = slash != NULL && *name != '/' ? (size_t)(slash - mine) + 1 : 0, length = folder + (size_t)node->length + 1;
    *path = scree_malloc(length, 1);
    if (*path == NULL)
        return SCREE_ERR_MEMORY;
    snprintf(*path, length, "%.*s%s", (int)folder, mine, name);
    scree_input input;
    char* bytes;
    int64_t got;
    scree_status status = scree_input_open(&input, *path, scree_get_watch());
    if (status == SCREE_OK) {
        status = scree_input_bytes(&input, (int64_t)SCENE_BYTES_MAX + 1, &bytes, &got);
        if (status == SCREE_OK)
            status = scree_scene_tree_read(*path, bytes, (size_t)got, out);
        scree_input_close(&input);
    } else if (status == SCREE_ERR_IO) {
        char why[1024];
        snprintf(why, sizeof why, "%s", scree_error_message());
        status = scree_scene_fail(tree, node, "include: %s", why);
    }
    if (status == SCREE_OK && out->nodes[0].kind != SCENE_MAP)
        status = scree_fail(SCREE_ERR_FORMAT, "%s:1:1: expected a map of keys, as in a scene", *path);
    if (status == SCREE_OK)
        status = check_once(out, 0);
    return status == SCREE_OK ? include_all(out, depth + 1) : status;
}

static scree_status include_one(scene_tree* tree, int32_t n, int depth)
{
    char* path = NULL;
    scene_tree other = {.name = NULL};
    int32_t base = 0;
    scree_status status = read_included(tree, n, depth, &path, &other);
    if (status == SCREE_OK)
        status = add_tree(tree, &other, path, &base);
    if (status == SCREE_OK)
        status = fill_in(tree, 0, base);
    scree_scene_tree_free(&other);
    scree_free(path);
    return status;
}

// Of several files the last comes first, so that it wins.
static scree_status include_entries(scene_tree* tree, int32_t entry, int depth)
{
    if (entry < 0)
        return SCREE_OK;
    scree_status status = include_entries(tree, at(tree, entry)->next, depth);
    return status == SCREE_OK ? include_one(tree, entry, depth) : status;
}

static scree_status include_all(scene_tree* tree, int depth)
{
    const int32_t value = scree_tree_find(tree, 0, "include", strlen("include"));
    if (value < 0)
        return SCREE_OK;
    scree_tree_drop(tree, 0, "include", strlen("include"));
    if (scree_tree_find(tree, 0, "include", strlen("include")) >= 0)
        return scree_scene_fail(tree, at(tree, value), "include is there twice; expected it once, with a list of files");
    if (at(tree, value)->kind != SCENE_LIST)
        return include_one(tree, value, depth);
    if (at(tree, value)->count > 64)
        return scree_scene_fail(tree, at(tree, value), "include has %" PRId32 " entries; expected at most 64", at(tree, value)->count);
    return include_entries(tree, at(tree, value)->first, depth);
}

// ---- Settings ----------------------------------------------------------------------------------------------------------

// An entry of a list, by its number from 1 or by its name; a map counts as its own entry 1.
static int32_t find_entry(const scene_tree* tree, int32_t list, const char* part, size_t length)
{
    double number;
    const bool counts = scree_number_parse(part, part + length, &number);
    if (at(tree, list)->kind == SCENE_MAP)
        return counts && number == 1.0 ? list : -1;
    int32_t n = 1;
    for (int32_t entry = at(tree, list)->first; entry >= 0; entry = at(tree, entry)->next, ++n) {
        const int32_t name = scree_tree_find(tree, entry, "name", 4);
        if (counts ? number == n : name >= 0 && scree_tree_says(tree, name, part, length))
            return entry;
    }
    return -1;
}

// The node that the path names, made where it is missing.
static scree_status find_path(scene_tree* tree, const char* setting, size_t length, int64_t source, int32_t* out)
{
    int32_t node = 0;
    for (size_t begin = 0; begin <= length;) {
        const char* part = setting + begin;
        const char* dot = memchr(part, '.', length - begin);
        const size_t here = dot != NULL ? (size_t)(dot - part) : length - begin;
        int32_t next = scree_tree_find(tree, node, part, here);
        if (here == 0)
            return scree_fail(SCREE_ERR_FORMAT, "%s: expected a key with a name between its points, like contact.friction=0.4", setting);
        if (next < 0 && at(tree, node)->kind != SCENE_SCALAR && node != 0)
            next = find_entry(tree, node, part, here);
        if (next < 0 && at(tree, node)->kind == SCENE_LIST)
            return scree_fail(SCREE_ERR_FORMAT, "%s: '%.*s' is no entry of a list with %" PRId32 " entries; expected its number, from 1, or its name", setting, (int)here, part, at(tree, node)->count);
        if (next < 0 && at(tree, node)->kind == SCENE_SCALAR)
            return scree_fail(SCREE_ERR_FORMAT, "%s: the key before '%.*s' has a single value; expected a map", setting, (int)here, part);
        if (next < 0) {
            scree_status status = scree_tree_add_map(tree, node, part, here, source, &next);
            if (status != SCREE_OK)
                return status;
        }
        node = next;
        begin += here + 1;
    }
    *out = node;
    return SCREE_OK;
}

// "time.end=" takes the key away.
static scree_status remove_one(scene_tree* tree, const char* setting, size_t length)
{
    int32_t map = 0;
    size_t begin = length;
    while (begin > 0 && setting[begin - 1] != '.')
        --begin;
    scree_status status = begin > 0 ? find_path(tree, setting, begin - 1, 0, &map) : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    if (scree_tree_find(tree, map, setting + begin, length - begin) < 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the scene has no such key; expected one that it has, or a value behind =", setting);
    scree_tree_drop(tree, map, setting + begin, length - begin);
    return SCREE_OK;
}

static scree_status set_one(scene_tree* tree, const char* setting)
{
    const char* equals = strchr(setting, '=');
    if (equals == NULL || equals == setting)
        return scree_fail(SCREE_ERR_FORMAT, "'%s' sets nothing; expected a key and a value, like contact.friction=0.4", setting);
    if (equals[1] == '\0')
        return remove_one(tree, setting, (size_t)(equals - setting));
    scene_tree value = {.name = NULL};
    int32_t base = 0, target = 0;
    scree_status status = scree_scene_tree_read(setting, equals + 1, strlen(equals + 1), &value);
    if (status == SCREE_ERR_FORMAT)
        return scree_fail(status, "%s: expected a value behind =, as in a scene", setting);
    for (int64_t n = 0; n < value.count; ++n)
        value.nodes[n].line = 0;
    if (status == SCREE_OK)
        status = add_tree(tree, &value, setting, &base);
    if (status == SCREE_OK)
        status = find_path(tree, setting, (size_t)(equals - setting), at(tree, base)->source, &target);
    if (status == SCREE_OK) {
        const int32_t next = at(tree, target)->next;
        *at(tree, target) = *at(tree, base);
        at(tree, target)->next = next;
    }
    scree_scene_tree_free(&value);
    return status;
}

// ---- Arithmetic --------------------------------------------------------------------------------------------------------

typedef struct formula {
    const scene_tree* tree;
    int32_t node;          // whose text it is
    int32_t parameters;    // the map; -1: there is none
    const char *next, *end;
    int depth;
    bool waits;            // it uses a parameter that is not calculated yet
    scree_status status;
} formula;

static void complain(formula* f, const char* what)
{
    char shown[SCREE_SHOWN], rest[SCREE_SHOWN];
    const scene_node* node = at(f->tree, f->node);
    if (f->status != SCREE_OK)
        return;
    scree_csv_shown(shown, scree_scene_text(f->tree, node), node->length);
    scree_csv_shown(rest, f->next, (int64_t)(f->end - f->next));
    f->status = scree_scene_fail(f->tree, node, "'%s': %s%s%s%s", shown, what, f->next < f->end ? ", got '" : "", f->next < f->end ? rest : "", f->next < f->end ? "'" : "");
    f->next = f->end;
}

static bool taken(formula* f, char wanted)
{
    while (f->next < f->end && *f->next == ' ')
        ++f->next;
    if (f->next == f->end || *f->next != wanted)
        return false;
    ++f->next;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool number_of(const scene_tree* tree, int32_t n, double* value)
{
    const scene_node* node = at(tree, n);
    const char* text = scree_scene_text(tree, node);
    return node->kind == SCENE_SCALAR && scree_number_parse(text, text + node->length, value);
}

static double sum_of(formula* f);

static double named(formula* f)
{
    const char* begin = f->next;
    const char* end = begin;
    while (end < f->end && (is_letter(*end) || is_digit(*end)))
        ++end;
    char all[256] = "none";
    size_t used = 0;
    for (int32_t key = f->parameters >= 0 ? at(f->tree, f->parameters)->first : -1; key >= 0; key = at(f->tree, at(f->tree, key)->next)->next) {
        double number = 0.0;
        if (scree_tree_says(f->tree, key, begin, (size_t)(end - begin))) {
            f->waits = f->waits || !number_of(f->tree, at(f->tree, key)->next, &number);
            f->next = end;
            return number;
        }
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? ", " : "", scree_scene_text(f->tree, at(f->tree, key)));
    }
    char what[384];
    snprintf(what, sizeof what, "expected the name of a parameter (%s)", all);
    complain(f, what);
    return 0.0;
}

static double single(formula* f)
{
    if (taken(f, '(')) {
        double value = 0.0;
        if (++f->depth > 32)
            complain(f, "expected fewer parentheses in each other");
        else
            value = sum_of(f);
        --f->depth;
        if (!taken(f, ')'))
            complain(f, "expected ')'");
        return value;
    }
    if (f->next < f->end && is_letter(*f->next))
        return named(f);
    const char* end = f->next;
    while (end < f->end && (is_digit(*end) || *end == '.' || *end == 'e' || *end == 'E' || ((*end == '-' || *end == '+') && end > f->next && (end[-1] == 'e' || end[-1] == 'E'))))
        ++end;
    double value = 0.0;
    if (end == f->next || !scree_number_parse(f->next, end, &value))
        complain(f, "expected a number or a name");
    else
        f->next = end;
    return value;
}

static double signed_one(formula* f);

// Whole powers by multiplication, so that they have the same bits on every machine.
static double raised(double base, double power)
{
    if (power != floor(power) || fabs(power) > 64.0)
        return power == 0.5 ? sqrt(base) : pow(base, power);
    double value = 1.0;
    for (int n = (int)fabs(power); n > 0; --n)
        value *= base;
    return power < 0.0 ? 1.0 / value : value;
}

// -2 ^ 2 is -4, and 2 ^ 3 ^ 2 is 2 ^ 9, as in mathematics.
static double power_of(formula* f)
{
    const double base = single(f);
    if (!taken(f, '^'))
        return base;
    if (++f->depth > 32) {
        complain(f, "expected fewer powers of powers");
        return 0.0;
    }
    const double value = raised(base, signed_one(f));
    --f->depth;
    return value;
}

static double signed_one(formula* f)
{
    bool negative = false;
    for (;;) {
        if (taken(f, '-'))
            negative = !negative;
        else if (!taken(f, '+'))
            break;
    }
    const double value = power_of(f);
    return negative ? -value : value;
}

static double product_of(formula* f)
{
    double value = signed_one(f);
    for (;;) {
        if (taken(f, '*'))
            value *= signed_one(f);
        else if (taken(f, '/'))
            value /= signed_one(f);
        else
            return value;
    }
}

static double sum_of(formula* f)
{
    double value = product_of(f);
    for (;;) {
        if (taken(f, '+'))
            value += product_of(f);
        else if (taken(f, '-'))
            value -= product_of(f);
        else
            return value;
    }
}

// Each $(...) of a plain scalar as a number. *waits: a parameter in it is no number yet, and nothing has changed.
static scree_status evaluate(scene_tree* tree, int32_t n, int32_t parameters, bool* waits)
{
    char out[1024];
    size_t used = 0;
    const scene_node* node = at(tree, n);
    if (node->kind != SCENE_SCALAR || node->quoted || strstr(scree_scene_text(tree, node), "$(") == NULL)
        return SCREE_OK;
    formula f = {.tree = tree, .node = n, .parameters = parameters, .end = scree_scene_text(tree, node) + node->length};
    const char* text = scree_scene_text(tree, node);
    while (text < f.end) {
        char number[32];
        size_t length = 1;
        const char* piece = text;
        if (strncmp(text, "$(", 2) == 0) {
            f.next = text + 2;
            const double value = sum_of(&f);
            if (!taken(&f, ')'))
                complain(&f, "expected an operator (+ - * / ^) or ')'");
            if (f.status == SCREE_OK && f.waits) {
                *waits = true;
                return SCREE_OK;
            }
            if (f.status == SCREE_OK && !isfinite(value)) {
                f.next = f.end;
                complain(&f, "the result is not a finite number; expected one");
            }
            if (f.status != SCREE_OK)
                return f.status;
            piece = number;
            length = (size_t)scree_number_format(number, value);
            text = f.next;
        } else {
            ++text;
        }
        if (used + length >= sizeof out)
            return scree_scene_fail(tree, node, "this value is too long with its numbers; expected at most %zu bytes", sizeof out);
        memcpy(out + used, piece, length);
        used += length;
    }
    int64_t where;
    scree_status status = scree_tree_add_text(tree, out, used, &where);
    if (status == SCREE_OK) {
        at(tree, n)->text = where;
        at(tree, n)->length = (int64_t)used;
    }
    return status;
}

static scree_status check_parameters(const scene_tree* tree, int32_t map)
{
    if (at(tree, map)->kind != SCENE_MAP)
        return scree_scene_fail(tree, at(tree, map), "parameters: expected a map of names with a number or $(...) for each");
    if (at(tree, map)->count > 2 * parameters_most)
        return scree_scene_fail(tree, at(tree, map), "parameters: there are %" PRId32 "; expected at most %d", at(tree, map)->count / 2, (int)parameters_most);
    for (int32_t key = at(tree, map)->first; key >= 0; key = at(tree, at(tree, key)->next)->next) {
        const scene_node* name = at(tree, key);
        const char* text = scree_scene_text(tree, name);
        bool fits = is_letter(*text);
        for (const char* c = text; *c != '\0'; ++c)
            fits = fits && (is_letter(*c) || is_digit(*c));
        char shown[SCREE_SHOWN];
        if (!fits)
            return scree_scene_fail(tree, name, "parameters: '%s' is no name of a parameter; expected letters, digits and _, a letter first", scree_csv_shown(shown, text, name->length));
        if (scree_tree_find(tree, map, text, (size_t)name->length) != name->next)
            return scree_scene_fail(tree, name, "parameters.%s is there twice; expected it once", text);
    }
    return SCREE_OK;
}

// In any order: those that wait for others are tried again.
static scree_status evaluate_parameters(scene_tree* tree, int32_t map)
{
    scree_status status = check_parameters(tree, map);
    for (int32_t left = -1, before = 0; status == SCREE_OK && left != 0;) {
        int32_t last = -1;
        left = 0;
        for (int32_t key = at(tree, map)->first; key >= 0 && status == SCREE_OK; key = at(tree, at(tree, key)->next)->next) {
            const int32_t value = at(tree, key)->next;
            bool waits = false;
            double number;
            status = evaluate(tree, value, map, &waits);
            if (status == SCREE_OK && !waits && !number_of(tree, value, &number))
                return scree_scene_fail(tree, at(tree, value), "parameters.%s: expected a number or $(...)", scree_scene_text(tree, at(tree, key)));
            left += waits;
            last = waits ? key : last;
        }
        if (status == SCREE_OK && left > 0 && left == before)
            return scree_scene_fail(tree, at(tree, at(tree, last)->next), "parameters.%s cannot be calculated: it depends on itself, or on one that does", scree_scene_text(tree, at(tree, last)));
        before = left;
    }
    return status;
}

static scree_status evaluate_all(scene_tree* tree, int32_t n, int32_t parameters)
{
    bool waits = false;
    scree_status status = evaluate(tree, n, parameters, &waits);
    for (int32_t inner = at(tree, n)->kind != SCENE_SCALAR ? at(tree, n)->first : -1; inner >= 0 && status == SCREE_OK; inner = at(tree, inner)->next)
        status = evaluate_all(tree, inner, parameters);
    return status;
}

scree_status scree_scene_vary(scene_tree* tree, int32_t count, const char* const* settings)
{
    if (tree->nodes[0].kind != SCENE_MAP)
        return SCREE_OK;  // the reader says so
    scree_status status = include_all(tree, 0);
    for (int32_t k = 0; k < count && status == SCREE_OK; ++k)
        status = set_one(tree, settings[k]);
    if (status != SCREE_OK)
        return status;
    const int32_t map = scree_tree_find(tree, 0, "parameters", strlen("parameters"));
    if (map >= 0)
        status = evaluate_parameters(tree, map);
    if (status == SCREE_OK)
        status = evaluate_all(tree, 0, map);
    scree_tree_drop(tree, 0, "parameters", strlen("parameters"));
    return status;
}
