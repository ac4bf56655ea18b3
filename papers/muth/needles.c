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

typedef struct thrown {
    counts found[orientation_count][aspect_count], expected[orientation_count][aspect_count];
    double worst;  // in standard errors
} thrown;

static scree_status count_thrown(findings* f, int32_t count, const bench_options* co, thrown* out)
{
    scree_status status = SCREE_OK;
    for (int a = 0; a < aspect_count && status == SCREE_OK; ++a) {
        needles n;
        status = make_needles(count, aspects[a], co->threads, &n);
        for (int how = 0; how < orientation_count && status == SCREE_OK; ++how) {
            throw_needles(&n, (orientation)how, co->seed + (uint64_t)a);
            counts* c = &out->found[how][a];
            status = count_pairs(&n, c);
            if (status != SCREE_OK)
                break;
            counts e = out->expected[how][a] = closed_form(aspects[a], (orientation)how, count);
            out->worst = fmax(out->worst, fmax(errors_apart(c->boxes, e.boxes, count), fmax(errors_apart(c->circles, e.circles, count), errors_apart(c->overlapping, e.overlapping, count))));
            status = findings_row(f, &orientation_names[how], (const double[]){aspects[a], c->boxes, c->circles, c->both, c->overlapping, e.boxes, e.circles, e.overlapping});
        }
        free_needles(&n);
    }
    return status;
}

static void draw_thrown(findings* f, const thrown* t)
{
    enum { curves = 7 };
    double y[curves][aspect_count], more[5][aspect_count];
    for (int a = 0; a < aspect_count; ++a) {
        const counts *c = &t->found[AT_RANDOM][a], *e = &t->expected[AT_RANDOM][a];
        const double values[curves] = {c->circles, c->boxes, c->both, c->overlapping, e->circles, e->boxes, e->overlapping};
        for (int k = 0; k < curves; ++k)
            y[k][a] = values[k];
        const counts *x = &t->found[ALONG_X][a], *d = &t->found[AT_45_DEGREES][a];
        const double ratios[5] = {c->circles / c->overlapping, c->boxes / c->overlapping, d->circles / d->overlapping, d->boxes / d->overlapping, x->boxes / x->overlapping};
        for (int k = 0; k < 5; ++k)
            more[k][a] = ratios[k];
    }
    scree_series series[curves] = {{.name = "circles meet", .y = y[0], .style = SCREE_SERIES_POINTS, .colour = 1},  {.name = "boxes meet", .y = y[1], .style = SCREE_SERIES_POINTS, .colour = 2},
                                   {.name = "both meet", .y = y[2], .style = SCREE_SERIES_HOLLOW, .colour = 4},     {.name = "needles overlap", .y = y[3], .style = SCREE_SERIES_POINTS, .colour = 3},
                                   {.y = y[4], .style = SCREE_SERIES_DASHES, .colour = 1},                          {.y = y[5], .style = SCREE_SERIES_DASHES, .colour = 2},
                                   {.name = "closed forms", .y = y[6], .style = SCREE_SERIES_DASHES, .colour = 3}};
    for (int k = 0; k < curves; ++k) {
        series[k].x = aspects;
        series[k].count = aspect_count;
    }
    scree_plot plot = scree_default_plot();
    plot.title = "Needles at random positions and angles, a tenth of the area";
    plot.x_label = "length / width";
    plot.y_label = "pairs for each needle";
    plot.x_log = plot.y_log = true;
    plot.series = series;
    plot.series_count = curves;
    findings_plot(f, "", &plot);
    scree_series ratios[] = {{.name = "circles, at random", .y = more[0], .colour = 1},
                             {.name = "boxes, at random", .y = more[1], .colour = 2},
                             {.name = "circles, parallel", .y = more[2], .colour = 5},
                             {.name = "boxes, at 45 degrees", .y = more[3], .colour = 6},
                             {.name = "boxes, along x", .y = more[4], .colour = 3}};
    for (int k = 0; k < 5; ++k) {
        ratios[k].x = aspects;
        ratios[k].count = aspect_count;
    }
    plot.title = "Candidates for each pair that overlaps";
    plot.y_label = "candidates / overlapping pairs";
    plot.series = ratios;
    plot.series_count = 5;
    findings_plot(f, "orientation", &plot);
}

