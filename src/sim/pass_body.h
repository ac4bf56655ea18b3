// One span of a pass (sim_inner.h says what a pass is). Compiled twice: pass_plain.c for any machine, pass_avx2.c for those that
// have AVX2. Before this is included, the file defines
//
//     static int32_t find_contacts(const sim_pass*, const int32_t (*ij)[2], const int8_t (*shift)[3], int32_t count, int32_t* out);
//     static void integrate(const sim_pass*, int64_t first, int64_t last, sim_rows f, sim_rows t, block_result*);  // no t: nothing turns
//
//     #define PASS_GRAINS(GRAIN) SIM_GRAINS(GRAIN)        // the laws of parts that get functions of their own; the others share one
//
// the two loops over many spheres that wide instructions speed up, and which laws are worth the size. Both versions of each do the same operations in the same order for
// each sphere, so that the bits are the same.
#ifndef SCREE_SIM_PASS_BODY_H
#define SCREE_SIM_PASS_BODY_H

#include "base/clock.h"
#include "sim/grains.h"
#include "sim/sums_four.h"

#include <string.h>

// `first`: 0 for forces, 3 for torques.
static inline void add_to_giant(const sim_pass* pass, int32_t rank, int first, const int64_t quanta[3], bool minus, bool fits, sim_desk* desk)
{
    int32_t g = sim_giant_number(pass, rank);
    int64_t* sums = desk->sums[g] + first;
    for (int k = 0; k < 3 && fits; ++k)
        fits = minus ? !__builtin_sub_overflow(sums[k], quanta[k], &sums[k]) : !__builtin_add_overflow(sums[k], quanta[k], &sums[k]);
    if (!fits)
        desk->overflow = g;
}

// A contact with a giant, or of two. In own rows i is in the span, in incoming ones j is. Its force counts once: where a partner is that is no giant, and in
// the row of i where there is none.
static inline bool counts_here(const sim_pass* pass, int32_t j, bool incoming, int32_t end)
{
    bool second = pass->x[j][3] >= pass->giant_radius;
    return incoming ? !second : second || j < end;
}

static inline void add_giant(const sim_pass* pass, int32_t i, int32_t j, double force[3], int32_t begin, sim_desk* desk)
{
    int64_t quanta[3];
    bool fits = giant_round(pass, force, quanta);
    if (pass->x[i][3] >= pass->giant_radius)
        add_to_giant(pass, i, 0, quanta, false, fits, desk);
    else
        for (int k = 0; k < 3; ++k)
            sim_at(desk->f, i - begin)[k] += force[k];
    if (pass->x[j][3] >= pass->giant_radius)
        add_to_giant(pass, j, 0, quanta, true, fits, desk);
    else
        for (int k = 0; k < 3; ++k)
            sim_at(desk->f, j - begin)[k] -= force[k];
}

// Candidates first .. last-1: own rows of a block, or those that come into a span.
typedef struct strip {
    const int32_t (*ij)[2];
    const int8_t (*shift)[3];
    const int32_t* slot;  // of own rows, where contacts remember: from `base` on
    int64_t base;
    int64_t first, last;
} strip;

// Forces of candidates on the spheres begin to end - 1 of a span: on i unless they are incoming, on j if it is in the span. How many contacts there are. A sphere that
// touches its own image is pushed from both sides alike. What contacts remember goes on in own rows only.
static inline __attribute__((always_inline)) int64_t add_pairs(const sim_pass* pass, law_normal normal, bool damped, bool giants, bool incoming, const strip* rows,
                                                               int64_t block, int32_t begin, int32_t end, sim_desk* desk)
{
    const sim_law law = pass->law;  // a copy of its own: stores of forces cannot change it
    int32_t found[sim_strip + 4];  // find_contacts writes four at once
    int64_t contacts = 0;
    int32_t live = 0;
    const law_parts parts = single_parts(normal, damped, &law);
    const int words = grain_layout_of(parts).words;
    const bool keeps = words > 0 && !incoming && pass->mode != SIM_REST, cell_sums = giants && pass->cell_sums && !incoming;
    const sim_rows f = desk->f;
    if (keeps)
        memset(pass->pair_slots.slot_next + rows->first, 0xff, (size_t)(rows->last - rows->first) * sizeof *pass->pair_slots.slot_next);
    for (int64_t c = rows->first; c < rows->last; c += sim_strip) {
        int32_t count = rows->last - c < sim_strip ? (int32_t)(rows->last - c) : sim_strip;
        count = find_contacts(pass, rows->ij + c, rows->shift == NULL ? NULL : rows->shift + c, count, found);
        contacts += count;
        for (int32_t e = 0; e < count; ++e) {
            int64_t at = c + found[e];
            int32_t i = rows->ij[at][0], j = rows->ij[at][1];
            bool giant = giants && (pass->x[i][3] >= pass->giant_radius || pass->x[j][3] >= pass->giant_radius);
            if (words == 0 && !cell_sums && (i == j || (giant && !counts_here(pass, j, incoming, end))))
                continue;
            double memory[law_words_most];
            pair_contact contact;
            if (words > 0)
                slot_read(&pass->pair_slots, incoming ? pass->in_row[at] : at, pass->pair_base[incoming ? i / sim_block : block], words, memory);
            if (!contact_of_pair(pass, &law, parts, i, j, rows->shift == NULL ? NULL : rows->shift[at], memory, &contact)) {
                --contacts;
                continue;
            }
            if (keeps)
                slot_write(&pass->pair_slots, at, rows->first, &live, words, memory);
            if (cell_sums && cell_counts(pass, i, j))
                cell_add(pass, desk, (double[3]){contact.push * contact.d[0], contact.push * contact.d[1], contact.push * contact.d[2]},
                         (double[3]){contact.d[0], contact.d[1], contact.d[2]}, contact.distance, contact.overlap);
            if ((words > 0 || cell_sums) && (i == j || (giant && !counts_here(pass, j, incoming, end))))
                continue;
            four force = contact.push * contact.d, sum;
            if (giant) {
                add_giant(pass, i, j, (double[3]){force[0], force[1], force[2]}, begin, desk);
                continue;
            }
            if (!incoming) {
                four_load(&sum, sim_at(f, i - begin));
                sum += force;
                four_store(&sum, sim_at(f, i - begin));
            }
            if (j < end) {  // and in the span: begin <= i < j, or it came in
                four_load(&sum, sim_at(f, j - begin));
                sum -= force;
                four_store(&sum, sim_at(f, j - begin));
            }
        }
    }
    return contacts;
}

