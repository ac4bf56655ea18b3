// scree/polygon.h: shapes and simulation of polygons in the plane, convex or not, and of discs.
//
//     scree_shapes shapes = {0};
//     int32_t chip, floor;
//     scree_shapes_add(&shapes, (scree_polygon){.count = 8, .xy = drawn}, &chip);     // checked, made counter-clockwise
//     scree_shapes_add(&shapes, (scree_polygon){.count = 4, .xy = slab}, &floor);
//     scree_body bodies[2] = {{.shape = chip, .x = {0.0, 1.0}}, {.shape = floor, .fixed = true}};
//     scree_polygon_sim_def def = scree_default_polygon_sim_def();
//     def.gravity[1] = -9.81;
//     def.stiffness = 1e5;
//     scree_polygon_sim* sim;
//     scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim);                        // copies what it needs
//     scree_polygon_sim_run(sim, 10000);
//     scree_polygon_sim_destroy(sim);
//     scree_shapes_free(&shapes);
//
// Contact law. Polygons have rounded corners: the outline with its sides moved inwards by r (the core), swept by a
// disc of radius r (def.rounding). A vertex of one core that is nearer than R, the sum of both radii, to a side of
// the other one is a contact with the overlap g = R - distance and the force k g + c dg/dt along the line through
// both nearest points. Where vertices of both are near to each other, these contacts share places; forces of links
// between them take away what is counted twice, so that the force is the gradient of a continuous energy
// (docs/polygon.md). A disc is a vertex without sides. Cores never cross: the run stops, with a message that names
// both bodies and a stiffness that would do, if a vertex comes nearer to a side in one step by more than the distance
// that is left.
// def.rule = SCREE_POLYGON_NODE_TO_SEGMENT is the rule of Muth et al.: sharp corners, and each vertex inside of the
// other body is pushed towards the nearest point of the boundary, at distance g. A part of the overlap that contains
// no vertex of either body (a plus sign) has the energy U = k A / 2 of its area A and the force of its gradient,
// without damping; if there is no net force, the run stops. It also stops if a vertex, or the centre of a disc, comes
// near the middle of a body, if its direction turns by more than 60 degrees in one step (the nearest side is another),
// or if sides of both bodies coincide where they overlap: no vertex is inside there (def.allow_deep).
// Friction (def.friction): Coulomb's law with a tangential spring for each contact. It acts at the middle of the
// overlap, at a sharp vertex itself. The memory belongs to a vertex and a side; where one contact takes the place of
// another while two bodies touch, it takes over its spring. It ends with the contact.
// Integration: velocity Verlet for position and angle; damping uses velocities predicted for the time of the positions.
//
// Same bits: for the same start the trajectory does not depend on method, skin or threads, nor on how often the simulation is inspected, stopped and
// continued. Each body adds its partners by (number, image), then the walls. Sine and cosine come from libm.
// Units: any consistent units. Bodies, shapes, vertices and edges are counted from 0; edge e runs from vertex e to the next.
// A simulation may be used by one thread at a time.
#ifndef SCREE_POLYGON_H
#define SCREE_POLYGON_H

#include "scree/geom.h"
#include "scree/index.h"
#include "scree/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Polygons ----------------------------------------------------------------------------------------------------
// A borrowed view: vertices interleaved (x0 y0 x1 y1 ...), each once; the last edge closes the polygon.
typedef struct scree_polygon {
    int32_t count;     // vertices, at least 3
    const double* xy;  // count * 2
} scree_polygon;

// Checks that it is simple: finite coordinates, no two edges cross or touch, no edge of length 0 or folded back onto the previous
// one, an area above 0. Either orientation. ARGUMENT names the vertex or the two edges. Usually O(n log n). MEMORY.
SCREE_API scree_status scree_polygon_check(scree_polygon polygon);

typedef struct scree_polygon_numbers {
    double area;       // above 0 if counter-clockwise
    double perimeter;
    double centre[2];  // of mass
    double gyration;   // square of the radius of gyration about the centre: inertia / mass
    double radius;     // of the bounding circle about the centre of mass
    double lower[2], upper[2];  // bounding box
    int32_t reflex;    // vertices with an inner angle above 180 degrees
} scree_polygon_numbers;

