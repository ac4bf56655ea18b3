// The spheres at the start of a scene: from a file, or drawn from a size distribution and placed; group after group, if `spheres` is a list.
#include "run/run_inner.h"

#include "base/argument.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "run/flow.h"
#include "scene/place.h"
#include "scree/files.h"
#include "scree/pack.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Groups --------------------------------------------------------------------------------------------------------------

typedef struct part {
    scree_scene_group group;
    int64_t entry;         // of the list, for messages; -1: the single map
    uint64_t seed;
    int32_t first;         // of its spheres in the whole
    scree_sphere_set set;  // its own: from its file, with all columns, or radii alone
} part;

typedef struct start {
    const scree_scene* scene;
    scree_watch watch;
    bool trial;
    int32_t container;     // that the box bounds
    int64_t count;
    part* parts;
    scree_sphere_set set;  // all of them
    scree_spheres placed;  // those that have their places, in the order in which they got them,
    double *placed_x, *placed_r;
    int32_t* placed_id;    // and which they are in the whole
    scree_scene_shapes shapes;  // surfaces, which random spheres do not touch
} start;

static bool is_grown(const scree_scene_group* group)
{
    return group->file_path == NULL && group->place == SCREE_PLACE_GROW;
}

// The first group draws with the seed of the scene, so that a list of one is the single map; the others each with their own.
static uint64_t seed_of(const scree_scene* scene, int64_t n)
{
    scree_rng rng = scree_rng_make(scene->seed, (UINT64_C(1) << 41) + (uint64_t)n);
    return n == 0 ? scene->seed : scree_rng_bits(&rng);
}

// ---- The box -----------------------------------------------------------------------------------------------------------

static bool has_size(const scree_scene* scene)
{
    return scene->box_size[0] > 0.0;
}

// Sides that are to each other as the scene says, with the volume of the container for its density.
static scree_status make_box(const start* s, double density, scree_box* out)
{
    const scree_scene* scene = s->scene;
    int dim = scene->sim.box.dim;
    double volume = 0.0, size[3] = {0.0, 0.0, 0.0};
    for (int64_t n = 0; n < s->count; ++n)
        volume += scree_spheres_volume(scree_sphere_set_view(&s->parts[n].set));
    volume /= density;
    for (int k = 0; k < dim; ++k)
        size[k] = scene->box_aspect[k] > 0.0 ? scene->box_aspect[k] : 1.0;
    scree_container unit = {.kind = scene->sim.container, .box = scree_box_sized(dim, size)};
    scree_status status = scree_scene_locate(scene, scree_container_check(&unit), "box.container", -1);
    if (status != SCREE_OK)
        return status;
    double shape = scree_container_volume(&unit);
    for (int k = 0; k < dim; ++k)
        size[k] *= pow(volume / shape, 1.0 / dim);
    *out = scree_box_sized(dim, size);
    for (int k = 0; k < dim; ++k) {
        out->lower[k] += scene->box_origin[k];
        out->upper[k] += scene->box_origin[k];
        out->periodic[k] = scene->box_periodic[k];
    }
    return scree_scene_locate(scene, scree_box_check(out), "spheres.place", s->parts[0].entry);
}

// The box of the first file, with its container.
static scree_status take_box(start* s, const part* p, scree_box* out)
{
    const scree_scene* scene = s->scene;
    if (!p->set.has_box)
        return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "spheres.file", p->entry, "%s has no box; expected box.size in the scene", p->group.file_path);
    *out = p->set.box;
    bool any = scene->box_periodic[0] || scene->box_periodic[1] || scene->box_periodic[2];
    for (int k = 0; k < p->set.dim && any; ++k)
        out->periodic[k] = scene->box_periodic[k];
    s->container = p->set.container;
    return SCREE_OK;
}

static scree_status find_box(start* s, scree_box* out)
{
    double density = 0.0;
    for (int64_t n = 0; n < s->count; ++n)
        density += s->parts[n].group.density;
    s->container = s->scene->sim.container;
    if (has_size(s->scene)) {
        *out = s->scene->sim.box;
        return SCREE_OK;
    }
    for (int64_t n = 0; n < s->count; ++n)
        if (s->parts[n].group.file_path != NULL)
            return take_box(s, &s->parts[n], out);
    return make_box(s, density, out);
}

// ---- Radii ---------------------------------------------------------------------------------------------------------------