// ---- Laws of parts ---------------------------------------------------------------------------------------------------

// The torque of a contact on one of its two: -(arm) n x friction, and `twist` or its opposite.
static inline __attribute__((always_inline)) void torque_of(law_parts parts, const grain_batch* batch, int c, bool first, four* out)
{
    four torque = FOUR(0.0), part;
    if (parts.tangential) {
        four_load(&part, batch->turn[c]);
        torque = -(batch->arm[first ? 0 : 1][c] * part);
    }
    if (grain_twists(parts)) {
        four_load(&part, batch->twist[c]);
        torque = first ? torque + part : torque - part;
    }
    *out = torque;
}

static inline __attribute__((always_inline)) void add_to(double sum[4], const four* more)
{
    four now;
    four_load(&now, sum);
    now += *more;
    four_store(&now, sum);
}

static inline void add_giant_torque(const sim_pass* pass, int32_t rank, const four* torque, int32_t begin, sim_desk* desk)
{
    int64_t quanta[3];
    double value[3] = {(*torque)[0], (*torque)[1], (*torque)[2]};
    if (pass->x[rank][3] >= pass->giant_radius) {
        bool fits = round_to(pass->torque_quantum, pass->per_torque, value, quanta);
        add_to_giant(pass, rank, 3, quanta, false, fits, desk);
    } else {
        add_to(sim_at(desk->t, rank - begin), torque);
    }
}

_Static_assert(owners == 4, "energies of a contact by owner are a row of four");

typedef struct grain_sums {
    four_sums rate, lost;  // by owner
} grain_sums;

static inline __attribute__((always_inline)) void account(const sim_pass* pass, const grain_batch* batch, int c, bool wall, grain_sums* sums, block_result* result)
{
    if (pass->law.parts.bridge && batch->before[c] == grain_nothing)
        energy_add(&pass->scales, ENERGY_LOST + OWNER_NORMAL, sim_formed(pass, batch->i[c], batch->j[c], wall, batch->overlap[c]), &result->sums);
    if (batch->shifted && pass->drives)
        cell_add_image(pass, batch->force[c], batch->shift[c], &result->sums);
    four rate, lost;
    four_load(&rate, batch->rate[c]);
    four_load(&lost, batch->lost[c]);
    four_add(&pass->scales.power, &rate, &sums->rate);
    four_add(&pass->scales.energy, &lost, &sums->lost);
}

// sum_most contacts at most are added before this.
static inline void account_put(grain_sums* sums, block_result* result)
{
    for (int owner = 0; owner < owners; ++owner) {
        sim_sum rate = four_sum_of(&sums->rate, owner, &result->sums.beyond), lost = four_sum_of(&sums->lost, owner, &result->sums.beyond);
        sum_join(&result->sums.of[ENERGY_RATE + owner], &rate);
        sum_join(&result->sums.of[ENERGY_LOST + owner], &lost);
    }
    *sums = (grain_sums){.rate = {.beyond = {0}}};
}

// Force and torques of a contact with a giant, or of two.
static inline void add_grain_of_giant(const sim_pass* pass, law_parts parts, const grain_batch* batch, int c, int32_t begin, sim_desk* desk)
{
    int32_t i = batch->i[c], j = batch->j[c];
    const double* force = batch->force[c];
    four torque;
    if (i != j)
        add_giant(pass, i, j, (double[3]){force[0], force[1], force[2]}, begin, desk);
    for (int first = 1; first >= 0 && grain_turns(parts); --first) {
        torque_of(parts, batch, c, first, &torque);
        add_giant_torque(pass, first ? i : j, &torque, begin, desk);
    }
}

