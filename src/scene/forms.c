// What each form of a key expects, in words and as JSON Schema. Words: %d the dimension, %r the range of the key, %k its kind, %a " or auto" where that is allowed, %c the words in place of a
// number, %x the axes, %m the word of pairs. Schemas (schema.c): %N a number in the range, %I a whole one, %W the words, %n numbers of every axis, %3 %2 %4 %s three, two, four or many numbers,
// %M the map of the key, %P the words of presets, %L the part, %A any numbers of every axis, %B the map of a change.
#include "scene/scene_inner.h"

#define NAME "{\"$ref\":\"#/$defs/name\"}"
#define FORMULA "{\"$ref\":\"#/$defs/formula\"}"
#define SIGNAL "{\"$ref\":\"#/$defs/signal\"}"
#define TEXT "{\"type\":[\"string\",\"number\",\"boolean\"],\"not\":{\"const\":\"\"}}"
#define ARRAY(of) "{\"type\":\"array\",\"items\":" of "}"
#define BY_NAME(of) "{\"type\":\"object\",\"propertyNames\":" NAME ",\"additionalProperties\":{\"anyOf\":[" of "]}}"
#define ROWS "{\"anyOf\":[" TEXT ",{\"type\":\"array\",\"minItems\":1,\"maxItems\":20000,\"items\":{\"type\":\"array\",\"minItems\":2,\"maxItems\":4,\"items\":{\"type\":[\"number\",\"string\"]}}}]}"
#define LIMIT FORMULA ",{\"type\":\"number\"}"
#define CONDITION                                                                                                                                        \
    "{\"type\":\"object\",\"minProperties\":1,\"maxProperties\":32,\"properties\":{\"every_steps\":{\"anyOf\":[" FORMULA ",{\"type\":\"integer\",\"minimum\":1}]}},"   \
    "\"additionalProperties\":{\"anyOf\":[" LIMIT ",{\"type\":\"object\",\"properties\":{\"above\":{\"anyOf\":[" LIMIT "]}},\"required\":[\"above\"],\"additionalProperties\":false}]}}"
#define SECONDS "{\"type\":\"string\",\"pattern\":\"^[+]?(?=[0-9.]*[1-9])([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?s$\"}"

