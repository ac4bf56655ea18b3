// All pairs of a set of spheres, found by all ranks.
//
//     scatter    rank 0 has the spheres; each rank gets a range of their numbers, in slices
//     cut        each rank gets about as many spheres, by an interval of Morton order (forest.h)
//     migrate    spheres to the owners of their centres
//     ghosts     each sphere is sent to the ranks that may own a centre within twice its radius and the gap
//     search     an index over own spheres and ghosts. A pair is kept by the owner of the smaller sphere, or of the first of two equal ones: so each is kept once
//
// On each rank spheres are sorted by number. So a pair has the same form and shift as in a search by one process, and the pairs of a rank are in order. They stay where they were found. Rank 0 gets them in
// slices of ascending numbers: the bound of a slice is the lowest of the bounds up to which each rank could fill its share.
//
// Rank 0 has 32 bytes for each sphere, which belong to its caller; each rank 40 bytes for each of its own spheres and ghosts, twice while they are received, the memory of the index, and 8 or 11 bytes for each of its pairs.
#include "par/pairs.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/parallel.h"
#include "par/forest.h"
#include "scree/levels.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { slice_most = 1 << 17 };  // spheres or pairs in messages from or to rank 0 at once

typedef struct item {
    double x[3], r;
    int32_t id;
    int32_t own;               // 0: shown by another rank
} item;

typedef struct found_pair {
    int32_t ij[2];
    int8_t shift[4];
} found_pair;

typedef struct finder {
    int32_t rank;
    int32_t count;             // own spheres, then with those shown
    item* items;               // by id, once they are where they belong
    int64_t capacity;
    int64_t pair_count, at;    // `at`: of the next slice
    int32_t (*ij)[2];          // by number among all spheres
    int8_t (*shift)[3];        // NULL: no axis is periodic
    int64_t shown, distinct;
    int32_t method;
    scree_index_stats stats;
} finder;

struct scree_par_pairs {
    scree_par* par;
    pairs_use use;
    scree_index_def def;
    double cell_sizes[SCREE_LEVELS_MOST];
    bool boxes, check;
    int64_t count;             // spheres of all
    uint64_t chance;
    par_forest forest;
    finder* finder;            // [local]
    par_post *out, *in;        // [local]
    int64_t* slots;            // [local][ranks + 1]
    double* values;            // [local][8]
    scree_par_pairs_stats stats;
    found_pair* records;       // on rank 0: the slice
    int64_t record_capacity;
    int32_t (*ij)[2];
    int8_t (*shift)[3];
    int64_t ij_capacity, shift_capacity;
};

// ---- Life ----------------------------------------------------------------------------------------------------------

void pairs_free_all(scree_par_pairs* p)
{
    if (p == NULL)
        return;
    for (int32_t l = 0; par_turn(p->par, l); ++l) {
        if (p->finder != NULL) {
            scree_free(p->finder[l].items);
            scree_free(p->finder[l].ij);
            scree_free(p->finder[l].shift);
        }
        if (p->out != NULL)
            par_post_free(&p->out[l]);
        if (p->in != NULL)
            par_post_free(&p->in[l]);
    }
    par_aside(p->par);
    scree_free(p->finder);
    scree_free(p->out);
    scree_free(p->in);
    scree_free(p->slots);
    scree_free(p->values);
    par_aside_end(p->par);
    forest_close(&p->forest);
    scree_free(p->records);
    scree_free(p->ij);
    scree_free(p->shift);
    scree_free(p);
}

// What the process of rank 0 was asked for.
typedef struct wanted {
    scree_index_def def;
    double cell_sizes[SCREE_LEVELS_MOST];
    int64_t boxes, check, count;
    uint64_t chance;
} wanted;

static int32_t threads_of(const scree_par* par, int32_t given)
{
    int32_t share = par->here > 0 ? scree_parallel_threads(given) / par->here : par->threads;
    return share > 1 ? share : 1;
}

