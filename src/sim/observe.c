// Measurements: energies, momentum, pressure, stress, and contacts as data. Nothing here changes the simulation. Sums are totals (totals.h): they depend neither on threads nor on processes.
#include "sim/contact.h"
#include "sim/device.h"
#include "sim/overview.h"
#include "sim/part.h"
#include "sim/runner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/pair_sort.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "geom/pair.h"

#include <inttypes.h>
#include <math.h>

// Components of a symmetric tensor, in the order of the log.
enum { components = 6 };
static const int axes_of[components][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

// Totals of a report, then those that need the velocity of the centre of mass.
enum {
    TOTAL_KINETIC,
    TOTAL_ROTATION,
    TOTAL_CONTACT,                            // owners
    TOTAL_GRAVITY = TOTAL_CONTACT + owners,
    TOTAL_MASS,
    TOTAL_MOMENTUM,                           // 3
    TOTAL_VIRIAL = TOTAL_MOMENTUM + 3,
    TOTAL_FORCES,                             // components: of f d^T
    TOTAL_FLOW = TOTAL_FORCES + components,   // 3: of a cell that moves, times the masses that are there
    total_spheres = TOTAL_FLOW + 3,
    TOTAL_BONDS = total_spheres,              // bond_totals
    total_first = TOTAL_BONDS + bond_totals,
    TOTAL_RELATIVE = 0,                       // kinetic energy,
    TOTAL_MOTION,                             // components: and m v v^T, of the motion relative to the centre of mass
    total_second = TOTAL_MOTION + components
};

typedef struct look_sums {
    sim_total of[total_spheres];
    double overlap, relative, speed_square;
    int64_t contacts, wall_contacts, sliding, rows;
} look_sums;

// Terms on their way to the totals of a chunk.
typedef struct look_terms {
    look_sums* sums;
    sim_batch batch[total_spheres];
} look_terms;

static void terms_begin(look_terms* to, look_sums* sums)
{
    to->sums = sums;
    for (int t = 0; t < total_spheres; ++t)
        to->batch[t].count = 0;
}

static void terms_end(look_terms* to)
{
    for (int t = 0; t < total_spheres; ++t)
        if (to->batch[t].count > 0)
            total_flush(&to->sums->of[t], &to->batch[t]);
}

static void add(look_terms* to, int total, double term)
{
    total_push(&to->sums->of[total], &to->batch[total], term);
}

typedef struct sum_job sum_job;
struct sum_job {
    const scree_sim* sim;
    sim_pass pass;
    double mean[3];        // velocity of the centre of mass,
    double flow[3];        // and of a cell that moves at the centre of mass
    look_sums* sums;       // of each chunk of blocks
    int64_t chunks;
    void (*sum)(const sum_job* job, int64_t block, look_terms* to);
};

bool sim_contact_of_row(const sim_pass* pass, int64_t c, sim_seen* out, double* memory)
{
    int32_t i = pass->ij[c][0], j = pass->ij[c][1];
    const int8_t* shift = pass->shift == NULL ? NULL : pass->shift[c];
    double offset[3] = {0.0, 0.0, 0.0};
    if (shift != NULL)
        cell_offset(&pass->cell, shift, offset);
    if (!scree_is_pair(pass->x[i], pass->x[j], offset, pass->law.reach))
        return false;
    bool remembers = pass->law.row.words > 0;
    if (remembers)
        slot_read(&pass->pair_slots, c, pass->pair_base[i / sim_block], pass->law.row.words, memory);
    return sim_see_pair(pass, i, j, shift, remembers && pass->pair_slots.slot[c] >= 0, memory, out);
}

bool sim_contact_of_entry(const sim_pass* pass, int64_t e, sim_seen* out, double* memory)
{
    bool remembers = pass->law.row.words > 0;
    if (remembers)
        slot_read(&pass->wall_slots, e, pass->near_first[pass->near[e].rank / sim_block], pass->law.row.words, memory);
    return sim_see_wall(pass, pass->near[e], remembers && pass->wall_slots.slot[e] >= 0, memory, out);
}

// The force on i as the step uses it: that of a giant is rounded.
static void round_force(const sim_pass* pass, int32_t i, int32_t j, double force[3])
{
    int64_t quanta[3];
    if (fmax(pass->x[i][3], pass->x[j][3]) >= pass->giant_radius)
        giant_round(pass, force, quanta);
}

// `scale`, `share`: factors of the normal force and of the springs (surfaces.h).
static void add_energy(const sim_pass* pass, const law_pair* with, double overlap, double radius, double scale, double share, const double* memory, look_terms* to)
{
    double by_owner[owners] = {0.0};
    if (pass->law.row.energy != NULL)
        by_owner[OWNER_NORMAL] = pass->law.row.energy(with, overlap, memory);
    else
        grain_energy(&pass->law, with, overlap, radius, memory, by_owner);
    for (int owner = 0; owner < owners; ++owner)
        if (by_owner[owner] != 0.0)
            add(to, TOTAL_CONTACT + owner, (owner == OWNER_NORMAL ? scale : share) * by_owner[owner]);
}

static void overlapped(look_sums* s, double overlap, double r)
{
    s->overlap = fmax(s->overlap, overlap);
    s->relative = fmax(s->relative, overlap / r);
}

static void add_product(look_terms* to, int first, double factor, const double a[3], const double b[3])
{
    for (int c = 0; c < components; ++c)
        add(to, first + c, factor * a[axes_of[c][0]] * b[axes_of[c][1]]);
}

// The symmetric part of a b^T.
static void add_products(look_terms* to, int first, const double a[3], const double b[3])
{
    for (int c = 0; c < components; ++c) {
        int k = axes_of[c][0], l = axes_of[c][1];
        add(to, first + c, k == l ? a[k] * b[k] : 0.5 * (a[k] * b[l] + a[l] * b[k]));
    }
}

// Fixed spheres have no part in what moves; ghosts count where they are own.
static bool is_counted(const sim_pass* pass, int64_t i)
{
    return !is_fixed(pass->flags, i) && (pass->ghost == NULL || pass->ghost[i] == 0);
}

static int64_t block_end(const sim_pass* pass, int64_t block)
{
    return (block + 1) * sim_block < pass->n ? (block + 1) * sim_block : pass->n;
}

// Kinetic energy and stress of the motion relative to the centre of mass. A pass of its own: subtracting the energy of the mean from that of all would
// leave rounding errors of a fast drift.
static void sum_relative(const sum_job* job, int64_t block, look_terms* to)
{
    for (int64_t i = block * sim_block; i < block_end(&job->pass, block); ++i) {
        const double* v = sim_at(job->pass.v, i);
        if (!is_counted(&job->pass, i))
            continue;
        double w[3] = {v[0] - job->mean[0], v[1] - job->mean[1], v[2] - job->mean[2]};
        if (job->pass.cell.moves) {
            double flow[3];
            cell_peculiar(job->sim, job->pass.x[i], flow);
            for (int k = 0; k < 3; ++k)
                w[k] -= flow[k] - job->flow[k];
        }
        add(to, TOTAL_RELATIVE, 0.5 / v[3] * ((w[0] * w[0] + w[1] * w[1]) + w[2] * w[2]));
        add_product(to, TOTAL_MOTION, 1.0 / v[3], w, w);
    }
}

static void add_loads(const sim_seen* contact, look_terms* to)
{
    double arm[3] = {contact->d[0] * contact->distance, contact->d[1] * contact->distance, contact->d[2] * contact->distance};
    add(to, TOTAL_VIRIAL, (contact->force[0] * arm[0] + contact->force[1] * arm[1]) + contact->force[2] * arm[2]);
    add_products(to, TOTAL_FORCES, contact->force, arm);
}

static const law_pair* law_at_wall(const sim_pass* pass, int32_t i, int32_t boundary)
{
    return law_with_material(&pass->law, pass->material, i, pass->boundaries[boundary].material);
}

static void add_wall(const sim_pass* pass, int32_t i, int32_t boundary, const sim_seen* contact, const double* memory, look_terms* to)
{
    look_sums* s = to->sums;
    ++s->wall_contacts;
    s->sliding += contact->sliding;
    add_energy(pass, law_at_wall(pass, i, boundary), contact->overlap, pass->x[i][3], 1.0, 1.0, memory, to);
    add_loads(contact, to);
    overlapped(s, contact->overlap, pass->x[i][3]);
}

typedef struct touch_sums {
    const sim_pass* pass;
    const uint8_t* marks;  // spheres that count, by bit 0; NULL: all
    look_terms* terms;
} touch_sums;

static void add_touch(void* context, const surface_touch* touch, const double* words, const sim_seen* seen)
{
    const touch_sums* to = context;
    const sim_pass* pass = to->pass;
    const law_pair* with = law_at_wall(pass, touch->rank, touch->boundary);
    look_sums* s = to->terms->sums;
    double settled[law_words_most];
    if (to->marks != NULL && (to->marks[touch->rank] & 1) == 0)
        return;
    if (surface_is_link(touch)) {
        memcpy(settled, words, sizeof settled);
        grain_settle(&pass->law, with, seen->overlap, pass->x[touch->rank][3], settled);
    } else {
        ++s->wall_contacts;
        s->sliding += seen->sliding;
        overlapped(s, seen->overlap, pass->x[touch->rank][3]);
    }
    add_energy(pass, with, seen->overlap, pass->x[touch->rank][3], touch->scale, touch->share, surface_is_link(touch) ? settled : words, to->terms);
    add_loads(seen, to->terms);
}

static void sum_block(const sum_job* job, int64_t block, look_terms* to)
{
    look_sums* s = to->sums;
    const sim_pass* pass = &job->pass;
    for (int64_t i = block * sim_block; i < block_end(pass, block); ++i) {
        const double *v = sim_at(pass->v, i), *x = pass->x[i];
        if (!is_counted(pass, i))
            continue;
        double mass = 1.0 / v[3], square = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
        add(to, TOTAL_MASS, mass);
        add(to, TOTAL_KINETIC, 0.5 * mass * square);
        add(to, TOTAL_GRAVITY, -mass * ((pass->gravity[0] * x[0] + pass->gravity[1] * x[1]) + pass->gravity[2] * x[2]));
        for (int k = 0; k < 3; ++k)
            add(to, TOTAL_MOMENTUM + k, mass * v[k]);
        if (pass->cell.moves) {
            double flow[3];
            cell_peculiar(job->sim, x, flow);
            for (int k = 0; k < 3; ++k)
                add(to, TOTAL_FLOW + k, mass * flow[k]);
        }
        if (pass->w.at != NULL && sim_at(pass->w, i)[3] > 0.0) {
            const double* w = sim_at(pass->w, i);
            add(to, TOTAL_ROTATION, 0.5 / w[3] * ((w[0] * w[0] + w[1] * w[1]) + w[2] * w[2]));
        }
        s->speed_square = fmax(s->speed_square, square);
    }
    double memory[law_words_most];
    for (int64_t c = pass->own[block]; c < pass->own[block + 1]; ++c) {
        sim_seen contact;
        int32_t i = pass->ij[c][0], j = pass->ij[c][1];
        if (!cell_counts(pass, i, j))
            continue;
        ++s->rows;
        if (!sim_contact_of_row(pass, c, &contact, memory))
            continue;
        ++s->contacts;
        s->sliding += contact.sliding;
        double r[2] = {pass->x[i][3], pass->x[j][3]};
        add_energy(pass, law_with(&pass->law, pass->material, i, j), contact.overlap, r[0] * r[1] / (r[0] + r[1]), 1.0, 1.0, memory, to);
        add(to, TOTAL_VIRIAL, (contact.force[0] * contact.d[0] + contact.force[1] * contact.d[1]) + contact.force[2] * contact.d[2]);
        round_force(pass, i, j, contact.force);
        add_products(to, TOTAL_FORCES, contact.force, contact.d);
        overlapped(s, contact.overlap, fmin(r[0], r[1]));
    }
    for (int64_t e = pass->near_first[block]; e < pass->near_first[block + 1]; ++e) {
        sim_seen contact;
        if (sim_contact_of_entry(pass, e, &contact, memory))
            add_wall(pass, pass->near[e].rank, pass->near[e].boundary, &contact, memory, to);
    }
    sim_surfaces_visit(pass, block, add_touch, &(touch_sums){.pass = pass, .terms = to});
}

static scree_status sum_chunk(void* context, int64_t chunk)
{
    const sum_job* job = context;
    int64_t blocks = job->sim->blocks;
    look_terms terms;
    terms_begin(&terms, &job->sums[chunk]);
    for (int64_t b = chunk * blocks / job->chunks; b < (chunk + 1) * blocks / job->chunks; ++b)
        job->sum(job, b, &terms);
    terms_end(&terms);
    for (int t = 0; t < total_spheres; ++t)
        total_carry(&job->sums[chunk].of[t]);
    return SCREE_OK;
}

// Totals are the same for any number of chunks.
static scree_status sum_chunks(const scree_sim* sim, sum_job* job, int32_t count, sim_total* out)
{
    enum { most_chunks = 64 };
    job->sim = sim;
    job->chunks = sim->blocks < most_chunks ? sim->blocks : most_chunks;
    job->sums = scree_calloc((size_t)job->chunks, sizeof *job->sums);
    if (job->sums == NULL)
        return SCREE_ERR_MEMORY;
    sim_pass_make(sim, SIM_REST, &job->pass);
    job->pass.p = sim->v;  // the velocities of this moment
    job->pass.wp = sim->w;
    const scree_watch own = scree_get_watch();
    const scree_status status = scree_parallel_for(sim->threads, job->chunks, sum_chunk, job, &own);
    if (status != SCREE_OK) {
        scree_free(job->sums);
        job->sums = NULL;
        return status;
    }
    memset(out, 0, (size_t)count * sizeof *out);
    for (int64_t c = 0; c < job->chunks; ++c)
        for (int32_t t = 0; t < count; ++t)
            total_join(&out[t], &job->sums[c].of[t]);
    return SCREE_OK;
}

enum { COUNT_CONTACTS, COUNT_WALL_CONTACTS, COUNT_SLIDING, COUNT_ROWS, COUNT_BYTES, COUNT_BONDS, count_moments = COUNT_BONDS + bond_counts };
enum { MOST_OVERLAP, MOST_RELATIVE, MOST_SPEED, most_moments };

static scree_status look_moments(const scree_sim* sim, const sim_look* look)
{
    sum_job job = {.sum = sum_block};
    scree_status status = sum_chunks(sim, &job, total_spheres, look->totals);
    if (status != SCREE_OK)
        return status;
    status = bonds_add_up(sim, &job.pass, look->totals + TOTAL_BONDS, look->counts + COUNT_BONDS);
    for (int64_t c = 0; c < job.chunks; ++c) {
        const look_sums* s = &job.sums[c];
        const int64_t counts[] = {s->contacts, s->wall_contacts, s->sliding, s->rows};
        for (int k = 0; k < COUNT_BYTES; ++k)
            look->counts[k] += counts[k];
        look->most[MOST_OVERLAP] = fmax(look->most[MOST_OVERLAP], s->overlap);
        look->most[MOST_RELATIVE] = fmax(look->most[MOST_RELATIVE], s->relative);
        look->most[MOST_SPEED] = fmax(look->most[MOST_SPEED], s->speed_square);
    }
    look->counts[COUNT_BYTES] = sim->part != NULL ? part_memory_size(sim) : (int64_t)sim_bytes(sim);
    scree_free(job.sums);
    return status;
}

static scree_status look_relative(const scree_sim* sim, const sim_look* look)
{
    sum_job job = {.sum = sum_relative, .mean = {look->given[0], look->given[1], look->given[2]}, .flow = {look->given[3], look->given[4], look->given[5]}};
    scree_status status = sum_chunks(sim, &job, total_second, look->totals);
    scree_free(job.sums);
    return status;
}

const look_row sim_look_moments = {.look = look_moments, .totals = total_first, .counts = count_moments, .most = most_moments, .moving = true};
const look_row sim_look_relative = {.look = look_relative, .totals = total_second};

size_t sim_bytes(const scree_sim* sim)
{
    size_t desk = sim->desks == NULL ? 0 : (size_t)sim->desks->rows * sizeof *sim->desks->f.at * (sim->law.turns ? 2 : 1) + (size_t)sim->numbers.giant_count * sizeof *sim->desks->sums;
    return sizeof *sim + sim_arrays_bytes(sim) + (size_t)sim->desk_count * desk + (size_t)sim->blocks * (sizeof *sim->result + 2 * sizeof *sim->lists.own) +
           lists_bytes(&sim->lists) + memory_bytes(sim) + bonds_bytes(sim) + surfaces_bytes(&sim->surfaces);
}

SCREE_RESULT_OF(scree_sim_report, scree_sim_measure, (scree_sim* sim, scree_sim_report* out), (sim, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    scree_status status = sim_check_asked(sim);
    sim_look first, second;
    if (status == SCREE_OK)
        status = sim_look_at(sim, LOOK_MOMENTS, NULL, &first);
    if (status != SCREE_OK)
        return status;
    double all[total_first], motion[total_second], given[6] = {0.0};
    for (int t = 0; t < total_first; ++t)
        all[t] = total_value(&first.totals[t]);
    for (int k = 0; k < 3 && all[TOTAL_MASS] > 0.0; ++k) {
        given[k] = all[TOTAL_MOMENTUM + k] / all[TOTAL_MASS];
        given[3 + k] = all[TOTAL_FLOW + k] / all[TOTAL_MASS];
    }
    status = sim_look_at(sim, LOOK_RELATIVE, given, &second);
    if (status != SCREE_OK) {
        sim_look_free(&first);
        return status;
    }
    for (int t = 0; t < total_second; ++t)
        motion[t] = total_value(&second.totals[t]);
    const double* bonds = all + TOTAL_BONDS;
    double virial = all[TOTAL_VIRIAL] + bonds[BONDS_VIRIAL];
    for (int c = 0; c < components; ++c)
        all[TOTAL_FORCES + c] += bonds[BONDS_PRODUCTS + c];
    const double* springs = all + TOTAL_CONTACT;
    double contact = ((springs[OWNER_NORMAL] + springs[OWNER_TANGENTIAL]) + springs[OWNER_ROLLING]) + springs[OWNER_TWISTING];
    double volume = scree_sim_get_volume(sim);
    bool closed = volume > 0.0 && volume < INFINITY;
    scree_candidates_stats stats = scree_candidates_get_stats(sim->lists.near);
    *out = (scree_sim_report){.step = sim->step,
                              .time = scree_sim_get_time(sim),
                              .energy_kinetic = all[TOTAL_KINETIC],
                              .energy_contact = contact,
                              .energy_gravity = all[TOTAL_GRAVITY],
                              .energy_potential = contact + all[TOTAL_GRAVITY],
                              .energy_rotation = all[TOTAL_ROTATION],
                              .energy_normal = springs[OWNER_NORMAL],
                              .energy_tangential = springs[OWNER_TANGENTIAL],
                              .energy_rolling = springs[OWNER_ROLLING],
                              .energy_twisting = springs[OWNER_TWISTING],
                              .dissipated_normal = sim->account[OWNER_NORMAL],
                              .dissipated_tangential = sim->account[OWNER_TANGENTIAL],
                              .dissipated_rolling = sim->account[OWNER_ROLLING],
                              .dissipated_twisting = sim->account[OWNER_TWISTING],
                              .work_walls = sim->account[WORK_WALLS],
                              .work_gravity = sim->account[WORK_GRAVITY],
                              .work_forces = sim->account[WORK_FORCES],
                              .sliding = first.counts[COUNT_SLIDING],
                              .bonds = first.counts[COUNT_BONDS + BONDS_HOLD],
                              .bonds_broken = first.counts[COUNT_BONDS + BONDS_BROKEN],
                              .energy_bonds = bonds[BONDS_ENERGY],
                              .dissipated_bonds = sim->bonds.dissipated,
                              .released_bonds = bonds[BONDS_RELEASED],
                              .dissipated_drag = sim->loads.dissipated[0],
                              .dissipated_local = sim->loads.dissipated[1],
                              .flow = sim->flow,
                              .momentum = {all[TOTAL_MOMENTUM], all[TOTAL_MOMENTUM + 1], all[TOTAL_MOMENTUM + 2]},
                              .pressure = closed ? (2.0 * motion[TOTAL_RELATIVE] + virial) / (sim->dim * volume) : 0.0,
                              .virial = virial,
                              .contacts = first.counts[COUNT_CONTACTS],
                              .wall_contacts = first.counts[COUNT_WALL_CONTACTS],
                              .max_overlap = first.most[MOST_OVERLAP],
                              .max_overlap_relative = first.most[MOST_RELATIVE],
                              .speed_max = sqrt(first.most[MOST_SPEED]),
                              .rebuilds = sim->crew != NULL ? sim->lists_of_parts : sim->device != NULL ? device_lists(sim->device) : stats.builds,
                              .candidates = sim->hollow ? first.counts[COUNT_ROWS] : stats.candidates,
                              .skin = stats.skin,
                              .method = stats.method,
                              .seconds_search = sim->seconds_search,
                              .seconds_force = sim->seconds_force,
                              .seconds_integrate = sim->seconds_integrate,
                              .seconds_other = sim->seconds_other};
    for (int c = 0; c < components && closed; ++c) {
        int k = axes_of[c][0], l = axes_of[c][1];
        out->kinetic_stress[k][l] = out->kinetic_stress[l][k] = motion[TOTAL_MOTION + c] / volume;
        out->contact_stress[k][l] = out->contact_stress[l][k] = all[TOTAL_FORCES + c] / volume;
    }
    out->bytes = (size_t)first.counts[COUNT_BYTES];
    sim_look_free(&first);
    sim_look_free(&second);
    return SCREE_OK;
}

// Of a part: its own spheres, and its contacts that count here; partners are marked wherever they belong.
static void sum_marked(const scree_sim* sim, uint8_t* marks, look_sums* out)
{
    sim_pass pass;
    look_terms terms;
    terms_begin(&terms, out);
    double memory[law_words_most];
    sim_pass_make(sim, SIM_REST, &pass);
    pass.p = sim->v;
    pass.wp = sim->w;
    for (int32_t i = 0; i < sim->n; ++i) {
        const double *v = sim_at(pass.v, i), *x = pass.x[i], *w = pass.w.at != NULL ? sim_at(pass.w, i) : NULL;
        if ((marks[i] & 1) == 0 || !is_counted(&pass, i))
            continue;
        add(&terms, TOTAL_MASS, 1.0 / v[3]);
        add(&terms, TOTAL_KINETIC, 0.5 / v[3] * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]));
        add(&terms, TOTAL_GRAVITY, -1.0 / v[3] * ((pass.gravity[0] * x[0] + pass.gravity[1] * x[1]) + pass.gravity[2] * x[2]));
        if (w != NULL && w[3] > 0.0)
            add(&terms, TOTAL_ROTATION, 0.5 / w[3] * ((w[0] * w[0] + w[1] * w[1]) + w[2] * w[2]));
    }
    for (int64_t c = 0; c < sim->lists.rows.count; ++c) {
        sim_seen contact;
        int32_t i = pass.ij[c][0], j = pass.ij[c][1];
        if (((marks[i] | marks[j]) & 1) == 0 || !sim_contact_of_row(&pass, c, &contact, memory))
            continue;
        marks[i] |= 2;
        marks[j] |= 2;
        double r[2] = {pass.x[i][3], pass.x[j][3]};
        if (cell_counts(&pass, i, j))
            add_energy(&pass, law_with(&pass.law, pass.material, i, j), contact.overlap, r[0] * r[1] / (r[0] + r[1]), 1.0, 1.0, memory, &terms);
    }
    for (int64_t e = 0; e < sim->lists.wall_first[sim->blocks]; ++e) {
        sim_seen contact;
        int32_t i = pass.near[e].rank;
        if ((marks[i] & 1) != 0 && sim_contact_of_entry(&pass, e, &contact, memory))
            add_energy(&pass, law_with_material(&pass.law, pass.material, i, pass.boundaries[pass.near[e].boundary].material), contact.overlap, pass.x[i][3], 1.0, 1.0, memory, &terms);
    }
    for (int64_t b = 0; b < sim->blocks && sim->surfaces.count > 0; ++b)
        sim_surfaces_visit(&pass, b, add_touch, &(touch_sums){.pass = &pass, .marks = marks, .terms = &terms});
    terms_end(&terms);
}