// Force and torque of a contact on one of its two, whose row of forces is `sum`; torques stand behind forces. `other`: the two are not the same sphere. Its own image
// pushes a sphere from both sides alike, but turns it the same way round twice.
static inline __attribute__((always_inline)) void add_to_one(law_parts parts, const grain_batch* batch, int c, bool first, bool other, double* sum)
{
    four force, torque;
#if defined(LANES_EIGHT)
    if (other && parts.tangential && !grain_twists(parts)) {  // both at once, by the same products and signs
        enum { torques = 0xf0 };
        __m512d row = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(batch->force[c])), _mm256_loadu_pd(batch->turn[c]), 1);
        __m512d share = _mm512_mask_mov_pd(_mm512_set1_pd(first ? 1.0 : -1.0), torques, _mm512_set1_pd(-batch->arm[first ? 0 : 1][c]));
        _mm512_store_pd(sum, _mm512_add_pd(_mm512_load_pd(sum), _mm512_mul_pd(row, share)));
        return;
    }
#endif
    four_load(&force, batch->force[c]);
    force = first ? force : -force;
    if (other)
        add_to(sum, &force);
    if (grain_turns(parts)) {
        torque_of(parts, batch, c, first, &torque);
        add_to(sum + 4, &torque);
    }
}

// Forces and torques of the contacts of a batch that hold, in their order.
static inline __attribute__((always_inline)) void add_batch(const sim_pass* pass, law_parts parts, bool giants, bool incoming, const grain_batch* batch, int32_t begin, int32_t end,
                                                            sim_desk* desk)
{
    const sim_rows f = {.at = desk->f.at, .twice = grain_turns(parts) ? 1 : desk->f.twice};
    const int count = batch->count;
    for (int c = 0; c < count; ++c) {
        const int32_t i = batch->i[c], j = batch->j[c];
        if (grain_reaches(parts) && !batch->holds[c])
            continue;
        if (giants && (pass->x[i][3] >= pass->giant_radius || pass->x[j][3] >= pass->giant_radius)) {
            if (counts_here(pass, j, incoming, end))
                add_grain_of_giant(pass, parts, batch, c, begin, desk);
            continue;
        }
        if (!incoming)
            add_to_one(parts, batch, c, true, i != j, sim_at(f, i - begin));
        if (j < end)
            add_to_one(parts, batch, c, false, i != j, sim_at(f, j - begin));
    }
}

// Contacts that ended in this step: what their springs held is lost.
static inline void account_ended(const sim_pass* pass, const sim_slots* slots, int64_t base, int64_t first, int64_t last, bool walls, block_result* result)
{
    int words = pass->law.row.words;
    for (int64_t row = first; row < last; ++row) {
        double memory[law_words_most], lost[owners];
        if (slots->slot[row] < 0 || slots->slot_next[row] >= 0 || (!walls && !cell_counts(pass, pass->ij[row][0], pass->ij[row][1])))
            continue;
        slot_read(slots, row, base, words, memory);
        sim_ended(pass, walls ? pass->near[row].rank : pass->ij[row][0], walls ? pass->near[row].boundary : pass->ij[row][1], walls, memory, lost);
        for (int owner = 0; owner < owners; ++owner)
            energy_add(&pass->scales, ENERGY_LOST + owner, lost[owner], &result->sums);
    }
}

// Whether any of these candidates has one. Most strips have none.
static inline bool has_shifts(const int8_t (*shift)[3], int64_t count)
{
    const int8_t* at = shift[0];
    int8_t any = 0;
    for (int64_t k = 0; k < 3 * count; ++k)
        any |= at[k];
    return any != 0;
}

enum { grain_strip = 1024 };  // candidates of laws of parts that are tested together. Each strip ends with a batch that is not full: longer than sim_strip

// Contacts of a strip; room for eight more. Those who find eight at a time (pass_avx512.c) find places and radii too.
typedef struct grain_found {
    int32_t place[grain_strip + 8];
#if defined(LANES_EIGHT)
    int32_t i[grain_strip + 8], j[grain_strip + 8], slot[grain_strip + 8];
    double between[3][grain_strip + 8], radius[2][grain_strip + 8];
#endif
} grain_found;

#if defined(LANES_EIGHT)
#include "sim/find_avx512.h"
enum { finds_places = 1 };
#else
enum { finds_places = 0 };
#endif

// The contacts among the rows c to c + count - 1; the last is repeated for places without a contact. `slot_next`: numbers their next slots, from `live` on; only if finds_places.
static inline __attribute__((always_inline)) int32_t find_grains(const sim_pass* pass, const strip* rows, int64_t c, const int8_t (*shift)[3], int32_t* slot_next, int32_t live, int32_t count,
                                                                 grain_found* out)
{
#if defined(LANES_EIGHT)
    return find_eight(pass, rows->ij + c, shift, rows->slot == NULL ? NULL : rows->slot + c, slot_next == NULL ? NULL : slot_next + c, live, count, rows->last - c, out);
#else
    (void)slot_next;
    (void)live;
    count = find_contacts(pass, rows->ij + c, shift, count, out->place);
    for (int k = 0; k < lane_count && count > 0; ++k)
        out->place[count + k] = out->place[count - 1];
    return count;
#endif
}

