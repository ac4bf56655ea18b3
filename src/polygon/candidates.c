// Candidates: pairs of bodies that may touch within the next steps, found and kept by the candidate service (scree/candidates.h).
//
// The service works on items. A free body is one item, with its bounding box (centre and half sides) and the circle about the centre of that box that contains the body. A
// fixed body is many items, one for each short piece of its boundary, so that a long wall is a neighbour only of bodies near it.
// Pairs of items become pairs of bodies, each once. They are listed if their boxes are within the skin.
//
// No point of a body moves farther than its centre plus its rotation angle times the outermost radius: these are the displacements given to the service.
//
// Cost of a list: one search and O(candidates); negligible over the steps that it lasts. A body deep inside a large fixed one is near none of its
// pieces: create rejects such starts, and a body does not get there without crossing the boundary.
#include "polygon/polygon_inner.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

// ---- Pieces ----------------------------------------------------------------------------------------------------------

static scree_status put_piece(scree_polygon_sim* sim, int32_t owner, const double box[4])
{
    if (SCREE_RESERVE(sim->pieces, sim->piece_capacity, sim->piece_count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    piece* p = &sim->pieces[sim->piece_count++];
    *p = (piece){.owner = owner};
    const double around = sim->bodies[owner].tree != NULL ? sim->bodies[owner].r : 0.0;
    for (int k = 0; k < 2; ++k) {
        p->centre[k] = 0.5 * (box[k] + box[k + 2]);
        p->half[k] = (0.5 * (box[k + 2] - box[k]) + around) * (1.0 + 4.0 * DBL_EPSILON) + 4.0 * DBL_EPSILON * fabs(p->centre[k]);
    }
    return SCREE_OK;
}

// Along the boundary, as long as the box of what has been passed stays short.
static scree_status cut(scree_polygon_sim* sim, int32_t owner, double most)
{
    const edge_tree* tree = sim->bodies[owner].tree;
    double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    scree_status status = SCREE_OK;
    for (int32_t e = 0; e < tree->n; ++e) {
        double parts = fmax(ceil(tree->t[e][2] / most), 1.0);
        for (double c = 0.0; c < parts && status == SCREE_OK; c += 1.0) {
            status = polygon_work(sim, vertex_units, (double)owner / sim->n);
            double from[2], to[2], wide[4];
            for (int k = 0; k < 2; ++k) {
                double a = tree->p[e][k], b = tree->p[e + 1][k];
                from[k] = c == 0.0 ? a : a + (b - a) * (c / parts);
                to[k] = c + 1.0 == parts ? b : a + (b - a) * ((c + 1.0) / parts);
                wide[k] = fmin(box[k], fmin(from[k], to[k]));
                wide[k + 2] = fmax(box[k + 2], fmax(from[k], to[k]));
            }
            bool full = box[0] <= box[2] && (wide[2] - wide[0] > most || wide[3] - wide[1] > most);
            if (full && status == SCREE_OK)
                status = put_piece(sim, owner, box);
            if (status != SCREE_OK)
                return status;
            for (int k = 0; k < 2; ++k) {
                box[k] = full ? fmin(from[k], to[k]) : wide[k];
                box[k + 2] = full ? fmax(from[k], to[k]) : wide[k + 2];
            }
        }
    }
    return put_piece(sim, owner, box);
}

scree_status pieces_make(scree_polygon_sim* sim)
{
    for (int32_t i = 0; i < sim->n; ++i) {
        const body* b = &sim->bodies[i];
        scree_status status = polygon_work(sim, 4, (double)i / sim->n);
        if (status == SCREE_OK && !b->fixed)
            continue;
        if (status != SCREE_OK)
            return status;
        if (b->tree == NULL) {
            status = put_piece(sim, i, (const double[4]){-b->radius, -b->radius, b->radius, b->radius});
        } else {
            double length = 0.0, most = 4.0 * sim->mean_radius;
            for (int32_t e = 0; e < b->tree->n; ++e)
                length += b->tree->t[e][2];
            for (int k = 0; k < 2; ++k)
                if (sim->length[k] > 0.0)
                    most = fmin(most, 0.25 * sim->length[k]);
            most = fmax(most, length / (64.0 + 4.0 * sim->n));  // memory stays O(bodies), however long the wall
            status = cut(sim, i, most);
        }
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// ---- The list --------------------------------------------------------------------------------------------------------

// The index asks whom the simulation asks.
static bool tick_search(void* context, double done)
{
    const scree_polygon_sim* sim = context;
    return scree_watch_goes_on(sim->watch.watch, done);
}

scree_status candidates_open(scree_polygon_sim* sim)
{
    candidates* near = &sim->near;
    scree_index_def search = scree_default_index_def();
    search.method = sim->def.method;
    search.box = sim->def.box;
    for (int k = 0; k < 2; ++k)
        if (!search.box.periodic[k]) {  // walls are the law's matter
            search.box.lower[k] = -INFINITY;
            search.box.upper[k] = INFINITY;
        }
    search.threads = sim->threads;
    search.skin = sim->def.skin;
    search.watch = (scree_watch){.tick = tick_search, .context = sim};
    scree_candidates_def def = scree_default_candidates_def();
    def.search = &search;
    scree_status status = scree_candidates_create(&def, &near->service);
    if (status != SCREE_OK)
        return status;
    near->own = scree_calloc((size_t)sim->n + 2, sizeof *near->own);
    near->in_first = scree_calloc((size_t)sim->n + 2, sizeof *near->in_first);
    size_t items = (size_t)(sim->n + sim->piece_count) + 1;
    near->xr = scree_malloc(items, sizeof *near->xr);
    near->half = scree_malloc(items, sizeof *near->half);
    near->item_body = scree_malloc(items, sizeof *near->item_body);
    near->still = scree_malloc(items, sizeof *near->still);
    bool all = near->own != NULL && near->in_first != NULL && near->xr != NULL && near->half != NULL && near->item_body != NULL && near->still != NULL;
    return all ? SCREE_OK : SCREE_ERR_MEMORY;
}

void candidates_close(candidates* near)
{
    scree_candidates_destroy(near->service);
    scree_free(near->list);
    scree_free(near->own);
    scree_free(near->in_first);
    scree_free(near->in);
    scree_free(near->sums);
    scree_free(near->xr);
    scree_free(near->half);
    scree_free(near->item_body);
    scree_free(near->still);
    scree_free(near->key);
    *near = (candidates){.held = false};
}

size_t candidates_bytes(const candidates* near)
{
    return (size_t)near->list_capacity * sizeof *near->list + (size_t)near->in_capacity * sizeof *near->in +
           (size_t)near->sum_capacity * sizeof *near->sums + (size_t)near->key_capacity * sizeof *near->key +
           (size_t)near->items * (sizeof *near->xr + sizeof *near->half + sizeof *near->item_body + sizeof *near->still) +
           scree_candidates_get_stats(near->service).bytes;
}

// Larger by the way of the body in this step, as far as a periodic box allows: rounded bodies that pass each other in
// one step must be seen.
static void put_item(scree_polygon_sim* sim, int32_t number, const double middle[2], const double half[2], double radius)
{
    candidates* near = &sim->near;
    const body* b = &sim->bodies[number];
    double extent = fabs(b->x[0]) + fabs(b->x[1]) + b->radius, slack = 8.0 * DBL_EPSILON * extent, room = INFINITY;
    radius = fmin(sqrt(half[0] * half[0] + half[1] * half[1]), radius) * (1.0 + 4.0 * DBL_EPSILON);
    for (int k = 0; k < 2; ++k)
        room = sim->length[k] > 0.0 ? fmin(room, 0.499 * sim->length[k] - radius) : room;
    slack += fmax(fmin(b->listed_fast, room), 0.0);
    int32_t item = near->items++;
    for (int k = 0; k < 2; ++k) {
        near->xr[item][k] = b->x[k] + middle[k];
        near->half[item][k] = half[k] + slack;
    }
    near->xr[item][2] = near->half[item][2] = 0.0;
    near->xr[item][3] = radius + slack;
    near->item_body[item] = number;
    near->still[item] = b->fixed;
}

static scree_status lay_out(scree_polygon_sim* sim)
{
    sim->near.items = 0;
    for (int32_t i = 0; i < sim->n; ++i) {
        body* b = &sim->bodies[i];
        scree_status status = polygon_work(sim, 16, (double)i / sim->n);
        if (status != SCREE_OK)
            return status;
        b->listed_fast = sim->def.rule == SCREE_POLYGON_ROUNDED ? b->fast : 0.0;
        if (b->fixed)
            continue;
        double middle[2], half[2];
        for (int k = 0; k < 2; ++k) {
            middle[k] = 0.5 * (b->box[k] + b->box[k + 2]);
            half[k] = 0.5 * (b->box[k + 2] - b->box[k]);
        }
        put_item(sim, i, middle, half, b->radius + sqrt(middle[0] * middle[0] + middle[1] * middle[1]));
    }
    for (int64_t p = 0; p < sim->piece_count; ++p) {
        const piece* part = &sim->pieces[p];
        const body* b = &sim->bodies[part->owner];
        double middle[2], c = fabs(b->c), s = fabs(b->s), half[2] = {c * part->half[0] + s * part->half[1], c * part->half[1] + s * part->half[0]};
        plane_axes(b, part->centre, middle);
        put_item(sim, part->owner, middle, half, b->tree == NULL ? b->radius : sqrt(part->half[0] * part->half[0] + part->half[1] * part->half[1]));
        scree_status status = polygon_work(sim, 16, 1.0);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// Pairs of items to pairs of bodies, by (i, j, shift), each once.
static scree_status collect(scree_polygon_sim* sim, const scree_candidate_rows* rows)
{
    candidates* near = &sim->near;
    const int32_t* whose = near->item_body;
    int64_t* row = near->in_first;  // scratch for now
    memset(near->own, 0, ((size_t)sim->n + 2) * sizeof *near->own);
    for (int pass = 0; pass < 2; ++pass) {
        for (int64_t c = 0; c < rows->count; ++c) {
            int32_t i = whose[rows->ij[c][0]], j = whose[rows->ij[c][1]];
            int8_t shift[2] = {0, 0};
            scree_status status = polygon_work(sim, 8, (double)c / (double)rows->count);
            if (status != SCREE_OK)
                return status;
            for (int k = 0; k < 2 && rows->shift != NULL; ++k)
                shift[k] = rows->shift[c][k];
            int sign = i < j ? 1 : -1;
            int32_t first = i < j ? i : j, second = i < j ? j : i;
            if (pass == 0)
                ++near->own[first + 1];
            else
                near->key[row[first]++] = (uint64_t)second << 16 | (uint64_t)(128 + sign * shift[0]) << 8 | (uint64_t)(128 + sign * shift[1]);
        }
        if (pass == 1)
            break;
        for (int32_t i = 0; i < sim->n; ++i)
            near->own[i + 1] += near->own[i];
        int64_t most = near->own[sim->n];
        if (SCREE_RESERVE(near->key, near->key_capacity, most) != SCREE_OK || SCREE_RESERVE(near->list, near->list_capacity, most) != SCREE_OK ||
            SCREE_RESERVE(near->in, near->in_capacity, most) != SCREE_OK || SCREE_RESERVE(near->sums, near->sum_capacity, most) != SCREE_OK ||
            SCREE_RESERVE(sim->tallies, sim->tally_capacity, most / pair_block + 1) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        memcpy(row, near->own, (size_t)sim->n * sizeof *row);
    }
    near->count = 0;
    for (int32_t i = 0; i < sim->n; ++i) {
        int64_t first = near->own[i], end = row[i];
        scree_status status = polygon_work(sim, 16 * (end - first + 1), (double)i / sim->n);
        if (status != SCREE_OK)
            return status;
        if (end > first)  // without a candidate there may be no array
            scree_sort_keys(near->key + first, end - first);
        near->own[i] = near->count;
        for (int64_t c = first; c < end; ++c) {
            uint64_t key = near->key[c];
            if (c > first && key == near->key[c - 1])
                continue;
            near->list[near->count++] = (candidate){
                .i = i, .j = (int32_t)(key >> 16), .shift = {(int8_t)((int)(key >> 8 & 255) - 128), (int8_t)((int)(key & 255) - 128)}};
        }
    }
    near->own[sim->n] = near->count;
    return SCREE_OK;
}

// Each body's pairs in which it is the second, by the first.
static scree_status turn_over(scree_polygon_sim* sim)
{
    candidates* near = &sim->near;
    int64_t* at = near->in_first;
    memset(at, 0, ((size_t)sim->n + 2) * sizeof *at);
    for (int64_t c = 0; c < near->count; ++c)
        ++at[near->list[c].j + 2];
    for (int32_t i = 0; i < sim->n; ++i)
        at[i + 2] += at[i + 1];
    scree_status status = SCREE_OK;
    for (int64_t c = 0; c < near->count && status == SCREE_OK; ++c) {  // at[j + 1] moves on to where the row of j + 1 begins
        near->in[at[near->list[c].j + 1]++] = c;
        status = polygon_work(sim, 16, (double)c / (double)near->count);
    }
    return status;
}

static scree_status make(scree_polygon_sim* sim, scree_candidate_items* now)
{
    candidates* near = &sim->near;
    near->held = false;
    scree_status status = lay_out(sim);
    now->count = near->items;
    now->xr = (const double(*)[4])near->xr;
    now->half = (const double(*)[3])near->half;
    now->still = near->still;
    const scree_pair_mask mask = {.count = near->items, .group = near->item_body};
    now->mask = &mask;
    now->others = true;
    scree_candidate_rows rows;
    if (status == SCREE_OK)
        status = scree_candidates_update(near->service, now);
    if (status == SCREE_OK)
        status = scree_candidates_get_rows(near->service, &rows);
    if (status == SCREE_OK)
        status = collect(sim, &rows);
    if (status == SCREE_OK)
        status = turn_over(sim);
    if (status != SCREE_OK)
        return status;
    for (int32_t i = 0; i < sim->n; ++i) {
        body* b = &sim->bodies[i];
        b->reference[0] = b->x[0];
        b->reference[1] = b->x[1];
        b->reference[2] = b->angle;
        b->clear = 0.0;
    }
    near->held = true;
    return SCREE_OK;
}

scree_status candidates_ready(scree_polygon_sim* sim)
{
    double begin = scree_clock(), way[2] = {0.0, 0.0};
    for (int64_t b = 0; b < sim->blocks; ++b)
        for (int e = 0; e < 2; ++e) {
            double w = sim->result[b].way[e];
            way[1] = fmax(way[1], fmin(w, way[0]));
            way[0] = fmax(way[0], w);
        }
    scree_candidate_items now = scree_default_candidate_items();
    now.count = sim->near.items;
    now.ways = way;
    now.expected = sim->speed * sim->numbers.time_step;
    now.others = !sim->near.held;
    bool holds;
    scree_status status = scree_candidates_hold(sim->near.service, &now, &holds);
    if (status == SCREE_OK && !holds)
        status = make(sim, &now);
    sim->seconds_search += scree_clock() - begin;
    return status;
}
