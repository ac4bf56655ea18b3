// The bodies at the start of a scene. Bodies with given positions and bodies on a lattice come first, in the order of the scene, which numbers all bodies. Then bodies at random positions are
// placed, entry by entry, large ones first: the bounding circle of a body is drawn in the region until it overlaps
// neither another circle nor the outline of an earlier body. Random placement therefore creates no overlaps, at any angle.
//
// Circles fill at most about half of a region. For long, thin bodies this is little; let them fall to get a denser heap.
// Cost per try: the circles of nine cells, as large as the largest circle, and all bodies with a given position.
#include "run/bodies.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/parallel.h"
#include "base/pi.h"
#include "run/scene_parts.h"
#include "scene/place.h"
#include "scree/pack.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_SHAPES = 1000, STREAM_SIZES, STREAM_ANGLES, STREAM_PLACES, STREAMS };  // of an entry, besides its number
static const int64_t tries_most = 20000;                                             // for each body

typedef struct making {
    const scree_scene* scene;
    scree_watch watch;
    scree_body_set set;
    int64_t capacity;
    double* reach;  // radius of the circle about x that holds the body
    int64_t reach_capacity;
} making;

void scree_body_set_free(scree_body_set* set)
{
    if (set == NULL)
        return;
    scree_free(set->bodies);
    scree_shapes_free(&set->shapes);
    *set = (scree_body_set){0};
}

static scree_rng rng_of(const making* m, int64_t entry, int purpose)
{
    return scree_rng_make(m->scene->seed, (uint64_t)purpose + (uint64_t)(entry + 1) * 4096);
}

static scree_status add(making* m, const scree_body* body, double reach)
{
    int64_t n = (int64_t)m->set.count + 1;
    if (n > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "bodies: more than %d; expected at most that many", INT32_MAX);
    scree_status status = SCREE_RESERVE(m->set.bodies, m->capacity, n);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(m->reach, m->reach_capacity, n);
    if (status != SCREE_OK)
        return status;
    m->set.bodies[m->set.count] = *body;
    m->reach[m->set.count++] = reach;
    return SCREE_OK;
}

// ---- Shapes --------------------------------------------------------------------------------------------------------------

// Radii by the law, in an order by seed: the law itself gives them rising.
static scree_status draw_sizes(const making* m, int64_t entry, const scree_scene_bodies* b, int32_t count, double* r)
{
    scree_sizes* sizes;
    scree_status status = scree_read_sizes(b->sizes_text, 2, &sizes);
    if (status != SCREE_OK)
        return scree_scene_locate(m->scene, status, "bodies.sizes", entry);
    status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, m->scene->seed, count, r);
    scree_sizes_destroy(sizes);
    scree_rng rng = rng_of(m, entry, STREAM_SIZES);
    for (int32_t k = count - 1; k > 0 && status == SCREE_OK; --k) {
        int32_t other = (int32_t)scree_rng_below(&rng, (uint64_t)k + 1);
        double keep = r[k];
        r[k] = r[other];
        r[other] = keep;
    }
    return status;
}

// Of mass, with the corners that the bodies of the scene have.
static scree_status centre_of(const scree_scene* scene, scree_polygon polygon, double centre[2])
{
    scree_polygon_numbers sharp;
    scree_polygon_rounded rounded;
    if (scene->contact.rule != SCREE_POLYGON_ROUNDED) {
        scree_status status = scree_polygon_measure(polygon, &sharp);
        memcpy(centre, sharp.centre, 2 * sizeof *centre);
        return status;
    }
    scree_status status = scree_polygon_round(polygon, scene->contact.rounding, &rounded);
    memcpy(centre, rounded.centre, 2 * sizeof *centre);
    return status;
}

