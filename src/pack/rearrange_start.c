// Collective rearrangement: memory, the initial box, and random centres in it.
#include "rearrange_inner.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

double pile_density(const pile* p)
{
    double sum = 0.0;
    for (int32_t i = 0; i < p->n; ++i)
        sum += placing_ball(p->dim, p->r[i] * p->factor);
    return sum / scree_container_volume(&p->container);
}

void pile_close(pile* p)
{
    if (p == NULL)
        return;
    if (p->way != NULL)
        p->way->end(p);
    scree_neighbour_lists_destroy(p->lists);
    scree_index_destroy(p->index);
    scree_free(p->id);
    scree_free(p->x);
    scree_free(p->v);
    scree_free(p->f);
    scree_free(p->reference);
    scree_free(p->r);
    scree_free(p->flat);
    scree_free(p->alone);
    scree_free(p->part);
    scree_free(p);
}

// The box inside: of the asked shape, of the volume of the start density, its longest side about as many r_max as it takes.
static void size_box(pile* p)
{
    const scree_rearrange_def* def = p->def;
    double longest = 0.0, volume = 0.0, shortest = INFINITY;
    p->container = (scree_container){.kind = def->container, .box = {.dim = p->dim}};
    p->round = def->container == SCREE_CONTAINER_BOX ? 0 : def->container == SCREE_CONTAINER_CYLINDER ? 2 : p->dim;
    for (int k = 0; k < p->dim; ++k)
        longest = fmax(longest, def->box.upper[k] - def->box.lower[k]);
    for (int k = 0; k < p->dim; ++k) {
        p->length[k] = (def->box.upper[k] - def->box.lower[k]) / longest;
        p->periodic[k] = p->container.box.periodic[k] = def->box.periodic[k];
        p->container.box.upper[k] = p->length[k];
        shortest = fmin(shortest, p->length[k]);
    }
    for (int32_t i = 0; i < p->n; ++i)
        volume += placing_ball(p->dim, p->r[i]);
    double scale = pow(volume / (def->start_density * scree_container_volume(&p->container)), 1.0 / p->dim);
    scale = fmax(scale, 2.0 * p->r_max / shortest * (1.0 + 1e-9));  // the largest fits, and does not meet its own image
    for (int k = 0; k < p->dim; ++k)
        p->container.box.upper[k] = p->length[k] *= scale;
    p->density = pile_density(p);
    for (int t = 0; t < 3; ++t)
        p->tilt[t] = t == 0 || p->dim == 3 ? def->box.tilt[t] / longest * scale : 0.0;
    scree_lattice_reduce(p->length, p->tilt);
    p->tilted = scree_lattice_tilted(p->tilt);
    memcpy(p->container.box.tilt, p->tilt, sizeof p->tilt);
    p->period = scree_box_period(&p->container.box);
    for (int c = 0; c < shift_codes; ++c) {
        int shift[3];
        scree_neighbour_shift(shift_most, c, shift);
        scree_lattice_offset(p->length, p->tilt, shift[0], shift[1], shift[2], p->offset[c]);
    }
}

// Every centre by itself, uniform over what the walls leave to its sphere.
static scree_status draw_centres(pile* p, double* x)
{
    scree_rng rng = scree_rng_make(p->def->seed, 7);
    for (int32_t i = 0; i < p->n; ++i)
        scree_container_draw(&p->container, p->r[i], &rng, x + (int64_t)i * p->dim);
    return SCREE_OK;
}

// Placing is not part of the progress that the caller sees, but it can be stopped.
static bool tick_placing(void* context, double done)
{
    const scree_watch* watch = context;
    (void)done;
    return watch->tick(watch->context, 0.0);
}

// Such that spheres of a part of the size would not overlap: small ones that begin deep inside large ones take long to get out, and their way would be
// longer the larger the largest.
static scree_status spread_centres(pile* p, double* x)
{
    scree_place_def place = scree_default_place_def();
    place.box = p->container.box;
    place.container = p->container.kind;
    place.seed = p->def->seed;
    place.tries = 10000;
    scree_watch watch = p->def->watch;
    if (watch.tick != NULL)
        place.watch = (scree_watch){.tick = tick_placing, .context = &watch};
    double* r = p->flat + (int64_t)p->n * p->dim;
    scree_status status = SCREE_ERR_ARGUMENT;
    double part = pow((p->dim == 2 ? 0.35 : 0.25) / p->density, 1.0 / p->dim);
    for (part = fmin(part, 1.0); status == SCREE_ERR_ARGUMENT && part > 0.0; part = part > 0.01 ? 0.7 * part : 0.0) {
        for (int32_t i = 0; i < p->n; ++i)
            r[i] = part * p->r[i];
        status = scree_place_random(&place, p->n, r, x);
    }
    return status;
}

