// Collective rearrangement, one sphere after the other, as in the paper: each is visited once per sweep and moved at once, by
//
//     step = dim/max(z, 2 dim) * sum over its z overlaps of o n,     at most delta/4
//
// away from the spheres that it overlaps; all overlaps have the same weight for all sizes. (The factor minimises sum o^2 for contacts from
// all sides. 1/z, the mean of the positions at which it would just touch each, takes three times as many sweeps; a constant is unstable for large spheres with hundreds of
// contacts.) A sphere without overlaps moves towards its nearest neighbour, if def.attraction is above 0 (rearrange_nearest.c). Candidates are lists of
// single spheres (scree/neighbours.h). The margin delta of the paper is their skin: a sphere that has moved delta/4 from its reference point gets a new list, and no step is
// longer than delta/4.
//
// Order of visits: spheres that are adjacent in memory (and therefore in space) form a unit and are visited one after the other. Units
// are coloured so that no list connects two units of the same colour; neither then reads what the other writes. Units of one colour can be visited on any
// number of threads, with the same bits as one after the other. Large spheres, whose lists reach far, are units of their own (hubs), otherwise
// nearly all units would conflict. Colours are assigned greedily, hubs first. If a new list connects two units of a colour,
// the one with the new list gets another colour. Lists are renewed only between sweeps, on one thread.
//
// With attraction, a sphere without overlaps whose list does not determine the nearest neighbour searches beyond its list, where colours give no
// protection: such spheres are visited at the end of the sweep, one after the other on one thread.
//
// The box grows when the mean relative overlap has fallen by less than 2 % in 30 sweeps.
//
// delta follows from counts: the cost of testing lists against the cost of making them. It falls as spheres come to rest, as the paper advises; from a
// given margin to def.margin_least it only falls.
// With def.margin < 0 there are no lists: the index has the current positions, is queried at each visit and updated at each move. This is for comparison.
//
// Cost: 100 to 200 ns per visit. Plain descent needs many more sweeps near the end than moving all spheres at once with momentum (rearrange_relax.c).
#include "rearrange_inner.h"

#include "base/array.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum {
    most_members = 64,    // of a unit; it affects the exact result
    few = 2048,           // visits of one colour that are not worth waking another thread for
    window = 30,          // sweeps in which the overlap should fall
    between_choices = 64  // sweeps from one choice of delta to the next
};
static const double fall_wanted = 0.02, growth_most = 2e-4;
static const double delta_least = 0.04;  // in smallest diameters: with less, steps at most delta/4 long would hold back spheres that still have to move
static const double refresh_cost = 600.0, entry_cost = 10.0;  // in tests of candidates

typedef struct visit_sums {
    double relative;  // sum of overlap / sum of radii
    double overlap, net, reach, worst;
    int64_t contacts, due;
} visit_sums;

// What a saved packing keeps of visits, besides units, colours and who is due.
typedef struct visit_past {
    double history[window];
    double mean;          // relative overlap, last sweep
    int64_t seen;         // sweeps
    int64_t chosen_at, refreshed_at_choice;
    int64_t refreshes;    // renewed lists of single spheres
    int64_t search_tests;
    int32_t units, hubs;  // the first units are the hubs
    int32_t colours, spare;
} visit_past;

typedef struct visits {
    visit_past past;
    int32_t *near_j, *near_image;  // without lists: the neighbours of one
    int64_t near_j_capacity, near_image_capacity;
    int32_t *unit, *order;  // by rank: its unit; ranks by unit
    int32_t* first;         // units + 1: where each begins in `order`
    int32_t* colour;
    int32_t* by_colour;     // units by colour
    int32_t* turn;          // colours + 1: where each begins in `by_colour`
    int64_t turn_capacity;
    uint8_t* mark;          // by colour: scratch
    uint8_t* due;           // sphere has moved far enough for a new list
    visit_sums* part;       // by unit

    double step_most, gone_most;  // delta/4, less rounding; its square
} visits;

static visits* of(const pile* p)
{
    return p->own;
}

typedef struct candidates {
    const int32_t *j, *image;  // numbers in the pile's `offset`
    int64_t count;
} candidates;

