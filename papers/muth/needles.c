// needles: boxes against circles for bodies of rising aspect ratio. Muth et al. (2007), section 4, leave "the neighborhood search for strongly anisotropic
// particles" to the future; their linked linear list looks at bounding boxes, Verlet lists and linked cells at what a circle of the body's length can
// reach. How many pairs does each leave to the exact test, and how many of these touch?
//
// First, needles thrown at random into a periodic square, overlapping or not: rectangles of area 1, length l = sqrt(a) and width w = 1/sqrt(a), at a fixed number
// and share of the area. Two of them meet with the probability E / L^2, and E is known in closed form (angle brackets: mean over the angle):
//
//     circles   pi (l^2 + w^2)
//     boxes     <(W_1 + W_2) (H_1 + H_2)> = 2 <W H> + 2 <W> <H>,   W = l |cos| + w |sin|,  H = l |sin| + w |cos|
//               at random  2 ((l^2 + w^2)/pi + l w) + 8/pi^2 (l + w)^2;   along an axis  4 l w;   at 45 degrees  2 (l + w)^2
//     needles   at random  2 l w + 2 (l + w)^2 / pi (area and perimeter: Santalo);   all parallel  4 l w
//
// So long needles at random angles leave pi l^2 by circles, (2/pi + 8/pi^2) l^2 by boxes, 2.17 times fewer, and 2/pi l^2 overlap. Squares are
// better off with circles; the two are equal where a + 1/a = 2.137, at a = 1.45.
//
// Then, needles that do not overlap, put in one after the other, as bodies of a polygon simulation: they fly, collide and touch.
#include "bench/harness.h"

#include "scree/outlines.h"
#include "scree/polygon.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const double density = 0.1;  // share of the area
static const double aspects[] = {1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0, 30.0, 50.0};
enum { aspect_count = sizeof aspects / sizeof *aspects, corners = 4 };

typedef enum orientation { AT_RANDOM, ALONG_X, AT_45_DEGREES, orientation_count } orientation;
static const char* const orientation_names[] = {"at random", "along x", "at 45 degrees"};

// ---- Needles ---------------------------------------------------------------------------------------------------------

typedef struct outline {
    double at[corners][2];  // in the plane, from the centre
} outline;

typedef struct needles {
    int32_t count;
    double aspect, side;            // of the box
    scree_shapes shapes;            // one
    scree_polygon_numbers numbers;  // of this
    double *x, *angle, *r, *half;   // half: of the boxes, 2 each
    outline* outlines;
    scree_index *boxes, *circles;
} needles;

static void free_needles(needles* n)
{
    scree_index_destroy(n->boxes);
    scree_index_destroy(n->circles);
    scree_shapes_free(&n->shapes);
    scree_free(n->x);
    scree_free(n->outlines);
    *n = (needles){.count = 0};
}

static scree_status make_index(const needles* n, int32_t method, int32_t threads, scree_index** out)
{
    scree_index_def def = scree_default_index_def();
    def.method = method;
    def.box = scree_box_sized(2, (const double[]){n->side, n->side});
    def.box.periodic[0] = def.box.periodic[1] = true;
    def.skin = -1.0;
    def.threads = threads;
    return scree_index_create(&def, out);
}

static scree_status make_needles(int32_t count, double aspect, int32_t threads, needles* n)
{
    double l = 0.5 * sqrt(aspect), w = 0.5 / sqrt(aspect);
    const double drawn[] = {-l, -w, l, -w, l, w, -l, w};
    *n = (needles){.count = count, .aspect = aspect, .side = sqrt(count / density)};
    scree_status status = scree_shapes_add(&n->shapes, (scree_polygon){.count = corners, .xy = drawn}, NULL);
    if (status == SCREE_OK)
        status = scree_polygon_measure(scree_shapes_get(&n->shapes, 0), &n->numbers);
    n->x = scree_malloc(6 * (size_t)count, sizeof *n->x);
    n->outlines = scree_malloc((size_t)count, sizeof *n->outlines);
    if (status == SCREE_OK && (n->x == NULL || n->outlines == NULL))
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = make_index(n, SCREE_METHOD_LINEAR_LIST, threads, &n->boxes);
    if (status == SCREE_OK)
        status = make_index(n, SCREE_METHOD_AUTO, threads, &n->circles);
    if (status != SCREE_OK)
        return status;
    n->angle = n->x + 2 * (int64_t)count;
    n->r = n->angle + count;
    n->half = n->r + count;
    for (int32_t i = 0; i < count; ++i)
        n->r[i] = n->numbers.radius;
    return SCREE_OK;
}

