// Energies by owner. Work and dissipation of a force that changes smoothly are sums over steps of its power, half of each step's share before the moment and half
// after: so at every moment that is looked at, kinetic energy, springs, and what is dissipated less the work add up to the same, to second order of the step.
#include "sim/grains.h"

#include <inttypes.h>

static double power_of_two(int exponent)
{
    return ldexp(1.0, exponent < -700 ? -700 : exponent > 700 ? 700 : exponent);
}

// Of the energy of the heaviest sphere, when it moves by the smallest radius in a step, a term may be 2^22, and 2^-96 of it counts.
energy_scales sim_scales(const scree_sim_numbers* numbers)
{
    int mass = numbers->mass_max > 0.0 ? ilogb(numbers->mass_max) : 0, length = numbers->radius_min > 0.0 ? ilogb(numbers->radius_min) : 0, time = ilogb(numbers->time_step);
    int energy = mass + 2 * (length - time) - 8;
    return (energy_scales){.power = sum_scale_of(power_of_two(energy - time)), .energy = sum_scale_of(power_of_two(energy)), .force = sum_scale_of(power_of_two(energy - length))};
}

static void powers_of(const sim_pass* pass, int64_t rank, const double v[4], double out[2])
{
    out[0] = out[1] = 0.0;
    if (is_fixed(pass->flags, rank) || (pass->ghost != NULL && pass->ghost[rank] != 0))
        return;
    const double* g = pass->gravity;
    out[0] = ((g[0] * v[0] + g[1] * v[1]) + g[2] * v[2]) / v[3];
    if (pass->force != NULL) {
        const double* f = pass->force[rank];
        out[1] = (f[0] * v[0] + f[1] * v[1]) + f[2] * v[2];
    }
    if (pass->torque != NULL) {
        const double *t = pass->torque[rank], *w = v == sim_at(pass->v_next, rank) && pass->v_next.at != pass->v.at ? sim_at(pass->w_next, rank) : sim_at(pass->w, rank);
        out[1] += (t[0] * w[0] + t[1] * w[1]) + t[2] * w[2];
    }
}

void sim_powers_of(const sim_pass* pass, int64_t rank, const double v[4], energy_kind kind, energy_sums* out)
{
    double powers[2];
    powers_of(pass, rank, v, powers);
    for (int k = 0; k < 2; ++k)
        energy_add(&pass->scales, (int)kind + k, powers[k], out);
}

void sim_powers(const sim_pass* pass, int64_t first, int64_t last, sim_rows v, energy_kind kind, energy_sums* out)
{
    const bool forces = pass->force != NULL || pass->torque != NULL, falls = pass->gravity[0] != 0.0 || pass->gravity[1] != 0.0 || pass->gravity[2] != 0.0;
    const sum_scale scale = pass->scales.power;
    for (int64_t i = first, end; i < last && (forces || falls); i = end) {
        sim_sum gravity = {.limb = {0}}, force = {.limb = {0}};
        uint64_t beyond = 0;
        end = last - i < sum_most ? last : i + sum_most;
        for (int64_t e = i; e < end; ++e) {
            double of[2];
            if (pass->giant_count > 0 && pass->x[e][3] >= pass->giant_radius)
                continue;
            powers_of(pass, e, sim_at(v, e), of);
            sum_add(&scale, of[0], &gravity, &beyond);
            if (forces)
                sum_add(&scale, of[1], &force, &beyond);
        }
        sum_carry(&gravity);
        sum_carry(&force);
        sum_join(&out->of[(int)kind], &gravity);
        sum_join(&out->of[(int)kind + 1], &force);
        out->beyond |= beyond;
    }
}

// A fixed sphere that turns, and one that is driven, are like walls: moving them does work against the force f and the torque t of their contacts. External forces
// do not move them.
double sim_driven_of(const sim_pass* pass, int64_t rank, const double f[4], const double t[4])
{
    double power = 0.0;
    if (!is_fixed(pass->flags, rank) || (pass->ghost != NULL && pass->ghost[rank] != 0))
        return 0.0;
    if (pass->law.turns) {
        const double* w = sim_at(pass->wp, rank);
        power -= (t[0] * w[0] + t[1] * w[1]) + t[2] * w[2];
    }
    if ((pass->flags[rank] & 2) != 0) {
        const double* v = pass->law.damped ? sim_at(pass->p, rank) : sim_at(pass->v, rank);
        for (int k = 0; k < 3; ++k)
            power -= (f[k] - (pass->force != NULL ? pass->force[rank][k] : 0.0)) * v[k];
    }
    return power;
}

