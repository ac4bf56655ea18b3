// Internals of a simulation of polygons, and its passes.
//
// A step has three passes over blocks, each block with its own results:
//
//     move      bodies: velocities half a step on, new positions and angles, rotated vertices, boxes  (step.c)
//     (list     candidates, if bodies have moved too far for the current ones                         (candidates.c))
//     touch     pairs: contacts, summed to one force and two torques for each pair                    (rounded.c, or narrow.c and crossing.c)
//     push      bodies: forces of their pairs by (partner, image), walls, gravity; the other half step (step.c)
//     (keep     memory of contacts, with friction                                                     (contact_memory.c))
//
// A pair is computed once, with the lower number as i, and each body adds the sums of its pairs in one fixed order, skipping pairs without contact:
// no sum depends on the distribution of work, or on candidates that are not contacts.
//
// A step is done completely or not at all. Two polygons of a million vertices take seconds, so the watch is called in every pass, also within pairs and
// bodies; when it stops the step, or memory runs out, every body gets back its motion from before the step. The next run repeats that step
// with the same bits.
#ifndef SCREE_POLYGON_POLYGON_INNER_H
#define SCREE_POLYGON_POLYGON_INNER_H

#include "polygon/polygon_pairs.h"
#include "polygon/round.h"
#include "scree/candidates.h"
#include "scree/polygon.h"
#include "sim/boundaries.h"
#include "sim/law_linear.h"
#include "sim/laws.h"

enum { body_block = 128, pair_block = 128 };

typedef struct body {
    double x[2], angle;  // fixed bodies: of the drawing's origin
    double c, s;         // cosine and sine of the angle
    double placed;       // the angle that c, s, the turned vertices and the box are of; NAN: none yet
    double v[2], spin;
    double p[2], p_spin; // velocities for damping, predicted for the moment of x
    double a[2], spin_a;
    double mass, inertia, inverse_mass, inverse_inertia;  // inverses are 0 for fixed bodies; mass and inertia too
    double radius;       // holds all, about x
    double width;        // 2 area / perimeter: the thickness of a strip, the radius of a disc
    double box[4];       // of the turned vertices, relative to x: lower x y, upper x y
    const edge_tree* tree;  // of the core (round.h), or of the outline where corners are sharp; NULL: a disc
    const round_core* core; // NULL: a disc
    double r;            // of the disc that sweeps the core; 0: corners are sharp
    double fast;         // at most so far do its points move in the step in progress
    double listed_fast;  // the same when the list was made; 0: corners are sharp
    int64_t first;       // of its turned vertices: tree->n + 1, the last is the first again
    bool fixed;
    uint8_t walls;       // bit b: it is so near to boundary b that it may touch it; free bodies, as they were placed
    double reference[3]; // x and angle when the list was made
    double clear;        // no boundary is near while it has come less far than this since then
    double anchor[3];    // fixed: x and angle at the step `since`
    int64_t since;
    int32_t material;
    int32_t turns[2];    // by how many periods it was wrapped when that was done last; with friction
} body;

// What a step changes of a body and does not follow from the rest.
typedef struct motion {
    double x[2], angle;
    int64_t begun;       // the step that it was kept for, of sim->begun
    union {
        struct {
            double v[2], spin, a[2], spin_a;
        } free;
        struct {
            double anchor[3];
            int64_t since;
        } fixed;
    } of;
} motion;

// What a candidate came to.
typedef struct pair_sum {
    double force[2];   // on i; the opposite on j
    double torque[2];  // on i, on j
    double power[2];   // lost by dashpots: along normals, along tangents
    int32_t contacts;
    double overlap;    // the largest of a vertex or disc
    bool stuck;        // a crossing without force; of rounded bodies: cores that cross
    int32_t jumped;    // 1 + the vertex (of j: below 0) whose nearest side has changed its direction; 0: none
    bool flush;        // `jumped` is a vertex where sides of both bodies coincide
    bool passed;       // rounded bodies or discs have gone through each other within this step
    double deep;       // depth of a contact past the middle of the body that it is in, or of a core about to be passed; 0: none
    double needed;     // the stiffness that would do for it
} pair_sum;

