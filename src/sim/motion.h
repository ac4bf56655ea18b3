// What changes with time in a simulation (scree/loads.h): the list of loads in force, and what they do at a step.
//
//     loads.c    the list: set, kept as numbers, evaluated for gravity, forces and torques
//     motion.c   walls and boundaries that move by a signal or by a servo
//     groups.c   groups that are driven, frozen and released
//     drag.c     drag and local damping
//     external.c external forces and torques of groups and of single spheres
//     step_length.c  steps that change their length
//
// All values are functions of the step number but for servos, whose position is added up from step to step. A simulation without loads does nothing of this.
#ifndef SCREE_SIM_MOTION_H
#define SCREE_SIM_MOTION_H

#include "scree/loads.h"
#include "sim/boundary.h"

typedef struct sim_load {
    scree_sim_load given;  // direction has length 1; value.table is `table`
    double* table;         // its own
    int64_t since;         // the step at which it began
    double base[3];        // of a boundary: its point `at` at the step `moved`; of a turning: gravity at the step `since`
    int64_t moved;         // boundary: servos move it on step by step; else `since`
    double rate;           // servo: velocity along the direction, or spin about it
} sim_load;

// Drag and local damping of a pass.
typedef struct sim_drag {
    bool on;
    double c, per_mass, c_spin, local;
    double middle[3];  // of the cell, on a device; on the processor a pass has it
} sim_drag;

// What servos measure in a pass: sums in whole quanta, over blocks, in any order.
typedef struct sim_servo_sums {
    int64_t load;        // force along the direction, or torque about it, on the spheres
    int64_t resistance[2];  // stiffness times step, and dashpots: by how much that changes with the velocity, and with a change of it, within a step
    bool overflow;
} sim_servo_sums;

typedef struct sim_servos {
    int32_t count;
    const int32_t* of;           // boundary: its servo; -1: none
    const sim_load* const* loads;
    sim_servo_sums* sums;        // [block][servo]
    double resistance_quantum;
} sim_servos;

// Steps had this length, up to a step.
typedef struct sim_pace {
    int64_t until;
    double length;
} sim_pace;

// A force or torque that each sphere of a group has until it is set again.
typedef struct sim_constant {
    int32_t kind, group;  // scree_load: FORCE, TORQUE
    double value[3];
} sim_constant;

typedef struct sim_loads {
    int32_t count;
    sim_load* list;
    int64_t capacity;
    bool forces, driven, moving;  // there are loads of groups' forces or torques; of driven groups; of boundaries
    sim_drag drag;
    sim_servos servos;   // of the pass
    int32_t* servo_of;
    sim_load** servo_loads;
    sim_servo_sums* servo_sums;
    int64_t servo_of_capacity, servo_load_capacity, servo_sum_capacity;
    double dissipated[2], next[2];  // by drag and by local damping; what the next step adds first
    double* words;                  // as shown
    int64_t word_capacity;
    sim_pace* paces;                // rising; none: all steps have had the length of now
    int64_t pace_count, pace_capacity;
    sim_constant* constants;        // each of another kind or group, without those that have a load
    int64_t constant_count, constant_capacity;
} sim_loads;

struct sim_pass;
struct surface_touch;

// Where a boundary with loads is at a step.
typedef struct motion_now {
    bool moves, turns;   // `at` and `velocity` are set; `spin` is
    double at[3], velocity[3], spin[3];
} motion_now;

// motion.c
void motion_of_load(const scree_sim* sim, const sim_load* load, int64_t step, motion_now* out);  // sets what the load says
bool motion_at(const scree_sim* sim, int32_t boundary, int64_t step, motion_now* out);           // false: it has no loads
void motion_angle(const scree_sim* sim, int32_t boundary, int64_t step, double out[3]);          // by which its loads have turned it since they began: a vector along the axis
double motion_speed(const scree_sim* sim, int64_t step);   // of boundaries with loads in the step that leads there; the largest
void motion_apply(const scree_sim* sim, int64_t step, sim_boundary* out);                        // for all boundaries with loads
scree_status motion_set(scree_sim* sim, const scree_sim_load* load, const double direction[3]);  // a load of a boundary. ARGUMENT, MEMORY
scree_status motion_reserve_servos(scree_sim* sim, int32_t more);  // room for the servos of the list, and `more` of them. MEMORY
void motion_servo_begin(scree_sim* sim);               // before a pass
void motion_servo_add(const struct sim_pass* pass, int64_t block, int32_t rank, int32_t boundary, const double force[3], const double twist[3]);  // a contact with a wall
void motion_servo_add_touch(const struct sim_pass* pass, int64_t block, const struct surface_touch* touch, const double force[3], const double twist[3]);  // with a shape
scree_status motion_servo_end(scree_sim* sim);         // after a pass that steps on or observes: the velocities of the next step. ARGUMENT: sums passed the integers