const scene_form_row scree_scene_forms[] = {
    [SCENE_FORM_MAP] = {"a map of keys", "a map of keys", 0, "%M"},
    [SCENE_FORM_ITEMS] = {"a list of maps%m", "a map of keys%m", 0, "%M"},
    [SCENE_FORM_GROUPS] = {"a map of keys, or a list of maps,", "a map of keys", 0, "{\"$ref\":\"#/$defs/group\"},{\"type\":\"array\",\"maxItems\":4096,\"items\":{\"$ref\":\"#/$defs/group\"}}"},
    [SCENE_FORM_NAMED] = {"a map of names (of letters, digits, _ and -) with a map of keys for each", "a map of keys, or the name of a preset", 0, BY_NAME("%P,%M")},
    [SCENE_FORM_NUMBER] = {"a number%a%c", "a number%a%c", FORM_NUMERIC | FORM_RANGED | FORM_SCALAR, "%N%W"},
    [SCENE_FORM_INT32] = {"a whole number%a", "a whole number", FORM_NUMERIC | FORM_RANGED | FORM_SCALAR, "%I"},
    [SCENE_FORM_INT64] = {"a whole number%a", "a whole number", FORM_NUMERIC | FORM_RANGED | FORM_SCALAR, "%I"},
    [SCENE_FORM_WORD] = {"%r", "%r", FORM_SCALAR, "%W"},
    [SCENE_FORM_FLAG] = {"true or false", "true or false", 0, "{\"type\":\"boolean\"}"},
    [SCENE_FORM_TEXT] = {"a text", "a text", 0, TEXT},
    [SCENE_FORM_VECTOR] = {"a list of %d numbers%a", "a number", FORM_NUMERIC | FORM_RANGED, "%n"},
    [SCENE_FORM_TURN] = {"a list of %d numbers%a", "a number", FORM_NUMERIC | FORM_RANGED | FORM_SCALAR, "%N,%3"},
    [SCENE_FORM_PAIR] = {"a list of 2 numbers%a", "a number", FORM_NUMERIC | FORM_RANGED, "%2"},
    [SCENE_FORM_AXES] = {"a list of axes, like [x, y] or [],", "an axis (%x)", 0, "{\"type\":\"array\",\"uniqueItems\":true,\"items\":%W}"},
    [SCENE_FORM_FORMATS] = {"a list of %r", "%r", 0, "{\"type\":\"array\",\"uniqueItems\":true,\"items\":%W}"},
    [SCENE_FORM_SIZES] = {"a list of numbers%a", "a number", FORM_NUMERIC | FORM_RANGED, "%s"},
    [SCENE_FORM_START] = {"%r, or a list of %d numbers", "a number", FORM_NUMERIC | FORM_RANGED_ENTRY, "%W,%n"},
    [SCENE_FORM_PERIOD] = {"a time like 60s, or a number of steps (1 or more)", "a number", FORM_NUMERIC | FORM_SCALAR, SECONDS ",{\"type\":\"integer\",\"minimum\":1,\"maximum\":1e15}"},
    [SCENE_FORM_POINTS] = {"a list of points, like [[0, 0], [1, 0], [0, 1.5]],", "a point, like [0, 1.5],", FORM_NUMERIC, "{\"type\":\"array\",\"minItems\":1,\"items\":%2}"},
    [SCENE_FORM_REGION] = {"a list of four numbers, [x, y, x, y] of the lower and the upper corner,", "a number", FORM_NUMERIC | FORM_RANGED_ENTRY, "%4"},
    [SCENE_FORM_POINT] = {"a list of %d numbers%a", "a number", FORM_NUMERIC | FORM_RANGED, "%n"},
    [SCENE_FORM_GROUP] = {"the name of an entry of spheres", "the name of an entry of spheres", FORM_NUMERIC, NAME},
    [SCENE_FORM_NAME] = {"a name of up to 64 letters, digits, _ and -", "a name", 0, NAME},
    [SCENE_FORM_MATERIAL] = {"the name of one of the materials", "the name of one of the materials", 0, NAME},
    [SCENE_FORM_BETWEEN] = {"a list of the names of two materials", "the name of a material", FORM_NUMERIC, "{\"type\":\"array\",\"minItems\":2,\"maxItems\":2,\"items\":" NAME "}"},
    [SCENE_FORM_FORCES] = {"a map of names of spheres with a list of %d numbers for each", "a number", FORM_NUMERIC | FORM_RANGED_ENTRY, BY_NAME(SIGNAL ",%A")},
    [SCENE_FORM_PART] = {"a %k", "a %k", FORM_NUMERIC, "%L"},
    [SCENE_FORM_PARTS] = {"a %k", "a %k", FORM_NUMERIC, "{\"type\":\"object\",\"additionalProperties\":%L}"},
    [SCENE_FORM_SIGNAL] = {"a %k", "a %k", FORM_NUMERIC | FORM_RANGED | FORM_SCALAR, SIGNAL ",%N"},
    [SCENE_FORM_ROWS] = {"a %k", "a %k", FORM_NUMERIC, ROWS},
    [SCENE_FORM_BY_GROUP] = {"a %k", "a %k", FORM_NUMERIC, BY_NAME(SIGNAL ",%A")},
    [SCENE_FORM_GROUP_LIST] = {"a %k", "a %k", FORM_NUMERIC, ARRAY(NAME)},
    [SCENE_FORM_VALUE] = {"a %k", "a %k", FORM_NUMERIC | FORM_SCALAR, "%N,%n"},
    [SCENE_FORM_RAMP] = {"a %k", "a %k", FORM_NUMERIC, "{\"type\":\"array\",\"minItems\":2,\"maxItems\":2,\"items\":{\"anyOf\":[{\"type\":[\"number\",\"string\"]},%n]}}"},
    [SCENE_FORM_INCLUDE] = {"a %k", "a %k", 0, TEXT ",{\"type\":\"array\",\"maxItems\":64,\"items\":" TEXT "}"},
    [SCENE_FORM_PARAMETERS] = {"a %k", "a %k", 0, "{\"type\":\"object\",\"maxProperties\":1000,\"propertyNames\":{\"pattern\":\"^[A-Za-z_][A-Za-z0-9_]*$\"},\"additionalProperties\":{\"anyOf\":[{\"type\":\"number\"}," FORMULA "]}}"},
    [SCENE_FORM_CONDITION] = {"a map of quantities of the log, like {kinetic_over_contact: 1e-4}", "a number, or {above: 5}", FORM_NUMERIC, CONDITION},
    [SCENE_FORM_MERGED] = {"a %k", "a %k", FORM_NUMERIC, "%B"},
};
