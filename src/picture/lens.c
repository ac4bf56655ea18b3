// Lenses: where a point of the stage falls in the picture. The picture's lens is orthographic or has its eye in front of the
// stage; it is turned by the def and then moved and scaled so that the corners of the stage's bounds fill the picture but
// for a margin. So the angle of the perspective says how strong it is, not how large the scene appears.
//
// The lamp's lens is orthographic and looks from the lamp; what it sees first is lit.
#include "picture/picture.h"

#include <math.h>
#include <string.h>

#define MARGIN 0.04  // of the picture's smaller side, on each side

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

static bool normalise(double a[3])
{
    double largest = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
    if (!(largest > 0.0) || !isfinite(a[0]) || !isfinite(a[1]) || !isfinite(a[2]))
        return false;
    for (int k = 0; k < 3; ++k)
        a[k] /= largest;
    double length = sqrt(dot(a, a));
    for (int k = 0; k < 3; ++k)
        a[k] /= length;
    return true;
}

// Right, up and away from the direction to the eye and a hint of what is up; false if the two are parallel.
static bool turn_axes(const double eye[3], const double up[3], double axis[3][3])
{
    cross(up, eye, axis[0]);
    if (!(dot(axis[0], axis[0]) > 1e-20) || !normalise(axis[0]))
        return false;
    cross(eye, axis[0], axis[1]);
    normalise(axis[1]);
    for (int k = 0; k < 3; ++k)
        axis[2][k] = -eye[k];
    return true;
}

void scree_lens_turn(const lens* l, const double p[3], double out[3])
{
    double q[3] = {dot(l->axis[0], p), dot(l->axis[1], p), dot(l->axis[2], p)};
    memcpy(out, q, sizeof q);
}

static void take_planes(const stage* s, lens* l)
{
    l->plane_count = s->plane_count;
    for (int n = 0; n < s->plane_count; ++n) {
        scree_lens_turn(l, s->plane[n], l->plane[n]);
        l->plane[n][3] = s->plane[n][3];
    }
}

static scree_status choose_axes(const stage* s, const scree_picture_def* def, lens* l)
{
    double eye[3], up[3];
    memcpy(eye, def->eye, sizeof eye);
    memcpy(up, def->up, sizeof up);
    bool eye_given = eye[0] != 0.0 || eye[1] != 0.0 || eye[2] != 0.0;
    bool up_given = up[0] != 0.0 || up[1] != 0.0 || up[2] != 0.0;
    if (s->set->dim == 2) {
        if (eye_given && !(eye[0] == 0.0 && eye[1] == 0.0 && eye[2] > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "the eye is at %g, %g, %g; expected it on +z for discs", eye[0], eye[1], eye[2]);
        memcpy(eye, (double[]){0.0, 0.0, 1.0}, sizeof eye);
    } else if (!eye_given) {
        memcpy(eye, (double[]){0.45, -0.75, 0.42}, sizeof eye);
    }
    if (!normalise(eye))
        return scree_fail(SCREE_ERR_ARGUMENT, "the direction of the eye is %g, %g, %g; expected a vector that is not 0", def->eye[0], def->eye[1], def->eye[2]);
    if (up_given && !normalise(up))
        return scree_fail(SCREE_ERR_ARGUMENT, "the direction up is %g, %g, %g; expected a vector that is not 0", def->up[0], def->up[1], def->up[2]);
    if (up_given && turn_axes(eye, up, l->axis))
        return SCREE_OK;
    if (up_given)
        return scree_fail(SCREE_ERR_ARGUMENT, "the direction up, %g, %g, %g, is parallel to the direction of view; expected another direction", def->up[0],
                          def->up[1], def->up[2]);
    bool along_z = fabs(eye[0]) < 1e-9 && fabs(eye[1]) < 1e-9;
    turn_axes(eye, along_z ? (double[]){0.0, 1.0, 0.0} : (double[]){0.0, 0.0, 1.0}, l->axis);
    return SCREE_OK;
}

// The range of u and v over the corners of the stage's bounds; false if one of them is not in front of the eye.
static bool corner_range(const stage* s, const lens* l, double low[2], double high[2])
{
    low[0] = low[1] = INFINITY;
    high[0] = high[1] = -INFINITY;
    for (int corner = 0; corner < 8; ++corner) {
        double p[3], q[3];
        for (int k = 0; k < 3; ++k)
            p[k] = (corner >> k & 1) != 0 ? s->half[k] : -s->half[k];
        scree_lens_turn(l, p, q);
        double depth = scree_lens_depth(l, q[2]);
        if (!(depth > 1e-2 * (l->eye > 0.0 ? s->radius : 1.0)))
            return false;
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], q[k] / depth);
            high[k] = fmax(high[k], q[k] / depth);
        }
    }
    return true;
}

