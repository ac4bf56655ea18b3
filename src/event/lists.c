// Possible collision partners: a list for each sphere, with images; all lists are made through the index, single ones through cells (cells.c).
//
// Each sphere has a reference point and may move within half a skin of it; the list of i contains all j with a gap below the skin between the
// references, at radii that are not reached before all lists are rebuilt. Spheres that are not listed then never touch. A sphere that
// leaves its ball (an event like others) gets a new reference and list, and enters or leaves the lists of others; the cells store
// references, not positions, and change only then. The gap must be between references, not positions: a partner may be
// half a skin on the far side of its own reference and return unnoticed.
//
// All lists are rebuilt when radii reach the size that lists were made for, when a sphere has moved through several boxes, and after a number of
// collisions. Spheres are then numbered along a Morton curve, so that neighbours in space are neighbours in memory, and the skin follows
// from counts: longer lists cost at each prediction, short skins cost refreshes.
//
// The lists are lists of single spheres (scree/neighbours.h). Specific to hard spheres are references ahead of their spheres, how far each may move, and which are heavy.
//
// Cost: about half a microsecond for a refresh; about as much per sphere for all lists.
#include "event/system.h"

#include "base/array.h"
#include "base/morton.h"
#include "base/sort.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// ---- One sphere ------------------------------------------------------------------------------------------------------

// The new reference is not where the sphere is but ahead of it: it comes from behind, and flies on until it meets somebody.
static const double ahead = 0.6;

static void set_reference(scree_event_system* s, int32_t i)
{
    const event_sphere* p = &s->line[i];
    double* reference = s->reference[i];
    double dt = s->now - p->t, speed = sqrt((p->v[0] * p->v[0] + p->v[1] * p->v[1]) + p->v[2] * p->v[2]);
    double span = speed > 0.0 ? ahead * reference[3] / speed : 0.0;
    for (int k = 0; k < 3; ++k) {
        reference[k] = p->x[k] + p->v[k] * dt + p->v[k] * span;
        if (k < s->dim && !s->periodic[k])  // no farther from the sphere, and in the box
            reference[k] = fmin(fmax(reference[k], 0.0), s->length[k]);
    }
}

scree_status event_lists_refresh(scree_event_system* s, int32_t i)
{
    set_reference(s, i);
    event_cells* c = &s->cells;
    event_cells_move(c, i, s->reference[i]);
    scree_status status = event_cells_look(c, i);
    if (status != SCREE_OK)
        return status;
    scree_neighbour_change change;
    status = scree_neighbour_lists_replace(s->lists, i, c->hit_count, c->hit_j, c->hit_image, &change);
    if (status == SCREE_OK)
        status = scree_neighbour_lists_get_rows(s->lists, &s->rows);
    if (status != SCREE_OK)
        return status;
    ++s->work.refreshes;
    if (s->heavy[i] >= 0)
        s->heavies[s->heavy[i]].until = -INFINITY;
    for (int32_t k = 0; k < change.count; ++k) {
        int32_t j = c->hit_j[change.added[k]];
        s->near_heavy[i] |= s->heavy[j] >= 0;
        s->near_heavy[j] |= s->heavy[i] >= 0;
        if (s->heavy[i] >= 0 && s->heavy[j] >= 0)
            s->heavies[s->heavy[j]].until = -INFINITY;
    }
    return SCREE_OK;
}

// ---- All of them -----------------------------------------------------------------------------------------------------

static void wrap(scree_event_system* s)
{
    const scree_box box = {.dim = s->dim,
                           .upper = {s->length[0], s->length[1], s->length[2]},
                           .periodic = {s->periodic[0], s->periodic[1], s->periodic[2]}};
    for (int32_t i = 0; i < s->n; ++i)
        for (int k = 0; k < s->dim; ++k)
            s->line[i].x[k] = s->periodic[k] ? scree_box_wrap(&box, k, s->line[i].x[k], NULL) : fmin(fmax(s->line[i].x[k], 0.0), s->length[k]);
}

// Neighbours in space become neighbours in memory. Scratch: `flat`, which has room for the sort, and the references.
static void order(scree_event_system* s)
{
    int32_t n = s->n;
    int64_t *key = (int64_t*)s->flat, *spare_key = key + n;
    uint32_t *word = (uint32_t*)(spare_key + n), *spare_word = word + n;
    double cells = s->dim == 2 ? 2147483648.0 : 2097152.0, longest = fmax(s->length[0], fmax(s->length[1], s->length[2]));
    for (int32_t i = 0; i < n; ++i) {
        uint64_t cell[3] = {0};
        for (int k = 0; k < s->dim; ++k)
            cell[k] = (uint64_t)fmin(fmax(s->line[i].x[k] / longest, 0.0) * cells, cells - 1.0);
        key[i] = (int64_t)scree_morton_key(s->dim, cell);
        word[i] = (uint32_t)i;
    }
    scree_sort_with(key, word, spare_key, spare_word, n);
    // Round each cycle of the permutation; `mark` says who is done.
    for (int32_t i = 0; i < n; ++i) {
        if (s->mark[i] == 0)
            continue;
        event_sphere line = s->line[i];
        double inverse_mass = s->inverse_mass[i];
        int32_t id = s->id[i], at = i;
        uint32_t changes = s->due[i].changes;
        for (int32_t from = (int32_t)word[at]; from != i; at = from, from = (int32_t)word[at]) {
            s->line[at] = s->line[from];
            s->inverse_mass[at] = s->inverse_mass[from];
            s->id[at] = s->id[from];
            s->due[at].changes = s->due[from].changes;
            s->mark[at] = 0;
        }
        s->line[at] = line;
        s->inverse_mass[at] = inverse_mass;
        s->id[at] = id;
        s->due[at].changes = changes;
        s->mark[at] = 0;
    }
    memset(s->mark, -1, (size_t)n * sizeof *s->mark);
}

