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

SCREE_DEFAULTS_OF(scree_candidate_items, scree_default_candidate_items)
{
    return (scree_candidate_items){.struct_size = sizeof(scree_candidate_items), .moved = NAN, .found = -1};
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

static void measure_box(scree_candidates* candidates, const scree_box* box)
{
    candidates->half_turn = INFINITY;
    scree_lattice_of(box, candidates->length, candidates->tilt);
    for (int k = 0; k < 3; ++k) {
        candidates->periodic[k] = candidates->length[k] > 0.0;
        if (candidates->periodic[k])
            candidates->half_turn = fmin(candidates->half_turn, 0.5 * candidates->length[k]);
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
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: %" PRId32 " items in a block; expected 0 or more", def.block);
    scree_index_def search = scree_default_index_def();
    if (def.search != NULL) {
        status = scree_check_struct_size("index", "scree_default_index_def", def.search->struct_size, offsetof(scree_index_def, watch), sizeof search);
        if (status != SCREE_OK)
            return status;
        memcpy(&search, def.search, def.search->struct_size);
    }
    scree_candidates* candidates = scree_calloc(1, sizeof *candidates);
    if (candidates == NULL)
        return SCREE_ERR_MEMORY;
    candidates->block = def.block;
    candidates->dealt.numbered = def.numbered;
    candidates->reach = search.gap;
    candidates->wanted_skin = search.skin;
    candidates->verlet_radius = search.verlet_radius;
    candidates->rebuild_every = search.rebuild_every;
    candidates->scale = 1.0;
    candidates->model.pairs = -1.0;
    // The list is kept here, whatever the method: the index searches whenever it is asked.
    search.sorted = true;
    search.verlet_radius = 0.0;
    search.rebuild_every = 0;
    if (candidates->verlet_radius < 0.0 || !scree_is_length(candidates->verlet_radius) || candidates->rebuild_every < 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "candidates: a verlet radius of %g, renewed every %" PRId32 " updates; expected 0 or more",
                            candidates->verlet_radius, candidates->rebuild_every);
    if (status == SCREE_OK)
        status = scree_index_create(&search, &candidates->index);
    if (status != SCREE_OK) {
        scree_free(candidates);
        return status;
    }
    candidates->index->def.skin = -1.0;
    candidates->index->no_list = candidates->index->pairs.with_rows = true;
    measure_box(candidates, &search.box);
    cell_of(&search.box, candidates->cell, candidates->centre[0]);
    *out = candidates;
    return SCREE_OK;
}

void scree_candidates_destroy(scree_candidates* candidates)
{
    if (candidates == NULL)
        return;
    scree_index_destroy(candidates->index);
    scree_free(candidates->parts);
    scree_dealt_free(&candidates->dealt);
    scree_free(candidates);
}

void scree_candidates_trim(scree_candidates* candidates)
{
    if (candidates == NULL)
        return;
    index_trim(candidates->index);
    candidates->trimmed = true;
}

void scree_candidates_clear(scree_candidates* candidates)
{
    if (candidates == NULL)
        return;
    bool numbered = candidates->dealt.numbered;
    scree_candidates_trim(candidates);
    pair_list_free(&candidates->index->pairs);
    index_forget_pairs(candidates->index);
    scree_dealt_free(&candidates->dealt);
    candidates->dealt.numbered = numbered;
    scree_free(candidates->parts);
    candidates->parts = NULL;
    candidates->part_capacity = 0;
    candidates->held = false;
}

scree_status scree_candidates_set_threads(scree_candidates* candidates, int32_t threads)
{
    SCREE_NEED(candidates);
    if (threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: %" PRId32 " threads; expected 0 for all cores, or more", threads);
    candidates->index->def.threads = threads;
    return SCREE_OK;
}

// References are scaled with the centres. Two of them that stood `skin` apart, with surfaces, or farther, then stand so far apart less what their
// centres came closer; for those that stood just there that is (1 - factor) (r_i + r_j + skin), and for others it leaves more.
scree_status scree_candidates_scale(scree_candidates* candidates, const scree_box* box, const double about[3], double factor)
{
    SCREE_NEED(candidates);
    SCREE_NEED(box);
    SCREE_NEED(about);
    if (!(factor > 0.0) || !(factor <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: a factor of %g; expected more than 0", factor);
    scree_status status = scree_box_check(box);
    for (int k = 0; k < 3 && status == SCREE_OK; ++k)
        if (box->dim != candidates->index->def.box.dim || (k < box->dim && box->periodic[k] != candidates->index->def.box.periodic[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT, "candidates: the box has another dimension or other periodic axes than before; expected the same");
    for (int t = 0; t < 3 && status == SCREE_OK; ++t) {
        double expected = candidates->tilt[t] * factor, tilt = t == 0 || box->dim == 3 ? box->tilt[t] : 0.0;
        if (!(fabs(tilt - expected) <= 1e-9 * fabs(expected)))
            status = scree_fail(SCREE_ERR_ARGUMENT, "candidates: the box was scaled by %g, and its tilt %s is %g; expected %g", factor,
                                (const char*[]){"xy", "xz", "yz"}[t], tilt, expected);
    }
    if (status != SCREE_OK)
        return status;
    candidates->index->def.box = *box;
    measure_box(candidates, box);
    if (candidates->scale != 1.0 && memcmp(candidates->about, about, sizeof candidates->about) != 0)
        candidates->limit = -INFINITY;  // references follow one point only
    memcpy(candidates->about, about, sizeof candidates->about);
    candidates->scale *= factor;
    if (factor < 1.0)
        candidates->limit -= (1.0 - factor) * (2.0 * candidates->r_most + candidates->reach + candidates->skin) * up;
    double wider = fmax(factor, 1.0) * up;
    for (int s = 0; s < 2; ++s)
        candidates->base[s] *= wider;
    candidates->extent *= wider;
    candidates->travelled = candidates->travelled * wider + 8.0 * DBL_EPSILON * candidates->extent;
    candidates->outside = candidates->outside * wider + 8.0 * DBL_EPSILON * candidates->extent;
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
scree_status scree_candidates_deform(scree_candidates* candidates, const scree_box* box)
{
    SCREE_NEED(candidates);
    SCREE_NEED(box);
    const scree_box* was = &candidates->index->def.box;
    scree_status status = scree_box_check(box);
    if (status == SCREE_OK)
        status = index_check_tilt(candidates->index->def.method, box);
    for (int k = 0; k < 3 && status == SCREE_OK; ++k)
        if (box->dim != was->dim || (k < box->dim && box->periodic[k] != was->periodic[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT, "candidates: the box has another dimension or other periodic axes than before; expected the same");
    if (status != SCREE_OK)
        return status;
    double now[6], *from = candidates->cell, *a = candidates->affine;
    candidates->index->def.box = *box;
    measure_box(candidates, box);
    cell_of(box, now, candidates->centre[1]);
    for (int k = 0; k < 3; ++k)
        a[k] = now[k] / from[k];
    a[3] = (now[3] - a[0] * from[3]) / from[1];
    a[5] = (now[5] - a[1] * from[5]) / from[2];
    a[4] = ((now[4] - a[0] * from[4]) - a[3] * from[5]) / from[2];
    candidates->deformed = memcmp(candidates->centre[0], candidates->centre[1], sizeof candidates->centre[0]) != 0 || memcmp(now, from, sizeof now) != 0;
    if (candidates->scale != 1.0)
        candidates->made_limit = -INFINITY;  // references follow one or the other
    double reach = 2.0 * candidates->r_most + candidates->reach + candidates->skin;
    candidates->limit = candidates->made_limit - ((1.0 - least_stretch(a)) * reach + 16.0 * DBL_EPSILON * (reach + candidates->extent)) * up;
    return SCREE_OK;
}

static void follow(const scree_candidates* candidates, double from[3])
{
    const double *a = candidates->affine, *then = candidates->centre[0], *now = candidates->centre[1];
    double d[3] = {from[0] - then[0], from[1] - then[1], from[2] - then[2]};
    from[0] = now[0] + ((a[0] * d[0] + a[3] * d[1]) + a[4] * d[2]);
    from[1] = now[1] + (a[1] * d[1] + a[5] * d[2]);
    from[2] = now[2] + a[2] * d[2];
}

// ---- Whether the list is still complete ----------------------------------------------------------------------------

typedef struct candidate_job {
    scree_candidates* of;
    const scree_candidate_items* now;
} candidate_job;

static int64_t part_count(const scree_candidates* candidates)
{
    return ((int64_t)candidates->n + part_items - 1) / part_items;
}

static int64_t part_end(const scree_candidates* candidates, int64_t part)
{
    return (part + 1) * part_items < candidates->n ? (part + 1) * part_items : candidates->n;
}

static scree_status measure_part(void* context, int64_t part)
{
    const candidate_job* job = context;
    scree_candidates* candidates = job->of;
    const double (*x)[4] = job->now->xr, (*reference)[4] = (const double(*)[4])candidates->index->xr;
    const double *about = candidates->about, scale = candidates->scale;
    double most[2] = {0.0, 0.0};
    for (int64_t i = part * part_items; i < part_end(candidates, part); ++i) {
        double way[3], square = 0.0, from[3];
        int on[3];
        for (int k = 0; k < 3; ++k)
            from[k] = scale == 1.0 ? reference[i][k] : about[k] + (reference[i][k] - about[k]) * scale;
        if (candidates->deformed)
            follow(candidates, from);
        for (int k = 0; k < 3; ++k)
            way[k] = x[i][k] - from[k];
        scree_lattice_shorten(candidates->periodic, candidates->length, candidates->tilt, 3, way, on);  // the reference is wrapped
        for (int k = 0; k < 3; ++k)
            square += way[k] * way[k];
        double second = fmin(square, most[0]);
        most[1] = fmax(most[1], second);
        most[0] = fmax(most[0], square);
    }
    candidates->parts[part].way[0] = most[0];
    candidates->parts[part].way[1] = most[1];
    return SCREE_OK;
}

// The two largest displacements since the list was made.
static void measure_ways(scree_candidates* candidates, const scree_candidate_items* now, double way[2])
{
    if (now->ways != NULL) {
        way[0] = now->ways[0];
        way[1] = now->ways[1];
        return;
    }
    candidate_job job = {.of = candidates, .now = now};
    scree_parallel_for(candidates->index->def.threads, part_count(candidates), measure_part, &job, NULL);
    way[0] = way[1] = 0.0;
    for (int64_t p = 0; p < part_count(candidates); ++p)
        for (int s = 0; s < 2; ++s) {
            double one = candidates->parts[p].way[s], second = fmin(one, way[0]);
            way[1] = fmax(way[1], second);
            way[0] = fmax(way[0], one);
        }
    for (int s = 0; s < 2; ++s)
        way[s] = sqrt(way[s]) * up;
}

static bool is_complete(scree_candidates* candidates, const scree_candidate_items* now)
{
    bool known = now->moved > 0.0;
    double moved = now->moved > SCREE_LENGTH_MIN ? now->moved * up : 0.0;  // below that nothing has, as DBL_MIN says
    double rounding = 2.0 * DBL_EPSILON * candidates->extent, move = known ? moved + rounding : INFINITY;
    ++candidates->age;
    candidates->travelled += move;
    candidates->outside += now->outside_moved > 0.0 ? now->outside_moved * up + rounding : 0.0;
    if (candidates->age == 1 && known)
        candidates->model.first = 2.0 * move;
    double both = candidates->base[0] + candidates->base[1] + 2.0 * candidates->travelled, one = candidates->base[0] + candidates->travelled + candidates->outside;
    if (both <= candidates->limit && one <= candidates->limit)
        return true;
    if (known && candidates->base[0] + candidates->travelled >= candidates->half_turn && now->ways == NULL)
        return false;
    double before = candidates->base[0] + candidates->base[1];
    measure_ways(candidates, now, candidates->base);
    candidates->travelled = 0.0;
    both = candidates->base[0] + candidates->base[1];
    one = candidates->base[0] + candidates->outside;
    if (candidates->age == 1 && !known)
        candidates->model.first = both;
    candidates->model.last = both;
    if (!known)  // the motion of this update, as far as it shows
        move = fmax(0.5 * (both - before), 0.0);
    candidates->move = move;
    if (candidates->rebuild_every > 0 || now->ways != NULL)
        return both <= candidates->limit && one <= candidates->limit;
    // If it would end in a moment, it had better end now.
    return both + 4.0 * move <= candidates->limit && one + 2.0 * (move + now->outside_moved) <= candidates->limit;
}

// ---- A new list ----------------------------------------------------------------------------------------------------

static scree_status extent_part(void* context, int64_t part)
{
    const candidate_job* job = context;
    scree_candidates* candidates = job->of;
    candidate_part seen = {.kept = 0};
    for (int64_t i = part * part_items; i < part_end(candidates, part); ++i) {
        const double* row = job->now->xr[i];
        for (int k = 0; k < 3; ++k)
            seen.most[k] = fmax(seen.most[k], fabs(row[k]));
        seen.r_sum += row[3];
        seen.r_most = fmax(seen.r_most, row[3]);
    }
    candidates->parts[part] = seen;
    return SCREE_OK;
}

static void find_extent(scree_candidates* candidates, const scree_candidate_items* now)
{
    candidate_job job = {.of = candidates, .now = now};
    double sum = 0.0;
    scree_parallel_for(candidates->index->def.threads, part_count(candidates), extent_part, &job, NULL);
    candidates->extent = candidates->r_most = 0.0;
    for (int64_t p = 0; p < part_count(candidates); ++p) {
        for (int k = 0; k < 3; ++k)
            candidates->extent = fmax(candidates->extent, candidates->parts[p].most[k]);
        candidates->r_most = fmax(candidates->r_most, candidates->parts[p].r_most);
        sum += candidates->parts[p].r_sum;
    }
    candidates->r_mean = candidates->n > 0 ? sum / candidates->n : 0.0;
}

// The one skin rule. Lists end within half a turn of a periodic axis and within the cells that were asked for.
static scree_status choose_skin(scree_candidates* candidates, const scree_candidate_items* now, double* out)
{
    const scree_index_def* def = &candidates->index->def;
    double widest = fmin(candidates->half_turn, parameters_cell_reach(def) - 2.0 * candidates->r_most - candidates->reach), skin = candidates->wanted_skin;
    if (now->skin > 0.0) {
        *out = fmin(now->skin, widest);
        return SCREE_OK;
    }
    if (candidates->verlet_radius > 0.0) {
        skin = candidates->verlet_radius - 2.0 * candidates->r_most - candidates->reach;
        if (candidates->n > 0 && !(skin > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "candidates: a verlet radius of %g loses contacts; expected more than the largest diameter%s, %g",
                              candidates->verlet_radius, candidates->reach != 0.0 ? " and the gap" : "", 2.0 * candidates->r_most + candidates->reach);
    }
    if (skin == 0.0) {
        items it = {.n = candidates->n, .dim = def->box.dim, .r_max = candidates->r_most, .gap = candidates->reach};
        for (int k = 0; k < def->box.dim; ++k) {
            bool closed = def->box.upper[k] < INFINITY && def->box.lower[k] > -INFINITY;
            it.length[k] = closed ? def->box.upper[k] - def->box.lower[k] : candidates->extent;
        }
        candidates->model.known = true;
        candidates->model.step = 2.0 * (now->expected > 0.0 ? now->expected : candidates->move);
        skin = skin_choose(&candidates->model, &it, candidates->r_mean);
        if (!(skin > 0.0))  // an item alone has walls at most to look for
            skin = fmax(candidates->model.step, (candidates->n < 2 ? 1.0 : 1e-3) * candidates->r_mean);
        skin = fmin(skin, widest);
    }
    *out = fmax(skin, 0.0);
    return SCREE_OK;
}

static bool is_wanted(const scree_candidates* candidates, const scree_candidate_items* now, int64_t c)
{
    const pair_output* found = &candidates->index->pairs;
    int32_t i = found->ij[c][0], j = found->ij[c][1];
    if ((now->still != NULL && now->still[i] && now->still[j]) || (now->mask != NULL && !mask_pairs(now->mask, i, j)))
        return false;
    double offset[3] = {0.0, 0.0, 0.0};
    if (now->half != NULL && candidates->index->periodic)
        scree_lattice_offset(candidates->length, candidates->tilt, found->shift[c][0], found->shift[c][1], found->shift[c][2], offset);
    for (int k = 0; k < candidates->index->def.box.dim && now->half != NULL; ++k) {
        double d = (now->xr[i][k] - now->xr[j][k]) - offset[k];
        if (fabs(d) > (now->half[i][k] + now->half[j][k]) + (candidates->reach + candidates->skin))
            return false;
    }
    return true;
}

// Rows of one part of the items, closed up inside the room that they have; rows[i] becomes how many item i has.
static scree_status keep_part(void* context, int64_t number)
{
    const candidate_job* job = context;
    scree_candidates* candidates = job->of;
    candidate_part* part = &candidates->parts[number];
    pair_output* found = &candidates->index->pairs;
    int64_t end = part_end(candidates, number), from = part->begin, to = part->begin;
    for (int64_t i = number * part_items; i < end; ++i) {
        int64_t row_end = i + 1 < end ? found->rows[i + 1] : part->end, row_begin = to;
        for (; from < row_end; ++from) {
            if (!is_wanted(candidates, job->now, from))
                continue;
            memmove(found->ij[to], found->ij[from], sizeof *found->ij);
            if (candidates->index->periodic)
                memmove(found->shift[to], found->shift[from], sizeof *found->shift);
            ++to;
        }
        found->rows[i] = to - row_begin;
    }
    part->kept = to - part->begin;
    return SCREE_OK;
}

// Leaves out pairs of two still items, of groups that do not pair, and of boxes that are too far apart.
static scree_status keep_wanted(scree_candidates* candidates, const scree_candidate_items* now)
{
    pair_output* found = &candidates->index->pairs;
    candidate_job job = {.of = candidates, .now = now};
    if (found->count == 0)
        return SCREE_OK;
    for (int64_t p = 0; p < part_count(candidates); ++p) {
        candidates->parts[p].begin = found->rows[p * part_items];
        candidates->parts[p].end = found->rows[part_end(candidates, p)];
    }
    scree_status status = scree_parallel_for(candidates->index->def.threads, part_count(candidates), keep_part, &job, &candidates->index->def.watch);
    if (status != SCREE_OK)
        return status;
    found->count = 0;
    for (int64_t p = 0; p < part_count(candidates); ++p) {
        const candidate_part* part = &candidates->parts[p];
        memmove(found->ij + found->count, found->ij + part->begin, (size_t)part->kept * sizeof *found->ij);
        if (candidates->index->periodic)
            memmove(found->shift + found->count, found->shift + part->begin, (size_t)part->kept * sizeof *found->shift);
        for (int64_t i = p * part_items; i < part_end(candidates, p); ++i) {
            int64_t here = found->rows[i];
            found->rows[i] = found->count;
            found->count += here;
        }
    }
    found->rows[candidates->n] = found->count;
    return SCREE_OK;
}

// ---- Public calls--------------------------------------------------------------------------------------------------

static scree_status make(scree_candidates* candidates, const scree_candidate_items* now)
{
    scree_index* index = candidates->index;
    candidates->held = candidates->trimmed = false;
    candidates->failed = true;
    candidates->n = now->count;
    if (SCREE_RESERVE(candidates->parts, candidates->part_capacity, part_count(candidates) + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    find_extent(candidates, now);
    double skin = 0.0;
    scree_status status = choose_skin(candidates, now, &skin);
    if (status == SCREE_OK && candidates->reach + skin != index->def.gap)
        status = scree_index_set_gap(index, candidates->reach + skin);
    if (status == SCREE_OK)
        status = index_update_items(index, now->count, now->xr, now->half);
    scree_pairs pairs;
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status != SCREE_OK)
        return status;
    candidates->skin = skin;
    if (now->still != NULL || now->mask != NULL || now->half != NULL)
        status = keep_wanted(candidates, now);
    if (status != SCREE_OK) {
        index_forget_pairs(index);
        return status;
    }
    candidates->limit = candidates->made_limit = skin - list_rounding(&index->it);
    cell_of(&index->def.box, candidates->cell, candidates->centre[0]);
    candidates->deformed = false;
    candidates->base[0] = candidates->base[1] = candidates->travelled = candidates->outside = 0.0;
    candidates->age = 0;
    candidates->model.work = index->model.work;
    candidates->model.candidates = (double)index->pairs.count;
    candidates->model.skin = skin;
    candidates->scale = 1.0;
    ++candidates->builds;
    const pair_output* found = &index->pairs;
    const scree_rows rows = {.items = candidates->n, .count = found->count, .ij = (const int32_t(*)[2])found->ij, .shift = index->periodic ? (const int8_t(*)[3])found->shift : NULL};
    candidates->dealt.block = now->block > 0 ? now->block : candidates->block;
    if (candidates->dealt.block > 0)
        status = scree_deal(&candidates->dealt, &rows, index->def.threads, &index->def.watch);
    candidates->held = status == SCREE_OK;
    candidates->failed = !candidates->held;
    return status;
}

static scree_status check_motion(const scree_candidate_items* now)
{
    scree_status status = scree_check_struct_size("candidates", "scree_default_candidate_items", now->struct_size, sizeof *now, sizeof *now);
    if (status != SCREE_OK)
        return status;
    if (now->block < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: %" PRId32 " items in a block; expected 0 or more", now->block);
    if (now->moved < 0.0 || !(now->outside_moved >= 0.0) || !(now->expected >= 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: motions of %g, %g and %g; expected 0 or more", now->moved, now->outside_moved, now->expected);
    return SCREE_OK;
}

scree_status scree_candidates_hold(scree_candidates* candidates, const scree_candidate_items* now, bool* holds)
{
    SCREE_EMPTY(holds);
    SCREE_NEED(candidates);
    SCREE_NEED(now);
    if (check_motion(now) != SCREE_OK)
        return SCREE_ERR_ARGUMENT;
    if (!candidates->held || candidates->trimmed || now->others || candidates->wanted_skin < 0.0)
        return SCREE_OK;
    if (now->count != candidates->n || (now->count > 0 && now->xr == NULL && now->ways == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: %" PRId32 " items%s; expected %" PRId32 ", or `others` set", now->count,
                          now->xr == NULL ? " without an array" : "", candidates->n);
    bool complete = is_complete(candidates, now);
    if (candidates->rebuild_every > 0 && candidates->age < candidates->rebuild_every && !complete)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%" PRId64 " steps after the list was made, items have moved by %g together and the list allows %g; rebuild_every %" PRId32 " would lose contacts; expected a smaller one",
                          candidates->age, candidates->base[0] + candidates->base[1], candidates->limit, candidates->rebuild_every);
    if (!complete) {
        candidates->model.steps = candidates->age;
        candidates->model.pairs = (double)now->found;
        skin_broke(&candidates->model);
    }
    *holds = complete && (candidates->rebuild_every == 0 || candidates->age < candidates->rebuild_every);
    return SCREE_OK;
}

scree_status scree_candidates_next_skin(scree_candidates* candidates, const scree_candidate_items* now, int64_t age, const double ways[2], double* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(candidates);
    SCREE_NEED(now);
    SCREE_NEED(ways);
    if (check_motion(now) != SCREE_OK)
        return SCREE_ERR_ARGUMENT;
    candidates->model.steps = age;
    candidates->model.first = ways[0];
    candidates->model.last = ways[1];
    candidates->model.pairs = (double)now->found;
    skin_broke(&candidates->model);
    return choose_skin(candidates, now, out);
}

scree_status scree_candidates_first_skin(scree_candidates* candidates, scree_spheres spheres, double expected, double* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(candidates);
    scree_candidate_items now = scree_default_candidate_items();
    now.expected = expected;
    if (check_motion(&now) != SCREE_OK)
        return SCREE_ERR_ARGUMENT;
    double sum = 0.0;
    candidates->n = spheres.count;
    candidates->extent = candidates->r_most = 0.0;
    for (int64_t i = 0; i < spheres.count; ++i) {
        candidates->r_most = fmax(candidates->r_most, spheres.r[i]);
        sum += spheres.r[i];
        for (int k = 0; k < spheres.dim; ++k)
            candidates->extent = fmax(candidates->extent, fabs(spheres.x[i * spheres.dim + k]));
    }
    candidates->r_mean = candidates->n > 0 ? sum / candidates->n : 0.0;
    scree_status status = choose_skin(candidates, &now, out);
    candidates->n = 0;  // there is no list
    return status;
}

scree_status scree_candidates_update(scree_candidates* candidates, const scree_candidate_items* now)
{
    SCREE_NEED(candidates);
    SCREE_NEED(now);
    bool holds;
    scree_status status = scree_candidates_hold(candidates, now, &holds);
    if (status != SCREE_OK || holds)
        return status;
    if (now->count < 0 || (now->count > 0 && now->xr == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: %" PRId32 " items%s; expected 0 or more, with an array", now->count,
                          now->xr == NULL ? " without an array" : "");
    if (now->mask != NULL) {
        status = mask_check(now->mask, "candidates");
        if (status == SCREE_OK)
            status = mask_check_count(now->mask, now->count, "candidates");
        if (status != SCREE_OK)
            return status;
    }
    return make(candidates, now);
}

SCREE_RESULT_OF(scree_candidate_rows, scree_candidates_get_rows, (const scree_candidates* candidates, scree_candidate_rows* out), (candidates, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(candidates);
    if (candidates->failed)
        return scree_fail(SCREE_ERR_ARGUMENT, "candidates: there is no list, because the last update failed; expected an update that succeeds");
    if (!candidates->held)
        return SCREE_OK;
    const pair_output* found = &candidates->index->pairs;
    bool periodic = candidates->index->periodic, dealt = candidates->dealt.block > 0;
    *out = (scree_candidate_rows){.build = candidates->builds,
                                  .count = found->count,
                                  .items = candidates->n,
                                  .ij = (const int32_t(*)[2])found->ij,
                                  .shift = periodic ? (const int8_t(*)[3])found->shift : NULL,
                                  .start = found->rows,
                                  .blocks = dealt ? candidates->dealt.blocks : 0,
                                  .in_start = dealt ? candidates->dealt.start : NULL,
                                  .in_ij = dealt ? (const int32_t(*)[2])candidates->dealt.ij : NULL,
                                  .in_shift = dealt && periodic ? (const int8_t(*)[3])candidates->dealt.shift : NULL,
                                  .in_row = dealt && candidates->dealt.numbered ? candidates->dealt.row : NULL,
                                  .skin = candidates->skin,
                                  .margin = candidates->skin + 8.0 * DBL_EPSILON * candidates->extent};
    return SCREE_OK;
}

SCREE_VALUE_OF(scree_candidates_stats, scree_candidates_get_stats, (const scree_candidates* candidates), (candidates))
{
    SCREE_NEED_OR(candidates, (scree_candidates_stats){0});
    return (scree_candidates_stats){
        .builds = candidates->builds,
        .candidates = candidates->held ? candidates->index->pairs.count : 0,
        .skin = candidates->held ? candidates->skin : 0.0,
        .method = (int32_t)scree_index_method(candidates->index),
        .work = candidates->model.work,
        .bytes = sizeof *candidates + scree_index_get_stats(candidates->index).bytes + (size_t)candidates->part_capacity * sizeof *candidates->parts +
                 scree_dealt_bytes(&candidates->dealt)};
}
