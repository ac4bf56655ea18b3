// The public calls of the simulation: create, run, simple queries.
//
// Between runs there are positions, velocities and accelerations of one time; a step goes from one such time to the next or is undone, so that runs
// may be divided anywhere.
#include "polygon/polygon_inner.h"

#include "base/argument.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/pi.h"
#include "geom/length.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

SCREE_DEFAULTS_OF(scree_polygon_sim_def, scree_default_polygon_sim_def)
{
    return (scree_polygon_sim_def){
        .struct_size = sizeof(scree_polygon_sim_def), .box = scree_box_open(2), .material_density = 1.0, .wrap_every = 1000,
            .tangential_stiffness = 2.0 / 7.0, .tangential_damping = 1.0, .rounding = 0.05};
}

const char* scree_polygon_rule_name(scree_polygon_rule rule)
{
    static const char* const names[SCREE_POLYGON_RULE_COUNT] = {"rounded", "node-to-segment"};
    return (int)rule >= 0 && rule < SCREE_POLYGON_RULE_COUNT ? names[rule] : NULL;
}

// ---- Making ------------------------------------------------------------------------------------------------------------

scree_status polygon_work(scree_polygon_sim* sim, int64_t units, double done)
{
    sim->watch.done = done;
    return polygon_watch_work(&sim->watch, units);
}