// The circle about the point by which a body of this shape is placed, which holds the outline as it was drawn.
static scree_status reach_of(const scree_scene* scene, scree_polygon polygon, bool fixed, double* reach, double centre[2])
{
    scree_status status = centre_of(scene, polygon, centre);
    if (status != SCREE_OK)
        return status;
    *reach = 0.0;
    for (int32_t v = 0; v < polygon.count && !fixed; ++v)
        *reach = fmax(*reach, hypot(polygon.xy[2 * (int64_t)v] - centre[0], polygon.xy[2 * (int64_t)v + 1] - centre[1]));
    for (int32_t v = 0; fixed && v < polygon.count; ++v)
        *reach = fmax(v == 0 ? 0.0 : *reach, hypot(polygon.xy[2 * (int64_t)v], polygon.xy[2 * (int64_t)v + 1]));
    *reach *= 1.0 + 1e-12;
    return SCREE_OK;
}

// Shapes of the entry, before its bodies are counted; rules draw one for each body.
static scree_status make_shapes(making* m, const scree_scene_bodies* b)
{
    if (b->has_points)
        return scree_shapes_add(&m->set.shapes, (scree_polygon){.count = b->points.count, .xy = b->points.xy}, NULL);
    if (b->has_wall)
        return scree_shapes_add_wall(&m->set.shapes, b->wall.count, b->wall.xy, b->thickness, NULL);
    return b->has_file ? bodies_read_file(b->file_path, m->watch, &m->set.shapes) : SCREE_OK;
}

static scree_status make_by_rule(making* m, const scree_scene_bodies* b, double radius, scree_rng* rng, scree_body* body)
{
    if (b->shape == 0) {
        body->shape = -1;
        body->radius = radius;
        return SCREE_OK;
    }
    scree_shape_def def = scree_default_shape_def();
    def.rule = b->shape - 1;
    def.vertices = b->has_vertices ? b->vertices : def.vertices;
    def.roughness = b->has_roughness ? b->roughness : def.roughness;
    def.radius = radius;
    def.seed = scree_rng_bits(rng);
    return scree_shapes_add_rule(&m->set.shapes, &def, &body->shape);
}

// ---- An entry ------------------------------------------------------------------------------------------------------------

static scree_status lay(const making* m, const scree_scene_bodies* b, int32_t first)
{
    int32_t count = m->set.count - first;
    scree_place_def def = scree_default_place_def();
    def.box = m->set.box;
    for (int k = 0; k < 2; ++k) {
        def.box.lower[k] = b->has_region ? b->region[k] : def.box.lower[k];
        def.box.upper[k] = b->has_region ? b->region[k + 2] : def.box.upper[k];
        def.box.periodic[k] = def.box.periodic[k] && !b->has_region;
    }
    double* x = scree_malloc((size_t)count, 2 * sizeof *x);
    if (x == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = scree_place_lattice(&def, 0.0, count, m->reach + first, x);
    for (int64_t k = 0; k < count && status == SCREE_OK; ++k)
        memcpy(m->set.bodies[first + k].x, x + 2 * k, sizeof m->set.bodies[first + k].x);
    scree_free(x);
    return status;
}

static double region_area(const making* m, const scree_scene_bodies* b)
{
    double area = 1.0;
    for (int k = 0; k < 2; ++k)
        area *= b->has_region ? b->region[k + 2] - b->region[k] : m->set.box.upper[k] - m->set.box.lower[k];
    return area;
}

// Bodies are placed by the circles that hold them, and no two circles overlap: circles with more area than the region cannot all find a place.
// `squares` is the sum of the squares of their radii.
static scree_status check_area(const making* m, const scree_scene_bodies* b, int32_t count, double squares)
{
    double area = region_area(m, b);
    if (!b->has_place || b->has_at || b->fixed || !(pi * squares > area))
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "%" PRId32 " bodies do not fit: their bounding circles have an area of at least %g, and the region has %g; expected fewer or smaller bodies, or a larger region",
                      count, pi * squares, area);
}

