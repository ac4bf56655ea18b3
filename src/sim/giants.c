// Spheres with very many contacts (sim_inner.h says how their forces are added up). Quanta are powers of two: rounding a force to a multiple, and
// going back from an integer below 2^53 to a force, are exact.
#include "sim/sim_inner.h"

#include <inttypes.h>
#include <string.h>

void sim_giants_find(scree_sim* sim)
{
    int32_t count = 0;
    for (int32_t i = 0; i < sim->n && sim->numbers.giant_count > 0; ++i)
        if (sim->x[i][3] >= sim->numbers.giant_radius)
            sim->giants[count++] = i;
}

int32_t sim_giant_number(const sim_pass* pass, int32_t rank)
{
    int32_t low = 0, high = pass->giant_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (pass->giants[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sim_giants_begin(scree_sim* sim)
{
    for (int32_t d = 0; d < sim->desk_count && sim->numbers.giant_count > 0; ++d) {
        sim->desks[d].overflow = -1;
        memset(sim->desks[d].sums, 0, (size_t)sim->numbers.giant_count * sizeof *sim->desks[d].sums);
    }
}

scree_status sim_giants_end(scree_sim* sim, const sim_pass* pass, block_result* result)
{
    for (int32_t g = 0; g < pass->giant_count; ++g) {
        int32_t rank = pass->giants[g];
        const giant_kept* kept = &pass->giant_kept[g];
        _Alignas(32) double f[4] = {0.0, 0.0, 0.0, 0.0}, t[4] = {0.0, 0.0, 0.0, 0.0};
        bool overflow = false;
        for (int k = 0; k < 6; ++k) {
            int64_t sum = 0;
            for (int32_t d = 0; d < sim->desk_count; ++d) {
                overflow = __builtin_add_overflow(sum, sim->desks[d].sums[g][k], &sum) || overflow;
                overflow = overflow || sim->desks[d].overflow == g;
            }
            if (k < 3)
                f[k] = (double)sum * pass->quantum + kept->rest[k];
            else
                t[k - 3] = (double)sum * pass->torque_quantum + kept->turn[k - 3];
        }
        if (overflow) {
            sim->failed = true;
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "sim: step %" PRId64 ": the forces on sphere %" PRId64 " (radius %g) are too large to be summed; expected at most %g for a sphere of radius %g "
                                                                                     "or more. Spheres overlapped too much, or the time step %g is too long",
                              sim->step, sim->id[rank], sim->x[rank][3], ldexp(pass->quantum, 63), pass->giant_radius, sim->numbers.time_step);
        }
        memcpy(sim_at(pass->v, rank), kept->v, sizeof kept->v);
        if (pass->before != NULL)
            memcpy(pass->before[rank], kept->before, sizeof kept->before);
        double all[4] = {f[0], f[1], f[2], 0.0}, turn[4] = {t[0], t[1], t[2], 0.0};
        if (pass->drag.on)
            sim_drag_one(pass, rank, f, pass->law.turns ? t : NULL, result);
        sim_integrate_one(pass, rank, f, t, result);
        if (pass->law.parts.accounts) {
            sim_powers_of(pass, rank, kept->v, ENERGY_BEFORE, &result->sums);
            energy_add(&pass->scales, ENERGY_RATE + WORK_WALLS, sim_driven_of(pass, rank, all, turn), &result->sums);
            if (pass->mode == SIM_STEP)
                sim_powers_of(pass, rank, sim_at(pass->v_next, rank), ENERGY_AFTER, &result->sums);
        }
    }
    return SCREE_OK;
}
