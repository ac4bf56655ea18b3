// Placed spheres, in one grid per octave of radius, so that a query searches each octave only within its own radius
// plus the largest radius of the octave. The final number of spheres is not known, so grids grow: cells finally have the length of the octave's largest diameter,
// are longer while there are few spheres, and an octave with more spheres than cells gets four times as many. Memory is O(n).
//
// A block of centres is excluded as a whole for radius r if its corner farthest from a sphere j is nearer than r + r_j. Conversely,
// min over j of (distance of the farthest corner - r_j) is the largest radius that may still fit, as far as single spheres show.
#include "pack/placed.h"

#include "base/array.h"
#include "geom/pair.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { fewest_cells = 64 };

// ---- Cells ---------------------------------------------------------------------------------------------------------

static int64_t clamp(double cell, int64_t cells)
{
    return cell < 0.0 ? 0 : cell > (double)(cells - 1) ? cells - 1 : (int64_t)cell;
}

static int64_t cell_of(const placed* s, const placed_octave* oc, const double* x)
{
    int64_t cell = 0;
    for (int k = s->p->dim - 1; k >= 0; --k)
        cell = cell * oc->cells[k] + clamp((x[k] - s->p->def->box.lower[k]) * oc->per_length[k], oc->cells[k]);
    return cell;
}

// A grid of at most `most` cells for the octave, with the spheres in it.
static scree_status make_cells(placed* s, placed_octave* oc, double most)
{
    placed_octave made = *oc;
    double longest = 0.0, product = INFINITY;
    for (int k = 0; k < s->p->dim; ++k)
        longest = fmax(longest, s->p->length[k]);
    double side = fmax(2.0 * oc->r_max, longest / most);
    made.finest = side == 2.0 * oc->r_max;
    for (;; side *= 1.05, made.finest = false) {
        product = 1.0;
        for (int k = 0; k < 3; ++k) {
            double cells = k < s->p->dim ? fmax(1.0, floor(s->p->length[k] / side)) : 1.0;
            product *= cells;
            made.cells[k] = (int64_t)cells;
            made.per_length[k] = k < s->p->dim && s->p->length[k] > 0.0 ? cells / s->p->length[k] : 1.0;
        }
        if (product <= most)
            break;
    }
    made.head = scree_malloc((size_t)product, sizeof *made.head);
    if (made.head == NULL)
        return SCREE_ERR_MEMORY;
    memset(made.head, 0xff, (size_t)product * sizeof *made.head);  // -1
    scree_free(oc->head);
    *oc = made;
    for (int32_t j = 0; j < s->count && oc->count > 0; ++j)
        if (s->xr[j][3] <= oc->r_max && s->xr[j][3] >= oc->r_least) {
            int64_t cell = cell_of(s, oc, s->xr[j]);
            s->next[j] = oc->head[cell];
            oc->head[cell] = j;
        }
    return SCREE_OK;
}

// The cells along an axis with centres nearer than `reach` to x. Wider by more than all rounding on the way.
typedef struct span {
    int64_t first, count;
} span;

static span span_of(const placed* s, const placed_octave* oc, int k, double x, double reach)
{
    double at = x - s->p->def->box.lower[k];
    double wide = reach * (1.0 + 1e-12) + 16.0 * DBL_EPSILON * (s->p->length[k] + fabs(s->p->def->box.lower[k]));
    double first = floor((at - wide) * oc->per_length[k]), last = floor((at + wide) * oc->per_length[k]);
    if (s->wrap[k] == 0.0) {
        double end = (double)(oc->cells[k] - 1);
        first = first > 0.0 ? first : 0.0;
        last = last < end ? last : end;
    } else if (last - first + 1.0 >= (double)oc->cells[k]) {
        return (span){0, oc->cells[k]};  // each of them once
    }
    return (span){(int64_t)first, (int64_t)(last - first) + 1};
}

static int64_t wrapped(int64_t cell, int64_t cells)
{
    return cell < 0 ? cell + cells : cell >= cells ? cell - cells : cell;
}

// ---- What is in the way --------------------------------------------------------------------------------------------

// The square of the farthest distance between the block and a sphere, through the image nearest to the middle.
static inline double farthest(const double offset[3], const double sphere[4], const double low[3], const double high[3])
{
    double d[3];
    for (int k = 0; k < 3; ++k) {
        double l = (low[k] - sphere[k]) - offset[k], h = (high[k] - sphere[k]) - offset[k];
        d[k] = fabs(l) > fabs(h) ? l : h;
    }
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];  // as in geom/pair.h
}

