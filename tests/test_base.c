// base: status, memory, arrays, random numbers, parallel_for, numbers as text.
#include "support.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/pair_sort.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "scree/index.h"

#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void message_and_status_are_one_act(void** state)
{
    (void)state;
    assert_int_equal(scree_fail(SCREE_ERR_IO, "file %s: %d", "a.csv", 7), SCREE_ERR_IO);
    assert_string_equal(scree_error_message(), "file a.csv: 7");
    // The old message may be an argument of the new one.
    scree_fail(SCREE_ERR_IO, "%s, again", scree_error_message());
    assert_string_equal(scree_error_message(), "file a.csv: 7, again");
}

static void long_message_is_cut_with_dots(void** state)
{
    (void)state;
    char long_text[5000];
    memset(long_text, 'a', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    scree_fail(SCREE_ERR_IO, "%s", long_text);
    size_t length = strlen(scree_error_message());
    assert_true(length > 1000 && length < sizeof long_text - 1);
    assert_string_equal(scree_error_message() + length - 4, "a...");
}

static void version_is_that_of_the_header(void** state)
{
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR, SCREE_VERSION_PATCH);
    assert_string_equal(scree_version(), text);
}

static void nth_allocation_fails_once(void** state)
{
    (void)state;
    scree_memory_fail_at(2);
    void* first = scree_malloc(10, 1);
    void* second = scree_malloc(10, 1);
    void* third = scree_calloc(10, 1);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    assert_non_null(strstr(scree_error_message(), "out of memory"));
    assert_int_equal(scree_memory_fail_at(0), 3);
    scree_free(first);
    scree_free(third);
    scree_free(NULL);
}

static void impossible_sizes_are_refused(void** state)
{
    (void)state;
    assert_null(scree_malloc(SIZE_MAX / 2, 4));
    assert_null(scree_calloc(SIZE_MAX, 8));
    char* block = scree_malloc(3, 1);
    memcpy(block, "ab", 3);
    assert_null(scree_realloc(block, SIZE_MAX, 2));
    assert_string_equal(block, "ab");  // still there
    scree_free(block);
    void* nothing = scree_malloc(0, 8);
    assert_non_null(nothing);
    scree_free(nothing);
}

// What a message calls free is what this process may still have.
static void a_limit_on_memory_counts(void** state)
{
    (void)state;
    enum { left = 48 << 20 };
    unsigned long long pages = 0;
    struct rlimit before, limit;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        skip();
    assert_int_equal(fscanf(file, "%llu", &pages), 1);
    fclose(file);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = (rlim_t)(pages * (unsigned long long)sysconf(_SC_PAGESIZE) + left);
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    size_t room = scree_memory_room();
    void* block = scree_malloc(200 << 20, 1);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(room <= left && room > left / 2);
    assert_null(block);
    assert_non_null(strstr(scree_error_message(), "209715200"));
    unsigned long long shown = strtoull(strstr(scree_error_message(), ", and ") + 6, NULL, 10);
    assert_true(shown <= left);
}

static void array_grows_and_keeps(void** state)
{
    (void)state;
    int32_t* data = NULL;
    int64_t capacity = 0;
    for (int32_t i = 0; i < 10000; ++i) {
        CHECK_OK(SCREE_RESERVE(data, capacity, i + 1));
        data[i] = i;
    }
    for (int32_t i = 0; i < 10000; ++i)
        assert_int_equal(data[i], i);
    scree_memory_fail_at(1);
    int64_t before = capacity;
    assert_int_equal(SCREE_RESERVE(data, capacity, capacity + 1), SCREE_ERR_MEMORY);
    scree_memory_fail_at(0);
    assert_int_equal(capacity, before);
    assert_int_equal(data[9999], 9999);
    scree_free(data);
}

