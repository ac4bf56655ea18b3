// S(k) by direct sums, for every wave vector of a periodic box.
//
// A wave vector is k = m_1 b_1 + m_2 b_2 + m_3 b_3 with whole numbers m and the reciprocal vectors b of the box, so
//     exp(i k x) = exp(i m_1 u_1) exp(i m_2 u_2) exp(i m_3 u_3),   u = 2 pi times the fractions of the edge vectors.
// For a block of spheres the powers of the three exponentials stand in tables. All vectors with the same m_2 and m_3 are a line: the product of the last two is computed once for a
// line, and one product of it with a row of the first table gives the sums of m_1 and of -m_1:
//
//     sum of exp(i (a + b)) = sum of ca cb - sa sb + i (ca sb + sa cb)
//     sum of exp(i (b - a)) = sum of ca cb + sa sb + i (ca sb - sa cb)
//
// That is 4 operations for each sphere and vector, which is what a product of two matrices costs. A power m is the product of the powers of its halves, so its error grows as log m.
//
// Lines are cut into chunks that do not depend on threads; each has its own shells, joined in order. S(-k) = S(k): of each two one is computed.
//
// Cost: n times vectors, and vectors grow as V k_max^3: for a packing with all vectors up to a given multiple of 1/diameter, n^2. A Fourier transform on a mesh would be faster
// for large n, but not exact. Wrong choice: for g(r) at small distances, which pair_distribution.c counts in O(n).
#include "measure/measured.h"
#include "measure/structure_sums_body.h"

#include "base/argument.h"
#include "base/parallel.h"
#include "base/wide.h"

#include <inttypes.h>
#include <math.h>

enum { most_bins = 10000, most_power = 10000, most_chunks = 64, lines_at_once = 32 };

static const double most_vectors = 1e9, automatic_work = 1e11, two_pi = 6.283185307179586476925286766559;

typedef struct line {
    int32_t second, third;  // m_2 and m_3
    int32_t terms;          // |m_1| of the last vector that may be shorter than k_max, + 1
} line;

typedef struct shell_sums {
    int64_t vectors;
    double k, s, s_max;
} shell_sums;

typedef struct structure_job {
    const measured* m;
    const scree_structure_factor* out;
    double reciprocal[3][3];       // b_1, b_2, b_3
    int32_t power[3];              // largest |m| along each axis; 0 for the third in 2D
    int64_t lines, lines_per_chunk, chunks;
    line* line;
    shell_sums* shells;            // bins of each chunk
    double (*tables)[structure_block];  // of each chunk: cosine and sine rows of the three axes
    double (*sums)[4];             // of each chunk: lines_at_once times (power[0] + 1)
    void (*add)(int terms, const double (*cosine)[structure_block], const double (*sine)[structure_block], const double* c, const double* s, double (*sums)[4]);
} structure_job;

SCREE_DEFAULTS_OF(scree_structure_factor_def, scree_default_structure_factor_def)
{
    return (scree_structure_factor_def){.struct_size = sizeof(scree_structure_factor_def), .k_max = NAN, .bins = 100};
}

void structure_sums_plain(int terms, const double (*cosine)[structure_block], const double (*sine)[structure_block], const double* c, const double* s, double (*sums)[4])
{
    add_sums(terms, cosine, sine, c, s, sums);
}

// b_i a_j is 2 pi for i = j, else 0: lower triangular, as the edge vectors a are upper triangular.
static void find_reciprocal(const measured* m, double b[3][3])
{
    const double *l = m->length, *t = m->reduced;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            b[i][k] = 0.0;
    b[0][0] = two_pi / l[0];
    b[0][1] = -b[0][0] * t[0] / l[1];
    b[1][1] = two_pi / l[1];
    if (m->dim == 2)
        return;
    b[0][2] = -(b[0][0] * t[1] + b[0][1] * t[2]) / l[2];
    b[1][2] = -b[1][1] * t[2] / l[2];
    b[2][2] = two_pi / l[2];
}

static double wave_number(const structure_job* job, int first, int second, int third)
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double part = first * job->reciprocal[0][k] + second * job->reciprocal[1][k] + third * job->reciprocal[2][k];
        square += part * part;
    }
    return sqrt(square);
}

// How often a wave of length k_max fits along each edge vector: |m_i| = |k a_i| / 2 pi is at most that.
static bool find_powers(const measured* m, double k_max, double power[3])
{
    const double *l = m->length, *t = m->reduced;
    const double edge[3] = {l[0], hypot(t[0], l[1]), m->dim == 3 ? hypot(hypot(t[1], t[2]), l[2]) : 0.0};
    bool fits = true;
    for (int k = 0; k < 3; ++k) {
        power[k] = floor(k_max * edge[k] / two_pi);
        fits = fits && power[k] <= most_power;
    }
    return fits;
}

