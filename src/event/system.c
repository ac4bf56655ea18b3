// A system of hard spheres: creation, state, statistics, changes of the whole, and validation.
#include "event/system.h"

#include "base/argument.h"
#include "base/parallel.h"
#include "geom/length.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- Checks ----------------------------------------------------------------------------------------------------------

SCREE_DEFAULTS_OF(scree_event_def, scree_default_event_def)
{
    return (scree_event_def){.struct_size = sizeof(scree_event_def),
                             .box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0}),
                             .scale = 1.0,
                             .restitution = 1.0,
                             .method = SCREE_METHOD_HIERARCHICAL_GRID};
}

SCREE_DEFAULTS_OF(scree_event_until, scree_default_event_until)
{
    return (scree_event_until){.struct_size = sizeof(scree_event_until), .time = INFINITY, .scale = INFINITY, .collisions = INT64_MAX};
}

static scree_status check_rate(double rate)
{
    return rate >= 0.0 && rate <= SCREE_LENGTH_MAX
               ? SCREE_OK
               : scree_fail(SCREE_ERR_ARGUMENT, "hard spheres: rate = %g; expected 0 or more", rate);
}

static scree_status check_def(const scree_event_def* def)
{
    static const char what[] = "hard spheres";
    scree_status fits = scree_check_struct_size(what, "scree_default_event_def", def->struct_size, sizeof *def, sizeof *def);
    if (fits != SCREE_OK)
        return fits;
    if (!(def->scale >= 0.0 && def->scale <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: scale = %g; expected 0 or more", what, def->scale);
    if (!(def->restitution >= 0.0 && def->restitution <= 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: restitution = %g; expected 0 to 1", what, def->restitution);
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: threads = %d; expected 0 (all cores) or more", what, (int)def->threads);
    scree_status status = check_rate(def->rate);
    if (status == SCREE_OK)
        status = scree_box_check(&def->box);
    if (status == SCREE_OK)
        status = scree_box_reject_tilt(&def->box, what);
    for (int k = 0; status == SCREE_OK && k < def->box.dim; ++k)
        if (isinf(def->box.lower[k]) || isinf(def->box.upper[k]) || !(def->box.upper[k] > def->box.lower[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT, "%s: the box goes from %g to %g on axis %c; expected finite bounds with upper above lower", what,
                                def->box.lower[k], def->box.upper[k], "xyz"[k]);
    return status;
}

static scree_status check_spheres(const scree_event_def* def, scree_spheres spheres, const double* v)
{
    if (spheres.dim != def->box.dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "hard spheres: the spheres have dimension %d; expected %d, as the box has", (int)spheres.dim, (int)def->box.dim);
    scree_status status = scree_spheres_check(spheres, &def->box);
    if (status != SCREE_OK)
        return status;
    if (spheres.count > 0 && v == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "hard spheres: v is NULL; expected the velocities of %" PRId32 " spheres", spheres.count);
    double r_max = 0.0, fastest = 0.0;
    for (int32_t i = 0; i < spheres.count; ++i)
        r_max = fmax(r_max, spheres.r[i]);
    for (int32_t i = 0; i < spheres.count; ++i) {
        if (!(spheres.r[i] > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g; expected above 0", i, spheres.r[i]);
        if (def->mass != NULL && !(def->mass[i] >= 1e-200 && def->mass[i] <= 1e200))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": mass %g; expected 1e-200 to 1e200", i, def->mass[i]);
        if (def->mass == NULL && !(spheres.r[i] / r_max >= 1e-60))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g, and the largest is %g; without masses, expected a ratio of at least 1e-60", i,
                              spheres.r[i], r_max);
        for (int k = 0; k < spheres.dim; ++k) {
            double speed = fabs(v[(int64_t)i * spheres.dim + k]);
            if (!(speed <= SCREE_LENGTH_MAX && speed / r_max <= SCREE_LENGTH_MAX))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": velocity %g on axis %c is not finite, or too large for the radii; expected a finite velocity in "
                                                                        "units that fit the radii", i, v[(int64_t)i * spheres.dim + k],
                                  "xyz"[k]);
            fastest = fmax(fastest, speed);
        }
    }
    if (fastest > 0.0 && !(fastest / r_max >= SCREE_LENGTH_MIN))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "hard spheres: the largest velocity is %g, too small for a radius of %g; expected another unit of time", fastest,
                          r_max);
    return SCREE_OK;
}

// ---- Life ------------------------------------------------------------------------------------------------------------

static scree_status reserve(scree_event_system* s)
{
    size_t n = (size_t)s->n, room = n > 0 ? n : 1;
    int32_t buckets = 64;
    while (buckets < s->n && buckets < INT32_MAX / 2)
        buckets *= 2;
    s->calendar.count = buckets;
    s->line_block = scree_malloc(room + 1, sizeof *s->line);
    s->inverse_mass = scree_malloc(room, sizeof *s->inverse_mass);
    s->reference = scree_malloc(room, sizeof *s->reference);
    s->id = scree_malloc(room, sizeof *s->id);
    s->due = scree_calloc(room, sizeof *s->due);
    s->calendar.heap = scree_malloc(room, sizeof *s->calendar.heap);
    s->calendar.first = scree_malloc((size_t)buckets + 1, sizeof *s->calendar.first);
    s->mark = scree_malloc(room, sizeof *s->mark);
    s->heavy = scree_malloc(room, sizeof *s->heavy);
    s->near_heavy = scree_malloc(room, sizeof *s->near_heavy);
    s->flat = scree_malloc(room * (size_t)(s->dim + 1), sizeof *s->flat);
    if (s->line_block == NULL || s->inverse_mass == NULL || s->reference == NULL || s->id == NULL || s->due == NULL ||
        s->calendar.heap == NULL || s->calendar.first == NULL || s->mark == NULL || s->heavy == NULL || s->near_heavy == NULL || s->flat == NULL)
        return SCREE_ERR_MEMORY;
    memset(s->mark, -1, room * sizeof *s->mark);
    uintptr_t at = (uintptr_t)s->line_block;
    s->line = (event_sphere*)((char*)s->line_block + (64 - at % 64) % 64);
    return SCREE_OK;
}

static void take_in(scree_event_system* s, scree_spheres spheres, const double* v)
{
    const scree_event_def* def = &s->def;
    double r_max = 0.0, mass = 0.0;
    for (int32_t i = 0; i < s->n; ++i)
        r_max = fmax(r_max, spheres.r[i]);
    s->unit = s->n > 0 ? ilogb(r_max) : 0;
    for (int k = 0; k < s->dim; ++k) {
        s->length[k] = ldexp(def->box.upper[k] - def->box.lower[k], -s->unit);
        s->periodic[k] = def->box.periodic[k];
        s->walls = s->walls || !s->periodic[k];
        s->shortest = k == 0 ? s->length[0] : fmin(s->shortest, s->length[k]);
    }
    for (int c = 0; c < event_images; ++c) {
        int shift[3];
        scree_neighbour_shift(event_most_shift, c, shift);
        for (int k = 0; k < 3; ++k)
            s->offset[c][k] = shift[k] * s->length[k];
    }
    for (int32_t i = 0; i < s->n; ++i) {
        event_sphere* p = &s->line[i];
        *p = (event_sphere){.a = ldexp(spheres.r[i], -s->unit)};
        for (int k = 0; k < s->dim; ++k) {
            double x = scree_box_wrap(&def->box, k, spheres.x[(int64_t)i * s->dim + k], NULL);
            p->x[k] = ldexp(x - def->box.lower[k], -s->unit);
            p->v[k] = ldexp(v[(int64_t)i * s->dim + k], -s->unit);
        }
        s->id[i] = i;
        s->a_mean += p->a / s->n;
        s->a_max = fmax(s->a_max, p->a);
        double m = def->mass != NULL ? def->mass[i] : s->dim == 2 ? p->a * p->a : p->a * p->a * p->a;
        s->inverse_mass[i] = m;
        mass += m / s->n;
        const double pi = 3.14159265358979323846;
        double ball = s->dim == 2 ? pi * p->a * p->a : 4.0 / 3.0 * pi * p->a * p->a * p->a;
        s->volume += ball / (s->length[0] * s->length[1] * (s->dim == 3 ? s->length[2] : 1.0));
    }
    s->mass_unit = def->mass != NULL ? mass : 1.0;
    for (int32_t i = 0; i < s->n; ++i)
        s->inverse_mass[i] = mass / s->inverse_mass[i];
    s->scale = def->scale;
    s->rate = def->rate;
    s->scale_most = INFINITY;
    for (int k = 0; k < s->dim; ++k)
        if (s->n > 0)
            s->scale_most = fmin(s->scale_most, s->length[k] / (2.0 * s->a_max) * (1.0 - 1e-12));
    s->energy = event_energy(s);
}

// No two spheres overlap at the start. Only pairs of the lists could.
static scree_status check_overlaps(const scree_event_system* s)
{
    double scale = s->scale;
    for (int32_t i = 0; i < s->n; ++i) {
        const event_sphere* p = &s->line[i];
        for (int k = 0; k < s->dim; ++k)
            if (!s->periodic[k] && !(fmin(p->x[k], s->length[k] - p->x[k]) >= p->a * scale * (1.0 - 1e-9)))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 " overlaps a wall of axis %c by %g; expected no overlap", s->id[i], "xyz"[k],
                                  ldexp(p->a * scale - fmin(p->x[k], s->length[k] - p->x[k]), s->unit));
        const scree_neighbour_row row = s->rows.row[i];
        for (int64_t e = row.at; e < row.at + row.count; ++e) {
            int32_t j = s->rows.j[e];
            const event_sphere* q = &s->line[j];
            const double* offset = s->offset[s->rows.image[e]];
            double dx = (p->x[0] - q->x[0]) - offset[0], dy = (p->x[1] - q->x[1]) - offset[1], dz = (p->x[2] - q->x[2]) - offset[2];
            double distance = sqrt((dx * dx + dy * dy) + dz * dz), touch = (p->a + q->a) * scale;
            if (distance == 0.0)  // points, so far, that begin to grow
                return scree_fail(SCREE_ERR_ARGUMENT, "spheres %" PRId32 " and %" PRId32 " have the same centre; expected no overlap",
                                  s->id[i] < s->id[j] ? s->id[i] : s->id[j], s->id[i] < s->id[j] ? s->id[j] : s->id[i]);
            if (!(distance >= touch * (1.0 - 1e-9)))
                return scree_fail(SCREE_ERR_ARGUMENT, "spheres %" PRId32 " and %" PRId32 " overlap by %g; expected no overlap",
                                  s->id[i] < s->id[j] ? s->id[i] : s->id[j], s->id[i] < s->id[j] ? s->id[j] : s->id[i],
                                  ldexp(touch - distance, s->unit));
        }
    }
    return SCREE_OK;
}

static scree_status make(scree_event_system* s, scree_spheres spheres, const double* v, bool with_lists)
{
    scree_status status = reserve(s);
    if (status != SCREE_OK)
        return status;
    status = scree_watch_own("hard spheres", 0, 1);
    if (status != SCREE_OK)
        return status;
    take_in(s, spheres, v);
    status = event_cells_reserve(&s->cells, s->dim, s->length, s->periodic, s->n);
    if (status != SCREE_OK)
        return status;
    if (s->n > 0 && !(s->scale <= s->scale_most))
        return scree_fail(SCREE_ERR_ARGUMENT, "hard spheres: the largest, of diameter %g, does not fit in the box; expected spheres of at most its shortest side",
                          ldexp(2.0 * s->a_max * s->scale, s->unit));
    scree_index_def search = scree_default_index_def();
    search.method = s->def.method;
    search.box = (scree_box){.dim = s->dim};
    for (int k = 0; k < s->dim; ++k) {
        search.box.upper[k] = s->length[k];
        search.box.periodic[k] = s->periodic[k];
    }
    search.skin = -1.0;
    search.threads = s->def.threads;
    status = scree_index_create(&search, &s->index);
    scree_neighbour_lists_def lists = scree_default_neighbour_lists_def();
    lists.index = s->index;
    lists.images = event_most_shift;
    lists.threads = s->def.threads;
    if (status == SCREE_OK)
        status = scree_neighbour_lists_create(&lists, &s->lists);
    if (status == SCREE_OK && s->n > 0 && with_lists) {
        status = scree_watch_own("hard spheres", 0, 1);
        if (status == SCREE_OK)
            status = event_lists_make(s);
        if (status == SCREE_OK)
            status = scree_watch_own("hard spheres", 0, 1);
        if (status == SCREE_OK)
            status = check_overlaps(s);
        if (status == SCREE_OK)
            status = scree_watch_own("hard spheres", 0, 1);
        if (status == SCREE_OK)
            event_predict_all(s);
    }
    return status;
}

static scree_status create(const scree_event_def* def, scree_spheres spheres, const double* v, bool with_lists, scree_event_system** out)
{
    scree_status status = check_def(def);
    if (status == SCREE_OK)
        status = check_spheres(def, spheres, v);
    if (status != SCREE_OK)
        return status;
    scree_event_system* s = scree_calloc(1, sizeof *s);
    if (s == NULL)
        return SCREE_ERR_MEMORY;
    s->def = *def;
    s->dim = def->box.dim;
    s->n = spheres.count;
    s->heavy_row = event_heavy_row;
    s->wall_limit = INT64_MAX;
    status = make(s, spheres, v, with_lists);
    s->def.mass = NULL;  // the caller's
    if (status == SCREE_OK)
        *out = s;
    else
        scree_event_destroy(s);
    return status;
}

scree_status scree_event_create(const scree_event_def* def, scree_spheres spheres, const double* v, scree_event_system** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    return create(def, spheres, v, true, out);
}

scree_status event_create_bare(const scree_event_def* def, scree_spheres spheres, const double* v, scree_event_system** out)
{
    return create(def, spheres, v, false, out);
}

void scree_event_destroy(scree_event_system* s)
{
    if (s == NULL)
        return;
    scree_neighbour_lists_destroy(s->lists);
    scree_index_destroy(s->index);
    event_cells_free(&s->cells);
    scree_free(s->line_block);
    scree_free(s->inverse_mass);
    scree_free(s->reference);
    scree_free(s->id);
    scree_free(s->due);
    scree_free(s->calendar.heap);
    scree_free(s->calendar.first);
    scree_free(s->mark);
    scree_free(s->heavy);
    scree_free(s->near_heavy);
    scree_free(s->heavies);
    scree_free(s->agenda_j);
    scree_free(s->agenda_image);
    scree_free(s->flat);
    scree_free(s);
}

// ---- Changes of all ----------------------------------------------------------------------------------------------------

scree_status scree_event_set_temperature(scree_event_system* s, double temperature)
{
    SCREE_NEED_AS(s, "system");
    if (!(temperature > 0.0 && temperature <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "hard spheres: temperature = %g; expected above 0", temperature);
    event_settle(s);
    double is = scree_event_get_stats(s).temperature;
    double factor = is > 0.0 ? sqrt(temperature / is) : 1.0;
    for (int32_t i = 0; i < s->n; ++i)
        for (int k = 0; k < 3; ++k)
            s->line[i].v[k] *= factor;
    s->energy = event_energy(s);
    if (s->listed)
        event_predict_all(s);
    return SCREE_OK;
}

scree_status scree_event_set_rate(scree_event_system* s, double rate)
{
    SCREE_NEED_AS(s, "system");
    scree_status status = check_rate(rate);
    if (status != SCREE_OK)
        return status;
    event_settle(s);
    s->rate = rate;
    if (s->listed)
        event_predict_all(s);
    return SCREE_OK;
}

// ---- Looking on --------------------------------------------------------------------------------------------------------

void scree_event_get_state(const scree_event_system* s, double* x, double* v)
{
    SCREE_NEED_NAMED(s, "system", );
    const scree_box* box = &s->def.box;
    for (int32_t i = 0; i < s->n; ++i) {
        const event_sphere* p = &s->line[i];
        int64_t at = (int64_t)s->id[i] * s->dim;
        for (int k = 0; k < s->dim; ++k) {
            if (x != NULL) {
                double y = box->lower[k] + ldexp(p->x[k] + p->v[k] * (s->now - p->t), s->unit);
                x[at + k] = s->periodic[k] ? scree_box_wrap(box, k, y, NULL) : fmin(fmax(y, box->lower[k]), box->upper[k]);
            }
            if (v != NULL)
                v[at + k] = ldexp(p->v[k], s->unit);
        }
    }
}

SCREE_VALUE_OF(scree_event_stats, scree_event_get_stats, (const scree_event_system* s), (s))
{
    SCREE_NEED_NAMED(s, "system", (scree_event_stats){0});
    const event_work *w = &s->work, *from = &s->measured_at;
    double length = ldexp(1.0, s->unit), scale = event_scale_now(s), energy = event_energy(s);
    scree_event_stats out = {.n = s->n,
                             .time = s->epoch + s->now,
                             .scale = scale,
                             .density = s->volume * (s->dim == 2 ? scale * scale : scale * scale * scale),
                             .energy = energy * s->mass_unit * length * length,
                             .span = s->epoch + s->now - s->measured_from,
                             .collisions = w->collisions - from->collisions,
                             .wall_collisions = w->wall_collisions - from->wall_collisions,
                             .collision_rate = NAN,
                             .mean_free_time = NAN,
                             .reduced_pressure = NAN,
                             .predictions = w->predictions - from->predictions,
                             .tests = w->tests - from->tests,
                             .refreshes = w->refreshes - from->refreshes,
                             .rebuilds = w->rebuilds - from->rebuilds,
                             .entries = s->rows.entries,
                             .skin = ldexp(s->skin, s->unit)};
    for (int32_t i = 0; i < s->n; ++i)
        for (int k = 0; k < s->dim; ++k)
            out.momentum[k] += s->line[i].v[k] / s->inverse_mass[i] * s->mass_unit * length;
    if (s->n == 0)
        return out;
    out.temperature = 2.0 * out.energy / ((double)s->dim * s->n);
    if (out.span > 0.0) {
        double energy_sum = s->energy_sum + s->energy * (s->now - s->energy_time);
        out.collision_rate = 2.0 * (double)out.collisions / (s->n * out.span);
        out.mean_free_time = 1.0 / out.collision_rate;
        out.reduced_pressure = 1.0 + s->virial / (2.0 * energy_sum);  // dim n T span = 2 energy span
    }
    return out;
}

double event_wall_pressure(const scree_event_system* s)
{
    double energy_sum = s->energy_sum + s->energy * (s->now - s->energy_time);
    return s->wall_virial > 0.0 ? s->wall_virial / (2.0 * energy_sum) : 0.0;
}

void scree_event_reset_stats(scree_event_system* s)
{
    SCREE_NEED_NAMED(s, "system", );
    s->measured_at = s->work;
    s->measured_from = s->epoch + s->now;
    s->virial = s->wall_virial = 0.0;
    s->energy = event_energy(s);
    s->energy_time = s->now;
    s->energy_sum = 0.0;
}

// ---- Everything, slowly ------------------------------------------------------------------------------------------------

static scree_status wrong(const scree_event_system* s, const char* what, const char* wanted, int32_t i, int32_t j, double value)
{
    return scree_fail(SCREE_ERR_ARGUMENT, "hard spheres at time %g: spheres %" PRId32 ", %" PRId32 ": %s (%g); expected %s", s->epoch + s->now,
                      s->id[i], j >= 0 ? s->id[j] : -1, what, value, wanted);
}

static int listed_times(const scree_event_system* s, int32_t i, int32_t j, int32_t image)
{
    int times = 0;
    const scree_neighbour_row row = s->rows.row[i];
    for (int64_t e = row.at; e < row.at + row.count; ++e)
        times += s->rows.j[e] == j && s->rows.image[e] == image;
    return times;
}

// All images that may touch or be listed: two to either side of the nearest.
static scree_status validate_pair(const scree_event_system* s, int32_t i, int32_t j)
{
    const event_sphere *p = &s->line[i], *q = &s->line[j];
    double d[3], between[3], scale = event_scale_now(s);
    int nearest[3] = {0, 0, 0}, side[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        d[k] = (p->x[k] + p->v[k] * (s->now - p->t)) - (q->x[k] + q->v[k] * (s->now - q->t));
        between[k] = s->reference[i][k] - s->reference[j][k];
        if (s->periodic[k]) {
            nearest[k] = (int)round(d[k] / s->length[k]);
            side[k] = 2;
        }
    }
    for (int a = nearest[0] - side[0]; a <= nearest[0] + side[0]; ++a)
        for (int b = nearest[1] - side[1]; b <= nearest[1] + side[1]; ++b)
            for (int c = nearest[2] - side[2]; c <= nearest[2] + side[2]; ++c) {
                const double offset[3] = {a * s->length[0], b * s->length[1], c * s->length[2]};
                double now = 0.0, reference = 0.0;
                for (int k = 0; k < 3; ++k) {
                    now += (d[k] - offset[k]) * (d[k] - offset[k]);
                    reference += (between[k] - offset[k]) * (between[k] - offset[k]);
                }
                double touch = (p->a + q->a) * scale;
                if (!(sqrt(now) >= touch * (1.0 - 1e-10)))
                    return wrong(s, "they overlap", "none", i, j, sqrt(now) / touch - 1.0);
                double gap = sqrt(reference) - (p->a + q->a) * s->list_scale, skin = s->reference[i][3] + s->reference[j][3];
                int wanted = gap < skin ? 1 : gap > skin * (1.0 + 1e-6) ? 0 : -1;
                if (wanted >= 0 && listed_times(s, i, j, event_here + a + event_wide * (b + event_wide * c)) != wanted)
                    return wrong(s, wanted == 1 ? "not listed once" : "listed, and too far away", "each near pair once", i, j, gap / skin);
            }
    return SCREE_OK;
}

scree_status scree_event_validate(scree_event_system* s)
{
    SCREE_NEED_AS(s, "system");
    if (!s->listed || s->n == 0)
        return SCREE_OK;
    scree_status rows = scree_neighbour_lists_validate(s->lists);
    if (rows != SCREE_OK)
        return rows;
    double scale = event_scale_now(s);
    scree_patience patience = {.watch = scree_get_watch()};
    for (int32_t i = 0; i < s->n; ++i) {
        const event_sphere* p = &s->line[i];
        double x[3], away = 0.0;
        if (!scree_patience_lasts(&patience, 64 * (int64_t)s->n, (double)i / s->n))
            return scree_fail(SCREE_ERR_CANCELLED, "hard spheres: stopped on request");
        for (int k = 0; k < 3; ++k) {
            x[k] = p->x[k] + p->v[k] * (s->now - p->t);
            away += (x[k] - s->reference[i][k]) * (x[k] - s->reference[i][k]);
            if (k < s->dim && !s->periodic[k] && !(fmin(x[k], s->length[k] - x[k]) >= p->a * scale * (1.0 - 1e-10)))
                return wrong(s, "outside of the box", "it inside", i, -1, x[k]);
        }
        if (!(sqrt(away) <= s->reference[i][3] * (1.0 + 1e-9)))
            return wrong(s, "too far from its reference", "at most its skin", i, -1, sqrt(away));
        if (s->due[i].t < s->now)
            return wrong(s, "an event in the past", "later ones", i, -1, s->due[i].t);
        for (int32_t j = 0; j < s->n; ++j) {
            scree_status status = j == i ? SCREE_OK : validate_pair(s, i, j);
            if (status != SCREE_OK)
                return status;
        }
    }
    return SCREE_OK;
}
