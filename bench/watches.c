// watches: how soon long calls hear that they are to stop. Every public call whose time grows with its input is made with a million items under a watch that never stops it; what is measured is the
// longest processor time between two questions, which is how long Ctrl-C would have to wait. One thread, so that nothing else is counted.
#define _XOPEN_SOURCE 700  // nftw
#include "harness.h"

#include "scree/report.h"
#include "scree/run.h"
#include "scree/view.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- The watch -------------------------------------------------------------------------------------------------------

typedef struct heard {
    int64_t questions, before;  // before: which question the longest time came before; one more than there are: it was at the end
    double last, longest;
} heard;

static bool hear(void* context, double done)
{
    heard* h = context;
    const double now = bench_timer(1);
    (void)done;
    ++h->questions;
    if (now - h->last > h->longest) {
        h->longest = now - h->last;
        h->before = h->questions;
    }
    h->last = bench_timer(1);
    return true;
}

// ---- What the calls are about ------------------------------------------------------------------------------------------

typedef struct things {
    int32_t n;
    scree_watch watch;
    char folder[512], path[600];
    scree_sphere_set set;        // touching on a lattice, in random order, walls
    scree_spheres spheres;
    double *x, *v, *a, *mass;
    int32_t* group;
    int64_t* ids;
    scree_points points;
    scree_index_def search;
    scree_index* index;
    scree_pairs pairs;
    scree_bvh* bvh;
    scree_sim_def def;
    scree_sim* sim;              // with friction and contacts, one step done
    scree_snapshot snapshot;
    scree_event_system* gas;
    scree_checkpoint saved;
    scree_triangles ball;
    scree_surface* surface;
    scree_candidates* candidates;
    scree_candidate_items items;
    double (*xr)[4];
    scree_sizes* sizes;
    scree_polygon_sim* polygons;
    scree_scene* scene;
    scree_run* run;
    scree_sim_law law;
    scree_sim_pair pair;
    scree_sim_contacts contacts;  // of the simulation
} things;

typedef struct long_call {
    const char* name;
    int32_t share;  // of the items, as n / share; 0: all
    scree_status (*call)(things* t);
} long_call;

static const char* path_of(things* t, const char* name)
{
    snprintf(t->path, sizeof t->path, "%s/%s", t->folder, name);
    return t->path;
}

// ---- Geometry and sizes ------------------------------------------------------------------------------------------------

static scree_status call_check(things* t) { return scree_spheres_check(t->spheres, &t->set.box); }
static scree_status call_bounds(things* t) { return scree_spheres_bounds(t->spheres).dim == 3 ? SCREE_OK : SCREE_ERR_ARGUMENT; }
static scree_status call_volume(things* t) { return scree_spheres_volume(t->spheres) > 0.0 ? SCREE_OK : SCREE_ERR_ARGUMENT; }
static scree_status call_check_box(things* t) { return scree_sphere_set_check_box(&t->set); }

static scree_status call_wrap(things* t)
{
    scree_box box = t->set.box;
    box.periodic[0] = box.periodic[1] = box.periodic[2] = true;
    box.tilt[0] = 0.3;
    return scree_box_wrap_centres(&box, t->n, t->x, NULL);
}

static scree_status call_draw(things* t)
{
    double* r = scree_malloc((size_t)t->n, sizeof *r);
    scree_status status = r == NULL ? SCREE_ERR_MEMORY : scree_sizes_draw(t->sizes, SCREE_SAMPLING_SYSTEMATIC, 1, t->n, r);
    scree_free(r);
    return status;
}

static scree_status call_realised(things* t)
{
    enum { rows = 100 };
    double d[rows], number[rows], mass[rows];
    for (int k = 0; k < rows; ++k)
        d[k] = 2.0 * (k + 1) / rows;
    return scree_sizes_realised(t->n, t->spheres.r, 3, rows, d, number, mass);
}

static scree_status call_sizes_table(things* t)
{
    double *d = scree_malloc((size_t)t->n, sizeof *d), *share = scree_malloc((size_t)t->n, sizeof *share);
    for (int32_t i = 0; d != NULL && share != NULL && i < t->n; ++i) {
        d[i] = 1.0 + (double)i / t->n;
        share[i] = (double)i / (t->n - 1.0);
    }
    scree_sizes* sizes = NULL;
    scree_status status = d == NULL || share == NULL ? SCREE_ERR_MEMORY : scree_sizes_table(SCREE_TABLE_PASSING_MASS, 3, t->n, d, share, &sizes);
    scree_sizes_destroy(sizes);
    scree_free(d);
    scree_free(share);
    return status;
}

// ---- Searches ----------------------------------------------------------------------------------------------------------

static scree_status search_by(things* t, scree_method method)
{
    scree_index_def def = t->search;
    scree_index* index;
    scree_pairs pairs;
    def.method = (int32_t)method;
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, t->spheres);
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    scree_index_destroy(index);
    return status;
}

static scree_status call_search_grid(things* t) { return search_by(t, SCREE_METHOD_HIERARCHICAL_GRID); }
static scree_status call_search_cells(things* t) { return search_by(t, SCREE_METHOD_LINKED_CELLS); }
static scree_status call_search_octree(things* t) { return search_by(t, SCREE_METHOD_OCTREE); }
static scree_status call_search_loose(things* t) { return search_by(t, SCREE_METHOD_LOOSE_OCTREE); }
static scree_status call_search_linear(things* t) { return search_by(t, SCREE_METHOD_LINEAR_LIST); }
static scree_status call_update(things* t) { return scree_index_update(t->index, t->spheres); }
static scree_status call_pairs(things* t) { return scree_index_pairs(t->index, &t->pairs); }
static scree_status call_index_scale(things* t) { return scree_index_scale(t->index, 1.0 + 1e-9, 1.0); }
static scree_status call_set_box(things* t) { return scree_index_set_box(t->index, &t->set.box); }
static scree_status call_set_user_all(things* t) { return scree_index_set_user_all(t->index, t->ids); }
static scree_status call_get_user_all(things* t) { return scree_index_get_user_all(t->index, t->ids); }
static scree_status call_index_get_all(things* t) { return scree_index_get_all(t->index, t->xr); }
static scree_status call_index_validate(things* t) { return scree_index_validate(t->index); }

