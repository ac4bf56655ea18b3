// A simulation whose steps are done by a device (def.device; sim/device.h). After a run the device has the state; the arrays here are of an earlier step (sim->device_away). Code that reads or
// changes the state first calls sim_check_seen, sim_check_looked or sim_check_still, which copy it back. The next run uses the data on the device again, unless something was changed
// here (sim->device_same).
#include "sim/sim_inner.h"

#include "sim/device.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int32_t count_servos(const scree_sim* sim)
{
    int32_t count = 0;
    for (int32_t n = 0; n < sim->loads.count; ++n)
        count += sim->loads.list[n].given.kind >= SCREE_LOAD_SERVO_FORCE && sim->loads.list[n].given.kind <= SCREE_LOAD_SERVO_TORQUE;
    return count;
}

static int32_t count_walls(const scree_sim* sim)
{
    int32_t count = 0;
    for (int32_t b = 0; b < sim->boundary_count; ++b)
        count += sim->boundaries[b].present && sim->boundaries[b].shape == NULL;
    return count;
}

enum { device_accounts_most = 1 << 25 };  // sums of 32 lanes each, added up without carry

// What a device cannot do; NULL: it can do all of it.
static const char* find_unsupported(const scree_sim* sim)
{
    const char* what = NULL;
    if (sim->law.parts.levels != LEVELS_HALF)
        what = "contacts with the lever arms of other programs";
    else if (sim->law.parts.accounts && sim->law.parts.bridge)
        what = "sums of dissipated energy with liquid bridges (def.energies; in a scene output: {energies: false} leaves them out)";
    else if (sim->law.parts.accounts && sim->n > device_accounts_most)
        what = "sums of dissipated energy of more than 33 million spheres (def.energies; in a scene output: {energies: false} leaves them out)";
    else if (sim->def.backend != SCREE_BACKEND_FUSED)
        what = "backends other than fused (def.backend)";  // of AUTO: those that are named are rejected before
    else if (sim->def.check)
        what = "a check of contacts against all pairs (def.check)";
    else if (cell_is_controlled(sim))
        what = "a cell whose stress is controlled (def.cell)";
    else if (sim->drive.given && sim->drive.now.constant_volume != 0.0)
        what = "a cell of constant volume (def.cell)";
    else if (count_servos(sim) > servos_most)
        what = "more than 32 servos";
    else if (sim->runner != NULL || sim->part != NULL)
        what = "a simulation that several processes share";
    else if (count_walls(sim) > device_walls_most)
        what = "more than 32 walls, not counting exact shapes and meshes";
    else if (sim->boundary_count > device_boundaries_most)
        what = "more than 255 boundaries";
    return what;
}

// It is rejected by name before the device begins.
scree_status sim_device_check(const scree_sim* sim)
{
    const char* what = find_unsupported(sim);
    if (what == NULL)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: device %s does not support %s yet; expected device none", scree_device_name(sim->def.device), what);
}

static device_run needs_of(const scree_sim* sim, int32_t n)
{
    return (device_run){.n = n, .dim = sim->dim, .box = sim->def.box, .law = &sim->law, .boundary_count = sim->boundary_count};
}

// That there is enough memory is seen before the first step.
static scree_status check_memory(const scree_sim* sim, int32_t n)
{
    size_t free, all;
    device_run run = needs_of(sim, n);
    size_t need = device_need(&run);
    device_memory(sim->device, &free, &all);
    if (need <= free)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: %" PRId32 " spheres need about %.3g GB on the device (%s), of which %.3g of %.3g GB are free; expected fewer spheres, or device none", n,
                      1e-9 * (double)need, device_name(sim->device), 1e-9 * (double)free, 1e-9 * (double)all);
}

// The GPU where it is worth it; else the reason is noted.
static void choose(scree_sim* sim)
{
    enum { worth = 100000 };  // spheres from which on a device is faster
    const char* what = find_unsupported(sim);
    sim->def.device = SCREE_DEVICE_NONE;
    if (what != NULL) {
        snprintf(sim->device_note, sizeof sim->device_note, "devices do not support %s yet", what);
    } else if (sim->most < worth) {
        snprintf(sim->device_note, sizeof sim->device_note, "%" PRId32 " spheres are fewer than %d", sim->most, (int)worth);
    } else if (device_open(SCREE_DEVICE_CUDA, &sim->device) != SCREE_OK) {
        snprintf(sim->device_note, sizeof sim->device_note, "there is no GPU: %s", scree_error_message());
    } else if (check_memory(sim, sim->most) != SCREE_OK) {
        snprintf(sim->device_note, sizeof sim->device_note, "the GPU has too little memory: %s", scree_error_message());
        device_close(sim->device);
        sim->device = NULL;
    } else {
        sim->def.device = SCREE_DEVICE_CUDA;
    }
}

