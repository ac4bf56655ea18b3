#include "search_options.h"

#include "common.h"

const char* direction_name_at(int d)
{
    return scree_direction_name((scree_direction)d);
}

const char* range_name_at(int r)
{
    return scree_range_name((scree_range)r);
}

const char* box_test_name_at(int b)
{
    return scree_box_test_name((scree_box_test)b);
}

bool search_options_of(const arguments* args, search_options* out)
{
    int method = SCREE_METHOD_AUTO, direction = 0, range = 0, box_test = 0, sizes = 0, sides = 0;
    int64_t levels = 0, rebuild_every = 0;
    *out = (search_options){.def = scree_default_index_def()};
    if (!option_choice(args, "method", method_name_at, &method) ||
        !option_number(args, "cell-size", &out->def.cell_size) || !option_integer(args, "levels", 1, SCREE_LEVELS_MOST, &levels) ||
        !option_numbers(args, "cell-sizes", SCREE_LEVELS_MOST, out->cell_sizes, &sizes) ||
        !option_numbers(args, "cell-sides", 3, out->def.cell_sides, &sides) ||
        !option_choice(args, "direction", direction_name_at, &direction) || !option_choice(args, "range", range_name_at, &range) ||
        !option_choice(args, "box-test", box_test_name_at, &box_test) || !option_number(args, "skin", &out->def.skin) ||
        !option_number(args, "loose-factor", &out->def.loose_factor) ||
        !option_number(args, "verlet-radius", &out->def.verlet_radius) ||
        !option_integer(args, "rebuild-every", 1, INT32_MAX, &rebuild_every))
        return false;
    out->def.rebuild_every = (int32_t)rebuild_every;
    out->def.method = method;
    out->def.levels = (int32_t)levels;
    out->def.cell_size_count = sizes;
    out->def.cell_sizes = out->cell_sizes;
    out->def.direction = direction;
    out->def.range = range;
    out->def.box_test = box_test;
    return true;
}
