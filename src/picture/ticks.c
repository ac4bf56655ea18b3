// Round numbers along a scale.
//
// Ticks are whole multiples of 1, 2 or 5 times a power of ten; on a logarithmic scale powers of ten, with 2 and 5 between them
// if there is room, and ticks without a label between those. A tick is kept as digits and exponent, so that its label is exact: 0.3 and never 0.30000000000000004.
#include "picture/picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// m * 10^e as a number and as text.
static double tick_value(int64_t m, int e)
{
    return e < 0 ? (e < -300 ? (double)m / 1e300 / pow(10.0, -e - 300) : (double)m / pow(10.0, -e)) : (double)m * pow(10.0, e);
}

static void tick_label(char out[40], int64_t m, int e)
{
    char digits[24];
    if (m == 0) {
        snprintf(out, 40, "0");
        return;
    }
    while (m % 10 == 0) {
        m /= 10;
        ++e;
    }
    const char* sign = m < 0 ? "-" : "";
    int count = snprintf(digits, sizeof digits, "%" PRId64, m < 0 ? -m : m);
    int point = count + e;  // digits before the decimal point
    if (point > 6 || point < -3) {
        if (count > 1)
            snprintf(out, 40, "%s%c.%.12se%d", sign, digits[0], digits + 1, point - 1);
        else
            snprintf(out, 40, "%s%ce%d", sign, digits[0], point - 1);
    } else if (e >= 0) {
        snprintf(out, 40, "%s%.12s%.*s", sign, digits, e, "000000");
    } else if (point > 0) {
        snprintf(out, 40, "%s%.*s.%.16s", sign, point, digits, digits + point);
    } else {
        snprintf(out, 40, "%s0.%.*s%.14s", sign, -point, "0000", digits);
    }
}

static double place(const ticks* t, int64_t m, int e)
{
    double value = tick_value(m, e);
    return t->log ? (log(value) - log(t->low)) / (log(t->high) - log(t->low)) : (0.5 * value - 0.5 * t->low) / (0.5 * t->high - 0.5 * t->low);
}

static void add_tick(ticks* t, int64_t m, int e)
{
    double at = place(t, m, e);
    if (!(at >= -1e-9 && at <= 1.0 + 1e-9) || t->count == most_ticks)
        return;
    t->at[t->count] = fmin(fmax(at, 0.0), 1.0);
    tick_label(t->label[t->count++], m, e);
}

// After all labelled ones; where one of those is, none.
static void add_minor(ticks* t, int64_t m, int e)
{
    double at = place(t, m, e);
    bool free = at >= -1e-9 && at <= 1.0 + 1e-9 && t->minor_count < most_minor;
    for (int n = 0; n < t->count && free; ++n)
        free = fabs(t->at[n] - at) > 1e-6;
    if (free)
        t->minor[t->minor_count++] = fmin(fmax(at, 0.0), 1.0);
}

static void linear_ticks(ticks* t)
{
    double span = t->high - t->low;
    int e = (int)floor(log10(0.5 * t->high - 0.5 * t->low) + 0.30103) - 1;
    if (!isfinite(span))
        e = 307;
    int step = 1;
    static const int nice[] = {1, 2, 5, 10, 20, 50};
    for (int k = 0; k < 6; ++k) {  // the finest with at most eight ticks
        step = nice[k];
        double size = tick_value(step, e);
        if (floor(t->high / size) - ceil(t->low / size) < 7.5)
            break;
    }
    double size = tick_value(step, e), first = ceil(t->low / size - 1e-9), last = floor(t->high / size + 1e-9);
    if (fabs(first) > 1e14 || fabs(last) > 1e14)
        return;
    for (double k = first; k <= last; ++k)
        add_tick(t, (int64_t)k * step, e);
    int fine = step == 2 ? 5 : step == 20 ? 50 : 2 * step;  // in tenths of 10^e: quarters of 2 and 20, else fifths
    if (size == 1.0 || e <= -300)
        return;  // numbers in sequence are mostly counted things; nothing lies between them
    for (int64_t k = (int64_t)(10.0 * (first - 1.0) * step); k <= (int64_t)(10.0 * (last + 1.0) * step); k += fine)
        add_minor(t, k, e - 1);
}

// The two ends of the range where no tick is near: to three digits, and on a linear scale to a hundredth of the range.
void scree_ticks_add_ends(ticks* t, double closest)
{
    const double ends[2] = {t->low, t->high};
    int inner = t->count;
    for (int k = 0; k < 2; ++k) {
        bool free = ends[k] != 0.0 && fabs(ends[k]) > 1e-300 && fabs(ends[k]) < 1e300;
        for (int n = 0; n < inner; ++n)
            free = free && fabs(t->at[n] - k) > closest;
        if (!free || t->count == most_ticks)
            continue;
        int e = (int)floor(log10(fabs(ends[k]))) - 2;
        int finer = t->log ? e : (int)floor(log10(t->high - t->low)) - 2;
        if (finer < e)
            e = finer;
        if (e < -300 || fabs(ends[k]) > 1e15 * pow(10.0, e))
            continue;  // more digits than a double has
        int64_t m = (int64_t)llround(e < 0 ? ends[k] * pow(10.0, -e) : ends[k] / pow(10.0, e));
        t->at[t->count] = k;
        tick_label(t->label[t->count++], m, e);
    }
}

static void log_ticks(ticks* t)
{
    int low = (int)floor(log10(t->low)), high = (int)ceil(log10(t->high));
    int every = (high - low) / 8 + 1;
    if (t->high / t->low < 3.0) {
        linear_ticks(t);
        return;
    }
    for (int e = low; e <= high; e += every) {
        add_tick(t, 1, e);
        for (int m = 2; m <= 5 && high - low <= 3; m += 3)
            add_tick(t, m, e);
    }
    for (int e = low; e <= high && high - low <= 40; ++e)
        for (int m = 1; m <= (every == 1 ? 9 : 1); ++m)  // among many decades only these have room
            add_minor(t, m, e);
}

ticks scree_ticks_make(double low, double high, bool log)
{
    ticks t = {.low = low, .high = high, .log = log};
    if (log)
        log_ticks(&t);
    else
        linear_ticks(&t);
    return t;
}
