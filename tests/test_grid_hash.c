// One by one: insert, remove, move and near of the methods, through their tables, against a loop over the predicate.
#include "near_support.h"

#include "base/parallel.h"
#include "base/sort.h"
#include "geom/pair.h"
#include "index/grid/grid_hash.h"

static const method_table* const methods[] = {&linked_cells_method, &hierarchical_grid_method, &all_pairs_method};

// ---- A world of spheres, as the index keeps it -----------------------------------------------------------------------

enum { most_spheres = 4096 };

typedef struct world {
    const method_table* method;
    void* self;
    scree_index_def def;
    double sizes[8];
    items it;
    double (*xr)[4];
    char about[300];
} world;

static void world_make(world* w, const method_table* method, int32_t dim)
{
    *w = (world){.method = method, .def = scree_default_index_def()};
    w->xr = calloc(most_spheres, sizeof *w->xr);
    w->it = (items){.dim = dim, .xr = (const double(*)[4])w->xr, .threads = 1};
    w->self = method->create();
    assert_non_null(w->self);
}

static void world_free(world* w)
{
    w->method->destroy(w->self);
    free(w->xr);
}

// What the index knows of its spheres; r_min and r_max only widen.
static void world_measure(world* w, int32_t first)
{
    items* it = &w->it;
    if (it->n == 0 || (first == 0 && it->n > 0)) {
        it->r_min = it->n > 0 ? w->xr[0][3] : 0.0;
        it->r_max = it->r_min;
    }
    for (int32_t i = first; i < it->n; ++i) {
        it->r_min = fmin(it->r_min, w->xr[i][3]);
        it->r_max = fmax(it->r_max, w->xr[i][3]);
    }
}

static void world_open(world* w)
{
    items* it = &w->it;
    it->def = &w->def;
    world_measure(w, 0);
    for (int k = 0; k < 3; ++k)
        if (!it->periodic[k]) {
            double low = 0.0, high = 0.0;
            for (int32_t i = 0; i < it->n; ++i) {
                low = i == 0 ? w->xr[i][k] : fmin(low, w->xr[i][k]);
                high = i == 0 ? w->xr[i][k] : fmax(high, w->xr[i][k]);
            }
            it->lower[k] = low;
            it->length[k] = high - low;
        }
    CHECK_OK(w->method->open(w->self, it));
}

static scree_status world_insert(world* w, const double xr[4])
{
    int32_t i = w->it.n;
    assert_true(i < most_spheres);
    memcpy(w->xr[i], xr, sizeof w->xr[i]);
    ++w->it.n;
    world_measure(w, i);
    scree_status status = w->method->insert(w->self, i);
    if (status != SCREE_OK)
        --w->it.n;
    return status;
}

static void world_remove(world* w, int32_t i)
{
    int32_t last = w->it.n - 1;
    w->method->remove(w->self, i);
    if (i != last) {
        w->method->remove(w->self, last);
        memcpy(w->xr[i], w->xr[last], sizeof w->xr[i]);
    }
    --w->it.n;
    if (i != last)
        CHECK_OK(w->method->insert(w->self, i));
}

static void wrap(const world* w, double x[3])
{
    scree_box box = scree_box_open(w->it.dim);
    for (int k = 0; k < w->it.dim; ++k)
        if (w->it.periodic[k]) {
            box.lower[k] = w->it.lower[k];
            box.upper[k] = w->it.lower[k] + w->it.length[k];
            box.periodic[k] = true;
            x[k] = scree_box_wrap(&box, k, x[k], NULL);
        }
}

static void world_move(world* w, int32_t i, const double x[3])
{
    double from[4];
    memcpy(from, w->xr[i], sizeof from);
    memcpy(w->xr[i], x, 3 * sizeof *x);
    wrap(w, w->xr[i]);
    CHECK_OK(w->method->move(w->self, i, from));
}

