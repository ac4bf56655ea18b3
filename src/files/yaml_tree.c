// From bytes to a tree, by the events of libyaml. The tree is one array of nodes and one of text, so that it is freed at once and
// nothing recurses; libyaml's own document does not distinguish aliases from their targets, and has no limit on depth.
//
// Only the basic part of YAML is accepted: maps, lists, scalars, comments. Anchors, aliases, merges and tags are rejected, because a
// scene does not need them and they make the text mean something else than it shows.
//
// libyaml reads UTF-16 as well and counts three characters as line ends that no editor takes for such, so the bytes
// are checked first: UTF-8, no control characters. Lines and columns then agree with editors.
#include "files/yaml_tree.h"

#include "base/array.h"
#include "base/text.h"
#include "files/csv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

scree_status scree_scene_fail(const scene_tree* tree, const scene_node* node, const char* format, ...)
{
    char text[1536];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char* source = scree_scene_source(tree, node);
    if (node->line == 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: %s", source, text);
    return scree_fail(SCREE_ERR_FORMAT, "%s:%" PRId32 ":%" PRId32 ": %s", source, node->line, node->column, text);
}

const char* scree_scene_where(const scene_tree* tree, const scene_node* node, char text[128])
{
    if (node->source == 0)
        snprintf(text, 128, "line %" PRId32, node->line);
    else if (node->line == 0)
        snprintf(text, 128, "%s", scree_scene_source(tree, node));
    else
        snprintf(text, 128, "%.100s:%" PRId32, scree_scene_source(tree, node), node->line);
    return text;
}

static scree_status fail_at(const scene_tree* tree, yaml_mark_t mark, const char* what)
{
    scene_node place = {.line = (int32_t)mark.line + 1, .column = (int32_t)mark.column + 1};
    return scree_scene_fail(tree, &place, "%s", what);
}

// ---- Bytes -------------------------------------------------------------------------------------------------------

bool scree_scene_plain(const char* text, size_t length, bool lines, size_t* at, const char** what)
{
    for (size_t k = 0, step; k < length; k += step) {
        uint32_t code = 0;
        step = scree_utf8(text + k, length - k, &code);
        bool end = code == '\n' || code == '\r' || code == '\t';
        bool control = code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x2028 || code == 0x2029 ||
                       code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
        if (step > 0 && (!control || (end && lines)))
            continue;
        *at = k;
        *what = step == 0   ? "this is not UTF-8"
                : code == 0 ? "a NUL byte: this is not plain text (UTF-16 would have to be saved as UTF-8 first)"
                            : "a control character: this is not plain text";
        return false;
    }
    return true;
}

// Where byte `at` is, as libyaml would count.
static yaml_mark_t mark_of(const char* text, size_t at)
{
    yaml_mark_t mark = {0};
    for (size_t k = 0; k < at; ++k) {
        bool end = text[k] == '\n' || (text[k] == '\r' && !(k + 1 < at && text[k + 1] == '\n'));
        if (end) {
            ++mark.line;
            mark.column = 0;
        } else if (text[k] != '\r') {
            mark.column += ((unsigned char)text[k] & 0xC0) != 0x80;
        }
    }
    return mark;
}

// ---- Nodes -------------------------------------------------------------------------------------------------------

typedef struct builder {
    scene_tree tree;
    const char* bytes;  // of the file
    size_t length;
    yaml_mark_t end;  // where they end
    int64_t open[SCENE_DEPTH_MAX];  // the lists and maps that are not closed yet
    int64_t last[SCENE_DEPTH_MAX];  // in each of them, the newest entry; -1: none
    int depth;
} builder;

// Adds a node to what is open.
static scree_status add(builder* b, scene_node_kind kind, yaml_mark_t mark)
{
    scene_tree* tree = &b->tree;
    if (mark.line > b->end.line)  // libyaml closes an unfinished last line
        mark = b->end;
    scene_node* parent = b->depth > 0 ? &tree->nodes[b->open[b->depth - 1]] : NULL;
    if (kind != SCENE_SCALAR && parent != NULL && parent->kind == SCENE_MAP && parent->count % 2 == 0)
        return fail_at(tree, mark, kind == SCENE_LIST ? "expected a key, which is a word, got a list"
                                                      : "expected a key, which is a word, got a map");
    scree_status status = SCREE_RESERVE(tree->nodes, tree->capacity, tree->count + 1);
    if (status != SCREE_OK)
        return status;
    int64_t n = tree->count++;
    tree->nodes[n] = (scene_node){.kind = kind,
                                  .line = (int32_t)mark.line + 1,
                                  .column = (int32_t)mark.column + 1,
                                  .first = -1,
                                  .next = -1};
    if (b->depth > 0) {
        int64_t* last = &b->last[b->depth - 1];
        parent = &tree->nodes[b->open[b->depth - 1]];
        if (*last < 0)
            parent->first = (int32_t)n;
        else
            tree->nodes[*last].next = (int32_t)n;
        *last = n;
        ++parent->count;
    }
    if (kind == SCENE_SCALAR)
        return SCREE_OK;
    if (b->depth == SCENE_DEPTH_MAX)
        return fail_at(tree, mark, "lists and maps are nested too deeply here; expected at most 5 levels");
    b->open[b->depth] = n;
    b->last[b->depth++] = -1;
    return SCREE_OK;
}

static scree_status add_scalar(builder* b, const yaml_event_t* event)
{
    scene_tree* tree = &b->tree;
    int64_t length = (int64_t)event->data.scalar.length;
    scree_status status = SCREE_RESERVE(tree->text, tree->text_capacity, tree->text_length + length + 1);
    if (status == SCREE_OK)
        status = add(b, SCENE_SCALAR, event->start_mark);
    if (status != SCREE_OK)
        return status;
    scene_node* node = &tree->nodes[tree->count - 1];
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = tree->text_length;
    node->length = length;
    memcpy(tree->text + node->text, event->data.scalar.value, (size_t)length);
    tree->text_length += length;
    tree->text[tree->text_length++] = '\0';
    return SCREE_OK;
}

static scree_status reject(const scene_tree* tree, yaml_mark_t mark, const char* what, const yaml_char_t* name)
{
    char shown[SCREE_SHOWN], text[256];
    scree_csv_shown(shown, (const char*)name, (int64_t)strlen((const char*)name));
    snprintf(text, sizeof text, "%s%s; write the value itself (scenes have no anchors, aliases and tags)", what, shown);
    return fail_at(tree, mark, text);
}

static scree_status reject_names(const scene_tree* tree, yaml_mark_t mark, const yaml_char_t* anchor, const yaml_char_t* tag)
{
    if (anchor != NULL)
        return reject(tree, mark, "an anchor, &", anchor);
    if (tag != NULL)
        return reject(tree, mark, "a tag, ", tag);
    return SCREE_OK;
}

static scree_status take(builder* b, const yaml_event_t* event)
{
    const scene_tree* tree = &b->tree;
    scree_status status;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return tree->count == 0 ? SCREE_OK : fail_at(tree, event->start_mark, "a second document begins; expected one");
    case YAML_ALIAS_EVENT:
        return reject(tree, event->start_mark, "an alias, *", event->data.alias.anchor);
    case YAML_SCALAR_EVENT:
        status = reject_names(tree, event->start_mark, event->data.scalar.anchor, event->data.scalar.tag);
        return status == SCREE_OK ? add_scalar(b, event) : status;
    case YAML_SEQUENCE_START_EVENT:
        status = reject_names(tree, event->start_mark, event->data.sequence_start.anchor, event->data.sequence_start.tag);
        return status == SCREE_OK ? add(b, SCENE_LIST, event->start_mark) : status;
    case YAML_MAPPING_START_EVENT:
        status = reject_names(tree, event->start_mark, event->data.mapping_start.anchor, event->data.mapping_start.tag);
        return status == SCREE_OK ? add(b, SCENE_MAP, event->start_mark) : status;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        --b->depth;
        return SCREE_OK;
    default:
        return SCREE_OK;
    }
}