static inline candidates candidates_of(const scree_neighbour_rows* rows, int32_t i)
{
    const scree_neighbour_row* row = &rows->row[i];
    return (candidates){.j = rows->j + row->at, .image = rows->image + row->at, .count = row->count};
}

// ---- Units and their colours ---------------------------------------------------------------------------------------

// Spheres with many neighbours are units of their own, the others go by `most_members` along their order in memory.
static void make_units(pile* p)
{
    visits* v = of(p);
    int64_t many = 4 * (p->rows.entries / p->n) + 32;
    int32_t members = 0, at = 0;
    v->past.units = v->past.hubs = 0;
    for (int32_t i = 0; i < p->n; ++i)
        if (p->rows.row[i].count > many) {
            v->first[v->past.units] = at;
            v->unit[i] = v->past.units++;
            v->order[at++] = i;
        }
    v->past.hubs = v->past.units;
    for (int32_t i = 0; i < p->n; ++i) {
        if (p->rows.row[i].count > many)
            continue;
        if (members == 0)
            v->first[v->past.units++] = at;
        v->unit[i] = v->past.units - 1;
        v->order[at++] = i;
        members = (members + 1) % most_members;
    }
    v->first[v->past.units] = at;
}

// The lowest colour that no unit has which this one's lists lead to.
static void give_colour(pile* p, int32_t u)
{
    visits* v = of(p);
    for (int32_t c = 0; c < v->past.colours; ++c)
        v->mark[c] = 0;
    for (int32_t k = v->first[u]; k < v->first[u + 1]; ++k) {
        const candidates near = candidates_of(&p->rows, v->order[k]);
        for (int32_t q = 0; q < near.count; ++q) {
            int32_t other = v->unit[near.j[q]];
            if (other != u && v->colour[other] >= 0)
                v->mark[v->colour[other]] = 1;
        }
    }
    int32_t c = 0;
    while (c < v->past.colours && v->mark[c])
        ++c;
    v->colour[u] = c;
    v->past.colours = c + 1 > v->past.colours ? c + 1 : v->past.colours;
}