// ---- Answers ---------------------------------------------------------------------------------------------------------

static void check_world(const world* w, const double xr[4], int32_t own)
{
    near_work work = check_near(w->method, w->self, &w->it, w->it.n, NULL, xr, own, w->about);
    if (work.tests + 1 < work.found)
        fail_msg("%s: %lld found with %lld tests", w->about, (long long)work.found, (long long)work.tests);
}

static void check_structure(const world* w)
{
    scree_status status = w->method->check(w->self);
    if (status != SCREE_OK)
        fail_msg("%s: %s", w->about, scree_error_message());
}

// ---- Worlds by chance ------------------------------------------------------------------------------------------------

typedef struct chance {
    scree_rng rng;
    double unit;      // length of everything
    double side;      // of the box
    double r_min, r_max;
    int pattern;
} chance;

static int below(chance* c, int n)
{
    return (int)scree_rng_below(&c->rng, (uint64_t)n);
}

static double uniform(chance* c)
{
    return scree_rng_uniform(&c->rng);
}

// Radii over the ratio, small ones more often; sometimes 0.
static double draw_radius(chance* c)
{
    double u = uniform(c);
    return below(c, 25) == 0 ? 0.0 : c->r_min * pow(c->r_max / c->r_min, u * u);
}

// Anywhere, on a lattice that cells end on, in one of few clusters, or all at one place.
static void draw_place(chance* c, const world* w, double x[3])
{
    for (int k = 0; k < 3; ++k) {
        double u = uniform(c), lower = w->it.periodic[k] ? w->it.lower[k] : 0.0;
        if (c->pattern == 1)
            u = floor(u * 8.0) / 8.0;
        else if (c->pattern == 2)
            u = 0.3 * (double)below(c, 3) + 0.01 * u;
        else if (c->pattern == 3)
            u = 0.5;
        x[k] = k < w->it.dim ? lower + u * c->side : 0.0;
    }
    wrap(w, x);
}

// Cells, levels and ranges that may be fixed by hand.
static void draw_parameters(chance* c, world* w)
{
    double reach = fmax(2.0 * c->r_max + w->it.gap, 0.1 * c->unit);
    w->def.direction = below(c, SCREE_DIRECTION_COUNT);
    w->def.range = below(c, 2) == 0 ? SCREE_RANGE_TIGHT : below(c, SCREE_RANGE_COUNT);
    if (below(c, 2) == 0)
        return;
    if (w->method == &linked_cells_method) {
        if (below(c, 2) == 0)
            w->def.cell_size = reach * (0.5 + 2.0 * uniform(c));
        else
            for (int k = 0; k < w->it.dim; ++k)
                w->def.cell_sides[k] = reach * (0.5 + 4.0 * uniform(c));
    } else if (below(c, 2) == 0) {
        w->def.levels = 1 + below(c, 6);
    } else {
        w->def.cell_size_count = 1 + below(c, 6);
        w->def.cell_sizes = w->sizes;
        double side = reach * (0.7 + uniform(c));
        for (int32_t h = w->def.cell_size_count - 1; h >= 0; --h, side /= 1.01 + 3.0 * uniform(c))
            w->sizes[h] = side;
    }
}