// The known answers that come with the paper's own code: key and counter of zeros, of ones, and of digits of pi.
static void philox_gives_the_published_answers(void** state)
{
    (void)state;
    static const struct {
        uint32_t key[2], counter[4], answer[4];
    } known[] = {
        {{0, 0}, {0, 0, 0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u}, {~0u, ~0u, ~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0xa4093822, 0x299f31d0},
         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t t = 0; t < sizeof known / sizeof *known; ++t) {
        scree_rng rng = {.left = 0};
        memcpy(rng.key, known[t].key, sizeof rng.key);
        memcpy(rng.counter, known[t].counter, sizeof rng.counter);
        uint64_t low = scree_rng_bits(&rng), high = scree_rng_bits(&rng);
        assert_int_equal((uint32_t)low, known[t].answer[0]);
        assert_int_equal((uint32_t)(low >> 32), known[t].answer[1]);
        assert_int_equal((uint32_t)high, known[t].answer[2]);
        assert_int_equal((uint32_t)(high >> 32), known[t].answer[3]);
    }
}

static void streams_are_reproducible_and_apart(void** state)
{
    (void)state;
    scree_rng a = scree_rng_make(7, 0), again = scree_rng_make(7, 0), b = scree_rng_make(7, 1), c = scree_rng_make(8, 0);
    int equal_b = 0, equal_c = 0;
    for (int k = 0; k < 1000; ++k) {
        uint64_t bits = scree_rng_bits(&a);
        assert_int_equal(bits, scree_rng_bits(&again));
        equal_b += bits == scree_rng_bits(&b);
        equal_c += bits == scree_rng_bits(&c);
    }
    assert_int_equal(equal_b + equal_c, 0);
}

static void uniform_numbers_are_uniform(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(3, 0);
    enum { n = 200000 };
    double sum = 0.0, square = 0.0;
    int64_t bins[10] = {0};
    for (int k = 0; k < n; ++k) {
        double u = scree_rng_uniform(&rng);
        assert_true(u >= 0.0 && u < 1.0);
        sum += u;
        square += u * u;
        ++bins[(int)(10.0 * u)];
    }
    CHECK_CLOSE(sum / n, 0.5, 4.0 * sqrt(1.0 / 12.0 / n));          // four standard deviations
    CHECK_CLOSE(square / n, 1.0 / 3.0, 4.0 * sqrt(4.0 / 45.0 / n));
    for (int b = 0; b < 10; ++b)
        CHECK_CLOSE((double)bins[b] / n, 0.1, 4.5 * sqrt(0.09 / n));

    int64_t die[6] = {0};
    for (int k = 0; k < n; ++k)
        ++die[scree_rng_below(&rng, 6)];
    for (int b = 0; b < 6; ++b)
        CHECK_CLOSE((double)die[b] / n, 1.0 / 6.0, 4.5 * sqrt(5.0 / 36.0 / n));
    assert_int_equal(scree_rng_below(&rng, 0), 0);
    assert_int_equal(scree_rng_below(&rng, 1), 0);
}

typedef struct squares {
    int64_t out[1000];
    int64_t fail_from;
} squares;

static scree_status square(void* context, int64_t c)
{
    squares* s = context;
    if (c >= s->fail_from && c % 7 == 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "chunk %d", (int)c);
    s->out[c] += c * c;
    return SCREE_OK;
}

static void parallel_for_runs_each_chunk_once(void** state)
{
    (void)state;
    for (int32_t threads = 0; threads <= 7; ++threads) {
        squares s = {.fail_from = INT64_MAX};
        CHECK_OK(scree_parallel_for(threads, 1000, square, &s, NULL));
        for (int64_t c = 0; c < 1000; ++c)
            assert_int_equal(s.out[c], c * c);
    }
    squares none = {.fail_from = INT64_MAX};
    CHECK_OK(scree_parallel_for(4, 0, square, &none, NULL));
}

static void parallel_for_tells_the_lowest_failure(void** state)
{
    (void)state;
    for (int32_t threads = 1; threads <= 7; ++threads)
        for (int repeat = 0; repeat < 20; ++repeat) {
            squares s = {.fail_from = 100};
            CHECK_FAILS(scree_parallel_for(threads, 1000, square, &s, NULL), SCREE_ERR_ARGUMENT, "chunk 101");
            for (int64_t c = 0; c < 101; ++c)
                assert_int_equal(s.out[c], c * c);
        }
}

static bool stop_at_half(void* context, double done)
{
    double* last = context;
    *last = done;
    return done < 0.5;
}

static void parallel_for_reports_and_stops(void** state)
{
    (void)state;
    for (int32_t threads = 1; threads <= 3; ++threads) {
        squares s = {.fail_from = INT64_MAX};
        double last = -1.0;
        scree_watch watch = {.tick = stop_at_half, .context = &last};
        scree_status status = scree_parallel_for(threads, 1000, square, &s, &watch);
        // With several threads the caller may have had no chunk of the second half.
        assert_true(status == SCREE_ERR_CANCELLED || (threads > 1 && status == SCREE_OK));
        if (threads == 1)
            CHECK_CLOSE(last, 0.5, 0.01);
    }
}

typedef struct slow_work {
    _Atomic int64_t done;
    bool wrong_thread;
} slow_work;

static _Thread_local int here;  // has another address on each thread
static const int* caller;

static scree_status work_slowly(void* context, int64_t c)
{
    (void)c;
    slow_work* work = context;
    double until = scree_clock() + 20e-6;
    while (scree_clock() < until)
        ;
    atomic_fetch_add(&work->done, 1);
    return SCREE_OK;
}

static bool stop_at_once(void* context, double done)
{
    (void)done;
    ((slow_work*)context)->wrong_thread = ((slow_work*)context)->wrong_thread || &here != caller;
    return false;
}

// All threads stop soon after the watch says so, and the watch is only asked on the caller's.
static void parallel_for_stops_all_threads(void** state)
{
    (void)state;
    for (int32_t threads = 2; threads <= 4; ++threads) {
        slow_work work = {.done = 0};
        caller = &here;
        scree_watch watch = {.tick = stop_at_once, .context = &work};
        CHECK_FAILS(scree_parallel_for(threads, 200000, work_slowly, &work, &watch), SCREE_ERR_CANCELLED);
        assert_false(work.wrong_thread);
        assert_true(atomic_load(&work.done) < 200000);
    }
}

static scree_status square_inside(void* context, int64_t c)
{
    squares* rows = context;
    return scree_parallel_for(2, 1000, square, &rows[c], NULL);
}

static void check_squares(const squares* s, int64_t times)
{
    for (int64_t c = 0; c < 1000; ++c)
        if (s->out[c] != times * c * c)
            fail_msg("chunk %d: %lld, not %d times its square", (int)c, (long long)s->out[c], (int)times);
}

static void parallel_for_inside_another(void** state)
{
    (void)state;
    static squares rows[8];
    for (int k = 0; k < 8; ++k)
        rows[k] = (squares){.fail_from = INT64_MAX};
    CHECK_OK(scree_parallel_for(3, 8, square_inside, rows, NULL));
    for (int k = 0; k < 8; ++k)
        check_squares(&rows[k], 1);
}

static void* loop_many_times(void* context)
{
    for (int k = 0; k < 300; ++k)
        if (scree_parallel_for(1 + k % 4, 1000, square, context, NULL) != SCREE_OK)
            return context;
    return NULL;
}

// One pool, several threads of the user's program that want it at once.
static void parallel_for_from_many_threads(void** state)
{
    (void)state;
    static squares own[4];
    pthread_t threads[4];
    for (int k = 0; k < 4; ++k) {
        own[k] = (squares){.fail_from = INT64_MAX};
        assert_int_equal(pthread_create(&threads[k], NULL, loop_many_times, &own[k]), 0);
    }
    for (int k = 0; k < 4; ++k) {
        void* failed;
        assert_int_equal(pthread_join(threads[k], &failed), 0);
        assert_null(failed);
        check_squares(&own[k], 300);
    }
}

// The child of a fork has none of the helpers, and makes its own.
static void parallel_for_after_a_fork(void** state)
{
    (void)state;
    squares s = {.fail_from = INT64_MAX};
    CHECK_OK(scree_parallel_for(3, 1000, square, &s, NULL));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        s = (squares){.fail_from = INT64_MAX};
        bool right = loop_many_times(&s) == NULL;
        for (int64_t c = 0; c < 1000; ++c)
            right = right && s.out[c] == 300 * c * c;
        _exit(right ? 0 : 1);
    }
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
}