// Half of the vectors shorter than k, about.
static double vectors_within(const measured* m, double k)
{
    double count = m->dim == 2 ? 0.25 * two_pi : two_pi / 3.0;
    for (int axis = 0; axis < m->dim; ++axis)
        count *= k * m->length[axis] / two_pi;
    return count;
}

static scree_status choose_k_max(const measured* m, double given, double* k_max)
{
    double power[3];
    *k_max = given;
    if (isnan(given)) {
        double spacing = pow((double)m->n, -1.0 / m->dim);
        for (int k = 0; k < m->dim; ++k)
            spacing *= pow(m->length[k], 1.0 / m->dim);
        *k_max = 2.0 * two_pi / fmax(m->diameter_mean, 0.5 * spacing);
        *k_max *= fmin(1.0, pow(automatic_work / (vectors_within(m, *k_max) * m->n), 1.0 / m->dim));
        find_powers(m, *k_max, power);
        *k_max *= fmin(1.0, most_power / fmax(power[0], fmax(power[1], power[2]) + 1.0));
    }
    if (!(*k_max > 0.0) || isinf(*k_max))
        return scree_fail(SCREE_ERR_ARGUMENT, "structure factor: k_max = %g; expected above 0, or NAN (automatic)", *k_max);
    if (!find_powers(m, *k_max, power) || vectors_within(m, *k_max) > most_vectors)
        return scree_fail(SCREE_ERR_ARGUMENT, "structure factor: k_max = %g has about %.3g wave vectors, up to %.6g waves along a side; expected at most %g, and %d waves", *k_max,
                          vectors_within(m, *k_max), fmax(power[0], fmax(power[1], power[2])), most_vectors, (int)most_power);
    return SCREE_OK;
}

// Of each pair k and -k the one whose last number that is not 0 is positive.
static int64_t list_lines(const structure_job* job, double k_max, line* out)
{
    int64_t count = 0;
    for (int third = 0; third <= job->power[2]; ++third)
        for (int second = third > 0 ? -job->power[1] : 0; second <= job->power[1]; ++second) {
            int terms = job->power[0] + 1;
            while (terms > 0 && !(wave_number(job, terms - 1, second, third) < k_max) && !(wave_number(job, 1 - terms, second, third) < k_max))
                --terms;
            if (terms == 0)
                continue;
            if (out != NULL)
                out[count] = (line){.second = second, .third = third, .terms = terms};
            ++count;
        }
    return count;
}

// Powers 0 to `power` of exp(i u), for the spheres of a block; those beyond the last one are at the origin, and are left out later.
static void fill_table(const double* u, int power, double (*cosine)[structure_block], double (*sine)[structure_block])
{
    for (int j = 0; j < structure_block; ++j) {
        cosine[0][j] = 1.0;
        sine[0][j] = 0.0;
    }
    for (int j = 0; j < structure_block && power > 0; ++j) {
        cosine[1][j] = cos(u[j]);
        sine[1][j] = sin(u[j]);
    }
    for (int p = 2; p <= power; ++p) {
        int a = p / 2, b = p - a;
        for (int j = 0; j < structure_block; ++j) {
            cosine[p][j] = cosine[a][j] * cosine[b][j] - sine[a][j] * sine[b][j];
            sine[p][j] = cosine[a][j] * sine[b][j] + sine[a][j] * cosine[b][j];
        }
    }
}

// Fractions of the edge vectors, times 2 pi.
static void find_phases(const measured* m, int64_t first, int count, double u[3][structure_block])
{
    for (int j = 0; j < structure_block; ++j) {
        double f[3] = {0.0};
        for (int k = m->dim - 1; k >= 0 && j < count; --k) {
            double along = m->x[(first + j) * m->dim + k] - m->def.box.lower[k];
            for (int later = k + 1; later < m->dim; ++later)
                along -= f[later] * scree_lattice_tilt(m->reduced, k, later);
            f[k] = along / m->length[k];
        }
        for (int k = 0; k < 3; ++k)
            u[k][j] = two_pi * f[k];
    }
}

static void put(const structure_job* job, double k, double s, shell_sums* shells)
{
    const scree_structure_factor* out = job->out;
    if (!(k < out->k[out->bins]))
        return;
    int32_t b = (int32_t)(k * (out->bins / out->k_max));
    b = b < out->bins ? b : out->bins - 1;
    while (k < out->k[b])
        --b;
    while (k >= out->k[b + 1])
        ++b;
    ++shells[b].vectors;
    shells[b].k += k;
    shells[b].s += s;
    shells[b].s_max = fmax(shells[b].s_max, s);
}

