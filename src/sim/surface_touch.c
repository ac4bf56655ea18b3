// Spheres and shapes (surfaces.h): which are near, where they touch, and whether a centre has passed through one.
//
// Cost: a sphere that is far from all shapes costs nothing in a step. In a new list each block of spheres is compared with each shape by balls that hold them; then each sphere;
// then the tree of the mesh gives the triangles. Steps look at the contacts of these triangles.
#include "sim/sim_inner.h"

#include "base/array.h"
#include "base/parallel.h"
#include "geom/vector.h"
#include "sim/surface_find.h"

double shape_distance(const scree_sim* sim, const sim_boundary* b, const double x[3])
{
    double here[3], near[3];
    scree_surface_contact nearest;
    shape_next_to(&sim->cell, b, b->shape, x, near);
    shape_from_box(b, b->shape, b->turn, b->at, near, here);
    scree_status status = b->shape->mesh ? scree_surface_closest(b->shape->surface, here, &nearest) : scree_exact_closest(&b->shape->exact, here, &nearest);
    return status == SCREE_OK ? nearest.distance : INFINITY;
}

// ---- Features ------------------------------------------------------------------------------------------------------------

int32_t shape_home(const sim_shape* shape, int32_t feature)
{
    return shape_home_of(shape, feature);
}

// ---- Which are near ------------------------------------------------------------------------------------------------------

typedef struct near_job {
    scree_sim* sim;
    double margin;
    bool count_only;
    int64_t* most;      // rows of a group, of each block
    int32_t* shapes;    // [block][shape]: numbers of the boundaries near it
} near_job;

// A ball that holds the spheres of a block: not the smallest.
static double ball_of_block(const scree_sim* sim, int64_t begin, int64_t end, double centre[4])
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, r = 0.0, half[3];
    for (int64_t i = begin; i < end; ++i) {
        for (int k = 0; k < 3; ++k) {
            lower[k] = fmin(lower[k], sim->x[i][k]);
            upper[k] = fmax(upper[k], sim->x[i][k]);
        }
        r = fmax(r, sim->x[i][3]);
    }
    for (int k = 0; k < 3; ++k) {
        centre[k] = 0.5 * (lower[k] + upper[k]);
        half[k] = 0.5 * (upper[k] - lower[k]);
    }
    return vec_length(half) * (1.0 + 1e-12) + r;
}

static bool is_near_block(const sim_cell* cell, const sim_boundary* b, const double centre[3], double reach)
{
    const sim_shape* s = b->shape;
    double here[3], d[3], near[3];
    scree_surface_contact contact;
    shape_next_to(cell, b, s, centre, near);
    for (int k = 0; k < 3; ++k)  // a block as long as the box is near some image
        if (s->wraps[k] && !(reach < 0.5 * cell->h[k][k]))
            return true;
    shape_from_box(b, b->shape, b->turn, b->at, near, here);
    vec_sub(here, s->centre, d);
    if (shape_has_images(s))
        return vec_length(d) < (s->radius + reach) * (1.0 + 1e-9);
    if (s->mesh)
        return vec_length(d) < (s->radius + reach) * (1.0 + 1e-9);
    scree_exact_closest(&s->exact, here, &contact);
    return contact.distance < reach * (1.0 + 1e-9);
}

static scree_status find_near(void* context, int64_t block)
{
    const near_job* job = context;
    scree_sim* sim = job->sim;
    sim_surfaces* s = &sim->surfaces;
    int64_t group = s->group_first[block], row = s->row_first[block], most = 0, begin = block * sim_block;
    int64_t end = begin + sim_block < sim->n ? begin + sim_block : sim->n;
    double centre[4], all = ball_of_block(sim, begin, end, centre) + job->margin;
    int32_t *near = job->shapes + block * s->count, count = 0;
    for (int32_t b = boundary_faces; b < sim->boundary_count; ++b)
        if (sim->boundaries_now[b].shape != NULL && is_near_block(&sim->cell, &sim->boundaries_now[b], centre, all))
            near[count++] = b;
    for (int64_t i = begin; i < end && count > 0; ++i)
        for (int32_t c = 0; c < count && sees_boundaries(sim, i); ++c) {
            const sim_boundary* b = &sim->boundaries_now[near[c]];
            int64_t found = shape_rows_near(&sim->cell, b, b->shape, sim->x[i], sim->x[i][3] + job->margin, job->count_only ? NULL : s->part + row, job->count_only ? 0 : s->row_capacity - row);
            if (found == 0)
                continue;
            if (!job->count_only)
                s->group[group] = (surface_near){.rank = (int32_t)i, .boundary = near[c], .first = row};
            for (int64_t p = 0; p < found && !job->count_only; ++p) {
                s->row[row + p][0] = (int32_t)i;
                s->row[row + p][1] = b->shape->first + s->part[row + p];
            }
            ++group;
            row += found;
            most = found > most ? found : most;
        }
    if (job->count_only) {
        s->group_first[block] = group;
        s->row_first[block] = row;
        job->most[block] = most;
    }
    return SCREE_OK;
}