// Closed forms by sums over edges, relative to the first vertex, so that a polygon far from the origin loses no digits. For simple polygons;
// ARGUMENT: fewer than 3 vertices, or no area. O(n).
SCREE_RESULT(scree_polygon_measure, (scree_polygon polygon, scree_polygon_numbers* out), (polygon, out))

// The same outline with its sides moved inwards by r, swept by a disc of radius r: sides stay, convex corners are
// rounded, concave ones stay sharp.
typedef struct scree_polygon_rounded {
    double r;          // rounding times the radius of the circle of equal area, or less:
    bool limited;      // half of the offset at which the first side vanishes or the outline touches itself
    double area;
    double centre[2];  // of mass
    double gyration;   // square of the radius of gyration about the centre
    double radius;     // of the bounding circle about the centre of mass
} scree_polygon_rounded;

// Closed forms. `rounding`: above 0, at most 1. For simple polygons of either orientation; ARGUMENT, MEMORY. O(n log
// n) for most outlines.
SCREE_RESULT(scree_polygon_round, (scree_polygon polygon, double rounding, scree_polygon_rounded* out), (polygon, rounding, out))

// Whether x is inside, by counting edges to its right, lower ends included and upper ends excluded: if polygons tile the plane, every point is inside exactly one
// of them, except for rounding. O(n).
SCREE_API bool scree_polygon_contains(scree_polygon polygon, const double x[2]);

// The distance from x to the boundary, and the nearest point there (NULL: none). The edge is the first of those equally near. O(n).
SCREE_API double scree_polygon_nearest(scree_polygon polygon, const double x[2], double point[2], int32_t* edge);

// ---- Shapes ------------------------------------------------------------------------------------------------------
// Polygons that bodies refer to by number. Plain data, owned; begin with a zeroed struct.
typedef struct scree_shapes {
    int32_t count;
    int64_t* first;   // count + 1: the vertices of shape s are first[s] .. first[s + 1] - 1; NULL while there are none
    double* xy;       // 2 each
    int64_t first_capacity, xy_capacity;
} scree_shapes;

SCREE_API void scree_shapes_free(scree_shapes* shapes);  // frees what it owns and zeroes it
SCREE_API scree_polygon scree_shapes_get(const scree_shapes* shapes, int32_t shape);

// Adds a polygon; a clockwise one is stored counter-clockwise. `shape` (may be NULL) gets its number. ARGUMENT as
// scree_polygon_check; MEMORY. Nothing is added then.
SCREE_API scree_status scree_shapes_add(scree_shapes* shapes, scree_polygon polygon, int32_t* shape);

// Adds a wall along an open chain of points (2 each): the strip of this thickness on its right-hand side, with mitred corners; below 0: on its left.
SCREE_API scree_status scree_shapes_add_wall(scree_shapes* shapes, int32_t count, const double* xy, double thickness, int32_t* shape);

typedef enum scree_shape_rule {
    SCREE_SHAPE_REGULAR = 0,  // equal sides
    SCREE_SHAPE_CONVEX,       // random, on an ellipse
    SCREE_SHAPE_STAR,         // random, star-shaped: radii between 1 - roughness and 1; 4 vertices or more
    SCREE_SHAPE_ELL,          // two arms at a right angle; 6 vertices
    SCREE_SHAPE_HOOK,         // a U with one arm shorter; 8 vertices
    SCREE_SHAPE_CHIP,         // a body with legs on two sides, as micro chips have; 4 + 8 legs, legs from `vertices`
    SCREE_SHAPE_RULE_COUNT
} scree_shape_rule;

SCREE_API const char* scree_shape_rule_name(scree_shape_rule rule);  // "star"; NULL if there is none

typedef struct scree_shape_def {
    uint32_t struct_size;  // filled by the default function
    int32_t rule;          // scree_shape_rule
    int32_t vertices;      // of REGULAR, CONVEX, STAR (8). CHIP: the largest chip of no more than this many; at least 12
    double radius;         // of the bounding circle about the centre of mass (1)
    double roughness;      // 0 to below 1 (0.5). STAR: how deep; CONVEX: how flat; ELL, HOOK, CHIP: how thin arms and legs are
    uint64_t seed;         // the same seed gives the same shape
} scree_shape_def;

SCREE_DEFAULTS(scree_shape_def, scree_default_shape_def)
SCREE_API scree_status scree_shapes_add_rule(scree_shapes* shapes, const scree_shape_def* def, int32_t* shape);  // ARGUMENT, MEMORY

