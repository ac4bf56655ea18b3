// The lists of box ends, kept in order while all spheres move a little.
//
// One axis after the other: the ends get their new values in the order they had, and insertion sort puts right what is
// out of order. Each swap of a begin and an end is an event (box_meet); the four cases:
//
//     left  right  before the swap
//     begin begin  nothing                      end  begin   the two begin to meet on this axis
//     end   end    nothing                      begin end    they cease to
//
// The other axes are compared in their current state: the earlier ones are new, the later ones old. So after each axis the set
// contains the pairs of boxes that meet in every list in its current state, and at the end exactly the pairs that meet. A box that jumps over another
// begins to meet it before it ceases to, because its begin stands, and is sorted in, before its end.
//
// Not swapped through the list but taken out and put in again (`fresh`) are spheres whose images are others than before,
// because they came to a face, left it or went through; and spheres that moved by more than two of the widest boxes: a
// search for their partners is cheaper than all these swaps.
#include "index/sweep/box_lists.h"

#include "base/array.h"
#include "base/sort.h"
#include "geom/pair.h"

#include <inttypes.h>

// No pair reaches over more boxes (index.c). Boxes may, where rounding has the better of them.
enum { most_shift = 100 };

// ---- Boxes and ghosts ---------------------------------------------------------------------------------------------

