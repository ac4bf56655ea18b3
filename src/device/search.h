// The lanes of a search: from centres to rows of candidates. A lane works on one sphere, cell, pair or row.
#ifndef SCREE_DEVICE_SEARCH_H
#define SCREE_DEVICE_SEARCH_H

#include "device/jobs.h"
#include "geom/pair.h"

// ---- Sorted into cells ---------------------------------------------------------------------------------------------------

enum { extent_lanes = 256, extent_values = 8 };

typedef struct extent_shared {
    uint64_t value[extent_values][extent_lanes];
} extent_shared;

// Ends are kept as largest numbers: of the lower ones all bits are turned.
LANE void extent_collect(const search_job* job, extent_shared* shared, int64_t first, int64_t stride, int lane)
{
    uint64_t most[extent_values] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int64_t i = first; i < job->n; i += stride) {
        for (int k = 0; k < 3; ++k) {
            double x = job->x[i][k];
            uint64_t key = lane_ordered(x), size = lane_bits_from(fabs(x));  // what is no number is larger than any
            most[k] = ~key > most[k] ? ~key : most[k];
            most[3 + k] = key > most[3 + k] ? key : most[3 + k];
            most[6] = size > most[6] ? size : most[6];
        }
        const uint64_t turns = job->plan.wraps ? lane_bits_from(grid_most_turns(&job->plan, job->x[i])) : 0;
        most[7] = turns > most[7] ? turns : most[7];
    }
    for (int e = 0; e < extent_values; ++e)
        shared->value[e][lane] = most[e];
}

LANE void extent_join(const search_job* job, extent_shared* shared, int lane, int width)
{
    if (lane >= extent_values)
        return;
    uint64_t most = 0;
    for (int l = 0; l < width; ++l)
        most = shared->value[lane][l] > most ? shared->value[lane][l] : most;
    lane_max(&job->extent[lane], most);
}

LANE void keys_lane(const search_job* job, int64_t i)
{
    if (i >= job->n)
        return;
    double x[4], from[3];
    lane_read(x, job->x[i]);
    const grid_level* level = &job->plan.at[grid_level_of(&job->plan, x[3])];
    int32_t cell[3], turn[3];
    grid_place(&job->plan, x, from, turn);
    for (int k = 0; k < 3; ++k)
        cell[k] = grid_cell(level, k, from[k]);
    job->key[i] = grid_key(level, cell);
    job->value[i] = (uint32_t)i;
    if (job->reference != NULL)
        lane_write(job->reference[i], x);
}

// Floats of the spheres in the order of keys, and which of them are the first of their cell.
LANE void sorted_lane(const search_job* job, int64_t s)
{
    if (s >= job->n)
        return;
    const double* x = job->x[job->value[s]];
    double from[3];
    int32_t turn[3];
    grid_place(&job->plan, x, from, turn);
    for (int k = 0; k < 3; ++k)
        job->at[s][k] = (float)(from[k] * job->plan.scale);
    job->at[s][3] = (float)(x[3] * job->plan.scale);
    job->head[s] = s == 0 || job->key[s] != job->key[s - 1];
}

LANE int64_t cells_of(const search_job* job)  // cells that have spheres
{
    return job->n > 0 ? job->begun[job->n - 1] + job->head[job->n - 1] : 0;
}

// Of a cell its first sphere, and its bit in the directory; the first cell of a brick is entered there too.
LANE void cells_lane(const search_job* job, int64_t s)
{
    if (s == job->n)
        job->start[cells_of(job)] = (uint32_t)s;
    if (s >= job->n || job->head[s] == 0)
        return;
    const uint32_t key = job->key[s], cell = job->begun[s];
    job->start[cell] = (uint32_t)s;
    lane_or_beside(&job->dir[key >> 6][key >> 5 & 1], 1u << (key & 31));
    if (s == 0 || job->key[s - 1] >> 6 != key >> 6)
        job->dir[key >> 6][2] = cell;
}

// ---- Pairs ---------------------------------------------------------------------------------------------------------------

// What a search has to look at: constants in kernels.
typedef struct search_traits {
    bool wraps, giants, fixed, exact, rows, masked;
} search_traits;