void sim_energy_from(const sim_total* totals, sim_energy* out)
{
    double all[total_spheres];
    for (int t = 0; t < total_spheres; ++t)
        all[t] = total_value(&totals[t]);
    const double* springs = all + TOTAL_CONTACT;
    double contact = ((springs[OWNER_NORMAL] + springs[OWNER_TANGENTIAL]) + springs[OWNER_ROLLING]) + springs[OWNER_TWISTING];
    *out = (sim_energy){.mass = all[TOTAL_MASS], .energy = (all[TOTAL_KINETIC] + all[TOTAL_ROTATION]) + contact, .gravity = all[TOTAL_GRAVITY]};
}

void sim_energy_of(const scree_sim* sim, uint8_t* marks, sim_energy* out)
{
    look_sums s = {.overlap = 0.0};
    sum_marked(sim, marks, &s);
    sim_energy_from(s.of, out);
}

// The last total: the mass of all that are not marked by 1.
static scree_status look_marked(const scree_sim* sim, const sim_look* look)
{
    look_sums s = {.overlap = 0.0};
    sim_total* rest = &look->totals[total_spheres];
    const uint8_t* marks = part_marks(sim);
    sum_marked(sim, part_marks(sim), &s);
    for (int32_t i = 0; i < sim->n; ++i) {
        if (sim->ghost != NULL && sim->ghost[i] != 0)
            continue;
        const bool marked = (marks[i] & 1) != 0, fixed = is_fixed(sim->flags, i);
        look->counts[MARKED_FIXED] += marked && fixed;
        if (!marked && !fixed)
            total_add(rest, 1.0 / sim_at(sim->v, i)[3]);
    }
    total_carry(rest);
    for (int t = 0; t < total_spheres; ++t) {
        total_carry(&s.of[t]);
        look->totals[t] = s.of[t];
    }
    return SCREE_OK;
}