static scree_status make_all(scree_par* par, const wanted* want, scree_par_pairs** out)
{
    size_t local = (size_t)par->local;
    scree_par_pairs* p = scree_calloc(1, sizeof *p);
    scree_status status = SCREE_ERR_MEMORY;
    *out = p;
    if (p != NULL) {
        p->par = par;
        p->def = want->def;
        p->def.threads = threads_of(par, want->def.threads);
        memcpy(p->cell_sizes, want->cell_sizes, sizeof p->cell_sizes);
        p->def.cell_sizes = p->cell_sizes;
        p->boxes = want->boxes != 0;
        p->check = want->check != 0;
        p->count = want->count;
        p->chance = want->chance;
        par_aside(par);
        p->finder = scree_calloc(local, sizeof *p->finder);
        p->out = scree_calloc(local, sizeof *p->out);
        p->in = scree_calloc(local, sizeof *p->in);
        p->slots = scree_calloc(local * ((size_t)par->ranks + 1), sizeof *p->slots);
        p->values = scree_calloc(local * 8, sizeof *p->values);
        par_aside_end(par);
        if (p->finder != NULL && p->out != NULL && p->in != NULL && p->slots != NULL && p->values != NULL)
            status = forest_open(par->ranks, &p->forest);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK && par->trees)
        status = forest_use_p8est(&p->forest, par);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        p->finder[l].rank = par->first + l;
    return status;
}

// ---- Spheres to their owners ---------------------------------------------------------------------------------------

// The first of the spheres that a rank gets from rank 0.
static int64_t first_of(const scree_par_pairs* p, int32_t rank)
{
    int64_t each = p->count / p->par->ranks, more = p->count % p->par->ranks;
    return each * rank + (rank < more ? rank : more);
}

static int64_t slice_of(const scree_par* par)
{
    int64_t slice = par->slice > 0 ? par->slice : slice_most;
    return slice > par->ranks ? slice / par->ranks : 1;
}