static double read_number(const char* text)
{
    double value = -12345.0;
    assert_true(scree_number_parse(text, text + strlen(text), &value));
    return value;
}

static void numbers_are_read_as_strtod_reads_them(void** state)
{
    (void)state;
    static const char* const texts[] = {"0",       "-0",      "1",        "+1.5",     ".5",      "5.",      "1e3",
                                        "1E-3",    "-2.5e+2", "0.1",      "123456789012345678", "1e22", "1e23",
                                        "9007199254740993", "1.7976931348623157e308", "4.9e-324", "1e-400", "1e400",
                                        "3.14159265358979323846264338327950288", "0.000000000000000000000000000001"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
        double value = read_number(texts[t]), reference = strtod(texts[t], NULL);
        assert_memory_equal(&value, &reference, sizeof value);
    }
    assert_true(isnan(read_number("nan")) && isinf(read_number("-inf")));
    static const char* const wrong[] = {"", " 1", "1 ", "1,5", "one", "1e", "--1", "0x10", "1.2.3", "e5", ".", "-", "1d3", "nan(1)"};
    for (size_t t = 0; t < sizeof wrong / sizeof *wrong; ++t) {
        double value;
        if (scree_number_parse(wrong[t], wrong[t] + strlen(wrong[t]), &value))
            fail_msg("'%s' was read as %g", wrong[t], value);
    }
}

