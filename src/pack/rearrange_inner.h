// Internals of collective rearrangement. rearrange.c explains the idea.
//
//     rearrange.c             the public call: checks, growth of the box, progress
//     rearrange_start.c       memory, the initial box, random centres
//     rearrange_candidates.c  order in memory, candidate rows as lists of single spheres (scree/neighbours.h)
//     rearrange_relax.c       moves all spheres at once, with momentum
//     rearrange_visits.c      moves one sphere after the other, as in the paper
//     rearrange_nearest.c     the nearest neighbour of a sphere without overlaps
//     rearrange_save.c        saves and restores the state
//     rearrange_finish.c      scaling to a packing without overlaps, and the final check
//     stable.c                from there to force balance
#ifndef SCREE_PACK_REARRANGE_INNER_H
#define SCREE_PACK_REARRANGE_INNER_H

#include "geom/lattice.h"
#include "pack/place.h"
#include "scree/index.h"
#include "scree/neighbours.h"

#include <math.h>

typedef struct pile pile;

enum {
    pile_block = 256,    // spheres per chunk of work; sums are per block, so it affects the exact result
    shift_most = 4,      // images of candidates are at most so many boxes away
    shift_codes = (2 * shift_most + 1) * (2 * shift_most + 1) * (2 * shift_most + 1)
};

// What a sweep knows when all forces are known. Pairs are counted from both sides.
typedef struct sums {
    double power;      // force . velocity
    double force;      // squares of forces, by mass
    double speed;      // squares of velocities, times mass
    double net;        // squares of net forces
    double overlap;    // squares of the forces of single contacts
    double energy;     // overlaps squared, times stiffness
    double reach;      // sums of radii squared, times stiffness: the energy of overlaps as large as that
    double virial;     // forces of contacts, times sums of radii: how the energy grows with all radii
    double worst;      // largest overlap by smaller radius
    bool strayed;      // a sphere has moved beyond its leash
    int64_t contacts;
} sums;

// A way of moving. The public call calls push, reads its result, lets the box grow or not, and calls move: that is a sweep. The code that moves the spheres
// while looking at them (one after the other) does so in push, and move does nothing.
typedef struct pile_way {
    scree_status (*begin)(pile* p);               // once, after the start: positions and radii are in x
    scree_status (*push)(pile* p, sums* s);       // overlaps and forces; where p->stale is set, positions were changed by others (wrapped, say)
    void (*move)(pile* p, const sums* s);         // the radii may have shrunk in between: x[i][3] is what holds
    double (*growth)(pile* p, const sums* s);     // by how much of itself the box is to grow after this sweep, 0: not; NULL: when the forces balance
    void (*end)(pile* p);                         // also after a begin that failed or was never called
    // What the way adds to a saved packing, and how it goes on from there, after all else is restored; NULL: nothing. FORMAT: the bytes are damaged.
    int32_t (*save)(pile* p, scree_bytes* pieces);  // gives their number, at most pile_added_most
    scree_status (*restore)(pile* p, const char* what, scree_bytes from);
} pile_way;

extern const pile_way pile_relax, pile_visits;

struct pile {
    const scree_rearrange_def* def;
    const pile_way* way;
    void* own;             // what the way keeps; begun and ended by it
    int dim;
    int32_t n;
    int64_t blocks;
    int32_t threads;       // one where a sweep is over before another would be awake
    int unit;              // internal lengths are the given ones times 2^-unit
    double length[3];      // of the box inside; it begins at 0. 0 in 2D
    bool periodic[3];
    double tilt[3];        // of the box inside, reduced to half a length: the same lattice as the given one
    bool tilted;
    double period;         // from a sphere to its nearest image
    scree_container container;  // with the box inside
    int round;             // axes that its round wall runs around; 0: a box
    double density;        // at factor 1, overlaps counted twice
    double factor;         // of the radii
    double r_min, r_max, r_mean;  // at factor 1

    uint32_t* id;          // at rank
    double (*x)[4];        // x y z, and the radius as it is now
    double (*v)[4];        // velocity, and the leash (rearrange_candidates.c)
    double (*f)[4];        // force, and the mass; mass 0: no contact, and the force is a step towards a neighbour
    double (*reference)[4];  // positions when the list was made, and the squares of the leashes
    double* r;             // at factor 1, by rank
    scree_neighbour_lists* lists;
    scree_neighbour_rows rows;  // of `lists`, as they are; images are numbered as in `offset`
    double* flat;          // n * (dim + 1): centres and radii for the index
    bool* alone;           // with attraction: no overlap, and the row does not prove who is nearest
    sums* part;            // by block
    double offset[shift_codes][3];

    scree_index* index;
    double skin;
    int64_t candidates, contacts, age;  // contacts: as last counted
    bool stale;            // positions were changed other than by moving: no list serves
    int64_t sweeps, growths, rebuilds, tests;
    int64_t refreshes, search_tests;  // one by one
    double began;
    bool cancelled;        // the watch said so
    double worst;          // largest overlap by smaller diameter, as last seen
    double first_worst, done;  // for the watch

