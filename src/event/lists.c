// Who may collide with whom: a list for each sphere, with images; all together made through the index, one alone through cells of its own.
//
// Each sphere has a reference point and may roam within half a skin of it; the list of i holds all j with a gap below the skin between the
// references, at radii that nobody reaches before all lists are made anew. Then whoever is not listed cannot come to touch. A sphere that
// leaves its ball (an event like others) gets a new reference and list, and enters or leaves the lists of others; the cells (cells.c) hold
// references, not places, and are touched only then. That the gap is between references, not places, matters: a partner may stand
// half a skin on the far side of its own reference and come back unnoticed.
//
// Everything is made anew when radii reach the size that lists were made for, when a sphere has flown through some boxes, and after a number of
// collisions: spheres are then numbered along a Morton curve, so that neighbours in space are neighbours in memory, and the skin follows
// from what was counted: longer lists cost at each prediction, short skins cost refreshes.
//
// Cost: about half a microsecond for a refresh; about as much per sphere for all. Rows have room to grow by half before they have to move
// to the end of the pool.
#include "event/system.h"

#include "base/array.h"
#include "base/morton.h"
#include "base/sort.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static inline int32_t image_of(const int8_t shift[3])
{
    assert(shift[0] >= -7 && shift[0] <= 7 && shift[1] >= -7 && shift[1] <= 7 && shift[2] >= -7 && shift[2] <= 7);
    return event_here + shift[0] + event_wide * (shift[1] + event_wide * shift[2]);
}

static inline int32_t opposite(int32_t image)
{
    return event_images - 1 - image;
}

// ---- One sphere ------------------------------------------------------------------------------------------------------

static scree_status make_room(scree_event_system* s, int32_t i, int32_t wanted)
{
    event_row* row = &s->row[i];
    if (wanted <= row->capacity)
        return SCREE_OK;
    int32_t capacity = wanted + wanted / 2 + 4;
    scree_status status = SCREE_RESERVE(s->pool, s->pool_capacity, s->pool_used + capacity);
    if (status != SCREE_OK)
        return status;
    memcpy(s->pool + s->pool_used, s->pool + row->start, (size_t)row->count * sizeof *s->pool);
    row->start = s->pool_used;
    row->capacity = capacity;
    s->pool_used += capacity;
    return SCREE_OK;
}

static scree_status append(scree_event_system* s, int32_t i, event_entry entry)
{
    scree_status status = make_room(s, i, s->row[i].count + 1);
    if (status == SCREE_OK)
        s->pool[s->row[i].start + s->row[i].count++] = entry;
    s->near_heavy[i] |= s->heavy[entry.j] >= 0;
    if (s->heavy[i] >= 0 && s->heavy[entry.j] >= 0)
        s->heavies[s->heavy[i]].until = -INFINITY;
    return status;
}

static void drop(scree_event_system* s, int32_t i, event_entry entry)
{
    event_row* row = &s->row[i];
    event_entry* e = s->pool + row->start;
    int32_t at = 0;
    while (e[at].j != entry.j || e[at].image != entry.image)
        ++at;
    e[at] = e[--row->count];
}

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
    ++s->work.refreshes;
    if (s->heavy[i] >= 0)
        s->heavies[s->heavy[i]].until = -INFINITY;

    // Hits are marked, those with several images of one partner in a chain. Old ones that are not among them are dropped from both lists, and hits that
    // are not among the old added to both.
    enum { there = -1 };
    for (int32_t h = c->hit_count - 1; h >= 0; --h) {
        __builtin_prefetch(&s->row[c->hits[h].j]);
        c->hits[h].next = s->mark[c->hits[h].j];
        s->mark[c->hits[h].j] = h;
    }
    event_entry* old = s->pool + s->row[i].start;
    int32_t old_count = s->row[i].count, kept = 0;
    for (int32_t e = 0; e < old_count; ++e) {
        int32_t h = s->mark[old[e].j];
        while (h >= 0 && c->hits[h].image != old[e].image)
            h = c->hits[h].next;
        if (h >= 0) {
            c->hits[h].image = there;
            old[kept++] = old[e];
        } else {
            drop(s, old[e].j, (event_entry){i, opposite(old[e].image)});
        }
    }
    s->row[i].count = kept;
    s->entries -= 2 * (old_count - kept);
    for (int32_t h = 0; h < c->hit_count; ++h) {
        event_hit hit = c->hits[h];
        s->mark[hit.j] = -1;
        if (hit.image == there || status != SCREE_OK)
            continue;
        status = append(s, i, (event_entry){hit.j, hit.image});
        if (status == SCREE_OK)
            status = append(s, hit.j, (event_entry){i, opposite(hit.image)});
        s->entries += 2;
    }
    return status;
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