static scree_status take_items(finder* f, const par_post* in)
{
    int64_t more = 0;
    for (int32_t m = 0; m < in->count; ++m)
        more += in->mail[m].bytes / (int64_t)sizeof(item);
    if (f->count + more > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: rank %d would hold %lld spheres; expected at most 2147483647: use more ranks", (int)f->rank, (long long)(f->count + more));
    if (SCREE_RESERVE(f->items, f->capacity, f->count + more + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t m = 0; m < in->count; ++m) {
        memcpy(f->items + f->count, in->mail[m].data, (size_t)in->mail[m].bytes);
        f->count += (int32_t)(in->mail[m].bytes / (int64_t)sizeof(item));
    }
    return SCREE_OK;
}

// What goes out to all, and what comes is added. `status`: of this process so far.
static scree_status send_items(scree_par_pairs* p, scree_status status)
{
    status = par_agree(p->par, status);
    if (status == SCREE_OK)
        status = par_send(p->par, p->out, p->in);
    for (int32_t l = 0; status == SCREE_OK && par_turn(p->par, l); ++l)
        status = take_items(&p->finder[l], &p->in[l]);
    return par_agree(p->par, status);
}

// On rank 0.
static scree_status lay_slice(scree_par_pairs* p, scree_spheres spheres, int64_t done, int64_t share)
{
    par_post* out = &p->out[0];
    for (int32_t rank = 0; rank < p->par->ranks; ++rank) {
        int64_t left = first_of(p, rank + 1) - first_of(p, rank) - done, count = left < share ? left : share;
        if (count > 0 && par_post_add(out, rank, count * (int64_t)sizeof(item)) != SCREE_OK)
            return SCREE_ERR_MEMORY;
    }
    if (par_post_lay(out) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t m = 0; m < out->count; ++m) {
        int64_t first = first_of(p, out->mail[m].peer) + done;
        item* to = (item*)(void*)out->mail[m].data;
        for (int64_t e = 0; e < out->mail[m].bytes / (int64_t)sizeof(item); ++e) {
            int64_t i = first + e;
            to[e] = (item){.r = spheres.r[i], .id = (int32_t)i, .own = 1};
            for (int k = 0; k < spheres.dim; ++k)
                to[e].x[k] = spheres.x[i * spheres.dim + k];
        }
    }
    return SCREE_OK;
}

static void clear_posts(scree_par_pairs* p)
{
    for (int32_t l = 0; par_turn(p->par, l); ++l)
        par_post_clear(&p->out[l]);
}

static scree_status hand_out_all(scree_par_pairs* p, const scree_spheres* spheres)
{
    int64_t share = slice_of(p->par), most = first_of(p, 1);
    scree_status status = SCREE_OK;
    for (int64_t done = 0; done < most && status == SCREE_OK; done += share) {
        clear_posts(p);
        status = send_items(p, spheres != NULL ? lay_slice(p, *spheres, done, share) : SCREE_OK);
    }
    return status;
}

static int by_number(const void* a, const void* b)
{
    uint64_t s = *(const uint64_t*)a, t = *(const uint64_t*)b;
    return (s > t) - (s < t);
}

// The cube around all spheres, and about as many of them for each rank.
static scree_status cut_all(scree_par_pairs* p)
{
    scree_par* par = p->par;
    for (int32_t l = 0; par_turn(par, l); ++l) {
        double* side = p->values + 6 * l;
        const finder* f = &p->finder[l];
        for (int e = 0; e < 6; ++e)
            side[e] = -INFINITY;
        for (int32_t i = 0; i < f->count; ++i)
            for (int k = 0; k < 3; ++k) {
                side[2 * k] = fmax(side[2 * k], -f->items[i].x[k]);
                side[2 * k + 1] = fmax(side[2 * k + 1], f->items[i].x[k]);
            }
    }
    scree_status status = par_max(par, p->values, 6);
    double sides[3][2];
    for (int k = 0; k < 3; ++k) {
        bool periodic = p->def.box.periodic[k];
        sides[k][0] = periodic ? p->def.box.lower[k] : -p->values[2 * k];
        sides[k][1] = periodic ? p->def.box.upper[k] : p->values[2 * k + 1];
    }
    forest_lay(&p->forest, &p->def.box, (const double(*)[2])sides);
    if (par->ranks == 1)
        return status;
    par_aside(par);
    forest_load* loads = scree_calloc((size_t)par->local, sizeof *loads);
    par_aside_end(par);
    status = status == SCREE_OK && loads == NULL ? SCREE_ERR_MEMORY : status;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        const finder* f = &p->finder[l];
        uint64_t* key = scree_malloc((size_t)f->count + 1, sizeof *key);
        int64_t* weight = scree_malloc((size_t)f->count + 1, sizeof *weight);
        loads[l] = (forest_load){.count = f->count, .key = key, .weight = weight};
        if (key == NULL || weight == NULL) {
            status = SCREE_ERR_MEMORY;
            break;
        }
        for (int32_t i = 0; i < f->count; ++i)
            key[i] = forest_key(&p->forest, f->items[i].x);
        if (f->count > 1)
            qsort(key, (size_t)f->count, sizeof *key, by_number);
        for (int32_t i = 0; i <= f->count; ++i)
            weight[i] = i;
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = forest_cut(&p->forest, par, loads);
    for (int32_t l = 0; loads != NULL && par_turn(par, l); ++l) {
        scree_free((void*)(uintptr_t)loads[l].key);
        scree_free((void*)(uintptr_t)loads[l].weight);
    }
    par_aside(par);
    scree_free(loads);
    par_aside_end(par);
    if (status == SCREE_OK && p->chance != 0)
        status = forest_cut_by_chance(&p->forest, par, &p->chance);
    return status;
}

static scree_status lay_movers(scree_par_pairs* p, int32_t l)
{
    finder* f = &p->finder[l];
    par_post* out = &p->out[l];
    int32_t ranks = p->par->ranks, stay = 0;
    int64_t* to = scree_calloc((size_t)ranks, sizeof *to);  // how many; then where the next goes
    int32_t* owner = scree_malloc((size_t)f->count + 1, sizeof *owner);
    scree_status status = to == NULL || owner == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t i = 0; i < f->count && status == SCREE_OK; ++i) {
        owner[i] = forest_owner(&p->forest, forest_key(&p->forest, f->items[i].x));
        to[owner[i]] += owner[i] != f->rank;
    }
    for (int32_t rank = 0; rank < ranks && status == SCREE_OK; ++rank)
        if (to[rank] > 0)
            status = par_post_add(out, rank, to[rank] * (int64_t)sizeof(item));
    if (status == SCREE_OK)
        status = par_post_lay(out);
    for (int32_t m = 0; m < out->count && status == SCREE_OK; ++m)
        to[out->mail[m].peer] = out->mail[m].data - out->memory;
    for (int32_t i = 0; i < f->count && status == SCREE_OK; ++i)
        if (owner[i] == f->rank) {
            f->items[stay++] = f->items[i];
        } else {
            memcpy(out->memory + to[owner[i]], &f->items[i], sizeof(item));
            to[owner[i]] += (int64_t)sizeof(item);
        }
    if (status == SCREE_OK)
        f->count = stay;
    scree_free(to);
    scree_free(owner);
    return status;
}

static scree_status migrate_all(scree_par_pairs* p)
{
    scree_status status = SCREE_OK;
    clear_posts(p);
    for (int32_t l = 0; status == SCREE_OK && par_turn(p->par, l); ++l)
        status = lay_movers(p, l);
    return send_items(p, status);
}

// ---- Search --------------------------------------------------------------------------------------------------------

// Copies of own spheres to all who may own the smaller sphere of a pair with it. Pairs of boxes have centres within root 3 of the distance along an axis.
static scree_status lay_shown(scree_par_pairs* p, int32_t l, forest_hits* hits)
{
    const finder* f = &p->finder[l];
    par_post* out = &p->out[l];
    double wide = p->boxes ? 1.7320508075688773 : 1.0;
    forest_ball* balls = scree_malloc((size_t)f->count + 1, sizeof *balls);
    int32_t count = balls != NULL ? f->count : 0;
    for (int32_t i = 0; i < count; ++i) {
        memcpy(balls[i].x, f->items[i].x, sizeof balls[i].x);
        balls[i].reach = fmax(wide * (2.0 * f->items[i].r + p->def.gap), 0.0);
    }
    scree_status status = forest_meet(&p->forest, f->rank, count, balls, hits);  // all ranks must call it
    scree_free(balls);
    if (balls == NULL || status != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t first = 0, last; first < hits->count && status == SCREE_OK; first = last) {
        for (last = first; last < hits->count && hits->hit[last].rank == hits->hit[first].rank;)
            ++last;
        status = par_post_add(out, hits->hit[first].rank, (last - first) * (int64_t)sizeof(item));
    }
    if (status == SCREE_OK)
        status = par_post_lay(out);
    for (int64_t m = 0, e = 0; m < out->count && status == SCREE_OK; ++m) {
        item* to = (item*)(void*)out->mail[m].data;
        for (int64_t k = 0; k < out->mail[m].bytes / (int64_t)sizeof(item); ++k, ++e) {
            to[k] = f->items[hits->hit[e].ball];
            to[k].own = 0;
        }
    }
    return status;
}

static int by_id(const void* a, const void* b)
{
    const item *s = a, *t = b;
    return (s->id > t->id) - (s->id < t->id);
}

static scree_status show_all(scree_par_pairs* p)
{
    scree_status status = SCREE_OK;
    clear_posts(p);
    for (int32_t l = 0; par_turn(p->par, l); ++l) {  // none leaves before: forest_meet is collective
        forest_hits hits = {.count = 0};
        scree_status laid = lay_shown(p, l, &hits);
        scree_free(hits.hit);
        p->finder[l].shown = -p->finder[l].count;
        status = status == SCREE_OK ? laid : status;
    }
    status = send_items(p, status);
    for (int32_t l = 0; status == SCREE_OK && par_turn(p->par, l); ++l) {
        finder* f = &p->finder[l];
        f->shown += f->count;
        if (f->count > 1)
            qsort(f->items, (size_t)f->count, sizeof *f->items, by_id);
    }
    return status;
}

// The pairs whose smaller sphere is own.
static scree_status keep_pairs(finder* f, scree_pairs pairs)
{
    int64_t count = 0;
    for (int turn = 0; turn < 2; ++turn) {
        if (turn == 1) {
            f->ij = scree_malloc((size_t)count + 1, sizeof *f->ij);
            f->shift = pairs.shift != NULL ? scree_malloc((size_t)count + 1, sizeof *f->shift) : NULL;
            if (f->ij == NULL || (pairs.shift != NULL && f->shift == NULL))
                return SCREE_ERR_MEMORY;
        }
        count = 0;
        for (int64_t q = 0; q < pairs.count; ++q) {
            const item *a = &f->items[pairs.ij[q][0]], *b = &f->items[pairs.ij[q][1]];
            if (!(a->r <= b->r ? a : b)->own)
                continue;
            if (turn == 1) {
                f->ij[count][0] = a->id;
                f->ij[count][1] = b->id;
                if (pairs.shift != NULL)
                    memcpy(f->shift[count], pairs.shift[q], sizeof *f->shift);
                f->distinct += count == 0 || f->ij[count - 1][0] != a->id || f->ij[count - 1][1] != b->id;
            }
            ++count;
        }
    }
    f->pair_count = count;
    return SCREE_OK;
}

static scree_status search_one(const scree_par_pairs* p, finder* f)
{
    int dim = p->def.box.dim;
    double* x = scree_malloc((size_t)f->count * (size_t)dim + 1, sizeof *x);
    double* r = scree_malloc((size_t)f->count + 1, sizeof *r);
    scree_index* index = NULL;
    scree_status status = x == NULL || r == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t i = 0; i < f->count && status == SCREE_OK; ++i) {
        r[i] = f->items[i].r;
        memcpy(x + (size_t)i * (size_t)dim, f->items[i].x, (size_t)dim * sizeof *x);
    }
    if (status == SCREE_OK)
        status = scree_index_create(&p->def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, (scree_spheres){.count = f->count, .dim = dim, .x = x, .r = r});
    scree_free(x);
    scree_free(r);
    scree_pairs pairs = {.count = 0};
    if (status == SCREE_OK)
        status = p->boxes ? scree_index_box_pairs(index, &pairs) : scree_index_pairs(index, &pairs);
    if (status == SCREE_OK && p->check)
        status = scree_index_validate(index);
    if (status == SCREE_OK) {
        f->stats = scree_index_get_stats(index);
        f->method = (int32_t)scree_index_method(index);
        status = keep_pairs(f, pairs);
    }
    scree_index_destroy(index);
    scree_free(f->items);
    f->items = NULL;
    f->capacity = 0;
    return status;
}

