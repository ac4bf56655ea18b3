// Random sequential addition of many sizes. Large spheres first, because they would find no place later.
//
// A try has to know whether anything already placed is in the way. Placed spheres are kept in one grid per octave of
// radius, with cells as long as the octave's largest diameter: a sphere that is smaller than all placed ones then looks
// into at most 3^d cells per octave. The cells of all octaves share one hash table with a chain per bucket. Different
// cells may fall into one bucket; that costs a test and changes no answer, because a test asks for overlap and nothing
// else. Memory is O(n) at any ratio. Cost per try: octaves times 3^d buckets.
#include "scenes.h"

#include <inttypes.h>
#include <math.h>

typedef struct octave {
    double r_max;      // the largest radius in it
    double side[3];
    int64_t cells[3];  // on periodic axes they divide the box evenly
} octave;

typedef struct room {
    const addition_def* def;
    double length;
    scree_sphere_set set;
    int32_t* order;   // spheres from large to small
    int32_t* head;    // first sphere of each bucket, -1: none
    int32_t* next;    // the one after, per sphere
    uint64_t mask;
    octave octaves[1100];  // as many as doubles have; used from the front
    int octave_count;
} room;

addition_def scene_default_addition(void)
{
    return (addition_def){.dim = 3, .density = 0.3, .seed = 1, .tries = 1000000};
}

static uint64_t bucket(const room* rm, int o, const int64_t cell[3])
{
    uint64_t h = (uint64_t)o * 0x9E3779B97F4A7C15u;
    for (int k = 0; k < 3; ++k) {
        h ^= (uint64_t)cell[k];
        h *= 0xBF58476D1CE4E5B9u;
        h ^= h >> 29;
    }
    return h & rm->mask;
}

static bool overlaps(const room* rm, const double x[3], double r, int32_t j)
{
    double square = 0.0;
    for (int k = 0; k < rm->def->dim; ++k) {
        double d = x[k] - rm->set.x[(int64_t)j * rm->def->dim + k];
        if (rm->def->periodic[k])
            d -= rint(d / rm->length) * rm->length;
        square += d * d;
    }
    double reach = r + rm->set.r[j];
    return square < reach * reach;
}

static bool blocked_in(const room* rm, int o, const double x[3], double r)
{
    const octave* oc = &rm->octaves[o];
    double reach = (r + oc->r_max) * (1.0 + 1e-12);
    int64_t first[3] = {0, 0, 0}, count[3] = {1, 1, 1};
    for (int k = 0; k < rm->def->dim; ++k) {
        first[k] = (int64_t)floor((x[k] - reach) / oc->side[k]);
        count[k] = (int64_t)floor((x[k] + reach) / oc->side[k]) - first[k] + 1;
        if (rm->def->periodic[k] && count[k] > oc->cells[k])
            count[k] = oc->cells[k];
    }
    int64_t cell[3] = {0, 0, 0};
    for (int64_t c = 0; c < count[2]; ++c)
        for (int64_t b = 0; b < count[1]; ++b)
            for (int64_t a = 0; a < count[0]; ++a) {
                int64_t step[3] = {a, b, c};
                for (int k = 0; k < rm->def->dim; ++k) {
                    cell[k] = first[k] + step[k];
                    if (rm->def->periodic[k])
                        cell[k] = ((cell[k] % oc->cells[k]) + oc->cells[k]) % oc->cells[k];
                }
                for (int32_t j = rm->head[bucket(rm, o, cell)]; j >= 0; j = rm->next[j])
                    if (overlaps(rm, x, r, j))
                        return true;
            }
    return false;
}

static void insert(room* rm, int o, int32_t i)
{
    const octave* oc = &rm->octaves[o];
    int64_t cell[3] = {0, 0, 0};
    for (int k = 0; k < rm->def->dim; ++k) {
        cell[k] = (int64_t)floor(rm->set.x[(int64_t)i * rm->def->dim + k] / oc->side[k]);
        if (rm->def->periodic[k] && cell[k] >= oc->cells[k])
            cell[k] = oc->cells[k] - 1;
    }
    uint64_t b = bucket(rm, o, cell);
    rm->next[i] = rm->head[b];
    rm->head[b] = i;
}

static void open_octave(room* rm, double r_max)
{
    octave* oc = &rm->octaves[rm->octave_count++];
    *oc = (octave){.r_max = r_max};
    for (int k = 0; k < rm->def->dim; ++k) {
        double cells = fmax(1.0, floor(rm->length / (2.0 * r_max)));
        oc->cells[k] = (int64_t)fmin(cells, 1e15);
        oc->side[k] = rm->length / (double)oc->cells[k];
    }
}

