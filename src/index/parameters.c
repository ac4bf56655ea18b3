// Which parameter belongs to which method, and what it may be.
#include "index/parameters.h"

#include "geom/length.h"
#include "scree/levels.h"

#include <inttypes.h>
#include <math.h>

static const char* const directions[SCREE_DIRECTION_COUNT] = {"cheaper", "finer", "coarser"};
static const char* const ranges[SCREE_RANGE_COUNT] = {"tight", "half-cell", "iwai"};
static const char* const box_tests[SCREE_BOX_TEST_COUNT] = {"auto", "on", "off"};

const char* scree_direction_name(scree_direction direction)
{
    return (int)direction >= 0 && direction < SCREE_DIRECTION_COUNT ? directions[direction] : NULL;
}

const char* scree_range_name(scree_range range)
{
    return (int)range >= 0 && range < SCREE_RANGE_COUNT ? ranges[range] : NULL;
}

const char* scree_box_test_name(scree_box_test box_test)
{
    return (int)box_test >= 0 && box_test < SCREE_BOX_TEST_COUNT ? box_tests[box_test] : NULL;
}

enum {
    OF_CELLS = 1 << SCREE_METHOD_LINKED_CELLS,
    OF_LEVELS = 1 << SCREE_METHOD_HIERARCHICAL_GRID,
    OF_LISTS = 1 << SCREE_METHOD_VERLET_LIST,
    OF_LOOSE = 1 << SCREE_METHOD_LOOSE_OCTREE
};

// A parameter that was given must belong to the method that was named: AUTO takes none, because it chooses them.
static scree_status check_owner(const scree_index_def* def, bool given, const char* name, int owners)
{
    if (!given || (owners >> def->method & 1) != 0)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT, "index: %s is a parameter of %s, and the method is %s; expected a parameter of that method", name,
                      owners == OF_CELLS    ? "linked-cells"
                      : owners == OF_LEVELS ? "hierarchical-grid"
                      : owners == OF_LISTS  ? "verlet-list"
                      : owners == OF_LOOSE  ? "loose-octree"
                                            : "linked-cells and hierarchical-grid",
                      scree_method_name((scree_method)def->method));
}

