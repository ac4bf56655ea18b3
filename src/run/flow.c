// Inserting and removing spheres during a run: `insert` and `outlets` of the scene.
//
// Both are handled at multiples of their every_steps, before the row of the log and the frame of that step: the spheres whose centres are in an outlet are found, then
// the spheres that are due are placed, and one exchange of the simulation does both. The number that is due follows from time alone. The radius of a sphere is drawn by (seed, entry, number), and the positions
// tried for it by (seed, entry, number, step), so nothing depends on threads or methods, and a resumed run does the same. A sphere that does not fit waits, with all spheres after it,
// until the next time.
//
// Time step, stiffness and everything else that follows from sizes are computed from ranges: the smallest and the largest radius of each group and material, at the start and in the size
// distributions. Checkpoints contain these ranges, because the spheres that they came from may have been removed.
#include "run/flow.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/pi.h"
#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { tries_most = 1000 };          // for one sphere at one step
static const double tail = 1e-3;     // shares of unbounded size distributions that are left out at both ends
static const double giant_ratio = 64.0;

bool run_has_flow(const scree_run* run)
{
    return run->flow != NULL;
}

void run_flow_free(run_flow* flow)
{
    if (flow == NULL)
        return;
    for (int64_t n = 0; n < flow->inlet_count && flow->inlets != NULL; ++n) {
        scree_space_close(&flow->inlets[n].space);
        scree_sizes_destroy(flow->inlets[n].sizes);
    }
    for (int64_t n = 0; n < flow->outlet_count && flow->outlets != NULL; ++n)
        scree_space_close(&flow->outlets[n]);
    for (int64_t n = 0; n < flow->name_count && flow->names != NULL; ++n)
        scree_free(flow->names[n]);
    scree_free(flow->inlets);
    scree_free(flow->outlets);
    scree_free(flow->gone);
    scree_free(flow->gone_mass);
    scree_free(flow->crossed);
    scree_free(flow->back);
    scree_free(flow->ranges);
    scree_free(flow->names);
    scree_free(flow->ids);
    scree_free(flow->r);
    scree_free(flow->density);
    scree_free(flow->material);
    scree_free(flow->fixed);
    scree_sphere_set_free(&flow->sample);
    scree_free(flow);
}

// ---- Making ----------------------------------------------------------------------------------------------------------------

static double density_of(const scree_scene* scene, int64_t group, int64_t material)
{
    return scene->material_count > 0 ? scene->materials[material].material_density : scree_scene_get_entry(scene, group).material_density;
}

static double mass_of(int32_t dim, double density, double r)
{
    return dim == 2 ? density * pi * (r * r) : density * (4.0 / 3.0) * pi * (r * r * r);
}

static scree_status open_inlet(const scree_scene* scene, int64_t n, run_inlet* inlet)
{
    const scree_scene_insert* insert = &scene->inserts[n];
    int32_t dim = scene->sim.box.dim;
    scree_status status = scree_space_open(&insert->region, dim, &inlet->space);
    if (status == SCREE_OK)
        status = scree_read_sizes(scree_scene_get_entry(scene, insert->group).sizes_text, dim, &inlet->sizes);
    if (status != SCREE_OK)
        return scree_scene_locate(scene, status, "insert", n);
    inlet->u[0] = scree_sizes_get_min(inlet->sizes) > 0.0 ? 0.0 : tail;
    inlet->u[1] = scree_sizes_get_max(inlet->sizes) < INFINITY ? 1.0 : 1.0 - tail;
    return SCREE_OK;
}

static scree_status add_name(run_flow* flow, const char* before, const char* name, int64_t number, const char* of, int64_t group)
{
    char text[256], which[80], whose[80] = "";
    snprintf(which, sizeof which, name != NULL ? "%s" : "%s%" PRId64, name != NULL ? name : "", number);
    if (group >= 0)
        snprintf(whose, sizeof whose, of != NULL ? "_%s" : "_%s%" PRId64, of != NULL ? of : "", group);
    snprintf(text, sizeof text, "%s_%s%s", before, which, whose);
    char* copy = scree_malloc(strlen(text) + 1, 1);
    if (copy == NULL)
        return SCREE_ERR_MEMORY;
    strcpy(copy, text);
    flow->names[flow->name_count++] = copy;
    return SCREE_OK;
}

static scree_status make_names(const scree_scene* scene, run_flow* flow)
{
    flow->names = scree_calloc((size_t)(flow->inlet_count + (flow->outlet_count + flow->crossing_count) * flow->group_count) + 1, sizeof *flow->names);
    scree_status status = flow->names == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int64_t n = 0; n < flow->inlet_count && status == SCREE_OK; ++n)
        status = add_name(flow, "inserted", scene->inserts[n].name, n, NULL, -1);
    for (int64_t n = 0; n < flow->outlet_count; ++n)
        for (int64_t g = 0; g < flow->group_count && status == SCREE_OK; ++g)
            status = add_name(flow, "removed", scene->outlets[n].name, n, scree_scene_get_entry(scene, g).name, flow->group_count > 1 ? g : -1);
    for (int64_t g = 0; g < flow->group_count && status == SCREE_OK && scene->walls_on_crossing == 1; ++g)
        status = add_name(flow, "crossed", "walls", -1, scree_scene_get_entry(scene, g).name, flow->group_count > 1 ? g : -1);
    for (int64_t n = 0; n < scene->surface_count; ++n)
        for (int64_t g = 0; g < flow->group_count && status == SCREE_OK && scene->surfaces[n].on_crossing == 1; ++g)
            status = add_name(flow, "crossed", scene->surfaces[n].name, n, scree_scene_get_entry(scene, g).name, flow->group_count > 1 ? g : -1);
    return status;
}

static run_flow* make_flow(const scree_scene* scene)
{
    run_flow* flow = scree_calloc(1, sizeof *flow);
    if (flow == NULL)
        return NULL;
    flow->inlet_count = scene->insert_count;
    flow->outlet_count = scene->outlet_count;
    flow->group_count = scree_scene_group_count(scene);
    flow->crossing_count = scene->walls_on_crossing == 1;
    for (int64_t n = 0; n < scene->surface_count; ++n)
        flow->crossing_count += scene->surfaces[n].on_crossing == 1;
    flow->crossed = scree_calloc((size_t)(flow->crossing_count * flow->group_count), sizeof *flow->crossed);
    flow->done = -1;
    size_t tallies = (size_t)(flow->outlet_count * flow->group_count);
    flow->inlets = scree_calloc((size_t)flow->inlet_count, sizeof *flow->inlets);
    flow->outlets = scree_calloc((size_t)flow->outlet_count, sizeof *flow->outlets);
    flow->gone = scree_calloc(tallies, sizeof *flow->gone);
    flow->gone_mass = scree_calloc(tallies, sizeof *flow->gone_mass);
    flow->back = scree_calloc((size_t)flow->outlet_count, sizeof *flow->back);
    if (flow->inlets != NULL && flow->outlets != NULL && flow->gone != NULL && flow->gone_mass != NULL && flow->back != NULL && flow->crossed != NULL)
        return flow;
    run_flow_free(flow);
    return NULL;
}

