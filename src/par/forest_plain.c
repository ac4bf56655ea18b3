// The forest without p4est: markers alone. An octant is a range of keys, so two searches in the markers give its owners. The ranks whose regions a ball touches are found by descending from the
// root into octants that the ball touches and that have more than one owner. Cuts are found from the top as well: the largest key with at most the given weight below it, three bits at
// a time. This needs one sum over all ranks for each level, and no sort across ranks.
#include "par/forest.h"

#include "base/array.h"
#include "base/morton.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

scree_status forest_open(int32_t ranks, par_forest* out)
{
    *out = (par_forest){.ranks = ranks, .side = 1.0, .cells = 1.0};
    out->marker = scree_calloc((size_t)ranks + 1, sizeof *out->marker);
    if (out->marker == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t p = 1; p <= ranks; ++p)
        out->marker[p] = forest_end;
    return SCREE_OK;
}

void forest_close(par_forest* forest)
{
    if (forest->way != NULL)
        forest->way->close(forest);
    scree_free(forest->marker);
    forest->marker = NULL;
}

void forest_lay(par_forest* forest, const scree_box* box, const double sides[3][2])
{
    forest->box = *box;
    forest->side = 0.0;
    for (int k = 0; k < 3; ++k) {
        bool is = k < box->dim && sides[k][1] >= sides[k][0];
        forest->lower[k] = is ? sides[k][0] : 0.0;
        forest->side = is ? fmax(forest->side, sides[k][1] - sides[k][0]) : forest->side;
    }
    forest->side = forest->side > 0.0 ? forest->side : 1.0;
    forest->cells = (double)(1 << forest_level) / forest->side;
}

static uint64_t key_at(const par_forest* forest, const double x[3])
{
    uint64_t cell[3] = {0, 0, 0};
    for (int k = 0; k < forest->box.dim; ++k) {
        double at = (x[k] - forest->lower[k]) * forest->cells;
        cell[k] = (uint64_t)(at > 0.0 ? fmin(at, (double)((1 << forest_level) - 1)) : 0.0);
    }
    return scree_morton_key(3, cell);
}

// The tilt of edge m along axis k < m.
static double tilt_of(const scree_box* box, int k, int m)
{
    return box->tilt[k + m - 1];
}

// Into the box; of a tilted one into the brick of its sides, which its images fill too.
static void wrap(const par_forest* forest, const double x[3], double out[3])
{
    const scree_box* box = &forest->box;
    bool tilted = scree_box_is_tilted(box);
    for (int k = 0; k < 3; ++k)
        out[k] = k < box->dim ? x[k] : 0.0;
    for (int m = box->dim - 1; m >= 0; --m) {
        double n = 0.0;
        out[m] = scree_box_wrap(box, m, out[m], &n);
        for (int k = 0; k < m && tilted && n != 0.0; ++k)
            out[k] -= n * tilt_of(box, k, m);
    }
}

uint64_t forest_key(const par_forest* forest, const double x[3])
{
    double in[3];
    wrap(forest, x, in);
    return key_at(forest, in);
}