static scree_status call_set_mask(things* t)
{
    const scree_pair_mask mask = {.count = t->n, .group = t->group};
    scree_status status = scree_index_set_mask(t->index, &mask);
    return status == SCREE_OK ? scree_index_set_mask(t->index, NULL) : status;
}

static scree_status call_box_pairs(things* t)
{
    scree_index* index;
    scree_pairs pairs;
    scree_index_def def = t->search;
    def.method = SCREE_METHOD_LINEAR_LIST;
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update_boxes(index, t->spheres, t->mass);
    if (status == SCREE_OK)
        status = scree_index_box_pairs(index, &pairs);
    scree_index_destroy(index);
    return status;
}

static scree_status call_find_pairs(things* t)
{
    scree_found_pairs found;
    scree_status status = scree_find_pairs(&t->search, t->points, &found);
    scree_found_pairs_free(&found);
    return status;
}

static scree_status call_full_pairs(things* t)
{
    scree_found_pairs found;
    scree_status status = scree_full_pairs(t->n, t->pairs, &found);
    scree_found_pairs_free(&found);
    return status;
}

static bool visit(void* context, int32_t i, int32_t j, const int8_t* shift)
{
    (void)context, (void)i, (void)j, (void)shift;
    return true;
}

static scree_status call_visit(things* t) { return scree_visit_pairs(&t->search, t->points, visit, NULL); }

static scree_status call_bvh(things* t)
{
    scree_bvh_def def = scree_default_bvh_def();
    scree_bvh* bvh;
    def.threads = 1;
    scree_status status = scree_bvh_create(&def, t->points, &bvh);
    scree_bvh_destroy(bvh);
    return status;
}

static scree_status call_within(things* t)
{
    scree_hits hits;
    scree_status status = scree_bvh_within(t->bvh, t->points, 0.0, &hits);
    scree_hits_free(&hits);
    return status;
}

static scree_status call_nearest(things* t)
{
    scree_hits hits;
    scree_status status = scree_bvh_nearest(t->bvh, t->points, 8, INFINITY, &hits);
    scree_hits_free(&hits);
    return status;
}

static scree_status call_boxes(things* t)
{
    scree_hits hits;
    scree_status status = scree_bvh_boxes(t->bvh, t->n, t->spheres.x, t->spheres.x, NULL, &hits);
    scree_hits_free(&hits);
    return status;
}

static scree_status call_rays(things* t)
{
    scree_hits hits;
    scree_status status = scree_bvh_rays(t->bvh, t->n, t->spheres.x, t->v, 5.0, true, NULL, &hits);
    scree_hits_free(&hits);
    return status;
}

static scree_status call_candidates_update(things* t)
{
    t->items.others = true;
    return scree_candidates_update(t->candidates, &t->items);
}

static scree_status call_candidates_hold(things* t)
{
    bool holds;
    t->items.others = false;
    t->items.moved = NAN;
    return scree_candidates_hold(t->candidates, &t->items, &holds);
}

static scree_status call_first_skin(things* t)
{
    double skin;
    return scree_candidates_first_skin(t->candidates, t->spheres, 0.01, &skin);
}

// ---- Measures ----------------------------------------------------------------------------------------------------------

static scree_measure_def measure_def(const things* t)
{
    scree_measure_def def = scree_default_measure_def();
    def.box = t->set.box;
    def.threads = 1;
    def.watch = t->watch;
    return def;
}

static scree_status call_measure(things* t)
{
    const scree_measure_def def = measure_def(t);
    scree_measures measures;
    scree_status status = scree_measure(&def, t->spheres, &measures);
    scree_measures_free(&measures);
    return status;
}

static scree_status call_density(things* t)
{
    scree_measure_def def = measure_def(t);
    scree_density density;
    def.margin = 1.5;
    return scree_measure_density(&def, t->spheres, &density);
}

static scree_status call_size_curve(things* t)
{
    const scree_measure_def def = measure_def(t);
    scree_size_curve curve;
    scree_status status = scree_measure_size_curve(&def, t->spheres, &curve);
    scree_size_curve_free(&curve);
    return status;
}

static scree_status call_nearest_gaps(things* t)
{
    const scree_measure_def def = measure_def(t);
    scree_nearest nearest;
    scree_status status = scree_measure_nearest(&def, t->spheres, &nearest);
    scree_nearest_free(&nearest);
    return status;
}

static scree_status call_find_contacts(things* t)
{
    scree_contact_table table;
    scree_status status = scree_find_contacts(&t->snapshot, 0.0, &table);
    scree_contact_table_free(&table);
    return status;
}

static scree_status call_fields(things* t)
{
    scree_fields_def def = scree_default_fields_def();
    scree_fields fields;
    scree_status status = scree_measure_fields(&t->snapshot, &def, &fields);
    scree_fields_free(&fields);
    return status;
}

static scree_status call_network(things* t)
{
    scree_network_def def = scree_default_network_def();
    scree_network network;
    scree_status status = scree_measure_network(&t->snapshot, &def, &network);
    scree_network_free(&network);
    return status;
}

static scree_status call_wall_stress(things* t)
{
    scree_wall_stress stress;
    return scree_measure_wall_stress(&t->snapshot, 0, &stress);
}

static scree_status call_groups(things* t)
{
    scree_group_table table;
    scree_status status = scree_measure_groups(&t->snapshot, &table);
    scree_group_table_free(&table);
    return status;
}

static scree_status call_mixing(things* t)
{
    scree_mixing_def def = scree_default_mixing_def();
    scree_mixing mixing;
    return scree_measure_mixing(&t->snapshot, &def, &mixing);
}

static scree_status call_repose(things* t)
{
    scree_repose_def def = scree_default_repose_def();
    scree_repose repose;
    return scree_measure_repose(&t->snapshot, &def, &repose);
}

static scree_status call_flow(things* t)
{
    scree_flow flow;
    return scree_measure_flow(&t->snapshot, &t->snapshot, 0, 10.0, &flow);
}

// ---- Packings ----------------------------------------------------------------------------------------------------------

static scree_status call_place_random(things* t)
{
    scree_place_def def = scree_default_place_def();
    def.watch = t->watch;
    def.box = t->set.box;
    for (int k = 0; k < 3; ++k)
        def.box.upper[k] *= 1.6;
    def.threads = 1;
    return scree_place_random(&def, t->n, t->spheres.r, t->x);
}

