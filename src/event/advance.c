// Events in order of time: collisions of spheres, collisions with walls, and spheres that leave the ball for which their list is valid.
//
// The position of each sphere is stored for the time of its last change of velocity, and each sphere has one event in the calendar: the earliest one found when it was
// last predicted. A collision of i and j moves both to the current time, changes their velocities and predicts both again, against their
// lists; no other sphere is predicted. A sphere k whose next event was a collision with i notices at that time that i has changed since, and is predicted
// again then. This is early enough: events of k that were later are still later, and new collisions with i were found from the side of i.
// It is also cheaper than predicting k at once, because many such k collide with others first.
//
// The time of contact: with x, v the difference of positions and velocities, R the contact distance, G its growth rate,
//     |x + v t|^2 = (R + G t)^2,   A = v.v - G^2,  B = x.v - R G,  C = x.x - R^2,   A t^2 + 2 B t + C = 0
// and the first root is C / (-B + sqrt D) for B < 0, (-B - sqrt D) / A for B >= 0 and A < 0; neither form has cancellation. A partner
// that must be later than the best so far is excluded before any root or division: for A >= 0 the time is at least C / (-2 B).
//
// Heavy spheres. A sphere with thousands of neighbours collides as often as all of them together, and testing all of them each time would dominate the cost.
// But within a short time few of them can reach it. From time to time a heavy sphere therefore tests all neighbours and lists those that
// may reach it before a horizon in an agenda, allowing for its own collisions, and until then predicts against these alone. A light sphere that
// gets another velocity (or list) enters itself if it may now reach the heavy one in time. The horizon is chosen so that
// testing all neighbours costs as much as testing the agenda.
//
// For equal times the lower number comes first, so that the order does not depend on how lists are made.
//
// Cost: about three predictions per collision, each one pass over a list of about 15 partners, a cache line each.
#include "event/system.h"

#include "base/argument.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

// ---- Prediction ------------------------------------------------------------------------------------------------------

// Earliest time from now of an event with a wall, if it is before *best.
static void meet_walls(const scree_event_system* s, const double x[3], const double v[3], double a, double scale, double* best, due* out)
{
    double r = a * scale, grow = a * s->rate;
    for (int k = 0; k < s->dim; ++k) {
        if (s->periodic[k])
            continue;
        for (int side = 0; side < 2; ++side) {
            double gap = (side == 0 ? x[k] : s->length[k] - x[k]) - r, closing = grow - (side == 0 ? v[k] : -v[k]);
            if (!(closing > 0.0) || gap >= closing * *best)
                continue;
            *best = gap > 0.0 ? gap / closing : 0.0;
            out->partner = due_wall;
            out->image = 2 * k + side;
        }
    }
}

enum { batch = 64 };

typedef struct partners {
    const int32_t *j, *image;
    int32_t count;
} partners;

static inline partners row_of(const scree_event_system* s, int32_t i)
{
    const scree_neighbour_row row = s->rows.row[i];
    return (partners){.j = s->rows.j + row.at, .image = s->rows.image + row.at, .count = row.count};
}

// How far apart, surface to surface, p at time `now` and the image of q are, and how fast that may change.
static inline double gap_between(const scree_event_system* s, const event_sphere* p, const event_sphere* q, int32_t image, double* closing)
{
    const double* offset = s->offset[image];
    double square = 0.0, speed = 0.0;
    for (int k = 0; k < 3; ++k) {
        double d = ((p->x[k] + p->v[k] * (s->now - p->t)) - (q->x[k] + q->v[k] * (s->now - q->t))) - offset[k], u = p->v[k] - q->v[k];
        square += d * d;
        speed += u * u;
    }
    *closing = sqrt(speed) + (p->a + q->a) * s->rate;
    return sqrt(square) - (p->a + q->a) * event_scale_now(s);
}

// One that does not fit is counted all the same.
static void enter(scree_event_system* s, event_heavy* h, int32_t j, int32_t image)
{
    if (h->count < h->capacity) {
        s->agenda_j[h->start + h->count] = j;
        s->agenda_image[h->start + h->count] = image;
    }
    ++h->count;
}

