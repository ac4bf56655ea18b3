// Bonds at the start: which pairs have one, the parameters of each, and the time step that they require.
#include "sim/bonds.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/pair_sort.h"
#include "base/parallel.h"
#include "sim/runner.h"
#include "sim/sim_inner.h"
#include "sim/spring.h"

#include <inttypes.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

SCREE_DEFAULTS_OF(scree_sim_bond, scree_default_sim_bond)
{
    return (scree_sim_bond){.struct_size = sizeof(scree_sim_bond),
                            .gap = -1.0,
                            .between = {-1, -1},
                            .radius = 1.0,
                            .bending = 1.0,
                            .twisting = 1.0,
                            .tensile_strength = INFINITY,
                            .shear_strength = INFINITY};
}

SCREE_DEFAULTS_OF(scree_sim_bonds_def, scree_default_sim_bonds_def)
{
    return (scree_sim_bonds_def){.struct_size = sizeof(scree_sim_bonds_def)};
}

// ---- What is given -----------------------------------------------------------------------------------------------------

static scree_status check_kind(const scree_sim_bond* kind, int32_t number)
{
    scree_status status = scree_check_struct_size("sim.bonds.kinds", "scree_default_sim_bond", kind->struct_size, sizeof *kind, sizeof *kind);
    if (status != SCREE_OK)
        return status;
    const struct {
        const char* name;
        double value;
        bool fits;
        const char* expected;
    } fields[] = {
        {"gap", kind->gap, fabs(kind->gap) <= SCREE_LENGTH_MAX, "a finite number"},
        {"radius", kind->radius, spring_is_above(kind->radius), "a number above 0"},
        {"young", kind->young, spring_is_above(kind->young), "a number above 0"},
        {"shear", kind->shear, kind->shear == 0.0 || spring_is_above(kind->shear), "0 or more"},
        {"bending", kind->bending, kind->bending == 0.0 || spring_is_above(kind->bending), "0 or more"},
        {"twisting", kind->twisting, kind->twisting == 0.0 || spring_is_above(kind->twisting), "0 or more"},
        {"damping", kind->damping, kind->damping >= 0.0 && kind->damping <= 1.0, "0 to 1"},
        {"tensile_strength", kind->tensile_strength, kind->tensile_strength > 0.0, "a number above 0"},
        {"shear_strength", kind->shear_strength, kind->shear_strength > 0.0, "a number above 0"},
        {"friction", kind->friction, kind->friction >= 0.0 && kind->friction <= SCREE_LENGTH_MAX, "0 or more"},
    };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f)
        if (!fields[f].fits)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: bonds of kind %" PRId32 ": %s is %g; expected %s", number, fields[f].name, fields[f].value, fields[f].expected);
    for (int k = 0; k < 2; ++k)
        if (kind->between[k] < -1 || kind->between[k] > UINT16_MAX)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: bonds of kind %" PRId32 ": between material %" PRId32 "; expected -1 to 65535", number, kind->between[k]);
    return SCREE_OK;
}