static scree_status read_spheres(const start* s, part* p)
{
    scree_file_options options = scree_default_file_options();
    options.watch = s->watch;
    const char* path = p->group.file_path;
    scree_status status = scree_read_spheres(path, &options, &p->set);
    if (status != SCREE_OK)
        return scree_scene_locate(s->scene, status, "spheres.file", p->entry);
    if (p->set.dim != s->scene->sim.box.dim)
        return scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres.file", p->entry, "%s: its spheres have %d dimensions; expected %d, as in the scene", path,
                                   (int)p->set.dim, (int)s->scene->sim.box.dim);
    if (p->entry >= 0 && p->group.count > 0 && p->set.count != p->group.count)
        return scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres.count", p->entry, "%s holds %" PRId32 " spheres; expected %" PRId32, path,
                                   p->set.count, p->group.count);
    return SCREE_OK;
}

// As many as fill their share of the region on average.
static scree_status count_for_region(const start* s, part* p, const scree_sizes* sizes)
{
    scene_space space;
    int32_t dim = s->scene->sim.box.dim;
    scree_status status = scree_scene_locate(s->scene, scree_space_open(&p->group.region, dim, &space), "spheres.region", p->entry);
    if (status != SCREE_OK)
        return status;
    double each = (dim == 2 ? 1.0 : 4.0 / 3.0) * 3.14159265358979323846 * scree_sizes_moment(sizes, dim), count = rint(p->group.density * scree_space_volume(&space) / each);
    scree_space_close(&space);
    if (!(count >= 1.0 && count <= (double)INT32_MAX))
        return scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres.density", p->entry, "%g of the region are %g spheres; expected 1 to %d", p->group.density, count, INT32_MAX);
    p->group.count = (int32_t)count;
    return SCREE_OK;
}

static scree_status draw_radii(const start* s, part* p)
{
    scree_sizes* sizes = NULL;
    int32_t dim = s->scene->sim.box.dim;
    scree_status status = scree_read_sizes(p->group.sizes_text, dim, &sizes);
    if (status == SCREE_OK && p->group.region.kind != SCREE_REGION_NONE && p->group.density > 0.0)
        status = count_for_region(s, p, sizes);
    if (status == SCREE_OK)
        status = scree_sphere_set_make(dim, p->group.count, &p->set);
    if (status == SCREE_OK)
        status = p->group.count > 0 ? scree_sizes_draw(sizes, (scree_sampling)p->group.sampling, p->seed, p->group.count, p->set.r) : SCREE_OK;
    scree_sizes_destroy(sizes);
    return scree_scene_locate(s->scene, status, "spheres.sizes", p->entry);
}

// ---- Made -----------------------------------------------------------------------------------------------------------------

// Progress that does not run back when growth is tried once more.
typedef struct growing_watch {
    scree_watch outer;
    double most;
} growing_watch;

static bool tick_growing(void* context, double done)
{
    growing_watch* watch = context;
    watch->most = fmax(watch->most, done);
    return watch->outer.tick == NULL || watch->outer.tick(watch->outer.context, watch->most);
}

static scree_status jammed(const scree_sphere_set* set, double density, const scree_growth* best)
{
    char sides[100];
    int used = 0;
    for (int k = 0; k < set->dim; ++k)
        used += snprintf(sides + used, sizeof sides - (size_t)used, "%s%.6g", k == 0 ? "" : " x ", best->box.upper[k] - best->box.lower[k]);
    return scree_fail(SCREE_ERR_ARGUMENT, "spheres.place: grow: the spheres would fill %.4g of the box, but jam at %.4g; expected a box of %s", density,
                      best->density, sides);
}