static scree_status check_sizes(const scree_index_def* def)
{
    if (def->cell_size_count < 0 || def->cell_size_count > SCREE_LEVELS_MOST ||
        (def->cell_size_count > 0 && def->cell_sizes == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "index: %" PRId32 " cell sizes; expected 1 to %d", def->cell_size_count,
                          (int)SCREE_LEVELS_MOST);
    if (def->cell_size_count > 0 && def->levels > 0 && def->levels != def->cell_size_count)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: %" PRId32 " levels and %" PRId32 " cell sizes; expected one of them", def->levels,
                          def->cell_size_count);
    for (int32_t h = 0; h < def->cell_size_count; ++h) {
        if (!(scree_is_length(def->cell_sizes[h]) && def->cell_sizes[h] > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "index: cell size %" PRId32 " is %g; expected a length above 0", h + 1,
                              def->cell_sizes[h]);
        if (h > 0 && def->cell_sizes[h] <= def->cell_sizes[h - 1])
            return scree_fail(SCREE_ERR_ARGUMENT, "index: cell size %" PRId32 " is %g after %g; expected sizes that rise from level to level", h + 1,
                              def->cell_sizes[h], def->cell_sizes[h - 1]);
    }
    return SCREE_OK;
}

// Sides for all axes, or for none.
static scree_status check_sides(const scree_index_def* def)
{
    const double* side = def->cell_sides;
    if (side[0] == 0.0 && side[1] == 0.0 && side[2] == 0.0)
        return SCREE_OK;
    for (int k = 0; k < 3; ++k) {
        if (k < def->box.dim && !(scree_is_length(side[k]) && side[k] > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "index: cell_sides: %g along %c; expected a length above 0 for each of the %d axes", side[k], "xyz"[k],
                              (int)def->box.dim);
        if (k >= def->box.dim && side[k] != 0.0)
            return scree_fail(SCREE_ERR_ARGUMENT, "index: cell_sides: %g along %c; expected 0 beyond %d axes", side[k], "xyz"[k], (int)def->box.dim);
    }
    if (def->cell_size > 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: cell_size %g and cell_sides %g, %g%s; expected one of the two", def->cell_size, side[0], side[1],
                          def->box.dim == 3 ? ", ..." : "");
    return SCREE_OK;
}

scree_status parameters_check(const scree_index_def* def)
{
    if (!scree_is_length(def->cell_size) || def->cell_size < 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: a cell size of %g; expected a length above 0, or 0 for automatic", def->cell_size);
    if (def->levels < 0 || def->levels > SCREE_LEVELS_MOST)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: %" PRId32 " levels; expected 1 to %d, or 0 for automatic", def->levels,
                          (int)SCREE_LEVELS_MOST);
    if (scree_direction_name((scree_direction)def->direction) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: there is no direction number %" PRId32 "; expected 0 to %d", def->direction, SCREE_DIRECTION_COUNT - 1);
    if (scree_range_name((scree_range)def->range) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: there is no range number %" PRId32 "; expected 0 to %d", def->range, SCREE_RANGE_COUNT - 1);
    if (scree_box_test_name((scree_box_test)def->box_test) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: there is no box_test number %" PRId32 "; expected 0 to %d", def->box_test, SCREE_BOX_TEST_COUNT - 1);
    if (!scree_is_length(def->verlet_radius) || def->verlet_radius < 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: a verlet radius of %g; expected a length above 0, or 0 for automatic",
                          def->verlet_radius);
    if (def->rebuild_every < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: rebuild_every %" PRId32 "; expected 1 or more updates, or 0 for when it is needed",
                          def->rebuild_every);
    if (def->loose_factor != 0.0 && !(def->loose_factor > 1.0 && def->loose_factor <= 1e6))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "index: a loose_factor of %g; expected above 1 and at most 1e6, or 0 for 2",
                          def->loose_factor);
    scree_status status = check_sizes(def);
    if (status == SCREE_OK)
        status = check_sides(def);
    const struct {
        bool given;
        const char* name;
        int owners;
    } all[] = {{def->cell_size > 0.0, "cell_size", OF_CELLS},
               {def->cell_sides[0] > 0.0, "cell_sides", OF_CELLS},
               {def->levels > 0, "levels", OF_LEVELS},
               {def->cell_size_count > 0, "cell_sizes", OF_LEVELS},
               {def->direction != SCREE_DIRECTION_CHEAPER, "direction", OF_LEVELS},
               {def->range != SCREE_RANGE_TIGHT, "range", OF_LEVELS},
               {def->box_test != SCREE_BOX_TEST_AUTO, "box_test", OF_CELLS | OF_LEVELS},
               {def->verlet_radius > 0.0, "verlet_radius", OF_LISTS},
               {def->rebuild_every > 0, "rebuild_every", OF_LISTS},
               {def->loose_factor != 0.0, "loose_factor", OF_LOOSE}};
    for (size_t k = 0; k < sizeof all / sizeof *all && status == SCREE_OK; ++k)
        status = check_owner(def, all[k].given, all[k].name, all[k].owners);
    return status;
}

double parameters_cell_reach(const scree_index_def* def)
{
    double reach = def->cell_size_count > 0 ? def->cell_sizes[def->cell_size_count - 1] : def->cell_size > 0.0 ? def->cell_size : INFINITY;
    for (int k = 0; k < def->box.dim && def->cell_sides[0] > 0.0; ++k)
        reach = fmin(reach, def->cell_sides[k]);
    return reach;
}

scree_status parameters_check_reach(const scree_index_def* def, double reach)
{
    double longest = parameters_cell_reach(def);
    if (longest < reach)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: %s %g would lose pairs; expected at least %g, the reach of the spheres with the gap",
                          def->cell_size_count > 0 ? "a last cell size of" : def->cell_sides[0] > 0.0 ? "a cell side of" : "a cell size of", longest, reach);
    if (def->verlet_radius > 0.0 && def->verlet_radius <= reach)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: a verlet radius of %g would lose pairs; expected more than %g, the reach of the spheres with the gap",
                          def->verlet_radius, reach);
    return SCREE_OK;
}