static void make_agenda(scree_event_system* s, int32_t i)
{
    event_heavy* h = &s->heavies[s->heavy[i]];
    const event_sphere* p = &s->line[i];
    const scree_neighbour_row row = s->rows.row[i];
    const int32_t *js = s->rows.j + row.at, *images = s->rows.image + row.at;
    if (h->horizon > 0.0)  // counted: what the last agenda cost against what this look at all does
        h->horizon *= h->used > row.count ? 0.7 : 1.4;
    double speed = 0.0, closing;
    for (int32_t e = 0; e < row.count && h->horizon == 0.0; ++e) {
        gap_between(s, p, &s->line[js[e]], images[e], &closing);
        speed += closing / row.count;
    }
    if (h->horizon == 0.0) {
        h->horizon = speed > 0.0 ? 0.02 * s->a_mean / speed : 1.0;
        h->give = 0.1 * speed;
    }
    for (int k = 0; k < 3; ++k)
        h->v[k] = p->v[k];
    h->used = 0;
    h->count = 0;
    h->until = s->now + h->horizon;
    for (int32_t e = 0; e < row.count; ++e) {
        double gap = gap_between(s, p, &s->line[js[e]], images[e], &closing);
        if (s->heavy[js[e]] >= 0 || gap <= (closing + 2.0 * h->give) * h->horizon) {  // heavy ones do not enter themselves
            enter(s, h, js[e], images[e]);
        }
    }
    s->work.tests += row.count;
}

// The partners that a heavy sphere has to look at.
static partners agenda_of(scree_event_system* s, int32_t i)
{
    event_heavy* h = &s->heavies[s->heavy[i]];
    const event_sphere* p = &s->line[i];
    double changed = 0.0;
    for (int k = 0; k < 3; ++k)
        changed += (p->v[k] - h->v[k]) * (p->v[k] - h->v[k]);
    if (h->until <= s->now || changed > h->give * h->give || h->count > h->capacity)
        make_agenda(s, i);
    if (h->count > h->capacity) {  // so many that it is not worth while
        h->used += s->rows.row[i].count;
        return row_of(s, i);
    }
    h->used += h->count;
    return (partners){.j = s->agenda_j + h->start, .image = s->agenda_image + h->start, .count = h->count};
}

// A sphere that was just predicted enters itself where it may reach a heavy one in time.
static void enter_agendas(scree_event_system* s, int32_t i)
{
    const partners near = row_of(s, i);
    for (int32_t e = 0; e < near.count; ++e) {
        int32_t j = near.j[e];
        if (s->heavy[j] < 0)
            continue;
        event_heavy* h = &s->heavies[s->heavy[j]];
        double closing, gap = gap_between(s, &s->line[i], &s->line[j], near.image[e], &closing);
        if (h->until > s->now && gap <= (closing + 2.0 * h->give) * (h->until - s->now))
            enter(s, h, i, event_images - 1 - near.image[e]);
    }
}

