// Forces of exact shapes and meshes in a pass, and what their contacts remember (surfaces.h).
//
// Contacts of a sphere with a shape come in the order of their rows. A contact whose feature was touched in the last step goes on with what it remembers. One that is new on its
// feature takes over what a contact remembered that has ended in this step on a feature with which it shares a vertex: the one whose point was nearest, of several that are
// equally near the one with the lowest number. Forces of springs are turned with the normal, from the old one to the new. Each is taken over once. So a sphere that rolls or slides
// over seams, edges and rims keeps its friction.
//
// Both ways to work out a pass call this one function.
#include "sim/grains.h"

#include "geom/vector.h"

#include <inttypes.h>

// What a slot holds behind the words of the law.
enum { SLOT_FEATURE = 0, SLOT_POINT = 1, SLOT_NORMAL = 4 };

typedef struct surface_job {
    const sim_pass* pass;
    int64_t block, first;  // its first row
    int words, wide;       // of the law, and of a slot
    bool keeps;
    int32_t live;
    double (*f)[4], (*t)[4];
    block_told* told;
} surface_job;

static surface_job job_of(const sim_pass* pass, int64_t block)
{
    int words = pass->law.row.words;
    return (surface_job){.pass = pass, .block = block, .first = pass->surfaces->row_first[block], .words = words, .wide = words + surface_words, .keeps = words > 0 && pass->mode != SIM_REST};
}

// What the contact of a row remembered; NULL: there was none.
static double* slot_at(const surface_job* job, int64_t row)
{
    const sim_slots* slots = &job->pass->surface_slots;
    return job->words > 0 && row >= 0 && slots->slot[row] >= 0 ? slots->words + (job->first + slots->slot[row]) * job->wide : NULL;
}

// ---- From feature to feature -------------------------------------------------------------------------------------------------

// The rotation that takes n to m, about an axis across both.
static void turn_vector(const double n[3], const double m[3], double v[3])
{
    double axis[3], once[3], twice[3], along = vec_dot(n, m);
    vec_cross(n, m, axis);
    vec_cross(axis, v, once);
    vec_cross(axis, once, twice);
    for (int k = 0; k < 3; ++k)
        v[k] += once[k] + twice[k] / (1.0 + along);
}

// False: the normals are opposite, and no direction is as good as another.
static bool take_over(const surface_job* job, const double* slot, surface_touch* to)
{
    const double* n = slot + job->words + SLOT_NORMAL;
    if (!(vec_dot(n, to->at.n) > -0.999))
        return false;
    memset(to->words, 0, sizeof to->words);
    memcpy(to->words, slot, (size_t)job->words * sizeof *slot);
    if (job->pass->law.kind >= (int32_t)law_single_count) {
        grain_layout layout = grain_layout_of(job->pass->law.parts);
        if (layout.friction >= 0)
            turn_vector(n, to->at.n, to->words + layout.friction);
        if (layout.rolling >= 0)
            turn_vector(n, to->at.n, to->words + layout.rolling);
    }
    to->before = to->words;
    return true;
}

static void lose(const surface_job* job, int32_t rank, int32_t boundary, const double* words)
{
    double lost[owners];
    if (!job->pass->law.parts.accounts)
        return;
    sim_ended(job->pass, rank, boundary, true, words, lost);
    for (int owner = 0; owner < owners; ++owner)
        energy_add(&job->pass->scales, ENERGY_LOST + owner, lost[owner], &job->told->sums);
}

static bool has_feature(const surface_touch* touches, int64_t count, double feature)
{
    for (int64_t c = 0; c < count; ++c)
        if ((double)touches[c].feature == feature && touches[c].row >= 0)
            return true;
    return false;
}

// The nearest contact that has ended and that nobody has taken over yet: its row; -1: there is none.
static int64_t find_ended(const surface_job* job, const surface_near* group, const surface_touch* touches, int64_t count, const surface_touch* to)
{
    const sim_shape* shape = job->pass->boundaries[group->boundary].shape;
    double least = INFINITY, lowest = INFINITY;
    int64_t best = -1;
    for (int64_t row = group[0].first; row < group[1].first; ++row) {
        const double* slot = slot_at(job, row);
        if (slot == NULL || job->pass->surface_slots.slot_next[row] == surface_taken)
            continue;
        double feature = slot[job->words + SLOT_FEATURE], d[3];
        if (has_feature(touches, count, feature) || !shape_joined(shape, to->feature, (int32_t)feature))
            continue;
        vec_sub(slot + job->words + SLOT_POINT, to->point, d);
        double square = vec_dot(d, d);
        if (square < least || (square == least && feature < lowest)) {
            least = square;
            lowest = feature;
            best = row;
        }
    }
    return best;
}