static scree_status call_place_lattice(things* t)
{
    scree_place_def def = scree_default_place_def();
    def.watch = t->watch;
    def.box = t->set.box;
    for (int k = 0; k < 3; ++k)
        def.box.upper[k] *= 1.6;
    return scree_place_lattice(&def, 0.0, t->n, t->spheres.r, t->x);
}

static scree_status call_predict(things* t)
{
    double density;
    return scree_predict_density(3, t->n, t->mass, &density);
}

static scree_status call_rearrange(things* t)
{
    scree_rearrange_def def = scree_default_rearrange_def();
    def.watch = t->watch;
    scree_packing packing;
    def.threads = 1;
    def.sweeps = 3;
    def.warm_up = 0;
    scree_status status = scree_pack_rearrange(&def, t->n, t->spheres.r, &packing);
    scree_packing_free(&packing);
    return status;
}

static scree_status call_drop(things* t)
{
    scree_drop_def def = scree_default_drop_def();
    def.watch = t->watch;
    scree_packing packing;
    for (int k = 0; k < 3; ++k)
        def.box.upper[k] = 100.0;
    scree_status status = scree_pack_drop(&def, t->n, t->spheres.r, &packing);
    scree_packing_free(&packing);
    return status;
}

static scree_status call_compress(things* t)
{
    scree_compress_def def = scree_default_compress_def();
    def.watch = t->watch;
    scree_packing packing;
    def.threads = 1;
    def.steps = 20;
    scree_status status = scree_pack_compress(&def, t->n, t->spheres.r, &packing);
    scree_packing_free(&packing);
    return status;
}

static scree_status call_grow(things* t)
{
    scree_grow_def def = scree_default_grow_def();
    def.watch = t->watch;
    scree_growth growth;
    def.density = 0.3;
    def.rate = 10.0;
    def.threads = 1;
    scree_status status = scree_pack_grow(&def, t->n, t->spheres.r, &growth);
    scree_growth_free(&growth);
    return status;
}

static scree_status call_stability(things* t)
{
    scree_stability out;
    return scree_find_stability(&t->set.box, SCREE_CONTAINER_BOX, 1, t->spheres, &out);
}

// ---- Simulations -------------------------------------------------------------------------------------------------------

static scree_status call_find_numbers(things* t)
{
    scree_sim_numbers numbers;
    return scree_sim_find_numbers(&t->def, t->spheres, &numbers);
}

static scree_status call_sim_create(things* t)
{
    scree_sim_destroy(t->sim);
    t->sim = NULL;
    return scree_sim_create(&t->def, t->spheres, t->v, &t->sim);
}

static scree_status call_sim_create_bonded(things* t)
{
    scree_sim_bond kind = scree_default_sim_bond();
    scree_sim_bonds_def bonds = scree_default_sim_bonds_def();
    scree_sim_def def = t->def;
    kind.gap = 0.0;
    kind.radius = 0.5;
    kind.young = 1e6;
    kind.shear = 4e5;
    bonds.kind_count = 1;
    bonds.kinds = &kind;
    def.bonds = &bonds;
    scree_sim_destroy(t->sim);
    t->sim = NULL;
    return scree_sim_create(&def, t->spheres, t->v, &t->sim);
}

static scree_status call_run(things* t) { return scree_sim_run(t->sim, 3); }

static scree_status call_get_state(things* t)
{
    const scree_sim_values values[] = {{"x", t->x}, {"v", t->v}, {"a", t->a}};
    scree_sim_state state = {.column_count = 3, .columns = values};
    return scree_sim_get_state(t->sim, &state);
}

static scree_status call_get_memory(things* t)
{
    scree_sim_memory memory;
    return scree_sim_get_memory(t->sim, &memory);
}

static scree_status call_get_bonds(things* t)
{
    scree_sim_bonds bonds;
    return scree_sim_get_bonds(t->sim, &bonds);
}

static scree_status call_save(things* t)
{
    scree_checkpoint_free(&t->saved);
    return scree_checkpoint_save(t->sim, &t->saved);
}

static scree_status call_attach(things* t)
{
    scree_checkpoint attached = {0};
    scree_status status = scree_checkpoint_attach(t->sim, &attached);
    scree_checkpoint_free(&attached);
    return status;
}

static scree_status call_restore(things* t) { return scree_checkpoint_restore(&t->saved, t->sim); }
static scree_status call_write_checkpoint(things* t) { return scree_write_checkpoint(path_of(t, "a.checkpoint"), &t->saved); }

static scree_status call_read_checkpoint(things* t)
{
    scree_checkpoint_free(&t->saved);
    return scree_read_checkpoint(path_of(t, "a.checkpoint"), &t->saved);
}

static scree_status call_sim_measure(things* t)
{
    scree_sim_report report;
    return scree_sim_measure(t->sim, &report);
}

static scree_status call_get_contacts(things* t)
{
    t->snapshot.contacts = &t->contacts;
    return scree_sim_get_contacts(t->sim, &t->contacts);
}

static scree_status call_boundaries(things* t) { return scree_sim_get_boundaries(t->sim, NULL, 0) >= 0 ? SCREE_OK : SCREE_ERR_CANCELLED; }
static scree_status call_hash(things* t) { return scree_sim_hash(t->sim) != 0 ? SCREE_OK : SCREE_ERR_CANCELLED; }
static scree_status call_get_column(things* t) { return scree_sim_get_column(t->sim, "x", t->x); }

static scree_status call_sim_validate(things* t)
{
    scree_sim* sim;
    scree_spheres few = t->spheres;
    few.count = t->n;
    scree_status status = scree_sim_create(&t->def, few, NULL, &sim);
    if (status == SCREE_OK) {
        status = scree_sim_validate(sim);
        scree_sim_destroy(sim);
    }
    return status;
}

static scree_status call_get_rows(things* t)
{
    const scree_sim_values values[] = {{"x", t->x}, {"radius", t->mass}};
    return scree_sim_get_rows(t->sim, 0, t->n, 2, values);
}

static scree_status call_set_external(things* t) { return scree_sim_set_external(t->sim, t->v, NULL); }
static scree_status call_get_external(things* t) { return scree_sim_get_external(t->sim, t->x, NULL); }
static scree_status call_set_contacts(things* t) { return scree_sim_set_contacts(t->sim, &t->def, t->spheres); }
static scree_status call_set_time_step(things* t) { return scree_sim_set_time_step(t->sim, 0.9 * scree_sim_get_numbers(t->sim).time_step); }
static scree_status call_sim_scale(things* t) { return scree_sim_scale(t->sim, 1.0, 0.99); }