static inline __attribute__((always_inline)) void predict_body(scree_event_system* s, int32_t i, bool growing)
{
    const event_sphere *line = s->line, *p = &line[i];
    const double now = s->now, scale = s->scale + s->rate * now, dt = now - p->t;
    const double vx = p->v[0], vy = p->v[1], vz = p->v[2], a = p->a;
    const double x = p->x[0] + vx * dt, y = p->x[1] + vy * dt, z = p->x[2] + vz * dt;
    const bool heavy = s->heavy_count > 0 && s->heavy[i] >= 0;
    const partners some = heavy ? agenda_of(s, i) : row_of(s, i);
    const int32_t *js = some.j, *images = some.image, count = some.count;
    const double (*offsets)[4] = (const double(*)[4])s->offset;
    const double square_scale = scale * scale, scale_rate = scale * s->rate, square_rate = s->rate * s->rate;
    double best = INFINITY;
    int32_t partner = due_nothing, image = 0;
    // Who comes nearer is as good as random to the processor, and so is who comes near enough: first those are picked without a branch, a
    // batch at a time, and only then times are computed.
    double near[batch][3];
    int32_t which[batch];
    for (int32_t from = 0; from < count; from += batch) {
        int32_t to = from + batch < count ? from + batch : count, hits = 0;
        if (s->n > 16384)
            for (int32_t e = from; e < to; ++e)
                __builtin_prefetch(&line[js[e]]);
        for (int32_t e = from; e < to; ++e) {
            const event_sphere* q = &line[js[e]];
            const double* offset = offsets[images[e]];
            double h = now - q->t;
            double dx = (x - (q->x[0] + q->v[0] * h)) - offset[0], ux = vx - q->v[0];
            double dy = (y - (q->x[1] + q->v[1] * h)) - offset[1], uy = vy - q->v[1];
            double dz = (z - (q->x[2] + q->v[2] * h)) - offset[2], uz = vz - q->v[2];
            double sum = a + q->a, square = sum * sum;
            double v2 = (ux * ux + uy * uy) + uz * uz, b = (dx * ux + dy * uy) + dz * uz;
            double c = ((dx * dx + dy * dy) + dz * dz) - square * square_scale;
            if (growing) {
                v2 -= square * square_rate;
                b -= square * scale_rate;
            }
            near[hits][0] = v2;
            near[hits][1] = b;
            near[hits][2] = c;
            which[hits] = e;
            hits += growing ? ((b * b >= v2 * c) | (c <= 0.0)) & ((b < 0.0) | (v2 < 0.0)) : (b * b >= v2 * c) & (b < 0.0);
        }
        for (int32_t k = 0; k < hits; ++k) {
            double v2 = near[k][0], b = near[k][1], c = near[k][2], root = b * b - v2 * c, t;
            if (b < 0.0) {
                // For v2 >= 0 the time is at least c / (-2 b): no need of a root for those that are later anyway.
                if (c > 0.0 && v2 >= 0.0 && c > -2.0 * b * best)
                    continue;
                t = c > 0.0 ? c / (sqrt(root) - b) : 0.0;
            } else {
                // They part, but grow faster than they do. Right after a collision c is 0 up to rounding of either sign.
                t = c > 0.0 ? (b + sqrt(root)) / -v2 : 2.0 * b / -v2;
            }
            int32_t j = js[which[k]];
            if (t < best || (t == best && partner >= 0 && s->id[j] < s->id[partner])) {
                best = t;
                partner = j;
                image = images[which[k]];
            }
        }
    }
    due* d = &s->due[i];
    d->partner = partner;
    d->image = image;
    d->stamp = partner >= 0 ? s->due[partner].changes : 0;
    if (s->walls)
        meet_walls(s, (const double[3]){x, y, z}, p->v, a, scale, &best, d);
    // The ball is convex: who is inside then has not left it before.
    const double* from = s->reference[i];
    double dx = x - from[0], dy = y - from[1], dz = z - from[2], most = from[3] * from[3];
    double later = best < INFINITY ? best : 1e300;
    double ex = dx + vx * later, ey = dy + vy * later, ez = dz + vz * later;
    if (!((ex * ex + ey * ey) + ez * ez < most)) {
        double v2 = (vx * vx + vy * vy) + vz * vz, b = (dx * vx + dy * vy) + dz * vz, c = ((dx * dx + dy * dy) + dz * dz) - most;
        double t = INFINITY;
        if (c >= 0.0)
            t = 0.0;
        else if (v2 > 0.0)
            t = b > 0.0 ? -c / (b + sqrt(b * b - v2 * c)) : (sqrt(b * b - v2 * c) - b) / v2;
        if (t < best) {
            best = t;
            d->partner = due_leave;
        }
    }
    if (heavy && s->heavies[s->heavy[i]].until - now < best) {
        best = s->heavies[s->heavy[i]].until - now;
        d->partner = due_agenda;
    }
    d->t = now + best;
    ++s->work.predictions;
    s->work.tests += count;
    if (s->heavy_count > 0 && !heavy && s->near_heavy[i])
        enter_agendas(s, i);
}

static void predict_still(scree_event_system* s, int32_t i)
{
    predict_body(s, i, false);
}

static void predict_growing(scree_event_system* s, int32_t i)
{
    predict_body(s, i, true);
}

static inline void predict(scree_event_system* s, int32_t i)
{
    calendar_remove(&s->calendar, s->due, s->id, i);
    if (s->rate > 0.0)
        predict_growing(s, i);
    else
        predict_still(s, i);
    calendar_insert(&s->calendar, s->due, s->id, i);
}

void event_predict_all(scree_event_system* s)
{
    double sum = 0.0;
    int32_t finite = 0;
    for (int32_t h = 0; h < s->heavy_count; ++h)
        s->heavies[h].until = -INFINITY;
    for (int32_t i = 0; i < s->n; ++i) {
        if (s->rate > 0.0)
            predict_growing(s, i);
        else
            predict_still(s, i);
        if (s->due[i].t < INFINITY) {
            sum += s->due[i].t - s->now;
            ++finite;
        }
    }
    // At the start a year of about two mean times; the calendar finds out later.
    if (s->calendar.width == 0.0 && finite > 0 && sum > 0.0)
        s->calendar.width = 2.0 * sum / finite / s->calendar.count;
    if (!(s->calendar.width > 0.0))
        s->calendar.width = 1.0;
    calendar_fill(&s->calendar, s->due, s->id, s->n, s->now);
}

