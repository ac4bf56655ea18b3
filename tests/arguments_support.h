// One of everything, and checks of calls with NULL.
#ifndef SCREE_TESTS_ARGUMENTS_SUPPORT_H
#define SCREE_TESTS_ARGUMENTS_SUPPORT_H

#include "file_support.h"

#include "scree/scree.h"

// ---- One of everything ---------------------------------------------------------------------------------------------------

static const double centres[] = {0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 3.0, 0.0, 0.0}, radii[] = {1.0, 1.0, 1.0};
static const double square_xy[] = {0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0}, point[3] = {0.5, 0.5, 0.5};

static const char scene_text[] = "dimension: 2\nbox: {size: [10, 10]}\nspheres: {count: 3, sizes: mono:0.5, place: random}\n"
                                 "contact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 10}\n";
static const scree_spheres spheres = {.count = 3, .dim = 3, .x = centres, .r = radii};
static const scree_polygon square = {.count = 4, .xy = square_xy};

static inline scree_index* index_of_three(void)
{
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, spheres));
    return index;
}

static inline scree_sim* sim_of_three(void)
{
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_open(3);
    def.stiffness = 1e3;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, spheres, NULL, &sim));
    return sim;
}

static inline scree_polygon_sim* polygon_sim_of_one(scree_shapes* shapes, scree_body* body)
{
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = 1e3;
    scree_polygon_sim* sim;
    CHECK_OK(scree_shapes_add(shapes, square, &body->shape));
    CHECK_OK(scree_polygon_sim_create(&def, shapes, 1, body, &sim));
    return sim;
}

static inline bool is_zero(const void* bytes, size_t count)
{
    const unsigned char* b = bytes;
    for (size_t k = 0; k < count; ++k)
        if (b[k] != 0)
            return false;
    return true;
}

// REFUSES(function, arguments, parameter): the call fails and names both.
#define REFUSES(function, arguments, parameter) CHECK_FAILS(function arguments, SCREE_ERR_ARGUMENT, #function, parameter, "NULL")

// The same, and `out`, full of rubbish before, is zeroed afterwards.
#define EMPTIES(out, function, arguments, parameter)                                                                   \
    do {                                                                                                               \
        memset(&(out), 0xA5, sizeof(out));                                                                             \
        REFUSES(function, arguments, parameter);                                                                       \
        assert_true(is_zero(&(out), sizeof(out)));                                                                     \
    } while (0)

// A function without a status gives `expression`, and the message names function and parameter.
#define ANSWERS(function, expression, parameter)                                                                       \
    do {                                                                                                               \
        scree_fail(SCREE_OK, "none");                                                                                  \
        assert_true(expression);                                                                                       \
        if (!message_names(#function) || !message_names(parameter " | NULL"))                                         \
            fail_msg("%s:%d: %s: the message is \"%s\"", __FILE__, __LINE__, #function, scree_error_message());        \
    } while (0)

// A function that gives nothing back only leaves its message.
#define IGNORES(function, arguments, parameter) ANSWERS(function, (function arguments, true), parameter)

#endif
