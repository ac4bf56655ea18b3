// Copies the state of a simulation to a device and back, with the memory of contacts.
#include "device/flow_inner.h"

#include <math.h>

// Old rows of which every entry is a contact.
static scree_status put_all_live(sim_device* d, size_t entries)
{
    const size_t bytes = live_bytes(entries);
    uint8_t* all = scree_malloc(bytes, sizeof *all);
    scree_status status = SCREE_ERR_MEMORY;
    if (all != NULL) {
        memset(all, 0xff, bytes);
        status = block_put(d, B_OLD_LIVE, all, bytes);
    }
    scree_free(all);
    return status;
}

// What contacts remember, as rows of which each partner has one.
static scree_status put_memory(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, words = (size_t)f->words;
    const device_contacts* in = &run->pairs;
    double giant = run->giant_count > 0 ? run->giant_radius : INFINITY;
    uint32_t* off = scree_calloc(n + 2, sizeof *off);
    int32_t* list = scree_malloc(2 * (size_t)in->count + 1, sizeof *list);
    uint32_t* shift = scree_malloc(2 * (size_t)in->count + 1, sizeof *shift);
    double* out = scree_malloc((2 * (size_t)in->count + 1) * words, sizeof *out);
    scree_status status = off == NULL || list == NULL || shift == NULL || out == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    // Rows of the second first: partners of lower rank come first in each row. off[i + 2] counts row i; then off[i + 1] is where it goes on.
    for (int pass = 0; pass < 2 && status == SCREE_OK; ++pass) {
        for (int side = 1; side >= 0; --side)
            for (int64_t c = 0; c < in->count; ++c) {
                int32_t i = in->ij[c][0], j = in->ij[c][1], row = side == 0 ? i : j;
                bool first = run->x[i][3] >= giant, second = run->x[j][3] >= giant;
                if (side == 0 ? first && !second : second || i == j)
                    continue;
                if (pass == 0) {
                    ++off[row + 2];
                    continue;
                }
                uint32_t e = off[row + 1]++;
                list[e] = side == 0 ? j : i;
                shift[e] = in->shift != NULL ? shift_pack(in->shift[c][0], in->shift[c][1], in->shift[c][2]) : (uint32_t)shift_none;
                memcpy(out + e * words, in->words + (size_t)c * words, words * sizeof *out);
            }
        for (size_t i = 0; i <= n && pass == 0; ++i)
            off[i + 1] += off[i];
    }
    size_t entries = status == SCREE_OK ? off[n] : 0;
    if (status == SCREE_OK)
        status = block_put(d, B_OLD_OFF, off, (n + 1) * sizeof *off);
    if (status == SCREE_OK)
        status = block_put(d, B_OLD_LIST, list, entries * sizeof *list);
    if (status == SCREE_OK && f->wraps)
        status = block_put(d, B_OLD_SHIFT, shift, entries * sizeof *shift);
    if (status == SCREE_OK)
        status = put_all_live(d, entries);
    if (status == SCREE_OK)
        status = block_put(d, B_OLD_WORDS, out, entries * words * sizeof *out);
    f->has_old = status == SCREE_OK;
    scree_free(off);
    scree_free(list);
    scree_free(shift);
    scree_free(out);
    return status;
}

static scree_status put_wall_memory(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, words = (size_t)f->words;
    const device_contacts* in = &run->walls;
    uint32_t* live = scree_calloc(n + 1, sizeof *live);
    double* out = scree_calloc(n * words * (size_t)f->walls + 1, sizeof *out);
    scree_status status = live == NULL || out == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int64_t c = 0; c < in->count && status == SCREE_OK; ++c) {
        int32_t i = in->ij[c][0], wall = 0;
        while (f->wall_of[wall] != in->ij[c][1])  // it is one of them
            ++wall;
        live[i] |= 1u << wall;
        memcpy(out + ((size_t)wall * n + (size_t)i) * words, in->words + (size_t)c * words, words * sizeof *out);
    }
    if (status == SCREE_OK)
        status = block_put(d, B_WALL_LIVE, live, n * sizeof *live);
    if (status == SCREE_OK)
        status = block_put(d, B_WALL_WORDS, out, n * words * (size_t)f->walls * sizeof *out);
    scree_free(live);
    scree_free(out);
    return status;
}

