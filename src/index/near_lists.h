// Lists of single spheres: who is near each one, kept while spheres move one at a time (rearrangement, growth).
#ifndef SCREE_INDEX_NEAR_LISTS_H
#define SCREE_INDEX_NEAR_LISTS_H

#include "index/near_rows.h"
#include "index/pair_output.h"

typedef struct near_lists {
    bool held;
    const method_table* method;
    void* state;             // holds the references, not the places where spheres are
    double skin;
    double limit;            // a sphere farther than this from its reference gets a new list
    items it;                // of the references, with gap + skin; it.xr is `reference`
    double gap;              // without the skin
    const double (*xr)[4];   // where the spheres are
    double (*reference)[4];
    int64_t reference_capacity;
    int8_t (*on)[3];         // boxes to add to a sphere's wrapped centre to be beside its reference
    int64_t on_capacity;
    near_rows rows;          // images are shifts between the reference centres (near_lists.c)
    pair_output found;         // scratch of a refresh
    int32_t *j, *image;
    int64_t j_capacity, image_capacity;
    int64_t refreshes, tests, box_tests, cells;
} near_lists;

// Lists of all items (xr, gap and the rest as in `one`), through a method's structure for single spheres. MEMORY; then none are held.
scree_status near_lists_open(near_lists* lists, const method_table* method, void* state, const items* one, double skin);

// xr[i] is another; or there is one more, the last; or the last takes the number i, or goes if it is i itself (xr not changed yet).
// MEMORY: the lists are no longer held.
scree_status near_lists_move(near_lists* lists, int32_t i);
scree_status near_lists_insert(near_lists* lists, const items* one);
scree_status near_lists_remove(near_lists* lists, int32_t i);
scree_status near_lists_resize(near_lists* lists, const items* one, int32_t i);  // xr[i] has another radius

// The exact neighbours of sphere i, now.
void near_lists_near(const near_lists* lists, int32_t i, sink* to);

// Of what the method found near xr among the references, those that are near it where they are now: how many are left, in place.
int64_t near_lists_confirm(const near_lists* lists, const double xr[4], sink* found);

scree_status near_lists_validate(const near_lists* lists);
size_t near_lists_bytes(const near_lists* lists);
void near_lists_close(near_lists* lists);  // keeps memory for the next time
void near_lists_free(near_lists* lists);

// Room for `one more`, grown until the method's answer fits: fills `found` with near(xr, own). MEMORY.
scree_status near_ask(const method_table* method, const void* state, const double xr[4], int32_t own, bool with_shift, pair_output* found);

#endif
