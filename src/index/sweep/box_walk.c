// The lists one sphere at a time: put in, taken out, shifted along, and who is near.
//
// An end is found by bisection. Putting in and taking out moves the rest of the list by one place, O(n) bytes; shifting
// costs one swap for each end that is passed, with the same events as when all move.
//
// Who meets an interval [lo, hi] is found by a walk along one list, from lo less the widest box to hi, looking at
// begins:
//
//     ..b........b...b..|..b....b..e..|..             O(ends in reach + widest box) on the axis where these are fewest
//       lo - widest     lo            hi
#include "index/sweep/box_lists.h"

#include "base/array.h"
#include "geom/pair.h"

// ---- Places in a list ---------------------------------------------------------------------------------------------

// How many keys are less than this one.
static int64_t bisect(const box_list* list, int64_t key)
{
    int64_t first = 0, count = list->count;
    while (count > 0) {
        int64_t half = count / 2;
        if (list->key[first + half] < key) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

static int64_t place_of(const box_list* list, int64_t key, uint32_t word)
{
    int64_t e = bisect(list, key);
    while (list->word[e] != word)  // among equal keys
        ++e;
    return e;
}

// There is room.
static void put_end(box_list* list, int64_t key, uint32_t word)
{
    int64_t e = bisect(list, key);
    memmove(list->key + e + 1, list->key + e, (size_t)(list->count - e) * sizeof *list->key);
    memmove(list->word + e + 1, list->word + e, (size_t)(list->count - e) * sizeof *list->word);
    list->key[e] = key;
    list->word[e] = word;
    ++list->count;
}

static void take_end(box_list* list, int64_t key, uint32_t word)
{
    int64_t e = place_of(list, key, word);
    --list->count;
    memmove(list->key + e, list->key + e + 1, (size_t)(list->count - e) * sizeof *list->key);
    memmove(list->word + e, list->word + e + 1, (size_t)(list->count - e) * sizeof *list->word);
}

// ---- Walks --------------------------------------------------------------------------------------------------------

// Ends first .. last-1 are those that a walk for this interval passes.
static void walk_range(const box_lists* l, int k, const int64_t end[2], int64_t* first, int64_t* last)
{
    double lo = box_value(end[0]), widest = l->list[k].widest;
    // Less what rounding could do to `widest` and to the difference.
    double from = (lo - widest) - 4.0 * DBL_EPSILON * (fabs(lo) + widest);
    *first = bisect(&l->list[k], box_key(from) & ~INT64_C(1));
    *last = bisect(&l->list[k], end[1]);
}

typedef void (*visitor)(void* context, int k, uint32_t word);

// Calls for each interval that meets this one on axis k. Only for main ones if this is a ghost.
static void walk(const box_lists* l, int k, const int64_t end[2], bool ghost, visitor visit, void* context)
{
    const box_list* list = &l->list[k];
    int64_t first, last;
    walk_range(l, k, end, &first, &last);
    for (int64_t e = first; e < last; ++e) {
        uint32_t word = list->word[e];
        if ((list->key[e] & 1) != 0 || (ghost && (word & box_word_ghost) != 0))
            continue;
        if (box_interval(l, word, k)[1] > end[0])
            visit(context, k, word);
    }
}

typedef struct connecting {
    box_lists* l;
    uint32_t word;
} connecting;

static void connect(void* context, int k, uint32_t word)
{
    connecting* c = context;
    if (word != c->word || (word & box_word_care) != 0)
        box_meet(c->l, k, c->word, word, true);
}

scree_status box_lists_connect(box_lists* l, int32_t i)
{
    int best = 0;
    int64_t least = INT64_MAX;
    for (int k = 0; k < l->dim; ++k) {
        int64_t first, last, length = 0;
        walk_range(l, k, l->box[i][k], &first, &last);
        length = last - first;
        for (int32_t g = box_first_ghost(l, i); g >= 0; g = l->ghosts[g].next) {
            if (l->ghosts[g].axis != k)
                continue;
            walk_range(l, k, l->ghosts[g].end, &first, &last);
            length += last - first;
        }
        if (length < least) {
            least = length;
            best = k;
        }
    }
    l->status = SCREE_OK;
    l->box_tests += least;
    connecting c = {.l = l, .word = box_word_of(l, i)};
    walk(l, best, l->box[i][best], false, connect, &c);
    for (int32_t g = box_first_ghost(l, i); g >= 0; g = l->ghosts[g].next)
        if (l->ghosts[g].axis == best) {
            c.word = box_word_of_ghost(g);
            walk(l, best, l->ghosts[g].end, true, connect, &c);
        }
    return l->status;
}

// ---- In and out ---------------------------------------------------------------------------------------------------

typedef void (*end_action)(box_list* list, int64_t key, uint32_t word);

// For both ends of all intervals of sphere i, on all axes.
static void each_end(box_lists* l, int32_t i, end_action act)
{
    for (int k = 0; k < l->dim; ++k)
        for (int which = 0; which < 2; ++which)
            act(&l->list[k], l->box[i][k][which], box_word_of(l, i));
    for (int32_t g = box_first_ghost(l, i); g >= 0; g = l->ghosts[g].next)
        for (int which = 0; which < 2; ++which)
            act(&l->list[l->ghosts[g].axis], l->ghosts[g].end[which], box_word_of_ghost(g));
}

static scree_status reserve_ends(box_lists* l, int32_t i)
{
    for (int k = 0; k < l->dim; ++k) {
        box_list* list = &l->list[k];
        int64_t count = list->count + 2;
        for (int32_t g = box_first_ghost(l, i); g >= 0; g = l->ghosts[g].next)
            count += 2 * (l->ghosts[g].axis == k);
        if (SCREE_RESERVE(list->key, list->key_capacity, count) != SCREE_OK ||
            SCREE_RESERVE(list->word, list->word_capacity, count) != SCREE_OK)
            return SCREE_ERR_MEMORY;
    }
    return SCREE_OK;
}

scree_status box_lists_insert(box_lists* l, int32_t i)
{
    if (box_lists_room(l, (int64_t)i + 1) != SCREE_OK || box_lists_settle(l, i) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (reserve_ends(l, i) != SCREE_OK) {
        box_lists_unsettle(l, i);
        return SCREE_ERR_MEMORY;
    }
    each_end(l, i, put_end);
    if (box_lists_connect(l, i) == SCREE_OK)
        return SCREE_OK;
    box_lists_remove(l, i);
    return SCREE_ERR_MEMORY;
}

void box_lists_remove(box_lists* l, int32_t i)
{
    pair_set_remove_of(&l->pairs, i);
    each_end(l, i, take_end);
    box_lists_unsettle(l, i);
}

// ---- Shifting -----------------------------------------------------------------------------------------------------

// Brings one end to its new place, with an event for each end of the other kind that it passes: a begin that goes left
// or an end that goes right meets them, else it leaves them.
static void shift_end(box_lists* l, int k, int64_t from, int64_t to, uint32_t word)
{
    box_list* list = &l->list[k];
    int64_t e = place_of(list, from, word), start = e;
    int step = to < from ? -1 : 1;
    bool begins = (to < from) == ((to & 1) == 0);
    for (int64_t next = e + step; next >= 0 && next < list->count; next += step) {
        if (step < 0 ? list->key[next] <= to : list->key[next] >= to)
            break;
        list->key[e] = list->key[next];
        list->word[e] = list->word[next];
        if (((list->key[e] ^ to) & 1) != 0)
            box_meet(l, k, word, list->word[e], begins);
        e = next;
    }
    list->key[e] = to;
    list->word[e] = word;
    l->swaps += e > start ? e - start : start - e;
}

// What widens the interval comes first, so that a box that it jumps over is met before it is left.
static void shift_interval(box_lists* l, int k, int64_t end[2], const int64_t to[2], uint32_t word)
{
    int first = to[0] < end[0] ? 0 : 1;
    for (int t = 0; t < 2; ++t) {
        int which = t == 0 ? first : 1 - first;
        shift_end(l, k, end[which], to[which], word);
        end[which] = to[which];
    }
}

static void shift(box_lists* l, int32_t i, int k)
{
    const box_axis* a = &l->axis[k];
    double x = l->it->xr[i][k], r = box_half(l, i, k);
    int image = l->periodic ? l->crossing[i].image[k] : 0;
    int64_t to[2];
    box_ends(a, x, r, image, to);
    shift_interval(l, k, l->box[i][k], to, box_word_of(l, i));
    for (int32_t g = box_first_ghost(l, i); g >= 0; g = l->ghosts[g].next)
        if (l->ghosts[g].axis == k) {
            box_ends(a, x, r, image - l->ghosts[g].back, to);
            shift_interval(l, k, l->ghosts[g].end, to, box_word_of_ghost(g));
        }
    box_lists_widen(l, i, k);
}

scree_status box_lists_move(box_lists* l, int32_t i)
{
    bool far = !box_lists_same_images(l, i);
    for (int k = 0; k < l->dim && !far; ++k) {
        int image = l->periodic ? l->crossing[i].image[k] : 0;
        double begin = box_begin(&l->axis[k], l->it->xr[i][k], box_half(l, i, k), image);
        far = fabs(begin - box_value(l->box[i][k][0])) > 2.0 * l->list[k].widest;
    }
    if (far) {
        box_lists_remove(l, i);
        return box_lists_insert(l, i);
    }
    l->status = SCREE_OK;
    for (int k = 0; k < l->dim; ++k)
        shift(l, i, k);
    if (l->status == SCREE_OK)
        return SCREE_OK;
    box_lists_remove(l, i);
    return SCREE_ERR_MEMORY;
}

// ---- Who is near --------------------------------------------------------------------------------------------------

typedef struct asking {
    const box_lists* l;
    const double* xr;
    int32_t own;
    int image;  // of the one who asks, on the axis of the walk
    sink* to;
} asking;

static void try_shift(const asking* a, int32_t j, const int s[3])
{
    const items* it = a->l->it;
    const double offset[3] = {s[0] * it->length[0], s[1] * it->length[1], s[2] * it->length[2]};
    if (j == a->own && s[0] == 0 && s[1] == 0 && s[2] == 0)
        return;
    ++a->to->tests;
    if (scree_is_pair(a->xr, it->xr[j], offset, it->gap))
        sink_put_near(a->to, a->own, j, s[0], s[1], s[2]);
}

// All shifts of j on the other axes that could be: |d - s L| < reach.
static void try_sphere(void* context, int k, uint32_t word)
{
    const asking* a = context;
    const items* it = a->l->it;
    int32_t j = box_owner(a->l, word);
    double reach = a->xr[3] + it->xr[j][3] + it->gap;
    int first[3] = {0, 0, 0}, last[3] = {0, 0, 0}, s[3];
    for (int m = 0; m < it->dim; ++m) {
        double d = a->xr[m] - it->xr[j][m];
        if (!it->periodic[m]) {
            if (fabs(d) >= reach)
                return;
        } else if (m != k) {
            first[m] = (int)floor((d - reach) / it->length[m]);
            last[m] = (int)ceil((d + reach) / it->length[m]);
        }
    }
    first[k] = last[k] = box_image(a->l, word, k) - a->image;
    for (s[0] = first[0]; s[0] <= last[0]; ++s[0])
        for (s[1] = first[1]; s[1] <= last[1]; ++s[1])
            for (s[2] = first[2]; s[2] <= last[2]; ++s[2])
                try_shift(a, j, s);
}

// The pairs of its boxes hold all that a sphere in its place can touch.
static void near_by_row(const box_lists* l, int32_t own, sink* to)
{
    const pair_set* set = &l->pairs;
    asking a = {.l = l, .xr = l->it->xr[own], .own = own, .to = to};
    for (int32_t hand = set->first[own]; hand >= 0; hand = set->links[hand / 2].next[hand % 2]) {
        const pair_entry* e = &set->entries[hand / 2];
        int sign = hand % 2 == 0 ? 1 : -1;
        const int s[3] = {sign * e->shift[0], sign * e->shift[1], sign * e->shift[2]};
        try_shift(&a, hand % 2 == 0 ? e->j : e->i, s);
    }
}

void box_lists_near(const box_lists* l, const double xr[4], int32_t own, sink* to)
{
    if (own >= 0 && own < l->n && box_is_in(l, own) && memcmp(xr, l->it->xr[own], sizeof l->it->xr[own]) == 0) {
        near_by_row(l, own, to);
        return;
    }
    int best = 0, image[3], ghosts[3];
    int64_t end[2], least = INT64_MAX;
    for (int k = 0; k < l->dim; ++k) {
        int64_t first, last, length = 0;
        box_images(&l->axis[k], xr[k], xr[3], &image[k], &ghosts[k]);
        for (int back = 0; back <= ghosts[k]; ++back) {
            box_ends(&l->axis[k], xr[k], xr[3], image[k] - back, end);
            walk_range(l, k, end, &first, &last);
            length += last - first;
        }
        if (length < least) {
            least = length;
            best = k;
        }
    }
    to->box_tests += least;
    asking a = {.l = l, .xr = xr, .own = own, .to = to};
    for (int back = 0; back <= ghosts[best]; ++back) {
        a.image = image[best] - back;
        box_ends(&l->axis[best], xr[best], xr[3], a.image, end);
        walk(l, best, end, back > 0, try_sphere, &a);
    }
}
