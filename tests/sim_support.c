#include "sim_support.h"

double sim_between(scree_rng* rng, double low, double high)
{
    return low + (high - low) * scree_rng_uniform(rng);
}

void sim_direction(scree_rng* rng, int dim, double out[3])
{
    double square;
    do {
        square = 0.0;
        for (int k = 0; k < 3; ++k) {
            out[k] = k < dim ? sim_between(rng, -1.0, 1.0) : 0.0;
            square += out[k] * out[k];
        }
    } while (square > 1.0 || square < 1e-4);
    for (int k = 0; k < 3; ++k)
        out[k] /= sqrt(square);
}

scree_box sim_cube(int dim, double size, bool periodic)
{
    scree_box box = scree_box_sized(dim, (double[3]){size, size, size});
    for (int k = 0; k < dim; ++k)
        box.periodic[k] = periodic;
    return box;
}

double sim_test_mass(int dim, double density, double r)
{
    return density * (dim == 2 ? sim_pi * r * r : 4.0 / 3.0 * sim_pi * r * r * r);
}

static int32_t list_columns(const sim_copy* copy, scree_sim_values columns[6])
{
    const scree_sim_values all[6] = {{"x", copy->x}, {"v", copy->v}, {"a", copy->a}, {"x_before", copy->x_before}, {"force", copy->force}, {"key", copy->key}};
    int32_t count = 0;
    for (int c = 0; c < 6; ++c)
        if (all[c].data != NULL)
            columns[count++] = all[c];
    return count;
}

scree_status sim_copy_get(const scree_sim* sim, sim_copy* out)
{
    scree_sim_values columns[6];
    scree_sim_state state = {.column_count = list_columns(out, columns), .columns = columns};
    scree_status status = scree_sim_get_state(sim, &state);
    if (status != SCREE_OK)
        return status;
    out->step = state.step;
    out->walls = state.walls;
    if (out->order == NULL)
        return SCREE_OK;
    int32_t n = scree_sim_get_count(sim);
    uint64_t* key = malloc((size_t)n * sizeof *key + 1);
    status = scree_sim_get_column(sim, "key", key);
    for (int32_t i = 0; i < n; ++i) {
        int32_t rank = 0;
        for (int32_t j = 0; j < n; ++j)
            rank += key[j] < key[i] || (key[j] == key[i] && j < i);
        out->order[rank] = i;
    }
    free(key);
    return status;
}

scree_status sim_copy_set(scree_sim* sim, const sim_copy* copy)
{
    scree_sim_values columns[6];
    return scree_sim_set_state(sim, &(scree_sim_state){.step = copy->step, .walls = copy->walls, .column_count = list_columns(copy, columns), .columns = columns});
}

sim_copy sim_copy_make(int32_t count, int dim)
{
    size_t n = (size_t)count * (size_t)dim + 1;
    return (sim_copy){.x = calloc(n, sizeof(double)), .v = calloc(n, sizeof(double)), .a = calloc(n, sizeof(double)), .key = calloc(n, sizeof(uint64_t))};
}

void sim_copy_free(sim_copy* copy)
{
    free(copy->x);
    free(copy->v);
    free(copy->a);
    free(copy->key);
}

scree_sim_report sim_report_of(scree_sim* sim)
{
    scree_sim_report report;
    CHECK_OK(scree_sim_measure(sim, &report));
    return report;
}

scree_sphere_set sim_gas(int dim, int32_t count, double ratio, double density, bool periodic, uint64_t seed)
{
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(dim, count, &set));
    scree_rng rng = scree_rng_make(seed, 77);
    for (int32_t i = 0; i < count; ++i)
        set.r[i] = 0.5 * pow(ratio, scree_rng_uniform(&rng));
    CHECK_OK(scene_set_cube(&set, density));
    for (int k = 0; k < dim; ++k)
        set.box.periodic[k] = periodic;
    scree_place_def def = scree_default_place_def();
    def.box = set.box;
    def.seed = seed;
    CHECK_OK(scree_place_random(&def, count, set.r, set.x));
    return set;
}