static void put(needles* n, int32_t i, const double x[2], double angle)
{
    scree_polygon shape = scree_shapes_get(&n->shapes, 0);
    double c = cos(angle), s = sin(angle), *half = &n->half[2 * (int64_t)i];
    half[0] = half[1] = 0.0;
    n->angle[i] = angle;
    for (int k = 0; k < 2; ++k)
        n->x[2 * (int64_t)i + k] = x[k];
    for (int v = 0; v < corners; ++v) {
        const double* p = &shape.xy[2 * v];
        n->outlines[i].at[v][0] = c * p[0] - s * p[1];
        n->outlines[i].at[v][1] = s * p[0] + c * p[1];
        for (int k = 0; k < 2; ++k)
            half[k] = fmax(half[k], fabs(n->outlines[i].at[v][k]));
    }
}

// Random angles are one from each of as many equal parts of the half circle as there are needles: what is left to chance are the places.
static void throw_needles(needles* n, orientation how, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 21 + (uint64_t)how);
    for (int32_t i = 0; i < n->count; ++i) {
        double x[2];
        for (int k = 0; k < 2; ++k)
            x[k] = n->side * scree_rng_uniform(&rng);
        double angle = pi * (i + scree_rng_uniform(&rng)) / n->count;
        put(n, i, x, how == AT_RANDOM ? angle : how == ALONG_X ? 0.0 : 0.25 * pi);
    }
}

// Whether two convex outlines overlap, the first moved by d: none of their edges has all corners of the other beyond it.
static bool parts(const outline* a, const outline* b, const double d[2])
{
    for (int e = 0; e < corners; ++e) {
        const double *p = a->at[e], *q = a->at[(e + 1) % corners];
        bool beyond = true;
        for (int v = 0; v < corners && beyond; ++v)
            beyond = (q[0] - p[0]) * (b->at[v][1] - d[1] - p[1]) - (q[1] - p[1]) * (b->at[v][0] - d[0] - p[0]) < 0.0;
        if (beyond)
            return true;
    }
    return false;
}

static bool overlap(const outline* a, const outline* b, const double d[2])
{
    return !parts(a, b, d) && !parts(b, a, (const double[]){-d[0], -d[1]});
}

// ---- Counting --------------------------------------------------------------------------------------------------------

typedef struct counts {  // of pairs, for each needle
    double boxes, circles, both, overlapping;
} counts;

static scree_status count_pairs(needles* n, counts* out)
{
    scree_spheres spheres = {.count = n->count, .dim = 2, .x = n->x, .r = n->r};
    scree_pairs pairs;
    scree_status status = scree_index_update(n->circles, spheres);
    if (status == SCREE_OK)
        status = scree_index_pairs(n->circles, &pairs);
    if (status != SCREE_OK)
        return status;
    out->circles = (double)pairs.count / n->count;
    status = scree_index_update_boxes(n->boxes, spheres, n->half);
    if (status == SCREE_OK)
        status = scree_index_box_pairs(n->boxes, &pairs);
    if (status != SCREE_OK)
        return status;
    out->boxes = (double)pairs.count / n->count;
    status = scree_index_pairs(n->boxes, &pairs);  // of both: the list leaves out what boxes leave out, the exact test what circles do
    if (status != SCREE_OK)
        return status;
    out->both = (double)pairs.count / n->count;
    int64_t overlapping = 0;
    for (int64_t p = 0; p < pairs.count; ++p) {
        int32_t i = pairs.ij[p][0], j = pairs.ij[p][1];
        double d[2];
        for (int k = 0; k < 2; ++k)
            d[k] = (n->x[2 * (int64_t)i + k] - n->x[2 * (int64_t)j + k]) - pairs.shift[p][k] * n->side;
        overlapping += overlap(&n->outlines[i], &n->outlines[j], d);
    }
    out->overlapping = (double)overlapping / n->count;
    return SCREE_OK;
}

