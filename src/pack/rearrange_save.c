// Collective rearrangement and force balance: saving and restoring the state. A restored packing continues with the same bits.
//
// Stored are positions, velocities, references and leashes by rank, the sphere of each rank, and a few numbers of growth, minimiser and lists. Rows of candidates are not stored:
// they follow from the references, the leashes and the radii when they were made. 100 bytes per sphere. Visits add units and their colours (rearrange_visits.c), force balance (stable.c) what its
// minimiser remembers.
#include "pack/saved.h"
#include "rearrange_inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const saved_kind kind = {"scree-pk", 1};

typedef struct saved {
    saved_head head;
    int64_t candidates, contacts, age, sweeps, growths, rebuilds, tests, downhill, since, strayed;
    double factor, listed_factor, skin, worst, first_worst, done, dt, mixing;
} saved;

enum { pieces = 5 };

// All that decides the bits: not threads, method, limits, or who watches.
uint64_t pile_wish(const pile* p)
{
    const scree_rearrange_def* def = p->def;
    double numbers[26] = {def->start_density, def->tolerance, def->growth, def->balance, def->attraction, (double)def->warm_up, def->container, def->centres, def->moves, p->dim, p->n};
    int used = 11;
    for (int k = 0; k < p->dim; ++k) {
        numbers[used++] = def->box.upper[k] - def->box.lower[k];
        numbers[used++] = def->box.lower[k];
        numbers[used++] = def->box.periodic[k];
    }
    for (int t = 0; t < 3; ++t)
        numbers[used++] = def->box.tilt[t];
    if (p->way == &pile_visits) {
        numbers[used++] = def->margin;
        numbers[used++] = def->margin_least;
    }
    uint64_t sum = saved_mix(saved_sum(numbers, (size_t)used * sizeof *numbers), &def->seed, sizeof def->seed);
    return saved_mix(sum, &p->radii_sum, sizeof p->radii_sum);
}

static bool strayed(const pile* p)
{
    for (int64_t b = 0; b < p->blocks; ++b)
        if (p->part[b].strayed)
            return true;
    return false;
}

scree_status pile_save(const pile* p, const scree_pack_saver* saver, uint64_t wish, int64_t since, int32_t more, const scree_bytes* added)
{
    size_t n = (size_t)p->n;
    saved head = {.head = {.wish = wish, .count = p->n, .dim = p->dim}, .candidates = p->candidates, .contacts = p->contacts,
                  .age = p->age, .sweeps = p->sweeps, .growths = p->growths, .rebuilds = p->rebuilds, .tests = p->tests, .downhill = p->downhill,
                  .since = since, .strayed = p->stale || strayed(p), .factor = p->factor, .listed_factor = p->listed_factor, .skin = p->skin, .worst = p->worst,
                  .first_worst = p->first_worst, .done = p->done, .dt = p->dt, .mixing = p->mixing};
    scree_bytes piece[pieces + pile_added_most] = {{&head, sizeof head}, {p->id, n * sizeof *p->id}, {p->x, n * sizeof *p->x}, {p->v, n * sizeof *p->v}, {p->reference, n * sizeof *p->reference}};
    for (int k = 0; k < more; ++k)
        piece[pieces + k] = added[k];
    return saved_write(saver, &kind, &head.head, pieces + more, piece);
}

scree_status pile_restore(pile* p, const char* what, scree_bytes from, uint64_t wish, int64_t* since, scree_bytes* added)
{
    const char* at = from.data;
    saved head;
    size_t n = (size_t)p->n, expected = sizeof head + n * (sizeof *p->id + sizeof *p->x + sizeof *p->v + sizeof *p->reference);
    scree_status status = saved_read(what, &kind, from, p->n, &head.head, sizeof head);
    if (status != SCREE_OK)
        return status;
    if (head.head.wish != wish || head.head.count != p->n || head.head.dim != p->dim || from.size < expected || (added == NULL && from.size > expected))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the saved packing has %" PRId32 " spheres in %dD after %" PRId64 " sweeps, with other sizes, seed, box or settings; expected the same packing",
                          what, head.head.count, (int)head.head.dim, head.sweeps);
    // Radii are still in the order of the caller.
    double* r = p->flat;
    memcpy(r, p->r, n * sizeof *r);
    at += sizeof head;
    memcpy(p->id, at, n * sizeof *p->id);
    at += n * sizeof *p->id;
    for (size_t i = 0; i < n; ++i) {
        if (p->id[i] >= n)
            return scree_fail(SCREE_ERR_FORMAT, "%s: the saved packing names sphere %" PRIu32 "; expected less than %" PRId32 ", each once", what, p->id[i], p->n);
        p->r[i] = r[p->id[i]];
    }
    const char* x = at;
    memcpy(p->v, x + n * sizeof *p->x, n * sizeof *p->v);
    memcpy(p->reference, x + n * sizeof *p->x + n * sizeof *p->v, n * sizeof *p->reference);
    p->factor = head.factor;
    p->listed_factor = head.listed_factor;
    p->skin = head.skin;
    if (head.rebuilds > 0 && !head.strayed) {  // the rows as they were: at the references, with the radii of that moment
        for (size_t i = 0; i < n; ++i) {
            memcpy(p->x[i], p->reference[i], 3 * sizeof **p->x);
            p->x[i][3] = p->r[i] * p->listed_factor;
        }
        status = pile_rows_again(p);
    }
    memcpy(p->x, x, n * sizeof *p->x);
    p->candidates = head.candidates;
    p->contacts = head.contacts;
    p->age = head.age;
    p->sweeps = head.sweeps;
    p->growths = head.growths;
    p->rebuilds = head.rebuilds;
    p->tests = head.tests;
    p->downhill = head.downhill;
    p->worst = head.worst;
    p->first_worst = head.first_worst;
    p->done = head.done;
    p->dt = head.dt;
    p->mixing = head.mixing;
    p->part[0].strayed = head.strayed != 0;
    *since = head.since;
    if (added != NULL)
        *added = (scree_bytes){(const char*)from.data + expected, from.size - expected};
    return status;
}