// The last rank whose marker is not above the key: ranks without cells have the marker of the next.
int32_t forest_owner(const par_forest* forest, uint64_t key)
{
    int32_t low = 0, high = forest->ranks;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (forest->marker[middle] <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}

forest_home forest_no_home(void)
{
    return (forest_home){.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
}

static bool is_within(const double x[3], double reach, const forest_home* home)
{
    bool is = true;
    for (int k = 0; k < 3; ++k)
        is = is && x[k] - reach >= home->low[k] && x[k] + reach <= home->high[k];
    return is;
}

// Whether one rank owns all of a box of octants, octants wholly beyond a periodic box left out: they hold no spheres.
static bool is_own_box(const par_forest* forest, int32_t me, int level, const int64_t first[3], const int64_t last[3])
{
    uint64_t width = (uint64_t)1 << 3 * (forest_level - level);
    double side = forest->side / (double)(1 << level);
    for (int64_t z = first[2]; z <= last[2]; ++z)
        for (int64_t y = first[1]; y <= last[1]; ++y)
            for (int64_t x = first[0]; x <= last[0]; ++x) {
                const int64_t cell[3] = {x, y, z};
                bool beyond = false;
                for (int k = 0; k < forest->box.dim; ++k)
                    beyond = beyond || (forest->box.periodic[k] && forest->lower[k] + (double)cell[k] * side > forest->box.upper[k] + 1e-9 * forest->side);
                uint64_t key = scree_morton_key(3, (const uint64_t[3]){(uint64_t)x, (uint64_t)y, (uint64_t)z}) * width;
                if (!beyond && !(key >= forest->marker[me] && key + width <= forest->marker[me + 1]))
                    return false;
            }
    return true;
}

// The largest octant about x that has one owner, and of those beside it all layers that have the same; less what rounding could make of the borders. What goes round a periodic box has no
// borders there; else it does not go beyond the box, whose images are elsewhere.
bool forest_find_home(const par_forest* forest, int32_t me, const double x[3], double reach, forest_home* home)
{
    enum { grows_to = 3 };  // level below which looking at layers would take longer than it saves
    const scree_box* box = &forest->box;
    if (is_within(x, 0.0, home))
        return false;  // near its border: there is nothing better
    uint64_t key = key_at(forest, x);
    int64_t first[3] = {0, 0, 0}, last[3] = {0, 0, 0};
    double far = forest->side;
    int level = 0;
    for (;; ++level) {
        uint64_t begin = key >> 3 * (forest_level - level) << 3 * (forest_level - level);
        if (level == forest_level)
            return false;
        if (begin >= forest->marker[me] && begin + ((uint64_t)1 << 3 * (forest_level - level)) <= forest->marker[me + 1])
            break;
    }
    for (int k = 0; k < box->dim; ++k) {
        double at = (x[k] - forest->lower[k]) * forest->cells;
        far = fmax(far, fabs(x[k]));
        first[k] = last[k] = (int64_t)(at > 0.0 ? fmin(at, (double)((1 << forest_level) - 1)) : 0.0) >> (forest_level - level);
    }
    int64_t cells = (int64_t)1 << level;
    for (int k = 0; k < box->dim && level <= grows_to; ++k)
        for (int side = 0; side < 2; ++side)
            for (bool more = true; more && (side == 0 ? first[k] > 0 : last[k] + 1 < cells);) {
                int64_t from[3] = {first[0], first[1], first[2]}, to[3] = {last[0], last[1], last[2]};
                from[k] = to[k] = side == 0 ? first[k] - 1 : last[k] + 1;
                more = is_own_box(forest, me, level, from, to);
                first[k] -= more && side == 0;
                last[k] += more && side == 1;
            }
    double width = forest->side / (double)cells, less = 1e-9 * (far + reach);
    for (int k = 0; k < 3; ++k) {
        bool is = k < box->dim, periodic = is && box->periodic[k];
        double low = forest->lower[k] + (double)first[k] * width, high = forest->lower[k] + (double)(last[k] + 1) * width;
        bool round = periodic && first[k] == 0 && (last[k] + 1 == cells || high > box->upper[k]) && !scree_box_is_tilted(box);
        if (periodic) {
            low = fmax(low, box->lower[k]);
            high = fmin(high, box->upper[k]);
        }
        home->low[k] = !is || round || (!periodic && first[k] == 0) ? -INFINITY : low + less;
        home->high[k] = !is || round || (!periodic && last[k] + 1 == cells) ? INFINITY : high - less;
    }
    return is_within(x, reach, home);
}

bool forest_are_home(const par_forest* forest, int32_t me, const double (*xr)[4], int32_t count, double radii, double reach, forest_home* home)
{
    double low[4], high[4], middle[3], half = 0.0;
    memcpy(low, xr[0], sizeof low);
    memcpy(high, xr[0], sizeof high);
    for (int32_t i = 1; i < count; ++i)
        for (int k = 0; k < 4; ++k) {
            low[k] = xr[i][k] < low[k] ? xr[i][k] : low[k];
            high[k] = xr[i][k] > high[k] ? xr[i][k] : high[k];
        }
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * (low[k] + high[k]);
        half = fmax(half, 0.5 * (high[k] - low[k]));
    }
    return forest_is_home(forest, me, middle, half + (radii * high[3] + reach), home);
}

// ---- Whom a ball meets ---------------------------------------------------------------------------------------------

static double gap(double c, double low, double high)
{
    return c < low ? low - c : c > high ? c - high : 0.0;
}

// Of the images of a centre along one axis, the nearest to low .. high. length 0: there is one.
static double gap_of_images(double c, double low, double high, double length)
{
    double d = gap(c, low, high);
    if (length > 0.0 && d > 0.0) {
        double s = rint((0.5 * (low + high) - c) / length);
        for (int m = -1; m <= 1; ++m)
            d = fmin(d, gap(c + (s + m) * length, low, high));
    }
    return d;
}

// Images of tilted edges are displaced along the axes before: those that are near enough along z, then along y, are looked at one by one.
static bool touches_tilted(const par_forest* f, const forest_ball* ball, const double low[3], const double high[3], const double length[3])
{
    const double *tilt = f->box.tilt, reach = ball->reach;
    bool flat = f->box.dim == 2;
    double z[2] = {0.0, 0.0}, y[2] = {0.0, 0.0};
    if (!flat && length[2] > 0.0) {
        z[0] = ceil((low[2] - reach - ball->x[2]) / length[2]);
        z[1] = floor((high[2] + reach - ball->x[2]) / length[2]);
    }
    for (double m = z[0]; m <= z[1]; ++m) {
        double dz = flat ? 0.0 : gap(ball->x[2] + m * length[2], low[2], high[2]), at = ball->x[1] + (flat ? 0.0 : m * tilt[2]);
        if (length[1] > 0.0) {
            y[0] = ceil((low[1] - reach - at) / length[1]);
            y[1] = floor((high[1] + reach - at) / length[1]);
        }
        for (double n = y[0]; n <= y[1]; ++n) {
            double dy = gap(at + n * length[1], low[1], high[1]), x = ball->x[0] + n * tilt[0] + (flat ? 0.0 : m * tilt[1]), dx = gap_of_images(x, low[0], high[0], length[0]);
            if (dx * dx + dy * dy + dz * dz <= reach * reach)
                return true;
        }
    }
    return false;
}

bool forest_touches(const par_forest* f, const forest_ball* ball, const uint32_t cell[3], int level)
{
    double square = 0.0, width = f->side / (double)(1 << level), low[3] = {0.0, 0.0, 0.0}, high[3] = {0.0, 0.0, 0.0}, length[3] = {0.0, 0.0, 0.0};
    if (f->box.dim == 2 && cell[2] != 0)
        return false;
    for (int k = 0; k < f->box.dim; ++k) {
        bool first = cell[k] == 0, last = cell[k] == (uint32_t)(1 << level) - 1;
        low[k] = f->lower[k] + cell[k] * width;
        high[k] = low[k] + width;
        length[k] = f->box.periodic[k] ? f->box.upper[k] - f->box.lower[k] : 0.0;
        if (length[k] > 0.0 && low[k] > f->box.upper[k] && !first)
            return false;  // no spheres
        if (first)
            low[k] = length[k] > 0.0 ? fmin(low[k], f->box.lower[k]) : -INFINITY;
        if (last)
            high[k] = length[k] > 0.0 ? fmax(high[k], f->box.upper[k]) : INFINITY;
    }
    if (scree_box_is_tilted(&f->box))
        return touches_tilted(f, ball, low, high, length);
    for (int k = 0; k < f->box.dim; ++k) {
        double d = gap(ball->x[k], low[k], high[k]);
        for (int m = -1; m <= 1 && length[k] > 0.0 && d > 0.0; m += 2) {  // the centre is in the box
            double image = gap(ball->x[k] + m * length[k], low[k], high[k]);
            d = image < d ? image : d;
        }
        square += d * d;
        if (!(square <= ball->reach * ball->reach))
            return false;
    }
    return true;
}

typedef struct search {
    const par_forest* forest;
    const forest_ball* ball;
    int32_t me, number, last;
    forest_hits* out;
    scree_status status;
} search;

static void add(search* s, int32_t rank)
{
    if (rank == s->me || rank == s->last || s->status != SCREE_OK)  // octants come in the order of keys, so ranks rise
        return;
    s->status = SCREE_RESERVE(s->out->hit, s->out->capacity, s->out->count + 1);
    if (s->status == SCREE_OK)
        s->out->hit[s->out->count++] = (forest_hit){.rank = rank, .ball = s->number};
    s->last = rank;
}

static void go_down(search* s, const uint32_t cell[3], int level)
{
    const par_forest* f = s->forest;
    int left = forest_level - level;
    uint64_t first = scree_morton_key(3, (uint64_t[3]){(uint64_t)cell[0] << left, (uint64_t)cell[1] << left, (uint64_t)cell[2] << left});
    int32_t low = forest_owner(f, first), high = forest_owner(f, first + ((uint64_t)1 << 3 * left) - 1);
    if ((low == s->me && high == s->me) || !forest_touches(f, s->ball, cell, level))
        return;
    if (low == high) {
        add(s, low);
        return;
    }
    for (uint32_t child = 0; child < (f->box.dim == 2 ? 4u : 8u); ++child)
        go_down(s, (uint32_t[3]){2 * cell[0] + (child & 1), 2 * cell[1] + (child >> 1 & 1), 2 * cell[2] + (child >> 2)}, level + 1);
}

// Keys rise along every axis: if this rank owns both corners of a box, it owns all of it.
static bool is_mine(const par_forest* forest, int32_t me, const forest_ball* ball)
{
    double corner[2][3];
    for (int k = 0; k < 3; ++k) {
        corner[0][k] = ball->x[k] - ball->reach;
        corner[1][k] = ball->x[k] + ball->reach;
        if (k < forest->box.dim && forest->box.periodic[k] && !(corner[0][k] >= forest->box.lower[k] && corner[1][k] < forest->box.upper[k]))
            return false;
    }
    return key_at(forest, corner[0]) >= forest->marker[me] && key_at(forest, corner[1]) < forest->marker[me + 1];
}

// By (rank, ball), each once: as numbers, in the memory that they have.
static void sort_hits(forest_hits* hits)
{
    uint64_t* key = (uint64_t*)(void*)hits->hit;
    int64_t count = 0;
    _Static_assert(sizeof(forest_hit) == sizeof *key, "a hit is as long as its key");
    for (int64_t h = 0; h < hits->count; ++h) {
        const forest_hit hit = hits->hit[h];
        const uint64_t one = (uint64_t)hit.rank << 32 | (uint32_t)hit.ball;
        memcpy(&key[h], &one, sizeof one);
    }
    if (hits->count > 1)
        scree_sort_keys(key, hits->count);
    for (int64_t h = 0; h < hits->count; ++h) {
        uint64_t one;
        memcpy(&one, &key[h], sizeof one);
        const forest_hit hit = {.rank = (int32_t)(one >> 32), .ball = (int32_t)(one & 0xFFFFFFFFu)};
        if (count == 0 || hits->hit[count - 1].rank != hit.rank || hits->hit[count - 1].ball != hit.ball)
            hits->hit[count++] = hit;
    }
    hits->count = count;
}

scree_status forest_meet(const par_forest* forest, int32_t me, int32_t count, const forest_ball* balls, forest_hits* out)
{
    forest_ball* left = NULL;    // those that are not mine alone, for another library
    int32_t* number = NULL;
    int32_t others = 0;
    scree_status status = SCREE_OK;
    out->count = 0;
    if (forest->way != NULL) {
        left = scree_malloc((size_t)count + 1, sizeof *left);
        number = scree_malloc((size_t)count + 1, sizeof *number);
        status = left == NULL || number == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    }
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i) {
        forest_ball ball;
        double far = forest->side;
        wrap(forest, balls[i].x, ball.x);
        for (int k = 0; k < forest->box.dim; ++k)
            far = fmax(far, fabs(ball.x[k]));
        ball.reach = balls[i].reach * (1.0 + 1e-9) + 1e-9 * far;
        if (is_mine(forest, me, &ball))
            continue;
        if (forest->way != NULL) {
            left[others] = ball;
            number[others++] = i;
            continue;
        }
        search s = {.forest = forest, .ball = &ball, .me = me, .number = i, .last = -1, .out = out};
        go_down(&s, (const uint32_t[3]){0, 0, 0}, 0);
        status = s.status;
    }
    if (forest->way != NULL) {
        scree_status met = forest->way->meet(forest, me, status == SCREE_OK ? others : 0, left, out);
        status = status == SCREE_OK ? met : status;
        for (int64_t h = 0; h < out->count && status == SCREE_OK; ++h)
            out->hit[h].ball = number[out->hit[h].ball];
    }
    scree_free(left);
    scree_free(number);
    if (status == SCREE_OK)
        sort_hits(out);
    return status;
}