scree_status box_lists_room(box_lists* l, int64_t n)
{
    if (n > box_word_number)
        return scree_fail(SCREE_ERR_MEMORY, "linear-list: %" PRId64 " spheres; expected at most %d", n,
                          (int)box_word_number);
    if (SCREE_RESERVE(l->box, l->box_capacity, n) != SCREE_OK || pair_set_widen(&l->pairs, n) != SCREE_OK ||
        (l->periodic && SCREE_RESERVE(l->crossing, l->crossing_capacity, n) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    for (; l->n < n; ++l->n) {
        l->box[l->n][0][0] = 1;
        l->box[l->n][0][1] = 0;
        if (l->periodic)
            l->crossing[l->n] = (box_crossing){.first = -1};
    }
    return SCREE_OK;
}

static scree_status add_ghost(box_lists* l, int32_t i, int k, int back)
{
    int32_t g = l->unused;
    if (g < 0) {
        if (l->ghost_count >= box_word_number)
            return scree_fail(SCREE_ERR_MEMORY, "linear-list: too many periodic images of boxes; expected at most %d", (int)box_word_number);
        if (SCREE_RESERVE(l->ghosts, l->ghost_capacity, l->ghost_count + 1) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        g = (int32_t)l->ghost_count++;
    } else {
        l->unused = l->ghosts[g].next;
    }
    l->ghosts[g] = (box_ghost){.owner = i, .next = l->crossing[i].first, .back = (int16_t)back, .axis = (int16_t)k};
    l->crossing[i].first = g;
    return SCREE_OK;
}

// Gives main image and ghosts of sphere i on axis k their ends.
static void set_ends(box_lists* l, int64_t i, int k)
{
    const box_axis* a = &l->axis[k];
    double x = l->it->xr[i][k], r = box_half(l, i, k);
    int image = l->periodic ? l->crossing[i].image[k] : 0;
    box_ends(a, x, r, image, l->box[i][k]);
    for (int32_t g = box_first_ghost(l, i); g >= 0; g = l->ghosts[g].next)
        if (l->ghosts[g].axis == k)
            box_ends(a, x, r, image - l->ghosts[g].back, l->ghosts[g].end);
}

static double length_of(const int64_t end[2])
{
    return box_value(end[1]) - box_value(end[0]);
}

// Ghosts too: they are rounded at other places than the main image, and may come out a last bit longer.
void box_lists_widen(box_lists* l, int64_t i, int k)
{
    double* widest = &l->list[k].widest;
    *widest = fmax(*widest, length_of(l->box[i][k]));
    for (int32_t g = box_first_ghost(l, i); g >= 0; g = l->ghosts[g].next)
        if (l->ghosts[g].axis == k)
            *widest = fmax(*widest, length_of(l->ghosts[g].end));
}

scree_status box_lists_settle(box_lists* l, int32_t i)
{
    scree_status status = SCREE_OK;
    for (int k = 0; k < l->dim; ++k) {
        int image, ghosts;
        box_images(&l->axis[k], l->it->xr[i][k], box_half(l, i, k), &image, &ghosts);
        if (l->axis[k].periodic)
            l->crossing[i].image[k] = (int16_t)image;
        for (int back = 1; back <= ghosts && status == SCREE_OK; ++back)
            status = add_ghost(l, i, k, back);
    }
    if (status != SCREE_OK) {
        box_lists_unsettle(l, i);
        return status;
    }
    for (int k = 0; k < l->dim; ++k) {
        set_ends(l, i, k);
        box_lists_widen(l, i, k);
    }
    ++l->here;
    return SCREE_OK;
}

void box_lists_unsettle(box_lists* l, int32_t i)
{
    for (int32_t g = box_first_ghost(l, i); g >= 0; g = box_first_ghost(l, i)) {
        l->crossing[i].first = l->ghosts[g].next;
        l->ghosts[g].owner = -1;
        l->ghosts[g].next = l->unused;
        l->unused = g;
    }
    l->here -= box_is_in(l, i);
    l->box[i][0][0] = 1;
    l->box[i][0][1] = 0;
}

bool box_lists_same_images(const box_lists* l, int64_t i)
{
    for (int k = 0; k < l->dim; ++k) {
        if (!l->axis[k].periodic)
            continue;
        int image, ghosts, had = 0;
        box_images(&l->axis[k], l->it->xr[i][k], box_half(l, i, k), &image, &ghosts);
        for (int32_t g = l->crossing[i].first; g >= 0; g = l->ghosts[g].next)
            had += l->ghosts[g].axis == k;
        if (image != l->crossing[i].image[k] || ghosts != had)
            return false;
    }
    return true;
}

// ---- Events -------------------------------------------------------------------------------------------------------

typedef struct meeting {
    box_lists* l;
    int32_t p, q;
    int event;     // the axis where it happened
    bool begins;
    int shift[3];
} meeting;

static void meet_on(meeting* m, int k);

static void meet_with(meeting* m, int k, int shift)
{
    if (shift < -most_shift || shift > most_shift)
        return;
    m->shift[k] = shift;
    meet_on(m, k + 1);
}

// All shifts on axis k and those after it with which the two spheres meet.
static void meet_on(meeting* m, int k)
{
    box_lists* l = m->l;
    if (k == m->event)
        ++k;
    if (k >= l->dim) {
        if (m->p == m->q && m->shift[0] == 0 && m->shift[1] == 0 && m->shift[2] == 0)
            return;
        if (!m->begins)
            pair_set_remove(&l->pairs, m->p, m->q, m->shift);
        else if (l->status == SCREE_OK)
            l->status = pair_set_add(&l->pairs, m->p, m->q, m->shift);
        return;
    }
    const int64_t *p = l->box[m->p][k], *q = l->box[m->q][k];
    const box_crossing *a = &l->crossing[m->p], *b = &l->crossing[m->q];
    int between = b->image[k] - a->image[k];
    if (box_meets(p, q))
        meet_with(m, k, between);
    for (int32_t g = b->first; g >= 0; g = l->ghosts[g].next)
        if (l->ghosts[g].axis == k && box_meets(p, l->ghosts[g].end))
            meet_with(m, k, between - l->ghosts[g].back);
    for (int32_t g = a->first; g >= 0; g = l->ghosts[g].next)
        if (l->ghosts[g].axis == k && box_meets(q, l->ghosts[g].end))
            meet_with(m, k, between + l->ghosts[g].back);
}

// The same where at least one of the two has ghosts.
static void meet_with_care(box_lists* l, int k, uint32_t a, uint32_t b, bool begins)
{
    if ((a & b & box_word_ghost) != 0)
        return;  // a main image and a ghost say it too
    meeting m = {.l = l, .p = box_owner(l, a), .q = box_owner(l, b), .event = k, .begins = begins};
    m.shift[k] = box_image(l, b, k) - box_image(l, a, k);
    if (m.shift[k] >= -most_shift && m.shift[k] <= most_shift)
        meet_on(&m, 0);
}

static inline void meet(box_lists* l, int k, uint32_t a, uint32_t b, bool begins)
{
    if (((a | b) & box_word_care) != 0) {
        meet_with_care(l, k, a, b, begins);
        return;
    }
    const int64_t (*p)[2] = (const int64_t(*)[2])l->box[a], (*q)[2] = (const int64_t(*)[2])l->box[b];
    int other = k == 0 ? 1 : 0, third = l->dim == 2 ? other : 3 - k - other;
    if (!(box_meets(p[other], q[other]) & box_meets(p[third], q[third])))
        return;
    const int none[3] = {0, 0, 0};
    if (!begins)
        pair_set_remove(&l->pairs, (int32_t)a, (int32_t)b, none);
    else if (l->status == SCREE_OK)
        l->status = pair_set_add(&l->pairs, (int32_t)a, (int32_t)b, none);
}

void box_meet(box_lists* l, int k, uint32_t a, uint32_t b, bool begins)
{
    meet(l, k, a, b, begins);
}

// ---- All have moved -----------------------------------------------------------------------------------------------

// What the sorts may cost before it is cheaper to start again: a swap costs as much as some sixteen tests of a sweep.
static int64_t most_swaps(const box_lists* l)
{
    int64_t ends = 0;
    for (int k = 0; k < l->dim; ++k)
        ends += l->list[k].count;
    return l->sweep_tests / 16 + 16 * ends;
}

// Marks the spheres that are to be taken out and put in again.
static scree_status find_fresh(box_lists* l)
{
    if (SCREE_RESERVE(l->fresh, l->fresh_capacity, l->n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    l->fresh_count = 0;
    for (int64_t i = 0; i < l->n; ++i) {
        bool far = false;
        for (int k = 0; k < l->dim; ++k) {
            int image = l->periodic ? l->crossing[i].image[k] : 0;
            double begin = box_begin(&l->axis[k], l->it->xr[i][k], box_half(l, i, k), image);
            far = far || fabs(begin - box_value(l->box[i][k][0])) > 2.0 * l->list[k].widest;
        }
        l->fresh[i] = far || !box_lists_same_images(l, i);
        if (l->fresh[i]) {
            if (SCREE_RESERVE(l->fresh_list, l->fresh_list_capacity, l->fresh_count + 1) != SCREE_OK)
                return SCREE_ERR_MEMORY;
            l->fresh_list[l->fresh_count++] = (int32_t)i;
        }
    }
    return SCREE_OK;
}

// What the searches for the partners of the fresh would cost, in ends to look at.
static double fresh_cost(const box_lists* l)
{
    double least = 1.0;
    for (int k = 0; k < l->dim && l->list[k].count > 0; ++k) {
        double all = box_value(l->list[k].key[l->list[k].count - 1]) - box_value(l->list[k].key[0]);
        least = fmin(least, 3.0 * l->list[k].widest / all);
    }
    return (double)l->fresh_count * (least * 2.0 * (double)l->n + 100.0);
}

static void take_out_fresh(box_lists* l)
{
    if (l->fresh_count > 0)
        pair_set_remove_marked(&l->pairs, l->fresh);
    for (int64_t f = 0; f < l->fresh_count; ++f)
        box_lists_unsettle(l, l->fresh_list[f]);
}

// The new ends of axis k, into the boxes and then into the list, in the order that this has. Drops what is fresh.
static void renew_ends(box_lists* l, int k)
{
    box_list* list = &l->list[k];
    list->widest = 0.0;
    for (int64_t i = 0; i < l->n; ++i)
        if (!l->fresh[i]) {
            set_ends(l, i, k);
            box_lists_widen(l, i, k);
        }
    int64_t kept = 0;
    for (int64_t e = 0; e < list->count; ++e) {
        uint32_t word = list->word[e];
        int64_t which = list->key[e] & 1;
        if ((word & box_word_care) == 0) {
            if (l->fresh[word])
                continue;
            list->key[kept] = l->box[word][k][which];
        } else {
            int32_t owner = box_owner(l, word);
            if (owner < 0 || l->fresh[owner])
                continue;
            list->key[kept] = box_interval(l, word, k)[which];
        }
        list->word[kept++] = word;
    }
    list->count = kept;
}

// Insertion sort with its events. False: more than `most` swaps in total; the list is then in disorder.
static bool sort_axis(box_lists* l, int k, int64_t most)
{
    box_list* list = &l->list[k];
    int64_t* key = list->key;
    uint32_t *word = list->word, *met = l->spare_word;
    for (int64_t e = 1; e < list->count; ++e) {
        int64_t own = key[e], at = e, count = 0;
        if (key[e - 1] < own)
            continue;
        uint32_t own_word = word[e];
        // First all swaps, noting who is of the other kind; then these.
        for (; at > 0 && key[at - 1] > own; --at) {
            key[at] = key[at - 1];
            word[at] = word[at - 1];
            met[count] = word[at];
            count += (key[at] ^ own) & 1;
        }
        key[at] = own;
        word[at] = own_word;
        l->swaps += e - at;
        l->box_tests += count;
        bool begins = (own & 1) == 0;
        for (int64_t t = 0; t < count; ++t)
            meet(l, k, own_word, met[t], begins);
        if (l->swaps > most)
            return false;
    }
    return true;
}

// Puts the ends of the fresh on axis k into the spare arrays, sorted. MEMORY.
static scree_status collect_fresh(box_lists* l, int k, int64_t* count)
{
    *count = 0;
    for (int64_t f = 0; f < l->fresh_count; ++f) {
        int32_t i = l->fresh_list[f];
        int64_t wanted = *count + 2;
        for (int32_t g = box_first_ghost(l, i); g >= 0; g = l->ghosts[g].next)
            wanted += 2 * (l->ghosts[g].axis == k);
        // Twice as much: the sort needs room too.
        if (SCREE_RESERVE(l->spare_key, l->spare_key_capacity, 2 * wanted) != SCREE_OK ||
            SCREE_RESERVE(l->spare_word, l->spare_word_capacity, 2 * wanted) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        for (int which = 0; which < 2; ++which) {
            l->spare_key[*count] = l->box[i][k][which];
            l->spare_word[(*count)++] = box_word_of(l, i);
        }
        for (int32_t g = box_first_ghost(l, i); g >= 0; g = l->ghosts[g].next)
            for (int which = 0; which < 2 && l->ghosts[g].axis == k; ++which) {
                l->spare_key[*count] = l->ghosts[g].end[which];
                l->spare_word[(*count)++] = box_word_of_ghost(g);
            }
    }
    if (*count > 0)
        scree_sort_with(l->spare_key, l->spare_word, l->spare_key + *count, l->spare_word + *count, *count);
    return SCREE_OK;
}

// Settles the fresh and merges their ends into the lists, from the back.
static scree_status put_in_fresh(box_lists* l)
{
    for (int64_t f = 0; f < l->fresh_count; ++f)
        if (box_lists_settle(l, l->fresh_list[f]) != SCREE_OK)
            return SCREE_ERR_MEMORY;
    for (int k = 0; k < l->dim; ++k) {
        box_list* list = &l->list[k];
        int64_t more, old = list->count;
        if (collect_fresh(l, k, &more) != SCREE_OK ||
            SCREE_RESERVE(list->key, list->key_capacity, old + more) != SCREE_OK ||
            SCREE_RESERVE(list->word, list->word_capacity, old + more) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        list->count = old + more;
        for (int64_t to = list->count - 1; more > 0; --to) {
            bool from_old = old > 0 && list->key[old - 1] > l->spare_key[more - 1];
            list->key[to] = from_old ? list->key[--old] : l->spare_key[--more];
            list->word[to] = from_old ? list->word[old] : l->spare_word[more];
        }
    }
    return SCREE_OK;
}

// Updates the lists to the spheres of `it`. `done` false: this would cost more than starting again, and the lists are
// in disorder.
static scree_status follow(box_lists* l, bool* done)
{
    *done = false;
    if (find_fresh(l) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    int64_t most = most_swaps(l);
    if (fresh_cost(l) > (double)most)
        return SCREE_OK;
    take_out_fresh(l);
    l->status = SCREE_OK;
    for (int k = 0; k < l->dim; ++k) {
        if (SCREE_RESERVE(l->spare_word, l->spare_word_capacity, l->list[k].count) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        renew_ends(l, k);
        if (!sort_axis(l, k, most) || l->status != SCREE_OK)
            return l->status;
    }
    if (put_in_fresh(l) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t f = 0; f < l->fresh_count; ++f)
        if (box_lists_connect(l, l->fresh_list[f]) != SCREE_OK)
            return SCREE_ERR_MEMORY;
    *done = true;
    return SCREE_OK;
}

scree_status box_lists_update(box_lists* l, const items* it)
{
    bool can = l->ready && l->n == it->n && l->dim == it->dim, done = false;
    for (int k = 0; k < it->dim && can; ++k)
        can = l->axis[k].periodic == it->periodic[k] &&
              (!it->periodic[k] || (l->axis[k].lower == it->lower[k] && l->axis[k].length == it->length[k]));
    l->swaps = l->box_tests = 0;
    l->ready = false;
    scree_status status = SCREE_OK;
    if (can) {
        l->it = it;
        for (int k = 0; k < it->dim; ++k)
            l->axis[k] = box_axis_of(it, k);
        status = follow(l, &done);
    }
    if (status == SCREE_OK && !done)
        status = box_lists_sort(l, it);
    l->ready = status == SCREE_OK;
    return status;
}

// ---- The rest -----------------------------------------------------------------------------------------------------

// In order, and each end of each interval just once. `seen`: a zero for each sphere and ghost.
static scree_status check_list(const box_lists* l, int k, uint8_t* seen)
{
    const box_list* list = &l->list[k];
    int64_t wanted = 2 * l->here;
    for (int64_t g = 0; g < l->ghost_count; ++g)
        wanted += 2 * (l->ghosts[g].owner >= 0 && l->ghosts[g].axis == k);
    for (int64_t e = 0; e < list->count; ++e) {
        uint32_t word = list->word[e];
        int32_t owner = box_owner(l, word);
        if (e > 0 && list->key[e - 1] > list->key[e])
            return scree_fail(SCREE_ERR_ARGUMENT, "linear-list: end %" PRId64 " of axis %c is out of order; expected ascending ends", e,
                              "xyz"[k]);
        if (owner < 0 || owner >= l->n || !box_is_in(l, owner) ||
            list->key[e] != box_interval(l, word, k)[list->key[e] & 1] ||
            ((word & box_word_ghost) != 0 && l->ghosts[word & box_word_number].axis != k) ||
            ((word & box_word_ghost) == 0 && word != box_word_of(l, owner)))
            return scree_fail(SCREE_ERR_ARGUMENT, "linear-list: end %" PRId64 " of axis %c differs from its sphere; expected an end of the sphere's box", e,
                              "xyz"[k]);
        uint8_t* mark = &seen[(word & box_word_ghost) != 0 ? l->n + (word & box_word_number) : owner];
        if ((*mark & 1 << (list->key[e] & 1)) != 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "linear-list: end %" PRId64 " of axis %c is there twice; expected it once", e,
                              "xyz"[k]);
        *mark = (uint8_t)(*mark | 1 << (list->key[e] & 1));
    }
    if (list->count != wanted)
        return scree_fail(SCREE_ERR_ARGUMENT, "linear-list: axis %c has %" PRId64 " ends; expected %" PRId64, "xyz"[k],
                          list->count, wanted);
    return SCREE_OK;
}

// Counts the pairs of boxes of i with j >= i by brute force, and looks each up.
typedef struct brute_force {
    const box_lists* l;
    int32_t i, j;
    int64_t count;
    int shift[3];
    bool missing;
} brute_force;

static void count_on(brute_force* b, int k)
{
    const box_lists* l = b->l;
    if (k == l->dim) {
        const int* s = b->shift;
        if (b->i == b->j && !scree_shift_is_ahead(s[0], s[1], s[2]))
            return;
        ++b->count;
        b->missing = b->missing || !pair_set_has(&l->pairs, b->i, b->j, s);
        return;
    }
    const box_axis* a = &l->axis[k];
    if (box_first_ghost(l, b->i) < 0 && box_first_ghost(l, b->j) < 0) {
        b->shift[k] = 0;
        if (box_meets(l->box[b->i][k], l->box[b->j][k]))
            count_on(b, k + 1);
        return;
    }
    // Every image against every image that there is, of each shift the highest two.
    int image[2], ghosts[2];
    double x[2] = {l->it->xr[b->i][k], l->it->xr[b->j][k]}, r[2] = {box_half(l, b->i, k), box_half(l, b->j, k)};
    for (int e = 0; e < 2; ++e)
        box_images(a, x[e], r[e], &image[e], &ghosts[e]);
    for (int s = image[1] - ghosts[1] - image[0]; s <= image[1] - image[0] + ghosts[0]; ++s) {
        int high = image[0] < image[1] - s ? image[0] : image[1] - s;
        int64_t own[2], other[2];
        box_ends(a, x[0], r[0], high, own);
        box_ends(a, x[1], r[1], high + s, other);
        b->shift[k] = s;
        if (high >= image[0] - ghosts[0] && high + s >= image[1] - ghosts[1] && s >= -most_shift && s <= most_shift &&
            box_meets(own, other))
            count_on(b, k + 1);
    }
}

// All rows, or some dozens where that would take too long.
static scree_status check_pairs(const box_lists* l)
{
    int64_t step = l->n <= 2000 ? 1 : l->n / 40, count = 0;
    for (int64_t i = 0; i < l->n; i += step) {
        if (!box_is_in(l, i))
            continue;
        for (int64_t j = step == 1 ? i : 0; j < l->n; ++j) {
            brute_force b = {.l = l, .i = (int32_t)i, .j = (int32_t)j};
            if (box_is_in(l, j))
                count_on(&b, 0);
            count += b.count;
            if (b.missing)
                return scree_fail(SCREE_ERR_ARGUMENT,
                                  "linear-list: the boxes of %" PRId64 " and %" PRId64 " meet and are not a pair; expected one", i, j);
        }
    }
    if (step == 1 && count != l->pairs.count)
        return scree_fail(SCREE_ERR_ARGUMENT, "linear-list: %" PRId64 " pairs of boxes; expected %" PRId64,
                          l->pairs.count, count);
    return SCREE_OK;
}

// Whether what is kept of sphere i is what its centre and radius give.
static bool is_true(const box_lists* l, int64_t i)
{
    bool same = box_lists_same_images(l, i);
    int64_t end[2];
    for (int k = 0; k < l->dim; ++k) {
        const box_axis* a = &l->axis[k];
        double x = l->it->xr[i][k], r = box_half(l, i, k);
        int image = l->periodic ? l->crossing[i].image[k] : 0;
        box_ends(a, x, r, image, end);
        same = same && memcmp(end, l->box[i][k], sizeof end) == 0;
        for (int32_t g = box_first_ghost(l, i); g >= 0; g = l->ghosts[g].next) {
            box_ends(a, x, r, image - l->ghosts[g].back, end);
            same = same && (l->ghosts[g].axis != k || memcmp(end, l->ghosts[g].end, sizeof end) == 0);
        }
    }
    return same;
}

scree_status box_lists_check(const box_lists* l)
{
    scree_status status = pair_set_check(&l->pairs);
    for (int64_t i = 0; i < l->n && status == SCREE_OK; ++i)
        if (box_is_in(l, i) && !is_true(l, i))
            status = scree_fail(SCREE_ERR_ARGUMENT, "linear-list: the box of sphere %" PRId64 " differs; expected that of its centre and radius", i);
    for (int k = 0; k < l->dim && status == SCREE_OK; ++k) {
        uint8_t* seen = scree_calloc((size_t)(l->n + l->ghost_count), sizeof *seen);
        status = seen == NULL ? SCREE_ERR_MEMORY : check_list(l, k, seen);
        scree_free(seen);
    }
    return status == SCREE_OK ? check_pairs(l) : status;
}

size_t box_lists_bytes(const box_lists* l)
{
    size_t bytes = pair_set_bytes(&l->pairs) + (size_t)l->box_capacity * sizeof *l->box +
                   (size_t)l->crossing_capacity * sizeof *l->crossing + (size_t)l->ghost_capacity * sizeof *l->ghosts +
                   (size_t)l->spare_key_capacity * sizeof *l->spare_key +
                   (size_t)l->spare_word_capacity * sizeof *l->spare_word + (size_t)l->rank_capacity * sizeof *l->rank +
                   (size_t)l->active.capacity * 5 * sizeof(int32_t) + (size_t)l->fresh_capacity * sizeof *l->fresh +
                   (size_t)l->fresh_list_capacity * sizeof *l->fresh_list;
    for (int k = 0; k < 3; ++k)
        bytes += (size_t)l->list[k].key_capacity * sizeof *l->list[k].key +
                 (size_t)l->list[k].word_capacity * sizeof *l->list[k].word;
    return bytes;
}

void box_lists_free(box_lists* l)
{
    pair_set_free(&l->pairs);
    scree_free(l->box);
    scree_free(l->crossing);
    scree_free(l->ghosts);
    scree_free(l->spare_key);
    scree_free(l->spare_word);
    scree_free(l->rank);
    scree_free(l->active.lo[0]);
    scree_free(l->fresh);
    scree_free(l->fresh_list);
    for (int k = 0; k < 3; ++k) {
        scree_free(l->list[k].key);
        scree_free(l->list[k].word);
    }
    *l = (box_lists){.one_by_one = l->one_by_one, .pairs.rows = l->pairs.rows};
}