static chance draw_world(world* w, int64_t round)
{
    static const double ratios[] = {1.0, 1.5, 10.0, 50.0, 1000.0}, gaps[] = {0.0, 0.0, 0.2, 1.0, -0.1, -1.5};
    static const double units[] = {1.0, 1.0, 1e-12, 1e12};
    static const int32_t counts[] = {0, 1, 3, 40, 150, 400};
    chance c = {.rng = scree_rng_make(11, (uint64_t)round)};
    int32_t dim = 2 + below(&c, 2);
    world_make(w, methods[below(&c, 16) == 0 ? 2 : below(&c, 3) > 0], dim);
    c.unit = units[below(&c, 4)];
    c.r_min = c.unit;
    c.r_max = c.unit * ratios[below(&c, 5)];
    c.pattern = below(&c, 5);
    int32_t count = counts[below(&c, 6)];
    double spheres = fmax(count, 8.0) * (0.1 + 2.0 * uniform(&c));
    c.side = 2.0 * pow(c.r_max * c.r_min * c.r_min, 1.0 / 3.0) * pow(spheres, 1.0 / dim);
    bool tiny = below(&c, 6) == 0;  // the box is hardly larger than a sphere
    c.side = tiny ? 2.02 * c.r_max : fmax(c.side, 2.02 * c.r_max);
    w->it.gap = gaps[below(&c, 6)] * (below(&c, 2) == 0 ? c.r_min : 0.3 * c.r_max);
    if (tiny && below(&c, 2) == 0)
        w->it.gap = c.side * (0.5 + uniform(&c));  // and the gap larger than the box
    int periodic = below(&c, 8);
    double away = below(&c, 3) == 0 ? 1e5 * c.side : 0.0;
    for (int k = 0; k < dim; ++k)
        if (periodic >> k & 1) {
            w->it.periodic[k] = true;
            w->it.lower[k] = away * (uniform(&c) - 0.5) - (below(&c, 2) == 0 ? 0.5 * c.side : 0.0);
            w->it.length[k] = (w->it.lower[k] + c.side * (1.0 + 0.3 * uniform(&c))) - w->it.lower[k];
        }
    if (tiny && w->it.gap > c.side && count > 40)
        count = 40;
    draw_parameters(&c, w);
    snprintf(w->about, sizeof w->about,
             "round %lld, %s, dim %d, %d spheres, periodic %d%d%d, gap %g, radii %g to %g, side %g, pattern %d, cell size %g, sides %g %g %g, "
             "levels %d, %d sizes, range %d",
             (long long)round, w->method->name, dim, count, w->it.periodic[0], w->it.periodic[1], w->it.periodic[2], w->it.gap,
             c.r_min, c.r_max, c.side, c.pattern, w->def.cell_size, w->def.cell_sides[0], w->def.cell_sides[1], w->def.cell_sides[2], w->def.levels, w->def.cell_size_count, w->def.range);
    w->it.n = count;
    for (int32_t i = 0; i < count; ++i) {
        draw_place(&c, w, w->xr[i]);
        w->xr[i][3] = draw_radius(&c);
    }
    return c;
}

// The largest radius that a periodic box allows, or a thousand times the largest so far.
static double most_radius(const world* w, const chance* c)
{
    double r = 1e3 * c->r_max;
    for (int k = 0; k < w->it.dim; ++k)
        if (w->it.periodic[k])
            r = fmin(r, 0.5 * w->it.length[k]);
    return r;
}

// So far that it touches, or just does not.
static void draw_touching(chance* c, const world* w, double xr[4])
{
    int32_t j = below(c, w->it.n);
    int k = below(c, w->it.dim);
    memcpy(xr, w->xr[j], 3 * sizeof *xr);
    double way = (xr[3] + w->xr[j][3]) + w->it.gap;
    xr[k] += below(c, 2) == 0 ? way : -way;
    for (int nudge = below(c, 5) - 2; nudge != 0; nudge += nudge < 0 ? 1 : -1)
        xr[k] = nextafter(xr[k], nudge < 0 ? -INFINITY : INFINITY);
    wrap(w, xr);
}

static void step_insert(chance* c, world* w)
{
    double xr[4];
    draw_place(c, w, xr);
    xr[3] = draw_radius(c);
    if (below(c, 6) == 0)
        xr[3] = fmin(most_radius(w, c), w->it.r_max * (1.0 + 2.0 * uniform(c)));
    if (below(c, 40) == 0)
        xr[3] = most_radius(w, c);
    if (w->it.n > 0 && below(c, 3) == 0)
        draw_touching(c, w, xr);
    CHECK_OK(world_insert(w, xr));
    check_world(w, w->xr[w->it.n - 1], w->it.n - 1);
}