// Growth in the box as it is: quick first, which is loose, and slower as long as they jam. Slowness gains little: from a rate of 0.1 to
// one of 0.001 some 0.02 in density.
static scree_status grow_spheres(const scree_scene* scene, scree_watch watch, scree_sphere_set* set)
{
    static const double gain = 0.03, slowest = 1e-3;
    growing_watch inner = {.outer = watch};
    scree_grow_def def = scree_default_grow_def();
    def.box = set->box;
    def.seed = scene->seed;
    def.threads = scene->sim.threads;
    def.pressure = 1e4;  // denser by 3e-4 at most from there
    def.start_density = set->dim == 2 ? 0.35 : 0.25;
    def.watch = (scree_watch){.tick = tick_growing, .context = &inner};
    double density = scree_spheres_volume(scree_sphere_set_view(set)) / scree_box_volume(&set->box);
    scree_growth best = {0};
    scree_status status = SCREE_OK;
    for (def.rate = 0.1; status == SCREE_OK && def.rate >= slowest; def.rate *= 0.25) {
        scree_growth growth;
        status = scree_pack_grow(&def, set->count, set->r, &growth);
        if (status == SCREE_OK && growth.reached) {
            memcpy(set->x, growth.x, (size_t)set->count * (size_t)set->dim * sizeof *set->x);
            scree_growth_free(&growth);
            return SCREE_OK;
        }
        if (status == SCREE_OK && growth.density > best.density)
            best = growth;
        scree_growth_free(&growth);  // of the best one only numbers are wanted
        if (density > best.density + gain)
            break;
    }
    return status != SCREE_OK ? status : jammed(set, density, &best);
}

// In place of growth, where only numbers are wanted that do not depend on it: at random, in a box of the same shape that has room.
static scree_status place_loosely(const scree_place_def* asked, scree_sphere_set* set)
{
    scree_place_def def = *asked;
    def.tries = 10000;
    double full = scree_spheres_volume(scree_sphere_set_view(set)) / scree_box_volume(&asked->box);
    if (!(full < 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "spheres.place: grow: the spheres have %.4g times the volume of the box; expected less than 1", full);
    static const double least = 1e-4;  // a box that has no room then has none for another reason
    scree_status status = SCREE_ERR_ARGUMENT;
    for (double density = fmin(full, set->dim == 2 ? 0.35 : 0.25); status == SCREE_ERR_ARGUMENT; density *= 0.8) {
        for (int k = 0; k < set->dim; ++k)
            def.box.upper[k] = def.box.lower[k] + (asked->box.upper[k] - asked->box.lower[k]) * pow(full / density, 1.0 / set->dim);
        set->box = def.box;
        status = scree_place_random(&def, set->count, set->r, set->x);
        if (density <= least)
            break;
    }
    return status;
}

// From now on they are in the way of others.
static void put_down(start* s, const part* p)
{
    int64_t dim = s->set.dim;
    for (int32_t i = p->first; i < p->first + p->set.count; ++i) {
        int32_t n = s->placed.count++;
        memcpy(s->placed_x + n * dim, s->set.x + i * dim, (size_t)dim * sizeof *s->placed_x);
        s->placed_r[n] = s->set.r[i];
        s->placed_id[n] = i;
    }
}

static const part* part_of(const start* s, int32_t id)
{
    int64_t n = 0;
    while (id >= s->parts[n].first + s->parts[n].set.count)
        ++n;
    return &s->parts[n];
}

// A lattice begins in the corner of the box, whatever is there. It must not be in another lattice or in spheres of a file, unless both are fixed.
// Spheres of several files are not compared with each other.
static scree_status check_lattices(const start* s)
{
    static const double rounding = 1e-9;
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    scree_pairs pairs;
    def.box = scree_box_open(s->set.dim);
    for (int k = 0; k < s->set.dim; ++k)
        if (s->set.box.periodic[k]) {
            def.box.lower[k] = s->set.box.lower[k];
            def.box.upper[k] = s->set.box.upper[k];
            def.box.periodic[k] = true;
        }
    def.threads = s->scene->sim.threads;
    def.sorted = true;
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    status = scree_index_update(index, s->placed);
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    for (int64_t c = 0; status == SCREE_OK && c < pairs.count; ++c) {
        int32_t a = pairs.ij[c][0], b = pairs.ij[c][1];
        const part *one = part_of(s, s->placed_id[a]), *other = part_of(s, s->placed_id[b]);
        const part* lattice = other->group.file_path == NULL ? other : one;
        double overlap = -scree_pair_gap(&def.box, s->placed, a, b, pairs.shift != NULL ? pairs.shift[c] : NULL);
        if (one == other || lattice->group.file_path != NULL || (one->group.fixed && other->group.fixed) || overlap <= rounding * fmin(s->placed_r[a], s->placed_r[b]))
            continue;
        status = scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres.place", lattice->entry,
                                     "lattice: sphere %" PRId32 " overlaps sphere %" PRId32 " of another entry by %g; expected place: random for one of the two, since "
                                     "lattices begin in the lower corner of the box", s->placed_id[lattice == other ? b : a], s->placed_id[lattice == other ? a : b],
                                     overlap);
    }
    scree_index_destroy(index);
    return status;
}

