// The step: bodies move, pairs are tested, forces act (polygon_inner.h has the order).
#include "polygon/polygon_inner.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "sim/verlet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

scene_view polygon_view(const scree_polygon_sim* sim, bool predicted)
{
    return (scene_view){.bodies = sim->bodies,
                        .turned = (const double(*)[2])sim->turned,
                        .length = {sim->length[0], sim->length[1]},
                        .law = &sim->law,
                        .pairs = sim->pairs,
                        .materials = sim->materials,
                        .wall_material = sim->def.wall_material,
                        .boundaries = sim->boundaries,
                        .predicted = predicted,
                        .rounded = sim->def.rule == SCREE_POLYGON_ROUNDED,
                        .allow_deep = sim->def.allow_deep,
                        .stepping = sim->moving,
                        .step = sim->numbers.time_step};
}

// From where it was at a step and the steps since, not added up: the same however one came to it.
void polygon_fixed_at(const scree_polygon_sim* sim, body* b, int64_t step)
{
    double time = (double)(step - b->since) * sim->numbers.time_step;
    for (int k = 0; k < 2; ++k) {
        b->x[k] = b->anchor[k] + b->v[k] * time;
        b->p[k] = b->v[k];
    }
    b->angle = b->anchor[2] + b->spin * time;
    b->p_spin = b->spin;
}

// Vertices first .. end - 1, as plane_axes turns them, with the numbers of the body in registers; widens the box.
static void turn(const body* b, int64_t first, int64_t end, double (*turned)[2], double box[4])
{
    const double(*p)[2] = (const double(*)[2])b->tree->p, c = b->c, s = b->s;
    double low[2] = {box[0], box[1]}, high[2] = {box[2], box[3]};
    for (int64_t i = first; i < end; ++i) {
        double x = c * p[i][0] - s * p[i][1], y = s * p[i][0] + c * p[i][1];
        turned[i][0] = x;
        turned[i][1] = y;
        low[0] = x < low[0] ? x : low[0];
        low[1] = y < low[1] ? y : low[1];
        high[0] = x > high[0] ? x : high[0];
        high[1] = y > high[1] ? y : high[1];
    }
    box[0] = low[0];
    box[1] = low[1];
    box[2] = high[0];
    box[3] = high[1];
}

// False: stopped, and the body is not placed.
static bool place(scree_polygon_sim* sim, body* b, tally* work)
{
    if (b->angle == b->placed)
        return tally_work(work, body_units);
    b->placed = NAN;
    b->c = cos(b->angle);
    b->s = sin(b->angle);
    double box[4] = {-b->radius, -b->radius, b->radius, b->radius};
    if (b->tree != NULL) {
        double (*turned)[2] = sim->turned + b->first;
        box[0] = box[1] = INFINITY;
        box[2] = box[3] = -INFINITY;
        for (int64_t first = 0, end, count = (int64_t)b->tree->n + 1; first < count; first = end) {
            end = vertices_end(first, count);
            turn(b, first, end, turned, box);
            if (!tally_work(work, vertex_units * (end - first)))
                return false;
        }
    }
    for (int k = 0; k < 2 && b->tree != NULL; ++k) {
        box[k] -= b->r;
        box[k + 2] += b->r;
    }
    memcpy(b->box, box, sizeof box);
    b->placed = b->angle;
    return tally_work(work, body_units);
}

static int64_t block_end(const scree_polygon_sim* sim, int64_t block)
{
    return (block + 1) * body_block < sim->n ? (block + 1) * body_block : sim->n;
}

// Which boundaries the body, `way` from its reference, is near to, within what holds all of it and rounding. Returns one that its centre is beyond; -1: none.
static int32_t near_walls(const scree_polygon_sim* sim, body* b, double way)
{
    int32_t beyond = -1;
    double least = INFINITY;
    const double x[3] = {b->x[0], b->x[1], 0.0};
    unsigned walls = 0;
    for (int32_t w = 0; w < sim->wall_count; ++w) {
        int32_t number = sim->walls[w];
        const sim_boundary* wall = &sim->boundaries[number];
        boundary_point point;
        boundary_surface(wall, x, &point);
        double slack = 1e-12 * (b->radius + fabs(point.inside) + wall->radius), gap = point.inside - b->radius - slack;
        walls |= (unsigned)!(gap > 0.0) << number;
        least = edge_least(gap, least);
        if (point.inside < 0.0)
            beyond = number;
    }
    b->walls = (uint8_t)walls;
    b->clear = least - way;  // there and back is farther
    return beyond;
}