static void numbers_come_back_with_the_same_bits(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(11, 0);
    int64_t rounds = (int64_t)(200000 * test_effort());
    for (int64_t k = 0; k < rounds; ++k) {
        uint64_t bits = scree_rng_bits(&rng);
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (k % 2 == 0)
            value = scree_rng_uniform(&rng) * 100.0;
        if (k % 16 == 1)
            value = (double)(bits >> 44) / 1000.0;
        if (!isfinite(value))
            continue;
        char text[32];
        int length = scree_number_format(text, value);
        assert_true(length > 0 && length <= 24 && text[length] == '\0');
        assert_true(scree_number_parse(text, text + length, &back));
        if (memcmp(&value, &back, sizeof value) != 0 || strtod(text, NULL) != value)
            fail_msg("round %lld: %.17g was written as %s and read as %.17g", (long long)k, value, text, back);
    }
    char text[32];
    scree_number_format(text, 0.1);
    assert_string_equal(text, "0.1");
    scree_number_format(text, -1e-7);
    assert_string_equal(text, "-1e-07");
}

static void a_decimal_comma_changes_nothing(void** state)
{
    (void)state;
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL)
        skip();
    char text[32];
    scree_number_format(text, 1.5);
    double value = read_number("1.50000000000000000000001");
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "1.5");
    assert_true(value == 1.5);
}

typedef struct pair_with_image {
    int32_t ij[2];
    int8_t shift[3];
} pair_with_image;

static int compare_pairs(const void* a, const void* b)
{
    const pair_with_image *p = a, *q = b;
    for (int k = 0; k < 2; ++k)
        if (p->ij[k] != q->ij[k])
            return p->ij[k] < q->ij[k] ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (p->shift[k] != q->shift[k])
            return p->shift[k] < q->shift[k] ? -1 : 1;
    return 0;
}

