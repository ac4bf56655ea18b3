// A function of time: constant, ramp, sine or table. Value, slope and integral are closed forms of the time since it began, so that every caller at a step gets the same
// number, however the simulation came to it. Nothing is added up from step to step.
#include "scree/loads.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double two_pi = 6.28318530717958647693;

const char* scree_signal_name(int32_t number)
{
    static const char* const names[SCREE_SIGNAL_COUNT] = {"constant", "ramp", "sine", "table"};
    return number >= 0 && number < (int32_t)SCREE_SIGNAL_COUNT ? names[number] : NULL;
}

static scree_status check_three(const double values[3], const char* what)
{
    for (int k = 0; k < 3; ++k)
        if (!(fabs(values[k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "%s is %g; expected a finite number", what, values[k]);
    return SCREE_OK;
}

static scree_status check_table(const scree_signal* s)
{
    if (s->count < 1 || s->table == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "a table of %" PRId32 " rows%s; expected 1 or more", s->count, s->table == NULL ? " without an array" : "");
    for (int32_t row = 0; row < s->count; ++row) {
        const double* at = s->table + 4 * (int64_t)row;
        if (check_three(at + 1, "a value of the table") != SCREE_OK || !(fabs(at[0]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "row %" PRId32 " of a table is %g: %g %g %g; expected finite numbers", row, at[0], at[1], at[2], at[3]);
        if (row > 0 && !(at[0] > at[-4]))
            return scree_fail(SCREE_ERR_ARGUMENT, "row %" PRId32 " of a table is of the time %g, after %g; expected rising times", row, at[0], at[-4]);
    }
    return SCREE_OK;
}

scree_status scree_signal_check(const scree_signal* s)
{
    SCREE_NEED_AS(s, "signal");
    if (scree_signal_name(s->kind) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "signal kind %" PRId32 "; expected a scree_signal_kind", s->kind);
    if (s->kind == SCREE_SIGNAL_TABLE)
        return check_table(s);
    scree_status status = check_three(s->value, s->kind == SCREE_SIGNAL_RAMP ? "the begin of a ramp" : s->kind == SCREE_SIGNAL_SINE ? "the mean of a sine" : "a value");
    if (status != SCREE_OK || s->kind == SCREE_SIGNAL_CONSTANT)
        return status;
    status = check_three(s->to, s->kind == SCREE_SIGNAL_RAMP ? "the end of a ramp" : "the amplitude of a sine");
    if (status != SCREE_OK)
        return status;
    if (s->kind == SCREE_SIGNAL_RAMP && !(s->over > 0.0 && s->over <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "a ramp over a time of %g; expected a number above 0", s->over);
    if (s->kind == SCREE_SIGNAL_SINE && (!(s->frequency >= 0.0 && s->frequency <= SCREE_LENGTH_MAX) || !(fabs(s->phase) <= SCREE_LENGTH_MAX)))
        return scree_fail(SCREE_ERR_ARGUMENT, "a sine with the frequency %g and the phase %g; expected a frequency of 0 or more and a finite phase", s->frequency, s->phase);
    return SCREE_OK;
}

// The last row at or before this time; -1: it is before the first.
static int32_t row_at(const scree_signal* s, double time)
{
    int32_t low = -1, high = s->count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (s->table[4 * (int64_t)middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void table_at(const scree_signal* s, double time, double out[3])
{
    int32_t row = row_at(s, time);
    const double* a = s->table + 4 * (int64_t)(row < 0 ? 0 : row);
    bool inside = row >= 0 && row + 1 < s->count;
    for (int k = 0; k < 3; ++k)
        out[k] = inside ? a[1 + k] + (a[5 + k] - a[1 + k]) * ((time - a[0]) / (a[4] - a[0])) : a[1 + k];
}

void scree_signal_at(const scree_signal* s, double time, double out[3])
{
    SCREE_NEED_OR(out, );
    memset(out, 0, 3 * sizeof *out);
    SCREE_NEED_NAMED(s, "signal", );
    if (s->kind == SCREE_SIGNAL_TABLE) {
        table_at(s, time, out);
        return;
    }
    double share = 0.0;
    if (s->kind == SCREE_SIGNAL_RAMP)
        share = time <= 0.0 ? 0.0 : time < s->over ? time / s->over : 1.0;
    if (s->kind == SCREE_SIGNAL_SINE)
        share = sin(two_pi * s->frequency * time + s->phase);
    for (int k = 0; k < 3; ++k) {
        out[k] = s->value[k];
        if (s->kind == SCREE_SIGNAL_RAMP)
            out[k] = share == 1.0 ? s->to[k] : s->value[k] + (s->to[k] - s->value[k]) * share;
        if (s->kind == SCREE_SIGNAL_SINE)
            out[k] = s->value[k] + s->to[k] * share;
    }
}

void scree_signal_rate(const scree_signal* s, double time, double out[3])
{
    SCREE_NEED_OR(out, );
    memset(out, 0, 3 * sizeof *out);
    SCREE_NEED_NAMED(s, "signal", );
    if (s->kind == SCREE_SIGNAL_TABLE) {
        int32_t row = row_at(s, time);
        const double* a = s->table + 4 * (int64_t)(row < 0 ? 0 : row);
        for (int k = 0; k < 3 && row >= 0 && row + 1 < s->count; ++k)
            out[k] = (a[5 + k] - a[1 + k]) / (a[4] - a[0]);
    }
    double slope = s->kind == SCREE_SIGNAL_SINE ? two_pi * s->frequency * cos(two_pi * s->frequency * time + s->phase) : 0.0;
    for (int k = 0; k < 3; ++k) {
        if (s->kind == SCREE_SIGNAL_RAMP && time >= 0.0 && time < s->over)
            out[k] = (s->to[k] - s->value[k]) / s->over;
        if (s->kind == SCREE_SIGNAL_SINE)
            out[k] = s->to[k] * slope;
    }
}

// Trapezia, from 0 on; before the first row and behind the last one rectangles.
static void table_integral(const scree_signal* s, double time, double out[3])
{
    double from = 0.0, before[3], here[3];
    table_at(s, 0.0, before);
    for (int32_t row = 0; row <= s->count; ++row) {
        double to = row < s->count ? s->table[4 * (int64_t)row] : time;
        if (row < s->count && to <= from)
            continue;
        to = to < time ? to : time;
        table_at(s, to, here);
        for (int k = 0; k < 3; ++k) {
            out[k] += 0.5 * (before[k] + here[k]) * (to - from);
            before[k] = here[k];
        }
        from = to;
        if (to >= time)
            return;
    }
}

void scree_signal_integral(const scree_signal* s, double time, double out[3])
{
    SCREE_NEED_OR(out, );
    memset(out, 0, 3 * sizeof *out);
    SCREE_NEED_NAMED(s, "signal", );
    if (s->kind == SCREE_SIGNAL_TABLE) {
        table_integral(s, time, out);
        return;
    }
    double rising = time < s->over ? time : s->over, rate = two_pi * s->frequency;
    // (cos(phase) - cos(rate t + phase)) / rate, without a difference of two that are nearly equal.
    double half = 0.5 * rate * time, swing = rate == 0.0 ? time * sin(s->phase) : 2.0 * sin(half) * sin(half + s->phase) / rate;
    for (int k = 0; k < 3; ++k) {
        out[k] = s->value[k] * time;
        if (s->kind == SCREE_SIGNAL_RAMP)
            out[k] = s->value[k] * rising + 0.5 * (s->to[k] - s->value[k]) * (rising * rising / s->over) + s->to[k] * (time - rising);
        if (s->kind == SCREE_SIGNAL_SINE)
            out[k] += s->to[k] * swing;
    }
}
