// scree help scene: the keys of scene files, from the table that the reader uses.
#include "help.h"

#include "scree/scene.h"

#include <stdio.h>
#include <string.h>

enum { name_width = 16 };

static const char* last_name(const scree_scene_key* key)
{
    const char* dot = strrchr(key->path, '.');
    return dot != NULL ? dot + 1 : key->path;
}

static void put_list(void)
{
    const scree_scene_key *key, *one;
    printf("scree help scene: keys of scene files\n\n");
    for (int32_t k = 0; (key = scree_scene_key_inside(NULL, k)) != NULL; ++k) {
        char keys[1024];
        size_t used = 0;
        put_row(stdout, key->path, key->meaning, name_width);
        for (int32_t n = 0; (one = scree_scene_key_inside(key, n)) != NULL && used < sizeof keys; ++n)
            used += (size_t)snprintf(keys + used, sizeof keys - used, "%s%s", n > 0 ? " " : "", last_name(one));
        if (used > 0) {
            printf("      ");
            put_wrapped(stdout, keys, 6, 6);
        }
    }
    printf("\n");
    put_wrapped(stdout, "'scree help scene KEY' says what a key takes, as in 'scree help scene contact.friction'; 'scree help scene --schema' prints a JSON Schema for editors. docs/scene.md has examples.", 0, 0);
}

static void put_fact(const char* name, const char* text)
{
    if (*text == '\0')
        return;
    printf("%-10s", name);
    put_wrapped(stdout, text, 10, 10);
}

static scree_status put_key(const char* path)
{
    const scree_scene_key *key, *one;
    char title[1024], condition[1024];
    scree_status status = scree_scene_find_key(path, &key);
    if (status == SCREE_OK)
        status = scree_scene_key_condition(key, condition, sizeof condition);
    if (status != SCREE_OK)
        return status;
    const bool number = strstr(key->kind, "number") != NULL || *key->unit != '\0';
    snprintf(title, sizeof title, "%s: %s", path, key->meaning);
    put_wrapped(stdout, title, 0, 2);
    printf("\n");
    put_fact("form", key->kind);
    put_fact("unit", *key->unit != '\0' ? key->unit : number ? "1" : "");
    put_fact("allowed", key->range);
    put_fact("default", *key->standard != '\0' ? key->standard : strstr(key->kind, "map") != NULL ? "" : "none");
    put_fact("only", condition);
    for (int32_t n = 0; (one = scree_scene_key_inside(key, n)) != NULL; ++n) {
        if (n == 0)
            printf("\nkeys:\n");
        put_row(stdout, last_name(one), one->meaning, name_width);
    }
    return SCREE_OK;
}

exit_code help_scene(const char* key)
{
    scree_status status = SCREE_OK;
    if (key == NULL)
        put_list();
    else if (strcmp(key, "--schema") == 0)
        status = scree_write_scene_schema("-");
    else
        status = put_key(key);
    if (status == SCREE_OK)
        return EXIT_DONE;
    say("scree help scene: %s\n", scree_error_message());
    return EXIT_USAGE;
}