// Against qsort, for any number of threads; with and without images and rows. Enough pairs for several blocks, and numbers that have no pair.
static void pairs_are_sorted_as_by_qsort(void** state)
{
    (void)state;
    enum { most = 70000 };
    pair_with_image* wanted = malloc(most * sizeof *wanted);
    int32_t(*ij)[2] = malloc(most * sizeof *ij);
    int8_t(*shift)[3] = malloc(most * sizeof *shift);
    uint64_t* keys = malloc(most * sizeof *keys);
    scree_rng rng = scree_rng_make(61, 0);
    for (int t = 0; t < 8; ++t) {
        int32_t n = (const int32_t[]){0, 1, 700, 3000}[t % 4];
        int64_t count = n == 0 ? 0 : t < 4 ? 300 : most;
        bool with_shift = t % 2 == 0 || t == 3;
        for (int64_t p = 0; p < count; ++p) {
            wanted[p] = (pair_with_image){.ij = {(int32_t)scree_rng_below(&rng, (uint64_t)n), (int32_t)scree_rng_below(&rng, INT32_MAX)}};
            if (scree_rng_below(&rng, 2) == 0)
                wanted[p].ij[1] = (int32_t)scree_rng_below(&rng, 20);
            for (int k = 0; k < 3 && with_shift; ++k)
                wanted[p].shift[k] = (int8_t)((int)scree_rng_below(&rng, 5) - 2);
        }
        for (int64_t p = 0; p < count; ++p) {
            memcpy(ij[p], wanted[p].ij, sizeof *ij);
            memcpy(shift[p], wanted[p].shift, sizeof *shift);
        }
        qsort(wanted, (size_t)count, sizeof *wanted, compare_pairs);
        int64_t *place = malloc((size_t)scree_pair_sort_places(n) * sizeof *place), *rows = malloc(((size_t)n + 1) * sizeof *rows);
        pair_sort pairs = {.count = count, .n = n, .ij = ij, .shift = with_shift ? shift : NULL, .keys = keys, .place = place, .rows = t % 3 == 0 ? NULL : rows};
        CHECK_OK(scree_sort_pairs(&pairs, 1 + t % 3, NULL));
        for (int64_t p = 0; p < count; ++p) {
            assert_memory_equal(ij[p], wanted[p].ij, sizeof *ij);
            assert_true(!with_shift || memcmp(shift[p], wanted[p].shift, sizeof *shift) == 0);
            if (pairs.rows != NULL)
                assert_true(p >= rows[ij[p][0]] && p < rows[ij[p][0] + 1]);
        }
        if (pairs.rows != NULL)
            assert_true(rows[0] == 0 && rows[n] == count);
        free(place);
        free(rows);
    }
    free(wanted);
    free(ij);
    free(shift);
    free(keys);
}

static void clock_does_not_run_back(void** state)
{
    (void)state;
    double before = scree_clock();
    for (int k = 0; k < 1000; ++k) {
        double now = scree_clock();
        assert_true(now >= before);
        before = now;
    }
}

