// The JSON Schema of scene files, from the table of keys. A scene is taken as the values of its YAML: numbers and words as YAML 1.2 has them; $(...) is a text that stands for any number.
//
// Each map has its keys, each key its form and range; keys that exclude each other are in the map. Conditions on other keys (conditions.c) are at the end, as "where this holds, these keys
// must not be there", and only for scenes without `include`: an included file may have the other keys.
#include "scene/scene_inner.h"

#include "base/argument.h"
#include "base/number.h"
#include "files/output.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(scene_out* out, const char* text)
{
    scree_scene_put(out, text, strlen(text));
}

static void put_text(scene_out* out, const char* text)
{
    put(out, "\"");
    for (; *text != '\0'; ++text) {
        put(out, *text == '"' || *text == '\\' ? "\\" : "");
        scree_scene_put(out, text, 1);
    }
    put(out, "\"");
}

static void put_comma(scene_out* out, bool* begun)
{
    put(out, *begun ? "," : "");
    *begun = true;
}

// ---- Values ----------------------------------------------------------------------------------------------------------

#define FORMULA "{\"$ref\":\"#/$defs/formula\"}"

static void put_bound(scene_out* out, const char* name, double value)
{
    char digits[40] = "";
    scree_number_format(digits, value);
    scree_scene_print(out, ",\"%s\":%s", name, digits);
}

// In the range of a key. Larger numbers than those of doubles are infinite.
static void put_number(scene_out* out, const scene_field* field, const char* type)
{
    scree_scene_print(out, "{\"type\":\"%s\"", type);
    put_bound(out, field->above ? "exclusiveMinimum" : "minimum", fmax(field->least, -DBL_MAX));
    put_bound(out, field->below ? "exclusiveMaximum" : "maximum", fmin(field->most, DBL_MAX));
    put(out, field->length ? ",\"$ref\":\"#/$defs/length\"}" : "}");
}

static void put_words(scene_out* out, const scene_field* field)
{
    bool begun = false;
    put(out, "{\"enum\":[");
    for (int32_t n = 0; scree_scene_word_at(field, n) != NULL; ++n) {
        const char* word = scree_scene_word_at(field, n);
        put_comma(out, &begun);
        put_text(out, word);
        if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
            scree_scene_print(out, ",%s", word);
    }
    put(out, "]}");
}

static void put_numbers(scene_out* out, const scene_field* field, int least, int most)
{
    scree_scene_print(out, "{\"type\":\"array\",\"minItems\":%d,\"maxItems\":%d,\"items\":{\"anyOf\":[" FORMULA ",", least, most);
    put_number(out, field, "number");
    put(out, field->form == SCENE_FORM_PAIR ? ",{\"$ref\":\"#/$defs/signal\"}]}}" : "]}}");
}

static void put_map(scene_out* out, const char* map, const char* part, bool changes);

// The map of a key; of a list of maps the list. pairs has the word mix too.
static void put_maps(scene_out* out, const scree_scene_key* key, const char* map, bool changes)
{
    const bool list = key->field->form == SCENE_FORM_ITEMS || strcmp(key->path, "changes.pairs") == 0, mix = strcmp(key->path, "pairs") == 0;
    const scene_list* own = scree_scene_list_of(map);
    put(out, mix ? "{\"const\":\"mix\"}," : "");
    if (list)
        scree_scene_print(out, "{\"type\":\"array\",\"maxItems\":%" PRId32 ",\"items\":{\"anyOf\":[%s", own->most, mix ? "{\"const\":\"mix\"}," : "");
    else if (changes && own != NULL)
        put(out, "{\"type\":\"object\",\"additionalProperties\":");
    put_map(out, map, NULL, changes);
    put(out, list ? "]}}" : changes && own != NULL ? "}" : "");
}