// ---- Cuts ----------------------------------------------------------------------------------------------------------

static int64_t weight_below(const forest_load* load, uint64_t key)
{
    int64_t low = 0, high = load->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (load->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return load->weight[low];
}

// The loads of all local ranks as one: each cut then needs one search in this process, however many ranks it has. MEMORY
static scree_status merge_loads(const scree_par* par, const forest_load* loads, forest_load* out)
{
    int64_t n = 0;
    for (int32_t l = 0; l < par->local; ++l)
        n += loads[l].count;
    uint64_t* key = scree_malloc(2 * (size_t)n + 1, sizeof *key);
    int64_t* weight = scree_malloc((size_t)n + 1, sizeof *weight);
    uint32_t* word = scree_malloc(2 * (size_t)n + 1, sizeof *word);
    *out = (forest_load){.count = n, .key = key, .weight = weight};
    if (key == NULL || weight == NULL || word == NULL) {
        scree_free(word);
        return SCREE_ERR_MEMORY;
    }
    n = 0;
    for (int32_t l = 0; l < par->local; ++l)
        for (int64_t e = 0; e < loads[l].count; ++e, ++n) {
            key[n] = loads[l].key[e];
            word[n] = (uint32_t)(loads[l].weight[e + 1] - loads[l].weight[e]);
        }
    scree_sort_with((int64_t*)(void*)key, word, (int64_t*)(void*)(key + n), word + n, n);  // keys have 54 bits
    weight[0] = 0;
    for (int64_t e = 0; e < n; ++e)
        weight[e + 1] = weight[e] + word[e];
    scree_free(word);
    return SCREE_OK;
}

scree_status forest_cut(par_forest* forest, scree_par* par, const forest_load* loads)
{
    int64_t cuts = forest->ranks - 1, all = 0, wide = 7 * cuts + 1;
    forest_load merged = {.count = 0};
    int64_t* below = scree_calloc((size_t)wide, sizeof *below);
    uint64_t* cut = scree_calloc((size_t)cuts + 1, sizeof *cut);
    scree_status status = below == NULL || cut == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK && par->local > 1)
        status = merge_loads(par, loads, &merged);
    const forest_load* load = par->local > 1 ? &merged : loads;
    status = par_agree(par, status);
    for (int level = 1; level <= forest_level && status == SCREE_OK; ++level) {
        uint64_t width = (uint64_t)1 << 3 * (forest_level - level);
        for (int64_t c = 0; c < cuts; ++c)
            for (int j = 1; j < 8; ++j)
                below[7 * c + j - 1] = weight_below(load, cut[c] + (uint64_t)j * width);
        below[7 * cuts] = load->weight[load->count];
        status = par_sum_processes(par, below, wide);
        all = below[7 * cuts];
        for (int64_t c = 0; c < cuts && status == SCREE_OK; ++c) {
            int64_t wanted = (int64_t)((double)all * (double)(c + 1) / (double)forest->ranks);
            int j = 0;
            while (j < 7 && below[7 * c + j] <= wanted)
                ++j;
            cut[c] += (uint64_t)j * width;
        }
    }
    if (status == SCREE_OK)
        status = forest_cut_at(forest, cut);
    scree_free((void*)(uintptr_t)merged.key);
    scree_free((void*)(uintptr_t)merged.weight);
    scree_free(below);
    scree_free(cut);
    return status;
}