// What the block tells of body i as it stands: how far it has come since the list was made, how fast it is, whether it is lost.
static void tell(const scree_polygon_sim* sim, int32_t i, block_result* result)
{
    body* b = &sim->bodies[i];
    double dx = b->x[0] - b->reference[0], dy = b->x[1] - b->reference[1];
    double speed = sqrt(b->v[0] * b->v[0] + b->v[1] * b->v[1]) + b->radius * fabs(b->spin);
    b->fast = speed * sim->numbers.time_step;
    double way = sqrt(dx * dx + dy * dy) + b->radius * fabs(b->angle - b->reference[2]);
    if (sim->def.rule == SCREE_POLYGON_ROUNDED)
        way += edge_most(b->fast - b->listed_fast, 0.0);
    result->way[1] = edge_most(edge_least(way, result->way[0]), result->way[1]);
    result->way[0] = edge_most(way, result->way[0]);
    result->speed = edge_most(speed, result->speed);
    if (result->lost >= 0 || b->fixed)
        return;
    int32_t beyond = way < b->clear ? -1 : near_walls(sim, b, way);
    bool nowhere = !(speed <= SCREE_LENGTH_MAX) || !(fabs(b->angle) <= 1e15);
    for (int k = 0; k < 2; ++k)
        nowhere = nowhere || !(fabs(b->x[k]) <= SCREE_LENGTH_MAX) ||
                  (sim->length[k] > 0.0 && fabs(b->x[k] - sim->def.box.lower[k]) > 16.0 * sim->length[k]);
    if (beyond < 0 && !nowhere)
        return;
    result->lost = i;
    result->boundary = nowhere ? -1 : beyond;
}

static scree_status place_block(void* context, int64_t block)
{
    scree_polygon_sim* sim = context;
    block_result result = {.lost = -1};
    tally work = {.asks = true};
    for (int64_t i = block * body_block; i < block_end(sim, block); ++i) {
        body* b = &sim->bodies[i];
        b->p[0] = b->v[0];
        b->p[1] = b->v[1];
        b->p_spin = b->spin;
        if (!place(sim, b, &work))
            return SCREE_OK;
        tell(sim, (int32_t)i, &result);
    }
    sim->result[block] = result;
    (void)tally_report(&work);
    return SCREE_OK;
}

static void keep(const body* b, int64_t begun, motion* m)
{
    memcpy(m->x, b->x, sizeof m->x);
    m->angle = b->angle;
    m->begun = begun;
    if (b->fixed) {
        memcpy(m->of.fixed.anchor, b->anchor, sizeof b->anchor);
        m->of.fixed.since = b->since;
        return;
    }
    memcpy(m->of.free.v, b->v, sizeof b->v);
    m->of.free.spin = b->spin;
    memcpy(m->of.free.a, b->a, sizeof b->a);
    m->of.free.spin_a = b->spin_a;
}

static scree_status move_block(void* context, int64_t block)
{
    scree_polygon_sim* sim = context;
    double whole = sim->numbers.time_step, half = 0.5 * whole;
    block_result result = {.lost = -1};
    tally work = {.asks = true};
    for (int64_t i = block * body_block; i < block_end(sim, block); ++i) {
        body* b = &sim->bodies[i];
        keep(b, sim->begun, &sim->before[i]);
        if (b->fixed) {
            polygon_fixed_at(sim, b, sim->step);
        } else {
            for (int k = 0; k < 2; ++k) {
                double push = half * b->a[k];
                b->v[k] = verlet_kick(b->v[k], push);
                b->x[k] = verlet_drift(b->x[k], b->v[k], whole);
                b->p[k] = verlet_kick(b->v[k], push);
            }
            double push = half * b->spin_a;
            b->spin = verlet_kick(b->spin, push);
            b->angle = verlet_drift(b->angle, b->spin, whole);
            b->p_spin = verlet_kick(b->spin, push);
            result.fall += b->mass * (sim->gravity[0] * b->v[0] + sim->gravity[1] * b->v[1]);
        }
        if (!place(sim, b, &work))
            return SCREE_OK;
        tell(sim, (int32_t)i, &result);
    }
    sim->result[block] = result;
    (void)tally_report(&work);
    return SCREE_OK;
}

