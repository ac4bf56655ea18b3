#include "polygon_support.h"

double poly_between(scree_rng* rng, double low, double high)
{
    return low + (high - low) * scree_rng_uniform(rng);
}

int32_t poly_add(scree_shapes* shapes, int32_t count, const double* xy)
{
    int32_t shape;
    CHECK_OK(scree_shapes_add(shapes, (scree_polygon){.count = count, .xy = xy}, &shape));
    return shape;
}

int32_t poly_rectangle(scree_shapes* shapes, double w, double h)
{
    const double xy[] = {-0.5 * w, -0.5 * h, 0.5 * w, -0.5 * h, 0.5 * w, 0.5 * h, -0.5 * w, 0.5 * h};
    return poly_add(shapes, 4, xy);
}

int32_t poly_rule(scree_shapes* shapes, scree_shape_rule rule, int32_t vertices, double radius, double roughness, uint64_t seed)
{
    scree_shape_def def = scree_default_shape_def();
    def.rule = (int32_t)rule;
    def.vertices = vertices;
    def.radius = radius;
    def.roughness = roughness;
    def.seed = seed;
    int32_t shape;
    CHECK_OK(scree_shapes_add_rule(shapes, &def, &shape));
    return shape;
}

poly_scene poly_mixed(int side, int walls, double speed, uint64_t seed)
{
    poly_scene s = {.count = side * side, .side = 2.2 * side, .def = scree_default_polygon_sim_def()};
    s.def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    s.def.allow_deep = true;  // soft bodies from places at random, wherever that leads
    scree_rng rng = scree_rng_make(seed, 5);
    s.bodies = calloc((size_t)s.count + 4, sizeof *s.bodies);
    for (int32_t i = 0; i < s.count; ++i) {
        scree_body* b = &s.bodies[i];
        double radius = poly_between(&rng, 0.6, 1.0);
        int kind = (int)scree_rng_below(&rng, SCREE_SHAPE_RULE_COUNT + 1);
        *b = (scree_body){.shape = -1, .radius = radius};
        if (kind < SCREE_SHAPE_RULE_COUNT)
            b->shape = poly_rule(&s.shapes, (scree_shape_rule)kind, kind == SCREE_SHAPE_CHIP ? 20 : 4 + (int32_t)scree_rng_below(&rng, 12), radius, 0.4,
                                 scree_rng_bits(&rng));
        b->x[0] = 2.2 * (i % side) + 1.1;
        b->x[1] = 2.2 * (i / side) + 1.1;
        b->angle = poly_between(&rng, -4, 4);
        b->v[0] = poly_between(&rng, -speed, speed);
        b->v[1] = poly_between(&rng, -speed, speed);
        b->spin = poly_between(&rng, -speed, speed);
        b->material_density = poly_between(&rng, 0.8, 1.2);
    }
    s.def.stiffness = 1e4;
    if (walls != 1) {
        s.def.box = scree_box_sized(2, (const double[2]){s.side, s.side});
        s.def.box.periodic[0] = walls >= 2;
        s.def.box.periodic[1] = walls == 2;
        if (walls != 3)
            return s;
        s.def.box.lower[1] = -INFINITY;
        s.def.box.upper[1] = INFINITY;
    }
    int32_t wall = poly_rectangle(&s.shapes, s.side + 4, 2);
    for (int w = 0; w < 2 && walls == 3; ++w) {
        memmove(s.bodies + 1, s.bodies, (size_t)s.count++ * sizeof *s.bodies);
        s.bodies[0] = (scree_body){.shape = wall, .fixed = true, .x = {0.2 * s.side, w == 0 ? s.side + 1 : -1}, .v = {w == 0 ? 10 : -20, 0}};
    }
    for (int w = 0; w < 4 && walls == 1; ++w)
        s.bodies[s.count++] = (scree_body){.shape = wall,
                                           .fixed = true,
                                           .x = {w == 0 ? -1 : w == 1 ? s.side + 1 : 0.5 * s.side, w == 2 ? -1 : w == 3 ? s.side + 1 : 0.5 * s.side},
                                           .angle = w < 2 ? 0.5 * poly_pi : 0.0};
    return s;
}

void poly_scene_free(poly_scene* s)
{
    scree_shapes_free(&s->shapes);
    free(s->bodies);
}

scree_polygon_sim_def poly_def(double stiffness, double friction)
{
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = stiffness;
    def.friction = friction;
    return def;
}

scree_polygon_sim* poly_create(const scree_polygon_sim_def* def, const scree_shapes* shapes, int32_t count, const scree_body* bodies)
{
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(def, shapes, count, bodies, &sim));
    return sim;
}

scree_polygon_sim* poly_make(const poly_scene* s)
{
    return poly_create(&s->def, &s->shapes, s->count, s->bodies);
}

void poly_run_for(scree_polygon_sim* sim, double time)
{
    CHECK_OK(scree_polygon_sim_run(sim, (int64_t)ceil(time / scree_polygon_sim_get_numbers(sim).time_step)));
}

scree_polygon_sim_report poly_report(scree_polygon_sim* sim)
{
    scree_polygon_sim_report report;
    CHECK_OK(scree_polygon_sim_measure(sim, &report));
    return report;
}

double poly_energy(scree_polygon_sim* sim)
{
    scree_polygon_sim_report report = poly_report(sim);
    return report.energy_kinetic + report.energy_potential;
}

scree_polygon_sim_state poly_state(const scree_polygon_sim* sim)
{
    size_t n = (size_t)scree_polygon_sim_get_count(sim);
    scree_polygon_sim_state s = {.x = calloc(2 * n + 1, 8),
                                 .angle = calloc(n + 1, 8),
                                 .v = calloc(2 * n + 1, 8),
                                 .spin = calloc(n + 1, 8),
                                 .a = calloc(3 * n + 1, 8),
                                 .anchor = calloc(3 * n + 1, 8),
                                 .since = calloc(n + 1, 8)};
    CHECK_OK(scree_polygon_sim_get_state(sim, &s));
    return s;
}