// Progress of a part as progress of the whole.
typedef struct part_watch {
    scree_watch outer;
    double begin, share;
} part_watch;

static bool tick_part(void* context, double done)
{
    const part_watch* watch = context;
    return watch->outer.tick(watch->outer.context, watch->begin + watch->share * done);
}

// Large ones first, each at a random place in its region where it overlaps nothing that has its place.
static scree_status place_in_region(start* s, const part* p)
{
    enum { tries_most = 100000, place_units = 512 };
    scree_patience patience = {.watch = s->watch};
    const scree_scene_region* region = &p->group.region;
    scree_container container = {.kind = s->set.container, .box = s->set.box};
    scene_space space;
    run_room room;
    int64_t dim = s->set.dim;
    int32_t count = p->set.count;
    scree_status status = scree_space_open(region, (int32_t)dim, &space);
    if (status != SCREE_OK)
        return scree_scene_locate(s->scene, status, "spheres.region", p->entry);
    double most = 0.0;
    for (int32_t i = 0; i < count; ++i)
        most = fmax(most, s->set.r[p->first + i]);
    run_clear clear = {.shapes = &s->shapes, .box = s->set.box, .scene = s->scene, .region = region};
    run_room_open(&room, &space, &s->set.box, most);
    for (int32_t i = 0; i < s->placed.count && status == SCREE_OK; ++i) {
        status = run_room_add(&room, s->placed.x + i * dim, s->placed.r[i]);
        if (status == SCREE_OK && !scree_patience_lasts(&patience, place_units, (double)p->first / s->set.count))
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request before spheres were placed");
    }
    uint32_t* order = scree_malloc(2 * (size_t)count, sizeof *order);
    int64_t* keys = scree_malloc(2 * (size_t)count, sizeof *keys);
    if (status == SCREE_OK && (order == NULL || keys == NULL))
        status = SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i) {
        memcpy(&keys[i], &s->set.r[p->first + i], sizeof *keys);  // bits of positive numbers rise with them
        keys[i] = INT64_MAX - keys[i];
        order[i] = (uint32_t)i;
    }
    if (status == SCREE_OK)
        scree_sort_with(keys, order, keys + count, order + count, count);
    scree_rng rng = scree_rng_make(p->seed, (UINT64_C(1) << 43));
    for (int32_t n = 0; n < count && status == SCREE_OK; ++n) {
        int32_t i = p->first + (int32_t)order[n];
        double r = s->set.r[i], x[3] = {0.0, 0.0, 0.0};
        bool found = false;
        for (int t = 0; t < tries_most && !found && status == SCREE_OK; ++t) {
            if (!scree_patience_lasts(&patience, place_units, ((double)p->first + n) / s->set.count))
                status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request, with %" PRId32 " of %" PRId32 " spheres placed", n, count);
            scree_space_draw(&space, r, &rng, x);
            double wrapped[3] = {0.0, 0.0, 0.0};
            for (int k = 0; k < dim; ++k)
                wrapped[k] = scree_box_wrap(&s->set.box, k, x[k], NULL);
            found = scree_space_holds(&space, x, r) && scree_container_depth(&container, wrapped, r) <= 0.0 &&
                    (s->shapes.count == 0 || run_shapes_clear(&clear, wrapped, r)) && run_room_is_free(&room, x, r);
        }
        if (!found && status == SCREE_OK)
            status = scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres.region", p->entry,
                                         "sphere %" PRId32 " (radius %g) did not fit in %d tries; %" PRId32 " of %" PRId32 " were placed; expected a larger region or fewer spheres", i, r,
                                         (int)tries_most, n, count);
        if (status == SCREE_OK)
            status = run_room_add(&room, x, r);
        for (int k = 0; k < dim; ++k)
            s->set.x[(int64_t)i * dim + k] = scree_box_wrap(&s->set.box, k, x[k], NULL);
    }
    scree_free(order);
    scree_free(keys);
    run_room_close(&room);
    scree_space_close(&space);
    return status;
}