// ---- What happens ----------------------------------------------------------------------------------------------------

double event_energy(const scree_event_system* s)
{
    double sum = 0.0;
    for (int32_t i = 0; i < s->n; ++i) {
        const double* v = s->line[i].v;
        sum += 0.5 * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]) / s->inverse_mass[i];
    }
    return sum;
}

static inline void fly(event_sphere* p, double now)
{
    double dt = now - p->t;
    for (int k = 0; k < 3; ++k)
        p->x[k] += p->v[k] * dt;
    p->t = now;
}

void event_settle(scree_event_system* s)
{
    for (int32_t i = 0; i < s->n; ++i) {
        fly(&s->line[i], s->now);
        s->line[i].t = 0.0;
    }
    s->energy_sum += s->energy * (s->now - s->energy_time);
    s->energy_time = 0.0;
    s->energy = event_energy(s);
    s->scale = event_scale_now(s);
    s->epoch += s->now;
    s->now = 0.0;
}

static inline void note_energy(scree_event_system* s, double change)
{
    s->energy_sum += s->energy * (s->now - s->energy_time);
    s->energy_time = s->now;
    s->energy += change;
}

// False if they are parting already, by rounding: then nothing happens.
static inline bool collide(scree_event_system* s, int32_t i, int32_t j, int32_t image)
{
    event_sphere *p = &s->line[i], *q = &s->line[j];
    fly(p, s->now);
    fly(q, s->now);
    const double* offset = s->offset[image];
    double n[3], square = 0.0, along = 0.0;
    for (int k = 0; k < 3; ++k) {
        n[k] = (p->x[k] - q->x[k]) - offset[k];
        square += n[k] * n[k];
        along += n[k] * (p->v[k] - q->v[k]);
    }
    double distance = sqrt(square), grow = (p->a + q->a) * s->rate;
    if (!(distance > 0.0))
        return false;
    // Growing, surfaces may keep step to the last bit (after a collision that gives nothing back, say), and the prediction see them close
    // and this see them part, at the same time for ever. So they are pushed apart by a little.
    double u = along / distance, closing = fmax(grow - u, 1e-13 * grow);
    if (!(closing > 0.0))
        return false;
    double wi = s->inverse_mass[i], wj = s->inverse_mass[j], mu = 1.0 / (wi + wj);
    double impulse = mu * (1.0 + s->def.restitution) * closing;
    for (int k = 0; k < 3; ++k) {
        double push = impulse * (n[k] / distance);
        p->v[k] += wi * push;
        q->v[k] -= wj * push;
    }
    s->virial += impulse * distance;
    double after = u + impulse * (wi + wj);
    note_energy(s, 0.5 * mu * (after * after - u * u));
    ++s->due[i].changes;
    ++s->due[j].changes;
    return true;
}

static inline bool bounce(scree_event_system* s, int32_t i, int32_t wall)
{
    event_sphere* p = &s->line[i];
    fly(p, s->now);
    int k = wall / 2;
    double grow = p->a * s->rate, inward = wall % 2 == 0 ? p->v[k] : -p->v[k], closing = grow - inward;
    if (!(closing > 0.0))
        return false;
    double after = inward + (1.0 + s->def.restitution) * closing;
    note_energy(s, 0.5 * (after * after - inward * inward) / s->inverse_mass[i]);
    s->wall_virial += 0.5 * s->length[k] * (after - inward) / s->inverse_mass[i];
    p->v[k] = wall % 2 == 0 ? after : -after;
    ++s->due[i].changes;
    return true;
}

static bool is_far(const scree_event_system* s, int32_t i)
{
    const double* from = s->reference[i];
    for (int k = 0; k < s->dim; ++k)
        if (s->periodic[k] && !(from[k] >= -event_most_turns * s->length[k] && from[k] < (event_most_turns + 1) * s->length[k]))
            return true;
    return false;
}

// ---- In order --------------------------------------------------------------------------------------------------------

