// Spheres at rest, in one grid per octave of radius.
//
// A new sphere asks for its neighbours. It searches each grid within its own radius, the largest radius there and the gap. Cells are stored in columns,
// z fastest, and each column has the index of its highest occupied cell, so that the empty space above a heap costs nothing. The neighbours of a
// large sphere among small ones are in a shell: cells that the sphere covers entirely contain no centre, because nothing overlaps, and are skipped.
//
//        .-----.           column by column: from the upper part of the shell down to the sphere,
//      .'       '.         then from the sphere down to the lower part of the shell
//     |     c     |
//   | |           | |
//   |  '.       .'  |
//   :    '-----'    :
//
// A falling sphere asks for the first sphere straight below, and searches down the columns until nothing lower can be hit earlier.
//
// Cells are as long as the largest diameter of the octave, or longer if there would be more than four cells per sphere of the octave: memory is O(n)
// at any size ratio. Cost of a query: octaves times the columns in reach, and the spheres there. Spheres outside the estimated region are stored in
// its outer cells.
#include "pack/heap.h"

#include "base/array.h"

#include <float.h>
#include <math.h>

struct heap_level {
    double r_min, r_max;
    double side[3];
    int64_t cells[3];
    int32_t* head;   // cells[0] * cells[1] columns of cells[2]; -1: empty
    int32_t* top;    // of each column: the highest cell that is not empty, -1: none
};

static int octave_of(double r, double largest)
{
    int e;
    frexp(largest / r, &e);
    return e - 1;  // 0: from largest/2, exclusive, to largest
}

static scree_status open_level(heap* h, heap_level* v, int64_t spheres)
{
    double most = 4.0 * (double)spheres + 8.0, product = INFINITY, longest = fmax(h->length[0], fmax(h->length[1], h->length[2]));
    for (double side = fmax(2.0 * v->r_max, longest / most); product > most; side *= 1.05) {
        product = 1.0;
        for (int k = 0; k < 3; ++k) {
            double cells = fmax(1.0, floor(h->length[k] / side));
            product *= cells;
            v->cells[k] = (int64_t)cells;
            v->side[k] = h->length[k] > 0.0 ? h->length[k] / cells : 1.0;
        }
    }
    int64_t columns = v->cells[0] * v->cells[1];
    v->head = scree_malloc((size_t)product, sizeof *v->head);
    v->top = scree_malloc((size_t)columns, sizeof *v->top);
    if (v->head == NULL || v->top == NULL)
        return SCREE_ERR_MEMORY;
    memset(v->head, 0xff, (size_t)product * sizeof *v->head);  // -1
    memset(v->top, 0xff, (size_t)columns * sizeof *v->top);
    return SCREE_OK;
}

scree_status heap_make(heap* h, int32_t count, const double* r, const double lower[3], const double length[3], const bool periodic[3])
{
    enum { most_octaves = 1100 };
    *h = (heap){.room = count, .tall = -INFINITY};
    memcpy(h->lower, lower, sizeof h->lower);
    memcpy(h->length, length, sizeof h->length);
    memcpy(h->periodic, periodic, sizeof h->periodic);
    double largest = 0.0;
    for (int32_t i = 0; i < count; ++i)
        largest = fmax(largest, r[i]);
    struct {
        int64_t spheres;
        double least, most;
    }* octaves = scree_calloc(most_octaves, sizeof *octaves);
    h->xr = scree_malloc((size_t)count, sizeof *h->xr);
    h->next = scree_malloc((size_t)count, sizeof *h->next);
    h->levels = octaves != NULL ? scree_calloc(most_octaves, sizeof *h->levels) : NULL;
    scree_status status = h->xr != NULL && h->next != NULL && h->levels != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i) {
        int o = octave_of(r[i], largest);
        octaves[o].least = octaves[o].spheres == 0 ? r[i] : fmin(octaves[o].least, r[i]);
        octaves[o].most = fmax(octaves[o].most, r[i]);
        ++octaves[o].spheres;
    }
    for (int o = 0; o < most_octaves && status == SCREE_OK; ++o)
        if (octaves[o].spheres > 0) {
            heap_level* v = &h->levels[h->level_count++];
            v->r_min = octaves[o].least;
            v->r_max = octaves[o].most;
            status = open_level(h, v, octaves[o].spheres);
        }
    scree_free(octaves);
    return status;
}

void heap_free(heap* h)
{
    for (int v = 0; v < h->level_count; ++v) {
        scree_free(h->levels[v].head);
        scree_free(h->levels[v].top);
    }
    scree_free(h->levels);
    scree_free(h->xr);
    scree_free(h->next);
    scree_free(h->near);
    *h = (heap){0};
}

static int64_t clamp(double cell, int64_t cells)
{
    return cell < 0.0 ? 0 : cell > (double)(cells - 1) ? cells - 1 : (int64_t)cell;
}