static void put_line(const structure_job* job, const line* here, double (*sums)[4], shell_sums* shells)
{
    for (int a = 0; a < here->terms; ++a) {
        const double *s = sums[a], plus[2] = {s[0] - s[1], s[2] + s[3]}, minus[2] = {s[0] + s[1], s[2] - s[3]};
        bool axis = here->second == 0 && here->third == 0;
        if (a > 0 || !axis)
            put(job, wave_number(job, a, here->second, here->third), (plus[0] * plus[0] + plus[1] * plus[1]) / job->m->n, shells);
        if (a > 0 && !axis)
            put(job, wave_number(job, -a, here->second, here->third), (minus[0] * minus[0] + minus[1] * minus[1]) / job->m->n, shells);
    }
}

// Some lines over all spheres. False: stop.
static bool sum_lines(const structure_job* job, int64_t chunk, const line* lines, int count, double (*sums)[4])
{
    const measured* m = job->m;
    const int rows[3] = {job->power[0] + 1, job->power[1] + 1, job->power[2] + 1}, stride = rows[0];
    double(*cosine[3])[structure_block], (*sine[3])[structure_block];
    double(*at)[structure_block] = job->tables + chunk * 2 * (rows[0] + rows[1] + rows[2]);
    for (int k = 0; k < 3; ++k) {
        cosine[k] = at;
        sine[k] = at + rows[k];
        at += 2 * rows[k];
    }
    int64_t work = 0;
    for (int l = 0; l < count; ++l)
        work += lines[l].terms * (int64_t)structure_block / 2;
    for (int64_t e = 0; e < (int64_t)count * stride; ++e)
        sums[e][0] = sums[e][1] = sums[e][2] = sums[e][3] = 0.0;
    for (int64_t first = 0; first < m->n; first += structure_block) {
        const int spheres = m->n - first < structure_block ? (int)(m->n - first) : structure_block;
        double u[3][structure_block];
        find_phases(m, first, spheres, u);
        for (int k = 0; k < 3; ++k)
            fill_table(u[k], job->power[k], cosine[k], sine[k]);
        for (int l = 0; l < count; ++l) {
            const int second = lines[l].second < 0 ? -lines[l].second : lines[l].second, third = lines[l].third;
            const double sign = lines[l].second < 0 ? -1.0 : 1.0;
            double c[structure_block] = {0.0}, s[structure_block] = {0.0};
            for (int j = 0; j < spheres; ++j) {
                double c2 = cosine[1][second][j], s2 = sign * sine[1][second][j], c3 = cosine[2][third][j], s3 = sine[2][third][j];
                c[j] = c2 * c3 - s2 * s3;
                s[j] = c2 * s3 + s2 * c3;
            }
            job->add(lines[l].terms, (const double(*)[structure_block])cosine[0], (const double(*)[structure_block])sine[0], c, s, sums + (int64_t)l * stride);
        }
        if (!scree_parallel_work(work))
            return false;
    }
    return true;
}

static scree_status sum_chunk(void* context, int64_t chunk)
{
    const structure_job* job = context;
    int64_t end = (chunk + 1) * job->lines_per_chunk < job->lines ? (chunk + 1) * job->lines_per_chunk : job->lines;
    double(*sums)[4] = job->sums + chunk * lines_at_once * (job->power[0] + 1);
    shell_sums* shells = job->shells + chunk * job->out->bins;
    for (int64_t first = chunk * job->lines_per_chunk; first < end; first += lines_at_once) {
        int count = end - first < lines_at_once ? (int)(end - first) : lines_at_once;
        if (!sum_lines(job, chunk, job->line + first, count, sums))
            return SCREE_OK;
        for (int l = 0; l < count; ++l)
            put_line(job, &job->line[first + l], sums + (int64_t)l * (job->power[0] + 1), shells);
    }
    return SCREE_OK;
}

static void join_shells(const structure_job* job, scree_structure_factor* out)
{
    for (int32_t b = 0; b < out->bins; ++b) {
        shell_sums whole = {0};
        for (int64_t c = 0; c < job->chunks; ++c) {
            const shell_sums* part = &job->shells[c * out->bins + b];
            whole.vectors += part->vectors;
            whole.k += part->k;
            whole.s += part->s;
            whole.s_max = fmax(whole.s_max, part->s_max);
        }
        out->vectors[b] = whole.vectors;
        out->total += whole.vectors;
        out->k_mean[b] = whole.vectors > 0 ? whole.k / (double)whole.vectors : NAN;
        out->s[b] = whole.vectors > 0 ? whole.s / (double)whole.vectors : NAN;
        out->s_max[b] = whole.vectors > 0 ? whole.s_max : NAN;
    }
}