double* sim_thermal(scree_spheres spheres, double temperature, uint64_t seed)
{
    scree_thermal_def def = scree_default_thermal_def();
    def.temperature = temperature;
    def.seed = seed;
    double* v = malloc((size_t)spheres.count * (size_t)spheres.dim * sizeof *v);
    CHECK_OK(scree_thermal_velocities(&def, spheres, v));
    return v;
}

swing swing_of(double k, double g, double mu)
{
    double w0 = sqrt(k / mu), eta = g / (2.0 * mu), w = sqrt(w0 * w0 - eta * eta);
    return (swing){.duration = sim_pi / w,
                   .restitution = exp(-eta * sim_pi / w),
                   .overlap = exp(-(eta / w) * atan2(w, eta)) / w0};
}

double dashpot_of(double k, double restitution, double mu)
{
    double loss = log(restitution);
    return -2.0 * loss * sqrt(k * mu / (sim_pi * sim_pi + loss * loss));
}

void sim_pairs(int count, const double* stiffness, const double* damping, const double* restitution, scree_sim_pair* out)
{
    for (int e = 0; e < count; ++e) {
        out[e] = scree_default_sim_pair();
        out[e].stiffness = stiffness != NULL ? stiffness[e] : 0.0;
        out[e].damping = damping != NULL ? damping[e] : 0.0;
        out[e].restitution = restitution != NULL ? restitution[e] : 0.0;
    }
}
void sim_hand_over(scree_sim* from, scree_sim* to)
{
    scree_sim_column columns[32];
    int32_t count = scree_sim_get_columns(from, columns, 32), used = 0;
    scree_sim_values values[32];
    for (int32_t c = 0; c < count; ++c)
        if ((columns[c].uses & SCREE_USE_STATE) != 0 || strcmp(columns[c].name, "id") == 0)
            values[used++] = (scree_sim_values){.name = columns[c].name, .data = calloc((size_t)scree_sim_get_count(from), (size_t)columns[c].components * 8)};
    scree_sim_memory memory;
    scree_sim_bonds bonds;
    scree_sim_state state = {.column_count = used, .columns = values};
    CHECK_OK(scree_sim_get_memory(from, &memory));
    CHECK_OK(scree_sim_get_state(from, &state));
    CHECK_OK(scree_sim_get_bonds(from, &bonds));
    state.memory = &memory;
    state.bonds = &bonds;
    assert_true(scree_sim_state_hash(&state, scree_sim_get_count(from), scree_sim_get_box(from).dim) == scree_sim_hash(from));
    CHECK_OK(scree_sim_set_state(to, &state));
    for (int32_t c = 0; c < used; ++c)
        free(values[c].data);
}

sim_sums sim_sums_of(const scree_sim* sim, const double* r)
{
    int32_t n = scree_sim_get_count(sim), dim = scree_sim_get_box(sim).dim;
    double *x = calloc((size_t)n, 3 * sizeof *x), *v = calloc((size_t)n, 3 * sizeof *v), *w = calloc((size_t)n, 3 * sizeof *w);
    sim_sums out = {.scale = 0.0};
    CHECK_OK(scree_sim_get_column(sim, "x", x));
    CHECK_OK(scree_sim_get_column(sim, "v", v));
    (void)scree_sim_get_column(sim, "w", w);  // where they turn
    for (int32_t i = 0; i < n; ++i) {
        double a[3] = {0.0}, u[3] = {0.0}, m = sim_test_mass(dim, 1.0, r[i]), inertia = (dim == 2 ? 0.5 : 0.4) * m * r[i] * r[i];
        for (int k = 0; k < dim; ++k) {
            a[k] = x[i * dim + k];
            u[k] = v[i * dim + k];
        }
        for (int k = 0; k < 3; ++k) {
            int p = (k + 1) % 3, q = (k + 2) % 3;
            out.momentum[k] += m * u[k];
            out.angular[k] += m * (a[p] * u[q] - a[q] * u[p]) + inertia * w[3 * i + k];
            out.scale += m * fabs(u[k]) + fabs(m * (a[p] * u[q] - a[q] * u[p]));
        }
    }
    free(x);
    free(v);
    free(w);
    return out;
}

scree_sim* sim_made(const scree_sim_def* def, int32_t count, const double* x, const double* r, const double* v)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(def, (scree_spheres){.count = count, .dim = def->box.dim, .x = x, .r = r}, v, &sim));
    return sim;
}