// What is to be added to the sphere's centre for the image nearest to the point, axis by axis.
static inline void nearest_image(const placed* s, const double x[3], const double sphere[4], double offset[3])
{
    for (int k = 0; k < 3; ++k) {
        double d = x[k] - sphere[k], turn = copysign(s->wrap[k], d);
        offset[k] = fabs(d - turn) < fabs(d) ? turn : 0.0;
    }
}

// What a sphere leaves of `room`, which is at most r; -1: nothing, also for `least`.
static inline double sphere_room(const placed* s, const double sphere[4], const placed_block* b, const double middle[3], double r, double least,
                                 bool* covered, double room)
{
    double offset[3];
    nearest_image(s, middle, sphere, offset);
    double square = farthest(offset, sphere, b->low, b->high), reach = r + sphere[3];
    if (!(square < reach * reach))
        return room;
    *covered = true;
    if (b->cut) {
        // A radius smaller by t is cut by t less on each axis, and the farthest corner at most sqrt(3) t farther.
        double spare = (reach - sqrt(square)) / 2.74;
        room = r - spare < room ? r - spare : room;
        square = farthest(offset, sphere, b->wide_low, b->wide_high);
    }
    reach = least + sphere[3];
    if (square < reach * reach)
        return -1.0;
    reach = room + sphere[3];
    return square < reach * reach ? sqrt(square) - sphere[3] : room;
}

// The same for the spheres of one cell, from j on.
static double cell_room(const placed* s, int32_t j, const placed_block* b, const double middle[3], double r, double least, bool* covered,
                        double room)
{
    for (; j >= 0 && room >= 0.0; j = s->next[j])
        room = sphere_room(s, s->xr[j], b, middle, r, least, covered, room);
    return room;
}

double placed_room(const placed* s, const placed_block* b, double r, double least)
{
    double middle[3], room = r;
    bool covered = false;
    for (int k = 0; k < 3; ++k)
        middle[k] = b->low[k] + 0.5 * (b->high[k] - b->low[k]);
    for (int o = 0; o < s->octave_count && !covered; ++o) {
        const placed_octave* oc = &s->octaves[o];
        if (oc->count == 0)
            continue;
        // The cell of the middle comes first: if anything is in the way of all, it is most likely there.
        room = cell_room(s, oc->head[cell_of(s, oc, middle)], b, middle, r, least, &covered, room);
        if (room < 0.0)
            return -1.0;
        span c[3] = {{0, 1}, {0, 1}, {0, 1}};
        for (int k = 0; k < s->p->dim; ++k)
            c[k] = span_of(s, oc, k, middle[k], r + oc->r_max);
        for (int64_t cz = 0; cz < c[2].count; ++cz) {
            int64_t plane = wrapped(c[2].first + cz, oc->cells[2]) * oc->cells[1];
            for (int64_t cy = 0; cy < c[1].count; ++cy) {
                int64_t row = (plane + wrapped(c[1].first + cy, oc->cells[1])) * oc->cells[0];
                for (int64_t cx = 0; cx < c[0].count; ++cx) {
                    room = cell_room(s, oc->head[row + wrapped(c[0].first + cx, oc->cells[0])], b, middle, r, least, &covered, room);
                    if (room < 0.0)
                        return -1.0;
                }
            }
        }
    }
    return covered ? fmin(room + s->margin, nextafter(r, 0.0)) : INFINITY;
}

int placed_near(const placed* s, const placed_block* b, double r, int32_t* near, int most)
{
    int found = 0;
    double middle[3], half[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = b->low[k] + 0.5 * (b->high[k] - b->low[k]);
        half[k] = b->high[k] - middle[k] + s->margin;
    }
    for (int o = 0; o < s->octave_count; ++o) {
        const placed_octave* oc = &s->octaves[o];
        if (oc->count == 0)
            continue;
        span c[3] = {{0, 1}, {0, 1}, {0, 1}};
        for (int k = 0; k < s->p->dim; ++k)
            c[k] = span_of(s, oc, k, middle[k], r + oc->r_max + half[k]);
        for (int64_t cz = 0; cz < c[2].count; ++cz) {
            int64_t plane = wrapped(c[2].first + cz, oc->cells[2]) * oc->cells[1];
            for (int64_t cy = 0; cy < c[1].count; ++cy) {
                int64_t row = (plane + wrapped(c[1].first + cy, oc->cells[1])) * oc->cells[0];
                for (int64_t cx = 0; cx < c[0].count; ++cx)
                    for (int32_t j = oc->head[row + wrapped(c[0].first + cx, oc->cells[0])]; j >= 0; j = s->next[j]) {
                        double offset[3], square = 0.0, reach = r + s->xr[j][3] + s->margin;
                        nearest_image(s, middle, s->xr[j], offset);
                        for (int k = 0; k < 3; ++k) {
                            double d = fabs((middle[k] - s->xr[j][k]) - offset[k]) - half[k];
                            square += d > 0.0 ? d * d : 0.0;
                        }
                        if (!(square < reach * reach))
                            continue;
                        if (found == most)
                            return -1;
                        near[found++] = j;
                    }
            }
        }
    }
    return found;
}