scree_status scree_lens_aim(stage* s, const scree_picture_def* def, int32_t reserved, lens* out)
{
    *out = (lens){.width = def->width, .height = def->height};
    scree_status status = choose_axes(s, def, out);
    if (status != SCREE_OK)
        return status;
    double half_angle = 0.5 * def->perspective * 3.14159265358979323846 / 180.0;
    if (def->perspective > 0.0 && s->set->dim == 3)
        out->eye = def->distance > 0.0 ? def->distance * s->unit : s->radius / sin(half_angle);
    double wide = (double)(def->width - reserved), tall = (double)def->height;
    double margin = MARGIN * fmin(wide, tall);
    double low[2], high[2];
    double centre[2] = {0.0, 0.0};
    if (corner_range(s, out, low, high)) {
        double across = fmax((high[0] - low[0]) / (wide - 2.0 * margin), (high[1] - low[1]) / (tall - 2.0 * margin));
        out->pitch = across > 0.0 ? across : 1.0 / fmin(wide, tall);
        for (int k = 0; k < 2; ++k)
            centre[k] = 0.5 * (low[k] + high[k]);
    } else {  // the eye is inside: the angle says how much is seen
        out->pitch = 2.0 * tan(half_angle) / fmin(wide, tall);
    }
    out->pitch /= def->zoom;
    out->left = centre[0] - 0.5 * wide * out->pitch;
    out->top = centre[1] + 0.5 * tall * out->pitch;
    if (def->cut) {  // the last plane; what is on the eye's side goes
        double* plane = s->plane[s->plane_count - 1];
        double side = -dot(plane, out->axis[2]) * (out->eye > 0.0 ? out->eye : 1.0) - (out->eye > 0.0 ? plane[3] : 0.0);
        for (int k = 0; k < 4 && side < -1e-12; ++k)
            plane[k] = -plane[k];
    }
    take_planes(s, out);
    return SCREE_OK;
}

lens scree_lens_of_lamp(const stage* s, const lens* view, const double lamp[3], int32_t side)
{
    lens l = {.width = side, .height = side};
    double in_view[3][3];
    turn_axes(lamp, (double[]){0.0, 1.0, 0.0}, in_view);
    // From the space of the view back to the stage: the axes are orthonormal.
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 3; ++k)
            l.axis[a][k] = in_view[a][0] * view->axis[0][k] + in_view[a][1] * view->axis[1][k] + in_view[a][2] * view->axis[2][k];
    take_planes(s, &l);
    // What the view shows lies between its corners in front and behind; and nothing is outside the unit sphere.
    double low[2] = {1.0, 1.0}, high[2] = {-1.0, -1.0};
    for (int corner = 0; corner < 8; ++corner) {
        double z = (corner & 4) != 0 ? 1.0 : -1.0;
        double depth = fmax(scree_lens_depth(view, z), 0.0);
        double u = view->left + ((corner & 1) != 0 ? view->width * view->pitch : 0.0);
        double v = view->top - ((corner & 2) != 0 ? view->height * view->pitch : 0.0);
        double p[3] = {u * depth, v * depth, z};
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], fmax(-1.0, dot(in_view[k], p)));
            high[k] = fmax(high[k], fmin(1.0, dot(in_view[k], p)));
        }
    }
    double across = fmax(fmax(high[0] - low[0], high[1] - low[1]), 1e-6);
    l.pitch = across / (double)side;
    l.left = 0.5 * (low[0] + high[0]) - 0.5 * across;
    l.top = 0.5 * (low[1] + high[1]) + 0.5 * across;
    return l;
}

void scree_lens_keep(const lens* l, double u, double v, double* enter, double* leave, int* plane)
{
    *enter = -INFINITY;
    *leave = INFINITY;
    *plane = -1;
    for (int n = 0; n < l->plane_count; ++n) {
        const double* p = l->plane[n];
        double along, left;  // n . x = along * t - left <= 0, t counted from the eye or from the plane z = 0
        if (l->eye > 0.0) {
            along = p[0] * u + p[1] * v + p[2];
            left = p[3] + p[2] * l->eye;
        } else {
            along = p[2];
            left = p[3] - p[0] * u - p[1] * v;
        }
        if (fabs(along) < 1e-12) {
            if (left < 0.0)
                *leave = -INFINITY;
            continue;
        }
        double z = left / along - l->eye;
        if (along > 0.0) {
            *leave = fmin(*leave, z);
        } else if (z > *enter) {
            *enter = z;
            *plane = n;
        }
    }
}