// ---- Simulation --------------------------------------------------------------------------------------------------

typedef struct scree_body {
    int32_t shape;     // number of its shape; -1: a disc
    double radius;     // of a disc; ignored otherwise
    bool fixed;        // moves as prescribed: a wall, a funnel, the blade of a mixer
    double x[2];       // free bodies: position of the centre of mass. Fixed bodies: position of the origin of the shape, about which they rotate
    double angle;      // rotation relative to the shape, counter-clockwise
    double v[2];       // velocity
    double spin;       // angular velocity
    double material_density;  // mass per area; 0: the def's. Ignored for fixed bodies
    int32_t material;  // below def.material_count; 0 if the def has none
} scree_body;

// Contact parameters of two materials.
typedef struct scree_polygon_pair {
    uint32_t struct_size;         // filled by the default function
    double stiffness;             // k; 0: the def's
    double damping, restitution;  // as in the def, at most one of the two, and the same one for all pairs; both 0: the def's
    double friction;              // this and the others as in the def (0, 0, 2/7, 1)
    double friction_dynamic;
    double tangential_stiffness;
    double tangential_damping;
} scree_polygon_pair;

SCREE_DEFAULTS(scree_polygon_pair, scree_default_polygon_pair)

// How contacts of polygons are found.
typedef enum scree_polygon_rule {
    SCREE_POLYGON_ROUNDED = 0,      // rounded corners, each place counted once: energy is conserved
    SCREE_POLYGON_NODE_TO_SEGMENT,  // sharp corners: each vertex inside of the other is pushed to the nearest side
    SCREE_POLYGON_RULE_COUNT
} scree_polygon_rule;

SCREE_API const char* scree_polygon_rule_name(scree_polygon_rule rule);  // "rounded", "node-to-segment"; NULL if there is none

typedef struct scree_polygon_sim_def {
    uint32_t struct_size;   // filled by the default function; lets this struct grow between versions
    scree_box box;          // dimension 2; walls, periodic or open per axis. Walls do not move; use fixed bodies for moving ones
    double gravity[2];      // acceleration
    double material_density;  // of bodies without their own (1)
    double stiffness;         // k of every contact; or
    double contact_duration;  // sets k: a central impact of the two lightest bodies lasts this long. One of the two is above 0
    double damping;         // c, one constant for all contacts; or
    double restitution;     // sets c for each contact: coefficient of restitution of a central impact at one point
    double time_step;       // 0: 1/50 of the shortest contact
    int32_t wrap_every;     // steps after which positions are wrapped into periodic axes (1000); affects the exact result
    int32_t method;         // scree_method that finds neighbours (AUTO)
    double skin;            // margin of the candidate list; 0: automatic; < 0: a new search for every step
    int32_t threads;        // 0: all cores. The result does not depend on it
    scree_watch watch;      // progress and cancellation of scree_polygon_sim_create, _set_state and _run; zeroed: none
    bool allow_deep;        // NODE_TO_SEGMENT: contacts may be deeper than the middle of a body, which is then pushed
                            // out on the other side, the nearest side may change, and sides may coincide; false: this
                            // is an error
    int32_t container;      // scree_container_kind: BOX; or SPHERE, the circle that the box bounds, a square without periodic axes (scree/geom.h)
    double friction;        // coefficient of friction, of all contacts, walls included (0: smooth)
    double friction_dynamic;      // of sliding contacts, at most `friction`; 0: the same
    double tangential_stiffness;  // of the tangential spring, in units of the normal stiffness (2/7); 0: only the dashpot acts
    double tangential_damping;    // its dashpot, in units of the normal one (1)
    int32_t material_count; // number of materials; 0: one material, with the parameters of this def
    int32_t wall_material;  // of walls and container
    const scree_polygon_pair* pairs;  // material_count rows and columns, symmetric, materials a and b at [a * material_count + b]; copied. With pairs,
                                      // friction and friction_dynamic of the def must be 0
    int32_t rule;           // scree_polygon_rule (ROUNDED)
    double rounding;        // ROUNDED: radius of corners over the radius of the circle of equal area (0.05); less where
                            // scree_polygon_round says so. Of fixed polygons at most the smallest radius of the free
                            // ones, without these rounding times the smallest disc
} scree_polygon_sim_def;

SCREE_DEFAULTS(scree_polygon_sim_def, scree_default_polygon_sim_def)

