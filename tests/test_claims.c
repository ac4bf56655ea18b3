// Verdicts of the benchmarks after papers: each claim in the tables of all experiments is given rows with a value inside its limits, below and above them, rows that scatter across a limit, and no
// rows. The rows are made from the claim itself, beside a row that it does not mean, so that no claim is left out.
#include "support.h"

#include "bench/list.h"

enum { most_columns = 16, most_rows = 8 };

// A table that a claim can be judged by.
typedef struct fake {
    bench_rows table;
    char names[most_columns][bench_most_word];  // texts first
    bool absurd;                                // the row that is not meant
} fake;

static const char* value_of(const char* terms, const char* name)
{
    static char value[bench_most_word];
    for (const char* at = terms; at != NULL && *at != '\0'; at += strcspn(at, ";"), at += *at == ';')
        if (strncmp(at, name, strlen(name)) == 0 && at[strlen(name)] == '=') {
            snprintf(value, sizeof value, "%.*s", (int)strcspn(at + strlen(name) + 1, ";"), at + strlen(name) + 1);
            return value;
        }
    return NULL;
}

static bool is_number(const char* value)
{
    char* end;
    strtod(value, &end);
    return *value != '\0' && *end == '\0';
}

static void add_column(fake* f, const char* name, bool text)
{
    bench_rows* t = &f->table;
    for (int c = 0; c < t->columns; ++c)
        if (strcmp(f->names[c], name) == 0)
            return;
    assert_true(t->columns < most_columns);
    assert_true(!text || t->texts == t->columns);
    snprintf(f->names[t->columns], bench_most_word, "%s", name);
    t->names[t->columns] = f->names[t->columns];
    ++t->columns;
    t->texts += text;
}

static void add_terms(fake* f, const char* terms, bool texts)
{
    for (const char* at = terms; at != NULL && *at != '\0'; at += strcspn(at, ";"), at += *at == ';') {
        char name[bench_most_word];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "="), at);
        const char* value = value_of(at, name);
        assert_non_null(value);
        const bool text = !is_number(value) && strcmp(value, "most") != 0 && strcmp(value, "least") != 0;
        if (text == texts)
            add_column(f, name, text);
    }
}

// One row. x: against; spread: half of the distance between the quartiles.
static void add_row(fake* f, const claim* c, const char* terms, double x, double y, double spread, const char* word)
{
    const bench_rows* t = &f->table;
    const char* words[most_columns];
    char texts[most_columns][bench_most_word], low[bench_most_word], high[bench_most_word];
    double values[most_columns];
    snprintf(low, sizeof low, "%s_low", c->column);
    snprintf(high, sizeof high, "%s_high", c->column);
    for (int k = 0; k < t->columns; ++k) {
        const char *name = f->names[k], *value = value_of(terms, name);
        double number = value == NULL ? 0.0 : strcmp(value, "most") == 0 ? 100.0 : strcmp(value, "least") == 0 ? -100.0 : strtod(value, NULL);
        if (f->absurd)
            number = value != NULL && is_number(value) ? number + 1000.0 : 0.0;
        if (strcmp(name, c->column) == 0)
            number = y;
        else if (strcmp(name, low) == 0)
            number = y - spread;
        else if (strcmp(name, high) == 0)
            number = y + spread;
        else if (c->against != NULL && strcmp(name, c->against) == 0 && value == NULL)
            number = x;
        snprintf(texts[k], bench_most_word, "%s", f->absurd ? "not this" : value != NULL ? value : word);
        words[k] = texts[k];
        if (k >= t->texts)
            values[k - t->texts] = number;
    }
    assert_int_equal(bench_rows_add(&f->table, words, values), SCREE_OK);
}

// Rows whose value is v.
static verdict judge(const claim* c, double v, double spread, bool quick)
{
    fake f = {.table = {.suffix = c->table != NULL ? c->table : ""}};
    const double e2 = exp(2.0);
    verdict found;
    char low[bench_most_word], high[bench_most_word];
    snprintf(low, sizeof low, "%s_low", c->column);
    snprintf(high, sizeof high, "%s_high", c->column);
    add_terms(&f, c->rows, true);
    add_terms(&f, c->over, true);
    if (c->how == CLAIM_DISTINCT)
        add_column(&f, c->column, true);
    add_terms(&f, c->rows, false);
    add_terms(&f, c->over, false);
    if (c->how != CLAIM_DISTINCT)
        add_column(&f, c->column, false);
    if (c->against != NULL)
        add_column(&f, c->against, false);
    if (c->timed) {
        add_column(&f, low, false);
        add_column(&f, high, false);
    }
    if (c->rows != NULL) {
        f.absurd = true;
        add_row(&f, c, c->rows, 1e6, c->how == CLAIM_BEST ? -1e9 : 1e9, 0.0, "a");
        f.absurd = false;
    }
    switch (c->how) {
    case CLAIM_VALUE: add_row(&f, c, c->rows, 0.0, v, spread, "a"); break;
    case CLAIM_RATIO:
        add_row(&f, c, c->rows, 0.0, v, spread, "a");
        add_row(&f, c, c->over, 0.0, 1.0, 1e-12, "a");
        break;
    case CLAIM_LEAST:
    case CLAIM_MOST:
        add_row(&f, c, c->rows, 0.0, v, spread, "a");
        add_row(&f, c, c->rows, 0.0, v + (c->how == CLAIM_LEAST ? 1.0 : -1.0), spread, "a");
        break;
    case CLAIM_SLOPE:
        add_row(&f, c, c->rows, 1.0, 1.0, 0.5 * spread, "a");
        add_row(&f, c, c->rows, e2, exp(2.0 * v), 0.5 * spread * exp(2.0 * v), "a");
        break;
    case CLAIM_BEST:
        add_row(&f, c, c->rows, v, 1.0, spread, "a");
        add_row(&f, c, c->rows, v + 1.0, 2.0, spread, "a");
        break;
    case CLAIM_CROSSING:
        for (int k = -1; k <= 1; k += 2) {
            add_row(&f, c, c->rows, v + k, k, spread, "a");
            add_row(&f, c, c->over, v + k, 0.0, spread, "a");
        }
        break;
    case CLAIM_RISES:
        for (int k = 0; k <= (int)v; ++k)
            add_row(&f, c, c->rows, 0.0, k, spread, "a");
        break;
    case CLAIM_DISTINCT:
        for (int k = 0; k < (int)v; ++k)
            add_row(&f, c, c->rows, 0.0, 0.0, spread, (const char* const[]){"a", "b", "c", "d"}[k % 4]);
        break;
    }
    found = bench_judge(c, &f.table, 1, quick);
    bench_rows_free(&f.table);
    return found;
}