// The schema of a form (forms.c).
static void put_form(scene_out* out, const scree_scene_key* key)
{
    static const scene_field any = {.least = -INFINITY, .most = INFINITY};
    const scene_field* field = key->field;
    for (const char* c = scree_scene_forms[field->form].schema; *c != '\0'; ++c) {
        if (*c != '%') {
            scree_scene_put(out, c, 1);
            continue;
        }
        switch (*++c) {
        case 'N':
            put_number(out, field, "number");
            put(out, field->choice > 0 ? "," : "");
            break;
        case 'I':
            put_number(out, field, "integer");
            break;
        case 'W':
            if (field->form != SCENE_FORM_NUMBER || field->choice > 0)
                put_words(out, field);
            break;
        case 'P':
            put_words(out, scree_scene_row(scree_scene_find("materials.preset"))->field);
            break;
        case 'n':
            put_numbers(out, field, 2, 3);
            break;
        case 's':
            put_numbers(out, field, 1, 64);
            break;
        case 'A':
            put(out, field->turns ? "{\"$ref\":\"#/$defs/formula\"},{\"type\":\"number\"}," : "");
            put_numbers(out, &any, field->turns ? 3 : 2, 3);
            break;
        case 'M':
            put_maps(out, key, key->path, false);
            break;
        case 'B':
            put_maps(out, key, scree_scene_last_name(key->path), true);
            break;
        case 'L':
            scree_scene_print(out, "{\"$ref\":\"#/$defs/%s\"}", field->part);
            break;
        default:
            put_numbers(out, field, *c - '0', *c - '0');
        }
    }
}

// Words of a default are texts, but for true and false.
static void put_default(scene_out* out, const char* text)
{
    for (size_t length; *text != '\0'; text += length) {
        double number;
        length = strspn(text, "[], ");
        scree_scene_put(out, text, length);
        text += length;
        length = strcspn(text, "[], ");
        const bool plain = length == 0 || scree_number_parse(text, text + length, &number) || strncmp(text, "true", 4) == 0 || strncmp(text, "false", 5) == 0;
        put(out, plain ? "" : "\"");
        scree_scene_put(out, text, length);
        put(out, plain ? "" : "\"");
    }
}

static void put_key(scene_out* out, const scree_scene_key* key)
{
    const scene_field* field = key->field;
    put(out, "{\"description\":");
    char meaning[1024];
    snprintf(meaning, sizeof meaning, "%s%s%s%s", key->meaning, *key->unit != '\0' ? " (" : "", key->unit, *key->unit != '\0' ? ")" : "");
    put_text(out, meaning);
    if (*key->standard != '\0') {
        put(out, ",\"default\":");
        put_default(out, key->standard);
    }
    put(out, ",\"anyOf\":[");
    put(out, (scree_scene_forms[field->form].flags & FORM_SCALAR) != 0 ? FORMULA "," : "");
    put(out, field->automatic ? "{\"const\":\"auto\"}," : "");
    put(out, field->signal && !scree_scene_is_load(field->form) && field->form != SCENE_FORM_FORCES ? "{\"$ref\":\"#/$defs/signal\"}," : "");
    put_form(out, key);
    put(out, "]}");
}

// ---- Maps ------------------------------------------------------------------------------------------------------------

// Whether no kind of region has both keys.
static bool are_apart(const char* map, const char* a, const char* b)
{
    const size_t length = strlen(map), own = strlen(".region");
    bool apart = length > own && strcmp(map + length - own, ".region") == 0 && strcmp(map, "bodies.region") != 0;
    for (const scene_region_kind* kind = scree_scene_region_kinds; kind->kind != SCREE_REGION_NONE; ++kind) {
        int both = 0;
        for (int k = 0; k < 5 && kind->keys[k] != NULL; ++k)
            both += strcmp(kind->keys[k], a) == 0 || strcmp(kind->keys[k], b) == 0;
        apart = apart && (both < 2 || (kind->where != NULL && strncmp(map, kind->where, strlen(kind->where)) != 0));
    }
    return apart;
}

