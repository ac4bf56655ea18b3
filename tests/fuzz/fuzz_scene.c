// Any bytes as a scene. The reader answers or refuses with a place, never crashes; what it takes is written, and that reads back as the
// same text.
#include "scene/scene_inner.h"
#include "scree/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void demand(bool holds, const char* what)
{
    if (holds)
        return;
    fprintf(stderr, "%s (last message: %s)\n", what, scree_error_message());
    abort();
}

// A place is a line and a column that are there (or the end of the line).
static void check_place(const char* message, const uint8_t* data, size_t size)
{
    long line = 0, column = 0, lines = 1;
    demand(sscanf(message, "fuzz:%ld:%ld: ", &line, &column) == 2, "an error without its place");
    for (size_t k = 0; k < size; ++k)
        lines += data[k] == '\n' || data[k] == '\r';
    demand(line >= 1 && line <= lines, "an error in a line that is not there");
    demand(column >= 1 && column <= (long)size + 1, "an error in a column that is not there");
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    scree_scene scene, back;
    scree_status status = scene_parse("fuzz", (const char*)data, size, &scene);
    if (status != SCREE_OK) {
        demand(status == SCREE_ERR_FORMAT, "an error of another kind");
        check_place(scree_error_message(), data, size);
        return 0;
    }
    demand(scene.sim.box.dim == 2 || scene.sim.box.dim == 3, "a dimension that is none");
    demand(scree_box_check(&scene.sim.box) == SCREE_OK, "a box that is none");
    char *text, *again;
    int64_t length, length_again;
    demand(scree_scene_text_of(&scene, true, &text, &length) == SCREE_OK, "a scene that was read cannot be written");
    demand(scene_parse("written", text, (size_t)length, &back) == SCREE_OK, "a written scene cannot be read");
    demand(scree_scene_text_of(&back, true, &again, &length_again) == SCREE_OK, "a scene that was read again cannot be written");
    demand(length == length_again && memcmp(text, again, (size_t)length) == 0, "a scene changes by writing and reading");
    scree_free(text);
    scree_free(again);
    scene_free(&scene);
    scene_free(&back);
    return 0;
}
