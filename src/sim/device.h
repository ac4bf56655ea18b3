// What a simulation asks of a device (src/device): to do many steps there, with the bits that they would have here. A device gets the state at the beginning of a run and keeps it; it gives it back when it is
// asked for, in the order that it has then. As long as nothing else changes the state the next run goes on with what the device has.
#ifndef SCREE_SIM_DEVICE_H
#define SCREE_SIM_DEVICE_H

#include "sim/account.h"
#include "sim/bonds.h"
#include "sim/boundary.h"
#include "sim/image.h"
#include "sim/law.h"
#include "sim/motion.h"

typedef struct sim_device sim_device;

enum { device_walls_most = 32, device_boundaries_most = 255 };  // walls: boundaries that are neither exact shapes nor meshes

// What contacts remember: (i, j, shift) by rank, i < j or i = j, words as i sees them; of walls (i, boundary).
typedef struct device_contacts {
    int64_t count;
    int32_t (*ij)[2];
    int8_t (*shift)[3];     // NULL: no axis is periodic
    double* words;
} device_contacts;

typedef struct device_overlap {
    bool found;             // in this run
    int64_t step;
    int32_t i, j;           // ranks at the beginning of the run; below 0: boundary -1 - j
    double overlap, relative, duration;
    double x[2][4];         // the two spheres: x y z r
} device_overlap;

// A load that changes from step to step. Forces and torques: value. Driven groups: what a pass of a step gives them, the mean of the step, and in `then` the value at its end; at the end of a run the value of
// that moment.
enum { DEVICE_LOAD_FORCE, DEVICE_LOAD_TORQUE, DEVICE_LOAD_VELOCITY, DEVICE_LOAD_SPIN };
typedef struct device_load {
    int32_t kind, group;
    double value[3], then[3];
} device_load;

// A boundary that a servo moves: what it measures, in quanta of which there are `per` in 1, and what it has measured in a pass: force or torque, and two resistances.
enum { servos_most = 32 };
typedef struct device_servo {
    int32_t boundary;
    bool torque;
    double direction[3], per, per_resistance;
    int64_t sum[3];
    bool beyond;
} device_servo;