double sim_marked_rest(const sim_look* look, int32_t count, const double* masses)
{
    sim_total all = look->totals[total_spheres];
    for (int32_t i = 0; i < count; ++i)
        total_add(&all, masses[i]);
    return total_value(&all);
}

const look_row sim_look_marked = {.look = look_marked, .totals = total_spheres + 1, .counts = marked_counts};

// ---- Contacts as data --------------------------------------------------------------------------------------------------

// With the velocities that the law saw: with damping the predicted ones, not the final ones (step.c). Then forces add up to mass times acceleration.
void sim_pass_of_forces(const scree_sim* sim, sim_pass* pass)
{
    sim_pass_make(sim, SIM_REST, pass);
    pass->cell = sim->drive.felt;
    sim_boundaries_as_felt(sim);
}

void sim_boundaries_as_felt(const scree_sim* sim)
{
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    for (int32_t b = 0; b < sim->boundary_count; ++b) {
        memcpy(sim->boundaries_now[b].velocity, sim->felt[b].velocity, sizeof sim->felt[b].velocity);
        memcpy(sim->boundaries_now[b].spin, sim->felt[b].spin, sizeof sim->felt[b].spin);
    }
}

// Contacts with exact shapes and meshes, as they are found.
typedef struct shown_touch {
    uint64_t key;     // by row and boundary
    int32_t feature, component;
    double share;
    sim_seen seen;
} shown_touch;