static scree_status order_by_colour(pile* p)
{
    visits* v = of(p);
    if (SCREE_RESERVE(v->turn, v->turn_capacity, (int64_t)v->past.colours + 2) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memset(v->turn, 0, ((size_t)v->past.colours + 2) * sizeof *v->turn);
    for (int32_t u = 0; u < v->past.units; ++u)
        ++v->turn[v->colour[u] + 2];
    for (int32_t c = 2; c < v->past.colours + 2; ++c)
        v->turn[c] += v->turn[c - 1];
    for (int32_t u = 0; u < v->past.units; ++u)
        v->by_colour[v->turn[v->colour[u] + 1]++] = u;
    return SCREE_OK;
}

static scree_status colour_all(pile* p)
{
    visits* v = of(p);
    make_units(p);
    for (int32_t u = 0; u < v->past.units; ++u)
        v->colour[u] = -1;
    v->past.colours = 0;
    for (int32_t u = 0; u < v->past.units; ++u)
        give_colour(p, u);
    return order_by_colour(p);
}

// ---- Lists ---------------------------------------------------------------------------------------------------------

static void set_limits(pile* p)
{
    visits* v = of(p);
    v->step_most = 0.25 * pile_list_limit(p);
    v->gone_most = v->step_most * v->step_most;
}

static void count_searches(pile* p)
{
    scree_index_stats stats = scree_index_get_stats(p->index);
    p->search_tests += stats.tests + stats.query_tests;
}

// Makes all lists, at wrapped positions in order.
static scree_status make_all(pile* p)
{
    scree_status status = pile_rows(p);
    if (status != SCREE_OK)
        return status;
    count_searches(p);
    set_limits(p);
    return colour_all(p);
}

// Those that are due, in the order of their ranks; all, if that costs less.
static scree_status renew_due(pile* p, int64_t due)
{
    visits* v = of(p);
    if (due * 4 > p->n) {
        v->past.refreshes += due;
        return make_all(p);
    }
    bool recoloured = false;
    int64_t before = scree_index_get_stats(p->index).query_tests;
    for (int32_t i = 0; i < p->n; ++i) {
        if (!v->due[i])
            continue;
        v->due[i] = 0;
        scree_neighbour_change change;
        memcpy(p->reference[i], p->x[i], sizeof p->reference[i]);
        ++v->past.refreshes;
        scree_status status = scree_neighbour_lists_refresh(p->lists, i, p->x[i], &change);
        if (status == SCREE_OK && change.far)
            return make_all(p);
        if (status == SCREE_OK)
            status = scree_neighbour_lists_get_rows(p->lists, &p->rows);
        if (status != SCREE_OK)
            return status;
        const candidates near = candidates_of(&p->rows, i);
        bool clash = false;
        for (int32_t k = 0; k < near.count && !clash; ++k)
            clash = v->unit[near.j[k]] != v->unit[i] && v->colour[v->unit[near.j[k]]] == v->colour[v->unit[i]];
        if (clash) {
            give_colour(p, v->unit[i]);
            recoloured = true;
        }
    }
    p->search_tests += scree_index_get_stats(p->index).query_tests - before;
    return recoloured ? order_by_colour(p) : SCREE_OK;
}

// Looking through lists costs more the larger delta is, about as its square; making them costs less, as 1/delta: twice the one as large as the other
// is best.
static bool choose_delta(pile* p)
{
    visits* v = of(p);
    int64_t sweeps = v->past.seen - v->past.chosen_at, refreshes = v->past.refreshes - v->past.refreshed_at_choice;
    double row = (double)p->rows.entries / p->n;
    double extra = 2.0 * ((double)(p->rows.entries - p->contacts) + 0.1 * p->n);
    double renewal = (refresh_cost + entry_cost * row) * (double)refreshes / (double)sweeps;
    double by = scree_skin_factor(renewal, extra), now = p->skin;
    v->past.chosen_at = v->past.seen;
    v->past.refreshed_at_choice = v->past.refreshes;
    bool shrunk = p->factor < p->listed_factor * (1.0 - 0.25 * now / p->r_max);  // lists made for the larger spheres are longer than they need be
    double least = (p->def->margin_least > 0.0 ? p->def->margin_least : delta_least) * 2.0 * p->r_min * p->factor;
    if (p->def->margin > 0.0) {
        by = fmin(by, 1.0);
        least = fmin(least, now);
    }
    if (shrunk || by > 1.3 || by < 0.77)
        p->skin = pile_skin_within(p, fmax(now * by, least));
    return shrunk || p->skin != now;
}

static scree_status ready_lists(pile* p)
{
    visits* v = of(p);
    if (p->rebuilds == 0 || p->stale)
        return make_all(p);
    bool adapts = p->def->margin == 0.0 || p->def->margin_least > 0.0;
    if (adapts && v->past.seen - v->past.chosen_at >= between_choices && choose_delta(p))
        return make_all(p);
    int64_t due = 0;
    for (int32_t i = 0; i < p->n; ++i)
        due += v->due[i];
    return due > 0 ? renew_due(p, due) : SCREE_OK;
}

// ---- A visit -------------------------------------------------------------------------------------------------------

typedef struct meeting {
    double force[3];
    int z;
} meeting;

static inline void meet_wall(double r, double o, meeting* m, visit_sums* s)
{
    s->relative += o / (2.0 * r);
    s->overlap += o * o;
    s->reach += r * r;
    s->worst = fmax(s->worst, o / r);
    ++s->contacts;
    ++m->z;
}

static inline void meet_walls(const pile* p, const double xi[4], meeting* m, visit_sums* s)
{
    for (int k = p->round; k < p->dim; ++k) {
        if (p->periodic[k])
            continue;
        for (int side = 0; side < 2; ++side) {
            double o = side == 0 ? xi[3] - xi[k] : xi[k] + xi[3] - p->length[k];
            if (o <= 0.0)
                continue;
            m->force[k] += side == 0 ? o : -o;
            meet_wall(xi[3], o, m, s);
        }
    }
    if (p->round > 0) {
        double d[3], distance = pile_from_middle(p, xi, d), o = distance + xi[3] - 0.5 * p->length[0];
        if (o > 0.0 && distance > 0.0) {
            for (int k = 0; k < p->round; ++k)
                m->force[k] -= o * (d[k] / distance);
            meet_wall(xi[3], o, m, s);
        }
    }
}

static inline void meet(const pile* p, int32_t i, const candidates* near, meeting* m, visit_sums* s)
{
    enum { batch = 64 };
    const double (*x)[4] = (const double(*)[4])p->x;
    const double xi = x[i][0], yi = x[i][1], zi = x[i][2], ri = x[i][3];
    double hit[batch][6];  // dx dy dz square sum r
    int32_t partner[batch];
    for (int64_t from = 0; from < near->count; from += batch) {
        int64_t to = from + batch < near->count ? from + batch : near->count;
        int hits = 0;
        for (int64_t e = from; e < to; ++e) {  // without a branch: which of them overlap is as good as random
            const double *xj = x[near->j[e]], *offset = p->offset[near->image[e]];
            double dx = (xi - xj[0]) - offset[0], dy = (yi - xj[1]) - offset[1], dz = (zi - xj[2]) - offset[2];
            double sum = ri + xj[3], square = (dx * dx + dy * dy) + dz * dz;
            double* h = hit[hits];
            h[0] = dx, h[1] = dy, h[2] = dz, h[3] = square, h[4] = sum, h[5] = xj[3];
            partner[hits] = near->j[e];
            hits += square < sum * sum;
        }
        for (int c = 0; c < hits; ++c) {
            const double *h = hit[c], sum = h[4], small = ri < h[5] ? ri : h[5];
            double distance = sqrt(h[3]), o = sum - distance;
            if (distance > 0.0) {
                double by = o / distance;
                m->force[0] += by * h[0];
                m->force[1] += by * h[1];
                m->force[2] += by * h[2];
            } else {
                m->force[0] += i < partner[c] ? -o : o;  // one centre for two: apart along x
            }
            s->relative += o / sum;
            s->overlap += o * o;
            s->reach += sum * sum;
            s->worst = o > s->worst * small ? o / small : s->worst;
        }
        m->z += hits;
        s->contacts += hits;
    }
}

static inline void take_step(pile* p, int32_t i, const double step[3], double most)
{
    double *x = p->x[i], square = 0.0;
    for (int k = 0; k < 3; ++k)
        square += step[k] * step[k];
    double less = square > most * most ? most / sqrt(square) : 1.0;
    for (int k = 0; k < p->dim; ++k) {
        x[k] += less * step[k];
        if (!p->periodic[k])
            x[k] = fmin(fmax(x[k], 0.0), p->length[k]);
    }
}

// Moves sphere i away from the spheres of `near` that it overlaps. False: it has no overlaps and stays.
static inline bool visit(pile* p, int32_t i, const candidates* near, double most, visit_sums* s)
{
    meeting m = {.z = 0};
    meet(p, i, near, &m, s);
    meet_walls(p, p->x[i], &m, s);
    if (m.z == 0)
        return false;
    double step[3], part = (double)p->dim / (m.z > 2 * p->dim ? m.z : 2 * p->dim);
    for (int k = 0; k < 3; ++k) {
        s->net += m.force[k] * m.force[k];
        step[k] = part * m.force[k];
    }
    take_step(p, i, step, most);
    return true;
}

static nearest nearest_of(const pile* p, int32_t i, const candidates* near)
{
    nearest best = nearest_nobody();
    for (int64_t e = 0; e < near->count; ++e)
        nearest_look(p, i, near->j[e], p->offset[near->image[e]], near->image[e], &best);
    return best;
}

// Moves sphere i, which has no overlaps, towards its nearest neighbour. Spheres that are not in `near` have gaps of `proven` or more. False: they
// do not prove who is nearest, and it stays.
static bool attract(pile* p, int32_t i, const candidates* near, double proven, double most)
{
    nearest best = nearest_of(p, i, near);
    if (!(best.gap <= proven))
        return false;
    double step[3];
    pile_nearest_step(p, &best, step);
    take_step(p, i, step, most);
    return true;
}

// The same for any sphere without overlaps. On one thread.
static scree_status attract_far(pile* p, int32_t i, const candidates* near, double most)
{
    nearest best = nearest_of(p, i, near);
    scree_status status = pile_nearest(p, i, &best);
    double step[3];
    pile_nearest_step(p, &best, step);
    if (status == SCREE_OK)
        take_step(p, i, step, most);
    return status;
}

static void add_sums(visit_sums* all, const visit_sums* s)
{
    all->relative += s->relative;
    all->overlap += s->overlap;
    all->net += s->net;
    all->reach += s->reach;
    all->worst = fmax(all->worst, s->worst);
    all->contacts += s->contacts;
}

static double square_gone(const pile* p, int32_t i)  // from its reference
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k)
        square += (p->x[i][k] - p->reference[i][k]) * (p->x[i][k] - p->reference[i][k]);
    return square;
}