typedef struct scree_polygon_sim scree_polygon_sim;

// ARGUMENT: an invalid def, body or shape (the message names body and edges); a step longer than a tenth of the shortest contact; a
// free body entirely inside a fixed one, or beyond a wall; two bodies whose cores cross, that cross without a force that separates them, or whose sides coincide where they overlap (def.rule); a periodic axis shorter than
// two diameters of a free body. MEMORY. CANCELLED: the watch returned false. `shapes` may be NULL if all bodies are discs.
SCREE_API scree_status scree_polygon_sim_create(const scree_polygon_sim_def* def, const scree_shapes* shapes, int32_t count, const scree_body* bodies,
                                                scree_polygon_sim** out);
SCREE_API void scree_polygon_sim_destroy(scree_polygon_sim* sim);  // NULL is fine

// Parameters derived from the def.
typedef struct scree_polygon_sim_numbers {
    double stiffness;
    double time_step;
    double longest_time_step;  // that is accepted: a tenth of contact_duration
    double contact_duration;  // pi sqrt(mu / k), the shortest over all pairs of bodies; mu accounts for rotation and is below the reduced mass
    int32_t shortest_contact[2];  // the two bodies of that contact; -1: a wall or fixed body
    double impact_duration;   // the shortest central impact: with the reduced mass alone, and damping. Of the two lightest bodies, or of heavier ones if damping slows the light ones down
    double restitution_min, restitution_max;  // of central impacts at one point; 0: overdamped
    double mass_min, mass_max, mass;          // of free bodies; mass: their sum
    double radius_min, radius_max;            // bounding
    int32_t free, fixed, discs;                  // how many
    int64_t vertices;                            // of all bodies
    int64_t pieces;           // in which fixed bodies enter the search
    double rounding;          // of the def; 0: node-to-segment
    double rounding_min, rounding_max;  // radii of the corners of all polygons; 0: there are none
    int32_t limited;          // bodies whose corners have a smaller radius than rounding says, because of short sides or narrow parts,
    int32_t limited_first;    // and the first of them; -1: none
} scree_polygon_sim_numbers;

SCREE_VALUE(scree_polygon_sim_numbers, scree_polygon_sim_get_numbers, (const scree_polygon_sim* sim), (sim))

// Makes this many steps. CANCELLED: the watch returned false; MEMORY. In both cases the steps done so far count, a step in progress is undone, and another call
// continues from there, with the same bits as a run that was never stopped. ARGUMENT: an overlap is too deep, two bodies have passed through each other, their force jumps, they cross
// without a force that separates them, or the position of a body is beyond a wall or not finite: the message names them and the step; the simulation cannot continue except from an
// earlier state. The watch is also called within steps:
// calls from it that read or change bodies of this simulation return ARGUMENT, the hash is undefined, and scree_polygon_sim_get_step returns the last complete step.
SCREE_API scree_status scree_polygon_sim_run(scree_polygon_sim* sim, int64_t steps);

SCREE_API int64_t scree_polygon_sim_get_step(const scree_polygon_sim* sim);  // steps done, from 0
SCREE_API double scree_polygon_sim_get_time(const scree_polygon_sim* sim);   // steps done times the step's length
SCREE_API int32_t scree_polygon_sim_get_count(const scree_polygon_sim* sim); // bodies
SCREE_API scree_box scree_polygon_sim_get_box(const scree_polygon_sim* sim);
SCREE_API scree_status scree_polygon_sim_set_threads(scree_polygon_sim* sim, int32_t threads);

// From the next step on. ARGUMENT.
SCREE_API scree_status scree_polygon_sim_set_gravity(scree_polygon_sim* sim, const double gravity[2]);
SCREE_API scree_status scree_polygon_sim_set_motion(scree_polygon_sim* sim, int32_t fixed, const double v[2], double spin);