// Sums over all ranks, and the most of one.
static scree_status find_stats(scree_par_pairs* p)
{
    enum { sums = 8 };
    scree_par* par = p->par;
    par_aside(par);
    int64_t(*sum)[sums] = scree_malloc((size_t)par->local, sizeof *sum);
    par_aside_end(par);
    scree_status status = par_agree(par, sum == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        const finder* f = &p->finder[l];
        const scree_index_stats* s = &f->stats;
        const int64_t all[sums] = {f->pair_count, f->distinct, s->tests, s->box_tests, s->cells, f->shown, (int64_t)s->bytes, llrint(fmin(s->work, 1e18))};
        const double most[8] = {(double)s->levels, (double)s->bytes, s->seconds_build, s->seconds_search, f->method, -f->method, (double)f->count, 0.0};
        memcpy(sum[l], all, sizeof all);
        memcpy(p->values + 8 * l, most, sizeof most);
    }
    if (status == SCREE_OK)
        status = par_sum(par, *sum, sums);
    if (status == SCREE_OK)
        status = par_max(par, p->values, 8);
    if (status == SCREE_OK) {
        const int64_t* s = sum[0];
        const double* v = p->values;
        p->stats = (scree_par_pairs_stats){.count = s[0], .distinct = s[1], .tests = s[2], .box_tests = s[3], .cells = s[4], .ghosts = s[5], .bytes = s[6], .work = (double)s[7],
                                           .levels = (int64_t)v[0], .bytes_max = (int64_t)v[1], .seconds_build = v[2], .seconds_search = v[3],
                                           .method = v[4] == -v[5] ? (int32_t)v[4] : SCREE_METHOD_AUTO, .ranks = par->ranks};
    }
    par_aside(par);
    scree_free(sum);
    par_aside_end(par);
    return status;
}

