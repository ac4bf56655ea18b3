// Which bodies touch: polygons and discs nearer than a gap, found from exact places, for the page to mark.
//
// The boxes of bodies and of their periodic images are sorted by their left ends and swept from left to right; boxes that meet are looked at closely: two
// polygons are nearer than the gap if two of their edges are, and overlap if edges cross or one holds a corner of the other. Each pair
// is found with one of the two at home and the other in an image; of the two ways to see it, the one with the lower number at home counts.
//
// Cost: sorting, and for each body those whose boxes begin within its width: O(n^1.5) for bodies of like size spread over a square. Then edges of one times
// edges of the other, of those in each other's box. That is for looking at frames, once each; simulations have a better search (src/polygon).
#include "view/bodies.h"

#include "base/array.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

static const double most_items = 2e7;

typedef struct item {  // a body, or an image of one
    int32_t body;
    int32_t image[2];   // 0, 0: at home
    double shift[2];    // from the corners as given
    double box[4];
} item;

void touching_free(touching* pairs)
{
    scree_free(pairs->i);
    scree_free(pairs->j);
    scree_free(pairs->gap);
    *pairs = (touching){0};
}

// ---- Two bodies ----------------------------------------------------------------------------------------------------

static double square_to_edge(const double a[2], const double b[2], const double x[2])
{
    double d[2] = {b[0] - a[0], b[1] - a[1]}, e[2] = {x[0] - a[0], x[1] - a[1]}, square = d[0] * d[0] + d[1] * d[1];
    double t = square > 0.0 ? fmin(fmax((d[0] * e[0] + d[1] * e[1]) / square, 0.0), 1.0) : 0.0;
    double px = e[0] - t * d[0], py = e[1] - t * d[1];
    return px * px + py * py;
}

static double side(const double a[2], const double b[2], const double x[2])
{
    return (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]);
}

static double square_between(const double a[2], const double b[2], const double c[2], const double d[2])
{
    double ac = side(a, b, c), ad = side(a, b, d), ca = side(c, d, a), cb = side(c, d, b);
    if (((ac > 0.0 && ad < 0.0) || (ac < 0.0 && ad > 0.0)) && ((ca > 0.0 && cb < 0.0) || (ca < 0.0 && cb > 0.0)))
        return 0.0;
    return fmin(fmin(square_to_edge(a, b, c), square_to_edge(a, b, d)), fmin(square_to_edge(c, d, a), square_to_edge(c, d, b)));
}

static scree_polygon polygon_of(const scree_outline_set* set, int32_t i)
{
    return (scree_polygon){.count = (int32_t)(set->first[i + 1] - set->first[i]), .xy = &set->xy[2 * set->first[i]]};
}

// Whether p, moved by `shift`, lies with one of its corners in q. If no edges cross, one corner decides; all are tested because of rounding.
static bool has_corner_in(scree_polygon p, const double shift[2], scree_polygon q, const double box[4])
{
    for (int32_t v = 0; v < p.count; ++v) {
        double x[2] = {p.xy[2 * v] + shift[0], p.xy[2 * v + 1] + shift[1]};
        if (x[0] >= box[0] && x[0] <= box[2] && x[1] >= box[1] && x[1] <= box[3] && scree_polygon_contains(q, x))
            return true;
    }
    return false;
}

static bool apart(const double a[2], const double b[2], const double box[4], double reach)
{
    return fmin(a[0], b[0]) > box[2] + reach || fmax(a[0], b[0]) < box[0] - reach || fmin(a[1], b[1]) > box[3] + reach ||
           fmax(a[1], b[1]) < box[1] - reach;
}

// The distance of the boundaries, if it is below `reach`; 0: they have a point in common. q is taken as it stands, p moved by `shift`; the box is q's.
static double between_edges(scree_polygon p, const double shift[2], scree_polygon q, const double box[4], double reach)
{
    double best = INFINITY;
    for (int32_t v = 0; v < p.count; ++v) {
        const double *from = &p.xy[2 * v], *to = &p.xy[v + 1 < p.count ? 2 * v + 2 : 0];
        double a[2] = {from[0] + shift[0], from[1] + shift[1]}, b[2] = {to[0] + shift[0], to[1] + shift[1]};
        if (apart(a, b, box, reach))
            continue;
        double edge[4] = {fmin(a[0], b[0]), fmin(a[1], b[1]), fmax(a[0], b[0]), fmax(a[1], b[1])};
        for (int32_t w = 0; w < q.count; ++w) {
            const double *c = &q.xy[2 * w], *d = &q.xy[w + 1 < q.count ? 2 * w + 2 : 0];
            if (!apart(c, d, edge, reach))
                best = fmin(best, square_between(a, b, c, d));
        }
    }
    return sqrt(best);
}