static void step_move(chance* c, world* w)
{
    int32_t i = below(c, w->it.n);
    double x[4] = {0.0, 0.0, 0.0, w->xr[i][3]}, back[3];
    memcpy(back, w->xr[i], sizeof back);
    int way = below(c, 6);
    if (way == 0)
        draw_place(c, w, x);
    else if (way == 1)
        draw_touching(c, w, x);
    else
        for (int k = 0; k < w->it.dim; ++k) {
            double far = way == 2 || way == 3 ? c->side : 0.1 * c->r_min;
            if (way == 2 && !w->it.periodic[k])
                far *= pow(10.0, 25.0 * uniform(c));
            x[k] = w->xr[i][k] + far * (2.0 * uniform(c) - 1.0);
            if (way == 5 && w->it.periodic[k])  // onto a face
                x[k] = w->it.lower[k] + (below(c, 2) == 0 ? w->it.length[k] : 0.0);
        }
    world_move(w, i, x);
    check_world(w, w->xr[i], i);
    if (way >= 2 && below(c, 4) > 0) {
        world_move(w, i, back);
        check_world(w, w->xr[i], i);
    }
}

static void step_ask(chance* c, world* w)
{
    double xr[4] = {0.0};
    draw_place(c, w, xr);
    xr[3] = below(c, 2) == 0 ? 0.0 : draw_radius(c) * (1.0 + 3.0 * uniform(c));
    if (below(c, 8) == 0)
        xr[3] = fmax(2.0 * c->side - w->it.r_max - w->it.gap, 0.0) * uniform(c);
    if (w->it.n > 0 && below(c, 3) == 0)
        draw_touching(c, w, xr);
    check_world(w, xr, -1);
}

// Anything in any order, and after each step what is near is what the predicate says.
static void any_order_of_steps_keeps_every_pair(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(800 * test_effort());
    for (int64_t round = 0; round < rounds; ++round) {
        world w;
        chance c = draw_world(&w, round);
        world_open(&w);
        check_structure(&w);
        for (int step = 0; step < 30; ++step) {
            int what = below(&c, 10);
            if (what < 3 && w.it.n < 500)
                step_insert(&c, &w);
            else if (what < 5 && w.it.n > 0)
                world_remove(&w, below(&c, w.it.n));
            else if (what < 8 && w.it.n > 0)
                step_move(&c, &w);
            else
                step_ask(&c, &w);
            check_structure(&w);
        }
        while (w.it.n > 0 && round % 8 == 0)
            world_remove(&w, below(&c, w.it.n));
        check_structure(&w);
        step_ask(&c, &w);
        world_free(&w);
    }
}

// ---- To the last bit -------------------------------------------------------------------------------------------------