scree_status surfaces_find_near(scree_sim* sim, double margin)
{
    sim_surfaces* s = &sim->surfaces;
    if (s->count == 0)
        return SCREE_OK;
    near_job job = {.sim = sim, .margin = margin, .count_only = true};
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    memset(s->group_first, 0, ((size_t)sim->blocks + 1) * sizeof *s->group_first);
    memset(s->row_first, 0, ((size_t)sim->blocks + 1) * sizeof *s->row_first);
    s->most = 0;
    job.most = scree_calloc((size_t)sim->blocks + 1, sizeof *job.most);
    job.shapes = scree_malloc((size_t)(sim->blocks * s->count) + 1, sizeof *job.shapes);
    scree_status status = job.most == NULL || job.shapes == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    int64_t groups = 0, rows = 0;
    if (status == SCREE_OK)
        scree_parallel_for(sim->threads, sim->blocks, find_near, &job, NULL);
    for (int64_t b = 0; b <= sim->blocks && status == SCREE_OK; ++b) {
        int64_t group = b < sim->blocks ? s->group_first[b] : 0, row = b < sim->blocks ? s->row_first[b] : 0;
        s->group_first[b] = groups;
        s->row_first[b] = rows;
        groups += group;
        rows += row;
        s->most = job.most[b] > s->most ? job.most[b] : s->most;
    }
    if (status == SCREE_OK && (SCREE_RESERVE(s->group, s->group_capacity, groups + 1) != SCREE_OK || SCREE_RESERVE(s->row, s->row_capacity, rows + 1) != SCREE_OK ||
                               SCREE_RESERVE(s->part, s->part_capacity, rows + 1) != SCREE_OK))
        status = SCREE_ERR_MEMORY;
    for (int32_t d = 0; d < sim->desk_count && status == SCREE_OK; ++d)
        status = surface_desk_reserve(sim, &sim->desks[d].surface);
    job.count_only = false;
    if (status == SCREE_OK)
        status = scree_parallel_for(sim->threads, sim->blocks, find_near, &job, NULL);
    if (status == SCREE_OK)
        s->group[groups] = (surface_near){.rank = -1, .boundary = -1, .first = rows};
    else
        memset(s->group_first, 0, ((size_t)sim->blocks + 1) * sizeof *s->group_first);
    scree_free(job.most);
    scree_free(job.shapes);
    return status;
}

// Contacts and links: two for each row are enough (surface_contacts.h). Some touches are worked on together.
scree_status surface_desk_reserve(const scree_sim* sim, surface_desk* desk)
{
    int64_t room = 2 * sim->surfaces.most + SCREE_EXACT_CONTACTS_MAX;
    if (sim->surfaces.count == 0)
        return SCREE_OK;
    bool fits = SCREE_RESERVE(desk->work, desk->work_room, surface_work_room(sim->surfaces.most)) == SCREE_OK && SCREE_RESERVE(desk->contacts, desk->room, room) == SCREE_OK &&
                SCREE_RESERVE(desk->touches, desk->touch_room, room + surface_together) == SCREE_OK;
    return fits ? SCREE_OK : SCREE_ERR_MEMORY;
}

void surface_desk_free(surface_desk* desk)
{
    scree_free(desk->work);
    scree_free(desk->contacts);
    scree_free(desk->touches);
    *desk = (surface_desk){.contacts = NULL};
}

// ---- Where they touch ------------------------------------------------------------------------------------------------------

// The mode says whether there was a step before.
surface_beside surface_beside_of(const sim_pass* pass, const surface_near* group)
{
    const sim_boundary* b = &pass->boundaries[group->boundary];
    return (surface_beside){.cell = &pass->cell,
                            .b = b,
                            .s = b->shape,
                            .rank = group->rank,
                            .boundary = group->boundary,
                            .x = pass->x[group->rank],
                            .v = sim_at(pass->v, group->rank),
                            .step = pass->whole[0],
                            .reach = pass->law.reach,
                            .halves = pass->mode != SIM_REST && pass->law.turns,
                            .curved = grain_is_curved(pass->law.parts.normal),
                            .part = pass->surfaces->part,
                            .first = group[0].first,
                            .end = group[1].first};
}

int64_t surface_find(const sim_pass* pass, const surface_near* group, surface_desk* desk, surface_touch* out)
{
    surface_beside beside = surface_beside_of(pass, group);
    return shape_touches(&beside, desk->work, desk->contacts, out);
}

bool surface_crossed(const sim_pass* pass, const surface_near* group, const surface_touch* touches, int64_t count)
{
    surface_beside beside = surface_beside_of(pass, group);
    return pass->mode >= SIM_OBSERVE && shape_is_crossed(&beside, touches, count);
}
