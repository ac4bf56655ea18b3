// Exact surfaces: planes, cylinders, cones, spheres, discs, boxes. Each gives the nearest point, so a sphere touches them as they are, not as facets.
//
// Cylinder, cone and disc are surfaces of revolution: a segment in the half-plane of (distance from the axis, height along it), turned about the axis.
//
//     height |    /            The nearest point of the segment to (rho, z) of the centre, turned to where the centre is, is the nearest point of the surface.
//            |   /  o          Its ends are circles, the rims: there the normal points from the circle to the centre.
//            |  /
//            +------ rho       On the axis all directions are equal, and a fixed one is taken.
//
// Cost: some ten operations and two roots.
#ifndef SCREE_GEOM_EXACT_CONTACTS_H
#define SCREE_GEOM_EXACT_CONTACTS_H

#include "geom/vector.h"
#include "scree/surface.h"

// ---- Surfaces of revolution --------------------------------------------------------------------------------------------

// A direction across the axis, always the same: across the coordinate axis that is least along it.
SCREE_BOTH void exact_any_across(const double axis[3], double out[3])
{
    int least = 0;
    for (int k = 1; k < 3; ++k)
        if (fabs(axis[k]) < fabs(axis[least]))
            least = k;
    double along[3] = {least == 0 ? 1.0 : 0.0, least == 1 ? 1.0 : 0.0, least == 2 ? 1.0 : 0.0}, across[3];
    vec_cross(axis, along, across);
    vec_normalise(across, out);
}

// A segment in the plane of (distance from the axis, height), and its front.
typedef struct exact_profile {
    double from[2], to[2];
    double front[2];  // normal, length 1
    bool endless;     // no ends
} exact_profile;

SCREE_BOTH exact_profile exact_profile_of(const scree_exact* e)
{
    if (e->kind == SCREE_EXACT_DISC)
        return (exact_profile){.from = {e->radius[0], 0.0}, .to = {e->radius[1], 0.0}, .front = {0.0, 1.0}};
    bool cone = e->kind == SCREE_EXACT_CONE;
    exact_profile p = {.from = {e->radius[0], 0.0}, .to = {cone ? e->radius[1] : e->radius[0], e->length}, .endless = e->length == INFINITY};
    double slope = cone ? e->radius[1] - e->radius[0] : 0.0, sign = e->inside ? -1.0 : 1.0;
    double side = cone ? sqrt(slope * slope + e->length * e->length) : 1.0;
    p.front[0] = cone ? sign * (e->length / side) : sign;
    p.front[1] = cone ? -sign * (slope / side) : 0.0;
    return p;
}

SCREE_BOTH void exact_closest_of_revolution(const scree_exact* e, const double x[3], scree_surface_contact* out)
{
    double axis[3], d[3], across[3], outwards[3];
    exact_profile p = exact_profile_of(e);
    vec_normalise(e->axis, axis);
    vec_sub(x, e->at, d);
    double z = vec_dot(d, axis);
    for (int k = 0; k < 3; ++k)
        across[k] = d[k] - z * axis[k];
    double rho = vec_length(across);
    if (rho > 0.0)
        for (int k = 0; k < 3; ++k)
            outwards[k] = across[k] / rho;
    else
        exact_any_across(axis, outwards);
    double at[2] = {p.from[0], z};  // nearest point of the profile
    if (!p.endless) {
        double along[2] = {p.to[0] - p.from[0], p.to[1] - p.from[1]};
        double part = ((rho - p.from[0]) * along[0] + (z - p.from[1]) * along[1]) / (along[0] * along[0] + along[1] * along[1]);
        out->feature = part <= 0.0 ? 1 : part >= 1.0 ? 2 : 0;
        for (int k = 0; k < 2; ++k)
            at[k] = part <= 0.0 ? p.from[k] : part >= 1.0 ? p.to[k] : p.from[k] + part * along[k];
        if (e->kind == SCREE_EXACT_DISC && part >= 1.0 && e->radius[1] == 0.0) {  // no hole, and on the axis
            out->feature = 0;
        }
    }
    double way[2] = {rho - at[0], z - at[1]}, front = way[0] * p.front[0] + way[1] * p.front[1];
    double n[2];
    out->front = front >= 0.0;
    if (out->feature == 0) {  // along the normal of the profile
        out->distance = fabs(front);
        for (int k = 0; k < 2; ++k)
            n[k] = front >= 0.0 ? p.front[k] : -p.front[k];
    } else {
        out->distance = sqrt(way[0] * way[0] + way[1] * way[1]);
        for (int k = 0; k < 2; ++k)
            n[k] = out->distance > 0.0 ? way[k] / out->distance : p.front[k];
    }
    for (int k = 0; k < 3; ++k) {
        out->point[k] = e->at[k] + (at[0] * outwards[k] + at[1] * axis[k]);
        out->normal[k] = n[0] * outwards[k] + n[1] * axis[k];
    }
}