// loads.c
sim_load* loads_find(const scree_sim* sim, int32_t kind, int32_t target);  // NULL: none
scree_status loads_put(scree_sim* sim, const scree_sim_load* given, const double base[3]);  // in place of one of the same kind and target. MEMORY
void loads_drop(scree_sim* sim, int32_t kind, int32_t target);
void loads_time(const scree_sim* sim, const sim_load* load, int64_t step, double* time);
void loads_step(scree_sim* sim);              // forces and torques of this step, before its pass
void loads_drag(const scree_sim* sim, int64_t step, sim_drag* out);  // coefficients of a step, where there is drag
bool loads_gravity(const scree_sim* sim, int64_t step, double out[3]);  // false: no load says anything about it
scree_status loads_words(scree_sim* sim, int64_t* count, const double** words);              // for the state. MEMORY
scree_status loads_check_words(scree_sim* sim, int64_t count, const double* words, int64_t step);  // ARGUMENT
scree_status loads_take_words(scree_sim* sim, int64_t count, const double* words);           // that were checked. MEMORY
void loads_close(sim_loads* loads);

// external.c
sim_constant* external_constant(const scree_sim* sim, int32_t kind, int32_t group);  // NULL: none
scree_status external_put_constant(sim_loads* loads, const sim_constant* constant);  // one that is not there yet. MEMORY
bool external_of_group(const scree_sim* sim, int32_t kind, int32_t group, double out[3]);  // at this step; false: the group has none, which is 0
scree_status external_set_group(scree_sim* sim, int32_t kind, int32_t group, const double value[3], bool constant);  // of a group that there is, from now on; else a load gives further values. MEMORY
void external_inserted(scree_sim* sim, int32_t at);  // a sphere that has just def.each.force
// Where scree_sim_set_external has set forces [0] or torques [1], in a part: its columns own_force and own_torque are made, filled in (external_columns: bits of sim_columns), and added to what groups have. MEMORY
scree_status external_begin(scree_sim* sim, const bool which[2]);
int64_t external_columns(const bool which[2]);
scree_status external_end(scree_sim* sim, const bool which[2]);

// step_length.c: from the moment of one step to that of another
double sim_time_between(const scree_sim* sim, int64_t since, int64_t step);

// groups.c
bool group_is_there(const scree_sim* sim, int32_t group);
static inline int32_t group_of(const uint16_t* groups, int64_t rank)
{
    return groups != NULL ? groups[rank] : 0;
}
scree_status groups_need_flags(scree_sim* sim);      // room for them; who is free keeps its mass. MEMORY
void groups_set_flags(scree_sim* sim, const uint8_t* flags);  // by id
void groups_apply_flags(scree_sim* sim);             // who is fixed by them has no inverse mass, who is free has that which it was made with
int64_t groups_count_fixed(const scree_sim* sim);    // of a part, its own
scree_status groups_check_release(const scree_sim* sim, int32_t group);  // ARGUMENT: a sphere is too light for the step
scree_status groups_drive(scree_sim* sim, const scree_sim_load* load);  // ARGUMENT, MEMORY
void groups_step(scree_sim* sim, const struct sim_pass* pass);          // driven spheres, after a pass that steps on or observes
void groups_next(const scree_sim* sim, const sim_load* load, int64_t step, double mean[3], double then[3]);  // of a driven group, from this step to the next: the mean of the signal, and its value then
void groups_launch(scree_sim* sim);                                     // the same when a step begins

#endif