// A run. Arrays are by rank, of n spheres; NULL: there is none.
typedef struct device_run {
    int32_t n, dim;
    scree_box box;
    const sim_law* law;
    sim_cell cell;
    bool teams;             // contacts have torques, history or sums of energies: teams of lanes compute them
    double step;
    int32_t order_every;
    double skin;            // 0: chosen as it goes; below 0: every step makes a new list
    double giant_radius, quantum, torque_quantum;
    int32_t giant_count;
    bool put;               // the arrays below have the state; else the device has it
    // In and out.
    int64_t at, last;       // step where it is, and where it is to be
    bool flying;            // places are of step `at`, velocities half a step before; else both are of it, and a and turn too: the device makes the half step
    double (*x)[4];
    double (*v)[4];
    double (*p)[4], (*before)[4], (*w)[4], (*wp)[4];
    uint64_t* key;
    // In.
    const int32_t* row;     // place of each in the order of ids
    const uint16_t* material;
    const uint8_t* flags;
    const double (*force)[4], (*torque)[4];
    bool adds[2];           // forces [0] and torques [1] of `loads` are added to these; else they take their place
    device_contacts pairs, walls;
    double (*a)[4];         // in and out: accelerations,
    double (*turn)[4];      // and angular ones
    // Out.
    uint32_t* from;         // the rank that each had at the beginning
    double speed;
    int64_t contacts;
    bool stopped;           // `tick` said so
    bool holds;             // the device has the state of step `at`
    uint32_t trouble;       // DEVICE_ESCAPED, ... (below): at step `at`, for which x and v are given back
    bool gone;              // a centre is farther away than any length; the same
    // Overlaps that are looked for (overlaps.c): in and out, those found so far.
    int64_t look_every;     // steps; 0: never
    bool look_curved;
    double look_share, look_brief;
    device_overlap deepest, shortest;
    // What the simulation tells in between.
    void* context;
    void (*now)(void* context, int64_t step, sim_boundary* boundaries, double gravity[3]);
    int32_t boundary_count;
    bool moves;             // boundaries or gravity change with time
    bool (*tick)(void* context, int64_t step);  // false: stop
    scree_status (*room)(void* context, int64_t pairs, int64_t walls, device_contacts* pairs_out, device_contacts* walls_out);  // for what contacts remember. MEMORY
    // Energies: the sums of each pass are reported, in the order of steps. `begins`: it was a step; else the last pass, which observes.
    bool accounts;          // law->parts.accounts, or drag
    energy_scales scales;
    scree_status (*book)(void* context, int64_t step, bool begins, const energy_sums* sums);  // ARGUMENT
    void (*drag)(void* context, int64_t step, sim_drag* out);  // NULL: there is none
    const uint16_t* group;  // NULL: all are of group 0
    // Bonds; NULL: there are none. They stand by the ranks that spheres have on the device.
    sim_bonds* bonds;
    void (*rename_bonds)(void* context, const uint32_t* from, const int8_t (*turns)[4]);  // in a new order; turns NULL: none was wrapped
    // Servos: each pass measures, and the boundaries of the next step are set only then.
    int32_t servo_count;
    void (*servos)(void* context, device_servo* out);
    scree_status (*measured)(void* context, int64_t step, const device_servo* servos);  // ARGUMENT
    // Boundaries that remove what passes through them; NULL: there are none. The run ends where somebody has passed: those, by place in the order of ids and boundary (low 32 bits), in any order.
    scree_status (*crossings)(void* context, int64_t step, int64_t count, const uint64_t* who);  // MEMORY
    bool crossed_some;      // out
    // A cell that moves; NULL: it does not.
    scree_status (*cell_at)(void* context, int64_t step, scree_box* box, sim_cell* cell);  // as it is then; box NULL: not needed. ARGUMENT: it has become too small
    void (*reduce)(void* context, int64_t step, scree_box* box, sim_cell* cell, int32_t boxes[3]);  // tilts above half a box, in a new order: adds how many boxes xy, xz and yz have lost
    // Exact shapes and meshes.
    device_contacts touches;  // what contacts with them remember: (i, part), words of the law and surface_words
    scree_status (*room_touches)(void* context, int64_t count, device_contacts* out);  // MEMORY
    int32_t (*part_first)(void* context, int32_t boundary);  // the number of its first part
    double (*outside)(void* context, int64_t step);  // the largest speed of boundaries in this step
    uint64_t crossed;       // out, beside DEVICE_ESCAPED: place in the order of ids and boundary of the first centre that has passed through a shape; all bits: none has
    int32_t load_count;
    void (*loads)(void* context, int64_t step, bool ends, device_load* out);  // `ends`: of the last pass, which observes
} device_run;

enum { DEVICE_ESCAPED = 1, DEVICE_LOST = 2, DEVICE_GIANT = 4 };

// UNSUPPORTED: this kind of device is not there; the message says why. MEMORY.
scree_status device_open(int32_t kind, sim_device** out);
void device_close(sim_device* device);  // NULL is fine
const char* device_name(const sim_device* device);
void device_memory(const sim_device* device, size_t* free, size_t* all);

// MEMORY: `at`, `flying` and `holds` say where it stopped; a further call goes on from there. UNSUPPORTED: the device failed, and holds nothing any more. The arrays are then as they were.
scree_status device_go(sim_device* device, device_run* run);
// What changes between runs, by the rank that spheres had when the state was put there or given back; NULL: nothing.
typedef struct device_shift {
    int32_t n;
    const double (*force)[4], (*torque)[4];   // the new external ones,
    const double (*a)[4], (*turn)[4];         // and by how much accelerations and angular ones change
    double before;                            // position Verlet: of `a`, for the positions one step before
} device_shift;

scree_status device_move(sim_device* device, const device_shift* shift);  // MEMORY, UNSUPPORTED: the device has some of it
scree_status device_get(sim_device* device, device_run* run);  // the state, between runs. MEMORY, UNSUPPORTED: the device has it still, and the arrays are of no use
size_t device_bytes(const sim_device* device);  // that it holds
size_t device_need(const device_run* run);      // about what it will, from the members before `at`, with six candidates for each sphere
int64_t device_lists(const sim_device* device);  // lists that it has made
double device_seconds(const sim_device* device, int part);  // 0: lists, 1: steps, 2: order, 3: copies, 4: whether lists still hold

#endif
