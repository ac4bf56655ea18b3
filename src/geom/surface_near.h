// Triangles near a point: a walk down the tree of a surface (surface_tree.c).
#ifndef SCREE_GEOM_SURFACE_NEAR_H
#define SCREE_GEOM_SURFACE_NEAR_H

#include "geom/surface_contacts.h"

SCREE_BOTH double surface_square_to_box(const surface_node* node, const double x[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double d = x[k] < node->lower[k] ? node->lower[k] - x[k] : x[k] > node->upper[k] ? x[k] - node->upper[k] : 0.0;
        sum += d * d;
    }
    return sum;
}

// Rising; short rows mostly.
SCREE_BOTH void surface_sort_numbers(int32_t* at, int64_t count)
{
    int64_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int64_t i = gap; i < count; ++i) {
            int32_t value = at[i];
            int64_t j = i;
            for (; j >= gap && at[j - gap] > value; j -= gap)
                at[j] = at[j - gap];
            at[j] = value;
        }
}

// scree_surface_near, without a check of what is given; room 0: they are counted.
SCREE_BOTH int64_t surface_near_of(const scree_surface* s, const double x[3], double reach, int32_t* out, int64_t room)
{
    // Rounding may not lose one: distances are right to some roundings of the largest number in them.
    double margin = reach * (1.0 + 1e-9) + 1e-14 * s->report.longest_edge, square = margin * margin;
    int32_t stack[surface_depth + 2];
    int top = 0;
    int64_t count = 0;
    if (!(reach > 0.0))
        return 0;
    stack[top++] = 0;
    while (top > 0) {
        int32_t n = stack[--top];
        const surface_node* node = &s->node[n];
        if (!(surface_square_to_box(node, x) <= square))
            continue;
        if (node->count == 0) {
            stack[top++] = node->at;
            stack[top++] = n + 1;
        }
        for (int32_t k = 0; k < node->count; ++k) {
            int32_t t = s->order[node->at + k];
            double distance;
            surface_nearest_on_triangle(s, t, x, &distance);
            if (!(distance < margin))
                continue;
            if (count < room)
                out[count] = t;
            ++count;
        }
    }
    if (count <= room)
        surface_sort_numbers(out, count);
    return count;
}

#endif