static scree_status check_def(const scree_polygon_sim_def* def)
{
    scree_status status = scree_box_check(&def->box);
    if (status == SCREE_OK)
        status = scree_box_reject_tilt(&def->box, "polygons");
    if (status != SCREE_OK)
        return status;
    if (def->box.dim != 2)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: the box has dimension %d; expected 2", (int)def->box.dim);
    for (int k = 0; k < 2; ++k)
        if (!(fabs(def->gravity[k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "polygons: gravity %c = %g is not finite; expected a number", "xy"[k], def->gravity[k]);
    status = scree_container_check(&(scree_container){.kind = def->container, .box = def->box});
    if (status != SCREE_OK)
        return status;
    if (def->method < 0 || def->method >= SCREE_METHOD_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: method = %d; expected 0 to %d", (int)def->method, SCREE_METHOD_COUNT - 1);
    if (!(def->skin <= SCREE_LENGTH_MAX) || (def->skin > 0.0 && def->skin < SCREE_LENGTH_MIN))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: skin = %g; expected a length, 0 (automatic), or below 0 (none)", def->skin);
    if (def->wrap_every < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: wrap_every = %d; expected 1 or more", (int)def->wrap_every);
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: threads = %d; expected 0 (all cores) or more", (int)def->threads);
    if (def->rule < 0 || def->rule >= SCREE_POLYGON_RULE_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: rule = %d; expected 0 to %d", (int)def->rule, SCREE_POLYGON_RULE_COUNT - 1);
    if (def->rule == SCREE_POLYGON_ROUNDED && !(def->rounding > 0.0 && def->rounding <= 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: rounding = %g; expected above 0, at most 1. Sharp corners need the rule node-to-segment", def->rounding);
    if (def->rule == SCREE_POLYGON_ROUNDED && def->allow_deep)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: allow_deep with the rule rounded; expected the rule node-to-segment, which can push out bodies on their other side");
    return SCREE_OK;
}

SCREE_DEFAULTS_OF(scree_polygon_pair, scree_default_polygon_pair)
{
    return (scree_polygon_pair){.struct_size = sizeof(scree_polygon_pair), .tangential_stiffness = 2.0 / 7.0, .tangential_damping = 1.0};
}

static scree_status check_motion(int32_t i, const double x[2], double angle, const double v[2], double spin)
{
    for (int k = 0; k < 2; ++k) {
        if (!(fabs(x[k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": %c = %g is not finite; expected a number", i, "xy"[k], x[k]);
        if (!(fabs(v[k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": velocity %c = %g is not finite; expected a number", i, "xy"[k], v[k]);
    }
    if (!(fabs(angle) <= 1e15) || !(fabs(spin) <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": angle = %g, spin = %g; expected finite numbers, the angle within 1e15", i, angle, spin);
    return SCREE_OK;
}

static scree_status check_body(const scree_polygon_sim_def* def, int32_t i, const scree_body* b, const scree_shapes* shapes)
{
    int32_t count = shapes != NULL ? shapes->count : 0;
    if (b->shape < -1 || b->shape >= count)
        return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": there is no shape %" PRId32 "; expected 0 to %" PRId32 ", or -1 for a disc", i,
                          b->shape, count - 1);
    if (b->shape == -1 && (!(b->radius > 0.0) || !scree_is_length(b->radius)))
        return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": radius %g of a disc; expected a length above 0", i, b->radius);
    if (!b->fixed && !(b->material_density >= 0.0 && b->material_density <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": material_density = %g; expected above 0, or 0 for that of the def", i,
                          b->material_density);
    int32_t materials = def->material_count > 0 ? def->material_count : 1;
    if (b->material < 0 || b->material >= materials)
        return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": there is no material %" PRId32 "; expected 0 to %" PRId32, i, b->material, materials - 1);
    return check_motion(i, b->x, b->angle, b->v, b->spin);
}

// A shape's outline with sharp corners, about its centre of mass or as drawn; made when first needed.
static scree_status make_sharp(round_core* core, scree_polygon polygon, bool as_drawn, const scree_polygon_numbers* numbers,
                               polygon_watch* watch)
{
    static const double origin[2];
    const double* centre = as_drawn ? origin : numbers->centre;
    *core = (round_core){.outline_count = polygon.count,
                         .numbers = {.area = fabs(numbers->area), .centre = {numbers->centre[0], numbers->centre[1]},
                                     .gyration = numbers->gyration, .radius = numbers->radius}};
    if (numbers->area > 0.0)
        return edge_tree_make(&core->tree, polygon.count, polygon.xy, centre, watch);
    double* turned = scree_malloc(2 * (size_t)polygon.count, sizeof *turned);
    if (turned == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t v = 0; v < polygon.count; ++v)
        memcpy(turned + 2 * v, polygon.xy + 2 * (polygon.count - 1 - v), 2 * sizeof *turned);
    scree_status status = edge_tree_make(&core->tree, polygon.count, turned, centre, watch);
    scree_free(turned);
    return status;
}

// The core of a shape, of a radius of at most `most`.
static scree_status make_core(scree_polygon_sim* sim, scree_polygon polygon, bool fixed, double most, round_core* core)
{
    round_outline outline;
    scree_status status = round_open(polygon, sim->def.rounding, &sim->watch, &outline);
    if (status != SCREE_OK)
        return status;
    const double wanted = fmin(sim->def.rounding * outline.equal, most);
    status = round_core_make(&outline, fmin(wanted, outline.most), fixed, &sim->watch, core);
    core->wanted = wanted;
    round_close(&outline);
    return status;
}

// `most`: the largest radius of its corners.
static scree_status take_polygon(scree_polygon_sim* sim, int32_t i, const scree_body* from, const scree_shapes* shapes, double most)
{
    body* b = &sim->bodies[i];
    scree_polygon polygon = scree_shapes_get(shapes, from->shape);
    scree_polygon_numbers numbers;
    round_core* core = &sim->cores[2 * (int64_t)from->shape + from->fixed];
    scree_status status = SCREE_OK;
    // The shape was checked with its first core.
    if (sim->cores[2 * (int64_t)from->shape].tree.n == 0 && sim->cores[2 * (int64_t)from->shape + 1].tree.n == 0)
        status = polygon_check(polygon, &sim->watch);
    if (status == SCREE_OK)
        status = polygon_measure(polygon, &sim->watch, &numbers);
    if (status == SCREE_OK && core->tree.n == 0 && sim->def.rule == SCREE_POLYGON_ROUNDED)
        status = make_core(sim, polygon, from->fixed, most, core);
    if (status == SCREE_ERR_ARGUMENT) {
        char why[512];
        snprintf(why, sizeof why, "%s", scree_error_message());
        return scree_fail(status, "body %" PRId32 " (shape %" PRId32 "): %s", i, from->shape, why);
    }
    if (status == SCREE_OK && core->tree.n == 0)
        status = make_sharp(core, polygon, from->fixed, &numbers, &sim->watch);
    if (status != SCREE_OK)
        return status;
    const edge_tree* tree = &core->tree;
    b->tree = tree;
    b->core = core;
    b->r = core->r;
    double far = 0.0;
    for (int32_t v = 0; v < tree->n; ++v)
        far = fmax(far, tree->p[v][0] * tree->p[v][0] + tree->p[v][1] * tree->p[v][1]);
    b->radius = sqrt(far) * (1.0 + 1e-15) + b->r;
    b->width = 2.0 * fabs(numbers.area) / numbers.perimeter;
    b->mass = core->numbers.area;
    b->inertia = core->numbers.gyration;
    return SCREE_OK;
}

static scree_status take_body(scree_polygon_sim* sim, int32_t i, const scree_body* from, const scree_shapes* shapes, double most)
{
    body* b = &sim->bodies[i];
    scree_status status = SCREE_OK;
    *b = (body){.x = {from->x[0], from->x[1]},
                .angle = from->angle,
                .placed = NAN,
                .v = {from->v[0], from->v[1]},
                .spin = from->spin,
                .fixed = from->fixed,
                .material = from->material,
                .anchor = {from->x[0], from->x[1], from->angle}};
    double density = from->material_density > 0.0 ? from->material_density : sim->def.material_density;
    if (from->shape >= 0) {
        status = take_polygon(sim, i, from, shapes, most);
        b->mass *= density;
        b->inertia *= b->mass;
    } else {
        b->radius = b->width = b->r = from->radius;
        b->mass = density * pi * (from->radius * from->radius);
        b->inertia = 0.5 * b->mass * (from->radius * from->radius);
    }
    if (status != SCREE_OK)
        return status;
    if (b->fixed) {
        b->mass = b->inertia = 0.0;
    } else {
        b->inverse_mass = 1.0 / b->mass;
        b->inverse_inertia = 1.0 / b->inertia;
    }
    for (int k = 0; k < 2 && !b->fixed; ++k)
        if (sim->length[k] > 0.0 && 4.0 * b->radius > sim->length[k])
            return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": its diameter is %g; expected at most half of the periodic box, %g on axis %c", i,
                              2.0 * b->radius, sim->length[k], "xy"[k]);
    return SCREE_OK;
}

// Whether free body i lies wholly inside fixed body f, or in its image at `shift`. CANCELLED.
static scree_status look_inside(scree_polygon_sim* sim, const body* i, const body* f, const int shift[2], bool* inside)
{
    *inside = false;
    double d[2];
    for (int k = 0; k < 2; ++k) {
        d[k] = i->x[k] - f->x[k] - shift[k] * sim->length[k];
        if (i->box[k] + d[k] < f->box[k] || i->box[k + 2] + d[k] > f->box[k + 2])
            return SCREE_OK;
    }
    double x[2];
    if (i->tree == NULL) {
        body_axes(f, d, x);
        int64_t looked = 0;
        *inside = edge_tree_contains(f->tree, x, &looked) && edge_tree_nearest(f->tree, x, &looked).square >= i->radius * i->radius;
        return polygon_watch_work(&sim->watch, node_units * looked);
    }
    for (int32_t v = 0; v < i->tree->n; ++v) {
        const double* r = sim->turned[i->first + v];
        double at[2] = {d[0] + r[0], d[1] + r[1]};
        body_axes(f, at, x);
        int64_t looked = 0;
        bool in = edge_tree_contains(f->tree, x, &looked);
        scree_status status = polygon_watch_work(&sim->watch, vertex_units + node_units * looked);
        if (status != SCREE_OK || !in)
            return status;
    }
    *inside = true;
    return SCREE_OK;
}

static scree_status check_inside(scree_polygon_sim* sim)
{
    for (int32_t f = 0; f < sim->n; ++f) {
        if (!sim->bodies[f].fixed || sim->bodies[f].tree == NULL)
            continue;
        int rx = sim->length[0] > 0.0, ry = sim->length[1] > 0.0;
        for (int32_t i = 0; i < sim->n; ++i) {
            scree_status status = polygon_work(sim, 4 * (2 * rx + 1) * (2 * ry + 1), (double)f / sim->n);
            bool inside = false;
            for (int sx = -rx; sx <= rx && !sim->bodies[i].fixed; ++sx)
                for (int sy = -ry; sy <= ry && status == SCREE_OK && !inside; ++sy)
                    status = look_inside(sim, &sim->bodies[i], &sim->bodies[f], (const int[2]){sx, sy}, &inside);
            if (status != SCREE_OK)
                return status;
            if (inside)
                return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 " at %g %g lies entirely inside the fixed body %" PRId32 "; expected it outside", i, sim->bodies[i].x[0],
                                  sim->bodies[i].x[1], f);
        }
    }
    return SCREE_OK;
}

// Where there is little to do, waking other threads takes longer than their share of the work.
static void set_threads(scree_polygon_sim* sim)
{
    int32_t threads = scree_parallel_threads(sim->def.threads);
    sim->threads = threads < sim->blocks ? threads : sim->blocks > 1 ? (int32_t)sim->blocks : 1;
}

// Free bodies first: the corners of fixed polygons are not rounder than the least round of them; without free
// polygons they are as round as the smallest disc would make one of its size.
static scree_status take_bodies(scree_polygon_sim* sim, const scree_shapes* shapes, const scree_body* bodies)
{
    int64_t vertices = 0;
    double most = INFINITY, disc = INFINITY;
    scree_status status = SCREE_OK;
    for (int32_t i = 0; i < sim->n && status == SCREE_OK; ++i)
        status = check_body(&sim->def, i, &bodies[i], shapes);
    for (int fixed = 0; fixed < 2; ++fixed) {
        for (int32_t i = 0; i < sim->n && status == SCREE_OK; ++i) {
            body* b = &sim->bodies[i];
            if (bodies[i].fixed != (fixed != 0))
                continue;
            status = take_body(sim, i, &bodies[i], shapes, fixed ? most : INFINITY);
            b->first = vertices;
            int64_t mine = status == SCREE_OK && b->tree != NULL ? b->tree->n + 1 : 0;
            vertices += mine;
            if (status == SCREE_OK)
                status = polygon_work(sim, vertex_units * (mine + 1), (double)i / sim->n);
            if (status != SCREE_OK || fixed)
                continue;
            most = b->tree != NULL ? fmin(most, b->r) : most;
            disc = b->tree == NULL ? fmin(disc, b->r) : disc;
        }
        most = most < INFINITY ? most : sim->def.rounding * disc;
    }
    sim->numbers.vertices = vertices;  // polygon_find_numbers counts those of outlines
    return status;
}

// Every loop over bodies, vertices or pairs reports its work, so that the watch is called however many there are.
static scree_status build(scree_polygon_sim* sim, const scree_shapes* shapes, const scree_body* bodies)
{
    scree_status status = check_def(&sim->def);
    if (status != SCREE_OK)
        return status;
    for (int k = 0; k < 2; ++k) {
        sim->gravity[k] = sim->def.gravity[k];
        sim->length[k] = sim->def.box.periodic[k] ? sim->def.box.upper[k] - sim->def.box.lower[k] : 0.0;
    }
    sim->boundary_count = boundaries_of_container(&(scree_container){.kind = sim->def.container, .box = sim->def.box}, 0, sim->boundaries);
    for (int32_t b = 0; b < sim->boundary_count; ++b)
        if (sim->boundaries[b].present)
            sim->walls[sim->wall_count++] = b;
    sim->blocks = ((int64_t)sim->n + body_block - 1) / body_block;
    set_threads(sim);
    sim->core_count = shapes != NULL ? 2 * shapes->count : 0;
    sim->cores = scree_calloc((size_t)sim->core_count, sizeof *sim->cores);
    sim->bodies = scree_calloc((size_t)sim->n, sizeof *sim->bodies);
    sim->before = scree_calloc((size_t)sim->n, sizeof *sim->before);
    sim->result = scree_calloc((size_t)sim->blocks, sizeof *sim->result);
    if (sim->cores == NULL || sim->bodies == NULL || sim->before == NULL || sim->result == NULL)
        return SCREE_ERR_MEMORY;
    status = take_bodies(sim, shapes, bodies);
    if (status == SCREE_OK)
        sim->turned = scree_malloc((size_t)sim->numbers.vertices, sizeof *sim->turned);
    if (status == SCREE_OK && sim->turned == NULL)
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = polygon_find_numbers(sim);
    if (status == SCREE_OK)
        status = pieces_make(sim);
    sim->numbers.pieces = sim->piece_count;
    if (status == SCREE_OK)
        status = candidates_open(sim);
    if (status == SCREE_OK)
        status = polygon_settle(sim, false);
    return status == SCREE_OK ? check_inside(sim) : status;
}

scree_status scree_polygon_sim_create(const scree_polygon_sim_def* given, const scree_shapes* shapes, int32_t count, const scree_body* bodies,
                                      scree_polygon_sim** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED_AS(given, "def");
    if (count > 0)
        SCREE_NEED(bodies);
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    scree_status fits = scree_check_struct_size("polygons", "scree_default_polygon_sim_def", given->struct_size, offsetof(scree_polygon_sim_def, watch), sizeof def);
    if (fits != SCREE_OK)
        return fits;
    memcpy(&def, given, given->struct_size);
    if (count < 0 || (count > 0 && bodies == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: count = %" PRId32 "%s; expected 0 or more bodies", count, count > 0 ? ", bodies is NULL" : "");
    scree_polygon_sim* sim = scree_calloc(1, sizeof *sim);
    if (sim == NULL)
        return SCREE_ERR_MEMORY;
    sim->def = def;
    sim->n = count;
    sim->watch.watch = &sim->def.watch;
    scree_status status = build(sim, shapes, bodies);
    sim->def.pairs = NULL;  // the caller's
    sim->watch = (polygon_watch){0};
    if (status != SCREE_OK) {
        scree_polygon_sim_destroy(sim);
        return status != SCREE_ERR_CANCELLED ? status : scree_fail(status, "polygons: stopped on request while the simulation was created");
    }
    *out = sim;
    return SCREE_OK;
}

void scree_polygon_sim_destroy(scree_polygon_sim* sim)
{
    if (sim == NULL)
        return;
    candidates_close(&sim->near);
    polygon_memory_free(sim);
    for (int32_t t = 0; t < sim->core_count && sim->cores != NULL; ++t)
        round_core_free(&sim->cores[t]);
    for (int64_t d = 0; d < sim->workspace_count; ++d)
        workspace_free(&sim->workspaces[d]);
    workspace_free(&sim->observer_workspace);
    scree_free(sim->workspaces);
    scree_free(sim->cores);
    scree_free(sim->pairs);
    scree_free(sim->bodies);
    scree_free(sim->before);
    scree_free(sim->turned);
    scree_free(sim->pieces);
    scree_free(sim->result);
    scree_free(sim->tallies);
    scree_free(sim->contacts);
    scree_free(sim->outline_first);
    scree_free(sim->outline_xy);
    scree_free(sim->outline_centre);
    scree_free(sim->outline_radius);
    scree_free(sim->outline_angle);
    scree_free(sim->outline_fixed);
    scree_free(sim);
}

// ---- Running -----------------------------------------------------------------------------------------------------------

typedef struct running {
    scree_polygon_sim* sim;
    int64_t first, last;
    int32_t unheard;  // questions in this step since one was passed on
    double shown;     // when that was
} running;

// Loops ask often, some times in every step even if that takes a microsecond. A question is passed on 0.02 s after the one before; and so is the 8th
// of one step, which has then come far, whatever the clock says. `done` is that of a loop, and means nothing here.
static bool tick_run(void* context, double done)
{
    (void)done;
    running* r = context;
    if (++r->unheard < 8 && scree_clock() - r->shown <= 0.02)
        return true;
    const scree_watch* watch = &r->sim->def.watch;
    bool on = watch->tick(watch->context, (double)(scree_polygon_sim_get_step(r->sim) - r->first) / (double)(r->last - r->first));
    r->unheard = 0;
    r->shown = scree_clock();
    return on;
}

static scree_status run(running* r)
{
    scree_status status = SCREE_OK;
    while (r->sim->step < r->last && status == SCREE_OK) {
        r->unheard = 0;
        status = polygon_step(r->sim);
        if (status == SCREE_OK && r->sim->step < r->last && r->sim->watch.watch != NULL && !tick_run(r, 1.0))
            status = SCREE_ERR_CANCELLED;
    }
    return status != SCREE_ERR_CANCELLED ? status : scree_fail(status, "stopped on request after step %" PRId64, r->sim->step);
}

scree_status scree_polygon_sim_run(scree_polygon_sim* sim, int64_t steps)
{
    SCREE_NEED(sim);
    if (steps < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: steps = %" PRId64 "; expected 0 or more", steps);
    if (sim->failed)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: the simulation failed at step %" PRId64 "; expected an earlier state to continue from", sim->step);
    scree_status status = polygon_check_idle(sim);
    if (status != SCREE_OK)
        return status;
    running r = {.sim = sim, .first = sim->step, .last = sim->step + steps, .shown = scree_clock()};
    scree_watch watch = {.tick = tick_run, .context = &r};
    if (sim->def.watch.tick != NULL)
        sim->watch.watch = &watch;
    status = run(&r);
    sim->watch = (polygon_watch){0};
    return status;
}

// ---- Asking and changing -----------------------------------------------------------------------------------------------

SCREE_VALUE_OF(scree_polygon_sim_numbers, scree_polygon_sim_get_numbers, (const scree_polygon_sim* sim), (sim))
{
    SCREE_NEED_OR(sim, (scree_polygon_sim_numbers){0});
    return sim->numbers;
}

int64_t scree_polygon_sim_get_step(const scree_polygon_sim* sim)
{
    SCREE_NEED_OR(sim, 0);
    return sim->step - sim->moving;
}

double scree_polygon_sim_get_time(const scree_polygon_sim* sim)
{
    SCREE_NEED_OR(sim, NAN);
    return (double)scree_polygon_sim_get_step(sim) * sim->numbers.time_step;
}

int32_t scree_polygon_sim_get_count(const scree_polygon_sim* sim)
{
    SCREE_NEED_OR(sim, 0);
    return sim->n;
}

scree_box scree_polygon_sim_get_box(const scree_polygon_sim* sim)
{
    SCREE_NEED_OR(sim, (scree_box){0});
    return sim->def.box;
}

scree_status polygon_check_idle(const scree_polygon_sim* sim)
{
    if (sim->moving)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: step %" PRId64 " is in progress; expected no use of the simulation in its progress callback", sim->step);
    return SCREE_OK;
}

scree_status polygon_check_still(const scree_polygon_sim* sim)
{
    if (sim->failed)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: the simulation stopped in step %" PRId64 "; expected an earlier state to continue from", sim->step);
    return polygon_check_idle(sim);
}

scree_status scree_polygon_sim_set_threads(scree_polygon_sim* sim, int32_t threads)
{
    SCREE_NEED(sim);
    if (threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: threads = %d; expected 0 (all cores) or more", (int)threads);
    sim->def.threads = threads;
    set_threads(sim);  // the index keeps the threads of its def: its answer does not depend on them
    return SCREE_OK;
}

scree_status scree_polygon_sim_set_gravity(scree_polygon_sim* sim, const double gravity[2])
{
    SCREE_NEED(sim);
    SCREE_NEED(gravity);
    scree_status status = polygon_check_still(sim);
    for (int k = 0; k < 2 && status == SCREE_OK; ++k)
        if (!(fabs(gravity[k]) <= SCREE_LENGTH_MAX))
            status = scree_fail(SCREE_ERR_ARGUMENT, "polygons: gravity %c = %g is not finite; expected a number", "xy"[k], gravity[k]);
    for (int32_t i = 0; i < sim->n && status == SCREE_OK; ++i)  // the next step begins with accelerations that hold the gravity that was
        for (int k = 0; k < 2 && !sim->bodies[i].fixed; ++k)
            sim->bodies[i].a[k] += gravity[k] - sim->gravity[k];
    if (status == SCREE_OK)
        memcpy(sim->gravity, gravity, sizeof sim->gravity);
    return status;
}

scree_status scree_polygon_sim_set_motion(scree_polygon_sim* sim, int32_t fixed, const double v[2], double spin)
{
    SCREE_NEED(sim);
    SCREE_NEED(v);
    scree_status status = polygon_check_still(sim);
    if (status == SCREE_OK && (fixed < 0 || fixed >= sim->n || !sim->bodies[fixed].fixed))
        status = scree_fail(SCREE_ERR_ARGUMENT, "polygons: body %" PRId32 " of %" PRId32 "; expected a fixed body, whose motion can be set", fixed, sim->n);
    if (status == SCREE_OK)
        status = check_motion(fixed, (const double[2]){0.0, 0.0}, 0.0, v, spin);
    if (status != SCREE_OK)
        return status;
    body* b = &sim->bodies[fixed];
    for (int k = 0; k < 2; ++k) {
        b->anchor[k] = b->x[k];
        b->v[k] = v[k];
    }
    b->anchor[2] = b->angle;
    b->spin = spin;
    b->since = sim->step;
    return SCREE_OK;
}