// Spheres on the borders of cells and a hair beside them, in a box whose cells no double ends on, asked from just as far as they
// reach, through faces and over several images: a margin too small loses some of them.
static void nothing_is_lost_to_rounding(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(80 * test_effort());
    for (int64_t round = 0; round < rounds; ++round) {
        world w;
        chance c = {.rng = scree_rng_make(12, (uint64_t)round)};
        world_make(&w, methods[below(&c, 2)], 2 + (int32_t)(round % 2));
        double unit = pow(10.0, 12.0 * (double)(below(&c, 3) - 1)), away = below(&c, 2) == 0 ? 0.0 : 1e4 * uniform(&c);
        int cells = 3 + below(&c, 6);
        double length = unit * (double)cells * (1.0 + uniform(&c) / cells);
        snprintf(w.about, sizeof w.about, "round %lld, %s", (long long)round, w.method->name);
        for (int k = 0; k < w.it.dim; ++k) {
            w.it.periodic[k] = below(&c, 4) > 0;
            w.it.lower[k] = w.it.periodic[k] ? unit * away : 0.0;
            w.it.length[k] = w.it.periodic[k] ? (w.it.lower[k] + length) - w.it.lower[k] : 0.0;
        }
        if (w.method == &linked_cells_method) {
            w.def.cell_size = unit;
        } else {
            w.def.cell_size_count = 1;
            w.def.cell_sizes = w.sizes;
            w.sizes[0] = unit;
        }
        w.it.gap = below(&c, 2) == 0 ? 0.0 : 0.1 * unit;
        w.it.n = 300;
        for (int32_t i = 0; i < w.it.n; ++i) {
            for (int k = 0; k < w.it.dim; ++k) {
                double border = unit * away + (double)below(&c, cells + 1) * (w.it.periodic[k] ? length / cells : unit);
                for (int nudge = below(&c, 5) - 2; nudge != 0; nudge += nudge < 0 ? 1 : -1)
                    border = nextafter(border, nudge < 0 ? -INFINITY : INFINITY);
                w.xr[i][k] = below(&c, 4) == 0 ? unit * away + uniform(&c) * length : border;
            }
            wrap(&w, w.xr[i]);
            w.xr[i][3] = 0.4 * unit;
        }
        world_open(&w);
        for (int query = 0; query < 200; ++query) {
            int32_t j = below(&c, w.it.n);
            int k = below(&c, w.it.dim);
            double xr[4], turn = w.it.periodic[k] ? (double)(below(&c, 3) - 1) : 0.0;
            memcpy(xr, w.xr[j], sizeof xr);
            xr[k] = below(&c, 4) == 0 ? w.xr[below(&c, w.it.n)][k] : unit * away + uniform(&c) * length;
            wrap(&w, xr);
            double way = fabs((xr[k] - w.xr[j][k]) - turn * w.it.length[k]);
            xr[3] = way - w.xr[j][3] - w.it.gap;
            for (int nudge = below(&c, 5) - 2; nudge != 0; nudge += nudge < 0 ? 1 : -1)
                xr[3] = nextafter(xr[3], nudge < 0 ? -INFINITY : INFINITY);
            xr[3] = fmax(xr[3], 0.0);
            check_world(&w, xr, -1);
        }
        world_free(&w);
    }
}

// Two cells whose hashes agree in all bits that a slot keeps are still two cells.
static void cells_with_one_tag_are_distinguished(void** state)
{
    (void)state;
    enum { along = 600 };
    uint64_t* tags = malloc((size_t)along * along * sizeof *tags);
    for (uint64_t c = 0; c < (uint64_t)along * along; ++c)
        tags[c] = (uint64_t)hash_tag(hash_key(0, (int64_t)(c % along), (int64_t)(c / along), 0)) << 32 | c;
    scree_sort_keys(tags, (int64_t)along * along);
    int twins = 0;
    for (int64_t c = 1; c < (int64_t)along * along; ++c) {
        if (tags[c] >> 32 != tags[c - 1] >> 32)
            continue;
        ++twins;
        world w;
        world_make(&w, &linked_cells_method, 2);
        snprintf(w.about, sizeof w.about, "twin %d", twins);
        w.def.cell_size = 1.0;
        w.it.n = 200;  // in a row, so that cells are counted from 0 and a query does not walk them all
        for (int32_t i = 0; i < w.it.n; ++i)
            memcpy(w.xr[i], (const double[4]){2.0 * i, i == 0 ? 0.0 : 700.5, 0.0, 0.3}, sizeof w.xr[i]);
        world_open(&w);
        double twin[2][4];
        for (int t = 0; t < 2; ++t) {
            uint64_t cell = tags[c - t] & UINT32_MAX;
            double at[4] = {(double)(cell % along) + 0.5, (double)(cell / along) + 0.5, 0.0, 0.1};
            memcpy(twin[t], at, sizeof at);
        }
        for (int t = 0; t < 2; ++t) {
            CHECK_OK(world_insert(&w, twin[t]));
            for (int other = 0; other < 2; ++other)
                check_world(&w, twin[other], -1);
            check_structure(&w);
        }
        world_remove(&w, 200);
        for (int other = 0; other < 2; ++other)
            check_world(&w, twin[other], -1);
        check_structure(&w);
        world_free(&w);
    }
    assert_true(twins > 0);
    free(tags);
}

