// The periodic cell: boxes with any angles, and boxes that shear, strain or follow a stress.
//
// An image of a sphere is at x + H s, with H the matrix of the cell and s whole numbers, and has the velocity v + dH/dt s. Everything else follows from this. Distances
// and relative velocities of contacts with images have these offsets (contact.h, grains.h); a sphere that is wrapped by s loses H s and dH/dt s; and when dH/dt
// changes by D, a sphere at x = centre + H q gets D q: as its images do. So nothing depends on which image is called the sphere, and the sum of forces
// is still mass times acceleration in the laboratory.
//
//     prescribed    H(n) = H(since) + (n - since) dt dH/dt         from the steps since it was set, not added up: the same however one came there
//     controlled    dH/dt is new at every step n, from the stress of its pass: then `since` is n, and all spheres get D q when the pass is done
//
// The stress is a sum of integers over contacts and spheres, in quanta, so that threads and blocks make no difference to it. Tilts beyond half a box are reduced when the
// order of the spheres is renewed: the edge vector b becomes b - n a, and an image (sx, sy, sz) is called (sx + n sy, sy, sz) from then on.
//
// Cost: a sheared cell adds two or three sums to contacts with images. A controlled one also adds six integers for each contact, and reads and writes
// all velocities once more in a step.
#include "sim/part_inner.h"
#include "sim/runner.h"

#include "base/argument.h"
#include "base/parallel.h"
#include "geom/lattice.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

_Static_assert(sizeof(cell_values) <= SCREE_CELL_VALUES * sizeof(double), "a state has room for all values of a cell");