static scree_status make_lists(scree_event_system* s, int64_t left)
{
    scree_status status = SCREE_OK;
    if (s->before_lists != NULL) {
        event_settle(s);
        status = s->before_lists(s->before_lists_context, s, left);
    }
    if (status == SCREE_OK)
        status = event_lists_make(s);
    if (status == SCREE_OK)
        event_predict_all(s);
    return status;
}

// Events are next to each other in time, not in space: in a system that does not fit the cache each begins with a wait for memory, several
// times over (its sphere, the list, all partners). The calendar knows what comes in the next buckets, so these are prefetched, each step
// when what it needs has arrived. Most buckets have one event, and only the first is used.
static void look_ahead_row(const scree_event_system* s, int32_t i, bool spheres)
{
    const partners near = row_of(s, i);
    int32_t count = near.count < 32 ? near.count : 32;
    if (!spheres)
        for (int32_t e = 0; e < count; e += 16) {
            __builtin_prefetch(near.j + e);
            __builtin_prefetch(near.image + e);
        }
    else
        for (int32_t e = 0; e < count; ++e)
            __builtin_prefetch(&s->line[near.j[e]]);
}

static void look_ahead(const scree_event_system* s)
{
    const calendar* c = &s->calendar;
    int32_t at = c->current, i;
    if (at + 16 >= c->count)
        return;
    if ((i = c->first[at + 16]) >= 0)
        __builtin_prefetch(&s->due[i]);
    if ((i = c->first[at + 12]) >= 0) {
        int32_t j = s->due[i].partner;
        __builtin_prefetch(&s->line[i]);
        __builtin_prefetch(&s->rows.row[i]);
        __builtin_prefetch(&s->reference[i]);
        if (j >= 0) {
            __builtin_prefetch(&s->due[j]);
            __builtin_prefetch(&s->rows.row[j]);
            __builtin_prefetch(&s->reference[j]);
        }
    }
    if ((i = c->first[at + 8]) >= 0) {
        look_ahead_row(s, i, false);
        if (s->due[i].partner >= 0)
            look_ahead_row(s, s->due[i].partner, false);
    }
    if ((i = c->first[at + 4]) >= 0) {
        look_ahead_row(s, i, true);
        if (s->due[i].partner >= 0)
            look_ahead_row(s, s->due[i].partner, true);
    }
}

// Whether something of interest happened before `stop` (on the clock), after at most `most` events. *again: lists must be rebuilt.
static scree_status advance(scree_event_system* s, double stop, int64_t* collisions, int64_t most, bool* again)
{
    due* d = s->due;
    int32_t looked = -1;
    for (int64_t events = 0; events < most; ++events) {
        int32_t i = calendar_next(&s->calendar, d, s->id);
        if (s->calendar.current != looked && s->n > 16384) {
            looked = s->calendar.current;
            look_ahead(s);
        }
        if (i < 0 || d[i].t > stop) {
            s->now = isinf(stop) ? s->now : stop;
            return SCREE_OK;
        }
        s->now = d[i].t > s->now ? d[i].t : s->now;
        int32_t j = d[i].partner;
        if (j >= 0) {
            if (d[j].changes == d[i].stamp && collide(s, i, j, d[i].image)) {
                s->last = (scree_event_hit){.i = i, .j = j, .axis = -1, .time = s->epoch + s->now};
                ++s->work.collisions;
                --s->until_rebuild;
                predict(s, i);
                predict(s, j);
                if (--*collisions <= 0)
                    return SCREE_OK;
                if (s->until_rebuild <= 0) {
                    *again = true;
                    return SCREE_OK;
                }
            } else {
                predict(s, i);
            }
        } else if (j == due_wall) {
            int32_t wall = d[i].image;
            bool hit = bounce(s, i, wall);
            predict(s, i);
            if (hit) {
                ++s->work.wall_collisions;
                s->last = (scree_event_hit){.i = i, .j = -1, .axis = wall / 2, .side = wall % 2, .time = s->epoch + s->now};
                if (s->hit_wall || --s->wall_limit <= 0) {
                    *collisions = 0;
                    return SCREE_OK;
                }
                // Walls alone keep the clock going too, and times have to keep their digits.
                if (s->work.wall_collisions - s->listed_at.wall_collisions > 64 * (int64_t)s->n + 1000) {
                    *again = true;
                    return SCREE_OK;
                }
            }
        } else if (j == due_agenda) {
            predict(s, i);
        } else {
            scree_status status = event_lists_refresh(s, i);
            if (status != SCREE_OK || is_far(s, i)) {
                s->listed = status == SCREE_OK;
                *again = true;
                return status;
            }
            predict(s, i);
        }
    }
    return SCREE_OK;
}