scree_status bonds_check(const scree_sim_def* def, scree_spheres spheres)
{
    const scree_sim_bonds_def* given = def->bonds;
    scree_status status = SCREE_OK;
    if (given == NULL)
        return SCREE_OK;
    if (given->kind_count < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: bonds of %" PRId32 " kinds; expected 1 or more", given->kind_count);
    SCREE_NEED_AS(given->kinds, "bonds.kinds");
    if (given->count != 0)
        SCREE_NEED_AS(given->ij, "bonds.ij");
    for (int32_t k = 0; k < given->kind_count && status == SCREE_OK; ++k)
        status = check_kind(&given->kinds[k], k);
    for (int64_t b = 0; b < given->count && status == SCREE_OK; ++b) {
        int64_t i = given->ij[b][0], j = given->ij[b][1];
        if (i < 0 || j < 0 || i >= spheres.count || j >= spheres.count || i == j)
            status = scree_fail(SCREE_ERR_ARGUMENT, "sim: bond %" PRId64 " is between spheres %" PRId64 " and %" PRId64 "; expected two different ones below %" PRId32, b, i, j,
                                spheres.count);
        else if (given->kind != NULL && (given->kind[b] < 0 || given->kind[b] >= given->kind_count))
            status = scree_fail(SCREE_ERR_ARGUMENT, "sim: bond %" PRId64 " is of kind %" PRId32 "; expected 0 to %" PRId32, b, given->kind[b], given->kind_count - 1);
        else if (given->length != NULL && !spring_is_above(given->length[b]))
            status = scree_fail(SCREE_ERR_ARGUMENT, "sim: bond %" PRId64 " has a length of %g; expected a number above 0", b, given->length[b]);
    }
    return status;
}

// ---- Which pairs -------------------------------------------------------------------------------------------------------

static void bond_table_free(bond_table* list)
{
    scree_free(list->ij);
    scree_free(list->shift);
    scree_free(list->kind);
    scree_free(list->length);
    *list = (bond_table){0};
}

static scree_status append(bond_table* list, int64_t i, int64_t j, const int8_t shift[3], int32_t kind, double length)
{
    int64_t at = list->count;
    if (SCREE_RESERVE(list->ij, list->ij_capacity, at + 1) != SCREE_OK || SCREE_RESERVE(list->shift, list->shift_capacity, at + 1) != SCREE_OK ||
        SCREE_RESERVE(list->kind, list->kind_capacity, at + 1) != SCREE_OK || SCREE_RESERVE(list->length, list->length_capacity, at + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    bool turned = i > j;
    list->ij[at][0] = (int32_t)(turned ? j : i);
    list->ij[at][1] = (int32_t)(turned ? i : j);
    for (int k = 0; k < 3; ++k)
        list->shift[at][k] = (int8_t)(turned ? -shift[k] : shift[k]);
    list->kind[at] = kind;
    list->length[at] = length;
    ++list->count;
    return SCREE_OK;
}

double bond_length_now(const scree_sim_def* def, scree_spheres spheres, int64_t i, int64_t j, const int8_t shift[3])
{
    double square = 0.0;
    for (int k = 0; k < spheres.dim; ++k) {
        double side = def->box.periodic[k] ? def->box.upper[k] - def->box.lower[k] : 0.0;
        double d = spheres.x[i * spheres.dim + k] - spheres.x[j * spheres.dim + k] - shift[k] * side;
        square += d * d;
    }
    return sqrt(square);
}

static scree_status take_listed(const scree_sim_def* def, scree_spheres spheres, bond_table* out)
{
    const scree_sim_bonds_def* given = def->bonds;
    scree_status status = SCREE_OK;
    for (int64_t b = 0; b < given->count && status == SCREE_OK; ++b) {
        int64_t i = given->ij[b][0], j = given->ij[b][1];
        int8_t shift[3] = {0, 0, 0};
        for (int k = 0; k < spheres.dim; ++k) {
            double side = def->box.upper[k] - def->box.lower[k];
            if (def->box.periodic[k])
                shift[k] = (int8_t)rint((spheres.x[i * spheres.dim + k] - spheres.x[j * spheres.dim + k]) / side);
        }
        double length = given->length != NULL ? given->length[b] : bond_length_now(def, spheres, i, j, shift);
        if (!spring_is_above(length))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: bond %" PRId64 ": spheres %" PRId64 " and %" PRId64 " have the same centre; expected two different centres", b, i, j);
        status = append(out, i, j, shift, given->kind != NULL ? given->kind[b] : 0, length);
    }
    return status;
}

static bool is_between(const scree_sim_bond* kind, int32_t a, int32_t b)
{
    bool one = (kind->between[0] < 0 || kind->between[0] == a) && (kind->between[1] < 0 || kind->between[1] == b);
    return one || ((kind->between[0] < 0 || kind->between[0] == b) && (kind->between[1] < 0 || kind->between[1] == a));
}

// The first kind that makes a bond of such a pair; -1: none does.
static int32_t kind_of(const scree_sim_def* def, int64_t i, int64_t j, double gap)
{
    const uint16_t* material = def->each != NULL ? def->each->material : NULL;
    for (int32_t k = 0; k < def->bonds->kind_count; ++k) {
        const scree_sim_bond* kind = &def->bonds->kinds[k];
        if (kind->gap >= 0.0 && gap <= kind->gap && is_between(kind, material != NULL ? material[i] : 0, material != NULL ? material[j] : 0))
            return k;
    }
    return -1;
}

static scree_status take_near(const scree_sim_def* def, scree_spheres spheres, scree_pairs pairs, bond_table* out)
{
    scree_status status = SCREE_OK;
    const uint8_t* fixed = def->each != NULL ? def->each->fixed : NULL;
    for (int64_t p = 0; p < pairs.count && (status == SCREE_OK && (status = scree_watch_own("sim", p, pairs.count)) == SCREE_OK); ++p) {
        const int8_t none[3] = {0, 0, 0}, *shift = pairs.shift != NULL ? pairs.shift[p] : none;
        int32_t i = pairs.ij[p][0], j = pairs.ij[p][1];
        if (i == j || (is_fixed(fixed, i) && is_fixed(fixed, j)))
            continue;
        double length = bond_length_now(def, spheres, i, j, shift);
        int32_t kind = kind_of(def, i, j, length - (spheres.r[i] + spheres.r[j]));
        if (kind >= 0 && length > 0.0)
            status = append(out, i, j, shift, kind, length);
    }
    return status;
}

// Walls are not searched. The index has pairs nearer than its gap, not those just as near.
static scree_index_def search_of(const scree_sim_def* def, scree_spheres spheres, double gap)
{
    scree_index_def search = scree_default_index_def();
    search.box = def->box;
    for (int k = 0; k < spheres.dim; ++k)
        if (!search.box.periodic[k]) {
            search.box.lower[k] = -INFINITY;
            search.box.upper[k] = INFINITY;
        }
    search.gap = gap > 0.0 ? nextafter(gap, INFINITY) : SCREE_LENGTH_MIN;
    search.threads = def->threads;
    search.skin = -1.0;
    return search;
}

static scree_status find_here(const scree_sim_def* def, scree_spheres spheres, const scree_index_def* search, bond_table* out)
{
    scree_index* index;
    scree_pairs pairs;
    scree_status status = scree_index_create(search, &index);
    if (status != SCREE_OK)
        return status;
    status = scree_index_update(index, spheres);
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status == SCREE_OK)
        status = take_near(def, spheres, pairs, out);
    scree_index_destroy(index);
    return status;
}

// ---- In order ----------------------------------------------------------------------------------------------------------

static int compare(const bond_table* list, int64_t a, int64_t b)
{
    for (int k = 0; k < 2; ++k)
        if (list->ij[a][k] != list->ij[b][k])
            return list->ij[a][k] < list->ij[b][k] ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (list->shift[a][k] != list->shift[b][k])
            return list->shift[a][k] < list->shift[b][k] ? -1 : 1;
    return 0;
}

static void merge(const bond_table* list, int64_t* at, int64_t* spare, int64_t first, int64_t middle, int64_t last)
{
    int64_t a = first, b = middle;
    for (int64_t k = first; k < last; ++k)
        spare[k] = b >= last || (a < middle && compare(list, at[a], at[b]) <= 0) ? at[a++] : at[b++];
    memcpy(at + first, spare + first, (size_t)(last - first) * sizeof *at);
}

// By (i, j, shift), stable: of equal bonds the first stays. Bonds of the list come first, so they take precedence over bonds found by a gap; a bond twice in the list is an error.
static scree_status sort(bond_table* list, int64_t listed)
{
    int64_t* at = scree_malloc(2 * (size_t)list->count + 1, sizeof *at);
    bond_table sorted = {0};
    scree_status status = at != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int64_t b = 0; b < list->count && status == SCREE_OK; ++b)
        at[b] = b;
    for (int64_t width = 1; width < list->count && status == SCREE_OK; width *= 2)
        for (int64_t first = 0; first + width < list->count && status == SCREE_OK; first += 2 * width) {
            merge(list, at, at + list->count, first, first + width, first + 2 * width < list->count ? first + 2 * width : list->count);
            status = width < 4096 ? scree_watch_own("sim", first, list->count) : scree_watch_own("sim", 0, 1);
        }
    for (int64_t b = 0; b < list->count && (status == SCREE_OK && (status = scree_watch_own("sim", b, list->count)) == SCREE_OK); ++b) {
        bool again = b > 0 && compare(list, at[b - 1], at[b]) == 0;
        if (again && at[b] < listed)
            status = scree_fail(SCREE_ERR_ARGUMENT, "sim: bond %" PRId64 ": spheres %" PRId32 " and %" PRId32 " already have bond %" PRId64 "; expected one bond per pair and image", at[b], list->ij[at[b]][0],
                                list->ij[at[b]][1], at[b - 1]);
        else if (again)
            at[b] = at[b - 1];
        else
            status = append(&sorted, list->ij[at[b]][0], list->ij[at[b]][1], list->shift[at[b]], list->kind[at[b]], list->length[at[b]]);
    }
    scree_free(at);
    if (status != SCREE_OK) {
        bond_table_free(&sorted);
        return status;
    }
    bond_table_free(list);
    *list = sorted;
    return SCREE_OK;
}

// ---- What each is like -------------------------------------------------------------------------------------------------

static double inverse_of(const scree_sim_def* def, int64_t i, double value)
{
    return def->each != NULL && is_fixed(def->each->fixed, i) ? 0.0 : 1.0 / value;
}

// A dashpot of this share of the critical damping of a spring that joins two with this sum of inverse masses.
static double dashpot(double share, double k, double inverse)
{
    return inverse > 0.0 ? 2.0 * share * sqrt(k / inverse) : 0.0;
}

bond_numbers bond_numbers_of(const scree_sim_def* def, scree_spheres spheres, const scree_sim_bond* kind, int64_t i, int64_t j, double length)
{
    double ri = spheres.r[i], rj = spheres.r[j], r = kind->radius * fmin(ri, rj), shear = kind->shear > 0.0 ? kind->shear : 0.4 * kind->young;
    double area = spheres.dim == 2 ? 2.0 * r : pi * r * r;
    double second = spheres.dim == 2 ? 2.0 / 3.0 * r * r * r : 0.25 * pi * r * r * r * r, polar = spheres.dim == 2 ? 0.0 : 2.0 * second;
    bond_numbers out = {.k = {kind->young * area / length, shear * area / length, kind->bending * kind->young * second / length, kind->twisting * shear * polar / length},
                        .per_area = 1.0 / area,
                        .per_bending = r / second,
                        .per_twisting = polar > 0.0 ? r / polar : 0.0,
                        .arm = {ri / (ri + rj), rj / (ri + rj)}};
    double mass = inverse_of(def, i, sim_mass_of(def, spheres, i)) + inverse_of(def, j, sim_mass_of(def, spheres, j));
    double one = inverse_of(def, i, sim_inertia_of(def, spheres, i)), other = inverse_of(def, j, sim_inertia_of(def, spheres, j)), turn = one + other;
    double a = out.arm[0] * length, b = out.arm[1] * length, slip = mass + (a * a * one + b * b * other);
    const double inverse[bond_springs] = {mass, slip, turn, turn};
    for (int s = 0; s < bond_springs; ++s)
        out.g[s] = dashpot(kind->damping, out.k[s], inverse[s]);
    // Shearing and bending turn the spheres both: together they are at most as fast as this.
    double square = fmax(fmax(out.k[BOND_NORMAL] * mass, out.k[BOND_SHEAR] * slip + out.k[BOND_BENDING] * turn), out.k[BOND_TWISTING] * turn);
    out.period = square > 0.0 ? pi / sqrt(square) : INFINITY;
    return out;
}

// The step that these require too; numbers->bond_period is the least half period so far.
static scree_status add_limits(const bond_finder* f, scree_sim_numbers* numbers)
{
    const bond_table* list = &f->slice;
    numbers->bond_count += list->count;
    for (int64_t b = 0; b < list->count; ++b) {
        const int32_t* ij = list->ij[b];
        if (scree_watch_own("sim", b, list->count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        double period = bond_numbers_of(f->def, f->spheres, &f->def->bonds->kinds[list->kind[b]], ij[0], ij[1], list->length[b]).period;
        if (!(period > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: the bond of spheres %" PRId32 " and %" PRId32 " is too stiff: its period is %g; expected a period above 0", ij[0], ij[1], period);
        if (!(period < numbers->bond_period))
            continue;
        numbers->bond_period = period;
        numbers->bond_fastest[0] = ij[0];
        numbers->bond_fastest[1] = ij[1];
    }
    return SCREE_OK;
}

static scree_status limit_step(const scree_sim_def* def, double unset, scree_sim_numbers* numbers)
{
    const double least = numbers->bond_period;
    if (!(least < INFINITY)) {
        numbers->bond_period = unset;
        return SCREE_OK;
    }
    numbers->longest_time_step = fmin(numbers->longest_time_step, 0.1 * least);
    if (def->time_step == 0.0)
        numbers->time_step = fmin(numbers->time_step, least / 50.0);
    if (numbers->time_step <= 0.1 * least)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sim: time step %g; half the period of the bond of spheres %" PRId64 " and %" PRId64 " is %g; expected at most a tenth of that, %g (a fiftieth is usual)",
                      numbers->time_step, numbers->bond_fastest[0], numbers->bond_fastest[1], least, 0.1 * least);
}

// ---- Some at a time --------------------------------------------------------------------------------------------------------

void bonds_begin(bond_finder* f)
{
    f->listed_at = f->first = 0;
    bond_table_free(&f->slice);
}

void bonds_end(bond_finder* f)
{
    bond_table_free(&f->listed);
    bond_table_free(&f->slice);
}

// Whether bond b of the list comes after this pair and all of its images.
static bool comes_after(const bond_table* list, int64_t b, const int32_t ij[2])
{
    return list->ij[b][0] != ij[0] ? list->ij[b][0] > ij[0] : list->ij[b][1] > ij[1];
}

scree_status bonds_next(bond_finder* f, scree_pairs pairs)
{
    scree_status status = SCREE_OK;
    f->first += f->slice.count;
    bond_table_free(&f->slice);
    for (; f->listed_at < f->listed.count && status == SCREE_OK && (pairs.count == 0 || !comes_after(&f->listed, f->listed_at, pairs.ij[pairs.count - 1])); ++f->listed_at) {
        int64_t b = f->listed_at;
        status = append(&f->slice, f->listed.ij[b][0], f->listed.ij[b][1], f->listed.shift[b], f->listed.kind[b], f->listed.length[b]);
    }
    int64_t listed = f->slice.count;
    if (status == SCREE_OK)
        status = take_near(f->def, f->spheres, pairs, &f->slice);
    return status == SCREE_OK ? sort(&f->slice, listed) : status;
}

// Slice by slice, by the pairs of all ranks.
static scree_status find_there(bond_finder* f, const sim_runner* runner, bool searched, scree_sim_numbers* numbers)
{
    scree_status status = SCREE_OK;
    scree_pairs pairs = {.count = 0};
    bonds_begin(f);
    do {
        if (searched)
            status = runner->next_pairs(runner->context, &pairs);
        if (status == SCREE_OK)
            status = bonds_next(f, pairs);
        if (status == SCREE_OK)
            status = add_limits(f, numbers);
    } while (status == SCREE_OK && pairs.count > 0);
    return status;
}

scree_status bonds_find(const scree_sim_def* def, scree_spheres spheres, const sim_runner* runner, scree_sim_numbers* numbers, bond_finder* out)
{
    *out = (bond_finder){.def = def, .spheres = spheres};
    if (def->bonds == NULL)
        return SCREE_OK;
    double gap = -1.0, unset = numbers->bond_period;
    for (int32_t k = 0; k < def->bonds->kind_count; ++k)
        gap = fmax(gap, def->bonds->kinds[k].gap);
    const bool searched = gap >= 0.0 && spheres.count > 0;
    const scree_index_def search = search_of(def, spheres, gap);
    bond_table* to = runner != NULL ? &out->listed : &out->slice;
    scree_status status = take_listed(def, spheres, to);
    int64_t listed = to->count;
    if (status == SCREE_OK && searched)
        status = runner != NULL ? runner->find_pairs(runner->context, &search, spheres) : find_here(def, spheres, &search, to);
    if (status == SCREE_OK)
        status = sort(to, listed);
    numbers->bond_count = 0;
    numbers->bond_period = INFINITY;
    if (status == SCREE_OK)
        status = runner != NULL ? find_there(out, runner, searched, numbers) : add_limits(out, numbers);
    out->count = numbers->bond_count;
    if (status == SCREE_OK && out->count > INT32_MAX)
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId64 " bonds; expected at most %d", out->count, INT32_MAX);
    return status == SCREE_OK ? limit_step(def, unset, numbers) : status;
}