static const char* const names[SCREE_CELL_COUNT] = {"xx", "yy", "zz", "xy", "xz", "yz"};
static const int axes[SCREE_CELL_COUNT][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

typedef struct cell_block {
    int64_t kinetic[3], momentum[3];  // sums of m u u and m u, in quanta
    bool overflow;
    sim_sum work;        // kinetic energy that a change of dH/dt has given
    uint64_t beyond;
    double most;         // square of the largest speed then
} cell_block;

SCREE_DEFAULTS_OF(scree_sim_cell, scree_default_sim_cell)
{
    return (scree_sim_cell){.struct_size = sizeof(scree_sim_cell)};
}

// ---- Checks ------------------------------------------------------------------------------------------------------------

static bool is_controlled(const scree_sim_cell* cell)
{
    return cell->controlled != 0 || cell->isotropic;
}

static scree_status check_control(const scree_sim_def* def, const scree_sim_cell* cell)
{
    const scree_box* box = &def->box;
    if (cell->isotropic && cell->controlled != 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: a cell with one pressure for all axes and with stresses of single ones; expected one of the two");
    int alike = 0;
    for (int k = 0; k < 3; ++k) {
        bool has = cell->isotropic ? k < box->dim && cell->rate[k] == 0.0 : (cell->controlled & 1u << k) != 0;
        alike += has;
        if (!has)
            continue;
        if (k >= box->dim || !box->periodic[k])
            return scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: a target stress along %c; expected a periodic axis", "xyz"[k]);
        if (cell->rate[k] != 0.0)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: axis %c of the cell has a strain rate of %g and a controlled stress; expected one of the two", "xyz"[k], cell->rate[k]);
        if (!(fabs(cell->stress[cell->isotropic ? 0 : k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: a stress of %g for the cell; expected a finite number", cell->stress[cell->isotropic ? 0 : k]);
    }
    if (cell->isotropic && alike == 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: a cell with a pressure in which every axis has a strain rate; expected at least one axis without a strain rate, which follows the pressure");
    if (cell->controlled >= 8)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: controlled axes %" PRIu32 " of the cell; expected three bits", cell->controlled);
    if (is_controlled(cell) && !(cell->rate_most > 0.0 && cell->rate_most <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: a controlled cell with a largest strain rate of %g; expected more than 0", cell->rate_most);
    if (!(cell->response >= 0.0 && cell->response <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: a response time of the cell of %g; expected 0 or more", cell->response);
    return SCREE_OK;
}

// Axes that constant_volume changes.
static bool is_free(const scree_box* box, const double* rate, unsigned controlled, int k)
{
    return k < box->dim && box->periodic[k] && rate[k] == 0.0 && (controlled & 1u << k) == 0;
}

scree_status cell_check(const scree_sim_def* def, const scree_sim_cell* cell)
{
    const scree_box* box = &def->box;
    for (int e = 0; e < SCREE_CELL_COUNT; ++e) {
        int along = axes[e][0], axis = axes[e][1];
        if (!(fabs(cell->rate[e]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: a strain rate %s of %g for the cell; expected a finite number", names[e], cell->rate[e]);
        if (cell->rate[e] != 0.0 && (axis >= box->dim || !box->periodic[along] || !box->periodic[axis]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: strain rate %s = %g; expected a periodic axis %c", names[e], cell->rate[e],
                              "xyz"[axis >= box->dim || !box->periodic[axis] ? axis : along]);
        int32_t method = def->search != NULL ? (int32_t)def->search->method : SCREE_METHOD_AUTO;
        if (e >= SCREE_CELL_XY && cell->rate[e] != 0.0 && method != SCREE_METHOD_AUTO && method != SCREE_METHOD_HIERARCHICAL_GRID && method != SCREE_METHOD_ALL_PAIRS)
            return scree_fail(SCREE_ERR_UNSUPPORTED, "sim.cell: %s does not support cells that shear (rate %s %g); expected hierarchical-grid or all-pairs",
                              scree_method_name((scree_method)method), names[e], cell->rate[e]);
    }
    scree_status status = check_control(def, cell);
    int free = 0;
    for (int k = 0; k < box->dim; ++k)
        free += is_free(box, cell->rate, cell->controlled, k);
    if (status == SCREE_OK && cell->constant_volume && (free == 0 || cell->isotropic))
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim.cell: a cell of constant volume in which every axis has a strain rate or a stress; expected at least one axis with neither");
    return status;
}

// What a cell that moves cannot have.
static scree_status check_content(const scree_sim* sim)
{
    if (sim->numbers.fixed > 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim.cell: %" PRId32 " fixed spheres; expected none in a cell that deforms, because their images would move", sim->numbers.fixed);
    if (sim->boundary_count > boundary_faces || sim->surfaces.count > 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim.cell: %" PRId32 " boundaries other than the walls of the box; expected none in a cell that deforms, because they would not move with it",
                          sim->boundary_count - boundary_faces);
    if (sim->def.later != NULL)
        return cell_reject(sim, "spheres that come later");
    if (sim->numbers.bond_count > 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim.cell: %" PRId64 " bonds; expected none in a cell that deforms", sim->numbers.bond_count);
    return SCREE_OK;
}

// ---- The matrix ----------------------------------------------------------------------------------------------------------

static void matrix_of(const double six[SCREE_CELL_COUNT], double h[3][3])
{
    memset(h, 0, 9 * sizeof h[0][0]);
    for (int e = 0; e < SCREE_CELL_COUNT; ++e)
        h[axes[e][0]][axes[e][1]] = six[e];
}

static bool any_of(const double* values, int count)
{
    bool any = false;
    for (int k = 0; k < count; ++k)
        any = any || values[k] != 0.0;
    return any;
}

// The box with these sides and tilts, its middle where it was. A side as it was at first has the first bounds, to the bit.
static void set_box(const scree_sim* sim, const double six[SCREE_CELL_COUNT], scree_box* box)
{
    const scree_box* first = &sim->drive.first;
    for (int k = 0; k < sim->dim; ++k) {
        if (!box->periodic[k])
            continue;
        double length = first->upper[k] - first->lower[k];
        box->lower[k] = first->lower[k];
        box->upper[k] = first->upper[k];
        if (six[k] != length) {
            box->lower[k] = 0.5 * (first->lower[k] + first->upper[k]) - 0.5 * six[k];
            box->upper[k] = box->lower[k] + six[k];
        }
    }
    for (int t = 0; t < 3; ++t)
        box->tilt[t] = t == 0 || sim->dim == 3 ? six[SCREE_CELL_XY + t] : 0.0;
}

static void matrix_of_box(const scree_box* box, sim_cell* cell)
{
    double six[SCREE_CELL_COUNT];
    scree_lattice_of(box, six, six + SCREE_CELL_XY);
    matrix_of(six, cell->h);
    cell->sheared = any_of(six + SCREE_CELL_XY, 3);
}

static void set_matrix(scree_sim* sim)
{
    matrix_of_box(&sim->def.box, &sim->cell);
}

static void rate_of(const scree_sim* sim, sim_cell* cell)
{
    matrix_of(sim->drive.now.velocity, cell->rate);
    cell->moves = any_of(sim->drive.now.velocity, SCREE_CELL_COUNT);
}

static void set_rate(scree_sim* sim)
{
    rate_of(sim, &sim->cell);
}

scree_status cell_make(scree_sim* sim)
{
    sim_drive* drive = &sim->drive;
    set_matrix(sim);
    drive->given = sim->def.cell != NULL;
    drive->first = sim->def.box;
    drive->felt = sim->cell;
    if (!drive->given)
        return SCREE_OK;
    scree_lattice_of(&sim->def.box, drive->now.at, drive->now.at + SCREE_CELL_XY);
    drive->blocks = scree_calloc((size_t)sim->blocks, sizeof *drive->blocks);
    return drive->blocks == NULL ? SCREE_ERR_MEMORY : check_content(sim);
}

void cell_scaled(scree_sim* sim)
{
    set_matrix(sim);
    sim->drive.first = sim->def.box;
    sim->drive.felt = sim->cell;
}

void cell_close(scree_sim* sim)
{
    scree_free(sim->drive.blocks);
    sim->drive.blocks = NULL;
}

bool cell_is_driven(const scree_sim* sim)
{
    const cell_values* now = &sim->drive.now;
    return sim->drive.given && (sim->cell.moves || now->controlled != 0.0 || now->isotropic != 0.0 || now->constant_volume != 0.0);
}

double cell_speed(const scree_sim* sim)
{
    double sum = 0.0;
    for (int e = 0; e < SCREE_CELL_COUNT && sim->drive.given; ++e)
        sum += fabs(sim->drive.now.velocity[e]);
    return sum;
}

static void six_at(const sim_drive* drive, double time, double six[SCREE_CELL_COUNT])
{
    for (int e = 0; e < SCREE_CELL_COUNT; ++e)
        six[e] = drive->now.at[e] + drive->now.velocity[e] * time;
}

scree_status cell_at(const scree_sim* sim, int64_t step, scree_box* box, sim_cell* cell)
{
    const sim_drive* drive = &sim->drive;
    double six[SCREE_CELL_COUNT];
    six_at(drive, sim_time_between(sim, drive->since, step), six);
    for (int k = 0; k < sim->dim; ++k)
        if (sim->def.box.periodic[k] && !(six[k] >= 2.0 * sim->numbers.radius_max))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: step %" PRId64 ": the cell has shrunk to %g on axis %c; expected at least the diameter of the largest sphere, %g", step, six[k], "xyz"[k],
                              2.0 * sim->numbers.radius_max);
    *box = sim->def.box;
    set_box(sim, six, box);
    matrix_of_box(box, cell);
    rate_of(sim, cell);
    return SCREE_OK;
}

scree_status cell_go(scree_sim* sim)
{
    scree_box box;
    if (!sim->drive.given)
        return SCREE_OK;
    scree_status status = cell_at(sim, sim->step, &box, &sim->cell);
    if (status != SCREE_OK) {
        sim->failed = true;
        return status;
    }
    sim->def.box = box;
    if (cell_is_driven(sim)) {
        scree_index_destroy(sim->all_pairs);  // its box is the one before
        sim->all_pairs = NULL;
    }
    return SCREE_OK;
}

// ---- Where a sphere is in the cell -----------------------------------------------------------------------------------------

// x = centre + H q.
static void place_in(const scree_sim* sim, const double x[3], double q[3])
{
    const double (*h)[3] = (const double(*)[3])sim->cell.h;
    for (int k = 2; k >= 0; --k) {
        q[k] = 0.0;
        if (h[k][k] == 0.0)
            continue;
        double d = x[k] - 0.5 * (sim->drive.first.lower[k] + sim->drive.first.upper[k]);
        for (int m = k + 1; m < 3; ++m)
            d -= h[k][m] * q[m];
        q[k] = d / h[k][k];
    }
}

static void times(const double a[3][3], const double q[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = (a[k][0] * q[0] + a[k][1] * q[1]) + a[k][2] * q[2];
}

void cell_peculiar(const scree_sim* sim, const double x[3], double flow[3])
{
    double q[3];
    place_in(sim, x, q);
    times((const double(*)[3])sim->cell.rate, q, flow);
}

void cell_wrap(const scree_sim* sim, int64_t rank, double turns[3], double* work)
{
    const sim_cell* cell = &sim->cell;
    double *x = sim->x[rank], whole = sim->numbers.time_step, lost[3] = {0.0, 0.0, 0.0};
    for (int m = sim->dim - 1; m >= 0; --m) {
        double n;
        x[m] = scree_box_wrap(&sim->def.box, m, x[m], &n);
        turns[m] = n;
        if (sim->before != NULL)
            sim->before[rank][m] -= n * cell->h[m][m];
        for (int k = 0; k < m && cell->sheared && n != 0.0; ++k) {
            x[k] -= n * cell->h[k][m];
            if (sim->before != NULL)
                sim->before[rank][k] -= n * cell->h[k][m];
        }
    }
    if (!cell->moves || (turns[0] == 0.0 && turns[1] == 0.0 && turns[2] == 0.0))
        return;
    times(cell->rate, turns, lost);
    double *v = sim_at(sim->v, rank), square = 0.0, along = 0.0;
    for (int k = 0; k < 3; ++k) {
        along += v[k] * lost[k];
        square += lost[k] * lost[k];
        v[k] -= lost[k];
        if (sim->p.at != NULL)
            sim_at(sim->p, rank)[k] -= lost[k];
        if (sim->before != NULL)
            sim->before[rank][k] += whole * lost[k];  // the cell of one step before
    }
    *work += (0.5 * square - along) / v[3];
}

// ---- Reduction -----------------------------------------------------------------------------------------------------------

bool cell_reduce(scree_sim* sim, double n[3])
{
    sim_drive* drive = &sim->drive;
    const double(*h)[3] = (const double(*)[3])sim->cell.h;
    n[0] = n[1] = n[2] = 0.0;
    if (!drive->given || !sim->cell.sheared || !cell_is_driven(sim))
        return false;
    double six[SCREE_CELL_COUNT], *v = drive->now.velocity;
    six_at(drive, sim_time_between(sim, drive->since, sim->step), six);
    double before[3] = {six[SCREE_CELL_XY], six[SCREE_CELL_XZ], six[SCREE_CELL_YZ]};
    if (six[SCREE_CELL_XY] != 0.0)
        n[0] = rint(six[SCREE_CELL_XY] / h[0][0]);
    six[SCREE_CELL_XY] -= n[0] * six[0];
    v[SCREE_CELL_XY] -= n[0] * v[0];
    if (six[SCREE_CELL_YZ] != 0.0)
        n[2] = rint(six[SCREE_CELL_YZ] / h[1][1]);
    six[SCREE_CELL_YZ] -= n[2] * six[1];
    v[SCREE_CELL_YZ] -= n[2] * v[1];
    six[SCREE_CELL_XZ] -= n[2] * six[SCREE_CELL_XY];
    v[SCREE_CELL_XZ] -= n[2] * v[SCREE_CELL_XY];
    if (six[SCREE_CELL_XZ] != 0.0)
        n[1] = rint(six[SCREE_CELL_XZ] / h[0][0]);
    six[SCREE_CELL_XZ] -= n[1] * six[0];
    v[SCREE_CELL_XZ] -= n[1] * v[0];
    if (n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0)
        return false;
    for (int t = 0; t < 3; ++t)
        drive->now.removed[t] += before[t] - six[SCREE_CELL_XY + t];
    memcpy(drive->now.at, six, sizeof six);
    drive->since = sim->step;
    set_box(sim, six, &sim->def.box);
    set_matrix(sim);
    set_rate(sim);
    return true;
}

void cell_renew(scree_sim* sim)
{
    double n[3];
    if (!cell_reduce(sim, n))
        return;
    // c = c' + n2 b' + n1 a and b = b' + n0 a.
    sim_kept* kept = &sim->memory.kept_pairs;
    for (int64_t c = 0; c < kept->count; ++c) {
        int8_t* shift = kept->shift[c];
        shift[0] = (int8_t)(shift[0] + (int)n[0] * shift[1] + (int)n[1] * shift[2]);
        shift[1] = (int8_t)(shift[1] + (int)n[2] * shift[2]);
    }
}

// ---- Changes of the rate ---------------------------------------------------------------------------------------------------

typedef struct kick_job {
    scree_sim* sim;
    double change[3][3];  // of dH/dt
    sim_rows v;           // those that get it,
    double (*next)[4];    // and the places that they lead to; NULL: velocities of this moment
    sim_rows p;           // predicted, if there are any
    bool kinetic;         // the sums of a controlled cell are wanted
    sum_scale scale;      // of energies
} kick_job;

// Quanta of momenta: a power of two.
static double momentum_quantum(const scree_sim* sim)
{
    return ldexp(sim->numbers.torque_quantum, ilogb(sim->numbers.time_step / sim->numbers.radius_min));
}

// m u u with velocities relative to the cell.
static void add_kinetic(const scree_sim* sim, double quantum, const double x[3], const double v[4], cell_block* out)
{
    double flow[3];
    cell_peculiar(sim, x, flow);
    for (int k = 0; k < 3; ++k) {
        double u = v[k] - flow[k], part = (u * u / v[3]) / sim->numbers.torque_quantum, push = (u / v[3]) / quantum;
        if (!(part < 0x1p62) || !(fabs(push) < 0x1p62) || __builtin_add_overflow(out->kinetic[k], llrint(part), &out->kinetic[k]) ||
            __builtin_add_overflow(out->momentum[k], llrint(push), &out->momentum[k]))
            out->overflow = true;
    }
}

static scree_status kick_block(void* context, int64_t block)
{
    const kick_job* job = context;
    scree_sim* sim = job->sim;
    double whole = sim->numbers.time_step, per = 1.0 / whole, quantum = momentum_quantum(sim);
    int64_t end = (block + 1) * sim_block < sim->n ? (block + 1) * sim_block : sim->n;
    cell_block out = {.overflow = false};
    bool accounts = sim->law.parts.accounts;
    for (int64_t i = block * sim_block; i < end; ++i) {
        double q[3], more[3], *v = sim_at(job->v, i), square = 0.0, work = 0.0;
        place_in(sim, sim->x[i], q);
        times((const double(*)[3])job->change, q, more);
        for (int k = 0; k < 3; ++k) {
            work += (v[k] * more[k] + 0.5 * more[k] * more[k]) / v[3];
            if (job->next == NULL) {
                v[k] += more[k];
                if (sim->before != NULL)
                    sim->before[i][k] -= whole * more[k];
            } else if (sim->before == NULL) {
                v[k] += more[k];
                job->next[i][k] = sim->x[i][k] + whole * v[k];
            } else {
                job->next[i][k] += whole * more[k];
                v[k] = (job->next[i][k] - sim->x[i][k]) * per;
            }
            if (job->p.at != NULL)
                sim_at(job->p, i)[k] += more[k];
            square += v[k] * v[k];
        }
        out.most = fmax(out.most, square);
        if (sim->ghost != NULL && sim->ghost[i] != 0)
            continue;
        if (job->kinetic)
            add_kinetic(sim, quantum, sim->x[i], v, &out);
        if (accounts) {
            sum_add(&job->scale, work, &out.work, &out.beyond);
            sum_carry(&out.work);
        }
    }
    sim->drive.blocks[block] = out;
    return SCREE_OK;
}

// From the sums of drive.motion, less what the common motion of all has.
static void set_kinetic(scree_sim* sim, bool wanted)
{
    const int64_t* sums = sim->drive.motion;
    for (int k = 0; k < 3; ++k) {
        double push = (double)sums[3 + k] * momentum_quantum(sim);
        sim->drive.now.kinetic[k] = wanted && sim->numbers.mass > 0.0 ? (double)sums[k] * sim->numbers.torque_quantum - push * push / sim->numbers.mass : 0.0;
    }
}

bool cell_is_controlled(const scree_sim* sim)
{
    return sim->drive.given && (sim->drive.now.controlled != 0.0 || sim->drive.now.isotropic != 0.0);
}

void cell_get_motion(const scree_sim* sim, int64_t out[6])
{
    memcpy(out, sim->drive.motion, sizeof sim->drive.motion);
}

void cell_set_motion(scree_sim* sim, const int64_t sums[6])
{
    memcpy(sim->drive.motion, sums, sizeof sim->drive.motion);
    set_kinetic(sim, true);
}

scree_status cell_reserve(scree_sim* sim)
{
    if (!sim->drive.given)
        return SCREE_OK;
    struct cell_block* blocks = scree_calloc((size_t)sim->blocks, sizeof *blocks);
    if (blocks == NULL)
        return SCREE_ERR_MEMORY;
    scree_free(sim->drive.blocks);
    sim->drive.blocks = blocks;
    return SCREE_OK;
}

static scree_status say_beyond(scree_sim* sim)
{
    sim->failed = true;
    return scree_fail(SCREE_ERR_ARGUMENT, "sim: step %" PRId64 ": the kinetic stress is too large to be summed; expected at most %g. The time step %g is too long", sim->step,
                      ldexp(sim->numbers.torque_quantum, 62), sim->numbers.time_step);
}

// dH/dt is the one of `drive`, and was `before`. ARGUMENT: a sum passed the integers.
static scree_status kick(scree_sim* sim, const double before[3][3], kick_job job)
{
    cell_values* now = &sim->drive.now;
    double most = 0.0;
    set_rate(sim);
    job.sim = sim;
    job.scale = sim_scales(&sim->numbers).energy;
    for (int k = 0; k < 3; ++k)
        for (int m = 0; m < 3; ++m)
            job.change[k][m] = sim->cell.rate[k][m] - before[k][m];
    job.kinetic = now->controlled != 0.0 || now->isotropic != 0.0;
    scree_parallel_for(sim->threads, sim->blocks, kick_block, &job, NULL);
    bool overflow = false;
    int64_t whole[3] = {0, 0, 0}, pushes[3] = {0, 0, 0};
    for (int64_t b = 0; b < sim->blocks; ++b) {
        const cell_block* block = &sim->drive.blocks[b];
        for (int k = 0; k < 3; ++k)
            overflow = __builtin_add_overflow(whole[k], block->kinetic[k], &whole[k]) || __builtin_add_overflow(pushes[k], block->momentum[k], &pushes[k]) || overflow;
        overflow = overflow || block->overflow;
        if (sim->law.parts.accounts) {
            sum_join(&sim->pending.of[ENERGY_PAID], &block->work);
            sim->pending.beyond |= block->beyond;
        }
        most = fmax(most, block->most);
    }
    for (int k = 0; k < 3; ++k) {
        sim->drive.motion[k] = whole[k];
        sim->drive.motion[3 + k] = pushes[k];
    }
    set_kinetic(sim, job.kinetic);
    sim->speed = sqrt(most);
    return overflow ? say_beyond(sim) : SCREE_OK;
}

static double volume_of(const scree_sim* sim)
{
    return scree_box_volume(&sim->def.box);
}

static const double patience = 20.0;  // response times in which a lasting error is made up for,
static const double close_by = 0.1;   // if it is below this share of the target: else it would have added up to far too much when the target comes near

// Strain rate of a controlled axis.
static double answer(const cell_values* now, double step, double stress, double target, double stiffness, double* lasting)
{
    double error = stress - target, slow = stiffness * now->response, rate = (error + *lasting) / slow;
    if (!(slow > 0.0) || !(fabs(rate) <= now->rate_most))
        return error > 0.0 ? now->rate_most : error < 0.0 ? -now->rate_most : 0.0;
    if (fabs(error) <= close_by * fabs(target))
        *lasting += error * (step / (patience * now->response));
    return rate;
}

// dH/dt of the step that comes, from the sums of the last pass. `at` is the cell of this moment then.
static void find_rate(scree_sim* sim)
{
    cell_values* now = &sim->drive.now;
    unsigned controlled = (unsigned)now->controlled;
    double volume = volume_of(sim), e[SCREE_CELL_COUNT], six[SCREE_CELL_COUNT], dt = sim->numbers.time_step;
    six_at(&sim->drive, sim_time_between(sim, sim->drive.since, sim->step), six);
    memcpy(now->at, six, sizeof six);
    sim->drive.since = sim->step;
    for (int k = 0; k < SCREE_CELL_COUNT; ++k)
        e[k] = now->rate[k];
    double mean = 0.0, stiffness = 0.0;
    for (int k = 0; k < sim->dim; ++k) {
        mean += (now->contact[k] + now->kinetic[k]) / (sim->dim * volume);
        if (now->rate[k] == 0.0)
            stiffness += now->stiffness[k] / (sim->dim * volume);
    }
    double alike = now->isotropic != 0.0 ? answer(now, dt, mean, now->stress[0], stiffness, &now->lasting[0]) : 0.0;
    for (int k = 0; k < sim->dim; ++k) {
        if (now->isotropic != 0.0 && now->rate[k] == 0.0)
            e[k] = alike;
        else if ((controlled & 1u << k) != 0)
            e[k] = answer(now, dt, (now->contact[k] + now->kinetic[k]) / volume, now->stress[k], now->stiffness[k] / volume, &now->lasting[k]);
        else if (six[k] > 0.0)
            e[k] = now->rate[k] * now->side[k] / six[k];  // constant speeds
    }
    if (now->constant_volume != 0.0) {
        double to = 1.0;
        int free = 0;
        for (int k = 0; k < sim->dim; ++k) {
            to *= (sim->def.box.periodic[k] ? six[k] : sim->def.box.upper[k] - sim->def.box.lower[k]) * (1.0 + e[k] * dt);
            free += is_free(&sim->def.box, now->rate, controlled, k);
        }
        double factor = now->volume / to;
        factor = free == 2 ? sqrt(factor) : free == 3 ? cbrt(factor) : factor;
        for (int k = 0; k < sim->dim; ++k)
            if (is_free(&sim->def.box, now->rate, controlled, k))
                e[k] = (factor - 1.0) / dt;
    }
    double* v = now->velocity;
    for (int k = 0; k < 3; ++k)
        v[k] = e[k] * six[k];
    v[SCREE_CELL_XY] = e[0] * six[SCREE_CELL_XY] + e[SCREE_CELL_XY] * six[1];
    v[SCREE_CELL_XZ] = (e[0] * six[SCREE_CELL_XZ] + e[SCREE_CELL_XY] * six[SCREE_CELL_YZ]) + e[SCREE_CELL_XZ] * six[2];
    v[SCREE_CELL_YZ] = e[1] * six[SCREE_CELL_YZ] + e[SCREE_CELL_YZ] * six[2];
}

static bool is_stepwise(const cell_values* now)
{
    return now->controlled != 0.0 || now->isotropic != 0.0 || now->constant_volume != 0.0;
}

scree_status cell_passed(scree_sim* sim, const sim_pass* pass)
{
    cell_values* now = &sim->drive.now;
    sim->drive.felt = pass->cell;
    if (!sim->drive.given || !is_stepwise(now))
        return SCREE_OK;
    bool overflow = false;
    int64_t sums[6] = {0};
    for (int32_t d = 0; d < sim->desk_count && pass->cell_sums; ++d) {
        for (int k = 0; k < 6; ++k)
            overflow = __builtin_add_overflow(sums[k], sim->desks[d].cell[k], &sums[k]) || overflow;
        overflow = overflow || sim->desks[d].cell_overflow;
    }
    if (overflow) {
        sim->failed = true;
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "sim: step %" PRId64 ": the contact stress is too large to be summed; expected at most %g. Spheres overlapped too much, or the "
                          "time step %g is too long",
                          sim->step, ldexp(sim->numbers.torque_quantum, 62), sim->numbers.time_step);
    }
    for (int k = 0; k < 3; ++k) {
        now->contact[k] = (double)sums[k] * sim->numbers.torque_quantum;
        now->stiffness[k] = (double)sums[3 + k] * (sim->numbers.torque_quantum * cell_coarser);
    }
    if (pass->mode != SIM_STEP)
        return SCREE_OK;
    find_rate(sim);
    return kick(sim, (const double(*)[3])pass->cell.rate, (kick_job){.v = pass->v_next, .next = pass->next, .p = sim->law.damped ? pass->p_next : (sim_rows){.at = NULL}});
}

void cell_launched(scree_sim* sim)
{
    const cell_values* now = &sim->drive.now;
    if (!sim->drive.given || !is_stepwise(now))
        return;
    double before[3][3], half = 0.5 * sim->numbers.time_step;
    memcpy(before, sim->cell.rate, sizeof before);
    find_rate(sim);
    kick(sim, (const double(*)[3])before, (kick_job){.v = sim->v, .next = sim->other, .p = sim->law.damped ? sim->p_next : (sim_rows){.at = NULL}});
    for (int e = 0; e < SCREE_CELL_COUNT && sim->law.parts.accounts; ++e)
        sim->account[WORK_WALLS] += half * (sim->cell.rate[axes[e][0]][axes[e][1]] - before[axes[e][0]][axes[e][1]]) * now->images[e];
}

void cell_account(scree_sim* sim, const sim_pass* pass, const double sums[ENERGY_COUNT])
{
    cell_values* now = &sim->drive.now;
    double half = 0.5 * sim->numbers.time_step, power[2] = {0.0, 0.0};
    if (!sim->drive.given || !sim->law.parts.accounts)
        return;
    memcpy(now->images, sums + ENERGY_IMAGES, sizeof now->images);
    for (int e = 0; e < SCREE_CELL_COUNT; ++e) {
        power[0] += now->images[e] * pass->cell.rate[axes[e][0]][axes[e][1]];
        power[1] += now->images[e] * sim->cell.rate[axes[e][0]][axes[e][1]];
    }
    if (pass->mode >= SIM_OBSERVE)
        sim->account[WORK_WALLS] += half * power[0];
    if (pass->mode == SIM_STEP)
        sim->account[WORK_WALLS] += half * power[1];
    else
        sim->account[sim_accounts + WORK_WALLS] += half * power[0];
}

// ---- Setting and showing -----------------------------------------------------------------------------------------------------

// All but velocities of spheres; `cell` was checked.
static void set_values(scree_sim* sim, const scree_sim_cell* cell)
{
    cell_values* now = &sim->drive.now;
    double six[SCREE_CELL_COUNT];
    six_at(&sim->drive, sim_time_between(sim, sim->drive.since, sim->step), six);
    memcpy(now->at, six, sizeof six);
    sim->drive.since = sim->step;
    memcpy(now->rate, cell->rate, sizeof now->rate);
    now->controlled = cell->controlled;
    now->isotropic = cell->isotropic;
    now->constant_volume = cell->constant_volume;
    memcpy(now->stress, cell->stress, sizeof now->stress);
    now->rate_most = cell->rate_most;
    double shortest = sim->numbers.contact_duration;
    now->response = cell->response > 0.0 ? cell->response : shortest > 0.0 && shortest < INFINITY ? shortest : 50.0 * sim->numbers.time_step;
    memset(now->lasting, 0, sizeof now->lasting);
    for (int k = 0; k < 3; ++k)
        now->side[k] = six[k];
    now->volume = volume_of(sim);
    bool stepwise = is_stepwise(now);
    const double* e = now->rate;
    if (!stepwise) {
        double* v = now->velocity;
        for (int k = 0; k < 3; ++k)
            v[k] = e[k] * six[k];
        v[SCREE_CELL_XY] = e[0] * six[SCREE_CELL_XY] + e[SCREE_CELL_XY] * six[1];
        v[SCREE_CELL_XZ] = (e[0] * six[SCREE_CELL_XZ] + e[SCREE_CELL_XY] * six[SCREE_CELL_YZ]) + e[SCREE_CELL_XZ] * six[2];
        v[SCREE_CELL_YZ] = e[1] * six[SCREE_CELL_YZ] + e[SCREE_CELL_YZ] * six[2];
    }
}

// When the work of all spheres is known.
static void account_rate(scree_sim* sim, const double before[3][3])
{
    if (sim->law.parts.accounts)
        sim_account_pending(sim);
    for (int k = 0; k < SCREE_CELL_COUNT && sim->law.parts.accounts; ++k)
        sim->account[sim_accounts + WORK_WALLS] +=
            0.5 * sim->numbers.time_step * (sim->cell.rate[axes[k][0]][axes[k][1]] - before[axes[k][0]][axes[k][1]]) * sim->drive.now.images[k];
}

// `cell` was checked. Velocities of this moment.
static scree_status set(scree_sim* sim, const scree_sim_cell* cell)
{
    double before[3][3];
    memcpy(before, sim->cell.rate, sizeof before);
    set_values(sim, cell);
    scree_status status = kick(sim, (const double(*)[3])before, (kick_job){.v = sim->v});
    if (sim->part != NULL)  // the rest follows with the sums of all parts
        memcpy(sim->part->rate_before, before, sizeof before);
    else
        account_rate(sim, (const double(*)[3])before);
    return status;
}

scree_status cell_begin(scree_sim* sim)
{
    scree_status status = SCREE_OK;
    if (sim->drive.given && sim->hollow) {  // spheres get their velocities when they are made (cell_pour)
        set_values(sim, sim->def.cell);
        set_rate(sim);
    } else if (sim->drive.given) {
        status = set(sim, sim->def.cell);
    }
    if (sim->law.parts.accounts)
        memset(sim->account, 0, sizeof sim->account);  // the start is what it is
    return status;
}

// ---- In parts of a simulation (part.h) -----------------------------------------------------------------------------------------

bool cell_is_reduced(const scree_sim* sim)
{
    const double (*h)[3] = (const double(*)[3])sim->cell.h;
    return !sim->drive.given || (2.0 * fabs(h[0][1]) < h[0][0] && 2.0 * fabs(h[0][2]) < h[0][0] && 2.0 * fabs(h[1][2]) < h[1][1]) || !sim->cell.sheared;
}

scree_status cell_pour(scree_sim* mould)
{
    static const double before[3][3] = {{0.0}};
    if (!mould->drive.given)
        return SCREE_OK;
    mould->blocks = ((int64_t)mould->n + sim_block - 1) / sim_block;
    if (cell_reserve(mould) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    return kick(mould, before, (kick_job){.v = mould->v});
}

enum { motion_sums = 6, MOTION_BEYOND = motion_sums, WORK_BEYOND, WORK_LIMBS };

int64_t cell_rate_count(void)
{
    return WORK_LIMBS + sum_limbs;
}

void cell_get_rate(const scree_sim* part, int64_t parts, int64_t* out)
{
    const sim_sum* work = &part->pending.of[ENERGY_PAID];
    memcpy(out, part->drive.motion, sizeof part->drive.motion);
    out[MOTION_BEYOND] = 0;
    for (int k = 0; k < motion_sums; ++k)
        out[MOTION_BEYOND] |= out[k] > INT64_MAX / parts || out[k] < -(INT64_MAX / parts);
    out[WORK_BEYOND] = sum_is_beyond(part->pending.beyond);
    memcpy(out + WORK_LIMBS, work->limb, sizeof work->limb);
}

scree_status cell_set_rate(scree_sim* part, const int64_t* in)
{
    if (in[MOTION_BEYOND] != 0)
        return say_beyond(part);
    memcpy(part->drive.motion, in, sizeof part->drive.motion);
    set_kinetic(part, cell_is_controlled(part));
    sim_sum* work = &part->pending.of[ENERGY_PAID];
    memcpy(work->limb, in + WORK_LIMBS, sizeof work->limb);
    sum_carry(work);
    part->pending.beyond = in[WORK_BEYOND] != 0 ? UINT64_MAX : 0;
    account_rate(part, (const double(*)[3])part->part->rate_before);
    return SCREE_OK;
}

scree_status cell_add_motion(scree_sim* whole, const scree_sim* mould)
{
    bool beyond = false;
    for (int k = 0; k < motion_sums; ++k)
        beyond = __builtin_add_overflow(whole->drive.motion[k], mould->drive.motion[k], &whole->drive.motion[k]) || beyond;
    return beyond ? say_beyond(whole) : SCREE_OK;
}

void cell_clear_motion(scree_sim* part)
{
    memset(part->drive.motion, 0, sizeof part->drive.motion);
}

// ---- By the caller -------------------------------------------------------------------------------------------------------------

static scree_status check_given(const scree_sim* sim, const scree_sim_cell* given)
{
    scree_sim_cell cell = scree_default_sim_cell();
    scree_status status = scree_check_struct_size("sim.cell", "scree_default_sim_cell", given->struct_size, sizeof cell, sizeof cell);
    if (status != SCREE_OK)
        return status;
    cell = *given;
    status = sim->hollow ? sim_check_known(sim) : sim_check_still(sim);
    if (status == SCREE_OK && !sim->drive.given)
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: its cell is constant; expected a simulation created with def.cell");
    scree_sim_def def = sim->def;
    scree_index_def search = scree_default_index_def();
    search.method = sim->drive.method;
    def.search = &search;
    return status == SCREE_OK ? cell_check(&def, &cell) : status;
}

scree_status scree_sim_check_cell(const scree_sim* sim, const scree_sim_cell* cell)
{
    SCREE_NEED(sim);
    SCREE_NEED(cell);
    return check_given(sim, cell);
}

scree_status scree_sim_set_cell(scree_sim* sim, const scree_sim_cell* cell)
{
    SCREE_NEED(sim);
    SCREE_NEED(cell);
    scree_status status = check_given(sim, cell);
    if (status == SCREE_OK && sim->hollow)
        return sim_change_there(sim, &(sim_change){.kind = CHANGE_CELL, .cell = cell});
    return status == SCREE_OK ? set(sim, cell) : status;
}

SCREE_RESULT_OF(scree_sim_cell_report, scree_sim_get_cell, (const scree_sim* sim, scree_sim_cell_report* out), (sim, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    const cell_values* now = &sim->drive.now;
    if (!sim->drive.given)
        return SCREE_OK;
    out->set = true;
    memcpy(out->velocity, now->velocity, sizeof now->velocity);
    double six[SCREE_CELL_COUNT], first[SCREE_CELL_COUNT], volume = volume_of(sim);
    six_at(&sim->drive, sim_time_between(sim, sim->drive.since, sim->step), six);
    scree_lattice_of(&sim->drive.first, first, first + SCREE_CELL_XY);
    const double* v = now->velocity;
    for (int k = 0; k < 3; ++k) {
        out->side[k] = six[k];
        out->tilt[k] = six[SCREE_CELL_XY + k];
        out->strain[k] = first[k] > 0.0 ? six[k] / first[k] - 1.0 : 0.0;
        out->rate[k] = six[k] > 0.0 ? v[k] / six[k] : 0.0;
        if (is_stepwise(now) && volume > 0.0 && (now->controlled != 0.0 || now->isotropic != 0.0))
            out->stress[k] = (now->contact[k] + now->kinetic[k]) / volume;
    }
    for (int t = 0; t < 3; ++t) {
        int axis = axes[SCREE_CELL_XY + t][1];
        if (six[axis] > 0.0)
            out->strain[SCREE_CELL_XY + t] = ((six[SCREE_CELL_XY + t] - first[SCREE_CELL_XY + t]) + now->removed[t]) / six[axis];
    }
    if (six[1] > 0.0)
        out->rate[SCREE_CELL_XY] = (v[SCREE_CELL_XY] - out->rate[0] * six[SCREE_CELL_XY]) / six[1];
    if (six[2] > 0.0) {
        out->rate[SCREE_CELL_YZ] = (v[SCREE_CELL_YZ] - out->rate[1] * six[SCREE_CELL_YZ]) / six[2];
        out->rate[SCREE_CELL_XZ] = ((v[SCREE_CELL_XZ] - out->rate[0] * six[SCREE_CELL_XZ]) - out->rate[SCREE_CELL_XY] * six[SCREE_CELL_YZ]) / six[2];
    }
    return SCREE_OK;
}

const scree_sim_cell_state* cell_state(scree_sim* sim)
{
    sim_drive* drive = &sim->drive;
    if (!drive->given)
        return NULL;
    memset(&drive->shown, 0, sizeof drive->shown);
    drive->shown.since = drive->since;
    memcpy(drive->shown.values, &drive->now, sizeof drive->now);
    return &drive->shown;
}

scree_status cell_reject(const scree_sim* sim, const char* what)
{
    if (!sim->drive.given)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_UNSUPPORTED, "sim.cell: %s in a cell that changes (def.cell) is not supported; expected a constant box", what);
}

static scree_status check_state(const scree_sim* sim, const scree_sim_cell_state* state, int64_t step)
{
    if (state == NULL)
        return SCREE_OK;
    if (!sim->drive.given)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the state has a cell that changes; expected a simulation created with def.cell");
    if (state->since < 0 || state->since > step)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the state is of step %" PRId64 " and its cell of step %" PRId64 "; expected a step of the cell up to that of the state", step, state->since);
    for (int k = 0; k < SCREE_CELL_VALUES; ++k)
        if (!(fabs(state->values[k]) <= 1e300))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: value %d of the cell of a state is %g; expected a finite number", k, state->values[k]);
    cell_values now;
    memcpy(&now, state->values, sizeof now);
    double time = sim_time_between(sim, state->since, step);
    for (int k = 0; k < 3; ++k) {
        bool periodic = k < sim->dim && sim->def.box.periodic[k];
        double side = now.at[k] + now.velocity[k] * time;
        if (periodic ? !(side >= 2.0 * sim->numbers.radius_max && now.at[k] > 0.0) : now.at[k] != 0.0 || now.velocity[k] != 0.0)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state whose cell is %g long on axis %c; expected %s", side, "xyz"[k],
                              periodic ? "more than the largest diameter" : "0, for an axis that is not periodic,");
    }
    for (int e = SCREE_CELL_XY; e < SCREE_CELL_COUNT; ++e)
        if ((now.at[e] != 0.0 || now.velocity[e] != 0.0) &&
            (axes[e][1] >= sim->dim || !sim->def.box.periodic[axes[e][0]] || !sim->def.box.periodic[axes[e][1]]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: the cell of the state has the tilt %s = %g; expected 0, since the axis is not periodic", names[e], now.at[e]);
    if (!(now.controlled >= 0.0 && now.controlled < 8.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state of a cell with controlled axes %g; expected three bits", now.controlled);
    return SCREE_OK;
}

bool scree_sim_cell_moves(const scree_sim_cell_state* state)
{
    SCREE_NEED_OR(state, false);
    cell_values now;
    memcpy(&now, state->values, sizeof now);
    return any_of(now.velocity, SCREE_CELL_COUNT);
}

scree_sim_cell_state scree_sim_cell_from(const scree_sim_cell_state* state, int64_t step, double length, scree_box* box)
{
    scree_sim_cell_state out = {0};
    SCREE_NEED_OR(state, out);
    SCREE_NEED_OR(box, out);
    cell_values now;
    memcpy(&now, state->values, sizeof now);
    for (int e = 0; e < SCREE_CELL_COUNT; ++e)
        now.at[e] += now.velocity[e] * ((double)(step - state->since) * length);
    memset(now.removed, 0, sizeof now.removed);
    memcpy(out.values, &now, sizeof now);
    for (int k = 0; k < 3 && k < box->dim; ++k)
        if (box->periodic[k] && now.at[k] != box->upper[k] - box->lower[k]) {
            box->lower[k] = 0.5 * (box->lower[k] + box->upper[k]) - 0.5 * now.at[k];
            box->upper[k] = box->lower[k] + now.at[k];
        }
    for (int t = 0; t < 3; ++t)
        box->tilt[t] = t == 0 || box->dim == 3 ? now.at[SCREE_CELL_XY + t] : 0.0;
    return out;
}

void cell_state_sums(scree_sim* sim, const scree_sim_cell_state* state)
{
    cell_values now;
    if (state == NULL)
        return;
    memcpy(&now, state->values, sizeof now);
    memcpy(sim->drive.now.contact, now.contact, sizeof now.contact);
    memcpy(sim->drive.now.stiffness, now.stiffness, sizeof now.stiffness);
    memcpy(sim->drive.now.kinetic, now.kinetic, sizeof now.kinetic);
    memcpy(sim->drive.now.images, now.images, sizeof now.images);
}

scree_status cell_state_take(scree_sim* sim, const scree_sim_state* state, cell_kept* kept)
{
    scree_status status = check_state(sim, state->cell, state->step);
    if (status != SCREE_OK)
        return status;
    *kept = (cell_kept){.drive = sim->drive, .cell = sim->cell, .box = sim->def.box};
    int64_t step = sim->step;
    bool failed = sim->failed;
    if (state->cell != NULL) {
        memcpy(&sim->drive.now, state->cell->values, sizeof sim->drive.now);
        sim->drive.since = state->cell->since;
    }
    sim->step = state->step;
    status = cell_go(sim);
    sim->step = step;
    sim->failed = failed;
    if (status != SCREE_OK)
        cell_state_undo(sim, kept);
    return status;
}

void cell_state_undo(scree_sim* sim, const cell_kept* kept)
{
    sim->drive = kept->drive;
    sim->cell = kept->cell;
    sim->def.box = kept->box;
}