static scree_status structure_of(const measured* m, scree_structure_factor* out)
{
    structure_job job = {.m = m, .out = out, .add = structure_sums_plain};
#if defined(__x86_64__)
    if (scree_has_avx2())
        job.add = structure_sums_avx2;
#endif
    double power[3];
    find_reciprocal(m, job.reciprocal);
    find_powers(m, out->k_max, power);
    for (int k = 0; k < 3; ++k)
        job.power[k] = (int32_t)power[k];
    job.lines = list_lines(&job, out->k_max, NULL);
    int64_t groups = (job.lines + lines_at_once - 1) / lines_at_once;
    job.lines_per_chunk = (groups + most_chunks - 1) / most_chunks * lines_at_once;
    job.chunks = (job.lines + job.lines_per_chunk - 1) / job.lines_per_chunk;
    size_t bins = (size_t)out->bins, chunks = (size_t)job.chunks, row = (size_t)job.power[0] + 1;
    out->k = scree_malloc(bins + 1, sizeof *out->k);
    out->vectors = scree_calloc(bins, sizeof *out->vectors);
    out->k_mean = scree_malloc(bins, sizeof *out->k_mean);
    out->s = scree_malloc(bins, sizeof *out->s);
    out->s_max = scree_malloc(bins, sizeof *out->s_max);
    job.line = scree_malloc((size_t)job.lines, sizeof *job.line);
    job.shells = scree_calloc(chunks * bins, sizeof *job.shells);
    job.tables = scree_malloc(chunks * 2 * (row + (size_t)job.power[1] + 1 + (size_t)job.power[2] + 1), sizeof *job.tables);
    job.sums = scree_malloc(chunks * lines_at_once * row, sizeof *job.sums);
    scree_status status = SCREE_ERR_MEMORY;
    if (out->k != NULL && out->vectors != NULL && out->k_mean != NULL && out->s != NULL && out->s_max != NULL && job.line != NULL && job.shells != NULL && job.tables != NULL &&
        job.sums != NULL) {
        for (int32_t b = 0; b <= out->bins; ++b)
            out->k[b] = b == out->bins ? out->k_max : out->k_max * ((double)b / out->bins);
        list_lines(&job, out->k_max, job.line);
        status = SCREE_OK;
        if (!scree_watch_goes_on(&m->def.watch, 0.0))  // a small set may be done before the loop asks
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    if (status == SCREE_OK)
        status = scree_parallel_for(m->def.threads, job.chunks, sum_chunk, &job, &m->def.watch);
    if (status == SCREE_OK)
        join_shells(&job, out);
    scree_free(job.line);
    scree_free(job.shells);
    scree_free(job.tables);
    scree_free(job.sums);
    return status;
}

SCREE_RESULT_OF(scree_structure_factor, scree_measure_structure_factor, (const scree_measure_def* def, scree_spheres spheres, const scree_structure_factor_def* about, scree_structure_factor* out),
                (def, spheres, about, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    SCREE_NEED(about);
    scree_status status = scree_check_struct_size("structure factor", "scree_default_structure_factor_def", about->struct_size, sizeof *about, sizeof *about);
    if (status != SCREE_OK)
        return status;
    if (about->bins < 1 || about->bins > most_bins)
        return scree_fail(SCREE_ERR_ARGUMENT, "structure factor: bins = %" PRId32 "; expected 1 to %d", about->bins, (int)most_bins);
    measured m;
    status = measured_make(def, spheres, &m);
    if (status != SCREE_OK)
        return status;
    scree_structure_factor found = {.bins = about->bins};
    for (int k = 0; k < m.dim && status == SCREE_OK; ++k)
        if (!def->box.periodic[k] || !(m.length[k] > 0.0))
            status = scree_fail(SCREE_ERR_ARGUMENT, "structure factor: axis %c of the box is not periodic, or has no length; expected a box that is periodic on every axis", "xyz"[k]);
    if (status == SCREE_OK && m.n == 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "structure factor: there are no spheres; expected one or more");
    if (status == SCREE_OK)
        status = choose_k_max(&m, about->k_max, &found.k_max);
    if (status == SCREE_OK)
        status = structure_of(&m, &found);
    measured_free(&m);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_structure_factor_free(&found);
    return status;
}

SCREE_RELEASE_OF(scree_structure_factor, scree_structure_factor_free)
{
    scree_free(given->k);
    scree_free(given->vectors);
    scree_free(given->k_mean);
    scree_free(given->s);
    scree_free(given->s_max);
}