static scree_status call_find_plan(things* t)
{
    scree_sim_plan plan;
    return scree_sim_find_plan(t->sim, 8, &plan);
}

static scree_status call_find_costs(things* t)
{
    scree_sim_costs costs;
    return scree_sim_find_costs(t->sim, 20, &costs);
}

static scree_status call_remove(things* t) { return scree_sim_remove(t->sim, t->n / 2, t->ids); }

static scree_status call_insert(things* t)
{
    int64_t first;
    double* far = scree_malloc(3 * (size_t)(t->n / 2), sizeof *far);
    for (int64_t e = 0; far != NULL && e < 3 * (int64_t)(t->n / 2); ++e)
        far[e] = t->spheres.x[e];
    const scree_spheres more = {.count = t->n / 2, .dim = 3, .x = far, .r = t->spheres.r};
    scree_status status = far != NULL ? scree_sim_insert(t->sim, more, NULL, NULL, &first) : SCREE_ERR_MEMORY;
    scree_free(far);
    return status;
}

static scree_status call_thermal(things* t)
{
    scree_thermal_def def = scree_default_thermal_def();
    def.temperature = 1.0;
    return scree_thermal_velocities(&def, t->spheres, t->v);
}

static scree_status call_event_create(things* t)
{
    scree_event_def def = scree_default_event_def();
    def.watch = t->watch;
    def.box = t->set.box;
    def.scale = 0.9;
    def.threads = 1;
    scree_event_destroy(t->gas);
    return scree_event_create(&def, t->spheres, t->v, &t->gas);
}

static scree_status call_event_run(things* t)
{
    scree_event_until until = scree_default_event_until();
    until.collisions = t->n / 10;
    return scree_event_run(t->gas, &until);
}

static scree_status call_event_state(things* t)
{
    scree_event_get_state(t->gas, t->x, NULL);
    return SCREE_OK;
}

static scree_status call_event_validate(things* t)
{
    scree_spheres few = t->spheres;
    few.count = t->n;
    scree_event_def def = scree_default_event_def();
    def.box = t->set.box;
    def.scale = 0.9;
    def.threads = 1;
    def.watch = t->watch;
    scree_event_system* gas;
    scree_status status = scree_event_create(&def, few, t->v, &gas);
    if (status == SCREE_OK) {
        status = scree_event_validate(gas);
        scree_event_destroy(gas);
    }
    return status;
}
static scree_status call_event_temperature(things* t) { return scree_event_set_temperature(t->gas, 2.0); }

// ---- Files -------------------------------------------------------------------------------------------------------------

static scree_status write_as(things* t, const char* name) { return scree_write_spheres(path_of(t, name), NULL, &t->set); }

static scree_status read_as(things* t, const char* name)
{
    scree_sphere_set set;
    scree_status status = scree_read_spheres(path_of(t, name), NULL, &set);
    scree_sphere_set_free(&set);
    unlink(t->path);
    return status;
}

static scree_status call_write_csv(things* t) { return write_as(t, "a.csv"); }
static scree_status call_write_vtp(things* t) { return write_as(t, "a.vtp"); }
static scree_status call_write_xyz(things* t) { return write_as(t, "a.xyz"); }
static scree_status call_write_lammps(things* t) { return write_as(t, "a.lammps"); }
static scree_status call_write_npy(things* t) { return write_as(t, "a.npy"); }
static scree_status call_read_csv(things* t) { return read_as(t, "a.csv"); }
static scree_status call_read_vtp(things* t) { return read_as(t, "a.vtp"); }
static scree_status call_read_xyz(things* t) { return read_as(t, "a.xyz"); }
static scree_status call_read_lammps(things* t) { return read_as(t, "a.lammps"); }
static scree_status call_read_npy(things* t) { return read_as(t, "a.npy"); }

static scree_status call_write_pairs(things* t)
{
    scree_status status = scree_write_pairs(path_of(t, "pairs.csv"), NULL, &t->set.box, t->spheres, t->pairs);
    unlink(t->path);
    return status;
}

static scree_status call_write_table(things* t)
{
    const scree_table_column column[] = {{.name = "m", .values = t->mass}, {.name = "id", .integers = t->ids}};
    return scree_write_table(path_of(t, "table.csv"), NULL, t->n, 2, column);
}

static scree_status call_read_sizes(things* t)
{
    scree_sizes* sizes = NULL;
    char text[700];
    FILE* file = fopen(path_of(t, "sieve.csv"), "w");
    if (file == NULL)
        return scree_fail(SCREE_ERR_IO, "%s: cannot be written", t->path);
    fprintf(file, "d,passing_mass\n");
    for (int32_t i = 0; i < t->n; ++i)
        fprintf(file, "%.9g,%.9g\n", 1.0 + (double)i / t->n, (double)i / (t->n - 1.0));
    fclose(file);
    snprintf(text, sizeof text, "table:%s", t->path);
    heard* h = t->watch.context;
    h->last = bench_timer(1);  // the file is written here
    scree_status status = scree_read_sizes(text, 3, &sizes);
    scree_sizes_destroy(sizes);
    return status;
}

static scree_status call_read_contacts(things* t)
{
    scree_contact_table table;
    FILE* file = fopen(path_of(t, "contacts.csv"), "w");
    if (file == NULL)
        return scree_fail(SCREE_ERR_IO, "%s: cannot be written", t->path);
    fprintf(file, "i,j,overlap,nx,ny,nz,fx,fy,fz\n");
    for (int32_t i = 0; i + 1 < t->n; ++i)
        fprintf(file, "%d,%d,0.01,1,0,0,%d.5,0,0\n", i, i + 1, i % 7);
    fclose(file);
    heard* h = t->watch.context;
    h->last = bench_timer(1);
    scree_status status = scree_read_contacts(t->path, NULL, &table);
    scree_contact_table_free(&table);
    return status;
}

// ---- Meshes ------------------------------------------------------------------------------------------------------------

static scree_status call_triangles_check(things* t) { return scree_triangles_check(&t->ball); }

