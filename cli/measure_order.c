#include "measure_order.h"

#include <math.h>

enum { distribution_bins = 50, shells_shown = 25 };

bool order_wishes_of(const arguments* args, order_wishes* out)
{
    *out = (order_wishes){.bonds = scree_default_bond_order_def(), .waves = scree_default_structure_factor_def()};
    int64_t bins = out->waves.bins;
    if (!option_number(args, "order-cutoff", &out->bonds.cutoff) || !option_number(args, "k-max", &out->waves.k_max) || !option_integer(args, "k-bins", 1, 10000, &bins))
        return false;
    out->order = option_given(args, "order");
    out->structure = option_given(args, "structure");
    out->waves.bins = (int32_t)bins;
    static const char* const needs[][2] = {{"order-cutoff", "order"}, {"k-max", "structure"}, {"k-bins", "structure"}};
    for (size_t k = 0; k < sizeof needs / sizeof *needs; ++k)
        if (option_given(args, needs[k][0]) && !option_given(args, needs[k][1])) {
            say("scree measure: --%s is for --%s; give that too\n", needs[k][0], needs[k][1]);
            return false;
        }
    return true;
}

scree_status order_measure(const order_wishes* wishes, const common* co, const scree_measure_def* def, scree_spheres spheres, order_found* out)
{
    scree_measure_def mine = *def;
    scree_status status = SCREE_OK;
    *out = (order_found){.has_order = wishes->order};
    if (wishes->order) {
        mine.watch = run_watch("bond order", co->quiet);
        status = scree_measure_bond_order(&mine, spheres, &wishes->bonds, &out->order);
        run_watch_end();
    }
    if (status == SCREE_OK && wishes->structure) {
        mine.watch = run_watch("structure factor", co->quiet);
        status = scree_measure_structure_factor(&mine, spheres, &wishes->waves, &out->structure);
        run_watch_end();
    }
    return status;
}

void order_free(order_found* found)
{
    scree_bond_order_free(&found->order);
    scree_structure_factor_free(&found->structure);
}

static void count_values(const double* q, int32_t n, int64_t* number)
{
    for (int b = 0; b < distribution_bins; ++b)
        number[b] = 0;
    for (int32_t i = 0; i < n; ++i)
        if (!isnan(q[i]))
            ++number[(int)fmin(q[i] * distribution_bins, distribution_bins - 1)];
}

static scree_status tell_order(result* res, const scree_bond_order* order)
{
    double edge[distribution_bins + 1];
    int64_t q4[distribution_bins], q6[distribution_bins];
    int64_t* sphere = scree_malloc((size_t)order->n, sizeof *sphere);
    if (sphere == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < order->n; ++i)
        sphere[i] = i;
    for (int b = 0; b <= distribution_bins; ++b)
        edge[b] = (double)b / distribution_bins;
    count_values(order->q4, order->n, q4);
    count_values(order->q6, order->n, q6);
    result_section(res, "Bond order");
    result_integer(res, "order_bonds", order->bonds);
    result_about(res, "", "pairs of neighbours");
    result_number(res, "q4_mean", order->q4_mean);
    result_about(res, "", "over spheres with neighbours");
    result_number(res, "q6_mean", order->q6_mean);
    result_number(res, "q4_global", order->q4_global);
    result_about(res, "", "of the mean over all bonds");
    result_number(res, "q6_global", order->q6_global);
    result_table(res, "order_distribution", "Spheres by local bond order", 4,
                 (result_column[]){{.name = "q_lower", .values = edge}, {.name = "q_upper", .values = edge + 1}, {.name = "q4", .integers = q4}, {.name = "q6", .integers = q6}}, distribution_bins);
    result_only(res, RESULT_JSON);
    result_file(res, "order");
    result_table(res, "order_spheres", "Bond order of each sphere", 4,
                 (result_column[]){{.name = "sphere", .integers = sphere}, {.name = "neighbours", .integers = order->neighbours}, {.name = "q4", .values = order->q4}, {.name = "q6", .values = order->q6}},
                 order->n);
    result_only(res, RESULT_CSV);
    result_file(res, "order-spheres");
    scree_free(sphere);
    return SCREE_OK;
}

// As text in fewer rows: means of neighbouring shells are joined by their vectors.
static void join_shells(result* res, const scree_structure_factor* f)
{
    double lower[shells_shown], upper[shells_shown], k_mean[shells_shown], s[shells_shown], s_max[shells_shown];
    int64_t vectors[shells_shown], rows = 0;
    int32_t join = (f->bins + shells_shown - 1) / shells_shown;
    for (int32_t b = 0; b < f->bins; b += join, ++rows) {
        int32_t end = b + join < f->bins ? b + join : f->bins;
        vectors[rows] = 0;
        k_mean[rows] = s[rows] = 0.0;
        s_max[rows] = NAN;
        for (int32_t e = b; e < end; ++e) {
            if (f->vectors[e] == 0)
                continue;
            vectors[rows] += f->vectors[e];
            k_mean[rows] += f->k_mean[e] * (double)f->vectors[e];
            s[rows] += f->s[e] * (double)f->vectors[e];
            s_max[rows] = fmax(s_max[rows], f->s_max[e]);
        }
        k_mean[rows] /= (double)vectors[rows];
        s[rows] /= (double)vectors[rows];
        lower[rows] = f->k[b];
        upper[rows] = f->k[end];
    }
    result_table(res, "structure", "", 6,
                 (result_column[]){{.name = "k_lower", .values = lower},
                                   {.name = "k_upper", .values = upper},
                                   {.name = "vectors", .integers = vectors},
                                   {.name = "k_mean", .values = k_mean},
                                   {.name = "s", .values = s},
                                   {.name = "s_max", .values = s_max}},
                 rows);
    result_only(res, RESULT_TEXT);
}

static void tell_structure(result* res, const scree_structure_factor* f)
{
    int32_t peak = -1;
    for (int32_t b = 0; b < f->bins; ++b)
        if (f->vectors[b] > 0 && (peak < 0 || f->s[b] > f->s[peak]))
            peak = b;
    result_section(res, "Structure factor of the centres");
    result_number(res, "structure_k_max", f->k_max);
    result_integer(res, "structure_vectors", f->total);
    result_about(res, "", "wave vectors; k and -k are one");
    result_number(res, "structure_peak", peak < 0 ? NAN : f->s[peak]);
    result_about(res, "", "highest mean of a shell");
    result_number(res, "structure_peak_at", peak < 0 ? NAN : f->k_mean[peak]);
    join_shells(res, f);
    result_table(res, "structure", "", 6,
                 (result_column[]){{.name = "k_lower", .values = f->k},
                                   {.name = "k_upper", .values = f->k + 1},
                                   {.name = "vectors", .integers = f->vectors},
                                   {.name = "k_mean", .values = f->k_mean},
                                   {.name = "s", .values = f->s},
                                   {.name = "s_max", .values = f->s_max}},
                 f->bins);
    result_only(res, RESULT_JSON);
    result_file(res, "structure");
}

scree_status order_tell(result* res, const order_found* found)
{
    scree_status status = found->has_order ? tell_order(res, &found->order) : SCREE_OK;
    if (status == SCREE_OK && found->structure.bins > 0)
        tell_structure(res, &found->structure);
    return status;
}