static scree_status place_part(start* s, const part* p)
{
    if (p->set.count == 0)
        return SCREE_OK;
    if (p->group.region.kind != SCREE_REGION_NONE)
        return place_in_region(s, p);
    part_watch inner = {.outer = s->watch, .begin = (double)s->placed.count / s->set.count, .share = (double)p->set.count / s->set.count};
    scree_place_def def = scree_default_place_def();
    def.box = s->set.box;
    def.container = s->set.container;
    def.seed = p->seed;
    if (s->watch.tick != NULL)
        def.watch = (scree_watch){.tick = tick_part, .context = &inner};
    def.standing = s->placed;
    run_clear clear = {.shapes = &s->shapes, .box = s->set.box};
    if (s->shapes.count > 0) {
        def.clear = run_shapes_clear;
        def.clear_context = &clear;
    }
    const double* r = s->set.r + p->first;
    double* x = s->set.x + (int64_t)p->first * s->set.dim;
    scree_status status = p->group.place == SCREE_PLACE_LATTICE ? scree_place_lattice(&def, p->group.spacing, p->set.count, r, x)
                                                                : scree_place_random(&def, p->set.count, r, x);
    return scree_scene_locate(s->scene, status, "spheres.place", p->entry);
}

static scree_status grow_all(start* s)
{
    scree_place_def def = scree_default_place_def();
    def.box = s->set.box;
    def.seed = s->scene->seed;
    def.watch = s->watch;
    scree_status status = s->trial ? place_loosely(&def, &s->set) : grow_spheres(s->scene, s->watch, &s->set);
    return scree_scene_locate(s->scene, status, "spheres.place", s->parts[0].entry);
}

// First what has its place by itself, from files and on lattices; then at random around it, entry by entry. Spheres that grow do so together.
static scree_status place_all(start* s)
{
    scree_status status = SCREE_OK;
    bool lattices = false;
    if (is_grown(&s->parts[0].group))
        return grow_all(s);
    for (int random = 0; random < 2; ++random) {
        for (int64_t n = 0; n < s->count && status == SCREE_OK; ++n) {
            const part* p = &s->parts[n];
            bool made = p->group.file_path == NULL;
            if ((made && p->group.place == SCREE_PLACE_RANDOM) != (random == 1))
                continue;
            if (made)
                status = place_part(s, p);
            if (status == SCREE_OK && s->count > 1)
                put_down(s, p);
            lattices = lattices || (made && random == 0);
        }
        if (status == SCREE_OK && random == 0 && lattices && s->count > 1)
            status = check_lattices(s);
    }
    return status;
}

// ---- Velocities -------------------------------------------------------------------------------------------------------------

static const scree_column* find_velocity(const scree_sphere_set* set)
{
    static const char* const names[] = {"velocity", "v", "vel"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const scree_column* column = scree_sphere_set_find(set, names[k]);
        if (column != NULL && column->kind != SCREE_COLUMN_TEXT && column->components >= set->dim)
            return column;
    }
    return NULL;
}

// The stiffness serves the 1 % rule and is found by the simulation's own rules, from all spheres.
static scree_status find_stiffness(const start* s, double* stiffness)
{
    scree_sim_numbers numbers;
    scree_scene_each own;
    scree_scene_law law = {0};
    scree_sim_def sim = s->scene->sim;
    scree_status status = scree_scene_make_each(s->scene, &s->set, &own);
    if (status == SCREE_OK)
        status = run_law(s->scene, -1, &s->set, &law, &sim);
    if (status != SCREE_OK) {
        scree_scene_each_free(&own);
        return status;
    }
    sim.box = s->set.box;
    sim.search = NULL;  // of no use here, and where the scene was copied it points into the other one
    sim.material_density = own.material_density;
    sim.each = own.each.material_density != NULL || own.each.fixed != NULL || own.each.material != NULL ? &own.each : NULL;
    status = scree_sim_find_numbers(&sim, scree_sphere_set_view(&s->set), &numbers);
    scree_scene_each_free(&own);
    scree_scene_law_free(&law);
    *stiffness = status == SCREE_OK ? numbers.stiffness : 0.0;
    return status;
}