static scree_status put_giants(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    int32_t *number = scree_malloc((size_t)run->n + 1, sizeof *number), count = 0;
    if (number == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < run->n; ++i)
        number[i] = run->x[i][3] >= run->giant_radius ? count++ : -1;
    scree_status status = block_put(d, B_GIANT_OF, number, (size_t)run->n * sizeof *number);
    scree_free(number);
    if (status == SCREE_OK)
        status = block_reserve(d, B_GIANTS, (size_t)run->giant_count * sizeof(giant_sums));
    if (status == SCREE_OK && d->ops.zero(d->context, block_at(d, B_GIANTS), (size_t)run->giant_count * sizeof(giant_sums)) != 0)
        status = flow_failed(d);
    return status;
}

// From here on the ranks of the device are the ranks of the processor.
static scree_status name_origins(flow* f)
{
    sim_device* d = f->d;
    gather_job job = {.n = f->run->n, .bytes = 4, .out = block_at(d, B_ORIGIN)};
    DEVICE(d->ops.launch(d->context, KERNEL_GATHER, &job, job.n));
    return SCREE_OK;
}

scree_status flow_put_bonds(flow* f)
{
    sim_device* d = f->d;
    const sim_bonds* all = f->run->bonds;
    TRY(block_put(d, B_BONDS, all->bonds, (size_t)all->count * sizeof *all->bonds));
    TRY(block_put(d, B_BOND_FIRST, all->first, ((size_t)f->run->n + 1) * sizeof *all->first));
    return block_put(d, B_BOND_OF, all->of, 2 * (size_t)all->count * sizeof *all->of);
}

// Velocities that contacts do not read are separate arrays of components on the device. They are copied through the memory for pairs, which is unused between lists, in as many pieces as needed.
static scree_status copy_streams(flow* f, double (*v)[4], bool back)
{
    sim_device* d = f->d;
    TRY(block_reserve(d, B_PAIR, flow_first_pairs((size_t)f->run->n)));
    const int64_t room = (int64_t)(d->blocks[B_PAIR].bytes / sizeof *v);
    turn_job job = {.n = f->run->n, .back = back, .rows = block_rows4(d, B_PAIR), .streams = block_at(d, B_V)};
    for (; job.first < job.n; job.first += room) {
        job.count = job.n - job.first < room ? job.n - job.first : room;
        if (!back)
            DEVICE(d->ops.put(d->context, job.rows, v + job.first, (size_t)job.count * sizeof *v));
        DEVICE(d->ops.launch(d->context, KERNEL_TURN, &job, job.count));
        if (back)
            DEVICE(d->ops.get(d->context, v + job.first, job.rows, (size_t)job.count * sizeof *v));
    }
    return SCREE_OK;
}

