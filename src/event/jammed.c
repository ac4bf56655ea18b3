// Whether hard spheres are jammed: growth is switched off, and the pressure must persist.
//
// During growth the pressure shows how fast the spheres are pushed together, not whether they are jammed: a packing that could still rearrange, but not at
// that rate, reaches any pressure. At constant size the reduced pressure of
// a jammed packing is constant, p = dim / (1 - density / jamming density); that of a packing that can rearrange falls by orders of magnitude within
// some hundred collisions per sphere (1000 equal spheres grown at a rate of 0.1: from 1e6 to 400, discs to 60).
//
// Duration: gaps close as exp(-0.3 rate k) in k collisions per sphere, so 10 / rate collisions are three times as long as growth takes for a
// factor e. Rearrangements on the time scale of growth begin within this time, T; it is at least 400 and at most 1e5 collisions. But the pressure
// falls slowly, as a power of time, and packings of wide size distributions may be stable for a while before they rearrange (500 spheres of lognormal:1:0.5,
// rate 0.005: 8e4 from 1000 to 2500 collisions, 600 after 5000). The check therefore continues for T, 2 T and 4 T more, until the pressure is steady: at least three quarters
// of the one before, which is the highest in a quarter of the first T. It has to be high enough in each of these windows.
//
// Pressure: the mean gap between contacts is 1/p of a diameter. At a pressure of 1e4 contacts are clearly separated from other neighbours. If growth ended
// below twice that, half of its pressure is enough. Contacts are counted within twenty mean gaps, or 1e-3 diameters if that is more: forces are smaller and gaps wider between
// the small spheres of a wide size distribution, and within ten mean gaps some jammed packings lack 6 %.
//
// Contacts: to be rigid, N spheres (without rattlers) need dim N - (periodic axes) + 1 contacts with each other and with walls. Forces span
// decades, and the weakest contacts have gaps wider than the limit: 5 % may be missing.
//
// Cost: 2 T if the pressure is steady at once, 8 T at most; it ends at the first quarter of T, or the first window, with too low a pressure, which is the usual case
// for fast growth. Growth takes about 4 T.
#include "base/argument.h"
#include "event/system.h"

#include "scree/measure.h"

#include <math.h>

static const double pressure_enough = 1e4, pressure_steady = 0.75, contacts_enough = 0.95;
static const double collisions_least = 400.0, collisions_most = 1e5, collisions_times_rate = 10.0;
static const double gap_least = 1e-3, gap_times_pressure = 20.0;  // diameters of the sphere of mean volume

// The contacts that hold spheres which are no rattlers, over those that it takes to make them rigid; 0 if all are rattlers.
static scree_status count_contacts(scree_event_system* s, double gap, scree_event_rest* out)
{
    const double scale = event_scale_now(s);
    const int dim = s->dim;
    scree_measure_def def = scree_default_measure_def();
    scree_contact_counts counts = {0};
    double *x = scree_malloc((size_t)s->n * (size_t)dim, sizeof *x), *r = scree_malloc((size_t)s->n, sizeof *r);
    scree_status status = x != NULL && r != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        scree_event_get_state(s, x, NULL);
        for (int32_t rank = 0; rank < s->n; ++rank)
            r[s->id[rank]] = ldexp(s->line[rank].a * scale, s->unit);
        def.box = s->def.box;
        def.gap = ldexp(gap, s->unit);
        def.threads = s->def.threads;
        status = scree_measure_contacts(&def, (scree_spheres){.count = s->n, .dim = dim, .x = x, .r = r}, &counts);
    }
    if (status == SCREE_OK) {
        int64_t contacts = counts.backbone_near, needed = 1;
        for (int k = 0; k < dim; ++k)
            needed -= s->periodic[k];
        for (int32_t i = 0; i < s->n; ++i) {
            if (counts.rattler[i])
                continue;
            needed += dim;
            for (int k = 0; k < dim; ++k)
                if (!s->periodic[k])
                    contacts += (x[(int64_t)i * dim + k] - def.box.lower[k] - r[i] < def.gap) + (def.box.upper[k] - x[(int64_t)i * dim + k] - r[i] < def.gap);
        }
        out->rattlers = counts.rattlers;
        out->contacts = counts.rattlers < s->n ? (double)contacts / (double)needed : 0.0;
    }
    scree_contact_counts_free(&counts);
    scree_free(x);
    scree_free(r);
    return status;
}