// Into v, dim numbers for each sphere of the part.
static scree_status find_velocities(const start* s, const part* p, double* v)
{
    const scree_scene_group* group = &p->group;
    int64_t n = p->set.count, dim = s->set.dim;
    if (group->start == SCREE_START_FILE) {
        const scree_column* column = find_velocity(s->count == 1 ? &s->set : &p->set);
        if (column == NULL)
            return scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres.velocity", p->entry, "%s has no velocities; expected a vector of numbers named velocity, v or vel",
                                       group->file_path != NULL ? group->file_path : "the scene");
        for (int64_t i = 0; i < n; ++i)
            for (int64_t k = 0; k < dim; ++k)
                v[i * dim + k] = column->kind == SCREE_COLUMN_DOUBLE ? column->values[i * column->components + k]
                                                                     : (double)column->integers[i * column->components + k];
        return SCREE_OK;
    }
    if (group->start == SCREE_START_THERMAL) {
        scree_thermal_def def = scree_default_thermal_def();
        scree_status status = find_stiffness(s, &def.stiffness);
        if (status != SCREE_OK)
            return status;
        def.temperature = group->temperature;
        def.overlap = group->overlap;
        def.material_density = group->material_density;
        def.seed = p->seed;
        scree_spheres own = {.count = p->set.count, .dim = s->set.dim, .x = s->set.x + p->first * dim, .r = s->set.r + p->first};
        return scree_thermal_velocities(&def, own, v);
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = 0; k < dim; ++k)
            v[i * dim + k] = group->start == SCREE_START_GIVEN ? group->velocity[k] : 0.0;
    return SCREE_OK;
}

// A column of the whole, in place of what the file had under this name; the values are in `of`.
static scree_status put_column(scree_sphere_set* set, const char* name, scree_column of)
{
    scree_column* column = NULL;
    scree_status status = SCREE_OK;
    for (int32_t c = 0; c < set->column_count; ++c)
        if (strcmp(set->columns[c].name, name) == 0)
            column = &set->columns[c];
    if (column == NULL)
        status = scree_sphere_set_add(set, name, (scree_column_kind)of.kind, of.components, &column);
    if (status != SCREE_OK) {
        scree_free(of.values);
        scree_free(of.integers);
        return status;
    }
    scree_free(column->values);
    scree_free(column->integers);
    scree_free(column->text);
    scree_free(column->offset);
    of.name = column->name;
    *column = of;
    return SCREE_OK;
}

static scree_status add_velocities(start* s)
{
    scree_sphere_set* set = &s->set;
    double* v = scree_calloc((size_t)set->count * (size_t)set->dim, sizeof *v);
    if (v == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = SCREE_OK;
    for (int64_t n = 0; n < s->count && status == SCREE_OK; ++n)
        status = find_velocities(s, &s->parts[n], v + (int64_t)s->parts[n].first * set->dim);
    if (status != SCREE_OK) {
        scree_free(v);
        return status;
    }
    return put_column(set, "velocity", (scree_column){.kind = SCREE_COLUMN_DOUBLE, .components = set->dim, .values = v});
}

// ---- Materials and spins of files -----------------------------------------------------------------------------------------

static double number_at(const scree_column* column, int64_t e)
{
    return column->kind == SCREE_COLUMN_DOUBLE ? column->values[e] : (double)column->integers[e];
}

// Angular velocities as the files of several programs have them: of three components or, in 2D, of one, about z.
static const scree_column* find_spin(const scree_sphere_set* set)
{
    static const char* const names[] = {"spin", "spin_z", "omega", "w"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const scree_column* column = scree_sphere_set_find(set, names[k]);
        if (column != NULL && column->kind != SCREE_COLUMN_TEXT && (column->components == 3 || (column->components == 1 && set->dim == 2)))
            return column;
    }
    return NULL;
}

// The number of a material: a column of that name, from 0 on, or the types of LAMMPS, from 1 on.
static const scree_column* find_material(const scree_sphere_set* set, int64_t* first)
{
    static const char* const names[] = {"material", "type"};
    for (int k = 0; k < 2; ++k) {
        const scree_column* column = scree_sphere_set_find(set, names[k]);
        *first = k;
        if (column != NULL && column->kind == SCREE_COLUMN_INT64 && column->components == 1)
            return column;
    }
    return NULL;
}

static const scree_sphere_set* file_of(const start* s, const part* p)
{
    return s->count == 1 ? &s->set : &p->set;
}

static scree_status add_materials(start* s)
{
    bool wanted = false;
    for (int64_t n = 0; n < s->count; ++n)
        wanted = wanted || s->parts[n].group.material < 0;
    if (!wanted)
        return SCREE_OK;
    int64_t* number = scree_calloc((size_t)s->set.count, sizeof *number);
    if (number == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < s->count; ++n) {
        const part* p = &s->parts[n];
        int64_t first = 0;
        const scree_column* column = p->group.material < 0 ? find_material(file_of(s, p), &first) : NULL;
        if (p->group.material < 0 && column == NULL) {
            scree_free(number);
            return scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres.material", p->entry,
                                       "it is missing, and %s has no such column; expected whole numbers named material (from 0 on) or type (from 1 on)",
                                       p->group.file_path != NULL ? p->group.file_path : "the scene");
        }
        for (int64_t i = 0; i < p->set.count; ++i) {
            int64_t m = column != NULL ? column->integers[i] - first : p->group.material;
            number[p->first + i] = m;
            if (m >= 0 && m < s->scene->material_count)
                continue;
            scree_free(number);
            return scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres.file", p->entry, "%s: sphere %" PRId64 ": %s %" PRId64 "; expected %" PRId64 " to %" PRId64,
                                       p->group.file_path, i, first == 0 ? "material" : "type", m + first, first, s->scene->material_count - 1 + first);
        }
    }
    return put_column(&s->set, "material", (scree_column){.kind = SCREE_COLUMN_INT64, .components = 1, .integers = number});
}

