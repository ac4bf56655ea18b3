// Breakage: the fragments of bonded bodies, their sizes, and the number of bonds broken by tension and by shear.
//
// A fragment is a set of spheres connected by intact bonds. Contacts do not connect: the pieces of a broken body often
// touch. A sphere whose bonds are all broken is a fragment of one; a sphere that never had a bond belongs to no fragment.
//
// Cost: O(n + bonds).
#include "measure/forest.h"
#include "measure/snapshot.h"

#include "base/argument.h"

static bool holds(const scree_sim_bonds* bonds, int64_t b)
{
    return bonds->broken_at == NULL || bonds->broken_at[b] < 0;
}

// Marks spheres that have or had a bond by fragment 0, counts bonds, and joins spheres with intact ones.
static void join_bonded(const looked_at* look, scree_fragments* out, const forest* f)
{
    const scree_sim_bonds* bonds = look->s->bonds;
    for (int64_t b = 0; b < bonds->count; ++b) {
        int32_t i = (int32_t)bonds->ij[b][0], j = (int32_t)bonds->ij[b][1];
        out->fragment[i] = out->fragment[j] = 0;
        if (holds(bonds, b)) {
            ++out->bonds;
            forest_join(f, i, j, NULL);
            continue;
        }
        ++out->bonds_broken;
        out->bonds_broken_tension += bonds->cause != NULL && bonds->cause[b] == SCREE_BOND_TENSION;
        out->bonds_broken_shear += bonds->cause != NULL && bonds->cause[b] == SCREE_BOND_SHEAR;
    }
}

// Roots are the first spheres of their fragments, so fragments are numbered by these.
static scree_status number_fragments(const looked_at* look, const forest* f, scree_fragments* out)
{
    for (int32_t i = 0; i < look->n; ++i)
        if (out->fragment[i] >= 0) {
            int32_t root = forest_root(f, i);
            out->fragment[i] = root == i ? out->fragments++ : out->fragment[root];
            ++out->bonded;
        }
    out->size = scree_calloc((size_t)out->fragments, sizeof *out->size);
    out->mass = scree_calloc((size_t)out->fragments, sizeof *out->mass);
    if (out->size == NULL || out->mass == NULL)
        return SCREE_ERR_MEMORY;
    double whole = 0.0, largest = 0.0;
    for (int32_t i = 0; i < look->n; ++i) {
        int32_t g = out->fragment[i];
        if (g < 0)
            continue;
        double m = snapshot_mass(look, i);
        whole += m;
        out->mass[g] += m;
        ++out->size[g];
    }
    for (int32_t g = 0; g < out->fragments; ++g) {
        out->fragment_max = out->size[g] > out->fragment_max ? out->size[g] : out->fragment_max;
        largest = out->mass[g] > largest ? out->mass[g] : largest;
    }
    out->fragment_share_max = whole > 0.0 ? largest / whole : 0.0;
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_fragments, scree_measure_fragments, (const scree_snapshot* snapshot, scree_fragments* out), (snapshot, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(snapshot);
    looked_at look;
    forest f = {0};
    scree_status status = snapshot_check(snapshot, &look);
    if (status == SCREE_OK && snapshot->bonds == NULL)
        status = scree_fail(SCREE_ERR_ARGUMENT, "fragments: the snapshot has no bonds; expected bonds");
    if (status != SCREE_OK)
        return status;
    scree_fragments found = {.n = look.n, .fragment = scree_malloc((size_t)look.n, sizeof *found.fragment)};
    status = found.fragment != NULL ? forest_make(look.n, &f) : SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < look.n && status == SCREE_OK; ++i)
        found.fragment[i] = -1;
    if (status == SCREE_OK) {
        join_bonded(&look, &found, &f);
        status = number_fragments(&look, &f, &found);
    }
    forest_free(&f);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_fragments_free(&found);
    return status;
}

SCREE_RELEASE_OF(scree_fragments, scree_fragments_free)
{
    if (given == NULL)
        return;
    scree_free(given->fragment);
    scree_free(given->size);
    scree_free(given->mass);
    *given = (scree_fragments){0};
}