double placed_room_among(const placed* s, const int32_t* near, int count, const placed_block* b, double r, double least)
{
    double middle[3], room = r;
    bool covered = false;
    for (int k = 0; k < 3; ++k)
        middle[k] = b->low[k] + 0.5 * (b->high[k] - b->low[k]);
    for (int n = 0; n < count && room >= 0.0; ++n)
        room = sphere_room(s, s->xr[near[n]], b, middle, r, least, &covered, room);
    return room < 0.0 ? -1.0 : covered ? fmin(room + s->margin, nextafter(r, 0.0)) : INFINITY;
}

bool placed_is_taken(const placed* s, const double x[3], double r)
{
    placed_block point = {.low = {x[0], x[1], x[2]}, .high = {x[0], x[1], x[2]}};
    return placed_room(s, &point, r, r) < 0.0;
}

// ---- All of them ---------------------------------------------------------------------------------------------------

scree_status placed_open(placed* s, const placing* p, int32_t count, const double* r)
{
    *s = (placed){.p = p};
    double longest = 0.0;  // or farthest from the origin: ends of the space of centres are rounded there
    for (int k = 0; k < p->dim; ++k) {
        s->wrap[k] = p->def->box.periodic[k] ? p->length[k] : 0.0;
        longest = fmax(longest, fmax(p->length[k], fmax(fabs(p->def->box.lower[k]), fabs(p->def->box.upper[k]))));
    }
    s->margin = 32.0 * DBL_EPSILON * longest;
    int64_t capacity = 0;
    for (int32_t i = 0; i < count; ++i) {
        placed_octave* last = s->octave_count > 0 ? &s->octaves[s->octave_count - 1] : NULL;
        if (last != NULL && r[i] >= 0.5 * last->r_max) {
            last->r_least = r[i];
            continue;
        }
        scree_status status = SCREE_RESERVE(s->octaves, capacity, (int64_t)s->octave_count + 1);
        if (status == SCREE_OK) {
            s->octaves[s->octave_count] = (placed_octave){.r_max = r[i], .r_least = r[i]};
            status = make_cells(s, &s->octaves[s->octave_count], fewest_cells);
        }
        if (status != SCREE_OK)
            return status;
        ++s->octave_count;
    }
    return SCREE_OK;
}

void placed_free(placed* s)
{
    for (int o = 0; o < s->octave_count; ++o)
        scree_free(s->octaves[o].head);
    scree_free(s->octaves);
    scree_free(s->xr);
    scree_free(s->next);
}

scree_status placed_insert(placed* s, const double x[3], double r)
{
    if (s->count == INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: more than %" PRId32 " spheres fit in this box, the next of radius %g; expected fewer", s->p->what,
                          INT32_MAX, r);
    placed_octave* oc = s->octaves;
    while (r < oc->r_least)
        ++oc;
    double cells = (double)oc->cells[0] * (double)oc->cells[1] * (double)oc->cells[2];
    scree_status status = !oc->finest && oc->count > cells ? make_cells(s, oc, 4.0 * cells) : SCREE_OK;
    if (status == SCREE_OK)
        status = SCREE_RESERVE(s->xr, s->capacity, (int64_t)s->count + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(s->next, s->next_capacity, (int64_t)s->count + 1);
    if (status != SCREE_OK)
        return status;
    int64_t cell = cell_of(s, oc, x);
    memcpy(s->xr[s->count], (double[4]){x[0], x[1], x[2], r}, sizeof *s->xr);
    s->next[s->count] = oc->head[cell];
    oc->head[cell] = s->count++;
    ++oc->count;
    return SCREE_OK;
}