// Of a body at boundaries: x, y, torque; as in pair_sum, the largest overlap with the boundary that has it.
typedef struct wall_sum {
    double force[3], power[2], overlap;
    int32_t boundary;
} wall_sum;

// The largest overlap of a block or step; relative 0: none.
typedef struct body_overlap {
    double overlap, relative;
    int32_t i, j;      // j: -1 - boundary
} body_overlap;

// Sums of energies (scree_polygon_sim_state.account). Work and dissipation of forces that change smoothly are trapezoids of their power: they fit what velocity Verlet does to the
// kinetic energy, to second order of the step. Gravity does not change within a step: its work is known exactly.
enum { DISSIPATED_NORMAL, DISSIPATED_TANGENTIAL, WORK_WALLS, powers, WORK_GRAVITY = powers, accounts, POWERS_BEFORE = accounts };

// Friction memory of a contact. A row has the contacts of one pair (j >= 0), or of one body with the boundaries (j < 0).
typedef struct contact_memory {
    int32_t i, j;      // of the pair, i < j; or boundary -1 - j
    int8_t shift[2];   // of j's image
    bool slides;
    uint64_t key;      // which contact of the two (memory_key)
    double force;      // by which the spring holds the first one back: along the normal turned by 90 degrees clockwise; of a contact with the share 1
    double share;      // of the contact (polygon_pairs.h)
} contact_memory;

enum { memory_first = 0, memory_second, memory_crossing };  // whose vertex or disc it is

// Rises in the order in which contacts of a pair are found, but for crossings. `other` is the edge of j of a
// crossing, or the side of a rounded body at which the vertex is; else 0.
static inline uint64_t memory_key(int which, int32_t feature, int32_t other)
{
    return (uint64_t)which << 62 | (uint64_t)feature << 31 | (uint64_t)other;
}

static inline uint64_t memory_wall_key(int32_t boundary, int32_t feature)
{
    return memory_key(memory_first, boundary, feature);
}

// One row while its contacts are found. Those that do not fit are counted: the block is then worked on again, with more room.
typedef struct memory_row {
    const contact_memory* old;  // as it was, by key
    int64_t old_count;
    contact_memory* made;       // the new memory; not written if the memory is only read
    int64_t count, room;
    bool advances;              // during a step; else contacts are only read, and keep their memory
    bool settled;               // what has ended is in `lost` already
    double lost;                // energy
} memory_row;

// Friction of two materials. Nothing is remembered where mu is 0.
typedef struct friction_law {
    double mu, mu_sliding;
    double k;          // tangential spring; 0: none
    double damping;    // tangential dashpot, as a share of the normal one
} friction_law;

// What two materials do to each other.
typedef struct pair_law {
    law_pair normal;
    friction_law friction;
} pair_law;

typedef struct candidate {
    int32_t i, j;      // i < j
    int8_t shift[2];   // of j's image
} candidate;

typedef struct tally {
    int64_t pairs, offered, tested, crossed;
    int64_t units;         // of work, not reported yet
    bool asks;             // reports them (scree_parallel_work): in the loops of a step
    bool stopped;          // and the answer was to stop: sums are incomplete from there on
} tally;

// The watch hears of work within a pair or a body after so many units, and so many vertices.
enum { reported_units = 4096, reported_vertices = 1024 };

// Reports what has come together. False: stop.
static inline bool tally_report(tally* work)
{
    if (!work->asks)
        return true;
    if (work->stopped || !scree_parallel_work(work->units)) {
        work->stopped = true;
        return false;
    }
    work->units = 0;
    return true;
}

