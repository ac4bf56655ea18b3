// From texts and tables to distributions: here words are checked and turned into the segments of sizes.c.
//
// A text is a name and numbers with colons between: `fuller:1:684.75:0.5:70`. One table says what each distribution needs; the
// checks and the messages come from it, so a new distribution is a line there and a function that makes its segments.
#include "sizes/sizes_inner.h"

#include "base/argument.h"
#include "base/number.h"
#include "base/spelling.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WORDS = 4 };  // the most numbers that a distribution below takes

typedef enum word_kind {
    RADIUS = 0,  // a length above 0
    DIAMETER,    // the same; halved when read
    EXPONENT,    // any number
    POSITIVE,    // above 0
    SHAPE,       // 1e-3 to 1e3
    CLASSES      // a whole number, 1 to 1e6
} word_kind;

typedef enum basis { AS_NAMED, BY_NUMBER, BY_MASS } basis;

typedef struct word {
    const char* begin;
    const char* end;
} word;

typedef struct request {  // a text, read and checked
    const char* text;
    int32_t dim;
    basis basis;
    int numbers;
    double value[WORDS];  // lengths are radii
} request;

typedef struct distribution {
    const char* name;
    const char* form;
    int least;   // numbers it must have
    bool range;  // the first two are the least and the largest size
    struct {
        const char* name;
        word_kind kind;
    } word[WORDS];
    scree_status (*make)(const request* asked, scree_sizes** out);
} distribution;

// ---- The distributions -----------------------------------------------------------------------------------------------------

// A distribution of one segment whose named density is ~ r^-e, named by mass if `named_by_mass`.
static scree_status one_segment(const request* asked, double e, bool named_by_mass, scree_sizes** out)
{
    bool by_mass = asked->basis == AS_NAMED ? named_by_mass : asked->basis == BY_MASS;
    scree_size_segment segment = {
        .a = asked->value[0], .b = asked->value[1], .e = by_mass ? e + asked->dim : e, .share = 1.0};
    return scree_sizes_from_segments(asked->text, asked->dim, 1, &segment, out);
}

static scree_status make_mono(const request* asked, scree_sizes** out)
{
    scree_size_segment segment = {.a = asked->value[0], .b = asked->value[0], .share = 1.0};
    return scree_sizes_from_segments(asked->text, asked->dim, 1, &segment, out);
}