void poly_state_free(scree_polygon_sim_state* s)
{
    free(s->x);
    free(s->angle);
    free(s->v);
    free(s->spin);
    free(s->a);
    free(s->anchor);
    free(s->since);
}

void poly_put(poly_reference* reference, poly_found f)
{
    if (reference->count == reference->room) {
        reference->room = 2 * reference->room + 16;
        reference->found = realloc(reference->found, (size_t)reference->room * sizeof *reference->found);
    }
    reference->found[reference->count++] = f;
}

scree_polygon poly_outline(const scree_outlines* o, int32_t i)
{
    return (scree_polygon){.count = (int32_t)(o->first[i + 1] - o->first[i]), .xy = &o->xy[o->first[i]][0]};
}

double poly_way(scree_polygon p, const double x[2], double out[2], int32_t* edge)
{
    double point[2], distance = scree_polygon_nearest(p, x, point, edge);
    for (int k = 0; k < 2; ++k)
        out[k] = distance > 0.0 ? (point[k] - x[k]) / distance : 0.0;
    return distance;
}

void poly_reference_pair(const scree_outlines* o, int32_t i, int32_t j, const double off[2], poly_reference* reference)
{
    scree_polygon a = poly_outline(o, i), b = poly_outline(o, j);
    poly_found f = {.i = i, .j = j};
    if (a.count == 0 && b.count == 0) {
        double d[2] = {o->centre[i][0] - o->centre[j][0] - off[0], o->centre[i][1] - o->centre[j][1] - off[1]}, distance = hypot(d[0], d[1]);
        f.depth = o->radius[i] + o->radius[j] - distance;
        f.out[0] = d[0] / distance;
        f.out[1] = d[1] / distance;
        if (i < j && f.depth > 0.0)
            poly_put(reference, f);
        return;
    }
    if (b.count == 0)
        return;  // the other way round
    for (int32_t v = 0; v < (a.count > 0 ? a.count : 1); ++v) {
        double x[2] = {(a.count > 0 ? a.xy[2 * v] : o->centre[i][0]) - off[0], (a.count > 0 ? a.xy[2 * v + 1] : o->centre[i][1]) - off[1]};
        bool inside = scree_polygon_contains(b, x);
        int32_t edge;
        double distance = poly_way(b, x, f.out, &edge);
        f.feature = a.count > 0 ? v : edge;
        f.depth = a.count > 0 ? (inside ? distance : 0.0) : o->radius[i] + (inside ? distance : -distance);
        if (a.count == 0 && !inside) {
            f.out[0] = -f.out[0];
            f.out[1] = -f.out[1];
        }
        if (f.depth > 0.0)
            poly_put(reference, f);
    }
}

poly_reference poly_reference_all(scree_polygon_sim* sim)
{
    scree_outlines o;
    CHECK_OK(scree_polygon_sim_get_outlines(sim, &o));
    scree_box box = scree_polygon_sim_get_box(sim);
    poly_reference reference = {0};
    int rx = box.periodic[0] ? 2 : 0, ry = box.periodic[1] ? 2 : 0;
    for (int32_t i = 0; i < o.count; ++i)
        for (int32_t j = 0; j < o.count; ++j)
            for (int sx = -rx; sx <= rx && i != j && !(o.fixed[i] && o.fixed[j]); ++sx)
                for (int sy = -ry; sy <= ry; ++sy) {
                    double off[2] = {sx != 0 ? sx * (box.upper[0] - box.lower[0]) : 0.0, sy != 0 ? sy * (box.upper[1] - box.lower[1]) : 0.0};
                    double reach = o.radius[i] + o.radius[j];
                    if (hypot(o.centre[i][0] - o.centre[j][0] - off[0], o.centre[i][1] - o.centre[j][1] - off[1]) <= reach)
                        poly_reference_pair(&o, i, j, off, &reference);
                }
    return reference;
}

int64_t poly_compare(scree_polygon_sim* sim)
{
    poly_reference reference = poly_reference_all(sim);
    scree_polygon_contacts list;
    CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
    bool* used = calloc((size_t)reference.count + 1, 1);
    int64_t same = 0;
    for (int64_t c = 0; c < list.count; ++c) {
        const scree_contact* a = &list.contacts[c];
        if (a->kind == SCREE_CONTACT_WALL || a->kind == SCREE_CONTACT_CROSSING)
            continue;
        int64_t f = 0;
        for (; f < reference.count; ++f) {
            const poly_found* b = &reference.found[f];
            bool pair = b->i == a->i && b->j == a->j && (a->kind == SCREE_CONTACT_DISC || b->feature == a->feature);
            if (!used[f] && pair && fabs(b->depth - a->depth) < 1e-11 && fabs(b->out[0] * a->normal[0] + b->out[1] * a->normal[1] - 1.0) < 1e-4)
                break;
        }
        if (f < reference.count) {
            used[f] = true;
            ++same;
        } else if (a->depth > 1e-11) {
            fail_msg("contact of body %d, feature %d, in %d, depth %g, is unknown to the reference", (int)a->i, (int)a->feature, (int)a->j, a->depth);
        }
    }
    for (int64_t f = 0; f < reference.count; ++f)
        if (!used[f] && reference.found[f].depth > 1e-11)
            fail_msg("the reference sees body %d, feature %d, in %d, depth %g, which is no contact", (int)reference.found[f].i, (int)reference.found[f].feature,
                     (int)reference.found[f].j, reference.found[f].depth);
    free(used);
    free(reference.found);
    return same;
}
