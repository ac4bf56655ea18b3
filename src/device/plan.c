// Levels: a cell of the first level holds about 0.6 spheres, or is as long as the smallest reach of a pair; the cells of each further level are three times as long and hold the spheres that fit. More levels
// need more lookups, fewer levels more distance tests. Tests are cheap on a device, so the ratio is 3 and not 2 as in the processor's grid.
#include "device/plan.h"

#include "geom/lattice.h"

#include <math.h>

static const double occupancy = 0.6, ratio = 3.0;
enum { bricks_most = 1 << 26 };

void plan_measure(const double (*x)[4], int64_t count, plan_sizes* out)
{
    *out = (plan_sizes){.count = count, .least = INFINITY};
    for (int64_t i = 0; i < count; ++i) {
        out->least = fmin(out->least, x[i][3]);
        out->most = fmax(out->most, x[i][3]);
        out->mean += x[i][3];
    }
    out->least = fmax(out->least, 1e-6 * out->most);  // spheres of radius 0 are on the first level too
    out->mean = count > 0 ? out->mean / (double)count : 1.0;
    double scale = out->most > out->least ? plan_bins / log(out->most / out->least) : 0.0;
    for (int64_t i = 0; i < count; ++i) {
        int bin = scale > 0.0 ? (int)(log(fmax(x[i][3], out->least) / out->least) * scale) : 0;
        bin = bin < 0 ? 0 : bin < plan_bins ? bin : plan_bins - 1;
        ++out->in[bin];
        out->largest[bin] = fmax(out->largest[bin], x[i][3]);
    }
}

// Spheres of radius r or less that whole bins have, from the first bin on; and the largest radius among them.
static int64_t upto(const plan_sizes* sizes, double r, double* largest)
{
    int64_t count = 0;
    *largest = 0.0;
    for (int bin = 0; bin < plan_bins; ++bin) {
        if (sizes->largest[bin] > r)
            break;
        count += sizes->in[bin];
        *largest = fmax(*largest, sizes->largest[bin]);
    }
    return count;
}

// Cells of at least this length; fewer if there would be too many bricks.
static uint32_t lay_cells(grid_level* level, int dim, const double side[3], double length, uint32_t room)
{
    for (;; length *= 1.26) {
        double bricks = 1.0;
        for (int k = 0; k < 3; ++k) {
            double cells = k < dim && side[k] > length ? fmin(floor(side[k] / length), 1e9) : 1.0;
            bricks *= ceil(cells / 4.0);
            level->cells[k] = (int32_t)cells;
        }
        if (bricks * 8.0 > (double)room && (level->cells[0] > 1 || level->cells[1] > 1 || level->cells[2] > 1))
            continue;  // boxes of bricks are filled up, at most to 8 times as many
        uint32_t all = 1;
        for (int k = 0; k < 3; ++k) {
            int32_t along = (level->cells[k] + 3) / 4;
            level->inverse[k] = side[k] > 0.0 ? level->cells[k] / side[k] : 0.0;  // of one cell too: beyond it are images
            for (level->bits[k] = 0; level->bits[k] < 3 && 1 << level->bits[k] < along; ++level->bits[k])
                ;
            level->supers[k] = (along + (1 << level->bits[k]) - 1) >> level->bits[k];
            all *= (uint32_t)level->supers[k] << level->bits[k];
        }
        return all;
    }
}

void plan_set_box(const scree_box* box, grid_plan* out)
{
    double lengths[3];
    *out = (grid_plan){.dim = box->dim};
    for (int k = 0; k < box->dim; ++k) {
        out->periodic[k] = box->periodic[k];
        out->wraps = out->wraps || box->periodic[k];
        out->lower[k] = box->lower[k];
        out->length[k] = box->periodic[k] ? box->upper[k] - box->lower[k] : 0.0;
    }
    scree_lattice_of(box, lengths, out->tilt);
    out->tilted = out->wraps && scree_lattice_tilted(out->tilt);
}

void plan_make(const plan_sizes* sizes, const scree_box* box, const double lower[3], const double upper[3], double reach, grid_plan* out)
{
    plan_set_box(box, out);
    out->reach = reach;
    double side[3] = {0.0, 0.0, 0.0}, longest = 0.0, volume = 1.0, largest;
    for (int k = 0; k < box->dim; ++k) {
        if (!box->periodic[k])
            out->lower[k] = lower[k];
        side[k] = (box->periodic[k] ? box->upper[k] : upper[k]) - out->lower[k];
        longest = fmax(longest, side[k]);
    }
    for (int k = 0; k < box->dim; ++k)
        volume *= fmax(side[k], 1e-9 * longest);
    const double across = 2.0 * (2.0 * sizes->most + reach), along[3] = {fabs(out->tilt[0]) + fabs(out->tilt[1]), fabs(out->tilt[2]), 0.0};
    double widest = longest + across, farthest = 0.0;
    for (int t = 0; t < 3 && out->tilted; ++t)
        widest += fabs(out->tilt[t]);
    for (int k = 0; k < box->dim; ++k) {
        out->margin[k] = fmax(1e-10 * (side[k] + across + along[k]), 1e-14 * fmax(fabs(lower[k]), fabs(upper[k])));  // 90 roundings of a centre
        farthest = fmax(farthest, out->margin[k]);
    }
    int exponent;
    frexp(widest, &exponent);
    out->scale = widest > 1e-12 && widest < 1e18 ? 1.0 : ldexp(1.0, -exponent);
    out->blur = (float)((1e-6 * widest + farthest) * out->scale);
    double most = (2.0 * sizes->most + reach) * (1.0 + 1e-9), length = (2.0 * sizes->least + reach) * (1.0 + 1e-9);
    while (length < most && (double)upto(sizes, 0.5 * (length / (1.0 + 1e-9) - reach), &largest) * pow(length, box->dim) / volume < occupancy)
        length *= 1.02;
    int64_t had = 0;
    double room = fmin(bricks_most, fmax(65536.0, (double)sizes->count));
    for (; had < sizes->count; length *= ratio) {
        bool last = length >= most || out->levels == grid_levels_most - 1;
        int64_t count = upto(sizes, last ? INFINITY : 0.5 * (length / (1.0 + 1e-9) - reach), &largest);
        if (count == had)
            continue;
        grid_level* level = &out->at[out->levels++];
        level->r_most = largest;
        level->base = out->bricks;
        out->bricks += lay_cells(level, box->dim, side, last ? most : length, (uint32_t)(room / 2.0));
        room = fmax(room / 2.0, 4096.0);
        had = count;
    }
    if (out->levels == 0) {  // no spheres
        out->levels = 1;
        out->bricks = lay_cells(&out->at[0], box->dim, side, INFINITY, 1);
    }
    for (int32_t l = 0; l < out->levels; ++l) {
        grid_level* level = &out->at[l];
        level->near = (float)(level->r_most * out->scale) + out->blur;
        for (int k = 0; k < 3; ++k)
            level->per_length[k] = (float)(level->inverse[k] / out->scale);
    }
}