// The clock's time at which the radii have this scale.
static double time_of_scale(const scree_event_system* s, double scale)
{
    if (!(s->rate > 0.0) || isinf(scale))
        return INFINITY;
    return fmax((scale - s->scale) / s->rate, s->now);
}

static scree_status run(scree_event_system* s, const scree_event_until* until)
{
    enum { events_per_tick = 65536 };
    int64_t collisions = until->collisions;
    double begin = s->epoch + s->now, scale_begin = event_scale_now(s);
    bool again = !s->listed || s->until_rebuild <= 0;
    if (s->n == 0)
        s->epoch = until->time < INFINITY ? fmax(s->epoch, until->time) : s->epoch;
    if (s->n == 0 || until->collisions <= 0)
        return SCREE_OK;
    bool walls_end_it = s->hit_wall || (s->walls && s->wall_limit < INT64_MAX / 2);  // it counts down, limit or none
    if (s->n == 1 && !walls_end_it && isinf(until->time) && !(s->rate > 0.0))
        return SCREE_OK;  // it never meets anybody
    for (;;) {
        if (again) {
            scree_status status = make_lists(s, collisions);
            if (status != SCREE_OK)
                return status;
            again = false;
        }
        double end = fmin(until->time - s->epoch, time_of_scale(s, fmin(until->scale, s->scale_most)));
        double renew = time_of_scale(s, s->list_scale);
        if (end <= s->now)
            return SCREE_OK;
        int64_t before = s->work.predictions;
        scree_status status = advance(s, fmin(end, renew), &collisions, events_per_tick, &again);
        if (status != SCREE_OK)
            return status;
        if (collisions <= 0)
            return SCREE_OK;
        if (!again && s->now >= end)
            return SCREE_OK;
        if (s->now >= renew)
            again = true;
        else if (!again && s->work.predictions == before)
            return SCREE_OK;  // nothing happens any more, and there is no end
        if (s->def.watch.tick != NULL) {
            double done = 1.0 - (double)collisions / (double)until->collisions, time = s->epoch + s->now;
            if (until->time < INFINITY)
                done = fmax(done, (time - begin) / (until->time - begin));
            if (until->scale < INFINITY)
                done = fmax(done, (event_scale_now(s) - scale_begin) / (until->scale - scale_begin));
            if (!s->def.watch.tick(s->def.watch.context, fmin(fmax(done, 0.0), 1.0)))
                return scree_fail(SCREE_ERR_CANCELLED, "hard spheres: stopped on request at time %g after %" PRId64 " collisions", time, s->work.collisions);
        }
    }
}

scree_status scree_event_run(scree_event_system* s, const scree_event_until* until)
{
    SCREE_NEED_AS(s, "system");
    SCREE_NEED(until);
    scree_status fits = scree_check_struct_size("hard spheres: until", "scree_default_event_until", until->struct_size, sizeof *until, sizeof *until);
    if (fits != SCREE_OK)
        return fits;
    if (isnan(until->time) || isnan(until->scale))
        return scree_fail(SCREE_ERR_ARGUMENT, "hard spheres: until.time = %g, until.scale = %g; expected numbers (INFINITY: no limit)", until->time, until->scale);
    s->hit_wall = false;
    return run(s, until);
}

SCREE_RESULT_OF(scree_event_hit, scree_event_next, (scree_event_system* s, double time, scree_event_hit* out), (s, time, out))
{
    SCREE_NEED(out);
    *out = (scree_event_hit){.i = -1, .j = -1, .axis = -1};
    SCREE_NEED_AS(s, "system");
    if (isnan(time))
        return scree_fail(SCREE_ERR_ARGUMENT, "hard spheres: time = %g; expected a number (INFINITY: no limit)", time);
    scree_event_until until = scree_default_event_until();
    until.time = time;
    until.collisions = 1;
    s->hit_wall = true;
    s->last = (scree_event_hit){.i = -1, .j = -1, .axis = -1};
    scree_status status = run(s, &until);
    *out = s->last;
    if (out->i >= 0)
        out->i = s->id[out->i];
    if (out->j >= 0)
        out->j = s->id[out->j];
    return status;
}