// ---- The whole ---------------------------------------------------------------------------------------------------

// Whether the line is indented with a tab.
static bool is_tab(const builder* b, yaml_mark_t mark)
{
    const char *at = b->bytes, *end = b->bytes + b->length;
    for (size_t line = 0; at < end && line < mark.line; ++at)
        line += *at == '\n';
    while (at < end && *at == ' ')
        ++at;
    return at < end && *at == '\t';
}

static scree_status explain(const builder* b, const yaml_parser_t* parser)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return scree_fail(SCREE_ERR_MEMORY, "%s: out of memory while the YAML is read", b->tree.name);
    // libyaml closes an unfinished last line, and may report the line after it.
    yaml_mark_t mark = parser->problem_mark.line > b->end.line ? b->end : parser->problem_mark;
    char text[512];
    int used = snprintf(text, sizeof text, "this is not YAML: %s", parser->problem != NULL ? parser->problem : "cannot read");
    if (parser->context != NULL)
        used += snprintf(text + used, sizeof text - (size_t)used, " %s", parser->context);
    if (parser->context != NULL && parser->context_mark.line < mark.line)
        used += snprintf(text + used, sizeof text - (size_t)used, " that begins in line %zu", parser->context_mark.line + 1);
    if (is_tab(b, mark))
        snprintf(text + used, sizeof text - (size_t)used, ": there is a tab, and YAML is indented with blanks");
    return fail_at(&b->tree, mark, text);
}