scree_status sim_device_begin(scree_sim* sim)
{
    scree_status status = SCREE_OK;
    if (sim->def.device == SCREE_DEVICE_AUTO) {
        choose(sim);
    } else if (sim->def.device != SCREE_DEVICE_NONE) {
        status = sim_device_check(sim);
        if (status == SCREE_OK)
            status = device_open(sim->def.device, &sim->device);
        if (status == SCREE_OK)
            status = check_memory(sim, sim->n);  // some of those that come may have gone by then
    }
    if (status == SCREE_OK && sim->device != NULL)
        snprintf(sim->device_note, sizeof sim->device_note, "%s", device_name(sim->device));
    return status;
}

size_t scree_sim_get_device_bytes(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, 0);
    if (sim->device == NULL)
        return 0;
    device_run run = needs_of(sim, sim->n > sim->most ? sim->n : sim->most);
    return device_bytes(sim->device) > 0 ? device_bytes(sim->device) : device_need(&run);
}

int32_t scree_sim_get_device(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, SCREE_DEVICE_NONE);
    return sim->def.device;
}

const char* scree_sim_get_device_note(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, "");
    return sim->device_note;
}

// ---- What the device asks ------------------------------------------------------------------------------------------------

typedef struct device_talk {
    scree_sim* sim;
    int64_t first, last;
    double shown;
} device_talk;

static void now(void* context, int64_t step, sim_boundary* boundaries, double gravity[3])
{
    scree_sim* sim = ((device_talk*)context)->sim;
    double g[4];
    sim_boundaries_at(sim, step, boundaries);
    memcpy(sim->felt, boundaries, (size_t)sim->boundary_count * sizeof *sim->felt);  // after the last pass: those that it saw, which servos have moved on since
    sim_gravity_at(sim, step, g);
    memcpy(gravity, g, 3 * sizeof *gravity);
}

// Loads that passes know: loads of groups.
static bool is_of_passes(const sim_load* load, int32_t* kind)
{
    static const int32_t kinds[] = {[DEVICE_LOAD_FORCE] = SCREE_LOAD_FORCE, [DEVICE_LOAD_TORQUE] = SCREE_LOAD_TORQUE, [DEVICE_LOAD_VELOCITY] = SCREE_LOAD_VELOCITY, [DEVICE_LOAD_SPIN] = SCREE_LOAD_SPIN};
    for (*kind = DEVICE_LOAD_FORCE; *kind <= DEVICE_LOAD_SPIN; ++*kind)
        if (kinds[*kind] == load->given.kind)
            return true;
    return false;
}

static int32_t count_loads(const scree_sim* sim)
{
    int32_t count = 0, kind;
    for (int32_t n = 0; n < sim->loads.count; ++n)
        count += is_of_passes(&sim->loads.list[n], &kind);
    return count;
}

static void loads(void* context, int64_t step, bool ends, device_load* out)
{
    const scree_sim* sim = ((const device_talk*)context)->sim;
    for (int32_t n = 0; n < sim->loads.count; ++n) {
        const sim_load* load = &sim->loads.list[n];
        int32_t kind;
        if (!is_of_passes(load, &kind))
            continue;
        double time;
        *out = (device_load){.kind = kind, .group = load->given.target};
        loads_time(sim, load, step, &time);
        scree_signal_at(&load->given.value, time, out->value);
        if (kind >= DEVICE_LOAD_VELOCITY && !ends)
            groups_next(sim, load, step, out->value, out->then);
        ++out;
    }
}

static void drag(void* context, int64_t step, sim_drag* out)
{
    const scree_sim* sim = ((const device_talk*)context)->sim;
    *out = sim->loads.drag;
    for (int k = 0; k < sim->dim && sim->drive.given; ++k)
        out->middle[k] = 0.5 * (sim->drive.first.lower[k] + sim->drive.first.upper[k]);
    loads_drag(sim, step, out);
}

