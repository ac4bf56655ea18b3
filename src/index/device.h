// What an index asks of a device (src/device): all pairs at once.
#ifndef SCREE_INDEX_DEVICE_H
#define SCREE_INDEX_DEVICE_H

#include "scree/index.h"

typedef struct index_device index_device;

// Room for this many pairs; NULL shift: no axis is periodic. MEMORY
typedef scree_status index_device_room(void* context, int64_t count, int32_t (**ij)[2], int8_t (**shift)[3]);

// UNSUPPORTED: this kind of device is not there, or has too little memory. MEMORY
scree_status index_device_open(int32_t kind, index_device** out);
void index_device_close(index_device* device);  // NULL is fine
size_t index_device_bytes(const index_device* device);
double index_device_seconds(const index_device* device);  // of the last search: from centres in its memory to pairs in its memory

typedef struct index_device_search {
    const scree_box* box;
    int32_t n;
    const double (*x)[4];         // wrapped into the box; NULL: those of index_device_put
    double gap;
    const scree_pair_mask* mask;  // NULL: none
    bool mask_there;              // the device has it from the search before
    index_device_room* room;      // called once, before anything is written
    void* context;
} index_device_search;

// Spheres of the caller in the memory of the device. ARGUMENT: an invalid one; UNSUPPORTED, MEMORY. *r_most: the largest radius.
scree_status index_device_put(index_device* device, const scree_box* box, const scree_device_spheres* spheres, double* r_most);
scree_status index_device_radii(index_device* device, const scree_device_spheres* spheres, double* r);  // copied from there

// The pairs of spheres of index_device_put, in the memory of the device. What `stream` does next waits for them.
scree_status index_device_pairs_there(index_device* device, const index_device_search* search, bool sorted, bool full, void* stream, scree_pairs* out);
scree_status index_device_vectors(index_device* device, const scree_box* box, const scree_pairs* pairs, void* stream, const double** vector, const double** distance);
scree_status index_device_meet(index_device* device, void* stream, bool follow);  // what is queued next waits for the stream; or the stream for what is queued

// Pairs with a gap below `gap` whose groups pair, by (i, j, shift).
scree_status index_device_pairs(index_device* device, const index_device_search* search);

#endif