// Spins of a file that would be lost: about axes that it does not have all of, or that discs do not turn about, or where nothing turns spheres.
static scree_status check_spins(const start* s, const part* p)
{
    static const char* const axes[] = {"spin_x", "spin_y", "spin_z"};
    const scree_sphere_set* set = file_of(s, p);
    const scree_column *column = find_spin(set), *whole = scree_sphere_set_find(set, "spin");
    bool turns = scree_scene_turns(s->scene);
    const char* found = whole != NULL && whole->components == 2 ? "spin_x and spin_y" : NULL;
    for (int k = 0; k < (set->dim == 2 ? 2 : 3) && found == NULL; ++k)
        found = scree_sphere_set_find(set, axes[k]) != NULL ? axes[k] : NULL;
    if (found != NULL)
        return scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres.file", p->entry, "%s has %s; %s", p->group.file_path, found,
                                   set->dim == 2 ? "expected spin_z: discs rotate about z" : "expected spin_x, spin_y and spin_z, all three or none");
    for (int64_t i = 0; column != NULL && i < p->set.count; ++i)
        for (int k = 0; k < column->components; ++k) {
            double value = number_at(column, i * column->components + k);
            int axis = column->components == 1 ? 2 : k;
            if (value != 0.0 && ((set->dim == 2 && axis < 2) || !turns))
                return scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres.file", p->entry, "%s: sphere %" PRId64 ": spin %c is %g; expected %s", p->group.file_path, i, "xyz"[axis], value,
                                           turns ? "0, since discs rotate about z only" : "0, or contact.friction, rolling_friction, twisting_friction or bonds in the scene, which exert torques");
        }
    return SCREE_OK;
}

static scree_status add_spins(start* s)
{
    bool wanted = false;
    for (int64_t n = 0; n < s->count; ++n) {
        const part* p = &s->parts[n];
        scree_status status = p->group.file_path != NULL && isnan(p->group.spin[2]) ? check_spins(s, p) : SCREE_OK;
        if (status != SCREE_OK)
            return status;
    }
    int64_t components = s->set.dim == 2 ? 1 : 3;
    for (int64_t n = 0; n < s->count; ++n)
        wanted = wanted || (isnan(s->parts[n].group.spin[2]) && find_spin(file_of(s, &s->parts[n])) != NULL);
    if (!wanted || !scree_scene_turns(s->scene))
        return SCREE_OK;
    double* spin = scree_calloc((size_t)s->set.count * (size_t)components, sizeof *spin);
    if (spin == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < s->count; ++n) {
        const part* p = &s->parts[n];
        const scree_column* column = find_spin(file_of(s, p));
        for (int64_t e = 0; column != NULL && e < p->set.count * components; ++e)
            spin[p->first * components + e] = number_at(column, components == 3 ? e : e * column->components + column->components - 1);
    }
    return put_column(&s->set, components == 1 ? "spin_z" : "spin", (scree_column){.kind = SCREE_COLUMN_DOUBLE, .components = (int32_t)components, .values = spin});
}

// ---- All -------------------------------------------------------------------------------------------------------------------