// The same before anything is created: from the shapes given and the mean of the size distribution. The mean is an estimate, so only twice the area is rejected.
static scree_status check_room(const making* m, int64_t entry, int32_t shapes_before, int32_t drawn, int32_t count)
{
    const scree_scene_bodies* b = &m->scene->bodies[entry];
    double squares = 0.0;
    if (b->has_sizes) {
        scree_sizes* sizes;
        scree_status status = scree_read_sizes(b->sizes_text, 2, &sizes);
        if (status != SCREE_OK)
            return scree_scene_locate(m->scene, status, "bodies.sizes", entry);
        squares = 0.5 * count * scree_sizes_moment(sizes, 2.0);
        scree_sizes_destroy(sizes);
    }
    for (int32_t s = 0; s < drawn; ++s) {
        double reach, centre[2];
        scree_status status = reach_of(m->scene, scree_shapes_get(&m->set.shapes, shapes_before + s), b->fixed, &reach, centre);
        if (status != SCREE_OK)
            return status;
        squares += reach * reach * (count / drawn + (s < count % drawn));
    }
    return isfinite(squares) ? check_area(m, b, count, squares) : SCREE_OK;
}

static scree_status make_all_of(making* m, int64_t entry, int32_t shapes_before, int32_t drawn, int32_t count)
{
    const scree_scene_bodies* b = &m->scene->bodies[entry];
    double* radii = scree_malloc((size_t)count, sizeof *radii);
    if (radii == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = b->has_sizes ? draw_sizes(m, entry, b, count, radii) : SCREE_OK;
    double squares = 0.0;
    for (int32_t k = 0; k < count && b->has_sizes && drawn == 0 && status == SCREE_OK; ++k)
        squares += radii[k] * radii[k];
    if (status == SCREE_OK)
        status = check_area(m, b, count, squares);
    scree_rng shapes = rng_of(m, entry, STREAM_SHAPES), angles = rng_of(m, entry, STREAM_ANGLES);
    for (int32_t k = 0; k < count && status == SCREE_OK; ++k) {
        if (k % 256 == 0 && !scree_watch_goes_on(&m->watch, 0.0)) {
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request while bodies were made");
            break;
        }
        scree_body body = {.fixed = b->fixed,
                           .angle = b->angle + b->angle_spread * (2.0 * scree_rng_uniform(&angles) - 1.0),
                           .v = {b->velocity[0], b->velocity[1]},
                           .spin = b->spin,
                           .material_density = b->fixed ? 0.0 : b->material_density,
                           .material = b->material};
        double reach = 0.0, centre[2] = {0.0, 0.0};
        body.shape = shapes_before + (drawn > 0 ? k % drawn : 0);
        if (drawn == 0)
            status = make_by_rule(m, b, radii[k], &shapes, &body);
        if (status == SCREE_OK && body.shape >= 0)
            status = reach_of(m->scene, scree_shapes_get(&m->set.shapes, body.shape), b->fixed, &reach, centre);
        reach = body.shape >= 0 ? reach : body.radius;
        if (b->has_at)
            memcpy(body.x, b->at.xy + 2 * (int64_t)k, sizeof body.x);
        else if (!b->has_place && !b->fixed)
            memcpy(body.x, centre, sizeof body.x);
        if (status == SCREE_OK)
            status = add(m, &body, reach);
    }
    scree_free(radii);
    return status;
}

static scree_status make_entry(making* m, int64_t entry, int32_t* begin)
{
    const scree_scene_bodies* b = &m->scene->bodies[entry];
    int32_t shapes_before = m->set.shapes.count, first = m->set.count;
    *begin = first;
    scree_status status = make_shapes(m, b);
    if (status != SCREE_OK)
        return scree_scene_locate(m->scene, status, b->has_file ? "bodies.file" : b->has_wall ? "bodies.wall" : "bodies.points", entry);
    int32_t drawn = m->set.shapes.count - shapes_before;
    int32_t count = b->has_at ? b->at.count : b->has_place && b->count > 0 ? b->count : drawn > 0 ? drawn : 1;
    status = check_room(m, entry, shapes_before, drawn, count);
    if (status == SCREE_OK)
        status = make_all_of(m, entry, shapes_before, drawn, count);
    if (status == SCREE_OK && b->has_place && b->place == SCREE_PLACE_LATTICE)
        status = lay(m, b, first);
    return scree_scene_locate(m->scene, status, b->has_place ? "bodies.place" : "bodies.shape", entry);
}

// ---- At random -----------------------------------------------------------------------------------------------------------

typedef struct outline {
    int32_t body;
    int64_t first, count;  // vertices in the plane; none: a disc
} outline;

typedef struct scatter {
    making* m;
    outline* standing;  // what has its place already
    int64_t standing_count;
    double* xy;
    int64_t xy_count, xy_capacity;
    double lower[2], cell;  // of the grid of circles
    int64_t cells[2];
    int32_t* head;          // of each cell; -1: empty
    int32_t* next;          // by body
} scatter;

static scree_status stand(scatter* s, int32_t i)
{
    const scree_body* b = &s->m->set.bodies[i];
    outline* o = &s->standing[s->standing_count++];
    *o = (outline){.body = i, .first = s->xy_count / 2};
    if (b->shape < 0)
        return SCREE_OK;
    scree_polygon polygon = scree_shapes_get(&s->m->set.shapes, b->shape);
    double centre[2] = {0.0, 0.0};
    scree_status status = b->fixed ? SCREE_OK : centre_of(s->m->scene, polygon, centre);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(s->xy, s->xy_capacity, s->xy_count + 2 * (int64_t)polygon.count);
    double c = cos(b->angle), sn = sin(b->angle);
    for (int64_t v = 0; v < polygon.count && status == SCREE_OK; ++v) {
        double x = polygon.xy[2 * v] - centre[0], y = polygon.xy[2 * v + 1] - centre[1];
        s->xy[s->xy_count++] = b->x[0] + c * x - sn * y;
        s->xy[s->xy_count++] = b->x[1] + sn * x + c * y;
    }
    o->count = polygon.count;
    return status;
}

// Whether a circle meets a body that stands, or an image of it.
static bool meets(const scatter* s, const outline* o, const double x[2], double r)
{
    const scree_body* b = &s->m->set.bodies[o->body];
    const scree_box* box = &s->m->set.box;
    int rx = box->periodic[0], ry = box->periodic[1];
    for (int sx = -rx; sx <= rx; ++sx)
        for (int sy = -ry; sy <= ry; ++sy) {
            double at[2] = {x[0] + sx * (box->upper[0] - box->lower[0]), x[1] + sy * (box->upper[1] - box->lower[1])};
            double dx = at[0] - b->x[0], dy = at[1] - b->x[1], far = r + s->m->reach[o->body];
            if (dx * dx + dy * dy >= far * far)
                continue;
            if (o->count == 0)  // a disc
                return true;
            scree_polygon polygon = {.count = (int32_t)o->count, .xy = s->xy + 2 * o->first};
            if (scree_polygon_contains(polygon, at) || scree_polygon_nearest(polygon, at, NULL, NULL) < r)
                return true;
        }
    return false;
}

static int64_t cell_of(const scatter* s, int k, double x)
{
    double n = floor((x - s->lower[k]) / s->cell);
    return n < 0.0 ? 0 : n >= (double)s->cells[k] ? s->cells[k] - 1 : (int64_t)n;
}

static bool is_free(const scatter* s, const double x[2], double r)
{
    int64_t cx = cell_of(s, 0, x[0]), cy = cell_of(s, 1, x[1]);
    for (int64_t y = cy > 0 ? cy - 1 : 0; y <= cy + 1 && y < s->cells[1]; ++y)
        for (int64_t c = cx > 0 ? cx - 1 : 0; c <= cx + 1 && c < s->cells[0]; ++c)
            for (int32_t i = s->head[y * s->cells[0] + c]; i >= 0; i = s->next[i]) {
                double dx = x[0] - s->m->set.bodies[i].x[0], dy = x[1] - s->m->set.bodies[i].x[1], far = r + s->m->reach[i];
                if (dx * dx + dy * dy < far * far)
                    return false;
            }
    for (int64_t o = 0; o < s->standing_count; ++o)
        if (meets(s, &s->standing[o], x, r))
            return false;
    return true;
}

typedef struct ranked {
    double reach;
    int32_t body;
} ranked;

static int by_reach(const void* a, const void* b)
{
    const ranked *one = a, *other = b;
    if (one->reach != other->reach)
        return one->reach > other->reach ? -1 : 1;
    return one->body < other->body ? -1 : one->body > other->body;
}

static scree_status scatter_entry(scatter* s, int64_t entry, int32_t first, int32_t end)
{
    making* m = s->m;
    const scree_scene_bodies* b = &m->scene->bodies[entry];
    double lower[2], upper[2];
    for (int k = 0; k < 2; ++k) {
        lower[k] = b->has_region ? b->region[k] : m->set.box.lower[k];
        upper[k] = b->has_region ? b->region[k + 2] : m->set.box.upper[k];
        if (lower[k] < m->set.box.lower[k] || upper[k] > m->set.box.upper[k])
            return scree_scene_fail_at(m->scene, SCREE_ERR_ARGUMENT, "bodies.region", entry, "%g to %g along %c reaches beyond the box; expected from %g to %g", lower[k],
                                       upper[k], "xy"[k], m->set.box.lower[k], m->set.box.upper[k]);
    }
    ranked* order = scree_malloc((size_t)(end - first) + 1, sizeof *order);
    if (order == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = first; i < end; ++i)
        order[i - first] = (ranked){m->reach[i], i};
    qsort(order, (size_t)(end - first), sizeof *order, by_reach);
    scree_rng rng = rng_of(m, entry, STREAM_PLACES);
    scree_status status = SCREE_OK;
    int64_t work = 0;
    for (int32_t n = 0; n < end - first && status == SCREE_OK; ++n) {
        int32_t i = order[n].body;
        double r = m->reach[i];
        bool found = false;
        for (int64_t t = 0; t < tries_most && !found; ++t) {
            double x[2];
            for (int k = 0; k < 2; ++k)
                x[k] = lower[k] + r + (upper[k] - lower[k] - 2.0 * r) * scree_rng_uniform(&rng);
            if (upper[0] - lower[0] < 2.0 * r || upper[1] - lower[1] < 2.0 * r)
                break;
            found = is_free(s, x, r);
            work += 100 + 16 * s->standing_count;
            if (work > scree_work_unasked) {
                work = 0;
                if (!scree_watch_goes_on(&m->watch, (double)n / (double)(end - first))) {
                    scree_free(order);
                    return scree_fail(SCREE_ERR_CANCELLED, "stopped on request while bodies were placed");
                }
            }
            if (found)
                memcpy(m->set.bodies[i].x, x, sizeof x);
        }
        if (!found)
            status = scree_scene_fail_at(m->scene, SCREE_ERR_ARGUMENT, "bodies.place", entry,
                                "body %" PRId32 ", with the bounding radius %g, does not fit in the region %g %g to %g %g "
                                "after %" PRId32 " of %" PRId32 " bodies; expected a larger region or fewer bodies",
                                i, r, lower[0], lower[1], upper[0], upper[1], n, end - first);
        int64_t c = cell_of(s, 1, m->set.bodies[i].x[1]) * s->cells[0] + cell_of(s, 0, m->set.bodies[i].x[0]);
        s->next[i] = s->head[c];
        s->head[c] = i;
        if (m->watch.tick != NULL && n % 256 == 0 && !m->watch.tick(m->watch.context, (double)n / (double)(end - first)))
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request while bodies were placed");
    }
    scree_free(order);
    return status;
}

static bool is_random(const scree_scene_bodies* b)
{
    return b->has_place && b->place == SCREE_PLACE_RANDOM;
}

// Begin holds the first body of each entry, and one more.
static scree_status scatter_all(making* m, const int32_t* begin)
{
    const scree_scene* scene = m->scene;
    double largest = 0.0;
    int32_t scattered = 0;
    for (int64_t e = 0; e < scene->body_count; ++e)
        for (int32_t i = begin[e]; i < begin[e + 1] && is_random(&scene->bodies[e]); ++i, ++scattered)
            largest = fmax(largest, m->reach[i]);
    if (scattered == 0)
        return SCREE_OK;
    scatter s = {.m = m, .lower = {m->set.box.lower[0], m->set.box.lower[1]}};
    double length[2] = {m->set.box.upper[0] - m->set.box.lower[0], m->set.box.upper[1] - m->set.box.lower[1]};
    s.cell = fmax(2.0 * largest, sqrt(length[0] * length[1] / ((double)scattered + 1.0)));
    for (int k = 0; k < 2; ++k)
        s.cells[k] = (int64_t)fmin(fmax(1.0, floor(length[k] / s.cell)), 1e5);
    size_t cells = (size_t)(s.cells[0] * s.cells[1]), n = (size_t)m->set.count;
    s.head = scree_malloc(cells, sizeof *s.head);
    s.next = scree_malloc(n, sizeof *s.next);
    s.standing = scree_malloc(n, sizeof *s.standing);
    scree_status status = s.head == NULL || s.next == NULL || s.standing == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (size_t c = 0; c < cells && status == SCREE_OK; ++c)
        s.head[c] = -1;
    for (int32_t i = 0; i < begin[0] && status == SCREE_OK; ++i)
        status = stand(&s, i);
    for (int64_t e = 0; e < scene->body_count; ++e)
        for (int32_t i = begin[e]; i < begin[e + 1] && !is_random(&scene->bodies[e]) && status == SCREE_OK; ++i)
            status = stand(&s, i);
    for (int64_t e = 0; e < scene->body_count && status == SCREE_OK; ++e)
        if (is_random(&scene->bodies[e]))
            status = scatter_entry(&s, e, begin[e], begin[e + 1]);
    scree_free(s.head);
    scree_free(s.next);
    scree_free(s.standing);
    scree_free(s.xy);
    return status;
}

// ---- All -----------------------------------------------------------------------------------------------------------------

static scree_status add_spheres(making* m)
{
    scree_sphere_set spheres;
    scree_status status = scree_scene_make_spheres(m->scene, m->watch, &spheres);
    if (status != SCREE_OK)
        return status;
    m->set.box = spheres.box;
    scree_scene_each all;
    status = scree_scene_make_each(m->scene, &spheres, &all);
    const scree_sim_each* each = &all.each;
    const scree_column* velocity = scree_sphere_set_find(&spheres, "velocity");
    const scree_column* spin = scree_sphere_set_find(&spheres, "spin_z");
    const scree_column* group = scree_scene_group_count(m->scene) > 1 ? scree_sphere_set_find(&spheres, "group") : NULL;
    for (int64_t i = 0; i < spheres.count && status == SCREE_OK; ++i) {
        scree_scene_group own = scree_scene_get_entry(m->scene, group != NULL ? group->integers[i] : 0);
        scree_body disc = {.shape = -1, .radius = spheres.r[i], .fixed = own.fixed, .material = each->material != NULL ? each->material[i] : 0};
        if (!own.fixed)
            disc.material_density = each->material_density != NULL ? each->material_density[i] : all.material_density;
        if (!isnan(own.spin[2]))
            disc.spin = own.spin[2];
        else if (spin != NULL && spin->kind == SCREE_COLUMN_DOUBLE && spin->components == 1)
            disc.spin = spin->values[i];
        for (int k = 0; k < 2; ++k) {
            disc.x[k] = spheres.x[2 * i + k];
            disc.v[k] = velocity->values[2 * i + k];
        }
        status = add(m, &disc, disc.radius);
    }
    scree_scene_each_free(&all);
    scree_sphere_set_free(&spheres);
    return status;
}

scree_status scree_scene_make_bodies(const scree_scene* scene, scree_watch watch, scree_body_set* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    making m = {.scene = scene, .watch = watch, .set = {.box = scene->sim.box}};
    int32_t* begin = scree_malloc((size_t)scene->body_count + 1, sizeof *begin);
    scree_status status = begin != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK && (scene->listed || (scene->group_count > 0 && (scene->groups[0].count > 0 || scene->groups[0].file_path != NULL))))
        status = add_spheres(&m);
    for (int64_t e = 0; e < scene->body_count && status == SCREE_OK; ++e)
        status = make_entry(&m, e, &begin[e]);
    if (status == SCREE_OK) {
        begin[scene->body_count] = m.set.count;
        status = scatter_all(&m, begin);
    }
    scree_free(begin);
    scree_free(m.reach);
    if (status == SCREE_OK)
        *out = m.set;
    else
        scree_body_set_free(&m.set);
    return status;
}
