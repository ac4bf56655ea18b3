// The boundaries of a simulation: creation, motion, names, and the forces of spheres on them.
#include "sim/contact.h"
#include "sim/overview.h"
#include "sim/runner.h"

#include "base/argument.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <stdio.h>

SCREE_DEFAULTS_OF(scree_sim_boundary, scree_default_sim_boundary)
{
    return (scree_sim_boundary){.struct_size = sizeof(scree_sim_boundary), .axis = {0.0, 0.0, 1.0}};
}

// ---- Making ----------------------------------------------------------------------------------------------------------

bool boundary_is_wall(const scree_container* container, int face)
{
    const scree_box* box = &container->box;
    double at = face & 1 ? box->upper[face / 2] : box->lower[face / 2];
    bool round = container->kind == SCREE_CONTAINER_SPHERE || (container->kind == SCREE_CONTAINER_CYLINDER && face / 2 < 2);
    return face / 2 < box->dim && !round && !box->periodic[face / 2] && at > -INFINITY && at < INFINITY;
}

static scree_container container_of(const scree_sim_def* def)
{
    return (scree_container){.kind = def->container, .box = def->box};
}

bool sim_has_wall(const scree_sim_def* def, int face)
{
    scree_container container = container_of(def);
    return boundary_is_wall(&container, face);
}

int32_t sim_wall_materials(const scree_sim_def* def, int32_t out[boundary_faces + 1])
{
    int32_t count = 0;
    if (def->face_materials == NULL || def->container != SCREE_CONTAINER_BOX)
        out[count++] = def->wall_material;
    for (int face = 0; face < boundary_faces && def->face_materials != NULL; ++face)
        if (sim_has_wall(def, face))
            out[count++] = def->face_materials[face];
    return count;
}

static void make_face(const scree_container* container, int face, uint16_t material, sim_boundary* b)
{
    const scree_box* box = &container->box;
    int k = face / 2;
    *b = (sim_boundary){.kind = BOUNDARY_face, .material = material, .present = boundary_is_wall(container, face), .sign = face & 1 ? -1.0 : 1.0};
    b->at[k] = k < box->dim ? (face & 1 ? box->upper[k] : box->lower[k]) : 0.0;
    b->axis[k] = 1.0;
}

// The round wall: the shortest side counts (scree/geom.h).
static void make_round(const scree_container* container, uint16_t material, sim_boundary* b)
{
    const scree_box* box = &container->box;
    int round = container->kind == SCREE_CONTAINER_CYLINDER ? 2 : box->dim;
    *b = (sim_boundary){.kind = container->kind == SCREE_CONTAINER_CYLINDER ? BOUNDARY_cylinder : BOUNDARY_sphere,
                        .material = material,
                        .present = true,
                        .sign = 1.0,
                        .axis = {0.0, 0.0, 1.0},
                        .radius = INFINITY};
    for (int k = 0; k < round; ++k) {
        b->at[k] = 0.5 * (box->lower[k] + box->upper[k]);
        b->radius = fmin(b->radius, 0.5 * (box->upper[k] - box->lower[k]));
    }
}

int32_t boundaries_of_container(const scree_container* container, uint16_t material, sim_boundary* out)
{
    for (int face = 0; face < boundary_faces; ++face)
        make_face(container, face, material, &out[face]);
    if (container->kind == SCREE_CONTAINER_BOX)
        return boundary_faces;
    make_round(container, material, &out[boundary_faces]);
    return boundary_faces + 1;
}