static inline bool tally_work(tally* work, int64_t units)
{
    work->units += units;
    return (work->units < reported_units && !work->stopped) || tally_report(work);
}

// Where a part of the vertices first .. count - 1 ends, after which work is reported.
static inline int64_t vertices_end(int64_t first, int64_t count)
{
    return first + reported_vertices < count ? first + reported_vertices : count;
}

// Where contacts go that somebody wants to see: counted always, stored while there is room.
typedef struct recorder {
    scree_contact* out;
    int64_t count, room;
} recorder;

// All that contacts depend on.
typedef struct scene_view {
    const body* bodies;
    const double (*turned)[2];
    double length[2];  // of periodic axes, else 0
    const sim_law* law;
    const pair_law* pairs;  // [a * materials + b]
    int32_t materials;
    int32_t wall_material;
    const sim_boundary* boundaries;
    bool predicted;    // velocities for damping are p, else v
    bool rounded;      // the rule of polygon_pairs.h
    bool allow_deep;
    bool stepping;     // a step is in progress: v and spin are those of its middle
    double step;       // of time
} scene_view;

// Where contacts of one pair after the other are found. What does not fit is counted: the block is then worked on
// again, with more room.
typedef struct pair_workspace {
    pair_work work;
    contact_memory* keeps;  // as many as points
    int64_t needed;    // nodes
    bool done;         // the whole block
} pair_workspace;

enum { nodes_few = 24 };  // nodes for which a pair needs no workspace

// A pair of bodies as its contacts are found.
typedef struct touching {
    const scene_view* view;
    const candidate* pair;
    pair_sum* sum;
    tally* work;
    recorder* record;  // NULL: nobody wants to see them
    memory_row* row;   // NULL: without friction
    pair_workspace* workspace;
} touching;

typedef struct piece {     // of a fixed body's boundary, in its own axes
    int32_t owner;
    double centre[2], half[2];
} piece;

typedef struct block_result {
    double way[2];         // the two largest since the list was made
    double speed;          // the largest of any point
    int32_t lost;          // a body that is nowhere or beyond a wall; -1: none
    int32_t boundary;      // beyond which; -1: nowhere
    double fall;           // power of gravity in the middle of the step
    double power[2];       // lost by dashpots at boundaries, as in pair_sum
    body_overlap deepest;  // at boundaries
} block_result;

typedef struct candidates {
    scree_candidates* service;
    bool held;             // the bodies are still the ones of the list
    candidate* list;       // by (i, j, shift)
    int64_t count, list_capacity;
    int64_t* own;          // n + 1: where the rows of i begin
    int64_t* in_first;     // n + 1: the same for pairs in which i is the second
    int64_t* in;           // numbers of these pairs
    int64_t in_capacity;
    pair_sum* sums;
    int64_t sum_capacity;
    int32_t items;         // what the service sees,
    double (*xr)[4];
    double (*half)[3];
    int32_t* item_body;    // whose they are
    uint8_t* still;        // and whether that one is fixed
    uint64_t* key;
    int64_t key_capacity;
} candidates;

typedef struct memory_list {
    contact_memory* list;  // by (i, j, shift, key); of boundaries by (i, boundary, key)
    int64_t count, capacity;
} memory_list;

// Where a row has its contacts in the list.
typedef struct memory_range {
    int64_t first, end;
} memory_range;

// What a block makes goes to its own part of `made`.
typedef struct memory_part {
    int64_t first, room, count;
    bool done;             // all of it fitted
} memory_part;

// Of pairs, with a row for each candidate; or of boundaries, with a row for each body.
typedef struct memories {
    memory_list held;      // of the last whole step
    memory_list next;      // of the step in progress
    memory_list wrapped;   // `held`, with the images of a step that wraps
    const memory_list* now;  // `held` or `wrapped`
    int64_t rows, blocks;
    memory_range* range;
    double* lost;          // by row: energy in this step
    memory_part* parts;
    contact_memory* made;
    int64_t made_count, range_capacity, lost_capacity, part_capacity, made_capacity;
} memories;