static void compare_thrown(findings* f, const thrown* t, int32_t count)
{
    const int last = aspect_count - 1;
    const counts *c = &t->found[AT_RANDOM][last], *d = &t->found[AT_45_DEGREES][last], *x = &t->found[ALONG_X][last];
    if (t->worst <= 5.0)
        findings_agrees(f, "all %d counts are within 5 standard errors of the closed forms for needles thrown independently; the farthest is off by %.1f", 3 * orientation_count * aspect_count, t->worst);
    else
        findings_differs(f, "a count is %.1f standard errors off its closed form for needles thrown independently; 5 are allowed", t->worst);
    const counts* e = &t->expected[AT_RANDOM][last];
    double ratio = c->circles / c->boxes, expected = e->circles / e->boxes;
    if (fabs(ratio - expected) <= 0.1)
        findings_agrees(f, "at an aspect ratio of %g and random angles circles leave %.2f times as many pairs as boxes; closed form %.2f, 0.1 is allowed", aspects[last], ratio, expected);
    else
        findings_differs(f, "at an aspect ratio of %g and random angles circles leave %.2f times as many pairs as boxes, more than 0.1 off the closed form, %.2f", aspects[last], ratio, expected);
    findings_note(f, "Of the pairs left at an aspect ratio of %g, boxes leave %.1f for each that overlaps, circles %.1f, both together %.1f. Parallel needles: along an axis boxes leave %.2f, at 45 degrees %.0f, circles "
                     "%.0f. So boxes save half of the exact tests that circles leave for long needles at random angles, nearly all for needles along an axis, a third for needles at 45 degrees.",
                  aspects[last], c->boxes / c->overlapping, c->circles / c->overlapping, c->both / c->overlapping, x->boxes / x->overlapping, d->boxes / d->overlapping, d->circles / d->overlapping);
    findings_note(f, "Below an aspect ratio of 1.45 (a + 1/a = 2.137, from the closed forms) circles leave fewer pairs than boxes: for squares at random angles %.3f and %.3f "
                     "for each. For thin needles the ratio is pi / (2/pi + 8/pi^2) = %.2f.",
                  t->expected[AT_RANDOM][0].circles, t->expected[AT_RANDOM][0].boxes, pi / (2.0 / pi + 8.0 / (pi * pi)));
    findings_note(f, "%d needles of area 1 in a periodic square, independent of each other, a share of %g of the area. Circles are about the centre and hold the needle; boxes come from "
                     "scree_index_box_pairs; a needle and itself are no pair.", (int)count, density);
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

static scree_status fly_all(findings* f, bool quick, const bench_options* co)
{
    static const double flying[] = {1.0, 3.0, 10.0, 30.0, 50.0};
    enum { flying_count = sizeof flying / sizeof *flying };
    flown found[flying_count];
    int64_t contacts = 0;
    int unlike = 0;
    scree_status status = SCREE_OK;
    findings_table(f, "colliding", 0, (const char* const[]){"aspect", "box_pairs", "circle_pairs", "both", "touching", NULL});
    for (int a = 0; a < flying_count && status == SCREE_OK; a += quick ? 2 : 1) {
        flown* o = &found[a];
        status = fly(flying[a], quick ? 200 : 1000, co, o);
        if (status == SCREE_OK)
            status = findings_row(f, NULL, (const double[]){flying[a], o->found.boxes, o->found.circles, o->found.both, o->touching});
        contacts += o->contacts;
        unlike += o->unlike;
    }
    if (status != SCREE_OK)
        return status;
    const flown* last = &found[flying_count - 1];
    if (unlike == 0 && contacts > 0)
        findings_agrees(f, "needles that collide: %lld touching pairs in all samples, in each sample as many by the polygon simulation as by separating lines", (long long)contacts);
    else
        findings_differs(f, "needles that collide: %lld touching pairs, and in %d samples the polygon simulation and separating lines count differently (0 expected)", (long long)contacts, unlike);
    findings_note(f, "Needles that collide overlap only as far as contacts give way: at an aspect ratio of %g boxes leave %.2g pairs for each needle, circles %.2g, and %.2g touch at a time.",
                  flying[flying_count - 1], last->found.boxes, last->found.circles, last->touching);
    return SCREE_OK;
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
    const bool quick = co->quick;
    int32_t count = quick ? 2000 : 20000;
    findings_paper(f, "Section 4: for the future, \"the neighborhood search for strongly anisotropic particles\". Section 2.3: bounding boxes are \"sized such that each particle fits exactly in its box\". "
                      "No pairs of such bodies are counted; what follows is compared with closed forms.");
    thrown t = {.worst = 0.0};
    scree_status status = count_thrown(f, count, co, &t);
    if (status == SCREE_OK) {
        draw_thrown(f, &t);
        compare_thrown(f, &t, count);
        status = draw_needles(f, 1.0, "aspect-1", co);
    }
    if (status == SCREE_OK)
        status = draw_needles(f, 10.0, "aspect-10", co);
    if (status == SCREE_OK)
        status = draw_needles(f, 50.0, "aspect-50", co);
    if (status == SCREE_OK)
        status = fly_all(f, quick, co);
    return status;
}

const experiment bench_needles = {
    .name = "needles",
    .about = "their question: boxes against circles for bodies of rising aspect ratio, pairs left and pairs that touch",
    .title = "Needles: pairs left by bounding boxes and by bounding circles",
    .paper = true,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"orientation", "aspect", "box_pairs", "circle_pairs", "both", "overlapping", "box_formula", "circle_formula", "overlap_formula", NULL},
};