scree_status flow_put_all(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, rows = 32 * n;
    double begin = scree_clock();
    TRY(block_put(d, B_X, run->x, rows));
    if (f->turns) {
        TRY(block_put(d, B_V, run->v, rows));
    } else {
        TRY(block_reserve(d, B_V, rows));
        TRY(copy_streams(f, run->v, false));
    }
    TRY(block_reserve(d, B_NEXT, rows));
    if (!f->flying)
        TRY(block_put(d, B_NEXT, run->a, rows));
    if (f->damped) {
        TRY(block_reserve(d, B_P, rows));
        if (f->flying)
            TRY(block_put(d, B_P, run->p, rows));
        TRY(block_reserve(d, B_P_NEXT, rows));
    }
    if (f->positions)
        TRY(block_put(d, B_BEFORE, run->before, rows));
    if (f->turns) {
        TRY(block_put(d, B_W, run->w, rows));
        for (int b = B_W; b <= B_WP_NEXT; ++b)
            TRY(block_reserve(d, b, rows));
        TRY(block_put(d, f->flying ? B_WP : B_WP_NEXT, f->flying ? run->wp : run->turn, rows));
        TRY(block_reserve(d, B_V_NEXT, rows));
    }
    if (run->force != NULL)
        TRY(block_put(d, B_FORCE, run->force, rows));
    if (run->torque != NULL)
        TRY(block_put(d, B_TORQUE, run->torque, rows));
    if (run->material != NULL)
        TRY(block_put(d, B_MATERIAL, run->material, 2 * n));
    if (run->flags != NULL)
        TRY(block_put(d, B_FLAGS, run->flags, n));
    if (run->load_count > 0 && run->group != NULL)
        TRY(block_put(d, B_GROUP, run->group, 2 * n));
    if (run->law->many != NULL)
        TRY(block_put(d, B_MANY, run->law->many, (size_t)run->law->materials * (size_t)run->law->materials * sizeof *run->law->many));
    TRY(block_put(d, B_ORDER_KEY, run->key, 8 * n));
    TRY(block_put(d, B_ROW, run->row, 4 * n));
    TRY(block_reserve(d, B_ORIGIN, 4 * n));
    TRY(name_origins(f));
    if (run->giant_count > 0)
        TRY(put_giants(f));
    if (f->words > 0)
        TRY(put_memory(f));
    if (f->words > 0 && f->walls > 0)
        TRY(put_wall_memory(f));
    if (f->words > 0)
        TRY(flow_put_shape_memory(f));
    if (run->bonds != NULL) {
        TRY(flow_put_bonds(f));
        TRY(block_put(d, B_BOND_KINDS, run->bonds->kinds, (size_t)run->bonds->kind_count * sizeof *run->bonds->kinds));
    }
    TRY(block_reserve(d, B_RESULTS, sizeof(batch_results)));
    TRY(block_reserve(d, B_SMALL, 256));
    flow_spent(d, PART_COPIES, &begin);
    return SCREE_OK;
}

static scree_status get_memory(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, words = (size_t)f->words;
    uint32_t live = 0, *named = NULL, *walls = NULL;
    double* wall_words = NULL;
    int64_t wall_count = 0;
    memory_job job = flow_memory_job(f);
    job.count = block_at(d, B_COUNT);
    job.place = block_at(d, B_START);
    DEVICE(d->ops.launch(d->context, KERNEL_LIVE, &job, (int64_t)n + 1));
    DEVICE(d->ops.sums(d->context, job.count, block_at(d, B_START), (int64_t)n + 1));
    DEVICE(d->ops.get(d->context, &live, job.place + n, sizeof live));
    TRY(block_reserve(d, B_OUT_IJ, 8 * (size_t)live));
    TRY(block_reserve(d, B_OUT_WORDS, 8 * words * live));
    if (f->wraps)
        TRY(block_reserve(d, B_OUT_SHIFT, 4 * (size_t)live));
    job.ij = (int32_t(*)[2])block_at(d, B_OUT_IJ);
    job.named = f->wraps ? block_at(d, B_OUT_SHIFT) : NULL;
    job.out = block_at(d, B_OUT_WORDS);
    DEVICE(d->ops.launch(d->context, KERNEL_TAKE_OUT, &job, job.n));
    walls = scree_calloc(n + 1, sizeof *walls);
    named = scree_malloc((size_t)live + 1, sizeof *named);
    wall_words = scree_malloc(n * words * (size_t)f->walls + 1, sizeof *wall_words);
    scree_status status = walls == NULL || named == NULL || wall_words == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK && f->walls > 0)
        status = block_get(d, B_WALL_LIVE, walls, 4 * n);
    if (status == SCREE_OK && f->walls > 0)
        status = block_get(d, B_WALL_WORDS, wall_words, n * words * (size_t)f->walls * sizeof *wall_words);
    for (size_t i = 0; i < n && status == SCREE_OK; ++i)
        wall_count += lane_bits_of(walls[i]);
    device_contacts pairs_out = {.count = 0}, walls_out = {.count = 0};
    if (status == SCREE_OK)
        status = run->room(run->context, (int64_t)live, wall_count, &pairs_out, &walls_out);
    if (status == SCREE_OK)
        status = block_get(d, B_OUT_IJ, pairs_out.ij, 8 * (size_t)live);
    if (status == SCREE_OK)
        status = block_get(d, B_OUT_WORDS, pairs_out.words, 8 * words * live);
    if (status == SCREE_OK && f->wraps)
        status = block_get(d, B_OUT_SHIFT, named, 4 * (size_t)live);
    for (uint32_t c = 0; c < live && f->wraps && status == SCREE_OK; ++c)
        shift_unpack(named[c], pairs_out.shift[c]);
    int64_t to = 0;
    for (size_t i = 0; i < n && status == SCREE_OK; ++i)
        for (int32_t wall = 0; wall < f->walls; ++wall)
            if (walls[i] >> wall & 1) {
                walls_out.ij[to][0] = (int32_t)i;
                walls_out.ij[to][1] = f->wall_of[wall];
                memcpy(walls_out.words + (size_t)to++ * words, wall_words + ((size_t)wall * n + i) * words, words * sizeof *wall_words);
            }
    scree_free(walls);
    scree_free(named);
    scree_free(wall_words);
    return status;
}

