// Bonds in a simulation: their forces at each pass, their storage, and how they are read, saved and restored.
#include "sim/bond_work.h"

#include "base/argument.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "sim/runner.h"
#include "sim/sim_inner.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { chunk_bonds = 2048, chunk_spheres = 4096 };

static int64_t chunks_of(int64_t count, int64_t size)
{
    return (count + size - 1) / size;
}

// ---- Passes ------------------------------------------------------------------------------------------------------------

static void difference_of(const sim_pass* pass, const bond* b, double d[3])
{
    double offset[3];
    cell_offset(&pass->cell, b->shift, offset);
    for (int k = 0; k < 3; ++k)
        d[k] = pass->x[b->rank[0]][k] - pass->x[b->rank[1]][k] - offset[k];
}

typedef struct bond_job {
    scree_sim* sim;
    const sim_pass* pass;
} bond_job;

static void gather_rows(sim_rows rows, const bond* b, double out[2][4])
{
    memcpy(out[0], sim_at(rows, b->rank[0]), sizeof out[0]);
    memcpy(out[1], sim_at(rows, b->rank[1]), sizeof out[1]);
}

static scree_status work_on_bonds(void* context, int64_t chunk)
{
    const bond_job* job = context;
    const sim_pass* pass = job->pass;
    sim_bonds* all = &job->sim->bonds;
    int64_t end = (chunk + 1) * chunk_bonds < all->count ? (chunk + 1) * chunk_bonds : all->count;
    const sum_scale scale = pass->scales.power;
    sim_sum sum = {.limb = {0}};
    uint64_t beyond = 0;
    double step = pass->whole[0];
    for (int64_t at = chunk * chunk_bonds; at < end; ++at) {
        bond* b = &all->bonds[at];
        if (b->broken_at >= 0) {
            if (b->broken_at < job->sim->step)
                bond_clear_forces(b);
            continue;
        }
        bond_ends ends;
        bool counts = pass->ghost == NULL || pass->ghost[b->rank[0]] == 0;  // of a part: it is in that of the second sphere too
        bool damped = pass->p.at != NULL;
        difference_of(pass, b, ends.d);
        gather_rows(damped ? pass->p : pass->v, b, ends.v_now);
        gather_rows(damped ? pass->wp : pass->w, b, ends.w_now);
        gather_rows(pass->v, b, ends.v);
        gather_rows(pass->w, b, ends.w);
        double rate = bond_step(b, &all->kinds[b->kind], &ends, damped, pass->mode != SIM_REST, step, job->sim->step);
        if (counts)
            sum_add(&scale, rate, &sum, &beyond);
    }
    sum_carry(&sum);
    all->rate[chunk] = sum;
    all->beyond[chunk] = beyond;
    return SCREE_OK;
}

static scree_status add_up(void* context, int64_t chunk)
{
    const bond_job* job = context;
    const sim_bonds* all = &job->sim->bonds;
    int64_t end = (chunk + 1) * chunk_spheres < job->sim->n ? (chunk + 1) * chunk_spheres : job->sim->n;
    for (int64_t i = chunk * chunk_spheres; i < end; ++i) {
        double f[4] = {0.0}, t[4] = {0.0};
        for (int64_t e = all->first[i]; e < all->first[i + 1]; ++e) {
            const bond* b = &all->bonds[all->of[e] / 2];
            int side = (int)(all->of[e] % 2);
            for (int k = 0; k < 3; ++k) {
                f[k] += side == 0 ? b->force[k] : -b->force[k];
                t[k] += b->torque[side][k];
            }
        }
        memcpy(all->f[i], f, sizeof f);
        memcpy(all->t[i], t, sizeof t);
    }
    return SCREE_OK;
}

void bonds_work(scree_sim* sim, sim_pass* pass)
{
    sim_bonds* all = &sim->bonds;
    if (all->f == NULL)
        return;
    bond_job job = {.sim = sim, .pass = pass};
    scree_parallel_for(sim->threads, chunks_of(all->count, chunk_bonds), work_on_bonds, &job, NULL);
    scree_parallel_for(sim->threads, chunks_of(sim->n, chunk_spheres), add_up, &job, NULL);
    pass->bond_force = (const double(*)[4])all->f;
    pass->bond_torque = (const double(*)[4])all->t;
}

void bonds_sum(const sim_bonds* all, sim_sum* sum, uint64_t* beyond)
{
    for (int64_t c = 0; c < chunks_of(all->count, chunk_bonds) && all->rate != NULL; ++c) {
        sum_join(sum, &all->rate[c]);
        *beyond |= all->beyond[c];
    }
}