static scree_status call_triangles_place(things* t)
{
    scree_placement placement = scree_default_placement();
    placement.scale = 1.0 + 1e-12;
    return scree_triangles_place(&t->ball, &placement);
}

static scree_status call_write_triangles(things* t) { return scree_write_triangles(path_of(t, "a.stl"), NULL, &t->ball); }

static scree_status call_read_triangles(things* t)
{
    scree_triangles read;
    scree_status status = scree_read_triangles(path_of(t, "a.stl"), NULL, &read);
    scree_triangles_free(&read);
    return status;
}

static scree_status call_surface(things* t)
{
    scree_surface_def def = scree_default_surface_def();
    def.threads = 1;
    scree_surface_destroy(t->surface);
    return scree_surface_create(&def, &t->ball, &t->surface);
}

static scree_status call_surface_rows(things* t)
{
    scree_surface_rows rows = {0};
    scree_status status = scree_surface_rows_make(t->surface, t->n, (const double (*)[4])t->xr, 0.1, 1, &rows);
    scree_surface_rows_free(&rows);
    return status;
}

static scree_status call_winding(things* t)
{
    int32_t winding;
    return scree_surface_winding(t->surface, (const double[3]){0.1, 0.2, 0.3}, &winding);
}

// ---- Polygons ----------------------------------------------------------------------------------------------------------

// One polygon with so many vertices.
static scree_status with_large_polygon(things* t, scree_status (*call)(things* t, scree_polygon polygon))
{
    double* xy = scree_malloc(2 * (size_t)t->n, sizeof *xy);
    if (xy == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < t->n; ++i) {
        const double a = 6.28318530717958648 * i / t->n, r = 1.0 + 0.1 * sin(40.0 * a);
        xy[2 * i] = r * cos(a);
        xy[2 * i + 1] = r * sin(a);
    }
    heard* h = t->watch.context;
    h->last = bench_timer(1);
    scree_status status = call(t, (scree_polygon){.count = t->n, .xy = xy});
    scree_free(xy);
    return status;
}

static scree_status check_polygon(things* t, scree_polygon polygon)
{
    (void)t;
    return scree_polygon_check(polygon);
}

static scree_status measure_polygon(things* t, scree_polygon polygon)
{
    scree_polygon_numbers numbers;
    (void)t;
    return scree_polygon_measure(polygon, &numbers);
}

static scree_status round_polygon(things* t, scree_polygon polygon)
{
    scree_polygon_rounded rounded;
    (void)t;
    return scree_polygon_round(polygon, 1e-7, &rounded);
}

static scree_status add_polygon(things* t, scree_polygon polygon)
{
    scree_shapes shapes = {0};
    int32_t shape;
    (void)t;
    scree_status status = scree_shapes_add(&shapes, polygon, &shape);
    scree_shapes_free(&shapes);
    return status;
}

static scree_status call_polygon_check(things* t) { return with_large_polygon(t, check_polygon); }
static scree_status call_polygon_measure(things* t) { return with_large_polygon(t, measure_polygon); }
static scree_status call_polygon_round(things* t) { return with_large_polygon(t, round_polygon); }
static scree_status call_shapes_add(things* t) { return with_large_polygon(t, add_polygon); }

static scree_status parse(things* t, const char* text)
{
    scree_scene_destroy(t->scene);
    t->scene = NULL;
    return scree_scene_parse("watches.yaml", text, strlen(text), &t->scene);
}

static scree_status call_make_bodies(things* t)
{
    char text[512];
    scree_body_set set;
    const double side = 4.0 * sqrt(t->n);
    snprintf(text, sizeof text, "dimension: 2\nbox: {size: [%g, %g]}\ncontact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 3}\nbodies:\n- {shape: star, sizes: mono:1, count: %d, place: random}\n", side, side, t->n);
    scree_status status = parse(t, text);
    if (status == SCREE_OK)
        status = scree_scene_make_bodies(t->scene, t->watch, &set);
    if (status != SCREE_OK)
        return status;
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.box = set.box;
    def.stiffness = 1e3;
    def.threads = 1;
    def.time_step = 1e-4;
    def.watch = t->watch;
    status = scree_polygon_sim_create(&def, &set.shapes, set.count, set.bodies, &t->polygons);
    scree_body_set_free(&set);
    return status;
}

static scree_status call_polygon_run(things* t) { return scree_polygon_sim_run(t->polygons, 2); }

static scree_status call_polygon_report(things* t)
{
    scree_polygon_sim_report report;
    return scree_polygon_sim_measure(t->polygons, &report);
}

static scree_status call_polygon_state(things* t)
{
    scree_polygon_sim_state state = {.x = t->x, .angle = t->a, .v = t->v, .spin = t->mass};
    scree_status status = scree_polygon_sim_get_state(t->polygons, &state);
    return status == SCREE_OK ? scree_polygon_sim_set_state(t->polygons, &state) : status;
}

static scree_status call_polygon_outlines(things* t)
{
    scree_outline_set set;
    scree_status status = scree_outline_set_copy(t->polygons, &set);
    if (status == SCREE_OK)
        status = scree_outline_set_check(&set);
    if (status == SCREE_OK)
        status = scree_write_outlines(path_of(t, "o.vtp"), NULL, &set);
    scree_outline_set_free(&set);
    if (status == SCREE_OK)
        status = scree_read_outlines(path_of(t, "o.vtp"), NULL, &set);
    scree_outline_set_free(&set);
    unlink(t->path);
    return status;
}

// ---- Pictures and runs ---------------------------------------------------------------------------------------------------

static scree_status call_picture(things* t)
{
    scree_picture_def def = scree_default_picture_def();
    def.watch = t->watch;
    def.threads = 1;
    return scree_write_picture(path_of(t, "a.png"), &t->set, &def);
}

static scree_status call_view(things* t)
{
    scree_view_def def = scree_default_view_def();
    def.watch = t->watch;
    def.threads = 1;
    scree_status status = scree_write_view(path_of(t, "a.html"), 1, NULL, &t->set, &def);
    unlink(t->path);
    return status;
}

static bool tell(void* context, const scree_run_progress* progress)
{
    (void)progress;
    return hear(context, 0.0);
}

static scree_run_def run_def(things* t)
{
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    def.tell = tell;
    def.draw = scree_draw_frame;
    def.context = t->watch.context;
    return def;
}