// Who is lost, the lowest number; and the largest speed.
static scree_status look(scree_polygon_sim* sim)
{
    sim->speed = 0.0;
    for (int64_t b = 0; b < sim->blocks; ++b) {
        const block_result* result = &sim->result[b];
        sim->speed = fmax(sim->speed, result->speed);
        if (result->lost < 0)
            continue;
        const body* lost = &sim->bodies[result->lost];
        sim->failed = true;
        if (result->boundary < 0)
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "polygons: step %" PRId64 ": body %" PRId32 " is at %g %g, angle %g, with velocity %g %g: the forces on it diverged; expected finite values. "
                              "The time step %g is too long, or bodies overlapped too much at the start",
                              sim->step, result->lost, lost->x[0], lost->x[1], lost->angle, lost->v[0], lost->v[1], sim->numbers.time_step);
        char name[boundary_name_room];
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "polygons: step %" PRId64 ": body %" PRId32 " is beyond the %s '%s': its centre is at %g %g; expected it inside. The contact is too soft for "
                          "its load, or the time step %g is too long",
                          sim->step, result->lost, result->boundary < boundary_faces ? "wall" : "boundary",
                          boundary_title(&sim->boundaries[result->boundary], result->boundary, name), lost->x[0], lost->x[1], sim->numbers.time_step);
    }
    return SCREE_OK;
}

// ---- Contacts and forces ---------------------------------------------------------------------------------------------

typedef struct touch_job {
    scree_polygon_sim* sim;
    scene_view view;
    bool kick;     // with accelerations, velocities half a step on
    bool rubs;     // there is friction,
    bool advances; // and contacts remember this step
} touch_job;

static scree_status touch_block(void* context, int64_t block)
{
    const touch_job* job = context;
    candidates* near = &job->sim->near;
    memories* of = &job->sim->of_pairs;
    tally work = {.asks = true};
    int64_t end = (block + 1) * pair_block < near->count ? (block + 1) * pair_block : near->count;
    pair_workspace* workspace = &job->sim->workspaces[block];
    if (workspace->done && (!job->advances || polygon_memory_skips(of, block)))
        return SCREE_OK;
    for (int64_t c = block * pair_block; c < end; ++c) {
        memory_row row = {0};
        if (job->rubs)
            row = polygon_memory_open(of, c, block, job->advances);
        if (!narrow_pair(&(touching){&job->view, &near->list[c], &near->sums[c], &work, NULL, job->rubs ? &row : NULL, workspace}))
            return SCREE_OK;
        if (job->advances)
            polygon_memory_close(job->sim, of, c, block, &row);
    }
    if (job->advances)
        polygon_memory_block_done(of, block);
    workspace->done = true;
    (void)tally_report(&work);
    job->sim->tallies[block] = work;
    return SCREE_OK;
}

