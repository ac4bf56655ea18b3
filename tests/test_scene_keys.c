// The table of keys does what it says and what the manual says.
#include "scene_support.h"

// ---- The table ---------------------------------------------------------------------------------------------------

static void test_table(void** state)
{
    (void)state;
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k) {
        assert_true(strlen(scree_scene_last_name(keys[k].path)) < 64);
        for (int32_t b = 0; b < k; ++b)
            assert_string_not_equal(keys[k].path, keys[b].path);
        const char* dot = strrchr(keys[k].path, '.');
        bool inside = dot == NULL;
        for (int32_t b = 0; b < k && !inside; ++b)  // behind its map
            inside = (keys[b].field->form == SCENE_FORM_MAP || keys[b].field->form == SCENE_FORM_ITEMS || keys[b].field->form == SCENE_FORM_GROUPS ||
                      keys[b].field->form == SCENE_FORM_NAMED) &&
                     scree_scene_is_child(keys[k].path, keys[b].path);
        assert_true(inside);
        if (keys[k].field->form != SCENE_FORM_WORD && keys[k].field->form != SCENE_FORM_FORMATS)
            continue;
        char words[256] = "";
        for (int32_t n = 0; scree_scene_word_at(keys[k].field, n) != NULL; ++n)
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s",
                     n == 0                                  ? ""
                     : scree_scene_word_at(keys[k].field, n + 1) == NULL ? " or "
                                                             : ", ",
                     scree_scene_word_at(keys[k].field, n));
        assert_string_equal(keys[k].range, words);
    }
}

// The same for a key of an entry of `bodies`.
static scree_status try_body_key(const char* name, const char* value)
{
    static const char* const beside_it[][2] = {{"thickness", "wall: [[0, 0], [1, 0]]"},
                                               {"vertices", "shape: regular, sizes: 'mono:1', at: [[0, 0]]"},
                                               {"roughness", "shape: star, sizes: 'mono:1', at: [[0, 0]]"},
                                               {"count", "shape: disc, sizes: 'mono:1', place: lattice"},
                                               {"", "points: [[0, 0], [1, 0], [0, 1]]"}};
    int row = 0;
    while (*beside_it[row][0] != '\0' && strcmp(beside_it[row][0], name) != 0)
        ++row;
    char text[1024];
    snprintf(text, sizeof text, "dimension: 2\nbox: {size: [1, 1]}\n" CONTACT TIME "bodies: [{%s: %s, %s}]\n", name, value, beside_it[row][1]);
    scree_scene scene;
    scree_status status = parse(text, &scene);
    if (status == SCREE_OK)
        scene_free(&scene);
    return status;
}

// What `contact` needs beside a key of contact or of pairs: a law that it goes with, and what that law needs. `own`: the name of a key of contact; else "".
static const char* contact_beside(const char* path, const char* own, bool materials)
{
    static char text[256];
    const scree_scene_key* key = &scree_scene_keys(&(int32_t){0})[scree_scene_find(path)];
    int32_t law = 0;
    while (key->field->laws != 0 && (key->field->laws >> law & 1u) == 0)
        ++law;
    bool curved = law >= 2 && law <= 4, hard = strcmp(own, "stiffness") == 0 || strcmp(own, "duration") == 0 || strcmp(own, "overlap") == 0 || strcmp(own, "k1") == 0;
    snprintf(text, sizeof text, ", law: %s%s%s%s", scree_sim_law_name(law), curved || hard ? "" : law == 5 ? ", k1: 1" : ", stiffness: 1",
             curved || strcmp(own, "overlap") == 0 ? ", speed: 1" : "", curved && !materials ? ", young: 1, poisson: 0" : "");
    static const char* const uses[][2] = {{"friction_dynamic", ", friction: 1"}, {"tangential_stiffness", ", friction: 1"}, {"tangential_damping", ", friction: 1, damping: 1"},
                                          {"rolling_stiffness", ", rolling_friction: 1"}, {"rolling_damping", ", rolling_friction: 1, damping: 1"},
                                          {"twisting_stiffness", ", twisting_friction: 1"}, {"twisting_damping", ", twisting_friction: 1, damping: 1"},
                                          {"bridge_volume", ", surface_tension: 1"}, {"surface_tension", ", bridge_volume: 1"},
                                          {"wetting_angle", ", surface_tension: 1, bridge_volume: 1"}, {"plastic_depth", ", k2: 2"}};
    for (size_t k = 0; k < sizeof uses / sizeof *uses; ++k)
        if (strcmp(scree_scene_last_name(path), uses[k][0]) == 0)
            strcat(text, uses[k][1]);
    if (strcmp(own, "speed") == 0)
        strcpy(text, ", overlap: 0.1");
    if (strcmp(own, "law") == 0)
        strcpy(text, ", stiffness: 1");
    if (strcmp(own, "young") == 0 || strcmp(own, "poisson") == 0)
        snprintf(text, sizeof text, ", law: hertz, speed: 1, %s: 0.1", strcmp(own, "young") == 0 ? "poisson" : "young");
    return text;
}