static scree_status scatter(pile* p)
{
    double* x = p->flat;
    scree_status status = p->def->centres == SCREE_CENTRES_RANDOM ? draw_centres(p, x) : spread_centres(p, x);
    for (int32_t i = 0; i < p->n && status == SCREE_OK; ++i) {
        p->x[i][3] = p->r[i];
        for (int k = 0; k < p->dim; ++k) {
            double x_k = x[(int64_t)i * p->dim + k];
            p->x[i][k] = p->periodic[k] ? x_k : fmin(fmax(x_k, p->r[i]), p->length[k] - p->r[i]);
        }
        double d[3], distance = pile_from_middle(p, p->x[i], d), most = 0.5 * p->length[0] - p->r[i];
        for (int k = 0; k < p->round && distance > most; ++k)
            p->x[i][k] = 0.5 * p->length[k] + d[k] * (fmax(most, 0.0) / distance);
    }
    return status;
}

// Centres as the caller has them, in the box of the def.
static void take_centres(pile* p, const double* x)
{
    const scree_box* box = &p->def->box;
    for (int32_t i = 0; i < p->n; ++i) {
        p->x[i][3] = p->r[i];
        for (int k = 0; k < p->dim; ++k)
            p->x[i][k] = (x[(int64_t)i * p->dim + k] - box->lower[k]) * (p->length[k] / (box->upper[k] - box->lower[k]));
    }
}

enum { threads_from = 2000 };  // spheres

scree_status pile_open_at(const scree_rearrange_def* def, int32_t n, const double* r, const double* centres, pile** out)
{
    pile* p = scree_calloc(1, sizeof *p);
    if (p == NULL)
        return SCREE_ERR_MEMORY;
    *out = p;
    p->def = def;
    p->way = def->moves == SCREE_MOVES_ONE_BY_ONE ? &pile_visits : &pile_relax;
    p->dim = def->box.dim;
    p->n = n;
    p->blocks = ((int64_t)n + pile_block - 1) / pile_block;
    p->threads = n < threads_from ? 1 : def->threads;
    p->factor = 1.0;
    p->began = scree_clock();
    p->id = scree_malloc((size_t)n, sizeof *p->id);
    p->x = scree_calloc((size_t)n, sizeof *p->x);
    p->v = scree_calloc((size_t)n, sizeof *p->v);
    p->f = scree_calloc((size_t)n, sizeof *p->f);
    p->reference = scree_calloc((size_t)n, sizeof *p->reference);
    p->r = scree_malloc((size_t)n, sizeof *p->r);
    p->flat = scree_malloc((size_t)n * (size_t)(p->dim + 1), sizeof *p->flat);
    p->part = scree_calloc((size_t)p->blocks, sizeof *p->part);
    if (def->attraction > 0.0)
        p->alone = scree_calloc((size_t)n, sizeof *p->alone);
    if (p->id == NULL || p->x == NULL || p->v == NULL || p->f == NULL || p->reference == NULL || p->r == NULL ||
        p->flat == NULL || p->part == NULL || (def->attraction > 0.0 && p->alone == NULL))
        return SCREE_ERR_MEMORY;

    double r_max = 0.0;
    for (int32_t i = 0; i < n; ++i)
        r_max = fmax(r_max, r[i]);
    p->unit = ilogb(r_max);
    p->r_min = INFINITY;
    for (int32_t i = 0; i < n; ++i) {
        p->r[i] = ldexp(r[i], -p->unit);
        p->r_min = fmin(p->r_min, p->r[i]);
        p->r_max = fmax(p->r_max, p->r[i]);
        p->id[i] = (uint32_t)i;
    }
    size_box(p);

    for (int32_t i = 0; i < n; ++i)
        p->r_mean += p->r[i] / n;
    p->skin = 0.5 * p->r_mean;
    scree_status status = SCREE_OK;
    if (centres != NULL)
        take_centres(p, centres);
    else
        status = scatter(p);
    if (status != SCREE_OK)
        return status;

    scree_index_def search = scree_default_index_def();
    search.method = def->method;
    search.box = p->container.box;
    search.sorted = def->moves == SCREE_MOVES_ONE_BY_ONE;  // there neighbours are taken as they come
    search.skin = -1.0;
    search.threads = p->threads;
    status = scree_index_create(&search, &p->index);
    if (status != SCREE_OK)
        return status;
    scree_neighbour_lists_def lists = scree_default_neighbour_lists_def();
    lists.index = p->index;
    lists.images = shift_most;
    lists.sorted = true;  // sums over rows must not depend on how these came to be
    lists.steady = def->moves != SCREE_MOVES_ONE_BY_ONE;
    lists.threads = p->threads;
    return scree_neighbour_lists_create(&lists, &p->lists);
}

scree_status pile_open(const scree_rearrange_def* def, int32_t n, const double* r, pile** out)
{
    return pile_open_at(def, n, r, NULL, out);
}