typedef struct touch_list {
    const scree_sim* sim;
    shown_touch* at;
    int64_t count, capacity;
    scree_status status;
} touch_list;

static void list_touch(void* context, const surface_touch* touch, const double* words, const sim_seen* seen)
{
    touch_list* list = context;
    (void)words;
    if (list->status == SCREE_OK)
        list->status = SCREE_RESERVE(list->at, list->capacity, list->count + 1);
    if (list->status != SCREE_OK)
        return;
    list->at[list->count++] = (shown_touch){.key = (uint64_t)sim_row(list->sim, touch->rank) * (uint64_t)list->sim->boundary_count + (uint64_t)touch->boundary,
                                                .feature = touch->feature,
                                                .component = touch->component,
                                                .share = touch->share,
                                                .seen = *seen};
}

// What links took from the load of a contact (geom/surface_contacts.h: surface_load_at).
static double taken_by_links(const scree_sim* sim, const shown_touch* contact)
{
    const double overlap = fmax(contact->seen.overlap + sim->law.reach, 0.0);
    const bool curved = grain_is_curved(sim->law.parts.normal);
    return (1.0 - contact->share) * (curved ? overlap * sqrt(overlap) : overlap);
}

// The force of each link is distributed over the contacts of its component, in proportion to what links took from their
// loads. Then links are removed from the list.
static void share_links(touch_list* list)
{
    int64_t kept = 0;
    for (int64_t first = 0, end; first < list->count; first = end) {
        shown_touch* at = list->at;
        for (end = first; end < list->count && at[end].key == at[first].key; ++end)
            ;
        for (int64_t l = first; l < end; ++l) {
            double all = 0.0;
            for (int64_t c = first; c < end && at[l].share == 0.0; ++c)
                if (at[c].share > 0.0 && at[c].component == at[l].component)
                    all += taken_by_links(list->sim, &at[c]);
            for (int64_t c = first; c < end && all > 0.0; ++c)
                for (int k = 0; k < 3 && at[c].share > 0.0 && at[c].component == at[l].component; ++k)
                    at[c].seen.force[k] += taken_by_links(list->sim, &at[c]) / all * at[l].seen.force[k];
        }
        for (int64_t c = first; c < end; ++c)
            if (at[c].share > 0.0)
                at[kept++] = at[c];
    }
    list->count = kept;
}