    double dt, mixing;     // FIRE
    int64_t downhill;      // sweeps since it last went uphill

    double listed_factor;  // of the radii when the rows were made
    double swell;          // rows serve while the radii are not larger than then by more than this part
    bool keep_order;       // new rows keep the order in memory
    uint64_t radii_sum;    // checksum of the caller's radii
};

static inline int64_t pile_block_end(const pile* p, int64_t b)
{
    return (b + 1) * pile_block < p->n ? (b + 1) * pile_block : p->n;
}

// How far a centre is from the middle of a round wall, and which way.
static inline double pile_from_middle(const pile* p, const double* x, double d[3])
{
    double square = 0.0;
    d[0] = d[1] = d[2] = 0.0;
    for (int k = 0; k < p->round; ++k) {
        d[k] = x[k] - 0.5 * p->length[k];
        square += d[k] * d[k];
    }
    return sqrt(square);
}

// rearrange.c
int64_t pile_tick_sweeps(int32_t n);  // from tick to tick of the watch

// rearrange_start.c
scree_status pile_open(const scree_rearrange_def* def, int32_t n, const double* r, pile** out);  // *out is to be closed also where it fails
scree_status pile_open_at(const scree_rearrange_def* def, int32_t n, const double* r, const double* centres, pile** out);  // these centres in def->box; NULL: at random
void pile_close(pile* p);                                                                        // NULL is fine
double pile_density(const pile* p);  // with the radii as they are, overlaps counted twice

// rearrange_candidates.c
void pile_wrap(pile* p);
scree_status pile_pairs(pile* p, double gap, bool leashes, scree_pairs* pairs);  // in no fixed order; the numbers are ranks
scree_status pile_renew(pile* p);                                  // new rows, with a skin that follows from how long the last ones lasted
scree_status pile_rows(pile* p);                                   // new rows of all pairs with a gap below the current skin, without leashes
scree_status pile_rows_again(pile* p);                             // rows as by pile_renew, or one by one as by pile_rows, at positions x that are the references, leashes unchanged
double pile_skin_within(const pile* p, double skin);               // the nearest one that can be
double pile_list_limit(const pile* p);  // one by one, lists serve while no sphere is farther from its reference than half of this: the skin, less what
                                        // rounding could take away

// rearrange_nearest.c
typedef struct nearest {
    double gap;             // to the nearest that was tested; INFINITY: none
    double from[3], distance;  // from its centre
    int64_t key;            // rank and image: equal gaps go to the lowest
} nearest;

static inline nearest nearest_nobody(void)
{
    return (nearest){.gap = INFINITY, .key = INT64_MAX};
}

static inline void nearest_look(const pile* p, int64_t i, int64_t j, const double offset[3], int image, nearest* best)
{
    const double *xi = p->x[i], *xj = p->x[j];
    double d[3], square = 0.0;
    for (int k = 0; k < 3; ++k) {
        d[k] = (xi[k] - xj[k]) - offset[k];
        square += d[k] * d[k];
    }
    double distance = sqrt(square), gap = distance - (xi[3] + xj[3]);
    int64_t key = j * shift_codes + image;
    if (gap < best->gap || (gap == best->gap && key < best->key))
        *best = (nearest){.gap = gap, .from = {d[0], d[1], d[2]}, .distance = distance, .key = key};
}

// The nearest neighbour of i, which has no overlaps. `best`: the nearest of its row, or none. Queries the index. MEMORY.
scree_status pile_nearest(pile* p, int32_t i, nearest* best);
void pile_nearest_step(const pile* p, const nearest* n, double step[3]);  // towards it; 0 if there is none

// rearrange_save.c
enum { pile_added_most = 32 };  // pieces
uint64_t pile_wish(const pile* p);  // of all that decides the bits: def and radii_sum
// Between two sweeps; `more` further pieces of the caller come behind. What the saver gives.
scree_status pile_save(const pile* p, const scree_pack_saver* saver, uint64_t wish, int64_t since, int32_t more, const scree_bytes* added);
// After the way has begun. `added`: the further pieces, joined; NULL: there are none. FORMAT: the bytes are damaged; ARGUMENT: of another packing; MEMORY.
scree_status pile_restore(pile* p, const char* what, scree_bytes from, uint64_t wish, int64_t* since, scree_bytes* added);

// rearrange_finish.c
void pile_shrink(pile* p, double by);  // all radii, by a factor below 1; above 1 the caller sets p->stale
// Centres and box outside: all inside divided by `radius`, which makes radii what was given. `inside`: rounding is not to bring a sphere through a flat wall.
void pile_lay_out(const pile* p, double radius, bool inside, scree_packing* out);
scree_status pile_finish(pile* p, const double* r, scree_packing* out);

#endif
