// Single values. A message names the key, shows what was found and says what is allowed, all from the table:
//
//     contact.stiffness is '1e7 N/m'; expected a number (above 0; force/length): numbers stand without units
//
// Numbers are read by base/number.c, so 1e7 and .5 are numbers (which YAML 1.1 itself would doubt), in every locale; nan, inf,
// 0x10, 1_000 and 1:30 are none.
#include "scene/value.h"

#include "base/spelling.h"
#include "files/csv.h"
#include "files/words.h"
#include "geom/length.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PHRASE = 512 };

// What was found: ends "is ...".
static void found(const scene_reader* reader, const scene_node* node, char text[SCREE_SHOWN + 8])
{
    char shown[SCREE_SHOWN];
    if (node->kind == SCENE_SCALAR && (node->length > 0 || node->quoted))
        snprintf(text, SCREE_SHOWN + 8, "'%s'", scree_csv_shown(shown, scree_scene_text(reader->tree, node), node->length));
    else
        strcpy(text, node->kind == SCENE_LIST ? "a list" : node->kind == SCENE_MAP ? "a map" : "empty");
}

// The words in place of a number: ", a, b or c".
static int put_choice(const scene_field* field, char* text, size_t room)
{
    int used = 0;
    for (int32_t n = 0; field->choice > 0 && scree_scene_word_at(field, n) != NULL; ++n)
        used += snprintf(text + used, room - (size_t)used, "%s%s", scree_scene_word_at(field, n + 1) == NULL ? " or " : ", ", scree_scene_word_at(field, n));
    return used;
}

// What was expected, of the value or of one entry of it: follows "expected ". The words of the form (forms.c), then range and unit.
static void expected(const scene_reader* reader, const scree_scene_key* key, bool entry, char text[PHRASE])
{
    const scene_field* field = key->field;
    const scene_form_row* form = &scree_scene_forms[field->form];
    const bool flat = reader->scene->sim.box.dim == 2, single = entry || (field->form == SCENE_FORM_TURN && flat);
    size_t used = 0;
    for (const char* c = single ? form->entry : form->whole; *c != '\0'; ++c) {
        char letter[2] = {*c, '\0'}, dimension[16];
        const char* piece = letter;
        if (*c == '%') {
            snprintf(dimension, sizeof dimension, "%" PRId32, reader->scene->sim.box.dim);
            const struct {
                char code;
                const char* text;
            } codes[] = {{'d', dimension}, {'r', key->range}, {'k', key->kind}, {'a', field->automatic ? " or auto" : ""}, {'x', flat ? "x or y" : "x, y or z"},
                         {'m', strcmp(key->path, "pairs") == 0 ? ", or the word mix," : ""}, {'c', ""}};
            size_t n = 0;
            for (++c; codes[n].code != *c; ++n) {
            }
            piece = codes[n].text;
            used += *c == 'c' ? (size_t)put_choice(field, text + used, PHRASE - used) : 0;
        }
        used += (size_t)snprintf(text + used, PHRASE - used, "%s", piece);
    }
    text[used] = '\0';
    const bool range = *key->range != '\0' && strcmp(key->range, "any") != 0 && field->form != SCENE_FORM_START, ranged = (form->flags & (entry ? FORM_RANGED | FORM_RANGED_ENTRY : FORM_RANGED)) != 0;
    if (ranged && (range || *key->unit != '\0'))
        snprintf(text + used, PHRASE - used, " (%s%s%s)", range ? key->range : "", range && *key->unit != '\0' ? "; " : "", key->unit);
}

// What people often mean by a text that is no number.
static const char* hint(const scene_reader* reader, const scree_scene_key* key, const scene_node* node)
{
    if (key->field->why != NULL)
        return key->field->why;
    if (node->kind != SCENE_SCALAR || node->length == 0 || (scree_scene_forms[key->field->form].flags & FORM_NUMERIC) == 0)
        return "";
    const char* text = scree_scene_text(reader->tree, node);
    scree_word word = {text, text + node->length};
    double value;
    if (scree_word_number(word, &value) && !isnan(value))
        return node->quoted            ? ": in quotes it is a text"
               : key->field->length && fabs(value) > 0.0 && !scree_is_length(value)
                   ? ": lengths are 0 or between 1e-140 and 1e140 in size"
                   : "";
    if (strspn(text, "+-.0123456789eE") == (size_t)node->length && text[strcspn(text, "0123456789")] != '\0' &&
        strpbrk(text, "eE") != NULL)
        return ": it is too large or too small, or not finished";
    size_t digits = strspn(text, "+-.0123456789eE_, ");
    if (digits > 0 && text[digits] != '\0' && text[strcspn(text, "0123456789")] != '\0')
        return ": numbers stand without units or other text";
    if (digits > 0 && strchr(text, ',') != NULL)
        return ": the decimal sign is a point";
    return "";
}