// By key; touches of one sphere and boundary stay in their order.
static scree_status sort_touches(touch_list* list)
{
    int64_t count = list->count;
    shown_touch* sorted = scree_malloc((size_t)count, sizeof *sorted);
    int64_t* key = scree_malloc(2 * (size_t)count, sizeof *key);
    uint32_t* from = scree_malloc(2 * (size_t)count, sizeof *from);
    bool fits = sorted != NULL && key != NULL && from != NULL;
    if (fits) {
        for (int64_t t = 0; t < count; ++t) {
            key[t] = (int64_t)list->at[t].key;
            from[t] = (uint32_t)t;
        }
        scree_sort_with(key, from, key + count, from + count, count);
        for (int64_t t = 0; t < count; ++t)
            sorted[t] = list->at[from[t]];
        memcpy(list->at, sorted, (size_t)count * sizeof *sorted);
    }
    scree_free(sorted);
    scree_free(key);
    scree_free(from);
    return fits ? SCREE_OK : SCREE_ERR_MEMORY;
}

static scree_status list_touches(scree_sim* sim, const sim_pass* pass, touch_list* list)
{
    *list = (touch_list){.sim = sim};
    for (int64_t b = 0; b < sim->blocks && sim->surfaces.count > 0 && list->status == SCREE_OK; ++b) {
        sim_surfaces_visit(pass, b, list_touch, list);
        if (list->status == SCREE_OK)
            list->status = scree_watch_own("sim", 0, 1);
    }
    if (list->status == SCREE_OK)
        share_links(list);
    return list->status == SCREE_OK && list->count > 1 ? sort_touches(list) : list->status;
}