// What the batch of contacts at `at` reads first.
static inline __attribute__((always_inline)) void begin_batch(const sim_pass* pass, int words, bool incoming, const strip* rows, int64_t c, const int8_t (*shift)[3], const grain_found* found, int32_t at, grain_batch* batch)
{
    const int32_t* places = found->place + at;
    batch->shifted = shift != NULL;
    for (int k = 0; k < lane_count && shift != NULL; ++k)
        batch->shift[k] = shift[places[k]];
#if defined(LANES_EIGHT)
    take_eight(found, at, batch);
    if (words > 0 && !incoming) {
        slots_of_eight(&pass->pair_slots, found->slot + at, rows->base, words, batch);
        return;
    }
#else
    for (int k = 0; k < lane_count; ++k) {
        const int32_t* ij = rows->ij[c + places[k]];
        batch->i[k] = ij[0];
        batch->j[k] = ij[1];
    }
#endif
    for (int k = 0; k < lane_count; ++k) {
        int64_t row = c + places[k];
        batch->before[k] = words == 0 ? grain_nothing
                                      : slot_of(&pass->pair_slots, incoming ? pass->in_row[row] : row, incoming ? pass->pair_base[batch->i[k] / sim_block] : rows->base, words, grain_nothing);
    }
}

// What the later stages read of the second sphere of each contact: velocities with spins, and the predicted ones.
static inline __attribute__((always_inline)) void prefetch_seconds(sim_rows v, sim_rows p, const int32_t j[lane_count])
{
    for (int k = 0; k < lane_count; ++k) {
        __builtin_prefetch(grain_row_of(v, true, j[k]));
        __builtin_prefetch(grain_row_of(p, true, j[k]));
    }
}

// Of the first spheres some contacts later: their rows follow each other, but they are many short stretches of memory, in which the machine's own fetching begins too late.
static inline __attribute__((always_inline)) void prefetch_firsts(sim_rows v, sim_rows p, int32_t i)
{
    enum { later = 16, most = 3 };  // a batch has the rows of about three spheres
    for (int k = later; k < later + most; ++k) {
        __builtin_prefetch(grain_row_of(v, true, i + k));
        __builtin_prefetch(grain_row_of(p, true, i + k));
    }
}

// Sums of forces of the second spheres, which the contacts of a batch are added to.
static inline __attribute__((always_inline)) void prefetch_sums(const sim_desk* desk, const int32_t j[lane_count], int32_t begin, int32_t end)
{
    for (int k = 0; k < lane_count; ++k)
        __builtin_prefetch(grain_row_of(desk->f, true, (j[k] < end ? j[k] : begin) - begin), 1);
}

// Whether what contacts remember goes past the caches, where all of it does not fit into them: 0.91 of the time of a step of 125,000 spheres with friction. The next step reads it once.
#if defined(LANES_EIGHT)
static inline bool writes_past(const sim_pass* pass)
{
    return pass->n >= sim_past_from && (uintptr_t)pass->pair_slots.words_next % sizeof(__m256d) == 0;
}

static inline __attribute__((always_inline)) void write_words(double* to, bool past, int words, const double* in)
{
    for (int w = 0; past && words % 4 == 0 && w < words; w += 4)
        _mm256_stream_pd(to + w, _mm256_loadu_pd(in + w));
    for (int w = 0; past && words % 4 != 0 && w < words; ++w) {  // contacts follow each other, so that they fill lines too
        long long word;
        memcpy(&word, in + w, sizeof word);
        _mm_stream_si64((long long*)(to + w), word);
    }
    if (!past)
        memcpy(to, in, (size_t)words * sizeof *in);
}

static inline void words_written(void)
{
    _mm_sfence();  // before other threads see that it is done
}
#else
static inline bool writes_past(const sim_pass* pass)
{
    (void)pass;
    return false;
}
#define write_words(to, past, words, in) memcpy(to, in, (size_t)(words) * sizeof *(in))
#define words_written() ((void)0)
#endif

// What the first contacts of the next strip read: without it they wait for memory, and a step of 125,000 spheres takes 1.06 of the time.
static inline __attribute__((always_inline)) void prefetch_strip(sim_rows v, sim_rows p, const int32_t (*ij)[2], int64_t count)
{
    enum { most = 40 };
    for (int64_t k = 0; k < (count < most ? count : most); ++k) {
        const int32_t j = ij[k][1];
        __builtin_prefetch(grain_row_of(v, true, j));
        __builtin_prefetch(grain_row_of(p, true, j));
    }
}