// ---- Work ------------------------------------------------------------------------------------------------------------

// Tests and cells of a query, on average over all spheres.
static double mean_work(const world* w)
{
    sink to = {.room = 0};
    for (int32_t i = 0; i < w->it.n; ++i)
        w->method->near(w->self, w->xr[i], i, &to);
    return (double)(to.tests + to.cells) / fmax(w->it.n, 1.0);
}

// Sizes over a ratio of 30 in a box that they half fill, in a given order of sizes: 1 rising, -1 falling, 0 mixed.
static void fill_world(world* w, int order, bool at_once)
{
    scree_rng rng = scree_rng_make(13, 0);
    int32_t n = 3000;
    double volume = 0.0;
    double (*xr)[4] = calloc((size_t)n, sizeof *xr);
    for (int32_t i = 0; i < n; ++i) {
        double u = (i + 0.5) / n;
        u = order < 0 ? 1.0 - u : order > 0 ? u : scree_rng_uniform(&rng);
        xr[i][3] = 1.0 / sqrt(1.0 - u * (1.0 - 1.0 / 900.0));  // equal volumes or nearly
        volume += 4.0 / 3.0 * 3.14159265 * xr[i][3] * xr[i][3] * xr[i][3];
    }
    double side = cbrt(2.0 * volume);
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            xr[i][k] = side * scree_rng_uniform(&rng);
    for (int k = 0; k < 3; ++k) {
        w->it.periodic[k] = k < 2;
        w->it.length[k] = k < 2 ? side : 0.0;
    }
    w->it.n = at_once ? n : 0;
    if (at_once)
        memcpy(w->xr, xr, (size_t)n * sizeof *xr);
    world_open(w);
    for (int32_t i = 0; i < n && !at_once; ++i)
        CHECK_OK(world_insert(w, xr[i]));
    free(xr);
}

// Put in one by one, the largest first, last or in between: the levels follow, and queries cost about what they cost had all
// been there from the start.
static void levels_follow_what_comes(void** state)
{
    (void)state;
    world w;
    world_make(&w, &hierarchical_grid_method, 3);
    fill_world(&w, 0, true);
    double fair = mean_work(&w);
    size_t bytes = w.method->bytes(w.self);
    assert_true(fair < 300.0);
    world_free(&w);
    for (int order = -1; order <= 1; ++order) {
        world_make(&w, &hierarchical_grid_method, 3);
        snprintf(w.about, sizeof w.about, "order %d", order);
        fill_world(&w, order, false);
        check_structure(&w);
        double work = mean_work(&w);
        if (!(work < 2.0 * fair))
            fail_msg("order %d: %g tests and cells per query, %g if opened with all", order, work, fair);
        assert_true(w.method->bytes(w.self) < 3 * bytes);
        for (int32_t i = 0; i < w.it.n; i += 300)
            check_world(&w, w.xr[i], i);
        world_free(&w);
    }
}