// Half of what a moment dissipates is of the step before it, half of the step after: as energy.c has it.
void bonds_account(scree_sim* sim, const sim_pass* pass, double rate)
{
    sim_bonds* all = &sim->bonds;
    if (sim->numbers.bond_count == 0)
        return;
    double half = rate * (0.5 * sim->numbers.time_step);
    if (pass->mode >= SIM_OBSERVE)
        all->dissipated += half;
    if (pass->mode == SIM_STEP)
        all->dissipated += half;
    all->dissipated_next = pass->mode == SIM_STEP ? 0.0 : half;
}

void bonds_launch(scree_sim* sim)
{
    sim->bonds.dissipated += sim->bonds.dissipated_next;
    sim->bonds.dissipated_next = 0.0;
}

// ---- In memory ---------------------------------------------------------------------------------------------------------

// Seen from the other sphere. The twisting angle is the same from both sides.
void bond_turn_round(bond* b)
{
    int32_t rank = b->rank[0];
    double arm = b->numbers.arm[0];
    b->rank[0] = b->rank[1];
    b->rank[1] = rank;
    b->numbers.arm[0] = b->numbers.arm[1];
    b->numbers.arm[1] = arm;
    b->turned = !b->turned;
    for (int k = 0; k < 3; ++k) {
        double torque = b->torque[0][k];
        int8_t drift = b->drift[0][k];
        b->drift[0][k] = (int8_t)-b->drift[1][k];
        b->drift[1][k] = (int8_t)-drift;
        b->shift[k] = (int8_t)-b->shift[k];
        b->force[k] = -b->force[k];
        b->torque[0][k] = b->torque[1][k];
        b->torque[1][k] = torque;
    }
    for (int w = 0; w < WORD_TWISTING; ++w)
        b->words[w] = -b->words[w];
}

void bonds_wrapped(scree_sim* sim, const int8_t (*turns)[3])
{
    for (int64_t at = 0; at < sim->bonds.count && turns != NULL; ++at) {
        bond* b = &sim->bonds.bonds[at];
        for (int k = 0; k < 3 && (sim->part == NULL || b->broken_at < 0); ++k)
            b->shift[k] = (int8_t)(b->shift[k] - turns[b->rank[0]][k] + turns[b->rank[1]][k]);
        for (int side = 0; side < 2 && sim->part != NULL && b->broken_at >= 0; ++side)
            for (int k = 0; k < 3 && b->rank[side] >= 0 && sim->ghost[b->rank[side]] == 0; ++k)
                b->drift[side][k] = (int8_t)(b->drift[side][k] + (side == 0 ? -turns[b->rank[side]][k] : turns[b->rank[side]][k]));
    }
}