static inline __attribute__((always_inline)) int64_t add_grains(const sim_pass* pass, law_parts parts, bool advance, bool incoming, const strip* rows, int32_t begin, int32_t end,
                                                                sim_desk* desk, block_result* result)
{
    enum { most = grain_group * lane_count };
    const int words = grain_layout_of(parts).words;
    const bool keeps = words > 0 && !incoming && advance, cell_sums = pass->cell_sums && !incoming;
    const bool past = keeps && writes_past(pass);
    const bool numbered = keeps && finds_places && !grain_reaches(parts);  // every contact that is found holds, and has its slot at once
    const sim_slots slots = pass->pair_slots;
    const sim_rows v = pass->v, p = pass->law.damped ? pass->p : v;
    int32_t live = 0;
    int64_t contacts = 0, put = 0;
    lanes with[law_values], known[2] = {ALL(-1.0), ALL(0.0)};  // no inverse mass is below 0
    grain_batch group[grain_group];
    grain_found found;
    grain_sums sums = {.rate = {.beyond = {0}}};
    grain_spread(&pass->law.one, with);
    if (keeps && !numbered)
        memset(pass->pair_slots.slot_next + rows->first, 0xff, (size_t)(rows->last - rows->first) * sizeof *pass->pair_slots.slot_next);
    for (int64_t c = rows->first; c < rows->last; c += grain_strip) {
        int32_t count = rows->last - c < grain_strip ? (int32_t)(rows->last - c) : grain_strip;
        const int8_t (*shift)[3] = rows->shift != NULL && has_shifts(rows->shift + c, count) ? rows->shift + c : NULL;
        count = find_grains(pass, rows, c, shift, numbered ? slots.slot_next : NULL, live, count, &found);
        if (parts.accounts && !incoming && contacts - put > sum_most - grain_strip) {
            account_put(&sums, result);
            put = contacts;
        }
        for (int32_t e = 0; e < count; e += most) {
            int here = count - e < most ? count - e : most, batches = (here + lane_count - 1) / lane_count;
            for (int b = 0; b < batches; ++b) {
                grain_batch* batch = &group[b];
                batch->count = here - b * lane_count < lane_count ? here - b * lane_count : lane_count;
                begin_batch(pass, words, incoming, rows, c, shift, &found, e + b * lane_count, batch);
                batch->after = numbered && batch->count == lane_count && words % 4 == 0 ? slots.words_next + (rows->first + live + b * lane_count) * words : NULL;
                batch->past = past;
                if (grain_turns(parts) && (e == 0 || !finds_places))
                    prefetch_seconds(v, p, batch->j);
#if defined(LANES_EIGHT)
                batch->ahead = grain_turns(parts) && e + most + b * lane_count < count ? found.j + e + most + b * lane_count : NULL;
#endif
                if (grain_turns(parts) && finds_places) {
                    prefetch_sums(desk, batch->j, begin, end);
                    if (!incoming)
                        prefetch_firsts(v, p, batch->i[lane_count - 1]);
                }
                for (int k = 0; k < words * lane_count; k += 8) {  // a cache line
                    __builtin_prefetch(batch->before[0] + k);
                    if (keeps && !past)
                        __builtin_prefetch(slots.words_next + (rows->first + live + b * lane_count) * words + k, 1);
                }
            }
            if (grain_turns(parts) && finds_places && e + most >= count && c + grain_strip < rows->last)
                prefetch_strip(v, p, rows->ij + c + grain_strip, rows->last - c - grain_strip);
            grains_of_pairs(pass, with, known, parts, advance, false, finds_places, group, batches);
            for (int b = 0; b < batches; ++b) {
                const grain_batch* batch = &group[b];
                const int lanes_here = batch->count;
                if (batch->after != NULL && !parts.accounts && !cell_sums) {
                    contacts += lanes_here;
                    live += lanes_here;
                    continue;
                }
                for (int k = 0; k < lanes_here; ++k) {
                    if (grain_reaches(parts) && !batch->holds[k])
                        continue;
                    ++contacts;
                    if (keeps) {
                        if (batch->after == NULL)
                            write_words(slots.words_next + (rows->first + live) * words, past, words, batch->words[k]);
                        if (!numbered)
                            slots.slot_next[c + found.place[e + b * lane_count + k]] = live;
                        ++live;
                    }
                    if (parts.accounts && !incoming && cell_counts(pass, batch->i[k], batch->j[k]))
                        account(pass, batch, k, false, &sums, result);
                    if (cell_sums && cell_counts(pass, batch->i[k], batch->j[k]))
                        cell_add(pass, desk, batch->force[k], (double[3]){batch->between.x[k], batch->between.y[k], batch->between.z[k]}, batch->distance[k], batch->in.overlap[k]);
                }
            }
            for (int b = 0; b < batches; ++b)
                if (pass->giant_count > 0)
                    add_batch(pass, parts, true, incoming, &group[b], begin, end, desk);
                else
                    add_batch(pass, parts, false, incoming, &group[b], begin, end, desk);
        }
    }
    if (parts.accounts && !incoming)
        account_put(&sums, result);
    if (past)
        words_written();
    if (keeps && parts.accounts)
        account_ended(pass, &pass->pair_slots, rows->base, rows->first, rows->last, false, result);
    return contacts;
}

