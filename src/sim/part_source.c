// The spheres of a simulation in slices, as scree_sim_create gets them (part.h), and their first forces.
#include "sim/motion.h"
#include "sim/part_inner.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

void part_source_sides(const scree_sim* whole, const part_source* source, double sides[3][2])
{
    const scree_spheres* s = &source->spheres;
    memset(sides, 0, 6 * sizeof(double));
    for (int k = 0; k < whole->dim; ++k) {
        double lower = whole->def.box.lower[k], upper = whole->def.box.upper[k];
        if (!(lower > -INFINITY && upper < INFINITY)) {
            lower = INFINITY, upper = -INFINITY;
            for (int64_t i = 0; i < s->count; ++i) {
                lower = fmin(lower, s->x[i * s->dim + k]);
                upper = fmax(upper, s->x[i * s->dim + k]);
            }
        }
        sides[k][0] = lower;
        sides[k][1] = upper;
    }
}

int64_t part_source_size(const scree_sim* sim, int32_t slice)
{
    int64_t given = (2 * (int64_t)sim->dim + 1) * (int64_t)sizeof(double), mould = 0;
    for (int a = 0; a < sim_array_count; ++a)
        if (sim_items(sim, sim_arrays[a].at) != NULL)
            mould += (int64_t)sim_arrays[a].bytes;
    return sim->n * given + slice * mould;
}

double part_source_skin(const scree_sim* whole, const part_source* source)
{
    double skin = 0.0;
    return scree_candidates_first_skin(whole->lists.near, source->spheres, whole->speed * whole->numbers.time_step, &skin) == SCREE_OK ? skin : 0.0;
}

#define FROM(field, each_) .field = each->field != NULL ? each->field + first * (each_) : NULL

scree_status part_pour(scree_sim* mould, const part_source* source, const double sides[3][2], int64_t first, int32_t count)
{
    const scree_spheres slice = {.count = count, .dim = source->spheres.dim, .x = source->spheres.x + first * source->spheres.dim, .r = source->spheres.r + first};
    const scree_sim_each* each = source->each;
    scree_sim_each own = scree_default_sim_each();
    if (each != NULL)
        own = (scree_sim_each){.struct_size = each->struct_size, FROM(material_density, 1), FROM(material, 1), FROM(group, 1), FROM(fixed, 1), FROM(force, slice.dim), FROM(spin, 3), FROM(inertia, 1)};
    if (count > mould->array_room) {
        sim_arrays_free(mould);
        mould->array_room = count;
        mould->n = 0;
        if (sim_arrays_make(mould) != SCREE_OK)
            return SCREE_ERR_MEMORY;
    }
    scree_free(mould->ghost);
    mould->ghost = NULL;  // none is one
    mould->n = count;
    mould->def.each = &own;
    (void)sim_take_in(mould, slice, source->v != NULL ? source->v + first * slice.dim : NULL, first);
    mould->def.each = NULL;
    for (int32_t i = 0; i < count && each != NULL && each->id != NULL; ++i)
        mould->id[i] = each->id[first + i];
    scree_status status = cell_pour(mould);  // before they are wrapped, as in one process
    if (status == SCREE_OK)
        status = sim_order_wrap_centres(mould);
    sim_order_keys(mould, sides);
    sim_predict_now(mould);
    return status;
}

void part_renew_loads(scree_sim* part)
{
    if (part->loads.drag.on)
        loads_step(part);
}

void part_taken(scree_sim* part)
{
    for (int32_t i = 0; i < part->n && part->before != NULL; ++i)
        part->before[i][3] = part->x[i][3];
    groups_apply_flags(part);
    part_renew_loads(part);
    sim_predict_now(part);
}

scree_status part_settle(scree_sim* part, bool begins)
{
    part->part->early = false;
    part->part->pass_began = scree_clock();
    part->watch.slack = 0.0;
    if (part->n == 0)
        part->result[0] = (block_result){.finite = true, .escaped = -1};
    return sim_pass_begin(part, sim_settles_in(part, begins), &part->part->pass);
}

void part_settled(scree_sim* part)
{
    sim_set_before(part);
}