static scree_status make_bidisperse(const request* asked, scree_sizes** out)
{
    double ratio = asked->value[0];
    if (!(ratio > 1.0 && ratio <= SCREE_SIZE_RATIO_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "sizes '%.200s': RATIO is %g; expected above 1 and at most %g",
                          asked->text, ratio, SCREE_SIZE_RATIO_MAX);
    if (asked->basis != AS_NAMED)
        return scree_fail(
            SCREE_ERR_ARGUMENT,
            "sizes '%.200s': bidisperse means equal volumes of both sizes; expected neither by-number nor by-mass",
            asked->text);
    double volumes = asked->dim == 2 ? ratio * ratio : ratio * ratio * ratio;  // small spheres per big one
    scree_size_segment segments[2] = {{.a = 1.0, .b = 1.0, .share = volumes}, {.a = ratio, .b = ratio, .share = 1.0}};
    scree_sizes* made;
    scree_status status = scree_sizes_from_segments(asked->text, asked->dim, 2, segments, &made);
    if (status != SCREE_OK)
        return status;
    made->two_sizes = true;
    made->big_per_sphere = 1.0 + volumes;
    *out = made;
    return SCREE_OK;
}

static scree_status make_uniform_size(const request* asked, scree_sizes** out)
{
    return one_segment(asked, 0.0, false, out);
}

static scree_status make_uniform_volume(const request* asked, scree_sizes** out)
{
    if (asked->basis == BY_MASS)  // r^-dim by mass would be r^-2dim by number, which is not meant by this
        return scree_fail(
            SCREE_ERR_ARGUMENT,
            "sizes '%.200s': uniform-volume is uniform by mass already; expected the text without by-mass (it is the same as uniform-size:MIN:MAX:by-mass)",
            asked->text);
    return one_segment(asked, asked->dim, false, out);
}

static scree_status make_power(const request* asked, scree_sizes** out)
{
    return one_segment(asked, asked->value[2], false, out);
}

static scree_status make_lognormal(const request* asked, scree_sizes** out)
{
    double median = asked->value[0], sigma = asked->value[1];
    if (asked->basis == BY_MASS)
        median *= exp(-asked->dim * sigma * sigma);
    if (!scree_size_fits(median))
        return scree_fail(
            SCREE_ERR_ARGUMENT,
            "sizes '%.200s': SIGMA is %g, so that half of the spheres are smaller than %g; expected from %g to %g",
            asked->text, sigma, median, SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    return scree_sizes_from_lognormal(asked->text, asked->dim, median, sigma, out);
}

// Geometric classes of the curve d^q between a and b, which is by mass unless asked otherwise: a class holds the share
// that the curve gives it, divided by its d^dim to count spheres; inside, d is linear in the count.
static scree_status fuller_classes(const request* asked, double q, double classes, scree_sizes** out)
{
    double a = asked->value[0], b = asked->value[1];
    int64_t count = (int64_t)classes;
    scree_size_segment* segments = scree_calloc((size_t)count, sizeof *segments);
    if (segments == NULL)
        return SCREE_ERR_MEMORY;
    double step = scree_size_log_ratio(a, b) / classes;
    double power = asked->basis == BY_NUMBER ? q : q - asked->dim;
    // Class k: (r_{k+1}^q - r_k^q) / r_k^dim, where r_k = a e^(k step), except for factors that all classes have. Seen
    // from the fullest class so that the shares do not overflow.
    int64_t fullest = power > 0.0 ? count - 1 : 0;
    for (int64_t k = 0; k < count; ++k) {
        segments[k].a = k == 0 ? a : segments[k - 1].b;
        segments[k].b = k + 1 == count ? b : fmin(a * pow(b / a, (double)(k + 1) / classes), b);
        segments[k].share = exp(power * step * (double)(k - fullest));
    }
    scree_status status = scree_sizes_from_segments(asked->text, asked->dim, count, segments, out);
    scree_free(segments);
    return status;
}

static scree_status make_fuller(const request* asked, scree_sizes** out)
{
    double q = asked->numbers > 2 ? asked->value[2] : 0.5;
    if (asked->numbers > 3 && asked->value[0] < asked->value[1])
        return fuller_classes(asked, q, asked->value[3], out);
    return one_segment(asked, 1.0 - q, true, out);
}

static scree_status make_rosin_rammler(const request* asked, scree_sizes** out)
{
    const double* v = asked->value;
    if (v[0] == v[1])
        return make_mono(asked, out);
    return scree_sizes_from_rosin(asked->text, asked->dim, asked->basis != BY_NUMBER, v[0], v[1], v[2], v[3], out);
}

static const distribution distributions[] = {
    {"mono", "mono:R", 1, false, {{"R", RADIUS}}, make_mono},
    {"bidisperse", "bidisperse:RATIO", 1, false, {{"RATIO", POSITIVE}}, make_bidisperse},
    {"uniform-size", "uniform-size:MIN:MAX", 2, true, {{"MIN", RADIUS}, {"MAX", RADIUS}}, make_uniform_size},
    {"uniform-volume", "uniform-volume:MIN:MAX", 2, true, {{"MIN", RADIUS}, {"MAX", RADIUS}}, make_uniform_volume},
    {"power", "power:MIN:MAX:A", 3, true, {{"MIN", RADIUS}, {"MAX", RADIUS}, {"A", EXPONENT}}, make_power},
    {"lognormal", "lognormal:MEDIAN:SIGMA", 2, false, {{"MEDIAN", RADIUS}, {"SIGMA", POSITIVE}}, make_lognormal},
    {"fuller",
     "fuller:DMIN:DMAX[:Q[:CLASSES]]",
     2,
     true,
     {{"DMIN", DIAMETER}, {"DMAX", DIAMETER}, {"Q", POSITIVE}, {"CLASSES", CLASSES}},
     make_fuller},
    {"rosin-rammler",
     "rosin-rammler:DMIN:DMAX:D63:N",
     4,
     true,
     {{"DMIN", DIAMETER}, {"DMAX", DIAMETER}, {"D63", DIAMETER}, {"N", SHAPE}},
     make_rosin_rammler},
    {"table", "table:FILE.csv", 0, false, {{NULL, RADIUS}}, NULL},
};
enum { DISTRIBUTIONS = sizeof distributions / sizeof *distributions };

// ---- Words --------------------------------------------------------------------------------------------------------

static bool word_is(word w, const char* text)
{
    size_t length = (size_t)(w.end - w.begin);
    return strlen(text) == length && memcmp(w.begin, text, length) == 0;
}

static int shown(word w)  // the length to print
{
    return w.end - w.begin > 100 ? 100 : (int)(w.end - w.begin);
}

static scree_status unknown_law(const char* text, word name)
{
    int nearest = 0;
    int64_t least = INT64_MAX;
    for (int l = 0; l < DISTRIBUTIONS; ++l) {
        size_t length = (size_t)(name.end - name.begin);
        bool beginning = length > 1 && strncmp(name.begin, distributions[l].name, length) == 0;
        int64_t apart = beginning ? 0 : scree_letters_apart(name.begin, name.end, distributions[l].name);
        if (apart < least) {
            least = apart;
            nearest = l;
        }
    }
    if (scree_spelling_is_close(least, distributions[nearest].name))
        return scree_fail(SCREE_ERR_ARGUMENT, "sizes '%.200s': unknown size distribution '%.*s'; expected a known one: did you mean '%s' (%s)?", text,
                          shown(name), name.begin, distributions[nearest].name, distributions[nearest].form);
    return scree_fail(
        SCREE_ERR_ARGUMENT,
        "sizes '%.200s': unknown size distribution '%.*s'; expected mono, bidisperse, uniform-size, uniform-volume, power, "
        "lognormal, fuller, rosin-rammler or table",
        text, shown(name), name.begin);
}

// Reads the number called `name` and checks that it is of its kind.
static scree_status read_number(const char* text, const char* name, word_kind kind, word w, double* value)
{
    if (!scree_number_parse(w.begin, w.end, value))
        return scree_fail(SCREE_ERR_ARGUMENT, "sizes '%.200s': %s is '%.*s'; expected a number", text, name,
                          shown(w), w.begin);
    const char* must = NULL;
    double v = *value;
    if (!isfinite(v))
        must = "a finite number";
    else if (kind != EXPONENT && !(v > 0.0))
        must = "a number above 0";
    else if (kind == DIAMETER)
        *value = v = 0.5 * v;
    if (must == NULL && (kind == RADIUS || kind == DIAMETER) && !scree_size_fits(v))
        must = "a value such that radii are in the range 1e-140 to 1e140";
    if (must == NULL && kind == SHAPE && !(v >= 1e-3 && v <= 1e3))
        must = "a number between 0.001 and 1000";
    if (must == NULL && kind == CLASSES && !(v == floor(v) && v <= 1e6))
        must = "a whole number from 1 to 1000000";
    if (must == NULL)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT, "sizes '%.200s': %s is %.*s; expected %s", text, name, shown(w), w.begin,
                      must);
}

static word next_word(const char** rest)  // NULL afterwards if it was the last
{
    word w = {.begin = *rest, .end = strchr(*rest, ':')};
    *rest = w.end == NULL ? NULL : w.end + 1;
    if (w.end == NULL)
        w.end = w.begin + strlen(w.begin);
    return w;
}

// Reads the words after the name into `asked`.
static scree_status read_words(const distribution* wanted, const char* rest, request* asked)
{
    int most = 0;
    while (most < WORDS && wanted->word[most].name != NULL)
        ++most;
    while (rest != NULL) {
        word w = next_word(&rest);
        if (rest == NULL && (word_is(w, "by-number") || word_is(w, "by-mass"))) {
            asked->basis = word_is(w, "by-mass") ? BY_MASS : BY_NUMBER;
            break;
        }
        if (asked->numbers == most)
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "sizes '%.200s': unexpected '%.*s'; expected the form %s, optionally with by-number "
                              "or by-mass at the end",
                              asked->text, shown(w), w.begin, wanted->form);
        int k = asked->numbers++;
        scree_status status = read_number(asked->text, wanted->word[k].name, wanted->word[k].kind, w, &asked->value[k]);
        if (status != SCREE_OK)
            return status;
    }
    if (asked->numbers < wanted->least)
        return scree_fail(SCREE_ERR_ARGUMENT, "sizes '%.200s': %s is missing; expected the form %s", asked->text,
                          wanted->word[asked->numbers].name, wanted->form);
    if (wanted->range && !(asked->value[0] <= asked->value[1])) {
        double unit = wanted->word[0].kind == DIAMETER ? 2.0 : 1.0;
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "sizes '%.200s': %s is %g and %s is %g; expected the first not above the second", asked->text,
                          wanted->word[0].name, unit * asked->value[0], wanted->word[1].name, unit * asked->value[1]);
    }
    if (wanted->range && asked->value[1] / asked->value[0] > SCREE_SIZE_RATIO_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "sizes '%.200s': %s is %.3g times %s; expected at most %g times",
                          asked->text, wanted->word[1].name, asked->value[1] / asked->value[0], wanted->word[0].name,
                          SCREE_SIZE_RATIO_MAX);
    return SCREE_OK;
}

