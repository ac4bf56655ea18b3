// The batch list: candidates of spheres that all move a little, found once by a method and tested again and again.
#ifndef SCREE_INDEX_LIST_H
#define SCREE_INDEX_LIST_H

#include "index/intake.h"
#include "index/pair_output.h"

typedef struct list {
    bool held;
    int64_t build;          // how many lists there have been
    double skin;
    double limit;           // the list is good while the two largest displacements add up to no more than this
    double gap;             // of the pairs, without the skin
    int32_t n;
    bool with_shift;
    double length[3];       // of the box on periodic axes, else 0
    double tilt[3];
    const double (*xr)[4];  // where the spheres are now
    pair_output found;        // the candidates by (i, j, shift)
    double (*reference)[4];
    int64_t reference_capacity;
    double (*spare)[4];     // where the next positions go, so that a failed update changes nothing
    int64_t spare_capacity;
    intake_turns *turns, *spare_turns;  // with_shift only
    int64_t turns_capacity, spare_turns_capacity;
    uint8_t *turned, *spare_turned;     // for each intake_few spheres, whether some of these are not zero
    int64_t turned_capacity, spare_turned_capacity;
} list;

// The width of skin that rounding can eat, for these items (their gap with the skin in it).
double list_rounding(const items* it);

// Makes the list from `found`, filled by a method that was built with gap + skin, shifts as between the centres given.
// `turns`: by how many boxes those were wrapped; NULL: by none. MEMORY; then no list is held.
scree_status list_make(list* l, const items* it, double gap, double skin, const int8_t (*turns)[3]);

// The candidates as a method, for pair_list_fill: chunks are stretches of candidates.
extern const method_table list_method;

scree_status list_validate(const list* l);
size_t list_bytes(const list* l);
void list_free(list* l);

// The test of candidates first .. last-1, for any machine and with AVX2.
void list_test_plain(const list* l, int64_t first, int64_t last, sink* to);
void list_test_avx2(const list* l, int64_t first, int64_t last, sink* to);

#endif