LANE search_traits search_traits_of(const search_job* job)
{
    search_traits traits;
    traits.wraps = job->plan.wraps;
    traits.giants = job->giant_radius < INFINITY;
    traits.fixed = job->flags != NULL;
    traits.exact = job->exact;
    traits.rows = job->row != NULL;
    traits.masked = job->group != NULL;
    return traits;
}

LANE bool search_is_giant(const search_job* job, int32_t i)
{
    return job->x[i][3] >= job->giant_radius;
}

// Whether the row of i has the partner j. The row of a giant holds giants of higher rank only: its other contacts are computed in the rows of the partners.
LANE bool search_has(const search_job* job, search_traits traits, int32_t i, int32_t j)
{
    return !traits.giants || !search_is_giant(job, i) || (i <= j && search_is_giant(job, j));
}

// A sphere that is near another one: its rank, and its image relative to that one.
typedef struct search_other {
    int32_t j, shift[3];
} search_other;

// A pair that i has found. `slot`: its place in the row of i; it gets one in the row of j here.
LANE void search_put(const search_job* job, search_traits traits, uint64_t to, int32_t i, const search_other* other, uint32_t slot)
{
    const int32_t j = other->j;
    uint32_t slot_other = slot_nowhere;
    if (traits.rows && i != j && search_has(job, traits, j, i))
        slot_other = lane_add(&job->row[j], 1);
    if (to >= job->room)
        return;
    const bool turned = i > j;
    found_pair pair;
    pair.i = turned ? j : i;
    pair.j = turned ? i : j;
    pair.slot_i = turned ? slot_other : slot;
    pair.slot_j = turned ? slot : slot_other;
    job->pair[to] = pair;
    if (traits.wraps) {
        const uint32_t shift = shift_pack(other->shift[0], other->shift[1], other->shift[2]);
        job->pair_shift[to] = turned ? shift_opposite(shift) : shift;
    }
}

// A sphere that looks for partners.
typedef struct search_own {
    uint32_t s;             // its place in the order of keys
    int32_t i, level;
    uint32_t found;         // partners for its row that the warp has collected
    int32_t cell[3];        // without images: as in its key
    double r, from[3];      // with images: its radius, and where it is in the box
    float at[4];            // the same as floats; the radius with the reach
    int32_t image[3];       // of the cells that are searched now
    float offset[3];
    int ranges;
    float lower[3], upper[3];  // of all spheres of the warp, with their reach,
    int32_t top;            // and their highest level
} search_own;

// `image`: of the cell of t, relative to that of i.
LANE search_other search_other_at(const search_job* job, search_traits traits, int32_t i, uint32_t t, uint32_t image)
{
    search_other other = {(int32_t)job->value[t], {0, 0, 0}};
    if (traits.wraps) {
        double from[3];
        int32_t turn[3], turn_there[3];
        int8_t shift[3];
        grid_place(&job->plan, job->x[i], from, turn);
        grid_place(&job->plan, job->x[other.j], from, turn_there);
        shift_unpack(image, shift);
        for (int k = 0; k < 3; ++k)
            other.shift[k] = shift[k] + turn[k] - turn_there[k];
    }
    return other;
}

LANE bool search_is_pair(const search_job* job, search_traits traits, int32_t i, uint32_t t, uint32_t image)
{
    const search_other other = search_other_at(job, traits, i, t, image);
    double here[4], there[4], offset[3] = {0.0, 0.0, 0.0};
    lane_read(here, job->x[i]);
    lane_read(there, job->x[other.j]);
    if (traits.wraps)
        grid_offset(&job->plan, other.shift, offset);
    return scree_is_pair(here, there, offset, job->gap);
}

