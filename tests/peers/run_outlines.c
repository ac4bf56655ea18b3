// run_outlines make OUT.vtp | tell IN.vtp: polygons and discs for the comparison with VTK. `make` writes a scene of all shapes; `tell` prints what is read, a
// line per body: kind, centre, radius, columns, corners, numbers with all their bits.
#include "scree/scree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static scree_status make(const char* path)
{
    enum { count = 60 };
    scree_shapes shapes = {0};
    scree_body bodies[count];
    scree_rng rng = scree_rng_make(1, 1);
    scree_status status = SCREE_OK;
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i) {
        scree_shape_def def = scree_default_shape_def();
        def.rule = i % SCREE_SHAPE_RULE_COUNT;
        def.vertices = 12 + i % 40;
        def.radius = 0.5 + 0.5 * scree_rng_uniform(&rng);
        def.seed = scree_rng_bits(&rng);
        bodies[i] = (scree_body){.shape = -1, .radius = def.radius, .x = {2.2 * (i % 8), 2.2 * (i / 8)}, .angle = 6.0 * scree_rng_uniform(&rng),
                                 .v = {scree_rng_uniform(&rng), scree_rng_uniform(&rng)}, .fixed = i % 9 == 0};
        if (i % 7 != 0)
            status = scree_shapes_add_rule(&shapes, &def, &bodies[i].shape);
    }
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = 1e5;
    scree_polygon_sim* sim = NULL;
    scree_outline_set set = {0};
    if (status == SCREE_OK)
        status = scree_polygon_sim_create(&def, &shapes, count, bodies, &sim);
    if (status == SCREE_OK)
        status = scree_outline_set_copy(sim, &set);
    if (status == SCREE_OK)
        status = scree_write_outlines(path, NULL, &set);
    scree_outline_set_free(&set);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
    return status;
}

static scree_status tell(const char* path)
{
    scree_outline_set set = {0};
    scree_status status = scree_read_outlines(path, NULL, &set);
    for (int32_t i = 0; i < set.bodies.count && set.first != NULL; ++i) {
        printf("%s %a %a %a", set.first[i] == set.first[i + 1] ? "disc" : "polygon", set.bodies.x[2 * i], set.bodies.x[2 * i + 1], set.bodies.r[i]);
        for (int32_t c = 0; c < set.bodies.column_count; ++c) {
            const scree_column* column = &set.bodies.columns[c];
            printf(" %s", column->name);
            for (int32_t k = i * column->components; k < (i + 1) * column->components; ++k)
                if (column->kind == SCREE_COLUMN_INT64)
                    printf(" %" PRId64, column->integers[k]);
                else
                    printf(" %a", column->values[k]);
        }
        for (int64_t v = 2 * set.first[i]; v < 2 * set.first[i + 1]; ++v)
            printf(" %a", set.xy[v]);
        printf("\n");
    }
    scree_outline_set_free(&set);
    return status;
}

int main(int argc, char** argv)
{
    scree_status status = argc == 3 && strcmp(argv[1], "make") == 0 ? make(argv[2]) : argc == 3 ? tell(argv[2]) : SCREE_ERR_ARGUMENT;
    if (status != SCREE_OK)
        fprintf(stderr, "run_outlines: %s\n", scree_error_message());
    return status != SCREE_OK;
}
