// For schema.py: scenes as the reader sees them. Standard input has scenes, each closed by a NUL byte; each gives a line of JSON: what the reader says of it ("" if it is accepted), the tree of
// its values ({"plain": TEXT} is a scalar without quotes), and the text that scree_write_scene writes. With an argument: the keys of the table, a line of JSON each.
#include "scene/scene_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_text(const char* text)
{
    putchar('"');
    for (; *text != '\0'; ++text)
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\')
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    putchar('"');
}

static void put_node(const scene_tree* tree, int32_t n)
{
    const scene_node* node = &tree->nodes[n];
    if (node->kind == SCENE_SCALAR) {
        printf("%s", node->quoted ? "" : "{\"plain\":");
        put_text(scree_scene_text(tree, node));
        printf("%s", node->quoted ? "" : "}");
        return;
    }
    const bool map = node->kind == SCENE_MAP;
    printf("%s", map ? "{\"map\":[" : "[");
    for (int32_t one = node->first, k = 0; one >= 0; one = tree->nodes[one].next, ++k) {
        printf("%s", k > 0 ? "," : "");
        put_node(tree, one);
    }
    printf("%s", map ? "]}" : "]");
}

static void put_scene(const char* text, size_t length)
{
    scene_tree tree;
    scree_scene scene;
    char* written = NULL;
    int64_t bytes;
    scree_status status = scene_parse("scene", text, length, &scene);
    printf("{\"said\":");
    put_text(status != SCREE_OK ? scree_error_message() : "");
    if (status == SCREE_OK && scree_scene_text_of(&scene, true, &written, &bytes) == SCREE_OK) {
        printf(",\"written\":");
        put_text(written);
        scree_free(written);
    }
    if (status == SCREE_OK)
        scene_free(&scene);
    if (scree_scene_tree_read("scene", text, length, &tree) == SCREE_OK) {
        printf(",\"tree\":");
        put_node(&tree, 0);
        scree_scene_tree_free(&tree);
    }
    printf("}\n");
}

static void put_keys(void)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k) {
        const char* const texts[][2] = {{"path", keys[k].path}, {"kind", keys[k].kind}, {"default", keys[k].standard}, {"range", keys[k].range}};
        for (size_t n = 0; n < sizeof texts / sizeof *texts; ++n) {
            printf("%s\"%s\":", n > 0 ? "," : "{", texts[n][0]);
            put_text(texts[n][1]);
        }
        printf("}\n");
    }
}

int main(int argc, char** argv)
{
    (void)argv;
    size_t length = 0, room = 1 << 20, begin = 0;
    char* text = malloc(room);
    if (argc > 1)
        put_keys();
    else
        for (size_t got = 1; text != NULL && got > 0; length += got) {
            if (length == room)
                text = realloc(text, room *= 2);
            got = text != NULL ? fread(text + length, 1, room - length, stdin) : 0;
        }
    for (size_t k = 0; text != NULL && k < length; ++k)
        if (text[k] == '\0') {
            put_scene(text + begin, k - begin);
            begin = k + 1;
        }
    free(text);
    return 0;
}