// A sphere that reaches from wall to wall, or to its own image: no larger size exists in a box of this shape, whatever the others do.
static bool fills_the_box(const scree_event_system* s)
{
    return 2.0 * s->a_max * event_scale_now(s) >= s->shortest * (1.0 - gap_least);
}

// A window of so many collisions per sphere, or the rest of one. The pressure is that between spheres, or that on the walls if that is higher.
static scree_status rest_a_while(scree_event_system* s, double per_sphere, int64_t left, scree_event_rest* out)
{
    scree_event_until until = scree_default_event_until();
    until.collisions = left;
    if (left == 0) {
        until.collisions = (int64_t)(0.5 * per_sphere * s->n) + 10;
        s->wall_limit = until.collisions;
        scree_event_reset_stats(s);
    }
    scree_status status = scree_event_run(s, &until);
    s->wall_limit = INT64_MAX;
    scree_event_stats stats = scree_event_get_stats(s);
    out->collisions += stats.collisions;
    double at_walls = event_wall_pressure(s);
    out->reduced_pressure = at_walls > 0.0 ? fmax(stats.reduced_pressure, at_walls) : stats.reduced_pressure;
    return status;
}

scree_status event_rest_begin(scree_event_system* s, double pressure, event_rest_course* c)
{
    double mass = 0.0, volume = 0.0;
    for (int32_t i = 0; i < s->n; ++i) {
        mass += 1.0 / s->inverse_mass[i] / s->n;
        volume += (s->dim == 2 ? 1.0 : s->line[i].a) * s->line[i].a * s->line[i].a / s->n;
    }
    double d_mean = 2.0 * (s->dim == 2 ? sqrt(volume) : cbrt(volume)), thermal = sqrt(2.0 * event_energy(s) / (s->dim * mass * s->n));
    double rate = s->rate * d_mean / thermal;
    *c = (event_rest_course){.d_mean = d_mean, .least = pressure > 0.0 ? fmin(0.5 * pressure, pressure_enough) : pressure_enough,
                             .per_sphere = rate > 0.0 ? fmax(collisions_least, fmin(collisions_times_rate / rate, collisions_most)) : collisions_least};
    return scree_event_set_rate(s, 0.0);
}

scree_status event_rest_run(scree_event_system* s, event_rest_course* c, int64_t left, scree_event_rest* out)
{
    bool holds = true, steady = false;
    scree_status status = SCREE_OK;
    for (; c->window < 4 + 3 && holds && !steady && status == SCREE_OK; ++c->window, left = 0) {
        bool quarter = c->window < 4;
        status = rest_a_while(s, c->per_sphere * (quarter ? 0.25 : ldexp(1.0, c->window - 4)), left, out);
        holds = out->reduced_pressure >= c->least;
        steady = !quarter && out->reduced_pressure >= pressure_steady * c->before;
        c->before = quarter ? fmax(c->before, out->reduced_pressure) : out->reduced_pressure;
    }
    if (status == SCREE_OK && out->reduced_pressure > 0.0)
        status = count_contacts(s, fmax(gap_least, gap_times_pressure / out->reduced_pressure) * c->d_mean * event_scale_now(s), out);
    out->jammed = status == SCREE_OK && (fills_the_box(s) || (holds && out->contacts >= contacts_enough));
    return status;
}

SCREE_RESULT_OF(scree_event_rest, scree_event_is_jammed, (scree_event_system* s, double pressure, scree_event_rest* out), (s, pressure, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED_AS(s, "system");
    out->reduced_pressure = NAN;
    if (!(pressure >= 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "hard spheres: pressure = %g; expected 0 or more", pressure);
    if (s->n == 0)
        return SCREE_OK;
    event_rest_course course;
    scree_status status = event_rest_begin(s, pressure, &course);
    return status == SCREE_OK ? event_rest_run(s, &course, 0, out) : status;
}