// Places sphere i in the newest octave.
static scree_status place(room* rm, int32_t i, scree_rng* rng)
{
    double r = rm->set.r[i];
    for (int64_t t = 0; t < rm->def->tries; ++t) {
        double x[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < rm->def->dim; ++k) {
            double u = scree_rng_uniform(rng);
            x[k] = rm->def->periodic[k] ? u * rm->length : r + u * (rm->length - 2.0 * r);
        }
        bool blocked = false;
        for (int o = rm->octave_count - 1; o >= 0 && !blocked; --o)
            blocked = blocked_in(rm, o, x, r);
        if (blocked)
            continue;
        for (int k = 0; k < rm->def->dim; ++k)
            rm->set.x[(int64_t)i * rm->def->dim + k] = x[k];
        insert(rm, rm->octave_count - 1, i);
        return SCREE_OK;
    }
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "random addition: sphere %" PRId32 " of radius %g found no place in %" PRId64
                      " tries at density %g; a lower density would do",
                      i, r, rm->def->tries, rm->def->density);
}

// Bottom-up merge sort of the order, largest radius first, equal ones by id.
static scree_status sort_order(room* rm)
{
    int32_t n = rm->def->count;
    int32_t* from = rm->order;
    int32_t* to = scree_malloc((size_t)n, sizeof *to);
    if (to == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t middle = begin + width < n ? begin + width : n;
            int64_t end = begin + 2 * width < n ? begin + 2 * width : n;
            for (int64_t a = begin, b = middle, out = begin; out < end; ++out)
                to[out] = a < middle && (b >= end || rm->set.r[from[a]] >= rm->set.r[from[b]]) ? from[a++] : from[b++];
        }
        int32_t* swap = from;
        from = to;
        to = swap;
    }
    rm->order = from;
    scree_free(to);
    return SCREE_OK;
}

static scree_status fill(room* rm)
{
    const addition_def* def = rm->def;
    scree_rng rng = scree_rng_make(def->seed, 2);
    double limit = 0.0;
    int32_t stride = def->count / 256 + 1;
    for (int32_t o = 0; o < def->count; ++o) {
        int32_t i = rm->order[o];
        if (o == 0 || rm->set.r[i] < limit) {
            open_octave(rm, fmax(rm->set.r[i], 1e-3 * rm->length / pow(def->count, 1.0 / def->dim)));
            limit = rm->octaves[rm->octave_count - 1].r_max / 2.0;
            if (rm->set.r[i] < limit)
                limit = 0.0;  // radii far below the spacing: one last octave holds them all
        }
        scree_status status = place(rm, i, &rng);
        if (status != SCREE_OK)
            return status;
        if (o % stride == 0 && def->watch.tick != NULL && !def->watch.tick(def->watch.context, (double)o / def->count))
            return scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    return SCREE_OK;
}

scree_status scene_random_addition(const addition_def* def, scree_sphere_set* out)
{
    if (!(def->density > 0.0 && def->density < 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "random addition: density %g is not between 0 and 1", def->density);
    room* rm = scree_calloc(1, sizeof *rm);
    if (rm == NULL)
        return SCREE_ERR_MEMORY;
    rm->def = def;
    uint64_t buckets = 64;
    while (buckets < 2 * (uint64_t)def->count)
        buckets *= 2;
    rm->mask = buckets - 1;
    scree_status status = scree_sphere_set_make(def->dim, def->count, &rm->set);
    rm->order = scree_malloc((size_t)def->count, sizeof *rm->order);
    rm->next = scree_malloc((size_t)def->count, sizeof *rm->next);
    rm->head = scree_malloc((size_t)buckets, sizeof *rm->head);
    if (status == SCREE_OK && (rm->order == NULL || rm->next == NULL || rm->head == NULL))
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        double largest = 0.0;
        for (int32_t i = 0; i < def->count; ++i) {
            rm->set.r[i] = def->r[i];
            rm->order[i] = i;
            largest = fmax(largest, def->r[i]);
        }
        for (uint64_t b = 0; b < buckets; ++b)
            rm->head[b] = -1;
        double volume = scree_spheres_volume(scree_sphere_set_view(&rm->set));
        rm->length = def->count > 0 && volume > 0.0 ? pow(volume / def->density, 1.0 / def->dim) : 1.0;
        if (2.0 * largest > rm->length)
            status = scree_fail(SCREE_ERR_ARGUMENT,
                                "random addition: the largest sphere, diameter %g, does not fit into the cube of side %g "
                                "that density %g asks for; more spheres or a lower density would do",
                                2.0 * largest, rm->length, def->density);
    }
    if (status == SCREE_OK)
        status = sort_order(rm);
    if (status == SCREE_OK)
        status = fill(rm);
    if (status == SCREE_OK) {
        rm->set.has_box = true;
        rm->set.box = scree_box_sized(def->dim, (double[3]){rm->length, rm->length, rm->length});
        for (int k = 0; k < def->dim; ++k)
            rm->set.box.periodic[k] = def->periodic[k];
        *out = rm->set;
    } else {
        scree_sphere_set_free(&rm->set);
    }
    scree_free(rm->order);
    scree_free(rm->next);
    scree_free(rm->head);
    scree_free(rm);
    return status;
}