// Keys that mean nothing without another one of the same map.
static void put_dependences(scene_out* out, const scree_scene_key* rows, int32_t count, const char* map)
{
    bool begun = false;
    for (int32_t k = 0; k < count; ++k)
        if (rows[k].field->beside != NULL && scree_scene_is_child(rows[k].path, map)) {
            scree_scene_print(out, "%s\"%s\":[\"%s\"]", begun ? "," : ",\"dependentRequired\":{", scree_scene_last_name(rows[k].path), rows[k].field->beside);
            begun = true;
        }
    put(out, begun ? "}" : "");
}

// Two keys of one map that exclude each other. A word in place of a number (damping: restitution) excludes nothing.
static void put_exclusions(scene_out* out, const scree_scene_key* rows, int32_t count, const char* map)
{
    bool begun = false;
    for (int32_t a = 0; a < count; ++a)
        for (int32_t b = 0; b < a; ++b) {
            const scene_field *one = rows[a].field, *other = rows[b].field;
            if (!scree_scene_is_child(rows[a].path, map) || !scree_scene_is_child(rows[b].path, map))
                continue;
            if ((one->group == SCENE_NO_GROUP || one->group != other->group) && !are_apart(map, scree_scene_last_name(rows[a].path), scree_scene_last_name(rows[b].path)))
                continue;
            const scree_scene_key* word = one->choice > 0 && one->group == SCENE_LOSS ? &rows[a] : other->choice > 0 && one->group == SCENE_LOSS ? &rows[b] : NULL;
            put(out, begun ? "," : ",\"allOf\":[");
            begun = true;
            scree_scene_print(out, "{\"not\":{\"required\":[\"%s\",\"%s\"]", scree_scene_last_name(rows[b].path), scree_scene_last_name(rows[a].path));
            if (word != NULL)
                scree_scene_print(out, ",\"properties\":{\"%s\":{\"type\":\"number\"}}", scree_scene_last_name(word->path));
            put(out, "}}");
        }
    put(out, begun ? "]" : "");
}

// The keys of a map of the main table or, with `part`, of a part. `changes`: those that a change can set.
static void put_map(scene_out* out, const char* map, const char* part, bool changes)
{
    int32_t count;
    const scree_scene_key* rows = part != NULL ? scree_scene_part_keys(&count) : scree_scene_keys(&count);
    bool begun = false;
    put(out, "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{");
    for (int32_t k = 0; k < count; ++k)
        if (scree_scene_is_child(rows[k].path, part != NULL ? part : map) && !(changes && rows[k].field->constant != NULL)) {
            put(out, begun ? ",\n" : "\n");
            begun = true;
            put_text(out, scree_scene_last_name(rows[k].path));
            put(out, ":");
            put_key(out, &rows[k]);
        }
    put(out, "}");
    put_exclusions(out, rows, count, part != NULL ? part : map);
    put_dependences(out, rows, count, part != NULL ? part : map);
    put(out, "}");
}

// ---- Conditions ------------------------------------------------------------------------------------------------------

// Which keys a condition is about, and what is said of them.
typedef struct selection {
    scene_condition when;  // keys with it; SCENE_CONDITIONS: not by this
    const char* path;      // this key; NULL: not by this
    const char* then;      // and what is said of it
    unsigned law;          // keys that go with other laws only; 0: not by this
    int dimension;         // keys whose form depends on it; 0: not by this
} selection;

