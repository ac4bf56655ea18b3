// Neighbour lists for a caller that moves its items itself: the index finds all pairs whose gap is below gap + skin, and the list is kept until a pair could be
// missing from it.
//
// When that is: two items that are `skin` apart must move by that much together. The caller knows a bound on the motion of each update (the largest speed times
// the time step), so most updates add one number to how far any item can have travelled. Only when twice that reaches the skin is every displacement
// measured (the index's copy of the positions is the reference), and the sum starts again from the two largest. So most updates read no position at all.
//
// The skin is chosen by counted work from what the last list was like (skin.c). Cost of a list: that of the search, and O(rows) for the rows and their
// transpose, shared by the threads.
#include "index/index_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/deal.h"
#include "base/parallel.h"
#include "geom/length.h"
#include "index/parameters.h"
#include "scree/candidates.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

enum { part_items = 4096 };

static const double up = 1.0 + 8.0 * DBL_EPSILON;

typedef struct candidate_part {
    double way[2];  // squares of the two largest displacements
    double most[3]; // the largest coordinates
    double r_sum, r_most;
    int64_t begin, end, kept;  // rows
} candidate_part;

struct scree_candidates {
    scree_index* index;
    int32_t block;         // of the def; dealt.block is that of the list that is held
    double reach;          // search.gap: pairs up to this gap must be listed
    double wanted_skin;    // search.skin, or what verlet_radius says once radii are known; 0: by counted work; below 0: none
    double verlet_radius;
    int32_t rebuild_every;
    bool held;
    bool failed;           // the last update
    int64_t builds;
    double skin;
    double limit;          // complete while the two largest displacements add up to no more than this
    double scale;          // of box and centres since the list was made,
    double about[3];       // about this point
    double cell[6];        // of the box when the list was made: sides (1 of axes that are not periodic), xy, xz, yz
    double affine[6];      // takes it to the box of now, about the centres of the two: diagonal, xy, xz, yz
    double centre[2][3];   // of the box when the list was made, and now
    bool deformed;         // the two boxes differ
    double made_limit;     // what `limit` was when the list was made
    double base[2];        // the two largest displacements when they were last measured
    double travelled;      // by which any item can have moved since
    double outside;        // and what is no item, since the list was made
    int64_t age;           // updates that the list has lasted
    double half_turn;      // half of the shortest periodic axis: displacements are known up to whole turns, so a list must end before that
    double extent;         // a bound on coordinates, for roundings
    double r_most, r_mean;
    double move;           // of the last update
    skin_model model;
    int32_t n;
    double length[3];      // of periodic axes, else 0
    double tilt[3];
    bool periodic[3];
    candidate_part* parts;
    int64_t part_capacity;
    scree_dealt dealt;     // transposed rows, if dealt.block > 0
    bool trimmed;          // there is the list only: it is not known how far items have moved
};

// ---- Life ----------------------------------------------------------------------------------------------------------

SCREE_DEFAULTS_OF(scree_candidates_def, scree_default_candidates_def)
{
    return (scree_candidates_def){.struct_size = sizeof(scree_candidates_def)};
}

static void cell_of(const scree_box* box, double cell[6], double centre[3])
{
    double length[3], tilt[3];
    scree_lattice_of(box, length, tilt);
    for (int k = 0; k < 3; ++k) {
        cell[k] = length[k] > 0.0 ? length[k] : 1.0;
        cell[3 + k] = tilt[k];
        centre[k] = length[k] > 0.0 ? 0.5 * (box->lower[k] + box->upper[k]) : 0.0;
    }
}

static void measure_box(scree_candidates* near, const scree_box* box)
{
    near->half_turn = INFINITY;
    scree_lattice_of(box, near->length, near->tilt);
    for (int k = 0; k < 3; ++k) {
        near->periodic[k] = near->length[k] > 0.0;
        if (near->periodic[k])
            near->half_turn = fmin(near->half_turn, 0.5 * near->length[k]);
    }
}