static scree_status add_range(run_flow* flow, int64_t group, int64_t material, double r)
{
    for (int64_t n = 0; n < flow->range_count; ++n) {
        run_range* range = &flow->ranges[n];
        if (range->group != group || range->material != material)
            continue;
        range->least = fmin(range->least, r);
        range->most = fmax(range->most, r);
        return SCREE_OK;
    }
    if (scree_resize(&flow->ranges, flow->range_count + 1, sizeof *flow->ranges) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    flow->ranges[flow->range_count++] = (run_range){.group = group, .material = material, .least = r, .most = r};
    return SCREE_OK;
}

// Of the spheres at the start, then of what may come.
static scree_status find_ranges(const scree_run* run, const scree_scene* scene, run_flow* flow)
{
    scree_status status = SCREE_OK;
    const scree_sim_each* each = &run->each.each;
    for (int32_t i = 0; i < run->set.count && status == SCREE_OK; ++i) {
        int64_t group = each->group != NULL ? each->group[i] : 0;
        status = add_range(flow, group, scree_scene_get_entry(scene, group).material, run->set.r[i]);
    }
    for (int64_t n = 0; n < flow->inlet_count; ++n)
        for (int k = 0; k < 2 && status == SCREE_OK; ++k)
            status = add_range(flow, scene->inserts[n].group, scree_scene_get_entry(scene, scene->inserts[n].group).material, scree_sizes_quantile(flow->inlets[n].sizes, flow->inlets[n].u[k]));
    return status;
}

// What has become due by a time, with so many changes: their rates count from them on.
static double due_until(const scree_scene* scene, int64_t changes, int64_t n, double time)
{
    double due = 0.0, begin = 0.0;
    for (int64_t c = 0; c <= changes; ++c) {
        bool last = c == changes;
        if (!last && !scene->changes[c].sets_flow)
            continue;
        const scree_scene_insert* insert = &scree_scene_from(scene, c - 1)->inserts[n];
        double end = last ? time : fmin(time, scene->changes[c].due), from = fmax(begin, insert->start);
        if (insert->end > 0.0)
            end = fmin(end, insert->end);
        if (end > from && !insert->closed)
            due += (insert->rate > 0.0 ? insert->rate : insert->mass_rate) * (end - from);
        begin = last ? begin : scene->changes[c].due;
    }
    return due;
}

// So many spheres are inserted at most until the end; entries that are limited by mass or by room only are not counted.
static int64_t count_coming(const scree_scene* scene, const run_flow* flow)
{
    double until = scene->end > 0.0 ? scene->end : scene->sim.time_step > 0.0 && scene->steps >= 0 ? (double)scene->steps * scene->sim.time_step : INFINITY;
    int64_t coming = 0;
    for (int64_t n = 0; n < scene->insert_count; ++n) {
        double limit = 0.0;
        bool by_number = true;
        for (int64_t c = -1; c < scene->change_count; ++c) {
            const scree_scene_insert* insert = &scree_scene_from(scene, c)->inserts[n];
            limit = insert->count == 0 ? INFINITY : fmax(limit, (double)insert->count);
            by_number = by_number && insert->rate > 0.0;
        }
        if (by_number)
            limit = fmin(limit, due_until(scene, scene->change_count, n, until));
        limit -= (double)flow->inlets[n].placed;
        if (limit > 0.0 && limit < (double)INT32_MAX)
            coming += (int64_t)limit;
    }
    return coming;
}

// The ends of all ranges, as spheres that may come.
static scree_status make_later(const scree_scene* scene, run_flow* flow)
{
    size_t count = 2 * (size_t)flow->range_count;
    flow->r = scree_malloc(count, sizeof *flow->r);
    flow->density = scree_malloc(count, sizeof *flow->density);
    flow->material = scree_malloc(count, sizeof *flow->material);
    flow->fixed = scree_malloc(count, sizeof *flow->fixed);
    scree_column* group;
    scree_status status = scree_sphere_set_make(scene->sim.box.dim, (int32_t)count, &flow->sample);
    if (status == SCREE_OK)
        status = scree_sphere_set_add(&flow->sample, "group", SCREE_COLUMN_INT64, 1, &group);
    if (status != SCREE_OK || flow->r == NULL || flow->density == NULL || flow->material == NULL || flow->fixed == NULL)
        return SCREE_ERR_MEMORY;
    for (size_t e = 0; e < count; ++e) {
        const run_range* range = &flow->ranges[e / 2];
        flow->r[e] = flow->sample.r[e] = e % 2 == 0 ? range->least : range->most;
        flow->density[e] = density_of(scene, range->group, range->material);
        flow->material[e] = (uint16_t)range->material;
        flow->fixed[e] = scree_scene_get_entry(scene, range->group).fixed;
        group->integers[e] = range->group;
    }
    flow->later = scree_default_sim_later();
    flow->later.count = (int32_t)count;
    flow->later.r = flow->r;
    flow->later.material_density = flow->density;
    flow->later.material = flow->material;
    flow->later.fixed = flow->fixed;
    flow->later.most = count_coming(scene, flow);
    return SCREE_OK;
}

scree_status run_flow_make(scree_run* run, const scree_scene* scene)
{
    if (!scree_scene_flows(scene))
        return SCREE_OK;
    run_flow* flow = run->flow != NULL ? run->flow : (run->flow = make_flow(scene));
    scree_status status = flow != NULL ? make_names(scene, flow) : SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < scene->insert_count && status == SCREE_OK; ++n)
        status = open_inlet(scene, n, &flow->inlets[n]);
    for (int64_t n = 0; n < scene->outlet_count && status == SCREE_OK; ++n)
        status = scree_scene_locate(scene, scree_space_open(&scene->outlets[n].region, scene->sim.box.dim, &flow->outlets[n]), "outlets", n);
    if (status == SCREE_OK && flow->range_count == 0)
        status = find_ranges(run, scene, flow);
    if (status == SCREE_OK)
        status = make_later(scene, flow);
    if (status == SCREE_OK) {
        flow->sample.has_box = true;
        flow->sample.box = run->set_box;
        flow->sample.container = run->set.container;
    }
    return status;
}

void run_flow_define(const scree_run* run, const scree_scene* scene, scree_sim_def* def)
{
    const run_flow* flow = run->flow;
    if (flow == NULL)
        return;
    def->later = &flow->later;
    if (def->giants == 0.0 && run->kept_giants > 0.0)
        def->giants = run->kept_giants;
    else if (def->giants == 0.0 && run->set.count == 0 && scene->insert_count > 0)
        def->giants = giant_ratio * scree_sizes_quantile(flow->inlets[0].sizes, 0.5);
}

const scree_sphere_set* run_flow_sample(const scree_run* run)
{
    return run->flow != NULL ? &run->flow->sample : &run->set;
}

// ---- When ------------------------------------------------------------------------------------------------------------------

// As changes have set it until now.
static const scree_scene_insert* insert_now(const scree_run* run, int64_t n)
{
    return &scree_scene_from(&run->scene, run->change - 1)->inserts[n];
}

static bool outlet_is_closed(const scree_run* run, int64_t n)
{
    return scree_scene_from(&run->scene, run->change - 1)->outlets[n].closed;
}

static int64_t after(int64_t step, int64_t every)
{
    return (step / every + 1) * every;
}

int64_t run_flow_next(const scree_run* run)
{
    int64_t step = run_sim_step(run), next = INT64_MAX;
    for (int64_t n = 0; run->flow != NULL && n < run->scene.insert_count; ++n) {
        const scree_scene_insert* insert = insert_now(run, n);
        int64_t at = after(step, insert->every_steps);
        bool full = insert->closed || (insert->count > 0 && run->flow->inlets[n].placed >= insert->count);
        if (!full && at < next)
            next = at;
    }
    for (int64_t n = 0; run->flow != NULL && n < run->scene.outlet_count; ++n) {
        int64_t at = after(step, run->scene.outlets[n].every_steps);
        next = at < next ? at : next;
    }
    return next;
}

// ---- What happens at a step ------------------------------------------------------------------------------------------------

// Those that come, with what each has.
typedef struct coming {
    int64_t count, capacity[8];
    double *x, *r, *v, *density, *force;
    int64_t* id;
    uint16_t *material, *group;
} coming;

// Spheres in an outlet, and those that are in the way where spheres come in, by rising id.
typedef struct near_spheres {
    int64_t count, capacity[6];
    double *x, *r;
    int64_t* id;
    uint16_t* group;         // NULL: one
    uint8_t* flags;          // NULL: none is fixed
    uint8_t* goes;
} near_spheres;

typedef struct step_work {
    scree_run* run;
    near_spheres all;        // that matter at this step
    int64_t next_id;
    coming in;
    int64_t* out;            // ids
    int64_t out_count;
    scree_patience patience;
    int32_t stops;           // how often it was asked to stop
} step_work;

enum { place_units = 512, look_units = 64 };  // for one try at a place, and to look at one sphere