static counts closed_form(double aspect, orientation how, int32_t count)
{
    double l = sqrt(aspect), w = 1.0 / l, area = l * w, sum = (l + w) * (l + w), square = l * l + w * w;
    double each = 0.5 * density * (count - 1.0) / count;  // E to pairs for each needle, of area 1
    return (counts){
        .circles = each * pi * square,
        .boxes = each * (how == AT_RANDOM ? 2.0 * (square / pi + area) + 8.0 / (pi * pi) * sum : how == ALONG_X ? 4.0 * area : 2.0 * sum),
        .overlapping = each * (how == AT_RANDOM ? 2.0 * area + 2.0 / pi * sum : 4.0 * area),
    };
}

// How many standard errors of a count lie between what was found and what is expected.
static double errors_apart(double found, double expected, int32_t count)
{
    return fabs(found - expected) * sqrt(count / expected);
}

// ---- Thrown needles --------------------------------------------------------------------------------------------------

static scree_status count_thrown(findings* f, int32_t count, const bench_options* co)
{
    scree_status status = SCREE_OK;
    for (int a = 0; a < aspect_count && status == SCREE_OK; ++a) {
        needles n;
        status = make_needles(count, aspects[a], co->threads, &n);
        for (int how = 0; how < orientation_count && status == SCREE_OK; ++how) {
            counts c, e = closed_form(aspects[a], (orientation)how, count);
            throw_needles(&n, (orientation)how, co->seed + (uint64_t)a);
            status = count_pairs(&n, &c);
            if (status != SCREE_OK)
                break;
            const double off = fmax(errors_apart(c.boxes, e.boxes, count), fmax(errors_apart(c.circles, e.circles, count), errors_apart(c.overlapping, e.overlapping, count)));
            status = findings_row(f, &orientation_names[how], (const double[]){aspects[a], c.boxes, c.circles, c.both, c.overlapping, e.boxes, e.circles, e.overlapping, off, c.circles / c.boxes,
                                                                               c.boxes / c.overlapping, c.circles / c.overlapping});
        }
        free_needles(&n);
    }
    return status;
}

// ---- Needles that collide --------------------------------------------------------------------------------------------

enum { samples = 20 };