// Control characters, the C1 ones too, and bytes that are not UTF-8 do not get into a message; other characters do.
static void messages_hold_plain_text(void** state)
{
    (void)state;
    static const struct {
        const char *given, *wanted;
    } texts[] = {
        {"a b~", "a b~"},
        {"\x1b]0;title\x07", "?]0;title?"},
        {"two\nlines\tand\r\x7f", "two?lines?and??"},
        {"\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0", "???\xC2\xA0"},
        {"\x9b" "31m\xff", "?31m?"},
        {"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
        {"\xC0\x9B\xE0\x80\x9B\xED\xA0\x80\xF4\x90\x80\x80", "????????????"},  // too long a form, a surrogate, beyond the last
        {"cut \xE2\x82", "cut ??"},
        {"\xEF\xBF\xBF\xEF\xBF\xBD", "?\xEF\xBF\xBD"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        assert_int_equal(scree_fail(SCREE_ERR_IO, "%s", texts[k].given), SCREE_ERR_IO);
        assert_string_equal(scree_error_message(), texts[k].wanted);
        char text[64];
        strcpy(text, texts[k].given);
        assert_int_equal(scree_text_clean(text, strlen(text)), strlen(texts[k].wanted));
        assert_string_equal(text, texts[k].wanted);
    }
    char text[] = {'a', '\0', 'b', 'c'};  // a 0 is a control character like any other, and what follows `length` is left alone
    assert_int_equal(scree_text_clean(text, 3), 3);
    assert_memory_equal(text, "a?bc", 4);
}

// Keys with many equal ones, and with few digits that differ: the words tell whether equal keys kept their order.
static void keys_are_sorted_alike_on_any_number_of_threads(void** state)
{
    (void)state;
    enum { n = 150000 };
    int64_t *key = malloc(n * sizeof *key), *spare = malloc(n * sizeof *spare), *wanted = malloc(n * sizeof *wanted);
    uint32_t *word = malloc(n * sizeof *word), *spare_word = malloc(n * sizeof *word), *wanted_word = malloc(n * sizeof *word);
    for (int kind = 0; kind < 3; ++kind)
        for (int32_t threads = 1; threads <= 7; threads += 2) {
            scree_rng rng = scree_rng_make(5, (uint64_t)kind);
            for (uint32_t i = 0; i < n; ++i) {
                uint64_t bits = scree_rng_bits(&rng);
                key[i] = wanted[i] = kind == 0 ? (int64_t)bits : kind == 1 ? (int64_t)(bits % 1000) << 40 : (int64_t)(bits % 7) - 3;
                word[i] = wanted_word[i] = i;
            }
            scree_sort_with(wanted, wanted_word, spare, spare_word, n);
            CHECK_OK(scree_sort_with_threads(threads, key, word, spare, spare_word, n));
            assert_memory_equal(key, wanted, n * sizeof *key);
            assert_memory_equal(word, wanted_word, n * sizeof *word);
            for (int i = 1; i < n; ++i)
                assert_true(key[i - 1] < key[i] || (key[i - 1] == key[i] && word[i - 1] < word[i]));
        }
    scree_memory_fail_at(1);
    assert_int_equal(scree_sort_with_threads(3, key, word, spare, spare_word, n), SCREE_ERR_MEMORY);
    scree_memory_fail_at(0);
    free(key);
    free(spare);
    free(wanted);
    free(word);
    free(spare_word);
    free(wanted_word);
}

// ---- The caller's memory and threads -----------------------------------------------------------------------------------------

typedef struct counts {
    _Atomic int64_t taken, returned, odd;
} counts;

// Blocks begin 64 bytes behind what malloc would give, so that one that goes to the wrong place is noticed.
static void* count_allocate(void* context, size_t bytes, size_t alignment)
{
    counts* c = context;
    c->odd += alignment > 64 || (alignment & (alignment - 1)) != 0;
    ++c->taken;
    size_t* block = aligned_alloc(64, (bytes + 64 + 63) / 64 * 64);
    assert_non_null(block);
    *block = bytes;
    return (char*)block + 64;
}

static void count_release(void* context, void* block)
{
    ++((counts*)context)->returned;
    free((char*)block - 64);
}

static void* count_resize(void* context, void* block, size_t bytes)
{
    void* moved = count_allocate(context, bytes, 64);
    size_t before = *(size_t*)((char*)block - 64);
    memcpy(moved, block, before < bytes ? before : bytes);
    count_release(context, block);
    return moved;
}

enum { hooked = 3000 };

static uint64_t search_hash(int32_t threads)
{
    static double x[3 * hooked], r[hooked];
    scree_rng rng = scree_rng_make(5, 0);
    for (int i = 0; i < hooked; ++i) {
        r[i] = 0.5 + scree_rng_uniform(&rng);
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = 20.0 * scree_rng_uniform(&rng);
    }
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    scree_pairs pairs;
    def.sorted = true;
    def.threads = threads;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = hooked, .dim = 3, .x = x, .r = r}));
    CHECK_OK(scree_index_pairs(index, &pairs));
    uint64_t hash = (uint64_t)pairs.count;
    assert_true(pairs.count > 1000);
    for (int64_t p = 0; p < pairs.count; ++p)
        hash = hash * 1000003 + (uint64_t)pairs.ij[p][0] * hooked + (uint64_t)pairs.ij[p][1];
    scree_index_destroy(index);
    return hash;
}

static void memory_of_the_caller(void** state)
{
    (void)state;
    counts c = {0};
    scree_allocator mine = {.allocate = count_allocate, .resize = count_resize, .release = count_release, .context = &c}, less = mine;
    uint64_t wanted = search_hash(2);
    assert_int_equal(scree_memory_held(), 0);
    less.resize = NULL;
    CHECK_FAILS(scree_set_allocator(&less), SCREE_ERR_ARGUMENT, "resize");
    void* block = scree_malloc(3, 5);
    assert_int_equal(scree_memory_held(), 1);
    CHECK_FAILS(scree_set_allocator(&mine), SCREE_ERR_ARGUMENT, "1 blocks");
    scree_free(block);
    CHECK_OK(scree_set_allocator(&mine));
    assert_true(search_hash(2) == wanted);
    char* zeroed = scree_calloc(100, 100);
    for (int k = 0; k < 10000; ++k)
        assert_int_equal(zeroed[k], 0);
    zeroed[9999] = 7;
    zeroed = scree_realloc(zeroed, 200, 100);
    assert_int_equal(zeroed[9999], 7);
    scree_memory_fail_at(1);
    assert_null(scree_malloc(1, 1));
    scree_memory_fail_at(0);
    assert_int_equal(scree_memory_held(), 1);
    CHECK_FAILS(scree_set_allocator(NULL), SCREE_ERR_ARGUMENT, "1 blocks");
    scree_free(zeroed);
    assert_true(c.taken > 10 && c.taken == c.returned && c.odd == 0);
    CHECK_OK(scree_set_allocator(NULL));
    int64_t before = c.taken;
    assert_true(search_hash(2) == wanted && c.taken == before);
}