static double disc_gap(const scree_outline_set* set, int32_t i, const double x[2], double r)
{
    const double* c = &set->bodies.x[2 * (int64_t)i];
    if (body_is_disc(set, i))
        return hypot(x[0] - c[0], x[1] - c[1]) - set->bodies.r[i] - r;
    scree_polygon p = polygon_of(set, i);
    double away = scree_polygon_nearest(p, x, NULL, NULL) - r;
    return away <= 0.0 || scree_polygon_contains(p, x) ? 0.0 : away;
}

static double polygon_gap(const scree_outline_set* set, const item* one, const item* two, const double back[2], double reach)
{
    scree_polygon p = polygon_of(set, one->body), q = polygon_of(set, two->body);
    double box[4], other[4], forth[2] = {-back[0], -back[1]};  // boxes of the corners as given
    for (int k = 0; k < 4; ++k) {
        box[k] = one->box[k] - one->shift[k % 2];
        other[k] = two->box[k] - two->shift[k % 2];
    }
    double found = between_edges(q, back, p, box, reach);
    return found > 0.0 && (has_corner_in(q, back, p, box) || has_corner_in(p, forth, q, other)) ? 0.0 : found;
}

// The gap of two items whose boxes meet; INFINITY: they do not touch.
static double gap_of(const scree_outline_set* set, const item* one, const item* two, double gap)
{
    bool disc = body_is_disc(set, one->body), other_disc = body_is_disc(set, two->body);
    if (disc && !other_disc)
        return gap_of(set, two, one, gap);
    double back[2] = {two->shift[0] - one->shift[0], two->shift[1] - one->shift[1]};  // to where `one` stands as given
    const double* c = &set->bodies.x[2 * (int64_t)two->body];
    double found = other_disc ? disc_gap(set, one->body, (const double[2]){c[0] + back[0], c[1] + back[1]}, set->bodies.r[two->body])
                              : polygon_gap(set, one, two, back, fmax(gap, 0.0));
    return found < gap || (found == 0.0 && !disc) ? found : INFINITY;
}

// ---- All -----------------------------------------------------------------------------------------------------------

static bool is_periodic(const scree_outline_set* set, int k)
{
    return set->bodies.has_box && set->bodies.box.periodic[k];
}

// Boxes of all bodies with their centres in the box, and of the images that reach where bodies are.
static scree_status make_items(const scree_outline_set* set, double reach, item** out, int64_t* count)
{
    int32_t n = set->bodies.count;
    const scree_box* box = &set->bodies.box;
    item* items = scree_malloc((size_t)n, sizeof *items);
    *out = items;
    if (items == NULL)
        return SCREE_ERR_MEMORY;
    double lower[2] = {INFINITY, INFINITY}, upper[2] = {-INFINITY, -INFINITY}, length[2] = {0.0, 0.0}, total = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        items[i] = (item){.body = i};
        body_bounds(set, i, items[i].box);
        for (int k = 0; k < 2; ++k) {
            if (is_periodic(set, k)) {
                length[k] = box->upper[k] - box->lower[k];
                items[i].shift[k] = -floor((set->bodies.x[2 * (int64_t)i + k] - box->lower[k]) / length[k]) * length[k];
            }
            items[i].box[k] += items[i].shift[k];
            items[i].box[2 + k] += items[i].shift[k];
            lower[k] = fmin(lower[k], items[i].box[k] - reach);
            upper[k] = fmax(upper[k], items[i].box[2 + k] + reach);
        }
    }
    *count = n;
    int64_t room = n;
    for (int32_t i = 0; i < n && (length[0] > 0.0 || length[1] > 0.0); ++i) {
        item own = items[i];
        double from[2] = {0.0, 0.0}, to[2] = {0.0, 0.0};
        for (int k = 0; k < 2; ++k)
            if (length[k] > 0.0) {
                from[k] = ceil((lower[k] - own.box[2 + k]) / length[k]);
                to[k] = floor((upper[k] - own.box[k]) / length[k]);
            }
        total += (to[0] - from[0] + 1.0) * (to[1] - from[1] + 1.0);
        if (!(total <= most_items))
            return scree_fail(SCREE_ERR_ARGUMENT, "the bodies reach through too many images of the periodic box; expected at most %g", most_items);
        for (int32_t a = (int32_t)from[0]; a <= (int32_t)to[0]; ++a)
            for (int32_t b = (int32_t)from[1]; b <= (int32_t)to[1]; ++b) {
                if (a == 0 && b == 0)
                    continue;
                scree_status status = SCREE_RESERVE(items, room, *count + 1);
                *out = items;
                if (status != SCREE_OK)
                    return status;
                item* image = &items[(*count)++];
                *image = own;
                image->image[0] = a;
                image->image[1] = b;
                for (int k = 0; k < 4; ++k)
                    image->box[k] += image->image[k % 2] * length[k % 2];
                for (int k = 0; k < 2; ++k)
                    image->shift[k] += image->image[k] * length[k];
            }
    }
    return SCREE_OK;
}