static scree_status check_dim(int32_t dim)
{
    if (dim != 2 && dim != 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "sizes: dimension %d; expected 2 or 3", (int)dim);
    return SCREE_OK;
}

scree_status scree_sizes_parse(const char* text, int32_t dim, scree_sizes** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(text);
    scree_status status = check_dim(dim);
    if (status != SCREE_OK)
        return status;
    if (text == NULL || *text == '\0')
        return scree_fail(SCREE_ERR_ARGUMENT, "sizes: the text is empty; expected a size distribution such as uniform-size:1:10");
    const char* rest = text;
    word name = next_word(&rest);
    for (int l = 0; l < DISTRIBUTIONS; ++l) {
        if (!word_is(name, distributions[l].name))
            continue;
        if (distributions[l].make == NULL)
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "sizes '%.200s': a table is a file; expected scree_read_sizes, which reads it",
                              text);
        request asked = {.text = text, .dim = dim};
        status = read_words(&distributions[l], rest, &asked);
        return status == SCREE_OK ? distributions[l].make(&asked, out) : status;
    }
    return unknown_law(text, name);
}

// ---- Tables -------------------------------------------------------------------------------------------------------

static scree_status check_row(int64_t k, const double* d, double share)
{
    if (!scree_size_fits(0.5 * d[k]))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "size table: row %" PRId64 ": d = %g is not a diameter; expected above 0, at most 1e140", k, d[k]);
    if (k > 0 && !(d[k] > d[k - 1]))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "size table: row %" PRId64 ": d = %g comes after %g; expected diameters that rise", k, d[k],
                          d[k - 1]);
    if (d[k] / d[0] > SCREE_SIZE_RATIO_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "size table: row %" PRId64 ": d = %g is more than %g times the first, %g; expected a narrower table",
                          k, d[k], SCREE_SIZE_RATIO_MAX, d[0]);
    if (!(share >= 0.0) || isinf(share))
        return scree_fail(SCREE_ERR_ARGUMENT, "size table: row %" PRId64 ": a fraction or number of %g; expected a finite value of 0 or more", k,
                          share);
    return SCREE_OK;
}