void heap_insert(heap* h, const double x[3], double r)
{
    int o = 0;
    while (o + 1 < h->level_count && r < h->levels[o].r_min)
        ++o;
    heap_level* v = &h->levels[o];
    int64_t at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = clamp(floor((x[k] - h->lower[k]) / v->side[k]), v->cells[k]);
    int64_t column = at[1] * v->cells[0] + at[0], cell = column * v->cells[2] + at[2];
    int32_t i = (int32_t)h->count++;
    memcpy(h->xr[i], (double[4]){x[0], x[1], x[2], r}, sizeof *h->xr);
    h->next[i] = v->head[cell];
    v->head[cell] = i;
    if (at[2] > v->top[column])
        v->top[column] = (int32_t)at[2];
    h->tall = fmax(h->tall, x[2] + r);
}

// ---- Who is near ---------------------------------------------------------------------------------------------------

typedef struct span {
    int64_t first, last;  // on periodic axes these run on beyond the ends
} span;

static span span_of(const heap* h, const heap_level* v, int k, double x, double reach)
{
    double wide = reach * (1.0 + 1e-12) + 1e-9 * v->side[k];
    double first = floor((x - h->lower[k] - wide) / v->side[k]), last = floor((x - h->lower[k] + wide) / v->side[k]);
    if (h->periodic[k])
        return (span){(int64_t)first, (int64_t)last};
    return (span){clamp(first, v->cells[k]), clamp(last, v->cells[k])};
}

static int64_t turns_of(const heap* h, const heap_level* v, int k, int64_t cell)
{
    return !h->periodic[k] ? 0 : cell >= 0 ? cell / v->cells[k] : -((v->cells[k] - 1 - cell) / v->cells[k]);
}

// Least and largest distance from x to a centre in these cells, along axis k. Outer cells have no end where the axis is not periodic.
static void distances(const heap* h, const heap_level* v, int k, int64_t cell, double x, double* least, double* most)
{
    if (h->length[k] == 0.0) {  // discs have no depth
        *least = *most = 0.0;
        return;
    }
    double low = h->lower[k] + (double)cell * v->side[k], high = low + v->side[k], slack = 1e-9 * v->side[k];
    if (!h->periodic[k] && cell == 0)
        low = -INFINITY;
    if (!h->periodic[k] && cell == v->cells[k] - 1)
        high = INFINITY;
    *least = fmax(fmax(low - x, x - high) - slack, 0.0);
    *most = fmax(x - low, high - x) + slack;
}

static scree_status look_into(heap* h, int32_t j, const double x[3], double r, double gap, const double offset[3])
{
    for (; j >= 0; j = h->next[j]) {
        const double* b = h->xr[j];
        obstacle ob = {.id = j, .s = {b[0] + offset[0], b[1] + offset[1], b[2]}, .R = r + b[3], .offset = {offset[0], offset[1], 0.0}};
        double dx = x[0] - ob.s[0], dy = x[1] - ob.s[1], dz = x[2] - ob.s[2], reach = ob.R + gap;
        ++h->tests;
        if (!((dx * dx + dy * dy) + dz * dz <= reach * reach))
            continue;
        scree_status status = SCREE_RESERVE(h->near, h->near_capacity, h->near_count + 1);
        if (status != SCREE_OK)
            return status;
        h->near[h->near_count++] = ob;
    }
    return SCREE_OK;
}

static scree_status gather_column(heap* h, const heap_level* v, int64_t column, double lateral, double farthest, const double x[3], double r,
                                  double gap, bool hollow, const double offset[3])
{
    double reach = r + v->r_max + gap, body = (r + v->r_min) * (1.0 - 1e-6);
    if (v->top[column] < 0 || lateral > reach)
        return SCREE_OK;
    span s = span_of(h, v, 2, x[2], sqrt(reach * reach - lateral * lateral));
    if (s.last > v->top[column])
        s.last = v->top[column];
    double inside = hollow && body > farthest ? sqrt(body * body - farthest * farthest) : -1.0;
    const int32_t* head = v->head + column * v->cells[2];
    scree_status status = SCREE_OK;
    for (int64_t c = s.last; c >= s.first && status == SCREE_OK; --c) {
        if (inside > 0.0) {
            double least, most;
            distances(h, v, 2, c, x[2], &least, &most);
            if (most < inside) {  // on to the cell at the lower end of the body, less one for rounding
                int64_t below = clamp(floor((x[2] - inside - h->lower[2]) / v->side[2]) + 1.0, v->cells[2]);
                c = below < c ? below : c;
                continue;
            }
        }
        if (head[c] >= 0)
            status = look_into(h, head[c], x, r, gap, offset);
    }
    return status;
}