// Sphere at place t, with the floats g: is it one? Floats decide; doubles only where the distance is too close to the limit. What else is needed of a pair is read when it is written, by all lanes: few of them find one at the same time.
LANE void search_test(const search_job* job, search_traits traits, search_shared* shared, search_own* own, int lane, uint32_t t, const float g[4])
{
    float dx = own->at[0] - g[0], dy = own->at[1] - g[1], dz = own->at[2] - g[2];
    const float reach = own->at[3] + g[3], sure = reach - job->unsure;
    if (traits.wraps) {
        dx -= own->offset[0];
        dy -= own->offset[1];
        dz -= own->offset[2];
    }
    const float square = dx * dx + dy * dy + dz * dz;
    if (!(square < reach * reach * 1.000002f))
        return;
    const int32_t i = own->i;
    const uint32_t image = traits.wraps ? shift_pack(own->image[0], own->image[1], own->image[2]) : (uint32_t)shift_none;
    if (traits.wraps && t == own->s && !scree_shift_is_ahead(own->image[0], own->image[1], own->image[2]))
        return;
    if (traits.fixed && (job->flags[i] & job->flags[job->value[t]] & 1) != 0)
        return;
    if (traits.masked && !scree_groups_pair(job->group[i], job->group[job->value[t]], job->matrix, job->groups))
        return;
    if (traits.exact && !(sure > 0.0f && square < sure * sure * 0.999998f) && !search_is_pair(job, traits, i, t, image))
        return;
    const bool has = traits.rows && (!traits.giants || search_has(job, traits, i, (int32_t)job->value[t]));
    const uint32_t q = lane_add(&shared->many, 1);
    if (q >= (uint32_t)job->stage) {
        const search_other other = search_other_at(job, traits, i, t, image);
        search_put(job, traits, lane_add_wide(&job->count[0], 1), i, &other, has ? lane_add(&job->row[i], 1) : slot_nowhere);
        return;
    }
    shared->kept[q][0] = (has ? own->found : search_no_slot) << 5 | (uint32_t)lane;
    shared->kept[q][1] = t;
    if (traits.wraps)
        shared->kept_shift[q] = image;
    own->found += has;
}

LANE void search_test_at(const search_job* job, search_traits traits, search_shared* shared, search_own* own, int lane, uint32_t t)
{
    float g[4];
    lane_read_floats(g, job->at[t]);
    search_test(job, traits, shared, own, lane, t, g);
}