// ---- State -------------------------------------------------------------------------------------------------------
// Everything that a simulation with the same def, shapes and bodies needs to continue as if it had never been stopped. The caller owns the
// arrays, by body.
//
// Sums of energies: dissipated_normal, dissipated_tangential, work_walls and work_gravity of the report; then the powers of the first three at the last step,
// which the next step uses. In scree_polygon_sim_set_state these powers belong to `a`: without it they are recomputed.
#define SCREE_POLYGON_ACCOUNTS 7
typedef struct scree_polygon_sim_state {
    int64_t step;
    double gravity[2];
    double* x;       // count * 2
    double* angle;   // count
    double* v;       // count * 2
    double* spin;    // count
    double* a;       // count * 3: acceleration, and that of the angle. NULL in set: recomputed
    double* anchor;  // count * 3: fixed bodies: position and angle at the step `since`; they move by v and spin from there; zero for others.
    int64_t* since;  // count. Both NULL in set: from x, angle and step
    const scree_sim_memory* memory;  // with friction; NULL: contacts remember what they do when the state is set; a zeroed one: nothing
    double account[SCREE_POLYGON_ACCOUNTS];  // sums of energies
} scree_polygon_sim_state;

// Arrays that are NULL are left out. The memory is not filled in: scree_polygon_sim_get_memory has it.
SCREE_API scree_status scree_polygon_sim_get_state(const scree_polygon_sim* sim, scree_polygon_sim_state* out);

// The memory of contacts; valid until the next call on this simulation. Contacts are sorted by (i, j, shift), contacts with boundaries last, with j = -1 - boundary; two
// bodies may have several, sorted by their values. Without friction `words` is 0 and there are none. The values of a contact:
//     0  0: of a vertex or disc of i; 1: of j; 2: a crossing
//     1  number of the vertex, 0 for a disc; of a crossing the edge of i
//     2  of a crossing the edge of j; of a rounded body the side of the other one; else 0
//     3  force of the tangential spring on the owner of the vertex or disc (of a crossing: on i), if its share were 1,
//        along (normal y, -normal x)
//     4  1: it slides; 0: it sticks
//     5  its share of the load where several contacts share one; else 1
// Vertices and sides of rounded bodies are those of the core: vertices on straight sides are left out.
// ARGUMENT: the simulation has failed, or a step is in progress. MEMORY.
#define SCREE_POLYGON_MEMORY_WORDS 6
SCREE_API scree_status scree_polygon_sim_get_memory(scree_polygon_sim* sim, scree_sim_memory* out);
// ARGUMENT: invalid input; then nothing has changed. A state in which bodies cross without a force that separates them, MEMORY, and CANCELLED (the watch returned false) leave the
// simulation failed: until a state is set, it cannot continue.
SCREE_API scree_status scree_polygon_sim_set_state(scree_polygon_sim* sim, const scree_polygon_sim_state* state);

// 64 bits over the step and all x, angle, v and spin by body, and the memory of contacts.
SCREE_API uint64_t scree_polygon_sim_hash(const scree_polygon_sim* sim);
SCREE_API uint64_t scree_polygon_sim_state_hash(const scree_polygon_sim_state* state, int32_t count);  // of a state with these

// ---- Measuring ---------------------------------------------------------------------------------------------------

// All bodies at the current time, for frames and pictures: vertices in the plane, or centre and radius of a disc.
typedef struct scree_outlines {
    int32_t count;
    const int64_t* first;    // count + 1: vertices of body i are first[i] .. first[i + 1] - 1; none: a disc
    const double (*xy)[2];
    const double (*centre)[2];  // of mass; fixed bodies: position of the origin of the shape
    const double* radius;    // bounding, about `centre`; a disc's own
    const double* angle;
    const bool* fixed;
} scree_outlines;

// Valid until the next call on this simulation. MEMORY. O(vertices).
SCREE_RESULT(scree_polygon_sim_get_outlines, (scree_polygon_sim* sim, scree_outlines* out), (sim, out))