static scree_status check_passing(int64_t rows, const double* share)
{
    if (rows < 2)
        return scree_fail(SCREE_ERR_ARGUMENT, "size table: %" PRId64 " rows; expected at least 2 for a passing curve",
                          rows);
    if (share[0] != 0.0)
        return scree_fail(
            SCREE_ERR_ARGUMENT,
            "size table: row 0: the passing mass begins with %g; expected 0 at the smallest diameter",
            share[0]);
    for (int64_t k = 1; k < rows; ++k)
        if (share[k] < share[k - 1])
            return scree_fail(SCREE_ERR_ARGUMENT, "size table: row %" PRId64 ": the passing mass falls from %g to %g; expected ascending values",
                              k, share[k - 1], share[k]);
    double last = share[rows - 1];
    if (!(fabs(last - 1.0) <= 1e-9 || fabs(last - 100.0) <= 1e-7))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "size table: row %" PRId64 ": the passing mass ends with %g; expected 1 or 100",
                          rows - 1, last);
    return SCREE_OK;
}

static scree_status check_counts(int64_t rows, const double* share)
{
    double sum = 0.0;
    for (int64_t k = 0; k < rows; ++k)
        sum += share[k];
    if (!(sum > 0.0) || isinf(sum))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "size table: the %" PRId64 " counts add up to %g; expected a finite number above 0", rows, sum);
    return SCREE_OK;
}