static scree_status call_run_create(things* t)
{
    char text[1400];
    scree_status status = scree_write_spheres(path_of(t, "start.npy"), NULL, &t->set);
    snprintf(text, sizeof text,
             "box: {size: [%.17g, %.17g, %.17g]}\nspheres: {file: '%s', material_density: 1, velocity: thermal, temperature: 1e-6}\n"
             "contact: {stiffness: 1000, restitution: 0.5, friction: 0.3}\ntime: {step: 1e-4, steps: 4}\noutput: {every_steps: 2, contacts: true, pictures: %s, formats: [vtp, csv]}\n",
             t->set.box.upper[0], t->set.box.upper[1], t->set.box.upper[2], t->path, t->n >= 100000 ? "true" : "false");
    heard* h = t->watch.context;
    h->last = bench_timer(1);
    if (status == SCREE_OK)
        status = parse(t, text);
    const scree_run_def def = run_def(t);
    return status == SCREE_OK ? scree_run_create(&def, t->scene, path_of(t, "run"), &t->run) : status;
}

static scree_status call_run_go(things* t) { return scree_run_go(t->run); }

static scree_status call_summary(things* t)
{
    scree_run_summary* summary = NULL;
    scree_status status = scree_run_summary_create(t->run, &summary);
    scree_run_summary_destroy(summary);
    return status;
}

static scree_status call_report(things* t) { return scree_run_write_report(t->run); }

static scree_status call_get_spheres(things* t)
{
    const scree_sphere_set* set;
    return scree_run_get_spheres(t->run, &set);
}

static scree_status call_resume(things* t)
{
    scree_run_destroy(t->run);
    t->run = NULL;
    const scree_run_def def = run_def(t);
    return scree_run_resume(&def, path_of(t, "run"), &t->run);
}

static scree_status call_masses(things* t)
{
    scree_sphere_set set;
    double* mass = scree_malloc((size_t)t->n, sizeof *mass);
    scree_status status = mass == NULL ? SCREE_ERR_MEMORY : scree_scene_make_spheres(t->scene, t->watch, &set);
    if (status == SCREE_OK) {
        status = scree_scene_find_masses(t->scene, &set, mass, t->group);
        scree_sphere_set_free(&set);
    }
    scree_free(mass);
    return status;
}

static scree_status call_setup(things* t)
{
    scree_sphere_set set;
    scree_scene_setup* setup = NULL;
    scree_status status = scree_scene_make_spheres(t->scene, t->watch, &set);
    if (status == SCREE_OK) {
        status = scree_scene_setup_create(t->scene, &set, &setup);
        scree_scene_setup_destroy(setup);
        scree_sphere_set_free(&set);
    }
    return status;
}

static scree_status call_estimate(things* t)
{
    const scree_run_def def = run_def(t);
    scree_run* trial = NULL;
    scree_run_costs costs;
    scree_status status = scree_run_create(&def, t->scene, NULL, &trial);
    if (status == SCREE_OK)
        status = scree_run_estimate(trial, &costs);
    scree_run_destroy(trial);
    return status;
}

// ---- All -----------------------------------------------------------------------------------------------------------------