typedef struct lending {
    int32_t calls, most;  // of `run`, and threads that it was asked for
    bool absent;          // does nothing
    void (*work)(void* data);
    void* data;
} lending;

static void* lend_one(void* context)
{
    const lending* l = context;
    l->work(l->data);
    return NULL;
}

static void lend(void* context, int32_t threads, void (*work)(void* data), void* data)
{
    lending* l = context;
    pthread_t thread[8];
    int32_t count = threads - 1 < 8 ? threads - 1 : 8;
    ++l->calls;
    l->most = threads > l->most ? threads : l->most;
    if (l->absent)
        return;
    l->work = work;
    l->data = data;
    for (int32_t t = 0; t < count; ++t)
        assert_int_equal(pthread_create(&thread[t], NULL, lend_one, l), 0);
    work(data);
    for (int32_t t = 0; t < count; ++t)
        pthread_join(thread[t], NULL);
}

static void threads_of_the_caller(void** state)
{
    (void)state;
    uint64_t wanted = search_hash(3);
    CHECK_FAILS(scree_set_tasks(&(scree_tasks){0}), SCREE_ERR_ARGUMENT, "run");
    assert_null(scree_get_tasks());
    for (int absent = 0; absent < 2; ++absent) {
        lending l = {.absent = absent == 1};
        scree_tasks mine = {.run = lend, .context = &l};
        CHECK_OK(scree_set_tasks(&mine));
        assert_true(scree_get_tasks()->context == &l);
        assert_true(search_hash(3) == wanted);
        assert_true(l.calls > 0 && l.most == 3);
        squares s = {.fail_from = INT64_MAX};
        CHECK_OK(scree_parallel_for(4, 1000, square, &s, NULL));
        squares bad = {.fail_from = 100};
        CHECK_FAILS(scree_parallel_for(4, 1000, square, &bad, NULL), SCREE_ERR_ARGUMENT, "chunk 101");
        CHECK_OK(scree_set_tasks(NULL));
        int32_t calls = l.calls;
        assert_true(search_hash(3) == wanted && l.calls == calls);
    }
}

static const test_case cases[] = {
    THREADS(keys_are_sorted_alike_on_any_number_of_threads),
    UNIT(messages_hold_plain_text),
    UNIT(message_and_status_are_one_act),
    UNIT(long_message_is_cut_with_dots),
    UNIT(version_is_that_of_the_header),
    ALLOCATION(nth_allocation_fails_once),
    UNIT(impossible_sizes_are_refused),
    UNIT(a_limit_on_memory_counts),
    ALLOCATION(array_grows_and_keeps),
    SAME_BITS(philox_gives_the_published_answers),
    SAME_BITS(streams_are_reproducible_and_apart),
    UNIT(uniform_numbers_are_uniform),
    THREADS(parallel_for_runs_each_chunk_once),
    ALLOCATION(parallel_for_tells_the_lowest_failure),
    THREADS(parallel_for_reports_and_stops),
    SAME_BITS(parallel_for_stops_all_threads),
    THREADS(parallel_for_inside_another),
    THREADS(parallel_for_from_many_threads),
    THREADS(parallel_for_after_a_fork),
    UNIT(memory_of_the_caller),
    THREADS(threads_of_the_caller),
    UNIT(numbers_are_read_as_strtod_reads_them),
    SAME_BITS(numbers_come_back_with_the_same_bits),
    UNIT(a_decimal_comma_changes_nothing),
    UNIT(clock_does_not_run_back),
    THREADS(pairs_are_sorted_as_by_qsort),
};

const test_group group_base = {.name = "base", .cases = cases, .count = sizeof cases / sizeof *cases};
