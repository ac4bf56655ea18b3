// What an index holds: shared by the calls for all spheres at once (index.c) and for single spheres (single_spheres.c).
#ifndef SCREE_INDEX_INDEX_INNER_H
#define SCREE_INDEX_INDEX_INNER_H

#include "index/choose.h"
#include "index/intake.h"
#include "index/list.h"
#include "index/mask.h"
#include "index/near_lists.h"
#include "index/pair_output.h"
#include "index/skin.h"
#include "scree/levels.h"

// With centres at most 32 boxes away and reaches of at most 60 boxes, every shift fits into an int8.
enum { index_most_turns = 32, index_most_images = 60 };

struct scree_index {
    scree_index_def def;
    double cell_sizes[SCREE_LEVELS_MOST];  // what def.cell_sizes points to
    bool periodic;
    bool no_list;                // candidates.c keeps its own: every update builds, every call for pairs searches
    const method_table* method;  // NULL before the first update
    scree_method chosen;
    void* states[SCREE_METHOD_COUNT];  // each made when first needed
    items it;                          // it.xr is `xr`
    double (*xr)[4];
    int64_t xr_capacity;
    int8_t (*turns)[3];  // how many boxes each sphere was wrapped by; read only if `any_turns`
    int64_t turns_capacity;
    bool any_turns;
    double (*half)[3];   // of boxes; it.half is this or NULL
    int64_t half_capacity;
    bool any_half;       // the last update brought half sides; a list of candidates does without them, box pairs do not
    intake in;
    pair_output pairs;
    bool built;  // false: memory ran out in the method's build; it is asked again when pairs are
    bool have_pairs;
    pair_output boxes;     // pairs of boxes
    bool have_boxes;
    bool boxes_last;     // searched for after `pairs`: what the counters tell of
    items boxed;         // what the method is built on for them while a list is wanted or held
    double wanted;  // skin that the method was built with; 0: plain
    list list;
    int32_t list_age;  // updates that it has lasted
    skin_model model;
    double predicted[SCREE_METHOD_COUNT];  // work of each method, where AUTO chose
    int64_t rebuilds;
    double seconds_build, seconds_search;

    // Numbers of the caller, of spheres 0 .. user_count-1; all others have 0. Never more than there are spheres, except between set_gap and the next update.
    int64_t* user;
    int64_t user_count, user_capacity;

    scree_pair_mask mask;    // its arrays are the two below; group NULL: there is none
    int32_t* mask_group;
    uint8_t* mask_matrix;
    int64_t mask_capacity;

    // One by one (single_spheres.c).
    bool moved;              // spheres have changed since `it` was true: pairs need a refresh
    bool open;               // the method's structure for single spheres, or `near`, is true
    scree_method open_by;    // whose structure
    int32_t open_count;      // how many spheres there were then
    items one;               // what it works on; one.xr is `xr`
    int8_t (*single_turns)[3];  // how many boxes each sphere was wrapped by; in periodic boxes only
    int64_t single_turns_capacity;
    near_lists near;
    pair_output found;         // the last neighbours
    int32_t* near_j;
    int64_t near_j_capacity;
    near_motion motion;
    int64_t queries, query_tests, query_box_tests, query_cells;
    change_work changes_before;  // of all states, at the last update
    struct index_device* device; // def.device; NULL: none, or it was not asked for yet
    bool device_tried;           // AUTO
    bool on_device;              // the spheres are in its memory only: `there` of them
    int32_t there;
    bool mask_there;             // and so is the mask
    scree_pairs pairs_there;     // ij NULL: none
};

// The spheres of `one` as a batch, if they have changed. MEMORY, ARGUMENT; then it is still to be done.
scree_status index_refresh(scree_index* index);

// By how many boxes along axis k the centre of sphere i, as given last, is away from xr[i]: a list that is held knows better than the update that
// made it.
static inline int index_turns(const scree_index* index, int64_t i, int k)
{
    if (index->list.held && index->periodic)
        return index->list.turns[i].on[k] - index->list.turns[i].apart[k];
    return index->any_turns ? index->turns[i][k] : 0;
}

// Coordinate k of sphere i as given last; exact unless it was wrapped.
static inline double index_given(const scree_index* index, int64_t i, int k)
{
    const scree_box* box = &index->def.box;
    double x = index->xr[i][k];
    for (int m = k; m < box->dim && index->periodic; ++m) {
        int turns = !box->periodic[m] ? 0 : index->one.def != NULL ? index->single_turns[i][m] : index_turns(index, i, m);
        if (turns != 0)
            x += turns * (m == k ? box->upper[k] - box->lower[k] : scree_lattice_tilt(box->tilt, k, m));
    }
    return x;
}

// From now on there are this many spheres: the others' numbers of the caller go with them.
static inline void index_cut_user(scree_index* index, int64_t count)
{
    if (index->user_count > count)
        index->user_count = count;
}

// From now on there are this many spheres: sphere `i` is gone, and the last one has its number.
static inline void index_remove_group(scree_index* index, int32_t i, int32_t last)
{
    if (index->mask.group == NULL || i >= index->mask.count)
        return;
    if (last < index->mask.count)
        index->mask_group[i] = index->mask_group[last];
    index->mask_there = false;
    index->mask.count = last < index->mask.count ? last : index->mask.count;
}

// UNSUPPORTED: the spheres are in the memory of the device.
scree_status index_check_here(const scree_index* index);

// The pairs that were found, of spheres and of boxes, no longer belong to the spheres.
static inline void index_forget_pairs(scree_index* index)
{
    index->have_pairs = index->have_boxes = false;
}

// scree_index_update_boxes for items in rows of x y z r, in the caller's own memory; coordinates smaller than any length are 0. Their half sides stand in rows of
// three; NULL: spheres. No list is followed: the index must not keep one (def.skin < 0).
scree_status index_update_items(scree_index* index, int32_t count, const double (*xr)[4], const double (*half)[3]);

// Whether the method searches this box: in tilted ones not all do. UNSUPPORTED.
scree_status index_check_tilt(int32_t method, const scree_box* box);

// Forgets what was opened for single spheres: an update has come.
void index_close(scree_index* index);
void index_trim(scree_index* index);  // frees all but the pairs; until the next update nothing else may be asked

// Single changes of all states, ever.
change_work index_changes(const scree_index* index);

// The method to build with: the def's, or AUTO's choice and what it was made by; then it->crowd is `crowd`.
scree_method index_choose(const scree_index* index, items* it, crowding* crowd, double predicted[SCREE_METHOD_COUNT]);

// `xr` has been reserved and may be elsewhere.
void index_xr_moved(scree_index* index);

// A state of the method, made when first needed. MEMORY.
scree_status index_want_state(scree_index* index, scree_method method);

// Whether a periodic box can hold spheres of this size with this gap. ARGUMENT says why not; `i` is named as the largest sphere.
scree_status index_check_reach(const items* it, int32_t i);

// Whether a list with this skin can be at all.
bool index_skin_fits(const items* plain, double skin);

// The skin to build with for these spheres; 0: plain.
double index_decide_skin(scree_index* index, const items* it, bool same);

#endif