// One after the other where there is room, at random angles.
static scree_status add_needles(needles* n, uint64_t seed)
{
    enum { most_tries = 100000 };
    scree_rng rng = scree_rng_make(seed, 25);
    for (int32_t i = 0; i < n->count; ++i) {
        bool fits = false;
        for (int32_t tries = 0; !fits; ++tries) {
            if (tries == most_tries)
                return scree_fail(SCREE_ERR_ARGUMENT, "needle %d of aspect ratio %g does not fit", (int)i, n->aspect);
            double x[2] = {n->side * scree_rng_uniform(&rng), n->side * scree_rng_uniform(&rng)};
            put(n, i, x, pi * scree_rng_uniform(&rng));
            scree_neighbours near;
            scree_status status = scree_index_query(n->circles, x, n->numbers.radius, &near);
            if (status != SCREE_OK)
                return status;
            fits = true;
            for (int64_t k = 0; k < near.count && fits; ++k) {
                const double* y = &n->x[2 * (int64_t)near.j[k]];
                const double d[2] = {(x[0] - y[0]) - near.shift[k][0] * n->side, (x[1] - y[1]) - near.shift[k][1] * n->side};
                fits = !overlap(&n->outlines[i], &n->outlines[near.j[k]], d);
            }
        }
        scree_status status = scree_index_insert(n->circles, &n->x[2 * (int64_t)i], n->r[i], NULL);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// As bodies with random velocities, motion and spin of the same energy; contacts are short enough for the thinnest.
static scree_status make_sim(const needles* n, const bench_options* co, scree_polygon_sim** out)
{
    scree_rng rng = scree_rng_make(co->seed, 26);
    scree_body* bodies = scree_calloc((size_t)n->count, sizeof *bodies);
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    def.allow_deep = true;  // near corners the nearest side changes
    def.box = scree_box_sized(2, (const double[]){n->side, n->side});
    def.box.periodic[0] = def.box.periodic[1] = true;
    def.contact_duration = 0.02;
    def.method = SCREE_METHOD_LINEAR_LIST;
    def.threads = co->threads;
    for (int32_t i = 0; i < n->count && bodies != NULL; ++i) {
        bodies[i] = (scree_body){.x = {n->x[2 * (int64_t)i], n->x[2 * (int64_t)i + 1]}, .angle = n->angle[i]};
        for (int k = 0; k < 2; ++k)
            bodies[i].v[k] = 2.0 * scree_rng_uniform(&rng) - 1.0;
        bodies[i].spin = (2.0 * scree_rng_uniform(&rng) - 1.0) / sqrt(n->numbers.gyration);
    }
    scree_status status = bodies == NULL ? SCREE_ERR_MEMORY : scree_polygon_sim_create(&def, &n->shapes, n->count, bodies, out);
    scree_free(bodies);
    return status;
}

// The mean over samples in time. `unlike` counts samples in which the simulation and the test by separating lines differ.
typedef struct flown {
    counts found;
    double touching;
    int64_t contacts;  // of all samples together
    int unlike;
} flown;

static scree_status look(needles* n, scree_polygon_sim* sim, flown* out)
{
    scree_polygon_sim_report measured;
    scree_polygon_sim_state state = {.x = scree_malloc(2 * (size_t)n->count, sizeof(double)), .angle = scree_malloc((size_t)n->count, sizeof(double))};
    scree_status status = state.x == NULL || state.angle == NULL ? SCREE_ERR_MEMORY : scree_polygon_sim_get_state(sim, &state);
    for (int32_t i = 0; i < n->count && status == SCREE_OK; ++i)
        put(n, i, &state.x[2 * (int64_t)i], state.angle[i]);
    counts now;
    if (status == SCREE_OK)
        status = count_pairs(n, &now);
    if (status == SCREE_OK)
        status = scree_polygon_sim_measure(sim, &measured);
    if (status == SCREE_OK) {
        out->found.boxes += now.boxes / samples;
        out->found.circles += now.circles / samples;
        out->found.both += now.both / samples;
        out->touching += (double)measured.touching / n->count / samples;
        out->contacts += measured.touching;
        out->unlike += llround(now.overlapping * n->count) != measured.touching;
    }
    scree_free(state.x);
    scree_free(state.angle);
    return status;
}

static scree_status fly(double aspect, int32_t count, const bench_options* co, flown* out)
{
    *out = (flown){.touching = 0.0};
    needles n;
    scree_polygon_sim* sim = NULL;
    scree_status status = make_needles(count, aspect, co->threads, &n);
    if (status == SCREE_OK)
        status = add_needles(&n, co->seed);
    if (status == SCREE_OK)
        status = make_sim(&n, co, &sim);
    for (int s = 0; s < samples && status == SCREE_OK; ++s) {
        status = scree_polygon_sim_run(sim, llround(0.05 / scree_polygon_sim_get_numbers(sim).time_step));
        if (status == SCREE_OK)
            status = look(&n, sim, out);
    }
    scree_polygon_sim_destroy(sim);
    free_needles(&n);
    return status;
}

static scree_status fly_all(findings* f, const bench_options* co)
{
    static const double flying[] = {1.0, 3.0, 10.0, 30.0, 50.0};
    scree_status status = SCREE_OK;
    findings_table(f, "colliding", 0, (const char* const[]){"aspect", "box_pairs", "circle_pairs", "both", "touching", "contacts", "unlike", NULL});
    for (int a = 0; a < 5 && status == SCREE_OK; a += co->quick ? 2 : 1) {
        flown o;
        status = fly(flying[a], co->quick ? 200 : 1000, co, &o);
        if (status == SCREE_OK)
            status = findings_row(f, NULL, (const double[]){flying[a], o.found.boxes, o.found.circles, o.found.both, o.touching, (double)o.contacts, o.unlike});
    }
    return status;
}

// ---- The bench -------------------------------------------------------------------------------------------------------

static scree_status draw_needles(findings* f, double aspect, const char* suffix, const bench_options* co)
{
    enum { count = 200 };
    needles n;
    scree_outline_set set = {.first = NULL};
    scree_status status = make_needles(count, aspect, co->threads, &n);
    if (status == SCREE_OK)
        status = scree_outline_set_make(count, corners * count, &set);
    if (status == SCREE_OK) {
        throw_needles(&n, AT_RANDOM, co->seed);
        set.bodies.has_box = true;
        set.bodies.box = scree_box_sized(2, (const double[]){n.side, n.side});
        set.bodies.box.periodic[0] = set.bodies.box.periodic[1] = true;
        for (int32_t i = 0; i < count; ++i) {
            set.first[i + 1] = corners * (i + 1);
            set.bodies.r[i] = n.r[i];
            for (int k = 0; k < 2; ++k) {
                set.bodies.x[2 * i + k] = n.x[2 * i + k];
                for (int v = 0; v < corners; ++v)
                    set.xy[2 * (corners * i + v) + k] = n.x[2 * i + k] + n.outlines[i].at[v][k];
            }
        }
        scree_picture_def look = scree_default_picture_def();
        look.width = look.height = 700;
        look.bar = false;
        look.images = SCREE_IMAGES_FILL;
        findings_outlines(f, suffix, &set, &look);
    }
    scree_outline_set_free(&set);
    free_needles(&n);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    static const struct {
        double aspect;
        const char* suffix;
    } drawn[] = {{1.0, "aspect-1"}, {10.0, "aspect-10"}, {50.0, "aspect-50"}};
    const int32_t count = co->quick ? 2000 : 20000;
    findings_paper(f, "Section 4: for the future, \"the neighborhood search for strongly anisotropic particles\". Section 2.3: bounding boxes are \"sized such that each particle fits exactly in its box\". "
                      "No pairs of such bodies are counted; what follows is compared with closed forms.");
    findings_note(f, "%d needles of area 1 in a periodic square, independent of each other, a share of %g of the area. Circles are about the centre and hold the needle; boxes come from "
                     "scree_index_box_pairs; a needle and itself are no pair. Closed forms: below an aspect ratio of 1.45 (a + 1/a = 2.137) circles leave fewer pairs than boxes; for thin needles at random "
                     "angles boxes leave pi / (2/pi + 8/pi^2) = 2.17 times fewer. Column off: in standard errors.", (int)count, density);
    scree_status status = count_thrown(f, count, co);
    for (int k = 0; k < 3 && status == SCREE_OK; ++k)
        status = draw_needles(f, drawn[k].aspect, drawn[k].suffix, co);
    return status == SCREE_OK ? fly_all(f, co) : status;
}

const experiment bench_needles = {
    .name = "needles",
    .about = "their question: boxes against circles for bodies of rising aspect ratio, pairs left and pairs that touch",
    .title = "Needles: pairs left by bounding boxes and by bounding circles",
    .paper = true,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"orientation", "aspect", "box_pairs", "circle_pairs", "both", "overlapping", "box_formula", "circle_formula", "overlap_formula", "off", "circles_by_boxes",
                                     "boxes_by_overlapping", "circles_by_overlapping", NULL},
    .claims = (const claim[]){
        {.quantity = "counts of independent needles, farthest from its closed form in standard errors", .least = 0.0, .most = 5.0, .how = CLAIM_MOST, .column = "off"},
        {.quantity = "aspect ratio 50 at random angles: pairs left by circles by those left by boxes (closed form 2.07)", .least = 1.97, .most = 2.17, .column = "circles_by_boxes",
         .rows = "orientation=at random;aspect=50"},
        {.quantity = "needles that collide: samples in which the simulation and separating lines count differently", .least = 0.0, .most = 0.0, .how = CLAIM_MOST, .table = "colliding",
         .column = "unlike"},
        {.quantity = "needles that collide: contacts in all samples, fewest of all aspect ratios", .least = 1.0, .most = 1e9, .how = CLAIM_LEAST, .table = "colliding", .column = "contacts"},
        {0}},
    .charts = (const chart[]){
        {.title = "Pairs of boxes that meet for each needle, a tenth of the area", .x_label = "length / width", .y_label = "pairs for each needle", .x = "aspect", .y = "box_pairs",
         .by = "orientation", .x_log = true, .y_log = true},
        {.suffix = "orientation", .title = "Pairs left by boxes for each pair that overlaps", .x_label = "length / width", .y_label = "candidates / overlapping pairs", .x = "aspect",
         .y = "boxes_by_overlapping", .by = "orientation", .x_log = true, .y_log = true},
        {.suffix = "circles", .title = "Pairs left by circles for each pair that overlaps", .x_label = "length / width", .y_label = "candidates / overlapping pairs", .x = "aspect",
         .y = "circles_by_overlapping", .by = "orientation", .x_log = true, .y_log = true},
        {0}},
};