// What sim_pass_end does with the sums of a pass.
static scree_status book(void* context, int64_t step, bool begins, const energy_sums* sums)
{
    scree_sim* sim = ((device_talk*)context)->sim;
    sim_pass pass = {.mode = begins ? SIM_STEP : SIM_OBSERVE, .scales = sim_scales(&sim->numbers), .drag = sim->loads.drag};
    energy_sums all = *sums;
    double values[ENERGY_COUNT];
    int64_t here = sim->step;
    energy_join(&all, &sim->pending);
    sim->step = step;
    scree_status status = sim_account(sim, &pass, &all, values);
    if (status == SCREE_OK && sim->drive.given) {
        scree_box box;
        sim_cell was = sim->cell;
        status = cell_at(sim, step, &box, &sim->cell);
        pass.cell = sim->cell;
        if (status == SCREE_OK)
            cell_account(sim, &pass, values);
        sim->cell = was;
    }
    if (status == SCREE_OK)
        sim->step = here;
    return status;
}

static bool tick(void* context, int64_t step)
{
    device_talk* talk = context;
    const scree_watch* watch = &talk->sim->def.watch;
    if (watch->tick == NULL || !(scree_clock() - talk->shown > 0.02))
        return true;
    bool on = watch->tick(watch->context, (double)(step - talk->first) / (double)(talk->last > talk->first ? talk->last - talk->first : 1));
    talk->shown = scree_clock();
    return on;
}

