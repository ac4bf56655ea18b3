#include "pack_support.h"

double* radii(const char* law, int dim, int32_t count)
{
    double* r = malloc(((size_t)count + 1) * sizeof *r);
    scree_sizes* sizes;
    CHECK_OK(scree_sizes_parse(law, dim, &sizes));
    CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 5, count, r));
    scree_sizes_destroy(sizes);
    return r;
}

double packing_density(const scree_box* box, int32_t container, int32_t count, const double* r)
{
    const double pi = 3.14159265358979323846;
    double sum = 0.0;
    for (int32_t i = 0; i < count; ++i)
        sum += box->dim == 2 ? pi * r[i] * r[i] : 4.0 / 3.0 * pi * r[i] * r[i] * r[i];
    double volume = scree_box_volume(box);  // of which a round container fills pi/4, or pi/6
    return sum / (container == SCREE_CONTAINER_BOX ? volume : volume * pi / (container == SCREE_CONTAINER_SPHERE && box->dim == 3 ? 6.0 : 4.0));
}

static void check_inside_round(const scree_box* box, int axes, int32_t count, const double* x, const double* r)
{
    for (int64_t i = 0; i < count; ++i) {
        double square = 0.0, wall = INFINITY;
        for (int k = 0; k < axes; ++k) {
            double half = 0.5 * (box->upper[k] - box->lower[k]), d = x[i * box->dim + k] - (box->lower[k] + half);
            square += d * d;
            wall = fmin(wall, half);
        }
        if (!(square <= (wall - r[i]) * (wall - r[i])))
            fail_msg("sphere %d of radius %.17g: %.17g from the middle of a wall of radius %.17g", (int)i, r[i], sqrt(square), wall);
    }
}

void check_packing(const scree_box* asked, const scree_box* box, int32_t container, int32_t count, const double* x, const double* r,
                   double density)
{
    int dim = box->dim;
    assert_int_equal(dim, asked->dim);
    for (int k = 0; k < dim; ++k) {
        double shape = (asked->upper[k] - asked->lower[k]) / (asked->upper[0] - asked->lower[0]);
        assert_true(box->lower[k] == asked->lower[k] && box->periodic[k] == asked->periodic[k]);
        CHECK_CLOSE((box->upper[k] - box->lower[k]) / (box->upper[0] - box->lower[0]), shape, 1e-9 * shape);
        for (int64_t i = 0; i < count; ++i) {
            double at = x[i * dim + k], lower = box->lower[k], upper = box->upper[k];
            if (box->periodic[k] ? !(at >= lower && at < upper) : !(at >= lower + r[i] && at <= upper - r[i]))
                fail_msg("sphere %d of radius %.17g: %.17g is outside %.17g to %.17g", (int)i, r[i], at, lower, upper);
        }
    }
    if (container != SCREE_CONTAINER_BOX)
        check_inside_round(box, container == SCREE_CONTAINER_CYLINDER ? 2 : dim, count, x, r);
    if (count > 0)
        CHECK_CLOSE(density, packing_density(box, container, count, r), 1e-9);
    scree_index_def search = scree_default_index_def();
    search.method = SCREE_METHOD_ALL_PAIRS;
    search.box = *box;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&search, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = count, .dim = dim, .x = x, .r = r}));
    CHECK_OK(scree_index_pairs(index, &pairs));
    assert_int_equal(pairs.count, 0);
    scree_index_destroy(index);
}

void check_rearranged(const scree_rearrange_def* def, const scree_packing* p, int32_t count, const double* r)
{
    assert_int_equal(p->count, count);
    assert_int_equal(p->container, def->container);
    assert_true(p->max_overlap == 0.0);
    check_packing(&def->box, &p->box, p->container, count, p->x, r, p->density);
}

bool stop_after(void* context, double done)
{
    stopper* s = context;
    assert_true(done >= 0.0 && done <= 1.0);
    return s->now.density == 0.0 ? s->placing-- > 0 : s->left-- > 0;
}

scree_status keep_state(void* context, int32_t count, const scree_bytes* pieces)
{
    kept_state* k = context;
    if (++k->calls != k->keep_at)
        return SCREE_OK;
    for (int32_t c = 0; c < count; ++c) {
        k->data = realloc(k->data, k->size + pieces[c].size);
        memcpy(k->data + k->size, pieces[c].data, pieces[c].size);
        k->size += pieces[c].size;
    }
    return SCREE_OK;
}

double* random_radii(scree_rng* rng, int32_t most, int32_t* count)
{
    *count = 1 + (int32_t)scree_rng_below(rng, (uint64_t)most);
    double* r = malloc((size_t)*count * sizeof *r);
    double range = 6.0 * scree_rng_uniform(rng);
    for (int32_t i = 0; i < *count; ++i)
        r[i] = exp(range * (scree_rng_uniform(rng) - 0.5));
    return r;
}

void move_box(scree_rng* rng, scree_box* box)
{
    for (int k = 0; k < box->dim; ++k) {
        box->lower[k] = 100.0 * (scree_rng_uniform(rng) - 0.5);
        box->upper[k] = box->lower[k] + exp(2.0 * scree_rng_uniform(rng));
    }
}