scree_status scree_candidates_create(const scree_candidates_def* given, scree_candidates** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED_AS(given, "def");
    scree_candidates_def def = scree_default_candidates_def();
    scree_status status = scree_check_struct_size("candidates", "scree_default_candidates_def", given->struct_size, sizeof def, sizeof def);
    if (status != SCREE_OK)
        return status;
    def = *given;
    if (def.block < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: %" PRId32 " items in a block; 0 or more were expected", def.block);
    scree_index_def search = scree_default_index_def();
    if (def.search != NULL) {
        status = scree_check_struct_size("index", "scree_default_index_def", def.search->struct_size, offsetof(scree_index_def, watch), sizeof search);
        if (status != SCREE_OK)
            return status;
        memcpy(&search, def.search, def.search->struct_size);
    }
    scree_candidates* near = scree_calloc(1, sizeof *near);
    if (near == NULL)
        return SCREE_ERR_MEMORY;
    near->block = def.block;
    near->dealt.numbered = def.numbered;
    near->reach = search.gap;
    near->wanted_skin = search.skin;
    near->verlet_radius = search.verlet_radius;
    near->rebuild_every = search.rebuild_every;
    near->scale = 1.0;
    near->model.pairs = -1.0;
    // The list is kept here, whatever the method: the index searches whenever it is asked.
    search.sorted = true;
    search.verlet_radius = 0.0;
    search.rebuild_every = 0;
    if (near->verlet_radius < 0.0 || !scree_is_length(near->verlet_radius) || near->rebuild_every < 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "candidates: a verlet radius of %g, renewed every %" PRId32 " updates; 0 or more were expected",
                            near->verlet_radius, near->rebuild_every);
    if (status == SCREE_OK)
        status = scree_index_create(&search, &near->index);
    if (status != SCREE_OK) {
        scree_free(near);
        return status;
    }
    near->index->def.skin = -1.0;
    near->index->no_list = near->index->pairs.with_rows = true;
    measure_box(near, &search.box);
    cell_of(&search.box, near->cell, near->centre[0]);
    *out = near;
    return SCREE_OK;
}

void scree_candidates_destroy(scree_candidates* near)
{
    if (near == NULL)
        return;
    scree_index_destroy(near->index);
    scree_free(near->parts);
    scree_dealt_free(&near->dealt);
    scree_free(near);
}

void scree_candidates_trim(scree_candidates* near)
{
    if (near == NULL)
        return;
    index_trim(near->index);
    near->trimmed = true;
}

void scree_candidates_clear(scree_candidates* near)
{
    if (near == NULL)
        return;
    bool numbered = near->dealt.numbered;
    scree_candidates_trim(near);
    pair_list_free(&near->index->pairs);
    index_forget_pairs(near->index);
    scree_dealt_free(&near->dealt);
    near->dealt.numbered = numbered;
    scree_free(near->parts);
    near->parts = NULL;
    near->part_capacity = 0;
    near->held = false;
}

scree_status scree_candidates_set_threads(scree_candidates* near, int32_t threads)
{
    SCREE_NEED(near);
    if (threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: %" PRId32 " threads (0 means all cores)", threads);
    near->index->def.threads = threads;
    return SCREE_OK;
}

// References are scaled with the centres. Two of them that stood `skin` apart, with surfaces, or farther, then stand so far apart less what their
// centres came closer; for those that stood just there that is (1 - factor) (r_i + r_j + skin), and for others it leaves more.
scree_status scree_candidates_scale(scree_candidates* near, const scree_box* box, const double about[3], double factor)
{
    SCREE_NEED(near);
    SCREE_NEED(box);
    SCREE_NEED(about);
    if (!(factor > 0.0) || !(factor <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: a factor of %g; more than 0 was expected", factor);
    scree_status status = scree_box_check(box);
    for (int k = 0; k < 3 && status == SCREE_OK; ++k)
        if (box->dim != near->index->def.box.dim || (k < box->dim && box->periodic[k] != near->index->def.box.periodic[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT, "candidates: another dimension or other periodic axes than before");
    for (int t = 0; t < 3 && status == SCREE_OK; ++t) {
        double expected = near->tilt[t] * factor, tilt = t == 0 || box->dim == 3 ? box->tilt[t] : 0.0;
        if (!(fabs(tilt - expected) <= 1e-9 * fabs(expected)))
            status = scree_fail(SCREE_ERR_ARGUMENT, "candidates: the box was scaled by %g, and its tilt %s is %g; %g was expected", factor,
                                (const char*[]){"xy", "xz", "yz"}[t], tilt, expected);
    }
    if (status != SCREE_OK)
        return status;
    near->index->def.box = *box;
    measure_box(near, box);
    if (near->scale != 1.0 && memcmp(near->about, about, sizeof near->about) != 0)
        near->limit = -INFINITY;  // references follow one point only
    memcpy(near->about, about, sizeof near->about);
    near->scale *= factor;
    if (factor < 1.0)
        near->limit -= (1.0 - factor) * (2.0 * near->r_most + near->reach + near->skin) * up;
    double wider = fmax(factor, 1.0) * up;
    for (int s = 0; s < 2; ++s)
        near->base[s] *= wider;
    near->extent *= wider;
    near->travelled = near->travelled * wider + 8.0 * DBL_EPSILON * near->extent;
    near->outside = near->outside * wider + 8.0 * DBL_EPSILON * near->extent;
    return SCREE_OK;
}

// ---- Boxes that deform -----------------------------------------------------------------------------------------------

// The least that a vector can be shortened to by the map, or less: by the circles of Gershgorin about the eigenvalues of its square.
static double least_stretch(const double a[6])
{
    double rows[3][3] = {{a[0], a[3], a[4]}, {0.0, a[1], a[5]}, {0.0, 0.0, a[2]}}, least = 1.0;
    for (int k = 0; k < 3; ++k) {
        double radius = 0.0, middle = 0.0;
        for (int m = 0; m < 3; ++m) {
            double product = rows[0][k] * rows[0][m] + rows[1][k] * rows[1][m] + rows[2][k] * rows[2][m];
            if (m == k)
                middle = product;
            else
                radius += fabs(product);
        }
        least = fmin(least, sqrt(fmax(middle - radius, 0.0)));
    }
    return least;
}

// References follow the box by one affine map. Two that stood skin apart, with surfaces, or farther, come closer by no more than what the map takes from
// r_i + r_j + skin.
scree_status scree_candidates_deform(scree_candidates* near, const scree_box* box)
{
    SCREE_NEED(near);
    SCREE_NEED(box);
    const scree_box* was = &near->index->def.box;
    scree_status status = scree_box_check(box);
    if (status == SCREE_OK)
        status = index_check_tilt(near->index->def.method, box);
    for (int k = 0; k < 3 && status == SCREE_OK; ++k)
        if (box->dim != was->dim || (k < box->dim && box->periodic[k] != was->periodic[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT, "candidates: another dimension or other periodic axes than before");
    if (status != SCREE_OK)
        return status;
    double now[6], *from = near->cell, *a = near->affine;
    near->index->def.box = *box;
    measure_box(near, box);
    cell_of(box, now, near->centre[1]);
    for (int k = 0; k < 3; ++k)
        a[k] = now[k] / from[k];
    a[3] = (now[3] - a[0] * from[3]) / from[1];
    a[5] = (now[5] - a[1] * from[5]) / from[2];
    a[4] = ((now[4] - a[0] * from[4]) - a[3] * from[5]) / from[2];
    near->deformed = memcmp(near->centre[0], near->centre[1], sizeof near->centre[0]) != 0 || memcmp(now, from, sizeof now) != 0;
    if (near->scale != 1.0)
        near->made_limit = -INFINITY;  // references follow one or the other
    double reach = 2.0 * near->r_most + near->reach + near->skin;
    near->limit = near->made_limit - ((1.0 - least_stretch(a)) * reach + 16.0 * DBL_EPSILON * (reach + near->extent)) * up;
    return SCREE_OK;
}

static void follow(const scree_candidates* near, double from[3])
{
    const double *a = near->affine, *then = near->centre[0], *now = near->centre[1];
    double d[3] = {from[0] - then[0], from[1] - then[1], from[2] - then[2]};
    from[0] = now[0] + ((a[0] * d[0] + a[3] * d[1]) + a[4] * d[2]);
    from[1] = now[1] + (a[1] * d[1] + a[5] * d[2]);
    from[2] = now[2] + a[2] * d[2];
}

// ---- Whether the list is still complete ----------------------------------------------------------------------------

typedef struct candidate_job {
    scree_candidates* near;
    const scree_candidate_items* now;
} candidate_job;

static int64_t part_count(const scree_candidates* near)
{
    return ((int64_t)near->n + part_items - 1) / part_items;
}

static int64_t part_end(const scree_candidates* near, int64_t part)
{
    return (part + 1) * part_items < near->n ? (part + 1) * part_items : near->n;
}

static scree_status measure_part(void* context, int64_t part)
{
    const candidate_job* job = context;
    scree_candidates* near = job->near;
    const double (*x)[4] = job->now->xr, (*reference)[4] = (const double(*)[4])near->index->xr;
    const double *about = near->about, scale = near->scale;
    double most[2] = {0.0, 0.0};
    for (int64_t i = part * part_items; i < part_end(near, part); ++i) {
        double way[3], square = 0.0, from[3];
        int on[3];
        for (int k = 0; k < 3; ++k)
            from[k] = scale == 1.0 ? reference[i][k] : about[k] + (reference[i][k] - about[k]) * scale;
        if (near->deformed)
            follow(near, from);
        for (int k = 0; k < 3; ++k)
            way[k] = x[i][k] - from[k];
        scree_lattice_shorten(near->periodic, near->length, near->tilt, 3, way, on);  // the reference is wrapped
        for (int k = 0; k < 3; ++k)
            square += way[k] * way[k];
        double second = fmin(square, most[0]);
        most[1] = fmax(most[1], second);
        most[0] = fmax(most[0], square);
    }
    near->parts[part].way[0] = most[0];
    near->parts[part].way[1] = most[1];
    return SCREE_OK;
}

// The two largest displacements since the list was made.
static void measure_ways(scree_candidates* near, const scree_candidate_items* now, double way[2])
{
    if (now->ways != NULL) {
        way[0] = now->ways[0];
        way[1] = now->ways[1];
        return;
    }
    candidate_job job = {.near = near, .now = now};
    scree_parallel_for(near->index->def.threads, part_count(near), measure_part, &job, NULL);
    way[0] = way[1] = 0.0;
    for (int64_t p = 0; p < part_count(near); ++p)
        for (int s = 0; s < 2; ++s) {
            double one = near->parts[p].way[s], second = fmin(one, way[0]);
            way[1] = fmax(way[1], second);
            way[0] = fmax(way[0], one);
        }
    for (int s = 0; s < 2; ++s)
        way[s] = sqrt(way[s]) * up;
}

static bool is_complete(scree_candidates* near, const scree_candidate_items* now)
{
    bool known = now->moved >= 0.0;
    double rounding = 2.0 * DBL_EPSILON * near->extent, move = known ? now->moved * up + rounding : INFINITY;
    ++near->age;
    near->travelled += move;
    near->outside += now->outside_moved > 0.0 ? now->outside_moved * up + rounding : 0.0;
    if (near->age == 1 && known)
        near->model.first = 2.0 * move;
    double both = near->base[0] + near->base[1] + 2.0 * near->travelled, one = near->base[0] + near->travelled + near->outside;
    if (both <= near->limit && one <= near->limit)
        return true;
    if (known && near->base[0] + near->travelled >= near->half_turn && now->ways == NULL)
        return false;
    double before = near->base[0] + near->base[1];
    measure_ways(near, now, near->base);
    near->travelled = 0.0;
    both = near->base[0] + near->base[1];
    one = near->base[0] + near->outside;
    if (near->age == 1 && !known)
        near->model.first = both;
    near->model.last = both;
    if (!known)  // the motion of this update, as far as it shows
        move = fmax(0.5 * (both - before), 0.0);
    near->move = move;
    if (near->rebuild_every > 0 || now->ways != NULL)
        return both <= near->limit && one <= near->limit;
    // If it would end in a moment, it had better end now.
    return both + 4.0 * move <= near->limit && one + 2.0 * (move + now->outside_moved) <= near->limit;
}

// ---- A new list ----------------------------------------------------------------------------------------------------

static scree_status extent_part(void* context, int64_t part)
{
    const candidate_job* job = context;
    scree_candidates* near = job->near;
    candidate_part seen = {.kept = 0};
    for (int64_t i = part * part_items; i < part_end(near, part); ++i) {
        const double* row = job->now->xr[i];
        for (int k = 0; k < 3; ++k)
            seen.most[k] = fmax(seen.most[k], fabs(row[k]));
        seen.r_sum += row[3];
        seen.r_most = fmax(seen.r_most, row[3]);
    }
    near->parts[part] = seen;
    return SCREE_OK;
}

static void find_extent(scree_candidates* near, const scree_candidate_items* now)
{
    candidate_job job = {.near = near, .now = now};
    double sum = 0.0;
    scree_parallel_for(near->index->def.threads, part_count(near), extent_part, &job, NULL);
    near->extent = near->r_most = 0.0;
    for (int64_t p = 0; p < part_count(near); ++p) {
        for (int k = 0; k < 3; ++k)
            near->extent = fmax(near->extent, near->parts[p].most[k]);
        near->r_most = fmax(near->r_most, near->parts[p].r_most);
        sum += near->parts[p].r_sum;
    }
    near->r_mean = near->n > 0 ? sum / near->n : 0.0;
}

// The one skin rule. Lists end within half a turn of a periodic axis and within the cells that were asked for.
static scree_status choose_skin(scree_candidates* near, const scree_candidate_items* now, double* out)
{
    const scree_index_def* def = &near->index->def;
    double widest = fmin(near->half_turn, parameters_cell_reach(def) - 2.0 * near->r_most - near->reach), skin = near->wanted_skin;
    if (now->skin > 0.0) {
        *out = fmin(now->skin, widest);
        return SCREE_OK;
    }
    if (near->verlet_radius > 0.0) {
        skin = near->verlet_radius - 2.0 * near->r_most - near->reach;
        if (near->n > 0 && !(skin > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "candidates: a verlet radius of %g loses contacts; more than the largest diameter%s, %g, is needed",
                              near->verlet_radius, near->reach != 0.0 ? " and the gap" : "", 2.0 * near->r_most + near->reach);
    }
    if (skin == 0.0) {
        items it = {.n = near->n, .dim = def->box.dim, .r_max = near->r_most, .gap = near->reach};
        for (int k = 0; k < def->box.dim; ++k) {
            bool closed = def->box.upper[k] < INFINITY && def->box.lower[k] > -INFINITY;
            it.length[k] = closed ? def->box.upper[k] - def->box.lower[k] : near->extent;
        }
        near->model.known = true;
        near->model.step = 2.0 * (now->expected > 0.0 ? now->expected : near->move);
        skin = skin_choose(&near->model, &it, near->r_mean);
        if (!(skin > 0.0))  // an item alone has walls at most to look for
            skin = fmax(near->model.step, (near->n < 2 ? 1.0 : 1e-3) * near->r_mean);
        skin = fmin(skin, widest);
    }
    *out = fmax(skin, 0.0);
    return SCREE_OK;
}

static bool is_wanted(const scree_candidates* near, const scree_candidate_items* now, int64_t c)
{
    const pair_list* found = &near->index->pairs;
    int32_t i = found->ij[c][0], j = found->ij[c][1];
    if ((now->still != NULL && now->still[i] && now->still[j]) || (now->body != NULL && now->body[i] == now->body[j]))
        return false;
    double offset[3] = {0.0, 0.0, 0.0};
    if (now->half != NULL && near->index->periodic)
        scree_lattice_offset(near->length, near->tilt, found->shift[c][0], found->shift[c][1], found->shift[c][2], offset);
    for (int k = 0; k < near->index->def.box.dim && now->half != NULL; ++k) {
        double d = (now->xr[i][k] - now->xr[j][k]) - offset[k];
        if (fabs(d) > (now->half[i][k] + now->half[j][k]) + (near->reach + near->skin))
            return false;
    }
    return true;
}

// Rows of one part of the items, closed up inside the room that they have; rows[i] becomes how many item i has.
static scree_status keep_part(void* context, int64_t number)
{
    const candidate_job* job = context;
    scree_candidates* near = job->near;
    candidate_part* part = &near->parts[number];
    pair_list* found = &near->index->pairs;
    int64_t end = part_end(near, number), from = part->begin, to = part->begin;
    for (int64_t i = number * part_items; i < end; ++i) {
        int64_t row_end = i + 1 < end ? found->rows[i + 1] : part->end, row_begin = to;
        for (; from < row_end; ++from) {
            if (!is_wanted(near, job->now, from))
                continue;
            memmove(found->ij[to], found->ij[from], sizeof *found->ij);
            if (near->index->periodic)
                memmove(found->shift[to], found->shift[from], sizeof *found->shift);
            ++to;
        }
        found->rows[i] = to - row_begin;
    }
    part->kept = to - part->begin;
    return SCREE_OK;
}

// Leaves out pairs of two still items, of one body, and of boxes that are too far apart.
static scree_status keep_wanted(scree_candidates* near, const scree_candidate_items* now)
{
    pair_list* found = &near->index->pairs;
    candidate_job job = {.near = near, .now = now};
    if (found->count == 0)
        return SCREE_OK;
    for (int64_t p = 0; p < part_count(near); ++p) {
        near->parts[p].begin = found->rows[p * part_items];
        near->parts[p].end = found->rows[part_end(near, p)];
    }
    scree_status status = scree_parallel_for(near->index->def.threads, part_count(near), keep_part, &job, &near->index->def.watch);
    if (status != SCREE_OK)
        return status;
    found->count = 0;
    for (int64_t p = 0; p < part_count(near); ++p) {
        const candidate_part* part = &near->parts[p];
        memmove(found->ij + found->count, found->ij + part->begin, (size_t)part->kept * sizeof *found->ij);
        if (near->index->periodic)
            memmove(found->shift + found->count, found->shift + part->begin, (size_t)part->kept * sizeof *found->shift);
        for (int64_t i = p * part_items; i < part_end(near, p); ++i) {
            int64_t here = found->rows[i];
            found->rows[i] = found->count;
            found->count += here;
        }
    }
    found->rows[near->n] = found->count;
    return SCREE_OK;
}

// ---- The door ------------------------------------------------------------------------------------------------------

static scree_status make(scree_candidates* near, const scree_candidate_items* now)
{
    scree_index* index = near->index;
    near->held = near->trimmed = false;
    near->failed = true;
    near->n = now->count;
    if (SCREE_RESERVE(near->parts, near->part_capacity, part_count(near) + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    find_extent(near, now);
    double skin = 0.0;
    scree_status status = choose_skin(near, now, &skin);
    if (status == SCREE_OK && near->reach + skin != index->def.gap)
        status = scree_index_set_gap(index, near->reach + skin);
    if (status == SCREE_OK)
        status = index_update_items(index, now->count, now->xr, now->half);
    scree_pairs pairs;
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status != SCREE_OK)
        return status;
    near->skin = skin;
    if (now->still != NULL || now->body != NULL || now->half != NULL)
        status = keep_wanted(near, now);
    if (status != SCREE_OK) {
        index_forget_pairs(index);
        return status;
    }
    near->limit = near->made_limit = skin - list_rounding(&index->it);
    cell_of(&index->def.box, near->cell, near->centre[0]);
    near->deformed = false;
    near->base[0] = near->base[1] = near->travelled = near->outside = 0.0;
    near->age = 0;
    near->model.work = index->model.work;
    near->model.candidates = (double)index->pairs.count;
    near->model.skin = skin;
    near->scale = 1.0;
    ++near->builds;
    const pair_list* found = &index->pairs;
    const scree_rows rows = {.items = near->n, .count = found->count, .ij = (const int32_t(*)[2])found->ij, .shift = index->periodic ? (const int8_t(*)[3])found->shift : NULL};
    near->dealt.block = now->block > 0 ? now->block : near->block;
    if (near->dealt.block > 0)
        status = scree_deal(&near->dealt, &rows, index->def.threads, &index->def.watch);
    near->held = status == SCREE_OK;
    near->failed = !near->held;
    return status;
}

static scree_status check_motion(const scree_candidate_items* now)
{
    if (now->block < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: %" PRId32 " items in a block; 0 or more were expected", now->block);
    if (now->moved < 0.0 || !(now->outside_moved >= 0.0) || !(now->expected >= 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: motions of %g, %g and %g; none may be negative", now->moved, now->outside_moved, now->expected);
    return SCREE_OK;
}

scree_status scree_candidates_hold(scree_candidates* near, const scree_candidate_items* now, bool* holds)
{
    SCREE_EMPTY(holds);
    SCREE_NEED(near);
    SCREE_NEED(now);
    if (check_motion(now) != SCREE_OK)
        return SCREE_ERR_ARGUMENT;
    if (!near->held || near->trimmed || now->others || near->wanted_skin < 0.0)
        return SCREE_OK;
    if (now->count != near->n || (now->count > 0 && now->xr == NULL && now->ways == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: %" PRId32 " items%s after %" PRId32 ", without `others`", now->count,
                          now->xr == NULL ? " without an array" : "", near->n);
    bool complete = is_complete(near, now);
    if (near->rebuild_every > 0 && near->age < near->rebuild_every && !complete)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%" PRId64 " steps after the list was made, items have moved by %g together and the list allows %g; rebuild_every %" PRId32
                          " would lose contacts",
                          near->age, near->base[0] + near->base[1], near->limit, near->rebuild_every);
    if (!complete) {
        near->model.steps = near->age;
        near->model.pairs = (double)now->found;
        skin_broke(&near->model);
    }
    *holds = complete && (near->rebuild_every == 0 || near->age < near->rebuild_every);
    return SCREE_OK;
}

scree_status scree_candidates_next_skin(scree_candidates* near, const scree_candidate_items* now, int64_t age, const double ways[2], double* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(near);
    SCREE_NEED(now);
    SCREE_NEED(ways);
    if (check_motion(now) != SCREE_OK)
        return SCREE_ERR_ARGUMENT;
    near->model.steps = age;
    near->model.first = ways[0];
    near->model.last = ways[1];
    near->model.pairs = (double)now->found;
    skin_broke(&near->model);
    return choose_skin(near, now, out);
}

scree_status scree_candidates_update(scree_candidates* near, const scree_candidate_items* now)
{
    SCREE_NEED(near);
    SCREE_NEED(now);
    bool holds;
    scree_status status = scree_candidates_hold(near, now, &holds);
    if (status != SCREE_OK || holds)
        return status;
    if (now->count < 0 || (now->count > 0 && now->xr == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: %" PRId32 " items%s; 0 or more were expected, with an array", now->count,
                          now->xr == NULL ? " without an array" : "");
    return make(near, now);
}

SCREE_RESULT_OF(scree_candidate_rows, scree_candidates_get_rows, (const scree_candidates* near, scree_candidate_rows* out), (near, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(near);
    if (near->failed)
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: no list is held, because the last update failed");
    if (!near->held)
        return SCREE_OK;
    const pair_list* found = &near->index->pairs;
    bool periodic = near->index->periodic, dealt = near->dealt.block > 0;
    *out = (scree_candidate_rows){.build = near->builds,
                                  .count = found->count,
                                  .items = near->n,
                                  .ij = (const int32_t(*)[2])found->ij,
                                  .shift = periodic ? (const int8_t(*)[3])found->shift : NULL,
                                  .start = found->rows,
                                  .blocks = dealt ? near->dealt.blocks : 0,
                                  .in_start = dealt ? near->dealt.start : NULL,
                                  .in_ij = dealt ? (const int32_t(*)[2])near->dealt.ij : NULL,
                                  .in_shift = dealt && periodic ? (const int8_t(*)[3])near->dealt.shift : NULL,
                                  .in_row = dealt && near->dealt.numbered ? near->dealt.row : NULL,
                                  .skin = near->skin,
                                  .margin = near->skin + 8.0 * DBL_EPSILON * near->extent};
    return SCREE_OK;
}

SCREE_VALUE_OF(scree_candidates_stats, scree_candidates_get_stats, (const scree_candidates* near), (near))
{
    SCREE_NEED_OR(near, (scree_candidates_stats){0});
    return (scree_candidates_stats){
        .builds = near->builds,
        .candidates = near->held ? near->index->pairs.count : 0,
        .skin = near->held ? near->skin : 0.0,
        .method = (int32_t)scree_index_method(near->index),
        .work = near->model.work,
        .bytes = sizeof *near + scree_index_get_stats(near->index).bytes + (size_t)near->part_capacity * sizeof *near->parts +
                 scree_dealt_bytes(&near->dealt)};
}