scree_status forest_cut_at(par_forest* forest, const uint64_t* markers)
{
    for (int32_t p = 1; p < forest->ranks; ++p)
        forest->marker[p] = markers[p - 1] < forest_end ? markers[p - 1] : forest_end;
    return forest->way != NULL ? forest->way->follow(forest) : SCREE_OK;
}

static uint64_t next_chance(uint64_t* seed)
{
    *seed += 0x9E3779B97F4A7C15u;
    uint64_t z = *seed;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) | 1;
}

static int by_number(const void* a, const void* b)
{
    uint64_t s = *(const uint64_t*)a, t = *(const uint64_t*)b;
    return (s > t) - (s < t);
}

scree_status forest_cut_by_chance(par_forest* forest, scree_par* par, uint64_t* seed)
{
    uint64_t* cut = scree_malloc((size_t)forest->ranks, sizeof *cut);
    scree_status status = par_agree(par, cut == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    for (int32_t p = 0; p + 1 < forest->ranks && status == SCREE_OK; ++p) {
        uint64_t chance = next_chance(seed), base = forest->marker[1 + chance % (uint64_t)(forest->ranks - 1)];
        cut[p] = chance >> 8 & 1 ? base : chance >> 9 & 1 ? next_chance(seed) % forest_end : (base ^ next_chance(seed) % (forest_end >> 9)) % forest_end;
    }
    if (status == SCREE_OK) {
        qsort(cut, (size_t)forest->ranks - 1, sizeof *cut, by_number);
        status = par_agree(par, forest_cut_at(forest, cut));
    }
    scree_free(cut);
    return status;
}
