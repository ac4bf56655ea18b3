#include "sphere_measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void measures_box(result* res, const scree_measures* m, const scree_sphere_set* set)
{
    const scree_box* box = &set->box;
    double size[3];
    char periodic[4] = "", note[64];
    for (int k = 0; k < m->dim; ++k) {
        size[k] = box->upper[k] - box->lower[k];
        if (box->periodic[k])
            strcat(periodic, (const char*[]){"x", "y", "z"}[k]);
    }
    result_integer(res, "n", m->n);
    result_about(res, "", m->dim == 2 ? "discs" : "spheres");
    result_integer(res, "dim", m->dim);
    result_numbers(res, "box_size", size, m->dim);
    snprintf(note, sizeof note, "%s%s", periodic[0] != '\0' ? "periodic along " : set->container == SCREE_CONTAINER_BOX ? "walls" : "around the container", periodic);
    result_about(res, "", note);
    if (scree_box_is_tilted(box))
        result_numbers(res, "box_tilt", box->tilt, m->dim == 2 ? 1 : 3);
    result_text(res, "periodic", periodic[0] == '\0' ? "none" : periodic);
    result_text(res, "container", scree_container_name(set->container));
    result_number(res, "diameter_min", m->diameter_min);
    result_number(res, "diameter_mean", m->diameter_mean);
    result_number(res, "diameter_max", m->diameter_max);
    result_number(res, "size_ratio", m->n == 0 || m->diameter_max == 0.0 ? 1.0 : m->diameter_max / m->diameter_min);
    result_about(res, "", "largest to smallest");
}

void measures_contacts(result* res, const scree_contact_counts* c, bool periodic)
{
    char note[96];
    result_section(res, "Contacts");
    result_integer(res, "contacts", c->contacts);
    result_about(res, "", "pairs that overlap");
    result_number(res, "gap", c->gap);
    result_about(res, "", "neighbours are nearer than this, surface to surface");
    result_integer(res, "pairs", c->pairs);
    result_about(res, "", "pairs nearer than the gap");
    result_number(res, "coordination", c->coordination);
    result_about(res, "", "neighbours per sphere");
    result_integer(res, "wall_contacts", c->wall_contacts);
    result_integer(res, "rattlers", c->rattlers);
    snprintf(note, sizeof note, "held by fewer than %" PRId32 "; %.3g %% of all spheres", c->contacts_min, c->n > 0 ? 100.0 * c->rattlers / c->n : 0.0);
    result_about(res, "", note);
    result_number(res, "backbone_coordination", c->backbone_coordination);
    result_about(res, "", "neighbours per sphere without rattlers");
    result_number(res, "mechanical_coordination", c->mechanical_coordination);
    result_about(res, "", "neighbours and walls per sphere that has two or more");
    result_integer(res, "contacts_min", c->contacts_min);
    result_about(res, "", "neighbours and walls that hold a sphere");

    result_section(res, "Overlaps");
    result_number(res, "max_overlap", c->max_overlap);
    result_about(res, "", "a length, from the centres alone");
    result_number(res, "mean_overlap", c->mean_overlap);
    result_number(res, "max_overlap_relative", c->max_overlap_relative);
    result_about(res, "", "by the smaller radius");
    result_number(res, "mean_overlap_relative", c->mean_overlap_relative);
    if (c->max_i < 0)
        return;
    result_integers(res, "max_overlap_pair", (int64_t[]){c->max_i, c->max_j}, 2);
    if (periodic)
        result_integers(res, "max_overlap_shift", (int64_t[]){c->max_shift[0], c->max_shift[1], c->max_shift[2]}, 3);
}

enum { rows_shown = 25 };

// As text in fewer rows: neighbouring bins are joined, which is exact because counts and ideal counts add up.
static void join_gr(result* res, const scree_pair_distribution* gr)
{
    double lower[rows_shown], upper[rows_shown], g[rows_shown], ideal[rows_shown];
    int64_t pairs[rows_shown], rows = 0;
    int32_t join = (gr->bins + rows_shown - 1) / rows_shown;
    for (int32_t b = 0; b < gr->bins; b += join, ++rows) {
        int32_t end = b + join < gr->bins ? b + join : gr->bins;
        pairs[rows] = 0;
        ideal[rows] = 0.0;
        for (int32_t k = b; k < end; ++k) {
            pairs[rows] += gr->pairs[k];
            ideal[rows] += gr->ideal[k];
        }
        lower[rows] = gr->r[b];
        upper[rows] = gr->r[end];
        g[rows] = ideal[rows] > 0.0 ? (double)pairs[rows] / ideal[rows] : 0.0;
    }
    result_table(res, "g_r", "", 5,
                 (result_column[]){{.name = "r_lower", .values = lower},
                                   {.name = "r_upper", .values = upper},
                                   {.name = "g", .values = g},
                                   {.name = "pairs", .integers = pairs},
                                   {.name = "ideal", .values = ideal}},
                 rows);
    result_only(res, RESULT_TEXT);
}

// The highest value of g(r), the lowest one after it, and the curve.
void measures_gr(result* res, const scree_pair_distribution* gr, bool shown)
{
    int32_t peak = 0, valley = 0;
    if (gr->bins == 0)
        return;
    for (int32_t b = 0; b < gr->bins; ++b)
        peak = gr->g[b] > gr->g[peak] ? b : peak;
    valley = peak;
    for (int32_t b = peak; b < gr->bins; ++b)
        valley = gr->g[b] < gr->g[valley] ? b : valley;
    bool any = gr->g[peak] > 0.0;
    result_section(res, "g(r) of the centres");
    result_number(res, "g_max", any ? gr->g[peak] : NAN);
    result_number(res, "g_max_at", any ? 0.5 * (gr->r[peak] + gr->r[peak + 1]) : NAN);
    result_about(res, "", "distance of the centres");
    result_number(res, "g_min", any ? gr->g[valley] : NAN);
    result_number(res, "g_min_at", any ? 0.5 * (gr->r[valley] + gr->r[valley + 1]) : NAN);
    result_about(res, "", "distance of the centres");
    if (shown)
        join_gr(res, gr);
    result_table(res, "g_r", "", 5,
                 (result_column[]){{.name = "r_lower", .values = gr->r},
                                   {.name = "r_upper", .values = gr->r + 1},
                                   {.name = "g", .values = gr->g},
                                   {.name = "pairs", .integers = gr->pairs},
                                   {.name = "ideal", .values = gr->ideal}},
                 gr->bins);
    result_only(res, RESULT_JSON);
    result_file(res, "gr");
}