// However often spheres change their cells, nothing grows, and no search becomes longer.
static void moves_leave_no_traces(void** state)
{
    (void)state;
    for (int m = 0; m < 2; ++m) {
        world w;
        world_make(&w, methods[m], 3);
        snprintf(w.about, sizeof w.about, "%s", methods[m]->name);
        fill_world(&w, 0, true);
        double work = mean_work(&w), side = w.it.length[0];
        size_t bytes = w.method->bytes(w.self);
        double (*home)[4] = malloc((size_t)w.it.n * sizeof *home);
        memcpy(home, w.xr, (size_t)w.it.n * sizeof *home);
        scree_rng rng = scree_rng_make(14, 0);
        scree_memory_fail_at(1);  // a move needs no memory
        for (int64_t move = 0; move < 100000; ++move) {
            double x[3];
            for (int k = 0; k < 3; ++k)
                x[k] = side * scree_rng_uniform(&rng);
            world_move(&w, (int32_t)scree_rng_below(&rng, (uint64_t)w.it.n), x);
        }
        check_structure(&w);
        for (int32_t i = 0; i < w.it.n; ++i)
            world_move(&w, i, home[i]);
        assert_int_equal(scree_memory_fail_at(0), 0);
        check_structure(&w);
        assert_int_equal(w.method->bytes(w.self), bytes);
        CHECK_CLOSE(mean_work(&w), work, 0.02 * work);
        free(home);
        world_free(&w);
    }
}

// ---- Memory ----------------------------------------------------------------------------------------------------------

static void lack_of_memory_leaves_the_others(void** state)
{
    (void)state;
    for (int m = 0; m < 2; ++m) {
        world w;
        world_make(&w, methods[m], 3);
        snprintf(w.about, sizeof w.about, "%s", methods[m]->name);
        chance c = {.rng = scree_rng_make(15, 0), .side = 30.0, .r_min = 0.5, .r_max = 3.0, .unit = 1.0};
        w.it.n = 50;
        w.it.periodic[1] = true;
        w.it.length[1] = 30.0;
        for (int32_t i = 0; i < w.it.n; ++i) {
            draw_place(&c, &w, w.xr[i]);
            w.xr[i][3] = draw_radius(&c);
        }
        world_open(&w);
        EACH_ALLOCATION_FAILS(w.method->open(w.self, &w.it), (void)0);
        check_structure(&w);
        for (int i = 0; i < 400; ++i) {
            double xr[4];
            draw_place(&c, &w, xr);
            xr[3] = i % 37 == 36 ? 1.1 * w.it.r_max : draw_radius(&c);
            EACH_ALLOCATION_FAILS(world_insert(&w, xr), check_structure(&w));
            check_structure(&w);
            check_world(&w, xr, w.it.n - 1);
        }
        world_free(&w);
    }
}

// ---- Readers ---------------------------------------------------------------------------------------------------------

typedef struct readers {
    const world* w;
    int64_t counts[256];
} readers;

static scree_status read_some(void* context, int64_t chunk)
{
    readers* r = context;
    for (int32_t i = (int32_t)chunk; i < r->w->it.n; i += 256) {
        sink to = {.room = 0};
        r->w->method->near(r->w->self, r->w->xr[i], i, &to);
        r->counts[chunk] += to.count;
    }
    return SCREE_OK;
}

static void any_number_may_ask_at_once(void** state)
{
    (void)state;
    for (int m = 0; m < 3; ++m) {
        world w;
        world_make(&w, methods[m], 3);
        fill_world(&w, 0, true);
        readers one = {.w = &w}, many = {.w = &w};
        scree_parallel_for(1, 256, read_some, &one, NULL);
        scree_parallel_for(4, 256, read_some, &many, NULL);
        assert_memory_equal(one.counts, many.counts, sizeof one.counts);
        world_free(&w);
    }
}

static const test_case cases[] = {
    PROPERTY(any_order_of_steps_keeps_every_pair),
    PROPERTY(nothing_is_lost_to_rounding),
    UNIT(cells_with_one_tag_are_distinguished),
    UNIT(levels_follow_what_comes),
    ALLOCATION(moves_leave_no_traces),
    ALLOCATION(lack_of_memory_leaves_the_others),
    THREADS(any_number_may_ask_at_once),
};

const test_group group_grid_hash = {.name = "grid_hash", .cases = cases, .count = sizeof cases / sizeof *cases};