// One for each block of pairs. MEMORY.
static scree_status clear_workspaces(scree_polygon_sim* sim, int64_t blocks)
{
    if (SCREE_RESERVE(sim->workspaces, sim->workspace_capacity, blocks) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (; sim->workspace_count < blocks; ++sim->workspace_count)
        sim->workspaces[sim->workspace_count] = (pair_workspace){.needed = 0};
    for (int64_t b = 0; b < blocks; ++b) {
        sim->workspaces[b].needed = 0;
        sim->workspaces[b].done = false;
    }
    return SCREE_OK;
}

// Room for pairs with many points. MEMORY.
static scree_status grow_workspaces(scree_polygon_sim* sim, int64_t blocks, bool* again)
{
    for (int64_t b = 0; b < blocks; ++b) {
        pair_workspace* workspace = &sim->workspaces[b];
        if (workspace->done || workspace->needed <= workspace->work.room)
            continue;
        if (!workspace_grow(workspace))
            return SCREE_ERR_MEMORY;
        *again = true;
    }
    return SCREE_OK;
}

// A pass over all blocks; again over those that had no room for the points of a pair or for what contacts remember.
static scree_status pass(int64_t blocks, scree_status (*work)(void*, int64_t), touch_job* job, memories* of)
{
    scree_polygon_sim* sim = job->sim;
    bool again = true;
    scree_status status = SCREE_OK;
    while (again && status == SCREE_OK) {
        again = false;
        status = scree_parallel_for(sim->threads, blocks, work, job, sim->watch.watch);
        if (status == SCREE_OK && job->advances)
            status = polygon_memory_grow(of, &again);
        if (status == SCREE_OK && of == &sim->of_pairs)
            status = grow_workspaces(sim, blocks, &again);
    }
    return status;
}

static touch_job job_of(scree_polygon_sim* sim, bool stepping)
{
    return (touch_job){.sim = sim, .view = polygon_view(sim, true), .kick = stepping, .rubs = sim->rubs, .advances = sim->rubs && stepping};
}

static void note_overlap(body_overlap* deepest, double overlap, double unit, int32_t i, int32_t j)
{
    if (overlap > deepest->relative * unit)
        *deepest = (body_overlap){.overlap = overlap, .relative = overlap / unit, .i = i, .j = j};
}

// What a fixed body that moves does to the other one of a pair, per time.
static double drive_of(const scree_polygon_sim* sim, const candidate* pair, const pair_sum* sum)
{
    const body *i = &sim->bodies[pair->i], *j = &sim->bodies[pair->j];
    double power = 0.0;
    if (i->fixed)
        power -= (sum->force[0] * i->v[0] + sum->force[1] * i->v[1]) + sum->torque[0] * i->spin;
    if (j->fixed)
        power += (sum->force[0] * j->v[0] + sum->force[1] * j->v[1]) - sum->torque[1] * j->spin;
    return power;
}

// Of a pair whose contact cannot go on.
static scree_status check_rounded(const scree_polygon_sim* sim, const candidate* pair, const pair_sum* sum)
{
    if (sum->stuck)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "polygons: step %" PRId64 ": bodies %" PRId32 " and %" PRId32 " overlap by more than the rounding of their corners, %g and %g: their cores cross, or one is inside of the other; "
                          "expected a smaller overlap",
                          sim->step, pair->i, pair->j, sim->bodies[pair->i].r, sim->bodies[pair->j].r);
    const body *a = &sim->bodies[pair->i], *b = &sim->bodies[pair->j];
    if (sum->passed && !(sum->deep > 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "polygons: step %" PRId64 ": bodies %" PRId32 " and %" PRId32 " pass through each other within one step of %g, in which their points come nearer by up to %g; expected less than %g, "
                          "the %s. Use a shorter time step",
                          sim->step, pair->i, pair->j, sim->numbers.time_step, a->fast + b->fast, 0.5 * (a->r + b->r),
                          a->tree == NULL && b->tree == NULL ? "half of the sum of their radii" : "half of the sum of the radii of their corners");
    char text[160] = "";
    if (sum->needed > 0.0)
        snprintf(text, sizeof text, ". The contact is too soft: a stiffness of %.3g would do", sum->needed);
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "polygons: step %" PRId64 ": bodies %" PRId32 " and %" PRId32 " overlap by %g of the %g that the rounding of their corners allows, and move by more than the rest in one step of %g; "
                      "expected less, since they would pass through each other%s",
                      sim->step, pair->i, pair->j, sum->deep, sim->bodies[pair->i].r + sim->bodies[pair->j].r, sim->numbers.time_step, text);
}

static scree_status check_sum(scree_polygon_sim* sim, const candidate* pair, const pair_sum* sum)
{
    const bool deep = sum->deep > 0.0 && !sim->def.allow_deep;
    if (!deep && !sum->stuck && sum->jumped == 0 && !sum->passed)
        return SCREE_OK;
    sim->failed = true;
    if (sim->def.rule == SCREE_POLYGON_ROUNDED)
        return check_rounded(sim, pair, sum);
    if (deep)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "polygons: step %" PRId64 ": bodies %" PRId32 " and %" PRId32 " overlap by %g; expected less, to be separated on the side from which "
                          "they came: their contact is too soft for its load, the time step %g is too long, or one of them is too thin",
                          sim->step, pair->i, pair->j, sum->deep, sim->numbers.time_step);
    if (sum->stuck)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "polygons: step %" PRId64 ": bodies %" PRId32 " and %" PRId32 " cross like a plus sign: a part of their overlap contains no vertex of either, so "
                                                    "no force separates them there; expected a smaller overlap. Their contact is too soft or too fast for such thin "
                                                    "bodies, or they crossed at the start",
                          sim->step, pair->i, pair->j);
    const bool first = sum->jumped > 0;
    const int32_t owner = first ? pair->i : pair->j, other = first ? pair->j : pair->i, vertex = (first ? sum->jumped : -sum->jumped) - 1;
    if (sum->flush)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "polygons: step %" PRId64 ": vertex %" PRId32 " of body %" PRId32 " is on a side of body %" PRId32 ", sides of both coincide there, and the bodies overlap: the force has no "
                          "direction; expected sides that do not coincide. Use the rule rounded",
                          sim->step, vertex, owner, other);
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "polygons: step %" PRId64 ": vertex %" PRId32 " of body %" PRId32 " is inside of body %" PRId32 ", where the nearest side has changed to one whose direction differs by more than 60 "
                      "degrees: the force jumps; expected a contact that stays at its side. Use the rule rounded, or a stiffer contact",
                      sim->step, vertex, owner, other);
}