// False: somebody wants the run to stop, and did so some time ago. Few spheres are inserted all the same, so that the
// run can stop at this step, with a checkpoint.
static bool goes_on(step_work* w, int64_t units)
{
    enum { stops_most = 64 };
    w->stops += !scree_patience_lasts(&w->patience, units, 0.0);
    return w->stops < stops_most;
}

static scree_status fail_stopped(const step_work* w)
{
    return scree_fail(SCREE_ERR_CANCELLED, "stopped on request at step %" PRId64 ", while spheres were inserted and removed", run_sim_step(w->run));
}

static void free_near(near_spheres* all)
{
    scree_free(all->x);
    scree_free(all->r);
    scree_free(all->id);
    scree_free(all->group);
    scree_free(all->flags);
    scree_free(all->goes);
    *all = (near_spheres){.count = 0};
}

static void free_work(step_work* w)
{
    free_near(&w->all);
    scree_free(w->out);
    scree_free(w->in.x);
    scree_free(w->in.r);
    scree_free(w->in.v);
    scree_free(w->in.density);
    scree_free(w->in.force);
    scree_free(w->in.id);
    scree_free(w->in.material);
    scree_free(w->in.group);
}

static bool has_column(const scree_sim* sim, const char* name)
{
    enum { most = 64 };
    scree_sim_column columns[most];
    int32_t count = scree_sim_get_columns(sim, columns, most);
    for (int32_t c = 0; c < count && c < most; ++c)
        if (strcmp(columns[c].name, name) == 0)
            return true;
    return false;
}

// Arrays of so many, with the columns that the simulation has. MEMORY
static scree_status reserve_near(near_spheres* all, int64_t dim, int64_t count, bool groups, bool flags)
{
    return SCREE_RESERVE(all->x, all->capacity[0], count * dim) != SCREE_OK || SCREE_RESERVE(all->r, all->capacity[1], count) != SCREE_OK || SCREE_RESERVE(all->id, all->capacity[2], count) != SCREE_OK ||
                   SCREE_RESERVE(all->goes, all->capacity[3], count) != SCREE_OK || (groups && SCREE_RESERVE(all->group, all->capacity[4], count) != SCREE_OK) ||
                   (flags && SCREE_RESERVE(all->flags, all->capacity[5], count) != SCREE_OK)
               ? SCREE_ERR_MEMORY
               : SCREE_OK;
}

static bool outlet_is_due(const scree_run* run, int64_t n, int64_t step)
{
    return step % run->scene.outlets[n].every_steps == 0 && !outlet_is_closed(run, n);
}

// The entry of `insert` to which spheres of an outlet go; -1: they are removed.
static int64_t entry_after(const scree_scene* scene, int64_t outlet)
{
    int64_t into = -1;
    for (int64_t k = 0; k < scene->insert_count && scene->outlets[outlet].into != NULL; ++k)
        into = scene->inserts[k].name != NULL && strcmp(scene->inserts[k].name, scene->outlets[outlet].into) == 0 ? k : into;
    return into;
}

// Rooms of all entries of `insert`, empty, for the largest spheres that there are and may come. MEMORY
static scree_status open_rooms(const scree_run* run, run_room** out)
{
    const double most = scree_sim_get_numbers(run->sim).radius_max;
    const scree_box box = scree_sim_get_box(run->sim);
    *out = scree_calloc((size_t)run->flow->inlet_count + 1, sizeof **out);
    for (int64_t n = 0; n < run->flow->inlet_count && *out != NULL; ++n) {
        const run_inlet* inlet = &run->flow->inlets[n];
        run_room_open(&(*out)[n], &inlet->space, &box, fmax(most, scree_sizes_quantile(inlet->sizes, inlet->u[1])));
    }
    return *out != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
}

static bool matters(const scree_run* run, run_room* rooms, const scree_box* box, const double* x, double r)
{
    double at[3] = {0.0, 0.0, 0.0};
    memcpy(at, x, (size_t)box->dim * sizeof *at);
    scree_box_wrap_centre(box, at, NULL);
    for (int64_t n = 0; n < run->flow->outlet_count; ++n)
        if (scree_space_has(&run->flow->outlets[n], at))
            return true;
    for (int64_t n = 0; n < run->flow->inlet_count; ++n)
        if (run_room_meets(&rooms[n], x, r))
            return true;
    return false;
}

// All spheres are looked at, some at a time.
static scree_status find_near(step_work* w, near_spheres* out)
{
    scree_run* run = w->run;
    enum { slice = 1 << 15 };
    const scree_sim* sim = run->sim;
    const scree_box box = scree_sim_get_box(sim);
    const int64_t n = scree_sim_get_count(sim), dim = run->set.dim;
    const bool groups = has_column(sim, "group"), flags = has_column(sim, "flags");
    near_spheres some = {.count = 0};
    run_room* rooms = NULL;
    scree_status status = open_rooms(run, &rooms);
    if (status == SCREE_OK)
        status = reserve_near(&some, dim, n < slice ? n + 1 : slice, groups, flags);
    for (int64_t first = 0; first < n && status == SCREE_OK; first += slice) {
        const int64_t count = n - first < slice ? n - first : slice;
        const scree_sim_values columns[] = {{"x", some.x}, {"radius", some.r}, {"id", some.id}, {groups ? "group" : "flags", groups ? (void*)some.group : some.flags}, {"flags", some.flags}};
        status = scree_sim_get_rows(sim, first, count, 3 + groups + flags, columns);
        for (int64_t i = 0; i < count && status == SCREE_OK; ++i) {
            if (!goes_on(w, look_units))
                status = fail_stopped(w);
            if (status != SCREE_OK || !matters(run, rooms, &box, some.x + i * dim, some.r[i]))
                continue;
            int64_t to = out->count;
            status = reserve_near(out, dim, to + 1, groups, flags);
            if (status != SCREE_OK)
                break;
            memcpy(out->x + to * dim, some.x + i * dim, (size_t)dim * sizeof *out->x);
            out->r[to] = some.r[i];
            out->id[to] = some.id[i];
            out->goes[to] = 0;
            if (groups)
                out->group[to] = some.group[i];
            if (flags)
                out->flags[to] = some.flags[i];
            ++out->count;
        }
    }
    free_near(&some);
    scree_free(rooms);
    return status;
}

static scree_status begin_work(scree_run* run, step_work* w)
{
    scree_sim_state state = {0};
    *w = (step_work){.run = run, .patience = {.watch = run_slow_watch(run, "inserting spheres")}};
    scree_status status = find_near(w, &w->all);
    w->out = status == SCREE_OK ? scree_malloc((size_t)w->all.count + 1, sizeof *w->out) : NULL;
    if (status == SCREE_OK && w->out == NULL)
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = scree_sim_get_state(run->sim, &state);
    if (status == SCREE_OK)
        w->next_id = state.flow->next_id;
    return status;
}

// The external force on spheres of a group at this moment: that of the scene, or of the last change.
static void force_of(const scree_run* run, int64_t group, double force[3])
{
    memcpy(force, scree_scene_get_entry(&run->scene, group).force, 3 * sizeof *force);
    for (int64_t c = 0; c < run->change; ++c)
        for (int32_t f = 0; f < run->scene.changes[c].force_count; ++f)
            if (run->scene.changes[c].forces[f].group == group)
                memcpy(force, run->scene.changes[c].forces[f].force, 3 * sizeof *force);
}

