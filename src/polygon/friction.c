// Coulomb friction with memory. A contact has a tangential spring, loaded by the displacement of its contact point, and a dashpot; together they exert at most mu times the normal
// force. Beyond that the contact slides: the force stays at the limit, and the spring is limited accordingly.
//
//     q*  = q + k_t s                     q: force of the spring, s: slip in this step
//     F*  = q* + g_t v_t                  force without sliding
//     |F*| <= mu f_n:  it sticks          F = F*,           q = q*
//     else             it slides          F = +- mu_d f_n,  q = F - g_t v_t, but neither of the other sign nor above F
//
// In the plane the tangent is one direction, the normal turned by 90 degrees, and q a number along it: it rotates with the normal and keeps its size, also where a vertex
// moves from one edge of the other body to the next. The bound on q when sliding is for fast slips: the dashpot alone would exceed the limit, and a spring that
// compensated it would push forward, gaining energy, once the slip ends.
//
// A contact with a share below 1 (polygon_pairs.h) has that share of the spring and of the dashpot; its memory is the
// force of the whole spring, so that it does not change with the share.
//
// Order: the slip uses velocities and geometry in the middle of the step, normal and dashpot at its end: second order. One contact point
// is used for slip, force and torque of both bodies, so that angular momentum and energy are both conserved.
//
// Energy: sliding from q* back to q dissipates (q + q_old) (q* - q) / (2 k_t), the trapezoid of work over the slip minus the gain of the spring: zero while it sticks, mu f_n times
// the slip while it slides at a constant force. The dashpot dissipates the power (F - q) v_t, and a contact that ends the energy of its spring, q^2 / (2 k_t).
//
// P. A. Cundall, O. D. L. Strack, "A discrete numerical model for granular assemblies", Geotechnique 29 (1979), 47-65.
#include "polygon/polygon_inner.h"

// By 2 atan(angle / 2): a rotation without sine and cosine, which differs from the angle in the third order.
void friction_turn(const double x[2], double angle, double out[2])
{
    double h = 0.5 * angle, scale = 1.0 / (1.0 + h * h), c = (1.0 - h * h) * scale, s = 2.0 * h * scale;
    double a = c * x[0] - s * x[1], b = s * x[0] + c * x[1];
    out[0] = a;
    out[1] = b;
}

// While a step is in progress, v and spin are the values at its middle.
double friction_slip(const scene_view* view, const body* s, const body* m, const half_grip* at)
{
    double v[2] = {s->v[0] - s->spin * at->r[1], s->v[1] + s->spin * at->r[0]};
    if (m != NULL) {
        v[0] -= m->v[0] - m->spin * at->other[1];
        v[1] -= m->v[1] + m->spin * at->other[0];
    }
    return view->step * (v[1] * at->n[0] - v[0] * at->n[1]);
}

const contact_memory* friction_find(const memory_row* row, uint64_t key)
{
    int64_t low = 0, high = row->old_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (row->old[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->old_count && row->old[low].key == key ? &row->old[low] : NULL;
}

// In the order of keys. Only crossings are not found in it, and there are few.
static void put(memory_row* row, contact_memory entry)
{
    if (row->count < row->room) {
        int64_t at = row->count;
        for (; at > 0 && row->made[at - 1].key > entry.key; --at)
            row->made[at] = row->made[at - 1];
        row->made[at] = entry;
    }
    ++row->count;
}

gripped friction_of(const scene_view* view, const grip* g, memory_row* row, double f[2])
{
    const friction_law* law = g->law;
    const contact_memory* old = g->old;
    double k = g->share * law->k, before = old != NULL ? g->share * old->force : 0.0, trial = before + k * g->slip;
    double speed, vs[2], vm[2] = {0.0, 0.0};
    bool slid = old != NULL && old->slides;
    body_velocity(view, g->s, g->r, vs);
    if (g->m != NULL)
        body_velocity(view, g->m, g->other, vm);
    speed = (vs[1] - vm[1]) * g->n[0] - (vs[0] - vm[0]) * g->n[1];
    double hold = trial + g->dashpot * speed, normal = g->normal > 0.0 ? g->normal : 0.0, kept = trial;
    bool slides = fabs(hold) > (slid ? law->mu_sliding : law->mu) * normal;
    if (slides) {
        double most = law->mu_sliding * normal;
        hold = hold > 0.0 ? most : -most;
        kept = hold - g->dashpot * speed;
        if (kept * hold <= 0.0)  // so always without a spring
            kept = 0.0;
        else if (fabs(kept) > most)
            kept = hold;
    }
    f[0] += hold * g->n[1];
    f[1] -= hold * g->n[0];
    double stiff = k > 0.0 ? 0.5 / k : 0.0, power = (hold - kept) * speed;
    if (row->advances) {
        contact_memory entry = g->remembered;
        entry.force = kept / g->share;
        entry.share = g->share;
        entry.slides = slides;
        put(row, entry);
        row->lost += (kept + before) * (trial - kept) * stiff;
    }
    if (!row->advances) {  // as it came out of the step: velocities are others now, and may ask for less
        kept = before;
        slides = slid;
    }
    return (gripped){.along = -hold, .energy = kept * kept * stiff, .power = power, .slides = slides};
}