// On all processes; on that of rank 0 with the spheres.
static scree_status find_all(scree_par* par, wanted* want, const scree_spheres* spheres, scree_par_pairs** out)
{
    scree_par_pairs* p = NULL;
    scree_watch watch = {0};
    scree_status status = par_spread(par, want, (int64_t)sizeof *want);
    if (spheres != NULL)
        watch = want->def.watch;
    want->def.watch = watch;
    if (status == SCREE_OK)
        status = make_all(par, want, &p);
    if (status == SCREE_OK)
        status = hand_out_all(p, spheres);
    if (status == SCREE_OK)
        status = cut_all(p);
    if (status == SCREE_OK)
        status = migrate_all(p);
    if (status == SCREE_OK)
        status = show_all(p);
    if (status == SCREE_OK) {
        for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
            status = search_one(p, &p->finder[l]);
        status = par_agree(par, status);
    }
    if (status == SCREE_OK)
        status = find_stats(p);
    if (status != SCREE_OK) {
        pairs_free_all(p);
        return status;
    }
    *out = p;
    return SCREE_OK;
}

// ---- Slices --------------------------------------------------------------------------------------------------------

static int64_t key_of(const finder* f, int64_t at)
{
    return (int64_t)f->ij[at][0] << 31 | f->ij[at][1];
}