static const char* said_of(const selection* s, const scree_scene_key* key)
{
    const scene_form form = key->field->form;
    const bool flat = s->dimension == 2, vector = form == SCENE_FORM_VECTOR || form == SCENE_FORM_POINT || form == SCENE_FORM_START;
    if (s->path != NULL)
        return strcmp(s->path, key->path) == 0 ? s->then : NULL;
    if (s->dimension == 0)
        return key->field->when == s->when || (s->law != 0 && key->field->laws != 0 && (key->field->laws & s->law) == 0) ? "false" : NULL;
    if (vector)
        return flat ? "{\"maxItems\":2}" : "{\"minItems\":3}";
    if (form == SCENE_FORM_TURN)
        return flat ? "{\"not\":{\"type\":\"array\"}}" : "{\"not\":{\"type\":\"number\"}}";
    return flat && form == SCENE_FORM_AXES ? "{\"items\":{\"enum\":[\"x\",\"y\"]}}" : NULL;
}

static bool is_inside(const scree_scene_key* key, const char* map)
{
    const size_t length = strlen(map);
    return length == 0 || (strncmp(key->path, map, length) == 0 && key->path[length] == '.');
}

// What a map says of the selected keys in it, at any depth. A list of maps: of each entry.
static void put_selected(scene_out* out, const selection* s, const char* map)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    bool begun = false;
    put(out, "\"properties\":{");
    for (int32_t k = 0; k < count; ++k) {
        bool any = false;
        for (int32_t n = k + 1; n < count && said_of(s, &keys[k]) == NULL; ++n)
            any = any || (is_inside(&keys[n], keys[k].path) && said_of(s, &keys[n]) != NULL);
        if (!scree_scene_is_child(keys[k].path, map) || (!any && said_of(s, &keys[k]) == NULL))
            continue;
        put_comma(out, &begun);
        put_text(out, scree_scene_last_name(keys[k].path));
        if (!any) {
            scree_scene_print(out, ":%s", said_of(s, &keys[k]));
            continue;
        }
        const scene_form form = keys[k].field->form;
        put(out, ":{");
        if (form == SCENE_FORM_MAP || form == SCENE_FORM_GROUPS)
            put_selected(out, s, keys[k].path);
        put(out, form == SCENE_FORM_GROUPS ? "," : "");
        put(out, form == SCENE_FORM_NAMED ? "\"patternProperties\":{\"\":{" : form != SCENE_FORM_MAP ? "\"items\":{" : "");
        if (form != SCENE_FORM_MAP)
            put_selected(out, s, keys[k].path);
        put(out, form == SCENE_FORM_NAMED ? "}}}" : form != SCENE_FORM_MAP ? "}}" : "}");
    }
    put(out, "}");
}

// "Where this holds, these keys must not be there", in the map `scope` of the scene or of each entry of it.
static void put_condition(scene_out* out, const char* scope, const char* holds, const selection* s)
{
    put(out, ",\n{");
    for (int items = 0; items < (*scope != '\0' ? 2 : 1); ++items) {
        if (*scope != '\0')
            scree_scene_print(out, "%s", items == 0 ? "\"properties\":{\"" : ",\"items\":{");
        if (*scope != '\0' && items == 0)
            scree_scene_print(out, "%s\":{", scope);
        scree_scene_print(out, "\"if\":%s,\"then\":{", holds);
        put_selected(out, s, scope);
        put(out, "}");
    }
    put(out, *scope != '\0' ? "}}}}" : "}");
}

// A parameter of contacts has no effect where contact has none of a set, and there are no pairs that may.
static void put_beside(scene_out* out, int p, unsigned set)
{
    char key[64], holds[1024];
    if (set == 0)
        return;
    size_t used = (size_t)snprintf(holds, sizeof holds, "{\"not\":{\"anyOf\":[{\"required\":[\"pairs\"]}");
    for (int other = 0; scree_scene_parameter(other) != NULL; ++other)
        if ((set >> other & 1u) != 0)
            used += (size_t)snprintf(holds + used, sizeof holds - used, ",{\"required\":[\"contact\"],\"properties\":{\"contact\":{\"required\":[\"%s\"]}}}", scree_scene_parameter(other));
    snprintf(holds + used, sizeof holds - used, "]}}");
    snprintf(key, sizeof key, "contact.%s", scree_scene_parameter(p));
    put_condition(out, "", holds, &(selection){.when = SCENE_CONDITIONS, .path = key, .then = "false"});
}