// Gaps of spheres that are not in the list of i: references are delta apart, and no sphere is more than delta/2 from its own.
static double proven_by_list(const pile* p, int32_t i)
{
    return 0.5 * pile_list_limit(p) - sqrt(square_gone(p, i));
}

typedef struct turn {
    pile* p;
    const int32_t* units;
} turn;

static scree_status visit_unit(void* context, int64_t c)
{
    const turn* now = context;
    pile* p = now->p;
    visits* v = of(p);
    const scree_neighbour_rows rows = p->rows;
    int32_t u = now->units[c];
    visit_sums s = {0};
    for (int32_t k = v->first[u]; k < v->first[u + 1]; ++k) {
        int32_t i = v->order[k];
        const candidates near = candidates_of(&rows, i);
        if (!visit(p, i, &near, v->step_most, &s) && p->alone != NULL)
            p->alone[i] = !attract(p, i, &near, proven_by_list(p, i), v->step_most);
        v->due[i] = square_gone(p, i) > v->gone_most;
    }
    v->part[u] = s;
    return SCREE_OK;
}

// Those that were left out because their lists do not prove who is nearest. Others have moved since, and may overlap them by now.
static scree_status visit_alone(pile* p, visit_sums* all)
{
    visits* v = of(p);
    int64_t before = scree_index_get_stats(p->index).query_tests;
    for (int32_t i = 0; i < p->n; ++i) {
        if (!p->alone[i])
            continue;
        p->alone[i] = false;
        const candidates near = candidates_of(&p->rows, i);
        visit_sums s = {0};
        scree_status status = SCREE_OK;
        if (!visit(p, i, &near, v->step_most, &s))
            status = attract_far(p, i, &near, v->step_most);
        if (status != SCREE_OK)
            return status;
        v->due[i] = square_gone(p, i) > v->gone_most;
        add_sums(all, &s);
    }
    p->search_tests += scree_index_get_stats(p->index).query_tests - before;
    return SCREE_OK;
}