// Rows of the list that are contacts, as pairs by rising id, the shift turned with them.
static scree_status collect(scree_sim* sim, const sim_pass* pass)
{
    sim_found* found = &sim->found;
    found->count = 0;
    for (int64_t c = 0; c < sim->lists.rows.count; ++c) {
        sim_seen contact;
        double memory[law_words_most];
        if (scree_watch_own("sim", c, sim->lists.rows.count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        int32_t i = pass->ij[c][0], j = pass->ij[c][1];
        const int8_t* shift = pass->shift == NULL ? NULL : pass->shift[c];
        if (!sim_contact_of_row(pass, c, &contact, memory))
            continue;
        if (SCREE_RESERVE(found->ij, found->ij_capacity, found->count + 1) != SCREE_OK ||
            (sim->periodic && SCREE_RESERVE(found->shift, found->shift_capacity, found->count + 1) != SCREE_OK))
            return SCREE_ERR_MEMORY;
        bool turned = sim->id[i] > sim->id[j];
        found->ij[found->count][0] = (int32_t)sim_row(sim, turned ? j : i);
        found->ij[found->count][1] = (int32_t)sim_row(sim, turned ? i : j);
        for (int k = 0; k < 3 && sim->periodic; ++k)
            found->shift[found->count][k] = (int8_t)(turned ? -shift[k] : shift[k]);
        ++found->count;
    }
    if (SCREE_RESERVE(found->keys, found->key_capacity, found->count) != SCREE_OK ||
        SCREE_RESERVE(found->place, found->place_capacity, scree_pair_sort_places(sim->n)) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    pair_sort sort = {.count = found->count, .n = sim->n, .ij = found->ij, .shift = sim->periodic ? found->shift : NULL, .keys = found->keys, .place = found->place};
    const scree_watch own = scree_get_watch();
    return scree_sort_pairs(&sort, sim->threads, &own);
}

// Behind the pairs, by id and boundary, with the touches.
static scree_status collect_walls(scree_sim* sim, const sim_pass* pass, const touch_list* list)
{
    sim_found* found = &sim->found;
    int64_t count = 0, most = sim->lists.wall_first[sim->blocks];
    uint64_t many = (uint64_t)sim->boundary_count;
    if (SCREE_RESERVE(found->keys, found->key_capacity, most) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t e = 0; e < most; ++e) {
        sim_seen contact;
        double memory[law_words_most];
        if (sim_contact_of_entry(pass, e, &contact, memory))
            found->keys[count++] = (uint64_t)sim_row(sim, pass->near[e].rank) * many + (uint64_t)pass->near[e].boundary;
    }
    scree_sort_keys(found->keys, count);
    int64_t all = found->count + count + list->count, pairs = found->count;
    if ((sim->surfaces.count > 0 && SCREE_RESERVE(sim->feature_of, sim->feature_of_capacity, all + 1) != SCREE_OK) || SCREE_RESERVE(found->ij, found->ij_capacity, all + 1) != SCREE_OK ||
        (sim->periodic && SCREE_RESERVE(found->shift, found->shift_capacity, all + 1) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    for (int64_t c = 0; c < pairs && sim->surfaces.count > 0; ++c)
        sim->feature_of[c] = -1;
    for (int64_t c = 0, touch = 0; c < count || touch < list->count; ++found->count) {
        bool other = touch < list->count && (c == count || list->at[touch].key < found->keys[c]);
        uint64_t key = other ? list->at[touch].key : found->keys[c];
        if (sim->surfaces.count > 0)
            sim->feature_of[found->count] = other ? list->at[touch].feature : -1;
        *(other ? &touch : &c) += 1;
        found->ij[found->count][0] = (int32_t)(key / many);
        found->ij[found->count][1] = -1 - (int32_t)(key % many);
        if (sim->periodic)
            memset(found->shift[found->count], 0, sizeof *found->shift);
    }
    return SCREE_OK;
}

static void show(scree_sim* sim, int64_t c, const sim_seen* contact, double sign)
{
    sim->overlap[c] = contact->overlap;
    for (int k = 0; k < 3; ++k) {
        sim->force_of[c][k] = sign * contact->force[k];
        if (sim->law.parts.tangential)
            sim->friction_of[c][k] = sign * contact->friction[k];
    }
    if (sim->law.parts.tangential)
        sim->sliding_of[c] = contact->sliding;
}

// Contact c of those that were found, with a boundary.
static void show_wall(scree_sim* sim, const sim_pass* pass, int64_t c, const double* memory, bool held)
{
    near_wall near = {.rank = sim->rank_of[sim->found.ij[c][0]], .boundary = -1 - sim->found.ij[c][1]};
    double words[law_words_most];
    sim_seen contact;
    memcpy(words, memory, sizeof words);
    sim_see_wall(pass, near, held, words, &contact);
    show(sim, c, &contact, 1.0);
    memcpy(sim->normal[c], contact.d, sizeof sim->normal[c]);
    if (sim->law.turns)
        memcpy(sim->torque_of[c], contact.torque, sizeof sim->torque_of[c]);
}

// The same of two spheres: as the pass does it, the lower rank first.
static void show_pair(scree_sim* sim, const sim_pass* pass, int64_t c, const double* memory, bool held)
{
    int32_t i = sim->rank_of[sim->found.ij[c][0]], j = sim->rank_of[sim->found.ij[c][1]], low = i < j ? i : j, high = i < j ? j : i;
    double sign = i <= j ? 1.0 : -1.0, words[law_words_most];
    int8_t shift[3] = {0, 0, 0};
    for (int k = 0; k < 3 && sim->periodic; ++k)
        shift[k] = (int8_t)(i <= j ? sim->found.shift[c][k] : -sim->found.shift[c][k]);
    for (int w = 0; w < sim->law.row.words; ++w)
        words[w] = i > j && (sim->law.row.odd >> w & 1) ? -memory[w] : memory[w];
    sim_seen contact;
    sim_see_pair(pass, low, high, sim->periodic ? shift : NULL, held, words, &contact);
    round_force(pass, low, high, contact.force);
    show(sim, c, &contact, sign);
    for (int k = 0; k < 3; ++k)
        sim->normal[c][k] = contact.distance > 0.0 ? sign * contact.d[k] / contact.distance : 0.0;
    if (sim->law.turns)
        memcpy(sim->torque_of[c], i <= j ? contact.torque : contact.torque_second, sizeof sim->torque_of[c]);
}

// Whether contact m of the memory is contact c of those that were found.
static bool is_same(const scree_sim* sim, const scree_sim_memory* memory, int64_t m, int64_t c)
{
    int32_t j = sim->found.ij[c][1];
    return memory->ij[m][0] == sim_id_of(sim, sim->found.ij[c][0]) && memory->ij[m][1] == (j < 0 ? j : sim_id_of(sim, j)) &&
           (!sim->periodic || memcmp(memory->shift[m], sim->found.shift[c], sizeof *sim->found.shift) == 0) &&
           (memory->feature == NULL || memory->feature[m] == sim->feature_of[c]);
}

static void show_touch(scree_sim* sim, int64_t c, const shown_touch* touch)
{
    show(sim, c, &touch->seen, 1.0);
    memcpy(sim->normal[c], touch->seen.d, sizeof sim->normal[c]);
    if (sim->law.turns)
        memcpy(sim->torque_of[c], touch->seen.torque, sizeof sim->torque_of[c]);
}

scree_status scree_sim_get_contacts(scree_sim* sim, scree_sim_contacts* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    scree_status status = sim_check_asked(sim);
    if (status == SCREE_OK)
        status = sim->hollow ? sim->keeper->contacts(sim->kept_by, out) : sim_contacts_find(sim, out);
    return status;
}

scree_status sim_contacts_find(scree_sim* sim, scree_sim_contacts* out)
{
    sim_pass pass;
    touch_list touches;
    sim_pass_of_forces(sim, &pass);
    scree_status status = list_touches(sim, &pass, &touches);
    if (status == SCREE_OK)
        status = collect(sim, &pass);
    int64_t pairs = sim->found.count;
    if (status == SCREE_OK)
        status = collect_walls(sim, &pass, &touches);
    int64_t count = sim->found.count;
    int words = sim->law.row.words;
    scree_sim_memory memory = {.count = 0};
    sim->hears = true;
    if (status == SCREE_OK)
        status = memory_show(sim, false, &memory);
    sim->hears = false;
    if (status == SCREE_OK && (SCREE_RESERVE(sim->overlap, sim->overlap_capacity, count + 1) != SCREE_OK ||
                               SCREE_RESERVE(sim->normal, sim->normal_capacity, count + 1) != SCREE_OK ||
                               SCREE_RESERVE(sim->force_of, sim->force_of_capacity, count + 1) != SCREE_OK ||
                               SCREE_RESERVE(sim->remembered, sim->remembered_capacity, (count + 1) * words) != SCREE_OK ||
                               SCREE_RESERVE(sim->named, sim->named_capacity, count + 1) != SCREE_OK ||
                               (sim->law.parts.tangential && SCREE_RESERVE(sim->friction_of, sim->friction_of_capacity, count + 1) != SCREE_OK) ||
                               (sim->law.parts.tangential && SCREE_RESERVE(sim->sliding_of, sim->sliding_of_capacity, count + 1) != SCREE_OK) ||
                               (sim->law.turns && SCREE_RESERVE(sim->torque_of, sim->torque_of_capacity, count + 1) != SCREE_OK) ||
                               SCREE_RESERVE(sim->rank_of, sim->rank_of_capacity, sim->n) != SCREE_OK))
        status = SCREE_ERR_MEMORY;
    if (status != SCREE_OK) {
        scree_free(touches.at);
        return status;
    }
    for (int32_t rank = 0; rank < sim->n; ++rank)
        sim->rank_of[sim_row(sim, rank)] = rank;
    int64_t m = 0, touch = 0;  // both are sorted alike, and every contact that remembers holds
    for (int64_t c = 0; c < count && (status = scree_watch_own("sim", c, count)) == SCREE_OK; ++c) {
        double remembered[law_words_most] = {0.0};
        bool held = m < memory.count && is_same(sim, &memory, m, c);
        if (held)
            memcpy(remembered, memory.values + m++ * words, (size_t)words * sizeof *remembered);
        if (words > 0)
            memcpy(sim->remembered + c * words, remembered, (size_t)words * sizeof *remembered);
        sim->named[c][0] = sim_id_of(sim, sim->found.ij[c][0]);
        sim->named[c][1] = c < pairs ? sim_id_of(sim, sim->found.ij[c][1]) : sim->found.ij[c][1];
        if (c < pairs)
            show_pair(sim, &pass, c, remembered, held);
        else if (sim->surfaces.count > 0 && sim->feature_of[c] >= 0)
            show_touch(sim, c, &touches.at[touch++]);
        else
            show_wall(sim, &pass, c, remembered, held);
    }
    scree_free(touches.at);
    if (status != SCREE_OK)
        return status;
    *out = (scree_sim_contacts){.count = count,
                                .pair_count = pairs,
                                .ij = (const int64_t(*)[2])sim->named,
                                .shift = sim->periodic ? (const int8_t(*)[3])sim->found.shift : NULL,
                                .overlap = sim->overlap,
                                .normal = (const double(*)[3])sim->normal,
                                .force = (const double(*)[3])sim->force_of,
                                .words = words,
                                .memory = words > 0 ? sim->remembered : NULL,
                                .tangential = sim->law.parts.tangential ? (const double(*)[3])sim->friction_of : NULL,
                                .torque = sim->law.turns ? (const double(*)[3])sim->torque_of : NULL,
                                .sliding = sim->law.parts.tangential ? sim->sliding_of : NULL,
                                .feature = sim->surfaces.count > 0 ? sim->feature_of : NULL};
    return SCREE_OK;
}

// ---- Checking ------------------------------------------------------------------------------------------------------------

scree_status scree_sim_validate(scree_sim* sim)
{
    SCREE_NEED(sim);
    scree_status status = sim_check_looked(sim);
    if (status != SCREE_OK)
        return status;
    if (SCREE_RESERVE(sim->rank_of, sim->rank_of_capacity, sim->n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memset(sim->rank_of, 0xff, (size_t)sim->n * sizeof *sim->rank_of);
    for (int32_t rank = 0; rank < sim->n; ++rank) {
        int64_t id = sim->id[rank], row = sim_row(sim, rank);
        if (row < 0 || row >= sim->n || sim->rank_of[row] >= 0 || sim_id_of(sim, row) != id || id >= sim->flow.next_id || (row > 0 && sim_id_of(sim, row - 1) >= id))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: rank %" PRId32 " has the id %" PRId64 "; expected one of the simulation's, each once", rank, id);
        if (rank > 0 && (sim->key[rank - 1] > sim->key[rank] || (sim->key[rank - 1] == sim->key[rank] && sim->id[rank - 1] > id)))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: rank %" PRId32 " is out of order; expected ascending keys and ids", rank);
        sim->rank_of[row] = rank;
    }
    const lists* l = &sim->lists;
    for (int64_t b = 0; b < sim->blocks; ++b) {
        for (int64_t c = l->own[b]; c < l->own[b + 1]; ++c)
            if (l->rows.ij[c][0] / sim_block != b)
                return scree_fail(SCREE_ERR_ARGUMENT, "sim: candidate %" PRId64 " is in another block; expected that of its row", c);
    }
    for (int64_t s = 0; s < l->rows.blocks; ++s)
        for (int64_t c = l->rows.in_start[s], ranks = l->span * sim_block; c < l->rows.in_start[s + 1]; ++c)
            if (l->rows.in_ij[c][0] >= s * ranks || l->rows.in_ij[c][1] / ranks != s)
                return scree_fail(SCREE_ERR_ARGUMENT, "sim: incoming candidate %" PRId64 " is in another span; expected its own", c);
    return sim_verify_heard(sim);
}