// In this order: some leave what the next ones use.
static const long_call calls[] = {
    {"spheres_check", 0, call_check},
    {"spheres_bounds", 0, call_bounds},
    {"spheres_volume", 0, call_volume},
    {"sphere_set_check_box", 0, call_check_box},
    {"box_wrap_centres", 0, call_wrap},
    {"sizes_draw", 0, call_draw},
    {"sizes_realised", 0, call_realised},
    {"sizes_table", 0, call_sizes_table},
    {"read_sizes", 0, call_read_sizes},
    {"search: hierarchical-grid", 0, call_search_grid},
    {"search: linked-cells", 0, call_search_cells},
    {"search: octree", 0, call_search_octree},
    {"search: loose-octree", 0, call_search_loose},
    {"search: linear-list", 0, call_search_linear},
    {"index_update", 0, call_update},
    {"index_pairs", 0, call_pairs},
    {"write_pairs", 0, call_write_pairs},
    {"full_pairs", 0, call_full_pairs},
    {"index_scale", 0, call_index_scale},
    {"index_set_box", 0, call_set_box},
    {"index_set_mask", 0, call_set_mask},
    {"index_set_user_all", 0, call_set_user_all},
    {"index_get_user_all", 0, call_get_user_all},
    {"index_get_all", 0, call_index_get_all},
    {"index_validate", 0, call_index_validate},
    {"find_pairs", 0, call_find_pairs},
    {"visit_pairs", 0, call_visit},
    {"index_update_boxes, index_box_pairs", 0, call_box_pairs},
    {"bvh_create", 0, call_bvh},
    {"bvh_within", 0, call_within},
    {"bvh_nearest", 0, call_nearest},
    {"bvh_boxes", 0, call_boxes},
    {"bvh_rays", 0, call_rays},
    {"candidates_update", 0, call_candidates_update},
    {"candidates_hold", 0, call_candidates_hold},
    {"candidates_first_skin", 0, call_first_skin},
    {"measure", 0, call_measure},
    {"measure_density", 0, call_density},
    {"measure_size_curve", 0, call_size_curve},
    {"measure_nearest", 0, call_nearest_gaps},
    {"place_random", 0, call_place_random},
    {"place_lattice", 0, call_place_lattice},
    {"predict_density", 0, call_predict},
    {"pack_rearrange", 0, call_rearrange},
    {"pack_drop", 10, call_drop},
    {"pack_compress", 0, call_compress},
    {"pack_grow", 0, call_grow},
    {"find_stability", 0, call_stability},
    {"sim_find_numbers", 0, call_find_numbers},
    {"sim_create, bonds", 0, call_sim_create_bonded},
    {"sim_run, bonds", 0, call_run},
    {"sim_get_bonds", 0, call_get_bonds},
    {"checkpoint_save, bonds", 0, call_save},
    {"checkpoint_restore, bonds", 0, call_restore},
    {"sim_create", 0, call_sim_create},
    {"sim_run", 0, call_run},
    {"sim_get_state", 0, call_get_state},
    {"sim_get_memory", 0, call_get_memory},
    {"sim_measure", 0, call_sim_measure},
    {"sim_get_boundaries", 0, call_boundaries},
    {"sim_hash", 0, call_hash},
    {"sim_get_column", 0, call_get_column},
    {"sim_get_rows", 0, call_get_rows},
    {"checkpoint_save", 0, call_save},
    {"write_checkpoint", 0, call_write_checkpoint},
    {"read_checkpoint", 0, call_read_checkpoint},
    {"checkpoint_restore", 0, call_restore},
    {"checkpoint_attach", 0, call_attach},
    {"sim_set_external", 0, call_set_external},
    {"sim_get_external", 0, call_get_external},
    {"sim_set_contacts", 0, call_set_contacts},
    {"sim_set_time_step", 0, call_set_time_step},
    {"sim_scale", 0, call_sim_scale},
    {"sim_find_plan", 0, call_find_plan},
    {"sim_find_costs", 0, call_find_costs},
    {"find_contacts", 0, call_find_contacts},
    {"sim_get_contacts", 0, call_get_contacts},
    {"measure_fields", 0, call_fields},
    {"measure_network", 0, call_network},
    {"measure_wall_stress", 0, call_wall_stress},
    {"measure_groups", 0, call_groups},
    {"measure_mixing", 0, call_mixing},
    {"measure_repose", 0, call_repose},
    {"measure_flow", 0, call_flow},
    {"sim_validate", 20, call_sim_validate},
    {"sim_remove", 0, call_remove},
    {"sim_insert", 0, call_insert},
    {"thermal_velocities", 0, call_thermal},
    {"event_create", 0, call_event_create},
    {"event_run", 0, call_event_run},
    {"event_get_state", 0, call_event_state},
    {"event_set_temperature", 0, call_event_temperature},
    {"event_validate", 50, call_event_validate},
    {"write csv", 0, call_write_csv},
    {"read csv", 0, call_read_csv},
    {"write vtp", 0, call_write_vtp},
    {"read vtp", 0, call_read_vtp},
    {"write xyz", 0, call_write_xyz},
    {"read xyz", 0, call_read_xyz},
    {"write lammps", 0, call_write_lammps},
    {"read lammps", 0, call_read_lammps},
    {"write npy", 0, call_write_npy},
    {"read npy", 0, call_read_npy},
    {"write_table", 0, call_write_table},
    {"read_contacts", 0, call_read_contacts},
    {"triangles_check", 0, call_triangles_check},
    {"triangles_place", 0, call_triangles_place},
    {"write_triangles", 0, call_write_triangles},
    {"read_triangles", 0, call_read_triangles},
    {"surface_create", 0, call_surface},
    {"surface_winding", 0, call_winding},
    {"surface_rows_make", 0, call_surface_rows},
    {"polygon_check", 0, call_polygon_check},
    {"polygon_measure", 0, call_polygon_measure},
    {"polygon_round", 0, call_polygon_round},
    {"shapes_add", 0, call_shapes_add},
    {"scene_make_bodies, polygon_sim_create", 10, call_make_bodies},
    {"polygon_sim_run", 10, call_polygon_run},
    {"polygon_sim_measure", 10, call_polygon_report},
    {"polygon_sim_set_state", 10, call_polygon_state},
    {"outlines: copy, write, read", 10, call_polygon_outlines},
    {"write_picture", 0, call_picture},
    {"write_view", 0, call_view},
    {"run_create", 0, call_run_create},
    {"run_go", 0, call_run_go},
    {"run_summary_create", 0, call_summary},
    {"run_write_report", 0, call_report},
    {"run_get_spheres", 0, call_get_spheres},
    {"run_resume", 0, call_resume},
    {"scene_find_masses", 0, call_masses},
    {"scene_setup_create", 0, call_setup},
    {"run_estimate", 0, call_estimate},
};

// Equal spheres on a lattice, a hundredth nearer than they touch, in random order.
static scree_status make_spheres(things* t, uint64_t seed)
{
    const int32_t side = (int32_t)ceil(cbrt(t->n));
    scree_status status = scree_sphere_set_make(3, t->n, &t->set);
    if (status != SCREE_OK)
        return status;
    scree_rng rng = scree_rng_make(seed, 50);
    for (int32_t i = 0; i < t->n; ++i) {
        t->set.x[3 * i] = 1.0 + 1.98 * (i % side);
        t->set.x[3 * i + 1] = 1.0 + 1.98 * (i / side % side);
        t->set.x[3 * i + 2] = 1.0 + 1.98 * (i / side / side);
        t->set.r[i] = 1.0;
    }
    const double length = 2.0 + 1.98 * (side - 1);
    t->set.box = scree_box_sized(3, (const double[3]){length, length, length});
    t->set.has_box = true;
    status = bench_shuffle(&t->set, seed);
    t->spheres = scree_sphere_set_view(&t->set);
    t->points = scree_points_of(t->spheres);
    for (int32_t i = 0; i < t->n; ++i) {
        for (int k = 0; k < 3; ++k) {
            t->v[3 * i + k] = scree_rng_uniform(&rng) - 0.5;
            t->x[3 * i + k] = 400.0 * scree_rng_uniform(&rng);
            t->xr[i][k] = t->spheres.x[3 * i + k];
        }
        t->xr[i][3] = 1.0;
        for (int k = 0; k < 3; ++k)
            t->mass[3 * i + k] = 1.0;  // and half sides of boxes
        t->group[i] = i % 3;
        t->ids[i] = i;
    }
    return status;
}

// A ball with waves, of about so many triangles.
static scree_status make_ball(things* t)
{
    const int32_t rings = (int32_t)sqrt(t->n / 4.0) + 2;
    scree_status status = scree_triangles_make(4 * rings * (rings - 1), &t->ball);
    int64_t at = 0;
    for (int32_t i = 0; i < rings && status == SCREE_OK; ++i)
        for (int32_t j = 0; j < 2 * rings; ++j)
            for (int half = 0; half < 2; ++half) {
                const int32_t corner[3][2] = {{i, j}, {i + 1, half == 0 ? j : j + 1}, {half == 0 ? i + 1 : i, j + 1}};
                if ((half == 0 && i == rings - 1) || (half == 1 && i == 0))
                    continue;
                for (int c = 0; c < 3; ++c) {
                    const double pi = 3.14159265358979323846, a = pi * corner[c][0] / rings, b = pi * (corner[c][1] % (2 * rings)) / rings;
                    const double radius = 100.0, flat = corner[c][0] > 0 && corner[c][0] < rings ? radius * sin(a) : 0.0;
                    double* x = t->ball.xyz + 9 * at + 3 * c;
                    x[0] = 100.0 + flat * cos(b);
                    x[1] = 100.0 + flat * sin(b);
                    x[2] = 100.0 + radius * cos(a);
                }
                ++at;
            }
    return status;
}