// One flat loop over the stretches that were collected: lanes beside each other stay together. The next sphere is read while one is tested.
LANE void search_flush_ranges(const search_job* job, search_traits traits, search_shared* shared, search_own* own, int lane)
{
    uint32_t t = 0, end = 0, now = 0;
    int r = 0;
    float g[4] = {0.0f, 0.0f, 0.0f, 0.0f}, next[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (bool some = false;;) {
        if (t == end && r < own->ranges) {
            t = shared->start[r][lane];
            end = t + shared->length[r][lane];
            ++r;
        }
        const bool more = t < end;
        if (more)
            lane_read_floats(next, job->at[t]);
        if (some)
            search_test(job, traits, shared, own, lane, now, g);
        if (!more)
            break;
        for (int k = 0; k < 4; ++k)
            g[k] = next[k];
        some = true;
        now = t++;
    }
    own->ranges = 0;
}

LANE int32_t search_image(const search_job* job, search_traits traits, int k, int32_t c, int32_t cells)
{
    return !traits.wraps || !job->plan.periodic[k] ? 0 : c >= 0 ? c / cells : -((cells - 1 - c) / cells);
}

// Cells along a periodic axis within reach of `from`.
LANE void search_along(const grid_level* level, int k, double from, double reach, int32_t* low, int32_t* high)
{
    *low = lane_floor((from - reach) * level->inverse[k]);
    *high = lane_floor((from + reach) * level->inverse[k]);
}

// Spheres of the `wide` cells from x on, along x and within one brick: from t to end. False: there are none. `brick`: the part of its number from y and z.
LANE bool search_row(const search_job* job, const grid_level* level, uint32_t brick, int32_t x, int32_t y, int32_t z, int32_t wide, uint32_t* t, uint32_t* end)
{
    uint32_t d[4];
    lane_read_words(d, job->dir[brick + grid_brick_along(level, 0, x >> 2)]);
    const uint64_t mask = (uint64_t)d[1] << 32 | d[0];
    const int at = (z & 3) * 16 + (y & 3) * 4 + (x & 3);
    const uint32_t bits = (uint32_t)(mask >> at) & ((1u << wide) - 1);
    if (bits == 0)
        return false;
    const uint32_t c = d[2] + (uint32_t)lane_bits_of(mask & (((uint64_t)1 << at) - 1));
    *t = job->start[c];
    *end = job->start[c + (uint32_t)lane_bits_of(bits)];
    return true;
}

// The cells of a level within reach.
LANE void search_level(const search_job* job, search_traits traits, search_shared* shared, search_own* own, int lane, int32_t m)
{
    const grid_plan* plan = &job->plan;
    const grid_level* level = &plan->at[m];
    const bool half = m == own->level && !traits.wraps;  // without images the cells that come later are enough
    const double reach = traits.wraps ? own->r + level->r_most + plan->reach : 0.0;
    const float span = own->at[3] + level->near;
    const int32_t* mine = own->cell;
    int32_t low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        if (traits.wraps && plan->periodic[k]) {
            search_along(level, k, own->from[k], reach + plan->margin[k], &low[k], &high[k]);
        } else {
            low[k] = grid_cell_near(level, k, own->at[k] - span);
            high[k] = grid_cell_near(level, k, own->at[k] + span);
        }
    }
    for (int32_t z = half ? mine[2] : low[2]; z <= high[2]; ++z) {
        if (traits.wraps && plan->tilted && plan->periodic[1])
            search_along(level, 1, own->from[1] - search_image(job, traits, 2, z, level->cells[2]) * plan->tilt[2], reach + plan->margin[1], &low[1], &high[1]);
        for (int32_t y = half && z == mine[2] ? mine[1] : low[1]; y <= high[1]; ++y) {
            const bool home = half && z == mine[2] && y == mine[1];
            const int32_t turn_z = search_image(job, traits, 2, z, level->cells[2]), turn_y = search_image(job, traits, 1, y, level->cells[1]);
            const int32_t cz = z - turn_z * level->cells[2], cy = y - turn_y * level->cells[1];
            const uint32_t brick = level->base + grid_brick_along(level, 2, cz >> 2) + grid_brick_along(level, 1, cy >> 2);
            if (traits.wraps && plan->tilted && plan->periodic[0])
                search_along(level, 0, own->from[0] - (turn_y * plan->tilt[0] + turn_z * plan->tilt[1]), reach + plan->margin[0], &low[0], &high[0]);
            int32_t wide;
            for (int32_t x = home ? mine[0] : low[0]; x <= high[0]; x += wide) {
                const int32_t turn_x = search_image(job, traits, 0, x, level->cells[0]), cx = x - turn_x * level->cells[0];
                wide = 4 - (cx & 3);
                wide = wide < high[0] - x + 1 ? wide : high[0] - x + 1;
                wide = wide < level->cells[0] - cx ? wide : level->cells[0] - cx;
                uint32_t t, end;
                if (!search_row(job, level, brick, cx, cy, cz, wide, &t, &end))
                    continue;
                if (home && x == mine[0])
                    t = own->s + 1;
                if (traits.wraps && m == own->level && t < own->s)
                    t = own->s;
                if (t >= end)
                    continue;
                if (traits.wraps && (turn_x != own->image[0] || turn_y != own->image[1] || turn_z != own->image[2])) {
                    search_flush_ranges(job, traits, shared, own, lane);
                    own->image[0] = turn_x;
                    own->image[1] = turn_y;
                    own->image[2] = turn_z;
                    double offset[3];
                    grid_offset(plan, own->image, offset);
                    for (int k = 0; k < 3; ++k)
                        own->offset[k] = (float)(offset[k] * plan->scale);
                }
                if (end - t <= (uint32_t)job->crowd && own->ranges < job->ranges) {
                    shared->start[own->ranges][lane] = t;
                    shared->length[own->ranges++][lane] = (uint8_t)(end - t);
                } else {
                    for (; t < end; ++t)
                        search_test_at(job, traits, shared, own, lane, t);
                }
            }
        }
    }
}

// Whether the sphere at place t is near those of the warp, which are between lower and upper with their reach.
LANE bool search_is_near(const search_job* job, const float lower[3], const float upper[3], uint32_t t)
{
    float g[4], square = 0.0f;
    lane_read_floats(g, job->at[t]);
    const float reach = g[3] + job->plan.blur;
    for (int k = 0; k < 3; ++k) {
        const float below = lower[k] - g[k], above = g[k] - upper[k], away = below > above ? below : above;
        square += away > 0.0f ? away * away : 0.0f;
    }
    return square < reach * reach * 1.000002f;
}