// Rows of the host by the ranks of the device, in place of a block or, with `add`, added to it `times` times.
static scree_status shift_block(sim_device* d, int b, const device_shift* shift, const double (*rows)[4], bool add, double times)
{
    const size_t n = (size_t)shift->n;
    double (*to)[4] = scree_calloc(n, sizeof *to);
    uint32_t* from = scree_malloc(n, sizeof *from);
    scree_status status = to == NULL || from == NULL ? SCREE_ERR_MEMORY : block_get(d, B_ORIGIN, from, n * sizeof *from);
    if (status == SCREE_OK && add)
        status = block_get(d, b, to, n * sizeof *to);
    for (size_t i = 0; i < n && status == SCREE_OK; ++i)
        for (int k = 0; k < 3; ++k)
            to[i][k] = add ? to[i][k] + times * rows[from[i]][k] : rows[from[i]][k];
    if (status == SCREE_OK)
        status = block_put(d, b, to, n * sizeof *to);
    scree_free(to);
    scree_free(from);
    return status;
}

scree_status device_move(sim_device* d, const device_shift* shift)
{
    double begin = scree_clock();
    if (shift->force != NULL)
        TRY(shift_block(d, B_FORCE, shift, shift->force, false, 1.0));
    if (shift->torque != NULL)
        TRY(shift_block(d, B_TORQUE, shift, shift->torque, false, 1.0));
    if (shift->a != NULL)
        TRY(shift_block(d, B_NEXT, shift, shift->a, true, 1.0));
    if (shift->a != NULL && d->state.positions)
        TRY(shift_block(d, B_BEFORE, shift, shift->a, true, shift->before));
    if (shift->turn != NULL)
        TRY(shift_block(d, B_WP_NEXT, shift, shift->turn, true, 1.0));
    flow_spent(d, PART_COPIES, &begin);
    return SCREE_OK;
}

// The state at the end, or at the step that failed.
scree_status flow_get_all(flow* f, bool whole)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, rows = 32 * n;
    double begin = scree_clock();
    if (whole && f->words > 0) {  // first: it needs memory
        TRY(get_memory(f));
        TRY(flow_get_shape_memory(f));
    }
    if (run->bonds != NULL)
        TRY(block_get(d, B_BONDS, run->bonds->bonds, (size_t)run->bonds->count * sizeof *run->bonds->bonds));
    TRY(block_get(d, B_X, run->x, rows));
    TRY(f->turns ? block_get(d, whole ? B_V : B_V_NEXT, run->v, rows) : copy_streams(f, run->v, true));
    TRY(block_get(d, B_P, f->damped ? run->p : NULL, rows));
    TRY(block_get(d, B_BEFORE, f->positions ? run->before : NULL, rows));
    TRY(block_get(d, B_W, f->turns ? run->w : NULL, rows));
    TRY(block_get(d, B_WP, f->turns ? run->wp : NULL, rows));
    TRY(block_get(d, B_ORDER_KEY, run->key, 8 * n));
    TRY(block_get(d, B_ORIGIN, run->from, 4 * n));
    if (whole) {
        TRY(block_get(d, B_NEXT, run->a, rows));
        TRY(block_get(d, B_WP_NEXT, f->turns ? run->turn : NULL, rows));
        TRY(name_origins(f));
    }
    run->at = f->step;
    flow_spent(d, PART_COPIES, &begin);
    return SCREE_OK;
}