static inline __attribute__((always_inline)) void add_grain_walls(const sim_pass* pass, law_parts parts, int64_t block, int32_t begin, sim_desk* desk, block_result* result)
{
    const int words = grain_layout_of(parts).words;
    const bool keeps = words > 0 && pass->mode != SIM_REST, turns = grain_turns(parts);
    int64_t first = pass->near_first[block], last = pass->near_first[block + 1];
    int32_t live = 0;
    lanes with[law_values];
    grain_sums sums = {.rate = {.beyond = {0}}};
    grain_spread(&pass->law.one, with);
    if (keeps)
        memset(pass->wall_slots.slot_next + first, 0xff, (size_t)(last - first) * sizeof *pass->wall_slots.slot_next);
    for (int64_t e = first; e < last;) {
        grain_batch batch;
        int64_t at[lane_count];
        batch.count = 0;
        batch.shifted = false;
        batch.after = NULL;
        for (; e < last && batch.count < lane_count; ++e) {
            near_wall near = pass->near[e];
            boundary_point point;
            boundary_surface(&pass->boundaries[near.boundary], pass->x[near.rank], &point);
            if (point.inside < 0.0 && result->escaped < 0 && !pass->boundaries[near.boundary].removes)
                result->escaped = near.rank;
            if (!(pass->x[near.rank][3] - point.inside > -pass->law.reach))
                continue;
            at[batch.count] = e;
            batch.i[batch.count] = near.rank;
            batch.j[batch.count] = near.boundary;
            batch.before[batch.count++] = words > 0 ? slot_of(&pass->wall_slots, e, first, words, grain_nothing) : grain_nothing;
        }
        if (batch.count > 0)
            grains_of_walls(pass, with, parts, false, NULL, &batch);
        for (int c = 0; c < batch.count; ++c) {
            double *f = sim_at(desk->f, batch.i[c] - begin), *t = turns ? sim_at(desk->t, batch.i[c] - begin) : NULL;
            if (!batch.holds[c])
                continue;
            if (keeps)
                slot_write(&pass->wall_slots, at[c], first, &live, words, batch.words[c]);
            for (int k = 0; k < 3; ++k)
                f[k] += batch.force[c][k];
            if (turns) {  // of giants too: keep_giants takes it from there
                four torque, sum;
                torque_of(parts, &batch, c, true, &torque);
                four_load(&sum, t);
                sum += torque;
                four_store(&sum, t);
            }
            if (parts.accounts) {
                account(pass, &batch, c, true, &sums, result);
                energy_add(&pass->scales, ENERGY_RATE + WORK_WALLS, batch.power[c], &result->sums);
            }
            if (pass->servos != NULL)
                motion_servo_add(pass, block, batch.i[c], batch.j[c], batch.force[c], grain_twists(parts) ? batch.twist[c] : NULL);
        }
    }
    if (parts.accounts)
        account_put(&sums, result);
    if (keeps && pass->law.parts.accounts)
        account_ended(pass, &pass->wall_slots, first, first, last, true, result);
}

static inline __attribute__((always_inline)) void add_walls(const sim_pass* pass, law_normal normal, int64_t block, int32_t begin, sim_rows f, block_result* result)
{
    const law_parts parts = single_parts(normal, pass->law.parts.damping != DAMPING_NONE, &pass->law);
    const int words = grain_layout_of(parts).words;
    const bool keeps = words > 0 && pass->mode != SIM_REST;
    int64_t first = pass->near_first[block], last = pass->near_first[block + 1];
    int32_t live = 0;
    if (keeps)
        memset(pass->wall_slots.slot_next + first, 0xff, (size_t)(last - first) * sizeof *pass->wall_slots.slot_next);
    for (int64_t e = first; e < last; ++e) {
        near_wall near = pass->near[e];
        double memory[law_words_most];
        wall_contact contact;
        if (words > 0)
            slot_read(&pass->wall_slots, e, first, words, memory);
        bool holds = contact_of_wall(pass, parts, near, memory, &contact);
        if (contact.at.inside < 0.0 && result->escaped < 0 && !pass->boundaries[near.boundary].removes)
            result->escaped = near.rank;
        if (!holds)
            continue;
        if (keeps)
            slot_write(&pass->wall_slots, e, first, &live, words, memory);
        for (int k = 0; k < 3; ++k)
            sim_at(f, near.rank - begin)[k] += contact.at.n[k] * contact.normal;
        if (pass->servos != NULL)
            motion_servo_add(pass, block, near.rank, near.boundary,
                             (double[3]){contact.at.n[0] * contact.normal, contact.at.n[1] * contact.normal, contact.at.n[2] * contact.normal}, NULL);
    }
}

// One loop for each case, none of which looks at it again.
static inline __attribute__((always_inline)) int64_t add_strip(const sim_pass* pass, law_normal normal, bool incoming, const strip* rows, int64_t block, int32_t begin,
                                                               int32_t end, sim_desk* desk)
{
    const bool damped = pass->law.parts.damping != DAMPING_NONE;
    if (pass->giant_count > 0 || pass->cell_sums)
        return add_pairs(pass, normal, damped, true, incoming, rows, block, begin, end, desk);
    return damped ? add_pairs(pass, normal, true, false, incoming, rows, block, begin, end, desk)
                  : add_pairs(pass, normal, false, false, incoming, rows, block, begin, end, desk);
}

