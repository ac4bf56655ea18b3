// Drag and local damping, between the forces of a pass and the motion. Both are forces on single spheres, added before velocities and positions go on.
//
// Drag, f = -c v, is taken at the velocity v of the moment of the forces. That follows from the velocity u half a step before and the other forces, v = u + (a - c v / m) dt/2:
//
//     v = (u + a dt/2) / (1 + c dt / 2m)
//
// so the scheme stays of second order, and is stable for any c. The same for spins.
//
// In a cell that moves the medium moves with it: f = -c (v - U), with the velocity U of the cell at the centre, so that it does not matter which image is called the sphere. What drag takes
// from spheres, c (v - U) v, can then be below 0: the medium drives them. Local damping looks at v - U too.
//
// Local damping (Cundall 1987): each component of the force, gravity included, is changed by -alpha |f| sign(u). It depends on the direction of motion alone, jumps where that turns round, and
// is of first order there. Energies of both are summed like the energies of dashpots.
#include "sim/drag.h"
#include "sim/sim_inner.h"

// What the two dissipate per time.
static void drag_one(const sim_pass* pass, int64_t rank, double f[4], double* t, double rate[2])
{
    const sim_drag* drag = &pass->drag;
    const double* u = sim_at(pass->v, rank);
    double half = pass->mode >= SIM_OBSERVE ? pass->half[0] : 0.0;
    if (is_fixed(pass->flags, rank))
        return;
    if (pass->drives && pass->cell.moves)
        drag_move_in_cell(drag, &pass->cell, pass->middle, pass->x[rank], u, pass->gravity, half, f, rate);
    else
        drag_move(drag, u, pass->gravity, half, f, rate);
    if (t != NULL && sim_at(pass->w, rank)[3] != 0.0)
        drag_turn(drag, sim_at(pass->w, rank), half, t, rate);
}

void sim_drag_one(const sim_pass* pass, int64_t rank, double f[4], double* t, block_result* result)
{
    double rate[2] = {0.0, 0.0};
    drag_one(pass, rank, f, t, rate);
    for (int k = 0; k < 2 && (pass->ghost == NULL || pass->ghost[rank] == 0); ++k)
        energy_add(&pass->scales, ENERGY_DRAG + k, rate[k], &result->sums);
}

void sim_drag_block(const sim_pass* pass, int64_t first, int64_t last, sim_rows f, sim_rows t, block_result* result)
{
    for (int64_t i = first; i < last; ++i)
        if (pass->giant_count == 0 || pass->x[i][3] < pass->giant_radius)
            sim_drag_one(pass, i, sim_at(f, i - first), t.at != NULL ? sim_at(t, i - first) : NULL, result);
}

// As sim_account does it: half of each step's share before the moment, half after.
void sim_drag_account(scree_sim* sim, const sim_pass* pass, const double sums[ENERGY_COUNT])
{
    sim_loads* l = &sim->loads;
    for (int k = 0; k < 2 && (pass->drag.on || l->next[k] != 0.0); ++k) {
        double half = sums[ENERGY_DRAG + k] * (0.5 * sim->numbers.time_step);
        if (pass->mode >= SIM_OBSERVE)
            l->dissipated[k] += half;
        if (pass->mode == SIM_STEP)
            l->dissipated[k] += half;
        l->next[k] = pass->mode == SIM_STEP ? 0.0 : half;
    }
}

void sim_drag_launch(scree_sim* sim)
{
    for (int k = 0; k < 2; ++k) {
        sim->loads.dissipated[k] += sim->loads.next[k];
        sim->loads.next[k] = 0.0;
    }
}