scree_status scree_sizes_table(scree_table_kind kind, int32_t dim, int64_t rows, const double* d, const double* share,
                               scree_sizes** out)
{
    SCREE_EMPTY(out);
    if (rows > 0)
        SCREE_NEED(d);
    if (rows > 0)
        SCREE_NEED(share);
    scree_status status = check_dim(dim);
    if (status != SCREE_OK)
        return status;
    if (kind != SCREE_TABLE_PASSING_MASS && kind != SCREE_TABLE_NUMBER)
        return scree_fail(SCREE_ERR_ARGUMENT, "size table: there is no kind %d; expected 0 for passing mass or 1 for number",
                          (int)kind);
    if (rows < 1 || d == NULL || share == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "size table: %" PRId64 " rows%s; expected at least 1, with numbers", rows,
                          rows < 1 ? "" : " and an array is NULL");
    for (int64_t k = 0; k < rows && status == SCREE_OK; ++k)
        status = check_row(k, d, share[k]);
    if (status == SCREE_OK)
        status = kind == SCREE_TABLE_PASSING_MASS ? check_passing(rows, share) : check_counts(rows, share);
    if (status != SCREE_OK)
        return status;

    scree_size_segment* segments = scree_calloc((size_t)rows, sizeof *segments);
    if (segments == NULL)
        return SCREE_ERR_MEMORY;
    int64_t count = 0;
    if (kind == SCREE_TABLE_NUMBER) {
        for (int64_t k = 0; k < rows; ++k)
            if (share[k] > 0.0)
                segments[count++] = (scree_size_segment){.a = 0.5 * d[k], .b = 0.5 * d[k], .share = share[k]};
    } else {
        for (int64_t k = 0; k + 1 < rows; ++k) {
            if (share[k + 1] == share[k])
                continue;
            // The mass is uniform in d: r^-dim by number. The count is mass times the mean of r^-dim over that mass, in
            // units of the smallest radius, which keeps it from overflowing.
            scree_size_segment uniform = {.a = 0.5 * d[k], .b = 0.5 * d[k + 1]};
            uniform.log_ratio = scree_size_log_ratio(uniform.a, uniform.b);
            double smallest = count > 0 ? segments[0].a : uniform.a;
            segments[count] = uniform;
            segments[count].e = dim;
            segments[count++].share = (share[k + 1] - share[k]) * scree_size_segment_mean(&uniform, smallest, -dim);
        }
    }
    status = scree_sizes_from_segments("table", dim, count, segments, out);
    scree_free(segments);
    return status;
}