// ---- Planes, spheres, boxes --------------------------------------------------------------------------------------------

SCREE_BOTH void exact_closest_of_plane(const scree_exact* e, const double x[3], scree_surface_contact* out)
{
    double n[3], d[3];
    vec_normalise(e->axis, n);
    vec_sub(x, e->at, d);
    double height = vec_dot(d, n);
    out->front = height >= 0.0;
    out->distance = fabs(height);
    for (int k = 0; k < 3; ++k) {
        out->point[k] = x[k] - height * n[k];
        out->normal[k] = height >= 0.0 ? n[k] : -n[k];
    }
}

SCREE_BOTH void exact_closest_of_sphere(const scree_exact* e, const double x[3], scree_surface_contact* out)
{
    double d[3], u[3];
    vec_sub(x, e->at, d);
    double away = vec_length(d), out_of = away - e->radius[0];
    for (int k = 0; k < 3; ++k)
        u[k] = away > 0.0 ? d[k] / away : k == 0 ? 1.0 : 0.0;
    bool outside = out_of > 0.0 || (out_of == 0.0 && !e->inside);
    out->front = out_of == 0.0 || outside != e->inside;
    out->distance = fabs(out_of);
    for (int k = 0; k < 3; ++k) {
        out->point[k] = e->at[k] + e->radius[0] * u[k];
        out->normal[k] = outside ? u[k] : -u[k];
    }
}

SCREE_BOTH bool exact_in_box(const scree_exact* e, const double x[3])
{
    for (int k = 0; k < 3; ++k)
        if (!(x[k] >= e->lower[k] && x[k] <= e->upper[k]))
            return false;
    return true;
}

// Face number f (lower before upper on each axis) from inside, or from a point on it.
SCREE_BOTH void exact_face_of_box(const scree_exact* e, int f, const double x[3], scree_surface_contact* out)
{
    int axis = f / 2;
    double at = f & 1 ? e->upper[axis] : e->lower[axis];
    *out = (scree_surface_contact){.feature = f, .nearest = f, .distance = fabs(x[axis] - at), .scale = 1.0, .load = 1.0};
    for (int k = 0; k < 3; ++k)
        out->point[k] = k == axis ? at : x[k];
    out->front = out->distance == 0.0 || e->inside;
    out->normal[axis] = (f & 1) != (out->distance == 0.0 && !e->inside) ? -1.0 : 1.0;
}

SCREE_BOTH void exact_closest_of_box(const scree_exact* e, const double x[3], scree_surface_contact* out)
{
    if (exact_in_box(e, x)) {
        exact_face_of_box(e, 0, x, out);
        for (int f = 1; f < 6; ++f) {
            scree_surface_contact other;
            exact_face_of_box(e, f, x, &other);
            if (other.distance < out->distance)
                *out = other;
        }
        return;
    }
    int beyond = 0, face = 0;
    double d[3];
    for (int k = 0; k < 3; ++k) {
        out->point[k] = x[k] < e->lower[k] ? e->lower[k] : x[k] > e->upper[k] ? e->upper[k] : x[k];
        d[k] = x[k] - out->point[k];
        beyond += d[k] != 0.0;
        face = d[k] != 0.0 ? 2 * k + (d[k] > 0.0) : face;
    }
    out->feature = beyond == 1 ? face : 6;
    out->front = !e->inside;
    out->distance = vec_normalise(d, out->normal);
}

// ---- Any of them -------------------------------------------------------------------------------------------------------

SCREE_BOTH void exact_closest(const scree_exact* e, const double x[3], scree_surface_contact* out)
{
    *out = (scree_surface_contact){.scale = 1.0, .load = 1.0};
    switch (e->kind) {
    case SCREE_EXACT_PLANE:
        exact_closest_of_plane(e, x, out);
        break;
    case SCREE_EXACT_SPHERE:
        exact_closest_of_sphere(e, x, out);
        break;
    case SCREE_EXACT_BOX:
        exact_closest_of_box(e, x, out);
        break;
    default:
        exact_closest_of_revolution(e, x, out);
    }
    out->nearest = out->feature;
}

// scree_exact_contacts of a kind that there is; a contact's load is its share of 1.
SCREE_BOTH int32_t exact_contacts_of(const scree_exact* exact, const double x[3], double r, scree_surface_contact out[SCREE_EXACT_CONTACTS_MAX])
{
    int32_t count = 0;
    if (exact->kind != SCREE_EXACT_BOX || !exact_in_box(exact, x)) {
        exact_closest(exact, x, &out[0]);
        return out[0].distance < r;
    }
    for (int f = 0; f < 6; ++f) {
        exact_face_of_box(exact, f, x, &out[count]);
        out[count].component = count;
        count += out[count].distance < r;
    }
    return count;
}

#endif