struct scree_polygon_sim {
    scree_polygon_sim_def def;
    scree_polygon_sim_numbers numbers;
    sim_law law;           // linear; `pairs` has the numbers
    sim_boundary boundaries[boundary_faces + 1];  // at rest: faces of the box first, then the round wall of the container
    int32_t boundary_count;
    int32_t walls[boundary_faces + 1];            // numbers of those that are present
    int32_t wall_count;
    pair_law* pairs;       // [a * materials + b]
    int32_t materials;
    bool rubs;             // some pair has friction
    memories of_pairs, of_walls;
    double account[SCREE_POLYGON_ACCOUNTS];
    double power[powers];  // of the step in progress
    body_overlap deepest;  // of the step in progress
    scree_sim_overlaps found;  // of whole steps, since they were asked for
    int64_t (*shown_ij)[2];    // the memory as scree_polygon_sim_get_memory shows it
    int8_t (*shown_shift)[3];
    double* shown_values;
    int64_t shown_ij_capacity, shown_shift_capacity, shown_values_capacity;
    double gravity[2];
    double length[2];
    double mean_radius;    // of free bodies
    int32_t n;
    int64_t blocks;
    body* bodies;
    motion* before;        // by body: the motion before the step that is in progress
    round_core* cores;     // by 2 * shape + fixed
    int32_t core_count;
    double (*turned)[2];
    pair_workspace* workspaces;         // by pair block
    pair_workspace observer_workspace;  // of scree_polygon_sim_get_contacts and its like
    int64_t workspace_capacity, workspace_count;
    int64_t outline_vertices;
    piece* pieces;
    int64_t piece_count, piece_capacity;
    block_result* result;
    tally* tallies;        // by pair block
    int64_t tally_capacity;
    candidates near;
    int64_t step;          // that bodies are of, or come to while `moving`
    int64_t begun;         // steps, also those that were taken back
    double speed;          // the largest of any point of a body
    bool failed;
    bool moving;           // a step is in progress
    bool stale;            // turned vertices, boxes and candidates are of a step that was taken back
    polygon_watch watch;   // of the call that is under way: create, set_state, run; otherwise none
    int32_t threads;
    tally total;
    double seconds_search, seconds_force, seconds_integrate;
    scree_contact* contacts;
    int64_t contact_capacity;
    int64_t* outline_first;
    double (*outline_xy)[2];
    double (*outline_centre)[2];
    double* outline_radius;
    double* outline_angle;
    bool* outline_fixed;
};

scene_view polygon_view(const scree_polygon_sim* sim, bool predicted);

// narrow.c: all contacts of i and the image of j; i < j. False: stopped, or the workspace has no room; the sum is
// incomplete.
bool narrow_pair(const touching* t);
// Contacts of body i with the boundaries that it is near to, added to the sum. False: stopped.
bool narrow_walls(const scene_view* view, int32_t i, wall_sum* sum, tally* work, recorder* record, memory_row* row);

typedef struct touch_side {
    int32_t number;
    const body* b;
    const double (*turned)[2];
} touch_side;

// One contact, from the one who is pushed along `out` (s) to the other (m): r from each one's place to the point.
typedef struct touch_point {
    double r[2], other[2], out[2], depth;
    int32_t feature, kind;
    double arm;      // friction acts this far against `out` from there: on the boundary of a disc
    bool pointed;    // `out` is on the line from `at` to r; else it is the normal of an edge of m
    double at[2];    // a vertex of m or the centre of a disc, relative to m's place
    double share;    // how often friction and dashpot count; the spring counts once
    uint64_t key;    // of its memory
    const contact_memory* old;  // what it remembers; NULL: nothing
} touch_point;

// Adds a contact. `turn`: s is the pair's j.
void narrow_push(const touching* t, const touch_side* s, const touch_side* m, bool turn, const touch_point* at);