// The order of the items by their left ends.
static scree_status sort_items(const item* items, int64_t count, uint32_t* order)
{
    int64_t *key = scree_malloc((size_t)count, sizeof *key), *spare = scree_malloc((size_t)count, sizeof *spare);
    uint32_t* spare_order = scree_malloc((size_t)count, sizeof *spare_order);
    bool fine = key != NULL && spare != NULL && spare_order != NULL;
    for (int64_t m = 0; m < count && fine; ++m) {
        int64_t bits;
        memcpy(&bits, &items[m].box[0], sizeof bits);
        key[m] = bits >= 0 ? bits : bits ^ INT64_MAX;  // rises with the double
        order[m] = (uint32_t)m;
    }
    if (fine)
        scree_sort_with(key, order, spare, spare_order, count);
    scree_free(key);
    scree_free(spare);
    scree_free(spare_order);
    return fine ? SCREE_OK : SCREE_ERR_MEMORY;
}

static scree_status look_at(const scree_outline_set* set, const item* one, const item* two, double gap, touching* out)
{
    const item *home = one->image[0] == 0 && one->image[1] == 0 ? one : two, *away = home == one ? two : one;
    if (home->image[0] != 0 || home->image[1] != 0)
        return SCREE_OK;
    bool both_home = away->image[0] == 0 && away->image[1] == 0;
    if (home->body > away->body && !both_home)
        return SCREE_OK;
    if (home->body == away->body && !(away->image[0] > 0 || (away->image[0] == 0 && away->image[1] > 0)))
        return SCREE_OK;
    if (home->body > away->body) {
        const item* swap = home;
        home = away;
        away = swap;
    }
    double found = gap_of(set, home, away, gap);
    if (!(found < INFINITY))
        return SCREE_OK;
    if (SCREE_RESERVE(out->i, out->i_room, out->count + 1) != SCREE_OK || SCREE_RESERVE(out->j, out->j_room, out->count + 1) != SCREE_OK ||
        SCREE_RESERVE(out->gap, out->gap_room, out->count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    out->i[out->count] = home->body;
    out->j[out->count] = away->body;
    out->gap[out->count++] = found;
    return SCREE_OK;
}

// About the nanoseconds of looking at two bodies: edges times edges.
static int64_t look_work(const scree_outline_set* set, const item* one, const item* two)
{
    return 100 + 4 * (set->first[one->body + 1] - set->first[one->body]) * (set->first[two->body + 1] - set->first[two->body]);
}

scree_status touching_find(const scree_outline_set* set, double gap, scree_watch watch, touching* out)
{
    *out = (touching){0};
    item* items = NULL;
    int64_t count = 0;
    double reach = fmax(gap, 0.0);
    int64_t work = scree_work_unasked;  // so that even a small set asks once
    scree_status status = make_items(set, reach, &items, &count);
    uint32_t* order = status == SCREE_OK ? scree_malloc((size_t)count, sizeof *order) : NULL;
    if (status == SCREE_OK)
        status = order != NULL ? sort_items(items, count, order) : SCREE_ERR_MEMORY;
    for (int64_t m = 0; m < count && status == SCREE_OK; ++m) {
        const item* one = &items[order[m]];
        work += 64;
        for (int64_t n = m + 1; n < count && items[order[n]].box[0] <= one->box[2] + reach && status == SCREE_OK; ++n) {
            const item* two = &items[order[n]];
            bool meet = two->box[1] <= one->box[3] + reach && two->box[3] >= one->box[1] - reach;
            work += meet ? look_work(set, one, two) : 4;
            if (work > scree_work_unasked) {
                work = 0;
                if (!scree_watch_goes_on(&watch, 0.0)) {
                    status = scree_fail(SCREE_ERR_CANCELLED, "stopped while looking for bodies that touch");
                    break;
                }
            }
            if (meet)
                status = look_at(set, one, two, gap, out);
        }
    }
    scree_free(order);
    scree_free(items);
    if (status != SCREE_OK)
        touching_free(out);
    return status;
}
