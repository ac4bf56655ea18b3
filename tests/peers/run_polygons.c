// Random pairs of polygons for a comparison with another program: shapes of every rule, thrown onto each other, and what scree says of each pair.
//
// usage: run_polygons SEED PAIRS OUT
//   OUT  per pair a line: contacts, of these crossings, whether nothing would part them (then the others are 0), the area of the crossings; the number of vertices of each,
//        and all vertices x y of the one and of the other, every bit of them
#include "scree/polygon.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double between(scree_rng* rng, double low, double high)
{
    return low + (high - low) * scree_rng_uniform(rng);
}

static bool add(scree_shapes* shapes, scree_rng* rng, scree_body* body)
{
    scree_shape_def def = scree_default_shape_def();
    def.rule = (int32_t)scree_rng_below(rng, SCREE_SHAPE_RULE_COUNT);
    def.vertices = (def.rule == SCREE_SHAPE_CHIP ? 12 : 4) + (int32_t)scree_rng_below(rng, 24);
    def.roughness = between(rng, 0.1, 0.95);
    def.radius = between(rng, 0.3, 1.0);
    def.seed = scree_rng_bits(rng);
    *body = (scree_body){.x = {between(rng, -0.6, 0.6), between(rng, -0.6, 0.6)}, .angle = between(rng, -4.0, 4.0)};
    return scree_shapes_add_rule(shapes, &def, &body->shape) == SCREE_OK;
}

// The outline without a simulation, which there is none of when it is refused: turned and moved by the same operations.
static void draw(const scree_shapes* shapes, const scree_body* body, FILE* out)
{
    scree_polygon p = scree_shapes_get(shapes, body->shape);
    scree_polygon_numbers m;
    if (scree_polygon_measure(p, &m) != SCREE_OK)
        return;
    for (int32_t v = 0; v < p.count; ++v) {
        double x = p.xy[2 * v] - m.centre[0], y = p.xy[2 * v + 1] - m.centre[1], c = cos(body->angle), s = sin(body->angle);
        fprintf(out, " %.17g %.17g", body->x[0] + (c * x - s * y), body->x[1] + (s * x + c * y));
    }
}

int main(int argc, char** argv)
{
    FILE* out = argc == 4 ? fopen(argv[3], "w") : NULL;
    if (out == NULL)
        return fprintf(stderr, "usage: run_polygons SEED PAIRS OUT\n"), 1;
    scree_rng rng = scree_rng_make(strtoull(argv[1], NULL, 10), 1);
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    def.allow_deep = true;  // pairs at random places
    def.stiffness = 1.0;
    def.threads = 1;
    for (int64_t pair = strtoll(argv[2], NULL, 10); pair > 0; --pair) {
        scree_shapes shapes = {0};
        scree_body bodies[2];
        scree_polygon_sim* sim = NULL;
        scree_polygon_contacts list = {0};
        if (!add(&shapes, &rng, &bodies[0]) || !add(&shapes, &rng, &bodies[1]))
            return fprintf(stderr, "run_polygons: %s\n", scree_error_message()), 1;
        scree_status status = scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim);
        bool stuck = status == SCREE_ERR_ARGUMENT && strstr(scree_error_message(), "cross like a plus sign") != NULL;
        if (status == SCREE_OK)
            status = scree_polygon_sim_get_contacts(sim, &list);
        if (status != SCREE_OK && !stuck)
            return fprintf(stderr, "run_polygons: %s\n", scree_error_message()), 1;
        int64_t crossings = 0;
        double area = 0.0;
        for (int64_t c = 0; c < list.count; ++c)
            if (list.contacts[c].kind == SCREE_CONTACT_CROSSING) {
                ++crossings;
                area += list.contacts[c].depth;
            }
        fprintf(out, "%" PRId64 " %" PRId64 " %d %.17g %" PRId32 " %" PRId32, list.count, crossings, stuck, area,
                scree_shapes_get(&shapes, bodies[0].shape).count, scree_shapes_get(&shapes, bodies[1].shape).count);
        draw(&shapes, &bodies[0], out);
        draw(&shapes, &bodies[1], out);
        fputc('\n', out);
        scree_polygon_sim_destroy(sim);
        scree_shapes_free(&shapes);
    }
    return fclose(out) == 0 ? 0 : 1;
}