static scree_status take_one(step_work* w, int64_t id, int64_t group, const double* x, double r, const double velocity[3])
{
    const scree_scene* scene = &w->run->scene;
    coming* in = &w->in;
    int64_t n = in->count, dim = w->run->set.dim;
    double force[3];
    if (SCREE_RESERVE(in->x, in->capacity[0], (n + 1) * dim) != SCREE_OK || SCREE_RESERVE(in->v, in->capacity[1], (n + 1) * dim) != SCREE_OK ||
        SCREE_RESERVE(in->force, in->capacity[2], (n + 1) * dim) != SCREE_OK || SCREE_RESERVE(in->r, in->capacity[3], n + 1) != SCREE_OK ||
        SCREE_RESERVE(in->density, in->capacity[4], n + 1) != SCREE_OK || SCREE_RESERVE(in->id, in->capacity[5], n + 1) != SCREE_OK ||
        SCREE_RESERVE(in->material, in->capacity[6], n + 1) != SCREE_OK || SCREE_RESERVE(in->group, in->capacity[7], n + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    int64_t material = scree_scene_get_entry(scene, group).material;
    force_of(w->run, group, force);
    memcpy(in->x + n * dim, x, (size_t)dim * sizeof *x);
    memcpy(in->v + n * dim, velocity, (size_t)dim * sizeof *velocity);
    memcpy(in->force + n * dim, force, (size_t)dim * sizeof *force);
    in->r[n] = r;
    in->density[n] = density_of(scene, group, material);
    in->id[n] = id;
    in->material[n] = (uint16_t)material;
    in->group[n] = (uint16_t)group;
    ++in->count;
    return SCREE_OK;
}

// The stream of random numbers for one sphere at one step; entries of outlets come after the entries of insert.
static scree_rng stream_of(const scree_run* run, int64_t entry, int64_t number, int64_t step)
{
    scree_rng outer = scree_rng_make(run->scene.seed, (UINT64_C(1) << 42) + (uint64_t)entry);
    scree_rng inner = scree_rng_make(scree_rng_bits(&outer), (uint64_t)number);
    return scree_rng_make(scree_rng_bits(&inner), (uint64_t)(step + 1));
}

static scree_status open_room(step_work* w, const scene_space* space, double most, run_room* room)
{
    scree_box box = scree_sim_get_box(w->run->sim);
    int64_t dim = w->run->set.dim;
    scree_status status = SCREE_OK;
    run_room_open(room, space, &box, most);
    for (int64_t i = 0; i < w->all.count && status == SCREE_OK; ++i) {
        if (!w->all.goes[i])
            status = run_room_add(room, w->all.x + i * dim, w->all.r[i]);
        if (status == SCREE_OK && !goes_on(w, place_units))
            status = fail_stopped(w);
    }
    for (int64_t i = 0; i < w->in.count && status == SCREE_OK; ++i)
        status = run_room_add(room, w->in.x + i * dim, w->in.r[i]);
    return status;
}

// *found: whether there is one. CANCELLED
static scree_status find_place(step_work* w, const run_room* room, double r, scree_rng rng, double x[3], bool* found)
{
    scree_box box = scree_sim_get_box(w->run->sim);
    *found = false;
    for (int t = 0; t < tries_most; ++t) {
        if (!goes_on(w, place_units))
            return fail_stopped(w);
        scree_space_draw(room->space, r, &rng, x);
        bool inside = true;
        double wrapped[3] = {0.0, 0.0, 0.0};
        memcpy(wrapped, x, (size_t)box.dim * sizeof *wrapped);
        scree_box_wrap_centre(&box, wrapped, NULL);
        for (int k = 0; k < box.dim; ++k)
            inside = inside && (box.periodic[k] || (x[k] - r >= box.lower[k] && x[k] + r <= box.upper[k]));
        if (!inside || !scree_space_holds(room->space, x, r) || !run_room_is_free(room, x, r) || !(scree_sim_clearance(w->run->sim, wrapped) >= r))
            continue;
        memcpy(x, wrapped, sizeof wrapped);
        *found = true;
        return SCREE_OK;
    }
    return SCREE_OK;
}

// ---- Out -------------------------------------------------------------------------------------------------------------------

static scree_status go_out(step_work* w, int64_t n)
{
    scree_run* run = w->run;
    const scree_scene* scene = &run->scene;
    run_flow* flow = run->flow;
    near_spheres* all = &w->all;
    const int64_t dim = run->set.dim, into = entry_after(scene, n), step = run_sim_step(run);
    scree_box box = scree_sim_get_box(run->sim);
    run_room room = {0};
    scree_status status = SCREE_OK;
    for (int64_t i = 0; i < all->count && status == SCREE_OK; ++i) {
        double at[3] = {0.0, 0.0, 0.0}, to[3] = {0.0, 0.0, 0.0};
        memcpy(at, all->x + i * dim, (size_t)dim * sizeof *at);
        scree_box_wrap_centre(&box, at, NULL);
        if (all->goes[i] || (all->flags != NULL && (all->flags[i] & 1) != 0) || !scree_space_has(&flow->outlets[n], at))
            continue;
        int64_t group = all->group != NULL ? all->group[i] : 0;
        all->goes[i] = 1;
        if (into >= 0) {
            if (room.space == NULL)
                status = open_room(w, &flow->inlets[into].space, scree_sim_get_numbers(run->sim).radius_max, &room);
            bool found = false;
            if (status == SCREE_OK)
                status = find_place(w, &room, all->r[i], stream_of(run, scene->insert_count + n, all->id[i], step), to, &found);
            if (status == SCREE_OK && !found) {
                all->goes[i] = 0;  // it stays until there is a place
                continue;
            }
            if (status == SCREE_OK)
                status = run_room_add(&room, to, all->r[i]);
            if (status == SCREE_OK)
                status = take_one(w, all->id[i], group, to, all->r[i], insert_now(run, into)->velocity);
        }
        if (status != SCREE_OK)
            break;
        w->out[w->out_count++] = all->id[i];
        flow->back[n] += into >= 0;
        flow->gone[n * flow->group_count + group] += 1;
        flow->gone_mass[n * flow->group_count + group] += mass_of((int32_t)dim, density_of(scene, group, scree_scene_get_entry(scene, group).material), all->r[i]);
    }
    run_room_close(&room);
    return status;
}

// ---- In --------------------------------------------------------------------------------------------------------------------

static double radius_of(const scree_run* run, int64_t n, int64_t number)
{
    const run_inlet* inlet = &run->flow->inlets[n];
    scree_rng rng = stream_of(run, n, number, -1);
    return scree_sizes_quantile(inlet->sizes, inlet->u[0] + (inlet->u[1] - inlet->u[0]) * scree_rng_uniform(&rng));
}

static scree_status come_in(step_work* w, int64_t n)
{
    scree_run* run = w->run;
    const scree_scene_insert* insert = insert_now(run, n);
    run_inlet* inlet = &run->flow->inlets[n];
    int64_t step = run_sim_step(run);
    double time = run_time_of(run, step);
    bool by_number = insert->rate > 0.0, by_mass = insert->mass_rate > 0.0;
    double due = by_number || by_mass ? due_until(&run->scene, run->change, n, time) : 0.0;
    int64_t material = scree_scene_get_entry(&run->scene, insert->group).material;
    double density = density_of(&run->scene, insert->group, material);
    inlet->waiting = 0;
    if (insert->closed || time < insert->start || (insert->end > 0.0 && time > insert->end && !by_number && !by_mass))
        return SCREE_OK;
    run_room room = {0};
    scree_status status = SCREE_OK;
    while (status == SCREE_OK && (insert->count == 0 || inlet->placed < insert->count)) {
        if ((by_number && (double)(inlet->placed + 1) > due) || (by_mass && inlet->mass >= due))
            break;
        double r = radius_of(run, n, inlet->placed), x[3] = {0.0, 0.0, 0.0};
        if (room.space == NULL)
            status = open_room(w, &inlet->space, scree_sizes_quantile(inlet->sizes, inlet->u[1]), &room);
        if (status != SCREE_OK)
            break;
        bool found;
        status = find_place(w, &room, r, stream_of(run, n, inlet->placed, step), x, &found);
        if (status != SCREE_OK)
            break;
        if (!found) {
            inlet->waiting = by_number ? (int64_t)fmin(due, SCREE_RUN_STEPS_MOST) - inlet->placed : by_mass ? 1 : insert->count - inlet->placed;
            break;
        }
        status = run_room_add(&room, x, r);
        if (status == SCREE_OK)
            status = take_one(w, w->next_id++, insert->group, x, r, insert->velocity);
        if (status == SCREE_OK) {
            ++inlet->placed;
            inlet->mass += mass_of(run->set.dim, density, r);
        }
    }
    run_room_close(&room);
    return status;
}

// ---- Both ------------------------------------------------------------------------------------------------------------------

// Ids rise in what the simulation takes.
static void sort_coming(coming* in, int64_t dim)
{
    for (int64_t a = 1; a < in->count; ++a)
        for (int64_t b = a; b > 0 && in->id[b - 1] > in->id[b]; --b) {
#define EXCHANGE(type, array, wide)                                  \
    for (int64_t k = 0; k < (wide); ++k) {                           \
        type kept = in->array[(b - 1) * (wide) + k];                 \
        in->array[(b - 1) * (wide) + k] = in->array[b * (wide) + k]; \
        in->array[b * (wide) + k] = kept;                            \
    }
            EXCHANGE(double, x, dim)
            EXCHANGE(double, v, dim)
            EXCHANGE(double, force, dim)
            EXCHANGE(double, r, 1)
            EXCHANGE(double, density, 1)
            EXCHANGE(int64_t, id, 1)
            EXCHANGE(uint16_t, material, 1)
            EXCHANGE(uint16_t, group, 1)
#undef EXCHANGE
        }
}

static scree_status exchange(step_work* w)
{
    scree_run* run = w->run;
    coming* in = &w->in;
    const scree_sim_each* has = &run->each.each;
    scree_sim_each each = scree_default_sim_each();
    double* spin = NULL;
    if (w->out_count == 0 && in->count == 0)
        return SCREE_OK;
    sort_coming(in, run->set.dim);
    each.id = in->id;
    each.material_density = in->density;
    each.material = has->material != NULL ? in->material : NULL;
    each.group = has->group != NULL ? in->group : NULL;
    each.force = has_column(run->sim, "force") ? in->force : NULL;
    if (scree_scene_turns(&run->scene)) {  // that of the group
        spin = scree_calloc((size_t)in->count, 3 * sizeof *spin);
        if (spin == NULL)
            return SCREE_ERR_MEMORY;
        for (int64_t i = 0; i < in->count; ++i) {
            scree_scene_group group = scree_scene_get_entry(&run->scene, in->group[i]);
            for (int k = run->set.dim == 2 ? 2 : 0; k < 3 && !isnan(group.spin[2]); ++k)
                spin[3 * i + k] = group.spin[k];
        }
        each.spin = spin;
    }
    scree_spheres more = {.count = (int32_t)in->count, .dim = run->set.dim, .x = in->x, .r = in->r};
    scree_status status = scree_sim_exchange(run->sim, w->out_count, w->out, more, in->v, &each, NULL);
    scree_free(spin);
    return status;
}

// What frames and reports show of the spheres, with the columns that point into it.
typedef struct shown {
    scree_sphere_set set;
    scree_scene_each each;
    scree_column *velocity, *force, *contacts;
    uint64_t moving;
    int32_t room;
} shown;

static shown take_shown(const scree_run* run)
{
    return (shown){run->set, run->each, run->velocity, run->force, run->contacts, run->moving, run->room};
}

static void give_shown(scree_run* run, const shown* from)
{
    run->set = from->set;
    run->each = from->each;
    run->velocity = from->velocity;
    run->force = from->force;
    run->contacts = from->contacts;
    run->moving = from->moving;
    run->room = from->room;
}

// run->set, run->each and the columns of frames for the spheres that there are now. MEMORY: all of them stay as they
// were, and the next call makes them
static scree_status renew_set(scree_run* run)
{
    scree_sphere_set made;
    scree_column *velocity, *group = NULL;
    int32_t n = scree_sim_get_count(run->sim);
    run->flow->stale = true;
    scree_status status = scree_sphere_set_make(run->set.dim, n, &made);
    if (status != SCREE_OK)
        return status;
    made.has_box = true;
    made.box = run->set.box;
    made.container = run->set.container;
    status = scree_sphere_set_add(&made, "velocity", SCREE_COLUMN_DOUBLE, made.dim, &velocity);
    if (status == SCREE_OK && scree_scene_group_count(&run->scene) > 1)
        status = scree_sphere_set_add(&made, "group", SCREE_COLUMN_INT64, 1, &group);
    uint16_t* numbers = scree_malloc((size_t)n, sizeof *numbers);
    if (status == SCREE_OK && numbers == NULL)
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK && group != NULL)
        status = scree_sim_get_column(run->sim, "group", numbers);
    for (int32_t i = 0; i < n && status == SCREE_OK && group != NULL; ++i)
        group->integers[i] = numbers[i];
    scree_free(numbers);
    if (status == SCREE_OK)
        status = scree_sim_get_column(run->sim, "radius", made.r);
    if (status == SCREE_OK)
        status = scree_sim_get_column(run->sim, "x", made.x);
    if (status != SCREE_OK) {
        scree_sphere_set_free(&made);
        return status;
    }
    const shown before = take_shown(run);
    run->set = made;
    run->each = (scree_scene_each){0};
    status = run_add_columns(run, &run->scene);
    if (status == SCREE_OK)
        status = run_add_sim_columns(run);
    shown old = before;
    if (status != SCREE_OK) {
        old = take_shown(run);
        give_shown(run, &before);
    }
    scree_sphere_set_free(&old.set);
    scree_scene_each_free(&old.each);
    run->flow->stale = status != SCREE_OK;
    run_frame_release(run);
    return status;
}

// Those that the simulation has removed by itself since it was last asked.
static void count_crossings(scree_run* run)
{
    run_flow* flow = run->flow;
    int64_t first = scree_sim_get_boundaries(run->sim, NULL, 0) - run->scene.surface_count;
    scree_sim_crossing gone;
    while (scree_sim_take_crossings(run->sim, &gone, 1) > 0) {
        int64_t place = gone.boundary >= first && run->scene.walls_on_crossing == 1;  // all walls are one, before the surfaces
        for (int64_t n = 0; n < gone.boundary - first; ++n)
            place += run->scene.surfaces[n].on_crossing == 1;
        ++flow->crossed[place * flow->group_count + gone.group];
        flow->stale = true;
    }
}

// ---- For an estimate -------------------------------------------------------------------------------------------------------

// How many spheres of an entry are to have come by a time; INFINITY: as many as there is room for.
static double expected_at(const scree_run* run, int64_t n, double time)
{
    const scree_scene* scene = &run->scene;
    const scree_scene_insert* insert = &scene->inserts[n];
    const run_inlet* inlet = &run->flow->inlets[n];
    double limit = insert->count > 0 ? (double)insert->count : INFINITY;
    if (insert->rate <= 0.0 && insert->mass_rate <= 0.0)
        return time >= insert->start ? limit : 0.0;
    double due = due_until(scene, scene->change_count, n, time);
    int64_t material = scree_scene_get_entry(scene, insert->group).material;
    if (insert->rate <= 0.0)
        due /= mass_of(run->set.dim, density_of(scene, insert->group, material), scree_sizes_quantile(inlet->sizes, 0.5 * (inlet->u[0] + inlet->u[1])));
    return fmin(due, limit);
}

// Sites of a simple cubic lattice in the box, whose spheres overlap by a thousandth; the last axis is that of gravity, and sites rise against it.
typedef struct lattice {
    scree_box box;
    double r, from[3], side;
    int64_t cells[3];
    int axis[3];         // the fastest first
    bool down;           // along the last one gravity acts towards lower values
} lattice;

static bool open_lattice(const scree_run* run, double r, lattice* out)
{
    *out = (lattice){.box = scree_sim_get_box(run->sim), .r = r, .side = 2.0 * r * (1.0 - 1e-3), .cells = {1, 1, 1}, .axis = {0, 1, 2}};
    const double* g = run->scene.sim.gravity;
    const int dim = out->box.dim;
    int last = dim - 1;
    for (int k = 0; k < dim; ++k)
        last = fabs(g[k]) > fabs(g[last]) ? k : last;
    out->axis[last] = out->axis[dim - 1];
    out->axis[dim - 1] = last;
    out->down = g[last] <= 0.0;
    for (int k = 0; k < dim; ++k) {
        double length = out->box.upper[k] - out->box.lower[k];
        if (!isfinite(length) || length < 2.0 * r)
            return false;
        out->cells[k] = (int64_t)fmin((length - 2.0 * r) / out->side, 1e6) + 1;
        out->from[k] = k == last && !out->down ? out->box.upper[k] - r : out->box.lower[k] + r;
    }
    return true;
}

static void site_of(const lattice* l, int64_t number, double x[3])
{
    for (int a = 0; a < l->box.dim; ++a) {
        int k = l->axis[a];
        int64_t cell = a + 1 < l->box.dim ? number % l->cells[k] : number;
        x[k] = l->from[k] + (double)cell * (a + 1 == l->box.dim && !l->down ? -l->side : l->side);
        number /= l->cells[k];
    }
}

// The spheres of the start, which are not to be met; the space is that of the box.
static scree_status open_taken(const scree_run* run, const lattice* l, scene_space* space, run_room* taken)
{
    scree_scene_region region = {.kind = SCREE_REGION_BOX};
    const int64_t dim = run->set.dim;
    memcpy(region.lower, l->box.lower, sizeof region.lower);
    memcpy(region.upper, l->box.upper, sizeof region.upper);
    scree_status status = scree_space_open(&region, run->set.dim, space);
    if (status == SCREE_OK)
        run_room_open(taken, space, &l->box, fmax(l->r, scree_sim_get_numbers(run->sim).radius_max));
    for (int64_t i = 0; i < run->set.count && status == SCREE_OK; ++i)
        status = run_room_add(taken, run->set.x + i * dim, run->set.r[i]);
    return status;
}

// The entry with the most spheres stands for all.
static int64_t largest_entry(const scree_run* run, double end, double* all)
{
    int64_t most = 0;
    *all = 0.0;
    for (int64_t n = 0; n < run->scene.insert_count; ++n) {
        *all += expected_at(run, n, end);
        most = expected_at(run, n, end) > expected_at(run, most, end) ? n : most;
    }
    return most;
}

// How long a sphere of an entry flies from the middle of its region until it is in an outlet; INFINITY: it meets a wall or a surface before, or the run ends. In an empty box.
static double escape_of(const scree_run* run, int64_t n, double end)
{
    enum { looks = 4096 };
    const scene_space* from = &run->flow->inlets[n].space;
    const double *g = run->scene.sim.gravity, *v = run->scene.inserts[n].velocity;
    const scree_box box = scree_sim_get_box(run->sim);
    double begin[3] = {0.0, 0.0, 0.0}, fall = 0.0, across = 0.0, speed = 0.0;
    for (int k = 0; k < box.dim; ++k) {
        begin[k] = 0.5 * (from->lower[k] + from->upper[k]);
        across = isfinite(box.upper[k] - box.lower[k]) ? fmax(across, box.upper[k] - box.lower[k]) : across;
        fall += g[k] * g[k];
        speed += v[k] * v[k];
    }
    fall = sqrt(fall);
    speed = sqrt(speed);
    if (!isfinite(begin[0] + begin[1] + begin[2]) || !(fall > 0.0 || speed > 0.0))
        return INFINITY;
    const double whole = across > 0.0 ? fmin(end, fall > 0.0 ? (sqrt(speed * speed + 8.0 * fall * across) + speed) / fall : 4.0 * across / speed) : end;  // through the box, and back once
    for (int look = 1; look <= looks; ++look) {
        const double t = whole * look / looks;
        double x[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < box.dim; ++k)
            x[k] = begin[k] + v[k] * t + 0.5 * g[k] * t * t;
        scree_box_wrap_centre(&box, x, NULL);
        for (int64_t o = 0; o < run->flow->outlet_count; ++o)
            if (run->scene.outlets[o].into == NULL && !run->scene.outlets[o].closed && scree_space_has(&run->flow->outlets[o], x))
                return t;
        if (!(scree_sim_clearance(run->sim, x) > 0.0))
            return run->scene.walls_on_crossing == 1 ? t : INFINITY;
    }
    return INFINITY;
}

// How long a sphere of an entry falls freely before it lies; `low`: how far below the origin, along gravity, those lie that have come on average. INFINITY without gravity.
static double flight_of(const scree_run* run, int64_t n, double low)
{
    const double* g = run->scene.sim.gravity;
    const scene_space* from = &run->flow->inlets[n].space;
    double size = 0.0, high = 0.0, speed = 0.0;
    for (int k = 0; k < run->set.dim; ++k)
        size += g[k] * g[k];
    size = sqrt(size);
    if (size == 0.0)
        return INFINITY;
    for (int k = 0; k < run->set.dim; ++k) {
        high += 0.5 * (from->lower[k] + from->upper[k]) * g[k] / size;
        speed += run->scene.inserts[n].velocity[k] * g[k] / size;
    }
    const double way = low - high;
    return way > 0.0 ? (sqrt(speed * speed + 2.0 * size * way) - speed) / size : 0.0;
}

// Spheres of all entries that are there at a time, of which *lie no longer fall. `escape`: of each entry; low as for flight_of, NAN: they lie where they begin. gone: those that lie are gone too.
static double count_at(const scree_run* run, const double* escape, double low, bool gone, double time, double* lie)
{
    double now = 0.0;
    *lie = 0.0;
    for (int64_t e = 0; e < run->scene.insert_count; ++e) {
        const double falls = isfinite(escape[e]) ? escape[e] : isnan(low) ? 0.0 : flight_of(run, e, low);
        const double came = expected_at(run, e, time), lain = falls < time ? expected_at(run, e, time - falls) : 0.0, left = isfinite(escape[e]) || gone ? lain : 0.0;
        now += isfinite(came) ? came - left : INFINITY;
        *lie += lain - left;
    }
    return now;
}

// The seconds of an event at which nobody comes or goes, and of one at which the sphere that entry n made last is exchanged for one like it.
static scree_status time_events(scree_run* run, int64_t n, run_filling* out)
{
    enum { turns = 3 };
    const bool changes = out->made > 0 && scree_sim_get_numbers(run->sim).bond_count == 0;
    scree_status status = SCREE_OK;
    out->look = out->change = INFINITY;
    for (int turn = 0; turn < turns && status == SCREE_OK; ++turn) {
        step_work w;
        const double begin = scree_clock();
        status = begin_work(run, &w);
        out->look = fmin(out->look, scree_clock() - begin);
        if (status == SCREE_OK && changes) {
            const int32_t last = run->set.count - 1;
            double x[3] = {0.0, 0.0, 0.0}, still[3] = {0.0, 0.0, 0.0};
            memcpy(x, run->set.x + (int64_t)last * run->set.dim, (size_t)run->set.dim * sizeof *x);
            w.out[w.out_count++] = w.next_id - 1;
            status = take_one(&w, w.next_id, run->scene.inserts[n].group, x, run->set.r[last], still);
            if (status == SCREE_OK)
                status = exchange(&w);
            if (status == SCREE_OK)
                status = renew_set(run);
        }
        free_work(&w);
        out->change = fmin(out->change, scree_clock() - begin);
    }
    return status;
}

// How often it is looked whether spheres come or go, and how often some do: by the entry or outlet for which that is most often, since most have the same every_steps.
static void count_events(const scree_run* run, const double* escape, double end, run_filling* out)
{
    const double steps = (double)run->steps;
    double came = 0.0;
    for (int64_t n = 0; n < run->scene.insert_count; ++n) {
        const scree_scene_insert* insert = &run->scene.inserts[n];
        const double all = expected_at(run, n, end), until = insert->end > 0.0 ? fmin(insert->end, end) : end;
        double open = fmax(until - insert->start, 0.0);
        if (insert->rate > 0.0 && insert->count > 0)
            open = fmin(open, (double)insert->count / insert->rate);
        else if (insert->rate <= 0.0 && insert->mass_rate <= 0.0 && insert->count > 0)  // all at once
            open = 0.0;
        const double looks = 1.0 + (end > 0.0 ? open / end : 0.0) * steps / (double)insert->every_steps;
        out->events = fmax(out->events, looks);
        out->changes = fmax(out->changes, fmin(looks, all));
        came += isfinite(escape[n]) ? all : 0.0;
    }
    for (int64_t o = 0; o < run->scene.outlet_count; ++o) {
        const double looks = steps / (double)run->scene.outlets[o].every_steps;
        out->events = fmax(out->events, looks);
        out->changes = fmax(out->changes, fmin(looks, came));
    }
}

scree_status run_flow_fill(scree_run* run, run_filling* out)
{
    enum { spheres_most = 20000, sites_most = 8 * spheres_most, looks = 64 };
    const double end = run_time_of(run, run->steps);
    double all, still[3] = {0.0, 0.0, 0.0}, room = INFINITY;
    int64_t n = largest_entry(run, end, &all);
    run_inlet* inlet = &run->flow->inlets[n];
    const double *g = run->scene.sim.gravity, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double low = 0.0;
    lattice l;
    step_work w;
    *out = (run_filling){.made = 0};
    int64_t* made = &out->made;
    double* escape = scree_malloc((size_t)run->scene.insert_count, sizeof *escape);
    if (escape == NULL)
        return SCREE_ERR_MEMORY;
    bool open = false;  // some may leave after they have lain
    for (int64_t e = 0; e < run->scene.insert_count; ++e) {
        escape[e] = escape_of(run, e, end);
        open = open || isinf(escape[e]);
    }
    bool leaves = run->scene.walls_on_crossing == 1;
    for (int64_t o = 0; o < run->flow->outlet_count; ++o)
        leaves = leaves || run->scene.outlets[o].into == NULL;
    double most = 0.0, lain;  // at once, if all that do not escape stay
    for (int k = 0; k < looks; ++k)
        most = fmax(most, count_at(run, escape, NAN, false, end * (k + 1) / looks, &lain));
    all = fmin(all, fmax(most, 1.0));
    scree_status status = begin_work(run, &w);
    if (status == SCREE_OK && open_lattice(run, scree_sizes_quantile(inlet->sizes, 0.5 * (inlet->u[0] + inlet->u[1])), &l)) {
        scene_space space = {0};
        run_room taken = {0};
        status = open_taken(run, &l, &space, &taken);
        int64_t sites = l.cells[0] * l.cells[1] * (l.box.dim == 3 ? l.cells[2] : 1), s = 0;
        for (; s < sites && s < sites_most && status == SCREE_OK && (double)*made + 1.0 <= fmin(all, spheres_most); ++s) {
            double x[3] = {0.0, 0.0, 0.0};
            site_of(&l, s, x);
            scree_box_wrap_centre(&l.box, x, NULL);
            if (!run_room_is_free(&taken, x, l.r) || !(scree_sim_clearance(run->sim, x) >= 0.999 * l.r))
                continue;
            status = take_one(&w, w.next_id++, run->scene.inserts[n].group, x, l.r, still);
            ++*made;
            for (int k = 0; k < l.box.dim && size > 0.0; ++k)
                low += x[k] * g[k] / size;
        }
        room = s == sites ? (double)*made : isinf(all) ? (double)*made * (double)sites / (double)s : INFINITY;
        if (status == SCREE_OK)
            status = exchange(&w);
        if (status == SCREE_OK && *made > 0)
            status = renew_set(run);
        run_room_close(&taken);
        scree_space_close(&space);
    }
    free_work(&w);
    low = *made > 0 ? low / (double)*made : (double)NAN;
    for (int k = 0; k < looks; ++k) {
        double lie, none;
        const double time = end * (k + 0.5) / looks, now = fmin(count_at(run, escape, low, false, time, &lie), room);
        const double least = leaves && open ? fmin(count_at(run, escape, low, true, time, &none), now) : now;
        out->mean += isfinite(now) ? now / looks : 0.0;
        out->lie += isfinite(now) ? fmin(now, lie) / looks : 0.0;
        out->least += isfinite(least) ? least / looks : 0.0;
    }
    count_events(run, escape, end, out);
    scree_free(escape);
    return status == SCREE_OK ? time_events(run, n, out) : status;
}

scree_status run_flow_catch_up(scree_run* run)
{
    run_flow* flow = run->flow;
    if (flow == NULL || run->folder == NULL)
        return SCREE_OK;
    if (flow->crossing_count > 0)
        count_crossings(run);
    return flow->stale ? renew_set(run) : SCREE_OK;
}

scree_status run_flow_attend(scree_run* run)
{
    run_flow* flow = run->flow;
    int64_t step = flow != NULL ? run_sim_step(run) : -1;
    if (flow == NULL || run->folder == NULL)
        return SCREE_OK;
    if (run_flow_catch_up(run) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (flow->done == step)
        return SCREE_OK;
    bool due = false;
    for (int64_t n = 0; n < run->scene.insert_count; ++n)
        due = due || step % run->scene.inserts[n].every_steps == 0;
    for (int64_t n = 0; n < run->scene.outlet_count; ++n)
        due = due || step % run->scene.outlets[n].every_steps == 0;
    if (!due)
        return SCREE_OK;
    // What it counts is taken back where it fails.
    run_flow before = *flow;
    size_t tallies = (size_t)(flow->outlet_count * flow->group_count);
    flow->inlets = scree_malloc((size_t)flow->inlet_count, sizeof *flow->inlets);
    flow->gone = scree_malloc(tallies, sizeof *flow->gone);
    flow->gone_mass = scree_malloc(tallies, sizeof *flow->gone_mass);
    flow->back = scree_malloc((size_t)flow->outlet_count, sizeof *flow->back);
    step_work w = {0};
    scree_status status = flow->inlets == NULL || flow->gone == NULL || flow->gone_mass == NULL || flow->back == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK) {
        memcpy(flow->inlets, before.inlets, (size_t)flow->inlet_count * sizeof *flow->inlets);
        memcpy(flow->gone, before.gone, tallies * sizeof *flow->gone);
        memcpy(flow->gone_mass, before.gone_mass, tallies * sizeof *flow->gone_mass);
        memcpy(flow->back, before.back, (size_t)flow->outlet_count * sizeof *flow->back);
        status = begin_work(run, &w);
    }
    for (int64_t n = 0; n < run->scene.outlet_count && status == SCREE_OK; ++n)
        if (outlet_is_due(run, n, step))
            status = go_out(&w, n);
    for (int64_t n = 0; n < run->scene.insert_count && status == SCREE_OK; ++n)
        if (step % run->scene.inserts[n].every_steps == 0)
            status = come_in(&w, n);
    bool any = w.out_count > 0 || w.in.count > 0;
    if (status == SCREE_OK)
        status = scree_scene_locate(&run->scene, exchange(&w), run->scene.insert_count > 0 ? "insert" : "outlets", 0);
    free_work(&w);
    run_flow old = status == SCREE_OK ? before : *flow;
    if (status == SCREE_OK) {
        flow->done = step;
    } else {
        flow->inlets = before.inlets;
        flow->gone = before.gone;
        flow->gone_mass = before.gone_mass;
        flow->back = before.back;
    }
    scree_free(old.inlets);
    scree_free(old.gone);
    scree_free(old.gone_mass);
    scree_free(old.back);
    return status == SCREE_OK && any ? renew_set(run) : status;
}

// ---- The log ---------------------------------------------------------------------------------------------------------------

// Mass flow since the row before.
void run_flow_row(scree_run* run)
{
    run_flow* flow = run->flow;
    if (flow == NULL)
        return;
    const scree_sim_report* r = &run->last;
    double time = r->time - flow->row[0];
    flow->rates[0] = time > 0.0 ? (r->flow.mass_inserted - flow->row[1]) / time : 0.0;
    flow->rates[1] = time > 0.0 ? (r->flow.mass_removed - flow->row[2]) / time : 0.0;
    flow->row[0] = r->time;
    flow->row[1] = r->flow.mass_inserted;
    flow->row[2] = r->flow.mass_removed;
}

int64_t run_flow_waiting(const scree_run* run)
{
    int64_t waiting = 0;
    for (int64_t n = 0; run->flow != NULL && n < run->flow->inlet_count; ++n)
        waiting += run->flow->inlets[n].waiting;
    return waiting;
}

int64_t run_flow_tallies(const scree_run* run)
{
    return run->flow != NULL ? run->flow->name_count : 0;
}

int64_t run_flow_tally(const scree_run* run, int64_t n, const char** name)
{
    const run_flow* flow = run->flow;
    *name = flow->names[n];
    int64_t outlets = flow->outlet_count * flow->group_count, out = n - flow->inlet_count;
    return out < 0 ? flow->inlets[n].placed : out < outlets ? flow->gone[out] : flow->crossed[out - outlets];
}

double run_flow_rate(const scree_run* run, bool out)
{
    return run->flow != NULL ? run->flow->rates[out] : 0.0;
}

// ---- Checkpoints -----------------------------------------------------------------------------------------------------------

// Counts: group, material and number of ranges; placed and waiting of each inlet; gone of each outlet and group, back of each outlet, crossed of the walls and of each surface that
// removes, by group. Sums: ends of ranges, masses, the row of the log.
scree_status run_flow_keep(const scree_run* run, scree_checkpoint* to)
{
    const run_flow* flow = run->flow;
    if (flow == NULL)
        return SCREE_OK;
    int64_t tallies = flow->outlet_count * flow->group_count, counts = 1 + 2 * flow->range_count + 2 * flow->inlet_count + tallies + flow->outlet_count;
    int64_t crossings = flow->crossing_count * flow->group_count;
    counts += crossings;
    int64_t sums = 2 * flow->range_count + flow->inlet_count + tallies + 5, n = 0, s = 0;
    int64_t* count = scree_malloc((size_t)counts, sizeof *count);
    double* sum = scree_malloc((size_t)sums, sizeof *sum);
    scree_status status = count != NULL && sum != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        count[n++] = flow->range_count;
        for (int64_t k = 0; k < flow->range_count; ++k) {
            count[n++] = flow->ranges[k].group;
            count[n++] = flow->ranges[k].material;
            sum[s++] = flow->ranges[k].least;
            sum[s++] = flow->ranges[k].most;
        }
        for (int64_t k = 0; k < flow->inlet_count; ++k) {
            count[n++] = flow->inlets[k].placed;
            count[n++] = flow->inlets[k].waiting;
            sum[s++] = flow->inlets[k].mass;
        }
        for (int64_t k = 0; k < tallies; ++k) {
            count[n++] = flow->gone[k];
            sum[s++] = flow->gone_mass[k];
        }
        for (int64_t k = 0; k < flow->outlet_count; ++k)
            count[n++] = flow->back[k];
        for (int64_t k = 0; k < crossings; ++k)
            count[n++] = flow->crossed[k];
        for (int k = 0; k < 3; ++k)
            sum[s++] = flow->row[k];
        for (int k = 0; k < 2; ++k)
            sum[s++] = flow->rates[k];
        status = scree_checkpoint_set_flow(to, counts, count, sums, sum);
    }
    scree_free(count);
    scree_free(sum);
    return status;
}