// rounded.c: the same of two bodies of which one is a rounded polygon; d is the place of i less that of j.
bool rounded_pair(const touching* t, const touch_side* i, const touch_side* j, const double d[2]);
void rounded_check_depth(const touching* t, const touch_side* s, const touch_side* m, const touch_point* at, double d, double reach);
// Whether a vertex has passed a side in this step, or a disc a disc, too fast to be seen near to it.
bool rounded_passes(const touching* t, const touch_side* i, const touch_side* j, const double d[2]);
bool workspace_grow(pair_workspace* w);  // to what is needed. False: no memory
void workspace_free(pair_workspace* w);

// rounded_keep.c: what contacts of a pair remember, as a step goes on with it, or as it is. Written to `keeps`, by
// point; what springs have lost is added to t->row->lost.
void rounded_recall(const touching* t, const pair_pose* a, const pair_pose* b, const double d[2], const pair_point* points,
                    int64_t count, contact_memory* keeps);

// crossing.c: overlaps of two polygons that hold no vertex of either. False: stopped.
bool crossing_pair(const touching* t);
// Whether the outlines or cores of two polygons cross, or one is inside of the other. Also if stopped.
bool crossing_any(const touching* t);

// friction.c: a contact as friction sees it: of s, who is pushed along n, with m (NULL: a boundary, at rest).
typedef struct grip {
    const body *s, *m;
    double r[2], other[2];  // from the place of each to the point of contact
    double n[2];
    double normal;          // force
    double dashpot;         // tangential
    const friction_law* law;
    double slip;            // of s along the tangent in this step; 0 if the memory is only read
    double share;           // how often spring and dashpot count
    contact_memory remembered;  // whose it is: i, j, shift and key
    const contact_memory* old;  // NULL: it is new
} grip;

typedef struct gripped {
    double along;           // force on s along the tangent
    double energy;
    double power;           // lost by the dashpot
    bool slides;
} gripped;

// What a row remembers of this contact; NULL: nothing.
const contact_memory* friction_find(const memory_row* row, uint64_t key);
// The tangential force, added to `f`. Its point is at `r` and `other`.
gripped friction_of(const scene_view* view, const grip* g, memory_row* row, double f[2]);

// A contact as it was in the middle of the step.
typedef struct half_grip {
    double r[2], other[2], n[2];
} half_grip;

double friction_slip(const scene_view* view, const body* s, const body* m, const half_grip* at);
void friction_turn(const double x[2], double angle, double out[2]);  // by a small angle, the length kept

// contact_memory.c: begins a step, or a look at contacts as they stand. MEMORY.
scree_status polygon_memory_begin(scree_polygon_sim* sim, bool advances);
memory_row polygon_memory_open(memories* of, int64_t row, int64_t block, bool advances);
void polygon_memory_close(const scree_polygon_sim* sim, memories* of, int64_t row, int64_t block, memory_row* made);  // what has ended is lost
bool polygon_memory_skips(const memories* of, int64_t block);       // this block has been worked on before
void polygon_memory_block_done(memories* of, int64_t block);
scree_status polygon_memory_grow(memories* of, bool* again);        // room for blocks that had not enough; they are to be worked on again. MEMORY
scree_status polygon_memory_wrap(scree_polygon_sim* sim);           // images of contacts after bodies were wrapped. MEMORY
scree_status polygon_memory_end(scree_polygon_sim* sim);            // the step is complete. MEMORY: nothing has changed
scree_status polygon_memory_check(scree_polygon_sim* sim, const scree_sim_memory* given);  // ARGUMENT, CANCELLED
scree_status polygon_memory_take(scree_polygon_sim* sim, const scree_sim_memory* given);   // MEMORY
void polygon_memory_move(scree_polygon_sim* sim, const double* x);  // bodies go to these positions, some to other images: contacts name those then
size_t polygon_memory_bytes(const scree_polygon_sim* sim);
void polygon_memory_free(scree_polygon_sim* sim);
uint64_t polygon_memory_hash(const scree_polygon_sim* sim);
uint64_t polygon_memory_hash_of(const scree_sim_memory* given);