typedef struct scree_polygon_sim_report {
    int64_t step;
    double time;
    double energy_kinetic;    // of free bodies, translation and rotation
    double energy_rotation;   // its rotational part
    double energy_contact;    // of springs, including friction, overlap areas and walls
    double energy_gravity;    // 0 at the origin
    double energy_potential;  // contact and gravity
    double momentum[2];
    double angular_momentum;  // about the origin
    int64_t touching;         // pairs of bodies in contact; each image counts
    int64_t contacts;         // points between bodies
    int64_t wall_contacts;    // points at walls of the box or container
    int64_t crossings;        // overlaps without a vertex inside, among `contacts`
    double max_overlap;       // of vertices and discs: a length
    double speed_max;
    int64_t rebuilds;         // of the candidate list, so far
    int64_t candidates;       // in it now
    double skin;
    int32_t method;           // scree_method that found them
    // Counted so far, the same for any number of threads:
    int64_t pairs_tested;     // candidates tested
    int64_t vertices_offered; // vertices of both bodies, over these: without the box pre-test each would be tested
    int64_t vertices_tested;  // vertices in the box of the other body, tested whether they are inside it
    int64_t edges_crossed;    // tests of an edge against an edge
    size_t bytes;
    double seconds_search, seconds_force, seconds_integrate;  // so far
    double energy_tangential;    // of energy_contact, in the springs of friction
    double dissipated_tangential;  // so far: by sliding, by tangential dashpots, and in springs of contacts that ended
    int64_t sliding;             // contacts at their limit of friction, of both kinds
    double energy_normal;        // of energy_contact, all but energy_tangential
    double dissipated_normal;    // so far: by dashpots along the normals; never falls
    double work_walls;           // so far: of fixed bodies that move, on the others
    double work_gravity;         // so far
    double max_overlap_relative; // over the bounding radius of the smaller body or, if that is less, 5 times the sum of
                                 // the radii of rounded corners
    // energy_kinetic + energy_contact + dissipated_normal + dissipated_tangential - work_walls - work_gravity is constant, to second order in the step, except where the
    // energy of a crossing jumps, and where scree_polygon_sim_set_motion changes the velocity of a body that is touched: there to first order.
} scree_polygon_sim_report;

SCREE_RESULT(scree_polygon_sim_measure, (scree_polygon_sim* sim, scree_polygon_sim_report* out), (sim, out))

// The largest overlap of vertices and discs, with bodies and walls, in all steps since the last call, since the
// simulation was created or since a state was set, and at that moment if its accelerations were computed; `relative` as max_overlap_relative, 0: none. `at` is the centre of the
// smaller body, of a free and a fixed one that of the free one; `duration` is INFINITY, and `shortest` is not used.
// ARGUMENT: a step is in progress.
SCREE_RESULT(scree_polygon_sim_take_overlaps, (scree_polygon_sim* sim, scree_sim_overlaps* out), (sim, out))

typedef enum scree_contact_kind {
    SCREE_CONTACT_VERTEX = 0,  // vertex `feature` of i in j
    SCREE_CONTACT_CROSSING,    // overlap without vertices; feature: an edge of i
    SCREE_CONTACT_DISC,        // disc i at edge `feature` of polygon j; or at disc j
    SCREE_CONTACT_WALL         // vertex (or disc) of i at boundary -1 - j: a wall of the box, j = -1 - (2 axis + (0 lower, 1 upper)); the circle, j = -7
} scree_contact_kind;

typedef struct scree_contact {
    int32_t i, j;      // a vertex or disc of body i is in body j
    int32_t kind;      // scree_contact_kind
    int32_t feature;
    int8_t shift[2];   // of the image of j, at x_j + shift * L
    double point[2];   // where the force acts, in the plane, next to i
    double normal[2];  // direction in which i is pushed out, length 1
    double depth;      // overlap, a length; of a crossing: area
    double force[2];   // on i
    double energy;
    double tangential; // friction: the part of `force` along (-normal y, normal x)
    double energy_tangential;  // of energy, in its spring
    bool slides;       // friction is at its limit
} scree_contact;

typedef struct scree_polygon_contacts {
    int64_t count;
    const scree_contact* contacts;  // by pair (lower number, higher, image), then kinds and features in the order of summation; walls last, by body
} scree_polygon_contacts;

// All current contacts. Valid until the next call on this simulation. MEMORY.
SCREE_RESULT(scree_polygon_sim_get_contacts, (scree_polygon_sim* sim, scree_polygon_contacts* out), (sim, out))

// The boundaries, numbered as in scree_sim_get_boundaries: 0 to 5 are the faces of the box, whether it has walls there or not (4 and 5, along z, never), and 6 is the
// circle if def.container says so. They are at rest: velocity, spin and power are 0. Forces are sums over scree_polygon_sim_get_contacts. How many
// there are; the first `room` of them are written to `out` (NULL: none). Below 0: the simulation has failed or a step is in progress, or no memory. O(candidates).
SCREE_ROWS(scree_polygon_sim_get_boundaries, (scree_polygon_sim* sim, scree_sim_boundary_report* out, int32_t room), (sim, out, room))

#ifdef __cplusplus
}
#endif
#endif