// Which bonds each rank has.
static scree_status list_by_rank(scree_sim* sim)
{
    sim_bonds* all = &sim->bonds;
    memset(all->first, 0, ((size_t)sim->n + 1) * sizeof *all->first);
    for (int64_t at = 0; at < all->count; ++at) {
        if (sim_ask(sim, at, all->count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        for (int side = 0; side < 2; ++side)
            if (all->bonds[at].rank[side] >= 0)
                ++all->first[all->bonds[at].rank[side] + 1];
    }
    for (int32_t i = 0; i < sim->n; ++i)
        all->first[i + 1] += all->first[i];
    for (int64_t at = 0; at < all->count; ++at) {
        if (sim_ask(sim, at, all->count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        for (int side = 0; side < 2; ++side)
            if (all->bonds[at].rank[side] >= 0)
                all->of[all->first[all->bonds[at].rank[side]]++] = 2 * at + side;
    }
    for (int32_t i = sim->n; i > 0; --i)
        all->first[i] = all->first[i - 1];
    all->first[0] = 0;
    return SCREE_OK;
}

// By the two ranks; several of one pair, to several images, by number.
static scree_status sort_bonds(scree_sim* sim)
{
    sim_bonds* all = &sim->bonds;
    for (int64_t at = 0; at < all->count; ++at) {
        const bond* b = &all->bonds[at];
        if (sim_ask(sim, at, all->count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        all->key[at] = (int64_t)b->rank[0] * sim->n + b->rank[1];
        all->word[at] = (uint32_t)at;
    }
    scree_sort_with(all->key, all->word, all->key + all->count, all->word + all->count, all->count);
    for (int64_t at = 0; at < all->count; ++at) {
        const bond* b = &all->bonds[all->word[at]];
        int64_t to = at;
        if (sim_ask(sim, at, all->count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        for (; to > 0 && all->key[to - 1] == all->key[at] && all->spare[to - 1].number > b->number; --to)
            all->spare[to] = all->spare[to - 1];
        all->spare[to] = *b;
    }
    bond* sorted = all->spare;
    all->spare = all->bonds;
    all->bonds = sorted;
    return SCREE_OK;
}

scree_status bonds_rename(scree_sim* sim, const uint32_t* from)
{
    sim_bonds* all = &sim->bonds;
    if (all->count == 0)
        return SCREE_OK;
    for (int32_t i = 0; i < sim->n; ++i)
        all->to[from[i]] = i;
    for (int64_t at = 0; at < all->count; ++at) {
        bond* b = &all->bonds[at];
        b->rank[0] = all->to[b->rank[0]];
        b->rank[1] = all->to[b->rank[1]];
        if (b->rank[0] > b->rank[1])
            bond_turn_round(b);
    }
    const scree_status status = sort_bonds(sim);
    return status == SCREE_OK ? list_by_rank(sim) : status;
}

static scree_status make_arrays(sim_bonds* all, size_t count, size_t n)
{
    all->bonds = scree_calloc(count, sizeof *all->bonds);
    all->spare = scree_calloc(count, sizeof *all->spare);
    all->key = scree_malloc(2 * count, sizeof *all->key);
    all->word = scree_malloc(2 * count, sizeof *all->word);
    all->to = scree_malloc(n, sizeof *all->to);
    all->first = scree_malloc(n + 1, sizeof *all->first);
    all->of = scree_malloc(2 * count, sizeof *all->of);
    all->f = scree_calloc(n, sizeof *all->f);
    all->t = scree_calloc(n, sizeof *all->t);
    all->rate = scree_calloc((size_t)chunks_of((int64_t)count, chunk_bonds), sizeof *all->rate);
    all->beyond = scree_calloc((size_t)chunks_of((int64_t)count, chunk_bonds), sizeof *all->beyond);
    bool made = all->bonds != NULL && all->spare != NULL && all->key != NULL && all->word != NULL && all->to != NULL && all->first != NULL && all->of != NULL && all->f != NULL && all->t != NULL &&
                all->rate != NULL && all->beyond != NULL;
    return made ? SCREE_OK : SCREE_ERR_MEMORY;
}

scree_status bonds_take_kinds(scree_sim* sim)
{
    sim_bonds* all = &sim->bonds;
    int32_t count = sim->def.bonds->kind_count;
    all->kinds = scree_malloc((size_t)count, sizeof *all->kinds);
    if (all->kinds == NULL)
        return SCREE_ERR_MEMORY;
    all->kind_count = count;
    memcpy(all->kinds, sim->def.bonds->kinds, (size_t)count * sizeof *all->kinds);
    return SCREE_OK;
}

bond bond_from_table(const scree_sim_def* def, scree_spheres spheres, const bond_table* list, int64_t b)
{
    const int32_t* ij = list->ij[b];
    return (bond){.rank = {ij[0], ij[1]},
                  .number = b,
                  .broken_at = -1,
                  .kind = list->kind[b],
                  .shift = {list->shift[b][0], list->shift[b][1], list->shift[b][2]},
                  .length = list->length[b],
                  .numbers = bond_numbers_of(def, spheres, &def->bonds->kinds[list->kind[b]], ij[0], ij[1], list->length[b])};
}

scree_status bonds_make(scree_sim* sim, const bond_table* list, scree_spheres spheres)
{
    sim_bonds* all = &sim->bonds;
    if (list->count == 0)
        return SCREE_OK;
    if (bonds_take_kinds(sim) != SCREE_OK || make_arrays(all, (size_t)list->count, (size_t)sim->n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    all->count = list->count;
    for (int64_t b = 0; b < list->count; ++b) {
        if (scree_watch_own("sim", b, list->count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        all->bonds[b] = bond_from_table(&sim->def, spheres, list, b);
    }
    return list_by_rank(sim);
}

// ---- With other ranks (insert.c) ---------------------------------------------------------------------------------------

sim_bonds bonds_take_out(scree_sim* sim)
{
    sim_bonds old = sim->bonds, *all = &sim->bonds;
    all->bonds = all->spare = NULL;
    all->key = all->first = all->of = NULL;
    all->word = NULL;
    all->to = NULL;
    all->f = all->t = NULL;
    all->rate = NULL;
    all->beyond = NULL;
    return old;
}

void bonds_put_back(scree_sim* sim, const sim_bonds* old)
{
    sim_bonds* all = &sim->bonds;
    all->bonds = old->bonds;
    all->spare = old->spare;
    all->key = old->key;
    all->word = old->word;
    all->to = old->to;
    all->first = old->first;
    all->of = old->of;
    all->f = old->f;
    all->t = old->t;
    all->rate = old->rate;
    all->beyond = old->beyond;
}

void bonds_release(sim_bonds* all)
{
    scree_free(all->bonds);
    scree_free(all->spare);
    scree_free(all->key);
    scree_free(all->word);
    scree_free(all->to);
    scree_free(all->first);
    scree_free(all->of);
    scree_free(all->f);
    scree_free(all->t);
    scree_free(all->rate);
    scree_free(all->beyond);
}

scree_status bonds_copy(scree_sim* sim, const sim_bonds* old, const int32_t* to)
{
    sim_bonds* all = &sim->bonds;
    if (all->count == 0)
        return SCREE_OK;
    if (make_arrays(all, (size_t)all->count, (size_t)sim->n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memcpy(all->bonds, old->bonds, (size_t)all->count * sizeof *all->bonds);
    for (int64_t at = 0; at < all->count; ++at)
        for (int side = 0; side < 2; ++side)
            all->bonds[at].rank[side] = to[all->bonds[at].rank[side]];
    return list_by_rank(sim);
}

// ---- Of a part (part_bonds.c) ------------------------------------------------------------------------------------------

double bond_distance(const scree_sim* sim, const bond* b)
{
    const sim_pass pass = {.x = (const double(*)[4])sim->x, .cell = sim->cell};
    double d[3];
    difference_of(&pass, b, d);
    return sqrt(vec_dot(d, d));
}

scree_status bonds_set(scree_sim* sim, const bond* bonds, int64_t count)
{
    sim_bonds* all = &sim->bonds;
    bonds_release(all);
    (void)bonds_take_out(sim);
    all->count = 0;
    if (make_arrays(all, (size_t)count + 1, (size_t)sim->n + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    all->count = count;
    for (int64_t b = 0; b < count; ++b) {
        all->bonds[b] = bonds[b];
        if (bonds[b].rank[0] > bonds[b].rank[1])
            bond_turn_round(&all->bonds[b]);
    }
    const scree_status status = sort_bonds(sim);
    return status == SCREE_OK ? list_by_rank(sim) : status;
}

static void close_shown(sim_bonds* all)
{
    scree_free(all->ij);
    scree_free(all->shift);
    scree_free(all->kind);
    scree_free(all->length);
    scree_free(all->values);
    scree_free(all->released);
    scree_free(all->broken_at);
    scree_free(all->cause);
    scree_free(all->force);
    scree_free(all->torque);
}

void bonds_drop(sim_bonds* all)
{
    close_shown(all);
    bonds_release(all);
    *all = (sim_bonds){.kind_count = all->kind_count, .kinds = all->kinds, .dissipated = all->dissipated, .dissipated_next = all->dissipated_next};
}

void bonds_close(sim_bonds* all)
{
    bonds_drop(all);
    scree_free(all->kinds);
    *all = (sim_bonds){0};
}

size_t bonds_bytes(const scree_sim* sim)
{
    const sim_bonds* all = &sim->bonds;
    size_t each = 2 * sizeof *all->bonds + 2 * sizeof *all->key + 2 * sizeof *all->word + 2 * sizeof *all->of;
    return all->count == 0 ? 0 : (size_t)all->count * each + (size_t)sim->n * (sizeof *all->to + sizeof *all->first + 2 * sizeof *all->f);
}

// ---- Looking on --------------------------------------------------------------------------------------------------------

// Of a part: it owns the sphere of the lower id. One whose other sphere is elsewhere has broken.
static bool counts_here(const sim_pass* pass, const bond* b)
{
    int32_t rank = b->rank[b->turned ? 1 : 0];
    return pass->ghost == NULL || (rank >= 0 && pass->ghost[rank] == 0);
}

scree_status bonds_add_up(const scree_sim* sim, const sim_pass* pass, sim_total totals[bond_totals], int64_t counts[bond_counts])
{
    for (int64_t at = 0; at < sim->bonds.count; ++at) {
        const bond* b = &sim->bonds.bonds[at];
        double d[3];
        if (scree_watch_own("sim", at, sim->bonds.count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        if (!counts_here(pass, b))
            continue;
        if (b->broken_at >= 0) {
            ++counts[BONDS_BROKEN];
            total_add(&totals[BONDS_RELEASED], b->released);
            continue;
        }
        difference_of(pass, b, d);
        ++counts[BONDS_HOLD];
        total_add(&totals[BONDS_ENERGY], bond_energy_of(b, bond_stretch_of(b, sqrt(vec_dot(d, d)))));
        total_add(&totals[BONDS_VIRIAL], vec_dot(b->force, d));
        for (int c = 0; c < bond_totals - BONDS_PRODUCTS; ++c) {
            static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
            int k = axes[c][0], l = axes[c][1];
            total_add(&totals[BONDS_PRODUCTS + c], 0.5 * (b->force[k] * d[l] + b->force[l] * d[k]));
        }
    }
    for (int t = 0; t < bond_totals; ++t)
        total_carry(&totals[t]);
    return SCREE_OK;
}

static scree_status make_shown(sim_bonds* all)
{
    size_t count = (size_t)all->count;
    if (all->ij != NULL)
        return SCREE_OK;
    close_shown(all);
    all->shift = scree_malloc(count, sizeof *all->shift);
    all->kind = scree_malloc(count, sizeof *all->kind);
    all->length = scree_malloc(count, sizeof *all->length);
    all->values = scree_malloc(count * bond_words, sizeof *all->values);
    all->released = scree_malloc(count, sizeof *all->released);
    all->broken_at = scree_malloc(count, sizeof *all->broken_at);
    all->cause = scree_malloc(count, sizeof *all->cause);
    all->force = scree_malloc(count, sizeof *all->force);
    all->torque = scree_malloc(count, sizeof *all->torque);
    all->ij = scree_malloc(count, sizeof *all->ij);
    bool made = all->ij != NULL && all->shift != NULL && all->kind != NULL && all->length != NULL && all->values != NULL && all->released != NULL &&
                all->broken_at != NULL && all->cause != NULL && all->force != NULL && all->torque != NULL;
    if (!made) {
        close_shown(all);
        all->ij = NULL;
        all->shift = NULL;
        all->kind = NULL;
        all->length = all->values = all->released = NULL;
        all->broken_at = NULL;
        all->cause = NULL;
        all->force = all->torque = NULL;
    }
    return made ? SCREE_OK : SCREE_ERR_MEMORY;
}

void bond_show_forces(const bond* b, double force[3], double torque[3])
{
    for (int k = 0; k < 3; ++k) {  // a bond that broke has 0, not -0, from whichever side it was seen
        force[k] = b->force[k] + 0.0;
        torque[k] = b->torque[0][k] + 0.0;
    }
}

static scree_status show(scree_sim* sim, scree_sim_bonds* out)
{
    sim_bonds* all = &sim->bonds;
    *out = (scree_sim_bonds){0};
    if (all->count == 0)
        return SCREE_OK;
    if (make_shown(all) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t at = 0; at < all->count; ++at) {
        bond from = all->bonds[at];
        int64_t b = from.number;
        if (scree_watch_own("sim", at, all->count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        if (from.turned)
            bond_turn_round(&from);
        all->ij[b][0] = sim->id[from.rank[0]];
        all->ij[b][1] = sim->id[from.rank[1]];
        all->kind[b] = from.kind;
        all->length[b] = from.length;
        all->released[b] = from.released;
        all->broken_at[b] = from.broken_at;
        all->cause[b] = from.cause;
        memcpy(all->values + b * bond_words, from.words, sizeof from.words);
        memcpy(all->shift[b], from.shift, sizeof from.shift);
        bond_show_forces(&from, all->force[b], all->torque[b]);
    }
    *out = (scree_sim_bonds){.count = all->count,
                             .ij = (const int64_t(*)[2])all->ij,
                             .shift = sim->periodic ? (const int8_t(*)[3])all->shift : NULL,
                             .kind = all->kind,
                             .length = all->length,
                             .values = all->values,
                             .broken_at = all->broken_at,
                             .cause = all->cause,
                             .released = all->released,
                             .force = (const double(*)[3])all->force,
                             .torque = (const double(*)[3])all->torque,
                             .dissipated = all->dissipated,
                             .dissipated_next = all->dissipated_next};
    return SCREE_OK;
}

scree_status scree_sim_get_bonds(scree_sim* sim, scree_sim_bonds* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    scree_status status = sim->numbers.bond_count > 0 && !sim->hollow ? sim_check_still(sim) : sim_check_known(sim);
    if (status == SCREE_OK && sim->hollow)
        return sim->numbers.bond_count > 0 ? sim->keeper->bonds(sim->kept_by, 0, sim->numbers.bond_count, out) : SCREE_OK;
    return status == SCREE_OK ? show(sim, out) : status;
}

scree_status scree_sim_get_bond_rows(scree_sim* sim, int64_t first, int64_t count, scree_sim_bonds* out, int64_t* all)
{
    SCREE_EMPTY(out);
    SCREE_EMPTY(all);
    SCREE_NEED(sim);
    if (first < 0 || count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId64 " bonds from bond %" PRId64 " on; expected 0 or more", count, first);
    scree_sim_bonds shown;
    int64_t total = sim->numbers.bond_count;
    first = first < total ? first : total;
    count = total - first < count ? total - first : count;
    scree_status status = sim->hollow || total == 0 ? sim_check_known(sim) : count > 0 ? scree_sim_get_bonds(sim, &shown) : sim_check_still(sim);
    if (status != SCREE_OK)
        return status;
    *out = (scree_sim_bonds){.dissipated = sim->bonds.dissipated, .dissipated_next = sim->bonds.dissipated_next};
    if (sim->hollow && count > 0)
        status = sim->keeper->bonds(sim->kept_by, first, count, out);
    else if (count > 0)
        *out = (scree_sim_bonds){.count = count,
                                 .ij = shown.ij + first,
                                 .shift = shown.shift != NULL ? shown.shift + first : NULL,
                                 .kind = shown.kind + first,
                                 .length = shown.length + first,
                                 .values = shown.values + first * bond_words,
                                 .broken_at = shown.broken_at + first,
                                 .cause = shown.cause + first,
                                 .released = shown.released + first,
                                 .force = shown.force + first,
                                 .torque = shown.torque + first,
                                 .dissipated = shown.dissipated,
                                 .dissipated_next = shown.dissipated_next};
    if (status == SCREE_OK)
        *all = total;
    return status;
}

// Of bonds that broke the step counts, of the others what they remember.
static uint64_t hash_of(int64_t i, int64_t j, const int8_t* shift, int64_t broken_at, const double values[bond_words])
{
    double broken = (double)broken_at;
    return broken_at >= 0 ? sim_mix_contact(j, i, shift, &broken, 1) : sim_mix_contact(j, i, shift, values, bond_words);
}

uint64_t bonds_hash(const scree_sim_bonds* shown)
{
    uint64_t sum = 0;
    for (int64_t b = 0; b < shown->count; ++b)
        sum += hash_of(shown->ij[b][0], shown->ij[b][1], shown->shift != NULL ? shown->shift[b] : NULL, shown->broken_at[b], shown->values + b * bond_words);
    return sum;
}

uint64_t bonds_own_hash(const scree_sim* sim)
{
    uint64_t sum = 0;
    for (int64_t at = 0; at < sim->bonds.count; ++at) {
        bond b = sim->bonds.bonds[at];
        if (b.turned)
            bond_turn_round(&b);
        sum += hash_of(sim->id[b.rank[0]], sim->id[b.rank[1]], sim->periodic ? b.shift : NULL, b.broken_at, b.words);
    }
    return sum;
}

void bonds_kept_free(bonds_kept* kept)
{
    scree_free(kept->ij);
    scree_free(kept->shift);
    scree_free(kept->kind);
    scree_free(kept->length);
    scree_free(kept->values);
    scree_free(kept->released);
    scree_free(kept->broken_at);
    scree_free(kept->cause);
    *kept = (bonds_kept){.ij = NULL};
}

static scree_status keep_rows(scree_sim* sim, bonds_kept* out)
{
    enum { some = 1 << 19 };
    const size_t n = (size_t)sim->numbers.bond_count + 1;
    *out = (bonds_kept){.ij = scree_malloc(n, sizeof *out->ij),
                        .shift = scree_calloc(n, sizeof *out->shift),
                        .kind = scree_malloc(n, sizeof *out->kind),
                        .length = scree_malloc(n, sizeof *out->length),
                        .values = scree_malloc(n * bond_words, sizeof *out->values),
                        .released = scree_malloc(n, sizeof *out->released),
                        .broken_at = scree_malloc(n, sizeof *out->broken_at),
                        .cause = scree_malloc(n, sizeof *out->cause)};
    if (out->ij == NULL || out->shift == NULL || out->kind == NULL || out->length == NULL || out->values == NULL || out->released == NULL || out->broken_at == NULL || out->cause == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = SCREE_OK;
    scree_sim_bonds part;
    for (int64_t first = 0, all = 1; first < all && status == SCREE_OK; first += some) {
        status = scree_sim_get_bond_rows(sim, first, some, &part, &all);
        if (status != SCREE_OK || part.count == 0)
            continue;
        const size_t count = (size_t)part.count;
        memcpy(out->ij + first, part.ij, count * sizeof *out->ij);
        if (part.shift != NULL)
            memcpy(out->shift + first, part.shift, count * sizeof *out->shift);
        memcpy(out->kind + first, part.kind, count * sizeof *out->kind);
        memcpy(out->length + first, part.length, count * sizeof *out->length);
        memcpy(out->values + first * bond_words, part.values, count * bond_words * sizeof *out->values);
        memcpy(out->released + first, part.released, count * sizeof *out->released);
        memcpy(out->broken_at + first, part.broken_at, count * sizeof *out->broken_at);
        memcpy(out->cause + first, part.cause, count * sizeof *out->cause);
        out->bonds.count += part.count;
    }
    out->bonds = (scree_sim_bonds){.count = out->bonds.count,
                                   .ij = (const int64_t(*)[2])out->ij,
                                   .shift = sim->periodic ? (const int8_t(*)[3])out->shift : NULL,
                                   .kind = out->kind,
                                   .length = out->length,
                                   .values = out->values,
                                   .broken_at = out->broken_at,
                                   .cause = out->cause,
                                   .released = out->released,
                                   .dissipated = sim->bonds.dissipated,
                                   .dissipated_next = sim->bonds.dissipated_next};
    return status;
}

scree_status bonds_kept_make(scree_sim* sim, const double* x, bonds_kept* out)
{
    *out = (bonds_kept){.ij = NULL};
    double* before = scree_malloc((size_t)sim->n * (size_t)sim->dim + 1, sizeof *before);
    scree_status status = before == NULL ? SCREE_ERR_MEMORY : scree_sim_get_column(sim, "x", before);
    if (status == SCREE_OK)
        status = keep_rows(sim, out);
    for (int64_t b = 0; b < out->bonds.count && sim->periodic && (status == SCREE_OK && (status = scree_watch_own("sim", b, out->bonds.count)) == SCREE_OK); ++b) {
        int8_t shift[3];
        if (!sim_shift_to(sim, out->ij[b], out->shift[b], before, x, shift) && out->broken_at[b] < 0)
            status = scree_fail(SCREE_ERR_ARGUMENT, "sim: spheres %" PRId64 " and %" PRId64 ", which a bond joins, are set more than %d boxes apart; expected centres nearer to each other", out->ij[b][0],
                                out->ij[b][1], INT8_MAX);
        memcpy(out->shift[b], shift, sizeof shift);
    }
    scree_free(before);
    return status;
}

bool bonds_are_new(const scree_sim_bonds* given)
{
    return given != NULL && given->count == 0 && given->ij == NULL;
}

// ---- A state -----------------------------------------------------------------------------------------------------------

// What the simulation has of a bond.
typedef struct bond_name {
    int64_t number, ij[2];
    int32_t kind;
    double length;
} bond_name;

static scree_status check_bond(const bond_name* own, const scree_sim_bonds* given)
{
    int64_t b = own->number, i = own->ij[0], j = own->ij[1];
    if (given->ij[b][0] != i || given->ij[b][1] != j)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: bond %" PRId64 " of the state joins spheres %" PRId64 " and %" PRId64 "; expected %" PRId64 " and %" PRId64 ", as in the simulation", b,
                          given->ij[b][0], given->ij[b][1], i, j);
    if (given->kind[b] != own->kind || !(given->length[b] == own->length))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: bond %" PRId64 " of the state has kind %" PRId32 " and length %.17g; expected kind %" PRId32 " and length %.17g, as in the simulation", b,
                          given->kind[b], given->length[b], own->kind, own->length);
    bool broken = given->broken_at[b] >= 0;
    if (given->broken_at[b] < -1 || given->cause[b] > SCREE_BOND_SHEAR || broken != (given->cause[b] != SCREE_BOND_HOLDS) || !(fabs(given->released[b]) <= 1e300))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: bond %" PRId64 " of the state broke at step %" PRId64 " for cause %d with an energy of %g; expected a step and an energy of 0 or more, and a known cause", b, given->broken_at[b],
                          (int)given->cause[b], given->released[b]);
    for (int w = 0; w < bond_words; ++w)
        if (!(fabs(given->values[b * bond_words + w]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: value %d of bond %" PRId64 " of the state is %g; expected a finite number", w, b, given->values[b * bond_words + w]);
    return SCREE_OK;
}

// Where parts have the bonds: some at a time.
static scree_status check_there(scree_sim* sim, const scree_sim_bonds* given)
{
    enum { some = 1 << 19 };
    scree_status status = SCREE_OK;
    scree_sim_bonds own;
    for (int64_t first = 0, all; first < given->count && status == SCREE_OK; first += some) {
        status = scree_sim_get_bond_rows(sim, first, some, &own, &all);
        for (int64_t b = 0; b < own.count && status == SCREE_OK; ++b)
            status = check_bond(&(bond_name){.number = first + b, .ij = {own.ij[b][0], own.ij[b][1]}, .kind = own.kind[b], .length = own.length[b]}, given);
    }
    return status;
}

scree_status bonds_check_state(scree_sim* sim, const scree_sim_bonds* given)
{
    const sim_bonds* all = &sim->bonds;
    int64_t own = sim->numbers.bond_count, count = given != NULL && !bonds_are_new(given) ? given->count : own;
    scree_status status = SCREE_OK;
    if (count != own)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state with %" PRId64 " bonds; expected %" PRId64 ", as in the simulation", count, own);
    if (count == 0 || given == NULL || bonds_are_new(given))
        return SCREE_OK;
    if (given->ij == NULL || given->kind == NULL || given->length == NULL || given->values == NULL || given->broken_at == NULL || given->cause == NULL || given->released == NULL ||
        (sim->periodic && given->shift == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: an array of the bonds of a state is NULL; expected all of them");
    if (sim->hollow)
        status = check_there(sim, given);
    for (int64_t at = 0; at < all->count && status == SCREE_OK; ++at) {
        const bond* b = &all->bonds[at];
        if (scree_watch_own("sim", at, all->count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        status = check_bond(&(bond_name){.number = b->number, .ij = {sim->id[b->rank[b->turned]], sim->id[b->rank[!b->turned]]}, .kind = b->kind, .length = b->length}, given);
    }
    if (status == SCREE_OK && (!(fabs(given->dissipated) <= 1e300) || !(fabs(given->dissipated_next) <= 1e300)))
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: a state whose bonds dissipated %g and %g; expected finite numbers", given->dissipated, given->dissipated_next);
    return status;
}

// Bonds between the nearest images, without tension. `heal`: those that broke too.
static void renew(scree_sim* sim, bool heal)
{
    for (int64_t at = 0; at < sim->bonds.count; ++at) {
        bond* b = &sim->bonds.bonds[at];
        if (!heal && b->broken_at >= 0)
            continue;
        b->broken_at = -1;
        b->cause = SCREE_BOND_HOLDS;
        b->released = 0.0;
        memset(b->words, 0, sizeof b->words);
        for (int k = 0; k < 3; ++k)
            if (sim->cell.h[k][k] > 0.0)
                b->shift[k] = (int8_t)rint((sim->x[b->rank[0]][k] - sim->x[b->rank[1]][k]) / sim->cell.h[k][k]);
    }
}

void bonds_take(scree_sim* sim, const scree_sim_bonds* given)
{
    sim_bonds* all = &sim->bonds;
    if (given == NULL || bonds_are_new(given)) {
        renew(sim, given != NULL);
        return;
    }
    for (int64_t at = 0; at < all->count; ++at) {
        bond* to = &all->bonds[at];
        int64_t b = to->number;
        to->broken_at = given->broken_at[b];
        to->cause = given->cause[b];
        to->released = given->released[b];
        for (int w = 0; w < bond_words; ++w)
            to->words[w] = w < WORD_TWISTING && to->turned ? -given->values[b * bond_words + w] : given->values[b * bond_words + w];
        for (int k = 0; k < 3 && sim->periodic; ++k)
            to->shift[k] = (int8_t)(to->turned ? -given->shift[b][k] : given->shift[b][k]);
        if (to->broken_at >= 0)
            bond_clear_forces(to);
    }
}

void bonds_take_sums(scree_sim* sim, const scree_sim_bonds* given)
{
    if (sim->numbers.bond_count == 0)
        return;
    sim->bonds.dissipated = given != NULL ? given->dissipated : 0.0;
    if (given != NULL)
        sim->bonds.dissipated_next = given->dissipated_next;
}
