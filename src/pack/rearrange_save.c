// Collective rearrangement and force balance: saving and restoring the state. A restored packing continues with the same bits.
//
// Stored are positions, velocities, references and leashes by rank, the sphere of each rank, and a few numbers of growth, minimiser and lists. Rows of candidates are not stored:
// they follow from the references, the leashes and the radii when they were made. 92 bytes per sphere. Force balance (stable.c) adds what its minimiser remembers.
#include "rearrange_inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[8] = "scree-pk";

typedef struct saved {
    char magic[8];
    uint32_t version, order;  // order: 0x01020304 as this machine writes it
    uint64_t bytes;           // of everything
    uint64_t sum;             // of everything behind this member
    uint64_t wish;            // of all that decides the bits
    int32_t count, dim;
    int64_t candidates, contacts, age, sweeps, growths, rebuilds, tests, downhill, since, strayed;
    double factor, listed_factor, skin, worst, first_worst, done, dt, mixing;
} saved;

enum { version = 1, pieces = 5 };

// FNV-1a over words of eight bytes: not against malice, only against files that are cut short or changed by accident.
uint64_t pile_mix(uint64_t sum, const void* data, size_t bytes)
{
    const unsigned char* at = data;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        sum = (sum ^ word) * 1099511628211u;
        sum ^= sum >> 29;
    }
    for (; bytes > 0; --bytes, ++at)
        sum = (sum ^ *at) * 1099511628211u;
    return sum;
}

static const uint64_t begin_sum = 14695981039346656037u;

// All that decides the bits: not threads, method, limits, or who watches.
uint64_t pile_wish(const pile* p)
{
    const scree_rearrange_def* def = p->def;
    double numbers[24] = {def->start_density, def->tolerance, def->growth, def->balance, def->attraction, (double)def->warm_up, def->container, def->centres, def->moves, p->dim, p->n};
    int used = 11;
    for (int k = 0; k < p->dim; ++k) {
        numbers[used++] = def->box.upper[k] - def->box.lower[k];
        numbers[used++] = def->box.lower[k];
        numbers[used++] = def->box.periodic[k];
    }
    for (int t = 0; t < 3; ++t)
        numbers[used++] = def->box.tilt[t];
    uint64_t sum = pile_mix(pile_mix(begin_sum, numbers, (size_t)used * sizeof *numbers), &def->seed, sizeof def->seed);
    return pile_mix(sum, &p->radii_sum, sizeof p->radii_sum);
}

uint64_t pile_radii_sum(int32_t n, const double* r)
{
    return pile_mix(begin_sum, r, (size_t)n * sizeof *r);
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
    saved head = {.version = version, .order = 0x01020304, .wish = wish, .count = p->n, .dim = p->dim, .candidates = p->candidates, .contacts = p->contacts,
                  .age = p->age, .sweeps = p->sweeps, .growths = p->growths, .rebuilds = p->rebuilds, .tests = p->tests, .downhill = p->downhill,
                  .since = since, .strayed = p->stale || strayed(p), .factor = p->factor, .listed_factor = p->listed_factor, .skin = p->skin, .worst = p->worst,
                  .first_worst = p->first_worst, .done = p->done, .dt = p->dt, .mixing = p->mixing};
    memcpy(head.magic, magic, sizeof magic);
    scree_bytes piece[pieces + pile_added_most] = {{&head, sizeof head}, {p->id, n * sizeof *p->id}, {p->x, n * sizeof *p->x}, {p->v, n * sizeof *p->v}, {p->reference, n * sizeof *p->reference}};
    for (int k = 0; k < more; ++k)
        piece[pieces + k] = added[k];
    uint64_t sum = begin_sum;
    for (int k = 0; k < pieces + more; ++k)
        head.bytes += piece[k].size;
    sum = pile_mix(sum, &head.wish, sizeof head - offsetof(saved, wish));
    for (int k = 1; k < pieces + more; ++k)
        sum = pile_mix(sum, piece[k].data, piece[k].size);
    head.sum = sum;
    return saver->save(saver->context, pieces + more, piece);
}

scree_status pile_restore(pile* p, const char* what, scree_bytes from, uint64_t wish, int64_t* since, scree_bytes* added)
{
    const char* at = from.data;
    saved head;
    size_t n = (size_t)p->n, expected = sizeof head + n * (sizeof *p->id + sizeof *p->x + sizeof *p->v + sizeof *p->reference);
    if (from.size < sizeof head || memcmp(at, magic, sizeof magic) != 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: this is not a saved packing; expected one that scree wrote", what);
    memcpy(&head, at, sizeof head);
    if (head.version != version || head.order != 0x01020304)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the packing has format version %" PRIu32 " or comes from another kind of machine; expected version %d", what, head.version, (int)version);
    if (head.bytes != from.size || head.count < 0 || from.size < sizeof head)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the saved packing has %zu bytes; expected %" PRIu64 " bytes", what, from.size, head.bytes);
    if (pile_mix(begin_sum, at + offsetof(saved, wish), from.size - offsetof(saved, wish)) != head.sum && head.count == p->n)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the saved packing was changed after it was written; expected another checksum", what);
    if (head.wish != wish || head.count != p->n || head.dim != p->dim || from.size < expected || (added == NULL && from.size > expected))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the saved packing has %" PRId32 " spheres in %dD after %" PRId64 " sweeps, with other sizes, seed, box or settings; expected the same packing",
                          what, head.count, (int)head.dim, head.sweeps);
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
    scree_status status = SCREE_OK;
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