static scree_status room(void* context, int64_t pairs, int64_t walls, device_contacts* pairs_out, device_contacts* walls_out)
{
    sim_memory* m = &((device_talk*)context)->sim->memory;
    int words = ((device_talk*)context)->sim->law.row.words;
    bool shifted = ((device_talk*)context)->sim->periodic;
    if (SCREE_RESERVE(m->kept_pairs.ij, m->kept_pairs.ij_capacity, pairs) != SCREE_OK ||
        (shifted && SCREE_RESERVE(m->kept_pairs.shift, m->kept_pairs.shift_capacity, pairs) != SCREE_OK) ||
        SCREE_RESERVE(m->kept_pairs.words, m->kept_pairs.word_capacity, pairs * words) != SCREE_OK ||
        SCREE_RESERVE(m->kept_walls.ij, m->kept_walls.ij_capacity, walls) != SCREE_OK ||
        SCREE_RESERVE(m->kept_walls.words, m->kept_walls.word_capacity, walls * words) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    m->kept_pairs.count = pairs;
    m->kept_walls.count = walls;
    *pairs_out = (device_contacts){.count = pairs, .ij = m->kept_pairs.ij, .shift = shifted ? m->kept_pairs.shift : NULL, .words = m->kept_pairs.words};
    *walls_out = (device_contacts){.count = walls, .ij = m->kept_walls.ij, .words = m->kept_walls.words};
    return SCREE_OK;
}

static scree_status room_touches(void* context, int64_t count, device_contacts* out)
{
    scree_sim* sim = ((device_talk*)context)->sim;
    sim_kept* kept = &sim->memory.kept_surfaces;
    if (SCREE_RESERVE(kept->ij, kept->ij_capacity, count) != SCREE_OK || SCREE_RESERVE(kept->words, kept->word_capacity, count * (sim->law.row.words + surface_words)) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    kept->count = count;
    *out = (device_contacts){.count = count, .ij = kept->ij, .words = kept->words};
    return SCREE_OK;
}

static void rename_bonds(void* context, const uint32_t* from, const int8_t (*turns)[4])
{
    scree_sim* sim = ((device_talk*)context)->sim;
    for (int64_t at = 0; at < sim->bonds.count && turns != NULL; ++at) {  // bonds_wrapped
        bond* b = &sim->bonds.bonds[at];
        for (int k = 0; k < 3; ++k)
            b->shift[k] = (int8_t)(b->shift[k] - turns[b->rank[0]][k] + turns[b->rank[1]][k]);
    }
    (void)bonds_rename(sim, from);
}

static void servos(void* context, device_servo* out)
{
    scree_sim* sim = ((device_talk*)context)->sim;
    motion_servo_begin(sim);
    const sim_servos* s = &sim->loads.servos;
    for (int32_t n = 0; n < s->count; ++n) {
        const scree_sim_load* given = &s->loads[n]->given;
        const bool torque = given->kind == SCREE_LOAD_SERVO_TORQUE;
        out[n] = (device_servo){.boundary = given->target,
                                .torque = torque,
                                .direction = {given->direction[0], given->direction[1], given->direction[2]},
                                .per = 1.0 / (torque ? sim->numbers.torque_quantum : sim->numbers.force_quantum),
                                .per_resistance = 1.0 / s->resistance_quantum};
    }
}

static scree_status measured(void* context, int64_t step, const device_servo* from)
{
    scree_sim* sim = ((device_talk*)context)->sim;
    int64_t here = sim->step;
    for (int32_t n = 0; n < sim->loads.servos.count; ++n)
        sim->loads.servo_sums[n] = (sim_servo_sums){.load = from[n].sum[0], .resistance = {from[n].sum[1], from[n].sum[2]}, .overflow = from[n].beyond};
    sim->step = step;
    scree_status status = motion_servo_end(sim);
    if (status == SCREE_OK)
        sim->step = here;
    return status;
}

static scree_status crossings(void* context, int64_t step, int64_t count, const uint64_t* who)
{
    return crossings_take(((device_talk*)context)->sim, step, count, who);
}

static scree_status the_cell_at(void* context, int64_t step, scree_box* box, sim_cell* cell)
{
    scree_box there;
    return cell_at(((const device_talk*)context)->sim, step, box != NULL ? box : &there, cell);
}

static void reduce(void* context, int64_t step, scree_box* box, sim_cell* cell, int32_t boxes[3])
{
    scree_sim* sim = ((device_talk*)context)->sim;
    int64_t here = sim->step;
    double n[3];
    sim->step = step;
    if (cell_go(sim) == SCREE_OK)  // it was asked for already
        cell_reduce(sim, n);
    else
        n[0] = n[1] = n[2] = 0.0;
    sim->step = here;
    *box = sim->def.box;
    *cell = sim->cell;
    for (int k = 0; k < 3; ++k)
        boxes[k] += (int32_t)n[k];
}

static int32_t part_first(void* context, int32_t boundary)
{
    return ((const device_talk*)context)->sim->boundaries[boundary].shape->first;
}

static double outside(void* context, int64_t step)
{
    return sim_wall_speed_at(((const device_talk*)context)->sim, step);
}

// ---- Back ----------------------------------------------------------------------------------------------------------------

// Arrays that the device does not give back follow their spheres.
static void follow(scree_sim* sim, const uint32_t* from, char* scratch)
{
    static const size_t given[] = {offsetof(scree_sim, x), offsetof(scree_sim, before)};
    for (int a = 0; a < sim_array_count; ++a) {
        const sim_array* array = &sim_arrays[a];
        char* rows = sim_items(sim, array->at);
        bool has = rows != NULL && array->ordered && !array->rows;  // those with rows in turns are all given back
        for (size_t g = 0; g < sizeof given / sizeof *given; ++g)
            has = has && array->at != given[g];
        for (int64_t i = 0; i < sim->n && has; ++i)
            memcpy(scratch + (size_t)i * array->bytes, rows + from[i] * array->bytes, array->bytes);
        if (has)
            memcpy(rows, scratch, (size_t)sim->n * array->bytes);
    }
}

static void take_overlap(const scree_sim* sim, const device_overlap* from, scree_sim_overlap* to)
{
    if (!from->found)
        return;
    int64_t i = sim->id[from->i], j = from->j >= 0 ? sim->id[from->j] : from->j;
    bool turned = from->j >= 0 && j < i;
    const double* at = sim_watch_place(from->x[0], from->j >= 0 ? from->x[1] : NULL, turned);
    *to = (scree_sim_overlap){.step = from->step,
                              .ij = {turned ? j : i, turned ? i : j},
                              .overlap = from->overlap,
                              .relative = from->relative,
                              .duration = from->duration,
                              .at = {at[0], at[1], at[2]}};
}

// Rows that stand in turns with others (sim_rows), one after the other as the device has them.
typedef struct packed_rows {
    sim_rows* of;
    double (*at)[4];
} packed_rows;

enum { PACKED_V, PACKED_P, PACKED_W, PACKED_WP, PACKED_TURN, packed_count };

// `fill`: with what is there; else there is only room.
static scree_status pack(const scree_sim* sim, bool fill, packed_rows* rows)
{
    rows->at = rows->of->at;
    if (rows->at == NULL || !rows->of->twice)
        return SCREE_OK;
    rows->at = scree_malloc((size_t)sim->n, sizeof *rows->at);
    for (int64_t i = 0; i < sim->n && rows->at != NULL && fill; ++i)
        memcpy(rows->at[i], sim_at(*rows->of, i), sizeof *rows->at);
    return rows->at != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
}

static void unpack(const scree_sim* sim, const packed_rows* rows)
{
    for (int64_t i = 0; i < sim->n && rows->at != NULL && rows->at != rows->of->at; ++i)
        memcpy(sim_at(*rows->of, i), rows->at[i], sizeof *rows->at);
}

// A pass of the device ran into trouble at this state; the message is that of the processor's pass.
static scree_status say(scree_sim* sim, const device_run* run)
{
    scree_status status = lists_ready(sim, true);
    sim->failed = true;
    if (status != SCREE_OK)
        return status;
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    if ((run->trouble & DEVICE_ESCAPED) != 0 && run->crossed != UINT64_MAX) {
        for (int64_t b = 0; b < sim->blocks; ++b)
            sim->result[b].crosses = false;
        for (int32_t i = 0; i < sim->n; ++i)
            if ((uint64_t)sim_row(sim, i) == run->crossed >> 32)
                sim->result[0] = (block_result){.crosses = true, .crossed = i, .crossed_boundary = (int32_t)(run->crossed & 0xffffffff)};
    }
    if ((run->trouble & DEVICE_ESCAPED) != 0)
        return sim_say_escaped(sim);
    if ((run->trouble & DEVICE_LOST) != 0)
        return sim_say_lost(sim, sim->v);
    status = sim_pass_run(sim, SIM_REST);
    sim->failed = true;
    return status != SCREE_OK ? status : scree_fail(SCREE_ERR_ARGUMENT, "sim: step %" PRId64 ": the forces on a sphere are too large to be summed; expected smaller overlaps "
                                                                                             "or a shorter time step", sim->step);
}

static bool is_moving(const scree_sim* sim)
{
    const double* turn = sim->walls.turn;
    for (int32_t b = boundary_faces; b < sim->boundary_count; ++b) {  // turned numbers of a round shape are others, though it looks the same
        const double* w = sim->boundaries[b].spin;
        if (sim->boundaries[b].shape != NULL && (w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0))
            return true;
    }
    bool loaded = sim->drive.given || sim->bonds.count > 0 || sim->loads.moving || loads_find(sim, SCREE_LOAD_GRAVITY, 0) != NULL || loads_find(sim, SCREE_LOAD_TURN, 0) != NULL;
    return loaded || sim_wall_speed(sim) > 0.0 || turn[0] != 0.0 || turn[1] != 0.0 || turn[2] != 0.0;
}

// What a device begins a step with by itself; else the processor does, from its own state.
static bool device_begins(const scree_sim* sim)
{
    return sim->loads.count == 0 && !sim_has_sums(sim);
}

// Arrays of a run or of a state that comes back.
typedef struct device_room {
    int32_t* row;
    uint32_t* from;
    char* scratch;      // 32 bytes for each sphere
    double (*external[2])[4];  // forces and torques without loads, where these are added; else NULL
    packed_rows packed[packed_count];
} device_room;

// External forces or torques of spheres, without those of loads that change from step to step: the device adds these.
static scree_status leave_loads_out(const scree_sim* sim, int32_t kind, double (*sum)[4], double (*own)[4], double (**out)[4])
{
    bool some = false;
    for (int32_t n = 0; n < sim->loads.count; ++n)
        some = some || sim->loads.list[n].given.kind == kind;
    if (own == NULL || !some)
        return SCREE_OK;
    *out = scree_malloc((size_t)sim->n, sizeof **out);
    if (*out == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < sim->n; ++i)
        memcpy((*out)[i], loads_find(sim, kind, group_of(sim->group, i)) != NULL ? own[i] : sum[i], sizeof **out);
    return SCREE_OK;
}

static scree_status room_open(scree_sim* sim, bool fill, device_room* out)
{
    *out = (device_room){.row = scree_malloc((size_t)sim->n, sizeof *out->row),
                         .from = scree_malloc((size_t)sim->n, sizeof *out->from),
                         .scratch = scree_malloc((size_t)sim->n, 4 * sizeof(double)),
                         .packed = {{.of = &sim->v}, {.of = &sim->p}, {.of = &sim->w}, {.of = &sim->wp}, {.of = &sim->wp_next}}};
    scree_status status = out->row != NULL && out->from != NULL && out->scratch != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int k = 0; k < packed_count && status == SCREE_OK; ++k)
        status = pack(sim, fill, &out->packed[k]);
    for (int64_t i = 0; i < sim->n && status == SCREE_OK && fill; ++i)
        out->row[i] = (int32_t)sim_row(sim, i);
    if (status == SCREE_OK && fill)
        status = leave_loads_out(sim, SCREE_LOAD_FORCE, sim->force, sim->own_force, &out->external[0]);
    if (status == SCREE_OK && fill)
        status = leave_loads_out(sim, SCREE_LOAD_TORQUE, sim->torque, sim->own_torque, &out->external[1]);
    return status;
}

static void room_close(device_room* room)
{
    scree_free(room->external[0]);
    scree_free(room->external[1]);
    for (int k = 0; k < packed_count; ++k)
        if (room->packed[k].at != NULL && room->packed[k].at != room->packed[k].of->at)
            scree_free(room->packed[k].at);
    scree_free(room->row);
    scree_free(room->from);
    scree_free(room->scratch);
}

static device_run run_of(scree_sim* sim, device_talk* talk, const device_room* arrays)
{
    device_run run = {.n = sim->n,
                      .dim = sim->dim,
                      .box = sim->def.box,
                      .law = &sim->law,
                      .cell = sim->cell,
                      .teams = !law_is_single(&sim->law) || sim->law.row.words > 0,
                      .step = sim->numbers.time_step,
                      .order_every = sim->def.order_every,
                      .skin = sim->device_skin,
                      .giant_radius = sim->numbers.giant_radius,
                      .quantum = sim->numbers.force_quantum,
                      .torque_quantum = sim->numbers.torque_quantum,
                      .giant_count = sim->numbers.giant_count,
                      .at = sim->step,
                      .last = talk->last,
                      .x = sim->x,
                      .v = arrays->packed[PACKED_V].at,
                      .p = arrays->packed[PACKED_P].at,
                      .before = sim->before,
                      .w = arrays->packed[PACKED_W].at,
                      .wp = arrays->packed[PACKED_WP].at,
                      .key = sim->key,
                      .row = arrays->row,
                      .material = sim->material,
                      .flags = sim->flags,
                      .force = (const double(*)[4])(arrays->external[0] != NULL ? arrays->external[0] : sim->force),
                      .torque = (const double(*)[4])(arrays->external[1] != NULL ? arrays->external[1] : sim->torque),
                      .adds = {sim->own_force != NULL, sim->own_torque != NULL},
                      .a = sim->other,
                      .turn = arrays->packed[PACKED_TURN].at,
                      .from = arrays->from,
                      .context = talk,
                      .now = now,
                      .boundary_count = sim->boundary_count,
                      .moves = is_moving(sim),
                      .tick = tick,
                      .room = room,
                      .accounts = sim_has_sums(sim),
                      .scales = sim_scales(&sim->numbers),
                      .book = book,
                      .drag = sim->loads.drag.on ? drag : NULL,
                      .group = sim->group,
                      .bonds = sim->bonds.count > 0 ? &sim->bonds : NULL,
                      .rename_bonds = rename_bonds,
                      .servo_count = count_servos(sim),
                      .servos = servos,
                      .measured = measured,
                      .crossings = sim->crossings.on ? crossings : NULL,
                      .cell_at = sim->drive.given ? the_cell_at : NULL,
                      .reduce = sim->drive.given ? reduce : NULL,
                      .room_touches = room_touches,
                      .part_first = part_first,
                      .outside = outside,
                      .load_count = count_loads(sim),
                      .loads = loads};
    if (sim->def.watch_overlaps > 0.0) {
        run.look_every = sim->watch.every;
        run.look_curved = sim_watch_is_curved(sim);
        run.look_share = sim->def.watch_overlaps;
        run.look_brief = sim_watch_brief(sim);
        run.deepest.relative = sim->watch.found.deepest.relative;
        run.shortest.duration = sim->watch.found.shortest.duration;
    }
    sim_memory* m = &sim->memory;
    if (sim->law.row.words > 0) {
        run.pairs = (device_contacts){.count = m->kept_pairs.count, .ij = m->kept_pairs.ij, .shift = sim->periodic ? m->kept_pairs.shift : NULL, .words = m->kept_pairs.words};
        run.walls = (device_contacts){.count = m->kept_walls.count, .ij = m->kept_walls.ij, .words = m->kept_walls.words};
        run.touches = (device_contacts){.count = sim->surfaces.count > 0 ? m->kept_surfaces.count : 0, .ij = m->kept_surfaces.ij, .words = m->kept_surfaces.words};
    }
    return run;
}

// What was given back in the order that spheres have now.
static void take_over(scree_sim* sim, const device_run* run, device_room* arrays)
{
    for (int k = 0; k < packed_count; ++k)
        unpack(sim, &arrays->packed[k]);
    follow(sim, run->from, arrays->scratch);
    sim_giants_find(sim);
    sim->lists.unfinished = true;
    sim->device_away = false;
}

scree_status sim_device_fetch(scree_sim* sim)
{
    if (!sim->device_away || sim->flying)
        return SCREE_OK;
    device_talk talk = {.sim = sim};
    device_room arrays;
    scree_status status = room_open(sim, false, &arrays);
    device_run run = run_of(sim, &talk, &arrays);
    double before = device_seconds(sim->device, 3);
    if (status == SCREE_OK)
        status = device_get(sim->device, &run);
    sim->seconds_other += device_seconds(sim->device, 3) - before;
    if (status == SCREE_OK) {
        take_over(sim, &run, &arrays);
        if (sim->loads.count > 0)
            loads_step(sim);
        sim->memory.kept = sim->law.row.words > 0;
        sim->device_unsorted = sim->memory.kept && sim->numbers.giant_count > 0;  // rows of their partners spoke for them
    }
    room_close(&arrays);
    return status;
}

scree_status sim_device_leave(scree_sim* sim)
{
    sim->failed = sim->failed || (sim->device_away && sim->flying);
    scree_status status = sim_device_fetch(sim);
    sim->device_away = sim->device_away && status != SCREE_OK;
    sim->device_same = false;
    return status;
}

bool sim_device_is_kept(const scree_sim* sim)
{
    return sim->device != NULL && sim->device_same && !sim->flying && !sim->failed && sim->crossings.seen == 0 && device_begins(sim);
}

scree_status sim_device_shift(scree_sim* sim, double (*const more[2])[4])
{
    const double step = sim->numbers.time_step;
    const device_shift shift = {.n = sim->n,
                                .force = more[0] != NULL ? (const double(*)[4])sim->force : NULL,
                                .torque = more[1] != NULL ? (const double(*)[4])sim->torque : NULL,
                                .a = (const double(*)[4])more[0],
                                .turn = (const double(*)[4])more[1],
                                .before = 0.5 * step * step};
    const double before = device_seconds(sim->device, 3);
    scree_status status = device_move(sim->device, &shift);
    sim->seconds_other += device_seconds(sim->device, 3) - before;
    return status;
}

// Contacts that came back, in their order.
static scree_status sort_kept(scree_sim* sim)
{
    if (!sim->device_unsorted)
        return SCREE_OK;
    uint32_t* same = scree_malloc((size_t)sim->n, sizeof *same);
    for (int32_t i = 0; i < sim->n && same != NULL; ++i)
        same[i] = (uint32_t)i;
    scree_status status = same != NULL ? memory_rename(sim, same) : SCREE_ERR_MEMORY;
    scree_free(same);
    sim->device_unsorted = status != SCREE_OK;
    return status;
}

scree_status sim_device_mend(scree_sim* sim)
{
    if (sim->device == NULL || !sim->lists.unfinished || sim->flying)
        return SCREE_OK;
    if (sort_kept(sim) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    double before = sim->seconds_search;
    scree_status status = lists_ready(sim, true);
    sim->seconds_other += sim->seconds_search - before;  // it is not the device that searches
    sim->seconds_search = before;
    return status;
}

// Accounts and the cell go on while the device works: where the run fails, and the state is that of its beginning, so are they.
typedef struct accounts_kept {
    double account[2 * sim_accounts], dissipated[2], next[2];
    energy_sums pending;
    sim_drive drive;
    sim_cell cell;
    scree_box box;
    sim_load* loads;  // places and velocities of servos; NULL: there are none
} accounts_kept;

static accounts_kept keep_accounts(const scree_sim* sim)
{
    accounts_kept kept = {.pending = sim->pending, .drive = sim->drive, .cell = sim->cell, .box = sim->def.box};
    memcpy(kept.account, sim->account, sizeof kept.account);
    memcpy(kept.dissipated, sim->loads.dissipated, sizeof kept.dissipated);
    memcpy(kept.next, sim->loads.next, sizeof kept.next);
    if (count_servos(sim) > 0)
        kept.loads = scree_malloc((size_t)sim->loads.count, sizeof *kept.loads);
    if (kept.loads != NULL)
        memcpy(kept.loads, sim->loads.list, (size_t)sim->loads.count * sizeof *kept.loads);
    return kept;
}

static void give_accounts(scree_sim* sim, const accounts_kept* kept)
{
    sim->pending = kept->pending;
    sim->drive = kept->drive;
    sim->cell = kept->cell;
    sim->def.box = kept->box;
    memcpy(sim->account, kept->account, sizeof kept->account);
    memcpy(sim->loads.dissipated, kept->dissipated, sizeof kept->dissipated);
    memcpy(sim->loads.next, kept->next, sizeof kept->next);
    if (kept->loads != NULL)
        memcpy(sim->loads.list, kept->loads, (size_t)sim->loads.count * sizeof *kept->loads);
}

// The device has the state of step run->at, in the middle of a step or at its end.
static void stay(scree_sim* sim, const device_run* run)
{
    take_overlap(sim, &run->deepest, &sim->watch.found.deepest);
    take_overlap(sim, &run->shortest, &sim->watch.found.shortest);
    sim->watch.slack = 0.0;
    sim->step = run->at;
    sim->flying = run->flying;
    sim->device_away = sim->device_same = true;
    sim->lists.unfinished = true;  // what contacts remember is not in its rows
}

// Up to `last`, or to where somebody has passed through a boundary that removes.
static scree_status run_on(scree_sim* sim, int64_t first, int64_t last)
{
    device_talk talk = {.sim = sim, .first = first, .last = last, .shown = scree_clock()};
    scree_status status = sim_device_check(sim);
    const bool begins = device_begins(sim);
    if (status == SCREE_OK && !begins && !sim->flying)
        status = sim_device_leave(sim);
    const bool put = !sim->device_away && !sim->device_same;
    if (status == SCREE_OK && put)
        status = sort_kept(sim);
    if (status == SCREE_OK && put)
        status = memory_keep(sim);
    if (status != SCREE_OK)
        return status;
    if (!begins && !sim->flying)
        sim_launch(sim);
    device_room arrays;
    status = room_open(sim, put, &arrays);
    device_run run = run_of(sim, &talk, &arrays);
    run.put = put;
    run.flying = sim->flying;
    double before[5], *seconds[5] = {&sim->seconds_search, &sim->seconds_force, &sim->seconds_other, &sim->seconds_other, &sim->seconds_other};
    for (int part = 0; part < 5; ++part)
        before[part] = device_seconds(sim->device, part);
    if (put)
        sim->lists.unfinished = true;
    accounts_kept kept = keep_accounts(sim);
    if (status == SCREE_OK && run.servo_count > 0 && kept.loads == NULL)
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = device_go(sim->device, &run);
    for (int part = 0; part < 5; ++part)
        *seconds[part] += device_seconds(sim->device, part) - before[part];
    if (run.holds && (status == SCREE_OK || run.at != sim->step || run.flying != sim->flying || sim->bonds.count > 0))  // bonds stand by its ranks
        stay(sim, &run);
    else if (status != SCREE_OK && !sim->failed)
        give_accounts(sim, &kept);
    if (status != SCREE_OK && status != SCREE_ERR_MEMORY) {
        sim->failed = sim->failed || sim->device_away || sim->bonds.count > 0 || status != SCREE_ERR_UNSUPPORTED;  // it was there only, or cannot go on
        sim->device_away = sim->device_same = false;
    }
    if (status == SCREE_OK && (run.gone || run.trouble != 0)) {
        take_overlap(sim, &run.deepest, &sim->watch.found.deepest);
        take_overlap(sim, &run.shortest, &sim->watch.found.shortest);
        take_over(sim, &run, &arrays);
        sim->step = run.at;
        sim->flying = sim->device_same = false;
        status = say(sim, &run);
    } else if (status == SCREE_OK) {
        sim->speed = run.speed;
        sim->contacts = run.contacts;
        (void)cell_go(sim);
        sim->drive.felt = sim->cell;
        sim_boundaries_at(sim, sim->step, sim->boundaries_now);
        if (!begins)
            status = sim_device_fetch(sim);
    }
    room_close(&arrays);
    scree_free(kept.loads);
    return status == SCREE_OK && run.stopped && sim->step < last ? scree_fail(SCREE_ERR_CANCELLED, "stopped on request after step %" PRId64, sim->step) : status;
}

// Those who have passed are removed at that moment, and the run goes on with the others.
scree_status sim_device_run(scree_sim* sim, int64_t last)
{
    const int64_t first = sim->step;
    for (;;) {
        scree_status status = run_on(sim, first, last);
        if ((status != SCREE_OK && status != SCREE_ERR_CANCELLED) || sim->crossings.seen == 0)
            return status;
        char stopped[400];
        snprintf(stopped, sizeof stopped, "%s", status != SCREE_OK ? scree_error_message() : "");
        scree_status removed = sim_device_leave(sim);
        if (removed == SCREE_OK)
            removed = crossings_remove(sim);
        if (removed != SCREE_OK || status == SCREE_OK) {
            if (removed != SCREE_OK || sim->step >= last || sim->n == 0)
                return removed;
            continue;
        }
        return scree_fail(status, "%s", stopped);
    }
}