// Spheres of a warp are near each other: on coarse levels they look at nearly the same cells. Then each lane looks up another row of these, and all lanes test those spheres of them that are near. False: there
// would be too many. Without images; all lanes of the warp are here, and those without a sphere are not `active`.
LANE bool search_together(const search_job* job, search_traits traits, search_shared* shared, search_own* own, int lane, int32_t m, bool active)
{
    const grid_level* level = &job->plan.at[m];
    int32_t low[3], high[3];
    if (m <= own->top)
        return false;
    for (int k = 0; k < 3; ++k) {
        low[k] = grid_cell_near(level, k, own->lower[k] - level->near);
        high[k] = grid_cell_near(level, k, own->upper[k] + level->near);
    }
    const int32_t deep = high[2] - low[2] + 1, wide = high[1] - low[1] + 1, area = (high[0] - low[0] + 1) * wide;
    if (deep > job->together || wide > job->together || high[0] - low[0] >= job->together || area > job->together || area * deep > job->together)
        return false;
    const int32_t brick = low[0] >> 2, bricks = (high[0] >> 2) - brick + 1;
    const int bits_x = lane_length((uint32_t)bricks - 1), bits_y = lane_length((uint32_t)wide - 1), rows = deep << (bits_x + bits_y);
    for (int32_t first = 0; first < rows; first += warp_lanes) {
        const int32_t row = first + lane_in_warp(), x = 4 * (brick + (row & ((1 << bits_x) - 1))), y = low[1] + (row >> bits_x & ((1 << bits_y) - 1)), z = low[2] + (row >> (bits_x + bits_y));
        uint32_t t = 0, end = 0;
        if (x <= high[0] && y <= high[1] && z <= high[2]) {
            const int32_t x0 = x > low[0] ? x : low[0], x1 = x + 3 < high[0] ? x + 3 : high[0];
            search_row(job, level, level->base + grid_brick_along(level, 2, z >> 2) + grid_brick_along(level, 1, y >> 2), x0, y, z, x1 - x0 + 1, &t, &end);
        }
        for (int32_t left = lane_most((int32_t)(end - t)); left > 0; --left, ++t)
            for (uint32_t some = lane_which(t < end && search_is_near(job, own->lower, own->upper, t)); some != 0; some &= some - 1) {
                const uint32_t u = lane_from(t, lane_lowest(some));
                if (active)
                    search_test_at(job, traits, shared, own, lane, u);
            }
    }
    return true;
}

LANE void search_begin(search_shared* shared, int lane)
{
    if (lane == 0)
        shared->many = 0;
}

LANE void search_look(const search_job* job, search_traits traits, search_shared* shared, int64_t s, int lane)
{
    search_own own;
    own.ranges = 0;
    own.found = 0;
    own.level = job->plan.levels;
    for (int k = 0; k < 4; ++k)
        own.at[k] = 0.0f;
    if (s < job->n) {
        double x[4], from[3];
        int32_t turn[3];
        own.s = (uint32_t)s;
        own.i = (int32_t)job->value[s];
        lane_read(x, job->x[own.i]);
        lane_read_floats(own.at, job->at[s]);
        own.at[3] += (float)(job->plan.reach * job->plan.scale) + job->plan.blur;
        own.level = grid_level_of(&job->plan, x[3]);
        if (traits.wraps)
            grid_place(&job->plan, x, from, turn);
        own.r = x[3];
        for (int k = 0; k < 3; ++k) {
            if (!traits.wraps)
                from[k] = x[k] - job->plan.lower[k];
            own.cell[k] = grid_cell(&job->plan.at[own.level], k, from[k]);
            own.from[k] = from[k];
            own.image[k] = 0;
            own.offset[k] = 0.0f;
        }
    }
    if (!traits.wraps && job->plan.levels > 1) {
        for (int k = 0; k < 3; ++k) {
            const float lower = own.at[k] - own.at[3];
            own.lower[k] = lane_to_float(lane_least(s < job->n ? lane_from_float(lower > 0.0f ? lower : 0.0f) : INT32_MAX));
            own.upper[k] = lane_to_float(lane_most(s < job->n ? lane_from_float(own.at[k] + own.at[3]) : 0));
        }
        own.top = lane_most(s < job->n ? own.level : 0);
    }
    for (int32_t m = 0; m < job->plan.levels; ++m) {
        if (!traits.wraps && m > 0 && search_together(job, traits, shared, &own, lane, m, s < job->n))
            continue;
        if (m >= own.level)
            search_level(job, traits, shared, &own, lane, m);
        if (lane_any(own.ranges > job->flush))
            search_flush_ranges(job, traits, shared, &own, lane);
    }
    search_flush_ranges(job, traits, shared, &own, lane);
    if (s >= job->n)
        return;
    shared->own[lane] = own.i;
    if (own.found > 0)
        shared->base[lane] = lane_add(&job->row[own.i], own.found);
}

