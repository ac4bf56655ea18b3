// scree_tests [GROUP [LABEL]] [-k PART]: runs all cases, those of a group, or those of a group that have a label; with -k only those
// with this part in their names. `scree_tests --list` writes group, label and name of each case. Prints how long each case took.
#include "support.h"

#include "device_everywhere.h"

#include "base/clock.h"

#include <time.h>

#define GROUP(name) extern const test_group group_##name;
#include "groups.h"
#undef GROUP

static const test_group* const groups[] = {
#define GROUP(name) &group_##name,
#include "groups.h"
#undef GROUP
};

static const char* const label_names[TEST_LABELS] = {"unit", "property", "threads", "same-bits", "allocation"};

static const test_group* running;
static double began;

static int begin_case(void** state)
{
    const test_case* test = *state;
    test_group_name = running->name;
    test_case_name = test->name;
    began = scree_clock();
    return running->before_each == NULL ? 0 : running->before_each(state);
}

// Once, and if it computes what a device can do, again on one.
static void run_case(void** state)
{
    const test_case* test = *state;
    const bool alone = strncmp(running->name, "device", 6) == 0 || strcmp(running->name, "hashes") == 0 || test->label == TEST_ALLOCATION;  // they compare by themselves
    if (!alone)
        everywhere_begin();
    test->run(state);
    if (everywhere_repeat((size_t)(test - running->cases))) {
        clock_t begin = clock();
        if (running->before_each != NULL)
            assert_int_equal(running->before_each(state), 0);
        test->run(state);
        everywhere_compare_end();
        printf("%8.3f s  %s %s %s on the device\n", (double)(clock() - begin) / CLOCKS_PER_SEC, running->name, label_names[test->label], test->name);
    }
}

static int end_case(void** state)
{
    const test_case* test = *state;
    everywhere_end();
    printf("%8.3f s  %s %s %s\n", scree_clock() - began, running->name, label_names[test->label], test->name);
    fflush(stdout);
    return 0;
}

// How many cases fail; those that are run are added to *ran.
static int run_group(const test_group* group, const char* label, const char* part, size_t* ran)
{
    struct CMUnitTest* tests = calloc(group->count + 1, sizeof *tests);
    size_t count = 0;
    for (size_t k = 0; k < group->count; ++k) {
        const test_case* test = &group->cases[k];
        if ((label == NULL || strcmp(label, label_names[test->label]) == 0) && (part == NULL || strstr(test->name, part) != NULL))
            tests[count++] = (struct CMUnitTest){.name = test->name, .test_func = run_case, .setup_func = begin_case,
                                                 .teardown_func = end_case, .initial_state = (void*)(uintptr_t)test};
    }
    running = group;
    int failed = count == 0 ? 0 : _cmocka_run_group_tests(group->name, tests, count, group->begin, group->end);
    *ran += count;
    free(tests);
    return failed;
}

int main(int argc, char** argv)
{
    const char *name = NULL, *label = NULL, *part = NULL;
    for (int k = 1; k < argc; ++k)
        if (strcmp(argv[k], "--list") == 0) {
            for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
                for (size_t c = 0; c < groups[g]->count; ++c)
                    printf("%s %s %s\n", groups[g]->name, label_names[groups[g]->cases[c].label], groups[g]->cases[c].name);
            return 0;
        } else if (strcmp(argv[k], "-k") == 0 && k + 1 < argc)
            part = argv[++k];
        else if (name == NULL)
            name = argv[k];
        else if (label == NULL)
            label = argv[k];
    int failed = 0;
    size_t ran = 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        if (name == NULL || strcmp(name, groups[g]->name) == 0)
            failed += run_group(groups[g], label, part, &ran) + !everywhere_report(groups[g]->name, part == NULL ? label : NULL);
    if (ran == 0) {
        fprintf(stderr, "scree_tests: no such case; scree_tests --list shows all\n");
        return 2;
    }
    return failed != 0;
}