// What each of the touches of a group remembers.
static void remember(const surface_job* job, const surface_near* group, surface_touch* touches, int64_t count)
{
    int32_t* next = job->pass->surface_slots.slot_next;
    int64_t held = 0, kept = 0, missing = 0;
    for (int64_t row = group[0].first; row < group[1].first; ++row)
        held += slot_at(job, row) != NULL;
    for (int64_t c = 0; c < count; ++c) {
        double* slot = slot_at(job, touches[c].row);
        bool is = slot != NULL && slot[job->words + SLOT_FEATURE] == (double)touches[c].feature;
        if (is)
            touches[c].before = slot;
        if (is && !job->keeps) {  // of this moment, so that its point and normal are these; in a state that was given they are missing
            memcpy(slot + job->words + SLOT_POINT, touches[c].point, sizeof touches[c].point);
            memcpy(slot + job->words + SLOT_NORMAL, touches[c].at.n, sizeof touches[c].at.n);
        }
        kept += is;
        missing += !is && touches[c].row >= 0;
    }
    if (!job->keeps || kept == held)
        return;
    for (int64_t c = 0; c < count && missing > 0; ++c) {
        if (touches[c].before != NULL || touches[c].row < 0)
            continue;
        int64_t row = find_ended(job, group, touches, count, &touches[c]);
        if (row >= 0 && take_over(job, slot_at(job, row), &touches[c]))
            next[row] = surface_taken;
    }
    for (int64_t row = group[0].first; row < group[1].first; ++row) {
        const double* slot = slot_at(job, row);
        if (slot != NULL && next[row] != surface_taken && !has_feature(touches, count, slot[job->words + SLOT_FEATURE]))
            lose(job, group->rank, group->boundary, slot);
        next[row] = -1;
    }
}

// ---- Forces -------------------------------------------------------------------------------------------------------------------

static void write_slot(surface_job* job, const surface_touch* touch, const double* words)
{
    const sim_slots* slots = &job->pass->surface_slots;
    if (touch->row < 0)
        return;
    double* to = slots->words_next + (job->first + job->live) * job->wide;
    memcpy(to, words, (size_t)job->words * sizeof *to);
    to += job->words;
    to[SLOT_FEATURE] = (double)touch->feature;
    memcpy(to + SLOT_POINT, touch->point, sizeof touch->point);
    memcpy(to + SLOT_NORMAL, touch->at.n, sizeof touch->at.n);
    slots->slot_next[touch->row] = job->live++;
}

static void add_single(surface_job* job, const surface_touch* touch)
{
    const sim_pass* pass = job->pass;
    double words[law_words_most] = {0.0};
    wall_contact contact;
    if (touch->before != NULL)
        memcpy(words, touch->before, (size_t)job->words * sizeof *words);
    if (!contact_at_wall(pass, (law_kind)pass->law.kind, (near_wall){.rank = touch->rank, .boundary = touch->boundary}, touch, words, &contact))
        return;
    if (job->keeps)
        write_slot(job, touch, words);
    double* f = job->f[touch->rank - job->block * sim_block];
    for (int k = 0; k < 3; ++k)
        f[k] += contact.at.n[k] * contact.normal;
    if (pass->servos != NULL)
        motion_servo_add_at(pass, job->block, touch->x, touch->rank, touch->boundary, &touch->at,
                         (double[3]){contact.at.n[0] * contact.normal, contact.at.n[1] * contact.normal, contact.at.n[2] * contact.normal}, NULL);
}

static void account_for(surface_job* job, const grain_batch* batch, int c)
{
    const sim_pass* pass = job->pass;
    if (pass->law.parts.bridge && batch->before[c] == grain_nothing)
        energy_add(&pass->scales, ENERGY_LOST + OWNER_NORMAL, sim_formed(pass, batch->i[c], batch->j[c], true, batch->overlap[c]), &job->told->sums);
    for (int owner = 0; owner < owners; ++owner) {
        energy_add(&pass->scales, ENERGY_RATE + owner, batch->rate[c][owner], &job->told->sums);
        energy_add(&pass->scales, ENERGY_LOST + owner, batch->lost[c][owner], &job->told->sums);
    }
    energy_add(&pass->scales, ENERGY_RATE + WORK_WALLS, batch->power[c], &job->told->sums);
}