// One set of all parts. A single part is it, with the columns of its file; of several, their numbers are a column.
static scree_status join(start* s)
{
    int64_t sum = 0;
    for (int64_t n = 0; n < s->count; ++n) {
        s->parts[n].first = (int32_t)sum;
        sum += s->parts[n].set.count;
        if (sum > INT32_MAX)
            return scree_scene_fail_at(s->scene, SCREE_ERR_ARGUMENT, "spheres", s->parts[n].entry, "more than %d spheres; expected at most that many", INT32_MAX);
    }
    if (s->count == 1) {
        s->set = s->parts[0].set;
        s->parts[0].set = (scree_sphere_set){.dim = s->set.dim, .count = s->set.count};
        return SCREE_OK;
    }
    scree_status status = scree_sphere_set_make(s->scene->sim.box.dim, (int32_t)sum, &s->set);
    int64_t* counts = status == SCREE_OK ? scree_malloc((size_t)s->count, sizeof *counts) : NULL;
    s->placed_x = scree_malloc((size_t)sum, 3 * sizeof *s->placed_x);
    s->placed_r = scree_malloc((size_t)sum, sizeof *s->placed_r);
    s->placed_id = scree_malloc((size_t)sum, sizeof *s->placed_id);
    if (status == SCREE_OK && (counts == NULL || s->placed_x == NULL || s->placed_r == NULL || s->placed_id == NULL))
        status = SCREE_ERR_MEMORY;
    size_t dim = (size_t)s->scene->sim.box.dim;
    for (int64_t n = 0; n < s->count && status == SCREE_OK; ++n) {
        const part* p = &s->parts[n];
        counts[n] = p->set.count;
        memcpy(s->set.r + p->first, p->set.r, (size_t)p->set.count * sizeof *p->set.r);
        if (p->group.file_path != NULL)
            memcpy(s->set.x + (size_t)p->first * dim, p->set.x, (size_t)p->set.count * dim * sizeof *p->set.x);
    }
    if (status == SCREE_OK)
        status = run_add_groups(s->scene, counts, &s->set);
    scree_free(counts);
    s->placed = (scree_spheres){.dim = (int32_t)dim, .x = s->placed_x, .r = s->placed_r};
    return status;
}

static scree_status make_all(start* s)
{
    scree_status status = SCREE_OK;
    scree_box box = {0};
    for (int64_t n = 0; n < s->count && status == SCREE_OK; ++n) {
        part* p = &s->parts[n];
        *p = (part){.group = scree_scene_get_entry(s->scene, n), .entry = s->scene->listed ? n : -1, .seed = seed_of(s->scene, n)};
        status = p->group.file_path != NULL ? read_spheres(s, p) : draw_radii(s, p);
    }
    if (status == SCREE_OK)
        status = find_box(s, &box);
    if (status == SCREE_OK)
        status = join(s);
    if (status != SCREE_OK)
        return status;
    s->set.box = box;
    s->set.has_box = true;
    s->set.container = s->container;
    status = scree_scene_make_shapes(s->scene, &s->shapes);
    if (status == SCREE_OK)
        status = place_all(s);
    if (status == SCREE_OK)
        status = add_materials(s);  // thermal velocities need them
    if (status == SCREE_OK)
        status = add_spins(s);
    return status == SCREE_OK ? add_velocities(s) : status;
}

scree_status run_scene_spheres(const scree_scene* scene, scree_watch watch, bool trial, scree_sphere_set* out)
{
    start s = {.scene = scene, .watch = watch, .trial = trial, .count = scene->group_count > 0 ? scene->group_count : 1};
    s.parts = scree_calloc((size_t)s.count, sizeof *s.parts);
    scree_status status = s.parts == NULL ? SCREE_ERR_MEMORY : make_all(&s);
    for (int64_t n = 0; n < s.count && s.parts != NULL; ++n)
        scree_sphere_set_free(&s.parts[n].set);
    scree_free(s.parts);
    scree_free(s.placed_x);
    scree_free(s.placed_r);
    scree_free(s.placed_id);
    scree_scene_shapes_free(&s.shapes);
    if (status != SCREE_OK) {
        scree_sphere_set_free(&s.set);
        return status;
    }
    *out = s.set;
    return SCREE_OK;
}

scree_status scree_scene_make_spheres(const scree_scene* scene, scree_watch watch, scree_sphere_set* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    if (scene->start_run != NULL)
        return scree_scene_fail_at(scene, SCREE_ERR_UNSUPPORTED, "start.run", -1, "the spheres come from another run; expected a call of scree_run_create");
    return run_scene_spheres(scene, watch, false, out);
}