static scree_status touch(scree_polygon_sim* sim, bool stepping)
{
    touch_job job = job_of(sim, stepping);
    candidates* near = &sim->near;
    int64_t blocks = (near->count + pair_block - 1) / pair_block;
    scree_status status = job.rubs ? polygon_memory_begin(sim, stepping) : SCREE_OK;
    if (status == SCREE_OK)
        status = clear_workspaces(sim, blocks);
    if (status == SCREE_OK)
        status = pass(blocks, touch_block, &job, &sim->of_pairs);
    if (status != SCREE_OK)
        return status;
    for (int64_t b = 0; b < blocks; ++b) {
        sim->total.pairs += sim->tallies[b].pairs;
        sim->total.offered += sim->tallies[b].offered;
        sim->total.tested += sim->tallies[b].tested;
        sim->total.crossed += sim->tallies[b].crossed;
    }
    memset(sim->power, 0, sizeof sim->power);
    sim->deepest = (body_overlap){.i = -1};
    for (int64_t c = 0; c < near->count; ++c) {  // in the order of pairs; candidates without contact add nothing
        if (near->sums[c].contacts > 0) {
            sim->power[DISSIPATED_NORMAL] += near->sums[c].power[0];
            sim->power[DISSIPATED_TANGENTIAL] += near->sums[c].power[1];
            sim->power[WORK_WALLS] += drive_of(sim, &near->list[c], &near->sums[c]);
            const candidate* pair = &near->list[c];
            note_overlap(&sim->deepest, near->sums[c].overlap, overlap_unit(&sim->bodies[pair->i], &sim->bodies[pair->j]), pair->i, pair->j);
        }
        status = check_sum(sim, &near->list[c], &near->sums[c]);
        if (status == SCREE_OK)
            status = polygon_work(sim, 4, 1.0);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// False: stopped.
static bool accelerate(const touch_job* job, int32_t i, int64_t block, tally* work)
{
    scree_polygon_sim* sim = job->sim;
    const candidates* near = &sim->near;
    body* b = &sim->bodies[i];
    wall_sum walls = {.power = {sim->result[block].power[0], sim->result[block].power[1]}};
    double* f = walls.force;
    for (int64_t e = near->in_first[i]; e < near->in_first[i + 1]; ++e) {
        const pair_sum* sum = &near->sums[near->in[e]];
        if (sum->contacts == 0)
            continue;
        f[0] -= sum->force[0];
        f[1] -= sum->force[1];
        f[2] += sum->torque[1];
    }
    for (int64_t c = near->own[i]; c < near->own[i + 1]; ++c) {
        const pair_sum* sum = &near->sums[c];
        if (sum->contacts == 0)
            continue;
        f[0] += sum->force[0];
        f[1] += sum->force[1];
        f[2] += sum->torque[0];
    }
    memory_row row = {0};
    if (job->rubs)
        row = polygon_memory_open(&sim->of_walls, i, block, job->advances);
    if (!narrow_walls(&job->view, i, &walls, work, NULL, job->rubs ? &row : NULL))
        return false;
    memcpy(sim->result[block].power, walls.power, sizeof walls.power);
    note_overlap(&sim->result[block].deepest, walls.overlap, overlap_unit(b, NULL), i, -1 - walls.boundary);
    if (job->advances)
        polygon_memory_close(sim, &sim->of_walls, i, block, &row);
    for (int k = 0; k < 2; ++k)
        b->a[k] = f[k] * b->inverse_mass + sim->gravity[k];
    b->spin_a = f[2] * b->inverse_inertia;
    return tally_work(work, 16 * (near->in_first[i + 1] - near->in_first[i] + near->own[i + 1] - near->own[i] + 1));
}

static scree_status push_block(void* context, int64_t block)
{
    const touch_job* job = context;
    scree_polygon_sim* sim = job->sim;
    double half = 0.5 * sim->numbers.time_step;
    tally work = {.asks = true};
    if (job->advances && polygon_memory_skips(&sim->of_walls, block))
        return SCREE_OK;
    memset(sim->result[block].power, 0, sizeof sim->result[block].power);
    sim->result[block].deepest = (body_overlap){.i = -1};
    for (int64_t i = block * body_block; i < block_end(sim, block); ++i) {
        if (job->advances)
            sim->of_walls.lost[i] = 0.0;
        if (!sim->bodies[i].fixed && !accelerate(job, (int32_t)i, block, &work))
            return SCREE_OK;
    }
    if (job->advances)
        polygon_memory_block_done(&sim->of_walls, block);
    (void)tally_report(&work);
    bool again = job->advances && !polygon_memory_skips(&sim->of_walls, block);
    for (int64_t i = block * body_block; i < block_end(sim, block) && job->kick && !again; ++i) {
        body* b = &sim->bodies[i];
        if (b->fixed)
            continue;
        for (int k = 0; k < 2; ++k)
            b->v[k] = verlet_kick(b->v[k], half * b->a[k]);
        b->spin = verlet_kick(b->spin, half * b->spin_a);
    }
    return SCREE_OK;
}

static scree_status push_all(scree_polygon_sim* sim, bool kick)
{
    touch_job job = job_of(sim, kick);
    scree_status status = pass(sim->blocks, push_block, &job, &sim->of_walls);
    for (int64_t b = 0; b < sim->blocks && status == SCREE_OK; ++b) {
        sim->power[DISSIPATED_NORMAL] += sim->result[b].power[0];
        sim->power[DISSIPATED_TANGENTIAL] += sim->result[b].power[1];
        if (sim->result[b].deepest.relative > sim->deepest.relative)
            sim->deepest = sim->result[b].deepest;
    }
    return status;
}

// Keeps the largest overlap of a complete step, with the centre of the smaller body, or of the free one.
static void keep_overlap(scree_polygon_sim* sim)
{
    const body_overlap* seen = &sim->deepest;
    if (!(seen->relative > sim->found.deepest.relative))
        return;
    const body *i = &sim->bodies[seen->i], *j = seen->j >= 0 ? &sim->bodies[seen->j] : i;
    const body* at = i->fixed != j->fixed ? (i->fixed ? j : i) : j->radius < i->radius ? j : i;
    sim->found.deepest = (scree_sim_overlap){.step = sim->step,
                                             .ij = {seen->i, seen->j},
                                             .overlap = seen->overlap,
                                             .relative = seen->relative,
                                             .duration = INFINITY,
                                             .at = {at->x[0], at->x[1], 0.0}};
}

// Energies of a step that is complete.
static void book(scree_polygon_sim* sim)
{
    double whole = sim->numbers.time_step, fall = 0.0;
    for (int k = 0; k < powers; ++k) {
        sim->account[k] += 0.5 * whole * (sim->account[POWERS_BEFORE + k] + sim->power[k]);
        sim->account[POWERS_BEFORE + k] = sim->power[k];
    }
    for (int64_t b = 0; b < sim->blocks; ++b)
        fall += sim->result[b].fall;
    sim->account[WORK_GRAVITY] += whole * fall;
}

// ---- From outside ------------------------------------------------------------------------------------------------------

static scree_status stand(scree_polygon_sim* sim)
{
    sim->near.held = false;
    scree_status status = scree_parallel_for(sim->threads, sim->blocks, place_block, sim, sim->watch.watch);
    if (status == SCREE_OK)
        status = look(sim);
    if (status == SCREE_OK)
        status = candidates_ready(sim);
    sim->stale = sim->stale && status != SCREE_OK;
    return status;
}

// For those who look on. One that has failed is seen as it was then.
scree_status polygon_stand(scree_polygon_sim* sim)
{
    scree_status status = polygon_check_idle(sim);
    return status == SCREE_OK && sim->stale && !sim->failed ? stand(sim) : status;
}

// Candidates, contacts and accelerations of bodies as they stand.
scree_status polygon_settle(scree_polygon_sim* sim, bool keep_accelerations)
{
    tally before = sim->total;
    scree_status status = stand(sim);
    if (status == SCREE_OK)
        status = touch(sim, false);
    sim->total = before;
    if (status != SCREE_OK || keep_accelerations)
        return status;
    status = push_all(sim, false);
    if (status == SCREE_OK)
        keep_overlap(sim);
    if (status == SCREE_OK)
        memcpy(sim->account + POWERS_BEFORE, sim->power, sizeof sim->power);
    return status;
}

// Into periodic axes, at steps that do not depend on anything else.
static scree_status wrap(scree_polygon_sim* sim)
{
    sim->near.held = false;
    for (int32_t i = 0; i < sim->n; ++i) {
        scree_status status = polygon_work(sim, 16, 1.0);
        if (status != SCREE_OK)
            return status;
        body* b = &sim->bodies[i];
        double turns[2] = {0.0, 0.0};
        double x[2] = {scree_box_wrap(&sim->def.box, 0, b->x[0], &turns[0]), scree_box_wrap(&sim->def.box, 1, b->x[1], &turns[1])};
        bool moved = (sim->length[0] > 0.0 && turns[0] != 0.0) || (sim->length[1] > 0.0 && turns[1] != 0.0);
        for (int k = 0; k < 2; ++k)
            b->turns[k] = sim->length[k] > 0.0 ? (int32_t)turns[k] : 0;
        if (!moved)
            continue;
        memcpy(b->x, x, sizeof x);
        if (b->fixed) {
            b->anchor[0] = x[0];
            b->anchor[1] = x[1];
            b->anchor[2] = b->angle;
            b->since = sim->step;
        }
    }
    return sim->rubs ? polygon_memory_wrap(sim) : SCREE_OK;
}

static scree_status move_all(scree_polygon_sim* sim)
{
    scree_status status = scree_parallel_for(sim->threads, sim->blocks, move_block, sim, sim->watch.watch);
    if (status == SCREE_OK)
        status = look(sim);
    if (status == SCREE_OK && (sim->length[0] > 0.0 || sim->length[1] > 0.0) && sim->step % sim->def.wrap_every == 0)
        status = wrap(sim);
    return status;
}

// Bodies that the step had not come to yet were kept for an earlier one, and stand as they did.
static void take_back(scree_polygon_sim* sim)
{
    for (int32_t i = 0; i < sim->n; ++i) {
        const motion* m = &sim->before[i];
        body* b = &sim->bodies[i];
        if (m->begun != sim->begun)
            continue;
        memcpy(b->x, m->x, sizeof b->x);
        b->angle = m->angle;
        if (b->fixed) {
            memcpy(b->anchor, m->of.fixed.anchor, sizeof b->anchor);
            b->since = m->of.fixed.since;
            continue;
        }
        memcpy(b->v, m->of.free.v, sizeof b->v);
        b->spin = m->of.free.spin;
        memcpy(b->a, m->of.free.a, sizeof b->a);
        b->spin_a = m->of.free.spin_a;
    }
    --sim->step;
    sim->near.held = false;
    sim->stale = true;
}

scree_status polygon_step(scree_polygon_sim* sim)
{
    double begin = scree_clock();
    tally before = sim->total;
    ++sim->begun;
    ++sim->step;
    sim->moving = true;
    sim->of_pairs.now = &sim->of_pairs.held;
    sim->of_walls.now = &sim->of_walls.held;
    scree_status status = move_all(sim);
    sim->seconds_integrate += scree_clock() - begin;
    if (status == SCREE_OK)
        status = candidates_ready(sim);
    begin = scree_clock();
    if (status == SCREE_OK)
        status = touch(sim, true);
    double middle = scree_clock();
    sim->seconds_force += middle - begin;
    if (status == SCREE_OK)
        status = push_all(sim, true);
    if (status == SCREE_OK && sim->rubs)
        status = polygon_memory_end(sim);
    if (status == SCREE_OK)
        book(sim);
    if (status == SCREE_OK)
        keep_overlap(sim);
    sim->seconds_integrate += scree_clock() - middle;
    sim->moving = false;
    if (status != SCREE_OK && !sim->failed) {
        take_back(sim);
        sim->total = before;
    }
    sim->stale = sim->stale && status != SCREE_OK;
    return status;
}