void sim_driven(const sim_pass* pass, int64_t first, int64_t last, sim_rows f, sim_rows t, block_result* result)
{
    for (int64_t i = first; i < last && pass->flags != NULL; ++i)
        if (is_fixed(pass->flags, i) && (pass->giant_count == 0 || pass->x[i][3] < pass->giant_radius))
            energy_add(&pass->scales, ENERGY_RATE + WORK_WALLS, sim_driven_of(pass, i, sim_at(f, i - first), pass->law.turns ? sim_at(t, i - first) : NULL), &result->sums);
}

void sim_ended(const sim_pass* pass, int32_t i, int32_t j, bool wall, const double* words, double lost[owners])
{
    double r = pass->x[i][3], radius = wall ? r : r * pass->x[j][3] / (r + pass->x[j][3]);
    const law_pair* with = wall ? law_with_material(&pass->law, pass->material, i, pass->boundaries[j].material) : law_with(&pass->law, pass->material, i, j);
    grain_lost(&pass->law, with, radius, words, lost);
}

double sim_formed(const sim_pass* pass, int32_t i, int32_t j, bool wall, double overlap)
{
    double r = pass->x[i][3], radius = wall ? r : r * pass->x[j][3] / (r + pass->x[j][3]);
    return grain_bridge_work(wall ? law_with_material(&pass->law, pass->material, i, pass->boundaries[j].material) : law_with(&pass->law, pass->material, i, j), radius, -overlap);
}

bool sim_has_sums(const scree_sim* sim)
{
    return sim->law.parts.accounts || sim->numbers.bond_count > 0 || sim->loads.drag.on || sim->loads.next[0] != 0.0 || sim->loads.next[1] != 0.0;
}

void sim_sums_of_pass(const scree_sim* sim, const sim_pass* pass, energy_sums* out)
{
    *out = sim->giants_result.sums;
    for (int64_t b = 0; b < sim->blocks; ++b)
        energy_join(out, &sim->result[b].sums);
    bonds_sum(&sim->bonds, &out->of[ENERGY_BONDS], &out->beyond);
    for (int owner = 0; owner < owners && pass->mode < SIM_OBSERVE; ++owner)
        out->of[ENERGY_LOST + owner] = (sim_sum){.limb = {0}};  // it is no step
    energy_join(out, &sim->pending);
}

scree_status sim_account(scree_sim* sim, const sim_pass* pass, const energy_sums* sums, double values[ENERGY_COUNT])
{
    double half = 0.5 * sim->numbers.time_step;
    sim->pending = (energy_sums){.beyond = 0};
    if (sum_is_beyond(sums->beyond)) {
        sim->failed = true;
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "sim: step %" PRId64 ": the energy of a sphere or a contact changes too much in a step to be summed; expected at most %g. Spheres overlapped too much, or the time "
                          "step %g is too long",
                          sim->step, ldexp(pass->scales.energy.quantum[0], 30), sim->numbers.time_step);
    }
    energy_values(&pass->scales, sums, values);
    if (sim->law.parts.accounts)
        energy_book(values, half, pass->mode >= SIM_OBSERVE, pass->mode == SIM_STEP, sim->account);
    sim_drag_account(sim, pass, values);
    bonds_account(sim, pass, values[ENERGY_BONDS]);
    return SCREE_OK;
}

void sim_account_pending(scree_sim* sim)
{
    energy_scales scales = sim_scales(&sim->numbers);
    double values[ENERGY_COUNT];
    energy_values(&scales, &sim->pending, values);
    for (int owner = 0; owner < owners; ++owner)
        sim->account[owner] += values[ENERGY_LOST + owner];
    sim->account[WORK_WALLS] += values[ENERGY_PAID];
    sim->pending = (energy_sums){.beyond = 0};
}

// The powers wait for the next pass, so that processes add up once in a step.
void sim_account_launch(scree_sim* sim, const sim_pass* pass)
{
    if (!sim->law.parts.accounts)
        return;
    for (int32_t g = 0; g < pass->giant_count; ++g)
        sim_powers_of(pass, pass->giants[g], sim_at(pass->v, pass->giants[g]), ENERGY_AFTER, &sim->pending);
    for (int64_t b = 0; b < sim->blocks; ++b)
        energy_join(&sim->pending, &sim->result[b].sums);
    for (int w = 0; w < sim_works; ++w) {
        sim->account[w] += sim->account[sim_accounts + w];
        sim->account[sim_accounts + w] = 0.0;
    }
}