scree_status run_flow_recall(scree_run* run, const scree_checkpoint* saved)
{
    const scree_scene* scene = &run->scene;
    if (!scree_scene_flows(scene))
        return SCREE_OK;
    const scree_checkpoint_flow* from = &saved->flow;
    run_flow* flow = run->flow = make_flow(scene);
    if (flow == NULL)
        return SCREE_ERR_MEMORY;
    int64_t n = SCREE_CHECKPOINT_FLOW_COUNTS, s = SCREE_CHECKPOINT_FLOW_SUMS, tallies = flow->outlet_count * flow->group_count;
    int64_t crossings = flow->crossing_count * flow->group_count;
    int64_t ranges = from->count > n ? from->counts[n] : -1;
    if (ranges < 0 || ranges > from->count || from->count != n + 1 + 2 * ranges + 2 * flow->inlet_count + tallies + flow->outlet_count + crossings ||
        from->sum_count != s + 2 * ranges + flow->inlet_count + tallies + 5)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the checkpoint of step %" PRId64 " lacks the counts of insert and outlets; expected them", run->folder, saved->step);
    if (scree_resize(&flow->ranges, ranges + 1, sizeof *flow->ranges) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t k = n + 1 + 2 * ranges; k < from->count; ++k)
        if (from->counts[k] < 0 || from->counts[k] > (int64_t)SCREE_RUN_STEPS_MOST)
            return scree_fail(SCREE_ERR_FORMAT, "%s: the checkpoint of step %" PRId64 ": 'flow_counts': number %" PRId64 " is %" PRId64 "; expected 0 to %.0f", run->folder, saved->step, k, from->counts[k],
                              SCREE_RUN_STEPS_MOST);
    ++n;
    for (flow->range_count = 0; flow->range_count < ranges; ++flow->range_count, n += 2, s += 2) {
        run_range range = {.group = from->counts[n], .material = from->counts[n + 1], .least = from->sums[s], .most = from->sums[s + 1]};
        if (range.group < 0 || range.group >= flow->group_count || range.material != scree_scene_get_entry(scene, range.group).material || !(range.least > 0.0 && range.most >= range.least))
            return scree_fail(SCREE_ERR_FORMAT, "%s: the checkpoint of step %" PRId64 ": radii of group %" PRId64 " from %g to %g; expected an ascending range above 0", run->folder, saved->step, range.group, range.least,
                              range.most);
        flow->ranges[flow->range_count] = range;
    }
    for (int64_t k = 0; k < flow->inlet_count; ++k) {
        flow->inlets[k].placed = from->counts[n++];
        flow->inlets[k].waiting = from->counts[n++];
        flow->inlets[k].mass = from->sums[s++];
    }
    for (int64_t k = 0; k < tallies; ++k) {
        flow->gone[k] = from->counts[n++];
        flow->gone_mass[k] = from->sums[s++];
    }
    for (int64_t k = 0; k < flow->outlet_count; ++k)
        flow->back[k] = from->counts[n++];
    for (int64_t k = 0; k < crossings; ++k)
        flow->crossed[k] = from->counts[n++];
    for (int k = 0; k < 3; ++k)
        flow->row[k] = from->sums[s++];
    for (int k = 0; k < 2; ++k)
        flow->rates[k] = from->sums[s++];
    flow->done = saved->step;
    run->kept_giants = saved->giant_radius;
    const int64_t* ids = scree_checkpoint_get_values(saved, "id", SCREE_TYPE_INT64);
    flow->ids = scree_malloc((size_t)saved->count, sizeof *flow->ids);
    if (flow->ids == NULL)
        return SCREE_ERR_MEMORY;
    if (saved->count > 0 && ids != NULL)
        memcpy(flow->ids, ids, (size_t)saved->count * sizeof *ids);
    run->each.each.id = NULL;
    return SCREE_OK;
}

const int64_t* run_flow_ids(const scree_run* run)
{
    return run->flow != NULL ? run->flow->ids : NULL;
}

// The groups of the spheres of a checkpoint; the scene knows only the groups at the start.
scree_status run_flow_groups(const scree_run* run, const scree_checkpoint* saved, scree_sphere_set* set)
{
    scree_column* column;
    const uint16_t* group = scree_checkpoint_get_values(saved, "group", SCREE_TYPE_UINT16);
    if (scree_scene_group_count(&run->scene) < 2)
        return SCREE_OK;
    if (group == NULL && set->count > 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: its checkpoint has no column 'group'; expected one", run->folder);
    scree_status status = scree_sphere_set_add(set, "group", SCREE_COLUMN_INT64, 1, &column);
    for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i)
        column->integers[i] = group[i];
    return status;
}

// ---- Rows of ids -----------------------------------------------------------------------------------------------------------

int64_t run_row_of(const scree_run* run, int64_t id)
{
    return run->flow == NULL || run->folder == NULL || id < 0 ? id : scree_sphere_set_row(&run->set, id);  // of a trial the set stays as it was at the start
}
