// Lists of single spheres for callers that move them one at a time (rearrangement, event-driven growth, users): rows (near_rows.c) above an index that holds
// reference points.
//
//     reference of i  o - - -> x  where i is now          i's list: all j whose *reference point* has a gap below that of the index, gap + skin, to
//                      \                                  i's. A sphere farther than skin/2 from its reference point gets a new one, and
//     reference of j    o -> x  where j is now            with it a new list.
//
// Two spheres that are not in each other's lists have reference points at least gap + skin apart, and neither is more than skin/2 away from its own: so they are
// no pair. The rule of Raschdorf and Kolonko (2011, section 2) compares a sphere where it is with others where they are, which is not safe: j may stand skin/2 beyond its own
// reference point when i's list is made, and come back by a skin before its own is due. The index is touched at refreshes only.
//
// Cost: a move inside the skin is free; a refresh is one move and one question to the index, and O(row) for rows. All lists: that of the search for pairs, and
// O(pairs). The wrong choice where all spheres move at each step (candidates.c) or where most moves are longer than the skin.
#include "index/index_inner.h"
#include "index/near_rows.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/sort.h"
#include "geom/length.h"

#include <inttypes.h>
#include <math.h>

enum { most_images = 7, image_bits = 12 };

struct scree_neighbour_lists {
    scree_index* index;
    int32_t images, threads;
    bool steady, held, failed;
    double skin, limit;  // limit: how far a sphere may be from its reference point
    int64_t builds, refreshes;
    near_rows rows;
    int32_t *j, *image;  // scratch of a refresh
    uint64_t* keys;
    int64_t j_capacity, image_capacity, key_capacity;
};

// ---- Life ----------------------------------------------------------------------------------------------------------

SCREE_DEFAULTS_OF(scree_neighbour_lists_def, scree_default_neighbour_lists_def)
{
    return (scree_neighbour_lists_def){.struct_size = sizeof(scree_neighbour_lists_def), .images = most_images};
}

scree_status scree_neighbour_lists_create(const scree_neighbour_lists_def* def, scree_neighbour_lists** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    scree_status status = scree_check_struct_size("neighbour lists", "scree_default_neighbour_lists_def", def->struct_size, sizeof *def, sizeof *def);
    if (status != SCREE_OK)
        return status;
    if (def->index == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "neighbour lists: def.index is NULL; expected an index");
    if (def->images < 1 || def->images > most_images)
        return scree_fail(SCREE_ERR_ARGUMENT, "neighbour lists: images up to %" PRId32 " boxes away; expected 1 to %d", def->images, (int)most_images);
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "neighbour lists: %" PRId32 " threads; expected 0 for all cores, or more", def->threads);
    scree_neighbour_lists* lists = scree_calloc(1, sizeof *lists);
    if (lists == NULL)
        return SCREE_ERR_MEMORY;
    lists->index = def->index;
    lists->images = def->images;
    lists->threads = def->threads;
    lists->steady = def->steady;
    lists->rows.sorted = def->sorted;
    *out = lists;
    return SCREE_OK;
}

void scree_neighbour_lists_destroy(scree_neighbour_lists* lists)
{
    if (lists == NULL)
        return;
    near_rows_free(&lists->rows);
    scree_free(lists->j);
    scree_free(lists->image);
    scree_free(lists->keys);
    scree_free(lists);
}

// ---- All lists -----------------------------------------------------------------------------------------------------

scree_status scree_neighbour_lists_make(scree_neighbour_lists* lists, double skin)
{
    SCREE_NEED(lists);
    lists->held = false;
    lists->failed = true;
    if (!scree_is_length(skin) || skin < 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "neighbour lists: a skin of %g; expected 0 or more", skin);
    scree_pairs pairs;
    scree_status status = scree_index_pairs(lists->index, &pairs);
    if (status == SCREE_OK)
        status = near_rows_make(&lists->rows, scree_index_get_count(lists->index), &pairs, lists->images, lists->steady, lists->threads);
    if (status != SCREE_OK)
        return status;
    lists->skin = skin;
    lists->limit = 0.5 * fmax(skin - list_rounding(&lists->index->it), 0.0);
    lists->held = true;
    lists->failed = false;
    ++lists->builds;
    return SCREE_OK;
}

// ---- One list ------------------------------------------------------------------------------------------------------

static scree_status check(const scree_neighbour_lists* lists, int32_t i)
{
    if (!lists->held)
        return scree_fail(SCREE_ERR_ARGUMENT, "neighbour lists: there are none; expected scree_neighbours_make before");
    if (i < 0 || i >= lists->rows.n)
        return scree_fail(SCREE_ERR_ARGUMENT, "neighbour lists: there is no sphere %" PRId32 "; expected 0 or more and less than %" PRId32, i, lists->rows.n);
    return SCREE_OK;
}

static scree_status finish(scree_neighbour_lists* lists, scree_status status)
{
    lists->failed = status != SCREE_OK;
    lists->held = !lists->failed;
    ++lists->refreshes;
    return status;
}

scree_status scree_neighbour_lists_replace(scree_neighbour_lists* lists, int32_t i, int32_t count, const int32_t* j, const int32_t* image,
                                           scree_neighbour_change* change)
{
    SCREE_EMPTY(change);
    SCREE_NEED(lists);
    scree_status status = check(lists, i);
    if (status != SCREE_OK)
        return status;
    if (count < 0 || (count > 0 && (j == NULL || image == NULL)))
        return scree_fail(SCREE_ERR_ARGUMENT, "neighbour lists: %" PRId32 " entries for sphere %" PRId32 "%s; expected 0 or more, with arrays", count, i,
                          count < 0 ? "" : ", and no array");
    status = near_rows_replace(&lists->rows, i, count, j, image, change);
    return status == SCREE_ERR_ARGUMENT ? status : finish(lists, status);  // rejected: nothing has changed
}

