// The pass for any machine, and the reference for the wide one.
#include "geom/pair.h"
#include "sim/contact.h"
#include "sim/sim_inner.h"
#include "sim/verlet.h"

static int32_t find_contacts(const sim_pass* pass, const int32_t (*ij)[2], const int8_t (*shift)[3], int32_t count, int32_t* out)
{
    int32_t found = 0;
    for (int32_t c = 0; c < count; ++c) {
        double offset[3] = {0.0, 0.0, 0.0};
        if (shift != NULL)
            cell_offset(&pass->cell, shift[c], offset);
        out[found] = c;  // stands if the count goes on
        found += scree_is_pair(pass->x[ij[c][0]], pass->x[ij[c][1]], offset, pass->law.reach);
    }
    return found;
}

// A fixed sphere has none.
static double acceleration(const sim_pass* pass, int64_t i, const double f[4], int k)
{
    return is_fixed(pass->flags, i) ? 0.0 : f[k] * sim_at(pass->v, i)[3] + pass->gravity[k];
}

// Position Verlet (sim_inner.h): what the mode says, for one sphere.
static void integrate_positions(const sim_pass* pass, int64_t i, const double f[4])
{
    double *v = sim_at(pass->v_next, i), *before = pass->before[i];
    const double* x = pass->x[i];
    for (int k = 0; k < 4; ++k) {
        double a = acceleration(pass, i, f, k), push = pass->half[k] * a, moved = x[k] - before[k];
        if (pass->mode != SIM_STEP) {
            pass->next[i][k] = a;
            if (pass->mode == SIM_OBSERVE)
                v[k] = k < 3 ? moved * pass->per[k] + push : sim_at(pass->v, i)[k];
            continue;
        }
        double to = x[k] + (moved + pass->square[k] * a);
        v[k] = k < 3 ? (to - x[k]) * pass->per[k] : sim_at(pass->v, i)[k];
        before[k] = x[k];
        pass->next[i][k] = to;
        if (pass->law.damped)
            sim_at(pass->p_next, i)[k] = v[k] + push;
    }
}

// Velocity Verlet, the same.
static void integrate_velocities(const sim_pass* pass, int64_t i, const double f[4])
{
    const double* was = sim_at(pass->v, i);
    double* v = sim_at(pass->v_next, i);
    for (int k = 0; k < 4; ++k) {
        double a = acceleration(pass, i, f, k), push = pass->half[k] * a;
        if (pass->mode != SIM_STEP)
            pass->next[i][k] = a;
        if (pass->mode == SIM_OBSERVE)
            v[k] = verlet_kick(was[k], push);
        if (pass->mode == SIM_STEP) {
            v[k] = verlet_kick(verlet_kick(was[k], push), push);  // to this moment, and half a step on
            pass->next[i][k] = verlet_drift(pass->x[i][k], v[k], pass->whole[k]);
        }
        if (pass->mode == SIM_STEP && pass->law.damped)
            sim_at(pass->p_next, i)[k] = verlet_kick(v[k], push);
    }
}

static void integrate(const sim_pass* pass, int64_t first, int64_t last, sim_rows f, sim_rows t, block_result* result)
{
    for (int64_t i = first; i < last; ++i) {
        if (pass->before != NULL)
            integrate_positions(pass, i, sim_at(f, i - first));
        else
            integrate_velocities(pass, i, sim_at(f, i - first));
        if (t.at != NULL)
            turn_one(pass, i, sim_at(t, i - first));
        const double* v = sim_at(pass->v_next, i);
        double square = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
        result->speed_square = square > result->speed_square ? square : result->speed_square;
        result->finite = result->finite && square <= 1e300;
    }
}

#define PASS_GRAINS(GRAIN)  // machines without AVX2 are few: one function for all of them compiles quickly
#include "sim/pass_body.h"

void sim_span_plain(const sim_pass* pass, int64_t span, sim_desk* desk)
{
    work_on_span(pass, span, desk);
}

int32_t sim_find_plain(const sim_pass* pass, const int32_t (*ij)[2], const int8_t (*shift)[3], int32_t count, int32_t* out)
{
    return find_contacts(pass, ij, shift, count, out);
}

void sim_integrate_one(const sim_pass* pass, int32_t rank, double f[4], double t[4], block_result* result)
{
    integrate(pass, rank, (int64_t)rank + 1, (sim_rows){.at = (double(*)[4])f}, (sim_rows){.at = pass->law.turns ? (double(*)[4])t : NULL}, result);
}