scree_status heap_gather(heap* h, const double x[3], double r, double gap, bool hollow)
{
    h->near_count = 0;
    scree_status status = SCREE_OK;
    for (int o = 0; o < h->level_count; ++o) {
        const heap_level* v = &h->levels[o];
        double reach = r + v->r_max + gap;
        span sx = span_of(h, v, 0, x[0], reach), sy = span_of(h, v, 1, x[1], reach);
        for (int64_t b = sy.first; b <= sy.last; ++b) {
            int64_t turn_y = turns_of(h, v, 1, b);
            double near_y, far_y;
            distances(h, v, 1, b, x[1], &near_y, &far_y);
            for (int64_t a = sx.first; a <= sx.last && status == SCREE_OK; ++a) {
                int64_t turn_x = turns_of(h, v, 0, a);
                double near_x, far_x, offset[3] = {(double)turn_x * h->length[0], (double)turn_y * h->length[1], 0.0};
                distances(h, v, 0, a, x[0], &near_x, &far_x);
                int64_t column = (b - turn_y * v->cells[1]) * v->cells[0] + (a - turn_x * v->cells[0]);
                status = gather_column(h, v, column, sqrt(near_x * near_x + near_y * near_y), sqrt(far_x * far_x + far_y * far_y), x, r, gap,
                                       hollow, offset);
            }
        }
    }
    return status;
}

double heap_clear_height(const heap* h, const double x[3], double r)
{
    double height = -INFINITY;
    for (int o = 0; o < h->level_count; ++o) {
        const heap_level* v = &h->levels[o];
        span sx = span_of(h, v, 0, x[0], r + v->r_max), sy = span_of(h, v, 1, x[1], r + v->r_max);
        for (int64_t b = sy.first; b <= sy.last; ++b)
            for (int64_t a = sx.first; a <= sx.last; ++a) {
                int64_t row = b - turns_of(h, v, 1, b) * v->cells[1];
                int32_t top = v->top[row * v->cells[0] + (a - turns_of(h, v, 0, a) * v->cells[0])];
                if (top < 0)
                    continue;
                double centre = top == v->cells[2] - 1 ? h->tall : h->lower[2] + ((double)top + 1.000001) * v->side[2];
                height = fmax(height, centre + v->r_max + r);
            }
    }
    return fmin(height, h->tall + 1.000001 * r);
}

// ---- Who is met in a fall ------------------------------------------------------------------------------------------

static double fall_in_column(heap* h, const heap_level* v, int64_t column, const double x[3], double r, double touch, const double offset[3],
                             double best)
{
    const int32_t* head = v->head + column * v->cells[2];
    int64_t c = clamp(floor((x[2] - h->lower[2]) / v->side[2] + 1e-9), v->cells[2]);
    for (c = c < v->top[column] ? c : v->top[column]; c >= 0; --c) {
        double high = h->lower[2] + ((double)c + 1.000001) * v->side[2];
        if (c < v->cells[2] - 1 && high + v->r_max + r <= best)
            break;
        for (int32_t j = head[c]; j >= 0; j = h->next[j]) {
            const double* b = h->xr[j];
            double dx = x[0] - (b[0] + offset[0]), dy = x[1] - (b[1] + offset[1]), dz = x[2] - b[2], R = r + b[3], level = dx * dx + dy * dy;
            ++h->tests;
            if (!(dz > 0.0) || level >= R * R)
                continue;
            if (level + dz * dz <= (R + touch) * (R + touch))
                R -= 2.0 * touch;
            if (level < R * R)
                best = fmax(best, fmin(b[2] + sqrt(R * R - level), x[2]));
        }
    }
    return best;
}

double heap_fall(heap* h, const double x[3], double r, double touch, double lowest)
{
    double best = lowest;
    for (int o = 0; o < h->level_count; ++o) {
        const heap_level* v = &h->levels[o];
        double reach = r + v->r_max;
        span sx = span_of(h, v, 0, x[0], reach), sy = span_of(h, v, 1, x[1], reach);
        for (int64_t b = sy.first; b <= sy.last; ++b) {
            int64_t turn_y = turns_of(h, v, 1, b);
            double near_y, far_y;
            distances(h, v, 1, b, x[1], &near_y, &far_y);
            for (int64_t a = sx.first; a <= sx.last; ++a) {
                int64_t turn_x = turns_of(h, v, 0, a), column = (b - turn_y * v->cells[1]) * v->cells[0] + (a - turn_x * v->cells[0]);
                double near_x, far_x, offset[3] = {(double)turn_x * h->length[0], (double)turn_y * h->length[1], 0.0};
                distances(h, v, 0, a, x[0], &near_x, &far_x);
                if (v->top[column] >= 0 && near_x * near_x + near_y * near_y <= reach * reach)
                    best = fall_in_column(h, v, column, x, r, touch, offset, best);
            }
        }
    }
    return best;
}