scree_status scree_scene_reject(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t entry)
{
    char is[SCREE_SHOWN + 8], wanted[PHRASE], place[32] = "";
    found(reader, node, is);
    expected(reader, key, entry > 0, wanted);
    if (entry > 0)
        snprintf(place, sizeof place, "entry %" PRId32 " of ", entry);
    return scree_scene_fail(reader->tree, node, "%s%s is %s; expected %s%s", place, key->path, is, wanted,
                            hint(reader, key, node));
}

static scree_word word_of(const scene_reader* reader, const scene_node* node)
{
    const char* text = scree_scene_text(reader->tree, node);
    return (scree_word){text, text + node->length};
}

static bool in_range(const scene_field* field, double value)
{
    return (field->above ? value > field->least : value >= field->least) &&
           (field->below ? value < field->most : value <= field->most) && (!field->length || scree_is_length(value));
}

scree_status scree_scene_number(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t entry,
                                double* value)
{
    double number;
    if (node->kind != SCENE_SCALAR || node->quoted || !scree_word_number(word_of(reader, node), &number) || !isfinite(number) ||
        !in_range(key->field, number))
        return scree_scene_reject(reader, key, node, entry);
    *value = number;
    return SCREE_OK;
}

scree_status scree_scene_whole(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int64_t* value)
{
    int64_t whole = 0;
    double number = 0.0;
    bool fine = node->kind == SCENE_SCALAR && !node->quoted;
    if (fine && !scree_word_integer(word_of(reader, node), &whole)) {  // 1e6 is one too, as far as doubles know each
        fine = scree_word_number(word_of(reader, node), &number) && fabs(number) <= 9007199254740992.0 && number == floor(number);
        whole = fine ? (int64_t)number : 0;
    }
    if (!fine || !in_range(key->field, (double)whole))
        return scree_scene_reject(reader, key, node, 0);
    *value = whole;
    return SCREE_OK;
}

bool scree_scene_says(const scene_reader* reader, const scene_node* node, const char* text)
{
    return node->kind == SCENE_SCALAR && scree_word_is(word_of(reader, node), text);
}

bool scree_scene_seconds(const scene_reader* reader, const scene_node* node, double* value)
{
    if (node->kind != SCENE_SCALAR || node->length < 2)
        return false;
    scree_word word = word_of(reader, node);
    return *--word.end == 's' && scree_word_number(word, value) && isfinite(*value);
}

scene_names scree_scene_names_for(const scene_reader* reader, const scene_node* node)
{
    const scree_word word = word_of(reader, node);
    return (scene_names){.begin = word.begin, .end = word.end, .least = INT64_MAX};
}

void scree_scene_names_add(scene_names* names, const char* name)
{
    const int64_t apart = names->end - names->begin > 64 ? 64 : scree_letters_apart(names->begin, names->end, name);
    names->near = apart < names->least ? name : names->near;
    names->least = apart < names->least ? apart : names->least;
    if (names->used + strlen(name) + 3 < sizeof names->all)
        names->used += (size_t)snprintf(names->all + names->used, sizeof names->all - names->used, "%s%s", names->used > 0 ? ", " : "", name);
}

bool scree_scene_names_is_near(const scene_names* names)
{
    return names->near != NULL && scree_spelling_is_close(names->least, names->near);
}

scree_status scree_scene_word(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t entry,
                              int32_t* value)
{
    if (node->kind != SCENE_SCALAR)
        return scree_scene_reject(reader, key, node, entry);
    scene_names names = scree_scene_names_for(reader, node);
    const char* word;
    for (int32_t n = 0; (word = scree_scene_word_at(key->field, n)) != NULL; ++n) {
        if (scree_scene_says(reader, node, word)) {
            *value = n;
            return SCREE_OK;
        }
        scree_scene_names_add(&names, word);
    }
    if (!scree_scene_names_is_near(&names))
        return scree_scene_reject(reader, key, node, entry);
    char is[SCREE_SHOWN + 8], wanted[PHRASE];
    found(reader, node, is);
    expected(reader, key, true, wanted);
    return scree_scene_fail(reader->tree, node, "%s is %s; expected %s%s; did you mean %s?", key->path, is, wanted,
                            hint(reader, key, node), names.near);
}