LANE void search_reserve(const search_job* job, search_shared* shared, int lane)
{
    if (lane != 0)
        return;
    shared->many = shared->many < (uint32_t)job->stage ? shared->many : (uint32_t)job->stage;
    shared->first = lane_add_wide(&job->count[0], shared->many);
}

LANE void search_write(const search_job* job, search_traits traits, const search_shared* shared, int lane)
{
    for (uint32_t q = (uint32_t)lane; q < shared->many; q += (uint32_t)warp_lanes) {
        const uint32_t from = shared->kept[q][0] & 31, slot = shared->kept[q][0] >> 5;
        const int32_t i = shared->own[from];
        const search_other other = search_other_at(job, traits, i, shared->kept[q][1], traits.wraps ? shared->kept_shift[q] : (uint32_t)shift_none);
        search_put(job, traits, shared->first + q, i, &other, slot == search_no_slot ? slot_nowhere : shared->base[from] + slot);
    }
}

// ---- Rows ----------------------------------------------------------------------------------------------------------------

LANE void fill_lane(const search_job* job, int64_t i)
{
    const int64_t found = (int64_t)(job->count[0] < job->room ? job->count[0] : job->room);
    for (int64_t q = i; q < found && i < job->stride; q += job->stride) {
        const found_pair pair = job->pair[q];
        for (int side = 0; side < 2; ++side) {
            uint32_t slot = side == 0 ? pair.slot_i : pair.slot_j;
            if (slot == slot_nowhere)
                continue;
            uint64_t to = (uint64_t)job->off[side == 0 ? pair.i : pair.j] + slot;
            if (to >= job->entries)
                continue;  // there is too little room; it is done again
            job->list[to] = side == 0 ? pair.j : pair.i;
            if (job->shift != NULL)
                job->shift[to] = job->pair_shift[q];
        }
    }
}

LANE uint64_t row_key(const search_job* job, bool wraps, uint64_t e)
{
    return (uint64_t)(uint32_t)job->list[e] << 32 | (wraps ? job->shift[e] : 0);
}

LANE void row_set_key(const search_job* job, bool wraps, uint64_t e, uint64_t key)
{
    job->list[e] = (int32_t)(key >> 32);
    if (wraps)
        job->shift[e] = (uint32_t)key;
}

enum { rows_most = 32 };  // job->short_row is at most this

// Partners without images in registers, 8 or 16 of them (a constant): Batcher's odd-even merge sort.
#define ROWS_SORT(i, j)                              \
    do {                                             \
        const uint32_t low_ = a[i], high_ = a[j];    \
        a[i] = low_ < high_ ? low_ : high_;          \
        a[j] = low_ < high_ ? high_ : low_;          \
    } while (0);