static scree_status make_things(things* t, uint64_t seed)
{
    t->x = scree_malloc(3 * (size_t)t->n, sizeof *t->x);
    t->v = scree_malloc(3 * (size_t)t->n, sizeof *t->v);
    t->a = scree_malloc(3 * (size_t)t->n, sizeof *t->a);
    t->xr = scree_malloc((size_t)t->n, sizeof *t->xr);
    t->mass = scree_malloc(3 * (size_t)t->n, sizeof *t->mass);
    t->group = scree_malloc((size_t)t->n, sizeof *t->group);
    t->ids = scree_malloc((size_t)t->n, sizeof *t->ids);
    if (t->x == NULL || t->v == NULL || t->a == NULL || t->xr == NULL || t->mass == NULL || t->group == NULL || t->ids == NULL)
        return scree_fail(SCREE_ERR_MEMORY, "watches: no memory for %d spheres", t->n);
    scree_status status = make_spheres(t, seed);
    if (status == SCREE_OK)
        status = make_ball(t);
    if (status == SCREE_OK)
        status = scree_sizes_parse("uniform-volume:1:50", 3, &t->sizes);
    t->search = scree_default_index_def();
    t->search.box = t->set.box;
    t->search.threads = 1;
    t->search.watch = t->watch;
    t->search.sorted = true;
    t->def = scree_default_sim_def();
    t->def.box = t->set.box;
    t->pair = scree_default_sim_pair();
    t->pair.stiffness = 1000.0;
    t->pair.restitution = 0.5;
    t->pair.friction = 0.3;
    t->law = scree_default_sim_law();
    t->law.material_count = 1;
    t->law.pairs = &t->pair;
    t->def.law = &t->law;
    t->def.threads = 1;
    t->def.watch = t->watch;
    scree_candidates_def candidates = scree_default_candidates_def();
    candidates.search = &t->search;
    candidates.block = 1024;
    t->items = scree_default_candidate_items();
    t->items.count = t->n;
    t->items.xr = (const double (*)[4])t->xr;
    t->snapshot = scree_default_snapshot();
    t->snapshot.box = t->set.box;
    t->snapshot.spheres = t->spheres;
    t->snapshot.mass = t->mass;
    t->snapshot.v = t->v;
    t->snapshot.group = t->group;
    t->snapshot.gravity[2] = -1.0;
    t->snapshot.threads = 1;
    t->snapshot.watch = t->watch;
    scree_bvh_def bvh = scree_default_bvh_def();
    bvh.threads = 1;
    if (status == SCREE_OK)
        status = scree_index_create(&t->search, &t->index);
    if (status == SCREE_OK)
        status = scree_bvh_create(&bvh, t->points, &t->bvh);
    return status == SCREE_OK ? scree_candidates_create(&candidates, &t->candidates) : status;
}

static void free_things(things* t)
{
    scree_sphere_set_free(&t->set);
    scree_free(t->x);
    scree_free(t->v);
    scree_free(t->a);
    scree_free(t->xr);
    scree_free(t->mass);
    scree_free(t->group);
    scree_free(t->ids);
    scree_index_destroy(t->index);
    scree_bvh_destroy(t->bvh);
    scree_sim_destroy(t->sim);
    scree_event_destroy(t->gas);
    scree_checkpoint_free(&t->saved);
    scree_triangles_free(&t->ball);
    scree_surface_destroy(t->surface);
    scree_candidates_destroy(t->candidates);
    scree_sizes_destroy(t->sizes);
    scree_polygon_sim_destroy(t->polygons);
    scree_scene_destroy(t->scene);
    scree_run_destroy(t->run);
}

static int remove_one(const char* path, const struct stat* what, int kind, struct FTW* at)
{
    (void)what, (void)kind, (void)at;
    return remove(path);
}

static scree_status time_call(findings* found, things* t, const long_call* call)
{
    heard* h = t->watch.context;
    *h = (heard){0};
    bench_watch_end();
    const scree_watch before = scree_set_watch(t->watch);
    const double begin = h->last = bench_timer(1);
    scree_status status = call->call(t);
    const double end = bench_timer(1);
    (void)scree_set_watch(before);
    if (status != SCREE_OK)
        return status;
    if (end - h->last > h->longest) {
        h->longest = end - h->last;
        h->before = h->questions + 1;
    }
    return findings_row(found, &call->name, (const double[]){(double)t->n, end - begin, (double)h->questions, (double)h->before, h->longest});
}

static scree_status run_bench(findings* found, const bench_options* co)
{
    const char* base = getenv("TMPDIR");
    heard h;
    things t = {.watch = {.tick = hear, .context = &h}};
    const int32_t all = co->count > 0 ? (int32_t)co->count : co->quick ? 2000 : 1000000;
    snprintf(t.folder, sizeof t.folder, "%s/scree-bench-XXXXXX", base != NULL && strlen(base) < 400 ? base : "/tmp");
    const bool made = mkdtemp(t.folder) != NULL;
    scree_status status = made ? SCREE_OK : scree_fail(SCREE_ERR_IO, "no folder for temporary files can be made: %s", t.folder);
    t.n = all;
    if (status == SCREE_OK)
        status = make_things(&t, co->seed);
    for (size_t k = 0; k < sizeof calls / sizeof *calls && status == SCREE_OK && !bench_interrupted(); ++k) {
        t.n = calls[k].share > 0 ? all / calls[k].share : all;
        status = time_call(found, &t, &calls[k]);
    }
    free_things(&t);
    if (made)
        (void)nftw(t.folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    findings_note(found, "longest_s is the longest processor time between two questions of the watch, or before the first and after the last, and `before` the question that it came before. One thread.");
    return status;
}

const experiment bench_watches = {
    .name = "watches",
    .about = "how long each call with a million items goes on after Ctrl-C",
    .title = "Longest time between two questions whether to go on",
    .takes = TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"call", "n", "seconds", "questions", "before", "longest_s", NULL},
};
