// Density: the volume of the spheres inside a box over the volume of the box.
//
// Of each sphere the part inside the box counts. On a periodic axis the part that extends beyond one face re-enters at the
// opposite face, so the sphere is not cut; a wall cuts it. The inner box cuts spheres in the same way, and its density
// is exact too: spheres are not counted by their centres.
//
//      +--------------------+
//      |  wall  .---------. |      Near a wall spheres are ordered and less dense. The margin keeps the inner box away from
//      |        |  inner  | |      that; by default it is the largest diameter, at most a
//      |        '---------' |      quarter of the side.
//      +--------------------+
#include "measure/measured.h"

#include <math.h>

static double filled(const measured* m, const double* lower, const double* upper)
{
    double sum = 0.0;
    for (int64_t i = 0; i < m->n; ++i)
        sum += measured_share_of_box(m, m->r[i]) *
               scree_sphere_box_share(m->dim, m->x + i * m->dim, m->r[i], lower, upper);
    return sum;
}

// The same in a round container, of which the cut of a sphere has no product form.
static double filled_round(const measured* m, const scree_container* container)
{
    double sum = 0.0;
    for (int64_t i = 0; i < m->n; ++i)
        sum += measured_share_of_box(m, m->r[i]) * scree_sphere_container_share(container, m->x + i * m->dim, m->r[i]);
    return sum * measured_box_to(m, container);
}

scree_status density_of(const measured* m, scree_density* out)
{
    const scree_box* box = &m->def.box;
    double lower[3], upper[3], inner_lower[3], inner_upper[3], inner_share = 1.0;
    bool walls = false;
    for (int k = 0; k < m->dim; ++k) {
        lower[k] = inner_lower[k] = -INFINITY;
        upper[k] = inner_upper[k] = INFINITY;
        if (box->periodic[k])
            continue;
        walls = true;
        lower[k] = box->lower[k];
        upper[k] = box->upper[k];
        inner_lower[k] = lower[k] + m->def.margin;
        inner_upper[k] = upper[k] - m->def.margin;
        if (m->has_volume && !(inner_upper[k] > inner_lower[k]))
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "margin = %g; expected less than half of the box, which is %g long on axis %c", m->def.margin,
                              m->length[k], "xyz"[k]);
        inner_share *= (inner_upper[k] - inner_lower[k]) / m->length[k];
    }
    *out = (scree_density){.whole = NAN, .inner = NAN, .margin = walls ? m->def.margin : 0.0};
    if (m->has_volume && m->def.container != SCREE_CONTAINER_BOX) {
        scree_container whole = {.kind = m->def.container, .box = *box}, inner = whole;
        for (int k = 0; k < m->dim; ++k) {
            inner.box.lower[k] = box->periodic[k] ? box->lower[k] : inner_lower[k];
            inner.box.upper[k] = box->periodic[k] ? box->upper[k] : inner_upper[k];
        }
        out->whole = filled_round(m, &whole);
        out->inner = filled_round(m, &inner);
    } else if (m->has_volume) {
        out->whole = filled(m, lower, upper);
        out->inner = walls ? filled(m, inner_lower, inner_upper) / inner_share : out->whole;
    }
    return SCREE_OK;
}