static scree_status sweep_lists(pile* p, visit_sums* all)
{
    visits* v = of(p);
    for (int32_t c = 0; c < v->past.colours; ++c) {
        int32_t count = v->turn[c + 1] - v->turn[c];
        turn now = {.p = p, .units = v->by_colour + v->turn[c]};
        scree_parallel_for(count * most_members < few ? 1 : p->def->threads, count, visit_unit, &now, NULL);
    }
    for (int32_t u = 0; u < v->past.units; ++u)
        add_sums(all, &v->part[u]);
    p->tests += p->rows.entries;
    return p->alone != NULL ? visit_alone(p, all) : SCREE_OK;
}

// ---- Without lists -------------------------------------------------------------------------------------------------

// The index has the sizes of its last update here: larger than now, which is not wrong.
static scree_status place_all(pile* p)
{
    scree_pairs pairs;
    pile_wrap(p);
    double gap = p->def->attraction > 0.0 ? p->skin : 0.0;
    scree_status status = pile_pairs(p, gap, false, &pairs);
    count_searches(p);
    p->listed_factor = p->factor;
    p->stale = false;
    ++p->rebuilds;
    return status;
}

static scree_status sweep_index(pile* p, visit_sums* all)
{
    visits* v = of(p);
    if (p->rebuilds == 0 || p->stale || p->factor < 0.99 * p->listed_factor) {
        scree_status status = place_all(p);
        if (status != SCREE_OK)
            return status;
    }
    int64_t before = scree_index_get_stats(p->index).query_tests;
    for (int32_t i = 0; i < p->n; ++i) {
        scree_neighbours found;
        scree_status status = scree_index_neighbours(p->index, i, &found);
        if (status == SCREE_OK)
            status = SCREE_RESERVE(v->near_j, v->near_j_capacity, found.count + 1);
        if (status == SCREE_OK)
            status = SCREE_RESERVE(v->near_image, v->near_image_capacity, found.count + 1);
        if (status != SCREE_OK)
            return status;
        candidates near = {.j = v->near_j, .image = v->near_image};
        for (int64_t q = 0; q < found.count; ++q) {
            static const int8_t none[3] = {0, 0, 0};
            const int8_t* s = found.shift != NULL ? found.shift[q] : none;
            if (found.j[q] == i)
                continue;
            v->near_j[near.count] = found.j[q];
            v->near_image[near.count++] = scree_neighbour_image(shift_most, s[0], s[1], s[2]);
        }
        bool met = visit(p, i, &near, 0.25 * p->skin, all);
        if (!met && p->alone != NULL && !attract(p, i, &near, p->skin, 0.25 * p->skin))
            status = attract_far(p, i, &near, 0.25 * p->skin);
        if (status != SCREE_OK)
            return status;
        if (p->tilted)
            scree_box_wrap_centre(&p->container.box, p->x[i], NULL);
        for (int k = 0; k < p->dim; ++k) {  // wrapped here, so that no image is ever far
            double length = p->length[k];
            if (p->periodic[k])
                p->x[i][k] -= p->x[i][k] < 0.0 ? -length : p->x[i][k] >= length ? length : 0.0;
            p->x[i][k] = fmin(fmax(p->x[i][k], 0.0), length);
        }
        status = scree_index_move(p->index, i, p->x[i]);
        if (status != SCREE_OK)
            return status;
        p->tests += near.count;
    }
    p->search_tests += scree_index_get_stats(p->index).query_tests - before;
    return SCREE_OK;
}