// Who is heavy, and room for what concerns them.
static scree_status find_heavy(scree_event_system* s)
{
    int64_t room = 0;
    s->heavy_count = 0;
    for (int32_t i = 0; i < s->n; ++i) {
        s->near_heavy[i] = 0;
        s->heavy[i] = -1;
        if (s->rows.row[i].count > s->heavy_row)
            s->heavy[i] = s->heavy_count++;
    }
    scree_status status = SCREE_RESERVE(s->heavies, s->heavy_capacity, s->heavy_count);
    for (int32_t i = 0; i < s->n && status == SCREE_OK && s->heavy_count > 0; ++i) {
        if (s->heavy[i] < 0)
            continue;
        event_heavy* h = &s->heavies[s->heavy[i]];
        *h = (event_heavy){.until = -INFINITY, .start = room, .capacity = s->rows.row[i].count / 2 + 16};
        room += h->capacity;
        for (int32_t e = 0; e < s->rows.row[i].count; ++e)
            s->near_heavy[s->rows.j[s->rows.row[i].at + e]] = 1;
    }
    if (status == SCREE_OK)
        status = SCREE_RESERVE(s->agenda_j, s->agenda_j_capacity, room);
    return status == SCREE_OK ? SCREE_RESERVE(s->agenda_image, s->agenda_image_capacity, room) : status;
}

void event_lists_skin(scree_event_system* s)
{
    double d = 2.0 * s->a_mean * event_scale_now(s), tests = (double)(s->work.tests - s->listed_at.tests);
    if (s->skin == 0.0) {
        s->skin = 1.4 * s->a_mean * fmax(event_scale_now(s), 0.2);
    } else if (tests > 0.0) {
        // What the skin costs in tests, and a refresh, which there are the fewer of the wider it is, in tests too. At the best
        // width the two change alike. Spheres in cages leave their ball hardly ever, and the skin falls.
        double length = (double)s->rows.entries / s->n, refresh = (double)(s->work.refreshes - s->listed_at.refreshes) * (100.0 + 1.5 * length);
        s->skin *= scree_skin_factor(1.5 * refresh, tests * s->dim * s->skin / (d + s->skin));
    }
    double longest = fmax(s->length[0], fmax(s->length[1], s->length[2]));
    s->skin = fmin(fmax(s->skin, fmax(1e-7 * longest, 0.004 * s->a_mean)), 0.1 * s->shortest);
}

// Small spheres are fast and have few neighbours, large ones slow with many: so the small may roam farther.
static const double roam_least = 0.1, roam_most = 2.0;

static double roam_of(const scree_event_system* s, double a)
{
    return 0.5 * s->skin * fmin(fmax(s->a_mean / a, roam_least), roam_most);
}

scree_status event_lists_make(scree_event_system* s)
{
    event_settle(s);
    s->listed = false;
    event_lists_skin(s);
    // Room to grow into: a fifth of the skin for the mean sphere.
    s->list_scale = s->scale;
    if (s->rate > 0.0)
        s->list_scale = fmin(s->scale + 0.1 * s->skin / s->a_mean, s->scale_most);
    wrap(s);
    order(s);
    double *x = s->flat, *r = s->flat + (int64_t)s->n * s->dim, common = roam_least * s->skin;
    for (int32_t i = 0; i < s->n; ++i) {
        double a = s->line[i].a, extra = fmin(roam_of(s, a) - 0.5 * common, s->shortest * (0.5 - 1e-9) - a * s->list_scale);
        extra = fmax(extra, 0.0);
        memcpy(s->reference[i], s->line[i].x, 3 * sizeof *s->reference[i]);
        s->reference[i][3] = (0.5 * common + extra) * (1.0 - 1e-9);
        memcpy(x + (int64_t)i * s->dim, s->line[i].x, (size_t)s->dim * sizeof *x);
        r[i] = a * s->list_scale + extra;
    }
    scree_status status = scree_index_set_gap(s->index, common);
    if (status == SCREE_OK)
        status = scree_index_update(s->index, (scree_spheres){.count = s->n, .dim = s->dim, .x = x, .r = r});
    if (status == SCREE_OK)
        status = scree_neighbour_lists_make(s->lists, common);
    if (status == SCREE_OK)
        status = scree_neighbour_lists_get_rows(s->lists, &s->rows);
    if (status == SCREE_OK)
        status = find_heavy(s);
    for (int32_t i = 0; i < s->n; ++i)
        r[i] += 0.5 * common;
    if (status == SCREE_OK)
        status = event_cells_fill(&s->cells, s->n, (const double(*)[4])s->reference, r);
    if (status != SCREE_OK)
        return status;
    ++s->work.rebuilds;
    s->listed_at = s->work;
    // Often at first, to find the skin.
    int64_t every = s->work.rebuilds < 7 ? (int64_t)1 << (s->work.rebuilds - 1) : 64;
    s->until_rebuild = every * s->n / 2 + 100;
    s->listed = true;
    return SCREE_OK;
}