// Up to the lowest bound of all; *left: how many pairs all ranks have from here on.
static scree_status find_bound(scree_par_pairs* p, int64_t share, int64_t* bound, int64_t* left)
{
    int64_t width = p->par->ranks + 1;
    memset(p->slots, 0, (size_t)(width * p->par->local) * sizeof *p->slots);
    for (int32_t l = 0; par_turn(p->par, l); ++l) {
        const finder* f = &p->finder[l];
        int64_t here = f->pair_count - f->at;
        p->slots[l * width + f->rank] = here > share ? key_of(f, f->at + share - 1) : INT64_MAX;
        p->slots[l * width + p->par->ranks] = here;
    }
    scree_status status = par_sum(p->par, p->slots, width);
    *bound = INT64_MAX;
    for (int32_t rank = 0; rank < p->par->ranks; ++rank)
        *bound = p->slots[rank] < *bound ? p->slots[rank] : *bound;
    *left = p->slots[p->par->ranks];
    return status;
}

static scree_status lay_pairs(finder* f, par_post* out, int64_t bound)
{
    int64_t last = f->at;
    while (last < f->pair_count && key_of(f, last) <= bound)
        ++last;
    par_post_clear(out);
    if (last > f->at && par_post_add(out, 0, (last - f->at) * (int64_t)sizeof(found_pair)) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (par_post_lay(out) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t q = f->at; q < last; ++q) {
        found_pair* to = (found_pair*)(void*)out->mail[0].data + (q - f->at);
        *to = (found_pair){.ij = {f->ij[q][0], f->ij[q][1]}};
        if (f->shift != NULL)
            memcpy(to->shift, f->shift[q], 3);
    }
    f->at = last;
    return SCREE_OK;
}

static int by_pair(const void* a, const void* b)
{
    const found_pair *s = a, *t = b;
    for (int e = 0; e < 2; ++e)
        if (s->ij[e] != t->ij[e])
            return s->ij[e] < t->ij[e] ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (s->shift[k] != t->shift[k])
            return s->shift[k] < t->shift[k] ? -1 : 1;
    return 0;
}

// On rank 0: what has come, in order.
static scree_status join(scree_par_pairs* p, scree_pairs* out)
{
    const par_post* in = &p->in[0];
    bool shifted = scree_box_is_periodic(&p->def.box);
    int64_t count = 0;
    for (int32_t m = 0; m < in->count; ++m)
        count += in->mail[m].bytes / (int64_t)sizeof(found_pair);
    if (SCREE_RESERVE(p->records, p->record_capacity, count + 1) != SCREE_OK || SCREE_RESERVE(p->ij, p->ij_capacity, count + 1) != SCREE_OK ||
        (shifted && SCREE_RESERVE(p->shift, p->shift_capacity, count + 1) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    count = 0;
    for (int32_t m = 0; m < in->count; ++m) {
        memcpy(p->records + count, in->mail[m].data, (size_t)in->mail[m].bytes);
        count += in->mail[m].bytes / (int64_t)sizeof(found_pair);
    }
    if (count > 1)
        qsort(p->records, (size_t)count, sizeof *p->records, by_pair);
    for (int64_t q = 0; q < count; ++q) {
        memcpy(p->ij[q], p->records[q].ij, sizeof *p->ij);
        if (shifted)
            memcpy(p->shift[q], p->records[q].shift, sizeof *p->shift);
    }
    *out = (scree_pairs){.count = count, .ij = (const int32_t(*)[2])p->ij, .shift = shifted ? (const int8_t(*)[3])p->shift : NULL};
    return SCREE_OK;
}

scree_status pairs_next_all(scree_par_pairs* p, scree_pairs* out, bool* more)
{
    int64_t bound, left;
    scree_status status = find_bound(p, slice_of(p->par), &bound, &left);
    *out = (scree_pairs){.count = 0};
    *more = left > 0;
    if (status != SCREE_OK || left == 0) {
        for (int32_t l = 0; par_turn(p->par, l); ++l)
            p->finder[l].at = 0;
        return status;
    }
    for (int32_t l = 0; status == SCREE_OK && par_turn(p->par, l); ++l)
        status = lay_pairs(&p->finder[l], &p->out[l], bound);
    status = par_agree(p->par, status);
    if (status == SCREE_OK)
        status = par_send(p->par, p->out, p->in);
    if (status == SCREE_OK && p->par->first == 0)
        status = join(p, out);
    return par_agree(p->par, status);
}

// ---- Who does what -------------------------------------------------------------------------------------------------

void pairs_serve(scree_par* par, pairs_use use, pairs_wish wish, scree_par_pairs** pairs)
{
    scree_pairs none;
    wanted want;
    bool more;
    if (wish == PAIRS_NEXT) {
        if (*pairs != NULL)
            (void)pairs_next_all(*pairs, &none, &more);
        return;
    }
    pairs_free_all(*pairs);
    *pairs = NULL;
    if (wish == PAIRS_FIND && find_all(par, &want, NULL, pairs) != SCREE_OK)
        *pairs = NULL;
    if (*pairs != NULL)
        (*pairs)->use = use;
}

// An invalid sphere has another number on its rank: one process reports its number in the whole set.
static scree_status tell_as_one(const scree_par_pairs_def* def, scree_spheres spheres, scree_status status)
{
    scree_index* index;
    char* said = NULL;
    if (status != SCREE_ERR_ARGUMENT)
        return status;
    const char* message = scree_error_message();
    said = scree_malloc(strlen(message) + 1, 1);
    if (said != NULL)
        strcpy(said, message);
    scree_status alone = scree_index_create(def->index, &index);
    if (alone == SCREE_OK)
        alone = scree_index_update(index, spheres);
    scree_index_destroy(index);
    if (alone == SCREE_OK)
        alone = scree_fail(status, "%s", said != NULL ? said : "par: the search of a rank failed");
    scree_free(said);
    return alone;
}

scree_status pairs_find(scree_par* par, pairs_use use, const scree_par_pairs_def* def, scree_spheres spheres, uint64_t chance, scree_par_pairs** out)
{
    scree_index* index;
    scree_status status = scree_spheres_check(spheres, &def->index->box);
    if (status == SCREE_OK)
        status = scree_index_create(def->index, &index);  // whether it can be
    if (status != SCREE_OK)
        return status;
    scree_index_destroy(index);
    wanted want = {.def = *def->index, .boxes = def->boxes, .check = def->check, .count = spheres.count, .chance = chance};
    if (want.def.cell_size_count > 0)
        memcpy(want.cell_sizes, want.def.cell_sizes, (size_t)want.def.cell_size_count * sizeof *want.cell_sizes);
    want.def.sorted = true;
    want.def.skin = -1.0;
    status = pairs_order(par, use, PAIRS_FIND);
    if (status == SCREE_OK)
        status = find_all(par, &want, &spheres, out);
    if (status == SCREE_OK)
        (*out)->use = use;
    return tell_as_one(def, spheres, status);
}

SCREE_DEFAULTS_OF(scree_par_pairs_def, scree_default_par_pairs_def)
{
    return (scree_par_pairs_def){.struct_size = sizeof(scree_par_pairs_def)};
}

scree_status scree_par_find_pairs(scree_par* par, const scree_par_pairs_def* def, scree_spheres spheres, scree_par_pairs** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(par);
    SCREE_NEED(def);
    SCREE_NEED_AS(def->index, "def->index");
    scree_status status = scree_check_struct_size("pairs", "scree_default_par_pairs_def", def->struct_size, sizeof *def, sizeof *def);
    if (status != SCREE_OK)
        return status;
    if (par->first > 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: scree_par_find_pairs was called by rank %d; expected rank 0", (int)par->first);
    if (par->ranks > par->local && scree_par_get_shared() != par)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: the other ranks do not take part; expected scree_par_share before");
    if (def->index->device != SCREE_DEVICE_NONE)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "par: a pair search on a device is not supported with several ranks; expected device none");
    return pairs_find(par, PAIRS_OF_PROGRAM, def, spheres, 0, out);
}

scree_status scree_par_pairs_next(scree_par_pairs* pairs, scree_pairs* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(pairs);
    bool more;
    scree_status status = pairs_order(pairs->par, pairs->use, PAIRS_NEXT);
    return status == SCREE_OK ? pairs_next_all(pairs, out, &more) : status;
}

SCREE_VALUE_OF(scree_par_pairs_stats, scree_par_pairs_get_stats, (const scree_par_pairs* pairs), (pairs))
{
    SCREE_NEED_OR(pairs, (scree_par_pairs_stats){0});
    return pairs->stats;
}

void scree_par_pairs_destroy(scree_par_pairs* pairs)
{
    if (pairs == NULL)
        return;
    (void)pairs_order(pairs->par, pairs->use, PAIRS_FREE);
    pairs_free_all(pairs);
}