// ---- The way -------------------------------------------------------------------------------------------------------

static scree_status begin(pile* p)
{
    visits* v = scree_calloc(1, sizeof *v);
    if (v == NULL)
        return SCREE_ERR_MEMORY;
    p->own = v;
    if (p->def->margin > 0.0)
        p->skin = pile_skin_within(p, p->def->margin * 2.0 * p->r_min);
    if (p->def->margin < 0.0)
        return SCREE_OK;
    size_t n = (size_t)p->n;
    v->unit = scree_calloc(n, sizeof *v->unit);  // saved before they are made, too
    v->order = scree_malloc(n, sizeof *v->order);
    v->first = scree_malloc(n + 1, sizeof *v->first);
    v->colour = scree_malloc(n, sizeof *v->colour);
    v->by_colour = scree_malloc(n, sizeof *v->by_colour);
    v->mark = scree_malloc(n, sizeof *v->mark);
    v->due = scree_calloc(n, sizeof *v->due);
    v->part = scree_calloc(n, sizeof *v->part);
    bool all = v->unit != NULL && v->order != NULL && v->first != NULL && v->colour != NULL && v->by_colour != NULL && v->mark != NULL &&
               v->due != NULL && v->part != NULL;
    return all ? SCREE_OK : SCREE_ERR_MEMORY;
}

static scree_status push(pile* p, sums* out)
{
    visits* v = of(p);
    visit_sums s = {0};
    scree_status status = SCREE_OK;
    if (p->def->margin < 0.0) {
        status = sweep_index(p, &s);
    } else {
        status = ready_lists(p);
        if (status == SCREE_OK)
            status = sweep_lists(p, &s);
    }
    v->past.mean = s.contacts > 0 ? s.relative / (double)s.contacts : 0.0;
    ++v->past.seen;
    p->contacts = s.contacts;
    p->refreshes = v->past.refreshes;
    *out = (sums){.net = s.net, .overlap = s.overlap, .energy = s.overlap, .reach = s.reach, .worst = s.worst, .contacts = s.contacts};
    return status;
}