// A scene with one key of a table set to `value`, all that it needs, and nothing that excludes it.
static scree_status try_key(const char* path, const char* value)
{
    char text[1024], line[256];
    bool in_spheres = strncmp(path, "spheres.", 8) == 0;
    const char* name = scree_scene_last_name(path);
    const char* dot = strchr(path, '.');
    if (strncmp(path, "bodies.", 7) == 0)
        return try_body_key(name, value);
    if (strncmp(path, "materials.", 10) == 0) {
        bool elastic = strcmp(name, "young") == 0 || strcmp(name, "poisson") == 0;
        snprintf(text, sizeof text, "materials: {a: {%s: %s%s%s}}\ncontact: {%s}\n" TIME BOX "spheres: {file: a, material: a}\n", name, value,
                 strcmp(name, "material_density") == 0 ? "" : ", material_density: 1", !elastic ? "" : *name == 'y' ? ", poisson: 0" : ", young: 1",
                 elastic ? "law: hertz, speed: 1" : "stiffness: 1");
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    if (strncmp(path, "pairs.", 6) == 0) {
        const char* contact = contact_beside(path, "", true);
        bool curved = strstr(contact, "speed") != NULL;
        snprintf(text, sizeof text, "pairs: [{between: [a, a], %s: %s}]\nmaterials: {a: {material_density: 1%s}}\ncontact: {%s}\n" TIME BOX
                 "spheres: {file: a, material: a}\n", name, value, curved ? ", young: 1, poisson: 0" : "", contact + 2);
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    const char* region = strstr(path, ".region.");
    if (strncmp(path, "insert.", 7) == 0 || strncmp(path, "outlets.", 8) == 0 || region != NULL) {
        bool insert = *path == 'i';
        char place[256] = "lower: [0, 0, 0], upper: [1, 1, 1]";
        if (region != NULL)
            snprintf(place, sizeof place, "%s, %s: %s", strcmp(name, "scale") == 0 ? "mesh: a.stl" : "from: [0, 0, 0], to: [0, 0, 1]", name, value);
        bool counted = !insert || (region == NULL && (strcmp(name, "count") == 0 || strstr(name, "rate") != NULL));
        if (in_spheres)
            snprintf(text, sizeof text, "spheres: {count: 1, sizes: 'mono:1', place: random, region: {%s}}\n" CONTACT TIME BOX, place);
        else
            snprintf(text, sizeof text, "%.*s: [{region: {%s}%s%s%s%s%s}]\n" CONTACT TIME BOX MADE, (int)(dot - path), path, place, counted ? "" : ", count: 1", region != NULL ? "" : ", ",
                     region != NULL ? "" : name, region != NULL ? "" : ": ", region != NULL ? "" : value);
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    if (strncmp(path, "bonds.", 6) == 0) {
        snprintf(text, sizeof text, "bonds: [{%s: %s%s%s%s}]\n" CONTACT TIME BOX MADE, name, value, strcmp(name, "young") == 0 ? "" : ", young: 1",
                 strcmp(name, "gap") == 0 || strcmp(name, "file") == 0 ? "" : ", gap: 0", strcmp(name, "friction") == 0 ? ", shear_strength: 1" : "");
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    if (strncmp(path, "surfaces.", 9) == 0) {
        const char *shape = path + 9, *behind = strchr(shape, '.');
        char entry[512];
        if (behind == NULL && strcmp(name, "mesh") != 0)
            snprintf(entry, sizeof entry, "%s: %s%s", name, value,
                     strcmp(name, "scale") == 0 ? ", mesh: a.stl" : ", plane: {normal: [0, 0, 1]}");
        else if (behind == NULL)
            snprintf(entry, sizeof entry, "%s: %s", name, value);
        else
            snprintf(entry, sizeof entry, "%.*s: {%s: %s%s%s%s%s}", (int)(behind - shape), shape, name, value,
                     (strncmp(shape, "plane", 5) == 0 || strncmp(shape, "disc", 4) == 0) && strcmp(name, "normal") != 0 ? ", normal: [0, 0, 1]" : "",
                     shape[0] == 'c' && strcmp(name, "to") != 0 && strcmp(name, "axis") != 0 ? ", to: [0, 0, 1]" : "",
                     strncmp(shape, "plane", 5) != 0 && strncmp(shape, "cone", 4) != 0 && strcmp(name, "radius") != 0 ? ", radius: 1e101" : "",
                     strncmp(shape, "cone", 4) == 0 && strcmp(name, "radius_to") != 0 ? ", radius_to: 1"
                     : strcmp(name, "radius_to") == 0                                 ? ", radius_from: 1"
                                                                                      : "");
        snprintf(text, sizeof text, "surfaces: [{%s}]\n" CONTACT TIME BOX MADE, entry);
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    if (strcmp(path, "contact.rule") == 0 || strcmp(path, "contact.rounding") == 0) {
        snprintf(text, sizeof text, "dimension: 2\nbodies: [{shape: disc, sizes: 'mono:1', at: [[1, 1]]}]\ncontact: {stiffness: 1, %s: %s}\n" TIME "box: {size: [4, 4]}\n", name, value);
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    bool change = strncmp(path, "changes.cell.", 13) == 0, tilt = strncmp(path, "box.tilt.", 9) == 0;
    if (change || tilt || strncmp(path, "cell.", 5) == 0) {
        const char *own = path + (change ? 13 : 5), *inner = strchr(own, '.');
        char cell[128];
        bool stress = strncmp(own, "stress.", 7) == 0;
        if (inner != NULL)
            snprintf(cell, sizeof cell, "%.*s: {%s: %s%s%s}", (int)(inner - own), own, inner + 1, value, !stress || strcmp(inner, ".rate") == 0 ? "" : ", rate: 1",
                     stress && (strcmp(inner, ".rate") == 0 || strcmp(inner, ".response") == 0) ? ", pressure: 1" : "");
        else
            snprintf(cell, sizeof cell, "%s: %s%s", own, value, strcmp(own, "shear") == 0 ? "" : ", shear: 0");
        if (tilt)
            snprintf(text, sizeof text, CONTACT TIME MADE "box: {size: [1, 1, 1], periodic: [x, y, z], tilt: {%s: %s}}\n", name, value);
        else
            snprintf(text, sizeof text, change ? "changes: [{at: 1, cell: {%s}}]\n" CONTACT TIME BOX MADE : "cell: {%s}\n" CONTACT TIME BOX MADE, cell);
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    if (dot == NULL)
        snprintf(line, sizeof line, "%s: %s", path, value);
    else if (strncmp(path, "changes.walls.", 14) == 0)
        snprintf(line, sizeof line, "changes: [{at: 1, walls: {%s: %s}}]", name, value);
    else if (strcmp(path, "changes.at") == 0)
        snprintf(line, sizeof line, "changes: [{at: %s, walls: {}}]", value);
    else if (strncmp(path, "changes.", 8) == 0)
        snprintf(line, sizeof line, "changes: [{at: 1, %s: %s}]", name, value);
    else
        snprintf(line, sizeof line, "%.*s: {%s: %s", (int)(dot - path), path, name, value);
    bool map = dot != NULL && strncmp(path, "changes.", 8) != 0;
    bool is_contact = strncmp(path, "contact.", 8) == 0, is_time = strncmp(path, "time.", 5) == 0, is_box = strncmp(path, "box.", 4) == 0;
    char further[128] = "";
    if (is_contact)
        snprintf(further, sizeof further, "%s", contact_beside(path, name, false));
    else if (strcmp(path, "time.step") == 0 || strcmp(path, "time.integrator") == 0)
        strcpy(further, ", steps: 1");
    else if (is_box && strcmp(name, "size") != 0 && strcmp(name, "aspect") != 0)
        strcpy(further, ", size: [1, 1, 1]");
    else if (strcmp(path, "search.cell_size") == 0 || strcmp(path, "search.cell_sides") == 0)
        strcpy(further, ", method: linked-cells");
    else if (strcmp(name, "verlet_radius") == 0 || strcmp(name, "rebuild_every") == 0)
        strcpy(further, ", method: verlet-list");
    else if (strcmp(name, "loose_factor") == 0)
        strcpy(further, ", method: loose-octree");
    else if (strncmp(path, "search.", 7) == 0 && strcmp(name, "method") != 0 && strcmp(name, "skin") != 0)
        strcpy(further, ", method: hierarchical-grid");
    bool started = strncmp(path, "start.", 6) == 0;
    if (started && strcmp(name, "run") != 0)
        strcpy(further, ", run: a");
    if (in_spheres && strcmp(name, "file") != 0) {
        static const char* const others[] = {"count: 1", "sizes: 'mono:1'", "place: lattice"};
        for (int n = 0; n < 3; ++n)
            if (strncmp(others[n], name, strlen(name)) != 0)
                snprintf(further + strlen(further), sizeof further - strlen(further), ", %s", others[n]);
        if (strcmp(name, "temperature") == 0 || strcmp(name, "overlap") == 0)
            strcat(further, ", velocity: thermal");
    }
    bool turned = strcmp(path, "spheres.spin") == 0;
    bool filled = strcmp(path, "spheres.density") == 0 || strcmp(path, "box.aspect") == 0;
    snprintf(text, sizeof text, "%s%s%s\n%s%s%s%s", line, further, map ? "}" : "", is_contact ? "" : turned ? "contact: {stiffness: 1, friction: 0.5}\n" : CONTACT, is_time ? "" : TIME,
             is_box || filled ? "" : strcmp(path, "dimension") == 0 && value[0] == '2' ? "box: {size: [1, 1]}\n" : BOX,
             strcmp(path, "spheres.count") == 0 ? "insert: [{count: 1, region: {lower: [0, 0, 0], upper: [1, 1, 1]}}]\n" : in_spheres || started ? "" : filled ? "spheres: {count: 1, sizes: 'mono:1', place: random, density: 0.5}\n" : MADE);
    scree_scene scene;
    scree_status status = parse(text, &scene);
    if (status == SCREE_OK)
        scene_free(&scene);
    return status;
}

static void check_tried(const char* path, const char* value, bool allowed)
{
    scree_status status = try_key(path, value);
    if (status != (allowed ? SCREE_OK : SCREE_ERR_FORMAT))
        fail_msg("%s: %s gives %d: %s", path, value, (int)status, scree_error_message());
    if (!allowed && strstr(scree_error_message(), path) == NULL)
        fail_msg("%s: %s is refused for another reason: %s", path, value, scree_error_message());
}

// One value in the form in which the key wants it.
static const char* formed(const scree_scene_key* key, const char* number)
{
    static char text[512];
    switch (key->field->form) {
    case SCENE_FORM_VECTOR:
    case SCENE_FORM_TURN:
        if (strncmp(key->path, "bodies.", 7) == 0)
            snprintf(text, sizeof text, "[%s, %s]", number, number);
        else
            snprintf(text, sizeof text, "[%s, %s, %s]", number, number, number);
        break;
    case SCENE_FORM_PAIR:
        snprintf(text, sizeof text, "[%s, %s]", number, number);
        break;
    case SCENE_FORM_SIZES:
        snprintf(text, sizeof text, "[%s]", number);
        break;
    default:
        snprintf(text, sizeof text, "%s", number);
    }
    return text;
}

// The reader takes just what the texts of the ranges say: their ends, and what is beyond.
static void test_ranges(void** state)
{
    (void)state;
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k) {
        const scree_scene_key* key = &keys[k];
        scene_form form = key->field->form;
        bool whole = form == SCENE_FORM_INT32 || form == SCENE_FORM_INT64;
        if (!whole && form != SCENE_FORM_NUMBER && form != SCENE_FORM_VECTOR && form != SCENE_FORM_TURN && form != SCENE_FORM_PAIR &&
            form != SCENE_FORM_SIZES)
            continue;
        char above[32], below[32], from[32], to[32];
        const char* at_most = strstr(key->range, "at most ");
        if (strcmp(key->range, "any") == 0) {
            check_tried(key->path, formed(key, "-1e10"), true);
            check_tried(key->path, formed(key, "1e10"), true);
        } else if (strcmp(key->range, "0 to below 1") == 0) {
            check_tried(key->path, formed(key, "0"), true);
            check_tried(key->path, formed(key, "0.9999"), true);
            check_tried(key->path, formed(key, "-1e-100"), false);
            check_tried(key->path, formed(key, "1"), false);
        } else if (strcmp(key->range, "0 or more") == 0) {
            check_tried(key->path, formed(key, "0"), true);
            check_tried(key->path, formed(key, "-1e-100"), false);
        } else if (sscanf(key->range, "above %30[0-9]", above) == 1) {
            char more[64];
            check_tried(key->path, formed(key, above), false);
            snprintf(more, sizeof more, "%s.0000001", above);
            check_tried(key->path, formed(key, more), true);
            if (at_most != NULL) {
                check_tried(key->path, formed(key, at_most + strlen("at most ")), true);
                snprintf(more, sizeof more, "%s.0000001", at_most + strlen("at most "));
                check_tried(key->path, formed(key, more), false);
            } else if (sscanf(key->range, "above 0, below %30[0-9]", below) == 1) {
                check_tried(key->path, formed(key, below), false);
                check_tried(key->path, formed(key, "0.9999999"), true);
            } else {
                check_tried(key->path, formed(key, "1e100"), true);
            }
        } else if (sscanf(key->range, "0 to %30[0-9].%*[0-9]", to) == 1 && strchr(key->range, '.') != NULL) {
            char beyond[32];
            snprintf(beyond, sizeof beyond, "%s1", key->range + strlen("0 to "));
            check_tried(key->path, "0", true);
            check_tried(key->path, key->range + strlen("0 to "), true);
            check_tried(key->path, beyond, false);
            check_tried(key->path, "-1e-100", false);
        } else if (sscanf(key->range, "%30[0-9] to %30[0-9]", from, to) == 2) {
            char beyond[32];
            check_tried(key->path, from, true);
            check_tried(key->path, to, true);
            snprintf(beyond, sizeof beyond, "%" PRId64, (int64_t)strtoll(from, NULL, 10) - 1);
            check_tried(key->path, beyond, false);
            snprintf(beyond, sizeof beyond, "%" PRIu64, (uint64_t)strtoull(to, NULL, 10) + 1);
            check_tried(key->path, beyond, false);
        } else {
            fail_msg("%s: the range '%s' is not understood", key->path, key->range);
        }
        check_tried(key->path, formed(key, "nan"), false);
        check_tried(key->path, formed(key, "inf"), false);
        check_tried(key->path, formed(key, "'1'"), false);
        check_tried(key->path, formed(key, "1x"), false);
        check_tried(key->path, "{a: 1}", false);
        if (key->field->automatic)
            check_tried(key->path, "auto", true);
        else
            check_tried(key->path, "auto", false);
    }
}

// Whether a line is in the map that the key belongs to, or in the whole.
static bool is_in_map(const char* text, const char* path, const char* line)
{
    char map[64];
    const char *dot = strchr(path, '.'), *begin = text, *end = text + strlen(text);
    if (dot != NULL) {
        snprintf(map, sizeof map, "\n%.*s:\n", (int)(dot - path), path);
        begin = strstr(text, map);
        if (begin == NULL)
            return false;
        begin += strlen(map);
        for (end = begin; *end == ' '; end = strchr(end, '\n') + 1) {
        }
    }
    const char* found = strstr(begin, line);
    return found != NULL && found < end;
}

// A key that says its default says nothing.
static void test_defaults(void** state)
{
    (void)state;
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    scree_scene scene;
    CHECK_OK(parse(REST, &scene));
    char* text;
    int64_t length;
    CHECK_OK(scree_scene_text_of(&scene, true, &text, &length));
    for (int32_t k = 0; k < count; ++k) {
        if (*keys[k].standard == '\0')
            continue;
        check_tried(keys[k].path, keys[k].standard, true);
        char wanted[128];
        snprintf(wanted, sizeof wanted, "%s: %s\n", scree_scene_last_name(keys[k].path), keys[k].standard);
        bool there = !keys[k].field->quiet && scree_scene_holds(&scene, NULL, keys[k].field->when);
        if (is_in_map(text, keys[k].path, wanted) != there)
            fail_msg("'%s' is %swritten in\n%s", wanted, there ? "not " : "", text);
    }
    scree_free(text);
    scene_free(&scene);
}

// Behind the last row of these keys in the manual.
static const char* find_rows(const char* at, const scree_scene_key* keys, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        char row[1024];
        const char* tick = *keys[k].standard == '\0' ? "" : "`";
        snprintf(row, sizeof row, "| `%s` | %s | %s | %s%s%s | %s | %s |\n", keys[k].path, keys[k].kind, keys[k].unit, tick,
                 keys[k].standard, tick, keys[k].range, keys[k].meaning);
        const char* found = strstr(at, row);
        if (found == NULL)
            fail_msg("docs/scene.md lacks, or has at another place:\n%s", row);
        at = found + strlen(row) - 1;
    }
    return at;
}

// The manual's tables are these.
static void test_manual(void** state)
{
    (void)state;
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    char* text = get_file(TEST_DATA "/../../docs/scene.md", NULL);
    const char* at = find_rows(text, keys, count);
    int32_t rows = 0, parts;
    const scree_scene_key* of_parts = scree_scene_part_keys(&parts);
    find_rows(at, of_parts, parts);
    for (const char* line = strstr(text, "\n## Keys\n"); (line = strstr(line, "\n| `")) != NULL; ++line)
        ++rows;
    assert_int_equal(rows, count + parts);
    // And its example is a scene.
    const char* begin = strstr(text, "```yaml\n");
    assert_non_null(begin);
    begin += strlen("```yaml\n");
    scree_scene scene;
    CHECK_OK(parse_bytes(begin, (size_t)(strstr(begin, "```") - begin), &scene));
    scene_free(&scene);
    free(text);
}

static const test_case cases[] = {
    UNIT(test_table),
    UNIT(test_ranges),
    UNIT(test_defaults),
    UNIT(test_manual),
};

const test_group group_scene_keys = {.name = "scene_keys", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