static void put_conditions(scene_out* out)
{
    int32_t count;
    const scene_conflict* conflicts = scree_scene_conflicts(&count);
    for (int32_t c = 0; c < SCENE_CONDITIONS; ++c) {
        const scene_rule* rule = scree_scene_rule((scene_condition)c);
        if (rule->unless != NULL)
            put_condition(out, rule->scope, rule->unless, &(selection){.when = (scene_condition)c});
    }
    for (int32_t c = 0; c < count; ++c)
        put_condition(out, "", conflicts[c].unless, &(selection){.when = SCENE_CONDITIONS, .path = conflicts[c].key, .then = conflicts[c].then});
    for (int32_t law = 0; scree_sim_law_name(law) != NULL; ++law) {
        char holds[512];
        snprintf(holds, sizeof holds, law > 0 ? "{\"required\":[\"contact\"],\"properties\":{\"contact\":{\"required\":[\"law\"],\"properties\":{\"law\":{\"const\":\"%s\"}}}}}"
                                              : "{\"not\":{\"required\":[\"contact\"],\"properties\":{\"contact\":{\"required\":[\"law\"],\"properties\":{\"law\":{\"not\":{\"const\":\"%s\"}}}}}}}",
                 scree_sim_law_name(law));
        put_condition(out, "", holds, &(selection){.when = SCENE_CONDITIONS, .law = 1u << law});
    }
    for (int p = 0; scree_scene_parameter(p) != NULL; ++p)
        for (int set = 0; set < 2; ++set)
            put_beside(out, p, scree_scene_parameter_beside(p, set));
    put_condition(out, "", "{\"required\":[\"dimension\"],\"properties\":{\"dimension\":{\"const\":2}}}", &(selection){.when = SCENE_CONDITIONS, .dimension = 2});
    put_condition(out, "", "{\"properties\":{\"dimension\":{\"const\":3}}}", &(selection){.when = SCENE_CONDITIONS, .dimension = 3});
}

// ---- The whole -------------------------------------------------------------------------------------------------------

static void put_schema(scene_out* out)
{
    static const char* const parts[] = {"signal", "oscillate", "servo", "drag", "wall", "motion"};
    scree_scene_print(out, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"scene files of scree %s\",\"$defs\":{\n", scree_version());
    put(out, "\"formula\":{\"type\":\"string\",\"pattern\":\"[$][(]\"},\n"
             "\"name\":{\"anyOf\":[{\"type\":\"string\",\"pattern\":\"^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$\"},{\"type\":\"integer\",\"minimum\":0},{\"type\":\"boolean\"}]},\n"
             "\"length\":{\"anyOf\":[{\"const\":0},{\"minimum\":1e-140,\"maximum\":1e140},{\"minimum\":-1e140,\"maximum\":-1e-140}]},\n\"group\":");
    put_map(out, "spheres", NULL, false);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p) {
        scree_scene_print(out, ",\n\"%s\":", parts[p]);
        put_map(out, "", parts[p], false);
    }
    put(out, "},\n\"allOf\":[\n");
    put_map(out, "", NULL, false);
    put(out, ",\n{\"if\":{\"not\":{\"required\":[\"include\"]}},\"then\":{\"allOf\":[\n{}");
    put_conditions(out);
    put(out, "]}}]}\n");
}

scree_status scree_write_scene_schema(const char* path)
{
    SCREE_NEED(path);
    scene_out out = {.bytes = NULL};
    scree_output output;
    put_schema(&out);
    scree_status status = out.status == SCREE_OK ? scree_output_open(&output, path, scree_get_watch()) : out.status;
    if (status == SCREE_OK) {
        scree_output_bytes(&output, out.bytes, (size_t)out.length);
        status = scree_output_close(&output, output.status);
    }
    scree_free(out.bytes);
    return status;
}