static double growth(pile* p, const sums* s)
{
    (void)s;
    visits* v = of(p);
    double* then = &v->past.history[v->past.seen % window];
    bool stagnates = v->past.seen > window && v->past.mean > (1.0 - fall_wanted) * *then;
    *then = v->past.mean;
    return stagnates ? fmin(p->def->growth * v->past.mean, growth_most) : 0.0;
}

static void move(pile* p, const sums* s)
{
    (void)p;
    (void)s;
}

static void end(pile* p)
{
    visits* v = of(p);
    if (v == NULL)
        return;
    scree_free(v->near_j);
    scree_free(v->near_image);
    scree_free(v->unit);
    scree_free(v->order);
    scree_free(v->first);
    scree_free(v->colour);
    scree_free(v->by_colour);
    scree_free(v->turn);
    scree_free(v->mark);
    scree_free(v->due);
    scree_free(v->part);
    scree_free(v);
    p->own = NULL;
}

// ---- Saved and restored ----------------------------------------------------------------------------------------------

// Lists follow from references; units and colours do not: they remember who was renewed in which order.
static int32_t save(pile* p, scree_bytes* pieces)
{
    visits* v = of(p);
    v->past.search_tests = p->search_tests;
    pieces[0] = (scree_bytes){&v->past, sizeof v->past};
    pieces[1] = (scree_bytes){v->unit, (size_t)p->n * sizeof *v->unit};
    pieces[2] = (scree_bytes){v->colour, (size_t)v->past.units * sizeof *v->colour};
    pieces[3] = (scree_bytes){v->due, (size_t)p->n * sizeof *v->due};
    return 4;
}

static scree_status restore(pile* p, const char* what, scree_bytes from)
{
    visits* v = of(p);
    const char* at = from.data;
    const size_t n = (size_t)p->n;
    bool whole = from.size >= sizeof v->past;
    if (whole)
        memcpy(&v->past, at, sizeof v->past);
    const size_t units = whole && v->past.units >= 0 && v->past.units <= p->n ? (size_t)v->past.units : 0;
    whole = whole && (int64_t)units == v->past.units && v->past.colours >= 0 && v->past.colours <= v->past.units &&
            from.size == sizeof v->past + n * (sizeof *v->unit + sizeof *v->due) + units * sizeof *v->colour;
    if (whole) {
        memcpy(v->unit, at += sizeof v->past, n * sizeof *v->unit);
        memcpy(v->colour, at += n * sizeof *v->unit, units * sizeof *v->colour);
        memcpy(v->due, at + units * sizeof *v->colour, n * sizeof *v->due);
    }
    for (size_t i = 0; i < n && whole && units > 0; ++i)
        whole = v->unit[i] >= 0 && v->unit[i] < v->past.units;
    for (size_t u = 0; u < units && whole; ++u)
        whole = v->colour[u] >= 0 && v->colour[u] < v->past.colours;
    if (!whole)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the saved packing has units or colours of visits that cannot be; expected a saved packing as it was written", what);
    p->refreshes = v->past.refreshes;
    p->search_tests = v->past.search_tests;
    set_limits(p);
    if (units == 0)
        return SCREE_OK;
    memset(v->first, 0, (n + 1) * sizeof *v->first);
    for (size_t i = 0; i < n; ++i)
        ++v->first[v->unit[i] + 1];
    for (size_t u = 0; u < units; ++u)
        v->first[u + 1] += v->first[u];
    for (size_t i = n; i-- > 0;)  // from behind: each unit's `first` + 1 ends where it begins
        v->order[--v->first[v->unit[i] + 1]] = (int32_t)i;
    memmove(v->first, v->first + 1, units * sizeof *v->first);
    v->first[units] = p->n;
    return order_by_colour(p);
}

const pile_way pile_visits = {.begin = begin, .push = push, .move = move, .growth = growth, .end = end, .save = save, .restore = restore};