// candidates.c
scree_status candidates_open(scree_polygon_sim* sim);
scree_status candidates_ready(scree_polygon_sim* sim);  // MEMORY, ARGUMENT, CANCELLED
void candidates_close(candidates* near);
size_t candidates_bytes(const candidates* near);
scree_status pieces_make(scree_polygon_sim* sim);

// sim.c: counts work, in the units of scree_parallel_work, and asks the watch. CANCELLED.
scree_status polygon_work(scree_polygon_sim* sim, int64_t units, double done);

// numbers.c
scree_status polygon_find_numbers(scree_polygon_sim* sim);

// step.c
scree_status polygon_settle(scree_polygon_sim* sim, bool keep_accelerations);
scree_status polygon_step(scree_polygon_sim* sim);   // MEMORY, CANCELLED: all is as before it. ARGUMENT: `failed`
scree_status polygon_stand(scree_polygon_sim* sim);  // turned vertices, boxes and candidates are of bodies as they stand. MEMORY, ARGUMENT
void polygon_fixed_at(const scree_polygon_sim* sim, body* b, int64_t step);

// sim.c: ARGUMENT: a step is in progress, and this is the watch that asks; or it has failed
scree_status polygon_check_idle(const scree_polygon_sim* sim);
scree_status polygon_check_still(const scree_polygon_sim* sim);

// What overlaps of two bodies are compared with: the radius of the smaller one. Rounded corners end the run at an overlap
// of the sum of their radii, so that at most 5 times this sum counts. j NULL: a boundary.
static inline double overlap_unit(const body* i, const body* j)
{
    const double corners = j != NULL ? 5.0 * (i->r + j->r) : 0.0, radius = j != NULL ? edge_least(i->radius, j->radius) : i->radius;
    return corners > 0.0 ? edge_least(corners, radius) : radius;
}

static inline const pair_law* law_between(const scene_view* view, int32_t a, int32_t b)
{
    return &view->pairs[(int64_t)a * view->materials + b];
}

// The velocity, for damping, of the point of b that is at r from its place.
static inline void body_velocity(const scene_view* view, const body* b, const double r[2], double out[2])
{
    const double* v = view->predicted ? b->p : b->v;
    double spin = view->predicted ? b->p_spin : b->spin;
    out[0] = v[0] - spin * r[1];
    out[1] = v[1] + spin * r[0];
}

// From the plane's axes to the body's own.
static inline void body_axes(const body* b, const double r[2], double out[2])
{
    out[0] = b->c * r[0] + b->s * r[1];
    out[1] = b->c * r[1] - b->s * r[0];
}

static inline void plane_axes(const body* b, const double r[2], double out[2])
{
    out[0] = b->c * r[0] - b->s * r[1];
    out[1] = b->s * r[0] + b->c * r[1];
}

// The box in b's own axes that holds this box in the plane's, both about b's place, and a little for rounding.
static inline void body_axes_box(const body* b, const double box[4], double out[4])
{
    double middle[2] = {0.5 * (box[0] + box[2]), 0.5 * (box[1] + box[3])}, half[2] = {0.5 * (box[2] - box[0]), 0.5 * (box[3] - box[1])};
    double m[2], c = fabs(b->c), s = fabs(b->s);
    body_axes(b, middle, m);
    double slack = 1e-14 * (b->radius + fabs(m[0]) + fabs(m[1]) + half[0] + half[1]);
    double hx = c * half[0] + s * half[1] + slack, hy = c * half[1] + s * half[0] + slack;
    out[0] = m[0] - hx;
    out[1] = m[1] - hy;
    out[2] = m[0] + hx;
    out[3] = m[1] + hy;
}

#endif