// What the index finds near i's new reference point.
static scree_status ask(scree_neighbour_lists* lists, int32_t i, int32_t* count, bool* far)
{
    scree_neighbours near;
    scree_status status = scree_index_neighbours(lists->index, i, &near);
    if (status != SCREE_OK)
        return status;
    if (SCREE_RESERVE(lists->j, lists->j_capacity, near.count + 1) != SCREE_OK ||
        SCREE_RESERVE(lists->image, lists->image_capacity, near.count + 1) != SCREE_OK ||
        SCREE_RESERVE(lists->keys, lists->key_capacity, near.count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    const int32_t most = lists->images;
    int32_t found = 0;
    for (int64_t q = 0; q < near.count; ++q) {
        if (near.j[q] == i)
            continue;
        int32_t image = lists->rows.here;
        if (near.shift != NULL) {
            const int8_t* s = near.shift[q];
            *far = *far || s[0] < -most || s[0] > most || s[1] < -most || s[1] > most || s[2] < -most || s[2] > most;
            image = scree_neighbour_image(most, s[0], s[1], s[2]);
        }
        lists->keys[found++] = (uint64_t)(uint32_t)near.j[q] << image_bits | ((uint32_t)image & ((1u << image_bits) - 1));
    }
    if (lists->rows.sorted && !*far)
        scree_sort_keys(lists->keys, found);
    for (int32_t h = 0; h < found; ++h) {
        lists->j[h] = (int32_t)(lists->keys[h] >> image_bits);
        lists->image[h] = (int32_t)(lists->keys[h] & ((1u << image_bits) - 1));
    }
    *count = found;
    return SCREE_OK;
}

scree_status scree_neighbour_lists_refresh(scree_neighbour_lists* lists, int32_t i, const double* x, scree_neighbour_change* change)
{
    scree_neighbour_change own;
    change = change != NULL ? change : &own;
    memset(change, 0, sizeof *change);
    SCREE_NEED(lists);
    SCREE_NEED(x);
    int32_t count = 0;
    bool far = false;
    scree_status status = check(lists, i);
    if (status == SCREE_OK)
        status = scree_index_move(lists->index, i, x);
    if (status != SCREE_OK)
        return status;
    status = ask(lists, i, &count, &far);
    if (status == SCREE_OK && far && change == &own)
        status = scree_fail(SCREE_ERR_ARGUMENT,
                            "neighbour lists: a neighbour of sphere %" PRId32 " is too far away; expected at most %" PRId32 " boxes. Wrap the centres and make all lists again", i,
                            lists->images);
    if (status == SCREE_OK && !far)
        return finish(lists, near_rows_replace(&lists->rows, i, count, lists->j, lists->image, change));
    change->far = far;
    finish(lists, status);
    lists->held = false;  // the index holds a reference point that the rows do not know
    lists->failed = true;
    return status;
}

scree_status scree_neighbour_lists_move(scree_neighbour_lists* lists, int32_t i, const double* x, scree_neighbour_change* change)
{
    if (change != NULL)
        memset(change, 0, sizeof *change);
    SCREE_NEED(lists);
    SCREE_NEED(x);
    scree_status status = check(lists, i);
    if (status != SCREE_OK)
        return status;
    const scree_index* index = lists->index;
    double square = 0.0;
    for (int k = 0; k < index->def.box.dim; ++k) {
        double way = x[k] - index_given(index, i, k);
        square += way * way;
    }
    if (sqrt(square) <= lists->limit)
        return SCREE_OK;
    return scree_neighbour_lists_refresh(lists, i, x, change);
}

// ---- Looking on ----------------------------------------------------------------------------------------------------

SCREE_RESULT_OF(scree_neighbour_rows, scree_neighbour_lists_get_rows, (const scree_neighbour_lists* lists, scree_neighbour_rows* out), (lists, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(lists);
    if (lists->failed)
        return scree_fail(SCREE_ERR_ARGUMENT, "neighbour lists: there are none, because a call failed or an image was too far away; expected lists that are made again");
    const near_rows* rows = &lists->rows;
    if (lists->held)
        *out = (scree_neighbour_rows){.count = rows->n,
                                      .row = rows->row,
                                      .j = rows->j,
                                      .image = rows->image,
                                      .imaged = rows->imaged,
                                      .entries = rows->entries,
                                      .used = rows->used,
                                      .build = lists->builds};
    return SCREE_OK;
}

SCREE_VALUE_OF(scree_neighbour_stats, scree_neighbour_lists_get_stats, (const scree_neighbour_lists* lists), (lists))
{
    SCREE_NEED_OR(lists, (scree_neighbour_stats){0});
    return (scree_neighbour_stats){.builds = lists->builds,
                                   .refreshes = lists->refreshes,
                                   .entries = lists->held ? lists->rows.entries : 0,
                                   .skin = lists->held ? lists->skin : 0.0,
                                   .bytes = sizeof *lists + near_rows_bytes(&lists->rows) +
                                            (size_t)(lists->j_capacity + lists->image_capacity) * sizeof *lists->j +
                                            (size_t)lists->key_capacity * sizeof *lists->keys};
}

scree_status scree_neighbour_lists_validate(const scree_neighbour_lists* lists)
{
    SCREE_NEED(lists);
    return lists->held ? near_rows_validate(&lists->rows) : SCREE_OK;
}