// Rows from pairs, with room to grow.
static scree_status make_rows(scree_event_system* s, const scree_pairs* pairs)
{
    for (int32_t i = 0; i < s->n; ++i)
        s->row[i] = (event_row){0};
    for (int64_t q = 0; q < pairs->count; ++q)
        if (pairs->ij[q][0] != pairs->ij[q][1]) {
            ++s->row[pairs->ij[q][0]].capacity;
            ++s->row[pairs->ij[q][1]].capacity;
        }
    int64_t sum = 0;
    s->entries = 0;
    for (int32_t i = 0; i < s->n; ++i) {
        event_row* row = &s->row[i];
        s->entries += row->capacity;
        row->capacity += row->capacity / 4 + 4;
        row->start = sum;
        sum += row->capacity;
    }
    s->pool_used = 0;
    scree_status status = SCREE_RESERVE(s->pool, s->pool_capacity, sum);
    if (status != SCREE_OK)
        return status;
    s->pool_used = sum;
    for (int64_t q = 0; q < pairs->count; ++q) {
        int32_t i = pairs->ij[q][0], j = pairs->ij[q][1];
        if (i == j)
            continue;
        int32_t image = pairs->shift != NULL ? image_of(pairs->shift[q]) : event_here;
        s->pool[s->row[i].start + s->row[i].count++] = (event_entry){j, image};
        s->pool[s->row[j].start + s->row[j].count++] = (event_entry){i, opposite(image)};
    }
    return SCREE_OK;
}

// Who is heavy, and room for what concerns them.
static scree_status find_heavy(scree_event_system* s)
{
    int64_t room = 0;
    s->heavy_count = 0;
    for (int32_t i = 0; i < s->n; ++i) {
        s->near_heavy[i] = 0;
        s->heavy[i] = -1;
        if (s->row[i].count > s->heavy_row)
            s->heavy[i] = s->heavy_count++;
    }
    scree_status status = SCREE_RESERVE(s->heavies, s->heavy_capacity, s->heavy_count);
    for (int32_t i = 0; i < s->n && status == SCREE_OK && s->heavy_count > 0; ++i) {
        if (s->heavy[i] < 0)
            continue;
        event_heavy* h = &s->heavies[s->heavy[i]];
        *h = (event_heavy){.until = -INFINITY, .start = room, .capacity = s->row[i].count / 2 + 16};
        room += h->capacity;
        for (int32_t e = 0; e < s->row[i].count; ++e)
            s->near_heavy[s->pool[s->row[i].start + e].j] = 1;
    }
    return status == SCREE_OK ? SCREE_RESERVE(s->agenda, s->agenda_capacity, room) : status;
}

void event_lists_skin(scree_event_system* s)
{
    double d = 2.0 * s->a_mean * event_scale_now(s), tests = (double)(s->work.tests - s->listed_at.tests);
    if (s->skin == 0.0) {
        s->skin = 1.4 * s->a_mean * fmax(event_scale_now(s), 0.2);
    } else if (tests > 0.0) {
        // What the skin costs in tests, and a refresh, which there are the fewer of the wider it is, in tests too. At the best
        // width the two change alike. Spheres in cages leave their ball hardly ever, and the skin falls.
        double length = (double)s->entries / s->n, refresh = (double)(s->work.refreshes - s->listed_at.refreshes) * (100.0 + 1.5 * length);
        double change = 1.5 * refresh / (tests * s->dim * s->skin / (d + s->skin));
        s->skin *= fmin(fmax(cbrt(change), 0.6), 1.8);
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
    scree_pairs pairs = {0};
    scree_status status = scree_index_set_gap(s->index, common);
    if (status == SCREE_OK)
        status = scree_index_update(s->index, (scree_spheres){.count = s->n, .dim = s->dim, .x = x, .r = r});
    if (status == SCREE_OK)
        status = scree_index_pairs(s->index, &pairs);
    if (status == SCREE_OK)
        status = make_rows(s, &pairs);
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