static void expect(const experiment* e, const claim* c, const char* which, double v, verdict found, verdict_kind wanted)
{
    if (found.kind != wanted)
        fail_msg("%s: '%s', a value %s (%g): verdict %d, expected %d; value %g, %s", e->name, c->quantity, which, v, (int)found.kind, (int)wanted, found.value, found.why);
}

static void each_claim_agrees_and_differs(void** state)
{
    (void)state;
    int claims = 0;
    for (int b = 0; bench_list[b] != NULL; ++b) {
        const experiment* e = bench_list[b];
        for (const claim* c = e->claims; c != NULL && c->quantity != NULL; ++c, ++claims) {
            const bool whole = c->how == CLAIM_RISES || c->how == CLAIM_DISTINCT;
            const double step = whole ? 1.0 : 0.1 * (c->most - c->least) + 0.01 * fmax(fabs(c->least), fabs(c->most)) + 1e-3, inside = whole ? c->least : 0.5 * (c->least + c->most),
                         spread = 1e-9 * (1.0 + fabs(inside));
            expect(e, c, "inside", inside, judge(c, inside, spread, false), VERDICT_AGREES);
            if (!whole || c->least - step >= 0.0)
                expect(e, c, "below", c->least - step, judge(c, c->least - step, spread, false), whole && c->how == CLAIM_DISTINCT && c->least - step < 1.0 ? VERDICT_NONE : VERDICT_DIFFERS);
            expect(e, c, "above", c->most + step, judge(c, c->most + step, spread, false), VERDICT_DIFFERS);
            expect(e, c, "inside, quick", inside, judge(c, inside, spread, true), c->full ? VERDICT_NONE : VERDICT_AGREES);
            if (c->timed) {
                expect(e, c, "that scatters", c->most, judge(c, c->most, 0.5 * step, false), VERDICT_NONE);
                expect(e, c, "timed once", inside, judge(c, inside, 0.0, false), c->how == CLAIM_RATIO ? VERDICT_AGREES : VERDICT_NONE);
            }
            expect(e, c, "without rows", 0.0, bench_judge(c, &(bench_rows){.suffix = "", .columns = 0}, 1, false), VERDICT_NONE);
        }
    }
    assert_true(claims > 150);
}

// What a table of claims must be like: limits on both sides, the paper's own value between them, a source or none, and columns that the first table has.
static void claims_are_sound(void** state)
{
    (void)state;
    for (int b = 0; bench_list[b] != NULL; ++b) {
        const experiment* e = bench_list[b];
        if (e->paper && (e->claims == NULL || e->claims->quantity == NULL))
            fail_msg("%s redraws a paper and has no claims", e->name);
        for (const claim* c = e->claims; c != NULL && c->quantity != NULL; ++c) {
            bool known = c->table != NULL;
            for (int k = 0; e->columns != NULL && e->columns[k] != NULL; ++k)
                known = known || strcmp(e->columns[k], c->column) == 0;
            if (!known)
                fail_msg("%s: '%s': its table has no column '%s'", e->name, c->quantity, c->column);
            if (!isfinite(c->least) || !isfinite(c->most) || c->least > c->most)
                fail_msg("%s: '%s': limits %g and %g; expected two, the lower one first", e->name, c->quantity, c->least, c->most);
            if (c->source != NULL && c->words == NULL && !(c->paper >= c->least && c->paper <= c->most))
                fail_msg("%s: '%s': the paper's value %g is not between %g and %g", e->name, c->quantity, c->paper, c->least, c->most);
        }
        for (const chart* c = e->charts; c != NULL && c->y != NULL; ++c)
            if (c->x == NULL || c->title == NULL)
                fail_msg("%s: a figure without an x axis or a title", e->name);
    }
}

static const test_case cases[] = {
    UNIT(each_claim_agrees_and_differs),
    UNIT(claims_are_sound),
};

const test_group group_claims = {.name = "claims", .cases = cases, .count = sizeof cases / sizeof *cases};