static void add_grains(surface_job* job, const surface_touch* touches, int count)
{
    const sim_pass* pass = job->pass;
    const law_parts* parts = &pass->law.parts;
    const surface_touch* touch[lane_count] = {NULL};
    grain_batch batch;
    batch.count = count;
    batch.shifted = false;
    for (int c = 0; c < count; ++c) {
        touch[c] = &touches[c];
        batch.i[c] = touches[c].rank;
        batch.j[c] = touches[c].boundary;
        batch.before[c] = touches[c].before != NULL ? touches[c].before : grain_nothing;
    }
    sim_grains_of_touches(pass, false, touch, &batch);
    for (int c = 0; c < count; ++c) {
        if (!batch.holds[c]) {
            if (job->keeps && touches[c].before != NULL)
                lose(job, touches[c].rank, touches[c].boundary, touches[c].before);
            continue;
        }
        int64_t at = touches[c].rank - job->block * sim_block;
        if (job->keeps)
            write_slot(job, &touches[c], batch.words[c]);
        for (int k = 0; k < 3; ++k)
            job->f[at][k] += batch.force[c][k];
        for (int k = 0; k < 3 && pass->law.turns; ++k) {
            double torque = parts->tangential ? -(batch.arm[0][c] * batch.turn[c][k]) : 0.0;
            if (grain_twists(*parts))
                torque += batch.twist[c][k];
            job->t[at][k] += torque;
        }
        if (parts->accounts)
            account_for(job, &batch, c);
        if (pass->servos != NULL)
            motion_servo_add_at(pass, job->block, touches[c].x, touches[c].rank, touches[c].boundary, &touches[c].at, batch.force[c], grain_twists(*parts) ? batch.twist[c] : NULL);
    }
}

static void add_touches(surface_job* job, const surface_touch* touches, int64_t count)
{
    bool grains = job->pass->law.kind >= (int32_t)law_single_count;
    for (int64_t c = 0; c < count && !grains; ++c)
        add_single(job, &touches[c]);
    for (int64_t c = 0; c < count && grains; c += lane_count)
        add_grains(job, touches + c, count - c < lane_count ? (int)(count - c) : lane_count);
}

void sim_surfaces_add(const sim_pass* pass, int64_t block, double (*f)[4], double (*t)[4], sim_desk* desk, block_told* told)
{
    const sim_surfaces* s = pass->surfaces;
    surface_job job = job_of(pass, block);
    surface_desk* room = &desk->surface;
    int64_t count = 0;
    job.f = f;
    job.t = t;
    job.told = told;
    if (job.keeps)
        memset(pass->surface_slots.slot_next + job.first, 0xff, (size_t)(s->row_first[block + 1] - job.first) * sizeof *pass->surface_slots.slot_next);
    for (int64_t g = s->group_first[block]; g < s->group_first[block + 1]; ++g) {
        const surface_near* group = &s->group[g];
        surface_touch* touches = room->touches + count;
        int64_t found = surface_find(pass, group, room, touches);
        if (!pass->boundaries[group->boundary].removes && surface_crossed(pass, group, touches, found) && (!told->crosses || pass->id[group->rank] < pass->id[told->crossed])) {
            told->crosses = true;
            told->crossed = told->escaped = group->rank;
            told->crossed_boundary = group->boundary;
        }
        if (job.words > 0)
            remember(&job, group, touches, found);
        count += found;
        if (count >= surface_together) {
            add_touches(&job, room->touches, count);
            count = 0;
        }
    }
    add_touches(&job, room->touches, count);
}

// ---- Looking on ---------------------------------------------------------------------------------------------------------------

void sim_surfaces_visit(const sim_pass* pass, int64_t block, sim_touch_visit* visit, void* context)
{
    const sim_surfaces* s = pass->surfaces;
    if (s == NULL)
        return;
    surface_job job = job_of(pass, block);
    sim_desk* desk = sim_desk_take(pass);
    for (int64_t g = s->group_first[block]; g < s->group_first[block + 1]; ++g) {
        surface_touch* touches = desk->surface.touches;
        int64_t count = surface_find(pass, &s->group[g], &desk->surface, touches);
        for (int64_t c = 0; c < count; ++c) {
            const double* slot = slot_at(&job, touches[c].row);
            bool held = slot != NULL && slot[job.words + SLOT_FEATURE] == (double)touches[c].feature;
            double words[law_words_most] = {0.0};
            sim_seen seen;
            if (held)
                memcpy(words, slot, (size_t)job.words * sizeof *words);
            if (sim_see_touch(pass, &touches[c], held, words, &seen))
                visit(context, &touches[c], words, &seen);
        }
    }
    sim_desk_give_back(desk);
}

scree_status sim_say_crossed(scree_sim* sim)
{
    const block_told* first = NULL;
    for (int64_t b = 0; b < sim->blocks; ++b)
        if (sim->told[b].crosses && (first == NULL || sim->id[sim->told[b].crossed] < sim->id[first->crossed]))
            first = &sim->told[b];
    char name[boundary_name_room];
    const double* x = sim->x[first->crossed];
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sim: step %" PRId64 ": sphere %" PRId64 " (radius %g) has passed through the surface '%s': its centre is at %g %g %g. The contact is too soft for how hard it is "
                      "pressed or hit, or the time step %g is too long",
                      sim->step, sim->id[first->crossed], x[3], sim_boundary_name(sim, first->crossed_boundary, name), x[0], x[1], x[2], sim->numbers.step);
}