static scree_status check_motion(const double at[3], const double velocity[3], const double spin[3])
{
    for (int k = 0; k < 3; ++k)
        if (!(fabs(at[k]) <= SCREE_LENGTH_MAX) || !(fabs(velocity[k]) <= SCREE_LENGTH_MAX) || !(fabs(spin[k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "at %g with a velocity of %g and a spin of %g on axis %c; expected finite numbers", at[k], velocity[k],
                              spin[k], "xyz"[k]);
    return SCREE_OK;
}

static scree_status fail_of(int32_t number, scree_status status)
{
    char why[400];
    snprintf(why, sizeof why, "%s", scree_error_message());
    return status == SCREE_ERR_MEMORY ? status : scree_fail(status, "sim: boundary %" PRId32 ": %s", number, why);
}

static scree_status make_given(const scree_sim_boundary* given, const scree_box* box, sim_shape* shape, sim_boundary* b)
{
    scree_status status = scree_check_struct_size("sim", "scree_default_sim_boundary", given->struct_size, sizeof *given, sizeof *given);
    if (status != SCREE_OK)
        return status;
    bool any = given->exact != NULL || given->surface != NULL;
    *b = (sim_boundary){.kind = any ? BOUNDARY_any : BOUNDARY_face, .material = (uint16_t)given->material, .present = true, .sign = given->outside ? -1.0 : 1.0, .radius = given->radius, .removes = given->removes};
    while (!any && b->kind < BOUNDARY_COUNT && (b->kind == BOUNDARY_any || given->kind == NULL || strcmp(boundary_name((boundary_kind)b->kind), given->kind) != 0))
        ++b->kind;
    if (b->kind == BOUNDARY_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "there is no kind '%.40s'; expected face, sphere or cylinder", given->kind != NULL ? given->kind : "");
    if (given->material < 0 || given->material > UINT16_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "material %" PRId32 "; expected 0 to 65535", given->material);
    double length = sqrt((given->axis[0] * given->axis[0] + given->axis[1] * given->axis[1]) + given->axis[2] * given->axis[2]);
    if (!any && !(length > 0.0 && length < INFINITY))
        return scree_fail(SCREE_ERR_ARGUMENT, "axis %g %g %g; expected a vector that is not zero", given->axis[0], given->axis[1], given->axis[2]);
    for (int k = 0; k < 3; ++k) {
        b->at[k] = any ? given->about[k] : given->at[k];
        b->axis[k] = any ? 0.0 : given->axis[k] / length;
        b->velocity[k] = given->velocity[k];
        b->spin[k] = given->spin[k];
    }
    status = check_motion(b->at, b->velocity, b->spin);
    if (status == SCREE_OK && any) {
        status = shape_take(given, box, shape);
        b->shape = shape;
        for (int k = 0; k < 3; ++k)
            b->turn[k][k] = 1.0;
    }
    return status == SCREE_OK ? boundary_check(b, box->dim) : status;
}

scree_status sim_boundaries_make(scree_sim* sim)
{
    const scree_sim_def* def = &sim->def;
    if (def->boundary_count < 0 || (def->boundary_count > 0 && def->boundaries == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId32 " boundaries%s; expected 0 or more, with an array", def->boundary_count, def->boundaries == NULL ? " without an array" : "");
    bool round = def->container != SCREE_CONTAINER_BOX;
    sim->boundary_count = boundary_faces + round + def->boundary_count;
    sim->boundaries = scree_calloc((size_t)sim->boundary_count, sizeof *sim->boundaries);
    sim->boundaries_now = scree_calloc((size_t)sim->boundary_count, sizeof *sim->boundaries_now);
    sim->felt = scree_calloc((size_t)sim->boundary_count, sizeof *sim->felt);
    sim->motions = scree_calloc((size_t)sim->boundary_count, sizeof *sim->motions);
    if (sim->boundaries == NULL || sim->boundaries_now == NULL || sim->felt == NULL || sim->motions == NULL)
        return SCREE_ERR_MEMORY;
    scree_container container = container_of(def);
    boundaries_of_container(&container, (uint16_t)def->wall_material, sim->boundaries);  // walls move: sim_boundaries_at says where they are
    for (int face = 0; face < boundary_faces && def->face_materials != NULL; ++face)
        sim->boundaries[face].material = (uint16_t)def->face_materials[face];
    for (int32_t b = 0; b < boundary_faces + round; ++b)
        sim->boundaries[b].removes = def->walls_remove && sim->boundaries[b].present;
    if (surfaces_make(sim) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    int64_t parts = 0;
    for (int32_t b = 0, shape = 0; b < def->boundary_count; ++b) {
        sim_boundary* to = &sim->boundaries[boundary_faces + round + b];
        scree_status status = make_given(&def->boundaries[b], &def->box, sim->surfaces.count > shape ? &sim->surfaces.shapes[shape] : NULL, to);
        if (status != SCREE_OK)
            return fail_of(boundary_faces + round + b, status);
        if (to->shape == NULL)
            continue;
        status = surfaces_check_images(sim, to->shape, sim->numbers.radius_max);
        if (status != SCREE_OK)
            return fail_of(boundary_faces + round + b, status);
        sim->surfaces.shapes[shape].first = (int32_t)parts;
        parts += sim->surfaces.shapes[shape++].parts;
        if (parts > INT32_MAX)
            return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: the meshes have a total of %" PRId64 " triangles; expected at most %d", parts, INT32_MAX);
    }
    for (int32_t b = 0; b < sim->boundary_count; ++b)
        sim->walled = sim->walled || (sim->boundaries[b].present && sim->boundaries[b].shape == NULL);
    return SCREE_OK;
}

scree_status sim_boundaries_hold(const scree_sim* sim, const double* x, const uint8_t* flags, const sim_boundary* at)
{
    for (int32_t b = boundary_faces; b < sim->boundary_count; ++b)
        for (int64_t i = 0; i < sim->n && !(at[b].removes && sim->crossings.seen > 0); ++i) {  // those that were seen beyond it are removed next
            double centre[3] = {0.0, 0.0, 0.0};
            boundary_point seen;
            char name[boundary_name_room];
            for (int k = 0; k < sim->dim; ++k)
                centre[k] = x[i * sim->dim + k];
            boundary_surface(&at[b], centre, &seen);  // INFINITY inside of shapes
            if (seen.inside < 0.0 && !is_fixed(flags, i))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": its centre at %g %g %g lies beyond the boundary '%s', by %g; expected it inside", sim_id_of(sim, i), centre[0], centre[1], centre[2],
                                  sim_boundary_name(sim, b, name), -seen.inside);
        }
    return SCREE_OK;
}

const char* boundary_title(const sim_boundary* b, int32_t number, char room[boundary_name_room])
{
    static const char* const faces[boundary_faces] = {"lower x", "upper x", "lower y", "upper y", "lower z", "upper z"};
    if (number < boundary_faces)
        snprintf(room, boundary_name_room, "%s", faces[number]);
    else if (b->shape != NULL && b->shape->name[0] != '\0')
        snprintf(room, boundary_name_room, "%s", b->shape->name);
    else if (b->shape != NULL)
        snprintf(room, boundary_name_room, "%s %" PRId32, shape_kind(b->shape), number);
    else
        snprintf(room, boundary_name_room, "%s %" PRId32, boundary_name((boundary_kind)b->kind), number);
    return room;
}

const char* sim_boundary_name(const scree_sim* sim, int32_t number, char room[boundary_name_room])
{
    return boundary_title(&sim->boundaries[number], number, room);
}

// ---- Motion ----------------------------------------------------------------------------------------------------------

static bool is_turned(const scree_sim_motion* m)
{
    static const double none[3][3] = {{0.0}};
    return memcmp(m->turn, none, sizeof none) != 0;
}

static bool differs_from_identity(const double turn[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (turn[i][j] != (i == j ? 1.0 : 0.0))
                return true;
    return false;
}

// It is turned so from now on; as of a state that is taken up.
void boundary_keep_turn(const sim_boundary* now, sim_boundary* to)
{
    memcpy(to->turn, now->turn, sizeof to->turn);
    to->turned = to->shape != NULL && differs_from_identity((const double(*)[3])to->turn);
}

scree_status sim_motions_check(const scree_sim* sim, const scree_sim_state* state)
{
    int32_t others = sim->boundary_count - boundary_faces;
    if (state->motions == NULL)
        return SCREE_OK;
    if (state->motion_count != others)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: motions of %" PRId32 " boundaries; expected %" PRId32 ", one for each boundary other than the walls of the box", state->motion_count, others);
    for (int32_t b = 0; b < others; ++b) {
        const scree_sim_motion* m = &state->motions[b];
        sim_boundary moved = sim->boundaries[boundary_faces + b];
        memcpy(moved.velocity, m->velocity, sizeof moved.velocity);
        memcpy(moved.spin, m->spin, sizeof moved.spin);
        memcpy(moved.at, m->at, sizeof moved.at);
        if (moved.shape != NULL && is_turned(m))
            memcpy(moved.turn, m->turn, sizeof moved.turn);
        scree_status status = check_motion(m->at, m->velocity, m->spin);
        if (status == SCREE_OK && moved.shape != NULL && !shape_turn_check((const double(*)[3])moved.turn))
            status = scree_fail(SCREE_ERR_ARGUMENT, "its orientation has the first row %g %g %g; expected a rotation matrix", moved.turn[0][0], moved.turn[0][1], moved.turn[0][2]);
        if (status == SCREE_OK)
            status = boundary_check(&moved, sim->dim);
        if (status == SCREE_OK && (m->since < 0 || m->since > state->step))
            status = scree_fail(SCREE_ERR_ARGUMENT, "its motion began at step %" PRId64 "; expected a step from 0 to that of the state, %" PRId64, m->since, state->step);
        if (status != SCREE_OK)
            return fail_of(boundary_faces + b, status);
    }
    return SCREE_OK;
}

void sim_motions_set(const scree_sim_state* state, sim_boundary* boundaries)
{
    for (int32_t b = 0; b < state->motion_count && state->motions != NULL; ++b) {
        sim_boundary* to = &boundaries[boundary_faces + b];
        memcpy(to->at, state->motions[b].at, sizeof to->at);
        memcpy(to->velocity, state->motions[b].velocity, sizeof to->velocity);
        memcpy(to->spin, state->motions[b].spin, sizeof to->spin);
        to->since = state->motions[b].since;
        if (to->shape != NULL && is_turned(&state->motions[b]))
            memcpy(to->turn, state->motions[b].turn, sizeof to->turn);
        to->turned = to->shape != NULL && differs_from_identity((const double(*)[3])to->turn);
    }
}

scree_status scree_sim_set_motion(scree_sim* sim, int32_t boundary, const double velocity[3], const double spin[3])
{
    SCREE_NEED(sim);
    SCREE_NEED(velocity);
    SCREE_NEED(spin);
    if (sim->hollow)
        return sim_change_there(sim, &(sim_change){.kind = CHANGE_MOTION, .target = boundary, .values = {velocity[0], velocity[1], velocity[2], spin[0], spin[1], spin[2]}});
    scree_status status = sim_check_still(sim);
    if (status != SCREE_OK)
        return status;
    if (boundary < boundary_faces || boundary >= sim->boundary_count)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: boundary %" PRId32 "; expected %d to %" PRId32 " (walls: scree_sim_set_wall_velocity)", boundary,
                          (int)boundary_faces, sim->boundary_count - 1);
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    sim_boundary moved = sim->boundaries_now[boundary];
    memcpy(moved.velocity, velocity, sizeof moved.velocity);
    memcpy(moved.spin, spin, sizeof moved.spin);
    moved.since = sim->step;
    status = check_motion(moved.at, velocity, spin);
    if (status == SCREE_OK)
        status = boundary_check(&moved, sim->dim);
    if (status != SCREE_OK)
        return fail_of(boundary, status);
    boundary_keep_turn(&sim->boundaries_now[boundary], &moved);
    sim->boundaries[boundary] = moved;
    for (int32_t kind = SCREE_LOAD_BOUNDARY_VELOCITY; kind <= SCREE_LOAD_SERVO_TORQUE; ++kind)
        loads_drop(sim, kind, boundary);
    return SCREE_OK;
}

// ---- What the spheres do to them -------------------------------------------------------------------------------------

// Totals of one boundary.
enum { LOAD_FORCE, LOAD_TORQUE = 3, LOAD_POWER = 6, load_totals };

typedef struct load_sums {
    sim_total* totals;  // of all boundaries
    int64_t* contacts;
} load_sums;

static void add_load(const sim_pass* pass, const double x[3], int32_t boundary, bool counts, const sim_seen* contact, const load_sums* sums)
{
    const sim_boundary* b = &pass->boundaries[boundary];
    sim_total* to = sums->totals + (size_t)load_totals * (size_t)boundary;
    double arm[3], v[3], f[3];
    boundary_velocity(b, x, contact->d, contact->distance, v);
    for (int k = 0; k < 3; ++k) {
        arm[k] = (x[k] - contact->distance * contact->d[k]) - b->at[k];
        f[k] = -contact->force[k];
    }
    sums->contacts[boundary] += counts;
    for (int k = 0; k < 3; ++k) {
        total_add(&to[LOAD_FORCE + k], f[k]);
        total_add(&to[LOAD_TORQUE + k], (arm[(k + 1) % 3] * f[(k + 2) % 3] - arm[(k + 2) % 3] * f[(k + 1) % 3]) - contact->twist[k]);
        total_add(&to[LOAD_POWER], contact->twist[k] * b->spin[k] - f[k] * v[k]);
    }
}

typedef struct touch_loads {
    const sim_pass* pass;
    const load_sums* sums;
} touch_loads;

static void add_touch(void* context, const surface_touch* touch, const double* words, const sim_seen* seen)
{
    const touch_loads* to = context;
    (void)words;
    add_load(to->pass, touch->x, touch->boundary, !surface_is_link(touch), seen, to->sums);
}

static void add_loads(const sim_pass* pass, int64_t block, const load_sums* sums)
{
    int words = pass->law.row.words;
    for (int64_t e = pass->near_first[block]; e < pass->near_first[block + 1]; ++e) {
        near_wall near = pass->near[e];
        double memory[law_words_most];
        sim_seen contact;
        if (words > 0)
            slot_read(&pass->wall_slots, e, pass->near_first[block], words, memory);
        if (!sim_see_wall(pass, near, words > 0 && pass->wall_slots.slot[e] >= 0, memory, &contact))
            continue;
        add_load(pass, pass->x[near.rank], near.boundary, true, &contact, sums);
    }
    sim_surfaces_visit(pass, block, add_touch, &(touch_loads){.pass = pass, .sums = sums});
}

typedef struct load_job {
    const scree_sim* sim;
    sim_pass pass;
    int64_t chunks, words;
    int64_t* memory;    // of each chunk
} load_job;

static load_sums sums_of(const load_job* job, int64_t chunk)
{
    int64_t* at = job->memory + chunk * job->words;
    return (load_sums){.totals = (sim_total*)(void*)at, .contacts = at + (int64_t)job->sim->boundary_count * load_totals * total_words};
}

static scree_status add_chunk(void* context, int64_t chunk)
{
    const load_job* job = context;
    int64_t blocks = job->sim->blocks;
    load_sums sums = sums_of(job, chunk);
    for (int64_t b = chunk * blocks / job->chunks; b < (chunk + 1) * blocks / job->chunks; ++b)
        add_loads(&job->pass, b, &sums);
    return SCREE_OK;
}

// Of chunks of blocks, as many as threads: totals are the same for any number of them.
static scree_status look_boundaries(const scree_sim* sim, const sim_look* look)
{
    load_job job = {.sim = sim, .chunks = sim->threads < sim->blocks ? sim->threads : sim->blocks, .words = look->words};
    job.memory = scree_calloc((size_t)(job.chunks * job.words), sizeof *job.memory);
    if (job.memory == NULL)
        return SCREE_ERR_MEMORY;
    sim_pass_of_forces(sim, &job.pass);
    scree_parallel_for(sim->threads, job.chunks, add_chunk, &job, NULL);
    for (int64_t c = 0; c < job.chunks; ++c) {
        load_sums sums = sums_of(&job, c);
        for (int32_t t = 0; t < look->total_count; ++t) {
            total_carry(&sums.totals[t]);
            total_join(&look->totals[t], &sums.totals[t]);
        }
        for (int32_t b = 0; b < sim->boundary_count; ++b)
            look->counts[b] += sums.contacts[b];
    }
    scree_free(job.memory);
    return SCREE_OK;
}

const look_row sim_look_boundaries = {.look = look_boundaries, .totals = load_totals, .counts = 1};

SCREE_ROWS_OF(scree_sim_boundary_report, scree_sim_get_boundaries, (scree_sim* sim, scree_sim_boundary_report* out, int32_t room), (sim, out, room))
{
    SCREE_NEED_OR(sim, 0);
    int32_t count = sim->boundary_count;
    sim_look look;
    if (sim_check_asked(sim) != SCREE_OK)
        return -1;
    if (out == NULL || room <= 0)
        return count;
    if (sim_look_at(sim, LOOK_BOUNDARIES, NULL, &look) != SCREE_OK)
        return -1;
    sim_boundaries_as_felt(sim);
    for (int32_t b = 0; b < count && b < room; ++b) {
        char name[boundary_name_room];
        const sim_boundary* now = &sim->boundaries_now[b];
        out[b] = (scree_sim_boundary_report){.present = now->present};
        snprintf(out[b].name, sizeof out[b].name, "%s", sim_boundary_name(sim, b, name));
        memcpy(out[b].at, now->at, sizeof out[b].at);
        memcpy(out[b].velocity, now->velocity, sizeof out[b].velocity);
        memcpy(out[b].spin, now->spin, sizeof out[b].spin);
        for (int k = 0; k < 3; ++k)
            out[b].turn[k][k] = 1.0;
        if (now->shape != NULL)
            memcpy(out[b].turn, now->turn, sizeof out[b].turn);
        const sim_total* load = look.totals + (size_t)load_totals * (size_t)b;
        out[b].contacts = look.counts[b];
        out[b].power = total_value(&load[LOAD_POWER]);
        for (int k = 0; k < 3; ++k) {
            out[b].force[k] = total_value(&load[LOAD_FORCE + k]);
            out[b].torque[k] = total_value(&load[LOAD_TORQUE + k]);
        }
    }
    sim_look_free(&look);
    return count;
}