// Functions of their own for each law, so that each has the registers to itself.
#define SINGLE(name)                                                                                                                            \
    static __attribute__((noinline)) int64_t add_own_##name(const sim_pass* pass, int64_t block, int32_t begin, int32_t end, sim_desk* desk)   \
    {                                                                                                                                           \
        const strip own = {.ij = pass->ij, .shift = pass->shift, .first = pass->own[block], .last = pass->own[block + 1]};                     \
        return add_strip(pass, NORMAL_##name, false, &own, block, begin, end, desk);                                                            \
    }                                                                                                                                           \
    static __attribute__((noinline)) void add_incoming_##name(const sim_pass* pass, int64_t block, int32_t begin, int32_t end, sim_desk* desk) \
    {                                                                                                                                           \
        const strip in = {.ij = pass->in_ij, .shift = pass->in_shift, .first = pass->in[block], .last = pass->in[block + 1]};                  \
        add_strip(pass, NORMAL_##name, true, &in, block, begin, end, desk);                                                                     \
    }                                                                                                                                           \
    static __attribute__((noinline)) void add_walls_##name(const sim_pass* pass, int64_t block, int32_t begin, sim_rows f, block_result* result)     \
    {                                                                                                                                           \
        add_walls(pass, NORMAL_##name, block, begin, f, result);                                                                                  \
    }
SIM_SINGLES(SINGLE)
#undef SINGLE

// Own rows of a block, or those that come into a span.
static inline strip rows_of(const sim_pass* pass, int64_t number, bool incoming)
{
    return incoming ? (strip){.ij = pass->in_ij, .shift = pass->in_shift, .first = pass->in[number], .last = pass->in[number + 1]}
                    : (strip){.ij = pass->ij, .shift = pass->shift, .slot = pass->pair_slots.slot, .base = pass->pair_base[number], .first = pass->own[number], .last = pass->own[number + 1]};
}

// Functions of their own for the laws that are used most: for own rows, for incoming ones, and for own rows with energies.
#define GRAIN(name, ...)                                                                                                                                  \
    static __attribute__((noinline)) int64_t own_grains_##name(const sim_pass* pass, int64_t block, int32_t begin, int32_t end, sim_desk* desk)           \
    {                                                                                                                                                      \
        law_parts parts = grain_parts(GRAIN_##name, &pass->law);                                                                                           \
        const strip rows = rows_of(pass, block, false);                                                                                              \
        parts.accounts = false;                                                                                                                            \
        return add_grains(pass, parts, true, false, &rows, begin, end, desk, NULL);                                                                       \
    }                                                                                                                                                      \
    static __attribute__((noinline)) void incoming_grains_##name(const sim_pass* pass, int64_t block, int32_t begin, int32_t end, sim_desk* desk)         \
    {                                                                                                                                                      \
        law_parts parts = grain_parts(GRAIN_##name, &pass->law);                                                                                           \
        const strip rows = rows_of(pass, block, true);                                                                                               \
        parts.accounts = false;                                                                                                                            \
        add_grains(pass, parts, true, true, &rows, begin, end, desk, NULL);                                                                               \
    }                                                                                                                                                      \
    static __attribute__((noinline)) int64_t account_grains_##name(const sim_pass* pass, int64_t block, int32_t begin, int32_t end, sim_desk* desk, block_result* result) \
    {                                                                                                                                                      \
        law_parts parts = grain_parts(GRAIN_##name, &pass->law);                                                                                           \
        const strip rows = rows_of(pass, block, false);                                                                                                    \
        parts.accounts = true;                                                                                                                             \
        return add_grains(pass, parts, true, false, &rows, begin, end, desk, result);                                                                        \
    }
PASS_GRAINS(GRAIN)
#undef GRAIN

// One function for all the others, which looks at the parts of the law as it goes.
static __attribute__((noinline)) int64_t grains_of_any(const sim_pass* pass, bool incoming, int64_t block, int32_t begin, int32_t end, sim_desk* desk, block_result* result)
{
    const strip rows = rows_of(pass, block, incoming);
    return add_grains(pass, pass->law.parts, pass->mode != SIM_REST, incoming, &rows, begin, end, desk, result);
}

static __attribute__((noinline)) void walls_of_grains(const sim_pass* pass, int64_t block, int32_t begin, sim_desk* desk, block_result* result)
{
    add_grain_walls(pass, pass->law.parts, block, begin, desk, result);
}

// What the block knows of its giants, for the end of the pass: the block itself moves them as if they had no contacts.
static inline void keep_giants(const sim_pass* pass, int64_t first, int64_t last, sim_rows f, sim_rows t)
{
    int32_t g = pass->giant_count > 0 ? sim_giant_number(pass, (int32_t)first) : 0;
    for (; g < pass->giant_count && pass->giants[g] < last; ++g) {
        int32_t rank = pass->giants[g];
        if (rank < first)
            continue;
        giant_kept* kept = &pass->giant_kept[g];
        memcpy(kept->rest, sim_at(f, rank - first), sizeof kept->rest);
        if (t.at != NULL)
            memcpy(kept->turn, sim_at(t, rank - first), sizeof kept->turn);
        memcpy(kept->v, sim_at(pass->v, rank), sizeof kept->v);
        if (pass->before != NULL)
            memcpy(kept->before, pass->before[rank], sizeof kept->before);
    }
}

// Forces and torques that no contact makes, on ranks first to last - 1; f and t from `first` on.
static inline void begin_forces(const sim_pass* pass, int64_t first, int64_t last, sim_rows f, sim_rows t)
{
    if (pass->force == NULL)
        memset(f.at, 0, ((size_t)(last - first) << f.twice) * sizeof *f.at);  // torques with them
    for (int64_t i = first; i < last && pass->force != NULL; ++i) {
        memcpy(sim_at(f, i - first), pass->force[i], sizeof *f.at);
        if (t.at != NULL)
            memset(sim_at(t, i - first), 0, sizeof *t.at);
    }
    for (int64_t i = first; i < last && pass->bond_force != NULL; ++i)
        for (int k = 0; k < 3; ++k)
            sim_at(f, i - first)[k] += pass->bond_force[i][k];
    for (int64_t i = first; i < last && pass->bond_torque != NULL; ++i)
        memcpy(sim_at(t, i - first), pass->bond_torque[i], sizeof *t.at);
    for (int64_t i = first; i < last && pass->torque != NULL; ++i)
        for (int k = 0; k < 3; ++k)
            sim_at(t, i - first)[k] += pass->torque[i][k];
}

// Of pairs with spheres of earlier spans.
static inline void add_incoming(const sim_pass* pass, law_kind kind, int64_t span, int32_t begin, int32_t end, sim_desk* desk)
{
    switch (kind) {
#define SINGLE(name)                                        \
    case SINGLE_##name:                                     \
        add_incoming_##name(pass, span, begin, end, desk);  \
        break;
#define GRAIN(name, ...)                                       \
    case GRAIN_##name:                                         \
        incoming_grains_##name(pass, span, begin, end, desk);  \
        break;
        SIM_SINGLES(SINGLE)
        PASS_GRAINS(GRAIN)
    default:
        grains_of_any(pass, true, span, begin, end, desk, NULL);
        break;
    }
#undef SINGLE
#undef GRAIN
}

// Of the rows of a block, with all of the span's spheres, and of boundaries.
static inline void add_own(const sim_pass* pass, law_kind kind, int64_t block, int32_t begin, int32_t end, sim_desk* desk, block_result* result)
{
    switch (kind) {
#define SINGLE(name)                                                     \
    case SINGLE_##name:                                                  \
        result->contacts = add_own_##name(pass, block, begin, end, desk);  \
        add_walls_##name(pass, block, begin, desk->f, result);             \
        break;
#define GRAIN(name, ...)                                                                                                      \
    case GRAIN_##name:                                                                                                        \
        result->contacts = pass->law.parts.accounts ? account_grains_##name(pass, block, begin, end, desk, result)                \
                                                  : own_grains_##name(pass, block, begin, end, desk);                         \
        break;
        SIM_SINGLES(SINGLE)
        PASS_GRAINS(GRAIN)
    default:
        result->contacts = grains_of_any(pass, false, block, begin, end, desk, result);
        break;
    }
#undef SINGLE
#undef GRAIN
    if (!law_is_single(&pass->law))
        walls_of_grains(pass, block, begin, desk, result);
}

static inline void work_on_span(const sim_pass* pass, int64_t span, sim_desk* desk)
{
    int64_t ranks = pass->span * sim_block, begin = span * ranks, end = begin + ranks < pass->n ? begin + ranks : pass->n;
    bool any = pass->mode == SIM_REST && !law_is_single(&pass->law);  // functions of their own are for steps
    law_kind kind = any ? GRAIN_any : (law_kind)pass->law.kind;
    double start = scree_clock();
    begin_forces(pass, begin, end, desk->f, desk->t);
    add_incoming(pass, kind, span, (int32_t)begin, (int32_t)end, desk);
    for (int64_t first = begin; first < end; first += sim_block) {
        int64_t block = first / sim_block, last = first + sim_block < end ? first + sim_block : end;
        const sim_rows f = sim_from(desk->f, first - begin), t = sim_from(desk->t, first - begin);
        block_result* result = &pass->result[block];
        *result = (block_result){.finite = true, .escaped = -1};
        add_own(pass, kind, block, (int32_t)begin, (int32_t)end, desk, result);
        if (pass->surfaces != NULL)
            sim_surfaces_add(pass, block, f, t, desk, result);
        keep_giants(pass, first, last, f, t);
        double middle = scree_clock();
        if (pass->law.parts.accounts) {
            sim_powers(pass, first, last, pass->v, ENERGY_BEFORE, &result->sums);
            sim_driven(pass, first, last, f, t, result);
        }
        if (pass->drag.on)
            sim_drag_block(pass, first, last, f, t, result);
        integrate(pass, first, last, f, t, result);
        if (pass->law.parts.accounts && pass->mode == SIM_STEP)
            sim_powers(pass, first, last, pass->v_next, ENERGY_AFTER, &result->sums);
        result->seconds_force = middle - start;
        start = scree_clock();
        result->seconds_integrate = start - middle;
    }
}

#endif
