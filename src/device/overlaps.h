// The lanes that measure overlaps (overlaps.c in src/sim describes what is reported). A first launch finds the deepest overlap; a second one finds the pair that has it, if it is deeper than any before. Nothing
// moves between the two.
#ifndef SCREE_DEVICE_OVERLAPS_H
#define SCREE_DEVICE_OVERLAPS_H

#include "device/shapes.h"

typedef struct look_found {
    double overlap, relative, duration;
} look_found;

LANE void look_take(const look_job* job, double overlap, double r, double radius, double inverse, const law_pair* with, look_found* out)
{
    out->overlap = overlap;
    out->relative = overlap / r;
    out->duration = INFINITY;
    if (job->curved && inverse > 0.0)
        out->duration = 3.14159265358979323846 / sqrt(2.0 * with->young * sqrt(radius * overlap) * inverse);
}

LANE void look_tell(const look_job* job, bool names, int64_t i, int64_t j, const look_found* found)
{
    look_result* result = job->result;
    const uint64_t relative = lane_bits_from(found->relative), brief = ~lane_bits_from(found->duration);
    const uint64_t key = ~((uint64_t)(uint32_t)i << 32 | (uint32_t)(int32_t)j);  // the largest is the lowest rank
    if (!names) {
        if (found->relative > job->share && relative > result->deepest)
            lane_max(&result->deepest, relative);
        if (found->duration < job->brief && brief > result->shortest)
            lane_max(&result->shortest, brief);
        return;
    }
    if (relative == result->deepest && relative > result->deepest_before) {
        lane_max(&result->deepest_key, key);
        lane_max(&result->deepest_overlap, lane_bits_from(found->overlap));
        lane_max(&result->deepest_duration, lane_bits_from(found->duration));
    }
    if (brief == result->shortest && brief > result->shortest_before) {
        lane_max(&result->shortest_key, key);
        lane_max(&result->shortest_overlap, lane_bits_from(found->overlap));
        lane_max(&result->shortest_relative, relative);
    }
}

// `names`: the second of the two.
LANE void look_lane(const look_job* job, bool names, int64_t i)
{
    if (i >= job->step.n || (names && job->result->deepest <= job->result->deepest_before && job->result->shortest <= job->result->shortest_before))
        return;
    const step_job* step = &job->step;
    const double *x = step->x[i], giant = step->giant_radius;
    look_found found;
    for (uint64_t e = step->rows.off[i]; e < step->rows.off[i + 1]; ++e) {
        const int32_t j = step->rows.list[e];
        if (i > j && !(giant < INFINITY && step->x[j][3] >= giant && x[3] < giant))
            continue;  // counted in the other row
        const double *a = i <= j ? x : step->x[j], *b = i <= j ? step->x[j] : x;
        double offset[3], image_velocity[3], sum = a[3] + b[3];
        contact_image(step, step->rows.shift != NULL, e, offset, image_velocity);
        double square = scree_square_distance(a, b, offset);
        if (!(square < sum * sum))
            continue;
        look_take(job, sum - sqrt(square), fmin(a[3], b[3]), a[3] * b[3] / sum, velocity_mass(step, step->law.turns, i) + velocity_mass(step, step->law.turns, j), law_with(&step->law, step->material, (int32_t)i, j), &found);
        look_tell(job, names, i <= j ? i : j, i <= j ? j : i, &found);
    }
    if (step->flags != NULL && (step->flags[i] & 1) != 0)
        return;
    for (int32_t number = 0; number < step->boundary_count; ++number) {
        const sim_boundary* b = &step->boundaries[number];
        boundary_point at;
        if (!b->present)
            continue;
        boundary_surface(b, x, &at);
        if (!(at.inside < x[3]))
            continue;
        look_take(job, x[3] - at.inside, x[3], x[3], velocity_mass(step, step->law.turns, i), law_with_material(&step->law, step->material, (int32_t)i, b->material), &found);
        look_tell(job, names, i, -1 - (int64_t)number, &found);
    }
}

// The same of shapes, by lanes that have room for it.
LANE void look_shapes_lane(const look_job* job, bool names, int64_t lane)
{
    const step_job* step = &job->step;
    const shape_set* set = &step->shapes;
    if (lane >= set->lanes || (names && job->result->deepest <= job->result->deepest_before && job->result->shortest <= job->result->shortest_before))
        return;
    const surface_touch* touches = set->touches + lane * set->room;
    for (int64_t k = lane; k < job->near_count; k += set->lanes) {
        contact_own own;
        look_found found;
        own.i = set->near[k];
        lane_read(own.x, step->x[own.i]);
        velocity_read_all(step, step->law.turns, own.i, own.v);
        for (int64_t row = set->off[own.i]; row < set->off[own.i + 1];) {
            const surface_beside beside = shape_beside(step, false, &own, row);
            const int64_t count = shape_find(set, lane, &beside);
            for (int64_t c = 0; c < count; ++c) {
                const double overlap = own.x[3] - touches[c].at.inside;
                if (!(overlap > 0.0) || surface_is_link(&touches[c]))
                    continue;
                look_take(job, overlap, own.x[3], own.x[3], own.v[3], law_with_material(&step->law, step->material, own.i, beside.b->material), &found);
                look_tell(job, names, own.i, -1 - (int64_t)beside.boundary, &found);
            }
            row = beside.end;
        }
    }
}

#endif