static scree_status read_events(builder* b, yaml_parser_t* parser)
{
    for (bool ended = false; !ended;) {
        yaml_event_t event;
        if (yaml_parser_parse(parser, &event) == 0)
            return explain(b, parser);
        ended = event.type == YAML_STREAM_END_EVENT;
        scree_status status = take(b, &event);
        yaml_event_delete(&event);
        if (status != SCREE_OK)
            return status;
    }
    const scene_tree* tree = &b->tree;
    if (tree->count == 0 || (tree->nodes[0].kind == SCENE_SCALAR && tree->nodes[0].length == 0 && !tree->nodes[0].quoted))
        return fail_at(tree, (yaml_mark_t){0}, "the file has only comments; expected a scene");
    return SCREE_OK;
}

static scree_status parse_bytes(builder* b)
{
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0)
        return scree_fail(SCREE_ERR_MEMORY, "%s: out of memory while the YAML is read", b->tree.name);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char*)b->bytes, b->length);
    scree_status status = read_events(b, &parser);
    yaml_parser_delete(&parser);
    return status;
}

scree_status scree_scene_tree_read(const char* name, const char* text, size_t length, scene_tree* out)
{
    builder b = {.tree = {.name = name}};
    if (length > SCENE_BYTES_MAX)
        return scree_fail(SCREE_ERR_FORMAT, "%s:1:1: the file is too long for a scene; expected at most %zu bytes", name, SCENE_BYTES_MAX);
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        length -= 3;
    }
    size_t at;
    const char* what;
    if (!scree_scene_plain(text, length, true, &at, &what))
        return fail_at(&b.tree, mark_of(text, at), what);
    b.bytes = length > 0 ? text : "";
    b.length = length;
    b.end = mark_of(b.bytes, length);
    scree_status status = parse_bytes(&b);
    if (status == SCREE_OK)
        *out = b.tree;
    else
        scree_scene_tree_free(&b.tree);
    return status;
}

void scree_scene_tree_free(scene_tree* tree)
{
    scree_free(tree->nodes);
    scree_free(tree->text);
    *tree = (scene_tree){0};
}
