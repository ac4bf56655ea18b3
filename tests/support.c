#include "support.h"

#include "device_everywhere.h"

#include <ctype.h>

void check_ok(const char* file, int line, const char* call, scree_status status)
{
    if (status != SCREE_OK)
        fail_msg("%s:%d: %s gave status %d: %s", file, line, call, (int)status, scree_error_message());
}

// The two characters, next to each other, belong to one word or number.
static bool is_inside(char a, char b)
{
    return isalnum((unsigned char)a) && isalnum((unsigned char)b);
}

static bool names(const char* message, const char* part)
{
    size_t length = strlen(part);
    if (length == 0)
        return true;
    for (const char* at = message; (at = strstr(at, part)) != NULL; ++at) {
        const char* after = at + length;
        bool cut = (at > message && is_inside(at[-1], *at)) || is_inside(after[-1], *after);
        bool decimals = isdigit((unsigned char)after[-1]) && *after == '.' && isdigit((unsigned char)after[1]);
        if (!cut && !decimals)
            return true;
    }
    return false;
}

// The first of the parts, separated by " | ", that the message does not name; NULL if there is none. Valid until the next call.
static const char* first_missing(const char* message, const char* parts)
{
    static char part[512];
    for (const char* at = parts; at != NULL;) {
        const char* end = strstr(at, " | ");
        snprintf(part, sizeof part, "%.*s", end == NULL ? (int)strlen(at) : (int)(end - at), at);
        if (!names(message, part))
            return part;
        at = end == NULL ? NULL : end + 3;
    }
    return NULL;
}

bool message_names(const char* parts)
{
    return first_missing(scree_error_message(), parts) == NULL;
}

const char *test_group_name = "", *test_case_name = "";

// Appends the message to the file SCREE_MESSAGES, for tools/messages; in one write, since several programs do so at a time.
static void record(const char* message)
{
    const char* path = getenv("SCREE_MESSAGES");
    FILE* file = path == NULL || everywhere_is_second() ? NULL : fopen(path, "a");
    if (file == NULL)
        return;
    char line[2048];
    int length = snprintf(line, sizeof line - 1, "%s %s: %s", test_group_name, test_case_name, message);
    length = length < (int)sizeof line - 2 ? length : (int)sizeof line - 2;
    for (int k = 0; k < length; ++k)
        line[k] = line[k] == '\n' ? ' ' : line[k];
    line[length++] = '\n';
    fwrite(line, 1, (size_t)length, file);
    fclose(file);
}

void check_fails(const char* file, int line, const char* call, scree_status got, scree_status wanted, ...)
{
    const char* message = scree_error_message();
    if (got != wanted)
        fail_msg("%s:%d: %s gave status %d, not %d", file, line, call, (int)got, (int)wanted);
    record(message);
    va_list parts;
    va_start(parts, wanted);
    for (const char* list; (list = va_arg(parts, const char*)) != NULL;)
        if (first_missing(message, list) != NULL) {
            va_end(parts);
            fail_msg("%s:%d: %s: the message is \"%s\" and does not name \"%s\"", file, line, call, message, first_missing(message, list));
        }
    va_end(parts);
}

void check_close(const char* file, int line, const char* a_text, double a, const char* b_text, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s:%d: %s = %.17g, %s = %.17g, off by %.3g, allowed %.3g", file, line, a_text, a, b_text, b, a - b, tolerance);
}

double test_effort(void)
{
    const char* text = getenv("SCREE_TEST_EFFORT");
    double effort = text == NULL ? 1.0 : atof(text);
    return (effort > 0.0 ? effort : 1.0) * SCREE_TEST_SHARE;
}

bool test_is_small(void)
{
    return test_effort() < 0.5;
}

int64_t next_allocation(int64_t n)
{
    return n + (test_is_small() && n >= 40 ? 3 : 1);
}

bool check_allocation(const char* file, int line, const char* call, int64_t n, int64_t allocations, scree_status status)
{
    if (status == SCREE_OK) {
        if (allocations >= n)
            fail_msg("%s:%d: allocation %d failed and %s said OK", file, line, (int)n, call);
        return true;
    }
    if (status != SCREE_ERR_MEMORY)
        fail_msg("%s:%d: allocation %d failed and %s gave %d: %s", file, line, (int)n, call, (int)status, scree_error_message());
    return false;
}

bool rising_tick(void* context, double done)
{
    tick_count* l = context;
    assert_true(done >= l->last && done <= 1.0);
    l->last = done;
    return ++l->count != l->stop_at;
}

scree_box random_box(scree_rng* rng, int dim, double side, double length[3])
{
    scree_box box = scree_box_sized(dim, (double[3]){side, side * 1.3, side * 0.9});
    for (int k = 0; k < dim; ++k) {
        box.periodic[k] = scree_rng_below(rng, 2) == 1;
        length[k] = box.periodic[k] ? box.upper[k] : 0.0;
        if (!box.periodic[k]) {
            box.lower[k] = -INFINITY;
            box.upper[k] = INFINITY;
        }
    }
    return box;
}
