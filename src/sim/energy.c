// Energies by owner. Work and dissipation of a force that changes smoothly are sums over steps of its power, half of each step's share before the moment and half
// after: so at every moment that is looked at, kinetic energy, springs, and what is dissipated less the work add up to the same, to second order of the step.
#include "sim/grains.h"

void sim_powers_of(const sim_pass* pass, int64_t rank, const double v[4], double out[2])
{
    if (is_fixed(pass->flags, rank))
        return;
    const double* g = pass->gravity;
    out[0] += ((g[0] * v[0] + g[1] * v[1]) + g[2] * v[2]) / v[3];
    if (pass->force != NULL) {
        const double* f = pass->force[rank];
        out[1] += (f[0] * v[0] + f[1] * v[1]) + f[2] * v[2];
    }
    if (pass->torque != NULL) {
        const double *t = pass->torque[rank], *w = v == sim_at(pass->v_next, rank) && pass->v_next.at != pass->v.at ? sim_at(pass->w_next, rank) : sim_at(pass->w, rank);
        out[1] += (t[0] * w[0] + t[1] * w[1]) + t[2] * w[2];
    }
}

void sim_powers(const sim_pass* pass, int64_t first, int64_t last, sim_rows v, double out[2])
{
    for (int64_t i = first; i < last; ++i)
        if (pass->giant_count == 0 || pass->x[i][3] < pass->giant_radius)
            sim_powers_of(pass, i, sim_at(v, i), out);
}

// A fixed sphere that turns, and one that is driven, are like walls: whoever moves them works against the force f and the torque t of their contacts. External forces
// do not move them.
double sim_driven_of(const sim_pass* pass, int64_t rank, const double f[4], const double t[4])
{
    double power = 0.0;
    if (!is_fixed(pass->flags, rank))
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

void sim_driven(const sim_pass* pass, int64_t first, int64_t last, double (*f)[4], double (*t)[4], block_told* told)
{
    for (int64_t i = first; i < last && pass->flags != NULL; ++i)
        if (pass->giant_count == 0 || pass->x[i][3] < pass->giant_radius)
            told->rate[WORK_WALLS] += sim_driven_of(pass, i, f[i - first], pass->law.turns ? t[i - first] : NULL);
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

static double half_of(const scree_sim* sim, double power)
{
    return power * (0.5 * sim->numbers.step);
}

void sim_account(scree_sim* sim, const sim_pass* pass, const block_told* of_giants)
{
    double rate[sim_works] = {[WORK_WALLS] = of_giants->rate[WORK_WALLS]}, before[2] = {of_giants->before[0], of_giants->before[1]}, after[2] = {of_giants->after[0], of_giants->after[1]};
    if (!sim->law.parts.accounts)
        return;
    for (int64_t b = 0; b < sim->blocks; ++b) {
        const block_told* told = &sim->told[b];
        for (int w = 0; w < sim_works; ++w)
            rate[w] += told->rate[w];
        for (int owner = 0; owner < owners && pass->mode >= SIM_OBSERVE; ++owner)
            sim->account[owner] += told->lost[owner];
        for (int k = 0; k < 2; ++k) {
            before[k] += told->before[k];
            after[k] += told->after[k];
        }
    }
    for (int w = 0; w < sim_works; ++w) {
        double half = half_of(sim, rate[w]);
        if (pass->mode >= SIM_OBSERVE)
            sim->account[w] += half;
        if (pass->mode == SIM_STEP)
            sim->account[w] += half;
        sim->account[sim_accounts + w] = pass->mode == SIM_STEP ? 0.0 : half;
    }
    for (int k = 0; k < 2; ++k) {
        if (pass->mode >= SIM_OBSERVE)
            sim->account[WORK_GRAVITY + k] += half_of(sim, before[k]);
        if (pass->mode == SIM_STEP)
            sim->account[WORK_GRAVITY + k] += half_of(sim, after[k]);
    }
}

void sim_account_launch(scree_sim* sim, const sim_pass* pass)
{
    double after[2] = {0.0, 0.0};
    if (!sim->law.parts.accounts)
        return;
    for (int32_t g = 0; g < pass->giant_count; ++g)
        sim_powers_of(pass, pass->giants[g], sim_at(pass->v, pass->giants[g]), after);
    for (int64_t b = 0; b < sim->blocks; ++b)
        for (int k = 0; k < 2; ++k)
            after[k] += sim->told[b].after[k];
    for (int w = 0; w < sim_works; ++w) {
        sim->account[w] += sim->account[sim_accounts + w];
        sim->account[sim_accounts + w] = 0.0;
    }
    for (int k = 0; k < 2; ++k)
        sim->account[WORK_GRAVITY + k] += half_of(sim, after[k]);
}