LANE void rows_network(const search_job* job, uint64_t first, uint32_t count, int width)
{
    uint32_t a[16];
    LANE_UNROLL
    for (int e = 0; e < 16; ++e)
        a[e] = e < width && (uint32_t)e < count ? (uint32_t)job->list[first + (uint32_t)e] : 0xffffffffu;
    if (width == 8) {
        ROWS_SORT(0, 1) ROWS_SORT(2, 3) ROWS_SORT(4, 5) ROWS_SORT(6, 7) ROWS_SORT(0, 2) ROWS_SORT(1, 3) ROWS_SORT(4, 6) ROWS_SORT(5, 7) ROWS_SORT(1, 2) ROWS_SORT(5, 6)
        ROWS_SORT(0, 4) ROWS_SORT(1, 5) ROWS_SORT(2, 6) ROWS_SORT(3, 7) ROWS_SORT(2, 4) ROWS_SORT(3, 5) ROWS_SORT(1, 2) ROWS_SORT(3, 4) ROWS_SORT(5, 6)
    } else {
        ROWS_SORT(0, 1) ROWS_SORT(2, 3) ROWS_SORT(4, 5) ROWS_SORT(6, 7) ROWS_SORT(8, 9) ROWS_SORT(10, 11) ROWS_SORT(12, 13) ROWS_SORT(14, 15) ROWS_SORT(0, 2) ROWS_SORT(1, 3)
        ROWS_SORT(4, 6) ROWS_SORT(5, 7) ROWS_SORT(8, 10) ROWS_SORT(9, 11) ROWS_SORT(12, 14) ROWS_SORT(13, 15) ROWS_SORT(1, 2) ROWS_SORT(5, 6) ROWS_SORT(9, 10) ROWS_SORT(13, 14)
        ROWS_SORT(0, 4) ROWS_SORT(1, 5) ROWS_SORT(2, 6) ROWS_SORT(3, 7) ROWS_SORT(8, 12) ROWS_SORT(9, 13) ROWS_SORT(10, 14) ROWS_SORT(11, 15) ROWS_SORT(2, 4) ROWS_SORT(3, 5)
        ROWS_SORT(10, 12) ROWS_SORT(11, 13) ROWS_SORT(1, 2) ROWS_SORT(3, 4) ROWS_SORT(5, 6) ROWS_SORT(9, 10) ROWS_SORT(11, 12) ROWS_SORT(13, 14) ROWS_SORT(0, 8) ROWS_SORT(1, 9)
        ROWS_SORT(2, 10) ROWS_SORT(3, 11) ROWS_SORT(4, 12) ROWS_SORT(5, 13) ROWS_SORT(6, 14) ROWS_SORT(7, 15) ROWS_SORT(4, 8) ROWS_SORT(5, 9) ROWS_SORT(6, 10) ROWS_SORT(7, 11)
        ROWS_SORT(2, 4) ROWS_SORT(3, 5) ROWS_SORT(6, 8) ROWS_SORT(7, 9) ROWS_SORT(10, 12) ROWS_SORT(11, 13) ROWS_SORT(1, 2) ROWS_SORT(3, 4) ROWS_SORT(5, 6) ROWS_SORT(7, 8)
        ROWS_SORT(9, 10) ROWS_SORT(11, 12) ROWS_SORT(13, 14)
    }
    LANE_UNROLL
    for (int e = 0; e < 16; ++e)
        if (e < width && (uint32_t)e < count)
            job->list[first + (uint32_t)e] = (int32_t)a[e];
}

#undef ROWS_SORT

LANE void rows_lane(const search_job* job, bool wraps, int64_t i)
{
    if (i >= job->n)
        return;
    uint64_t first = job->off[i], end = job->off[i + 1];
    if (end > job->entries)
        return;
    if (end - first > (uint64_t)job->short_row) {
        job->long_row[lane_add_wide(&job->count[1], 1)] = (int32_t)i;
        return;
    }
    if (end - first < 2)
        return;
    if (!wraps && end - first <= 8) {
        rows_network(job, first, (uint32_t)(end - first), 8);
        return;
    }
    if (!wraps && end - first <= 16) {
        rows_network(job, first, (uint32_t)(end - first), 16);
        return;
    }
    uint64_t sorted[rows_most];
    uint32_t count = 0;
    for (uint64_t e = first; e < end; ++e, ++count) {
        uint64_t key = row_key(job, wraps, e);
        uint32_t h = count;
        for (; h > 0 && sorted[h - 1] > key; --h)
            sorted[h] = sorted[h - 1];
        sorted[h] = key;
    }
    for (uint32_t h = 0; h < count; ++h)
        row_set_key(job, wraps, first + h, sorted[h]);
}

// A block for each long row: the place of an entry is the number of smaller ones.
LANE void long_row_copy(const search_job* job, int64_t block, int lane, int width)
{
    int32_t i = job->long_row[block];
    for (uint64_t e = (uint64_t)job->off[i] + (uint64_t)lane; e < job->off[i + 1]; e += (uint64_t)width)
        job->scratch[e] = row_key(job, job->shift != NULL, e);
}

LANE void long_row_place(const search_job* job, int64_t block, int lane, int width)
{
    int32_t i = job->long_row[block];
    uint64_t first = job->off[i], end = job->off[i + 1];
    for (uint64_t e = first + (uint64_t)lane; e < end; e += (uint64_t)width) {
        uint64_t key = job->scratch[e], to = first;
        for (uint64_t h = first; h < end; ++h)
            to += job->scratch[h] < key;
        row_set_key(job, job->shift != NULL, to, key);
    }
}

#endif
